/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests a channel adapter on a crossbar of four nodes: the positions of
 * messages over time, their order, refusals, and completions.
 */
#include <string.h>

#include "base/random.h"
#include "hcasim/hca.h"
#include "unit.h"

#define MESSAGES 400

static gms_arena_t *arena;
static gms_flit_net_t *net;
static gms_hca_t *hca;
static gms_hca_config_t config;
static gms_flit_config_t flit;
static gms_hca_message_t message[MESSAGES];
static unsigned arrived, left;

/* ---- common code ---- */

static void hook_left(void *context, gms_flit_packet_t *packet)
{
    ++left;
    gms_hca_left(hca, (gms_hca_message_t *)packet);
}

static void hook_arrived(void *context, gms_flit_packet_t *packet)
{
    ++arrived;
}

static const gms_flit_hooks_t hooks = {.left = hook_left,
                                       .arrived = hook_arrived};

static void setup(void)
{
    gms_flit_config_init(&flit);
    gms_hca_config_init(&config, 16, 80000);
    config.completion_cycles = 3;
    memset(message, 0, sizeof(message));
    arrived = left = 0;
    hca = NULL;
    arena = NULL;
}

static void start(const gms_hca_gate_t *gate)
{
    static char error[GMS_TOPOLOGY_ERROR_LEN];
    gms_topology_t *topology;
    gms_params_t params;

    gms_params_init(&params);
    params.hosts = params.switch_ports = 4;
    if (gms_arena_create_private(UINT64_C(1) << 28, &arena) != GMS_OK ||
        gms_topology_create(arena, &params, NULL, &topology, error) != GMS_OK ||
        gms_flit_create(arena, topology, &flit, &net, error) != GMS_OK ||
        gms_hca_create(&config, net, 1, gate, &hca) != GMS_OK) {
        printf("\n    %s\n", error);
        abort();
    }
}

static void teardown(void)
{
    gms_hca_destroy(hca);
    if (arena != NULL) {
        gms_arena_destroy_private(arena);
    }
}

static uint32_t pair_of(enum gms_lane_class traffic_class, uint32_t queue)
{
    uint32_t pair = 12345;

    CU_ASSERT_EQUAL(gms_hca_create_pair(hca, traffic_class, queue, &pair),
                    GMS_OK);
    return pair;
}

static gms_status_t post(unsigned i, uint32_t pair,
                         enum gms_lane_class traffic_class, uint16_t flits)
{
    message[i].packet.source = 1;
    message[i].packet.target = 2;
    message[i].packet.flits = flits;
    message[i].packet.traffic_class = (uint8_t)traffic_class;
    message[i].queue_pair = pair;
    return gms_hca_post(hca, &message[i]);
}

static void step(uint64_t cycles)
{
    for (; cycles > 0; --cycles) {
        gms_hca_step(hca);
        gms_flit_step(net, &hooks, NULL);
    }
}

/* ---- times ---- */

/** 800 MB/s corresponds to 64 bytes in 80 ns. 40 flits of 16 bytes take 10
 * cycles, and 10 flits take 2.5 cycles. The doorbell takes two cycles before
 * the flits are sent. */
static void test_one_message(void)
{
    uint32_t pair;

    start(NULL);
    pair = pair_of(GMS_LANE_BEST_EFFORT, 7);
    gms_flit_skip(net, 100);
    CU_ASSERT_EQUAL(post(0, pair, GMS_LANE_BEST_EFFORT, 40), GMS_OK);
    CHECK_U64(gms_hca_next(hca), 100);
    step(1);
    CHECK_U64(gms_hca_next(hca), 112);
    CHECK_U64(gms_hca_messages(hca), 1);
    step(11);
    CHECK_U64(gms_hca_counts(hca)->dma_flits, 0);
    step(1);
    CHECK_U64(gms_hca_counts(hca)->dma_flits, 40);
    CHECK_U64(gms_hca_is_busy(hca), 0);
    CHECK_U64(gms_hca_next(hca), UINT64_MAX);
    step(300);
    CHECK_U64(message[0].post_cycle, 100);
    CHECK_U64(message[0].dma_cycle, 112);
    CHECK_U64(message[0].packet.leave_cycle - message[0].packet.enter_cycle,
              39);
    CHECK_U64(message[0].packet.enter_cycle - message[0].dma_cycle <= 1, 1);
    CHECK_U64(message[0].complete_cycle, message[0].packet.leave_cycle + 3);
    CHECK_U64(arrived, 1);
    CHECK_U64(gms_hca_messages(hca), 0);
}

static void test_rounding(void)
{
    uint32_t pair;

    config.dma_bytes_s = 700000000; /* the bandwidth is 56 bytes per cycle */
    config.doorbell_cycles = 5;
    start(NULL);
    pair = pair_of(GMS_LANE_CONTROL, 0);
    (void)post(0, pair, GMS_LANE_CONTROL, 10); /* 160 bytes: 3 cycles */
    (void)post(1, pair, GMS_LANE_CONTROL, 7);  /* 112 bytes: 2 cycles */
    (void)post(2, pair, GMS_LANE_CONTROL, 1);
    step(300);
    CHECK_U64(message[0].dma_cycle, 8);
    CHECK_U64(message[1].dma_cycle, 15);
    CHECK_U64(message[2].dma_cycle, 21);
}

/** While a message is being fetched, more urgent messages arrive. The HCA
 * fetches these messages next. Within each class, it fetches messages in
 * order. */
static void test_priorities(void)
{
    uint32_t best, urgent, control;

    start(NULL);
    best = pair_of(GMS_LANE_BEST_EFFORT, 0);
    urgent = pair_of(GMS_LANE_REAL_TIME, 1);
    control = pair_of(GMS_LANE_CONTROL, 2);
    (void)post(0, best, GMS_LANE_BEST_EFFORT, 40);
    (void)post(1, best, GMS_LANE_BEST_EFFORT, 40);
    step(1);
    (void)post(2, urgent, GMS_LANE_REAL_TIME, 40);
    (void)post(3, urgent, GMS_LANE_REAL_TIME, 40);
    step(4);
    (void)post(4, control, GMS_LANE_CONTROL, 10);
    step(300);
    CHECK_U64(message[0].dma_cycle, 12);
    CHECK_U64(message[4].dma_cycle, 12 + 5);
    CHECK_U64(message[2].dma_cycle, 12 + 5 + 12);
    CHECK_U64(message[3].dma_cycle, 12 + 5 + 24);
    CHECK_U64(message[1].dma_cycle, 12 + 5 + 36);
    CHECK_U64(arrived, 5);
}

/* ---- capacity and lanes ---- */

static void test_room(void)
{
    uint32_t pair;

    config.buffer_messages = 3;
    start(NULL);
    pair = pair_of(GMS_LANE_BEST_EFFORT, 0);
    CU_ASSERT_EQUAL(post(0, pair, GMS_LANE_BEST_EFFORT, 4), GMS_OK);
    CU_ASSERT_EQUAL(post(1, pair, GMS_LANE_BEST_EFFORT, 4), GMS_OK);
    CU_ASSERT_EQUAL(post(2, pair, GMS_LANE_BEST_EFFORT, 4), GMS_OK);
    CU_ASSERT_EQUAL(post(3, pair, GMS_LANE_BEST_EFFORT, 4), GMS_ERR_BUSY);
    CHECK_U64(gms_hca_messages(hca), 3);
    /* A message that has been fetched and is in its lane still counts, because
     * it has not left the HCA. */
    while (left == 0) {
        CU_ASSERT_EQUAL(post(3, pair, GMS_LANE_BEST_EFFORT, 4), GMS_ERR_BUSY);
        step(1);
    }
    CHECK_U64(gms_hca_messages(hca), 2);
    CU_ASSERT_EQUAL(post(3, pair, GMS_LANE_BEST_EFFORT, 4), GMS_OK);
    CU_ASSERT_EQUAL(post(4, pair, GMS_LANE_BEST_EFFORT, 4), GMS_ERR_BUSY);
    step(100);
    CHECK_U64(arrived, 4);
}

/** If any lane may be chosen, the HCA uses the emptiest lane. If lanes are
 * drawn, the HCA uses the lane that the fabric draws. */
static void test_lanes(void)
{
    unsigned used = 0, i;
    uint32_t pair;

    start(NULL);
    pair = pair_of(GMS_LANE_BEST_EFFORT, 0);
    for (i = 0; i < 4; ++i) { /* each lane has one message */
        (void)post(i, pair, GMS_LANE_BEST_EFFORT, 40);
    }
    step(49);
    for (i = 0; i < 4; ++i) {
        used |= 1u << message[i].lane;
    }
    CHECK_U64(used, flit.plan.class_lanes[GMS_LANE_BEST_EFFORT]);
}

/** If all lanes are empty, they are used in turn. */
static void test_turns(void)
{
    unsigned used = 0, i;
    uint32_t pair;

    start(NULL);
    pair = pair_of(GMS_LANE_BEST_EFFORT, 0);
    for (i = 0; i < 4; ++i) {
        (void)post(i, pair, GMS_LANE_BEST_EFFORT, 4);
        step(50);
        CHECK_U64(left, i + 1);
        used |= 1u << message[i].lane;
    }
    CHECK_U64(used, flit.plan.class_lanes[GMS_LANE_BEST_EFFORT]);
}

static void test_fullest_lane(void)
{
    unsigned long_lane, i;
    uint32_t pair;

    config.doorbell_cycles = 0;
    config.dma_bytes_s = UINT64_C(1000000000000);
    start(NULL);
    pair = pair_of(GMS_LANE_BEST_EFFORT, 0);
    (void)post(0, pair, GMS_LANE_BEST_EFFORT, 2000);
    for (i = 1; i < 10; ++i) {
        (void)post(i, pair, GMS_LANE_BEST_EFFORT, 1);
    }
    step(12);
    long_lane = message[0].lane;
    for (i = 1; i < 10; ++i) {
        CU_ASSERT(message[i].lane != long_lane);
    }
}

static void test_drawn_lanes(void)
{
    uint32_t pair;
    unsigned i;

    flit.lane_choice = GMS_FLIT_LANES_DRAWN;
    start(NULL);
    pair = pair_of(GMS_LANE_REAL_TIME, 0);
    for (i = 0; i < 20; ++i) {
        message[i].packet.draw = i * 77;
        (void)post(i, pair, GMS_LANE_REAL_TIME, 4);
    }
    step(200);
    CHECK_U64(arrived, 20);
    for (i = 0; i < 20; ++i) {
        CHECK_U64(message[i].lane,
                  gms_flit_drawn_lane(&flit, i * 77, 0, GMS_LANE_REAL_TIME));
    }
}

/* ---- gates ---- */

static unsigned closed_post, closed_enter; /* bit masks of classes */
static unsigned posted, entered;

static int may_post(void *context, uint32_t node,
                    const gms_hca_message_t *about)
{
    CHECK_U64(node, 1);
    return !((closed_post >> about->packet.traffic_class) & 1);
}

static int may_enter(void *context, uint32_t node,
                     const gms_hca_message_t *about)
{
    return !((closed_enter >> about->packet.traffic_class) & 1);
}

static void when_posted(void *context, uint32_t node,
                        const gms_hca_message_t *about)
{
    ++posted;
}

static void when_entered(void *context, uint32_t node,
                         const gms_hca_message_t *about)
{
    ++entered;
}

static const gms_hca_gate_t gate = {.may_post = may_post,
                                    .may_enter = may_enter,
                                    .posted = when_posted,
                                    .entered = when_entered};

static void test_gate_post(void)
{
    uint32_t best, urgent;

    closed_post = 1u << GMS_LANE_BEST_EFFORT;
    closed_enter = posted = entered = 0;
    start(&gate);
    best = pair_of(GMS_LANE_BEST_EFFORT, 0);
    urgent = pair_of(GMS_LANE_REAL_TIME, 0);
    CU_ASSERT_EQUAL(post(0, best, GMS_LANE_BEST_EFFORT, 4), GMS_ERR_BUSY);
    CHECK_U64(gms_hca_messages(hca), 0);
    CHECK_U64(gms_hca_is_busy(hca), 0);
    CU_ASSERT_EQUAL(post(1, urgent, GMS_LANE_REAL_TIME, 4), GMS_OK);
    CHECK_U64(posted, 1);
    CHECK_U64(entered, 0);
    step(1);
    CHECK_U64(entered, 1);
    closed_post = 0;
    CU_ASSERT_EQUAL(post(0, best, GMS_LANE_BEST_EFFORT, 4), GMS_OK);
    step(100);
    CHECK_U64(arrived, 2);
    CHECK_U64(posted, 2);
    CHECK_U64(entered, 2);
}

/** If the messages of a class may not enter the network, they wait in order.
 *  The messages of the other class continue. */
static void test_gate_enter(void)
{
    uint32_t best, urgent;

    closed_enter = 1u << GMS_LANE_REAL_TIME;
    closed_post = 0;
    start(&gate);
    best = pair_of(GMS_LANE_BEST_EFFORT, 0);
    urgent = pair_of(GMS_LANE_REAL_TIME, 0);
    (void)post(0, urgent, GMS_LANE_REAL_TIME, 40);
    (void)post(1, urgent, GMS_LANE_REAL_TIME, 40);
    (void)post(2, best, GMS_LANE_BEST_EFFORT, 40);
    step(100);
    CHECK_U64(message[2].dma_cycle, 12);
    CHECK_U64(arrived, 1);
    CHECK_U64(gms_hca_is_busy(hca), 1);
    CHECK_U64(gms_hca_next(hca), 100); /* in every cycle, the HCA checks whether
                                        * the message may enter */
    CHECK_U64(gms_hca_counts(hca)->doorbells, 1);
    closed_enter = 0;
    step(200);
    CHECK_U64(message[0].dma_cycle, 112);
    CHECK_U64(message[1].dma_cycle, 124);
    CHECK_U64(arrived, 3);
}

/* ---- completions ---- */

static void test_completions(void)
{
    uint32_t one, two, other;

    start(NULL);
    one = pair_of(GMS_LANE_BEST_EFFORT, 5);
    two = pair_of(GMS_LANE_BEST_EFFORT, 5);
    other = pair_of(GMS_LANE_BEST_EFFORT, 900);
    CU_ASSERT(one != two);
    (void)post(0, one, GMS_LANE_BEST_EFFORT, 4);
    (void)post(1, two, GMS_LANE_BEST_EFFORT, 4);
    (void)post(2, other, GMS_LANE_BEST_EFFORT, 4);
    while (left < 3) {
        step(1);
        CU_ASSERT(gms_hca_poll(hca, 900) == NULL);
    }
    CU_ASSERT(gms_hca_poll(hca, 900) == NULL);
    while (gms_flit_now(net) < message[2].complete_cycle) {
        CU_ASSERT(gms_hca_poll(hca, 900) == NULL);
        step(1);
    }
    CU_ASSERT(gms_hca_poll(hca, 900) == &message[2]);
    CU_ASSERT(gms_hca_poll(hca, 900) == NULL);
    CU_ASSERT(gms_hca_poll(hca, 5) == &message[0]);
    CU_ASSERT(gms_hca_poll(hca, 5) == &message[1]);
    CU_ASSERT(gms_hca_poll(hca, 5) == NULL);
    CU_ASSERT(gms_hca_poll(hca, 6) == NULL);
    CU_ASSERT(gms_hca_poll(hca, 1000000) == NULL);
    CHECK_U64(message[1].completion_queue, 5);
    CHECK_U64(gms_hca_counts(hca)->completions, 3);
}

/** The number of a queue pair is not reused until the program has fetched the
 *  pair's last completion. */
static void test_destroyed_pair(void)
{
    uint32_t pair, next;

    start(NULL);
    pair = pair_of(GMS_LANE_BEST_EFFORT, 0);
    (void)post(0, pair, GMS_LANE_BEST_EFFORT, 4);
    gms_hca_destroy_pair(hca, pair);
    gms_hca_destroy_pair(hca, 4711);
    CU_ASSERT_EQUAL(post(1, pair, GMS_LANE_BEST_EFFORT, 4), GMS_ERR_NOT_FOUND);
    next = pair_of(GMS_LANE_REAL_TIME, 1);
    CU_ASSERT(next != pair);
    step(100);
    CHECK_U64(arrived, 1);
    CU_ASSERT(gms_hca_poll(hca, 0) == &message[0]);
    CHECK_U64(pair_of(GMS_LANE_CONTROL, 2), pair);
}

static void test_wrong(void)
{
    gms_hca_t *none = NULL;
    uint32_t pair;

    start(NULL);
    pair = pair_of(GMS_LANE_BEST_EFFORT, 0);
    CU_ASSERT_EQUAL(post(0, pair + 100, GMS_LANE_BEST_EFFORT, 4),
                    GMS_ERR_NOT_FOUND);
    CU_ASSERT_EQUAL(post(0, pair + 1, GMS_LANE_BEST_EFFORT, 4),
                    GMS_ERR_NOT_FOUND);
    CU_ASSERT_EQUAL(post(0, pair, GMS_LANE_REAL_TIME, 4),
                    GMS_ERR_INVALID_PARAM);
    CU_ASSERT_EQUAL(post(0, pair, GMS_LANE_BEST_EFFORT, 0),
                    GMS_ERR_INVALID_PARAM);
    CU_ASSERT_EQUAL(gms_hca_create_pair(hca, GMS_LANE_CLASSES, 0, &pair),
                    GMS_ERR_INVALID_PARAM);
    CU_ASSERT_EQUAL(
        gms_hca_create_pair(hca, GMS_LANE_CONTROL, GMS_HCA_QUEUES_MAX, &pair),
        GMS_ERR_INVALID_PARAM);
    CHECK_U64(gms_hca_messages(hca), 0);
    config.buffer_messages = 0;
    CU_ASSERT_EQUAL(gms_hca_create(&config, net, 0, NULL, &none),
                    GMS_ERR_CONFIG);
    config.buffer_messages = 1;
    config.dma_bytes_s = 0;
    CU_ASSERT_EQUAL(gms_hca_create(&config, net, 0, NULL, &none),
                    GMS_ERR_CONFIG);
    config.dma_bytes_s = 1;
    config.cycle_ps = 1000001;
    CU_ASSERT_EQUAL(gms_hca_create(&config, net, 0, NULL, &none),
                    GMS_ERR_CONFIG);
    CU_ASSERT(none == NULL);
}

/* ---- long runs ---- */

/** Every posted message must arrive and complete exactly once. The messages of
 * a class must be fetched in order. The HCA must never hold more than M
 * messages. */
static void test_conservation(void)
{
    uint64_t last[GMS_LANE_CLASSES] = {0, 0, 0}, flits = 0;
    uint32_t pair[GMS_LANE_CLASSES];
    unsigned next = 0, completed = 0, i;
    gms_random_t random;

    config.buffer_messages = 10;
    start(NULL);
    gms_random_init(&random, 1, 1);
    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        pair[i] = pair_of((enum gms_lane_class)i, i % 2);
    }
    while (completed < MESSAGES && gms_flit_now(net) < 100000) {
        if (next < MESSAGES) {
            i = (unsigned)gms_random_below(&random, GMS_LANE_CLASSES);
            if (post(next, pair[i], (enum gms_lane_class)i,
                     (uint16_t)(1 + gms_random_below(&random, 60))) == GMS_OK) {
                flits += message[next++].packet.flits;
            }
        }
        step(gms_random_below(&random, 40));
        CU_ASSERT(gms_hca_messages(hca) <= 10);
        CHECK_U64(gms_hca_messages(hca), next - left);
        for (i = 0; i < 2; ++i) {
            while (gms_hca_poll(hca, i) != NULL) {
                ++completed;
            }
        }
    }
    CHECK_U64(completed, MESSAGES);
    CHECK_U64(arrived, MESSAGES);
    CHECK_U64(gms_hca_counts(hca)->doorbells, MESSAGES);
    CHECK_U64(gms_hca_counts(hca)->completions, MESSAGES);
    CHECK_U64(gms_hca_counts(hca)->dma_flits, flits);
    CHECK_U64(gms_hca_counts(hca)->lane_flits, flits);
    for (i = 0; i < MESSAGES; ++i) {
        unsigned traffic_class = message[i].packet.traffic_class;

        CU_ASSERT(message[i].dma_cycle > last[traffic_class]);
        last[traffic_class] = message[i].dma_cycle;
    }
}

/* ---- suites ---- */

static CU_TestInfo tests[] = {
    {"times of a message", test_one_message},
    {"times are rounded up to whole cycles", test_rounding},
    {"the HCA fetches messages of the most urgent class first",
     test_priorities},
    {"the HCA holds at most M messages", test_room},
    {"a message uses the emptiest lane", test_lanes},
    {"empty lanes take turns", test_turns},
    {"a long message's lane is avoided", test_fullest_lane},
    {"randomly chosen lanes", test_drawn_lanes},
    {"messages wait at a closed gate before the post", test_gate_post},
    {"messages wait at a closed gate before the DMA", test_gate_enter},
    {"completions", test_completions},
    {"numbers of destroyed queue pairs", test_destroyed_pair},
    {"invalid arguments", test_wrong},
    {"conservation", test_conservation},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        {"hca", NULL, NULL, setup, teardown, tests},
        CU_SUITE_INFO_NULL,
    };

    return unit_run(suites);
}
