#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# gmsim experiment ended by Ctrl-C, by SIGTERM or by SIGKILL, in the middle of
# experiments that run real processes: no process continues, and no file remains.
set -euo pipefail
set -m # each job a process group of its own, as on a terminal

failed=0
mkdir tmp
export TMPDIR=$PWD/tmp
# what these processes have that no others have
export GMTEST_MARK=mark-$$

# processes of ours, by that mark; the grep that looks has it, too
ours()
{
    local file
    for file in $(grep -lz "^GMTEST_MARK=$GMTEST_MARK\$" \
        /proc/[0-9]*/environ 2> /dev/null || :); do
        file=${file%/environ}
        [ ! -e "$file" ] || grep -qx grep "$file/comm" 2> /dev/null ||
            echo "${file#/proc/}"
    done
}

files()
{
    # only experiments' jobs: others may run on this machine
    {
        find /dev/shm -user "$(id -u)" -newer started -name 'gmsim-*-experiment-*'
        find tmp -newer started -type f
    } 2> /dev/null | sort
}

for round in INT:group TERM:one KILL:one; do
    signal=${round%:*}
    touch started
    # the last ones take minutes
    gmsim experiment run thesis-5.1 thesis-5.9 thesis-5.2 thesis-5.10 mpi-accuracy qos-fig-5 \
        -j 2 > out 2> err &
    pid=$!
    while [ "$(ours | wc -l)" -lt 4 ]; do # until ranks are there
        kill -0 "$pid" 2> /dev/null || { echo "FAIL: no ranks"; cat err; exit 1; }
        sleep 0.02
    done
    case $round in
    *:group) kill -s "$signal" -- "-$pid" ;;
    *) kill -s "$signal" "$pid" ;;
    esac
    if wait "$pid" 2> /dev/null; then
        echo "FAIL: SIG$signal: status 0"
        failed=1
    fi
    for ((i = 0; i < 600; i++)); do
        [ -n "$(ours)" ] || break
        sleep 0.1
    done
    left=$(ours)
    if [ -n "$left" ]; then
        echo "FAIL: SIG$signal: these run on:"
        for p in $left; do tr '\0' ' ' < "/proc/$p/cmdline"; echo; done
        # shellcheck disable=SC2086 # a list
        kill -s KILL $left
        failed=1
    else
        echo "ok: SIG$signal: nothing runs on"
    fi
    if [ -n "$(files)" ]; then
        echo "FAIL: SIG$signal: files are left:"
        files
        failed=1
    fi
done
exit $failed
