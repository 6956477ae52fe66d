/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the ledger of the program `soak`.
 *
 * The expected contents do not depend on the library and its CRCs. The content
 * of the k-th message of a stream (source, target, priority) depends only on
 * the seed. The receiver can therefore compute the content and compare it. The
 * ledger is a file that all processes map into memory. For each message, the
 * ledger contains one byte of the sender and one byte of the receiver.
 */
#ifndef TESTS_GM_SOAK_LEDGER_H
#define TESTS_GM_SOAK_LEDGER_H

#include <stdint.h>

enum {
    MAX_RANKS = 64,
    PRIORITIES = 2,
    MAX_BYTES = 1000000
};

/* Header of every message that is long enough to contain it. */
typedef struct head {
    uint32_t kind;
    uint16_t source;
    uint16_t priority;
    uint32_t number;
    uint32_t length;
} head_t;

/* Values of the sender's byte for a message. */
enum {
    SENT_NOT = 0,
    SENT_OFFERED = 1,
    SENT_STATUS = 2 /* the status of GM is added to this value */
};

typedef struct ledger {
    uint8_t finished[MAX_RANKS];
    uint64_t late_us; /* padding */
    uint8_t bytes[];  /* bytes of the senders, followed by the bytes of the
                         receivers */
} ledger_t;

typedef struct soak_plan {
    unsigned ranks;
    uint64_t seed;
    uint64_t packets; /* least number of data packets */
    const char *path; /* of the ledger */
} soak_plan_t;

extern ledger_t *ledger;
extern uint32_t ledger_per_stream; /* number of messages per stream */

/* Compute the number of messages, and create or open the ledger. */
void ledger_create(const soak_plan_t *plan);

/* Return the sender's byte and the receiver's byte of a message. */
uint8_t *ledger_sent(unsigned source, unsigned target, unsigned priority,
                     uint32_t number);
uint8_t *ledger_got(unsigned source, unsigned target, unsigned priority,
                    uint32_t number);

/* Print the results of all ranks, check them, and remove the ledger. */
void ledger_report(int is_mortal);

/* Return the bits of a number in a random order. */
uint64_t soak_mix(uint64_t z);

/* Return the number that determines the length and the content of a message. */
uint64_t soak_key(unsigned source, unsigned target, unsigned priority,
                  uint32_t number);

/* Return a random message length. All orders of magnitude are equally likely.
 * Sometimes the length is one of the two extremes. */
uint32_t soak_length(uint64_t key);

/* Write a message. */
void soak_make(unsigned char *memory, const head_t *head, uint64_t key);

/* Compare a message with its expected content. @return the length if all bytes
 * are correct, otherwise the index of the first incorrect byte */
uint64_t soak_compare(const unsigned char *memory, uint32_t length,
                      uint64_t key);

#endif
