/* SPDX-License-Identifier: BSD-3-Clause */
/* A binary heap. */
#include "hcasim/heap.h"

#include <stdlib.h>

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

static int gms_qos_sim_is_before(gms_qos_sim_event_t a, gms_qos_sim_event_t b)
{
    return (a.cycle < b.cycle) || ((a.cycle == b.cycle) && (a.actor < b.actor));
}

void gms_qos_sim_heap_add(gms_qos_sim_heap_t *heap, uint64_t cycle,
                          uint32_t actor)
{
    gms_qos_sim_event_t event = {.cycle = cycle, .actor = actor};
    uint32_t at = heap->count++, up;

    for (; at > 0; at = up) {
        up = (at - 1) / 2;
        if (!gms_qos_sim_is_before(event, heap->event[up])) {
            break;
        }
        heap->event[at] = heap->event[up];
    }
    heap->event[at] = event;
}

gms_qos_sim_event_t gms_qos_sim_heap_take(gms_qos_sim_heap_t *heap)
{
    gms_qos_sim_event_t first = heap->event[0];
    gms_qos_sim_event_t event = heap->event[--heap->count];
    uint32_t at = 0, down;

    for (; (down = 2 * at + 1) < heap->count; at = down) {
        if ((down + 1 < heap->count) &&
            gms_qos_sim_is_before(heap->event[down + 1], heap->event[down])) {
            down++;
        }
        if (!gms_qos_sim_is_before(heap->event[down], event)) {
            break;
        }
        heap->event[at] = heap->event[down];
    }
    heap->event[at] = event;
    return first;
}
