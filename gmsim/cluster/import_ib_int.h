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
#define GMS_IB_LIDS     65536u

typedef struct gms_ib_node {
    char id[GMS_IB_ID_LEN]; /* "S-..", "H-.." */
    char name[GMS_IB_NAME_LEN];
    unsigned ports;       /* number of ports, limited to the ports of a
                           * simulated switch */
    unsigned table_ports; /* number of ports according to the switch's own
                           * section */
    unsigned number;      /* number of the switch or host in the cluster
                          * description, or NONE */
    unsigned line;        /* line of the node's own section; 0: not found */
    unsigned lid;         /* for a host: LID of the port that is kept; 0:
                           * unknown */
    unsigned first_slot;  /* for a switch: index of its port 0 in
                           * gms_ib_t.slots */
} gms_ib_node_t;

typedef struct gms_ib_cable {
    unsigned from, from_port; /* indices of nodes; `from' is always a switch */
    unsigned to, to_port;
    unsigned line;
    unsigned lid;   /* LID of the port `to_port'; 0: unknown */
    double bytes_s; /* 0: unknown */
    int is_kept;
} gms_ib_cable_t;

/** The opposite end of the cable at a switch's port. */
typedef struct gms_ib_slot {
    unsigned to, to_port, line; /* if line is 0, the port has no cable */
    unsigned number;            /* number of the port in the cluster
                                 * description */
} gms_ib_slot_t;

typedef struct gms_ib {
    gms_import_t *import;
    gms_ib_node_t *nodes;
    gms_ib_cable_t *cables;
    gms_ib_slot_t *slots;
    unsigned *places; /* hash table that maps the ids of nodes to their
                         indices */
    unsigned node_count, node_room, cable_count, cable_room, place_count;
    unsigned line, current; /* current line of the input, and node of the
                             * current section (or NONE) */
    unsigned switches, hosts;
    /* forwarding tables of the description, indexed by switch * hosts + host,
     * and the line of each entry in the file of tables; NULL: no tables */
    uint8_t *table;
    unsigned *table_lines;
} gms_ib_t;

/** Return the index of the node with an id, or NONE. */
unsigned gms_ib_find(const gms_ib_t *ib, const char *id);
/** Read the forwarding tables, check that every host can reach every other
 *  host, and set ib->table. The ports of all switches must have their final
 *  numbers.
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY */
gms_status_t gms_ib_tables(gms_ib_t *ib);
/** Write the tables as the list `tables:`. */
void gms_ib_write_tables(const gms_ib_t *ib);

/** Report the parts of the fabric that have no counterpart, and write all other
 *  parts. The caller must have read the whole input.
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY */
gms_status_t gms_ib_write(gms_ib_t *ib);

#endif
