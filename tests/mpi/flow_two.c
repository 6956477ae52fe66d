/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that two communicators between the same two processes have two separate
 * flows. Each flow must achieve its own reservation while both flows send.
 */
#include "check.h"

#include <math.h>

enum {
    FLOWS = 2,
    SIZE = 65536,
    MESSAGES = 60,
    WINDOW = 4,
    WARM_UP = 8
};

static MPI_Comm stream[FLOWS];
static char buffer[FLOWS * WINDOW][SIZE];
static double arrival[FLOWS][MESSAGES];

/*
 * Keep WINDOW messages of each flow in flight, and record the time at which
 * each flow has finished.
 */
static void stream_all(void)
{
    MPI_Request request[FLOWS * WINDOW];
    int started[FLOWS] = {0};
    int done[FLOWS] = {0};

    for (int next = 0, slot; next >= 0;) {
        int flow;

        if (next < FLOWS * WINDOW) {
            slot = next++;
            flow = slot % FLOWS;
        } else {
            MPI_Waitany(FLOWS * WINDOW, request, &slot, MPI_STATUS_IGNORE);
            if (slot == MPI_UNDEFINED) {
                return;
            }
            flow = slot % FLOWS;
            arrival[flow][done[flow]++] = MPI_Wtime();
        }
        if (started[flow]++ >= MESSAGES) {
            continue;
        }
        if (check_rank == 0) {
            MPI_Isend(buffer[slot], SIZE, MPI_BYTE, 1, 0, stream[flow],
                      &request[slot]);
        } else {
            MPI_Irecv(buffer[slot], SIZE, MPI_BYTE, 0, 0, stream[flow],
                      &request[slot]);
        }
    }
}

static void check_rate(int flow, double expected, double end)
{
    int last = WARM_UP;
    double rate;

    while (last + 1 < MESSAGES && arrival[flow][last + 1] <= end) {
        ++last;
    }
    rate = (last - WARM_UP) * (double)SIZE /
           (arrival[flow][last] - arrival[flow][WARM_UP]);
    CHECK(fabs(rate / expected - 1) < 0.02,
          "flow %d: %.3f MB/s, expected %.3f MB/s", flow, rate / MB,
          expected / MB);
}

int main(int argc, char **argv)
{
    const double asked[FLOWS] = {10 * MB, 25 * MB};

    check_start(&argc, &argv);
    for (int i = 0; i < FLOWS; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &stream[i]);
        if (check_rank == 0) {
            MPIQOS_Flow *flow = ask(stream[i], 1, asked[i]);

            CHECK(flow->state == MPIQOS_GRANTED, "%s", flow->reason);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    stream_all();
    if (check_rank == 1) {
        double end = fmin(arrival[0][MESSAGES - 1], arrival[1][MESSAGES - 1]);

        check_rate(0, asked[0], end);
        check_rate(1, asked[1], end);
    }
    for (int i = 0; i < FLOWS; ++i) {
        MPI_Comm_free(&stream[i]);
    }
    return check_end();
}
