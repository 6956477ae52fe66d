/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks that the topology of a description is valid. The check builds the
 * topology and discards it.
 */
#include "cluster/cluster_int.h"

#include <string.h>

/* Size of the address space for the check. The kernel allocates pages only
 * when they are used. If a process cannot allocate this size (for example,
 * because of valgrind or ulimit -v), it halves the size until the allocation
 * succeeds. */
#define GMS_CLUSTER_ARENA_BYTES (UINT64_C(64) << 30)
#define GMS_CLUSTER_LEAST_BYTES (UINT64_C(64) << 20)

/* Parameters that define a topology. An error message of gms_topology_create()
 * contains the name of one of these parameters. */
static const char *const gms_cluster_shape[] = {
    "hosts",   "units_per_host",   "topology", "routing",      "rows",
    "columns", "hosts_per_switch", "tree_up",  "switch_ports", NULL,
};

#define GMS_KIND(_name) (1u << GMS_TOPOLOGY_##_name)

/* Keys that are used by only some topologies. */
static const struct {
    const char *key;
    unsigned kinds; /* set of kinds, as bits numbered by enum
                     * gms_topology_kind */
} gms_cluster_meaning[] = {
    {"rows", GMS_KIND(MESH) | GMS_KIND(TORUS)},
    {"columns", GMS_KIND(MESH) | GMS_KIND(TORUS)},
    {"hosts_per_switch", GMS_KIND(CASCADE) | GMS_KIND(CLOS) |
                             GMS_KIND(FAT_TREE) | GMS_KIND(MESH) |
                             GMS_KIND(TORUS)},
    {"tree_up", GMS_KIND(CLOS) | GMS_KIND(FAT_TREE)},
    {"switch_ports", ~GMS_KIND(GRAPH)},
};

/* Reject a key that the topology does not use, because the key would otherwise
 * be ignored silently. If a key permits the value 0, this value lets the
 * topology choose. The value 0 is therefore accepted for every topology. */
gms_status_t gms_loader_shape(gms_loader_t *loader)
{
    const gms_params_t *params = &gms_cluster_draft(loader)->cluster.params;
    const char *const *names = gms_param_find("topology")->names;
    size_t i;

    for (i = 0; i < sizeof(gms_cluster_meaning) / sizeof(*gms_cluster_meaning);
         ++i) {
        const gms_param_t *row = gms_param_find(gms_cluster_meaning[i].key);
        size_t line = gms_cluster_draft(loader)->lines[row - gms_param_table];
        unsigned kinds = gms_cluster_meaning[i].kinds, kind;
        const char *comma = "";

        if (line == 0 || gms_param_get(params, row) == 0 ||
            (kinds >> params->topology & 1)) {
            continue;
        }
        (void)gms_loader_fail(
            loader, line,
            "key '%s' is not used by topology '%s'; allowed with: ", row->name,
            names[params->topology]);
        for (kind = 0; names[kind] != NULL; ++kind) {
            if (kinds >> kind & 1) {
                gms_yaml_append(loader->error, "%s%s", comma, names[kind]);
                comma = ", ";
            }
        }
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_cluster_build(const gms_cluster_t *cluster,
                               gms_arena_t **arena_p,
                               gms_topology_t **topology_p,
                               char error[GMS_TOPOLOGY_ERROR_LEN])
{
    uint64_t bytes = GMS_CLUSTER_ARENA_BYTES;
    gms_arena_t *arena;
    gms_status_t status = gms_arena_create_private(bytes, &arena);

    while (status == GMS_ERR_NO_MEMORY && bytes > GMS_CLUSTER_LEAST_BYTES) {
        bytes /= 2;
        status = gms_arena_create_private(bytes, &arena);
    }
    if (status != GMS_OK) {
        strcpy(error, "not enough memory for the network; raise the limits on "
                      "address space (ulimit -v) and data (ulimit -d)");
        return status;
    }
    status = gms_topology_create(arena, &cluster->params, &cluster->graph,
                                 topology_p, error);
    if (status != GMS_OK) {
        gms_arena_destroy_private(arena);
        return status;
    }
    *arena_p = arena;
    return GMS_OK;
}

/** Return the position of a parameter's name in a message, as a whole word;
 * NULL if the message does not contain the name. A name without an underscore
 * is found only in brackets, because words such as "hosts" also occur with
 * other meanings. */
static const char *gms_cluster_mention(const char *text, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
    int is_plain = strchr(name, '_') == NULL, depth = 0;
    size_t len = strlen(name);
    const char *p;

    for (p = text; *p != '\0'; ++p) {
        depth += (*p == '(') - (*p == ')');
        if ((depth > 0 || !is_plain) && strncmp(p, name, len) == 0 &&
            (p == text || strchr(letters, p[-1]) == NULL) &&
            (p[len] == '\0' || strchr(letters, p[len]) == NULL)) {
            return p;
        }
    }
    return NULL;
}

const gms_param_t *gms_cluster_blame(const char *text, const size_t *lines)
{
    const gms_param_t *best = NULL, *row;
    const char *const *name, *first = NULL, *found;

    for (name = gms_cluster_shape; *name != NULL; ++name) {
        row = gms_param_find(*name);
        found = gms_cluster_mention(text, *name);
        if (found != NULL && (first == NULL || found < first) &&
            (lines == NULL || lines[row - gms_param_table] != 0)) {
            first = found;
            best = row;
        }
    }
    if (best != NULL) {
        return best;
    }
    row = gms_param_find("topology");
    return (lines == NULL || lines[row - gms_param_table] != 0)
               ? row
               : gms_param_find("hosts");
}
