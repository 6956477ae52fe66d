/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private header of the bandwidth account: declares the managed flows and their
 * sums.
 *
 *   account -> flows: pool by id, hash by (source node, key), list by request
 *           -> sums of each node and each link: charges, flows that use it
 *           -> shares of best effort (manager/share.h)
 */
#ifndef MANAGER_ACCOUNT_INT_H
#define MANAGER_ACCOUNT_INT_H

#include "base/bandwidth.h"
#include "manager/admission.h"
#include "manager/bound.h"
#include "manager/service.h"

#define GMS_IDT_MAX_TICKS  GMS_BANDWIDTH_IDT_TICKS
#define GMS_UNITS_PER_BYTE 1024
/* Id that belongs to no flow. The same value also serves as the level of a
 * resource that limits no flow. */
#define GMS_MANAGED_NONE UINT32_MAX

typedef int64_t gms_units_t; /* 1/1024 byte/s */
typedef struct gms_managed gms_managed_t;
typedef struct gms_share gms_share_t;
typedef struct gms_share_entry gms_share_entry_t;
struct gms_blocking;

/* Processor time that the sending and the receiving process spend on a flow; 0
 * for best effort. */
typedef struct gms_host_time {
    int64_t source_ps, target_ps; /* charged time in ps per second */
    /* requested time per byte of GM payload */
    double source_s_per_byte, target_s_per_byte;
} gms_host_time_t;

struct gms_managed {
    /* must be the first member, because callers see only the grant */
    gms_grant_t grant;
    /* list in the order of requests; the next flow is grant.next */
    gms_managed_t *previous;
    /* charges per direction; `there` is 0 for best effort */
    gms_units_t there, back;
    gms_host_time_t host;
    uint32_t id;
    uint64_t order; /* position of this flow in the order of first requests */
    /* best effort: number of resources that the flow shares with other flows */
    uint32_t crossings;
    uint32_t told_idt; /* IDT that the NIC currently uses for the flow, as far
                        * as the account knows */
    uint8_t entry_count;
    uint8_t is_touched;         /* the flow's IDT may need to be changed */
    uint8_t is_new;             /* the flow has not yet been reported to any
                                 * caller */
    gms_share_entry_t *entries; /* best effort: one entry per resource;
                                 * otherwise NULL */
    gms_units_t level;          /* best effort: the rate that the flow may
                                 * use */
    gms_bound_flow_t *bound;    /* bounds of a premium flow, if a rule for
                                 * bounds applies */
    /* bounds of the flow's reverse traffic; NULL: none */
    gms_bound_flow_t *bound_back;
    /* the grant for which the bounds of the reverse traffic are computed */
    gms_grant_t back_grant;
    gms_managed_t *next_touched; /* next flow in the list of touched flows; for
                                  * a free element, the next free element */
    gms_managed_t *next_work;
};

/* The flows at one resource. If there is only one flow, ids is the id of this
 * flow, and no search is necessary. */
typedef struct gms_presence {
    uint32_t flows;
    uint32_t ids; /* exclusive or of the ids of all these flows */
} gms_presence_t;

typedef struct gms_node_sum {
    gms_units_t out, in; /* charged */
    gms_presence_t here;
    uint32_t sourced; /* number of managed flows that start at the node */
} gms_node_sum_t;

typedef struct gms_link_sum {
    gms_units_t units; /* capacity */
    gms_units_t charged;
    gms_presence_t here;
} gms_link_sum_t;

typedef struct gms_flow_slot {
    uint32_t hash, id; /* GMS_MANAGED_NONE: empty */
} gms_flow_slot_t;

/** Flows, indexed by id, by key and in the order of their requests. Chunks
 *  never move, so pointers to flows remain valid. */
typedef struct gms_flow_book {
    gms_managed_t **chunks;
    uint32_t chunk_count, chunk_room;
    gms_managed_t *free;
    gms_flow_slot_t *slots;
    uint32_t slot_count; /* number of slots, a power of two */
    uint32_t count;
    uint64_t next_order;
    gms_managed_t *first, *last;
} gms_flow_book_t;

struct gms_account {
    gms_arena_t *arena;
    gms_topology_t *topology;
    gms_params_t params;
    unsigned nodes, links;
    int is_incoming;        /* qos_node_rule */
    gms_units_t product;    /* charge of a flow with an IDT of 1
                                         * tick */
    gms_units_t node_units; /* capacity */
    /* service times of a node that is the source of one flow */
    gms_service_t service;
    /* S(1), S(n + 1) - S(n), R + E: manager/service.h */
    uint64_t send_first_ps, send_more_ps, pair_more_ps;
    /* Maximum sum of rate x service time (in ps) over the flows of a node: MTU
     * x T (manager/service.h) */
    gms_units_t time_units;
    gms_node_sum_t *node;
    gms_link_sum_t *link;
    int64_t *process_ps; /* time in ps per second that is promised to each
                          * process */
    uint32_t processes;
    gms_flow_book_t book;
    gms_bound_t *bound; /* NULL: no rule */
    gms_share_t *share; /* indexed by resource (manager/share.h) */
    uint32_t place_count;
    uint32_t sharing; /* number of best-effort flows that are active */
    uint32_t *dirty;  /* numbers of the resources to update */
    uint32_t dirty_count;
    uint32_t *queue; /* maxmin: heap of resources to update */
    size_t queue_count;
    gms_managed_t *touched;
    uint64_t rates; /* number of rates that have been computed since the
                     * start */
    /* NULL: reserved packets do not block each other in this network
     * (manager/blocking.h) */
    struct gms_blocking *blocking;
    /* fraction of its share that every best-effort flow may use */
    double effort_part;
};

/* ---- admission.c ---- */

/** Sets the grant and the charges of a flow from a request, without a change to
 *  the sums. */
void gms_account_set(gms_account_t *account, gms_managed_t *flow,
                     const gms_flow_request_t *request);

/* ---- account_flows.c ---- */

gms_status_t gms_flow_book_init(gms_arena_t *arena, gms_flow_book_t *book);
void gms_flow_book_cleanup(gms_arena_t *arena, gms_flow_book_t *book);
/** Returns the flow with this source node and key, or NULL if the book does not
 *  contain such a flow. */
gms_managed_t *gms_flow_book_find(const gms_flow_book_t *book,
                                  unsigned source_node,
                                  const gms_flow_key_t *key);
/** Adds a flow that is not in the book. @return NULL if the arena is full */
gms_managed_t *gms_flow_book_add(gms_arena_t *arena, gms_flow_book_t *book,
                                 unsigned source_node,
                                 const gms_flow_key_t *key);
void gms_flow_book_remove(gms_flow_book_t *book, gms_managed_t *flow);

#define GMS_FLOW_CHUNK_BITS 8u
#define GMS_FLOW_CHUNK      (1u << GMS_FLOW_CHUNK_BITS)

static inline gms_managed_t *gms_flow_book_at(const gms_flow_book_t *book,
                                              uint32_t id)
{
    return &book->chunks[id >> GMS_FLOW_CHUNK_BITS][id & (GMS_FLOW_CHUNK - 1)];
}

/** Returns the time that packets need at a node, like gms_service_of(). */
static inline gms_service_t gms_account_service(const gms_account_t *account,
                                                uint32_t flows)
{
    gms_service_t service = account->service;
    uint64_t send_ps, pair_ps;

    if (flows > 1) {
        send_ps = account->send_first_ps + account->send_more_ps * (flows - 1);
        pair_ps = send_ps + account->pair_more_ps;
        service.send_ps =
            (send_ps > service.send_ps) ? send_ps : service.send_ps;
        pair_ps = (pair_ps > service.send_ps) ? pair_ps : service.send_ps;
        service.turn_ps =
            (int64_t)(pair_ps - service.send_ps) - (int64_t)service.receive_ps;
    }
    return service;
}

#endif
