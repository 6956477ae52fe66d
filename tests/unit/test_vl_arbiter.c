/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests InfiniBand's arbitration between virtual lanes: weights, the
 * high-priority and low-priority tables, and the limit of the high-priority
 * table.
 */
#include "unit.h"

#include <string.h>

#include "base/random.h"
#include "fabric/vl_arbiter.h"

#define PACKETS 1000000u

static gms_vl_arbiter_t arbiter;
static gms_vl_config_t config;
static uint64_t sent[GMS_VL_MAX]; /* bytes sent on each lane */

static void begin(void)
{
    memset(&arbiter, 0, sizeof(arbiter));
    memset(&config, 0, sizeof(config));
    memset(sent, 0, sizeof(sent));
    config.high_limit = GMS_VL_UNLIMITED;
}

static void add(gms_vl_table_t *table, unsigned lane, unsigned weight)
{
    table->entry[table->count++] =
        (gms_vl_entry_t){(uint8_t)lane, (uint8_t)weight};
}

/* Sends packets of the given length. All lanes in the bit mask `lanes` are
 * backlogged. */
static void run(uint32_t lanes, uint32_t length, unsigned packets)
{
    uint32_t bytes[GMS_VL_MAX];
    unsigned i;

    for (i = 0; i < GMS_VL_MAX; ++i) {
        bytes[i] = length;
    }
    for (i = 0; i < packets; ++i) {
        unsigned lane = gms_vl_arbiter_next(&arbiter, &config, lanes, bytes);

        CU_ASSERT_FATAL(lane < GMS_VL_MAX && (lanes >> lane & 1) != 0);
        sent[lane] += length;
    }
}

static double share(unsigned lane)
{
    uint64_t all = 0;
    unsigned i;

    for (i = 0; i < GMS_VL_MAX; ++i) {
        all += sent[i];
    }
    return (double)sent[lane] / (double)all;
}

/* A packet of 1,024 bytes uses 16 units of weight. */
static void test_shares(void)
{
    begin();
    add(&config.low, 0, 16);
    add(&config.low, 3, 32);
    add(&config.low, 7, 80);
    add(&config.low, 14, 128);
    run(0x4089, 1024, PACKETS);
    CHECK_NEAR(share(0), 1.0 / 16, 0.01);
    CHECK_NEAR(share(3), 2.0 / 16, 0.01);
    CHECK_NEAR(share(7), 5.0 / 16, 0.01);
    CHECK_NEAR(share(14), 8.0 / 16, 0.01);
}

/* A lane can have several entries in a table. The other lanes divide the share
 * of an idle lane. */
static void test_entries(void)
{
    begin();
    add(&config.low, 0, 64);
    add(&config.low, 1, 64);
    add(&config.low, 0, 64);
    add(&config.low, 2, 0);
    run(0x3, 4096, PACKETS);
    CHECK_NEAR(share(0), 2.0 / 3, 0.01);
    begin();
    add(&config.low, 0, 64);
    add(&config.low, 1, 64);
    add(&config.low, 5, 128);
    run(0x21, 4096, PACKETS);
    CHECK_NEAR(share(0), 1.0 / 3, 0.01);
    CHECK_U64(sent[1], 0);
}

/* A packet may be sent as long as any weight remains, so a turn of weight w
 * sends ceil(w / units of a packet) packets. */
static void test_last_packet(void)
{
    begin();
    add(&config.low, 0, 65);
    add(&config.low, 1, 64);
    run(0x3, 4096, PACKETS);
    CHECK_NEAR(share(0), 2.0 / 3, 0.01);
}

/* Without a limit, the high table always precedes the low table. With the limit
 * n, one packet of the low table follows 4096 n bytes of the high table. */
static void test_limit(void)
{
    static const struct {
        uint32_t limit;
        double high;
    } cases[] = {{255, 1.0}, {0, 1.0 / 2}, {1, 4.0 / 5}, {10, 40.0 / 41}};
    unsigned i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        begin();
        add(&config.high, 1, 255);
        add(&config.low, 0, 255);
        config.high_limit = cases[i].limit;
        run(0x3, 1024, PACKETS);
        CHECK_NEAR(share(1), cases[i].high, 0.01);
    }
}

/* The low table receives all of the bandwidth while the high table is idle.
 * Bytes that the high table sends while the low table is idle do not count
 * toward its limit. */
static void test_idle_low(void)
{
    uint32_t bytes[GMS_VL_MAX] = {1024, 1024};

    begin();
    add(&config.high, 1, 255);
    add(&config.low, 0, 255);
    config.high_limit = 1;
    run(0x2, 1024, 100);
    CHECK_U64(gms_vl_arbiter_next(&arbiter, &config, 0x3, bytes), 1);
    run(0x1, 1024, 100);
    CHECK_U64(sent[0], 102400);
    CHECK_U64(gms_vl_arbiter_next(&arbiter, &config, 0, bytes), GMS_VL_MAX);
    CHECK_U64(gms_vl_arbiter_next(&arbiter, &config, 0x8, bytes), GMS_VL_MAX);
}

/* Every lane with a weight is served within one round of the tables, regardless
 * of the lengths of the packets. */
static void test_no_starvation(void)
{
    gms_random_t random;
    unsigned waited[4] = {0}, i, lane, other;

    gms_random_init(&random, 1, 0);
    begin();
    for (i = 0; i < 4; ++i) {
        add(&config.low, i, 1 + (unsigned)gms_random_below(&random, 255));
    }
    for (i = 0; i < PACKETS; ++i) {
        uint32_t bytes[GMS_VL_MAX];

        for (lane = 0; lane < 4; ++lane) {
            bytes[lane] = 64 + (uint32_t)gms_random_below(&random, 4096);
        }
        lane = gms_vl_arbiter_next(&arbiter, &config, 0xf, bytes);
        CU_ASSERT_FATAL(lane < 4);
        for (other = 0; other < 4; ++other) {
            waited[other] = other == lane ? 0 : waited[other] + 1;
            CU_ASSERT_FATAL(waited[other] <= 3 * 255);
        }
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"shares follow weights", test_shares},
        {"several entries of one lane, and idle lanes", test_entries},
        {"the last packet of a turn", test_last_packet},
        {"limit of high priority", test_limit},
        {"one table is idle", test_idle_low},
        {"no lane starves", test_no_starvation},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"fabric: arbitration of virtual lanes", NULL, NULL, NULL,
                     NULL, tests});
}
