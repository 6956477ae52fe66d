/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * What a flow lost where its packets had to wait.
 *
 * A flow sent B bytes in the time A in which its card had something of it, and
 * its packets waited W for one link. A card sends one packet at a time, and while
 * that one waits nothing else leaves: so W lies in A, and without it the same
 * bytes had taken A - W:
 *
 *   lost = B / (A - W) - B / A
 *
 * unless something else would have held the flow back by then. What it could
 * have gained is at most
 *
 *   what the source's card had left: of its busiest part (LANai, host DMA), idle
 *     for a part 1 - u of the windows in which the flow sent,
 *     (1 - u) x (bytes through the card / time that the part worked)
 *   what the flow's pace allows: its packets' mean payload per IDT
 *   what the link carries of the flow's packets alone: payload per time that
 *     a packet takes on it
 *
 * [assumed: while W passed the flow had more to send, and other flows of the card
 * would not have taken what became free: an estimate, and mostly too high rather
 * than too low; tests/system/report.sh compares it with runs in which the others
 * were silent]
 */
#ifndef REPORT_LOST_H
#define REPORT_LOST_H

#include "report/run.h"

/** What bounds a flow's gain; all bytes/s, more than it had. */
typedef struct gms_lost_bounds {
    double card, pace, link;
} gms_lost_bounds_t;

/** The formula. @param [in] active_ps, waited_ps  A and W
 *  @return bytes/s, 0 if it did not wait or send */
double gms_lost_rate(uint64_t bytes, gms_time_t active_ps, gms_time_t waited_ps,
                     const gms_lost_bounds_t *bounds);

typedef struct gms_losses gms_losses_t;

/** What there is to know of all flows. @return NULL: out of memory */
gms_losses_t *gms_losses_create(const gms_report_run_t *run);
void gms_losses_destroy(gms_losses_t *losses);
/** Bytes/s that a flow (its place in the run's list) lost at a hop of its way;
 *  0 where the record has no end. */
double gms_losses_at(const gms_losses_t *losses, uint32_t flow, size_t hop);

#endif
