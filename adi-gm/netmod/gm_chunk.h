/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers of mpi_pipeline_bytes each, registered with GM, for data that are packed or unpacked
 * during a transfer. One buffer is created at the start, the others when they are first needed. All
 * of them are kept until the end.
 */
#ifndef GM_CHUNK_H_INCLUDED
#define GM_CHUNK_H_INCLUDED

/* Largest number of chunks of a message in flight: the largest value of mpi_pipeline_depth. */
#define ADIGM_MAX_DEPTH 16
/* Number of messages of a process, in one direction, that can have all their chunks at once. */
#define ADIGM_POOL_MESSAGES 4

typedef struct adigm_pool {
    int n_made, n_most;
    int n_free;
    void *free[ADIGM_POOL_MESSAGES * ADIGM_MAX_DEPTH];
} adigm_pool_t;

/* Ends the job if GM cannot create one buffer. */
void adigm_pool_open(adigm_pool_t * pool);
/* All buffers must have been returned. */
void adigm_pool_close(adigm_pool_t * pool);
int adigm_pool_has(const adigm_pool_t * pool);
/* Returns NULL if all buffers are in use. */
void *adigm_pool_take(adigm_pool_t * pool);
void adigm_pool_give(adigm_pool_t * pool, void *buffer);

#endif /* GM_CHUNK_H_INCLUDED */
