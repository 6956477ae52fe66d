/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares all numbers that describe the simulated cluster, in a struct of
 * plain 64-bit integers. The table in params.c lists their names, units,
 * defaults, ranges, meanings and sources. The struct contains only data. All
 * layers read the struct. The values never change after the start.
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

/** How the switches are connected; fabric/topology.h describes the
 *  topologies. */
enum gms_topology_kind {
    GMS_TOPOLOGY_CROSSBAR = 0,
    GMS_TOPOLOGY_CASCADE,
    GMS_TOPOLOGY_CLOS,
    GMS_TOPOLOGY_FAT_TREE,
    GMS_TOPOLOGY_MESH,
    GMS_TOPOLOGY_TORUS,
    GMS_TOPOLOGY_GRAPH
};

/** How routes are computed; see fabric/topology.h. */
enum gms_routing {
    GMS_ROUTING_AUTO = 0,
    GMS_ROUTING_UPDOWN,
    GMS_ROUTING_DIMENSION_ORDER,
    GMS_ROUTING_SHORTEST,
    GMS_ROUTING_TABLES
};

/** How packets move through switches; see fabric/fabric.h. */
enum gms_fabric_model {
    GMS_FABRIC_WORM = 0,
    GMS_FABRIC_FLIT,
    GMS_FABRIC_CUT_THROUGH,
    GMS_FABRIC_ETHERNET
};

/** How ranks are assigned to hosts; see cluster/placement.h. */
enum gms_placement_rule {
    GMS_PLACEMENT_BLOCK = 0,
    GMS_PLACEMENT_CYCLIC = 1
};

/** Path of MPI messages between ranks on the same host. */
enum gms_intra_host {
    GMS_INTRA_HOST_NIC = 0,
    GMS_INTRA_HOST_MEMORY = 1
};

/** How the data of a rendezvous reach the receiver. */
enum gms_mpi_rndv_protocol {
    GMS_MPI_RNDV_WRITE =
        0,                /* the sender's NIC writes to the receiver's memory */
    GMS_MPI_RNDV_READ = 1 /* the receiver's NIC reads the sender's memory */
};

/** How much bandwidth a node can grant. */
enum gms_qos_node_rule {
    GMS_QOS_NODE_INCOMING = 0, /* the bandwidth depends on the incoming
                                * traffic */
    GMS_QOS_NODE_CONSTANT = 1
};

/** How best-effort flows share the bandwidth that reservations do not use. */
enum gms_qos_best_effort {
    GMS_QOS_BEST_EFFORT_MAXMIN = 0,
    GMS_QOS_BEST_EFFORT_MINSHARE = 1
};

/** How traffic without a reservation is treated. */
enum gms_undeclared {
    GMS_UNDECLARED_BEST_EFFORT =
        0,                  /* such traffic is best effort; reserved traffic has
                             * priority, with separate lanes and buffers */
    GMS_UNDECLARED_FREE = 1 /* all traffic shares one lane, as on the hardware
                             * of the thesis */
};

typedef struct gms_params {
    /* cluster */
    uint64_t hosts;          /* number of simulated hosts */
    uint64_t units_per_host; /* number of NICs per host */
    uint64_t ranks_per_host;
    uint64_t placement;        /* a value of enum gms_placement_rule */
    uint64_t switch_ports;     /* number of ports per switch */
    uint64_t topology;         /* a value of enum gms_topology_kind */
    uint64_t routing;          /* a value of enum gms_routing */
    uint64_t rows, columns;    /* size of a mesh or torus; 0 if the size is
                                * derived from the number of hosts */
    uint64_t hosts_per_switch; /* 0 means the default of the topology */
    uint64_t tree_up;          /* number of upward cables of each switch of a
                                * fat tree; 0 means hosts_per_switch */
    uint64_t scheduler;        /* a value of enum gms_scheduler_id */
    uint64_t seed;
    uint64_t arena_bytes;
    uint64_t binding;         /* a value of enum gms_binding */
    uint64_t time;            /* a value of enum gms_time_mode */
    uint64_t time_factor_ppm; /* ratio of virtual time to real time */
    uint64_t start_limit_s;   /* maximum real time to wait for all ranks, in
                               * seconds */

    /* host: time that library calls take in the calling process */
    uint64_t host_send_ps;
    uint64_t host_receive_ps;  /* cost of a receive call that returns an
                                * event */
    uint64_t host_poll_ps;     /* cost of a receive call that returns no
                                * event */
    uint64_t host_poll_max_ps; /* maximum duration of a poll without an event */
    uint64_t host_callback_ps;
    uint64_t host_provide_ps;
    uint64_t host_clock_read_ps;
    uint64_t host_register_ps;      /* cost per call */
    uint64_t host_register_page_ps; /* cost per page */
    uint64_t host_open_ps;
    uint64_t host_pio_ps; /* time to write a descriptor from the host to the
                           * NIC's SRAM */

    /* mpi: time that the MPI device takes in the calling process */
    uint64_t mpi_eager_bytes;
    uint64_t mpi_overhead_ps;
    uint64_t mpi_receive_overhead_ps; /* receiver's cost in addition to
                                       * mpi_overhead_ps */
    uint64_t mpi_copy_ps_per_byte;
    uint64_t mpi_receive_copy_ps_per_byte; /* receiver's cost in addition to
                                            * mpi_copy_ps_per_byte */
    uint64_t mpi_eager_part_bytes;   /* maximum length of each GM message that
                                      * carries a part of an eager message */
    uint64_t mpi_eager_direct_bytes; /* the sender does not copy eager messages
                                      * longer than this */
    uint64_t mpi_rndv_protocol;      /* a value of enum gms_mpi_rndv_protocol */
    uint64_t mpi_rndv_read_bytes;    /* maximum length of a message that the
                                      * receiver reads */
    uint64_t mpi_rndv_overhead_ps;   /* cost in addition to mpi_overhead_ps */
    uint64_t mpi_pack_block_ps;      /* cost per block of non-contiguous data */
    uint64_t mpi_rndv_recv_ps_per_byte;
    uint64_t mpi_pipeline_bytes; /* length of the chunks that are packed or
                                  * unpacked */
    uint64_t mpi_pipeline_depth; /* number of chunks of a message that are in
                                  * progress at a time */
    uint64_t mpi_register_cache_bytes;
    uint64_t mpi_register_lookup_ps;
    uint64_t mpi_spawn_ps;   /* time until spawned processes start */
    uint64_t mpi_spawn_most; /* maximum number of processes that a run may
                              * spawn */
    uint64_t mpi_name_ps;    /* duration of a request to the name service */
    uint64_t intra_host;     /* a value of enum gms_intra_host */
    uint64_t memory_latency_ps;
    uint64_t memory_ps_per_byte;

    /* lanai: cycles of MCP code for each step */
    uint64_t lanai_cycle_ps;
    uint64_t rtc_tick_ps;
    uint64_t mcp_token_cycles;      /* cycles to fetch a send descriptor, build
                                     * the token, and enqueue the token */
    uint64_t mcp_recv_token_cycles; /* cycles to fetch the descriptor of a
                                     * receive buffer, build the token, and
                                     * enqueue the token */
    uint64_t mcp_schedule_cycles;   /* cycles to choose the token of the next
                                     * packet */
    uint64_t mcp_rate_first_cycles; /* additional cycles for the first flow if
                                     * the scheduler is `rate` */
    uint64_t mcp_rate_flow_cycles;  /* additional cycles for every other valid
                                     * flow */
    uint64_t mcp_sdma_start_cycles; /* cycles for the header, the page lookup,
                                     * and the start of the DMA */
    uint64_t mcp_sdma_finish_cycles;
    uint64_t mcp_send_start_cycles;
    uint64_t mcp_send_finish_cycles;
    uint64_t mcp_recv_finish_cycles; /* cycles for the header, the sequence
                                      * number, and the token */
    uint64_t mcp_rdma_start_cycles;
    uint64_t mcp_rdma_finish_cycles;
    uint64_t mcp_event_cycles; /* cycles to report an event to the host */
    uint64_t mcp_ack_send_cycles;
    uint64_t mcp_ack_receive_cycles;

    /* nic */
    uint64_t nic_kind;         /* a value of enum gms_nic_kind */
    uint64_t host_dma_bytes_s; /* lanai NICs: combined rate of both
                                * directions */
    uint64_t host_dma_setup_ps;
    uint64_t nic_send_buffers;
    uint64_t nic_recv_buffers;
    uint64_t nic_mtu_bytes;
    uint64_t nic_header_bytes; /* length of the type, header and CRCs */
    uint64_t nic_ack_bytes;
    uint64_t nic_event_bytes;    /* length of an event in host memory */
    uint64_t nic_fast_bytes;     /* maximum length of a message that is stored
                                  * in an event */
    uint64_t nic_equal_segments; /* 1 if packet-rr divides messages into equal
                                  * packets */
    uint64_t nic_quantum_bytes;  /* number of bytes that a flow sends per turn
                                  * with byte-rr */
    uint64_t nic_window_packets; /* maximum number of unacknowledged packets of
                                  * a connection */
    uint64_t nic_ack_packets;    /* number of packets per acknowledgement */
    uint64_t nic_resend_timeout_us;
    uint64_t nic_nack_delay_us;
    uint64_t nic_send_timeout_us;  /* time without progress before a send fails
                                    * with GM_SEND_TIMED_OUT */
    uint64_t nic_check_crc;        /* 1 if CRC values are computed and
                                    * checked */
    uint64_t nic_sram_bytes;       /* size of the NIC's memory */
    uint64_t nic_dispatch_records; /* number of entries in each NIC's dispatch
                                    * log */

    /* hca: stages of an hca NIC */
    uint64_t hca_inline_bytes; /* maximum length of a message that the process
                                * writes to the NIC with its work request */
    uint64_t hca_request_ps;   /* interval between work requests */
    uint64_t hca_fetch_ps;     /* latency of the fetch of a work request */
    uint64_t hca_packet_ps;    /* interval between packets, in each direction */
    uint64_t hca_send_ps;      /* latency of the send engine */
    uint64_t hca_read_ps;      /* latency of a DMA read */
    uint64_t hca_read_ps_per_byte;  /* additional latency per byte of a packet's
                                     * data, which does not occupy the bus */
    uint64_t hca_read_ramp_packets; /* length of each step of the ramp-up of DMA
                                     * reads, in packets; 0 means no ramp-up */
    uint64_t hca_flow_bytes_s;      /* maximum rate of a flow; 0 means no
                                     * limit */
    uint64_t hca_get_bytes_s;       /* maximum rate of the answers to gets; 0
                                     * means hca_flow_bytes_s */
    uint64_t hca_forward_bytes;     /* length of the parts in which stages pass
                                     * on a packet; 0 means the whole packet */
    uint64_t hca_receive_ps;        /* latency of the receive engine */
    uint64_t hca_write_ps;          /* latency of a DMA write */
    uint64_t hca_completion_ps;     /* additional latency of a completion */
    uint64_t hca_pace_ticks;        /* granularity of dispatch times */
    uint64_t hca_pace_burst_bytes;  /* number of bytes that a paced flow sends
                                     * at once */
    uint64_t hca_data_ps; /* additional latency of data that are not part
                           * of the completion */

    /* gm */
    uint64_t gm_ports;
    uint64_t gm_send_tokens;
    uint64_t gm_receive_tokens;
    uint64_t gm_registered_bytes; /* limit per host, for all its ports
                                   * together */

    /* fabric */
    uint64_t link_bytes_s;
    uint64_t switch_link_bytes_s; /* rate of links between switches; 0 means the
                                   * same as link_bytes_s */
    uint64_t link_propagation_ps;
    uint64_t switch_routing_ps;
    uint64_t fabric_model; /* a value of enum gms_fabric_model */
    uint64_t flit_bits;
    uint64_t flit_lanes;           /* number of virtual lanes per link */
    uint64_t flit_real_time_lanes; /* number of lanes for reserved traffic */
    uint64_t flit_buffer_flits;    /* buffer size of each lane; 0 means 10
                                    * flits, or more if the link requires
                                    * more */
    uint64_t flit_policy;          /* a value of enum gms_lane_policy */
    uint64_t flit_frame_factor;
    /* virtual lanes of the fabric model cut-through */
    uint64_t vl_buffer_bytes;
    uint64_t vl_real_time, vl_control, vl_best_effort; /* lane of each class */
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
    /* rate control of best-effort traffic on Ethernet; see nic/dcqcn.h */
    uint64_t dcqcn;
    uint64_t dcqcn_cnp_bytes, dcqcn_cnp_ps;
    uint64_t dcqcn_gain_divisor;
    uint64_t dcqcn_alpha_ps, dcqcn_timer_ps;
    uint64_t dcqcn_counter_bytes, dcqcn_fast_steps;
    uint64_t dcqcn_ai_bytes_s, dcqcn_hai_bytes_s, dcqcn_min_bytes_s;

    /* faults: probabilities of packet faults, and outages of links */
    uint64_t fault_drop_ppm;
    uint64_t fault_damage_header_ppm;
    uint64_t fault_damage_payload_ppm;
    uint64_t fault_duplicate_ppm;
    uint64_t fault_delay_ppm;
    uint64_t fault_delay_max_us;
    uint64_t fault_outages_per_s; /* number of outages in the whole fabric */
    uint64_t fault_outage_us;     /* duration of an outage */

    /* qos */
    uint64_t undeclared;              /* a value of enum gms_undeclared */
    uint64_t switch_reserved_packets; /* number of reserved packets that an
                                       * input port of a switch can buffer
                                       * (model worm) */
    uint64_t nic_reserved_buffers;    /* number of staging buffers with which a
                                       * NIC receives reserved packets */
    uint64_t qos_node_rule;           /* a value of enum gms_qos_node_rule */
    uint64_t qos_node_load_ppm;       /* fraction of a NIC's time that
                                       * reservations may use */
    uint64_t qos_node_bytes_s;        /* capacity of a node, for both directions
                                       * together */
    uint64_t qos_link_bytes_s;        /* capacity of a link for payload */
    uint64_t qos_idt_product;         /* product of the IDT in ticks and the
                                       * bandwidth in MB/s */
    uint64_t qos_manager_ps;          /* time that a manager needs for a
                                       * request */
    uint64_t qos_best_effort;         /* a value of enum gms_qos_best_effort */
    uint64_t qos_strict_windows;      /* 1 if dispatch times are shorter to
                                       * compensate for the latency */
    uint64_t qos_work_conserving;     /* 1 if other flows may use idle shares */
    uint64_t qos_idle_us;             /* idle time after which other flows may
                                       * use a share */
    uint64_t qos_master;              /* node of the master manager, counted
                                       * from 1 */
    uint64_t qos_master_timeout_us;   /* time without a message from the master
                                       * after which an election begins */

    /* io: hosts with disks */
    uint64_t io_disks; /* number of disks per I/O host */
    uint64_t io_read_bytes_s;
    uint64_t io_write_bytes_s;
    uint64_t io_latency_us; /* latency of each request before the first byte */
    uint64_t io_stripe_bytes;
} gms_params_t;

typedef struct gms_param {
    const char *name;
    uint64_t value;           /* default */
    uint64_t min, max;        /* allowed range, inclusive */
    const char *unit;         /* name of the unit, such as "ps" or "bytes/s"; ""
                               * for a plain number */
    const char *doc;          /* meaning of the parameter, followed by its
                               * source or the reason for an assumed value */
    size_t offset;            /* offset of the field in gms_params_t */
    const char *const *names; /* for choices: names of the values 0, 1, and so
                               * on, NULL-terminated */
} gms_param_t;

/** The parameter table, which ends with .name == NULL. */
extern const gms_param_t gms_param_table[];

/** Names of the rows that define the hosts and switches, for an array
 *  initialiser. The row units_per_host also defines hosts. The list does not
 *  contain this row, because descriptions rarely set it. */
#define GMS_PARAM_SHAPE_NAMES                                                  \
    "hosts", "ranks_per_host", "topology", "routing", "rows", "columns",       \
        "hosts_per_switch", "tree_up", "switch_ports"

/** Minimum of arena_bytes, except for the value 0. */
#define GMS_PARAM_ARENA_LEAST (UINT64_C(16) << 20)
/** Return the size, in bytes, of the arena for a job with this number of ranks.
 *  The size is arena_bytes, or the default size if arena_bytes is 0. */
uint64_t gms_params_arena_bytes(const gms_params_t *params, uint64_t ranks);

/** Set all parameters to the values of the profile `lanai4.3`. */
void gms_params_init(gms_params_t *params);
/** Find the table row with the given name. Returns NULL if the table has no
 *  such row. */
const gms_param_t *gms_param_find(const char *name);
uint64_t gms_param_get(const gms_params_t *params, const gms_param_t *row);
void gms_param_set(gms_params_t *params, const gms_param_t *row,
                   uint64_t value);

#endif
