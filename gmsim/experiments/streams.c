/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates a scenario with the cluster of the thesis, adds one flow per stream,
 * and measures the bandwidths after a warm-up. If the scenario cannot be
 * created, the experiment fails.
 */
#include "experiments/streams.h"

#include <string.h>

void gms_streams_params(gms_params_t *params)
{
    gms_params_init(params);
    params->undeclared = GMS_UNDECLARED_FREE;
}

gms_traffic_t gms_stream_traffic(const gms_stream_t *stream)
{
    gms_traffic_t traffic;

    memset(&traffic, 0, sizeof(traffic));
    traffic.source = stream->source;
    traffic.target = stream->target;
    traffic.message_bytes = GMS_STREAMS_BYTES;
    traffic.in_flight = GMS_STREAMS_IN_FLIGHT;
    traffic.control = GMS_TRAFFIC_IDT;
    traffic.idt_ticks = stream->idt_ticks;
    traffic.stop_ps = GMS_NEVER;
    traffic.pattern = GMS_TRAFFIC_BACKLOGGED;
    return traffic;
}

gms_status_t gms_streams_create(gms_lab_t *lab, const gms_params_t *params,
                                gms_scenario_t **scenario_p)
{
    char error[GMS_SCENARIO_ERROR_LEN];
    gms_status_t status = gms_scenario_create(params, NULL, scenario_p, error);

    return (status == GMS_OK) ? GMS_OK : gms_lab_fail(lab, status, "%s", error);
}

gms_status_t gms_streams_run(gms_lab_t *lab, const gms_params_t *params,
                             const gms_stream_t *streams, unsigned count,
                             gms_time_t window_ps, double *mb_s)
{
    gms_scenario_t *scenario;
    gms_status_t status = gms_streams_create(lab, params, &scenario);
    unsigned i;

    if (status != GMS_OK) {
        return status;
    }
    for (i = 0; i < count; ++i) {
        gms_traffic_t traffic = gms_stream_traffic(&streams[i]);

        if (gms_scenario_add(scenario, &traffic) != i) {
            gms_scenario_destroy(scenario);
            return gms_lab_fail(lab, GMS_ERR_INVALID_PARAM,
                                "flow %u from node %u to node %u cannot be "
                                "added to the scenario",
                                i + 1, streams[i].source + 1,
                                streams[i].target + 1);
        }
    }
    gms_scenario_measure(scenario, GMS_STREAMS_WARM_UP_PS,
                         GMS_STREAMS_WARM_UP_PS + window_ps, mb_s, count);
    for (i = 0; i < count; ++i) {
        mb_s[i] *= 1e-6;
    }
    gms_scenario_destroy(scenario);
    return GMS_OK;
}
