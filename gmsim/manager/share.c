/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the code that both sharing rules use: weights of flows at resources,
 * the level of a resource, and the list of flows per resource. This file also
 * marks the resources whose level may change. The files minshare.c and maxmin.c
 * implement the rules.
 */
#include "manager/share.h"

#include <assert.h>

#include "manager/maxmin.h"
#include "manager/minshare.h"
#include "manager/share_heap.h"

/* ---- resources ---- */

/** Weights of a flow at a resource: `out` if the flow leaves a node or crosses
 *  a link, `in` if the flow enters a node. */
typedef struct gms_share_weights {
    uint64_t out, in;
} gms_share_weights_t;

/** Returns the capacity of a node that remains after premium flows, in units of
 * the weights. */
static __int128 gms_share_node_left(const gms_node_sum_t *node, __int128 most,
                                    const gms_share_weights_t *weights)
{
    return most - (__int128)node->out * weights->out -
           (__int128)node->in * weights->in;
}

/** Returns 1 if turns are charged to outgoing traffic, otherwise 0 (share.h
 *  explains the rule). */
static int gms_share_is_out_better(const gms_account_t *account,
                                   uint32_t resource,
                                   const gms_share_weights_t *if_out,
                                   const gms_share_weights_t *if_in)
{
    const gms_share_t *share = &account->share[resource];
    const gms_node_sum_t *node =
        &account->node[resource / GMS_SHARE_NODE_RESOURCES];
    __int128 out_left = gms_share_node_left(node, account->time_units, if_out);
    __int128 in_left = gms_share_node_left(node, account->time_units, if_in);

    if (out_left <= 0 || in_left <= 0) {
        return out_left > in_left;
    }
    return out_left * ((__int128)share->out * if_in->out +
                       (__int128)share->in * if_in->in) >
           in_left * ((__int128)share->out * if_out->out +
                      (__int128)share->in * if_out->in);
}

static gms_share_weights_t gms_share_time_weights(const gms_account_t *account,
                                                  uint32_t resource)
{
    gms_service_t service = gms_account_service(
        account, account->node[resource / GMS_SHARE_NODE_RESOURCES].sourced);
    gms_share_weights_t if_out = {service.send_ps + (uint64_t)service.turn_ps,
                                  service.receive_ps};
    gms_share_weights_t if_in = {
        service.send_ps, service.receive_ps + (uint64_t)service.turn_ps};

    if (service.turn_ps < 0) {
        return (resource % GMS_SHARE_NODE_RESOURCES == 1) ? if_out : if_in;
    }
    return gms_share_is_out_better(account, resource, &if_out, &if_in) ? if_out
                                                                       : if_in;
}

/** Returns the capacity of a resource that remains after premium flows, in
 * units of the resource. */
static __int128 gms_share_left(const gms_account_t *account, uint32_t resource,
                               gms_share_weights_t *weights)
{
    uint32_t nodes = GMS_SHARE_NODE_RESOURCES * account->nodes;

    *weights = (gms_share_weights_t){1, 1};
    if (resource >= nodes) {
        return account->link[resource - nodes].units -
               account->link[resource - nodes].charged;
    }
    if (resource % GMS_SHARE_NODE_RESOURCES != 0) {
        *weights = gms_share_time_weights(account, resource);
    }
    return gms_share_node_left(
        &account->node[resource / GMS_SHARE_NODE_RESOURCES],
        (resource % GMS_SHARE_NODE_RESOURCES != 0) ? account->time_units
                                                   : account->node_units,
        weights);
}

/* Divides and rounds up. If both numbers fit into 64 bits, as they usually do,
 * the function uses a 64-bit division, which takes a tenth of the time of a
 * longer division. */
static gms_units_t gms_share_divide_up(__int128 rest, __int128 weight)
{
    if (rest <= INT64_MAX / 2 && weight <= INT64_MAX / 2) {
        return ((gms_units_t)rest + (gms_units_t)weight - 1) /
               (gms_units_t)weight;
    }
    return (gms_units_t)((rest + weight - 1) / weight);
}

gms_units_t gms_share_level(const gms_account_t *account, uint32_t resource)
{
    const gms_share_t *share = &account->share[resource];
    gms_share_weights_t weights;
    __int128 rest = gms_share_left(account, resource, &weights), weight;

    rest += 1 - (__int128)share->out * weights.out -
            (__int128)share->in * weights.in;
    if (rest <= 0) {
        return 0;
    }
    rest -= share->elsewhere_out * (__int128)weights.out +
            share->elsewhere_in * (__int128)weights.in;
    if (rest <= 0) {
        return 0;
    }
    weight = (__int128)share->here_out * weights.out +
             (__int128)share->here_in * weights.in;
    return (weight == 0) ? GMS_LEVEL_NONE : gms_share_divide_up(rest, weight);
}

gms_units_t gms_share_least(const gms_account_t *account,
                            const gms_managed_t *flow)
{
    gms_units_t least = GMS_LEVEL_NONE;
    unsigned i;

    for (i = 0; i < flow->entry_count; ++i) {
        gms_units_t level = account->share[flow->entries[i].resource].level;

        least = (level < least) ? level : least;
    }
    return least;
}

gms_status_t gms_share_init(gms_account_t *account)
{
    uint32_t count = gms_share_resources(account->nodes, account->links),
             resource;

    account->place_count = count;
    account->share =
        gms_arena_alloc(account->arena, count * sizeof(*account->share));
    account->dirty =
        gms_arena_alloc(account->arena, count * sizeof(*account->dirty));
    account->queue =
        gms_arena_alloc(account->arena, count * sizeof(*account->queue));
    if (account->share == NULL || account->dirty == NULL ||
        account->queue == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (resource = 0; resource < count; ++resource) {
        account->share[resource].level = GMS_LEVEL_NONE;
    }
    return GMS_OK;
}

void gms_share_cleanup(gms_account_t *account)
{
    gms_managed_t *flow;

    for (flow = account->book.first; flow != NULL;
         flow = (gms_managed_t *)flow->grant.next) {
        gms_share_forget(account, flow);
    }
    gms_arena_free(account->arena, account->share);
    gms_arena_free(account->arena, account->dirty);
    gms_arena_free(account->arena, account->queue);
}

void gms_share_mark(gms_account_t *account, uint32_t resource)
{
    gms_share_t *share = &account->share[resource];

    if (!share->is_dirty && share->out + share->in > 0) {
        share->is_dirty = 1;
        account->dirty[account->dirty_count++] = resource;
    }
}

void gms_share_touch(gms_account_t *account, gms_managed_t *flow)
{
    if (!flow->is_touched) {
        flow->is_touched = 1;
        flow->next_touched = account->touched;
        account->touched = flow;
    }
}

void gms_share_update(gms_account_t *account)
{
    if (account->dirty_count == 0) {
        return;
    }
    if (account->params.qos_best_effort == GMS_QOS_BEST_EFFORT_MINSHARE) {
        gms_minshare_update(account);
    } else {
        gms_maxmin_update(account);
    }
}

/* ---- flows at resources ---- */

void gms_share_attach(gms_account_t *account, gms_share_entry_t *entry,
                      enum gms_share_state state, gms_units_t key)
{
    gms_share_t *share = &account->share[entry->resource];

    assert(entry->state == GMS_SHARE_APART);
    entry->state = (uint8_t)state;
    entry->key = key;
    entry->previous = entry->next = entry->child = NULL;
    if (state == GMS_SHARE_HERE) {
        entry->next = share->here;
        if (share->here != NULL) {
            share->here->previous = entry;
        }
        share->here = entry;
        share->here_out += entry->out;
        share->here_in += entry->in;
    } else {
        share->elsewhere = gms_share_heap_add(share->elsewhere, entry);
        share->elsewhere_out += entry->out ? key : 0;
        share->elsewhere_in += entry->in ? key : 0;
    }
}

void gms_share_detach(gms_account_t *account, gms_share_entry_t *entry)
{
    gms_share_t *share = &account->share[entry->resource];

    if (entry->state == GMS_SHARE_HERE) {
        if (entry->previous != NULL) {
            entry->previous->next = entry->next;
        } else {
            share->here = entry->next;
        }
        if (entry->next != NULL) {
            entry->next->previous = entry->previous;
        }
        share->here_out -= entry->out;
        share->here_in -= entry->in;
    } else {
        share->elsewhere = gms_share_heap_remove(share->elsewhere, entry);
        share->elsewhere_out -= entry->out ? entry->key : 0;
        share->elsewhere_in -= entry->in ? entry->key : 0;
    }
    entry->state = GMS_SHARE_APART;
}

static void gms_share_put_entry(gms_managed_t *flow, uint32_t resource, int out,
                                int in)
{
    gms_share_entry_t *entry = &flow->entries[flow->entry_count++];

    entry->flow = flow;
    entry->resource = resource;
    entry->out = (uint8_t)out;
    entry->in = (uint8_t)in;
}

gms_status_t gms_share_prepare(gms_account_t *account, gms_managed_t *flow)
{
    unsigned source = flow->grant.source_node;
    unsigned target = flow->grant.key.target_node, count, i;
    uint32_t links[GMS_ROUTE_LINKS_MAX];
    unsigned node_places = 1;
    int is_loop = (source == target);

    if (flow->entries != NULL) {
        return GMS_OK;
    }
    if (account->is_incoming) {
        node_places = (account->service.turn_ps < 0) ? 3 : 2;
    }
    count = gms_topology_links(account->topology, source, target, links);
    flow->entries = gms_arena_alloc(account->arena, (count + 2 * node_places) *
                                                        sizeof(*flow->entries));
    if (flow->entries == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    flow->entry_count = 0;
    for (i = 0; i < node_places; ++i) {
        gms_share_put_entry(flow, GMS_SHARE_NODE_RESOURCES * source + i, 1,
                            is_loop);
        if (!is_loop) {
            gms_share_put_entry(flow, GMS_SHARE_NODE_RESOURCES * target + i, 0,
                                1);
        }
    }
    for (i = 0; i < count; ++i) {
        gms_share_put_entry(
            flow, GMS_SHARE_NODE_RESOURCES * account->nodes + links[i], 1, 0);
    }
    return GMS_OK;
}

void gms_share_forget(gms_account_t *account, gms_managed_t *flow)
{
    gms_arena_free(account->arena, flow->entries);
    flow->entries = NULL;
    flow->entry_count = 0;
}

void gms_share_join(gms_account_t *account, gms_managed_t *flow)
{
    int all_here =
        (account->params.qos_best_effort == GMS_QOS_BEST_EFFORT_MINSHARE);
    unsigned i;

    ++account->sharing;
    flow->level = gms_share_least(account, flow);
    for (i = 0; i < flow->entry_count; ++i) {
        gms_share_entry_t *entry = &flow->entries[i];
        gms_share_t *share = &account->share[entry->resource];

        share->out += entry->out;
        share->in += entry->in;
        gms_share_attach(account, entry,
                         (all_here || flow->level >= share->level)
                             ? GMS_SHARE_HERE
                             : GMS_SHARE_ELSEWHERE,
                         flow->level);
        gms_share_mark(account, entry->resource);
    }
    gms_share_touch(account, flow);
}

void gms_share_leave(gms_account_t *account, gms_managed_t *flow)
{
    unsigned i;

    for (i = 0; i < flow->entry_count; ++i) {
        gms_share_entry_t *entry = &flow->entries[i];
        gms_share_t *share = &account->share[entry->resource];

        gms_share_mark(account, entry->resource);
        gms_share_detach(account, entry);
        share->out -= entry->out;
        share->in -= entry->in;
    }
    --account->sharing;
}
