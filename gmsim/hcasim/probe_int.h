/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the state and functions that the files probe*.c share. Only these
 * files and unit tests include this header.
 *
 *   probe.c          requests, and the work of the source's HCA
 *   probe_hop.c      packets at routers
 *   probe_entry.c    memory of connections, and their packets
 *   probe_link.c     reserved bandwidth of links, and their weights
 *   probe_table.c    connections by number, last packets by address
 */
#ifndef HCASIM_PROBE_INT_H
#define HCASIM_PROBE_INT_H

#include <stddef.h>

#include "hcasim/probe.h"

/** Number of bandwidth units of a whole link. */
#define GMS_PROBE_UNITS UINT64_C(1000000000000)

/**
 *   ask:    no room at the source -> REFUSED --reported in the next step--> gone
 *           room  -> ASKING --probe absorbed--> ANSWERING --answer arrived-->
 *                    accepted:  SET_UP --close--> RELEASING --> gone
 *                                      --last-->  LEAVING --> gone
 *                                                 LEAVING --close--> RELEASING
 *                    rejected:  RELEASING --> gone
 *   force:  SET_UP
 */
enum gms_probe_state {
    /* the source's own HCA has refused the connection, but has not reported
     * this yet */
    GMS_PROBE_REFUSED = 0,
    GMS_PROBE_ASKING,    /* the packet in flight is the probe */
    GMS_PROBE_ANSWERING, /* the packet in flight is the ACK or NACK */
    GMS_PROBE_SET_UP,
    GMS_PROBE_RELEASING, /* the packet in flight is the release */
    GMS_PROBE_LEAVING    /* the last data packet is in flight */
};

/** A connection, from the request to the release of its last link. At most one
 *  of its own packets is in flight, so the entry contains a single packet
 *  structure. */
typedef struct gms_probe_entry {
    /* must be the first member, because the address of a packet is the address
     * of its entry */
    gms_flit_packet_t packet;
    gms_probe_request_t request;
    gms_probe_answer_t answer;
    uint64_t average_units, peak_units;
    enum gms_probe_state state;
    uint64_t last_key; /* in the state LEAVING: address of the last data
                        * packet */
    int is_closing;    /* 1 if the caller closed the connection while its probe
                        * was in flight */
    /* 1 if the connection was set up without a probe, so no router's power
     * budget was charged */
    int is_forced;
    /* number of reserved links, which are the first links of the route */
    unsigned held;
    unsigned given; /* number of these links that have been released */
    /* next entry in the list of free entries or of refused entries */
    struct gms_probe_entry *next;
} gms_probe_entry_t;

/* ---- reserved bandwidth ---- */

typedef struct gms_probe_link {
    uint64_t average_units, peak_units; /* sums over all connections that use
                                         * the link */
    /* sum of the average rates in each lane; used only with drawn lanes */
    uint64_t lane_units[GMS_LANES_MAX];
    gms_lane_table_t table;
} gms_probe_link_t;

typedef struct gms_probe_account {
    gms_flit_net_t *net;
    uint64_t capacity_units;
    gms_probe_link_t *links; /* array, indexed by link */
} gms_probe_account_t;

/** Converts a fraction of a link to units. The result is at most a whole link.
 *  The function corrects the error of binary fractions and then rounds the
 *  result down. */
uint64_t gms_probe_to_units(double part);
/** @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_probe_account_init(gms_probe_account_t *account,
                                    gms_flit_net_t *net, double capacity);
void gms_probe_account_cleanup(gms_probe_account_t *account);
/** Returns the number of a link's units that are still available for
 *  reservations. */
uint64_t gms_probe_link_left(const gms_probe_account_t *account, uint32_t link);
/** Reserve or release bandwidth on a link of a connection's route, which `hop`
 *  selects. */
void gms_probe_link_take(gms_probe_account_t *account, uint32_t link,
                         unsigned hop, const gms_probe_entry_t *entry);
void gms_probe_link_give(gms_probe_account_t *account, uint32_t link,
                         unsigned hop, const gms_probe_entry_t *entry);

/* ---- table of entries ---- */

typedef struct gms_probe_slot {
    uint64_t key; /* 0: free */
    gms_probe_entry_t *entry;
} gms_probe_slot_t;

/** Table that finds an entry by its key, which is never 0. No code iterates
 *  over the table, so addresses may serve as keys without affecting the
 *  results. */
typedef struct gms_probe_table {
    gms_probe_slot_t *slots;
    size_t mask; /* slots - 1 */
    size_t count;
} gms_probe_table_t;

void gms_probe_table_cleanup(gms_probe_table_t *table);
/** Makes room for `entries` entries in total. @return GMS_OK, GMS_ERR_NO_MEMORY
 *  (the table is unchanged) */
gms_status_t gms_probe_table_reserve(gms_probe_table_t *table, size_t entries);
/** Adds an entry. The table must have room and must not contain the key. */
void gms_probe_table_put(gms_probe_table_t *table, uint64_t key,
                         gms_probe_entry_t *entry);
/** Finds the entry with a key. @return NULL if the table does not contain the
 * key */
gms_probe_entry_t *gms_probe_table_find(const gms_probe_table_t *table,
                                        uint64_t key);
/** Removes the entry with this key, if it exists. */
void gms_probe_table_remove(gms_probe_table_t *table, uint64_t key);

/* ---- state of admission ---- */

struct gms_probe {
    gms_probe_config_t config;
    gms_flit_net_t *net;
    gms_probe_account_t account;
    gms_probe_table_t connections; /* connections in use, found by their
                                    * numbers */
    gms_probe_table_t last;        /* connections in state LEAVING, found by the
                                    * address of their last data packet */
    struct gms_probe_block *blocks;
    gms_probe_entry_t *free;
    size_t entries;                            /* number of entries in use */
    gms_probe_entry_t *refused, **refused_end; /* queue of refused entries
                                                * (first in, first out) */
    uint32_t *route;                           /* scratch memory for a route */
    unsigned route_max;
    gms_probe_counts_t counts;
};

/** Makes room for one more entry in every table that a connection may need,
 *  because later steps of the connection must not fail.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_probe_reserve(gms_probe_t *probe);
/** Adds a connection to the table of numbers. The tables must have room. */
gms_probe_entry_t *gms_probe_new(gms_probe_t *probe,
                                 const gms_probe_request_t *request);
/** Frees an entry whose number has already been removed from the table. */
void gms_probe_free(gms_probe_t *probe, gms_probe_entry_t *entry);
/** Frees the memory of all entries. */
void gms_probe_free_blocks(gms_probe_t *probe);
void gms_probe_forget_number(gms_probe_t *probe,
                             const gms_probe_entry_t *entry);

/** Sends the entry's packet, which has control_flits flits, on the control
 *  lane. */
void gms_probe_send(gms_probe_t *probe, gms_probe_entry_t *entry,
                    uint32_t source, uint32_t target, unsigned visits);
uint32_t gms_probe_source_link(const gms_probe_t *probe,
                               const gms_probe_entry_t *entry);
/** Releases the link of the source's HCA, and sends a release packet to the
 *  routers with reserved links. The caller must first remove the entry's number
 *  from the table. */
void gms_probe_release(gms_probe_t *probe, gms_probe_entry_t *entry);

#endif
