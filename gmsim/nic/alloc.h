/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allocation of arena memory inside an event, where no caller can handle an
 * error.
 */
#ifndef NIC_ALLOC_H
#define NIC_ALLOC_H

#include <stddef.h>

#include "engine/engine.h"

/** Zeroed memory of the arena; a full arena ends the run with advice. */
void *gms_nic_alloc(gms_ctx_t *ctx, size_t bytes);
/** The same of which only the first `zeroed` bytes are; see
 *  gms_arena_alloc_raw(). */
void *gms_nic_alloc_raw(gms_ctx_t *ctx, size_t bytes, size_t zeroed);

#endif
