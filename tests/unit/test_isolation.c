/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests reservations under attacks by other traffic or by another process. The
 * attacks use closed ports, missing buffers, refused sizes, and little memory.
 * Other tests cover high load. The test compares the bandwidth that the
 * attacked flow receives with its grant.
 */

#include "nic/nic_int.h"
#include "scenario_rig.h"

#define MB 1e6

static void setup(void)
{
    init_params();
    params.hosts = 8;
}

static uint32_t reserve(unsigned source, unsigned target, unsigned port,
                        double bytes_s)
{
    gms_traffic_t traffic = {.source = source,
                             .target = target,
                             .source_port = port,
                             .target_port = port,
                             .message_bytes = 65536,
                             .in_flight = 8,
                             .control = GMS_TRAFFIC_PREMIUM,
                             .bytes_s = bytes_s,
                             .shape = {.message_bytes = 65536},
                             .is_preset = 1};

    return gms_scenario_add(scenario, &traffic);
}

/* Checks that the flow receives its granted bandwidth between the given
 * times. */
static void check_kept(uint32_t flow, gms_time_t from_ps, gms_time_t to_ps)
{
    double received[8];
    double idt_s =
        gms_scenario_idt(scenario, flow) * (double)params.rtc_tick_ps * 1e-12;

    CU_ASSERT_FATAL(gms_scenario_grant(scenario, flow) != NULL);
    gms_scenario_measure(scenario, from_ps, to_ps, received, flow + 1);
    CHECK_NEAR(received[flow], (double)params.nic_mtu_bytes / idt_s, 0.005);
}

/* ---- another reserved flow between the same NICs, whose receiver fails --- */

enum {
    VICTIM_PORT = 2,
    OTHER_PORT = 3
};

static uint32_t start_pair(void)
{
    uint32_t victim;

    open_scenario();
    victim = reserve(0, 1, VICTIM_PORT, 36 * MB);
    reserve(0, 1, OTHER_PORT, 36 * MB);
    gms_scenario_run(scenario, 20 * GMS_MS);
    return victim;
}

static void test_closed_port(void)
{
    uint32_t victim = start_pair();

    gms_nic_close_port(gms_scenario_ctx(scenario),
                       gms_scenario_nic(scenario, 1), OTHER_PORT);
    check_kept(victim, 30 * GMS_MS, 130 * GMS_MS);
}

static void test_refused_size(void)
{
    uint32_t victim = start_pair();

    gms_nic_set_acceptable(gms_scenario_nic(scenario, 1), OTHER_PORT, 0, 0);
    check_kept(victim, 30 * GMS_MS, 130 * GMS_MS);
}

/* The agent of a port needs a handler. In this test, the handler only makes the
 * NIC look for work. The port was closed and has been opened again, but its new
 * owner provides no buffers. */
static void test_no_buffers(void)
{
    uint32_t victim = start_pair();
    gms_ctx_t *ctx = gms_scenario_ctx(scenario);
    gms_nic_t *nic = gms_scenario_nic(scenario, 1);

    gms_nic_close_port(ctx, nic, OTHER_PORT);
    CU_ASSERT_TRUE(gms_nic_open_agent_port(ctx, nic, OTHER_PORT,
                                           GMS_NIC_ON_WAKE, nic) == GMS_OK);
    check_kept(victim, 30 * GMS_MS, 130 * GMS_MS);
}

/* ---- best-effort messages for the victim's buffers ----------------------- */

enum {
    FLOOD_PORT = 6,
    FLOOD_FLOWS = 4, /* number of flows from each host */
    FLOOD_MESSAGES = 20,
    FLOOD_BYTES = 131000 /* these messages have the same size class as the
                          * victim's messages */
};

static unsigned char flood_data[FLOOD_BYTES + 8192];

/* All other hosts send long messages, which need more buffers than the victim's
 * receiver has ever provided. The messages are slow because their routes meet
 * at this receiver. */
static void flood(gms_time_t at_ps)
{
    gms_ctx_t *ctx = gms_scenario_ctx(scenario);
    gms_send_desc_t desc = {.flow = {.source_port = FLOOD_PORT,
                                     .target_node = 1,
                                     .target_port = VICTIM_PORT},
                            .size = 17,
                            .length = FLOOD_BYTES,
                            .address = ((uintptr_t)flood_data + 4095) &
                                       ~(uintptr_t)4095};
    unsigned host, message;

    for (host = 2; host < params.hosts; ++host) {
        gms_nic_t *nic = gms_scenario_nic(scenario, host);

        CU_ASSERT_TRUE(gms_nic_open_agent_port(ctx, nic, FLOOD_PORT,
                                               GMS_NIC_ON_WAKE, nic) == GMS_OK);
        CU_ASSERT_TRUE(gms_nic_register_memory(ctx, nic, FLOOD_PORT,
                                               desc.address,
                                               FLOOD_BYTES) == GMS_OK);
        for (message = 0; message < FLOOD_MESSAGES * FLOOD_FLOWS; ++message) {
            desc.flow.label = message % FLOOD_FLOWS;
            gms_nic_post_send(ctx, nic, &nic->origin, at_ps, &desc);
        }
    }
}

static void test_long_messages(void)
{
    uint32_t victim;

    open_scenario();
    victim = reserve(0, 1, VICTIM_PORT, 36 * MB);
    gms_scenario_run(scenario, 20 * GMS_MS);
    flood(21 * GMS_MS);
    check_kept(victim, 30 * GMS_MS, 130 * GMS_MS);
}

/* The flood begins before the victim's first message. */
static void test_early_flood(void)
{
    gms_traffic_t traffic = {.target = 1,
                             .source_port = VICTIM_PORT,
                             .target_port = VICTIM_PORT,
                             .message_bytes = 65536,
                             .in_flight = 8,
                             .control = GMS_TRAFFIC_PREMIUM,
                             .bytes_s = 36 * MB,
                             .is_preset = 1,
                             .is_held = 1};
    uint32_t victim;

    open_scenario();
    victim = gms_scenario_add(scenario, &traffic);
    gms_scenario_run(scenario, 20 * GMS_MS);
    flood(21 * GMS_MS);
    gms_scenario_go(scenario, victim, 40 * GMS_MS);
    check_kept(victim, 41 * GMS_MS, 141 * GMS_MS);
}

/* ---- little memory ------------------------------------------------------- */

/* The connections of best-effort flows use all memory of the NICs. */
static void test_connections(void)
{
    gms_traffic_t other = {.source_port = OTHER_PORT,
                           .target_port = OTHER_PORT,
                           .message_bytes = 64,
                           .in_flight = 1,
                           .control = GMS_TRAFFIC_UNDECLARED,
                           .is_preset = 1};
    uint32_t victim;
    unsigned host;

    params.nic_sram_bytes = UINT64_C(320) << 10;
    params.nic_window_packets = 1500;
    open_scenario();
    victim = reserve(0, 1, VICTIM_PORT, 60 * MB);
    gms_scenario_run(scenario, 20 * GMS_MS);
    for (host = 2; host < params.hosts; ++host) {
        other.source = 0;
        other.target = host;
        CU_ASSERT_TRUE(gms_scenario_add(scenario, &other) != UINT32_MAX);
        other.source = host;
        other.target = 1;
        CU_ASSERT_TRUE(gms_scenario_add(scenario, &other) != UINT32_MAX);
    }
    check_kept(victim, 30 * GMS_MS, 130 * GMS_MS);
}

/* If reserved packets had only one send buffer, the host DMA and the link would
 * have to alternate. The account does not include this effect. The NIC
 * therefore always has eight buffers for reserved packets. */
static void test_one_send_buffer(void)
{
    unsigned host;

    params.nic_send_buffers = 1;
    open_scenario();
    for (host = 1; host < params.hosts; ++host) {
        reserve(0, host, VICTIM_PORT, 10 * MB);
    }
    gms_scenario_run(scenario, 50 * GMS_MS);
    check_kept(0, 50 * GMS_MS, 350 * GMS_MS);
}

/* ---- a short window ------------------------------------------------------ */

/* Many reserved flows send at the same time. A packet of the victim therefore
 * waits for the receiver for longer than the victim needs to send a window of
 * packets. */
static void test_window(void)
{
    gms_traffic_t other = {.message_bytes = 4096,
                           .in_flight = 2,
                           .control = GMS_TRAFFIC_PREMIUM,
                           .bytes_s = 0.05 * MB,
                           .shape = {.message_bytes = 4096},
                           .is_preset = 1,
                           .is_held = 1};
    gms_flow_key_t key = {.source_port = VICTIM_PORT,
                          .target_node = 1,
                          .target_port = VICTIM_PORT};
    gms_flow_stats_t stats;
    uint32_t victim, number;

    params.nic_window_packets = 4;
    open_scenario();
    victim = reserve(0, 1, VICTIM_PORT, 36 * MB);
    for (number = 1; number <= 90; ++number) {
        other.source = 2 + number % 6;
        other.target = 1;
        other.label = number;
        CHECK_U64(gms_scenario_add(scenario, &other), number);
    }
    gms_scenario_run(scenario, 990 * GMS_MS);
    for (number = 1; number <= 90; ++number) {
        gms_scenario_go(scenario, number, 1000 * GMS_MS);
    }
    check_kept(victim, 1000 * GMS_MS, 1200 * GMS_MS);
    gms_nic_flow_stats(gms_scenario_nic(scenario, 0), &key, &stats);
    CHECK_U64(stats.window_waits, 0);
}

int main(void)
{
    CU_TestInfo pair_tests[] = {
        {"closed port", test_closed_port},
        {"a message size that the receiver refuses", test_refused_size},
        {"a receiver without buffers", test_no_buffers},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo flood_tests[] = {
        {"long messages into the same port", test_long_messages},
        {"long messages before the first reserved message", test_early_flood},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo memory_tests[] = {
        {"connections of best-effort flows use all memory", test_connections},
        {"a NIC with one send buffer", test_one_send_buffer},
        {"a short send window", test_window},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"a receiver on the same host fails", NULL, NULL, setup,
                     close_scenario, pair_tests},
                    {"best-effort messages occupy the receive buffers", NULL,
                     NULL, setup, close_scenario, flood_tests},
                    {"best-effort messages occupy the NIC's memory", NULL, NULL,
                     setup, close_scenario, memory_tests});
}
