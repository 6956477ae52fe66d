#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# The reference pages list exactly the program's parameters, keys of files and
# environment variables.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

docs=$GMQOS_SRCDIR/doc/reference

# same WHAT FILE FILE: check that the two lists are equal
same()
{
    [ -s "$2" ] && [ -s "$3" ] || fail "$1: nothing found"
    diff -u --label "the program" --label "the page" <(sort -u "$2") <(sort -u "$3") ||
        fail "$1"
}

# section FILE HEADING: print the lines between a heading and the next one
section()
{
    awk -v heading="$2" '/^#+ / { on = $0 ~ "^#+ " heading "$"; next } on' "$1"
}

# names: print the names in back-ticks in the first column of a table
names()
{
    awk -F '|' '/^\| `/ { print $2 }' | grep -o '`[^`]*`' | tr -d '`'
}

# --- parameters: check that the built page is up to date, is installed, and has all
# parameters
page=$GMQOS_STAGE/share/doc/gmqos/doc/reference/parameters.md
gmsim params --markdown | cmp - "$page" || fail "parameters.md is outdated"
gmsim params | awk 'NR > 1 { print ($1 == "*") ? $2 : $1 }' > program
names < "$page" > written
same "parameters" program written
awk -F '|' '/^\| `/ && !/\[(source|assumed): / { print "without a source: " $0; bad = 1 }
    /^\| parameter / { columns = NF }
    /^\| `/ && NF != columns { print "a row with " NF - 2 " columns: " $0; bad = 1 }
    END { exit bad }' "$page" || fail "a row of parameters.md"
[ "$(grep -c '^## ' "$page")" = 12 ] || fail "parts of parameters.md"
# check that each profile has a column with its values
for profile in lanai4.3 myrinet2000 edr hdr ndr roce-100 roce-25 slingshot-100 aries; do
    gmsim params --profile $profile --csv | sed 1d | cut -d, -f1,2 > program
    awk -F ' *[|] *' -v profile=$profile '
        /^\| parameter / { for (i = 1; i <= NF; i++) if ($i == profile) column = i }
        /^\| `/ { gsub(/`/, "", $2); print $2 "," $column }' "$page" > written
    same "values of $profile" program written
done

# --- keys: the reader lists the allowed keys

# allowed TEXT: print the keys that the reader lists when it refuses key 'nokey' in
# the description
allowed()
{
    printf '%b' "$1" > wrong.yaml
    gmsim "${@:2}" wrong.yaml 2>&1 | grep "unknown key 'nokey'" |
        sed 's/.*: //; s/; or /, /g; s/, /\n/g' || :
}
keys()
{
    section "$docs/$1" "$2" | names > written
    allowed "$3" "${@:4}" > program
    same "keys of $1, $2" program written
}
keys cluster.md "Keys" 'nokey: 1\n' config check
keys cluster.md "The fabric" 'fabric: {nokey: 1}\n' config check
keys cluster.md "Faults" 'faults: {nokey: 1}\n' config check
keys cluster.md "Fault events" 'faults: {events: [{nokey: 1}]}\n' config check
keys plan.md "Keys" 'nokey: 1\n' plan
keys plan.md "Keys of a request" 'requests: [{nokey: 1}]\n' plan
keys policy.md "Keys of a rule" '- {nokey: 1}\n' config check --policy

# --- environment: the page lists each variable that a program of gmqos reads, and no
# other variable
cd "$GMQOS_SRCDIR"
grep -rhE '"[A-Z_]+"' --include='*.[ch]' gmsim mpi-qos adi-gm/netmod benchmarks |
    sed 's/unsetenv("[A-Z_]*")//' |
    grep -oE '"(GMSIM|MPIQOS|GMQOS|NO_COLOR|TERM|COLUMNS|HWLOC|PMI)[A-Z_]*"' |
    tr -d '"' | grep -vwFf <(grep -oE 'MPIQOS_[A-Z_]+' mpi-qos/include/mpi_qos.h) |
    sort -u > "$OLDPWD/read"
cd "$OLDPWD"
grep -oE '`[A-Z][A-Z_]+`' "$docs/environment.md" | tr -d '`' | sort -u > written
same "environment variables" read written

finish
