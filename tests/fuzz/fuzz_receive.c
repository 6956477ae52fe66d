/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes receive calls, and sets alarms. Compares every event with the buffers
 * and sends of the model. Then passes the event to gm_unknown(), as programs
 * do.
 */
#include <string.h>

#include "fuzz.h"
#include "gm/port.h"

#define FUZZ_ALARMS     4u
#define FUZZ_RECEIVES   8u /* maximum number of events per step */
#define FUZZ_LONGEST_US 100000u

/* ---- Messages ---------------------------------------------------------- */

static fuzz_buffer_t *fuzz_buffer_of(fuzz_port_t *port, const void *address,
                                     unsigned size, unsigned priority,
                                     unsigned tag)
{
    unsigned i;

    for (i = 0; i < FUZZ_RECV_TOKENS; ++i) {
        fuzz_buffer_t *buffer = &port->buffers[i];

        if (address != NULL && buffer->address == address &&
            buffer->size == size && buffer->priority == priority &&
            buffer->tag == tag) {
            return buffer;
        }
    }
    return NULL;
}

static void fuzz_check_message(fuzz_port_t *port, const gm_recv_t *recv)
{
    unsigned type = gm_ntoh_u8(recv->type);
    unsigned bits = type - GM_RECV_EVENT; /* bits for fast, peer and high */
    unsigned size = gm_ntoh_u8(recv->size);
    unsigned length = gm_ntoh_u32(recv->length);
    void *address = gm_ntohp(recv->buffer);
    fuzz_buffer_t *buffer =
        fuzz_buffer_of(port, address, size, bits & 1, gm_ntoh_u8(recv->tag));

    FUZZ_CHECK(buffer != NULL,
               "a message is in buffer %p, which was not provided (size %u, "
               "tag %u, type %u)",
               address, size, gm_ntoh_u8(recv->tag), type);
    FUZZ_CHECK(length <= gm_max_length_for_size(size),
               "%u bytes do not fit into size %u", length, size);
    FUZZ_CHECK(gm_ntoh_u16(recv->sender_node_id) >= 1 &&
                   gm_ntoh_u16(recv->sender_node_id) <= FUZZ_NODES &&
                   (bits >> 1 & 1) ==
                       (gm_ntoh_u8(recv->sender_port_id) == port->number),
               "unexpected event type %u from node %u, port %u to port %u",
               type, gm_ntoh_u16(recv->sender_node_id),
               gm_ntoh_u8(recv->sender_port_id), port->number);
    FUZZ_CHECK((bits >> 2 & 1) == (gm_ntohp(recv->message) != address),
               "event type %u: incorrect address of the message", type);
    if (bits & 4 || buffer->slot >= 0) {
        fuzz_send_arrived(port, recv, gm_ntohp(recv->message));
    }
    if (buffer->slot >= 0) {
        port->is_receiving[buffer->slot] = 0;
    }
    buffer->address = NULL;
    --port->buffer_count;
    FUZZ_CHECK(port->buffer_count == port->gm->buffers, "number of buffers");
    port->has_message = 1;
}

/*
 * Return the receive slot that begins at an address, or -1 if no slot begins
 * there. Buffers in the pool have no slot, because other calls may overwrite
 * them.
 */
static int fuzz_slot_of(const fuzz_port_t *port, const void *address)
{
    uintptr_t offset = (uintptr_t)address - (uintptr_t)port->slots;

    return port->slots != NULL && offset / FUZZ_SLOT_BYTES >= FUZZ_SLOTS &&
                   offset / FUZZ_SLOT_BYTES < 2 * FUZZ_SLOTS
               ? (int)(offset / FUZZ_SLOT_BYTES - FUZZ_SLOTS)
               : -1;
}

static size_t fuzz_kept_bytes(const gm_recv_t *recv)
{
    size_t length = gm_ntoh_u32(recv->length);

    return length < 16 ? length : 16;
}

/* Check the event after a FAST or PEER message was passed to gm_unknown(): the
 * same message is received again. */
static void fuzz_check_plain(fuzz_port_t *port, const gm_recv_t *recv)
{
    const gm_recv_t *special = &port->plain.recv;
    unsigned is_high = (gm_ntoh_u8(special->type) - GM_RECV_EVENT) & 1;
    const void *data = gm_ntohp(recv->message);
    int slot;

    port->expects_plain = 0;
    FUZZ_CHECK(gm_ntoh_u8(recv->type) ==
                       (is_high ? GM_HIGH_RECV_EVENT : GM_RECV_EVENT) &&
                   GM_N(recv->buffer) == GM_N(special->buffer) &&
                   GM_N(recv->message) == GM_N(special->buffer) &&
                   GM_N(recv->length) == GM_N(special->length) &&
                   GM_N(recv->tag) == GM_N(special->tag) &&
                   GM_N(recv->sender_node_id) == GM_N(special->sender_node_id),
               "plain event %u differs from event %u", gm_ntoh_u8(recv->type),
               gm_ntoh_u8(special->type));
    slot = fuzz_slot_of(port, data);
    if (slot >= 0) {
        port->is_receiving[slot] = 0;
        FUZZ_CHECK(memcmp(data, &port->plain, fuzz_kept_bytes(recv)) == 0,
                   "the plain event changed a message of %u bytes",
                   gm_ntoh_u32(recv->length));
    }
}

/* Store a FAST or PEER event for a later comparison. If the message has a slot,
 * its first bytes are stored in the copy, before the event's own fields. A
 * buffer in the pool may be unmapped already. */
static void fuzz_keep_special(fuzz_port_t *port,
                              const union gm_recv_event *event)
{
    int slot = fuzz_slot_of(port, gm_ntohp(event->recv.buffer));

    port->plain = *event;
    port->expects_plain = 1;
    if (slot >= 0) {
        memcpy(&port->plain, gm_ntohp(event->recv.message),
               fuzz_kept_bytes(&event->recv));
        port->is_receiving[slot] = 1; /* reserved until the library has copied
                                       * the message */
    }
}

/* ---- Events ------------------------------------------------------------ */

static gm_status_t fuzz_status_of(unsigned type)
{
    return type == GM_REJECTED_SEND_EVENT  ? GM_SEND_REJECTED
           : type == GM_DROPPED_SEND_EVENT ? GM_SEND_DROPPED
                                           : GM_SEND_TIMED_OUT;
}

static void fuzz_check_sent(fuzz_port_t *port, const gm_sent_event_t *sent)
{
    const gm_up_n_t *list = gm_ntohp(sent->message_list);
    unsigned count = 0;

    for (; gm_ntohp(*list) != NULL; ++list) {
        FUZZ_CHECK(++count <= FUZZ_SEND_TOKENS, "the list is endless");
        fuzz_send_ended(port, gm_ntohp(*list), GM_SUCCESS);
    }
}

static void fuzz_check_event(fuzz_port_t *port, union gm_recv_event *event)
{
    unsigned type = GM_RECV_EVENT_TYPE(event);

    switch (type) {
    case GM_RECV_EVENT:
    case GM_HIGH_RECV_EVENT:
        if (port->expects_plain) {
            fuzz_check_plain(port, &event->recv);
            break;
        }
        fuzz_check_message(port, &event->recv);
        break;
    case GM_PEER_RECV_EVENT:
    case GM_HIGH_PEER_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
    case GM_FAST_HIGH_RECV_EVENT:
    case GM_FAST_PEER_RECV_EVENT:
    case GM_FAST_HIGH_PEER_RECV_EVENT:
        fuzz_check_message(port, &event->recv);
        break;
    case GM_SENT_EVENT:
        fuzz_check_sent(port, &event->sent);
        break;
    case GM_REJECTED_SEND_EVENT:
    case GM_DROPPED_SEND_EVENT:
    case GM_SENDS_FAILED_EVENT:
        fuzz_send_ended(port, gm_ntohp(event->failed_send.message),
                        fuzz_status_of(type));
        break;
    case GM_SEND_TOKEN_VIOLATION_EVENT:
    case GM_RECV_TOKEN_VIOLATION_EVENT:
    case GM_BAD_RECV_TOKEN_EVENT:
        FUZZ_CHECK(port->violations > 0, "unexpected event %u", type);
        break;
    case GM_NO_RECV_EVENT:
    case GM_ALARM_EVENT:
    case GM_ALARM_VIOLATION_EVENT:
    case GM_BAD_SEND_VMA_EVENT:
    case GM_BAD_RECV_VMA_EVENT:
        break;
    default:
        FUZZ_CHECK(0, "event %u", type);
    }
}

static int fuzz_is_fast(unsigned type)
{
    return type >= GM_FAST_RECV_EVENT && type <= GM_FAST_HIGH_PEER_RECV_EVENT;
}

/* Check whether gm_unknown() converts the event to a plain message. */
static int fuzz_is_special(unsigned type)
{
    return fuzz_is_fast(type) || type == GM_PEER_RECV_EVENT ||
           type == GM_HIGH_PEER_RECV_EVENT;
}

/*
 * Handle an event as programs do. Pass events that the library needs to
 * gm_unknown().
 */
static void fuzz_pass_on(fuzz_port_t *port, union gm_recv_event *event,
                         int pass_on)
{
    unsigned type = GM_RECV_EVENT_TYPE(event);

    if (fuzz_is_special(type) && pass_on) {
        fuzz_keep_special(port, event);
    } else if (fuzz_is_fast(type)) {
        void *buffer = gm_ntohp(event->recv.buffer);

        if (fuzz_slot_of(port, buffer) >= 0) {
            FUZZ_CHECK(
                gm_memorize_message(gm_ntohp(event->recv.message), buffer,
                                    gm_ntoh_u32(event->recv.length)) == buffer,
                "gm_memorize_message()");
        }
        return;
    } else if (type != GM_SENT_EVENT && type != GM_ALARM_EVENT && !pass_on) {
        return;
    }
    gm_unknown(port->gm, event);
}

static int fuzz_take(fuzz_port_t *port, union gm_recv_event *event, int pass_on)
{
    unsigned type = GM_RECV_EVENT_TYPE(event);

    FUZZ_CHECK(!port->expects_plain || type == GM_RECV_EVENT ||
                   type == GM_HIGH_RECV_EVENT,
               "event %u arrived before the plain event", type);
    fuzz_check_event(port, event);
    fuzz_pass_on(port, event, pass_on);
    return type != GM_NO_RECV_EVENT;
}

int fuzz_receive(fuzz_port_t *port, int pass_on)
{
    union gm_recv_event *event = gm_receive(port->gm);

    FUZZ_CHECK(event != NULL, "gm_receive() returned NULL");
    return fuzz_take(port, event, pass_on);
}

void fuzz_op_receive(void)
{
    fuzz_port_t *port = fuzz_any_port();
    unsigned how = fuzz_byte();
    unsigned count = how % FUZZ_RECEIVES + 1;

    if (port->gm == NULL || how >= 250) {
        FUZZ_CHECK(GM_RECV_EVENT_TYPE(gm_receive(fuzz_odd_handle())) ==
                       GM_NO_RECV_EVENT,
                   "an invalid port returned an event");
        return;
    }
    /* Callbacks may close the port. */
    while (count > 0 && port->gm != NULL) {
        --count;
        if (!fuzz_receive(port, how & 16)) {
            break;
        }
    }
}

void fuzz_op_look(void)
{
    fuzz_port_t *port = fuzz_any_port();
    gm_u16_t sender = 0;
    int type, found;

    if (port->gm == NULL) {
        FUZZ_CHECK(gm_receive_pending(fuzz_odd_handle()) == 0 &&
                       gm_next_event_peek(fuzz_odd_handle(), &sender) == 0,
                   "an invalid port returned an event");
        return;
    }
    found = gm_receive_pending(port->gm);
    type = gm_next_event_peek(port->gm, fuzz_byte() & 1 ? &sender : NULL);
    FUZZ_CHECK(!found || type != GM_NO_RECV_EVENT,
               "no event follows gm_receive_pending() = %d", found);
    if (type != GM_NO_RECV_EVENT) {
        union gm_recv_event *event = gm_receive(port->gm);

        FUZZ_CHECK((int)GM_RECV_EVENT_TYPE(event) == type,
                   "event %d was announced, but event %d arrived", type,
                   GM_RECV_EVENT_TYPE(event));
        fuzz_take(port, event, 1);
    }
}

/* ---- Alarms ------------------------------------------------------------ */

typedef struct fuzz_alarm {
    gm_alarm_t alarm;
    int is_set;
    fuzz_port_t *port;
    unsigned generation;
    uint64_t due_ps;
    unsigned action;
} fuzz_alarm_t;

static fuzz_alarm_t fuzz_alarms[FUZZ_ALARMS];

void fuzz_alarms_reset(void)
{
    unsigned i;

    memset(fuzz_alarms, 0, sizeof(fuzz_alarms));
    for (i = 0; i < FUZZ_ALARMS; ++i) {
        gm_initialize_alarm(&fuzz_alarms[i].alarm);
    }
    gm_initialize_alarm(NULL);
}

void fuzz_alarms_forget(const fuzz_port_t *port)
{
    unsigned i;

    for (i = 0; i < FUZZ_ALARMS; ++i) {
        if (fuzz_alarms[i].port == port) {
            fuzz_alarms[i].is_set = 0;
        }
    }
}

static void fuzz_on_alarm(void *context)
{
    fuzz_alarm_t *alarm = context;
    uint64_t now_ps = gmsim_time_ps();

    FUZZ_CHECK(alarm->is_set, "an alarm that is not set went off");
    FUZZ_CHECK(now_ps >= alarm->due_ps, "an alarm went off %llu ps early",
               (unsigned long long)(alarm->due_ps - now_ps));
    alarm->is_set = 0;
    fuzz_act(alarm->action, alarm->port);
}

/*
 * Set an alarm that is due soon, or only after the end of any sequence. Alarms
 * at other times would only advance virtual time.
 */
static void fuzz_set_alarm(fuzz_alarm_t *alarm, fuzz_port_t *port, uint64_t us,
                           unsigned action)
{
    if (us > FUZZ_LONGEST_US && us < UINT64_MAX / FUZZ_US) {
        us %= FUZZ_LONGEST_US;
    }
    alarm->port = port;
    alarm->generation = port->generation;
    alarm->action = action;
    alarm->due_ps =
        us > FUZZ_LONGEST_US ? UINT64_MAX : gmsim_time_ps() + us * FUZZ_US;
    gm_set_alarm(port->gm, &alarm->alarm, us, fuzz_on_alarm, alarm);
    alarm->is_set = 1;
}

void fuzz_op_alarm(void)
{
    fuzz_port_t *port = fuzz_any_port();
    unsigned how = fuzz_byte();
    fuzz_alarm_t *alarm = &fuzz_alarms[how % FUZZ_ALARMS];

    if (port->gm == NULL) {
        gm_set_alarm(fuzz_odd_handle(), &alarm->alarm, 1, fuzz_on_alarm, alarm);
        gm_flush_alarm(fuzz_odd_handle());
        return;
    }
    switch (how >> 2 & 7) {
    default:
        fuzz_set_alarm(alarm, port, how & 128 ? fuzz_odd_number() : fuzz_byte(),
                       how & 64 ? fuzz_byte() : 0);
        break;
    case 4:
        gm_cancel_alarm(&alarm->alarm);
        alarm->is_set = 0;
        gm_cancel_alarm(how & 128 ? NULL : fuzz_odd_address(FUZZ_SOURCE));
        break;
    case 5:
        gm_flush_alarm(port->gm);
        fuzz_alarms_forget(port);
        break;
    case 6: /* the program overwrites an alarm by mistake */
        memset(&alarm->alarm, (int)fuzz_byte(), sizeof(alarm->alarm));
        break;
    case 7:
        gm_set_alarm(port->gm, how & 128 ? NULL : &alarm->alarm, 1, NULL,
                     alarm);
        if (!(how & 128)) {
            alarm->is_set = 0;
        }
        break;
    }
}

/* Wait for an event. Set an alarm first, because a wait requires a pending
 * event. */
void fuzz_op_block(void)
{
    fuzz_port_t *port = fuzz_any_port();
    unsigned how = fuzz_byte();
    fuzz_alarm_t *alarm = &fuzz_alarms[how % FUZZ_ALARMS];
    union gm_recv_event *event;

    if (port->gm == NULL) {
        gmsim_wait(fuzz_odd_handle());
        event = gm_blocking_receive(fuzz_odd_handle());
        FUZZ_CHECK(GM_RECV_EVENT_TYPE(event) == GM_NO_RECV_EVENT,
                   "an invalid port returned an event");
        return;
    }
    fuzz_set_alarm(alarm, port, how, 0);
    if (how & 8) {
        gmsim_wait(port->gm);
        FUZZ_CHECK(gm_receive_pending(port->gm), "gmsim_wait() ended early");
    }
    event = how & 16 ? gm_blocking_receive(port->gm)
                     : gm_blocking_receive_no_spin(port->gm);
    FUZZ_CHECK(GM_RECV_EVENT_TYPE(event) != GM_NO_RECV_EVENT,
               "no event after waiting");
    fuzz_take(port, event, how & 32);
}

/* ---- Invented events --------------------------------------------------- */

void fuzz_op_unknown(void)
{
    fuzz_port_t *port = fuzz_any_port();
    union gm_recv_event event;
    unsigned char *bytes = (unsigned char *)&event;
    unsigned how = fuzz_byte();
    unsigned i;

    if (how >= 192 && port->gm != NULL) {
        /*
         * Pass the event of the last receive call to gm_unknown(), for the
         * first time or again.
         */
        event = port->gm->event;
        if (fuzz_is_special(GM_RECV_EVENT_TYPE(&event)) ||
            port->expects_plain) {
            return; /* gm_unknown() may make the library deliver this event
                     * again */
        }
    } else {
        memset(&event, how & 1 ? 0xff : 0, sizeof(event));
        for (i = 0; i < how % 8; ++i) {
            bytes[fuzz_below(sizeof(event) - 1)] = (unsigned char)fuzz_byte();
        }
        event.recv.type = gm_hton_u8((gm_u8_t)fuzz_byte());
        if (port->gm != NULL && port->gm->has_special) {
            return;
        }
    }
    switch (how >> 3 & 3) {
    default:
        gm_unknown(fuzz_handle(port), &event);
        break;
    case 2:
        gm_handle_sent_tokens(fuzz_handle(port), how & 32 ? NULL : &event);
        break;
    case 3:
        gm_unknown(fuzz_handle(port), NULL);
        gm_handle_put_notification(fuzz_handle(port), &event);
        break;
    }
}
