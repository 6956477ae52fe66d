/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the sends of the randomised test. The file fuzz_send.c makes these
 * sends, and fuzz_ledger.c checks them.
 */
#ifndef TESTS_FUZZ_FUZZ_SEND_H
#define TESTS_FUZZ_FUZZ_SEND_H

#include "fuzz.h"

#define FUZZ_UNTOUCHED 0x5a /* value of memory that no put or get may change */
/* Maximum number of sends, including the commands that the test itself makes at
 * the end of a sequence. */
#define FUZZ_ALL_SENDS (FUZZ_SENDS + 512u)

enum fuzz_kind {
    FUZZ_MESSAGE,
    FUZZ_DATAGRAM,
    FUZZ_PUT,
    FUZZ_GET,
    FUZZ_COMMAND,
    FUZZ_ODD /* a send whose data are unknown */
};

enum fuzz_call {
    FUZZ_WITH_CALLBACK,
    FUZZ_WITH_LABEL,
    FUZZ_TO_PEER,
    FUZZ_WITH_NULL, /* NULL instead of a callback */
    FUZZ_PLAIN,     /* gm_send() and similar calls, whose end is reported by an
                     * event */
    FUZZ_PLAIN_TO_PEER,
    FUZZ_AS_WORD, /* gm_datagram_send_4() */
    FUZZ_CALLS
};

enum fuzz_end {
    FUZZ_UNDER_WAY,
    FUZZ_ENDED,
    FUZZ_FORGOTTEN /* the port of the send was closed */
};

/** Known properties of a send, indexed by its number in fuzz_all. */
typedef struct fuzz_send {
    enum fuzz_kind kind;
    enum fuzz_call call;
    int is_invalid;    /* 1: an argument is invalid */
    int accepted;      /* 1: accepted; 0: there was no token; 2: unknown */
    unsigned received; /* times */
    unsigned action;
    enum fuzz_end end;
    gm_status_t status;
    fuzz_port_t *from, *to; /* `to' is NULL if no port is the target */
    unsigned from_number, from_generation, to_generation;
    unsigned node, number, priority, label;
    unsigned size;
    gm_size_t length;
    void *address;
    gm_remote_ptr_t remote;
    int slot, to_slot; /* -1: none */
} fuzz_send_t;

extern fuzz_send_t fuzz_all[FUZZ_ALL_SENDS];
extern unsigned fuzz_count;

/** Write the data of a send to memory. */
void fuzz_fill(unsigned char *to, unsigned id, size_t length);
/** Handle the end of a send. The context of this callback is the
 * fuzz_send_t. */
void fuzz_on_end(struct gm_port *gm, void *context, gm_status_t status);
/** Release the slots of the send, so that they can be used again. */
void fuzz_free_slots(fuzz_send_t *send);
int fuzz_is_stream(const fuzz_send_t *a, const fuzz_send_t *b);
/** Return 1 if the send has not ended yet, but must end. */
int fuzz_is_due(const fuzz_send_t *send);

#endif
