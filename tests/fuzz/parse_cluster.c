/* SPDX-License-Identifier: BSD-3-Clause */
/* Any bytes as a cluster description. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "config/cluster.h"
#include "parse.h"

/* Networks beyond are built in the same way, but each takes longer than thousands
 * of small ones: they are refused here. */
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
        strcpy(error, "left out (hosts)");
        return GMS_ERR_CONFIG;
    }
    return __real_gms_topology_create(arena, params, graph, topology_p, error);
}

/* The same memory for each: the system takes longer to give and clear large
 * pages than the reader takes to read. */
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
        PARSE_CHECK(memory != MAP_FAILED, "no memory");
    }
    PARSE_CHECK(!parse_is_arena_used, "an arena was not given back");
    parse_is_arena_used = 1;
    memset(memory, 0, PARSE_ARENA_HEAD);
    return gms_arena_format(memory, PARSE_ARENA, arena_p);
}

void __wrap_gms_arena_destroy_private(gms_arena_t *arena)
{
    PARSE_CHECK(arena == NULL || parse_is_arena_used, "given back twice");
    parse_is_arena_used = arena != NULL ? 0 : parse_is_arena_used;
}

const char *const *parse_words(void)
{
    static const char *const others[] = {
        "profile",
        "parameters",
        "switches",
        "cables",
        "placement",
        "host_topology",
        "fabric",
        "faults",
        "lanai4.3",
        "myrinet2000",
        "crossbar",
        "cascade",
        "clos",
        "fat-tree",
        "mesh",
        "torus",
        "graph",
        "updown",
        "auto",
        "block",
        "cyclic",
        "node1",
        "node2: [0, 1..3]",
        "model",
        "flit",
        "lanes",
        "events",
        "at_us",
        "for_us",
        "link",
        "node",
        "reset_nic",
        "kill_rank",
        "kill_node",
        "stop",
        "random",
        "drop",
        "damage",
        "measured:2.5",
        "pack:2 core:2 pu:1",
        "- host 1 to switch 0",
        "- switch 0 port 1 to switch 1 port 2",
        "{at_us: 1, node: 1}",
    };
    static const char *words[512];
    const gms_param_t *row = gms_param_table;
    size_t count = sizeof(others) / sizeof(others[0]);

    if (words[0] == NULL) {
        memcpy(words, others, sizeof(others));
        for (; row->name != NULL && count < 511; ++row) {
            words[count++] = row->name;
        }
    }
    return words;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[GMS_CLUSTER_ERROR_LEN];
    gms_cluster_t cluster;

    memset(&cluster, 0xa5, sizeof(cluster));
    memset(error, 'x', sizeof(error));
    parse_file_set(data, size);
    if (gms_cluster_load(PARSE_NAME, &cluster, error) != GMS_OK) {
        parse_check_error(error, sizeof(error));
        PARSE_CHECK(!parse_is_arena_used, "an arena was not given back");
        return 0;
    }
    error[0] = '\0';
    PARSE_CHECK(gms_cluster_check(&cluster, error) == GMS_OK,
                "read, but refused: %s", error);
    PARSE_CHECK(cluster.profile != NULL &&
                    memchr(cluster.host_topology, '\0',
                           sizeof(cluster.host_topology)) != NULL,
                "what was read");
    gms_cluster_clear(&cluster);
    PARSE_CHECK(!parse_is_arena_used, "an arena was not given back");
    return 0;
}
