/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects best-effort flows that do not use their share (qos_work_conserving).
 * The manager of a host checks the flows of its host every qos_idle_us and
 * reports the changed flows to the master.
 *
 * A flow is idle if it sends no packet for a whole check period. This period
 * ends at most 2 x qos_idle_us after the flow's last packet. The manager then
 * reports the flow, and the master lends the flow's bandwidth to other flows in
 * the phases SLOWER and FASTER. When the flow resumes sending, the manager
 * notices this within qos_idle_us. The master then restores the flow's
 * bandwidth by the same steps.
 */
#include "manager/manager_int.h"

void gms_idle_begin(gms_ctx_t *ctx, gms_agent_t *agent)
{
    gms_time_t idle_ps = agent->manager->idle_ps;

    if (idle_ps > 0 && agent->best_effort > 0 && !agent->looks) {
        agent->looks = 1;
        gms_engine_schedule_background(ctx, &agent->manager->origin,
                                       gms_engine_now(ctx->engine) + idle_ps,
                                       GMS_QOS_ON_IDLE, agent, 0, 0);
    }
}

static int gms_idle_changed(const gms_agent_t *agent, gms_held_grant_t *held)
{
    gms_flow_stats_t stats;
    int is_idle;

    gms_nic_flow_stats(agent->manager->nics[held->grant.source_node],
                       &held->grant.key, &stats);
    is_idle = stats.packets_sent == held->packets && !stats.has_more;
    held->packets = stats.packets_sent;
    if (is_idle == held->is_idle) {
        return 0;
    }
    held->is_idle = (uint8_t)is_idle;
    return 1;
}

void gms_idle_on_look(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_agent_t *agent = event->object;
    gms_held_grant_t *held;
    gms_manager_list_t list;
    unsigned count = 0;

    agent->looks = 0;
    if (agent->dead) {
        return;
    }
    gms_list_begin(&list, ctx, agent,
                   gms_manager_master_of(agent->manager, agent->term),
                   GMS_MANAGER_ACTIVITY, 0);
    for (held = agent->first_held; held != NULL; held = held->next) {
        if (held->grant.qos_class == GMS_QOS_BEST_EFFORT &&
            gms_idle_changed(agent, held)) {
            gms_manager_record_t record;

            gms_held_record(held, &record);
            gms_list_add(&list, &record);
            ++count;
        }
    }
    if (count > 0) {
        gms_list_end(&list, 0);
    }
    gms_idle_begin(ctx, agent);
    gms_agent_drain(ctx, agent);
}
