/* SPDX-License-Identifier: BSD-3-Clause */
/* Tests the fabric model `worm`. Stations replace the NICs, and record the
 * calls of the fabric. */
#include "fabric_rig.h"

enum {
    ON_LATER = ON_OWN
};
enum {
    NODES = 4
};

#define PROPAGATION (50 * GMS_NS)
#define ROUTING     (300 * GMS_NS)
#define STREAM      (10 * GMS_US) /* time of RIG_BYTES at 160 MB/s */

static gms_worm_t worms[16];

/* The memory of the worms belongs to the test, which reads it after their
 * arrival. */
static void on_arrived(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    rig_note(event->object, worm_of(event), event->time_ps);
}

static gms_origin_t later = {.id = 1};

static void on_later(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    accept_waiting((unsigned)((station_t *)event->object - stations));
}

static gms_worm_t *inject_slot(unsigned slot, unsigned source, unsigned target)
{
    gms_worm_t *worm = &worms[slot];

    memset(worm, 0, sizeof(*worm));
    worm->source = source;
    worm->target = target;
    worm->wire_bytes = RIG_BYTES;
    gms_fabric_inject(&ctx, fabric, worm);
    return worm;
}

static void setup(void)
{
    rig_context();
    ctx.handlers[ON_ARRIVED] = on_arrived;
    ctx.handlers[ON_LATER] = on_later;
    rig_params(PROPAGATION, ROUTING);
    params.hosts = NODES;
    rig_open(16, NULL);
}

static void run(void)
{
    gms_engine_run_until(&ctx, GMS_NEVER);
}

static void test_create(void)
{
    gms_fabric_t *other = NULL;

    CHECK_U64(gms_fabric_nodes(fabric), NODES);
    CHECK_U64(gms_topology_link_count(gms_fabric_topology(fabric)), 2 * NODES);
    params.hosts = 0;
    CU_ASSERT_EQUAL(gms_fabric_create(&ctx, &params, NULL, &other, error),
                    GMS_ERR_CONFIG);
    params.hosts = params.switch_ports + 1;
    CU_ASSERT_EQUAL(gms_fabric_create(&ctx, &params, NULL, &other, error),
                    GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(
        error,
        "17 NICs (hosts x units_per_host) do not fit on one crossbar "
        "of 16 ports; allowed: up to 16 NICs (switch_ports), or topology "
        "cascade, clos, fat-tree, mesh, torus or graph");
    params.hosts = params.switch_ports;
    CU_ASSERT_EQUAL(gms_fabric_create(&ctx, &params, NULL, &other, error),
                    GMS_OK);
    CHECK_U64(gms_fabric_nodes(other), params.switch_ports);
}

static void test_alone(void)
{
    const gms_worm_t *worm = inject_slot(0, 0, 1);
    gms_time_t head_ps = 2 * PROPAGATION + ROUTING;

    run();
    CHECK_U64(stations[1].request_ps, head_ps);
    CHECK_U64(stations[1].arrived_ps, head_ps + STREAM);
    CHECK_U64(stations[0].sent_ps, head_ps + STREAM - 2 * PROPAGATION);
    CHECK_U64(worm->wire_ps, 2 * PROPAGATION + STREAM);
    CHECK_U64(worm->switch_ps, ROUTING);
    CHECK_U64(gms_fabric_packets(fabric), 1);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

static void test_to_itself(void)
{
    inject_slot(0, 2, 2);
    run();
    CHECK_U64(stations[2].sent, 1);
    CHECK_U64(stations[2].arrived, 1);
}

/* If a packet is shorter than its route, it releases its links only when it is
 * accepted, although its tail has already passed. */
static void test_tiny(void)
{
    gms_worm_t *worm = &worms[0];

    memset(worm, 0, sizeof(*worm));
    worm->target = 1;
    worm->wire_bytes = 1;
    gms_fabric_inject(&ctx, fabric, worm);
    run();
    CHECK_U64(stations[0].sent, 1);
    CHECK_U64(stations[1].arrived_ps, 2 * PROPAGATION + ROUTING + 6250);
}

/* The waiting time at the NIC counts neither as time on the wire nor as time in
 * a switch. */
static void test_waits_for_accept(void)
{
    const gms_worm_t *worm = inject_slot(0, 0, 1);

    stations[1].refuses = 1;
    run();
    CU_ASSERT_PTR_EQUAL_FATAL(stations[1].requesting, worm);
    CHECK_U64(stations[0].sent, 0);
    accept_waiting(1);
    run();
    CHECK_U64(stations[1].arrived, 1);
    CHECK_U64(stations[0].sent, 1);
    CHECK_U64(worm->wire_ps + worm->switch_ps,
              2 * PROPAGATION + STREAM + ROUTING);
}

/* Two packets need the same output port. The second packet waits in the switch,
 * and this waiting time counts as time in the switch. Meanwhile, another output
 * port is free. */
static void test_contention(void)
{
    const gms_worm_t *second;

    inject_slot(0, 0, 3);
    second = inject_slot(1, 1, 3);
    inject_slot(2, 2, 1);
    run();
    CHECK_U64(stations[3].arrived, 2);
    CHECK_U64(stations[1].arrived_ps, 2 * PROPAGATION + ROUTING + STREAM);
    /* The second worm receives the port when the first worm's tail has entered
     * the link. */
    CHECK_U64(second->switch_ps, ROUTING + STREAM + PROPAGATION - PROPAGATION);
    CHECK_U64(stations[3].arrived_ps,
              second->inject_ps + second->wire_ps + second->switch_ps);
}

static gms_fabric_blocked_t seen[4];
static unsigned seen_count;

static void on_tracepoint(gms_ctx_t *c, uint32_t what, const void *thing)
{
    (void)c;
    CHECK_U64(what, GMS_FABRIC_TRACEPOINT_BLOCKED);
    seen[seen_count++ % 4] = *(const gms_fabric_blocked_t *)thing;
}

static void check_use(const char *name, gms_time_t at_ps, gms_time_t moving_ps,
                      gms_time_t held_ps, uint64_t packets,
                      gms_time_t blocked_ps)
{
    gms_link_use_t use;
    uint32_t link;

    CU_ASSERT_EQUAL_FATAL(
        gms_topology_find_link(gms_fabric_topology(fabric), name, &link),
        GMS_OK);
    gms_fabric_link_use(fabric, link, at_ps, &use);
    CHECK_U64(use.moving_ps, moving_ps);
    CHECK_U64(use.held_ps, held_ps);
    CHECK_U64(use.blocked_packets, packets);
    CHECK_U64(use.blocked_ps, blocked_ps);
}

/* The test sends the same packets as test_contention(). The port is held as
 * soon as the first packet's head has been routed. The port's link transfers
 * each packet for STREAM. While the second packet's head waits, it holds the
 * links behind it, but no data move. */
static void test_use_of_links(void)
{
    const gms_time_t routed_ps = PROPAGATION + ROUTING, half_ps = STREAM / 2;
    const gms_worm_t *second;

    seen_count = 0;
    ctx.on_tracepoint = on_tracepoint;
    inject_slot(0, 0, 3);
    second = inject_slot(1, 1, 3);
    gms_engine_run_until(&ctx, half_ps);
    /* The use of the link is counted from 50 ns before the head arrives at the
     * node until 50 ns before the tail arrives. */
    check_use("switch 0 port 3 to node 4", half_ps, half_ps - routed_ps,
              half_ps - routed_ps, 0, 0);
    check_use("node 2 to switch 0", half_ps, 0, half_ps, 0, 0);
    CHECK_U64(seen_count, 0);
    run();
    check_use("switch 0 port 3 to node 4", GMS_SECOND, 2 * STREAM, 2 * STREAM,
              1, STREAM);
    check_use("node 1 to switch 0", GMS_SECOND, STREAM, ROUTING + STREAM, 0, 0);
    check_use("node 2 to switch 0", GMS_SECOND, STREAM, ROUTING + 2 * STREAM, 0,
              0);
    check_use("switch 0 port 0 to node 1", GMS_SECOND, 0, 0, 0, 0);
    CHECK_U64(seen_count, 1);
    CU_ASSERT_PTR_EQUAL(seen[0].worm, second);
    CHECK_U64(seen[0].hop, 1);
    CHECK_U64(seen[0].waited_ps, STREAM);
}

/* A head waits at a NIC without a free buffer. The head counts as waiting for
 * the last link, which it holds. */
static void test_use_of_a_full_nic(void)
{
    const gms_time_t asked_ps = 2 * PROPAGATION + ROUTING;

    seen_count = 0;
    ctx.on_tracepoint = on_tracepoint;
    stations[1].refuses = 1;
    inject_slot(0, 0, 1);
    gms_engine_schedule(&ctx, &later, 3 * STREAM + asked_ps, ON_LATER,
                        &stations[1], 0, 0);
    run();
    check_use("switch 0 port 1 to node 2", GMS_SECOND, STREAM, 4 * STREAM, 1,
              3 * STREAM);
    check_use("node 1 to switch 0", GMS_SECOND, STREAM, 4 * STREAM + ROUTING, 0,
              0);
    CHECK_U64(seen_count, 1);
    CHECK_U64(seen[0].hop, 1);
    CHECK_U64(seen[0].waited_ps, 3 * STREAM);
}

/* A waiting worm holds the links that it has already entered. The output port
 * to node 3 is therefore blocked, and so is the link of the other worm that
 * waits for this port. */
static void test_blocked_holds_links(void)
{
    stations[3].refuses = 1;
    inject_slot(0, 0, 3);
    inject_slot(1, 1, 3);
    run();
    CHECK_U64(stations[0].sent + stations[1].sent, 0);
    stations[3].refuses = 0;
    accept_waiting(3);
    run();
    CHECK_U64(stations[0].sent, 1);
    CHECK_U64(stations[1].sent, 1);
    CHECK_U64(stations[3].arrived, 2);
}

/* Inputs 0, 1 and 2 all send to node 3. Each input sends again when its worm
 * has been sent. The switch serves the inputs in turn. */
static void test_round_robin(void)
{
    unsigned sent[3] = {1, 1, 1};
    unsigned i, slot = 3;

    for (i = 0; i < 3; ++i) {
        inject_slot(i, 2 - i, 3);
    }
    while (gms_engine_step(&ctx)) {
        for (i = 0; i < 3; ++i) {
            if (stations[i].sent == sent[i] && sent[i] < 4) {
                ++sent[i];
                inject_slot(slot++, i, 3);
            }
        }
    }
    CHECK_U64(stations[3].arrived, 12);
    for (i = 3; i < 12; ++i) {
        CHECK_U64(stations[3].order[i], stations[3].order[i - 3]);
    }
    CHECK_U64(stations[3].order[0], 2);
    CHECK_U64(stations[3].order[1], 0);
    CHECK_U64(stations[3].order[2], 1);
}

/* A link transfers only one worm at a time, regardless of the load. */
static void test_link_is_serial(void)
{
    unsigned i;
    gms_time_t last_ps = 0;

    for (i = 0; i < 3; ++i) {
        inject_slot(i, i, 3);
    }
    for (i = 0; i < 3; ++i) {
        while (stations[3].arrived == i && gms_engine_step(&ctx)) {
        }
        CU_ASSERT(stations[3].arrived_ps >= last_ps + STREAM);
        last_ps = stations[3].arrived_ps;
    }
}

static void test_no_memory(void)
{
    gms_arena_t *whole = ctx.arena;
    gms_fabric_t *other;

    CU_ASSERT_EQUAL_FATAL(
        gms_arena_create_private(UINT64_C(2) << 20, &ctx.arena), GMS_OK);
    while (gms_arena_alloc(ctx.arena, 1024) != NULL) {
    }
    CU_ASSERT_EQUAL(gms_fabric_create(&ctx, &params, NULL, &other, error),
                    GMS_ERR_NO_MEMORY);
    gms_arena_destroy_private(ctx.arena);
    ctx.arena = whole;
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"creation", test_create},
        {"one packet alone", test_alone},
        {"a packet to the sender's own node", test_to_itself},
        {"a packet that is shorter than its route", test_tiny},
        {"a packet waits for the NIC", test_waits_for_accept},
        {"contention for an output port", test_contention},
        {"use of links while a packet waits for a port", test_use_of_links},
        {"use of links while a packet waits for a full NIC",
         test_use_of_a_full_nic},
        {"a blocked worm holds its links", test_blocked_holds_links},
        {"round-robin", test_round_robin},
        {"a link transfers one packet at a time", test_link_is_serial},
        {"out of memory", test_no_memory},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"fabric", NULL, NULL, setup, rig_close, tests});
}
