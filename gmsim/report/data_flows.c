/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds the report's data about flows: their series and latencies, and the
 * matrix of bytes between ranks.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantile.h"
#include "report/data_int.h"

#define GMS_DATA_PS_S       1e12
#define GMS_DATA_MATRIX_MAX 256u

/* ---- properties of a flow ---- */

const char *gms_data_class(const gms_data_t *data, uint32_t flow)
{
    const gms_report_run_t *run = data->run;
    const char *best = NULL;
    size_t i, k;

    for (i = 0; i < run->event_count; ++i) {
        const gms_report_event_t *event = &run->events[i];

        for (k = 0; k < event->request_count; ++k) {
            const gms_report_request_t *request = &event->requests[k];

            if (request->flow != flow || request->held_class == NULL) {
                continue;
            }
            if (strcmp(request->held_class, "premium") == 0) {
                return "premium";
            }
            if (strcmp(request->held_class, "best-effort") == 0) {
                best = "best effort";
            }
        }
    }
    return best != NULL                 ? best
           : data->spans[flow].is_paced ? "paced"
                                        : "unregulated";
}

double gms_data_mean(const gms_data_t *data, uint32_t flow)
{
    const gms_report_flow_t *at = &data->run->flows[flow];
    const gms_data_span_t *span = &data->spans[flow];
    uint64_t bytes = at->last_ps > 0 ? at->period_bytes : at->bytes_arrived;

    return span->end_ps > span->begin_ps
               ? (double)bytes * GMS_DATA_PS_S /
                     (double)(span->end_ps - span->begin_ps)
               : 0;
}

double gms_data_fill(const gms_report_run_t *run, uint32_t flow)
{
    double full = (double)gms_report_param(run, "nic_mtu_bytes");
    const gms_report_flow_t *at = &run->flows[flow];

    return at->packets_sent > 0 && full > 0
               ? fmin(1, (double)at->bytes_sent /
                             ((double)at->packets_sent * full))
               : 1;
}

double gms_data_share(const gms_report_run_t *run,
                      const gms_report_request_t *request)
{
    return request->payload_part > 0 ? request->payload_part
                                     : gms_data_fill(run, request->flow);
}

/* Returns the geometric midpoint of the bin that contains the percentile. The
 * last bin is assumed to end at 1.25 times its start. */
double gms_report_percentile(const gms_report_flow_t *flow, double part)
{
    const gms_report_latency_t *bins = flow->latency;
    double from, to;
    size_t i;

    if (flow->latency_count == 0) {
        return 0;
    }
    i = gms_quantile_bin(&bins[0].packets, sizeof(bins[0]), flow->latency_count,
                         part);
    if (i == flow->latency_count) {
        return 0;
    }
    from = (double)bins[i].from_ps;
    to =
        i + 1 < flow->latency_count ? (double)bins[i + 1].from_ps : from * 1.25;
    return sqrt(from * to);
}

/* ---- series ---- */

/** Bytes per bucket. The first series belong to the shown flows, in the order
 *  of the list. The last series is the sum of all other flows. */
typedef struct gms_data_series {
    double *sent, *arrived;
} gms_data_series_t;

static void gms_data_collect(const gms_data_t *data, gms_data_series_t *series)
{
    const gms_report_run_t *run = data->run;
    size_t count = data->buckets.count, i;
    uint32_t *row = calloc(run->flow_count + 1, sizeof(*row));

    for (i = 0; row != NULL && i < run->flow_count; ++i) {
        row[i] = (uint32_t)data->chosen_count;
    }
    for (i = 0; row != NULL && i < data->chosen_count; ++i) {
        row[data->chosen[i]] = (uint32_t)i;
    }
    for (i = 0; row != NULL && i < run->flow_part_count; ++i) {
        const gms_report_flow_part_t *part = &run->flow_parts[i];
        size_t at = row[part->flow] * count +
                    gms_bucket_of_window(&data->buckets, part->window);

        series->sent[at] += (double)part->bytes;
        series->arrived[at] += (double)part->arrived_bytes;
    }
    free(row);
}

static json_t *gms_data_rates(const gms_data_t *data, const double *bytes,
                              double *peak_p)
{
    json_t *array = json_array();
    size_t i;

    for (i = 0; i < data->buckets.count; ++i) {
        double rate = bytes[i] * GMS_DATA_PS_S /
                      (double)gms_bucket_length_ps(&data->buckets, i);

        if (peak_p != NULL && rate > *peak_p) {
            *peak_p = rate;
        }
        (void)json_array_append_new(array, gms_data_rate(rate));
    }
    return array;
}

/* ---- a flow ---- */

/** Returns the steps of the flow's reserved bandwidth, or null if the flow
 *  never held a reservation. */
static json_t *gms_data_reserved(const gms_data_t *data, uint32_t flow)
{
    const gms_report_run_t *run = data->run;
    json_t *steps = json_array();
    double last = 0, payload = 1;
    size_t i, k;

    for (i = 0; i < run->event_count; ++i) {
        const gms_report_event_t *event = &run->events[i];

        for (k = 0; k < event->request_count; ++k) {
            const gms_report_request_t *request = &event->requests[k];
            double held;

            if (request->flow != flow || event->kind == GMS_REPORT_STALL) {
                continue;
            }
            if (event->kind == GMS_REPORT_GRANT) {
                payload = gms_data_share(run, request);
            }
            held = request->held_class != NULL &&
                           strcmp(request->held_class, "premium") == 0
                       ? request->held_bytes_s * payload
                       : 0;
            if (held != last) {
                (void)json_array_append_new(
                    steps, json_pack("[I,o]", (json_int_t)event->ps,
                                     gms_data_rate(held)));
            }
            last = held;
        }
    }
    if (json_array_size(steps) == 0) {
        json_decref(steps);
        return json_null();
    }
    return steps;
}

static json_t *gms_data_flow_times(const gms_report_flow_t *flow)
{
    json_t *times;
    unsigned i;

    if (!flow->has_end || flow->packets_arrived == 0) {
        return json_null();
    }
    times = json_pack("{s:I}", "packets", (json_int_t)flow->packets_arrived);
    for (i = 0; i < GMS_REPORT_STATIONS; ++i) {
        (void)json_object_set_new(times, gms_report_station_keys[i],
                                  json_integer((json_int_t)flow->times_ps[i]));
    }
    return times;
}

static json_t *gms_data_latency(const gms_report_flow_t *flow)
{
    json_t *histogram;
    double most = 0;
    size_t i;

    if (flow->latency_count == 0) {
        return json_null();
    }
    histogram = json_array();
    for (i = 0; i < flow->latency_count; ++i) {
        if (flow->latency[i].packets > 0) {
            (void)json_array_append_new(
                histogram,
                json_pack("[I,I]", (json_int_t)flow->latency[i].from_ps,
                          (json_int_t)flow->latency[i].packets));
            most = i + 1 < flow->latency_count
                       ? (double)flow->latency[i + 1].from_ps
                       : (double)flow->latency[i].from_ps * 1.25;
        }
    }
    return json_pack("{s:o,s:o,s:o,s:o,s:o}", "p50_ps",
                     gms_data_rate(gms_report_percentile(flow, 0.5)), "p90_ps",
                     gms_data_rate(gms_report_percentile(flow, 0.9)), "p99_ps",
                     gms_data_rate(gms_report_percentile(flow, 0.99)), "max_ps",
                     gms_data_rate(most), "histogram", histogram);
}

static json_t *gms_data_who(const gms_data_t *data, uint32_t index)
{
    const gms_report_run_t *run = data->run;
    const gms_report_flow_t *flow = &run->flows[index];

    return json_pack(
        "{s:i,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:i,s:s,s:s}", "flow",
        (int)flow->number, "name", data->names[index].text, "source_rank",
        (int)gms_report_rank_at(run, flow->node, flow->port), "target_rank",
        (int)gms_report_rank_at(run, flow->target_node, flow->target_port),
        "node", (int)flow->node, "port", (int)flow->port, "target_node",
        (int)flow->target_node, "target_port", (int)flow->target_port, "label",
        (json_int_t)flow->label, "priority", (int)flow->priority,
        "communicator", gms_report_label_name(run, flow->label), "class",
        gms_data_class(data, index));
}

/* Returns the delays of a flow, or null if the flow never held a
 * reservation. */
static json_t *gms_data_flow_delay(const gms_report_flow_t *flow)
{
    if (!flow->has_delay) {
        return json_null();
    }
    return json_pack("{s:I,s:I,s:I,s:I,s:s}", "bound_ps",
                     (json_int_t)gms_data_delay_bound(flow), "worst_ps",
                     (json_int_t)flow->worst_delay_ps, "messages",
                     (json_int_t)flow->delay_messages, "beyond",
                     (json_int_t)flow->delay_beyond, "verdict",
                     gms_data_delay_verdict(flow));
}

static json_t *gms_data_flow(const gms_data_t *data, uint32_t index,
                             const double *sent, const double *arrived)
{
    const gms_report_flow_t *flow = &data->run->flows[index];
    double peak = 0;
    json_t *object = gms_data_who(data, index);
    json_t *came = gms_data_rates(data, arrived, &peak);

    if (object == NULL) {
        json_decref(came);
        return NULL;
    }
    (void)json_object_update_new(
        object, json_pack("{s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "bytes",
                          (json_int_t)flow->bytes_sent, "packets",
                          (json_int_t)flow->packets_sent, "mean_bytes_s",
                          gms_data_rate(gms_data_mean(data, index)),
                          "peak_bytes_s", gms_data_rate(peak), "sent_bytes_s",
                          gms_data_rates(data, sent, NULL), "arrived_bytes_s",
                          came, "reserved", gms_data_reserved(data, index),
                          "times", gms_data_flow_times(flow), "latency",
                          gms_data_latency(flow)));
    (void)json_object_set_new(object, "delay", gms_data_flow_delay(flow));
    if (flow->has_end) {
        (void)json_object_set_new(
            object, "resent_packets",
            json_integer((json_int_t)flow->packets_resent));
        (void)json_object_set_new(
            object, "dropped_packets",
            json_integer(
                flow->packets_sent > flow->packets_arrived
                    ? (json_int_t)(flow->packets_sent - flow->packets_arrived)
                    : 0));
    }
    return object;
}

static json_t *gms_data_others(const gms_data_t *data,
                               const gms_data_series_t *series)
{
    const gms_report_run_t *run = data->run;
    size_t first = data->chosen_count * data->buckets.count, i;
    json_int_t flows = 0, bytes = 0, packets = 0;

    for (i = 0; i < run->flow_count; ++i) {
        if (!data->is_chosen[i] && run->flows[i].number != 0) {
            ++flows;
            bytes += (json_int_t)run->flows[i].bytes_sent;
            packets += (json_int_t)run->flows[i].packets_sent;
        }
    }
    return flows == 0
               ? json_null()
               : json_pack("{s:I,s:I,s:I,s:o,s:o}", "flows", flows, "bytes",
                           bytes, "packets", packets, "sent_bytes_s",
                           gms_data_rates(data, series->sent + first, NULL),
                           "arrived_bytes_s",
                           gms_data_rates(data, series->arrived + first, NULL));
}

static json_t *gms_data_matrix(const gms_report_run_t *run)
{
    size_t count = run->rank_count, i;
    json_t *rows = json_array();
    uint64_t *bytes;
    uint32_t from, to;

    bytes = count <= GMS_DATA_MATRIX_MAX ? calloc(count * count + 1, 8) : NULL;
    if (bytes == NULL) {
        json_decref(rows);
        return json_null();
    }
    for (i = 0; i < run->flow_count; ++i) {
        const gms_report_flow_t *flow = &run->flows[i];

        from = gms_report_rank_at(run, flow->node, flow->port);
        to = gms_report_rank_at(run, flow->target_node, flow->target_port);
        if (from != GMS_REPORT_NONE && to != GMS_REPORT_NONE) {
            bytes[from * count + to] += flow->bytes_arrived;
        }
    }
    for (from = 0; from < count; ++from) {
        json_t *row = json_array();

        for (to = 0; to < count; ++to) {
            (void)json_array_append_new(
                row, json_integer((json_int_t)bytes[from * count + to]));
        }
        (void)json_array_append_new(rows, row);
    }
    free(bytes);
    return rows;
}

void gms_data_flows(gms_data_t *data, json_t *object)
{
    size_t count = data->buckets.count;
    size_t room = (data->chosen_count + 1) * count + 1, i;
    gms_data_series_t series = {calloc(room, sizeof(double)),
                                calloc(room, sizeof(double))};
    json_t *flows = json_array();

    if (series.sent != NULL && series.arrived != NULL) {
        gms_data_collect(data, &series);
        for (i = 0; i < data->chosen_count; ++i) {
            (void)json_array_append_new(
                flows,
                gms_data_flow(data, data->chosen[i], series.sent + i * count,
                              series.arrived + i * count));
        }
        (void)json_object_set_new(object, "others",
                                  gms_data_others(data, &series));
    }
    (void)json_object_set_new(object, "flows", flows);
    (void)json_object_set_new(object, "matrix", gms_data_matrix(data->run));
    free(series.sent);
    free(series.arrived);
}
