/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the table of parameters, one row per number. The name, default,
 * range, unit, meaning and source of a parameter appear only in its row. The
 * parser, the printer and the manual use this row.
 */
#include "params/params.h"

#include <assert.h>
#include <string.h>

#include "engine/arena.h"
#include "engine/gate.h"
#include "params/rows_ethernet.h"
#include "params/rows_hca.h"
#include "params/rows_lanes.h"

/* This macro derives a row's name from the name of its field. The two names are
 * therefore always equal. */
#define GMS_ROW(_field, _default, _min, _max, _unit, _doc)                     \
    {                                                                          \
        .name = #_field, .value = (_default), .min = (_min), .max = (_max),    \
        .unit = (_unit), .doc = (_doc),                                        \
        .offset = offsetof(gms_params_t, _field), .names = NULL                \
    }
/* The maximum is the index of the last name before the NULL. */
#define GMS_ROW_CHOICE(_field, _default, _names, _doc)                         \
    {                                                                          \
        .name = #_field, .value = (_default), .min = 0,                        \
        .max = sizeof(_names) / sizeof((_names)[0]) - 2, .unit = "",           \
        .doc = (_doc), .offset = offsetof(gms_params_t, _field),               \
        .names = (_names)                                                      \
    }

/* Value ranges that many rows share. The upper limits keep products of a few
 * values within 64 bits. They are not hardware limits. */
#define GMS_MAX_STEP_PS (UINT64_C(10) * GMS_MS)
#define GMS_MAX_CYCLES  UINT64_C(100000)
#define GMS_MIN_RATE    UINT64_C(1000000)
#define GMS_MAX_RATE    UINT64_C(100000000000)
#define GMS_MILLION     UINT64_C(1000000)

/* Default arena size per rank, and minimum of the default size of the whole
 * arena. */
#define GMS_ARENA_RANK_BYTES  (UINT64_C(256) << 20)
#define GMS_ARENA_USUAL_BYTES (UINT64_C(4) << 30)

static const char *const gms_scheduler_choices[] = {
    [GMS_SCHEDULER_MESSAGE_RR] = "message-rr",
    [GMS_SCHEDULER_PACKET_RR] = "packet-rr",
    [GMS_SCHEDULER_RATE] = "rate",
    [GMS_SCHEDULER_BYTE_RR] = "byte-rr",
    NULL,
};

static const char *const gms_binding_choices[] = {
    [GMS_BINDING_AUTO] = "auto",
    [GMS_BINDING_CORE] = "core",
    [GMS_BINDING_NONE] = "none",
    NULL,
};

static const char *const gms_placement_choices[] = {
    [GMS_PLACEMENT_BLOCK] = "block",
    [GMS_PLACEMENT_CYCLIC] = "cyclic",
    NULL,
};

static const char *const gms_intra_host_choices[] = {
    [GMS_INTRA_HOST_NIC] = "nic",
    [GMS_INTRA_HOST_MEMORY] = "memory",
    NULL,
};

static const char *const gms_mpi_rndv_protocol_choices[] = {
    [GMS_MPI_RNDV_WRITE] = "write",
    [GMS_MPI_RNDV_READ] = "read",
    NULL,
};

static const char *const gms_time_choices[] = {
    [GMS_TIME_VIRTUAL] = "virtual",
    [GMS_TIME_MEASURED] = "measured",
    [GMS_TIME_WALL] = "wall",
    [GMS_TIME_RECORDED] = "recorded",
    NULL,
};

static const char *const gms_qos_node_rule_choices[] = {
    [GMS_QOS_NODE_INCOMING] = "incoming",
    [GMS_QOS_NODE_CONSTANT] = "constant",
    NULL,
};

static const char *const gms_undeclared_choices[] = {
    [GMS_UNDECLARED_BEST_EFFORT] = "best-effort",
    [GMS_UNDECLARED_FREE] = "free",
    NULL,
};

static const char *const gms_qos_best_effort_choices[] = {
    [GMS_QOS_BEST_EFFORT_MAXMIN] = "maxmin",
    [GMS_QOS_BEST_EFFORT_MINSHARE] = "minshare",
    NULL,
};

static const char *const gms_nic_kind_choices[] = {
    [GMS_NIC_LANAI] = "lanai",
    [GMS_NIC_HCA] = "hca",
    NULL,
};

static const char *const gms_topology_choices[] = {
    [GMS_TOPOLOGY_CROSSBAR] = "crossbar", [GMS_TOPOLOGY_CASCADE] = "cascade",
    [GMS_TOPOLOGY_CLOS] = "clos",         [GMS_TOPOLOGY_FAT_TREE] = "fat-tree",
    [GMS_TOPOLOGY_MESH] = "mesh",         [GMS_TOPOLOGY_TORUS] = "torus",
    [GMS_TOPOLOGY_GRAPH] = "graph",       NULL,
};

static const char *const gms_fabric_model_choices[] = {
    [GMS_FABRIC_WORM] = "worm",
    [GMS_FABRIC_FLIT] = "flit",
    [GMS_FABRIC_CUT_THROUGH] = "cut-through",
    [GMS_FABRIC_ETHERNET] = "ethernet",
    NULL,
};

/* The names follow the order of enum gms_lane_policy, which a higher layer
 * defines. */
static const char *const gms_flit_policy_choices[] = {
    "fcfs",       "round-robin", "small-fast", "small-slow",
    "large-fast", "large-slow",  NULL,
};
#define GMS_FLIT_POLICY_SMALL_FAST 2

static const char *const gms_routing_choices[] = {
    [GMS_ROUTING_AUTO] = "auto",
    [GMS_ROUTING_UPDOWN] = "updown",
    [GMS_ROUTING_DIMENSION_ORDER] = "dimension-order",
    [GMS_ROUTING_SHORTEST] = "shortest",
    [GMS_ROUTING_TABLES] = "tables",
    NULL,
};

/* The mcp_*_cycles rows have two constraints. The LANai and the host DMA engine
 * process a 4096-byte packet one after the other. Together, they need 49.2 us
 * to send a packet (packet-rr) and 48.3 us to receive a packet, including
 * events. No published source divides this time among the steps. Some steps can
 * overlap with the next host DMA: the end of a receive or a send, tokens, and
 * incoming acknowledgements. These steps do not count towards the two times. */
const gms_param_t gms_param_table[] = {
    /* cluster */
    GMS_ROW(hosts, 16, 1, 16384, "hosts",
            "Number of simulated hosts. The topology and its switches limit "
            "this number. [assumed: more hosts than any real Myrinet had]"),
    GMS_ROW(units_per_host, 1, 1, 4, "NICs",
            "Number of NICs per host. Ranks use the first NIC. [assumed: "
            "programs for GM look for units 0 to 3]"),
    GMS_ROW(ranks_per_host, 1, 1, 253, "ranks",
            "Number of processes per host in a job. [assumed: the thesis ran "
            "one process per host]"),
    GMS_ROW_CHOICE(
        placement, GMS_PLACEMENT_BLOCK, gms_placement_choices,
        "Assignment of ranks to hosts. With block, each host is filled before "
        "the next host receives ranks. With cyclic, each host receives one "
        "rank in turn. The value can also be a mapping that lists the ranks of "
        "each host. [assumed: launchers fill one host before the next]"),
    GMS_ROW(switch_ports, 16, 2, 64, "ports",
            "Number of ports of each switch. [source: gulati 2001 thesis 5.1: "
            "one crossbar of 16 ports; a route byte can distinguish 64 ports]"),
    GMS_ROW_CHOICE(topology, GMS_TOPOLOGY_CROSSBAR, gms_topology_choices,
                   "Topology of the network of switches. [source: gulati 2001 "
                   "thesis 5.1: one crossbar]"),
    GMS_ROW_CHOICE(routing, GMS_ROUTING_AUTO, gms_routing_choices,
                   "Method of computing routes. With auto, a mesh uses "
                   "dimension-order, and all other topologies use updown. With "
                   "tables, the list `tables' of a graph contains the routes. "
                   "[source: GM's mapper computes up*/down* routes]"),
    GMS_ROW(rows, 0, 0, 64, "switches",
            "Number of rows of a mesh or torus; 0: the mesh is as square as "
            "the number of hosts permits. [assumed: a route passes through at "
            "most 24 switches]"),
    GMS_ROW(columns, 0, 0, 64, "switches",
            "Number of columns of a mesh or torus; 0: the mesh is as square as "
            "the number of hosts permits. [assumed: same as rows]"),
    GMS_ROW(hosts_per_switch, 0, 0, 64, "hosts",
            "Number of hosts attached to each switch; in a tree, only the "
            "lowest level has hosts. The value 0 means half of the ports in a "
            "tree, and all free ports in a cascade. In a mesh or torus, 0 "
            "means as many hosts as the given rows and columns require, or 1 "
            "if they are not given. [source: Myricom's guide to switches, "
            "2001: leaves with 8 of 16 ports for hosts]"),
    GMS_ROW(
        tree_up, 0, 0, 63, "cables",
        "Number of upward cables of each switch in a fat tree; 0: as many as "
        "hosts_per_switch. [assumed: full bisection, as in a Clos network]"),
    GMS_ROW_CHOICE(scheduler, GMS_SCHEDULER_RATE, gms_scheduler_choices,
                   "Packet scheduler of every NIC. "
                   "[source: gulati 2001 thesis 3.2.2, 4.1, figure 2.3]"),
    GMS_ROW(seed, 1, 0, UINT64_MAX, "",
            "Seed of all random streams. [assumed: any value is suitable; a "
            "fixed value makes runs repeatable]"),
    GMS_ROW(
        arena_bytes, 0, 0, GMS_ARENA_MAX_BYTES, "bytes",
        "Maximum size of the shared arena. Pages are allocated when they are "
        "first used. The value 0 means 256 MiB per rank, but at least 4 GiB "
        "and at most 256 GiB. Other values below 16777216 are not allowed. "
        "[assumed: enough room for the DMA memory of typical programs]"),
    GMS_ROW_CHOICE(
        binding, GMS_BINDING_AUTO, gms_binding_choices,
        "Binding of the ranks' real processes to the machine's processors. "
        "With core, all processes are bound to one core. With the value none, "
        "the operating system chooses the processors. In the time modes "
        "virtual and recorded, auto means core, but ranks that compute leave "
        "the core after a few milliseconds of real time. In the other time "
        "modes, auto means none. Without a binding, ranks can compute at the "
        "same time. With auto, a process is also unbound if its threads "
        "compute while one of them waits in a call. The binding has no effect "
        "on virtual time. [assumed: context switches are cheapest on one "
        "core]"),
    GMS_ROW_CHOICE(
        time, GMS_TIME_VIRTUAL, gms_time_choices,
        "Virtual time charged for a program's own work. With virtual, the work "
        "takes no time. With measured, the work takes its CPU time. With wall, "
        "the work takes its real time, and virtual time does not run ahead of "
        "real time. The values measured:FACTOR and wall:FACTOR also set "
        "time_factor_ppm. With recorded, the work takes the same time as in an "
        "earlier run; only GMSIM_TIME=recorded:RECORD selects this mode. "
        "[assumed: only virtual and recorded make runs repeatable]"),
    GMS_ROW(time_factor_ppm, GMS_TIME_FACTOR_ONE, 1, GMS_MILLION *GMS_MILLION,
            "ppm",
            "Ratio of virtual time to measured or real time. [assumed: the "
            "simulated host is as fast as the real one]"),
    GMS_ROW(start_limit_s, 60, 1, 86400, "s",
            "Maximum wall-clock time to wait for all ranks to start. [assumed: "
            "a slow launcher needs seconds, and a launcher that needs a minute "
            "has failed]"),

    /* host */
    GMS_ROW(host_send_ps, 800 * GMS_NS, 1, GMS_MAX_STEP_PS, "ps",
            "Duration of a send call, excluding the time to write the "
            "descriptor to the NIC. [assumed: GM states about 1 us of host "
            "overhead per packet, shared by send and receive calls]"),
    GMS_ROW(host_receive_ps, 700 * GMS_NS, 1, GMS_MAX_STEP_PS, "ps",
            "Duration of a receive call that returns an event. [assumed: same "
            "as host_send_ps]"),
    GMS_ROW(host_poll_ps, 250 * GMS_NS, 1, GMS_MAX_STEP_PS, "ps",
            "Duration of a receive call that returns no event. [assumed: two "
            "cache misses and a call at 300 MHz]"),
    GMS_ROW(host_poll_max_ps, 100 * GMS_US, 1, GMS_SECOND, "ps",
            "Maximum duration of a poll in a series of polls without an event. "
            "[assumed: short compared with any relevant wait]"),
    GMS_ROW(host_callback_ps, 200 * GMS_NS, 1, GMS_MAX_STEP_PS, "ps",
            "Time to call one send completion callback. [assumed: about 60 "
            "cycles at 300 MHz]"),
    GMS_ROW(host_provide_ps, 300 * GMS_NS, 1, GMS_MAX_STEP_PS, "ps",
            "Time to pass a receive buffer (an 8-byte descriptor) to the NIC. "
            "[assumed: a call and two uncached writes over PCI]"),
    GMS_ROW(host_clock_read_ps, 100 * GMS_NS, 1, GMS_MAX_STEP_PS, "ps",
            "Time to read the clock. [assumed: a cycle counter and a division "
            "at 300 MHz]"),
    GMS_ROW(
        host_register_ps, 2 * GMS_US, 1, GMS_SECOND, "ps",
        "Duration of a call that registers or deregisters memory, excluding "
        "the time per page. [assumed: a system call on the kernels of 2001]"),
    GMS_ROW(host_register_page_ps, 300 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",
            "Time to register one page of memory. [assumed: the time to pin "
            "the page and to write its entry to the NIC's table]"),
    GMS_ROW(host_open_ps, 100 * GMS_US, 1, GMS_SECOND, "ps",
            "Time to open a port. [assumed: not part of any measurement]"),
    GMS_ROW(
        host_pio_ps, 500 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",
        "Time to write a send descriptor from the host to the NIC's memory. "
        "[assumed: 32 bytes in 8 uncached writes of 2 PCI cycles each]"),

    /* mpi */
    GMS_ROW(mpi_eager_bytes, 16000, 0, 1 << 20, "bytes",
            "Longest message that is sent without a rendezvous. [source: the "
            "MPICH-GM guide states 16 KB minus the header]"),
    GMS_ROW(mpi_overhead_ps, 1 * GMS_US, 0, GMS_MAX_STEP_PS, "ps",
            "Processing time of the MPI device per message, on each side. "
            "[assumed: 300 cycles at 300 MHz]"),
    GMS_ROW(mpi_receive_overhead_ps, 0, 0, GMS_MAX_STEP_PS, "ps",
            "Additional processing time of the MPI device at the receiver of a "
            "message. [assumed: both sides need the same time]"),
    GMS_ROW(mpi_copy_ps_per_byte, 5000, 0, 1000000, "ps/byte",
            "Time per byte to copy eager data, on each side; 5000 corresponds "
            "to 200 MB/s. [assumed: memory copy on a 300 MHz Pentium II]"),
    GMS_ROW(mpi_receive_copy_ps_per_byte, 0, 0, 1000000, "ps/byte",
            "Additional time per byte to copy eager data at the receiver. "
            "[assumed: copies take the same time on both sides]"),
    GMS_ROW(mpi_eager_part_bytes, 16376, 1024, 16376, "bytes",
            "Longest GM message, including its header, that carries a part of "
            "an eager message. The copies of a part overlap with the transfer "
            "of other parts. [source: a GM buffer of size class 14]"),
    GMS_ROW(mpi_eager_direct_bytes, 1 << 20, 0, 1 << 20, "bytes",
            "Eager messages that are longer than this value are sent without a "
            "copy at the sender if their data are contiguous. Such a message "
            "costs mpi_register_lookup_ps instead of the copy. [assumed: all "
            "eager messages are copied]"),
    GMS_ROW_CHOICE(
        mpi_rndv_protocol, GMS_MPI_RNDV_WRITE, gms_mpi_rndv_protocol_choices,
        "Method of transferring the data of a rendezvous. With `write`, the "
        "receiver sends the address of its buffer, and the sender's NIC writes "
        "the data. With `read`, the sender sends the address of its buffer, "
        "and the receiver's NIC reads the data. Messages with a reservation "
        "and messages within a host always use `write`. [source: MPICH-GM uses "
        "directed sends]"),
    GMS_ROW(mpi_rndv_read_bytes, UINT64_C(1) << 40, 0, UINT64_C(1) << 40,
            "bytes",
            "Longest message that the receiver's NIC reads with "
            "`mpi_rndv_protocol: read`. Longer messages use `write`. [assumed: "
            "no limit]"),
    GMS_ROW(mpi_rndv_overhead_ps, 0, 0, GMS_MAX_STEP_PS, "ps",
            "Processing time of the MPI device for a rendezvous, on each side, "
            "in addition to mpi_overhead_ps. [assumed: included in "
            "mpi_overhead_ps and in the time of the registration]"),
    GMS_ROW(mpi_pack_block_ps, 150 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",
            "Additional time for each contiguous block of non-contiguous data, "
            "on the side that packs or unpacks. [assumed: 45 cycles at 300 MHz "
            "for the datatype engine's loop and a cache miss]"),
    GMS_ROW(mpi_rndv_recv_ps_per_byte, 19531, 0, 1000000, "ps/byte",
            "Processing time at the receiver per byte of a rendezvous; 19531 "
            "corresponds to 1.28 ms per 64 KB. [source: calibrated to gulati "
            "2001 thesis 5.5.1, figure 5.9: 50 MB/s at MPI level for any IDT "
            "below 140]"),
    GMS_ROW_CHOICE(
        intra_host, GMS_INTRA_HOST_MEMORY, gms_intra_host_choices,
        "Path of MPI messages between ranks of one host. With memory, messages "
        "pass through the host's memory. With nic, messages pass through the "
        "host's NIC to the switch and back; only this traffic is regulated. "
        "[source: MPICH-GM uses shared memory within a host]"),
    GMS_ROW(memory_latency_ps, 1 * GMS_US, 1, GMS_MAX_STEP_PS, "ps",
            "Delay from a write to shared memory until the other process can "
            "read the data. [assumed: about four cache lines are exchanged "
            "over a bus of 66 to 100 MHz]"),
    GMS_ROW(memory_ps_per_byte, 10000, 0, 1000000, "ps/byte",
            "Total time per byte of long messages, puts and gets within a "
            "host; 10000 corresponds to 100 MB/s. [assumed: two copies, in and "
            "out of shared memory, each at mpi_copy_ps_per_byte]"),

    GMS_ROW(mpi_pipeline_bytes, 64 << 10, 4096, 16 << 20, "bytes",
            "Chunk length of a rendezvous whose data are packed or unpacked "
            "during the transfer. [source: MPICH-GM uses such chunks where "
            "memory cannot be registered]"),
    GMS_ROW(mpi_pipeline_depth, 4, 1, 16, "chunks",
            "Number of chunks in progress at the same time in a rendezvous "
            "whose data are packed or unpacked. [assumed: one chunk is packed, "
            "one is sent, one is unpacked, and one is in reserve]"),
    GMS_ROW(mpi_register_cache_bytes, UINT64_C(64) << 20, 0, UINT64_C(1) << 40,
            "bytes",
            "User memory that a process keeps registered for later messages; "
            "0: none. [assumed: two thirds of gm_registered_bytes]"),
    GMS_ROW(mpi_register_lookup_ps, 500 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",
            "Time to search for a cached registration. [assumed: 150 cycles at "
            "300 MHz, several cache misses]"),
    GMS_ROW(mpi_spawn_ps, 100 * GMS_MS, 0, 100 * GMS_SECOND, "ps",
            "Time from a call to MPI_Comm_spawn until the spawned processes "
            "start. [assumed: a process manager starts a process on another "
            "host in 100 ms]"),
    GMS_ROW(mpi_spawn_most, 1024, 0, 65535, "processes",
            "Maximum number of processes that MPI_Comm_spawn may start in a "
            "run; 0: none. [assumed: far more processes than most clusters "
            "have ports for]"),
    GMS_ROW(mpi_name_ps, 200 * GMS_US, 0, 100 * GMS_SECOND, "ps",
            "Duration of MPI_Publish_name, MPI_Lookup_name and "
            "MPI_Unpublish_name. [assumed: a message over Ethernet to the "
            "process manager and its answer]"),

    /* lanai */
    GMS_ROW(lanai_cycle_ps, 30303, 1000, 1000000, "ps",
            "Length of a LANai cycle; 30303 corresponds to the PCI clock of 33 "
            "MHz. [source: gulati 2001 thesis 5.1]"),
    GMS_ROW(rtc_tick_ps, 500 * GMS_NS, 1000, GMS_MS, "ps",
            "Tick length of the LANai's real-time clock; IDTs are counted in "
            "these ticks. [source: calibrated to gulati 2001 thesis 5.4: 16.37 "
            "MB/s at an IDT of 500]"),
    GMS_ROW(
        mcp_token_cycles, 60, 0, GMS_MAX_CYCLES, "cycles",
        "Cycles to fetch a send descriptor, build the token and enqueue it. "
        "[assumed: 2 us, hidden behind a host DMA when the NIC is busy]"),
    GMS_ROW(mcp_recv_token_cycles, 60, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to fetch a receive descriptor and enqueue the buffer. "
            "[assumed: the descriptor is shorter than a send descriptor]"),
    GMS_ROW(mcp_schedule_cycles, 90, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to choose the token of the next packet. [assumed: part of "
            "the sender's 49.2 us per packet]"),
    GMS_ROW(
        mcp_rate_first_cycles, 7, 0, GMS_MAX_CYCLES, "cycles",
        "Cycles that the scheduler 'rate' adds for the first valid flow: 0.2 "
        "us. [source: gulati 2001 thesis 5.2: under 1 % of the bandwidth]"),
    GMS_ROW(mcp_rate_flow_cycles, 21, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles that the scheduler 'rate' adds for each additional valid "
            "flow: 0.62 us to search for the earliest dispatch time. [source: "
            "calibrated to gulati 2001 thesis figures 5.5 and 5.6: two flows "
            "reach 81.8 MB/s in total, and three flows reach 80.8 MB/s]"),
    GMS_ROW(mcp_sdma_start_cycles, 210, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to build the packet's header, find its page and start the "
            "host DMA. [assumed: part of the sender's 49.2 us per packet]"),
    GMS_ROW(mcp_sdma_finish_cycles, 90, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to process the end of a host DMA for sending. [assumed: "
            "part of the sender's 49.2 us per packet]"),
    GMS_ROW(mcp_send_start_cycles, 92, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to start the send DMA on the link, before the next host "
            "DMA. [assumed: part of the sender's 49.2 us per packet]"),
    GMS_ROW(mcp_send_finish_cycles, 30, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to process the end of a send DMA. [assumed: this step only "
            "frees a buffer]"),
    GMS_ROW(mcp_recv_finish_cycles, 90, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to check a packet's header and sequence number, and to "
            "find its buffer. [assumed: 3 us, hidden behind a host DMA when "
            "the NIC is busy]"),
    GMS_ROW(mcp_rdma_start_cycles, 160, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to find a packet's page and start the DMA to the host. "
            "[assumed: part of the receiver's 48.3 us per packet]"),
    GMS_ROW(mcp_rdma_finish_cycles, 232, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to process the end of a DMA to the host, and to prepare "
            "the packet's acknowledgement. [assumed: part of the receiver's "
            "48.3 us per packet]"),
    GMS_ROW(mcp_event_cycles, 60, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to report an event to the host. [assumed: 2 us]"),
    GMS_ROW(mcp_ack_send_cycles, 60, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to send the prepared acknowledgement of a connection. "
            "[assumed: part of the receiver's 48.3 us per packet]"),
    GMS_ROW(mcp_ack_receive_cycles, 60, 0, GMS_MAX_CYCLES, "cycles",
            "Cycles to process an incoming acknowledgement. [assumed: 2 us]"),

    /* nic */
    GMS_ROW_CHOICE(
        nic_kind, GMS_NIC_LANAI, gms_nic_kind_choices,
        "Structure of every NIC. With lanai, one processor executes all steps "
        "(lanai_* and mcp_*). With hca, each direction has pipelined hardware "
        "(hca_*). [source: gulati 2001 thesis 4.1; InfiniBand Architecture "
        "Specification, volume 1]"),
    GMS_ROW(host_dma_bytes_s, 120000000, GMS_MIN_RATE, GMS_MAX_RATE, "bytes/s",
            "Rate of the host DMA engine over the PCI bus, in either "
            "direction. The engine of a lanai NIC serves one direction at a "
            "time. The engines of an hca NIC serve both directions at the same "
            "time. [assumed: 32-bit PCI at 33 MHz peaks at 132 MB/s; NICs of "
            "this kind moved 110 to 130 MB/s]"),
    GMS_ROW(host_dma_setup_ps, 300 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",
            "Setup time of a host DMA before its first byte. [assumed: bus "
            "arbitration and address phase, 10 PCI cycles]"),
    GMS_ROW(nic_send_buffers, 2, 1, 64, "packets",
            "Number of staging buffers for sending. [source: GM 1.x has two "
            "chunks: one is filled while the other is sent]"),
    GMS_ROW(nic_recv_buffers, 2, 1, 64, "packets",
            "Number of staging buffers for receiving. [source: GM 1.x has two "
            "chunks: one is filled while the other is emptied]"),
    GMS_ROW(nic_mtu_bytes, 4096, 64, 4096, "bytes",
            "Maximum payload of a packet. [source: GM's gm_mtu()]"),
    GMS_ROW(
        nic_header_bytes, 29, 8, 256, "bytes",
        "Number of bytes of a data packet in addition to its payload: a "
        "24-byte header (including the type), a CRC-32 and a CRC-8. [source: "
        "packet format of GM 2.0] [assumed: the label fits into the header]"),
    GMS_ROW(nic_ack_bytes, 25, 8, 256, "bytes",
            "Length of an acknowledgement on the wire: 6 words and a CRC-8. "
            "[source: packet format of GM 2.0]"),
    GMS_ROW(nic_event_bytes, 64, 8, 256, "bytes",
            "Length of an event in host memory. "
            "[source: size of GM's union gm_recv_event]"),
    GMS_ROW(nic_fast_bytes, 128, 0, 248, "bytes",
            "Longest message that is delivered inside its event, in one DMA. "
            "[assumed: a receive queue slot is 256 bytes; GM's own limit is "
            "not published]"),
    GMS_ROW(nic_equal_segments, 0, 0, 1, "0 or 1",
            "With 1, packet-rr divides a message into equal packets, as GM "
            "did. With 0, all packets except the last are full. [source: "
            "gulati 2001 thesis 5.2, which uses full packets]"),
    GMS_ROW(nic_quantum_bytes, 4125, 64, UINT64_C(1) << 20, "bytes",
            "Number of bytes, including headers, that a flow may send per turn "
            "with byte-rr. Unused bytes are added to the flow's next turn. "
            "[assumed: a full packet and its header; the source of byte-rr, "
            "Shreedhar and Varghese 1995, requires at least the length of the "
            "longest packet]"),
    GMS_ROW(nic_window_packets, 64, 1, 4096, "packets",
            "Maximum number of unacknowledged packets on a connection. "
            "[assumed: more packets than a round trip ever needs]"),
    GMS_ROW(nic_ack_packets, 1, 1, 1024, "packets",
            "Number of packets per acknowledgement. The last packet of a "
            "message and reserved packets are always acknowledged at once. The "
            "value must not exceed nic_window_packets. [assumed: GM "
            "acknowledges every packet]"),
    GMS_ROW(nic_resend_timeout_us, 10000, 100, 10000000, "us",
            "Time without an acknowledgement after which packets are sent "
            "again. [assumed: many round trips, because load alone must not "
            "cause retransmissions]"),
    GMS_ROW(nic_nack_delay_us, 200, 1, 10000000, "us",
            "Time that a flow waits after a NACK that reports a missing "
            "buffer. [assumed: a few packet times]"),
    GMS_ROW(nic_send_timeout_us, 60000000, 1000, UINT64_C(3600000000), "us",
            "Time without progress after which a send times out. [assumed: "
            "GM's own value is not published]"),
    GMS_ROW(nic_check_crc, 0, 0, 1, "0 or 1",
            "With 1, the CRC of each packet is computed and checked. This "
            "parameter has no effect on virtual time. [assumed: needed only "
            "with injected faults]"),
    GMS_ROW(
        nic_sram_bytes, UINT64_C(1) << 20, UINT64_C(320) << 10,
        UINT64_C(4) << 30, "bytes",
        "Memory of the NIC. The MCP's program, buffers and rings occupy 256 "
        "KB; the remaining memory is for connections, flows, tokens and "
        "messages in reassembly. [source: NICs with a LANai 4 had 1 MB]"),
    GMS_ROW(nic_dispatch_records, 0, 0, 100 * GMS_MILLION, "packets",
            "Length of each NIC's dispatch log, which records the tick and the "
            "flow of the latest packets; 0: no log. This parameter has no "
            "effect on virtual time. [source: gulati 2001 thesis figures 5.11 "
            "and 5.12 show such a log]"),

    GMS_ROWS_HCA,

    /* gm */
    GMS_ROW(gm_ports, 8, 5, 256, "ports",
            "Number of GM ports of a NIC; the ports 0, 1 and 3 are reserved. "
            "Memory is allocated only for ports that are opened. [source: GM "
            "1.x; GM's port numbers have 8 bits]"),
    GMS_ROW(gm_send_tokens, 61, 2, 1024, "tokens",
            "Number of send tokens of a port: 64 slots minus 3 slots for "
            "alarms. [source: GM 2.0]"),
    GMS_ROW(gm_receive_tokens, 254, 2, 4096, "tokens",
            "Number of receive tokens of a port. [source: GM 2.0]"),
    GMS_ROW(gm_registered_bytes, UINT64_C(22937) * 4096, 64 * 4096,
            UINT64_C(1) << 40, "bytes",
            "Maximum amount of memory that the ports of a host may register "
            "together, in whole pages of 4096 bytes: 70 % of 128 MB. [source: "
            "the GASNet guide for GM states 70 % of the memory; gulati 2001 "
            "thesis 5.1 states 128 MB]"),

    /* fabric */
    GMS_ROW(link_bytes_s, 160000000, GMS_MIN_RATE, GMS_MAX_RATE, "bytes/s",
            "Rate of a link in each direction: 1.28 Gb/s. [source: second "
            "generation of Myrinet, Boden 1995 and later papers]"),
    GMS_ROW(switch_link_bytes_s, 0, 0, GMS_MAX_RATE, "bytes/s",
            "Rate of a link between two switches in each direction (only with "
            "fabric_model: cut-through or ethernet). 0: same as link_bytes_s. "
            "[assumed: all links of a network have the same rate]"),
    GMS_ROW(link_propagation_ps, 50 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",
            "Propagation delay from one end of a link to the other: 10 m at 5 "
            "ns/m. [assumed: cables within a row of racks]"),
    GMS_ROW(switch_routing_ps, 300 * GMS_NS, 0, GMS_MAX_STEP_PS, "ps",
            "Delay from the arrival of a packet's head at a switch to its "
            "departure on a free output port. [assumed: 550 ns on the first "
            "8-port switches, 100 to 300 ns on later ones]"),
    GMS_ROW_CHOICE(
        fabric_model, GMS_FABRIC_WORM, gms_fabric_model_choices,
        "Model of packet transport through the network. With worm, whole "
        "packets move with one event per hop. With flit, flits move on virtual "
        "lanes, cycle by cycle. With cut-through, whole packets move on "
        "virtual lanes with credits. With ethernet, switches can "
        "pause senders and mark packets (RoCE). [source: gulati 2001 thesis "
        "2.3; Yum et al. section 3; InfiniBand Architecture Specification, "
        "volume 1, 7]"),
    GMS_ROW(flit_bits, 128, 8, 4096, "bits",
            "Length of a flit, which a link carries in one cycle. [source: Yum "
            "et al., section 6.1]"),
    GMS_ROW(flit_lanes, 16, 3, 16, "lanes",
            "Number of virtual lanes of each link: one for control, the "
            "real-time lanes, and the remaining lanes for best effort. "
            "[source: Yum et al., section 6.1: 16 lanes, the last for "
            "control]"),
    GMS_ROW(flit_real_time_lanes, 11, 1, 14, "lanes",
            "Number of lanes for reserved traffic; at least one lane remains "
            "for best effort. If undeclared is best-effort, these lanes stay "
            "empty. Reserved packets and control packets then use lanes for "
            "whole packets (switch_reserved_packets). [source: Yum et al., "
            "section 7.1: 11 lanes if 80 % of the traffic is real time]"),
    GMS_ROW(flit_buffer_flits, 0, 0, 255, "flits",
            "Buffer size of each lane at the end of a link. The value 0 means "
            "10 flits, or more if a single lane needs more to fill the link. "
            "[source: Yum et al., section 6.1: 10 flits]"),
    GMS_ROW_CHOICE(flit_policy, GMS_FLIT_POLICY_SMALL_FAST,
                   gms_flit_policy_choices,
                   "Policy that chooses the next real-time lane. Four policies "
                   "use weights, in a small or a large frame and with a fast "
                   "or a slow pointer. The other two policies use no weights. "
                   "[source: Yum et al., section 7.1: small-fast is the best "
                   "of the four policies with weights]"),
    GMS_ROW(flit_frame_factor, 4, 1, 1000, "",
            "Length of the small frame, as a multiple of the number of "
            "real-time lanes. [source: Yum et al., section 7.1]"),

    GMS_ROWS_LANES,
    GMS_ROWS_ETHERNET,

    /* faults */
    GMS_ROW(fault_drop_ppm, 0, 0, GMS_MILLION, "ppm",
            "Probability that a packet leaves its NIC and never arrives. "
            "[assumed: a working network loses no packets]"),
    GMS_ROW(
        fault_damage_header_ppm, 0, 0, GMS_MILLION, "ppm",
        "Probability that a packet has a flipped bit in its header. [assumed: "
        "no bit errors, because Myrinet's bit error rate is below 1e-15]"),
    GMS_ROW(fault_damage_payload_ppm, 0, 0, GMS_MILLION, "ppm",
            "Probability that a packet has a flipped bit in its payload. "
            "[assumed: same as fault_damage_header_ppm]"),
    GMS_ROW(
        fault_duplicate_ppm, 0, 0, GMS_MILLION, "ppm",
        "Probability that a packet arrives twice. [assumed: no Myrinet switch "
        "duplicates packets, but a receiver must tolerate duplicates]"),
    GMS_ROW(fault_delay_ppm, 0, 0, GMS_MILLION, "ppm",
            "Probability that a packet is delayed before it enters the "
            "target's NIC. [assumed: no Myrinet switch delays packets in this "
            "way, but a receiver must tolerate delays]"),
    GMS_ROW(fault_delay_max_us, 100, 1, 10 * GMS_MILLION, "us",
            "Maximum delay of the packets that fault_delay_ppm selects; delays "
            "are uniformly distributed. [assumed: two packet times, long "
            "enough for another packet to overtake]"),
    GMS_ROW(fault_outages_per_s, 0, 0, GMS_MILLION, "1/s",
            "Rate of outages in the whole fabric. An outage takes down a "
            "random link; the intervals between outages are exponentially "
            "distributed. [assumed: cables stay connected]"),
    GMS_ROW(fault_outage_us, 1000, 1, 1000 * GMS_MILLION, "us",
            "Length of an outage. [assumed: less than nic_resend_timeout_us, "
            "but more than the transmission time of a packet]"),

    /* qos */
    GMS_ROW_CHOICE(
        undeclared, GMS_UNDECLARED_BEST_EFFORT, gms_undeclared_choices,
        "Treatment of traffic for which no request was made. With best-effort, "
        "reserved packets have separate lanes and buffers in switches and "
        "NICs, and take precedence; all other traffic is best effort. With "
        "free, all traffic shares lanes and buffers, as on the hardware of the "
        "thesis. The guarantees of reservations then hold only against "
        "declared traffic. [source: doc/design/0022-guarantees.md]"),
    GMS_ROW(switch_reserved_packets, 256, 1, 4096, "packets",
            "Number of reserved packets that each input port of a switch can "
            "buffer (only with undeclared: best-effort). [assumed: 1 MB per "
            "port, as in data-centre switches]"),
    GMS_ROW(nic_reserved_buffers, 256, 2, 4096, "packets",
            "Number of staging buffers in which a NIC receives reserved "
            "packets, in addition to nic_recv_buffers (only with undeclared: "
            "best-effort). At least two buffers are required, because one "
            "packet can arrive while another is written to the host. [assumed: "
            "1 MB in addition to nic_sram_bytes]"),
    GMS_ROW_CHOICE(
        qos_node_rule, GMS_QOS_NODE_INCOMING, gms_qos_node_rule_choices,
        "Rule for the bandwidth that a node can grant. With incoming, this "
        "bandwidth depends on the incoming traffic [source: gulati 2001 thesis "
        "5.3, figure 5.4]. With constant, the bandwidth is qos_node_bytes_s "
        "for both directions together, regardless of the flows [source: ibid. "
        "5.6]"),
    GMS_ROW(qos_node_load_ppm, 965000, 100000, GMS_MILLION, "ppm",
            "Share of a NIC's time that its node may grant (only with "
            "qos_node_rule: incoming). The remaining time is for costs that "
            "the managers do not count: events of short messages, and the "
            "waiting time of packets where traffic from several senders meets. "
            "[source: gulati 2001 thesis 5.6 and figure 5.6: 78 MB/s granted "
            "by a node whose three flows reach 80.8 MB/s]"),
    GMS_ROW(qos_node_bytes_s, 78000000, GMS_MIN_RATE, GMS_MAX_RATE, "bytes/s",
            "Maximum total bandwidth that may be granted to all incoming and "
            "outgoing flows of a node; if the NIC is slower, the limit is "
            "lower. [source: gulati 2001 thesis 5.6: 40+38, 40+20+18, 20+58 "
            "and 39+39 MB/s]"),
    GMS_ROW(qos_link_bytes_s, 158800000, GMS_MIN_RATE, GMS_MAX_RATE, "bytes/s",
            "Maximum total payload bandwidth that may be granted to all flows "
            "over a link. [assumed: 4096/4126 of link_bytes_s, rounded down]"),
    GMS_ROW(qos_idt_product, 8192, 1, 10000000, "bytes/us",
            "Product of an IDT in ticks and the resulting bandwidth in MB/s, "
            "for packets of nic_mtu_bytes bytes. [source: gulati 2001 thesis "
            "5.6: 38 MB/s correspond to 4.7 packets per 1000 ticks]"),
    GMS_ROW(qos_manager_ps, 50 * GMS_US, 1, GMS_SECOND, "ps",
            "Processing time of a manager for one request or message. "
            "[assumed: a process wakes up, reads a table, and answers]"),
    GMS_ROW_CHOICE(
        qos_best_effort, GMS_QOS_BEST_EFFORT_MAXMIN,
        gms_qos_best_effort_choices,
        "Rule by which best-effort flows share the bandwidth that reservations "
        "do not use. With maxmin, a flow could receive more only if a flow "
        "with the same or less bandwidth received less. With minshare, nodes "
        "and ports divide their bandwidth evenly, and a flow receives the "
        "smallest share on its route. [source: minshare: gulati 2001 thesis "
        "3.3.2; maxmin: Bertsekas and Gallager, Data Networks, 6.5.2]"),
    GMS_ROW(qos_strict_windows, 0, 0, 1, "0 or 1",
            "With 1, a reservation loses at most 0.5 % of its bandwidth to "
            "latency in every window of 100 ms or 400 packets. Managers "
            "shorten inter-packet dispatch times for this purpose, and deny "
            "requests that no dispatch time can satisfy. With 0, the managers "
            "do not limit this loss. This parameter has an effect only on "
            "clusters for which the managers compute bounds. [assumed: the "
            "thesis guarantees a rate, but not the bandwidth in each window]"),
    GMS_ROW(qos_work_conserving, 0, 0, 1, "0 or 1",
            "With 1, a best-effort flow that does not use its share lends it "
            "to the other flows. With 0, the flow keeps its share. [assumed: "
            "the thesis's manager does not recognize idle flows]"),
    GMS_ROW(qos_idle_us, 2000, 100, 10 * GMS_MILLION, "us",
            "Idle time after which a flow lends its share; also the interval "
            "at which a node's manager checks its flows. [assumed: about 40 "
            "packets at full rate]"),
    GMS_ROW(qos_master, 1, 1, 16384, "",
            "Node of the master manager, counted from 1, until an election "
            "chooses another one. [assumed: any node is suitable]"),
    GMS_ROW(qos_master_timeout_us, GMS_MILLION, 100, 60 * GMS_MILLION, "us",
            "Time without a message from the master after which a manager "
            "starts an election. [assumed: a message and its answer need about "
            "0.2 s in a fully loaded network that loses packets]"),

    /* io */
    GMS_ROW(io_disks, 1, 1, 64, "disks",
            "Number of disks of each I/O host; stripes use the disks in turn. "
            "[assumed: one disk for each host]"),
    GMS_ROW(io_read_bytes_s, 20000000, GMS_MIN_RATE, GMS_MAX_RATE, "bytes/s",
            "Read bandwidth of a disk. [assumed: a typical disk in 2000]"),
    GMS_ROW(io_write_bytes_s, 20000000, GMS_MIN_RATE, GMS_MAX_RATE, "bytes/s",
            "Write bandwidth of a disk. [assumed: a typical disk in 2000]"),
    GMS_ROW(io_latency_us, 500, 0, 10 * GMS_MILLION, "us",
            "Time that a disk needs for each request in addition to the "
            "transfer time. A request covers at most one stripe. [assumed: "
            "most requests follow the previous one on the disk, so the value "
            "is a tenth of a seek time]"),
    GMS_ROW(
        io_stripe_bytes, 65536, 512, UINT64_C(16) << 20, "bytes",
        "Length of a stripe: consecutive stripes of a file are on consecutive "
        "I/O hosts. [assumed: a typical value for parallel file systems]"),

    {.name = NULL},
};

void gms_params_init(gms_params_t *params)
{
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        gms_param_set(params, row, row->value);
    }
}

uint64_t gms_params_arena_bytes(const gms_params_t *params, uint64_t ranks)
{
    if (params->arena_bytes != 0) {
        return params->arena_bytes;
    }
    if (ranks > GMS_ARENA_MAX_BYTES / GMS_ARENA_RANK_BYTES) {
        return GMS_ARENA_MAX_BYTES;
    }
    return ranks * GMS_ARENA_RANK_BYTES > GMS_ARENA_USUAL_BYTES
               ? ranks * GMS_ARENA_RANK_BYTES
               : GMS_ARENA_USUAL_BYTES;
}

uint64_t gms_param_get(const gms_params_t *params, const gms_param_t *row)
{
    uint64_t value;

    /* memcpy avoids a cast from a byte pointer to a pointer of a wider type */
    memcpy(&value, (const char *)params + row->offset, sizeof(value));
    return value;
}

void gms_param_set(gms_params_t *params, const gms_param_t *row, uint64_t value)
{
    assert(value >= row->min && value <= row->max);
    memcpy((char *)params + row->offset, &value, sizeof(value));
}
