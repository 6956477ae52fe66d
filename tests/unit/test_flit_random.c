/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests flit networks with random configurations and random traffic. No packet
 * may be lost, overtake another packet or overflow a buffer, and repeating a
 * run must produce identical results.
 */
#include "flit_rig.h"

enum {
    PACKETS = 400,
    NETS = 200
};

static gms_flit_packet_t packets[PACKETS];
static uint64_t last_serial[64][64][4];
static uint64_t digest;
static unsigned visits, absorbed;

typedef struct random_net {
    gms_random_t random;
    /* a connection keeps its lane, so the test checks the order of its
     * packets */
    int redraws_order;
    unsigned endpoints;
} random_net_t;

static unsigned below(gms_random_t *random, unsigned bound)
{
    return (unsigned)gms_random_below(random, bound);
}

/* ---- hooks -------------------------------------------------------------- */

static void add_digest(uint64_t value)
{
    digest = (digest ^ value) * UINT64_C(0x100000001b3);
}

static void finished(gms_flit_packet_t *packet)
{
    uint64_t serial = (uint64_t)(packet - packets);

    add_digest(serial);
    add_digest(packet->enter_cycle);
    add_digest(packet->leave_cycle);
    add_digest(packet->arrive_cycle);
    CU_ASSERT_TRUE(packet->arrive_cycle >=
                   packet->enter_cycle + packet->flits - 1u);
    ++arrived_packets;
}

/* Packets of one connection must arrive in the order in which they were
 * offered. */
static void on_arrived(void *context, gms_flit_packet_t *packet)
{
    const random_net_t *setting = context;
    uint64_t serial = (uint64_t)(packet - packets) + 1;

    if (setting->redraws_order && packet->source < 64 && packet->target < 64) {
        uint64_t *last =
            &last_serial[packet->source][packet->target][packet->traffic_class];

        CU_ASSERT_TRUE(*last < serial);
        *last = serial;
    }
    finished(packet);
}

static void on_absorbed(void *context, uint32_t switch_index,
                        gms_flit_packet_t *packet)
{
    (void)context;
    (void)switch_index;
    ++absorbed;
    finished(packet);
}

static void on_asks(void *context, gms_flit_packet_t *packet)
{
    (void)context;
    gms_flit_accept(net, packet);
}

static enum gms_flit_verdict on_visit(void *context, uint32_t switch_index,
                                      gms_flit_packet_t *packet,
                                      uint32_t in_link, uint32_t out_link)
{
    (void)context;
    (void)in_link;
    (void)out_link;
    ++visits;
    return (packet->draw + switch_index) % 5 == 0 ? GMS_FLIT_ABSORB
                                                  : GMS_FLIT_GO_ON;
}

static const gms_flit_hooks_t hooks = {.visit = on_visit,
                                       .absorbed = on_absorbed,
                                       .asks = on_asks,
                                       .arrived = on_arrived};

/* ---- networks ---- */

static void draw_topology(gms_random_t *random)
{
    static const unsigned kinds[] = {
        GMS_TOPOLOGY_CROSSBAR, GMS_TOPOLOGY_CASCADE, GMS_TOPOLOGY_CLOS,
        GMS_TOPOLOGY_FAT_TREE, GMS_TOPOLOGY_MESH,    GMS_TOPOLOGY_MESH,
        GMS_TOPOLOGY_TORUS};

    gms_params_init(&params);
    params.topology = kinds[below(random, 7)];
    params.hosts = 1 + below(random, 16);
    if (params.topology == GMS_TOPOLOGY_MESH ||
        params.topology == GMS_TOPOLOGY_TORUS) {
        params.columns = 1 + below(random, 5);
        params.rows = 1 + below(random, 5);
        params.hosts_per_switch = 1 + below(random, 2);
        params.hosts = params.rows * params.columns * params.hosts_per_switch;
    } else if (params.topology == GMS_TOPOLOGY_CASCADE) {
        params.hosts_per_switch = 2;
    } else if (params.topology == GMS_TOPOLOGY_CLOS) {
        params.switch_ports = 4 + 4 * below(random, 2);
    }
}

static void draw_config(gms_random_t *random)
{
    unsigned lanes = 1 + below(random, 16);
    unsigned control = lanes > 2 ? below(random, 2) : 0;
    unsigned best = 1 + below(random, lanes - control);

    gms_flit_config_init(&config);
    config.lanes = lanes;
    gms_lane_plan_init(&config.plan, lanes, lanes - control - best,
                       (int)control,
                       (enum gms_lane_policy)below(random, GMS_LANE_POLICIES),
                       1 + below(random, 4));
    config.lane_choice = below(random, 2);
    config.buffer_flits = 1 + below(random, 12);
    config.output_flits = below(random, 2) ? 1 + below(random, 12) : 0;
    config.input_cycles = below(random, 3);
    config.route_cycles = below(random, 3);
    config.lane_cycles = below(random, 3);
    config.switch_cycles = below(random, 3);
    config.crossbar_cycles = 1 + below(random, 2);
    config.output_cycles = 1 + below(random, 2);
    config.link_cycles = 1 + below(random, 3);
    config.credit_cycles = 1 + below(random, 3);
    config.match_rounds = 1 + below(random, 4);
    config.sinks_hold = (int)below(random, 2);
    config.agents = params.topology != GMS_TOPOLOGY_CLOS &&
                    params.topology != GMS_TOPOLOGY_FAT_TREE &&
                    params.topology != GMS_TOPOLOGY_CASCADE && below(random, 2);
    config.seed = gms_random_u64(random);
}

static uint32_t draw_end(random_net_t *setting)
{
    unsigned nodes = gms_topology_nodes(topology);
    unsigned agents = config.agents ? gms_topology_switches(topology) : 0;
    unsigned end = below(&setting->random, nodes + agents / 2);

    return end < nodes ? end : GMS_FLIT_AGENT(end - nodes);
}

/* All packets of one class between the same two ends form one connection. */
static void offer(random_net_t *setting, gms_flit_packet_t *packet)
{
    static const uint8_t classes[] = {GMS_LANE_CONTROL, GMS_LANE_REAL_TIME,
                                      GMS_LANE_BEST_EFFORT};
    gms_random_t *random = &setting->random;
    unsigned lane = GMS_FLIT_ANY_LANE;

    memset(packet, 0, sizeof(*packet));
    packet->source = draw_end(setting);
    packet->target = draw_end(setting);
    do {
        packet->traffic_class = classes[below(random, 3)];
    } while (config.plan.class_lanes[packet->traffic_class] == 0);
    packet->flits = (uint16_t)(1 + below(random, below(random, 3) ? 8 : 60));
    packet->draw = packet->source * 1000 + packet->target;
    packet->visits = config.agents && below(random, 4) == 0;
    if (config.lane_choice == GMS_FLIT_LANES_DRAWN || below(random, 2)) {
        lane = gms_flit_drawn_lane(&config, packet->draw, 0,
                                   packet->traffic_class);
    }
    gms_flit_offer(net, packet, lane);
}

/* Offer packets in bursts with pauses, and check the network between the
 * bursts. */
static void run_net(random_net_t *setting)
{
    unsigned offered = 0, cycles = 0;

    arrived_packets = 0;
    memset(last_serial, 0, sizeof(last_serial));
    while (offered < PACKETS || !gms_flit_is_idle(net)) {
        if (offered < PACKETS && below(&setting->random, 3) == 0) {
            offer(setting, &packets[offered++]);
        }
        if (below(&setting->random, 50) == 0) {
            uint32_t switch_index =
                below(&setting->random, gms_topology_switches(topology));

            gms_flit_set_allowance(net, switch_index,
                                   cycles < 4000 ? below(&setting->random, 40)
                                                 : GMS_FLIT_NO_ALLOWANCE);
        }
        gms_flit_step(net, &hooks, setting);
        if (++cycles % 64 == 0) {
            check_net();
        }
        if (cycles == 4000) {
            unsigned switch_index;

            for (switch_index = 0;
                 switch_index < gms_topology_switches(topology);
                 ++switch_index) {
                gms_flit_set_allowance(net, switch_index,
                                       GMS_FLIT_NO_ALLOWANCE);
            }
        }
        CU_ASSERT_TRUE_FATAL(cycles < 1000000);
    }
    check_net();
    CHECK_U64(arrived_packets, PACKETS);
    CHECK_U64(net->flits_offered, net->flits_consumed);
    CHECK_U64(net->full, 0);
}

static uint64_t run_seed(unsigned seed)
{
    random_net_t setting = {.redraws_order = 0};

    digest = UINT64_C(0xcbf29ce484222325);
    gms_random_init(&setting.random, seed, 7);
    draw_topology(&setting.random);
    draw_config(&setting.random);
    setting.redraws_order = config.lane_choice == GMS_FLIT_LANES_DRAWN;
    build();
    run_net(&setting);
    return digest;
}

static void test_random(void)
{
    unsigned seed;

    for (seed = 1; seed <= NETS; ++seed) {
        uint64_t first = run_seed(seed);

        if (seed <= 8) {
            CHECK_U64(run_seed(seed), first);
        }
    }
    CU_ASSERT_TRUE(visits > 100 && absorbed > 100);
}

static CU_TestInfo tests[] = {
    {"random networks lose no packet and keep order", test_random},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"flit-random", NULL, NULL, setup, teardown, tests});
}
