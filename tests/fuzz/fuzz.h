/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the common parts of the randomised test of the GM library. The
 * common parts are the input, which is interpreted as a sequence of calls, and
 * the test's model of ports, sends and buffers. The test compares the model
 * with the library's answers. README.md describes the test.
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

/*
 * The nodes of the cluster (see fuzz_start()): two hosts with two NICs each.
 * This process runs on the first host.
 */
#define FUZZ_NODES       4u
#define FUZZ_UNITS       2u
#define FUZZ_NUM_PORTS   8u
#define FUZZ_SEND_TOKENS 7u
#define FUZZ_RECV_TOKENS 12u
#define FUZZ_US          UINT64_C(1000000) /* one microsecond (ps) */
#define FUZZ_MS          (1000 * FUZZ_US)

#define FUZZ_PORTS 3u /* maximum number of open ports */
/* number of slots of a port for sending; the port has the same number of slots
 * for receiving */
#define FUZZ_SLOTS      6u
#define FUZZ_SLOT_BYTES 4096u
/* maximum number of sends in a sequence; additional sends are omitted */
#define FUZZ_SENDS      192u
#define FUZZ_POOL_PAGES 24u

/**
 * Report that the library violates a requirement. Abort the process, which
 * fuzzers recognize as a crash.
 */
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

/** Begin to read an input; bytes beyond its end are read as zeros. */
void fuzz_input_set(const uint8_t *data, size_t size);
int fuzz_input_is_over(void);
unsigned fuzz_byte(void);
/** 0 .. modulus - 1 */
unsigned fuzz_below(unsigned modulus);
/** Return a little-endian number that consists of the given number of bytes. */
uint64_t fuzz_number(unsigned bytes);
/**
 * Return a number that programs often handle incorrectly: 0, a small number, a
 * number near a power of two, the maximum for a width, or any number.
 */
uint64_t fuzz_odd_number(void);
double fuzz_odd_double(void);

/* ---- Memory of the program (fuzz_memory.c) ----------------------------- */

/**
 * Two pools of memory, to which calls refer with valid and invalid arguments.
 * NICs read from the first pool and write to the second. Because the pools are
 * separate, the content of a received message is never sent again by an
 * unrelated call.
 */
enum fuzz_pool {
    FUZZ_SOURCE,
    FUZZ_SINK,
    FUZZ_POOLS
};

void fuzz_memory_start(void);
/** Map the unmapped pages again. */
void fuzz_memory_reset(void);
/** Unmap a page, or map it again if it is unmapped. */
void fuzz_memory_toggle(enum fuzz_pool pool, unsigned page);
/** Return a random address in a pool; the given number of bytes at this address
 * also lie within the pool. */
char *fuzz_pool_address(enum fuzz_pool pool, size_t bytes);
/** Return a random address: an address in a pool, or an address that no call
 * may use. */
void *fuzz_odd_address(enum fuzz_pool pool);
/**
 * Return the index of the page that contains an address, counted across both
 * pools, or -1 if no page contains it.
 */
int fuzz_pool_page(const void *address);

/* ---- Ports (fuzz_port.c) ----------------------------------------------- */

typedef struct fuzz_buffer {
    void *address; /* NULL: no buffer */
    unsigned size, priority, tag;
    int slot; /* slot of the port that the buffer occupies; -1: memory of a
               * pool */
} fuzz_buffer_t;

typedef struct fuzz_port {
    struct gm_port *gm; /* NULL: the port is not open */
    unsigned unit, number, node;
    /* distinguishes the port from earlier ports with the same number */
    unsigned generation;
    int allows_access;
    /* 1: messages may have been stored in memory that the test cannot check */
    int is_loose;
    /*
     * Numbers of sends in flight. The second counter is for sends that may not
     * have been accepted, or whose end the test cannot detect.
     */
    unsigned out, maybe_out;
    /* number of sends and buffers that must end with a violation event */
    unsigned violations;
    /*
     * registered memory: FUZZ_SLOTS slots for sending, followed by FUZZ_SLOTS
     * slots for receiving
     */
    char *slots;
    uint8_t is_sending[FUZZ_SLOTS], is_receiving[FUZZ_SLOTS];
    fuzz_buffer_t buffers[FUZZ_RECV_TOKENS];
    unsigned buffer_count;
    /* number of registrations of each page */
    uint16_t registered[FUZZ_POOLS * FUZZ_POOL_PAGES];
    /* the FAST event that was passed to gm_unknown() */
    union gm_recv_event plain;
    int expects_plain;
    int has_message; /* 1: a receive call has returned a message */
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

/** Return a random port, which may be open or closed. */
fuzz_port_t *fuzz_any_port(void);
/** Return a handle that does not belong to an open port, or NULL. */
struct gm_port *fuzz_odd_handle(void);
/** Return the port's own handle or, sometimes, an invalid handle. */
struct gm_port *fuzz_handle(const fuzz_port_t *port);
/** Return the open port with this number, or NULL if no open port has it. */
fuzz_port_t *fuzz_port_at(unsigned node, unsigned number);
void fuzz_port_open(fuzz_port_t *port, unsigned unit, unsigned number);
void fuzz_port_close(fuzz_port_t *port);
void fuzz_port_provide(fuzz_port_t *port, unsigned size, unsigned priority,
                       unsigned tag);
void fuzz_port_pull_away(fuzz_port_t *port, unsigned size, unsigned priority);
void fuzz_ports_reset(void);
/** Return a random size. Sends and buffers use only a few sizes, so that sizes
 * often match. */
unsigned fuzz_size(void);

/* ---- Sending (fuzz_send.c, fuzz_ledger.c) ------------------------------ */

void fuzz_sends_reset(void);
void fuzz_op_send(void);
void fuzz_op_send_odd(void);
void fuzz_op_directed(void);
void fuzz_op_directed_odd(void);
void fuzz_op_stream(void);
void fuzz_op_scene(void);
/** Record that a send without a callback has ended with the status of its
 * event. */
void fuzz_send_ended(fuzz_port_t *port, const void *message,
                     gm_status_t status);
/** Compare a message that has arrived with its send. */
void fuzz_send_arrived(fuzz_port_t *port, const gm_recv_t *event,
                       const void *data);
/** Record that the port is closed, so no more events of its sends are
 * expected. */
void fuzz_sends_forget(const fuzz_port_t *port);
/** Return the number of unfinished sends of open ports. */
unsigned fuzz_sends_due(void);
/** Drop stalled streams. @return 0 if there is no token for the command */
int fuzz_sends_drop(void);
/**
 * Return 1 if a put to an earlier owner of the port number may still be in
 * flight. Such a put writes to the new owner's memory as soon as the new owner
 * allows access.
 */
int fuzz_sends_may_write(const fuzz_port_t *port);
/** Check the results of all sends, after all of them have ended. */
void fuzz_sends_check(void);
/** Perform the action of a send's callback, for example another call, after the
 *  callback has counted the send. */
void fuzz_act(unsigned action, fuzz_port_t *port);

/* ---- Receiving (fuzz_receive.c) ---------------------------------------- */

void fuzz_op_receive(void);
void fuzz_op_look(void);
void fuzz_op_block(void);
void fuzz_op_alarm(void);
void fuzz_op_unknown(void);
/** Receive once. @return 1 if there was an event */
int fuzz_receive(fuzz_port_t *port, int pass_on);
void fuzz_alarms_reset(void);
void fuzz_alarms_forget(const fuzz_port_t *port);

/* ---- Other calls (fuzz_cluster.c, fuzz_helper.c) ---------------------- */

void fuzz_op_qos(void);
void fuzz_op_cluster(void);
void fuzz_op_faults(void);
void fuzz_op_names(void);
/** End all faults, and wait until all links are up again. */
void fuzz_faults_end(void);
void fuzz_node_down(unsigned node);
void fuzz_idt_end(void);
void fuzz_op_helper(void);
void fuzz_helpers_reset(void);

/* ---- Sequences (fuzz_gm.c) --------------------------------------------- */

/** Return the number of used bytes of the arena (fuzz_wrap.c). */
uint64_t fuzz_arena_used(void);

/**
 * Lines " key: value" to add to the cluster's description; set before the first
 * sequence.
 */
extern char fuzz_settings[256];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
