/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and advances the clock of this process on behalf of the program. Any
 * thread and any signal handler may call these functions, unlike the other
 * functions of the library, because the program calls them through the C
 * library.
 */
#define _GNU_SOURCE
#include "job/clock.h"

#include <dlfcn.h>
#include <time.h>

#include "clock/connect.h"

/* Interval at which a sleeping thread checks whether the process has reached
 * the end of the sleep. The check is necessary while another thread of the
 * process is in a call of the library. */
#define GMS_CLOCK_NAP_NS 1000000

static gms_time_t gms_clock_cost(const gms_sim_t *sim)
{
    const gms_params_t *params = &sim->root->params;

    /* in the other time modes, the clock also advances without calls, so
     * it is not necessary to slow down repeated reads */
    return params->time != GMS_TIME_VIRTUAL
               ? params->host_clock_read_ps
               : gms_clock_cost_ps(sim->reads_ps, params->host_clock_read_ps,
                                   params->host_poll_max_ps);
}

gms_time_t gms_clock_read(gms_sim_t *sim)
{
    gms_time_t cost_ps, clock_ps;

    if (!gms_gate_try_lock(&sim->ctx)) {
        return gms_gate_peek(&sim->ctx);
    }
    cost_ps = gms_clock_cost(sim);
    sim->reads_ps += cost_ps;
    sim->polls = 0; /* a program that reads the clock repeatedly may be waiting
                     * for a certain time */
    gms_sim_spend_locked(sim, cost_ps, GMS_BUSY_WORKS);
    clock_ps = gms_gate_clock(&sim->ctx);
    gms_gate_unlock(&sim->ctx);
    return clock_ps;
}

/* ---- functions that the replaced functions of the C library call --------- */

/* Exclude other threads from the library that is layered on GM. A signal
 * handler that interrupted the gate must not wait for another thread. */
static int gms_clock_begin(const gms_sim_t *sim)
{
    if (sim->begin_thread == NULL || gms_gate_is_inside()) {
        return 0;
    }
    sim->begin_thread();
    return 1;
}

static void gms_clock_end(const gms_sim_t *sim, int has_begun)
{
    if (has_begun && sim->end_thread != NULL) {
        sim->end_thread();
    }
}

static uint64_t gms_clock_source_read_ps(void)
{
    gms_sim_t *sim = gms_sim();
    gms_time_t cost_ps, time_ps;

    if (sim->state == GMS_SIM_JOINED) {
        int has_begun = gms_clock_begin(sim);

        time_ps = gms_clock_read(sim);
        gms_clock_end(sim, has_begun);
        return sim->lead_ps + time_ps;
    }
    cost_ps = gms_clock_cost(sim);
    sim->reads_ps += cost_ps;
    time_ps =
        sim->state == GMS_SIM_ABSENT
            ? gms_gate_move_absent(&sim->ctx, cost_ps)
            : __atomic_add_fetch(&sim->left_ps, cost_ps, __ATOMIC_RELAXED);
    return sim->lead_ps + time_ps;
}

static uint64_t gms_clock_source_peek_ps(void)
{
    gms_sim_t *sim = gms_sim();

    return sim->lead_ps +
           (sim->state == GMS_SIM_JOINED || sim->state == GMS_SIM_ABSENT
                ? gms_gate_peek(&sim->ctx)
                : __atomic_load_n(&sim->left_ps, __ATOMIC_RELAXED));
}

/* Sleep if this thread can make a call now. A sleep takes at least as long as a
 * clock read, because a loop of short sleeps must advance the clock.
 * @return 0 if another thread of the process is in a call */
static int gms_clock_try_sleep(gms_sim_t *sim, gms_time_t until_ps,
                               int takes_turn)
{
    gms_ctx_t *ctx = &sim->ctx;
    gms_time_t least_ps = sim->root->params.host_clock_read_ps;
    gms_time_t clock_ps;

    if (!gms_gate_try_lock(ctx)) {
        return 0;
    }
    sim->reads_ps = 0;
    sim->polls = 0;
    clock_ps = gms_gate_clock(ctx);
    gms_sim_spend_locked(
        sim, until_ps > clock_ps + least_ps ? until_ps - clock_ps : least_ps,
        GMS_BUSY_KINDS);
    if (takes_turn) {
        gms_gate_run_events_until_turn_locked(ctx);
    }
    gms_gate_unlock(ctx);
    return 1;
}

static void gms_clock_nap(gms_time_t duration_ps)
{
    struct timespec nap = {.tv_sec = (time_t)(duration_ps / GMS_SECOND),
                           .tv_nsec =
                               (long)(duration_ps % GMS_SECOND / GMS_NS)};

    while (nanosleep(&nap, &nap) != 0) {
    }
}

/* Sleep in a process that has joined its job. If another thread is in a call,
 * the clock advances during this call. A signal handler that has interrupted
 * the gate sleeps in real time, because virtual time does not advance. */
static void gms_clock_sleep_joined(gms_sim_t *sim, gms_time_t until_ps,
                                   int takes_turn)
{
    for (;;) {
        int has_begun = gms_clock_begin(sim);
        int has_slept = gms_clock_try_sleep(sim, until_ps, takes_turn);
        gms_time_t now_ps;

        gms_clock_end(sim, has_begun);
        if (has_slept || (now_ps = gms_gate_peek(&sim->ctx)) >= until_ps) {
            return;
        }
        if (gms_gate_is_inside()) {
            gms_clock_nap(until_ps - now_ps);
            return;
        }
        gms_clock_nap(GMS_CLOCK_NAP_NS * GMS_NS);
    }
}

static void gms_clock_source_sleep_until(uint64_t until_ps, int takes_turn)
{
    gms_sim_t *sim = gms_sim();
    gms_time_t end_ps = until_ps > sim->lead_ps ? until_ps - sim->lead_ps : 0;
    gms_time_t now_ps = gms_clock_source_peek_ps() - sim->lead_ps;

    if (sim->state == GMS_SIM_JOINED) {
        gms_clock_sleep_joined(sim, end_ps, takes_turn);
        return;
    }
    sim->reads_ps = 0;
    if (end_ps <= now_ps) {
        return;
    }
    if (sim->state == GMS_SIM_ABSENT) {
        (void)gms_gate_move_absent(&sim->ctx, end_ps - now_ps);
    } else {
        __atomic_fetch_add(&sim->left_ps, end_ps - now_ps, __ATOMIC_RELAXED);
    }
}

/* ---- the start ----------------------------------------------------------- */

static gms_clock_connect_t *gms_clock_find_connect(void)
{
    gms_clock_connect_t *function;

    *(void **)&function = dlsym(RTLD_DEFAULT, GMS_CLOCK_CONNECT);
    return function;
}

void gms_clock_prepare(gms_sim_t *sim)
{
    gms_clock_connect_t *connect = gms_clock_find_connect();
    gms_time_t lead_ps = connect != NULL ? connect(NULL) : 0;
    gms_time_t *most = &sim->root->lead_ps;
    gms_time_t most_ps = __atomic_load_n(most, __ATOMIC_RELAXED);

    while (most_ps < lead_ps &&
           !__atomic_compare_exchange_n(most, &most_ps, lead_ps, 0,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
}

void gms_clock_connect(gms_sim_t *sim)
{
    static const gms_clock_source_t source = {
        .read_ps = gms_clock_source_read_ps,
        .peek_ps = gms_clock_source_peek_ps,
        .sleep_until = gms_clock_source_sleep_until,
    };
    gms_clock_connect_t *connect = gms_clock_find_connect();

    sim->lead_ps = __atomic_load_n(&sim->root->lead_ps, __ATOMIC_ACQUIRE);
    if (connect != NULL) {
        (void)connect(&source);
    }
}
