/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What a flow lost where its packets had to wait.
 *
 * A flow sent B bytes in a time T, and its packets waited W for links on their way.
 * A card sends one packet at a time, and while that one waits nothing else leaves:
 * so W lies in T, and without it the same bytes had taken T - W. That is, in T
 *
 *   gain = B x T / (T - W) - B
 *
 * more, unless something else would have held the flow back by then. It could have
 * gained at most
 *
 *   what the source's card had time for: its busiest part (LANai, host DMA) was
 *     idle for so much of that time, and took so long for a byte through the card
 *   what the host of the receiving rank could have taken in T beside: it worked so
 *     long for each byte that the rank sent and received
 *   what the flow's pace left: packets that its IDT allowed and that it did not
 *     send, of its packets' mean payload
 *
 * Each link of the way has the part of that which its waits are of W, but at most
 *
 *   what others had of the link: the time in which they held it, up to T, at the
 *     rate at which it carries the flow's payload
 *   before a card, what other flows brought to it in T: alone, it had got what
 *     all got
 *
 * T is from the flow's first to its last window at least: then it pauses as long as
 * it did (it computes, or waits for a host). Or T is the time in which its card had
 * something of it: then it had used its pauses, too, which were only there because
 * others were served in them. That is the least and the most that it lost; for a
 * flow without pauses both are the same.
 *
 * With fabric_model flit a record knows how long packets were stopped on their way
 * (times' blocked_ps), but only of receive buffers and of reserved lanes where: the
 * rest is given to the link of the way on which most moved.
 *
 * [assumed: a program does the same again as soon as it can. doc/report.md compares
 * the estimate with runs in which the others were silent]
 */
#ifndef REPORT_LOST_H
#define REPORT_LOST_H

#include "report/run.h"

/** The formula. @param [in] time_ps, waited_ps  T and W
 *  @return the gain in bytes; 0 if it did not wait or send; HUGE_VAL if it did
 *  nothing but wait */
double gms_lost_gain(uint64_t bytes, gms_time_t time_ps, gms_time_t waited_ps);

typedef struct gms_losses gms_losses_t;

/** What there is to know of all flows. @return NULL: out of memory */
gms_losses_t *gms_losses_create(const gms_report_run_t *run);
void gms_losses_destroy(gms_losses_t *losses);

/** Over the time between a flow's first and its last window. */
typedef struct gms_lost {
    double least_bytes_s, most_bytes_s;
} gms_lost_t;

/** What a flow (its place in the run's list) lost at a hop of its way; nothing
 *  where the record has no end. */
gms_lost_t gms_losses_at(const gms_losses_t *losses, uint32_t flow, size_t hop);

#endif
