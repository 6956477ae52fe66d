/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the values of the profiles with their sources, and the functions that
 * find a profile and apply it to parameters.
 */
#include "params/profile.h"

#include <string.h>

#include "base/time.h"
#include "params/profile_fitted.h"
#include "params/profile_roce.h"

const char *const gms_profile_names[] = {
    "lanai4.3", "myrinet2000", "edr",           "hdr",   "ndr",
    "roce-100", "roce-25",     "slingshot-100", "aries", NULL};

static const gms_profile_value_t gms_profile_lanai4_3[] = {{.row = NULL}};

/* In GM 1.6, the path of a packet through the MCP is shorter than in the
 * thesis's version of GM. With the cycles of lanai4.3, the processor alone
 * would take 8.5 us for a short message, which equals the whole published time.
 * With three quarters of the cycles, the processor takes 6.4 us. The start of a
 * send DMA limits the bandwidth, because the link is idle during this time. A
 * start time of 0.5 us per packet matches the published 240 to 245 MB/s. */
#define GMS_MCP_GM16                                                           \
    "[source: calibrated to Myricom, GM 1.6.4 performance, 133 MHz LANai 9: "  \
    "8.5 us for short messages]"

static const gms_profile_value_t gms_profile_myrinet2000[] = {
    {"lanai_cycle_ps", 7519,
     "A LANai 9 at 133 MHz. "
     "[source: Myricom, GM 1.6.4 performance]"},
    {"mcp_token_cycles", 45, GMS_MCP_GM16},
    {"mcp_recv_token_cycles", 45, GMS_MCP_GM16},
    {"mcp_schedule_cycles", 68, GMS_MCP_GM16},
    {"mcp_sdma_start_cycles", 158, GMS_MCP_GM16},
    {"mcp_sdma_finish_cycles", 68, GMS_MCP_GM16},
    {"mcp_send_start_cycles", 46,
     "[source: calibrated to Myricom, GM 1.6.4 performance, 133 MHz LANai 9: "
     "240 MB/s]"},
    {"mcp_send_finish_cycles", 20, "[source: same as mcp_send_start_cycles]"},
    {"mcp_recv_finish_cycles", 68, GMS_MCP_GM16},
    {"mcp_rdma_start_cycles", 120, GMS_MCP_GM16},
    {"mcp_rdma_finish_cycles", 174, GMS_MCP_GM16},
    {"mcp_event_cycles", 45, GMS_MCP_GM16},
    {"mcp_ack_send_cycles", 45, GMS_MCP_GM16},
    {"mcp_ack_receive_cycles", 45, GMS_MCP_GM16},
    {"nic_sram_bytes", UINT64_C(2) << 20,
     "2 MB. [assumed: the smaller memory size of the NICs sold with a LANai "
     "9]"},
    {"host_dma_bytes_s", 450000000,
     "64-bit PCI at 66 MHz, which peaks at 528 MB/s. "
     "[assumed: chipsets of 2001 moved 400 to 500 MB/s]"},
    {"host_dma_setup_ps", 150 * GMS_NS,
     "10 PCI cycles. [assumed: same as in lanai4.3]"},
    {"link_bytes_s", 250000000,
     "2 Gb/s in each direction. [source: Myrinet-2000 serial links]"},
    {"switch_routing_ps", 150 * GMS_NS,
     "Crossbars of 16 ports. [assumed: the routing delay used in simulation "
     "studies of Myrinet]"},
    {"mcp_rate_flow_cycles", 0,
     "The dispatch times are stored in a heap, so the time to read the "
     "earliest one does not depend on the number of flows. [assumed: firmware "
     "designed for many flows]"},
    {"mcp_rate_first_cycles", 40,
     "Cycles to remove the earliest dispatch time from the heap and to insert "
     "the next one. [assumed: a few comparisons and moves]"},
    {"host_send_ps", 270 * GMS_NS,
     "[source: Myricom, GM 1.6.4 performance: 0.54 us for send and receive "
     "together, on a 2 GHz Xeon]"},
    {"host_receive_ps", 270 * GMS_NS, "[source: same as host_send_ps]"},
    {"host_poll_ps", 100 * GMS_NS,
     "[assumed: one cache miss and a call at 2 GHz]"},
    {"host_callback_ps", 50 * GMS_NS, "[assumed: about 100 cycles at 2 GHz]"},
    {"host_provide_ps", 100 * GMS_NS,
     "[assumed: a call and two uncached writes over PCI]"},
    {"host_clock_read_ps", 20 * GMS_NS,
     "[assumed: a cycle counter and a division at 2 GHz]"},
    {"host_pio_ps", 125 * GMS_NS,
     "[assumed: same as in lanai4.3, on a bus with twice the width and rate]"},
    {"mpi_overhead_ps", 300 * GMS_NS, "[assumed: 600 cycles at 2 GHz]"},
    {"mpi_copy_ps_per_byte", 1000,
     "1 GB/s. [assumed: memory copy on a 2 GHz Xeon]"},
    {"mpi_pack_block_ps", 60 * GMS_NS,
     "[assumed: 120 cycles at 2 GHz for the loop and a cache miss]"},
    {"mpi_rndv_recv_ps_per_byte", 1000,
     "Time to register the pages of a receive buffer. [assumed: 4 us per page "
     "of 4 KB, less than the link needs for the page]"},
    {"mpi_register_cache_bytes", UINT64_C(512) << 20,
     "[assumed: two thirds of gm_registered_bytes]"},
    {"mpi_register_lookup_ps", 150 * GMS_NS, "[assumed: 300 cycles at 2 GHz]"},
    {"memory_latency_ps", 300 * GMS_NS,
     "[assumed: same as in lanai4.3, on a 400 MHz bus]"},
    {"memory_ps_per_byte", 2000,
     "500 MB/s. [assumed: two copies at mpi_copy_ps_per_byte]"},
    {"gm_registered_bytes", UINT64_C(183500) * 4096,
     "70 % of 1 GB. [source: the GASNet guide for GM states 70 % of the "
     "memory; the size of the memory is assumed]"},
    {"qos_node_bytes_s", 325000000,
     "[assumed: 94 % of 4096 bytes per 11.8 us; LANai and host DMA need 11.8 "
     "us per packet in either direction; in lanai4.3, 78 MB/s are the same "
     "share]"},
    {"qos_link_bytes_s", 248100000,
     "[assumed: 4096/4126 of link_bytes_s, rounded down]"},
    {.row = NULL},
};

/* Rows that several profiles of networks with pipelined NICs share. */
#define GMS_IBTA "[source: InfiniBand Architecture Specification, volume 1, "
#define GMS_PROFILE_NETWORK                                                    \
    {"nic_kind", GMS_NIC_HCA,                                                  \
     "Pipelined hardware. [source: Mellanox, ConnectX product briefs]"},       \
        {"gm_ports", 256,                                                      \
         "The largest number of ports: one per process, and these hosts have " \
         "up to 128 cores. [source: InfiniBand Architecture Specification, "   \
         "volume 1, 9: 2^24 queue pairs]"},                                    \
        {"nic_ack_packets", 8,                                                 \
         "[assumed: the receiver combines acknowledgements under load]"},      \
        {"nic_send_buffers", 16,                                               \
         "[assumed: enough DMA reads to hide the latency of a read]"},         \
        {"nic_recv_buffers", 64,                                               \
         "256 KB. [assumed: credits for several round trips of a link]"},      \
        {"nic_window_packets", 256,                                            \
         "1 MB. [assumed: never a bottleneck in a small network]"},            \
        {"nic_nack_delay_us", 10,                                              \
         "Receiver-not-ready timer. [assumed: similar to the shortest timers " \
         "of InfiniBand]"},                                                    \
        {"nic_sram_bytes", UINT64_C(4) << 30,                                  \
         "The contexts of connections are stored in the host's memory. "       \
         "[assumed: no limit]"},                                               \
        {"host_dma_setup_ps", 0,                                               \
         "[assumed: part of hca_read_ps and hca_write_ps]"},                   \
        {"rtc_tick_ps", 1000,                                                  \
         "Granularity of the rate limit: dispatch times are multiples of 1 "   \
         "ns. [assumed: shorter than the transmission time of any packet]"},   \
        {"qos_idt_product", 4096000,                                           \
         "[assumed: nic_mtu_bytes / rtc_tick_ps]"},                            \
        {"qos_node_rule", GMS_QOS_NODE_CONSTANT,                               \
         "[assumed: the directions share no part of the NIC, so the link is "  \
         "the limit]"},                                                        \
        {"link_propagation_ps", 15 * GMS_NS,                                   \
         "3 m at 5 ns/m. [assumed: copper cables within a rack]"},             \
        {"fabric_model", GMS_FABRIC_CUT_THROUGH,                               \
         "[source: InfiniBand Architecture Specification, volume 1, 7]"},      \
        {"host_poll_ps", 10 * GMS_NS,                                          \
         "[assumed: 30 cycles at 3 GHz, without a cache miss]"},               \
        {"host_callback_ps", 15 * GMS_NS, "[assumed: 45 cycles at 3 GHz]"},    \
        {"host_clock_read_ps", 10 * GMS_NS,                                    \
         "[assumed: a cycle counter at 3 GHz]"},                               \
        {"host_register_ps", 1 * GMS_US,                                       \
         "[assumed: a system call and a command to the NIC]"},                 \
        {"host_register_page_ps", 50 * GMS_NS,                                 \
         "[assumed: the time to pin the page and to write its entry]"},        \
        {"mpi_pack_block_ps", 10 * GMS_NS, "[assumed: 30 cycles at 3 GHz]"},   \
        {"mpi_rndv_protocol", GMS_MPI_RNDV_READ,                               \
         "[assumed: as in UCX, whose scheme get_zcopy reads the data]"},       \
        {"mpi_rndv_recv_ps_per_byte", 0,                                       \
         "[assumed: the NIC writes the data to their destination]"},           \
        {"mpi_register_cache_bytes", UINT64_C(16) << 30,                       \
         "[assumed: never a bottleneck]"},                                     \
        {"mpi_register_lookup_ps", 30 * GMS_NS,                                \
         "[assumed: 90 cycles at 3 GHz]"},                                     \
        {"memory_latency_ps", 100 * GMS_NS,                                    \
         "[assumed: a cache line that moves between two cores]"},              \
        {"memory_ps_per_byte", 106,                                            \
         "[assumed: two copies at mpi_copy_ps_per_byte]"},                     \
    {                                                                          \
        "gm_registered_bytes", UINT64_C(64) << 30,                             \
            "[assumed: never a bottleneck]"                                    \
    }

#define GMS_PROFILE_INFINIBAND                                                 \
    GMS_PROFILE_NETWORK,                                                       \
        {"nic_header_bytes", 26,                                               \
         "LRH 8, BTH 12, ICRC 4 and VCRC 2 bytes. " GMS_IBTA "5.2]"},          \
        {"nic_ack_bytes", 30,                                                  \
         "A header and an AETH of 4 bytes. " GMS_IBTA "9.3.5]"},               \
    {                                                                          \
        "mpi_eager_part_bytes", 8256,                                          \
            "[source: UCX, default length of a send buffer in its InfiniBand " \
            "transports]"                                                      \
    }

#define GMS_UCX_EAGER                                                          \
    {                                                                          \
        "mpi_eager_bytes", UINT64_C(128) << 10,                                \
            "[source: De Sensi et al., Noise in the Clouds, 2022, published "  \
            "times of azure-hc44rs and azure-hbv2: the time per byte falls "   \
            "between 128 and 256 KB]"                                          \
    }

static const gms_profile_value_t gms_profile_edr[] = {
    GMS_PROFILE_INFINIBAND,
    GMS_UCX_EAGER,
    GMS_FITTED_EDR,
    {"link_bytes_s", UINT64_C(12500000000),
     "4x EDR: four lanes of 25.78125 Gb/s with 64b/66b encoding. [source: "
     "InfiniBand Architecture Specification, volume 2; Mellanox, ConnectX-5 "
     "user manual: an effective bandwidth of 100 Gb/s]"},
    {"switch_routing_ps", 90 * GMS_NS,
     "Cut-through. [source: Mellanox, SB7800 product brief: 90 ns from port to "
     "port]"},
    {"host_dma_bytes_s", UINT64_C(12300000000),
     "PCI Express 3.0 x16. [source: linux-rdma/perftest, issue 225: "
     "ib_write_bw reaches 11728 MB/s (1 MB = 2^20 bytes) at 100 Gb/s]"},
    {"qos_node_bytes_s", UINT64_C(23000000000),
     "[assumed: sum of both directions of a link]"},
    {"qos_link_bytes_s", UINT64_C(12300000000),
     "[assumed: the lower of host_dma_bytes_s and 4096/4122 of link_bytes_s]"},
    {.row = NULL},
};

static const gms_profile_value_t gms_profile_hdr[] = {
    GMS_PROFILE_INFINIBAND,
    GMS_UCX_EAGER,
    GMS_FITTED_HDR,
    {"hca_flow_bytes_s", UINT64_C(24688000000), GMS_FITTED("hdr.csv")},
    {"hca_read_ps_per_byte", 206, GMS_FITTED("hdr.csv")},
    {"link_bytes_s", UINT64_C(25000000000),
     "4x HDR: four lanes of 50 Gb/s after encoding and error correction. "
     "[source: InfiniBand Architecture Specification, volume 2, release 1.4]"},
    {"switch_routing_ps", 130 * GMS_NS,
     "Cut-through, with error correction. [source: Mellanox, QM8700 product "
     "brief: below 130 ns from port to port]"},
    {"host_dma_bytes_s", UINT64_C(26000000000),
     "PCI Express 4.0 x16. [assumed: twice the rate of edr]"},
    {"qos_node_bytes_s", UINT64_C(46000000000),
     "[assumed: sum of both directions of a link]"},
    {"qos_link_bytes_s", UINT64_C(24840000000),
     "[assumed: 4096/4122 of link_bytes_s, rounded down]"},
    {.row = NULL},
};

/* No published measurements of an NDR network are known. This profile is a
 * base for `gmsim fit` and for comparisons of link rates. */
static const gms_profile_value_t gms_profile_ndr[] = {
    GMS_PROFILE_INFINIBAND,
    GMS_UCX_EAGER,
    GMS_FITTED_HDR,
    {"hca_read_ps_per_byte", 103,
     "[assumed: half of hdr, because the rate of the bus is twice as high]"},
    {"link_bytes_s", UINT64_C(50000000000),
     "4x NDR: four lanes of 100 Gb/s after encoding and error correction. "
     "[source: InfiniBand Architecture Specification, volume 2, release 1.5]"},
    {"switch_routing_ps", 130 * GMS_NS, "[assumed: same as hdr]"},
    {"host_dma_bytes_s", UINT64_C(52000000000),
     "PCI Express 5.0 x16. [assumed: twice the rate of hdr]"},
    {"qos_node_bytes_s", UINT64_C(92000000000),
     "[assumed: sum of both directions of a link]"},
    {"qos_link_bytes_s", UINT64_C(49680000000),
     "[assumed: 4096/4122 of link_bytes_s, rounded down]"},
    {.row = NULL},
};

static const gms_profile_value_t gms_profile_slingshot_100[] = {
    GMS_PROFILE_NETWORK,
    GMS_FITTED_SLINGSHOT_100,
    {"nic_header_bytes", 82,
     "RoCE v2: preamble and gap 20, Ethernet header 14, FCS 4, IPv4 20, UDP 8, "
     "BTH 12, ICRC 4 bytes. [source: IEEE 802.3; InfiniBand Architecture "
     "Specification, volume 1, annex A17]"},
    {"nic_ack_bytes", 86,
     "A header and an AETH of 4 bytes. " GMS_IBTA "9.3.5]"},
    {"link_bytes_s", UINT64_C(12500000000),
     "100 Gb/s Ethernet. [source: De Sensi et al., An In-Depth Analysis of the "
     "Slingshot Interconnect, SC20: 100 Gb/s NICs]"},
    {"switch_link_bytes_s", UINT64_C(25000000000),
     "[source: De Sensi et al., SC20: 200 Gb/s per port of Rosetta]"},
    {"switch_routing_ps", 350 * GMS_NS,
     "[source: De Sensi et al., SC20: the average latency of Rosetta is 350 "
     "ns]"},
    {"host_dma_bytes_s", UINT64_C(13000000000),
     "PCI Express 3.0 x16. [assumed: 256-byte payloads and 10 % for link "
     "packets]"},
    {"qos_node_bytes_s", UINT64_C(23000000000),
     "[assumed: sum of both directions of a link]"},
    {"qos_link_bytes_s", UINT64_C(12250000000),
     "[assumed: 4096/4178 of link_bytes_s, rounded down]"},
    {.row = NULL},
};

static const gms_profile_value_t gms_profile_aries[] = {
    GMS_PROFILE_NETWORK,
    GMS_FITTED_ARIES,
    {"nic_header_bytes", 26, "[assumed: included in the fitted rates]"},
    {"nic_ack_bytes", 30, "[assumed: same as edr]"},
    {"mpi_eager_part_bytes", 8256, "[assumed: one part for each message]"},
    {"mpi_rndv_read_bytes", (UINT64_C(4) << 20) - 1,
     "[source: De Sensi et al., Noise in the Clouds, 2022, published times of "
     "piz daint: the time per byte falls between 2 and 4 MB]"},
    {"hca_forward_bytes", 64,
     "A packet of Aries has up to 64 bytes of data. [source: Alverson et al., "
     "Cray XC Series Network, 2012]"},
    {"link_bytes_s", UINT64_C(10200000000),
     "[assumed: the injection rate of a node; the fit determines "
     "hca_flow_bytes_s, which is lower]"},
    {"switch_routing_ps", 100 * GMS_NS,
     "[assumed: one Aries router between two nodes]"},
    {"host_dma_bytes_s", UINT64_C(13000000000),
     "PCI Express 3.0 x16. [source: Alverson et al., Cray XC Series Network, "
     "2012, for the bus; 256-byte payloads and 10 % for link packets are "
     "assumed]"},
    {"qos_node_bytes_s", UINT64_C(18000000000),
     "[assumed: sum of both directions of a link]"},
    {"qos_link_bytes_s", UINT64_C(10000000000),
     "[assumed: 4096/4122 of link_bytes_s, rounded down]"},
    {.row = NULL},
};

/* A 300 MHz Pentium II with 128 MB. [source: gulati 2001 thesis 5.1; its
 * caches: Intel, Pentium II processor datasheet] */
#define GMS_HOST_PENTIUM_II                                                    \
    "pack:1 [numa(memory=134217728)] l2:1(size=524288) l1d:1(size=16384) "     \
    "core:1 pu:1"
/* Two 2 GHz Xeons with 1 GB. [source: Myricom, GM 1.6.4 performance, for the
 * processor; its caches: Intel, Xeon processor datasheet] [assumed: two
 * processors and 1 GB, as in servers of 2002] */
#define GMS_HOST_XEON                                                          \
    "[numa(memory=1073741824)] pack:2 l2:1(size=524288) l1d:1(size=8192) "     \
    "core:1 pu:1"
/* Two processors of 22 cores with 352 GB. [source: Microsoft, HC-series virtual
 * machines: 44 cores of Xeon Platinum 8168, 352 GB; its caches: Intel, Xeon
 * Platinum 8168 specification] */
#define GMS_HOST_HC44                                                          \
    "pack:2 [numa(memory=188978561024)] l3:1(size=34603008) "                  \
    "l2:22(size=1048576) l1d:1(size=32768) core:1 pu:1"

static const gms_profile_t gms_profiles[] = {
    {"lanai4.3", "LANai 4.3 at 33 MHz, 32-bit PCI at 33 MHz, 1.28 Gb/s links",
     GMS_HOST_PENTIUM_II, gms_profile_lanai4_3},
    {"myrinet2000", "LANai 9 at 133 MHz, 64-bit PCI at 66 MHz, 2 Gb/s links",
     GMS_HOST_XEON, gms_profile_myrinet2000},
    {"edr", "InfiniBand 4x EDR, 100 Gb/s links, fitted to azure-hc44rs",
     GMS_HOST_HC44, gms_profile_edr},
    {"hdr", "InfiniBand 4x HDR, 200 Gb/s links, fitted to azure-hbv2",
     GMS_HOST_HC44, gms_profile_hdr},
    {"ndr", "InfiniBand 4x NDR, 400 Gb/s links, not fitted to a measurement",
     GMS_HOST_HC44, gms_profile_ndr},
    {"roce-100",
     "RoCE on 100 Gb/s Ethernet with PFC, ECN and DCQCN, not fitted to a "
     "measurement",
     GMS_HOST_HC44, gms_profile_roce_100},
    {"roce-25",
     "RoCE on 25 Gb/s Ethernet with PFC, ECN and DCQCN, not fitted to a "
     "measurement",
     GMS_HOST_HC44, gms_profile_roce_25},
    {"slingshot-100",
     "Slingshot, 200 Gb/s switches and 100 Gb/s NICs, fitted to alps",
     GMS_HOST_HC44, gms_profile_slingshot_100},
    {"aries", "Aries, fitted to piz daint", GMS_HOST_HC44, gms_profile_aries},
};

const gms_profile_t *gms_profile_at(uint64_t index)
{
    return &gms_profiles[index];
}

const gms_profile_t *gms_profile_find(const char *name)
{
    uint64_t i;

    for (i = 0; gms_profile_names[i] != NULL; ++i) {
        if (strcmp(name, gms_profile_names[i]) == 0) {
            return &gms_profiles[i];
        }
    }
    return NULL;
}

void gms_profile_init(const gms_profile_t *profile, gms_params_t *params)
{
    const gms_profile_value_t *value;

    gms_params_init(params);
    for (value = profile->values; value->row != NULL; ++value) {
        gms_param_set(params, gms_param_find(value->row), value->value);
    }
}

const gms_profile_value_t *gms_profile_value(const gms_profile_t *profile,
                                             const gms_param_t *row)
{
    const gms_profile_value_t *value;

    for (value = profile->values; value->row != NULL; ++value) {
        if (strcmp(value->row, row->name) == 0) {
            return value;
        }
    }
    return NULL;
}
