/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the values of the profiles for Ethernet with RoCE, and lists their
 * sources. The thresholds of switches and the DCQCN values for 100 Gb/s are the
 * defaults of their rows (params/rows_ethernet.h). The default of
 * switch_routing_ps is also the latency of an Ethernet switch with cut-through.
 * [source: Mellanox, SN2700 product brief: 300 ns from port to port] The host
 * costs are the values of the profile edr before any fit.
 */
#include "params/profile_roce.h"

#include "base/time.h"

#define GMS_SAME_EDR "[assumed: same as edr, before any fit]"
#define GMS_PROFILE_ROCE                                                       \
    {"nic_kind", GMS_NIC_HCA,                                                  \
     "Pipelined hardware. [source: Mellanox, ConnectX product briefs]"},       \
        {"fabric_model", GMS_FABRIC_ETHERNET,                                  \
         "[source: InfiniBand Architecture Specification, volume 1, annex "    \
         "A17]"},                                                              \
        {"gm_ports", 256, GMS_SAME_EDR},                                       \
        {"nic_header_bytes", 82,                                               \
         "Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, preamble 8 and " \
         "gap 12 bytes. [source: InfiniBand Architecture Specification, "      \
         "volume 1, annex A17; IEEE 802.3, 3.1 and 4.4]"},                     \
        {"nic_ack_bytes", 86,                                                  \
         "A header and an AETH of 4 bytes. [source: same as "                  \
         "nic_header_bytes]"},                                                 \
        {"nic_ack_packets", 8, GMS_SAME_EDR},                                  \
        {"nic_send_buffers", 16, GMS_SAME_EDR},                                \
        {"nic_recv_buffers", 64, GMS_SAME_EDR},                                \
        {"nic_nack_delay_us", 10, GMS_SAME_EDR},                               \
        {"nic_sram_bytes", UINT64_C(4) << 30, GMS_SAME_EDR},                   \
        {"host_dma_setup_ps", 0, GMS_SAME_EDR},                                \
        {"rtc_tick_ps", 1000, GMS_SAME_EDR},                                   \
        {"qos_node_rule", GMS_QOS_NODE_CONSTANT, GMS_SAME_EDR},                \
        {"link_propagation_ps", 15 * GMS_NS, GMS_SAME_EDR},                    \
        {"host_pio_ps", 150 * GMS_NS, GMS_SAME_EDR},                           \
        {"host_send_ps", 50 * GMS_NS, GMS_SAME_EDR},                           \
        {"host_receive_ps", 60 * GMS_NS, GMS_SAME_EDR},                        \
        {"host_poll_ps", 10 * GMS_NS, GMS_SAME_EDR},                           \
        {"host_callback_ps", 15 * GMS_NS, GMS_SAME_EDR},                       \
        {"host_provide_ps", 15 * GMS_NS, GMS_SAME_EDR},                        \
        {"host_clock_read_ps", 10 * GMS_NS, GMS_SAME_EDR},                     \
        {"host_register_ps", 1 * GMS_US, GMS_SAME_EDR},                        \
        {"host_register_page_ps", 50 * GMS_NS, GMS_SAME_EDR},                  \
        {"mpi_overhead_ps", 100 * GMS_NS, GMS_SAME_EDR},                       \
        {"mpi_copy_ps_per_byte", 53, GMS_SAME_EDR},                            \
        {"mpi_receive_copy_ps_per_byte", 52, GMS_SAME_EDR},                    \
        {"mpi_eager_part_bytes", 8256, GMS_SAME_EDR},                          \
        {"mpi_eager_bytes", UINT64_C(128) << 10, GMS_SAME_EDR},                \
        {"mpi_pack_block_ps", 10 * GMS_NS, GMS_SAME_EDR},                      \
        {"mpi_rndv_protocol", GMS_MPI_RNDV_READ, GMS_SAME_EDR},                \
        {"mpi_rndv_recv_ps_per_byte", 0, GMS_SAME_EDR},                        \
        {"mpi_register_cache_bytes", UINT64_C(16) << 30, GMS_SAME_EDR},        \
        {"mpi_register_lookup_ps", 30 * GMS_NS, GMS_SAME_EDR},                 \
        {"memory_latency_ps", 100 * GMS_NS, GMS_SAME_EDR},                     \
        {"memory_ps_per_byte", 106, GMS_SAME_EDR},                             \
    {                                                                          \
        "gm_registered_bytes", UINT64_C(64) << 30, GMS_SAME_EDR                \
    }

const gms_profile_value_t gms_profile_roce_100[] = {
    GMS_PROFILE_ROCE,
    {"link_bytes_s", UINT64_C(12500000000),
     "100 Gb/s after encoding. [source: IEEE 802.3, 100GBASE-R]"},
    {"nic_window_packets", 1024,
     "4 MB. [assumed: more than the longest queue of a switch]"},
    {"qos_idt_product", 4096000, "[assumed: nic_mtu_bytes / rtc_tick_ps]"},
    {"host_dma_bytes_s", UINT64_C(13000000000), GMS_SAME_EDR},
    {"qos_node_bytes_s", UINT64_C(23000000000),
     "[assumed: sum of both directions of a link]"},
    {"qos_link_bytes_s", UINT64_C(12254000000),
     "[assumed: 4096/4178 of link_bytes_s, rounded down]"},
    {.row = NULL},
};

const gms_profile_value_t gms_profile_roce_25[] = {
    GMS_PROFILE_ROCE,
    {"link_bytes_s", UINT64_C(3125000000),
     "25 Gb/s after encoding. [source: IEEE 802.3, 25GBASE-R]"},
    {"nic_mtu_bytes", 1024,
     "Frames with a payload of at most 1500 bytes. [source: InfiniBand "
     "Architecture Specification, volume 1: 1024 is the largest MTU that "
     "fits]"},
    {"nic_window_packets", 4096, "4 MB. [assumed: same as roce-100]"},
    {"qos_idt_product", 1024000, "[assumed: nic_mtu_bytes / rtc_tick_ps]"},
    {"host_dma_bytes_s", UINT64_C(6500000000),
     "PCI Express 3.0 x8. [assumed: half the rate of roce-100]"},
    {"qos_node_bytes_s", UINT64_C(5700000000),
     "[assumed: sum of both directions of a link]"},
    {"qos_link_bytes_s", UINT64_C(2893000000),
     "[assumed: 1024/1106 of link_bytes_s, rounded down]"},
    {"eth_xoff_bytes", 340000,
     "[assumed: 12 MB, as in Zhu et al., SIGCOMM 2015, 4, divided equally "
     "among 32 ports, minus the headroom]"},
    {"eth_xon_bytes", 335000, "[assumed: a few packets below eth_xoff_bytes]"},
    {"eth_kmin_bytes", 100000,
     "[source: Li et al., HPCC, SIGCOMM 2019, 5.1: 100 KB at 25 Gb/s]"},
    {"eth_kmax_bytes", 400000,
     "[source: Li et al., HPCC, SIGCOMM 2019, 5.1: 400 KB at 25 Gb/s]"},
    {.row = NULL},
};
