/* SPDX-License-Identifier: BSD-3-Clause */
/* Reserves bandwidth from an MPI program. Rank 0 sends to ranks 1, 2 and 3 at
 * the same time. It reserves 40 MB/s to rank 1 and 20 MB/s to rank 2; the
 * messages to rank 3 are best effort. Only the function ask() deals with
 * bandwidth: it sets one attribute of a communicator. All other functions are
 * ordinary MPI code.
 *
 *     mpirun -n 4 ./bandwidth
 *
 * The output shows that each flow reaches its granted bandwidth. The last
 * request is too large and is denied; the reason contains the remaining
 * bandwidth. After the reservation to rank 1 is released, the best-effort flows
 * share its bandwidth. */
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>

#define MB 1e6
enum {
    RECEIVERS = 3,
    IN_FLIGHT = 4,
    SLOTS = 3 * 4,
    MESSAGE = 65536
};
enum {
    WARM_UP,
    COUNTED,
    COOL_DOWN,
    STOP
};                                             /* tags of the phases, in
                                                  chronological order */
static const double until[] = {0.1, 0.5, 0.6}; /* end time of the phase with
                                                  each tag, s */

static char buffer[IN_FLIGHT][MESSAGE];
static MPI_Comm stream[RECEIVERS];  /* one communicator for each receiver */
static MPIQOS_Flow flow[RECEIVERS]; /* requests of rank 0, one per receiver */

/* Request bandwidth from rank 0 to one receiver, and print the answer. */
static void ask(int i, int qos_class, double bandwidth)
{
    MPIQOS_Flow *answer;
    int found;

    flow[i] = (MPIQOS_Flow){.peer = i + 1,
                            .bandwidth = bandwidth,
                            .qos_class = qos_class,
                            .message_size = MESSAGE};
    MPI_Comm_set_attr(stream[i], MPIQOS_FLOW, &flow[i]);
    MPI_Comm_get_attr(stream[i], MPIQOS_FLOW, &answer, &found);
    printf("%s: %s\n", MPIQOS_State_name(answer->state), answer->reason);
}

/* Rank 0: keep several messages in flight to each receiver, then send the stop
 * messages. */
static double send_to_all(void)
{
    MPI_Request request[SLOTS];
    double start = MPI_Wtime();
    int slot, tag = WARM_UP;

    for (slot = 0; slot < SLOTS; ++slot)
        MPI_Isend(buffer[0], MESSAGE, MPI_BYTE, slot % RECEIVERS + 1, tag,
                  stream[slot % RECEIVERS], &request[slot]);
    while (tag != STOP) {
        MPI_Waitany(SLOTS, request, &slot, MPI_STATUS_IGNORE);
        MPI_Isend(buffer[0], MESSAGE, MPI_BYTE, slot % RECEIVERS + 1, tag,
                  stream[slot % RECEIVERS], &request[slot]);
        if (MPI_Wtime() > start + until[tag])
            ++tag;
    }
    for (slot = 0; slot < SLOTS; ++slot) {
        MPI_Wait(&request[slot], MPI_STATUS_IGNORE);
        MPI_Send(NULL, 0, MPI_BYTE, slot % RECEIVERS + 1, STOP,
                 stream[slot % RECEIVERS]);
    }
    return 0;
}

/* Receivers: receive messages until the stop message arrives. Return the
 * bandwidth in bytes/s of the messages that were sent while every flow still
 * had messages waiting. */
static double receive(MPI_Comm comm)
{
    MPI_Request request[IN_FLIGHT];
    MPI_Status status;
    int slot, count[STOP + 1] = {0};
    double last[STOP + 1] = {0}; /* arrival time of the last message of each
                                    tag */

    for (slot = 0; slot < IN_FLIGHT; ++slot)
        MPI_Irecv(buffer[slot], MESSAGE, MPI_BYTE, 0, MPI_ANY_TAG, comm,
                  &request[slot]);
    while (count[STOP] < IN_FLIGHT) {
        MPI_Waitany(IN_FLIGHT, request, &slot, &status);
        ++count[status.MPI_TAG];
        last[status.MPI_TAG] = MPI_Wtime();
        if (status.MPI_TAG != STOP)
            MPI_Irecv(buffer[slot], MESSAGE, MPI_BYTE, 0, MPI_ANY_TAG, comm,
                      &request[slot]);
    }
    return (double)count[COUNTED] * MESSAGE / (last[COUNTED] - last[WARM_UP]);
}

/* Return the expected bandwidth: the requested bandwidth for a premium flow,
 * and the current share for a best-effort flow. */
static double expected(int i)
{
    return (flow[i].qos_class == MPIQOS_PREMIUM) ? flow[i].bandwidth
                                                 : flow[i].granted_bandwidth;
}

static void measure(int rank)
{
    double got[RECEIVERS + 1];
    double mine = (rank == 0) ? send_to_all() : receive(stream[rank - 1]);

    MPI_Gather(&mine, 1, MPI_DOUBLE, got, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank != 0)
        return;
    for (int i = 0; i < RECEIVERS; ++i)
        MPIQOS_Flow_state(stream[i], &flow[i]); /* query the current state,
                                                   because best-effort shares
                                                   can change */
    puts("\nMB/s  class       requested granted  IDT expected achieved   diff");
    for (int i = 0; i < RECEIVERS; ++i)
        if (flow[i].state == MPIQOS_UNSUPPORTED)
            printf("0->%d  unsupported%41.2f\n", i + 1, got[i + 1] / MB);
        else
            printf("0->%d  %-11s%10.2f%8.2f%5u%9.2f%9.2f%+6.2f%%\n", i + 1,
                   MPIQOS_Class_name(flow[i].qos_class), flow[i].bandwidth / MB,
                   flow[i].granted_bandwidth / MB, flow[i].idt_ticks,
                   expected(i) / MB, got[i + 1] / MB,
                   (got[i + 1] / expected(i) - 1) * 100);
    puts("");
}

int main(int argc, char **argv)
{
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size != RECEIVERS + 1) {
        fprintf(stderr, "bandwidth: requires 4 processes (mpirun -n 4)\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < RECEIVERS; ++i)
        MPI_Comm_dup(MPI_COMM_WORLD, &stream[i]);
    if (rank == 0) {
        ask(0, MPIQOS_PREMIUM, 40 * MB);
        ask(1, MPIQOS_PREMIUM, 20 * MB);
        ask(2, MPIQOS_BEST_EFFORT, 0);
    }
    measure(rank);
    if (rank == 0) {
        ask(2, MPIQOS_PREMIUM, 30 * MB); /* this request is denied, because too
                                            little bandwidth remains */
        ask(2, MPIQOS_BEST_EFFORT, 0);
        ask(0, MPIQOS_BEST_EFFORT, 0); /* this call releases the 40 MB/s */
    }
    measure(rank);
    for (int i = 0; i < RECEIVERS; ++i)
        MPI_Comm_free(&stream[i]); /* this call releases the communicator's
                                      reservation */
    MPI_Finalize();
    return 0;
}
