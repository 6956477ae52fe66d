/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gmsim_counters.h - counters of NICs and flows, and the parameters of the
 * cluster.
 *
 * All counters begin with 0 at virtual time 0 and only grow, unless their
 * comment says "now". Times are picoseconds of virtual time. Counts are of
 * complete objects: a message or packet in flight is counted when it ends,
 * unless the comment of the counter states otherwise.
 *
 * A read shows the cluster at the caller's clock: the call waits until the
 * whole cluster has simulated everything earlier, and costs the profile's clock
 * read (host_clock_read_ps). The values are therefore the same in every run.
 */
#ifndef GMSIM_GMSIM_COUNTERS_H
#define GMSIM_GMSIM_COUNTERS_H

#include <stdint.h>

#include "gm_qos.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Of one card. Bytes are GM payload: what GM's callers gave, without headers;
 *  control packets (acknowledgements, probes) have none. */
typedef struct gmsim_nic_counters {
    uint64_t now_ps; /**< the caller's clock */

    /* traffic */
    uint64_t packets_sent;     /**< data packets put on the link, each time that
                                    they were */
    uint64_t bytes_sent;       /**< .. their payload */
    uint64_t packets_received; /**< data packets taken, each once */
    uint64_t bytes_received;
    uint64_t messages_sent;     /**< sends, puts and gets that ended well */
    uint64_t messages_received; /**< messages that the host was told of */
    uint64_t acks_sent, acks_received;
    uint64_t nacks_sent, nacks_received;
    uint64_t probes_sent;    /**< questions after a silence */
    uint64_t packets_resent; /**< data packets taken back because they were
                                    lost or refused, to be sent again */

    /* packets that came in and were dropped */
    uint64_t bad_crc_drops;  /**< damaged on the way */
    uint64_t sequence_drops; /**< out of order, or a second time */
    uint64_t no_token_drops; /**< no receive token (or no memory on the card)
                                    for the message */
    uint64_t other_drops;    /**< port closed, size or memory not acceptable,
                                    a get that is over, a reset */

    /* stalls */
    uint64_t idt_waits;       /**< packets that could have gone earlier but for
                                    their flow's next dispatch time */
    uint64_t idt_wait_ps;     /**< .. how much, all flows together */
    uint64_t window_waits;    /**< times that a flow found too many packets to
                                    its target's card unacknowledged */
    uint64_t window_wait_ps;  /**< .. until there was room, all flows together*/
    uint64_t backoffs;        /**< times that a flow waited after a refusal */
    uint64_t backoff_ps;      /**< .. counted when it begins to */
    uint64_t memory_waits;    /**< sends that waited for memory of the card */
    uint64_t blocked_packets; /**< packets that had to stop on the link, while
                                    others held one or the target had no
                                    receive buffer; control packets too */
    uint64_t blocked_ps;
    uint64_t receive_buffer_waits; /**< packets that came and found all receive
                                          buffers of this card in use */
    uint64_t receive_buffer_wait_ps; /**< .. until one was free */

    /* how long each part has been busy */
    uint64_t lanai_busy_ps;
    uint64_t host_dma_busy_ps; /**< both directions: there is one engine */
    uint64_t send_dma_busy_ps; /**< from a packet's start to its tail leaving,
                                    the time it was blocked included */
    uint64_t receive_dma_busy_ps; /**< packets coming in */

    uint64_t sram_used_bytes; /**< memory of the card in use now */
    uint64_t flows;           /**< flows that the card has known */
    uint64_t quantum_ends;    /**< turns of flows that ended because the rest of
                                    the quantum was less than the next packet
                                    (scheduler byte-rr), all flows together */
} gmsim_nic_counters_t;

/** Of one flow, at its source's card; bytes as above. */
typedef struct gmsim_flow_counters {
    uint64_t now_ps;       /**< the caller's clock */
    uint64_t idt_ticks;    /**< now; ticks of 0.5 us, 0: unregulated */
    uint64_t packets_sent; /**< dispatched by the scheduler, each time that
                                    they were */
    uint64_t bytes_sent;
    uint64_t packets_resent; /**< taken back to be dispatched again */
    uint64_t bytes_resent;
    uint64_t packets_arrived; /**< written to the target's memory */
    uint64_t bytes_arrived;
    uint64_t messages_sent; /**< sends, puts and gets that ended well */
    uint64_t active_ps;     /**< had something queued or unacknowledged, up to
                                    now */
    uint64_t idt_waits, idt_wait_ps; /**< as of the card, and so are these: */
    uint64_t window_waits, window_wait_ps;
    uint64_t backoffs, backoff_ps;
    uint64_t quantum_ends;
} gmsim_flow_counters_t;

/**
 * Counters of any node's card.
 *
 * @param [in]  node_id   GM node id, 1..
 * @param [out] counters  untouched unless GM_SUCCESS
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER  no such node, or a NULL
 * @return GM_FAILURE            the process is not in the cluster
 */
gm_status_t gmsim_get_nic_counters(unsigned node_id,
                                   gmsim_nic_counters_t *counters);

/**
 * Counters of flows of a port, all of the same moment; 0 in all of a flow that
 * has not been used.
 *
 * @param [in]  flows     count of them, in any order
 * @param [out] counters  count of them; untouched unless GM_SUCCESS
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER  the port is not open, a NULL, or a flow with a
 *                               node, port, priority or label out of range
 */
gm_status_t gmsim_get_flow_counters(struct gm_port *port,
                                    const gm_qos_flow_t *flows, unsigned count,
                                    gmsim_flow_counters_t *counters);

/* ---- Parameters -------------------------------------------------------- */

/** A row of the parameter table; its texts last as long as the process. */
typedef struct gmsim_param {
    const char *name;
    const char *unit;  /**< "" if it has none */
    const char *doc;   /**< meaning, ends with its source in brackets */
    uint64_t min, max; /**< allowed, inclusive */
    const char *const *choices; /**< names of the values 0, 1, .., with a NULL
                                     after them; or NULL: a number */
    int is_shape; /**< 1: gmsim_set_param() does not take it, since
                                other lines of a description depend on it */
} gmsim_param_t;

/**
 * Row of an index: 0, 1, .. in the order of `gmsim params`.
 *
 * @return GM_SUCCESS, GM_NO_MATCH (index past the end), GM_INVALID_PARAMETER (a
 *         NULL)
 */
gm_status_t gmsim_get_param_info(unsigned index, gmsim_param_t *param);

/**
 * Change a parameter of the cluster that this process is going to join, as if
 * the cluster description said so. All ranks must do the same, or gm_init()
 * fails and names the parameter. gm_init() also checks it together with the
 * others.
 *
 * @return GM_SUCCESS
 * @return GM_NO_MATCH           unknown name
 * @return GM_INVALID_PARAMETER  out of its range
 * @return GM_PERMISSION_DENIED  is_shape: only the description says that
 * @return GM_BUSY               gm_init() has been called
 */
gm_status_t gmsim_set_param(const char *name, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
