# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Defines the functions that test scripts share. The functions report failures, skip
# tests, parse options, check exit statuses, run jobs without a launcher, and find
# leftover processes. A script begins with
#
#     set -euo pipefail
#     . "$GMQOS_SRCDIR/tests/system/lib.sh"
#
# and ends with `finish`. tests/run-system runs the script without the user's environment
# settings in an empty directory, and then removes this directory. Functions that run a
# command write its output to the files `out` and `err` in the current directory.

# --- failures --------------------------------------------------------------------------

# Settings that a script can change:
fail_ends_test=no # yes: the first failure ends the test
fail_shows=       # patterns of files that are printed with each failure: "out err"

failures=0 # number of failures so far

# fail TEXT..: report a failure
fail()
{
    local file
    echo "FAIL: $*" >&2
    for file in $fail_shows; do
        [ ! -s "$file" ] || tail -n 100 "$file" | sed "s|^|    $file: |" >&2
    done
    failures=$((failures + 1))
    [ "$fail_ends_test" = no ] || exit 1
}

# finish: end the test; the status is 1 if there was any failure
finish()
{
    exit $((failures > 0))
}

# --- skipping --------------------------------------------------------------------------

# skip REASON: end the test because it cannot run on this machine
skip()
{
    echo "skipped: $*"
    exit 77
}

# need PROGRAM[:PACKAGE]..: skip the test unless all programs are in PATH. PACKAGE is the
# name of the Debian package, if it differs from the program's name.
need()
{
    local program
    for program in "$@"; do
        command -v "${program%:*}" > /dev/null ||
            skip "no ${program%:*} here (apt-get install ${program#*:})"
    done
}

# --- options ---------------------------------------------------------------------------

# take_options "NAME[=VARIABLE].." ARGUMENT..: set VARIABLE (or NAME) to VALUE for
# each "--NAME VALUE" among the arguments; end the script at any other argument
take_options()
{
    local known=$1 option name
    shift
    while [ $# -gt 0 ]; do
        name=
        for option in $known; do
            [ "$1" != "--${option%=*}" ] || name=${option#*=}
        done
        [ -n "$name" ] || {
            echo "${0##*/}: unknown option '$1'" >&2
            exit 64
        }
        printf -v "$name" %s "$2"
        shift 2
    done
}

# --- commands --------------------------------------------------------------------------

# ends STATUS COMMAND..: check that the command exits with the status
ends()
{
    local wanted=$1 status=0
    shift
    "$@" > out 2> err || status=$?
    [ "$status" = "$wanted" ] ||
        fail "$*: status $status, expected $wanted: $(head -qn 5 out err)"
}

# mentions TEXT [FILE]: check that the file (default: err) contains the text
mentions()
{
    grep -qF -- "$1" "${2:-err}" || fail "no '$1' in ${2:-err}: $(head -n 5 "${2:-err}")"
}

# refused STATUS TEXT COMMAND..: check that the command ends with the status, and that
# its standard error contains the text
refused()
{
    ends "$1" "${@:3}"
    grep -qF -- "$2" err || fail "${*:3}: no '$2' in: $(head -n 5 err)"
}

# within PERCENT A B: succeed if A differs from B by at most PERCENT % of B
within()
{
    awk -v p="$1" -v a="$2" -v b="$3" \
        'BEGIN { d = (a / b - 1) * 100; exit d > p || d < -p }'
}

# await SECONDS COMMAND..: repeat the command until it succeeds; the status is 1 if it has
# not succeeded after this time
await()
{
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.05
    done
}

# --- jobs ------------------------------------------------------------------------------

# start_ranks RANKS COMMAND..: start the ranks of a job without a launcher, because
# the build may not have a launcher. Rank I writes to out.I and err.I. The array
# `rank_pids` contains the process ids of the ranks.
start_ranks()
{
    local size=$1 i
    shift
    rank_pids=()
    for ((i = 0; i < size; ++i)); do
        PMI_RANK=$i PMI_SIZE=$size GMSIM_JOB=test.$$ "$@" > "out.$i" 2> "err.$i" &
        rank_pids+=($!)
    done
}

# run_ranks RANKS COMMAND..: like start_ranks, but wait until the ranks have ended;
# `ranks_status` is the highest status of all ranks
run_ranks()
{
    local process
    start_ranks "$@"
    ranks_status=0
    for process in "${rank_pids[@]}"; do
        wait "$process" || ranks_status=$(($? > ranks_status ? $? : ranks_status))
    done
}

# killed_run DIRECTORY [BYTES]: create the record of a job of two ranks that is killed
# while it sends messages of this length (default: 1048576 bytes)
killed_run()
{
    GMSIM_RECORD=$1 start_ranks 2 "$GMQOS_STAGE/bin/gm-bandwidth" -s "${2:-1048576}" -i 100000
    await 120 has_lines 20 "$1/windows.jsonl" || :
    kill -9 "${rank_pids[@]}" || :
    wait || :
}

# has_lines COUNT FILE: succeed if the file has at least COUNT lines
has_lines()
{
    [ "$(wc -l 2> /dev/null < "$2" || echo 0)" -ge "$1" ]
}

# mpi_test RANKS NAME [ARGUMENT..]: run a program of tests/mpi. Check that it succeeds and
# that its last line is " No Errors"; its output is in `out`
mpi_test()
{
    local size=$1 name=$2 status=0
    shift 2
    timeout 300 mpirun -n "$size" "$GMQOS_BUILDDIR/tests/mpi/$name" "$@" \
        > out 2>&1 < /dev/null || status=$?
    [ "$status" = 0 ] && [ "$(tail -n 1 out)" = " No Errors" ] ||
        fail "$name $*, $size processes: status $status: $(head -n 20 out)"
}

# --- processes -------------------------------------------------------------------------

# marked NAME=VALUE [PROGRAM..]: print the processes that have this variable in their
# environment, except the grep that searches for them and the given programs
marked()
{
    local mark=$1 file program
    shift
    for file in $(grep -lzsxF -- "$mark" /proc/[0-9]*/environ || :); do
        file=${file%/environ}
        program=$(cat "$file/comm" 2> /dev/null) || continue
        [[ " grep $* " == *" $program "* ]] || echo "${file#/proc/}"
    done
}

# none_marked NAME=VALUE [PROGRAM..]: succeed if marked prints nothing
none_marked()
{
    [ -z "$(marked "$@")" ]
}

# describe NAME [KEY: VALUE]..: write the cluster description NAME.yaml, and use it from now on
describe()
{
    local name=$1
    shift
    printf '%s\n' "$@" > "$name.yaml"
    export GMSIM_CLUSTER=$PWD/$name.yaml
}
