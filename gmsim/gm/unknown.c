/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "gm/port.h"

/* Callbacks run without the gate's lock: they send and provide buffers. The
 * slot is free before its callback runs, because the send token is. */
static void gms_unknown_sent(struct gm_port *port)
{
    gms_sim_t *sim = port->sim;
    uint32_t slot;

    while ((slot = gms_port_pop(port, &port->done)) != GMS_PORT_NO_SLOT) {
        gms_send_slot_t sent = port->slots[slot];

        gms_port_push(port, &port->free, slot);
        gms_sim_spend(sim, sim->root->params.host_callback_ps);
        if (sent.callback != NULL) {
            sent.callback(port, sent.context, sent.status);
        }
    }
}

/* A program that knows neither FAST nor PEER events gets the plain kind of its
 * priority. */
static void gms_unknown_fast(struct gm_port *port,
                             const union gm_recv_event *event, unsigned type)
{
    const gm_recv_t *recv = &event->recv;
    int is_high = (type - GM_RECV_EVENT) % (GM_PEER_RECV_EVENT - GM_RECV_EVENT);

    gm_memorize_message(gm_ntohp(recv->message), gm_ntohp(recv->buffer),
                        gm_ntoh_u32(recv->length));
    port->plain = *event;
    port->plain.recv.message = recv->buffer;
    port->plain.recv.type =
        gm_hton_u8((gm_u8_t)(is_high ? GM_HIGH_RECV_EVENT : GM_RECV_EVENT));
    port->has_plain = 1;
    gms_sim_spend(port->sim, port->sim->root->params.host_callback_ps);
}

static void gms_unknown_tell(const struct gm_port *port, const char *what)
{
    fprintf(stderr, "gm: rank %u, port %u: %s\n", port->sim->launch.rank,
            port->number, what);
}

void gm_unknown(struct gm_port *port, union gm_recv_event *event)
{
    unsigned type = GM_RECV_EVENT_TYPE(event);

    switch (type) {
    case GM_SENT_EVENT:
        gms_unknown_sent(port);
        break;
    case GM_ALARM_EVENT:
        gms_alarm_run(port);
        break;
    case GM_FAST_RECV_EVENT:
    case GM_FAST_HIGH_RECV_EVENT:
    case GM_FAST_PEER_RECV_EVENT:
    case GM_FAST_HIGH_PEER_RECV_EVENT:
        gms_unknown_fast(port, event, type);
        break;
    case GM_SEND_TOKEN_VIOLATION_EVENT:
        gms_unknown_tell(port, "a message was not sent: there was no send "
                               "token for it");
        break;
    case GM_RECV_TOKEN_VIOLATION_EVENT:
        gms_unknown_tell(port, "a receive buffer was not taken: there was no "
                               "receive token for it");
        break;
    case GM_BAD_RECV_TOKEN_EVENT:
        gms_unknown_tell(port, "a receive buffer was not taken: its address, "
                               "size or priority is not valid");
        break;
    default: /* nothing, or a message that the program does not want */
        break;
    }
}

void *gm_memorize_message(void *message, void *buffer, unsigned length)
{
    if (message != buffer) {
        memcpy(buffer, message, length);
    }
    return buffer;
}
