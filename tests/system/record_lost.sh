#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests results that cannot be written completely. If a record or trace is lost because
# the disk is full, the job must fail. If two simultaneous jobs use the same record or
# trace, one of the jobs must be refused, and the other job's record or trace must be
# complete.
# needs: nothing
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

bin=$GMQOS_STAGE/bin
gmsim=$bin/gmsim
unset GMSIM_CLUSTER GMSIM_RECORD GMSIM_TIME GMSIM_TRACE GMSIM_DISPATCH
# job NAME COMMAND..: run two ranks. The file NAME.status contains 0 if both ranks
# succeed, and otherwise the status of a rank that failed
job()
{
    local name=$1 i pids=() worst=0
    shift
    for i in 0 1; do
        PMI_RANK=$i PMI_SIZE=2 GMSIM_JOB=lost.$$.$name "$@" > "$name.$i" 2>> "$name.err" &
        pids+=($!)
    done
    for i in "${pids[@]}"; do
        wait "$i" || worst=$?
    done
    echo "$worst" > "$name.status"
}

# --- a full disk ---
if [ -c /dev/full ]; then
    GMSIM_TRACE=/dev/full GMSIM_TRACE_FORMAT=json job trace "$bin/gm-pingpong" -s 8 -i 20
    [ "$(cat trace.status)" != 0 ] || fail "a trace is lost, and the job has succeeded"
    grep -q "the trace is incomplete: cannot write '/dev/full'" trace.err ||
        { cat trace.err; fail "a lost trace"; }
    GMSIM_DISPATCH=/dev/full job dispatch "$bin/gm-pingpong" -s 8 -i 20
    [ "$(cat dispatch.status)" != 0 ] || fail "a dispatch log is lost, and the job has succeeded"
fi
# use a separate file system, if users may mount one
export gmsim
if unshare -rm true 2> /dev/null; then
    export -f job
    export bin
    mkdir small
    unshare -rm bash -c '
        mount -t tmpfs -o size=64k none small || exit 0
        GMSIM_RECORD=small job full "$bin/gm-bandwidth" -s 65536 -i 200
        "$gmsim" report --text small > full.report 2>&1
        echo $? > full.read' || true
    if [ -f full.read ]; then
        [ "$(cat full.status)" != 0 ] || fail "a record is lost, and the job has succeeded"
        grep -q "the record in 'small' is incomplete: cannot write " full.err ||
            { cat full.err; fail "a lost record"; }
        grep -q "incomplete" full.report || { cat full.report; fail "a lost record's report"; }
    fi
fi

# --- two jobs ---
for round in 1 2 3; do
    rm -rf both ./*.err
    GMSIM_RECORD=both job a "$bin/gm-pingpong" -s 8 -i 2000 &
    GMSIM_RECORD=both job b "$bin/gm-pingpong" -s 8 -i 2000 &
    wait
    [ "$(cat a.status b.status | grep -cx 0)" = 1 ] ||
        { cat ./*.err; fail "round $round: two jobs write one record: $(cat a.status b.status)"; }
    grep -qE "already contains files of a record|already contains the record of a run" a.err b.err ||
        { cat ./*.err; fail "round $round: no message for the second job"; }
    "$gmsim" report --text both > out 2>&1 || { cat out; fail "round $round: a broken record"; }

    rm -f both.json ./*.err
    GMSIM_TRACE=both.json job a "$bin/gm-pingpong" -s 8 -i 2000 &
    GMSIM_TRACE=both.json job b "$bin/gm-pingpong" -s 8 -i 2000 &
    wait
    [ "$(cat a.status b.status | grep -cx 0)" != 0 ] || { cat ./*.err; fail "two traces: none"; }
    if [ "$(cat a.status b.status | grep -cx 0)" = 1 ]; then
        grep -q "another job is writing the same trace" a.err b.err ||
            { cat ./*.err; fail "round $round: no message about the second trace"; }
    fi
    if command -v python3 > /dev/null; then
        python3 -c 'import json; json.load(open("both.json"))' || fail "round $round: a broken trace"
    fi
done
finish
