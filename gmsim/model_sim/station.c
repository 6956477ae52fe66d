/* SPDX-License-Identifier: BSD-3-Clause */
/* One station: whom it serves next, checks, rooms that are full. */
#include "model_sim/sim_int.h"

/* ---- lists ---- */

static void gms_sim_push(gms_sim_t *sim, gms_sim_list_t *list, uint32_t m)
{
    sim->message[m].next = GMS_SIM_NOBODY;
    if (list->count++ == 0) {
        list->first = m;
    } else {
        sim->message[list->last].next = m;
    }
    list->last = m;
}

static void gms_sim_push_front(gms_sim_t *sim, gms_sim_list_t *list, uint32_t m)
{
    sim->message[m].next = (list->count == 0) ? GMS_SIM_NOBODY : list->first;
    if (list->count++ == 0) {
        list->last = m;
    }
    list->first = m;
}

/** Take out the one after `before', or the first one. */
static uint32_t gms_sim_take(gms_sim_t *sim, gms_sim_list_t *list,
                             uint32_t before)
{
    uint32_t m = (before == GMS_SIM_NOBODY) ? list->first
                                            : sim->message[before].next;

    if (before == GMS_SIM_NOBODY) {
        list->first = sim->message[m].next;
    } else {
        sim->message[before].next = sim->message[m].next;
    }
    if (list->last == m) {
        list->last = before;
    }
    list->count--;
    return m;
}

/* ---- state ---- */

static unsigned gms_sim_station_of(const gms_sim_t *sim, uint32_t visit)
{
    return visit / sim->model->classes;
}

static gms_sim_list_t *gms_sim_queue_of(gms_sim_t *sim, uint32_t visit)
{
    gms_sim_station_t *station = &sim->station[gms_sim_station_of(sim, visit)];

    return (station->description->discipline == GMS_MODEL_FCFS)
               ? &station->waiting
               : &sim->visit[visit].waiting;
}

static uint32_t gms_sim_busy(const gms_sim_station_t *station)
{
    return station->serving.value + station->held.value + station->stuck.value;
}

/** May a service of this visit begin, as far as its check goes? */
static int gms_sim_may_begin(const gms_sim_t *sim, uint32_t visit)
{
    int checks = sim->visit[visit].checks;
    const gms_sim_station_t *other;

    if (checks == GMS_MODEL_NONE) {
        return 1;
    }
    other = &sim->station[checks];
    return gms_sim_busy(other) + other->coming < other->description->servers;
}

int gms_sim_has_room(const gms_sim_t *sim, unsigned i)
{
    const gms_sim_station_t *station = &sim->station[i];
    unsigned room = station->description->room;

    return (room == 0) ||
           (gms_sim_busy(station) + station->queued + station->coming < room);
}

/* ---- services ---- */

static void gms_sim_begin(gms_sim_t *sim, uint32_t m)
{
    uint32_t visit = sim->message[m].visit;
    gms_sim_station_t *station = &sim->station[gms_sim_station_of(sim, visit)];
    int checks = sim->visit[visit].checks;

    gms_sim_level_add(&station->serving, sim->now_ps, 1);
    if (checks != GMS_MODEL_NONE) {
        sim->station[checks].coming++;
    }
    gms_engine_schedule(&sim->ctx, &station->origin,
                        sim->now_ps + gms_sample_draw(&sim->visit[visit].service),
                        GMS_MODEL_SIM_DONE, sim, m, 0);
}

/* ---- whom next? ---- */

/** A place in a queue. */
typedef struct gms_sim_choice {
    gms_sim_list_t *list; /* NULL: nobody */
    uint32_t before;      /* the one before it in the list */
} gms_sim_choice_t;

static gms_sim_choice_t gms_sim_choose_fcfs(gms_sim_t *sim,
                                            gms_sim_station_t *station,
                                            int take_checked)
{
    gms_sim_choice_t choice = {NULL, GMS_SIM_NOBODY};
    uint32_t m = station->waiting.first, i;

    for (i = 0; i < station->waiting.count; i++) {
        if (take_checked || gms_sim_may_begin(sim, sim->message[m].visit)) {
            choice.list = &station->waiting;
            return choice;
        }
        choice.before = m;
        m = sim->message[m].next;
    }
    choice.before = GMS_SIM_NOBODY;
    return choice;
}

static int gms_sim_is_ready(gms_sim_t *sim, uint32_t visit, int take_checked)
{
    return (sim->visit[visit].waiting.count > 0) &&
           (take_checked || gms_sim_may_begin(sim, visit));
}

/** How many messages a server serves at the queue that it has come to, besides
 *  the first. */
static uint32_t gms_sim_turn(const gms_sim_station_t *station, uint32_t count)
{
    switch (station->description->discipline) {
    case GMS_MODEL_LIMITED:
        return station->description->limit - 1;
    case GMS_MODEL_GATED:
        return count - 1;
    case GMS_MODEL_EXHAUSTIVE:
        return UINT32_MAX;
    case GMS_MODEL_FCFS:
    case GMS_MODEL_PRIORITY:
        break;
    }
    return 0;
}

/** Polling. A server that takes a message only to wait in a check, or that was
 *  idle, has not gone on in its round. */
static gms_sim_choice_t gms_sim_choose_polled(gms_sim_t *sim,
                                              gms_sim_station_t *station,
                                              int take_checked, int goes_on)
{
    uint32_t classes = sim->model->classes, j;
    uint32_t base = (uint32_t)(station - sim->station) * classes;
    int is_priority =
        (station->description->discipline == GMS_MODEL_PRIORITY);
    gms_sim_choice_t choice = {NULL, GMS_SIM_NOBODY};

    if (!is_priority && (station->left > 0) &&
        gms_sim_is_ready(sim, base + station->position, take_checked)) {
        station->left -= (uint32_t)(goes_on && !take_checked);
        choice.list = &sim->visit[base + station->position].waiting;
        return choice;
    }
    for (j = 0; j < classes; j++) {
        uint32_t at = is_priority ? j : (station->position + 1 + j) % classes;

        if (!gms_sim_is_ready(sim, base + at, take_checked)) {
            continue;
        }
        choice.list = &sim->visit[base + at].waiting;
        if (goes_on && !take_checked) {
            station->position = at;
            station->left = gms_sim_turn(station, choice.list->count);
        }
        break;
    }
    return choice;
}

/** Take somebody out of the queues for a free server. */
static uint32_t gms_sim_choose(gms_sim_t *sim, gms_sim_station_t *station,
                               int take_checked, int goes_on)
{
    gms_sim_choice_t choice =
        (station->description->discipline == GMS_MODEL_FCFS)
            ? gms_sim_choose_fcfs(sim, station, take_checked)
            : gms_sim_choose_polled(sim, station, take_checked, goes_on);
    uint32_t m;

    if (choice.list == NULL) {
        return GMS_SIM_NOBODY;
    }
    m = gms_sim_take(sim, choice.list, choice.before);
    station->queued--;
    gms_sim_level_add(&sim->visit[sim->message[m].visit].queue, sim->now_ps,
                      -1);
    return m;
}

static void gms_sim_admit(gms_sim_t *sim, unsigned i);

/** Give free servers something to do. */
static void gms_sim_serve(gms_sim_t *sim, unsigned i, int goes_on)
{
    gms_sim_station_t *station = &sim->station[i];

    while ((station->queued > 0) &&
           (gms_sim_busy(station) < station->description->servers)) {
        uint32_t m = gms_sim_choose(sim, station, 0, goes_on);

        if (m != GMS_SIM_NOBODY) {
            gms_sim_begin(sim, m);
            continue;
        }
        m = gms_sim_choose(sim, station, 1, goes_on);
        gms_sim_push(sim, &station->holding, m);
        gms_sim_level_add(&station->held, sim->now_ps, 1);
    }
}

/** A server that waits in a check puts its message back: others have come. */
static void gms_sim_put_back(gms_sim_t *sim, gms_sim_station_t *station)
{
    uint32_t m = gms_sim_take(sim, &station->holding, GMS_SIM_NOBODY);
    uint32_t visit = sim->message[m].visit;

    gms_sim_level_add(&station->held, sim->now_ps, -1);
    gms_sim_push_front(sim, gms_sim_queue_of(sim, visit), m);
    station->queued++;
    gms_sim_level_add(&sim->visit[visit].queue, sim->now_ps, 1);
}

void gms_sim_join(gms_sim_t *sim, uint32_t m)
{
    uint32_t visit = sim->message[m].visit;
    unsigned i = gms_sim_station_of(sim, visit);
    gms_sim_station_t *station = &sim->station[i];

    if ((station->queued == 0) && (station->holding.count == 0) &&
        (gms_sim_busy(station) < station->description->servers) &&
        gms_sim_may_begin(sim, visit)) {
        gms_sim_begin(sim, m);
        return;
    }
    gms_sim_push(sim, gms_sim_queue_of(sim, visit), m);
    station->queued++;
    gms_sim_level_add(&sim->visit[visit].queue, sim->now_ps, 1);
    if ((gms_sim_busy(station) == station->description->servers) &&
        (station->holding.count > 0)) {
        gms_sim_put_back(sim, station);
    }
    gms_sim_serve(sim, i, 0);
}

/* ---- ends of services ---- */

/** Who waited, anywhere, for station i to be idle. */
static void gms_sim_wake_checks(gms_sim_t *sim, unsigned i)
{
    unsigned j;

    for (j = 0; j < sim->model->stations; j++) {
        gms_sim_station_t *station = &sim->station[j];
        uint32_t before = GMS_SIM_NOBODY, m = station->holding.first, k;

        for (k = 0; k < station->holding.count; k++) {
            if ((sim->visit[sim->message[m].visit].checks == (int)i) &&
                gms_sim_may_begin(sim, sim->message[m].visit)) {
                (void)gms_sim_take(sim, &station->holding, before);
                gms_sim_level_add(&station->held, sim->now_ps, -1);
                gms_sim_begin(sim, m);
                break;
            }
            before = m;
            m = sim->message[m].next;
        }
        /* one behind may be ready while another is waited for */
        if ((k == station->holding.count) && (k > 0) &&
            (station->queued > 0)) {
            gms_sim_put_back(sim, station);
            gms_sim_serve(sim, j, 0);
        }
    }
}

/** Nobody who could move a blocked station will ever do so: from every station
 *  that can go on by itself, those that wait for room there can, and so on. */
static int gms_sim_is_stuck(gms_sim_t *sim, unsigned first)
{
    unsigned stations = sim->model->stations, i, k;
    int more = 1;

    for (i = 0; i < stations; i++) {
        const gms_sim_station_t *station = &sim->station[i];

        sim->moves[i] =
            (station->stuck.value < station->description->servers);
    }
    while (more) {
        more = 0;
        for (i = 0; i < stations; i++) {
            uint32_t m = sim->station[i].blocked.first;

            for (k = 0; sim->moves[i] && (k < sim->station[i].blocked.count);
                 k++) {
                unsigned from =
                    gms_sim_station_of(sim, sim->message[m].visit);

                more |= !sim->moves[from];
                sim->moves[from] = 1;
                m = sim->message[m].next;
            }
        }
    }
    return !sim->moves[first];
}

/** Send a message that is done on its way; its server is free again. */
static void gms_sim_move(gms_sim_t *sim, uint32_t m, uint32_t visit)
{
    sim->message[m].going = GMS_SIM_NOBODY;
    if (visit == GMS_SIM_NOBODY) {
        gms_sim_leave(sim, m);
    } else {
        sim->message[m].visit = visit;
        gms_sim_join(sim, m);
    }
}

static void gms_sim_freed(gms_sim_t *sim, unsigned i)
{
    gms_sim_serve(sim, i, 1);
    gms_sim_wake_checks(sim, i);
    gms_sim_admit(sim, i);
}

/** There may be room again: let those in who are blocked. */
static void gms_sim_admit(gms_sim_t *sim, unsigned i)
{
    while ((sim->station[i].blocked.count > 0) && gms_sim_has_room(sim, i)) {
        uint32_t m = gms_sim_take(sim, &sim->station[i].blocked,
                                  GMS_SIM_NOBODY);
        unsigned from = gms_sim_station_of(sim, sim->message[m].visit);

        gms_sim_level_add(&sim->station[from].stuck, sim->now_ps, -1);
        gms_sim_move(sim, m, sim->message[m].going);
        gms_sim_freed(sim, from);
    }
}

void gms_sim_finish(gms_sim_t *sim, uint32_t m)
{
    uint32_t visit = sim->message[m].visit;
    unsigned from = gms_sim_station_of(sim, visit);
    gms_sim_station_t *station = &sim->station[from];
    uint32_t next = gms_sim_next_visit(sim, visit);
    unsigned to;

    gms_sim_level_add(&station->serving, sim->now_ps, -1);
    if (sim->visit[visit].checks != GMS_MODEL_NONE) {
        /* the place that was kept is now taken, or free if it leaves */
        sim->station[sim->visit[visit].checks].coming--;
    } else if (next != GMS_SIM_NOBODY) {
        to = gms_sim_station_of(sim, next);
        if (!gms_sim_has_room(sim, to)) {
            gms_sim_level_add(&station->stuck, sim->now_ps, 1);
            sim->message[m].going = next;
            gms_sim_push(sim, &sim->station[to].blocked, m);
            if (gms_sim_is_stuck(sim, from)) {
                sim->is_deadlocked = 1;
                sim->deadlock_ps = sim->now_ps;
            }
            return;
        }
    }
    gms_sim_move(sim, m, next);
    gms_sim_freed(sim, from);
    if ((next == GMS_SIM_NOBODY) &&
        (sim->visit[visit].checks != GMS_MODEL_NONE)) {
        gms_sim_wake_checks(sim, (unsigned)sim->visit[visit].checks);
    }
}
