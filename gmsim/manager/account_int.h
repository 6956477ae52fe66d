/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to the account: managed flows and their sums.
 *
 *   account -> flows: pool by id, hash by (source node, key), list in order of
 *              request
 *           -> sums of each node and each link: charges, flows that use it
 *           -> shares of best effort (manager/share.h)
 */
#ifndef MANAGER_ACCOUNT_INT_H
#define MANAGER_ACCOUNT_INT_H

#include "manager/admission.h"
#include "manager/bound.h"
#include "manager/service.h"

#define GMS_IDT_MAX_TICKS  1000000u
#define GMS_UNITS_PER_BYTE 1024
/* A flow without an id; and the level of a place that holds nobody back. */
#define GMS_MANAGED_NONE UINT32_MAX

typedef int64_t gms_units_t; /* 1/1024 byte/s */
typedef struct gms_managed gms_managed_t;
typedef struct gms_share gms_share_t;
typedef struct gms_share_entry gms_share_entry_t;
struct gms_blocking;

/* What a flow takes of its two processes; all 0 for best effort. */
typedef struct gms_host_time {
    int64_t source_ps, target_ps;                /* charged, in each second */
    double source_s_per_byte, target_s_per_byte; /* of GM payload, as asked */
} gms_host_time_t;

struct gms_managed {
    gms_grant_t grant;       /* first: this is what others see */
    gms_managed_t *previous; /* in order of request; grant.next is the other */
    gms_units_t there, back; /* charged; there is 0 for best effort */
    gms_host_time_t host;
    uint32_t id;
    uint64_t order;     /* rises with the first request */
    uint32_t crossings; /* best effort: places where it meets others */
    uint32_t told_idt;  /* the NIC's, as far as we were told of it */
    uint8_t entry_count;
    uint8_t is_touched;           /* its IDT may have to change */
    uint8_t is_new;               /* never told of */
    gms_share_entry_t *entries;   /* best effort: one per place, or NULL */
    gms_units_t level;            /* best effort: what it may have */
    gms_bound_flow_t *bound;      /* premium, if there is a rule for bounds */
    gms_bound_flow_t *bound_back; /* of its reverse traffic, if it has any */
    gms_grant_t back_grant;       /* what bound_back is about */
    gms_managed_t *next_touched;  /* also: of a free one, the next free one */
    gms_managed_t *next_work;
};

/* Who is at a place. With one flow there, ids is its id: no search. */
typedef struct gms_presence {
    uint32_t flows;
    uint32_t ids; /* of all of them, by exclusive or */
} gms_presence_t;

typedef struct gms_node_sum {
    gms_units_t out, in; /* charged */
    gms_presence_t here;
    uint32_t sourced; /* managed flows that start here */
} gms_node_sum_t;

typedef struct gms_link_sum {
    gms_units_t charged;
    gms_presence_t here;
} gms_link_sum_t;

typedef struct gms_flow_slot {
    uint32_t hash, id; /* GMS_MANAGED_NONE: empty */
} gms_flow_slot_t;

/** Flows by id, by key and in order. Chunks stay where they are, so that flows
 *  can be pointed to. */
typedef struct gms_flow_book {
    gms_managed_t **chunks;
    uint32_t chunk_count, chunk_room;
    gms_managed_t *free;
    gms_flow_slot_t *slots;
    uint32_t slot_count; /* a power of two */
    uint32_t count;
    uint64_t next_order;
    gms_managed_t *first, *last;
} gms_flow_book_t;

struct gms_account {
    gms_arena_t *arena;
    gms_topology_t *topology;
    gms_params_t params;
    unsigned nodes, links;
    int is_incoming;                    /* qos_node_rule */
    gms_units_t product;                /* charge of an IDT of 1 */
    gms_units_t node_units, link_units; /* capacities */
    gms_service_t service;              /* of a node that one flow leaves */
    uint64_t send_first_ps, send_more_ps, pair_more_ps; /* S(1),
                                     S(n + 1) - S(n), R + E: manager/service.h */
    gms_units_t time_units; /* rate * time that a node has per packet:
                                     MTU x 1 s */
    gms_node_sum_t *node;
    gms_link_sum_t *link;
    int64_t *process_ps; /* promised, in each second; by process */
    uint32_t processes;
    gms_flow_book_t book;
    gms_bound_t *bound; /* NULL: no rule */
    gms_share_t *share; /* by place, see share.h */
    uint32_t place_count;
    uint32_t sharing; /* best-effort flows that are not idle */
    uint32_t *dirty;  /* places to look at */
    uint32_t dirty_count;
    uint32_t *queue; /* maxmin: heap of places */
    size_t queue_count;
    gms_managed_t *touched;
    uint64_t rates;                /* that were worked out anew */
    struct gms_blocking *blocking; /* NULL: reserved packets do not block each
                                      other in place (manager/blocking.h) */
    double effort_part;            /* of its share, that best effort may have */
};

/* ---- account_flows.c ---- */

gms_status_t gms_flow_book_init(gms_arena_t *arena, gms_flow_book_t *book);
void gms_flow_book_cleanup(gms_arena_t *arena, gms_flow_book_t *book);
/** NULL if there is none. */
gms_managed_t *gms_flow_book_find(const gms_flow_book_t *book,
                                  unsigned source_node,
                                  const gms_flow_key_t *key);
/** Append one that is not in it. @return NULL if the arena is full */
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

/** What packets take of a node's time, as gms_service_of(). */
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
