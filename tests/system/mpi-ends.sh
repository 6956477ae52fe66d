#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# How MPI jobs end when something goes wrong: with a status that is not 0, with
# the rank's name, soon, and with nothing left behind.
set -euo pipefail

cat > ends.c << 'END'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, word;
    if (strncmp(argv[1], "early", 5) == 0 && strcmp(getenv("PMI_RANK"), "1") == 0)
        exit(argv[1][5] - '0');
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "leave") == 0 && rank == 1)
        return 0;
    if (strcmp(argv[1], "deadlock") == 0)
        MPI_Recv(&word, 1, MPI_INT, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(argv[1], "abort") == 0 && rank == 1)
        abort();
    if (strcmp(argv[1], "segment") == 0 && rank == 1)
        raise(SIGSEGV);
    if (strcmp(argv[1], "exit3") == 0 && rank == 1)
        exit(3);
    if (strcmp(argv[1], "mpiabort5") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 5);
    if (strcmp(argv[1], "mpiabort0") == 0 && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(argv[1], "work") == 0 && rank == 0)
        fclose(fopen("at-work", "w"));
    while (strcmp(argv[1], "work") == 0)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
mpicc -o ends ends.c

fail()
{
    echo "FAILED: $*"
    cat out
    exit 1
}

# ends_badly TEXT ARGUMENT: status not 0, and the text on standard error
ends_badly()
{
    if timeout 100 mpirun -n 2 ./ends "$2" > out 2>&1; then
        fail "$2: status 0"
    fi
    grep -q "$1" out || fail "$2: no '$1'"
    echo "$2: $(grep -m 1 gmsim: out)"
}

ends_badly 'gmsim: rank 1: ends without MPI_Finalize' leave
ends_badly 'gmsim: deadlock' deadlock
ends_badly 'rank 1 at .* waits: receive' deadlock

# ends_with STATUS TEXT ARGUMENT: the launcher's status, and who failed
ends_with()
{
    local status=0
    timeout 100 mpirun -n 3 ./ends "$3" > out 2>&1 || status=$?
    [ "$status" = "$1" ] || fail "$3: status $status, expected $1"
    grep -q "$2" out || fail "$3: no '$2'"
    echo "$3: $(grep -m 1 "$2" out)"
}
ends_with 6 'mpiexec: rank 1 (process [0-9]*) was ended by signal 6 (Aborted)' abort
ends_with 11 'mpiexec: rank 1 (process [0-9]*) was ended by signal 11 (Segmentation fault)' segment
ends_with 3 'gmsim: rank 1: ends with status 3 without MPI_Finalize' exit3
# whatever the others do on its account, before they are killed
for _ in 1 2 3 4 5; do
    ends_with 3 'mpiexec: rank 1 (process [0-9]*) ended with status 3' exit3
done
ends_with 3 'mpiexec: rank 1 (process [0-9]*) ended with status 3' early3
ends_with 1 'mpiexec: rank 1 .* ended with status 0 before MPI_Init, which others have called' early0
ends_with 5 '^Abort(5) by rank 1 on node2 .*MPI_Abort(MPI_COMM_WORLD, 5)' mpiabort5
ends_with 0 '^Abort(0) by rank 1 on node2 ' mpiabort0

# SIGKILL of one rank: the others end and the rank is named, by the others or, where
# they were not quick enough, by the launcher. ends' process ids are told apart from
# other jobs' by the folder's name.
mkdir -p killed
cp ends killed/ends-$$
timeout 200 mpirun -n 3 ./killed/ends-$$ work > out 2>&1 &
job=$!
while [ ! -e at-work ]; do
    kill -0 "$job" || fail "kill: the job did not start"
    sleep 0.1
done
victim=$(pgrep -f "^./killed/ends-$$ work" | sed -n 2p)
kill -KILL "$victim"
status=0
wait "$job" || status=$?
[ "$status" != 0 ] || fail "kill: status 0"
[ "$status" != 124 ] || fail "kill: the others go on"
grep -E "gmsim: rank [0-2] \(process $victim\) died|mpiexec: rank [0-2] \(process $victim\) was ended by signal 9" \
    out || fail "kill: no name"
! pgrep -f "^./killed/ends-$$ work" > /dev/null || fail "kill: somebody is left"

# A process that asks the launcher and ends before the answer: the launcher lives
# on, and what the others say is not lost.
cat > mute << 'END'
#!/bin/bash
if [ "$PMI_RANK" = 0 ]; then echo "last words" >&2; touch said; exec sleep 60; fi
while [ ! -e said ]; do sleep 0.1; done
printf 'cmd=init pmi_version=1 pmi_subversion=1\ncmd=get_my_kvsname\n' >&"$PMI_FD"
printf 'cmd=get_my_kvsname\n' >&"$PMI_FD"
END
chmod +x mute
if mpirun -n 2 ./mute > out 2>&1; then
    fail "mute: status 0"
fi
grep -q '^last words$' out || fail "mute: lost"
! grep -q 'HYD' out || fail "mute: the launcher gave up"

# A scheduler that keeps no pace reserves nothing, and says so.
cat > pace.c << 'END'
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT, *answer;
    int rank, found;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    flow.bandwidth = 10e6;
    MPI_Comm_set_attr(MPI_COMM_WORLD, MPIQOS_FLOW, &flow);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPIQOS_FLOW, &answer, &found);
    if (rank == 0)
        printf("%s: %s\n", MPIQOS_State_name(answer->state), answer->reason);
    MPI_Finalize();
    return 0;
}
END
mpicc -o pace pace.c -lmpiqos
mpirun -n 2 ./pace | tee out
grep -q '^granted' out || fail "pace: not granted with rate"
printf 'profile: lanai4.3\nscheduler: packet-rr\n' > turns.yaml
GMSIM_CLUSTER=turns.yaml mpirun -n 2 ./pace | tee out
grep -q '^unsupported: .*scheduler: rate' out || fail "pace: granted without rate"
