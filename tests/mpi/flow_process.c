/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that the sum of all reservations to one process never exceeds the
 * bandwidth that the process can receive. A request that exceeds this limit is
 * denied, and the answer contains the limit. The granted reservations achieve
 * their bandwidths simultaneously.
 */
#include "check.h"

#include <math.h>
#include <string.h>

enum {
    SENDERS = 2,
    SIZE = 65536,
    MESSAGES = 120,
    WINDOW = 8,
    WARM_UP = 16
};

static char buffer[SENDERS * WINDOW][SIZE];
static double arrival[SENDERS][MESSAGES];

static void send_all(MPI_Comm comm)
{
    MPI_Request request[WINDOW];
    MPI_Status status[WINDOW];

    for (int i = 0; i < MESSAGES; ++i) {
        int slot = i % WINDOW;

        if (i >= WINDOW) {
            MPI_Wait(&request[slot], MPI_STATUS_IGNORE);
        }
        MPI_Isend(buffer[slot], SIZE, MPI_BYTE, 0, 0, comm, &request[slot]);
    }
    MPI_Waitall(WINDOW, request, status);
}

static void receive_all(MPI_Comm comm)
{
    MPI_Request request[SENDERS * WINDOW];
    int posted[SENDERS] = {0};
    int done[SENDERS] = {0};

    for (int slot = 0; slot < SENDERS * WINDOW; ++slot) {
        int sender = slot % SENDERS;

        ++posted[sender];
        MPI_Irecv(buffer[slot], SIZE, MPI_BYTE, 1 + sender, 0, comm,
                  &request[slot]);
    }
    for (;;) {
        int slot, sender;

        MPI_Waitany(SENDERS * WINDOW, request, &slot, MPI_STATUS_IGNORE);
        if (slot == MPI_UNDEFINED) {
            return;
        }
        sender = slot % SENDERS;
        arrival[sender][done[sender]++] = MPI_Wtime();
        if (posted[sender]++ < MESSAGES) {
            MPI_Irecv(buffer[slot], SIZE, MPI_BYTE, 1 + sender, 0, comm,
                      &request[slot]);
        }
    }
}

static void check_rates(const double *asked)
{
    double begin = fmax(arrival[0][WARM_UP], arrival[1][WARM_UP]);
    double end = fmin(arrival[0][MESSAGES - 1], arrival[1][MESSAGES - 1]);

    for (int i = 0; i < SENDERS; ++i) {
        int first = 0;
        int last;
        double rate;

        while (arrival[i][first] < begin) {
            ++first;
        }
        for (last = first; last + 1 < MESSAGES && arrival[i][last + 1] <= end;
             ++last) {
        }
        rate = (last - first) * (double)SIZE /
               (arrival[i][last] - arrival[i][first]);
        CHECK(fabs(rate / asked[i] - 1) < 0.02,
              "rank %d: received %.3f MB/s, requested %.3f MB/s", i + 1,
              rate / MB, asked[i] / MB);
    }
}

/*
 * Rank 1 has reserved 30 of the 50 MB/s that rank 0 can receive. @return the
 * bandwidth that is granted to rank 2
 */
static double check_second(MPI_Comm comm)
{
    MPIQOS_Flow *flow = ask(comm, 0, 30 * MB);
    double left = flow->left;

    CHECK(flow->state == MPIQOS_DENIED, "30 + 30 granted");
    CHECK(flow->criterion == MPIQOS_CRITERION_DESTINATION_PROCESS, "%s",
          MPIQOS_Criterion_name(flow->criterion));
    CHECK(strcmp(flow->place, "rank 0") == 0, "%s", flow->place);
    CHECK(left > 19 * MB && left < 21 * MB, "%g left", left);
    CHECK(ask(comm, 0, left * 1.02)->state == MPIQOS_DENIED,
          "more than the remaining bandwidth was granted");
    flow = ask(comm, 0, left);
    CHECK(flow->state == MPIQOS_GRANTED,
          "a request for the remaining bandwidth was not granted: %s",
          flow->reason);
    return left;
}

int main(int argc, char **argv)
{
    double asked[SENDERS] = {30 * MB, 0};
    MPI_Comm comm;

    check_start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (check_rank == 1) {
        MPIQOS_Flow *flow = ask(comm, 0, asked[0]);

        CHECK(flow->state == MPIQOS_GRANTED, "%s", flow->reason);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 2) {
        asked[1] = check_second(comm);
    }
    MPI_Bcast(&asked[1], 1, MPI_DOUBLE, 2, MPI_COMM_WORLD);
    if (check_rank == 0) {
        receive_all(comm);
        check_rates(asked);
    } else if (check_rank <= SENDERS) {
        send_all(comm);
    }
    /* another rank must be able to reserve the released bandwidth */
    if (check_rank == 1) {
        MPI_Comm_delete_attr(comm, MPIQOS_FLOW);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 2) {
        MPIQOS_Flow *flow = ask(comm, 0, 49 * MB);

        CHECK(flow->state == MPIQOS_GRANTED, "%s", flow->reason);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    return check_end();
}
