/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests admission by probes through long random histories on a mesh. At every
 * idle moment (no packet is under way), the reserved bandwidth of each link
 * equals the sum over its connections. The reserved bandwidth never exceeds the
 * capacity, and is zero when all connections have ended. Further tests simulate
 * failed memory allocations.
 */
#include "probe_rig.h"

#include <limits.h>

#include "base/random.h"
#include "starve.h"

/* ---- histories ---- */

#define CONNECTIONS 10000u
/* number of new connections between consecutive idle moments */
#define QUIET_EACH 400u
#define ROWS       4u

enum life {
    LIFE_NONE = 0,
    LIFE_ASKING,
    LIFE_SET_UP,
    LIFE_OVER
};

typedef struct known {
    gms_probe_request_t request;
    enum life life;
    gms_flit_packet_t last;
} known_t;

static known_t known[CONNECTIONS + 1];
static uint64_t fingerprint; /* hash of the sequence of all answers */

static void history_answered(void *context, const gms_probe_answer_t *answer)
{
    known_t *one = &known[answer->connection];

    (void)context;
    CU_ASSERT_EQUAL(one->life, LIFE_ASKING);
    one->life = answer->accepted ? LIFE_SET_UP : LIFE_OVER;
    ++answer_count;
    fingerprint = (fingerprint ^ answer->connection ^ answer->link ^
                   ((uint64_t)answer->switch_index << 20) ^
                   (answer->answer_cycle << 8) ^ (uint64_t)answer->accepted) *
                  UINT64_C(0x100000001B3);
}

static void check_sums(void)
{
    static double sums[RIG_LINKS_MAX];
    uint32_t route[RIG_ROUTE_MAX], link, i;
    unsigned hop, links;

    memset(sums, 0, sizeof(sums));
    for (i = 1; i <= CONNECTIONS; ++i) {
        if (known[i].life != LIFE_SET_UP) {
            continue;
        }
        links =
            gms_flit_route_links(net, known[i].request.source,
                                 known[i].request.target, route, RIG_ROUTE_MAX);
        for (hop = 0; hop < links; ++hop) {
            sums[route[hop]] += known[i].request.average;
        }
    }
    for (link = 0; link < gms_topology_link_count(topology); ++link) {
        CU_ASSERT_DOUBLE_EQUAL(gms_probe_reserved(probe, link), sums[link],
                               1e-9);
    }
}

static void check_bound(void)
{
    uint32_t link;

    for (link = 0; link < gms_topology_link_count(topology); ++link) {
        CU_ASSERT_TRUE(gms_probe_reserved(probe, link) <=
                       config.capacity + 1e-12);
    }
}

static void history_end(gms_random_t *random, uint32_t connection)
{
    known_t *one = &known[connection];

    if (one->life == LIFE_SET_UP && gms_random_below(random, 2) == 0) {
        one->last = (gms_flit_packet_t){
            .source = one->request.source,
            .target = one->request.target,
            .flits = (uint16_t)(1 + gms_random_below(random, 40)),
            .traffic_class = GMS_LANE_REAL_TIME,
            .draw = one->request.draw,
        };
        gms_probe_last(probe, connection, &one->last);
        gms_flit_offer(net, &one->last,
                       flit.lane_choice == GMS_FLIT_LANES_FREE
                           ? GMS_FLIT_ANY_LANE
                           : gms_flit_drawn_lane(&flit, one->request.draw, 0,
                                                 GMS_LANE_REAL_TIME));
        one->life = LIFE_OVER;
    } else if (one->life == LIFE_SET_UP) {
        gms_probe_close(probe, connection);
        one->life = LIFE_OVER;
    }
}

static void history_begin(gms_random_t *random, uint32_t connection, int forces)
{
    uint32_t nodes = gms_topology_nodes(topology);
    uint32_t source = (uint32_t)gms_random_below(random, nodes);
    uint32_t target = (uint32_t)gms_random_below(random, nodes - 1);
    double average = 0.3 * gms_random_unit(random);
    known_t *one = &known[connection];

    one->request = rig_request(connection, source, target + (target >= source),
                               average, average * 1.5);
    one->request.draw = (uint32_t)gms_random_u64(random);
    if (forces && gms_random_below(random, 4) == 0) {
        CU_ASSERT_EQUAL(gms_probe_force(probe, &one->request), GMS_OK);
        one->life = LIFE_SET_UP;
    } else {
        one->life = LIFE_ASKING;
        CU_ASSERT_EQUAL(gms_probe_ask(probe, &one->request), GMS_OK);
    }
}

/* About 60 connections are open at a time. */
static void history(uint64_t seed, int forces)
{
    gms_random_t random;
    uint32_t i;

    memset(known, 0, sizeof(known));
    fingerprint = 0;
    config.answered = history_answered;
    rig_build_mesh(ROWS, ROWS);
    gms_random_init(&random, seed, 0);
    for (i = 1; i <= CONNECTIONS; ++i) {
        history_begin(&random, i, forces);
        rig_run(gms_random_below(&random, 12));
        history_end(&random, 1 + (uint32_t)gms_random_below(&random, i));
        if (i > 60) {
            history_end(&random, i - 60);
        }
        if (i % 50 == 0 && !forces) {
            check_bound();
        }
        if (i % QUIET_EACH == 0) {
            rig_settle();
            check_sums();
        }
    }
    for (i = 1; i <= CONNECTIONS; ++i) {
        history_end(&random, i);
    }
    rig_settle();
    rig_check_empty();
    CHECK_U64(gms_probe_counts(probe)->asked, answer_count);
    CHECK_U64(gms_probe_counts(probe)->accepted +
                  gms_probe_counts(probe)->rejected,
              answer_count);
}

static void check_counts_are_mixed(void)
{
    const gms_probe_counts_t *counts = gms_probe_counts(probe);

    CU_ASSERT_TRUE(counts->accepted > CONNECTIONS / 10);
    CU_ASSERT_TRUE(counts->rejected > CONNECTIONS / 10);
}

static void test_nothing_is_left_of_ten_thousand(void)
{
    unsigned i;

    rig_use_power(1.5);
    history(1, 0);
    check_counts_are_mixed();
    CU_ASSERT_TRUE(gms_probe_counts(probe)->rejected_by_power > 100);
    for (i = 0; i < ROWS * ROWS; ++i) {
        CHECK_NEAR(power[i], 1.5, 1e-9);
    }
}

static void test_nothing_is_left_with_forced_ones(void)
{
    history(2, 1);
    check_counts_are_mixed();
}

static void test_nothing_is_left_with_free_lanes(void)
{
    flit.lane_choice = GMS_FLIT_LANES_FREE;
    config.capacity = 0.8;
    history(3, 0);
    check_counts_are_mixed();
}

static void test_nothing_is_left_with_large_frames(void)
{
    gms_lane_plan_init(&flit.plan, 16, 11, 1, GMS_LANE_LARGE_SLOW, 4);
    history(4, 0);
    check_counts_are_mixed();
}

static void test_same_history_twice(void)
{
    uint64_t first;

    history(5, 1);
    first = fingerprint;
    history(5, 1);
    CHECK_U64(fingerprint, first);
    history(6, 1);
    CU_ASSERT_NOT_EQUAL(fingerprint, first);
}

/* ---- out of memory ---- */

/* Opens 200 connections, which causes several blocks to be allocated and tables
 * to grow. After the given number of successful allocations, the next
 * allocation fails. A request that is refused because of a failed allocation is
 * repeated. */
static int try_all(unsigned allocations, int forces)
{
    gms_probe_request_t request;
    unsigned failures = 0;
    uint32_t i;

    starve_left = allocations;
    for (i = 1; i <= 200; ++i) {
        gms_status_t status;

        request = rig_request(i, i % 16, (i + 5) % 16, 0.001, 0.001);
        status = forces ? gms_probe_force(probe, &request)
                        : gms_probe_ask(probe, &request);
        if (status != GMS_OK) {
            CU_ASSERT_EQUAL(status, GMS_ERR_NO_MEMORY);
            starve_left = UINT_MAX;
            ++failures;
            --i;
        }
    }
    starve_left = UINT_MAX;
    rig_settle();
    for (i = 1; i <= 200; ++i) {
        gms_probe_close(probe, i);
    }
    rig_settle();
    rig_check_empty();
    return failures != 0;
}

static void test_memory_runs_out(void)
{
    unsigned allocations;
    gms_probe_t *none = NULL;
    int forces;

    for (forces = 0; forces < 2; ++forces) {
        for (allocations = 0;; ++allocations) {
            rig_build_mesh(ROWS, ROWS);
            if (!try_all(allocations, forces)) {
                break;
            }
        }
        CU_ASSERT_TRUE(allocations > 8 && allocations < 40);
    }
    for (allocations = 0; allocations < 2; ++allocations) {
        starve_left = allocations;
        CU_ASSERT_EQUAL(gms_probe_create(&config, net, &none),
                        GMS_ERR_NO_MEMORY);
        starve_left = UINT_MAX;
    }
    CU_ASSERT_PTR_NULL(none);
}

/* Opening as many connections as before requires no additional memory. */
static void test_memory_is_used_again(void)
{
    uint32_t i;

    rig_build_mesh(ROWS, ROWS);
    for (i = 1; i <= 100; ++i) {
        rig_ask(i, i % 16, (i + 5) % 16, 0.001);
    }
    rig_settle();
    starve_left = 0;
    for (; i <= 2000; ++i) {
        gms_probe_close(probe, i - 100);
        rig_settle();
        rig_ask(i, i % 16, (i + 5) % 16, 0.001);
        rig_settle();
    }
    starve_left = UINT_MAX;
    CHECK_U64(gms_probe_counts(probe)->accepted, 2000);
}

static CU_TestInfo tests[] = {
    {"no bandwidth remains reserved after 10,000 connections",
     test_nothing_is_left_of_ten_thousand},
    {"no bandwidth remains reserved, forced connections",
     test_nothing_is_left_with_forced_ones},
    {"no bandwidth remains reserved, free lanes",
     test_nothing_is_left_with_free_lanes},
    {"no bandwidth remains reserved, large frames",
     test_nothing_is_left_with_large_frames},
    {"the same random history gives the same result twice",
     test_same_history_twice},
    {"exhausted memory is reported", test_memory_runs_out},
    {"memory is reused", test_memory_is_used_again},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN({"random histories", NULL, NULL, setup, teardown, tests});
}
