/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests invariants of the bandwidth account after random histories of
 * requests. */
#include "account.h"

#include <string.h>

#include "base/random.h"

/* ---- properties ---- */

#define STEPS 4000u
#define FLOWS 40u

/* The random tests have only 5 nodes, so that many flows share a node. */
static unsigned flow_source(unsigned i)
{
    return i % 5;
}

static unsigned flow_target(unsigned i)
{
    return (i / 5) % 5;
}

static void random_step(gms_random_t *random)
{
    unsigned i = (unsigned)gms_random_below(random, FLOWS);
    unsigned what = (unsigned)gms_random_below(random, 4);

    if (what == 0) {
        (void)release_labelled(flow_source(i), flow_target(i), i / 25);
    } else if (what == 1) {
        (void)ask_labelled(flow_source(i), flow_target(i), i / 25,
                           GMS_QOS_BEST_EFFORT, 0, 0);
    } else {
        (void)ask_labelled(flow_source(i), flow_target(i), i / 25,
                           GMS_QOS_PREMIUM, gms_random_unit(random) * 40 * MB,
                           (what == 2) ? 0 : MB);
    }
}

/* Add up the bandwidth that enters and leaves a node. A premium flow
 * contributes its granted bandwidth; a best-effort flow contributes the
 * bandwidth of its IDT. Flows without an IDT do not count, and neither do flows
 * with the largest IDT, which send almost nothing. */
static void add_up_node(unsigned node, double *in, double *out,
                        uint64_t *sourced)
{
    const gms_grant_t *grant;

    *in = *out = 0;
    *sourced = 0;
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        double there = 0, back = grant->reverse_bytes_s;

        if (grant->idt_ticks != 0 && grant->idt_ticks != IDT_MAX) {
            there = grant->qos_class == GMS_QOS_PREMIUM
                        ? grant->bandwidth_bytes_s
                        : gms_account_bandwidth(&params, grant->idt_ticks);
        }
        if (grant->source_node == node) {
            (*sourced)++;
            *out += there;
            *in += back;
        }
        if (grant->key.target_node == node) {
            *in += there;
            *out += back;
        }
    }
}

/* No bandwidth may be granted twice, including the bandwidth of best-effort
 * flows. */
static void check_nodes(void)
{
    unsigned node;

    for (node = 0; node < 5; ++node) {
        double in, out;
        uint64_t sourced;

        add_up_node(node, &in, &out, &sourced);
        CU_ASSERT_TRUE(in + out <= 78.0 * MB * (1 + EXACT));
        CU_ASSERT_TRUE(in + out <=
                       gms_service_node_bytes_s(&params, sourced, in) *
                           (1 + EXACT));
    }
}

static void test_promises_fit_after_any_history(void)
{
    gms_random_t random;
    unsigned step;

    gms_random_init(&random, 1, 0);
    for (step = 0; step < STEPS; ++step) {
        random_step(&random);
        check_nodes();
    }
}

static void test_only_changes_are_told(void)
{
    uint32_t told[FLOWS] = {0};
    gms_random_t random;
    unsigned step, i;

    gms_random_init(&random, 2, 0);
    for (step = 0; step < STEPS; ++step) {
        const gms_grant_t *first_before = gms_account_first(account);

        random_step(&random);
        for (i = 0; i < change_count; ++i) {
            unsigned flow = changes[i].source_node +
                            5u * changes[i].key.target_node +
                            25u * changes[i].key.label;

            /* The account reports only changed IDTs, with one exception: the
             * last reported flow can have an unchanged IDT if this flow was not
             * managed before. */
            CU_ASSERT_TRUE(told[flow] != changes[i].idt_ticks ||
                           i + 1 == change_count || first_before == NULL);
            told[flow] = changes[i].idt_ticks;
        }
        for (i = 0; i < FLOWS; ++i) {
            gms_flow_key_t key = key_to(flow_target(i), i / 25);
            const gms_grant_t *grant =
                gms_account_find(account, flow_source(i), &key);

            CHECK_U64(told[i], (grant != NULL) ? grant->idt_ticks : 0);
        }
    }
}

static void test_release_restores_exactly(void)
{
    double before[2];
    gms_random_t random;
    unsigned step;

    premium(7, 8, 13.7 * MB);
    best_effort(7, 9);
    best_effort(9, 8);
    before[0] = bandwidth_of(7, 9);
    before[1] = bandwidth_of(9, 8);
    gms_random_init(&random, 3, 0);
    for (step = 0; step < 1000; ++step) {
        double a = gms_random_unit(&random) * 30 * MB;
        double b = gms_random_unit(&random) * 30 * MB;

        premium(7, 10, a);
        premium(11, 8, b);
        premium(7, 10, b);
        CHECK_U64(release(7, 10), GMS_OK);
        (void)release(11, 8);
        /* the sums agree to the last bit */
        CU_ASSERT_TRUE(memcmp(&before[0], &grant_of(7, 9)->bandwidth_bytes_s,
                              sizeof(double)) == 0);
        CU_ASSERT_TRUE(memcmp(&before[1], &grant_of(9, 8)->bandwidth_bytes_s,
                              sizeof(double)) == 0);
    }
}

static void test_release_from_anywhere_in_the_list(void)
{
    unsigned gone, target;

    for (gone = 1; gone <= 3; ++gone) {
        for (target = 1; target <= 3; ++target) {
            premium(0, target, MB);
        }
        CHECK_U64(release(0, gone), GMS_OK);
        CHECK_U64(release(0, gone), GMS_ERR_NOT_FOUND);
        premium(0, 4, MB);
        CU_ASSERT_PTR_NOT_NULL(grant_of(0, 4));
        for (target = 1; target <= 4; ++target) {
            CHECK_U64(release(0, target),
                      (target == gone) ? GMS_ERR_NOT_FOUND : GMS_OK);
        }
        CU_ASSERT_PTR_NULL(gms_account_first(account));
    }
}

/* ---- out of memory ---- */

/* The arena groups free blocks by size, so the test allocates blocks of every
 * size. */
static void fill_arena(void)
{
    size_t bytes;

    for (bytes = 1 << 20; bytes >= 16; bytes -= bytes / 16) {
        while (gms_arena_alloc(arena, bytes) != NULL) {
        }
    }
}

static void test_no_memory_changes_nothing(void)
{
    gms_flow_request_t request = {.qos_class = GMS_QOS_PREMIUM, .bytes_s = 1};
    gms_qos_verdict_t verdict = {.idt_ticks = 77};
    gms_status_t status = GMS_OK;
    unsigned label;

    best_effort(0, 1);
    CHECK_U64(premium(0, 2, MB).criterion, GMS_QOS_OK);
    fill_arena();
    /* Continue until the memory that was allocated in advance is used up. */
    for (label = 1; status == GMS_OK; ++label) {
        request.key = key_to(3, label);
        change_count = 0;
        verdict.idt_ticks = 77;
        status = gms_account_request(account, &request, 1, on_changed, &changes,
                                     &verdict);
    }
    CHECK_U64(status, GMS_ERR_NO_MEMORY);
    CHECK_U64(change_count, 0);
    CHECK_U64(verdict.idt_ticks, 77);
    CU_ASSERT_PTR_NULL(gms_account_find(account, 0, &request.key));
    fill_arena(); /* use the memory that the failed request has freed */
    /* If memory is exhausted, a change also fails, and the flow remains
     * unchanged. */
    request.key = key_to(2, 0);
    request.bytes_s = 2 * MB;
    CHECK_U64(gms_account_request(account, &request, 1, on_changed, &changes,
                                  &verdict),
              GMS_ERR_NO_MEMORY);
    CHECK_U64(idt_of(0, 2), 8192);
    /* A release frees some memory. */
    CHECK_U64(release(0, 2), GMS_OK);
    CHECK_U64(premium(0, 2, MB).criterion, GMS_QOS_OK);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"grants fit into the capacities", test_promises_fit_after_any_history},
        {"only changes are reported", test_only_changes_are_told},
        {"a release restores the exact bandwidth",
         test_release_restores_exactly},
        {"release from any position in the list",
         test_release_from_anywhere_in_the_list},
        {"exhausted memory changes nothing", test_no_memory_changes_nothing},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"properties of admission", NULL, NULL, setup, teardown, tests});
}
