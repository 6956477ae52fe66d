/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the method `chain'. This file identifies the processor and the DMA
 * engine of a NIC in a queueing network, and solves the chain of these two
 * stations. Two exact equations determine the waits at the engine from the
 * values of the chain.
 *
 * V is the total service time that the engine still needs for all messages in
 * the NIC. V increases by B_e when a message enters the NIC, and decreases
 * while the engine is busy. In the steady state, the equation for V^2 is
 *
 *   E[V] (1 - rho) = sum_e rate_e B_e^2 / 2 + E[V; engine idle]        (a)
 *
 * In the last term, the engine is idle, so only the few messages at the
 * processor contribute to V. The second equation follows one descriptor. At the
 * engine, the descriptor finds the messages that arrived there after the
 * descriptor's own doorbell. These messages are the doorbells that arrived in
 * the meantime, the descriptors of earlier doorbells, and the descriptors that
 * were at the processor. Every class is served in order of arrival, so the
 * numbers of these messages follow from the times and from the numbers of
 * messages at the processor:
 *
 *   W_2 = T_1 (rate (W_1 + T_1 + S_2) + L_1 - L_1 that a descriptor leaves)
 *       + T_2 (rate (W_1 + T_1) + L_1 - L_1 when the fetch ends
 *              + L_2 that a doorbell leaves)
 *       - E[L_2; engine busy] / rate                                   (b)
 *
 * T_1 and T_2 are the service times at the engine, and W_1 and W_2 are the
 * waits there, for doorbells (1) and descriptors (2). L is the mean number of
 * messages at the processor, and S is the mean time that they spend there.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analytic/chain.h"
#include "analytic/model_int.h"

/* minimum number of slots into which the sum of all service times is divided */
#define GMS_CHAIN_SLOTS      40.0
#define GMS_CHAIN_SLOTS_FAST 30.0
/* largest fraction of a mean queue length that a limit on waiting messages may
 * cut off */
#define GMS_CHAIN_LOST       0.02
#define GMS_CHAIN_MOST_TOTAL 3u /* upper bound of the limit for all queues */
#define GMS_CHAIN_MOST_HELD                                                    \
    5u                       /* upper bound of the limit for a class that
                                 * programs a station */
#define GMS_CHAIN_GRIDS 400u /* number of slot lengths that are compared */

typedef struct gms_chain_nic {
    const gms_model_t *model;
    gms_model_result_t *result;
    char *error;
    unsigned processor, engine;           /* stations */
    unsigned class_of[GMS_CHAIN_CLASSES]; /* classes of the model that visit the
                                           * processor */
    unsigned type_of[GMS_CHAIN_TYPES];
    unsigned checks; /* number of classes that program a station */
    int is_fast;     /* 1: the method is `chain-fast' */
    int is_stored;   /* 1: the values of the first chain have been stored */
    gms_chain_t chain;
    double *pattern; /* NULL: not yet computed, or not needed */
    double hold[GMS_CHAIN_CLASSES];
    gms_chain_values_t values;
} gms_chain_nic_t;

static gms_model_status_t gms_chain_refuse(const gms_chain_nic_t *self,
                                           unsigned station, const char *what)
{
    (void)snprintf(self->error, GMS_MODEL_ERROR_LEN,
                   "method chain: station '%s': %s",
                   self->model->station[station].name, what);
    return GMS_MODEL_INVALID;
}

static unsigned gms_chain_station_of(const gms_chain_nic_t *self, size_t visit)
{
    return (unsigned)(visit / self->model->classes);
}

/** Return the visit that corresponds to class c of the processor. */
static size_t gms_chain_at_class(const gms_chain_nic_t *self, unsigned c)
{
    return (size_t)self->processor * self->model->classes + self->class_of[c];
}

/** Return the visit that corresponds to type t of the engine. */
static size_t gms_chain_at_type(const gms_chain_nic_t *self, unsigned t)
{
    return (size_t)self->engine * self->model->classes + self->type_of[t];
}

/** Return the single arc that leaves a visit, or NULL if its messages leave the
 *  network. */
static const gms_model_arc_t *gms_chain_arc(const gms_chain_nic_t *self,
                                            size_t visit)
{
    size_t i;

    for (i = 0; i < self->model->arcs; ++i) {
        if (self->model->arc[i].from == visit) {
            return &self->model->arc[i];
        }
    }
    return NULL;
}

/* ---- shape of the network ---- */

static gms_model_status_t gms_chain_check_visit(const gms_chain_nic_t *self,
                                                size_t i)
{
    const gms_model_visit_t *visit = &self->model->visit[i];
    const gms_model_arc_t *arc = gms_chain_arc(self, i);
    unsigned station = gms_chain_station_of(self, i);

    if (self->model->station[station].servers > 1) {
        return gms_chain_refuse(self, station,
                                "the station must have one server");
    }
    if (visit->scv > 0) {
        return gms_chain_refuse(self, station,
                                "service times must be constant (scv 0)");
    }
    if (visit->rate > 0 && fabs(visit->rate_scv - 1) > 0) {
        return gms_chain_refuse(self, station,
                                "arrivals must be Poisson (rate_scv 1)");
    }
    if (arc != NULL && arc->probability < 1) {
        return gms_chain_refuse(
            self, station,
            "a class must have a single route with probability 1");
    }
    return GMS_MODEL_OK;
}

/** Find the processor, which is the station with the most classes. */
static void gms_chain_find_processor(gms_chain_nic_t *self)
{
    const gms_model_t *model = self->model;
    unsigned i, r, most = 0;

    for (i = 0; i < model->stations; ++i) {
        unsigned served = 0;

        for (r = 0; r < model->classes; ++r) {
            served += (self->result->visit[i * model->classes + r].rate > 0);
        }
        if (served > most) {
            most = served;
            self->processor = i;
        }
    }
}

/** Find the engine, which is the station to which the processor sends messages
 *  without a check. */
static gms_model_status_t gms_chain_find_engine(gms_chain_nic_t *self)
{
    const gms_model_t *model = self->model;
    size_t at;

    self->engine = model->stations;
    for (at = 0; at < (size_t)model->stations * model->classes; ++at) {
        const gms_model_arc_t *arc = gms_chain_arc(self, at);
        gms_model_status_t status;
        unsigned to;

        if (!(self->result->visit[at].rate > 0)) {
            continue;
        }
        status = gms_chain_check_visit(self, at);
        if (status != GMS_MODEL_OK) {
            return status;
        }
        if (gms_chain_station_of(self, at) != self->processor || arc == NULL ||
            model->visit[at].checks != GMS_MODEL_NONE) {
            continue;
        }
        to = gms_chain_station_of(self, arc->to);
        if (self->engine < model->stations && self->engine != to) {
            return gms_chain_refuse(self, to,
                                    "the processor may send to at most one "
                                    "station that it does not program");
        }
        self->engine = to;
    }
    if (self->engine == model->stations || self->engine == self->processor) {
        return gms_chain_refuse(
            self, self->processor,
            "the station must send messages to a DMA engine");
    }
    return (model->station[self->engine].discipline == GMS_MODEL_FCFS)
               ? GMS_MODEL_OK
               : gms_chain_refuse(self, self->engine,
                                  "the policy must be fcfs");
}

static gms_model_status_t gms_chain_list(gms_chain_nic_t *self)
{
    const gms_model_t *model = self->model;
    gms_chain_t *chain = &self->chain;
    unsigned r;

    for (r = 0; r < model->classes; ++r) {
        size_t at = (size_t)self->processor * model->classes + r;

        if (self->result->visit[at].rate > 0) {
            if (chain->classes == GMS_CHAIN_CLASSES) {
                return gms_chain_refuse(
                    self, self->processor,
                    "the station may serve at most 8 classes");
            }
            self->class_of[chain->classes++] = r;
        }
        at = (size_t)self->engine * model->classes + r;
        if (self->result->visit[at].rate > 0) {
            if (chain->types == GMS_CHAIN_TYPES) {
                return gms_chain_refuse(
                    self, self->engine,
                    "the station may serve at most 4 classes");
            }
            if (model->visit[at].rate > 0) {
                return gms_chain_refuse(
                    self, self->engine,
                    "messages from outside must enter at the processor");
            }
            self->type_of[chain->types++] = r;
        }
    }
    return GMS_MODEL_OK;
}

static int gms_chain_class_index(const gms_chain_nic_t *self, size_t visit)
{
    unsigned c;

    for (c = 0; c < self->chain.classes; ++c) {
        if (visit == gms_chain_at_class(self, c)) {
            return (int)c;
        }
    }
    return -1;
}

/** Describe the station that class c programs. If the chain does not contain
 *  the station, the messages that return from the station to the processor are
 *  treated as Poisson arrivals with the rate of class c. */
static gms_model_status_t gms_chain_programmed(gms_chain_nic_t *self,
                                               unsigned c)
{
    const gms_model_arc_t *arc =
        gms_chain_arc(self, gms_chain_at_class(self, c));
    const gms_model_arc_t *back;
    int to;

    if (arc == NULL) {
        return gms_chain_refuse(self, self->processor,
                                "a service that programs a station must send "
                                "its message to that station");
    }
    ++self->checks;
    self->hold[c] = self->model->visit[arc->to].mean;
    back = gms_chain_arc(self, arc->to);
    if (back == NULL) {
        return GMS_MODEL_OK;
    }
    to = gms_chain_class_index(self, back->to);
    if (to < 0) {
        return gms_chain_refuse(self, gms_chain_station_of(self, arc->to),
                                "the station's messages must leave the network "
                                "or return to the processor");
    }
    self->chain.class[c].freed = to;
    self->chain.class[to].rate +=
        self->result->visit[gms_chain_at_class(self, c)].rate;
    return GMS_MODEL_OK;
}

static gms_model_status_t gms_chain_describe(gms_chain_nic_t *self)
{
    const gms_model_t *model = self->model;
    gms_model_status_t status = GMS_MODEL_OK;
    gms_chain_t *chain = &self->chain;
    unsigned c, t;

    chain->discipline = model->station[self->processor].discipline;
    chain->limit = model->station[self->processor].limit;
    chain->origin = chain->again = -1;
    for (c = 0; c < chain->classes && status == GMS_MODEL_OK; ++c) {
        size_t at = gms_chain_at_class(self, c);
        const gms_model_arc_t *arc = gms_chain_arc(self, at);

        chain->class[c].rate += model->visit[at].rate;
        chain->class[c].mean = model->visit[at].mean;
        chain->class[c].type = chain->class[c].freed = -1;
        if (model->visit[at].checks != GMS_MODEL_NONE) {
            status = gms_chain_programmed(self, c);
        }
        for (t = 0; t < chain->types && arc != NULL; ++t) {
            if (arc->to == gms_chain_at_type(self, t)) {
                chain->class[c].type = (int)t;
            }
        }
    }
    for (t = 0; t < chain->types; ++t) {
        size_t at = gms_chain_at_type(self, t);
        const gms_model_arc_t *arc = gms_chain_arc(self, at);

        chain->type[t].mean = model->visit[at].mean;
        chain->type[t].gives =
            (arc != NULL) ? gms_chain_class_index(self, arc->to) : -1;
    }
    return status;
}

/** Find the class whose messages visit the engine a second time. */
static gms_model_status_t gms_chain_find_return(gms_chain_nic_t *self)
{
    gms_chain_t *chain = &self->chain;
    unsigned c, t;

    for (t = 0; t < chain->types; ++t) {
        int again = chain->type[t].gives;

        for (c = 0; again >= 0 && c < chain->classes; ++c) {
            if (chain->class[c].type != (int)t ||
                chain->class[again].type < 0) {
                continue;
            }
            if (chain->origin >= 0 || !(chain->class[c].rate > 0)) {
                return gms_chain_refuse(
                    self, self->engine,
                    "at most one class may visit this station twice, and no "
                    "class may visit it three times");
            }
            chain->origin = (int)c;
            chain->again = again;
        }
    }
    return GMS_MODEL_OK;
}

/* ---- slots ---- */

static double gms_chain_rounding_of(double slots)
{
    double rest = slots - floor(slots);

    return (slots > 1) ? rest * (1 - rest) : 0;
}

/** Return the total variance, in squared slots, that rounding adds to the
 *  times. */
static double gms_chain_rounding(const gms_chain_nic_t *self, double slot)
{
    const gms_chain_t *chain = &self->chain;
    double sum = 0;
    unsigned i;

    for (i = 0; i < chain->classes; ++i) {
        sum += gms_chain_rounding_of(chain->class[i].mean / slot) +
               gms_chain_rounding_of(self->hold[i] / slot);
    }
    for (i = 0; i < chain->types; ++i) {
        sum += gms_chain_rounding_of(chain->type[i].mean / slot);
    }
    return sum;
}

/** Choose the slot length for which the rounding errors of the times are
 *  smallest. */
static void gms_chain_choose_slot(gms_chain_nic_t *self)
{
    gms_chain_t *chain = &self->chain;
    double all = 0, longest, best = (double)INFINITY;
    unsigned i;

    for (i = 0; i < chain->classes; ++i) {
        all += chain->class[i].mean + self->hold[i];
    }
    for (i = 0; i < chain->types; ++i) {
        all += chain->type[i].mean;
    }
    longest = all / (self->is_fast ? GMS_CHAIN_SLOTS_FAST : GMS_CHAIN_SLOTS);
    for (i = 0; i < GMS_CHAIN_GRIDS; ++i) {
        double slot = longest * (1 - 0.25 * i / GMS_CHAIN_GRIDS);
        double sum = gms_chain_rounding(self, slot);

        if (sum < best) {
            best = sum;
            chain->slot = slot;
        }
    }
}

/* ---- waits at the engine ---- */

/** Return the total service time that the engine will still spend on a message
 *  that is now in class c at the processor. */
static double gms_chain_brings(const gms_chain_t *chain, int c)
{
    double work = 0;

    while (c >= 0) {
        int type = chain->class[c].type;

        work += (type >= 0) ? chain->type[type].mean : 0;
        c = (type >= 0)                  ? chain->type[type].gives
            : (chain->class[c].hold > 0) ? chain->class[c].freed
                                         : -1;
    }
    return work;
}

/** Compute the two terms of equation (b): wait of the second visit = factor *
 *  wait of the first visit + rest. Messages of other classes are assumed to
 *  arrive at their mean rate. */
static void gms_chain_second_visit(const gms_chain_nic_t *self, double *factor,
                                   double *rest)
{
    const gms_chain_t *chain = &self->chain;
    const gms_chain_values_t *values = &self->values;
    int origin = chain->origin, again = chain->again;
    double rate = chain->class[origin].rate;
    double stay = values->number[again] / rate;
    double first = chain->type[chain->class[origin].type].mean;
    double second = chain->type[chain->class[again].type].mean;
    unsigned t;

    *factor = rate * (first + second);
    *rest = first * (rate * (first + stay) + values->number[origin] -
                     values->origin_left) +
            second * (rate * first + values->number[origin] -
                      values->origin_end + values->again_left) -
            (values->number[again] - values->idle[again]) / rate;
    for (t = 0; t < chain->types; ++t) {
        double load = self->result->visit[gms_chain_at_type(self, t)].rate *
                      chain->type[t].mean;

        if (chain->class[origin].type != (int)t &&
            chain->class[again].type != (int)t) {
            *factor += load;
            *rest += load * (first + stay);
        }
    }
}

/** Solve equations (a) and (b). The wait of any other type is the wait of the
 *  first type plus the difference between the amounts of work that the two
 *  types find in the chain. */
static void gms_chain_engine_waits(gms_chain_nic_t *self,
                                   double wait[GMS_CHAIN_TYPES])
{
    const gms_chain_t *chain = &self->chain;
    const gms_chain_values_t *values = &self->values;
    double factor[GMS_CHAIN_TYPES], rest[GMS_CHAIN_TYPES];
    double load = 0, total = 0, slope = 0, base = 0;
    int first = (chain->origin >= 0) ? chain->class[chain->origin].type : 0;
    unsigned c, t;

    for (c = 0; c < chain->classes; ++c) {
        double brings = gms_chain_brings(chain, (int)c);

        total += chain->class[c].rate * brings * brings / 2 +
                 values->idle[c] * brings;
        base += values->number[c] * brings;
        if (chain->class[c].hold > 0 && chain->class[c].freed >= 0) {
            /* while the checked station is busy, one message is in service
             * there */
            total += values->hold_idle * brings;
            base += values->hold_busy * brings;
        }
    }
    for (t = 0; t < chain->types; ++t) {
        double rate = self->result->visit[gms_chain_at_type(self, t)].rate;
        double mean = chain->type[t].mean;
        double after = gms_chain_brings(chain, chain->type[t].gives);

        load += rate * mean;
        factor[t] = 1;
        rest[t] = values->work[t] - values->work[first];
        if (chain->again >= 0 && chain->class[chain->again].type == (int)t) {
            gms_chain_second_visit(self, &factor[t], &rest[t]);
        }
        base +=
            rate * mean * (mean / 2 + after) + rate * rest[t] * (mean + after);
        slope += rate * factor[t] * (mean + after);
    }
    total = (total / (1 - load) - base) / slope;
    for (t = 0; t < chain->types; ++t) {
        wait[t] = fmax(0, factor[t] * total + rest[t]);
    }
}

/* ---- results ---- */

static void gms_chain_store(gms_chain_nic_t *self)
{
    double wait[GMS_CHAIN_TYPES];
    unsigned c, t;

    for (c = 0; c < self->chain.classes; ++c) {
        gms_model_at_visit_t *visit =
            &self->result->visit[gms_chain_at_class(self, c)];

        visit->wait = (self->chain.discipline == GMS_MODEL_FCFS)
                          ? self->values.work_seen[c]
                          : self->values.queue[c] / visit->rate;
    }
    gms_chain_engine_waits(self, wait);
    for (t = 0; t < self->chain.types; ++t) {
        self->result->visit[gms_chain_at_type(self, t)].wait = wait[t];
    }
}

/** Store the values of the station that class c programs. */
static void gms_chain_store_check(gms_chain_nic_t *self, unsigned c)
{
    gms_model_at_visit_t *visit =
        &self->result->visit[gms_chain_at_class(self, c)];
    gms_model_at_station_t *station = &self->result->station[self->processor];
    const gms_chain_values_t *values = &self->values;

    visit->wait = values->queue[c] / visit->rate;
    visit->held = values->waiting / visit->rate;
    visit->present = values->held_idle / (1 - values->hold_busy);
    visit->utilisation += values->waiting;
    station->waiting_share += values->waiting;
    station->utilisation += values->waiting;
}

/** Return the smallest limit on waiting messages, from `least' to `most', that
 *  only a few messages exceed. In a queue with geometric length and this load,
 *  the messages beyond limit n account for the fraction load^n of the mean
 *  queue. */
static unsigned gms_chain_most(double load, unsigned least, unsigned most)
{
    unsigned n = least;

    while (n < most && pow(load, n) > GMS_CHAIN_LOST) {
        ++n;
    }
    return n;
}

/** Set the limits for a chain that contains one programmed station or none. */
static void gms_chain_limit_one(gms_chain_nic_t *self)
{
    gms_chain_t *chain = &self->chain;
    unsigned c;

    chain->known = self->is_fast ? 2 : 3;
    chain->pattern = self->is_fast ? 5 : 7;
    chain->is_whole = !self->is_fast;
    for (c = 0; c < chain->classes; ++c) {
        double rate = self->result->visit[gms_chain_at_class(self, c)].rate;
        double load = rate * (chain->class[c].mean + self->hold[c]);

        chain->class[c].most = (chain->class[c].rate > 0) ? 4 : 2;
        if (self->hold[c] > 0 && !self->is_fast) {
            chain->class[c].most = gms_chain_most(load, 2, GMS_CHAIN_MOST_HELD);
        }
    }
}

/** Limit the number of states: set the queue lengths at which the geometric
 *  tails begin. */
static void gms_chain_limit(gms_chain_nic_t *self)
{
    gms_chain_t *chain = &self->chain;
    unsigned c;

    if (self->checks <= 1) {
        gms_chain_limit_one(self);
        return;
    }
    chain->known = 2;
    chain->pattern = self->is_fast ? 4 : 5;
    chain->total =
        gms_chain_most(self->result->station[self->processor].utilisation, 2,
                       self->is_fast ? 2 : GMS_CHAIN_MOST_TOTAL);
    for (c = 0; c < chain->classes; ++c) {
        chain->class[c].most = chain->total;
    }
}

/** Return 1 if class c programs a station that sends messages back. */
static int gms_chain_is_back(const gms_chain_nic_t *self, unsigned c)
{
    return self->hold[c] > 0 && self->chain.class[c].freed >= 0;
}

/** Solve the chain that contains the station programmed by class c. */
static gms_model_status_t gms_chain_solve_class(gms_chain_nic_t *self,
                                                unsigned c)
{
    gms_chain_t *chain = &self->chain;
    gms_chain_class_t *back = gms_chain_is_back(self, c)
                                  ? &chain->class[chain->class[c].freed]
                                  : NULL;
    double rate = (back != NULL) ? back->rate : 0;
    gms_model_status_t status = GMS_MODEL_OK;
    unsigned d;

    for (d = 0; d < chain->classes; ++d) {
        chain->class[d].hold = (d == c) ? self->hold[c] : 0;
    }
    if (back != NULL) {
        /* No messages arrive at random times, because the programmed station
         * sends all of them. */
        back->rate = 0;
    }
    /* If there are several chains, their simpler chains are equal, because a
     * simpler chain contains no programmed station. */
    if (self->pattern == NULL) {
        status = gms_chain_find_pattern(chain, &self->pattern);
    }
    if (status == GMS_MODEL_OK) {
        status = gms_chain_solve(chain, self->pattern, &self->values);
    }
    if (status == GMS_MODEL_OK && !self->is_stored) {
        self->is_stored = 1;
        gms_chain_store(self);
    }
    if (status == GMS_MODEL_OK && self->hold[c] > 0) {
        gms_chain_store_check(self, c);
    }
    if (back != NULL) {
        back->rate = rate;
    }
    return status;
}

/** Solve the chain once for each class that programs a station, or only once if
 *  there is no such class. The first chain determines the values of the other
 *  classes and of the engine. This chain contains the station that sends
 *  messages back to the processor, because these messages continue to the
 *  engine. */
static gms_model_status_t gms_chain_solve_all(gms_chain_nic_t *self)
{
    gms_model_status_t status = GMS_MODEL_OK;
    unsigned c, is_back;

    gms_chain_limit(self);
    if (self->checks == 0) {
        return gms_chain_solve_class(self, 0);
    }
    for (is_back = 2; is_back-- > 0;) {
        for (c = 0; c < self->chain.classes && status == GMS_MODEL_OK; ++c) {
            if (self->hold[c] > 0 &&
                gms_chain_is_back(self, c) == (int)is_back) {
                status = gms_chain_solve_class(self, c);
            }
        }
    }
    return status;
}

gms_model_status_t gms_model_chain(const gms_model_t *model,
                                   gms_model_method_t method,
                                   gms_model_result_t *result,
                                   char error[GMS_MODEL_ERROR_LEN])
{
    gms_chain_nic_t self = {.model = model,
                            .result = result,
                            .error = error,
                            .is_fast = (method == GMS_MODEL_CHAIN_FAST)};
    gms_model_status_t status;

    gms_chain_find_processor(&self);
    status = gms_chain_find_engine(&self);
    if (status == GMS_MODEL_OK) {
        status = gms_chain_list(&self);
    }
    if (status == GMS_MODEL_OK) {
        status = gms_chain_describe(&self);
    }
    if (status == GMS_MODEL_OK) {
        status = gms_chain_find_return(&self);
    }
    if (status == GMS_MODEL_OK) {
        gms_chain_choose_slot(&self);
        status = gms_chain_solve_all(&self);
    }
    free(self.pattern);
    return status;
}
