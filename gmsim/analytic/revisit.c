/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes mean waiting times at stations to which messages return.
 *
 * A returning message finds the messages that arrived after its first visit,
 * and the messages that were ahead of it and have returned earlier. Linear
 * equations determine the mean waits exactly if there is one FCFS server,
 * arrivals are Poisson, and messages spend no time at other stations. The more
 * time a message spends at other stations, the weaker the dependence between
 * two visits. After a long time, a returning message finds the mean queue, as
 * does a message that arrives for the first time (a stranger).
 *
 * The equations use these symbols for visits k and l of one station:
 * - F_kl: probability that the next visit after k is l
 * - D_kl: mean time that a message spends at other stations between k and l
 * - f_l: rate of the messages that arrive for visit l without an earlier visit
 *   to the station
 * - n_j^l: mean number of messages, in service or waiting at visit j, that a
 *   message finds when it arrives for visit l
 *
 *   stranger:   n_j = rate_j W_j + rho_j         U = sum_j rate_j W_j s_j
 *                                                    + rho_j s_j (1 + c_j^2)/2
 *   from k:     a_j = f_j (W_k + s_k) + sum_m n_m^k F_mj
 *               A_kl = sum_j a_j s_j + (1 - rho) B_kl
 *   n^l, W_l:   means over the previous visit, with memory M_kl in [0, 1]:
 *               M a + (1 - M) stranger
 *   memory:     M_kl = exp(-D_kl (1 - rho) / max(A_kl, mean service time))
 *
 * B_kl accounts for the following effect. On its return route, a message waits
 * behind other messages that also return to the station and arrive there
 * earlier. B_kl is the work of these messages, minus the average work that
 * arrives in the same time. While the server is busy, one of the messages must
 * wait, whatever their order. Time is lost only if the server is idle.
 * Therefore B_kl is multiplied by 1 - rho.
 *
 * The formula for M_kl follows from the rate 1 - rho at which the server
 * reduces work in excess of the mean. Variable arrivals increase all waits by
 * the same factor as in heavy traffic, where only the variability of a
 * message's total work matters. The factor is (Ca^2 + Cb^2) / (1 + Cb^2). Ca^2
 * is the SCV of the arrivals, and Cb^2 is the SCV of the total work of a
 * message in all its visits.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analytic/model_int.h"

#define GMS_REVISIT_OUTER        50u
#define GMS_REVISIT_OUTER_CHANGE 1e-7
#define GMS_REVISIT_CHANGE       1e-11

typedef struct gms_revisit {
    const gms_model_t *model;
    gms_model_result_t *result;
    size_t visits;
    unsigned count;             /* number of visits to the current station */
    unsigned *at;               /* [count]: indices of these visits */
    double *next;               /* [count * count]: values of F */
    double *away;               /* [count * count]: values of D */
    double *fresh;              /* [count]: values of f */
    double *memory;             /* [count * count]: values of M */
    double *brought;            /* [count * count]: values of B */
    double *found;              /* [count * count]: values of n, one row for
                                 * each visit l */
    double *came;               /* [count]: values of a */
    double *mean;               /* [count]: values of n for a message that
                                 * arrives for the first time */
    unsigned char *outside;     /* [visits]: 1 if the visit is at another
                                 * station */
    double *reach, *time, *own; /* [visits] */
    double *all; /* [visits * classes]: n of every visit, by class */
} gms_revisit_t;

static void gms_revisit_release(gms_revisit_t *self)
{
    free(self->at);
    free(self->next);
    free(self->outside);
    free(self->reach);
    free(self->all);
}

static gms_model_status_t gms_revisit_reserve(gms_revisit_t *self)
{
    size_t n = self->model->classes;

    self->at = malloc(n * sizeof(*self->at));
    self->next = malloc((5 * n * n + 3 * n) * sizeof(double));
    self->outside = malloc(self->visits);
    self->reach = malloc(3 * self->visits * sizeof(double));
    self->all = calloc(self->visits * n, sizeof(double));
    if (self->at == NULL || self->next == NULL || self->outside == NULL ||
        self->reach == NULL || self->all == NULL) {
        gms_revisit_release(self);
        return GMS_MODEL_NO_MEMORY;
    }
    self->away = self->next + n * n;
    self->memory = self->away + n * n;
    self->found = self->memory + n * n;
    self->brought = self->found + n * n;
    self->fresh = self->brought + n * n;
    self->came = self->fresh + n;
    self->mean = self->came + n;
    self->time = self->reach + self->visits;
    self->own = self->time + self->visits;
    return GMS_MODEL_OK;
}

/* ---- return routes ---- */

static void gms_revisit_enter(gms_revisit_t *self, unsigned station)
{
    unsigned classes = self->model->classes, r;
    size_t i;

    self->count = 0;
    for (i = 0; i < self->visits; ++i) {
        self->outside[i] = (i / classes != station);
    }
    for (r = 0; r < classes; ++r) {
        size_t visit = (size_t)station * classes + r;

        if (self->result->visit[visit].rate > 0) {
            self->at[self->count++] = (unsigned)visit;
        }
    }
}

/** For a message at each visit v of another station, compute the work that the
 *  messages ahead of that message will bring to the current station. Subtract
 *  the average work that arrives from the other station in the same time. */
static void gms_revisit_company(gms_revisit_t *self)
{
    const gms_model_t *model = self->model;
    unsigned classes = model->classes, r;
    size_t i;

    memset(self->own, 0, self->visits * sizeof(double));
    for (i = 0; i < model->arcs; ++i) {
        const gms_model_arc_t *arc = &model->arc[i];
        unsigned station = arc->from / classes;
        double work = arc->probability * self->result->visit[arc->to].service;

        if (self->outside[arc->to] || !self->outside[arc->from] ||
            model->station[station].servers > 1) {
            continue;
        }
        for (r = 0; r < classes; ++r) {
            size_t v = (size_t)station * classes + r;
            const gms_model_at_visit_t *at = &self->result->visit[v];

            if (at->rate > 0) {
                self->own[v] +=
                    work * (self->all[v * classes + arc->from % classes] -
                            self->result->visit[arc->from].rate *
                                (at->wait + at->service));
            }
        }
    }
}

/** For each visit k of the station, consider the route from k to the next visit
 *  l of the station. Add up the quantity `own' of the visits to other stations
 *  on this route. Store the mean in row[k * count + l]. */
static void gms_revisit_on_the_way(gms_revisit_t *self, unsigned l, double *row)
{
    const gms_model_t *model = self->model;
    unsigned k;
    size_t i;

    for (i = 0; i < self->visits; ++i) {
        self->own[i] *= self->reach[i];
    }
    (void)gms_model_flow(model, 1, self->outside, self->own, self->time);
    for (k = 0; k < self->count; ++k) {
        double probability = self->next[k * self->count + l], sum = 0;

        for (i = 0; i < model->arcs; ++i) {
            const gms_model_arc_t *arc = &model->arc[i];

            if (arc->from == self->at[k] && self->outside[arc->to]) {
                sum += arc->probability * self->time[arc->to];
            }
        }
        row[k * self->count + l] = (probability > 0) ? sum / probability : 0;
    }
}

/** Compute F, D and B for visit l of the station. */
static void gms_revisit_ways_to(gms_revisit_t *self, unsigned l)
{
    const gms_model_t *model = self->model;
    unsigned target = self->at[l], k;
    size_t i;

    memset(self->own, 0, self->visits * sizeof(double));
    for (i = 0; i < model->arcs; ++i) {
        if (model->arc[i].to == target) {
            self->own[model->arc[i].from] += model->arc[i].probability;
        }
    }
    (void)gms_model_flow(model, 1, self->outside, self->own, self->reach);
    for (k = 0; k < self->count; ++k) {
        double probability = 0;

        for (i = 0; i < model->arcs; ++i) {
            const gms_model_arc_t *arc = &model->arc[i];

            if (arc->from == self->at[k]) {
                probability += arc->probability * ((arc->to == target) ? 1
                                                   : self->outside[arc->to]
                                                       ? self->reach[arc->to]
                                                       : 0);
            }
        }
        self->next[k * self->count + l] = probability;
    }
    for (i = 0; i < self->visits; ++i) {
        self->own[i] =
            self->result->visit[i].wait + self->result->visit[i].service;
    }
    gms_revisit_on_the_way(self, l, self->away);
    gms_revisit_company(self);
    gms_revisit_on_the_way(self, l, self->brought);
}

static void gms_revisit_ways(gms_revisit_t *self)
{
    unsigned k, l;

    for (l = 0; l < self->count; ++l) {
        gms_revisit_ways_to(self, l);
    }
    for (l = 0; l < self->count; ++l) {
        double back = 0;

        for (k = 0; k < self->count; ++k) {
            back += self->result->visit[self->at[k]].rate *
                    self->next[k * self->count + l];
        }
        /* treat a difference that may be a rounding error as 0 */
        self->fresh[l] = self->result->visit[self->at[l]].rate - back;
        if (self->fresh[l] < 1e-9 * self->result->visit[self->at[l]].rate) {
            self->fresh[l] = 0;
        }
    }
}

/* ---- the mean values of one station ---- */

static double gms_revisit_stranger(gms_revisit_t *self)
{
    double work = 0;
    unsigned j;

    for (j = 0; j < self->count; ++j) {
        const gms_model_visit_t *visit = &self->model->visit[self->at[j]];
        const gms_model_at_visit_t *at = &self->result->visit[self->at[j]];
        double busy = at->rate * at->service;

        self->mean[j] = at->rate * at->wait + busy;
        work += at->rate * at->wait * at->service +
                busy * at->service * (1 + visit->scv) / 2;
    }
    return work;
}

/** Compute the numbers a_j for a message that returns after visit k. @return
 *  work of the messages that the returning message finds */
static double gms_revisit_comes(gms_revisit_t *self, unsigned k)
{
    const gms_model_at_visit_t *from = &self->result->visit[self->at[k]];
    double work = 0;
    unsigned j, m;

    for (j = 0; j < self->count; ++j) {
        double number = self->fresh[j] * (from->wait + from->service);

        for (m = 0; m < self->count; ++m) {
            number += self->found[k * self->count + m] *
                      self->next[m * self->count + j];
        }
        self->came[j] = number;
        work += number * self->result->visit[self->at[j]].service;
    }
    return work;
}

/** Add the contribution of the messages that come from visit k to the values of
 *  visit l. @return part of the mean wait */
static double gms_revisit_part(gms_revisit_t *self, unsigned k, unsigned l,
                               double part, double stranger, double slack,
                               double *row)
{
    unsigned n = self->count, j;
    double work = gms_revisit_comes(self, k), memory;
    double service =
        self->result->station[self->at[l] / self->model->classes].service;

    work = fmax(0, work + slack * self->brought[k * n + l]);
    memory = exp(-self->away[k * n + l] * slack / fmax(work, service));
    self->memory[k * n + l] = memory;
    for (j = 0; j < n; ++j) {
        row[j] +=
            part * (memory * self->came[j] + (1 - memory) * self->mean[j]);
    }
    return part * (memory * work + (1 - memory) * stranger);
}

/** Update the waits of all visits once. @return the largest relative change of
 *  a wait */
static double gms_revisit_round(gms_revisit_t *self, double slack, double *row)
{
    unsigned n = self->count, k, l, j;
    double change = 0;

    for (l = 0; l < n; ++l) {
        gms_model_at_visit_t *at = &self->result->visit[self->at[l]];
        double stranger = gms_revisit_stranger(self);
        double part = self->fresh[l] / at->rate, wait = part * stranger;

        for (j = 0; j < n; ++j) {
            row[j] = part * self->mean[j];
        }
        for (k = 0; k < n; ++k) {
            part = self->result->visit[self->at[k]].rate *
                   self->next[k * n + l] / at->rate;
            if (part > 0) {
                wait +=
                    gms_revisit_part(self, k, l, part, stranger, slack, row);
            }
        }
        memcpy(self->found + l * n, row, n * sizeof(*row));
        if (fabs(wait - at->wait) > change * fmax(wait, at->service)) {
            change = fabs(wait - at->wait) / fmax(wait, at->service);
        }
        at->wait = wait;
    }
    return change;
}

/* ---- variability ---- */

/** Return the SCV of the total work of a message at the current station in all
 *  its visits. */
static double gms_revisit_work_scv(gms_revisit_t *self, double *first,
                                   double *second)
{
    unsigned n = self->count, k, l, round;
    double mean = 0, square = 0, rate = 0;

    memset(first, 0, n * sizeof(*first));
    memset(second, 0, n * sizeof(*second));
    for (round = 0; round < GMS_MODEL_ROUNDS_MAX; ++round) {
        double change = 0;

        for (k = 0; k < n; ++k) {
            const gms_model_visit_t *visit = &self->model->visit[self->at[k]];
            double s = self->result->visit[self->at[k]].service;
            double later = 0, later_second = 0, all;

            for (l = 0; l < n; ++l) {
                later += self->next[k * n + l] * first[l];
                later_second += self->next[k * n + l] * second[l];
            }
            first[k] = s + later;
            all = s * s * (1 + visit->scv) + 2 * s * later + later_second;
            change = fmax(change, fabs(all - second[k]) / all);
            second[k] = all;
        }
        if (change < GMS_MODEL_CONVERGED) {
            break;
        }
    }
    for (k = 0; k < n; ++k) {
        mean += self->fresh[k] * first[k];
        square += self->fresh[k] * second[k];
        rate += self->fresh[k];
    }
    return square * rate / (mean * mean) - 1;
}

/** Return the SCV of the arrivals of messages that reach the station for the
 *  first time. The SCV is computed from the arrivals of messages that enter the
 *  network, of which only a fraction reaches this station. The stations on the
 *  route do not change the SCV, because their output equals their input in the
 *  long run. */
static double gms_revisit_fresh_scv(gms_revisit_t *self)
{
    const gms_model_t *model = self->model;
    double sum = 0, rate = 0;
    size_t i;

    memset(self->own, 0, self->visits * sizeof(double));
    for (i = 0; i < model->arcs; ++i) {
        if (!self->outside[model->arc[i].to]) {
            self->own[model->arc[i].from] += model->arc[i].probability;
        }
    }
    (void)gms_model_flow(model, 1, self->outside, self->own, self->reach);
    for (i = 0; i < self->visits; ++i) {
        const gms_model_visit_t *visit = &model->visit[i];
        double part = self->outside[i] ? self->reach[i] : 1;

        sum += visit->rate * part * (1 + part * (visit->rate_scv - 1));
        rate += visit->rate * part;
    }
    return sum / rate;
}

/** Compute the waits at a station with several servers by Erlang's C formula.
 *  The computation ignores previous visits. */
static void gms_revisit_many(gms_revisit_t *self, unsigned station)
{
    const gms_model_at_station_t *at = &self->result->station[station];
    unsigned servers = self->model->station[station].servers, k;
    double wait = gms_model_erlang_c(servers, at->utilisation) * at->service /
                  servers / (1 - at->utilisation) *
                  (at->arrival_scv + at->service_scv) / 2;

    for (k = 0; k < self->count; ++k) {
        self->result->visit[self->at[k]].wait = wait;
    }
}

/** Store the number of messages that a message finds at each visit, because the
 *  equations of other stations need this number. */
static void gms_revisit_remember(gms_revisit_t *self)
{
    unsigned classes = self->model->classes, l, j;

    for (l = 0; l < self->count; ++l) {
        for (j = 0; j < self->count; ++j) {
            self->all[(size_t)self->at[l] * classes + self->at[j] % classes] =
                self->found[l * self->count + j];
        }
    }
}

static void gms_revisit_station(gms_revisit_t *self, unsigned station,
                                double *row)
{
    gms_model_at_station_t *at = &self->result->station[station];
    double stretch, work_scv;
    unsigned k, round;

    gms_revisit_ways(self);
    at->arrival_scv = gms_revisit_fresh_scv(self);
    at->service_scv = gms_model_mixed_scv(self->model, self->result, station);
    if (self->model->station[station].servers > 1) {
        gms_revisit_many(self, station);
        return;
    }
    memset(self->found, 0, self->count * self->count * sizeof(double));
    work_scv = gms_revisit_work_scv(self, self->came, self->mean);
    for (round = 0; round < GMS_MODEL_ROUNDS_MAX; ++round) {
        if (gms_revisit_round(self, 1 - at->utilisation, row) <
            GMS_REVISIT_CHANGE) {
            break;
        }
    }
    gms_revisit_remember(self);
    stretch = (at->arrival_scv + work_scv) / (1 + work_scv);
    for (k = 0; k < self->count; ++k) {
        self->result->visit[self->at[k]].wait *= stretch;
    }
}

/* ---- checks ---- */

/**
 * Return the mean time that a message of visit r waits because the station that
 * it programs is busy. The service time of that station is s.
 *
 * The message came from visit p. Services of p end at intervals of at least
 * s_p. With probability a, the server continues with another message of p, and
 * the interval is exactly s_p. Otherwise the interval is longer by an
 * exponentially distributed time. A message occupies its own server and then
 * the programmed station for a total of h = s_r + s.
 *
 * If h <= s_p, a message waits only if the previous message was itself delayed,
 * by a time w. This delay was caused by a message of another visit j that was
 * in service when the previous message arrived, at a uniformly distributed
 * point of j's service time. The wait is then w - (s_p - h), if this difference
 * is positive.
 *
 * If h > s_p, every message that follows at the interval s_p waits h - s_p
 * longer than the previous message. Such messages form groups, which arrive at
 * random. The number of messages in a group is geometric with the mean 1 / (1 -
 * a). The wait is the wait of groups in an M/G/1 queue, plus the wait for the
 * earlier messages of the same group.
 */
static double gms_revisit_check_after(const gms_revisit_t *self, unsigned r,
                                      double programmed, size_t p)
{
    const gms_model_result_t *result = self->result;
    unsigned classes = self->model->classes, j;
    const gms_model_at_station_t *before = &result->station[p / classes];
    double apart = result->visit[p].service, rate = result->visit[p].rate;
    double more = result->visit[r].service + programmed - apart;
    double again = before->utilisation * rate / before->rate;
    double low = fmax(0, -more), wait = 0, groups;

    for (j = 0; j < classes; ++j) {
        size_t other = (size_t)(r / classes) * classes + j;
        double s = result->visit[other].service;

        if (other != r && s > low) { /* integral of (x - low) for x from low to
                                      * s */
            wait +=
                again * result->visit[other].rate * (s - low) * (s - low) / 2;
        }
    }
    if (more <= 0) {
        return wait;
    }
    groups = (1 - again) / (1 / rate - apart);
    more /= 1 - again; /* mean work of a whole group of messages */
    return wait +
           groups * more * more * (1 + again) / 2 /
               fmax(1e-3, 1 - groups * more) +
           more * again;
}

/** Return the mean wait for the programmed station, for messages that arrive
 *  from outside at random times. */
static double gms_revisit_check_random(const gms_revisit_t *self, unsigned r,
                                       double programmed)
{
    const gms_model_at_visit_t *at = &self->result->visit[r];
    double hold = at->service + programmed;
    double busy = fmin(0.999, at->rate * hold);

    return busy * hold / 2 / (1 - busy);
}

static void gms_revisit_check(gms_revisit_t *self, unsigned r)
{
    const gms_model_t *model = self->model;
    unsigned checks = (unsigned)model->visit[r].checks;
    unsigned station = r / model->classes;
    gms_model_at_visit_t *at = &self->result->visit[r];
    gms_model_at_station_t *holder = &self->result->station[station];
    double programmed = self->result->station[checks].service, wait = 0, share;
    size_t i;

    if (model->visit[r].rate > 0) {
        wait += model->visit[r].rate / at->rate *
                gms_revisit_check_random(self, r, programmed);
    }
    for (i = 0; i < model->arcs; ++i) {
        const gms_model_arc_t *arc = &model->arc[i];

        if (arc->to == r) {
            wait += self->result->visit[arc->from].rate * arc->probability /
                    at->rate *
                    gms_revisit_check_after(self, r, programmed, arc->from);
        }
    }
    /* Convert the mean number of waiting messages to the fraction of time in
     * which at least one message waits, with the formula for M/M/1. The server
     * waits for the station only while it has no other work. */
    share = at->rate * wait / (1 + at->rate * wait);
    share = fmin(share, at->rate * (at->service + programmed)) *
            (1 - holder->utilisation) / model->station[station].servers;
    holder->waiting_share += share;
    at->utilisation += share;
    at->wait += wait;
    for (i = 0; i < model->classes; ++i) {
        /* the programmed station has no queue, because messages wait before the
         * service that programs the station */
        self->result->visit[checks * model->classes + i].wait = 0;
    }
}

static void gms_revisit_checks(gms_revisit_t *self)
{
    unsigned i;

    for (i = 0; i < self->visits; ++i) {
        if (self->model->visit[i].checks != GMS_MODEL_NONE &&
            self->result->visit[i].rate > 0) {
            gms_revisit_check(self, i);
        }
    }
    for (i = 0; i < self->model->stations; ++i) {
        self->result->station[i].utilisation +=
            self->result->station[i].waiting_share;
    }
}

gms_model_status_t gms_model_revisit(const gms_model_t *model,
                                     gms_model_result_t *result)
{
    gms_revisit_t self = {.model = model, .result = result};
    gms_model_status_t status;
    double *row, change = 1;
    unsigned i;

    self.visits = (size_t)model->stations * model->classes;
    row = malloc(model->classes * sizeof(*row));
    status = (row != NULL) ? gms_revisit_reserve(&self) : GMS_MODEL_NO_MEMORY;
    if (status != GMS_MODEL_OK) {
        free(row);
        return status;
    }
    /* several rounds are necessary, because the waits at one station are part
     * of the times D of the other stations */
    for (result->rounds = 1; result->rounds <= GMS_REVISIT_OUTER &&
                             change > GMS_REVISIT_OUTER_CHANGE;
         ++result->rounds) {
        change = 0;
        for (i = 0; i < model->stations; ++i) {
            double before = 0, after = 0;
            unsigned k;

            if (!(result->station[i].rate > 0)) {
                continue;
            }
            gms_revisit_enter(&self, i);
            for (k = 0; k < self.count; ++k) {
                before += result->visit[self.at[k]].wait;
            }
            gms_revisit_station(&self, i, row);
            for (k = 0; k < self.count; ++k) {
                after += result->visit[self.at[k]].wait;
            }
            change = fmax(change, fabs(after - before) /
                                      (after + result->station[i].service));
        }
    }
    gms_revisit_checks(&self);
    gms_revisit_release(&self);
    free(row);
    return GMS_MODEL_OK;
}
