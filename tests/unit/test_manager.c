/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the messages of the managers. The tests check when an answer arrives,
 * and what the managers do before it arrives.
 */
#include "manager_rig.h"

#include <string.h>

#include "engine/gate.h"
#include "unit.h"

#define PREMIUM     GMS_QOS_PREMIUM
#define BEST_EFFORT GMS_QOS_BEST_EFFORT
#define RELEASE     GMS_QOS_UNMANAGED

/* length in bytes of a message with this number of flows */
#define BYTES(_flows) (32 + 64 * (_flows))

static void setup(void)
{
    rig_params();
    rig_start();
    rig_run(); /* provide the receive buffers */
}

static void teardown(void)
{
    rig_stop();
}

/* ---- shapes and bounds ---- */

/* Values in messages are rounded. A rounded request never demands less than the
 * original request, and a rounded bound is never smaller than the original
 * bound. */
static void test_pack(void)
{
    const gms_qos_shape_t shape = {.message_bytes = 5000,
                                   .burst_bytes = 20000,
                                   .delay_ps = 1234567891,
                                   .jitter_ps = 3};
    const gms_qos_bounds_t bounds = {.latency_ps = 1,
                                     .delay_ps = 1234567891,
                                     .jitter_ps = 43000 * GMS_MS,
                                     .burst_bytes = 9};
    gms_manager_shape_t packed = gms_manager_pack_shape(&shape);
    gms_manager_bounds_t sent = gms_manager_pack_bounds(&bounds);
    gms_qos_shape_t there = gms_manager_unpack_shape(&packed);
    gms_qos_bounds_t back = gms_manager_unpack_bounds(&sent);

    CHECK_U64(there.message_bytes, 5000);
    CHECK_U64(there.burst_bytes, 20000);
    CHECK_U64(there.delay_ps, 1234560000);
    /* 0 would mean "any delay", so this is the smallest possible value */
    CHECK_U64(there.jitter_ps, 10000);
    CHECK_U64(back.latency_ps, 10000);
    CHECK_U64(back.delay_ps, 1234570000);
    CHECK_U64(back.jitter_ps, 0); /* the jitter is too large for a message */
    CHECK_U64(back.burst_bytes, 9);
}

/* Checks that the traffic shape in a request from another node reaches the
 * master's account. */
static void test_shape_reaches_the_account(void)
{
    gms_qos_call_t *call = rig_call(3, 1, 0, PREMIUM, 40 * MB);
    const gms_grant_t *grant;

    call->flow[0].asked.shape.message_bytes = 16384;
    call->flow[0].asked.shape.burst_bytes = 65536;
    call->flow[0].asked.shape.delay_ps = 30 * GMS_MS;
    rig_post_at(call, rig_now());
    rig_run_until_done(call);
    CHECK_U64(call->flow[0].after.qos_class, PREMIUM);
    grant = gms_account_find(gms_manager_account(manager), 3,
                             &call->flow[0].asked.key);
    CU_ASSERT_PTR_NOT_NULL_FATAL(grant);
    CHECK_U64(grant->shape.message_bytes, 16384);
    CHECK_U64(grant->shape.burst_bytes, 65536);
    CHECK_U64(grant->shape.delay_ps, 30 * GMS_MS);
    CU_ASSERT_TRUE(grant->bounds.delay_ps > 0);
    CU_ASSERT_TRUE(call->flow[0].after.bounds.delay_ps >=
                   grant->bounds.delay_ps);
    CU_ASSERT_TRUE(call->flow[0].after.bounds.delay_ps <=
                   grant->bounds.delay_ps + GMS_MANAGER_TIME_PS);
    rig_free(call);
}

/* A denial contains the flow and the smallest possible delay. A request with
 * this delay is granted. */
static void test_denial_for_a_delay(void)
{
    gms_qos_call_t *call = rig_call(3, 1, 0, PREMIUM, 40 * MB);
    gms_time_t least_ps;

    call->flow[0].asked.shape.delay_ps = GMS_US;
    rig_post_at(call, rig_now());
    rig_run_until_done(call);
    CHECK_U64(call->verdict.criterion, GMS_QOS_DELAY);
    CHECK_U64(call->flow[0].after.qos_class, RELEASE);
    CHECK_U64(call->verdict.victim_node, 3);
    CHECK_U64(call->verdict.victim.target_node,
              call->flow[0].asked.key.target_node);
    least_ps = call->verdict.bounds.delay_ps;
    CU_ASSERT_TRUE(least_ps > GMS_US);
    rig_free(call);
    call = rig_call(3, 1, 0, PREMIUM, 40 * MB);
    call->flow[0].asked.shape.delay_ps = least_ps;
    rig_post_at(call, rig_now());
    rig_run_until_done(call);
    CHECK_U64(call->flow[0].after.qos_class, PREMIUM);
    CU_ASSERT_TRUE(call->flow[0].after.bounds.delay_ps <= least_ps);
    rig_free(call);
}

/* ---- times ---- */

/* The request requires three units of work and two messages. After that, the
 * decision is acknowledged. */
static void test_request_from_another_node(void)
{
    gms_time_t way_ps = rig_message_ps(3, 0, BYTES(1));
    gms_time_t back_ps = rig_message_ps(0, 3, BYTES(1));
    gms_qos_call_t *call = rig_ask(3, 1, 0, PREMIUM, 40 * MB);
    gms_time_t start_ps = rig_now();

    CU_ASSERT_TRUE(way_ps > 10 * GMS_US && way_ps < 40 * GMS_US);
    CHECK_U64(rig_run_until_done(call) - start_ps, 3 * WORK + way_ps + back_ps);
    CHECK_U64(rig_idt(3, 1, 0), 204);
    CHECK_U64(call->status, GMS_OK);
    CHECK_U64(call->verdict.criterion, GMS_QOS_OK);
    CHECK_U64(call->flow[0].after.qos_class, PREMIUM);
    CHECK_U64(call->flow[0].after.idt_ticks, 204);
    CHECK_NEAR(call->flow[0].after.bandwidth_bytes_s, PACE / 204, 1e-12);
    rig_run();
    rig_check_agreement();
}

/* For this request, no message crosses the network. */
static void test_request_from_the_masters_node(void)
{
    uint64_t packets = gms_fabric_packets(fabric);
    gms_qos_call_t *call = rig_ask(0, 1, 0, PREMIUM, 40 * MB);
    gms_time_t start_ps = rig_now();

    CHECK_U64(rig_run_until_done(call) - start_ps, WORK);
    CHECK_U64(rig_idt(0, 1, 0), 204);
    rig_run();
    CHECK_U64(gms_fabric_packets(fabric), packets);
}

static void test_another_master(void)
{
    gms_qos_call_t *call;
    gms_time_t start_ps;

    rig_stop();
    params.qos_master = 4;
    rig_start();
    rig_run();
    CHECK_U64(gms_manager_master(manager), 3);
    call = rig_ask(3, 1, 0, PREMIUM, 40 * MB);
    start_ps = rig_now();
    CHECK_U64(rig_run_until_done(call) - start_ps, WORK);
    CHECK_U64(rig_asked(0, 1, 0, PREMIUM, 20 * MB)->flow[0].after.qos_class,
              PREMIUM);
    rig_run();
    rig_check_agreement();
}

/* The node of the flow that must slow down is informed first. The new flow is
 * granted after this node has acknowledged. These steps require two additional
 * messages, and two additional units of work, one at each end. */
static void test_make_before_break(void)
{
    gms_time_t way_ps = rig_message_ps(2, 0, BYTES(1));
    gms_time_t ack_ps = rig_message_ps(1, 0, BYTES(0));
    gms_qos_call_t *call;
    gms_time_t start_ps;

    CHECK_U64(rig_asked(1, 3, 0, BEST_EFFORT, 0)->flow[0].after.idt_ticks, 0);
    rig_run();
    call = rig_ask(2, 3, 0, PREMIUM, 40 * MB);
    start_ps = rig_now();
    while (rig_idt(1, 3, 0) == 0) {
        CHECK_U64(rig_idt(2, 3, 0), 0);
        rig_step();
    }
    CHECK_U64(rig_now() - start_ps, 3 * WORK + 2 * way_ps);
    /* This is the IDT for the remaining bandwidth, rounded up. The new flow has
     * an IDT of 204 ticks, so 78 - (8192 / 204) MB/s remain. */
    CHECK_U64(rig_idt(1, 3, 0), 217);
    CHECK_U64(rig_run_until_done(call) - start_ps,
              5 * WORK + 3 * way_ps + ack_ps);
}

static void test_release_gives_room_at_once(void)
{
    gms_time_t start_ps;

    rig_asked(1, 3, 0, BEST_EFFORT, 0);
    rig_asked(2, 3, 0, PREMIUM, 40 * MB);
    rig_run();
    start_ps = rig_now();
    rig_ask(2, 3, 0, RELEASE, 0);
    rig_run_until(start_ps + WORK + 1);
    CHECK_U64(rig_idt(2, 3, 0), 0);
    CHECK_U64(rig_idt(1, 3, 0), 217);
    rig_run();
    CHECK_U64(rig_idt(1, 3, 0), 0); /* now the flow is alone again */
    CHECK_U64(rig_grants(), 1);
}

/* ---- answers ---- */

static void test_denial(void)
{
    gms_qos_call_t *call;

    rig_asked(3, 1, 0, PREMIUM, 40 * MB);
    call = rig_asked(2, 1, 0, PREMIUM, 40 * MB);
    CHECK_U64(call->status, GMS_OK);
    CHECK_U64(call->verdict.criterion, GMS_QOS_DESTINATION_NODE);
    CHECK_U64(call->verdict.resource, 1);
    /* 37.843 MB/s remain, and 8192 / 37.843 is rounded up to 217 ticks */
    CHECK_NEAR(call->verdict.left_bytes_s, PACE / 217, 1e-6);
    CHECK_U64(call->flow[0].after.qos_class, RELEASE);
    CHECK_U64(call->flow[0].after.idt_ticks, 0);
    CHECK_U64(rig_idt(2, 1, 0), 0);
}

static void test_denied_change_keeps_the_old(void)
{
    gms_qos_call_t *call;

    rig_asked(3, 1, 0, PREMIUM, 40 * MB);
    call = rig_asked(3, 1, 0, PREMIUM, 100 * MB);
    CHECK_U64(call->verdict.criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(call->flow[0].after.qos_class, PREMIUM);
    CHECK_U64(call->flow[0].after.idt_ticks, 204);
    CHECK_U64(rig_idt(3, 1, 0), 204);
}

static void test_changes(void)
{
    rig_asked(3, 1, 0, PREMIUM, 40 * MB);
    CHECK_U64(rig_asked(3, 1, 0, PREMIUM, 50 * MB)->flow[0].after.idt_ticks,
              163);
    CHECK_U64(rig_asked(3, 1, 0, PREMIUM, 20 * MB)->flow[0].after.idt_ticks,
              409);
    CHECK_U64(rig_asked(3, 1, 0, BEST_EFFORT, 0)->flow[0].after.idt_ticks, 0);
    CHECK_U64(rig_asked(3, 1, 0, PREMIUM, 20 * MB)->flow[0].after.idt_ticks,
              409);
    rig_run();
    CHECK_U64(rig_grants(), 1);
    rig_check_agreement();
}

static void test_release_of_nothing(void)
{
    gms_qos_call_t *call = rig_asked(3, 1, 0, RELEASE, 0);

    CHECK_U64(call->status, GMS_OK);
    CHECK_U64(call->flow[0].after.qos_class, RELEASE);
    CHECK_U64(rig_grants(), 0);
}

static void test_error_reaches_the_caller(void)
{
    gms_qos_call_t *call = rig_asked(1, 2, 0, PREMIUM, -MB);

    CHECK_U64(call->status, GMS_ERR_INVALID_PARAM);
    CHECK_U64(call->flow[0].after.qos_class, RELEASE);
    CHECK_U64(rig_grants(), 0);
}

/* ---- several flows ---- */

static void test_set_all_or_nothing(void)
{
    gms_qos_call_t *call = rig_call(1, 2, 0, PREMIUM, 10 * MB);
    unsigned i;

    for (i = 1; i < 12; ++i) { /* twelve flows require three messages */
        rig_call_more(call, 2 + i % 2, i, PREMIUM, 5 * MB);
    }
    rig_post_at(call, rig_now());
    rig_run_until_done(call);
    CHECK_U64(call->verdict.criterion, GMS_QOS_OK);
    CHECK_U64(call->flow[0].after.qos_class, PREMIUM);
    for (i = 1; i < 12; ++i) {
        CHECK_U64(call->flow[i].after.qos_class, PREMIUM);
        CHECK_U64(call->flow[i].after.idt_ticks, 1638);
        CHECK_U64(rig_idt(1, 2 + i % 2, i), 1638);
    }
    rig_run();
    CHECK_U64(rig_grants(), 12);
    rig_check_agreement();
    /* 65 MB/s are already reserved. The second request exceeds the remaining
     * bandwidth. */
    call = rig_call(4, 5, 0, PREMIUM, 50 * MB);
    rig_call_more(call, 2, 1, PREMIUM, 50 * MB);
    rig_post_at(call, rig_now());
    rig_run_until_done(call);
    CHECK_U64(call->verdict.criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(call->verdict.request, 1);
    CHECK_U64(call->flow[0].after.qos_class, RELEASE);
    CHECK_U64(call->flow[1].after.qos_class, RELEASE);
    rig_run();
    CHECK_U64(rig_grants(), 12);
    CHECK_U64(rig_idt(4, 5, 0), 0);
    /* a single release message for all flows */
    call = rig_call(1, 2, 0, RELEASE, 0);
    for (i = 1; i < 12; ++i) {
        rig_call_more(call, 2 + i % 2, i, RELEASE, 0);
    }
    rig_post_at(call, rig_now());
    rig_run();
    CHECK_U64(rig_grants(), 0);
}

static void test_too_many_flows(void)
{
    gms_qos_call_t *call =
        gms_qos_call_create(ctx.arena, 1, 1, GMS_QOS_FLOWS_MAX + 1);
    unsigned i;

    rig_checks_sums = 0;
    for (i = 0; i < call->count; ++i) {
        call->flow[i].asked.key = rig_key(2, i);
        call->flow[i].asked.qos_class = PREMIUM;
        call->flow[i].asked.bytes_s = 1000;
    }
    call->status = GMS_ERR_SYSTEM;
    call->handler = RIG_ON_ANSWER;
    rig_post_at(call, rig_now());
    rig_run_until_done(call);
    CHECK_U64(call->status, GMS_ERR_INVALID_PARAM);
}

/* ---- order ---- */

static void test_requests_are_decided_one_by_one(void)
{
    /* The account cannot grant all three of these simultaneous requests. */
    gms_qos_call_t *first = rig_ask(1, 0, 0, PREMIUM, 40 * MB);
    gms_qos_call_t *second = rig_ask(2, 0, 0, PREMIUM, 40 * MB);
    gms_qos_call_t *own = rig_ask(0, 3, 0, PREMIUM, 20 * MB);

    rig_run_until_done(own);
    CHECK_U64(own->verdict.criterion, GMS_QOS_OK);
    rig_run_until_done(second);
    CHECK_U64(first->done, 1);
    CHECK_U64(first->verdict.criterion, GMS_QOS_OK);
    CHECK_U64(second->verdict.criterion, GMS_QOS_DESTINATION_NODE);
}

static void test_a_manager_is_busy(void)
{
    gms_time_t way_ps = rig_message_ps(1, 0, BYTES(1));
    gms_time_t start_ps = rig_now();
    gms_qos_call_t *first = rig_ask(0, 2, 0, PREMIUM, MB);
    gms_qos_call_t *second = rig_ask(0, 3, 0, PREMIUM, MB);

    CHECK_U64(rig_run_until_done(first) - start_ps, WORK);
    CHECK_U64(rig_run_until_done(second) - start_ps, 2 * WORK);
    CU_ASSERT_TRUE(way_ps > 0);
}

/* Every requester must receive all of its own answers, and no bandwidth may be
 * granted twice: rig_step() adds up the active reservations after every
 * event. */
static void run_askers(uint64_t seed, unsigned times, unsigned ppm)
{
    gms_fault_rates_t rates = {.drop_ppm = ppm,
                               .damage_header_ppm = ppm,
                               .damage_payload_ppm = ppm,
                               .duplicate_ppm = ppm};

    gms_fabric_set_fault_rates(fabric, &rates);
    rig_askers_start(seed, times);
    rig_run();
    CHECK_U64(rig_answers, ASKERS * times);
    CHECK_U64(rig_failures, 0);
    rig_check_agreement();
}

static void test_many_requests(void)
{
    uint64_t seed, events[2] = {0, 0};
    gms_time_t end_ps[2] = {0, 0};
    unsigned run;

    for (seed = 1; seed <= 5; ++seed) {
        for (run = 0; run < 2; ++run) { /* the second run must be identical to
                                         * the first run */
            rig_stop();
            rig_start();
            run_askers(seed, 20, 0);
            events[run] = gms_engine_events_run(ctx.engine);
            end_ps[run] = rig_now();
        }
        CHECK_U64(events[0], events[1]);
        CHECK_U64(end_ps[0], end_ps[1]);
    }
}

/* On average, two of every hundred packets are lost, two arrive twice, and four
 * are damaged. If packets of one stream are lost repeatedly, a living master
 * may appear to be dead. */
static void test_losses(void)
{
    uint64_t seed;

    for (seed = 1; seed <= 5; ++seed) {
        rig_stop();
        rig_start();
        run_askers(seed, 8, 20000);
    }
}

/* ---- watches ---- */

static void test_watch(void)
{
    rig_asked(1, 2, 0, PREMIUM, 70 * MB);
    CHECK_U64(rig_asked(3, 2, 0, PREMIUM, 40 * MB)->flow[0].after.qos_class,
              RELEASE);
    rig_watch(3, 2, 0, 40 * MB, 1);
    rig_watch(4, 2, 0, 60 * MB, 2);
    rig_watch(5, 2, 0, 70 * MB, 3);
    rig_watch(3, 2, 0, 30 * MB, 4);
    rig_run();
    CHECK_U64(rig_told_count, 0);
    rig_asked(1, 2, 0, PREMIUM, 20 * MB); /* 58 MB/s are free */
    rig_run();
    CHECK_U64(rig_told_count, 2);
    CHECK_U64(rig_told_order[0], 1);
    CHECK_U64(rig_told_order[1], 4);
    rig_asked(1, 2, 0, RELEASE, 0);
    rig_run();
    CHECK_U64(rig_told_count, 4);
    CHECK_U64(rig_told_order[2], 2);
    CHECK_U64(rig_told_order[3], 3);
    CHECK_U64(rig_grants(), 0); /* the watch does not reserve any bandwidth */
    rig_watch(3, 2, 0, 30 * MB, 5);
    rig_run();
    CHECK_U64(rig_told[5], 1); /* 58 MB/s are enough */
}

static void test_unwatch(void)
{
    rig_asked(1, 2, 0, PREMIUM, 70 * MB);
    rig_watch(3, 2, 0, 40 * MB, 1);
    rig_watch(3, 2, 0, 40 * MB, 2);
    rig_run();
    gms_manager_post_unwatch(&ctx, manager, &posters[3], rig_now(), 3, 2, 1);
    gms_manager_post_unwatch(&ctx, manager, &posters[3], rig_now(), 3, 2, 9);
    rig_run();
    rig_asked(1, 2, 0, RELEASE, 0);
    rig_run();
    CHECK_U64(rig_told[1], 0);
    CHECK_U64(rig_told[2], 1);
}

/* ---- dead ranks ---- */

static void test_release_of_a_rank(void)
{
    rig_asked(1, 2, 0, PREMIUM, MB);
    rig_asked(1, 3, 0, BEST_EFFORT, 0);
    rig_asked(2, 3, 0, PREMIUM, 70 * MB);
    rig_watch(1, 3, 1, 40 * MB, 1);
    rig_run();
    CHECK_U64(rig_grants(), 3);
    gms_manager_release_rank(&ctx, manager, 1);
    CHECK_U64(rig_grants(), 3); /* a request from a dead rank takes the same
                                 * time as any other request */
    rig_run();
    CHECK_U64(rig_grants(), 1);
    CHECK_U64(gms_account_first(gms_manager_account(manager))->rank, 2);
    gms_manager_release_rank(&ctx, manager, 1);
    rig_run();
    CHECK_U64(rig_grants(), 1);
    rig_asked(2, 3, 0, RELEASE, 0);
    rig_run();
    CHECK_U64(rig_told[1], 0); /* the watch has been removed together with its
                                * rank */
    rig_check_agreement();
}

/* A request can be abandoned at any time. At the end, the request must hold no
 * bandwidth, and its call must be freed. */
static void test_abandoned_request(void)
{
    uint64_t used_before, used_after, total;
    gms_time_t at_ps;

    /* first allocate the memory that is allocated only once and never freed */
    rig_asked(1, 2, 0, PREMIUM, MB);
    rig_asked(1, 2, 0, RELEASE, 0);
    rig_run();
    for (at_ps = 0; at_ps < 220 * GMS_US; at_ps += 10 * GMS_US) {
        gms_qos_call_t *call;

        rig_run();
        gms_arena_usage(ctx.arena, &used_before, &total);
        call = rig_ask(1, 2, 0, PREMIUM, MB);
        call->handler = 0;
        rig_run_until(rig_now() + at_ps);
        if (call->done) {
            CU_ASSERT_TRUE(at_ps > 180 * GMS_US);
            break;
        }
        call->abandoned = 1;
        rig_run();
        CHECK_U64(rig_grants(), 0);
        CHECK_U64(rig_idt(1, 2, 0), 0);
        gms_arena_usage(ctx.arena, &used_after, &total);
        CHECK_U64(used_after, used_before);
    }
    CU_ASSERT_TRUE(at_ps > 180 * GMS_US);
}

static void test_request_of_the_dead(void)
{
    gms_qos_call_t *call;

    /* No process has joined this gate, so all processes count as dead. */
    CHECK_U64(gms_gate_create(ctx.arena, NODES, &ctx.gate), GMS_OK);
    call = rig_ask(1, 2, 0, PREMIUM, MB);
    call->handler = 0;
    rig_run();
    CHECK_U64(rig_grants(), 0);
    CHECK_U64(rig_idt(1, 2, 0), 0);
}

/* ---- the managers' port ---- */

/* If a program sends a message to the managers' port, this message is not a
 * request, and does not block requests. */
static void test_foreign_messages(void)
{
    unsigned char *memory = gms_arena_alloc(ctx.arena, 4096);
    gms_send_desc_t send = {.flow = {.source_port = 2,
                                     .target_node = 0,
                                     .target_port = GMS_MANAGER_PORT,
                                     .priority = 1},
                            .kind = GMS_SEND_MESSAGE,
                            .size = 8,
                            .length = 72,
                            .address = (uintptr_t)memory};
    unsigned i;

    CU_ASSERT_FATAL(gms_nic_open_port(&ctx, nics[1], 2, 1) == GMS_OK &&
                    gms_nic_register_memory(&ctx, nics[1], 2, (uintptr_t)memory,
                                            4096) == GMS_OK);
    memset(memory, 1, 72);
    for (i = 0; i < 100; ++i) {
        gms_nic_post_send(&ctx, nics[1], &posters[1], rig_now(), &send);
    }
    CHECK_U64(rig_asked(1, 2, 0, PREMIUM, MB)->flow[0].after.qos_class,
              PREMIUM);
    rig_run();
    CHECK_U64(rig_grants(), 1);
}

/* ---- memory ---- */

static void test_no_memory_for_a_manager(void)
{
    gms_manager_t *other = NULL;
    size_t bytes;

    for (bytes = 1 << 20; bytes >= 16; bytes /= 2) {
        while (gms_arena_alloc(ctx.arena, bytes) != NULL) {
        }
    }
    CHECK_U64(gms_manager_create(&ctx, fabric, nics, &params, &other),
              GMS_ERR_NO_MEMORY);
    CU_ASSERT_PTR_NULL(other);
}

static void test_no_such_master(void)
{
    gms_manager_t *other = NULL;
    uint64_t used, after, total;

    gms_arena_usage(ctx.arena, &used, &total);
    params.qos_master = NODES + 1;
    CHECK_U64(gms_manager_create(&ctx, fabric, nics, &params, &other),
              GMS_ERR_CONFIG);
    /* this master is valid, but another manager already uses the ports */
    params.qos_master = 1;
    CHECK_U64(gms_manager_create(&ctx, fabric, nics, &params, &other),
              GMS_ERR_BUSY);
    CU_ASSERT_PTR_NULL(other);
    gms_arena_usage(ctx.arena, &after, &total);
    CHECK_U64(after, used);
}

int main(void)
{
    CU_TestInfo times[] = {
        {"request from another node", test_request_from_another_node},
        {"request from the master's node", test_request_from_the_masters_node},
        {"another master", test_another_master},
        {"make before break", test_make_before_break},
        {"release", test_release_gives_room_at_once},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo shapes[] = {
        {"pack", test_pack},
        {"the master's account contains the shape of a request",
         test_shape_reaches_the_account},
        {"a denial reports the smallest possible delay",
         test_denial_for_a_delay},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo answers[] = {
        {"denial", test_denial},
        {"a denied change keeps the old grant",
         test_denied_change_keeps_the_old},
        {"changes", test_changes},
        {"release without a reservation", test_release_of_nothing},
        {"an error is returned to the caller", test_error_reaches_the_caller},
        {"several flows, all or nothing", test_set_all_or_nothing},
        {"too many flows", test_too_many_flows},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo order[] = {
        {"the master decides on one request at a time",
         test_requests_are_decided_one_by_one},
        {"a manager processes one request at a time", test_a_manager_is_busy},
        {"many requests", test_many_requests},
        {"losses", test_losses},
        {"watch", test_watch},
        {"unwatch", test_unwatch},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo ends[] = {
        {"release after a rank's death", test_release_of_a_rank},
        {"abandoned request", test_abandoned_request},
        {"request of a dead rank", test_request_of_the_dead},
        {"a program's message to the managers' port", test_foreign_messages},
        {"no memory for a manager", test_no_memory_for_a_manager},
        {"a master that does not exist", test_no_such_master},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"manager: times of requests", NULL, NULL, setup, teardown, times},
        {"manager: shapes of requests", NULL, NULL, setup, teardown, shapes},
        {"manager: answers to requests", NULL, NULL, setup, teardown, answers},
        {"manager: order of requests", NULL, NULL, setup, teardown, order},
        {"manager: ends of ranks and requests", NULL, NULL, setup, teardown,
         ends});
}
