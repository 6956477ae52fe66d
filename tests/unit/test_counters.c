/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the counters of NICs and flows with values that are computed by hand
 * from the parameters.
 */
#include "observe/counters.h"

#include <string.h>

#include "nic_rig.h"
#include "unit.h"

static gmsim_nic_counters_t nic_of(unsigned node)
{
    gmsim_nic_counters_t counters;

    gms_counters_of_nic(nics[node], rig_now(), &counters);
    return counters;
}

static gmsim_flow_counters_t flow_of(unsigned from, unsigned to)
{
    gms_flow_key_t key = {PORT, (uint16_t)to, PORT, 0, 0};
    gmsim_flow_counters_t counters;

    gms_counters_of_flow(nics[from], &key, rig_now(), &counters);
    return counters;
}

/* Return the time that a packet with `payload` bytes of payload takes on a
 * link. */
static gms_time_t wire_ps(uint64_t payload)
{
    return gms_transfer_ps(params.nic_header_bytes + payload,
                           params.link_bytes_s);
}

static void send_message(unsigned from, unsigned to, uint32_t length)
{
    rig_provide(to, rig_memory(to, MESSAGE), MESSAGE_SIZE);
    rig_send(from, to, rig_memory(from, MESSAGE), length, MESSAGE_SIZE);
}

static void test_nothing(void)
{
    static const gmsim_nic_counters_t no_nic;
    static const gmsim_flow_counters_t no_flow;
    gmsim_nic_counters_t nic = nic_of(0);
    gmsim_flow_counters_t flow = flow_of(0, 1);

    CHECK_U64(memcmp(&nic, &no_nic, sizeof(nic)), 0);
    CHECK_U64(memcmp(&flow, &no_flow, sizeof(flow)), 0);
}

/* A message of 10000 bytes is sent in packets of 4096, 4096 and 1808 bytes.
 * Three acknowledgements are sent back. */
static void test_traffic(void)
{
    gmsim_nic_counters_t from, to;
    gmsim_flow_counters_t flow;

    send_message(0, 1, 10000);
    rig_run();
    from = nic_of(0);
    to = nic_of(1);
    flow = flow_of(0, 1);
    CHECK_U64(from.now_ps, rig_now());
    CHECK_U64(from.packets_sent, 3);
    CHECK_U64(from.bytes_sent, 10000);
    CHECK_U64(from.messages_sent, 1);
    CHECK_U64(from.acks_received, 3);
    CHECK_U64(from.packets_received + from.bytes_received, 0);
    CHECK_U64(from.flows, 1);
    CHECK_U64(to.packets_received, 3);
    CHECK_U64(to.bytes_received, 10000);
    CHECK_U64(to.messages_received, 1);
    CHECK_U64(to.acks_sent, 3);
    CHECK_U64(to.packets_sent + to.bytes_sent + to.messages_sent, 0);
    CHECK_U64(flow.packets_sent, 3);
    CHECK_U64(flow.bytes_sent, 10000);
    CHECK_U64(flow.packets_arrived, 3);
    CHECK_U64(flow.bytes_arrived, 10000);
    CHECK_U64(flow.messages_sent, 1);
    CHECK_U64(flow_of(1, 0).packets_sent, 0);
    CHECK_U64(from.packets_resent + from.nacks_received + from.idt_waits +
                  from.window_waits + from.backoffs + from.blocked_packets,
              0);
}

/* The route passes through one switch. The tail of a packet leaves the NIC
 * after the routing time of the packet's head and the transfer time of the
 * packet. */
static void test_busy(void)
{
    gms_time_t data_ps = 2 * wire_ps(4096) + wire_ps(1808);
    gms_time_t event_ps =
        params.host_dma_setup_ps +
        gms_transfer_ps(params.nic_event_bytes, params.host_dma_bytes_s);
    gms_time_t fetch_ps = 3 * params.host_dma_setup_ps +
                          2 * gms_transfer_ps(4096, params.host_dma_bytes_s) +
                          gms_transfer_ps(1808, params.host_dma_bytes_s);
    uint64_t cycles =
        params.mcp_token_cycles +
        3 * (params.mcp_schedule_cycles + params.mcp_rate_first_cycles +
             params.mcp_sdma_start_cycles + params.mcp_sdma_finish_cycles +
             params.mcp_send_start_cycles + params.mcp_send_finish_cycles +
             params.mcp_ack_receive_cycles) +
        params.mcp_event_cycles;
    gmsim_nic_counters_t from, to;

    send_message(0, 1, 10000);
    rig_run();
    from = nic_of(0);
    to = nic_of(1);
    CHECK_U64(from.send_dma_busy_ps, data_ps + 3 * params.switch_routing_ps);
    CHECK_U64(to.receive_dma_busy_ps, data_ps);
    CHECK_U64(from.receive_dma_busy_ps,
              3 * gms_transfer_ps(params.nic_ack_bytes, params.link_bytes_s));
    CHECK_U64(from.host_dma_busy_ps, fetch_ps + event_ps);
    CHECK_U64(to.host_dma_busy_ps, fetch_ps + event_ps);
    CHECK_U64(from.lanai_busy_ps, cycles * params.lanai_cycle_ps);
}

/* The second packet waits for one IDT after the first, and the third packet
 * waits for another IDT. */
static void test_idt(void)
{
    gms_flow_key_t key = {PORT, 1, PORT, 0, 0};

    CHECK_U64(gms_nic_set_idt(&ctx, nics[0], &key, 300), GMS_OK);
    send_message(0, 1, 10000);
    rig_run();
    CHECK_U64(flow_of(0, 1).idt_ticks, 300);
    CHECK_U64(flow_of(0, 1).idt_waits, 2);
    CHECK_U64(flow_of(0, 1).idt_wait_ps, 600 * params.rtc_tick_ps);

    /* A second flow without an IDT does not change this waiting time. */
    send_message(0, 2, 10000);
    rig_run();
    CHECK_U64(flow_of(0, 2).idt_waits, 0);
    CHECK_U64(nic_of(0).idt_waits, 2);
    CHECK_U64(nic_of(0).idt_wait_ps, 600 * params.rtc_tick_ps);

    /* After a long pause, the first packet of a message does not wait. */
    send_message(0, 1, 4096);
    rig_run();
    CHECK_U64(flow_of(0, 1).idt_waits, 2);

    /* A message that follows immediately waits for the remaining part of the
     * IDT. */
    send_message(0, 1, 4096);
    send_message(0, 1, 4096);
    rig_run();
    CHECK_U64(flow_of(0, 1).idt_waits, 3);
    CHECK_U64(flow_of(0, 1).idt_wait_ps > 600 * params.rtc_tick_ps &&
                  flow_of(0, 1).idt_wait_ps < 900 * params.rtc_tick_ps,
              1);
}

/* With a window of one packet, there is a wait after each packet except the
 * last. This wait begins when the NIC chooses the next packet, and ends when
 * the acknowledgement arrives. */
static void test_window(void)
{
    gmsim_flow_counters_t flow;

    params.nic_window_packets = 1;
    rig_restart();
    send_message(0, 1, 10000);
    rig_run();
    flow = flow_of(0, 1);
    CHECK_U64(flow.window_waits, 2);
    CHECK_U64(flow.window_wait_ps > 0 && flow.window_wait_ps < flow.active_ps,
              1);
    CHECK_U64(nic_of(0).window_waits, 2);
    CHECK_U64(nic_of(0).window_wait_ps, flow.window_wait_ps);
}

/* Together with their headers, the packets have 4125, 4125 and 1837 bytes. The
 * quantum is 4125 bytes, so turns end before the second and the third packet.
 * After the third packet, the flow has no packets left, so the end of its turn
 * does not count. With the other schedulers, this counter is 0. */
static void test_quantum(void)
{
    params.scheduler = GMS_SCHEDULER_BYTE_RR;
    rig_restart();
    send_message(0, 1, 10000);
    rig_run();
    CHECK_U64(flow_of(0, 1).quantum_ends, 2);
    send_message(0, 2, 10000);
    rig_run();
    CHECK_U64(flow_of(0, 2).quantum_ends, 2);
    CHECK_U64(nic_of(0).quantum_ends, 4);
    CHECK_U64(nic_of(1).quantum_ends, 0);

    params.scheduler = GMS_SCHEDULER_PACKET_RR;
    rig_restart();
    send_message(0, 1, 10000);
    rig_run();
    CHECK_U64(nic_of(0).quantum_ends, 0);
}

/* Two packets to the same NIC meet at the switch. The second packet waits in
 * the switch until the first packet has passed. */
static void test_link_is_held(void)
{
    send_message(0, 2, 4096);
    send_message(1, 2, 4096);
    rig_run();
    CHECK_U64(nic_of(0).blocked_packets + nic_of(1).blocked_packets, 1);
    CHECK_U64(nic_of(0).blocked_ps + nic_of(1).blocked_ps, wire_ps(4096));
    CHECK_U64(nic_of(2).receive_buffer_waits, 0);
    CHECK_U64(nic_of(0).send_dma_busy_ps + nic_of(1).send_dma_busy_ps,
              3 * wire_ps(4096) + 2 * params.switch_routing_ps);
}

/* If the NIC has only one receive buffer, the second packet also waits for the
 * NIC. */
static void test_no_receive_buffer(void)
{
    gmsim_nic_counters_t to;

    params.nic_recv_buffers = 1;
    rig_restart();
    send_message(0, 2, 4096);
    send_message(1, 2, 4096);
    rig_run();
    to = nic_of(2);
    CHECK_U64(to.receive_buffer_waits, 1);
    CHECK_U64(to.receive_buffer_wait_ps > 0, 1);
    CHECK_U64(nic_of(0).blocked_ps + nic_of(1).blocked_ps,
              wire_ps(4096) + to.receive_buffer_wait_ps);
    CHECK_U64(nic_of(0).blocked_packets + nic_of(1).blocked_packets, 1);
}

/* If the receiver has no receive token, it refuses the packet. Each refusal
 * counts as a drop at the receiver, and as a retransmission and a pause at the
 * sender. */
static void test_no_token(void)
{
    gmsim_nic_counters_t from, to;
    gmsim_flow_counters_t flow;

    rig_send(0, 1, rig_memory(0, MESSAGE), 100, MESSAGE_SIZE);
    gms_engine_run_until(&ctx, 5 * GMS_MS);
    rig_provide(1, rig_memory(1, MESSAGE), MESSAGE_SIZE);
    rig_run();
    from = nic_of(0);
    to = nic_of(1);
    flow = flow_of(0, 1);
    CHECK_U64(received[1], 1);
    CHECK_U64(to.no_token_drops > 1, 1);
    CHECK_U64(from.nacks_received, to.no_token_drops);
    CHECK_U64(from.backoffs, to.no_token_drops);
    CHECK_U64(from.packets_resent, to.no_token_drops);
    CHECK_U64(from.packets_sent, to.no_token_drops + 1);
    CHECK_U64(to.packets_received, 1);
    CHECK_U64(from.backoff_ps,
              from.backoffs * params.nic_nack_delay_us * GMS_US);
    CHECK_U64(flow.backoffs, from.backoffs);
    CHECK_U64(flow.backoff_ps, from.backoff_ps);
    CHECK_U64(flow.packets_resent, from.packets_resent);
    CHECK_U64(flow.bytes_resent, 100 * from.packets_resent);
}

/* Dropped and damaged packets are sent again, but each packet counts as arrived
 * only once. */
static void test_faults(void)
{
    gmsim_nic_counters_t from, to;
    gmsim_flow_counters_t flow;
    unsigned i;

    params.fault_drop_ppm = 50000;
    params.fault_damage_payload_ppm = 50000;
    params.nic_check_crc = 1;
    rig_restart();
    for (i = 0; i < 10; ++i) {
        send_message(0, 1, MESSAGE);
    }
    rig_run();
    from = nic_of(0);
    to = nic_of(1);
    flow = flow_of(0, 1);
    CHECK_U64(received[1], 10);
    CHECK_U64(from.packets_resent > 0, 1);
    CHECK_U64(flow.packets_resent, from.packets_resent);
    CHECK_U64(from.packets_resent, gms_nic_counters(nics[0])->resent_packets);
    CHECK_U64(flow.packets_sent - flow.packets_resent, 160);
    CHECK_U64(flow.bytes_sent - flow.bytes_resent, 10 * MESSAGE);
    CHECK_U64(flow.packets_arrived, 160);
    CHECK_U64(flow.bytes_arrived, 10 * MESSAGE);
    CHECK_U64(to.packets_received, 160);
    CHECK_U64(to.bytes_received, 10 * MESSAGE);
    CHECK_U64(to.bad_crc_drops > 0, 1);
    CHECK_U64(to.sequence_drops > 0, 1);
    CHECK_U64(to.bad_crc_drops, gms_nic_counters(nics[1])->bad_crc_drops);
    CHECK_U64(from.messages_sent, 10);
}

/* A flow is active from when its token arrives until its last packet is
 * acknowledged. If the counter is read earlier, it includes the time up to the
 * moment of reading. */
static void test_active(void)
{
    gms_time_t begin_ps =
        params.host_pio_ps + params.mcp_token_cycles * params.lanai_cycle_ps;
    gms_time_t active_ps;

    rig_provide(1, rig_memory(1, MESSAGE), MESSAGE_SIZE);
    rig_run();
    begin_ps += rig_now();
    rig_send(0, 1, rig_memory(0, MESSAGE), MESSAGE, MESSAGE_SIZE);
    gms_engine_run_until(&ctx, begin_ps + 100 * GMS_US);
    CHECK_U64(flow_of(0, 1).active_ps, rig_now() - begin_ps);
    CHECK_U64(rig_now() > begin_ps + 50 * GMS_US, 1);
    rig_run();
    active_ps = flow_of(0, 1).active_ps;
    CHECK_U64(active_ps > GMS_MS / 2 && active_ps < rig_now() - begin_ps, 1);
    send_message(0, 2, 100);
    rig_run();
    CHECK_U64(flow_of(0, 1).active_ps, active_ps);
}

/* The counters in gmsim_counters.h are sums of the NIC's own counters. */
static void test_sums(void)
{
    gms_nic_counters_t *own = &nics[0]->counters;
    gmsim_nic_counters_t sums;

    own->data_packets_sent = 5;
    own->datagrams_sent = 3;
    own->data_packets_received = 7;
    own->datagrams_received = 2;
    own->no_buffer_drops = 1;
    own->sram_drops = 2;
    own->no_match_for_datagram_recv = 4;
    own->closed_port_drops = 1;
    own->rejected_drops = 2;
    own->bad_put_drops = 4;
    own->bad_get_drops = 8;
    own->got_drops = 16;
    own->reset_lost_packets = 32;
    sums = nic_of(0);
    CHECK_U64(sums.packets_sent, 5 + 3);
    CHECK_U64(sums.packets_received, 7 + 2);
    CHECK_U64(sums.no_token_drops, 1 + 2 + 4);
    CHECK_U64(sums.other_drops, 1 + 2 + 4 + 8 + 16 + 32);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"counters before any traffic", test_nothing},
        {"packets and bytes", test_traffic},
        {"busy times of the parts of a NIC", test_busy},
        {"waiting for the next dispatch time", test_idt},
        {"waiting for the window", test_window},
        {"turns that end with the quantum", test_quantum},
        {"waiting for a link", test_link_is_held},
        {"waiting for a receive buffer", test_no_receive_buffer},
        {"no receive token", test_no_token},
        {"lost and damaged packets", test_faults},
        {"active time of a flow", test_active},
        {"sums of a NIC's counters", test_sums},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"counters", NULL, NULL, rig_setup, rig_teardown, tests});
}
