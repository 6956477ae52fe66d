/* SPDX-License-Identifier: BSD-3-Clause */
#include "gm_impl.h"

/* Passes that must find nothing, one after the other, before a pass may sleep. MPICH's progress
 * hooks (nonblocking collectives) run between passes, and one of them may go on because of what
 * another one did. */
#define ADIGM_EMPTY_PASSES 2

static int adigm_progress_count(void)
{
    return MPL_atomic_relaxed_load_int(&MPIDI_VCI(0).progress_count);
}

/* Handle what has arrived, but return as soon as a request is complete: while events are handled
 * more may arrive, and a program that waits for its first message must get it before the last. */
static int adigm_progress_drain(void)
{
    int n_handled = 0;
    int count = adigm_progress_count();
    while (adigm_net_poll(adigm_am_deliver)) {
        n_handled++;
        if (adigm_progress_count() != count)
            break;
    }
    return n_handled;
}

/*
 * A blocking pass comes from a loop that has nothing to do until something arrives. It sleeps
 * only if nothing at all happened since the last pass: no event, no completed request, no send.
 * A program with several threads is never put to sleep, since another thread may complete what
 * this one waits for.
 */
int adigm_progress(int blocking)
{
    int n_handled = 0;
    if (!adigm.is_open || adigm.is_absent || adigm.in_progress)
        return MPI_SUCCESS;
    adigm.in_progress = 1;

    if (!blocking || MPIR_ThreadInfo.isThreaded || adigm_progress_count() != adigm.last_count)
        adigm.n_empty_passes = 0;
    if (adigm.n_empty_passes >= ADIGM_EMPTY_PASSES)
        adigm_net_wait();
    /* between the first empty pass and the sleep nothing can have arrived that the sleep would
     * miss: no need to pay for another look */
    if (adigm.n_empty_passes == 0 || adigm.n_empty_passes >= ADIGM_EMPTY_PASSES)
        n_handled = adigm_progress_drain();

    if (n_handled || !blocking || adigm.n_empty_passes >= ADIGM_EMPTY_PASSES)
        adigm.n_empty_passes = 0;
    else
        adigm.n_empty_passes++;
    adigm.last_count = adigm_progress_count();
    adigm.in_progress = 0;
    return MPI_SUCCESS;
}
