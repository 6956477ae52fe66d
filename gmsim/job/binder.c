/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the binder. The state of each rank is in the arena. The rank adds
 * and removes itself, and the binder's thread moves it. A rank that is removed
 * while the thread moves it receives all units again, because the thread checks
 * the state afterwards.
 *
 * Only the thread that joined returns to the shared unit. The other threads of
 * a process, such as OpenMP's, leave the unit once and do not return.
 */
#define _GNU_SOURCE
#include "job/binder.h"

#include <stdlib.h>
#include <unistd.h>

#include "job/bind_policy.h"

/* Interval between two samples. The interval grows by GMS_BINDER_NS for every
 * GMS_BINDER_RANKS ranks. [chosen: less than 1 % of a processor] */
#define GMS_BINDER_NS    UINT64_C(5000000)
#define GMS_BINDER_RANKS 256u

enum gms_binder_state {
    GMS_BINDER_ABSENT = 0, /* the binder leaves the rank where it is */
    GMS_BINDER_SHARED,     /* the rank is on the shared unit */
    GMS_BINDER_FREE        /* the rank may use all units */
};

typedef struct gms_binder_row {
    uint32_t state;
    int pid, tid;
} gms_binder_row_t;

struct gms_binder {
    gms_bind_t shared, free;
    uint32_t stop; /* futex; 1: the thread must end */
    unsigned ranks;
    gms_binder_row_t rows[];
};

struct gms_binder_thread {
    gms_binder_t *binder;
    gms_ctx_t *ctx;
    pthread_t thread;
    gms_bind_policy_t policy;
    gms_bind_rank_t ranks[];
};

gms_status_t gms_binder_create(gms_arena_t *arena, int unit, unsigned ranks,
                               gms_binder_t **binder_p)
{
    gms_bind_t shared, free;
    gms_binder_t *binder;

    *binder_p = NULL;
    gms_bind_only(unit, &shared);
    if (gms_bind_read(&free) != 0 || gms_bind_equal(&shared, &free)) {
        return GMS_OK;
    }
    binder = gms_arena_alloc(arena,
                             sizeof(*binder) + ranks * sizeof(binder->rows[0]));
    if (binder == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    binder->shared = shared;
    binder->free = free;
    binder->ranks = ranks;
    *binder_p = binder;
    return GMS_OK;
}

void gms_binder_add(gms_binder_t *binder, unsigned rank,
                    const gms_bind_t *before)
{
    if (binder == NULL || rank >= binder->ranks || before == NULL ||
        !gms_bind_equal(before, &binder->free)) {
        return;
    }
    binder->rows[rank].pid = getpid();
    binder->rows[rank].tid = (int)gettid();
    __atomic_store_n(&binder->rows[rank].state, GMS_BINDER_SHARED,
                     __ATOMIC_RELEASE);
}

void gms_binder_remove(gms_binder_t *binder, unsigned rank)
{
    if (binder != NULL && rank < binder->ranks) {
        __atomic_store_n(&binder->rows[rank].state, GMS_BINDER_ABSENT,
                         __ATOMIC_SEQ_CST);
    }
}

static void gms_binder_move(gms_binder_t *binder, unsigned rank,
                            enum gms_bind_order order)
{
    gms_binder_row_t *row = &binder->rows[rank];
    uint32_t state = __atomic_load_n(&row->state, __ATOMIC_ACQUIRE);
    uint32_t next =
        order == GMS_BIND_LEAVE ? GMS_BINDER_FREE : GMS_BINDER_SHARED;

    if (order == GMS_BIND_KEEP || state == GMS_BINDER_ABSENT || state == next) {
        return;
    }
    if (next == GMS_BINDER_FREE) {
        gms_bind_move_process(row->pid, &binder->shared, &binder->free);
    } else {
        gms_bind_move_thread(row->tid, &binder->free, &binder->shared);
    }
    if (!__atomic_compare_exchange_n(&row->state, &state, next, 0,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
        gms_bind_move_process(row->pid, &binder->shared, &binder->free);
    }
}

static unsigned gms_binder_size(const gms_binder_thread_t *thread)
{
    unsigned size = gms_gate_size(thread->ctx->gate);

    return size < thread->binder->ranks ? size : thread->binder->ranks;
}

/* Take samples of all ranks and move them. */
static void gms_binder_look(gms_binder_thread_t *thread)
{
    const gms_gate_t *gate = thread->ctx->gate;
    unsigned size = gms_binder_size(thread);
    enum gms_bind_order all;
    unsigned running = 0;
    unsigned rank;

    for (rank = 0; rank < size; ++rank) {
        gms_gate_sample_t sample;

        gms_gate_take_sample(gate, rank, &sample);
        running += (unsigned)gms_bind_see(&thread->ranks[rank], &sample);
    }
    all = gms_bind_decide(&thread->policy, running,
                          gms_gate_context_switches(gate), gms_gate_wall_ns());
    for (rank = 0; rank < size; ++rank) {
        gms_binder_move(thread->binder, rank,
                        gms_bind_order_of(&thread->ranks[rank], all));
    }
}

static void *gms_binder_run(void *argument)
{
    gms_binder_thread_t *thread = argument;
    gms_binder_t *binder = thread->binder;

    while (!__atomic_load_n(&binder->stop, __ATOMIC_ACQUIRE)) {
        gms_binder_look(thread);
        gms_gate_sleep(&binder->stop, 0,
                       GMS_BINDER_NS *
                           (1 + gms_binder_size(thread) / GMS_BINDER_RANKS));
    }
    return NULL;
}

gms_binder_thread_t *gms_binder_start(gms_binder_t *binder, gms_ctx_t *ctx)
{
    gms_binder_thread_t *thread;

    if (binder == NULL) {
        return NULL;
    }
    thread =
        calloc(1, sizeof(*thread) + binder->ranks * sizeof(thread->ranks[0]));
    if (thread == NULL) {
        return NULL;
    }
    thread->binder = binder;
    thread->ctx = ctx;
    if (gms_gate_start_helper(ctx, gms_binder_run, thread, &thread->thread) !=
        0) {
        free(thread);
        return NULL;
    }
    return thread;
}

void gms_binder_stop(gms_binder_thread_t *thread)
{
    unsigned rank;

    if (thread == NULL) {
        return;
    }
    __atomic_store_n(&thread->binder->stop, 1, __ATOMIC_RELEASE);
    gms_gate_wake(&thread->binder->stop);
    pthread_join(thread->thread, NULL);
    gms_gate_end_helper(thread->ctx);
    for (rank = 0; rank < gms_binder_size(thread); ++rank) {
        gms_gate_sample_t sample;

        gms_gate_take_sample(thread->ctx->gate, rank, &sample);
        if (gms_bind_see(&thread->ranks[rank], &sample) &&
            thread->ranks[rank].computes) {
            gms_binder_move(thread->binder, rank, GMS_BIND_LEAVE);
        }
    }
    free(thread);
}
