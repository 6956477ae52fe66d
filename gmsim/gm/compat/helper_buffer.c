/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements GM's list of buffers for debugging: gm_register_buffer() and
 * gm_unregister_buffer() maintain this list, and gm_dump_buffers() prints it.
 * The list is independent of the registration of memory with the NIC
 * (gm/memory.c).
 */
#include <pthread.h>
#include <stdlib.h>

#include "gm.h"

typedef struct gms_buffer {
    struct gms_buffer *next;
    void *address;
    int size; /* bytes, > 0 */
} gms_buffer_t;

/* GM's calls have no argument for a list, so the process has only one list. */
static pthread_mutex_t gms_buffer_lock = PTHREAD_MUTEX_INITIALIZER;
static gms_buffer_t *gms_buffers; /* the list of buffers, newest first */

void gm_register_buffer(void *address, int size)
{
    gms_buffer_t *buffer;

    if (address == NULL || size <= 0) {
        return;
    }
    buffer = malloc(sizeof(*buffer));
    if (buffer == NULL) {
        return; /* if memory is exhausted, omit the buffer, because the list is
                 * only for debugging */
    }
    buffer->address = address;
    buffer->size = size;
    pthread_mutex_lock(&gms_buffer_lock);
    buffer->next = gms_buffers;
    gms_buffers = buffer;
    pthread_mutex_unlock(&gms_buffer_lock);
}

int gm_unregister_buffer(void *address, int size)
{
    gms_buffer_t **link = &gms_buffers;
    gms_buffer_t *buffer;

    pthread_mutex_lock(&gms_buffer_lock);
    while (*link != NULL &&
           ((*link)->address != address || (*link)->size != size)) {
        link = &(*link)->next;
    }
    buffer = *link;
    if (buffer != NULL) {
        *link = buffer->next;
    }
    pthread_mutex_unlock(&gms_buffer_lock);
    free(buffer);
    return buffer != NULL;
}

void gm_dump_buffers(void)
{
    const gms_buffer_t *buffer;

    pthread_mutex_lock(&gms_buffer_lock);
    for (buffer = gms_buffers; buffer != NULL; buffer = buffer->next) {
        gm_printf("buffer %p, %d bytes\n", buffer->address, buffer->size);
        gm_hex_dump(buffer->address, (gm_size_t)buffer->size);
    }
    pthread_mutex_unlock(&gms_buffer_lock);
}
