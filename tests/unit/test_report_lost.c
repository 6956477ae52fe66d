/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the bandwidth that flows lost at links, on hand-written records.
 */
#include "report_rig.h"

#include <math.h>

#include "report/lost.h"

#define FLIT                                                                   \
    {                                                                          \
        "record.json", "\"parameters\": {",                                    \
            "\"parameters\": {\"fabric_model\": \"flit\", "                    \
    }

/* 1 MB arrived in 10 ms. Without the 2 ms of waiting, this megabyte would have
 * needed only 8 ms. In 10 ms, 0.25 MB more could have arrived. */
static void test_lost(void)
{
    CHECK_NEAR(gms_lost_gain(1000000, 10 * GMS_MS, 2 * GMS_MS), 250000, 1e-9);
    CHECK_NEAR(gms_lost_gain(1000000, 10 * GMS_MS, 5 * GMS_MS), 1e6, 1e-9);
    CU_ASSERT(isinf(gms_lost_gain(1000000, 10 * GMS_MS, 10 * GMS_MS)));
    CU_ASSERT_EQUAL(gms_lost_gain(1000000, 10 * GMS_MS, 0), 0);
    CU_ASSERT_EQUAL(gms_lost_gain(0, 10 * GMS_MS, 1), 0);
    CU_ASSERT_EQUAL(gms_lost_gain(1, 0, 1), 0);
}

static gms_lost_t losses_of(const rig_change_t *changes, uint32_t flow,
                            size_t hop)
{
    gms_report_run_t *run = rig_run(changes);
    gms_losses_t *losses = gms_losses_create(run);
    gms_lost_t lost = gms_losses_at(losses, flow, hop);

    gms_losses_destroy(losses);
    gms_report_run_destroy(run);
    return lost;
}

static double lost_of(const rig_change_t *changes, uint32_t flow, size_t hop)
{
    return losses_of(changes, flow, hop).most_bytes_s;
}

/* Flow 1 -> 2 had 100 MB/s and waited half of the time for the last link.
 * Without this wait, its bandwidth would have doubled. However, the only other
 * flow on this link had 20 MB/s, so flow 1 -> 2 could have gained at most 20
 * MB/s. */
static void test_lost_of_a_run(void)
{
    static const rig_change_t others[] = {RIG_OTHERS, {NULL, NULL, NULL}};
    static const rig_change_t fast[] = {
        RIG_OTHERS, RIG_FAST, {NULL, NULL, NULL}};
    static const rig_change_t busy[] = {
        RIG_OTHERS,
        RIG_FAST,
        {"record.json", "\"lanai_busy_ps\":1000000000",
         "\"lanai_busy_ps\":3600000000"},
        RIG_IN_EACH_WINDOW("[2,250000000,200", "[2,900000000,200"),
        {NULL, NULL, NULL}};
    /* The flow sent nothing in the first of four windows, so the report
     * evaluates only the other 3 ms. */
    static const rig_change_t late[] = {
        {"windows.jsonl", "[1,100000,25,100000,0,0,", "[1,0,0,0,0,0,"},
        {NULL, NULL, NULL}};
    /* According to this record, packets of the flow arrived in the first
     * window, although the flow sent its first packet in the second window. */
    static const rig_change_t early[] = {
        {"windows.jsonl", "[1,100000,25,100000,0,0,", "[1,0,0,100000,0,0,"},
        {NULL, NULL, NULL}};
    /* The flow sent nothing in the second window. The report nevertheless
     * includes the other flow's bytes in this window. */
    static const rig_change_t pause[] = {
        {"windows.jsonl", "[1,100000,25,100000,0,0]", "[1,0,0,100000,0,0]"},
        {NULL, NULL, NULL}};
    static const rig_change_t idle[] = {
        RIG_OTHERS, RIG_FAST, RIG_IDLE, {NULL, NULL, NULL}};
    /* The receiving host needed 80 % of its time to receive 480000 bytes. In
     * the remaining time, the host could have received 120000 bytes more. In
     * addition, the host could have received more of this flow instead of the
     * other flow's 80000 bytes. */
    static const rig_change_t host[] = {
        RIG_OTHERS, RIG_FAST, RIG_BUSY_HOST, {NULL, NULL, NULL}};
    /* The flow spent a fifth of its waiting time at its first link. If other
     * flows used this link, the report assigns a fifth of the lost bandwidth to
     * it. */
    static const rig_change_t split[] = {RIG_OTHERS,
                                         RIG_FAST,
                                         {"record.json",
                                          "[1,0,0],[5,90,2000000000]",
                                          "[1,20,400000000],[5,90,1600000000]"},
                                         {NULL, NULL, NULL}};
    /* With virtual lanes, the loss is computed from the total wait of the
     * packets, which is more reliable than the waits at single links. */
    static const rig_change_t flit[] = {
        RIG_OTHERS,
        RIG_FAST,
        FLIT,
        {"record.json", "[5,90,2000000000]", "[5,90,500000000]"},
        {NULL, NULL, NULL}};
    /* Buffers on the route absorbed part of the waits, and this part did not
     * delay the flow. */
    static const rig_change_t buffers[] = {
        RIG_OTHERS,
        RIG_FAST,
        FLIT,
        {"record.json", "\"switch_ps\":6,\"blocked_ps\":2000000000",
         "\"switch_ps\":6,\"blocked_ps\":800000000"},
        {NULL, NULL, NULL}};
    /* The flow is paced in three of the four windows, and unpaced in the fourth
     * window. The report then treats it as unpaced for the whole run. */
    static const rig_change_t half_paced[] = {
        RIG_OTHERS,
        {"windows.jsonl", "[1,100000,25,100000,0,0]",
         "[1,100000,25,100000,60,0]"},
        {"windows.jsonl", "[1,100000,25,100000,0,0]",
         "[1,100000,25,100000,60,0]"},
        {"windows.jsonl", "[1,100000,25,100000,0,0]",
         "[1,100000,25,100000,60,0]"},
        {NULL, NULL, NULL}};
    static const rig_change_t paced[] = {
        RIG_OTHERS,
        RIG_IN_EACH_WINDOW("[1,100000,25,100000,0,", "[1,100000,25,100000,60,"),
        {NULL, NULL, NULL}};
    /* Time for which other flows held the link: 3.4 of 4 ms, minus the time for
     * the flow's own 402900 bytes. */
    double held_ms = 3.4 - 402900 / 160e6 * 1e3;

    CHECK_NEAR(lost_of(NULL, 1, 1), 20e6, 1e-6);
    CU_ASSERT_EQUAL(lost_of(NULL, 1, 0), 0);
    CU_ASSERT_EQUAL(lost_of(NULL, 1, 2), 0);
    CU_ASSERT_EQUAL(lost_of(NULL, 0, 1), 0);
    CHECK_NEAR(lost_of(others, 1, 1), held_ms / 4 * 160e6 * 4000 / 4029, 1e-6);
    CHECK_NEAR(lost_of(late, 1, 1), 20e6, 1e-6);
    CHECK_NEAR(lost_of(early, 1, 1), 20e6, 1e-6);
    CHECK_NEAR(lost_of(pause, 1, 1), 20e6, 1e-6);
    CHECK_NEAR(lost_of(half_paced, 1, 1), lost_of(others, 1, 1), 1e-9);
    CHECK_NEAR(lost_of(fast, 1, 1), 100e6, 1e-6);
    CHECK_NEAR(losses_of(fast, 1, 1).least_bytes_s, 100e6, 1e-6);
    CHECK_NEAR(losses_of(idle, 1, 1).least_bytes_s, 100e6, 1e-6);
    CHECK_NEAR(lost_of(idle, 1, 1), 200e6, 1e-6);
    CHECK_NEAR(lost_of(host, 1, 1), 50e6, 1e-6);
    CHECK_NEAR(lost_of(split, 1, 0), 20e6, 1e-6);
    CHECK_NEAR(lost_of(split, 1, 1), 80e6, 1e-6);
    CHECK_NEAR(lost_of(flit, 1, 1), 100e6, 1e-6);
    CU_ASSERT_EQUAL(lost_of(flit, 1, 0), 0);
    /* 100 MB/s x 0.8 / 3.2 */
    CHECK_NEAR(lost_of(buffers, 1, 1), 25e6, 1e-6);
    /* at 100 MB/s, the host is busy for 90 % of the time, so it could receive
     * 11.1 MB/s more */
    CHECK_NEAR(lost_of(busy, 1, 1), 100e6 / 9, 1e-6);
    /* An IDT of 60 ticks is 30 us, which allows 33.3 packets per window. The
     * flow sent 25 packets of 4000 bytes. */
    CHECK_NEAR(lost_of(paced, 1, 1), (1000 / 30.0 - 25) * 4000 * 1000, 1e-6);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"lost bandwidth", test_lost},
        {"lost bandwidth of a flow is limited by other flows",
         test_lost_of_a_run},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"report_lost", rig_setup, rig_teardown, NULL, NULL, tests});
}
