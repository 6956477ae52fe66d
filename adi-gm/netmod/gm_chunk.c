/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the pool of registered chunk buffers. The pool creates each buffer when it is
 * first needed, lends it to a message, and takes it back.
 */
#include "gm_impl.h"
#include "gm_chunk.h"

static int adigm_pool_make(adigm_pool_t * pool)
{
    void *buffer = gm_dma_malloc(adigm_net_port(), (gm_size_t) adigm.pipeline_bytes);
    if (buffer == NULL)
        return 0;
    pool->free[pool->n_free++] = buffer;
    pool->n_made++;
    return 1;
}

/* Create the first buffer immediately. A program may later register all remaining memory, but a
 * message always needs one buffer. */
void adigm_pool_open(adigm_pool_t * pool)
{
    memset(pool, 0, sizeof(*pool));
    pool->n_most = ADIGM_POOL_MESSAGES * adigm.pipeline_depth;
    if (!adigm_pool_make(pool))
        gmsim_fatal("MPI cannot start: GM cannot allocate %ld bytes for a chunk; increase "
                    "gm_registered_bytes or arena_bytes, or reduce mpi_pipeline_bytes",
                    (long) adigm.pipeline_bytes);
}

void adigm_pool_close(adigm_pool_t * pool)
{
    MPIR_Assert(pool->n_free == pool->n_made);
    while (pool->n_free > 0)
        gm_dma_free(adigm_net_port(), pool->free[--pool->n_free]);
    pool->n_made = 0;
}

int adigm_pool_has(const adigm_pool_t * pool)
{
    return pool->n_free > 0 || pool->n_made < pool->n_most;
}

void *adigm_pool_take(adigm_pool_t * pool)
{
    if (pool->n_free == 0 && pool->n_made < pool->n_most && !adigm_pool_make(pool))
        pool->n_most = pool->n_made;
    return pool->n_free > 0 ? pool->free[--pool->n_free] : NULL;
}

void adigm_pool_give(adigm_pool_t * pool, void *buffer)
{
    pool->free[pool->n_free++] = buffer;
}
