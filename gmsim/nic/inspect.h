/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Read-only access to a NIC for observers: records, traces, logs and
 * experiments. These functions never change the behaviour of a NIC. Messages,
 * packets and flows each have a field (`seen`) for an observer's own data.
 */
#ifndef NIC_INSPECT_H
#define NIC_INSPECT_H

#include "nic/dispatch.h"
#include "nic/flow.h"
#include "nic/nic.h"
#include "nic/packet.h"

#define GMS_NIC_PRIORITIES 2u

/** LANai jobs, in the order in which the MCP looks for work.
 *  [source: GM 2 dispatch order: FINISH_RDMA, FINISH_RECV, FINISH_SDMA,
 *  FINISH_SEND, START_SEND, FAIR_SDMA_RDMA, POLL] */
enum gms_job {
    GMS_JOB_FINISH_RDMA = 0,
    GMS_JOB_FINISH_RECV,
    GMS_JOB_FINISH_SDMA,
    GMS_JOB_FINISH_SEND,
    GMS_JOB_START_SEND,
    GMS_JOB_START_HOST_DMA,
    GMS_JOB_POLL,
    /* number of jobs; nic->job has this value while the NIC is idle */
    GMS_JOB_COUNT,
    /* value of nic->job after a reset has aborted the job; the NIC ignores the
     * end of this job */
    GMS_JOB_VOID,
};

/** Transfers of the host DMA engine. */
enum gms_dma_kind {
    GMS_DMA_SEND = 0, /* payload from the host into a send buffer */
    GMS_DMA_DATA,     /* payload of a received packet to the host */
    GMS_DMA_FAST,     /* payload and event to the host in one transfer */
    GMS_DMA_RECEIVED, /* event of a received message */
    GMS_DMA_SENT      /* event of a batch of finished sends */
};

typedef struct gms_message gms_message_t;

/** A message that becomes visible in the queue of a program. */
typedef struct gms_nic_delivery {
    gms_host_event_t *event;
    unsigned node;
    /* message that arrived through the NIC; NULL: the message arrived through
     * the host's memory */
    const gms_message_t *message;
    const gms_packet_t *fast; /* packet of a message that arrived in the
                                   * same transfer as its event */
    /* descriptor of a message that arrived through the host's memory */
    const gms_send_desc_t *desc;
} gms_nic_delivery_t;

/** Current work of the LANai and of the host DMA engine of a NIC. */
typedef struct gms_nic_view {
    unsigned node; /* from 0 */
    enum gms_job job;
    gms_time_t job_start_ps;
    const gms_packet_t *job_packet; /* packet of the job; NULL: the job has no
                                     * packet */
    enum gms_dma_kind dma;
    uint32_t dma_bytes;
    gms_time_t dma_start_ps;
    const gms_packet_t *dma_packet; /* NULL: the transfer moves an event */
} gms_nic_view_t;

void gms_nic_inspect(const gms_nic_t *nic, gms_nic_view_t *view);

/** Return the number of the NIC's node, from 0. */
unsigned gms_nic_node(const gms_nic_t *nic);
const gms_params_t *gms_nic_params(const gms_nic_t *nic);
const gms_fabric_t *gms_nic_fabric(const gms_nic_t *nic);
/** gms_nic_flows() returns all flows that this NIC sends or has sent, linked by
 *  `next` in the order of first use. The other functions return the number of
 *  flows, and the number of packets that these flows have sent. */
gms_flow_t *gms_nic_flows(const gms_nic_t *nic);
uint32_t gms_nic_flow_count(const gms_nic_t *nic);
uint64_t gms_nic_flow_packets(const gms_nic_t *nic);

/** Return the value that gms_message_note() stored in a message, or 0 if no
 *  value was stored. */
uint64_t gms_message_is_known(const gms_message_t *message);
void gms_message_note(gms_message_t *message, uint64_t seen);

#endif
