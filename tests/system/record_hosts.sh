#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks the data about hosts in records: how long each rank communicated, computed and
# waited, in total and in each window. The bytes must be the same in every run, even if one
# rank is far ahead of the others.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

need python3

# Rank 0 computes while the other ranks communicate. Afterwards, it only sleeps or, with an
# argument, uses its processor.
cat > hosts.c <<'EOF2'
#include <gm.h>
#include <gmsim.h>
#include <mpi.h>
#include <time.h>

#define US UINT64_C(1000000)

static void burn(clock_t ms)
{
    clock_t end = clock() + ms * CLOCKS_PER_SEC / 1000;

    while (clock() < end) {
    }
}

int main(int argc, char **argv)
{
    int rank;
    char byte = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        gmsim_compute(3300 * US);
        gmsim_work(400 * US);
        gmsim_compute(1050 * US);
        gmsim_compute(50 * US);
        if (argc > 1)
            burn(30);
    } else {
        for (int i = 0; i < 100; i++) {
            MPI_Sendrecv_replace(&byte, 1, MPI_BYTE, 3 - rank, 0, 3 - rank, 0,
                                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        gm_sleep(1);
    MPI_Finalize();
    return 0;
}
EOF2
mpicc -o hosts hosts.c -lgm

# look DIRECTORY: check that the record is consistent, and print the requested values in us
look()
{
    python3 - "$@" << 'END'
import json, sys

folder = sys.argv[1]
record = json.load(open(folder + "/record.json"))
windows = [json.loads(line) for line in open(folder + "/windows.jsonl")]
hosts = record["hosts"]
assert [host["rank"] for host in hosts] == [0, 1, 2]
worked, computed, busy = [0] * 3, [0] * 3, {0: [], 1: [], 2: []}
last = 0
for window in windows:
    length = window["end_ps"] - last
    last = window["end_ps"]
    for rank, work, compute in window["hosts"]:
        assert 0 < work + compute <= length, "more than all of a window"
        worked[rank] += work
        computed[rank] += compute
        busy[rank].append((work, compute, length))
assert last <= record["end_ps"]
for host in hosts:
    assert worked[host["rank"]] == host["worked_ps"], "worked"
    assert computed[host["rank"]] == host["computed_ps"], "computed"
    assert 0 < host["end_ps"] <= record["end_ps"]
    assert host["worked_ps"] + host["computed_ps"] <= host["end_ps"]
full = sum(work + compute == length == 10**9 for work, compute, length in busy[0])
messages = [sum(flow["counters"]["messages_sent"] for flow in record["flows"]
                if host["rank"] + 1 in (flow["node"], flow["target_node"]))
            for host in hosts]
for what in sys.argv[2:]:
    print(eval(what))
END
}

GMSIM_RECORD=one mpirun -n 3 ./hosts
for again in two three four; do
    GMSIM_RECORD=$again mpirun -n 3 ./hosts
    diff -r one $again > out || { head -c 2000 out; fail "another record of the same run"; }
done
look one 'computed' 'full >= 3' > out || { fail "the record is inconsistent"; }
printf '%s\n' '[4400000000, 0, 0]' True > want
cmp -s want out || { cat out; fail "computing time of rank 0"; }
# Find the windows in which rank 0 was always busy. In these windows, rank 0 communicates
# for at most 0.4 ms in total. The exact time depends on when the barrier ends.
look one '[work for work, compute, length in busy[0] if work + compute == length == 10**9]' > out
python3 - "$(cat out)" << 'END' || { cat out; fail "work and computing in a window"; }
import sys
works = eval(sys.argv[1])
assert 0 in works and sum(works) in (400000000, 0) or 0 < sum(works) < 400000000
END
look one 'hosts[0]["end_ps"] - worked[0] - computed[0] > 10**12' > out
[ "$(cat out)" = True ] || { cat out; fail "sleeping does not count as waiting"; }

# the cost of MPI's calls counts as communication: 1 us more for each message on each side,
# except for the few messages that MPI uses internally
printf 'hosts: 3\nparameters:\n  mpi_overhead_ps: 0\n' > free.yaml
printf 'hosts: 3\nparameters:\n  mpi_overhead_ps: 1000000\n' > dear.yaml
for which in free dear; do
    GMSIM_CLUSTER=$which.yaml GMSIM_RECORD=$which mpirun -n 3 ./hosts
    look $which 'worked[1]' 'messages[1]' 'computed[1]' > $which.out || fail "$which: the record is inconsistent"
done
python3 - $(cat free.out) $(cat dear.out) << 'END' || { cat free.out dear.out; fail "the cost of a message"; }
import sys
free, messages, none, dear, as_many, nothing = map(int, sys.argv[1:])
assert messages == as_many >= 200 and none == nothing == 0
more_us, rest = divmod(dear - free, 1000000)
assert rest == 0 and 200 <= more_us <= messages
END

# use the processor time of the program itself
GMSIM_TIME=measured GMSIM_RECORD=measured mpirun -n 3 ./hosts burn
look measured 'computed[0] >= 4400000000 + 29 * 10**9' 'worked[0] < 10**10' > out || fail "measured: the record is inconsistent"
[ "$(sort -u out)" = True ] || { cat out; look measured computed worked; fail "time of the program"; }
finish
