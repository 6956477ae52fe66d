/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads the cluster description, which is a YAML file. Without a file, the
 * cluster is the default cluster (16 hosts on a 16-port crossbar, profile
 * lanai4.3, one rank per host).
 *
 *     profile: lanai4.3        (params/profile.h, or a file: cluster_profile.c)
 *     hosts: 16
 *     ranks_per_host: 1
 *     placement: block         (cluster/placement.h)
 *     host_topology: real      (cluster/host_topology.h)
 *     scheduler: rate
 *     parameters:
 *       host_dma_bytes_s: 60000000
 *     fabric: {model: flit}    (fabric/flit_model.h)
 *     topology: graph          (fabric/topology.h)
 *     switches: [16, 8]        (fabric/graph.h)
 *     cables: [...]
 *     io: {hosts: [node9]}     (cluster/cluster_io.c)
 *     faults: ...              (fabric/faults.h)
 */
#ifndef CLUSTER_CLUSTER_H
#define CLUSTER_CLUSTER_H

#include "fabric/faults.h"
#include "fabric/graph.h"
#include "cluster/host_topology.h"
#include "params/params.h"
#include "cluster/placement.h"
#include "params/profile.h"
#include "base/status.h"
#include "fabric/topology.h"
#include "yaml/loader.h"

/** Each 64-bit field of gms_params_t has exactly one row in the table of
 *  parameters. */
#define GMS_CLUSTER_ROWS (sizeof(gms_params_t) / sizeof(uint64_t))

/** The I/O hosts, in the order of the description. */
typedef struct gms_io_hosts {
    uint32_t *hosts; /* numbers of the hosts, counted from 0 */
    uint32_t count;
} gms_io_hosts_t;

/** Length of the buffer for the path of a file that a description refers to. */
#define GMS_CLUSTER_PATH_LEN 512

/** Contents of a cluster description. */
typedef struct gms_cluster {
    const gms_profile_t *profile; /* profile that defined the initial values of
                                     params */
    gms_params_t params;
    gms_fault_plan_t faults;
    gms_graph_t graph;         /* empty unless topology is graph */
    gms_placement_t placement; /* empty unless the placement lists hosts */
    gms_io_hosts_t io;         /* empty unless there are I/O hosts */
    char host_topology[GMS_HOST_TOPOLOGY_LEN];
    uint32_t profile_line, host_topology_line; /* lines in which the profile and
                                                  the host topology were set; 0:
                                                  not set */
    /* absolute path of the profile's file ("" if there is none), and the line
     * of each row in this file (0 if the file does not set the row) */
    char profile_path[GMS_CLUSTER_PATH_LEN];
    uint32_t profile_lines[GMS_CLUSTER_ROWS];
    uint32_t lines[GMS_CLUSTER_ROWS]; /* line where each row was set; 0: not
                                       * set */
} gms_cluster_t;

/**
 * Read a cluster description.
 *
 * @param [in]  path     file, or NULL for the default cluster
 * @param [out] cluster  unchanged after an error; after GMS_OK the caller
 *                       releases it with gms_cluster_clear()
 * @param [out] error    "FILE:LINE: key 'K': value 'V' ...; allowed: ...", one
 *                       line per error
 *
 * @return GMS_OK
 * @return GMS_ERR_CONFIG  `error` contains the message
 */
gms_status_t gms_cluster_load(const char *path, gms_cluster_t *cluster,
                              char error[GMS_YAML_ERROR_LEN]);
/** Free the memory that belongs to a description. */
void gms_cluster_clear(gms_cluster_t *cluster);
/** Return a checksum of the list of I/O hosts, to detect different lists; 0 if
 *  the list is empty. */
uint64_t gms_io_hosts_digest(const gms_io_hosts_t *io);
/** Length of the buffer for the text of an event, including the final 0. */
#define GMS_FAULT_TEXT_LEN 160

/** Return the text of a fault event in the format of a description: "{at_us:
 * 200, node: 4}". */
const char *gms_fault_event_text(const gms_fault_event_t *event,
                                 const gms_topology_t *topology,
                                 char text[GMS_FAULT_TEXT_LEN]);
/** Return the name of a class (enum gms_lane_class) in the mapping `lanes:`. */
const char *gms_lanes_class_name(unsigned traffic_class);
/** Return 1 if a parameter may be set outside of `parameters:`. */
int gms_cluster_is_short(const gms_param_t *row);
/** Check the values that depend on each other. For example, the check rejects a
 *  topology that has too few ports for the hosts or can deadlock. It also
 *  rejects a packet length that is too short for a packet's contents. The error
 *  messages are the same as those of gms_cluster_load(), but contain no line
 *  number. */
gms_status_t gms_cluster_check(const gms_cluster_t *cluster,
                               char error[GMS_YAML_ERROR_LEN]);

/**
 * Build the topology of a description, for queries about the topology.
 *
 * @param [out] arena_p     arena that the function creates for the topology;
 *                          gms_arena_destroy_private() frees both
 * @param [out] topology_p  in the arena
 *
 * @return the status of gms_topology_create(); `error` contains its message
 */
gms_status_t gms_cluster_build(const gms_cluster_t *cluster,
                               gms_arena_t **arena_p,
                               gms_topology_t **topology_p,
                               char error[GMS_TOPOLOGY_ERROR_LEN]);

#endif
