/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private header of the account: declares the shares of best-effort flows. A
 * share depends on the resources on the flow's route and on the bandwidth that
 * premium flows leave at these resources.
 *
 * Indices of resources:
 *
 * - 3 n: total of the incoming and outgoing bytes of node n, at most
 *   qos_node_bytes_s
 * - 3 n + 1: time of node n, under the rule `incoming`. An outgoing byte takes
 *   the time S' / MTU, and an incoming byte takes the time R' / MTU. Together,
 *   outgoing and incoming bytes take at most all of the node's time
 *   (manager/service.h). The additional time of a pair is charged to one
 *   direction, as if all packets of this direction were in pairs. The charge is
 *   therefore never too small. Either direction may be charged. The rule
 *   chooses the direction that leaves more bandwidth per flow if all flows have
 *   the same rate.
 * - 3 n + 2: time of node n, counted differently. This resource is needed if
 *   the two packets of a pair take less time together than separately. The
 *   saved time may be used only once. Therefore resource 3 n + 1 counts this
 *   time for outgoing flows, and resource 3 n + 2 counts it for incoming flows.
 *   Both resources limit the flows.
 * - 3 N + l: link l
 *
 * Every resource has a level, which limits the rate of all flows at this
 * resource. C is the capacity that remains after premium flows, and w(f) is the
 * weight of flow f:
 *
 * - minshare: level = floor(C / sum of all w), which is an even share, even if
 *   other flows cannot use their shares [source: gulati 2001 thesis 4.3]
 * - maxmin: level = the smallest t for which the sum of w(f) * min(t, r(f)) is
 *   at least C', or no limit if there is no such t. The rate r(f) is the rate
 *   that the other resources permit for flow f [source: Bertsekas and Gallager,
 *   Data networks, 6.5.2: progressive filling]
 *
 * The rate of a flow is the smallest level on its route. The capacity C' is C -
 * (sum of w) + 1. Because the level is rounded up, the flows may use up to (sum
 * of w) - 1 more than C', but never more than C. With this rounding, a level
 * depends only on lower levels. With the opposite rounding, two resources of
 * the same level could depend on each other, and the result would depend on the
 * order of computation. If one resource limits all flows, the level is again
 * the even share, floor(C / sum of w).
 */
#ifndef MANAGER_SHARE_H
#define MANAGER_SHARE_H

#include "manager/account_int.h"

#define GMS_LEVEL_NONE           INT64_MAX
#define GMS_SHARE_NODE_RESOURCES 3u

/** A flow at a resource; the entries of a flow are adjacent in memory. */
struct gms_share_entry {
    gms_share_entry_t *previous, *next, *child;
    gms_managed_t *flow;
    gms_units_t key; /* if the state is ELSEWHERE: the rate of the flow */
    uint32_t resource;
    /* 1: the flow passes through the resource in this direction; a loop at its
     * node passes through it in both directions */
    uint8_t out, in;
    uint8_t state; /* a value of enum gms_share_state */
};

enum gms_share_state {
    /* the flow is not included here, because it is idle or is being changed */
    GMS_SHARE_APART = 0,
    GMS_SHARE_HERE,     /* limited by the level of the resource: the entry is in
                         * the resource's list */
    GMS_SHARE_ELSEWHERE /* limited by another resource to a lower rate: the
                          * entry is in the resource's heap */
};

struct gms_share {
    __int128 elsewhere_out, elsewhere_in; /* sums of the keys of the entries in
                                           * the heap `elsewhere` */
    gms_units_t level;
    gms_units_t queue_key;
    gms_share_entry_t *here; /* list of the flows that this resource limits,
                              * linked by `next` and `previous` */
    /* pairing heap with the largest key on top; `child` and `next` link the
     * children of an entry, and `previous` is the preceding sibling or the
     * parent */
    gms_share_entry_t *elsewhere;
    uint32_t here_out, here_in;
    uint32_t out, in; /* number of outgoing flows and number of incoming flows
                       * at the resource */
    uint32_t queued;  /* position in the queue + 1; 0: the resource is not in
                       * the queue */
    uint8_t is_dirty;
};

/** Returns the number of resources of an account for given numbers of nodes and
 *  links. */
static inline uint32_t gms_share_resources(unsigned nodes, unsigned links)
{
    return GMS_SHARE_NODE_RESOURCES * nodes + links;
}

gms_status_t gms_share_init(gms_account_t *account);
void gms_share_cleanup(gms_account_t *account);

/** Allocates the entries of a best-effort flow.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_share_prepare(gms_account_t *account, gms_managed_t *flow);
void gms_share_forget(gms_account_t *account, gms_managed_t *flow);
/** Adds a prepared flow to the sharing, or removes it. */
void gms_share_join(gms_account_t *account, gms_managed_t *flow);
void gms_share_leave(gms_account_t *account, gms_managed_t *flow);

/** Marks a resource for an update. */
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
/** Marks a flow whose IDT may need to be changed. */
void gms_share_touch(gms_account_t *account, gms_managed_t *flow);

/** Updates all marked resources and their flows. */
void gms_share_update(gms_account_t *account);

/* ---- used by both rules ---- */

/** Computes the level of a resource from the flows in the resource's list and
 *  heap. */
gms_units_t gms_share_level(const gms_account_t *account, uint32_t resource);
/** Returns the smallest level on the flow's route. */
gms_units_t gms_share_least(const gms_account_t *account,
                            const gms_managed_t *flow);
void gms_share_attach(gms_account_t *account, gms_share_entry_t *entry,
                      enum gms_share_state state, gms_units_t key);
void gms_share_detach(gms_account_t *account, gms_share_entry_t *entry);

#endif
