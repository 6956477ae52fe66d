/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lets a thread of a process wait while other threads make calls. A process
 * with several threads has one clock and one entry in the gate. One of its
 * threads may be parked: this thread sleeps on behalf of the process. The gate
 * then treats the process as waiting whenever no other thread is inside a call.
 * A call by another thread ends the wait of the process and advances the
 * process's clock to the time of the last event. When the call ends, the
 * process waits again:
 *
 *   parked       A: begin ................................ continues
 *   calls        B:        post      turn ..
 *   the process     WAITING RUN WAIT  READY RUN WAITING RUN
 *
 * A signal of the gate wakes both the thread that waits in a call and the
 * parked thread. The gate does not know which of the two threads must handle
 * the event.
 *
 * Thread B posts events at a time that the clocks of other processes may
 * already have passed. The effects then reach these processes at their own
 * clocks, which are later than the time of the post. Such a run is correct, but
 * its results can differ from those of other runs of the same program.
 */
#include "engine/gate_int.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <time.h>

/* Interval at which a parked thread checks the state of the gate. */
#define GMS_GATE_PARK_NS UINT64_C(500000000)
/* Interval of these checks in the time modes that depend on real time. The
 * interval is shorter, because a parked thread may have to act as the pacer
 * (gate_time.c), but is not woken to become the pacer. */
#define GMS_GATE_PARK_PACED_NS UINT64_C(2000000)

/* If a sleep is longer than this interval, other threads of the process may be
 * computing. A wait for the network alone usually takes microseconds. */
#define GMS_GATE_PARK_SHORT_NS UINT64_C(4000000)

/* Advance the clock to the time of the last event, because events have been run
 * while the process was waiting. */
static void gms_gate_catch_up(gms_ctx_t *ctx, gms_proc_t *self)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);

    gms_gate_set(ctx->gate, self, GMS_PROC_RUNNING,
                 now_ps > self->clock_ps ? now_ps : self->clock_ps);
}

void gms_gate_enter_parked(gms_ctx_t *ctx)
{
    gms_proc_t *self = gms_gate_self(ctx);

    if (self->park != GMS_PARK_NONE) {
        /* a thread that wakes reads this counter without the lock */
        __atomic_fetch_add(&ctx->calls_beside, 1, __ATOMIC_RELAXED);
        gms_gate_catch_up(ctx, self);
    }
    if (self->state != GMS_PROC_RUNNING) {
        /* The program violates the level of thread support that it has
         * requested. MPICH does not detect this error. */
        gms_gate_release(ctx);
        gms_fatal(ctx, "a second thread of a rank calls MPI or GM while "
                       "another thread is in a call; request "
                       "MPI_THREAD_MULTIPLE with MPI_Init_thread()");
    }
}

void gms_gate_unpark(gms_proc_t *proc)
{
    proc->park = GMS_PARK_NONE;
    --proc->parked;
    __atomic_store_n(&proc->park_go, 1, __ATOMIC_RELEASE);
}

void gms_gate_leave_parked(gms_ctx_t *ctx)
{
    gms_proc_t *self = gms_gate_self(ctx);

    if (self->park == GMS_PARK_NONE || self->state != GMS_PROC_RUNNING) {
        return;
    }
    if (self->park == GMS_PARK_ON) {
        gms_gate_set(ctx->gate, self, GMS_PROC_WAITING, self->clock_ps);
    } else {
        gms_gate_unpark(self);
        gms_gate_to_wake(ctx, self);
    }
}

void gms_gate_park_begin(gms_ctx_t *ctx, gms_wait_text_t what)
{
    gms_proc_t *self = gms_gate_self(ctx);

    assert(self->state == GMS_PROC_RUNNING && self->park == GMS_PARK_NONE);
    gms_gate_clear_signal(ctx);
    self->park = GMS_PARK_ON;
    self->park_go = 0;
    self->polls = 0;
    ++self->parked;
    ++self->wait_number;
    gms_gate_say(ctx, self, what);
    gms_gate_unlock(ctx);
}

/* Return the maximum time that the parked thread may sleep. The caller must
 * hold the lock. */
static uint64_t gms_gate_park_nap_ns(gms_ctx_t *ctx)
{
    uint64_t nap_ns = GMS_GATE_PARK_NS;

    if (gms_gate_is_real(ctx->gate)) {
        nap_ns = gms_gate_become_pacer(ctx);
        if (nap_ns > GMS_GATE_PARK_PACED_NS) {
            nap_ns = GMS_GATE_PARK_PACED_NS;
        }
    }
    return nap_ns;
}

static uint64_t gms_gate_cpu_ns(void)
{
    struct timespec used;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static uint32_t gms_gate_calls_beside(const gms_ctx_t *ctx)
{
    return __atomic_load_n(&ctx->calls_beside, __ATOMIC_RELAXED);
}

void gms_gate_count_nap(gms_ctx_t *ctx, const gms_nap_t *nap)
{
    if (nap->cpu_ns != 0 && nap->calls == gms_gate_calls_beside(ctx)) {
        __atomic_fetch_add(&ctx->beside_ns, gms_gate_cpu_ns() - nap->cpu_ns,
                           __ATOMIC_RELAXED);
    }
}

uint64_t gms_gate_other_threads_ns(const gms_ctx_t *ctx)
{
    return __atomic_load_n(&ctx->beside_ns, __ATOMIC_RELAXED);
}

/* Sleep until the parked thread continues. At intervals, check for dead
 * processes and for the end of the process's other threads, which can then make
 * no more calls. Reading the process's CPU time requires a system call and is
 * therefore omitted in short sleeps. */
void gms_gate_park_sleep(gms_ctx_t *ctx)
{
    gms_proc_t *self = gms_gate_self(ctx);
    int is_paced = gms_gate_is_real(ctx->gate);
    uint64_t nap_ns =
        is_paced ? GMS_GATE_PARK_PACED_NS : GMS_GATE_PARK_SHORT_NS;
    gms_nap_t nap = {.calls = gms_gate_calls_beside(ctx)};

    while (!__atomic_load_n(&self->park_go, __ATOMIC_ACQUIRE)) {
        gms_gate_sleep(&self->park_go, 0, nap_ns);
        if (!__atomic_load_n(&self->park_go, __ATOMIC_ACQUIRE)) {
            if (nap.cpu_ns == 0) {
                nap.cpu_ns = gms_gate_cpu_ns();
            }
            gms_gate_acquire(ctx);
            gms_gate_watch(ctx);
            gms_gate_dispatch(ctx);
            nap_ns = gms_gate_park_nap_ns(ctx);
            gms_gate_release(ctx);
        }
    }
    gms_gate_count_nap(ctx, &nap);
}

void gms_gate_park_end(gms_ctx_t *ctx)
{
    gms_proc_t *self = gms_gate_self(ctx);

    gms_gate_acquire(ctx);
    if (self->park == GMS_PARK_ON) {
        assert(self->state == GMS_PROC_WAITING);
        gms_gate_catch_up(ctx, self);
        self->park = GMS_PARK_OVER;
    }
    gms_gate_unlock(ctx);
}

void gms_gate_park_count(gms_ctx_t *ctx, int more)
{
    gms_gate_acquire(ctx);
    gms_gate_self(ctx)->parked += (uint32_t)more;
    gms_gate_dispatch(ctx);
    gms_gate_release(ctx);
}

/* Threads that are about to end are included, because a deadlock must not be
 * reported too early. */
int gms_gate_has_more_threads(const gms_proc_t *proc, uint32_t threads)
{
    uint32_t known =
        threads + __atomic_load_n(&proc->watches, __ATOMIC_ACQUIRE);
    uint32_t count = 0;
    char path[32];
    const struct dirent *entry;
    DIR *directory;

    snprintf(path, sizeof(path), "/proc/%d/task", proc->pid);
    if ((directory = opendir(path)) == NULL) {
        return 1;
    }
    while ((entry = readdir(directory)) != NULL) {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count > known;
}

int gms_gate_has_free_thread(const gms_proc_t *proc)
{
    return proc->park != GMS_PARK_NONE &&
           gms_gate_has_more_threads(proc, proc->parked);
}
