/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Admission of real-time connections by probes, hop by hop.
 *
 *   source   HCA: room on its link? no: rejected at once.  Yes: set aside, and a
 *            probe goes out on the control lane
 *   router   room on the probe's next link (and in the router's power budget)?
 *            Yes: set aside, weights of the link computed, on it goes; at the
 *            target's router an ACK is sent back. No: a NACK that names the
 *            router is sent back
 *   source   ACK: the connection may send. NACK: a release follows the probe's
 *            way up to the router before the one that refused, and gives back
 *   end      the last data packet gives back on its way (visits = 1)
 *
 * Probes, answers and releases are packets of control_flits on the control lane:
 * they take their time, wait for others, and cost energy. Answers come from the
 * router's agent and take the routing's own way back.
 * [source: Yum et al., section 4.1]
 */
#ifndef QOS_PROBE_H
#define QOS_PROBE_H

#include <stdint.h>

#include "fabric/flit.h"

typedef struct gms_probe gms_probe_t; /* admission of the whole cluster */

/** A connection: what is asked for. Bandwidths are parts of a link's: 1 is one
 *  flit per cycle. */
typedef struct gms_probe_request {
    uint32_t connection;      /**< 1..; not in use */
    uint32_t source, target;  /**< nodes; different */
    double average, peak;     /**< 0 < average <= peak; 0 < average <= 1 */
    uint32_t draw;            /**< of its packets: gms_flit_packet_t.draw */
} gms_probe_request_t;

typedef struct gms_probe_answer {
    uint32_t connection;
    int accepted;
    uint32_t link;            /**< rejected: which one has no room */
    uint32_t switch_;         /**< .. the router that rejected; GMS_LINK_NONE: the
                                   source's own HCA */
    int by_power;             /**< .. its power budget, not its link */
    double left;              /**< .. what was left there */
    uint64_t ask_cycle, answer_cycle;
} gms_probe_answer_t;

typedef struct gms_probe_config {
    double capacity;          /**< part of a link that may be set aside, 0..1 */
    unsigned control_flits;
    /** Has the switch power for `average` more? NULL: not asked. Called when a
     *  probe is there; take and give keep the account. */
    int (*power_may)(void *context, uint32_t switch_, double average);
    void (*power_take)(void *context, uint32_t switch_, double average);
    void (*power_give)(void *context, uint32_t switch_, double average);
    void *power_context;
    /** The answer has come to the source. The connection is then set up or
     *  gone. */
    void (*answered)(void *context, const gms_probe_answer_t *answer);
    void *answered_context;
} gms_probe_config_t;

gms_status_t gms_probe_create(const gms_probe_config_t *config,
                              gms_flit_net_t *net, gms_probe_t **probe_p);
/** NULL is fine. */
void gms_probe_destroy(gms_probe_t *probe);

/** Ask. The answer comes through `answered`, never before this returns... except
 *  that a refusal by the source's own HCA comes in the next gms_probe_step().
 *  @return GMS_OK, GMS_ERR_INVALID_PARAM, GMS_ERR_NO_MEMORY */
gms_status_t gms_probe_ask(gms_probe_t *probe,
                           const gms_probe_request_t *request);
/** Without admission control: set the weights and limit of a connection's links
 *  at once, whatever they carry. */
gms_status_t gms_probe_force(gms_probe_t *probe,
                             const gms_probe_request_t *request);
/** It ends without a last data packet: a release packet is sent. */
void gms_probe_close(gms_probe_t *probe, uint32_t connection);
/** Mark a connection's last data packet: it gives back on its way. */
void gms_probe_last(gms_probe_t *probe, uint32_t connection,
                    gms_flit_packet_t *packet);

/* The net's hooks, for packets of any kind: others are left alone. */
enum gms_flit_verdict gms_probe_visit(gms_probe_t *probe, uint32_t switch_,
                                      gms_flit_packet_t *packet,
                                      uint32_t in_link, uint32_t out_link);
/** @return 1 if the packet was one of admission's own: nobody else's business */
int gms_probe_absorbed(gms_probe_t *probe, uint32_t switch_,
                       gms_flit_packet_t *packet);
int gms_probe_arrived(gms_probe_t *probe, gms_flit_packet_t *packet);
/** Once per cycle while gms_probe_is_busy(). */
void gms_probe_step(gms_probe_t *probe);
int gms_probe_is_busy(const gms_probe_t *probe);

/** Set aside on a link now. */
double gms_probe_reserved(const gms_probe_t *probe, uint32_t link);

typedef struct gms_probe_counts {
    uint64_t asked, accepted, rejected, rejected_by_power;
} gms_probe_counts_t;
const gms_probe_counts_t *gms_probe_counts(const gms_probe_t *probe);

#endif
