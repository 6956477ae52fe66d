/* SPDX-License-Identifier: BSD-3-Clause */
/* The InfiniBand fabric that import_ib.c reads and import_ib_write.c writes. */
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
    unsigned ports;      /* of its own section */
    unsigned number;     /* of the switch or host here, or NONE */
    unsigned line;       /* of its own section; 0: not seen */
    unsigned first_slot; /* switch: its port 0, in gms_ib_t.slots */
} gms_ib_node_t;

typedef struct gms_ib_cable {
    unsigned from, from_port; /* a switch's; indices of nodes */
    unsigned to, to_port;
    unsigned line;
    double bytes_s; /* 0: not said */
    int is_kept;
} gms_ib_cable_t;

/** What a switch's port is cabled to. */
typedef struct gms_ib_slot {
    unsigned to, to_port, line; /* line 0: nothing */
    unsigned number;            /* of the port here */
} gms_ib_slot_t;

typedef struct gms_ib {
    gms_import_t *import;
    gms_ib_node_t *nodes;
    gms_ib_cable_t *cables;
    gms_ib_slot_t *slots;
    unsigned *places; /* of nodes, by the hash of their ids */
    unsigned node_count, node_room, cable_count, cable_room, place_count;
    unsigned line, current; /* current: node of the section, or NONE */
    unsigned switches, hosts;
} gms_ib_t;

/** Everything has been read: say what has no counterpart, write the rest.
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY */
gms_status_t gms_ib_write(gms_ib_t *ib);

#endif
