/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the fabric model ethernet: times of packets and pauses (computed by
 * hand), no loss with PFC, head-of-line blocking, marks, and shares of
 * priorities.
 */
#include "fabric_rig.h"

enum {
    PACKET = 4178,
    NODES = 8
};

#define GB UINT64_C(1000000000)

static unsigned injected, arrived[NODES][GMS_LANE_CLASSES];
static uint64_t sources_of[NODES][NODES]; /* number of packets by target and
                                             source */
static unsigned marked, marks_from; /* number of marks, and number of the first
                                     * marked packet */
static unsigned refused[NODES];     /* 1: the node refuses all packets */
static gms_worm_t *waiting[NODES];
static gms_time_t stop_ps;

static void start_bytes(unsigned source, unsigned target,
                        unsigned traffic_class, uint32_t bytes)
{
    gms_worm_t *worm = gms_arena_alloc(ctx.arena, sizeof(*worm));

    CU_ASSERT_PTR_NOT_NULL_FATAL(worm);
    worm->source = source;
    worm->target = target;
    worm->traffic_class = (uint8_t)traffic_class;
    worm->wire_bytes = bytes;
    ++injected;
    gms_fabric_inject(&ctx, fabric, worm);
}

static void start(unsigned source, unsigned target, unsigned traffic_class)
{
    start_bytes(source, target, traffic_class, PACKET);
}

static void on_sent(gms_ctx_t *c, const gms_event_t *event)
{
    const gms_worm_t *worm = worm_of(event);

    (void)c;
    if (event->time_ps < stop_ps) {
        start(worm->source, worm->target, worm->traffic_class);
    }
}

static void on_request(gms_ctx_t *c, const gms_event_t *event)
{
    gms_worm_t *worm = worm_of(event);

    if (refused[worm->target]) {
        waiting[worm->target] = worm;
    } else {
        gms_fabric_accept(c, fabric, worm);
    }
}

static void on_arrived(gms_ctx_t *c, const gms_event_t *event)
{
    gms_worm_t *worm = worm_of(event);

    if (worm->is_marked) {
        marks_from = marked == 0 ? arrived[worm->target][worm->traffic_class]
                                 : marks_from;
        ++marked;
    }
    ++arrived[worm->target][worm->traffic_class];
    ++sources_of[worm->target][worm->source];
    stations[worm->target].arrived_ps = event->time_ps;
    gms_arena_free(c->arena, worm);
}

/* Two switches with four nodes each. */
static void setup(void)
{
    rig_context();
    ctx.handlers[ON_SENT] = on_sent;
    ctx.handlers[ON_REQUEST] = on_request;
    ctx.handlers[ON_ARRIVED] = on_arrived;
    rig_params(15 * GMS_NS, 300 * GMS_NS);
    params.undeclared = GMS_UNDECLARED_BEST_EFFORT;
    params.fabric_model = GMS_FABRIC_ETHERNET;
    params.link_bytes_s = 25 * GB / 2;
    params.nic_mtu_bytes = 4096;
    params.nic_header_bytes = 82;
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts = NODES;
    params.switch_ports = 6;
    params.hosts_per_switch = 4;
    params.eth_ecn = 0;
    memset(refused, 0, sizeof(refused));
    memset(waiting, 0, sizeof(waiting));
    stop_ps = 0;
}

static void open(void)
{
    memset(arrived, 0, sizeof(arrived));
    memset(sources_of, 0, sizeof(sources_of));
    injected = 0;
    marked = 0;
    rig_open(128, NULL);
}

static uint64_t all_arrived(void)
{
    uint64_t sum = 0;
    unsigned i, k;

    for (i = 0; i < NODES; ++i) {
        for (k = 0; k < GMS_LANE_CLASSES; ++k) {
            sum += arrived[i][k];
        }
    }
    return sum;
}

/* Return the rate in GB/s at which packets of a source arrive at a target,
 * averaged over `ps` picoseconds. */
static double rate(unsigned target, unsigned source, double ps)
{
    return (double)sources_of[target][source] * PACKET / ps * 1e3;
}

/* The latency consists of the delays of three cables (15 ns each) and two
 * switches (300 ns each), and the time of 4178 bytes at 12.5 or 3.125 GB/s. */
static void test_latency(void)
{
    open();
    start(0, 7, GMS_LANE_BEST_EFFORT);
    run_dry();
    CHECK_U64(stations[7].arrived_ps, 645000 + 334240);
    params.link_bytes_s = 25 * GB / 8;
    open();
    start(0, 7, GMS_LANE_BEST_EFFORT);
    run_dry();
    CHECK_U64(stations[7].arrived_ps, 645000 + 1336960);
}

static void test_priorities(void)
{
    CHECK_U64(gms_eth_priority(&params, GMS_LANE_REAL_TIME), 5);
    CHECK_U64(gms_eth_priority(&params, GMS_LANE_CONTROL), 6);
    CHECK_U64(gms_eth_priority(&params, GMS_LANE_BEST_EFFORT), 3);
    params.eth_dscp_best_effort = 7;
    CHECK_U64(gms_eth_priority(&params, GMS_LANE_BEST_EFFORT), 0);
    params.eth_dscp_best_effort = 8;
    CHECK_U64(gms_eth_priority(&params, GMS_LANE_BEST_EFFORT), 1);
}

/*
 * Node 1 refuses all packets from node 0. Packet n enters the first link at n x
 * 334.24 ns. The switch counts the packet 315 ns later. The third packet
 * exceeds 10,000 bytes at 983.48 ns. The pause frame of 84 bytes takes 6.72 ns,
 * the cable 15 ns, and the reaction 100 ns, so the pause begins at 1105.2 ns.
 * The fourth packet has entered the link at 1002.72 ns; a fifth packet would
 * enter at 1336.96 ns.
 */
static void test_pause(void)
{
    const gms_eth_counts_t *counts;
    unsigned i;

    params.eth_xoff_bytes = 10000;
    params.eth_xon_bytes = 5000;
    params.eth_pause_ps = 100 * GMS_NS;
    refused[1] = 1;
    stop_ps = GMS_MS;
    open();
    counts = gms_fabric_eth_counts(fabric);
    start(0, 1, GMS_LANE_BEST_EFFORT);
    gms_engine_run_until(&ctx, 983480);
    CHECK_U64(counts->pauses, 0);
    gms_engine_run_until(&ctx, 983481);
    CHECK_U64(counts->pauses, 1);
    gms_engine_run_until(&ctx, 1105200);
    CU_ASSERT(!fabric->reserved[0].lane[3].is_paused);
    gms_engine_run_until(&ctx, 1105201);
    CU_ASSERT(fabric->reserved[0].lane[3].is_paused);
    gms_engine_run_until(&ctx, 100 * GMS_US);
    CHECK_U64(counts->most_bytes, 4 * PACKET);
    CHECK_U64(injected, 5);
    CHECK_U64(gms_fabric_eth_queue(fabric, 0, 3), PACKET);
    /* After three packets have left one by one, the paused port may send
     * again. */
    for (i = 0; i < 3; ++i) {
        CHECK_U64(injected, 5);
        gms_fabric_accept(&ctx, fabric, waiting[1]);
        gms_engine_run_until(&ctx, (101 + i) * GMS_US);
    }
    CU_ASSERT(injected > 5);
    gms_engine_run_until(&ctx, 200 * GMS_US);
    CHECK_U64(counts->pauses, 2);
    CHECK_U64(counts->overflowed, 0);
}

/* A frame waits for the packet that is being sent in the same direction. */
static void test_pause_waits(void)
{
    params.eth_xoff_bytes = 10000;
    params.eth_xon_bytes = 0;
    params.eth_pause_ps = 0;
    refused[1] = 1;
    stop_ps = GMS_MS;
    open();
    start(0, 1, GMS_LANE_BEST_EFFORT);
    /* At 334.24 ns, node 2 sends 6000 bytes, which enter the link from the
     * switch to node 0 at 649.24 ns and leave it at 1129.24 ns. The pause
     * begins 21.72 ns later. */
    gms_engine_run_until(&ctx, 400 * GMS_NS);
    CHECK_U64(gms_engine_now(ctx.engine), 334240);
    start_bytes(2, 0, GMS_LANE_BEST_EFFORT, 6000);
    gms_engine_run_until(&ctx, 983481);
    CHECK_U64(gms_fabric_eth_counts(fabric)->pauses, 1);
    gms_engine_run_until(&ctx, 1150960);
    CU_ASSERT(!fabric->reserved[0].lane[3].is_paused);
    gms_engine_run_until(&ctx, 1150961);
    CU_ASSERT(fabric->reserved[0].lane[3].is_paused);
}

/* Seven nodes send to one node. With PFC, no packet is lost, no port exceeds
 * its threshold plus headroom, and all packets arrive. Without PFC, packets are
 * lost. */
static void test_no_loss(void)
{
    const gms_eth_counts_t *counts;
    uint64_t headroom;
    unsigned pfc, i;

    params.eth_xoff_bytes = 30000;
    params.eth_xon_bytes = 20000;
    headroom = gms_eth_headroom(&params, 25 * GB / 2, 25 * GB / 2);
    for (pfc = 0; pfc < 2; ++pfc) {
        params.eth_pfc = pfc;
        params.eth_headroom_bytes = pfc ? 0 : headroom;
        open();
        counts = gms_fabric_eth_counts(fabric);
        stop_ps = 2 * GMS_MS;
        for (i = 0; i < 7; ++i) {
            start(i, 7, GMS_LANE_BEST_EFFORT);
        }
        start(7, 0, GMS_LANE_BEST_EFFORT); /* the pauses wait for these
                                              packets */
        run_dry();
        CHECK_U64(all_arrived() + counts->overflowed, injected);
        CU_ASSERT(counts->most_bytes > 30000);
        if (pfc) {
            CU_ASSERT(counts->most_bytes <= 30000 + headroom);
            CHECK_U64(counts->overflowed, 0);
            CU_ASSERT(counts->pauses > 10);
        } else {
            CU_ASSERT(counts->overflowed > 1000);
            CHECK_U64(counts->pauses, 0);
        }
        for (i = 0; i < fabric->link_count; ++i) {
            CHECK_U64(fabric->reserved[i].lane[3].inside_bytes, 0);
            CHECK_U64(fabric->reserved[i].lane[3].queued_bytes, 0);
            CHECK_U64(fabric->reserved[i].lane[3].is_paused, 0);
        }
    }
}

/* The headroom is 12.5 GB/s x (30 + 300 + 1000 + 6.72 + 335.52 ns) plus two
 * packets of 4194 bytes. */
static void test_headroom(void)
{
    const char *row = "";

    params.eth_pause_ps = 1000 * GMS_NS;
    CHECK_U64(gms_eth_headroom(&params, 25 * GB / 2, 25 * GB / 2),
              20903 + 1 + 8388);
    params.eth_headroom_bytes = 29292;
    CHECK_U64(gms_eth_check(&params, &row, error), GMS_OK);
    params.eth_headroom_bytes = 29291;
    CHECK_U64(gms_eth_check(&params, &row, error), GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(row, "eth_headroom_bytes");
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "at least 29292"));
}

/*
 * Nodes 0, 4, 5 and 6 send to node 7, whose port allots a quarter of its rate
 * to each of them. Node 1 sends to node 4, and shares only the link between the
 * switches with node 0. A pause on this link also stops node 1, which is the
 * victim. The victim's packets alternate with those of node 0, so both nodes
 * have the same rate. Without the other senders, the victim has half of the
 * link's rate.
 */
static void test_victim(void)
{
    unsigned incast, i;

    params.eth_xoff_bytes = 100000;
    params.eth_xon_bytes = 90000;
    for (incast = 0; incast < 2; ++incast) {
        open();
        stop_ps = GMS_SECOND;
        start(0, 7, GMS_LANE_BEST_EFFORT);
        start(1, 4, GMS_LANE_BEST_EFFORT);
        for (i = 4; incast && i < 7; ++i) {
            start(i, 7, GMS_LANE_BEST_EFFORT);
        }
        gms_engine_run_until(&ctx, GMS_MS);
        memset(sources_of, 0, sizeof(sources_of));
        gms_engine_run_until(&ctx, 11 * GMS_MS);
        if (incast) {
            CHECK_NEAR(rate(4, 1, 10e9), 12.5 / 4, 0.1);
            CHECK_NEAR(rate(7, 0, 10e9) + rate(7, 4, 10e9) + rate(7, 5, 10e9) +
                           rate(7, 6, 10e9),
                       12.5, 0.01);
        } else {
            CHECK_NEAR(rate(4, 1, 10e9), 12.5 / 2, 0.01);
        }
        CHECK_U64(gms_fabric_eth_counts(fabric)->overflowed, 0);
    }
}

/* A blocked priority does not stop another priority, and neither do its pauses
 * on links that both priorities share. */
static void test_isolation(void)
{
    params.eth_xoff_bytes = 20000;
    params.eth_xon_bytes = 10000;
    refused[7] = 1;
    stop_ps = GMS_MS;
    open();
    start(0, 7, GMS_LANE_BEST_EFFORT);
    start(1, 7, GMS_LANE_BEST_EFFORT);
    start(0, 6, GMS_LANE_REAL_TIME);
    gms_engine_run_until(&ctx, stop_ps);
    CHECK_U64(arrived[7][GMS_LANE_BEST_EFFORT], 0);
    CU_ASSERT(fabric->reserved[1].lane[3].is_paused);
    CHECK_NEAR(arrived[6][GMS_LANE_REAL_TIME] * (double)PACKET / 1e6, 12.5,
               0.01);
}

/* Short reserved packets, such as acknowledgements, cross the link into a NIC
 * without packets of other traffic between them. The NIC is nevertheless asked
 * for a receive buffer for each packet. The link needs 0.34 us for all 50
 * packets of 86 bytes, and 0.33 us for a packet of other traffic. All reserved
 * packets have reached the switch after 0.7 us. Without the hold, each of them
 * would wait for a packet of other traffic. */
static void test_short_packets(void)
{
    unsigned i;

    params.nic_kind = GMS_NIC_HCA;
    open();
    for (i = 0; i < 30; ++i) {
        start(2, 0, GMS_LANE_BEST_EFFORT);
        start(3, 0, GMS_LANE_BEST_EFFORT);
    }
    for (i = 0; i < 50; ++i) {
        start_bytes(1, 0, GMS_LANE_REAL_TIME, 86);
    }
    gms_engine_run_until(&ctx, 1400 * GMS_NS);
    CHECK_U64(arrived[0][GMS_LANE_REAL_TIME], 50);
    CU_ASSERT(arrived[0][GMS_LANE_BEST_EFFORT] <= 2);
}

/* Two classes have shares of 30 % and 70 %, and a strict class has a slower
 * source. */
static void test_shares(void)
{
    double control, best_effort;

    params.eth_ets_control = 30;
    params.eth_ets_best_effort = 70;
    open();
    stop_ps = 20 * GMS_MS;
    start(0, 3, GMS_LANE_BEST_EFFORT);
    start(1, 3, GMS_LANE_CONTROL);
    gms_engine_run_until(&ctx, stop_ps);
    control = arrived[3][GMS_LANE_CONTROL];
    best_effort = arrived[3][GMS_LANE_BEST_EFFORT];
    CHECK_NEAR(control / (control + best_effort), 0.30, 0.01);
    CHECK_NEAR((control + best_effort) * PACKET / 20e6, 12.5, 0.001);
}

/* Let a queue grow to `packets` packets, all of which then arrive. */
static void grow(unsigned packets)
{
    unsigned i;

    params.eth_xoff_bytes = GB;
    refused[1] = 1;
    open();
    stop_ps = 0;
    for (i = 0; i < packets; ++i) {
        start(0, 1, GMS_LANE_BEST_EFFORT);
        run_dry();
    }
    refused[1] = 0;
    gms_fabric_accept(&ctx, fabric, waiting[1]);
    run_dry();
    CHECK_U64(arrived[1][GMS_LANE_BEST_EFFORT], packets);
    CHECK_U64(gms_fabric_eth_counts(fabric)->marked, marked);
}

/* Packet n finds n packets in the queue. Packets are marked with some
 * probability if the queue exceeds Kmin, and always if it exceeds Kmax. */
static void test_marks(void)
{
    params.eth_ecn = 1;
    params.eth_kmin_bytes = params.eth_kmax_bytes = 100 * PACKET;
    grow(300);
    CHECK_U64(marks_from, 101);
    CHECK_U64(marked, 199);
    /* the probability increases from 0 to 0.5; the mean is 500, and the
     * standard deviation is 18 */
    params.eth_kmin_bytes = 0;
    params.eth_kmax_bytes = 2000 * PACKET;
    params.eth_pmax_ppm = 500000;
    grow(2000);
    CU_ASSERT(marked > 440 && marked < 560);
    CU_ASSERT(marks_from > 1);
    /* packets of reservations are never marked */
    params.eth_kmax_bytes = 0;
    refused[1] = 1;
    open();
    start(0, 1, GMS_LANE_REAL_TIME);
    run_dry();
    start(0, 1, GMS_LANE_REAL_TIME);
    run_dry();
    CHECK_U64(gms_fabric_eth_counts(fabric)->marked, 0);
    params.eth_ecn = 0;
    grow(300);
    CHECK_U64(marked, 0);
}

/* The same seed marks the same packets; another seed marks other packets. */
static void test_seed(void)
{
    unsigned first;

    params.eth_ecn = 1;
    params.eth_kmin_bytes = 0;
    params.eth_kmax_bytes = 2000 * PACKET;
    params.eth_pmax_ppm = 500000;
    grow(1000);
    first = marked;
    grow(1000);
    CHECK_U64(marked, first);
    params.seed = 99;
    grow(1000);
    CU_ASSERT(marked != first);
}

static void check_refused(const char *row, const char *text)
{
    const char *wrong = "";

    CHECK_U64(gms_eth_check(&params, &wrong, error), GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(wrong, row);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, text));
}

static void test_refused(void)
{
    params.eth_xon_bytes = params.eth_xoff_bytes + 1;
    check_refused("eth_xon_bytes", "exceeds eth_xoff_bytes");
    params.eth_xon_bytes = 0;
    params.eth_kmin_bytes = params.eth_kmax_bytes + 1;
    check_refused("eth_kmin_bytes", "exceeds eth_kmax_bytes");
    params.eth_kmin_bytes = 0;
    params.eth_ets_best_effort = 90;
    check_refused("eth_ets_best_effort", "add up to 90");
    params.eth_ets_best_effort = 100;
    params.eth_dscp_control = 24; /* the priority of best-effort traffic */
    check_refused("eth_ets_best_effort", "have priority 3");
    params.eth_ets_control = 100;
    CHECK_U64(gms_eth_check(&params, &(const char *){NULL}, error), GMS_OK);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"latency of two links", test_latency},
        {"priorities of DSCPs", test_priorities},
        {"a pause begins at the expected time", test_pause},
        {"a pause waits for a packet", test_pause_waits},
        {"no loss with PFC", test_no_loss},
        {"headroom", test_headroom},
        {"head-of-line blocking by pauses", test_victim},
        {"isolation of priorities", test_isolation},
        {"short reserved packets", test_short_packets},
        {"shares of priorities", test_shares},
        {"marks", test_marks},
        {"the seed determines which packets are marked", test_seed},
        {"invalid parameters", test_refused},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"fabric: ethernet", NULL, NULL, setup, rig_close, tests});
}
