/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the ports of a NIC. A port contains the queues and counters that
 * the NIC shares with a process.
 */
#include <assert.h>
#include <string.h>

#include "engine/gate.h"
#include "nic/alloc.h"
#include "nic/local.h"
#include "nic/sram.h"

/* Return the port, and allocate its memory if the port was never open. */
static gms_nic_port_t *gms_port_create(gms_ctx_t *ctx, gms_nic_t *nic,
                                       unsigned port)
{
    gms_nic_port_t *p = nic->ports[port];

    if (p == NULL) {
        p = gms_arena_alloc(ctx->arena, sizeof(*p));
        nic->ports[port] = p;
    }
    if (p != NULL && p->nic == NULL) {
        p->nic = nic;
        p->number = port;
        p->traffic_class = GMS_LANE_BEST_EFFORT;
    }
    return p;
}

gms_status_t gms_nic_open_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port,
                               unsigned rank)
{
    gms_nic_port_t *p;
    unsigned priority;

    if (port >= nic->port_count) {
        return GMS_ERR_INVALID_PARAM;
    }
    p = gms_port_create(ctx, nic, port);
    if (p == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    if (p->is_open) {
        return GMS_ERR_BUSY;
    }
    p->is_open = 1;
    p->remote_access = 0;
    p->patient = 0;
    p->by_memory = 0;
    p->rank = rank;
    p->expects_reserved = 0;
    p->takes_reserved_first = 0;
    ++p->generation;
    for (priority = 0; priority < GMS_NIC_PRIORITIES; ++priority) {
        p->acceptable[priority] = UINT32_MAX; /* [source: GM manual] */
    }
    return GMS_OK;
}

gms_status_t gms_nic_open_agent_port(gms_ctx_t *ctx, gms_nic_t *nic,
                                     unsigned port, uint32_t handler,
                                     void *object)
{
    gms_status_t status = gms_nic_open_port(ctx, nic, port, GMS_PORT_AGENT);

    if (status == GMS_OK) {
        nic->ports[port]->handler = handler;
        nic->ports[port]->object = object;
    }
    return status;
}

GMS_QUEUE_DEFINE(gms_event_queue, gms_event_queue_t, gms_host_event_t, next);
GMS_QUEUE_DEFINE(gms_finished, gms_finished_t, gms_token_t, next);

/* Return 1 if the next event belongs to real-time traffic. An owner that knows
 * which event is next may take this event without waiting for its turn.
 * Therefore the order of events may depend only on events that the owner has
 * already taken. Until the owner has taken an event of real-time traffic, all
 * events are returned in order of arrival. */
static int gms_port_is_reserved_next(const gms_nic_port_t *port)
{
    const gms_host_event_t *other = port->events.first;
    const gms_host_event_t *reserved = port->reserved_events.first;

    return reserved != NULL && (other == NULL || port->takes_reserved_first ||
                                reserved->number < other->number);
}

static void gms_port_drop_events(gms_ctx_t *ctx, gms_host_event_t **first_p)
{
    while (*first_p != NULL) {
        gms_host_event_t *event = *first_p;

        *first_p = event->next;
        gms_arena_free(ctx->arena, event);
    }
}

static void gms_port_drop_queues(gms_ctx_t *ctx, gms_nic_t *nic,
                                 gms_nic_port_t *port)
{
    unsigned priority, size;
    gms_message_t *message;
    gms_token_t *token;

    gms_post_drop(ctx, nic, port);
    for (size = 0; size < GMS_LANE_CLASSES; ++size) {
        while ((token = gms_finished_take(&port->finished[size])) != NULL) {
            gms_token_destroy(ctx, nic, token);
        }
    }
    gms_port_drop_events(ctx, &port->events.first);
    gms_port_drop_events(ctx, &port->reserved_events.first);
    gms_port_drop_events(ctx, &port->booked);
    for (priority = 0; priority < GMS_NIC_PRIORITIES; ++priority) {
        for (size = 0; size < GMS_NIC_MAX_SIZE; ++size) {
            while ((message = gms_message_queue_take(
                        &port->tokens[priority][size])) != NULL) {
                gms_arena_free(ctx->arena, message);
            }
            port->tokens[priority][size].most = 0;
            port->tokens[priority][size].lent = 0;
        }
    }
}

/* Close a port. Packets and descriptors on their way to the port are dropped
 * when they arrive, because the port is then closed or has another
 * generation. */
void gms_nic_close_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port)
{
    gms_nic_port_t *p = gms_port_if_open(nic, port);

    if (p == NULL) {
        return;
    }
    p->is_open = 0;
    p->traffic_class = GMS_LANE_BEST_EFFORT;
    gms_flow_drop_port(ctx, nic, port);
    gms_stream_drop_port(ctx, nic, port);
    gms_port_drop_queues(ctx, nic, p);
    gms_memory_clear(ctx->arena, &p->pages);
    gms_pool_close(&p->pool);
    gms_local_retry(ctx, nic);
}

void gms_nic_send_by_memory(gms_nic_t *nic, unsigned port)
{
    nic->ports[port]->by_memory = 1;
}

int gms_nic_port_owner(const gms_nic_t *nic, unsigned port)
{
    const gms_nic_port_t *p = gms_port_if_open(nic, port);

    return p != NULL && p->rank != GMS_PORT_AGENT ? (int)p->rank : -1;
}

gms_port_driver_t *gms_nic_port_driver(const gms_nic_t *nic, unsigned port)
{
    gms_nic_port_t *p = gms_port_at(nic, port);

    return p != NULL ? &p->driver : NULL;
}

gms_nic_port_t *gms_port_find(gms_nic_t *nic, uint32_t port,
                              uint32_t generation)
{
    gms_nic_port_t *p = gms_port_if_open(nic, port);

    return p != NULL && p->generation == generation ? p : NULL;
}

/* Only the caller changes the generation of its own port. Therefore reading the
 * generation here, outside any event, does not cause a race. */
static gms_post_t *gms_port_post(gms_ctx_t *ctx, const gms_nic_t *nic,
                                 unsigned port)
{
    gms_post_t *post = gms_nic_alloc(ctx, sizeof(*post));

    assert(gms_port_if_open(nic, port) != NULL);
    post->port = port;
    post->port_generation = nic->ports[port]->generation;
    return post;
}

void gms_nic_post_send(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                       gms_time_t at_ps, const gms_send_desc_t *desc)
{
    gms_post_t *post;

    if (gms_local_takes(nic, desc)) {
        gms_local_post(ctx, nic, origin, at_ps, desc);
        return;
    }
    post = gms_port_post(ctx, nic, desc->flow.source_port);
    post->desc.send = *desc;
    gms_engine_schedule(ctx, origin, at_ps + nic->params->host_pio_ps,
                        GMS_NIC_ON_POST, nic, (uintptr_t)post, 0);
}

void gms_nic_post_receive(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                          gms_time_t at_ps, const gms_recv_desc_t *desc)
{
    gms_post_t *post = gms_port_post(ctx, nic, desc->port);

    post->is_receive = 1;
    post->desc.receive = *desc;
    gms_engine_schedule(ctx, origin, at_ps + nic->params->host_pio_ps,
                        GMS_NIC_ON_POST, nic, (uintptr_t)post, 0);
}

void gms_port_on_post(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_t *nic = event->object;
    gms_post_t *post = (gms_post_t *)(uintptr_t)event->arg[0];
    gms_nic_port_t *port =
        gms_port_find(nic, post->port, post->port_generation);

    if (port == NULL) {
        gms_post_destroy(ctx, post);
        return;
    }
    post->arrived_ps = event->time_ps;
    post->number = ++port->last_post;
    gms_nic_kinds[nic->kind]->posted(ctx, nic, port, post);
}

void gms_nic_post_alarm(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                        unsigned port, gms_time_t alarm_ps, uint64_t cookie)
{
    uint64_t who = (uint64_t)nic->ports[port]->generation << 32 | port;

    gms_engine_schedule(ctx, origin, alarm_ps, GMS_NIC_ON_ALARM, nic, who,
                        cookie);
}

void gms_port_on_alarm(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_nic_port_t *port = gms_port_find(event->object, (uint32_t)event->arg[0],
                                         (uint32_t)(event->arg[0] >> 32));
    gms_host_event_t *alarm;

    if (port != NULL) {
        alarm = gms_nic_alloc(ctx, sizeof(*alarm));
        alarm->kind = GMS_HOST_ALARM;
        alarm->cookie = event->arg[1];
        gms_port_deliver(ctx, port, alarm);
    }
}

void gms_nic_notify(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port,
                    unsigned rank, uint64_t cookie)
{
    gms_host_event_t *notice;

    if (gms_nic_port_owner(nic, port) == (int)rank) {
        notice = gms_nic_alloc(ctx, sizeof(*notice));
        notice->kind = GMS_HOST_NOTICE;
        notice->cookie = cookie;
        gms_port_deliver(ctx, nic->ports[port], notice);
    }
}

/* Return the class in which the end of a send is reported. The class is that of
 * the send's flow or, for a token without a flow, that of its port. However,
 * completed reserved sends are reported in the control class, because these
 * reports are not part of the reservation. The reports therefore use only the
 * time that reserved packets leave unused. */
static unsigned gms_port_class(const gms_nic_t *nic, const gms_token_t *token)
{
    if (nic->classes == 1) {
        return 0;
    }
    if (token->flow == NULL) {
        return nic->ports[token->desc.flow.source_port]->traffic_class;
    }
    return token->flow->traffic_class == GMS_LANE_REAL_TIME
               ? GMS_LANE_CONTROL
               : token->flow->traffic_class;
}

static void gms_port_queue_finished(gms_nic_t *nic, gms_nic_port_t *port,
                                    unsigned traffic_class)
{
    gms_finished_t *finished = &port->finished[traffic_class];

    if (!finished->is_queued) {
        finished->is_queued = 1;
        gms_work_put(&nic->traffic_class[traffic_class], &finished->work,
                     GMS_WORK_SENT, port);
    }
}

void gms_port_finished(gms_nic_t *nic, gms_token_t *token)
{
    gms_nic_port_t *port = nic->ports[token->desc.flow.source_port];
    unsigned traffic_class = gms_port_class(nic, token);

    gms_finished_put(&port->finished[traffic_class], token);
    gms_port_queue_finished(nic, port, traffic_class);
}

int gms_port_take_finished(gms_nic_t *nic, const gms_token_t *token)
{
    gms_nic_port_t *port = nic->ports[token->desc.flow.source_port];
    gms_finished_t *finished = &port->finished[gms_port_class(nic, token)];

    /* an entry of the work queue has no effect if it has no token */
    return finished->first == token && token->next == NULL &&
           gms_finished_take(finished) == token;
}

void gms_port_report_again(gms_ctx_t *ctx, gms_nic_t *nic, gms_nic_port_t *port,
                           unsigned traffic_class, gms_token_t *tokens)
{
    gms_finished_t again = {.first = NULL}, *finished;
    gms_token_t *token, *next;

    for (token = tokens; token != NULL; token = next) {
        next = token->next;
        if (port == NULL) {
            gms_token_destroy(ctx, nic, token);
        } else {
            gms_finished_put(&again, token);
        }
    }
    if (port == NULL) {
        return;
    }
    finished = &port->finished[traffic_class];
    while ((token = gms_finished_take(finished)) != NULL) {
        gms_finished_put(&again, token);
    }
    finished->first = again.first;
    finished->last = again.last;
    gms_port_queue_finished(nic, port, traffic_class);
}

void gms_token_destroy(gms_ctx_t *ctx, gms_nic_t *nic, gms_token_t *token)
{
    gms_sram_release_token(nic, token);
    gms_arena_free(ctx->arena, token->desc.staged);
    gms_ahead_end(ctx, token->ahead);
    gms_arena_free(ctx->arena, token);
}

/* Return 1 if the event does not have to wake up the port's owner. In this
 * case, charge the owner for the time of waking up, taking the event, running
 * the callback and sleeping again. */
static int gms_port_book(gms_ctx_t *ctx, gms_nic_port_t *port,
                         gms_host_event_t *event)
{
    const gms_params_t *params = port->nic->params;

    if (!port->is_past_sends || !event->is_booked ||
        event->result != GMS_SENT_OK ||
        !gms_gate_charge_waiter(ctx, port->rank, event->time_ps,
                                params->host_poll_ps + params->host_receive_ps +
                                    params->host_callback_ps)) {
        return 0;
    }
    event->next = port->booked;
    port->booked = event;
    return 1;
}

void gms_port_deliver(gms_ctx_t *ctx, gms_nic_port_t *port,
                      gms_host_event_t *event)
{
    event->time_ps = gms_engine_now(ctx->engine);
    if (event->kind == GMS_HOST_SENT && gms_port_book(ctx, port, event)) {
        return;
    }
    event->number = ++port->last_event;
    gms_event_queue_put(
        event->is_reserved ? &port->reserved_events : &port->events, event);
    if (port->rank == GMS_PORT_AGENT) {
        gms_engine_schedule(ctx, &port->nic->origin, event->time_ps,
                            port->handler, port->object, port->number, 0);
    } else {
        gms_gate_signal(ctx, port->rank, event->time_ps);
    }
}

gms_host_event_t *gms_nic_take_event(gms_nic_t *nic, unsigned port)
{
    gms_nic_port_t *p = nic->ports[port];
    gms_event_queue_t *queue =
        gms_port_is_reserved_next(p) ? &p->reserved_events : &p->events;
    gms_host_event_t *event = gms_event_queue_take(queue);

    if (event != NULL) {
        p->takes_reserved_first |= event->is_reserved;
    }
    return event;
}

int gms_nic_is_next_event_certain(const gms_nic_t *nic, unsigned port)
{
    const gms_nic_port_t *p = nic->ports[port];

    return p->takes_reserved_first
               ? p->reserved_events.first != NULL
               : p->events.first != NULL || p->reserved_events.first != NULL;
}

void gms_nic_sleep_past_sends(gms_nic_t *nic, unsigned port)
{
    nic->ports[port]->is_past_sends = 1;
}

gms_host_event_t *gms_nic_take_booked(gms_nic_t *nic, unsigned port)
{
    gms_host_event_t *newest = nic->ports[port]->booked;
    gms_host_event_t *oldest = NULL;

    nic->ports[port]->is_past_sends = 0;
    nic->ports[port]->booked = NULL;
    while (newest != NULL) {
        gms_host_event_t *older = newest->next;

        newest->next = oldest;
        oldest = newest;
        newest = older;
    }
    return oldest;
}

const gms_host_event_t *gms_nic_peek_event(const gms_nic_t *nic, unsigned port)
{
    const gms_nic_port_t *p = nic->ports[port];

    return gms_port_is_reserved_next(p) ? p->reserved_events.first
                                        : p->events.first;
}

gms_status_t gms_nic_register_memory(gms_ctx_t *ctx, gms_nic_t *nic,
                                     unsigned port, uint64_t address,
                                     uint64_t bytes)
{
    return gms_memory_add(ctx->arena, &nic->ports[port]->pages, address, bytes);
}

gms_status_t gms_nic_deregister_memory(gms_ctx_t *ctx, gms_nic_t *nic,
                                       unsigned port, uint64_t address,
                                       uint64_t bytes)
{
    (void)ctx;
    return gms_memory_remove(&nic->ports[port]->pages, address, bytes);
}

uint64_t gms_nic_registered_pages(const gms_nic_t *nic, unsigned port)
{
    return nic->ports[port]->pages.used;
}

int gms_nic_is_registered(const gms_nic_t *nic, unsigned port, uint64_t address,
                          uint64_t bytes)
{
    return gms_memory_contains(&nic->ports[port]->pages, address, bytes);
}

gms_status_t gms_nic_open_pool(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port,
                               uint64_t bytes)
{
    gms_nic_port_t *p = nic->ports[port];

    return gms_pool_open(ctx->arena, &p->pool, &p->pages, bytes);
}

uint64_t gms_nic_take_pooled(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port)
{
    gms_nic_port_t *p = nic->ports[port];

    return gms_pool_take(ctx->arena, &p->pool, &p->pages);
}

int gms_nic_give_pooled(gms_nic_t *nic, unsigned port, uint64_t address)
{
    return gms_pool_give(&nic->ports[port]->pool, address);
}

void gms_port_place(gms_ctx_t *ctx, gms_nic_port_t *port,
                    gms_message_t *message)
{
    if (message->desc.address != GMS_NIC_POOLED || !port->pool.is_open) {
        return;
    }
    message->desc.address =
        gms_pool_take(ctx->arena, &port->pool, &port->pages);
    if (message->desc.address == 0) {
        gms_fatal(ctx,
                  "the arena is full: no room for a message buffer of rank %u; "
                  "set a larger arena_bytes in the cluster description",
                  port->rank);
    }
}

void gms_nic_allow_remote_access(gms_nic_t *nic, unsigned port)
{
    nic->ports[port]->remote_access = 1;
}

void gms_nic_set_nack_down(gms_nic_t *nic, unsigned port, int enable)
{
    nic->ports[port]->patient = !enable;
}

void gms_nic_set_acceptable(gms_nic_t *nic, unsigned port, unsigned priority,
                            uint32_t mask)
{
    assert(priority < GMS_NIC_PRIORITIES);
    nic->ports[port]->acceptable[priority] = mask;
}
