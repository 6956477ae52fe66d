/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests reserved lanes of both fabric models. The expected times are computed
 * by hand. All times are multiples of a cycle of the flit model, so most of
 * them are the same in both models.
 */
#include "fabric_rig.h"

enum {
    ON_INJECT = ON_OWN
};
enum {
    NODES = 4,
    BYTES = RIG_BYTES,
    WORMS = 16,
    RT = GMS_LANE_REAL_TIME,
    CONTROL = GMS_LANE_CONTROL,
    BE = GMS_LANE_BEST_EFFORT
};

#define P (100 * GMS_NS) /* propagation delay of a link */
#define R (300 * GMS_NS) /* routing delay of a switch */
#define S (10 * GMS_US)  /* time to send BYTES (100 flits) at 160 MB/s */
/* cycle of the flit model: the time that a flit of 16 bytes takes. The tests of
 * the worm model use C only as an arbitrary short delay. */
#define C (100 * GMS_NS)

static gms_worm_t worms[WORMS];
static gms_time_t sent_ps[WORMS], arrived_ps[WORMS], lost_ps[WORMS];
/* the worm that each node has refused, or NULL */
static gms_worm_t *refused[NODES];
static int refuses[NODES];
static unsigned asked[NODES];
static gms_origin_t later = {.id = 1};

static void on_sent(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    sent_ps[worm_of(event) - worms] = event->time_ps;
}

static void on_request(gms_ctx_t *c, const gms_event_t *event)
{
    gms_worm_t *worm = worm_of(event);

    ++asked[worm->target];
    if (refuses[worm->target]) {
        CU_ASSERT_PTR_NULL(refused[worm->target]);
        refused[worm->target] = worm;
    } else {
        gms_fabric_accept(c, fabric, worm);
    }
}

static void on_arrived(gms_ctx_t *c, const gms_event_t *event)
{
    const gms_worm_t *worm = worm_of(event);

    (void)c;
    arrived_ps[worm - worms] = event->time_ps;
    CHECK_U64(
        worm->inject_ps + worm->wire_ps + worm->switch_ps <= event->time_ps, 1);
}

static void on_copy(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    worms[WORMS - 1] = *worm_of(event);
    *(gms_worm_t **)(uintptr_t)event->arg[1] = &worms[WORMS - 1];
}

static void on_lost(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    lost_ps[worm_of(event) - worms] = event->time_ps;
}

static void on_inject(gms_ctx_t *c, const gms_event_t *event)
{
    gms_fabric_inject(c, fabric, event->object);
}

/* Injects worm number `slot` at the time at_ps. */
static void inject_slot_at(gms_time_t at_ps, unsigned slot,
                           unsigned traffic_class, unsigned source,
                           unsigned target)
{
    gms_worm_t *worm = &worms[slot];

    worm->source = source;
    worm->target = target;
    worm->traffic_class = (uint8_t)traffic_class;
    worm->wire_bytes = BYTES;
    gms_engine_schedule(&ctx, &later, at_ps, ON_INJECT, worm, 0, 0);
}

static void run(void)
{
    gms_engine_run_until(&ctx, GMS_NEVER);
}

static void create(void)
{
    rig_create(NULL);
    gms_fabric_expect_reserved(fabric);
}

static void setup_model(enum gms_fabric_model model)
{
    memset(worms, 0, sizeof(worms));
    memset(sent_ps, 0, sizeof(sent_ps));
    memset(arrived_ps, 0, sizeof(arrived_ps));
    memset(lost_ps, 0, sizeof(lost_ps));
    memset(refused, 0, sizeof(refused));
    memset(refuses, 0, sizeof(refuses));
    memset(asked, 0, sizeof(asked));
    rig_context();
    ctx.handlers[ON_SENT] = on_sent;
    ctx.handlers[ON_REQUEST] = on_request;
    ctx.handlers[ON_ARRIVED] = on_arrived;
    ctx.handlers[ON_COPY] = on_copy;
    ctx.handlers[ON_LOST] = on_lost;
    ctx.handlers[ON_INJECT] = on_inject;
    rig_port.on_copy = ON_COPY;
    rig_port.on_lost = ON_LOST;
    rig_params(P, R);
    params.undeclared = GMS_UNDECLARED_BEST_EFFORT;
    params.hosts = NODES;
    params.fabric_model = model;
    rig_open(16, NULL);
    gms_fabric_expect_reserved(fabric);
}

static void setup_worm(void)
{
    setup_model(GMS_FABRIC_WORM);
}

static void setup_flit(void)
{
    setup_model(GMS_FABRIC_FLIT);
}

/* The acknowledgements of a class are packets of the same class. */
static void test_classes(void)
{
    int is_flit = params.fabric_model == GMS_FABRIC_FLIT;

    CHECK_U64(gms_fabric_classes(fabric), GMS_LANE_CLASSES);
    CHECK_U64(gms_fabric_control_class(fabric, RT), RT);
    CHECK_U64(gms_fabric_control_class(fabric, BE), BE);
    params.undeclared = GMS_UNDECLARED_FREE;
    create();
    CHECK_U64(gms_fabric_classes(fabric), is_flit ? GMS_LANE_CLASSES : 1);
}

/* On a free route, the head takes the time P for every link and the time R for
 * every switch. The tail arrives later than the head by the time S. */
static void test_alone(void)
{
    inject_slot_at(0, 0, RT, 0, 1);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    /* a worm would need the additional time R, because its tail stops while the
     * switch routes its head */
    CHECK_U64(sent_ps[0], S);
    CHECK_U64(worms[0].wire_ps, 2 * P + S);
    CHECK_U64(worms[0].switch_ps, R);
    CHECK_U64(worms[0].blocked_ps, 0);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

/* A worm on a free route needs the same time as a reserved packet. */
static void test_worm_alone(void)
{
    inject_slot_at(0, 0, BE, 2, 3);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
}

/* The second packet waits in the switch. Meanwhile, the link on which it
 * arrived is free for a third packet to another node. */
static void test_absorbed(void)
{
    inject_slot_at(0, 0, RT, 0, 2);
    inject_slot_at(C, 1, RT, 1, 2);
    inject_slot_at(S + C, 2, RT, 1, 3);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64(arrived_ps[1], 2 * P + R + 2 * S);
    CHECK_U64(sent_ps[1], S + C);
    CHECK_U64(arrived_ps[2], S + C + 2 * P + R + S);
    CHECK_U64(worms[1].blocked_ps, S - C);
}

/* With one buffer for each input, the third packet stays at its source until
 * the second packet's tail has left the switch. */
static void test_full_buffer(void)
{
    params.switch_reserved_packets = 1;
    params.nic_mtu_bytes = BYTES;
    create();
    inject_slot_at(0, 0, RT, 0, 2);
    inject_slot_at(C, 1, RT, 1, 2);
    inject_slot_at(S + C, 2, RT, 1, 3);
    run();
    CHECK_U64(arrived_ps[1], 2 * P + R + 2 * S);
    CHECK_U64(arrived_ps[2], P + R + 2 * S + 2 * P + R + S);
}

/* Real-time packets are served before control packets, and packets within a
 * class are served in the order of their arrival. */
static void test_order(void)
{
    inject_slot_at(0, 0, RT, 0, 2);
    inject_slot_at(C, 1, CONTROL, 1, 2);
    inject_slot_at(2 * C, 2, RT, 3, 2);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64(arrived_ps[2], 2 * P + R + 2 * S);
    CHECK_U64(arrived_ps[1], 2 * P + R + 3 * S);
}

/* A best-effort worm stops while a reserved packet crosses one of its links,
 * and arrives later by exactly this time. */
static void test_pause(void)
{
    gms_link_use_t use;

    inject_slot_at(0, 0, BE, 0, 1);
    inject_slot_at(4 * GMS_US, 1, RT, 2, 1);
    run();
    CHECK_U64(arrived_ps[1], 4 * GMS_US + 2 * P + R + S);
    CHECK_U64(arrived_ps[0], 2 * P + R + S + S);
    CHECK_U64(sent_ps[0], R + S + S);
    CHECK_U64(worms[0].blocked_ps, S);
    gms_fabric_link_use(
        fabric, gms_topology_node_link(gms_fabric_topology(fabric), 1, 1),
        arrived_ps[0], &use);
    CHECK_U64(use.moving_ps, 2 * S);
}

/* Two reserved packets cross two links of a worm at overlapping times. The
 * overlap pauses the worm only once. */
static void test_pause_overlap(void)
{
    inject_slot_at(0, 0, BE, 0, 1);
    /* this packet uses the link to node 1 from 4 us + P + R on */
    inject_slot_at(4 * GMS_US, 1, RT, 2, 1);
    inject_slot_at(8 * GMS_US, 2, RT, 0, 3); /* this packet uses the link from
                                              * node 0 */
    run();
    CHECK_U64(arrived_ps[1], 4 * GMS_US + 2 * P + R + S);
    CHECK_U64(arrived_ps[2], 8 * GMS_US + 2 * P + R + S);
    /* the worm is paused from 4 us + P + R to 8 us + S */
    CHECK_U64(arrived_ps[0], 2 * P + R + S + 4 * GMS_US + S - P - R);
}

/* If reserved packets cross the links of a worm when the worm is admitted, the
 * worm starts after these packets. */
static void test_pause_at_start(void)
{
    inject_slot_at(0, 0, RT, 0, 1);
    inject_slot_at(C, 1, BE, 2, 1);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64(arrived_ps[1], P + R + S + S);
}

/* If a worm is paused, another worm that waits for the same link starts
 * later. */
static void test_pause_and_wait(void)
{
    inject_slot_at(0, 0, BE, 0, 1);
    inject_slot_at(GMS_US, 1, BE, 2, 1);
    inject_slot_at(4 * GMS_US, 2, RT, 3, 1);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + 2 * S);
    /* The link becomes free when the tail of the first worm has entered it. */
    CHECK_U64(arrived_ps[1], P + R + 2 * S + P + S);
}

/* If a NIC has no buffer for a packet, the packet does not block the link for
 * packets of another class. */
static void test_refused(void)
{
    refuses[1] = 1;
    inject_slot_at(0, 0, RT, 0, 1);
    run();
    CU_ASSERT_PTR_EQUAL_FATAL(refused[1], &worms[0]);
    refuses[1] = 0;
    inject_slot_at(50 * GMS_US, 1, CONTROL, 2, 1);
    run();
    CHECK_U64(arrived_ps[1], 50 * GMS_US + 2 * P + R + S);
    inject_slot_at(100 * GMS_US, 2, RT, 3, 1);
    run();
    CHECK_U64(asked[1], 2); /* the second packet of this class is not offered to
                             * the NIC yet */
    gms_fabric_accept(&ctx, fabric, refused[1]);
    run();
    CHECK_U64(arrived_ps[0] > 100 * GMS_US, 1);
    CHECK_U64(arrived_ps[2], arrived_ps[0] + S);
}

static void test_lost(void)
{
    gms_fault_rates_t rates = {.drop_ppm = 1000000};

    gms_fabric_set_fault_rates(fabric, &rates);
    inject_slot_at(0, 0, RT, 0, 1);
    run();
    CHECK_U64(sent_ps[0], S);
    CHECK_U64(lost_ps[0], S);
    CHECK_U64(arrived_ps[0], 0);
    CHECK_U64(asked[1], 0);
}

/* A packet whose route uses a failed link is lost. A packet that is sent after
 * the link has recovered arrives. */
static void test_link_down(void)
{
    uint32_t link = gms_topology_node_link(gms_fabric_topology(fabric), 1, 1);

    gms_fabric_link_down(&ctx, fabric, link, 50 * GMS_US);
    inject_slot_at(0, 0, RT, 0, 1);
    inject_slot_at(60 * GMS_US, 1, RT, 0, 1);
    run();
    CHECK_U64(lost_ps[0] > 0, 1);
    CHECK_U64(arrived_ps[0], 0);
    CHECK_U64(asked[1], 1);
    CHECK_U64(arrived_ps[1], 60 * GMS_US + 2 * P + R + S);
    CHECK_U64(gms_fabric_fault_counts(fabric)->lost_on_link, 1);
}

/* If a link fails while a packet crosses it, the NIC that has reserved a buffer
 * still receives the packet, marked as incomplete. */
static void test_link_breaks(void)
{
    uint32_t link = gms_topology_node_link(gms_fabric_topology(fabric), 1, 1);

    inject_slot_at(0, 0, RT, 0, 1);
    gms_engine_run_until(&ctx, 5 * GMS_US);
    gms_fabric_link_down(&ctx, fabric, link, 50 * GMS_US);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64((worms[0].fate & GMS_WORM_CUT) != 0, 1);
}

static void test_twice(void)
{
    gms_fault_rates_t rates = {.duplicate_ppm = 1000000};

    gms_fabric_set_fault_rates(fabric, &rates);
    inject_slot_at(0, 0, RT, 0, 1);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64(arrived_ps[WORMS - 1], 2 * P + R + 2 * S);
    CHECK_U64(asked[1], 2);
}

/* ---- flit model ---- */

/* Time that a best-effort packet takes on an empty route. This time is the sum
 * of P for each link, R for the switch, one cycle in which the target admits
 * the head, and the time of the flits. */
#define FLITS_ALONE (2 * P + R + C + S)
/* Time that a paused packet saves: the target admits the head during the pause,
 * so this cycle adds no time. If the pause occurs before a switch, the cycle in
 * which the switch routes the head adds no time either. */
#define CAUGHT_UP C

/* All times are rounded to whole cycles, and a link takes at least one cycle.
 * 33 bytes are three flits. A packet that is injected between two cycles starts
 * in the next cycle. */
static void test_whole_cycles(void)
{
    params.link_propagation_ps = 10 * GMS_NS; /* this is rounded to one cycle */
    params.switch_routing_ps = 340 * GMS_NS;  /* this is rounded to three
                                               * cycles */
    create();
    inject_slot_at(GMS_NS, 0, RT, 0, 1);
    worms[0].wire_bytes = 33;
    run();
    CHECK_U64(arrived_ps[0], C + C + 3 * C + C + 3 * C);
    CHECK_U64(sent_ps[0], C + 3 * C);
    CHECK_U64(worms[0].wire_ps, 2 * C + 3 * C);
    CHECK_U64(worms[0].switch_ps, 3 * C + (C - GMS_NS));
    CHECK_U64(worms[0].blocked_ps, 0);
}

/* Best-effort flits stop while a reserved packet crosses one of their links,
 * and arrive later by exactly this time. The counters of the link include both
 * the flits and the reserved packet. */
static void test_flits_wait(void)
{
    gms_link_use_t use;

    inject_slot_at(0, 0, BE, 0, 1);
    inject_slot_at(4 * GMS_US, 1, RT, 2, 1);
    run();
    /* The head of the reserved packet reaches the link at the beginning of a
     * cycle, and requests a buffer of the NIC. In this cycle, a flit still
     * crosses the link. */
    CHECK_U64(arrived_ps[1], 4 * GMS_US + 2 * P + R + C + S);
    CHECK_U64(arrived_ps[0], FLITS_ALONE - CAUGHT_UP + S);
    gms_fabric_link_use(
        fabric, gms_topology_node_link(gms_fabric_topology(fabric), 1, 1),
        arrived_ps[0], &use);
    CHECK_U64(use.moving_ps, 2 * S);
    CHECK_U64(use.held_ps, 2 * S);
    CHECK_U64(use.blocked_packets, 1);
    CHECK_U64(use.blocked_ps, C);
}

/* A flit that has begun to cross a link completes before the reserved packet
 * starts. After the reserved packet, the flits on their last link continue
 * immediately. */
static void test_flit_is_finished(void)
{
    gms_link_use_t use;

    inject_slot_at(0, 0, BE, 0, 1);
    inject_slot_at(4 * GMS_US + C / 2, 1, RT, 0, 2);
    gms_engine_run_until(&ctx, 4 * GMS_US + C * 3 / 4);
    /* The reserved packet uses the link only from the next cycle on, so no byte
     * of it has crossed the link yet. */
    gms_fabric_link_use(
        fabric, gms_topology_node_link(gms_fabric_topology(fabric), 0, 0),
        4 * GMS_US + C * 3 / 4, &use);
    CHECK_U64(use.moving_ps, 41 * C);
    gms_engine_run_until(&ctx, 8 * GMS_US);
    /* No flit moves. The three pending events are the arrival of the reserved
     * packet and the completion of its transfers on the two links. */
    CHECK_U64(gms_engine_events_pending(ctx.engine), 3);
    run();
    CHECK_U64(sent_ps[1], 4 * GMS_US + C + S);
    CHECK_U64(arrived_ps[1], 4 * GMS_US + C + 2 * P + R + S);
    CHECK_U64(worms[1].blocked_ps, 0);
    CHECK_U64(sent_ps[0], 2 * S);
    CHECK_U64(arrived_ps[0], FLITS_ALONE - 2 * CAUGHT_UP + S);
}

/* No flit crosses between two reserved packets that follow each other. */
static void test_no_flit_between(void)
{
    inject_slot_at(0, 0, BE, 3, 1);
    inject_slot_at(0, 1, RT, 0, 1);
    inject_slot_at(C, 2, RT, 2, 1);
    run();
    CHECK_U64(arrived_ps[1], 2 * P + R + C + S); /* this packet follows the
                                                  * first flit */
    CHECK_U64(arrived_ps[2], arrived_ps[1] + S);
    CHECK_U64(arrived_ps[0], FLITS_ALONE - CAUGHT_UP + 2 * S);
}

/* While the NIC has no buffer for a reserved packet, best-effort flits use the
 * link. Once the NIC has a buffer, flits precede the packet only if they cross
 * the link while the head of the packet propagates. */
static void test_flits_cross_meanwhile(void)
{
    refuses[1] = 1;
    inject_slot_at(0, 0, RT, 0, 1);
    gms_engine_run_until(&ctx, GMS_US);
    CU_ASSERT_PTR_EQUAL_FATAL(refused[1], &worms[0]);
    refuses[1] = 0;
    inject_slot_at(2 * GMS_US, 1, BE, 2, 1);
    gms_engine_run_until(&ctx, 5 * GMS_US + C / 2);
    gms_fabric_accept(&ctx, fabric, &worms[0]);
    run();
    CHECK_U64(arrived_ps[0], 5 * GMS_US + C + P + S);
    CHECK_U64(arrived_ps[1], 2 * GMS_US + FLITS_ALONE - CAUGHT_UP + S);
}

/* Best-effort packets are admitted to a link and interrupted many times. The
 * test checks that no flit is lost, which requires that the clock of the flits
 * restarts correctly after every pause. */
static void test_many_pauses(void)
{
    unsigned i;

    for (i = 0; i < 4; ++i) {
        inject_slot_at(i * 12 * GMS_US + i * GMS_NS, i, RT, 2, 1);
    }
    inject_slot_at(0, 4, BE, 0, 1);
    inject_slot_at(20 * GMS_US, 5, BE, 3, 1);
    run();
    for (i = 0; i < 6; ++i) {
        CHECK_U64(arrived_ps[i] > 0, 1);
    }
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
    /* All six packets have crossed the link at one flit per cycle. */
    CHECK_U64(arrived_ps[5] >= 6 * S, 1);
    CHECK_U64(arrived_ps[5] <= 6 * S + 2 * GMS_US, 1);
}

int main(void)
{
    CU_TestInfo both_tests[] = {
        {"classes", test_classes},
        {"alone", test_alone},
        {"a packet waits in the switch", test_absorbed},
        {"no buffer left", test_full_buffer},
        {"real-time packets precede control packets", test_order},
        {"a NIC without a buffer", test_refused},
        {"a packet is lost at its source", test_lost},
        {"a link that is down", test_link_down},
        {"a link that breaks", test_link_breaks},
        {"a packet that arrives twice", test_twice},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo worm_tests[] = {
        {"a worm alone", test_worm_alone},
        {"a worm pauses", test_pause},
        {"overlapping pauses count only once", test_pause_overlap},
        {"a worm waits for reserved packets before it starts",
         test_pause_at_start},
        {"a pause delays the next worm on the link", test_pause_and_wait},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo flit_tests[] = {
        {"times are rounded to whole cycles", test_whole_cycles},
        {"best-effort flits wait for a reserved packet", test_flits_wait},
        {"a reserved packet waits for the current flit", test_flit_is_finished},
        {"no flit between packets", test_no_flit_between},
        {"best-effort flits cross while a packet waits",
         test_flits_cross_meanwhile},
        {"no flit is lost after many pauses", test_many_pauses},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"reserved lanes, model worm", NULL, NULL, setup_worm,
                     rig_close, both_tests},
                    {"reserved lanes, model flit", NULL, NULL, setup_flit,
                     rig_close, both_tests},
                    {"reserved lanes, only model worm", NULL, NULL, setup_worm,
                     rig_close, worm_tests},
                    {"reserved lanes, only model flit", NULL, NULL, setup_flit,
                     rig_close, flit_tests});
}
