#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks that reservations of MPI programs are kept in every window of 100 ms or 400
# packets in spite of other traffic (tests/mpi/keeps.c). The other traffic consists of an
# all-to-all exchange that a policy requests, best-effort traffic to the receiver of a
# reserved flow, gets, floods, and collectives.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes

# kept NAME RANKS ARGUMENT..: check with the program keeps that all reservations are kept
kept()
{
    local name=$1 ranks=$2
    shift 2
    timeout 280 mpirun -n "$ranks" "$GMQOS_BUILDDIR/tests/mpi/keeps" -v "$@" > out 2> err ||
        { grep -v '^[0-9]* ->' out; head -n 5 err; grep -- '->' out | head -n 5; fail "$name"; }
    [ "$(tail -n 1 out)" = " No Errors" ] || { cat out err; fail "$name"; }
    awk -v name="$name" '/granted/ && $5 > 0 { n++; if (!least || $NF < least) least = $NF }
        END { printf "ok: %s: %d reservations, minimum of a window %.4f\n", name, n, least }' out
}

# with a policy for all pairs of ranks, granted reservations are kept for every message
# size
echo '- {from: all, to: all, bandwidth: 2.0 MB/s}' > policy.yaml
MPIQOS_POLICY=policy.yaml kept "all-to-all, rendezvous" 16 -s 1.3 -m 65536 all
echo '- {from: all, to: all, bandwidth: 2.0 MB/s, message_size: 8192}' > policy.yaml
MPIQOS_POLICY=policy.yaml kept "all-to-all, eager" 16 -s 1.3 -m 8192 all

# the reservations are also kept while the same processes send other messages
echo "- {from: all, to: all, bandwidth: 2.0 MB/s}" > policy.yaml
MPIQOS_POLICY=policy.yaml kept "all-to-all during floods, gets, collectives" 16 -s 1.4 all \
    0-5:flood 7-3:flood 4-3:flood@1000 2-9:get 12-9:get coll=6

# With messages of 8 KB, the control messages of floods and collectives must not take the
# send tokens of reservations.
echo "- {from: all, to: all, bandwidth: 2.0 MB/s, message_size: 8192}" > policy.yaml
MPIQOS_POLICY=policy.yaml kept "all-to-all, eager, during floods, gets, collectives" 16 \
    -s 1.3 -m 8192 all 0-5:flood 7-3:flood 4-3:flood@1000 2-9:get 12-9:get coll=6

# Request reservations of random sizes for all pairs of ranks in random order, until the
# manager denies a request. Meanwhile, floods with all message sizes, gets and
# collectives are running.
until_refused()
{
    local bytes=$1 seed=$2 most=$3
    awk -v bytes="$bytes" -v seed="$seed" -v most="$most" 'BEGIN {
        srand(seed)
        for (i = 0; i < 240; i++) order[i] = i
        for (i = 239; i > 0; i--) {
            j = int(rand() * (i + 1)); t = order[i]; order[i] = order[j]; order[j] = t
        }
        for (i = 0; i < 240; i++) {
            from = int(order[i] / 15); to = order[i] % 15
            printf "- {from: %d, to: %d, bandwidth: %.2f MB/s, message_size: %d}\n",
                from, to + (to >= from), most * (0.3 + 0.7 * rand()), bytes
        }
    }' > policy.yaml
    MPIQOS_POLICY=policy.yaml kept "until refused, $bytes bytes, seed $seed" 16 -s 1.3 \
        -m "$bytes" all 0-5:flood 7-3:flood 4-3:flood@1000 2-9:get 12-9:get \
        1-0:flood@16000 2-0:flood@16000 3-0:flood@64 9-2:flood@1048576 8-2:flood \
        15-8:get 0-15:get coll=20
    grep -q 'denied:' err || fail "until denied, $bytes bytes: no request was denied"
}
until_refused 8192 1 6
until_refused 65536 2 12

# the receiving process also has to handle other messages
kept "alone" 2 0-1:40
kept "declared best effort into one process" 4 0-1:40 2-1:be 3-1:be
kept "undeclared messages into one process" 4 0-1:40 2-1:flood 3-1:flood
kept "undeclared eager messages into one process" 4 0-1:40 2-1:flood@8192 3-1:flood@64
kept "undeclared messages of 1 MB" 4 0-1:40 2-1:flood@1048576 3-1:flood@1048576

# gets
kept "gets from a window that has reserved" 2 0-1:get=20
kept "gets into a process that receives" 4 0-1:40 2-1:get 3-1:get
kept "gets from a process that sends" 4 0-1:40 0-2:get 0-3:get

# run floods from the sender and from the receiver, and also collectives
kept "floods around a reservation" 6 0-1:40 0-2:flood 3-1:flood 1-4:flood 5-0:flood
kept "a row of collectives" 8 0-1:30 2-3:30@8192 coll=60
