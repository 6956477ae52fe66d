/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the functions that allocate arena memory inside an event, where no
 * caller can handle an error.
 */
#ifndef NIC_ALLOC_H
#define NIC_ALLOC_H

#include <stddef.h>

#include "engine/engine.h"

/** Return zeroed memory of the arena. If the arena is full, the run ends with
 *  an error message that names the parameter to change. */
void *gms_nic_alloc(gms_ctx_t *ctx, size_t bytes);
/** Like gms_nic_alloc(), but zero only the first `zeroed` bytes; see
 *  gms_arena_alloc_raw(). */
void *gms_nic_alloc_raw(gms_ctx_t *ctx, size_t bytes, size_t zeroed);

#endif
