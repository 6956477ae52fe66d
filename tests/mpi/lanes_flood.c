/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests a reservation during a flood. The ranks in the first half send to the
 * ranks in the second half as fast as possible. Only rank 0 has a reservation.
 * If the two halves are on different switches, the cable between these switches
 * is saturated.
 *
 * usage: lanes_flood [MB/s [-v]]. MB/s is the requested bandwidth, 30 by
 * default. With -v, print the achieved bandwidth, and check only the bytes
 */
#include "check.h"

#include <math.h>
#include <string.h>

enum {
    SIZE = 65536,
    MESSAGES = 60,
    WINDOW = 4,
    WARM_UP = 8,
    FLOODS = 2
};

static MPI_Comm premium;
static unsigned char buffer[WINDOW][SIZE];
static double arrival[MESSAGES * FLOODS];

/* Keep WINDOW messages in flight. Each byte of a message contains the number of
 * the message. */
static void stream(MPI_Comm comm, int peer, int sends, int messages)
{
    MPI_Request request[WINDOW];
    int next, started = 0, done = 0;

    for (next = 0; next < WINDOW; ++next) {
        request[next] = MPI_REQUEST_NULL;
    }
    for (; done < messages; ++started) {
        int slot = started % WINDOW;

        if (request[slot] != MPI_REQUEST_NULL) {
            MPI_Wait(&request[slot], MPI_STATUS_IGNORE);
            CHECK(sends ||
                      (buffer[slot][0] == (unsigned char)done &&
                       memcmp(buffer[slot], buffer[slot] + 1, SIZE - 1) == 0),
                  "message %d has incorrect data, beginning with the byte %d",
                  done, buffer[slot][0]);
            arrival[done++] = MPI_Wtime();
        }
        if (started >= messages) {
            continue;
        }
        if (sends) {
            memset(buffer[slot], started, SIZE);
            MPI_Isend(buffer[slot], SIZE, MPI_BYTE, peer, 0, comm,
                      &request[slot]);
        } else {
            MPI_Irecv(buffer[slot], SIZE, MPI_BYTE, peer, 0, comm,
                      &request[slot]);
        }
    }
}

static double rate(int messages)
{
    return (messages - 1 - WARM_UP) * (double)SIZE /
           (arrival[messages - 1] - arrival[WARM_UP]);
}

int main(int argc, char **argv)
{
    double asked, mine, flood, all;
    int half, sends, peer, messages, verbose;

    check_start(&argc, &argv);
    asked = (argc > 1 ? atof(argv[1]) : 30) * MB;
    verbose = argc > 2;
    half = check_size / 2;
    sends = check_rank < half;
    peer = sends ? check_rank + half : check_rank - half;
    messages = check_rank % half == 0 ? MESSAGES : MESSAGES * FLOODS;
    MPI_Comm_dup(MPI_COMM_WORLD, &premium);
    if (check_rank == 0) {
        MPIQOS_Flow *flow = ask(premium, half, asked);

        CHECK(flow->state == MPIQOS_GRANTED, "%s", flow->reason);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    stream(check_rank % half == 0 ? premium : MPI_COMM_WORLD, peer, sends,
           messages);
    mine = rate(messages);
    if (check_rank == half && !verbose) {
        CHECK(fabs(mine / asked - 1) < 0.02, "%.3f MB/s, expected %.3f",
              mine / MB, asked / MB);
    }
    flood = check_rank > half ? mine : 0;
    MPI_Reduce(&flood, &all, 1, MPI_DOUBLE, MPI_SUM, half, MPI_COMM_WORLD);
    if (check_rank == half && verbose) {
        printf("reservation %.3f MB/s, flood %.3f MB/s\n", mine / MB, all / MB);
        fflush(stdout);
    }
    MPI_Comm_free(&premium);
    return check_end();
}
