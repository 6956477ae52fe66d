/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The network interface card: a LANai processor shared by the four state
 * machines of the MCP (SDMA, SEND, RECV, RDMA), one host DMA engine, one send
 * and one receive DMA engine on the link, staging buffers in SRAM.
 *
 * The interface serves the GM library and the bandwidth manager: post a send or
 * receive descriptor, take events from a port's host queue, set a flow's IDT,
 * read counters. Nodes are 0-based here; GM's node ids are node + 1 and exist
 * only in gmsim/gm.
 *
 * Calls marked [post] may be made by a running process under the gate's lock:
 * they schedule an event at the given time and change no other state. All
 * others need the caller's turn (gate.h) or run inside an event handler.
 */
#ifndef NIC_NIC_H
#define NIC_NIC_H

#include <stdint.h>

#include "params/params.h"
#include "engine/engine.h"
#include "fabric/fabric.h"

#define GMS_NIC_MAX_PORTS 16u
#define GMS_NIC_MAX_SIZE  32u /* GM size classes 0..31 */
#define GMS_NIC_FAST_MAX  248u

typedef struct gms_nic gms_nic_t;   /* in the arena */
typedef struct gms_flow gms_flow_t; /* in the arena; nic/flow.h */

/** A flow's identity on its source NIC. */
typedef struct gms_flow_key {
    uint16_t source_port;
    uint16_t target_node; /* 0-based */
    uint16_t target_port;
    uint16_t priority;
    uint32_t label;
} gms_flow_key_t;

enum gms_send_kind {
    GMS_SEND_MESSAGE = 0,
    GMS_SEND_PUT,
    GMS_SEND_GET,      /* from desc.remote there to desc.address here */
    GMS_SEND_DATAGRAM, /* one packet, neither numbered nor acknowledged: over
                          when it has left */
    GMS_SEND_DROP,     /* end the stall of stream desc.flow: what it holds ends
                          as dropped, then this as ok */
    GMS_SEND_RESUME    /* end the stall; what it holds goes out, in order. Both
                          do nothing to a stream that is not stalled. */
};

/** How a send ended, as GM reports it. Any but OK and DROPPED stalls the
 *  stream: what is queued in it stays so until DROP or RESUME. */
enum gms_send_result {
    GMS_SENT_OK = 0,
    GMS_SENT_TIMED_OUT,
    GMS_SENT_REJECTED,
    GMS_SENT_PORT_CLOSED,
    GMS_SENT_UNREACHABLE,
    GMS_SENT_BAD_MEMORY, /* source not registered, or gone */
    GMS_SENT_DROPPED     /* by GMS_SEND_DROP */
};

/** Least number of send buffers for packets of reservations. While they wait for
 *  the link in all of them, the NIC begins a transfer of best effort, and the link
 *  must not run dry before that one and the next reserved one are over. With two
 *  buffers it does where links are slower than NICs. */
#define GMS_NIC_RESERVED_SEND_BUFFERS 8u

/** What cards tell who looks on (gms_ctx_tracepoint()). */
enum gms_nic_tracepoint {
    GMS_NIC_TRACEPOINT_STALL =
        GMS_HANDLER_NIC,        /* a gms_flow_t whose stream stops */
    GMS_NIC_TRACEPOINT_ARRIVAL, /* a gms_packet_t whose data are in host memory */
    /* only for a trace (gms_ctx_detail_tracepoint()): */
    GMS_NIC_TRACEPOINT_IDT,      /* a gms_flow_t that has got another IDT */
    GMS_NIC_TRACEPOINT_DELIVERY, /* a gms_nic_delivery_t: the host sees a message */
    GMS_NIC_TRACEPOINT_DROP,     /* a gms_nic_drop_t */
    GMS_NIC_TRACEPOINT_GONE,     /* a gms_packet_t that is about to be freed */
    /* only where gms_nic_watch() was called: */
    GMS_NIC_TRACEPOINT_JOB, /* a gms_nic_t whose LANai has done its job, but for
                              what that does to the rest of the world */
    GMS_NIC_TRACEPOINT_HOST_DMA, /* a gms_nic_t; likewise a host DMA transfer */
    GMS_NIC_TRACEPOINT_SENT, /* a gms_packet_t whose tail has left its card */
    GMS_NIC_TRACEPOINT_ARRIVED, /* a gms_packet_t, whole in its target's card */
    GMS_NIC_TRACEPOINT_LAST     /* of the numbers */
};

/** Why a packet goes no further. */
enum gms_drop {
    GMS_DROP_NONE = 0,
    GMS_DROP_LOST,     /* on its way */
    GMS_DROP_CRC,      /* damaged on its way */
    GMS_DROP_SEQUENCE, /* not the next one of its connection */
    GMS_DROP_NO_BUFFER,
    GMS_DROP_CLOSED,   /* nobody has the port open */
    GMS_DROP_REJECTED, /* size, memory or access */
    GMS_DROP_RESET     /* it was in a card that was reset */
};

/** A send descriptor, as the library writes it into the NIC's queue. */
typedef struct gms_send_desc {
    gms_flow_key_t flow;
    uint8_t kind;           /* enum gms_send_kind */
    uint8_t size;           /* GM size class of a message */
    uint8_t is_booked;      /* its success is for the owner's books only */
    uint32_t length;        /* bytes */
    uint64_t address;       /* in the owner's memory */
    uint64_t remote;        /* put, get: address in the target's memory */
    void *staged;           /* copy in the arena (copy.h), or NULL */
    uint64_t cookie;        /* handed back in the event; opaque */
    gms_time_t call_ps;     /* when the program called */
    gms_time_t exchange_ps; /* when the exchange began that it ends */
    uint32_t
        exchange_packets; /* of the whole exchange, which it ends; 0: it does
                                  not end one */
} gms_send_desc_t;

typedef struct gms_recv_desc {
    uint16_t port;
    uint8_t size, priority, tag;
    uint64_t address; /* in the owner's memory */
    uint64_t cookie;
} gms_recv_desc_t;

enum gms_host_event_kind {
    GMS_HOST_RECEIVED = 1, /* a message is in the buffer, or in `fast` */
    GMS_HOST_SENT,         /* a send is over */
    GMS_HOST_ALARM,        /* the port's alarm */
    GMS_HOST_NOTICE        /* from the host's manager: gms_nic_notify() */
};

/** Where a packet's time went, picoseconds. */
typedef struct gms_path_times {
    gms_time_t host_ps, lanai_ps, host_dma_ps, wire_ps, switch_ps;
} gms_path_times_t;

struct gms_packet;

/** A packet that is dropped. */
typedef struct gms_nic_drop {
    const struct gms_packet *packet;
    enum gms_drop why;
} gms_nic_drop_t;

/** What the NIC writes into a port's queue in host memory. */
typedef struct gms_host_event {
    struct gms_host_event *next;
    gms_time_t time_ps; /* when it became visible */
    uint64_t number;    /* of the port's, in the order of coming */
    uint8_t kind;
    /* received */
    uint8_t size, priority, tag, is_fast;
    uint16_t sender_node, sender_port; /* 0-based node */
    uint32_t length;
    uint64_t address;      /* the buffer that was provided */
    uint64_t cookie;       /* of the receive or send descriptor */
    gms_path_times_t path; /* of the last packet, up to time_ps */
    unsigned char fast[GMS_NIC_FAST_MAX];
    /* sent */
    uint8_t result;      /* enum gms_send_result */
    uint8_t is_booked;   /* as in the descriptor */
    uint8_t is_reserved; /* of real-time traffic, received or sent */
    gms_flow_key_t flow;
    uint64_t seen; /* of who looks on */
} gms_host_event_t;

typedef struct gms_nic_counters {
    uint64_t data_packets_sent, data_packets_received;
    uint64_t acks_sent, acks_received, nacks_sent, nacks_received;
    uint64_t resent_packets, out_of_sequence, no_buffer_drops, bad_crc_drops;
    uint64_t closed_port_drops, bad_put_drops;
    uint64_t rejected_drops;     /* size not acceptable */
    uint64_t bad_receive_memory; /* buffer not registered, or gone: data lost */
    uint64_t probes_sent;        /* nothing was acknowledged for too long */
    uint64_t invalid_crc8, invalid_crc32; /* header, payload damaged */
    uint64_t out_of_sequence_early;       /* something before it is missing */
    uint64_t out_of_sequence_late;        /* came before */
    uint64_t no_match_for_datagram_recv;
    uint64_t bad_get_drops; /* gets refused: memory or access */
    uint64_t got_drops;     /* of a get that is over */
    uint64_t datagrams_sent, datagrams_received;
    uint64_t streams_stalled; /* sends that failed */
    uint64_t sends_dropped;   /* ended by GMS_SEND_DROP */
    uint64_t resets;
    uint64_t reset_lost_packets; /* in staging buffers at a reset */
    uint64_t sram_used_bytes;    /* now */
    uint64_t sram_waits;         /* tokens that waited for memory */
    uint64_t sram_drops;         /* packets refused for want of memory */
    uint64_t messages_sent, messages_received;
    uint64_t bytes_sent, bytes_received; /* payload of data packets and
                                            datagrams, each time */
    /* the receive DMA engine's time is that of packets coming in; all these
     * are counted when something ends */
    gms_time_t lanai_busy_ps, host_dma_busy_ps, send_dma_busy_ps;
    gms_time_t recv_dma_busy_ps;
    uint64_t blocked_packets;   /* that waited on their way, of all kinds */
    gms_time_t blocked_ps;      /* .. for links and the target's buffers */
    uint64_t recv_buffer_waits; /* packets that found no receive buffer */
    gms_time_t recv_buffer_wait_ps;
} gms_nic_counters_t;

/** Bytes are payload. */
typedef struct gms_flow_stats {
    uint32_t idt_ticks;
    uint64_t packets_sent, bytes_sent;   /* dispatched by the scheduler, each
                                            time that they were */
    uint64_t packets_again, bytes_again; /* of these: to be sent again */
    uint64_t packets_arrived, bytes_arrived; /* in the target host's memory */
    uint64_t messages_sent;                  /* tokens that ended well */
    gms_time_t active_ps;       /* had tokens; without the time that it has
                                    them now */
    gms_time_t active_since_ps; /* .. which began then, if has_more */
    uint64_t idt_waits;         /* packets that could have gone earlier but for
                                    their NDT */
    uint64_t idt_wait_ticks;    /* .. from then to the NDT */
    uint64_t window_waits;      /* times that the connection's window was full*/
    gms_time_t window_wait_ps;  /* .. until there was room */
    uint64_t holds;             /* times that it backed off after a NACK */
    gms_time_t hold_ps;
    uint64_t
        quantum_ends; /* turns that ended because the rest of the quantum was
                              less than the next packet (byte-rr) */
    uint8_t has_more; /* something is queued, or may have to be sent again */
    /* of a flow whose delays are measured, gms_nic_measure_delay() */
    uint8_t is_measured;          /* it is measured now */
    uint64_t messages_measured;   /* messages that have arrived */
    uint64_t messages_beyond;     /* messages beyond the burst */
    gms_time_t worst_delay_ps;    /* longest delay of these messages */
    gms_time_t worst_exchange_ps; /* likewise of exchanges; 0: none */
} gms_flow_stats_t;

/**
 * @param [in] params  in the arena: kept, must outlive the NIC; elsewhere: copied
 * @param [in] node    where its link is
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_nic_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            const gms_params_t *params, unsigned node,
                            gms_nic_t **nic_p);
void gms_nic_register(gms_ctx_t *ctx); /* its event handlers */
/** From now on this process also tells what is a matter of course: for who looks
 *  at packets. Without it, none of that costs anything. */
void gms_nic_watch(gms_ctx_t *ctx);

/** Open a port for the process of a rank. @return GMS_OK, GMS_ERR_BUSY,
 *  GMS_ERR_INVALID_PARAM (no such port) */
gms_status_t gms_nic_open_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port,
                               unsigned rank);
/**
 * Open a port for a part of the simulation itself, a manager or a traffic
 * generator. Where a rank would be signalled, an event is scheduled at that
 * moment: handler, object, arg[0] = the port. Whoever handles it takes the
 * port's events until there are none; it may find none. Addresses in its
 * descriptors are those of blocks of the arena, registered like any memory.
 * @return as gms_nic_open_port()
 */
gms_status_t gms_nic_open_agent_port(gms_ctx_t *ctx, gms_nic_t *nic,
                                     unsigned port, uint32_t handler,
                                     void *object);
/** Close: queued sends are dropped, buffers forgotten; peers' packets are
 *  NACKed as port closed from now on. */
void gms_nic_close_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port);
/** Owner's rank of an open port, or -1 (an agent is no rank). */
int gms_nic_port_owner(const gms_nic_t *nic, unsigned port);

/** What the port sends to ports of its own node goes by the host's memory from
 *  now on (nic/local.h), until the port is closed. */
void gms_nic_send_by_memory(gms_nic_t *nic, unsigned port);

/** [post] at_ps is the caller's clock; the descriptor is copied. */
void gms_nic_post_send(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                       gms_time_t at_ps, const gms_send_desc_t *desc);
/** [post] */
void gms_nic_post_receive(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                          gms_time_t at_ps, const gms_recv_desc_t *desc);
/** The card has the buffer already: of somebody who was there before time
 *  began. The port is open. */
void gms_nic_preset_receive(gms_ctx_t *ctx, gms_nic_t *nic,
                            const gms_recv_desc_t *desc);
/** [post] GMS_HOST_ALARM comes at alarm_ps with the cookie. */
void gms_nic_post_alarm(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                        unsigned port, gms_time_t alarm_ps, uint64_t cookie);

/** Put GMS_HOST_NOTICE with the cookie into a port's queue now, from an event
 *  handler; nothing if the rank does not have the port (any more). */
void gms_nic_notify(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port,
                    unsigned rank, uint64_t cookie);

/**
 * Take the next event from a port's host queue: the oldest. From the first event
 * of real-time traffic that the owner has taken on, the oldest one of real-time
 * traffic comes before all others.
 * @return NULL: none; else to be freed with gms_arena_free()
 */
gms_host_event_t *gms_nic_take_event(gms_nic_t *nic, unsigned port);
/** 1 if nothing that is still to happen before the owner's clock can come before
 *  what gms_nic_peek_event() returns. */
int gms_nic_is_next_event_certain(const gms_nic_t *nic, unsigned port);
/** The owner is about to sleep, and not to be woken for successful sends that
 *  are for its books only; then, awake, it takes those that there were: a list,
 *  oldest first, freed like the others. */
void gms_nic_sleep_past_sends(gms_nic_t *nic, unsigned port);
gms_host_event_t *gms_nic_take_booked(gms_nic_t *nic, unsigned port);
const gms_host_event_t *gms_nic_peek_event(const gms_nic_t *nic, unsigned port);

/** Registered memory of a port's owner, page-granular, counted per page. */
gms_status_t gms_nic_register_memory(gms_ctx_t *ctx, gms_nic_t *nic,
                                     unsigned port, uint64_t address,
                                     uint64_t bytes);
gms_status_t gms_nic_deregister_memory(gms_ctx_t *ctx, gms_nic_t *nic,
                                       unsigned port, uint64_t address,
                                       uint64_t bytes);
int gms_nic_is_registered(const gms_nic_t *nic, unsigned port, uint64_t address,
                          uint64_t bytes);
void gms_nic_allow_remote_access(gms_nic_t *nic, unsigned port);

/** Bytes that the shortest packet of a flow with a byte pace counts as. MPI's
 *  answers to a rendezvous have 56. */
#define GMS_NIC_PACED_LEAST 48u
/** Bytes of the longest message on a reverse label, which have a byte pace. */
#define GMS_NIC_REVERSE_MOST 256u

/** Set a flow's IDT now (the engine's now: call it from an event handler to say
 *  when); makes the flow known to the NIC if it is not.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_nic_set_idt(gms_ctx_t *ctx, gms_nic_t *nic,
                             const gms_flow_key_t *key, uint32_t idt_ticks);
/** The same for a flow of short packets: from now on an IDT is what nic_mtu_bytes
 *  of it take. A packet counts as GMS_NIC_PACED_LEAST bytes at least. Nothing
 *  happens on a fabric without lanes.
 *  @return as gms_nic_set_idt() */
gms_status_t gms_nic_set_byte_pace(gms_ctx_t *ctx, gms_nic_t *nic,
                                   const gms_flow_key_t *key,
                                   uint32_t idt_ticks);
/** Whether a flow that the NIC served late for long gets no more of the time
 *  back than some packets': best effort gives way to what was promised.
 *  @return as gms_nic_set_idt() */
gms_status_t gms_nic_set_yielding(gms_ctx_t *ctx, gms_nic_t *nic,
                                  const gms_flow_key_t *key, int yields);
/**
 * More or, less than 0, fewer promises of bandwidth to a flow: it is real-time
 * traffic to a fabric with lanes while there are any, and best effort else. It
 * changes over as soon as nothing of it is under way. Nothing happens on a
 * fabric without lanes.
 * @return as gms_nic_set_idt()
 */
gms_status_t gms_nic_promise(gms_ctx_t *ctx, gms_nic_t *nic,
                             const gms_flow_key_t *key, int more);
/** Messages of reservations will come to a port, if it is open: from now on best
 *  effort leaves a part of its buffers to them, as it does from the first of them
 *  on. Nothing happens on a fabric without lanes. */
void gms_nic_expect_reserved(gms_nic_t *nic, unsigned port);
/** What an open port sends is control traffic to a fabric with lanes, until it
 *  is closed; before its first send. */
void gms_nic_set_urgent(gms_nic_t *nic, unsigned port);
/** What a flow's delays are measured by. */
typedef struct gms_delay_terms {
    gms_time_t packet_ps; /* one packet at the flow's bandwidth, > 0; 0: stop
                             measuring, and keep what has been seen */
    uint32_t burst;       /* packets that the sender may post at once, >= 1 */
    gms_time_t asked_ps;  /* delay that was asked for; 0: none */
    gms_time_t bound_ps;  /* bound when it was granted; 0: not known */
} gms_delay_terms_t;

/**
 * Measure the delays of a flow's messages from now on (nic/delay.h), beginning
 * anew if the bandwidth or the burst is not that of before.
 * @return as gms_nic_set_idt()
 */
gms_status_t gms_nic_measure_delay(gms_ctx_t *ctx, gms_nic_t *nic,
                                   const gms_flow_key_t *key,
                                   const gms_delay_terms_t *terms);
/** Zeroes for a flow that the NIC does not know. */
void gms_nic_flow_stats(const gms_nic_t *nic, const gms_flow_key_t *key,
                        gms_flow_stats_t *stats);
/** Sums over all flows of the NIC, in which idt_ticks, active_since_ps and what
 *  is measured mean nothing. @return how many flows there are */
unsigned gms_nic_flow_sums(const gms_nic_t *nic, gms_flow_stats_t *sums);
/** Acceptable sizes of a priority, a bit per size class. */
void gms_nic_set_acceptable(gms_nic_t *nic, unsigned port, unsigned priority,
                            uint32_t mask);

/** What a port's sends to closed ports meet: 1 (the default) ends them at once
 *  as PORT_CLOSED, 0 lets them try again until nic_send_timeout_us is over. */
void gms_nic_set_nack_down(gms_nic_t *nic, unsigned port, int enable);

/** Reset the card, as its driver would: packets in its buffers are lost and
 *  come again, messages are delivered once (reset.c says what outlives it). */
void gms_nic_reset(gms_ctx_t *ctx, gms_nic_t *nic);

const gms_nic_counters_t *gms_nic_counters(const gms_nic_t *nic);
/** Real-time clock: ticks since the start. */
uint64_t gms_nic_rtc(const gms_nic_t *nic, gms_time_t now_ps);

#endif
