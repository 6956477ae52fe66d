/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Provides the memory that gm_dma_malloc() returns. This memory is in the
 * arena, where the NICs of all processes can access it. Its pages contain
 * nothing else.
 *
 * A NIC can write to any offset of a registered page. A page that has held DMA
 * memory of a process is therefore never reused for another purpose. Freed
 * blocks return to the process's own pool, not to the arena. A message that is
 * longer than its buffer damages only the program's own DMA memory, as on a
 * real host. The same is true if the program frees registered memory.
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
 *  registered, or return NULL if the arena is full. Call this function only
 *  when it is the caller's turn (engine/gate.h). */
gms_dma_block_t *gms_dma_take(gms_sim_t *sim, gm_size_t length);
/** Free a block. Call this function only when it is the caller's turn. */
void gms_dma_give(gms_sim_t *sim, gms_dma_block_t *block);
/** Return 1 if the range is within this process's DMA memory, whether in use or
 *  free. */
int gms_dma_owns(const gms_sim_t *sim, const void *address, gm_size_t length);

#endif
