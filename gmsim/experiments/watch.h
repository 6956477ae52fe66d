/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Observes one flow of a scenario: the delays of its messages, the packets that
 * arrived in every window, and the stages at which its packets waited. The
 * observer does not change the simulation, because its data are in private
 * memory and not in the arena.
 *
 * The delay of a message is the time from its post (the program's call) until
 * its receive event is in the receiving host's memory. Messages of one flow
 * arrive in the order of their posts. Therefore the observer stores only the
 * post times of messages that have not arrived.
 *
 * A window is an interval of fixed length in which the flow always has messages
 * posted. The window moves from one arrival to the next. The smallest number of
 * packets occurs in a window that ends just before an arrival, or at the end of
 * the observation. The observer stores only the arrivals within one window
 * length.
 *
 * The lag is an exact measure of the service that a flow receives. Consider all
 * intervals from s to t in which the flow always has messages posted, and in
 * which n of its packets arrive. The lag is the largest value of (t - s) - n x
 * IDT over these intervals. A guarantee of one packet per IDT with latency L is
 * kept if the lag is at most L.
 */
#ifndef EXPERIMENTS_WATCH_H
#define EXPERIMENTS_WATCH_H

#include <stdint.h>

#include "engine/engine.h"
#include "fabric/fabric.h"

#define GMS_FLOW_WATCH_HOPS 64u

typedef struct gms_flow_watch gms_flow_watch_t;

/** Observations since the observer was created. */
typedef struct gms_flow_seen {
    uint64_t messages; /* number of delivered messages whose post was
                        * observed */
    gms_time_t delay_least_ps, delay_worst_ps, delay_worst_at_ps;
    uint64_t posted; /* number of posted messages */
    /* time of the post of the oldest message that has not arrived; GMS_NEVER:
     * all messages have arrived */
    gms_time_t oldest_ps;
    uint64_t packets;        /* number of packets that arrived in host memory */
    uint64_t windows;        /* number of complete windows; a window ends at
                              * each arrival */
    uint64_t least_packets;  /* smallest number of packets in a window */
    gms_time_t least_end_ps; /* end of the window with least_packets */
    gms_time_t lag_ps;       /* largest lag so far; the beginning of this file
                              * defines the lag */
    uint64_t dry;            /* number of times that the flow ran out of posted
                                messages */
    /* number of messages that were not delivered; delays are no longer observed
     * after a failure */
    uint64_t failed;
    /* time that packets waited for each link of the route; the last element is
     * the wait for a receive buffer of the target */
    gms_time_t wait_ps[GMS_FLOW_WATCH_HOPS];
    /* sums of times over all packets; queue_ps is a part of lanai_ps, from the
     * arrival of the descriptor in the NIC to the packet's turn */
    gms_time_t host_dma_ps, lanai_ps, queue_ps;
} gms_flow_seen_t;

/** Create an observer. @return NULL if memory is exhausted */
gms_flow_watch_t *gms_flow_watch_create(void);
/** All of the following functions accept NULL. */
void gms_flow_watch_destroy(gms_flow_watch_t *watch);

/** Begin to observe windows of length window_ps. The first window begins
 *  settle_ps after the flow begins to send.
 *  @param [in] window_ps 0: no windows
 *  @param [in] idt_ps time between two packets at the flow's pace, from which
 *    the lag is computed; 0: no lag */
void gms_flow_watch_set_window(gms_flow_watch_t *watch, gms_time_t window_ps,
                               gms_time_t settle_ps, gms_time_t idt_ps);
/** End the observation and close the current window. */
void gms_flow_watch_finish(gms_flow_watch_t *watch, gms_time_t now_ps);
void gms_flow_watch_result(const gms_flow_watch_t *watch,
                           gms_flow_seen_t *seen);

/* ---- functions for the stand-ins, which replace programs ---- */

/** Report that from now on the flow may send and always has messages posted. */
void gms_flow_watch_begin(gms_flow_watch_t *watch, gms_time_t now_ps);
/** Report that the flow no longer sends. */
void gms_flow_watch_pause(gms_flow_watch_t *watch, gms_time_t now_ps);
void gms_flow_watch_posted(gms_flow_watch_t *watch, gms_time_t now_ps);
void gms_flow_watch_failed(gms_flow_watch_t *watch);

/** Handle a trace point; see on_tracepoint of gms_ctx_t. */
void gms_flow_watch_on_tracepoint(gms_ctx_t *ctx, uint32_t what,
                                  const void *thing);

#endif
