/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives observers access to the current jobs and packets of a NIC, its flows,
 * and their counts.
 */
#include "nic/inspect.h"

#include "nic/nic_int.h"

/* Return the packet of job START_SEND, which is the packet whose link DMA is
 * being prepared. */
static const gms_packet_t *gms_nic_packet_to_send(const gms_nic_t *nic)
{
    unsigned i;

    for (i = 0; i < nic->classes; ++i) {
        if (nic->traffic_class[i].send_dma.state == GMS_ENGINE_PREPARING) {
            return nic->traffic_class[i].send_dma.packet;
        }
    }
    return NULL;
}

static const gms_packet_t *gms_nic_job_packet(const gms_nic_t *nic)
{
    switch ((enum gms_job)nic->job) {
    case GMS_JOB_START_HOST_DMA:
    case GMS_JOB_FINISH_SDMA:
    case GMS_JOB_FINISH_RDMA:
        return nic->host_dma.packet;
    case GMS_JOB_FINISH_RECV:
        return nic->traffic_class[nic->job_class].arrived.first;
    case GMS_JOB_START_SEND:
        return gms_nic_packet_to_send(nic);
    case GMS_JOB_FINISH_SEND:
    case GMS_JOB_POLL:
    case GMS_JOB_COUNT:
    case GMS_JOB_VOID:
        break;
    }
    return NULL;
}

void gms_nic_inspect(const gms_nic_t *nic, gms_nic_view_t *view)
{
    *view = (gms_nic_view_t){.node = nic->node,
                             .job = (enum gms_job)nic->job,
                             .job_start_ps = nic->job_start_ps,
                             .job_packet = gms_nic_job_packet(nic),
                             .dma = (enum gms_dma_kind)nic->host_dma.kind,
                             .dma_bytes = nic->host_dma.bytes,
                             .dma_start_ps = nic->host_dma.start_ps,
                             .dma_packet = nic->host_dma.packet};
}

unsigned gms_nic_node(const gms_nic_t *nic)
{
    return nic->node;
}

const gms_params_t *gms_nic_params(const gms_nic_t *nic)
{
    return nic->params;
}

const gms_fabric_t *gms_nic_fabric(const gms_nic_t *nic)
{
    return nic->fabric;
}

gms_flow_t *gms_nic_flows(const gms_nic_t *nic)
{
    return nic->flows.first;
}

uint32_t gms_nic_flow_count(const gms_nic_t *nic)
{
    return nic->flow_count;
}

uint64_t gms_nic_flow_packets(const gms_nic_t *nic)
{
    return nic->flow_packets;
}

uint64_t gms_message_is_known(const gms_message_t *message)
{
    return message->seen;
}

void gms_message_note(gms_message_t *message, uint64_t seen)
{
    message->seen = seen;
}
