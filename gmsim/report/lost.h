/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What a flow lost where its packets had to wait.
 *
 * A flow sent B bytes in the time A in which its card had something of it, and
 * its packets waited W for one link. A card sends one packet at a time, and while
 * that one waits nothing else leaves: so W lies in A, and without it B bytes had
 * taken A - W. In A it had sent so much more:
 *
 *   gain = B x A / (A - W) - B
 *
 * unless something else would have held the flow back by then. It could have
 * gained at most
 *
 *   what the source's card had time for: its busiest part (LANai, host DMA) was
 *     idle for so much of the windows in which the flow sent, and took so long for
 *     a byte through the card
 *   what the flow's pace left: packets that its IDT allowed and that it did not
 *     send, of its packets' mean payload
 *   what others had of the link: the time in which they held it, up to A, at the
 *     rate at which it carries the flow's payload
 *   before a card, what other flows brought to it in the windows in which this
 *     one sent: alone, it had got what all got
 *
 * Lost is the gain over the time between its first and its last window, as its
 * mean bandwidth is.
 *
 * [assumed: while W passed the flow had more to send, and other flows of the card
 * would not have taken what became free: an estimate, and rather too high than too
 * low; tests/system/report.sh compares it with runs in which the others were
 * silent]
 */
#ifndef REPORT_LOST_H
#define REPORT_LOST_H

#include "report/run.h"

/** What bounds a flow's gain, bytes. */
typedef struct gms_lost_bounds {
    double card, pace, link, target;
} gms_lost_bounds_t;

/** The formula. @param [in] active_ps, waited_ps  A and W
 *  @return the gain in bytes; 0 if it did not wait or send */
double gms_lost_gain(uint64_t bytes, gms_time_t active_ps, gms_time_t waited_ps,
                     const gms_lost_bounds_t *bounds);

typedef struct gms_losses gms_losses_t;

/** What there is to know of all flows. @return NULL: out of memory */
gms_losses_t *gms_losses_create(const gms_report_run_t *run);
void gms_losses_destroy(gms_losses_t *losses);
/** Bytes/s that a flow (its place in the run's list) lost at a hop of its way;
 *  0 where the record has no end. */
double gms_losses_at(const gms_losses_t *losses, uint32_t flow, size_t hop);

#endif
