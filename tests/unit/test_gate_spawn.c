/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests ranks that join a running job. The real times at which the processes
 * start must have no effect on the order of turns.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/gate.h"
#include "tests/unit/unit.h"

#define ARENA_BYTES (UINT64_C(1) << 26)
#define RANKS       2u
#define SPAWNED     2u
#define START_PS    (100 * GMS_US)
#define LOG         256u

/* Turns of all ranks, in order. */
typedef struct shared {
    unsigned logged;
    gms_time_t clock_ps[LOG];
    unsigned rank[LOG];
    unsigned first; /* rank of the first new process; 0 before the request */
} shared_t;

static void turn(gms_ctx_t *ctx, shared_t *shared)
{
    gms_gate_run_events_until_turn(ctx);
    if (shared->logged < LOG) {
        shared->clock_ps[shared->logged] = gms_gate_clock(ctx);
        shared->rank[shared->logged] = (unsigned)ctx->self_rank;
        ++shared->logged;
    }
    gms_gate_advance(ctx, 10 * GMS_US);
    gms_gate_unlock(ctx);
}

static shared_t *make_shared(gms_ctx_t *ctx, unsigned spare)
{
    void *memory = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    memset(ctx, 0, sizeof(*ctx));
    ctx->self_rank = -1;
    if (memory == MAP_FAILED ||
        gms_arena_format(memory, ARENA_BYTES, &ctx->arena) != GMS_OK ||
        gms_engine_create(ctx->arena, &ctx->engine) != GMS_OK ||
        gms_gate_create_spare(ctx->arena, RANKS, spare, &ctx->gate) != GMS_OK) {
        abort();
    }
    gms_gate_register(ctx);
    return gms_arena_alloc(ctx->arena, sizeof(shared_t));
}

/* Rank 0 requests the new ranks in its first turn. */
static void launched(gms_ctx_t *ctx, shared_t *shared)
{
    unsigned first = 0, i;

    if (ctx->self_rank == 0) {
        gms_gate_run_events_until_turn(ctx);
        if (gms_gate_expect(ctx, SPAWNED, gms_gate_clock(ctx) + START_PS,
                            &first) != GMS_OK ||
            first != RANKS || gms_gate_world(ctx->gate, first + 1) != first ||
            gms_gate_size(ctx->gate) != RANKS + SPAWNED) {
            _exit(98);
        }
        gms_gate_unlock(ctx);
        gms_gate_watch_expected(ctx, first);
        __atomic_store_n(&shared->first, first, __ATOMIC_RELEASE);
    }
    for (i = 0; i < 30; ++i) {
        turn(ctx, shared);
    }
}

/* A new rank joins late in real time. Before its turns, the rank is absent, as
 * in MPI_Init. */
static void spawned(gms_ctx_t *ctx, shared_t *shared, unsigned index,
                    unsigned late_ms)
{
    unsigned i;

    while (__atomic_load_n(&shared->first, __ATOMIC_ACQUIRE) == 0) {
        usleep(1000);
    }
    if (gms_gate_join_late(ctx, 50) != GMS_ERR_NOT_FOUND) {
        _exit(97);
    }
    usleep(late_ms * 1000);
    if (gms_gate_join_late(ctx, shared->first + index) != GMS_OK) {
        _exit(96);
    }
    for (i = 0; i < 2; ++i) {
        gms_gate_leave_and_hold(ctx);
        usleep((late_ms * (index + 1)) % 40 * 1000);
        gms_gate_rejoin(ctx);
    }
    for (i = 0; i < 10; ++i) {
        turn(ctx, shared);
    }
    gms_gate_leave(ctx);
}

static void child(gms_ctx_t *ctx, shared_t *shared, unsigned rank,
                  unsigned late_ms)
{
    unsigned missing;

    alarm(60); /* a timer ends a rank that would wait forever */
    if (rank >= RANKS) {
        spawned(ctx, shared, rank - RANKS, late_ms);
    } else if (gms_gate_join(ctx, rank, 60, &missing) == GMS_OK) {
        launched(ctx, shared);
    } else {
        _exit(99);
    }
    gms_gate_finish(ctx);
    _exit(0);
}

/* @return number of ranks that have failed */
static unsigned run(unsigned late_ms, shared_t **shared_p)
{
    gms_ctx_t ctx;
    shared_t *shared = make_shared(&ctx, SPAWNED);
    unsigned rank, bad = 0;
    int how;

    fflush(NULL);
    for (rank = 0; rank < RANKS + SPAWNED; ++rank) {
        if (fork() == 0) {
            child(&ctx, shared, rank, late_ms);
        }
    }
    while (wait(&how) > 0) {
        bad += !WIFEXITED(how) || WEXITSTATUS(how) != 0;
    }
    *shared_p = shared;
    return bad;
}

static void test_time_waits(void)
{
    shared_t *first, *second;
    unsigned i, disorder = 0, early = 0;

    CHECK_U64(run(0, &first), 0);
    CHECK_U64(first->logged, 30 * RANKS + 10 * SPAWNED);
    for (i = 1; i < first->logged && i < LOG; ++i) {
        disorder += first->clock_ps[i] < first->clock_ps[i - 1];
        early += first->rank[i] >= RANKS && first->clock_ps[i] < START_PS;
    }
    CHECK_U64(disorder, 0);
    CHECK_U64(early, 0);
    CHECK_U64(run(150, &second), 0);
    CU_ASSERT_TRUE(memcmp(first, second, sizeof(*first)) == 0);
}

static void test_no_room(void)
{
    gms_ctx_t ctx;
    unsigned first = 77;

    make_shared(&ctx, 3);
    CHECK_U64(gms_gate_capacity(ctx.gate), RANKS + 3);
    CHECK_U64(gms_gate_expect(&ctx, 4, 0, &first), GMS_ERR_NO_MEMORY);
    CHECK_U64(gms_gate_expect(&ctx, 0, 0, &first), GMS_ERR_NO_MEMORY);
    CHECK_U64(gms_gate_size(ctx.gate), RANKS);
    CHECK_U64(first, 77);
    CHECK_U64(gms_gate_expect(&ctx, 3, 0, &first), GMS_OK);
    CHECK_U64(first, RANKS);
    CHECK_U64(gms_gate_expect(&ctx, 1, 0, &first), GMS_ERR_NO_MEMORY);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"time waits for ranks that join late", test_time_waits},
        {"no room for more ranks", test_no_room},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gate_spawn", NULL, NULL, NULL, NULL, tests});
}
