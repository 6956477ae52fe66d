/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Limits the random tests of cluster descriptions to small networks and little
 * memory.
 */
#include <string.h>
#include <sys/mman.h>

#include "cluster/cluster.h"
#include "parse.h"

/*
 * Larger networks are built in the same manner, but each of them takes longer
 * than thousands of small networks. Therefore, the tests refuse large networks.
 */
#define PARSE_HOSTS      64u
#define PARSE_ARENA      ((size_t)64 << 20)
#define PARSE_ARENA_HEAD ((size_t)64 << 10)

gms_status_t __real_gms_topology_create(gms_arena_t *arena,
                                        const gms_params_t *params,
                                        const gms_graph_t *graph,
                                        gms_topology_t **topology_p,
                                        char error[GMS_TOPOLOGY_ERROR_LEN]);
gms_status_t __wrap_gms_topology_create(gms_arena_t *arena,
                                        const gms_params_t *params,
                                        const gms_graph_t *graph,
                                        gms_topology_t **topology_p,
                                        char error[GMS_TOPOLOGY_ERROR_LEN]);

gms_status_t __wrap_gms_topology_create(gms_arena_t *arena,
                                        const gms_params_t *params,
                                        const gms_graph_t *graph,
                                        gms_topology_t **topology_p,
                                        char error[GMS_TOPOLOGY_ERROR_LEN])
{
    if (params->hosts > PARSE_HOSTS ||
        params->rows * params->columns > PARSE_HOSTS) {
        strcpy(error, PARSE_LEFT_OUT " (hosts)");
        return GMS_ERR_CONFIG;
    }
    return __real_gms_topology_create(arena, params, graph, topology_p, error);
}

/*
 * All networks use the same memory, because the system takes longer to allocate
 * and clear large pages than the reader takes to read.
 */
gms_status_t __wrap_gms_arena_create_private(uint64_t bytes,
                                             gms_arena_t **arena_p);
void __wrap_gms_arena_destroy_private(gms_arena_t *arena);

static int parse_is_arena_used;

gms_status_t __wrap_gms_arena_create_private(uint64_t bytes,
                                             gms_arena_t **arena_p)
{
    static void *memory;

    (void)bytes;
    if (memory == NULL) {
        memory = mmap(NULL, PARSE_ARENA, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        PARSE_CHECK(memory != MAP_FAILED, "out of memory");
    }
    PARSE_CHECK(!parse_is_arena_used, "an arena was not freed");
    parse_is_arena_used = 1;
    memset(memory, 0, PARSE_ARENA_HEAD);
    return gms_arena_format(memory, PARSE_ARENA, arena_p);
}

void __wrap_gms_arena_destroy_private(gms_arena_t *arena)
{
    PARSE_CHECK(arena == NULL || parse_is_arena_used,
                "an arena was freed twice");
    parse_is_arena_used = arena != NULL ? 0 : parse_is_arena_used;
}

void parse_check_arena(void)
{
    PARSE_CHECK(!parse_is_arena_used, "an arena was not freed");
}
