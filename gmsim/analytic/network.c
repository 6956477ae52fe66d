/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs one replication of the simulation of a model. Messages arrive, follow
 * their routes from station to station, and are counted in batches.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analytic/sim_int.h"

#define GMS_QSIM_ARENA_BYTES    (UINT64_C(4) << 20)
#define GMS_QSIM_FIRST_MESSAGES 1024u
/* Indices of the random streams of a visit. */
enum {
    GMS_QSIM_SERVICE = 0,
    GMS_QSIM_ARRIVAL,
    GMS_QSIM_ROUTING,
    GMS_QSIM_STREAMS
};

/* ---- messages ---- */

uint32_t gms_qsim_message_new(gms_qsim_t *sim)
{
    uint32_t m = sim->free_message;

    if (m != GMS_QSIM_NOBODY) {
        sim->free_message = sim->message[m].next;
        return m;
    }
    if (sim->messages == sim->message_room) {
        uint32_t room = 2 * sim->message_room + GMS_QSIM_FIRST_MESSAGES;
        gms_qsim_message_t *message =
            (room < GMS_QSIM_NOBODY / 2)
                ? realloc(sim->message, room * sizeof(*message))
                : NULL;

        if (message == NULL) {
            sim->no_memory = 1;
            return GMS_QSIM_NOBODY;
        }
        sim->message = message;
        sim->message_room = room;
    }
    return sim->messages++;
}

uint32_t gms_qsim_next_visit(gms_qsim_t *sim, uint32_t visit)
{
    gms_qsim_visit_t *at = &sim->visit[visit];
    const gms_model_arc_t *arc = &sim->arc[at->first_arc];
    double draw;
    uint32_t i;

    if (at->arcs == 0) {
        return GMS_QSIM_NOBODY;
    }
    if (arc->probability >= 1) {
        return arc->to;
    }
    draw = gms_random_unit(&at->routing);
    for (i = 0; i < at->arcs; ++i) {
        draw -= arc[i].probability;
        if (draw <= 0) {
            return arc[i].to;
        }
    }
    return GMS_QSIM_NOBODY;
}

void gms_qsim_leave(gms_qsim_t *sim, uint32_t m)
{
    gms_qsim_visit_t *entry = &sim->visit[sim->message[m].entry];

    ++entry->left;
    entry->delay_ps += (double)(sim->now_ps - sim->message[m].born_ps);
    sim->message[m].next = sim->free_message;
    sim->free_message = m;
}

/* ---- events ---- */

static void gms_qsim_next_arrival(gms_qsim_t *sim, uint32_t visit)
{
    gms_engine_schedule(&sim->ctx, &sim->origin,
                        sim->now_ps +
                            gms_sample_draw(&sim->visit[visit].arrival),
                        GMS_MODEL_SIM_ARRIVE, sim, visit, 0);
}

static void gms_qsim_on_arrive(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_qsim_t *sim = event->object;
    uint32_t visit = (uint32_t)event->arg[0], m;

    (void)ctx;
    sim->now_ps = event->time_ps;
    ++sim->visit[visit].arrived;
    if (!gms_qsim_has_room(sim, visit / sim->model->classes)) {
        ++sim->visit[visit].lost;
    } else {
        m = gms_qsim_message_new(sim);
        if (m == GMS_QSIM_NOBODY) {
            return;
        }
        sim->message[m].born_ps = sim->now_ps;
        sim->message[m].visit = sim->message[m].entry = visit;
        sim->message[m].going = GMS_QSIM_NOBODY;
        gms_qsim_join(sim, m);
        gms_qsim_watch_checks(sim);
    }
    gms_qsim_next_arrival(sim, visit);
}

static void gms_qsim_on_done(gms_ctx_t *ctx, const gms_event_t *event)
{
    gms_qsim_t *sim = event->object;

    (void)ctx;
    sim->now_ps = event->time_ps;
    gms_qsim_finish(sim, (uint32_t)event->arg[0]);
    gms_qsim_watch_checks(sim);
}

/* ---- initialization ---- */

static int gms_qsim_compare_arcs(const void *a, const void *b)
{
    const gms_model_arc_t *left = a, *right = b;

    if (left->from != right->from) {
        return (left->from < right->from) ? -1 : 1;
    }
    return (left->to < right->to) ? -1 : (left->to > right->to);
}

static void gms_qsim_init_visit(gms_qsim_t *sim, uint32_t i, uint64_t seed,
                                uint64_t stream)
{
    const gms_model_visit_t *visit = &sim->model->visit[i];
    gms_qsim_visit_t *at = &sim->visit[i];

    at->checks = visit->checks;
    at->waiting.first = at->waiting.last = GMS_QSIM_NOBODY;
    if (visit->is_served) {
        gms_sample_init(&at->service, visit->mean * (double)GMS_US, visit->scv,
                        seed, stream + GMS_QSIM_SERVICE);
    }
    if (visit->rate > 0) {
        gms_sample_init(&at->arrival, (double)GMS_US / visit->rate,
                        visit->rate_scv, seed, stream + GMS_QSIM_ARRIVAL);
        gms_qsim_next_arrival(sim, i);
    }
    gms_random_init(&at->routing, seed, stream + GMS_QSIM_ROUTING);
}

static void gms_qsim_init_stations(gms_qsim_t *sim)
{
    unsigned i;

    for (i = 0; i < sim->model->stations; ++i) {
        gms_qsim_station_t *station = &sim->station[i];

        station->description = &sim->model->station[i];
        station->origin.id = i;
        station->waiting.first = station->waiting.last = GMS_QSIM_NOBODY;
        station->holding = station->blocked = station->waiting;
        /* the initial position is the last class, so the first round of polling
         * begins with the first class */
        station->position = sim->model->classes - 1;
    }
    sim->origin.id = sim->model->stations;
}

static gms_status_t gms_qsim_create(gms_qsim_t *sim, const gms_model_t *model)
{
    size_t i;

    memset(sim, 0, sizeof(*sim));
    sim->model = model;
    sim->visits = model->stations * model->classes;
    sim->free_message = GMS_QSIM_NOBODY;
    sim->ctx.self_rank = -1;
    sim->ctx.handlers[GMS_MODEL_SIM_ARRIVE] = gms_qsim_on_arrive;
    sim->ctx.handlers[GMS_MODEL_SIM_DONE] = gms_qsim_on_done;
    sim->station = calloc(model->stations, sizeof(*sim->station));
    sim->visit = calloc(sim->visits, sizeof(*sim->visit));
    sim->arc = calloc(model->arcs + 1, sizeof(*sim->arc));
    sim->moves = calloc(model->stations, 1);
    if (sim->station == NULL || sim->visit == NULL || sim->arc == NULL ||
        sim->moves == NULL ||
        gms_arena_create_private(GMS_QSIM_ARENA_BYTES, &sim->ctx.arena) !=
            GMS_OK ||
        gms_engine_create(sim->ctx.arena, &sim->ctx.engine) != GMS_OK) {
        return GMS_ERR_NO_MEMORY;
    }
    if (model->arcs > 0) {
        memcpy(sim->arc, model->arc, model->arcs * sizeof(*sim->arc));
        qsort(sim->arc, model->arcs, sizeof(*sim->arc), gms_qsim_compare_arcs);
    }
    for (i = model->arcs; i > 0; --i) {
        sim->visit[sim->arc[i - 1].from].first_arc = (uint32_t)(i - 1);
        sim->visit[sim->arc[i - 1].from].arcs++;
    }
    gms_qsim_init_stations(sim);
    return GMS_OK;
}

static void gms_qsim_destroy(gms_qsim_t *sim)
{
    gms_arena_destroy_private(sim->ctx.arena);
    free(sim->station);
    free(sim->visit);
    free(sim->arc);
    free(sim->moves);
    free(sim->message);
}

/* ---- batches ---- */

static double gms_qsim_take_level(gms_qsim_level_t *level, gms_time_t now,
                                  double length_ps)
{
    double mean;

    gms_qsim_level_flush(level, now);
    mean = level->area / length_ps;
    level->area = 0;
    return mean;
}

/** End a batch at the present time. */
static void gms_qsim_take_batch(gms_qsim_t *sim, gms_time_t now,
                                double length_ps, double *value)
{
    double ready;
    unsigned i, r;

    for (i = 0; i < sim->model->stations; i++, value += GMS_QSIM_PER_STATION) {
        gms_qsim_station_t *station = &sim->station[i];
        double servers = station->description->servers, queue = 0;
        double held = gms_qsim_take_level(&station->held, now, length_ps);

        value[0] =
            (gms_qsim_take_level(&station->serving, now, length_ps) + held) /
            servers;
        value[1] = held / servers;
        value[2] =
            gms_qsim_take_level(&station->stuck, now, length_ps) / servers;
        for (r = 0; r < sim->model->classes; ++r) {
            gms_qsim_level_t *level =
                &sim->visit[i * sim->model->classes + r].queue;

            gms_qsim_level_flush(level, now);
            queue += level->area;
        }
        value[3] = queue / length_ps;
    }
    for (i = 0; i < sim->visits; i++, value += GMS_QSIM_PER_VISIT) {
        gms_qsim_visit_t *visit = &sim->visit[i];

        value[0] = gms_qsim_take_level(&visit->queue, now, length_ps);
        value[1] = (visit->left > 0)
                       ? visit->delay_ps / (double)visit->left / (double)GMS_US
                       : (double)NAN;
        value[2] = (visit->arrived > 0)
                       ? (double)visit->lost / (double)visit->arrived
                       : 0;
        value[3] = gms_qsim_take_level(&visit->present, now, length_ps);
        ready = gms_qsim_take_level(&visit->ready, now, length_ps);
        value[3] = (ready > 0) ? value[3] / ready : 0;
        visit->arrived = visit->lost = visit->left = 0;
        visit->delay_ps = 0;
    }
}

static gms_status_t gms_qsim_run_until(gms_qsim_t *sim, gms_time_t end_ps)
{
    gms_engine_run_until(&sim->ctx, end_ps);
    if (sim->no_memory) {
        return GMS_ERR_NO_MEMORY;
    }
    return sim->is_deadlocked ? GMS_ERR_DENIED : GMS_OK;
}

static gms_status_t gms_qsim_measure(gms_qsim_t *sim,
                                     const gms_model_sim_options_t *options,
                                     double *values, atomic_uint *done)
{
    unsigned size = gms_qsim_values(sim->model->stations, sim->visits), i;
    double rate = 0, warm_up_ps, length_ps;
    gms_time_t begin_ps = 0;
    gms_status_t status;

    for (i = 0; i < sim->visits; ++i) {
        rate += sim->model->visit[i].rate / (double)GMS_US;
    }
    warm_up_ps = (double)options->warm_up / rate;
    length_ps = (double)options->messages / rate / options->batches;
    begin_ps = (gms_time_t)warm_up_ps;
    status = gms_qsim_run_until(sim, begin_ps);
    if (status == GMS_OK) {
        /* end the warm-up; the first batch overwrites its values */
        gms_qsim_take_batch(sim, begin_ps, length_ps, values);
    }
    for (i = 0; i < options->batches && status == GMS_OK; ++i) {
        gms_time_t end_ps =
            begin_ps + (gms_time_t)(length_ps * (double)(i + 1));

        status = gms_qsim_run_until(sim, end_ps);
        gms_qsim_take_batch(sim, end_ps, length_ps, values + (size_t)size * i);
        (void)atomic_fetch_add(done, 1);
    }
    return status;
}

gms_status_t gms_qsim_replicate(const gms_model_t *model,
                                const gms_model_sim_options_t *options,
                                unsigned replication, double *values,
                                uint64_t *events, gms_time_t *deadlock_ps,
                                atomic_uint *done)
{
    gms_qsim_t sim;
    gms_status_t status = gms_qsim_create(&sim, model);
    unsigned i;

    if (status == GMS_OK) {
        for (i = 0; i < sim.visits; ++i) {
            gms_qsim_init_visit(&sim, i, options->seed,
                                ((uint64_t)replication << 32) +
                                    (uint64_t)i * GMS_QSIM_STREAMS);
        }
        status = gms_qsim_measure(&sim, options, values, done);
        *events = gms_engine_events_run(sim.ctx.engine);
        *deadlock_ps = sim.deadlock_ps;
    }
    gms_qsim_destroy(&sim);
    return status;
}
