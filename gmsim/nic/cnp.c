/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends and receives congestion notification packets. The receiver
 * sends at most one CNP per flow and interval. It stores the earliest time of
 * the next CNP in the sender's flow object. The sender's flow object can hold
 * this time, because every flow has only one receiver.
 */
#include "nic/cnp.h"

#include "nic/alloc.h"
#include "nic/dcqcn.h"

static gms_packet_t *gms_cnp_create(gms_ctx_t *ctx, const gms_nic_t *nic,
                                    const gms_packet_t *cause)
{
    gms_packet_t *packet = gms_packet_create(ctx, 0);
    gms_packet_header_t *header = &packet->header;

    header->type = GMS_PACKET_CNP;
    header->source = nic->node;
    header->target = cause->header.source;
    header->source_port = cause->header.source_port;
    header->target_port = cause->header.target_port;
    header->label = cause->header.label;
    header->priority = cause->header.priority;
    packet->worm.source = header->source;
    packet->worm.target = header->target;
    packet->worm.traffic_class = GMS_LANE_CONTROL;
    packet->worm.wire_bytes = (uint32_t)nic->params->dcqcn_cnp_bytes;
    packet->mark_ps = gms_engine_now(ctx->engine);
    if (nic->params->nic_check_crc) {
        gms_packet_seal(packet);
    }
    return packet;
}

void gms_cnp_notice(gms_ctx_t *ctx, gms_nic_t *nic, const gms_packet_t *packet)
{
    gms_time_t now_ps = gms_engine_now(ctx->engine);
    gms_flow_t *flow = packet->flow;
    gms_packet_t *cnp;

    if (!nic->params->dcqcn || flow == NULL || now_ps < flow->next_cnp_ps) {
        return;
    }
    flow->next_cnp_ps = now_ps + nic->params->dcqcn_cnp_ps;
    ++nic->counters.cnps_sent;
    cnp = gms_cnp_create(ctx, nic, packet);
    gms_nic_meet_class(nic, cnp->worm.traffic_class);
    gms_packet_queue_put(&gms_nic_class_of(nic, cnp)->cnps, cnp);
    ++nic->unsent_count;
}

void gms_cnp_receive(gms_ctx_t *ctx, gms_nic_t *nic, const gms_packet_t *packet)
{
    const gms_packet_header_t *header = &packet->header;
    const gms_flow_key_t key = {.source_port = header->source_port,
                                .target_node = (uint16_t)header->source,
                                .target_port = header->target_port,
                                .priority = header->priority,
                                .label = header->label};
    gms_flow_t *flow = gms_flow_find(nic, &key);

    if (flow == NULL) {
        return;
    }
    if (flow->dcqcn == NULL) {
        flow->dcqcn = gms_nic_alloc(ctx, sizeof(*flow->dcqcn));
        gms_dcqcn_init(flow->dcqcn, nic->params);
    }
    ++nic->counters.cnps_received;
    gms_dcqcn_notified(flow->dcqcn, nic->params, gms_engine_now(ctx->engine));
}
