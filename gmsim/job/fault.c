/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Schedules and executes faults from the cluster description and faults that a
 * program requests (gmsim_node_down() and others): links go down, NICs reset,
 * and ranks or hosts die. Random packet faults are implemented in
 * fabric/fault.c.
 */
#include "job/fault.h"

#include <string.h>

#include "engine/gate_kill.h"
#include "job/trace.h"
#include "job/sim.h"
#include "gmsim.h"

/* Kind of a scheduled fault that changes the fault rates, in addition to enum
 * gms_fault_kind. Only programs can schedule this kind. */
#define GMS_FAULT_RATES 100u

/* A scheduled fault. The structure is allocated in the arena and freed when the
 * fault occurs. */
typedef struct gms_fault_order {
    uint32_t kind; /* a value of enum gms_fault_kind, or GMS_FAULT_RATES */
    uint32_t number;
    gms_time_t for_ps; /* 0: permanently */
    gms_fault_rates_t rates;
} gms_fault_order_t;

static gms_time_t gms_fault_end(const gms_fault_order_t *order,
                                gms_time_t now_ps)
{
    return order->for_ps == 0 ? GMS_NEVER : now_ps + order->for_ps;
}

/* Kill a host. The function first disables the links of all NICs of the host,
 * because packets that are still being sent must not leave the host. */
static void gms_fault_kill_host(gms_ctx_t *ctx, gms_root_t *root, unsigned host)
{
    unsigned node, rank;

    gms_manager_kill_node(ctx, root->manager, host);
    for (node = host; node < root->nodes;
         node += (unsigned)root->params.hosts) {
        gms_fabric_node_down(ctx, root->fabric, node, GMS_NEVER);
    }
    for (rank = 0; rank < root->size; ++rank) {
        if (root->slots[rank].host == host) {
            gms_gate_kill(ctx, rank);
        }
    }
}

static void gms_fault_on_order(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_root_t *root = gms_arena_root(ctx->arena);
    gms_fault_order_t order = *(const gms_fault_order_t *)event->object;
    gms_time_t until_ps = gms_fault_end(&order, event->time_ps);

    gms_arena_free(ctx->arena, event->object);
    gms_sim_trace_fault(ctx,
                        &(gms_fault_event_t){.at_us = event->time_ps / GMS_US,
                                             .for_us = order.for_ps / GMS_US,
                                             .kind = order.kind,
                                             .number = order.number});
    switch (order.kind) {
    case GMS_FAULT_LINK:
        gms_fabric_link_down(ctx, root->fabric, order.number, until_ps);
        break;
    case GMS_FAULT_NODE:
        gms_fabric_node_down(ctx, root->fabric, order.number, until_ps);
        break;
    case GMS_FAULT_RESET_NIC:
        gms_nic_reset(ctx, root->nics[order.number]);
        break;
    case GMS_FAULT_KILL_RANK:
        gms_gate_kill(ctx, order.number);
        break;
    case GMS_FAULT_KILL_NODE:
        gms_fault_kill_host(ctx, root, order.number);
        break;
    case GMS_FAULT_STOP:
        gms_fabric_calm(root->fabric, until_ps);
        break;
    default:
        gms_fabric_set_fault_rates(root->fabric, &order.rates);
        break;
    }
}

void gms_fault_register(gms_ctx_t *ctx)
{
    ctx->handlers[GMS_GM_ON_FAULT] = gms_fault_on_order;
}

/* Schedule a fault as a background event. A future fault must not keep the
 * simulation running if no other events remain. */
static gms_status_t gms_fault_schedule(gms_ctx_t *ctx, gms_origin_t *origin,
                                       gms_time_t at_ps,
                                       const gms_fault_order_t *order)
{
    gms_fault_order_t *copy = gms_arena_alloc(ctx->arena, sizeof(*copy));

    if (copy == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    *copy = *order;
    gms_engine_schedule_background(ctx, origin, at_ps, GMS_GM_ON_FAULT, copy, 0,
                                   0);
    return GMS_OK;
}

gms_status_t gms_fault_install(gms_ctx_t *ctx, const gms_fault_plan_t *plan)
{
    /* Faults that have the same time occur in the order of the list. */
    gms_origin_t origin = {.id = GMS_ORIGIN_FAULT};
    gms_status_t status = GMS_OK;
    uint32_t i;

    for (i = 0; status == GMS_OK && i < plan->count; ++i) {
        const gms_fault_event_t *event = &plan->events[i];
        gms_fault_order_t order = {.kind = event->kind,
                                   .number = event->number,
                                   .for_ps = event->for_us * GMS_US};

        status =
            gms_fault_schedule(ctx, &origin, event->at_us * GMS_US, &order);
    }
    return status;
}

/* ---- Faults requested by programs -------------------------------------- */

static gm_status_t gmsim_order(const gms_fault_order_t *order, gms_time_t at_ps)
{
    gms_sim_t *sim = gms_sim_joined();
    gms_status_t status;

    if (sim == NULL) {
        return GM_FAILURE;
    }
    gms_sim_begin_post(sim);
    if (at_ps < gms_gate_clock(&sim->ctx)) {
        at_ps = gms_gate_clock(&sim->ctx);
    }
    status =
        gms_fault_schedule(&sim->ctx, gms_gate_origin(&sim->ctx), at_ps, order);
    gms_sim_end(sim, 1);
    return status == GMS_OK ? GM_SUCCESS : GM_OUT_OF_MEMORY;
}

static gm_status_t gmsim_check_node(unsigned node_id)
{
    gms_sim_t *sim = gms_sim_joined();

    if (sim == NULL) {
        return GM_FAILURE;
    }
    return node_id == 0 || node_id > gms_fabric_nodes(sim->root->fabric)
               ? GM_INVALID_PARAMETER
               : GM_SUCCESS;
}

static gm_status_t gmsim_order_node(unsigned node_id, uint32_t kind,
                                    gms_time_t for_ps)
{
    gms_fault_order_t order = {
        .kind = kind, .number = node_id - 1, .for_ps = for_ps};
    gm_status_t status = gmsim_check_node(node_id);

    return status == GM_SUCCESS ? gmsim_order(&order, 0) : status;
}

gm_status_t gmsim_set_fault_rates(const gmsim_fault_rates_t *rates)
{
    gms_fault_order_t order = {.kind = GMS_FAULT_RATES};

    if (rates == NULL || rates->drop_ppm > 1000000 ||
        rates->damage_header_ppm > 1000000 ||
        rates->damage_payload_ppm > 1000000 || rates->duplicate_ppm > 1000000 ||
        rates->delay_ppm > 1000000 ||
        (rates->delay_ppm != 0 && rates->delay_max_us == 0)) {
        return GM_INVALID_PARAMETER;
    }
    order.rates.drop_ppm = rates->drop_ppm;
    order.rates.damage_header_ppm = rates->damage_header_ppm;
    order.rates.damage_payload_ppm = rates->damage_payload_ppm;
    order.rates.duplicate_ppm = rates->duplicate_ppm;
    order.rates.delay_ppm = rates->delay_ppm;
    order.rates.delay_max_us = rates->delay_max_us;
    return gmsim_order(&order, 0);
}

gm_status_t gmsim_node_down(unsigned node_id, uint64_t duration_ps)
{
    return gmsim_order_node(node_id, GMS_FAULT_NODE, duration_ps);
}

gm_status_t gmsim_link_down(unsigned node_id, int into_node,
                            uint64_t duration_ps)
{
    gms_fault_order_t order = {.kind = GMS_FAULT_LINK, .for_ps = duration_ps};
    gm_status_t status = gmsim_check_node(node_id);

    if (status != GM_SUCCESS) {
        return status;
    }
    order.number = gms_fabric_link_of(gms_sim_joined()->root->fabric,
                                      node_id - 1, into_node);
    return gmsim_order(&order, 0);
}

gm_status_t gmsim_reset_nic(unsigned node_id)
{
    return gmsim_order_node(node_id, GMS_FAULT_RESET_NIC, 0);
}

gm_status_t gmsim_kill_rank_at(unsigned rank, uint64_t time_ps)
{
    gms_sim_t *sim = gms_sim_joined();
    gms_fault_order_t order = {.kind = GMS_FAULT_KILL_RANK, .number = rank};

    if (sim == NULL) {
        return GM_FAILURE;
    }
    return rank < sim->root->size ? gmsim_order(&order, time_ps)
                                  : GM_INVALID_PARAMETER;
}

gm_status_t gmsim_get_fault_counts(gmsim_fault_counts_t *counts)
{
    gms_sim_t *sim = gms_sim_joined();
    const gms_fault_counts_t *done;
    unsigned node;

    if (counts == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (sim == NULL) {
        return GM_FAILURE;
    }
    memset(counts, 0, sizeof(*counts));
    gms_sim_begin_turn(sim);
    done = gms_fabric_fault_counts(sim->root->fabric);
    counts->dropped = done->dropped;
    counts->damaged_header = done->damaged_header;
    counts->damaged_payload = done->damaged_payload;
    counts->duplicated = done->duplicated;
    counts->delayed = done->delayed;
    counts->links_down = done->links_down;
    counts->lost_on_link = done->lost_on_link;
    counts->cut_short = done->cut_short;
    for (node = 0; node < gms_fabric_nodes(sim->root->fabric); ++node) {
        const gms_nic_counters_t *nic = gms_nic_counters(sim->root->nics[node]);

        counts->bad_crc_header += nic->invalid_crc8;
        counts->bad_crc_payload += nic->invalid_crc32;
        counts->out_of_sequence_early += nic->out_of_sequence_early;
        counts->out_of_sequence_late += nic->out_of_sequence_late;
        counts->no_buffer += nic->no_buffer_drops;
        counts->closed_port += nic->closed_port_drops;
        counts->rejected += nic->rejected_drops;
        counts->resent += nic->resent_packets;
        counts->probes += nic->probes_sent;
        counts->acks += nic->acks_sent;
        counts->nacks += nic->nacks_sent;
        counts->nic_resets += nic->resets;
        counts->reset_lost += nic->reset_lost_packets;
    }
    gms_sim_end(sim, sim->root->params.host_clock_read_ps);
    return GM_SUCCESS;
}
