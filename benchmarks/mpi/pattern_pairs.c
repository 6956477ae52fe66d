/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the patterns for pairs of processes: ping-pongs in one and both
 * directions, and the overheads and the gap of the LogGP model. The method of
 * measurement is the same as in Netgauge [source: Hoefler et al., Low-Overhead
 * LogGP Parameter Assessment for Modern Interconnection Networks, 2007]. In a
 * pair, the process with the even rank is the client, and the other process is
 * the server.
 */
#include "patterns.h"

#include <mpi.h>

/* Number of messages in a series of the LogGP patterns. [source: Netgauge] */
#define PATTERN_SERIES 10

static int pattern_is_client(const pattern_run_t *run)
{
    return run->rank % 2 == 0;
}

static int pattern_peer(const pattern_run_t *run)
{
    return run->rank ^ 1;
}

static void pattern_put(const pattern_run_t *run)
{
    MPI_Send(run->buffer, (int)run->bytes, MPI_BYTE, pattern_peer(run), 0,
             MPI_COMM_WORLD);
}

static void pattern_take(const pattern_run_t *run)
{
    MPI_Recv(run->buffer, (int)run->bytes, MPI_BYTE, pattern_peer(run), 0,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Compute for the given time, without any call that makes progress in MPI. */
static void pattern_compute(double time_s)
{
    double end_s = MPI_Wtime() + time_s;

    while (MPI_Wtime() < end_s) {
    }
}

double pattern_pingpong(const pattern_run_t *run)
{
    double begin_s = MPI_Wtime();

    if (pattern_is_client(run)) {
        pattern_put(run);
        pattern_take(run);
    } else {
        pattern_take(run);
        pattern_put(run);
    }
    return (MPI_Wtime() - begin_s) / 2;
}

double pattern_exchange(const pattern_run_t *run)
{
    double begin_s = MPI_Wtime();

    for (int i = 0; i < 2; ++i) {
        MPI_Sendrecv(run->buffer, (int)run->bytes, MPI_BYTE, pattern_peer(run),
                     0, run->second, (int)run->bytes, MPI_BYTE,
                     pattern_peer(run), 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return (MPI_Wtime() - begin_s) / 2;
}

/* Send `count` messages with a pause before every message except the first, and
 * wait for one answer. @return the client's time; 0 on the server */
static double pattern_series(const pattern_run_t *run, int count,
                             double pause_s)
{
    double begin_s = MPI_Wtime();

    MPI_Barrier(MPI_COMM_WORLD);
    if (!pattern_is_client(run)) {
        for (int i = 0; i < count; ++i) {
            pattern_take(run);
        }
        pattern_put(run);
        return 0;
    }
    begin_s = MPI_Wtime();
    for (int i = 0; i < count; ++i) {
        if (i > 0) {
            pattern_compute(pause_s);
        }
        pattern_put(run);
    }
    pattern_take(run);
    return MPI_Wtime() - begin_s;
}

double pattern_send_overhead(const pattern_run_t *run)
{
    double one_s = pattern_series(run, 1, 0);
    double all_s = pattern_series(run, PATTERN_SERIES, one_s);

    return (all_s - one_s) / (PATTERN_SERIES - 1) - one_s;
}

double pattern_gap(const pattern_run_t *run)
{
    double one_s = pattern_series(run, 1, 0);
    double all_s = pattern_series(run, PATTERN_SERIES, 0);

    return (all_s - one_s) / (PATTERN_SERIES - 1);
}

/* The server waits before each receive to make sure that the message has
 * arrived. */
double pattern_receive_overhead(const pattern_run_t *run)
{
    double one_s = pattern_series(run, 1, 0);
    double begin_s, mine_s = 0;

    MPI_Bcast(&one_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (pattern_is_client(run)) {
        for (int i = 0; i < PATTERN_SERIES; ++i) {
            if (i > 0) {
                pattern_compute(one_s);
            }
            pattern_put(run);
        }
        MPI_Recv(&mine_s, 1, MPI_DOUBLE, pattern_peer(run), 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        return mine_s;
    }
    pattern_take(run);
    begin_s = MPI_Wtime();
    for (int i = 1; i < PATTERN_SERIES; ++i) {
        pattern_compute(one_s);
        pattern_take(run);
    }
    mine_s = (MPI_Wtime() - begin_s) / (PATTERN_SERIES - 1) - one_s;
    MPI_Send(&mine_s, 1, MPI_DOUBLE, pattern_peer(run), 1, MPI_COMM_WORLD);
    return 0;
}
