/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "engine/copy.h"

#include <string.h>
#include <sys/uio.h>

#include "engine/gate.h"

/* A write that its owner takes in; in the arena. */
typedef struct gms_pending_write {
    struct gms_pending_write *next;
    uint64_t address;
    uint64_t bytes;
    unsigned char data[];
} gms_pending_write_t;

enum gms_reach { GMS_REACH_POINTER, GMS_REACH_SYSCALL, GMS_REACH_STAGED };

static enum gms_reach gms_copy_reach(const gms_ctx_t *ctx, unsigned rank,
                                     uint64_t address, size_t bytes)
{
    if (ctx->gate == NULL || (int)rank == ctx->self_rank ||
        gms_arena_contains(ctx->arena, (const void *)(uintptr_t)address,
                           bytes)) {
        return GMS_REACH_POINTER;
    }
    return gms_gate_is_direct(ctx->gate) ? GMS_REACH_SYSCALL : GMS_REACH_STAGED;
}

int gms_copy_is_direct(const gms_ctx_t *ctx, unsigned rank)
{
    (void)rank;
    return ctx->gate == NULL || gms_gate_is_direct(ctx->gate);
}

void *gms_copy_stage(gms_ctx_t *ctx, const void *source, size_t bytes)
{
    void *staged;

    if (bytes == 0 || gms_copy_is_direct(ctx, 0) ||
        gms_gate_size(ctx->gate) == 1 ||
        gms_arena_contains(ctx->arena, source, bytes)) {
        return NULL;
    }
    staged = gms_arena_alloc(ctx->arena, bytes);
    if (staged == NULL) {
        gms_fatal(ctx, "the arena is full: no room to stage %zu bytes; set a "
                       "larger arena_bytes in the cluster description",
                  bytes);
    }
    return memcpy(staged, source, bytes);
}

gms_status_t gms_copy_read(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                           void *to, size_t bytes)
{
    struct iovec local = {to, bytes};
    struct iovec remote = {(void *)(uintptr_t)address, bytes};

    if (bytes == 0) {
        return GMS_OK;
    }
    switch (gms_copy_reach(ctx, rank, address, bytes)) {
    case GMS_REACH_POINTER:
        memcpy(to, (const void *)(uintptr_t)address, bytes);
        return GMS_OK;
    case GMS_REACH_SYSCALL:
        return process_vm_readv(gms_gate_pid(ctx->gate, rank), &local, 1,
                                &remote, 1, 0) == (ssize_t)bytes
                   ? GMS_OK
                   : GMS_ERR_SYSTEM;
    case GMS_REACH_STAGED:
        break; /* the owner staged what it sent; there is nothing to read */
    }
    return GMS_ERR_SYSTEM;
}

static gms_status_t gms_copy_queue(gms_ctx_t *ctx, unsigned rank,
                                   uint64_t address, const void *from,
                                   size_t bytes)
{
    gms_pending_write_t *write =
        gms_arena_alloc(ctx->arena, sizeof(*write) + bytes);
    void **link = gms_gate_pending_writes(ctx->gate, rank);

    if (write == NULL) {
        gms_fatal(ctx, "the arena is full: no room for %zu received bytes; "
                       "set a larger arena_bytes in the cluster description",
                  bytes);
    }
    write->address = address;
    write->bytes = bytes;
    memcpy(write->data, from, bytes);
    /* Newest first; order matters only where two writes overlap, and then
     * take_in turns the list round. */
    write->next = *link;
    *link = write;
    return GMS_OK;
}

gms_status_t gms_copy_write(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                            const void *from, size_t bytes)
{
    struct iovec local = {(void *)(uintptr_t)from, bytes};
    struct iovec remote = {(void *)(uintptr_t)address, bytes};

    if (bytes == 0) {
        return GMS_OK;
    }
    switch (gms_copy_reach(ctx, rank, address, bytes)) {
    case GMS_REACH_POINTER:
        memcpy((void *)(uintptr_t)address, from, bytes);
        return GMS_OK;
    case GMS_REACH_SYSCALL:
        return process_vm_writev(gms_gate_pid(ctx->gate, rank), &local, 1,
                                 &remote, 1, 0) == (ssize_t)bytes
                   ? GMS_OK
                   : GMS_ERR_SYSTEM;
    case GMS_REACH_STAGED:
        return gms_copy_queue(ctx, rank, address, from, bytes);
    }
    return GMS_ERR_SYSTEM;
}

void gms_copy_take_in(gms_ctx_t *ctx)
{
    void **link;
    gms_pending_write_t *write;
    gms_pending_write_t *oldest = NULL;

    if (ctx->gate == NULL || gms_gate_is_direct(ctx->gate)) {
        return;
    }
    link = gms_gate_pending_writes(ctx->gate, (unsigned)ctx->self_rank);
    for (write = *link; write != NULL;) {
        gms_pending_write_t *older = write->next;

        write->next = oldest;
        oldest = write;
        write = older;
    }
    *link = NULL;
    while (oldest != NULL) {
        write = oldest;
        memcpy((void *)(uintptr_t)write->address, write->data, write->bytes);
        oldest = write->next;
        gms_arena_free(ctx->arena, write);
    }
}
