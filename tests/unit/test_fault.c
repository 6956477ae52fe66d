/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests faults in the fabric. Stations replace the NICs, and count the packets
 * that arrive.
 */
#include "fabric_rig.h"

enum {
    ON_ACCEPT_AND_BREAK = ON_OWN
};
enum {
    NODES = 4,
    MANY = 20000
};

#define PROPAGATION (50 * GMS_NS)
#define ROUTING     (300 * GMS_NS)
#define STREAM      (10 * GMS_US) /* time to send RIG_BYTES at 160 MB/s */

static void run_to(gms_time_t at_ps)
{
    gms_engine_run_until(&ctx, at_ps);
}

/* Build the fabric again to compare two runs. */
static void build(void)
{
    unsigned i;

    rig_open(16, NULL);
    for (i = 0; i < NODES; ++i) {
        stations[i].target = (i + 1) % NODES;
    }
}

static void setup(void)
{
    rig_context();
    rig_params(PROPAGATION, ROUTING);
    params.hosts = NODES;
    rig_port.on_copy = ON_COPY;
    build();
}

static const gms_fault_counts_t *counts(void)
{
    return gms_fabric_fault_counts(fabric);
}

/* ---- effects of random faults ---- */

static void test_dropped(void)
{
    gms_fault_rates_t rates = {.drop_ppm = 1000000};
    uint64_t used, before, total;

    gms_fabric_set_fault_rates(fabric, &rates);
    inject(0, 1);
    run_dry();
    CHECK_U64(stations[0].sent, 1);
    CHECK_U64(stations[0].sent_ps, STREAM);
    CHECK_U64(stations[1].arrived, 0);
    CHECK_U64(counts()->dropped, 1);
    /* the fabric stores the route */
    gms_arena_usage(ctx.arena, &before, &total);
    inject(0, 1);
    run_dry();
    CHECK_U64(counts()->dropped, 2);
    gms_arena_usage(ctx.arena, &used, &total);
    CHECK_U64(used, before); /* the packet's memory is free again */
}

static void test_damaged(void)
{
    gms_fault_rates_t header = {.damage_header_ppm = 1000000};
    gms_fault_rates_t both = {.damage_header_ppm = 1000000,
                              .damage_payload_ppm = 1000000};

    gms_fabric_set_fault_rates(fabric, &header);
    inject(0, 1);
    run_dry();
    CHECK_U64(stations[1].damaged_header, 1);
    CU_ASSERT_TRUE(stations[1].damage != 0);
    /* The packet is counted only once, for the damage that a NIC detects
     * first. */
    gms_fabric_set_fault_rates(fabric, &both);
    inject(0, 1);
    run_dry();
    CHECK_U64(stations[1].damaged_header, 2);
    CHECK_U64(counts()->damaged_header, 2);
    CHECK_U64(counts()->damaged_payload, 0);
}

static void test_duplicated(void)
{
    gms_fault_rates_t rates = {.duplicate_ppm = 1000000};

    gms_fabric_set_fault_rates(fabric, &rates);
    inject(0, 1);
    run_dry();
    CHECK_U64(stations[0].sent, 1);
    CHECK_U64(stations[1].arrived, 2);
    CHECK_U64(counts()->duplicated, 1);
    /* The copy follows the first packet immediately and uses its last link. */
    CHECK_U64(stations[1].arrived_ps,
              2 * PROPAGATION + ROUTING + STREAM + STREAM);
    CHECK_U64(gms_fabric_packets(fabric), 1);
}

/* The copy arrives at a NIC that is full. All worms behind the copy wait, but
 * none is lost. */
static void test_duplicate_waits(void)
{
    gms_fault_rates_t rates = {.duplicate_ppm = 1000000};
    gms_fault_rates_t none = {.drop_ppm = 0};

    gms_fabric_set_fault_rates(fabric, &rates);
    inject(0, 1);
    run_to(GMS_US);
    gms_fabric_set_fault_rates(fabric, &none);
    stations[1].refuses = 1;
    inject_at(2 * GMS_US, 2, 1);
    run_dry();
    CHECK_U64(stations[1].arrived, 1);
    CU_ASSERT_PTR_NOT_NULL_FATAL(stations[1].requesting);
    CU_ASSERT_TRUE(stations[1].requesting->fate == GMS_WORM_ECHO);
    stations[1].refuses = 0;
    accept_waiting(1);
    run_dry();
    CHECK_U64(stations[1].arrived, 3);
}

/* The last link breaks while it is transferring the first packet. The copy does
 * not enter this link. */
static void test_duplicate_of_one_cut_short(void)
{
    gms_fault_rates_t rates = {.duplicate_ppm = 1000000};

    gms_fabric_set_fault_rates(fabric, &rates);
    inject(0, 1);
    run_to(5 * GMS_US);
    gms_fabric_link_down(&ctx, fabric, gms_fabric_link_of(fabric, 1, 1),
                         GMS_SECOND);
    run_dry();
    CHECK_U64(stations[1].arrived, 1);
    CHECK_U64(stations[1].damaged_header, 1);
    CHECK_U64(counts()->cut_short, 1);
    CHECK_U64(counts()->duplicated, 0);
    gms_fabric_set_fault_rates(fabric, &(gms_fault_rates_t){0});
    inject(2, 1);
    run_to(20 * GMS_US);
    CHECK_U64(counts()->lost_on_link, 1);
}

static void test_delayed(void)
{
    gms_fault_rates_t rates = {.delay_ppm = 1000000, .delay_max_us = 50};
    gms_time_t plain = 2 * PROPAGATION + ROUTING + STREAM;

    gms_fabric_set_fault_rates(fabric, &rates);
    inject(0, 1);
    run_dry();
    /* the delay does not change the time at the source */
    CHECK_U64(stations[0].sent_ps, ROUTING + STREAM);
    CU_ASSERT_TRUE(stations[1].arrived_ps > plain);
    CU_ASSERT_TRUE(stations[1].arrived_ps <= plain + 50 * GMS_US);
    CHECK_U64(counts()->delayed, 1);
}

static void run_many(uint64_t seed)
{
    gms_fault_rates_t rates = {.drop_ppm = 100000,
                               .damage_header_ppm = 50000,
                               .damage_payload_ppm = 50000,
                               .duplicate_ppm = 20000,
                               .delay_ppm = 30000,
                               .delay_max_us = 20};
    unsigned i;

    params.seed = seed;
    build();
    gms_fabric_set_fault_rates(fabric, &rates);
    for (i = 0; i < NODES; ++i) {
        stations[i].to_send = MANY / NODES - 1;
        inject(i, (i + 1) % NODES);
    }
    run_dry();
}

static void test_rates_are_met_and_repeat(void)
{
    unsigned arrived = 0, header = 0, payload = 0, i;
    uint64_t sum[NODES];

    run_many(7);
    for (i = 0; i < NODES; ++i) {
        arrived += stations[i].arrived;
        header += stations[i].damaged_header;
        payload += stations[i].damaged_payload;
        sum[i] = stations[i].sum;
    }
    /* a difference of five standard deviations is allowed */
    CHECK_NEAR((double)counts()->dropped, 0.1 * MANY, 0.106);
    CHECK_NEAR((double)counts()->duplicated, 0.9 * 0.02 * MANY, 0.27);
    CHECK_NEAR((double)counts()->delayed, 0.9 * 0.03 * MANY, 0.22);
    CHECK_NEAR((double)header, 0.9 * 0.05 * MANY, 0.17);
    CHECK_NEAR((double)payload, 0.9 * 0.95 * 0.05 * MANY, 0.17);
    /* The fabric's counters must equal the stations' counters. */
    CHECK_U64(arrived, MANY - counts()->dropped + counts()->duplicated);
    CHECK_U64(header, counts()->damaged_header);
    CHECK_U64(payload, counts()->damaged_payload);
    run_many(7);
    for (i = 0; i < NODES; ++i) {
        CHECK_U64(stations[i].sum, sum[i]);
    }
    run_many(8);
    CU_ASSERT_TRUE(stations[0].sum != sum[0]);
}

/* The faults at one node do not depend on the traffic of other nodes. */
static void test_nodes_have_their_own_chances(void)
{
    gms_fault_rates_t rates = {.drop_ppm = 300000};
    unsigned alone;

    gms_fabric_set_fault_rates(fabric, &rates);
    stations[0].to_send = 999;
    inject(0, 1);
    run_dry();
    alone = stations[1].arrived;
    build();
    gms_fabric_set_fault_rates(fabric, &rates);
    stations[0].to_send = 999;
    stations[2].to_send = 100;
    inject(0, 1);
    inject(2, 3);
    run_dry();
    CHECK_U64(stations[1].arrived, alone);
}

static void test_calm(void)
{
    gms_fault_rates_t rates = {.drop_ppm = 1000000};

    gms_fabric_set_fault_rates(fabric, &rates);
    gms_fabric_calm(fabric, 100 * GMS_US);
    inject(0, 1);
    inject_at(100 * GMS_US, 0, 1);
    run_dry();
    CHECK_U64(stations[1].arrived, 1);
    CHECK_U64(stations[0].sent, 2);
}

/* ---- links -------------------------------------------------------------- */

static void test_link_down_before(void)
{
    gms_fabric_link_down(&ctx, fabric, gms_fabric_link_of(fabric, 0, 0),
                         20 * GMS_US);
    inject(0, 1);
    inject_at(20 * GMS_US, 0, 2);
    run_dry();
    CHECK_U64(stations[0].sent, 2); /* the lost worm used its links for the
                                     * usual time */
    CHECK_U64(stations[1].arrived, 0);
    CHECK_U64(stations[2].arrived, 1);
    CHECK_U64(counts()->lost_on_link, 1);
    CHECK_U64(counts()->links_down, 1);
}

static void test_last_link_down(void)
{
    gms_fabric_link_down(&ctx, fabric, gms_fabric_link_of(fabric, 1, 1),
                         GMS_NEVER);
    inject(0, 1);
    inject(2, 1);
    inject(1, 3); /* the cable still works in the other direction */
    run_dry();
    CHECK_U64(stations[0].sent, 1);
    CHECK_U64(stations[2].sent, 1);
    CHECK_U64(stations[1].arrived, 0);
    CHECK_U64(stations[3].arrived, 1);
    CHECK_U64(counts()->lost_on_link, 2);
    inject(0, 3); /* the links of lost worms are free again */
    run_dry();
    CHECK_U64(stations[3].arrived, 2);
}

/* The link breaks in the middle of a packet. The packet arrives damaged, at the
 * usual time. */
static void test_link_breaks_under_a_worm(void)
{
    inject(0, 1);
    run_to(5 * GMS_US);
    gms_fabric_node_down(&ctx, fabric, 0, 6 * GMS_US);
    run_dry();
    CHECK_U64(counts()->links_down, 2);
    CHECK_U64(counts()->cut_short, 1);
    CHECK_U64(stations[1].damaged_header, 1);
    CHECK_U64(stations[1].arrived_ps, 2 * PROPAGATION + ROUTING + STREAM);
    CHECK_U64(stations[0].sent, 1);
}

/* A head that waits in the switch is lost, and the worm behind it continues. */
static void test_link_breaks_under_a_waiting_worm(void)
{
    stations[1].refuses = 1;
    inject(0, 1);
    run_dry(); /* the worm holds all links up to node 1 */
    inject(2, 1);
    inject(3, 1);
    run_dry();
    gms_fabric_link_down(&ctx, fabric, gms_fabric_link_of(fabric, 2, 0),
                         gms_engine_now(ctx.engine) + 1);
    run_dry();
    CHECK_U64(counts()->lost_on_link, 1);
    CHECK_U64(stations[2].sent, 1);
    CHECK_U64(stations[3].sent, 0);
    stations[1].refuses = 0;
    accept_waiting(1);
    run_dry();
    CHECK_U64(stations[1].arrived, 2);
    CHECK_U64(stations[3].sent, 1);
}

/* If a link breaks, all worms that are waiting for this link are lost, one
 * after the other. */
static void test_waiting_for_a_broken_link(void)
{
    stations[1].refuses = 1;
    inject(0, 1);
    run_dry();
    inject(2, 1);
    inject(3, 1);
    run_dry();
    gms_fabric_link_down(&ctx, fabric, gms_fabric_link_of(fabric, 1, 1),
                         GMS_NEVER);
    stations[1].refuses = 0;
    accept_waiting(1);
    run_dry();
    CHECK_U64(stations[1].arrived, 1);
    CHECK_U64(stations[1].damaged_header, 1);
    CHECK_U64(counts()->cut_short, 1);
    CHECK_U64(counts()->lost_on_link, 2);
    CHECK_U64(stations[2].sent, 1);
    CHECK_U64(stations[3].sent, 1);
}

/* The link between the source and the switch breaks. */
static void test_link_breaks_under_a_head(void)
{
    inject(0, 1);
    run_to(PROPAGATION);
    gms_fabric_link_down(&ctx, fabric, gms_fabric_link_of(fabric, 0, 0),
                         10 * GMS_US);
    run_dry();
    CHECK_U64(counts()->lost_on_link, 1);
    CHECK_U64(stations[0].sent, 1);
    CHECK_U64(stations[1].arrived, 0);
}

static void on_accept_and_break(gms_ctx_t *c, const gms_event_t *event)
{
    (void)event;
    accept_waiting(1);
    gms_fabric_link_down(c, fabric, gms_fabric_link_of(fabric, 1, 1),
                         GMS_NEVER);
}

/* The tail of a very short packet enters the last link at the same time as the
 * packet is accepted. At this time, the event that accepts the packet precedes
 * the event of the tail, regardless of the accepting event's origin. */
static void test_link_breaks_on_acceptance(void)
{
    gms_origin_t process = {.id = GMS_ORIGIN_RANK};

    ctx.handlers[ON_ACCEPT_AND_BREAK] = on_accept_and_break;
    stations[1].refuses = 1;
    inject(0, 1);
    run_dry();
    stations[1].requesting->wire_bytes = 8; /* a packet of this length takes one
                                             * propagation time */
    gms_engine_schedule(&ctx, &process, GMS_US, ON_ACCEPT_AND_BREAK, NULL, 0,
                        0);
    run_dry();
    CHECK_U64(counts()->cut_short, 1);
    CHECK_U64(stations[1].damaged_header, 1);
    CHECK_U64(stations[1].arrived_ps, GMS_US + PROPAGATION);
}

static void test_outages_are_random_and_keep_nothing_alive(void)
{
    unsigned i;

    params.fault_outages_per_s = 1000;
    params.fault_outage_us = 100;
    build();
    run_dry(); /* the run ends, because only the event of an outage is
                * still pending */
    CHECK_U64(gms_engine_events_pending(ctx.engine), 1);
    for (i = 0; i < 1000; ++i) {
        inject_at(i * GMS_MS, 0, 1);
    }
    run_dry();
    CHECK_NEAR((double)counts()->links_down, 1000, 0.16);
    /* A packet uses two of 8 links, and each outage disables one link for 100
     * us. */
    CU_ASSERT_TRUE(counts()->lost_on_link + counts()->cut_short > 5);
    CU_ASSERT_TRUE(counts()->lost_on_link + counts()->cut_short < 60);
    CHECK_U64(stations[1].arrived, 1000 - counts()->lost_on_link);
}

/* If there are no faults, the code for faults adds no events. */
static void test_no_faults_no_events(void)
{
    CHECK_U64(gms_engine_events_pending(ctx.engine), 0);
    inject(0, 1);
    run_dry();
    /* The four events are: the head is at the switch, the head is at the NIC,
     * the packet has been sent, and the packet has arrived. No worm is waiting
     * for a link. */
    CHECK_U64(gms_engine_events_run(ctx.engine), 4);
}

int main(void)
{
    CU_TestInfo packets[] = {
        {"dropped packet", test_dropped},
        {"damaged packet", test_damaged},
        {"duplicated packet", test_duplicated},
        {"a duplicate waits at a full NIC", test_duplicate_waits},
        {"duplicate of a truncated packet", test_duplicate_of_one_cut_short},
        {"delayed packet", test_delayed},
        {"faults occur at the configured rates and are reproducible",
         test_rates_are_met_and_repeat},
        {"faults of nodes are independent", test_nodes_have_their_own_chances},
        {"a period without faults", test_calm},
        {"no faults, no events", test_no_faults_no_events},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo links[] = {
        {"a link is down before the packet is sent", test_link_down_before},
        {"the last link of a route is down", test_last_link_down},
        {"a link breaks while a worm crosses it",
         test_link_breaks_under_a_worm},
        {"a link breaks under a waiting worm",
         test_link_breaks_under_a_waiting_worm},
        {"worms that wait for a broken link are lost",
         test_waiting_for_a_broken_link},
        {"a link breaks while the head of a worm crosses it",
         test_link_breaks_under_a_head},
        {"a link breaks when the packet is accepted",
         test_link_breaks_on_acceptance},
        {"random outages", test_outages_are_random_and_keep_nothing_alive},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"packets", NULL, NULL, setup, rig_close, packets},
                    {"links", NULL, NULL, setup, rig_close, links});
}
