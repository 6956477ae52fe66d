/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests scenarios: clusters with simulated traffic instead of processes. The
 * simulated traffic must reach the same bandwidths and delays as real programs.
 */

#include <string.h>

#include "nic/nic_int.h"
#include "scenario_rig.h"

/* Returns a description of backlogged traffic from node 0 to another node, like
 * the traffic of gm-bandwidth. */
static gms_traffic_t stream(unsigned target, uint32_t idt_ticks)
{
    gms_traffic_t traffic = {.target = target,
                             .message_bytes = 65536,
                             .in_flight = 4,
                             .idt_ticks = idt_ticks};

    return traffic;
}

static void add_streams(const uint32_t *idts, unsigned count)
{
    unsigned i;

    for (i = 0; i < count; ++i) {
        gms_traffic_t traffic = stream(i + 1, idts[i]);

        CHECK_U64(gms_scenario_add(scenario, &traffic), i);
    }
}

/* ---- comparison with programs ---- */

/* Bandwidths in MB/s that real processes measured on the same simulated
 * cluster, as means over the time in which all flows were backlogged. The
 * commands were mpirun -n 2..4 gm-bandwidth -s 65536 with --idt 0; 192,192;
 * 320,137; 192,384,384. */
static void programs_and_standins_get_the_same(void)
{
    static const struct {
        uint32_t idt[3];
        double mb_s[3];
        unsigned flows;
    } cases[] = {
        {{0}, {82.887}, 1},
        {{192, 192}, {40.92, 40.92}, 2},
        {{320, 137}, {24.54, 57.31}, 2},
        {{192, 384, 384}, {40.40, 20.20, 20.20}, 3},
    };
    unsigned i, flow;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        double bytes_s[3];

        close_scenario();
        setup_scenario();
        add_streams(cases[i].idt, cases[i].flows);
        gms_scenario_measure(scenario, 100 * GMS_MS, GMS_SECOND, bytes_s,
                             cases[i].flows);
        for (flow = 0; flow < cases[i].flows; ++flow) {
            CHECK_NEAR(bytes_s[flow] / 1e6, cases[i].mb_s[flow], 0.002);
        }
    }
}

/* ---- arguments ----------------------------------------------------------- */

static void out_of_range_is_refused(void)
{
    gms_traffic_t good = stream(1, 0);
    gms_traffic_t bad[9];
    unsigned i;

    for (i = 0; i < 9; ++i) {
        bad[i] = good;
    }
    bad[0].source = 16;
    bad[1].target = 16;
    bad[2].source_port = 8;
    bad[3].message_bytes = 0;
    bad[4].message_bytes = (1u << 20) + 1;
    bad[5].in_flight = 0;
    bad[6].in_flight = 1025;
    bad[7].priority = 2;
    bad[8].pattern = GMS_TRAFFIC_ON_OFF; /* the on and off times are missing */
    for (i = 0; i < 9; ++i) {
        CHECK_U64(gms_scenario_add(scenario, &bad[i]), UINT32_MAX);
    }
    CHECK_U64(gms_scenario_add(scenario, &good), 0);
    /* this flow already exists */
    CHECK_U64(gms_scenario_add(scenario, &good), UINT32_MAX);
    good.label = 1;
    CHECK_U64(gms_scenario_add(scenario, &good), 1);
}

static void what_cannot_be_built_is_said(void)
{
    gms_scenario_t *other = NULL;
    char error[GMS_SCENARIO_ERROR_LEN];

    params.arena_bytes = UINT64_C(2) << 20; /* this size is too small for the
                                             * messages */
    CHECK_U64(gms_scenario_create(&params, NULL, &other, error) != GMS_OK, 1);
    CU_ASSERT_TRUE(other == NULL && error[0] != '\0');
    gms_scenario_destroy(NULL);
}

/* ---- behaviour ----------------------------------------------------------- */

/* Packets are lost and retransmitted. After all messages have arrived, the
 * number of received bytes equals the number of sent bytes, because
 * retransmissions do not count. */
static void repeated_bytes_do_not_count(void)
{
    gms_traffic_t traffic = stream(1, 0);
    gms_flow_key_t key = {.source_port = 2, .target_node = 1, .target_port = 2};
    gms_flow_stats_t stats;

    close_scenario();
    params.fault_drop_ppm = 20000;
    open_scenario();
    traffic.stop_ps = 20 * GMS_MS;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    gms_scenario_run(scenario, 1000 * GMS_MS);
    gms_nic_flow_stats(gms_scenario_nic(scenario, 0), &key, &stats);
    CU_ASSERT_TRUE(stats.bytes_again > 0);
    CU_ASSERT_TRUE(gms_scenario_received_bytes(scenario, 0) > 0);
    CHECK_U64(gms_scenario_sent_bytes(scenario, 0),
              gms_scenario_received_bytes(scenario, 0));
}

/* A message of 8000 bytes is sent in two packets of 4096 and 3904 bytes. With
 * an IDT of 1000 ticks (0.5 ms) per packet, 8000 bytes take 1 ms. */
static void bytes_are_counted_by_packets(void)
{
    gms_traffic_t traffic = stream(1, 1000);

    traffic.message_bytes = 8000;
    traffic.in_flight = 2;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    /* Packets are dispatched at 1.3 us, 501.3 us and so on, and arrive about
     * 100 us later. */
    gms_scenario_run(scenario, 700 * GMS_US);
    CHECK_U64(gms_scenario_sent_bytes(scenario, 0), 8000);
    CHECK_U64(gms_scenario_received_bytes(scenario, 0), 8000);
    gms_scenario_run(scenario, 1100 * GMS_US);
    CHECK_U64(gms_scenario_sent_bytes(scenario, 0), 12096);
    gms_scenario_run(scenario, 100 * GMS_MS + 200 * GMS_US);
    CHECK_U64(gms_scenario_received_bytes(scenario, 0), 100 * 8000 + 4096);
    CHECK_U64(gms_scenario_now(scenario), 100 * GMS_MS + 200 * GMS_US);
    CHECK_U64(gms_scenario_idt(scenario, 0), 1000);
}

/* The flow sends 4096 bytes per 500 ticks of 0.5 us. The source is on for 5 ms
 * of every 20 ms, that is, for a quarter of the time. */
static void on_and_off(void)
{
    gms_traffic_t traffic = stream(1, 500);
    double bytes_s;

    traffic.message_bytes = 4096;
    traffic.in_flight = 1;
    traffic.pattern = GMS_TRAFFIC_ON_OFF;
    traffic.on_ps = 5 * GMS_MS;
    traffic.off_ps = 15 * GMS_MS;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    gms_scenario_measure(scenario, 0, GMS_SECOND, &bytes_s, 1);
    /* tolerance: a burst may contain one additional packet */
    CHECK_NEAR(bytes_s, 16.384e6 / 4, 0.05);
    close_scenario();
    setup_scenario();
    traffic.is_random = 1;
    traffic.on_ps = GMS_MS;
    traffic.off_ps = 3 * GMS_MS;
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    gms_scenario_measure(scenario, 0, 10 * GMS_SECOND, &bytes_s, 1);
    CHECK_NEAR(bytes_s, 16.384e6 / 4, 0.25);
}

static void time_runs_only_forward(void)
{
    gms_traffic_t traffic = stream(1, 0);

    gms_scenario_run(scenario, 5 * GMS_MS);
    gms_scenario_run(scenario, 4 * GMS_MS);
    CHECK_U64(gms_scenario_now(scenario), 5 * GMS_MS);
    /* this flow starts at the current time */
    CHECK_U64(gms_scenario_add(scenario, &traffic), 0);
    gms_scenario_run(scenario, 6 * GMS_MS);
    CHECK_U64(gms_scenario_received_bytes(scenario, 0) > 10 * 4096, 1);
    CHECK_U64(gms_scenario_received_bytes(scenario, 0) < 20 * 4096, 1);
}

/* A process that both sends and receives divides its time between sending and
 * receiving. Providing a receive buffer takes 10 ms in this test, so little
 * time remains for sending. */
static void a_node_does_one_thing_at_a_time(void)
{
    gms_traffic_t out = stream(1, 0), in = stream(0, 0);
    double alone[2], both[2];

    params.host_provide_ps = 10 * GMS_MS;
    in.source = 2;
    close_scenario();
    open_scenario();
    (void)gms_scenario_add(scenario, &out);
    gms_scenario_measure(scenario, 0, GMS_SECOND, alone, 1);
    close_scenario();
    open_scenario();
    (void)gms_scenario_add(scenario, &out);
    (void)gms_scenario_add(scenario, &in);
    gms_scenario_measure(scenario, 0, GMS_SECOND, both, 2);
    /* Node 1 needs 10 ms to receive a message. Node 0 also sends, and receives
     * at most one message every 10 ms. */
    CHECK_NEAR(alone[0], 65536 / 10.001e-3, 0.06);
    CHECK_U64(both[1] < 65536 / 10e-3 * 1.06, 1);
}

static void a_failed_send_stops_nothing(void)
{
    gms_traffic_t traffic = stream(1, 0);

    params.nic_send_timeout_us = 100000;
    close_scenario();
    open_scenario();
    (void)gms_scenario_add(scenario, &traffic);
    gms_scenario_run(scenario, 10 * GMS_MS);
    gms_nic_close_port(gms_scenario_ctx(scenario),
                       gms_scenario_nic(scenario, 1), 2);
    gms_scenario_run(scenario, 200 * GMS_MS);
    CHECK_U64(gms_nic_counters(gms_scenario_nic(scenario, 0))->streams_stalled >
                  10,
              1);
}

/* ---- managers ------------------------------------------------------------ */

static gms_traffic_t asks(unsigned target, double bytes_s)
{
    gms_traffic_t traffic = stream(target, 0);

    traffic.control =
        bytes_s > 0 ? GMS_TRAFFIC_PREMIUM : GMS_TRAFFIC_BEST_EFFORT;
    traffic.bytes_s = bytes_s;
    return traffic;
}

/* One flow is granted 40 of the node's 78 MB/s. Best-effort flows can use the
 * remaining 38 MB/s, but another request for 40 MB/s must be denied. [source:
 * gulati 2001 thesis 5.6] */
static void managers_decide(void)
{
    gms_traffic_t traffic[3] = {asks(1, 40e6), asks(2, 40e6), asks(3, 0)};
    double bytes_s[3];
    unsigned i;

    for (i = 0; i < 3; ++i) {
        traffic[i].start_ps = i * 10 * GMS_MS;
        (void)gms_scenario_add(scenario, &traffic[i]);
        CU_ASSERT_TRUE(gms_scenario_answer(scenario, i) == NULL);
    }
    gms_scenario_measure(scenario, 100 * GMS_MS, 500 * GMS_MS, bytes_s, 3);
    CHECK_U64(gms_scenario_answer(scenario, 0)->flow[0].after.qos_class,
              GMS_QOS_PREMIUM);
    CHECK_U64(gms_scenario_answer(scenario, 1)->flow[0].after.qos_class,
              GMS_QOS_UNMANAGED);
    CHECK_U64(gms_scenario_answer(scenario, 1)->verdict.criterion,
              GMS_QOS_SOURCE_NODE);
    CHECK_U64(gms_scenario_idt(scenario, 0), 204); /* 8192 / 40 */
    CHECK_NEAR(bytes_s[0], 4096 / 102e-6, 0.01);
    CHECK_U64((uint64_t)bytes_s[1], 0);
    CHECK_NEAR(bytes_s[2], 38e6, 0.02);
}

/* After the first flow has ended, the best-effort flow is alone and therefore
 * unregulated. */
static void who_stops_gives_back(void)
{
    gms_traffic_t premium = asks(1, 40e6), effort = asks(2, 0);
    const gms_account_t *account;

    premium.stop_ps = 50 * GMS_MS;
    (void)gms_scenario_add(scenario, &premium);
    (void)gms_scenario_add(scenario, &effort);
    account = gms_manager_account(gms_scenario_manager(scenario));
    gms_scenario_run(scenario, 50 * GMS_MS);
    CU_ASSERT_TRUE(gms_account_first(account) != NULL &&
                   gms_account_first(account)->next != NULL);
    gms_scenario_run(scenario, 100 * GMS_MS);
    CU_ASSERT_TRUE(gms_account_first(account) != NULL &&
                   gms_account_first(account)->next == NULL);
    CHECK_U64(gms_scenario_idt(scenario, 1), 0);
    /* Only complete messages have arrived, because the flow sends all posted
     * packets before it ends. */
    CHECK_U64(gms_scenario_received_bytes(scenario, 0) % 65536, 0);
}

/* A flow that stops before it receives the answer to its request holds no
 * bandwidth. */
static void who_stops_early_holds_nothing(void)
{
    gms_traffic_t premium = asks(1, 40e6);

    premium.stop_ps = 1;
    (void)gms_scenario_add(scenario, &premium);
    gms_scenario_run(scenario, 100 * GMS_MS);
    CU_ASSERT_TRUE(gms_account_first(gms_manager_account(
                       gms_scenario_manager(scenario))) == NULL);
    CHECK_U64(gms_scenario_sent_bytes(scenario, 0), 0);
}

/* ---- many flows ---------------------------------------------------------- */

enum {
    FEW = 10,
    MANY = 3000,
    PER_FLOW = 4
};

/* Returns the number of simulation events per packet with `flows` paced flows.
 * All flows together use nine tenths of the NIC's time. */
static double events_per_packet(uint32_t flows)
{
    uint64_t packets, events;
    uint64_t *before = calloc(flows, sizeof(*before));
    gms_time_t warm_ps = 2 * flows * 110 * 500 * GMS_NS + GMS_MS;
    const gms_nic_counters_t *counters;
    const gms_engine_t *engine;
    uint32_t i;

    CU_ASSERT_FATAL(before != NULL);
    close_scenario();
    /* otherwise, the simulated NIC would take a long time to select one of many
     * flows */
    params.mcp_rate_flow_cycles = 0;
    params.nic_sram_bytes = gms_param_find("nic_sram_bytes")->max;
    open_scenario();
    for (i = 0; i < flows; ++i) {
        gms_traffic_t traffic = stream(1 + i % 15, 110 * flows);

        traffic.label = i / 15;
        traffic.in_flight = 2;
        CHECK_U64(gms_scenario_add(scenario, &traffic), i);
    }
    engine = gms_scenario_ctx(scenario)->engine;
    counters = gms_nic_counters(gms_scenario_nic(scenario, 0));
    gms_scenario_run(scenario, warm_ps);
    for (i = 0; i < flows; ++i) {
        before[i] = gms_scenario_sent_bytes(scenario, i);
    }
    packets = counters->data_packets_sent;
    events = gms_engine_events_run(engine);
    gms_scenario_run(scenario, warm_ps + PER_FLOW * flows * 110 * 500 * GMS_NS);
    packets = counters->data_packets_sent - packets;
    events = gms_engine_events_run(engine) - events;
    for (i = 0; i < flows; ++i) {
        uint64_t sent = gms_scenario_sent_bytes(scenario, i) - before[i];

        CU_ASSERT_FATAL(sent >= (PER_FLOW - 1) * 4096 &&
                        sent <= (PER_FLOW + 1) * 4096);
    }
    free(before);
    return (double)events / (double)packets;
}

/* With many flows, simulating a packet needs neither more events nor longer
 * searches in hash tables than with few flows. (The program flow-rate measures
 * the real time per packet.) */
static void many_flows_cost_no_more(void)
{
    double few = events_per_packet(FEW);
    const gms_nic_t *nic;
    const gms_flow_t *flow;
    unsigned longest = 0;
    uint32_t bin;

    CHECK_NEAR(events_per_packet(MANY), few, 0.05);
    nic = gms_scenario_nic(scenario, 0);
    CHECK_U64(nic->flow_count, MANY);
    for (bin = 0; bin < nic->flow_bin_count; ++bin) {
        unsigned length = 0;

        for (flow = nic->flow_bins[bin]; flow != NULL; flow = flow->hash_next) {
            ++length;
        }
        longest = length > longest ? length : longest;
    }
    CU_ASSERT_TRUE(longest <= 8);
    nic = gms_scenario_nic(scenario, 1);
    CU_ASSERT_TRUE(nic->sram_streams > 100);
    CU_ASSERT_TRUE(nic->stream_bin_count >= nic->sram_streams);
}

/* Returns the length of the longest list in the NIC's hash table of incomplete
 * messages. */
static unsigned longest_streams(const gms_nic_t *nic)
{
    const gms_message_t *message;
    unsigned longest = 0;
    uint32_t bin;

    for (bin = 0; bin < nic->stream_bin_count; ++bin) {
        unsigned length = 0;

        for (message = nic->stream_bins[bin]; message != NULL;
             message = message->next) {
            ++length;
        }
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* 63 nodes send from six ports each. All nodes use the same port numbers and
 * labels. */
static void senders_are_told_apart(void)
{
    const gms_nic_t *nic;
    unsigned i;

    params.topology = GMS_TOPOLOGY_CLOS;
    params.hosts = 64;
    params.nic_sram_bytes = gms_param_find("nic_sram_bytes")->max;
    close_scenario();
    open_scenario();
    for (i = 0; i < 63 * 6; ++i) {
        gms_traffic_t traffic = stream(0, 60000);

        traffic.in_flight = 1;
        traffic.source = 1 + i % 63;
        traffic.source_port = 2 + i / 63;
        CHECK_U64(gms_scenario_add(scenario, &traffic), i);
    }
    gms_scenario_run(scenario, 100 * GMS_MS);
    nic = gms_scenario_nic(scenario, 0);
    CU_ASSERT_TRUE(nic->sram_streams > 300);
    CU_ASSERT_TRUE(nic->stream_bin_count > 256); /* the table has grown */
    CU_ASSERT_TRUE(longest_streams(nic) <= 8);
    for (i = 0; i < 63 * 6; ++i) {
        CHECK_U64(gms_scenario_received_bytes(scenario, i) > 0, 1);
    }
}

/* Two flows that differ only in their priority are separate flows. */
static void priorities_are_told_apart(void)
{
    gms_traffic_t low = stream(1, 1000), high = low;

    high.priority = 1;
    high.idt_ticks = 500;
    CHECK_U64(gms_scenario_add(scenario, &low), 0);
    CHECK_U64(gms_scenario_add(scenario, &high), 1);
    gms_scenario_run(scenario, 100 * GMS_MS);
    CHECK_U64(gms_scenario_received_bytes(scenario, 0), 200 * 4096);
    CHECK_U64(gms_scenario_received_bytes(scenario, 1), 400 * 4096);
}

/* Flows that share a full send window take turns to send. */
static void a_full_window_is_shared(void)
{
    double bytes_s[50], sum = 0;
    unsigned i;

    params.nic_window_packets = 2;
    close_scenario();
    open_scenario();
    for (i = 0; i < 50; ++i) {
        gms_traffic_t traffic = stream(1, 0);

        traffic.label = i;
        (void)gms_scenario_add(scenario, &traffic);
    }
    gms_scenario_measure(scenario, 100 * GMS_MS, 1100 * GMS_MS, bytes_s, 50);
    for (i = 0; i < 50; ++i) {
        sum += bytes_s[i];
    }
    for (i = 0; i < 50; ++i) {
        CHECK_NEAR(bytes_s[i], sum / 50, 0.02);
    }
}

/* ---- properties ---------------------------------------------------------- */

static uint64_t run_mix(void)
{
    uint64_t hash = 0;
    unsigned i;

    close_scenario();
    setup_scenario();
    for (i = 0; i < 40; ++i) {
        gms_traffic_t traffic = {.source = i % 16,
                                 .target = (i * 7 + 3) % 16,
                                 .label = i / 16,
                                 .message_bytes = 1 + i * 1601,
                                 .in_flight = 1 + i % 3,
                                 .idt_ticks = i % 5 * 300};

        if (i % 4 == 0) {
            traffic.pattern = GMS_TRAFFIC_ON_OFF;
            traffic.is_random = 1;
            traffic.on_ps = traffic.off_ps = GMS_MS;
        }
        CHECK_U64(gms_scenario_add(scenario, &traffic), i);
    }
    gms_scenario_run(scenario, 50 * GMS_MS);
    for (i = 0; i < 40; ++i) {
        CHECK_U64(gms_scenario_received_bytes(scenario, i) <=
                      gms_scenario_sent_bytes(scenario, i),
                  1);
        hash = hash * 31 + gms_scenario_received_bytes(scenario, i);
    }
    return hash + gms_engine_events_run(gms_scenario_ctx(scenario)->engine);
}

static void runs_are_repeatable(void)
{
    uint64_t first = run_mix();

    CHECK_U64(run_mix(), first);
}

CU_TestInfo tests[] = {
    {"simulated traffic reaches the bandwidth of programs",
     programs_and_standins_get_the_same},
    {"values out of range are refused", out_of_range_is_refused},
    {"errors during creation are reported", what_cannot_be_built_is_said},
    {"bytes are counted by packets", bytes_are_counted_by_packets},
    {"bytes that are sent again are not counted", repeated_bytes_do_not_count},
    {"a source that is on and off", on_and_off},
    {"a run to an earlier time does not change the time",
     time_runs_only_forward},
    {"a node receives and sends in turn", a_node_does_one_thing_at_a_time},
    {"a failed send does not stop later sends", a_failed_send_stops_nothing},
    {"managers decide on requests", managers_decide},
    {"a flow that stops returns its bandwidth", who_stops_gives_back},
    {"a flow that stops early holds no bandwidth",
     who_stops_early_holds_nothing},
    {"many flows need no more events per packet", many_flows_cost_no_more},
    {"senders with equal port numbers are distinguished",
     senders_are_told_apart},
    {"priorities are distinguished", priorities_are_told_apart},
    {"flows share a full send window", a_full_window_is_shared},
    {"runs are reproducible", runs_are_repeatable},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    return UNIT_RUN(
        {"scenario", NULL, NULL, setup_scenario, close_scenario, tests});
}
