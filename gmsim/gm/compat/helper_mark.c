/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements GM's marks (gm_mark_*). A set stores the address and the value of
 * each of its marks. A mark is valid if its address is stored and the memory at
 * this address still contains the value. A mark is invalid if it was copied,
 * overwritten or unmarked. Memory that was never marked contains no valid mark.
 * The values are random, so memory that contains small numbers, or a mark of
 * another set, does not match.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/random.h"
#include "gm.h"
#include "gm/compat/helper.h"

struct gm_mark_set {
    struct gm_hash *values; /* maps the address of a mark to its value */
    gms_random_t random;
};

gm_status_t gm_create_mark_set(struct gm_mark_set **set_p,
                               unsigned long init_count)
{
    struct gm_mark_set *set;

    if (set_p == NULL) {
        return GM_INVALID_PARAMETER;
    }
    *set_p = NULL;
    set = malloc(sizeof(*set));
    if (set == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    set->values = gm_create_hash(gm_hash_compare_ptrs, gm_hash_hash_ptr, 0, 0,
                                 init_count, 0);
    if (set->values == NULL) {
        free(set);
        return GM_OUT_OF_MEMORY;
    }
    gms_random_init(&set->random, (uintptr_t)set, 0);
    *set_p = set;
    return GM_SUCCESS;
}

void gm_destroy_mark_set(struct gm_mark_set *set)
{
    if (set != NULL) {
        gm_destroy_hash(set->values);
        free(set);
    }
}

gm_status_t gm_mark(struct gm_mark_set *set, gm_mark_t *mark)
{
    gm_mark_t value;
    gm_status_t status;

    if (set == NULL || mark == NULL) {
        return GM_INVALID_PARAMETER;
    }
    gm_hash_remove(set->values, mark);
    /* The value must not be 0, because the table returns 0 for an address that
     * it does not contain. */
    value = (gm_mark_t)gms_random_u64(&set->random) | 1;
    status = gm_hash_insert(set->values, mark, (void *)(uintptr_t)value);
    if (status == GM_SUCCESS) {
        *mark = value;
    }
    return status;
}

int gm_mark_is_valid(struct gm_mark_set *set, gm_mark_t *mark)
{
    gm_mark_t value;

    if (set == NULL || mark == NULL) {
        return 0;
    }
    value = (gm_mark_t)(uintptr_t)gm_hash_find(set->values, mark);
    return value != 0 && *mark == value;
}

void gm_unmark(struct gm_mark_set *set, gm_mark_t *mark)
{
    if (set == NULL || mark == NULL) {
        return;
    }
    if (gm_mark_is_valid(set, mark)) {
        *mark = 0;
    }
    gm_hash_remove(set->values, mark);
}

void gm_unmark_all(struct gm_mark_set *set)
{
    if (set != NULL) {
        gms_hash_clear(set->values);
    }
}
