/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements reserved lanes. Packets of the classes that precede best effort
 * use these lanes, and never hold a link while they wait. All fabric models use
 * the reserved lanes. The models differ in how they delay best-effort packets
 * in favour of reserved packets (gms_fabric_ops_t: clear_ps, yield, resume).
 *
 * Reserved packets use virtual cut-through. An input port of a switch has
 * memory for several full packets of every class. A packet's head enters a link
 * only when a buffer at the end of the link is free. If the head must wait in
 * the switch, the buffer absorbs the whole packet, and the link over which the
 * packet arrived becomes free again. A buffer is occupied from the head's entry
 * until the tail has left the switch. On a link into a NIC, a packet needs a
 * receive buffer of the NIC instead.
 *
 * An output port serves the real-time lane before the control lane. The packets
 * of a lane are served in order of arrival. The transfer of a packet over a
 * link is never interrupted. Best-effort bytes wait while a reserved packet
 * crosses the link. If a packet leaves a switch faster than it arrives, the
 * switch delays its head until its bytes arrive in time. [source: Kermani and
 * Kleinrock, Virtual cut-through, 1979; the lanes are this project's own
 * design, doc/design/0022-guarantees.md]
 */
#include <assert.h>
#include <stdio.h>

#include "base/queue.h"
#include "fabric/fabric_int.h"

GMS_QUEUE_DEFINE(gms_reserved_lane, gms_reserved_lane_t, gms_worm_t, next);

gms_status_t gms_reserved_alloc(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                uint32_t lanes, uint64_t bytes,
                                char error[GMS_TOPOLOGY_ERROR_LEN])
{
    uint32_t i;

    fabric->reserved = gms_arena_alloc(
        ctx->arena, fabric->link_count * sizeof(*fabric->reserved));
    fabric->lanes =
        gms_arena_alloc(ctx->arena, (size_t)fabric->link_count * lanes *
                                        sizeof(*fabric->lanes));
    if (fabric->reserved == NULL || fabric->lanes == NULL) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "the reserved lanes of %u links need more memory than the "
                 "arena has left; set a larger arena_bytes",
                 fabric->link_count);
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < fabric->link_count; ++i) {
        fabric->reserved[i].lane = fabric->lanes + (size_t)i * lanes;
    }
    fabric->lanes_per_link = lanes;
    fabric->reserved_bytes = bytes;
    return GMS_OK;
}

gms_status_t gms_reserved_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                 const gms_params_t *params,
                                 char error[GMS_TOPOLOGY_ERROR_LEN])
{
    if (params->undeclared != GMS_UNDECLARED_BEST_EFFORT) {
        return GMS_OK;
    }
    fabric->classes = GMS_LANE_CLASSES;
    return gms_reserved_alloc(
        ctx, fabric, GMS_RESERVED_CLASSES,
        params->switch_reserved_packets *
            (params->nic_mtu_bytes + params->nic_header_bytes),
        error);
}

static gms_reserved_lane_t *
gms_reserved_lane(gms_fabric_t *fabric, unsigned traffic_class, uint32_t number)
{
    unsigned lane = fabric->table == NULL
                        ? traffic_class
                        : fabric->table->lane_of[number][traffic_class];

    return &fabric->reserved[number].lane[lane];
}

/* Return the time from the first byte of a packet on a link to its last
 * byte. */
static gms_time_t gms_reserved_stream_ps(const gms_fabric_t *fabric,
                                         uint32_t number, uint64_t bytes)
{
    return fabric->table == NULL
               ? gms_link_stream_ps(&fabric->time, bytes)
               : gms_transfer_ps(bytes, fabric->table->bytes_s[number]);
}

static int gms_reserved_is_last(const gms_worm_t *worm, uint32_t hop)
{
    return hop + 1 == worm->path->count;
}

/* Return 1 if a worm that is about to use a link is lost. If the link is down,
 * the worm is lost now. */
static int gms_reserved_is_lost(const gms_ctx_t *ctx, gms_fabric_t *fabric,
                                gms_worm_t *worm)
{
    const gms_link_t *link = &fabric->links[worm->path->link[worm->hop]];

    if (!(worm->fate & GMS_WORM_LOST) &&
        link->down_until_ps > gms_engine_now(ctx->engine)) {
        ++fabric->counts.lost_on_link;
        worm->fate |= GMS_WORM_LOST;
        /* A worm that was already truncated is now lost, so it no longer
         * counts as truncated. */
        fabric->counts.cut_short -= (worm->fate & GMS_WORM_CUT) != 0;
    }
    return (worm->fate & GMS_WORM_LOST) != 0;
}

/* Request a receive buffer from the NIC behind the link for the first worm of a
 * lane. The head of this worm arrives at the NIC one propagation time later.
 * The link is free until the transfer begins. */
static void gms_reserved_ask(gms_ctx_t *ctx, gms_fabric_t *fabric,
                             gms_reserved_lane_t *lane)
{
    gms_worm_t *worm = lane->first;
    const gms_fabric_port_t *port;

    if (worm == NULL || lane->is_asked ||
        !gms_reserved_is_last(worm, worm->hop) ||
        gms_reserved_is_lost(ctx, fabric, worm)) {
        return;
    }
    lane->is_asked = 1;
    port = &fabric->ports[worm->target];
    gms_engine_schedule(ctx, &fabric->origin,
                        gms_engine_now(ctx->engine) +
                            fabric->time.propagation_ps,
                        port->on_request, port->object, (uintptr_t)worm, 0);
}

/* Return 1 if the lane's first packet has the buffer that it needs to enter the
 * link. */
static int gms_reserved_may_go(const gms_fabric_t *fabric,
                               const gms_reserved_lane_t *lane)
{
    const gms_worm_t *worm = lane->first;

    if (worm == NULL) {
        return 0;
    }
    if (worm->fate & GMS_WORM_LOST) {
        return 1; /* a lost worm needs no buffer */
    }
    if (gms_reserved_is_last(worm, worm->hop)) {
        return lane->may_go;
    }
    return fabric->eth != NULL ? !lane->is_paused
                               : lane->inside_bytes + worm->wire_bytes <=
                                     fabric->reserved_bytes;
}

/* Move the head to the end of the link. Do not call this function for a lost
 * packet. */
static void gms_reserved_lead(gms_ctx_t *ctx, gms_fabric_t *fabric,
                              gms_worm_t *worm, gms_time_t start_ps,
                              gms_time_t stream_ps)
{
    gms_time_t at_ps = start_ps + fabric->time.propagation_ps;

    /* The propagation times of the route have already been counted for the
     * first copy, which the second copy follows. */
    if (!(worm->fate & GMS_WORM_ECHO)) {
        worm->wire_ps += fabric->time.propagation_ps;
    }
    if (gms_reserved_is_last(worm, worm->hop)) {
        const gms_fabric_port_t *target = &fabric->ports[worm->target];

        worm->wire_ps += stream_ps;
        worm->stream_ps = stream_ps;
        if (!(worm->fate & GMS_WORM_ECHO)) {
            gms_fault_arrives(fabric, worm);
        }
        gms_engine_schedule(
            ctx, &fabric->origin, at_ps + stream_ps + worm->delay_ps,
            target->on_arrived, target->object, (uintptr_t)worm, 0);
        return;
    }
    if (fabric->eth == NULL) {
        gms_reserved_lane(fabric, worm->traffic_class, worm->link)
            ->inside_bytes += worm->wire_bytes;
    }
    at_ps += fabric->time.routing_ps;
    worm->switch_ps += fabric->time.routing_ps;
    worm->arrive_ps = at_ps;
    worm->end_ps = at_ps + stream_ps;
    gms_engine_schedule(ctx, &fabric->origin, at_ps, GMS_FABRIC_ON_LANE_HEAD,
                        fabric, (uintptr_t)worm, 0);
}

/* Return the time at which the first packet of a lane enters the link. This
 * time is in the past only if the packet had to request a buffer of a NIC. The
 * head of such a packet may have entered the link up to one propagation time
 * ago. At that time, the link was free and the request was on its way to the
 * NIC. */
static gms_time_t gms_reserved_start_ps(const gms_ctx_t *ctx,
                                        const gms_fabric_t *fabric,
                                        uint32_t number,
                                        const gms_reserved_lane_t *lane,
                                        gms_time_t stream_ps)
{
    const gms_fabric_ops_t *ops = gms_fabric_models[fabric->model];
    gms_time_t busy_ps = fabric->reserved[number].busy_until_ps;
    gms_time_t arrive_ps = lane->first->arrive_ps;
    gms_time_t start_ps = gms_engine_now(ctx->engine);

    if (lane->may_go) {
        start_ps -= fabric->time.propagation_ps;
        start_ps = busy_ps > start_ps ? busy_ps : start_ps;
    }
    start_ps = arrive_ps > start_ps ? arrive_ps : start_ps;
    if (lane->first->hop != 0 && start_ps + stream_ps < lane->first->end_ps) {
        /* The link is faster than the previous link of the route. The packet
         * must start late enough that its last byte has arrived before the link
         * sends this byte. */
        start_ps = lane->first->end_ps - stream_ps;
    }
    return ops->clear_ps != NULL ? ops->clear_ps(fabric, number, start_ps)
                                 : start_ps;
}

/* Start the transfer of a lane's first packet over the link. */
static void gms_reserved_start(gms_ctx_t *ctx, gms_fabric_t *fabric,
                               uint32_t number, gms_reserved_lane_t *lane)
{
    gms_reserved_link_t *link = &fabric->reserved[number];
    gms_worm_t *worm = lane->first;
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_time_t stream_ps =
        gms_reserved_stream_ps(fabric, number, worm->wire_bytes);
    gms_time_t start_ps =
        gms_reserved_start_ps(ctx, fabric, number, lane, stream_ps);
    int is_lost;

    if (lane->may_go && fabric->links[number].down_until_ps > now_ps) {
        /* The NIC has reserved a buffer for the packet. Therefore the packet
         * arrives, but it is truncated. */
        gms_fault_cut(fabric, worm);
    }
    is_lost = !lane->may_go && gms_reserved_is_lost(ctx, fabric, worm);
    (void)gms_reserved_lane_take(lane);
    lane->queued_bytes -= worm->wire_bytes;
    lane->is_asked = 0;
    lane->may_go = 0;
    lane->must_wait = 0;
    worm->link = number;
    worm->switch_ps += start_ps - worm->arrive_ps;
    worm->blocked_ps += start_ps - worm->arrive_ps;
    gms_fabric_waited(ctx, fabric, worm, worm->hop, start_ps - worm->arrive_ps);
    link->current = worm;
    link->busy_until_ps =
        start_ps + stream_ps > now_ps ? start_ps + stream_ps : now_ps;
    link->stream_ps = stream_ps;
    link->moving_ps += stream_ps;
    if (gms_fabric_models[fabric->model]->yield != NULL) {
        gms_fabric_models[fabric->model]->yield(ctx, fabric, number, start_ps,
                                                link->busy_until_ps);
    }
    gms_engine_schedule(ctx, &fabric->origin, link->busy_until_ps,
                        GMS_FABRIC_ON_LANE_END, fabric, number,
                        (uintptr_t)worm);
    if (!is_lost) {
        gms_reserved_lead(ctx, fabric, worm, start_ps, stream_ps);
    }
}

/* Return 1 if other lanes must not use a link. Other lanes must not use the
 * link while the request of a reserved packet for a receive buffer is on its
 * way to the NIC. Without this rule, a best-effort packet could enter the link
 * between any two reserved packets whose length is below that of the link. */
static int gms_reserved_is_held(gms_fabric_t *fabric, uint32_t number)
{
    const uint8_t *lane_of = fabric->table->lane_of[number];
    const gms_reserved_lane_t *lane =
        &fabric->reserved[number].lane[lane_of[GMS_LANE_REAL_TIME]];

    return lane->is_asked && !lane->may_go && !lane->must_wait &&
           fabric->table->holds_link &&
           lane_of[GMS_LANE_REAL_TIME] != lane_of[GMS_LANE_BEST_EFFORT] &&
           lane_of[GMS_LANE_REAL_TIME] != lane_of[GMS_LANE_CONTROL];
}

/* If the link is free and a packet is ready, start the transfer of the packet
 * that the link's arbiter chooses. */
static void gms_reserved_arbitrate(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                   uint32_t number)
{
    gms_vl_ports_t *table = fabric->table;
    gms_reserved_link_t *link = &fabric->reserved[number];
    uint32_t bytes[GMS_VL_MAX], lanes = 0, i;
    unsigned next = GMS_VL_MAX;

    if (link->current == NULL && !gms_reserved_is_held(fabric, number)) {
        for (i = 0; i < fabric->lanes_per_link; ++i) {
            if (gms_reserved_may_go(fabric, &link->lane[i])) {
                bytes[i] = link->lane[i].first->wire_bytes;
                lanes |= UINT32_C(1) << i;
            }
        }
        if (lanes != 0) {
            next = fabric->eth != NULL
                       ? gms_ets_next(&fabric->eth->ets[number],
                                      &fabric->eth->config, lanes, bytes)
                       : gms_vl_arbiter_next(&table->arbiter[number],
                                             &table->vl, lanes, bytes);
        }
        if (next != GMS_VL_MAX) {
            gms_reserved_start(ctx, fabric, number, &link->lane[next]);
        }
    }
    for (i = 0; i < fabric->lanes_per_link; ++i) {
        gms_reserved_ask(ctx, fabric, &link->lane[i]);
    }
}

void gms_reserved_serve(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t number)
{
    static const enum gms_lane_class order[GMS_RESERVED_CLASSES] = {
        GMS_LANE_REAL_TIME, GMS_LANE_CONTROL};
    gms_reserved_link_t *link = &fabric->reserved[number];
    unsigned i;

    if (fabric->table != NULL) {
        gms_reserved_arbitrate(ctx, fabric, number);
        return;
    }
    for (i = 0; i < GMS_RESERVED_CLASSES && link->current == NULL; ++i) {
        gms_reserved_lane_t *lane = &link->lane[order[i]];

        if (gms_reserved_may_go(fabric, lane)) {
            gms_reserved_start(ctx, fabric, number, lane);
        }
        gms_reserved_ask(ctx, fabric, lane);
    }
}

/* Queue a worm whose head requests the next link of its route. The link's index
 * on the route is worm->hop. */
static void gms_reserved_queue(gms_ctx_t *ctx, gms_fabric_t *fabric,
                               gms_worm_t *worm)
{
    uint32_t number = worm->path->link[worm->hop];
    gms_reserved_lane_t *lane =
        gms_reserved_lane(fabric, worm->traffic_class, number);

    worm->arrive_ps =
        gms_link_next_ps(&fabric->time, gms_engine_now(ctx->engine));
    if (fabric->eth != NULL && worm->hop != 0) {
        gms_eth_mark(fabric, number, lane->queued_bytes, worm);
    }
    lane->queued_bytes += worm->wire_bytes;
    gms_reserved_lane_put(lane, worm);
    gms_reserved_ask(ctx, fabric, lane);
    gms_reserved_serve(ctx, fabric, number);
}

void gms_reserved_inject(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm)
{
    fabric->is_reserved = 1;
    worm->hop = 0;
    worm->inject_ps = gms_engine_now(ctx->engine);
    worm->wire_ps = 0;
    worm->switch_ps =
        gms_link_next_ps(&fabric->time, worm->inject_ps) - worm->inject_ps;
    worm->blocked_ps = 0;
    gms_reserved_queue(ctx, fabric, worm);
}

void gms_reserved_swallow(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_worm_t *worm)
{
    worm->fate |= GMS_WORM_LOST;
    gms_reserved_inject(ctx, fabric, worm);
}

/* Add a packet to the bytes at the input port of an Ethernet switch. If the
 * port has no room, the packet is lost when its last byte has arrived.
 * @return 0: the packet is lost */
static int gms_reserved_enter(gms_ctx_t *ctx, gms_fabric_t *fabric,
                              gms_worm_t *worm)
{
    gms_reserved_lane_t *in =
        gms_reserved_lane(fabric, worm->traffic_class, worm->link);
    const gms_reserved_lane_t *out = gms_reserved_lane(
        fabric, worm->traffic_class, worm->path->link[worm->hop + 1]);

    if (gms_eth_enter(ctx, fabric, in, worm->link, out->queued_bytes, worm)) {
        return 1;
    }
    worm->fate |= GMS_WORM_LOST;
    ++worm->hop; /* the end of the previous link must not free the packet */
    gms_engine_schedule(ctx, &fabric->origin, worm->end_ps, GMS_FABRIC_ON_LOST,
                        fabric, (uintptr_t)worm, 0);
    return 0;
}

void gms_reserved_on_head(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_fabric_t *fabric = event->object;
    gms_worm_t *worm = (gms_worm_t *)(uintptr_t)event->arg[0];

    if (fabric->eth != NULL && !gms_reserved_enter(ctx, fabric, worm)) {
        return;
    }
    ++worm->hop;
    gms_reserved_queue(ctx, fabric, worm);
}

void gms_reserved_accept(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm)
{
    uint32_t number = worm->path->link[worm->hop];
    gms_reserved_lane_t *lane =
        gms_reserved_lane(fabric, worm->traffic_class, number);

    assert(lane->first == worm && lane->is_asked);
    lane->may_go = 1;
    gms_reserved_serve(ctx, fabric, number);
}

void gms_reserved_decline(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_worm_t *worm)
{
    uint32_t number;

    if (fabric->table != NULL && fabric->table->holds_link) {
        number = worm->path->link[worm->hop];
        gms_reserved_lane(fabric, worm->traffic_class, number)->must_wait = 1;
        gms_reserved_serve(ctx, fabric, number);
    }
}

/* If a duplicate fault affects the packet, create its copy, which crosses the
 * last link after the packet. */
static void gms_reserved_repeat(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                gms_worm_t *worm)
{
    gms_worm_t *copy = gms_fault_repeat(ctx, fabric, worm);

    if (copy != NULL) {
        gms_reserved_queue(ctx, fabric, copy);
    }
}

/* Release the buffer of a packet that has left a switch. The packet arrived over
 * the link with the given number. */
static void gms_reserved_left(gms_ctx_t *ctx, gms_fabric_t *fabric,
                              uint32_t number, const gms_worm_t *worm)
{
    gms_reserved_lane_t *lane =
        gms_reserved_lane(fabric, worm->traffic_class, number);

    if (fabric->eth != NULL) {
        gms_eth_leave(ctx, fabric, lane, number, worm);
        return;
    }
    lane->inside_bytes -= worm->wire_bytes;
    gms_reserved_serve(ctx, fabric, number);
}

/* The tail of a packet has entered the link. Release the buffer that the packet
 * held at the link's start, and let the next packet use the link. */
void gms_reserved_on_end(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_fabric_t *fabric = event->object;
    const gms_fabric_ops_t *ops = gms_fabric_models[fabric->model];
    uint32_t number = (uint32_t)event->arg[0];
    gms_worm_t *worm = (gms_worm_t *)(uintptr_t)event->arg[1];
    const gms_fabric_port_t *source = &fabric->ports[worm->source];
    const gms_path_t *path = worm->path;
    unsigned hop = 0;
    gms_event_t sent = {.time_ps = event->time_ps,
                        .origin = event->origin,
                        .handler = source->on_sent,
                        .object = source->object,
                        .arg = {(uintptr_t)worm, 0}};

    while (path->link[hop] != number) {
        ++hop;
    }
    fabric->reserved[number].current = NULL;
    if (gms_reserved_is_last(worm, hop) && (worm->fate & GMS_WORM_DUPLICATE) &&
        !(worm->fate & GMS_WORM_LOST)) {
        gms_reserved_repeat(ctx, fabric, worm);
    }
    if (hop == 0) {
        ctx->handlers[source->on_sent](ctx, &sent);
    } else if (!(worm->fate & GMS_WORM_ECHO)) {
        gms_reserved_left(ctx, fabric, path->link[hop - 1], worm);
    }
    /* If a worm was lost while it waited at a later link, it is still queued in
     * that link's lane and cannot be freed yet. */
    if ((worm->fate & GMS_WORM_LOST) && worm->hop == hop) {
        gms_engine_schedule(ctx, &fabric->origin, event->time_ps,
                            GMS_FABRIC_ON_LOST, fabric, (uintptr_t)worm, 0);
    }
    gms_reserved_serve(ctx, fabric, number);
    if (fabric->reserved[number].current == NULL && ops->resume != NULL) {
        ops->resume(ctx, fabric, number);
    }
}

void gms_reserved_sever(gms_fabric_t *fabric, uint32_t number)
{
    gms_worm_t *worm = fabric->reserved[number].current;

    if (worm != NULL && !(worm->fate & GMS_WORM_LOST)) {
        gms_fault_cut(fabric, worm);
    }
}

gms_time_t gms_reserved_moving(const gms_fabric_t *fabric, uint32_t number,
                               gms_time_t now_ps)
{
    const gms_reserved_link_t *link;
    gms_time_t ahead_ps = 0;

    if (fabric->reserved == NULL) {
        return 0;
    }
    link = &fabric->reserved[number];
    if (link->busy_until_ps > now_ps) {
        ahead_ps = link->busy_until_ps - now_ps;
    }
    return link->moving_ps -
           (ahead_ps < link->stream_ps ? ahead_ps : link->stream_ps);
}
