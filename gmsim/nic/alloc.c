/* SPDX-License-Identifier: BSD-3-Clause */
#include "nic/alloc.h"

void *gms_nic_alloc(gms_ctx_t *ctx, size_t bytes)
{
    void *block = gms_arena_alloc(ctx->arena, bytes);

    if (block == NULL) {
        gms_fatal(ctx,
                  "the arena is full: no %zu bytes left for the NICs; set "
                  "a larger arena_bytes in the cluster description",
                  bytes);
    }
    return block;
}
