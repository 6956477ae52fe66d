/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-alltoall: measures the time of MPI_Alltoall on a communicator with a
 * reservation, both alone and while best-effort traffic floods the network.
 *
 * The members of the communicator are the first half of the processes. During
 * the flood, every member also sends long messages to its partner in the other
 * half. The member posts enough messages to last for the whole duration of a
 * call. The time of a call begins at a barrier and ends when the last member
 * has returned.
 */
#include "harness.h"
#include "job.h"

#include <math.h>
#include <mpi.h>
#include <mpi_qos.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Number of a flood's waiting messages, which can occupy 60 of GM's 61
 * tokens. */
#define ALLTOALL_FLOOD_WINDOW 64
/* Length of a flood's messages. A window of such messages lasts long enough for
 * a call in which a member sends at most 12 times this length. If a member
 * sends more, the messages of the flood are longer, and a window contains 18
 * times the number of bytes that the member sends in the call. */
#define ALLTOALL_FLOOD_BYTES  ((size_t)64 << 10)
#define ALLTOALL_FLOOD_ENOUGH 12
#define ALLTOALL_FLOOD_PART   3.5
#define ALLTOALL_MAX_MB_S     1e6
/* Default bandwidth that a member reserves to all other members together, in
 * each direction. With the message sizes below, the manager grants this
 * bandwidth both to 4 and to 8 members, and part of each NIC's bandwidth
 * remains for the flood. More members are granted less bandwidth, because every
 * additional flow costs a node some bandwidth. */
#define ALLTOALL_DEFAULT_BYTES_S 24e6
#define ALLTOALL_LESS            0.8
#define ALLTOALL_TRIES           12
/* Largest total number of messages in all samples, unless --iterations is
 * given. */
#define ALLTOALL_MESSAGES          8000
#define ALLTOALL_DEFAULT_MIN_BYTES ((size_t)8 << 10)
#define ALLTOALL_DEFAULT_MAX_BYTES ((size_t)32 << 10)

enum {
    ALLTOALL_TAG_FLOOD,
    ALLTOALL_TAG_STOP
};

typedef struct alltoall {
    double asked_bytes_s; /* bandwidth reserved to each other member; 0: no
                             reservation; negative: the default */
    int rank, size, members;
    MPI_Comm comm;      /* communicator of the members */
    MPI_Comm flood;     /* communicator of all processes */
    char *out, *in;     /* members x max_bytes */
    char *flood_buffer; /* all messages share this buffer, because no process
                         * reads the data */
    size_t flood_bytes; /* current length of the flood's messages */
    MPI_Request requests[ALLTOALL_FLOOD_WINDOW];
    int is_flooding;
    int ran_dry; /* number of calls during which the flood ran out of waiting
                    messages */
} alltoall_t;

static const char alltoall_doc[] =
    "Measure the time of MPI_Alltoall on a communicator that contains the "
    "first half of the processes. The call is measured twice: first alone, and "
    "then while each member floods a process in the other half with "
    "best-effort messages. Times are measured with MPI_Wtime.\v"
    "The benchmark requires at least 4 processes. For comparison, run the "
    "benchmark with --bandwidth 0. Exit status: 0 ok; 1 the benchmark failed "
    "or the reservation was denied; 2 invalid usage.\n"
    "Example: mpirun -n 8 mpi-alltoall";

static const struct argp_option alltoall_options[] = {
    {"bandwidth", 'b', "MB/S", 0,
     "MPI bandwidth that each member reserves for every other member; 0: none "
     "(default: 24 MB/s divided by the number of other members, or less if "
     "this bandwidth is denied)",
     0},
    {.name = NULL},
};

static error_t alltoall_parse(int key, char *arg, struct argp_state *state)
{
    alltoall_t *all = state->input;
    char *end;

    if (key != 'b') {
        return ARGP_ERR_UNKNOWN;
    }
    all->asked_bytes_s = 1e6 * strtod(arg, &end);
    if (end == arg || *end != '\0' || !(all->asked_bytes_s >= 0) ||
        all->asked_bytes_s > 1e6 * ALLTOALL_MAX_MB_S) {
        argp_error(state, "--bandwidth: value '%s' is invalid; allowed: 0..%g",
                   arg, ALLTOALL_MAX_MB_S);
    }
    return 0;
}

/* --- reservations ---------------------------------------------------------*/

static void alltoall_ask(MPI_Comm comm, int peer, int qos_class,
                         double bandwidth, size_t bytes, MPIQOS_Flow *answer)
{
    MPIQOS_Flow flow = MPIQOS_FLOW_INIT;

    flow.peer = peer;
    flow.qos_class = qos_class;
    flow.bandwidth = bandwidth;
    flow.message_size = (long)bytes;
    MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);
    *answer = flow;
    (void)MPIQOS_Flow_state(comm, answer);
}

static void alltoall_promise(const alltoall_t *all, size_t bytes,
                             MPIQOS_Flow *answer)
{
    alltoall_ask(all->comm, MPIQOS_ALL_PEERS, MPIQOS_PREMIUM,
                 all->asked_bytes_s, bytes, answer);
}

static void alltoall_share(const alltoall_t *all, MPIQOS_Flow *answer)
{
    alltoall_ask(all->flood, all->rank + all->members, MPIQOS_BEST_EFFORT, 0.0,
                 all->flood_bytes, answer);
}

static void alltoall_insist(const bench_t *bench, const MPIQOS_Flow *answer)
{
    if (answer->state == MPIQOS_DENIED) {
        job_die(bench->name, answer->reason);
    }
}

static void alltoall_set_flood(alltoall_t *all, size_t bytes)
{
    double messages =
        (double)bytes * (all->members - 1) / (double)ALLTOALL_FLOOD_BYTES;

    all->flood_bytes = ALLTOALL_FLOOD_BYTES;
    if (messages > ALLTOALL_FLOOD_ENOUGH) {
        all->flood_bytes *= (size_t)ceil(messages / ALLTOALL_FLOOD_PART);
    }
}

/* Return 1 if the manager grants the requests of all members and of their
 * floods. */
static int alltoall_fits(alltoall_t *all, size_t bytes)
{
    MPIQOS_Flow promise;
    MPIQOS_Flow share;
    int denied;

    alltoall_set_flood(all, bytes);
    alltoall_promise(all, bytes, &promise);
    MPI_Barrier(all->comm);
    alltoall_share(all, &share);
    denied = promise.state == MPIQOS_DENIED || share.state == MPIQOS_DENIED;
    MPI_Allreduce(MPI_IN_PLACE, &denied, 1, MPI_INT, MPI_LOR, all->comm);
    MPI_Comm_delete_attr(all->flood, MPIQOS_FLOW);
    MPI_Comm_delete_attr(all->comm, MPIQOS_FLOW);
    MPI_Barrier(all->comm);
    return !denied;
}

/* Reduce the default bandwidth in steps until the manager grants it for all
 * message sizes. If no step succeeds, the measurement reports the reason for
 * the denial. */
static void alltoall_agree(const bench_t *bench, alltoall_t *all)
{
    unsigned tries = 0;

    all->asked_bytes_s = ALLTOALL_DEFAULT_BYTES_S / (all->members - 1);
    for (size_t bytes = bench->min_bytes; bytes != 0;
         bytes = bench_next_size(bench, bytes)) {
        while (tries < ALLTOALL_TRIES && !alltoall_fits(all, bytes)) {
            all->asked_bytes_s *= ALLTOALL_LESS;
            ++tries;
        }
    }
}

/* --- the flood ------------------------------------------------------------*/

static int alltoall_is_member(const alltoall_t *all)
{
    return all->rank < all->members;
}

/* Fill the window of this member's flood. */
static void alltoall_flood(alltoall_t *all)
{
    int done[ALLTOALL_FLOOD_WINDOW];
    int count;

    MPI_Testsome(ALLTOALL_FLOOD_WINDOW, all->requests, &count, done,
                 MPI_STATUSES_IGNORE);
    for (int i = 0; i < ALLTOALL_FLOOD_WINDOW; ++i) {
        if (all->requests[i] == MPI_REQUEST_NULL) {
            MPI_Isend(all->flood_buffer, (int)all->flood_bytes, MPI_BYTE,
                      all->rank + all->members, ALLTOALL_TAG_FLOOD, all->flood,
                      &all->requests[i]);
        }
    }
}

static int alltoall_is_dry(alltoall_t *all)
{
    int done;

    MPI_Testall(ALLTOALL_FLOOD_WINDOW, all->requests, &done,
                MPI_STATUSES_IGNORE);
    return done;
}

static void alltoall_flood_end(alltoall_t *all)
{
    for (int i = 0; i < ALLTOALL_FLOOD_WINDOW; ++i) {
        MPI_Wait(&all->requests[i], MPI_STATUS_IGNORE);
    }
    MPI_Send(NULL, 0, MPI_BYTE, all->rank + all->members, ALLTOALL_TAG_STOP,
             all->flood);
}

/* Partner: receive the messages of a flood until the stop message arrives. */
static void alltoall_absorb(alltoall_t *all)
{
    int stopped = 0;

    for (int i = 0; i < ALLTOALL_FLOOD_WINDOW; ++i) {
        MPI_Irecv(all->flood_buffer, (int)all->flood_bytes, MPI_BYTE,
                  all->rank - all->members, MPI_ANY_TAG, all->flood,
                  &all->requests[i]);
    }
    while (!stopped) {
        MPI_Status status;
        int i;

        MPI_Waitany(ALLTOALL_FLOOD_WINDOW, all->requests, &i, &status);
        stopped = (status.MPI_TAG == ALLTOALL_TAG_STOP);
        if (!stopped) {
            MPI_Irecv(all->flood_buffer, (int)all->flood_bytes, MPI_BYTE,
                      all->rank - all->members, MPI_ANY_TAG, all->flood,
                      &all->requests[i]);
        }
    }
    for (int i = 0; i < ALLTOALL_FLOOD_WINDOW; ++i) {
        if (all->requests[i] != MPI_REQUEST_NULL) {
            MPI_Cancel(&all->requests[i]);
            MPI_Wait(&all->requests[i], MPI_STATUS_IGNORE);
        }
    }
}

/* --- calls ----------------------------------------------------------------*/

/* Call MPI_Alltoall on all members. @return the longest time of all members */
static double alltoall_call(alltoall_t *all, size_t bytes)
{
    double begin_s;
    double mine_s;
    double longest_s;

    if (all->is_flooding) {
        alltoall_flood(all);
    }
    MPI_Barrier(all->comm);
    begin_s = MPI_Wtime();
    MPI_Alltoall(all->out, (int)bytes, MPI_BYTE, all->in, (int)bytes, MPI_BYTE,
                 all->comm);
    mine_s = MPI_Wtime() - begin_s;
    if (all->is_flooding) {
        all->ran_dry += alltoall_is_dry(all);
    }
    MPI_Allreduce(&mine_s, &longest_s, 1, MPI_DOUBLE, MPI_MAX, all->comm);
    return longest_s;
}

typedef struct alltoall_step {
    alltoall_t *all;
    size_t bytes;
    double now_s; /* sum of the times of all calls, which serves as the
                     harness's clock */
} alltoall_step_t;

static alltoall_step_t alltoall_step;

static double alltoall_clock(void)
{
    return alltoall_step.now_s;
}

static int alltoall_run_step(void *context)
{
    alltoall_step_t *step = context;

    step->now_s += alltoall_call(step->all, step->bytes);
    return 0;
}

static void alltoall_measure(const bench_t *bench, alltoall_t *all,
                             size_t bytes)
{
    bench_result_t result;
    int dry;

    alltoall_step = (alltoall_step_t){.all = all, .bytes = bytes};
    if (bench_time_steps(bench, alltoall_run_step, &alltoall_step, bytes,
                         &result) != 0) {
        job_die(bench->name, "out of memory");
    }
    MPI_Allreduce(&all->ran_dry, &dry, 1, MPI_INT, MPI_SUM, all->comm);
    if (dry > 0) {
        job_die(bench->name,
                "a flooding process ran out of waiting messages before "
                "MPI_Alltoall returned; use a smaller --size");
    }
    /* the bandwidth of a member's messages to all other members */
    result.bandwidth_bytes_s =
        (double)bytes * (all->members - 1) / result.mean_s;
    if (all->rank == 0) {
        bench_print_row(bench, all->is_flooding ? "flood" : "alone", &result);
    }
}

static void alltoall_size(const bench_t *bench, alltoall_t *all, size_t bytes)
{
    int is_member = alltoall_is_member(all);
    MPIQOS_Flow answer;

    alltoall_set_flood(all, bytes);
    if (is_member && all->asked_bytes_s > 0) {
        alltoall_promise(all, bytes, &answer);
        alltoall_insist(bench, &answer);
    }
    all->is_flooding = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_member) {
        alltoall_measure(bench, all, bytes);
        alltoall_share(all, &answer);
        alltoall_insist(bench, &answer);
    }
    all->is_flooding = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (is_member) {
        alltoall_measure(bench, all, bytes);
        alltoall_flood_end(all);
        MPI_Comm_delete_attr(all->flood, MPIQOS_FLOW);
        if (all->asked_bytes_s > 0) {
            MPI_Comm_delete_attr(all->comm, MPIQOS_FLOW);
        }
    } else if (all->rank < 2 * all->members) {
        alltoall_absorb(all);
    }
}

/* --- the program ----------------------------------------------------------*/

static void alltoall_head(const bench_t *bench, const alltoall_t *all,
                          int is_default)
{
    double usual = ALLTOALL_DEFAULT_BYTES_S / (all->members - 1);
    char promise[160] = "without a reservation";

    if (all->asked_bytes_s > 0) {
        snprintf(
            promise, sizeof(promise),
            "each of %d members reserves %.4g MB/s for every other member%s",
            all->members, all->asked_bytes_s / 1e6,
            (is_default && all->asked_bytes_s < usual)
                ? " (the largest bandwidth that is granted to all members)"
                : "");
    }
    bench_print_head(bench, promise, "beside");
}

static void alltoall_run(const bench_t *bench, alltoall_t *all)
{
    size_t room = (size_t)all->members * bench->max_bytes;
    int is_default = (all->asked_bytes_s < 0);

    all->out = calloc(1, room);
    all->in = calloc(1, room);
    alltoall_set_flood(all, bench->max_bytes);
    all->flood_buffer = calloc(1, all->flood_bytes);
    if (all->out == NULL || all->in == NULL || all->flood_buffer == NULL) {
        job_die(bench->name, "out of memory");
    }
    for (int i = 0; i < ALLTOALL_FLOOD_WINDOW; ++i) {
        all->requests[i] = MPI_REQUEST_NULL;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &all->flood);
    MPI_Comm_split(MPI_COMM_WORLD, alltoall_is_member(all), 0, &all->comm);
    if (is_default && alltoall_is_member(all)) {
        alltoall_agree(bench, all);
    }
    if (all->rank == 0) {
        alltoall_head(bench, all, is_default);
    }
    for (size_t bytes = bench->min_bytes; bytes != 0;
         bytes = bench_next_size(bench, bytes)) {
        alltoall_size(bench, all, bytes);
    }
    MPI_Comm_free(&all->comm);
    MPI_Comm_free(&all->flood);
    free(all->flood_buffer);
    free(all->in);
    free(all->out);
}

int main(int argc, char **argv)
{
    static alltoall_t all = {.asked_bytes_s = -1};
    bench_t bench =
        BENCH_INIT("mpi-alltoall", alltoall_doc, "call", alltoall_clock);

    bench.default_min_bytes = ALLTOALL_DEFAULT_MIN_BYTES;
    bench.default_max_bytes = ALLTOALL_DEFAULT_MAX_BYTES;
    bench_add_options(&bench, alltoall_options, alltoall_parse, &all);
    bench_parse(&bench, argc, argv);
    job_start(&argc, &argv, &all.rank, &all.size);
    all.members = all.size / 2;
    if (all.members < 2) {
        job_refuse(bench.name, all.rank,
                   "requires at least 4 processes, not %d", all.size);
    }
    bench_take_fewer(&bench, ALLTOALL_MESSAGES /
                                 (unsigned)(all.members * (all.members - 1)));
    alltoall_run(&bench, &all);
    MPI_Finalize();
    return BENCH_EXIT_OK;
}
