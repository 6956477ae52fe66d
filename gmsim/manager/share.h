/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Shares of best-effort flows: the resources on their routes, and the bandwidth
 * that premium flows leave there. Private to the account.
 *
 * Indices of resources:
 *   3 n        node n: bytes in and out, at most qos_node_bytes_s
 *   3 n + 1    node n, rule `incoming`: time; a byte out takes S' / MTU, a byte
 *              in R' / MTU, at most all of it (manager/service.h). The additional
 *              time of a pair is charged to one direction as if all its packets
 *              were in pairs, which is never too little: to the direction whose
 *              charge leaves flows more if all have the same rate
 *   3 n + 2    the same, where a pair takes less than two packets alone: that
 *              may be counted once, so 3 n + 1 counts it for outgoing flows, and
 *              3 n + 2 for incoming ones; flows are limited by both
 *   3 N + l    link l
 *
 * A resource with capacity C left by premium flows, where flow f weighs w(f),
 * has a level, which limits the rate of every flow there.
 *
 *   minshare  level = floor(C / sum of all w): an even share, even if the
 *             others cannot use theirs [source: gulati 2001 thesis 4.3]
 *   maxmin    the least t with sum of w * min(t, rate of f elsewhere) >= C',
 *             none if there is no such t [source: Bertsekas and Gallager, Data
 *             networks, 6.5.2: progressive filling]
 *
 * and the rate of a flow is the least level on its route. C' = C - sum of w +
 * 1: the level is rounded up and may take up to (sum of w) - 1 more than C'.
 * With this rounding a level depends on lower levels alone; with the other one,
 * two resources of the same level could wait for each other, and the result
 * would depend on the order of computation. If one resource limits all flows,
 * the level is again the even share, floor(C / sum of w).
 */
#ifndef MANAGER_SHARE_H
#define MANAGER_SHARE_H

#include "manager/account_int.h"

#define GMS_LEVEL_NONE           INT64_MAX
#define GMS_SHARE_NODE_RESOURCES 3u

/** What a flow is to a place; entries of a flow lie side by side. */
struct gms_share_entry {
    gms_share_entry_t *previous, *next, *child;
    gms_managed_t *flow;
    gms_units_t key; /* elsewhere: what the flow gets */
    uint32_t resource;
    uint8_t out, in; /* 1: passes so; a loop at its node has both */
    uint8_t state;   /* enum gms_share_state */
};

enum gms_share_state {
    GMS_SHARE_APART = 0, /* not at the place: idle, or being changed */
    GMS_SHARE_HERE,      /* gets the place's level: in its list */
    GMS_SHARE_ELSEWHERE  /* gets less, from another place: in its heap */
};

struct gms_share {
    __int128 elsewhere_out, elsewhere_in; /* sums of keys */
    gms_units_t level;
    gms_units_t queue_key;
    gms_share_entry_t *here;      /* list, by next and previous */
    gms_share_entry_t *elsewhere; /* pairing heap, the largest key on top: its
                                     children by child and next; previous is
                                     the elder sibling or the parent */
    uint32_t here_out, here_in;
    uint32_t out, in; /* all flows */
    uint32_t queued;  /* place in the queue + 1 */
    uint8_t is_dirty;
};

/** Places of an account with so many nodes and links. */
static inline uint32_t gms_share_resources(unsigned nodes, unsigned links)
{
    return GMS_SHARE_NODE_RESOURCES * nodes + links;
}

gms_status_t gms_share_init(gms_account_t *account);
void gms_share_cleanup(gms_account_t *account);

/** Room for the entries of a best-effort flow. @return GMS_OK,
 *  GMS_ERR_NO_MEMORY */
gms_status_t gms_share_prepare(gms_account_t *account, gms_managed_t *flow);
void gms_share_forget(gms_account_t *account, gms_managed_t *flow);
/** Let a prepared flow take part, or no longer. */
void gms_share_join(gms_account_t *account, gms_managed_t *flow);
void gms_share_leave(gms_account_t *account, gms_managed_t *flow);

/** Something is different there. */
void gms_share_mark(gms_account_t *account, uint32_t resource);
static inline void gms_share_mark_node(gms_account_t *account, unsigned node)
{
    if (account->sharing > 0) {
        gms_share_mark(account, GMS_SHARE_NODE_RESOURCES * node);
        gms_share_mark(account, GMS_SHARE_NODE_RESOURCES * node + 1);
        gms_share_mark(account, GMS_SHARE_NODE_RESOURCES * node + 2);
    }
}
static inline void gms_share_mark_link(gms_account_t *account, uint32_t link)
{
    if (account->sharing > 0) {
        gms_share_mark(account,
                       GMS_SHARE_NODE_RESOURCES * account->nodes + link);
    }
}
/** The flow's IDT is to be looked at. */
void gms_share_touch(gms_account_t *account, gms_managed_t *flow);

/** Bring all marked places and the flows there up to date. */
void gms_share_update(gms_account_t *account);

/* ---- for the two rules ---- */

/** The level that follows from who is in the list and who in the heap. */
gms_units_t gms_share_level(const gms_account_t *account, uint32_t resource);
/** Least level on the flow's way. */
gms_units_t gms_share_least(const gms_account_t *account,
                            const gms_managed_t *flow);
void gms_share_attach(gms_account_t *account, gms_share_entry_t *entry,
                      enum gms_share_state state, gms_units_t key);
void gms_share_detach(gms_account_t *account, gms_share_entry_t *entry);

#endif
