/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stores for every rank the sums of its activity up to the watched time, and a
 * list of the later intervals. A query divides an interval at the time of the
 * query, and the later part remains in the list.
 */
#include "engine/busy.h"

#include "base/queue.h"

/* An interval of a rank's activity. An interval that crosses the end of a
 * window contains only one kind of activity, without gaps. An interval within
 * one window may contain several kinds, because their order in a window does
 * not matter. */
typedef struct gms_busy_part {
    struct gms_busy_part *next;
    gms_time_t begin_ps, end_ps;
    gms_time_t times_ps[GMS_BUSY_KINDS];
} gms_busy_part_t;

typedef struct gms_busy_rank {
    gms_time_t now_ps[GMS_BUSY_KINDS]; /* sums of the activity before the
                                        * watched time */
    gms_busy_part_t *first, *last;     /* intervals after the watched time, in
                                        * chronological order */
} gms_busy_rank_t;

GMS_QUEUE_DEFINE(gms_busy_parts, gms_busy_rank_t, gms_busy_part_t, next);

struct gms_busy {
    gms_time_t window_ps;
    gms_busy_rank_t ranks[];
};

gms_status_t gms_busy_create(gms_arena_t *arena, unsigned ranks,
                             gms_time_t window_ps, gms_busy_t **busy_p)
{
    gms_busy_t *busy =
        gms_arena_alloc(arena, sizeof(*busy) + ranks * sizeof(busy->ranks[0]));

    if (busy == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    busy->window_ps = window_ps;
    *busy_p = busy;
    return GMS_OK;
}

/* Return 1 if the last part can be extended by this interval. */
static int gms_busy_fits(const gms_busy_t *busy, const gms_busy_part_t *last,
                         enum gms_busy_kind kind, gms_time_t begin_ps,
                         gms_time_t end_ps)
{
    int is_pure = last->times_ps[kind] == last->end_ps - last->begin_ps;

    return (is_pure && begin_ps == last->end_ps) ||
           last->begin_ps / busy->window_ps == (end_ps - 1) / busy->window_ps;
}

/* Record activity after the watched time. */
static void __attribute__((noinline))
gms_busy_add_later(gms_ctx_t *ctx, gms_busy_t *busy, gms_busy_rank_t *rank,
                   enum gms_busy_kind kind, gms_time_t begin_ps,
                   gms_time_t end_ps)
{
    gms_busy_part_t *part = rank->first != NULL ? rank->last : NULL;

    if (part == NULL || !gms_busy_fits(busy, part, kind, begin_ps, end_ps)) {
        part = gms_arena_alloc(ctx->arena, sizeof(*part));
        if (part == NULL) {
            rank->now_ps[kind] += end_ps - begin_ps;
            return;
        }
        part->begin_ps = begin_ps;
        gms_busy_parts_put(rank, part);
    }
    part->times_ps[kind] += end_ps - begin_ps;
    part->end_ps = end_ps;
}

void gms_busy_add(gms_ctx_t *ctx, gms_busy_t *busy, unsigned rank,
                  enum gms_busy_kind kind, gms_time_t begin_ps,
                  gms_time_t end_ps)
{
    gms_busy_rank_t *own = &busy->ranks[rank];

    if (end_ps <= gms_engine_watched_ps(ctx->engine)) {
        own->now_ps[kind] += end_ps - begin_ps;
    } else {
        gms_busy_add_later(ctx, busy, own, kind, begin_ps, end_ps);
    }
}

/* Move the activity before until_ps from a part to the result. The later
 * activity remains in the part. */
static void gms_busy_cut(gms_busy_part_t *part, gms_time_t until_ps,
                         gms_time_t times_ps[GMS_BUSY_KINDS])
{
    enum gms_busy_kind kind = part->times_ps[GMS_BUSY_WORKS] != 0
                                  ? GMS_BUSY_WORKS
                                  : GMS_BUSY_COMPUTES;

    times_ps[kind] += until_ps - part->begin_ps;
    part->times_ps[kind] -= until_ps - part->begin_ps;
    part->begin_ps = until_ps;
}

static void gms_busy_take_parts(gms_ctx_t *ctx, gms_busy_rank_t *rank,
                                gms_time_t until_ps,
                                gms_time_t times_ps[GMS_BUSY_KINDS])
{
    gms_busy_part_t *part;
    unsigned kind;

    while ((part = rank->first) != NULL && part->end_ps <= until_ps) {
        for (kind = 0; kind < GMS_BUSY_KINDS; ++kind) {
            times_ps[kind] += part->times_ps[kind];
        }
        gms_arena_free(ctx->arena, gms_busy_parts_take(rank));
    }
    if (part != NULL && part->begin_ps < until_ps) {
        gms_busy_cut(part, until_ps, times_ps);
    }
}

void gms_busy_take(gms_ctx_t *ctx, gms_busy_t *busy, unsigned rank,
                   gms_time_t until_ps, gms_time_t times_ps[GMS_BUSY_KINDS])
{
    gms_busy_rank_t *own = &busy->ranks[rank];
    unsigned kind;

    for (kind = 0; kind < GMS_BUSY_KINDS; ++kind) {
        times_ps[kind] = own->now_ps[kind];
        own->now_ps[kind] = 0;
    }
    if (own->first != NULL) {
        gms_busy_take_parts(ctx, own, until_ps, times_ps);
    }
}
