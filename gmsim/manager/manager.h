/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Bandwidth managers: one per host, with a GM port on its first NIC; one of
 * them is the master. The request of a process goes to the manager of its host,
 * and from there to the master, which decides with the account. The master
 * sends changed IDTs to the affected hosts and returns the answer. The managers
 * communicate by messages on the simulated network (manager_message.h).
 * [source: gulati 2001 thesis 4.3]
 *
 * A manager processes one item at a time, for qos_manager_ps, in the order of
 * arrival. A process reaches its manager without the network, and so does the
 * manager of the master's host: its messages to the master take no time.
 *
 * If the master does not answer for qos_master_timeout_us while a request
 * waits, the next node in cyclic order becomes the master and rebuilds the
 * account from the grants of all other managers.
 */
#ifndef MANAGER_MANAGER_H
#define MANAGER_MANAGER_H

#include "engine/engine.h"
#include "fabric/fabric.h"
#include "manager/admission.h"

enum gms_qos_handler {
    GMS_QOS_ON_LOCAL = GMS_HANDLER_QOS, /* a request reaches its manager */
    GMS_QOS_ON_WATCH,                   /* so does a question to be kept */
    GMS_QOS_ON_UNWATCH,                 /* .. and its end */
    GMS_QOS_ON_PORT,                    /* something is in a manager's port */
    GMS_QOS_ON_WORK,                    /* a manager has done a piece of work */
    GMS_QOS_ON_TIMER,                   /* somebody may not have answered */
    GMS_QOS_ON_IDLE                     /* time to look for idle flows */
};

/** What managers tell who looks on (gms_ctx_tracepoint()). */
enum gms_qos_tracepoint {
    GMS_QOS_TRACEPOINT_DECISION = GMS_HANDLER_QOS /* a gms_qos_decision_t */
};

/** Most flows of one request. */
#define GMS_QOS_FLOWS_MAX 256u

typedef struct gms_manager gms_manager_t; /* in the arena */

/** What a master has decided. */
typedef struct gms_qos_decision {
    const gms_flow_request_t *flows; /* asked for as a whole */
    unsigned count;
    int is_release;
    gms_status_t status;
    const gms_qos_verdict_t *verdict; /* criterion GMS_QOS_OK: granted */
    const gms_account_t *account;     /* as it is now */
} gms_qos_decision_t;

/** What a flow holds at its NIC. GMS_QOS_UNMANAGED: nothing, the rest is 0. */
typedef struct gms_qos_outcome {
    enum gms_qos_class qos_class;
    uint32_t idt_ticks;
    double bandwidth_bytes_s; /* charged (premium) or shared (best effort) */
    gms_qos_bounds_t bounds; /* as of the answer, in steps of 10 ns; the account
                                 has the present ones */
} gms_qos_outcome_t;

/** One flow of a call: its request, and the state that the request led to. */
typedef struct gms_qos_part {
    gms_flow_request_t asked; /* qos_class GMS_QOS_UNMANAGED: release */
    gms_qos_outcome_t after;
} gms_qos_part_t;

/** A request and its answer; in the arena, the requester's. It is granted as a
 *  whole or not at all. All of its flows release, or none. The release of a flow
 *  that holds nothing is answered with GMS_OK. */
typedef struct gms_qos_call {
    unsigned source_node, rank; /* of the requester and of all flows */
    uint32_t handler;           /* of a caller that is no process: called with
                                   object and arg[0] = the call when the answer
                                   is there; 0: see done */
    void *object;
    int done;      /* set with the answer; the rank is then signalled at the
                            gate */
    int abandoned; /* no process waits: nothing is granted any more, and the
                            manager frees the call; the same if the rank is no
                            longer alive (a caller with a handler has none) */
    gms_status_t status; /* GMS_ERR_PEER_DIED: the host's manager is dead */
    gms_qos_verdict_t verdict;
    struct gms_qos_call *next; /* the manager's, as is the number */
    uint32_t number;
    unsigned count; /* 1..GMS_QOS_FLOWS_MAX */
    gms_qos_part_t flow[];
} gms_qos_call_t;

/** A question to be kept: tell me when these flows would be granted. In the
 *  arena; the manager's from gms_manager_post_watch() on, which frees it. */
typedef struct gms_qos_watch {
    unsigned source_node, port, rank;
    uint64_t cookie;  /* of the notice that the port gets; names the watch
                              among those of the port */
    uint32_t handler; /* of who is no process: called instead of a notice,
                              with object and arg[0] = cookie; 0: none */
    void *object;
    unsigned count;             /* 1..GMS_QOS_FLOWS_MAX */
    struct gms_qos_watch *next; /* the manager's, as is the number */
    uint32_t number;
    gms_flow_request_t flows[];
} gms_qos_watch_t;

/**
 * nics: by node, array in the arena. Ports of the managers are opened.
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 * @return GMS_ERR_CONFIG  qos_master is no host
 * @return GMS_ERR_BUSY    port 0 of a card is open already
 */
gms_status_t gms_manager_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                                gms_nic_t *const *nics,
                                const gms_params_t *params,
                                gms_manager_t **manager_p);
void gms_manager_register(gms_ctx_t *ctx);
/** A call of count flows, zeroed but for the requester, which each flow names, too.
 *  Freed with gms_arena_free().
 *  @return NULL if the arena is full */
gms_qos_call_t *gms_qos_call_create(gms_arena_t *arena, unsigned source_node,
                                    unsigned rank, unsigned count);
/** Start a request at the caller's clock [post]. */
void gms_manager_post(gms_ctx_t *ctx, gms_manager_t *manager,
                      gms_origin_t *origin, gms_time_t at_ps,
                      gms_qos_call_t *call);
/** Ask to be told, once, when the flows would be granted; at once if they would
 *  be now. Nothing is reserved by it. [post]; takes ownership */
void gms_manager_post_watch(gms_ctx_t *ctx, gms_manager_t *manager,
                            gms_origin_t *origin, gms_time_t at_ps,
                            gms_qos_watch_t *watch);
/** Do not tell any more [post]. A notice may be on its way. */
void gms_manager_post_unwatch(gms_ctx_t *ctx, gms_manager_t *manager,
                              gms_origin_t *origin, gms_time_t at_ps,
                              unsigned source_node, unsigned port,
                              uint64_t cookie);
/** Release all that a dead or leaving rank holds, as if its node's manager had
 *  been asked now, and forget its watches. */
void gms_manager_release_rank(gms_ctx_t *ctx, gms_manager_t *manager,
                              unsigned rank);
/** The manager of a node's host dies for good: it neither answers nor sends.
 *  What waits for it is answered with GMS_ERR_PEER_DIED. */
void gms_manager_kill_node(gms_ctx_t *ctx, gms_manager_t *manager,
                           unsigned node);

/** What a flow's own manager knows of it: its grant, with the IDT in force.
 *  NULL if it holds nothing. Valid until the next event. */
const gms_grant_t *gms_manager_find(const gms_manager_t *manager,
                                    unsigned source_node,
                                    const gms_flow_key_t *key);
/** The account of the master in office, of the highest term; NULL if no
 *  manager lives. */
const gms_account_t *gms_manager_account(const gms_manager_t *manager);
/** Its node. */
unsigned gms_manager_master(const gms_manager_t *manager);

#endif
