/* SPDX-License-Identifier: BSD-3-Clause */
/* Open addressing, linear, at most half full. Removing moves later ones of a run
 * back, so that no marks of removed ones pile up in a long run. */
#include "hcasim/probe_int.h"

#include <assert.h>
#include <stdlib.h>

#define SLOTS_MIN 64u

static size_t gms_probe_table_home(const gms_probe_table_t *table, uint64_t key)
{
    /* multiplicative hashing by 2^64 over the golden ratio; upper bits mix */
    return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & table->mask;
}

/** The key's slot, or the free one where it would go. */
static size_t gms_probe_table_slot(const gms_probe_table_t *table, uint64_t key)
{
    size_t slot = gms_probe_table_home(table, key);

    while (table->keys[slot] != 0 && table->keys[slot] != key) {
        slot = (slot + 1) & table->mask;
    }
    return slot;
}

void gms_probe_table_cleanup(gms_probe_table_t *table)
{
    free(table->keys);
    free(table->entries);
    *table = (gms_probe_table_t){0};
}

static gms_status_t gms_probe_table_resize(gms_probe_table_t *table,
                                           size_t slots)
{
    gms_probe_table_t larger = {
        .keys = calloc(slots, sizeof(*larger.keys)),
        .entries = calloc(slots, sizeof(*larger.entries)),
        .mask = slots - 1,
    };
    size_t i;

    if (larger.keys == NULL || larger.entries == NULL) {
        gms_probe_table_cleanup(&larger);
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; table->keys != NULL && i <= table->mask; ++i) {
        if (table->keys[i] != 0) {
            gms_probe_table_put(&larger, table->keys[i], table->entries[i]);
        }
    }
    gms_probe_table_cleanup(table);
    *table = larger;
    return GMS_OK;
}

gms_status_t gms_probe_table_reserve(gms_probe_table_t *table, size_t entries)
{
    size_t slots = (table->keys == NULL) ? 0 : table->mask + 1;
    size_t wanted = (slots == 0) ? SLOTS_MIN : slots;

    while (2 * entries > wanted) {
        wanted *= 2;
    }
    return (wanted == slots) ? GMS_OK : gms_probe_table_resize(table, wanted);
}

void gms_probe_table_put(gms_probe_table_t *table, uint64_t key,
                         gms_probe_entry_t *entry)
{
    size_t slot = gms_probe_table_slot(table, key);

    assert(key != 0 && table->keys[slot] == 0);
    table->keys[slot] = key;
    table->entries[slot] = entry;
    table->count++;
}

gms_probe_entry_t *gms_probe_table_find(const gms_probe_table_t *table,
                                        uint64_t key)
{
    return (table->count == 0)
               ? NULL
               : table->entries[gms_probe_table_slot(table, key)];
}

void gms_probe_table_remove(gms_probe_table_t *table, uint64_t key)
{
    size_t hole, next;

    if (gms_probe_table_find(table, key) == NULL) {
        return;
    }
    hole = gms_probe_table_slot(table, key);
    for (next = (hole + 1) & table->mask; table->keys[next] != 0;
         next = (next + 1) & table->mask) {
        size_t home = gms_probe_table_home(table, table->keys[next]);

        /* It may move into the hole unless its home lies after the hole. */
        if (((next - home) & table->mask) >= ((next - hole) & table->mask)) {
            table->keys[hole] = table->keys[next];
            table->entries[hole] = table->entries[next];
            hole = next;
        }
    }
    table->keys[hole] = 0;
    table->entries[hole] = NULL;
    table->count--;
}
