/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes the bandwidth that a flow lost while its packets waited.
 *
 * A flow sent B bytes in a time T, and its packets waited for links on their
 * route for a time W. A NIC sends one packet at a time, and no other packet
 * leaves while this packet waits. W is therefore a part of T, and the same
 * bytes would have taken T - W without the waits. If no other resource had
 * limited the flow, it would have sent the following number of additional bytes
 * in T:
 *
 *   gain = B x T / (T - W) - B
 *
 * These values are upper limits of the gain:
 *
 * - the remaining time of the source's NIC: its busiest part (LANai or host
 *   DMA) was idle for a part of T, and its time per byte is known
 * - the remaining time of the receiving rank's host in T: the host's time per
 *   byte that the rank sends or receives is known
 * - the remaining pace of the flow: packets that the IDT allowed but the flow
 *   did not send, with the mean payload of the flow's packets
 *
 * Every link of the route receives a share of the gain in proportion to the
 * waits for this link. These values are upper limits of a share:
 *
 * - the payload of this flow that the link could have transferred in the time
 *   (at most T) for which other flows held the link
 * - on the link to a NIC, the bytes of other flows that arrived at this NIC in
 *   T. This flow could have used at most the bandwidth of those flows
 *
 * Two values of T are used. For the smaller loss, T is the time from the flow's
 * first to its last window. The smaller loss assumes that the flow would have
 * equally long pauses even without the waits, because the program computes or
 * waits for a host. For the larger loss, T is the time in which the source's
 * NIC had packets of the flow. The larger loss assumes that the flow paused
 * only because other flows were served, and that it would also use these
 * pauses. For a flow without pauses, both losses are equal.
 *
 * With fabric_model flit, a record contains the total time that packets were
 * stopped on their route (blocked_ps of times). The record names the link only
 * for packets that waited for receive buffers or for reserved lanes. The rest
 * of the time is attributed to the busiest link of the route.
 *
 * [assumed: a program repeats its actions as soon as possible. doc/report.md
 * compares the estimate with runs in which the other flows sent nothing]
 */
#ifndef REPORT_LOST_H
#define REPORT_LOST_H

#include "report/run.h"

/** Returns the gain according to the formula at the top of this file.
 *  @param [in] time_ps, waited_ps T and W of the formula
 *  @return the gain in bytes; 0 if the flow sent nothing or did not wait;
 *  HUGE_VAL if it waited the whole time */
double gms_lost_gain(uint64_t bytes, gms_time_t time_ps, gms_time_t waited_ps);

typedef struct gms_losses gms_losses_t;

/** Collects the data of all flows for the formula. @return NULL: out of
 *  memory */
gms_losses_t *gms_losses_create(const gms_report_run_t *run);
void gms_losses_destroy(gms_losses_t *losses);

/** A range of losses, relative to the time between a flow's first and last
 *  window. */
typedef struct gms_lost {
    double least_bytes_s, most_bytes_s;
} gms_lost_t;

/** Returns the bandwidth that a flow (given by its index in the run's list)
 *  lost at a hop of its route; 0 if the record has no end. */
gms_lost_t gms_losses_at(const gms_losses_t *losses, uint32_t flow, size_t hop);

#endif
