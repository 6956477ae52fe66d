/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-flows: measures the bandwidth of several flows of MPI messages. One
 * process streams messages to other processes in several simultaneous flows,
 * each on its own communicator. The program repeats the measurement in several
 * rounds.
 *
 * In a round, every flow requests either an IDT (--idt) or an MPI bandwidth
 * (--bandwidth). For an IDT, the benchmark requests the GM bandwidth that
 * corresponds to this IDT. For an MPI bandwidth, the benchmark sets the
 * communicator attribute, as any program can. The receivers record the arrival
 * times of their messages. The bandwidth of a flow is measured in the interval
 * in which all flows had messages waiting, as in gm-bandwidth.
 */
#include "harness.h"
#include "job.h"

#include <math.h>
#include <mpi.h>
#include <mpi_qos.h>
#include <mpix_gm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS_MAX         15
#define FLOWS_MAX_ROUNDS  512
#define FLOWS_MAX_TICKS   1000000
#define FLOWS_MAX_MB_S    1e6
#define FLOWS_MAX_SECONDS 3600.0
/* Smallest number of messages of a flow in a bandwidth round, even if these
 * messages take longer than --seconds. */
#define FLOWS_LEAST_MESSAGES 8
#define FLOWS_MOST_MESSAGES  1000000
#define FLOWS_CELL_LEN       160
/* Number of attempts; each attempt has twice as many messages as the previous
 * attempt. With --iterations, the program makes only one attempt. */
#define FLOWS_TRIES 4

typedef enum flows_ask {
    FLOWS_ASK_IDT,
    FLOWS_ASK_PREMIUM,
    FLOWS_ASK_BEST_EFFORT
} flows_ask_t;

/* One flow in one round. */
typedef struct flows_flow {
    flows_ask_t ask;
    unsigned idt_ticks; /* 0: unregulated */
    double asked_bytes_s;
    int target; /* rank of the receiver */
} flows_flow_t;

typedef struct flows_round {
    unsigned count;
    int is_bandwidth; /* 1: --bandwidth was used */
    flows_flow_t flow[FLOWS_MAX];
} flows_round_t;

/* Properties of a flow that rank 0 determines before the flow starts. */
typedef struct flows_start {
    MPIQOS_Flow answer;        /* used only in bandwidth rounds */
    MPIX_GM_Message_cost cost; /* cost of one message */
    /* number of messages; 0: the flow is not used */
    unsigned total;
} flows_start_t;

typedef struct flows {
    unsigned rounds;
    flows_round_t round[FLOWS_MAX_ROUNDS];
    double seconds; /* --seconds */
    int size, rank;
    MPI_Comm comm[FLOWS_MAX]; /* one communicator per flow, for the flow's data
                               * only. Only these communicators can have
                               * reservations */
    char *buffers;            /* buffer of flows x window x max_bytes bytes */
    MPI_Request requests[FLOWS_MAX * 64]; /* array of flows x window elements; a
                                             window has at most 60 messages */
    flows_start_t start[FLOWS_MAX];
    double *arrivals_s[FLOWS_MAX]; /* array with start.total times per flow */
} flows_t;

static const char flows_doc[] =
    "Measure the bandwidth of MPI messages that the first process streams to "
    "other processes in several simultaneous flows. Each flow has its own IDT "
    "or bandwidth. Times are measured with MPI_Wtime.\v"
    "Each IDT and each bandwidth is a reservation, which the cluster's manager "
    "can deny (parameters qos_node_rule, qos_node_bytes_s, qos_link_bytes_s). "
    "If a bandwidth is denied, the program prints the remaining bandwidth, and "
    "the flow sends nothing. Up to 15 receivers are possible. Exit status: 0 "
    "ok; 1 the benchmark failed or an IDT was denied; 2 invalid usage.\n"
    "Example: mpirun -n 3 mpi-flows --size 64K --bandwidth 30,be";

/* --- options --------------------------------------------------------------*/

static const struct argp_option flows_options[] = {
    {"idt", 'd', "LIST", 0,
     "Minimum times between two packets of the flows to ranks 1, 2, .., "
     "separated by commas, in ticks of rtc_tick_ps; 0 = unregulated. Each use "
     "of "
     "this option adds a round",
     0},
    {"bandwidth", 'b', "LIST", 0,
     "MPI bandwidths to reserve for flows to ranks 1, 2, .., separated by "
     "commas, in MB/s; 'be' for best effort. @RANK after a value selects "
     "another rank. Each use of this option adds a round",
     0},
    {"seconds", 'S', "SECONDS", 0,
     "Virtual duration of a --bandwidth round, excluding its warm-up (0.2); "
     "extended if 8 messages of a flow need more time",
     0},
    {.name = NULL},
};

static flows_round_t *flows_add_round(flows_t *flows, const char *option,
                                      struct argp_state *state)
{
    if (flows->rounds == FLOWS_MAX_ROUNDS) {
        argp_error(state, "--%s: too many rounds; allowed: %d", option,
                   FLOWS_MAX_ROUNDS);
        return NULL;
    }
    return &flows->round[flows->rounds++];
}

static void flows_parse_idts(flows_t *flows, char *list,
                             struct argp_state *state)
{
    flows_round_t *round = flows_add_round(flows, "idt", state);
    char *item;

    while (round != NULL && (item = strsep(&list, ",")) != NULL) {
        size_t ticks;

        if (round->count == FLOWS_MAX ||
            bench_parse_number(item, 0, FLOWS_MAX_TICKS, &ticks) != 0) {
            argp_error(state,
                       "--idt: value '%s' is invalid; allowed: up to %d "
                       "numbers, each 0..%d",
                       item, FLOWS_MAX, FLOWS_MAX_TICKS);
            return;
        }
        round->flow[round->count].idt_ticks = (unsigned)ticks;
        round->flow[round->count].target = (int)round->count + 1;
        ++round->count;
    }
}

/* Parse one item of --bandwidth. @return 0, or -1 if the item is invalid */
static int flows_parse_bandwidth(const char *item, int target,
                                 flows_flow_t *flow)
{
    const char *end = item + 2;
    char *number_end;
    size_t rank;

    flow->target = target;
    flow->ask = FLOWS_ASK_BEST_EFFORT;
    if (strncmp(item, "be", 2) != 0) {
        flow->ask = FLOWS_ASK_PREMIUM;
        flow->asked_bytes_s = 1e6 * strtod(item, &number_end);
        end = number_end;
        if (end == item || !(flow->asked_bytes_s > 0) ||
            flow->asked_bytes_s > 1e6 * FLOWS_MAX_MB_S) {
            return -1;
        }
    }
    if (*end == '@') {
        if (bench_parse_number(end + 1, 1, FLOWS_MAX, &rank) != 0) {
            return -1;
        }
        flow->target = (int)rank;
        return 0;
    }
    return (*end == '\0') ? 0 : -1;
}

static void flows_parse_bandwidths(flows_t *flows, char *list,
                                   struct argp_state *state)
{
    flows_round_t *round = flows_add_round(flows, "bandwidth", state);
    char *item;

    while (round != NULL && (item = strsep(&list, ",")) != NULL) {
        round->is_bandwidth = 1;
        if (round->count == FLOWS_MAX ||
            flows_parse_bandwidth(item, (int)round->count + 1,
                                  &round->flow[round->count]) != 0) {
            argp_error(state,
                       "--bandwidth: value '%s' is invalid; allowed: up to %d "
                       "flows, each a number of MB/s above 0 or 'be', "
                       "optionally followed by @RANK (1..%d)",
                       item, FLOWS_MAX, FLOWS_MAX);
            return;
        }
        ++round->count;
    }
}

static error_t flows_parse(int key, char *arg, struct argp_state *state)
{
    flows_t *flows = state->input;
    char *end;

    switch (key) {
    case 'd':
        flows_parse_idts(flows, arg, state);
        return 0;
    case 'b':
        flows_parse_bandwidths(flows, arg, state);
        return 0;
    case 'S':
        flows->seconds = strtod(arg, &end);
        if (end == arg || *end != '\0' || !(flows->seconds > 0) ||
            flows->seconds > FLOWS_MAX_SECONDS) {
            argp_error(state,
                       "--seconds: value '%s' is invalid; allowed: above 0, "
                       "up to %g",
                       arg, FLOWS_MAX_SECONDS);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* --- asking ---------------------------------------------------------------*/

static void flows_set_idt(const bench_t *bench, MPI_Comm comm,
                          const flows_flow_t *flow)
{
    MPIX_GM_Request request = {.peer = flow->target,
                               .qos_class = MPIX_GM_PREMIUM};
    MPIX_GM_Message_cost cost;
    MPIX_GM_Answer answer;
    char text[160];

    if (flow->idt_ticks == 0) {
        (void)MPIX_GM_Flow_release(comm, flow->target);
        return;
    }
    /* The manager rounds the IDT down to whole ticks. The additional half tick
     * prevents rounding errors from changing the result. */
    if (MPIX_GM_Message(0, &cost) == MPI_SUCCESS) {
        request.gm_bytes_s = cost.idt_product / (flow->idt_ticks + 0.5);
    }
    if (MPIX_GM_Flow_request(comm, &request, 1, &answer) != MPI_SUCCESS) {
        job_die(bench->name, "the request for bandwidth failed");
    } else if (!answer.granted || answer.idt_ticks != flow->idt_ticks) {
        (void)snprintf(text, sizeof(text),
                       "the manager did not grant IDT %u to rank %d: %s",
                       flow->idt_ticks, flow->target,
                       answer.granted
                           ? "the granted IDT differs from the requested IDT"
                           : answer.place);
        job_die(bench->name, text);
    }
}

static void flows_reserve(MPI_Comm comm, const flows_flow_t *flow, size_t bytes)
{
    MPIQOS_Flow request = MPIQOS_FLOW_INIT;

    request.peer = flow->target;
    request.bandwidth = flow->asked_bytes_s;
    request.qos_class =
        (flow->ask == FLOWS_ASK_PREMIUM) ? MPIQOS_PREMIUM : MPIQOS_BEST_EFFORT;
    request.message_size = (long)bytes;
    MPI_Comm_set_attr(comm, MPIQOS_FLOW, &request);
}

/* Return the bandwidth that is expected for a granted flow, bytes/s. Only the
 * duration of the flow depends on this value. The result is limited, because
 * the share of a best-effort flow can exceed the bandwidth that one process can
 * receive. */
static double flows_expect(const flows_start_t *start, size_t bytes)
{
    double rate = (double)bytes / start->cost.receiver_seconds;

    return (start->answer.granted_bandwidth > 0.0 &&
            start->answer.granted_bandwidth < rate)
               ? start->answer.granted_bandwidth
               : rate;
}

/* Set the number of messages of each flow of a bandwidth round. All flows last
 * as long as the slowest flow needs for its warm-up and some further
 * messages. */
static void flows_set_totals(const bench_t *bench, flows_t *flows,
                             const flows_round_t *round, size_t bytes)
{
    double seconds = flows->seconds;
    double warmup_s = 0.0;

    for (unsigned i = 0; i < round->count; ++i) {
        if (flows->start[i].answer.state == MPIQOS_GRANTED) {
            double each_s =
                (double)bytes / flows_expect(&flows->start[i], bytes);

            seconds = fmax(seconds, FLOWS_LEAST_MESSAGES * each_s);
            warmup_s = fmax(warmup_s, bench->warmup * each_s);
        }
    }
    for (unsigned i = 0; i < round->count; ++i) {
        if (flows->start[i].answer.state == MPIQOS_GRANTED) {
            double messages = ceil((warmup_s + seconds) / (double)bytes *
                                   flows_expect(&flows->start[i], bytes));

            flows->start[i].total =
                1 + bench->window +
                (unsigned)fmin(messages, FLOWS_MOST_MESSAGES);
        }
    }
}

static void flows_ask_all(const bench_t *bench, flows_t *flows,
                          const flows_round_t *round, size_t bytes)
{
    for (unsigned i = 0; i < round->count; ++i) {
        if (round->flow[i].ask == FLOWS_ASK_IDT) {
            flows_set_idt(bench, flows->comm[i], &round->flow[i]);
            flows->start[i].total = bench->warmup +
                                    bench_iterations(bench, bytes) + 1 +
                                    bench->window;
        } else {
            flows_reserve(flows->comm[i], &round->flow[i], bytes);
        }
    }
    /* Read the answers after all requests have been made, because best-effort
     * shares depend on all requests. */
    for (unsigned i = 0; round->is_bandwidth && i < round->count; ++i) {
        (void)MPIQOS_Flow_state(flows->comm[i], &flows->start[i].answer);
        (void)MPIX_GM_Message((MPI_Aint)bytes, &flows->start[i].cost);
    }
    if (round->is_bandwidth) {
        flows_set_totals(bench, flows, round, bytes);
    }
}

/* --- a round --------------------------------------------------------------*/

static void flows_message(const bench_t *bench, flows_t *flows,
                          const flows_round_t *round, size_t bytes,
                          unsigned flow, unsigned slot)
{
    size_t at = (size_t)flow * bench->window + slot;
    char *buffer = flows->buffers + at * bench->max_bytes;

    if (flows->rank == 0) {
        MPI_Isend(buffer, (int)bytes, MPI_BYTE, round->flow[flow].target, 0,
                  flows->comm[flow], &flows->requests[at]);
    } else {
        MPI_Irecv(buffer, (int)bytes, MPI_BYTE, 0, 0, flows->comm[flow],
                  &flows->requests[at]);
    }
}

/* Keep the windows of this rank's flows full until the flows end. A receiver
 * also records the arrival times. */
static void flows_stream(const bench_t *bench, flows_t *flows,
                         const flows_round_t *round, size_t bytes)
{
    int count = (int)(round->count * bench->window);
    unsigned started[FLOWS_MAX] = {0};
    unsigned ended[FLOWS_MAX] = {0};
    int done;

    for (int i = 0; i < count; ++i) {
        flows->requests[i] = MPI_REQUEST_NULL;
    }
    /* Post one message per flow in turn. With this order, no flow waits for
     * another flow. */
    for (unsigned slot = 0; slot < bench->window; ++slot) {
        for (unsigned flow = 0; flow < round->count; ++flow) {
            int is_mine =
                flows->rank == 0 || flows->rank == round->flow[flow].target;

            if (is_mine && started[flow] < flows->start[flow].total) {
                ++started[flow];
                flows_message(bench, flows, round, bytes, flow, slot);
            }
        }
    }
    for (;;) {
        unsigned flow;

        MPI_Waitany(count, flows->requests, &done, MPI_STATUS_IGNORE);
        if (done == MPI_UNDEFINED) {
            return;
        }
        flow = (unsigned)done / bench->window;
        if (flows->rank != 0) {
            flows->arrivals_s[flow][ended[flow]++] = MPI_Wtime();
        }
        if (started[flow] < flows->start[flow].total) {
            ++started[flow];
            flows_message(bench, flows, round, bytes, flow,
                          (unsigned)done % bench->window);
        }
    }
}

static void flows_print_flow(const bench_t *bench, const flows_t *flows,
                             const flows_round_t *round, unsigned i,
                             const bench_result_t *result)
{
    const flows_flow_t *flow = &round->flow[i];
    const MPIQOS_Flow *answer = &flows->start[i].answer;
    char cell[FLOWS_CELL_LEN];
    char asked[32] = "be";

    if (!round->is_bandwidth) {
        (void)snprintf(cell, sizeof(cell), bench->csv ? "0->%d,%u" : "0->%d %u",
                       flow->target, flow->idt_ticks);
        bench_print_row(bench, cell, result);
        return;
    }
    if (flow->ask == FLOWS_ASK_PREMIUM) {
        (void)snprintf(asked, sizeof(asked), "%.6g", flow->asked_bytes_s / 1e6);
    }
    if (bench->csv) {
        (void)snprintf(cell, sizeof(cell),
                       "0->%d,%s,%s,%s,%u,%.15g,%.15g,%u,%.9g,%u", flow->target,
                       asked, MPIQOS_State_name(answer->state),
                       MPIQOS_Criterion_name(answer->criterion),
                       answer->idt_ticks, answer->granted_bandwidth / 1e6,
                       answer->left / 1e6, flows->start[i].cost.flow_packets,
                       flows->start[i].cost.receiver_seconds * 1e6,
                       flows->start[i].cost.reverse_bytes);
    } else if (answer->state == MPIQOS_GRANTED) {
        (void)snprintf(cell, sizeof(cell), "0->%d %-8s%-8.5g%6u ", flow->target,
                       asked, answer->granted_bandwidth / 1e6,
                       answer->idt_ticks);
    } else {
        printf("0->%d %-8s%s: %s\n", flow->target, asked,
               MPIQOS_State_name(answer->state), answer->reason);
        return;
    }
    bench_print_row(bench, cell, result);
}

/* Compute the rates of all flows in the interval in which all of them had
 * messages waiting.
 * @return 0 if too few messages of a flow arrived in this interval */
static int flows_rate(const bench_t *bench, const flows_t *flows,
                      const flows_round_t *round, size_t bytes,
                      bench_result_t results[FLOWS_MAX])
{
    double begin_s = 0.0;
    double end_s = HUGE_VAL;
    int are_enough = 1;

    /* The last window of a flow is excluded. No messages are announced after
     * this window, so its messages are faster than earlier messages. */
    for (unsigned i = 0; i < round->count; ++i) {
        unsigned total = flows->start[i].total;

        if (total > 0) {
            begin_s = fmax(begin_s, flows->arrivals_s[i][bench->warmup]);
            end_s =
                fmin(end_s, flows->arrivals_s[i][total - 1 - bench->window]);
        }
    }
    for (unsigned i = 0; i < round->count; ++i) {
        results[i] = (bench_result_t){.bytes = bytes};
        if (flows->start[i].total == 0) {
            continue;
        }
        if (bench_rate_arrivals(bench, flows->arrivals_s[i],
                                flows->start[i].total, begin_s, end_s, bytes,
                                &results[i]) != 0) {
            job_die(bench->name, "out of memory");
        }
        are_enough = are_enough && results[i].samples > 0;
    }
    return are_enough;
}

static void flows_make_room(const bench_t *bench, flows_t *flows,
                            const flows_round_t *round)
{
    for (unsigned i = 0; i < round->count; ++i) {
        size_t bytes =
            (flows->start[i].total + 1) * sizeof(*flows->arrivals_s[i]);

        free(flows->arrivals_s[i]);
        flows->arrivals_s[i] = calloc(1, bytes);
        if (flows->arrivals_s[i] == NULL) {
            job_die(bench->name, "out of memory");
        }
    }
}

/* Send the arrival times of all flows to rank 0. */
static void flows_collect(flows_t *flows, const flows_round_t *round)
{
    for (unsigned i = 0; i < round->count; ++i) {
        int total = (int)flows->start[i].total;
        int target = round->flow[i].target;

        if (flows->rank == target) {
            MPI_Send(flows->arrivals_s[i], total, MPI_DOUBLE, 0, (int)i,
                     MPI_COMM_WORLD);
        } else if (flows->rank == 0) {
            MPI_Recv(flows->arrivals_s[i], total, MPI_DOUBLE, target, (int)i,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* Run all flows once. @return 1; 0 if too few messages of a flow arrived while
 * all flows had messages waiting */
static int flows_try(const bench_t *bench, flows_t *flows,
                     const flows_round_t *round, size_t bytes,
                     bench_result_t results[FLOWS_MAX])
{
    int are_enough = 1;

    flows_make_room(bench, flows, round);
    /* all processes start together */
    MPI_Barrier(MPI_COMM_WORLD);
    flows_stream(bench, flows, round, bytes);
    flows_collect(flows, round);
    if (flows->rank == 0) {
        are_enough = flows_rate(bench, flows, round, bytes, results);
    }
    MPI_Bcast(&are_enough, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return are_enough;
}

static void flows_run_round(const bench_t *bench, flows_t *flows,
                            const flows_round_t *round, size_t bytes)
{
    bench_result_t results[FLOWS_MAX];
    unsigned tries = bench->iterations_given ? 1 : FLOWS_TRIES;

    memset(flows->start, 0, sizeof(flows->start));
    if (flows->rank == 0) {
        flows_ask_all(bench, flows, round, bytes);
    }
    MPI_Bcast(flows->start, (int)sizeof(flows->start), MPI_BYTE, 0,
              MPI_COMM_WORLD);
    while (!flows_try(bench, flows, round, bytes, results) && --tries > 0) {
        for (unsigned i = 0; i < round->count; ++i) {
            flows->start[i].total *= 2;
        }
    }
    for (unsigned i = 0; flows->rank == 0 && i < round->count; ++i) {
        flows_print_flow(bench, flows, round, i, &results[i]);
    }
    for (unsigned i = 0; flows->rank == 0 && i < round->count; ++i) {
        if (round->is_bandwidth) {
            MPI_Comm_delete_attr(flows->comm[i], MPIQOS_FLOW);
        } else {
            (void)MPIX_GM_Flow_release(flows->comm[i], round->flow[i].target);
        }
    }
}

/* --- the program ----------------------------------------------------------*/

static void flows_print_heading(const bench_t *bench, int is_bandwidth)
{
    if (is_bandwidth) {
        bench_print_head(bench, NULL,
                         bench->csv ? "flow,asked,state,criterion,idt,"
                                      "granted_mb_s,left_mb_s,packets,"
                                      "receiver_us,reverse_bytes"
                                    : "flow asked   granted    IDT ");
    } else {
        bench_print_head(bench, NULL, bench->csv ? "flow,idt" : "flow IDT");
    }
}

static void flows_run(const bench_t *bench, flows_t *flows)
{
    unsigned most = 0;

    for (unsigned i = 0; i < flows->rounds; ++i) {
        most = (flows->round[i].count > most) ? flows->round[i].count : most;
    }
    flows->buffers = calloc((size_t)most * bench->window, bench->max_bytes);
    if (flows->buffers == NULL) {
        job_die(bench->name, "out of memory");
    }
    for (unsigned i = 0; i < most; ++i) {
        MPI_Comm_dup(MPI_COMM_WORLD, &flows->comm[i]);
    }
    if (flows->rank == 0) {
        flows_print_heading(bench, flows->round[0].is_bandwidth);
    }
    for (unsigned i = 0; i < flows->rounds; ++i) {
        for (size_t bytes = bench->min_bytes; bytes != 0;
             bytes = bench_next_size(bench, bytes)) {
            flows_run_round(bench, flows, &flows->round[i], bytes);
        }
    }
    for (unsigned i = 0; i < most; ++i) {
        MPI_Comm_free(&flows->comm[i]);
        free(flows->arrivals_s[i]);
    }
    free(flows->buffers);
}

/* Return a description of the error in the command line, or NULL if the command
 * line is valid. */
static const char *flows_misuse(const flows_t *flows)
{
    if (flows->size < 2 || flows->size > FLOWS_MAX + 1) {
        return "requires 2 to 16 processes";
    }
    for (unsigned i = 0; i < flows->rounds; ++i) {
        const flows_round_t *round = &flows->round[i];

        if (round->is_bandwidth != flows->round[0].is_bandwidth) {
            return "--idt and --bandwidth cannot be used together";
        }
        for (unsigned k = 0; k < round->count; ++k) {
            if (round->flow[k].target >= flows->size) {
                return round->is_bandwidth
                           ? "--bandwidth names a rank that does not exist"
                           : "--idt has more values than there are receiving "
                             "ranks";
            }
        }
    }
    return NULL;
}

/* Complete the list of rounds. By default, there is one round in which no flow
 * is regulated. If an IDT round has fewer IDTs than receivers, the flows to the
 * other receivers are not regulated. */
static void flows_fill_rounds(flows_t *flows)
{
    flows->rounds = (flows->rounds == 0) ? 1 : flows->rounds;
    for (unsigned i = 0; i < flows->rounds; ++i) {
        flows_round_t *round = &flows->round[i];

        while (!round->is_bandwidth && round->count < FLOWS_MAX &&
               (int)round->count + 1 < flows->size) {
            round->flow[round->count].target = (int)round->count + 1;
            ++round->count;
        }
    }
}

int main(int argc, char **argv)
{
    static flows_t flows = {.seconds = 0.2};
    bench_t bench = BENCH_INIT("mpi-flows", flows_doc,
                               "time between two arrivals", MPI_Wtime);
    const char *wrong;

    bench_add_options(&bench, flows_options, flows_parse, &flows);
    bench_parse(&bench, argc, argv);
    job_start(&argc, &argv, &flows.rank, &flows.size);
    flows_fill_rounds(&flows);
    wrong = flows_misuse(&flows);
    if (wrong != NULL) {
        job_refuse(bench.name, flows.rank, "%s", wrong);
    }
    flows_run(&bench, &flows);
    MPI_Finalize();
    return BENCH_EXIT_OK;
}
