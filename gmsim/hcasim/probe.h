/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Admission of real-time connections by probes, hop by hop.
 *
 *   source   HCA: room on its link? No: rejected at once.  Yes: reserved, and a
 *            probe is sent on the control lane
 *   router   room on the probe's next link (and in the router's power budget)?
 *            Yes: reserved, weights of the link computed, probe forwarded; at the
 *            target's router an ACK is sent back. No: a NACK that names the
 *            router is sent back
 *   source   ACK: the connection may send. NACK: its own link's share is
 *            returned, and a release follows the probe's route to the router before
 *            the one that refused, and returns the shares (none at the first)
 *   end      the last data packet returns the shares on its route (visits = 1)
 *
 * Probes, answers and releases are packets of control_flits on the control
 * lane: they take time, wait for other packets, and cost energy. Answers are
 * sent by the router's agent and take the routing's own route back. A packet
 * takes effect at a router when its head is routed there; an answer is sent
 * when the packet is completely in the agent.
 *
 * A route of D + 1 routers has D + 2 links, and all of them count. The HCA of
 * the source assigns the source's own link. The links between routers follow.
 * The last router checks the link into the target before it sends the ACK.
 *
 * Bandwidths are integers in units of 10^-12 of a link, rounded down: n
 * connections of 1/n fit on a link, and exactly the reserved amount is
 * returned.
 *
 * Weights: with drawn lanes a connection counts for the lane that its packets
 * will draw on that link. With free lanes (any lane may carry it) all real-time
 * lanes of a link share its reserved bandwidth evenly. [source: Yum et al.,
 * section 4.1]
 */
#ifndef HCASIM_PROBE_H
#define HCASIM_PROBE_H

#include <stdint.h>

#include "fabric/flit.h"

typedef struct gms_probe gms_probe_t; /* admission of the whole cluster */

/** A requested connection. Bandwidths are parts of a link's bandwidth: 1 is one
 *  flit per cycle. */
typedef struct gms_probe_request {
    uint32_t connection;     /**< 1..; must not be in use */
    uint32_t source, target; /**< nodes; different */
    double average, peak;    /**< 0 < average <= peak; 0 < average <= 1; a peak
                                  above 1 counts as 1 */
    uint32_t draw;           /**< gms_flit_packet_t.draw of its packets */
} gms_probe_request_t;

typedef struct gms_probe_answer {
    uint32_t connection;
    int accepted;
    /** rejected: the link without room or, if the router's power budget was the
     * reason, the next link of the route; accepted: GMS_LINK_NONE */
    uint32_t link;
    /** rejected: the router; GMS_LINK_NONE: the source's own HCA */
    uint32_t switch_index;
    /** rejected by the power budget of the router, not by the link */
    int by_power;
    /** rejected: remaining bandwidth of the link, at least 0 */
    double left;
    /** gms_flit_now() at the request and the answer */
    uint64_t ask_cycle, answer_cycle;
} gms_probe_answer_t;

typedef struct gms_probe_config {
    double capacity;        /**< part of a link that may be reserved, 0..1 */
    unsigned control_flits; /**< 1..65535 */
    /** Checks whether the switch has power for `average` more. NULL: no check.
     *  Called when a probe has arrived and its next link has room. take and give
     *  keep the account; either may be NULL. */
    int (*power_may)(void *context, uint32_t switch_index, double average);
    void (*power_take)(void *context, uint32_t switch_index, double average);
    void (*power_give)(void *context, uint32_t switch_index, double average);
    void *power_context;
    /** The answer has arrived at the source. The connection is then set up, or
     *  it is deleted and its number free. The function may request, close and
     *  mark connections. NULL: no callback */
    void (*answered)(void *context, const gms_probe_answer_t *answer);
    void *answered_context;
} gms_probe_config_t;

/** Creates the admission control.
 *  @param [in] net must outlive it and must not have sinks_hold set
 *  @return GMS_OK, GMS_ERR_CONFIG (a field outside its range, sinks_hold),
 *  GMS_ERR_NO_MEMORY */
gms_status_t gms_probe_create(const gms_probe_config_t *config,
                              gms_flit_net_t *net, gms_probe_t **probe_p);
/** NULL is allowed. The net must not contain packets of admission any more,
 *  unless it is not stepped again. */
void gms_probe_destroy(gms_probe_t *probe);

/** Requests a connection. The answer is reported by `answered`, never before
 *  this function returns. A rejection by the source's own HCA is reported in the
 *  next gms_probe_step().
 *  @return GMS_OK
 *  @return GMS_ERR_INVALID_PARAM a value outside its range, no such node, no
 *  lanes for real time or control, no agents
 *  @return GMS_ERR_BUSY the connection's number is in use
 *  @return GMS_ERR_NO_MEMORY the state is unchanged */
gms_status_t gms_probe_ask(gms_probe_t *probe,
                           const gms_probe_request_t *request);
/** Without admission control: sets the weights and limit of a connection's links
 *  immediately, independent of their load. Power is neither checked nor charged.
 *  When the connection is closed, all its links are also released immediately;
 *  no packet is sent.
 *  @return as gms_probe_ask(); needs no agents and no control lane */
gms_status_t gms_probe_force(gms_probe_t *probe,
                             const gms_probe_request_t *request);
/** Ends a connection without a last data packet: a release packet is sent, and
 * the number is free. While its probe is in flight, the connection ends when
 * the answer has arrived, which is still reported; until then the number is in
 * use. A call after gms_probe_last() reports that the last packet was dropped
 * at its source. The function has no effect on an unknown or rejected
 * connection. */
void gms_probe_close(gms_probe_t *probe, uint32_t connection);
/** Marks a connection's last data packet, which is not offered yet or still
 * waits at its source. The packet releases the links on its route, and the
 * source's own link when its head is at the first router. The number is free
 * after this call. The function has no effect if the connection is not set
 * up. */
void gms_probe_last(gms_probe_t *probe, uint32_t connection,
                    gms_flit_packet_t *packet);

/* Hooks of the net for packets of any kind; other packets are ignored.
 * Admission's own packets have the gms_probe_t as owner. */
enum gms_flit_verdict gms_probe_visit(gms_probe_t *probe, uint32_t switch_index,
                                      gms_flit_packet_t *packet,
                                      uint32_t in_link, uint32_t out_link);
/** @return 1 if the packet belonged to admission: other hooks must ignore it */
int gms_probe_absorbed(gms_probe_t *probe, uint32_t switch_index,
                       gms_flit_packet_t *packet);
int gms_probe_arrived(gms_probe_t *probe, gms_flit_packet_t *packet);
/** Reports the rejections by the sources' HCAs. Call this function once per
 * cycle while gms_probe_is_busy(). */
void gms_probe_step(gms_probe_t *probe);
int gms_probe_is_busy(const gms_probe_t *probe);

/** Returns the part of a link that is reserved now. */
double gms_probe_reserved(const gms_probe_t *probe, uint32_t link);

typedef struct gms_probe_counts {
    uint64_t asked;              /**< accepted calls of gms_probe_ask() */
    uint64_t accepted, rejected; /**< received answers */
    uint64_t rejected_by_power;  /**< part of `rejected` */
} gms_probe_counts_t;
const gms_probe_counts_t *gms_probe_counts(const gms_probe_t *probe);

#endif
