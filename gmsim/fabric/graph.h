/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares a network that the user describes by its switches and cables, in a
 * cluster description with `topology: graph`.
 *
 *     hosts: 4
 *     topology: graph
 *     switches: [16, 8]                    # ports of every switch
 *     cables:
 *       - host 1 to switch 0               # the first port that is free
 *       - host 2 to switch 0 port 3
 *       - switch 0 port 7 to switch 1 port 2 at 25000000000   # bytes/s
 *     routing: tables
 *     tables:                              # of every switch: port to each host
 *       - [0, 3, 7, 7]
 *       - [2, 2, 0, 1]
 *
 * Cluster descriptions number hosts from 1 (GM's node ids) and switches and
 * ports from 0. In this structure, all numbers begin at 0. A cable consists of
 * two links, one per direction.
 */
#ifndef FABRIC_GRAPH_H
#define FABRIC_GRAPH_H

#include <stdint.h>

enum gms_end_kind {
    GMS_END_NODE = 0,
    GMS_END_SWITCH
};

typedef struct gms_link_end {
    uint32_t kind;  /* a value of enum gms_end_kind */
    uint32_t index; /* index of the node or switch */
    uint32_t port;  /* port of the switch; 0 at a node */
} gms_link_end_t;

typedef struct gms_cable {
    gms_link_end_t a, b;
    uint64_t bytes_s; /* rate of both links, or 0 if the parameters define the
                       * rate */
} gms_cable_t;

/** Value of a forwarding table's entry if the switch has no route to the
 *  node. */
#define GMS_FORWARD_NONE UINT8_MAX

/** Entry of the table that maps classes to lanes at a port. */
typedef struct gms_port_lane {
    uint32_t link;         /* number of the link that leaves the port */
    uint8_t traffic_class; /* a value of enum gms_lane_class */
    uint8_t lane;
} gms_port_lane_t;

/** A graph. The arrays of a graph are in the memory of the process that reads
 *  the description. If all fields are zero, the graph is empty. */
typedef struct gms_graph {
    uint32_t switch_count, cable_count;
    uint32_t *switch_ports; /* number of ports of each switch, indexed by
                             * switch */
    /* every cable has two ends, and no port has two cables */
    gms_cable_t *cables;
    /* linear forwarding tables, indexed by switch * table_nodes + node: output
     * port, or GMS_FORWARD_NONE; NULL: routes are computed */
    uint8_t *table;
    uint32_t table_nodes;
    /* lanes of classes at the ports that the description lists; used with every
     * topology */
    gms_port_lane_t *lanes;
    uint32_t lane_count;
} gms_graph_t;

/** Size of the buffer for the description of a cable, including the terminating
 *  0. */
#define GMS_CABLE_TEXT_LEN 112

/** Write a cable as in a cluster description, for example "host 2 to switch 0
 *  port 3".
 *  @param [in] hosts  number of hosts of the cluster; nodes with higher numbers
 *    are additional units of these hosts */
const char *gms_cable_text(const gms_cable_t *cable, uint32_t hosts,
                           char text[GMS_CABLE_TEXT_LEN]);
/** Free the graph's memory and set the struct to zero. */
void gms_graph_clear(gms_graph_t *graph);

#endif
