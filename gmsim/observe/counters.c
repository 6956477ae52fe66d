/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the structs of gmsim_counters.h from the counters of a NIC, its
 * flows and its DMA engines.
 */
#include "observe/counters.h"

#include <string.h>

#include "nic/inspect.h"

static void gms_counters_traffic(const gms_nic_counters_t *nic,
                                 gmsim_nic_counters_t *counters)
{
    counters->packets_sent = nic->data_packets_sent + nic->datagrams_sent;
    counters->bytes_sent = nic->bytes_sent;
    counters->packets_received =
        nic->data_packets_received + nic->datagrams_received;
    counters->bytes_received = nic->bytes_received;
    counters->messages_sent = nic->messages_sent;
    counters->messages_received = nic->messages_received;
    counters->acks_sent = nic->acks_sent;
    counters->acks_received = nic->acks_received;
    counters->nacks_sent = nic->nacks_sent;
    counters->nacks_received = nic->nacks_received;
    counters->probes_sent = nic->probes_sent;
    counters->packets_resent = nic->resent_packets;
}

static void gms_counters_drops(const gms_nic_counters_t *nic,
                               gmsim_nic_counters_t *counters)
{
    counters->bad_crc_drops = nic->bad_crc_drops;
    counters->sequence_drops = nic->out_of_sequence;
    counters->no_token_drops = nic->no_buffer_drops + nic->sram_drops +
                               nic->no_match_for_datagram_recv;
    counters->other_drops = nic->closed_port_drops + nic->rejected_drops +
                            nic->bad_put_drops + nic->bad_get_drops +
                            nic->got_drops + nic->reset_lost_packets;
}

void gms_counters_of_nic(const gms_nic_t *nic, gms_time_t now_ps,
                         gmsim_nic_counters_t *counters)
{
    const gms_nic_counters_t *own = gms_nic_counters(nic);
    gms_flow_stats_t sums;

    memset(counters, 0, sizeof(*counters));
    counters->now_ps = now_ps;
    gms_counters_traffic(own, counters);
    gms_counters_drops(own, counters);
    counters->flows = gms_nic_flow_sums(nic, &sums);
    counters->idt_waits = sums.idt_waits;
    counters->idt_wait_ps =
        sums.idt_wait_ticks * gms_nic_params(nic)->rtc_tick_ps;
    counters->window_waits = sums.window_waits;
    counters->window_wait_ps = sums.window_wait_ps;
    counters->backoffs = sums.holds;
    counters->backoff_ps = sums.hold_ps;
    counters->memory_waits = own->sram_waits;
    counters->blocked_packets = own->blocked_packets;
    counters->blocked_ps = own->blocked_ps;
    counters->receive_buffer_waits = own->recv_buffer_waits;
    counters->receive_buffer_wait_ps = own->recv_buffer_wait_ps;
    counters->lanai_busy_ps = own->lanai_busy_ps;
    counters->host_dma_busy_ps = own->host_dma_busy_ps;
    counters->send_dma_busy_ps = own->send_dma_busy_ps;
    counters->receive_dma_busy_ps = own->recv_dma_busy_ps;
    counters->sram_used_bytes = own->sram_used_bytes;
    counters->quantum_ends = sums.quantum_ends;
}

void gms_counters_of_flow(const gms_nic_t *nic, const gms_flow_key_t *key,
                          gms_time_t now_ps, gmsim_flow_counters_t *counters)
{
    gms_flow_stats_t own;

    gms_nic_flow_stats(nic, key, &own);
    memset(counters, 0, sizeof(*counters));
    counters->now_ps = now_ps;
    counters->idt_ticks = own.idt_ticks;
    counters->packets_sent = own.packets_sent;
    counters->bytes_sent = own.bytes_sent;
    counters->packets_resent = own.packets_again;
    counters->bytes_resent = own.bytes_again;
    counters->packets_arrived = own.packets_arrived;
    counters->bytes_arrived = own.bytes_arrived;
    counters->messages_sent = own.messages_sent;
    counters->active_ps = own.active_ps;
    if (own.has_more) {
        counters->active_ps += now_ps - own.active_since_ps;
    }
    counters->idt_waits = own.idt_waits;
    counters->idt_wait_ps =
        own.idt_wait_ticks * gms_nic_params(nic)->rtc_tick_ps;
    counters->window_waits = own.window_waits;
    counters->window_wait_ps = own.window_wait_ps;
    counters->backoffs = own.holds;
    counters->backoff_ps = own.hold_ps;
    counters->quantum_ends = own.quantum_ends;
}
