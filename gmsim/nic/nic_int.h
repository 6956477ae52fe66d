/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Components of the NIC and their state. This header is private to the NIC.
 *
 *   host queues -> POLL -> token -> flow -> scheduler
 *   scheduler -> SDMA -> [send buffers] -> SEND -> link
 *   link -> RECV -> [receive buffers] -> RDMA -> host memory, events
 *
 * SDMA and RDMA share the host DMA engine. POLL, SDMA, SEND, RECV and RDMA
 * share the LANai processor. [source: gulati 2001 thesis 4.1, figure 4.1; LANai
 * 4: one EBUS DMA engine]
 */
#ifndef NIC_NIC_INT_H
#define NIC_NIC_INT_H

#include <stdint.h>

#include "base/queue.h"
#include "nic/connection.h"
#include "nic/dispatch.h"
#include "nic/flow.h"
#include "nic/inspect.h"
#include "nic/kind.h"
#include "nic/memory.h"
#include "nic/pool.h"
#include "nic/nic.h"
#include "nic/packet.h"
#include "nic/scheduler.h"

enum gms_nic_handler {
    GMS_NIC_ON_LANAI = GMS_HANDLER_NIC, /* the job has ended */
    GMS_NIC_ON_HOST_DMA,                /* the transfer has ended */
    GMS_NIC_ON_POST,   /* a descriptor is in SRAM; arg[0]: gms_post_t */
    GMS_NIC_ON_ALARM,  /* arg[0]: port and its generation; arg[1]: cookie */
    GMS_NIC_ON_WAKE,   /* wake-up for work; arg[0]: tick */
    GMS_NIC_ON_RESEND, /* object: connection */
    GMS_NIC_ON_HOLD,   /* object: flow; its back-off has ended */
    GMS_NIC_ON_SENT,   /* this event and the next four are from the fabric;
                        * arg[0]: worm */
    GMS_NIC_ON_REQUEST,
    GMS_NIC_ON_ARRIVED,
    GMS_NIC_ON_COPY,
    GMS_NIC_ON_LOST,
    GMS_NIC_ON_LOCAL_POST, /* arg[0]: gms_local_op_t (nic/local.h) */
    GMS_NIC_ON_LOCAL_COPIED,
    GMS_NIC_ON_LOCAL_SEEN,  /* arg[0]: gms_local_op_t */
    GMS_NIC_ON_HCA_FETCHED, /* kind hca: a work request is in the NIC; arg[0]:
                             * gms_post_t */
    GMS_NIC_ON_HCA_REQUEST, /* kind hca: the NIC has executed a work request;
                             * arg[0]: number of resets so far */
    GMS_NIC_ON_HCA_READ,    /* kind hca: a packet's data are in the NIC; arg[0]:
                             * number of resets so far, arg[1]: class */
    GMS_NIC_ON_HCA_WRITTEN, /* kind hca: the oldest write has ended; arg[0]:
                             * number of resets so far */
    GMS_NIC_ON_HCA_SENT,    /* kind hca: this event and the next one are from
                             * the fabric; arg[0]: worm */
    GMS_NIC_ON_HCA_ARRIVED
};

enum gms_engine_state {
    GMS_ENGINE_IDLE = 0,
    GMS_ENGINE_PREPARING, /* a LANai job writes the engine's registers */
    GMS_ENGINE_RUNNING,
    GMS_ENGINE_DONE, /* the engine waits for the LANai job that handles the end
                      * of the transfer */
    GMS_ENGINE_VOID  /* a reset has aborted the transfer, so the end of the
                      * transfer has no effect */
};

/** Kinds of work of the RDMA state machine. */
enum gms_work_kind {
    GMS_WORK_PACKET = 0, /* object: gms_packet_t */
    GMS_WORK_RECEIVED,   /* object: gms_message_t */
    GMS_WORK_SENT        /* object: gms_nic_port_t */
};

/** A descriptor that the host has posted and POLL has not processed. */
typedef struct gms_post {
    struct gms_post *next;
    uint32_t port, port_generation;
    uint8_t is_receive;
    uint8_t is_reserved; /* 1: a send on a flow with a reservation; POLL reads
                          * such sends first */
    /* 1: the descriptor waits for memory, and the NIC has counted this wait */
    uint8_t waits;
    /* 1: the descriptor has waited for memory, for a reservation, or for the
     * end of a reset; waiting only for POLL does not count */
    uint8_t was_held;
    uint64_t number;       /* order of arrival at the port */
    gms_time_t arrived_ps; /* time of arrival in SRAM */
    union {
        gms_send_desc_t send;
        gms_recv_desc_t receive;
    } desc;
} gms_post_t;

/** A receive token. Once the first packet of a message has arrived, the token
 *  represents the message. */
struct gms_message {
    struct gms_message *next;
    gms_recv_desc_t desc;
    uint32_t port_generation;
    uint32_t source, label;
    uint16_t source_port;
    uint8_t traffic_class; /* class of the message's packets */
    uint8_t is_lent;       /* 1: the token is counted in the field `lent` of its
                            * queue */
    uint32_t received;     /* bytes received so far */
    gms_path_times_t path; /* times of the message's last packet */
    gms_time_t mark_ps;
    /* Due times and flow of the message's last packet. */
    gms_time_t due_ps, exchange_due_ps;
    gms_flow_t *flow;
    gms_work_t work;
    uint64_t seen; /* observer's data */
};

GMS_QUEUE_DEFINE(gms_post_queue, gms_post_queue_t, gms_post_t, next);

typedef struct gms_message_queue {
    gms_message_t *first, *last;
    uint32_t count, most; /* current number of tokens, and its maximum since the
                           * port was opened */
    uint32_t lent;        /* tokens taken for messages that have no
                           * reservation and are not yet visible to the process
                           */
} gms_message_queue_t;

typedef struct gms_packet_queue {
    gms_packet_t *first, *last;
} gms_packet_queue_t;

GMS_QUEUE_DEFINE(gms_packet_queue, gms_packet_queue_t, gms_packet_t, next);

/** Work items for RDMA. */
typedef struct gms_work_queue {
    gms_work_t *first, *last;
} gms_work_queue_t;

GMS_QUEUE_DEFINE(gms_work_queue, gms_work_queue_t, gms_work_t, next);

/** Connections, linked by control_next. */
typedef struct gms_control_queue {
    gms_connection_t *first, *last;
} gms_control_queue_t;

GMS_QUEUE_DEFINE(gms_control_queue, gms_control_queue_t, gms_connection_t,
                 control_next);

/** Flows, linked by next or turn_next. */
typedef struct gms_flow_queue {
    gms_flow_t *first, *last;
} gms_flow_queue_t;

/** Finished sends of one class that the NIC has not yet reported to the port's
 *  owner. */
typedef struct gms_finished {
    gms_token_t *first, *last;
    gms_work_t work;
    uint8_t is_queued; /* 1: the work item is queued */
} gms_finished_t;

/** Events in a port's memory, oldest first. */
typedef struct gms_event_queue {
    gms_host_event_t *first, *last;
} gms_event_queue_t;

/** Value of the owner's rank if the port belongs to an agent instead of a
 *  process. */
#define GMS_PORT_AGENT UINT32_MAX

typedef struct gms_nic_port {
    gms_nic_t *nic;
    uint32_t number;
    uint8_t is_open, remote_access;
    uint8_t patient;   /* 1: sends to closed ports are retried */
    uint8_t by_memory; /* 1: sends to ports of the same host bypass the NIC */
    /* Class of the port's flows without a reservation. */
    uint8_t traffic_class;
    uint32_t rank;       /* rank of the owner; GMS_PORT_AGENT: the owner is an
                          * agent */
    uint32_t handler;    /* the agent's handler */
    void *object;        /* object of the agent's events */
    uint32_t generation; /* number of times that the port was opened; a packet
                          * for an earlier owner must not reach the current
                          * owner */
    /* message sizes that the owner accepts, one bit per size */
    uint32_t acceptable[GMS_NIC_PRIORITIES];
    gms_post_queue_t sends, receives; /* descriptors in SRAM that have not been
                                       * read yet */
    uint64_t last_post;               /* number of the most recent descriptor */
    gms_message_queue_t tokens[GMS_NIC_PRIORITIES][GMS_NIC_MAX_SIZE];
    gms_finished_t finished[GMS_LANE_CLASSES]; /* sends to report, by class */
    gms_event_queue_t events, reserved_events; /* events in host memory */
    uint64_t last_event;                       /* number of the most recent
                                                * event */
    uint8_t expects_reserved;     /* 1: messages of reserved flows have arrived
                                   * or will arrive */
    uint8_t takes_reserved_first; /* 1: the owner has taken the event of a
                                   * reserved flow's message */
    /* 1: the owner sleeps, and events that report successful sends only for
     * bookkeeping do not wake the owner. `booked` contains these events, newest
     * first. */
    uint8_t is_past_sends;
    gms_host_event_t *booked;
    gms_page_table_t pages;
    gms_pool_t pool;
    gms_port_driver_t driver;
} gms_nic_port_t;

typedef struct gms_host_dma {
    uint8_t state;         /* enum gms_engine_state */
    uint8_t kind;          /* enum gms_dma_kind */
    uint8_t traffic_class; /* class of the data that the engine moves */
    uint32_t bytes;
    gms_time_t start_ps, end_ps;
    gms_packet_t *packet;           /* set for SEND, DATA and FAST transfers */
    gms_message_t *message;         /* RECEIVED */
    gms_token_t *tokens;            /* SENT: the batch of finished sends */
    uint32_t port, port_generation; /* SENT */
} gms_host_dma_t;

/** Flows between ports of the host; see nic/local.h. */
typedef struct gms_local_list {
    struct gms_local_flow *first, *last;
} gms_local_list_t;

typedef struct gms_link_dma {
    uint8_t state; /* enum gms_engine_state */
    uint8_t is_control;
    gms_time_t start_ps;
    gms_packet_t *packet;
    /* token of a datagram; the token is completed when the packet has left */
    gms_token_t *token;
} gms_link_dma_t;

/** Resources of a traffic class. Every class has its own resources. Traffic of
 *  another class that is blocked on the link or at its targets therefore does
 *  not block this class. A NIC on a link without lanes has only one class. */
typedef struct gms_nic_class {
    gms_scheduler_t *scheduler;
    gms_connection_t **connections; /* lists of connections, indexed by node;
                                     * NULL before the first connection */
    uint32_t send_buffers_used;
    gms_packet_queue_t reading; /* kind hca: packets whose data are on their
                                 * way from the host, oldest first */
    gms_packet_queue_t ready;
    gms_link_dma_t send_dma;
    /* packet that waits at the link for a receive buffer */
    gms_worm_t *requesting;
    gms_time_t request_ps; /* time when the packet began to wait */
    uint32_t recv_buffers_used, recv_buffers;
    gms_packet_queue_t arrived;
    gms_work_queue_t work;       /* work for RDMA */
    gms_control_queue_t control; /* connections with control packets to send */
    gms_packet_queue_t cnps;     /* congestion notifications to send */
    uint8_t last_was_send;       /* 1: the last host DMA transfer was a send */
    uint8_t has_polled;          /* 1: a descriptor was read since the last host
                                  * DMA transfer (nic/lanai.c) */
    uint8_t is_searching;        /* 1: the LANai is searching for the class's
                                  * next flow in several pieces (mcp_sdma.c) */
    uint64_t searched_cycles;    /* cycles spent on this search so far */
} gms_nic_class_t;

struct gms_nic {
    /* Parameters. All NICs share one copy, to save space in the cache of the
     * simulating processor. */
    const gms_params_t *params;
    gms_fabric_t *fabric;
    uint32_t kind;  /* enum gms_nic_kind */
    gms_hca_t *hca; /* state of an hca NIC; NULL: other kinds */
    uint32_t node, nodes;
    gms_origin_t origin;
    gms_nic_counters_t counters;

    uint32_t job;       /* enum gms_job; GMS_JOB_COUNT: idle */
    uint32_t job_class; /* class of the job's packet, if it has one */
    gms_time_t job_start_ps;
    /* 1: the NIC has already handled real-time traffic, and therefore serves
     * such traffic first (lanai.c) */
    uint8_t is_reserved;
    gms_time_t longest_job_ps; /* duration of the longest job that may delay
                                * real-time traffic */
    gms_host_dma_t host_dma;
    uint32_t classes; /* number of the fabric's traffic classes */
    /* bit set of the classes that the NIC has used */
    uint32_t used_classes;
    uint32_t order_count;            /* number of classes in use */
    uint8_t order[GMS_LANE_CLASSES]; /* classes in use, in order of service */
    /* Number of packets of all classes that RECV has to process. */
    uint32_t arrived_count;
    uint32_t sent_count; /* number of classes whose send DMA is
                          * GMS_ENGINE_DONE */
    /* Number of packets of all classes that wait for their send DMA, plus the
     * number of connections with control packets. */
    uint32_t unsent_count;
    gms_nic_class_t traffic_class[GMS_LANE_CLASSES]; /* the fabric's traffic
                                                      * classes, most urgent
                                                      * first */

    /* POLL */
    uint32_t posts, next_port;
    /* Bit set of the ports with descriptors other than reserved sends. */
    uint64_t posting[GMS_NIC_MAX_PORTS / 64];
    uint32_t reserved_posts; /* number of reserved descriptors, included in
                              * posts */
    /* flows with reserved descriptors; the next flow is first */
    gms_flow_queue_t turns;
    gms_post_t *post; /* descriptor that is being processed */
    uint16_t last_get;
    /* number of tokens and streams that are charged to the NIC's memory */
    uint32_t sram_tokens, sram_streams;
    /* The part of sram_tokens and sram_streams that belongs to reserved
     * flows. */
    uint32_t sram_reserved_tokens, sram_reserved_streams;

    /* SDMA */
    gms_flow_queue_t flows; /* all flows, in the order of first use */
    uint64_t flow_packets;  /* number of packets that all flows have sent */
    /* Hash table of all flows, with at least as many bins as there are
     * flows. */
    gms_flow_t **flow_bins;
    uint32_t flow_count, flow_bin_count; /* flow_bin_count: 0 or a power of 2 */
    uint64_t wake_tick; /* tick of the earliest wake-up that is scheduled */
    gms_dispatch_log_t *dispatches; /* NULL: no log */

    /* RECV */
    /* hash table of the messages in reassembly, with the same structure as
     * flow_bins */
    gms_message_t **stream_bins;
    uint32_t stream_bin_count; /* length of stream_bins, at least
                                    sram_streams */

    /* Flows and bus for traffic within the host. The list local_waiting
     * contains flows that wait for a buffer. */
    gms_local_list_t local_ready, local_waiting;
    struct gms_local_flow *local_copying; /* flow that the memory bus is
                                           * serving */

    /* Ports, indexed by number. NULL: the port was never open. Most ports of
     * most NICs are never open, so a port's memory is allocated when the port
     * is opened for the first time. The memory is never freed, because the
     * port's generation must not be lost. */
    uint32_t port_count; /* gm_ports */
    gms_nic_port_t *ports[];
};

/** Return the port, or NULL if it has never been open. */
static inline gms_nic_port_t *gms_port_at(const gms_nic_t *nic, uint32_t port)
{
    return port < nic->port_count ? nic->ports[port] : NULL;
}

/** Return the port, or NULL if it is not open. */
static inline gms_nic_port_t *gms_port_if_open(const gms_nic_t *nic,
                                               uint32_t port)
{
    gms_nic_port_t *found = gms_port_at(nic, port);

    return found != NULL && found->is_open ? found : NULL;
}

/** Make the NIC look for work. */
static inline void gms_nic_kick(gms_ctx_t *ctx, gms_nic_t *nic)
{
    gms_nic_kinds[nic->kind]->kick(ctx, nic);
}
/** If the LANai is idle, make it look for work. */
void gms_lanai_kick(gms_ctx_t *ctx, gms_nic_t *nic);
gms_handler_fn gms_lanai_on_done;

/** Return the port if it is open and has this generation, otherwise NULL. */
gms_nic_port_t *gms_port_find(gms_nic_t *nic, uint32_t port,
                              uint32_t generation);
/** Assign a buffer to a message. The buffer may come from the port's pool. */
void gms_port_place(gms_ctx_t *ctx, gms_nic_port_t *port,
                    gms_message_t *message);
/** Report to the host that a send has ended. The function takes ownership of
 *  the token. */
void gms_port_finished(gms_nic_t *nic, gms_token_t *token);
/** Remove the token of a finished send or get operation from the queue, so that
 *  the caller can report it. If the function returns 1, the caller owns the
 *  token. If the token is not the only token in the queue, the function returns
 *  0 and has no effect. */
int gms_port_take_finished(gms_nic_t *nic, const gms_token_t *token);
/** Report again that some sends of a class have ended, because a reset
 *  interrupted the first report. These sends are reported before all other
 *  finished sends. The function takes ownership of the tokens. If port is NULL,
 *  the function only frees the tokens. */
void gms_port_report_again(gms_ctx_t *ctx, gms_nic_t *nic, gms_nic_port_t *port,
                           unsigned traffic_class, gms_token_t *tokens);
/** Free a token and all objects that the token owns. */
void gms_token_destroy(gms_ctx_t *ctx, gms_nic_t *nic, gms_token_t *token);
/** Make an event visible to the host immediately, and wake up the port's owner.
 *  The function takes ownership of the event. */
void gms_port_deliver(gms_ctx_t *ctx, gms_nic_port_t *port,
                      gms_host_event_t *event);
gms_handler_fn gms_port_on_post;
gms_handler_fn gms_port_on_alarm;

/** Append a descriptor that has arrived to the queue of descriptors that POLL
 *  has not read (nic/post.c). */
void gms_post_put(gms_nic_t *nic, gms_nic_port_t *port, gms_post_t *post);
/** Put back a descriptor that was being read when the NIC was reset. POLL reads
 *  this descriptor next. */
void gms_post_put_back(gms_nic_t *nic, gms_nic_port_t *port, gms_post_t *post);
/** Record whether a port has descriptors for POLL. Call this function after
 *  each change of the port's queues of descriptors. */
static inline void gms_post_note(gms_nic_t *nic, const gms_nic_port_t *port)
{
    uint64_t bit = UINT64_C(1) << port->number % 64;

    if (port->sends.first != NULL || port->receives.first != NULL) {
        nic->posting[port->number / 64] |= bit;
    } else {
        nic->posting[port->number / 64] &= ~bit;
    }
}
/** Take the next descriptor of a flow with a reservation, if the NIC has memory
 *  for the descriptor's token. Otherwise return NULL. */
gms_post_t *gms_post_take_reserved(gms_nic_t *nic, uint64_t rtc);
/** Return 1 if a flow with a reservation could send at tick rtc, but POLL has
 *  not read its descriptor yet. */
int gms_post_has_urgent(const gms_nic_t *nic, uint64_t rtc);
/** Give priority to the descriptors of a flow that has received its first
 *  reservation. From now on, POLL reads the flow's descriptors before those of
 *  flows without a reservation. This rule also applies to the flow's
 *  descriptors that are already in the common queue of the port. All
 *  descriptors of the flow keep their order. */
void gms_post_reserve(gms_nic_t *nic, gms_flow_t *flow);
/** Free all descriptors of a port. */
void gms_post_drop(gms_ctx_t *ctx, gms_nic_t *nic, gms_nic_port_t *port);
void gms_post_destroy(gms_ctx_t *ctx, gms_post_t *post);
/** Return 1 if a send is a command. A command needs no memory for a token, and
 *  may free memory. */
static inline int gms_post_is_command(const gms_post_t *post)
{
    return post->desc.send.kind == GMS_SEND_DROP ||
           post->desc.send.kind == GMS_SEND_RESUME;
}

/** Return the index of a key's bin in a table with the given number of bins.
 *  The index consists of the highest bits of the product, because only these
 *  bits depend on all bits of the key. */
static inline uint32_t gms_nic_bin(uint64_t key, uint32_t bins)
{
    return (uint32_t)((((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32) * bins) >>
                      32);
}

/** Return the message that is being reassembled from packets like this one, or
 *  NULL. A
 *  stream has at most one such message at a time. */
gms_message_t *gms_stream_find(const gms_nic_t *nic, const gms_packet_t *p);
void gms_stream_insert(gms_ctx_t *ctx, gms_nic_t *nic, gms_message_t *message);
void gms_stream_remove(gms_nic_t *nic, gms_message_t *message);
/** Free all messages of a port. */
void gms_stream_drop_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port);

/** Append a receive token to a queue, put a token back at the head, or take the
 *  first token. */
void gms_message_queue_put(gms_message_queue_t *queue, gms_message_t *message);
void gms_message_queue_put_back(gms_message_queue_t *queue,
                                gms_message_t *message);
gms_message_t *gms_message_queue_take(gms_message_queue_t *queue);
/** Take a token for a message without a reservation, and count the token as
 *  lent. */
gms_message_t *gms_message_queue_lend(gms_message_queue_t *queue);
/** Count a lent token as returned, because the process can now see the message,
 *  or because the message's buffer is back in the queue. */
void gms_message_queue_settle(gms_message_queue_t *queue,
                              gms_message_t *message);

/** Return 1 if this class is the NIC's class for reservations. */
static inline int gms_nic_is_real_time(const gms_nic_t *nic,
                                       unsigned traffic_class)
{
    return nic->classes > 1 && traffic_class == GMS_LANE_REAL_TIME;
}

/** Queue work for the RDMA state machine. The work item is embedded in its
 *  object and needs no allocation. */
void gms_work_put(gms_nic_class_t *traffic_class, gms_work_t *work,
                  uint8_t kind, void *object);
void gms_work_put_first(gms_nic_class_t *traffic_class, gms_work_t *work,
                        uint8_t kind, void *object);

/** Write a packet's data to their destination in host memory. */
void gms_rdma_write(gms_ctx_t *ctx, gms_nic_t *nic, const gms_nic_port_t *port,
                    const gms_packet_t *packet);

/** Queue a control packet for this connection. */
void gms_send_control(gms_connection_t *connection);
/** Free a receive buffer of a class. */
void gms_recv_free_buffer(gms_ctx_t *ctx, gms_nic_t *nic,
                          gms_nic_class_t *traffic_class);
/** Return the class of a packet that this NIC sends or has received. */
static inline gms_nic_class_t *gms_nic_class_of(gms_nic_t *nic,
                                                const gms_packet_t *packet)
{
    return &nic->traffic_class[packet->worm.traffic_class];
}
/** Make the NIC use a class. From now on, the NIC looks for work of this
 *  class. */
void gms_nic_use_class(gms_nic_t *nic, unsigned traffic_class);
/** Make the NIC use a class that it does not use yet. Most NICs use only best
 *  effort and check no other classes. */
static inline void gms_nic_meet_class(gms_nic_t *nic, unsigned traffic_class)
{
    if ((nic->used_classes & (1u << traffic_class)) == 0) {
        gms_nic_use_class(nic, traffic_class);
    }
}

#endif
