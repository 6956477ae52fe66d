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
 *
 * If no system call is needed, the data of long messages are borrowed: they
 * stay in the sender's memory until they are written to the receiver's memory.
 * The program must not change them before the send is complete. If some bytes
 * have not been written at that time, they are copied.
 */
#ifndef ENGINE_COPY_H
#define ENGINE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/** Bytes of a process's memory that several packets share. The bytes are
 *  either a copy, or they are still in the process's memory and are copied only
 *  once, to the target. The struct is in the arena, and is freed when its last
 *  user is removed. */
typedef struct gms_ahead {
    uint64_t address; /* address of the first byte in the process's memory */
    uint64_t bytes;
    uint64_t first;   /* first byte that can be read; see gms_ahead_end() */
    uint64_t written; /* number of bytes, from the beginning, that are in the
                       * target's memory */
    uint64_t fetched; /* number of bytes, from the beginning, that packets
                       * contain or have contained */
    uint32_t users;
    int is_borrowed;     /* 1: the bytes are in the process's memory */
    unsigned char *data; /* location of byte `first` */
    unsigned char *copy; /* separate block with the bytes, or NULL */
    unsigned char own[];
} gms_ahead_t;

/** Number of bytes that are read ahead at a time. A larger number would save
 *  only a few system calls, and would evict the simulation's own data from
 *  the cache. With a quarter of this number, the simulation of a stream took
 *  10 % longer. */
#define GMS_AHEAD_BYTES 65536u

/** Return 1 if the packets of a message can share its bytes: the bytes can be
 *  borrowed or read ahead. */
int gms_copy_is_shared(const gms_ctx_t *ctx, uint64_t address, size_t bytes);
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
 * @return NULL if the memory cannot be read, or if the arena is full
 */
gms_ahead_t *gms_copy_read_ahead(gms_ctx_t *ctx, unsigned rank,
                                 uint64_t address, size_t bytes);
/**
 * Share bytes that every process can access directly, without copying them. The
 * result has one user, which calls gms_ahead_end() before the owner may change
 * the bytes.
 * @return NULL if accessing the memory requires a system call. The caller then
 *   uses gms_copy_read_ahead(). If the arena is full, the run ends
 */
gms_ahead_t *gms_copy_borrow(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                             size_t bytes);
/** Return the location of a byte, or NULL if the byte cannot be read, because it
 *  was already in the target's memory when gms_ahead_end() was called. */
static inline unsigned char *gms_ahead_at(const gms_ahead_t *ahead,
                                          uint64_t offset)
{
    return offset < ahead->first ? NULL : ahead->data + (offset - ahead->first);
}
/** Count a packet that contains `bytes` bytes from `offset` as a user. */
static inline void gms_ahead_use(gms_ahead_t *ahead, uint64_t offset,
                                 uint64_t bytes)
{
    ++ahead->users;
    if (offset + bytes > ahead->fetched) {
        ahead->fetched = offset + bytes;
    }
}
/** Release a packet's reference to shared bytes. NULL is allowed. */
void gms_ahead_drop(gms_ctx_t *ctx, gms_ahead_t *ahead);
/** Release the reference of the message, whose program may change its memory
 *  after this call. If packets still use borrowed bytes, their bytes that are
 *  not yet in the target's memory are copied. This is usually unnecessary,
 *  because a packet is acknowledged after it has been written or discarded. It
 *  is necessary if a send has failed, or if a port was closed. NULL is allowed.
 *  If the arena is full, the run ends. */
void gms_ahead_end(gms_ctx_t *ctx, gms_ahead_t *ahead);
/**
 * Write shared bytes. The write is complete before the owner's next turn, and
 * before any other copy from or to that memory.
 * @param [in] offset  first byte within the block
 * @param [in] lost_p counter of writes to memory that is not mapped, or no
 *   longer mapped; in the arena
 */
void gms_copy_write_late(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                         gms_ahead_t *ahead, uint64_t offset, size_t bytes,
                         uint64_t *lost_p);
/** Execute the queued and deferred writes to the caller's own memory. The
 *  caller must hold the lock. */
void gms_copy_take_in(gms_ctx_t *ctx);

#endif
