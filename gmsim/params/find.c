/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds parameters by their names. MPI_Init() looks up every parameter at least
 * once, so the names are in a hash table, which the first call fills.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/hash.h"
#include "params/params.h"

/* At most half of the slots are in use. */
#define GMS_PARAM_SLOTS 512u

/* A slot contains the index of a row plus 1, or 0 if the slot is free. */
static uint16_t gms_param_slots[GMS_PARAM_SLOTS];

/* [source: Fowler, Noll, Vo, FNV-1a, 64 bits] */
static uint64_t gms_param_hash(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *name != '\0'; ++name) {
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    }
    return hash;
}

#define GMS_PARAM_IS_FREE(_slot) (*(_slot) == 0)
#define GMS_PARAM_IS_KEY(_rows, _slot, _hash, _name)                           \
    (strcmp((_rows)[*(_slot)-1].name, _name) == 0)
#define GMS_PARAM_HASH_OF(_slot)                                               \
    gms_param_hash(gms_param_table[*(_slot)-1].name)

GMS_HASH_DEFINE(gms_param_table, uint16_t, const gms_param_t *, const char *,
                GMS_PARAM_IS_FREE, GMS_PARAM_IS_KEY, GMS_PARAM_HASH_OF);

static size_t gms_param_slot(const char *name)
{
    return gms_param_table_find(gms_param_table, gms_param_slots,
                                GMS_PARAM_SLOTS - 1, gms_param_hash(name),
                                name);
}

static void gms_param_fill(void)
{
    unsigned row;

    for (row = 0; gms_param_table[row].name != NULL; ++row) {
        assert(row < GMS_PARAM_SLOTS / 2);
        gms_param_slots[gms_param_slot(gms_param_table[row].name)] =
            (uint16_t)(row + 1);
    }
}

const gms_param_t *gms_param_find(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    size_t slot;

    (void)pthread_once(&once, gms_param_fill);
    slot = gms_param_slot(name);
    return gms_param_slots[slot] != 0
               ? &gms_param_table[gms_param_slots[slot] - 1]
               : NULL;
}
