/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses a new master when the current master does not answer. While a call
 * waits for its answer, the manager of the host expects messages from the
 * master. If the master is silent for half of the time-out, the manager sends a
 * PING. If the master is silent for the whole time-out, or is unreachable, the
 * manager treats the master as dead. The manager then asks the next node to
 * take over as master of the next term. If that node is also silent, the
 * manager asks the node after it, and so on. If GM cannot deliver a message to
 * the master, the manager also treats the master as dead, even if no call
 * waits. The content of the message is then sent to the next master, because it
 * would otherwise be lost.
 *
 * Time-outs are background events and do not keep the simulation running. A
 * waiting call keeps the simulation running (gms_engine_wait()), so every
 * waiting process receives an answer.
 */
#include "manager/manager_int.h"

/* ---- silence ---- */

void gms_term_arm(gms_ctx_t *ctx, gms_agent_t *agent, gms_time_t at_ps)
{
    if (at_ps >= agent->timer_ps) {
        return;
    }
    agent->timer_ps = at_ps;
    gms_engine_schedule_background(ctx, &agent->manager->origin, at_ps,
                                   GMS_QOS_ON_TIMER, agent, at_ps, 0);
}

gms_time_t gms_wait_look(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                         gms_manager_wait_t *wait)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_time_t timeout_ps = agent->manager->timeout_ps;

    if (host == agent->host) {
        return GMS_NEVER;
    }
    if (now_ps >= wait->since_ps + timeout_ps) {
        return 0;
    }
    if (now_ps < wait->since_ps + timeout_ps / 2) {
        return wait->since_ps + timeout_ps / 2;
    }
    if (!wait->pinged) {
        wait->pinged = 1;
        gms_agent_say(ctx, agent, host, GMS_MANAGER_PING, 0, 0);
    }
    return wait->since_ps + timeout_ps;
}

static void gms_term_listen(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host)
{
    agent->expected = host;
    agent->wait.waits = 1;
    agent->wait.pinged = 0;
    agent->wait.since_ps = gms_engine_now(ctx->engine);
    gms_term_arm(ctx, agent,
                 agent->wait.since_ps + agent->manager->timeout_ps / 2);
}

void gms_term_wait(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_term_listen(ctx, agent,
                    gms_manager_master_of(agent->manager, agent->term));
}

void gms_term_wait_over(gms_agent_t *agent)
{
    agent->wait.waits = 0;
}

/* ---- takeover ---- */

/* Waits for the current master if a call waits for its answer; otherwise ends
 * the wait. */
static void gms_term_wait_if_asked(gms_ctx_t *ctx, gms_agent_t *agent)
{
    if (agent->calls.first != NULL) {
        gms_term_wait(ctx, agent);
    } else {
        gms_term_wait_over(agent);
    }
}

static void gms_term_take_over(gms_ctx_t *ctx, gms_agent_t *agent,
                               uint32_t term)
{
    gms_master_destroy(ctx, agent);
    agent->term = term;
    agent->proposed = 0;
    agent->report = 0;
    if (gms_master_create(ctx, agent) != GMS_OK) {
        gms_fatal(
            ctx,
            "the arena is full: there is no room for a new master manager; set "
            "a larger arena_bytes in the cluster description");
    }
    gms_term_wait_if_asked(ctx, agent);
    gms_master_collect(ctx, agent);
}

/* Follows another host that has become the master, and reports all grants,
 * requests and watches to it. */
static void gms_term_follow(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t term)
{
    gms_master_destroy(ctx, agent);
    agent->term = term;
    agent->proposed = 0;
    agent->report = 0;
    gms_term_wait_if_asked(ctx, agent);
    gms_node_report(ctx, agent);
}

static void gms_term_propose(gms_ctx_t *ctx, gms_agent_t *agent)
{
    uint32_t term =
        (agent->proposed > agent->term ? agent->proposed : agent->term) + 1;
    uint32_t host = gms_manager_master_of(agent->manager, term);

    if (host == agent->host) {
        gms_term_take_over(ctx, agent, term);
        return;
    }
    agent->proposed = term;
    gms_term_listen(ctx, agent, host);
    gms_agent_say(ctx, agent, host, GMS_MANAGER_PROPOSE, term, 0);
}

void gms_term_on_propose(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                         uint32_t term)
{
    if (term > agent->term &&
        gms_manager_master_of(agent->manager, term) == agent->host) {
        gms_term_take_over(ctx, agent, term);
    } else {
        gms_agent_say(ctx, agent, from, GMS_MANAGER_MASTER, 0, 0);
    }
}

int gms_term_check(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t from,
                   const gms_manager_message_t *message)
{
    if (message->term < agent->term) {
        if (message->kind == GMS_MANAGER_PROPOSE &&
            message->number > agent->term) {
            /* the message is valid: its sender has an older term, but proposes
             * a newer term */
            return 1;
        }
        gms_agent_say(ctx, agent, from, GMS_MANAGER_MASTER, 0, 0);
        return 0;
    }
    if (message->term > agent->term) {
        gms_term_follow(ctx, agent, message->term);
    }
    return 1;
}

/* ---- messages and silence ---- */

void gms_term_heard(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host)
{
    if (agent->wait.waits && agent->expected == host) {
        agent->wait.since_ps = gms_engine_now(ctx->engine);
        agent->wait.pinged = 0;
    }
    if (agent->master != NULL) {
        gms_master_heard(ctx, agent, host);
    }
}

void gms_term_unreachable(gms_ctx_t *ctx, gms_agent_t *agent, uint32_t host,
                          int is_dead)
{
    if (agent->master != NULL) {
        gms_master_lost(ctx, agent, host, is_dead);
    }
    if (agent->wait.waits
            ? agent->expected == host
            : gms_manager_master_of(agent->manager, agent->term) == host) {
        gms_term_propose(ctx, agent);
    }
}

void gms_term_on_timer(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_agent_t *agent = event->object;
    gms_time_t next_ps = GMS_NEVER, at_ps;

    if (agent->dead || event->arg[0] != agent->timer_ps) {
        return;
    }
    agent->timer_ps = GMS_NEVER;
    if (agent->wait.waits) {
        next_ps = gms_wait_look(ctx, agent, agent->expected, &agent->wait);
        if (next_ps == 0) {
            gms_term_propose(ctx, agent);
            next_ps = GMS_NEVER;
        }
    }
    if (agent->master != NULL) {
        at_ps = gms_master_on_timer(ctx, agent);
        next_ps = at_ps < next_ps ? at_ps : next_ps;
    }
    if (next_ps != GMS_NEVER) {
        gms_term_arm(ctx, agent, next_ps);
    }
    gms_agent_drain(ctx, agent);
}
