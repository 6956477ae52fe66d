/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Packet schedulers. A scheduler chooses the flow that sends the next packet,
 * and the time at which the flow sends it.
 *
 * A scheduler maintains the set of valid flows, which have at least one
 * sendable token. The SDMA state machine reports every flow that becomes valid
 * or invalid. This state machine requests the next flow whenever it can send a
 * packet, and reports every packet that it sends. The current time is an
 * argument, in ticks of the NIC's real-time clock.
 *
 *   message-rr  whole send descriptors in turn   [gulati 2001, figure 2.3a]
 *   packet-rr   one packet of each in turn: a ring of connections, in each a
 *               ring of flows; both rotate after a packet [gulati 2001, 4.1]
 *   byte-rr     equal numbers of bytes in turn: deficit round robin
 *               [Shreedhar and Varghese 1995]
 *   rate        least next dispatch time first   [gulati 2001, 3.2.2, 4.2.2]
 *
 * With `rate`, best-effort flows give way to flows with reservations when the
 * NIC is late. The thesis does not describe this rule; see
 * doc/design/0007-best-effort-gives-way.md.
 *
 * Before every packet, packet-rr, byte-rr and rate choose a high-priority flow
 * if there is one, and otherwise a low-priority flow. The rate scheduler
 * considers only flows that are due. Therefore a high-priority flow keeps its
 * rate. An unregulated high-priority flow leaves no bandwidth to low-priority
 * flows while it has packets to send. [source: GM manual; the combination with
 * rates is this project's own design]
 */
#ifndef NIC_SCHEDULER_H
#define NIC_SCHEDULER_H

#include <stdint.h>

#include "engine/engine.h"
#include "nic/flow.h"

typedef struct gms_scheduler gms_scheduler_t; /* stored in the arena */

#define GMS_RTC_NEVER UINT64_MAX

/** Maximum lateness that a flow with a reservation may recover: 20 ms. In a NIC
 * with 200 flows, a flow can wait for 20 ms. The limit also bounds the traffic
 * beyond the flow's pace after a fault. [source: this project,
 * doc/guarantees.md] */
#define GMS_RATE_BURST_TICKS UINT64_C(40000)

typedef struct gms_scheduler_ops {
    /** 1: the time between consecutive packets of a flow is at least the flow's
     *  IDT, so reservations are possible. Such a scheduler searches all flows
     *  for the next packet. This search takes mcp_rate_first_cycles and
     *  mcp_rate_flow_cycles. */
    uint8_t keeps_pace;
    /** 1: if nic_equal_segments is set, the NIC cuts messages into packets of
     *  equal length. */
    uint8_t cuts_evenly;
    /** @param [in] params  parameters in the arena; they outlive the scheduler,
     *  which may therefore keep the pointer */
    gms_status_t (*create)(gms_ctx_t *ctx, const gms_params_t *params,
                           gms_scheduler_t **scheduler_p);
    /** The flow becomes valid: its first token is sendable at tick rtc. */
    void (*add)(gms_ctx_t *ctx, gms_scheduler_t *scheduler, gms_flow_t *flow,
                uint64_t rtc);
    /** The flow becomes invalid: it has no sendable token. */
    void (*remove)(gms_scheduler_t *scheduler, gms_flow_t *flow);
    /** Return the flow that sends one packet at tick rtc, or NULL. If the
     *  function returns NULL, *next_rtc_p is the tick at which the NIC must
     *  call the function again, or GMS_RTC_NEVER if only add() can change the
     *  result. The NIC may call the function several times before it sends a
     *  packet. The result for a tick does not change until the next call of
     *  add(), remove() or dispatched(). */
    gms_flow_t *(*pick)(gms_scheduler_t *scheduler, uint64_t rtc,
                        uint64_t *next_rtc_p);
    /** SDMA has taken one packet of the picked flow. If message_end is 1, the
     *  packet is the last packet of its message. SDMA calls this function
     *  before it calls remove() for the flow. */
    void (*dispatched)(gms_scheduler_t *scheduler, gms_flow_t *flow,
                       uint64_t rtc, int message_end);
    /** The flow's IDT has changed at tick rtc. The flow need not be valid. */
    void (*idt_changed)(gms_scheduler_t *scheduler, gms_flow_t *flow,
                        uint64_t rtc);
    /** Return the number of LANai cycles that picking a flow takes, in addition
     *  to mcp_schedule_cycles. */
    uint64_t (*pick_cycles)(const gms_scheduler_t *scheduler,
                            const gms_params_t *params);
} gms_scheduler_ops_t;

/** First member of every scheduler's state. */
struct gms_scheduler {
    uint32_t id;    /* enum gms_scheduler_id */
    uint32_t valid; /* number of valid flows */
};

/** Return the operations of a valid scheduler id. The result is never NULL. */
const gms_scheduler_ops_t *gms_scheduler_ops(uint32_t id);
int gms_scheduler_keeps_pace(uint32_t id);

#endif
