/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends thousands of worms through all kinds of topologies. Every link fails
 * temporarily, packets are dropped, damaged, duplicated and delayed, and
 * targets delay heads. Times and lengths are multiples of a link's propagation
 * time. An outage therefore often begins at the same time as a head, a tail or
 * an answer arrives. After each step, the states of links and worms must be
 * consistent. At the end, all packets must be accounted for, all links must be
 * free, and all memory must have been returned.
 */
#include "fabric_rig.h"

enum {
    ON_ACCEPT = ON_OWN,
    ON_BREAK
};
enum {
    WORMS = 400, /* number of worms that each node sends */
    BREAKS = 3000
};

#define P     (50 * GMS_NS)
#define R     (300 * GMS_NS)
#define GRAIN 8u /* number of bytes that take the time P at 160 MB/s */

static gms_origin_t origin;
static gms_random_t chance;
static unsigned breaks, seen_waiting;

/* ---- stations ----------------------------------------------------------- */

static void inject_random(unsigned source, unsigned target)
{
    gms_worm_t *worm = gms_arena_alloc(ctx.arena, sizeof(*worm));

    CU_ASSERT_PTR_NOT_NULL_FATAL(worm);
    worm->source = source;
    worm->target = target;
    /* On average, one worm in four is short and can be shorter than its
     * route. */
    worm->wire_bytes = GRAIN * (uint32_t)(1 + gms_random_below(&chance, 8));
    if (gms_random_below(&chance, 4) != 0) {
        worm->wire_bytes *= 32;
    }
    gms_fabric_inject(&ctx, fabric, worm);
}

static void send_next(unsigned node)
{
    if (stations[node].to_send > 0) {
        --stations[node].to_send;
        inject_random(node, (unsigned)gms_random_below(&chance, fabric->nodes));
    }
}

/* Send the next worm either immediately or some time later. */
static void on_sent(gms_ctx_t *c, const gms_event_t *event)
{
    station_t *station = event->object;
    unsigned node = (unsigned)(station - stations);

    ++station->sent;
    if (gms_random_below(&chance, 2)) {
        send_next(node);
    } else {
        gms_engine_schedule(c, &origin,
                            event->time_ps + P * gms_random_below(&chance, 100),
                            ON_NEXT, NULL, node, 0);
    }
}

static void on_next(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    send_next((unsigned)event->arg[0]);
}

static void on_request(gms_ctx_t *c, const gms_event_t *event)
{
    station_t *station = event->object;

    CU_ASSERT_PTR_NULL(station->requesting);
    station->requesting = worm_of(event);
    gms_engine_schedule(c, &origin,
                        event->time_ps +
                            (gms_random_below(&chance, 3) == 0
                                 ? P * gms_random_below(&chance, 400)
                                 : 0),
                        ON_ACCEPT, station, 0, 0);
}

static void on_arrived(gms_ctx_t *c, const gms_event_t *event)
{
    station_t *station = event->object;
    gms_worm_t *worm = worm_of(event);

    CHECK_U64(worm->target, station - stations);
    rig_note(station, worm, event->time_ps);
    station->sum = station->sum * 31 + event->time_ps + worm->source +
                   256 * (uint64_t)worm->fate;
    gms_arena_free(c->arena, worm);
}

static void on_accept(gms_ctx_t *c, const gms_event_t *event)
{
    (void)c;
    accept_waiting((unsigned)((station_t *)event->object - stations));
}

/* Break a random link, in most cases for a short time. */
static void on_break(gms_ctx_t *c, const gms_event_t *event)
{
    uint32_t link = (uint32_t)gms_random_below(&chance, fabric->link_count);
    gms_time_t for_ps = P * (1 + gms_random_below(&chance, 20));

    if (gms_random_below(&chance, 8) == 0) {
        for_ps *= 50;
    }
    gms_fabric_link_down(c, fabric, link, event->time_ps + for_ps);
    if (--breaks > 0) {
        gms_engine_schedule(c, &origin,
                            event->time_ps + P * gms_random_below(&chance, 200),
                            ON_BREAK, NULL, 0, 0);
    }
}

/* ---- invariants ---- */

static int holds(const gms_worm_t *worm, uint32_t link)
{
    return gms_link_owner(&ctx, &fabric->links[link]) == worm;
}

/* A worm holds consecutive links of its route, up to the link on which its head
 * is. A duplicated worm holds only the last link; a lost worm has no head. */
static int holds_its_way(const gms_worm_t *worm)
{
    unsigned hop = worm->hop, i = 0;

    while (i <= hop && !holds(worm, worm->path->link[i])) {
        ++i;
    }
    for (; i <= hop; ++i) {
        if (!holds(worm, worm->path->link[i])) {
            return 0;
        }
    }
    return worm->link == worm->path->link[hop];
}

/* If a worm waits for a link at an input, it holds the link that leads to this
 * input. Another worm holds the link for which this worm waits. */
static unsigned check_waiting(uint32_t number)
{
    const gms_link_t *link = &fabric->links[number];
    unsigned at = gms_topology_from(fabric->topology, number)->index;
    unsigned ports = gms_topology_ports(fabric->topology, at), input, count = 0;
    unsigned bad = 0;

    for (input = 0; input < ports; ++input) {
        const gms_worm_t *worm = link->waiting[input];
        const gms_link_end_t *to;

        if (worm == NULL) {
            continue;
        }
        ++count;
        to = gms_topology_to(fabric->topology, worm->link);
        bad += to->kind != GMS_END_SWITCH || to->index != at ||
               to->port != input || !holds(worm, worm->link) ||
               worm->path->link[worm->hop + 1] != number ||
               (worm->fate & (GMS_WORM_LOST | GMS_WORM_SEVERED)) != 0;
    }
    bad += count != link->waiting_count || (count > 0 && holds(NULL, number));
    seen_waiting += count;
    return bad;
}

static void check_links(void)
{
    unsigned bad = 0;
    uint32_t number;

    for (number = 0; number < fabric->link_count; ++number) {
        const gms_worm_t *owner = gms_link_owner(&ctx, &fabric->links[number]);

        if (owner != NULL &&
            (owner->fate & (GMS_WORM_ECHO | GMS_WORM_LOST)) == 0) {
            bad += !holds_its_way(owner);
        }
        if (number >= fabric->nodes) {
            bad += check_waiting(number);
        }
    }
    CHECK_U64(bad, 0);
}

static void run_checked(void)
{
    unsigned step = 0;

    while (!gms_engine_is_idle(ctx.engine)) {
        gms_engine_step(&ctx);
        if (++step % 16 == 0) {
            check_links();
        }
    }
    check_links();
}

static void check_counts(uint64_t worms)
{
    const gms_fault_counts_t *counts = gms_fabric_fault_counts(fabric);
    uint64_t sent = 0, arrived = 0, header = 0, payload = 0;
    uint32_t i;

    for (i = 0; i < fabric->nodes; ++i) {
        sent += stations[i].sent;
        arrived += stations[i].arrived;
        header += stations[i].damaged_header;
        payload += stations[i].damaged_payload;
        CU_ASSERT_PTR_NULL(stations[i].requesting);
    }
    CHECK_U64(sent, worms);
    CHECK_U64(arrived + counts->dropped + counts->lost_on_link,
              worms + counts->duplicated);
    CHECK_U64(header, counts->damaged_header + counts->cut_short);
    CHECK_U64(payload, counts->damaged_payload);
    for (i = 0; i < fabric->link_count; ++i) {
        CU_ASSERT_TRUE(holds(NULL, i));
        CHECK_U64(fabric->links[i].waiting_count, 0);
    }
}

/* ---- runs --------------------------------------------------------------- */

static uint64_t used(void)
{
    uint64_t bytes, total;

    gms_arena_usage(ctx.arena, &bytes, &total);
    return bytes;
}

/* Send from every node to every node, without faults. @return number of
 * worms */
static uint64_t run_all_pairs(void)
{
    uint32_t source, target;

    for (target = 0; target < fabric->nodes; ++target) {
        for (source = 0; source < fabric->nodes; ++source) {
            inject_random(source, target);
        }
        run_checked();
    }
    return (uint64_t)fabric->nodes * fabric->nodes;
}

static uint64_t run(const gms_graph_t *graph, uint64_t seed)
{
    static const gms_fault_rates_t rates = {30000, 50000,  50000,
                                            90000, 100000, 20};
    static const gms_fault_rates_t none;
    const gms_fault_counts_t *counts;
    uint64_t worms, before, sum = 0;
    unsigned i;

    memset(&origin, 0, sizeof(origin));
    rig_open(64, graph);
    gms_random_init(&chance, seed, 1);
    worms = run_all_pairs();
    check_counts(worms);
    before = used();
    gms_fabric_set_fault_rates(fabric, &rates);
    breaks = BREAKS;
    seen_waiting = 0;
    gms_engine_schedule(&ctx, &origin, gms_engine_now(ctx.engine), ON_BREAK,
                        NULL, 0, 0);
    for (i = 0; i < fabric->nodes; ++i) {
        stations[i].to_send = WORMS;
        send_next(i);
    }
    run_checked();
    worms += (uint64_t)fabric->nodes * WORMS;
    check_counts(worms);
    CHECK_U64(used(), before);
    counts = gms_fabric_fault_counts(fabric);
    CU_ASSERT(counts->dropped > 0 && counts->duplicated > 0 &&
              counts->lost_on_link > 0 && counts->cut_short > 0 &&
              counts->delayed > 0 &&
              (seen_waiting > 0 || fabric->table != NULL));
    gms_fabric_set_fault_rates(fabric, &none);
    check_counts(worms + run_all_pairs());
    for (i = 0; i < fabric->nodes; ++i) {
        sum = sum * 31 + stations[i].sum;
    }
    return sum;
}

static void run_seeds(const gms_graph_t *graph)
{
    uint64_t seeds = 2, seed, sum = 0;
    const char *more = getenv("GMQOS_STRESS_SEEDS");

    if (more != NULL) {
        seeds = strtoull(more, NULL, 10);
    }
    for (seed = 1; seed <= seeds; ++seed) {
        params.seed = seed;
        sum = run(graph, seed);
    }
    CHECK_U64(run(graph, seeds), sum);
}

static void shape(unsigned kind, unsigned hosts, unsigned ports,
                  unsigned hosts_per_switch)
{
    params.topology = kind;
    params.hosts = hosts;
    params.switch_ports = ports;
    params.hosts_per_switch = hosts_per_switch;
}

static void setup(void)
{
    rig_context();
    ctx.handlers[ON_SENT] = on_sent;
    ctx.handlers[ON_REQUEST] = on_request;
    ctx.handlers[ON_ARRIVED] = on_arrived;
    ctx.handlers[ON_NEXT] = on_next;
    ctx.handlers[ON_ACCEPT] = on_accept;
    ctx.handlers[ON_BREAK] = on_break;
    rig_params(P, R);
    rig_port.on_copy = ON_COPY;
}

static void setup_cut_through(void)
{
    setup();
    params.fabric_model = GMS_FABRIC_CUT_THROUGH;
}

static void test_crossbar(void)
{
    shape(GMS_TOPOLOGY_CROSSBAR, 8, 8, 0);
    run_seeds(NULL);
}

static void test_cascade(void)
{
    shape(GMS_TOPOLOGY_CASCADE, 12, 5, 3);
    run_seeds(NULL);
}

static void test_clos(void)
{
    shape(GMS_TOPOLOGY_CLOS, 16, 4, 0);
    run_seeds(NULL);
}

static void test_fat_tree(void)
{
    shape(GMS_TOPOLOGY_FAT_TREE, 18, 8, 3);
    params.tree_up = 1;
    run_seeds(NULL);
}

static void test_mesh(void)
{
    shape(GMS_TOPOLOGY_MESH, 18, 8, 2);
    params.rows = 3;
    params.columns = 3;
    run_seeds(NULL);
}

static void test_torus(void)
{
    shape(GMS_TOPOLOGY_TORUS, 20, 8, 1);
    params.rows = 4;
    params.columns = 5;
    run_seeds(NULL);
}

/* Describe a graph with two cables between switches 0 and 1, a ring of
 * switches, and a host that is alone on its switch. */
static void test_graph(void)
{
    uint32_t ports[] = {8, 8, 4};
    gms_cable_t cables[] = {
        {{GMS_END_NODE, 0, 0}, {GMS_END_SWITCH, 0, 7}, 0},
        {{GMS_END_NODE, 1, 0}, {GMS_END_SWITCH, 0, 2}, 0},
        {{GMS_END_SWITCH, 1, 1}, {GMS_END_NODE, 2, 0}, 0},
        {{GMS_END_NODE, 3, 0}, {GMS_END_SWITCH, 1, 0}, 0},
        {{GMS_END_NODE, 4, 0}, {GMS_END_SWITCH, 2, 3}, 0},
        {{GMS_END_SWITCH, 0, 0}, {GMS_END_SWITCH, 1, 5}, 0},
        {{GMS_END_SWITCH, 0, 1}, {GMS_END_SWITCH, 1, 4}, 0},
        {{GMS_END_SWITCH, 1, 7}, {GMS_END_SWITCH, 2, 0}, 0},
        {{GMS_END_SWITCH, 2, 1}, {GMS_END_SWITCH, 0, 6}, 0},
    };
    gms_graph_t graph = {.switch_count = 3,
                         .cable_count = sizeof(cables) / sizeof(cables[0]),
                         .switch_ports = ports,
                         .cables = cables};

    shape(GMS_TOPOLOGY_GRAPH, 5, 16, 0);
    run_seeds(&graph);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"crossbar", test_crossbar}, {"cascade", test_cascade},
        {"Clos network", test_clos}, {"fat tree", test_fat_tree},
        {"mesh", test_mesh},         {"torus", test_torus},
        {"graph", test_graph},       CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"stress", NULL, NULL, setup, rig_close, tests},
                    {"stress, cut-through", NULL, NULL, setup_cut_through,
                     rig_close, tests});
}
