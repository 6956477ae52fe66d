/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests admission in networks where packets can block each other. Flows that do
 * not share a blocking resource are granted as in a network without blocking. A
 * flow is denied if it would block another source for longer than one of that
 * source's bounds permits. A request for the remaining bandwidth that a denial
 * reports must be granted.
 */
#include "account.h"

#include "base/random.h"

static void reopen_as(uint64_t undeclared, uint64_t model)
{
    gms_params_init(&params);
    params.undeclared = undeclared;
    params.fabric_model = model;
    reopen();
}

static double packets_s(unsigned source, unsigned target)
{
    return bandwidth_of(source, target) / 4096;
}

static gms_qos_verdict_t reserve(unsigned source, unsigned target, double mb_s)
{
    return ask_labelled(source, target, 0, GMS_QOS_PREMIUM, mb_s * MB, 0);
}

static void check_granted(unsigned source, unsigned target, double mb_s)
{
    CHECK_U64(reserve(source, target, mb_s).criterion, GMS_QOS_OK);
}

/* In these cases, the flows share no blocking resource: the sources share only
 * a receiver, the flows have opposite directions or form chains, or one source
 * has several flows. The answers must equal the answers of an account that
 * counts only bytes. */
static void nothing_is_lost_elsewhere(void)
{
    static const struct {
        unsigned source, target;
        double mb_s;
    } flows[] = {{0, 3, 40},   {1, 3, 20},   {2, 3, 10},  {4, 5, 38},
                 {5, 4, 38},   {6, 7, 78},   {8, 9, 38},  {9, 10, 38},
                 {12, 13, 40}, {12, 14, 35}, {15, 15, 38}};
    enum gms_qos_criterion answers[2][sizeof(flows) / sizeof(flows[0])];
    unsigned i, j, granted = 0;

    for (i = 0; i < 2; ++i) {
        reopen_as(i, GMS_FABRIC_WORM);
        for (j = 0; j < sizeof(flows) / sizeof(flows[0]); ++j) {
            answers[i][j] =
                reserve(flows[j].source, flows[j].target, flows[j].mb_s)
                    .criterion;
            granted += answers[i][j] == GMS_QOS_OK;
        }
    }
    for (j = 0; j < sizeof(flows) / sizeof(flows[0]); ++j) {
        CHECK_U64(answers[1][j], answers[0][j]);
    }
    CHECK_U64(answers[1][0], GMS_QOS_OK);
    CHECK_U64(answers[1][1], GMS_QOS_OK);
    CHECK_U64(answers[1][2], GMS_QOS_OK);
    CU_ASSERT(granted >= 16);
}

/* Node 0 has two receivers that other nodes keep busy, so it would have to wait
 * for both receivers. */
static void load_others(void)
{
    check_granted(1, 2, 40);
    check_granted(3, 4, 40);
    check_granted(0, 2, 10);
}

static void waits_are_refused(void)
{
    const double s = 1e-12;
    gms_qos_verdict_t verdict, again;
    gms_service_t service;
    double waits, own;

    reopen_as(GMS_UNDECLARED_BEST_EFFORT, GMS_FABRIC_WORM);
    load_others();
    check_granted(0, 4, 35);
    reopen_as(GMS_UNDECLARED_FREE, GMS_FABRIC_WORM);
    load_others();
    verdict = reserve(0, 4, 35);
    CHECK_U64(verdict.criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(verdict.resource, 0);
    CHECK_U64(change_count, 0);
    CU_ASSERT(verdict.left_bytes_s > 0 && verdict.left_bytes_s < 35 * MB);
    /* A denial does not change anything. */
    again = reserve(0, 4, 35);
    CHECK_NEAR(again.left_bytes_s, verdict.left_bytes_s, EXACT);
    CHECK_U64(reserve(0, 4, verdict.left_bytes_s / MB * 1.01).criterion,
              GMS_QOS_SOURCE_NODE);
    check_granted(0, 4, verdict.left_bytes_s / MB);

    /* The expected value is computed by hand. Node 0 may have to wait for every
     * packet of node 1 and of node 3. Each packet of node 0 waits for at most
     * three of these packets. Node 0 also needs time for its own packets. */
    service = gms_service_of(&params, 2);
    own = packets_s(0, 2) + packets_s(0, 4);
    waits = fmin(packets_s(1, 2), 3 * packets_s(0, 2)) +
            fmin(packets_s(3, 4), 3 * packets_s(0, 4));
    CU_ASSERT(
        (own * (double)service.send_ps + waits * (double)service.receive_ps) *
            s <
        0.965);
    CHECK_NEAR(
        (own * (double)service.send_ps + waits * (double)service.receive_ps) *
            s,
        0.965, 0.02);
}

/* A new flow between two nodes can take time from a third source. The denial
 * names the link at which this source would wait. */
static void victims_are_counted(void)
{
    gms_qos_verdict_t verdict;

    reopen_as(GMS_UNDECLARED_FREE, GMS_FABRIC_WORM);
    check_granted(0, 2, 30);
    check_granted(0, 4, 30);
    check_granted(1, 2, 6);
    verdict = reserve(3, 4, 40);
    CHECK_U64(verdict.criterion, GMS_QOS_LINK);
    CHECK_U64(verdict.resource, gms_topology_node_link(topology, 4, 1));
    check_granted(3, 4, verdict.left_bytes_s / MB);
    CHECK_U64(reserve(1, 2, 40).criterion, GMS_QOS_LINK);
    CHECK_U64(release(0, 4), GMS_OK);
    check_granted(1, 2, 40);
}

/* A best-effort flow receives its share only if no reservation has to wait for
 * best-effort packets. */
static void best_effort_gives_way(void)
{
    uint32_t idt[2];
    unsigned i;

    for (i = 0; i < 2; ++i) {
        reopen_as(i, GMS_FABRIC_WORM);
        check_granted(0, 2, 30);
        check_granted(0, 4, 30);
        ask_labelled(1, 2, 0, GMS_QOS_BEST_EFFORT, 0, 0);
        ask_labelled(3, 4, 0, GMS_QOS_BEST_EFFORT, 0, 0);
        idt[i] = idt_of(1, 2);
        CHECK_U64(idt_of(3, 4), idt[i]);
    }
    CU_ASSERT(idt[GMS_UNDECLARED_FREE] > 2 * idt[GMS_UNDECLARED_BEST_EFFORT]);
    CU_ASSERT(idt[GMS_UNDECLARED_FREE] < IDT_MAX);
    /* Without reservations, best-effort flows receive all of the bandwidth. */
    CHECK_U64(release(0, 2), GMS_OK);
    CHECK_U64(release(0, 4), GMS_OK);
    CHECK_U64(idt_of(1, 2), 0);
}

/* In the flit model, packets also block each other in lanes. The blocking time
 * is shorter if the receivers have enough buffers. */
static void lanes_are_counted(void)
{
    gms_qos_verdict_t verdict;

    reopen_as(GMS_UNDECLARED_FREE, GMS_FABRIC_FLIT);
    params.nic_reserved_buffers = 2;
    reopen();
    load_others();
    verdict = reserve(0, 4, 35);
    CHECK_U64(verdict.criterion, GMS_QOS_SOURCE_NODE);
    params.nic_reserved_buffers = 64;
    reopen();
    load_others();
    check_granted(0, 4, 2 * verdict.left_bytes_s / MB + 5);
    /* Packets in reserved lanes do not block each other. */
    reopen_as(GMS_UNDECLARED_BEST_EFFORT, GMS_FABRIC_FLIT);
    params.nic_reserved_buffers = 8;
    reopen();
    load_others();
    check_granted(0, 4, 35);
}

static void ignore(void *context, const gms_grant_t *grant, uint32_t idt_before)
{
    (void)context;
    (void)grant;
    (void)idt_before;
}

static gms_flow_request_t random_request(gms_random_t *random)
{
    unsigned hosts = (unsigned)params.hosts;
    unsigned source = (unsigned)gms_random_below(random, hosts);

    return (gms_flow_request_t){
        .source_node = source,
        .key = key_to((unsigned)gms_random_below(random, hosts),
                      (unsigned)gms_random_below(random, 2)),
        .qos_class = gms_random_below(random, 6) > 0 ? GMS_QOS_PREMIUM
                                                     : GMS_QOS_BEST_EFFORT,
        .bytes_s = (1 + (double)gms_random_below(random, 25)) * MB};
}

/* Check that a new account with the same grants returns the same answer as the
 * old account. */
static void check_without_memory(const gms_flow_request_t *request)
{
    gms_qos_verdict_t answer, expected;
    const gms_grant_t *grant;
    gms_account_t *fresh;

    CHECK_U64(gms_account_create(arena, topology, &params, &fresh), GMS_OK);
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        CHECK_U64(gms_account_adopt(fresh, grant), GMS_OK);
    }
    CHECK_U64(gms_account_settle(fresh, ignore, NULL), GMS_OK);
    CHECK_U64(gms_account_would_grant(fresh, request, 1, &expected), GMS_OK);
    CHECK_U64(gms_account_would_grant(account, request, 1, &answer), GMS_OK);
    CHECK_U64(answer.criterion, expected.criterion);
    CHECK_U64(answer.resource, expected.resource);
    CHECK_U64(answer.idt_ticks, expected.idt_ticks);
    CU_ASSERT_TRUE(answer.left_bytes_s == expected.left_bytes_s);
    gms_account_destroy(fresh);
}

/* The account caches the blocking times of worms, and discards exactly the
 * cache entries that a change invalidates. The test covers requests, changes,
 * denials, releases and best-effort flows, in both models. */
static void memory_changes_no_answer(void)
{
    unsigned kind, step, granted = 0, refused = 0;

    for (kind = 0; kind < 4; ++kind) {
        gms_random_t random;

        gms_params_init(&params);
        params.undeclared = GMS_UNDECLARED_FREE;
        params.fabric_model = kind & 1u ? GMS_FABRIC_FLIT : GMS_FABRIC_WORM;
        params.topology = kind & 2u ? GMS_TOPOLOGY_MESH : GMS_TOPOLOGY_FAT_TREE;
        params.rows = params.columns = kind & 2u ? 4 : 0;
        params.hosts_per_switch = kind & 2u ? 2 : 8;
        params.tree_up = kind & 2u ? 0 : 4;
        params.hosts = 32;
        params.nic_reserved_buffers = 8; /* enough bandwidth for only a few
                                            flows */
        reopen();
        gms_random_init(&random, 3 + kind, 0);
        for (step = 0; step < 300; ++step) {
            gms_flow_request_t request = random_request(&random);
            gms_qos_verdict_t verdict;

            check_without_memory(&request);
            CHECK_U64(gms_account_request(account, &request, 1, ignore, NULL,
                                          &verdict),
                      GMS_OK);
            granted += verdict.criterion == GMS_QOS_OK;
            refused += verdict.criterion != GMS_QOS_OK;
            request = random_request(&random);
            gms_account_release(account, request.source_node, &request.key,
                                ignore, NULL);
        }
    }
    CU_ASSERT(granted > 200 && refused > 200);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"requests for flows that do not block each other are granted as "
         "before",
         nothing_is_lost_elsewhere},
        {"a source that would wait is denied", waits_are_refused},
        {"a flow that blocks others is denied", victims_are_counted},
        {"best effort yields to reservations", best_effort_gives_way},
        {"packets block each other in lanes of model flit", lanes_are_counted},
        {"cached values do not change any answer", memory_changes_no_answer},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"blocking", NULL, NULL, setup, teardown, tests});
}
