/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the progress engine. It receives events from GM, calls their handlers, and sleeps in
 * virtual time when there are no events.
 */
#include "gm_impl.h"
#include "gm_work.h"

/* Number of the first pass in which a waiting loop sleeps if no event arrived during the preceding
 * passes. The first pass does not sleep, because MPICH's progress hooks (nonblocking collectives)
 * run between passes. The action of one hook can permit another hook to continue. */
#define ADIGM_EMPTY_PASSES 3

__thread int adigm_empty_passes;
/* MPICH's count of completed requests at the end of the thread's last pass. */
static __thread int adigm_last_count;

static int adigm_progress_count(void)
{
    return MPL_atomic_relaxed_load_int(&MPIDI_VCI(0).progress_count);
}

/* Handle one event, if there is one. Unless the event belonged to a reservation, also perform a
 * slice of the deferred work. Otherwise, a continuous stream of messages could postpone this work
 * forever. */
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

/* Do all deferred work, but return as soon as a request has been completed. */
static void adigm_progress_work(void)
{
    int count = adigm_progress_count();
    while (adigm_work_is_owed() && adigm_progress_count() == count)
        adigm_progress_work_step();
}

/* Handle all events that have arrived, but return as soon as a request has been completed. More
 * events can arrive in the meantime, but a program that waits for its first message must not wait
 * for the last message. */
static void adigm_progress_drain(void)
{
    int count = adigm_progress_count();
    /* MPI_Waitsome polls several times while it counts completed requests */
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
 * Make one pass of the progress engine. A loop that waits for an event makes blocking passes. A
 * blocking pass sleeps only if no event, no completed request and no send has occurred since the
 * loop's last pass. The earlier passes do not poll the network, because each poll is a context
 * switch in the simulation. If an event has already arrived, the sleep ends immediately.
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
