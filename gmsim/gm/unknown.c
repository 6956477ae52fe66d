/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements gm_unknown(), to which a program passes every event that it does
 * not handle. The function runs the callbacks of completed sends and due
 * alarms, converts FAST and PEER messages to plain messages, and prints invalid
 * calls on standard error.
 */
#include <stdio.h>
#include <string.h>

#include "engine/copy.h"
#include "gm/port.h"
#include "gm/trace.h"

/* Run the callbacks of completed sends. Callbacks run without the gate's lock,
 * because they may send messages, provide buffers, or close the port. The slot
 * is freed before its callback runs, because the callback may already use the
 * send token. */
void gms_unknown_sent(struct gm_port *port)
{
    gms_sim_t *sim = port->sim;
    uint32_t slot;

    while (gms_port_is_open(port) &&
           (slot = gms_port_pop(port, &port->done)) != GMS_PORT_NO_SLOT) {
        gms_send_slot_t sent = port->slots[slot];

        gms_port_push(port, &port->free, slot);
        gms_sim_spend(sim, sim->root->params.host_callback_ps);
        /* The callback that was passed to gmsim_set_bookkeeper() may also run
         * after the next sleep, at a time that depends on the real machine.
         * Therefore this callback is not traced. */
        if (sim->ctx.is_traced && sent.callback != port->bookkeeper) {
            gms_port_trace_callback(port, slot, sent.status);
        }
        if (sent.callback != NULL) {
            sent.callback(port, sent.context, sent.status);
        }
    }
}

/* Copy the data of a FAST message to its buffer. */
static void gms_unknown_copy(struct gm_port *port)
{
    gms_sim_t *sim = port->sim;
    const gm_recv_t *recv = &port->event.recv;

    gms_sim_begin_post(sim);
    if (gms_copy_write(&sim->ctx, sim->launch.rank,
                       (uintptr_t)gm_ntohp(recv->buffer), port->fast,
                       gm_ntoh_u32(recv->length)) != GMS_OK) {
        gms_port_violate(port, GM_BAD_RECV_VMA_EVENT);
    }
    gms_sim_end(sim, sim->root->params.host_callback_ps);
}

/* Convert the event for programs that handle neither FAST nor PEER events. Such
 * programs receive the plain event for the message's priority. Only the most
 * recently returned event is converted, and only once, because other events of
 * these types may contain invalid addresses. */
static void gms_unknown_message(struct gm_port *port)
{
    const gm_recv_t *recv = &port->event.recv;
    unsigned type = GM_RECV_EVENT_TYPE(&port->event);
    int is_high = (type - GM_RECV_EVENT) % (GM_PEER_RECV_EVENT - GM_RECV_EVENT);

    if (!port->has_special) {
        return;
    }
    port->has_special = 0;
    port->plain = port->event;
    port->plain.recv.message = recv->buffer;
    port->plain.recv.type =
        gm_hton_u8((gm_u8_t)(is_high ? GM_HIGH_RECV_EVENT : GM_RECV_EVENT));
    port->has_plain = 1;
    if (type >= GM_FAST_RECV_EVENT) {
        gms_unknown_copy(port);
    }
}

static void gms_unknown_tell(const struct gm_port *port, const char *what)
{
    fprintf(stderr, "gm: rank %u, node %u, port %u: %s\n",
            port->sim->launch.rank, port->node + 1, port->number, what);
}

void gm_unknown(struct gm_port *port, union gm_recv_event *event)
{
    if (event == NULL || !gms_port_is_open(port)) {
        return;
    }
    switch (GM_RECV_EVENT_TYPE(event)) {
    case GM_SENT_EVENT:
        gms_unknown_sent(port);
        break;
    case GM_ALARM_EVENT:
        gms_alarm_run(port);
        gms_qos_run_told(port);
        break;
    case GM_PEER_RECV_EVENT:
    case GM_HIGH_PEER_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
    case GM_FAST_HIGH_RECV_EVENT:
    case GM_FAST_PEER_RECV_EVENT:
    case GM_FAST_HIGH_PEER_RECV_EVENT:
        gms_unknown_message(port);
        break;
    case GM_SEND_TOKEN_VIOLATION_EVENT:
        gms_unknown_tell(
            port, "a message was not sent: no send token was available for it");
        break;
    case GM_RECV_TOKEN_VIOLATION_EVENT:
        gms_unknown_tell(port, "a receive buffer was not accepted: no receive "
                               "token was available for it");
        break;
    case GM_BAD_RECV_TOKEN_EVENT:
        gms_unknown_tell(port, "a receive buffer was not accepted: its "
                               "address, size or priority is not valid");
        break;
    case GM_BAD_SEND_VMA_EVENT:
        gms_unknown_tell(port, "a message was not sent: its memory is not "
                               "registered");
        break;
    case GM_BAD_RECV_VMA_EVENT:
        gms_unknown_tell(port, "a receive buffer was not used: its memory is "
                               "not registered");
        break;
    case GM_ALARM_VIOLATION_EVENT:
        gms_unknown_tell(
            port, "an alarm was not set: it has no memory or no callback");
        break;
    default: /* no event, or a message that the program ignores */
        break;
    }
}

void gm_handle_sent_tokens(struct gm_port *port, union gm_recv_event *event)
{
    if (event != NULL && gms_port_is_open(port)) {
        gms_unknown_sent(port);
    }
}

/* This implementation creates no events for puts, so the program has passed an
 * event of another type. */
void gm_handle_put_notification(struct gm_port *port,
                                union gm_recv_event *event)
{
    gm_unknown(port, event);
}

void *gm_memorize_message(void *message, void *buffer, unsigned length)
{
    if (message != buffer && message != NULL && buffer != NULL) {
        memcpy(buffer, message, length);
    }
    return buffer;
}
