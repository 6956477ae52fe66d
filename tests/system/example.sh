#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks gmsim example. The command must copy exactly the files that the test of a page
# writes, and must not replace any existing file. If the command cannot create one of
# the files, it must not leave any file.
# needs: nothing
set -uo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

gmsim=$GMQOS_STAGE/bin/gmsim
shopt -s nullglob

# files PAGE: write the files of a page to the current directory, like tests/docs/run
files()
{
    local line name='' previous='' file
    local pattern='^(/\*|#|!|//) ([A-Za-z0-9_.-]+\.[a-z0-9]+)([ :].*)?$'

    for file in $(sed -n 's/^<!-- with: \(.*\) -->$/\1/p' "$1"); do
        cp "$GMQOS_SRCDIR/$file" .
    done
    while IFS= read -r line; do
        if [ -n "$name" ] && [ "$line" = '```' ]; then
            name=
        elif [ -z "$name" ] && [[ $previous == '```'?* && $line =~ $pattern ]]; then
            name=${BASH_REMATCH[2]}
            [ ! -e "$name" ] || fail "$1 shows $name twice"
        fi
        [ -z "$name" ] || printf '%s\n' "$line" >> "$name"
        previous=$line
    done < "$1"
}

# --- all pages ---
"$gmsim" example > list || fail "the list: status $?"
count=0
for page in "$GMQOS_SRCDIR"/doc/*.md "$GMQOS_SRCDIR"/doc/{tutorial,howto,reference}/*.md; do
    name=${page##*/}
    name=${name%.md}
    rm -rf expected copied
    mkdir expected copied
    (cd expected && files "$page") || fail "$name: cannot be read"
    if [ -z "$(ls expected)" ]; then
        ! grep -q "^$name " list || fail "$name is listed, but has no files"
        continue
    fi
    count=$((count + 1))
    [ "$(grep -c "^$name " list)" = 1 ] || fail "$name is not listed once"
    (cd copied && "$gmsim" example "$name" | sort > ../names) || fail "$name: not copied"
    diff -r expected copied || fail "$name: other files than the page shows"
    diff <(ls expected | sort) names || fail "$name: other names are printed"
done
[ "$count" -ge 25 ] || fail "only $count pages have files"

# --- all or nothing ---
mkdir again
cd again || exit 1
echo mine > policy.yaml
status=0
"$gmsim" example tutorial > out 2> err || status=$?
[ "$status" = 1 ] || fail "an existing file: status $status"
grep -q "cannot create 'policy.yaml': File exists; remove it" err || fail "$(cat err)"
[ "$(cat policy.yaml)" = mine ] || fail "an existing file was replaced"
[ "$(ls | tr '\n' ' ')" = "err out policy.yaml " ] || fail "left behind: $(ls)"
cd ..

for name in nonsense README ../tutorial ''; do
    status=0
    "$gmsim" example "$name" > out 2> err || status=$?
    [ "$status" = 2 ] || fail "'$name': status $status"
    grep -q "there is no example '$name'" err || fail "'$name': $(cat err)"
done
finish
