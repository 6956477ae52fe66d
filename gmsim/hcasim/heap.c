/* SPDX-License-Identifier: BSD-3-Clause */
/* Defines the order of the actors in the heap that heap.h declares. The file
 * base/heap.h implements the heap. */
#include "hcasim/heap.h"

#include <stdlib.h>

#include "base/heap.h"

gms_status_t gms_qos_sim_heap_init(gms_qos_sim_heap_t *heap, uint32_t room)
{
    heap->event = calloc((room > 0) ? room : 1, sizeof(*heap->event));
    heap->count = 0;
    heap->room = room;
    return (heap->event != NULL) ? GMS_OK : GMS_ERR_NO_MEMORY;
}

void gms_qos_sim_heap_cleanup(gms_qos_sim_heap_t *heap)
{
    free(heap->event);
}

static int gms_qos_sim_is_before(const gms_qos_sim_heap_t *heap,
                                 const gms_qos_sim_event_t *a,
                                 const gms_qos_sim_event_t *b)
{
    (void)heap;
    return (a->cycle != b->cycle) ? (a->cycle < b->cycle)
                                  : (a->actor < b->actor);
}

GMS_HEAP_DEFINE(gms_qos_sim_events, gms_qos_sim_event_t,
                const gms_qos_sim_heap_t *, gms_qos_sim_is_before,
                GMS_HEAP_UNMOVED);

void gms_qos_sim_heap_add(gms_qos_sim_heap_t *heap, uint64_t cycle,
                          uint32_t actor)
{
    gms_qos_sim_event_t event = {.cycle = cycle, .actor = actor};

    gms_qos_sim_events_add(heap, heap->event, &heap->count, event);
}

gms_qos_sim_event_t gms_qos_sim_heap_take(gms_qos_sim_heap_t *heap)
{
    return gms_qos_sim_events_take(heap, heap->event, &heap->count);
}
