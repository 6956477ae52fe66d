/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Tracks the activity of each rank's processor for the record of a run. When
 * the gate advances the clock of a rank, the gate reports the interval and the
 * kind of activity. A rank without reported activity is waiting.
 *
 * While a program computes, the clock of its rank is ahead of the events. The
 * real time at which other processes run the events up to that clock depends on
 * the machine. Activity after the time of a query is therefore kept in a list
 * until a later query, so every answer depends on virtual time alone:
 *
 *    taken        | now        | parts
 *    -------------+------------+-----[c]--[wc]-[ccccccccc]---> the rank's clock
 *                 last answer  the engine's watched time
 */
#ifndef ENGINE_BUSY_H
#define ENGINE_BUSY_H

#include "engine/engine.h"

/** Kinds of activity of a processor. */
enum gms_busy_kind {
    GMS_BUSY_WORKS = 0, /* communication: calls and copies */
    GMS_BUSY_COMPUTES,  /* computation of the program */
    GMS_BUSY_KINDS
};

typedef struct gms_busy gms_busy_t; /* activity of all ranks; in the arena */

/**
 * Create the object that tracks the activity of all ranks.
 * @param [in] window_ps  length of a window, at least 1; the times of queries
 *     are multiples of this length
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_busy_create(gms_arena_t *arena, unsigned ranks,
                             gms_time_t window_ps, gms_busy_t **busy_p);
/** Record that a rank is busy from begin_ps to end_ps. end_ps must be later
 *  than begin_ps. The interval must not begin before the end of an earlier
 *  interval of the rank. If the arena is full, the next query includes the
 *  whole interval, even the part after the time of the query. */
void gms_busy_add(gms_ctx_t *ctx, gms_busy_t *busy, unsigned rank,
                  enum gms_busy_kind kind, gms_time_t begin_ps,
                  gms_time_t end_ps);
/** Return how long a rank was busy since the last query and before until_ps.
 *  The time until_ps must be a multiple of the window. This time must be
 *  neither before the engine's watched time nor after the next event. For
 *  GMS_NEVER, the function returns all recorded activity. */
void gms_busy_take(gms_ctx_t *ctx, gms_busy_t *busy, unsigned rank,
                   gms_time_t until_ps, gms_time_t times_ps[GMS_BUSY_KINDS]);

#endif
