#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Ends gmsim experiment with Ctrl-C, SIGTERM or SIGKILL while its experiments run real
# processes. No process may continue, and no file may remain.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
set -m # each job a process group of its own, as on a terminal

mkdir tmp
export TMPDIR=$PWD/tmp
# only the processes of this test have this variable in their environment
export GMTEST_MARK=mark-$$

# list the processes that have this variable, except the grep that searches for them
ours=("GMTEST_MARK=$GMTEST_MARK")

files()
{
    # list only the jobs of this command, because other tests may also run experiments;
    # the name of a job contains the id of the process that has started it
    {
        find /dev/shm -user "$(id -u)" -newer started -name 'gmsim-*-experiment-*' |
            grep -E -- "-experiment-(${processes//$'\n'/|})-" || :
        find tmp -newer started -type f
    } 2> /dev/null | sort
}

for round in INT:group TERM:one KILL:one; do
    signal=${round%:*}
    touch started
    # the last experiments take several minutes
    gmsim experiment run thesis-5.1 thesis-5.9 thesis-5.2 thesis-5.10 mpi-accuracy qos-fig-5 \
        -j 2 > out 2> err &
    pid=$!
    while [ "$(marked "${ours[@]}" | wc -l)" -lt 4 ]; do # until there are ranks
        kill -0 "$pid" 2> /dev/null || { echo "FAIL: no ranks"; cat err; exit 1; }
        sleep 0.02
    done
    processes=$(marked "${ours[@]}")
    case $round in
    *:group) kill -s "$signal" -- "-$pid" ;;
    *) kill -s "$signal" "$pid" ;;
    esac
    ! wait "$pid" 2> /dev/null || fail "SIG$signal: status 0"
    if ! await 60 none_marked "${ours[@]}"; then
        left=$(marked "${ours[@]}")
        for p in $left; do tr '\0' ' ' < "/proc/$p/cmdline"; echo; done
        # shellcheck disable=SC2086 # a list
        kill -s KILL $left
        fail "SIG$signal: processes continue"
    else
        echo "ok: SIG$signal: no process continues"
    fi
    if [ -n "$(files)" ]; then
        files
        fail "SIG$signal: files remain"
    fi
done
finish
