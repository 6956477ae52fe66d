/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared declarations of the randomised test of the GM library: the input that
 * is interpreted as a sequence of calls, and the test's model of ports, sends
 * and buffers, which is compared with the library's answers. README.md explains
 * both.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gm.h"
#include "gm_qos.h"
#include "gmsim.h"

/* The cluster, see fuzz_start(): two hosts with two cards each, of which this
 * process has the first host. */
#define FUZZ_NODES       4u
#define FUZZ_UNITS       2u
#define FUZZ_NUM_PORTS   8u
#define FUZZ_SEND_TOKENS 7u
#define FUZZ_RECV_TOKENS 12u
#define FUZZ_US          UINT64_C(1000000) /* in ps */
#define FUZZ_MS          (1000 * FUZZ_US)

#define FUZZ_PORTS      3u /* ports open at a time */
#define FUZZ_SLOTS      6u /* per port, for sending; as many for receiving */
#define FUZZ_SLOT_BYTES 4096u
#define FUZZ_SENDS      192u /* per sequence; what comes after is not sent */
#define FUZZ_POOL_PAGES 24u

/** A broken promise of the library. Ends the process in a way that fuzzers
 *  take for a crash. */
#define FUZZ_CHECK(_condition, ...)                                            \
    do {                                                                       \
        if (!(_condition)) {                                                   \
            fuzz_fail(__FILE__, __LINE__, #_condition, __VA_ARGS__);           \
        }                                                                      \
    } while (0)
void fuzz_fail(const char *file, int line, const char *condition,
               const char *format, ...)
    __attribute__((noreturn, format(printf, 4, 5)));

/* ---- Input (fuzz_input.c) ---------------------------------------------- */

/** Begin with an input; the end of it reads as zeros. */
void fuzz_input_set(const uint8_t *data, size_t size);
int fuzz_input_is_over(void);
unsigned fuzz_byte(void);
/** 0 .. modulus - 1 */
unsigned fuzz_below(unsigned modulus);
/** Little-endian number of so many bytes. */
uint64_t fuzz_number(unsigned bytes);
/** A number that programs get wrong: 0, small, around a power of two, the
 *  largest of a width, anything. */
uint64_t fuzz_odd_number(void);
double fuzz_odd_double(void);

/* ---- Memory of the program (fuzz_memory.c) ----------------------------- */

/** Two pieces of memory that calls may be wrong about: a card reads from the
 *  first, and writes into the second. Apart, so that no message is ever sent on
 *  by a call that knows nothing of it. */
enum fuzz_pool {
    FUZZ_SOURCE,
    FUZZ_SINK,
    FUZZ_POOLS
};

void fuzz_memory_start(void);
/** Map again what was unmapped. */
void fuzz_memory_reset(void);
/** Unmap a page, or map it again. */
void fuzz_memory_toggle(enum fuzz_pool pool, unsigned page);
/** Somewhere in a pool; so many bytes follow. */
char *fuzz_pool_address(enum fuzz_pool pool, size_t bytes);
/** Any address: of a pool, and others that no call may use. */
void *fuzz_odd_address(enum fuzz_pool pool);
/** Page of a pool that an address lies in, counted through both; -1 for
 *  none. */
int fuzz_pool_page(const void *address);

/* ---- Ports (fuzz_port.c) ----------------------------------------------- */

typedef struct fuzz_buffer {
    void *address; /* NULL: none */
    unsigned size, priority, tag;
    int slot; /* that it is, -1 for memory of a pool */
} fuzz_buffer_t;

typedef struct fuzz_port {
    struct gm_port *gm; /* NULL: not open */
    unsigned unit, number, node;
    unsigned generation; /* tells it from what was open before it */
    int allows_access;
    int is_loose; /* messages may have gone where they cannot be told */
    /* Sends under way. A send whose end the test does not see, or that may not
     * have been accepted, is one of the second kind. */
    unsigned out, maybe_out;
    unsigned violations; /* sends and buffers that must end as a violation */
    char *slots;         /* registered: FUZZ_SLOTS to send from, then as many to
                            receive into */
    uint8_t is_sending[FUZZ_SLOTS], is_receiving[FUZZ_SLOTS];
    fuzz_buffer_t buffers[FUZZ_RECV_TOKENS];
    unsigned buffer_count;
    uint16_t registered[FUZZ_POOLS * FUZZ_POOL_PAGES]; /* times */
    union gm_recv_event plain; /* what gm_unknown() was given as FAST */
    int expects_plain;
    int has_message; /* a receive call has returned one */
} fuzz_port_t;

extern fuzz_port_t fuzz_ports[FUZZ_PORTS];

void fuzz_op_open(void);
void fuzz_op_close(void);
void fuzz_op_provide(void);
void fuzz_op_provide_odd(void);
void fuzz_op_port_settings(void);
void fuzz_op_tokens(void);
void fuzz_op_register(void);
void fuzz_op_dma(void);

/** One of the ports, open or not. */
fuzz_port_t *fuzz_any_port(void);
/** A handle that is no open port, or NULL. */
struct gm_port *fuzz_odd_handle(void);
/** The port's own handle, now and then one that is none. */
struct gm_port *fuzz_handle(const fuzz_port_t *port);
/** Who has this port open; NULL for nobody. */
fuzz_port_t *fuzz_port_at(unsigned node, unsigned number);
void fuzz_port_open(fuzz_port_t *port, unsigned unit, unsigned number);
void fuzz_port_close(fuzz_port_t *port);
void fuzz_port_provide(fuzz_port_t *port, unsigned size, unsigned priority,
                       unsigned tag);
void fuzz_port_pull_away(fuzz_port_t *port, unsigned size, unsigned priority);
void fuzz_ports_reset(void);
/** Sizes that sends and buffers choose among, so that they meet. */
unsigned fuzz_size(void);

/* ---- Sending (fuzz_send.c, fuzz_ledger.c) ------------------------------ */

void fuzz_sends_reset(void);
void fuzz_op_send(void);
void fuzz_op_send_odd(void);
void fuzz_op_directed(void);
void fuzz_op_directed_odd(void);
void fuzz_op_stream(void);
void fuzz_op_scene(void);
/** A send without callback has ended: its event says so. */
void fuzz_send_ended(fuzz_port_t *port, const void *message,
                     gm_status_t status);
/** A message has come: is it the one that was sent? */
void fuzz_send_arrived(fuzz_port_t *port, const gm_recv_t *event,
                       const void *data);
/** The port has been closed: nothing more is to come. */
void fuzz_sends_forget(const fuzz_port_t *port);
/** Sends of open ports that must end and have not. */
unsigned fuzz_sends_due(void);
/** Drop what stands still. @return 0 if there is no token for that */
int fuzz_sends_drop(void);
/** 1 if a put to an earlier owner of the port's number may still be under way:
 *  it writes into the new owner's memory as soon as that allows it. */
int fuzz_sends_may_write(const fuzz_port_t *port);
/** Everything has ended: see that it has ended well. */
void fuzz_sends_check(void);
/** What a callback does beside counting. */
void fuzz_act(unsigned action, fuzz_port_t *port);

/* ---- Receiving (fuzz_receive.c) ---------------------------------------- */

void fuzz_op_receive(void);
void fuzz_op_look(void);
void fuzz_op_block(void);
void fuzz_op_alarm(void);
void fuzz_op_unknown(void);
/** Receive once. @return 1 if there was something */
int fuzz_receive(fuzz_port_t *port, int pass_on);
void fuzz_alarms_reset(void);
void fuzz_alarms_forget(const fuzz_port_t *port);

/* ---- The rest (fuzz_cluster.c, fuzz_helper.c) -------------------------- */

void fuzz_op_qos(void);
void fuzz_op_cluster(void);
void fuzz_op_faults(void);
void fuzz_op_names(void);
/** End all faults, and wait until links that are down are up. */
void fuzz_faults_end(void);
void fuzz_node_down(unsigned node);
void fuzz_idt_end(void);
void fuzz_op_helper(void);
void fuzz_helpers_reset(void);

/* ---- Sequences (fuzz_gm.c) --------------------------------------------- */

/** Bytes of the arena that are in use (fuzz_arena.c). */
uint64_t fuzz_arena_used(void);

/** Lines "  key: value" that are added to the cluster's description; before the
 *  first sequence. */
extern char fuzz_settings[256];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
