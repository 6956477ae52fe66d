/* SPDX-License-Identifier: BSD-3-Clause */
#include "gm_impl.h"
#include "gm_chunk.h"

void adigm_pool_open(adigm_pool_t * pool)
{
    memset(pool, 0, sizeof(*pool));
    pool->n_most = ADIGM_POOL_MESSAGES * adigm.pipeline_depth;
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
    if (pool->n_free == 0 && pool->n_made < pool->n_most) {
        void *buffer = gm_dma_malloc(adigm_net_port(), (gm_size_t) adigm.pipeline_bytes);
        if (buffer) {
            pool->free[pool->n_free++] = buffer;
            pool->n_made++;
        } else if (pool->n_made == 0) {
            gmsim_fatal("MPI: GM has no %ld bytes left for a message that must be packed; "
                        "a larger gm_registered_bytes or arena_bytes helps",
                        (long) adigm.pipeline_bytes);
        } else {
            pool->n_most = pool->n_made;
        }
    }
    return pool->n_free > 0 ? pool->free[--pool->n_free] : NULL;
}

void adigm_pool_give(adigm_pool_t * pool, void *buffer)
{
    pool->free[pool->n_free++] = buffer;
}
