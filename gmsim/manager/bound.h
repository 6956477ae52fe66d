/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes bounds for all reserved flows in force: the largest delay, the
 * jitter, the latency of the service, and the number of packets that may meet
 * in a buffer (doc/guarantees.md). The computation uses only the topology and
 * the parameters, and needs neither a clock nor messages. The bandwidth account
 * (manager/admission.h) owns one such set of bounds.
 *
 *   source NIC --> link .. link --> link into the target --> target's NIC
 *   SOURCE n       LINK l ..        TARGET m: link and NIC are one server
 *
 * Every flow is paced: its next dispatch times (NDT) are at least one IDT
 * apart. At every server, packets can deviate further from this pace, by at
 * most the difference between the server's largest and smallest delay. Let J be
 * the sum of these differences over the servers that a packet has passed
 * through. Then in every interval of length t, the next server receives at most
 *
 *   1 + floor((t + J) / IDT) packets.
 *
 * A server works while it has packets, and serves them in order of arrival. The
 * largest delay at a server is the maximum, over all times x in a busy period,
 * of the work that arrives up to x, minus x. Packets that share the link into a
 * switch arrive one after the other, which limits the work that they bring up
 * to time x. [source: Cruz 1991; Le Boudec and Thiran, Network Calculus, 2001;
 * Henia et al., System level performance analysis - the SymTA/S approach, 2005,
 * for the arrival curves of paced packets with jitter]
 *
 * Through J, the delays of all servers depend on each other. The delays are the
 * least fixed point of these dependencies. The computation approaches this
 * point from below, with a list of servers that must be computed again. The
 * order in which flows are added does not affect the result. The delays of NICs
 * that send and receive depend on each other. After a flow has been removed,
 * these delays may therefore remain above the least fixed point. Such bounds
 * are safe, but may be too large. An overloaded server has no bound. Servers
 * with many flows publish a delay that is rounded up to a grid, which usually
 * limits the effect of an additional flow to its own servers.
 *
 * Changes are tentative until they are committed.
 */
#ifndef MANAGER_BOUND_H
#define MANAGER_BOUND_H

#include "manager/admission.h"

typedef struct gms_bound gms_bound_t;           /* located in the arena */
typedef struct gms_bound_flow gms_bound_flow_t; /* located in the arena */

/**
 * Creates an empty set of bounds.
 *
 * @param [out] bound_p NULL: no rule applies to these parameters (fabric_model,
 *              undeclared), so there are no bounds
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_bound_create(gms_arena_t *arena,
                              const gms_topology_t *topology,
                              const gms_params_t *params,
                              gms_bound_t **bound_p);
/** NULL is allowed. */
void gms_bound_destroy(gms_bound_t *bound);

/** Adds a flow tentatively. The function reads the flow's nodes, IDT and shape
 *  immediately. Every commit that changes the flow's bounds stores the new
 *  bounds in the grant, so the grant must not move.
 *  @param [in] is_question 1: the function stops at the first server without a
 *      bound, because the flow will be denied and the change will be undone
 *  @return GMS_OK, GMS_ERR_NO_MEMORY (the caller must undo all tentative
 *  changes since its last mark) */
gms_status_t gms_bound_add(gms_bound_t *bound, gms_grant_t *grant,
                           int is_question, gms_bound_flow_t **flow_p);
/** Removes a flow tentatively. The commit frees the flow.
 *  @param [in] may_loosen  1: bounds of other flows may remain higher than
 *  necessary until gms_bound_tighten() is called
 *  @return the same values as gms_bound_add() */
gms_status_t gms_bound_remove(gms_bound_t *bound, gms_bound_flow_t *flow,
                              int may_loosen);
/** Returns 1 if bounds may be higher than necessary. */
int gms_bound_is_loose(const gms_bound_t *bound);
/** If bounds may be higher than necessary, computes all bounds again, beginning
 *  with the smallest possible values. The change is tentative.
 *  @return the same values as gms_bound_add() */
gms_status_t gms_bound_tighten(gms_bound_t *bound);
/** Removes a flow permanently, without allocating memory and without computing
 *  other flows. The bounds of the other flows are not updated, so they may be
 *  too high, but never too low. */
void gms_bound_forget(gms_bound_t *bound, gms_bound_flow_t *flow);
/** Returns a mark for undoing later tentative changes. */
uint32_t gms_bound_mark(const gms_bound_t *bound);
/** Undoes all tentative changes since the mark. The state is then exactly as it
 *  was when the mark was set. */
void gms_bound_undo(gms_bound_t *bound, uint32_t mark);
/** gms_bound_commit() calls this function for a grant whose IDT is shorter than
 *  before. */
typedef void gms_bound_hastened_fn(void *context, gms_grant_t *grant);
/** Makes all changes permanent, and writes the bounds that have changed to the
 *  grants.
 *  @param [in] hastened callback that may be called more than once for a
 *      grant */
void gms_bound_commit(gms_bound_t *bound, gms_bound_hastened_fn *hastened,
                      void *context);

/**
 * Checks whether a tentatively added flow can be granted: every affected server
 * has a bound, its packets fit into its buffers, and no requested delay or
 * jitter is exceeded.
 *
 * @param [in] flow the flow that was added
 * @param [in] is_more 0: the flow does not require more than before, so only
 *     its own delay and jitter are checked
 * @param [in,out] verdict if denied: criterion, resource, victim, and the
 *         bounds that the flow would have
 * @return 1 if the flow can be granted
 */
int gms_bound_check(gms_bound_t *bound, const gms_bound_flow_t *flow,
                    int is_more, gms_qos_verdict_t *verdict);

/**
 * Shortens the IDTs of the affected flows that would receive less than
 * GMS_QOS_KEPT of their bandwidth in a window. In a window of length W, the
 * pace of a flow is guaranteed only for W - L. A slightly faster pace therefore
 * makes up for L. The grants of these flows keep the shorter IDTs until the
 * change is undone.
 *
 * @param [in] is_question 1: the change will be undone, so the function
 *     shortens no IDT more than necessary
 * @param [out] count_p number of flows whose IDT was shortened; if it is not 0,
 *   call gms_bound_check() again
 * @param [in,out] verdict filled in if a flow still receives too little
 *     bandwidth in a window: criterion GMS_QOS_LATENCY, resource, victim
 * @return the same values as gms_bound_add()
 */
gms_status_t gms_bound_hasten(gms_bound_t *bound, int is_question,
                              unsigned *count_p, gms_qos_verdict_t *verdict);

/** Returns the guarantees of a flow, with all tentative changes. */
void gms_bound_of(const gms_bound_t *bound, const gms_bound_flow_t *flow,
                  gms_qos_bounds_t *bounds);
/** Returns the largest number of reserved packets, including acknowledgements,
 *  that may be in the input buffer at a link's end at one time; 0 for a link
 *  into a NIC. */
uint64_t gms_bound_link_packets(gms_bound_t *bound, uint32_t link);
/** Returns the largest number of reserved packets in the receive buffers of a
 *  node's NIC, limited to the number of buffers. */
uint64_t gms_bound_node_packets(gms_bound_t *bound, unsigned node);
/** Returns the number of server computations since the start, as a measure of
 *  the cost. */
uint64_t gms_bound_evaluations(const gms_bound_t *bound);

#endif
