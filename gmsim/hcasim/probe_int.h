/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to probe*.c:
 *
 *   probe.c          requests, and the part of the source's HCA
 *   probe_hop.c      packets at routers
 *   probe_entry.c    memory of connections, and their packets
 *   probe_link.c     reserved bandwidth of links, and their weights
 *   probe_table.c    connections by number, last packets by address
 */
#ifndef HCASIM_PROBE_INT_H
#define HCASIM_PROBE_INT_H

#include <stddef.h>

#include "hcasim/probe.h"

/** 1: a whole link. */
#define GMS_PROBE_UNITS UINT64_C(1000000000000)

/**
 *   ask: no room at the source -> REFUSED --told in the next step--> gone
 *        room -> ASKING --probe absorbed--> ANSWERING --answer arrived-->
 *                    accepted: SET_UP --close--> RELEASING --> gone
 *                                     --last--> LEAVING --> gone
 *                                               LEAVING --close--> RELEASING
 *                    rejected: RELEASING --> gone
 *   force: SET_UP
 */
enum gms_probe_state {
    GMS_PROBE_REFUSED = 0, /* by the source's own HCA, not told yet */
    GMS_PROBE_ASKING,      /* its packet is the probe */
    GMS_PROBE_ANSWERING,   /* its packet is the ACK or NACK */
    GMS_PROBE_SET_UP,
    GMS_PROBE_RELEASING, /* its packet is the release */
    GMS_PROBE_LEAVING    /* the last data packet is on its way */
};

/** A connection, from the question to the last link that is given back. It has
 *  one packet of its own under way at most, so that one does for all. */
typedef struct gms_probe_entry {
    gms_flit_packet_t packet; /* first: a packet of ours is its entry */
    gms_probe_request_t request;
    gms_probe_answer_t answer;
    uint64_t average_units, peak_units;
    enum gms_probe_state state;
    uint64_t last_key; /* LEAVING: address of the last data packet */
    int is_closing;    /* closed while its probe was under way */
    int is_forced;     /* no probe: routers' power was not charged */
    unsigned held;     /* links that were set aside: the first so many */
    unsigned given;    /* .. of these given back */
    struct gms_probe_entry *next; /* free, or refused */
} gms_probe_entry_t;

/* ---- what is set aside ---- */

typedef struct gms_probe_link {
    uint64_t average_units, peak_units; /* sums of connections */
    uint64_t lane_units[GMS_LANES_MAX]; /* average, drawn lanes only */
    gms_lane_table_t table;
} gms_probe_link_t;

typedef struct gms_probe_account {
    gms_flit_net_t *net;
    uint64_t capacity_units;
    gms_probe_link_t *links; /* by link */
} gms_probe_account_t;

/** A part of a link, rounded down (but for what binary fractions are off), at
 *  most a whole one. */
uint64_t gms_probe_to_units(double part);
/** @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_probe_account_init(gms_probe_account_t *account,
                                    gms_flit_net_t *net, double capacity);
void gms_probe_account_cleanup(gms_probe_account_t *account);
/** Units that may still be set aside. */
uint64_t gms_probe_link_left(const gms_probe_account_t *account, uint32_t link);
/** Set aside, or give back; the hop-th link of the connection's way. */
void gms_probe_link_take(gms_probe_account_t *account, uint32_t link,
                         unsigned hop, const gms_probe_entry_t *entry);
void gms_probe_link_give(gms_probe_account_t *account, uint32_t link,
                         unsigned hop, const gms_probe_entry_t *entry);

/* ---- who is who ---- */

typedef struct gms_probe_slot {
    uint64_t key; /* 0: free */
    gms_probe_entry_t *entry;
} gms_probe_slot_t;

/** Entries by a key that is not 0. Nothing ever walks it, so that addresses as
 *  keys leave no trace in what happens. */
typedef struct gms_probe_table {
    gms_probe_slot_t *slots;
    size_t mask; /* slots - 1 */
    size_t count;
} gms_probe_table_t;

void gms_probe_table_cleanup(gms_probe_table_t *table);
/** Make room for so many entries in all.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY (as it was before) */
gms_status_t gms_probe_table_reserve(gms_probe_table_t *table, size_t entries);
/** There must be room, and no such key. */
void gms_probe_table_put(gms_probe_table_t *table, uint64_t key,
                         gms_probe_entry_t *entry);
/** @return NULL if there is none */
gms_probe_entry_t *gms_probe_table_find(const gms_probe_table_t *table,
                                        uint64_t key);
/** Nothing happens if there is none. */
void gms_probe_table_remove(gms_probe_table_t *table, uint64_t key);

/* ---- all together ---- */

struct gms_probe {
    gms_probe_config_t config;
    gms_flit_net_t *net;
    gms_probe_account_t account;
    gms_probe_table_t connections; /* by number: in use */
    gms_probe_table_t last;        /* by address of a last data packet */
    struct gms_probe_block *blocks;
    gms_probe_entry_t *free;
    size_t entries;                            /* not free */
    gms_probe_entry_t *refused, **refused_end; /* first in, first out */
    uint32_t *route; /* scratch of gms_probe_force() */
    unsigned route_max;
    gms_probe_counts_t counts;
};

/** Room for one entry more, wherever its life leads it: what comes later in a
 *  connection cannot fail.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_probe_reserve(gms_probe_t *probe);
/** A connection under its number. There must be room. */
gms_probe_entry_t *gms_probe_new(gms_probe_t *probe,
                                 const gms_probe_request_t *request);
/** Its number is not in the table any more. */
void gms_probe_free(gms_probe_t *probe, gms_probe_entry_t *entry);
/** All entries, at the end. */
void gms_probe_free_blocks(gms_probe_t *probe);
void gms_probe_forget_number(gms_probe_t *probe,
                             const gms_probe_entry_t *entry);

/** Send the entry's packet: of control_flits, on the control lane. */
void gms_probe_send(gms_probe_t *probe, gms_probe_entry_t *entry,
                    uint32_t source, uint32_t target, unsigned visits);
uint32_t gms_probe_source_link(const gms_probe_t *probe,
                               const gms_probe_entry_t *entry);
/** The source's HCA gives back, and tells the routers that have something to
 *  give. The entry's number is not in the table any more. */
void gms_probe_release(gms_probe_t *probe, gms_probe_entry_t *entry);

#endif
