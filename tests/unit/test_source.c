/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests sources that send packets at random times: invalid configurations,
 * means and variances (compared with the expected distributions), and the
 * independence of sources. The seeds are fixed, and the tolerances are at least
 * four standard errors.
 */
#include "source_rig.h"

static void test_refuses(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_KINDS, 0.1);

    check_refused(&config, GMS_ERR_CONFIG, "kind 6 is unknown");
    config = source_config(GMS_SOURCE_POISSON, 0);
    check_refused(&config, GMS_ERR_CONFIG, "rate 0 of a poisson source");
    config.rate = 1.01;
    check_refused(&config, GMS_ERR_CONFIG, "at most 1 flit per cycle");
    config.rate = (double)NAN;
    check_refused(&config, GMS_ERR_CONFIG, "rate nan");
    config = source_config(GMS_SOURCE_POISSON, 0.1);
    config.node = 16;
    check_refused(&config, GMS_ERR_CONFIG,
                  "node 16 does not exist in a network of 16 nodes");
    config = source_config(GMS_SOURCE_POISSON, 0.1);
    config.packet_flits = 0;
    check_refused(&config, GMS_ERR_CONFIG, "packet_flits is 0");
    config.packet_flits = 65536;
    check_refused(&config, GMS_ERR_CONFIG, "1..65535");
    config = source_config(GMS_SOURCE_POISSON, 0.1);
    config.cycle_ps = 0;
    check_refused(&config, GMS_ERR_CONFIG, "cycles of 0 ps");
    config = source_config(GMS_SOURCE_POISSON, 0.1);
    config.target.pattern = GMS_TARGET_PATTERNS;
    check_refused(&config, GMS_ERR_CONFIG, "pattern 6");
    config = source_config(GMS_SOURCE_ON_OFF, 0.5);
    config.on_cycles = 100;
    config.off_cycles = 101;
    check_refused(&config, GMS_ERR_CONFIG,
                  "1.005 flits per cycle in an on period");
    config.on_cycles = 0;
    check_refused(&config, GMS_ERR_CONFIG, "an on period above 0");
    config = source_config(GMS_SOURCE_VIDEO, 0);
    config.video = 7;
    check_refused(&config, GMS_ERR_CONFIG, "video 7 is unknown; allowed: 0..6");
    config.regulator = 3;
    check_refused(&config, GMS_ERR_CONFIG,
                  "regulator 3 is unknown; allowed: 0..2");
    gms_source_destroy(NULL);
}

typedef struct moments {
    double mean, variance; /* mean and variance of the intervals (cycles) */
    double part[16];       /* fraction of the packets that each node receives */
    uint64_t last;
} moments_t;

static moments_t measure(const gms_source_config_t *config, unsigned count)
{
    gms_source_t *source = make_source(config);
    gms_arrival_t arrival;
    uint64_t before = config->start_cycle;
    moments_t moments = {.mean = 0};
    double square = 0;
    unsigned i;

    for (i = 0; i < count; ++i) {
        double distance;

        CU_ASSERT_TRUE(gms_source_next(source, &arrival));
        CU_ASSERT_TRUE(arrival.cycle >= before);
        distance = (double)(arrival.cycle - before);
        before = arrival.cycle;
        moments.mean += distance / count;
        square += distance * distance / count;
        moments.part[arrival.target] += 1.0 / count;
        CU_ASSERT_TRUE(arrival.flits == config->packet_flits);
    }
    moments.variance = square - moments.mean * moments.mean;
    moments.last = before;
    gms_source_destroy(source);
    return moments;
}

/** The intervals between packets are exponentially distributed with a mean of
 * 40 / 0.2 cycles. */
static void test_poisson(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_POISSON, 0.2);
    gms_source_t *source = make_source(&config);
    moments_t moments;
    unsigned i;

    CHECK_NEAR(gms_source_mean_rate(source), 0.2, 1e-12);
    CHECK_NEAR(gms_source_peak_rate(source), 1, 1e-12);
    gms_source_destroy(source);
    config.start_cycle = 1000000;
    moments = measure(&config, 200000);
    CHECK_NEAR(moments.mean, 200, 0.01);
    CHECK_NEAR(moments.variance, 40000, 0.03);
    CHECK_U64(moments.part[2], 0);
    for (i = 0; i < 16; ++i) {
        if (i != 2) {
            CHECK_NEAR(moments.part[i], 1.0 / 15, 0.04);
        }
    }
}

/** The intervals between packets are geometrically distributed with p = rate /
 * flits and variance (1 - p) / p^2. If the rate is one packet per cycle, every
 * cycle has a packet, including the first cycle. */
static void test_bernoulli(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_BERNOULLI, 0.4);
    gms_source_t *source;
    gms_arrival_t arrival;
    moments_t moments;
    unsigned i;

    config.packet_flits = 1;
    moments = measure(&config, 200000);
    CHECK_NEAR(moments.mean, 2.5, 0.01);
    CHECK_NEAR(moments.variance, 0.6 / 0.16, 0.03);
    config.packet_flits = 40;
    moments = measure(&config, 200000);
    CHECK_NEAR(moments.mean, 100, 0.01);
    CHECK_NEAR(moments.variance, 9900, 0.03);
    config.packet_flits = 1;
    config.rate = 1;
    config.start_cycle = 5;
    source = make_source(&config);
    for (i = 0; i < 100; ++i) {
        (void)gms_source_next(source, &arrival);
        CHECK_U64(arrival.cycle, 5 + i);
    }
    gms_source_destroy(source);
}

/** The probability of a packet in the very first cycle is p, as in any other
 * cycle. */
static void test_bernoulli_first(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_BERNOULLI, 0.25);
    unsigned first = 0;
    gms_arrival_t arrival;

    config.packet_flits = 1;
    for (config.stream = 0; config.stream < 10000; ++config.stream) {
        gms_source_t *source = make_source(&config);

        (void)gms_source_next(source, &arrival);
        first += (arrival.cycle == 0);
        gms_source_destroy(source);
    }
    CHECK_NEAR(first / 10000.0, 0.25, 0.07);
}

/** Each period of 10 x 10 / 0.001 cycles contains ten packets at random
 * times. */
static void test_control(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_CONTROL, 0.001);
    unsigned counts[200] = {0}, quarters[4] = {0}, i;
    gms_source_t *source;
    gms_arrival_t arrival;
    uint64_t before = 0;

    config.packet_flits = 10;
    config.start_cycle = 77;
    source = make_source(&config);
    for (i = 0; i < 2000; ++i) {
        uint64_t cycle;

        (void)gms_source_next(source, &arrival);
        CHECK_U64(arrival.flits, 10);
        CU_ASSERT_TRUE(arrival.cycle >= before);
        before = arrival.cycle;
        cycle = arrival.cycle - 77;
        counts[cycle / 100000]++;
        quarters[cycle % 100000 / 25000]++;
    }
    for (i = 0; i < 200; ++i) {
        CHECK_U64(counts[i], 10);
    }
    for (i = 0; i < 4; ++i) {
        CHECK_NEAR(quarters[i], 500, 0.16);
    }
    gms_source_destroy(source);
}

/** The source is on for 10,000 cycles and off for 30,000 cycles on average, and
 * sends one packet every 800 cycles while it is on. Because of rounding,
 * packets within an on-period are 799, 800 or 801 cycles apart. Longer
 * intervals include an off-period. The next packet is in the same on-period
 * with probability exp(-800 / 10000). */
static void test_on_off(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_ON_OFF, 0.0125);
    unsigned near = 0, count = 100000, i;
    gms_source_t *source;
    gms_arrival_t arrival;
    uint64_t before = 0;

    config.on_cycles = 10000;
    config.off_cycles = 30000;
    source = make_source(&config);
    CHECK_NEAR(gms_source_mean_rate(source), 0.0125, 1e-12);
    CHECK_NEAR(gms_source_peak_rate(source), 0.05, 1e-12);
    for (i = 0; i < count; ++i) {
        (void)gms_source_next(source, &arrival);
        CU_ASSERT_TRUE(i == 0 || arrival.cycle - before >= 799);
        near += i > 0 && arrival.cycle - before <= 801;
        before = arrival.cycle;
    }
    /* The relative standard error of the duty cycle over 8000 on and off
     * periods is 0.75 sqrt(2 / 8000). */
    CHECK_NEAR(count * 40.0 / (double)before, 0.0125, 0.05);
    CHECK_NEAR(near / (double)count, exp(-0.08), 0.01);
    gms_source_destroy(source);
}

/** On/off sources send at their mean rate from the start: in the first 2000
 * cycles, 20,000 sources send as many packets as the mean rate predicts. */
static void test_on_off_start(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_ON_OFF, 0.0125);
    unsigned packets = 0, sources = 20000;
    gms_arrival_t arrival;

    config.on_cycles = 10000;
    config.off_cycles = 30000;
    for (config.stream = 0; config.stream < sources; ++config.stream) {
        gms_source_t *source = make_source(&config);

        while (gms_source_next(source, &arrival) && arrival.cycle < 2000) {
            ++packets;
        }
        gms_source_destroy(source);
    }
    CHECK_NEAR(packets, sources * 2000 * 0.0125 / 40, 0.08);
}

/** A source that is never off sends packets at equal intervals. */
static void test_always_on(void)
{
    gms_source_config_t config = source_config(GMS_SOURCE_ON_OFF, 0.4);
    gms_source_t *source;
    gms_arrival_t arrival;
    uint64_t first;
    unsigned i;

    config.on_cycles = 500;
    source = make_source(&config);
    (void)gms_source_next(source, &arrival);
    first = arrival.cycle;
    CU_ASSERT_TRUE(first <= 100);
    for (i = 1; i < 1000; ++i) {
        (void)gms_source_next(source, &arrival);
        CU_ASSERT_TRUE(arrival.cycle + 1 >= first + 100 * i);
        CU_ASSERT_TRUE(arrival.cycle <= first + 100 * i + 1);
    }
    gms_source_destroy(source);
}

/** If packets of two sources are generated in turn, each source produces the
 * same packets as it does alone. A source with another stream or seed produces
 * different packets. */
static void test_independent(void)
{
    unsigned kind, i;

    for (kind = 0; kind < GMS_SOURCE_TRACE; ++kind) {
        gms_source_config_t config = source_config(kind, 0.01);
        gms_source_t *alone, *beside, *other, *seed;
        unsigned same_stream = 0, same_seed = 0;

        config.on_cycles = config.off_cycles = 1000;
        alone = make_source(&config);
        beside = make_source(&config);
        ++config.stream;
        other = make_source(&config);
        --config.stream;
        ++config.seed;
        seed = make_source(&config);
        for (i = 0; i < 100; ++i) {
            gms_arrival_t a, b, c, d;

            (void)gms_source_next(beside, &b);
            (void)gms_source_next(other, &c);
            (void)gms_source_next(seed, &d);
            (void)gms_source_next(alone, &a);
            CHECK_U64(a.cycle, b.cycle);
            CHECK_U64(a.target, b.target);
            CHECK_U64(a.flits, b.flits);
            same_stream += a.cycle == c.cycle && a.target == c.target;
            same_seed += a.cycle == d.cycle && a.target == d.target;
        }
        CU_ASSERT_TRUE(same_stream < 30);
        CU_ASSERT_TRUE(same_seed < 30);
        gms_source_destroy(alone);
        gms_source_destroy(beside);
        gms_source_destroy(other);
        gms_source_destroy(seed);
    }
}

static void test_names(void)
{
    CU_ASSERT_STRING_EQUAL(gms_source_kind_names[GMS_SOURCE_VIDEO], "video");
    CU_ASSERT_STRING_EQUAL(gms_source_kind_names[GMS_SOURCE_TRACE], "trace");
    CU_ASSERT_PTR_NULL(gms_source_kind_names[GMS_SOURCE_KINDS]);
    CU_ASSERT_STRING_EQUAL(gms_target_pattern_names[GMS_TARGET_HOT_SPOT],
                           "hot-spot");
    CU_ASSERT_PTR_NULL(gms_target_pattern_names[GMS_TARGET_PATTERNS]);
}

/* ---- targets ---- */

static void check_target(gms_target_t target, const char *text)
{
    char why[200] = "";
    gms_status_t status = gms_target_check(&target, why, sizeof(why));

    CHECK_U64(status, (text == NULL) ? GMS_OK : GMS_ERR_CONFIG);
    if (text != NULL) {
        if (strstr(why, text) == NULL) {
            printf("\n    '%s' does not contain '%s'\n", why, text);
        }
        CU_ASSERT_PTR_NOT_NULL(strstr(why, text));
    }
}

static void test_target_check(void)
{
    check_target((gms_target_t){GMS_TARGET_UNIFORM, 2, 0, 0}, NULL);
    check_target((gms_target_t){GMS_TARGET_UNIFORM, 1, 0, 0}, "at least 2");
    check_target((gms_target_t){GMS_TARGET_FIXED, 8, 7, 0}, NULL);
    check_target((gms_target_t){GMS_TARGET_FIXED, 8, 8, 0},
                 "target fixed: node 8 does not exist; allowed: 0..7");
    check_target((gms_target_t){GMS_TARGET_HOT_SPOT, 8, 8, 0.5},
                 "target hot-spot: node 8");
    check_target((gms_target_t){GMS_TARGET_HOT_SPOT, 8, 7, 1.5}, "1.5");
    check_target((gms_target_t){GMS_TARGET_HOT_SPOT, 8, 7, (double)NAN}, "nan");
    check_target((gms_target_t){GMS_TARGET_TRANSPOSE, 25, 0, 0}, NULL);
    check_target((gms_target_t){GMS_TARGET_TRANSPOSE, 24, 0, 0}, "square");
    check_target((gms_target_t){GMS_TARGET_BIT_COMPLEMENT, 32, 0, 0}, NULL);
    check_target((gms_target_t){GMS_TARGET_BIT_COMPLEMENT, 24, 0, 0},
                 "power of two");
    check_target((gms_target_t){99, 24, 0, 0}, "pattern 99");
}

/** Counts how often node `source` draws each target. */
static void count_targets(gms_target_t target, uint32_t source,
                          unsigned counts[64], unsigned draws)
{
    gms_random_t random;
    unsigned i;

    gms_random_init(&random, 1, source);
    memset(counts, 0, 64 * sizeof(counts[0]));
    for (i = 0; i < draws; ++i) {
        uint32_t node = gms_target_draw(&target, source, &random);

        CU_ASSERT_TRUE_FATAL(node < target.nodes);
        ++counts[node];
    }
}

static void test_target_uniform(void)
{
    gms_target_t target = {GMS_TARGET_UNIFORM, 8, 0, 0};
    unsigned counts[64], source, i;

    for (source = 0; source < 8; ++source) {
        count_targets(target, source, counts, 70000);
        CHECK_U64(counts[source], 0);
        for (i = 0; i < 8; ++i) {
            if (i != source) {
                CHECK_NEAR(counts[i], 10000, 0.05);
            }
        }
    }
    target.pattern = GMS_TARGET_UNIFORM_SELF;
    count_targets(target, 3, counts, 80000);
    for (i = 0; i < 8; ++i) {
        CHECK_NEAR(counts[i], 10000, 0.05);
    }
}

/** Checks that each node is the target of exactly one node, and that the
 * permutation is its own inverse. */
static void check_permutation(gms_target_t target)
{
    unsigned hit[64] = {0}, i;
    gms_random_t random;

    gms_random_init(&random, 1, 1);
    for (i = 0; i < target.nodes; ++i) {
        uint32_t node = gms_target_draw(&target, i, &random);

        CU_ASSERT_TRUE_FATAL(node < target.nodes);
        ++hit[node];
        CHECK_U64(gms_target_draw(&target, node, &random), i);
    }
    for (i = 0; i < target.nodes; ++i) {
        CHECK_U64(hit[i], 1);
    }
}

static void test_target_permutations(void)
{
    gms_target_t transpose = {GMS_TARGET_TRANSPOSE, 25, 0, 0};
    gms_target_t complement = {GMS_TARGET_BIT_COMPLEMENT, 32, 0, 0};
    gms_target_t fixed = {GMS_TARGET_FIXED, 25, 4, 0};

    check_permutation(transpose);
    check_permutation(complement);
    /* in a matrix of 5 x 5 nodes, row 1, column 3 is mapped to row 3, column
     * 1 */
    CHECK_U64(gms_target_draw(&transpose, 8, NULL), 16);
    CHECK_U64(gms_target_draw(&transpose, 12, NULL), 12);
    CHECK_U64(gms_target_draw(&complement, 5, NULL), 26);
    CHECK_U64(gms_target_draw(&fixed, 9, NULL), 4);
    CHECK_U64(gms_target_draw(&fixed, 4, NULL), 4);
}

/** A quarter of the packets are sent to the hot spot, node 5. The targets of
 * the other packets are random nodes other than the source, and can include
 * node 5. */
static void test_target_hot_spot(void)
{
    gms_target_t target = {GMS_TARGET_HOT_SPOT, 8, 5, 0.25};
    unsigned counts[64], i;

    count_targets(target, 1, counts, 100000);
    CHECK_NEAR(counts[5], 25000 + 75000 / 7.0, 0.02);
    CHECK_U64(counts[1], 0);
    CHECK_NEAR(counts[0], 75000 / 7.0, 0.05);
    target.hot = 0;
    count_targets(target, 5, counts, 10000);
    CHECK_U64(counts[5], 0);
    target.hot = 1;
    count_targets(target, 1, counts, 10000);
    for (i = 0; i < 8; ++i) {
        CHECK_U64(counts[i], (i == 5) ? 10000 : 0);
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"refused configurations", test_refuses},
        {"poisson", test_poisson},
        {"bernoulli", test_bernoulli},
        {"bernoulli: first cycle", test_bernoulli_first},
        {"control", test_control},
        {"on-off", test_on_off},
        {"on-off: mean rate from the start", test_on_off_start},
        {"on-off: a source that is always on", test_always_on},
        {"independent sources", test_independent},
        {"names", test_names},
        {"target: invalid targets are refused", test_target_check},
        {"target: uniform", test_target_uniform},
        {"target: permutations", test_target_permutations},
        {"target: hot spot", test_target_hot_spot},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({.pName = "source", .pTests = tests});
}
