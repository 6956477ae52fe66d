/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the counters of the simulated network through MPI_T. Rank 0 reserves 40
 * MB/s to rank 1, sends 10 messages of 64 KB to every other rank, and prints
 * the counters of its NIC and of its flows. MPI_T provides the names and the
 * descriptions of the counters.
 *
 *     mpirun -n 2 ./counters
 *
 * The output contains one line for each counter. A counter of the NIC has one
 * value; a counter of flows has one value for each receiving rank. */
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
#include <string.h>

enum {
    MESSAGES = 10,
    LENGTH = 65536,
    MOST = 128,
    RANKS = 16
};

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handles[MOST];
static int elements[MOST]; /* number of values of each variable; 0: the variable
                              is not used */

static void info(int i, char name[64], char text[512], MPI_Datatype *type,
                 int *bind)
{
    int name_len = 64, text_len = 512, verbosity, var_class, ro, cont, atomic;
    MPI_T_enum unused;

    MPI_T_pvar_get_info(i, name, &name_len, &verbosity, &var_class, type,
                        &unused, text, &text_len, bind, &ro, &cont, &atomic);
}

/* Allocate a handle for each variable whose name begins with "gm_". Variables
 * of flows are bound to a communicator and have one value for each of its
 * ranks. */
static void watch(MPI_Comm *comm, int count)
{
    char name[64], text[512];
    MPI_Datatype type;
    int bind;

    for (int i = 0; i < count; ++i) {
        info(i, name, text, &type, &bind);
        if (strncmp(name, "gm_", 3) == 0)
            MPI_T_pvar_handle_alloc(session, i,
                                    bind == MPI_T_BIND_MPI_COMM ? comm : NULL,
                                    &handles[i], &elements[i]);
    }
}

static void print(int i)
{
    union {
        unsigned long long count[RANKS];
        double real[RANKS];
    } value;
    char name[64], text[512];
    MPI_Datatype type;
    int bind;

    info(i, name, text, &type, &bind);
    MPI_T_pvar_read(session, handles[i], &value);
    printf("%-30s", name);
    for (int k = 0; k < elements[i]; ++k)
        if (type == MPI_DOUBLE)
            printf(" %10.4g", value.real[k]);
        else
            printf(" %10llu", value.count[k]);
    puts("");
}

/* Rank 0 sends to all other ranks at the same time. The receivers post all
 * receives in advance. Otherwise, each message would wait until the receiver
 * has handled the previous message. */
static void transfer(MPI_Comm comm, int rank, int size)
{
    static char buffer[MESSAGES][LENGTH];
    MPI_Request request[MESSAGES * RANKS];
    int n = 0;

    for (int i = 0; i < MESSAGES && rank > 0; ++i)
        MPI_Irecv(buffer[i], LENGTH, MPI_BYTE, 0, 0, comm, &request[n++]);
    for (int i = 0; i < MESSAGES * (size - 1) && rank == 0; ++i)
        MPI_Isend(buffer[0], LENGTH, MPI_BYTE, i % (size - 1) + 1, 0, comm,
                  &request[n++]);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;
    int rank, size, provided, count;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_T_pvar_get_num(&count);
    if (size < 2 || size > RANKS || count > MOST) {
        fprintf(stderr, "counters: requires 2 to %d processes (mpirun -n 2)\n",
                RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    flow.peer = 1;
    flow.bandwidth = 40e6;
    if (rank == 0) {
        MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);
        MPI_T_pvar_session_create(&session);
        watch(&comm, count);
        MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES);
    }
    transfer(comm, rank, size);
    if (rank == 0) {
        MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES);
        for (int i = 0; i < count; ++i)
            if (elements[i] > 0)
                print(i);
        MPI_T_pvar_session_free(&session);
    }
    MPI_Comm_free(&comm);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
