/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the top level of the report's JSON object (ranks, cluster, times,
 * command), and the values that all parts of the report use. The files
 * data_flows.c, data_network.c and data_events.c build the parts.
 */
#include "report/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_memory.h"
#include "base/printable.h"
#include "params/params.h"
#include "params/profile.h"
#include "report/command.h"
#include "report/data_int.h"
#include "report/findings.h"

/** Maximum total number of values in the series of all NICs. [chosen: enough
 *  for all buckets of up to 1,024 hosts] */
#define GMS_DATA_POINTS (1u << 20)

/* ---- values that are computed once ---- */

typedef struct gms_data_size {
    uint64_t bytes;
    uint32_t index;
    int is_asked; /* 1: a decision refers to the flow */
} gms_data_size_t;

static int gms_data_compare(const void *left, const void *right)
{
    const gms_data_size_t *a = left, *b = right;

    if (a->bytes != b->bytes) {
        return a->bytes > b->bytes ? -1 : 1;
    }
    return a->index < b->index ? -1 : (int)(a->index > b->index);
}

static void gms_data_mark_asked(const gms_report_run_t *run,
                                gms_data_size_t *sizes)
{
    size_t i, k;

    for (i = 0; i < run->event_count; ++i) {
        const gms_report_event_t *event = &run->events[i];

        for (k = 0; k < event->request_count; ++k) {
            if (event->requests[k].flow != GMS_REPORT_NONE) {
                sizes[event->requests[k].flow].is_asked = 1;
            }
        }
    }
}

static void gms_data_find_spans(gms_data_t *data)
{
    const gms_report_run_t *run = data->run;
    size_t i;

    for (i = 0; i < run->flow_part_count; ++i) {
        const gms_report_flow_part_t *part = &run->flow_parts[i];
        gms_data_span_t *span = &data->spans[part->flow];
        gms_time_t end_ps = run->windows[part->window].end_ps;

        if (span->end_ps == 0) {
            span->begin_ps = (end_ps - 1) / run->window_ps * run->window_ps;
        }
        span->end_ps = end_ps;
        span->is_paced |= part->idt_ticks > 0;
    }
    for (i = 0; i < run->flow_count; ++i) {
        if (run->flows[i].last_ps > 0) { /* a window is longer than the period
                                          * of a short flow */
            data->spans[i].begin_ps = run->flows[i].first_ps;
            data->spans[i].end_ps = run->flows[i].last_ps;
        }
    }
}

static int gms_data_choose(gms_data_t *data)
{
    const gms_report_run_t *run = data->run;
    gms_data_size_t *sizes = calloc(run->flow_count + 1, sizeof(*sizes));
    size_t i, largest = 0;
    uint64_t all = 0;

    if (sizes == NULL) {
        return 0;
    }
    for (i = 0; i < run->flow_count; ++i) {
        sizes[i].bytes = run->flows[i].bytes_sent;
        sizes[i].index = (uint32_t)i;
        all += sizes[i].bytes;
    }
    gms_data_mark_asked(run, sizes);
    qsort(sizes, run->flow_count, sizeof(*sizes), gms_data_compare);
    for (i = 0; i < run->flow_count; ++i) {
        uint32_t index = sizes[i].index;

        if (run->flows[index].number != 0 &&
            data->chosen_count < GMS_DATA_FLOWS_MAX &&
            ((largest < GMS_DATA_FLOWS &&
              sizes[i].bytes >= all / GMS_DATA_LEAST) ||
             sizes[i].is_asked)) {
            ++largest;
            data->is_chosen[index] = 1;
            data->chosen[data->chosen_count++] = index;
        }
    }
    free(sizes);
    return 1;
}

/* Large clusters have fewer points per series. Otherwise the series of large
 * clusters would require more memory than all other data of the record. */
static size_t gms_data_most_buckets(const gms_report_run_t *run)
{
    size_t most = GMS_DATA_POINTS / run->nodes;

    return most > GMS_DATA_BUCKETS ? GMS_DATA_BUCKETS : most > 16 ? most : 16;
}

gms_status_t gms_data_init(const gms_report_run_t *run, gms_data_t *data)
{
    size_t count = run->flow_count + 1;

    *data = (gms_data_t){
        .run = run,
        .buckets = gms_buckets_of(run, gms_data_most_buckets(run)),
        .names = gms_report_flow_names(run),
        .losses = gms_losses_create(run),
        .saturation = gms_report_saturation(run, GMS_DATA_SATURATED),
        .spans = calloc(count, sizeof(*data->spans)),
        .chosen = calloc(count, sizeof(*data->chosen)),
        .is_chosen = calloc(count, 1),
        .is_named = calloc(count, 1),
    };
    if (data->names == NULL || data->losses == NULL ||
        data->saturation == NULL || data->spans == NULL ||
        data->chosen == NULL || data->is_chosen == NULL ||
        data->is_named == NULL || !gms_data_choose(data)) {
        gms_data_cleanup(data);
        return GMS_ERR_NO_MEMORY;
    }
    gms_data_find_spans(data);
    return GMS_OK;
}

void gms_data_cleanup(gms_data_t *data)
{
    free(data->names);
    gms_losses_destroy(data->losses);
    free(data->saturation);
    free(data->spans);
    free(data->chosen);
    free(data->is_chosen);
    free(data->is_named);
}

json_t *gms_data_rate(double bytes_s)
{
    return json_integer((json_int_t)llround(fmin(bytes_s, 1e18)));
}

json_t *gms_data_part(double part)
{
    return json_real(round(part * 10000) / 10000);
}

/* ---- the job and the cluster ---- */

static json_t *gms_data_ranks(const gms_report_run_t *run)
{
    json_t *array = json_array();
    size_t rank;

    for (rank = 0; rank < run->rank_count; ++rank) {
        (void)json_array_append_new(
            array, json_pack("{s:i,s:i,s:i}", "rank", (int)rank, "node",
                             (int)run->ranks[rank].node, "port",
                             (int)run->ranks[rank].port));
    }
    return array;
}

static json_t *gms_data_value(const gms_param_t *row, uint64_t value)
{
    return row->names != NULL ? json_string(row->names[value])
                              : json_integer((json_int_t)value);
}

/* Returns the description of a parameter, without the source of its value. */
static json_t *gms_data_meaning(const gms_param_t *row)
{
    const char *end = strstr(row->doc, " [");

    return end != NULL ? json_stringn(row->doc, (size_t)(end - row->doc))
                       : json_string(row->doc);
}

/** Returns the parameters whose values differ from the profile. For a parameter
 *  that is unknown to this version, the unit, default and meaning are
 *  missing. */
static json_t *gms_data_changed(const gms_report_run_t *run)
{
    const gms_profile_t *profile = gms_profile_find(run->profile);
    json_t *array = json_array(), *value;
    gms_params_t params;
    const char *name;

    gms_params_init(&params);
    if (profile != NULL) {
        gms_profile_init(profile, &params);
    }
    json_object_foreach((json_t *)(uintptr_t)run->parameters, name, value)
    {
        const gms_param_t *row = gms_param_find(name);
        json_t *usual = row != NULL
                            ? gms_data_value(row, gms_param_get(&params, row))
                            : NULL;

        if (usual == NULL || !json_equal(usual, value)) {
            (void)json_array_append_new(
                array,
                json_pack("{s:s,s:O,s:s,s:o?,s:o?}", "name", name, "value",
                          value, "unit", row != NULL ? row->unit : "",
                          "default", usual, "meaning",
                          row != NULL ? gms_data_meaning(row) : NULL));
        } else {
            json_decref(usual);
        }
    }
    return array;
}

static json_t *gms_data_cluster(const gms_report_run_t *run)
{
    return json_pack(
        "{s:s?,s:O?,s:s,s:O?,s:I,s:o}", "description", run->description, "text",
        json_object_get(json_object_get(run->root, "cluster"), "text"),
        "profile", run->profile, "nic_kind",
        json_object_get(run->parameters, "nic_kind"), "seed",
        (json_int_t)gms_report_param(run, "seed"), "changed",
        gms_data_changed(run));
}

static json_t *gms_data_times(const gms_buckets_t *buckets)
{
    json_t *array = json_array();
    size_t i;

    for (i = 0; i < buckets->count; ++i) {
        (void)json_array_append_new(
            array, json_integer((json_int_t)gms_bucket_end_ps(buckets, i)));
    }
    return array;
}

static json_t *gms_data_names(const gms_data_t *data)
{
    json_t *names = json_object();
    char number[16];
    size_t i;

    for (i = 0; i < data->run->flow_count; ++i) {
        if (data->is_named[i] && !data->is_chosen[i]) {
            (void)snprintf(number, sizeof(number), "%u",
                           data->run->flows[i].number);
            (void)json_object_set_new(names, number,
                                      json_string(data->names[i].text));
        }
    }
    return names;
}

static json_t *gms_data_hosts(const gms_report_run_t *run)
{
    double end_ps = run->end_ps > 0 ? (double)run->end_ps : 1;
    json_t *array = json_array();
    size_t rank;

    for (rank = 0; rank < run->rank_count; ++rank) {
        const gms_report_host_t *host = &run->hosts[rank];

        (void)json_array_append_new(
            array,
            json_pack("{s:i,s:o,s:o}", "rank", (int)rank, "worked",
                      gms_data_part((double)host->worked_ps / end_ps),
                      "computed",
                      gms_data_part((double)host->computed_ps / end_ps)));
    }
    return array;
}

/* Returns the name of the record's directory, without its path. */
static json_t *gms_data_record(const gms_report_run_t *run)
{
    size_t end = strlen(run->directory), start;

    while (end > 1 && run->directory[end - 1] == '/') {
        --end;
    }
    start = end;
    while (start > 0 && run->directory[start - 1] != '/') {
        --start;
    }
    return json_stringn(run->directory + start, end - start);
}

/* Adds the data that a user needs in order to repeat the run. */
static void gms_data_repeat(const gms_report_run_t *run, json_t *object)
{
    char *command = gms_report_command(run);
    json_t *policy = json_object_get(run->root, "policy");

    (void)json_object_set_new(object, "command",
                              command != NULL ? json_string(command)
                                              : json_null());
    (void)json_object_set(object, "policy",
                          policy != NULL ? policy : json_null());
    (void)json_object_set_new(object, "failed",
                              run->failed != NULL ? json_string(run->failed)
                                                  : json_null());
    free(command);
}

json_t *gms_report_data(const gms_report_run_t *run)
{
    gms_data_t data;
    json_t *object;
    char title[160], program[120];

    if (gms_data_init(run, &data) != GMS_OK) {
        return NULL;
    }
    (void)snprintf(title, sizeof(title), "%s on %zu rank%s",
                   gms_printable(run->program, program, sizeof(program)),
                   run->rank_count, run->rank_count == 1 ? "" : "s");
    object = json_pack("{s:s,s:o,s:s,s:s,s:b,s:I,s:o,s:o,s:o}", "title", title,
                       "record", gms_data_record(run), "program", run->program,
                       "version", run->version, "complete", run->is_complete,
                       "end_ps", (json_int_t)run->end_ps, "ranks",
                       gms_data_ranks(run), "cluster", gms_data_cluster(run),
                       "times_ps", gms_data_times(&data.buckets));
    if (object != NULL) {
        gms_data_network(&data, object);
        gms_data_flows(&data, object);
        gms_data_events(&data, object);
        (void)json_object_set_new(object, "hosts", gms_data_hosts(run));
        gms_data_repeat(run, object);
        (void)json_object_set_new(object, "flow_names", gms_data_names(&data));
        (void)json_object_set_new(object, "findings",
                                  gms_report_findings(&data));
    }
    gms_data_cleanup(&data);
    /* parts of the object are missing if memory ran out */
    if (gms_json_is_short()) {
        json_decref(object);
        return NULL;
    }
    return object;
}
