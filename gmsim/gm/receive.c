/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the receive calls of a port. The events of a port come from three
 * sources, in this order:
 * - a FAST or PEER message that gm_unknown() converts to a plain message
 * - errors that the library detected in calls before the calls reached the NIC
 * - the queue into which the NIC writes events
 */
#include <stdio.h>
#include <string.h>

#include "engine/copy.h"
#include "gm/port.h"
#include "gm/trace.h"
#include "gmsim.h"

static gm_up_n_t gms_recv_pointer(const void *address)
{
    gm_up_n_t n;

    GM_N(n) = (gm_up_t)GM_N(gm_hton_u64((gm_u64_t)(uintptr_t)address));
    return n;
}

static void gms_recv_set_type(union gm_recv_event *event, unsigned type)
{
    memset(event, 0, sizeof(*event));
    event->recv.type = gm_hton_u8((gm_u8_t)type);
}

/* ---- Buffers ----------------------------------------------------------- */

/* Post a receive descriptor, unless the port has no receive token. The caller
 * holds the lock. */
static void gms_port_provide(struct gm_port *port, const gms_recv_desc_t *desc)
{
    const gms_params_t *params = &port->sim->root->params;
    gms_ctx_t *ctx = &port->sim->ctx;

    if (port->buffers >= params->gm_receive_tokens) {
        gms_port_violate(port, GM_RECV_TOKEN_VIOLATION_EVENT);
        return;
    }
    ++port->buffers;
    gms_nic_post_receive(ctx, port->nic, gms_gate_origin(ctx),
                         gms_gate_clock(ctx) + params->host_provide_ps, desc);
}

void gm_provide_receive_buffer_with_tag(struct gm_port *port, void *buffer,
                                        unsigned size, unsigned priority,
                                        unsigned tag)
{
    gms_recv_desc_t desc = {
        .size = (uint8_t)size,
        .priority = (uint8_t)priority,
        .tag = (uint8_t)tag,
        .address = (uint64_t)(uintptr_t)buffer,
    };

    if (!gms_port_is_open(port)) {
        return;
    }
    desc.port = (uint16_t)port->number;
    gms_sim_begin_post(port->sim);
    if (buffer == NULL || size >= GMS_NIC_MAX_SIZE ||
        priority >= GM_NUM_PRIORITIES) {
        gms_port_violate(port, GM_BAD_RECV_TOKEN_EVENT);
    } else if (!gms_nic_is_registered(port->nic, port->number, desc.address,
                                      1)) {
        gms_port_violate(port, GM_BAD_RECV_VMA_EVENT);
    } else {
        gms_port_provide(port, &desc);
    }
    gms_sim_end(port->sim, port->sim->root->params.host_provide_ps);
}

void gmsim_provide_pooled(struct gm_port *port, void *buffer, unsigned size,
                          unsigned priority)
{
    gms_recv_desc_t desc = {
        .size = (uint8_t)size,
        .priority = (uint8_t)priority,
        .address = GMS_NIC_POOLED,
    };

    if (!gms_port_is_open(port)) {
        return;
    }
    desc.port = (uint16_t)port->number;
    gms_sim_begin_post(port->sim);
    if (size >= GMS_NIC_MAX_SIZE || priority >= GM_NUM_PRIORITIES) {
        gms_port_violate(port, GM_BAD_RECV_TOKEN_EVENT);
    } else if (buffer != NULL &&
               gms_nic_give_pooled(port->nic, port->number,
                                   (uint64_t)(uintptr_t)buffer) != 0) {
        gms_port_violate(port, GM_BAD_RECV_VMA_EVENT);
    } else {
        gms_port_provide(port, &desc);
    }
    gms_sim_end(port->sim, port->sim->root->params.host_provide_ps);
}

void gm_provide_receive_buffer(struct gm_port *port, void *buffer,
                               unsigned size, unsigned priority)
{
    gm_provide_receive_buffer_with_tag(port, buffer, size, priority, 0);
}

gm_status_t gm_set_acceptable_sizes(struct gm_port *port,
                                    enum gm_priority priority, gm_size_t mask)
{
    if (!gms_port_is_open(port) || (unsigned)priority >= GM_NUM_PRIORITIES) {
        return GM_INVALID_PARAMETER;
    }
    gms_sim_begin_turn(port->sim);
    gms_nic_set_acceptable(port->nic, port->number, (unsigned)priority,
                           (uint32_t)mask);
    gms_sim_end(port->sim, port->sim->root->params.host_provide_ps);
    return GM_SUCCESS;
}

/* ---- Finding events ---------------------------------------------------- */

static int gms_port_has_own_event(const struct gm_port *port)
{
    return port->has_plain || port->failed.first != GMS_PORT_NO_SLOT ||
           port->violations != 0;
}

/* Return the first event in the NIC's queue. Skip events of cancelled
 * alarms. */
static const gms_host_event_t *gms_port_peek(struct gm_port *port)
{
    const gms_host_event_t *first;

    while ((first = gms_nic_peek_event(port->nic, port->number)) != NULL &&
           first->kind == GMS_HOST_ALARM) {
        gms_alarm_went_off(port, first->time_ps);
        if (gms_alarm_is_due(port)) {
            break;
        }
        gms_arena_free(port->sim->ctx.arena,
                       gms_nic_take_event(port->nic, port->number));
    }
    return first;
}

int gms_port_has_event(struct gm_port *port)
{
    return gms_port_has_own_event(port) || gms_port_peek(port) != NULL;
}

/* Wait for the caller's turn, unless the result of the check is already
 * certain. The caller must hold the lock. Only a message of a reservation that
 * arrives before the caller's clock can still change which event is first in
 * the queue. */
static void gms_port_settle(struct gm_port *port)
{
    if (!gms_port_has_own_event(port) &&
        (gms_port_peek(port) == NULL ||
         !gms_nic_is_next_event_certain(port->nic, port->number))) {
        gms_gate_run_events_until_turn_locked(&port->sim->ctx);
    }
}

/* Take the lock, and wait for the caller's turn if the check requires it. */
static void gms_port_begin_look(struct gm_port *port)
{
    gms_ctx_t *ctx = &port->sim->ctx;

    gms_sim_begin_post(port->sim);
    gms_port_settle(port);
    gms_copy_take_in(ctx);
}

/* Wait for an event, but no longer than one poll takes.
 * @param [in] polls  result of gms_poll_begin()
 * @return 1 if there is an event */
static int gms_port_wait_quantum(struct gm_port *port, uint64_t polls)
{
    gms_sim_t *sim = port->sim;
    gms_time_t most_ps = sim->root->params.host_poll_max_ps;
    gms_time_t until_ps = gms_gate_clock(&sim->ctx) + sim->quantum_ps;

    /* A signal may still be pending for an event that an earlier call has
     * already returned. Such a signal ends the wait at once, and the poll takes
     * as long as any other poll. If the signal were cleared instead, events of
     * the process's other ports would be lost. */
    if (!gms_poll_wait(port, until_ps, polls)) {
        sim->quantum_ps =
            sim->quantum_ps < most_ps / 2 ? 2 * sim->quantum_ps : most_ps;
        return 0;
    }
    gms_copy_take_in(&sim->ctx);
    if (!gms_port_has_event(port)) {
        gms_gate_advance(&sim->ctx, sim->root->params.host_poll_ps);
        return 0;
    }
    return 1;
}

int gms_port_poll(struct gm_port *port)
{
    uint64_t polls = gms_poll_begin(port->sim);

    gms_port_begin_look(port);
    if (!gms_port_has_event(port) && !gms_port_wait_quantum(port, polls)) {
        return 0;
    }
    port->sim->quantum_ps = port->sim->root->params.host_poll_ps;
    return 1;
}

/* Sleep until an event arrives. The function returns when it is the caller's
 * turn, or earlier if the result can no longer change. */
static void gms_port_sleep(struct gm_port *port, int is_past_sends)
{
    gms_sim_t *sim = port->sim;

    gms_sim_begin_post(sim);
    for (;;) {
        gms_gate_clear_signal(&sim->ctx);
        gms_copy_take_in(&sim->ctx);
        if (gms_port_has_event(port)) {
            break;
        }
        if (is_past_sends) {
            gms_nic_sleep_past_sends(port->nic, port->number);
        }
        gms_gate_run_events_until_signal(&sim->ctx, GMS_NEVER, port->waits_for);
    }
    gms_port_settle(port);
    sim->quantum_ps = sim->root->params.host_poll_ps;
}

/* ---- Returning events -------------------------------------------------- */

/* Return the event type of a received message. Four bits of the type describe
 * properties of the message. */
static unsigned gms_recv_type(const struct gm_port *port,
                              const gms_host_event_t *host)
{
    unsigned type = GM_RECV_EVENT;

    if (host->priority == GM_HIGH_PRIORITY) {
        type += GM_HIGH_RECV_EVENT - GM_RECV_EVENT;
    }
    if (host->sender_port == port->number) {
        type += GM_PEER_RECV_EVENT - GM_RECV_EVENT;
    }
    if (host->is_fast) {
        type += GM_FAST_RECV_EVENT - GM_RECV_EVENT;
    }
    return type;
}

static void gms_port_take_message(struct gm_port *port,
                                  const gms_host_event_t *host)
{
    unsigned type = gms_recv_type(port, host);
    gm_recv_t *recv = &port->event.recv;
    const void *buffer = (const void *)(uintptr_t)host->address;
    const void *message = buffer;

    if (host->is_fast) {
        memcpy(port->fast, host->fast, host->length);
        message = port->fast;
    } else if (!gms_nic_is_registered(port->nic, port->number, host->address,
                                      host->length)) {
        /* The message was longer than the buffer, so some of its data were not
         * stored. */
        gms_port_violate(port, GM_BAD_RECV_VMA_EVENT);
    }
    gms_recv_set_type(&port->event, type);
    port->has_special = type >= GM_PEER_RECV_EVENT;
    recv->message = gms_recv_pointer(message);
    recv->buffer = gms_recv_pointer(buffer);
    recv->length = gm_hton_u32(host->length);
    recv->sender_node_id = gm_hton_u16((gm_u16_t)(host->sender_node + 1));
    recv->tag = gm_hton_u8(host->tag);
    recv->size = gm_hton_u8(host->size);
    recv->sender_port_id = gm_hton_u8((gm_u8_t)host->sender_port);
    --port->buffers;
    port->path = host->path;
    port->visible_ps = host->time_ps;
    port->has_path = 1;
    port->returned_message = 1;
}

static gm_status_t gms_port_send_status(unsigned result)
{
    static const gm_status_t statuses[] = {
        [GMS_SENT_OK] = GM_SUCCESS,
        [GMS_SENT_TIMED_OUT] = GM_SEND_TIMED_OUT,
        [GMS_SENT_REJECTED] = GM_SEND_REJECTED,
        [GMS_SENT_PORT_CLOSED] = GM_SEND_TARGET_PORT_CLOSED,
        [GMS_SENT_UNREACHABLE] = GM_SEND_TARGET_NODE_UNREACHABLE,
        [GMS_SENT_BAD_MEMORY] = GM_MEMORY_FAULT,
        [GMS_SENT_DROPPED] = GM_SEND_DROPPED,
    };

    return result < GM_NUM_ELEM(statuses) ? statuses[result]
                                          : GM_INTERNAL_ERROR;
}

/* Return the event type of a failed send that has no callback. [source: GM 2
 * event types] */
static unsigned gms_port_failed_type(gm_status_t status)
{
    switch ((unsigned)status) {
    case GM_SEND_REJECTED:
        return GM_REJECTED_SEND_EVENT;
    case GM_SEND_DROPPED:
        return GM_DROPPED_SEND_EVENT;
    case GM_SEND_ORPHANED:
        return GM_ORPHANED_SEND_EVENT;
    default:
        return GM_SENDS_FAILED_EVENT;
    }
}

/* Report the end of a send that has no callback. The event contains all
 * information, and returns the send token to the program. */
static void gms_port_tell_sent(struct gm_port *port, uint32_t slot)
{
    const gms_send_slot_t *sent = &port->slots[slot];
    gm_failed_send_event_t *failed = &port->event.failed_send;

    gms_port_push(port, &port->free, slot);
    if (sent->status == GM_SUCCESS) {
        port->sent_list[0] = gms_recv_pointer(sent->message);
        return;
    }
    gms_recv_set_type(&port->event, gms_port_failed_type(sent->status));
    failed->message = gms_recv_pointer(sent->message);
    failed->target_node_id = gm_hton_u16(sent->target_node);
    failed->target_subport = gm_hton_u16(sent->target_subport);
    failed->target_subport_id = gm_hton_u8((gm_u8_t)sent->target_subport);
}

static void gms_port_take_sent(struct gm_port *port, uint32_t slot)
{
    gms_recv_set_type(&port->event, GM_SENT_EVENT);
    port->event.sent.message_list = gms_recv_pointer(port->sent_list);
    GM_N(port->sent_list[0]) = 0;
    if (port->slots[slot].status == GM_MEMORY_FAULT) {
        gms_port_violate(port, GM_BAD_SEND_VMA_EVENT);
    }
    if (port->slots[slot].has_no_callback) {
        gms_port_tell_sent(port, slot);
    } else {
        gms_port_push(port, &port->done, slot);
    }
}

static void gms_port_take_host_event(struct gm_port *port,
                                     const gms_host_event_t *host)
{
    uint32_t slot;

    switch ((enum gms_host_event_kind)host->kind) {
    case GMS_HOST_RECEIVED:
        if (port->sim->ctx.is_traced) {
            gms_port_trace_receive(port, host,
                                   port->sim->root->params.host_receive_ps);
        }
        gms_port_take_message(port, host);
        break;
    case GMS_HOST_SENT:
        slot = (uint32_t)host->cookie;
        port->slots[slot].status = gms_port_send_status(host->result);
        gms_port_take_sent(port, slot);
        break;
    case GMS_HOST_ALARM:
        gms_recv_set_type(&port->event, GM_ALARM_EVENT);
        break;
    case GMS_HOST_NOTICE:
        gms_qos_told(port, host->cookie);
        gms_recv_set_type(&port->event, GM_ALARM_EVENT);
        break;
    }
}

static void gms_port_take_own_event(struct gm_port *port)
{
    if (port->has_plain) {
        port->event = port->plain;
        port->has_plain = 0;
        port->returned_message = 1;
    } else if (port->failed.first != GMS_PORT_NO_SLOT) {
        gms_port_take_sent(port, gms_port_pop(port, &port->failed));
    } else {
        unsigned type = (unsigned)__builtin_ctz(port->violations);

        port->violations &= port->violations - 1;
        gms_recv_set_type(&port->event, type);
    }
}

/* Return the event that gms_port_has_event() found. */
static void gms_port_take(struct gm_port *port)
{
    gms_host_event_t *host;

    if (gms_port_has_own_event(port)) {
        gms_port_take_own_event(port);
        return;
    }
    host = gms_nic_take_event(port->nic, port->number);
    gms_port_take_host_event(port, host);
    gms_arena_free(port->sim->ctx.arena, host);
}

static union gm_recv_event *gms_port_return(struct gm_port *port, int found)
{
    const gms_params_t *params = &port->sim->root->params;
    gms_time_t cost_ps = found ? params->host_receive_ps : 0; /* 0 if the poll
                                                               * found no event,
                                                               * because the
                                                               * poll has
                                                               * already
                                                               * waited */

    port->returned_message = 0;
    port->has_special = 0;
    if (found) {
        gms_port_take(port);
    } else {
        gms_recv_set_type(&port->event, GM_NO_RECV_EVENT);
    }
    if (port->returned_message) {
        port->returned_ps = gms_gate_clock(&port->sim->ctx) + cost_ps;
    }
    gms_sim_end(port->sim, cost_ps);
    return &port->event;
}

/* Return the event that a receive call returns for a port that is not open. */
static union gm_recv_event *gms_port_nothing(void)
{
    static union gm_recv_event nothing;

    gms_recv_set_type(&nothing, GM_NO_RECV_EVENT);
    return &nothing;
}

union gm_recv_event *gm_receive(struct gm_port *port)
{
    union gm_recv_event *event;

    if (!gms_port_is_open(port)) {
        return gms_port_nothing();
    }
    event = gms_port_return(port, gms_port_poll(port));
    gms_poll_end(port->sim);
    return event;
}

union gm_recv_event *gm_blocking_receive_no_spin(struct gm_port *port)
{
    if (!gms_port_is_open(port)) {
        return gms_port_nothing();
    }
    gms_port_sleep(port, 0);
    return gms_port_return(port, 1);
}

union gm_recv_event *gm_blocking_receive(struct gm_port *port)
{
    return gm_blocking_receive_no_spin(port);
}

int gm_receive_pending(struct gm_port *port)
{
    int found;

    if (!gms_port_is_open(port)) {
        return 0;
    }
    found = gms_port_poll(port);
    gms_sim_end(port->sim, found ? port->sim->root->params.host_poll_ps : 0);
    gms_poll_end(port->sim);
    return found;
}

int gmsim_has_event(struct gm_port *port)
{
    int found;

    if (!gms_port_is_open(port)) {
        return 0;
    }
    gms_port_begin_look(port);
    found = gms_port_has_event(port);
    gms_sim_end(port->sim, port->sim->root->params.host_poll_ps);
    return found;
}

static unsigned gms_port_sent_type(const gms_send_slot_t *slot,
                                   gm_status_t status)
{
    return slot->has_no_callback && status != GM_SUCCESS
               ? gms_port_failed_type(status)
               : GM_SENT_EVENT;
}

/* Return the type of the event that gms_port_take() would return. Call this
 * function only if there is an event. */
static unsigned gms_port_next_type(struct gm_port *port, gm_u16_t *sender)
{
    const gms_send_slot_t *slot;
    const gms_host_event_t *host;

    if (port->has_plain) {
        if (sender != NULL) {
            *sender = gm_ntoh_u16(port->plain.recv.sender_node_id);
        }
        return GM_RECV_EVENT_TYPE(&port->plain);
    }
    if (port->failed.first != GMS_PORT_NO_SLOT) {
        slot = &port->slots[port->failed.first];
        return gms_port_sent_type(slot, slot->status);
    }
    if (port->violations != 0) {
        return (unsigned)__builtin_ctz(port->violations);
    }
    host = gms_port_peek(port);
    if (host->kind == GMS_HOST_ALARM) {
        return GM_ALARM_EVENT;
    }
    if (host->kind == GMS_HOST_SENT) {
        return gms_port_sent_type(&port->slots[host->cookie],
                                  gms_port_send_status(host->result));
    }
    if (sender != NULL) {
        *sender = (gm_u16_t)(host->sender_node + 1);
    }
    return gms_recv_type(port, host);
}

int gm_next_event_peek(struct gm_port *port, gm_u16_t *sender)
{
    unsigned type = GM_NO_RECV_EVENT;
    int found;

    if (!gms_port_is_open(port)) {
        return GM_NO_RECV_EVENT;
    }
    found = gms_port_poll(port);
    if (found) {
        type = gms_port_next_type(port, sender);
    }
    gms_sim_end(port->sim, found ? port->sim->root->params.host_poll_ps : 0);
    gms_poll_end(port->sim);
    return (int)type;
}

int gmsim_wait_unlocked(struct gm_port *port, const gmsim_lock_t *lock)
{
    gms_sim_t *sim;
    int found;

    if (!gms_port_is_open(port)) {
        return 0;
    }
    sim = port->sim;
    gms_gate_enter(&sim->ctx); /* the whole function is treated as one call */
    gms_sim_begin_post(sim);
    gms_copy_take_in(&sim->ctx);
    if (!gms_port_has_event(port)) {
        gms_gate_park_begin(&sim->ctx, port->waits_for);
        lock->release(lock->context);
        gms_gate_park_sleep(&sim->ctx);
        gms_sim_make_room(sim);
        lock->acquire(lock->context);
        gms_sim_begin_post(sim);
        gms_copy_take_in(&sim->ctx);
    }
    found = gms_port_has_event(port);
    sim->quantum_ps = sim->root->params.host_poll_ps;
    gms_sim_end(sim, sim->root->params.host_poll_ps);
    gms_gate_exit(&sim->ctx);
    return found;
}

void gmsim_end_wait(struct gm_port *port)
{
    if (gms_port_is_open(port)) {
        gms_gate_park_end(&port->sim->ctx);
    }
}

void gmsim_count_waiting(struct gm_port *port, int more)
{
    if (gms_port_is_open(port)) {
        gms_gate_park_count(&port->sim->ctx, more);
    }
}

void gmsim_wait(struct gm_port *port)
{
    if (!gms_port_is_open(port)) {
        return;
    }
    gms_port_sleep(port, 0);
    gms_sim_end(port->sim, port->sim->root->params.host_poll_ps);
}

void gmsim_set_bookkeeper(struct gm_port *port,
                          gm_send_completion_callback_t callback)
{
    if (gms_port_is_open(port)) {
        port->bookkeeper = callback;
    }
}

/* Collect the sends that ended during the sleep and whose callback was passed
 * to gmsim_set_bookkeeper(). The caller must hold the lock. */
static void gms_port_take_booked(struct gm_port *port)
{
    gms_host_event_t *event = gms_nic_take_booked(port->nic, port->number);

    while (event != NULL) {
        gms_host_event_t *next = event->next;
        uint32_t slot = (uint32_t)event->cookie;

        port->slots[slot].status = GM_SUCCESS;
        gms_port_push(port, &port->booked, slot);
        gms_arena_free(port->sim->ctx.arena, event);
        event = next;
    }
}

/* Run the callbacks of the sends that gms_port_take_booked() collected. The
 * virtual time for these callbacks has already passed. */
static void gms_port_keep_books(struct gm_port *port)
{
    uint32_t slot;

    while ((slot = gms_port_pop(port, &port->booked)) != GMS_PORT_NO_SLOT) {
        gms_send_slot_t sent = port->slots[slot];

        gms_port_push(port, &port->free, slot);
        sent.callback(port, sent.context, sent.status);
    }
}

void gmsim_wait_past_sends(struct gm_port *port)
{
    if (!gms_port_is_open(port)) {
        return;
    }
    gms_port_sleep(port, 1);
    gms_port_take_booked(port);
    gms_sim_end(port->sim, port->sim->root->params.host_poll_ps);
    gms_port_keep_books(port);
}
