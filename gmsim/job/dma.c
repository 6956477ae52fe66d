/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocates DMA memory. If a block is smaller than a page, its size is a power
 * of two and the block is part of a slab. Larger blocks consist of whole pages.
 * The management data are outside the blocks, because a program may write to a
 * block that it has freed.
 */
#include "job/dma.h"

#include <stdlib.h>
#include <string.h>

#define GMS_DMA_PAGE       UINT64_C(4096)
#define GMS_DMA_CLASSES    6u /* 64 .. 2048 bytes */
#define GMS_DMA_SLAB_BYTES (4 * GMS_DMA_PAGE)

/* A range of the arena that belongs to this process until the end of the
 * job. */
typedef struct gms_dma_extent {
    struct gms_dma_extent *next;
    uintptr_t start;
    uint64_t bytes;
} gms_dma_extent_t;

typedef struct gms_dma_pool {
    gms_dma_block_t *small[GMS_DMA_CLASSES]; /* lists of free blocks, by size
                                              * class */
    gms_dma_block_t *large;
    gms_dma_extent_t *extents;
    uintptr_t slab; /* start of the unused part of the slab */
    uint64_t slab_left;
} gms_dma_pool_t;

static uintptr_t gms_dma_extend(gms_sim_t *sim, uint64_t bytes)
{
    gms_dma_extent_t *extent = calloc(1, sizeof(*extent));
    void *memory;

    if (extent == NULL) {
        return 0;
    }
    memory = gms_arena_alloc(sim->ctx.arena, bytes); /* the memory is aligned to
                                                      * a page boundary */
    if (memory == NULL) {
        free(extent);
        return 0;
    }
    extent->start = (uintptr_t)memory;
    extent->bytes = bytes;
    extent->next = sim->dma->extents;
    sim->dma->extents = extent;
    return extent->start;
}

static gms_dma_block_t *gms_dma_new(uintptr_t address, gm_size_t capacity)
{
    gms_dma_block_t *block = calloc(1, sizeof(*block));

    if (block != NULL) {
        block->address = (void *)address;
        block->capacity = capacity;
    }
    return block;
}

static unsigned gms_dma_class(gm_size_t length)
{
    unsigned size_class = 0;

    while (((gm_size_t)GM_RDMA_GRANULARITY << size_class) < length) {
        ++size_class;
    }
    return size_class;
}

static gms_dma_block_t *gms_dma_take_small(gms_sim_t *sim, unsigned size_class)
{
    gms_dma_pool_t *pool = sim->dma;
    gm_size_t capacity = (gm_size_t)GM_RDMA_GRANULARITY << size_class;
    gms_dma_block_t *block = pool->small[size_class];

    if (block != NULL) {
        pool->small[size_class] = block->next;
        return block;
    }
    if (pool->slab_left < capacity) {
        uintptr_t slab = gms_dma_extend(sim, GMS_DMA_SLAB_BYTES);

        if (slab == 0) {
            return NULL;
        }
        pool->slab = slab;
        pool->slab_left = GMS_DMA_SLAB_BYTES;
    }
    block = gms_dma_new(pool->slab, capacity);
    if (block != NULL) {
        pool->slab += capacity;
        pool->slab_left -= capacity;
    }
    return block;
}

/* Find the smallest free block that is large enough. A block longer than twice
 * the requested length is not used. */
static gms_dma_block_t **gms_dma_find_large(gms_dma_pool_t *pool,
                                            gm_size_t bytes)
{
    gms_dma_block_t **best = NULL;
    gms_dma_block_t **link;

    for (link = &pool->large; *link != NULL; link = &(*link)->next) {
        gm_size_t capacity = (*link)->capacity;

        if (capacity >= bytes && capacity / 2 <= bytes &&
            (best == NULL || capacity < (*best)->capacity)) {
            best = link;
        }
    }
    return best;
}

static gms_dma_block_t *gms_dma_take_large(gms_sim_t *sim, gm_size_t length)
{
    gm_size_t bytes = (length + GMS_DMA_PAGE - 1) / GMS_DMA_PAGE * GMS_DMA_PAGE;
    gms_dma_block_t **link = gms_dma_find_large(sim->dma, bytes);
    gms_dma_block_t *block;
    uintptr_t memory;

    if (link != NULL) {
        block = *link;
        *link = block->next;
        return block;
    }
    memory = gms_dma_extend(sim, bytes);
    return memory != 0 ? gms_dma_new(memory, bytes) : NULL;
}

gms_dma_block_t *gms_dma_take(gms_sim_t *sim, gm_size_t length)
{
    gms_dma_block_t *block;
    unsigned size_class;

    if (length > GMS_ARENA_MAX_BYTES) {
        return NULL;
    }
    if (sim->dma == NULL) {
        sim->dma = calloc(1, sizeof(*sim->dma));
    }
    if (sim->dma == NULL) {
        return NULL;
    }
    size_class = gms_dma_class(length);
    block = size_class < GMS_DMA_CLASSES ? gms_dma_take_small(sim, size_class)
                                         : gms_dma_take_large(sim, length);
    if (block != NULL) {
        block->next = NULL;
        block->length = length;
        memset(block->address, 0, length);
    }
    return block;
}

void gms_dma_give(gms_sim_t *sim, gms_dma_block_t *block)
{
    gms_dma_block_t **list = &sim->dma->large;

    if (block->capacity < GMS_DMA_PAGE) {
        list = &sim->dma->small[gms_dma_class(block->capacity)];
    }
    block->next = *list;
    *list = block;
}

int gms_dma_owns(const gms_sim_t *sim, const void *address, gm_size_t length)
{
    const gms_dma_extent_t *extent;

    if (sim->dma == NULL) {
        return 0;
    }
    for (extent = sim->dma->extents; extent != NULL; extent = extent->next) {
        if ((uintptr_t)address >= extent->start &&
            (uintptr_t)address - extent->start <= extent->bytes &&
            length <= extent->bytes - ((uintptr_t)address - extent->start)) {
            return 1;
        }
    }
    return 0;
}
