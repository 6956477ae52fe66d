/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests complete runs of hcasim: a queue whose mean wait is known, conservation
 * of packets, connections, and invalid options. The tests also check that the
 * results do not depend on the number of threads.
 */
#include <string.h>

#include "hcasim/qos_sim_int.h"
#include "unit.h"

static char error[GMS_QOS_SIM_ERROR_LEN];
static gms_qos_sim_options_t options;

/* ---- common code ---- */

/** Sets options for two replications of on/off traffic and best-effort traffic
 * on a 3 x 3 mesh. */
static void setup(void)
{
    gms_qos_sim_options_init(&options);
    options.topology = GMS_TOPOLOGY_MESH;
    options.rows = options.columns = 3;
    options.load = 0.4;
    options.real_time_part = 0.5;
    options.real_time = GMS_QOS_SIM_ON_OFF;
    options.on_cycles = options.off_cycles = 5000;
    options.control_per_second = 3000;
    options.start_cycles = 4000;
    options.warm_up_cycles = 10000;
    options.run_cycles = 40000;
    options.replications = 2;
    options.threads = 2;
}

static gms_qos_sim_result_t *run(void)
{
    gms_qos_sim_result_t *result = NULL;

    if (gms_qos_sim_run(&options, NULL, NULL, &result, error) != GMS_OK) {
        printf("\n    %s\n", error);
        abort();
    }
    return result;
}

static void check_within(gms_qos_sim_estimate_t estimate, double expected,
                         double half_widths)
{
    int is_near =
        fabs(estimate.mean - expected) <= half_widths * estimate.half_width;

    if (!is_near) {
        printf("\n    is %g +- %g, expected %g\n", estimate.mean,
               estimate.half_width, expected);
    }
    CU_ASSERT_TRUE(is_near);
}

static void check_balance(const gms_qos_sim_result_t *result)
{
    CHECK_U64(result->delivered + result->dropped + result->unfinished,
              result->made);
    CU_ASSERT(result->delivered > 1000);
}

static void only_best_effort(double load)
{
    options.real_time_part = 0;
    options.load = load;
    options.control_per_second = 0;
}

/* ---- known answers ---- */

/** Two nodes send to each other on one best-effort lane. A link is a server
 * with Poisson arrivals and a constant service time D. D is measured as the
 * time per packet on a link that always has packets to send. A packet spends 12
 * cycles in the HCA before it reaches the link. If servers with constant times
 * are in series, the total wait equals the wait at the slowest server alone.
 * Therefore, the mean wait is rho D / (2 (1 - rho)). [source: Friedman 1965,
 * "Reduction methods for tandem queuing systems"] */
static void check_md1(double load, double cycles, double empty_us)
{
    double rho = load * cycles / 40;
    double wait_us = rho * cycles / (2 * (1 - rho)) * 0.08;
    gms_qos_sim_result_t *result;

    only_best_effort(load);
    result = run();
    check_within(result->by_class[GMS_LANE_BEST_EFFORT].latency_us,
                 empty_us + wait_us, 2.3);
    CU_ASSERT(result->by_class[GMS_LANE_BEST_EFFORT].latency_us.half_width <
              0.12 * wait_us);
    check_within(result->by_class[GMS_LANE_BEST_EFFORT].throughput, load, 2.3);
    check_balance(result);
    gms_qos_sim_result_destroy(result);
}

static void test_md1(void)
{
    gms_qos_sim_result_t *result;
    double empty_us, cycles;

    options.topology = GMS_TOPOLOGY_CROSSBAR;
    options.nodes = 2;
    options.flit.lanes = 3;
    gms_lane_plan_init(&options.flit.plan, 3, 1, 1, GMS_LANE_ROUND_ROBIN, 4);
    options.replications = 8;
    options.run_cycles = 4000000;
    only_best_effort(1e-5);
    result = run();
    empty_us = result->by_class[GMS_LANE_BEST_EFFORT].latency_us.mean;
    /* the latency of the head in the HCA, on the link to the router, in the
     * router and on its output link, plus 39 cycles until the tail follows */
    CHECK_NEAR(empty_us,
               (12 + options.flit.link_cycles +
                gms_flit_hop_cycles(&options.flit) + 39) *
                   0.08,
               1e-3);
    gms_qos_sim_result_destroy(result);
    options.run_cycles = 200000;
    only_best_effort(1);
    result = run();
    cycles = 40 / result->by_class[GMS_LANE_BEST_EFFORT].throughput.mean;
    /* a packet takes longer than its 40 flits alone, because its head must be
     * routed and must be assigned a lane again */
    CU_ASSERT(cycles >= 40);
    CU_ASSERT(cycles < 44);
    gms_qos_sim_result_destroy(result);
    options.run_cycles = 400000;
    check_md1(0.3, cycles, empty_us);
    check_md1(0.6, cycles, empty_us);
    check_md1(0.8, cycles, empty_us);
}

/** Below saturation, each class's throughput equals its offered load. */
static void test_throughput(void)
{
    gms_qos_sim_result_t *result;
    unsigned i;

    options.replications = 6;
    result = run();
    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        const gms_qos_sim_class_t *traffic_class = &result->by_class[i];

        check_within(traffic_class->throughput, traffic_class->offered.mean, 1);
        CHECK_U64(traffic_class->drop_rate.mean > 0, 0);
    }
    check_within(result->by_class[GMS_LANE_BEST_EFFORT].throughput, 0.2, 2.3);
    check_within(result->by_class[GMS_LANE_REAL_TIME].throughput, 0.2, 2.3);
    check_within(result->by_class[GMS_LANE_CONTROL].throughput,
                 3000 * 80e-9 * 10, 2.3);
    check_balance(result);
    gms_qos_sim_result_destroy(result);
}

/** Little's law: the number of messages in an HCA equals the rate at which they
 * leave times the time in the HCA. The tolerance covers the messages that are
 * in the HCA at the start and at the end of a run. */
static void test_little(void)
{
    static const double loads[] = {0.1, 0.4, 0.9};
    gms_qos_sim_result_t *result;
    unsigned i;

    for (i = 0; i < 3; ++i) {
        only_best_effort(loads[i]);
        options.congestion.policy = GMS_CONGESTION_CREDIT;
        options.congestion.credits_best = 5;
        result = run();
        CHECK_NEAR(result->held.mean,
                   result->held_us.mean * result->left_per_us.mean, 0.02);
        CU_ASSERT(result->held.mean > 0);
        CU_ASSERT(result->held.mean <= 5);
        gms_qos_sim_result_destroy(result);
    }
}

/** The queueing time and the network time, as defined in the paper, add up to
 * the total latency. */
static void test_parts_of_latency(void)
{
    gms_qos_sim_result_t *result;
    const gms_qos_sim_class_t *best;

    only_best_effort(0.3);
    result = run();
    best = &result->by_class[GMS_LANE_BEST_EFFORT];
    CHECK_NEAR(best->queueing_us.mean + best->network_us.mean,
               /* best-effort messages do not wait before they are posted */
               best->latency_us.mean, 1e-9);
    CU_ASSERT(best->p99_us.mean > best->latency_us.mean);
    gms_qos_sim_result_destroy(result);
}

/* ---- reproducible results ---- */

/** Compares all results, except the CPU time of the simulation. */
static void check_same(gms_qos_sim_result_t *a, gms_qos_sim_result_t *b)
{
    CHECK_U64(a->window_count, b->window_count);
    if (a->window_count == b->window_count) {
        CU_ASSERT(memcmp(a->windows, b->windows,
                         a->window_count * sizeof(*a->windows)) == 0);
    }
    free(a->windows);
    free(b->windows);
    a->windows = b->windows = NULL;
    a->cpu_s = b->cpu_s = 0;
    CU_ASSERT(memcmp(a, b, sizeof(*a)) == 0);
    gms_qos_sim_result_destroy(a);
    gms_qos_sim_result_destroy(b);
}

static void test_threads(void)
{
    gms_qos_sim_result_t *one;

    options.admission = 1;
    options.congestion.policy = GMS_CONGESTION_QUAD_CQ;
    options.measures_power = 1;
    options.replications = 3;
    options.threads = 1;
    one = run();
    options.threads = 2;
    check_same(one, run());
}

/** Each replication has its own seed, and a different seed leads to a different
 *  run. */
static void test_replications(void)
{
    gms_qos_sim_result_t *first, *both, *other;
    double one;

    options.replications = 1;
    first = run();
    options.replications = 2;
    both = run();
    options.seed = 2;
    other = run();
    one = first->all.latency_us.mean;
    CU_ASSERT(fabs(2 * both->all.latency_us.mean - one - one) > 1e-6);
    CU_ASSERT(fabs(other->all.latency_us.mean - both->all.latency_us.mean) >
              1e-6);
    CHECK_U64(first->all.latency_us.half_width > 0, 0);
    CHECK_U64(both->all.latency_us.half_width > 0, 1);
    CHECK_U64(first->made < both->made, 1);
    gms_qos_sim_result_destroy(first);
    gms_qos_sim_result_destroy(both);
    gms_qos_sim_result_destroy(other);
}

static void sample_of(int never_skips, gms_qos_sim_sample_t *sample)
{
    gms_qos_sim_t *sim = NULL;

    CU_ASSERT_EQUAL_FATAL(gms_qos_sim_options_settle(&options, error), GMS_OK);
    CU_ASSERT_EQUAL_FATAL(gms_qos_sim_create(&options, 0, &sim, error), GMS_OK);
    sim->never_skips = never_skips;
    memset(sample, 0, sizeof(*sample));
    CU_ASSERT_EQUAL(gms_qos_sim_go(sim, NULL), GMS_OK);
    CU_ASSERT_EQUAL(gms_qos_sim_collect(sim, sample), GMS_OK);
    CU_ASSERT_EQUAL(gms_flit_check(sim->net, error), GMS_OK);
    gms_qos_sim_destroy(sim);
}

/** If the simulation skips idle cycles, the results do not change under any
 *  congestion control policy. */
static void test_skipping(void)
{
    static gms_qos_sim_sample_t skipped, stepped;
    unsigned i;

    options.measures_power = 1;
    options.load = 0.02;
    options.run_cycles = 20000;
    for (i = 0; i < GMS_CONGESTION_POLICIES; ++i) {
        options.congestion.policy = i;
        options.admission = (int)(i % 2);
        options.power.policy = i % GMS_POWER_POLICIES;
        sample_of(0, &skipped);
        sample_of(1, &stepped);
        CHECK_U64(skipped.window_count, stepped.window_count);
        CU_ASSERT(memcmp(skipped.windows, stepped.windows,
                         stepped.window_count * sizeof(*stepped.windows)) == 0);
        free(skipped.windows);
        free(stepped.windows);
        skipped.windows = stepped.windows = NULL;
        CU_ASSERT(memcmp(&skipped, &stepped, sizeof(skipped)) == 0);
        CU_ASSERT(skipped.counts.arrived > 10);
    }
}

/** A connection ends only when its last packet has left its node. Then another
 * connection takes its slot. This test runs the simulation cycle by cycle.
 * After every cycle, it checks that only connections with a reservation have
 * packets under way. */
static void test_end_of_connections(void)
{
    uint64_t end_cycle, ends = 0;
    gms_qos_sim_t *sim = NULL;
    unsigned i;

    options.connection_cycles = 1000;
    options.connection_rate = 0.1;
    options.on_cycles = options.off_cycles = 200;
    options.load = 0.8;
    options.start_cycles = 100;
    options.warm_up_cycles = 0;
    options.run_cycles = 10000;
    CU_ASSERT_EQUAL_FATAL(gms_qos_sim_options_settle(&options, error), GMS_OK);
    CU_ASSERT_EQUAL_FATAL(gms_qos_sim_create(&options, 0, &sim, error), GMS_OK);
    end_cycle = sim->end_cycle;
    for (sim->end_cycle = 1; sim->end_cycle <= end_cycle; ++sim->end_cycle) {
        CU_ASSERT_EQUAL(gms_qos_sim_go(sim, NULL), GMS_OK);
        for (i = 0; i < sim->connections; ++i) {
            const gms_qos_sim_connection_t *connection = &sim->connection[i];

            if (connection->state == GMS_QOS_SIM_ENDING) {
                ends += connection->under_way > 1;
            } else if (connection->state != GMS_QOS_SIM_SENDING) {
                CHECK_U64(connection->under_way, 0);
            }
        }
    }
    CU_ASSERT(sim->last_number > 2 * sim->connections);
    CU_ASSERT(ends > 100); /* connections often had several packets under way
                            * when they were closed */
    gms_qos_sim_destroy(sim);
}

/* ---- conservation of packets ---- */

static void test_balance(void)
{
    unsigned congestion, power, i;

    options.load = 0.9;
    options.real_time_part = 0.6;
    options.hca.buffer_messages = 20;
    options.congestion.credits_best = 6;
    options.run_cycles = 10000;
    options.warm_up_cycles = 2000;
    options.start_cycles = 1000;
    options.connection_cycles = 3000;
    options.cycle_ps = 3760;
    options.control_per_second = 100000;
    for (i = 0; i < GMS_CONGESTION_POLICIES * GMS_POWER_POLICIES; ++i) {
        static gms_qos_sim_sample_t sample;

        congestion = i % GMS_CONGESTION_POLICIES;
        power = i / GMS_CONGESTION_POLICIES;
        options.congestion.policy = congestion;
        options.power.policy = power;
        options.admission = (int)(i % 2);
        options.real_time_retries = (int)(i / 2 % 2);
        sample_of(0, &sample);
        CHECK_U64(sample.walked_end, sample.held_end);
        CHECK_U64(sample.counts.arrived + sample.counts.dropped +
                      sample.walked_end,
                  sample.counts.made);
        CU_ASSERT(sample.counts.arrived > 100);
        CU_ASSERT(!options.real_time_retries || sample.counts.dropped == 0);
        free(sample.windows);
    }
}

/** Best-effort messages wait for credits and are never dropped. Real-time
 * messages are dropped, or wait if retries are enabled. */
static void test_waiting(void)
{
    gms_qos_sim_result_t *result;

    options.load = 0.8;
    options.hca.buffer_messages = 4;
    options.congestion.credits_best = 4;
    options.replications = 1;
    result = run();
    CU_ASSERT(result->by_class[GMS_LANE_REAL_TIME].drop_rate.mean > 0);
    CHECK_U64(result->by_class[GMS_LANE_BEST_EFFORT].drop_rate.mean > 0, 0);
    check_balance(result);
    gms_qos_sim_result_destroy(result);
    options.real_time_retries = 1;
    result = run();
    CHECK_U64(result->dropped, 0);
    check_balance(result);
    gms_qos_sim_result_destroy(result);
}

/** The buffer of a message becomes free when the message has left the HCA, not
 * when its completion arrives. The HCA of this test has a buffer for only one
 * message. A message takes 12 cycles in the HCA and about 40 cycles in a
 * lane. */
static void test_room(void)
{
    gms_qos_sim_result_t *result;

    only_best_effort(0.5);
    options.hca.buffer_messages = 1;
    options.hca.completion_cycles = 500;
    options.congestion.credits_best = 1;
    result = run();
    CHECK_NEAR(result->all.throughput.mean, 0.5, 0.1);
    gms_qos_sim_result_destroy(result);
    /* With credits, the throughput is lower, because a credit returns only when
     * the completion arrives. */
    options.congestion.policy = GMS_CONGESTION_CREDIT;
    result = run();
    CHECK_NEAR(result->all.throughput.mean, 40.0 / 552, 0.05);
    gms_qos_sim_result_destroy(result);
}

/* ---- connections ---- */

/** The load determines the number of connections: the load is 0.2 on nine
 * links, and a connection uses 0.02 of a link. */
static void test_dealing(void)
{
    gms_qos_sim_result_t *result;

    options.admission = 1;
    options.replications = 1;
    result = run();
    CHECK_U64(result->connections_asked, 90);
    CHECK_U64(result->connections_rejected, 0);
    CHECK_NEAR(result->admitted_load.mean, 0.2, 1e-9);
    gms_qos_sim_result_destroy(result);
    options.load = 0.33; /* a load of 0.165 corresponds to 8.25 connections per
                          * node, and 74.25 in total */
    result = run();
    CHECK_U64(result->connections_asked, 74);
    gms_qos_sim_result_destroy(result);
}

/** The rates of the connections are exponentially distributed and scaled to a
 * given sum: the value -ln u of each connection is divided by the sum of these
 * values. */
static void test_sizes(void)
{
    static gms_qos_sim_connection_t connection[10000];
    gms_random_t copy[2];
    double log_u[2], sum = 0;
    unsigned i, above = 0;

    for (i = 0; i < 10000; ++i) {
        gms_random_init(&connection[i].random, 7, i);
    }
    copy[0] = connection[0].random;
    copy[1] = connection[1].random;
    log_u[0] = log(gms_random_unit(&copy[0]));
    log_u[1] = log(gms_random_unit(&copy[1]));
    gms_qos_sim_sizes(connection, 2, 0.3);
    CHECK_NEAR(connection[0].rate, 0.3 * log_u[0] / (log_u[0] + log_u[1]),
               1e-12);
    CHECK_NEAR(connection[0].rate + connection[1].rate, 0.3, 1e-12);
    /* a single connection receives the whole sum, but at most the rate of a
     * link */
    gms_qos_sim_sizes(connection, 1, 0.25);
    CHECK_NEAR(connection[0].rate, 0.25, 1e-12);
    gms_qos_sim_sizes(connection, 1, 1.25);
    CHECK_NEAR(connection[0].rate, 1.0, 0);
    /* a fraction of 1/e of the rates is above the mean */
    gms_qos_sim_sizes(connection, 10000, 1000);
    for (i = 0; i < 10000; ++i) {
        sum += connection[i].rate;
        above += connection[i].rate > 0.1;
    }
    CHECK_NEAR(sum, 1000.0, 1);
    CHECK_NEAR(above, 10000 * exp(-1), 150);
}

/** Each of nine nodes has two connections. Together, the connections use 20 %
 * of the bandwidth of the nine links. */
static void test_whole_connections(void)
{
    gms_qos_sim_result_t *result;

    options.replications = 1;
    options.connections_per_node = 2;
    result = run();
    CHECK_NEAR(result->admitted_load.mean, 0.2, 1e-9);
    gms_qos_sim_result_destroy(result);
    options.admission = 1;
    result = run();
    CHECK_U64(result->connections_asked, 18);
    gms_qos_sim_result_destroy(result);
    /* if the rate of a connection is close to the bandwidth of the link, its
     * off-periods are shortened, because its peak rate cannot exceed 1 */
    options.admission = 0;
    options.connections_per_node = 1;
    options.load = 0.9;
    options.real_time_part = 1;
    result = run();
    CU_ASSERT(result->admitted_load.mean > 0.5);
    check_balance(result);
    gms_qos_sim_result_destroy(result);
    /* an admitted load above 0.2 requires connections at several nodes, because
     * the connections of one node can carry at most 1/9 */
    options.admission = 1;
    options.load = 0.5;
    result = run();
    CU_ASSERT(result->admitted_load.mean > 0.2);
    gms_qos_sim_result_destroy(result);
}

/** The link of each node refuses the eleventh connection of 2 %, because at
 * most 20 % of the link may be reserved. */
static void test_capacity(void)
{
    gms_qos_sim_result_t *result;

    options.admission = 1;
    options.admission_capacity = 0.2 + 1e-9;
    options.load = 0.8;
    options.replications = 1;
    result = run();
    CHECK_U64(result->connections_asked, 180);
    CU_ASSERT(result->connections_rejected >= 90);
    CU_ASSERT(result->admitted_load.mean <= 0.2 + 1e-9);
    CU_ASSERT(result->admitted_load.mean > 0.1);
    CHECK_NEAR(result->admitted_load.mean,
               (double)(180 - result->connections_rejected) * 0.02 / 9, 1e-9);
    CHECK_NEAR(result->rejection_rate.mean,
               (double)result->connections_rejected / 180, 1e-9);
    gms_qos_sim_result_destroy(result);
}

/** After a request, a slot waits for at least the length of the requested
 * connection before its next request, even if the request is rejected. In 50000
 * cycles, 180 slots request about 180 (1 + 50000 / 5000) = 1980 connections
 * with a mean length of 5000 cycles. */
static void test_rejected(void)
{
    gms_qos_sim_result_t *result;

    options.admission = 1;
    options.admission_capacity = 0.2 + 1e-9;
    options.load = 0.8;
    options.connection_cycles = 5000;
    options.replications = 1;
    result = run();
    CU_ASSERT(result->connections_rejected > 300);
    CU_ASSERT(result->connections_asked > 180 * 5);
    CU_ASSERT(result->connections_asked < 180 * 13);
    gms_qos_sim_result_destroy(result);
}

/** Connections that end return their bandwidth and credits. New connections
 * reuse both, so the long-run number of active connections is the same as at
 * the start. Best-effort traffic has its own credits. */
static void test_lengths(void)
{
    gms_qos_sim_result_t *result;
    const gms_qos_sim_class_t *best;

    options.congestion.policy = GMS_CONGESTION_CREDIT;
    options.hca.buffer_messages = 100;
    options.hca.completion_cycles = 1000; /* best-effort traffic needs 5
                                             credits */
    options.congestion.credits_best = 60; /* in addition to 10 connections with
                                           * 2 credits each */

    options.admission = 1;
    options.connection_cycles = 5000;
    options.run_cycles = 100000;
    options.replications = 1;
    options.real_time_retries = 1;
    result = run();
    CU_ASSERT(result->connections_asked > 90 * 10);
    CHECK_U64(result->connections_rejected, 0);
    CU_ASSERT(result->admitted_load.mean > 0.15);
    CU_ASSERT(result->admitted_load.mean <= 0.2);
    best = &result->by_class[GMS_LANE_BEST_EFFORT];
    CHECK_NEAR(best->throughput.mean, best->offered.mean, 0.02);
    CU_ASSERT(best->offered.mean > 0.15);
    check_balance(result);
    gms_qos_sim_result_destroy(result);
}

static void test_video(void)
{
    gms_qos_sim_result_t *result;

    options.topology = GMS_TOPOLOGY_CROSSBAR;
    options.real_time = GMS_QOS_SIM_VIDEO;
    options.nodes = 3;
    options.load = 0.1;
    options.start_cycles = 400000;
    options.warm_up_cycles = 400000;
    options.run_cycles = 2500000; /* the time of six frames */
    options.replications = 1;
    result = run();
    CU_ASSERT(result->frames > 3 * 9 * 3);
    CHECK_NEAR(result->admitted_load.mean, 0.05, 0.1);
    CHECK_NEAR(result->by_class[GMS_LANE_REAL_TIME].throughput.mean, 0.05, 0.3);
    CHECK_U64(result->dmp.mean > 0, 0);
    check_balance(result);
    gms_qos_sim_result_destroy(result);
}

/* ---- invalid options ---- */

static void refuse(const char *text)
{
    gms_qos_sim_result_t *result = NULL;

    CU_ASSERT_EQUAL(gms_qos_sim_run(&options, NULL, NULL, &result, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT(result == NULL);
    if (strstr(error, text) == NULL) {
        printf("\n    '%s' is not in '%s'\n", text, error);
        CU_FAIL("text");
    }
    setup();
}

static void test_wrong(void)
{
    options.load = 1.01;
    refuse("load is 1.01; allowed: 0..1");
    options.load = (double)NAN;
    refuse("load is");
    options.real_time_part = -0.1;
    refuse("real_time_part is -0.1; allowed: 0..1");
    options.topology = GMS_TOPOLOGY_GRAPH;
    refuse("topology number 6 is invalid");
    options.topology = GMS_TOPOLOGY_CROSSBAR;
    options.nodes = 1;
    refuse("nodes is 1; allowed: 2..");
    options.topology = GMS_TOPOLOGY_CROSSBAR;
    options.nodes = 65;
    refuse("nodes is 65; allowed: 2..64");
    options.flit_bits = 12;
    refuse("flit_bits is 12; allowed: multiples of 8");
    options.replications = 0;
    refuse("replications is 0; allowed: 1..1024");
    options.run_cycles = 0;
    refuse("run_cycles is 0");
    options.connection_rate = 0;
    refuse("connection_rate is 0");
    options.hca.buffer_messages = 0;
    refuse("buffer_messages is 0");
    options.admission_capacity = 1.5;
    refuse("admission_capacity is 1.5");
    options.real_time = 2;
    refuse("real_time number 2 is invalid; allowed: video, on-off");
    options.flit.buffer_flits = 0;
    refuse("buffer_flits");
    gms_lane_plan_init(&options.flit.plan, 16, 0, 1, GMS_LANE_ROUND_ROBIN, 4);
    refuse("no lane for it");
    gms_lane_plan_init(&options.flit.plan, 16, 12, 0, GMS_LANE_ROUND_ROBIN, 4);
    refuse("need a control lane");
    options.target.pattern = GMS_TARGET_BIT_COMPLEMENT;
    refuse("power of two");
    options.topology = GMS_TOPOLOGY_CROSSBAR;
    options.congestion.policy = GMS_CONGESTION_QUAD_CQ;
    refuse("quad-cq");
    options.real_time = GMS_QOS_SIM_VIDEO;
    options.video_files[3] = "/nowhere/video";
    CU_ASSERT_EQUAL(gms_qos_sim_run(&options, NULL, NULL,
                                    &(gms_qos_sim_result_t *){NULL}, error),
                    GMS_ERR_SYSTEM);
    CU_ASSERT(strstr(error, "/nowhere/video") != NULL);
}

static void test_heap(void)
{
    gms_qos_sim_heap_t heap;
    gms_random_t random;
    uint64_t last = 0;
    unsigned i;

    gms_random_init(&random, 1, 1);
    CU_ASSERT_EQUAL_FATAL(gms_qos_sim_heap_init(&heap, 500), GMS_OK);
    CHECK_U64(gms_qos_sim_heap_next(&heap), UINT64_MAX);
    for (i = 0; i < 500; ++i) {
        gms_qos_sim_heap_add(&heap, gms_random_below(&random, 100), i);
    }
    for (i = 0; i < 500; ++i) {
        gms_qos_sim_event_t event = gms_qos_sim_heap_take(&heap);
        uint64_t order = event.cycle * 1000 + event.actor + 1;

        CU_ASSERT(order > last);
        last = order;
    }
    CHECK_U64(heap.count, 0);
    gms_qos_sim_heap_cleanup(&heap);
}

/* ---- suites ---- */

static CU_TestInfo tests[] = {
    {"a queue with a known answer", test_md1},
    {"throughput", test_throughput},
    {"Little's law", test_little},
    {"queueing and network time add up to the latency", test_parts_of_latency},
    {"one thread and two threads agree", test_threads},
    {"replications", test_replications},
    {"skipped idle cycles", test_skipping},
    {"a connection ends after its last packet", test_end_of_connections},
    {"all packets are accounted for", test_balance},
    {"waiting and dropped messages", test_waiting},
    {"space of a message becomes free before its credit", test_room},
    {"the load determines the number of connections", test_dealing},
    {"sizes of connections", test_sizes},
    {"a fixed number of connections per node", test_whole_connections},
    {"capacity", test_capacity},
    {"rejected connections", test_rejected},
    {"connections that end are replaced by new connections", test_lengths},
    {"videos", test_video},
    {"invalid options", test_wrong},
    {"heap", test_heap},
    CU_TEST_INFO_NULL,
};

int main(void)
{
    CU_SuiteInfo suites[] = {
        {"qos_sim", NULL, NULL, setup, NULL, tests},
        CU_SUITE_INFO_NULL,
    };

    return unit_run(suites);
}
