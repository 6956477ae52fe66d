/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps the ledger of all sends. Checks that messages arrive exactly once, in
 * order and with the correct contents, and that every send ends with the
 * required status. The sends are made by fuzz_send.c.
 */
#include <string.h>

#include "fuzz_send.h"

#define FUZZ_MAGIC  0x464d5347u
#define FUZZ_HEADER 16u

fuzz_send_t fuzz_all[FUZZ_ALL_SENDS];
unsigned fuzz_count;
static unsigned fuzz_serial; /* number of the sequence */

void fuzz_sends_reset(void)
{
    memset(fuzz_all, 0, fuzz_count * sizeof(fuzz_all[0]));
    fuzz_count = 0;
    ++fuzz_serial;
}

/* ---- Contents of messages ---------------------------------------------- */

static unsigned char fuzz_pattern(unsigned id, size_t at)
{
    return (unsigned char)(id * 37 + at * 13 + (at >> 8) * 5 + fuzz_serial);
}

/* Fill a message. Short messages begin with a one-byte number. */
void fuzz_fill(unsigned char *to, unsigned id, size_t length)
{
    uint32_t header[FUZZ_HEADER / 4] = {FUZZ_MAGIC, id, fuzz_serial,
                                        FUZZ_MAGIC ^ (uint32_t)length};
    size_t at;

    for (at = 0; at < length; ++at) {
        to[at] = fuzz_pattern(id, at);
    }
    if (length >= FUZZ_HEADER) {
        memcpy(to, header, sizeof(header));
    } else if (length > 0) {
        to[0] = (unsigned char)id;
    }
}

static int fuzz_is_filled(const unsigned char *data, unsigned id, size_t length)
{
    unsigned char expected[FUZZ_SLOT_BYTES];

    fuzz_fill(expected, id, length);
    return memcmp(data, expected, length) == 0;
}

/* Return the send to which the bytes belong, or NULL if there is no such
 * send. */
static fuzz_send_t *fuzz_identify(const unsigned char *data, size_t length)
{
    uint32_t header[FUZZ_HEADER / 4];
    unsigned id;

    if (length >= FUZZ_HEADER) {
        memcpy(header, data, sizeof(header));
        if (header[0] != FUZZ_MAGIC) {
            return NULL;
        }
        FUZZ_CHECK(header[2] == fuzz_serial,
                   "a message of sequence %u arrived in sequence %u", header[2],
                   fuzz_serial);
        FUZZ_CHECK(header[1] < fuzz_count &&
                       header[3] == (FUZZ_MAGIC ^ (uint32_t)length),
                   "a message of %zu bytes has an invalid header: %#x %#x",
                   length, header[1], header[3]);
        return &fuzz_all[header[1]];
    }
    id = length > 0 ? data[0] : fuzz_count;
    return id < fuzz_count && fuzz_all[id].length == length &&
                   fuzz_all[id].kind <= FUZZ_DATAGRAM &&
                   fuzz_is_filled(data, id, length)
               ? &fuzz_all[id]
               : NULL;
}

int fuzz_is_stream(const fuzz_send_t *a, const fuzz_send_t *b)
{
    return a->from_generation == b->from_generation && a->node == b->node &&
           a->number == b->number && a->priority == b->priority &&
           a->label == b->label;
}

static int fuzz_is_there(const fuzz_port_t *port, unsigned generation)
{
    return port != NULL && port->gm != NULL && port->generation == generation;
}

void fuzz_send_arrived(fuzz_port_t *port, const gm_recv_t *event,
                       const void *data)
{
    size_t length = gm_ntoh_u32(event->length);
    fuzz_send_t *send = fuzz_identify(data, length);
    const fuzz_send_t *later;

    if (send == NULL) {
        return;
    }
    FUZZ_CHECK(send->kind == FUZZ_MESSAGE || send->kind == FUZZ_DATAGRAM,
               "the bytes of a call of kind %d arrived as a message",
               send->kind);
    FUZZ_CHECK(send->node == port->node && send->number == port->number,
               "a message to node %u, port %u arrived at node %u, port %u",
               send->node, send->number, port->node, port->number);
    FUZZ_CHECK(gm_ntoh_u8(event->sender_port_id) == send->from_number,
               "incorrect sender: port %u", gm_ntoh_u8(event->sender_port_id));
    FUZZ_CHECK(gm_ntoh_u8(event->size) == send->size,
               "the message has size %u, but was sent with size %u",
               gm_ntoh_u8(event->size), send->size);
    FUZZ_CHECK(send->accepted != 0, "the message was sent without a token");
    FUZZ_CHECK(fuzz_is_filled(data, (unsigned)(send - fuzz_all), length),
               "incorrect data in a message of %zu bytes", length);
    ++send->received;
    if (send->kind == FUZZ_DATAGRAM) {
        return; /* any number of copies may arrive, in any order */
    }
    FUZZ_CHECK(send->received == 1, "a message arrived twice");
    for (later = send + 1; later < fuzz_all + fuzz_count; ++later) {
        FUZZ_CHECK(later->kind != FUZZ_MESSAGE || later->received == 0 ||
                       !fuzz_is_stream(send, later),
                   "message %td arrived after message %td", send - fuzz_all,
                   later - fuzz_all);
    }
}

/* ---- Ends -------------------------------------------------------------- */

void fuzz_free_slots(fuzz_send_t *send)
{
    int is_there = fuzz_is_there(send->to, send->to_generation);

    if (send->slot >= 0) {
        (send->kind == FUZZ_GET ? send->from->is_receiving
                                : send->from->is_sending)[send->slot] = 0;
    }
    /* A put that failed may still write later, so its slot remains reserved. */
    if (send->to_slot >= 0 && is_there) {
        if (send->kind == FUZZ_GET) {
            send->to->is_sending[send->to_slot] = 0;
        } else if (send->status == GM_SUCCESS) {
            send->to->is_receiving[send->to_slot] = 0;
        }
    }
}

static int fuzz_is_untouched(const unsigned char *data, size_t length)
{
    size_t at;

    for (at = 0; at < length && data[at] == FUZZ_UNTOUCHED; ++at) {
    }
    return at == length;
}

/* Check the memory that a put or a get has written. */
static void fuzz_check_written(const fuzz_send_t *send)
{
    const void *data = send->kind == FUZZ_PUT
                           ? (const void *)(uintptr_t)send->remote
                           : send->address;

    if (!fuzz_is_there(send->to, send->to_generation)) {
        return;
    }
    if (!send->to->allows_access) {
        FUZZ_CHECK(fuzz_is_untouched(data, send->length),
                   "a put or get of %zu bytes transferred data although access "
                   "is not allowed",
                   send->length);
    } else if (send->status == GM_SUCCESS) {
        FUZZ_CHECK(
            fuzz_is_filled(data, (unsigned)(send - fuzz_all), send->length),
            "incorrect data in a %s of %zu bytes",
            send->kind == FUZZ_PUT ? "put" : "get", send->length);
    }
}

static void fuzz_check_status(const fuzz_send_t *send)
{
    FUZZ_CHECK((send->status == GM_INVALID_PARAMETER) == send->is_invalid,
               "unexpected status %u of a send whose arguments are %s",
               send->status, send->is_invalid ? "out of range" : "valid");
    switch ((unsigned)send->status) {
    case GM_SUCCESS:
    case GM_INVALID_PARAMETER:
    case GM_SEND_TIMED_OUT:
    case GM_SEND_REJECTED:
    case GM_SEND_TARGET_PORT_CLOSED:
    case GM_SEND_TARGET_NODE_UNREACHABLE:
    case GM_SEND_DROPPED:
        break;
    case GM_MEMORY_FAULT:
        FUZZ_CHECK(send->kind == FUZZ_ODD,
                   "unexpected GM_MEMORY_FAULT for a call of kind %d",
                   send->kind);
        break;
    default:
        FUZZ_CHECK(0, "status %u", send->status);
    }
    FUZZ_CHECK(send->kind != FUZZ_COMMAND || send->is_invalid ||
                   send->status == GM_SUCCESS,
               "a command failed with status %u", send->status);
}

static void fuzz_end(fuzz_send_t *send, gm_status_t status)
{
    fuzz_port_t *port = send->from;

    FUZZ_CHECK(send->end == FUZZ_UNDER_WAY && send->accepted != 0,
               "callback for a send that %s",
               send->accepted == 0 ? "had no token" : "has already ended");
    FUZZ_CHECK(fuzz_is_there(port, send->from_generation),
               "callback for a send of a closed port");
    --*(send->accepted == 1 ? &port->out : &port->maybe_out);
    send->end = FUZZ_ENDED;
    send->status = status;
    fuzz_check_status(send);
    if (send->kind == FUZZ_PUT || send->kind == FUZZ_GET) {
        fuzz_check_written(send);
    }
    fuzz_free_slots(send);
}

void fuzz_on_end(struct gm_port *gm, void *context, gm_status_t status)
{
    fuzz_send_t *send = context;

    FUZZ_CHECK(send >= fuzz_all && send < fuzz_all + fuzz_count, "context %p",
               context);
    FUZZ_CHECK(gm == send->from->gm, "the callback received a different port");
    fuzz_end(send, status);
    fuzz_act(send->action, send->from);
}

/*
 * Record that a send has ended. If several sends match, prefer a send that was
 * certainly accepted to a send that may not have been accepted.
 */
void fuzz_send_ended(fuzz_port_t *port, const void *message, gm_status_t status)
{
    fuzz_send_t *found = NULL;
    unsigned i;

    for (i = 0; i < fuzz_count; ++i) {
        fuzz_send_t *send = &fuzz_all[i];

        if (send->from == port && send->end == FUZZ_UNDER_WAY &&
            send->from_generation == port->generation &&
            (send->call == FUZZ_PLAIN || send->call == FUZZ_PLAIN_TO_PEER) &&
            send->address == message && send->accepted != 0 &&
            (found == NULL || found->accepted == 2)) {
            found = send;
            if (send->accepted == 1) {
                break;
            }
        }
    }
    FUZZ_CHECK(found != NULL, "event about message %p, which was not sent",
               message);
    /* An event of this kind can have many reasons, so any error is valid for a
     * send with invalid arguments. */
    found->is_invalid = found->is_invalid && status != GM_SUCCESS;
    fuzz_end(found, found->is_invalid ? GM_INVALID_PARAMETER : status);
}

void fuzz_sends_forget(const fuzz_port_t *port)
{
    unsigned i;

    for (i = 0; i < fuzz_count; ++i) {
        fuzz_send_t *send = &fuzz_all[i];

        if (send->from == port && send->from_generation == port->generation &&
            send->end == FUZZ_UNDER_WAY) {
            send->end = FUZZ_FORGOTTEN;
        }
    }
}

int fuzz_sends_may_write(const fuzz_port_t *port)
{
    unsigned i;

    for (i = 0; i < fuzz_count; ++i) {
        if (fuzz_all[i].kind == FUZZ_PUT && fuzz_all[i].node == port->node &&
            fuzz_all[i].number == port->number &&
            fuzz_all[i].to_generation != port->generation) {
            return 1;
        }
    }
    return 0;
}

/* ---- Sends that must end ----------------------------------------------- */

/* Only closing the port ends a stalled stream with a label. */
static int fuzz_is_stuck(const fuzz_send_t *send)
{
    unsigned i;

    for (i = 0; send->label != 0 && i < fuzz_count; ++i) {
        if (fuzz_all[i].end == FUZZ_ENDED && fuzz_all[i].status != GM_SUCCESS &&
            fuzz_all[i].status != GM_INVALID_PARAMETER &&
            fuzz_is_stream(&fuzz_all[i], send)) {
            return 1;
        }
    }
    return 0;
}

int fuzz_is_due(const fuzz_send_t *send)
{
    return send->accepted == 1 && send->end == FUZZ_UNDER_WAY &&
           !fuzz_is_stuck(send);
}

unsigned fuzz_sends_due(void)
{
    unsigned due = 0;
    unsigned i;

    for (i = 0; i < fuzz_count; ++i) {
        due += (unsigned)fuzz_is_due(&fuzz_all[i]);
    }
    return due;
}

void fuzz_sends_check(void)
{
    unsigned i;

    for (i = 0; i < fuzz_count; ++i) {
        const fuzz_send_t *send = &fuzz_all[i];

        if (send->kind == FUZZ_MESSAGE && send->end == FUZZ_ENDED &&
            send->status == GM_SUCCESS && send->length > 0 &&
            fuzz_is_there(send->to, send->to_generation) &&
            !send->to->is_loose) {
            FUZZ_CHECK(
                send->received == 1,
                "message %u was reported as delivered, but did not arrive", i);
        }
    }
}
