/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The Myrinet Control Program (MCP) consists of jobs of the LANai, in one file
 * per state machine. A job has two halves. The begin() function of a job checks
 * whether there is work, commits to this work, and returns the number of cycles
 * that the work takes. The end() function runs after these cycles and makes the
 * job's effects visible to the other components. The effects of a job on
 * packets are in functions that all kinds of NICs use (nic/step.h).
 */
#ifndef NIC_MCP_H
#define NIC_MCP_H

#include "nic/step.h"

/** Bits of the classes that a job may serve. */
#define GMS_MCP_CLASS(_class) (1u << (_class))
#define GMS_MCP_ALL_CLASSES   (GMS_MCP_CLASS(GMS_LANE_CLASSES) - 1)

/** Begin the job if it has work.
 *  @param [in] classes bits of the classes whose work the job may begin */
typedef uint64_t gms_job_begin_fn(gms_ctx_t *ctx, gms_nic_t *nic,
                                  unsigned classes);
typedef void gms_job_end_fn(gms_ctx_t *ctx, gms_nic_t *nic);

gms_job_begin_fn gms_mcp_rdma_finish_begin, gms_mcp_recv_finish_begin,
    gms_mcp_sdma_finish_begin, gms_mcp_send_finish_begin,
    gms_mcp_send_start_begin, gms_mcp_host_dma_begin, gms_mcp_poll_begin;
gms_job_end_fn gms_mcp_rdma_finish_end, gms_mcp_recv_finish_end,
    gms_mcp_sdma_finish_end, gms_mcp_send_finish_end, gms_mcp_send_start_end,
    gms_mcp_host_dma_end;

/** Begin a transfer for SDMA or for RDMA, which share the host DMA engine. Each
 *  function selects a transfer of a class, fills in nic->host_dma and returns
 *  the number of cycles that the job takes. */
uint64_t gms_mcp_sdma_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                            gms_nic_class_t *traffic_class);
uint64_t gms_mcp_rdma_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                            gms_nic_class_t *traffic_class);

gms_handler_fn gms_host_dma_on_done, gms_sdma_on_wake, gms_send_on_sent,
    gms_send_on_lost, gms_recv_on_request, gms_recv_on_arrived,
    gms_recv_on_copy, gms_flow_on_hold;

#endif
