/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs one cycle of a flit network. The phases of a cycle are, in this order:
 * arrivals from the wheels, routing of heads, crossbars, outputs, and sources.
 * This file also contains the code that skips cycles in which nothing moves.
 */
#include <assert.h>

#include "fabric/flit_int.h"

static void gms_flit_credit_arrived(gms_flit_net_t *net, uint32_t entry)
{
    uint32_t link = entry / GMS_LANES_MAX;
    unsigned lane = entry % GMS_LANES_MAX;
    gms_flit_out_t *out = &net->out[link];
    uint16_t bit = (uint16_t)(1u << lane);

    if (out->credits[lane]++ != 0) {
        return;
    }
    out->credit |= bit;
    if (out->switch_index == GMS_LINK_NONE) {
        uint32_t number = gms_flit_source_of(net, link);
        gms_flit_source_t *source = &net->source[number];

        if (source->active & bit) {
            if (net->has_since) {
                net->out_since[entry] = (uint32_t)net->now;
            }
            source->ready |= bit;
            gms_flit_set_add(&net->feeding, number);
        }
    } else if (!net->is_buffered) {
        gms_flit_wake_owner(net, link, lane);
    } else if (net->buffer[link].flits[lane] > 0) {
        if (net->has_since) {
            net->out_since[entry] = (uint32_t)net->now;
        }
        net->buffer[link].ready |= bit;
        gms_flit_set_add(&net->sending, link);
    }
}

static void gms_flit_flit_arrived(gms_flit_net_t *net, gms_flit_in_t *in,
                                  uint32_t entry)
{
    unsigned lane = entry % GMS_LANES_MAX;
    gms_flit_lane_t *at = &net->lane[entry];
    gms_flit_switch_t *here = &net->switch_state[in->switch_index];

    ++here->counts.writes;
    if (++at->flits == net->config.buffer_flits) {
        ++here->full;
        ++net->full;
    }
    if (at->flits != 1) {
        return;
    }
    if (!(in->active >> lane & 1)) {
        gms_flit_push(net, GMS_FLIT_ROUTED, net->config.route_cycles, entry);
    } else if (gms_flit_open_lanes(net,
                                   &net->out[here->out_first + at->out_port]) >>
                   at->out_lane &
               1) {
        gms_flit_set_ready(net, in, entry / GMS_LANES_MAX, lane);
    }
}

static void gms_flit_buffer_arrived(gms_flit_net_t *net, uint32_t entry)
{
    uint32_t link = entry / GMS_LANES_MAX;
    unsigned lane = entry % GMS_LANES_MAX;
    gms_flit_buffer_t *buffer = &net->buffer[link];

    if (buffer->flits[lane]++ == 0 && (net->out[link].credit >> lane & 1)) {
        if (net->has_since) {
            net->out_since[entry] = (uint32_t)net->now;
        }
        buffer->ready |= (uint16_t)(1u << lane);
        gms_flit_set_add(&net->sending, link);
    }
}

/* ---- wheels ------------------------------------------------------------- */

/* Return the list of a wheel that belongs to the current cycle. Entries may be
 * added to the list until it is closed. */
static const uint32_t *gms_flit_list(const gms_flit_net_t *net,
                                     enum gms_flit_wheels kind)
{
    const gms_flit_wheel_t *wheel = &net->wheel[kind];

    return wheel->entry + (size_t)(net->now & net->slot_mask) * wheel->room;
}

static uint32_t gms_flit_close(gms_flit_net_t *net, enum gms_flit_wheels kind)
{
    uint32_t *count = &net->wheel[kind].count[net->now & net->slot_mask];
    uint32_t entries = *count;

    net->entries -= entries;
    *count = 0;
    return entries;
}

static void gms_flit_arrivals(gms_flit_run_t *run)
{
    gms_flit_net_t *net = run->net;
    const uint32_t *entry = gms_flit_list(net, GMS_FLIT_ARRIVE);
    uint32_t count = gms_flit_close(net, GMS_FLIT_ARRIVE), i;

    for (i = 0; i < count; ++i) {
        gms_flit_in_t *in = &net->in[entry[i] / GMS_LANES_MAX];

        if (in->switch_index == GMS_LINK_NONE) {
            gms_flit_sink_arrived(run, entry[i] / GMS_LANES_MAX,
                                  entry[i] % GMS_LANES_MAX);
        } else {
            gms_flit_flit_arrived(net, in, entry[i]);
        }
    }
}

/* Process the flits, credits and heads whose delays end in this cycle. */
static void gms_flit_turn_wheels(gms_flit_run_t *run)
{
    gms_flit_net_t *net = run->net;
    const uint32_t *entry = gms_flit_list(net, GMS_FLIT_CREDIT);
    uint32_t count = gms_flit_close(net, GMS_FLIT_CREDIT), i;

    for (i = 0; i < count; ++i) {
        gms_flit_credit_arrived(net, entry[i]);
    }
    gms_flit_arrivals(run);
    entry = gms_flit_list(net, GMS_FLIT_BUFFERED);
    count = gms_flit_close(net, GMS_FLIT_BUFFERED);
    for (i = 0; i < count; ++i) {
        gms_flit_buffer_arrived(net, entry[i]);
    }
    gms_flit_heads_retry(run);
    entry = gms_flit_list(net, GMS_FLIT_ROUTED);
    count = gms_flit_close(net, GMS_FLIT_ROUTED);
    for (i = 0; i < count; ++i) {
        gms_flit_head_routed(run, entry[i]);
    }
    entry = gms_flit_list(net, GMS_FLIT_ALLOCATED);
    count = gms_flit_close(net, GMS_FLIT_ALLOCATED);
    for (i = 0; i < count; ++i) {
        gms_flit_head_allocated(net, entry[i]);
    }
}

/* ---- a step ------------------------------------------------------------- */

static void gms_flit_move(gms_flit_run_t *run)
{
    gms_flit_net_t *net = run->net;
    uint64_t rest;
    uint32_t word;

    for (word = 0; word < net->taking.words; ++word) {
        for (rest = net->taking.word[word]; rest != 0; rest &= rest - 1) {
            gms_flit_sink_take(run,
                               word * 64 + (uint32_t)__builtin_ctzll(rest));
        }
    }
    for (word = 0; word < net->crossing.words; ++word) {
        for (rest = net->crossing.word[word]; rest != 0; rest &= rest - 1) {
            gms_flit_cross(net, word * 64 + (uint32_t)__builtin_ctzll(rest));
        }
    }
    for (word = 0; word < net->sending.words; ++word) {
        for (rest = net->sending.word[word] & ~net->held.word[word]; rest != 0;
             rest &= rest - 1) {
            gms_flit_send(net, word * 64 + (uint32_t)__builtin_ctzll(rest));
        }
    }
    for (word = 0; word < net->feeding.words; ++word) {
        for (rest = net->feeding.word[word] & ~net->starved.word[word];
             rest != 0; rest &= rest - 1) {
            gms_flit_feed(run, word * 64 + (uint32_t)__builtin_ctzll(rest));
        }
    }
}

void gms_flit_step(gms_flit_net_t *net, const gms_flit_hooks_t *hooks,
                   void *context)
{
    static const gms_flit_hooks_t no_hooks;
    gms_flit_run_t run = {net, hooks != NULL ? hooks : &no_hooks, context};

    assert(!net->is_stepping);
    net->is_stepping = 1;
    gms_flit_turn_wheels(&run);
    gms_flit_move(&run);
    net->is_stepping = 0;
    ++net->now;
    gms_flit_late_offers(net);
    gms_flit_late_accepts(net);
}

uint64_t gms_flit_now(const gms_flit_net_t *net)
{
    return net->now;
}

/* Return 1 if all members of a set are also members of the set `some`. */
static int gms_flit_set_is_empty_but(const gms_flit_set_t *set,
                                     const gms_flit_set_t *some)
{
    uint32_t word;

    for (word = 0; word < set->words; ++word) {
        if ((set->word[word] & ~some->word[word]) != 0) {
            return 0;
        }
    }
    return 1;
}

static int gms_flit_set_is_empty(const gms_flit_set_t *set)
{
    uint32_t word;

    for (word = 0; word < set->words; ++word) {
        if (set->word[word] != 0) {
            return 0;
        }
    }
    return 1;
}

int gms_flit_is_idle(const gms_flit_net_t *net)
{
    return net->entries == 0 && net->freed_count == 0 &&
           gms_flit_set_is_empty(&net->crossing) &&
           gms_flit_set_is_empty_but(&net->sending, &net->held) &&
           gms_flit_set_is_empty_but(&net->feeding, &net->starved) &&
           gms_flit_set_is_empty(&net->taking);
}

void gms_flit_skip(gms_flit_net_t *net, uint64_t cycles)
{
    assert(gms_flit_is_idle(net));
    net->now += cycles;
}
