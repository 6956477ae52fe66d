/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The network interface card: a LANai processor, DMA engines and staging
 * buffers in SRAM. The four state machines of the MCP (SDMA, SEND, RECV, RDMA)
 * share the processor. The NIC has one host DMA engine, and one send DMA engine
 * and one receive DMA engine for the link.
 *
 * The GM library and the bandwidth manager use this interface to post
 * descriptors, read events from a port's host queue, set a flow's IDT, and read
 * counters. The node numbers of this interface start at 0. GM's node ids start
 * at 1 and are used only in gmsim/gm.
 *
 * A running process that holds the gate's lock may make calls marked [post],
 * because these calls schedule an event at the given time and change no other
 * state. All other calls are permitted only during the caller's turn (gate.h)
 * or in an event handler.
 */
#ifndef NIC_NIC_H
#define NIC_NIC_H

#include <stdint.h>

#include "params/params.h"
#include "engine/engine.h"
#include "fabric/fabric.h"

/** Largest number of ports of a NIC. GM's events contain port numbers of 8
 *  bits. */
#define GMS_NIC_MAX_PORTS 256u
#define GMS_NIC_MAX_SIZE  32u /* GM size classes 0..31 */
#define GMS_NIC_FAST_MAX  248u

typedef struct gms_nic gms_nic_t;   /* stored in the arena */
typedef struct gms_flow gms_flow_t; /* stored in the arena; defined in
                                     * nic/flow.h */

/** State that the driver of the host keeps for a port. The NIC does not use
 *  this state. */
typedef struct gms_port_driver {
    uint64_t registered_pages; /* number of registered pages; each page is
                                * counted once */
    uint64_t remote_access;    /* 1 after a call to
                                  gm_allow_remote_memory_access() */
    uint64_t watches;          /* total number of watches since the start of the
                                * run. This number includes the watches of
                                * earlier owners of the port, because a notice
                                * for such a watch may still be in flight */
} gms_port_driver_t;

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
    /* copy from desc.remote in the target's memory to desc.address in the
     * owner's memory */
    GMS_SEND_GET,
    /* one packet without a sequence number or an acknowledgement; the send ends
     * when the packet has left the NIC */
    GMS_SEND_DATAGRAM,
    GMS_SEND_DROP,  /* end the stall of stream desc.flow: the stream's queued
                     * sends end with DROPPED, then this descriptor ends with
                     * OK */
    GMS_SEND_RESUME /* end the stall; the queued sends then continue in order.
                     * Neither command has an effect on a stream that is not
                     * stalled. */
};

/** Result of a send, as GM reports it. Every result except OK and DROPPED
 *  stalls the stream: the stream's sends stay queued until a DROP or RESUME. */
enum gms_send_result {
    GMS_SENT_OK = 0,
    GMS_SENT_TIMED_OUT,
    GMS_SENT_REJECTED,
    GMS_SENT_PORT_CLOSED,
    GMS_SENT_UNREACHABLE,
    GMS_SENT_BAD_MEMORY, /* the source is not registered, or is unmapped */
    GMS_SENT_DROPPED     /* the command GMS_SEND_DROP dropped the send */
};

/** Minimum number of send buffers for packets of reserved flows. If packets
 *  that wait for the link fill all of these buffers, the NIC begins a
 *  best-effort transfer. The waiting packets must keep the link busy until this
 *  transfer and the next reserved transfer have ended. If links are slower than
 *  NICs, two buffers are not enough to keep the link busy. */
#define GMS_NIC_RESERVED_SEND_BUFFERS 8u

/** Trace points of a NIC for observers (gms_ctx_tracepoint()). */
enum gms_nic_tracepoint {
    GMS_NIC_TRACEPOINT_STALL =
        GMS_HANDLER_NIC,        /* a gms_flow_t whose stream stalls */
    GMS_NIC_TRACEPOINT_ARRIVAL, /* a gms_packet_t with data in host memory */
    /* the following trace points are reported only for a trace
     * (gms_ctx_detail_tracepoint()): */
    GMS_NIC_TRACEPOINT_IDT,      /* a gms_flow_t after a change of its IDT */
    GMS_NIC_TRACEPOINT_DELIVERY, /* a gms_nic_delivery_t: a message becomes
                                  * visible to the host */
    GMS_NIC_TRACEPOINT_DROP,     /* a gms_nic_drop_t */
    GMS_NIC_TRACEPOINT_GONE,     /* a gms_packet_t that is about to be freed */
    GMS_NIC_TRACEPOINT_STAGE,    /* a gms_nic_stage_t; only for NICs of the kind
                                  * hca */
    /* the following trace points are reported only after gms_nic_watch(): */
    /* A gms_nic_t whose LANai has finished its job, before the effects of the
     * job become visible to other components. */
    GMS_NIC_TRACEPOINT_JOB,
    GMS_NIC_TRACEPOINT_HOST_DMA, /* a gms_nic_t, at the end of a host DMA
                                  * transfer */
    GMS_NIC_TRACEPOINT_SENT,    /* a gms_packet_t whose tail has left its NIC */
    GMS_NIC_TRACEPOINT_ARRIVED, /* a gms_packet_t that is complete in its
                                 * target's NIC */
    GMS_NIC_TRACEPOINT_LAST     /* largest trace point number */
};

struct gms_packet;

/** Stages of a packet in an hca NIC. */
enum gms_nic_stage_kind {
    GMS_NIC_STAGE_PICK,         /* the scheduler has picked the packet; its
                                * data are already in the NIC, or it has no
                                * data */
    GMS_NIC_STAGE_PICK_TO_READ, /* the scheduler has picked the packet, and the
                                * DMA read of its data begins */
    GMS_NIC_STAGE_READ,         /* the packet's data are in the NIC */
    GMS_NIC_STAGE_SEND,         /* the packet's tail has left the NIC */
    GMS_NIC_STAGE_CHECK,        /* the receive engine has the whole packet */
    GMS_NIC_STAGE_WRITE /* the DMA write of the packet's data has ended */
};

/** Data of the trace point of a packet's stage. The stages READ, SEND, CHECK
 *  and WRITE are reported only after gms_nic_watch(). */
typedef struct gms_nic_stage {
    const struct gms_packet *packet;
    enum gms_nic_stage_kind kind;
    gms_time_t begin_ps; /* SEND: time at which the head entered the link;
                          * WRITE: time at which the DMA write began; otherwise
                          * the current time */
} gms_nic_stage_t;

/** Reasons for dropping a packet. */
enum gms_drop {
    GMS_DROP_NONE = 0,
    GMS_DROP_LOST,     /* lost in the network */
    GMS_DROP_CRC,      /* damaged in the network */
    GMS_DROP_SEQUENCE, /* not the expected packet of its connection */
    GMS_DROP_NO_BUFFER,
    GMS_DROP_CLOSED, /* the port is not open */
    /* the packet's size, memory or access is not acceptable */
    GMS_DROP_REJECTED,
    GMS_DROP_RESET /* lost in a NIC that was reset */
};

/** A send descriptor in the form in which the library writes it into the NIC's
 *  queue. */
typedef struct gms_send_desc {
    gms_flow_key_t flow;
    uint8_t kind; /* enum gms_send_kind */
    uint8_t size; /* GM size class of a message */
    /* 1: the success of this send matters only for the owner's bookkeeping */
    uint8_t is_booked;
    uint32_t length;        /* bytes */
    uint64_t address;       /* address in the owner's memory */
    uint64_t remote;        /* put, get: address in the target's memory */
    void *staged;           /* copy in the arena (copy.h), or NULL */
    uint64_t cookie;        /* returned in the event; opaque */
    gms_time_t call_ps;     /* time of the program's call */
    gms_time_t exchange_ps; /* start of the exchange that this send completes;
                             * unused if the send completes no exchange */
    /* number of packets in the whole exchange that this send completes; 0: the
     * send completes no exchange */
    uint32_t exchange_packets;
} gms_send_desc_t;

/** Special address of a receive buffer: when a message arrives, the NIC takes a
 *  buffer from the port's pool (nic/pool.h). */
#define GMS_NIC_POOLED UINT64_C(0)

typedef struct gms_recv_desc {
    uint16_t port;
    uint8_t size, priority, tag;
    uint64_t address; /* address in the owner's memory, or GMS_NIC_POOLED */
    uint64_t cookie;
} gms_recv_desc_t;

enum gms_host_event_kind {
    GMS_HOST_RECEIVED = 1, /* a message is in the buffer, or in `fast` */
    GMS_HOST_SENT,         /* a send has ended */
    GMS_HOST_ALARM,        /* the port's alarm */
    /* notice from the host's manager: gms_nic_notify() */
    GMS_HOST_NOTICE
};

/** Time that a packet spent at each station, in picoseconds. */
typedef struct gms_path_times {
    gms_time_t host_ps, lanai_ps, host_dma_ps, wire_ps, switch_ps;
} gms_path_times_t;

/** A dropped packet and the reason. */
typedef struct gms_nic_drop {
    const struct gms_packet *packet;
    enum gms_drop why;
} gms_nic_drop_t;

/** An event that the NIC writes into a port's queue in host memory. */
typedef struct gms_host_event {
    struct gms_host_event *next;
    gms_time_t time_ps; /* time at which the event became visible */
    uint64_t number;    /* order of arrival at the port */
    uint8_t kind;
    /* received messages */
    uint8_t size, priority, tag, is_fast;
    uint16_t sender_node, sender_port; /* 0-based node */
    uint32_t length;
    uint64_t address;      /* the buffer that was provided */
    uint64_t cookie;       /* cookie of the receive or send descriptor */
    gms_path_times_t path; /* times that the message's last packet spent at its
                            * stations before time_ps */
    unsigned char fast[GMS_NIC_FAST_MAX];
    /* finished sends */
    uint8_t result;      /* enum gms_send_result */
    uint8_t is_booked;   /* same value as in the descriptor */
    uint8_t is_reserved; /* 1: event of real-time traffic, received or sent */
    gms_flow_key_t flow;
    uint64_t seen; /* data of observers */
} gms_host_event_t;

typedef struct gms_nic_counters {
    uint64_t data_packets_sent, data_packets_received;
    uint64_t acks_sent, acks_received, nacks_sent, nacks_received;
    uint64_t resent_packets, out_of_sequence, no_buffer_drops, bad_crc_drops;
    uint64_t closed_port_drops, bad_put_drops;
    uint64_t rejected_drops;     /* packets whose message size is not
                                  * acceptable */
    uint64_t bad_receive_memory; /* data writes that were lost because the
                                  * buffer was not registered or was unmapped */
    /* probes sent because the time-out for acknowledgements expired */
    uint64_t probes_sent;
    uint64_t invalid_crc8, invalid_crc32; /* packets with a damaged header, and
                                           * with a damaged payload */
    uint64_t out_of_sequence_early;       /* packets that arrived while an
                                           * earlier packet of their connection
                                           * was missing */
    /* packets that the NIC had already accepted */
    uint64_t out_of_sequence_late;
    uint64_t no_match_for_datagram_recv;
    uint64_t bad_get_drops; /* get requests that the NIC refused because their
                             * memory or access is not permitted */
    uint64_t got_drops;     /* data packets of a get that has already ended */
    uint64_t datagrams_sent, datagrams_received;
    uint64_t streams_stalled; /* sends that failed */
    uint64_t sends_dropped;   /* sends that GMS_SEND_DROP ended */
    uint64_t resets;
    uint64_t reset_lost_packets; /* packets that were in staging buffers when
                                  * the NIC was reset */
    uint64_t sram_used_bytes;    /* bytes of NIC memory currently in use */
    uint64_t sram_waits;         /* tokens that waited for memory */
    uint64_t sram_drops; /* packets refused because there was no memory */
    uint64_t messages_sent, messages_received;
    /* Payload of data packets and datagrams, including retransmissions. */
    uint64_t bytes_sent, bytes_received;
    /* Times for which the processor and the DMA engines were busy, counted when
     * an operation ends. The receive DMA engine is busy while packets
     * arrive. */
    gms_time_t lanai_busy_ps, host_dma_busy_ps, send_dma_busy_ps;
    gms_time_t recv_dma_busy_ps;
    uint64_t blocked_packets;   /* packets of all kinds that were blocked on
                                 * their route */
    gms_time_t blocked_ps;      /* time that packets waited for links and for
                                 * the target's buffers */
    uint64_t recv_buffer_waits; /* packets that found no receive buffer */
    gms_time_t recv_buffer_wait_ps;
    uint64_t cnps_sent, cnps_received; /* congestion notifications */
} gms_nic_counters_t;

/** Counters of a flow; bytes are payload. */
typedef struct gms_flow_stats {
    uint32_t idt_ticks;
    /* packets_sent and bytes_sent count the packets and bytes that the
     * scheduler dispatched, including retransmissions. packets_again and
     * bytes_again count only the retransmissions. */
    uint64_t packets_sent, bytes_sent;
    uint64_t packets_again, bytes_again;
    /* packets and bytes that have arrived in the target host's memory */
    uint64_t packets_arrived, bytes_arrived;
    uint64_t messages_sent; /* number of tokens that were completed with OK */
    gms_time_t active_ps;   /* time in which the flow had tokens, excluding the
                             * current period */
    gms_time_t active_since_ps; /* start of the current period, valid if
                                 * has_more is 1 */
    uint64_t idt_waits;         /* packets that were delayed only by their
                                 * NDT */
    uint64_t idt_wait_ticks;    /* sum of the delays of these packets */
    uint64_t window_waits;      /* number of waits for room in the connection's
                                 * window */
    gms_time_t window_wait_ps;  /* sum of the waits for room in the window */
    uint64_t holds;             /* back-offs after a NACK */
    gms_time_t hold_ps;
    /* Number of turns that ended because the next packet was longer than the
     * rest of the quantum (byte-rr). */
    uint64_t quantum_ends;
    /* 1: the flow has sends that are queued or may have to be repeated */
    uint8_t has_more;
    /* the following fields are for a flow whose delays are measured; see
     * gms_nic_measure_delay() */
    uint8_t is_measured;          /* 1: the NIC currently measures the delays */
    uint64_t messages_measured;   /* messages that have arrived */
    uint64_t messages_beyond;     /* messages that exceeded the burst */
    gms_time_t worst_delay_ps;    /* longest delay of a measured message */
    gms_time_t worst_exchange_ps; /* longest delay of an exchange; 0: no
                                   * exchange was measured */
} gms_flow_stats_t;

/**
 * Create the NIC of a node and attach it to the fabric.
 *
 * @param [in] params the NIC copies the parameters unless they are in the
 *   arena; parameters in the arena must outlive the NIC
 * @param [in] node 0-based node of the NIC's link
 * @return GMS_OK, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_nic_create(gms_ctx_t *ctx, gms_fabric_t *fabric,
                            const gms_params_t *params, unsigned node,
                            gms_nic_t **nic_p);
void gms_nic_register(gms_ctx_t *ctx); /* registers the event handlers of a
                                        * NIC */
/** Enable the trace points of regular events in this process, for observers of
 *  packets. Without this call these trace points cost no time. */
void gms_nic_watch(gms_ctx_t *ctx);

/** Open a port for the process of a rank.
 *  @return GMS_OK, GMS_ERR_BUSY, GMS_ERR_INVALID_PARAM (no such port),
 *          GMS_ERR_NO_MEMORY */
gms_status_t gms_nic_open_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port,
                               unsigned rank);
/**
 * Open a port for a component of the simulator, for example a manager or a
 * traffic generator. Instead of waking up a rank, the port schedules an event
 * for `handler` and `object`. arg[0] of this event is the port's number. The
 * handler must take events of the port until the port's queue is empty. The
 * queue may already be empty when the handler is called. Addresses in
 * descriptors of the port are addresses of arena blocks, which must be
 * registered like any other memory.
 * @return the same values as gms_nic_open_port()
 */
gms_status_t gms_nic_open_agent_port(gms_ctx_t *ctx, gms_nic_t *nic,
                                     unsigned port, uint32_t handler,
                                     void *object);
/** Close a port. Queued sends are dropped, and the NIC no longer uses the
 *  port's buffers. From now on, the NIC answers packets for the port with a
 *  NACK that reports a closed port. */
void gms_nic_close_port(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port);
/** Return the rank that owns an open port, or -1 (also for an agent, which has
 *  no rank). */
int gms_nic_port_owner(const gms_nic_t *nic, unsigned port);
/** Return the driver's state of a port, or NULL if the port has never been
 *  open. */
gms_port_driver_t *gms_nic_port_driver(const gms_nic_t *nic, unsigned port);

/** Until the port is closed, let the port's sends to ports of the same node
 *  bypass the NIC and pass through the host's memory (nic/local.h). */
void gms_nic_send_by_memory(gms_nic_t *nic, unsigned port);

/** Post a copy of a send descriptor at at_ps, the time of the caller's clock.
 *  [post] */
void gms_nic_post_send(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                       gms_time_t at_ps, const gms_send_desc_t *desc);
/** Post a copy of a receive descriptor at at_ps, the time of the caller's
 *  clock. [post] */
void gms_nic_post_receive(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                          gms_time_t at_ps, const gms_recv_desc_t *desc);
/** Provide a receive buffer to an open port without a delay. This function is
 *  for components that existed before the run started. */
void gms_nic_preset_receive(gms_ctx_t *ctx, gms_nic_t *nic,
                            const gms_recv_desc_t *desc);
/** Set an alarm. The event GMS_HOST_ALARM with the given cookie arrives at
 *  alarm_ps. [post] */
void gms_nic_post_alarm(gms_ctx_t *ctx, gms_nic_t *nic, gms_origin_t *origin,
                        unsigned port, gms_time_t alarm_ps, uint64_t cookie);

/** Immediately put the event GMS_HOST_NOTICE with the given cookie into a
 *  port's queue. Only event handlers may call this function. The call has no
 *  effect if the port does not belong (or no longer belongs) to the rank. */
void gms_nic_notify(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port,
                    unsigned rank, uint64_t cookie);

/**
 * Return and remove the oldest event of a port's host queue. After the owner
 * has taken its first event of real-time traffic, this function returns events
 * of real-time traffic before all other events.
 * @return the event, which the caller frees with gms_arena_free(), or NULL if
 *   the queue is empty
 */
gms_host_event_t *gms_nic_take_event(gms_nic_t *nic, unsigned port);
/** Return 1 if the event that gms_nic_peek_event() returns will be the next
 *  event that the owner takes, even if more events arrive before the owner's
 *  clock time. */
int gms_nic_is_next_event_certain(const gms_nic_t *nic, unsigned port);
/** Call gms_nic_sleep_past_sends() before the port's owner goes to sleep. The
 *  completion of a send does not end this sleep if the send succeeds and
 *  matters only for the owner's bookkeeping. After waking up, the owner
 *  collects the events of these sends with gms_nic_take_booked(), which returns
 *  a list, oldest event first. The owner frees these events like other
 *  events. */
void gms_nic_sleep_past_sends(gms_nic_t *nic, unsigned port);
gms_host_event_t *gms_nic_take_booked(gms_nic_t *nic, unsigned port);
const gms_host_event_t *gms_nic_peek_event(const gms_nic_t *nic, unsigned port);

/** Register memory of a port's owner, or cancel a registration. The NIC
 *  registers whole pages and counts the registrations of each page. */
gms_status_t gms_nic_register_memory(gms_ctx_t *ctx, gms_nic_t *nic,
                                     unsigned port, uint64_t address,
                                     uint64_t bytes);
gms_status_t gms_nic_deregister_memory(gms_ctx_t *ctx, gms_nic_t *nic,
                                       unsigned port, uint64_t address,
                                       uint64_t bytes);
/** Return the number of pages that the port's owner has registered. */
uint64_t gms_nic_registered_pages(const gms_nic_t *nic, unsigned port);
int gms_nic_is_registered(const gms_nic_t *nic, unsigned port, uint64_t address,
                          uint64_t bytes);
/** Set the length of the buffers in a port's pool (nic/pool.h), take a buffer,
 *  or free one. The owner can use the buffers of the pool for its sends. The
 *  NIC uses the buffers for receive descriptors with the address
 *  GMS_NIC_POOLED. */
gms_status_t gms_nic_open_pool(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port,
                               uint64_t bytes);
uint64_t gms_nic_take_pooled(gms_ctx_t *ctx, gms_nic_t *nic, unsigned port);
int gms_nic_give_pooled(gms_nic_t *nic, unsigned port, uint64_t address);
void gms_nic_allow_remote_access(gms_nic_t *nic, unsigned port);

/** Minimum number of bytes that the NIC charges for a packet of a flow with a
 *  byte pace. MPI's answers to a rendezvous are 56 bytes long. */
#define GMS_NIC_PACED_LEAST 48u
/** Length of the longest message with a reverse label, in bytes. Flows with a
 *  reverse label have a byte pace. */
#define GMS_NIC_REVERSE_MOST 256u

/** Set a flow's IDT. The IDT takes effect at the engine's current time. Call
 *  the function from an event handler to choose this time. If the NIC does not
 *  know the flow, the NIC creates the flow.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_nic_set_idt(gms_ctx_t *ctx, gms_nic_t *nic,
                             const gms_flow_key_t *key, uint32_t idt_ticks);
/** Set the IDT of a flow of short packets. From now on, the IDT is the time in
 *  which the flow may send nic_mtu_bytes. Each packet is charged as at least
 *  GMS_NIC_PACED_LEAST bytes. The call has no effect on a fabric without lanes.
 *  @return the same values as gms_nic_set_idt() */
gms_status_t gms_nic_set_byte_pace(gms_ctx_t *ctx, gms_nic_t *nic,
                                   const gms_flow_key_t *key,
                                   uint32_t idt_ticks);
/** Set whether a flow yields. If the NIC serves a yielding flow late, the flow
 *  may recover at most the time of ten packets (scheduler_rate.c). Best-effort
 *  traffic therefore gives way to reservations.
 *  @return the same values as gms_nic_set_idt() */
gms_status_t gms_nic_set_yielding(gms_ctx_t *ctx, gms_nic_t *nic,
                                  const gms_flow_key_t *key, int yields);
/**
 * Add reservations to a flow, or remove reservations if `more` is negative. On
 * a fabric with lanes, a flow with reservations is real-time traffic, and a
 * flow without reservations is best-effort traffic. The flow changes its class
 * as soon as none of its packets is in flight. The call has no effect on a
 * fabric without lanes.
 * @return the same values as gms_nic_set_idt()
 */
gms_status_t gms_nic_promise(gms_ctx_t *ctx, gms_nic_t *nic,
                             const gms_flow_key_t *key, int more);
/** Prepare an open port for messages of reserved flows. From now on,
 *  best-effort traffic leaves a part of the port's buffers free for these
 *  messages. Without this call, best-effort traffic leaves this part free only
 *  after the first message of a reserved flow has arrived. The call has no
 *  effect if the port is closed or the fabric has no lanes. */
void gms_nic_expect_reserved(gms_nic_t *nic, unsigned port);
/** If the fabric has lanes, assign the sends of an open port to the class of
 *  control traffic until the port is closed. Call this function before the
 *  port's first send. */
void gms_nic_set_urgent(gms_nic_t *nic, unsigned port);
/** Parameters for measuring a flow's delays. */
typedef struct gms_delay_terms {
    gms_time_t packet_ps; /* time of one packet at the flow's bandwidth; 0: stop
                           * measuring, and keep the results */
    uint32_t burst;       /* packets that the sender may post at once, >= 1 */
    gms_time_t asked_ps;  /* requested maximum delay; 0: none */
    gms_time_t bound_ps;  /* bound on the delay when the reservation was
                           * granted; 0: unknown */
} gms_delay_terms_t;

/**
 * Measure the delays of a flow's messages from now on (nic/delay.h). The
 * measurement restarts if the bandwidth or the burst has changed.
 * @return the same values as gms_nic_set_idt()
 */
gms_status_t gms_nic_measure_delay(gms_ctx_t *ctx, gms_nic_t *nic,
                                   const gms_flow_key_t *key,
                                   const gms_delay_terms_t *terms);
/** Return the counters of a flow, or zeros if the NIC does not know the
 *  flow. */
void gms_nic_flow_stats(const gms_nic_t *nic, const gms_flow_key_t *key,
                        gms_flow_stats_t *stats);
/** Return the sums of the counters over all flows of the NIC. In these sums,
 *  idt_ticks, active_since_ps and the measured delays are meaningless.
 *  @return number of flows */
unsigned gms_nic_flow_sums(const gms_nic_t *nic, gms_flow_stats_t *sums);
/** Set the message sizes that a port accepts for a priority. The mask has one
 *  bit per size class. */
void gms_nic_set_acceptable(gms_nic_t *nic, unsigned port, unsigned priority,
                            uint32_t mask);

/** Set how the NIC handles a port's sends to closed ports. If `enable` is 1 (the
 *  default), these sends end at once with the result PORT_CLOSED. If `enable`
 *  is 0, the sends are repeated until they succeed or nic_send_timeout_us has
 *  passed. */
void gms_nic_set_nack_down(gms_nic_t *nic, unsigned port, int enable);

/** Reset the NIC as its driver would. Packets in the NIC's buffers are lost and
 *  sent again. Every message is still delivered exactly once. reset.c describes
 *  the state that survives a reset. */
void gms_nic_reset(gms_ctx_t *ctx, gms_nic_t *nic);

const gms_nic_counters_t *gms_nic_counters(const gms_nic_t *nic);
/** Return the NIC's real-time clock, in ticks since the start of the
 *  simulation. */
uint64_t gms_nic_rtc(const gms_nic_t *nic, gms_time_t now_ps);

#endif
