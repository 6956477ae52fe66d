/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Provides the memory for gm_dma_malloc(). This memory is in the arena, where
 * the NICs of all processes can access it. Its pages are used for nothing else.
 *
 * A NIC may write to any offset of a registered page. A page that has held DMA
 * memory of a process is therefore never used for another purpose. Freed blocks
 * are returned to the process's own pool, not to the arena. If a message is
 * longer than its buffer, or if memory is freed while it is registered, only
 * the program's own DMA memory is damaged, as on a real host.
 */
#ifndef JOB_DMA_H
#define JOB_DMA_H

#include "job/sim.h"

typedef struct gms_dma_block {
    struct gms_dma_block *next;
    void *address;
    gm_size_t length;   /* requested length in bytes */
    gm_size_t capacity; /* length of the block in bytes */
} gms_dma_block_t;

/** Allocate a zeroed block that is aligned to GM_RDMA_GRANULARITY and not
 *  registered; NULL if the arena is full. Call this function only when it is
 *  the caller's turn (engine/gate.h). */
gms_dma_block_t *gms_dma_take(gms_sim_t *sim, gm_size_t length);
/** Free a block. Call this function only when it is the caller's turn. */
void gms_dma_give(gms_sim_t *sim, gms_dma_block_t *block);
/** Return 1 if the range is within this process's DMA memory, in use or
 *  free. */
int gms_dma_owns(const gms_sim_t *sim, const void *address, gm_size_t length);

#endif
