/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests how an Ethernet port selects among priorities: strict priority, and
 * shares by weight over a million packets.
 */
#include "unit.h"

#include <string.h>

#include "base/random.h"
#include "fabric/ets.h"

static gms_ets_t ets;
static gms_ets_config_t config;

static void setup(void)
{
    memset(&ets, 0, sizeof(ets));
    memset(&config, 0, sizeof(config));
}

/* Strict priorities precede shared priorities, and higher priorities precede
 * lower priorities. */
static void test_strict(void)
{
    static const uint32_t bytes[GMS_ETS_PRIORITIES] = {64, 64, 64, 64,
                                                       64, 64, 64, 64};

    config.weight[7] = 60;
    config.weight[1] = 40;
    CHECK_U64(gms_ets_next(&ets, &config, 0xff, bytes), 6);
    CHECK_U64(gms_ets_next(&ets, &config, 0x8d, bytes), 3);
    CHECK_U64(gms_ets_next(&ets, &config, 0x83, bytes), 0);
    CHECK_U64(gms_ets_next(&ets, &config, 0x80, bytes), 7);
    CHECK_U64(gms_ets_next(&ets, &config, 0x02, bytes), 1);
}

/* Serve a million packets of random lengths, and return a priority's share of
 * the bytes. */
static void shares(uint32_t ready, uint32_t most_bytes,
                   double share[GMS_ETS_PRIORITIES])
{
    uint32_t bytes[GMS_ETS_PRIORITIES], i, n;
    uint64_t sent[GMS_ETS_PRIORITIES] = {0}, sum = 0;
    gms_random_t random;

    gms_random_init(&random, 7, 0);
    for (i = 0; i < GMS_ETS_PRIORITIES; ++i) {
        bytes[i] = 64 + (uint32_t)gms_random_below(&random, most_bytes);
    }
    for (n = 0; n < 1000000; ++n) {
        i = gms_ets_next(&ets, &config, ready, bytes);
        sent[i] += bytes[i];
        sum += bytes[i];
        bytes[i] = 64 + (uint32_t)gms_random_below(&random, most_bytes);
    }
    for (i = 0; i < GMS_ETS_PRIORITIES; ++i) {
        share[i] = (double)sent[i] / (double)sum;
    }
}

/* The shares of bytes follow the weights to within 1 %, for short and long
 * packets, and even if a priority's turn is shorter than its packets. */
static void test_shares(void)
{
    double share[GMS_ETS_PRIORITIES];
    uint32_t lengths[] = {1, 1500, 9000}, k;

    for (k = 0; k < 3; ++k) {
        setup();
        config.weight[0] = 1;
        config.weight[2] = 19;
        config.weight[5] = 30;
        config.weight[6] = 50;
        shares(0x65, lengths[k], share);
        CHECK_NEAR(share[0], 0.01, 0.01);
        CHECK_NEAR(share[2], 0.19, 0.01);
        CHECK_NEAR(share[5], 0.30, 0.01);
        CHECK_NEAR(share[6], 0.50, 0.01);
        /* a priority without packets leaves its share to the other
         * priorities */
        shares(0x45, lengths[k], share);
        CHECK_NEAR(share[0], 1.0 / 70, 0.01);
        CHECK_NEAR(share[2], 19.0 / 70, 0.01);
        CHECK_NEAR(share[6], 50.0 / 70, 0.01);
    }
}

/* A priority that was idle has not saved any credit. */
static void test_idle(void)
{
    uint32_t bytes[GMS_ETS_PRIORITIES], n, mine = 0;

    for (n = 0; n < GMS_ETS_PRIORITIES; ++n) {
        bytes[n] = 1000;
    }
    config.weight[0] = 50;
    config.weight[1] = 50;
    for (n = 0; n < 10000; ++n) {
        CHECK_U64(gms_ets_next(&ets, &config, 1, bytes), 0);
    }
    for (n = 0; n < 1000; ++n) {
        mine += gms_ets_next(&ets, &config, 3, bytes);
    }
    CU_ASSERT(mine >= 487 && mine <= 513); /* at most one additional turn */
}

/* A priority collects a deficit for a long packet while it waits. If the
 * priority then has no packet, for example because of a pause, it loses this
 * deficit. Here, priority 0 collects turns for a very long packet. Afterwards,
 * its short packets have no advantage over the packets of two other
 * priorities. */
static void test_lost_deficit(void)
{
    uint32_t bytes[GMS_ETS_PRIORITIES], n, mine = 0;

    for (n = 0; n < GMS_ETS_PRIORITIES; ++n) {
        bytes[n] = 64;
    }
    config.weight[0] = config.weight[1] = config.weight[2] = 1;
    bytes[0] = 1000000;
    for (n = 0; n < 10000; ++n) {
        CU_ASSERT(gms_ets_next(&ets, &config, 7, bytes) != 0);
    }
    bytes[0] = 64;
    gms_ets_next(&ets, &config, 6, bytes);
    for (n = 0; n < 300; ++n) {
        mine += gms_ets_next(&ets, &config, 7, bytes) == 0;
    }
    CU_ASSERT(mine <= 110);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"strict priorities", test_strict},
        {"shares of a million packets", test_shares},
        {"an idle priority accumulates no credit", test_idle},
        {"an idle priority loses its deficit", test_lost_deficit},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"transmission selection", NULL, NULL, setup, NULL, tests});
}
