/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the managers when the master dies or becomes temporarily unreachable at
 * any stage of its work. At the end, every request must be answered, and the
 * next master must have each reservation exactly once.
 */
#include "manager_rig.h"
#include "manager/manager_master.h"

#include "unit.h"

#define PREMIUM     GMS_QOS_PREMIUM
#define BEST_EFFORT GMS_QOS_BEST_EFFORT
#define RELEASE     GMS_QOS_UNMANAGED
#define TIMEOUT     (2000 * GMS_US)

static void restart(void)
{
    rig_stop();
    rig_start();
    rig_run();
}

static void setup(void)
{
    rig_params();
    params.qos_master_timeout_us = TIMEOUT / GMS_US;
    rig_start();
    rig_run();
}

static void teardown(void)
{
    rig_stop();
}

/* ---- the master dies ---- */

/* If no request is waiting, no manager notices the death until the next
 * request. */
static void test_dead_before(void)
{
    gms_qos_call_t *call;

    rig_asked(3, 1, 0, PREMIUM, 40 * MB);
    rig_asked(4, 2, 0, BEST_EFFORT, 0);
    rig_asked(0, 2, 1, PREMIUM, 10 * MB); /* this reservation is released when
                                           * its node dies */
    rig_run();
    gms_manager_kill_node(&ctx, manager, 0);
    rig_run();
    CU_ASSERT_PTR_NULL(gms_manager_account(manager));
    call = rig_asked(2, 1, 0, PREMIUM, 40 * MB);
    CHECK_U64(call->status, GMS_OK);
    CHECK_U64(call->verdict.criterion, GMS_QOS_DESTINATION_NODE);
    CHECK_U64(rig_asked(2, 1, 0, PREMIUM, 30 * MB)->flow[0].after.qos_class,
              PREMIUM);
    CHECK_U64(gms_manager_master(manager), 1);
    rig_run();
    CHECK_U64(rig_grants(), 3);
    rig_check_agreement();
}

/* A request to a dead manager fails immediately. */
static void test_request_of_a_dead_node(void)
{
    gms_qos_call_t *before = rig_ask(3, 1, 0, PREMIUM, MB);
    gms_qos_call_t *after;

    rig_run_until(rig_now() + 2 * WORK);
    gms_manager_kill_node(&ctx, manager, 3);
    CHECK_U64(before->done, 1);
    CHECK_U64(before->status, GMS_ERR_PEER_DIED);
    after = rig_asked(3, 1, 0, PREMIUM, MB);
    CHECK_U64(after->status, GMS_ERR_PEER_DIED);
    CHECK_U64(rig_asked(2, 1, 0, PREMIUM, MB)->flow[0].after.qos_class,
              PREMIUM);
    rig_run();
}

/* The living manager with the next number becomes the new master. */
static void test_one_after_the_other(void)
{
    unsigned node;

    rig_asked(5, 1, 0, PREMIUM, 10 * MB);
    for (node = 0; node < 5; ++node) {
        rig_run();
        CHECK_U64(gms_manager_master(manager), node);
        gms_manager_kill_node(&ctx, manager, node);
        CHECK_U64(rig_asked(5, 2, node, PREMIUM, MB)->flow[0].after.qos_class,
                  PREMIUM);
    }
    rig_run();
    CHECK_U64(gms_manager_master(manager), 5);
    CHECK_U64(rig_grants(), 6);
    rig_check_agreement();
    /* Three managers die at the same time. The requester first asks manager 5.
     * It then asks managers 0, 1 and 2, which do not answer. */
    restart();
    rig_asked(4, 1, 0, PREMIUM, 10 * MB);
    for (node = 0; node < 3; ++node) {
        gms_manager_kill_node(&ctx, manager, node);
    }
    CHECK_U64(rig_asked(4, 5, 0, PREMIUM, 20 * MB)->flow[0].after.qos_class,
              PREMIUM);
    CHECK_U64(gms_manager_master(manager), 3);
    CHECK_U64(rig_asked(5, 1, 0, PREMIUM, 70 * MB)->verdict.criterion,
              GMS_QOS_SOURCE_NODE);
}

/* Runs a mixed load during which a node fails. The requests change, add and
 * release premium and best-effort flows, alone and in sets, from all nodes. */
static uint64_t load(void)
{
    rig_askers_start(7, 3);
    return gms_engine_events_run(ctx.engine);
}

static void check_after(unsigned victim)
{
    unsigned i;

    CHECK_U64(rig_askers_waiting(), 0);
    for (i = 0; i < ASKERS; ++i) {
        CHECK_U64(rig_askers[i].left, 0);
    }
    /* Only requests of the dead node may receive an error. */
    CU_ASSERT_TRUE(rig_failures <= 2 * 3);
    CU_ASSERT_TRUE(gms_manager_master(manager) != victim);
    rig_check_agreement();
}

/* The master dies after selected events of this load. After every event, the
 * test adds up the active reservations. If a reservation is lost or counted
 * twice, the accounts and the NICs are inconsistent. */
static void test_dead_during(void)
{
    uint64_t events, at, step;

    load();
    rig_run();
    events = gms_engine_events_run(ctx.engine);
    CU_ASSERT_FATAL(events > 1000);
    step = events / 200;
    for (at = 1; at < events; at += step) {
        restart();
        load();
        while (gms_engine_events_run(ctx.engine) < at && rig_step()) {
        }
        gms_manager_kill_node(&ctx, manager, 0);
        rig_run();
        if (gms_manager_master(manager) == GMS_MANAGER_NO_HOST) {
            /* no request is waiting now */
            rig_asked(3, 5, 63, PREMIUM, MB);
            rig_run();
        }
        check_after(0);
    }
}

/* A node other than the master can also die. The master notices this when it
 * sends a message to the node. It then frees the bandwidth that the dead node
 * held. */
static void test_another_node_dies(void)
{
    uint64_t events, at, step;

    load();
    rig_run();
    events = gms_engine_events_run(ctx.engine);
    step = events / 50;
    for (at = 1; at < events; at += step) {
        restart();
        load();
        while (gms_engine_events_run(ctx.engine) < at && rig_step()) {
        }
        gms_manager_kill_node(&ctx, manager, 2);
        rig_run();
        CHECK_U64(rig_askers_waiting(), 0);
        CHECK_U64(gms_manager_master(manager), 0);
    }
}

/* ---- a single request ---- */

/* One request reduces an existing flow and adds a new flow. Another request
 * needs the released bandwidth. The master is killed after each event in turn.
 * Both requests must be answered in the end, and the flows must hold the
 * bandwidth that the answers have granted. */
static void test_each_event_of_a_change(void)
{
    uint64_t begin, at, end = UINT64_MAX;
    unsigned granted = 0;

    for (at = 0; at < end; ++at) {
        gms_qos_call_t *less, *more;

        restart();
        rig_asked(2, 1, 0, PREMIUM, 50 * MB);
        rig_asked(3, 1, 0, BEST_EFFORT, 0);
        rig_run();
        begin = gms_engine_events_run(ctx.engine);
        less = rig_call(2, 1, 0, PREMIUM, 20 * MB);
        rig_call_more(less, 4, 1, PREMIUM, 10 * MB);
        rig_post_at(less, rig_now());
        more = rig_call(4, 1, 0, PREMIUM, 40 * MB);
        rig_post_at(more, rig_now() + 20 * GMS_US);
        while (gms_engine_events_run(ctx.engine) < begin + at &&
               !gms_engine_is_idle(ctx.engine)) {
            rig_step();
        }
        end = gms_engine_is_idle(ctx.engine) ? at : end;
        gms_manager_kill_node(&ctx, manager, 0);
        rig_run();
        CHECK_U64(less->done, 1);
        CHECK_U64(less->status, GMS_OK);
        CHECK_U64(less->flow[0].after.idt_ticks, 409);
        CHECK_U64(less->flow[1].after.idt_ticks, 819);
        CHECK_U64(more->done, 1);
        /* If the other request is repeated after the master has died, the new
         * master may decide on this request first. */
        granted = more->verdict.criterion == GMS_QOS_OK;
        CHECK_U64(rig_idt(4, 1, 0), granted ? 204 : 0);
        CHECK_U64(rig_asked(5, 4, 2, PREMIUM, MB)->flow[0].after.qos_class,
                  PREMIUM);
        rig_run();
        CHECK_U64(rig_grants(), 4 + granted);
        rig_check_agreement();
    }
    CU_ASSERT_TRUE(end > 50);
}

/* The master slows down a flow for a change, and then dies. The next master
 * denies this change, because it has decided on another request earlier. The
 * flow then returns to its previous rate. */
static void test_slowed_down_in_vain(void)
{
    gms_qos_call_t *call, *faster;

    rig_asked(2, 3, 0, PREMIUM, 50 * MB);
    rig_run();
    CHECK_U64(rig_idt(2, 3, 0), 163);
    call = rig_call(2, 3, 0, PREMIUM, 20 * MB);
    rig_call_more(call, 4, 1, PREMIUM, 40 * MB);
    rig_post_at(call, rig_now());
    while (rig_idt(2, 3, 0) != 409 && rig_step()) {
    }
    CHECK_U64(call->done, 0);
    faster = rig_ask(1, 4, 0, PREMIUM, 70 * MB);
    gms_manager_kill_node(&ctx, manager, 0);
    rig_run();
    CHECK_U64(faster->verdict.criterion, GMS_QOS_OK);
    CHECK_U64(call->verdict.criterion, GMS_QOS_DESTINATION_NODE);
    CHECK_U64(call->flow[0].after.idt_ticks, 163);
    CHECK_U64(rig_idt(2, 3, 0), 163);
    CHECK_U64(rig_grants(), 2);
    rig_check_agreement();
}

/* ---- messages that arrive late ---- */

/* The master has given up on node 4, and then receives a report that node 4
 * sent earlier. This report is out of date, because it does not contain the
 * reservation. The master must ignore this report and request a new report. */
static void test_old_report(void)
{
    gms_agent_t *agent = &manager->agents[0];
    const gms_peer_t *peer = &agent->master->peers[4];
    gms_manager_message_t report = {.term = agent->term,
                                    .kind = GMS_MANAGER_STATE,
                                    .flags = GMS_MANAGER_LAST,
                                    .number = peer->losses};

    rig_asked(4, 1, 0, PREMIUM, 40 * MB);
    rig_run();
    gms_master_lost(&ctx, agent, 4, 0);
    CHECK_U64(rig_grants(), 0);
    CHECK_U64(peer->losses, report.number + 1);
    gms_master_on_message(&ctx, agent, 4, &report);
    CHECK_U64(peer->state, GMS_PEER_LOST);
    CHECK_U64(peer->asked, 1);
    rig_run();
    CHECK_U64(peer->state, GMS_PEER_HERE);
    CHECK_U64(rig_grants(), 1);
    rig_check_agreement();
}

/* The best-effort flow from node 3 must become slower before node 4 receives
 * bandwidth. While the master waits for the acknowledgement from node 3, an
 * acknowledgement of an earlier step arrives. The master must continue to
 * wait. */
static void test_old_acknowledgement(void)
{
    gms_agent_t *agent = &manager->agents[0];
    gms_manager_message_t acknowledgement = {.term = agent->term,
                                             .kind = GMS_MANAGER_ACK};
    gms_qos_call_t *call;

    rig_asked(3, 1, 0, BEST_EFFORT, 0);
    rig_asked(5, 1, 0, BEST_EFFORT, 0);
    rig_run();
    call = rig_ask(4, 1, 0, PREMIUM, 60 * MB);
    while (agent->master->state != GMS_MASTER_SLOWER && rig_step()) {
    }
    CU_ASSERT_FATAL(agent->master->peers[3].wait.waits);
    CHECK_U64(agent->master->waiting, 2);
    acknowledgement.step = agent->master->step - 1;
    gms_master_on_message(&ctx, agent, 3, &acknowledgement);
    gms_master_on_message(&ctx, agent, 5, &acknowledgement);
    CHECK_U64(agent->master->waiting, 2);
    CHECK_U64(agent->master->state, GMS_MASTER_SLOWER);
    CHECK_U64(rig_idt(4, 1, 0), 0);
    rig_run_until_done(call);
    CHECK_U64(call->verdict.criterion, GMS_QOS_OK);
    rig_run();
    rig_check_agreement();
}

/* Node 5 has reserved 60 of the 80 MB/s of node 1, and reports this reservation
 * late to the new master. The new master waits for this report before it
 * decides, and therefore denies a request for another 60 MB/s. */
static void test_late_report(void)
{
    gms_qos_call_t *call;

    rig_params();
    restart();
    rig_asked(5, 1, 0, PREMIUM, 60 * MB);
    rig_run();
    gms_manager_kill_node(&ctx, manager, 0);
    gms_fabric_node_down(&ctx, fabric, 5, rig_now() + 200000 * GMS_US);
    call = rig_asked(4, 1, 0, PREMIUM, 60 * MB);
    CHECK_U64(call->status, GMS_OK);
    CHECK_U64(call->verdict.criterion, GMS_QOS_DESTINATION_NODE);
    CHECK_U64(gms_manager_master(manager), 1);
    rig_run();
    CHECK_U64(rig_grants(), 1);
    rig_check_agreement();
}

/* ---- watches ---- */

static void test_watch_outlives_the_master(void)
{
    rig_asked(2, 1, 0, PREMIUM, 70 * MB);
    rig_watch(3, 1, 0, 40 * MB, 1);
    rig_watch(0, 1, 0, 40 * MB, 2);
    rig_run();
    gms_manager_kill_node(&ctx, manager, 0);
    rig_asked(2, 1, 0, RELEASE, 0);
    rig_run();
    CHECK_U64(rig_told[1], 1);
    CHECK_U64(rig_told[2], 0); /* the node of this watch is dead */
}

/* No request is waiting for an answer, but the watch must not be lost. */
static void test_watch_at_a_dead_master(void)
{
    gms_manager_kill_node(&ctx, manager, 0);
    rig_watch(3, 1, 0, 40 * MB, 1);
    rig_run();
    CHECK_U64(rig_told[1], 1);
    CHECK_U64(gms_manager_master(manager), 1);
}

/* ---- unreachable nodes ---- */

/* If a node does not accept messages, messages to this node wait for a minute.
 * These messages need more slots than the manager initially has. Meanwhile,
 * messages to other nodes do not wait. */
static void test_outage_keeps_nobody_waiting(void)
{
    unsigned label;

    for (label = 0; label < 170; ++label) {
        rig_asked(3, 1, label, BEST_EFFORT, 0);
    }
    rig_run();
    rig_checks_sums = 0;
    gms_fabric_node_down(&ctx, fabric, 3, GMS_NEVER);
    CHECK_U64(rig_asked(2, 1, 0, PREMIUM, 40 * MB)->flow[0].after.qos_class,
              PREMIUM);
    CHECK_U64(rig_asked(4, 2, 0, PREMIUM, 10 * MB)->flow[0].after.qos_class,
              PREMIUM);
    CHECK_U64(gms_manager_master(manager), 0);
    CU_ASSERT_TRUE(rig_now() < 1000 * GMS_MS);
}

/* This outage is shorter than the default time-outs, and only a few packets are
 * lost. The master therefore remains the same. */
static void test_short_outage(void)
{
    rig_params();
    restart();
    rig_asked(3, 1, 0, PREMIUM, 10 * MB);
    gms_fabric_node_down(&ctx, fabric, 0, rig_now() + 200000 * GMS_US);
    CHECK_U64(rig_asked(2, 1, 0, PREMIUM, 10 * MB)->flow[0].after.qos_class,
              PREMIUM);
    CHECK_U64(gms_manager_master(manager), 0);
    CHECK_U64(rig_grants(), 2);
    rig_run();
    rig_check_agreement();
}

/* The requester becomes unreachable, and is reachable again before the manager
 * decides on its request. The requester reports its reservations without this
 * request, and then repeats the request. */
static void test_lost_while_it_waits(void)
{
    gms_agent_t *master = &manager->agents[0];
    gms_qos_call_t *call, *other;

    rig_asked(3, 1, 0, BEST_EFFORT, 0);
    rig_asked(3, 1, 1, BEST_EFFORT, 0);
    rig_run();
    rig_checks_sums = 0; /* node 3 does not receive any changes */
    gms_fabric_node_down(&ctx, fabric, 3, rig_now() + 20000 * GMS_US);
    call = rig_ask(4, 1, 0, PREMIUM, 40 * MB);
    while (master->master->state != GMS_MASTER_SLOWER) {
        rig_step();
    }
    gms_master_lost(&ctx, master, 4, 0);
    other = rig_ask(5, 1, 0, PREMIUM, 70 * MB);
    rig_run_until(rig_now() + 4 * WORK);
    /* this message from node 4 causes the master to request the state of node
     * 4 */
    rig_watch(4, 2, 9, MB, 1);
    rig_run();
    rig_run_until(rig_now() + 100000 * GMS_US);
    CHECK_U64(call->done, 1);
    CHECK_U64(other->done, 1);
    CHECK_U64(rig_idt(4, 1, 0) == 204, call->verdict.criterion == GMS_QOS_OK);
    CHECK_U64(rig_idt(5, 1, 0) == 117, other->verdict.criterion == GMS_QOS_OK);
    CHECK_U64(rig_told[1], 1);
    rig_check_agreement();
}

/* The master's links are down for 20 ms, and the other managers elect a new
 * master. When the old master returns, it gives up its role, and the
 * reservations of its node are known again. */
static void test_outage(void)
{
    gms_qos_call_t *own, *call;
    gms_time_t back_ps;

    rig_asked(0, 1, 0, PREMIUM, 30 * MB);
    rig_asked(3, 2, 0, PREMIUM, 40 * MB);
    rig_run();
    back_ps = rig_now() + 20000 * GMS_US;
    gms_fabric_node_down(&ctx, fabric, 0, back_ps);
    call = rig_asked(4, 2, 0, PREMIUM, 10 * MB);
    CHECK_U64(call->flow[0].after.qos_class, PREMIUM);
    CHECK_U64(gms_manager_master(manager), 1);
    CU_ASSERT_TRUE(rig_now() < back_ps);
    /* the new master does not know the 30 MB/s from node 0 to node 1 */
    CHECK_U64(rig_grants(), 2);
    rig_run_until(back_ps + 100000 * GMS_US);
    CHECK_U64(gms_manager_master(manager), 1);
    CU_ASSERT_PTR_NULL(manager->agents[0].master);
    own = rig_asked(0, 3, 1, PREMIUM, MB);
    CHECK_U64(own->flow[0].after.qos_class, PREMIUM);
    rig_run();
    CHECK_U64(rig_grants(), 4);
    CHECK_U64(rig_idt(0, 1, 0), 273);
    rig_check_agreement();
}

/* When the old master returns, reservations that no longer fit become
 * best-effort flows. */
static void test_outage_and_no_room(void)
{
    gms_flow_key_t key = rig_key(1, 0);
    gms_time_t back_ps;

    rig_asked(0, 1, 0, PREMIUM, 60 * MB);
    rig_run();
    rig_checks_sums = 0; /* While the network is partitioned, the sums are not
                          * defined. */
    back_ps = rig_now() + 20000 * GMS_US;
    gms_fabric_node_down(&ctx, fabric, 0, back_ps);
    CHECK_U64(rig_asked(4, 1, 0, PREMIUM, 60 * MB)->flow[0].after.qos_class,
              PREMIUM);
    rig_run_until(back_ps + 100000 * GMS_US);
    rig_run();
    CHECK_U64(rig_grants(), 2);
    CHECK_U64(gms_manager_find(manager, 0, &key)->qos_class, BEST_EFFORT);
    CHECK_U64(rig_idt(4, 1, 0), 136);
    /* the IDT for the remaining 78 - 8192/136 MB/s, rounded up */
    CHECK_U64(rig_idt(0, 1, 0), 462);
    rig_checks_sums = 1;
    rig_check_agreement();
}

/* A node other than the master becomes unreachable. If the node does not
 * acknowledge a message, the master removes the node's flows from its account.
 * When the node returns, the master adds these flows again. */
static void test_outage_of_a_node(void)
{
    gms_time_t back_ps;

    rig_asked(3, 1, 0, BEST_EFFORT, 0);
    rig_run();
    back_ps = rig_now() + 20000 * GMS_US;
    gms_fabric_node_down(&ctx, fabric, 3, back_ps);
    rig_checks_sums = 0;
    CHECK_U64(rig_asked(2, 1, 0, PREMIUM, 40 * MB)->flow[0].after.qos_class,
              PREMIUM);
    CHECK_U64(gms_manager_master(manager), 0);
    rig_run_until(rig_now() + 10 * WORK);
    CHECK_U64(rig_grants(), 1);
    rig_run_until(back_ps + 100000 * GMS_US);
    rig_run();
    CHECK_U64(rig_grants(), 2);
    CHECK_U64(rig_idt(3, 1, 0), 217);
    rig_check_agreement();
}

/* Runs the load while the master or another node is temporarily unreachable. */
static void test_outage_during_load(void)
{
    unsigned victim, i;

    for (i = 0; i < 40; ++i) {
        victim = i % 2 == 0 ? 0 : 3;
        restart();
        rig_checks_sums = 0;
        load();
        rig_run_until(rig_now() + (1 + i) * 100 * GMS_US);
        gms_fabric_node_down(&ctx, fabric, victim,
                             rig_now() + (3 + i % 5) * 1000 * GMS_US);
        rig_run();
        rig_run_until(rig_now() + 200000 * GMS_US);
        CHECK_U64(rig_askers_waiting(), 0);
        CHECK_U64(rig_failures, 0);
        rig_asked(victim, 5, 62, PREMIUM, 1000);
        rig_asked(5, victim, 63, PREMIUM, 1000);
        rig_run_until(rig_now() + 200000 * GMS_US);
        rig_run();
        rig_check_agreement();
    }
}

/* ---- memory ---- */

static void release_all(void)
{
    unsigned host;

    for (host = 0; host < NODES; ++host) {
        const gms_held_grant_t *held;

        while ((held = manager->agents[host].first_held) != NULL) {
            gms_flow_key_t key = held->grant.key;

            rig_free(rig_asked(host, key.target_node, key.label, RELEASE, 0));
        }
    }
}

/* Flows, and the records of their delays, are never freed. Creates such a
 * record for every existing flow, whether it has a reservation or not.
 * @return number of existing flows */
static unsigned measure_all(void)
{
    const gms_delay_terms_t begin = {.packet_ps = 1, .burst = 1};
    const gms_delay_terms_t end = {.packet_ps = 0};
    unsigned count = 0;
    unsigned node;

    for (node = 0; node < NODES; ++node) {
        const gms_flow_t *flow = manager->nics[node]->flows.first;

        count += manager->nics[node]->flow_count;
        for (; flow != NULL; flow = flow->next) {
            if (flow->delay == NULL) {
                CHECK_U64(
                    gms_nic_measure_delay(&ctx, flow->nic, &flow->key, &begin),
                    GMS_OK);
                CHECK_U64(
                    gms_nic_measure_delay(&ctx, flow->nic, &flow->key, &end),
                    GMS_OK);
            }
        }
    }
    return count;
}

/* When all bandwidth has been released, the arena uses the same amount of
 * memory as before, unless a round has used a new flow. Each round contains
 * sets of requests, denials, watches, and two elections. */
static void test_no_leak(void)
{
    uint64_t used[7], total;
    unsigned flows[7], round, first = 0;

    rig_checks_sums = 0;
    for (round = 0; round < 7; ++round) {
        rig_askers_start(5, 20);
        rig_watch(3, 1, 0, 70 * MB, 1);
        rig_run_until(rig_now() + 3000 * GMS_US);
        gms_fabric_node_down(&ctx, fabric, gms_manager_master(manager),
                             rig_now() + 3 * TIMEOUT);
        rig_run();
        gms_fabric_node_down(&ctx, fabric, gms_manager_master(manager),
                             rig_now() + 3 * TIMEOUT);
        rig_free(rig_asked(5, 4, 62, PREMIUM, MB));
        rig_run_until(rig_now() + 500 * GMS_MS);
        release_all();
        rig_run_until(rig_now() + 500 * GMS_MS);
        rig_run();
        CHECK_U64(rig_askers_waiting(), 0);
        CHECK_U64(rig_grants(), 0);
        flows[round] = measure_all();
        gms_arena_usage(ctx.arena, &used[round], &total);
    }
    while (flows[first] != flows[6] || first < 1) {
        ++first;
    }
    CU_ASSERT_TRUE(first <= 4);
    for (round = first + 1; round < 7; ++round) {
        CHECK_U64(used[round], used[first]);
    }
}

int main(void)
{
    CU_TestInfo deaths[] = {
        {"the master is dead", test_dead_before},
        {"request of a dead node", test_request_of_a_dead_node},
        {"deaths one after the other", test_one_after_the_other},
        {"the master dies under load", test_dead_during},
        {"another node dies", test_another_node_dies},
        {"the master dies at any event during a change",
         test_each_event_of_a_change},
        {"a flow returns to its rate when a change is denied",
         test_slowed_down_in_vain},
        {"an outdated report from a node that was lost", test_old_report},
        {"an acknowledgement that belongs to an earlier step",
         test_old_acknowledgement},
        {"a late report to a new master", test_late_report},
        {"a watch remains after the master's death",
         test_watch_outlives_the_master},
        {"a watch that is sent to a dead master", test_watch_at_a_dead_master},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo outages[] = {
        {"outage of the master", test_outage},
        {"an outage that leaves no bandwidth for old flows",
         test_outage_and_no_room},
        {"outage of a node", test_outage_of_a_node},
        {"outage does not delay others", test_outage_keeps_nobody_waiting},
        {"short outage", test_short_outage},
        {"a request that is lost while it waits", test_lost_while_it_waits},
        {"no memory is lost", test_no_leak},
        {"outage under load", test_outage_during_load},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"election: deaths", NULL, NULL, setup, teardown, deaths},
        {"election: outages", NULL, NULL, setup, teardown, outages});
}
