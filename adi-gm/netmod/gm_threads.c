/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lets several threads of a process wait for events. One thread at a time, the leader, sleeps in
 * the simulator. The other waiting threads (the followers) sleep until the leader returns. No
 * waiting thread holds MPICH's global lock during its sleep. Threads that compute can therefore
 * call MPI in the meantime. A call that may end the wait of other threads wakes these threads
 * (MPIDI_wake_hook). A thread that wakes up checks whether its own wait has ended. The next thread
 * that must wait becomes the leader.
 *
 * The global lock protects all data of this file.
 */
#include "gm_impl.h"

static struct {
    int has_leader;
    int n_followers;
    MPIDU_Thread_cond_t wake_up;
} threads;

/* The owner of MPICH's global lock; it is stored here while the lock is released. */
typedef struct adigm_owner {
    MPL_thread_id_t id;
    int count;
} adigm_owner_t;

static void adigm_threads_release(void *context)
{
    adigm_owner_t *owner = context;
    int error = 0;
    owner->id = MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX.owner;
    owner->count = MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX.count;
    MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX.owner = 0;
    MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX.count = 0;
    MPIDU_Thread_mutex_unlock(&MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX, &error);
}

static void adigm_threads_acquire(void *context)
{
    const adigm_owner_t *owner = context;
    int error = 0;
    MPIDU_Thread_mutex_lock(&MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX, &error, MPL_THREAD_PRIO_HIGH);
    MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX.owner = owner->id;
    MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX.count = owner->count;
}

static void adigm_threads_wake_followers(void)
{
    int error = 0;
    if (threads.n_followers == 0)
        return;
    gmsim_count_waiting(adigm_net_port(), -threads.n_followers);
    threads.n_followers = 0;
    MPIDU_Thread_cond_broadcast(&threads.wake_up, &error);
}

/* Wake all waiting threads (see MPIDI_wake_hook). MPICH's loops check their condition again only if
 * the progress count has increased. A message on a communicator with only one process does not
 * increase the count, so this function does. */
static void adigm_threads_wake(void)
{
    int count = MPL_atomic_relaxed_load_int(&MPIDI_VCI(0).progress_count);
    MPL_atomic_relaxed_store_int(&MPIDI_VCI(0).progress_count, count + 1);
    if (threads.has_leader)
        gmsim_end_wait(adigm_net_port());
    adigm_threads_wake_followers();
}

static void adigm_threads_lead(void)
{
    adigm_owner_t owner;
    gmsim_lock_t lock = { adigm_threads_release, adigm_threads_acquire, &owner };
    int found;
    threads.has_leader = 1;
    found = gmsim_wait_unlocked(adigm_net_port(), &lock);
    threads.has_leader = 0;
    adigm.in_progress = 1;
    if (found)
        adigm_net_poll(adigm_am_deliver);
    /* Wake the followers, because the event may be for one of them. If this thread does not wait
     * again, one of them must become the leader. */
    adigm_threads_wake_followers();
}

static void adigm_threads_follow(void)
{
    int error = 0;
    threads.n_followers++;
    gmsim_count_waiting(adigm_net_port(), 1);
    MPIDU_Thread_cond_wait(&threads.wake_up, &MPIR_THREAD_GLOBAL_ALLFUNC_MUTEX, &error);
    adigm.in_progress = 1;
}

void adigm_threads_open(void)
{
    int error = 0;
    if (MPIDI_wake_hook == NULL)
        MPIDU_Thread_cond_create(&threads.wake_up, &error);
    MPIDI_wake_hook = adigm_threads_wake;
}

void adigm_threads_sleep(void)
{
    adigm.in_progress = 0;
    if (threads.has_leader)
        adigm_threads_follow();
    else
        adigm_threads_lead();
}
