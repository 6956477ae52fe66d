#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the benchmark job-size, and the cost of jobs with many ranks: ranks that exchange short
# messages need little memory, and all virtual times are repeatable.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

job_size=$GMQOS_SRCDIR/benchmarks/job-size
program=$GMQOS_BUILDDIR/benchmarks/mpi/job-size

"$job_size" "$program" steps 2 16 256 > rows || fail "steps"
cat rows
[ "$(wc -l < rows)" = 4 ] || fail "not 4 lines"
[ "$(cut -d, -f1 rows | tr '\n' ' ')" = "ranks 2 16 256 " ] || fail "other numbers of ranks"
# A barrier of 2^k ranks has k rounds, and a message in the ring passes through all ranks.
# The times for 16 and for 256 ranks must be in proportion to these numbers.
awk -F, 'NR > 1 { barrier[$1] = $6; ring[$1] = $10 }
    END { rounds = (barrier[256] / barrier[16]) / (8 / 4); hops = (ring[256] / ring[16]) / 16
        print "barrier: " rounds ", ring: " hops " of the expected ratio"
        exit !(rounds > 0.9 && rounds < 1.15 && hops > 0.95 && hops < 1.1) }' rows ||
    fail "the times do not grow as expected"
awk -F, '$1 == 256 && !($13 > 100 && $13 < 4096 && $14 > 100 && $14 < 1024) { exit 1 }' rows ||
    fail "256 ranks need more memory than expected"

"$job_size" "$program" steps 16 > again || fail "steps, again"
[ "$(grep '^16,' rows | cut -d, -f6,8,10)" = "$(grep '^16,' again | cut -d, -f6,8,10)" ] ||
    fail "the virtual times of a second run differ"

# the program itself checks that the keys are sorted
"$job_size" "$program" sort 8 > sorted || fail "sort"
awk -F, 'NR == 2 { exit !($12 > 0) }' sorted || fail "the sort took no time"

# mpirun raises its own limit on open files, but not the limit of the ranks
if [ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 512 ]; then
    (ulimit -Sn 48 && mpirun -n 64 sh -c 'ulimit -Sn') > out 2>&1 || fail "64 ranks, 48 open files"
    [ "$(sort out | uniq -c | xargs)" = "64 48" ] || fail "64 ranks: another limit of open files"
fi

"$job_size" "$program" > out 2>&1 && fail "no argument is accepted"
grep -q "^Usage: job-size" out || fail "no usage"
finish
