#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that a waiting rank uses no processor time. In a job of 64 ranks, 62 ranks wait in each of
# the waiting calls while the other two ranks exchange messages. When the two ranks exchange 100
# times as many messages, no other rank may wake up, and the number of context switches per message
# must not increase. Loops of calls that do not wait must advance virtual time and end. A single
# call of MPI_Test must detect that a request is complete. Waiting threads must sleep and wake each
# other.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows=out
export GMSIM_CLOCK=real # waits and threads print real times

# --- 64 ranks ----------------------------------------------------------------------
printf 'hosts: 16\nranks_per_host: 4\n' > cluster.yaml
export GMSIM_CLUSTER=cluster.yaml
mpi_test 64 waits 20 2000
unset GMSIM_CLUSTER
[ "$(grep -c '^MPI_' out)" = 11 ] || fail "not all calls"
# The receiving rank must sleep until the message has arrived and its own send has ended. Sleeping
# processes check for dead processes every half second of real time. The limits on the number of
# sleeps and on the processor time therefore increase with the real time of the exchange. If the 62
# ranks woke up for each message, they would go to sleep a thousand times and use most of the
# processor time.
awk '/^MPI_/ {
    print
    looks = $6 / 500
    if ($2 > 4 || $3 > 20 + 2 * looks || $4 > $5 + 62 * looks) {
        print "cost too high: " $0
        bad = 1
    }
} END { exit bad }' out || fail "waiting has a cost"

# --- polls -------------------------------------------------------------------------
mpi_test 2 polls
echo "ok: polls take time and end"
for ranks in 1 3; do
    mpi_test $ranks exact
done
echo "ok: one test of a complete request is enough"

# --- threads -----------------------------------------------------------------------
for what in grequest self; do
    mpi_test 1 threads "$what"
    echo "ok: threads, $what"
done
mpi_test 2 threads post
mpi_test 3 threads relay
echo "ok: threads, post and relay"
# other ranks send 40000 messages while two threads check for dead processes at intervals
mpi_test 3 threads idle
read -r _ sleeps _ seconds _ < <(grep '^sleeps ' out)
[ "$sleeps" -lt $((500 + 20 * seconds)) ] ||
    fail "two waiting threads slept $sleeps times in $seconds s"
echo "ok: threads, idle: $sleeps sleeps in $seconds s"
if timeout 120 mpirun -n 2 "$GMQOS_BUILDDIR/tests/mpi/threads" deadlock > out 2>&1; then
    fail "deadlock: status 0"
fi
grep -q 'gmsim: deadlock' out || fail "deadlock: no message"
echo "ok: threads, deadlock: $(grep -m 1 gmsim: out)"
