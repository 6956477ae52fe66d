/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the formulas of DCQCN against values computed by hand. Rates are in
 * bytes/s on a link of 5 GB/s (40 Gb/s), as in the paper.
 */
#include "unit.h"

#include "nic/dcqcn.h"

#define MB UINT64_C(1000000)

static gms_params_t params;
static gms_dcqcn_t flow;

static void setup(void)
{
    gms_params_init(&params);
    params.link_bytes_s = 5000 * MB;
    params.dcqcn_gain_divisor = 256;
    params.dcqcn_alpha_ps = 55 * GMS_US;
    params.dcqcn_timer_ps = 55 * GMS_US;
    params.dcqcn_counter_bytes = 10 * MB;
    params.dcqcn_fast_steps = 5;
    params.dcqcn_ai_bytes_s = 5 * MB;
    params.dcqcn_hai_bytes_s = 50 * MB;
    params.dcqcn_min_bytes_s = 5 * MB;
    gms_dcqcn_init(&flow, &params);
}

/* The first CNP halves the rate, because alpha is 1. */
static void test_first_notification(void)
{
    gms_dcqcn_sent(&flow, &params, 1000, GMS_MS);
    CHECK_U64(flow.next_ps, GMS_MS); /* no limit yet */
    gms_dcqcn_init(&flow, &params);
    gms_dcqcn_notified(&flow, &params, 0);
    CHECK_U64(flow.target, 5000 * MB);
    CHECK_U64(flow.rate, 2500 * MB);
    CHECK_U64(flow.alpha, GMS_DCQCN_ONE); /* (1 - g) + g */
    /* at 2.5 GB/s, 4000 bytes take 1.6 us */
    gms_dcqcn_sent(&flow, &params, 4000, GMS_US);
    CHECK_U64(flow.next_ps, GMS_US + 1600 * GMS_NS);
    gms_dcqcn_sent(&flow, &params, 4000, GMS_US);
    CHECK_U64(flow.next_ps, GMS_US + 3200 * GMS_NS);
}

/* After each 55 us without a CNP, alpha is multiplied by 255/256: 2^24 x
 * 255/256 = 16711680, x 255/256 = 16646400. A CNP that
 * arrives after these two periods uses alpha = 16646400 / 2^24 =
 * 0.9922027587890625. */
static void test_alpha(void)
{
    gms_dcqcn_notified(&flow, &params, 0);
    gms_dcqcn_advance(&flow, &params, 55 * GMS_US - 1);
    CHECK_U64(flow.alpha, 16777216);
    gms_dcqcn_advance(&flow, &params, 55 * GMS_US);
    CHECK_U64(flow.alpha, 16711680);
    gms_dcqcn_advance(&flow, &params, 110 * GMS_US);
    CHECK_U64(flow.alpha, 16646400);
    /* after two periods of fast recovery, the rate is 4375 MB/s (2500, 3750,
     * 4375) */
    CHECK_U64(flow.rate, 4375 * MB);
    gms_dcqcn_notified(&flow, &params, 110 * GMS_US);
    CHECK_U64(flow.target, 4375 * MB);
    /* 4375 x (1 - 0.9922027587890625 / 2) = 2204.556465... */
    CHECK_U64(flow.rate, 2204556466);
    /* 16646400 x 255/256 + 65536 */
    CHECK_U64(flow.alpha, 16646911);
}

/* In each of the periods 1 to 4, fast recovery halves the distance to the
 * target. From period 5 on, the target increases by R_AI. */
static void test_increase(void)
{
    static const uint64_t rates[] = {3000 * MB, 3500 * MB, 3750 * MB, 3875 * MB,
                                     /* targets 4005, 4010 */
                                     3940 * MB, 3975 * MB};
    unsigned i;

    flow.rate = flow.target = 4000 * MB;
    gms_dcqcn_notified(&flow, &params, 0);
    CHECK_U64(flow.rate, 2000 * MB);
    for (i = 0; i < 6; ++i) {
        gms_dcqcn_advance(&flow, &params, (i + 1) * 55 * GMS_US);
        CHECK_U64(flow.rate, rates[i]);
        CHECK_U64(flow.periods, i + 1);
    }
    CHECK_U64(flow.target, 4010 * MB);
}

/* The byte counter has the same effect as the count of periods. */
static void test_counter(void)
{
    flow.rate = flow.target = 4000 * MB;
    gms_dcqcn_notified(&flow, &params, 0);
    gms_dcqcn_sent(&flow, &params, 10 * MB - 1, 0);
    CHECK_U64(flow.rate, 2000 * MB);
    gms_dcqcn_sent(&flow, &params, 1, 0);
    CHECK_U64(flow.rate, 3000 * MB);
    CHECK_U64(flow.counters, 1);
    gms_dcqcn_sent(&flow, &params, 30 * MB, 0);
    CHECK_U64(flow.rate, 3875 * MB);
    /* the larger of the two counts determines when the additive increase
     * begins */
    gms_dcqcn_advance(&flow, &params, 55 * GMS_US);
    CHECK_U64(flow.rate, (3875 + 4000) * MB / 2);
    CHECK_U64(flow.target, 4000 * MB);
    gms_dcqcn_sent(&flow, &params, 10 * MB, 55 * GMS_US);
    CHECK_U64(flow.counters, 5);
    CHECK_U64(flow.target, 4005 * MB);
}

/* When both counts exceed F, the target increases by (min - F) x R_HAI. */
static void test_hyper(void)
{
    flow.rate = flow.target = 1000 * MB;
    gms_dcqcn_notified(&flow, &params, 0);
    gms_dcqcn_sent(&flow, &params, 70 * MB, 0);
    CHECK_U64(flow.counters, 7);
    CHECK_U64(flow.target, 1015 * MB);
    /* periods 1 to 5 are additive, because min(t, b) <= F */
    gms_dcqcn_advance(&flow, &params, 5 * 55 * GMS_US);
    CHECK_U64(flow.target, 1040 * MB);
    gms_dcqcn_advance(&flow, &params, 6 * 55 * GMS_US);
    CHECK_U64(flow.target, 1090 * MB); /* min = 6 */
    gms_dcqcn_advance(&flow, &params, 7 * 55 * GMS_US);
    CHECK_U64(flow.target, 1190 * MB); /* min = 7 */
    gms_dcqcn_advance(&flow, &params, 8 * 55 * GMS_US);
    CHECK_U64(flow.target, 1290 * MB); /* min is still 7 */
}

/* A CNP resets the count of periods and the byte counter. */
static void test_restart(void)
{
    gms_dcqcn_notified(&flow, &params, 0);
    gms_dcqcn_sent(&flow, &params, 19 * MB, 0);
    gms_dcqcn_advance(&flow, &params, 100 * GMS_US);
    CHECK_U64(flow.periods, 1);
    CHECK_U64(flow.counters, 1);
    gms_dcqcn_notified(&flow, &params, 100 * GMS_US);
    CHECK_U64(flow.periods, 0);
    CHECK_U64(flow.counters, 0);
    CHECK_U64(flow.counted_bytes, 0);
    gms_dcqcn_advance(&flow, &params, 154 * GMS_US);
    CHECK_U64(flow.periods, 0);
    gms_dcqcn_advance(&flow, &params, 155 * GMS_US);
    CHECK_U64(flow.periods, 1);
}

/* However many CNPs arrive, the rate does not fall below the lowest rate.
 * Without CNPs, the limit rises to the rate of the link, and alpha
 * decreases. */
static void test_limits(void)
{
    unsigned i;

    for (i = 0; i < 100; ++i) {
        gms_dcqcn_notified(&flow, &params, i * GMS_US);
    }
    CHECK_U64(flow.rate, 5 * MB);
    gms_dcqcn_advance(&flow, &params, GMS_SECOND);
    CHECK_U64(flow.rate, 5000 * MB);
    CHECK_U64(flow.is_limited, 0);
    CU_ASSERT(flow.alpha < 256);
    gms_dcqcn_sent(&flow, &params, 4000, GMS_SECOND);
    CHECK_U64(flow.next_ps, GMS_SECOND);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"the first notification", test_first_notification},
        {"alpha", test_alpha},
        {"fast recovery and additive increase", test_increase},
        {"the byte counter", test_counter},
        {"hyper increase after both counts exceed F", test_hyper},
        {"a notification restarts both counts", test_restart},
        {"lowest and highest rate", test_limits},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"DCQCN", NULL, NULL, setup, NULL, tests});
}
