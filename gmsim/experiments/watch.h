/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Observer of one flow of a scenario: the delays of its messages, the packets
 * that arrived in every window, and the stages at which its packets waited. It
 * changes nothing in the simulation; its data are in private memory, not in the
 * arena.
 *
 * The delay of a message is the time from its post (the program's call) to the
 * moment its receive event is in the receiving host's memory. Messages of one
 * flow arrive in the order of their posts, so the times of posts that have not
 * arrived are enough.
 *
 * A window is an interval of fixed length in which the flow always has messages
 * posted. It slides by arrivals of packets: the least number of packets in any
 * window is found at a window that ends just before an arrival, or at the end.
 * Only the arrivals of one window length are kept.
 *
 * The lag is the exact form of a service: the largest (t - s) - n x IDT over
 * all intervals from s to t in which the flow always has messages posted and n
 * of its packets arrive. A service of rate 1 packet per IDT and latency L holds
 * if the lag is at most L.
 */
#ifndef EXPERIMENTS_WATCH_H
#define EXPERIMENTS_WATCH_H

#include <stdint.h>

#include "engine/engine.h"
#include "fabric/fabric.h"

#define GMS_FLOW_WATCH_HOPS 64u

typedef struct gms_flow_watch gms_flow_watch_t;

/** What was observed so far. */
typedef struct gms_flow_seen {
    uint64_t messages; /* delivered, with a known post */
    gms_time_t delay_least_ps, delay_worst_ps, delay_worst_at_ps;
    uint64_t posted;         /* messages */
    gms_time_t oldest_ps;    /* post of the oldest message that has
                                           not arrived; GMS_NEVER: none */
    uint64_t packets;        /* arrived in host memory */
    uint64_t windows;        /* complete ones, by arrivals */
    uint64_t least_packets;  /* in any of them */
    gms_time_t least_end_ps; /* end of that window */
    gms_time_t lag_ps;       /* largest; see above */
    uint64_t dry;            /* times that nothing was posted */
    uint64_t failed;         /* messages that were not delivered;
                                           delays are not observed after one */
    gms_time_t wait_ps[GMS_FLOW_WATCH_HOPS]; /* packets' waits for the links of
                                           the route, by hop; the last one: for
                                           a receive buffer of the target */
    gms_time_t host_dma_ps, lanai_ps, queue_ps; /* sums over packets; queue_ps
                                           is a part of lanai_ps: from the
                                           descriptor in the NIC to the
                                           packet's turn */
} gms_flow_seen_t;

/** @return NULL: no memory */
gms_flow_watch_t *gms_flow_watch_create(void);
/** NULL is fine, here and in the calls below. */
void gms_flow_watch_destroy(gms_flow_watch_t *watch);

/** Windows of this length from now on; the first one begins settle_ps after the
 *  flow begins to send. @param [in] window_ps  0: none
 *  @param [in] idt_ps     time of a packet at the flow's pace, for the lag; 0:
 *                         no lag */
void gms_flow_watch_set_window(gms_flow_watch_t *watch, gms_time_t window_ps,
                               gms_time_t settle_ps, gms_time_t idt_ps);
/** End of the observation: closes the window that ends now. */
void gms_flow_watch_finish(gms_flow_watch_t *watch, gms_time_t now_ps);
void gms_flow_watch_result(const gms_flow_watch_t *watch,
                           gms_flow_seen_t *seen);

/* ---- from the stand-in ---- */

/** The flow may send from now on, and always has messages posted. */
void gms_flow_watch_begin(gms_flow_watch_t *watch, gms_time_t now_ps);
/** .. until now. */
void gms_flow_watch_pause(gms_flow_watch_t *watch, gms_time_t now_ps);
void gms_flow_watch_posted(gms_flow_watch_t *watch, gms_time_t now_ps);
void gms_flow_watch_failed(gms_flow_watch_t *watch);

/** From the simulation (a ctx's on_tracepoint). */
void gms_flow_watch_on_tracepoint(gms_ctx_t *ctx, uint32_t what,
                                  const void *thing);

#endif
