/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the fabric model `flit`, which carries the worms of the NICs as
 * packets of a flit network.
 *
 *   NIC, one worm of each class --> source's lanes ~~ net ~~ target's lanes
 *       --> gate of (node, class) --> NIC
 *
 * Worms that request entry wait at the gate in the order of their requests. The
 * first worm at the gate has been offered to the NIC.
 *
 * Time is divided into cycles. A packet that is offered during a cycle starts
 * at the beginning of the next cycle. One event at the beginning of a cycle
 * simulates the whole cycle. The results of the event are visible at the end of
 * the cycle. While no flit moves, there are no events.
 *
 * Lanes are drawn for each pair of source and target. Therefore packets of one
 * class between the same two nodes take the same lanes and keep their order, as
 * GM's connections expect (doc/design/0016-flit-under-mpi.md).
 *
 * Unless params.undeclared is free, packets of the classes that precede best
 * effort do not enter the net. These packets use the reserved lanes
 * (reserved.c), as whole packets in whole cycles. While a reserved packet
 * crosses a link, the net's flits wait at the start of the link.
 *
 * Faults affect whole packets: flits are never lost. A packet that is dropped
 * at its source does not enter the network. If a link on a packet's route is
 * down, the packet is lost at this link. If a link breaks while a packet
 * crosses it, the packet arrives truncated.
 */
#include <assert.h>
#include <stdio.h>

#include "base/queue.h"
#include "fabric/fabric_int.h"
#include "fabric/flit_model.h"

/* A worm in the net. */
typedef struct gms_flit_worm {
    gms_flit_packet_t packet; /* the field `owner` of the packet points to this
                               * struct */
    gms_worm_t *worm;
    uint64_t ready_cycle; /* earliest cycle in which the packet's head could
                           * have left the source */
    uint64_t ask_cycle, accept_cycle;
    struct gms_flit_worm *next, *previous; /* list of all worms in the net */
    struct gms_flit_worm *behind; /* next worm at the gate, or next spare
                                   * item */
} gms_flit_worm_t;

/* The worms of one class that request entry to a node's NIC. */
typedef struct gms_flit_gate {
    gms_flit_worm_t *first, *last;
} gms_flit_gate_t;

GMS_QUEUE_DEFINE(gms_flit_gate, gms_flit_gate_t, gms_flit_worm_t, behind);

typedef struct gms_flit_model {
    gms_flit_net_t *net;
    gms_time_t cycle_ps;
    int is_awake;           /* 1 if a cycle's event is scheduled or running */
    gms_flit_gate_t *gates; /* array, indexed by node and class */
    gms_flit_worm_t *under_way, *spare;
    uint64_t *reserved;       /* bytes/s, indexed by link and lane */
    gms_lane_table_t *tables; /* array, indexed by link */
} gms_flit_model_t;

/* Context of the hooks. */
typedef struct gms_flit_cycle {
    gms_ctx_t *ctx;
    gms_fabric_t *fabric;
} gms_flit_cycle_t;

/* ---- worms -------------------------------------------------------------- */

static gms_flit_worm_t *
gms_flit_worm_create(gms_ctx_t *ctx, gms_fabric_t *fabric, gms_worm_t *worm)
{
    gms_flit_model_t *model = fabric->flit;
    gms_flit_worm_t *item = model->spare;

    if (item != NULL) {
        model->spare = item->behind;
    } else {
        item = gms_fabric_room(ctx, sizeof(*item));
    }
    *item = (gms_flit_worm_t){.worm = worm, .next = model->under_way};
    item->packet.owner = item;
    item->packet.source = worm->source;
    item->packet.target = worm->target;
    item->packet.traffic_class = worm->traffic_class;
    item->packet.flits =
        (uint16_t)(gms_link_stream_ps(&fabric->time, worm->wire_bytes) /
                   model->cycle_ps);
    if (model->under_way != NULL) {
        model->under_way->previous = item;
    }
    model->under_way = item;
    return item;
}

static void gms_flit_worm_destroy(gms_flit_model_t *model,
                                  gms_flit_worm_t *item)
{
    if (item->previous != NULL) {
        item->previous->next = item->next;
    } else {
        model->under_way = item->next;
    }
    if (item->next != NULL) {
        item->next->previous = item->previous;
    }
    item->behind = model->spare;
    model->spare = item;
}

static gms_flit_gate_t *gms_flit_gate_of(const gms_flit_model_t *model,
                                         const gms_worm_t *worm)
{
    return &model->gates[worm->target * GMS_LANE_CLASSES + worm->traffic_class];
}

static uint32_t gms_flit_draw(const gms_fabric_t *fabric, uint32_t source,
                              uint32_t target)
{
    return source * fabric->nodes + target;
}

/* ---- cycles ------------------------------------------------------------- */

/* Set the net's clock, and schedule the next cycle that has not begun. This
 * function must be called when flits are about to move again. */
static void gms_flit_wake(gms_ctx_t *ctx, gms_fabric_t *fabric)
{
    gms_flit_model_t *model = fabric->flit;
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    uint64_t cycle = (now_ps + model->cycle_ps - 1) / model->cycle_ps;
    uint64_t now = gms_flit_now(model->net);

    if (model->is_awake) {
        return;
    }
    if (cycle > now) {
        gms_flit_skip(model->net, cycle - now);
    }
    model->is_awake = 1;
    gms_engine_schedule(ctx, &fabric->origin,
                        gms_flit_now(model->net) * model->cycle_ps,
                        GMS_FABRIC_ON_HEAD, fabric, 0, 0);
}

/* Offer the first worm of a gate to the NIC. The NIC is called directly,
 * without an event, because it may accept the worm at once. */
static void gms_flit_hand_over(gms_ctx_t *ctx, gms_fabric_t *fabric,
                               const gms_flit_gate_t *gate)
{
    gms_worm_t *worm = gate->first->worm;
    const gms_fabric_port_t *port = &fabric->ports[worm->target];
    gms_event_t call = {
        .time_ps = gms_engine_now(ctx->engine),
        .origin = fabric->origin.id,
        .handler = port->on_request,
        .object = port->object,
        .arg = {(uintptr_t)worm, 0},
    };

    ctx->handlers[port->on_request](ctx, &call);
}

static void gms_flit_ask(void *context, gms_flit_packet_t *packet)
{
    gms_flit_cycle_t *cycle = context;
    gms_flit_model_t *model = cycle->fabric->flit;
    gms_flit_worm_t *item = packet->owner;
    gms_flit_gate_t *gate = gms_flit_gate_of(model, item->worm);

    item->ask_cycle = gms_flit_now(model->net);
    item->worm->arrive_ps = gms_engine_now(cycle->ctx->engine);
    gms_flit_gate_put(gate, item);
    if (gate->first == item) {
        gms_flit_hand_over(cycle->ctx, cycle->fabric, gate);
    }
}

/* The first worm at the gate has arrived. Remove the worm, and offer the next
 * worm to the NIC. */
static void gms_flit_next(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_flit_gate_t *gate)
{
    gms_flit_worm_destroy(fabric->flit, gms_flit_gate_take(gate));
    if (gate->first != NULL) {
        gms_flit_hand_over(ctx, fabric, gate);
    }
}

static void gms_flit_left(void *context, gms_flit_packet_t *packet)
{
    gms_flit_cycle_t *cycle = context;
    gms_fabric_t *fabric = cycle->fabric;
    gms_time_t cycle_ps = fabric->flit->cycle_ps;
    const gms_flit_worm_t *item = packet->owner;
    const gms_fabric_port_t *source = &fabric->ports[packet->source];

    item->worm->blocked_ps =
        (packet->leave_cycle + 1 - item->ready_cycle - packet->flits) *
        cycle_ps;
    gms_engine_schedule(cycle->ctx, &fabric->origin,
                        (packet->leave_cycle + 1) * cycle_ps, source->on_sent,
                        source->object, (uintptr_t)item->worm, 0);
}

/* Divide the time between a worm's injection and its arrival into parts. The
 * field wire_ps is the time on links, including the transfer of the worm's own
 * flits. The field switch_ps is the time in switches. The remaining time is the
 * wait for the target's NIC, for which there is no field (fabric.h). */
static void gms_flit_account(gms_ctx_t *ctx, gms_fabric_t *fabric,
                             const gms_flit_worm_t *item, gms_time_t end_ps)
{
    const gms_flit_model_t *model = fabric->flit;
    gms_worm_t *worm = item->worm;
    uint64_t links = worm->path->count;
    gms_time_t all_ps = end_ps - worm->inject_ps;
    gms_time_t waited_ps =
        (item->accept_cycle - item->ask_cycle) * model->cycle_ps;

    worm->stream_ps = item->packet.flits * model->cycle_ps;
    worm->wire_ps =
        links * gms_flit_config(model->net)->link_cycles * model->cycle_ps +
        worm->stream_ps;
    worm->switch_ps = all_ps - worm->wire_ps - waited_ps;
    gms_fabric_waited(ctx, fabric, worm, (uint32_t)links - 1, waited_ps);
}

/* If a packet arrives twice, put the copy behind the packet at the gate. */
static void gms_flit_repeat(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            gms_flit_worm_t *item)
{
    gms_worm_t *copy = gms_fault_repeat(ctx, fabric, item->worm);
    gms_flit_worm_t *echo;

    if (copy == NULL) {
        return;
    }
    echo = gms_flit_worm_create(ctx, fabric, copy);
    echo->behind = item->behind;
    item->behind = echo;
    if (echo->behind == NULL) {
        gms_flit_gate_of(fabric->flit, copy)->last = echo;
    }
}

static void gms_flit_came(void *context, gms_flit_packet_t *packet)
{
    gms_flit_cycle_t *cycle = context;
    gms_ctx_t *ctx = cycle->ctx;
    gms_fabric_t *fabric = cycle->fabric;
    gms_flit_worm_t *item = packet->owner;
    gms_worm_t *worm = item->worm;
    const gms_fabric_port_t *target = &fabric->ports[worm->target];
    gms_flit_gate_t *gate = gms_flit_gate_of(fabric->flit, worm);
    gms_time_t end_ps = (packet->arrive_cycle + 1) * fabric->flit->cycle_ps;

    assert(gate->first == item);
    gms_flit_account(ctx, fabric, item, end_ps);
    if (worm->fate != 0) {
        gms_fault_arrives(fabric, worm);
        if (worm->fate & GMS_WORM_DUPLICATE) {
            gms_flit_repeat(ctx, fabric, item);
        }
    }
    gms_engine_schedule(ctx, &fabric->origin, end_ps + worm->delay_ps,
                        target->on_arrived, target->object, (uintptr_t)worm, 0);
    gms_flit_next(ctx, fabric, gate);
}

static void gms_flit_on_cycle(gms_ctx_t *ctx, const gms_event_t *event)
{
    static const gms_flit_hooks_t hooks = {
        .left = gms_flit_left,
        .asks = gms_flit_ask,
        .arrived = gms_flit_came,
    };
    gms_fabric_t *fabric = event->object;
    gms_flit_model_t *model = fabric->flit;
    gms_flit_cycle_t cycle = {ctx, fabric};

    gms_flit_step(model->net, &hooks, &cycle);
    model->is_awake = !gms_flit_is_idle(model->net);
    if (model->is_awake) {
        gms_engine_schedule(ctx, &fabric->origin,
                            event->time_ps + model->cycle_ps,
                            GMS_FABRIC_ON_HEAD, fabric, 0, 0);
    }
}

/* ---- the model's operations --------------------------------------------- */

/* Drop a packet at its source. The source still sends all bytes of the
 * packet. */
static void gms_flit_lose(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_worm_t *worm)
{
    const gms_fabric_port_t *source = &fabric->ports[worm->source];
    gms_time_t end_ps = gms_engine_now(ctx->engine) +
                        gms_transfer_ps(worm->wire_bytes, fabric->time.bytes_s);

    worm->fate |= GMS_WORM_LOST;
    worm->blocked_ps = 0;
    gms_engine_schedule(ctx, &fabric->origin, end_ps, source->on_sent,
                        source->object, (uintptr_t)worm, 0);
    gms_engine_schedule(ctx, &fabric->origin, end_ps, GMS_FABRIC_ON_LOST,
                        fabric, (uintptr_t)worm, 0);
}

static void gms_flit_swallow(gms_ctx_t *ctx, gms_fabric_t *fabric,
                             gms_worm_t *worm)
{
    if (gms_reserved_carries(fabric, worm)) {
        gms_reserved_swallow(ctx, fabric, worm);
    } else {
        gms_flit_lose(ctx, fabric, worm);
    }
}

static int gms_flit_is_cut_off(const gms_ctx_t *ctx, const gms_fabric_t *fabric,
                               const gms_path_t *path)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    unsigned i;

    for (i = 0; i < path->count; ++i) {
        if (fabric->links[path->link[i]].down_until_ps > now_ps) {
            return 1;
        }
    }
    return 0;
}

static void gms_flit_inject(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            gms_worm_t *worm)
{
    gms_flit_model_t *model = fabric->flit;
    gms_flit_worm_t *item;
    unsigned lane;

    if (gms_reserved_carries(fabric, worm)) {
        gms_reserved_inject(ctx, fabric, worm);
        return;
    }
    if (gms_flit_is_cut_off(ctx, fabric, worm->path)) {
        ++fabric->counts.lost_on_link;
        gms_flit_lose(ctx, fabric, worm);
        return;
    }
    worm->inject_ps = gms_engine_now(ctx->engine);
    gms_flit_wake(ctx, fabric);
    item = gms_flit_worm_create(ctx, fabric, worm);
    item->ready_cycle = gms_flit_now(model->net);
    item->packet.draw = gms_flit_draw(fabric, worm->source, worm->target);
    lane = gms_flit_drawn_lane(gms_flit_config(model->net), item->packet.draw,
                               0, worm->traffic_class);
    gms_flit_offer(model->net, &item->packet, lane);
}

static void gms_flit_take(gms_ctx_t *ctx, gms_fabric_t *fabric,
                          gms_worm_t *worm)
{
    gms_flit_model_t *model = fabric->flit;
    gms_flit_gate_t *gate = gms_flit_gate_of(model, worm);
    gms_flit_worm_t *item = gate->first;

    if (gms_reserved_carries(fabric, worm)) {
        gms_reserved_accept(ctx, fabric, worm);
        return;
    }
    assert(item != NULL && item->worm == worm);
    if (worm->fate & GMS_WORM_ECHO) {
        /* The copy has no flits in the net. The copy arrives at the same time
         * as if it had followed the first packet through the net. */
        worm->stream_ps = item->packet.flits * model->cycle_ps;
        worm->wire_ps += worm->stream_ps;
        gms_engine_schedule(ctx, &fabric->origin,
                            gms_engine_now(ctx->engine) + worm->stream_ps +
                                model->cycle_ps,
                            GMS_FABRIC_ON_RELEASE, fabric, (uintptr_t)worm, 0);
        return;
    }
    gms_flit_wake(ctx, fabric);
    item->accept_cycle = gms_flit_now(model->net);
    gms_flit_accept(model->net, &item->packet);
}

static void gms_flit_on_echo(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_fabric_t *fabric = event->object;
    gms_worm_t *worm = (gms_worm_t *)(uintptr_t)event->arg[0];
    const gms_fabric_port_t *target = &fabric->ports[worm->target];
    gms_flit_gate_t *gate = gms_flit_gate_of(fabric->flit, worm);

    gms_engine_schedule(ctx, &fabric->origin, event->time_ps,
                        target->on_arrived, target->object, (uintptr_t)worm, 0);
    gms_flit_next(ctx, fabric, gate);
}

static void gms_flit_sever(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link)
{
    gms_flit_worm_t *item;

    (void)ctx;
    if (fabric->reserved != NULL) {
        gms_reserved_sever(fabric, link);
    }
    for (item = fabric->flit->under_way; item != NULL; item = item->next) {
        const gms_path_t *path = item->worm->path;
        unsigned i;

        for (i = 0; i < path->count; ++i) {
            if (path->link[i] == link && !(item->worm->fate & GMS_WORM_ECHO)) {
                gms_fault_cut(fabric, item->worm);
            }
        }
    }
}

/* ---- reserved lanes ----------------------------------------------------- */

/* Return the first time at which a reserved packet can enter the link. A flit
 * that has begun to cross the link is sent completely first. */
static gms_time_t gms_flit_clear_ps(const gms_fabric_t *fabric, uint32_t link,
                                    gms_time_t from_ps)
{
    const gms_flit_model_t *model = fabric->flit;
    gms_time_t free_ps =
        gms_flit_free_cycle(model->net, link) * model->cycle_ps;

    return gms_link_next_ps(&fabric->time,
                            free_ps > from_ps ? free_ps : from_ps);
}

static void gms_flit_yield(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link,
                           gms_time_t from_ps, gms_time_t until_ps)
{
    (void)ctx;
    (void)from_ps;
    (void)until_ps;
    gms_flit_hold(fabric->flit->net, link, 1);
}

/* Allow flits to use a link again. If flits waited only for this link, the net
 * may have stopped its cycles and must then be woken. */
static void gms_flit_resume(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link)
{
    if (gms_flit_awaits(fabric->flit->net, link)) {
        gms_flit_wake(ctx, fabric);
    }
    gms_flit_hold(fabric->flit->net, link, 0);
}

/* ---- reservations on lanes of the net ----------------------------------- */

/* Compute the weights of a link. Real-time traffic may send at least every
 * second flit. Without this rule, the formula could result in a limit of 1.
 * With a limit of 1, a packet that arrives after the end of its reservation
 * could wait forever behind best-effort packets. [assumed] */
static void gms_flit_weigh(const gms_fabric_t *fabric, uint32_t link,
                           unsigned changed)
{
    gms_flit_model_t *model = fabric->flit;
    const uint64_t *reserved = &model->reserved[(size_t)link * GMS_LANES_MAX];
    gms_lane_table_t *table = &model->tables[link];
    gms_lane_shares_t shares = {.real_time = (double)fabric->time.bytes_s};
    unsigned lane;

    for (lane = 0; lane < GMS_LANES_MAX; ++lane) {
        shares.lane[lane] = (double)reserved[lane];
        shares.peak += (double)reserved[lane];
    }
    gms_lane_weigh(&gms_flit_config(model->net)->plan, &shares,
                   (double)fabric->time.bytes_s, changed, table);
    if (table->limit < 2) {
        table->limit = 2;
    }
    gms_flit_set_table(model->net, link, table);
}

static void gms_flit_reserve(gms_fabric_t *fabric, uint32_t source,
                             uint32_t target, int64_t bytes_s)
{
    gms_flit_model_t *model = fabric->flit;
    uint32_t draw = gms_flit_draw(fabric, source, target);
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned count =
        gms_topology_links(fabric->topology, source, target, links);
    unsigned i;

    if (fabric->reserved != NULL) {
        return; /* weights are unnecessary, because reserved packets have their
                 * own lanes */
    }
    for (i = 0; i < count; ++i) {
        unsigned lane = gms_flit_drawn_lane(gms_flit_config(model->net), draw,
                                            i, GMS_LANE_REAL_TIME);
        uint64_t *reserved =
            &model->reserved[(size_t)links[i] * GMS_LANES_MAX + lane];

        assert(bytes_s >= 0 || *reserved >= (uint64_t)-bytes_s);
        *reserved += (uint64_t)bytes_s;
        gms_flit_weigh(fabric, links[i], lane);
    }
}

/* ---- creation ----------------------------------------------------------- */

static gms_status_t gms_flit_model_alloc(gms_arena_t *arena,
                                         const gms_fabric_t *fabric,
                                         gms_flit_model_t *model, char *error)
{
    size_t links = fabric->link_count;

    model->gates = gms_arena_alloc(arena, fabric->nodes * GMS_LANE_CLASSES *
                                              sizeof(*model->gates));
    model->reserved = gms_arena_alloc(arena, links * GMS_LANES_MAX *
                                                 sizeof(*model->reserved));
    model->tables = gms_arena_alloc(arena, links * sizeof(*model->tables));
    if (model->gates == NULL || model->reserved == NULL ||
        model->tables == NULL) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 "the lanes of %u links need more memory than the arena has "
                 "left; set a larger arena_bytes",
                 fabric->link_count);
        return GMS_ERR_NO_MEMORY;
    }
    return GMS_OK;
}

static gms_status_t gms_flit_model_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                          const gms_params_t *params,
                                          char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_flit_config_t config;
    gms_status_t status = gms_flit_model_config(params, &config, error);
    gms_flit_model_t *model;
    uint32_t link;

    if (status != GMS_OK) {
        return status;
    }
    model = gms_arena_alloc(ctx->arena, sizeof(*model));
    fabric->flit = model;
    if (model == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    status = gms_reserved_create(ctx, fabric, params, error);
    if (status != GMS_OK) {
        return status;
    }
    fabric->classes = GMS_LANE_CLASSES;
    model->cycle_ps = fabric->time.cycle_ps;
    status = gms_flit_model_alloc(ctx->arena, fabric, model, error);
    if (status == GMS_OK) {
        status = gms_flit_create(ctx->arena, fabric->topology, &config,
                                 &model->net, error);
    }
    for (link = 0; status == GMS_OK && link < fabric->link_count; ++link) {
        gms_flit_weigh(fabric, link, GMS_LANES_MAX);
    }
    return status;
}

static void gms_flit_model_destroy(gms_arena_t *arena, gms_fabric_t *fabric)
{
    gms_flit_model_t *model = fabric->flit;

    if (model != NULL) {
        gms_flit_destroy(arena, model->net);
        gms_arena_free(arena, model->gates);
        gms_arena_free(arena, model->reserved);
        gms_arena_free(arena, model->tables);
        gms_arena_free(arena, model);
    }
}

static void gms_flit_use(const gms_fabric_t *fabric, uint32_t link,
                         gms_time_t now_ps, gms_link_use_t *use)
{
    use->moving_ps =
        gms_flit_link_flits(fabric->flit->net, link) * fabric->flit->cycle_ps +
        gms_reserved_moving(fabric, link, now_ps);
    use->held_ps = use->moving_ps;
}

const gms_fabric_ops_t gms_flit_ops = {
    .name = "flit",
    .create = gms_flit_model_create,
    .destroy = gms_flit_model_destroy,
    .reserve = gms_flit_reserve,
    .inject = gms_flit_inject,
    .accept = gms_flit_take,
    .swallow = gms_flit_swallow,
    .sever = gms_flit_sever,
    .use = gms_flit_use,
    .on_head = gms_flit_on_cycle,
    .on_release = gms_flit_on_echo,
    .clear_ps = gms_flit_clear_ps,
    .yield = gms_flit_yield,
    .resume = gms_flit_resume,
};
