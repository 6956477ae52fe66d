/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares a heap of actors (sources and connections), ordered by the cycle at
 * which they act next. If two actors have the same cycle, the actor with the
 * lower number is first.
 */
#ifndef HCASIM_HEAP_H
#define HCASIM_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct gms_qos_sim_event {
    uint64_t cycle;
    uint32_t actor;
} gms_qos_sim_event_t;

typedef struct gms_qos_sim_heap {
    gms_qos_sim_event_t *event;
    size_t count, room;
} gms_qos_sim_heap_t;

/** Creates an empty heap. @param [in] room maximum number of actors; the heap
 *  contains each actor at most once */
gms_status_t gms_qos_sim_heap_init(gms_qos_sim_heap_t *heap, uint32_t room);
void gms_qos_sim_heap_cleanup(gms_qos_sim_heap_t *heap);
void gms_qos_sim_heap_add(gms_qos_sim_heap_t *heap, uint64_t cycle,
                          uint32_t actor);
/** Removes and returns the first actor. Call this function only if count >
 *  0. */
gms_qos_sim_event_t gms_qos_sim_heap_take(gms_qos_sim_heap_t *heap);
/** Returns the cycle of the first actor, or UINT64_MAX if the heap is empty. */
static inline uint64_t gms_qos_sim_heap_next(const gms_qos_sim_heap_t *heap)
{
    return (heap->count > 0) ? heap->event[0].cycle : UINT64_MAX;
}

#endif
