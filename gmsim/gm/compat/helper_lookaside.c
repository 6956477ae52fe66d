/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements GM's lookaside lists (gm_lookaside_*). All entries of a list have
 * the same length. The entries are parts of larger chunks of memory, which are
 * kept until the list is destroyed.
 *
 *   chunk: | next chunk | owner, next | entry .. | owner, next | entry .. | ..
 *
 * An entry points to its list, because gm_lookaside_free() has no parameter for
 * the list. "next" links the free entries. In an entry that is in use, "next"
 * points to the entry itself. In this way, gm_lookaside_free() can detect that
 * an entry is already free.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gm.h"

/* Alignment of entries, which is the alignment of malloc(). */
#define GMS_LOOKASIDE_ALIGN 16u
/* Chunks beyond min_entries have at most this many bytes, or one entry. */
#define GMS_LOOKASIDE_CHUNK_BYTES 65536u
#define GMS_LOOKASIDE_LEAST       16u

typedef struct gms_lookaside_entry {
    struct gm_lookaside *owner;
    struct gms_lookaside_entry *next;
} __attribute__((aligned(GMS_LOOKASIDE_ALIGN))) gms_lookaside_entry_t;

typedef struct gms_lookaside_chunk {
    struct gms_lookaside_chunk *next;
} __attribute__((aligned(GMS_LOOKASIDE_ALIGN))) gms_lookaside_chunk_t;

struct gm_lookaside {
    gm_size_t entry_len;
    gm_size_t stride; /* distance between two entries, bytes */
    gm_size_t count;  /* number of entries in all chunks */
    gms_lookaside_chunk_t *chunks;
    gms_lookaside_entry_t *free;
};

/* Add a chunk. The list of free entries must be empty; after the call it is
 * sorted by address.
 * @return 1, or 0 if there is no memory */
static int gms_lookaside_grow(struct gm_lookaside *lookaside, gm_size_t count)
{
    gms_lookaside_chunk_t *chunk;
    gm_size_t bytes;

    if (__builtin_mul_overflow(count, lookaside->stride, &bytes) ||
        bytes > SIZE_MAX - sizeof(*chunk)) {
        return 0;
    }
    chunk = malloc(sizeof(*chunk) + bytes);
    if (chunk == NULL) {
        return 0;
    }
    chunk->next = lookaside->chunks;
    lookaside->chunks = chunk;
    lookaside->count += count;
    while (count > 0) {
        gms_lookaside_entry_t *entry;

        --count;
        entry = (gms_lookaside_entry_t *)(void *)((char *)(chunk + 1) +
                                                  count * lookaside->stride);
        entry->owner = lookaside;
        entry->next = lookaside->free;
        lookaside->free = entry;
    }
    return 1;
}

struct gm_lookaside *gm_create_lookaside(gm_size_t entry_len,
                                         gm_size_t min_entries)
{
    struct gm_lookaside *lookaside;

    if (entry_len > SIZE_MAX / 2) {
        return NULL;
    }
    lookaside = calloc(1, sizeof(*lookaside));
    if (lookaside == NULL) {
        return NULL;
    }
    lookaside->entry_len = entry_len;
    lookaside->stride = sizeof(gms_lookaside_entry_t) +
                        (entry_len + GMS_LOOKASIDE_ALIGN - 1) /
                            GMS_LOOKASIDE_ALIGN * GMS_LOOKASIDE_ALIGN;
    if (min_entries > 0 && !gms_lookaside_grow(lookaside, min_entries)) {
        free(lookaside);
        return NULL;
    }
    return lookaside;
}

void gm_destroy_lookaside(struct gm_lookaside *lookaside)
{
    if (lookaside == NULL) {
        return;
    }
    while (lookaside->chunks != NULL) {
        gms_lookaside_chunk_t *chunk = lookaside->chunks;

        lookaside->chunks = chunk->next;
        free(chunk);
    }
    free(lookaside);
}

/* Return the number of entries to add. The new entries double the length of the
 * list, up to a limit. */
static gm_size_t gms_lookaside_step(const struct gm_lookaside *lookaside)
{
    gm_size_t most = GMS_LOOKASIDE_CHUNK_BYTES / lookaside->stride;
    gm_size_t count = lookaside->count;

    if (count < GMS_LOOKASIDE_LEAST) {
        count = GMS_LOOKASIDE_LEAST;
    }
    if (count > most) {
        count = most;
    }
    return count > 0 ? count : 1;
}

void *gm_lookaside_alloc(struct gm_lookaside *lookaside)
{
    gms_lookaside_entry_t *entry;

    if (lookaside == NULL ||
        (lookaside->free == NULL &&
         !gms_lookaside_grow(lookaside, gms_lookaside_step(lookaside)))) {
        return NULL;
    }
    entry = lookaside->free;
    lookaside->free = entry->next;
    entry->next = entry;
    return entry + 1;
}

void *gm_lookaside_zalloc(struct gm_lookaside *lookaside)
{
    void *address = gm_lookaside_alloc(lookaside);

    if (address != NULL) {
        memset(address, 0, lookaside->entry_len);
    }
    return address;
}

void gm_lookaside_free(void *address)
{
    gms_lookaside_entry_t *entry;

    if (address == NULL) {
        return;
    }
    entry = (gms_lookaside_entry_t *)address - 1;
    if (entry->next == entry) {
        entry->next = entry->owner->free;
        entry->owner->free = entry;
    }
}
