/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs tests of the gate with real processes. Each test forks ranks that share
 * an arena. The ranks write their observations in order to a log in this arena.
 */
#ifndef TESTS_UNIT_GATE_RIG_H
#define TESTS_UNIT_GATE_RIG_H

#include "engine/gate.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define ARENA_BYTES (UINT64_C(16) << 20)
#define ON_WAKE     GMS_HANDLER_TEST
#define ON_BUSY     (GMS_HANDLER_TEST + 1)
#define ON_NOTE     (GMS_HANDLER_TEST + 2)
#define ON_WAKE_AT  (GMS_HANDLER_TEST + 3)
#define LOG_MAX     4096

typedef struct shared {
    gms_engine_t *engine;
    gms_gate_t *gate;
    unsigned logged;
    uint64_t log[LOG_MAX];
    uint64_t address;
} shared_t;

typedef void rank_main(gms_ctx_t *ctx, shared_t *shared);

static inline void on_wake(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_gate_signal(ctx, (unsigned)event->arg[0], event->time_ps);
}

static inline void on_busy(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_gate_charge_waiter(ctx, (unsigned)event->arg[0], event->time_ps,
                           event->arg[1]);
}

static inline void note(shared_t *shared, uint64_t value)
{
    if (shared->logged < LOG_MAX) {
        shared->log[shared->logged++] = value;
    }
}

static inline void on_note(gms_ctx_t *ctx, const gms_event_t *event)
{
    (void)ctx;
    note(event->object, event->arg[0]);
}

/* Wake a rank some time after the event. */
static inline void on_wake_at(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_gate_signal(ctx, (unsigned)event->arg[0], event->arg[1]);
}

/* number of deaths of rank 1 that have been reported to this process */
static unsigned deaths;

static inline void on_death(gms_ctx_t *ctx, unsigned rank)
{
    (void)ctx;
    deaths += rank == 1;
}

static inline shared_t *make_shared(gms_ctx_t *ctx, unsigned size)
{
    void *memory = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    shared_t *shared;

    memset(ctx, 0, sizeof(*ctx));
    ctx->self_rank = -1;
    if (memory == MAP_FAILED ||
        gms_arena_format(memory, ARENA_BYTES, &ctx->arena) != GMS_OK ||
        gms_engine_create(ctx->arena, &ctx->engine) != GMS_OK ||
        gms_gate_create(ctx->arena, size, &ctx->gate) != GMS_OK) {
        abort();
    }
    shared = gms_arena_alloc(ctx->arena, sizeof(*shared));
    gms_gate_register(ctx);
    ctx->handlers[ON_WAKE] = on_wake;
    ctx->handlers[ON_BUSY] = on_busy;
    ctx->handlers[ON_NOTE] = on_note;
    ctx->handlers[ON_WAKE_AT] = on_wake_at;
    /* A rank can be informed of a death while it joins, before its body
     * runs. */
    ctx->on_death = on_death;
    return shared;
}

static inline pid_t start_rank(gms_ctx_t *ctx, shared_t *shared, unsigned rank,
                               rank_main *body)
{
    unsigned missing;
    pid_t pid = fork();

    if (pid == 0) {
        alarm(60); /* a timer ends a rank that would wait forever */
        if (gms_gate_join(ctx, rank, 60, &missing) != GMS_OK) {
            _exit(99);
        }
        body(ctx, shared);
        gms_gate_finish(ctx);
        _exit(0);
    }
    return pid;
}

/* Run `size` ranks. @return number of ranks that have failed */
static inline unsigned run(unsigned size, rank_main *body, int staging,
                           shared_t **shared_p)
{
    gms_ctx_t ctx;
    shared_t *shared = make_shared(&ctx, size);
    unsigned bad = 0;
    unsigned rank;
    int how;

    if (staging) {
        gms_gate_force_staging(ctx.gate);
    }
    fflush(NULL);
    for (rank = 0; rank < size; ++rank) {
        start_rank(&ctx, shared, rank, body);
    }
    while (wait(&how) > 0) {
        bad += !WIFEXITED(how) || WEXITSTATUS(how) != 0;
    }
    *shared_p = shared;
    return bad;
}

#endif
