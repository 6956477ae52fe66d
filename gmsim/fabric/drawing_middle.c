/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the middle of a network by breadth-first searches from its switches.
 * Each search finds the largest distance from its root to any other switch.
 * These distances also provide lower limits for the largest distances of all
 * other switches. A switch whose lower limit is not below the best result so
 * far needs no search.
 */
#include "fabric/drawing_middle.h"

#include <stdlib.h>
#include <string.h>

/** Maximum total number of switches and cables that the searches visit. */
#define GMS_DRAWING_VISITS_MAX UINT64_C(200000000)

typedef struct gms_drawing_graph {
    uint32_t count;      /* number of switches */
    size_t *first;       /* index in `neighbour` of each switch's first entry;
                          * the last element is the end of the last switch's
                          * entries */
    uint32_t *neighbour; /* neighbours of all switches; every cable has two
                          * entries */
    uint32_t *distance;  /* distance of each switch from the root of the latest
                          * search, or UINT32_MAX if there is no path */
    uint32_t *queue;
    uint32_t *at_least; /* lower limit of the largest distance of each switch;
                         * UINT32_MAX if a search has already started at this
                         * switch */
} gms_drawing_graph_t;

static void gms_drawing_graph_free(gms_drawing_graph_t *graph)
{
    free(graph->first);
    free(graph->neighbour);
    free(graph->distance);
    free(graph->queue);
    free(graph->at_least);
}

static gms_status_t gms_drawing_graph_init(gms_drawing_graph_t *graph,
                                           const gms_drawing_t *drawing)
{
    size_t count = drawing->switch_count, i;
    size_t *first = calloc(count + 2, sizeof(*first));

    *graph = (gms_drawing_graph_t){
        .count = drawing->switch_count,
        .first = first,
        .neighbour = calloc(2 * drawing->cable_count + 1, sizeof(uint32_t)),
        .distance = calloc(count + 1, sizeof(uint32_t)),
        .queue = calloc(count + 1, sizeof(uint32_t)),
        .at_least = calloc(count + 1, sizeof(uint32_t))};
    if (first == NULL || graph->neighbour == NULL || graph->distance == NULL ||
        graph->queue == NULL || graph->at_least == NULL) {
        gms_drawing_graph_free(graph);
        return GMS_ERR_NO_MEMORY;
    }
    /* Count the neighbours of switch i in first[i + 2]. After the counts have
     * been summed up, first[i + 1] is the next free entry of switch i. After
     * all cables have been stored, first[i + 1] is the end of the entries of
     * switch i. */
    for (i = 0; i < drawing->cable_count; ++i) {
        ++first[drawing->cables[i].a + 2];
        ++first[drawing->cables[i].b + 2];
    }
    for (i = 2; i < count + 2; ++i) {
        first[i] += first[i - 1];
    }
    for (i = 0; i < drawing->cable_count; ++i) {
        uint32_t a = drawing->cables[i].a, b = drawing->cables[i].b;

        graph->neighbour[first[a + 1]++] = b;
        graph->neighbour[first[b + 1]++] = a;
    }
    return GMS_OK;
}

/** Compute the distances of all switches from `root`.
 *  @return the largest distance */
static uint32_t gms_drawing_search(gms_drawing_graph_t *graph, uint32_t root)
{
    uint32_t head = 0, tail = 0;

    memset(graph->distance, 0xff, graph->count * sizeof(*graph->distance));
    graph->distance[root] = 0;
    graph->queue[tail++] = root;
    while (head < tail) {
        uint32_t at = graph->queue[head++];
        size_t i;

        for (i = graph->first[at]; i < graph->first[at + 1]; ++i) {
            uint32_t next = graph->neighbour[i];

            if (graph->distance[next] == UINT32_MAX) {
                graph->distance[next] = graph->distance[at] + 1;
                graph->queue[tail++] = next;
            }
        }
    }
    return graph->distance[graph->queue[tail - 1]];
}

/** Raise the lower limits of all switches after a search. The distance of
 *  switch s from the root is `distance[s]`, and its distance from the switch
 *  that is farthest from the root is at least `farthest - distance[s]`. */
static void gms_drawing_raise(gms_drawing_graph_t *graph, uint32_t farthest)
{
    uint32_t i;

    for (i = 0; i < graph->count; ++i) {
        uint32_t distance = graph->distance[i];
        uint32_t other = farthest - distance;
        uint32_t limit = distance > other ? distance : other;

        if (distance != UINT32_MAX && limit > graph->at_least[i]) {
            graph->at_least[i] = limit;
        }
    }
}

/** Return the unsearched switch with the smallest lower limit (the first such
 *  switch), or UINT32_MAX if no other switch can be a better middle than
 *  `best`. */
static uint32_t gms_drawing_candidate(const gms_drawing_graph_t *graph,
                                      uint32_t best, uint32_t least)
{
    uint32_t candidate = UINT32_MAX, i;

    for (i = 0; i < graph->count; ++i) {
        uint32_t limit = graph->at_least[i];

        if ((limit < least || (limit == least && i < best)) &&
            (candidate == UINT32_MAX || limit < graph->at_least[candidate])) {
            candidate = i;
        }
    }
    return candidate;
}

gms_status_t gms_drawing_middle(const gms_drawing_t *drawing,
                                uint32_t *distance)
{
    uint64_t visits = 0, each = 3 * (uint64_t)drawing->switch_count +
                                2 * (uint64_t)drawing->cable_count;
    uint32_t best = 0, least = UINT32_MAX, root = 0, i;
    gms_drawing_graph_t graph;

    if (gms_drawing_graph_init(&graph, drawing) != GMS_OK) {
        return GMS_ERR_NO_MEMORY;
    }
    while (root < graph.count && visits < GMS_DRAWING_VISITS_MAX) {
        uint32_t farthest = gms_drawing_search(&graph, root);

        if (farthest < least || (farthest == least && root < best)) {
            least = farthest;
            best = root;
        }
        gms_drawing_raise(&graph, farthest);
        graph.at_least[root] = UINT32_MAX;
        root = gms_drawing_candidate(&graph, best, least);
        visits += each;
    }
    if (graph.count > 0) {
        (void)gms_drawing_search(&graph, best);
    }
    for (i = 0; i < graph.count; ++i) {
        distance[i] = graph.distance[i] == UINT32_MAX ? 0 : graph.distance[i];
    }
    gms_drawing_graph_free(&graph);
    return GMS_OK;
}
