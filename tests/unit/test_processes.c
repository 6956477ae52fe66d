/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the account of processor time: every flow uses some of the time of its
 * sending process and of its receiving process. The loads in these tests are
 * exact in single precision, except in the tests of rounding.
 */
#include <string.h>

#include "base/random.h"
#include "manager/admission.h"
#include "unit.h"

#define MB    1e6
#define EXACT 1e-9
#define FLOAT 2e-7 /* tolerance of two roundings to single precision */

static gms_arena_t *arena;
static gms_params_t params;
static gms_topology_t *topology;
static gms_account_t *account;

static void on_changed(void *context, const gms_grant_t *grant,
                       uint32_t idt_before)
{
    (void)context;
    (void)grant;
    (void)idt_before;
}

/* Creates an account in which nodes and links have a capacity of 1 GB/s, so
 * that they do not limit most of the flows. */
static void setup(void)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];

    gms_params_init(&params);
    params.qos_node_rule = GMS_QOS_NODE_CONSTANT;
    params.qos_node_bytes_s = UINT64_C(1000000000);
    params.qos_link_bytes_s = UINT64_C(1000000000);
    if (gms_arena_create_private(UINT64_C(16) << 20, &arena) != GMS_OK ||
        gms_topology_create(arena, &params, NULL, &topology, error) != GMS_OK ||
        gms_account_create(arena, topology, &params, &account) != GMS_OK) {
        abort();
    }
}

static void teardown(void)
{
    gms_arena_destroy_private(arena);
}

static gms_flow_request_t request_of(unsigned source, unsigned target,
                                     unsigned target_port, unsigned label,
                                     double bytes_s, float source_load,
                                     float target_load)
{
    gms_flow_request_t request = {.source_node = source,
                                  .key = {.source_port = 2,
                                          .target_node = (uint16_t)target,
                                          .target_port = (uint16_t)target_port,
                                          .label = label},
                                  .qos_class = GMS_QOS_PREMIUM,
                                  .bytes_s = bytes_s,
                                  .load = {source_load, target_load}};

    return request;
}

static gms_qos_verdict_t ask(const gms_flow_request_t *request)
{
    gms_qos_verdict_t verdict;

    CHECK_U64(
        gms_account_request(account, request, 1, on_changed, NULL, &verdict),
        GMS_OK);
    return verdict;
}

/* Requests bandwidth from a node to port 2 of another node, with label 0 and
 * without load on the source process. */
static gms_qos_verdict_t receive(unsigned source, unsigned target,
                                 double bytes_s, float load)
{
    gms_flow_request_t request =
        request_of(source, target, 2, 0, bytes_s, 0, load);

    return ask(&request);
}

static double used(unsigned node, unsigned port)
{
    return gms_account_process_use(account,
                                   gms_account_process(&params, node, port));
}

static void release(unsigned source, unsigned target)
{
    gms_flow_key_t key = request_of(source, target, 2, 0, 1, 0, 0).key;

    CHECK_U64(gms_account_release(account, source, &key, on_changed, NULL),
              GMS_OK);
}

static void check_denied(gms_qos_verdict_t verdict,
                         enum gms_qos_criterion criterion, unsigned node,
                         unsigned port, double left_bytes_s)
{
    unsigned at_node, at_port;

    CHECK_U64(verdict.criterion, criterion);
    gms_account_process_at(&params, verdict.resource, &at_node, &at_port);
    CHECK_U64(at_node, node);
    CHECK_U64(at_port, port);
    CHECK_NEAR(verdict.left_bytes_s, left_bytes_s, FLOAT);
}

/* A bandwidth of 32 MB/s corresponds to an IDT of exactly 256 ticks, so the
 * expected values need no rounding. */
static void test_sum_over_senders(void)
{
    CHECK_U64(receive(0, 2, 32 * MB, 0.625f).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), 0.625, EXACT);
    CHECK_NEAR(used(0, 2), 0, 0);
    /* A load of 0.375 remains available. The request for 32 MB/s has a load of
     * 0.625, so at most 19.2 MB/s are possible. The reported limit is the
     * largest bandwidth up to 19.2 MB/s whose IDT is a whole number of ticks:
     * 8192 / 427. */
    check_denied(receive(1, 2, 32 * MB, 0.625f), GMS_QOS_DESTINATION_PROCESS, 2,
                 2, 8192 * MB / 427);
    CHECK_NEAR(used(2, 2), 0.625, EXACT);
    CHECK_U64(receive(1, 2, 16 * MB, 0.3125f).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), 0.9375, EXACT);
    /* Another process of the same node still has all of its time available. */
    {
        gms_flow_request_t other = request_of(3, 2, 3, 0, 32 * MB, 0, 0.75f);

        CHECK_U64(ask(&other).criterion, GMS_QOS_OK);
        CHECK_NEAR(used(2, 3), 0.75, EXACT);
    }
    release(0, 2);
    CHECK_NEAR(used(2, 2), 0.3125, EXACT);
    release(1, 2);
    CHECK_NEAR(used(2, 2), 0, 0);
}

/* A request for exactly the reported limit is granted. A request whose IDT is
 * one tick shorter is denied. */
static void test_limit_can_be_had(void)
{
    unsigned i;

    for (i = 1; i < 40; ++i) {
        double first = 1.1 * MB * i, limit, ticks;
        float per_mb = 0.0173f;
        gms_qos_verdict_t verdict;

        CHECK_U64(receive(0, 2, first, per_mb * 1.1f * (float)i).criterion,
                  GMS_QOS_OK);
        verdict = receive(1, 2, 100 * MB, per_mb * 100);
        CHECK_U64(verdict.criterion, GMS_QOS_DESTINATION_PROCESS);
        limit = verdict.left_bytes_s;
        CU_ASSERT_TRUE(limit > 0);
        ticks = 8192 * MB / limit;
        CHECK_NEAR(ticks, floor(ticks + 0.5), EXACT);
        CHECK_U64(receive(1, 2, 8192 * MB / (floor(ticks + 0.5) - 1),
                          (float)((double)per_mb / MB * 8192 * MB /
                                  (floor(ticks + 0.5) - 1)))
                      .criterion,
                  GMS_QOS_DESTINATION_PROCESS);
        limit *= 1 - 1e-6; /* the caller rounds to single precision */
        CHECK_U64(receive(1, 2, limit, (float)((double)per_mb / MB * limit))
                      .criterion,
                  GMS_QOS_OK);
        CU_ASSERT_TRUE(used(2, 2) <= 1);
        release(0, 2);
        release(1, 2);
    }
}

/* 25 MB/s correspond to an IDT of 327.68 ticks, which is rounded down to 327.
 * The process is charged for the bandwidth of this IDT, 25.052 MB/s. */
static void test_charged_for_what_the_idt_gives(void)
{
    CHECK_U64(receive(0, 2, 25 * MB, 0.5f).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), 0.5 * 8192 / 327 / 25, FLOAT);
    /* A load of 0.4990 remains, which corresponds to 24.95 MB/s or an IDT of
     * 328.4. */
    check_denied(receive(1, 2, 25 * MB, 0.5f), GMS_QOS_DESTINATION_PROCESS, 2,
                 2, 8192 * MB / 329);
}

/* A single flow may request all of a process's time. Because its IDT is rounded
 * down, the flow may send more than the process can handle. This excess does no
 * harm, because no other flow of the process is admitted. */
static void test_alone_up_to_all(void)
{
    CHECK_U64(receive(0, 2, 50 * MB, 1.0f).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), 1, 0);
    check_denied(receive(1, 2, MB, 0.001f), GMS_QOS_DESTINATION_PROCESS, 2, 2,
                 0);
    release(0, 2);
    /* The process can handle 50 MB/s. The denial reports this limit, not the
     * higher bandwidth of the rounded IDT. */
    check_denied(receive(0, 2, 60 * MB, 1.2f), GMS_QOS_DESTINATION_PROCESS, 2,
                 2, 50 * MB);
    check_denied(receive(0, 2, 50 * MB, 1000.0f), GMS_QOS_DESTINATION_PROCESS,
                 2, 2, 0.05 * MB);
    CHECK_NEAR(used(2, 2), 0, 0);
}

/* A request for a tiny bandwidth receives the largest IDT, which permits far
 * more bandwidth than requested. A process is not charged for a flow with a
 * load of zero. For a flow with a nonzero load, the charge is limited to all of
 * the process's time. */
static void test_next_to_nothing(void)
{
    CHECK_U64(receive(0, 2, 1e-320, 0).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), 0, 0);
    CHECK_U64(receive(1, 3, 1e-320, 0.5f).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(3, 2), 1, 0);
    check_denied(receive(4, 3, 1e-320, 0.5f), GMS_QOS_DESTINATION_PROCESS, 3, 2,
                 0);
}

/* The account adds the times that a process needs for sending and for
 * receiving. */
static void test_sending_and_receiving(void)
{
    gms_flow_request_t out = request_of(2, 3, 2, 0, 32 * MB, 0.5f, 0.125f);
    gms_flow_request_t loop = request_of(5, 5, 2, 0, 32 * MB, 0.5f, 0.5f);

    CHECK_U64(receive(0, 2, 32 * MB, 0.75f).criterion, GMS_QOS_OK);
    check_denied(ask(&out), GMS_QOS_SOURCE_PROCESS, 2, 2, 16 * MB);
    out.load.source = 0.25f;
    CHECK_U64(ask(&out).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), 1, 0);
    CHECK_NEAR(used(3, 2), 0.125, 0);
    /* If a process sends to itself, it is charged both for sending and for
     * receiving. */
    CHECK_U64(ask(&loop).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(5, 2), 1, 0);
    loop.load.target = 0.625f;
    check_denied(ask(&loop), GMS_QOS_DESTINATION_PROCESS, 5, 2,
                 32 * MB / 1.125);
    CHECK_NEAR(used(5, 2), 1, 0);
}

/* The denial names the resource with the lowest limit, and a request for this
 * limit is granted. */
static void test_beside_nodes(void)
{
    gms_flow_request_t both = request_of(0, 2, 2, 0, 2000 * MB, 1.5f, 4);

    /* The source process permits 1333 MB/s, the target process permits 500
     * MB/s, and the nodes permit 1000 MB/s. */
    check_denied(ask(&both), GMS_QOS_DESTINATION_PROCESS, 2, 2, 500 * MB);
    both.load.target = 1.25f;
    CHECK_U64(ask(&both).criterion, GMS_QOS_SOURCE_NODE);
    both.load.source = 5;
    check_denied(ask(&both), GMS_QOS_SOURCE_PROCESS, 0, 2, 400 * MB);
    /* The process and the node have the same limit of 1000 MB/s. The node is
     * charged for a whole IDT and therefore admits only 8192 / 9 MB/s, so the
     * denial names the node. */
    both.load.source = 2;
    both.load.target = 0;
    CHECK_U64(ask(&both).criterion, GMS_QOS_SOURCE_NODE);
    CHECK_NEAR(ask(&both).left_bytes_s, 8192 * MB / 9, FLOAT);
}

static void test_changes(void)
{
    gms_flow_request_t set[] = {
        request_of(0, 2, 2, 0, 16 * MB, 0, 0.25f),
        request_of(0, 2, 2, 1, 32 * MB, 0, 0.5f),
        request_of(0, 2, 2, 2, 32 * MB, 0, 0.5f),
    };
    gms_qos_verdict_t verdict;

    /* The flow requests changes of its bandwidth and load. If a change is
     * denied, the previous charge remains. */
    CHECK_U64(receive(0, 2, 32 * MB, 0.5f).criterion, GMS_QOS_OK);
    check_denied(receive(0, 2, 128 * MB, 2.0f), GMS_QOS_DESTINATION_PROCESS, 2,
                 2, 64 * MB);
    CHECK_NEAR(used(2, 2), 0.5, 0);
    CHECK_U64(receive(0, 2, 32 * MB, 0.75f).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), 0.75, 0);
    /* Three flows are requested together, and either all of them are granted or
     * none. The third request exceeds the limit, so the first flow remains
     * unchanged. */
    CHECK_U64(gms_account_request(account, set, 3, on_changed, NULL, &verdict),
              GMS_OK);
    CHECK_U64(verdict.criterion, GMS_QOS_DESTINATION_PROCESS);
    CHECK_U64(verdict.request, 2);
    CHECK_NEAR(used(2, 2), 0.75, 0);
    CHECK_U64(gms_account_would_grant(account, set, 2, &verdict), GMS_OK);
    CHECK_U64(verdict.criterion, GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), 0.75, 0);
    /* Processes are not charged for best-effort traffic. */
    set[0].qos_class = GMS_QOS_BEST_EFFORT;
    CHECK_U64(ask(&set[0]).criterion, GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), 0, 0);
}

static void test_wrong_loads(void)
{
    static const float bad[] = {-0.5f, NAN, INFINITY};
    gms_qos_verdict_t verdict;
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        gms_flow_request_t request = request_of(0, 1, 2, 0, MB, bad[i], 0);

        CHECK_U64(gms_account_request(account, &request, 1, on_changed, NULL,
                                      &verdict),
                  GMS_ERR_INVALID_PARAM);
        request.load = (gms_qos_load_t){0, bad[i]};
        CHECK_U64(gms_account_request(account, &request, 1, on_changed, NULL,
                                      &verdict),
                  GMS_ERR_INVALID_PARAM);
        request.load = (gms_qos_load_t){0, 0};
        request.key.target_port = (uint16_t)params.gm_ports;
        CHECK_U64(gms_account_request(account, &request, 1, on_changed, NULL,
                                      &verdict),
                  GMS_ERR_INVALID_PARAM);
    }
    CU_ASSERT_PTR_NULL(gms_account_first(account));
}

/* When a new manager adopts the grants of the previous manager, it charges the
 * same loads. */
static void test_adopted(void)
{
    gms_grant_t grant;
    double before;

    CHECK_U64(receive(0, 2, 50 * MB, 0.3f).criterion, GMS_QOS_OK);
    before = used(2, 2);
    grant = *gms_account_first(account);
    release(0, 2);
    CHECK_U64(gms_account_adopt(account, &grant), GMS_OK);
    CHECK_NEAR(used(2, 2), before, 0);
    CHECK_U64(gms_account_adopt(account, &grant), GMS_OK);
    CHECK_NEAR(used(2, 2), before, 0);
    /* A repeated request for the granted bandwidth changes nothing. */
    CHECK_U64(
        receive(0, 2, grant.bandwidth_bytes_s, grant.load.target).criterion,
        GMS_QOS_OK);
    CHECK_NEAR(used(2, 2), before, 0);
    release(0, 2);
    CHECK_NEAR(used(2, 2), 0, 0);
}

/* After any history of requests, no process is charged for more than all of its
 * time, and no charge remains at the end. */
static void test_any_history(void)
{
    gms_random_t random;
    unsigned step, node;

    gms_random_init(&random, 5, 0);
    for (step = 0; step < 4000; ++step) {
        double bytes_s = 60 * MB * gms_random_unit(&random);
        gms_flow_request_t request =
            request_of((unsigned)(4 * gms_random_unit(&random)),
                       (unsigned)(4 * gms_random_unit(&random)), 2,
                       (unsigned)(3 * gms_random_unit(&random)), bytes_s,
                       (float)(0.7 * gms_random_unit(&random)),
                       (float)(0.7 * gms_random_unit(&random)));

        if (gms_random_unit(&random) < 0.2) {
            (void)gms_account_release(account, request.source_node,
                                      &request.key, on_changed, NULL);
        } else {
            (void)ask(&request);
        }
        for (node = 0; node < 4; ++node) {
            CU_ASSERT_TRUE(used(node, 2) >= 0 && used(node, 2) <= 1);
        }
    }
    while (gms_account_first(account) != NULL) {
        const gms_grant_t *grant = gms_account_first(account);
        gms_flow_key_t key = grant->key;

        (void)gms_account_release(account, grant->source_node, &key, on_changed,
                                  NULL);
    }
    for (node = 0; node < 4; ++node) {
        CHECK_NEAR(used(node, 2), 0, 0);
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"loads of several senders are added", test_sum_over_senders},
        {"the reported limit is available", test_limit_can_be_had},
        {"flows are charged for their IDTs",
         test_charged_for_what_the_idt_gives},
        {"a single flow may use all of a process's time", test_alone_up_to_all},
        {"requests for a tiny bandwidth", test_next_to_nothing},
        {"times for sending and receiving are added",
         test_sending_and_receiving},
        {"limits of processes and nodes", test_beside_nodes},
        {"changes", test_changes},
        {"invalid loads", test_wrong_loads},
        {"adopted grants are charged the same loads", test_adopted},
        {"random histories of requests", test_any_history},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"processes", NULL, NULL, setup, teardown, tests});
}
