/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to cluster*.c, placement.c, host_topology.c and time_mode.c: the
 * state of a cluster description while it is read.
 */
#ifndef CLUSTER_CLUSTER_INT_H
#define CLUSTER_CLUSTER_INT_H

#include "cluster/cluster.h"
#include "yaml/loader.h"

/** A key of the description whose value is not a parameter's. */
typedef struct gms_section {
    const yaml_node_t *value; /* NULL: it was not given */
    size_t line;
} gms_section_t;

typedef struct gms_cluster_draft {
    gms_loader_t loader; /* first: handlers get a pointer to it */
    gms_cluster_t cluster;
    size_t lines[GMS_CLUSTER_ROWS]; /* where a row was given; 0: it was not */
    size_t profile_line, parameters_line;
    /* read when the rest is known */
    gms_section_t faults, switches, cables, placement, host;
    struct gms_placement_draft *placing; /* of the placement being read */
    struct gms_fault_draft *event;       /* of the fault event being read */
    gms_arena_t *arena; /* of the topology; NULL: not built yet */
    gms_topology_t *topology;
} gms_cluster_draft_t;

static inline gms_cluster_draft_t *gms_cluster_draft(gms_loader_t *loader)
{
    return (gms_cluster_draft_t *)loader;
}

/* ---- cluster.c ---- */

/** Note where a row is given; an error if it was before. */
gms_status_t gms_loader_claim(gms_loader_t *loader, const gms_param_t *row,
                              size_t line);
/** Read a row's value. */
gms_status_t gms_loader_row(gms_loader_t *loader, const gms_param_t *row,
                            size_t line, const yaml_node_t *value);
/* ---- cluster_graph.c ---- */

/** The lists `switches:` and `cables:`; all parameters have been read. */
gms_status_t gms_loader_graph(gms_loader_t *loader);

/* ---- cluster_placement.c ---- */

/** The mapping `placement:`; all parameters have been read and checked. */
gms_status_t gms_loader_placement(gms_loader_t *loader);

/* ---- host_topology.c ---- */

/** The key `host_topology:`. */
gms_status_t gms_loader_host(gms_loader_t *loader);

/* ---- cluster_topology.c ---- */

/** What is given of rows, columns, .. must mean something to the topology. */
gms_status_t gms_loader_shape(gms_loader_t *loader);

/** The row that a topology's error is about: the first one that it names, of
 *  those with a line; lines may be NULL: of all. */
const gms_param_t *gms_cluster_blame(const char *text, const size_t *lines);

/* ---- cluster_fabric.c ---- */

/** What is given of flit_lanes, .. must mean something to the model. */
gms_status_t gms_loader_fabric(gms_loader_t *loader);

/** The mapping `fabric:`, short words for fabric_model and flit_*. */
gms_status_t gms_loader_fabric_keys(gms_loader_t *loader,
                                    const yaml_node_t *mapping);
/** The values of fabric_model flit, which must fit together.
 *  @param [out] row_p  the row to point at
 *  @param [out] text   what is wrong; room for GMS_YAML_ERROR_LEN
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_cluster_check_fabric(const gms_params_t *params,
                                      const gms_param_t **row_p, char *text);

/* ---- cluster_faults.c ---- */

/** The section `faults:`; everything else has been read and checked. */
gms_status_t gms_loader_faults(gms_loader_t *loader);

#endif
