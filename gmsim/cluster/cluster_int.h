/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to cluster*.c: the loader, and what its parts share. */
#ifndef CLUSTER_CLUSTER_INT_H
#define CLUSTER_CLUSTER_INT_H

#include <stddef.h>
#include <stdint.h>

#include <yaml.h>

#include "cluster/cluster.h"

#define GMS_CLUSTER_PATH_LEN 160

/** A key of the description whose value is not a parameter's. */
typedef struct gms_section {
    const yaml_node_t *value; /* NULL: it was not given */
    size_t line;
} gms_section_t;

typedef struct gms_loader gms_loader_t;

/** Reads the root of a file; NULL if the file is empty. */
typedef gms_status_t gms_loader_root_fn(gms_loader_t *loader,
                                        const yaml_node_t *root);

struct gms_loader {
    char path[GMS_CLUSTER_PATH_LEN]; /* as messages show it */
    const char *file;                /* as it was given */
    const char *what, *each;         /* "cluster description", "one cluster" */
    gms_loader_root_fn *on_root;
    yaml_document_t *document;
    char *error;    /* where the next mistake is worded */
    unsigned mistakes;
    char *said;     /* the caller's text, once there is a mistake */
    char unsaid[GMS_CLUSTER_ERROR_LEN]; /* of those that it has no room for */
    gms_cluster_t cluster;
    size_t lines[GMS_CLUSTER_ROWS]; /* where a row was given; 0: it was not */
    size_t profile_line, parameters_line;
    /* read when the rest is known */
    gms_section_t faults, switches, cables, placement, host;
    struct gms_placement_draft *placing; /* of the placement being read */
    struct gms_fault_draft *draft; /* of the fault event being read */
    gms_arena_t *arena;            /* of the topology; NULL: not built yet */
    gms_topology_t *topology;
    struct gms_records *records;   /* of a file of records; records.c */
};

typedef enum {
    GMS_NUMBER_OK,
    GMS_NUMBER_NONE,      /* not a number at all */
    GMS_NUMBER_NEGATIVE,
    GMS_NUMBER_FRACTION,
    GMS_NUMBER_TOO_LARGE
} gms_number_t;

/* ---- cluster_text.c ---- */

/** Append to a text of GMS_CLUSTER_ERROR_LEN; what does not fit is cut. */
void gms_cluster_append(char *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void gms_cluster_append_quoted(char *text, const char *value,
                               size_t value_len);
void gms_cluster_append_names(char *text, const char *const *names);
void gms_cluster_append_allowed(char *text, const gms_param_t *row);
/** " (did you mean '...'?)"; nothing for NULL. */
void gms_cluster_append_guess(char *text, const char *best);
/** How far a typo may be off, and the nearer of two candidates. */
size_t gms_cluster_typo_limit(const char *word);
void gms_cluster_nearer(const char *word, const char *candidate,
                        const char **best, size_t *best_distance);

/** All return GMS_ERR_CONFIG. A mistake's text is added to those before. */
gms_status_t gms_loader_begin(gms_loader_t *loader, size_t line);
gms_status_t gms_loader_fail(gms_loader_t *loader, size_t line,
                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));
gms_status_t gms_loader_begin_value(gms_loader_t *loader, const char *key,
                                    const yaml_node_t *value);

/** No mistakes come any more: how many were not told. */
void gms_loader_close(gms_loader_t *loader);

/* ---- cluster_file.c ---- */

/** Read a file and hand its root to loader->on_root. Sets loader->path. */
gms_status_t gms_loader_file(gms_loader_t *loader, const char *path);

/* ---- cluster_value.c ---- */

gms_number_t gms_cluster_number(const char *text, uint64_t *value_p);
const char *gms_cluster_scalar(const yaml_node_t *node);
gms_status_t gms_loader_choice(gms_loader_t *loader, const yaml_node_t *value,
                               const char *key, const char *const *names,
                               uint64_t *index_p);
gms_status_t gms_loader_integer(gms_loader_t *loader, const yaml_node_t *value,
                                const gms_param_t *row, uint64_t *number_p);

/* ---- cluster.c ---- */

typedef gms_status_t gms_loader_key_fn(gms_loader_t *loader, const char *key,
                                       size_t line, const yaml_node_t *value);

/** Hand each pair of a mapping to a function, in the order of the file, also
 *  after a mistake. @return the first one's status */
gms_status_t gms_loader_mapping(gms_loader_t *loader,
                                const yaml_node_t *mapping,
                                gms_loader_key_fn *on_key);
/** Note where a row is given; an error if it was before. */
gms_status_t gms_loader_claim(gms_loader_t *loader, const gms_param_t *row,
                              size_t line);
/** Read a row's value. */
gms_status_t gms_loader_row(gms_loader_t *loader, const gms_param_t *row,
                            size_t line, const yaml_node_t *value);
/** Begin "unknown key ...". */
gms_status_t gms_loader_unknown(gms_loader_t *loader, size_t line,
                                const char *key, const char *best);

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
 *  @param [out] text   what is wrong; room for GMS_CLUSTER_ERROR_LEN
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_cluster_check_fabric(const gms_params_t *params,
                                      const gms_param_t **row_p, char *text);

/* ---- cluster_faults.c ---- */

/** The section `faults:`; everything else has been read and checked. */
gms_status_t gms_loader_faults(gms_loader_t *loader);

#endif
