#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that programs that compute until a clock shows a given time end in the mode
# `virtual`, repeat exactly, and use little processor time. The program tests/mpi/overlap
# uses this method to measure the overlap of computation and non-blocking collective
# calls. In the mode `measured`, the program also computes for a calibrated number of
# steps.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows="out err"

overlap=$GMQOS_BUILDDIR/tests/mpi/overlap
ranks=16

# values: print the time of the call alone, of the computation, and of both, and the
# overlap
values()
{
    sed 's/.*: alone \(.*\) us, computing \(.*\) us, both \(.*\) us, overlap \(.*\) %/\1 \2 \3 \4/' out
}

# The computing loop counts only the time between the two reads of each step. This is
# half of the time that all reads take, so the loop computes for twice the time of the
# call.
for call in ibcast iallreduce ialltoall; do
    for bytes in 8 1024 65536; do
        mpirun -n $ranks "$overlap" $call clock $bytes 20 > out 2> err ||
            fail "$call of $bytes B"
        values | awk '{ exit !($2 > 1.9 * $1 && $2 < 2.2 * $1 && $3 >= $2 && $4 <= 100) }' ||
            fail "$call of $bytes B"
        cat out
        cp out first
        mpirun -n $ranks "$overlap" $call clock $bytes 20 > out 2> err
        cmp out first || fail "$call of $bytes B does not repeat"
    done
done
# processor time of this shell's children, in seconds
times > used
used=$(awk 'END { split($1 " " $2, part, /[ms ]+/); print int(part[1] * 60 + part[2] + part[3] * 60 + part[4]) }' used)
echo "processor time: $used s"
[ "$used" -lt 60 ] || fail "the loops took $used s of processor time"

for computation in clock count; do
    for call in ibcast iallreduce ialltoall; do
        GMSIM_TIME=measured timeout 120 mpirun -n $ranks "$overlap" $call $computation 8192 10 \
            > out 2> err || fail "measured: $call, $computation"
        cat out
        values | awk '{ exit !($2 > 0.5 * $1 && $3 >= $2 && $4 > 1 && $4 <= 100) }' ||
            fail "measured: $call, $computation"
    done
done
finish
