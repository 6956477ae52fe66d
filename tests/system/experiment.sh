#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: nothing
#
# Checks gmsim experiment. All experiments of the thesis must reproduce the thesis's values
# and print the same output in every run. The values must not depend on the reference files.
# For invalid usage, invalid references, and files that cannot be written, the command must
# print a message and end with the correct status. If MPICH is not available, the test skips
# the MPI experiments.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

ok()
{
    echo "ok: $*"
}

# status EXPECTED COMMAND..: check the status of the command; its output is in the file
# `out`, and its messages are in the file `err`
status()
{
    local expected=$1 got=0
    shift
    "$@" > out 2> err || got=$?
    [ "$got" = "$expected" ] || {
        fail "'${*: -3}' ended with $got, not $expected"
        cat out err
    }
}

# mentions WHAT TEXT: check that the messages contain the text
mentions()
{
    if grep -qF -- "$2" err; then ok "$1"; else fail "$1:"; cat err; fi
}

# expect WHAT COMMAND..: check that the command succeeds
expect()
{
    if "${@:2}"; then ok "$1"; else fail "$1"; fi
}

# count NUMBER PATTERN FILE: check that the file has this number of lines that match
count()
{
    [ "$(grep -c -- "$2" "$3")" = "$1" ]
}

# --- list ---
status 0 gmsim experiment list
expect "15 experiments are listed" count 15 '^thesis-' out
status 0 gmsim experiment list 'thesis-5.1?'
expect "a pattern" count 3 '^thesis-' out

# --- all experiments, twice ---
status 0 gmsim experiment run 'thesis-*' --check --csv=one.csv --page page.md --data data
cat out > rows
expect "$(tail -n 1 rows)" grep -q ', 0 not ok' rows
expect "no messages" test ! -s err
status 0 gmsim experiment run 'thesis-*' -j 1 --csv=two.csv
expect "the same bytes with one process as with several" cmp one.csv two.csv
expect "head of the CSV" grep -qx 'experiment,series,setting,quantity,value,unit,reference,deviation_percent,kind,tolerance_percent,ok,half_width,basis' one.csv
expect "13 columns" awk -F, 'NF != 13 { bad = 1 } END { exit bad || NR < 50 }' one.csv
expect "the page has all" count 15 '^## thesis-' page.md
expect "points" test -s data/thesis-5.4.csv
expect "logs" test -s data/thesis-5.11-dispatches.csv

# --- references only affect the verdict ---
share=$(dirname "$(command -v gmsim)")/../share/gmqos/reference
mkdir other
cp "$share"/*.csv other/
chmod u+w other/*
sed -i 's/^\(thesis-5.5,flow 1,IDT=(2T;2T),bandwidth\),40.91/\1,45/' other/thesis.csv
status 1 gmsim experiment run thesis-5.5 --check --reference other --csv=wrong.csv
expect "a row outside its tolerance" count 1 'NOT OK' out
cut -d, -f1-6 wrong.csv > wrong
grep -e ^experiment -e '^thesis-5\.5,' one.csv | cut -d, -f1-6 > right
expect "values do not depend on references" cmp right wrong
status 0 gmsim experiment run thesis-5.5 --reference other
echo 'thesis-5.5,flow 9,IDT=(1;1),bandwidth,1,MB/s,within,1,nowhere' >> other/thesis.csv
status 1 gmsim experiment run thesis-5.5 --check --reference other --csv=wrong.csv
expect "a reference that no row answers" grep -q '^thesis-5.5,flow 9,.*,no,,$' wrong.csv
echo 'thesis-5.5,flow 9,IDT=(1;1),bandwidth,x,MB/s,within,1,nowhere' >> other/thesis.csv
status 1 gmsim experiment run thesis-5.5 --reference other
mentions "a wrong line is named" "other/thesis.csv:$(wc -l < other/thesis.csv): the value is not a number"
sed -i '$d' other/thesis.csv
sed -i 's/^thesis-5.5,flow 9,/thesis-5.55,flow 9,/' other/thesis.csv
status 1 gmsim experiment run thesis-3.1 --reference other
mentions "a reference that no experiment can answer" "there is no experiment 'thesis-5.55'"
mkdir empty
status 1 gmsim experiment run thesis-3.1 --check --reference empty
mentions "nothing to check against" "--check: the reference files contain no rows"
status 1 gmsim experiment run thesis-5.5 --reference nowhere
mentions "a directory that does not exist" "nowhere: No such file"

# --- invalid usage ---
status 2 gmsim experiment
status 2 gmsim experiment run
status 2 gmsim experiment walk all
status 2 gmsim experiment run all --jobs 0
status 2 gmsim experiment run thesis-5.13
mentions "near names" "did you mean thesis-5.1, thesis-5.3"
status 2 gmsim experiment run nonsense
mentions "no near name" "gmsim experiment list"
status 1 gmsim experiment run thesis-3.1 --csv=nowhere/x.csv
mentions "a file that cannot be written" "nowhere/x.csv: No such file"
mkdir bin
ln -s "$(command -v sh)" bin/sh
status 1 env PATH="$PWD/bin" "$(command -v gmsim)" experiment run thesis-5.5 --plot plots
mentions "no gnuplot" "gnuplot could not draw the figure of thesis-5.5; check that gnuplot is installed (apt-get install gnuplot-nox)"
ok "wrong usage"

finish
