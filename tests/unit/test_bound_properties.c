/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests properties of the bounds of reserved flows for random requests. A new
 * flow never shortens bounds, a release restores bounds, and the order of
 * grants has no influence. Every flow receives its bandwidth in every window.
 */
#include <math.h>
#include <string.h>

#include "account_bounds.h"
#include "base/random.h"

enum {
    RANDOM_FLOWS = 40
};

static void open_clos(void)
{
    teardown();
    gms_params_init(&params);
    params.hosts = 32;
    params.topology = GMS_TOPOLOGY_CLOS;
    open_account(UINT64_C(16) << 20);
}

static gms_flow_request_t random_flow(gms_random_t *random, unsigned label)
{
    gms_flow_request_t request = {
        .source_node = (unsigned)gms_random_below(random, 32),
        .key = key_to((unsigned)gms_random_below(random, 32), label),
        .qos_class = GMS_QOS_PREMIUM,
        .bytes_s = (1 + (double)gms_random_below(random, 12)) * MB,
        .shape = {.message_bytes =
                      1 + (uint32_t)gms_random_below(random, 9000)}};

    return request;
}

/* Store the bounds of all active flows, indexed by label. */
static void note_bounds(gms_qos_bounds_t all[RANDOM_FLOWS])
{
    const gms_grant_t *grant = gms_account_first(account);

    memset(all, 0, RANDOM_FLOWS * sizeof(*all));
    for (; grant != NULL; grant = grant->next) {
        all[grant->key.label] = grant->bounds;
    }
}

static int are_equal(const gms_qos_bounds_t *a, const gms_qos_bounds_t *b)
{
    unsigned i;

    for (i = 0; i < RANDOM_FLOWS; ++i) {
        if (a[i].delay_ps != b[i].delay_ps ||
            a[i].jitter_ps != b[i].jitter_ps ||
            a[i].latency_ps != b[i].latency_ps ||
            a[i].burst_bytes != b[i].burst_bytes) {
            return 0;
        }
    }
    return 1;
}

static void test_bounds_never_fall(void)
{
    gms_qos_bounds_t before[RANDOM_FLOWS], after[RANDOM_FLOWS];
    gms_random_t random;
    unsigned i, k;

    open_clos();
    gms_random_init(&random, 1, 0);
    note_bounds(before);
    for (i = 0; i < RANDOM_FLOWS; ++i) {
        gms_flow_request_t request = random_flow(&random, i);
        gms_qos_verdict_t verdict, would;

        CHECK_U64(gms_account_would_grant(account, &request, 1, &would),
                  GMS_OK);
        note_bounds(after);
        CU_ASSERT_TRUE(are_equal(before, after));
        verdict = ask(&request);
        CHECK_U64(verdict.criterion, would.criterion);
        CHECK_U64(verdict.bounds.delay_ps, would.bounds.delay_ps);
        note_bounds(after);
        for (k = 0; k < RANDOM_FLOWS; ++k) {
            CU_ASSERT_TRUE(after[k].delay_ps >= before[k].delay_ps);
        }
        memcpy(before, after, sizeof(before));
    }
}

static void test_release_restores(void)
{
    gms_qos_bounds_t before[RANDOM_FLOWS], after[RANDOM_FLOWS];
    gms_random_t random;
    unsigned i, restored = 0;

    open_clos();
    gms_random_init(&random, 2, 0);
    for (i = 0; i + 1 < RANDOM_FLOWS; ++i) {
        gms_flow_request_t request = random_flow(&random, i);

        ask(&request);
    }
    for (i = 0; i < 20; ++i) {
        gms_flow_request_t request = random_flow(&random, RANDOM_FLOWS - 1);

        note_bounds(before);
        if (ask(&request).criterion == GMS_QOS_OK) {
            if (change_count == 1) {
                ++restored; /* no other flow's rate has increased */
            }
            CHECK_U64(gms_account_release(account, request.source_node,
                                          &request.key, on_changed, &changes),
                      GMS_OK);
            if (change_count > 2) {
                continue;
            }
        }
        note_bounds(after);
        CU_ASSERT_TRUE(are_equal(before, after));
    }
    CU_ASSERT_TRUE(restored >= 5);
}

/* ---- loose bounds ---- */

enum {
    LOOSE_HOSTS = 12,
    LOOSE_STEPS = 160,
    LOOSE_SEEDS = 6 /* at least one of these seeds leads to loose bounds */
};

/* Compare the bounds of the account's grants with the bounds in a new account
 * that adopts the same grants. No bound may be shorter than in the new account.
 * Set *equal_p to 1 if all bounds are equal. */
static void compare_with_new(int *equal_p)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    const gms_grant_t *grant, *other;
    gms_topology_t *new_topology;
    gms_account_t *new_account;
    gms_arena_t *new_arena;

    CU_ASSERT_FATAL(
        gms_arena_create_private(UINT64_C(16) << 20, &new_arena) == GMS_OK &&
        gms_topology_create(new_arena, &params, NULL, &new_topology, error) ==
            GMS_OK &&
        gms_account_create(new_arena, new_topology, &params, &new_account) ==
            GMS_OK);
    *equal_p = 1;
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        CHECK_U64(gms_account_adopt(new_account, grant), GMS_OK);
    }
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        other = gms_account_find(new_account, grant->source_node, &grant->key);
        CU_ASSERT_FATAL(other != NULL);
        CU_ASSERT_TRUE(grant->bounds.delay_ps >= other->bounds.delay_ps &&
                       grant->bounds.latency_ps >= other->bounds.latency_ps);
        *equal_p &= grant->bounds.delay_ps == other->bounds.delay_ps &&
                    grant->bounds.latency_ps == other->bounds.latency_ps &&
                    grant->bounds.jitter_ps == other->bounds.jitter_ps &&
                    grant->bounds.burst_bytes == other->bounds.burst_bytes;
    }
    gms_arena_destroy_private(new_arena);
}

/* After a release, bounds may be longer than necessary, but must never be too
 * short. A denied request causes the account to compute tight bounds again. */
static unsigned release_and_deny(unsigned seed)
{
    unsigned step, loose = 0;
    gms_random_t random;
    int equal;

    teardown();
    gms_params_init(&params);
    params.topology = GMS_TOPOLOGY_CASCADE;
    params.hosts = LOOSE_HOSTS;
    params.hosts_per_switch = 3;
    open_account(UINT64_C(16) << 20);
    gms_random_init(&random, seed, 0);
    for (step = 0; step < LOOSE_STEPS; ++step) {
        gms_flow_request_t request = random_flow(&random, step);
        const gms_grant_t *first = gms_account_first(account);

        request.source_node %= LOOSE_HOSTS;
        request.key.target_node %= LOOSE_HOSTS;
        request.bytes_s /= 3;
        request.shape.message_bytes = 0;
        if (step < LOOSE_STEPS / 2 || step % 2 == 0) {
            ask(&request);
            continue;
        }
        request.key = first->key;
        gms_account_release(account, first->source_node, &request.key,
                            on_changed, &changes);
        compare_with_new(&equal);
        if (!equal) {
            ++loose;
            request = random_flow(&random, step);
            request.source_node = 0;
            request.key.target_node = 1;
            request.bytes_s = 1000;
            request.shape.delay_ps = 1;
            CHECK_U64(ask(&request).criterion, GMS_QOS_DELAY);
            compare_with_new(&equal);
            CU_ASSERT_TRUE(equal);
        }
    }
    return loose;
}

static void test_release_leaves_safe_bounds(void)
{
    unsigned seed, loose = 0;

    for (seed = 1; seed <= LOOSE_SEEDS; ++seed) {
        loose += release_and_deny(seed);
    }
    CU_ASSERT_TRUE(loose > 0);
}

/* ---- windows ---- */

/* Return the smallest fraction of its bandwidth that a flow can receive in a
 * window. */
static double window_part(const gms_grant_t *grant)
{
    double idt_s = (double)(grant->idt_ticks * params.rtc_tick_ps) / 1e12;
    double window_s = fmax(0.1, 400 * idt_s);
    double packets =
        (window_s - (double)grant->bounds.latency_ps / 1e12) / idt_s;

    return packets * (double)params.nic_mtu_bytes /
           (grant->bandwidth_bytes_s * window_s);
}

/* Between two nodes that are nearly full, there are two flows in each
 * direction. */
static void test_windows_have_their_bandwidth(void)
{
    unsigned i, faster = 0;

    teardown();
    gms_params_init(&params);
    params.qos_strict_windows = 1;
    open_account(UINT64_C(16) << 20);
    for (i = 0; i < 4; ++i) {
        gms_flow_request_t request = {.source_node = i % 2,
                                      .key = key_to(1 - i % 2, i / 2),
                                      .qos_class = GMS_QOS_PREMIUM,
                                      .bytes_s = 19 * MB};
        const gms_grant_t *grant;

        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
        for (grant = gms_account_first(account); grant != NULL;
             grant = grant->next) {
            CU_ASSERT_TRUE(window_part(grant) >= 0.995);
        }
    }
    for (i = 0; i < 4; ++i) {
        gms_flow_key_t key = key_to(1 - i % 2, i / 2);
        const gms_grant_t *grant = gms_account_find(account, i % 2, &key);
        uint32_t plain = gms_account_idt(&params, 19 * MB);

        /* The account shortens the IDT only as much as the latency L requires,
         * plus 0.3 % and one tick. */
        CU_ASSERT_TRUE(grant->idt_ticks <= plain);
        CU_ASSERT_TRUE((double)grant->idt_ticks >= 0.98 * (double)plain);
        faster += grant->idt_ticks < plain;
    }
    CHECK_U64(faster, 4);
}

/* Round a bandwidth down to a bandwidth whose IDT is a whole number of ticks.
 * For a request that is not rounded, the account would charge more, because it
 * charges whole ticks. */
static double whole_ticks(double bytes_s)
{
    return gms_account_bandwidth(&params,
                                 gms_account_idt(&params, bytes_s) + 1);
}

/* Request flows until many requests have been denied, and release some of the
 * flows along the way. At any time, every flow must receive its bandwidth in
 * every window. If a request is denied because of a window, the denial must
 * name a flow. A request for the remaining bandwidth that the denial reports
 * must be granted. */
static void test_windows_after_any_history(void)
{
    unsigned step, denied = 0, named = 0;
    gms_random_t random;

    teardown();
    gms_params_init(&params);
    params.qos_strict_windows = 1;
    params.topology = GMS_TOPOLOGY_TORUS;
    params.hosts = 16;
    params.rows = 1;
    params.columns = 8;
    params.hosts_per_switch = 2;
    open_account(UINT64_C(16) << 20);
    gms_random_init(&random, 4, 0);
    for (step = 0; step < 400; ++step) {
        gms_flow_request_t request = random_flow(&random, step);
        const gms_grant_t *grant;
        gms_qos_verdict_t verdict;

        request.source_node %= 16;
        request.key.target_node %= 16;
        request.bytes_s /= 3;
        verdict = ask(&request);
        if (verdict.criterion == GMS_QOS_LATENCY) {
            ++denied;
            CU_ASSERT_TRUE(gms_account_find(account, verdict.victim_node,
                                            &verdict.victim) != NULL ||
                           memcmp(&verdict.victim, &request.key,
                                  sizeof(request.key)) == 0);
        }
        if (verdict.criterion != GMS_QOS_OK) {
            /* The smallest possible request has the bandwidth of the largest
             * IDT, 10^6 ticks. */
            if (verdict.left_bytes_s >
                gms_account_bandwidth(&params, 1000000)) {
                ++named;
                request.bytes_s = whole_ticks(verdict.left_bytes_s);
                CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
            }
        } else if (step % 8 == 7) {
            gms_flow_key_t key = gms_account_first(account)->key;

            CHECK_U64(gms_account_release(
                          account, gms_account_first(account)->source_node,
                          &key, on_changed, &changes),
                      GMS_OK);
        }
        for (grant = gms_account_first(account); grant != NULL;
             grant = grant->next) {
            CU_ASSERT_TRUE(window_part(grant) >= 0.995);
        }
    }
    CU_ASSERT_TRUE(denied > 0);
    CU_ASSERT_TRUE(named > 5);
}

/* The bandwidths of six flows add up to less than a node's time permits. An
 * account that shortens IDTs to guarantee the bandwidth of windows uses part of
 * the remaining time. A request for the remaining bandwidth that the denial
 * reports must be granted. */
static void test_shorter_idts_take_what_is_left(void)
{
    gms_flow_request_t request = {.qos_class = GMS_QOS_PREMIUM,
                                  .bytes_s = 12.8 * MB};
    gms_qos_verdict_t verdict;
    unsigned target;

    teardown();
    set_nic();
    params.qos_strict_windows = 1;
    open_account(UINT64_C(16) << 20);
    for (target = 1; target <= 6; ++target) {
        request.key = key_to(target, 0);
        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    }
    request.key = key_to(7, 0);
    request.bytes_s = MB;
    verdict = ask(&request);
    CHECK_U64(verdict.criterion, GMS_QOS_SOURCE_NODE);
    /* If an account limits only the sum of bandwidths (test_admission), flows
     * can use all of a node's time. If the account shortens IDTs, it reserves
     * 0.5 % of this time for the managers. */
    CU_ASSERT_TRUE(verdict.left_bytes_s <
                   0.995 * 4096e12 / 53009073 - 76.8 * MB);
    if (verdict.left_bytes_s > 0) {
        request.bytes_s = whole_ticks(verdict.left_bytes_s);
        CHECK_U64(ask(&request).criterion, GMS_QOS_OK);
    }
}

/* A new master may adopt the grants in any order. */
static void test_order_does_not_matter(void)
{
    gms_qos_bounds_t before[RANDOM_FLOWS], after[RANDOM_FLOWS];
    gms_grant_t grants[RANDOM_FLOWS];
    const gms_grant_t *grant;
    gms_random_t random;
    unsigned i, count = 0;

    open_clos();
    gms_random_init(&random, 3, 0);
    for (i = 0; i < RANDOM_FLOWS; ++i) {
        gms_flow_request_t request = random_flow(&random, i);

        ask(&request);
    }
    note_bounds(before);
    for (grant = gms_account_first(account); grant != NULL;
         grant = grant->next) {
        grants[count++] = *grant;
    }
    CU_ASSERT_TRUE(count > RANDOM_FLOWS / 2);
    open_clos();
    while (count > 0) {
        CHECK_U64(gms_account_adopt(account, &grants[--count]), GMS_OK);
    }
    note_bounds(after);
    CU_ASSERT_TRUE(are_equal(before, after));
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"a new flow never lowers the bounds of other flows",
         test_bounds_never_fall},
        {"a release restores the bounds", test_release_restores},
        {"bounds remain valid after a release",
         test_release_leaves_safe_bounds},
        {"windows receive their bandwidth", test_windows_have_their_bandwidth},
        {"windows receive their bandwidth after any history",
         test_windows_after_any_history},
        {"an account with shorter IDTs uses the node's unused time",
         test_shorter_idts_take_what_is_left},
        {"the order of grants has no influence", test_order_does_not_matter},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"properties of bounds", NULL, NULL, setup, teardown, tests});
}
