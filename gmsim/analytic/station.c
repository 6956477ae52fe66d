/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Simulates one station of a model: chooses the next message, checks whether
 * the station that a service programs is idle, and blocks a server if the next
 * station is full.
 */
#include "analytic/sim_int.h"

/* ---- lists ---- */

static void gms_qsim_push(gms_qsim_t *sim, gms_qsim_list_t *list, uint32_t m)
{
    sim->message[m].next = GMS_QSIM_NOBODY;
    if (list->count++ == 0) {
        list->first = m;
    } else {
        sim->message[list->last].next = m;
    }
    list->last = m;
}

static void gms_qsim_push_front(gms_qsim_t *sim, gms_qsim_list_t *list,
                                uint32_t m)
{
    sim->message[m].next = (list->count == 0) ? GMS_QSIM_NOBODY : list->first;
    if (list->count++ == 0) {
        list->last = m;
    }
    list->first = m;
}

/** Remove from the list the message that follows `before`, or the first one if
 *  `before` is GMS_QSIM_NOBODY. */
static uint32_t gms_qsim_take(gms_qsim_t *sim, gms_qsim_list_t *list,
                              uint32_t before)
{
    uint32_t m =
        (before == GMS_QSIM_NOBODY) ? list->first : sim->message[before].next;

    if (before == GMS_QSIM_NOBODY) {
        list->first = sim->message[m].next;
    } else {
        sim->message[before].next = sim->message[m].next;
    }
    if (list->last == m) {
        list->last = before;
    }
    --list->count;
    return m;
}

/* ---- state ---- */

static unsigned gms_qsim_station_of(const gms_qsim_t *sim, uint32_t visit)
{
    return visit / sim->model->classes;
}

static gms_qsim_list_t *gms_qsim_queue_of(gms_qsim_t *sim, uint32_t visit)
{
    gms_qsim_station_t *station =
        &sim->station[gms_qsim_station_of(sim, visit)];

    return (station->description->discipline == GMS_MODEL_FCFS)
               ? &station->waiting
               : &sim->visit[visit].waiting;
}

static uint32_t gms_qsim_busy(const gms_qsim_station_t *station)
{
    return station->serving.value + station->held.value + station->stuck.value;
}

/** Return 1 if the check of this visit's service allows the service to
 *  begin. */
static int gms_qsim_may_begin(const gms_qsim_t *sim, uint32_t visit)
{
    int checks = sim->visit[visit].checks;
    const gms_qsim_station_t *other;

    if (checks == GMS_MODEL_NONE) {
        return 1;
    }
    other = &sim->station[checks];
    return gms_qsim_busy(other) + other->coming < other->description->servers;
}

int gms_qsim_has_room(const gms_qsim_t *sim, unsigned i)
{
    const gms_qsim_station_t *station = &sim->station[i];
    unsigned room = station->description->room;

    return room == 0 ||
           gms_qsim_busy(station) + station->queued + station->coming < room;
}

static void gms_qsim_level_set(gms_qsim_level_t *level, gms_time_t now,
                               uint32_t value)
{
    if (level->value != value) {
        gms_qsim_level_add(level, now, (int)value - (int)level->value);
    }
}

void gms_qsim_watch_checks(gms_qsim_t *sim)
{
    uint32_t v;

    for (v = 0; v < sim->visits; ++v) {
        gms_qsim_visit_t *visit = &sim->visit[v];
        const gms_qsim_station_t *other;
        uint32_t is_ready;

        if (visit->checks == GMS_MODEL_NONE) {
            continue;
        }
        other = &sim->station[visit->checks];
        is_ready = (gms_qsim_busy(other) < other->description->servers);
        gms_qsim_level_set(&visit->ready, sim->now_ps, is_ready);
        gms_qsim_level_set(&visit->present, sim->now_ps,
                           is_ready &&
                               (visit->queue.value > 0 || other->coming > 0));
    }
}

/* ---- services ---- */

static void gms_qsim_begin(gms_qsim_t *sim, uint32_t m)
{
    uint32_t visit = sim->message[m].visit;
    gms_qsim_station_t *station =
        &sim->station[gms_qsim_station_of(sim, visit)];
    int checks = sim->visit[visit].checks;

    gms_qsim_level_add(&station->serving, sim->now_ps, 1);
    if (checks != GMS_MODEL_NONE) {
        ++sim->station[checks].coming;
    }
    gms_engine_schedule(&sim->ctx, &station->origin,
                        sim->now_ps +
                            gms_sample_draw(&sim->visit[visit].service),
                        GMS_MODEL_SIM_DONE, sim, m, 0);
}

/* ---- choice of the next message ---- */

/** The chosen message: its list, and its position in the list. */
typedef struct gms_qsim_choice {
    gms_qsim_list_t *list; /* NULL: no message */
    uint32_t before;       /* previous message in the list */
} gms_qsim_choice_t;

static gms_qsim_choice_t gms_qsim_choose_fcfs(gms_qsim_t *sim,
                                              gms_qsim_station_t *station,
                                              int take_checked)
{
    gms_qsim_choice_t choice = {NULL, GMS_QSIM_NOBODY};
    uint32_t m = station->waiting.first, i;

    for (i = 0; i < station->waiting.count; ++i) {
        if (take_checked || gms_qsim_may_begin(sim, sim->message[m].visit)) {
            choice.list = &station->waiting;
            return choice;
        }
        choice.before = m;
        m = sim->message[m].next;
    }
    choice.before = GMS_QSIM_NOBODY;
    return choice;
}

static int gms_qsim_is_ready(gms_qsim_t *sim, uint32_t visit, int take_checked)
{
    return sim->visit[visit].waiting.count > 0 &&
           (take_checked || gms_qsim_may_begin(sim, visit));
}

/** Return the number of messages that a server serves in a queue's turn in
 *  addition to the first message. */
static uint32_t gms_qsim_turn(const gms_qsim_station_t *station, uint32_t count)
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

/** Choose a message by polling. The polling position does not change if the
 *  server was idle, or if the server must hold the message until the checked
 *  station is idle. */
static gms_qsim_choice_t gms_qsim_choose_polled(gms_qsim_t *sim,
                                                gms_qsim_station_t *station,
                                                int take_checked, int goes_on)
{
    uint32_t classes = sim->model->classes, j;
    uint32_t base = (uint32_t)(station - sim->station) * classes;
    int is_priority = (station->description->discipline == GMS_MODEL_PRIORITY);
    gms_qsim_choice_t choice = {NULL, GMS_QSIM_NOBODY};

    if (!is_priority && station->left > 0 &&
        gms_qsim_is_ready(sim, base + station->position, take_checked)) {
        station->left -= (uint32_t)(goes_on && !take_checked);
        choice.list = &sim->visit[base + station->position].waiting;
        return choice;
    }
    for (j = 0; j < classes; ++j) {
        uint32_t at = is_priority ? j : (station->position + 1 + j) % classes;

        if (!gms_qsim_is_ready(sim, base + at, take_checked)) {
            continue;
        }
        choice.list = &sim->visit[base + at].waiting;
        if (goes_on && !take_checked) {
            station->position = at;
            station->left = gms_qsim_turn(station, choice.list->count);
        }
        break;
    }
    return choice;
}

/** Take a message from the queues for a free server. */
static uint32_t gms_qsim_choose(gms_qsim_t *sim, gms_qsim_station_t *station,
                                int take_checked, int goes_on)
{
    gms_qsim_choice_t choice =
        (station->description->discipline == GMS_MODEL_FCFS)
            ? gms_qsim_choose_fcfs(sim, station, take_checked)
            : gms_qsim_choose_polled(sim, station, take_checked, goes_on);
    uint32_t m;

    if (choice.list == NULL) {
        return GMS_QSIM_NOBODY;
    }
    m = gms_qsim_take(sim, choice.list, choice.before);
    --station->queued;
    gms_qsim_level_add(&sim->visit[sim->message[m].visit].queue, sim->now_ps,
                       -1);
    return m;
}

static void gms_qsim_admit(gms_qsim_t *sim, unsigned i);

/** Start services on free servers. */
static void gms_qsim_serve(gms_qsim_t *sim, unsigned i, int goes_on)
{
    gms_qsim_station_t *station = &sim->station[i];

    while (station->queued > 0 &&
           gms_qsim_busy(station) < station->description->servers) {
        uint32_t m = gms_qsim_choose(sim, station, 0, goes_on);

        if (m != GMS_QSIM_NOBODY) {
            gms_qsim_begin(sim, m);
            continue;
        }
        m = gms_qsim_choose(sim, station, 1, goes_on);
        gms_qsim_push(sim, &station->holding, m);
        gms_qsim_level_add(&station->held, sim->now_ps, 1);
    }
}

/** If a server is waiting in a check and another message has arrived, return
 *  the server's message to its queue. */
static void gms_qsim_put_back(gms_qsim_t *sim, gms_qsim_station_t *station)
{
    uint32_t m = gms_qsim_take(sim, &station->holding, GMS_QSIM_NOBODY);
    uint32_t visit = sim->message[m].visit;

    gms_qsim_level_add(&station->held, sim->now_ps, -1);
    gms_qsim_push_front(sim, gms_qsim_queue_of(sim, visit), m);
    ++station->queued;
    gms_qsim_level_add(&sim->visit[visit].queue, sim->now_ps, 1);
}

void gms_qsim_join(gms_qsim_t *sim, uint32_t m)
{
    uint32_t visit = sim->message[m].visit;
    unsigned i = gms_qsim_station_of(sim, visit);
    gms_qsim_station_t *station = &sim->station[i];

    if (station->queued == 0 && station->holding.count == 0 &&
        gms_qsim_busy(station) < station->description->servers &&
        gms_qsim_may_begin(sim, visit)) {
        gms_qsim_begin(sim, m);
        return;
    }
    gms_qsim_push(sim, gms_qsim_queue_of(sim, visit), m);
    ++station->queued;
    gms_qsim_level_add(&sim->visit[visit].queue, sim->now_ps, 1);
    if (gms_qsim_busy(station) == station->description->servers &&
        station->holding.count > 0) {
        gms_qsim_put_back(sim, station);
    }
    gms_qsim_serve(sim, i, 0);
}

/* ---- ends of services ---- */

/** Start the services at other stations that were waiting for station i to
 *  become idle. */
static void gms_qsim_wake_checks(gms_qsim_t *sim, unsigned i)
{
    unsigned j;

    for (j = 0; j < sim->model->stations; ++j) {
        gms_qsim_station_t *station = &sim->station[j];
        uint32_t before = GMS_QSIM_NOBODY, m = station->holding.first, k;

        for (k = 0; k < station->holding.count; ++k) {
            if (sim->visit[sim->message[m].visit].checks == (int)i &&
                gms_qsim_may_begin(sim, sim->message[m].visit)) {
                (void)gms_qsim_take(sim, &station->holding, before);
                gms_qsim_level_add(&station->held, sim->now_ps, -1);
                gms_qsim_begin(sim, m);
                break;
            }
            before = m;
            m = sim->message[m].next;
        }
        /* the queue may contain a message whose check now allows its service to
         * begin */
        if (k == station->holding.count && k > 0 && station->queued > 0) {
            gms_qsim_put_back(sim, station);
            gms_qsim_serve(sim, j, 0);
        }
    }
}

/** Return 1 if a blocked station can never continue. The search starts with the
 *  stations that have an unblocked server. The search then repeatedly adds the
 *  stations that wait for room at a station that has already been found. */
static int gms_qsim_is_stuck(gms_qsim_t *sim, unsigned first)
{
    unsigned stations = sim->model->stations, i, k;
    int more = 1;

    for (i = 0; i < stations; ++i) {
        const gms_qsim_station_t *station = &sim->station[i];

        sim->moves[i] = (station->stuck.value < station->description->servers);
    }
    while (more) {
        more = 0;
        for (i = 0; i < stations; ++i) {
            uint32_t m = sim->station[i].blocked.first;

            for (k = 0; sim->moves[i] && k < sim->station[i].blocked.count;
                 ++k) {
                unsigned from = gms_qsim_station_of(sim, sim->message[m].visit);

                more |= !sim->moves[from];
                sim->moves[from] = 1;
                m = sim->message[m].next;
            }
        }
    }
    return !sim->moves[first];
}

/** Move a message whose service has ended to its next visit. The message's
 *  server becomes free. */
static void gms_qsim_move(gms_qsim_t *sim, uint32_t m, uint32_t visit)
{
    sim->message[m].going = GMS_QSIM_NOBODY;
    if (visit == GMS_QSIM_NOBODY) {
        gms_qsim_leave(sim, m);
    } else {
        sim->message[m].visit = visit;
        gms_qsim_join(sim, m);
    }
}

static void gms_qsim_freed(gms_qsim_t *sim, unsigned i)
{
    gms_qsim_serve(sim, i, 1);
    gms_qsim_wake_checks(sim, i);
    gms_qsim_admit(sim, i);
}

/** While station i has room, move messages that are blocked at other stations
 *  to station i. */
static void gms_qsim_admit(gms_qsim_t *sim, unsigned i)
{
    while (sim->station[i].blocked.count > 0 && gms_qsim_has_room(sim, i)) {
        uint32_t m =
            gms_qsim_take(sim, &sim->station[i].blocked, GMS_QSIM_NOBODY);
        unsigned from = gms_qsim_station_of(sim, sim->message[m].visit);

        gms_qsim_level_add(&sim->station[from].stuck, sim->now_ps, -1);
        gms_qsim_move(sim, m, sim->message[m].going);
        gms_qsim_freed(sim, from);
    }
}

void gms_qsim_finish(gms_qsim_t *sim, uint32_t m)
{
    uint32_t visit = sim->message[m].visit;
    unsigned from = gms_qsim_station_of(sim, visit);
    gms_qsim_station_t *station = &sim->station[from];
    uint32_t next = gms_qsim_next_visit(sim, visit);
    unsigned to;

    gms_qsim_level_add(&station->serving, sim->now_ps, -1);
    if (sim->visit[visit].checks != GMS_MODEL_NONE) {
        /* the message either uses its reserved room, or leaves the network so
         * that the room becomes free */
        sim->station[sim->visit[visit].checks].coming--;
    } else if (next != GMS_QSIM_NOBODY) {
        to = gms_qsim_station_of(sim, next);
        if (!gms_qsim_has_room(sim, to)) {
            gms_qsim_level_add(&station->stuck, sim->now_ps, 1);
            sim->message[m].going = next;
            gms_qsim_push(sim, &sim->station[to].blocked, m);
            if (gms_qsim_is_stuck(sim, from)) {
                sim->is_deadlocked = 1;
                sim->deadlock_ps = sim->now_ps;
            }
            return;
        }
    }
    gms_qsim_move(sim, m, next);
    gms_qsim_freed(sim, from);
    if (next == GMS_QSIM_NOBODY && sim->visit[visit].checks != GMS_MODEL_NONE) {
        gms_qsim_wake_checks(sim, (unsigned)sim->visit[visit].checks);
    }
}
