/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the stationary distribution of a chain in rounds. A round follows the
 * probabilities of the states through all slots of each type of service of the
 * engine, and through the idle time of the engine. The flows into these
 * services and into the idle time are results of the previous round.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analytic/chain_int.h"

#define GMS_CHAIN_ROUNDS 600u
/* idle slots per round if the engine is always busy */
#define GMS_CHAIN_IDLE_SLOTS 30u
/* additional idle slots if the engine is always idle */
#define GMS_CHAIN_IDLE_MORE 300u
#define GMS_CHAIN_CHANGE    2e-6
#define GMS_CHAIN_LONGEST   0.98  /* largest parameter of a tail */
#define GMS_CHAIN_SENT      13u   /* limit of the messages sent in one slot */
#define GMS_CHAIN_NOTHING   1e-15 /* largest flow that may be neglected */

/* ---- the engine's queue ---- */

/** Enumerate the combinations of types in the engine's queue, by length. */
static int gms_chain_combine(gms_chain_run_t *self)
{
    unsigned types = self->chain->types, known = self->chain->known;
    unsigned length, begin = 0, end = 1, at, t, i, all = 1, size = 1;

    for (length = 1; length <= known; ++length) {
        size *= types;
        all += size;
    }
    self->waiting = all;
    self->append = calloc((size_t)all * (types + 3), sizeof(unsigned));
    if (self->append == NULL) {
        return 0;
    }
    self->first = self->append + (size_t)all * types;
    self->rest = self->first + all;
    self->length = self->rest + all;
    for (length = 1; length <= known; ++length) {
        for (i = begin, at = end; i < end; ++i) {
            for (t = 0; t < types; ++t, ++at) {
                self->append[i * types + t] = at;
                self->length[at] = length;
                self->first[at] = (length == 1) ? t : self->first[i];
                self->rest[at] =
                    (length == 1) ? 0 : self->append[self->rest[i] * types + t];
            }
        }
        begin = end;
        end = at;
    }
    /* if the known part is full, one more message joins the tail */
    for (i = begin; i < end; ++i) {
        for (t = 0; t < types; ++t) {
            self->append[i * types + t] = i;
        }
    }
    return 1;
}

/** Return the mean service time of all messages that wait for the engine. */
static double gms_chain_waiting_work(const gms_chain_run_t *self, unsigned g)
{
    const gms_chain_t *chain = self->chain;
    double work = 0, mean = 0;
    unsigned i = g, t;

    while (self->length[i] > 0) {
        work += chain->type[self->first[i]].mean;
        i = self->rest[i];
    }
    if (self->length[g] == chain->known) {
        for (t = 0; t < chain->types; ++t) {
            mean += self->mix[t] * chain->type[t].mean;
        }
        work += gms_chain_tail_mean(self->engine_tail) * mean;
    }
    return work;
}

/* ---- transitions ---- */

static unsigned gms_chain_sent(const gms_chain_run_t *self, unsigned sent,
                               unsigned list[GMS_CHAIN_SENT])
{
    unsigned base = self->chain->types + 1, count = 0, i, x;

    for (x = sent; x > 0 && count < GMS_CHAIN_SENT; x /= base) {
        ++count;
    }
    for (i = count, x = sent; i-- > 0; x /= base) {
        list[i] = x % base - 1;
    }
    return count;
}

/** Count the flow p along a transition. */
static void gms_chain_count(gms_chain_run_t *self, const gms_chain_step_t *step,
                            double p)
{
    unsigned c;

    for (c = 0; (step->tail_on | step->tail_off) >> c != 0; ++c) {
        self->popped[c] += p * ((step->tail_on >> c | step->tail_off >> c) & 1);
    }
    self->onset[step->onset] += p;
    self->again_left += p * (double)step->again_left;
    self->origin_left += p * (double)step->origin_left;
}

/** Follow a transition while the engine serves a message. */
static void gms_chain_go(gms_chain_run_t *self, const gms_chain_step_t *step,
                         const double *from, double *to)
{
    unsigned waiting = self->waiting, types = self->chain->types, g, i, count;
    unsigned list[GMS_CHAIN_SENT];
    double *row = to + (size_t)step->to * waiting, p = step->p;

    if (step->sent == 0) {
        for (g = 0; g < waiting; ++g) {
            row[g] += p * from[g];
        }
        return;
    }
    count = gms_chain_sent(self, step->sent, list);
    for (g = 0; g < waiting; ++g) {
        unsigned at = g;

        for (i = 0; i < count; ++i) {
            double flow = p * from[g];

            self->sent[list[i]] += flow;
            self->work[list[i]] +=
                flow * (self->remaining + gms_chain_waiting_work(self, at));
            if (self->length[at] == self->chain->known) {
                self->engine_pushed[list[i]] += flow;
            }
            at = self->append[at * types + list[i]];
        }
        row[at] += p * from[g];
    }
}

/** Follow a transition while the engine is idle. */
static void gms_chain_go_idle(gms_chain_run_t *self,
                              const gms_chain_step_t *step, double from,
                              double *to)
{
    unsigned types = self->chain->types, list[GMS_CHAIN_SENT], count, i;
    unsigned at = 0;
    double p = step->p * from, work;

    if (step->sent == 0) {
        to[step->to] += p;
        return;
    }
    count = gms_chain_sent(self, step->sent, list);
    work = 0;
    for (i = 0; i < count; ++i) {
        self->sent[list[i]] += p;
        self->work[list[i]] += p * work;
        work += self->chain->type[list[i]].mean;
        if (i > 0) {
            if (self->length[at] == self->chain->known) {
                self->engine_pushed[list[i]] += p;
            }
            at = self->append[at * types + list[i]];
        }
    }
    self->next[list[0]][(size_t)step->to * self->waiting + at] += p;
}

static double gms_chain_sum(const double *v, size_t n)
{
    double sum = 0;
    size_t i;

    for (i = 0; i < n; ++i) {
        sum += v[i];
    }
    return sum;
}

/** Follow the transitions of a table from state s. */
static void gms_chain_follow(gms_chain_run_t *self,
                             const gms_chain_table_t *table, uint32_t s,
                             const double *from, double *to)
{
    uint32_t i;
    double all = gms_chain_sum(from, self->waiting);

    if (!(all > GMS_CHAIN_NOTHING)) {
        return;
    }
    for (i = table->first[s]; i < table->first[s + 1]; ++i) {
        const gms_chain_step_t *step = &table->step[i];

        if (step->onset | step->tail_on | step->tail_off ||
            step->again_left + step->origin_left > 0) {
            gms_chain_count(self, step, all * step->p);
        }
        gms_chain_go(self, step, from, to);
    }
}

static void gms_chain_follow_idle(gms_chain_run_t *self,
                                  const gms_chain_table_t *table, uint32_t s,
                                  double from, double *to)
{
    uint32_t i;

    for (i = table->first[s]; i < table->first[s + 1]; ++i) {
        gms_chain_count(self, &table->step[i], from * table->step[i].p);
        gms_chain_go_idle(self, &table->step[i], from, to);
    }
}

/** End and begin services at the processor at the end of a slot. */
static void gms_chain_end(gms_chain_run_t *self, double *v)
{
    unsigned waiting = self->waiting;
    double *from = self->part;
    uint32_t i;

    for (i = 0; i < self->endings; ++i) {
        uint32_t s = self->ending[i];
        double *row = v + (size_t)s * waiting;

        memcpy(from, row, waiting * sizeof(*row));
        memset(row, 0, waiting * sizeof(*row));
        gms_chain_follow(self, &self->states->end, s, from, v);
    }
}

static void gms_chain_end_idle(gms_chain_run_t *self, double *v)
{
    uint32_t i;

    for (i = 0; i < self->endings; ++i) {
        uint32_t s = self->ending[i];
        double from = v[s];

        v[s] = 0;
        gms_chain_follow_idle(self, &self->states->end_idle, s, from, v);
    }
}

/* ---- ends of services of the engine ---- */

/** Deliver the result of a service of type t. */
static void gms_chain_deliver(gms_chain_run_t *self, unsigned t,
                              const double *v, double *to)
{
    const gms_chain_t *chain = self->chain;
    unsigned waiting = self->waiting;
    int c = chain->type[t].gives;
    uint32_t s;

    memset(to, 0, (size_t)self->states->states * waiting * sizeof(*to));
    for (s = 0; s < self->states->states; ++s) {
        const double *from = v + (size_t)s * waiting;
        double all = gms_chain_sum(from, waiting);

        if (!(all > 0)) {
            continue;
        }
        if (c >= 0) {
            const gms_chain_state_t *state = &self->states->state[s];

            self->arrived[c] += all;
            self->work_seen[c] += all * gms_chain_work(self, s);
            if (state->queue[c] == chain->class[c].most) {
                self->pushed[c] += all;
            }
            if (c == chain->again) {
                self->origin_end +=
                    all * gms_chain_number(self, s, (unsigned)chain->origin);
            }
        }
        gms_chain_follow(self, &self->states->arrive[t], s, from, to);
    }
}

/** Choose the engine's next message. */
static void gms_chain_pick(gms_chain_run_t *self, const double *v)
{
    unsigned waiting = self->waiting, types = self->chain->types, g, t;
    uint32_t s;

    for (s = 0; s < self->states->states; ++s) {
        const double *from = v + (size_t)s * waiting;

        self->idle_next[self->states->alone[s]] += from[0];
        for (g = 1; g < waiting; ++g) {
            double *to = self->next[self->first[g]] + (size_t)s * waiting;
            unsigned rest = self->rest[g];

            if (self->length[g] < self->chain->known) {
                to[rest] += from[g];
                continue;
            }
            self->engine_popped += from[g];
            to[rest] += from[g] * (1 - self->engine_tail);
            for (t = 0; t < types; ++t) {
                to[self->append[rest * types + t]] +=
                    from[g] * self->engine_tail * self->mix[t];
            }
        }
    }
}

/** Return the probability that the processor's service ends before the engine's
 *  service of type t, although both end in the same slot. */
static double gms_chain_before(const gms_chain_run_t *self, unsigned t,
                               uint32_t s)
{
    const gms_chain_state_t *state = &self->states->state[s];

    if (state->server == GMS_CHAIN_IDLE || state->residual > 0 ||
        state->twin == 0) {
        return 0.5;
    }
    return self->chain->class[state->server].mean < self->chain->type[t].mean;
}

/** End a service of type t in all states of v. */
static void gms_chain_complete(gms_chain_run_t *self, unsigned t,
                               const double *v)
{
    size_t waiting = self->waiting, g;
    double *one = self->then, *two = self->part + waiting;
    uint32_t s;

    for (s = 0; s < self->states->states; ++s) {
        double after = 1 - gms_chain_before(self, t, s);

        for (g = s * waiting; g < (s + 1) * waiting; ++g) {
            one[g] = after * v[g];
            two[g] = (1 - after) * v[g];
        }
    }
    gms_chain_end(self, two);
    gms_chain_deliver(self, t, two, self->third);
    gms_chain_pick(self, self->third);
    gms_chain_deliver(self, t, one, two);
    gms_chain_end(self, two);
    gms_chain_pick(self, two);
}

/* ---- a round ---- */

static void gms_chain_slot(gms_chain_run_t *self)
{
    size_t n = (size_t)self->states->states * self->waiting;
    uint32_t s;
    double *swap;

    memset(self->then, 0, n * sizeof(*self->then));
    for (s = 0; s < self->states->states; ++s) {
        gms_chain_follow(self, &self->states->slot, s,
                         self->now + (size_t)s * self->waiting, self->then);
    }
    swap = self->now;
    self->now = self->then;
    self->then = swap;
}

static void gms_chain_occupy(gms_chain_run_t *self)
{
    uint32_t s;

    for (s = 0; s < self->states->states; ++s) {
        self->occupied[s] +=
            self->chain->slot *
            gms_chain_sum(self->now + (size_t)s * self->waiting, self->waiting);
    }
}

/** Return the probability that a service of type t is rounded down to low
 *  slots. If two services began together, the same random number decides
 *  whether they are rounded up. This preserves their order. */
static double gms_chain_low(const gms_chain_run_t *self, unsigned t, uint32_t s,
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
    (void)t;
    return (state->twin == 1) ? fmin(part, other[0]) / other[0]
                              : fmax(0, part - other[0]) / other[1];
}

static void gms_chain_serve(gms_chain_run_t *self, unsigned t)
{
    size_t n = (size_t)self->states->states * self->waiting, i;
    const gms_chain_t *chain = self->chain;
    unsigned slots[2], parts, k;
    double part[2];

    parts = gms_chain_slots(chain, chain->type[t].mean, 1, slots, part);
    memcpy(self->now, self->start[t], n * sizeof(*self->now));
    for (k = 1; k <= slots[parts - 1]; ++k) {
        gms_chain_occupy(self);
        self->remaining =
            fmax(0, chain->type[t].mean - (double)k * chain->slot);
        gms_chain_slot(self);
        if (k == slots[parts - 1]) {
            gms_chain_complete(self, t, self->now);
            break;
        }
        if (k == slots[0]) {
            for (i = 0; i < n; ++i) {
                double low = gms_chain_low(
                    self, t, (uint32_t)(i / self->waiting), slots[0], part[0]);

                self->fourth[i] = low * self->now[i];
                self->now[i] *= 1 - low;
            }
            gms_chain_complete(self, t, self->fourth);
        }
        gms_chain_end(self, self->now);
    }
    self->remaining = 0;
}

/** Follow the idle time of the engine for a number of slots. */
static void gms_chain_rest(gms_chain_run_t *self, double busy)
{
    size_t n = self->states->states, i;
    /* the less often the engine sends messages to the processor, the more slots
     * the processor needs to reach its steady state */
    unsigned slots = GMS_CHAIN_IDLE_SLOTS +
                     (unsigned)(GMS_CHAIN_IDLE_MORE * (1 - busy) * (1 - busy));
    unsigned k, t;
    double all;

    for (k = 0; k < slots; ++k) {
        for (t = 0; t < self->chain->types; ++t) {
            memset(self->next[t], 0, n * self->waiting * sizeof(double));
        }
        memset(self->idle_then, 0, n * sizeof(double));
        memset(self->sent, 0, sizeof(self->sent));
        memset(self->work, 0, sizeof(self->work));
        memset(self->popped, 0, sizeof(self->popped));
        memset(self->onset, 0, sizeof(self->onset));
        memset(self->engine_pushed, 0, sizeof(self->engine_pushed));
        self->again_left = self->origin_left = 0;
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
        }
    }
}

/** Set the parameters of tails and memories from the flows of the round. */
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
            self->tail[c] =
                fmin(GMS_CHAIN_LONGEST, self->pushed[c] / self->popped[c]);
        }
    }
    gms_chain_adjust_engine(self);
    for (all = 0, k = 1; k <= self->states->memories; ++k) {
        all += self->onset[k];
    }
    for (k = 1; all > 0 && k <= self->states->memories; ++k) {
        self->memory[k] = self->onset[k] / all;
    }
    gms_chain_weigh_all(self);
}

static void gms_chain_round(gms_chain_run_t *self, double busy)
{
    const gms_chain_t *chain = self->chain;
    size_t n = self->states->states, i;
    unsigned t;
    double *swap;

    memset(self->pushed, 0, sizeof(self->pushed));
    memset(self->arrived, 0, sizeof(self->arrived));
    memset(self->work_seen, 0, sizeof(self->work_seen));
    memset(self->idle_next, 0, n * sizeof(double));
    memset(self->occupied, 0, n * sizeof(double));
    self->engine_popped = self->origin_end = 0;
    gms_chain_rest(self, busy);
    memcpy(self->occupied_idle, self->idle, n * sizeof(double));
    for (t = 0; t < chain->types; ++t) {
        gms_chain_serve(self, t);
    }
    for (t = 0; t < chain->types; ++t) {
        double all = gms_chain_sum(self->next[t], n * self->waiting);

        for (i = 0; i < n * self->waiting && all > 0; ++i) {
            self->next[t][i] *= self->rate[t] / all;
        }
        swap = self->start[t];
        self->start[t] = self->next[t];
        self->next[t] = swap;
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
        free(self->start[t]);
        free(self->next[t]);
    }
    free(self->append);
    free(self->now);
    free(self->then);
    free(self->third);
    free(self->fourth);
    free(self->part);
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
    size_t states = self->states->states, n;
    unsigned t;
    int is_ok;

    if (!gms_chain_combine(self)) {
        return 0;
    }
    n = states * self->waiting;
    self->now = calloc(n, sizeof(double));
    self->then = calloc(n, sizeof(double));
    self->third = calloc(n, sizeof(double));
    self->fourth = calloc(n, sizeof(double));
    self->part = calloc(n + self->waiting, sizeof(double));
    self->idle = calloc(states, sizeof(double));
    self->idle_then = calloc(states, sizeof(double));
    self->idle_in = calloc(states, sizeof(double));
    self->idle_next = calloc(states, sizeof(double));
    self->occupied = calloc(states, sizeof(double));
    self->occupied_idle = calloc(states, sizeof(double));
    self->ending = calloc(states, sizeof(*self->ending));
    is_ok = self->now && self->then && self->third && self->fourth &&
            self->part && self->idle && self->idle_then && self->idle_in &&
            self->idle_next && self->occupied && self->occupied_idle &&
            self->ending;
    for (t = 0; t < self->chain->types; ++t) {
        self->start[t] = calloc(n, sizeof(double));
        self->next[t] = calloc(n, sizeof(double));
        is_ok = is_ok && self->start[t] && self->next[t];
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
    /* the number of passes is the largest length of a route */
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
    gms_chain_weigh_all(self);
    return busy;
}

gms_model_status_t gms_chain_solve(const gms_chain_t *chain,
                                   gms_chain_values_t *values)
{
    gms_chain_states_t states;
    gms_chain_run_t self = {
        .chain = chain, .states = &states, .values = values};
    gms_model_status_t status = gms_chain_states_create(chain, &states);
    unsigned round, c;

    if (status == GMS_MODEL_OK && !gms_chain_run_reserve(&self)) {
        status = GMS_MODEL_NO_MEMORY;
    }
    if (status == GMS_MODEL_OK) {
        double busy = gms_chain_begin_run(&self);
        double before[GMS_CHAIN_CLASSES + 1] = {0}, change = 1;

        for (round = 1; round <= GMS_CHAIN_ROUNDS && change > GMS_CHAIN_CHANGE;
             ++round) {
            gms_chain_round(&self, busy);
            gms_chain_results(&self, busy);
            for (change = 0, c = 0; c < chain->classes; ++c) {
                change = fmax(change, fabs(values->idle[c] - before[c]) /
                                          (values->number[c] + 1e-6));
                before[c] = values->idle[c];
            }
            change = fmax(change,
                          fabs(self.engine_tail - before[GMS_CHAIN_CLASSES]));
            before[GMS_CHAIN_CLASSES] = self.engine_tail;
            if (round < 10) {
                change = 1;
            }
        }
        values->rounds = round;
    }
    gms_chain_run_release(&self);
    gms_chain_states_destroy(&states);
    return status;
}
