/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Advances the probabilities of a chain along its transitions, and across the
 * ends of the engine's services. A vector has a row for each state of the
 * processor. A row has an entry for each combination of types in the engine's
 * queue, sorted by the length of the queue. Rows are shorter for states in
 * which long queues have a negligible probability.
 */
#include <stdlib.h>
#include <string.h>

#include "analytic/chain_int.h"

/* largest number of messages that are sent in one slot */
#define GMS_CHAIN_SENT 13u

/* four entries of a row; the compiler translates operations on this type into
 * vector instructions */
typedef double gms_chain_four_t
    __attribute__((vector_size(32), aligned(8), may_alias));

/* ---- vectors ---- */

int gms_chain_vector_create(gms_chain_run_t *self, gms_chain_vector_t *v)
{
    v->p = calloc((size_t)self->states->states * self->width, sizeof(*v->p));
    v->size = calloc(self->states->states, sizeof(*v->size));
    return v->p != NULL && v->size != NULL;
}

void gms_chain_vector_destroy(gms_chain_vector_t *v)
{
    free(v->p);
    free(v->size);
}

void gms_chain_vector_clear(const gms_chain_run_t *self, gms_chain_vector_t *v)
{
    memset(v->size, 0, self->states->states * sizeof(*v->size));
}

/** Return the number of entries that the vector instructions read or write if
 *  they process `size' entries. */
static uint32_t gms_chain_padded(uint32_t size)
{
    return (size + 3) / 4 * 4;
}

/** Return a row that has at least size entries. */
static double *gms_chain_row(const gms_chain_run_t *self, gms_chain_vector_t *v,
                             uint32_t s, uint32_t size)
{
    double *row = v->p + (size_t)s * self->width;
    uint32_t old = v->size[s];

    if (old < size) {
        /* set new entries to 0 here and not in gms_chain_vector_clear(),
         * because they are in the cache when they are written next */
        old = gms_chain_padded(old);
        memset(row + old, 0, (gms_chain_padded(size) - old) * sizeof(*row));
        v->size[s] = size;
    }
    return row;
}

/** Multiply a row by p, and add the product to another row. */
static void gms_chain_row_add(double *to, const double *from, uint32_t size,
                              double p)
{
    gms_chain_four_t factor = {p, p, p, p};
    uint32_t g;

    for (g = 0; g < size; g += 4) {
        *(gms_chain_four_t *)(to + g) +=
            factor * *(const gms_chain_four_t *)(from + g);
    }
}

void gms_chain_vector_add(const gms_chain_run_t *self, gms_chain_vector_t *to,
                          const gms_chain_vector_t *from, uint32_t s, double p)
{
    if (p > 0 && from->size[s] > 0) {
        gms_chain_row_add(gms_chain_row(self, to, s, from->size[s]),
                          from->p + (size_t)s * self->width, from->size[s], p);
    }
}

double gms_chain_sum(const double *v, size_t n)
{
    /* four sums, because each addition waits for the previous one of its sum */
    double a = 0, b = 0, c = 0, d = 0;
    size_t i;

    for (i = 0; i + 4 <= n; i += 4) {
        a += v[i];
        b += v[i + 1];
        c += v[i + 2];
        d += v[i + 3];
    }
    for (; i < n; ++i) {
        a += v[i];
    }
    return (a + b) + (c + d);
}

/** Return the sum of the products of two rows. */
static double gms_chain_dot(const double *v, const double *w, uint32_t size)
{
    double a = 0, b = 0, c = 0, d = 0;
    uint32_t g;

    for (g = 0; g < size; g += 4) {
        a += v[g] * w[g];
        b += v[g + 1] * w[g + 1];
        c += v[g + 2] * w[g + 2];
        d += v[g + 3] * w[g + 3];
    }
    return (a + b) + (c + d);
}

/** Return the number of entries in a row, excluding the longest queues, whose
 *  probability is negligible. */
static uint32_t gms_chain_cut(const gms_chain_run_t *self, const double *from,
                              uint32_t size)
{
    unsigned length = self->length[size - 1];

    while (size > 0) {
        uint32_t begin = (length > 0) ? self->end[length - 1] : 0;

        if (gms_chain_sum(from + begin, size - begin) > self->least) {
            break;
        }
        size = begin;
        --length;
    }
    return size;
}

/* ---- the engine's queue ---- */

int gms_chain_combine(gms_chain_run_t *self)
{
    unsigned types = self->chain->types, known = self->chain->known;
    unsigned length, begin = 0, end = 1, at, t, i, all = 1, size = 1;

    self->end[0] = 1;
    for (length = 1; length <= known; ++length) {
        size *= types;
        all += size;
        self->end[length] = all;
    }
    self->width = (all + 3) / 4 * 4;
    self->append = calloc((size_t)self->width * (types + 5), sizeof(unsigned));
    self->queued_work = calloc(self->width, sizeof(double));
    if (self->append == NULL || self->queued_work == NULL) {
        return 0;
    }
    self->first = self->append + (size_t)self->width * types;
    self->rest = self->first + self->width;
    self->length = self->rest + self->width;
    self->last = self->length + self->width;
    self->front = self->last + self->width;
    for (length = 1; length <= known; ++length) {
        for (i = begin, at = end; i < end; ++i) {
            for (t = 0; t < types; ++t, ++at) {
                self->append[i * types + t] = at;
                self->length[at] = length;
                self->last[at] = t;
                self->front[at] = i;
                self->first[at] = (length == 1) ? t : self->first[i];
                self->rest[at] =
                    (length == 1) ? 0 : self->append[self->rest[i] * types + t];
            }
        }
        begin = end;
        end = at;
    }
    /* if the part of the queue with known types is full, the message joins the
     * tail */
    for (i = begin; i < self->width; ++i) {
        self->length[i] = known;
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

void gms_chain_weigh_queue(gms_chain_run_t *self)
{
    unsigned g;

    for (g = 0; g < self->end[self->chain->known]; ++g) {
        self->queued_work[g] = gms_chain_waiting_work(self, g);
    }
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

/** Add the flow p along a transition to the counted flows of the round. */
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

/** A row whose probabilities are being distributed along transitions. */
typedef struct gms_chain_source {
    const double *row;
    uint32_t size;
    double all, work, full; /* sums over the row: of all entries, of all entries
                             * times the work in the engine's queue, and of the
                             * entries with a tail */
    int has_sums;           /* 1: work and full have been computed */
} gms_chain_source_t;

static gms_chain_source_t gms_chain_source(const gms_chain_run_t *self,
                                           const double *row, uint32_t size)
{
    gms_chain_source_t source = {.row = row};

    if (size > 0) {
        size = gms_chain_cut(self, row, size);
    }
    source.size = size;
    source.all = gms_chain_sum(row, size);
    return source;
}

/** Compute the sums that a transition with a sent message needs. */
static void gms_chain_source_sums(const gms_chain_run_t *self,
                                  gms_chain_source_t *source)
{
    uint32_t known = self->chain->known, g;

    source->has_sums = 1;
    source->work = gms_chain_dot(source->row, self->queued_work, source->size);
    g = (known == 0) ? 0 : self->end[known - 1];
    if (source->size > g) {
        source->full = gms_chain_sum(source->row + g, source->size - g);
    }
}

/** Multiply a row by p, append a message of type t to the queue of each entry,
 *  and add the result to another row. */
static void gms_chain_row_append(const gms_chain_run_t *self, double *to,
                                 const gms_chain_source_t *source, unsigned t,
                                 double p)
{
    unsigned types = self->chain->types, known = self->chain->known;
    uint32_t full = (known == 0) ? 0 : self->end[known - 1], g;

    for (g = 0; g < source->size && (g < full || g % 4 != 0); ++g) {
        to[self->append[g * types + t]] += p * source->row[g];
    }
    /* longer queues remain the same combinations: the new message joins the
     * tail */
    if (g < source->size) {
        gms_chain_row_add(to + g, source->row + g, source->size - g, p);
    }
}

/** Count a message of type t that is sent to the engine with probability p. */
static void gms_chain_count_sent(gms_chain_run_t *self,
                                 gms_chain_source_t *source, unsigned t,
                                 double p)
{
    if (!source->has_sums) {
        gms_chain_source_sums(self, source);
    }
    self->sent[t] += p * source->all;
    self->work[t] += p * (source->all * self->remaining + source->work);
    self->engine_pushed[t] += p * source->full;
}

/** Return the number of entries of a row after a message has been appended to
 *  the longest of its queues. */
static uint32_t gms_chain_appended(const gms_chain_run_t *self, uint32_t size)
{
    unsigned length = self->length[size - 1] + 1, known = self->chain->known;

    return self->end[(length < known) ? length : known];
}

/** Distribute the probabilities of a row along a transition while the engine
 *  serves a message. */
static void gms_chain_go(gms_chain_run_t *self, const gms_chain_step_t *step,
                         gms_chain_source_t *source, gms_chain_vector_t *to)
{
    gms_chain_source_t step_source, *from = source;
    unsigned list[GMS_CHAIN_SENT], count, i;
    uint32_t size = source->size;
    double *row;

    if (step->sent == 0) {
        row = gms_chain_row(self, to, step->to, size);
        gms_chain_row_add(row, source->row, size, step->p);
        return;
    }
    count = gms_chain_sent(self, step->sent, list);
    for (i = 0; i + 1 < count; ++i) {
        double *next = self->appended[i % 2];

        gms_chain_count_sent(self, from, list[i], step->p);
        size = gms_chain_appended(self, size);
        memset(next, 0, gms_chain_padded(size) * sizeof(*next));
        gms_chain_row_append(self, next, from, list[i], 1);
        step_source =
            (gms_chain_source_t){.row = next, .size = size, .all = source->all};
        from = &step_source;
    }
    gms_chain_count_sent(self, from, list[i], step->p);
    row = gms_chain_row(self, to, step->to, gms_chain_appended(self, size));
    gms_chain_row_append(self, row, from, list[i], step->p);
}

/** Distribute the probabilities of a row along a transition while the engine is
 *  idle. */
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
    if (!self->is_counting) {
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
    gms_chain_row(self, &self->next[list[0]], step->to, at + 1)[at] += p;
}

/** Distribute the probabilities of a row along all transitions of a table that
 *  begin in state s. */
static void gms_chain_follow(gms_chain_run_t *self,
                             const gms_chain_table_t *table, uint32_t s,
                             gms_chain_source_t *source, gms_chain_vector_t *to)
{
    uint32_t i;

    if (source->size == 0) {
        return;
    }
    for (i = table->first[s]; i < table->first[s + 1]; ++i) {
        const gms_chain_step_t *step = &table->step[i];

        if (step->onset | step->tail_on | step->tail_off ||
            step->again_left + step->origin_left > 0) {
            gms_chain_count(self, step, source->all * step->p);
        }
        gms_chain_go(self, step, source, to);
    }
}

void gms_chain_follow_idle(gms_chain_run_t *self,
                           const gms_chain_table_t *table, uint32_t s,
                           double from, double *to)
{
    uint32_t i;

    if (!(from > 0)) {
        return;
    }
    for (i = table->first[s]; i < table->first[s + 1]; ++i) {
        if (self->is_counting) {
            gms_chain_count(self, &table->step[i], from * table->step[i].p);
        }
        gms_chain_go_idle(self, &table->step[i], from, to);
    }
}

void gms_chain_slot(gms_chain_run_t *self)
{
    uint32_t s;
    gms_chain_vector_t swap;

    gms_chain_vector_clear(self, &self->then);
    for (s = 0; s < self->states->states; ++s) {
        gms_chain_source_t source = gms_chain_source(
            self, self->now.p + (size_t)s * self->width, self->now.size[s]);

        gms_chain_follow(self, &self->states->slot, s, &source, &self->then);
    }
    swap = self->now;
    self->now = self->then;
    self->then = swap;
}

/** At the end of a slot, end the completed services of the processor, and begin
 *  new services. */
void gms_chain_end(gms_chain_run_t *self, gms_chain_vector_t *v)
{
    uint32_t i;

    for (i = 0; i < self->endings; ++i) {
        uint32_t s = self->ending[i], size = v->size[s];
        double *row = v->p + (size_t)s * self->width;
        gms_chain_source_t source;

        memcpy(self->part, row, gms_chain_padded(size) * sizeof(*row));
        v->size[s] = 0;
        source = gms_chain_source(self, self->part, size);
        gms_chain_follow(self, &self->states->end, s, &source, v);
    }
}

void gms_chain_end_idle(gms_chain_run_t *self, double *v)
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

/** Move a message of type t to its next class at the end of its service. */
static void gms_chain_deliver(gms_chain_run_t *self, unsigned t,
                              const gms_chain_vector_t *v,
                              gms_chain_vector_t *to)
{
    const gms_chain_t *chain = self->chain;
    int c = chain->type[t].gives;
    uint32_t s;

    gms_chain_vector_clear(self, to);
    for (s = 0; s < self->states->states; ++s) {
        const gms_chain_state_t *state = &self->states->state[s];
        gms_chain_source_t source =
            gms_chain_source(self, v->p + (size_t)s * self->width, v->size[s]);

        if (source.size == 0) {
            continue;
        }
        if (c >= 0) {
            self->arrived[c] += source.all;
            self->work_seen[c] += source.all * gms_chain_work(self, s);
            if (state->queue[c] == chain->class[c].most) {
                self->pushed[c] += source.all;
            }
            if (c == chain->again) {
                self->origin_end +=
                    source.all *
                    gms_chain_number(self, s, (unsigned)chain->origin);
            }
        }
        gms_chain_follow(self, &self->states->arrive[t], s, &source, to);
    }
}

unsigned gms_chain_phase(const gms_chain_run_t *self, uint32_t s)
{
    const gms_chain_state_t *state = &self->states->state[s];
    int c = self->states->checked;
    unsigned waiting, is_early;

    if (c < 0 || !self->chain->is_whole) {
        return 0;
    }
    waiting = state->queue[c];
    is_early = (unsigned)(2 * (double)state->hold * self->chain->slot >
                          self->chain->class[c].hold);
    if (waiting > 0) {
        return 4u + (waiting > 1 ? 2u : 0u) + is_early;
    }
    return (state->server == (unsigned)c)
               ? 3
               : (unsigned)(state->hold > 0) + is_early;
}

/** Return the probabilities that the engine's queue has one more message behind
 *  the full combination g, for each type of this message. The index u consists
 *  of the phase of the checked station and the type that the engine has just
 *  served. The chain must have a pattern. */
static void gms_chain_behind(gms_chain_run_t *self, unsigned u, unsigned g,
                             double flow, double behind[GMS_CHAIN_TYPES])
{
    unsigned types = self->chain->types, known = self->chain->known, t;
    double all = 0;

    for (t = 0; t < types; ++t) {
        behind[t] = self->pattern[(u * self->end[known] + g) * types + t];
        self->offered[t] += flow * behind[t];
        behind[t] *= self->scale[t];
        all += behind[t];
    }
    for (t = 0; t < types && all > 1; ++t) {
        behind[t] /= all;
    }
}

/** Remove the first message of a full combination. The combination `rest'
 *  remains. With the probabilities `behind', a message from the tail moves up.
 */
static void gms_chain_pop_full(const gms_chain_run_t *self, double *row,
                               unsigned rest, double flow,
                               const double behind[GMS_CHAIN_TYPES])
{
    unsigned types = self->chain->types, t;
    double *longer = row + self->append[rest * types], none = flow;

    for (t = 0; t < types; ++t) {
        none -= flow * behind[t];
        longer[t] += flow * behind[t];
    }
    row[rest] += none;
}

/** Choose the engine's next message in state s. The engine has just served a
 *  message of type u. */
static void gms_chain_pick_state(gms_chain_run_t *self,
                                 const gms_chain_vector_t *v, unsigned u,
                                 uint32_t s)
{
    unsigned types = self->chain->types, known = self->chain->known, g, t;
    const double *from = v->p + (size_t)s * self->width;
    uint32_t size = v->size[s], most;
    double *to[GMS_CHAIN_TYPES], behind[GMS_CHAIN_TYPES];
    unsigned index = gms_chain_phase(self, s) * types + u;
    double *picked = self->picked + (size_t)index * self->width;

    if (size == 0) {
        return;
    }
    self->idle_next[self->states->alone[s]] += from[0];
    if (size > self->end[known]) {
        size = self->end[known];
    }
    if (size == 1) {
        return;
    }
    most = self->length[size - 1];
    most = self->end[(most < known) ? most - 1 : known];
    for (t = 0; t < types; ++t) {
        to[t] = gms_chain_row(self, &self->next[t], s, most);
    }
    for (t = 0; t < types; ++t) {
        behind[t] = self->engine_tail * self->mix[t];
    }
    for (g = 1; g < size; ++g) {
        double *row = to[self->first[g]], flow = from[g];
        unsigned rest = self->rest[g];

        picked[g] += flow;
        if (self->length[g] < known) {
            row[rest] += flow;
            continue;
        }
        self->engine_popped += flow;
        if (self->pattern != NULL) {
            gms_chain_behind(self, index, g, flow, behind);
        }
        gms_chain_pop_full(self, row, rest, flow, behind);
    }
}

static void gms_chain_pick(gms_chain_run_t *self, const gms_chain_vector_t *v,
                           unsigned u)
{
    uint32_t s;

    for (s = 0; s < self->states->states; ++s) {
        gms_chain_pick_state(self, v, u, s);
    }
}

/** Return the probability that the processor's service ends first, given that
 *  it ends in the same slot as the engine's service of type t. */
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

void gms_chain_complete(gms_chain_run_t *self, unsigned t,
                        const gms_chain_vector_t *v)
{
    gms_chain_vector_t *one = &self->then, *two = &self->second;
    uint32_t s;

    gms_chain_vector_clear(self, one);
    gms_chain_vector_clear(self, two);
    for (s = 0; s < self->states->states; ++s) {
        double before = gms_chain_before(self, t, s);

        gms_chain_vector_add(self, one, v, s, 1 - before);
        gms_chain_vector_add(self, two, v, s, before);
    }
    gms_chain_end(self, two);
    gms_chain_deliver(self, t, two, &self->third);
    gms_chain_pick(self, &self->third, t);
    gms_chain_deliver(self, t, one, two);
    gms_chain_end(self, two);
    gms_chain_pick(self, two, t);
}
