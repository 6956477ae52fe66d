/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests best-effort flows that do not use their share, with simulated traffic.
 * The tests check how long it takes until other flows receive the unused share,
 * and until the share is returned. No third flow may lose bandwidth in the
 * meantime.
 */
#include <string.h>

#include "unit.h"
#include "experiments/scenario.h"

#define MB      1e6
#define IDLE_PS (1000 * GMS_US)
#define WORK    (50 * GMS_US)
#define MS      (1000 * GMS_US)
/* Time that a message between two managers takes. The message waits for one
 * packet in each NIC and at the switch, each for at most about 100 us. */
#define MESSAGE (200 * GMS_US)
#define STEP    (10 * GMS_US)

static gms_params_t params;
static gms_scenario_t *scenario;
static uint32_t premium, always, sometimes;

static void start(int work_conserving, unsigned other_target)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    gms_traffic_t traffic = {.source = 0,
                             .target = 3,
                             .message_bytes = 65536,
                             .in_flight = 2,
                             .control = GMS_TRAFFIC_PREMIUM,
                             .bytes_s = 40 * MB,
                             .stop_ps = GMS_NEVER};

    gms_params_init(&params);
    params.hosts = 4;
    params.qos_manager_ps = WORK;
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    params.qos_work_conserving = (uint64_t)work_conserving;
    params.qos_idle_us = IDLE_PS / GMS_US;
    CU_ASSERT_FATAL(gms_scenario_create(&params, NULL, &scenario, error) ==
                    GMS_OK);
    premium = gms_scenario_add(scenario, &traffic);
    traffic.control = GMS_TRAFFIC_BEST_EFFORT;
    traffic.source = 1;
    always = gms_scenario_add(scenario, &traffic);
    traffic.source = 2;
    traffic.target = other_target;
    traffic.pattern = GMS_TRAFFIC_ON_OFF;
    traffic.on_ps = 40 * MS;
    traffic.off_ps = 40 * MS;
    sometimes = gms_scenario_add(scenario, &traffic);
}

static void stop(void)
{
    gms_scenario_destroy(scenario);
}

/* Runs until the IDT of `always` has this value. @return time of this change */
static gms_time_t until_idt(uint32_t idt_ticks, gms_time_t limit_ps)
{
    while (gms_scenario_idt(scenario, always) != idt_ticks &&
           gms_scenario_now(scenario) < limit_ps) {
        gms_scenario_run(scenario, gms_scenario_now(scenario) + STEP);
    }
    CHECK_U64(gms_scenario_idt(scenario, always), idt_ticks);
    return gms_scenario_now(scenario);
}

/* Runs until the flow `sometimes` stops sending or, if it is idle, until it
 * sends again. @return time of the flow's last or first packet, respectively */
static gms_time_t until_quiet(gms_time_t limit_ps)
{
    uint64_t bytes = gms_scenario_sent_bytes(scenario, sometimes);
    gms_time_t last_ps = gms_scenario_now(scenario);

    /* The flow sends a packet every 216.5 us. */
    while (gms_scenario_now(scenario) < last_ps + 600 * GMS_US &&
           gms_scenario_now(scenario) < limit_ps) {
        gms_scenario_run(scenario, gms_scenario_now(scenario) + STEP);
        if (gms_scenario_sent_bytes(scenario, sometimes) != bytes) {
            bytes = gms_scenario_sent_bytes(scenario, sometimes);
            last_ps = gms_scenario_now(scenario);
        }
    }
    return last_ps;
}

static gms_time_t until_sending(gms_time_t limit_ps)
{
    uint64_t bytes = gms_scenario_sent_bytes(scenario, sometimes);

    while (gms_scenario_sent_bytes(scenario, sometimes) == bytes &&
           gms_scenario_now(scenario) < limit_ps) {
        gms_scenario_run(scenario, gms_scenario_now(scenario) + STEP);
    }
    return gms_scenario_now(scenario);
}

/* A reservation of 40 MB/s has an IDT of 204, and leaves 37.8 MB/s. Rounded up,
 * the IDT for this bandwidth is 217 ticks for one flow, or 433 ticks for each
 * of two flows. Two packets of the other flow are acknowledged late. */
static void test_lent_and_back(void)
{
    gms_time_t bound_ps = 4 * (WORK + MESSAGE) + STEP;
    gms_time_t at_ps;
    unsigned i;

    start(1, 3);
    until_idt(433, 5 * MS);
    for (i = 0; i < 3; ++i) {
        at_ps = until_quiet(500 * MS);
        CU_ASSERT_TRUE(until_idt(217, at_ps + 10 * MS) <=
                       at_ps + 2 * IDLE_PS + bound_ps);
        at_ps = until_sending(500 * MS);
        CU_ASSERT_TRUE(until_idt(433, at_ps + 10 * MS) <=
                       at_ps + IDLE_PS + bound_ps);
    }
    stop();
}

static void test_not_lent_by_default(void)
{
    gms_time_t at_ps;

    start(0, 3);
    until_idt(433, 5 * MS);
    at_ps = until_quiet(500 * MS);
    gms_scenario_run(scenario, at_ps + 30 * MS);
    CHECK_U64(gms_scenario_idt(scenario, always), 433);
    stop();
}

/* In any interval of 5 ms, the reservation loses fewer than two packets, even
 * while bandwidth is lent and returned. The other flow uses the lent
 * bandwidth. */
static void test_premium_is_kept(void)
{
    double bytes_s[3], lent = 0;
    gms_time_t at_ps = 5 * MS;

    start(1, 3);
    gms_scenario_run(scenario, at_ps);
    while (at_ps < 400 * MS) {
        gms_scenario_measure(scenario, at_ps, at_ps + 5 * MS, bytes_s, 3);
        at_ps += 5 * MS;
        CU_ASSERT_TRUE(bytes_s[premium] >= 40 * MB - 2 * 4096 / 5e-3);
        lent += bytes_s[always] > 36 * MB;
    }
    CU_ASSERT_TRUE(lent >= 20); /* in about half of the 79 intervals, the flow
                                 * may have lent its bandwidth */
    stop();
}

/* If a flow does not use bandwidth on its route, this bandwidth cannot be lent
 * to flows on other routes. */
static void test_other_places(void)
{
    gms_time_t at_ps;

    start(1, 1); /* flow 2 -> 1 shares node 1 with flow 1 -> 3 */
    gms_scenario_run(scenario, 20 * MS);
    CHECK_U64(gms_scenario_idt(scenario, always), 217);
    at_ps = until_quiet(500 * MS);
    gms_scenario_run(scenario, at_ps + 10 * MS);
    CHECK_U64(gms_scenario_idt(scenario, always), 217);
    stop();
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"bandwidth is lent and returned in time", test_lent_and_back},
        {"by default, no bandwidth is lent", test_not_lent_by_default},
        {"premium flows keep their bandwidth", test_premium_is_kept},
        {"bandwidth of other routes is not lent", test_other_places},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"idle best effort", NULL, NULL, NULL, NULL, tests});
}
