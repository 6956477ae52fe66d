/* SPDX-License-Identifier: BSD-3-Clause */
/* Reserves bandwidth in a program that uses GM without MPI. Rank 0 sends to
 * ranks 1 and 2 as fast as possible, first without a reservation. Rank 0 then
 * reserves 45 MB/s to rank 1, and afterwards 15 MB/s to rank 2. Finally, rank 0
 * requests 40 MB/s to rank 2.
 *
 *     mpirun -n 3 ./pace
 *
 * The output shows each answer of the bandwidth manager, and the bandwidth of
 * each flow during the following 100 ms. At first, each flow has half of the
 * NIC's bandwidth; later, each flow has its granted bandwidth. A denied request
 * does not change anything. */
#include <gm.h>
#include <gm_qos.h>
#include <gmsim.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    FLOWS = 2,
    IN_FLIGHT = 4,
    MESSAGE = 65536
};
#define MB   1e6
#define PART UINT64_C(100000000000) /* 100 ms, in picoseconds */

static struct gm_port *port;
static unsigned size; /* GM size class of the buffers */
static char *data;
static gm_qos_flow_t flow[FLOWS]; /* flows to rank 1 and rank 2 */
static unsigned on_the_way[FLOWS];

static void check(gm_status_t status, const char *what)
{
    if (status != GM_SUCCESS)
        gmsim_fatal("pace: %s failed: %s", what, gm_strerror(status));
}

static void sent(struct gm_port *unused, void *context, gm_status_t status)
{
    (void)unused;
    check(status, "send");
    --*(unsigned *)context;
}

/* Handle one event. If the event is a message, return its length; otherwise
 * return 0. */
static unsigned receive(void)
{
    gm_recv_event_t *event = gm_blocking_receive(port);
    unsigned length = 0;

    switch (GM_RECV_EVENT_TYPE(event)) {
    case GM_RECV_EVENT:
    case GM_PEER_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
    case GM_FAST_PEER_RECV_EVENT:
        length = gm_ntohl(event->recv.length);
        gm_provide_receive_buffer(port, gm_ntohp(event->recv.buffer), size,
                                  GM_LOW_PRIORITY);
        break;
    default:
        gm_unknown(port, event); /* this function calls the callback sent() */
    }
    return length;
}

static void send(const gm_qos_flow_t *to, unsigned length, unsigned *count)
{
    ++*count;
    gm_send_with_callback(port, data, size, length, GM_LOW_PRIORITY,
                          to->target_node, to->target_port, sent, count);
}

/* Rank 0: keep messages in flight, and print the bandwidth of the flows. */
static void measure(void)
{
    uint64_t start = gmsim_time_ps();
    gm_qos_flow_state_t before[FLOWS], after[FLOWS];
    double seconds;

    for (int i = 0; i < FLOWS; ++i)
        check(gm_qos_get_flow(port, &flow[i], &before[i]), "flow");
    while (gmsim_time_ps() < start + PART) {
        for (int i = 0; i < FLOWS; ++i)
            while (on_the_way[i] < IN_FLIGHT)
                send(&flow[i], MESSAGE, &on_the_way[i]);
        receive();
    }
    seconds = (double)(gmsim_time_ps() - start) * 1e-12;
    for (int i = 0; i < FLOWS; ++i) {
        check(gm_qos_get_flow(port, &flow[i], &after[i]), "flow");
        printf("    to rank %d: %5.1f MB/s\n", i + 1,
               (double)(after[i].bytes_sent - before[i].bytes_sent) / seconds /
                   MB);
    }
}

static void ask(int i, double bandwidth)
{
    gm_qos_answer_t answer;

    check(gm_qos_request(port, &flow[i], bandwidth, GM_QOS_PREMIUM, 0, &answer),
          "request");
    if (answer.granted)
        printf("%.0f MB/s to rank %d: granted, one packet every %.1f us\n",
               bandwidth / MB, i + 1,
               gm_mtu(port) / answer.bandwidth_bytes_s * 1e6);
    else
        printf("%.0f MB/s to rank %d: denied because the %s (%s) has only %.1f "
               "MB/s left\n",
               bandwidth / MB, i + 1, gm_qos_criterion_name(answer.criterion),
               answer.place, answer.left_bytes_s / MB);
}

static void send_all(void)
{
    unsigned ready = 0;

    while (ready < FLOWS) /* every receiver sends one byte when it is ready */
        ready += receive() > 0;
    puts("no reservation");
    measure();
    ask(0, 45 * MB);
    measure();
    ask(1, 15 * MB);
    measure();
    ask(1, 40 * MB);
    measure();
    for (int i = 0; i < FLOWS; ++i)
        send(&flow[i], 1, &on_the_way[i]); /* this message stops the receiver */
    while (on_the_way[0] + on_the_way[1] > 0)
        receive();
}

static void receive_all(const gm_qos_flow_t *back)
{
    unsigned pending = 0;

    send(back, 1, &pending);
    while (receive() != 1)
        ;
}

static gm_qos_flow_t flow_to(unsigned rank)
{
    gm_qos_flow_t to = {.priority = GM_LOW_PRIORITY, .label = 0};
    gmsim_place_t place;

    check(gmsim_get_place(rank, &place), "place");
    to.target_node = place.node_id;
    to.target_port = place.port;
    return to;
}

int main(void)
{
    gmsim_place_t self;
    gm_qos_flow_t back;

    check(gm_init(), "gm_init");
    check(gmsim_get_my_place(&self), "place");
    if (self.size != FLOWS + 1) {
        fprintf(stderr, "pace: requires 3 processes (mpirun -n 3)\n");
        gm_finalize();
        return 2;
    }
    check(gm_open(&port, 0, self.port, "pace", GM_API_VERSION), "gm_open");
    size = gm_min_size_for_length(MESSAGE);
    data = gm_dma_calloc(port, 1, MESSAGE);
    for (int i = 0; i <= FLOWS * IN_FLIGHT; ++i)
        gm_provide_receive_buffer(port, gm_dma_calloc(port, 1, MESSAGE), size,
                                  GM_LOW_PRIORITY);
    for (unsigned i = 0; i < FLOWS; ++i)
        flow[i] = flow_to(i + 1);
    back = flow_to(0);
    if (self.rank == 0)
        send_all();
    else
        receive_all(&back);
    gm_close(port); /* this call releases all reservations */
    gm_finalize();
    return 0;
}
