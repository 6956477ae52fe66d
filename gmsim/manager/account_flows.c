/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the account's table of managed flows: a pool of flows by id, and a
 * hash table by source node and key. The pool and the table grow when
 * necessary. Other files handle the bandwidths.
 */
#include "manager/account_int.h"

#include <string.h>

#include "base/hash.h"

#define GMS_FLOW_SLOTS_FIRST  64u
#define GMS_FLOW_CHUNKS_FIRST 16u

static uint32_t gms_flow_hash(unsigned source_node, const gms_flow_key_t *key)
{
    uint64_t ends =
        (uint64_t)key->source_port | ((uint64_t)key->target_node << 16) |
        ((uint64_t)key->target_port << 32) | ((uint64_t)key->priority << 48);
    uint64_t hash = (ends ^ key->label) * GMS_HASH_FIBONACCI;

    hash ^= hash >> 32;
    hash = (hash ^ source_node ^ ((uint64_t)key->label << 32)) *
           UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(hash >> 32);
}

static int gms_flow_is(const gms_grant_t *grant, unsigned source_node,
                       const gms_flow_key_t *key)
{
    return grant->source_node == source_node &&
           grant->key.source_port == key->source_port &&
           grant->key.target_node == key->target_node &&
           grant->key.target_port == key->target_port &&
           grant->key.priority == key->priority &&
           grant->key.label == key->label;
}

static gms_flow_slot_t *gms_flow_slots_alloc(gms_arena_t *arena, uint32_t count)
{
    gms_flow_slot_t *slots = gms_arena_alloc(arena, count * sizeof(*slots));

    if (slots != NULL) {
        memset(slots, 0xff, count * sizeof(*slots));
    }
    return slots;
}

gms_status_t gms_flow_book_init(gms_arena_t *arena, gms_flow_book_t *book)
{
    book->slot_count = GMS_FLOW_SLOTS_FIRST;
    book->slots = gms_flow_slots_alloc(arena, book->slot_count);
    book->chunk_room = GMS_FLOW_CHUNKS_FIRST;
    book->chunks =
        gms_arena_alloc(arena, book->chunk_room * sizeof(*book->chunks));
    return (book->slots == NULL || book->chunks == NULL) ? GMS_ERR_NO_MEMORY
                                                         : GMS_OK;
}

void gms_flow_book_cleanup(gms_arena_t *arena, gms_flow_book_t *book)
{
    uint32_t i;

    for (i = 0; i < book->chunk_count; ++i) {
        gms_arena_free(arena, book->chunks[i]);
    }
    gms_arena_free(arena, book->chunks);
    gms_arena_free(arena, book->slots);
}

/* ---- hash table with open addressing ---- */

typedef struct gms_flow_name {
    unsigned source_node;
    const gms_flow_key_t *key;
} gms_flow_name_t;

static int gms_flow_is_free(const gms_flow_slot_t *slot)
{
    return slot->id == GMS_MANAGED_NONE;
}

static int gms_flow_is_named(const gms_flow_book_t *book,
                             const gms_flow_slot_t *slot, uint64_t hash,
                             const gms_flow_name_t *name)
{
    return slot->hash == hash &&
           gms_flow_is(&gms_flow_book_at(book, slot->id)->grant,
                       name->source_node, name->key);
}

static uint64_t gms_flow_hash_of(const gms_flow_slot_t *slot)
{
    return slot->hash;
}

GMS_HASH_DEFINE(gms_flow_slots, gms_flow_slot_t, const gms_flow_book_t *,
                const gms_flow_name_t *, gms_flow_is_free, gms_flow_is_named,
                gms_flow_hash_of);

/* Finds the slot of a flow, or the free slot where the flow belongs. */
static gms_flow_slot_t *gms_flow_slot(const gms_flow_book_t *book,
                                      unsigned source_node,
                                      const gms_flow_key_t *key, uint32_t hash)
{
    gms_flow_name_t name = {source_node, key};

    return &book->slots[gms_flow_slots_find(book, book->slots,
                                            book->slot_count - 1, hash, &name)];
}

static gms_status_t gms_flow_book_grow(gms_arena_t *arena,
                                       gms_flow_book_t *book)
{
    uint32_t count = 2 * book->slot_count;
    gms_flow_slot_t *slots = gms_flow_slots_alloc(arena, count);

    if (slots == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    gms_flow_slots_move(book->slots, book->slot_count, slots, count - 1);
    gms_arena_free(arena, book->slots);
    book->slots = slots;
    book->slot_count = count;
    return GMS_OK;
}

gms_managed_t *gms_flow_book_find(const gms_flow_book_t *book,
                                  unsigned source_node,
                                  const gms_flow_key_t *key)
{
    const gms_flow_slot_t *slot =
        gms_flow_slot(book, source_node, key, gms_flow_hash(source_node, key));

    return gms_flow_is_free(slot) ? NULL : gms_flow_book_at(book, slot->id);
}

/* ---- pool ---- */

static gms_status_t gms_flow_book_add_chunk(gms_arena_t *arena,
                                            gms_flow_book_t *book)
{
    gms_managed_t *chunk;
    uint32_t i;

    if (book->chunk_count == book->chunk_room) {
        uint32_t room = 2 * book->chunk_room;
        gms_managed_t **chunks = gms_arena_alloc(arena, room * sizeof(*chunks));

        if (chunks == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        memcpy(chunks, book->chunks, book->chunk_count * sizeof(*chunks));
        gms_arena_free(arena, book->chunks);
        book->chunks = chunks;
        book->chunk_room = room;
    }
    chunk = gms_arena_alloc(arena, GMS_FLOW_CHUNK * sizeof(*chunk));
    if (chunk == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = GMS_FLOW_CHUNK; i > 0; --i) {
        chunk[i - 1].id = book->chunk_count * GMS_FLOW_CHUNK + i - 1;
        chunk[i - 1].next_touched = book->free;
        book->free = &chunk[i - 1];
    }
    book->chunks[book->chunk_count++] = chunk;
    return GMS_OK;
}

gms_managed_t *gms_flow_book_add(gms_arena_t *arena, gms_flow_book_t *book,
                                 unsigned source_node,
                                 const gms_flow_key_t *key)
{
    gms_managed_t *flow;
    uint32_t id, hash;

    if ((book->free == NULL &&
         gms_flow_book_add_chunk(arena, book) != GMS_OK) ||
        (book->count >= book->slot_count / 2 &&
         gms_flow_book_grow(arena, book) != GMS_OK)) {
        return NULL;
    }
    flow = book->free;
    book->free = flow->next_touched;
    id = flow->id;
    memset(flow, 0, sizeof(*flow));
    flow->id = id;
    flow->order = book->next_order++;
    flow->is_new = 1;
    flow->grant.source_node = source_node;
    flow->grant.key = *key;
    flow->previous = book->last;
    if (book->last != NULL) {
        book->last->grant.next = &flow->grant;
    } else {
        book->first = flow;
    }
    book->last = flow;
    ++book->count;
    hash = gms_flow_hash(source_node, key);
    *gms_flow_slot(book, source_node, key, hash) = (gms_flow_slot_t){hash, id};
    return flow;
}

void gms_flow_book_remove(gms_flow_book_t *book, gms_managed_t *flow)
{
    gms_managed_t *next = (gms_managed_t *)flow->grant.next;
    const gms_grant_t *grant = &flow->grant;
    const gms_flow_slot_t *slot =
        gms_flow_slot(book, grant->source_node, &grant->key,
                      gms_flow_hash(grant->source_node, &grant->key));
    size_t at = gms_flow_slots_remove(book->slots, book->slot_count - 1,
                                      (size_t)(slot - book->slots));

    book->slots[at].id = GMS_MANAGED_NONE;
    if (next != NULL) {
        next->previous = flow->previous;
    } else {
        book->last = flow->previous;
    }
    if (flow->previous != NULL) {
        flow->previous->grant.next = flow->grant.next;
    } else {
        book->first = next;
    }
    flow->next_touched = book->free;
    book->free = flow;
    --book->count;
}
