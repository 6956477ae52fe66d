/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the fabric model `worm`: wormhole switching with one event per
 * hop.
 *
 * A head moves from link to link. A worm keeps every link that its head has
 * entered until its tail has passed the link. The worm's bytes stream only
 * after the target's NIC has accepted the worm. While the head waits, the bytes
 * behind the head do not move (Stop&Go). The model neglects the bytes in slack
 * buffers (80 bytes of a 4 KB packet). [source: gulati 2001 thesis 2.3;
 * assumed: no slack buffers]
 *
 * As soon as a worm streams, the fabric knows when its links will become free.
 * In most cases, no packet waits for these links. The fabric therefore
 * schedules an event only for links with waiting packets.
 *
 * A link that is down accepts no packet. A worm whose head requests such a link
 * is lost, but the source still sends the worm's remaining bytes.
 */
#include "fabric/fabric_int.h"

#include <assert.h>

static void gms_worm_take(const gms_ctx_t *ctx, gms_link_t *link,
                          gms_worm_t *worm)
{
    link->last = worm;
    link->taken_ps = gms_engine_now(ctx->engine);
    link->free.time_ps = GMS_NEVER;
    link->free.order = UINT64_MAX;
    link->is_awaited = 0;
}

/* Schedule an event for the time when the link becomes free. */
static void gms_worm_await(gms_ctx_t *ctx, gms_fabric_t *fabric,
                           uint32_t number)
{
    gms_link_t *link = &fabric->links[number];

    if (!link->is_awaited && link->free.time_ps != GMS_NEVER) {
        link->is_awaited = 1;
        gms_engine_schedule_at(ctx, &link->free, GMS_FABRIC_ON_RELEASE, fabric,
                               number, 0);
    }
}

/* Record that the tail of a link's worm enters the link at the time at_ps, and
 * that the link becomes free at this time. The worm's bytes move for the time
 * stream_ps from now on. */
static void gms_worm_free_at(gms_ctx_t *ctx, gms_fabric_t *fabric,
                             uint32_t number, gms_time_t at_ps,
                             gms_time_t stream_ps)
{
    gms_link_t *link = &fabric->links[number];

    link->held_ps += at_ps - link->taken_ps;
    link->moving_ps += stream_ps;
    link->free = gms_engine_keep_key(&fabric->origin, at_ps);
    if (link->waiting_count != 0 ||
        gms_engine_is_past(ctx->engine, &link->free) ||
        (link->last->fate & GMS_WORM_DUPLICATE)) {
        gms_worm_await(ctx, fabric, number);
    }
}

/* Drop a worm. The links that the worm holds become free when the source has
 * sent all bytes of the worm. */
static void gms_worm_lose(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_worm_t *worm, unsigned held)
{
    const gms_fabric_port_t *source = &fabric->ports[worm->source];
    gms_time_t stream_ps =
        gms_transfer_ps(worm->wire_bytes, fabric->time.bytes_s);
    gms_time_t end_ps = gms_engine_now(ctx->engine) + stream_ps;
    unsigned i;

    worm->fate |= GMS_WORM_LOST;
    for (i = 0; i < held; ++i) {
        gms_worm_free_at(ctx, fabric, worm->path->link[i], end_ps, stream_ps);
    }
    gms_engine_schedule(ctx, &fabric->origin, end_ps, source->on_sent,
                        source->object, (uintptr_t)worm, 0);
    /* This event is scheduled after the releases of the links, because the
     * links refer to the worm as their owner until they are released. */
    gms_engine_schedule(ctx, &fabric->origin, end_ps, GMS_FABRIC_ON_LOST,
                        fabric, (uintptr_t)worm, 0);
}

/* Drop a worm whose head has not left its source's link yet. The worm
 * nevertheless occupies this link. */
static void gms_worm_swallow(gms_ctx_t *ctx, gms_fabric_t *fabric,
                             gms_worm_t *worm)
{
    worm->link = worm->path->link[0];
    if (gms_reserved_carries(fabric, worm)) {
        gms_reserved_swallow(ctx, fabric, worm);
        return;
    }
    assert(gms_link_owner(ctx, &fabric->links[worm->link]) == NULL);
    gms_worm_take(ctx, &fabric->links[worm->link], worm);
    gms_worm_lose(ctx, fabric, worm, 1);
}

/* Let the head enter the link worm->link. The worm already holds worm->hop
 * links. */
static void gms_worm_enter(gms_ctx_t *ctx, gms_fabric_t *fabric,
                           gms_worm_t *worm)
{
    gms_link_t *link = &fabric->links[worm->link];
    const gms_link_end_t *to = gms_fabric_to(fabric, worm->link);
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_time_t at_ps = now_ps + fabric->time.propagation_ps;

    assert(gms_link_owner(ctx, link) == NULL);
    if (link->down_until_ps > now_ps) {
        ++fabric->counts.lost_on_link;
        if (worm->hop == 0) {
            gms_worm_swallow(ctx, fabric, worm);
        } else {
            gms_worm_lose(ctx, fabric, worm, worm->hop);
        }
        return;
    }
    gms_worm_take(ctx, link, worm);
    worm->wire_ps += fabric->time.propagation_ps;
    if (to->kind == GMS_END_NODE) {
        const gms_fabric_port_t *port = &fabric->ports[to->index];

        worm->arrive_ps = at_ps;
        gms_engine_schedule(ctx, &fabric->origin, at_ps, port->on_request,
                            port->object, (uintptr_t)worm, 0);
        return;
    }
    /* at this time, the switch has read the route byte and connected its
     * ports */
    at_ps += fabric->time.routing_ps;
    worm->switch_ps += fabric->time.routing_ps;
    worm->arrive_ps = at_ps;
    gms_engine_schedule(ctx, &fabric->origin, at_ps, GMS_FABRIC_ON_HEAD, fabric,
                        (uintptr_t)worm, 0);
}

static void gms_worm_inject(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            gms_worm_t *worm)
{
    if (gms_reserved_carries(fabric, worm)) {
        gms_reserved_inject(ctx, fabric, worm);
        return;
    }
    worm->paused_until_ps = 0;
    worm->may_pause = 0;
    worm->hop = 0;
    worm->link = worm->path->link[0];
    worm->inject_ps = gms_engine_now(ctx->engine);
    worm->wire_ps = 0;
    worm->switch_ps = 0;
    worm->blocked_ps = 0;
    gms_worm_enter(ctx, fabric, worm);
}

/* Request the output port for a head that has reached a switch. */
static void gms_worm_on_head(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_fabric_t *fabric = event->object;
    gms_worm_t *worm = (gms_worm_t *)(uintptr_t)event->arg[0];
    uint32_t input = gms_fabric_to(fabric, worm->link)->port;
    uint32_t number = worm->path->link[worm->hop + 1];
    gms_link_t *out = &fabric->links[number];

    if (worm->fate & GMS_WORM_SEVERED) {
        gms_worm_lose(ctx, fabric, worm, worm->hop + 1);
        return;
    }
    if (gms_link_owner(ctx, out) != NULL) {
        assert(out->waiting[input] == NULL);
        out->waiting[input] = worm;
        ++out->waiting_count;
        gms_worm_await(ctx, fabric, number);
        return;
    }
    out->last_input = input;
    worm->link = number;
    ++worm->hop;
    gms_worm_enter(ctx, fabric, worm);
}

/* Assign a free link to the next input in turn.
 * [source: gulati 2001 thesis 2.3: round-robin at the output ports] */
static void gms_worm_serve(gms_ctx_t *ctx, gms_fabric_t *fabric,
                           uint32_t number)
{
    gms_link_t *link = &fabric->links[number];
    uint32_t ports = gms_topology_ports(
        fabric->topology, gms_topology_from(fabric->topology, number)->index);
    uint32_t input = link->last_input;
    gms_worm_t *worm;

    do {
        input = (input + 1) % ports;
    } while (link->waiting[input] == NULL);
    worm = link->waiting[input];
    link->waiting[input] = NULL;
    --link->waiting_count;
    link->last_input = input;
    worm->switch_ps += gms_engine_now(ctx->engine) - worm->arrive_ps;
    worm->blocked_ps += gms_engine_now(ctx->engine) - worm->arrive_ps;
    worm->link = number;
    ++worm->hop;
    gms_fabric_waited(ctx, fabric, worm, worm->hop,
                      gms_engine_now(ctx->engine) - worm->arrive_ps);
    gms_worm_enter(ctx, fabric, worm);
}

/* Create the copy of a packet that arrives twice. The packet's tail has entered
 * the last link, and the copy now holds this link. */
static void gms_worm_repeat(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            gms_worm_t *worm)
{
    const gms_fabric_port_t *target = &fabric->ports[worm->target];
    gms_worm_t *copy = gms_fault_repeat(ctx, fabric, worm);

    if (copy == NULL) {
        return;
    }
    copy->arrive_ps += fabric->time.propagation_ps;
    gms_worm_take(ctx, &fabric->links[copy->link], copy);
    gms_engine_schedule(ctx, &fabric->origin, copy->arrive_ps,
                        target->on_request, target->object, (uintptr_t)copy, 0);
}

/* Release a link after the tail of a worm has entered it. This event is
 * scheduled only if packets or a copy wait for the link. */
static void gms_worm_on_release(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_fabric_t *fabric = event->object;
    uint32_t number = (uint32_t)event->arg[0];
    gms_link_t *link = &fabric->links[number];
    gms_worm_t *last = link->last;

    assert(last != NULL && link->is_awaited);
    if (event->time_ps < link->free.time_ps) {
        /* The link is not yet free, because its worm has paused since this
         * event was scheduled. */
        gms_engine_schedule_at(ctx, &link->free, GMS_FABRIC_ON_RELEASE, fabric,
                               number, 0);
        return;
    }
    link->last = NULL;
    link->is_awaited = 0;
    if ((last->fate & GMS_WORM_DUPLICATE) &&
        gms_fabric_to(fabric, number)->kind == GMS_END_NODE) {
        gms_worm_repeat(ctx, fabric, last);
    }
    /* If the link is down, this loop serves more than one worm, because worms
     * that request the link are lost and do not occupy it. */
    while (link->waiting_count != 0 && gms_link_owner(ctx, link) == NULL) {
        gms_worm_serve(ctx, fabric, number);
    }
}

/* Handle the worm, if any, on a link that has broken. */
static void gms_worm_sever(gms_ctx_t *ctx, gms_fabric_t *fabric,
                           uint32_t number)
{
    gms_worm_t *worm = gms_link_owner(ctx, &fabric->links[number]);
    const gms_link_end_t *to;
    gms_link_t *out;

    if (fabric->reserved != NULL) {
        gms_reserved_sever(fabric, number);
    }

    if (worm == NULL || (worm->fate & (GMS_WORM_LOST | GMS_WORM_SEVERED))) {
        return;
    }
    to = gms_fabric_to(fabric, worm->link);
    if (to->kind == GMS_END_NODE) {
        gms_fault_cut(fabric, worm);
        return;
    }
    ++fabric->counts.lost_on_link;
    out = &fabric->links[worm->path->link[worm->hop + 1]];
    if (out->waiting[to->port] == worm) {
        out->waiting[to->port] = NULL;
        --out->waiting_count;
        gms_worm_lose(ctx, fabric, worm, worm->hop + 1);
    } else {
        /* the worm's head is between two switches */
        worm->fate |= GMS_WORM_SEVERED;
    }
}

/* Accept the second copy of a packet. The copy holds only the last link, and
 * the source does not wait until the copy has arrived. */
static void gms_worm_accept_echo(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                 gms_worm_t *copy)
{
    const gms_fabric_port_t *target = &fabric->ports[copy->target];
    gms_time_t stream_ps =
        gms_transfer_ps(copy->wire_bytes, fabric->time.bytes_s);
    gms_time_t end_ps = gms_engine_now(ctx->engine) + stream_ps;

    copy->wire_ps += stream_ps;
    copy->stream_ps = stream_ps;
    gms_worm_free_at(ctx, fabric, copy->link, end_ps, stream_ps);
    gms_engine_schedule(ctx, &fabric->origin, end_ps, target->on_arrived,
                        target->object, (uintptr_t)copy, 0);
}

/* Notify the source that a worm's tail has left, or the target that the tail
 * has arrived. If reserved packets can pause the worm, the end may move to a
 * later time. An event of the fabric therefore checks the time of the end
 * first. */
static inline void gms_worm_tell(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                 gms_worm_t *worm, gms_time_t at_ps,
                                 int is_arrival)
{
    const gms_fabric_port_t *port =
        &fabric->ports[is_arrival ? worm->target : worm->source];

    if (worm->may_pause) {
        gms_engine_schedule(ctx, &fabric->origin, at_ps, GMS_FABRIC_ON_TAIL,
                            fabric, (uintptr_t)worm, (uint64_t)is_arrival);
        return;
    }
    gms_engine_schedule(ctx, &fabric->origin, at_ps,
                        is_arrival ? port->on_arrived : port->on_sent,
                        port->object, (uintptr_t)worm, 0);
}

void gms_worm_on_tail(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_fabric_t *fabric = event->object;
    gms_worm_t *worm = (gms_worm_t *)(uintptr_t)event->arg[0];
    int is_arrival = event->arg[1] != 0;
    gms_time_t due_ps = is_arrival ? worm->end_ps : worm->sent_ps;
    const gms_fabric_port_t *port =
        &fabric->ports[is_arrival ? worm->target : worm->source];
    gms_event_t call = *event;

    if (event->time_ps < due_ps) {
        gms_worm_tell(ctx, fabric, worm, due_ps, is_arrival);
        return;
    }
    call.handler = is_arrival ? port->on_arrived : port->on_sent;
    call.object = port->object;
    call.arg[1] = 0;
    ctx->handlers[call.handler](ctx, &call);
}

/* Pause a streaming worm from one time until another. Pauses on several links
 * of the worm's route can overlap, so the function adds only the part that lies
 * after the previous pause. */
static void gms_worm_stop(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_worm_t *worm, gms_time_t from_ps,
                          gms_time_t until_ps)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    const gms_path_t *path = worm->path;
    gms_time_t more_ps;
    unsigned i;

    from_ps = worm->paused_until_ps > from_ps ? worm->paused_until_ps : from_ps;
    if (until_ps <= from_ps) {
        return;
    }
    more_ps = until_ps - from_ps;
    worm->paused_until_ps = until_ps;
    worm->switch_ps += more_ps;
    worm->blocked_ps += more_ps;
    if (worm->sent_ps > now_ps) {
        worm->sent_ps += more_ps;
    }
    worm->end_ps += more_ps;
    for (i = 0; i < path->count; ++i) {
        gms_link_t *link = &fabric->links[path->link[i]];

        if (link->last == worm && link->free.time_ps > now_ps) {
            link->free.time_ps += more_ps;
            link->held_ps += more_ps;
        }
    }
}

/* Pause the best-effort worm that streams over a link, if there is one. */
static void gms_worm_pause(gms_ctx_t *ctx, gms_fabric_t *fabric,
                           uint32_t number, gms_time_t from_ps,
                           gms_time_t until_ps)
{
    gms_worm_t *worm = gms_link_owner(ctx, &fabric->links[number]);

    if (worm != NULL && fabric->links[number].free.time_ps != GMS_NEVER &&
        worm->may_pause && !(worm->fate & (GMS_WORM_LOST | GMS_WORM_ECHO))) {
        gms_worm_stop(ctx, fabric, worm, from_ps, until_ps);
    }
}

/* Pause a worm that begins to stream while reserved packets use links of its
 * route. */
static void gms_worm_pause_first(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                 gms_worm_t *worm)
{
    gms_time_t until_ps = 0;
    unsigned i;

    for (i = 0; i < worm->path->count; ++i) {
        gms_time_t busy_ps =
            fabric->reserved[worm->path->link[i]].busy_until_ps;

        until_ps = busy_ps > until_ps ? busy_ps : until_ps;
    }
    gms_worm_stop(ctx, fabric, worm, gms_engine_now(ctx->engine), until_ps);
}

/* Let a worm stream at the rate of the links after its target has accepted it.
 * A link becomes free as soon as the tail has entered the link. The tail
 * reaches the link's end one propagation time later. The last byte leaves the
 * source before it arrives; the difference is the sum of the propagation times
 * of the route. */
static void gms_worm_accept(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            gms_worm_t *worm)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_time_t stream_ps =
        gms_transfer_ps(worm->wire_bytes, fabric->time.bytes_s);
    gms_time_t end_ps = now_ps + stream_ps;
    const gms_path_t *path = worm->path;
    unsigned i;

    if (gms_reserved_carries(fabric, worm)) {
        gms_reserved_accept(ctx, fabric, worm);
        return;
    }
    if (worm->fate != 0) {
        if (worm->fate & GMS_WORM_ECHO) {
            gms_worm_accept_echo(ctx, fabric, worm);
            return;
        }
        gms_fault_arrives(fabric, worm);
    }
    worm->may_pause = fabric->is_reserved;
    worm->wire_ps += stream_ps;
    worm->stream_ps = stream_ps;
    worm->blocked_ps += now_ps - worm->arrive_ps;
    gms_fabric_waited(ctx, fabric, worm, path->count - 1,
                      now_ps - worm->arrive_ps);
    for (i = 0; i < path->count; ++i) {
        gms_time_t ahead_ps = (path->count - i) * fabric->time.propagation_ps;
        /* If a packet is so short that it does not fill its whole route, its
         * tail has already left this link. In this case, use the current time,
         * because no event can be in the past. */
        gms_time_t pass_ps = stream_ps > ahead_ps ? end_ps - ahead_ps : now_ps;

        gms_worm_free_at(ctx, fabric, path->link[i], pass_ps, stream_ps);
        if (i == 0) {
            worm->sent_ps = pass_ps;
            gms_worm_tell(ctx, fabric, worm, pass_ps, 0);
        }
    }
    worm->end_ps = end_ps + worm->delay_ps;
    gms_worm_tell(ctx, fabric, worm, worm->end_ps, 1);
    if (worm->may_pause) {
        gms_worm_pause_first(ctx, fabric, worm);
    }
}

/* Return the time at which the latest use of a link ended, or the current time
 * if the link is still in use. */
static gms_time_t gms_worm_used_until(const gms_fabric_t *fabric,
                                      uint32_t number, gms_time_t now_ps)
{
    gms_time_t until_ps = fabric->links[number].free.time_ps;

    if (fabric->reserved != NULL &&
        fabric->reserved[number].busy_until_ps > until_ps) {
        until_ps = fabric->reserved[number].busy_until_ps;
    }
    return until_ps < now_ps ? until_ps : now_ps; /* GMS_NEVER means that the
                                                   * link is still in use */
}

/* Return the usage of a link from the start of the run to the current time. The
 * link's counters also include future usage that is already known, which the
 * function subtracts. */
static void gms_worm_use(const gms_fabric_t *fabric, uint32_t number,
                         gms_time_t now_ps, gms_link_use_t *use)
{
    const gms_link_t *link = &fabric->links[number];
    gms_time_t reserved_ps = gms_reserved_moving(fabric, number, now_ps);
    gms_time_t ahead_ps, until_ps;

    use->held_ps = link->held_ps;
    use->moving_ps = link->moving_ps;
    if (link->free.time_ps == GMS_NEVER) {
        use->held_ps += now_ps - link->taken_ps;
    } else if (link->free.time_ps > now_ps) {
        ahead_ps = link->free.time_ps - now_ps;
        use->held_ps -= ahead_ps;
        if (fabric->reserved != NULL && ahead_ps > link->last->stream_ps) {
            ahead_ps = link->last->stream_ps; /* no bytes move during pauses */
        }
        use->moving_ps -= ahead_ps;
    }
    use->moving_ps += reserved_ps;
    /* A worm may have held the link while reserved packets moved. The sum would
     * count this time twice, so the result is limited to the time until the
     * last use of the link. The idle time after this use is excluded, because a
     * record has no entry for an idle link. */
    use->held_ps += reserved_ps;
    until_ps = gms_worm_used_until(fabric, number, now_ps);
    use->held_ps = use->held_ps < until_ps ? use->held_ps : until_ps;
}

const gms_fabric_ops_t gms_worm_ops = {
    .name = "worm",
    .create = gms_reserved_create,
    .inject = gms_worm_inject,
    .accept = gms_worm_accept,
    .swallow = gms_worm_swallow,
    .sever = gms_worm_sever,
    .use = gms_worm_use,
    .on_head = gms_worm_on_head,
    .on_release = gms_worm_on_release,
    .yield = gms_worm_pause,
};
