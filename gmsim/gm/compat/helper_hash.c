/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements GM's hash table (gm_hash_*), with chains. Common libraries are not
 * suitable. The macro with which uthash compares keys cannot access the table,
 * and GLib's tables end the process when memory is exhausted. Both libraries
 * require that all keys have the same type. A GM table uses functions of the
 * program, and copies keys and data or stores pointers.
 *
 *   buckets[2^bits] -> | next, hash, key, datum | key's copy | datum's copy |
 *
 * Entries never move, so a pointer from gm_hash_find() remains valid while the
 * table grows.
 */
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gm.h"
#include "gm/compat/helper.h"

#define GMS_HASH_LEAST_BITS 4u
#define GMS_HASH_MOST_BITS  48u
#define GMS_HASH_ALIGN      16u

typedef struct gms_hash_entry {
    struct gms_hash_entry *next;
    unsigned long hash; /* hash of the key; stored, because the table must not
                         * call the program's functions when it grows */
    void *key;
    void *datum;
} __attribute__((aligned(GMS_HASH_ALIGN))) gms_hash_entry_t;

struct gm_hash {
    long (*compare)(void *key1, void *key2); /* NULL: keys are compared byte by
                                              * byte */
    unsigned long (*hash)(void *key);        /* NULL: the hash is computed from
                                              * the bytes of the key */
    gm_size_t key_len;      /* 0: the table stores the program's pointer */
    gm_size_t data_len;     /* 0: the table stores the program's pointer */
    gm_size_t datum_offset; /* offset of the datum's copy in an entry */
    struct gm_lookaside *entries;
    gms_hash_entry_t **buckets;
    unsigned bits;
    gm_size_t count;
};

/* ---- Functions for common keys ----------------------------------------- */

#define GMS_HASH_ORDER(_a, _b) ((long)((_a) > (_b)) - (long)((_a) < (_b)))

long gm_hash_compare_strings(void *key1, void *key2)
{
    return gm_strcmp(key1, key2);
}

unsigned long gm_hash_hash_string(void *key)
{
    return gm_crc_str(key);
}

long gm_hash_compare_longs(void *key1, void *key2)
{
    long a, b;

    memcpy(&a, key1, sizeof(a));
    memcpy(&b, key2, sizeof(b));
    return GMS_HASH_ORDER(a, b);
}

unsigned long gm_hash_hash_long(void *key)
{
    unsigned long value;

    memcpy(&value, key, sizeof(value));
    return value;
}

long gm_hash_compare_ints(void *key1, void *key2)
{
    int a, b;

    memcpy(&a, key1, sizeof(a));
    memcpy(&b, key2, sizeof(b));
    return GMS_HASH_ORDER(a, b);
}

unsigned long gm_hash_hash_int(void *key)
{
    unsigned value;

    memcpy(&value, key, sizeof(value));
    return value;
}

/* Compare the pointers themselves, because programs may use addresses that are
 * not mapped. */
long gm_hash_compare_ptrs(void *key1, void *key2)
{
    return GMS_HASH_ORDER((uintptr_t)key1, (uintptr_t)key2);
}

unsigned long gm_hash_hash_ptr(void *key)
{
    return (uintptr_t)key;
}

/* ---- Chains ------------------------------------------------------------ */

static unsigned long gms_hash_of(const struct gm_hash *hash, void *key)
{
    if (hash->hash != NULL) {
        return hash->hash(key);
    }
    return hash->key_len > 0 ? gm_crc(key, hash->key_len)
                             : gm_hash_hash_ptr(key);
}

static int gms_hash_is_same(const struct gm_hash *hash, void *key1, void *key2)
{
    if (hash->compare != NULL) {
        return hash->compare(key1, key2) == 0;
    }
    return hash->key_len > 0 ? memcmp(key1, key2, hash->key_len) == 0
                             : key1 == key2;
}

/* Multiply the hash, because a program's hash function may be as simple as the
 * functions above, and addresses of pages end in zeros. The high bits of a
 * product depend on all bits of the value. The factor is 2^64 divided by the
 * golden ratio. [source: Knuth, The Art of Computer Programming 3, 6.4] */
static gms_hash_entry_t **gms_hash_bucket(const struct gm_hash *hash,
                                          unsigned long value)
{
    return &hash->buckets[(uint64_t)value * UINT64_C(0x9e3779b97f4a7c15) >>
                          (64 - hash->bits)];
}

/* Return the address of the pointer to an entry, or of the pointer at the end
 * of its chain. */
static gms_hash_entry_t **gms_hash_look(const struct gm_hash *hash, void *key,
                                        unsigned long value)
{
    gms_hash_entry_t **link = gms_hash_bucket(hash, value);

    while (*link != NULL && ((*link)->hash != value ||
                             !gms_hash_is_same(hash, (*link)->key, key))) {
        link = &(*link)->next;
    }
    return link;
}

static void gms_hash_link(struct gm_hash *hash, gms_hash_entry_t *entry)
{
    gms_hash_entry_t **bucket = gms_hash_bucket(hash, entry->hash);

    entry->next = *bucket;
    *bucket = entry;
}

/* Double the number of buckets. If there is no memory, the number of buckets is
 * unchanged and the chains become longer. */
static void gms_hash_widen(struct gm_hash *hash)
{
    gms_hash_entry_t **old = hash->buckets;
    gm_size_t old_size = (gm_size_t)1 << hash->bits;
    gms_hash_entry_t **buckets;
    gm_size_t index;

    if (hash->count <= old_size || hash->bits == GMS_HASH_MOST_BITS) {
        return;
    }
    buckets = calloc(2 * old_size, sizeof(*buckets));
    if (buckets == NULL) {
        return;
    }
    hash->buckets = buckets;
    ++hash->bits;
    for (index = 0; index < old_size; ++index) {
        while (old[index] != NULL) {
            gms_hash_entry_t *entry = old[index];

            old[index] = entry->next;
            gms_hash_link(hash, entry);
        }
    }
    free(old);
}

static int gms_hash_is_key(const struct gm_hash *hash, const void *key)
{
    return hash != NULL && (key != NULL || hash->key_len == 0);
}

/* ---- Creation and release ---------------------------------------------- */

/* @return size of an entry in bytes; 0 if the lengths are too large */
static gm_size_t gms_hash_lay_out(struct gm_hash *hash)
{
    gm_size_t room = SIZE_MAX / 4;

    if (hash->key_len > room || hash->data_len > room) {
        return 0;
    }
    hash->datum_offset =
        sizeof(gms_hash_entry_t) +
        (hash->key_len + GMS_HASH_ALIGN - 1) / GMS_HASH_ALIGN * GMS_HASH_ALIGN;
    return hash->datum_offset + hash->data_len;
}

struct gm_hash *gm_create_hash(long (*compare)(void *, void *),
                               unsigned long (*hash_function)(void *),
                               gm_size_t key_len, gm_size_t data_len,
                               gm_size_t min_entries, int flags)
{
    struct gm_hash *hash = calloc(1, sizeof(*hash));
    gm_size_t entry_len;

    if (hash == NULL) {
        return NULL;
    }
    hash->compare = compare;
    hash->hash = hash_function;
    hash->key_len = key_len;
    hash->data_len = data_len;
    hash->bits = GMS_HASH_LEAST_BITS;
    while (hash->bits < GMS_HASH_MOST_BITS &&
           (gm_size_t)1 << hash->bits < min_entries) {
        ++hash->bits;
    }
    entry_len = gms_hash_lay_out(hash);
    if ((flags & ~GM_HASH_SMOOTH) == 0 && entry_len > 0) {
        hash->entries = gm_create_lookaside(entry_len, min_entries);
    }
    if (hash->entries != NULL) {
        hash->buckets =
            calloc((gm_size_t)1 << hash->bits, sizeof(*hash->buckets));
    }
    if (hash->buckets == NULL) {
        gm_destroy_hash(hash);
        return NULL;
    }
    return hash;
}

void gm_destroy_hash(struct gm_hash *hash)
{
    if (hash == NULL) {
        return;
    }
    gm_destroy_lookaside(hash->entries);
    free(hash->buckets);
    free(hash);
}

void gms_hash_clear(struct gm_hash *hash)
{
    gm_size_t index;

    for (index = 0; index >> hash->bits == 0; ++index) {
        while (hash->buckets[index] != NULL) {
            gms_hash_entry_t *entry = hash->buckets[index];

            hash->buckets[index] = entry->next;
            gm_lookaside_free(entry);
        }
    }
    hash->count = 0;
}

/* ---- Entries ----------------------------------------------------------- */

void *gm_hash_find(struct gm_hash *hash, void *key)
{
    gms_hash_entry_t *entry;

    if (!gms_hash_is_key(hash, key)) {
        return NULL;
    }
    entry = *gms_hash_look(hash, key, gms_hash_of(hash, key));
    return entry != NULL ? entry->datum : NULL;
}

static void gms_hash_set_key(const struct gm_hash *hash,
                             gms_hash_entry_t *entry, void *key)
{
    entry->key = key;
    if (hash->key_len > 0) {
        entry->key = entry + 1;
        /* memmove() is used, because `key' may point to the entry's own
         * copy. */
        memmove(entry->key, key, hash->key_len);
    }
}

gm_status_t gm_hash_insert(struct gm_hash *hash, void *key, void *datum)
{
    gms_hash_entry_t *entry;
    unsigned long value;

    if (!gms_hash_is_key(hash, key) || (datum == NULL && hash->data_len > 0)) {
        return GM_INVALID_PARAMETER;
    }
    value = gms_hash_of(hash, key);
    if (*gms_hash_look(hash, key, value) != NULL) {
        return GM_INVALID_PARAMETER;
    }
    entry = gm_lookaside_alloc(hash->entries);
    if (entry == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    entry->hash = value;
    gms_hash_set_key(hash, entry, key);
    entry->datum = datum;
    if (hash->data_len > 0) {
        entry->datum = (char *)entry + hash->datum_offset;
        /* memmove() is used, because `datum' may point to the copy of a removed
         * datum whose memory this entry reuses. */
        memmove(entry->datum, datum, hash->data_len);
    }
    gms_hash_link(hash, entry);
    ++hash->count;
    gms_hash_widen(hash);
    return GM_SUCCESS;
}

void *gm_hash_remove(struct gm_hash *hash, void *key)
{
    gms_hash_entry_t **link;
    gms_hash_entry_t *entry;

    if (!gms_hash_is_key(hash, key)) {
        return NULL;
    }
    link = gms_hash_look(hash, key, gms_hash_of(hash, key));
    entry = *link;
    if (entry == NULL) {
        return NULL;
    }
    *link = entry->next;
    --hash->count;
    /* The copy of the datum remains readable, because the list of free entries
     * does not change it. */
    gm_lookaside_free(entry);
    return entry->datum;
}

void gm_hash_rekey(struct gm_hash *hash, void *old_key, void *new_key)
{
    gms_hash_entry_t **link;
    gms_hash_entry_t *entry, *other;
    unsigned long value;

    if (!gms_hash_is_key(hash, old_key) || !gms_hash_is_key(hash, new_key)) {
        return;
    }
    link = gms_hash_look(hash, old_key, gms_hash_of(hash, old_key));
    entry = *link;
    value = gms_hash_of(hash, new_key);
    other = *gms_hash_look(hash, new_key, value);
    if (entry == NULL || (other != NULL && other != entry)) {
        return;
    }
    *link = entry->next;
    entry->hash = value;
    gms_hash_set_key(hash, entry, new_key);
    gms_hash_link(hash, entry);
}
