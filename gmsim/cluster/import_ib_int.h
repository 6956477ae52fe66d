/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the InfiniBand fabric that import_ib.c reads and import_ib_write.c
 * writes. */
#ifndef CLUSTER_IMPORT_IB_INT_H
#define CLUSTER_IMPORT_IB_INT_H

#include <stdint.h>

#include "cluster/import.h"

#define GMS_IB_ID_LEN   40
#define GMS_IB_NAME_LEN 64
#define GMS_IB_NONE     UINT32_MAX

typedef struct gms_ib_node {
    char id[GMS_IB_ID_LEN]; /* "S-..", "H-.." */
    char name[GMS_IB_NAME_LEN];
    unsigned ports;      /* number of ports according to the switch's own
                            section */
    unsigned number;     /* number of the switch or host in the description,
                          * or NONE */
    unsigned line;       /* line of the node's own section; 0: not found */
    unsigned first_slot; /* switch: index of its port 0 in gms_ib_t.slots */
} gms_ib_node_t;

typedef struct gms_ib_cable {
    unsigned from, from_port; /* indices of nodes; `from' is always a switch */
    unsigned to, to_port;
    unsigned line;
    double bytes_s; /* 0: unknown */
    int is_kept;
} gms_ib_cable_t;

/** The opposite end of the cable at a switch's port. */
typedef struct gms_ib_slot {
    unsigned to, to_port, line; /* if line is 0, the port has no cable */
    unsigned number;            /* number of the port in the description */
} gms_ib_slot_t;

typedef struct gms_ib {
    gms_import_t *import;
    gms_ib_node_t *nodes;
    gms_ib_cable_t *cables;
    gms_ib_slot_t *slots;
    unsigned *places; /* hash table that maps the ids of nodes to their
                         indices */
    unsigned node_count, node_room, cable_count, cable_room, place_count;
    unsigned line, current; /* present line of the input, and node of its
                             * section (or NONE) */
    unsigned switches, hosts;
} gms_ib_t;

/** Report the parts that have no counterpart, and write all other parts. This
 *  function is called when everything has been read.
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY */
gms_status_t gms_ib_write(gms_ib_t *ib);

#endif
