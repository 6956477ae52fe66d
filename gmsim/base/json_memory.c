/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the allocation functions of jansson with functions that count bytes
 * and fail when the limit is reached.
 */
#include "base/json_memory.h"

#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>

static size_t gms_json_most, gms_json_used;
static int gms_json_short;

static void *gms_json_malloc(size_t size)
{
    void *memory = NULL;

    if (gms_json_most == 0 ||
        (size <= gms_json_most && gms_json_used <= gms_json_most - size)) {
        memory = malloc(size);
    }
    if (memory == NULL) {
        gms_json_short = 1;
    } else {
        gms_json_used += malloc_usable_size(memory);
    }
    return memory;
}

static void gms_json_free(void *memory)
{
    size_t size = memory != NULL ? malloc_usable_size(memory) : 0;

    /* values that were allocated before the limit was set have not been
     * counted */
    gms_json_used -= size < gms_json_used ? size : gms_json_used;
    free(memory);
}

void gms_json_limit(size_t most)
{
    gms_json_most = most;
    gms_json_short = 0;
    json_set_alloc_funcs(gms_json_malloc, gms_json_free);
}

int gms_json_is_short(void)
{
    return gms_json_short;
}
