/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the fabric model cut-through: times on links with different rates,
 * shares of virtual lanes, isolation of lanes, and credits.
 */
#include "fabric_rig.h"

enum {
    PACKET = 4096,
    NODES = 6
};

#define GB UINT64_C(1000000000)
#define P  (15 * GMS_NS)
#define R  (90 * GMS_NS)

/* Packets and bytes that have arrived, by node and class. */
static unsigned arrived[NODES][GMS_LANE_CLASSES];
/* Class whose packets a node refuses; GMS_LANE_CLASSES for none. */
static unsigned refused[NODES];
static gms_time_t stop_ps;

static void start(unsigned source, unsigned target, unsigned traffic_class,
                  uint32_t bytes)
{
    gms_worm_t *worm = gms_arena_alloc(ctx.arena, sizeof(*worm));

    CU_ASSERT_PTR_NOT_NULL_FATAL(worm);
    worm->source = source;
    worm->target = target;
    worm->traffic_class = (uint8_t)traffic_class;
    worm->wire_bytes = bytes;
    gms_fabric_inject(&ctx, fabric, worm);
}

/* Send the next packet of the same kind until the test ends. */
static void on_sent(gms_ctx_t *c, const gms_event_t *event)
{
    const gms_worm_t *worm = worm_of(event);

    (void)c;
    if (event->time_ps < stop_ps) {
        start(worm->source, worm->target, worm->traffic_class,
              worm->wire_bytes);
    }
}

static void on_request(gms_ctx_t *c, const gms_event_t *event)
{
    gms_worm_t *worm = worm_of(event);

    if (worm->traffic_class != refused[worm->target]) {
        gms_fabric_accept(c, fabric, worm);
    }
}

static void on_arrived(gms_ctx_t *c, const gms_event_t *event)
{
    gms_worm_t *worm = worm_of(event);
    station_t *station = event->object;

    ++arrived[worm->target][worm->traffic_class];
    rig_note(station, worm, event->time_ps);
    gms_arena_free(c->arena, worm);
}

static void setup(void)
{
    unsigned i;

    rig_context();
    ctx.handlers[ON_SENT] = on_sent;
    ctx.handlers[ON_REQUEST] = on_request;
    ctx.handlers[ON_ARRIVED] = on_arrived;
    rig_params(P, R);
    params.undeclared = GMS_UNDECLARED_BEST_EFFORT;
    params.fabric_model = GMS_FABRIC_CUT_THROUGH;
    params.link_bytes_s = 25 * GB / 2;
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts = NODES;
    params.switch_ports = 5;
    params.hosts_per_switch = 3;
    for (i = 0; i < NODES; ++i) {
        refused[i] = GMS_LANE_CLASSES;
    }
    memset(arrived, 0, sizeof(arrived));
    stop_ps = 0;
}

/* Run, and check after every event that no lane contains more bytes than it has
 * credits for. */
static void run(void)
{
    uint32_t link, lane;
    unsigned bad = 0, n = 0;

    while (!gms_engine_is_idle(ctx.engine)) {
        gms_engine_step(&ctx);
        if (++n % 64 != 0) {
            continue;
        }
        for (link = 0; link < fabric->link_count; ++link) {
            for (lane = 0; lane < fabric->lanes_per_link; ++lane) {
                bad += fabric->reserved[link].lane[lane].inside_bytes >
                       params.vl_buffer_bytes;
            }
        }
    }
    CHECK_U64(bad, 0);
}

/* Return the time that one packet takes from node 0 to node 5, through two
 * switches. */
static gms_time_t cross(uint64_t switch_bytes_s)
{
    params.switch_link_bytes_s = switch_bytes_s;
    rig_open(64, NULL);
    start(0, 5, GMS_LANE_BEST_EFFORT, PACKET);
    run();
    CHECK_U64(arrived[5][GMS_LANE_BEST_EFFORT], 1);
    arrived[5][GMS_LANE_BEST_EFFORT] = 0;
    return stations[5].arrived_ps;
}

/*
 * Three cables of 15 ns and two switches of 90 ns take 225 ns. A packet takes
 * 327.68 ns at 12.5 GB/s.
 * - If all links are equal, the packet's transmission time counts once.
 * - If the middle link is slow (6.25 GB/s), the time on this link, 655.36 ns,
 *   is added. The last link waits for the packet's last byte.
 * - If the middle link is fast (25 GB/s), the head waits in the first switch,
 *   because the fast link takes only 163.84 ns. The last link adds half of its
 *   own time, which is 327.68 ns.
 */
static void test_rates_on_a_route(void)
{
    CHECK_U64(cross(0), 225000 + 327680);
    CHECK_U64(cross(25 * GB / 4), 225000 + 655360);
    CHECK_U64(cross(25 * GB), 225000 + 327680 + 163840);
}

/* Two nodes send to one node in different classes, whose lanes have the weights
 * 1 and 3. */
static void test_shares(void)
{
    double control, best_effort;

    params.vl_low_best_effort = 64;
    params.vl_low_control = 192;
    rig_open(64, NULL);
    stop_ps = 20 * GMS_MS;
    start(0, 2, GMS_LANE_BEST_EFFORT, PACKET);
    start(1, 2, GMS_LANE_CONTROL, PACKET);
    gms_engine_run_until(&ctx, stop_ps);
    control = arrived[2][GMS_LANE_CONTROL];
    best_effort = arrived[2][GMS_LANE_BEST_EFFORT];
    CHECK_NEAR(control / (control + best_effort), 0.75, 0.01);
    CHECK_NEAR((control + best_effort) * PACKET / 20e6, 12.5, 0.001);
    run();
}

/* Packets that their target refuses occupy only their own lane, even on links
 * that they share with other lanes. */
static void test_isolation(void)
{
    rig_open(64, NULL);
    refused[5] = GMS_LANE_BEST_EFFORT;
    stop_ps = GMS_MS;
    start(0, 5, GMS_LANE_BEST_EFFORT, PACKET);
    start(1, 5, GMS_LANE_BEST_EFFORT, PACKET);
    start(2, 5, GMS_LANE_REAL_TIME, PACKET);
    gms_engine_run_until(&ctx, stop_ps);
    CHECK_U64(arrived[5][GMS_LANE_BEST_EFFORT], 0);
    CHECK_NEAR(arrived[5][GMS_LANE_REAL_TIME] * PACKET / 1e6, 12.5, 0.01);
}

/* If a class shares its lane with another class on one link, it is blocked
 * there. If the class has its own lane, it is not blocked. The table of each
 * port maps classes to lanes. */
static void test_lane_of_a_port(void)
{
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned shared;

    for (shared = 0; shared < 2; ++shared) {
        memset(arrived, 0, sizeof(arrived));
        rig_open(64, NULL);
        CHECK_U64(gms_topology_links(gms_fabric_topology(fabric), 1, 4, links),
                  3);
        if (shared) {
            CHECK_U64(gms_fabric_set_lane(fabric, links[1], GMS_LANE_CONTROL,
                                          (unsigned)params.vl_best_effort),
                      GMS_OK);
        }
        CHECK_U64(gms_fabric_set_lane(fabric, links[1], GMS_LANE_CONTROL, 9),
                  GMS_ERR_INVALID_PARAM);
        refused[5] = GMS_LANE_BEST_EFFORT;
        stop_ps = GMS_MS;
        start(0, 5, GMS_LANE_BEST_EFFORT, PACKET);
        start(1, 4, GMS_LANE_CONTROL, PACKET);
        gms_engine_run_until(&ctx, stop_ps);
        if (shared) {
            CU_ASSERT(arrived[4][GMS_LANE_CONTROL] < 100);
        } else {
            CHECK_NEAR(arrived[4][GMS_LANE_CONTROL] * PACKET / 1e6, 12.5, 0.01);
        }
    }
}

/* Best-effort traffic between nodes that share only a link with blocked packets
 * continues, because a waiting packet does not occupy the link. */
static void test_no_holding(void)
{
    rig_open(64, NULL);
    refused[5] = GMS_LANE_BEST_EFFORT;
    stop_ps = GMS_MS;
    start(0, 5, GMS_LANE_BEST_EFFORT, PACKET);
    start(1, 2, GMS_LANE_BEST_EFFORT, PACKET);
    gms_engine_run_until(&ctx, stop_ps);
    CHECK_NEAR(arrived[2][GMS_LANE_BEST_EFFORT] * PACKET / 1e6, 12.5, 0.01);
}

static void test_refused_tables(void)
{
    gms_arena_destroy_private(ctx.arena);
    CU_ASSERT_FATAL(gms_arena_create_private(UINT64_C(64) << 20, &ctx.arena) ==
                        GMS_OK &&
                    gms_engine_create(ctx.arena, &ctx.engine) == GMS_OK);
    params.vl_low_best_effort = 0;
    CHECK_U64(gms_fabric_create(&ctx, &params, NULL, &fabric, error),
              GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(error, "lane 0 (vl_best_effort) has no weight"));
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"links of different rates on a route", test_rates_on_a_route},
        {"shares of lanes", test_shares},
        {"isolation of lanes", test_isolation},
        {"each port maps classes to lanes", test_lane_of_a_port},
        {"waiting packets hold no link", test_no_holding},
        {"a lane without a weight is refused", test_refused_tables},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"fabric: cut-through", NULL, NULL, setup, rig_close, tests});
}
