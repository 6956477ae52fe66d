#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks programs that compute until a clock shows a given time: in the mode `virtual`, they must
# end, be exactly repeatable, and use little processor time. The program tests/mpi/overlap measures
# the overlap of computation and non-blocking collective calls with this method. In the mode
# `measured`, the program also computes for a calibrated number of steps.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows="out err"

overlap=$GMQOS_BUILDDIR/tests/mpi/overlap
ranks=16

# values: print the time of the call alone, the time of the computation, the time of both, and
# the overlap
values()
{
    sed 's/.*: alone \(.*\) us, computing \(.*\) us, both \(.*\) us, overlap \(.*\) %/\1 \2 \3 \4/' out
}

# read_used: set `used` to the processor time in seconds of the processes that this shell has
# started. In a subshell, the command times would count other processes.
read_used()
{
    times > "$PWD/times"
    used=$(awk 'END { split($1 " " $2, part, /[ms ]+/)
        print int(part[1] * 60 + part[2] + part[3] * 60 + part[4]) }' "$PWD/times")
}

# The computing loop counts only the time between the two reads of each step. The time between these
# two reads is half of the time that all reads take, so the loop computes for twice the time of the
# call. One benchmark measures all sizes of a call, with fewer iterations for long messages. Here,
# the benchmark runs twice within the limit of processor time, because each run must repeat exactly.
for call in ibcast iallreduce ialltoall; do
    read_used
    before=$used
    for size in 8:20 1024:20 65536:5; do
        bytes=${size%:*}
        mpirun -n $ranks "$overlap" $call clock "$bytes" "${size#*:}" > out 2> err ||
            fail "$call of $bytes B"
        values | awk '{ exit !($2 > 1.9 * $1 && $2 < 2.2 * $1 && $3 >= $2 && $4 <= 100) }' ||
            fail "$call of $bytes B"
        cat out
        cp out first
        mpirun -n $ranks "$overlap" $call clock "$bytes" "${size#*:}" > out 2> err
        cmp out first || fail "$call of $bytes B does not repeat"
    done
    read_used
    seconds=$((used - before))
    echo "$call: $seconds s of processor time"
    [ $seconds -lt 60 ] || fail "$call took $seconds s of processor time"
done

# measured CALL COMPUTATION LEAST: succeed if the call and the computation overlap by at least
# LEAST % of the call's time, and do not take much longer than both alone
measured()
{
    GMSIM_TIME=measured timeout 120 mpirun -n $ranks "$overlap" "$1" "$2" 8192 10 \
        > out 2> err || fail "measured: $1, $2"
    cat out
    values | awk -v least="$3" '{
        exit !($2 > 0.5 * $1 && $3 >= $2 && $3 < 1.25 * ($1 + $2) && $4 >= least && $4 <= 100) }'
}

# The real time that other processes of the machine use counts as computing time. In a short run,
# this time can hide the overlap, so the test repeats a run that shows no overlap. An allreduce has
# four rounds, and MPICH begins a round only during a call of MPI. The measured overlaps were 0 to
# 10 %, so the test requires no overlap for this call.
for computation in clock count; do
    for call in ibcast:1 iallreduce:0 ialltoall:1; do
        measured ${call%:*} $computation ${call#*:} ||
            measured ${call%:*} $computation ${call#*:} ||
            measured ${call%:*} $computation ${call#*:} ||
            fail "measured: ${call%:*}, $computation"
    done
done
finish
