/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wormhole switching, an event per hop.
 *
 * A head moves link by link; a worm keeps every link that its head has entered
 * until its tail has. It streams only once the target's NIC has accepted it:
 * while the head waits anywhere, the bytes behind it stand still (Stop&Go), and
 * what the slack buffers could hold meanwhile is left out (80 bytes of 4 KB).
 * [source: gulati 2001 thesis 2.3; assumed: no slack buffers]
 */
#include "fabric/fabric_int.h"

#include <assert.h>

/* The head enters the link that worm->link names. */
static void gms_worm_enter(gms_ctx_t *ctx, gms_fabric_t *fabric,
                           gms_worm_t *worm)
{
    gms_link_t *link = &fabric->links[worm->link];
    gms_time_t at_ps =
        gms_engine_now(ctx->engine) + fabric->link_propagation_ps;

    assert(link->owner == NULL);
    link->owner = worm;
    worm->wire_ps += fabric->link_propagation_ps;
    if (link->to.kind == GMS_END_NODE) {
        const gms_fabric_port_t *port = &fabric->ports[link->to.index];

        worm->arrive_ps = at_ps;
        gms_engine_schedule(ctx, &fabric->origin, at_ps, port->on_request,
                            port->object, (uintptr_t)worm, 0);
        return;
    }
    /* The switch has read the route byte and set its path up. */
    at_ps += fabric->switch_routing_ps;
    worm->switch_ps += fabric->switch_routing_ps;
    worm->arrive_ps = at_ps;
    gms_engine_schedule(ctx, &fabric->origin, at_ps, GMS_FABRIC_ON_HEAD, fabric,
                        (uintptr_t)worm, 0);
}

static void gms_worm_inject(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            gms_worm_t *worm)
{
    worm->hop = 0;
    worm->link = fabric->node_link[worm->source];
    worm->inject_ps = gms_engine_now(ctx->engine);
    worm->wire_ps = 0;
    worm->switch_ps = 0;
    gms_worm_enter(ctx, fabric, worm);
}

/* A head at a switch asks for its output port. */
static void gms_worm_on_head(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_fabric_t *fabric = event->object;
    gms_worm_t *worm = (gms_worm_t *)(uintptr_t)event->arg[0];
    uint32_t input = fabric->links[worm->link].to.port;
    uint32_t number = gms_fabric_next_link(fabric, worm);
    gms_link_t *out = &fabric->links[number];

    if (out->owner != NULL) {
        assert(out->waiting[input] == NULL);
        out->waiting[input] = worm;
        ++out->waiting_count;
        return;
    }
    out->last_input = input;
    worm->link = number;
    ++worm->hop;
    gms_worm_enter(ctx, fabric, worm);
}

/* A tail has entered the link: its output port serves the next input in turn.
 * [source: gulati 2001 thesis 2.3: round-robin at the output ports] */
static void gms_worm_on_release(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_fabric_t *fabric = event->object;
    uint32_t number = (uint32_t)event->arg[0];
    gms_link_t *link = &fabric->links[number];
    gms_worm_t *worm;
    uint32_t ports, input;

    assert(link->owner != NULL);
    link->owner = NULL;
    if (link->waiting_count == 0) {
        return;
    }
    ports = fabric->switches[link->from.index].ports;
    input = link->last_input;
    do {
        input = (input + 1) % ports;
    } while (link->waiting[input] == NULL);
    worm = link->waiting[input];
    link->waiting[input] = NULL;
    --link->waiting_count;
    link->last_input = input;
    worm->switch_ps += gms_engine_now(ctx->engine) - worm->arrive_ps;
    worm->link = number;
    ++worm->hop;
    gms_worm_enter(ctx, fabric, worm);
}

/* Nothing is in the way any more: the rest follows at the link's rate. A link
 * is free as soon as the tail has entered it, its far end a propagation later;
 * the last byte left the source that much earlier than it arrives. */
static void gms_worm_accept(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            gms_worm_t *worm)
{
    const gms_fabric_port_t *source = &fabric->ports[worm->source];
    const gms_fabric_port_t *target = &fabric->ports[worm->target];
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_time_t stream_ps =
        gms_transfer_ps(worm->wire_bytes, fabric->link_bytes_s);
    gms_time_t end_ps = now_ps + stream_ps;
    uint32_t links[GMS_ROUTE_MAX + 1];
    unsigned count = gms_fabric_links(fabric, worm->source, worm->target, links,
                                      GMS_ROUTE_MAX + 1);
    unsigned i;

    worm->wire_ps += stream_ps;
    for (i = 0; i < count; ++i) {
        gms_time_t ahead_ps = (count - i) * fabric->link_propagation_ps;
        /* A packet shorter than its path: its tail left before this moment,
         * but the past cannot be changed. */
        gms_time_t pass_ps = stream_ps > ahead_ps ? end_ps - ahead_ps : now_ps;

        gms_engine_schedule(ctx, &fabric->origin, pass_ps,
                            GMS_FABRIC_ON_RELEASE, fabric, links[i], 0);
        if (i == 0) {
            gms_engine_schedule(ctx, &fabric->origin, pass_ps, source->on_sent,
                                source->object, (uintptr_t)worm, 0);
        }
    }
    gms_engine_schedule(ctx, &fabric->origin, end_ps, target->on_arrived,
                        target->object, (uintptr_t)worm, 0);
}

const gms_fabric_ops_t gms_worm_ops = {
    .name = "worm",
    .inject = gms_worm_inject,
    .accept = gms_worm_accept,
    .on_head = gms_worm_on_head,
    .on_release = gms_worm_on_release,
};
