/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Enumerates the states of the processor of a chain and the transitions between
 * them: in a slot, at the end of a service, and when the engine delivers a
 * message.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analytic/chain_int.h"

/* duration in slots; a service with a shorter duration takes no slot */
#define GMS_CHAIN_INSTANT  0.25
#define GMS_CHAIN_ALL_TURN 255u

/** A transition under construction. */
typedef struct gms_chain_path {
    gms_chain_state_t state;
    gms_chain_step_t step;
    gms_chain_table_t *table;
    double p;
    unsigned memory;
    int is_inside; /* 1: the service begins inside a slot, not at the end of the
                    * slot */
    /* a service of the processor begins together with a service of the engine:
     * always (1), or only if a message was sent (2) */
    int is_together;
    /* mean fraction of the slot in which a second message may arrive */
    double second;
    int is_linked; /* 1: `link' relates this instant to the transfer of the
                    * checked station; link.end is the present time */
    gms_chain_link_t link;
} gms_chain_path_t;

/* ---- states ---- */

static uint32_t gms_chain_hash(const gms_chain_state_t *state)
{
    const unsigned char *byte = (const unsigned char *)state;
    uint32_t hash = 2166136261u;
    size_t i;

    for (i = 0; i < sizeof(*state); ++i) {
        hash = (hash ^ byte[i]) * 16777619u;
    }
    return hash ^ (hash >> 15);
}

static void gms_chain_rehash(gms_chain_states_t *self, uint32_t size)
{
    uint32_t *hash = malloc(size * sizeof(*hash)), i, at;

    if (hash == NULL) {
        self->no_memory = 1;
        return;
    }
    memset(hash, 0xff, size * sizeof(*hash));
    for (i = 0; i < self->states; ++i) {
        at = gms_chain_hash(&self->state[i]) & (size - 1);
        while (hash[at] != GMS_CHAIN_NOWHERE) {
            at = (at + 1) & (size - 1);
        }
        hash[at] = i;
    }
    free(self->hash);
    self->hash = hash;
    self->hash_size = size;
}

static void gms_chain_more_states(gms_chain_states_t *self)
{
    uint32_t room = 2 * self->room + 1024;
    gms_chain_state_t *state = realloc(self->state, room * sizeof(*state));

    if (state == NULL) {
        self->no_memory = 1;
        return;
    }
    self->state = state;
    self->room = room;
    gms_chain_rehash(self, self->hash_size == 0 ? 4096 : 4 * self->hash_size);
}

/** Return the index of a state. If the state is new, the function adds it. */
static uint32_t gms_chain_find(gms_chain_states_t *self,
                               const gms_chain_state_t *state)
{
    uint32_t at;

    if (self->states == self->room) {
        gms_chain_more_states(self);
    }
    if (self->no_memory) {
        return 0;
    }
    at = gms_chain_hash(state) & (self->hash_size - 1);
    while (self->hash[at] != GMS_CHAIN_NOWHERE) {
        if (memcmp(&self->state[self->hash[at]], state, sizeof(*state)) == 0) {
            return self->hash[at];
        }
        at = (at + 1) & (self->hash_size - 1);
    }
    self->state[self->states] = *state;
    self->hash[at] = self->states;
    return self->states++;
}

static void gms_chain_emit(gms_chain_states_t *self, gms_chain_path_t *path)
{
    gms_chain_table_t *table = path->table;

    if (table->steps == table->room) {
        uint32_t room = 2 * table->room + 4096;
        gms_chain_step_t *step = realloc(table->step, room * sizeof(*step));

        if (step == NULL) {
            self->no_memory = 1;
            return;
        }
        table->step = step;
        table->room = room;
    }
    path->step.to = gms_chain_find(self, &path->state);
    path->step.base = (float)path->p;
    table->step[table->steps++] = path->step;
}

/** Return 1 if the checked station becomes idle in this slot, but after the
 *  present instant. */
static int gms_chain_is_earlier(const gms_chain_states_t *self,
                                const gms_chain_path_t *path)
{
    return path->is_linked && path->link.end < gms_chain_transfer(self);
}

/* ---- services ---- */

int gms_chain_is_instant(const gms_chain_t *chain, double mean)
{
    return mean < GMS_CHAIN_INSTANT * chain->slot;
}

/** Split a time into whole numbers of slots. @return number of different
 *  durations */
unsigned gms_chain_slots(const gms_chain_t *chain, double mean, unsigned least,
                         unsigned slots[2], double part[2])
{
    double x = mean / chain->slot, low;

    if (x < GMS_CHAIN_INSTANT && least == 0) {
        slots[0] = 0;
        part[0] = 1;
        return 1;
    }
    x = fmax(x, 0);
    low = floor(fmax(x, least) + 1e-9);
    slots[0] = (unsigned)low;
    slots[1] = slots[0] + 1;
    part[1] = fmax(0, fmax(x, least) - low);
    part[0] = 1 - part[1];
    return (part[1] > 1e-6) ? 2 : 1;
}

unsigned gms_chain_slots_inside(const gms_chain_t *chain, double mean,
                                unsigned slots[3], double part[3])
{
    double x = mean / chain->slot, rest = x - floor(x);

    if (x < 1) {
        return gms_chain_slots(chain, mean - chain->slot / 2, 0, slots, part);
    }
    slots[0] = (unsigned)x - 1;
    slots[1] = slots[0] + 1;
    slots[2] = slots[0] + 2;
    part[0] = (1 - rest) * (1 - rest) / 2;
    part[2] = rest * rest / 2;
    part[1] = 1 - part[0] - part[2];
    return 3;
}

int gms_chain_is_close(const gms_chain_t *chain, unsigned c, unsigned t)
{
    return fabs(chain->class[c].mean - chain->type[t].mean) < 2 * chain->slot;
}

static unsigned gms_chain_twin(const gms_chain_t *chain,
                               const gms_chain_path_t *path, unsigned c,
                               unsigned which)
{
    unsigned t;

    if (path->is_together == 0 ||
        (path->is_together == 2 && path->step.sent == 0)) {
        return 0;
    }
    for (t = 0; t < chain->types; ++t) {
        if (gms_chain_is_close(chain, c, t)) {
            return which + 1;
        }
    }
    return 0;
}

static void gms_chain_free(gms_chain_states_t *self,
                           const gms_chain_path_t *path);

/** Remove the message in service from the processor. */
static void gms_chain_depart(gms_chain_states_t *self,
                             const gms_chain_path_t *before, unsigned c)
{
    const gms_chain_t *chain = self->chain;
    gms_chain_path_t path = *before;
    unsigned slots[3], parts, i;
    double part[3];

    path.state.server = GMS_CHAIN_IDLE;
    path.state.twin = 0;
    path.state.residual = 0;
    path.state.memory = 0;
    if ((int)c == chain->origin && chain->again >= 0) {
        path.step.again_left += path.state.queue[chain->again];
    }
    if ((int)c == chain->again && chain->origin >= 0) {
        path.step.origin_left += path.state.queue[chain->origin];
    }
    if (chain->class[c].type >= 0) {
        path.step.sent = (path.step.sent * (chain->types + 1) +
                          (unsigned)chain->class[c].type + 1);
    }
    path.state.link = 0;
    if (!(chain->class[c].hold > 0)) {
        gms_chain_free(self, &path);
        return;
    }
    /* after an instantaneous service inside a slot, the station also begins
     * inside the slot */
    parts =
        (path.is_inside && chain->class[c].hold >= 2 * chain->slot)
            ? gms_chain_slots_inside(chain, chain->class[c].hold, slots, part)
            : gms_chain_slots(chain, chain->class[c].hold, 1, slots, part);
    for (i = 0; i < parts; ++i) {
        path.state.hold = (uint16_t)slots[i];
        path.p = before->p * part[i];
        path.is_linked = !path.is_inside && chain->class[c].freed < 0 &&
                         chain->class[c].hold >= chain->slot;
        /* the transfer takes one more slot if it begins late in its slot */
        path.link = (gms_chain_link_t){.low = (i == 0) ? 0 : part[0],
                                       .high = (i + 1 == parts) ? 1 : part[0]};
        gms_chain_free(self, &path);
    }
}

/** Add a message to a queue, or to the tail of a full queue. If all queues
 *  together are full, the message is lost. */
static void gms_chain_add(const gms_chain_t *chain, gms_chain_path_t *path,
                          unsigned c)
{
    unsigned all = 0, i;

    for (i = 0; i < chain->classes && !(chain->class[c].hold > 0); ++i) {
        all += (chain->class[i].hold > 0) ? 0 : path->state.queue[i];
    }
    if (path->state.queue[c] < chain->class[c].most &&
        (chain->total == 0 || all < chain->total)) {
        ++path->state.queue[c];
    }
}

/** Store a transition. If another message may arrive in its slot, also store
 *  the transitions with this arrival. */
static void gms_chain_second(gms_chain_states_t *self,
                             const gms_chain_path_t *before)
{
    gms_chain_path_t path = *before;
    double left = path.p;
    unsigned c;

    for (c = 0; c < self->chain->classes && path.second > 0; ++c) {
        const gms_chain_class_t *class = &self->chain->class[c];

        /* while the processor is idle, only messages whose check has failed are
         * waiting */
        if (class->rate > 0 && (before->state.server != GMS_CHAIN_IDLE ||
                                (class->hold > 0 && before->state.hold > 0))) {
            path.state = before->state;
            gms_chain_add(self->chain, &path, c);
            path.p = before->p * class->rate * path.second;
            left -= path.p;
            gms_chain_emit(self, &path);
        }
    }
    path.state = before->state;
    path.p = left;
    gms_chain_emit(self, &path);
}

/** Begin a service that is linked to the transfer of the checked station. */
static void gms_chain_begin_linked(gms_chain_states_t *self,
                                   const gms_chain_path_t *before, unsigned c)
{
    gms_chain_path_t path = *before;
    double whole = floor(self->chain->class[c].mean / self->chain->slot + 1e-9);
    /* in all parts of the link, the transfer takes the same number of slots */
    unsigned all = (unsigned)floor(gms_chain_transfer(self) +
                                   (path.link.low + path.link.high) / 2);
    unsigned slots[2], parts, i;
    gms_chain_link_t link[2];
    double part[2];

    parts = gms_chain_split_link(&path.link, all - path.state.hold, slots, part,
                                 link);
    for (i = 0; i < parts; ++i) {
        path.p = before->p * part[i];
        path.link = link[i];
        if (slots[i] == 0) {
            gms_chain_depart(self, &path, c);
            continue;
        }
        path.state.server = (uint8_t)c;
        path.state.memory = (uint8_t)before->memory;
        path.state.residual = (uint16_t)slots[i];
        path.state.twin =
            (uint8_t)gms_chain_twin(self->chain, &path, c, slots[i] > whole);
        path.state.link = (uint16_t)gms_chain_find_link(self, &path.link);
        gms_chain_second(self, &path);
    }
}

/** Begin a service. */
static void gms_chain_begin(gms_chain_states_t *self,
                            const gms_chain_path_t *before, unsigned c)
{
    gms_chain_path_t path = *before;
    unsigned slots[3], parts, i;
    double part[3], mean = self->chain->class[c].mean;
    int is_inside = path.is_inside;

    if (gms_chain_is_instant(self->chain, mean)) {
        gms_chain_depart(self, &path, c);
        return;
    }
    path.link.end += mean / self->chain->slot;
    if (path.is_linked && path.state.hold > 0 &&
        gms_chain_can_tie(self, path.link.end)) {
        gms_chain_begin_linked(self, &path, c);
        return;
    }
    path.is_linked = 0;
    parts = is_inside ? gms_chain_slots_inside(self->chain, mean, slots, part)
                      : gms_chain_slots(self->chain, mean, 0, slots, part);
    for (i = 0; i < parts; ++i) {
        path.p = before->p * part[i];
        if (slots[i] == 0 && !is_inside) {
            gms_chain_depart(self, &path, c);
            continue;
        }
        path.state.server = (uint8_t)c;
        path.state.memory = (uint8_t)before->memory;
        path.state.residual = (uint16_t)slots[i];
        path.state.twin = (uint8_t)gms_chain_twin(self->chain, &path, c, i);
        gms_chain_second(self, &path);
    }
}

/** Remove a message of class c from its queue and begin its service. */
static void gms_chain_take(gms_chain_states_t *self,
                           const gms_chain_path_t *before, unsigned c)
{
    gms_chain_path_t path = *before;

    if (path.state.queue[c] < self->chain->class[c].most ||
        (path.step.tail_on >> c & 1) != 0) {
        /* if several services take 0 slots, only the first of them finds a
         * message in the tail */
        path.state.queue[c]--;
        gms_chain_begin(self, &path, c);
        return;
    }
    path.step.tail_on |= (uint16_t)(1u << c);
    gms_chain_begin(self, &path, c);
    path.step.tail_on = before->step.tail_on;
    path.step.tail_off |= (uint16_t)(1u << c);
    path.state.queue[c]--;
    gms_chain_begin(self, &path, c);
}

/* ---- choice of the next message ---- */

static int gms_chain_ready(const gms_chain_states_t *self,
                           const gms_chain_path_t *path, unsigned c)
{
    return path->state.queue[c] > 0 &&
           !(self->chain->class[c].hold > 0 &&
             (path->state.hold > 0 || gms_chain_is_earlier(self, path)));
}

static unsigned gms_chain_memory(gms_chain_states_t *self, unsigned position,
                                 unsigned turn)
{
    unsigned i;

    for (i = 1; i <= self->memories; ++i) {
        if (self->position[i] == position && self->turn[i] == turn) {
            return i;
        }
    }
    if (self->memories + 1 == GMS_CHAIN_MEMORY) {
        return self->memories;
    }
    self->position[++self->memories] = (uint8_t)position;
    self->turn[self->memories] = (uint8_t)turn;
    return self->memories;
}

/** Return the largest number of additional messages in a turn that the states
 *  can represent. */
static unsigned gms_chain_turn_most(const gms_chain_t *chain)
{
    return (GMS_CHAIN_MEMORY - 1) / chain->classes - 1;
}

/** Return the number of additional messages of a turn that begins at a
 *  queue. */
static unsigned gms_chain_turn(const gms_chain_t *chain, unsigned queue)
{
    unsigned most = gms_chain_turn_most(chain);

    switch (chain->discipline) {
    case GMS_MODEL_LIMITED:
        return (chain->limit - 1 < most) ? chain->limit - 1 : most;
    case GMS_MODEL_GATED:
        return (queue - 1 < most) ? queue - 1 : most;
    case GMS_MODEL_EXHAUSTIVE:
        return GMS_CHAIN_ALL_TURN;
    case GMS_MODEL_FCFS:
    case GMS_MODEL_PRIORITY:
        break;
    }
    return 0;
}

/** Choose a message by polling: continue the turn, or begin a turn at the next
 *  queue. */
static void gms_chain_poll(gms_chain_states_t *self,
                           const gms_chain_path_t *before)
{
    const gms_chain_t *chain = self->chain;
    gms_chain_path_t path = *before;
    unsigned position = self->position[path.memory];
    unsigned turn = self->turn[path.memory], j;

    if (turn > 0 && gms_chain_ready(self, &path, position)) {
        turn -= (turn < GMS_CHAIN_ALL_TURN);
        path.memory = gms_chain_memory(self, position, turn);
        gms_chain_take(self, &path, position);
        return;
    }
    for (j = 1; j <= chain->classes; ++j) {
        unsigned c = (position + j) % chain->classes;

        if (gms_chain_ready(self, &path, c)) {
            path.memory = gms_chain_memory(
                self, c, gms_chain_turn(chain, path.state.queue[c]));
            gms_chain_take(self, &path, c);
            return;
        }
    }
}

/** Choose a message in order of arrival. The states do not contain this order,
 *  so every waiting message has the same probability of being first. */
static void gms_chain_serve_any(gms_chain_states_t *self,
                                const gms_chain_path_t *before)
{
    gms_chain_path_t path = *before;
    double all = 0;
    unsigned c;

    for (c = 0; c < self->chain->classes; ++c) {
        all += gms_chain_ready(self, &path, c) * path.state.queue[c];
    }
    for (c = 0; c < self->chain->classes; ++c) {
        if (gms_chain_ready(self, &path, c)) {
            path.p = before->p * path.state.queue[c] / all;
            gms_chain_take(self, &path, c);
        }
    }
}

/** Choose the next message of a free server. */
static void gms_chain_free(gms_chain_states_t *self,
                           const gms_chain_path_t *before)
{
    gms_chain_path_t path = *before;
    unsigned classes = self->chain->classes, ready = 0, first = classes, c;

    for (c = classes; c-- > 0;) {
        if (gms_chain_ready(self, &path, c)) {
            ++ready;
            first = c;
        }
    }
    if (ready == 0 && path.state.hold == 0 &&
        gms_chain_is_earlier(self, &path) &&
        path.state.queue[self->checked] > 0) {
        /* the processor holds a message until the transfer ends in this slot */
        path.is_linked = 0;
        gms_chain_take(self, &path, (unsigned)self->checked);
    } else if (ready == 0) {
        path.step.onset = (uint8_t)path.memory;
        gms_chain_second(self, &path);
    } else if (self->chain->discipline == GMS_MODEL_PRIORITY) {
        gms_chain_take(self, &path, first);
    } else if (self->chain->discipline == GMS_MODEL_FCFS) {
        gms_chain_serve_any(self, &path);
    } else if (path.memory != 0) {
        gms_chain_poll(self, &path);
    } else if (ready == 1 || path.step.memory != 0) {
        path.memory = gms_chain_memory(
            self, first, gms_chain_turn(self->chain, path.state.queue[first]));
        gms_chain_take(self, &path, first);
    } else {
        unsigned known = self->memories, k;

        for (k = 1; k <= known; ++k) {
            path.memory = k;
            path.step.memory = (uint8_t)k;
            gms_chain_poll(self, &path);
        }
    }
}

/* ---- tables ---- */

static void gms_chain_arrival(gms_chain_states_t *self,
                              const gms_chain_path_t *before, unsigned c)
{
    gms_chain_path_t path = *before;
    const gms_chain_class_t *class = &self->chain->class[c];

    if (path.state.server != GMS_CHAIN_IDLE ||
        (class->hold > 0 && (path.state.hold > 0 || path.state.queue[c] > 0))) {
        gms_chain_add(self->chain, &path, c);
        gms_chain_second(self, &path);
    } else {
        gms_chain_begin(self, &path, c);
    }
}

static void gms_chain_build_slot(gms_chain_states_t *self, uint32_t s)
{
    gms_chain_path_t path = {
        .state = self->state[s], .table = &self->slot, .is_inside = 1};
    double left = 1, all = 0, slot = self->chain->slot;
    unsigned c;

    /* the number of arrivals in a slot is 0, 1 or 2 */
    for (c = 0; c < self->chain->classes; ++c) {
        all += self->chain->class[c].rate * slot;
    }
    path.second = slot / 2 / (1 - all / 2);
    if (path.state.hold > 0) {
        --path.state.hold;
        path.state.freed = (path.state.hold == 0 && self->checked >= 0 &&
                            self->chain->class[self->checked].freed >= 0);
    }
    if (path.state.residual > 0) {
        --path.state.residual;
    }
    if (path.state.hold == 0 && path.state.residual > 0) {
        path.state.link = 0;
    }
    for (c = 0; c < self->chain->classes; ++c) {
        path.p = self->chain->class[c].rate * slot * (1 - all / 2);
        if (path.p > 0) {
            left -= path.p;
            gms_chain_arrival(self, &path, c);
        }
    }
    path.p = left;
    path.second = 0;
    gms_chain_emit(self, &path);
}

/** Move the message of the checked station, which has become idle, to the
 *  processor. The processor may be holding a message that waits for the station
 *  to become idle. */
static void gms_chain_return(gms_chain_states_t *self,
                             const gms_chain_path_t *before)
{
    unsigned c = (unsigned)self->chain->class[self->checked].freed;
    gms_chain_path_t path = *before;

    if (path.state.server != GMS_CHAIN_IDLE) {
        gms_chain_add(self->chain, &path, c);
        if (path.state.residual == 0) {
            path.memory = path.state.memory;
            gms_chain_depart(self, &path, path.state.server);
        } else {
            gms_chain_emit(self, &path);
        }
    } else if (path.state.queue[self->checked] > 0) {
        gms_chain_add(self->chain, &path, c);
        gms_chain_free(self, &path);
    } else {
        gms_chain_begin(self, &path, c);
    }
}

static void gms_chain_build_end(gms_chain_states_t *self, uint32_t s,
                                gms_chain_table_t *table, int is_together)
{
    gms_chain_path_t path = {.state = self->state[s],
                             .table = table,
                             .p = 1,
                             .is_together = is_together};

    if (path.state.freed != 0) {
        path.state.freed = 0;
        gms_chain_return(self, &path);
    } else if (path.state.server != GMS_CHAIN_IDLE &&
               path.state.residual == 0) {
        path.memory = path.state.memory;
        path.is_linked = (path.state.link != 0);
        path.link = self->link[path.state.link];
        gms_chain_depart(self, &path, path.state.server);
    } else if (self->checked >= 0 && path.state.server == GMS_CHAIN_IDLE &&
               gms_chain_ready(self, &path, (unsigned)self->checked)) {
        gms_chain_take(self, &path, (unsigned)self->checked);
    }
}

static void gms_chain_build(gms_chain_states_t *self, uint32_t s)
{
    gms_chain_state_t alone = self->state[s];
    uint32_t alone_at;
    unsigned t;

    self->slot.first[s] = self->slot.steps;
    gms_chain_build_slot(self, s);
    self->end.first[s] = self->end.steps;
    gms_chain_build_end(self, s, &self->end, 0);
    self->end_idle.first[s] = self->end_idle.steps;
    gms_chain_build_end(self, s, &self->end_idle, 2);
    alone.twin = 0;
    alone_at = gms_chain_find(self, &alone);
    self->alone[s] = alone_at;
    for (t = 0; t < self->chain->types; ++t) {
        gms_chain_path_t path = {.state = self->state[s],
                                 .table = &self->arrive[t],
                                 .p = 1,
                                 .is_together = 1};

        path.state.twin = 0;
        self->arrive[t].first[s] = self->arrive[t].steps;
        if (self->chain->type[t].gives >= 0) {
            gms_chain_arrival(self, &path,
                              (unsigned)self->chain->type[t].gives);
        } else {
            gms_chain_emit(self, &path);
        }
    }
}

/** Add a memory entry, which is a pair (position, turn), for every possible
 *  turn at the queue of class c. */
static void gms_chain_add_memories(gms_chain_states_t *self, unsigned c)
{
    const gms_chain_t *chain = self->chain;
    unsigned turn, most = 0;

    if (chain->discipline == GMS_MODEL_LIMITED) {
        most = gms_chain_turn(chain, 1);
    } else if (chain->discipline == GMS_MODEL_GATED) {
        most = gms_chain_turn(chain, chain->class[c].most);
    } else if (chain->discipline == GMS_MODEL_EXHAUSTIVE) {
        (void)gms_chain_memory(self, c, GMS_CHAIN_ALL_TURN);
        return;
    } else {
        return;
    }
    for (turn = 0; turn <= most; ++turn) {
        (void)gms_chain_memory(self, c, turn);
    }
}

static int gms_chain_reserve(gms_chain_table_t *table, uint32_t states)
{
    uint32_t *first =
        realloc(table->first, ((size_t)states + 1) * sizeof(*first));

    if (first == NULL) {
        return 0;
    }
    table->first = first;
    return 1;
}

gms_model_status_t gms_chain_states_create(const gms_chain_t *chain,
                                           gms_chain_states_t *self)
{
    gms_chain_state_t empty;
    uint32_t s, room = 0, *alone;
    unsigned c, t;

    memset(self, 0, sizeof(*self));
    memset(&empty, 0, sizeof(empty));
    empty.server = GMS_CHAIN_IDLE;
    self->chain = chain;
    self->checked = -1;
    for (c = 0; c < chain->classes; ++c) {
        if (chain->class[c].hold > 0) {
            self->checked = (int)c;
        }
        gms_chain_add_memories(self, c);
    }
    (void)gms_chain_find(self, &empty);
    for (s = 0; s <= self->states && !self->no_memory; ++s) {
        if (s >= room) {
            room = 2 * room + 4096;
            self->no_memory |= !gms_chain_reserve(&self->slot, room) ||
                               !gms_chain_reserve(&self->end, room) ||
                               !gms_chain_reserve(&self->end_idle, room);
            alone = realloc(self->alone, room * sizeof(*alone));
            self->no_memory |= (alone == NULL);
            self->alone = (alone != NULL) ? alone : self->alone;
            for (t = 0; t < chain->types; ++t) {
                self->no_memory |= !gms_chain_reserve(&self->arrive[t], room);
            }
        }
        if (self->no_memory) {
            break;
        }
        if (s < self->states) {
            gms_chain_build(self, s);
        } else {
            self->slot.first[s] = self->slot.steps;
            self->end.first[s] = self->end.steps;
            self->end_idle.first[s] = self->end_idle.steps;
            for (t = 0; t < chain->types; ++t) {
                self->arrive[t].first[s] = self->arrive[t].steps;
            }
        }
    }
    return self->no_memory ? GMS_MODEL_NO_MEMORY : GMS_MODEL_OK;
}

void gms_chain_states_destroy(gms_chain_states_t *self)
{
    unsigned t;

    free(self->state);
    free(self->hash);
    free(self->slot.first);
    free(self->slot.step);
    free(self->end.first);
    free(self->end.step);
    free(self->end_idle.first);
    free(self->end_idle.step);
    free(self->alone);
    for (t = 0; t < GMS_CHAIN_TYPES; ++t) {
        free(self->arrive[t].first);
        free(self->arrive[t].step);
    }
}
