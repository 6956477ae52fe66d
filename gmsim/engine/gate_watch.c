/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Detects ranks that died. Every rank holds its `life` lock as long as it
 * lives, and the kernel marks the lock when the thread that took it has ended.
 * If a lock is marked, this file checks whether the rank's process has ended.
 * The mark alone does not prove the death, because the thread that called
 * MPI_Init may end before its process. The launcher detects the end of a dying
 * process slightly later than the lock is marked. Two kinds of threads check
 * the locks:
 *
 * - A thread in every rank waits for the next rank's lock. The death of the
 *   next rank wakes this thread. The thread announces the death at once,
 *   because an MPI launcher kills all other ranks within milliseconds and does
 *   not report which rank died first. This thread then wakes the sleepers.
 * - A sleeper that has been woken takes the gate's lock. The sleeper closes the
 *   ports of the dead rank and frees the resources that the rank held.
 */
#define _GNU_SOURCE
#include "engine/gate_int.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Return a virtual time as text in milliseconds, with six decimals. */
const char *gms_gate_time_text(gms_time_t time_ps, char text[32])
{
    snprintf(text, 32, "%llu.%06llu ms", (unsigned long long)(time_ps / GMS_MS),
             (unsigned long long)(time_ps % GMS_MS / 1000));
    return text;
}

/* Announce a death, unless another process has announced it. One write() prints
 * the whole line, so lines from several processes are not interleaved. */
void gms_gate_announce(gms_gate_t *gate, unsigned rank, gms_time_t at_ps)
{
    gms_proc_t *proc = &gate->procs[rank];
    char when[32];
    char line[128];
    int length;

    /* Do not announce deaths in a run that has ended with an error, because all
     * ranks of such a run end. */
    if (__atomic_load_n(&gate->broken, __ATOMIC_ACQUIRE) ||
        __atomic_exchange_n(&proc->announced, 1, __ATOMIC_ACQ_REL)) {
        return;
    }
    length =
        snprintf(line, sizeof(line),
                 "gmsim: rank %u (process %d) died at virtual time "
                 "%s%s%s\n",
                 rank, proc->pid, gms_gate_time_text(at_ps, when),
                 proc->host_name[0] != '\0' ? " on " : "", proc->host_name);
    if (write(STDERR_FILENO, line, (size_t)length) != (ssize_t)length) {
        return; /* ignore the error, because standard error is closed */
    }
}

int gms_gate_await_death(int pid, int limit_ms)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, pid, 0),
                         .events = POLLIN};
    int result;

    if (end.fd < 0) {
        return 1; /* the process has ended, or the kernel lacks this call */
    }
    do {
        result = poll(&end, 1, limit_ms);
    } while (result < 0 && errno == EINTR);
    close(end.fd);
    return result != 0;
}

/* Return 1 if the process of a rank has died. The caller has taken the rank's
 * `life` lock, and lock_result is the result. This function releases the lock.
 * The end of the thread that held the lock does not prove that the process has
 * ended. The kernel marks the lock before the process ends, and the process may
 * have other threads. The lock is always made consistent, so that the other
 * watchers can still take it. */
static int gms_gate_examine(gms_gate_t *gate, unsigned rank, int lock_result,
                            int limit_ms)
{
    gms_proc_t *proc = &gate->procs[rank];

    if (lock_result == EOWNERDEAD) {
        pthread_mutex_consistent(&proc->life);
        proc->ownerless = 1;
    }
    /* If the rank has left the job, the end of its process is not reported. */
    if (proc->ownerless && gms_gate_await_death(proc->pid, limit_ms) &&
        gms_gate_alive(gate, rank)) {
        __atomic_store_n(&proc->died, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&proc->life);
    return __atomic_load_n(&proc->died, __ATOMIC_ACQUIRE);
}

int gms_gate_has_death(const gms_gate_t *gate)
{
    return __atomic_load_n(&gate->deaths, __ATOMIC_SEQ_CST) !=
           gate->deaths_done;
}

void gms_gate_watch(gms_ctx_t *ctx)
{
    gms_gate_t *gate = ctx->gate;
    uint64_t now_ns = gms_gate_wall_ns();
    unsigned rank;

    if (now_ns < gate->next_watch_ns && !gms_gate_has_death(gate)) {
        return;
    }
    gate->next_watch_ns = now_ns + GMS_GATE_WATCH_MS * 500000u;
    /* Read the count before the check. If a process dies during this check, the
     * next check detects the death. */
    gate->deaths_done = __atomic_load_n(&gate->deaths, __ATOMIC_SEQ_CST);
    for (rank = 0; rank < gate->size; ++rank) {
        gms_proc_t *proc = &gate->procs[rank];
        int result;

        if ((int)rank == ctx->self_rank || !gms_gate_alive(gate, rank)) {
            continue;
        }
        /* Another watcher may hold the lock while it checks this rank. */
        result = pthread_mutex_trylock(&proc->life);
        if (result == EBUSY ? __atomic_load_n(&proc->died, __ATOMIC_ACQUIRE)
                            : gms_gate_examine(gate, rank, result, 0)) {
            gms_gate_announce(gate, rank, gate->procs[rank].clock_ps);
            gms_gate_set(gate, proc, GMS_PROC_DEAD, proc->clock_ps);
            if (ctx->on_death != NULL) {
                ctx->on_death(ctx, rank);
            }
        }
    }
}

typedef struct gms_watcher {
    gms_gate_t *gate;
    unsigned self;
    unsigned first; /* the first rank to watch */
} gms_watcher_t;

/* Wake all sleepers. The count of deaths increases before `go` is set, so a
 * process that is about to sleep notices the dead rank. */
static void gms_gate_wake_all(gms_gate_t *gate)
{
    unsigned rank;

    __atomic_add_fetch(&gate->deaths, 1, __ATOMIC_SEQ_CST);
    for (rank = 0; rank < gate->size; ++rank) {
        __atomic_store_n(&gate->procs[rank].go, 1, __ATOMIC_SEQ_CST);
        gms_gate_wake(&gate->procs[rank].go);
    }
}

/* Return 1 if this process has received a signal that ends the job. The
 * launcher stops each rank until all ranks have received the signal. The
 * watcher thread blocks the signal, and may continue before the other threads
 * receive the signal. Without this check, the watcher would then report deaths
 * that are expected. If the program survives the signal, the program reports
 * the deaths when it next calls the gate. */
static int gms_gate_is_told_to_end(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t pending;
    unsigned i;

    if (sigpending(&pending) != 0) {
        return 0;
    }
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        if (sigismember(&pending, numbers[i]) == 1) {
            return 1;
        }
    }
    return 0;
}

/* Wait until an expected rank has joined, because the rank does not hold its
 * lock before then. */
static void gms_gate_await_birth(gms_proc_t *proc)
{
    while (__atomic_load_n(&proc->state, __ATOMIC_RELAXED) ==
           GMS_PROC_EXPECTED) {
        gms_gate_sleep((uint32_t *)&proc->state, GMS_PROC_EXPECTED,
                       GMS_GATE_WATCH_NS);
    }
}

static unsigned gms_gate_next_rank(const gms_gate_t *gate, unsigned rank)
{
    return (rank + 1) % __atomic_load_n(&gate->size, __ATOMIC_ACQUIRE);
}

/* Watch the first rank as long as it lives, then the next rank, and so on. */
static void *gms_gate_watcher(void *argument)
{
    gms_watcher_t *watcher = argument;
    gms_gate_t *gate = watcher->gate;
    unsigned self = watcher->self;
    unsigned rank = watcher->first;

    free(watcher);
    for (; rank != self; rank = gms_gate_next_rank(gate, rank)) {
        gms_proc_t *proc = &gate->procs[rank];

        gms_gate_await_birth(proc);
        if (gms_gate_examine(gate, rank, pthread_mutex_lock(&proc->life), -1)) {
            if (!gms_gate_is_told_to_end()) {
                gms_gate_announce(gate, rank,
                                  __atomic_load_n(&gate->procs[rank].clock_ps,
                                                  __ATOMIC_RELAXED));
            }
            gms_gate_wake_all(gate);
        }
    }
    __atomic_sub_fetch(&gate->procs[self].watches, 1, __ATOMIC_RELEASE);
    return NULL;
}

/* Allow the thread to run on all cores, because it must not wait for the single
 * core that the ranks share. The cores are set in the thread's attributes,
 * because the thread may end before its creator can change the cores. */
static void gms_gate_free_watcher(pthread_attr_t *attr)
{
    cpu_set_t all;
    int cpu;

    CPU_ZERO(&all);
    for (cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        CPU_SET((unsigned)cpu, &all);
    }
    pthread_attr_setaffinity_np(attr, sizeof(all), &all);
}

int gms_gate_start_watcher(gms_ctx_t *ctx)
{
    if (ctx->gate->size == 1) {
        return 0; /* there is no other rank to watch */
    }
    return gms_gate_watch_spawned(
        ctx, gms_gate_next_rank(ctx->gate, (unsigned)ctx->self_rank));
}

int gms_gate_start_helper(gms_ctx_t *ctx, void *(*function)(void *),
                          void *argument, pthread_t *thread_p)
{
    pthread_attr_t attr;
    pthread_t thread;
    sigset_t all;
    sigset_t before;
    int result;

    pthread_attr_init(&attr);
    if (thread_p == NULL) {
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    }
    pthread_attr_setstacksize(&attr, 4 * (size_t)PTHREAD_STACK_MIN);
    /* Block all signals in this thread, because the program's threads must
     * handle them. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    gms_gate_free_watcher(&attr);
    __atomic_add_fetch(&gms_gate_self(ctx)->watches, 1, __ATOMIC_RELEASE);
    result = pthread_create(thread_p != NULL ? thread_p : &thread, &attr,
                            function, argument);
    if (result != 0) {
        gms_gate_end_helper(ctx);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return result == 0 ? 0 : -1;
}

void gms_gate_end_helper(gms_ctx_t *ctx)
{
    __atomic_sub_fetch(&gms_gate_self(ctx)->watches, 1, __ATOMIC_RELEASE);
}

int gms_gate_watch_spawned(gms_ctx_t *ctx, unsigned first)
{
    gms_watcher_t *watcher = malloc(sizeof(*watcher));

    if (watcher == NULL) {
        return -1;
    }
    watcher->gate = ctx->gate;
    watcher->self = (unsigned)ctx->self_rank;
    watcher->first = first;
    if (gms_gate_start_helper(ctx, gms_gate_watcher, watcher, NULL) != 0) {
        free(watcher);
        return -1;
    }
    return 0;
}
