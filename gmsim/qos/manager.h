/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Bandwidth managers: one per node, that of node 0 the master. A process's
 * request goes to its node's manager, from there to the master, which decides
 * with the account; changed IDTs go to the nodes concerned, the answer comes
 * back. Each step is an event and takes virtual time.
 * [source: gulati 2001 thesis 4.3]
 *
 *   node n                            node 0
 *   ON_LOCAL, qos_manager_ps
 *             -- qos_message_ps -->   ON_MASTER, qos_manager_ps, ON_DECIDE
 *   ON_IDT    <- qos_message_ps --    (to every node whose flows change)
 *   ON_ANSWER <- qos_message_ps --    (after the IDTs on that node)
 *
 * A manager does one thing at a time, in the order of arrival. A process of
 * node 0 finds the master as its local manager; messages on one node take no
 * time.
 */
#ifndef QOS_MANAGER_H
#define QOS_MANAGER_H

#include "qos/admission.h"

enum gms_qos_handler {
    GMS_QOS_ON_LOCAL = GMS_HANDLER_QOS, /* request reaches the local manager */
    GMS_QOS_ON_MASTER,                  /* request reaches the master */
    GMS_QOS_ON_IDT,                     /* new IDT reaches a node */
    GMS_QOS_ON_ANSWER,                  /* answer reaches the requester */
    GMS_QOS_ON_DECIDE                   /* master has worked on a request */
};

typedef struct gms_manager gms_manager_t; /* in the arena */

/** A request on its way and its answer; in the arena, the requester's. A
 *  release of what is not held is answered with GMS_OK. A flow that the
 *  account does not know is GMS_QOS_UNMANAGED afterwards. */
typedef struct gms_qos_call {
    unsigned source_node, rank;
    gms_flow_key_t key;
    enum gms_qos_class qos_class; /* GMS_QOS_UNMANAGED: release */
    double bytes_s, reverse_bytes_s;
    int done;                     /* set with the answer; the rank is then
                                     signalled at the gate */
    int abandoned;                /* nobody waits: nothing is granted any more,
                                     the manager frees the call; the same if
                                     the rank is no longer alive */
    gms_status_t status;
    gms_qos_verdict_t verdict;
    enum gms_qos_class class_after;
    uint32_t idt_after;
    double bandwidth_after;
} gms_qos_call_t;

/** nics: by node, array in the arena. */
gms_status_t gms_manager_create(gms_ctx_t *ctx, const gms_fabric_t *fabric,
                                gms_nic_t *const *nics,
                                const gms_params_t *params,
                                gms_manager_t **manager_p);
void gms_manager_register(gms_ctx_t *ctx);
/** Start a request at the caller's clock [post]. */
void gms_manager_post(gms_ctx_t *ctx, gms_manager_t *manager,
                      gms_origin_t *origin, gms_time_t at_ps,
                      gms_qos_call_t *call);
/** Release all that a dead or leaving rank holds, as if its node's manager had
 *  been asked now. */
void gms_manager_release_rank(gms_ctx_t *ctx, gms_manager_t *manager,
                              unsigned rank);
const gms_account_t *gms_manager_account(const gms_manager_t *manager);

#endif
