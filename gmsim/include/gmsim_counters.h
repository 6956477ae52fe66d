/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gmsim_counters.h - counters of NICs and flows, and the parameters of the
 * cluster.
 *
 * All counters are 0 at virtual time 0 and never decrease, unless their comment
 * contains "current". Times are in picoseconds of virtual time. A message or
 * packet is counted when it has been completed, unless the comment of the
 * counter states otherwise.
 *
 * A read returns the counters at the time of the caller's clock. The call waits
 * until the whole cluster has simulated all earlier events, and costs one clock
 * read (parameter host_clock_read_ps). The values are therefore the same in
 * every run.
 */
#ifndef GMSIM_GMSIM_COUNTERS_H
#define GMSIM_GMSIM_COUNTERS_H

#include <stdint.h>

#include "gm_qos.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Counters of one NIC. Byte counters cover the GM payload: the data of GM's
 *  callers, without headers. Control packets (acknowledgements, probes) have no
 *  payload. */
typedef struct gmsim_nic_counters {
    uint64_t now_ps; /**< time of the caller's clock */

    /* traffic */
    uint64_t packets_sent;     /**< data packets put on the link, including
                                *   repetitions */
    uint64_t bytes_sent;       /**< payload of the packets in packets_sent */
    uint64_t packets_received; /**< data packets accepted, without
                                *   repetitions */
    uint64_t bytes_received;
    uint64_t messages_sent;     /**< sends, puts and gets that ended
                                 *   successfully */
    uint64_t messages_received; /**< messages reported to the host */
    uint64_t acks_sent, acks_received;
    uint64_t nacks_sent, nacks_received;
    uint64_t probes_sent;    /**< probes sent after a period without an
                              *   acknowledgement */
    uint64_t packets_resent; /**< data packets returned to the queue because
                              *   they were lost or refused; they are sent
                              *   again */

    /* packets that arrived but were dropped */
    uint64_t bad_crc_drops;  /**< packets damaged in the network */
    uint64_t sequence_drops; /**< packets that were out of order or repeated */
    uint64_t no_token_drops; /**< packets of messages for which there was no
                              *   receive token (or no memory on the NIC) */
    uint64_t other_drops;    /**< packets dropped for other reasons: the port
                              *   was closed, the size or the memory was not
                              *   acceptable, the get had already ended, or the
                              *   NIC was reset */

    /* stalls */
    uint64_t idt_waits;       /**< packets that waited only for their flow's
                               *   next dispatch time */
    uint64_t idt_wait_ps;     /**< total time of idt_waits, over all flows */
    uint64_t window_waits;    /**< number of times that a flow had too many
                               *   unacknowledged packets to its target's NIC */
    uint64_t window_wait_ps;  /**< total time of window_waits, over all flows */
    uint64_t backoffs;        /**< number of times that a flow waited after a
                               *   refusal */
    uint64_t backoff_ps;      /**< total time of backoffs; a backoff is counted
                               *   when it begins */
    uint64_t memory_waits;    /**< sends that had to wait for memory of the
                               *   NIC */
    uint64_t blocked_packets; /**< packets that had to stop on the link
                               *   because other packets held a link, or
                               *   because the target had no free receive
                               *   buffer; includes control packets */
    uint64_t blocked_ps;
    uint64_t receive_buffer_waits;   /**< packets that arrived when all receive
                                    *   buffers of this NIC were in use */
    uint64_t receive_buffer_wait_ps; /**< total time until a buffer was free */

    /* busy time of each part of the NIC */
    uint64_t lanai_busy_ps;
    uint64_t host_dma_busy_ps;    /**< time for both directions, because they
                                   *   share one engine */
    uint64_t send_dma_busy_ps;    /**< time from the start of a packet until its
                                *   tail has left, including the time during
                                *   which the packet was blocked */
    uint64_t receive_dma_busy_ps; /**< time in which packets were arriving */

    uint64_t sram_used_bytes; /**< current amount of NIC memory in use */
    uint64_t flows;           /**< flows that have used the NIC so far */
    uint64_t quantum_ends;    /**< turns (of any flow) that ended because the
                               *   remaining quantum was smaller than the next
                               *   packet (scheduler byte-rr) */
} gmsim_nic_counters_t;

/** Counters of one flow, at the NIC of its source. Byte counters cover the
 *  payload. */
typedef struct gmsim_flow_counters {
    uint64_t now_ps;       /**< time of the caller's clock */
    uint64_t idt_ticks;    /**< current IDT, in ticks of the NIC's clock
                            *   (rtc_tick_ps); 0: unregulated */
    uint64_t packets_sent; /**< packets dispatched by the scheduler,
                            *   including repetitions */
    uint64_t bytes_sent;
    uint64_t packets_resent; /**< packets returned to the queue to be
                              *   dispatched again */
    uint64_t bytes_resent;
    uint64_t packets_arrived; /**< packets written to the target's memory */
    uint64_t bytes_arrived;
    uint64_t messages_sent; /**< sends, puts and gets that ended successfully */
    uint64_t active_ps;     /**< time during which data were queued or
                             *   unacknowledged */
    uint64_t idt_waits, idt_wait_ps; /**< this counter and the following
                                      *   counters have the same definitions as
                                      *   the NIC's counters with these names */
    uint64_t window_waits, window_wait_ps;
    uint64_t backoffs, backoff_ps;
    uint64_t quantum_ends;
} gmsim_flow_counters_t;

/**
 * Read the counters of any node's NIC.
 *
 * @param [in]  node_id   GM node id, 1 ..
 * @param [out] counters  changed only with GM_SUCCESS
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER  there is no such node, or counters is NULL
 * @return GM_FAILURE            the process is not in the cluster
 */
gm_status_t gmsim_get_nic_counters(unsigned node_id,
                                   gmsim_nic_counters_t *counters);

/**
 * Read the counters of several flows of a port, all at the same moment. All
 * counters of a flow that has not been used are 0.
 *
 * @param [in]  flows     array of `count` flows, in any order
 * @param [out] counters  array of `count` elements; changed only with
 *                        GM_SUCCESS
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER  the port is not open, an argument is NULL, or a
 *                               flow has a node, port, priority or label out of
 *                               range
 */
gm_status_t gmsim_get_flow_counters(struct gm_port *port,
                                    const gm_qos_flow_t *flows, unsigned count,
                                    gmsim_flow_counters_t *counters);

/* ---- Parameters -------------------------------------------------------- */

/** A row of the parameter table. The strings of a row are valid until the
 *  process ends. */
typedef struct gmsim_param {
    const char *name;
    const char *unit;  /**< "" if the parameter has no unit */
    const char *doc;   /**< description of the parameter, followed by its source
                        *   in brackets */
    uint64_t min, max; /**< smallest and largest allowed value */
    const char *const *choices; /**< names of the values 0, 1, .., followed by
                                 *   NULL; or NULL if the value is a number */
    int is_shape; /**< 1: gmsim_set_param() rejects the parameter, because other
                   *   lines of a description depend on it */
} gmsim_param_t;

/**
 * Return the row with an index: 0, 1, .. in the order of `gmsim params`.
 *
 * @return GM_SUCCESS, GM_NO_MATCH (index past the end), GM_INVALID_PARAMETER
 *         (param is NULL)
 */
gm_status_t gmsim_get_param_info(unsigned index, gmsim_param_t *param);

/**
 * Change a parameter of the cluster that this process will join, as if the
 * cluster description contained it. All ranks must make the same change;
 * otherwise gm_init() fails, and the error message contains the name of the
 * parameter. gm_init() also checks the parameter together with the other
 * parameters.
 *
 * @return GM_SUCCESS
 * @return GM_NO_MATCH           there is no parameter of this name
 * @return GM_INVALID_PARAMETER  the value is out of the parameter's range
 * @return GM_PERMISSION_DENIED  is_shape is 1, so only the description can set
 *        the parameter
 * @return GM_BUSY               gm_init() has been called
 */
gm_status_t gmsim_set_param(const char *name, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif
