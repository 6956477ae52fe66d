/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses between direct access, process_vm_readv/writev and staging for every
 * copy, and manages the queues of delayed and staged writes. This file handles
 * only addresses and ranks; the NIC (nic/) handles messages and packets.
 */
#define _GNU_SOURCE
#include "engine/copy.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/gate.h"
#include "engine/ranks.h"

/* A staged write in the arena, which the owner of the target memory
 * executes. */
typedef struct gms_pending_write {
    struct gms_pending_write *next;
    uint64_t address;
    uint64_t bytes;
    unsigned char data[];
} gms_pending_write_t;

/* Maximum number of pending late writes to a process. This number limits the
 * memory that the writes occupy. The number is far below the number of pieces
 * that one system call can move. */
#define GMS_LATE_PIECES 16u

typedef struct gms_late_piece {
    uint64_t address;
    uint64_t bytes;
    uint64_t offset; /* first byte within the block */
    gms_ahead_t *ahead;
    uint64_t *lost_p;
} gms_late_piece_t;

/* Late writes to one process, in the order of the calls. The struct is in the
 * arena. */
typedef struct gms_late {
    uint32_t count;
    gms_late_piece_t pieces[GMS_LATE_PIECES];
} gms_late_t;

enum gms_reach {
    GMS_REACH_POINTER,
    GMS_REACH_SELF,
    GMS_REACH_SYSCALL,
    GMS_REACH_STAGED
};

/* Maximum number of pages in one copy to or from the process's own memory; a
 * packet occupies fewer pages. */
#define GMS_COPY_LOOK_PAGES 8u

static enum gms_reach gms_copy_reach(const gms_ctx_t *ctx, unsigned rank,
                                     uint64_t address, size_t bytes)
{
    if (ctx->gate == NULL || gms_ranks() != NULL ||
        gms_arena_contains(ctx->arena, (const void *)(uintptr_t)address,
                           bytes)) {
        return GMS_REACH_POINTER;
    }
    if ((int)rank == ctx->self_rank) {
        return GMS_REACH_SELF;
    }
    return gms_gate_is_direct(ctx->gate) ? GMS_REACH_SYSCALL : GMS_REACH_STAGED;
}

/* Return 1 if the addresses are mapped. The range is at most as long as a
 * packet. */
static int gms_copy_is_mapped(uint64_t address, size_t bytes)
{
    unsigned char resident[GMS_COPY_LOOK_PAGES];
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t start = address / page * page;
    uint64_t end = address + bytes;

    return (end - start + page - 1) / page <= GMS_COPY_LOOK_PAGES &&
           mincore((void *)(uintptr_t)start, end - start, resident) == 0;
}

/* Copy between the process's own memory and the arena. The program may have
 * unmapped the memory since it was registered. On a real host, registered
 * memory would still be pinned. In the simulation, an access to unmapped memory
 * would end the process. */
static gms_status_t gms_copy_own(uint64_t address, void *local_bytes,
                                 size_t bytes, int is_write)
{
    struct iovec local = {local_bytes, bytes};
    struct iovec own = {(void *)(uintptr_t)address, bytes};
    ssize_t done = is_write ? process_vm_writev(getpid(), &local, 1, &own, 1, 0)
                            : process_vm_readv(getpid(), &local, 1, &own, 1, 0);

    if (done == (ssize_t)bytes) {
        return GMS_OK;
    }
    /* Some systems forbid this system call. If the call failed although the
     * memory is mapped, copy directly. */
    if (done < 0 && errno != EFAULT && gms_copy_is_mapped(address, bytes)) {
        memcpy(is_write ? own.iov_base : local_bytes,
               is_write ? local_bytes : own.iov_base, bytes);
        return GMS_OK;
    }
    return GMS_ERR_SYSTEM;
}

int gms_copy_is_shared(const gms_ctx_t *ctx, uint64_t address, size_t bytes)
{
    return gms_copy_is_direct(ctx) || gms_ranks() != NULL ||
           gms_arena_contains(ctx->arena, (const void *)(uintptr_t)address,
                              bytes);
}

int gms_copy_is_direct(const gms_ctx_t *ctx)
{
    return ctx->gate == NULL || gms_gate_is_direct(ctx->gate);
}

gms_status_t gms_copy_stage(gms_ctx_t *ctx, const void *source, size_t bytes,
                            void **staged_p)
{
    void *staged = NULL;

    if (bytes > 0 && !gms_copy_is_direct(ctx) && gms_gate_size(ctx->gate) > 1 &&
        !gms_arena_contains(ctx->arena, source, bytes)) {
        staged = gms_arena_alloc(ctx->arena, bytes);
        if (staged == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        memcpy(staged, source, bytes);
    }
    *staged_p = staged;
    return GMS_OK;
}

static void gms_copy_full(gms_ctx_t *ctx, const char *what, uint64_t bytes)
{
    gms_fatal(ctx,
              "the arena is full: no room for %" PRIu64 " %s; set a larger "
              "arena_bytes in the cluster description",
              bytes, what);
}

/* ---- Late writes --------------------------------------------------------- */

static pid_t gms_copy_pid(const gms_ctx_t *ctx, unsigned rank)
{
    return (int)rank == ctx->self_rank ? getpid()
                                       : gms_gate_pid(ctx->gate, rank);
}

void gms_ahead_drop(gms_ctx_t *ctx, gms_ahead_t *ahead)
{
    if (ahead != NULL && --ahead->users == 0) {
        gms_arena_free(ctx->arena, ahead->copy);
        gms_arena_free(ctx->arena, ahead);
    }
}

/* Copy the borrowed bytes that are not yet in the target's memory. */
static void gms_ahead_settle(gms_ctx_t *ctx, gms_ahead_t *ahead)
{
    uint64_t left;

    ahead->is_borrowed = 0;
    ahead->first = ahead->written;
    if (ahead->fetched <= ahead->written) {
        return;
    }
    left = ahead->fetched - ahead->written;
    ahead->copy = gms_arena_alloc_raw(ctx->arena, left);
    if (ahead->copy == NULL) {
        gms_copy_full(ctx, "bytes in flight", left);
    }
    memcpy(ahead->copy, ahead->data + ahead->first, left);
    ahead->data = ahead->copy;
}

void gms_ahead_end(gms_ctx_t *ctx, gms_ahead_t *ahead)
{
    if (ahead != NULL && ahead->is_borrowed && ahead->users > 1) {
        gms_ahead_settle(ctx, ahead);
    }
    gms_ahead_drop(ctx, ahead);
}

static void *gms_late_source(const gms_late_piece_t *piece)
{
    return gms_ahead_at(piece->ahead, piece->offset);
}

/* Write the pieces one at a time, to count each piece that cannot be
 * written. */
static void gms_late_write_each(gms_late_t *late, pid_t pid)
{
    uint32_t i;

    for (i = 0; i < late->count; ++i) {
        gms_late_piece_t *piece = &late->pieces[i];
        struct iovec from = {gms_late_source(piece), piece->bytes};
        struct iovec to = {(void *)(uintptr_t)piece->address, piece->bytes};

        if (process_vm_writev(pid, &from, 1, &to, 1, 0) !=
            (ssize_t)piece->bytes) {
            ++*piece->lost_p;
        }
    }
}

/* Execute late writes with one system call. The system call copies data between
 * the caller's memory and the memory of another process, which is identified by
 * its process id. The kernel looks up and pins every page of the identified
 * process. If a process writes to its own memory, it calls process_vm_readv()
 * with its own id. The arena is then the memory that the kernel must pin, and
 * its large pages need fewer look-ups. */
static ssize_t gms_late_move(const gms_ctx_t *ctx, unsigned rank,
                             const struct iovec *from, const struct iovec *to,
                             uint32_t count)
{
    pid_t pid = gms_copy_pid(ctx, rank);

    return (int)rank == ctx->self_rank
               ? process_vm_readv(pid, to, count, from, count, 0)
               : process_vm_writev(pid, from, count, to, count, 0);
}

static void gms_late_flush(gms_ctx_t *ctx, unsigned rank, gms_late_t *late)
{
    struct iovec from[GMS_LATE_PIECES];
    struct iovec to[GMS_LATE_PIECES];
    size_t bytes = 0;
    uint32_t i;

    for (i = 0; i < late->count; ++i) {
        const gms_late_piece_t *piece = &late->pieces[i];

        from[i] = (struct iovec){gms_late_source(piece), piece->bytes};
        to[i] = (struct iovec){(void *)(uintptr_t)piece->address, piece->bytes};
        bytes += piece->bytes;
    }
    if (gms_late_move(ctx, rank, from, to, late->count) != (ssize_t)bytes) {
        gms_late_write_each(late, gms_copy_pid(ctx, rank));
    }
    for (i = 0; i < late->count; ++i) {
        gms_ahead_drop(ctx, late->pieces[i].ahead);
    }
    late->count = 0;
}

/* Execute the late writes to a process's memory. */
static void gms_copy_settle(gms_ctx_t *ctx, unsigned rank)
{
    gms_late_t *late = *gms_gate_late_writes(ctx->gate, rank);

    if (late != NULL && late->count != 0) {
        gms_late_flush(ctx, rank, late);
    }
}

static gms_late_t *gms_late_of(gms_ctx_t *ctx, unsigned rank)
{
    void **late_p = gms_gate_late_writes(ctx->gate, rank);

    if (*late_p == NULL) {
        *late_p = gms_arena_alloc(ctx->arena, sizeof(gms_late_t));
        if (*late_p == NULL) {
            gms_fatal(ctx, "the arena is full: no room for late writes; set a "
                           "larger arena_bytes in the cluster description");
        }
    }
    return *late_p;
}

/* Append the bytes to an earlier piece that ends where the bytes begin. This
 * piece need not be the last piece, because packets of several messages
 * alternate. The search ends at a piece that overlaps the target memory, to
 * keep the order of writes.
 * @return 1 if the bytes were appended */
static int gms_late_join(gms_late_t *late, uint64_t address,
                         const gms_ahead_t *ahead, uint64_t offset,
                         size_t bytes)
{
    uint32_t i = late->count;

    while (i-- > 0) {
        gms_late_piece_t *piece = &late->pieces[i];

        if (piece->ahead == ahead && piece->offset + piece->bytes == offset &&
            piece->address + piece->bytes == address) {
            piece->bytes += bytes;
            return 1;
        }
        if (piece->address < address + bytes &&
            address < piece->address + piece->bytes) {
            return 0;
        }
    }
    return 0;
}

/* Packets of a message arrive in order. Bytes that arrive out of order are not
 * counted, so they are copied unnecessarily. */
static void gms_ahead_count_written(gms_ahead_t *ahead, uint64_t offset,
                                    size_t bytes)
{
    if (offset <= ahead->written && offset + bytes > ahead->written) {
        ahead->written = offset + bytes;
    }
}

void gms_copy_write_late(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                         gms_ahead_t *ahead, uint64_t offset, size_t bytes,
                         uint64_t *lost_p)
{
    enum gms_reach reach = gms_copy_reach(ctx, rank, address, bytes);
    const unsigned char *from = gms_ahead_at(ahead, offset);
    gms_late_t *late;

    if (from == NULL) {
        return; /* the bytes are already in the target's memory */
    }
    /* A late write could be executed after the owner has changed the bytes. */
    if (ahead->is_borrowed ||
        (reach != GMS_REACH_SELF && reach != GMS_REACH_SYSCALL)) {
        *lost_p += gms_copy_write(ctx, rank, address, from, bytes) != GMS_OK;
        gms_ahead_count_written(ahead, offset, bytes);
        return;
    }
    late = gms_late_of(ctx, rank);
    if (gms_late_join(late, address, ahead, offset, bytes)) {
        return;
    }
    if (late->count == GMS_LATE_PIECES) {
        gms_late_flush(ctx, rank, late);
    }
    ++ahead->users;
    late->pieces[late->count++] =
        (gms_late_piece_t){address, bytes, offset, ahead, lost_p};
}

/* Create a block with room for a copy of `room` bytes.
 * @return NULL if the arena is full */
static gms_ahead_t *gms_ahead_create(gms_ctx_t *ctx, uint64_t address,
                                     size_t bytes, size_t room)
{
    gms_ahead_t *ahead = gms_arena_alloc_raw(ctx->arena, sizeof(*ahead) + room);

    if (ahead != NULL) {
        *ahead = (gms_ahead_t){
            .address = address, .bytes = bytes, .users = 1, .data = ahead->own};
    }
    return ahead;
}

gms_ahead_t *gms_copy_borrow(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                             size_t bytes)
{
    gms_ahead_t *ahead;

    if (gms_copy_reach(ctx, rank, address, bytes) != GMS_REACH_POINTER) {
        return NULL;
    }
    ahead = gms_ahead_create(ctx, address, bytes, 0);
    if (ahead == NULL) {
        gms_copy_full(ctx, "bytes about a message", sizeof(*ahead));
    }
    ahead->is_borrowed = 1;
    ahead->data = (unsigned char *)(uintptr_t)address;
    return ahead;
}

gms_ahead_t *gms_copy_read_ahead(gms_ctx_t *ctx, unsigned rank,
                                 uint64_t address, size_t bytes)
{
    gms_ahead_t *ahead = gms_ahead_create(ctx, address, bytes, bytes);

    if (ahead == NULL) {
        return NULL;
    }
    if (gms_copy_read(ctx, rank, address, ahead->own, bytes) != GMS_OK) {
        gms_ahead_drop(ctx, ahead);
        return NULL;
    }
    return ahead;
}

/* ---- immediate copies --------------------------------------------------- */

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
    case GMS_REACH_SELF:
        gms_copy_settle(ctx, rank);
        return gms_copy_own(address, to, bytes, 0);
    case GMS_REACH_SYSCALL:
        gms_copy_settle(ctx, rank);
        return process_vm_readv(gms_gate_pid(ctx->gate, rank), &local, 1,
                                &remote, 1, 0) == (ssize_t)bytes
                   ? GMS_OK
                   : GMS_ERR_SYSTEM;
    case GMS_REACH_STAGED:
        break; /* the owner has staged the data that it sends, so there is no
                * memory to read */
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
        gms_copy_full(ctx, "received bytes", bytes);
    }
    write->address = address;
    write->bytes = bytes;
    memcpy(write->data, from, bytes);
    /* The newest write is at the beginning of the list. Because writes may
     * overlap, gms_copy_take_in() reverses the list. */
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
        /* a program may send borrowed bytes to the same memory */
        memmove((void *)(uintptr_t)address, from, bytes);
        return GMS_OK;
    case GMS_REACH_SELF:
        gms_copy_settle(ctx, rank);
        return gms_copy_own(address, (void *)(uintptr_t)from, bytes, 1);
    case GMS_REACH_SYSCALL:
        gms_copy_settle(ctx, rank);
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

    if (ctx->gate == NULL) {
        return;
    }
    if (gms_gate_is_direct(ctx->gate)) {
        gms_copy_settle(ctx, (unsigned)ctx->self_rank);
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
        gms_copy_own(write->address, write->data, write->bytes, 1);
        oldest = write->next;
        gms_arena_free(ctx->arena, write);
    }
}
