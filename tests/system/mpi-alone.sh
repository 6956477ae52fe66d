#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests programs whose processes or threads could harm their own job: forked children that
# end in various ways, MPI_Init in a thread that ends, and many unreceived messages.
set -euo pipefail
. "$GMQOS_SRCDIR/tests/system/lib.sh"
fail_shows=out
export GMSIM_CLOCK=real # ranks sleep until other processes have noticed an event

cat > alone.c << 'END'
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void ring(int rank, int size)
{
    int word = rank, got = -1;
    MPI_Sendrecv(&word, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (got != (rank + size - 1) % size)
        MPI_Abort(MPI_COMM_WORLD, 9);
}

/* children end by exit(), with any status, and by a signal */
static void fork_children(int rank, int size)
{
    for (int how = 0; how < 4; how++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            if (how == 3)
                abort();
            exit(how);
        }
        waitpid(child, &status, 0);
        if (how < 3 && (!WIFEXITED(status) || WEXITSTATUS(status) != how)) {
            fprintf(stderr, "a child that ends with %d has status %x\n", how, (unsigned) status);
            MPI_Abort(MPI_COMM_WORLD, 8);
        }
        ring(rank, size);
    }
}

static void *start(void *provided)
{
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, provided);
    return NULL;
}

/* more than twice the interval of the checks for dead ranks */
static void outlive_thread(int rank, int size)
{
    for (int i = 0; i < 10; i++) {
        usleep(30000);
        ring(rank, size);
    }
}

static void pile_up(int rank, int count)
{
    int word;
    if (rank == 0) {
        for (int i = 0; i < count; i++)
            MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        MPI_Send(&count, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Recv(&word, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < count; i++) {
            MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (word != i)
                MPI_Abort(MPI_COMM_WORLD, 7);
        }
    }
}

int main(int argc, char **argv)
{
    int rank, size, provided;
    pthread_t thread;
    if (strcmp(argv[1], "thread") == 0) {
        pthread_create(&thread, NULL, start, &provided);
        pthread_join(thread, NULL);
    } else {
        MPI_Init(&argc, &argv);
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(argv[1], "fork") == 0)
        fork_children(rank, size);
    if (strcmp(argv[1], "thread") == 0)
        outlive_thread(rank, size);
    if (strcmp(argv[1], "kill") == 0 && rank == 1) {
        usleep(200000);
        abort();
    }
    if (strcmp(argv[1], "pile") == 0)
        pile_up(rank, atoi(argv[2]));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf("%s: fine\n", argv[1]);
    return 0;
}
END
mpicc -pthread -o alone alone.c

# fine RANKS WHAT..: check that the job succeeds and prints only "WHAT: fine"
fine()
{
    local ranks=$1 status=0
    shift
    timeout 300 mpirun -n "$ranks" ./alone "$@" > out 2>&1 || status=$?
    [ "$status" = 0 ] || fail "$*: status $status"
    [ "$(cat out)" = "$1: fine" ] || fail "$*: unexpected output"
}
fine 3 fork
fine 3 thread
fine 2 pile 300000

# The death of a rank must be detected even if the thread that called MPI_Init has ended.
cat > late.c << 'END'
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *start(void *provided)
{
    MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, provided);
    return NULL;
}
int main(void)
{
    int rank, provided;
    pthread_t thread;
    pthread_create(&thread, NULL, start, &provided);
    pthread_join(thread, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    usleep(300000);
    if (rank == 1)
        abort();
    for (;;)
        MPI_Barrier(MPI_COMM_WORLD);
}
END
mpicc -pthread -o late late.c
status=0
timeout 60 mpirun -n 3 ./late > out 2>&1 || status=$?
[ "$status" = 6 ] || fail "late: status $status, expected 6"
grep -q "^mpiexec: rank 1 (process [0-9]*) was killed by signal 6" out || fail "late: rank 1 is not named"
! grep -q "rank [02] (process [0-9]*) died" out || fail "late: other ranks are reported as dead"
finish
