/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the fabric model `flit`: worms on a flit network, with stations instead
 * of NICs. A cycle is 100 ns. A link takes one cycle. A switch and the link
 * behind it together take three cycles.
 */
#include "fabric_rig.h"
#include "fabric/flit_model.h"

enum {
    NODES = 4,
    FLITS = 100,
    BYTES = 16 * FLITS
};
enum {
    CONTROL = GMS_LANE_CONTROL,
    REAL = GMS_LANE_REAL_TIME,
    BEST = GMS_LANE_BEST_EFFORT
};

#define CYCLE    (100 * GMS_NS)
#define TO_NODE  5 /* number of cycles between nodes on the same switch */
#define TO_NODE2 9 /* number of cycles between nodes on adjacent switches */

/* State of a station, which replaces a NIC. The station sends worms of class
 * `traffic_class` to node `target` until `left` is 0. */
typedef struct class_station {
    int refuses[GMS_LANE_CLASSES];
    gms_worm_t *requesting[GMS_LANE_CLASSES];
    unsigned sent, arrived, damaged, target, left;
    uint8_t traffic_class;
    gms_time_t sent_ps, request_ps, arrived_ps, blocked_ps;
    gms_time_t wire_ps, switch_ps, inject_ps;
    uint32_t last_number[NODES][GMS_LANE_CLASSES], out_of_order;
    uint64_t sum;
} class_station_t;

static class_station_t class_stations[NODES];
static uint32_t next_number;

/* Inject a worm. The number of the worm is stored in `damage`, which the fabric
 * does not change in these tests. */
static void inject_class(unsigned source, unsigned target,
                         unsigned traffic_class, uint32_t bytes)
{
    gms_worm_t *worm = gms_arena_alloc(ctx.arena, sizeof(*worm));

    CU_ASSERT_PTR_NOT_NULL_FATAL(worm);
    worm->source = source;
    worm->target = target;
    worm->traffic_class = (uint8_t)traffic_class;
    worm->wire_bytes = bytes;
    worm->damage = ++next_number;
    gms_fabric_inject(&ctx, fabric, worm);
}

static void send_on(unsigned node)
{
    class_station_t *station = &class_stations[node];

    if (station->left > 0) {
        --station->left;
        inject_class(node, station->target, station->traffic_class, BYTES);
    }
}

static void on_sent(gms_ctx_t *c, const gms_event_t *event)
{
    class_station_t *station = event->object;

    (void)c;
    ++station->sent;
    station->sent_ps = event->time_ps;
    station->blocked_ps = worm_of(event)->blocked_ps;
    send_on((unsigned)(station - class_stations));
}

static void on_request(gms_ctx_t *c, const gms_event_t *event)
{
    class_station_t *station = event->object;
    gms_worm_t *worm = worm_of(event);

    /* one head of each class can wait at a time */
    CU_ASSERT_PTR_NULL(station->requesting[worm->traffic_class]);
    station->request_ps = event->time_ps;
    if (station->refuses[worm->traffic_class]) {
        station->requesting[worm->traffic_class] = worm;
    } else {
        gms_fabric_accept(c, fabric, worm);
    }
}

static void on_arrived(gms_ctx_t *c, const gms_event_t *event)
{
    class_station_t *station = event->object;
    gms_worm_t *worm = worm_of(event);
    uint32_t *last = &station->last_number[worm->source][worm->traffic_class];

    ++station->arrived;
    station->damaged += (worm->fate & GMS_WORM_DAMAGE_HEADER) != 0;
    station->arrived_ps = event->time_ps;
    station->wire_ps = worm->wire_ps;
    station->switch_ps = worm->switch_ps;
    station->inject_ps = worm->inject_ps;
    station->sum = station->sum * 31 + event->time_ps + worm->source;
    station->out_of_order += worm->damage < *last;
    *last = (uint32_t)worm->damage;
    CU_ASSERT_TRUE(worm->inject_ps + worm->wire_ps + worm->switch_ps <=
                   event->time_ps);
    gms_arena_free(c->arena, worm);
}

static void accept_class(unsigned node, unsigned traffic_class)
{
    gms_worm_t *worm = class_stations[node].requesting[traffic_class];

    class_stations[node].requesting[traffic_class] = NULL;
    gms_fabric_accept(&ctx, fabric, worm);
}

static void build(void)
{
    memset(class_stations, 0, sizeof(class_stations));
    next_number = 0;
    rig_open(64, NULL);
}

static void setup(void)
{
    rig_context();
    ctx.handlers[ON_SENT] = on_sent;
    ctx.handlers[ON_REQUEST] = on_request;
    ctx.handlers[ON_ARRIVED] = on_arrived;
    rig_port.on_copy = ON_COPY;
    rig_objects = (char *)class_stations;
    rig_object_bytes = sizeof(class_stations[0]);
    gms_params_init(&params);
    params.hosts = NODES;
    params.fabric_model = GMS_FABRIC_FLIT;
    params.undeclared =
        GMS_UNDECLARED_FREE; /* no lanes are reserved, so all classes use the
                              * same lanes */
    build();
}

/* Nodes 0 and 1 are on one switch, and nodes 2 and 3 are on the next switch. */
static void rebuild_with_two_switches(void)
{
    params.topology = GMS_TOPOLOGY_MESH;
    params.rows = 1;
    params.columns = 2;
    params.hosts_per_switch = 2;
    build();
}

static void run(void)
{
    gms_engine_run_until(&ctx, GMS_NEVER);
}

/* Return the real-time lane that a pair of nodes uses on link number `hop`. */
static unsigned lane_of(unsigned source, unsigned target, unsigned hop)
{
    gms_flit_config_t config;

    CU_ASSERT_FATAL(gms_flit_model_config(&params, &config, error) == GMS_OK);
    return gms_flit_drawn_lane(&config, source * NODES + target, hop, REAL);
}

/* ---- one worm, computed by hand ------------------------------------------ */

static void test_config(void)
{
    gms_flit_config_t config;

    CHECK_U64(gms_flit_model_config(&params, &config, error), GMS_OK);
    /* 0.5 cycles, rounded up to one cycle */
    CHECK_U64(config.link_cycles, 1);
    CHECK_U64(
        config.route_cycles + config.crossbar_cycles + config.output_cycles, 3);
    CHECK_U64(config.input_cycles + config.lane_cycles + config.switch_cycles,
              0);
    CHECK_U64(config.buffer_flits, 10);
    params.link_propagation_ps = 849 * GMS_NS;
    params.switch_routing_ps = 0;
    CHECK_U64(gms_flit_model_config(&params, &config, error), GMS_OK);
    CHECK_U64(config.link_cycles, 8);
    CHECK_U64(config.route_cycles, 0);
    CHECK_U64(config.buffer_flits, 18);
    params.flit_buffer_flits = 7;
    CHECK_U64(gms_flit_model_config(&params, &config, error), GMS_OK);
    CHECK_U64(config.buffer_flits, 7);
    params.link_propagation_ps = 6050 * GMS_NS;
    CHECK_U64(gms_flit_model_config(&params, &config, error), GMS_ERR_CONFIG);
}

/* A switch takes 3 cycles, and each link takes 1 cycle. After the
 * receiving NIC has accepted the packet, one flit arrives per cycle. */
static void test_alone(void)
{
    inject_class(0, 1, BEST, BYTES);
    run();
    CHECK_U64(class_stations[1].request_ps, TO_NODE * CYCLE);
    CHECK_U64(class_stations[1].arrived_ps, (TO_NODE + 1 + FLITS) * CYCLE);
    CHECK_U64(class_stations[0].sent_ps, FLITS * CYCLE);
    CHECK_U64(class_stations[0].blocked_ps, 0);
    CHECK_U64(class_stations[1].wire_ps, (2 + FLITS) * CYCLE);
    CHECK_U64(class_stations[1].switch_ps, 4 * CYCLE);
    CHECK_U64(gms_fabric_packets(fabric), 1);
    /* the network is idle until the next cycle begins */
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

static void test_between_cycles(void)
{
    inject_class(0, 1, BEST, BYTES);
    run();
    class_stations[1].arrived_ps = 0;
    gms_engine_run_until(&ctx, gms_engine_now(ctx.engine) + 1);
    CHECK_U64(gms_engine_now(ctx.engine), (TO_NODE + 1 + FLITS) * CYCLE);
    /* A worm of 33 bytes has three flits. The network has already simulated the
     * cycle that begins at this time, so the worm enters one cycle later. */
    inject_class(2, 3, REAL, 33);
    run();
    CHECK_U64(class_stations[3].arrived_ps,
              (TO_NODE + 1 + FLITS + 1 + TO_NODE + 1 + 3) * CYCLE);
    CHECK_U64(class_stations[3].inject_ps, (TO_NODE + 1 + FLITS) * CYCLE);
}

static void test_two_switches(void)
{
    rebuild_with_two_switches();
    inject_class(0, 2, BEST, BYTES);
    run();
    CHECK_U64(class_stations[2].request_ps, TO_NODE2 * CYCLE);
    CHECK_U64(class_stations[2].arrived_ps, (TO_NODE2 + 1 + FLITS) * CYCLE);
}

static void test_profile_delays(void)
{
    params.link_propagation_ps = 300 * GMS_NS; /* 3 cycles */
    params.switch_routing_ps = 500 * GMS_NS;   /* 5 cycles */
    build();
    inject_class(0, 1, CONTROL, BYTES);
    run();
    CHECK_U64(class_stations[1].arrived_ps, (3 + 5 + 3 + 1 + FLITS) * CYCLE);
}

/* The NIC delays accepting a worm. Each buffer on the route can store 10 flits.
 * The waiting time at the target counts neither as wire time nor as switch
 * time. */
static void test_waits_for_accept(void)
{
    gms_time_t at_ps = 300 * CYCLE;

    class_stations[1].refuses[BEST] = 1;
    inject_class(0, 1, BEST, BYTES);
    run();
    CHECK_U64(class_stations[1].arrived, 0);
    CHECK_U64(class_stations[0].sent, 0);
    /* no flit is moving, so no event runs */
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
    CU_ASSERT_TRUE(gms_engine_now(ctx.engine) < 50 * CYCLE);
    class_stations[2].target = 3;
    class_stations[2].left = 3; /* this event advances the clock */
    send_on(2);
    gms_engine_run_until(&ctx, at_ps);
    class_stations[1].refuses[BEST] = 0;
    CHECK_U64(gms_engine_now(ctx.engine), at_ps - CYCLE);
    accept_class(1, BEST);
    run();
    CHECK_U64(class_stations[1].arrived, 1);
    CHECK_U64(class_stations[1].wire_ps, (2 + FLITS) * CYCLE);
    CU_ASSERT_TRUE(class_stations[1].switch_ps <= 6 * CYCLE);
    CU_ASSERT_TRUE(class_stations[0].blocked_ps > 200 * CYCLE);
}

/* ---- several worms ---- */

/* A worm of another class passes a worm that is waiting for the NIC. A worm of
 * the same class must wait behind it. */
static void test_classes_pass(void)
{
    class_stations[1].refuses[BEST] = 1;
    inject_class(0, 1, BEST, BYTES);
    inject_class(2, 1, BEST, BYTES);
    run();
    CHECK_U64(class_stations[1].arrived, 0);
    inject_class(0, 1, REAL, BYTES);
    inject_class(2, 1, CONTROL, BYTES);
    run();
    CHECK_U64(class_stations[1].arrived, 2);
    class_stations[1].refuses[BEST] = 0;
    accept_class(1, BEST);
    run();
    CHECK_U64(class_stations[1].arrived, 4);
}

/* All nodes send worms of random lengths to each other, and NICs delay heads at
 * random. Worms of one class from one node to another must arrive in order.
 * Return a hash of the arrivals. */
static uint64_t storm(uint64_t seed)
{
    gms_random_t random;
    uint64_t sum = 0;
    unsigned i, k;

    gms_random_init(&random, seed, 0);
    for (i = 0; i < 400; ++i) {
        unsigned traffic_class = (unsigned)gms_random_below(&random, 3);
        unsigned source = (unsigned)gms_random_below(&random, NODES);
        gms_time_t end_ps;

        /* A real NIC injects the next worm of a class only after on_sent. This
         * test does not wait for on_sent. */
        inject_class(source, (unsigned)gms_random_below(&random, NODES),
                     traffic_class,
                     1 + (uint32_t)gms_random_below(&random, 3000));
        end_ps =
            gms_engine_now(ctx.engine) + gms_random_below(&random, 40 * GMS_US);
        k = (unsigned)gms_random_below(&random, NODES);
        class_stations[k].refuses[traffic_class] ^= 1;
        gms_engine_run_until(&ctx, end_ps);
        if (!class_stations[k].refuses[traffic_class] &&
            class_stations[k].requesting[traffic_class] != NULL) {
            accept_class(k, traffic_class);
        }
    }
    for (i = 0; i < NODES; ++i) {
        for (k = 0; k < GMS_LANE_CLASSES; ++k) {
            class_stations[i].refuses[k] = 0;
            if (class_stations[i].requesting[k] != NULL) {
                accept_class(i, k);
            }
        }
    }
    run();
    for (i = 0; i < NODES; ++i) {
        CHECK_U64(class_stations[i].out_of_order, 0);
        sum = sum * 31 + class_stations[i].sum;
    }
    CHECK_U64(class_stations[0].arrived + class_stations[1].arrived +
                  class_stations[2].arrived + class_stations[3].arrived,
              400);
    return sum;
}

/* Run the network once with only its own lanes, and once with additional
 * reserved lanes, whose flits interrupt the network's flits. */
static void test_order_and_repetition(void)
{
    static const enum gms_undeclared undeclared[] = {
        GMS_UNDECLARED_FREE, GMS_UNDECLARED_BEST_EFFORT};
    uint64_t first, seed;
    unsigned i;

    for (i = 0; i < 2; ++i) {
        for (seed = 1; seed <= 3; ++seed) {
            params.undeclared = undeclared[i];
            rebuild_with_two_switches();
            first = storm(seed);
            rebuild_with_two_switches();
            CHECK_U64(storm(seed), first);
        }
    }
}

/* Measure the shares of two flows that use different lanes on the link between
 * the switches. */
static void share(unsigned first_class, unsigned second_class, double *first_p,
                  double *second_p)
{
    class_stations[0] = (class_station_t){
        .target = 2, .left = 1000, .traffic_class = (uint8_t)first_class};
    class_stations[1] = (class_station_t){
        .target = 3, .left = 1000, .traffic_class = (uint8_t)second_class};
    send_on(0);
    send_on(1);
    gms_engine_run_until(&ctx, 20000 * CYCLE);
    *first_p = class_stations[2].arrived * FLITS / 20000.0;
    *second_p = class_stations[3].arrived * FLITS / 20000.0;
}

static void rebuild_for_share(void)
{
    params.seed = 0;
    do {
        ++params.seed;
    } while (lane_of(0, 2, 1) == lane_of(1, 3, 1));
    rebuild_with_two_switches();
}

/* Reservations of 60 and 30 MB/s on a link of 160 MB/s: the flows share the
 * whole link in the ratio 2:1. */
static void test_weights(void)
{
    double first, second;

    rebuild_for_share();
    gms_fabric_reserve(fabric, 0, 2, 60000000);
    gms_fabric_reserve(fabric, 1, 3, 30000000);
    share(REAL, REAL, &first, &second);
    CHECK_NEAR(first, 2.0 / 3, 0.03);
    CHECK_NEAR(second, 1.0 / 3, 0.03);
}

/* Reservations that have been released have no effect. */
static void test_given_back(void)
{
    double first, second;

    rebuild_for_share();
    gms_fabric_reserve(fabric, 0, 2, 60000000);
    gms_fabric_reserve(fabric, 1, 3, 30000000);
    gms_fabric_reserve(fabric, 0, 2, -60000000);
    gms_fabric_reserve(fabric, 1, 3, -30000000);
    share(REAL, REAL, &first, &second);
    CHECK_NEAR(first, 0.5, 0.02);
    CHECK_NEAR(second, 0.5, 0.02);
}

/* If 40 of 160 MB/s are reserved, best-effort traffic may send at most every
 * second flit. A flow that sends more than its reservation then sends every
 * second flit, and best-effort traffic sends the other flits. */
static void test_limit(void)
{
    double first, second;

    rebuild_for_share();
    gms_fabric_reserve(fabric, 0, 2, 40000000);
    share(REAL, BEST, &first, &second);
    CHECK_NEAR(first, 0.5, 0.02);
    CHECK_NEAR(second, 0.5, 0.02);
    /* If 128 of 160 MB/s are reserved, best-effort traffic may send at most
     * every fifth flit. The flow therefore sends four of five flits. */
    rebuild_for_share();
    gms_fabric_reserve(fabric, 0, 2, 128000000);
    share(REAL, BEST, &first, &second);
    CHECK_NEAR(first, 0.8, 0.03);
    CHECK_NEAR(second, 0.2, 0.03);
}

/* Without a reservation, best-effort traffic does not starve real-time
 * traffic. */
static void test_nothing_reserved(void)
{
    double first, second;

    rebuild_for_share();
    share(REAL, BEST, &first, &second);
    CHECK_NEAR(first, 0.5, 0.02);
}

/* ---- faults ------------------------------------------------------------- */

static void set_rates(gms_fault_rates_t rates)
{
    gms_fabric_set_fault_rates(fabric, &rates);
}

static void test_dropped(void)
{
    set_rates((gms_fault_rates_t){.drop_ppm = 1000000});
    inject_class(0, 1, BEST, BYTES);
    run();
    CHECK_U64(class_stations[0].sent, 1);
    CHECK_U64(class_stations[0].sent_ps, FLITS * CYCLE);
    CHECK_U64(class_stations[1].arrived, 0);
    CHECK_U64(gms_fabric_fault_counts(fabric)->dropped, 1);
}

/* The copy follows the first packet immediately, before packets that have
 * arrived in the meantime. */
static void test_duplicated(void)
{
    set_rates((gms_fault_rates_t){.duplicate_ppm = 1000000});
    inject_class(0, 1, BEST, BYTES);
    gms_engine_run_until(&ctx, 10 * CYCLE);
    set_rates((gms_fault_rates_t){.drop_ppm = 0});
    inject_class(2, 1, BEST, BYTES);
    run();
    CHECK_U64(class_stations[1].arrived, 3);
    CHECK_U64(gms_fabric_fault_counts(fabric)->duplicated, 1);
    CHECK_U64(class_stations[1].out_of_order, 0);
    /* Packets arrive one after the other, but meanwhile the buffers on the
     * route store flits of the next packet. */
    CU_ASSERT_TRUE(class_stations[1].arrived_ps >=
                   (TO_NODE + 3 * FLITS) * CYCLE);
    CU_ASSERT_TRUE(class_stations[1].arrived_ps <=
                   (TO_NODE + 30 + 3 * FLITS) * CYCLE);
}

static void test_damaged_and_delayed(void)
{
    set_rates((gms_fault_rates_t){.damage_header_ppm = 1000000,
                                  .delay_ppm = 1000000,
                                  .delay_max_us = 50});
    inject_class(0, 1, BEST, BYTES);
    run();
    CHECK_U64(class_stations[1].damaged, 1);
    CU_ASSERT_TRUE(class_stations[1].arrived_ps >
                   (TO_NODE + 1 + FLITS) * CYCLE);
    CHECK_U64(gms_fabric_fault_counts(fabric)->damaged_header, 1);
    CHECK_U64(gms_fabric_fault_counts(fabric)->delayed, 1);
}

/* If the link is down before the worm starts, the worm is lost at its source.
 * If the link breaks while it is transferring the worm, the worm arrives
 * damaged. */
static void test_link_down(void)
{
    uint32_t link = gms_fabric_link_of(fabric, 1, 1);

    gms_fabric_link_down(&ctx, fabric, link, 500 * CYCLE);
    inject_class(0, 1, BEST, BYTES);
    inject_class(0, 2, REAL, BYTES);
    run();
    CHECK_U64(class_stations[1].arrived, 0);
    CHECK_U64(class_stations[2].arrived, 1);
    CHECK_U64(class_stations[0].sent, 2);
    CHECK_U64(gms_fabric_fault_counts(fabric)->lost_on_link, 1);
    gms_engine_run_until(&ctx, 600 * CYCLE);
    class_stations[3].target = 2;
    class_stations[3].left = 6; /* this event advances the clock */
    send_on(3);
    run();
    inject_class(0, 1, BEST, BYTES);
    gms_engine_run_until(&ctx, gms_engine_now(ctx.engine) + 50 * CYCLE);
    gms_fabric_link_down(&ctx, fabric, link, GMS_NEVER);
    run();
    CHECK_U64(class_stations[1].arrived, 1);
    CHECK_U64(class_stations[1].damaged, 1);
    CHECK_U64(gms_fabric_fault_counts(fabric)->cut_short, 1);
    CHECK_U64(gms_fabric_fault_counts(fabric)->links_down, 2);
}

/* The smallest arena has no room for the topology, and the largest arena has
 * room for the whole network. */
static void test_no_memory(void)
{
    uint64_t megabytes;
    unsigned failed = 0, made = 0;

    params.hosts = 2048;
    params.topology = GMS_TOPOLOGY_CLOS;
    for (megabytes = 16; megabytes <= 112; megabytes += 3) {
        gms_fabric_t *none = NULL;
        gms_ctx_t small;

        params.undeclared =
            megabytes % 2 ? GMS_UNDECLARED_FREE : GMS_UNDECLARED_BEST_EFFORT;
        memset(&small, 0, sizeof(small));
        CU_ASSERT_FATAL(
            gms_arena_create_private(megabytes << 20, &small.arena) == GMS_OK);
        if (gms_fabric_create(&small, &params, NULL, &none, error) == GMS_OK) {
            ++made;
        } else {
            ++failed;
            CU_ASSERT_PTR_NULL(none);
            CU_ASSERT_PTR_NOT_NULL(strstr(error, "arena_bytes"));
        }
        gms_arena_destroy_private(small.arena);
    }
    CU_ASSERT_TRUE(failed >= 3 && made >= 3);
}

int main(void)
{
    CU_TestInfo one[] = {
        {"configuration", test_config},
        {"a worm alone", test_alone},
        {"a worm that is injected between cycles", test_between_cycles},
        {"two switches", test_two_switches},
        {"the profile's delays", test_profile_delays},
        {"a worm waits for the NIC", test_waits_for_accept},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo several[] = {
        {"a worm passes a waiting worm of another class", test_classes_pass},
        {"packets stay in order, and runs are reproducible",
         test_order_and_repetition},
        {"weights of reservations", test_weights},
        {"released reservations", test_given_back},
        {"limit of best effort", test_limit},
        {"no reservation", test_nothing_reserved},
        {"exhausted memory", test_no_memory},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo faults[] = {
        {"dropped worm", test_dropped},
        {"duplicated worm", test_duplicated},
        {"damaged and delayed worm", test_damaged_and_delayed},
        {"link down", test_link_down},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"one worm", NULL, NULL, setup, rig_close, one},
                    {"several worms", NULL, NULL, setup, rig_close, several},
                    {"faults", NULL, NULL, setup, rig_close, faults});
}
