/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements pools of message buffers. The memory of a pool consists of chunks
 * of a few buffers. The bookkeeping is outside the buffers, because a program
 * may write to a buffer that it has freed.
 */
#include "nic/pool.h"

#include <string.h>

/* Number of buffers per chunk. The chunks of all ports are adjacent in the
 * arena, so a process accesses only a few pages. With larger chunks, a rank
 * that uses few buffers would need more memory. */
#define GMS_POOL_CHUNK_BUFFERS 4u

typedef struct gms_pool_chunk {
    struct gms_pool_chunk *next;
    uint64_t address;
} gms_pool_chunk_t;

/* Return the number of buffers per chunk. A chunk consists of whole pages,
 * because the NIC registers whole pages. */
static uint32_t gms_pool_chunk_count(const gms_pool_t *pool)
{
    uint64_t count = GMS_PAGE_BYTES / pool->bytes;

    return count > GMS_POOL_CHUNK_BUFFERS ? (uint32_t)count
                                          : GMS_POOL_CHUNK_BUFFERS;
}

/* Make room for the addresses of `count` buffers. */
static gms_status_t gms_pool_reserve(gms_arena_t *arena, gms_pool_t *pool,
                                     uint32_t count)
{
    uint32_t room = pool->room > count / 2 ? 2 * pool->room : 2 * count;
    uint64_t *larger;

    if (count <= pool->room) {
        return GMS_OK;
    }
    larger = gms_arena_alloc(arena, room * sizeof(*larger));
    if (larger == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    if (pool->free_count > 0) {
        memcpy(larger, pool->free, pool->free_count * sizeof(*larger));
    }
    gms_arena_free(arena, pool->free);
    pool->free = larger;
    pool->room = room;
    return GMS_OK;
}

/* Register a chunk and add its buffers. The buffer with the lowest address is
 * taken first. */
static gms_status_t gms_pool_add(gms_arena_t *arena, gms_pool_t *pool,
                                 gms_page_table_t *pages, uint64_t address)
{
    uint32_t count = gms_pool_chunk_count(pool);
    gms_status_t status = gms_pool_reserve(arena, pool, pool->count + count);

    if (status == GMS_OK) {
        status = gms_memory_add(arena, pages, address, count * pool->bytes);
    }
    if (status != GMS_OK) {
        return status;
    }
    pool->count += count;
    while (count-- > 0) {
        pool->free[pool->free_count++] = address + count * pool->bytes;
    }
    return GMS_OK;
}

gms_status_t gms_pool_open(gms_arena_t *arena, gms_pool_t *pool,
                           gms_page_table_t *pages, uint64_t bytes)
{
    const gms_pool_chunk_t *chunk;
    gms_status_t status = GMS_OK;

    if (pool->is_open) {
        return pool->bytes == bytes ? GMS_OK : GMS_ERR_INVALID_PARAM;
    }
    if (pool->bytes != bytes) {
        pool->chunks = NULL;
        pool->bytes = bytes;
    }
    pool->is_open = 1;
    for (chunk = pool->chunks; status == GMS_OK && chunk != NULL;
         chunk = chunk->next) {
        status = gms_pool_add(arena, pool, pages, chunk->address);
    }
    return status;
}

void gms_pool_close(gms_pool_t *pool)
{
    pool->is_open = 0;
    pool->free_count = 0;
    pool->count = 0;
}

static gms_status_t gms_pool_grow(gms_arena_t *arena, gms_pool_t *pool,
                                  gms_page_table_t *pages)
{
    gms_pool_chunk_t *chunk = gms_arena_alloc(arena, sizeof(*chunk));
    void *memory =
        gms_arena_alloc(arena, gms_pool_chunk_count(pool) * pool->bytes);

    if (chunk == NULL || memory == NULL ||
        gms_pool_add(arena, pool, pages, (uintptr_t)memory) != GMS_OK) {
        gms_arena_free(arena, chunk);
        gms_arena_free(arena, memory);
        return GMS_ERR_NO_MEMORY;
    }
    chunk->address = (uintptr_t)memory;
    chunk->next = pool->chunks;
    pool->chunks = chunk;
    return GMS_OK;
}

uint64_t gms_pool_take(gms_arena_t *arena, gms_pool_t *pool,
                       gms_page_table_t *pages)
{
    if (!pool->is_open || (pool->free_count == 0 &&
                           gms_pool_grow(arena, pool, pages) != GMS_OK)) {
        return 0;
    }
    return pool->free[--pool->free_count];
}

static int gms_pool_contains(const gms_pool_t *pool, uint64_t address)
{
    uint64_t bytes = gms_pool_chunk_count(pool) * pool->bytes;
    const gms_pool_chunk_t *chunk;

    for (chunk = pool->chunks; chunk != NULL; chunk = chunk->next) {
        if (address - chunk->address < bytes) {
            return (address - chunk->address) % pool->bytes == 0;
        }
    }
    return 0;
}

int gms_pool_give(gms_pool_t *pool, uint64_t address)
{
    if (pool->free_count >= pool->count || !gms_pool_contains(pool, address)) {
        return -1;
    }
    pool->free[pool->free_count++] = address;
    return 0;
}
