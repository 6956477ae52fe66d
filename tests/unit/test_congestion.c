/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests each congestion policy separately, without a network: the test
 * determines the results of the network's functions. The program
 * test_congestion_net.c uses the simulated network instead.
 */
#include "topology_rig.h"

#include "base/random.h"
#include "hcasim/congestion_int.h"

#define LINKS      256
#define FAKE_LANES 16

/* ---- a network that the test controls ---- */

struct gms_flit_net {
    gms_flit_config_t config;
    uint64_t now, full;
    uint16_t busy[LINKS];
    uint64_t flits[LINKS];
};

static gms_flit_net_t net;
static gms_congestion_t *congestion;
static gms_congestion_config_t config;
static int fails_after; /* number of allocations that still succeed; negative:
                         * all succeed */

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__real_realloc(void *block, size_t bytes);
void *__wrap_realloc(void *block, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails_after >= 0 && fails_after-- == 0 ? NULL
                                                  : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *block, size_t bytes)
{
    return fails_after >= 0 && fails_after-- == 0
               ? NULL
               : __real_realloc(block, bytes);
}

gms_topology_t *gms_flit_topology(const gms_flit_net_t *fake)
{
    return topology;
}

const gms_flit_config_t *gms_flit_config(const gms_flit_net_t *fake)
{
    return &fake->config;
}

uint64_t gms_flit_now(const gms_flit_net_t *fake)
{
    return fake->now;
}

uint64_t gms_flit_full_buffers(const gms_flit_net_t *fake)
{
    return fake->full;
}

uint16_t gms_flit_busy_lanes(const gms_flit_net_t *fake, uint32_t link)
{
    return fake->busy[link];
}

uint64_t gms_flit_link_flits(const gms_flit_net_t *fake, uint32_t link)
{
    return fake->flits[link];
}

unsigned gms_flit_route_links(const gms_flit_net_t *fake, uint32_t source,
                              uint32_t target, uint32_t *links, unsigned max)
{
    uint32_t route[GMS_ROUTE_LINKS_MAX];
    unsigned count = gms_topology_links(topology, source, target, route), i;

    for (i = 0; i < count && i < max; ++i) {
        links[i] = route[i];
    }
    return count;
}

/* Return lane number `draw` of the class, counted from the first lane of the
 * class. On each further link, the packet uses the next lane. */
unsigned gms_flit_drawn_lane(const gms_flit_config_t *flit, uint32_t draw,
                             unsigned hop, unsigned traffic_class)
{
    unsigned lanes = flit->plan.class_lanes[traffic_class];

    return (unsigned)__builtin_ctz(lanes) +
           (draw + hop) % (unsigned)__builtin_popcount(lanes);
}

/* Define a network with 11 lanes for real-time traffic (0..10), 4 lanes for
 * best-effort traffic (11..14), and one lane for control traffic (15). */
static void fake_net(unsigned lane_choice)
{
    memset(&net, 0, sizeof(net));
    net.config.lanes = FAKE_LANES;
    net.config.lane_choice = lane_choice;
    net.config.buffer_flits = 10;
    net.config.plan.class_lanes[GMS_LANE_REAL_TIME] = 0x07ff;
    net.config.plan.class_lanes[GMS_LANE_BEST_EFFORT] = 0x7800;
    net.config.plan.class_lanes[GMS_LANE_CONTROL] = 0x8000;
}

/* ---- helper functions ---- */

static void start_grid(unsigned kind, unsigned rows, unsigned columns)
{
    fails_after = -1;
    setup();
    params.rows = rows;
    params.columns = columns;
    build(kind, rows * columns);
    fake_net(GMS_FLIT_LANES_DRAWN);
    gms_congestion_config_init(&config);
    congestion = NULL;
}

static void start(void)
{
    start_grid(GMS_TOPOLOGY_MESH, 4, 4);
}

static void finish(void)
{
    fails_after = -1;
    gms_congestion_destroy(congestion);
    congestion = NULL;
    teardown();
}

static void create(unsigned policy)
{
    gms_congestion_destroy(congestion);
    congestion = NULL;
    config.policy = policy;
    CU_ASSERT_EQUAL_FATAL(
        gms_congestion_create(&config, &net, &congestion, error), GMS_OK);
}

static gms_hca_message_t message_of(unsigned traffic_class, uint32_t connection,
                                    uint32_t source, uint32_t target)
{
    gms_hca_message_t message;

    memset(&message, 0, sizeof(message));
    message.packet.traffic_class = (uint8_t)traffic_class;
    message.packet.source = source;
    message.packet.target = target;
    message.packet.flits = 40;
    message.connection = connection;
    return message;
}

/* Post messages as long as the policy permits it. @return number of messages */
static unsigned post_all(gms_hca_message_t *message)
{
    unsigned count = 0;

    while (count < 5000 && gms_congestion_may_post(
                               congestion, message->packet.source, message)) {
        gms_congestion_posted(congestion, message->packet.source, message);
        ++count;
    }
    return count;
}

static unsigned post_real_time(uint32_t node, uint32_t connection)
{
    gms_hca_message_t message =
        message_of(GMS_LANE_REAL_TIME, connection, node, node + 1);

    return post_all(&message);
}

static unsigned post_best(uint32_t node, uint32_t target)
{
    gms_hca_message_t message =
        message_of(GMS_LANE_BEST_EFFORT, 0, node, target);

    return post_all(&message);
}

/* ---- settings ----------------------------------------------------------- */

static void check_refused(const char *text)
{
    gms_congestion_t *none = NULL;

    CU_ASSERT_EQUAL(gms_congestion_create(&config, &net, &none, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NULL(none);
    if (strcmp(error, text) != 0) {
        printf("\n    %s\n    expected\n    %s\n", error, text);
    }
    CU_ASSERT_STRING_EQUAL(error, text);
    gms_congestion_config_init(&config);
}

static void test_settings(void)
{
    unsigned policy;

    for (policy = 0; policy < GMS_CONGESTION_POLICIES; ++policy) {
        CU_ASSERT_PTR_NOT_NULL(gms_congestion_policy_names[policy]);
        create(policy);
    }
    CU_ASSERT_PTR_NULL(gms_congestion_policy_names[policy]);
    gms_congestion_destroy(NULL);
    gms_congestion_config_init(&config);
    config.policy = GMS_CONGESTION_POLICIES;
    check_refused("congestion policy 6 is unknown; allowed: 0..5");
    config.buffer_messages = 0;
    check_refused("buffer_messages is 0; allowed: 1 or more");
    config.credits_best = 0;
    check_refused("credits_best is 0; allowed: 1 or more");
    config.gather_cycles = 0;
    check_refused("gather_cycles is 0; allowed: 1 or more");
    config.tune_gathers = 0;
    check_refused("tune_gathers is 0; allowed: 1 or more");
    config.credits_best = 1001;
    check_refused(
        "1001 credits for best effort (credits_best) exceed the capacity of "
        "the HCA; allowed: 1..1000 (buffer_messages)");
}

static void test_quad_needs_a_grid(void)
{
    params.rows = 0;
    params.columns = 0;
    build(GMS_TOPOLOGY_CROSSBAR, 8);
    config.policy = GMS_CONGESTION_QUAD_CQ;
    check_refused(
        "quad-cq requires rows and columns; allowed: topology mesh or torus");
}

/* Let the first allocation fail, then the second, and so on. */
static void test_no_memory(void)
{
    unsigned policy, failures = 0;
    gms_status_t status;
    int nth;

    for (policy = 0; policy < GMS_CONGESTION_POLICIES; ++policy) {
        for (nth = 0, status = GMS_ERR_NO_MEMORY; status != GMS_OK; ++nth) {
            gms_congestion_t *made = NULL;

            config.policy = policy;
            fails_after = nth;
            status = gms_congestion_create(&config, &net, &made, error);
            fails_after = -1;
            CU_ASSERT_TRUE(status == GMS_OK || status == GMS_ERR_NO_MEMORY);
            CU_ASSERT_EQUAL(made == NULL, status != GMS_OK);
            failures += status != GMS_OK;
            gms_congestion_destroy(made);
        }
    }
    /* Each policy needs one allocation. Each of the three credit policies needs
     * three more allocations: its own structure, its nodes, and its queues. The
     * policy alo also allocates its lanes, and the policy self-tuned allocates
     * its lanes and its tuner. */
    CHECK_U64(failures, 6 + 3 * 3 + 1 + 2);
    create(GMS_CONGESTION_CREDIT);
    fails_after = 0;
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 3, 0.5),
                    GMS_ERR_NO_MEMORY);
    CHECK_U64(post_real_time(0, 3), 0);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 3, 0.5), GMS_OK);
    CHECK_U64(post_real_time(0, 3), 500);
}

/* ---- credits ------------------------------------------------------------ */

/* A connection that reserves a fraction of the link's bandwidth receives the
 * same fraction of the credits, rounded down, but at least one credit. */
static void test_credits_of_connections(void)
{
    static const struct {
        unsigned room;
        double share;
        unsigned credits;
    } cases[] = {
        {400, 1.0 / 40, 10}, {400, 0.0049, 1},    {400, 0.0051, 2},
        {400, 0.0001, 1},    {300, 1.0 / 3, 100}, {3, 1.0 / 3, 1},
        {1000, 0.0029, 2},   {1000, 1.0, 1000},   {1, 0.7, 1},
        {100, 0.29, 29}, /* the product is 28.999999999999996 in binary
                          * arithmetic */
    };
    unsigned i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        config.buffer_messages = cases[i].room;
        config.credits_best = 1;
        create(GMS_CONGESTION_CREDIT + i % 3);
        CU_ASSERT_EQUAL(
            gms_congestion_open(congestion, 2, 7 + i, cases[i].share), GMS_OK);
        CHECK_U64(post_real_time(2, 7 + i), cases[i].credits);
        CHECK_U64(post_real_time(2, 6 + i), 0); /* this connection is not
                                                 * open */
    }
}

/* A credit returns only when its message has left the network, and only to the
 * queue of the message. */
static void test_credits_come_back(void)
{
    gms_hca_message_t a = message_of(GMS_LANE_REAL_TIME, 1, 0, 3);
    gms_hca_message_t b = message_of(GMS_LANE_BEST_EFFORT, 0, 0, 3);

    config.buffer_messages = 100;
    config.credits_best = 20;
    create(GMS_CONGESTION_CREDIT);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 1, 0.05), GMS_OK);
    CHECK_U64(post_all(&a), 5);
    CHECK_U64(post_all(&b), 20);
    CHECK_U64(post_best(1, 3), 20);
    gms_congestion_entered(congestion, 0, &a);
    CHECK_U64(post_all(&a), 0);
    gms_congestion_completed(congestion, 0, &a);
    CHECK_U64(post_all(&b), 0);
    CHECK_U64(post_all(&a), 1);
    gms_congestion_completed(congestion, 0, &b);
    gms_congestion_completed(congestion, 0, &b);
    CHECK_U64(gms_congestion_used(congestion, 0, 0), 18);
    CHECK_U64(post_all(&a), 0);
    CHECK_U64(post_all(&b), 2);
}

/* A closed connection has no credits. The credits of its outstanding messages
 * nevertheless return to best-effort traffic. */
static void test_connections_end(void)
{
    gms_hca_message_t a = message_of(GMS_LANE_REAL_TIME, 9, 0, 3);
    unsigned i;

    config.buffer_messages = 100;
    config.credits_best = 60;
    create(GMS_CONGESTION_CREDIT);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 9, 0.5), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 50);
    CHECK_U64(post_all(&a), 50);
    gms_congestion_close(congestion, 0, 9);
    gms_congestion_close(congestion, 0, 9);
    gms_congestion_close(congestion, 0, 1u << 20); /* this connection was never
                                                    * open */
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 60);
    gms_congestion_completed(congestion, 0, &a);
    CHECK_U64(post_all(&a), 0);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 9, 0.25), GMS_OK);
    CHECK_U64(post_all(&a), 0); /* 49 credits are outstanding */
    for (i = 0; i < 25; ++i) {
        gms_congestion_completed(congestion, 0, &a);
    }
    CHECK_U64(post_all(&a), 1);
}

/* Best-effort traffic receives the part of the M credits that connections do
 * not use. */
static void test_best_effort_gets_the_rest(void)
{
    config.buffer_messages = 250;
    config.credits_best = 200;
    create(GMS_CONGESTION_CREDIT);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 200);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 1, 0.2), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 200);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 2, 0.2), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 150);
    CHECK_U64(gms_congestion_credits(congestion, 1, 0), 200);
    CHECK_U64(post_best(0, 5), 150);
    /* If more credits are outstanding than best-effort traffic may now have, no
     * credit is available until enough credits have returned. */
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 3, 0.4), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 50);
    CHECK_U64(post_best(0, 5), 0);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 4, 0.9), GMS_OK);
    CHECK_U64(gms_congestion_credits(congestion, 0, 0), 1);
}

static unsigned sum_of_credits(void)
{
    unsigned sum = 0, queue;

    for (queue = 0; queue < gms_congestion_queues(congestion); ++queue) {
        sum += gms_congestion_credits(congestion, 0, queue);
    }
    return sum;
}

/* The credits are divided among the queues as evenly as possible. With 200
 * credits, eight of 16 queues have 13 credits and eight have 12. */
static void test_credits_are_divided(void)
{
    unsigned target;

    create(GMS_CONGESTION_SEPARATE_CQ);
    CHECK_U64(gms_congestion_queues(congestion), 16);
    CHECK_U64(sum_of_credits(), 200);
    for (target = 0; target < 16; ++target) {
        CHECK_U64(gms_congestion_queue(congestion, 3, target), target);
        CHECK_U64(post_best(3, target), target < 8 ? 13 : 12);
    }
    config.credits_best = 3;
    create(GMS_CONGESTION_SEPARATE_CQ);
    CHECK_U64(sum_of_credits(), 16);
    config.credits_best = 10;
    create(GMS_CONGESTION_QUAD_CQ);
    CHECK_U64(gms_congestion_queues(congestion), 4);
    CHECK_U64(sum_of_credits(), 10);
    CHECK_U64(post_best(5, 6), 3);  /* right */
    CHECK_U64(post_best(5, 10), 0); /* a target below and to the right belongs
                                     * to the quadrant "right" */
    CHECK_U64(post_best(5, 9), 3);  /* down */
    CHECK_U64(post_best(5, 4), 2);  /* left */
    CHECK_U64(post_best(5, 1), 2);  /* up */
    CHECK_U64(post_best(5, 2), 0);  /* a target above and to the right belongs
                                     * to the quadrant "up" */
    create(GMS_CONGESTION_CREDIT);
    CHECK_U64(gms_congestion_queues(congestion), 1);
    CHECK_U64(gms_congestion_queue(congestion, 3, 9), 0);
}

/* Compare the quadrants of node 5 of a 4 x 4 mesh with values computed by
 * hand. */
static void test_quadrants(void)
{
    static const unsigned quadrant[16] = {2, 3, 3, 3, /**/ 2, 0, 0, 0,
                                          1, 1, 0, 0, /**/ 1, 1, 0, 0};
    unsigned source, target;

    create(GMS_CONGESTION_QUAD_CQ);
    for (target = 0; target < 16; ++target) {
        CHECK_U64(gms_congestion_queue(congestion, 5, target),
                  quadrant[target]);
    }
    /* If B is in the first quadrant of A, then A is in the third quadrant of B;
     * the same applies to the other quadrants. */
    for (source = 0; source < 16; ++source) {
        for (target = 0; target < 16; ++target) {
            if (source != target) {
                CHECK_U64(
                    gms_congestion_queue(congestion, target, source),
                    (gms_congestion_queue(congestion, source, target) + 2) % 4);
            }
        }
    }
}

/* On a 5 x 5 torus, each quadrant of a node contains 6 other nodes. */
static void test_quadrants_of_a_torus(void)
{
    unsigned source, target, queue;

    params.rows = 5;
    params.columns = 5;
    build(GMS_TOPOLOGY_TORUS, 25);
    create(GMS_CONGESTION_QUAD_CQ);
    for (source = 0; source < 25; ++source) {
        unsigned count[4] = {0, 0, 0, 0};

        for (target = 0; target < 25; ++target) {
            if (target != source) {
                queue = gms_congestion_queue(congestion, source, target);
                ++count[queue];
            }
        }
        for (queue = 0; queue < 4; ++queue) {
            CHECK_U64(count[queue], 6);
        }
    }
    /* the route leads to the left, around the torus */
    CHECK_U64(gms_congestion_queue(congestion, 0, 4), 2);
    /* the route leads up, around the torus */
    CHECK_U64(gms_congestion_queue(congestion, 0, 20), 3);
    CHECK_U64(gms_congestion_queue(congestion, 0, 24), 2); /* the route leads
                                                            * left and up */
}

/* In random histories, the outstanding credits never exceed the assigned
 * credits, and all assigned credits can be used. */
static void random_history(unsigned policy, gms_random_t *random)
{
    static unsigned out[16][16];
    unsigned i, queue;

    memset(out, 0, sizeof(out));
    config.credits_best = 1 + (unsigned)gms_random_below(random, 40);
    create(policy);
    for (i = 0; i < 4000; ++i) {
        uint32_t node = (uint32_t)gms_random_below(random, 16);
        uint32_t target = (uint32_t)gms_random_below(random, 16);
        gms_hca_message_t message =
            message_of(GMS_LANE_BEST_EFFORT, 0, node, target);
        unsigned limit;

        queue = gms_congestion_queue(congestion, node, target);
        limit = gms_congestion_credits(congestion, node, queue);
        if (gms_random_below(random, 3) > 0) {
            int may = gms_congestion_may_post(congestion, node, &message);

            CHECK_U64(may, out[node][queue] < limit);
            if (may) {
                gms_congestion_posted(congestion, node, &message);
                ++out[node][queue];
            }
        } else if (out[node][queue] > 0) {
            gms_congestion_completed(congestion, node, &message);
            --out[node][queue];
        }
        CHECK_U64(gms_congestion_used(congestion, node, queue),
                  out[node][queue]);
    }
}

static void test_random_histories(void)
{
    gms_random_t random;
    unsigned i;

    gms_random_init(&random, 1, 0);
    for (i = 0; i < 6; ++i) {
        random_history(GMS_CONGESTION_CREDIT + i % 3, &random);
    }
}

/* ---- messages that are never delayed ---- */

static void test_control_and_none(void)
{
    gms_hca_message_t control = message_of(GMS_LANE_CONTROL, 0, 5, 6);
    gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, 5, 6);
    unsigned policy;

    memset(net.busy, 0xff, sizeof(net.busy));
    net.full = 100000;
    for (policy = 0; policy < GMS_CONGESTION_POLICIES; ++policy) {
        create(policy);
        net.now += 3 * config.gather_cycles;
        gms_congestion_step(congestion);
        net.now += config.gather_cycles;
        gms_congestion_step(congestion);
        CHECK_U64(post_all(&control), 5000);
        CU_ASSERT_TRUE(gms_congestion_may_enter(congestion, 5, &control));
        gms_congestion_entered(congestion, 5, &control);
        gms_congestion_completed(congestion, 5, &control);
    }
    create(GMS_CONGESTION_NONE);
    CHECK_U64(post_all(&best), 5000);
    CU_ASSERT_TRUE(gms_congestion_may_enter(congestion, 5, &best));
    CHECK_U64(gms_congestion_credits(congestion, 5, 0), 1000);
    CHECK_U64(gms_congestion_used(congestion, 5, 0), 0);
    CHECK_U64(gms_congestion_next(congestion), UINT64_MAX);
    CU_ASSERT_EQUAL(gms_congestion_open(congestion, 0, 1, 1), GMS_OK);
    gms_congestion_close(congestion, 0, 1);
    gms_congestion_posted(congestion, 5, &best);
    gms_congestion_entered(congestion, 5, &best);
    gms_congestion_completed(congestion, 5, &best);
    gms_congestion_step(congestion);
    CHECK_U64(gms_congestion_queues(congestion), 1);
    CHECK_NEAR(gms_congestion_threshold(congestion), 0.0, 0);
}

/* ---- the policy alo ------------------------------------------------------ */

static int alo_allows_drawn(uint16_t busy, uint32_t target, uint32_t draw)
{
    gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, 5, target);
    uint32_t links[2];

    best.packet.draw = draw;
    gms_flit_route_links(&net, 5, 6, links,
                         2); /* the link from switch 5 to the right */
    net.busy[links[1]] = busy;
    return gms_congestion_may_enter(congestion, 5, &best);
}

static int alo_allows(uint16_t busy, uint32_t target)
{
    return alo_allows_drawn(busy, target, 0);
}

static void alo_put(unsigned traffic_class, uint32_t draw)
{
    gms_hca_message_t message = message_of(traffic_class, 0, 5, 6);

    message.packet.draw = draw;
    gms_congestion_entered(congestion, 5, &message);
}

static void alo_take(unsigned traffic_class, uint32_t draw)
{
    gms_hca_message_t message = message_of(traffic_class, 0, 5, 6);

    message.packet.draw = draw;
    gms_congestion_completed(congestion, 5, &message);
}

static void start_alo(unsigned lane_choice)
{
    net.config.lane_choice = lane_choice;
    create(GMS_CONGESTION_ALO);
    CHECK_U64(gms_congestion_next(congestion), UINT64_MAX);
}

/* Lanes 11..14 belong to best-effort traffic. One free lane among these lanes
 * is enough. Lanes of other classes and other links do not matter. */
static void test_alo_network(void)
{
    start_alo(GMS_FLIT_LANES_FREE);
    alo_put(GMS_LANE_BEST_EFFORT, 0); /* one lane of the HCA is in use */
    CU_ASSERT_TRUE(alo_allows(0x0000, 6));
    CU_ASSERT_TRUE(alo_allows(0x87ff, 6));   /* the real-time and control lanes
                                              * are busy */
    CU_ASSERT_TRUE(alo_allows(0x7000, 6));   /* lane 11 is free */
    CU_ASSERT_TRUE(alo_allows(0x3fff, 6));   /* lane 14 is free */
    CU_ASSERT_FALSE(alo_allows(0x7800, 6));  /* no lane is free */
    CU_ASSERT_FALSE(alo_allows(0xffff, 7));  /* this target is in the same
                                              * direction */
    CU_ASSERT_FALSE(alo_allows(0xffff, 10)); /* the route to this target begins
                                              * along the row */
    CU_ASSERT_TRUE(alo_allows(0xffff, 9));   /* down */
    CU_ASSERT_TRUE(alo_allows(0xffff, 4));
    /* the message to the sender's own node uses the link back to this node */
    CU_ASSERT_TRUE(alo_allows(0xffff, 5));
    memset(net.busy, 0xff, sizeof(net.busy));
    CU_ASSERT_FALSE(alo_allows(0xffff, 5)); /* now the link back to the node is
                                             * also busy */
}

/* If the lane can be chosen freely, each message occupies one lane of the HCA.
 * A message may enter the network if both the HCA and the network link have a
 * free lane. It may also enter if no lane of the HCA or no lane of the link is
 * in use. */
static void test_alo_hca(void)
{
    unsigned i;

    start_alo(GMS_FLIT_LANES_FREE);
    CU_ASSERT_TRUE(alo_allows(0xffff, 6)); /* the HCA is empty */
    alo_put(GMS_LANE_REAL_TIME, 3);
    CU_ASSERT_TRUE(alo_allows(0xffff, 6)); /* no best-effort lane of the HCA is
                                              in use */
    for (i = 0; i < 3; ++i) {
        alo_put(GMS_LANE_BEST_EFFORT, 0);
        CU_ASSERT_TRUE(alo_allows(0x7000, 6));
        CU_ASSERT_FALSE(alo_allows(0x7800, 6));
    }
    alo_put(GMS_LANE_BEST_EFFORT, 0); /* no lane is free */
    CU_ASSERT_FALSE(alo_allows(0x7000, 6));
    CU_ASSERT_FALSE(alo_allows(0x0800, 6));
    CU_ASSERT_TRUE(alo_allows(0x87ff, 6));
    alo_put(GMS_LANE_BEST_EFFORT, 0);
    alo_take(GMS_LANE_BEST_EFFORT, 0);
    CU_ASSERT_FALSE(alo_allows(0x7000, 6)); /* four messages remain */
    alo_take(GMS_LANE_BEST_EFFORT, 0);
    CU_ASSERT_TRUE(alo_allows(0x7000, 6));
    CU_ASSERT_TRUE(gms_congestion_may_enter(
        congestion, 4,
        &(gms_hca_message_t){
            .packet = {.source = 4,
                       .target = 5,
                       .traffic_class = GMS_LANE_BEST_EFFORT}}));
}

/* If lanes are drawn, a message with draw 1 uses lane 12 of the HCA and lane 13
 * of the link behind the HCA's switch. The message cannot use any other free
 * lane. */
static void test_alo_drawn(void)
{
    start_alo(GMS_FLIT_LANES_DRAWN);
    alo_put(GMS_LANE_BEST_EFFORT, 0); /* this message uses lane 11 */
    CU_ASSERT_TRUE(alo_allows_drawn(0x5800, 6, 1));
    CU_ASSERT_FALSE(alo_allows_drawn(0x2000, 6, 1)); /* lane 13 is busy */
    CU_ASSERT_TRUE(alo_allows_drawn(0x0000, 6, 1));
    /* lane 11 of the HCA is in use */
    CU_ASSERT_FALSE(alo_allows_drawn(0x4000, 6, 0));
    /* all lanes of the link behind the HCA's switch are free */
    CU_ASSERT_TRUE(alo_allows_drawn(0x0000, 6, 0));
    /* no best-effort lane is busy */
    CU_ASSERT_TRUE(alo_allows_drawn(0x87ff, 6, 0));
    alo_put(GMS_LANE_BEST_EFFORT, 0); /* lane 11 contains a second message */
    alo_take(GMS_LANE_BEST_EFFORT, 0);
    /* lane 11 still contains one message */
    CU_ASSERT_FALSE(alo_allows_drawn(0x4000, 6, 0));
    alo_take(GMS_LANE_BEST_EFFORT, 0);
    CU_ASSERT_TRUE(alo_allows_drawn(0xffff, 6, 0)); /* the HCA is empty */
    alo_put(GMS_LANE_REAL_TIME, 0);
    /* no best-effort lane of the HCA is in use */
    CU_ASSERT_TRUE(alo_allows_drawn(0xffff, 6, 0));
}

/* Set the busy lanes of link number `hop' of the route from node 5 to node 7,
 * which is two switches to the right. The links are node 5's own link, 5 -> 6,
 * 6 -> 7, and the link into node 7. */
static void alo_busy(unsigned hop, uint16_t busy)
{
    uint32_t links[4];

    CHECK_U64(gms_flit_route_links(&net, 5, 7, links, 4), 4);
    net.busy[links[hop]] = busy;
}

static int alo_allows_7(void)
{
    gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, 5, 7);

    return gms_congestion_may_enter(congestion, 5, &best);
}

/* The rule GMS_ALO_ROUTE checks every link on the route. A message with draw 0
 * uses the lanes 11, 12, 13 and 14 on the four links of its route. */
static void test_alo_route(void)
{
    config.alo_rule = GMS_ALO_ROUTE;
    start_alo(GMS_FLIT_LANES_DRAWN);
    alo_put(GMS_LANE_BEST_EFFORT, 1); /* lane 12 of the HCA, which the message
                                         does not need */
    alo_busy(1, 0x0800);              /* lane 11, which the message does not
                                         need */
    alo_busy(2, 0x5800);              /* lane 13 is free */
    alo_busy(3, 0x3800);              /* lane 14 is free */
    CU_ASSERT_TRUE(alo_allows_7());
    alo_busy(2, 0x2000); /* the link from the second switch */
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(2, 0x5800);
    alo_busy(3, 0x4000); /* the link into the target */
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(2, 0x87ff); /* second part of the rule: no lane of the class is
                            busy */
    CU_ASSERT_TRUE(alo_allows_7());
    config.alo_rule = 0;
    start_alo(GMS_FLIT_LANES_DRAWN);
    alo_put(GMS_LANE_BEST_EFFORT, 1);
    alo_busy(2, 0xffff); /* the default rule does not check this link */
    CU_ASSERT_TRUE(alo_allows_7());
}

/* With the rule GMS_ALO_EMPTY, no message may enter while an HCA lane of its
 * class holds another message. The rule does not count the HCA's own link as a
 * useful link, so an empty HCA is not sufficient. */
static void test_alo_empty(void)
{
    config.alo_rule = GMS_ALO_EMPTY;
    start_alo(GMS_FLIT_LANES_DRAWN);
    alo_busy(1, 0x1000); /* lane 12, which the message needs */
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(1, 0x0800);
    CU_ASSERT_TRUE(alo_allows_7());
    alo_put(GMS_LANE_REAL_TIME, 1); /* this lane belongs to another class */
    CU_ASSERT_TRUE(alo_allows_7());
    alo_put(GMS_LANE_BEST_EFFORT, 1); /* another lane of the same class */
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(1, 0);
    CU_ASSERT_FALSE(alo_allows_7());
    alo_take(GMS_LANE_BEST_EFFORT, 1);
    CU_ASSERT_TRUE(alo_allows_7());
}

/* Without the second part of the rule, a link without busy lanes does not
 * replace a free lane on another link. */
static void test_alo_first_half(void)
{
    config.alo_rule = GMS_ALO_ROUTE | GMS_ALO_FIRST_HALF;
    start_alo(GMS_FLIT_LANES_DRAWN);
    CU_ASSERT_TRUE(alo_allows_7());
    alo_busy(2, 0x2000);
    CU_ASSERT_FALSE(alo_allows_7());
    alo_busy(2, 0x1000);
    CU_ASSERT_TRUE(alo_allows_7());
}

/* ---- self-tuned --------------------------------------------------------- */

static int enters(void)
{
    gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, 5, 6);

    return gms_congestion_may_enter(congestion, 5, &best);
}

static void go_to(uint64_t cycle)
{
    net.now = cycle;
    gms_congestion_step(congestion);
}

/* A 4 x 4 mesh has 64 links into switches and 16 HCAs, each with 15 data lanes.
 * In total, there are 1200 buffers. The threshold is initially 12. The policy
 * learns only in cycle 64 how many buffers were full in cycle 32. */
static void test_side_band(void)
{
    create(GMS_CONGESTION_SELF_TUNED);
    CHECK_NEAR(congestion->tuner->buffers, 1200.0, 1e-9);
    CHECK_NEAR(gms_congestion_threshold(congestion), 12.0, 1e-9);
    CHECK_U64(gms_congestion_next(congestion), 32);
    net.full = 12;
    go_to(31);
    CHECK_U64(gms_congestion_next(congestion), 32);
    go_to(32); /* the policy counts the full buffers in this cycle */
    CHECK_U64(gms_congestion_next(congestion), 64);
    CU_ASSERT_TRUE(enters());
    go_to(63);
    CU_ASSERT_TRUE(enters());
    net.full = 20;
    go_to(64); /* the counts 0 and 12 are known; the estimate is 24 */
    CU_ASSERT_FALSE(enters());
    net.full = 16;
    /* The counts 12 and 20 are known; the estimate is 28. Tuning: the network
     * was throttled, and the throughput did not drop, so the threshold rises to
     * 24. */
    go_to(96);
    CHECK_NEAR(gms_congestion_threshold(congestion), 24.0, 1e-9);
    CU_ASSERT_FALSE(enters());
    net.full = 4;
    go_to(128); /* the counts 20 and 16 are known; the estimate is 12 */
    CU_ASSERT_TRUE(enters());
    net.full = 14;
    go_to(160); /* the counts 16 and 4 are known; the estimate of -8 is limited
                   to 0 */
    /* The counts 4 and 14 are known; the estimate is 24. The throughput cannot
     * drop, because no flit has been delivered. The threshold therefore remains
     * the same. */
    go_to(192);
    CHECK_NEAR(gms_congestion_threshold(congestion), 24.0, 1e-9);
    CU_ASSERT_TRUE(enters());
    net.now = 195; /* estimate 24.9 */
    CU_ASSERT_FALSE(enters());
}

/* The initial threshold is the fraction tune_start of the 1200 buffers. If the
 * threshold is 0, the first full buffer stops all messages, and the first
 * tuning raises the threshold to 1 % of the buffers. */
static void test_first_threshold(void)
{
    config.tune_start = 0.25;
    create(GMS_CONGESTION_SELF_TUNED);
    CHECK_NEAR(gms_congestion_threshold(congestion), 300.0, 1e-9);
    config.tune_start = 0;
    create(GMS_CONGESTION_SELF_TUNED);
    CHECK_NEAR(gms_congestion_threshold(congestion), 0.0, 0);
    CU_ASSERT_TRUE(enters());
    net.full = 1;
    go_to(32);
    go_to(64);
    CU_ASSERT_FALSE(enters());
    go_to(96);
    CHECK_NEAR(gms_congestion_threshold(congestion), 12.0, 1e-9);
    CU_ASSERT_TRUE(enters());
    config.tune_start = 1.01;
    CU_ASSERT_EQUAL(gms_congestion_create(&config, &net, &congestion, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "tune_start is 1.01; allowed: 0..1"));
}

/* The estimate is a linear extrapolation from the last two known counts, but is
 * never negative. */
static void test_estimate(void)
{
    gms_congestion_tuner_t tuner = {.gather_cycle = 96, .full = {1000, 20, 12}};

    CHECK_NEAR(gms_congestion_tuner_estimate(&tuner, 32, 96), 28.0, 1e-12);
    CHECK_NEAR(gms_congestion_tuner_estimate(&tuner, 32, 112), 32.0, 1e-12);
    CHECK_NEAR(gms_congestion_tuner_estimate(&tuner, 32, 127), 35.75, 1e-12);
    tuner.full[2] = 60;
    CHECK_NEAR(gms_congestion_tuner_estimate(&tuner, 32, 96), 0.0, 0);
}

/* The count includes the occupied lanes of HCAs: one lane in each of 10 nodes,
 * and two lanes in each of 6 nodes. */
static void test_side_band_counts_hcas(void)
{
    uint32_t node;

    create(GMS_CONGESTION_SELF_TUNED);
    for (node = 0; node < 16; ++node) {
        gms_hca_message_t best = message_of(GMS_LANE_BEST_EFFORT, 0, node, 6);
        gms_hca_message_t real = message_of(GMS_LANE_REAL_TIME, 1, node, 6);

        gms_congestion_entered(congestion, node, node < 10 ? &best : &real);
        gms_congestion_entered(congestion, node, &best);
    }
    go_to(32);
    CHECK_NEAR(congestion->tuner->full[0], 10.0 + 6 * 2, 1e-12);
}

/* The throughput is the number of flits that the links into nodes have
 * transferred between two tunings. A tuning knows the counts only up to the
 * previous sample. For example, the second tuning, in cycle 192, uses the flits
 * of the cycles 64 to 160. */
static void test_throughput(void)
{
    uint32_t into = gms_topology_node_link(topology, 3, 1);
    uint64_t cycle;

    net.flits[into] = 5000; /* these flits were sent before the first count */
    net.flits[0] = 100;     /* this link does not lead to a node */
    create(GMS_CONGESTION_SELF_TUNED);
    for (cycle = 32; cycle <= 192; cycle += 32) {
        net.flits[into] += 10 * cycle;
        go_to(cycle);
    }
    /* The first tuning uses the counts of cycles 32 and 64, which are 320 and
     * 640. The count of cycle 96 is not yet known. The second tuning uses the
     * counts of cycles 96, 128 and 160. */
    CHECK_NEAR(congestion->tuner->best, 960.0 + 1280 + 1600, 1e-12);
    CHECK_NEAR(congestion->tuner->throughput, 960.0 + 1280 + 1600, 1e-12);
}

/* Check the decisions in the policy's table, for 1000 buffers. */
static void test_decisions(void)
{
    static const struct {
        double before, flits, estimate, threshold;
    } cases[] = {
        /* throttled, and no drop in throughput */
        {100, 100, 201, 210},
        {100, 100, 200, 200}, /* not throttled */
        /* a 24 % drop in throughput */
        {100, 76, 201, 210},
        {100, 74, 201, 160}, /* a 26 % drop, throttled */
        {100, 74, 150, 160}, /* a 26 % drop, not throttled */
        {100, 150, 201, 210},
        {0, 10, 201, 210}, /* the first period has no earlier throughput for
                            * comparison */
    };
    unsigned i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        gms_congestion_tuner_t tuner = {
            .buffers = 1000,
            .threshold = 200,
            .throughput = cases[i].before,
            .best = cases[i].before,
            .best_threshold = 500,
            .best_full = 600,
        };

        gms_congestion_tuner_tune(&tuner, cases[i].flits, cases[i].estimate);
        CHECK_NEAR(tuner.threshold, cases[i].threshold, 1e-12);
        CHECK_NEAR(tuner.throughput, cases[i].flits, 1e-12);
    }
}

/* The threshold is never below 0 and never above the number of buffers. */
static void test_threshold_stays_in_range(void)
{
    gms_congestion_tuner_t tuner = {
        .buffers = 1000, .threshold = 15, .throughput = 100};

    gms_congestion_tuner_tune(&tuner, 60, 20);
    CHECK_NEAR(tuner.threshold, 0.0, 0);
    tuner.threshold = 995;
    gms_congestion_tuner_tune(&tuner, 60, 999);
    CHECK_NEAR(tuner.threshold, 1000.0, 1e-12);
}

/* If the throughput is far below the best throughput, the threshold returns to
 * the value that it had at the best throughput. After five such periods without
 * success, the search restarts. */
static void test_local_maximum(void)
{
    gms_congestion_tuner_t tuner = {.buffers = 1000, .threshold = 100};
    unsigned i;

    gms_congestion_tuner_tune(&tuner, 500, 80);
    CHECK_NEAR(tuner.best, 500.0, 1e-12);
    CHECK_NEAR(tuner.best_threshold, 100.0, 1e-12);
    CHECK_NEAR(tuner.best_full, 80.0, 1e-12);
    tuner.threshold = 300;
    /* The policy does not treat half of the best throughput as a throughput far
     * below the best. The threshold therefore decreases by only 4 %. */
    gms_congestion_tuner_tune(&tuner, 250, 310);
    CHECK_NEAR(tuner.threshold, 260.0, 1e-12);
    for (i = 0; i < 5; ++i) {
        tuner.threshold = 300;
        gms_congestion_tuner_tune(&tuner, 240, 310);
        CHECK_NEAR(tuner.threshold, 80.0, 1e-12);
    }
    /* A period whose throughput is not far below the best throughput resets the
     * count of unsuccessful periods. */
    gms_congestion_tuner_tune(&tuner, 260, 0);
    for (i = 0; i < 5; ++i) {
        tuner.threshold = 300;
        gms_congestion_tuner_tune(&tuner, 240, 310);
        CHECK_NEAR(tuner.threshold, 80.0, 1e-12);
    }
    tuner.threshold = 300;
    gms_congestion_tuner_tune(&tuner, 240, 310);
    CHECK_NEAR(tuner.threshold, 310.0, 1e-12);
    CHECK_NEAR(tuner.best, 240.0, 1e-12);
    CHECK_NEAR(tuner.best_threshold, 300.0, 1e-12);
    /* the threshold is the minimum of best_threshold and best_full */
    tuner.best_full = 400;
    gms_congestion_tuner_tune(&tuner, 100, 310);
    CHECK_NEAR(tuner.threshold, 300.0, 1e-12);
}

int main(void)
{
    CU_TestInfo settings[] = {
        {"settings", test_settings},
        {"quadrants need rows and columns", test_quad_needs_a_grid},
        {"exhausted memory", test_no_memory},
        {"no policy stops control messages; policy none stops no message",
         test_control_and_none},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo credits[] = {
        {"credits of connections", test_credits_of_connections},
        {"credits return", test_credits_come_back},
        {"a closed connection returns its credits", test_connections_end},
        {"best effort receives the remaining credits",
         test_best_effort_gets_the_rest},
        {"credits are divided", test_credits_are_divided},
        {"quadrants", test_quadrants},
        {"quadrants of a torus", test_quadrants_of_a_torus},
        {"random histories of credits", test_random_histories},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo alo[] = {
        {"lanes of the network", test_alo_network},
        {"lanes of the HCA", test_alo_hca},
        {"randomly chosen lanes", test_alo_drawn},
        {"the rule checks each link of the route", test_alo_route},
        {"the rule admits messages only into an empty HCA", test_alo_empty},
        {"a variant with only the first half of the rule", test_alo_first_half},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo tuned[] = {
        {"the side band reports full buffers after a delay", test_side_band},
        {"initial threshold", test_first_threshold},
        {"estimate", test_estimate},
        {"lanes of HCAs are counted", test_side_band_counts_hcas},
        {"throughput", test_throughput},
        {"decisions", test_decisions},
        {"threshold stays in range", test_threshold_stays_in_range},
        {"the search leaves a local maximum", test_local_maximum},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"settings", NULL, NULL, start, finish, settings},
                    {"credits", NULL, NULL, start, finish, credits},
                    {"policy At-Least-One", NULL, NULL, start, finish, alo},
                    {"policy Self-Tuned", NULL, NULL, start, finish, tuned});
}
