/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Private to trace*.c: the items and packet rows of a trace, the interface of
 * its formats, the state that all processes share, and the functions that its
 * files offer each other.
 */
#ifndef OBSERVE_TRACE_INT_H
#define OBSERVE_TRACE_INT_H

#include "nic/inspect.h"
#include "observe/trace.h"
#include "manager/manager.h"

/* ---- what there is to write ---- */

/** Whose line of the picture something is on. */
enum gms_trace_line {
    GMS_TRACE_OF_RANK = 0, /* number: rank; part: thread */
    GMS_TRACE_OF_NIC,      /* number: node; part: enum gms_trace_part */
    GMS_TRACE_OF_MANAGER,
    GMS_TRACE_OF_FAULTS
};

/** Parts of a card that work at the same time. Each class of traffic has a link
 *  DMA of its own in both directions. */
enum gms_trace_part {
    GMS_TRACE_LANAI = 0,
    GMS_TRACE_HOST_DMA,
    GMS_TRACE_SEND_DMA,
    GMS_TRACE_RECEIVE_DMA = GMS_TRACE_SEND_DMA + GMS_LANE_CLASSES,
    GMS_TRACE_PARTS = GMS_TRACE_RECEIVE_DMA + GMS_LANE_CLASSES
};

enum gms_trace_kind {
    GMS_TRACE_ENTER = 0, /* name */
    GMS_TRACE_LEAVE,
    GMS_TRACE_SEND,      /* id: message; value: node, port, bytes, label,
                             enum gms_send_kind, priority */
    GMS_TRACE_RECEIVE,   /* id: message; value: node, port, bytes */
    GMS_TRACE_CALLBACK,  /* id: message; text: how it ended */
    GMS_TRACE_JOB,       /* id: packet; value: enum gms_job, kind of DMA */
    GMS_TRACE_TRANSFER,  /* id: packet; value: enum gms_dma_kind, bytes */
    GMS_TRACE_LINK_OUT,  /* id: packet; value: bytes, type, target node, 1 */
    GMS_TRACE_LINK_IN,   /* id: packet; value: bytes, type, source node, 1 if
                             the other end is shown */
    GMS_TRACE_FLOW_IDT,  /* flow; value: ticks */
    GMS_TRACE_FLOW_RATE, /* flow; id: bytes/s from then on */
    GMS_TRACE_DECISION,  /* text */
    GMS_TRACE_BROKEN,    /* text; id: packet or 0 */
    GMS_TRACE_KINDS
};

/** Something at a time, or from begin to end, on one line. */
typedef struct gms_trace_item {
    gms_time_t at_ps; /* when it was seen: its place in the order */
    gms_time_t begin_ps, end_ps;
    uint64_t id;
    const gms_flow_t *flow;
    uint8_t kind, line, part;
    uint16_t name; /* of a call: its number in the table */
    uint32_t number;
    uint32_t value[6];
} gms_trace_item_t;

/** What became of a packet. */
enum gms_trace_fate {
    GMS_FATE_UNDER_WAY = 0, /* when the run ended */
    GMS_FATE_DELIVERED,
    GMS_FATE_READ,       /* a control packet, by its target's card */
    GMS_FATE_TAKEN_BACK, /* its connection went back before it was sent */
    GMS_FATE_ABANDONED,  /* its port was closed when it was to be written */
    GMS_FATE_DROPPED     /* and why: enum gms_drop */
};

/** Moments of a packet's life, in their order. */
enum gms_trace_moment {
    GMS_AT_CALL = 0, /* the program called */
    GMS_AT_QUEUED,   /* its descriptor was in the card */
    GMS_AT_TURN,     /* the card began to work on it */
    GMS_AT_FETCH,    /* host DMA begins, .. */
    GMS_AT_FETCHED,  /* .. ends */
    GMS_AT_READY,    /* waits for the link from now on */
    GMS_AT_SEND,     /* its head is on the link */
    GMS_AT_SENT,     /* its tail has left the card */
    GMS_AT_ARRIVED,  /* its tail is in the target's card */
    GMS_AT_CHECKED,  /* taken, or dropped */
    GMS_AT_WRITE,    /* host DMA begins, .. */
    GMS_AT_WRITTEN,  /* .. ends */
    GMS_AT_DONE,     /* the target's card is done with it */
    GMS_MOMENTS
};

/** A packet's life. Moments that did not come are GMS_NEVER. */
typedef struct gms_trace_packet {
    struct gms_trace_packet *next, *previous; /* of those that live */
    uint64_t id, message;                     /* message 0: of no program's */
    gms_packet_header_t header;
    uint32_t wire_bytes;
    uint8_t traffic_class, is_again, is_echo;
    uint8_t fate, drop;
    gms_time_t at_ps[GMS_MOMENTS];
    gms_time_t pace_ps; /* of queued..turn: waited for its flow's NDT */
    gms_time_t blocked_ps, wire_ps, switch_ps;
} gms_trace_packet_t;

/* ---- writers ---- */

/** A format. Texts are put together in the arena and written in pieces of whole
 *  lines; what a killed run loses is the last one. */
struct gms_trace_ops {
    const char *name, *ending;
    unsigned shows; /* enum gms_trace_category */
    int is_directory;
    /** What goes first; NULL: nothing. */
    void (*begin)(gms_tracer_t *tracer, unsigned output);
    void (*item)(gms_tracer_t *tracer, unsigned output,
                 const gms_trace_item_t *item, const char *text);
    /** Its life is over; NULL: not wanted. */
    void (*packet)(gms_tracer_t *tracer, unsigned output,
                   const gms_trace_packet_t *packet);
    /** What goes last. @return GMS_OK, GMS_ERR_SYSTEM, GMS_ERR_NO_MEMORY */
    gms_status_t (*end)(gms_ctx_t *ctx, gms_tracer_t *tracer, unsigned output,
                        char error[GMS_TRACE_ERROR_LEN]);
};

extern const gms_trace_ops_t gms_trace_csv_ops, gms_trace_json_ops,
    gms_trace_otf2_ops;
/** All formats, NULL-terminated; those that were not built are not there. */
extern const gms_trace_ops_t *const gms_trace_formats[];

/** In the folder of an output that is one, until the run has ended. */
#define GMS_TRACE_SPOOL "events.tmp"
/** There once it has. */
#define GMS_TRACE_ANCHOR "traces.otf2"

/* ---- what all processes share ---- */

#define GMS_TRACE_BUFFER_BYTES 65536u
#define GMS_TRACE_LINE_BYTES   2048u
#define GMS_TRACE_NAMES        1024u
#define GMS_TRACE_NAME_LEN     48u
/** Items of ranks that may wait; more are written before their turn.
 *  [assumed: a rank that calls so often in no time does not care] */
#define GMS_TRACE_WAITING (1u << 20)
/** Flows' bandwidths are means over so long.
 *  [assumed: some dozen full packets of a Myrinet link] */
#define GMS_TRACE_RATE_PS (100 * GMS_US)

typedef struct gms_trace_out {
    int error; /* errno of the first write that failed, or 0 */
    size_t used;
    char buffer[GMS_TRACE_BUFFER_BYTES];
} gms_trace_out_t;

/** Calls that a thread of a rank is in. */
typedef struct gms_trace_stack {
    gms_time_t shown_ps;       /* end of the last call of GM that is shown */
    uint32_t depth;            /* may be more than there are names kept */
    uint8_t is_begun, is_over; /* the window, as far as it is concerned */
    uint16_t names[GMS_TRACE_DEPTH];
} gms_trace_stack_t;

typedef struct gms_trace_rank {
    gms_time_t last_ps; /* of what it was last seen doing */
    gms_trace_stack_t stacks[GMS_TRACE_THREADS];
} gms_trace_rank_t;

/** Messages of a port that are under way, by the cookie of their descriptor. */
typedef struct gms_trace_port {
    uint64_t count; /* ever */
    uint32_t room;
    uint64_t *messages;
} gms_trace_port_t;

/** Of a flow, in gms_flow_t.traced. */
typedef struct gms_trace_flow {
    struct gms_trace_flow *next; /* in the order of their first packets */
    const gms_flow_t *flow;
    uint32_t number; /* from 0, in that order */
    uint64_t idt_wait_ticks;
    gms_time_t furthest_ps; /* token (by queued_ps) and packet of it that has */
    uint32_t furthest;      /* .. been dispatched */
    uint64_t step;          /* of arrivals being counted, and bytes */
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
    gms_trace_port_t *ports; /* GMS_NIC_MAX_PORTS of each node */
    gms_time_t *part_ps;     /* end of the last item of each part of a card */
    uint32_t flows;
    gms_trace_flows_t known_flows; /* in order of their numbers */
    uint64_t packets;              /* seen so far */
    gms_trace_packet_t *first_packet, *last_packet; /* that live */

    /* A heap (base/heap.h) by (at_ps, rank, sequence). */
    uint64_t sequence;
    size_t waiting, room;
    gms_trace_waiting_t *heap;
};

/* ---- the files of outputs, trace_file.c ---- */

/** Begin an output anew, and empty. It stays open, and locked, until the process
 *  ends: this process is a rank, and by its end all others have the file open.
 *  @return GMS_OK; GMS_ERR_SYSTEM: errno says why, EWOULDBLOCK: another job has it */
gms_status_t gms_trace_make(const gms_trace_config_t *config, unsigned i);
/** Open an output for adding to it. @return a descriptor; -1: errno says why */
int gms_trace_open(const gms_trace_config_t *config, unsigned i,
                   int *is_part_p);
/** Give an output that is whole its name. @return GMS_OK; GMS_ERR_SYSTEM with error */
gms_status_t gms_trace_name_whole(const gms_tracer_t *tracer, unsigned i,
                                  char error[GMS_TRACE_ERROR_LEN]);

/* ---- trace.c ---- */

/** 1 if it begins in the window and its category is wanted. */
int gms_trace_is_shown(const gms_trace_t *trace, unsigned category,
                       gms_time_t begin_ps);
/** Something that an event has to show, now. */
void gms_trace_put(gms_ctx_t *ctx, gms_tracer_t *tracer,
                   const gms_trace_item_t *item, const char *text);
/** Something that a rank does; may wait. text: at most 23 bytes, or NULL. */
void gms_trace_wait(gms_ctx_t *ctx, gms_tracer_t *tracer,
                    const gms_trace_item_t *item, const char *text);
/** Text into an output's buffer, one line at most at a time. */
void gms_trace_print(gms_tracer_t *tracer, unsigned output, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));
void gms_trace_add(gms_tracer_t *tracer, unsigned output, const void *data,
                   size_t bytes);
void gms_trace_flush(gms_tracer_t *tracer, unsigned output);
void *gms_trace_alloc(gms_ctx_t *ctx, size_t bytes);

/** "1.2 -> 3.4": nodes from 1 and ports; label and priority if it has them. */
#define GMS_TRACE_FLOW_LEN 64u
void gms_trace_flow_text(const gms_flow_t *flow, char text[GMS_TRACE_FLOW_LEN]);
const char *gms_trace_job_name(const gms_trace_item_t *item);
const char *gms_trace_transfer_name(const gms_trace_item_t *item);
const char *gms_trace_send_name(const gms_trace_item_t *item);
/** @param [in] classes  gms_fabric_classes(): with 1, the link DMAs have no class. */
const char *gms_trace_part_name(unsigned part, unsigned classes);
const char *gms_trace_type_name(unsigned type);
const char *gms_trace_fate_name(const gms_trace_packet_t *packet);
const char *gms_trace_drop_name(unsigned drop);
/** Names of the moments as columns: "call", "queued", .. */
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
/** End the calls that ranks are still in. */
void gms_trace_end_ranks(gms_ctx_t *ctx, gms_tracer_t *tracer);
/** The message of a descriptor that the card has, or 0. Bit 63: its send is
 *  shown. */
#define GMS_TRACE_SHOWN (UINT64_C(1) << 63)
uint64_t gms_trace_message(const gms_trace_t *trace, unsigned node,
                           unsigned port, uint64_t cookie);

/** @return 0: what is no sight of a card's */
int gms_trace_nic_tracepoint(gms_ctx_t *ctx, gms_tracer_t *tracer,
                             uint32_t what, const void *thing);
/** Packets that are still under way; the flows' last bandwidths. */
void gms_trace_end_nics(gms_ctx_t *ctx, gms_tracer_t *tracer);

void gms_trace_decision(gms_ctx_t *ctx, gms_tracer_t *tracer,
                        const gms_qos_decision_t *decision);
void gms_trace_idt(gms_ctx_t *ctx, gms_tracer_t *tracer, gms_flow_t *flow);
void gms_trace_stall(gms_ctx_t *ctx, gms_tracer_t *tracer,
                     const gms_flow_t *flow);
/** What is known of a flow; made at its first use. */
gms_trace_flow_t *gms_trace_flow(gms_ctx_t *ctx, gms_trace_t *trace,
                                 gms_flow_t *flow);
/** Bytes of a flow have arrived. */
void gms_trace_arrived(gms_ctx_t *ctx, gms_tracer_t *tracer, gms_flow_t *flow,
                       uint32_t bytes);
/** The flows' last bandwidths. */
void gms_trace_end_flows(gms_ctx_t *ctx, gms_tracer_t *tracer);

#endif
