/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Copies bytes between the simulated NICs and the memory of processes.
 *
 * All processes access memory inside the arena directly. Private memory of
 * another process is accessed with process_vm_readv/writev if a probe at the
 * start found that these calls are permitted. Otherwise the process that owns
 * the memory stages the data. Bytes to send are copied into the arena when the
 * message is posted (gms_copy_stage). Received bytes are queued until the
 * owner's next turn (gms_copy_take_in). The bytes and the virtual time are the
 * same in all cases.
 *
 * A system call for every packet would take longer than the copy itself. The
 * data of long messages are therefore read ahead for several packets at once,
 * and writes are deferred. A deferred write is executed at the latest when the
 * owner, or any other process, next reads the target memory.
 */
#ifndef ENGINE_COPY_H
#define ENGINE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/** Bytes of a process's memory, read in one call for several packets. The
 *  struct is in the arena, and is freed when its last user is removed. */
typedef struct gms_ahead {
    uint64_t address; /* address of the first byte in the process's memory */
    uint64_t bytes;
    uint32_t users;
    unsigned char data[];
} gms_ahead_t;

/** Number of bytes that are read ahead at a time. A larger number would save
 *  only a few system calls, and would evict the simulation's own data from
 *  the cache. With a quarter of this number, the simulation of a stream took
 *  10 % longer. */
#define GMS_AHEAD_BYTES 65536u

/** Return 1 if every process needs a system call to access this memory. */
int gms_copy_is_apart(const gms_ctx_t *ctx, uint64_t address, size_t bytes);
/** Return 1 if other processes can access the private memory of this
 *  process. */
int gms_copy_is_direct(const gms_ctx_t *ctx);
/**
 * If other processes cannot access this memory, copy its contents into the
 * arena.
 * @param [out] staged_p  the copy, which the reader frees with
 *   gms_arena_free(); NULL if no staging is needed
 * @return GMS_OK, GMS_ERR_NO_MEMORY (the arena is full)
 */
gms_status_t gms_copy_stage(gms_ctx_t *ctx, const void *source, size_t bytes,
                            void **staged_p);
/** Read or write a process's memory.
 *  @return GMS_OK
 *  @return GMS_ERR_SYSTEM the memory is not mapped, or no longer mapped */
gms_status_t gms_copy_read(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                           void *to, size_t bytes);
gms_status_t gms_copy_write(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                            const void *from, size_t bytes);
/**
 * Read memory that can be accessed only through a system call. The result has
 * one user. gms_ahead_drop() releases it.
 * @return NULL if accessing the memory requires no system call, if the memory
 *   cannot be read, or if the arena is full. The caller then uses
 *   gms_copy_read()
 */
gms_ahead_t *gms_copy_read_ahead(gms_ctx_t *ctx, unsigned rank,
                                 uint64_t address, size_t bytes);
/** Release one user's reference to bytes that were read ahead. NULL is
 *  allowed. */
void gms_ahead_drop(gms_ctx_t *ctx, gms_ahead_t *ahead);
/**
 * Write bytes that were read ahead. The write is complete before the owner's
 * next turn, and before any other copy from or to that memory.
 * @param [in] from    a part of ahead->data
 * @param [in] lost_p counter of writes to memory that is not mapped, or no
 *   longer mapped; in the arena
 */
void gms_copy_write_late(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                         gms_ahead_t *ahead, const unsigned char *from,
                         size_t bytes, uint64_t *lost_p);
/** Execute the queued and deferred writes to the caller's own memory. The
 *  caller must hold the lock. */
void gms_copy_take_in(gms_ctx_t *ctx);

#endif
