#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the placement of ranks by the cluster description and by mpirun's options, refused
# placements, the simulated host that ranks observe, and communication within a host.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_ends_test=yes
unset GMSIM_CLUSTER GMSIM_HOSTS GMSIM_PPN

cat > who.c << 'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    static char names[64][MPI_MAX_PROCESSOR_NAME];
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int rank, size, length;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(name, &length);
    MPI_Gather(name, sizeof(name), MPI_CHAR, names, sizeof(name), MPI_CHAR, 0,
               MPI_COMM_WORLD);
    for (int i = 0; i < size && rank == 0; ++i)
        printf("%s%s", strncmp(names[i], "node", 4) == 0 ? names[i] + 4 : "?",
               i + 1 < size ? " " : "\n");
    MPI_Finalize();
    return 0;
}
END
mpicc -o who who.c

# sits EXPECTED OPTIONS..: check the hosts of ranks 0, 1, ..
sits()
{
    local expected=$1
    shift
    timeout 60 mpirun "$@" > out 2>&1 || { cat out; fail "$*: status $?"; }
    [ "$(cat out)" = "$expected" ] || { cat out; fail "$*: expected $expected"; }
    echo "ok: ${GMSIM_CLUSTER:-default}, $*: $expected"
}

# refused TEXT OPTIONS..: check that the status is not 0 and that the message contains the
# text
refused()
{
    local text=$1
    shift
    if timeout 60 mpirun "$@" > out 2>&1; then
        fail "$*: status 0"
    fi
    grep -qF -- "$text" out || { cat out; fail "$*: no '$text'"; }
    echo "ok: $*: $(grep -m 1 -F -- "$text" out)"
}

printf 'node3:2\n# all others\nnode1\n' > hosts
sits "1 2 3" -n 3 ./who
sits "1 1 2 2 3" -ppn 2 -n 5 ./who
sits "1 1" -ppn 2 ./who
sits "3 1 3" -hosts node3,node1 -n 3 ./who
sits "3 3 1 3" -hosts node3:2,node1 -n 4 ./who
sits "3 3 1" -hosts node3:2,node1 ./who
sits "3 1 3 1" -rr -hosts node3:2,node1 -n 4 ./who
sits "3 3 1 3" -f hosts -n 4 ./who
HYDRA_HOST_FILE=hosts sits "3 3 1 3" -n 4 ./who
sits "2 2 5" -hosts node2:2,node5 -n 2 ./who : -n 1 ./who
# the hosts of a batch system are not simulated hosts
SLURM_JOBID=1 SLURM_NODELIST='big[1-2]' SLURM_NNODES=2 HYDRA_LAUNCHER=slurm \
    sits "1 2" -n 2 ./who

printf 'hosts: 3\nranks_per_host: 2\nplacement: cyclic\n' > cyclic.yaml
printf 'hosts: 4\nplacement: {node1: [0, 3], node2: 1..2, node4: 4}\n' > drawn.yaml
export GMSIM_CLUSTER=cyclic.yaml
sits "1 2 3 1 2" -n 5 ./who
sits "1 1 1" -ppn 3 -n 3 ./who
refused "has 7 ranks, but the cluster has room for 6" -n 7 ./who
export GMSIM_CLUSTER=drawn.yaml
sits "1 2 2 1 4" -n 5 ./who
sits "1 2" -n 2 ./who
sits "4 3" -hosts node4,node3 -n 2 ./who
GMSIM_HOSTS=node3 GMSIM_PPN=2 sits "3 3" -n 2 ./who
refused "has 6 ranks, but the placement in the cluster description" -n 6 ./who
refused "'node5' is not a host of the cluster; allowed: node1..node4" -hosts node5 -n 1 ./who
refused "6 would run on node2" -hosts node2 -n 6 ./who
unset GMSIM_CLUSTER
refused "'node1:0' has no valid number of ranks" -hosts node1:x -n 1 ./who
refused "-ppn x: not a number of ranks; allowed: 1 or more" -ppn x -n 1 ./who
for number in abc 0 -3 2x 99999999999; do
    refused "-n $number: not a number of ranks; allowed: 1 or more" -n "$number" ./who
done
refused "-n (no value): not a number of ranks" -n
refused "the command line names no program" -n 2
refused "the command line names no program"
refused "the option '-badopt' is unknown; 'mpirun --help' lists all options" -badopt 2 ./who
refused "-bind-to core: " -bind-to core -n 1 ./who
refused "-map-by socket: " -map-by socket -n 1 ./who
refused "-launcher ssh: all processes run on this machine" -launcher ssh -n 1 ./who
refused "-rmk slurm: " -rmk slurm -n 1 ./who
refused "-skip-launch-node: " -skip-launch-node -n 1 ./who
sits "1" -bind-to none -n 1 ./who

# the hosts of modern networks run many ranks each
printf 'profile: edr\nhosts: 2\nranks_per_host: 16\n' > many.yaml
many_of_1=$(printf '1 %.0s' {1..16})
many_of_2=$(printf '2 %.0s' {1..16})
GMSIM_CLUSTER=many.yaml sits "$many_of_1${many_of_2% }" -n 32 ./who
# a trace identifies each message by its sender's node and port
printf 'hosts: 2\nranks_per_host: 16\nparameters: {gm_ports: 19}\n' > many.yaml
GMSIM_TRACE=log.csv GMSIM_CLUSTER=many.yaml mpirun -n 32 ./who > /dev/null
awk -F, '$3 == "message" { ++count; split($2, id, /[.-]/)
        wrong += id[1] != $6 || id[2] != $7; high += $7 > 16 }
    END { exit !(count > 0 && high > 0 && wrong == 0) }' log.csv ||
    fail "log.csv: messages are not named by their sender"
printf 'profile: edr\nhosts: 2\nplacement: {node1: 0..7, node2: 8..15}\n' > many.yaml
GMSIM_CLUSTER=many.yaml sits "$(printf '1 %.0s' {1..8})2 2 2 2 2 2 2 2" -n 16 ./who
printf 'profile: roce-25\nhosts: 2\n' > many.yaml
GMSIM_CLUSTER=many.yaml sits "${many_of_2% }" -hosts node2:16 -n 16 ./who
printf 'profile: edr\nhosts: 2\nranks_per_host: 254\n' > many.yaml
GMSIM_CLUSTER=many.yaml refused "value '254' is out of range; allowed: 1..253 ranks" -n 1 ./who

# GM programs are placed like MPI programs
GMSIM_HOSTS=node7,node2 mpirun -n 2 gm-pingpong > out || fail "gm-pingpong"
gmsim config check drawn.yaml | tee out
grep -q '^  node2: 1\.\.2$' out || fail "check: node2"
grep -q '^  node1: 0 3$' out || fail "check: node1"

# --- results of hwloc before MPI_Init and in MPICH --------------------------------
cat > see.c << 'END'
#include <hwloc.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
    hwloc_topology_t topology;
    int rank, cores, is_ours;
    hwloc_topology_init(&topology);
    hwloc_topology_load(topology);
    cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    is_ours = !hwloc_topology_is_thissystem(topology);
    if (argc > 2)
        hwloc_topology_export_xml(topology, argv[2], 0);
    hwloc_topology_destroy(topology);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf(is_ours ? "%d cores" : "real", cores);
    if (argc > 1 && argv[1][0] != '-') {
        MPI_Comm part;
        MPI_Info info;
        int size = 0;
        MPI_Info_create(&info);
        MPI_Info_set(info, "mpi_hw_resource_type", argv[1]);
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &part);
        if (part != MPI_COMM_NULL)
            MPI_Comm_size(part, &size);
        if (rank == 0)
            printf(", %d in a %s", size, argv[1]);
    }
    if (rank == 0)
        printf("\n");
    MPI_Finalize();
    return 0;
}
END
# shellcheck disable=SC2046 # flags
mpicc -o see see.c $(pkg-config --cflags --libs hwloc)
sees()
{
    local expected=$1
    shift
    timeout 60 "$@" > out 2>&1 || { cat out; fail "$*: status $?"; }
    [ "$(cat out)" = "$expected" ] || { cat out; fail "$*: expected $expected"; }
    echo "ok: ${GMSIM_CLUSTER:-default}, $*: $expected"
}
sees "1 cores" mpirun -n 2 ./see
sees "1 cores" ./see
printf 'host_topology: "pack:2 core:2 pu:1"\nranks_per_host: 4\n' > smp.yaml
export GMSIM_CLUSTER=smp.yaml
sees "4 cores, 1 in a core" mpirun -n 8 ./see core
sees "4 cores, 2 in a package" mpirun -n 8 ./see package
mkdir -p aside
printf 'host_topology: three.xml\n' > aside/file.yaml
HWLOC_SYNTHETIC="pack:1 core:3 pu:1" sees "3 cores" mpirun -n 1 ./see - aside/three.xml
GMSIM_CLUSTER=aside/file.yaml sees "3 cores" mpirun -n 2 ./see
printf 'host_topology: real\n' > real.yaml
GMSIM_CLUSTER=real.yaml sees "real" mpirun -n 2 ./see
printf 'hosts: 2\nhost_topology: "pack:0 core:1"\n' > wrong.yaml
GMSIM_CLUSTER=wrong.yaml refused "wrong.yaml:2: key 'host_topology': value 'pack:0 core:1' is not a topology that hwloc can read" -n 1 ./see
unset GMSIM_CLUSTER

# --- messages within a host -------------------------------------------------------
cat > near.c << 'END'
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char data[1 << 20];
static double trip(int rank, int other, int length)
{
    double start = MPI_Wtime();
    for (int i = 0; i < 10; ++i) {
        if (rank == 0) {
            MPI_Send(data, length, MPI_CHAR, other, 0, MPI_COMM_WORLD);
            MPI_Recv(data, length, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == other) {
            MPI_Recv(data, length, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, length, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - start) / 20;
}
static void ask(int rank, int peer)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT, *answer;
    int found;
    if (rank != 0)
        return;
    flow.peer = peer;
    flow.bandwidth = 10e6;
    MPI_Comm_set_attr(MPI_COMM_WORLD, MPIQOS_FLOW, &flow);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPIQOS_FLOW, &answer, &found);
    printf("%s: %.40s\n", MPIQOS_State_name(answer->state), answer->reason);
}
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double small = trip(rank, 1, 8), large = trip(rank, 1, sizeof(data));
    if (rank == 0)
        printf("%.3f us, %.3f MB/s\n", small * 1e6, sizeof(data) / large / 1e6);
    ask(rank, 1);
    ask(rank, 2);
    ask(rank, 1);
    ask(rank, MPIQOS_ALL_PEERS);
    MPI_Finalize();
    return 0;
}
END
mpicc -o near near.c -lmpiqos
mpirun -hosts node2:2,node1 -n 3 ./near | tee memory.out
mpirun -hosts node2:2,node1 -n 3 ./near > again.out
cmp memory.out again.out || fail "near: the second run differs"
printf 'intra_host: nic\n' > nic.yaml
GMSIM_CLUSTER=nic.yaml mpirun -hosts node2:2,node1 -n 3 ./near | tee nic.out
[ "$(sed -n '2,$s/:.*//p' memory.out | xargs)" = "unsupported granted unsupported granted" ] ||
    fail "memory: answers"
[ "$(sed -n '2,$s/:.*//p' nic.out | xargs)" = "granted granted granted granted" ] ||
    fail "nic: answers"
# The expected bandwidth is 100 MB/s minus the announcements, and the expected latency is
# 1 us plus the cost of the calls. Messages through the NIC must take longer.
awk 'FNR == 1 { us[NR] = $1; mb[NR] = $3; n = NR }
     END { exit !(us[1] > 1 && us[1] < 15 && us[n] > 30 && mb[1] > 95 && mb[1] <= 100 && mb[n] < 60) }' \
    memory.out nic.out || fail "near: times"
