/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of mpi_pipeline_bytes each, registered with GM, for data that are packed or unpacked on
 * their way. One is made at the start, the others when first needed; they are kept.
 */
#ifndef GM_CHUNK_H_INCLUDED
#define GM_CHUNK_H_INCLUDED

/* Most chunks of a message that are under way: what mpi_pipeline_depth may be. */
#define ADIGM_MAX_DEPTH 16
/* Messages of a process, in one direction, that can have all their chunks at once. */
#define ADIGM_POOL_MESSAGES 4

typedef struct adigm_pool {
    int n_made, n_most;
    int n_free;
    void *free[ADIGM_POOL_MESSAGES * ADIGM_MAX_DEPTH];
} adigm_pool_t;

/* Ends the job if GM cannot make one buffer. */
void adigm_pool_open(adigm_pool_t * pool);
/* All buffers are back. */
void adigm_pool_close(adigm_pool_t * pool);
int adigm_pool_has(const adigm_pool_t * pool);
/* NULL if all are in use. */
void *adigm_pool_take(adigm_pool_t * pool);
void adigm_pool_give(adigm_pool_t * pool, void *buffer);

#endif /* GM_CHUNK_H_INCLUDED */
