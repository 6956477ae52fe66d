/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * All numbers that describe the simulated cluster, in one struct of plain
 * 64-bit integers. The table in params.c has their names, units, defaults,
 * ranges, meanings and sources. The struct is pure data. The layers read the
 * struct, which never changes after the start.
 */
#ifndef PARAMS_PARAMS_H
#define PARAMS_PARAMS_H

#include <stddef.h>
#include <stdint.h>

enum gms_scheduler_id {
    GMS_SCHEDULER_MESSAGE_RR = 0,
    GMS_SCHEDULER_PACKET_RR = 1,
    GMS_SCHEDULER_RATE = 2,
    GMS_SCHEDULER_BYTE_RR = 3,
};

/** Kind of the NICs; see nic/kind.h. */
enum gms_nic_kind {
    GMS_NIC_LANAI = 0,
    GMS_NIC_HCA
};

/** Connection of the switches; fabric/topology.h describes the topologies. */
enum gms_topology_kind {
    GMS_TOPOLOGY_CROSSBAR = 0,
    GMS_TOPOLOGY_CASCADE,
    GMS_TOPOLOGY_CLOS,
    GMS_TOPOLOGY_FAT_TREE,
    GMS_TOPOLOGY_MESH,
    GMS_TOPOLOGY_TORUS,
    GMS_TOPOLOGY_GRAPH
};

/** Method of computing routes; see fabric/topology.h. */
enum gms_routing {
    GMS_ROUTING_AUTO = 0,
    GMS_ROUTING_UPDOWN,
    GMS_ROUTING_DIMENSION_ORDER,
    GMS_ROUTING_SHORTEST,
    GMS_ROUTING_TABLES
};

/** Movement of packets through switches; see fabric/fabric.h. */
enum gms_fabric_model {
    GMS_FABRIC_WORM = 0,
    GMS_FABRIC_FLIT,
    GMS_FABRIC_CUT_THROUGH,
    GMS_FABRIC_ETHERNET
};

/** Assignment of ranks to hosts; see cluster/placement.h. */
enum gms_placement_rule {
    GMS_PLACEMENT_BLOCK = 0,
    GMS_PLACEMENT_CYCLIC = 1
};

/** Path of MPI messages between ranks of one host. */
enum gms_intra_host {
    GMS_INTRA_HOST_NIC = 0,
    GMS_INTRA_HOST_MEMORY = 1
};

/** Bandwidth that a node can grant. */
enum gms_qos_node_rule {
    GMS_QOS_NODE_INCOMING = 0, /* depends on the incoming traffic */
    GMS_QOS_NODE_CONSTANT = 1
};

/** Division of the bandwidth that reservations do not use among best-effort
 *  flows. */
enum gms_qos_best_effort {
    GMS_QOS_BEST_EFFORT_MAXMIN = 0,
    GMS_QOS_BEST_EFFORT_MINSHARE = 1
};

/** Treatment of traffic without a request. */
enum gms_undeclared {
    GMS_UNDECLARED_BEST_EFFORT =
        0,                  /* best effort: reservations have separate lanes and
                             * buffers, and precedence */
    GMS_UNDECLARED_FREE = 1 /* as on the hardware of the thesis: one lane for
                             * all traffic */
};

typedef struct gms_params {
    /* cluster */
    uint64_t hosts;          /* simulated hosts */
    uint64_t units_per_host; /* NICs of each host */
    uint64_t ranks_per_host;
    uint64_t placement;        /* enum gms_placement_rule */
    uint64_t switch_ports;     /* ports of each switch */
    uint64_t topology;         /* enum gms_topology_kind */
    uint64_t routing;          /* enum gms_routing */
    uint64_t rows, columns;    /* size of a mesh or torus; 0: computed from the
                                * number of hosts */
    uint64_t hosts_per_switch; /* 0: the default of the topology */
    uint64_t tree_up;          /* cables up from a switch of a fat tree; 0:
                                * as many as hosts_per_switch */
    uint64_t scheduler;        /* enum gms_scheduler_id */
    uint64_t seed;
    uint64_t arena_bytes;
    uint64_t binding;         /* enum gms_binding */
    uint64_t time;            /* enum gms_time_mode */
    uint64_t time_factor_ppm; /* ratio of virtual time to real time */
    uint64_t start_limit_s;   /* wall-clock time to wait for all ranks,
                               * seconds */

    /* host: cost of library calls for the calling process */
    uint64_t host_send_ps;
    uint64_t host_receive_ps;  /* a receive call that returns an event */
    uint64_t host_poll_ps;     /* a receive call without an event */
    uint64_t host_poll_max_ps; /* longest wait of a poll without an event */
    uint64_t host_callback_ps;
    uint64_t host_provide_ps;
    uint64_t host_clock_read_ps;
    uint64_t host_register_ps;      /* per call */
    uint64_t host_register_page_ps; /* per page */
    uint64_t host_open_ps;
    uint64_t host_pio_ps; /* descriptor from host to NIC SRAM */

    /* mpi: costs of the device for the calling process */
    uint64_t mpi_eager_bytes;
    uint64_t mpi_overhead_ps;
    uint64_t mpi_receive_overhead_ps; /* added to mpi_overhead_ps */
    uint64_t mpi_copy_ps_per_byte;
    uint64_t mpi_receive_copy_ps_per_byte; /* added to mpi_copy_ps_per_byte */
    uint64_t mpi_eager_part_bytes; /* longest GM message of an eager message */
    uint64_t mpi_eager_direct_bytes; /* longer eager messages are sent without a
                                      * copy at the sender */
    uint64_t mpi_rndv_overhead_ps;   /* added to mpi_overhead_ps */
    uint64_t mpi_pack_block_ps;      /* per block of non-contiguous data */
    uint64_t mpi_rndv_recv_ps_per_byte;
    uint64_t mpi_pipeline_bytes; /* length of a chunk that is packed or
                                  * unpacked */
    uint64_t mpi_pipeline_depth; /* chunks of a message in progress */
    uint64_t mpi_register_cache_bytes;
    uint64_t mpi_register_lookup_ps;
    uint64_t mpi_spawn_ps;   /* until spawned processes start */
    uint64_t mpi_spawn_most; /* processes that a run may spawn */
    uint64_t mpi_name_ps;    /* a request to the name service */
    uint64_t intra_host;     /* enum gms_intra_host */
    uint64_t memory_latency_ps;
    uint64_t memory_ps_per_byte;

    /* lanai: cycles of MCP code per step */
    uint64_t lanai_cycle_ps;
    uint64_t rtc_tick_ps;
    uint64_t mcp_token_cycles;      /* fetch a send descriptor, build the
                                     * token, enqueue it */
    uint64_t mcp_recv_token_cycles; /* fetch the descriptor of a receive buffer,
                                     * build the token, enqueue it */
    uint64_t mcp_schedule_cycles;   /* choose the token of the next packet */
    uint64_t mcp_rate_first_cycles; /* additional for the first flow if the
                                     * scheduler is `rate` */
    uint64_t mcp_rate_flow_cycles;  /* cycles for each additional valid flow */
    uint64_t mcp_sdma_start_cycles; /* header, page lookup, DMA start */
    uint64_t mcp_sdma_finish_cycles;
    uint64_t mcp_send_start_cycles;
    uint64_t mcp_send_finish_cycles;
    uint64_t mcp_recv_finish_cycles; /* header, sequence number, token */
    uint64_t mcp_rdma_start_cycles;
    uint64_t mcp_rdma_finish_cycles;
    uint64_t mcp_event_cycles; /* report to the host */
    uint64_t mcp_ack_send_cycles;
    uint64_t mcp_ack_receive_cycles;

    /* nic */
    uint64_t nic_kind;         /* enum gms_nic_kind */
    uint64_t host_dma_bytes_s; /* kind lanai: both directions together */
    uint64_t host_dma_setup_ps;
    uint64_t nic_send_buffers;
    uint64_t nic_recv_buffers;
    uint64_t nic_mtu_bytes;
    uint64_t nic_header_bytes; /* type, header, CRCs */
    uint64_t nic_ack_bytes;
    uint64_t nic_event_bytes;    /* length of an event in host memory */
    uint64_t nic_fast_bytes;     /* longest message inside an event */
    uint64_t nic_equal_segments; /* 1: packet-rr divides messages into equal
                                  * packets */
    uint64_t nic_quantum_bytes;  /* one turn of a flow with byte-rr */
    uint64_t nic_window_packets; /* unacknowledged packets of a connection */
    uint64_t nic_ack_packets;    /* packets per acknowledgement */
    uint64_t nic_resend_timeout_us;
    uint64_t nic_nack_delay_us;
    uint64_t nic_send_timeout_us;  /* time without progress:
                                    * GM_SEND_TIMED_OUT */
    uint64_t nic_check_crc;        /* 1: CRC values are computed and checked */
    uint64_t nic_sram_bytes;       /* memory of the NIC */
    uint64_t nic_dispatch_records; /* entries of each NIC's dispatch log */

    /* hca: stages of a NIC of this kind */
    uint64_t hca_inline_bytes; /* longest message that the process writes to the
                                * NIC with its work request */
    uint64_t hca_request_ps;   /* interval between work requests */
    uint64_t hca_fetch_ps;     /* latency of fetching a work request */
    uint64_t hca_packet_ps;    /* interval between packets, in each direction */
    uint64_t hca_send_ps;      /* latency of the send engine */
    uint64_t hca_read_ps;      /* latency of a DMA read */
    uint64_t hca_read_ramp_packets; /* packets until one more is read at the
                                     * same time; 0: no ramp */
    uint64_t hca_flow_bytes_s;      /* largest rate of a flow; 0: no limit */
    uint64_t hca_receive_ps;        /* latency of the receive engine */
    uint64_t hca_write_ps;          /* latency of a DMA write */
    uint64_t hca_completion_ps;     /* additional latency of a completion */
    uint64_t hca_pace_ticks;        /* granularity of dispatch times */
    uint64_t hca_pace_burst_bytes;  /* bytes that a paced flow sends at once */
    uint64_t hca_data_ps; /* additional latency of data that are not part
                                 * of the completion */

    /* gm */
    uint64_t gm_ports;
    uint64_t gm_send_tokens;
    uint64_t gm_receive_tokens;
    uint64_t gm_registered_bytes; /* limit of a host, for all its ports
                                     together */

    /* fabric */
    uint64_t link_bytes_s;
    uint64_t switch_link_bytes_s; /* of links between switches; 0: as
                                   * link_bytes_s */
    uint64_t link_propagation_ps;
    uint64_t switch_routing_ps;
    uint64_t fabric_model; /* enum gms_fabric_model */
    uint64_t flit_bits;
    uint64_t flit_lanes;           /* virtual lanes of each link */
    uint64_t flit_real_time_lanes; /* lanes for reserved traffic */
    uint64_t flit_buffer_flits;    /* buffer of each lane; 0: 10 flits, or more
                                    * if the link requires more */
    uint64_t flit_policy;          /* enum gms_lane_policy */
    uint64_t flit_frame_factor;
    /* virtual lanes of the fabric model cut-through */
    uint64_t vl_buffer_bytes;
    uint64_t vl_real_time, vl_control, vl_best_effort; /* lane of a class */
    uint64_t vl_high_limit;
    /* weights of the classes' lanes in the high and in the low table */
    uint64_t vl_high_real_time, vl_high_control, vl_high_best_effort;
    uint64_t vl_low_real_time, vl_low_control, vl_low_best_effort;
    /* Ethernet: priorities, pause frames and marks of the fabric model
     * ethernet */
    uint64_t eth_dscp_real_time, eth_dscp_control, eth_dscp_best_effort;
    uint64_t eth_ets_real_time, eth_ets_control, eth_ets_best_effort;
    uint64_t eth_pfc;
    uint64_t eth_xoff_bytes, eth_xon_bytes, eth_headroom_bytes;
    uint64_t eth_pause_ps;
    uint64_t eth_ecn;
    uint64_t eth_kmin_bytes, eth_kmax_bytes, eth_pmax_ppm;
    /* rate control of best effort on Ethernet; see nic/dcqcn.h */
    uint64_t dcqcn;
    uint64_t dcqcn_cnp_bytes, dcqcn_cnp_ps;
    uint64_t dcqcn_gain_divisor;
    uint64_t dcqcn_alpha_ps, dcqcn_timer_ps;
    uint64_t dcqcn_counter_bytes, dcqcn_fast_steps;
    uint64_t dcqcn_ai_bytes_s, dcqcn_hai_bytes_s, dcqcn_min_bytes_s;

    /* faults: probabilities for each packet, and outages of links */
    uint64_t fault_drop_ppm;
    uint64_t fault_damage_header_ppm;
    uint64_t fault_damage_payload_ppm;
    uint64_t fault_duplicate_ppm;
    uint64_t fault_delay_ppm;
    uint64_t fault_delay_max_us;
    uint64_t fault_outages_per_s; /* in the whole fabric */
    uint64_t fault_outage_us;     /* length of an outage */

    /* qos */
    uint64_t undeclared;              /* enum gms_undeclared */
    uint64_t switch_reserved_packets; /* packets of reservations that an
                                       * input port of a switch can buffer
                                       * (model worm) */
    uint64_t nic_reserved_buffers;    /* staging buffers of a NIC for
                                       * receiving reserved packets */
    uint64_t qos_node_rule;           /* enum gms_qos_node_rule */
    uint64_t qos_node_load_ppm;       /* part of a NIC's time that
                                       * reservations may use */
    uint64_t qos_node_bytes_s;        /* capacity of a node, in + out */
    uint64_t qos_link_bytes_s;        /* capacity of a link for payload */
    uint64_t qos_idt_product;         /* IDT in ticks x bandwidth in MB/s */
    uint64_t qos_manager_ps;          /* work of a manager per request */
    uint64_t qos_best_effort;         /* enum gms_qos_best_effort */
    uint64_t qos_strict_windows;      /* 1: dispatch times are shortened to
                                       * make up for the latency */
    uint64_t qos_work_conserving;     /* 1: idle shares are lent to other
                                       * flows */
    uint64_t qos_idle_us;             /* idle time before a share is lent */
    uint64_t qos_master;              /* node of the master manager, counted
                                       * from 1 */
    uint64_t qos_master_timeout_us;   /* silence of the master before an
                                       * election */

    /* io: hosts with disks */
    uint64_t io_disks; /* of each I/O host */
    uint64_t io_read_bytes_s;
    uint64_t io_write_bytes_s;
    uint64_t io_latency_us; /* per request, before the first byte */
    uint64_t io_stripe_bytes;
} gms_params_t;

typedef struct gms_param {
    const char *name;
    uint64_t value;           /* default */
    uint64_t min, max;        /* allowed range, inclusive */
    const char *unit;         /* "ps", "cycles", "bytes/s", "bytes", "" .. */
    const char *doc;          /* meaning; ends with [source: ..] or [assumed:
                               * ..] */
    size_t offset;            /* in gms_params_t */
    const char *const *names; /* for choices: names of the values 0, 1, ..,
                               * NULL-terminated */
} gms_param_t;

/** The table; ends with .name == NULL. */
extern const gms_param_t gms_param_table[];

/** Names of the rows that define the hosts and switches, as items of an array.
 *  The row units_per_host also defines hosts. This row is not listed, because
 *  descriptions rarely set units_per_host. */
#define GMS_PARAM_SHAPE_NAMES                                                  \
    "hosts", "ranks_per_host", "topology", "routing", "rows", "columns",       \
        "hosts_per_switch", "tree_up", "switch_ports"

/** Smallest arena_bytes other than 0. */
#define GMS_PARAM_ARENA_LEAST (UINT64_C(16) << 20)
/** Return the size of the arena of a job with this number of ranks, bytes:
 *  arena_bytes, or the default size if arena_bytes is 0. */
uint64_t gms_params_arena_bytes(const gms_params_t *params, uint64_t ranks);

/** Fill in the defaults of the profile `lanai4.3`. */
void gms_params_init(gms_params_t *params);
/** Find the row with a name. Returns NULL if there is none. */
const gms_param_t *gms_param_find(const char *name);
uint64_t gms_param_get(const gms_params_t *params, const gms_param_t *row);
void gms_param_set(gms_params_t *params, const gms_param_t *row,
                   uint64_t value);

#endif
