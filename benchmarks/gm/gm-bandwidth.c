/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gm-bandwidth: measures the bandwidth of GM messages that one process streams
 * to all other processes simultaneously.
 *
 * Every receiver records the arrival times of its messages, and sends these
 * times to rank 0 after its last message. The bandwidth of a flow is measured
 * while all flows have messages waiting: from the end of the last warm-up until
 * the first flow receives its last message.
 */
#include "harness.h"
#include "station.h"

#include <gm_qos.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BANDWIDTH_MAX_FLOWS 15

typedef struct bandwidth {
    const bench_t *bench;
    station_t station;
    unsigned flows;       /* the receivers are ranks 1..flows */
    size_t report_bytes;  /* length of the longest message to rank 0 */
    unsigned report_size; /* GM size class of a receiver's report. This class
                           * is smaller than that of the messages, because
                           * the reports of many receivers need many
                           * buffers */
    unsigned idts;        /* number of IDTs on the command line, which apply to
                             the first flows */
    unsigned idt_ticks[BANDWIDTH_MAX_FLOWS];
    char *out;
    double *arrivals_s; /* DMA memory for the report */
    /* fields that only the sender uses */
    unsigned ready;    /* number of receivers that are not ready for the next
                          message size */
    unsigned reported; /* number of receivers that have finished the present
                          message size */
    unsigned sent[BANDWIDTH_MAX_FLOWS];
    unsigned on_the_way[BANDWIDTH_MAX_FLOWS];
    double *reports_s[BANDWIDTH_MAX_FLOWS];
} bandwidth_t;

/* Context of a send callback. */
typedef struct bandwidth_send {
    bandwidth_t *test;
    unsigned flow;
} bandwidth_send_t;

static const char bandwidth_doc[] =
    "Measure the bandwidth of GM messages that the first process streams to "
    "all other processes at the same time. All times are virtual.\v"
    "The bandwidth includes only the payload and is measured while all flows "
    "have messages waiting. Up to 15 receivers are possible. " BENCH_EXIT_DOC
    "\n"
    "Example: mpirun -n 3 gm-bandwidth --idt 192,192 --size 64K";

/* --- options --------------------------------------------------------------*/

static const struct argp_option bandwidth_options[] = {
    {"idt", 'd', "LIST", 0,
     "Inter-packet dispatch times of the flows to ranks 1, 2, .., separated by "
     "commas, in ticks of rtc_tick_ps; 0 = unregulated (default for ranks "
     "without a "
     "value)",
     0},
    {.name = NULL},
};

static void bandwidth_parse_idts(bandwidth_t *test, char *list,
                                 struct argp_state *state)
{
    char *rest = list;
    char *item;

    test->idts = 0;
    while ((item = strsep(&rest, ",")) != NULL) {
        size_t ticks;

        if (test->idts == BANDWIDTH_MAX_FLOWS) {
            argp_error(state, "--idt: too many values; allowed: at most %d",
                       BANDWIDTH_MAX_FLOWS);
            return;
        }
        if (bench_parse_number(item, 0, GM_QOS_MAX_IDT_TICKS, &ticks) != 0) {
            argp_error(state, "--idt: value '%s' is invalid; allowed: 0..%u",
                       item, GM_QOS_MAX_IDT_TICKS);
            return;
        }
        test->idt_ticks[test->idts++] = (unsigned)ticks;
    }
}

static error_t bandwidth_parse(int key, char *arg, struct argp_state *state)
{
    if (key != 'd') {
        return ARGP_ERR_UNKNOWN;
    }
    bandwidth_parse_idts(state->input, arg, state);
    return 0;
}

/* Return the number of messages of one flow. One additional message is needed,
 * because n intervals require n + 1 arrivals. */
static unsigned bandwidth_total(const bandwidth_t *test, size_t bytes)
{
    return test->bench->warmup + bench_iterations(test->bench, bytes) + 1;
}

/* --- receiver -------------------------------------------------------------*/

static void bandwidth_receive(bandwidth_t *test, size_t bytes)
{
    station_t *station = &test->station;
    unsigned total = bandwidth_total(test, bytes);

    /* Wait until the report of the previous size has been sent, because it uses
     * the same memory. */
    station_wait_sends(station, 1);
    /* Report to rank 0 that the receive buffers are provided. Rank 0 sends only
     * after this report. */
    station_send(station, 0, test->report_size, test->out, 1);
    for (unsigned i = 0; i < total; ++i) {
        gm_recv_event_t *event = station_receive(station);
        void *buffer = gm_ntohp(event->recv.buffer);

        test->arrivals_s[i] = station_clock();
        gm_provide_receive_buffer(station->port, buffer, station->size,
                                  GM_LOW_PRIORITY);
    }
    station_send(station, 0, test->report_size, test->arrivals_s,
                 total * sizeof(*test->arrivals_s));
}

/* --- sender ---------------------------------------------------------------*/

static unsigned bandwidth_rank_of_node(const bandwidth_t *test, unsigned node,
                                       unsigned port)
{
    for (unsigned rank = 1; rank <= test->flows; ++rank) {
        gmsim_place_t place;

        if (gmsim_get_place(rank, &place) == GM_SUCCESS &&
            place.node_id == node && place.port == port) {
            return rank;
        }
    }
    gmsim_fatal("%s: received a message from node %u port %u, which does not "
                "belong to a rank",
                test->bench->name, node, port);
}

/* Handle a message to rank 0: either `ready` (1 byte) or a report. A fast
 * receiver can be ready for the next message size before a slow receiver has
 * sent its report about the present size. */
static void bandwidth_take(bandwidth_t *test, gm_recv_event_t *event)
{
    unsigned rank =
        bandwidth_rank_of_node(test, gm_ntohs(event->recv.sender_node_id),
                               gm_ntohc(event->recv.sender_port_id));
    size_t length = gm_ntohl(event->recv.length);
    void *buffer = gm_ntohp(event->recv.buffer);

    if (length > 1) {
        memcpy(test->reports_s[rank - 1], station_data(event), length);
        ++test->reported;
    } else {
        ++test->ready;
    }
    gm_provide_receive_buffer(test->station.port, buffer, test->report_size,
                              GM_LOW_PRIORITY);
}

static int bandwidth_idle(const bandwidth_t *test)
{
    for (unsigned i = 0; i < test->flows; ++i) {
        if (test->on_the_way[i] > 0) {
            return 0;
        }
    }
    return 1;
}

static void bandwidth_sent(struct gm_port *port, void *context,
                           gm_status_t status)
{
    bandwidth_send_t *send = context;

    (void)port;
    if (status != GM_SUCCESS) {
        gmsim_fatal("%s: cannot send to rank %u: %s", send->test->bench->name,
                    send->flow + 1, gm_strerror(status));
    }
    --send->test->on_the_way[send->flow];
}

/* Fill the windows of all flows, one message per flow in turn. With this order,
 * no flow waits for the messages of another flow. */
static void bandwidth_fill(bandwidth_t *test, bandwidth_send_t *sends,
                           const gmsim_place_t *targets, size_t bytes,
                           unsigned total, unsigned window)
{
    int busy = 1;

    while (busy) {
        busy = 0;
        for (unsigned i = 0; i < test->flows; ++i) {
            if (test->sent[i] == total || test->on_the_way[i] == window) {
                continue;
            }
            ++test->sent[i];
            ++test->on_the_way[i];
            gm_send_with_callback(test->station.port, test->out,
                                  test->station.size, bytes, GM_LOW_PRIORITY,
                                  targets[i].node_id, targets[i].port,
                                  bandwidth_sent, &sends[i]);
            busy = 1;
        }
    }
}

static void bandwidth_send_all(bandwidth_t *test, size_t bytes)
{
    station_t *station = &test->station;
    unsigned total = bandwidth_total(test, bytes);
    unsigned tokens = gm_num_send_tokens(station->port) / test->flows;
    unsigned window = test->bench->window;
    bandwidth_send_t sends[BANDWIDTH_MAX_FLOWS];
    gmsim_place_t targets[BANDWIDTH_MAX_FLOWS];

    window = (window < tokens) ? window : tokens;
    for (unsigned i = 0; i < test->flows; ++i) {
        sends[i] = (bandwidth_send_t){test, i};
        test->sent[i] = 0;
        (void)gmsim_get_place(i + 1, &targets[i]);
    }
    while (test->ready < test->flows) {
        bandwidth_take(test, station_receive(station));
    }
    test->ready = 0;
    test->reported = 0;
    /* A report can arrive before the callback of the last send. */
    while (test->reported < test->flows || !bandwidth_idle(test)) {
        gm_recv_event_t *event;

        bandwidth_fill(test, sends, targets, bytes, total, window);
        event = station_next(station);
        if (event != NULL) {
            bandwidth_take(test, event);
        }
    }
}

static void bandwidth_print(const bandwidth_t *test, size_t bytes)
{
    const bench_t *bench = test->bench;
    unsigned total = bandwidth_total(test, bytes);
    double begin_s = 0.0;
    double end_s = 1e300;

    for (unsigned i = 0; i < test->flows; ++i) {
        double first_s = test->reports_s[i][bench->warmup];
        double last_s = test->reports_s[i][total - 1];

        begin_s = (first_s > begin_s) ? first_s : begin_s;
        end_s = (last_s < end_s) ? last_s : end_s;
    }
    for (unsigned i = 0; i < test->flows; ++i) {
        bench_result_t result;
        char flow[16];

        if (bench_rate_arrivals(bench, test->reports_s[i], total, begin_s,
                                end_s, bytes, &result) != 0) {
            gmsim_fatal("%s: out of memory", bench->name);
        }
        snprintf(flow, sizeof(flow), "0->%u", i + 1);
        bench_print_row(bench, flow, &result);
    }
}

static void bandwidth_set_idts(const bandwidth_t *test)
{
    for (unsigned i = 0; i < test->idts; ++i) {
        gmsim_place_t place;
        gm_qos_flow_t flow = {.priority = GM_LOW_PRIORITY};
        gm_status_t status = gmsim_get_place(i + 1, &place);

        flow.target_node = place.node_id;
        flow.target_port = place.port;
        if (status == GM_SUCCESS) {
            status =
                gm_qos_set_idt(test->station.port, &flow, test->idt_ticks[i]);
        }
        if (status != GM_SUCCESS) {
            gmsim_fatal("%s: cannot set the IDT of the flow to rank %u: %s",
                        test->bench->name, i + 1, gm_strerror(status));
        }
    }
}

static void bandwidth_head(const bandwidth_t *test)
{
    char line[256] = "";
    size_t used = (size_t)snprintf(line, sizeof(line), "scheduler %s, IDT",
                                   gmsim_scheduler_name());

    for (unsigned i = 0; i < test->flows; ++i) {
        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%u",
                                 (i == 0) ? " " : ",",
                                 (i < test->idts) ? test->idt_ticks[i] : 0u);
    }
    bench_print_head(test->bench, line, "flow");
}

/* --- both -----------------------------------------------------------------*/

static void bandwidth_provide(station_t *station, unsigned count, size_t bytes,
                              unsigned size)
{
    for (unsigned i = 0; i < count; ++i) {
        gm_provide_receive_buffer(station->port, station_memory(station, bytes),
                                  size, GM_LOW_PRIORITY);
    }
}

static void bandwidth_prepare(bandwidth_t *test)
{
    const bench_t *bench = test->bench;
    station_t *station = &test->station;

    test->report_bytes =
        ((size_t)bench->warmup + bench->iterations + 1) * sizeof(double);
    test->report_size = gm_min_size_for_length(test->report_bytes);
    test->out = station_memory(station, bench->max_bytes);
    if (station->place.rank != 0) {
        test->arrivals_s = station_memory(station, test->report_bytes);
        /* The receiver needs only one buffer more than the number of messages
         * in a window. This process provides a buffer again before the NIC
         * acknowledges the message in the buffer. */
        bandwidth_provide(station, bench->window + 1, bench->max_bytes,
                          station->size);
        return;
    }
    for (unsigned i = 0; i < test->flows; ++i) {
        test->reports_s[i] = calloc(1, test->report_bytes);
        if (test->reports_s[i] == NULL) {
            gmsim_fatal("%s: out of memory", bench->name);
        }
    }
    /* every receiver can send one `ready` and one report */
    bandwidth_provide(station, 2 * test->flows, test->report_bytes,
                      test->report_size);
}

static void bandwidth_run(bandwidth_t *test)
{
    const bench_t *bench = test->bench;
    int sender = (test->station.place.rank == 0);

    if (sender) {
        bandwidth_set_idts(test);
        bandwidth_head(test);
    }
    for (size_t bytes = bench->min_bytes; bytes != 0;
         bytes = bench_next_size(bench, bytes)) {
        if (sender) {
            bandwidth_send_all(test, bytes);
            bandwidth_print(test, bytes);
        } else {
            bandwidth_receive(test, bytes);
        }
    }
}

int main(int argc, char **argv)
{
    bandwidth_t test = {.idts = 0};
    bench_t bench = BENCH_INIT("gm-bandwidth", bandwidth_doc,
                               "time between two arrivals", station_clock);

    bench_add_options(&bench, bandwidth_options, bandwidth_parse, &test);
    bench_parse(&bench, argc, argv);
    test.bench = &bench;
    station_open(&test.station, bench.name, (test.idts > 1) ? test.idts + 1 : 2,
                 BANDWIDTH_MAX_FLOWS + 1, bench.max_bytes);
    test.flows = test.station.place.size - 1;
    bandwidth_prepare(&test);
    bandwidth_run(&test);
    station_close(&test.station);
    for (unsigned i = 0; i < BANDWIDTH_MAX_FLOWS; ++i) {
        free(test.reports_s[i]);
    }
    return BENCH_EXIT_OK;
}
