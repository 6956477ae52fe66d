/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the computed capacity of a node with the bandwidth of the simulated
 * NIC. Node 1 receives flows at a given rate and sends flows to other nodes
 * (figure 5.4 of the thesis). The tests use two hardware profiles, and also
 * values of qos_node_bytes_s that exceed the capacity of the NIC. The NIC must
 * reach the granted bandwidth in both directions.
 */
#include "manager/service.h"

#include "params/profile.h"
#include "manager/admission.h"
#include "unit.h"
#include "experiments/scenario.h"

#define MB       1e6
#define OUT_MAX  10u
#define IN_MAX   3u
#define FROM_PS  (20 * GMS_MS)
#define TO_PS    (120 * GMS_MS)
#define WINDOW_S 0.1
/* Tolerance of a flow in a window: the packets at both ends of the window may
 * fall outside of it. */
#define TWO_PACKETS (2 * 4096 / WINDOW_S)

static gms_params_t params;

static gms_traffic_t traffic(unsigned source, unsigned target, uint32_t label,
                             uint32_t idt_ticks)
{
    gms_traffic_t flow = {.source = source,
                          .target = target,
                          .label = label,
                          .message_bytes = 65536,
                          .in_flight = 4,
                          .control = GMS_TRAFFIC_IDT,
                          .idt_ticks = idt_ticks};

    return flow;
}

/* Parameters of a group of runs. Each of the `ins` incoming flows comes from a
 * different node. Together, these flows have the rate of a single flow with the
 * IDT idt_in. */
typedef struct kind {
    const char *profile;
    uint64_t node_bytes_s;
    unsigned ins;
    uint32_t idt_scale; /* divisor of the values of idts[] */
} kind_t;

static const kind_t kinds[] = {
    {"lanai4.3", 78000000, 1, 1},    {"lanai4.3", 90000000, 1, 1},
    {"lanai4.3", 90000000, 3, 1},    {"myrinet2000", 78000000, 1, 1},
    {"myrinet2000", 90000000, 1, 1}, {"myrinet2000", 325000000, 1, 3},
    {"myrinet2000", 400000000, 3, 3}};

static const uint32_t idts[] = {99,  102, 106, 110, 125, 150, 175, 200,
                                225, 250, 300, 350, 400, 500, 700, 1000};

static void run(const kind_t *kind, uint32_t idt_in, unsigned out,
                uint32_t idt_out, double *in_p, double *sent_p)
{
    char error[GMS_SCENARIO_ERROR_LEN];
    gms_scenario_t *scenario;
    gms_traffic_t flow;
    double bytes_s[OUT_MAX + IN_MAX];
    unsigned i;

    if (gms_scenario_create(&params, NULL, &scenario, error) != GMS_OK) {
        abort();
    }
    for (i = 0; i < kind->ins; ++i) {
        flow = traffic((i == 0) ? 0 : 11 + i, 1, 1, idt_in * kind->ins);
        CHECK_U64(gms_scenario_add(scenario, &flow), i);
    }
    for (i = 0; i < out; ++i) {
        flow = traffic(1, 2 + i, 2 + i, idt_out);
        CHECK_U64(gms_scenario_add(scenario, &flow), kind->ins + i);
    }
    gms_scenario_measure(scenario, FROM_PS, TO_PS, bytes_s, kind->ins + out);
    gms_scenario_destroy(scenario);
    *in_p = *sent_p = 0;
    for (i = 0; i < kind->ins + out; ++i) {
        *((i < kind->ins) ? in_p : sent_p) += bytes_s[i];
    }
}

/* Returns the bandwidth that the node and its link leave for outgoing flows
 * while the node receives the incoming flows. */
static double promise(const kind_t *kind, uint32_t idt_in, unsigned out)
{
    double in = kind->ins * gms_account_bandwidth(&params, idt_in * kind->ins);

    return fmin(gms_service_node_bytes_s(&params, out, in) - in,
                (double)params.qos_link_bytes_s);
}

/* Checks that unregulated outgoing flows reach at least the bandwidth of
 * promise(), regardless of the order in which the NIC serves the two
 * directions. */
static void check_unregulated(const kind_t *kind, uint32_t idt_in, unsigned out)
{
    double in, sent, promised = promise(kind, idt_in, out);

    run(kind, idt_in, out, 0, &in, &sent);
    if (sent < promised) {
        printf("\n    %s, at most %.0f MB/s: in: IDT %u, %.2f MB/s; out: %u "
               "flows, %.2f MB/s, promised %.2f MB/s\n",
               kind->profile, (double)params.qos_node_bytes_s / MB, idt_in,
               in / MB, out, sent / MB, promised / MB);
        CU_FAIL("a NIC delivers less than the promised bandwidth");
    }
}

/* Checks that the incoming flows keep their rate if the outgoing flows are
 * regulated to the bandwidth of promise(). A single sender near its own limit
 * cannot fully catch up after it has waited for node 1, but several senders
 * together can. */
static void check_regulated(const kind_t *kind, uint32_t idt_in, unsigned out)
{
    double asked =
        kind->ins * gms_account_bandwidth(&params, idt_in * kind->ins);
    double expected, in, sent, promised = promise(kind, idt_in, out);
    uint32_t idt_out = gms_account_idt(&params, promised / out) + 1;

    run(kind, idt_in, out, idt_out, &in, &sent);
    expected = out * gms_account_bandwidth(&params, idt_out);
    if (fabs(in - asked) > ((kind->ins == 1) ? 0.02 : 0.01) * asked ||
        fabs(sent - expected) > 0.01 * expected + out * TWO_PACKETS) {
        printf("\n    %s, at most %.0f MB/s: in: %.2f of %.2f MB/s; out: %u "
               "flows, %.2f of %.2f MB/s\n",
               kind->profile, (double)params.qos_node_bytes_s / MB, in / MB,
               asked / MB, out, sent / MB, expected / MB);
        CU_FAIL("a flow did not reach its promised rate");
    }
}

static void test_promises(void)
{
    unsigned i, j, out, runs = 0;

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        const kind_t *kind = &kinds[i];

        gms_profile_init(gms_profile_find(kind->profile), &params);
        params.qos_node_bytes_s = kind->node_bytes_s;
        for (j = 0; j < 2 * sizeof(idts) / sizeof(idts[0]); ++j) {
            uint32_t idt_in = idts[j / 2] / kind->idt_scale;
            double in = gms_account_bandwidth(&params, idt_in);
            double most = gms_service_node_bytes_s(&params, 1, 0);

            out = (j % 2 == 0) ? 1 + 3 * (j / 2 % 2) : 7 + 3 * (j / 2 % 2);
            /* Skip combinations that exceed the capacity of one sender, the
             * link or node 1. */
            if (promise(kind, idt_in, out) <= out * 8192.0 ||
                in > (double)params.qos_link_bytes_s ||
                (kind->ins == 1 && in > 0.95 * most)) {
                continue;
            }
            check_unregulated(kind, idt_in, out);
            check_regulated(kind, idt_in, out);
            ++runs;
        }
    }
    printf("%u combinations ", runs);
    CU_ASSERT_TRUE(runs > 150);
}

/* ---- one more flow ---- */

/* A premium flow of a node has a reservation of 70 MB/s. Best-effort flows that
 * send as much as they may are added one by one, until a flow is denied. After
 * every request, including the denied one, the premium flow still reaches its
 * bandwidth. After that, flows that made no request are added. These flows
 * reduce the bandwidth of the premium flow only if they share its scheduler. */
#define PREMIUM   (70 * MB)
#define FLOWS_MAX 40u
#define EACH_PS   (60 * GMS_MS)

static int is_denied(const gms_scenario_t *scenario, uint32_t flow)
{
    const gms_qos_call_t *answer = gms_scenario_answer(scenario, flow);

    CU_ASSERT_PTR_NOT_NULL_FATAL(answer);
    if (answer->verdict.criterion == GMS_QOS_OK) {
        return 0;
    }
    CHECK_U64(answer->verdict.criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(answer->verdict.resource, 0);
    CHECK_NEAR(answer->verdict.left_bytes_s, 0, 0);
    return 1;
}

/* Adds one more flow and returns the bandwidth of the premium flow. With i = 0,
 * the added flow is the premium flow itself. */
static double premium_beside(gms_scenario_t *scenario, unsigned i,
                             enum gms_traffic_control control)
{
    gms_traffic_t flow = traffic(0, 2 + i % 14, i, 0);
    gms_time_t from_ps = (1 + i) * EACH_PS;
    double bytes_s;

    flow.control = control;
    flow.bytes_s = PREMIUM;
    flow.in_flight = (control == GMS_TRAFFIC_PREMIUM) ? 16 : 4;
    CHECK_U64(gms_scenario_add(scenario, &flow), i);
    gms_scenario_measure(scenario, from_ps + EACH_PS / 10, from_ps + EACH_PS,
                         &bytes_s, 1);
    return bytes_s;
}

static void check_best_effort_one_by_one(uint64_t undeclared)
{
    char error[GMS_SCENARIO_ERROR_LEN];
    gms_scenario_t *scenario;
    double least = PREMIUM, had;
    unsigned i, granted;

    gms_params_init(&params);
    params.undeclared = undeclared;
    if (gms_scenario_create(&params, NULL, &scenario, error) != GMS_OK) {
        abort();
    }
    had = premium_beside(scenario, 0, GMS_TRAFFIC_PREMIUM);
    for (i = 1; i < FLOWS_MAX; ++i) {
        least = fmin(least, had);
        had = premium_beside(scenario, i, GMS_TRAFFIC_BEST_EFFORT);
        if (is_denied(scenario, i)) {
            break;
        }
    }
    granted = i - 1;
    least = fmin(least, had);
    CU_ASSERT_TRUE(least >= 0.98 * PREMIUM);
    /* An IDT of 117 ticks is 58.5 us per packet. If n flows are active, the
     * time S(n) to send a packet may be at most 96.5 % of 58.5 us. */
    CU_ASSERT_TRUE(gms_service_send_ps(&params, 1 + granted) <=
                   UINT64_C(56452500));
    CU_ASSERT_TRUE(gms_service_send_ps(&params, 2 + granted) >
                   UINT64_C(56452500));
    CU_ASSERT_TRUE(granted >= 10);
    /* Flows without a request reduce the bandwidth of the premium flow only if
     * they share its scheduler. */
    for (i++; i < FLOWS_MAX && had >= 0.98 * PREMIUM; ++i) {
        had = premium_beside(scenario, i, GMS_TRAFFIC_IDT);
    }
    CU_ASSERT_EQUAL(had < 0.98 * PREMIUM, undeclared == GMS_UNDECLARED_FREE);
    printf("%u best-effort shares in addition to %.2f MB/s ", granted,
           least / MB);
    gms_scenario_destroy(scenario);
}

static void test_best_effort_one_by_one(void)
{
    check_best_effort_one_by_one(GMS_UNDECLARED_FREE);
    check_best_effort_one_by_one(GMS_UNDECLARED_BEST_EFFORT);
}

/* If many flows start at a node, its total capacity grows with the fraction of
 * incoming packets, because receiving a packet takes less time than sending
 * it. */
static void test_sum_grows_with_what_comes_in(void)
{
    double before = 0, sum;
    unsigned in;

    gms_params_init(&params);
    params.qos_node_bytes_s = 90000000;
    for (in = 0; in < 78; in += 6) {
        sum = gms_service_node_bytes_s(&params, 12, in * MB);
        CU_ASSERT_TRUE(sum > before);
        before = sum;
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"NICs reach the promised bandwidth", test_promises},
        {"best-effort flows are added one by one", test_best_effort_one_by_one},
        {"the capacity of a node grows with incoming traffic",
         test_sum_grows_with_what_comes_in},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"service", NULL, NULL, NULL, NULL, tests});
}
