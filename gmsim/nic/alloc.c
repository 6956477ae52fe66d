/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocates NIC objects in the arena. If the arena is full, the functions end
 * the run with a message that names the parameter to change.
 */
#include "nic/alloc.h"

#include <string.h>

void *gms_nic_alloc_raw(gms_ctx_t *ctx, size_t bytes, size_t zeroed)
{
    void *block = gms_arena_alloc_raw(ctx->arena, bytes);

    if (block == NULL) {
        gms_fatal(ctx,
                  "the arena is full: the NICs need %zu more bytes; set a "
                  "larger arena_bytes in the cluster description",
                  bytes);
    }
    return memset(block, 0, zeroed);
}

void *gms_nic_alloc(gms_ctx_t *ctx, size_t bytes)
{
    return gms_nic_alloc_raw(ctx, bytes, bytes);
}
