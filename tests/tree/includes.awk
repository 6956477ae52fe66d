# SPDX-License-Identifier: BSD-3-Clause
#
# awk -f includes.awk TABLE SOURCE..: compares the includes between directories with
# the table in TABLE (rows "| `directory` | purpose | `may include`, .. |"). The program
# prints the differences and, at the end, the number of edges; the status is 1 if there
# are differences.

function directory_of(path)
{
    sub(/\/[^\/]*$/, "", path)
    while (path != "" && !(path in row_line)) {
        if (!sub(/\/[^\/]*$/, "", path))
            path = ""
    }
    return path
}

function wrong(text)
{
    print text
    bad = 1
}

# Return the file that an include names: in the directory of the source, or below a
# directory of headers.
function file_of(source, name,    here, i, found)
{
    here = source
    sub(/[^\/]*$/, "", here)
    split(here " gmsim/ gmsim/include/ benchmarks/ mpi-qos/include/ adi-gm/include/", roots, " ")
    for (i = 1; i in roots; i++) {
        found = roots[i] name
        if (found in is_file)
            return found
    }
    return ""
}

BEGIN {
    for (i = 2; i < ARGC; i++)
        is_file[ARGV[i]] = 1
}

FNR == NR {
    if ($0 !~ /^\| `/)
        next
    count = split($0, cell, "|")
    name = cell[2]
    gsub(/[` ]/, "", name)
    row_line[name] = FNR
    number[name] = ++rows
    names[rows] = name
    list = cell[count - 1]
    while (match(list, /`[^`]*`/)) {
        other = substr(list, RSTART + 1, RLENGTH - 2)
        list = substr(list, RSTART + RLENGTH)
        if (!(other in row_line) || other == name)
            wrong(FILENAME ":" FNR ": " name " includes " other ", which is not in an earlier row")
        allowed[name, other] = FNR
    }
    next
}

FNR == 1 {
    from = directory_of(FILENAME)
    if (from == "")
        wrong(FILENAME ": its directory is not in the table")
}

/^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*$/, "", name)
    target = file_of(FILENAME, name)
    if (target == "")
        next
    to = directory_of(target)
    if (to == from)
        next
    used[from, to] = 1
    if (!((from, to) in allowed))
        wrong(FILENAME ":" FNR ": " from " must not include " to " (" name ")")
    if (name ~ /_int\.h$/)
        wrong(FILENAME ":" FNR ": " name " is private to " to)
}

END {
    for (pair in allowed) {
        edges++
        if (!(pair in used)) {
            split(pair, end, SUBSEP)
            wrong("the table lets " end[1] " include " end[2] ", and nothing does")
        }
    }
    print edges " edges between " rows " directories"
    exit bad
}
