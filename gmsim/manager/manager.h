/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the bandwidth managers. Every host has one manager, which uses a GM
 * port on the host's first NIC. One of the managers is the master. A process
 * sends its request to the manager of its host. This manager forwards the
 * request to the master, which decides on the request with the help of its
 * account. The master sends changed IDTs to the affected hosts, and the answer
 * to the requester's manager. The managers communicate by messages on the
 * simulated network (manager_message.h). [source: gulati 2001 thesis 4.3]
 *
 * A manager processes one item at a time, in order of arrival. Each item takes
 * qos_manager_ps. A process reaches its manager without using the network. The
 * manager on the master's host also reaches the master without the network. The
 * messages of this manager to the master therefore take no time.
 *
 * If the master does not answer for qos_master_timeout_us while a request
 * waits, the next node in cyclic order becomes the master. The new master
 * rebuilds the account from the grants of all other managers.
 */
#ifndef MANAGER_MANAGER_H
#define MANAGER_MANAGER_H

#include "engine/engine.h"
#include "fabric/fabric.h"
#include "manager/admission.h"

enum gms_qos_handler {
    GMS_QOS_ON_LOCAL = GMS_HANDLER_QOS, /* a request arrives at its manager */
    /* a watch request arrives at its manager */
    GMS_QOS_ON_WATCH,
    /* the end of a watch arrives at its manager */
    GMS_QOS_ON_UNWATCH,
    /* a message or event is in a manager's port */
    GMS_QOS_ON_PORT,
    /* a manager has finished an item of work */
    GMS_QOS_ON_WORK,
    GMS_QOS_ON_TIMER, /* a time-out may have expired */
    GMS_QOS_ON_IDLE   /* it is time to check for idle flows */
};

/** Trace points of the managers (gms_ctx_tracepoint()). */
enum gms_qos_tracepoint {
    GMS_QOS_TRACEPOINT_DECISION = GMS_HANDLER_QOS /* a gms_qos_decision_t */
};

/** Maximum number of flows per request. */
#define GMS_QOS_FLOWS_MAX 256u

typedef struct gms_manager gms_manager_t; /* in the arena */

/** A decision by a master. */
typedef struct gms_qos_decision {
    /* the requested flows, which are granted or denied as a whole */
    const gms_flow_request_t *flows;
    unsigned count;
    int is_release;
    gms_status_t status;
    const gms_qos_verdict_t *verdict; /* the flows are granted if the criterion
                                       * is GMS_QOS_OK */
    const gms_account_t *account;     /* state of the account after the
                                       * decision */
} gms_qos_decision_t;

/** The state of a flow at its NIC. If the class is GMS_QOS_UNMANAGED, the NIC
 * does not regulate the flow, and all other fields are 0. */
typedef struct gms_qos_outcome {
    enum gms_qos_class qos_class;
    uint32_t idt_ticks;
    double bandwidth_bytes_s; /* the charged bandwidth (premium) or the share
                               * (best effort) */
    /* the bounds at the time of the answer, in steps of 10 ns; the account
     * contains the current bounds */
    gms_qos_bounds_t bounds;
} gms_qos_outcome_t;

/** One flow of a call: its request, and its state after the answer. */
typedef struct gms_qos_part {
    /* if qos_class is GMS_QOS_UNMANAGED, the flow is released */
    gms_flow_request_t asked;
    gms_qos_outcome_t after;
} gms_qos_part_t;

/** A request and its answer. The call is in the arena, and the requester owns
 *  it. A request is granted as a whole or denied as a whole. Either all flows
 *  of a call are releases, or none of them. The release of a flow that has no
 *  grant is answered with GMS_OK. */
typedef struct gms_qos_call {
    /* node and rank of the requester and of all flows */
    unsigned source_node, rank;
    /* for a caller that is not a process: handler that is called with this
     * object when the answer has arrived; arg[0] is the call. If the handler is
     * 0, the rank is signalled at the gate instead */
    uint32_t handler;
    void *object;
    /* 1: the answer has arrived */
    int done;
    /* 1: no process waits for the answer. The call receives no more grants, and
     * the manager frees the call. If the call has no handler, the manager
     * also frees the call when the rank is no longer alive. A caller with a
     * handler has no rank */
    int abandoned;
    gms_status_t status; /* GMS_ERR_PEER_DIED: the manager of the host is
                          * dead */
    gms_qos_verdict_t verdict;
    struct gms_qos_call *next; /* only for the manager, as is `number` */
    uint32_t number;
    unsigned count; /* 1..GMS_QOS_FLOWS_MAX */
    gms_qos_part_t flow[];
} gms_qos_call_t;

/** A request for a notice, which the manager sends as soon as it would grant
 *  the flows. The request is in the arena. After gms_manager_post_watch(), the
 *  manager owns the request and frees it. */
typedef struct gms_qos_watch {
    unsigned source_node, port, rank;
    /* cookie of the notice that the port receives; must be unique among the
     * watches of a port */
    uint64_t cookie;
    /* for a caller that is not a process: handler that is called with this
     * object instead of a notice; arg[0] is the cookie. 0: no handler */
    uint32_t handler;
    void *object;
    unsigned count;             /* 1..GMS_QOS_FLOWS_MAX */
    struct gms_qos_watch *next; /* only for the manager, as is `number` */
    uint32_t number;
    gms_flow_request_t flows[];
} gms_qos_watch_t;

/**
 * Creates the managers and opens their ports.
 *
 * @param [in] nics indexed by node; the array is in the arena
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 * @return GMS_ERR_CONFIG qos_master is not a host
 * @return GMS_ERR_BUSY port 0 of a NIC is already open
 */
gms_status_t gms_manager_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                gms_nic_t *const *nics,
                                const gms_params_t *params,
                                gms_manager_t **manager_p);
void gms_manager_register(gms_ctx_t *ctx);
/** Creates a call with `count` flows. All fields are zero except for the
 *  requester, which the function also stores in each flow. gms_arena_free()
 *  frees the call.
 *  @return NULL if the arena is full */
gms_qos_call_t *gms_qos_call_create(gms_arena_t *arena, unsigned source_node,
                                    unsigned rank, unsigned count);
/** Sends a request to the manager at at_ps, the time of the caller's clock
 * [post]. (nic/nic.h explains the mark [post].) */
void gms_manager_post(gms_ctx_t *ctx, gms_manager_t *manager,
                      gms_origin_t *origin, gms_time_t at_ps,
                      gms_qos_call_t *call);
/** Requests a single notice, which the manager sends as soon as it would grant
 *  the flows. If the manager would grant the flows now, it sends the notice
 *  immediately. A watch does not reserve bandwidth. The manager takes ownership
 *  of the watch [post]. */
void gms_manager_post_watch(gms_ctx_t *ctx, gms_manager_t *manager,
                            gms_origin_t *origin, gms_time_t at_ps,
                            gms_qos_watch_t *watch);
/** Cancels a watch [post]. A notice may already have been sent. */
void gms_manager_post_unwatch(gms_ctx_t *ctx, gms_manager_t *manager,
                              gms_origin_t *origin, gms_time_t at_ps,
                              unsigned source_node, unsigned port,
                              uint64_t cookie);
/** Releases all flows of a dead or leaving rank, as if its manager had just
 *  received the releases, and deletes the watches of the rank. */
void gms_manager_release_rank(gms_ctx_t *ctx, gms_manager_t *manager,
                              unsigned rank);
/** Kills the manager of a node's host for the rest of the run. The dead manager
 *  neither answers nor sends messages. Waiting calls are answered with
 *  GMS_ERR_PEER_DIED. */
void gms_manager_kill_node(gms_ctx_t *ctx, gms_manager_t *manager,
                           unsigned node);

/** Returns the grant of a flow, with its current IDT, according to the manager
 * of the flow's host. Returns NULL if the flow has no grant. The pointer is
 * valid until the next event. */
const gms_grant_t *gms_manager_find(const gms_manager_t *manager,
                                    unsigned source_node,
                                    const gms_flow_key_t *key);
/** Returns the account of the current master, which is the master with the
 *  highest term; NULL if no manager is alive. */
const gms_account_t *gms_manager_account(const gms_manager_t *manager);
/** Returns the node on which the master runs. */
unsigned gms_manager_master(const gms_manager_t *manager);

#endif
