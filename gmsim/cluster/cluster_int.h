/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the state of the reader of a cluster description, for cluster*.c,
 * placement.c, host_topology.c and time_mode.c.
 */
#ifndef CLUSTER_CLUSTER_INT_H
#define CLUSTER_CLUSTER_INT_H

#include "cluster/cluster.h"
#include "yaml/loader.h"

/** A key of the description whose value is not a parameter. */
typedef struct gms_section {
    const yaml_node_t *value; /* NULL: the key is absent */
    size_t line;
} gms_section_t;

typedef struct gms_cluster_draft {
    gms_loader_t loader; /* must be the first member, because handlers receive a
                            pointer to it */
    gms_cluster_t cluster;
    size_t lines[GMS_CLUSTER_ROWS]; /* line where a row was set; 0: not set */
    size_t profile_line, parameters_line;
    int is_profile; /* 1: the reader is reading the file of a profile */
    /* sections that are read after all other keys */
    gms_section_t faults, switches, cables, tables, lanes, placement, host, io;
    uint32_t lanes_link; /* link of the port whose lanes are being read */
    /* the placement that is being read */
    struct gms_placement_draft *placing;
    /* the fault event that is being read */
    struct gms_fault_draft *event;
    gms_arena_t *arena; /* arena of the topology; NULL: not built yet */
    gms_topology_t *topology;
} gms_cluster_draft_t;

static inline gms_cluster_draft_t *gms_cluster_draft(gms_loader_t *loader)
{
    return (gms_cluster_draft_t *)loader;
}

/* ---- cluster.c ---- */

/** Store the line where a row is set. Report an error if the row has already
 * been set. */
gms_status_t gms_loader_claim(gms_loader_t *loader, const gms_param_t *row,
                              size_t line);
/** Read the value of a parameter, and store it in the parameter's field. */
gms_status_t gms_loader_row(gms_loader_t *loader, const gms_param_t *row,
                            size_t line, const yaml_node_t *value);
/** Read the key `profile` before all other keys, because the other keys change
 *  its values. */
gms_status_t gms_loader_first(gms_loader_t *loader, const yaml_node_t *root);
/** Read the mapping `parameters:`. */
gms_status_t gms_loader_parameters(gms_loader_t *loader, size_t line,
                                   const yaml_node_t *value);

/* ---- cluster_profile.c ---- */

/** Return 1 if the value of the key `profile` is the path of a file. */
int gms_profile_is_file(const char *text);
/** Read the key `profile`. */
gms_status_t gms_loader_profile(gms_loader_t *loader, size_t line,
                                const yaml_node_t *value);
/** Read the file of a profile into the cluster of the draft.
 *  @param [in]  text    path, relative to the directory of the description
 *  @param [out] reason  one line
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_profile_from_file(gms_loader_t *loader, const char *text,
                                   char reason[GMS_YAML_ERROR_LEN]);

/* ---- cluster_graph.c ---- */

/** Read the lists `switches:` and `cables:`; called after all parameters have
 *  been read. */
gms_status_t gms_loader_graph(gms_loader_t *loader);

/* ---- cluster_tables.c ---- */

/** Read the list `tables:` into the graph, and check the routes; called after
 *  the lists `switches:` and `cables:` have been read. */
gms_status_t gms_loader_tables(gms_loader_t *loader);

/* ---- cluster_lanes.c ---- */

/** Read the mapping `lanes:` into the graph; called after the topology has been
 *  built. */
gms_status_t gms_loader_lanes(gms_loader_t *loader);

/* ---- cluster_placement.c ---- */

/** Read the mapping `placement:`; called after all parameters have been read
 *  and checked. */
gms_status_t gms_loader_placement(gms_loader_t *loader);

/* ---- host_topology.c ---- */

/** Convert the path of a file in a description to an absolute path. The path in
 *  the description is relative to the directory of the description.
 *  @return 0, or -1 with errno */
int gms_loader_path(const gms_loader_t *loader, const char *text, char *path,
                    size_t room);

/** Read the key `host_topology:`. */
gms_status_t gms_loader_host(gms_loader_t *loader);

/* ---- cluster_topology.c ---- */

/** Check that the description sets no key such as `rows` or `columns` that its
 *  topology does not use. */
gms_status_t gms_loader_shape(gms_loader_t *loader);

/** Return the row to which a topology's error message refers. The result is the
 *  first row whose name is in the message and that is set on a line of the
 *  description. If lines is NULL, the row need not be set. */
const gms_param_t *gms_cluster_blame(const char *text, const size_t *lines);

/* ---- cluster_fabric.c ---- */

/** Check that the description sets no key such as `flit_lanes` that its fabric
 *  model does not use. */
gms_status_t gms_loader_fabric(gms_loader_t *loader);

/** Read the mapping `fabric:`, with short names for fabric_model and flit_*. */
gms_status_t gms_loader_fabric_keys(gms_loader_t *loader,
                                    const yaml_node_t *mapping);
/** Check that the values of fabric_model flit are consistent.
 *  @param [out] row_p  the row to which the error refers
 *  @param [out] text   reason; GMS_YAML_ERROR_LEN bytes
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_cluster_check_fabric(const gms_params_t *params,
                                      const gms_param_t **row_p, char *text);

/* ---- cluster_io.c ---- */

/** Read the section `io:` without its hosts, with short names for io_*. */
gms_status_t gms_loader_io_keys(gms_loader_t *loader,
                                const yaml_node_t *mapping);
/** Read the hosts of the section `io:`; called after all parameters have been
 *  read and checked. */
gms_status_t gms_loader_io(gms_loader_t *loader);

/* ---- cluster_faults.c ---- */

/** Read the section `faults:`; called after everything else has been read and
 *  checked. */
gms_status_t gms_loader_faults(gms_loader_t *loader);

#endif
