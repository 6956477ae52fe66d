/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests how much bandwidth a reservation keeps if the network loses packets
 * (doc/guarantees.md, "Loss"). While best-effort traffic floods the receiver,
 * the test measures the mean payload of backlogged flows over several seconds.
 * The test compares two loss rates.
 */
#include <math.h>

#include "nic/nic_int.h"
#include "manager/admission.h"
#include "unit.h"
#include "experiments/scenario.h"

/* Time from when a packet is dispatched until the NACK for the next packet
 * arrives. At each NIC, the packet, the next packet and the NACK each wait for
 * at most one best-effort transfer. */
#define NACK_S       250e-6
#define TIMEOUT_S    10e-3 /* nic_resend_timeout_us */
#define SECONDS      8
#define PACKET_BYTES 4096.0
#define MB           1e6

enum {
    FLOWS = 4,
    FLOOD = 2
};

static const struct {
    unsigned source, target;
    double bytes_s;
} reserved[FLOWS] = {
    {0, 1, 40 * MB}, {2, 1, 5 * MB}, {3, 4, 20 * MB}, {4, 3, 1 * MB}};

static gms_scenario_t *scenario;

static void add(unsigned i, unsigned source, unsigned target, double bytes_s)
{
    gms_traffic_t traffic = {.source = source,
                             .target = target,
                             .label = i,
                             .message_bytes = 65536,
                             .in_flight = 8,
                             .bytes_s = bytes_s,
                             .control = bytes_s > 0 ? GMS_TRAFFIC_PREMIUM
                                                    : GMS_TRAFFIC_UNDECLARED,
                             .start_ps = 100 * GMS_MS};

    CHECK_U64(gms_scenario_add(scenario, &traffic), i);
}

static void start(unsigned drop_ppm)
{
    char error[GMS_SCENARIO_ERROR_LEN];
    gms_params_t params;
    unsigned i;

    gms_params_init(&params);
    params.hosts = 8;
    params.fault_drop_ppm = drop_ppm;
    CU_ASSERT_FATAL(gms_scenario_create(&params, NULL, &scenario, error) ==
                    GMS_OK);
    for (i = 0; i < FLOWS; ++i) {
        add(i, reserved[i].source, reserved[i].target, reserved[i].bytes_s);
    }
    for (i = 0; i < FLOOD; ++i) {
        add(FLOWS + i, 5 + i, 1, 0);
    }
    gms_scenario_run(scenario, GMS_SECOND);
}

/* Losses are independent of each other. The probability that the number of
 * losses differs from its mean by more than four times the square root of the
 * mean is 1 in 30,000. */
static void check_loss(unsigned drop_ppm)
{
    double got[FLOWS], p = drop_ppm / 1e6;
    unsigned i;

    start(drop_ppm);
    gms_scenario_measure(scenario, GMS_SECOND, (1 + SECONDS) * GMS_SECOND, got,
                         FLOWS);
    printf("\n");
    for (i = 0; i < FLOWS; ++i) {
        double rate = reserved[i].bytes_s / PACKET_BYTES;
        double losses = p * rate * SECONDS;
        /* number of packets that the flow cannot send because of one loss, even
         * if the NACK is also lost */
        double each = 3 + (NACK_S + p * TIMEOUT_S) * rate;
        double most = (losses + 4 * sqrt(losses) + 1) * each + 1;
        double least = 1 - most / (rate * SECONDS);

        printf("    loss %.1f %%, reserved %.0f MB/s: received %.4f of the "
               "reservation, expected at least %.4f\n",
               100 * p, reserved[i].bytes_s / MB, got[i] / reserved[i].bytes_s,
               least);
        CU_ASSERT(gms_scenario_is_sending(scenario, i));
        CU_ASSERT(got[i] >= least * reserved[i].bytes_s);
    }
    gms_scenario_destroy(scenario);
}

static void test_no_loss(void)
{
    check_loss(0);
}

static void test_one_per_mille(void)
{
    check_loss(1000);
}

static void test_one_per_cent(void)
{
    check_loss(10000);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"no loss", test_no_loss},
        {"one packet of 1,000", test_one_per_mille},
        {"one packet of 100", test_one_per_cent},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"loss", NULL, NULL, NULL, NULL, tests});
}
