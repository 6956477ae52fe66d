/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Steps of a packet's path through a NIC, without their times. Every kind of
 * NIC (nic/kind.h) calls these functions at the times that its model requires.
 * The jobs of the LANai (mcp_*.c) define the functions.
 *
 *   gms_poll_next_post, gms_mcp_poll_end    descriptor -> token of a flow
 *   gms_sdma_pick, _take, _fill             flow -> packet with its data
 *   gms_send_next, _inject, _ended, _release  packet -> link
 *   gms_recv_charge, gms_recv_process       packet -> work for RDMA, or dropped
 *   gms_rdma_begin, _deliver, _finish       work -> host memory, event
 */
#ifndef NIC_STEP_H
#define NIC_STEP_H

#include "nic/nic_int.h"

/** Return value of the functions that begin a step, if there is no work. */
#define GMS_CYCLES_NONE UINT64_MAX

/** Set nic->post to the next descriptor that can be read now.
 *  @return 0 if there is no such descriptor; nic->post is then NULL */
int gms_poll_next_post(const gms_ctx_t *ctx, gms_nic_t *nic);
/** Convert nic->post into a token or execute it, and set nic->post to NULL. */
void gms_mcp_poll_end(gms_ctx_t *ctx, gms_nic_t *nic);

/** Return 1 if a class has a free send buffer. */
int gms_sdma_has_buffer(const gms_nic_t *nic,
                        const gms_nic_class_t *traffic_class);
/** Return the flow that sends the class's next packet. If no flow may send now,
 *  return NULL and schedule a wake-up for the time when a flow may send. */
gms_flow_t *gms_sdma_pick(gms_ctx_t *ctx, gms_nic_t *nic,
                          const gms_nic_class_t *traffic_class);
/** Take a send buffer and the next packet of a flow that the scheduler has
 *  picked. The packet contains no data yet. */
gms_packet_t *gms_sdma_take(gms_ctx_t *ctx, gms_nic_t *nic,
                            gms_nic_class_t *traffic_class, gms_flow_t *flow);
/** Fetch a packet's data from the host.
 *  @return 0 if the packet must not be sent; the function has then freed the
 *    packet */
int gms_sdma_fill(gms_ctx_t *ctx, gms_nic_t *nic, gms_packet_t *packet);

/** Take a class's next packet for the link, with control packets first, and set
 *  send_dma.is_control. Return NULL if no packet waits. */
gms_packet_t *gms_send_next(gms_ctx_t *ctx, gms_nic_t *nic,
                            gms_nic_class_t *traffic_class);
/** Put send_dma.packet of a class on the link. */
void gms_send_inject(gms_ctx_t *ctx, gms_nic_t *nic,
                     gms_nic_class_t *traffic_class);
/** Count a packet whose tail has left the NIC. Return the link DMA that sent
 *  the packet. */
gms_link_dma_t *gms_send_ended(gms_nic_t *nic, const gms_event_t *event);
/** Release the send buffer of a data packet that has left the NIC. */
void gms_send_release(gms_ctx_t *ctx, gms_nic_class_t *traffic_class);

/** Add the times that an arrived packet has spent in the network to
 *  packet->path. */
void gms_recv_charge(gms_nic_t *nic, gms_packet_t *packet, gms_time_t now_ps);
/** Check a packet that has arrived, and queue it for RDMA or drop it. */
void gms_recv_process(gms_ctx_t *ctx, gms_nic_t *nic, gms_packet_t *packet);

/** Begin a class's next transfer to the host, and fill in `dma`.
 *  @return GMS_CYCLES_NONE if there is no work, otherwise the LANai's cycles */
uint64_t gms_rdma_begin(gms_ctx_t *ctx, gms_nic_t *nic,
                        gms_nic_class_t *traffic_class, gms_host_dma_t *dma);
/** Begin to report a received message, which is not in a queue, and fill in
 *  `dma`.
 *  @return GMS_CYCLES_NONE if the message's port was closed; the function has
 *    then freed the message */
uint64_t gms_rdma_begin_received(gms_ctx_t *ctx, gms_nic_t *nic,
                                 gms_host_dma_t *dma, gms_message_t *message);
/** Deliver the event of a RECEIVED, SENT or FAST transfer that has ended. */
void gms_rdma_deliver(gms_ctx_t *ctx, gms_nic_t *nic, gms_host_dma_t *dma);
/** Finish a DATA transfer, or a FAST transfer after its delivery. If the packet
 *  completes a message, the message is the class's next work for RDMA. */
void gms_rdma_finish(gms_ctx_t *ctx, gms_nic_t *nic, gms_host_dma_t *dma);

#endif
