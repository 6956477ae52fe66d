#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# needs: mpich
#
# Checks mpi-patterns. The times of patterns follow from the times of single messages. Invalid
# arguments are reported, and a pattern is refused if it requires a different number of
# processes.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
fail_shows="out err"
export PATH=$GMQOS_STAGE/bin:$PATH

# time_of PATTERN BYTES: print the median for a pattern in `out`, in microseconds
time_of()
{
    awk -F, -v p="$1" -v b="$2" '$1 == p && $2 == b { print $6; n++ } END { exit n != 1 }' out
}

# within VALUE LOW HIGH WHAT: check that VALUE is between LOW and HIGH
within()
{
    awk -v a="$1" -v l="$2" -v h="$3" 'BEGIN { exit !(a >= l && a <= h) }' ||
        fail "$4: $1, expected $2 to $3"
}

# times FACTOR VALUE: print the product
times()
{
    awk -v a="$1" -v b="$2" 'BEGIN { print a * b }'
}

# --- arguments ---------------------------------------------------------------------------
ends 0 mpi-patterns --list
grep -q '^pipelinedring  *a block in N parts' out || fail "--list"
ends 2 mpi-patterns --pattern ring
grep -q "pattern 'ring' is unknown; --list prints the patterns" err || fail "a pattern"
printf 'profile: edr\nhosts: 4\n' > four.yaml
export GMSIM_CLUSTER=$PWD/four.yaml
ends 2 mpirun -n 3 mpi-patterns --pattern one_one
grep -q "one_one requires an even number of processes, not 3" err || fail "3 processes"
ends 2 mpirun -n 4 mpi-patterns --pattern loggp_gap
grep -q "loggp_gap requires 2 processes, not 4" err || fail "4 processes"

# --- a pair: the same time as in the other ping-pong benchmark ----------------------------
ends 0 mpirun -n 2 mpi-pingpong --csv -w 2 -i 2 --size 8,64K,1M
awk -F, '/^[0-9]/ { print $1, $5 / 2 }' out > half
ends 0 mpirun -n 2 mpi-patterns --csv -w 2 -i 2 --pattern one_one --size 8,64K,1M
while read -r bytes half; do
    within "$(time_of one_one "$bytes")" "$(times 0.97 "$half")" "$(times 1.03 "$half")" \
        "half a ping-pong of $bytes bytes"
done < half
one=$(time_of one_one 8)
mega=$(time_of one_one 1048576)

# --- both directions at the same time: the directions of an HCA share no resource ---
ends 0 mpirun -n 2 mpi-patterns --csv -w 2 -i 2 --pattern one_one_bidirect --size 1M
within "$(time_of one_one_bidirect 1048576)" "$(times 0.95 "$mega")" "$(times 1.1 "$mega")" \
    "both directions"

# --- collectives of 4 processes -----------------------------------------------------------
ends 0 mpirun -n 4 mpi-patterns --csv -w 2 -i 2 --size 32,4M
# a pipelined ring sends four parts one after the other
within "$(time_of pipelinedring 32)" "$(times 3.8 "$one")" "$(times 4.8 "$one")" "a ring"
within "$(time_of pipelinedring 4194304)" "$(times 3.9 "$mega")" "$(times 4.3 "$mega")" \
    "a ring of 4 MB"
# dissemination and recursive doubling need two rounds, and the ring needs three
within "$(time_of nwaydissemination 32)" "$(times 1.9 "$one")" "$(times 2.8 "$one")" \
    "dissemination"
within "$(time_of ring_allgather 32)" "$(times 2.8 "$one")" "$(times 3.8 "$one")" \
    "an allgather on a ring"
within "$(time_of recursive_doubling 32)" "$(times 1.9 "$one")" "$(times 2.8 "$one")" \
    "recursive doubling"
# three blocks leave or enter a NIC at the same time; in an incast, they share the receiver's
# link
for pattern in linear_alltoall gather; do
    within "$(time_of "$pattern" 4194304)" 1000 1100 "$pattern of 4 MB"
done
# a scatter uses blocking sends, so its three blocks leave one after the other
block=$(time_of one_one 4194304)
within "$(time_of scatter 4194304)" "$(times 2.9 "$block")" "$(times 3.1 "$block")" \
    "scatter of 4 MB"
# The tree of 4 ranks has two levels. A short broadcast would not show these levels, because
# the processes leave the preceding barrier in the order in which the tree reaches them.
within "$(time_of binomialtreebcast 4194304)" "$(times 1.9 "$block")" "$(times 2.2 "$block")" \
    "a broadcast of 4 MB"

# --- LogGP: the processes of the profile have the published times ----------------------------
ends 0 mpirun -n 2 mpi-patterns --csv -w 1 -i 1 --size 1,8193 --pattern loggp_o_send \
    --pattern loggp_o_receive --pattern loggp_gap
within "$(time_of loggp_o_send 1)" 0.04 0.08 "o_send"
within "$(time_of loggp_o_receive 1)" 0.15 0.22 "o_receive"
within "$(time_of loggp_gap 1)" 0.15 0.3 "the gap"
within "$(time_of loggp_o_receive 8193)" 1 1.3 "o_receive of 8 KB"
finish
