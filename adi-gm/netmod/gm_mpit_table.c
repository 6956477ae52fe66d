/* SPDX-License-Identifier: BSD-3-Clause */
/* Defines the performance variables. doc/counters.md also lists these
 * variables, and a test compares both lists. */
#include "gm_mpit.h"

#define ADIGM_NIC(name_, measure_, pvar_class, field_, desc_) \
    { "gm_nic_" name_, ADIGM_SUBJECT_NIC, ADIGM_MEASURE_##measure_, MPI_T_PVAR_CLASS_##pvar_class, \
      offsetof(gmsim_nic_counters_t, field_), desc_ }
#define ADIGM_FLOW(name_, measure_, pvar_class, field_, desc_) \
    { "gm_flow_" name_, ADIGM_SUBJECT_FLOW, ADIGM_MEASURE_##measure_, \
      MPI_T_PVAR_CLASS_##pvar_class, offsetof(adigm_flow_counters_t, field_), desc_ }

const adigm_variable_t adigm_variables[] = {
    /* traffic of the NIC */
    ADIGM_NIC("packets_sent", COUNT, COUNTER, packets_sent,
              "Data packets that the NIC has put on its link, including retransmissions"),
    ADIGM_NIC("bytes_sent", COUNT, AGGREGATE, bytes_sent,
              "Payload of the data packets sent, in bytes"),
    ADIGM_NIC("packets_received", COUNT, COUNTER, packets_received,
              "Data packets that the NIC has accepted, each counted once"),
    ADIGM_NIC("bytes_received", COUNT, AGGREGATE, bytes_received,
              "Payload of the data packets received, in bytes"),
    ADIGM_NIC("messages_sent", COUNT, COUNTER, messages_sent,
              "GM messages, puts and gets that have completed successfully"),
    ADIGM_NIC("messages_received", COUNT, COUNTER, messages_received,
              "GM messages that the NIC has reported to its host"),
    ADIGM_NIC("acks_sent", COUNT, COUNTER, acks_sent, "Acknowledgements sent"),
    ADIGM_NIC("acks_received", COUNT, COUNTER, acks_received, "Acknowledgements received"),
    ADIGM_NIC("nacks_sent", COUNT, COUNTER, nacks_sent, "Negative acknowledgements sent"),
    ADIGM_NIC("nacks_received", COUNT, COUNTER, nacks_received,
              "Negative acknowledgements received"),
    ADIGM_NIC("probes_sent", COUNT, COUNTER, probes_sent,
              "Probes sent to a NIC that was silent for too long"),
    ADIGM_NIC("packets_resent", COUNT, COUNTER, packets_resent,
              "Retransmissions: data packets that were lost or refused and must be sent again"),
    /* drops */
    ADIGM_NIC("crc_errors", COUNT, COUNTER, bad_crc_drops,
              "Packets that arrived damaged and were dropped"),
    ADIGM_NIC("sequence_drops", COUNT, COUNTER, sequence_drops,
              "Packets dropped because they arrived out of order or were duplicates"),
    ADIGM_NIC("no_token_drops", COUNT, COUNTER, no_token_drops,
              "Packets dropped because no receive token was available for their message"),
    ADIGM_NIC("other_drops", COUNT, COUNTER, other_drops,
              "Packets dropped for other reasons: the port was closed, the port did not accept the "
              "size or the memory, the get had already ended, or the NIC was reset"),
    /* stalls */
    ADIGM_NIC("idt_stalls", COUNT, COUNTER, idt_waits,
              "Packets that waited for the next dispatch time of their flow"),
    ADIGM_NIC("idt_stall_time", SECONDS, TIMER, idt_wait_ps,
              "Time that packets spent waiting for the next dispatch time of their flow, summed "
              "over all packets, in seconds"),
    ADIGM_NIC("window_stalls", COUNT, COUNTER, window_waits,
              "Number of times that a flow stopped because too many packets to its target's NIC "
              "were unacknowledged"),
    ADIGM_NIC("window_stall_time", SECONDS, TIMER, window_wait_ps,
              "Time during which flows were stopped because too many packets were unacknowledged, "
              "summed over all flows, in seconds"),
    ADIGM_NIC("backoffs", COUNT, COUNTER, backoffs,
              "Number of times that a flow paused because its packet was refused"),
    ADIGM_NIC("backoff_time", SECONDS, TIMER, backoff_ps,
              "Time during which flows paused after a packet was refused, summed over all flows, "
              "in seconds"),
    ADIGM_NIC("quantum_ends", COUNT, COUNTER, quantum_ends,
              "Number of times that a flow's turn ended because its next packet was larger than "
              "the remaining quantum (scheduler byte-rr)"),
    ADIGM_NIC("memory_stalls", COUNT, COUNTER, memory_waits,
              "Sends that had to wait for free NIC memory"),
    ADIGM_NIC("link_stalls", COUNT, COUNTER, blocked_packets,
              "Packets, including control packets, that were blocked on their route because "
              "another packet held the next link, or because the target's NIC had no free receive "
              "buffer"),
    ADIGM_NIC("link_stall_time", SECONDS, TIMER, blocked_ps,
              "Time that packets spent blocked on their route, summed over all packets, in "
              "seconds"),
    ADIGM_NIC("receive_buffer_stalls", COUNT, COUNTER, receive_buffer_waits,
              "Packets that arrived while all receive buffers of this NIC were in use"),
    ADIGM_NIC("receive_buffer_stall_time", SECONDS, TIMER, receive_buffer_wait_ps,
              "Time that packets spent waiting for a free receive buffer after their arrival, "
              "summed over all packets, in seconds"),
    /* activity of the NIC's components */
    ADIGM_NIC("lanai_time", SECONDS, TIMER, lanai_busy_ps,
              "Time during which the NIC's processor was busy, in seconds"),
    ADIGM_NIC("host_dma_time", SECONDS, TIMER, host_dma_busy_ps,
              "Time during which the host DMA engine was busy, in both directions, in seconds"),
    ADIGM_NIC("send_dma_time", SECONDS, TIMER, send_dma_busy_ps,
              "Time during which the send DMA engine was busy or blocked, in seconds"),
    ADIGM_NIC("receive_dma_time", SECONDS, TIMER, receive_dma_busy_ps,
              "Time during which the receive DMA engine was busy, in seconds"),
    ADIGM_NIC("lanai_utilization", SHARE, PERCENTAGE, lanai_busy_ps,
              "gm_nic_lanai_time divided by the time for which the handle was running"),
    ADIGM_NIC("host_dma_utilization", SHARE, PERCENTAGE, host_dma_busy_ps,
              "gm_nic_host_dma_time divided by the time for which the handle was running"),
    ADIGM_NIC("send_dma_utilization", SHARE, PERCENTAGE, send_dma_busy_ps,
              "gm_nic_send_dma_time divided by the time for which the handle was running"),
    ADIGM_NIC("receive_dma_utilization", SHARE, PERCENTAGE, receive_dma_busy_ps,
              "gm_nic_receive_dma_time divided by the time for which the handle was running"),
    ADIGM_NIC("memory_used", LEVEL, LEVEL, sram_used_bytes,
              "NIC memory currently in use, in bytes"),
    ADIGM_NIC("flows", LEVEL, LEVEL, flows,
              "Flows that the NIC has added to its flow table since the start of the job"),
    /* flows: one element for each rank of the communicator, or of its remote
     * group */
    ADIGM_FLOW("packets_sent", COUNT, COUNTER, card.packets_sent,
               "Data packets of the flow that the NIC has dispatched, including retransmissions"),
    ADIGM_FLOW("bytes_sent", COUNT, AGGREGATE, card.bytes_sent,
               "Payload of the packets sent, in bytes"),
    ADIGM_FLOW("packets_arrived", COUNT, COUNTER, card.packets_arrived,
               "Data packets of the flow that have arrived in the target's memory"),
    ADIGM_FLOW("bytes_arrived", COUNT, AGGREGATE, card.bytes_arrived,
               "Payload of the packets that arrived, in bytes"),
    ADIGM_FLOW("packets_resent", COUNT, COUNTER, card.packets_resent,
               "Retransmissions: packets that were lost or refused and must be sent again"),
    ADIGM_FLOW("messages_sent", COUNT, COUNTER, card.messages_sent,
               "GM messages, puts and gets of the flow that have completed successfully"),
    ADIGM_FLOW("idt", LEVEL, LEVEL, card.idt_ticks,
               "Current inter-packet dispatch time, in ticks of rtc_tick_ps, or 0 if the flow is "
               "unregulated"),
    ADIGM_FLOW("bandwidth", RATE, LEVEL, card.bytes_arrived,
               "Achieved bandwidth: payload that arrived while the handle was running, divided by "
               "that time, in bytes/s"),
    ADIGM_FLOW("active_time", SECONDS, TIMER, card.active_ps,
               "Time during which the NIC had queued or unacknowledged data of the flow, in "
               "seconds"),
    ADIGM_FLOW("idt_stalls", COUNT, COUNTER, card.idt_waits,
               "Packets that waited for the next dispatch time of the flow"),
    ADIGM_FLOW("idt_stall_time", SECONDS, TIMER, card.idt_wait_ps,
               "Time that packets spent waiting for the next dispatch time of the flow, summed "
               "over all packets, in seconds"),
    ADIGM_FLOW("window_stalls", COUNT, COUNTER, card.window_waits,
               "Number of times that the flow stopped because too many packets to its target's NIC "
               "were unacknowledged"),
    ADIGM_FLOW("window_stall_time", SECONDS, TIMER, card.window_wait_ps,
               "Time during which the flow was stopped because too many packets were "
               "unacknowledged, in seconds"),
    ADIGM_FLOW("backoffs", COUNT, COUNTER, card.backoffs,
               "Number of times that the flow paused because its packet was refused"),
    ADIGM_FLOW("backoff_time", SECONDS, TIMER, card.backoff_ps,
               "Time during which the flow paused after a packet was refused, in seconds"),
    ADIGM_FLOW("quantum_ends", COUNT, COUNTER, card.quantum_ends,
               "Number of times that the flow's turn ended because its next packet was larger than "
               "the remaining quantum (scheduler byte-rr)"),
    ADIGM_FLOW("token_stalls", COUNT, COUNTER, token_waits,
               "Messages and puts that had to wait in the process because no send token was free "
               "for the flow, or because two puts of the flow were already in progress"),
    {.name = NULL}
};
