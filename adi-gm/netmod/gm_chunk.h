/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the pool of buffers for data that are packed or unpacked during a transfer. Every buffer
 * has mpi_pipeline_bytes bytes and is registered with GM. The first buffer is created at startup,
 * and every other buffer when it is first needed. The process keeps all buffers until
 * MPI_Finalize().
 */
#ifndef GM_CHUNK_H_INCLUDED
#define GM_CHUNK_H_INCLUDED

/* Largest number of chunks of a message that are in flight: the largest value of
 * mpi_pipeline_depth. */
#define ADIGM_MAX_DEPTH 16
/* Number of messages, per process and direction, that can have their full number of chunks in
 * flight at the same time. */
#define ADIGM_POOL_MESSAGES 4

typedef struct adigm_pool {
    int n_made, n_most;
    int n_free;
    void *free[ADIGM_POOL_MESSAGES * ADIGM_MAX_DEPTH];
} adigm_pool_t;

/* Create the pool. If GM cannot create a single buffer, the function ends the job. */
void adigm_pool_open(adigm_pool_t * pool);
/* Free the pool. All buffers must have been returned before this call. */
void adigm_pool_close(adigm_pool_t * pool);
int adigm_pool_has(const adigm_pool_t * pool);
/* Return a free buffer, or NULL if all buffers are in use. */
void *adigm_pool_take(adigm_pool_t * pool);
void adigm_pool_give(adigm_pool_t * pool, void *buffer);

#endif /* GM_CHUNK_H_INCLUDED */
