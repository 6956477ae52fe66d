/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the key `placement:` of a cluster description. Its value is a word,
 * which sets the parameter of the same name, or a mapping from hosts to their
 * ranks.
 */
#include "cluster/cluster_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of ranks: 16384 hosts with 253 ranks each. */
#define GMS_PLACEMENT_RANKS 4145152u

/** The hosts of the ranks while the mapping is being read. */
struct gms_placement_draft {
    uint32_t *hosts; /* [ranks]: host + 1; 0: the rank has no host yet */
    uint32_t end;    /* highest rank that has been read, plus 1 */
    uint32_t host;   /* host whose ranks are being read */
    uint32_t taken;  /* number of ranks of this host that have been read */
    size_t *lines;   /* [hosts]: line that lists the host's ranks; 0: no line
                      * yet */
};

static gms_status_t gms_loader_place_rank(gms_loader_t *loader,
                                          const yaml_node_t *value,
                                          const char *key, uint32_t rank)
{
    struct gms_placement_draft *draft = gms_cluster_draft(loader)->placing;
    uint32_t most =
        gms_placement_most(&gms_cluster_draft(loader)->cluster.params);
    gms_status_t status;

    if (draft->hosts[rank] != 0) {
        status = gms_loader_begin_value(loader, key, value);
        gms_yaml_append(loader->error,
                        ": rank %u is already placed on " GMS_HOST_PREFIX "%u",
                        rank, draft->hosts[rank]);
        return status;
    }
    if (++draft->taken > most) {
        status = gms_loader_begin_value(loader, key, value);
        gms_yaml_append(
            loader->error,
            ": the host has more ranks than its NIC has user ports; allowed: "
            "%u (gm_ports %llu minus 3 reserved ports)",
            most,
            (unsigned long long)gms_cluster_draft(loader)
                ->cluster.params.gm_ports);
        return status;
    }
    draft->hosts[rank] = draft->host + 1;
    if (rank >= draft->end) {
        draft->end = rank + 1;
    }
    return GMS_OK;
}

/** Parse a rank, or one end of a range. @return 0 if the text is not a rank */
static int gms_placement_rank(const char *text, size_t length, uint64_t *rank_p)
{
    char digits[8];

    if (length == 0 || length >= sizeof(digits) ||
        strspn(text, "0123456789") < length) {
        return 0;
    }
    memcpy(digits, text, length);
    digits[length] = '\0';
    return gms_yaml_number(digits, rank_p) == GMS_NUMBER_OK &&
           *rank_p < GMS_PLACEMENT_RANKS;
}

/** Read "3" or "1..4". */
static gms_status_t gms_loader_place_range(gms_loader_t *loader,
                                           const yaml_node_t *value,
                                           const char *key)
{
    const char *text = gms_yaml_scalar(value);
    const char *dots = text != NULL ? strstr(text, "..") : NULL;
    gms_status_t status = GMS_OK;
    uint64_t first = 0, last = 0;
    int is_right = 0;

    if (text != NULL && dots == NULL) {
        is_right = gms_placement_rank(text, strlen(text), &first);
        last = first;
    } else if (text != NULL) {
        is_right = gms_placement_rank(text, (size_t)(dots - text), &first) &&
                   gms_placement_rank(dots + 2, strlen(dots + 2), &last) &&
                   first <= last;
    }
    if (!is_right) {
        status = gms_loader_begin_value(loader, key, value);
        gms_yaml_append(loader->error,
                        "%s not a rank; allowed: a rank such as 3, a range "
                        "such as 1..4, or a list such as [0, 2..3]",
                        value->type == YAML_SCALAR_NODE ? " is" : ",");
        return status;
    }
    for (; status == GMS_OK && first <= last; ++first) {
        status = gms_loader_place_rank(loader, value, key, (uint32_t)first);
    }
    return status;
}

/** Read one line "node2: 1..2" of the mapping. */
static gms_status_t gms_loader_place_host(gms_loader_t *loader, const char *key,
                                          size_t line, const yaml_node_t *value)
{
    struct gms_placement_draft *draft = gms_cluster_draft(loader)->placing;
    const gms_params_t *params = &gms_cluster_draft(loader)->cluster.params;
    const yaml_node_item_t *item;
    gms_status_t status = GMS_OK;

    if (gms_placement_find_host(params, key, strlen(key), &draft->host) !=
        GMS_OK) {
        status = gms_loader_begin(loader, line);
        gms_yaml_append(loader->error, "key 'placement': ");
        gms_yaml_append_quoted(loader->error, key, strlen(key));
        gms_yaml_append(loader->error,
                        " is not a host; allowed: " GMS_HOST_PREFIX
                        "1.." GMS_HOST_PREFIX "%llu",
                        (unsigned long long)params->hosts);
        return status;
    }
    if (draft->lines[draft->host] != 0) {
        return gms_loader_fail(loader, line,
                               "key '%s' is given twice, first on line %zu",
                               key, draft->lines[draft->host]);
    }
    draft->lines[draft->host] = line;
    draft->taken = 0;
    if (value->type != YAML_SEQUENCE_NODE) {
        return gms_loader_place_range(loader, value, key);
    }
    for (item = value->data.sequence.items.start;
         status == GMS_OK && item < value->data.sequence.items.top; ++item) {
        status = gms_loader_place_range(
            loader, yaml_document_get_node(loader->document, *item), key);
    }
    return status;
}

/** Read all lines, and check that the ranks are numbered 0, 1, 2, .. without a
 *  gap. */
static gms_status_t gms_loader_place_hosts(gms_loader_t *loader,
                                           const yaml_node_t *mapping)
{
    struct gms_placement_draft *draft = gms_cluster_draft(loader)->placing;
    gms_status_t status =
        gms_loader_mapping(loader, mapping, gms_loader_place_host);
    uint32_t rank;

    for (rank = 0; status == GMS_OK && rank < draft->end; ++rank) {
        if (draft->hosts[rank] == 0) {
            return gms_loader_fail(
                loader, gms_cluster_draft(loader)->placement.line,
                "key 'placement': rank %u has no host, but rank %u has one; "
                "required: hosts for consecutive ranks, starting with rank 0",
                rank, draft->end - 1);
        }
    }
    if (status == GMS_OK && draft->end == 0) {
        status =
            gms_loader_fail(loader, gms_cluster_draft(loader)->placement.line,
                            "key 'placement': no rank has a host; required: "
                            "lines like 'node1: [0, 3]'");
    }
    return status;
}

/** Copy the hosts of the ranks into a placement. @return 0 if there is no
 *  memory */
static int gms_placement_keep(const struct gms_placement_draft *draft,
                              gms_placement_t *placement)
{
    uint32_t rank;

    placement->hosts = malloc(draft->end * sizeof(*placement->hosts));
    if (placement->hosts == NULL) {
        return 0;
    }
    for (rank = 0; rank < draft->end; ++rank) {
        placement->hosts[rank] = draft->hosts[rank] - 1;
    }
    placement->count = draft->end;
    return 1;
}

static gms_status_t gms_loader_place_listed(gms_loader_t *loader,
                                            const yaml_node_t *mapping)
{
    size_t hosts = gms_cluster_draft(loader)->cluster.params.hosts;
    struct gms_placement_draft draft = {.end = 0};
    gms_status_t status;

    /* The system allocates the pages of calloc() only when they are first used,
     * so a large array does not waste memory. */
    draft.hosts = calloc(GMS_PLACEMENT_RANKS, sizeof(*draft.hosts));
    draft.lines = calloc(hosts, sizeof(*draft.lines));
    if (draft.hosts == NULL || draft.lines == NULL) {
        status =
            gms_loader_fail(loader, gms_cluster_draft(loader)->placement.line,
                            "cannot be read: out of memory");
    } else {
        gms_cluster_draft(loader)->placing = &draft;
        status = gms_loader_place_hosts(loader, mapping);
        gms_cluster_draft(loader)->placing = NULL;
    }
    if (status == GMS_OK &&
        !gms_placement_keep(&draft,
                            &gms_cluster_draft(loader)->cluster.placement)) {
        status =
            gms_loader_fail(loader, gms_cluster_draft(loader)->placement.line,
                            "cannot be read: out of memory");
    }
    free(draft.lines);
    free(draft.hosts);
    return status;
}

gms_status_t gms_loader_placement(gms_loader_t *loader)
{
    const yaml_node_t *value = gms_cluster_draft(loader)->placement.value;
    size_t ranks_line =
        gms_cluster_draft(loader)
            ->lines[gms_param_find("ranks_per_host") - gms_param_table];
    gms_status_t status;
    size_t other_line;

    if (value == NULL || value->type == YAML_SCALAR_NODE) {
        return GMS_OK; /* gms_loader_row() has already read this key */
    }
    if (value->type != YAML_MAPPING_NODE) {
        status = gms_loader_begin_value(loader, "placement", value);
        gms_yaml_append(loader->error,
                        "; allowed: block, cyclic, or lines like 'node1: "
                        "[0, 3]'");
        return status;
    }
    other_line = gms_cluster_draft(loader)
                     ->lines[gms_param_find("placement") - gms_param_table];
    if (other_line != 0) { /* the key is also set below `parameters:` */
        return gms_loader_fail(loader,
                               gms_cluster_draft(loader)->placement.line,
                               "key 'placement' is given twice, also on line "
                               "%zu",
                               other_line);
    }
    if (ranks_line != 0) {
        return gms_loader_fail(loader, ranks_line,
                               "key 'ranks_per_host' is not allowed because "
                               "'placement' (line %zu) lists the ranks",
                               gms_cluster_draft(loader)->placement.line);
    }
    return gms_loader_place_listed(loader, value);
}
