/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the admission of real-time connections by probes, hop by hop.
 *
 *   source   The HCA checks whether its link has room. If not, it rejects the
 *            connection at once. Otherwise it reserves the bandwidth and sends
 *            a probe on the control lane.
 *   router   The router checks whether the probe's next link has room, and
 *            whether the router's power budget suffices. If so, it reserves the
 *            bandwidth, computes the link's weights and forwards the probe. The
 *            target's router sends an ACK back. If the check fails, the router
 *            sends back a NACK that names the router.
 *   source   After an ACK, the connection may send. After a NACK, the source
 *            returns the share of its own link. If other links were reserved, a
 *            release packet follows the probe's route to the last router that
 *            accepted the probe, and returns the shares of these links.
 *   end      The last data packet (visits = 1) returns the shares on its route.
 *
 * Probes, answers and releases are packets of control_flits on the control
 * lane. They therefore take time, wait for other packets, and consume energy.
 * The router's agent sends the answers, and the routing determines their route
 * back to the source. A packet takes effect at a router when the router routes
 * the packet's head. An answer is sent when the agent has received the complete
 * packet.
 *
 * A route of D + 1 routers has D + 2 links, and bandwidth is reserved on all of
 * them. The HCA of the source reserves the source's own link. Each router
 * reserves the link to the next router. The last router checks the link into
 * the target before it sends the ACK.
 *
 * Bandwidths are integers in units of 10^-12 of a link, rounded down.
 * With this rounding, n connections of 1/n fit on a link, and a release returns
 * exactly the reserved amount.
 *
 * The weights of a link's lanes depend on the lane policy. If the field `draw`
 * of a packet selects the lane, the connection's bandwidth is charged to this
 * lane. If a packet may use any lane, the reserved bandwidth of a link is
 * divided evenly among its real-time lanes. [source: Yum et al., section 4.1]
 */
#ifndef HCASIM_PROBE_H
#define HCASIM_PROBE_H

#include <stdint.h>

#include "fabric/flit.h"

/* state of the admission control for the whole cluster */
typedef struct gms_probe gms_probe_t;

/** A requested connection. Bandwidths are fractions of a link's bandwidth. The
 *  value 1 means one flit per cycle. */
typedef struct gms_probe_request {
    uint32_t connection;     /**< number of the connection, at least 1; no other
                              *   connection may use this number */
    uint32_t source, target; /**< numbers of two different nodes */
    double average, peak;    /**< 0 < average <= peak; 0 < average <= 1; a peak
                                  above 1 is treated as 1 */
    uint32_t draw;           /**< value of gms_flit_packet_t.draw for the
                              *   connection's packets */
} gms_probe_request_t;

typedef struct gms_probe_answer {
    uint32_t connection;
    int accepted;
    /** if rejected, the link without room, or the next link of the route if the
     * reason was the router's power budget; if accepted, GMS_LINK_NONE */
    uint32_t link;
    /** if rejected, the router, or GMS_LINK_NONE for the source's own HCA */
    uint32_t switch_index;
    /** 1 if the reason for the rejection was the router's power budget, not the
     *  link */
    int by_power;
    /** if rejected, the remaining bandwidth of the link, at least 0 */
    double left;
    /** results of gms_flit_now() when the request was made and when the answer
     *  arrived */
    uint64_t ask_cycle, answer_cycle;
} gms_probe_answer_t;

typedef struct gms_probe_config {
    double capacity;        /**< fraction of a link that may be reserved,
                             * 0..1 */
    unsigned control_flits; /**< 1..65535 */
    /** Checks whether the switch has enough power for an additional rate of
     *  `average`. The function is called when a probe has arrived and its next
     *  link has enough bandwidth. If the function is NULL, power is not
     *  checked. The function power_take subtracts this power from the switch's
     *  power, and power_give returns the power. Either function may be NULL. */
    int (*power_may)(void *context, uint32_t switch_index, double average);
    void (*power_take)(void *context, uint32_t switch_index, double average);
    void (*power_give)(void *context, uint32_t switch_index, double average);
    void *power_context;
    /** Called when the answer has arrived at the source. At this time, either
     *  the connection has been set up, or it has been deleted and its number
     *  can be used again. The function may request, close and mark connections.
     *  NULL if there is no callback */
    void (*answered)(void *context, const gms_probe_answer_t *answer);
    void *answered_context;
} gms_probe_config_t;

/** Creates the admission control.
 *  @param [in] net must outlive the admission control, and must not have
 *  sinks_hold set
 *  @return GMS_OK, GMS_ERR_CONFIG (a field is outside its range, or sinks_hold
 *  is set), GMS_ERR_NO_MEMORY */
gms_status_t gms_probe_create(const gms_probe_config_t *config,
                              gms_flit_net_t *net, gms_probe_t **probe_p);
/** Destroys the admission control. NULL is allowed. If the net still contains
 *  packets of admission control, the caller must not step the net again. */
void gms_probe_destroy(gms_probe_t *probe);

/** Requests a connection. The callback `answered` reports the answer, but never
 *  before this function returns. If the source's own HCA rejects the
 *  connection, the next gms_probe_step() reports this.
 *  @return GMS_OK
 *  @return GMS_ERR_INVALID_PARAM a value is outside its range, the node does
 *  not exist, or the fabric lacks agents or lanes for real time or control
 *  @return GMS_ERR_BUSY the connection's number is in use
 *  @return GMS_ERR_NO_MEMORY the state is unchanged */
gms_status_t gms_probe_ask(gms_probe_t *probe,
                           const gms_probe_request_t *request);
/** Sets up a connection without admission control. The function sets the
 *  weights and limit of the connection's links immediately, regardless of their
 *  load. The function neither checks nor charges power. When the connection is
 *  closed, all its links are released immediately, and no packet is sent.
 *  @return the same values as gms_probe_ask(); agents and a control lane are
 *  not required */
gms_status_t gms_probe_force(gms_probe_t *probe,
                             const gms_probe_request_t *request);
/** Ends a connection without a last data packet. The function sends a release
 *  packet and frees the connection's number. If the connection's probe is still
 *  in flight, the connection ends when the answer has arrived and has been
 *  reported. Until then, its number remains in use. Call the function after
 *  gms_probe_last() if the last packet was dropped at its source. The function
 *  has no effect on an unknown or rejected connection. */
void gms_probe_close(gms_probe_t *probe, uint32_t connection);
/** Marks a connection's last data packet. This packet must not have left its
 *  source. The packet releases the links on its route. As soon as the packet's
 *  head is at the first router, the packet releases the source's own link and
 *  frees the connection's number. If the connection is not set up, the function
 *  has no effect. */
void gms_probe_last(gms_probe_t *probe, uint32_t connection,
                    gms_flit_packet_t *packet);

/* Functions for the hooks of the net. These functions may be called for packets
 * of any kind, and they ignore packets that do not concern admission control.
 * In packets of admission control, the field `owner` points to the
 * gms_probe_t. */
enum gms_flit_verdict gms_probe_visit(gms_probe_t *probe, uint32_t switch_index,
                                      gms_flit_packet_t *packet,
                                      uint32_t in_link, uint32_t out_link);
/** @return 1 if the packet belonged to admission control; other hooks must
 *  ignore such a packet */
int gms_probe_absorbed(gms_probe_t *probe, uint32_t switch_index,
                       gms_flit_packet_t *packet);
int gms_probe_arrived(gms_probe_t *probe, gms_flit_packet_t *packet);
/** Reports the rejections by the sources' HCAs. Call this function once per
 *  cycle if gms_probe_is_busy(). */
void gms_probe_step(gms_probe_t *probe);
int gms_probe_is_busy(const gms_probe_t *probe);

/** Returns the currently reserved fraction of a link's bandwidth. */
double gms_probe_reserved(const gms_probe_t *probe, uint32_t link);

typedef struct gms_probe_counts {
    uint64_t asked;              /**< number of calls to gms_probe_ask() that
                                  * were accepted */
    uint64_t accepted, rejected; /**< numbers of received answers */
    uint64_t rejected_by_power;  /**< number of rejections because of power,
                                  *   which `rejected` includes */
} gms_probe_counts_t;
const gms_probe_counts_t *gms_probe_counts(const gms_probe_t *probe);

#endif
