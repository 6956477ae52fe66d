#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Each patch to MPICH begins with a title. The patch states why it exists, which tests of
# this project need it, and whether MPICH has accepted or could accept it. The named tests
# exist, the numbers of the patches have no gaps, and adi-gm/README.md lists all patches
# with their titles. The recipe for MPICH includes every file of adi-gm/launcher.
set -euo pipefail

cd "$GMQOS_SRCDIR"

# check DIRECTORY README: print the faults of the patches in a directory
check()
{
    local file text number=0 test title words row
    for file in "$1"/*.patch; do
        number=$((number + 1))
        text=$(sed '/^--- /,$d' "$file")
        [[ ${file##*/} == $(printf %04d "$number")-* ]] ||
            echo "${file##*/}: its number is not $number"
        [ "$(head -n 1 <<< "$text")" = 'SPDX-License-Identifier: BSD-3-Clause' ] ||
            echo "${file##*/}: no licence in line 1"
        title=$(sed -n 3p <<< "$text")
        [ -n "$title" ] || echo "${file##*/}: no title in line 3"
        [ "$(grep -oE '^(Why|Tests|Upstream): ' <<< "$text" | xargs)" = 'Why: Tests: Upstream:' ] ||
            echo "${file##*/}: not 'Why:', 'Tests:' and 'Upstream:', in this order"
        words=$(sed -n '/^Tests: /,/^$/p' <<< "$text" | tr -s ', \n' '\n' | sed '/^Tests:$/d; /^$/d')
        [ -n "$words" ] || echo "${file##*/}: names no test"
        for test in $words; do
            [ -f "$test" ] && [[ $test == tests/* ]] ||
                echo "${file##*/}: there is no test $test"
        done
        row="| [${file:${#1}+1:4}](patches/${file##*/}) | ${title%.} |"
        grep -qxF "$row" "$2" || echo "${file##*/}: ${2##*/} has no row: $row"
    done
    [ "$(grep -c '](patches/' "$2")" = "$number" ] ||
        echo "${2##*/}: not $number rows"
}

bad=0
found=$(check adi-gm/patches adi-gm/README.md)
[ -z "$found" ] || { echo "$found"; bad=1; }

for file in adi-gm/launcher/*.c; do
    grep -q "^objects .*\b${file##*/}" adi-gm/build/mpich-recipe ||
        { echo "adi-gm/build/mpich-recipe does not link $file"; bad=1; }
done

# the check detects each kind of fault
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# finds WHAT SED FILE: change a copy of FILE with SED; the check must refuse the copy and
# print WHAT
finds()
{
    rm -rf "$work/patches"
    cp -R adi-gm/patches "$work/patches"
    cp adi-gm/README.md "$work/README.md"
    # shellcheck disable=SC2086 # a pattern
    sed -i "$2" "$work"/$3
    found=$(check "$work/patches" "$work/README.md")
    grep -qF "$1" <<< "$found" || { echo "FAIL: not detected: $1"; bad=1; }
}
finds "not 'Why:'" 's/^Why: //' patches/0001-*.patch
finds "not 'Why:'" '/^Upstream: /d' patches/0002-*.patch
finds 'names no test' 's/^Tests: .*/Tests: /' patches/0003-*.patch
finds 'there is no test tests/mpi/none.c' 's#tests/mpi/[a-z_]*\.c#tests/mpi/none.c#' patches/0002-*.patch
finds 'README.md has no row' '/0004-/d' README.md
finds 'README.md: not' '/0004-/p' README.md
exit "$bad"
