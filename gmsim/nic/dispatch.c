/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Adds records to the dispatch log, and iterates over the records. The
 * functions reuse the oldest chunk when the log or the arena is full.
 * observe/dispatch.c writes the records to a file.
 */
#include "nic/dispatch.h"

#include "nic/nic_int.h"

/* Number of records per chunk. A chunk occupies 48 KB, and a busy NIC of the
 * thesis fills it in 100 ms. */
#define GMS_DISPATCH_CHUNK 2048u

typedef struct gms_dispatch_chunk {
    struct gms_dispatch_chunk *next;
    gms_dispatch_record_t records[GMS_DISPATCH_CHUNK];
} gms_dispatch_chunk_t;

struct gms_dispatch_log {
    gms_dispatch_chunk_t *first, *last;
    uint32_t begin; /* index of the oldest record in the first chunk */
    uint32_t end;   /* index of the next record in the last chunk */
    uint64_t count, most;
};

GMS_QUEUE_DEFINE(gms_dispatch_chunks, gms_dispatch_log_t, gms_dispatch_chunk_t,
                 next);

static void gms_dispatch_destroy(gms_ctx_t *ctx, gms_dispatch_log_t *log)
{
    while (log != NULL && log->first != NULL) {
        gms_arena_free(ctx->arena, gms_dispatch_chunks_take(log));
    }
    gms_arena_free(ctx->arena, log);
}

gms_status_t gms_dispatch_keep(gms_ctx_t *ctx, gms_nic_t *nic, uint64_t records)
{
    gms_dispatch_destroy(ctx, nic->dispatches);
    nic->dispatches = NULL;
    if (records > 0) {
        nic->dispatches = gms_arena_alloc(ctx->arena, sizeof(*nic->dispatches));
        if (nic->dispatches == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        nic->dispatches->most = records;
    }
    return GMS_OK;
}

/* Remove the oldest record. If the record's chunk becomes empty and is not the
 * last chunk, return this chunk; otherwise return NULL. */
static gms_dispatch_chunk_t *gms_dispatch_forget(gms_dispatch_log_t *log)
{
    ++log->begin;
    if (--log->count == 0) {
        log->begin = 0;
        log->end = 0;
        return NULL;
    }
    if (log->begin < GMS_DISPATCH_CHUNK) {
        return NULL;
    }
    log->begin = 0;
    return gms_dispatch_chunks_take(log);
}

/* Return a chunk for the end of the log. If the arena is full, the function
 * removes the oldest records, because the log must not end the run. Return NULL
 * if the log has no chunk to reuse. */
static gms_dispatch_chunk_t *gms_dispatch_grow(gms_ctx_t *ctx,
                                               gms_dispatch_log_t *log)
{
    gms_dispatch_chunk_t *chunk = gms_arena_alloc(ctx->arena, sizeof(*chunk));

    while (chunk == NULL && log->first != log->last) {
        chunk = gms_dispatch_forget(log);
    }
    return chunk;
}

static int gms_dispatch_extend(gms_ctx_t *ctx, gms_dispatch_log_t *log,
                               gms_dispatch_chunk_t *chunk)
{
    if (chunk == NULL) {
        chunk = gms_dispatch_grow(ctx, log);
    }
    if (chunk == NULL) {
        return 0;
    }
    gms_dispatch_chunks_put(log, chunk);
    log->end = 0;
    return 1;
}

void gms_dispatch_add(gms_ctx_t *ctx, gms_dispatch_log_t *log, uint64_t rtc,
                      const gms_flow_t *flow, uint32_t bytes)
{
    gms_dispatch_chunk_t *spare = NULL;

    if (log->count == log->most) {
        spare = gms_dispatch_forget(log);
    }
    if ((log->first == NULL || log->end == GMS_DISPATCH_CHUNK) &&
        !gms_dispatch_extend(ctx, log, spare)) {
        return;
    }
    if (spare != NULL && spare != log->last) {
        gms_arena_free(ctx->arena, spare);
    }
    log->last->records[log->end++] =
        (gms_dispatch_record_t){.rtc = rtc, .flow = flow, .bytes = bytes};
    ++log->count;
}

uint64_t gms_dispatch_count(const gms_nic_t *nic)
{
    return nic->dispatches == NULL ? 0 : nic->dispatches->count;
}

void gms_dispatch_walk(const gms_nic_t *nic, gms_dispatch_fn *call,
                       void *context)
{
    const gms_dispatch_log_t *log = nic->dispatches;
    const gms_dispatch_chunk_t *chunk;
    uint64_t left = gms_dispatch_count(nic);
    uint32_t slot;

    if (left == 0) {
        return;
    }
    chunk = log->first;
    for (slot = log->begin; left > 0; --left) {
        if (slot == GMS_DISPATCH_CHUNK) {
            chunk = chunk->next;
            slot = 0;
        }
        call(context, &chunk->records[slot++]);
    }
}
