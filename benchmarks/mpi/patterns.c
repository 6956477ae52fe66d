/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements the collective patterns, and lists all patterns; see patterns.h. */
#include "patterns.h"

#include <mpi.h>
#include <string.h>

/* Post one receive of a pattern. */
static void pattern_post(const pattern_run_t *run, size_t bytes, int source,
                         int tag, MPI_Request *request)
{
    MPI_Irecv(run->buffer, (int)bytes, MPI_BYTE, source, tag, MPI_COMM_WORLD,
              request);
}

static void pattern_send(const pattern_run_t *run, size_t bytes, int target,
                         int tag)
{
    MPI_Send(run->buffer, (int)bytes, MPI_BYTE, target, tag, MPI_COMM_WORLD);
}

static void pattern_wait(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Every process sends its block to every other process. Sends are blocking, so
 * a process sends one message at a time. */
static double pattern_all(const pattern_run_t *run, int is_blocking)
{
    MPI_Request *requests = run->requests;
    double begin_s = MPI_Wtime();
    int count = 0;

    for (int i = 1; i < run->size; ++i) {
        pattern_post(run, run->bytes, (run->rank + run->size - i) % run->size,
                     0, &requests[count++]);
    }
    for (int i = 1; i < run->size; ++i) {
        int target = (run->rank + i) % run->size;

        if (is_blocking) {
            pattern_send(run, run->bytes, target, 0);
        } else {
            MPI_Isend(run->buffer, (int)run->bytes, MPI_BYTE, target, 0,
                      MPI_COMM_WORLD, &requests[count++]);
        }
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
    return MPI_Wtime() - begin_s;
}

static double pattern_alltoall(const pattern_run_t *run)
{
    return pattern_all(run, 0);
}

static double pattern_alltoall_blocking(const pattern_run_t *run)
{
    return pattern_all(run, 1);
}

/* Return the length of part `index` of a block that is divided into one part
 * per process. */
static size_t pattern_part(const pattern_run_t *run, int index)
{
    size_t length = run->bytes / (size_t)run->size;

    return index < run->size - 1 ? length : run->bytes - length * (size_t)index;
}

/* Send `steps` messages to the right neighbour, and receive as many messages
 * from the left neighbour. Every message except the first depends on the
 * previously received message. */
static double pattern_around(const pattern_run_t *run, int steps,
                             size_t (*length)(const pattern_run_t *run,
                                              int index))
{
    MPI_Request *requests = run->requests;
    double begin_s = MPI_Wtime();
    int left = (run->rank + run->size - 1) % run->size;
    int right = (run->rank + 1) % run->size;

    for (int k = 0; k < steps; ++k) {
        pattern_post(run, length(run, k), left, k, &requests[k]);
    }
    pattern_send(run, length(run, 0), right, 0);
    for (int k = 1; k < steps; ++k) {
        pattern_wait(&requests[k - 1]);
        pattern_send(run, length(run, k), right, k);
    }
    pattern_wait(&requests[steps - 1]);
    return MPI_Wtime() - begin_s;
}

static double pattern_ring(const pattern_run_t *run)
{
    return pattern_around(run, run->size, pattern_part);
}

static size_t pattern_block(const pattern_run_t *run, int index)
{
    (void)index;
    return run->bytes;
}

static double pattern_ring_allgather(const pattern_run_t *run)
{
    return pattern_around(run, run->size - 1, pattern_block);
}

/* All parts have the same length; the remainder of the division is not sent. */
static size_t pattern_equal_part(const pattern_run_t *run, int index)
{
    (void)index;
    return run->bytes / (size_t)run->size;
}

static double pattern_ring_allreduce(const pattern_run_t *run)
{
    return pattern_around(run, 2 * (run->size - 1), pattern_equal_part);
}

/* In round k, every process sends to the process at a distance of 2^k. */
static double pattern_dissemination(const pattern_run_t *run)
{
    MPI_Request *requests = run->requests;
    double begin_s = MPI_Wtime();
    int rounds = 0;

    for (int far = 1; far < run->size; far *= 2) {
        pattern_post(run, run->bytes, (run->rank + run->size - far) % run->size,
                     rounds, &requests[rounds]);
        ++rounds;
    }
    for (int k = 0, far = 1; k < rounds; ++k, far *= 2) {
        if (k > 0) {
            pattern_wait(&requests[k - 1]);
        }
        pattern_send(run, run->bytes, (run->rank + far) % run->size, k);
    }
    pattern_wait(&requests[rounds - 1]);
    return MPI_Wtime() - begin_s;
}

/* In round k, every process exchanges its block with the process whose rank
 * differs only in bit k. A process without a partner skips the round. */
static double pattern_doubling(const pattern_run_t *run)
{
    double begin_s = MPI_Wtime();

    for (int bit = 1; bit < run->size; bit *= 2) {
        int peer = run->rank ^ bit;
        MPI_Request request;

        if (peer < run->size) {
            pattern_post(run, run->bytes, peer, bit, &request);
            pattern_send(run, run->bytes, peer, bit);
            pattern_wait(&request);
        }
    }
    return MPI_Wtime() - begin_s;
}

/* Broadcast from rank 0. In round k, the first 2^k ranks send to the next
 * 2^k ranks. */
static double pattern_binomial(const pattern_run_t *run)
{
    double begin_s = MPI_Wtime();
    int far = 1;

    while (far <= run->rank) {
        far *= 2;
    }
    if (run->rank > 0) {
        MPI_Request request;

        pattern_post(run, run->bytes, run->rank - far / 2, 0, &request);
        pattern_wait(&request);
    }
    for (; run->rank + far < run->size; far *= 2) {
        pattern_send(run, run->bytes, run->rank + far, 0);
    }
    return MPI_Wtime() - begin_s;
}

/* Broadcast from rank 0 along a binary tree: rank r sends to ranks 2r+1 and
 * 2r+2. */
static double pattern_binary(const pattern_run_t *run)
{
    double begin_s = MPI_Wtime();
    int child = 2 * run->rank + 1;

    if (run->rank > 0) {
        MPI_Request request;

        pattern_post(run, run->bytes, (run->rank - 1) / 2, 0, &request);
        pattern_wait(&request);
    }
    for (int i = 0; i < 2 && child + i < run->size; ++i) {
        pattern_send(run, run->bytes, child + i, 0);
    }
    return MPI_Wtime() - begin_s;
}

static double pattern_gather(const pattern_run_t *run)
{
    MPI_Request *requests = run->requests;
    double begin_s = MPI_Wtime();

    if (run->rank > 0) {
        pattern_send(run, run->bytes, 0, 0);
    } else {
        for (int i = 1; i < run->size; ++i) {
            pattern_post(run, run->bytes, i, 0, &requests[i - 1]);
        }
        MPI_Waitall(run->size - 1, requests, MPI_STATUSES_IGNORE);
    }
    return MPI_Wtime() - begin_s;
}

static double pattern_scatter(const pattern_run_t *run)
{
    double begin_s = MPI_Wtime();

    if (run->rank > 0) {
        MPI_Request request;

        pattern_post(run, run->bytes, 0, 0, &request);
        pattern_wait(&request);
    } else {
        for (int i = 1; i < run->size; ++i) {
            pattern_send(run, run->bytes, i, 0);
        }
    }
    return MPI_Wtime() - begin_s;
}

size_t pattern_requests(int size)
{
    return 2 * (size_t)size;
}

const pattern_t patterns[] = {
    {"linear_alltoall", "each process sends a block to every other process",
     PATTERN_LONGEST, 0, 0, pattern_alltoall},
    {"linear_alltoall_send", "linear_alltoall with blocking sends",
     PATTERN_LONGEST, 0, 0, pattern_alltoall_blocking},
    {"pipelinedring", "a block in N parts travels around a ring of N processes",
     PATTERN_LONGEST, 0, 0, pattern_ring},
    {"ring_allgather", "each process sends N-1 blocks to its successor",
     PATTERN_LONGEST, 0, 0, pattern_ring_allgather},
    {"ring_allreduce",
     "each process sends 2(N-1) parts to its successor, but does not add them",
     PATTERN_LONGEST, 0, 0, pattern_ring_allreduce},
    {"nwaydissemination",
     "in round k, each rank sends a block to the rank at distance 2^k",
     PATTERN_LONGEST, 0, 0, pattern_dissemination},
    {"recursive_doubling",
     "in round k, ranks that differ in bit k exchange blocks", PATTERN_LONGEST,
     0, 0, pattern_doubling},
    {"binomialtreebcast", "broadcast on a binomial tree", PATTERN_LONGEST, 0, 0,
     pattern_binomial},
    {"binarytreebcast", "broadcast on a binary tree", PATTERN_LONGEST, 0, 0,
     pattern_binary},
    {"gather", "each process sends a block to rank 0 (incast)", PATTERN_LONGEST,
     0, 0, pattern_gather},
    {"scatter", "rank 0 sends a block to every other process", PATTERN_LONGEST,
     0, 0, pattern_scatter},
    {"one_one",
     "half of a ping-pong between ranks 2i and 2i+1, all pairs at the same "
     "time",
     PATTERN_PAIRS, 1, 0, pattern_pingpong},
    {"one_one_bidirect",
     "an MPI_Sendrecv between ranks 2i and 2i+1, all pairs at the same time",
     PATTERN_PAIRS, 1, 0, pattern_exchange},
    {"loggp_o_send", "the send overhead of LogGP", PATTERN_PAIRS, 1, 1,
     pattern_send_overhead},
    {"loggp_o_receive", "the receive overhead of LogGP", PATTERN_PAIRS, 1, 1,
     pattern_receive_overhead},
    {"loggp_gap", "time between the messages of a stream: LogGP's g + sG",
     PATTERN_PAIRS, 1, 1, pattern_gap},
    {.name = NULL},
};

const pattern_t *pattern_find(const char *name)
{
    for (const pattern_t *pattern = patterns; pattern->name != NULL;
         ++pattern) {
        if (strcmp(pattern->name, name) == 0) {
            return pattern;
        }
    }
    return NULL;
}
