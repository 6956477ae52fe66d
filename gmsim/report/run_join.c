/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Joins windows of a record if the windows need more memory than allowed. When
 * a table is full, the length of a window is doubled until half of the windows
 * remain. The activities of a flow, NIC, link or rank in joined windows are
 * added up. Totals remain unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "report/read.h"

/** After a join, at least this fraction of a table is free. Otherwise another
 *  join would soon be necessary. */
#define GMS_JOIN_FREE 8

/** All rows of these tables begin with the following fields. */
typedef struct gms_join_head {
    uint32_t window, index; /* index of the flow, node, link or rank */
} gms_join_head_t;

typedef void gms_join_add_fn(void *to, const void *from);

/** Description of a table of the run for the functions in this file. */
typedef struct gms_join_table {
    void **rows;
    size_t *count;
    size_t size; /* size of a row in bytes */
    gms_join_add_fn *add;
} gms_join_table_t;

/* If one of the joined windows has an IDT, the result also has an IDT. */
static void gms_join_add_flow(void *to, const void *from)
{
    const gms_report_flow_part_t *more = from;
    gms_report_flow_part_t *part = to;

    part->bytes += more->bytes;
    part->packets += more->packets;
    part->arrived_bytes += more->arrived_bytes;
    part->wait_ticks += more->wait_ticks;
    if (more->idt_ticks > 0) {
        part->idt_ticks = more->idt_ticks;
    }
}

static void gms_join_add_nic(void *to, const void *from)
{
    const gms_report_nic_part_t *more = from;
    gms_report_nic_part_t *part = to;
    unsigned i;

    for (i = 0; i < GMS_REPORT_NIC_PARTS; ++i) {
        part->busy_ps[i] += more->busy_ps[i];
    }
}

static void gms_join_add_link(void *to, const void *from)
{
    const gms_report_link_part_t *more = from;
    gms_report_link_part_t *part = to;

    part->moving_ps += more->moving_ps;
    part->held_ps += more->held_ps;
    part->blocked_ps += more->blocked_ps;
}

static void gms_join_add_host(void *to, const void *from)
{
    const gms_report_host_part_t *more = from;
    gms_report_host_part_t *part = to;

    part->worked_ps += more->worked_ps;
    part->computed_ps += more->computed_ps;
}

static gms_join_table_t gms_join_table(gms_report_run_t *run,
                                       enum gms_report_table kind)
{
    switch (kind) {
    case GMS_REPORT_FLOW_ROWS:
        return (gms_join_table_t){(void **)&run->flow_parts,
                                  &run->flow_part_count,
                                  sizeof(*run->flow_parts), gms_join_add_flow};
    case GMS_REPORT_NIC_ROWS:
        return (gms_join_table_t){(void **)&run->nic_parts,
                                  &run->nic_part_count, sizeof(*run->nic_parts),
                                  gms_join_add_nic};
    case GMS_REPORT_LINK_ROWS:
        return (gms_join_table_t){(void **)&run->link_parts,
                                  &run->link_part_count,
                                  sizeof(*run->link_parts), gms_join_add_link};
    case GMS_REPORT_HOST_ROWS:
        return (gms_join_table_t){(void **)&run->host_parts,
                                  &run->host_part_count,
                                  sizeof(*run->host_parts), gms_join_add_host};
    case GMS_REPORT_WINDOWS:
    case GMS_REPORT_TABLES:
        break;
    }
    return (gms_join_table_t){(void **)&run->windows, &run->window_count,
                              sizeof(*run->windows), NULL};
}

/* ---- memory ---- */

void gms_join_start(gms_report_reader_t *reader)
{
    /* sixteenths of the memory that are reserved for windows */
    static const size_t parts[GMS_REPORT_TABLES] = {
        [GMS_REPORT_FLOW_ROWS] = 8, [GMS_REPORT_LINK_ROWS] = 3,
        [GMS_REPORT_NIC_ROWS] = 2,  [GMS_REPORT_HOST_ROWS] = 2,
        [GMS_REPORT_WINDOWS] = 1,
    };
    gms_report_run_t *run = reader->run;
    /* gms_check_totals() and gms_index_flow_of() need this memory */
    size_t sums = run->flow_count *
                      (3 * sizeof(uint64_t) + sizeof(*reader->flow_entries)) +
                  run->nodes * GMS_REPORT_NIC_PARTS * sizeof(uint64_t) +
                  run->link_count * 3 * sizeof(uint64_t) +
                  run->rank_count * 2 * sizeof(uint64_t);
    size_t left = reader->memory_most - reader->memory;
    unsigned kind;

    left -= sums < left ? sums : left;
    /* the remaining memory is for events, and for flows that are named only in
     * windows */
    left = run->is_complete ? left / 8 * 7 : left / 3;
    for (kind = 0; kind < GMS_REPORT_TABLES; ++kind) {
        gms_join_table_t table =
            gms_join_table(run, (enum gms_report_table)kind);

        reader->part_most[kind] = left / 16 * parts[kind] / table.size;
    }
}

static int gms_join_grow(gms_report_reader_t *reader,
                         enum gms_report_table kind)
{
    gms_join_table_t table = gms_join_table(reader->run, kind);
    size_t most = reader->part_most[kind], *room = &reader->part_room[kind];
    size_t grown = *room == 0 ? 64 : 2 * *room;

    return gms_report_resize(reader, table.rows, room,
                             grown < most ? grown : most, table.size);
}

/* ---- joining ---- */

static int gms_join_is_same(gms_time_t end_ps, gms_time_t other_ps,
                            gms_time_t window_ps)
{
    return (end_ps - 1) / window_ps == (other_ps - 1) / window_ps;
}

static size_t gms_join_count(const gms_report_run_t *run, gms_time_t window_ps)
{
    size_t count = 0, i;

    for (i = 0; i < run->window_count; ++i) {
        count +=
            i == 0 || !gms_join_is_same(run->windows[i].end_ps,
                                        run->windows[i - 1].end_ps, window_ps);
    }
    return count;
}

/* Doubles the length of a window until half of the windows remain. */
static void gms_join_lengthen(gms_report_run_t *run)
{
    size_t most = run->window_count / 2;

    do {
        run->window_ps =
            run->window_ps <= INT64_MAX / 2 ? 2 * run->window_ps : INT64_MAX;
    } while (gms_join_count(run, run->window_ps) > (most > 0 ? most : 1));
}

/* Joins the windows.
 * @param [out] map the index of the new window for each old window */
static void gms_join_windows(gms_report_run_t *run, uint32_t *map)
{
    size_t count = 0, i;

    for (i = 0; i < run->window_count; ++i) {
        if (count > 0 &&
            gms_join_is_same(run->windows[i].end_ps,
                             run->windows[count - 1].end_ps, run->window_ps)) {
            run->windows[count - 1].end_ps = run->windows[i].end_ps;
        } else {
            run->windows[count++] = run->windows[i];
        }
        map[i] = (uint32_t)(count - 1);
    }
    run->window_count = count;
}

/* Joins the rows of a table that now belong to the same window.
 * @param [in,out] seen the last row for each index; the initial values are
 *    ignored */
static void gms_join_rows(const gms_join_table_t *table, const uint32_t *map,
                          uint32_t *seen)
{
    char *rows = *table->rows;
    size_t count = 0, i;

    for (i = 0; i < *table->count; ++i) {
        char *row = rows + i * table->size;
        gms_join_head_t head, last = {0, 0};
        size_t at;

        memcpy(&head, row, sizeof(head));
        head.window = map[head.window];
        at = seen[head.index];
        if (at < count) {
            memcpy(&last, rows + at * table->size, sizeof(last));
        }
        if (at < count && last.window == head.window &&
            last.index == head.index) {
            table->add(rows + at * table->size, row);
            continue;
        }
        seen[head.index] = (uint32_t)count;
        memmove(rows + count * table->size, row, table->size);
        memcpy(rows + count * table->size, &head, sizeof(head));
        ++count;
    }
    *table->count = count;
}

/* Allocates an entry for every index of every table. */
static uint32_t *gms_join_seen(gms_report_reader_t *reader)
{
    const gms_report_run_t *run = reader->run;
    size_t most = run->nodes + (size_t)1;

    most = run->flow_count > most ? run->flow_count : most;
    most = run->link_count > most ? run->link_count : most;
    most = run->rank_count > most ? run->rank_count : most;
    if (most > reader->seen_room) {
        free(reader->seen);
        reader->seen_room = 2 * most;
        reader->seen = calloc(reader->seen_room, sizeof(*reader->seen));
    }
    return reader->seen;
}

static int gms_join_once(gms_report_reader_t *reader)
{
    gms_report_run_t *run = reader->run;
    uint32_t *map = malloc((run->window_count + 1) * sizeof(*map));
    uint32_t *seen = gms_join_seen(reader);
    unsigned kind;

    if (map != NULL && seen != NULL) {
        gms_join_windows(run, map);
        for (kind = 0; kind < GMS_REPORT_WINDOWS; ++kind) {
            gms_join_table_t table =
                gms_join_table(run, (enum gms_report_table)kind);

            gms_join_rows(&table, map, seen);
        }
    } else {
        gms_report_no_memory(reader);
    }
    free(map);
    return reader->status == GMS_OK;
}

/* Checks that every table has at least 1/part of its rows free, and at least one
 * row. */
static int gms_join_has_room(const gms_report_reader_t *reader, size_t part)
{
    unsigned kind;

    for (kind = 0; kind < GMS_REPORT_TABLES; ++kind) {
        gms_join_table_t table =
            gms_join_table(reader->run, (enum gms_report_table)kind);
        size_t most = reader->part_most[kind];
        size_t unused = most - *table.count;

        if (unused == 0 || unused < most / part) {
            return 0;
        }
    }
    return 1;
}

static void gms_join_all(gms_report_reader_t *reader)
{
    /* lines that were read after the last join may now belong to the same
     * window */
    if (reader->is_joined && !gms_join_once(reader)) {
        return;
    }
    while (!gms_join_has_room(reader, 2) && reader->run->window_count > 1) {
        reader->is_joined = 1;
        gms_join_lengthen(reader->run);
        if (!gms_join_once(reader)) {
            return;
        }
    }
    if (!reader->is_joined) { /* even a single window may have several rows with
                               * the same index */
        reader->is_joined = 1;
        (void)gms_join_once(reader);
    }
    if (!gms_join_has_room(reader, GMS_JOIN_FREE)) {
        gms_report_too_large(reader);
    }
}

/* ---- functions for the reader ---- */

int gms_join_room(gms_report_reader_t *reader, enum gms_report_table kind)
{
    gms_join_table_t table = gms_join_table(reader->run, kind);

    if (reader->status == GMS_OK && *table.count >= reader->part_most[kind]) {
        gms_join_all(reader);
    }
    if (reader->status == GMS_OK && *table.count >= reader->part_room[kind]) {
        return gms_join_grow(reader, kind);
    }
    return reader->status == GMS_OK;
}

int gms_join_window(gms_report_reader_t *reader, gms_time_t end_ps)
{
    gms_report_run_t *run = reader->run;
    gms_time_t begin_ps = 0;

    if (!gms_join_room(reader, GMS_REPORT_WINDOWS)) {
        return 0;
    }
    if (run->window_count > 0) {
        begin_ps = run->windows[run->window_count - 1].end_ps;
    }
    if (reader->is_joined && run->window_count > 0 &&
        gms_join_is_same(end_ps, begin_ps, run->window_ps)) {
        run->windows[run->window_count - 1].end_ps = end_ps;
    } else {
        run->windows[run->window_count++] =
            (gms_report_window_t){begin_ps, end_ps};
    }
    return 1;
}

void gms_join_end(gms_report_reader_t *reader)
{
    if (reader->status == GMS_OK && reader->is_joined) {
        (void)gms_join_once(reader);
    }
    free(reader->seen);
    reader->seen = NULL;
}
