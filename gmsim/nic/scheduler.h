/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Packet schedulers: they choose the flow that sends the next packet, and the
 * time.
 *
 * A scheduler knows the valid flows, those with at least one sendable token.
 * The SDMA state machine reports when a flow becomes valid or invalid, requests
 * the next flow whenever it could send, and reports every sent packet. Time is
 * an argument; the unit is the tick of the NIC's real-time clock.
 *
 *   message-rr  whole send descriptors in turn   [gulati 2001, figure 2.3a]
 *   packet-rr   one packet of each in turn: a ring of connections, in each a
 *               ring of flows; both rotate after a packet [gulati 2001, 4.1]
 *   byte-rr     equal numbers of bytes in turn: deficit round robin
 *               [Shreedhar and Varghese 1995]
 *   rate        least next dispatch time first   [gulati 2001, 3.2.2, 4.2.2]
 *
 * With `rate`, best-effort flows give way when the NIC is late, which is not in
 * the thesis: doc/design/0007-best-effort-gives-way.md.
 *
 * packet-rr, byte-rr and rate serve flows of high priority before those of low
 * priority, packet by packet; rate considers only the due ones. A flow of high
 * priority thus keeps its rate, but an unregulated one leaves no bandwidth to low
 * priority while it has packets to send. [source: GM manual; the combination
 * with rates is this project's]
 */
#ifndef NIC_SCHEDULER_H
#define NIC_SCHEDULER_H

#include <stdint.h>

#include "engine/engine.h"
#include "nic/flow.h"

typedef struct gms_scheduler gms_scheduler_t; /* in the arena */

#define GMS_RTC_NEVER UINT64_MAX

typedef struct gms_scheduler_ops {
    /** 1: packets of a flow are no closer together than its IDT, so that
     *  reservations can be kept; it searches all flows for the next packet, which
     *  takes mcp_rate_first_cycles and mcp_rate_flow_cycles. */
    uint8_t keeps_pace;
    /** 1: with nic_equal_segments, messages are cut into packets of equal length. */
    uint8_t cuts_evenly;
    /** @param [in] params  in the arena; may be kept, outlives the scheduler */
    gms_status_t (*create)(gms_ctx_t *ctx, const gms_params_t *params,
                           gms_scheduler_t **scheduler_p);
    /** Has become valid: first sendable token at tick rtc. */
    void (*add)(gms_ctx_t *ctx, gms_scheduler_t *scheduler, gms_flow_t *flow,
                uint64_t rtc);
    /** Is not valid any more: nothing sendable. */
    void (*remove)(gms_scheduler_t *scheduler, gms_flow_t *flow);
    /** Flow to send one packet of at tick rtc, or NULL; then *next_rtc_p is
     *  the tick to ask again, GMS_RTC_NEVER if only add() can change it. The NIC
     *  may ask several times before it sends: until add(), remove() or
     *  dispatched() the answer for a tick stays the same. */
    gms_flow_t *(*pick)(gms_scheduler_t *scheduler, uint64_t rtc,
                        uint64_t *next_rtc_p);
    /** One packet of the picked flow was taken; message_end: it was the last
     *  of its message. Called before any remove(). */
    void (*dispatched)(gms_scheduler_t *scheduler, gms_flow_t *flow,
                       uint64_t rtc, int message_end);
    /** The flow's IDT has changed at tick rtc (valid or not). */
    void (*idt_changed)(gms_scheduler_t *scheduler, gms_flow_t *flow,
                        uint64_t rtc);
    /** LANai cycles that picking costs beyond mcp_schedule_cycles. */
    uint64_t (*pick_cycles)(const gms_scheduler_t *scheduler,
                            const gms_params_t *params);
} gms_scheduler_ops_t;

/** Base of every scheduler's state. */
struct gms_scheduler {
    uint32_t id;    /* enum gms_scheduler_id */
    uint32_t valid; /* flows in it */
};

/** Ops of an id; never NULL for a valid one. */
const gms_scheduler_ops_t *gms_scheduler_ops(uint32_t id);
int gms_scheduler_keeps_pace(uint32_t id);

#endif
