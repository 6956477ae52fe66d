/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Congestion control of a cluster of HCAs: which messages hosts may hand to
 * their HCA, and which of these may go into the network. Policies by name:
 *
 *   none         as many as the HCA has room for
 *   credit       a message needs a credit of its completion queue; the credit
 *                comes back when the message has left the HCA. Real time: a
 *                queue per connection with C_i = b_i / B x M credits. Best
 *                effort: one queue per node with what is left or credits_best
 *   separate-cq  the same with a best-effort queue for each destination
 *   quad-cq      .. for each quadrant of a mesh or torus around the node
 *   alo          at least one lane free in every useful link, or all lanes free
 *                in one of them, else nothing new enters [source: Baydal, Lopez
 *                and Duato 2000]
 *   self-tuned   full buffers of the whole network, told over a side band every
 *                so many cycles, against a threshold that tunes itself by the
 *                throughput [source: Thottethodi, Lebeck and Mukherjee 2001]
 *
 * [source: Yum et al., sections 4.2 and 4.3]
 */
#ifndef QOS_CONGESTION_H
#define QOS_CONGESTION_H

#include <stdint.h>

#include "hca/hca.h"

typedef struct gms_congestion gms_congestion_t; /* of the whole cluster */

enum gms_congestion_policy {
    GMS_CONGESTION_NONE = 0,
    GMS_CONGESTION_CREDIT,
    GMS_CONGESTION_SEPARATE_CQ,
    GMS_CONGESTION_QUAD_CQ,
    GMS_CONGESTION_ALO,
    GMS_CONGESTION_SELF_TUNED,
    GMS_CONGESTION_POLICIES
};
extern const char *const gms_congestion_policy_names[]; /* ends with NULL */

typedef struct gms_congestion_config {
    unsigned policy;          /**< enum gms_congestion_policy */
    unsigned buffer_messages; /**< M of each HCA */
    unsigned credits_best;    /**< best-effort credits of a node, all its queues
                                   together (divided evenly); 1.. */
    /* self-tuned */
    unsigned gather_cycles;   /**< between two looks of the side band */
    unsigned tune_gathers;    /**< looks between two tunings */
} gms_congestion_config_t;

/** Defaults with their sources. */
void gms_congestion_config_init(gms_congestion_config_t *config);

/** @param [in] net  must outlive it
 *  @return GMS_OK, GMS_ERR_CONFIG (quad-cq without rows and columns; text),
 *          GMS_ERR_NO_MEMORY */
gms_status_t gms_congestion_create(const gms_congestion_config_t *config,
                                   gms_flit_net_t *net,
                                   gms_congestion_t **congestion_p,
                                   char error[GMS_TOPOLOGY_ERROR_LEN]);
/** NULL is fine. */
void gms_congestion_destroy(gms_congestion_t *congestion);

/** A real-time connection that sends from node begins or ends.
 *  @param [in] share  b_i / B, 0 < share <= 1 */
void gms_congestion_open(gms_congestion_t *congestion, uint32_t node,
                         uint32_t connection, double share);
void gms_congestion_close(gms_congestion_t *congestion, uint32_t node,
                          uint32_t connection);

/* As gms_hca_gate_t's, to be put behind one gate together with power's. */
int gms_congestion_may_post(gms_congestion_t *congestion, uint32_t node,
                            const gms_hca_message_t *message);
int gms_congestion_may_enter(gms_congestion_t *congestion, uint32_t node,
                             const gms_hca_message_t *message);
void gms_congestion_posted(gms_congestion_t *congestion, uint32_t node,
                           const gms_hca_message_t *message);
void gms_congestion_entered(gms_congestion_t *congestion, uint32_t node,
                            const gms_hca_message_t *message);
/** A completion has come: its credit is free. */
void gms_congestion_completed(gms_congestion_t *congestion, uint32_t node,
                              const gms_hca_message_t *message);
/** Flits have been delivered: throughput, for self-tuned. */
void gms_congestion_arrived(gms_congestion_t *congestion,
                            const gms_hca_message_t *message);
/** Once per cycle, before the HCAs. */
void gms_congestion_step(gms_congestion_t *congestion);
/** The next cycle at which step has something to do, whatever happens; an idle
 *  network may be skipped until then. */
uint64_t gms_congestion_next(const gms_congestion_t *congestion);

#endif
