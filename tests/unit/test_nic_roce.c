/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests NICs that use RoCE on Ethernet: notifications, rate limits, the
 * convergence of DCQCN, and reservations. Also tests the cost of pauses for a
 * flow that does not take part in the congestion.
 */
#include "scenario_rig.h"

#include "fabric/ethernet.h"
#include "fabric/topology.h"
#include "nic/dcqcn.h"
#include "nic/flow.h"
#include "params/profile.h"

enum {
    MESSAGE = 65536 - 64,
    FLOWS_MAX = 8
};

static double mb_s[FLOWS_MAX];

/* Use two switches with four nodes each. */
static void use(const char *profile)
{
    gms_profile_init(gms_profile_find(profile), &params);
    params.arena_bytes = UINT64_C(256) << 20;
    params.hosts = 8;
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.switch_ports = 6;
    params.hosts_per_switch = 4;
}

static void setup(void)
{
    use("roce-100");
}

static uint32_t flood(unsigned source, unsigned target)
{
    gms_traffic_t traffic = {.source = source,
                             .target = target,
                             .message_bytes = MESSAGE,
                             .in_flight = 32,
                             .control = GMS_TRAFFIC_UNDECLARED,
                             .is_preset = 1};

    return gms_scenario_add(scenario, &traffic);
}

static const gms_eth_counts_t *counts(void)
{
    return gms_fabric_eth_counts(gms_scenario_fabric(scenario));
}

/* Measure the bandwidths of the flows 0 .. count - 1, in MB/s. */
static void measure(gms_time_t from_ps, gms_time_t to_ps, unsigned count)
{
    unsigned i;

    gms_scenario_measure(scenario, from_ps, to_ps, mb_s, count);
    for (i = 0; i < count; ++i) {
        mb_s[i] /= 1e6;
    }
}

/* Run two flows from different switches to node 7. Return the mean queue length
 * of the port to node 7 after the first 50 ms, in KB. */
static double converge(gms_time_t until_ps)
{
    const gms_topology_t *topology =
        gms_fabric_topology(gms_scenario_fabric(scenario));
    uint32_t link = gms_topology_node_link(topology, 7, 1);
    double sum = 0;
    unsigned samples = 0;
    gms_time_t at_ps;

    for (at_ps = 50 * GMS_MS; at_ps <= until_ps; at_ps += 10 * GMS_US) {
        gms_scenario_run(scenario, at_ps);
        sum += (double)gms_fabric_eth_queue(gms_scenario_fabric(scenario), link,
                                            3);
        ++samples;
    }
    return sum / samples / 1e3;
}

/* Two flows to one port converge to equal mean rates, and together they
 * saturate the port. In periods of 50 ms, the rates of the two flows differ by
 * up to 20 %. The queue stays close to Kmin, and no switch sends a pause. */
static void test_convergence(void)
{
    double queue_kb;

    use("roce-25");
    open_scenario();
    flood(0, 7);
    flood(4, 7);
    queue_kb = converge(100 * GMS_MS);
    printf("\n    queue %.0f KB, %llu marks, %llu pauses\n", queue_kb,
           (unsigned long long)counts()->marked,
           (unsigned long long)counts()->pauses);
    measure(100 * GMS_MS, 600 * GMS_MS, 2);
    printf("    rates %.0f and %.0f MB/s\n", mb_s[0], mb_s[1]);
    CHECK_NEAR(mb_s[0], mb_s[1], 0.05);
    CHECK_NEAR(mb_s[0] + mb_s[1], 3125 * 1024 / 1106.0, 0.03);
    CU_ASSERT(queue_kb > 0.25 * (double)params.eth_kmin_bytes / 1e3);
    CU_ASSERT(queue_kb < (double)params.eth_kmax_bytes / 1e3);
    CHECK_U64(counts()->pauses, 0);
    CHECK_U64(counts()->overflowed, 0);
    CU_ASSERT(counts()->marked > 0);
    CHECK_U64(
        gms_nic_counters(gms_scenario_nic(scenario, 7))->cnps_sent,
        gms_nic_counters(gms_scenario_nic(scenario, 0))->cnps_received +
            gms_nic_counters(gms_scenario_nic(scenario, 4))->cnps_received);
    close_scenario();
}

/* The flow and the congested flows share only the link between the switches.
 * Without ECN, pauses reduce the flow's rate. With DCQCN, the flow receives
 * nearly all of the bandwidth that the other flow on its link leaves. */
static void test_victim(void)
{
    double paused;

    params.eth_ecn = 0;
    open_scenario();
    flood(1, 4); /* the flow that does not take part in the congestion */
    flood(0, 7);
    flood(4, 7);
    flood(5, 7);
    flood(6, 7);
    measure(20 * GMS_MS, 40 * GMS_MS, 5);
    CU_ASSERT(counts()->pauses > 100);
    CHECK_U64(counts()->overflowed, 0);
    paused = mb_s[0];
    CHECK_NEAR(paused, 12250 / 4.0, 0.15);
    close_scenario();

    params.eth_ecn = 1;
    open_scenario();
    flood(1, 4);
    flood(0, 7);
    flood(4, 7);
    flood(5, 7);
    flood(6, 7);
    measure(60 * GMS_MS, 90 * GMS_MS, 5);
    printf("\n    victim %.0f MB/s with pauses, %.0f MB/s with DCQCN (%.0f)\n",
           paused, mb_s[0], mb_s[1]);
    CU_ASSERT(mb_s[0] > 2 * paused);
    CHECK_NEAR(mb_s[1] + mb_s[2] + mb_s[3] + mb_s[4], 12250.0, 0.05);
    close_scenario();
}

/* Within 50 us, at most one CNP per flow is sent. Without DCQCN, or if no
 * packet is marked, no CNP is sent. */
static void test_interval(void)
{
    gms_time_t time_ps = 5 * GMS_MS;

    params.eth_kmin_bytes = params.eth_kmax_bytes = 0; /* mark all packets */
    params.dcqcn_min_bytes_s = params.link_bytes_s;    /* ignore marks */
    open_scenario();
    flood(0, 7);
    flood(4, 7);
    gms_scenario_run(scenario, time_ps);
    CU_ASSERT(gms_nic_counters(gms_scenario_nic(scenario, 7))->cnps_sent <=
              2 * time_ps / params.dcqcn_cnp_ps + 2);
    CU_ASSERT(gms_nic_counters(gms_scenario_nic(scenario, 7))->cnps_sent > 190);
    CHECK_U64(gms_nic_counters(gms_scenario_nic(scenario, 0))->cnps_sent, 0);
    close_scenario();
    params.dcqcn = 0;
    open_scenario();
    flood(0, 7);
    flood(4, 7);
    gms_scenario_run(scenario, time_ps);
    CHECK_U64(gms_nic_counters(gms_scenario_nic(scenario, 7))->cnps_sent, 0);
    CU_ASSERT(counts()->marked > 0);
    close_scenario();
    params.dcqcn = 1;
    params.eth_ecn = 0;
    open_scenario();
    flood(0, 7);
    flood(4, 7);
    gms_scenario_run(scenario, time_ps);
    CHECK_U64(gms_nic_counters(gms_scenario_nic(scenario, 7))->cnps_sent, 0);
    close_scenario();
}

/* The flow must respect its rate limit: it sends at the rate that DCQCN
 * determines. */
static void test_limit(void)
{
    gms_flow_key_t key = {2, 7, 2, 0, 0};
    gms_flow_t *flow;

    params.eth_ecn = 0;
    params.dcqcn_timer_ps = params.dcqcn_alpha_ps = 10 * GMS_MS;
    params.dcqcn_counter_bytes = UINT64_C(1) << 40;
    open_scenario();
    flood(0, 7);
    gms_scenario_run(scenario, GMS_MS);
    flow = gms_flow_find(gms_scenario_nic(scenario, 0), &key);
    CU_ASSERT_PTR_NOT_NULL_FATAL(flow);
    flow->dcqcn = gms_arena_alloc(gms_scenario_ctx(scenario)->arena,
                                  sizeof(*flow->dcqcn));
    gms_dcqcn_init(flow->dcqcn, &params);
    gms_dcqcn_notified(flow->dcqcn, &params, GMS_MS);
    CHECK_U64(flow->dcqcn->rate, UINT64_C(6250000000));
    measure(2 * GMS_MS, 8 * GMS_MS, 1);
    CHECK_NEAR(mb_s[0], 6250 * 4096 / 4178.0, 0.003);
    close_scenario();
}

/* A flow with a reservation must keep its rate while all other nodes flood its
 * target and its link, with and without DCQCN. */
static void test_reservation(void)
{
    unsigned ecn, i;

    for (ecn = 0; ecn < 2; ++ecn) {
        gms_traffic_t traffic = {.source = 0,
                                 .target = 7,
                                 .label = 5,
                                 .message_bytes = MESSAGE,
                                 .in_flight = 32,
                                 .control = GMS_TRAFFIC_PREMIUM,
                                 .bytes_s = 4e9,
                                 .is_preset = 1};

        params.eth_ecn = ecn;
        open_scenario();
        gms_scenario_add(scenario, &traffic);
        for (i = 0; i < 7; ++i) {
            flood(i, 7);
        }
        measure(10 * GMS_MS, 20 * GMS_MS, 2);
        CU_ASSERT(gms_scenario_is_sending(scenario, 0));
        CU_ASSERT(mb_s[0] > 4000 * 0.995);
        CHECK_U64(counts()->overflowed, 0);
        close_scenario();
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"a rate limit of DCQCN", test_limit},
        {"interval of notifications", test_interval},
        {"two flows converge", test_convergence},
        {"pauses spread, and DCQCN prevents it", test_victim},
        {"a reservation is kept", test_reservation},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"nic: RoCE", NULL, NULL, setup, NULL, tests});
}
