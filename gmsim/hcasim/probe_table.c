/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the hash table that finds the entry of a key. The table uses
 * base/hash.h and is at most half full.
 */
#include "hcasim/probe_int.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"

#define SLOTS_MIN 64u

static uint64_t gms_probe_hash(uint64_t key)
{
    return (key * GMS_HASH_FIBONACCI) >> 32;
}

static int gms_probe_is_free(const gms_probe_slot_t *slot)
{
    return slot->key == 0;
}

static int gms_probe_is_key(const gms_probe_table_t *table,
                            const gms_probe_slot_t *slot, uint64_t hash,
                            uint64_t key)
{
    (void)table;
    (void)hash;
    return slot->key == key;
}

static uint64_t gms_probe_hash_of(const gms_probe_slot_t *slot)
{
    return gms_probe_hash(slot->key);
}

GMS_HASH_DEFINE(gms_probe_slots, gms_probe_slot_t, const gms_probe_table_t *,
                uint64_t, gms_probe_is_free, gms_probe_is_key,
                gms_probe_hash_of);

/** Returns the slot that contains the key, or the free slot for a new key. */
static gms_probe_slot_t *gms_probe_slot(const gms_probe_table_t *table,
                                        uint64_t key)
{
    return &table->slots[gms_probe_slots_find(table, table->slots, table->mask,
                                              gms_probe_hash(key), key)];
}

void gms_probe_table_cleanup(gms_probe_table_t *table)
{
    free(table->slots);
    *table = (gms_probe_table_t){0};
}

static gms_status_t gms_probe_table_resize(gms_probe_table_t *table,
                                           size_t slots)
{
    gms_probe_slot_t *larger = calloc(slots, sizeof(*larger));

    if (larger == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    if (table->slots != NULL) {
        gms_probe_slots_move(table->slots, table->mask + 1, larger, slots - 1);
    }
    free(table->slots);
    table->slots = larger;
    table->mask = slots - 1;
    return GMS_OK;
}

gms_status_t gms_probe_table_reserve(gms_probe_table_t *table, size_t entries)
{
    size_t slots = (table->slots == NULL) ? 0 : table->mask + 1;
    size_t wanted = (slots == 0) ? SLOTS_MIN : slots;

    while (2 * entries > wanted) {
        wanted *= 2;
    }
    return (wanted == slots) ? GMS_OK : gms_probe_table_resize(table, wanted);
}

void gms_probe_table_put(gms_probe_table_t *table, uint64_t key,
                         gms_probe_entry_t *entry)
{
    gms_probe_slot_t *slot = gms_probe_slot(table, key);

    assert(key != 0 && slot->key == 0);
    *slot = (gms_probe_slot_t){key, entry};
    ++table->count;
}

gms_probe_entry_t *gms_probe_table_find(const gms_probe_table_t *table,
                                        uint64_t key)
{
    return (table->count == 0) ? NULL : gms_probe_slot(table, key)->entry;
}

void gms_probe_table_remove(gms_probe_table_t *table, uint64_t key)
{
    const gms_probe_slot_t *slot;
    size_t at;

    if (gms_probe_table_find(table, key) == NULL) {
        return;
    }
    slot = gms_probe_slot(table, key);
    at = gms_probe_slots_remove(table->slots, table->mask,
                                (size_t)(slot - table->slots));
    table->slots[at] = (gms_probe_slot_t){0, NULL};
    --table->count;
}
