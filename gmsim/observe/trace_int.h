/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the items and packet rows of a trace, the interface of its formats,
 * the state that all processes share, and functions that several files use.
 * This header is private to trace*.c.
 */
#ifndef OBSERVE_TRACE_INT_H
#define OBSERVE_TRACE_INT_H

#include "nic/inspect.h"
#include "observe/trace.h"
#include "manager/manager.h"

/* ---- items ---- */

/** Owner of the line that shows an item. */
enum gms_trace_line {
    GMS_TRACE_OF_RANK = 0, /* number: rank; part: thread */
    GMS_TRACE_OF_NIC,      /* number: node; part: enum gms_trace_part */
    GMS_TRACE_OF_MANAGER,
    GMS_TRACE_OF_FAULTS
};

/** Parts of a NIC that work at the same time. Each traffic class has its own
 *  link DMA in both directions. */
enum gms_trace_part {
    GMS_TRACE_LANAI = 0,
    GMS_TRACE_HOST_DMA,
    GMS_TRACE_SEND_DMA,
    GMS_TRACE_RECEIVE_DMA = GMS_TRACE_SEND_DMA + GMS_LANE_CLASSES,
    GMS_TRACE_PARTS = GMS_TRACE_RECEIVE_DMA + GMS_LANE_CLASSES
};

/** Kinds of items. The comments below list those fields of gms_trace_item_t
 *  that only some kinds use. */
enum gms_trace_kind {
    GMS_TRACE_ENTER = 0, /* name */
    GMS_TRACE_LEAVE,
    GMS_TRACE_SEND,      /* id: message; value: node, port, bytes, label,
                             enum gms_send_kind, priority */
    GMS_TRACE_RECEIVE,   /* id: message; value: node, port, bytes */
    GMS_TRACE_CALLBACK,  /* id: message; text: status of the send */
    GMS_TRACE_JOB,       /* id: packet; value: enum gms_job, kind of DMA */
    GMS_TRACE_TRANSFER,  /* id: packet; value: enum gms_dma_kind, bytes */
    GMS_TRACE_LINK_OUT,  /* id: packet; value: bytes, type, target node, and
                          * always 1 */
    GMS_TRACE_LINK_IN,   /* id: packet; value: bytes, type, source node, 1 if
                             the other end is shown */
    GMS_TRACE_FLOW_IDT,  /* flow; value: ticks */
    GMS_TRACE_FLOW_RATE, /* flow; id: bandwidth in bytes/s from this time on */
    GMS_TRACE_DECISION,  /* text */
    GMS_TRACE_BROKEN,    /* text; id: packet or 0 */
    GMS_TRACE_KINDS
};

/** An item on one line, at a single time or from begin_ps to end_ps. */
typedef struct gms_trace_item {
    gms_time_t at_ps; /* time of the trace point, which determines the order */
    gms_time_t begin_ps, end_ps;
    uint64_t id;
    const gms_flow_t *flow;
    uint8_t kind, line, part;
    uint16_t name; /* index of a call's name in the table of names */
    uint32_t number;
    uint32_t value[6];
} gms_trace_item_t;

/** Fate of a packet. */
enum gms_trace_fate {
    /* the run ended before the packet arrived or was dropped */
    GMS_FATE_UNDER_WAY = 0,
    GMS_FATE_DELIVERED,
    GMS_FATE_READ, /* control packet that the target's NIC has read */
    /* the connection went back to an earlier packet before the packet was
     * sent */
    GMS_FATE_TAKEN_BACK,
    /* the packet's port closed before the data were written */
    GMS_FATE_ABANDONED,
    /* the NIC discarded the packet for a reason in enum gms_drop */
    GMS_FATE_DROPPED
};

/** Stages of a packet, in chronological order. */
enum gms_trace_moment {
    GMS_AT_CALL = 0, /* the program called a function of GM */
    GMS_AT_QUEUED,   /* the descriptor arrived in the NIC */
    GMS_AT_TURN,     /* the NIC began to work on the packet */
    GMS_AT_FETCH,    /* host DMA begins */
    GMS_AT_FETCHED,  /* host DMA ends */
    GMS_AT_READY,    /* the packet begins to wait for the link */
    GMS_AT_SEND,     /* the head is on the link */
    GMS_AT_SENT,     /* the tail has left the NIC */
    GMS_AT_ARRIVED,  /* the tail has arrived in the target's NIC */
    GMS_AT_CHECKED,  /* accepted or dropped */
    GMS_AT_WRITE,    /* host DMA begins */
    GMS_AT_WRITTEN,  /* host DMA ends */
    GMS_AT_DONE,     /* the target's NIC has finished the packet */
    GMS_MOMENTS
};

/** Stages of a packet with their times; GMS_NEVER: not reached. */
typedef struct gms_trace_packet {
    /* list of packets in the simulation */
    struct gms_trace_packet *next, *previous;
    /* message is 0 if the packet does not belong to a message of a program */
    uint64_t id, message;
    gms_packet_header_t header;
    uint32_t wire_bytes;
    uint8_t traffic_class, is_again, is_echo;
    uint8_t fate, drop;
    gms_time_t at_ps[GMS_MOMENTS];
    /* time that the packet waited for the flow's NDT, which is part of the time
     * between GMS_AT_QUEUED and GMS_AT_TURN */
    gms_time_t pace_ps;
    gms_time_t blocked_ps, wire_ps, switch_ps;
} gms_trace_packet_t;

/* ---- writers ---- */

/** A format. Text is collected in the arena and written in pieces that consist
 *  of whole lines. If the run is killed, the last piece is lost. */
struct gms_trace_ops {
    const char *name, *ending;
    unsigned shows; /* bits of enum gms_trace_category */
    int is_directory;
    /** Write the beginning of the output. NULL: the format has no beginning. */
    void (*begin)(gms_tracer_t *tracer, unsigned output);
    void (*item)(gms_tracer_t *tracer, unsigned output,
                 const gms_trace_item_t *item, const char *text);
    /** Write a packet that has passed its last stage. NULL: not supported. */
    void (*packet)(gms_tracer_t *tracer, unsigned output,
                   const gms_trace_packet_t *packet);
    /** Write the end of the output.
     *  @return GMS_OK, GMS_ERR_SYSTEM, GMS_ERR_NO_MEMORY */
    gms_status_t (*end)(gms_ctx_t *ctx, gms_tracer_t *tracer, unsigned output,
                        char error[GMS_TRACE_ERROR_LEN]);
};

extern const gms_trace_ops_t gms_trace_csv_ops, gms_trace_json_ops,
    gms_trace_otf2_ops;
/** All formats of this build, terminated by NULL. */
extern const gms_trace_ops_t *const gms_trace_formats[];

/** File in the directory of an OTF2 output during the run. */
#define GMS_TRACE_SPOOL "events.tmp"
/** File that exists once the OTF2 output is complete. */
#define GMS_TRACE_ANCHOR "traces.otf2"

/* ---- state that all processes share ---- */

#define GMS_TRACE_BUFFER_BYTES 65536u
#define GMS_TRACE_LINE_BYTES   2048u
#define GMS_TRACE_NAMES        1024u
#define GMS_TRACE_NAME_LEN     48u
/** Maximum number of waiting items of ranks. If more items wait, some of them
 *  are written too early. [assumed: no rank makes this many calls at one
 *  time] */
#define GMS_TRACE_WAITING (1u << 20)
/** Interval over which the bandwidth of a flow is averaged. [assumed: a few
 *  dozen full packets of a Myrinet link] */
#define GMS_TRACE_RATE_PS (100 * GMS_US)

typedef struct gms_trace_out {
    int error; /* errno of the first write that failed, or 0 */
    size_t used;
    char buffer[GMS_TRACE_BUFFER_BYTES];
} gms_trace_out_t;

/** State of a thread's nested calls. */
typedef struct gms_trace_stack {
    gms_time_t shown_ps;       /* end of the last shown call of GM */
    uint32_t depth;            /* call depth; may exceed the number of stored
                                * names */
    uint8_t is_begun, is_over; /* state of the time window for this thread */
    uint16_t names[GMS_TRACE_DEPTH];
} gms_trace_stack_t;

typedef struct gms_trace_rank {
    gms_time_t last_ps; /* time of the rank's last trace point */
    gms_trace_stack_t stacks[GMS_TRACE_THREADS];
} gms_trace_rank_t;

/** Messages of a port that are in flight, indexed by the cookie of their
 *  descriptor. */
typedef struct gms_trace_port {
    uint64_t count; /* number of all messages so far */
    uint32_t room;
    uint64_t *messages;
} gms_trace_port_t;

/** Traced state of a flow, in gms_flow_t.traced. */
typedef struct gms_trace_flow {
    struct gms_trace_flow *next; /* list of flows, in the order of their first
                                  * packets */
    const gms_flow_t *flow;
    uint32_t number; /* index in this list, starting at 0 */
    uint64_t idt_wait_ticks;
    /* Among the dispatched packets, the packet that is last in the order of the
     * flow: queued_ps of its token, and its index within the token. */
    gms_time_t furthest_ps;
    uint32_t furthest;
    uint64_t step; /* current interval of arrivals, and bytes that arrived in
                    * this interval */
    uint64_t bytes;
    int is_counted;
} gms_trace_flow_t;

typedef struct gms_trace_flows {
    gms_trace_flow_t *first, *last;
} gms_trace_flows_t;

typedef struct gms_trace_waiting {
    uint64_t sequence;
    gms_trace_item_t item;
    char text[24];
} gms_trace_waiting_t;

struct gms_trace {
    unsigned categories;
    gms_time_t from_ps, to_ps;
    gms_trace_subject_t subject;
    unsigned outputs;
    gms_trace_out_t *out[GMS_TRACE_OUTPUTS];

    uint32_t names;
    char (*name)[GMS_TRACE_NAME_LEN];
    gms_trace_rank_t *ranks;
    /* Ports by node and number, port_stride per node. NULL: the port has sent
     * no message. */
    gms_trace_port_t **ports;
    unsigned port_stride;
    gms_time_t *part_ps; /* end of the last item of each part of a NIC */
    uint32_t flows;
    gms_trace_flows_t known_flows; /* flows, in order of their numbers */
    uint64_t packets;              /* number of packets that have reached a
                                    * trace point */
    /* list of packets in the simulation */
    gms_trace_packet_t *first_packet, *last_packet;

    /* A heap (base/heap.h), ordered by (at_ps, rank, sequence). */
    uint64_t sequence;
    size_t waiting, room;
    gms_trace_waiting_t *heap;
};

/* ---- output files: trace_file.c ---- */

/** Create an empty output, which replaces an existing output. The output stays
 *  open and locked until the process ends. The calling process is a rank, and
 *  it ends only after all other ranks have opened the file.
 *
 *  @return GMS_OK, or GMS_ERR_SYSTEM with errno set (EWOULDBLOCK: another job
 *    uses the file) */
gms_status_t gms_trace_make(const gms_trace_config_t *config, unsigned i);
/** Open an output for appending. @return a descriptor, or -1 with errno set */
int gms_trace_open(const gms_trace_config_t *config, unsigned i,
                   int *is_part_p);
/** Give a complete output its final name.
 *  @return GMS_OK; GMS_ERR_SYSTEM, with the reason in `error` */
gms_status_t gms_trace_name_whole(const gms_tracer_t *tracer, unsigned i,
                                  char error[GMS_TRACE_ERROR_LEN]);

/* ---- trace.c ---- */

/** Return 1 if an item begins in the time window and the user has requested its
 *  category. */
int gms_trace_is_shown(const gms_trace_t *trace, unsigned category,
                       gms_time_t begin_ps);
/** Write an event's item immediately. */
void gms_trace_put(gms_ctx_t *ctx, gms_tracer_t *tracer,
                   const gms_trace_item_t *item, const char *text);
/** Write a rank's item, immediately or later. text: at most 23 bytes, or
 *  NULL. */
void gms_trace_wait(gms_ctx_t *ctx, gms_tracer_t *tracer,
                    const gms_trace_item_t *item, const char *text);
/** Print text to an output's buffer, at most one line per call. */
void gms_trace_print(gms_tracer_t *tracer, unsigned output, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));
void gms_trace_add(gms_tracer_t *tracer, unsigned output, const void *data,
                   size_t bytes);
void gms_trace_flush(gms_tracer_t *tracer, unsigned output);
void *gms_trace_alloc(gms_ctx_t *ctx, size_t bytes);

/** Write the name of a flow: "1.2 -> 3.4" (nodes, counting from 1, and ports),
 *  with label and priority unless they are 0. */
#define GMS_TRACE_FLOW_LEN 64u
void gms_trace_flow_text(const gms_flow_t *flow, char text[GMS_TRACE_FLOW_LEN]);
const char *gms_trace_job_name(const gms_trace_item_t *item);
const char *gms_trace_transfer_name(const gms_trace_item_t *item);
const char *gms_trace_send_name(const gms_trace_item_t *item);
/** Return the name of a part of a NIC.
 *  @param [in] classes gms_fabric_classes(); for 1, the names of link DMAs have
 *    no class */
const char *gms_trace_part_name(unsigned part, unsigned classes);
const char *gms_trace_type_name(unsigned type);
const char *gms_trace_fate_name(const gms_trace_packet_t *packet);
const char *gms_trace_drop_name(unsigned drop);
/** Return the column name of a stage: "call", "queued", ... */
const char *gms_trace_moment_name(unsigned moment);

/* ---- trace_rank.c, trace_nic.c, trace_qos.c ---- */

void gms_trace_call(gms_ctx_t *ctx, gms_tracer_t *tracer,
                    const gms_gm_call_t *call);
void gms_trace_sent(gms_ctx_t *ctx, gms_tracer_t *tracer,
                    const gms_gm_sent_t *sent);
void gms_trace_received(gms_ctx_t *ctx, gms_tracer_t *tracer,
                        const gms_gm_received_t *received);
void gms_trace_callback(gms_ctx_t *ctx, gms_tracer_t *tracer,
                        const gms_gm_callback_t *callback);
void gms_trace_rank_left(gms_tracer_t *tracer, const gms_gm_rank_t *who);
/** End all calls from which ranks have not returned. */
void gms_trace_end_ranks(gms_ctx_t *ctx, gms_tracer_t *tracer);
/** Return the message of a descriptor in the NIC, or 0. Bit 63 is set if the
 *  trace shows the send of the message. */
#define GMS_TRACE_SHOWN (UINT64_C(1) << 63)
uint64_t gms_trace_message(const gms_trace_t *trace, unsigned node,
                           unsigned port, uint64_t cookie);

/** Handle a trace point of a NIC. @return 0: the trace point belongs to another
 *  layer */
int gms_trace_nic_tracepoint(gms_ctx_t *ctx, gms_tracer_t *tracer,
                             uint32_t what, const void *thing);
/** Write the packets that have not completed their stages. */
void gms_trace_end_nics(gms_ctx_t *ctx, gms_tracer_t *tracer);

void gms_trace_decision(gms_ctx_t *ctx, gms_tracer_t *tracer,
                        const gms_qos_decision_t *decision);
void gms_trace_idt(gms_ctx_t *ctx, gms_tracer_t *tracer, gms_flow_t *flow);
void gms_trace_stall(gms_ctx_t *ctx, gms_tracer_t *tracer,
                     const gms_flow_t *flow);
/** Return the traced state of a flow. The state is created at its first use. */
gms_trace_flow_t *gms_trace_flow(gms_ctx_t *ctx, gms_trace_t *trace,
                                 gms_flow_t *flow);
/** Count bytes of a flow that have arrived. */
void gms_trace_arrived(gms_ctx_t *ctx, gms_tracer_t *tracer, gms_flow_t *flow,
                       uint32_t bytes);
/** Write the most recent bandwidths of all flows. */
void gms_trace_end_flows(gms_ctx_t *ctx, gms_tracer_t *tracer);

#endif
