/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts the sending NIC of the simulated cluster to a queueing network for
 * gmsim model. For comparison, it also measures the NIC's peak rate in the
 * simulator.
 *
 * Between two transfers of the host DMA engine, the LANai executes three jobs
 * in sequence. The LANai finishes the previous transfer, starts to send the
 * packet of this transfer, and chooses and starts the next transfer. During
 * these jobs, the engine is idle. The model therefore treats the three jobs as
 * one service of the LANai, which checks the engine. While the LANai ends one
 * send and starts the next, the link is idle; this time is part of the service
 * time of the send DMA. The other jobs for a packet overlap with transfers.
 */
#include <stdio.h>
#include <string.h>

#include "tool/model.h"
#include "experiments/scenario.h"

#define GMS_TOOL_MODEL_SHARE                                                   \
    0.8 /* load without --rate, as a fraction of the peak rate */
#define GMS_TOOL_MODEL_SLOW                                                    \
    1e-6 /* packets per us; lower than the rate of
                                         any NIC */
#define GMS_TOOL_MODEL_MESSAGE   65536u
#define GMS_TOOL_MODEL_IN_FLIGHT 8u
#define GMS_TOOL_MODEL_FROM_PS   (20 * GMS_MS)
#define GMS_TOOL_MODEL_TO_PS     (220 * GMS_MS)

enum {
    GMS_STATION_LANAI = 0,
    GMS_STATION_HDMA,
    GMS_STATION_NSDMA
};
enum {
    GMS_CLASS_PACKET = 0,
    GMS_CLASS_SENT
};

int gms_tool_model_has_profile(const gms_profile_t *profile)
{
    gms_params_t params;

    gms_profile_init(profile, &params);
    return params.nic_kind == GMS_NIC_LANAI;
}

uint64_t gms_tool_model_packet_bytes(const gms_profile_t *profile)
{
    gms_params_t params;

    gms_profile_init(profile, &params);
    return params.nic_mtu_bytes;
}

static double gms_tool_model_us(gms_time_t ps)
{
    return (double)ps / (double)GMS_US;
}

/** Solve the model at a very low rate, and then set the load to a fraction of
 *  the saturation rate. */
static int gms_tool_model_load_it(gms_model_t *model)
{
    char ignored[GMS_MODEL_ERROR_LEN];
    gms_model_result_t *result;

    if (gms_model_solve(model, GMS_MODEL_REVISIT, &result, ignored) !=
        GMS_MODEL_OK) {
        return 0;
    }
    gms_model_at(model, GMS_STATION_LANAI, GMS_CLASS_PACKET)->rate *=
        GMS_TOOL_MODEL_SHARE * result->saturation;
    gms_model_result_destroy(result);
    return 1;
}

gms_model_t *gms_tool_model_profile(const gms_profile_t *profile)
{
    gms_model_t *model = gms_model_create(3, 2);
    gms_params_t p;
    uint64_t start, rest, end;
    double between, transfer;

    if (model == NULL) {
        return NULL;
    }
    gms_profile_init(profile, &p);
    start = p.mcp_sdma_finish_cycles + p.mcp_send_start_cycles +
            p.mcp_schedule_cycles + p.mcp_rate_first_cycles +
            p.mcp_sdma_start_cycles; /* with one flow, the NIC need not examine
                                        other flows */
    rest = p.mcp_send_finish_cycles + p.mcp_send_start_cycles;
    end = p.mcp_send_finish_cycles + p.mcp_ack_receive_cycles;
    between = gms_tool_model_us(start * p.lanai_cycle_ps);
    transfer =
        gms_tool_model_us(p.host_dma_setup_ps +
                          gms_transfer_ps(p.nic_mtu_bytes, p.host_dma_bytes_s));
    strcpy(model->station[GMS_STATION_LANAI].name, "lanai");
    strcpy(model->station[GMS_STATION_HDMA].name, "hdma");
    strcpy(model->station[GMS_STATION_NSDMA].name, "nsdma");
    strcpy(model->class_name[GMS_CLASS_PACKET], "packet");
    strcpy(model->class_name[GMS_CLASS_SENT], "sent");
    gms_model_serve(model, GMS_STATION_LANAI, GMS_CLASS_PACKET, between, 0);
    gms_model_at(model, GMS_STATION_LANAI, GMS_CLASS_PACKET)->checks =
        GMS_STATION_HDMA;
    gms_model_serve(model, GMS_STATION_HDMA, GMS_CLASS_PACKET, transfer, 0);
    gms_model_serve(
        model, GMS_STATION_NSDMA, GMS_CLASS_PACKET,
        gms_tool_model_us(gms_transfer_ps(p.nic_mtu_bytes + p.nic_header_bytes,
                                          p.link_bytes_s) +
                          rest * p.lanai_cycle_ps),
        0);
    gms_model_serve(model, GMS_STATION_LANAI, GMS_CLASS_SENT,
                    gms_tool_model_us(end * p.lanai_cycle_ps), 0);
    gms_model_at(model, GMS_STATION_LANAI, GMS_CLASS_PACKET)->rate =
        GMS_TOOL_MODEL_SLOW;
    if (gms_model_route(model, GMS_STATION_LANAI, GMS_CLASS_PACKET,
                        GMS_STATION_HDMA, GMS_CLASS_PACKET,
                        1) != GMS_MODEL_OK ||
        gms_model_route(model, GMS_STATION_HDMA, GMS_CLASS_PACKET,
                        GMS_STATION_NSDMA, GMS_CLASS_PACKET,
                        1) != GMS_MODEL_OK ||
        gms_model_route(model, GMS_STATION_NSDMA, GMS_CLASS_PACKET,
                        GMS_STATION_LANAI, GMS_CLASS_SENT, 1) != GMS_MODEL_OK ||
        !gms_tool_model_load_it(model)) {
        gms_model_destroy(model);
        return NULL;
    }
    return model;
}

gms_status_t gms_tool_model_measure(const gms_profile_t *profile,
                                    double *bytes_s_p,
                                    char error[GMS_YAML_ERROR_LEN])
{
    const gms_traffic_t traffic = {.source = 0,
                                   .target = 1,
                                   .message_bytes = GMS_TOOL_MODEL_MESSAGE,
                                   .in_flight = GMS_TOOL_MODEL_IN_FLIGHT};
    char why[GMS_SCENARIO_ERROR_LEN];
    gms_scenario_t *scenario;
    gms_params_t params;
    gms_status_t status;

    gms_profile_init(profile, &params);
    status = gms_scenario_create(&params, NULL, &scenario, why);
    if (status != GMS_OK) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN, "%s", why);
        return status;
    }
    if (gms_scenario_add(scenario, &traffic) == UINT32_MAX) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN, "out of memory");
        gms_scenario_destroy(scenario);
        return GMS_ERR_NO_MEMORY;
    }
    gms_scenario_measure(scenario, GMS_TOOL_MODEL_FROM_PS, GMS_TOOL_MODEL_TO_PS,
                         bytes_s_p, 1);
    gms_scenario_destroy(scenario);
    return GMS_OK;
}
