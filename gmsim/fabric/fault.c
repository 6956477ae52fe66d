/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Draws packet faults (drop, damage, duplicate) at injection, takes links down
 * and up, and counts the faults. The files worm.c and flit_model.c handle worms
 * and flits on a broken link. The file faults.h describes faults at configured
 * times.
 */
#include "fabric/fault.h"

#include <assert.h>

#include "fabric/fabric_int.h"

#define GMS_FAULT_MILLION 1000000u

/* Number of the first node's random stream. Outages use the stream with the
 * next lower number. All other random streams have numbers far from these
 * numbers. */
#define GMS_FAULT_STREAM UINT64_C(0x6661756c74000001)

static void gms_fault_set(gms_fabric_t *fabric, const gms_fault_rates_t *rates)
{
    fabric->rates = *rates;
    fabric->draws_faults = (rates->drop_ppm | rates->damage_header_ppm |
                            rates->damage_payload_ppm | rates->duplicate_ppm |
                            rates->delay_ppm) != 0;
}

void gms_fault_init(gms_fabric_t *fabric, const gms_params_t *params)
{
    gms_fault_rates_t rates = {
        .drop_ppm = (uint32_t)params->fault_drop_ppm,
        .damage_header_ppm = (uint32_t)params->fault_damage_header_ppm,
        .damage_payload_ppm = (uint32_t)params->fault_damage_payload_ppm,
        .duplicate_ppm = (uint32_t)params->fault_duplicate_ppm,
        .delay_ppm = (uint32_t)params->fault_delay_ppm,
        .delay_max_us = (uint32_t)params->fault_delay_max_us,
    };
    uint32_t node;

    for (node = 0; node < fabric->nodes; ++node) {
        gms_random_init(&fabric->chance[node], params->seed,
                        GMS_FAULT_STREAM + node);
    }
    gms_random_init(&fabric->outages, params->seed, GMS_FAULT_STREAM - 1);
    fabric->outages_per_s = params->fault_outages_per_s;
    fabric->outage_ps = params->fault_outage_us * GMS_US;
    gms_fault_set(fabric, &rates);
}

/* ---- packets ------------------------------------------------------------ */

/* Return 1 if a fault with this rate occurs. A rate of 0 consumes no random
 * number, so unused kinds of faults do not change the draws of other kinds. */
static int gms_fault_hits(gms_random_t *chance, uint32_t ppm)
{
    return ppm != 0 && gms_random_below(chance, GMS_FAULT_MILLION) < ppm;
}

int gms_fault_draw(gms_fabric_t *fabric, gms_worm_t *worm, gms_time_t now_ps)
{
    const gms_fault_rates_t *rates = &fabric->rates;
    gms_random_t *chance = &fabric->chance[worm->source];

    if (now_ps < fabric->calm_until_ps) {
        return 0;
    }
    if (gms_fault_hits(chance, rates->drop_ppm)) {
        ++fabric->counts.dropped;
        return 1;
    }
    if (gms_fault_hits(chance, rates->damage_header_ppm)) {
        worm->fate |= GMS_WORM_DAMAGE_HEADER;
    }
    if (gms_fault_hits(chance, rates->damage_payload_ppm)) {
        worm->fate |= GMS_WORM_DAMAGE_PAYLOAD;
    }
    if (worm->fate != 0) {
        worm->damage = gms_random_u64(chance);
    }
    if (gms_fault_hits(chance, rates->duplicate_ppm)) {
        worm->fate |= GMS_WORM_DUPLICATE;
    }
    if (gms_fault_hits(chance, rates->delay_ppm)) {
        worm->fate |= GMS_WORM_DELAY;
        worm->delay_ps =
            1 + gms_random_below(chance, rates->delay_max_us * GMS_US);
    }
    return 0;
}

void gms_fault_arrives(gms_fabric_t *fabric, const gms_worm_t *worm)
{
    fabric->counts.delayed += worm->delay_ps != 0;
    /* The truncated packet has already been counted. */
    if (worm->fate & GMS_WORM_CUT) {
        return;
    }
    if (worm->fate & GMS_WORM_DAMAGE_HEADER) {
        ++fabric->counts.damaged_header;
    } else if (worm->fate & GMS_WORM_DAMAGE_PAYLOAD) {
        ++fabric->counts.damaged_payload;
    }
}

void gms_fault_cut(gms_fabric_t *fabric, gms_worm_t *worm)
{
    /* A packet has at most one damage fault. Otherwise the numbers of injected
     * and detected faults would differ, and two flips of the same bit would
     * cancel each other. */
    if (worm->fate & (GMS_WORM_DAMAGE_HEADER | GMS_WORM_DAMAGE_PAYLOAD)) {
        return;
    }
    ++fabric->counts.cut_short;
    worm->fate |= GMS_WORM_CUT | GMS_WORM_DAMAGE_HEADER;
    worm->damage = gms_random_u64(&fabric->chance[worm->source]);
}

gms_worm_t *gms_fault_repeat(gms_ctx_t *ctx, gms_fabric_t *fabric,
                             gms_worm_t *worm)
{
    const gms_fabric_port_t *target = &fabric->ports[worm->target];
    const gms_path_t *path = worm->path;
    const gms_link_t *last = &fabric->links[path->link[path->count - 1]];
    gms_worm_t *copy = NULL;
    gms_event_t call = {
        .time_ps = gms_engine_now(ctx->engine),
        .origin = fabric->origin.id,
        .handler = target->on_copy,
        .object = target->object,
        .arg = {(uintptr_t)worm, (uintptr_t)&copy},
    };

    if (target->on_copy != 0 && last->down_until_ps <= call.time_ps) {
        ctx->handlers[target->on_copy](ctx, &call);
    }
    if (copy != NULL) {
        ++fabric->counts.duplicated;
        copy->fate = GMS_WORM_ECHO;
        copy->delay_ps = 0;
        copy->arrive_ps = call.time_ps;
    }
    return copy;
}

void gms_fault_on_lost(gms_ctx_t *ctx, const gms_event_t *event)
{
    const gms_fabric_t *fabric = event->object;
    gms_worm_t *worm = (gms_worm_t *)(uintptr_t)event->arg[0];
    const gms_fabric_port_t *source = &fabric->ports[worm->source];
    gms_event_t call = *event;

    if (source->on_lost == 0) {
        gms_arena_free(ctx->arena, worm);
        return;
    }
    call.handler = source->on_lost;
    call.object = source->object;
    ctx->handlers[source->on_lost](ctx, &call);
}

/* ---- links -------------------------------------------------------------- */

void gms_fabric_link_down(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t number,
                          gms_time_t until_ps)
{
    gms_link_t *link = &fabric->links[number];
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    assert(number < fabric->link_count);
    if (until_ps <= now_ps) {
        return;
    }
    ++fabric->counts.links_down;
    if (until_ps > link->down_until_ps) {
        link->down_until_ps = until_ps;
    }
    gms_fabric_models[fabric->model]->sever(ctx, fabric, number);
}

uint32_t gms_fabric_link_of(const gms_fabric_t *fabric, unsigned node,
                            int into_node)
{
    return gms_topology_node_link(fabric->topology, node, into_node);
}

void gms_fabric_node_down(gms_ctx_t *ctx, gms_fabric_t *fabric, unsigned node,
                          gms_time_t until_ps)
{
    gms_fabric_link_down(ctx, fabric, gms_fabric_link_of(fabric, node, 0),
                         until_ps);
    gms_fabric_link_down(ctx, fabric, gms_fabric_link_of(fabric, node, 1),
                         until_ps);
}

/* Schedule the next outage of a random link. The outages form a Poisson
 * process. */
static void gms_fault_plan_outage(gms_ctx_t *ctx, gms_fabric_t *fabric)
{
    double mean_ps = (double)GMS_SECOND / (double)fabric->outages_per_s;

    gms_engine_schedule_background(
        ctx, &fabric->origin,
        gms_engine_now(ctx->engine) +
            gms_random_exponential_ps(&fabric->outages, mean_ps),
        GMS_FABRIC_ON_OUTAGE, fabric, 0, 0);
}

void gms_fault_start(gms_ctx_t *ctx, gms_fabric_t *fabric)
{
    if (fabric->outages_per_s != 0) {
        gms_fault_plan_outage(ctx, fabric);
    }
}

void gms_fault_on_outage(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_fabric_t *fabric = event->object;
    uint32_t link =
        (uint32_t)gms_random_below(&fabric->outages, fabric->link_count);

    if (event->time_ps >= fabric->calm_until_ps) {
        gms_fabric_link_down(ctx, fabric, link,
                             event->time_ps + fabric->outage_ps);
    }
    gms_fault_plan_outage(ctx, fabric);
}

/* ---- settings and counters ---------------------------------------------- */

void gms_fabric_set_fault_rates(gms_fabric_t *fabric,
                                const gms_fault_rates_t *rates)
{
    gms_fault_set(fabric, rates);
}

void gms_fabric_calm(gms_fabric_t *fabric, gms_time_t until_ps)
{
    fabric->calm_until_ps = until_ps;
}

const gms_fault_counts_t *gms_fabric_fault_counts(const gms_fabric_t *fabric)
{
    return &fabric->counts;
}
