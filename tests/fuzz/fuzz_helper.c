/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests GM's helpers that need no network: hash tables, lookaside lists, zones,
 * marks and mutexes. Compares each helper with a model of a few lines of C.
 */
#include <string.h>

#include "fuzz.h"

#define FUZZ_KEYS       32u
#define FUZZ_ENTRIES    16u
#define FUZZ_ENTRY_LEN  24u
#define FUZZ_BLOCKS     12u
#define FUZZ_ZONE_BYTES 4096u
#define FUZZ_MARKS      8u

static struct gm_hash *fuzz_hash;
/* type of the table's keys; see fuzz_hash_create() */
static unsigned fuzz_hash_kind;
static int fuzz_has_key[FUZZ_KEYS];
static unsigned fuzz_data[FUZZ_KEYS];

static struct gm_lookaside *fuzz_lookaside;
static unsigned char *fuzz_entries[FUZZ_ENTRIES];

static struct gm_zone *fuzz_zone;
static unsigned char fuzz_zone_memory[FUZZ_ZONE_BYTES]
    __attribute__((aligned(64)));
static unsigned char *fuzz_blocks[FUZZ_BLOCKS];
static unsigned fuzz_block_bytes[FUZZ_BLOCKS];

static struct gm_mark_set *fuzz_marks;
static gm_mark_t fuzz_places[FUZZ_MARKS];
static int fuzz_is_marked[FUZZ_MARKS];

void fuzz_helpers_reset(void)
{
    gm_destroy_hash(fuzz_hash);
    gm_destroy_lookaside(fuzz_lookaside);
    gm_zone_destroy_zone(fuzz_zone);
    gm_destroy_mark_set(fuzz_marks);
    fuzz_hash = NULL;
    fuzz_lookaside = NULL;
    fuzz_zone = NULL;
    fuzz_marks = NULL;
    memset(fuzz_has_key, 0, sizeof(fuzz_has_key));
    memset(fuzz_entries, 0, sizeof(fuzz_entries));
    memset(fuzz_blocks, 0, sizeof(fuzz_blocks));
    memset(fuzz_is_marked, 0, sizeof(fuzz_is_marked));
}

/*
 * Return a length that is usually short but, in rare cases, exceeds the
 * available memory. The sanitizer reports every request for such a long block.
 */
static gm_size_t fuzz_odd_length(void)
{
    unsigned how = fuzz_byte();

    return how < 254 ? how : SIZE_MAX - fuzz_byte();
}

static void fuzz_hash_create(unsigned how)
{
    fuzz_hash_kind = how % 3;
    if (fuzz_hash_kind == 0) {
        fuzz_hash = gm_create_hash(gm_hash_compare_ints, gm_hash_hash_int,
                                   sizeof(int), sizeof(unsigned), how % 20, 0);
    } else if (fuzz_hash_kind == 1) {
        fuzz_hash = gm_create_hash(NULL, NULL, sizeof(int), sizeof(unsigned),
                                   how % 20, 0);
    } else { /* the keys are the pointers themselves */
        fuzz_hash = gm_create_hash(how & 1 ? gm_hash_compare_ptrs : NULL,
                                   how & 1 ? gm_hash_hash_ptr : NULL, 0,
                                   sizeof(unsigned), how % 20, 0);
    }
    FUZZ_CHECK(fuzz_hash != NULL, "cannot create a hash table");
    gm_destroy_hash(gm_create_hash(NULL, NULL, fuzz_odd_length(),
                                   fuzz_odd_length(), how % 4, how >= 240));
}

static void fuzz_hash_step(unsigned how)
{
    unsigned key = fuzz_below(FUZZ_KEYS);
    unsigned other = fuzz_below(FUZZ_KEYS);
    unsigned *found;
    void *key_p = &key;
    void *other_p = &other;

    if (fuzz_hash == NULL) {
        fuzz_hash_create(how);
    }
    if (fuzz_hash_kind == 2) {
        key_p = (void *)(uintptr_t)(key + 1);
        other_p = (void *)(uintptr_t)(other + 1);
    }
    switch (how % 4) {
    case 0:
        FUZZ_CHECK(gm_hash_insert(fuzz_hash, key_p, &how) ==
                       (fuzz_has_key[key] ? GM_INVALID_PARAMETER : GM_SUCCESS),
                   "insert %u", key);
        if (!fuzz_has_key[key]) {
            fuzz_has_key[key] = 1;
            fuzz_data[key] = how;
        }
        break;
    case 1:
        found = gm_hash_remove(fuzz_hash, key_p);
        FUZZ_CHECK((found != NULL) == fuzz_has_key[key] &&
                       (found == NULL || *found == fuzz_data[key]),
                   "remove %u", key);
        fuzz_has_key[key] = 0;
        break;
    case 2:
        gm_hash_rekey(fuzz_hash, key_p, other_p);
        if (fuzz_has_key[key] && !fuzz_has_key[other]) {
            fuzz_has_key[key] = 0;
            fuzz_has_key[other] = 1;
            fuzz_data[other] = fuzz_data[key];
        }
        break;
    default:
        break;
    }
    found = gm_hash_find(fuzz_hash, key_p);
    FUZZ_CHECK((found != NULL) == fuzz_has_key[key] &&
                   (found == NULL || *found == fuzz_data[key]),
               "find %u", key);
}

static void fuzz_lookaside_step(unsigned how)
{
    unsigned index = fuzz_below(FUZZ_ENTRIES);
    unsigned char **entry = &fuzz_entries[index];
    unsigned i;

    if (fuzz_lookaside == NULL) {
        fuzz_lookaside = gm_create_lookaside(FUZZ_ENTRY_LEN, how % 8);
        gm_destroy_lookaside(gm_create_lookaside(fuzz_odd_length(), how % 3));
        return;
    }
    if (*entry != NULL) {
        for (i = 0; i < FUZZ_ENTRY_LEN; ++i) {
            FUZZ_CHECK((*entry)[i] == index, "entry %u changed", index);
        }
        gm_lookaside_free(*entry);
        gm_lookaside_free(NULL);
        if (how & 1) {
            gm_lookaside_free(*entry);
        }
        *entry = NULL;
        return;
    }
    *entry = how & 2 ? gm_lookaside_zalloc(fuzz_lookaside)
                     : gm_lookaside_alloc(fuzz_lookaside);
    FUZZ_CHECK(*entry != NULL && GM_ALIGNED(*entry, 16), "entry %u", index);
    for (i = 0; i < FUZZ_ENTRY_LEN; ++i) {
        FUZZ_CHECK(!(how & 2) || (*entry)[i] == 0,
                   "a zeroed entry is not zero");
    }
    memset(*entry, (int)index, FUZZ_ENTRY_LEN);
}

static void fuzz_zone_step(unsigned how)
{
    unsigned index = fuzz_below(FUZZ_BLOCKS);
    unsigned char **block = &fuzz_blocks[index];
    gm_size_t bytes = how * 5 + 1;
    unsigned i;

    if (fuzz_zone == NULL) {
        fuzz_zone = gm_zone_create_zone(fuzz_zone_memory + how % 64,
                                        FUZZ_ZONE_BYTES - 64 - how);
        gm_zone_destroy_zone(gm_zone_create_zone(fuzz_zone_memory, how));
        return;
    }
    if (*block != NULL) {
        for (i = 0; i < fuzz_block_bytes[index]; ++i) {
            FUZZ_CHECK((*block)[i] == index, "block %u changed", index);
        }
        FUZZ_CHECK(gm_zone_free(fuzz_zone, *block + 1) == NULL,
                   "an address inside a block was freed");
        FUZZ_CHECK(gm_zone_free(fuzz_zone, *block) == *block, "block %u",
                   index);
        FUZZ_CHECK(gm_zone_free(fuzz_zone, *block) == NULL,
                   "a block was freed twice");
        *block = NULL;
        return;
    }
    *block = how & 1 ? gm_zone_malloc(fuzz_zone, bytes)
                     : gm_zone_calloc(fuzz_zone, bytes, 1);
    if (*block != NULL) {
        FUZZ_CHECK(gm_zone_addr_in_zone(fuzz_zone, *block) &&
                       gm_zone_addr_in_zone(fuzz_zone, *block + bytes - 1) &&
                       GM_ALIGNED(*block, GM_RDMA_GRANULARITY),
                   "block of %lu bytes", bytes);
        memset(*block, (int)index, bytes);
        fuzz_block_bytes[index] = (unsigned)bytes;
    }
    FUZZ_CHECK(gm_zone_malloc(fuzz_zone, FUZZ_ZONE_BYTES + 1) == NULL &&
                   gm_zone_calloc(fuzz_zone, SIZE_MAX / 2, how + 2) == NULL,
               "a block larger than the zone was allocated");
}

static void fuzz_mark_step(unsigned how)
{
    unsigned index = fuzz_below(FUZZ_MARKS);
    gm_mark_t *place = &fuzz_places[index];

    if (fuzz_marks == NULL) {
        FUZZ_CHECK(gm_create_mark_set(&fuzz_marks, how % 4) == GM_SUCCESS,
                   "cannot create a mark set");
        return;
    }
    switch (how % 4) {
    case 0:
        FUZZ_CHECK(gm_mark(fuzz_marks, place) == GM_SUCCESS, "a mark");
        fuzz_is_marked[index] = 1;
        break;
    case 1:
        gm_unmark(fuzz_marks, place);
        fuzz_is_marked[index] = 0;
        break;
    case 2:
        *place ^= 1 + how;
        fuzz_is_marked[index] = 0;
        break;
    default:
        if (how >= 224) {
            gm_unmark_all(fuzz_marks);
            memset(fuzz_is_marked, 0, sizeof(fuzz_is_marked));
        }
        FUZZ_CHECK(!gm_mark_is_valid(fuzz_marks, fuzz_odd_address(FUZZ_SINK)),
                   "an address that was never marked is valid");
        break;
    }
    FUZZ_CHECK(gm_mark_is_valid(fuzz_marks, place) == fuzz_is_marked[index],
               "mark %u", index);
}

static void fuzz_other_step(unsigned how)
{
    struct gm_mutex *mutex = gm_create_mutex();
    char text[8] = {(char)fuzz_byte(), (char)fuzz_byte(), (char)how, 0};
    char copy[8];
    char *again = gm_strdup(text);
    unsigned long number = (unsigned long)fuzz_odd_number();
    unsigned long log2 = gm_log2_roundup(number);

    gm_mutex_exit(mutex);
    gm_mutex_enter(mutex);
    gm_mutex_enter(mutex);
    gm_mutex_exit(mutex);
    gm_destroy_mutex(mutex);
    FUZZ_CHECK(again != NULL && gm_strcmp(again, text) == 0 &&
                   gm_strncmp(again, text, (int)how) == 0 &&
                   gm_strncasecmp(again, text, -1) == 0 &&
                   gm_crc(again, gm_strlen(text)) == gm_crc_str(text),
               "the copy of a string differs");
    gm_strncpy(copy, text, (int)(how % sizeof(copy)));
    gm_free(again);
    FUZZ_CHECK(log2 <= 64 && (log2 == 64 || 1ul << log2 >= number) &&
                   (number < 2 || number > 1ul << (log2 - 1)),
               "log2 of %lu is %lu", number, log2);
    FUZZ_CHECK(gm_rand_mod((unsigned)number) < (unsigned)number ||
                   (unsigned)number == 0,
               "random number out of range");
    gm_isprint((int)number);
    gm_srand((int)number);
    FUZZ_CHECK(gm_rand() >= 0, "negative random number");
    gm_memset(copy, (int)how, sizeof(copy));
    gm_bzero(copy, how % sizeof(copy));
    gm_bcopy(text, copy + 1, sizeof(copy) - 1);
    FUZZ_CHECK(gm_memcmp(text, copy + 1, sizeof(copy) - 1) == 0, "a copy");
    gm_register_buffer(copy, (int)number);
    FUZZ_CHECK(gm_unregister_buffer(copy, (int)number) == ((int)number > 0) &&
                   !gm_unregister_buffer(copy, (int)number),
               "registration of a buffer of %d bytes", (int)number);
    gm_page_free(gm_page_alloc());
    gm_free_pages(gm_alloc_pages(how * 100), how * 100);
    gm_free(gm_calloc(fuzz_odd_length(), 2));
}

void fuzz_op_helper(void)
{
    unsigned which = fuzz_byte();
    unsigned how = fuzz_byte();

    switch (which % 8) {
    case 0:
    case 1:
        fuzz_hash_step(how);
        break;
    case 2:
    case 3:
        fuzz_lookaside_step(how);
        break;
    case 4:
    case 5:
        fuzz_zone_step(how);
        break;
    case 6:
        fuzz_mark_step(how);
        break;
    default:
        fuzz_other_step(how);
        break;
    }
}
