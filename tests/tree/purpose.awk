# SPDX-License-Identifier: BSD-3-Clause
#
# awk -f purpose.awk SOURCE..: find sources without a comment about their purpose. The
# comment follows the line of the licence directly, has at least 30 characters without
# blanks and comment signs, and begins with its subject. Prints a line for each source
# without such a comment; the status is 1 if there are any.

function report(reason) {
    print file ": " reason
    found = 1
}

# Check the comment of the previous file.
function finish() {
    if (file == "")
        return
    if (!has_licence) {
        report("the first line is not the licence")
        return
    }
    if (match(text, /^(What|Who|Whose|Of|Those|Somebody|Nobody|\.\.)[ ,]/))
        report("the comment begins with '" substr(text, 1, RLENGTH - 1) "'")
    gsub(/[ \t*\/#!"]/, "", text)
    if (length(text) < 30)
        report("no comment about its purpose directly after the licence")
}

# Add a line of the comment; set is_over after its last line.
function take(line,   quotes) {
    if (kind == "")
        kind = line ~ /^\/\*/ ? "c" : line ~ /^"""/ ? "python" : substr(line, 1, 1)
    if (kind == "!" || (kind == "#" && file !~ /\.[ch]$/)) {
        is_over = substr(line, 1, 1) != kind
        if (is_over || line ~ /^# needs: /)
            return
    } else if (kind == "c") {
        is_over = line ~ /\*\//
    } else if (kind == "python") {
        quotes += gsub(/"""/, "", line)
        is_over = quotes + opened > 1 || (opened && quotes)
        opened = 1
    } else {
        is_over = 1
        return
    }
    sub(/^[ \t*\/#!]+/, "", line)
    text = text (text == "" ? "" : " ") line
}

FNR == 1 {
    finish()
    file = FILENAME
    text = kind = ""
    has_licence = is_over = opened = 0
}
FNR == 1 && /^#!/ { next }
!has_licence && !is_over {
    has_licence = /SPDX-License-Identifier: BSD-3-Clause/
    is_over = !has_licence
    next
}
!is_over { take($0) }
END {
    finish()
    exit found
}
