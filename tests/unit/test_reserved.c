/* SPDX-License-Identifier: BSD-3-Clause */
/* Reserved lanes of the wormhole fabric: times worked out by hand. */
#include "unit.h"

#include <string.h>

#include "fabric/fabric.h"

enum {
    ON_SENT = GMS_HANDLER_TEST,
    ON_REQUEST,
    ON_ARRIVED,
    ON_COPY,
    ON_LOST,
    ON_INJECT
};
enum {
    NODES = 4,
    BYTES = 1600,
    WORMS = 16,
    RT = GMS_LANE_REAL_TIME,
    CONTROL = GMS_LANE_CONTROL,
    BE = GMS_LANE_BEST_EFFORT
};

#define P (50 * GMS_NS)  /* propagation of a link */
#define R (300 * GMS_NS) /* routing by a switch */
#define S (10 * GMS_US)  /* BYTES at 160 MB/s */

static gms_ctx_t ctx;
static gms_params_t params;
static gms_fabric_t *fabric;
static gms_worm_t worms[WORMS];
static gms_time_t sent_ps[WORMS], arrived_ps[WORMS], lost_ps[WORMS];
static gms_worm_t *refused[NODES]; /* asked, but was not let in */
static int refuses[NODES];
static unsigned asked[NODES];
static gms_origin_t later = {.id = 1};

static gms_worm_t *worm_of(const gms_event_t *event)
{
    return (gms_worm_t *)(uintptr_t)event->arg[0];
}

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

/* Worm number `slot` is to be injected then. */
static void inject_at(gms_time_t at_ps, unsigned slot, unsigned class_,
                      unsigned source, unsigned target)
{
    gms_worm_t *worm = &worms[slot];

    worm->source = source;
    worm->target = target;
    worm->class_ = (uint8_t)class_;
    worm->wire_bytes = BYTES;
    gms_engine_schedule(&ctx, &later, at_ps, ON_INJECT, worm, 0, 0);
}

static void run(void)
{
    gms_engine_run_until(&ctx, GMS_NEVER);
}

static void create(void)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    unsigned i;

    CU_ASSERT_FATAL(gms_fabric_create(&ctx, &params, NULL, &fabric, error) ==
                    GMS_OK);
    gms_fabric_expect_reserved(fabric);
    for (i = 0; i < NODES; ++i) {
        gms_fabric_port_t port = {NULL,       ON_SENT, ON_REQUEST,
                                  ON_ARRIVED, ON_COPY, ON_LOST};

        gms_fabric_attach(fabric, i, &port);
    }
}

static void setup(void)
{
    memset(&ctx, 0, sizeof(ctx));
    memset(worms, 0, sizeof(worms));
    memset(sent_ps, 0, sizeof(sent_ps));
    memset(arrived_ps, 0, sizeof(arrived_ps));
    memset(lost_ps, 0, sizeof(lost_ps));
    memset(refused, 0, sizeof(refused));
    memset(refuses, 0, sizeof(refuses));
    memset(asked, 0, sizeof(asked));
    ctx.self_rank = -1;
    gms_params_init(&params);
    params.hosts = NODES;
    params.link_bytes_s = 160000000;
    params.link_propagation_ps = P;
    params.switch_routing_ps = R;
    CU_ASSERT_FATAL(gms_arena_create_private(UINT64_C(16) << 20, &ctx.arena) ==
                        GMS_OK &&
                    gms_engine_create(ctx.arena, &ctx.engine) == GMS_OK);
    gms_fabric_register(&ctx);
    ctx.handlers[ON_SENT] = on_sent;
    ctx.handlers[ON_REQUEST] = on_request;
    ctx.handlers[ON_ARRIVED] = on_arrived;
    ctx.handlers[ON_COPY] = on_copy;
    ctx.handlers[ON_LOST] = on_lost;
    ctx.handlers[ON_INJECT] = on_inject;
    create();
}

static void teardown(void)
{
    gms_arena_destroy_private(ctx.arena);
}

static void test_classes(void)
{
    CHECK_U64(gms_fabric_classes(fabric), GMS_LANE_CLASSES);
    CHECK_U64(gms_fabric_control_class(fabric, RT), RT);
    params.undeclared = GMS_UNDECLARED_FREE;
    create();
    CHECK_U64(gms_fabric_classes(fabric), 1);
}

/* On a free route it takes as long as a worm. */
static void test_alone(void)
{
    inject_at(0, 0, RT, 0, 1);
    inject_at(0, 1, BE, 2, 3);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64(arrived_ps[1], 2 * P + R + S);
    CHECK_U64(sent_ps[0], S); /* a worm: R later, its tail waits for its head */
    CHECK_U64(worms[0].wire_ps, 2 * P + S);
    CHECK_U64(worms[0].switch_ps, R);
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
}

/* The second packet waits in the switch, and the link that it came by is free for
 * a third one to somewhere else. */
static void test_absorbed(void)
{
    inject_at(0, 0, RT, 0, 2);
    inject_at(GMS_NS, 1, RT, 1, 2);
    inject_at(S + GMS_NS, 2, RT, 1, 3);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64(arrived_ps[1], 2 * P + R + 2 * S);
    CHECK_U64(sent_ps[1], S + GMS_NS);
    CHECK_U64(arrived_ps[2], S + GMS_NS + 2 * P + R + S);
    CHECK_U64(worms[1].blocked_ps, S - GMS_NS);
}

/* With one buffer for each input the third packet stays where it is until the
 * second one's tail has left the switch. */
static void test_full_buffer(void)
{
    params.switch_reserved_packets = 1;
    params.nic_mtu_bytes = BYTES;
    create();
    inject_at(0, 0, RT, 0, 2);
    inject_at(GMS_NS, 1, RT, 1, 2);
    inject_at(S + GMS_NS, 2, RT, 1, 3);
    run();
    CHECK_U64(arrived_ps[1], 2 * P + R + 2 * S);
    CHECK_U64(arrived_ps[2], P + R + 2 * S + 2 * P + R + S);
}

/* Real time goes before control, and each is served by its arrival. */
static void test_order(void)
{
    inject_at(0, 0, RT, 0, 2);
    inject_at(GMS_NS, 1, CONTROL, 1, 2);
    inject_at(2 * GMS_NS, 2, RT, 3, 2);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64(arrived_ps[2], 2 * P + R + 2 * S);
    CHECK_U64(arrived_ps[1], 2 * P + R + 3 * S);
}

/* A best-effort worm stands still while a reserved packet crosses one of its
 * links, and for as long. */
static void test_pause(void)
{
    gms_link_use_t use;

    inject_at(0, 0, BE, 0, 1);
    inject_at(4 * GMS_US, 1, RT, 2, 1);
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

/* Two reserved packets on two of its links pause it once where they overlap. */
static void test_pause_overlap(void)
{
    inject_at(0, 0, BE, 0, 1);
    inject_at(4 * GMS_US, 1, RT, 2, 1); /* on the link to 1 from +P+R on */
    inject_at(8 * GMS_US, 2, RT, 0, 3); /* on the link from 0 */
    run();
    CHECK_U64(arrived_ps[1], 4 * GMS_US + 2 * P + R + S);
    CHECK_U64(arrived_ps[2], 8 * GMS_US + 2 * P + R + S);
    /* paused from 4 us + P + R to 8 us + S */
    CHECK_U64(arrived_ps[0], 2 * P + R + S + 4 * GMS_US + S - P - R);
}

/* One that is let in while reserved packets cross begins when they have. */
static void test_pause_at_start(void)
{
    inject_at(0, 0, RT, 0, 1);
    inject_at(GMS_NS, 1, BE, 2, 1);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64(arrived_ps[1], P + R + S + S);
}

/* Who waits for a link is told of its later end. */
static void test_pause_and_wait(void)
{
    inject_at(0, 0, BE, 0, 1);
    inject_at(GMS_US, 1, BE, 2, 1);
    inject_at(4 * GMS_US, 2, RT, 3, 1);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + 2 * S);
    /* the link is free when the first tail has entered it */
    CHECK_U64(arrived_ps[1], P + R + 2 * S + P + S);
}

/* A NIC without a buffer does not hold the link: another class gets through. */
static void test_refused(void)
{
    refuses[1] = 1;
    inject_at(0, 0, RT, 0, 1);
    run();
    CU_ASSERT_PTR_EQUAL_FATAL(refused[1], &worms[0]);
    refuses[1] = 0;
    inject_at(50 * GMS_US, 1, CONTROL, 2, 1);
    run();
    CHECK_U64(arrived_ps[1], 50 * GMS_US + 2 * P + R + S);
    inject_at(100 * GMS_US, 2, RT, 3, 1);
    run();
    CHECK_U64(asked[1], 2); /* the second one of a class does not ask yet */
    gms_fabric_accept(&ctx, fabric, refused[1]);
    run();
    CHECK_U64(arrived_ps[0] > 100 * GMS_US, 1);
    CHECK_U64(arrived_ps[2], arrived_ps[0] + S);
}

static void test_lost(void)
{
    gms_fault_rates_t rates = {.drop_ppm = 1000000};

    gms_fabric_set_fault_rates(fabric, &rates);
    inject_at(0, 0, RT, 0, 1);
    run();
    CHECK_U64(sent_ps[0], S);
    CHECK_U64(lost_ps[0], S);
    CHECK_U64(arrived_ps[0], 0);
    CHECK_U64(asked[1], 0);
}

/* A link that is down loses what wants it, and what waits behind it goes on when
 * it is up. */
static void test_link_down(void)
{
    uint32_t link = gms_topology_node_link(gms_fabric_topology(fabric), 1, 1);

    gms_fabric_link_down(&ctx, fabric, link, 50 * GMS_US);
    inject_at(0, 0, RT, 0, 1);
    inject_at(60 * GMS_US, 1, RT, 0, 1);
    run();
    CHECK_U64(lost_ps[0] > 0, 1);
    CHECK_U64(arrived_ps[0], 0);
    CHECK_U64(asked[1], 1);
    CHECK_U64(arrived_ps[1], 60 * GMS_US + 2 * P + R + S);
    CHECK_U64(gms_fabric_fault_counts(fabric)->lost_on_link, 1);
}

/* A NIC that has kept a buffer gets the packet, if only in pieces. */
static void test_link_breaks(void)
{
    uint32_t link = gms_topology_node_link(gms_fabric_topology(fabric), 1, 1);

    inject_at(0, 0, RT, 0, 1);
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
    inject_at(0, 0, RT, 0, 1);
    run();
    CHECK_U64(arrived_ps[0], 2 * P + R + S);
    CHECK_U64(arrived_ps[WORMS - 1], 2 * P + R + 2 * S);
    CHECK_U64(asked[1], 2);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"classes", test_classes},
        {"alone", test_alone},
        {"absorbed by the switch", test_absorbed},
        {"no buffer left", test_full_buffer},
        {"order of classes", test_order},
        {"a worm pauses", test_pause},
        {"pauses overlap", test_pause_overlap},
        {"a worm begins later", test_pause_at_start},
        {"a paused link is free later", test_pause_and_wait},
        {"a NIC without a buffer", test_refused},
        {"lost at its source", test_lost},
        {"a link that is down", test_link_down},
        {"a link that breaks", test_link_breaks},
        {"a packet that comes twice", test_twice},
        CU_TEST_INFO_NULL,
    };
    CU_SuiteInfo suites[] = {
        {"reserved lanes", NULL, NULL, setup, teardown, tests},
        CU_SUITE_INFO_NULL,
    };

    return unit_run(suites);
}
