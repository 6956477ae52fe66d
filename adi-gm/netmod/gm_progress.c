/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The progress engine: takes events from GM, hands them to their handlers, and sleeps in
 * virtual time when there is nothing to do.
 */
#include "gm_impl.h"
#include "gm_work.h"

/* The pass in a row of a waiting loop that sleeps, if nothing has happened in the ones before.
 * MPICH's progress hooks (nonblocking collectives) run between passes, and one of them may go on
 * because of what another one did. */
#define ADIGM_EMPTY_PASSES 3

__thread int adigm_empty_passes;
/* MPICH's count of completed requests at the end of the thread's last pass. */
static __thread int adigm_last_count;

static int adigm_progress_count(void)
{
    return MPL_atomic_relaxed_load_int(&MPIDI_VCI(0).progress_count);
}

/* One event, if there is one. Unless it was for a reservation, a slice of the work that is owed:
 * messages that need no work afterwards must not take all the time. */
static void adigm_progress_work_step(void)
{
    if (gmsim_has_event(adigm_net_port())) {
        adigm.delivered = ADIGM_DELIVERED_NOTHING;
        adigm_net_poll(adigm_am_deliver);
        if (adigm.delivered != ADIGM_DELIVERED_OTHER)
            return;
    }
    if (adigm_work_is_owed())
        adigm_work_slice();
}

/* All that is owed, but return as soon as a request is complete. */
static void adigm_progress_work(void)
{
    int count = adigm_progress_count();
    while (adigm_work_is_owed() && adigm_progress_count() == count)
        adigm_progress_work_step();
}

/* Handle what has arrived, but return as soon as a request is complete: while events are handled
 * more may arrive, and a program that waits for its first message must get it before the last. */
static void adigm_progress_drain(void)
{
    int count = adigm_progress_count();
    /* MPI_Waitsome looks several times while it counts what is complete */
    if (adigm_work_is_owed()) {
        adigm_progress_work_step();
        return;
    }
    while (adigm_net_poll(adigm_am_deliver) && adigm_progress_count() == count)
        ;
}

static void adigm_progress_sleep(void)
{
    if (adigm_work_is_owed()) {
        adigm_progress_work();
    } else if (MPIR_ThreadInfo.isThreaded) {
        adigm_threads_sleep();
    } else {
        adigm_net_wait(adigm.is_flushing);
        adigm_net_poll(adigm_am_deliver);
    }
}

/*
 * A blocking pass comes from a loop that has nothing to do until something arrives. It sleeps
 * only if nothing at all happened since the loop's last pass: no event, no completed request, no
 * send. The passes before do not look at the network: each look is a turn in the simulation, and
 * the sleep is over at once if something is there.
 */
int adigm_progress(int blocking)
{
    if (!adigm.is_open || adigm.is_absent || adigm.in_progress)
        return MPI_SUCCESS;
    adigm.in_progress = 1;
    if (MPIR_ThreadInfo.isThreaded && MPIDI_wake_hook == NULL)
        adigm_threads_open();

    if (!blocking) {
        adigm_empty_passes = 0;
        adigm_progress_drain();
    } else if (adigm_progress_count() != adigm_last_count) {
        adigm_empty_passes = 0;
    } else if (++adigm_empty_passes >= ADIGM_EMPTY_PASSES) {
        adigm_empty_passes = 0;
        adigm_progress_sleep();
    }
    adigm_last_count = adigm_progress_count();
    adigm.in_progress = 0;
    return MPI_SUCCESS;
}
