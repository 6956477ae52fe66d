/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the inputs, flows, packet stations, links and totals that differ
 * between two runs, and omits small differences. The rows are sorted: the time
 * of the run, the bandwidths, then all other quantities. Within a group, the
 * largest difference is first. This file prints nothing; `gmsim compare`
 * (tool/compare.c) prints the rows.
 */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "report/data_int.h"
#include "report/match.h"

#define GMS_COMPARE_PS_S 1e12
/** Smaller differences are omitted. The limits are fractions: of all bytes for
 *  flows, of the latency for stations, and of the run's duration for links. */
#define GMS_COMPARE_FLOW    0.001
#define GMS_COMPARE_STATION 0.01
#define GMS_COMPARE_LINK    0.01

typedef struct gms_comparing {
    gms_compare_t *compare;
    size_t input_room, row_room;
    int is_full; /* 1: memory ran out */
    gms_data_t first, second;
} gms_comparing_t;

static void *gms_compare_room(gms_comparing_t *at, void *list, size_t count,
                              size_t *room_p, size_t size)
{
    void *grown;

    if (count < *room_p || at->is_full) {
        return list;
    }
    grown = reallocarray(list, 2 * *room_p + 64, size);
    if (grown == NULL) {
        at->is_full = 1;
        return list;
    }
    *room_p = 2 * *room_p + 64;
    return grown;
}

static void gms_compare_add(gms_comparing_t *at, const char *what,
                            const char *quantity, enum gms_compare_unit unit,
                            double first, double second)
{
    gms_compare_t *compare = at->compare;
    gms_compare_row_t *row;

    compare->rows = gms_compare_room(at, compare->rows, compare->row_count,
                                     &at->row_room, sizeof(*compare->rows));
    if (at->is_full) {
        return;
    }
    row = &compare->rows[compare->row_count++];
    *row =
        (gms_compare_row_t){.quantity = quantity,
                            .unit = unit,
                            .first = first,
                            .second = second,
                            .change = first == second ? 0
                                      : first == 0    ? HUGE_VAL
                                                   : (second - first) / first};
    (void)snprintf(row->what, sizeof(row->what), "%s", what);
    compare->changed += first != second;
}

/* ---- inputs ---- */

static void gms_compare_input(gms_comparing_t *at, const char *name,
                              const char *first, const char *second)
{
    gms_compare_t *compare = at->compare;
    gms_compare_input_t *input;

    if (strcmp(first, second) == 0) {
        return;
    }
    compare->inputs =
        gms_compare_room(at, compare->inputs, compare->input_count,
                         &at->input_room, sizeof(*compare->inputs));
    if (at->is_full) {
        return;
    }
    input = &compare->inputs[compare->input_count++];
    input->name = name;
    (void)gms_printable(first, input->first, sizeof(input->first));
    (void)gms_printable(second, input->second, sizeof(input->second));
}

static void gms_compare_value(const json_t *value, char text[96])
{
    if (json_is_string(value)) {
        (void)gms_printable(json_string_value(value), text, 96);
    } else if (json_is_integer(value)) {
        (void)snprintf(text, 96, "%lld", (long long)json_integer_value(value));
    } else {
        (void)snprintf(text, 96, "-");
    }
}

static void gms_compare_params(gms_comparing_t *at)
{
    const json_t *ours = at->first.run->parameters;
    const json_t *theirs = at->second.run->parameters;
    char first[96], second[96];
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)ours, name, value)
    {
        gms_compare_value(value, first);
        gms_compare_value(json_object_get(theirs, name), second);
        gms_compare_input(at, name, first, second);
    }
    json_object_foreach((json_t *)(uintptr_t)theirs, name, value)
    {
        if (json_object_get(ours, name) == NULL) {
            gms_compare_value(value, second);
            gms_compare_input(at, name, "-", second);
        }
    }
}

/* Adds an input to the comparison if its values in the two runs differ. The
 * input contains the values as JSON text, truncated to the available size. */
static void gms_compare_json(gms_comparing_t *at, const char *name,
                             const json_t *first, const json_t *second)
{
    char *ours, *theirs;

    if (json_equal(first, second)) {
        return;
    }
    ours = json_dumps(first, JSON_COMPACT | JSON_ENCODE_ANY);
    theirs = json_dumps(second, JSON_COMPACT | JSON_ENCODE_ANY);
    gms_compare_input(at, name, ours != NULL ? ours : "-",
                      theirs != NULL ? theirs : "-");
    free(ours);
    free(theirs);
}

static void gms_compare_root(gms_comparing_t *at, const char *key)
{
    gms_compare_json(at, key, json_object_get(at->first.run->root, key),
                     json_object_get(at->second.run->root, key));
}

static void gms_compare_job(gms_comparing_t *at, const char *name,
                            const char *key)
{
    gms_compare_json(
        at, name,
        json_object_get(json_object_get(at->first.run->root, "job"), key),
        json_object_get(json_object_get(at->second.run->root, "job"), key));
}

static void gms_compare_inputs(gms_comparing_t *at)
{
    const gms_report_run_t *first = at->first.run, *second = at->second.run;
    const char *nothing = "(default)";
    char ours[24], theirs[24];

    gms_compare_input(at, "gmqos", first->version, second->version);
    gms_compare_input(at, "program", first->program, second->program);
    (void)snprintf(ours, sizeof(ours), "%zu", first->rank_count);
    (void)snprintf(theirs, sizeof(theirs), "%zu", second->rank_count);
    gms_compare_input(at, "ranks", ours, theirs);
    gms_compare_input(at, "cluster",
                      first->description != NULL ? first->description : nothing,
                      second->description != NULL ? second->description
                                                  : nothing);
    gms_compare_input(at, "profile", first->profile, second->profile);
    gms_compare_job(at, "arguments", "commands");
    gms_compare_root(at, "settings");
    gms_compare_json(
        at, "policy",
        json_object_get(json_object_get(first->root, "policy"), "text"),
        json_object_get(json_object_get(second->root, "policy"), "text"));
    gms_compare_params(at);
}

/* ---- flows ---- */

/* Compares the mean times per packet at each station. */
static void gms_compare_stations(gms_comparing_t *at, const char *what,
                                 const gms_report_flow_t *a,
                                 const gms_report_flow_t *b)
{
    static const char *const names[GMS_REPORT_STATIONS] = {
        "time in the host", "time waiting for its pace",
        "time in queues",   "time in NICs",
        "time in host DMA", "time on wires",
        "time in switches", "time blocked"};
    double all[2] = {0, 0};
    unsigned i;

    if (a->packets_arrived == 0 || b->packets_arrived == 0) {
        return;
    }
    for (i = 0; i < GMS_REPORT_STATIONS; ++i) {
        all[0] += (double)a->times_ps[i] / (double)a->packets_arrived;
        all[1] += (double)b->times_ps[i] / (double)b->packets_arrived;
    }
    for (i = 0; i < GMS_REPORT_STATIONS; ++i) {
        double first = (double)a->times_ps[i] / (double)a->packets_arrived;
        double second = (double)b->times_ps[i] / (double)b->packets_arrived;

        if (fabs(second - first) >=
            GMS_COMPARE_STATION * fmin(all[0], all[1])) {
            gms_compare_add(at, what, names[i], GMS_COMPARE_PS, first, second);
        }
    }
}

static void gms_compare_flow(gms_comparing_t *at, uint32_t index,
                             uint32_t other)
{
    static const gms_report_flow_t none = {0};
    const gms_data_t *named =
        index != GMS_REPORT_NONE ? &at->first : &at->second;
    const gms_report_flow_t *a =
        index != GMS_REPORT_NONE ? &at->first.run->flows[index] : &none;
    const gms_report_flow_t *b =
        other != GMS_REPORT_NONE ? &at->second.run->flows[other] : &none;
    char what[GMS_FLOW_NAME_LEN + 8];

    (void)snprintf(what, sizeof(what), "flow %s",
                   named->names[index != GMS_REPORT_NONE ? index : other].text);
    gms_compare_add(
        at, what, "bandwidth", GMS_COMPARE_BYTES_S,
        index != GMS_REPORT_NONE ? gms_data_mean(&at->first, index) : 0,
        other != GMS_REPORT_NONE ? gms_data_mean(&at->second, other) : 0);
    gms_compare_add(at, what, "bytes", GMS_COMPARE_COUNT, (double)a->bytes_sent,
                    (double)b->bytes_sent);
    if (a->has_end && b->has_end) {
        gms_compare_add(at, what, "packets sent again", GMS_COMPARE_COUNT,
                        (double)a->packets_resent, (double)b->packets_resent);
        gms_compare_add(at, what, "p50 latency", GMS_COMPARE_PS,
                        gms_report_percentile(a, 0.5),
                        gms_report_percentile(b, 0.5));
        gms_compare_add(at, what, "p99 latency", GMS_COMPARE_PS,
                        gms_report_percentile(a, 0.99),
                        gms_report_percentile(b, 0.99));
        gms_compare_stations(at, what, a, b);
    }
}

static double gms_compare_bytes(const gms_report_run_t *run)
{
    double bytes = 0;
    size_t i;

    for (i = 0; i < run->flow_count; ++i) {
        bytes += (double)run->flows[i].bytes_sent;
    }
    return bytes;
}

static void gms_compare_flows(gms_comparing_t *at)
{
    const gms_report_run_t *first = at->first.run, *second = at->second.run;
    /* if the runs moved no bytes, no flows are shown */
    double least = fmax(1, GMS_COMPARE_FLOW * fmax(gms_compare_bytes(first),
                                                   gms_compare_bytes(second)));
    uint8_t *is_met = calloc(second->flow_count + 1, 1);
    uint32_t *matches = gms_match_flows(first, second);
    uint32_t i, k;

    at->is_full |= is_met == NULL || matches == NULL;
    for (i = 0; !at->is_full && i < first->flow_count; ++i) {
        k = matches[i];
        if (k != GMS_REPORT_NONE) {
            is_met[k] = 1;
        }
        if ((double)first->flows[i].bytes_sent >= least ||
            (k != GMS_REPORT_NONE &&
             (double)second->flows[k].bytes_sent >= least)) {
            gms_compare_flow(at, i, k);
        }
    }
    for (k = 0; !at->is_full && k < second->flow_count; ++k) {
        if (!is_met[k] && (double)second->flows[k].bytes_sent >= least) {
            gms_compare_flow(at, GMS_REPORT_NONE, k);
        }
    }
    free(is_met);
    free(matches);
}

/* ---- links ---- */

static void gms_compare_link(gms_comparing_t *at, uint32_t number,
                             uint32_t other)
{
    const gms_report_run_t *first = at->first.run, *second = at->second.run;
    const gms_report_link_t *a = &first->links[number];
    const gms_report_link_t *b = &second->links[other];
    double moved = (double)a->moving_ps / (double)(first->end_ps + 1);
    double moved_later = (double)b->moving_ps / (double)(second->end_ps + 1);
    double full = at->first.saturation[number];
    double full_later = at->second.saturation[other];
    gms_text_t what;

    (void)gms_text_link(a, &what);
    if (fabs(moved - moved_later) >= GMS_COMPARE_LINK) {
        gms_compare_add(at, what.text, "use", GMS_COMPARE_PART, moved,
                        moved_later);
    }
    if (fabs(full - full_later) >= GMS_COMPARE_LINK) {
        gms_compare_add(at, what.text, "saturated", GMS_COMPARE_PART, full,
                        full_later);
    }
}

static void gms_compare_links(gms_comparing_t *at)
{
    const gms_report_run_t *first = at->first.run;
    uint32_t *matches = gms_match_links(first, at->second.run);
    uint32_t i;

    at->is_full |= matches == NULL;
    for (i = 0; matches != NULL && i < first->link_count; ++i) {
        if (matches[i] != GMS_REPORT_NONE) {
            gms_compare_link(at, i, matches[i]);
        }
    }
    free(matches);
}

/* ---- totals of the run ---- */

static size_t gms_compare_events(const gms_report_run_t *run,
                                 enum gms_report_event_kind kind)
{
    size_t count = 0, i;

    for (i = 0; i < run->event_count; ++i) {
        count += run->events[i].kind == kind;
    }
    return count;
}

static void gms_compare_whole(gms_comparing_t *at)
{
    static const char *const names[] = {[GMS_REPORT_GRANT] = "requests granted",
                                        [GMS_REPORT_DENIAL] = "requests denied",
                                        [GMS_REPORT_RELEASE] =
                                            "reservations released",
                                        [GMS_REPORT_FAULT] = "faults",
                                        [GMS_REPORT_STALL] = "failed sends"};
    const gms_report_run_t *first = at->first.run, *second = at->second.run;
    unsigned kind;

    gms_compare_add(at, "run", "time", GMS_COMPARE_PS, (double)first->end_ps,
                    (double)second->end_ps);
    gms_compare_add(at, "run", "bytes", GMS_COMPARE_COUNT,
                    gms_compare_bytes(first), gms_compare_bytes(second));
    for (kind = 0; kind < sizeof(names) / sizeof(names[0]); ++kind) {
        gms_compare_add(
            at, "run", names[kind], GMS_COMPARE_COUNT,
            (double)gms_compare_events(first, (enum gms_report_event_kind)kind),
            (double)gms_compare_events(second,
                                       (enum gms_report_event_kind)kind));
    }
}

/* ---- the comparison ---- */

/* Returns the size of a change. A doubled value and a halved value are changes
 * of equal size. */
static double gms_compare_size(const gms_compare_row_t *row)
{
    if (row->first == row->second) {
        return 0;
    }
    return row->first <= 0 || row->second <= 0
               ? HUGE_VAL
               : fabs(log(row->second / row->first));
}

/* Returns the rank of a changed quantity: the time of the run is first, then
 * the bandwidths of the flows follow, then all other quantities. Rows without a
 * change are last. */
static int gms_compare_rank(const gms_compare_row_t *row)
{
    if (row->first == row->second) {
        return 3;
    }
    if (strcmp(row->what, "run") == 0 && strcmp(row->quantity, "time") == 0) {
        return 0;
    }
    return strcmp(row->quantity, "bandwidth") == 0 ? 1 : 2;
}

static int gms_compare_order(const void *left, const void *right)
{
    const gms_compare_row_t *a = left, *b = right;
    double size = gms_compare_size(a), other = gms_compare_size(b);
    int result = gms_compare_rank(a) - gms_compare_rank(b);

    if (result != 0) {
        return result;
    }
    if (size != other) {
        return size > other ? -1 : 1;
    }
    result = strcmp(a->what, b->what);
    return result != 0 ? result : strcmp(a->quantity, b->quantity);
}

gms_status_t gms_compare_runs(const gms_report_run_t *first,
                              const gms_report_run_t *second,
                              gms_compare_t *compare)
{
    gms_comparing_t at = {.compare = compare};

    *compare = (gms_compare_t){0};
    if (gms_data_init(first, &at.first) != GMS_OK) {
        return GMS_ERR_NO_MEMORY;
    }
    if (gms_data_init(second, &at.second) != GMS_OK) {
        gms_data_cleanup(&at.first);
        return GMS_ERR_NO_MEMORY;
    }
    gms_compare_inputs(&at);
    gms_compare_whole(&at);
    gms_compare_flows(&at);
    gms_compare_links(&at);
    gms_data_cleanup(&at.first);
    gms_data_cleanup(&at.second);
    if (at.is_full) {
        gms_compare_free(compare);
        return GMS_ERR_NO_MEMORY;
    }
    qsort(compare->rows, compare->row_count, sizeof(*compare->rows),
          gms_compare_order);
    return GMS_OK;
}

void gms_compare_free(gms_compare_t *compare)
{
    free(compare->inputs);
    free(compare->rows);
    *compare = (gms_compare_t){0};
}

size_t gms_compare_above(const gms_compare_t *compare, double part)
{
    size_t count = 0, i;

    for (i = 0; i < compare->changed; ++i) {
        count += fabs(compare->rows[i].change) > part;
    }
    return count;
}

const char *gms_compare_text(enum gms_compare_unit unit, double value,
                             gms_text_t *text)
{
    switch (unit) {
    case GMS_COMPARE_PS:
        return gms_text_time(value, text);
    case GMS_COMPARE_BYTES_S:
        return gms_text_rate(value, text);
    case GMS_COMPARE_PART:
        return gms_text_part(value, text);
    case GMS_COMPARE_COUNT:
        return gms_text_count((uint64_t)value, text);
    }
    return "";
}
