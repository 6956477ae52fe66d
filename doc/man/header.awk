# SPDX-License-Identifier: BSD-3-Clause
#
# Make a man page of section 3 from a header. The first comment of the header is the
# description. Every declaration has the comment before it.
#
#   awk -f header.awk -v name=gm.h -v version=0.1.0 -v also="gm(3)" HEADER
#   awk -f header.awk -v list=1 HEADER     names of the functions, one per line
#
# A comment belongs to all declarations that follow it without a blank line.

function escape(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/)
        text = "\\&" text
    return text
}

# Return the name of the declared function, or "" if the text declares none. A name in
# capital letters is a macro that expands to declarations.
function declared(text,   found) {
    gsub(/\n */, " ", text)
    gsub(/__attribute__ *\(\(.*\)\)/, "", text)
    if (text ~ /^(#|typedef|static)/ ||
        (text ~ /^(struct|enum|union)/ &&
         text !~ /^(struct|enum|union) [A-Za-z_]+ +\** *[A-Za-z_]+\(/))
        return ""
    if (!match(text, /[A-Za-z_][A-Za-z0-9_]*\(/))
        return ""
    found = substr(text, RSTART, RLENGTH - 1)
    return (found ~ /^[A-Z0-9_]+$/) ? "" : found
}

# --- text ---

function close_code() {
    if (in_code) {
        print ".EE"
        in_code = 0
    }
}

# Write one line of a comment, without its star.
function write_line(line,   words, term) {
    if (line ~ /^    +[^ ]/ && (in_code || was_empty)) {
        if (!in_code) {
            print ".PP"
            print ".EX"
            in_code = 1
        }
        print escape(line)
        was_empty = 0
        return
    }
    if (line ~ /^ *$/) {
        was_empty = 1
        return
    }
    close_code()
    sub(/^ +/, "", line)
    if (line ~ /^@(param|return)/) {
        term = line
        if (line ~ /^@param/) {
            sub(/^@param *(\[[a-z,]*\])? */, "", line)
            words = line
            sub(/^[^ ]+(, [A-Za-z_]+)* */, "", line)
            term = substr(words, 1, length(words) - length(line))
            sub(/ +$/, "", term)
            print ".TP"
            print ".I " escape(term)
        } else {
            sub(/^@return */, "", line)
            print ".TP"
            print ".B " (said_return++ ? "or" : "Returns")
        }
        if (line != "")
            print escape(line)
    } else if (line ~ /^- /) {
        print ".IP \\(bu 2"
        print escape(substr(line, 3))
    } else {
        if (was_empty)
            print ".PP"
        print escape(line)
    }
    was_empty = 0
}

function write_text(text,   lines, count, i) {
    text = divide_return(text)
    count = split(text, lines, "\n")
    was_empty = 0
    said_return = 0
    for (i = 1; i <= count; i++)
        write_line(lines[i])
    close_code()
}

# Begin a new line at a @return in the middle of a line.
function divide_return(text,   out, at) {
    out = ""
    while ((at = match(text, /[^\n ] +@return/)) > 0) {
        out = out substr(text, 1, at) "\n@return"
        text = substr(text, at + RLENGTH)
    }
    return out text
}

# --- items ---

function flush_item(   i) {
    if (declarations == "" || list) {
        declarations = doc = ""
        return
    }
    print ".PP"
    print ".nf"
    print declarations ".fi"
    if (doc != "") {
        print ".RS 4"
        write_text(doc)
        print ".RE"
    }
    declarations = doc = ""
}

function take_comment(text) {
    sub(/^[ \t]*\/\*\*[ \t]?/, "", text)
    sub(/[ \t]*\*\/[ \t]*$/, "", text)
    gsub(/\n[ \t]*\*[ \t]?/, "\n", text)
    sub(/^\n/, "", text)
    return text
}

function head(text,   first, rest, title) {
    title = toupper(name)
    # "gm.h - what it is."
    first = text
    sub(/^\n/, "", first)
    sub(/^[^ ]+ - /, "", first)
    rest = ""
    if (match(first, /\n *\n/)) {
        rest = substr(first, RSTART + RLENGTH)
        first = substr(first, 1, RSTART - 1)
    }
    gsub(/\n/, " ", first)
    # the first sentence is the summary, and the rest is the description
    if (match(first, /\. [A-Z]/)) {
        rest = substr(first, RSTART + 2) "\n\n" rest
        first = substr(first, 1, RSTART)
    }
    sub(/\.$/, "", first)
    print ".\\\" SPDX-License-Identifier: BSD-3-Clause"
    print ".\\\" Made from " name " by doc/man/header.awk."
    print ".TH " title " 3 \"\" \"gmqos " version "\" \"Library Functions\""
    print ".nh"
    print ".ad l"
    print ".SH NAME"
    print name " \\- " escape(first)
    print ".SH SYNOPSIS"
    print ".B #include <" name ">"
    print ".SH DESCRIPTION"
    was_empty = 0
    write_text(rest)
    print ".SH DECLARATIONS"
}

# --- reading ---

function begins_comment(line) { return line ~ /^[ \t]*\/\*\*/ }

{
    line = $0
    if (in_comment) {
        comment = comment "\n" line
        if (line ~ /\*\//) {
            in_comment = 0
            if (is_doc) {
                text = take_comment(comment)
                if (!had_head) {
                    had_head = 1
                    if (!list)
                        head(text)
                } else {
                    flush_item()
                    doc = text
                }
            }
        }
        next
    }
    if (depth == 0 && pending == "" && line ~ /^\/\*/) {
        if (line ~ /^\/\* ---- /) {
            flush_item()
            sub(/^\/\* ---- /, "", line)
            sub(/ *-+ *\*\/ *$/, "", line)
            if (!list)
                print ".SS " escape(line)
            next
        }
        is_doc = begins_comment(line)
        if (line ~ /\*\//) {
            if (is_doc) {
                flush_item()
                doc = take_comment(line)
            }
            next
        }
        comment = line
        in_comment = 1
        next
    }
    # skip lines that only compilers need
    if (pending == "" && (line ~ /^#(if|ifdef|ifndef|else|elif|endif|include|error|undef)/ ||
                          line ~ /^extern "C"/ || line ~ /^#define [A-Z_]+_H$/)) {
        skip = (line ~ /\\$/)
        next
    }
    if (skip) {
        skip = (line ~ /\\$/)
        next
    }
    if (pending == "" && line ~ /^ *$/) {
        if (declarations != "")
            flush_item()
        next
    }
    if (pending == "" && line ~ /^}$/)
        next # of extern "C"
    code = line
    if (pending == "")
        shift = sub(/^GM_ENTRY_POINT /, "", code)
    else if (shift && substr(code, 1, 15) ~ /^ +$/)
        code = substr(code, 16) # keep the alignment with the first line
    sub(/^extern /, "", code)
    pending = pending code "\n"
    bare = code
    gsub(/"[^"]*"/, "", bare)
    gsub(/\/\*.*\*\//, "", bare)
    sub(/\/\*.*/, "", bare)
    depth += gsub(/[{(]/, "", bare) - gsub(/[})]/, "", bare)
    if (pending ~ /^#define/) {
        if (line ~ /\\$/)
            next
    } else if (depth > 0 || (bare !~ /;[ \t]*$/ && !(bare ~ /^ *$/ && pending ~ /\n}\n$/)))
        next
    depth = 0
    function_name = declared(pending)
    if (list && function_name != "")
        print function_name
    if (pending !~ /^static/) {
        text = pending
        out = ""
        count = split(text, lines, "\n")
        for (i = 1; i < count; i++)
            out = out escape(lines[i]) "\n"
        declarations = declarations out
    }
    pending = ""
}

END {
    flush_item()
    if (!list && also != "") {
        print ".SH SEE ALSO"
        count = split(also, pages, " ")
        for (i = 1; i <= count; i++) {
            split(pages[i], part, "(")
            print ".BR " part[1] " (" part[2] (i < count ? "," : "")
        }
    }
}
