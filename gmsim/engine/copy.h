/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Bytes between the simulated NICs and a process's memory.
 *
 * Memory inside the arena is reached directly. Private memory of another
 * process is reached by process_vm_readv/writev where a probe at start found
 * that allowed; elsewhere the owner stages: what it sends is copied into the
 * arena when it is posted (gms_copy_stage), what it receives is queued and
 * taken in at its next turn (gms_copy_take_in). Same bytes, same virtual time.
 */
#ifndef ENGINE_COPY_H
#define ENGINE_COPY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"

/** 1 if this process's private memory can be reached from the others. */
int gms_copy_is_direct(const gms_ctx_t *ctx);
/**
 * For memory that others cannot reach: copy it into the arena.
 * @param [out] staged_p  the copy (freed by whoever consumes it,
 *                        gms_arena_free), or NULL if no staging is needed
 * @return GMS_OK, GMS_ERR_NO_MEMORY (the arena is full)
 */
gms_status_t gms_copy_stage(gms_ctx_t *ctx, const void *source, size_t bytes,
                            void **staged_p);
/** @return GMS_OK; GMS_ERR_SYSTEM if the memory is not there (any more) */
gms_status_t gms_copy_read(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                           void *to, size_t bytes);
gms_status_t gms_copy_write(gms_ctx_t *ctx, unsigned rank, uint64_t address,
                            const void *from, size_t bytes);
/** Take queued writes into the caller's own memory; lock held. */
void gms_copy_take_in(gms_ctx_t *ctx);

#endif
