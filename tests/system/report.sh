#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Checks gmsim report with records of runs whose events are known, with the record of a
# killed run, and with directories that contain no record. The test also covers the names
# of communicators and the estimates of lost bandwidth. The test compares these estimates with runs
# in which no other rank sends.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"

bin=$GMQOS_STAGE/bin
gmsim=$bin/gmsim
need python3

# --- the demo: requests, denials and reasons, with the numbers that the program prints ---
GMSIM_RECORD=demo mpirun -n 4 "$GMQOS_BUILDDIR/examples/bandwidth" > demo.txt
[ "$("$gmsim" report demo)" = demo/report.html ] || fail "the page's name"
[ -s demo/report.html ] || fail "no page"
"$gmsim" report demo --text > text
grep -q '^bandwidth on 4 ranks, 1.24 s of virtual time$' text || fail "the description of the run"
grep -q "^- Rank 0's request for 30 MB/s to rank 3 was denied because only 9.252 MB/s remain at the source, node 1; the flow keeps best effort.$" text ||
    fail "the denial"
grep -q '^- 2 of 2 reservations reached their bandwidth.$' text || fail "the reservations"
grep -Eq '^0 -> 1 +premium +39.* 40.010 ' text || fail "the premium flow"
[ $failures = 0 ] || cat text

# --- names ---
cat > named.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
    char buffer[65536] = "";
    MPI_Comm stream;
    int rank, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &stream);
    MPI_Comm_set_name(stream, rank == 0 ? "video \"</script>" : "something else");
    for (i = 0; i < 20; ++i) {
        if (rank == 0)
            MPI_Send(buffer, sizeof(buffer), MPI_BYTE, 1, 0, stream);
        else
            MPI_Recv(buffer, sizeof(buffer), MPI_BYTE, 0, 0, stream, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -o named named.c
GMSIM_RECORD=named.1 mpirun -n 2 ./named
GMSIM_RECORD=named.2 mpirun -n 2 ./named
diff -r named.1 named.2 > out || { cat out; fail "two records of the same run differ"; }
"$gmsim" report named.1 --text > text
grep -q '^0 -> 1 (video "</script>) ' text || { cat text; fail "the communicator's name"; }

# --- short runs: two equal flows, of which one also carries a small message long before ---
cat > equal.c <<'END'
#include <gmsim.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static char out[400000], in[400000];
    double start;
    int rank, i;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(out, 1, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(in, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    gmsim_compute(2000000000);
    start = MPI_Wtime();
    for (i = 0; i < 20; ++i)
        MPI_Sendrecv(out, sizeof(out), MPI_BYTE, !rank, 0, in, sizeof(in), MPI_BYTE, !rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0)
        printf("%.0f %.0f\n", 20 * sizeof(out) / (MPI_Wtime() - start), MPI_Wtime() * 1e12);
    MPI_Finalize();
    return 0;
}
END
mpicc -o equal equal.c -lgm
printf 'hosts: 2\nprofile: edr\n' > edr.yaml
GMSIM_CLUSTER=edr.yaml GMSIM_RECORD=equal.1 mpirun -n 2 ./equal > equal.txt
"$gmsim" report equal.1 --json > equal.json
python3 - << 'END' || fail "the rates of a run of some milliseconds"
import json

truth, end = [float(word) for word in open("equal.txt").read().split()]
data = json.load(open("equal.json"))
rates = [flow["mean_bytes_s"] for flow in data["flows"] if flow["bytes"] > 1000000]
print(truth, rates, end, data["end_ps"])
assert len(rates) == 2 and all(abs(rate / truth - 1) < 0.04 for rate in rates)
assert 0 <= data["end_ps"] - end < 1e9, "the run ends when the last rank leaves"
END

# --- lost bandwidth -----------------------------------------------------------------

# Several ranks send to one rank at the same time. Then each rank sends alone. Two flows share one
# cable but have different targets.
cat > crowd.c <<'END'
#include <mpi.h>

/* Each argument is a pair of digits, sender and receiver; all pairs stream at once. */
enum { WINDOW = 8, BYTES = 65536, ROUNDS = 15, PAIRS = 4 };
static char buffer[PAIRS * WINDOW][BYTES];

int main(int argc, char **argv)
{
    MPI_Request request[PAIRS * WINDOW];
    int rank, i, k, slot;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < ROUNDS; ++i) {
        int used = 0;

        for (k = 1; k < argc && k <= PAIRS; ++k) {
            int from = argv[k][0] - '0', to = argv[k][1] - '0';

            for (slot = 0; slot < WINDOW; ++slot) {
                if (rank == to)
                    MPI_Irecv(buffer[used], BYTES, MPI_BYTE, from, 0, MPI_COMM_WORLD,
                              &request[used]);
                else if (rank == from)
                    MPI_Isend(buffer[used], BYTES, MPI_BYTE, to, 0, MPI_COMM_WORLD, &request[used]);
                used += rank == to || rank == from;
            }
        }
        for (k = 0; k < used; ++k)
            MPI_Wait(&request[k], MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
END
mpicc -o crowd crowd.c

# crowd PAIR..: record the run, and print the name of the record
ranks=4
crowd()
{
    local name="crowd.$*"
    name=${name// /-}
    GMSIM_RECORD=$name mpirun -n $ranks ./crowd "$@"
    "$gmsim" report "$name" --json > "$name.json"
}

# lost TOGETHER ALONE FLOW LOW HIGH: compare the report's estimates with the real loss of
# bandwidth. LOW and HIGH are limits for the upper estimate, as fractions of the real loss.
# The lower estimate must not exceed the upper estimate.
lost()
{
    python3 - "$@" << 'END'
import json, sys

together, alone, name, low, high = sys.argv[1:6]
def load(name):
    return json.load(open(name + ".json"))
def rate(data):
    return max((f["mean_bytes_s"] for f in data["flows"] if f["name"] == name), default=0)
both = load(together)
truth = rate(load(alone)) - rate(both)
number = [f["flow"] for f in both["flows"] if f["name"] == name][0]
hops = [at for link in both["topology"]["links"] for at in link["flows"] if at["flow"] == number]
said = sum(at["lost_bytes_s"] for at in hops)
least = sum(at["lost_least_bytes_s"] for at in hops)
print("%s lost %.1f MB/s of %.1f, the report estimates %.1f to %.1f" %
      (name, truth / 1e6, rate(load(alone)) / 1e6, least / 1e6, said / 1e6))
if not 0 < least <= min(said, float(high) * truth):
    sys.exit(1)
if not float(low) * truth <= said <= float(high) * truth + 1e6:
    sys.exit(1)
END
}

for pairs in "10" "20" "10 20" "10 20 30"; do
    # shellcheck disable=SC2086
    crowd $pairs
done
lost crowd.10-20 crowd.10 "1 -> 0" 0.8 1.3 || fail "the loss of two flows"
lost crowd.10-20-30 crowd.20 "2 -> 0" 0.8 1.3 || fail "the loss of three flows"
"$gmsim" report crowd.10-20 --text > text
grep -Eq '^- Port 0 of switch 0 \(to node 1\) was saturated for [0-9]+ % of the run[.].* Contention on this link reduced the bandwidth of [0-9]+ flows[.]' text ||
    { cat text; fail "the link is not found"; }

cat > cable.yaml <<'END'
hosts: 4
topology: cascade
hosts_per_switch: 2
profile: myrinet2000
parameters:
  link_bytes_s: 120000000
  qos_link_bytes_s: 100000000
END
export GMSIM_CLUSTER=cable.yaml
rm -r crowd.20
crowd 20
mv crowd.20.json cable.20.json
crowd 20 31
lost crowd.20-31 cable.20 "2 -> 0" 0.7 1.4 || fail "the loss on a cable"
"$gmsim" report crowd.20-31 --text > text
grep -Eq '^- Port [0-9]+ of switch 1 \(to switch 0\) was saturated' text || { cat text; fail "the cable"; }

# two routes share two links of a mesh
cat > mesh.yaml <<'END'
hosts: 16
topology: mesh
rows: 4
columns: 4
profile: myrinet2000
parameters:
  link_bytes_s: 80000000
  qos_link_bytes_s: 70000000
END
export GMSIM_CLUSTER=mesh.yaml
ranks=8
for pairs in "03" "03 17"; do
    # shellcheck disable=SC2086
    crowd $pairs
done
lost crowd.03-17 crowd.03 "0 -> 3" 0.8 1.25 || fail "the loss on a mesh"

# two flows that lead to two ranks on one host share the host's NIC
cat > pairs.yaml <<'END'
hosts: 3
ranks_per_host: 2
profile: myrinet2000
END
export GMSIM_CLUSTER=pairs.yaml
ranks=6
for pairs in "20" "20 41"; do
    rm -rf "crowd.${pairs// /-}"
    # shellcheck disable=SC2086
    crowd $pairs
done
lost crowd.20-41 crowd.20 "2 -> 0" 0.8 1.25 || fail "the loss before a NIC"
ranks=4
unset GMSIM_CLUSTER

# --- a killed run: the report is printed, and states that the record is incomplete ---
killed_run killed
"$gmsim" report killed > out || { cat out; fail "no report of a killed run"; }
"$gmsim" report killed --text > text
grep -q 'incomplete: the run was killed' text || { cat text; fail "the report does not state it"; }
grep -Eq '^0 -> 1 +unregulated +[1-9]' text || { cat text; fail "flows of a killed run"; }

# --- directories without a record ---
status=0
"$gmsim" report nowhere > out 2>&1 || status=$?
[ $status = 2 ] || fail "status $status"
grep -q "^gmsim report: nowhere: the directory has no record of a run" out || { cat out; fail "no record"; }
cp -r demo newer
sed -i 's/"schema": [0-9]*/"schema": 99/' newer/record.json
"$gmsim" report newer > out 2>&1 && fail "a record of a later version"
grep -q "newer/record.json: key 'schema' is 99, written by a newer gmqos" out || { cat out; fail "later"; }
[ "$(ls newer)" = "$(ls demo)" ] || fail "a file remains"
if [ -c /dev/full ]; then
    "$gmsim" report demo -o /dev/full > out 2>&1 && fail "a full disk"
    grep -q "cannot write '/dev/full'" out || { cat out; fail "a full disk"; }
fi

# --- the page and gmsim topo draw all kinds of networks at the same positions ---
printf 'topology: cascade\nhosts: 40\n' > cascade.yaml
printf 'topology: fat-tree\nhosts: 32\nhosts_per_switch: 8\ntree_up: 4\n' > fat-tree.yaml
printf 'topology: torus\nhosts: 32\nhosts_per_switch: 2\n' > torus.yaml
printf 'topology: mesh\nhosts: 64\nhosts_per_switch: 16\nswitch_ports: 32\n' > full-mesh.yaml
printf 'hosts: 4\nparameters:\n  units_per_host: 2\n' > units.yaml
cat > graph.yaml <<'END'
hosts: 4
topology: graph
switches: [8, 8, 8, 8, 8]
cables:
  - host 1 to switch 0
  - host 2 to switch 0
  - host 3 to switch 2
  - host 4 to switch 3
  - switch 0 to switch 1
  - switch 1 to switch 2
  - switch 1 to switch 2
  - switch 2 to switch 3
  - switch 3 to switch 4
  - switch 4 to switch 0
END
for file in *.yaml "$GMQOS_SRCDIR"/clusters/*.yaml; do
    name=${file##*/}
    name=drawn.${name%.yaml}
    GMSIM_CLUSTER=$file GMSIM_RECORD=$name mpirun -n 2 ./named > /dev/null
    "$gmsim" report "$name" --json > "$name.json"
    "$gmsim" topo "$file" --dot "$name.dot"
    python3 "$GMQOS_SRCDIR/tests/system/positions.py" "$name.dot" "$name.json" ||
        fail "positions of $file"
done
finish
