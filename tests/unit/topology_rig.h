/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds topologies for tests, each in its own arena. */
#ifndef TESTS_UNIT_TOPOLOGY_RIG_H
#define TESTS_UNIT_TOPOLOGY_RIG_H

#include "unit.h"

#include <string.h>

#include "fabric/topology_int.h"

static gms_arena_t *arena;
static gms_params_t params;
static gms_topology_t *topology;
static char error[GMS_TOPOLOGY_ERROR_LEN];

static void setup(void)
{
    gms_params_init(&params);
    topology = NULL;
    CU_ASSERT_EQUAL_FATAL(gms_arena_create_private(UINT64_C(256) << 20, &arena),
                          GMS_OK);
}

static void teardown(void)
{
    gms_arena_destroy_private(arena);
}

/* Destroys the previous topology, and builds a topology from params and
 * graph. */
static void build_graph(const gms_graph_t *graph)
{
    gms_topology_destroy(arena, topology);
    topology = NULL;
    if (gms_topology_create(arena, &params, graph, &topology, error) !=
        GMS_OK) {
        printf("\n    %s\n", error);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(topology);
    CU_ASSERT_STRING_EQUAL(error, "");
}

static inline void build(unsigned kind, unsigned hosts)
{
    params.topology = kind;
    params.hosts = hosts;
    build_graph(NULL);
}

static inline void refuse_graph(const gms_graph_t *graph, const char *text)
{
    gms_topology_t *none = NULL;
    uint64_t before, after, total;

    gms_arena_usage(arena, &before, &total);
    CU_ASSERT_EQUAL(gms_topology_create(arena, &params, graph, &none, error),
                    GMS_ERR_CONFIG);
    gms_arena_usage(arena, &after, &total);
    CHECK_U64(after, before);
    CU_ASSERT_PTR_NULL(none);
    if (strcmp(error, text) != 0) {
        printf("\n    %s\n    expected\n    %s\n", error, text);
    }
    CU_ASSERT_STRING_EQUAL(error, text);
}

static inline void refuse(unsigned kind, unsigned hosts, const char *text)
{
    params.topology = kind;
    params.hosts = hosts;
    refuse_graph(NULL, text);
}

/* Checks the output ports at the switches of a route, for example "1 0 5". Node
 * numbers start at 0. */
static inline void check_ports(unsigned source, unsigned target,
                               const char *expected)
{
    gms_route_t route;
    char text[4 * GMS_ROUTE_MAX + 1] = "";
    size_t used = 0;
    unsigned hop;

    gms_topology_route(topology, source, target, &route);
    for (hop = 0; hop < route.hops; ++hop) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%u",
                                 hop == 0 ? "" : " ", route.port[hop]);
    }
    if (strcmp(text, expected) != 0) {
        printf("\n    %u to %u: %s, expected %s\n", source, target, text,
               expected);
    }
    CU_ASSERT_STRING_EQUAL(text, expected);
}

#endif
