/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the activity of the ranks' processors in each window. Compares this
 * activity both with values computed by hand and with the sum of all reports.
 */
#include "engine/busy.h"

#include <string.h>

#include "base/random.h"
#include "unit.h"

#define ARENA_BYTES (UINT64_C(64) << 20)
#define WINDOW      GMS_MS

#define W GMS_BUSY_WORKS
#define C GMS_BUSY_COMPUTES

enum {
    SAID = 4000
};

static gms_ctx_t ctx;
static gms_busy_t *busy;

static void setup(void)
{
    memset(&ctx, 0, sizeof(ctx));
    if (gms_arena_create_private(ARENA_BYTES, &ctx.arena) != GMS_OK ||
        gms_engine_create(ctx.arena, &ctx.engine) != GMS_OK ||
        gms_busy_create(ctx.arena, 2, WINDOW, &busy) != GMS_OK) {
        abort();
    }
    gms_engine_watch(ctx.engine, WINDOW);
}

static void teardown(void)
{
    gms_arena_destroy_private(ctx.arena);
}

static void say(unsigned rank, enum gms_busy_kind kind, gms_time_t from_us,
                gms_time_t to_us)
{
    gms_busy_add(&ctx, busy, rank, kind, from_us * GMS_US, to_us * GMS_US);
}

/* Check a rank's busy times from its previous query to the end of window number
 * `windows`. */
static void check(unsigned rank, unsigned windows, gms_time_t works_us,
                  gms_time_t computes_us)
{
    gms_time_t times_ps[GMS_BUSY_KINDS];

    gms_busy_take(&ctx, busy, rank, windows * WINDOW, times_ps);
    CHECK_U64(times_ps[W], works_us * GMS_US);
    CHECK_U64(times_ps[C], computes_us * GMS_US);
}

static void test_within(void)
{
    check(0, 1, 0, 0);
    say(0, W, 100, 150);
    say(0, C, 150, 650);
    say(0, W, 900, 1000);
    say(1, C, 0, 1);
    check(0, 1, 150, 500);
    check(1, 1, 0, 1);
    check(0, 1, 0, 0);
}

/* A rank computes for 3.3 ms, starting at 0.2 ms. Then, within one window, the
 * rank works for MPI, computes, and pauses. */
static void test_ahead(void)
{
    say(0, C, 200, 3500);
    say(0, W, 3500, 3600);
    say(0, C, 3600, 3700);
    say(0, W, 3800, 3900);
    say(0, W, 3900, 5100);
    check(0, 1, 0, 800);
    check(0, 2, 0, 1000);
    gms_engine_watch(ctx.engine, 4 * WINDOW);
    check(0, 4, 300, 1600);
    gms_engine_watch(ctx.engine, 5 * WINDOW);
    check(0, 5, 1000, 0);
    gms_engine_watch(ctx.engine, 6 * WINDOW);
    say(0, C, 5100, 5200);
    check(0, 6, 100, 100);
    /* periods of work and of computation that end exactly at the end of their
     * windows */
    say(0, W, 6500, 6900);
    say(0, C, 6900, 7000);
    check(0, 7, 400, 100);
}

/* Fetch all remaining busy times. */
static void test_end(void)
{
    gms_time_t times_ps[GMS_BUSY_KINDS];

    say(0, W, 0, 10);
    say(0, C, 10, 7010);
    say(0, W, 7010, 7020);
    gms_busy_take(&ctx, busy, 0, GMS_NEVER, times_ps);
    CHECK_U64(times_ps[W], 20 * GMS_US);
    CHECK_U64(times_ps[C], 7000 * GMS_US);
    check(0, 9, 0, 0);
}

/* ---- comparison with the sum of all reports ---- */

static struct {
    gms_time_t begin_ps, end_ps;
    enum gms_busy_kind kind;
} said[SAID];

static gms_time_t sum(enum gms_busy_kind kind, gms_time_t from_ps,
                      gms_time_t to_ps)
{
    gms_time_t all_ps = 0;
    unsigned i;

    for (i = 0; i < SAID; ++i) {
        gms_time_t begin_ps =
            said[i].begin_ps > from_ps ? said[i].begin_ps : from_ps;
        gms_time_t end_ps = said[i].end_ps < to_ps ? said[i].end_ps : to_ps;

        if (said[i].kind == kind && end_ps > begin_ps) {
            all_ps += end_ps - begin_ps;
        }
    }
    return all_ps;
}

/* A rank reports its activities up to a time close to the watched time. The
 * test then requests the sums up to the watched time. The activities are long
 * or short, with and without pauses between them. */
static void test_random(void)
{
    gms_time_t clock_ps = 0, asked_ps = 0, watched_ps = WINDOW;
    gms_random_t random;
    unsigned i = 0;

    gms_random_init(&random, 7, 1);
    while (i < SAID) {
        gms_time_t ahead_ps = gms_random_below(&random, 5 * WINDOW);
        gms_time_t times_ps[GMS_BUSY_KINDS];

        clock_ps = clock_ps > asked_ps ? clock_ps : asked_ps;
        while (i < SAID && clock_ps + WINDOW < watched_ps + ahead_ps) {
            gms_time_t long_ps =
                gms_random_below(&random, 4) == 0 ? 3 * WINDOW : WINDOW / 8;

            clock_ps += gms_random_below(&random, 2) * WINDOW / 10;
            said[i].begin_ps = clock_ps;
            clock_ps += 1 + gms_random_below(&random, long_ps);
            said[i].end_ps = clock_ps;
            said[i].kind = (enum gms_busy_kind)gms_random_below(&random, 2);
            gms_busy_add(&ctx, busy, 1, said[i].kind, said[i].begin_ps,
                         clock_ps);
            ++i;
        }
        gms_busy_take(&ctx, busy, 1, watched_ps, times_ps);
        CHECK_U64(times_ps[W], sum(W, asked_ps, watched_ps));
        CHECK_U64(times_ps[C], sum(C, asked_ps, watched_ps));
        asked_ps = watched_ps;
        watched_ps += (1 + gms_random_below(&random, 3)) * WINDOW;
        gms_engine_watch(ctx.engine, watched_ps);
    }
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"activities within a window", test_within},
        {"activities that were reported in advance", test_ahead},
        {"the last read returns all remaining times", test_end},
        {"random activities are summed correctly", test_random},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"activity of processors", NULL, NULL, setup, teardown, tests});
}
