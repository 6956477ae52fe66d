/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests which ranks may compute at the same time. In the time mode `recorded`,
 * a rank's clock advances by the recorded time when a call returns, and the
 * other ranks run ahead up to that time. The times in the record of a measured
 * run add up exactly to the run's clock. In all modes, ranks return to the
 * simulation at the same time.
 */
#define _GNU_SOURCE
#include "engine/gate.h"

#include <string.h>

#include "time_rig.h"
#include "unit.h"

enum {
    CALLS = 4
};

static gms_time_t computed_ps[CALLS + 1]; /* time before each call; 0 after the
                                             last call */
static unsigned next;
static char names[256];
static gms_time_t told_ps;

static gms_time_t on_return(gms_ctx_t *ctx)
{
    (void)ctx;
    return computed_ps[next++];
}

static void on_call(gms_ctx_t *ctx, const char *name, gms_time_t before_ps)
{
    (void)ctx;
    strcat(strcat(names, name), " ");
    told_ps += before_ps;
}

static void advance(gms_ctx_t *ctx, gms_time_t duration_ps)
{
    gms_gate_lock(ctx);
    gms_gate_advance(ctx, duration_ps);
    gms_gate_unlock(ctx);
}

#define EXPECT_EQUAL(_one, _other)                                             \
    do {                                                                       \
        EXPECT_LE(_one, _other);                                               \
        EXPECT_LE(_other, _one);                                               \
    } while (0)

static void body_clock(gms_ctx_t *ctx, shared_t *shared)
{
    computed_ps[0] = 5 * GMS_MS;
    computed_ps[1] = 0;
    computed_ps[2] = 7;
    ctx->on_return = on_return;
    ctx->on_call = on_call;
    /* the call returns at 10 ps, and the program then computes for 5 ms */
    advance(ctx, 10);
    EXPECT_EQUAL(gms_gate_peek(ctx), 5 * GMS_MS + 10);
    burn(2000000); /* real time has no effect */
    advance(ctx, 10);
    EXPECT_EQUAL(gms_gate_peek(ctx), 5 * GMS_MS + 20);
    /* the calls inside MPI_Send are parts of this one call */
    gms_gate_enter_call(ctx, "MPI_Send");
    advance(ctx, 10);
    gms_gate_enter_call(ctx, "MPI_Wait");
    EXPECT_EQUAL(gms_gate_peek(ctx), 5 * GMS_MS + 30);
    gms_gate_exit(ctx);
    gms_gate_exit(ctx);
    EXPECT_EQUAL(gms_gate_peek(ctx), 5 * GMS_MS + 37);
    EXPECT_LE(1, strcmp(names, "GM GM MPI_Send ") == 0);
    EXPECT_EQUAL(told_ps, 0);
}

static void test_clock_moves_when_a_call_returns(void)
{
    CHECK_U64(run(1, GMS_TIME_RECORDED, 1000000, body_clock, NULL), 0);
}

/* Rank 0 computes from 10 ps until 100 ms, and makes no call until rank 1 has
 * had its turn at 50 ms. Rank 1's turn at 150 ms must follow rank 0's turn at
 * 100 ms. */
static void body_ahead(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t start_ns = wall_ns();

    computed_ps[0] = ctx->self_rank == 0 ? 100 * GMS_MS : 50 * GMS_MS;
    computed_ps[1] = 100 * GMS_MS;
    ctx->on_return = on_return;
    advance(ctx, 10);
    if (ctx->self_rank == 0) {
        while (!__atomic_load_n(&shared->flag, __ATOMIC_SEQ_CST) &&
               wall_ns() - start_ns < LIMIT_NS) {
        }
        EXPECT_LE(1, (uint64_t)shared->flag);
        gms_gate_run_events_until_turn(ctx);
        EXPECT_EQUAL(shared->seen[0], 1);
        shared->seen[0] = 2;
        gms_gate_unlock(ctx);
        return;
    }
    gms_gate_run_events_until_turn(ctx);
    EXPECT_EQUAL(gms_gate_clock(ctx), 50 * GMS_MS + 10);
    shared->seen[0] = 1;
    __atomic_store_n(&shared->flag, 1, __ATOMIC_SEQ_CST);
    gms_gate_unlock(ctx);
    gms_gate_run_events_until_turn(ctx);
    EXPECT_EQUAL(shared->seen[0], 2);
    gms_gate_unlock(ctx);
}

static void test_ranks_run_ahead_of_a_rank_that_computes(void)
{
    CHECK_U64(run(2, GMS_TIME_RECORDED, 1000000, body_ahead, NULL), 0);
}

/* After its return, rank 0 makes no call until rank 1 has returned, although
 * computing takes no time in the mode `virtual'. */
static void body_return(gms_ctx_t *ctx, shared_t *shared)
{
    uint64_t start_ns = wall_ns();

    advance(ctx, ctx->self_rank == 0 ? 70 : 10);
    gms_gate_leave(ctx);
    gms_gate_rejoin(ctx);
    EXPECT_EQUAL(gms_gate_peek(ctx), 70);
    if (ctx->self_rank == 1) {
        __atomic_store_n(&shared->flag, 1, __ATOMIC_SEQ_CST);
        return;
    }
    while (!__atomic_load_n(&shared->flag, __ATOMIC_SEQ_CST) &&
           wall_ns() - start_ns < LIMIT_NS) {
    }
    EXPECT_LE(1, (uint64_t)shared->flag);
}

static void test_ranks_return_at_once(void)
{
    CHECK_U64(run(2, GMS_TIME_VIRTUAL, 0, body_return, NULL), 0);
}

/* Some calls do not reach the gate. Their times are added at the next call that
 * reaches the gate. The factor makes the conversion inexact. */
static void body_measured(gms_ctx_t *ctx, shared_t *shared)
{
    gms_time_t begin_ps = look(ctx);
    unsigned i;

    ctx->on_call = on_call;
    for (i = 0; i < 20; ++i) {
        burn(10000 + 777 * i);
        if (i % 3 == 0) {
            advance(ctx, 1);
        } else {
            gms_gate_enter_call(ctx, "a");
            gms_gate_exit(ctx);
        }
    }
    advance(ctx, 1);
    EXPECT_LE(200 * GMS_US, told_ps);
    EXPECT_EQUAL(gms_gate_peek(ctx), begin_ps + told_ps + 8);
    EXPECT_LE(1, strncmp(names, "GM a a GM a a GM ", 17) == 0);
}

static void test_measured_times_add_up_to_the_clock(void)
{
    CHECK_U64(run(1, GMS_TIME_MEASURED, 1234567, body_measured, NULL), 0);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"the clock advances when a call returns",
         test_clock_moves_when_a_call_returns},
        {"ranks run ahead of a rank that computes",
         test_ranks_run_ahead_of_a_rank_that_computes},
        {"a rank can return while another rank computes",
         test_ranks_return_at_once},
        {"measured times add up to the clock",
         test_measured_times_add_up_to_the_clock},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gate_recorded", NULL, NULL, NULL, NULL, tests});
}
