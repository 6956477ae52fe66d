/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests worms that pass through several switches. Checks which links are held
 * by waiting worms, the order in which worms proceed, and the effect of a link
 * that breaks in the middle of a route. Times are computed by hand from these
 * values:
 *
 *  P: propagation time of a link, R: routing time of a switch, S: transmission
 *  time of a packet
 */
#include "fabric_rig.h"

enum {
    ON_TICK = ON_OWN
};
#define P (50 * GMS_NS)
#define R (300 * GMS_NS)
#define S (10 * GMS_US) /* transmission time of RIG_BYTES at 160 MB/s */

/* Accept the head that is waiting at a node, and let the node accept all later
 * heads. */
static void accept_from_now(unsigned node)
{
    stations[node].refuses = 0;
    accept_waiting(node);
}

static void on_tick(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    (void)event;
}

/* Run all events up to this time, inclusive, and advance the clock to this
 * time. */
static void run_to(gms_time_t at_ps)
{
    static gms_origin_t last = {.id = GMS_ORIGIN_MAX};

    gms_engine_schedule(&ctx, &last, at_ps, ON_TICK, NULL, 0, 0);
    gms_engine_run_until(&ctx, at_ps + 1);
}

static uint32_t link_of(const char *name)
{
    uint32_t link = GMS_LINK_NONE;

    CU_ASSERT_EQUAL_FATAL(
        gms_topology_find_link(gms_fabric_topology(fabric), name, &link),
        GMS_OK);
    return link;
}

static int is_held(const char *name)
{
    return gms_link_owner(&ctx, &fabric->links[link_of(name)]) != NULL;
}

static unsigned waiting_for(const char *name)
{
    return fabric->links[link_of(name)].waiting_count;
}

/* Check that no worm holds a link or waits for a link. */
static void check_rest(void)
{
    uint32_t link;

    for (link = 0; link < fabric->link_count; ++link) {
        CU_ASSERT_PTR_NULL(gms_link_owner(&ctx, &fabric->links[link]));
        CHECK_U64(fabric->links[link].waiting_count, 0);
    }
}

static void build(unsigned kind, unsigned hosts)
{
    params.topology = kind;
    params.hosts = hosts;
    rig_open(16, NULL);
}

/* Nodes 0, 1, 2 are on switch 0, and nodes 3, 4, 5 are on switch 1. A cable
 * connects port 3 of both switches. */
static void build_two(void)
{
    params.switch_ports = 4;
    build(GMS_TOPOLOGY_CASCADE, 6);
}

static void setup(void)
{
    rig_context();
    ctx.handlers[ON_TICK] = on_tick;
    rig_params(P, R);
    build_two();
}

/* ---- waiting ------------------------------------------------------------ */

static void test_alone(void)
{
    inject(0, 3);
    run_dry();
    CHECK_U64(stations[3].request_ps, 3 * P + 2 * R);
    CHECK_U64(stations[3].arrived_ps, 3 * P + 2 * R + S);
    CHECK_U64(stations[0].sent_ps, 2 * R + S);
    CHECK_U64(stations[3].wire_ps, 3 * P + S);
    CHECK_U64(stations[3].switch_ps, 2 * R);
    check_rest();
}

/* The tail of a worm enters successive links at intervals of P. */
static void test_release_order(void)
{
    gms_time_t end_ps = 3 * P + 2 * R + S;

    inject(0, 3);
    run_to(end_ps - 3 * P);
    CU_ASSERT_FALSE(is_held("node 1 to switch 0"));
    CU_ASSERT(is_held("switch 0 port 3 to switch 1"));
    run_to(end_ps - 2 * P - 1);
    CU_ASSERT(is_held("switch 0 port 3 to switch 1"));
    run_to(end_ps - 2 * P);
    CU_ASSERT_FALSE(is_held("switch 0 port 3 to switch 1"));
    CU_ASSERT(is_held("switch 1 port 0 to node 4"));
    run_to(end_ps - P);
    check_rest();
}

/* Node 3 does not accept worms, so its worm holds the link between the
 * switches. A worm for node 4 waits for this link, although node 4 is free. A
 * later worm from the same source to node 2 also waits, because the source has
 * not finished its first worm. */
static void test_head_of_line(void)
{
    gms_time_t taken_ps = 100 * GMS_US, freed_ps = taken_ps + S - 2 * P;

    stations[3].refuses = 1;
    inject(0, 3);
    inject_at(GMS_US, 1, 4);
    stations[1].to_send = 1;
    stations[1].target = 2;
    run_to(taken_ps);
    /* in the opposite direction, the link between the switches is free */
    inject(5, 0);
    CHECK_U64(stations[0].sent + stations[1].sent, 0);
    CHECK_U64(waiting_for("switch 0 port 3 to switch 1"), 1);
    accept_from_now(3);
    run_dry();
    CHECK_U64(stations[3].arrived_ps, taken_ps + S);
    CHECK_U64(stations[0].sent_ps, taken_ps + S - 3 * P);
    CHECK_U64(stations[4].request_ps, freed_ps + P + R + P);
    CHECK_U64(stations[4].arrived_ps, freed_ps + 2 * P + R + S);
    /* The worm's wait in switch 0 began P + R after its injection. */
    CHECK_U64(stations[4].switch_ps, R + (freed_ps - (GMS_US + P + R)) + R);
    CHECK_U64(stations[4].wire_ps, 3 * P + S);
    CHECK_U64(stations[2].request_ps,
              freed_ps + 2 * P + R + S - 3 * P + 2 * P + R);
    CHECK_U64(stations[0].arrived_ps, taken_ps + 3 * P + 2 * R + S);
    check_rest();
}

/* A worm that waits in the second switch holds the link between the switches. A
 * third worm, which waits for this link, waits for both other worms. */
static void test_waits_in_the_second_switch(void)
{
    gms_time_t first_ps = 2 * P + R + S; /* a worm from node 4 to node 3, within
                                          * switch 1 */
    /* a worm from node 0 to node 3, which receives port 0 at first_ps - P */
    gms_time_t second_ps = first_ps + S;
    gms_time_t third_ps = second_ps - 2 * P + 2 * P + R + S;

    inject(4, 3);
    inject(0, 3);
    inject(1, 5);
    run_to(2 * P + 2 * R);
    CHECK_U64(waiting_for("switch 1 port 0 to node 4"), 1);
    CHECK_U64(waiting_for("switch 0 port 3 to switch 1"), 1);
    CU_ASSERT_FALSE(is_held("switch 1 port 2 to node 6"));
    run_dry();
    CHECK_U64(stations[3].order[0], 4);
    CHECK_U64(stations[3].order[1], 0);
    CHECK_U64(stations[3].arrived_ps, second_ps);
    CHECK_U64(stations[5].arrived_ps, third_ps);
    check_rest();
}

/* Turns are assigned by input port, not by source. All worms from switch 0
 * together have as many turns as node 4 alone. [source: gulati 2001 thesis
 * figure 2.4] */
static void test_two_levels_of_turns(void)
{
    unsigned i, count[6] = {0};

    for (i = 0; i < 5; ++i) {
        if (i != 3) {
            stations[i].target = 3;
            stations[i].to_send = 99;
            inject(i, 3);
        }
    }
    while (stations[3].arrived < 30) {
        gms_engine_step(&ctx);
    }
    for (i = 0; i < 30; ++i) {
        ++count[stations[3].order[i]];
    }
    CHECK_U64(count[4], 15);
    CHECK_U64(count[0], 5);
    CHECK_U64(count[1], 5);
    CHECK_U64(count[2], 5);
    for (i = 10; i < 30; ++i) {
        CU_ASSERT((stations[3].order[i] == 4) !=
                  (stations[3].order[i - 1] == 4));
    }
}

/* A worm that receives a port without waiting still uses up its input's turn.
 * After input 1, the port therefore serves input 2 before input 0. */
static void test_free_port_is_a_turn(void)
{
    inject(1, 3);
    inject_at(GMS_US, 0, 4);
    inject_at(GMS_US, 2, 4);
    run_dry();
    CHECK_U64(stations[4].order[0], 2);
    CHECK_U64(stations[4].order[1], 0);
}

/* ---- deadlock ----------------------------------------------------------- */

/* Around a ring of four switches, each route leads to the second switch on the
 * right, regardless of the topology's routing. Each worm waits for the link
 * that the next worm holds. */
static void test_cycle_deadlocks(void)
{
    static const char *const ring[] = {
        "switch 0 port 1 to switch 1", "switch 1 port 1 to switch 2",
        "switch 2 port 1 to switch 3", "switch 3 port 1 to switch 0"};
    unsigned i;

    params.rows = 1;
    params.columns = 4;
    build(GMS_TOPOLOGY_TORUS, 4);
    for (i = 0; i < 4; ++i) {
        gms_path_t *path =
            gms_arena_alloc(ctx.arena, sizeof(*path) + 4 * sizeof(uint32_t));
        unsigned target = (i + 2) % 4;

        path->count = 4;
        path->link[0] = i;
        path->link[1] = link_of(ring[i]);
        path->link[2] = link_of(ring[(i + 1) % 4]);
        path->link[3] = gms_fabric_link_of(fabric, target, 1);
        fabric->paths[i] =
            gms_arena_alloc(ctx.arena, 4 * sizeof(*fabric->paths[i]));
        fabric->paths[i][target] = path;
        inject(i, target);
    }
    run_dry();
    for (i = 0; i < 4; ++i) {
        CHECK_U64(stations[i].sent, 0);
        CHECK_U64(stations[i].arrived, 0);
        CU_ASSERT(is_held(ring[i]));
        CHECK_U64(waiting_for(ring[i]), 1);
    }

    /* Send the same worms on the routes of updown routing. */
    build(GMS_TOPOLOGY_TORUS, 4);
    for (i = 0; i < 4; ++i) {
        inject(i, (i + 2) % 4);
    }
    run_dry();
    for (i = 0; i < 4; ++i) {
        CHECK_U64(stations[i].arrived, 1);
    }
    check_rest();
}

/* ---- links in the middle of a route -------------------------------------- */

static void test_inner_link_is_down(void)
{
    gms_fabric_link_down(&ctx, fabric, link_of("switch 0 port 3 to switch 1"),
                         20 * GMS_US);
    inject(0, 3);
    stations[0].target = 4;
    stations[0].to_send = 1;
    inject_at(GMS_US, 5, 1); /* the cable still works in the other direction */
    run_dry();
    CHECK_U64(gms_fabric_fault_counts(fabric)->lost_on_link, 2);
    CHECK_U64(stations[0].sent, 2);
    /* Each of the two worms is lost when the time P + R has passed since its
     * injection. The source still sends the whole worm, but it does not arrive
     * at any node. */
    CHECK_U64(stations[0].sent_ps, 2 * (P + R + S));
    CHECK_U64(stations[3].arrived + stations[4].arrived, 0);
    CHECK_U64(stations[1].arrived, 1);
    check_rest();
    inject(0, 3);
    run_dry();
    CHECK_U64(stations[3].arrived, 1);
}

/* A worm is waiting in switch 1 when the link behind it breaks. The worm is
 * lost, and after a further time S, all its links are free. If the link is
 * still down, the worm that has waited behind the lost worm is also lost.
 * If the link is up again, the second worm arrives. */
static void check_break_behind(gms_time_t down_ps, unsigned arrived)
{
    gms_time_t broken_ps = 20 * GMS_US;

    build_two();
    stations[3].refuses = 1;
    inject(4, 3); /* this worm uses the port to node 3 */
    inject(0, 3);
    inject(1, 5);
    run_to(broken_ps);
    CHECK_U64(waiting_for("switch 1 port 0 to node 4"), 1);
    gms_fabric_link_down(&ctx, fabric, link_of("switch 0 port 3 to switch 1"),
                         broken_ps + down_ps);
    CHECK_U64(waiting_for("switch 1 port 0 to node 4"), 0);
    run_to(broken_ps + S - 1);
    CU_ASSERT(is_held("node 1 to switch 0"));
    CU_ASSERT(is_held("switch 0 port 3 to switch 1"));
    run_dry();
    CHECK_U64(stations[0].sent_ps, broken_ps + S);
    CHECK_U64(stations[5].arrived, arrived);
    CHECK_U64(gms_fabric_fault_counts(fabric)->lost_on_link, 2 - arrived);
    if (arrived) {
        CHECK_U64(stations[5].arrived_ps, broken_ps + S + 2 * P + R + S);
    } else {
        CHECK_U64(stations[1].sent_ps, broken_ps + S + S);
    }
    accept_from_now(3);
    run_dry();
    CHECK_U64(stations[3].arrived, 1);
    check_rest();
}

static void test_inner_link_breaks_behind_a_waiting_worm(void)
{
    check_break_behind(S, 1);
    check_break_behind(S + 1, 0);
}

/* The head is already on the last link when a link behind it breaks. The worm
 * arrives damaged, at the usual time. */
static void test_inner_link_breaks_under_a_stream(void)
{
    inject(0, 3);
    run_to(5 * GMS_US);
    gms_fabric_link_down(&ctx, fabric, link_of("switch 0 port 3 to switch 1"),
                         6 * GMS_US);
    run_dry();
    CHECK_U64(stations[3].arrived_ps, 3 * P + 2 * R + S);
    CHECK_U64(stations[3].damaged_header, 1);
    CHECK_U64(gms_fabric_fault_counts(fabric)->cut_short, 1);
    CHECK_U64(gms_fabric_fault_counts(fabric)->lost_on_link, 0);
    check_rest();
}

/* The network has three switches in a row. The head is between the last two
 * switches when the previous link breaks. The head reaches switch 2; then the
 * worm is lost. */
static void test_inner_link_breaks_behind_a_head(void)
{
    gms_time_t lost_ps = 3 * P + 3 * R;

    params.hosts_per_switch = 2;
    build(GMS_TOPOLOGY_CASCADE, 6);
    inject(0, 4);
    run_to(2 * P + 2 * R);
    CU_ASSERT(is_held("switch 1 port 3 to switch 2"));
    gms_fabric_link_down(&ctx, fabric, link_of("switch 0 port 3 to switch 1"),
                         3 * GMS_US);
    inject_at(4 * GMS_US, 2, 5); /* this worm waits for the link between
                                  * switches 1 and 2 */
    run_to(lost_ps);
    CHECK_U64(stations[0].sent, 0);
    CU_ASSERT_FALSE(is_held("switch 2 port 0 to node 5"));
    run_dry();
    CHECK_U64(gms_fabric_fault_counts(fabric)->lost_on_link, 1);
    CHECK_U64(stations[0].sent_ps, lost_ps + S);
    CHECK_U64(stations[4].arrived, 0);
    CHECK_U64(stations[5].arrived_ps, lost_ps + S + 2 * P + R + S);
    check_rest();
}

/* Send random traffic through a Clos network of 4-port switches in which every
 * link fails temporarily. Every packet must be accounted for, and no link may
 * remain held. */
static uint64_t run_outages(uint64_t seed)
{
    uint64_t sum = 0, arrived = 0;
    unsigned i;
    const gms_fault_counts_t *counts;
    gms_random_t random;

    params.seed = seed;
    params.switch_ports = 4;
    params.hosts_per_switch = 0;
    params.fault_outages_per_s = 20000;
    params.fault_outage_us = 50;
    build(GMS_TOPOLOGY_CLOS, 16);
    gms_random_init(&random, seed, 1);
    for (i = 0; i < 16; ++i) {
        stations[i].target = (uint32_t)gms_random_below(&random, 16);
        stations[i].to_send = 500;
        inject(i, stations[i].target);
    }
    run_dry();
    counts = gms_fabric_fault_counts(fabric);
    for (i = 0; i < 16; ++i) {
        CHECK_U64(stations[i].sent, 501);
        arrived += stations[i].arrived;
        sum = sum * 31 + stations[i].sum;
    }
    CHECK_U64(arrived + counts->lost_on_link, 16 * 501);
    CU_ASSERT(counts->lost_on_link > 20);
    CU_ASSERT(counts->cut_short > 20);
    check_rest();
    return sum;
}

static void test_random_outages(void)
{
    uint64_t first = run_outages(1);

    CHECK_U64(run_outages(1), first);
    CU_ASSERT_NOT_EQUAL(run_outages(2), first);
}

int main(void)
{
    CU_TestInfo waiting[] = {
        {"one packet through two switches", test_alone},
        {"links become free one by one", test_release_order},
        {"head-of-line blocking", test_head_of_line},
        {"a worm waits in the second switch", test_waits_in_the_second_switch},
        {"input ports take turns", test_two_levels_of_turns},
        {"using a free port counts as a turn", test_free_port_is_a_turn},
        {"a cycle deadlocks", test_cycle_deadlocks},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo broken[] = {
        {"a link between switches is down", test_inner_link_is_down},
        {"a link breaks behind a waiting worm",
         test_inner_link_breaks_behind_a_waiting_worm},
        {"a link breaks while a worm crosses it",
         test_inner_link_breaks_under_a_stream},
        {"a link breaks behind the head of a worm",
         test_inner_link_breaks_behind_a_head},
        {"random outages", test_random_outages},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"waiting", NULL, NULL, setup, rig_close, waiting},
                    {"broken links", NULL, NULL, setup, rig_close, broken});
}
