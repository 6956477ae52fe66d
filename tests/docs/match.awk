# SPDX-License-Identifier: BSD-3-Clause
#
# match.awk EXPECTED ACTUAL: status 0 if the texts are equal. A line "..." in the first text matches
# any lines, and "..." within a line matches any text.

function pattern(text)
{
    gsub(/[][\\.^$*+?(){}|\/]/, "\\\\&", text)
    gsub(/\\\.\\\.\\\./, ".*", text)
    return "^" text "$"
}

BEGIN { wanted_count = got_count = 0 }
{ sub(/[ \t]+$/, "") }
FILENAME == ARGV[1] { wanted[++wanted_count] = $0; next }
{ got[++got_count] = $0 }

# ignore empty lines at the end
END {
    while (wanted_count > 0 && wanted[wanted_count] == "")
        wanted_count--
    while (got_count > 0 && got[got_count] == "")
        got_count--
    # can[j] states whether the first i expected lines match the first j actual lines
    can[0] = 1
    for (i = 1; i <= wanted_count; i++) {
        any = wanted[i] == "..."
        plain = index(wanted[i], "...") == 0
        for (j = 0; j <= got_count; j++)
            before[j] = can[j]
        can[0] = any && before[0]
        for (j = 1; j <= got_count; j++) {
            if (any)
                can[j] = before[j] || can[j - 1]
            else if (!before[j - 1])
                can[j] = 0
            else
                can[j] = plain ? got[j] == wanted[i] "" \
                               : got[j] ~ pattern(wanted[i])
        }
    }
    exit !can[got_count]
}
