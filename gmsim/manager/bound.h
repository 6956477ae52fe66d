/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Bounds of reserved flows: the largest delay, the jitter, the latency of the
 * service, and the packets that may meet in a buffer, for all flows in force
 * (doc/guarantees.md). They are computed from the topology and the parameters
 * only, without a clock or messages. The bandwidth account
 * (manager/admission.h) owns one such set of bounds.
 *
 *   source NIC --> link .. link --> link into the target --> target's NIC
 *   SOURCE n       LINK l ..        TARGET m: link and NIC are one server
 *
 * Every flow is paced: its next dispatch times (NDT) are at least one IDT
 * apart. Behind every server its packets deviate from that pace by at most the
 * difference of the delays so far. In every time t at most
 *
 *   1 + floor((t + J) / IDT)
 *
 * packets arrive at the next server, where J is the sum of these differences. A
 * server works while it has packets, first come, first served. The largest
 * delay there is the largest distance, over all x in a busy period, between the
 * work that arrives up to x and x itself. Packets that share the link into a
 * switch arrive one after the other, which limits their work up to x. [source:
 * Cruz 1991; Le Boudec and Thiran, Network Calculus, 2001; Henia et al., System
 * level performance analysis - the SymTA/S approach, 2005, for the arrival
 * curves of paced packets with jitter]
 *
 * The delays of all servers depend on each other by J. They are the least fixed
 * point, reached from below by a list of servers to compute again; the order in
 * which flows were added does not matter. Delays of NICs that send and receive
 * depend on each other: after a removal they may keep each other above the
 * least fixed point. Such bounds are safe, but too large. An overloaded server
 * has no bound. Servers with many flows publish their delay rounded up to a
 * grid, therefore an additional flow mostly changes its own servers only.
 *
 * Changes are tentative until they are committed.
 */
#ifndef MANAGER_BOUND_H
#define MANAGER_BOUND_H

#include "manager/admission.h"

typedef struct gms_bound gms_bound_t;           /* in the arena */
typedef struct gms_bound_flow gms_bound_flow_t; /* in the arena */

/**
 * @param [out] bound_p  NULL: no rule applies to these parameters (fabric_model,
 *                       undeclared), and nothing is bounded
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_bound_create(gms_arena_t *arena,
                              const gms_topology_t *topology,
                              const gms_params_t *params,
                              gms_bound_t **bound_p);
/** NULL is fine. */
void gms_bound_destroy(gms_bound_t *bound);

/** Add a flow, tentatively: its nodes, IDT and shape are read now; its bounds are
 *  written at every commit that changes them, so the grant must stay where it is.
 *  @param [in] is_question  work out no more once a server has no bound: it will
 *                           be denied and undone
 *  @return GMS_OK, GMS_ERR_NO_MEMORY (all tentative changes since the last mark
 *          that was taken are to be undone) */
gms_status_t gms_bound_add(gms_bound_t *bound, gms_grant_t *grant,
                           int is_question, gms_bound_flow_t **flow_p);
/** Remove a flow, tentatively; it is freed by the commit.
 *  @param [in] may_loosen  bounds of others may stay higher than they must be, until
 *                          gms_bound_tighten()
 *  @return as gms_bound_add() */
gms_status_t gms_bound_remove(gms_bound_t *bound, gms_bound_flow_t *flow,
                              int may_loosen);
/** 1: bounds may be higher than they must be. */
int gms_bound_is_loose(const gms_bound_t *bound);
/** Work all bounds out from below, tentatively, if they are loose.
 *  @return as gms_bound_add() */
gms_status_t gms_bound_tighten(gms_bound_t *bound);
/** Remove a flow for good, without memory and without a look at the others: their
 *  bounds stay as they are, which is too high at most. */
void gms_bound_forget(gms_bound_t *bound, gms_bound_flow_t *flow);
/** A point to which tentative changes can be undone. */
uint32_t gms_bound_mark(const gms_bound_t *bound);
/** Undo all tentative changes since the mark, exactly. */
void gms_bound_undo(gms_bound_t *bound, uint32_t mark);
/** Told of a grant whose IDT is shorter than before. */
typedef void gms_bound_hastened_fn(void *context, gms_grant_t *grant);
/** Make all changes for good and write the bounds that have changed.
 *  @param [in] hastened  may be told of a grant more than once */
void gms_bound_commit(gms_bound_t *bound, gms_bound_hastened_fn *hastened,
                      void *context);

/**
 * Whether a flow that was added tentatively can be granted: every server that is
 * affected has a bound, its packets fit into its buffers, and no delay or jitter
 * that was asked for is exceeded.
 *
 * @param [in]     flow     the one that was added
 * @param [in]     is_more  0: it takes no more than before, so only its own
 *                          delay and jitter are looked at
 * @param [in,out] verdict  if denied: criterion, place, victim, bounds (those
 *                          that the flow would have)
 *
 * @return 1 if it can
 */
int gms_bound_check(gms_bound_t *bound, const gms_bound_flow_t *flow,
                    int is_more, gms_qos_verdict_t *verdict);

/**
 * Shorten the IDTs of affected flows of which a window would have less than
 * GMS_QOS_KEPT of its bandwidth: a window has its pace for all of its length but
 * L, so a slightly faster pace makes up for L. Their grants are changed, until this
 * is undone.
 *
 * @param [in]     is_question  it will be undone: no IDT is shorter than it must be
 * @param [out]    count_p  flows that have a shorter IDT: gms_bound_check() again
 * @param [in,out] verdict  filled if a window stays too short: criterion
 *                          GMS_QOS_LATENCY, place, victim
 * @return as gms_bound_add()
 */
gms_status_t gms_bound_hasten(gms_bound_t *bound, int is_question,
                              unsigned *count_p, gms_qos_verdict_t *verdict);

/** What a flow is guaranteed with all tentative changes. */
void gms_bound_of(const gms_bound_t *bound, const gms_bound_flow_t *flow,
                  gms_qos_bounds_t *bounds);
/** Most reserved packets that may be in the input buffer at a link's end at a
 *  time, acknowledgements included; 0 for a link into a NIC. */
uint64_t gms_bound_link_packets(gms_bound_t *bound, uint32_t link);
/** .. in the receive buffers of a node's NIC, as far as there are any. */
uint64_t gms_bound_node_packets(gms_bound_t *bound, unsigned node);
/** How often a server was worked out since the start: what it all costs. */
uint64_t gms_bound_evaluations(const gms_bound_t *bound);

#endif
