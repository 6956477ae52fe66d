/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes send calls: valid and invalid messages, datagrams, puts and gets, and
 * commands that drop or resume streams. In some scenarios, a port closes during
 * a long message. The results are checked by fuzz_ledger.c.
 */
#include <string.h>

#include "fuzz_send.h"

#define FUZZ_MTU 512u

/* ---- Calling ----------------------------------------------------------- */

/*
 * Return an entry for another send, or NULL if no further send is possible. The
 * caller sets the fields that describe the data.
 */
static fuzz_send_t *fuzz_new(fuzz_port_t *port, enum fuzz_kind kind)
{
    fuzz_send_t *send = &fuzz_all[fuzz_count];

    if (port->gm == NULL || fuzz_count >= FUZZ_SENDS) {
        return NULL;
    }
    memset(send, 0, sizeof(*send));
    send->kind = kind;
    send->from = port;
    send->from_number = port->number;
    send->from_generation = port->generation;
    send->slot = -1;
    send->to_slot = -1;
    return send;
}

static void fuzz_call_message(struct gm_port *gm, const fuzz_send_t *send,
                              gm_send_completion_callback_t callback,
                              void *context)
{
    switch (send->call) {
    case FUZZ_WITH_CALLBACK:
    case FUZZ_WITH_NULL:
    case FUZZ_AS_WORD:
    case FUZZ_CALLS:
        gm_send_with_callback(gm, send->address, send->size, send->length,
                              send->priority, send->node, send->number,
                              callback, context);
        break;
    case FUZZ_WITH_LABEL:
        gm_qos_send_with_callback(gm, send->address, send->size, send->length,
                                  send->priority, send->node, send->number,
                                  send->label, callback, context);
        break;
    case FUZZ_TO_PEER:
        gm_send_to_peer_with_callback(gm, send->address, send->size,
                                      send->length, send->priority, send->node,
                                      callback, context);
        break;
    case FUZZ_PLAIN:
        gm_send(gm, send->address, send->size, send->length, send->priority,
                send->node, send->number);
        break;
    case FUZZ_PLAIN_TO_PEER:
        gm_send_to_peer(gm, send->address, send->size, send->length,
                        send->priority, send->node);
        break;
    }
}

static void fuzz_call_directed(struct gm_port *gm, const fuzz_send_t *send,
                               gm_send_completion_callback_t callback,
                               void *context)
{
    enum gm_priority priority = (enum gm_priority)send->priority;

    if (send->call == FUZZ_WITH_LABEL) {
        gm_qos_directed_send_with_callback(
            gm, send->address, send->remote, send->length, priority, send->node,
            send->number, send->label, callback, context);
    } else if (send->call == FUZZ_PLAIN) {
        gm_directed_send(gm, send->address, send->remote, send->length,
                         priority, send->node, send->number);
    } else if (send->call == FUZZ_AS_WORD) {
        gm_put(gm, send->address, send->remote, send->length, priority,
               send->node, send->number, callback, context);
    } else {
        gm_directed_send_with_callback(gm, send->address, send->remote,
                                       send->length, priority, send->node,
                                       send->number, callback, context);
    }
}

typedef void fuzz_caller_t(struct gm_port *gm, const fuzz_send_t *send,
                           gm_send_completion_callback_t callback,
                           void *context);

static void fuzz_call_datagram(struct gm_port *gm, const fuzz_send_t *send,
                               gm_send_completion_callback_t callback,
                               void *context)
{
    gm_u32_t word = 0;

    if (send->call != FUZZ_AS_WORD) {
        gm_datagram_send(gm, send->address, send->size, send->length,
                         send->priority, send->node, send->number, callback,
                         context);
        return;
    }
    if (send->slot >= 0) {
        memcpy(&word, send->address, sizeof(word));
    }
    gm_datagram_send_4(gm, word, send->size, send->length, send->priority,
                       send->node, send->number, callback, context);
}

static void fuzz_call_get(struct gm_port *gm, const fuzz_send_t *send,
                          gm_send_completion_callback_t callback, void *context)
{
    gm_get(gm, send->remote, send->address, send->length,
           (enum gm_priority)send->priority, send->node, send->number, callback,
           context);
}

static void fuzz_call_drop(struct gm_port *gm, const fuzz_send_t *send,
                           gm_send_completion_callback_t callback,
                           void *context)
{
    gm_drop_sends(gm, send->priority, send->node, send->number, callback,
                  context);
}

static void fuzz_call_resume(struct gm_port *gm, const fuzz_send_t *send,
                             gm_send_completion_callback_t callback,
                             void *context)
{
    gm_resume_sending(gm, send->priority, send->node, send->number, callback,
                      context);
}

static void fuzz_send(fuzz_send_t *send, struct gm_port *gm,
                      fuzz_caller_t *caller)
{
    fuzz_port_t *port = send->from;
    gm_send_completion_callback_t callback =
        send->call == FUZZ_WITH_NULL ? NULL : fuzz_on_end;

    if (send->call == FUZZ_TO_PEER || send->call == FUZZ_PLAIN_TO_PEER) {
        send->number = port->number;
    }
    if (send->call != FUZZ_WITH_LABEL) {
        send->label = 0;
    }
    send->to = fuzz_port_at(send->node, send->number);
    send->to_generation = send->to != NULL ? send->to->generation : 0;
    ++fuzz_count;
    if (gm != port->gm) { /* the port is invalid, so the send has no effect */
        send->end = FUZZ_FORGOTTEN;
        fuzz_free_slots(send);
    } else if (port->out >= FUZZ_SEND_TOKENS) {
        ++port->violations;
        send->end = FUZZ_FORGOTTEN;
        fuzz_free_slots(send);
    } else {
        send->accepted = port->out + port->maybe_out < FUZZ_SEND_TOKENS ? 1 : 2;
        port->violations += send->accepted == 2;
        if (send->call == FUZZ_WITH_NULL ||
            (send->call != FUZZ_AS_WORD && send->address == NULL &&
             send->call >= FUZZ_PLAIN)) {
            /* The test cannot detect when this send ends, because the send has
             * no callback, or because its event looks like the end of a list.
             * Therefore, the test does not know whether the send was
             * accepted. */
            send->accepted = 2;
        }
        ++*(send->accepted == 1 ? &port->out : &port->maybe_out);
    }
    caller(gm, send, callback, send);
}

/* ---- Valid sends ------------------------------------------------------- */

/* Choose the target, priority, label and action of a send. The target is
 * usually an open port. */
static void fuzz_aim(fuzz_send_t *send)
{
    unsigned how = fuzz_byte();
    const fuzz_port_t *to = &fuzz_ports[how % FUZZ_PORTS];

    if (to->gm == NULL || how >= 240) {
        send->node = 1 + how % FUZZ_NODES;
        send->number = (how >> 2) % FUZZ_NUM_PORTS;
    } else {
        send->node = to->node;
        send->number = to->number;
    }
    how = fuzz_byte();
    send->priority = how & 1;
    send->label = (how >> 1) % 4 == 3 ? 65535 : (how >> 1) % 4;
    send->action = how >> 3;
}

static int fuzz_take_slot(uint8_t taken[FUZZ_SLOTS])
{
    unsigned slot;

    for (slot = 0; slot < FUZZ_SLOTS; ++slot) {
        if (!taken[slot]) {
            taken[slot] = 1;
            return (int)slot;
        }
    }
    return -1;
}

/* Return a random message length of at most `most` bytes, often exactly
 * `most`. */
static gm_size_t fuzz_length(gm_size_t most)
{
    unsigned how = fuzz_byte();

    return how < 16 ? how % (most + 1)
                    : (how < 96 ? most : how * UINT64_C(4099) % (most + 1));
}

void fuzz_op_send(void)
{
    fuzz_send_t *send = fuzz_new(fuzz_any_port(), FUZZ_MESSAGE);
    unsigned how = fuzz_byte();

    if (send == NULL ||
        (send->slot = fuzz_take_slot(send->from->is_sending)) < 0) {
        return;
    }
    fuzz_aim(send);
    send->size = fuzz_size();
    send->length = fuzz_length(gm_max_length_for_size(send->size));
    send->call =
        how % 16 < FUZZ_CALLS ? (enum fuzz_call)(how % 16) : FUZZ_WITH_CALLBACK;
    if (how >= 224 || send->call == FUZZ_AS_WORD) {
        send->kind = FUZZ_DATAGRAM;
        send->call = send->call == FUZZ_AS_WORD || send->call == FUZZ_WITH_NULL
                         ? send->call
                         : FUZZ_WITH_CALLBACK;
        if (send->length > FUZZ_MTU) {
            send->length = FUZZ_MTU;
        }
        if (send->call == FUZZ_AS_WORD && send->length > 4) {
            send->length = 4;
        }
    }
    send->address = send->from->slots + (unsigned)send->slot * FUZZ_SLOT_BYTES;
    fuzz_fill(send->address, (unsigned)(send - fuzz_all), send->length);
    fuzz_send(send, send->from->gm,
              send->kind == FUZZ_DATAGRAM ? fuzz_call_datagram
                                          : fuzz_call_message);
}

/* Transfer data between a slot of a random port and a slot of the target port,
 * with a put or a get. */
void fuzz_op_directed(void)
{
    unsigned how = fuzz_byte();
    int is_get = how & 1;
    fuzz_send_t *send = fuzz_new(fuzz_any_port(), is_get ? FUZZ_GET : FUZZ_PUT);
    fuzz_port_t *to;
    unsigned char *near, *far;

    if (send == NULL) {
        return;
    }
    fuzz_aim(send);
    to = fuzz_port_at(send->node, send->number);
    if (to == NULL || to->slots == NULL || send->from->slots == NULL) {
        return;
    }
    send->call = (enum fuzz_call)((how >> 1) % FUZZ_CALLS);
    if (is_get || send->call == FUZZ_TO_PEER ||
        send->call == FUZZ_PLAIN_TO_PEER) {
        send->call = FUZZ_WITH_CALLBACK;
    }
    send->length = fuzz_length(FUZZ_SLOT_BYTES);
    send->slot = fuzz_take_slot(is_get ? send->from->is_receiving
                                       : send->from->is_sending);
    send->to_slot = fuzz_take_slot(is_get ? to->is_sending : to->is_receiving);
    if (send->slot < 0 || send->to_slot < 0) {
        send->to = to;
        send->to_generation = to->generation;
        fuzz_free_slots(send);
        return;
    }
    near = (unsigned char *)send->from->slots +
           ((is_get ? FUZZ_SLOTS : 0) + (unsigned)send->slot) * FUZZ_SLOT_BYTES;
    far =
        (unsigned char *)to->slots +
        ((is_get ? 0 : FUZZ_SLOTS) + (unsigned)send->to_slot) * FUZZ_SLOT_BYTES;
    send->address = near;
    send->remote = (gm_remote_ptr_t)(uintptr_t)far;
    memset(is_get ? near : far, FUZZ_UNTOUCHED, FUZZ_SLOT_BYTES);
    fuzz_fill(is_get ? far : near, (unsigned)(send - fuzz_all), send->length);
    fuzz_send(send, send->from->gm,
              is_get ? fuzz_call_get : fuzz_call_directed);
}

/* ---- Scenes ------------------------------------------------------------ */

static void fuzz_send_to(fuzz_port_t *from, const fuzz_port_t *to,
                         unsigned size, unsigned priority, unsigned action)
{
    fuzz_send_t *send = fuzz_new(from, FUZZ_MESSAGE);

    if (send == NULL || to->gm == NULL ||
        (send->slot = fuzz_take_slot(from->is_sending)) < 0) {
        return;
    }
    send->node = to->node;
    send->number = to->number;
    send->size = size;
    send->priority = priority;
    send->action = action;
    send->length = gm_max_length_for_size(size);
    send->address = from->slots + (unsigned)send->slot * FUZZ_SLOT_BYTES;
    fuzz_fill(send->address, (unsigned)(send - fuzz_all), send->length);
    fuzz_send(send, from->gm, fuzz_call_message);
}

static void fuzz_drop_to(fuzz_port_t *from, const fuzz_port_t *to,
                         unsigned priority)
{
    fuzz_send_t *send = fuzz_new(from, FUZZ_COMMAND);

    if (send != NULL) {
        send->node = to->node;
        send->number = to->number;
        send->priority = priority;
        fuzz_send(send, from->gm, fuzz_call_drop);
    }
}

static void fuzz_reopen(fuzz_port_t *port)
{
    unsigned unit = port->unit;
    unsigned number = port->number;

    if (port->gm != NULL) {
        fuzz_port_close(port);
        fuzz_port_open(port, unit, number);
    }
}

/*
 * Close a port, or unmap memory, during a long message. Then send another
 * message on the same route.
 */
void fuzz_op_scene(void)
{
    fuzz_port_t *from = fuzz_any_port();
    fuzz_port_t *to = fuzz_any_port();
    unsigned how = fuzz_byte();
    unsigned priority = how >> 7;
    int has_two;

    if (from->gm == NULL || to->gm == NULL) {
        return;
    }
    if (how & 8) {
        fuzz_port_pull_away(to, 12, priority);
    } else {
        fuzz_port_provide(to, 12, priority, 0);
    }
    fuzz_send_to(from, to, 12, priority, fuzz_byte());
    gmsim_compute(fuzz_byte() * 2 * FUZZ_US);
    switch (how % 8) {
    case 0:
    case 1:
        fuzz_node_down(to->node);
        gmsim_compute(how & 16 ? 25 * FUZZ_MS : FUZZ_MS);
        break;
    case 2:
        fuzz_reopen(to);
        break;
    case 3:
        fuzz_reopen(from);
        break;
    case 4:
        fuzz_port_close(how & 16 ? from : to);
        break;
    case 5:
        gmsim_reset_nic(how & 16 ? from->node : to->node);
        break;
    default:
        break;
    }
    has_two = from->gm != NULL && to->gm != NULL;
    if (has_two && how & 32) {
        fuzz_drop_to(from, to, priority);
    }
    if (has_two && how & 64) {
        fuzz_port_provide(to, 12, priority, 0);
        fuzz_send_to(from, to, 12, priority, 0);
    }
}

/* ---- Invalid sends ----------------------------------------------------- */

static int fuzz_is_invalid(const fuzz_send_t *send, int is_message,
                           gm_size_t most)
{
    return send->priority >= GM_NUM_PRIORITIES || send->node == 0 ||
           send->node > FUZZ_NODES || send->number >= FUZZ_NUM_PORTS ||
           (send->call == FUZZ_WITH_LABEL && send->label > GM_QOS_MAX_LABEL) ||
           send->length > most ||
           (is_message && (send->size > 31 ||
                           send->length > gm_max_length_for_size(send->size)));
}

/* Make one of the send's arguments invalid. */
static void fuzz_spoil(fuzz_send_t *send)
{
    unsigned how = fuzz_byte();

    if (how & 1) {
        send->size = (unsigned)fuzz_odd_number();
    }
    if (how & 2) {
        send->length = (gm_size_t)fuzz_odd_number();
    }
    if (how & 4) {
        send->priority = (unsigned)fuzz_odd_number();
    }
    if (how & 8) {
        send->node = (unsigned)fuzz_odd_number();
    }
    if (how & 16) {
        send->number = (unsigned)fuzz_odd_number();
    }
    if (how & 32) {
        send->label = (unsigned)fuzz_odd_number();
    }
    send->call =
        how >= 192 ? (enum fuzz_call)(how % FUZZ_CALLS) : FUZZ_WITH_CALLBACK;
}

void fuzz_op_send_odd(void)
{
    fuzz_send_t *send = fuzz_new(fuzz_any_port(), FUZZ_ODD);
    int is_datagram = fuzz_byte() % 4 == 0;
    gm_size_t most = INT32_MAX;
    struct gm_port *gm;

    if (send == NULL) {
        return;
    }
    fuzz_aim(send);
    send->size = fuzz_size();
    send->length = fuzz_length(gm_max_length_for_size(send->size));
    fuzz_spoil(send);
    if (is_datagram) {
        if (send->call != FUZZ_AS_WORD && send->call != FUZZ_WITH_NULL) {
            send->call = FUZZ_WITH_CALLBACK;
        }
        most = send->call == FUZZ_AS_WORD ? 4 : FUZZ_MTU;
    } else if (send->call == FUZZ_AS_WORD) {
        send->call = FUZZ_WITH_CALLBACK;
    }
    if (send->call == FUZZ_TO_PEER || send->call == FUZZ_PLAIN_TO_PEER) {
        send->number = send->from->number;
    }
    send->address = fuzz_odd_address(FUZZ_SOURCE);
    send->is_invalid = fuzz_is_invalid(send, 1, most) ||
                       (send->address == NULL && send->length > 0 &&
                        send->call != FUZZ_AS_WORD);
    gm = fuzz_handle(send->from);
    fuzz_send(send, gm, is_datagram ? fuzz_call_datagram : fuzz_call_message);
}

void fuzz_op_directed_odd(void)
{
    fuzz_send_t *send = fuzz_new(fuzz_any_port(), FUZZ_ODD);
    int is_get = fuzz_byte() & 1;
    struct gm_port *gm;

    if (send == NULL) {
        return;
    }
    fuzz_aim(send);
    send->length = fuzz_length(FUZZ_POOL_PAGES * 1024);
    fuzz_spoil(send);
    if (is_get || send->call == FUZZ_TO_PEER ||
        send->call == FUZZ_PLAIN_TO_PEER) {
        send->call = FUZZ_WITH_CALLBACK;
    }
    /* A put writes to the remote address; a get reads from the remote address
     * and writes to local memory. */
    send->remote = (gm_remote_ptr_t)(uintptr_t)fuzz_odd_address(
        is_get ? FUZZ_SOURCE : FUZZ_SINK);
    send->address = fuzz_odd_address(is_get ? FUZZ_SINK : FUZZ_SOURCE);
    send->is_invalid = fuzz_is_invalid(send, 0, INT32_MAX) ||
                       (send->address == NULL && send->length > 0);
    gm = fuzz_handle(send->from);
    fuzz_send(send, gm, is_get ? fuzz_call_get : fuzz_call_directed);
}

/* ---- Stalled streams --------------------------------------------------- */

void fuzz_op_stream(void)
{
    fuzz_send_t *send = fuzz_new(fuzz_any_port(), FUZZ_COMMAND);
    unsigned how = fuzz_byte();
    struct gm_port *gm;

    if (send == NULL) {
        return;
    }
    fuzz_aim(send);
    if (how >= 192) {
        fuzz_spoil(send);
    }
    send->call = how % 8 == 7 ? FUZZ_WITH_NULL : FUZZ_WITH_CALLBACK;
    send->length = 0;
    send->is_invalid = fuzz_is_invalid(send, 0, 0);
    gm = fuzz_handle(send->from);
    fuzz_send(send, gm, how & 8 ? fuzz_call_drop : fuzz_call_resume);
}

/* Return 1 if an earlier send of the same stream is also unfinished. */
static int fuzz_is_behind(const fuzz_send_t *send)
{
    const fuzz_send_t *first = fuzz_all;

    while (first < send && (!fuzz_is_due(first) || first->label != 0 ||
                            !fuzz_is_stream(first, send))) {
        ++first;
    }
    return first < send;
}

int fuzz_sends_drop(void)
{
    unsigned count = fuzz_count;
    unsigned i;

    for (i = 0; i < count && fuzz_count < FUZZ_ALL_SENDS; ++i) {
        const fuzz_send_t *due = &fuzz_all[i];
        fuzz_send_t *drop = &fuzz_all[fuzz_count];

        if (!fuzz_is_due(due) || due->label != 0 || fuzz_is_behind(due)) {
            continue;
        }
        if (due->from->out + due->from->maybe_out >= FUZZ_SEND_TOKENS) {
            return 0;
        }
        *drop = *due;
        drop->kind = FUZZ_COMMAND;
        drop->call = FUZZ_WITH_CALLBACK;
        drop->slot = -1;
        drop->to_slot = -1;
        drop->action = 0;
        fuzz_send(drop, due->from->gm, fuzz_call_drop);
    }
    return 1;
}
