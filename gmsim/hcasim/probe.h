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
 * A route of D + 1 routers has D + 2 links, and all of them count: the source's
 * own (which its HCA assigns), those between routers, and the one from the last
 * router into the target, which that router checks before it sends the ACK.
 *
 * Bandwidths are integers in units of 10^-12 of a link, rounded down: n
 * connections of 1/n fit on a link, and exactly the reserved amount is
 * returned.
 *
 * Weights: with drawn lanes a connection counts for the lane that its packets
 * will draw on that link; with free lanes (any lane may carry it) all real-time
 * lanes of a link share its reserved bandwidth evenly.
 * [source: Yum et al., section 4.1]
 */
#ifndef HCASIM_PROBE_H
#define HCASIM_PROBE_H

#include <stdint.h>

#include "fabric/flit.h"

typedef struct gms_probe gms_probe_t; /* admission of the whole cluster */

/** A connection: what is asked for. Bandwidths are parts of a link's: 1 is one
 *  flit per cycle. */
typedef struct gms_probe_request {
    uint32_t connection;     /**< 1..; not in use */
    uint32_t source, target; /**< nodes; different */
    double average, peak;    /**< 0 < average <= peak; 0 < average <= 1; a peak
                                  above 1 counts as 1 */
    uint32_t draw;           /**< of its packets: gms_flit_packet_t.draw */
} gms_probe_request_t;

typedef struct gms_probe_answer {
    uint32_t connection;
    int accepted;
    uint32_t link; /**< rejected: which one has no room; by power: the one
                           that it would have taken next; accepted:
                           GMS_LINK_NONE */
    uint32_t switch_index; /**< .. the router that rejected; GMS_LINK_NONE: the
                           source's own HCA */
    int by_power;          /**< .. its power budget, not its link */
    double left;           /**< .. what the link had left, never below 0 */
    uint64_t ask_cycle, answer_cycle; /**< gms_flit_now() at either */
} gms_probe_answer_t;

typedef struct gms_probe_config {
    double capacity;        /**< part of a link that may be set aside, 0..1 */
    unsigned control_flits; /**< 1..65535 */
    /** Has the switch power for `average` more? NULL: not asked. Called when a
     *  probe is there and its next link has room; take and give keep the
     *  account, either may be NULL. */
    int (*power_may)(void *context, uint32_t switch_index, double average);
    void (*power_take)(void *context, uint32_t switch_index, double average);
    void (*power_give)(void *context, uint32_t switch_index, double average);
    void *power_context;
    /** The answer has come to the source. The connection is then set up, or
     *  gone and its number free. May ask, close and mark. NULL: nobody is told */
    void (*answered)(void *context, const gms_probe_answer_t *answer);
    void *answered_context;
} gms_probe_config_t;

/** @param [in] net  must outlive it; its sinks do not hold
 *  @return GMS_OK, GMS_ERR_CONFIG (a field outside its range, sinks_hold),
 *          GMS_ERR_NO_MEMORY */
gms_status_t gms_probe_create(const gms_probe_config_t *config,
                              gms_flit_net_t *net, gms_probe_t **probe_p);
/** NULL is fine. Packets of its own must not be in the net any more, unless the
 *  net is not stepped again. */
void gms_probe_destroy(gms_probe_t *probe);

/** Ask. The answer comes through `answered`, never before this returns; a
 *  refusal by the source's own HCA comes in the next gms_probe_step().
 *  @return GMS_OK
 *  @return GMS_ERR_INVALID_PARAM  a value outside its range, no such node, no
 *                                 lanes for real time or control, no agents
 *  @return GMS_ERR_BUSY           the connection's number is in use
 *  @return GMS_ERR_NO_MEMORY      nothing has happened */
gms_status_t gms_probe_ask(gms_probe_t *probe,
                           const gms_probe_request_t *request);
/** Without admission control: set the weights and limit of a connection's links
 *  at once, whatever they carry. Power is not asked and not charged. When it is
 *  closed, all its links give back at once, too; no packet is sent.
 *  @return as gms_probe_ask(); needs no agents and no control lane */
gms_status_t gms_probe_force(gms_probe_t *probe,
                             const gms_probe_request_t *request);
/** It ends without a last data packet: a release packet is sent, and the number
 *  is free. While its probe is under way: as soon as the answer, which is still
 *  told, has come; until then the number is in use. After gms_probe_last(): the
 *  packet was dropped at its source. Unknown or rejected: nothing happens. */
void gms_probe_close(gms_probe_t *probe, uint32_t connection);
/** Mark a connection's last data packet, not offered yet or still waiting at its
 *  source: it gives back on its way, the source's own link when its head is at
 *  the first router; the number is free from then on. Not set up: nothing
 *  happens. */
void gms_probe_last(gms_probe_t *probe, uint32_t connection,
                    gms_flit_packet_t *packet);

/* The net's hooks, for packets of any kind: others are left alone. Admission's
 * own packets have the gms_probe_t as owner. */
enum gms_flit_verdict gms_probe_visit(gms_probe_t *probe, uint32_t switch_index,
                                      gms_flit_packet_t *packet,
                                      uint32_t in_link, uint32_t out_link);
/** @return 1 if the packet was one of admission's own: nobody else's business */
int gms_probe_absorbed(gms_probe_t *probe, uint32_t switch_index,
                       gms_flit_packet_t *packet);
int gms_probe_arrived(gms_probe_t *probe, gms_flit_packet_t *packet);
/** Once per cycle while gms_probe_is_busy(). */
void gms_probe_step(gms_probe_t *probe);
int gms_probe_is_busy(const gms_probe_t *probe);

/** Set aside on a link now, part of it. */
double gms_probe_reserved(const gms_probe_t *probe, uint32_t link);

typedef struct gms_probe_counts {
    uint64_t asked;              /**< gms_probe_ask() that were taken */
    uint64_t accepted, rejected; /**< answers that have come */
    uint64_t rejected_by_power;  /**< of the rejected */
} gms_probe_counts_t;
const gms_probe_counts_t *gms_probe_counts(const gms_probe_t *probe);

#endif
