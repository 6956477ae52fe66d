/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the largest measured delay of every reservation with the delay
 * bound, and explains why a bound could not be checked.
 */
#include "verdict.h"
#include "answer.h"
#include "report.h"

#include <math.h>

/*
 * A requested delay is guaranteed as long as the reservation exists. Without a
 * requested delay, the bound changes when other reservations change. Even if
 * the delay of a message exceeds the first and the last bound, the message may
 * therefore have kept the bound that was in force when it was sent.
 */
static const char *mpiqos_verdict(const mpiqos_delays_t *delays)
{
    double bound = (delays->asked > 0.0) ? delays->asked : delays->bound;

    if (!(bound > 0.0)) {
        return "not checked: no bound";
    }
    if (!(delays->worst > 0.0)) {
        return "not checked: no message has arrived (puts and gets are not "
               "measured)";
    }
    if (delays->worst <= bound) {
        return "kept";
    }
    return (delays->asked > 0.0 || !delays->has_changed)
               ? "broken"
               : "not checked: the bound has changed";
}

static void mpiqos_verdict_of(const mpiqos_record_t *record,
                              const mpiqos_hold_t *hold)
{
    const MPIQOS_Flow *asked = (hold->part <= record->parts)
                                   ? &record->asked[hold->part]
                                   : &record->flow;
    mpiqos_hold_t now = *hold;
    mpiqos_delays_t delays = {.peer = hold->peer,
                              .message_size = asked->message_size,
                              .asked = asked->delay};
    mpiqos_bounds_t before, after;

    if (hold->qos_class != MPIQOS_PREMIUM ||
        MPIX_GM_Flow_state(record->comm, hold->peer, &now.answer) !=
            MPI_SUCCESS) {
        return;
    }
    mpiqos_hold_bounds(hold, &before);
    mpiqos_hold_bounds(&now, &after);
    delays.bound = fmax(before.delay, after.delay);
    delays.has_changed = (before.delay != after.delay);
    delays.worst = after.worst_delay;
    delays.verdict = mpiqos_verdict(&delays);
    delays.why = (delays.bound > 0.0) ? NULL : mpiqos_hold_no_bound(&now);
    mpiqos_report_delays(record->comm, &delays);
}

void mpiqos_verdict_note(const mpiqos_record_t *record)
{
    if (!mpiqos_report_is_on()) {
        return;
    }
    for (int i = 0; i < record->hold_count; ++i) {
        mpiqos_verdict_of(record, &record->holds[i]);
    }
}

void mpiqos_verdict_note_all(void)
{
    mpiqos_record_each(mpiqos_verdict_note);
}
