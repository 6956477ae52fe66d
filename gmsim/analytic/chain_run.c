/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the stationary distribution of a chain in rounds. A round follows
 * the probabilities of the states, slot by slot, from the start to the end of a
 * service of the DMA engine. A round does this for each type of message that
 * the DMA engine serves, and for the time in which this engine is idle. The
 * previous round determines the flows into these services and into the idle
 * time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analytic/chain_int.h"

#define GMS_CHAIN_ROUNDS 600u
/* number of idle slots per round if the engine were always busy */
#define GMS_CHAIN_IDLE_SLOTS 30u
/* number of additional idle slots if the engine were always idle */
#define GMS_CHAIN_IDLE_MORE 300u
#define GMS_CHAIN_CHANGE    1e-5
#define GMS_CHAIN_LONGEST   0.98 /* largest parameter of a tail */
/* length of the simpler chain's slots, in slots of the full chain */
#define GMS_CHAIN_COARSE 3
/* queue length at which the simpler chain's tails begin */
#define GMS_CHAIN_COARSE_MOST 2u
/* largest fraction of a slot's flow that may be neglected in one row of a
 * vector */
#define GMS_CHAIN_NOTHING 1e-11

/* ---- a round ---- */

static void gms_chain_occupy(gms_chain_run_t *self)
{
    uint32_t s;

    for (s = 0; s < self->states->states; ++s) {
        self->occupied[s] +=
            self->chain->slot *
            gms_chain_sum(self->now.p + (size_t)s * self->width,
                          self->now.size[s]);
    }
}

/** Return the probability that the duration of the engine's service is rounded
 *  down to `low' slots. If two services begin together, the same random number
 *  decides whether their durations are rounded up. This rule preserves the
 *  order in which the services end. */
static double gms_chain_low(const gms_chain_run_t *self, uint32_t s,
                            unsigned low, double part)
{
    const gms_chain_state_t *state = &self->states->state[s];
    unsigned slots[2];
    double other[2];

    if (state->twin == 0 ||
        gms_chain_slots(self->chain, self->chain->class[state->server].mean, 0,
                        slots, other) != 2 ||
        slots[0] != low) {
        return part;
    }
    return (state->twin == 1) ? fmin(part, other[0]) / other[0]
                              : fmax(0, part - other[0]) / other[1];
}

/** The services of the engine that are rounded down to `low' slots end now. Move
 *  them to another vector. */
static void gms_chain_split(gms_chain_run_t *self, unsigned low, double part)
{
    uint32_t s, g;

    gms_chain_vector_clear(self, &self->fourth);
    for (s = 0; s < self->states->states; ++s) {
        double share = gms_chain_low(self, s, low, part);
        double *row = self->now.p + (size_t)s * self->width;

        gms_chain_vector_add(self, &self->fourth, &self->now, s, share);
        for (g = 0; g < self->now.size[s]; ++g) {
            row[g] *= 1 - share;
        }
    }
}

static void gms_chain_serve(gms_chain_run_t *self, unsigned t)
{
    const gms_chain_t *chain = self->chain;
    unsigned slots[2], parts, k;
    uint32_t s;
    double part[2];

    parts = gms_chain_slots(chain, chain->type[t].mean, 1, slots, part);
    gms_chain_vector_clear(self, &self->now);
    for (s = 0; s < self->states->states; ++s) {
        gms_chain_vector_add(self, &self->now, &self->start[t], s, 1);
    }
    for (k = 1; k <= slots[parts - 1]; ++k) {
        gms_chain_occupy(self);
        self->remaining =
            fmax(0, chain->type[t].mean - (double)k * chain->slot);
        gms_chain_slot(self);
        if (k == slots[parts - 1]) {
            gms_chain_complete(self, t, &self->now);
            break;
        }
        if (k == slots[0]) {
            gms_chain_split(self, slots[0], part[0]);
            gms_chain_complete(self, t, &self->fourth);
        }
        gms_chain_end(self, &self->now);
    }
    self->remaining = 0;
}

/** Advance the probabilities through slots in which the engine is idle. @param
 *  [in] busy utilisation of the engine */
static void gms_chain_rest(gms_chain_run_t *self, double busy)
{
    size_t n = self->states->states, i;
    /* if the engine seldom sends messages to the processor, the processor needs
     * more slots to reach its steady state */
    unsigned slots = GMS_CHAIN_IDLE_SLOTS +
                     (unsigned)(GMS_CHAIN_IDLE_MORE * (1 - busy) * (1 - busy));
    unsigned k, t;
    double all;

    for (t = 0; t < self->chain->types; ++t) {
        gms_chain_vector_clear(self, &self->next[t]);
    }
    memset(self->sent, 0, sizeof(self->sent));
    memset(self->work, 0, sizeof(self->work));
    memset(self->popped, 0, sizeof(self->popped));
    memset(self->onset, 0, sizeof(self->onset));
    memset(self->engine_pushed, 0, sizeof(self->engine_pushed));
    self->again_left = self->origin_left = 0;
    for (k = 1; k <= slots; ++k) {
        /* count only the flows of the last slot */
        self->is_counting = (k == slots);
        memset(self->idle_then, 0, n * sizeof(double));
        for (i = 0; i < n; ++i) {
            gms_chain_follow_idle(self, &self->states->slot, (uint32_t)i,
                                  self->idle[i] / self->chain->slot,
                                  self->idle_then);
        }
        gms_chain_end_idle(self, self->idle_then);
        for (i = 0; i < n; ++i) {
            self->idle[i] =
                self->chain->slot * (self->idle_then[i] + self->idle_in[i]);
        }
    }
    all = gms_chain_sum(self->idle, n);
    for (i = 0; i < n; ++i) {
        self->idle[i] *= (all > 0) ? (1 - busy) / all : 0;
    }
}

static void gms_chain_weigh(gms_chain_run_t *self, gms_chain_table_t *table)
{
    uint32_t i;
    unsigned c;

    for (i = 0; i < table->steps; ++i) {
        gms_chain_step_t *step = &table->step[i];

        step->p = (double)step->base *
                  ((step->memory != 0) ? self->memory[step->memory] : 1);
        for (c = 0; (step->tail_on | step->tail_off) >> c != 0; ++c) {
            step->p *= (step->tail_on >> c & 1)    ? self->tail[c]
                       : (step->tail_off >> c & 1) ? 1 - self->tail[c]
                                                   : 1;
        }
    }
}

static void gms_chain_weigh_all(gms_chain_run_t *self)
{
    unsigned t;

    gms_chain_weigh(self, &self->states->slot);
    gms_chain_weigh(self, &self->states->end);
    gms_chain_weigh(self, &self->states->end_idle);
    for (t = 0; t < self->chain->types; ++t) {
        gms_chain_weigh(self, &self->states->arrive[t]);
    }
}

/** Set the parameters of the tail of the engine's queue. */
static void gms_chain_adjust_engine(gms_chain_run_t *self)
{
    unsigned types = self->chain->types, t;
    double all = gms_chain_sum(self->engine_pushed, types);

    if (all > 0 && self->engine_popped > 0) {
        self->engine_tail = fmin(GMS_CHAIN_LONGEST, all / self->engine_popped);
        for (t = 0; t < types; ++t) {
            self->mix[t] = self->engine_pushed[t] / all;
            if (self->offered[t] > 0) {
                self->scale[t] = self->engine_pushed[t] / self->offered[t];
            }
        }
    }
}

/** Set the parameters of the tails, and the probabilities of the memories, from
 *  the flows of the round. */
static void gms_chain_adjust(gms_chain_run_t *self)
{
    const gms_chain_t *chain = self->chain;
    double all = 0;
    unsigned c, k;
    uint32_t s;

    for (s = 0; s < self->states->states; ++s) {
        const gms_chain_state_t *state = &self->states->state[s];

        for (c = 0; c < chain->classes; ++c) {
            if (chain->class[c].rate > 0 &&
                state->queue[c] == chain->class[c].most &&
                (state->server != GMS_CHAIN_IDLE || chain->class[c].hold > 0)) {
                self->pushed[c] +=
                    (self->occupied[s] + self->occupied_idle[s]) *
                    chain->class[c].rate;
            }
        }
    }
    for (c = 0; c < chain->classes; ++c) {
        if (self->popped[c] > 0) {
            /* use the mean of the old and the new value, because the tail of a
             * nearly saturated queue would otherwise oscillate */
            self->tail[c] =
                (self->tail[c] +
                 fmin(GMS_CHAIN_LONGEST, self->pushed[c] / self->popped[c])) /
                2;
        }
    }
    gms_chain_adjust_engine(self);
    gms_chain_weigh_queue(self);
    for (all = 0, k = 1; k <= self->states->memories; ++k) {
        all += self->onset[k];
    }
    for (k = 1; all > 0 && k <= self->states->memories; ++k) {
        self->memory[k] = self->onset[k] / all;
    }
    gms_chain_weigh_all(self);
}

/** Scale a vector so that the sum of its entries is `rate'. */
static void gms_chain_normalise(const gms_chain_run_t *self,
                                gms_chain_vector_t *v, double rate)
{
    double all = 0;
    uint32_t s, g;

    for (s = 0; s < self->states->states; ++s) {
        all += gms_chain_sum(v->p + (size_t)s * self->width, v->size[s]);
    }
    for (s = 0; s < self->states->states && all > 0; ++s) {
        double *row = v->p + (size_t)s * self->width;

        for (g = 0; g < v->size[s]; ++g) {
            row[g] *= rate / all;
        }
    }
}

static void gms_chain_round(gms_chain_run_t *self, double busy)
{
    const gms_chain_t *chain = self->chain;
    size_t n = self->states->states;
    unsigned t;
    double *swap;

    memset(self->pushed, 0, sizeof(self->pushed));
    memset(self->arrived, 0, sizeof(self->arrived));
    memset(self->work_seen, 0, sizeof(self->work_seen));
    memset(self->idle_next, 0, n * sizeof(double));
    memset(self->occupied, 0, n * sizeof(double));
    memset(self->offered, 0, sizeof(self->offered));
    memset(self->picked, 0,
           GMS_CHAIN_PHASES * chain->types * self->width * sizeof(double));
    self->engine_popped = self->origin_end = 0;
    gms_chain_rest(self, busy);
    memcpy(self->occupied_idle, self->idle, n * sizeof(double));
    for (t = 0; t < chain->types; ++t) {
        gms_chain_serve(self, t);
    }
    for (t = 0; t < chain->types; ++t) {
        gms_chain_vector_t start = self->start[t];

        gms_chain_normalise(self, &self->next[t], self->rate[t]);
        self->start[t] = self->next[t];
        self->next[t] = start;
    }
    swap = self->idle_in;
    self->idle_in = self->idle_next;
    self->idle_next = swap;
    gms_chain_adjust(self);
}

/* ---- memory ---- */

static void gms_chain_run_release(gms_chain_run_t *self)
{
    unsigned t;

    for (t = 0; t < GMS_CHAIN_TYPES; ++t) {
        gms_chain_vector_destroy(&self->start[t]);
        gms_chain_vector_destroy(&self->next[t]);
    }
    free(self->append);
    free(self->queued_work);
    free(self->picked);
    gms_chain_vector_destroy(&self->now);
    gms_chain_vector_destroy(&self->then);
    gms_chain_vector_destroy(&self->second);
    gms_chain_vector_destroy(&self->third);
    gms_chain_vector_destroy(&self->fourth);
    free(self->part);
    free(self->appended[0]);
    free(self->appended[1]);
    free(self->idle);
    free(self->idle_then);
    free(self->idle_in);
    free(self->idle_next);
    free(self->occupied);
    free(self->occupied_idle);
    free(self->ending);
}

static int gms_chain_run_reserve(gms_chain_run_t *self)
{
    size_t states = self->states->states;
    unsigned t;
    int is_ok;

    if (!gms_chain_combine(self)) {
        return 0;
    }
    self->part = calloc(self->width, sizeof(double));
    self->appended[0] = calloc(self->width, sizeof(double));
    self->appended[1] = calloc(self->width, sizeof(double));
    self->picked = calloc(self->width, GMS_CHAIN_PHASES * self->chain->types *
                                           sizeof(double));
    self->idle = calloc(states, sizeof(double));
    self->idle_then = calloc(states, sizeof(double));
    self->idle_in = calloc(states, sizeof(double));
    self->idle_next = calloc(states, sizeof(double));
    self->occupied = calloc(states, sizeof(double));
    self->occupied_idle = calloc(states, sizeof(double));
    self->ending = calloc(states, sizeof(*self->ending));
    is_ok = gms_chain_vector_create(self, &self->now) &
            gms_chain_vector_create(self, &self->then) &
            gms_chain_vector_create(self, &self->second) &
            gms_chain_vector_create(self, &self->third) &
            gms_chain_vector_create(self, &self->fourth);
    is_ok = is_ok && self->part && self->appended[0] && self->appended[1] &&
            self->picked && self->idle && self->idle_then && self->idle_in &&
            self->idle_next && self->occupied && self->occupied_idle &&
            self->ending;
    for (t = 0; t < self->chain->types; ++t) {
        is_ok &= gms_chain_vector_create(self, &self->start[t]) &
                 gms_chain_vector_create(self, &self->next[t]);
    }
    return is_ok;
}

/** Set the rates and the initial values of tails and memories. @return
 *  utilisation of the engine */
static double gms_chain_begin_run(gms_chain_run_t *self)
{
    const gms_chain_t *chain = self->chain;
    double rate[GMS_CHAIN_CLASSES], busy = 0;
    unsigned c, t, i, k;
    uint32_t s;

    for (c = 0; c < chain->classes; ++c) {
        rate[c] = chain->class[c].rate;
    }
    for (c = 0; c < chain->classes; ++c) {
        if (chain->class[c].hold > 0 && chain->class[c].freed >= 0) {
            rate[chain->class[c].freed] += chain->class[c].rate;
        }
    }
    /* one pass per type is enough, because no route contains more types */
    for (i = 0; i < chain->types; ++i) {
        for (t = 0; t < chain->types; ++t) {
            self->rate[t] = 0;
            for (c = 0; c < chain->classes; ++c) {
                self->rate[t] += (chain->class[c].type == (int)t) ? rate[c] : 0;
            }
            if (chain->type[t].gives >= 0) {
                rate[chain->type[t].gives] = self->rate[t];
            }
        }
    }
    for (t = 0; t < chain->types; ++t) {
        busy += self->rate[t] * chain->type[t].mean;
        self->mix[t] = 1.0 / chain->types;
        self->scale[t] = 1;
    }
    self->engine_tail = busy * 0.8;
    for (k = 1; k <= self->states->memories; ++k) {
        self->memory[k] = 1.0 / self->states->memories;
    }
    for (s = 0; s < self->states->states; ++s) {
        if (self->states->end.first[s + 1] > self->states->end.first[s]) {
            self->ending[self->endings++] = s;
        }
    }
    self->idle[0] = 1 - busy;
    self->least = GMS_CHAIN_NOTHING * busy / chain->slot;
    gms_chain_weigh_queue(self);
    gms_chain_weigh_all(self);
    return busy;
}

/** Repeat the round until the values no longer change. */
static void gms_chain_iterate(gms_chain_run_t *self)
{
    double busy = gms_chain_begin_run(self);
    double before[GMS_CHAIN_CLASSES + 1] = {0}, change = 1;
    double number[GMS_CHAIN_CLASSES] = {0};
    unsigned round, c;

    for (round = 1; round <= GMS_CHAIN_ROUNDS && change > GMS_CHAIN_CHANGE;
         ++round) {
        gms_chain_round(self, busy);
        gms_chain_results(self, busy);
        for (change = 0, c = 0; c < self->chain->classes; ++c) {
            const gms_chain_values_t *values = self->values;

            change = fmax(change, (fabs(values->idle[c] - before[c]) +
                                   fabs(values->number[c] - number[c])) /
                                      (values->number[c] + 1e-6));
            before[c] = values->idle[c];
            number[c] = values->number[c];
        }
        change =
            fmax(change, fabs(self->engine_tail - before[GMS_CHAIN_CLASSES]));
        before[GMS_CHAIN_CLASSES] = self->engine_tail;
        if (round < 10) {
            change = 1;
        }
    }
    self->values->rounds = round;
}

/** Compute the probability of each type behind a combination of known types
 *  from the flows of a chain that keeps track of more types. @return NULL if
 *  memory is exhausted */
static double *gms_chain_pattern(const gms_chain_run_t *self, unsigned known)
{
    unsigned types = self->chain->types, combinations = self->end[known];
    unsigned rows = GMS_CHAIN_PHASES * types;
    double *pattern =
        calloc((size_t)rows * combinations * types, sizeof(*pattern));
    double *all = calloc((size_t)rows * combinations, sizeof(*all));
    unsigned u, g, t;

    for (u = 0; u < rows && pattern != NULL && all != NULL; ++u) {
        for (g = 1; g < self->end[self->chain->known]; ++g) {
            double flow = self->picked[u * self->width + g];
            unsigned at = g, next = types;

            if (self->length[g] < known) {
                continue;
            }
            while (self->length[at] > known) {
                next = self->last[at];
                at = self->front[at];
            }
            all[u * combinations + at] += flow;
            if (next < types) {
                pattern[(u * combinations + at) * types + next] += flow;
            }
        }
        for (g = 0; g < combinations * types; ++g) {
            double sum = all[u * combinations + g / types];

            t = u * combinations * types + g;
            pattern[t] = (sum > 0) ? pattern[t] / sum : 0;
        }
    }
    free(all);
    return (all != NULL) ? pattern : NULL;
}

static gms_model_status_t gms_chain_solve_one(const gms_chain_t *chain,
                                              const double *pattern,
                                              unsigned pattern_known,
                                              gms_chain_values_t *values,
                                              double **pattern_p)
{
    gms_chain_states_t states;
    gms_chain_run_t self = {.chain = chain,
                            .states = &states,
                            .values = values,
                            .pattern = pattern};
    gms_model_status_t status = gms_chain_states_create(chain, &states);

    if (status == GMS_MODEL_OK && !gms_chain_run_reserve(&self)) {
        status = GMS_MODEL_NO_MEMORY;
    }
    if (status == GMS_MODEL_OK) {
        gms_chain_iterate(&self);
        if (pattern_p != NULL) {
            *pattern_p = gms_chain_pattern(&self, pattern_known);
            status = (*pattern_p != NULL) ? GMS_MODEL_OK : GMS_MODEL_NO_MEMORY;
        }
    }
    gms_chain_run_release(&self);
    gms_chain_states_destroy(&states);
    return status;
}

/** Lengthen the slots of the simpler chain and shorten its queues. */
static void gms_chain_coarsen(gms_chain_t *simple)
{
    unsigned c;

    simple->slot *= GMS_CHAIN_COARSE;
    for (c = 0; c < simple->classes; ++c) {
        simple->class[c].most = GMS_CHAIN_COARSE_MOST;
    }
}

/** Remove the messages that do not go to the engine from the simpler chain. */
static void gms_chain_omit(const gms_chain_t *chain, gms_chain_t *simple)
{
    unsigned c, t;

    for (c = 0; c < chain->classes; ++c) {
        if (chain->class[c].hold > 0 && chain->class[c].freed >= 0) {
            simple->class[chain->class[c].freed].rate += chain->class[c].rate;
        }
        if (chain->class[c].type < 0) {
            simple->class[c].rate = simple->class[c].hold = 0;
            for (t = 0; t < chain->types; ++t) {
                if (simple->type[t].gives == (int)c) {
                    simple->type[t].gives = -1;
                }
            }
        }
    }
}

gms_model_status_t gms_chain_find_pattern(const gms_chain_t *chain,
                                          double **pattern)
{
    gms_chain_t simple = *chain;
    gms_chain_values_t values;

    *pattern = NULL;
    if (chain->pattern <= chain->known) {
        return GMS_MODEL_OK;
    }
    simple.known = chain->pattern;
    if (chain->is_whole) {
        gms_chain_coarsen(&simple);
    } else {
        gms_chain_omit(chain, &simple);
    }
    return gms_chain_solve_one(&simple, NULL, chain->known, &values, pattern);
}

gms_model_status_t gms_chain_solve(const gms_chain_t *chain,
                                   const double *pattern,
                                   gms_chain_values_t *values)
{
    return gms_chain_solve_one(chain, pattern, 0, values, NULL);
}
