#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Builds the installed examples with their own Makefile, and runs them. Each example must
# print the output that the README of the examples shows, with the same numbers. A line
# "..." in the README matches all remaining lines. The first comment of each example
# contains the command line that the README shows. An example must not print anything else.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

cp -r "$GMQOS_STAGE/share/doc/gmqos/examples" .
cd examples
fortran=${GMQOS_FORTRAN:-}
# the sanitizers' libraries must be loaded first in a program that is not instrumented
[ -z "${GMQOS_SAN_FLAGS:-}" ] || fortran=
make_flags=(MPIFORT="${fortran:+mpifort}")
[ -z "${GMQOS_SAN_FLAGS:-}" ] ||
    make_flags+=(CFLAGS="-O1 -Wno-stringop-overflow $GMQOS_SAN_FLAGS")
env -u MAKEFLAGS -u MAKELEVEL make -s "${make_flags[@]}" > made 2>&1 || { cat made; exit 1; }
[ ! -s made ] || { fail "make prints a message"; cat made; }

# run COMMAND WANTED: run a command of the README, and compare its output with the file
# WANTED
run()
{
    local got=$2.got status=0
    bash -c "$1" < /dev/null > "$got" 2> err || status=$?
    [ "$status" = 0 ] || { fail "$1: status $status"; cat err; }
    [ ! -s err ] || { fail "$1: prints a message"; cat err; }
    if [ "$(tail -1 "$2")" = ... ]; then
        sed -i '$d' "$2"
        [ -s "$2" ] || { fail "$1: the README shows no output"; return; }
        head -n "$(wc -l < "$2")" "$got" > first && mv first "$got"
    fi
    diff -u --label README.md --label "$1" "$2" "$got" || fail "$1"
}

# Split the blocks of the README into a file with all commands, and one file for the
# output of each command.
awk '/^```console$/ { on = 1; next } /^```/ { on = 0 } !on { next }
    /^\$ / { file = sprintf("wanted.%02d", ++n); print substr($0, 3) > "commands"
        printf "" > file; next }
    { print > file }' README.md
n=0
while IFS= read -r command; do
    n=$((n + 1))
    case $command in
    *" ./reserve") [ -n "$fortran" ] || { echo "not tested: $command"; continue; } ;;
    esac
    run "$command" "$(printf 'wanted.%02d' $n)"
done < commands
[ "$n" -ge 9 ] || fail "only $n commands in the README"

for file in *.c *.f90; do
    line=$(sed -n '1,25s/^ *[*!] \+\(\(GMSIM_CLUSTER=[^ ]* \)\?mpirun .*\)$/\1/p' "$file" | head -1)
    grep -qxF -- "$line" commands || fail "$file: its line '$line' is not in the README"
    grep -qF "\`$file\`" README.md || fail "$file is not in the README"
done
finish
