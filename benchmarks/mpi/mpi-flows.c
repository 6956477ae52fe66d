/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi-flows: one process streams MPI messages to each of the others at once,
 * each flow at a pace of its own, for one tuple of IDTs after the other.
 *
 * An IDT is asked for as the bandwidth that stands for it; what the cluster's
 * manager does not grant ends the program. Receivers note when their messages
 * came; a flow's bandwidth is taken over the span in which all flows had
 * messages waiting, as in gm-bandwidth.
 */
#include "harness.h"

#include <math.h>
#include <mpi.h>
#include <mpix_gm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS_MAX 15
#define FLOWS_MAX_TUPLES 512
#define FLOWS_MAX_TICKS 1000000

typedef struct flows {
    unsigned tuples, flows; /* --idt options; receivers: ranks 1..flows */
    unsigned idt_ticks[FLOWS_MAX_TUPLES][FLOWS_MAX];
    unsigned given[FLOWS_MAX_TUPLES]; /* IDTs in each */
    MPI_Comm comm;         /* for data alone: only these are paced */
    unsigned total;        /* messages of a flow in a round */
    char *buffers;         /* flows x window x max_bytes */
    MPI_Request *requests; /* flows x window */
    double *arrivals_s;    /* flows x total */
} flows_t;

static const char flows_doc[] =
    "Measure the bandwidth of MPI messages streamed from the first process to "
    "each of the others at once, each flow at a pace of its own. Time is that "
    "of MPI_Wtime.\v"
    "Start it with: mpirun -n 3 mpi-flows --size 64K --idt 280,280 --idt "
    "467,200\n\n"
    "A pace is a reservation: it has to fit into what the cluster's manager "
    "has to give (parameters qos_node_rule, qos_node_bytes_s, "
    "qos_link_bytes_s).\n"
    "Exit status: 0 ok, 1 failed or denied, 64 wrong usage.";

/* --- options --------------------------------------------------------------*/

static const struct argp_option flows_options[] = {
    {"idt", 'd', "TICKS[,TICKS...]", 0,
     "least time between two packets of the flow to rank 1, 2, .. in ticks of "
     "0.5 us, 0 = unregulated; may be given several times, one round each",
     0},
    {.name = NULL},
};

static void flows_parse_idts(flows_t *flows, char *list,
                             struct argp_state *state)
{
    char *item;

    if (flows->tuples == FLOWS_MAX_TUPLES) {
        argp_error(state, "--idt: more than %d times", FLOWS_MAX_TUPLES);
        return;
    }
    while ((item = strsep(&list, ",")) != NULL) {
        unsigned *given = &flows->given[flows->tuples];
        size_t ticks;

        if ((*given == FLOWS_MAX) ||
            (bench_parse_number(item, 0, FLOWS_MAX_TICKS, &ticks) != 0)) {
            argp_error(state, "--idt: '%s' must be up to %d numbers from 0 to "
                              "%d", item, FLOWS_MAX, FLOWS_MAX_TICKS);
            return;
        }
        flows->idt_ticks[flows->tuples][(*given)++] = (unsigned)ticks;
    }
    flows->tuples++;
}

static error_t flows_parse(int key, char *arg, struct argp_state *state)
{
    if (key != 'd') {
        return ARGP_ERR_UNKNOWN;
    }
    flows_parse_idts(state->input, arg, state);
    return 0;
}

static void flows_die(const bench_t *bench, const char *what)
{
    fprintf(stderr, "%s: %s\n", bench->name, what);
    MPI_Abort(MPI_COMM_WORLD, BENCH_EXIT_FAILED);
}

/* --- a round --------------------------------------------------------------*/

static void flows_set_idt(const bench_t *bench, flows_t *flows, int peer,
                          unsigned idt_ticks)
{
    MPIX_GM_Request request = {.peer = peer, .qos_class = MPIX_GM_PREMIUM};
    MPIX_GM_Message_cost cost;
    MPIX_GM_Answer answer;
    char text[160];

    if (idt_ticks == 0) {
        (void)MPIX_GM_Flow_release(flows->comm, peer);
        return;
    }
    /* The manager rounds down; the half keeps it off the neighbour. */
    if (MPIX_GM_Message(0, &cost) == MPI_SUCCESS) {
        request.gm_bytes_s = cost.idt_product / (idt_ticks + 0.5);
    }
    if (MPIX_GM_Flow_request(flows->comm, &request, 1, &answer) !=
        MPI_SUCCESS) {
        flows_die(bench, "cannot ask for bandwidth");
    } else if (!answer.granted || (answer.idt_ticks != idt_ticks)) {
        (void)snprintf(text, sizeof(text),
                       "IDT %u for rank %d was not granted: %s", idt_ticks,
                       peer, answer.granted ? "got another one" : answer.place);
        flows_die(bench, text);
    }
}

static void flows_start(const bench_t *bench, flows_t *flows, size_t bytes,
                        int rank, unsigned flow, unsigned slot)
{
    size_t at = (size_t)flow * bench->window + slot;
    char *buffer = flows->buffers + at * bench->max_bytes;

    if (rank == 0) {
        MPI_Isend(buffer, (int)bytes, MPI_BYTE, (int)flow + 1, 0, flows->comm,
                  &flows->requests[at]);
    } else {
        MPI_Irecv(buffer, (int)bytes, MPI_BYTE, 0, 0, flows->comm,
                  &flows->requests[at]);
    }
}

static void flows_send_all(const bench_t *bench, flows_t *flows, size_t bytes)
{
    int count = (int)(flows->flows * bench->window);
    unsigned sent[FLOWS_MAX] = {0};
    int done;

    for (int i = 0; i < count; ++i) {
        flows->requests[i] = MPI_REQUEST_NULL;
    }
    /* a message of each flow in turn, so that none waits for another */
    for (unsigned slot = 0; slot < bench->window; ++slot) {
        for (unsigned flow = 0; flow < flows->flows; ++flow) {
            if (sent[flow] < flows->total) {
                ++sent[flow];
                flows_start(bench, flows, bytes, 0, flow, slot);
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
        if (sent[flow] < flows->total) {
            ++sent[flow];
            flows_start(bench, flows, bytes, 0, flow,
                        (unsigned)done % bench->window);
        }
    }
}

static void flows_receive_all(const bench_t *bench, flows_t *flows,
                              size_t bytes, int rank)
{
    unsigned started = 0;

    while ((started < bench->window) && (started < flows->total)) {
        flows_start(bench, flows, bytes, rank, 0, started++);
    }
    for (unsigned n = 0; n < flows->total; ++n) {
        unsigned slot = n % bench->window;

        MPI_Wait(&flows->requests[slot], MPI_STATUS_IGNORE);
        flows->arrivals_s[n] = MPI_Wtime();
        if (started < flows->total) {
            started++;
            flows_start(bench, flows, bytes, rank, 0, slot);
        }
    }
}

static void flows_print(const bench_t *bench, const flows_t *flows,
                        unsigned tuple, size_t bytes)
{
    double begin_s = 0.0;
    double end_s = HUGE_VAL;

    for (unsigned i = 0; i < flows->flows; ++i) {
        const double *arrivals_s =
            flows->arrivals_s + (size_t)i * flows->total;

        begin_s = fmax(begin_s, arrivals_s[bench->warmup]);
        end_s = fmin(end_s, arrivals_s[flows->total - 1]);
    }
    for (unsigned i = 0; i < flows->flows; ++i) {
        bench_result_t result;
        char cell[32];

        if (bench_rate_arrivals(bench,
                                flows->arrivals_s + (size_t)i * flows->total,
                                flows->total, begin_s, end_s, bytes,
                                &result) != 0) {
            flows_die(bench, "out of memory");
        }
        (void)snprintf(cell, sizeof(cell), bench->csv ? "0->%u,%u" : "0->%u %u",
                       i + 1, flows->idt_ticks[tuple][i]);
        bench_print_row(bench, cell, &result);
    }
}

static void flows_round(const bench_t *bench, flows_t *flows, unsigned tuple,
                        size_t bytes, int rank)
{
    flows->total = bench->warmup + bench_iterations(bench, bytes) + 1;
    if (rank == 0) {
        for (unsigned i = 0; i < flows->flows; ++i) {
            flows_set_idt(bench, flows, (int)i + 1,
                          flows->idt_ticks[tuple][i]);
        }
    }
    /* All start together, with the receives posted. */
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) {
        flows_receive_all(bench, flows, bytes, rank);
        MPI_Send(flows->arrivals_s, (int)flows->total, MPI_DOUBLE, 0, 1,
                 MPI_COMM_WORLD);
        return;
    }
    flows_send_all(bench, flows, bytes);
    for (unsigned i = 0; i < flows->flows; ++i) {
        MPI_Recv(flows->arrivals_s + (size_t)i * flows->total,
                 (int)flows->total, MPI_DOUBLE, (int)i + 1, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    }
    flows_print(bench, flows, tuple, bytes);
}

/* --- the program ----------------------------------------------------------*/

static void flows_run(const bench_t *bench, flows_t *flows, int rank)
{
    size_t most = (size_t)bench->warmup + bench->iterations + 1;
    size_t slots = (size_t)flows->flows * bench->window;

    flows->buffers = calloc(slots, bench->max_bytes);
    flows->requests = calloc(slots, sizeof(*flows->requests));
    flows->arrivals_s = calloc(flows->flows * most,
                               sizeof(*flows->arrivals_s));
    if ((flows->buffers == NULL) || (flows->requests == NULL) ||
        (flows->arrivals_s == NULL)) {
        flows_die(bench, "out of memory");
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &flows->comm);
    if (rank == 0) {
        bench_print_head(bench, NULL, bench->csv ? "flow,idt" : "flow IDT");
    }
    for (unsigned tuple = 0; tuple < flows->tuples; ++tuple) {
        for (size_t bytes = bench->min_bytes; bytes != 0;
             bytes = bench_next_size(bench, bytes)) {
            flows_round(bench, flows, tuple, bytes, rank);
        }
    }
    MPI_Comm_free(&flows->comm);
    free(flows->arrivals_s);
    free(flows->requests);
    free(flows->buffers);
}

/* NULL, or what is wrong */
static const char *flows_misuse(const flows_t *flows, int size)
{
    if ((size < 2) || (size > FLOWS_MAX + 1)) {
        return "runs with 2 to 16 processes";
    }
    for (unsigned tuple = 0; tuple < flows->tuples; ++tuple) {
        if (flows->given[tuple] > flows->flows) {
            return "--idt has more numbers than there are receivers";
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static flows_t flows;
    static const struct argp idt_argp = {
        .options = flows_options,
        .parser = flows_parse,
    };
    static const struct argp_child children[] = {
        {&idt_argp, 0, NULL, 0},
        {.argp = NULL},
    };
    bench_t bench = {
        .name = "mpi-flows",
        .doc = flows_doc,
        .sample = "time between two arrivals",
        .children = children,
        .children_input = &flows,
        .clock = MPI_Wtime,
    };
    const char *wrong;
    int rank;
    int size;

    bench_parse(&bench, argc, argv);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    flows.flows = (unsigned)size - 1;
    flows.tuples = (flows.tuples == 0) ? 1 : flows.tuples;
    wrong = flows_misuse(&flows, size);
    if (wrong != NULL) {
        if (rank == 0) {
            fprintf(stderr, "%s: %s\n", bench.name, wrong);
        }
        MPI_Finalize();
        return BENCH_EXIT_USAGE;
    }
    flows_run(&bench, &flows, rank);
    MPI_Finalize();
    return BENCH_EXIT_OK;
}
