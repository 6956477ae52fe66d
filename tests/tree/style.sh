#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# All sources have one style: clang-format with the project's configuration changes nothing, and all
# increments use the prefix operator. Comparisons joined by && and || have no parentheses, and every
# source begins with its licence (purpose.sh checks the comment after the licence). adi-gm follows
# MPICH's style.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

work=$(mktemp -d) # the test can also be started by hand, in any directory
trap 'rm -rf "$work"' EXIT
cd "$GMQOS_SRCDIR"
mapfile -t files < <(find gmsim mpi-qos benchmarks tests examples -name '*.[ch]' \
    -not -path 'tests/mpich/*' -not -path 'tests/foreign/*' -not -name mpiqosf.h | sort)
[ "${#files[@]}" -gt 500 ] || { echo "FAIL: only ${#files[@]} files"; exit 1; }

# increments FILE..: find postfix increments in statements and loops
increments()
{
    grep -nE '^\s*[A-Za-z_][A-Za-z0-9_.>-]*(\+\+|--);|^\s*for \(.*; [A-Za-z_][A-Za-z0-9_.>-]*(\+\+|--)\)' "$@"
}

# parentheses FILE..: find parentheses around comparisons that && or || joins
parentheses()
{
    grep -nE '(&&|\|\|) \([^()&|?:=!<>]*(==|!=|<=|>=|<|>) [^()&|?:=]*\)($|[);]| &&| \|\|| \?)' "$@" |
        grep -v '/\*\|^[^:]*:[0-9]*: \*'
}

if increments "${files[@]}"; then
    fail "write ++i, not i++"
fi
if parentheses "${files[@]}"; then
    fail "write a == b && c, not (a == b) && c"
fi
for file in "${files[@]}"; do
    head -n 1 "$file" | grep -qF 'SPDX-License-Identifier: BSD-3-Clause' ||
        fail "$file does not begin with its licence"
done

# test the checks themselves: they must detect these faults
printf '    count++;\n' > "$work/a.c"
printf '    if (x && (a == b)) {\n' > "$work/b.c"
increments "$work/a.c" > /dev/null || fail "count++ is not found"
parentheses "$work/b.c" > /dev/null || fail "(a == b) is not found"

if command -v clang-format > /dev/null && clang-format --version | grep -q 'version 14'; then
    printf '%s\0' "${files[@]}" | xargs -0 -n 40 clang-format --dry-run -Werror ||
        fail "clang-format changes sources"
    printf 'int  f( int a );\n' > "$work/c.c"
    ! clang-format --style=file:.clang-format --dry-run -Werror "$work/c.c" 2> /dev/null ||
        fail "clang-format accepts any layout"
else
    echo "clang-format 14 is not installed: the layout was not checked"
fi
finish
