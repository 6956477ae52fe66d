/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The bandwidth account: what is promised on each node and link, and what
 * best-effort flows may share. Pure book-keeping; no clock, no messages.
 *
 * A premium flow charges product / IDT to its source node, to every link on
 * its route and to its destination node; a node's account is the sum over all
 * flows that start or end there. [source: gulati 2001 thesis 3.3.1]
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
 * denied change leaves the old grant as it was.
 * @return GMS_OK with the verdict filled, granted or denied;
 *         GMS_ERR_NO_MEMORY
 */
gms_status_t gms_account_request(gms_ctx_t *ctx, gms_account_t *account,
                                 unsigned source_node, unsigned rank,
                                 const gms_flow_key_t *key,
                                 enum gms_qos_class qos_class, double bytes_s,
                                 double reverse_bytes_s,
                                 gms_idt_changed_fn *changed, void *context,
                                 gms_qos_verdict_t *verdict);
/** @return GMS_OK, GMS_ERR_NOT_FOUND */
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
