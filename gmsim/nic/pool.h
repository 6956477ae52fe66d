/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Allocates the memory of a port's message buffers at their first use.
 *
 * A port of an MPI process has several hundred message buffers, but few of them
 * are in use at the same time. The buffer that was freed last is used next.
 * Therefore a pool has memory only for the largest number of buffers that were
 * ever in use simultaneously.
 *
 * The memory belongs to the port until the end of the job, and the next owner
 * of the port uses it again. The header job/dma.h explains why. A pool is in
 * the arena, so any process that runs the simulation can take a buffer. The
 * caller must hold the gate's lock.
 */
#ifndef NIC_POOL_H
#define NIC_POOL_H

#include "nic/memory.h"

typedef struct gms_pool {
    uint64_t bytes;  /* length of a buffer, a power of two */
    uint8_t is_open; /* 1: the port's owner uses the pool */
    uint64_t *free;  /* addresses of the free buffers */
    uint32_t free_count;
    uint32_t count; /* number of buffers that have memory; at most `room` */
    uint32_t room;  /* length of the array `free` */
    struct gms_pool_chunk *chunks;
} gms_pool_t;

/** Begin to use the pool after the port was opened, and set the length of the
 *  buffers. Memory of an earlier owner of the port is used again if the length
 *  is the same.
 *  @return GMS_OK, also if the owner has already opened the pool with this
 *    length
 *  @return GMS_ERR_INVALID_PARAM  the owner has opened the pool with another
 *                                 length
 *  @return GMS_ERR_NO_MEMORY */
gms_status_t gms_pool_open(gms_arena_t *arena, gms_pool_t *pool,
                           gms_page_table_t *pages, uint64_t bytes);
/** Invalidate all buffers, because the port is being closed. */
void gms_pool_close(gms_pool_t *pool);
/** Take the buffer that was freed last, or allocate and register memory for
 *  more buffers.
 *  @return the buffer's address, or 0: the arena is full */
uint64_t gms_pool_take(gms_arena_t *arena, gms_pool_t *pool,
                       gms_page_table_t *pages);
/** Free a buffer.
 *  @return 0, or -1: no buffer of the pool is in use, or no buffer has this
 *  address */
int gms_pool_give(gms_pool_t *pool, uint64_t address);

#endif
