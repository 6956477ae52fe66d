/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the long-run values of a chain from the fraction of the time that
 * the chain spends in each state. */
#include <math.h>
#include <string.h>

#include "analytic/chain_int.h"

double gms_chain_tail_mean(double tail)
{
    return tail / (1 - tail);
}

static double gms_chain_length(const gms_chain_run_t *self, uint32_t s,
                               unsigned c)
{
    unsigned queue = self->states->state[s].queue[c];

    return queue + ((queue == self->chain->class[c].most)
                        ? gms_chain_tail_mean(self->tail[c])
                        : 0);
}

double gms_chain_number(const gms_chain_run_t *self, uint32_t s, unsigned c)
{
    return gms_chain_length(self, s, c) + (self->states->state[s].server == c);
}

/** Return the work that a message finds at the processor when it arrives in
 *  state s: the time that the processor needs to serve all earlier messages. */
double gms_chain_work(const gms_chain_run_t *self, uint32_t s)
{
    const gms_chain_state_t *state = &self->states->state[s];
    double work = state->residual * self->chain->slot;
    unsigned c;

    for (c = 0; c < self->chain->classes; ++c) {
        if (!(self->chain->class[c].hold > 0 && state->hold > 0)) {
            work += gms_chain_length(self, s, c) * self->chain->class[c].mean;
        }
    }
    return work;
}

/** A processor that is idle at the beginning of a slot holds a message of class
 *  c while the checked station is busy. A message of another class that arrives
 *  inside the slot puts the held message back into its queue until the slot
 *  ends. A message of class c that arrives inside the slot is held, or waits
 *  behind the held message. Add the time that the processor waits in state s.
 *  @return correction of the queue length */
static double gms_chain_hold(gms_chain_run_t *self, uint32_t s, unsigned c,
                             double all)
{
    const gms_chain_t *chain = self->chain;
    double own = chain->class[c].rate * chain->slot / 2, other = 0, held;
    unsigned d;

    for (d = 0; d < chain->classes; ++d) {
        /* an instantaneous service returns the message to the server
         * immediately */
        if (d != c && !gms_chain_is_instant(chain, chain->class[d].mean)) {
            other += chain->class[d].rate * chain->slot;
        }
    }
    if (self->states->state[s].queue[c] == 0) {
        self->values->waiting += all * own;
        return 0;
    }
    /* mean fraction of a slot before the first arrival of a message of another
     * class */
    held = (other > 0) ? (1 - exp(-other)) / other : 1;
    self->values->waiting += all * held;
    return own - held;
}

static void gms_chain_sum_state(gms_chain_run_t *self, uint32_t s)
{
    const gms_chain_t *chain = self->chain;
    const gms_chain_state_t *state = &self->states->state[s];
    gms_chain_values_t *values = self->values;
    double all = self->occupied[s] + self->occupied_idle[s];
    int is_busy = (state->server != GMS_CHAIN_IDLE);
    unsigned c;

    for (c = 0; c < chain->classes; ++c) {
        /* on average, a message that arrives in a slot waits for half a slot
         * until the slot ends; an idle processor serves the message
         * immediately */
        double half =
            (is_busy || !gms_chain_is_instant(chain, chain->class[c].mean))
                ? chain->class[c].rate * chain->slot / 2
                : 0;
        double length = gms_chain_length(self, s, c) + half * is_busy;

        if (!is_busy && chain->class[c].hold > 0 && state->hold > 0) {
            length += gms_chain_hold(self, s, c, all);
        }
        values->queue[c] += all * length;
        length = gms_chain_number(self, s, c) + half;
        values->number[c] += all * length;
        values->idle[c] += self->occupied_idle[s] * length;
        if (chain->class[c].hold > 0) {
            values->hold_busy += all * (state->hold > 0);
            values->hold_idle += self->occupied_idle[s] * (state->hold > 0);
            values->held_idle +=
                all * (state->hold == 0 &&
                       (state->queue[c] > 0 || state->server == c));
        }
        if (chain->class[c].rate > 0) {
            values->work_seen[c] +=
                all * (gms_chain_work(self, s) - is_busy * chain->slot / 2);
        }
    }
}

void gms_chain_results(gms_chain_run_t *self, double busy)
{
    const gms_chain_t *chain = self->chain;
    gms_chain_values_t *values = self->values;
    unsigned c, t;
    uint32_t s;

    memset(values, 0, sizeof(*values));
    for (s = 0; s < self->states->states; ++s) {
        gms_chain_sum_state(self, s);
    }
    for (c = 0; c < chain->classes; ++c) {
        if (self->arrived[c] > 0) {
            values->work_seen[c] = self->work_seen[c] / self->arrived[c];
        }
    }
    for (t = 0; t < chain->types; ++t) {
        if (self->sent[t] > 0) {
            values->work[t] = self->work[t] / self->sent[t];
        }
    }
    if (chain->again >= 0) {
        double rate = chain->class[chain->origin].rate;

        values->again_left = self->again_left / rate;
        values->origin_left = self->origin_left / rate;
        values->origin_end = self->origin_end / rate;
    }
    values->engine_busy = busy;
    values->states = self->states->states;
}
