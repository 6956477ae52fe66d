/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The bandwidth account: what is promised on each node and link, and what
 * best-effort flows may share. Pure book-keeping; no clock, no messages.
 *
 * A premium flow charges product / IDT to its source node, to every link on
 * its route and to its destination node; a node's account is the sum over all
 * flows that start or end there. [source: gulati 2001 thesis 3.3.1]
 * What a node can promise is gms_service_node_bytes_s() for the managed flows
 * that start there, what a link can is qos_link_bytes_s.
 *
 * Best effort, rule `minshare`: each node and each link divides what premium
 * flows leave there evenly among the best-effort flows that pass; a flow gets
 * the least on its route [source: gulati 2001 thesis 4.3]. One that meets no
 * other managed flow on any node or link gets IDT 0 [source: ibid. 5.6]; where
 * nothing is left it gets the largest IDT. It is never denied: without a grant
 * it would send as well, but unregulated.
 */
#ifndef QOS_ADMISSION_H
#define QOS_ADMISSION_H

#include <stdint.h>

#include "fabric/fabric.h"
#include "nic/nic.h"

enum gms_qos_class { GMS_QOS_UNMANAGED, GMS_QOS_PREMIUM, GMS_QOS_BEST_EFFORT,
                     GMS_QOS_FIXED };
enum gms_qos_criterion { GMS_QOS_OK, GMS_QOS_SOURCE_NODE, GMS_QOS_LINK,
                         GMS_QOS_DESTINATION_NODE };

typedef struct gms_account gms_account_t; /* in the arena */
typedef struct gms_grant gms_grant_t;     /* in the arena */

/** A managed flow. */
struct gms_grant {
    unsigned source_node; /* 0-based; key.target_node is the destination */
    gms_flow_key_t key;
    enum gms_qos_class qos_class;
    uint32_t idt_ticks;
    double bandwidth_bytes_s; /* charged (premium) or shared (best effort,
                                 0 when alone) */
    double reverse_bytes_s;   /* control traffic back, charged like it */
    unsigned rank;            /* who asked */
    gms_grant_t *next;
};

typedef struct gms_qos_verdict {
    enum gms_qos_criterion criterion;
    uint32_t node_or_link;    /* by criterion */
    double left_bytes_s;      /* left there without the request; if granted,
                                 the least left on the route with it */
    uint32_t idt_ticks;
} gms_qos_verdict_t;

/** Told of each flow whose IDT has changed. */
typedef void gms_idt_changed_fn(void *context, const gms_grant_t *grant);

gms_status_t gms_account_create(gms_ctx_t *ctx, const gms_fabric_t *fabric,
                                const gms_params_t *params,
                                gms_account_t **account_p);
/** IDT of a bandwidth: floor(product / (bytes/s)), at least 1, at most
 *  1000000; and the bandwidth that an IDT stands for. */
uint32_t gms_account_idt(const gms_params_t *params, double bytes_s);
double gms_account_bandwidth(const gms_params_t *params, uint32_t idt_ticks);

/**
 * Ask for a flow; again for the same (source node, key) changes it, and a
 * denied change leaves the old grant as it was. Calls `changed` for each flow
 * whose IDT is now another, first the others, then this one; a flow that was
 * not managed before always counts as changed.
 *
 * @param [in] qos_class        GMS_QOS_PREMIUM or GMS_QOS_BEST_EFFORT
 * @param [in] bytes_s          > 0; ignored for best effort
 * @param [in] reverse_bytes_s  >= 0; charged to both nodes and to the links of
 *                              the way back
 *
 * @return GMS_OK                 the verdict is filled, granted or denied
 * @return GMS_ERR_NO_MEMORY      nothing has changed
 * @return GMS_ERR_INVALID_PARAM  class, node or bandwidth out of range
 */
gms_status_t gms_account_request(gms_ctx_t *ctx, gms_account_t *account,
                                 unsigned source_node, unsigned rank,
                                 const gms_flow_key_t *key,
                                 enum gms_qos_class qos_class, double bytes_s,
                                 double reverse_bytes_s,
                                 gms_idt_changed_fn *changed, void *context,
                                 gms_qos_verdict_t *verdict);
/** The released flow is told of with IDT 0 and GMS_QOS_UNMANAGED, the last time
 *  that its grant is valid. @return GMS_OK, GMS_ERR_NOT_FOUND */
gms_status_t gms_account_release(gms_ctx_t *ctx, gms_account_t *account,
                                 unsigned source_node,
                                 const gms_flow_key_t *key,
                                 gms_idt_changed_fn *changed, void *context);
/** NULL if the flow is not managed. */
const gms_grant_t *gms_account_find(const gms_account_t *account,
                                    unsigned source_node,
                                    const gms_flow_key_t *key);
/** First grant; follow ->next. In order of request. */
const gms_grant_t *gms_account_first(const gms_account_t *account);

#endif
