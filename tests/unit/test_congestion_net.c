/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the congestion policies on a simulated network: credits are conserved,
 * and every baseline policy has the effect that its own paper claims.
 */
#include "topology_rig.h"

#include "base/random.h"
#include "hcasim/congestion.h"

#ifndef RIG_SEED
#define RIG_SEED 7
#endif
#define NODES_MAX 256
/* largest number of messages that wait at a node; a node with this many
 * messages generates no further messages */
#define QUEUE_MAX 64
#define POOL_MAX  65536

/* State of a node's host and HCA. Randomly generated messages wait at the host
 * in the order of their generation. A message is posted when a credit is
 * available, and enters the network when the policy permits it. */
typedef struct host {
    gms_hca_message_t *waiting[QUEUE_MAX]; /* waiting messages, in a ring
                                            * buffer */
    /* the first `posted` of the waiting messages have been posted */
    unsigned first, count, posted;
    unsigned turn; /* lane of the last message that was sent */
    /* number of messages that have entered the network but not left it */
    unsigned inside;
} host_t;

static struct {
    gms_flit_config_t flit;
    gms_congestion_config_t config;
    double load; /* offered flits per node per cycle */
    unsigned packet_flits;
    unsigned room; /* largest number of messages in a node's lanes at any
                      time */
    uint64_t warm_up, cycles;
} mix;

static struct {
    gms_flit_net_t *net;
    gms_congestion_t *congestion;
    gms_random_t random;
    host_t host[NODES_MAX];
    gms_hca_message_t *unused;
    gms_hca_message_t pool[POOL_MAX];
    unsigned nodes;
    /* results after the warm-up */
    uint64_t flits, packets, network_cycles;
    uint64_t in_network, in_network_sum;
    uint64_t full_sum;
    double threshold_sum, threshold_squares;
    uint64_t samples;
} rig;

/* ---- one cycle ---------------------------------------------------------- */

static void rig_left(void *context, gms_flit_packet_t *packet)
{
    gms_congestion_completed(rig.congestion, packet->source,
                             (gms_hca_message_t *)packet->owner);
    --rig.host[packet->source].inside;
}

static void rig_arrived(void *context, gms_flit_packet_t *packet)
{
    gms_hca_message_t *message = packet->owner;

    if (gms_flit_now(rig.net) >= mix.warm_up) {
        rig.flits += packet->flits;
        ++rig.packets;
        rig.network_cycles += packet->arrive_cycle - packet->enter_cycle;
    }
    --rig.in_network;
    message->next = rig.unused;
    rig.unused = message;
}

static void rig_make(unsigned node)
{
    host_t *host = &rig.host[node];
    gms_hca_message_t *message = rig.unused;

    if (gms_random_unit(&rig.random) * mix.packet_flits > mix.load ||
        host->count == QUEUE_MAX) {
        return;
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(message);
    rig.unused = message->next;
    memset(message, 0, sizeof(*message));
    message->packet.source = node;
    do {
        message->packet.target =
            (uint32_t)gms_random_below(&rig.random, rig.nodes);
    } while (message->packet.target == node);
    message->packet.flits = (uint16_t)mix.packet_flits;
    message->packet.traffic_class = GMS_LANE_BEST_EFFORT;
    message->packet.draw = (uint32_t)gms_random_u64(&rig.random);
    message->packet.owner = message;
    host->waiting[(host->first + host->count++) % QUEUE_MAX] = message;
}

/* Return the lane for the next message: either the drawn lane, or each lane in
 * turn. */
static unsigned rig_lane(host_t *host, const gms_hca_message_t *message)
{
    unsigned lanes = mix.flit.plan.class_lanes[GMS_LANE_BEST_EFFORT];

    if (mix.flit.lane_choice == GMS_FLIT_LANES_DRAWN) {
        return gms_flit_drawn_lane(&mix.flit, message->packet.draw, 0,
                                   GMS_LANE_BEST_EFFORT);
    }
    do {
        host->turn = (host->turn + 1) % GMS_LANES_MAX;
    } while (!(lanes >> host->turn & 1));
    return host->turn;
}

static void rig_send(unsigned node)
{
    host_t *host = &rig.host[node];
    gms_hca_message_t *message = host->waiting[host->first];

    while (host->posted < host->count) {
        gms_hca_message_t *next =
            host->waiting[(host->first + host->posted) % QUEUE_MAX];

        if (!gms_congestion_may_post(rig.congestion, node, next)) {
            break;
        }
        gms_congestion_posted(rig.congestion, node, next);
        ++host->posted;
    }
    if (host->posted == 0 || host->inside == mix.room ||
        !gms_congestion_may_enter(rig.congestion, node, message)) {
        return;
    }
    gms_congestion_entered(rig.congestion, node, message);
    gms_flit_offer(rig.net, &message->packet, rig_lane(host, message));
    ++rig.in_network;
    ++host->inside;
    --host->posted;
    --host->count;
    host->first = (host->first + 1) % QUEUE_MAX;
}

static void rig_sample(void)
{
    double threshold = gms_congestion_threshold(rig.congestion);

    rig.in_network_sum += rig.in_network;
    rig.full_sum += gms_flit_full_buffers(rig.net);
    rig.threshold_sum += threshold;
    rig.threshold_squares += threshold * threshold;
    ++rig.samples;
}

static void rig_step(void)
{
    static const gms_flit_hooks_t hooks = {.left = rig_left,
                                           .arrived = rig_arrived};
    unsigned node;

    gms_congestion_step(rig.congestion);
    for (node = 0; node < rig.nodes; ++node) {
        rig_make(node);
        if (rig.host[node].count > 0) {
            rig_send(node);
        }
    }
    gms_flit_step(rig.net, &hooks, NULL);
    if (gms_flit_now(rig.net) >= mix.warm_up &&
        gms_flit_now(rig.net) % 32 == 0) {
        rig_sample();
    }
}

/* ---- one run ------------------------------------------------------------ */

static void start(void)
{
    setup();
    memset(&mix, 0, sizeof(mix));
    gms_flit_config_init(&mix.flit);
    gms_lane_plan_init(&mix.flit.plan, mix.flit.lanes, 0, 1,
                       GMS_LANE_ROUND_ROBIN, 4);
    gms_congestion_config_init(&mix.config);
    mix.packet_flits = 40;
    mix.room = QUEUE_MAX;
}

static void finish(void)
{
    teardown();
}

static void rig_create(unsigned policy)
{
    unsigned i;

    memset(&rig, 0, sizeof(rig));
    rig.nodes = gms_topology_nodes(topology);
    gms_random_init(&rig.random, RIG_SEED, 0);
    for (i = 0; i < POOL_MAX; ++i) {
        rig.pool[i].next = rig.unused;
        rig.unused = &rig.pool[i];
    }
    CU_ASSERT_EQUAL_FATAL(
        gms_flit_create(arena, topology, &mix.flit, &rig.net, error), GMS_OK);
    mix.config.policy = policy;
    CU_ASSERT_EQUAL_FATAL(
        gms_congestion_create(&mix.config, rig.net, &rig.congestion, error),
        GMS_OK);
}

static void rig_destroy(void)
{
    gms_congestion_destroy(rig.congestion);
    gms_flit_destroy(arena, rig.net);
}

/* Return the delivered flits per node per cycle. */
static double throughput(void)
{
    return (double)rig.flits / (double)mix.cycles / rig.nodes;
}

static double network_latency(void)
{
    return (double)rig.network_cycles / (double)rig.packets;
}

static void run(unsigned policy)
{
    rig_create(policy);
    while (gms_flit_now(rig.net) < mix.warm_up + mix.cycles) {
        rig_step();
    }
    /* 1: the test prints its results */
    if (getenv("VERBOSE") != NULL) {
        double mean = rig.threshold_sum / (double)rig.samples;

        printf("\n    %-11s %3u nodes, load %.3f: throughput %.4f, network "
               "latency %.1f, in network %.0f, full %.0f, threshold %.1f +- "
               "%.1f",
               gms_congestion_policy_names[policy], rig.nodes, mix.load,
               throughput(), network_latency(),
               (double)rig.in_network_sum / (double)rig.samples,
               (double)rig.full_sum / (double)rig.samples, mean,
               sqrt(rig.threshold_squares / (double)rig.samples - mean * mean));
    }
}

/* ---- credits ------------------------------------------------------------ */

/* The number of messages that a node has posted but not completely transferred
 * must never exceed the number of its credits. When all messages have left the
 * network, all credits must have returned. */
static void check_conserved(unsigned policy)
{
    unsigned node, queue, most = 0;

    rig_create(policy);
    while (gms_flit_now(rig.net) < 3000) {
        rig_step();
        for (node = 0; node < rig.nodes; ++node) {
            unsigned out = 0, given = 0;

            for (queue = 0; queue < gms_congestion_queues(rig.congestion);
                 ++queue) {
                unsigned used =
                    gms_congestion_used(rig.congestion, node, queue);

                CU_ASSERT_TRUE(used <= gms_congestion_credits(rig.congestion,
                                                              node, queue));
                out += used;
                given += gms_congestion_credits(rig.congestion, node, queue);
            }
            CU_ASSERT_TRUE(gms_flit_waiting(rig.net, node) <=
                           (uint64_t)given * mix.packet_flits);
            most = out > most ? out : most;
        }
    }
    if (policy == GMS_CONGESTION_CREDIT) {
        CHECK_U64(most, 16); /* the traffic has reached the limit */
    }
    mix.load = 0;
    while (rig.in_network > 0 || rig.host[0].count > 0) {
        rig_step();
        CU_ASSERT_FATAL(gms_flit_now(rig.net) < 100000);
    }
    for (node = 0; node < rig.nodes; ++node) {
        for (queue = 0; queue < gms_congestion_queues(rig.congestion);
             ++queue) {
            CHECK_U64(gms_congestion_used(rig.congestion, node, queue), 0);
        }
    }
    CU_ASSERT_EQUAL(gms_flit_check(rig.net, error), GMS_OK);
    rig_destroy();
}

static void mesh(unsigned kind, unsigned side)
{
    params.rows = side;
    params.columns = side;
    build(kind, side * side);
}

static void test_credits_conserved(void)
{
    unsigned policy;

    mesh(GMS_TOPOLOGY_MESH, 4);
    mix.config.credits_best = 16;
    for (policy = GMS_CONGESTION_CREDIT; policy <= GMS_CONGESTION_QUAD_CQ;
         ++policy) {
        mix.load = 1;
        check_conserved(policy);
    }
}

/* ---- claims in the papers about the baseline policies ---- */

/* As in both papers, there are 3 data lanes of 8 flits each, and packets have
 * 16 flits. The network is an 8 x 8 torus. On this torus, routes lead up and
 * down a tree, and load the links near the root most heavily. A network without
 * control therefore delivers less beyond saturation than at saturation. (With
 * dimension-order routes on a mesh, this would not happen.) */
static void papers_network(void)
{
    mix.flit.lanes = 4;
    gms_lane_plan_init(&mix.flit.plan, mix.flit.lanes, 0, 1,
                       GMS_LANE_ROUND_ROBIN, 4);
    mix.flit.buffer_flits = 8;
    mix.packet_flits = 16;
    mix.warm_up = 5000;
    mix.cycles = 10000;
    mesh(GMS_TOPOLOGY_TORUS, 8);
}

static void run_at(unsigned policy, double load)
{
    mix.load = load;
    run(policy);
    CU_ASSERT_EQUAL(gms_flit_check(rig.net, error), GMS_OK);
    rig_destroy();
}

/* [source: Thottethodi et al. 2001, section 5] Without control, the throughput
 * collapses beyond saturation. With Self-Tuned, the throughput stays close to
 * the peak at any load, and the policy finds its threshold by itself. As in the
 * paper, a source has at most as many messages in the network as it has
 * lanes. */
static void test_self_tuned_keeps_the_peak(void)
{
    static const double past[] = {0.4, 0.6};
    double peak, none, latency, mean, variance;
    unsigned i;

    papers_network();
    mix.flit.match_rounds = 1;
    mix.room = 3;
    run_at(GMS_CONGESTION_NONE, 0.17); /* saturation begins at a load of 0.18 */
    peak = throughput();
    CHECK_NEAR(peak, 0.17, 0.05);
    for (i = 0; i < 2; ++i) {
        run_at(GMS_CONGESTION_NONE, past[i]);
        none = throughput();
        latency = network_latency();
        CU_ASSERT_TRUE(i == 0 || none < 0.92 * peak);
        run_at(GMS_CONGESTION_SELF_TUNED, past[i]);
        CU_ASSERT_TRUE(throughput() > 0.93 * peak);
        CU_ASSERT_TRUE(throughput() > (i == 0 ? 1.03 : 1.06) * none);
        CU_ASSERT_TRUE(network_latency() < 0.75 * latency);
        /* There are 1152 buffers: 5 * 64 * 3 in switches and 64 * 3 in HCAs.
         * The mean threshold is between 1 and 20 % of this number, and the
         * threshold stays close to its mean. */
        mean = rig.threshold_sum / (double)rig.samples;
        variance = rig.threshold_squares / (double)rig.samples - mean * mean;
        CU_ASSERT_TRUE(mean > 0.01 * 1152 && mean < 0.2 * 1152);
        CU_ASSERT_TRUE(sqrt(variance) < 0.05 * 1152);
    }
}

/* [source: Baydal et al. 2000, section 5] At-Least-One does not reduce the
 * throughput below saturation. Beyond saturation, the network contains fewer
 * messages than without control, their latency in the network is lower, and the
 * throughput is not lower. The network in the paper has adaptive routing and
 * deadlocks. Without control, it therefore loses more throughput than this
 * network. */
static void test_alo_relieves_the_network(void)
{
    double none, latency, packets;

    papers_network();
    run_at(GMS_CONGESTION_NONE, 0.1);
    none = throughput();
    latency = network_latency();
    run_at(GMS_CONGESTION_ALO, 0.1);
    CHECK_NEAR(throughput(), none, 1e-3);
    CHECK_NEAR(network_latency(), latency, 1e-2);
    run_at(GMS_CONGESTION_NONE, 0.6);
    none = throughput();
    latency = network_latency();
    packets = (double)rig.in_network_sum;
    run_at(GMS_CONGESTION_ALO, 0.6);
    CU_ASSERT_TRUE(throughput() > 1.01 * none);
    CU_ASSERT_TRUE(network_latency() < 0.95 * latency);
    CU_ASSERT_TRUE((double)rig.in_network_sum < 0.25 * packets);
}

int main(void)
{
    CU_TestInfo all[] = {
        {"credits are conserved", test_credits_conserved},
        {"Self-Tuned stays near the peak", test_self_tuned_keeps_the_peak},
        {"At-Least-One relieves the network", test_alo_relieves_the_network},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"congestion", NULL, NULL, start, finish, all});
}
