/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Copies bytes between the simulated NICs and the memory of a process.
 *
 * Memory inside the arena is accessed directly. Private memory of another
 * process is accessed by process_vm_readv/writev if a probe at the start found
 * that they are permitted. Otherwise the owner stages the data: bytes to send
 * are copied into the arena when the message is posted (gms_copy_stage), and
 * received bytes are queued until the owner's next turn (gms_copy_take_in). The
 * bytes and the virtual time are the same in all cases.
 *
 * A system call per packet costs more than the copy. Long messages are
 * therefore read ahead, several packets at once, and written late: at the
 * latest when the owner, or any other process, next reads that memory.
 */
#ifndef ENGINE_COPY_H
#define ENGINE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/** Bytes of a process's memory, read in one go for several packets. In the
 *  arena; freed with its last user. */
typedef struct gms_ahead {
    uint64_t address; /* of the first byte in the process's memory */
    uint64_t bytes;
    uint32_t users;
    unsigned char data[];
} gms_ahead_t;

/** Bytes that are read ahead at a time. More would save few calls, and drive what
 *  the simulation itself works on out of the cache; a quarter of it cost a stream
 *  a tenth more. */
#define GMS_AHEAD_BYTES 65536u

/** 1 if memory of some process lies apart: to reach it takes a system call,
 *  whoever asks. */
int gms_copy_is_apart(const gms_ctx_t *ctx, uint64_t address, size_t bytes);
/** 1 if this process's private memory can be reached from the others. */
int gms_copy_is_direct(const gms_ctx_t *ctx);
/**
 * For memory that others cannot reach: copy it into the arena.
 * @param [out] staged_p  the copy (freed by whoever consumes it,
 *                        gms_arena_free), or NULL if no staging is needed
 * @return GMS_OK, GMS_ERR_NO_MEMORY (the arena is full)
 */
gms_status_t gms_copy_stage(gms_ctx_t *ctx, const void *source, size_t bytes,
                            void **staged_p);
/** @return GMS_OK; GMS_ERR_SYSTEM if the memory is not there (any more) */
gms_status_t gms_copy_read(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                           void *to, size_t bytes);
gms_status_t gms_copy_write(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                            const void *from, size_t bytes);
/**
 * Read memory that takes a system call, for one user.
 * @return NULL if it takes none, cannot be read, or the arena is full: then
 *         gms_copy_read() has the answer
 */
gms_ahead_t *gms_copy_read_ahead(gms_ctx_t *ctx, unsigned rank,
                                 uint64_t address, size_t bytes);
/** One user less; NULL is fine. */
void gms_ahead_drop(gms_ctx_t *ctx, gms_ahead_t *ahead);
/**
 * Write bytes that were read ahead; they are in place before the owner's next
 * turn and before any other copy of that memory.
 * @param [in] from    among ahead->data
 * @param [in] lost_p  counts writes to memory that is not there (any more); in
 *                     the arena
 */
void gms_copy_write_late(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                         gms_ahead_t *ahead, const unsigned char *from,
                         size_t bytes, uint64_t *lost_p);
/** Take queued and late writes into the caller's own memory; lock held. */
void gms_copy_take_in(gms_ctx_t *ctx);

#endif
