/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Writes a message of several parts to the standard error with one system call.
 * With several calls, mpirun could write its own message between two parts of a
 * line.
 */
#ifndef BASE_MESSAGE_H
#define BASE_MESSAGE_H

#include <stdio.h>

/** A message that is being written. */
typedef struct {
    FILE *out;  /**< the parts are written to this stream */
    char *text; /**< owned by the message */
    size_t size;
} gms_message_t;

/**
 * Begins a message. Without memory for it, the parts go to the standard error
 * directly. The caller must call gms_message_end().
 *
 * @return the stream for the parts of the message
 */
FILE *gms_message_begin(gms_message_t *message);

/** Writes the message to the standard error, flushes this stream, and frees the
 *  memory of the message. */
void gms_message_end(gms_message_t *message);

#endif
