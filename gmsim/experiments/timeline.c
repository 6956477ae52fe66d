/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the flows of a timeline on the thesis's cluster (78 MB/s per node) and
 * reads the dispatch log of the sending NIC. The results are the rates per
 * stage, and curves in bins of 5000 ticks.
 */
#include "experiments/timeline.h"

#include "experiments/streams.h"

/* Length of a bin in which packets are counted, in ticks (2.5 ms). A busy flow
 * has about 25 packets per bin, so a single packet has little effect on the
 * curve. */
#define GMS_TIMELINE_BIN UINT64_C(5000)

/** Set the parameters of the thesis's cluster. The capacity of a node is 78
 *  MB/s for any number of flows, and each node and port divides its surplus
 *  evenly. */
static void gms_timeline_params(gms_params_t *params)
{
    gms_streams_params(params);
    params->qos_node_rule = GMS_QOS_NODE_CONSTANT;
    params->qos_best_effort = GMS_QOS_BEST_EFFORT_MINSHARE;
}

static gms_status_t gms_timeline_add(gms_lab_t *lab,
                                     const gms_timeline_t *timeline,
                                     gms_scenario_t *scenario)
{
    unsigned i;

    for (i = 0; i < timeline->flow_count; ++i) {
        const gms_timeline_flow_t *flow = &timeline->flows[i];
        const gms_stream_t stream = {0, i + 1, 0};
        gms_traffic_t traffic = gms_stream_traffic(&stream);

        traffic.control = (flow->premium_mb_s > 0.0) ? GMS_TRAFFIC_PREMIUM
                                                     : GMS_TRAFFIC_BEST_EFFORT;
        traffic.bytes_s = flow->premium_mb_s * 1e6;
        traffic.start_ps = flow->start_ms * GMS_MS;
        traffic.stop_ps = flow->stop_ms * GMS_MS;
        if (gms_scenario_add(scenario, &traffic) != i) {
            return gms_lab_fail(lab, GMS_ERR_INVALID_PARAM,
                                "flow '%s' cannot be added to the scenario",
                                flow->name);
        }
    }
    return GMS_OK;
}

/** Return the number of packets in the log that were dispatched between two
 *  ticks for a range of flows. */
static double gms_timeline_packets(const gms_dispatch_t *log, uint64_t count,
                                   uint32_t first, uint32_t flows,
                                   uint64_t begin, uint64_t end)
{
    uint64_t i, packets = 0;

    for (i = 0; i < count; ++i) {
        packets += log[i].flow - first < flows && log[i].rtc >= begin &&
                   log[i].rtc < end;
    }
    return (double)packets;
}

static void gms_timeline_stages(gms_lab_t *lab, const gms_timeline_t *timeline,
                                gms_scenario_t *scenario, uint64_t ticks_ms)
{
    const gms_timeline_stage_t *stage;

    for (stage = timeline->stages; stage->series != NULL; ++stage) {
        uint64_t begin = stage->begin_ms;
        double mb_s[GMS_TIMELINE_MAX_FLOWS];
        double of = stage->is_mean ? stage->count : 1.0;
        double sum = 0.0, packets;
        const gms_dispatch_t *log;
        uint64_t count;
        unsigned i;

        /* several rows may refer to the same interval; measure it only once */
        if (begin * GMS_MS >= gms_scenario_now(scenario)) {
            gms_scenario_measure(scenario, begin * GMS_MS,
                                 stage->end_ms * GMS_MS, mb_s,
                                 timeline->flow_count);
        }
        for (i = stage->first; i < stage->first + stage->count; ++i) {
            sum += mb_s[i] * 1e-6;
        }
        gms_lab_row(lab, stage->series, stage->setting, "bandwidth", sum / of,
                    "MB/s");
        count = gms_scenario_dispatches(scenario, 0, &log);
        packets =
            gms_timeline_packets(log, count, stage->first, stage->count,
                                 begin * ticks_ms, stage->end_ms * ticks_ms);
        gms_lab_row(lab, stage->series, stage->setting,
                    "packet dispatch frequency",
                    1000.0 * packets /
                        (of * (double)((stage->end_ms - begin) * ticks_ms)),
                    "packets/1000 ticks");
    }
}

static void gms_timeline_curves(gms_lab_t *lab, const gms_timeline_t *timeline,
                                gms_scenario_t *scenario, uint64_t end)
{
    const gms_dispatch_t *log;
    uint64_t count = gms_scenario_dispatches(scenario, 0, &log);
    uint64_t i, bin;
    uint32_t flow;

    for (flow = 0; flow < timeline->flow_count; ++flow) {
        for (bin = 0; bin + GMS_TIMELINE_BIN <= end; bin += GMS_TIMELINE_BIN) {
            double packets = gms_timeline_packets(log, count, flow, 1, bin,
                                                  bin + GMS_TIMELINE_BIN);

            gms_lab_point(lab, timeline->flows[flow].name,
                          (double)(bin + GMS_TIMELINE_BIN / 2) * 1e-3,
                          1000.0 * packets / (double)GMS_TIMELINE_BIN, NULL);
        }
    }
    for (i = 0; i < count; ++i) {
        if (log[i].flow < timeline->flow_count) {
            gms_lab_log(lab, timeline->flows[log[i].flow].name, log[i].rtc);
        }
    }
}

gms_status_t gms_timeline_run(gms_lab_t *lab, const gms_timeline_t *timeline)
{
    gms_scenario_t *scenario;
    gms_params_t params;
    gms_status_t status;
    uint64_t ticks_ms;
    unsigned i;

    gms_timeline_params(&params);
    ticks_ms = GMS_MS / params.rtc_tick_ps;
    status = gms_streams_create(lab, &params, &scenario);
    if (status != GMS_OK) {
        return status;
    }
    status = gms_timeline_add(lab, timeline, scenario);
    if (status == GMS_OK) {
        status = gms_scenario_log_dispatches(scenario, 0);
    }
    if (status == GMS_OK) {
        for (i = 0; i < timeline->flow_count; ++i) {
            const gms_timeline_flow_t *flow = &timeline->flows[i];

            gms_lab_note(lab, "Flow '%s' %s from %u to %u ms.", flow->name,
                         (flow->premium_mb_s > 0.0)
                             ? "has a reservation"
                             : "sends best-effort traffic",
                         flow->start_ms, flow->stop_ms);
        }
        gms_timeline_stages(lab, timeline, scenario, ticks_ms);
        gms_scenario_run(scenario, timeline->end_ms * GMS_MS);
        gms_timeline_curves(lab, timeline, scenario,
                            timeline->end_ms * ticks_ms);
    }
    gms_scenario_destroy(scenario);
    return status;
}
