/* SPDX-License-Identifier: BSD-3-Clause */
/* The managers' messages: when an answer comes, and what was done before. */
#include "qos/manager.h"

#include <string.h>

#include "engine/gate.h"
#include "unit.h"

#define MB 1e6
#define WORK (50 * GMS_US)
#define WAY (30 * GMS_US)
#define NODES 4u
#define NOTES_MAX 32

static gms_ctx_t ctx;
static gms_params_t params;
static gms_fabric_t *fabric;
static gms_manager_t *manager;
static gms_origin_t ranks[NODES];

/* Stands for NIC n; nobody looks inside. */
static char nic_places[NODES];
static gms_nic_t *nics[NODES];

/* What the NICs were told. */
static struct {
    gms_time_t time_ps;
    unsigned node;
    gms_flow_key_t key;
    uint32_t idt_ticks;
} notes[NOTES_MAX];
static unsigned note_count;

/* In place of the NIC's own: the messages are tested here, not the NIC. */
gms_status_t gms_nic_set_idt(gms_ctx_t *c, gms_nic_t *nic,
                             const gms_flow_key_t *key, uint32_t idt_ticks)
{
    CU_ASSERT_FATAL(note_count < NOTES_MAX);
    notes[note_count].time_ps = gms_engine_now(c->engine);
    notes[note_count].node = (unsigned)((char *)nic - nic_places);
    notes[note_count].key = *key;
    notes[note_count].idt_ticks = idt_ticks;
    note_count++;
    return GMS_OK;
}

static void setup(void)
{
    unsigned node;

    gms_params_init(&params);
    params.hosts = NODES;
    params.qos_manager_ps = WORK;
    params.qos_message_ps = WAY;
    memset(&ctx, 0, sizeof(ctx));
    ctx.self_rank = -1;
    for (node = 0; node < NODES; node++) {
        nics[node] = (gms_nic_t *)(void *)&nic_places[node];
        ranks[node] = (gms_origin_t){.id = GMS_ORIGIN_RANK + node};
    }
    note_count = 0;
    gms_manager_register(&ctx);
    if ((gms_arena_create_private(UINT64_C(16) << 20, &ctx.arena) != GMS_OK) ||
        (gms_engine_create(ctx.arena, &ctx.engine) != GMS_OK) ||
        (gms_fabric_create(&ctx, &params, &fabric) != GMS_OK) ||
        (gms_manager_create(&ctx, fabric, nics, &params, &manager) !=
         GMS_OK)) {
        abort();
    }
}

static void teardown(void)
{
    gms_arena_destroy_private(ctx.arena);
}

/* The rank on each node has the node's number. */
static gms_qos_call_t *post(unsigned source, unsigned target,
                            enum gms_qos_class qos_class, double bytes_s,
                            gms_time_t at_ps)
{
    gms_qos_call_t *call = gms_arena_alloc(ctx.arena, sizeof(*call));

    CU_ASSERT_PTR_NOT_NULL_FATAL(call);
    call->source_node = source;
    call->rank = source;
    call->key = (gms_flow_key_t){.source_port = 2,
                                 .target_node = (uint16_t)target,
                                 .target_port = 4,
                                 .priority = 1,
                                 .label = 0xfedcba98};
    call->qos_class = qos_class;
    call->bytes_s = bytes_s;
    call->status = GMS_ERR_SYSTEM;
    gms_manager_post(&ctx, manager, &ranks[source], at_ps, call);
    return call;
}

static void run(void)
{
    while (gms_engine_step(&ctx)) {
    }
}

/* Run until the answer has come. @return when */
static gms_time_t run_until_done(const gms_qos_call_t *call)
{
    while (!call->done && gms_engine_step(&ctx)) {
    }
    CU_ASSERT_TRUE(call->done);
    return gms_engine_now(ctx.engine);
}

static unsigned grant_count(void)
{
    const gms_grant_t *grant =
        gms_account_first(gms_manager_account(manager));
    unsigned count = 0;

    for (; grant != NULL; grant = grant->next) {
        count++;
    }
    return count;
}

static void check_note(unsigned i, gms_time_t time_ps, unsigned node,
                       unsigned target, uint32_t idt_ticks)
{
    CU_ASSERT_FATAL(i < note_count);
    CHECK_U64(notes[i].time_ps, time_ps);
    CHECK_U64(notes[i].node, node);
    CHECK_U64(notes[i].key.source_port, 2);
    CHECK_U64(notes[i].key.target_node, target);
    CHECK_U64(notes[i].key.target_port, 4);
    CHECK_U64(notes[i].key.priority, 1);
    CHECK_U64(notes[i].key.label, 0xfedcba98);
    CHECK_U64(notes[i].idt_ticks, idt_ticks);
}

static void test_request_from_another_node(void)
{
    gms_qos_call_t *call = post(3, 1, GMS_QOS_PREMIUM, 40 * MB, 1000);
    gms_time_t done_ps = run_until_done(call);

    CHECK_U64(done_ps, 1000 + WORK + WAY + WORK + WAY);
    CHECK_U64(note_count, 1);
    check_note(0, done_ps, 3, 1, 204);
    CHECK_U64(call->status, GMS_OK);
    CHECK_U64(call->verdict.criterion, GMS_QOS_OK);
    CHECK_U64(call->class_after, GMS_QOS_PREMIUM);
    CHECK_U64(call->idt_after, 204);
    CHECK_NEAR(call->bandwidth_after, 8192 * MB / 204, 1e-12);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

static void test_request_from_the_masters_node(void)
{
    gms_qos_call_t *call = post(0, 1, GMS_QOS_PREMIUM, 40 * MB, 1000);

    CHECK_U64(run_until_done(call), 1000 + WORK);
    CHECK_U64(note_count, 1);
    check_note(0, 1000 + WORK, 0, 1, 204);
}

static void test_denial(void)
{
    gms_qos_call_t *call;

    post(3, 1, GMS_QOS_PREMIUM, 40 * MB, 0);
    run();
    call = post(2, 1, GMS_QOS_PREMIUM, 40 * MB, gms_engine_now(ctx.engine));
    run_until_done(call);
    CHECK_U64(call->status, GMS_OK);
    CHECK_U64(call->verdict.criterion, GMS_QOS_DESTINATION_NODE);
    CHECK_U64(call->verdict.node_or_link, 1);
    CHECK_NEAR(call->verdict.left_bytes_s, 78 * MB - 8192 * MB / 204, 1e-12);
    CHECK_U64(call->class_after, GMS_QOS_UNMANAGED);
    CHECK_U64(call->idt_after, 0);
    CHECK_U64(note_count, 1);
}

static void test_denied_change_keeps_the_old(void)
{
    gms_qos_call_t *call;

    post(3, 1, GMS_QOS_PREMIUM, 40 * MB, 0);
    run();
    call = post(3, 1, GMS_QOS_PREMIUM, 100 * MB, gms_engine_now(ctx.engine));
    run_until_done(call);
    CHECK_U64(call->verdict.criterion, GMS_QOS_SOURCE_NODE);
    CHECK_U64(call->class_after, GMS_QOS_PREMIUM);
    CHECK_U64(call->idt_after, 204);
    CHECK_U64(note_count, 1);
}

static void test_change_never_unsets(void)
{
    gms_time_t at_ps;

    post(3, 1, GMS_QOS_PREMIUM, 40 * MB, 0);
    run();
    at_ps = gms_engine_now(ctx.engine);
    run_until_done(post(3, 1, GMS_QOS_PREMIUM, 50 * MB, at_ps));
    CHECK_U64(note_count, 2);
    check_note(1, at_ps + 2 * WORK + 2 * WAY, 3, 1, 163);
    CHECK_U64(grant_count(), 1);
}

static void test_others_are_told(void)
{
    gms_qos_call_t *call;
    gms_time_t at_ps;

    post(0, 1, GMS_QOS_BEST_EFFORT, 0, 0);
    run();
    check_note(0, WORK, 0, 1, 0);
    at_ps = gms_engine_now(ctx.engine);
    call = post(2, 1, GMS_QOS_PREMIUM, 40 * MB, at_ps);
    at_ps += WORK + WAY + WORK;
    CHECK_U64(run_until_done(call), at_ps + WAY);
    CHECK_U64(note_count, 3);
    check_note(1, at_ps, 0, 1, 216); /* on the master's own node: at once */
    check_note(2, at_ps + WAY, 2, 1, 204);
}

static void test_release(void)
{
    gms_qos_call_t *call;
    gms_time_t at_ps;

    post(3, 1, GMS_QOS_PREMIUM, 40 * MB, 0);
    run();
    at_ps = gms_engine_now(ctx.engine);
    call = post(3, 1, GMS_QOS_UNMANAGED, 0, at_ps);
    CHECK_U64(run_until_done(call), at_ps + 2 * WORK + 2 * WAY);
    CHECK_U64(call->status, GMS_OK);
    CHECK_U64(call->class_after, GMS_QOS_UNMANAGED);
    CHECK_U64(call->idt_after, 0);
    CHECK_U64(note_count, 2);
    check_note(1, at_ps + 2 * WORK + 2 * WAY, 3, 1, 0);
    CHECK_U64(grant_count(), 0);
    /* again: nothing to do, and no error */
    call = post(3, 1, GMS_QOS_UNMANAGED, 0, gms_engine_now(ctx.engine));
    run_until_done(call);
    CHECK_U64(call->status, GMS_OK);
    CHECK_U64(note_count, 2);
}

static void test_requests_are_decided_one_by_one(void)
{
    /* three that do not fit together, at one time */
    gms_qos_call_t *first = post(1, 0, GMS_QOS_PREMIUM, 40 * MB, 0);
    gms_qos_call_t *second = post(2, 0, GMS_QOS_PREMIUM, 40 * MB, 0);
    gms_qos_call_t *own = post(0, 3, GMS_QOS_PREMIUM, 20 * MB, 0);

    /* the master is still at work on `own` when nothing else is there yet,
     * then takes the others in the order of their arrival */
    CHECK_U64(run_until_done(own), WORK);
    CHECK_U64(own->verdict.criterion, GMS_QOS_OK);
    CHECK_U64(run_until_done(first), WORK + WAY + WORK + WAY);
    CHECK_U64(first->verdict.criterion, GMS_QOS_OK);
    CHECK_U64(run_until_done(second), WORK + WAY + 2 * WORK + WAY);
    CHECK_U64(second->verdict.criterion, GMS_QOS_DESTINATION_NODE);
}

static void test_a_local_manager_is_busy_too(void)
{
    gms_qos_call_t *first = post(1, 2, GMS_QOS_PREMIUM, MB, 0);
    gms_qos_call_t *second = post(1, 3, GMS_QOS_PREMIUM, MB, 0);

    CHECK_U64(run_until_done(first), 2 * WORK + 2 * WAY);
    CHECK_U64(run_until_done(second), 3 * WORK + 2 * WAY);
}

static void test_release_of_a_rank(void)
{
    gms_time_t at_ps;

    post(1, 2, GMS_QOS_PREMIUM, MB, 0);
    post(1, 3, GMS_QOS_BEST_EFFORT, 0, 0);
    post(2, 3, GMS_QOS_PREMIUM, MB, 0);
    run();
    CHECK_U64(grant_count(), 3);
    at_ps = gms_engine_now(ctx.engine);
    gms_manager_release_rank(&ctx, manager, 1);
    CHECK_U64(grant_count(), 3); /* takes its time like any request */
    run();
    CHECK_U64(grant_count(), 1);
    CHECK_U64(gms_account_first(gms_manager_account(manager))->rank, 2);
    CHECK_U64(gms_engine_now(ctx.engine), at_ps + 3 * WORK + 2 * WAY);
    gms_manager_release_rank(&ctx, manager, 1);
    run();
    CHECK_U64(grant_count(), 1);
}

static void test_abandoned_request_is_not_granted(void)
{
    gms_qos_call_t *call = post(1, 2, GMS_QOS_PREMIUM, MB, 0);
    uint64_t used_before, used_after, total;

    gms_engine_run_until(&ctx, WORK + 1);
    gms_arena_usage(ctx.arena, &used_before, &total);
    call->abandoned = 1;
    run();
    CHECK_U64(grant_count(), 0);
    CHECK_U64(note_count, 0);
    gms_arena_usage(ctx.arena, &used_after, &total);
    CU_ASSERT_TRUE(used_after < used_before); /* the call was freed */
}

static void test_request_of_the_dead_is_not_granted(void)
{
    uint64_t used_before, used_after, total;

    /* nobody has joined this gate, so nobody is alive */
    CHECK_U64(gms_gate_create(ctx.arena, NODES, &ctx.gate),
              GMS_OK);
    post(1, 2, GMS_QOS_PREMIUM, MB, 0);
    gms_arena_usage(ctx.arena, &used_before, &total);
    run();
    CHECK_U64(grant_count(), 0);
    CHECK_U64(note_count, 0);
    gms_arena_usage(ctx.arena, &used_after, &total);
    CU_ASSERT_TRUE(used_after < used_before);
}

static void test_error_reaches_the_caller(void)
{
    gms_qos_call_t *call = post(1, 2, GMS_QOS_PREMIUM, -MB, 0);

    run_until_done(call);
    CHECK_U64(call->status, GMS_ERR_INVALID_PARAM);
    CHECK_U64(call->class_after, GMS_QOS_UNMANAGED);
    CHECK_U64(grant_count(), 0);
}

static void test_no_memory_for_a_manager(void)
{
    gms_manager_t *other = NULL;
    uint64_t used, after, total;
    size_t bytes;
    void *last;

    for (bytes = 1 << 20; bytes >= 16; bytes /= 2) {
        while (gms_arena_alloc(ctx.arena, bytes) != NULL) {
        }
    }
    CHECK_U64(gms_manager_create(&ctx, fabric, nics, &params, &other),
              GMS_ERR_NO_MEMORY);
    CU_ASSERT_PTR_NULL(other);
    /* with room for some of the parts only: all of it is given back */
    teardown();
    setup();
    last = gms_arena_alloc(ctx.arena, 512);
    for (bytes = 1 << 20; bytes >= 16; bytes /= 2) {
        while (gms_arena_alloc(ctx.arena, bytes) != NULL) {
        }
    }
    gms_arena_free(ctx.arena, last);
    gms_arena_usage(ctx.arena, &used, &total);
    CHECK_U64(gms_manager_create(&ctx, fabric, nics, &params, &other),
              GMS_ERR_NO_MEMORY);
    gms_arena_usage(ctx.arena, &after, &total);
    CHECK_U64(after, used);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"request from another node", test_request_from_another_node},
        {"request from the master's node", test_request_from_the_masters_node},
        {"denial", test_denial},
        {"denied change keeps the old", test_denied_change_keeps_the_old},
        {"change never unsets", test_change_never_unsets},
        {"others are told", test_others_are_told},
        {"release", test_release},
        {"decided one by one", test_requests_are_decided_one_by_one},
        {"a local manager is busy too", test_a_local_manager_is_busy_too},
        {"release of a rank", test_release_of_a_rank},
        {"abandoned request", test_abandoned_request_is_not_granted},
        {"request of the dead", test_request_of_the_dead_is_not_granted},
        {"error reaches the caller", test_error_reaches_the_caller},
        {"no memory for a manager", test_no_memory_for_a_manager},
        CU_TEST_INFO_NULL,
    };
    CU_SuiteInfo suites[] = {
        {"manager", NULL, NULL, setup, teardown, tests},
        CU_SUITE_INFO_NULL,
    };

    return unit_run(suites);
}
