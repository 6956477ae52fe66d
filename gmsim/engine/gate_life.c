/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles the start and the end of a process at the gate. These tasks include
 * joining the job, the recovery of a lock whose holder died, and the message
 * about a deadlock. The file gate_watch.c detects processes that died.
 */
#define _GNU_SOURCE
#include "base/message.h"
#include "engine/gate_int.h"
#include "engine/ranks.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

uint64_t gms_gate_wall_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void gms_gate_mutex_init(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attr;

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attr);
    pthread_mutexattr_destroy(&attr);
}

/* If all ranks share one process, a context switch between ranks occurs only
 * while no rank is in the simulation, so these ranks need no lock. */
static int gms_gate_has_lock(void)
{
    return gms_ranks() == NULL;
}

static void gms_gate_unlock_mutex(gms_gate_t *gate)
{
    if (gms_gate_has_lock()) {
        pthread_mutex_unlock(&gate->lock);
    }
}

/* End this process if the run has ended with an error. Another process has
 * reported the reason. */
static void gms_gate_end_if_broken(gms_ctx_t *ctx)
{
    if (ctx->gate->broken) {
        gms_gate_unlock_mutex(ctx->gate);
        fflush(NULL);
        _exit(EXIT_FAILURE);
    }
}

void gms_gate_abort(gms_ctx_t *ctx)
{
    unsigned rank;

    __atomic_store_n(&ctx->gate->broken, 1, __ATOMIC_RELEASE);
    for (rank = 0; rank < ctx->gate->size; ++rank) {
        __atomic_store_n(&ctx->gate->procs[rank].go, 1, __ATOMIC_RELEASE);
        gms_gate_wake(&ctx->gate->procs[rank].go);
        __atomic_store_n(&ctx->gate->procs[rank].park_go, 1, __ATOMIC_RELEASE);
        gms_gate_wake(&ctx->gate->procs[rank].park_go);
    }
    gms_gate_wake(&ctx->gate->started);
}

/* After the death of another rank, wait until a signal or the launcher ends
 * this process. A rank rarely dies alone, because a signal to all ranks reaches
 * them one after another, and a launcher ends the other ranks within
 * milliseconds. In this situation, a report about the waiting ranks is not
 * useful. This function holds the lock, so no other process reports the waiting
 * ranks. If this process dies while it holds the lock, no process reports its
 * death as a fault, because the run is already broken. */
static void gms_gate_await_end(gms_gate_t *gate)
{
    struct timespec nap = {.tv_sec = 0, .tv_nsec = GMS_GATE_END_MS * 1000000};

    __atomic_store_n(&gate->broken, 1, __ATOMIC_RELEASE);
    while (nanosleep(&nap, &nap) != 0) {
    }
}

/* Handle the death of a process that held the lock. Announce the death first,
 * because a launcher soon ends all other ranks. This process waits until the
 * launcher can detect that the holder has ended. Otherwise the launcher would
 * report this process as the cause. */
static void gms_gate_lose_holder(gms_ctx_t *ctx)
{
    gms_gate_t *gate = ctx->gate;
    int holder = gate->holder;

    if (holder >= 0) {
        gms_gate_announce(gate, (unsigned)holder, gate->procs[holder].clock_ps);
        gms_gate_await_death(gate->procs[holder].pid, GMS_GATE_DEATH_MS);
    }
    gms_gate_await_end(gate);
    gms_gate_abort(ctx);
    pthread_mutex_unlock(&gate->lock);
    gms_fatal(ctx,
              "rank %d died while it was running the simulation; the job "
              "cannot continue",
              holder);
}

void gms_gate_acquire(gms_ctx_t *ctx)
{
    gms_gate_t *gate = ctx->gate;
    const gms_ranks_t *ranks = gms_ranks();

    if (ranks != NULL && !ranks->is_rank()) {
        gms_fatal(ctx, "a second thread of a rank calls MPI or GM; run this "
                       "program without the option -in-process of mpirun");
    }
    gms_gate_come_inside();
    if (gms_gate_has_lock() && pthread_mutex_lock(&gate->lock) == EOWNERDEAD) {
        pthread_mutex_consistent(&gate->lock);
        if (!gate->broken) {
            gms_gate_lose_holder(ctx);
        }
    }
    gms_gate_end_if_broken(ctx);
    gate->holder = ctx->self_rank;
}

void gms_gate_release(gms_ctx_t *ctx)
{
    gms_gate_t *gate = ctx->gate;
    uint32_t wake[GMS_CTX_WAKE_MAX];
    uint32_t count = ctx->wake_count;
    uint32_t index;

    /* Copy the list. The list belongs to the holder of the lock, and another
     * thread may take the lock as soon as it is released. */
    memcpy(wake, ctx->wake, count * sizeof(wake[0]));
    ctx->wake_count = 0;
    gms_gate_unlock_mutex(gate);
    /* If this process dies between the following two steps, the sleeper wakes
     * one watch interval later. */
    for (index = 0; index < count; ++index) {
        gms_gate_wake_proc(&gate->procs[wake[index]]);
    }
    gms_gate_go_outside();
}

/* Sleep on a futex word. Use a time limit only if necessary, because setting
 * and removing its timer at every context switch is expensive. */
void gms_gate_sleep(uint32_t *word, uint32_t seen, uint64_t limit_ns)
{
    struct timespec limit = {.tv_sec = (time_t)(limit_ns / 1000000000u),
                             .tv_nsec = (long)(limit_ns % 1000000000u)};

    const gms_ranks_t *ranks = gms_ranks();

    if (ranks != NULL) {
        ranks->wait(word, seen, limit_ns);
    } else {
        syscall(SYS_futex, word, FUTEX_WAIT, seen,
                limit_ns != 0 ? &limit : NULL, NULL, 0);
    }
}

void gms_gate_wake(uint32_t *word)
{
    const gms_ranks_t *ranks = gms_ranks();

    if (ranks != NULL) {
        ranks->wake(word);
    } else {
        syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    }
}

void gms_gate_wake_proc(gms_proc_t *proc)
{
    gms_gate_wake(&proc->go);
    if (__atomic_load_n(&proc->park_go, __ATOMIC_ACQUIRE)) {
        gms_gate_wake(&proc->park_go);
    }
}

static int gms_gate_lost(const gms_gate_t *gate)
{
    unsigned rank;

    for (rank = 0; rank < gate->size; ++rank) {
        if (gate->procs[rank].state == GMS_PROC_DEAD) {
            return 1;
        }
    }
    return 0;
}

/* Return the number of ranks that are polling. */
static unsigned gms_gate_count_pollers(const gms_gate_t *gate)
{
    unsigned count = 0;
    unsigned rank;

    for (rank = 0; rank < gate->size; ++rank) {
        count += gms_gate_alive(gate, rank) && gate->procs[rank].polls > 0;
    }
    return count;
}

/* Print the beginning of the line about a rank that waits or polls. */
static void gms_gate_print_wait(FILE *out, const gms_proc_t *proc,
                                unsigned rank, const char *when,
                                const char *what)
{
    fprintf(out, "gmsim:   rank %u at %s %s%s%s: %s", rank, when, what,
            proc->waits_in[0] != '\0' ? " in " : "", proc->waits_in,
            proc->waits_for);
}

/* Print the line about a rank of a job that cannot continue. */
static void gms_gate_print_rank(FILE *out, const gms_gate_t *gate,
                                unsigned rank)
{
    const gms_proc_t *proc = &gate->procs[rank];
    char when[32];

    gms_gate_time_text(proc->clock_ps, when);
    if (gms_gate_alive(gate, rank) && proc->polls > 0) {
        gms_gate_print_wait(out, proc, rank, when, "polls");
        fprintf(out, " (%llu polls in a row found nothing)\n",
                (unsigned long long)proc->polls);
    } else if (proc->state == GMS_PROC_WAITING) {
        gms_gate_print_wait(out, proc, rank, when, "waits");
        fprintf(out, "\n");
    } else if (proc->state == GMS_PROC_RETURNING) {
        fprintf(out,
                "gmsim:   rank %u at %s waits for all ranks to rejoin the "
                "simulation\n",
                rank, when);
    } else {
        fprintf(out, "gmsim:   rank %u %s at %s\n", rank,
                proc->state == GMS_PROC_DEAD ? "died" : "finished", when);
    }
}

void gms_gate_deadlock(gms_ctx_t *ctx)
{
    gms_gate_t *gate = ctx->gate;
    unsigned pollers = gms_gate_count_pollers(gate);
    gms_message_t message;
    unsigned rank;
    FILE *out;

    fflush(NULL);
    if (gms_gate_lost(gate)) {
        gms_gate_await_end(gate);
    }
    out = gms_message_begin(&message);
    fprintf(out,
            "gmsim: deadlock: every process %s, and no pending event can %s a "
            "process\n",
            pollers > 0 ? "polls or waits" : "waits",
            pollers > 0 ? "reach" : "wake");
    for (rank = 0; rank < gate->size; ++rank) {
        gms_gate_print_rank(out, gate, rank);
    }
    if (pollers > 0) {
        fprintf(out, "gmsim: if the processes wait for something outside the "
                     "simulation, set GMSIM_POLL_LIMIT=0\n");
    }
    gms_message_end(&message);
    gms_gate_abort(ctx);
    gms_gate_unlock_mutex(gate);
    _exit(EXIT_FAILURE);
}

/* Return the interval at which a joining rank checks for dead ranks and for its
 * time limit. The interval grows with the number of ranks. Otherwise, the
 * checks of thousands of ranks would occupy the processors on which the other
 * ranks must start. */
static uint64_t gms_gate_phase_ns(const gms_gate_t *gate)
{
    return GMS_GATE_WATCH_NS * (1 + gate->size / GMS_GATE_WATCH_RANKS);
}

/* Complete a phase of joining together with all ranks. In the first phase every
 * rank joins. In the second phase every rank probes private memory. The caller
 * must hold the lock, and holds it again when the function returns. */
static gms_status_t gms_gate_phase(gms_ctx_t *ctx, uint32_t *count,
                                   uint32_t phase, uint64_t limit_ns)
{
    gms_gate_t *gate = ctx->gate;

    if (++*count == gate->size) {
        __atomic_store_n(&gate->started, phase, __ATOMIC_RELEASE);
        gms_gate_wake(&gate->started);
    }
    while (gate->started < phase) {
        uint32_t seen = gate->started;

        gms_gate_release(ctx);
        gms_gate_sleep(&gate->started, seen, gms_gate_phase_ns(gate));
        gms_gate_acquire(ctx);
        gms_gate_watch(ctx);
        if (gate->started < phase && gms_gate_lost(gate)) {
            return GMS_ERR_PEER_DIED;
        }
        if (gate->started < phase && gms_gate_wall_ns() > limit_ns) {
            return GMS_ERR_TIMED_OUT;
        }
    }
    return GMS_OK;
}

/* Check whether the next rank's private memory can be read. */
static void gms_gate_probe(gms_ctx_t *ctx)
{
    gms_gate_t *gate = ctx->gate;
    gms_proc_t *next =
        &gate->procs[((unsigned)ctx->self_rank + 1) % gate->size];
    uint64_t word = 0;
    struct iovec to = {&word, sizeof(word)};
    struct iovec from = {(void *)(uintptr_t)next->probe_address, sizeof(word)};

    if (process_vm_readv(next->pid, &to, 1, &from, 1, 0) !=
            (ssize_t)sizeof(word) ||
        word != (uint64_t)next->pid) {
        gate->staging = 1;
    }
}

static void gms_gate_start_clock(gms_gate_t *gate)
{
    unsigned rank;

    for (rank = 0; rank < gate->size; ++rank) {
        if (gate->procs[rank].state == GMS_PROC_JOINED) {
            gms_gate_set(gate, &gate->procs[rank], GMS_PROC_RUNNING,
                         gate->procs[rank].clock_ps);
        }
    }
    if (gate->start_ns == 0) {
        gms_gate_anchor(gate, 0);
    }
}

gms_status_t gms_gate_join(gms_ctx_t *ctx, unsigned rank, unsigned wall_limit_s,
                           unsigned *missing_p)
{
    gms_gate_t *gate = ctx->gate;
    gms_proc_t *self = &gate->procs[rank];
    uint64_t limit_ns =
        gms_gate_wall_ns() + wall_limit_s * UINT64_C(1000000000);
    /* This word is in private memory, and the neighbouring rank tries to read
     * the word. */
    volatile uint64_t probe_word = (uint64_t)getpid();
    gms_status_t status;

    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    ctx->self_rank = (int)rank;
    gms_gate_acquire(ctx);
    if (self->state != GMS_PROC_UNBORN) {
        gms_gate_release(ctx);
        ctx->self_rank = -1;
        return GMS_ERR_BUSY;
    }
    pthread_mutex_lock(&self->life);
    gms_gate_set(gate, self, GMS_PROC_JOINED, self->clock_ps);
    self->pid = getpid();
    self->probe_address = (uintptr_t)&probe_word;
    status = gms_gate_phase(ctx, &gate->joined, 1, limit_ns);
    if (status == GMS_OK) {
        gms_gate_probe(ctx);
        status = gms_gate_phase(ctx, &gate->probed, 2, limit_ns);
    }
    if (status != GMS_OK) {
        for (*missing_p = 0;
             *missing_p + 1 < gate->size && gms_gate_alive(gate, *missing_p);
             ++*missing_p) {
        }
        gms_gate_set(gate, self, GMS_PROC_DEAD, self->clock_ps);
        pthread_mutex_unlock(&self->life);
        gms_gate_release(ctx);
        return status;
    }
    gms_gate_start_clock(gate);
    gms_gate_release(ctx);
    /* ranks that share a process also end together */
    ctx->is_watched = gms_ranks() != NULL || gms_gate_start_watcher(ctx) == 0;
    gms_gate_begin_program(ctx);
    return GMS_OK;
}
