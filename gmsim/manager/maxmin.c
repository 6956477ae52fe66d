/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes max-min fair levels of the resources. Resources whose level may be
 * outdated wait in a queue. The sort key of a resource is its current level or
 * its correct level, whichever is lower. A level depends only on lower levels.
 * Therefore the newly computed level of the first resource in the queue is
 * final, because later steps cannot change it. The flows of this resource then
 * receive their new bandwidths. As a result, the levels of other resources may
 * become outdated if they are not below this level.
 *
 * The level of a resource is computed from the flows that it limits ("here")
 * and the flows that another resource limits ("elsewhere"). The result is exact
 * when the level rises. If the level falls below the bandwidth of some flows
 * "elsewhere", this resource limits those flows from then on. Until these flows
 * have been processed, the computed level is too low, never too high.
 */
#include "manager/maxmin.h"

#include "base/heap.h"
#include "manager/share.h"

/* ---- queue: a heap, the lowest key first ---- */

static int gms_maxmin_before(gms_account_t *account, const uint32_t *a,
                             const uint32_t *b)
{
    gms_units_t key_a = account->share[*a].queue_key;
    gms_units_t key_b = account->share[*b].queue_key;

    return (key_a != key_b) ? (key_a < key_b) : (*a < *b);
}

static void gms_maxmin_moved(gms_account_t *account, const uint32_t *resource,
                             size_t at)
{
    account->share[*resource].queued = (uint32_t)at + 1;
}

GMS_HEAP_DEFINE(gms_maxmin_heap, uint32_t, gms_account_t *, gms_maxmin_before,
                gms_maxmin_moved);

static void gms_maxmin_take_out(gms_account_t *account, uint32_t resource)
{
    uint32_t at = account->share[resource].queued - 1;

    account->share[resource].queued = 0;
    gms_maxmin_heap_remove(account, account->queue, &account->queue_count, at);
}

static void gms_maxmin_put(gms_account_t *account, uint32_t resource,
                           gms_units_t key)
{
    gms_share_t *share = &account->share[resource];

    if (share->queued != 0) {
        gms_maxmin_take_out(account, resource);
    }
    share->queue_key = key;
    gms_maxmin_heap_add(account, account->queue, &account->queue_count,
                        resource);
}

/** Moves the marked resources into the queue if their level is outdated. */
static void gms_maxmin_queue_dirty(gms_account_t *account)
{
    while (account->dirty_count > 0) {
        uint32_t resource = account->dirty[--account->dirty_count];
        gms_share_t *share = &account->share[resource];
        gms_units_t level = gms_share_level(account, resource);

        share->is_dirty = 0;
        if (level != share->level) {
            gms_maxmin_put(account, resource,
                           (level < share->level) ? level : share->level);
        } else if (share->queued != 0) {
            gms_maxmin_take_out(account, resource);
        }
    }
}

/* ---- one resource ---- */

static void gms_maxmin_move(gms_account_t *account, gms_share_entry_t *entry,
                            enum gms_share_state state, gms_units_t key)
{
    gms_share_detach(account, entry);
    gms_share_attach(account, entry, state, key);
}

/** Examines the flows that other resources limit. Marks a flow as limited by
 *  this resource if the flow's rate is at least the level of this resource. The
 *  list moved_p receives the marked flows. @return the level */
static gms_units_t gms_maxmin_hold_back(gms_account_t *account,
                                        uint32_t resource,
                                        gms_managed_t **moved_p)
{
    gms_share_t *share = &account->share[resource];
    gms_units_t level = gms_share_level(account, resource);

    *moved_p = NULL;
    while (share->elsewhere != NULL && share->elsewhere->key >= level) {
        gms_share_entry_t *entry = share->elsewhere;

        entry->flow->next_work = *moved_p;
        *moved_p = entry->flow;
        /* The entry keeps its key for gms_maxmin_give_back(). */
        gms_maxmin_move(account, entry, GMS_SHARE_HERE, entry->key);
        level = gms_share_level(account, resource);
    }
    return level;
}

static gms_share_entry_t *gms_maxmin_entry(gms_managed_t *flow,
                                           uint32_t resource)
{
    gms_share_entry_t *entry = flow->entries;

    while (entry->resource != resource) {
        ++entry;
    }
    return entry;
}

static void gms_maxmin_give_back(gms_account_t *account, uint32_t resource,
                                 gms_managed_t *moved)
{
    for (; moved != NULL; moved = moved->next_work) {
        gms_share_entry_t *entry = gms_maxmin_entry(moved, resource);

        gms_maxmin_move(account, entry, GMS_SHARE_ELSEWHERE, entry->key);
    }
}

/** Returns the smallest level on a flow's route, excluding a given resource. */
static gms_units_t gms_maxmin_least_but(const gms_account_t *account,
                                        const gms_managed_t *flow,
                                        uint32_t resource)
{
    gms_units_t least = GMS_LEVEL_NONE;
    unsigned i;

    for (i = 0; i < flow->entry_count; ++i) {
        gms_units_t level = account->share[flow->entries[i].resource].level;

        if (flow->entries[i].resource != resource && level < least) {
            least = level;
        }
    }
    return least;
}

/** Recomputes the level of a resource from all of its flows. A flow that
 * another resource limits to less than the new level is treated as limited
 * elsewhere. The remaining flows share the remaining capacity. @return the new
 * level */
static gms_units_t gms_maxmin_let_go(gms_account_t *account, uint32_t resource)
{
    gms_share_t *share = &account->share[resource];
    gms_share_entry_t *entry, *next;
    gms_units_t level;

    for (entry = share->here; entry != NULL; entry = next) {
        gms_units_t least =
            gms_maxmin_least_but(account, entry->flow, resource);

        next = entry->next;
        if (least != GMS_LEVEL_NONE) {
            gms_maxmin_move(account, entry, GMS_SHARE_ELSEWHERE, least);
        }
    }
    level = gms_share_level(account, resource);
    while (share->elsewhere != NULL && share->elsewhere->key >= level) {
        gms_maxmin_move(account, share->elsewhere, GMS_SHARE_HERE, 0);
        level = gms_share_level(account, resource);
    }
    return level;
}

/** Sets the rate of a flow to the smallest level on its route, and updates the
 *  resources of this route. */
static void gms_maxmin_settle(gms_account_t *account, gms_managed_t *flow)
{
    gms_units_t level = gms_share_least(account, flow);
    unsigned i;

    if (level != flow->level) {
        ++account->rates;
        flow->level = level;
        gms_share_touch(account, flow);
    }
    for (i = 0; i < flow->entry_count; ++i) {
        gms_share_entry_t *entry = &flow->entries[i];
        enum gms_share_state state =
            (level >= account->share[entry->resource].level)
                ? GMS_SHARE_HERE
                : GMS_SHARE_ELSEWHERE;

        if (entry->state != state ||
            (state == GMS_SHARE_ELSEWHERE && entry->key != level)) {
            gms_maxmin_move(account, entry, state, level);
            gms_share_mark(account, entry->resource);
        }
    }
}

/** Returns the flows that a resource limits, as a list that remains valid while
 *  flows move to other resources. */
static gms_managed_t *gms_maxmin_held(const gms_share_t *share)
{
    const gms_share_entry_t *entry;
    gms_managed_t *held = NULL;

    for (entry = share->here; entry != NULL; entry = entry->next) {
        entry->flow->next_work = held;
        held = entry->flow;
    }
    return held;
}

static void gms_maxmin_settle_all(gms_account_t *account, gms_managed_t *flow)
{
    while (flow != NULL) {
        gms_managed_t *next = flow->next_work;

        gms_maxmin_settle(account, flow);
        flow = next;
    }
}

/** Lowers the level of a resource. @return 0 if another resource must be
 * processed first; this resource is then in the queue again */
static int gms_maxmin_lower(gms_account_t *account, uint32_t resource)
{
    gms_share_t *share = &account->share[resource];
    gms_managed_t *moved;
    gms_units_t level = gms_maxmin_hold_back(account, resource, &moved);

    if (level > share->queue_key && account->queue_count > 0 &&
        account->share[account->queue[0]].queue_key < level) {
        gms_maxmin_give_back(account, resource, moved);
        gms_maxmin_put(account, resource, level);
        return 0;
    }
    share->level = level;
    gms_maxmin_settle_all(account, gms_maxmin_held(share));
    return 1;
}

static void gms_maxmin_raise(gms_account_t *account, uint32_t resource)
{
    gms_share_t *share = &account->share[resource];
    gms_managed_t *held = gms_maxmin_held(share);

    share->level = gms_maxmin_let_go(account, resource);
    gms_maxmin_settle_all(account, held);
}

void gms_maxmin_update(gms_account_t *account)
{
    gms_maxmin_queue_dirty(account);
    while (account->queue_count > 0) {
        uint32_t resource = account->queue[0];

        gms_maxmin_take_out(account, resource);
        if (gms_share_level(account, resource) <
            account->share[resource].level) {
            (void)gms_maxmin_lower(account, resource);
        } else {
            gms_maxmin_raise(account, resource);
        }
        gms_maxmin_queue_dirty(account);
    }
}
