/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reliable connections, both ends in one struct. Flows without a reservation
 * share one per pair of nodes and class of traffic. Packets of one class keep
 * their order in the network, those of different classes may not.
 *
 * Every real-time flow has its own connection. A NACK takes back all packets
 * that a connection has in flight, and packets that are sent again use the pace
 * of their flows. In a shared connection a receiver without a buffer for one
 * flow, or with a closed port, would stop all flows. [source: this project,
 * doc/guarantees.md; a connection of GM is shared by all flows] Its window may
 * exceed nic_window_packets, because its pace limits it, and the account bounds
 * the buffers that it needs.
 *
 * Sending end: go-back-N. Packets are numbered; a record per unacknowledged
 * packet has the token and the range of its bytes.
 *
 *   records:  [ first_sequence .. first_sequence + count - 1 ]
 *             oldest, sent                      newest, may still be in SDMA
 *
 * Receiving end: accepts exactly the next packet. If it cannot, it sends a NACK
 * and drops all packets of that session; the sender takes the dropped records
 * back and sends with the next session. The session shows whether a number was
 * assigned before or after going back: no packet in flight is confused with a
 * later one of the same number. A sender that continues a refused session has
 * not received the NACK, and receives another one.
 *
 * When nothing was acknowledged for too long the sender cannot know which of
 * its packets were accepted, and may not simply go back (the scheduler would
 * put other flows' packets under the old numbers). It sends a probe; the
 * receiver ends the session and answers with a NACK that has the expected
 * number. [source: GM 2 sexno, send records and NACK_OPEN_CONNECTION; the probe
 * stands for the latter]
 *
 * Packets that arrive twice, late or in another order do no harm: a data packet
 * is accepted only if its session is the current one and its number the next,
 * and every number is accepted once, in any session; the content of an
 * acknowledgement stays true for ever; a NACK concerns one session, which ends
 * with it. Sequence numbers and sessions are 16 bits and compared modulo 2^16,
 * so this holds as long as no packet is in flight while 2^15 others of its
 * connection or 2^15 sessions pass.
 * [assumed: 2^15 packets of 50 us take 1.6 s, longer than a network delays]
 *
 * Time-outs. A probe is sent when nothing was acknowledged for
 * nic_resend_timeout_us, then after doubled intervals of at most
 * GMS_PROBE_MAX_PS or a quarter of nic_send_timeout_us. A flow whose first
 * token has made no progress (flow.h) for nic_send_timeout_us fails: exactly
 * then if it waits for an acknowledgement, for the window or for a get's data,
 * and at the first NACK from then on if the other side has no buffer
 * (TIMED_OUT) or the port is closed (PORT_CLOSED). In the first case it is
 * UNREACHABLE if no control packet has arrived from there since its last
 * progress, TIMED_OUT otherwise.
 */
#ifndef NIC_CONNECTION_H
#define NIC_CONNECTION_H

#include <stdint.h>

#include "nic/packet.h"

/** Longest time between probes, unless nic_resend_timeout_us is longer.
 *  [assumed: so long a link that was down stays unused at most] */
#define GMS_PROBE_MAX_PS (250 * GMS_MS)

typedef struct gms_send_record {
    gms_token_t *token; /* NULL: the token is gone, the number is not */
    uint32_t before;    /* token's sent_bytes before this packet */
    uint32_t length;
} gms_send_record_t;

/** The real-time flow whose data a connection carries, in either direction. */
typedef struct gms_connection_key {
    uint16_t source_port, target_port; /* of the data's way */
    uint32_t label;
    uint8_t priority; /* GM's */
} gms_connection_key_t;

typedef struct gms_connection {
    gms_nic_t *nic;
    uint32_t node; /* the other one */
    uint32_t traffic_class;
    gms_connection_key_t key;    /* of its data; zeroes: shared */
    struct gms_connection *next; /* with the same node and class */

    /* sending end */
    uint16_t session;
    uint16_t first_sequence;
    uint32_t count;             /* records in use */
    uint32_t head;              /* index of the oldest one */
    gms_send_record_t *records; /* ring */
    uint32_t ring;              /* its length */
    gms_time_t progress_ps;     /* last acknowledgement, or first record */
    gms_time_t heard_ps;        /* last control packet from there */
    gms_flow_t *window_blocked, *last_blocked; /* flows that wait for the
                                    window, first come, first back */
    gms_token_t *gets; /* that were asked and wait for data */
    uint8_t timer_armed;
    uint8_t backoff; /* probes since the last acknowledgement */

    /* receiving end */
    uint16_t receive_session;
    uint16_t expected; /* next one to accept */
    uint16_t written;  /* next one to write to the host: what ACKs say */
    uint8_t refusing;  /* this session was NACKed: drop until the next */
    uint8_t unheeded;  /* packets dropped so since the last NACK */

    /* control packets to send, at most one of a kind */
    uint8_t ack_pending, nack_pending, probe_pending;
    uint8_t nack_kind;
    uint8_t control_queued;
    struct gms_connection *control_next;
} gms_connection_t;

/** The connection to a node that flows of a class share; made at first use.
 *  @param [in] traffic_class  of traffic, 0 .. the fabric's classes - 1 */
gms_connection_t *gms_connection_get(gms_ctx_t *ctx, gms_nic_t *nic,
                                     uint32_t node, unsigned traffic_class);
/** Of a packet that has come in, or is to be sent. */
gms_connection_t *gms_connection_of_source(gms_ctx_t *ctx, gms_nic_t *nic,
                                           const gms_packet_t *packet);
gms_connection_t *gms_connection_of_target(gms_ctx_t *ctx, gms_nic_t *nic,
                                           const gms_packet_t *packet);
/** Of a flow that has something to send; made at first use. */
gms_connection_t *gms_connection_open(gms_ctx_t *ctx, const gms_flow_t *flow);
/** Of a flow; NULL: not made yet. */
gms_connection_t *gms_connection_of_flow(const gms_flow_t *flow);

/* --- sending end --- */
int gms_connection_is_full(const gms_connection_t *connection);
/** Record the token's next packet; gives the packet its number. */
void gms_connection_push(gms_ctx_t *ctx, gms_connection_t *connection,
                         gms_token_t *token, gms_packet_t *packet);
/** Take the newest record back: its packet was never sent. */
void gms_connection_pop(gms_ctx_t *ctx, gms_connection_t *connection);
/** Nothing of the connection names this token any more. */
void gms_connection_forget(gms_connection_t *connection, gms_token_t *token);
/** The flow waits for the window. */
void gms_connection_block(gms_ctx_t *ctx, gms_connection_t *connection,
                          gms_flow_t *flow);
/** Let as many of the flows that wait for the window go on as it has room for,
 *  but not more: with all at once, each acknowledgement would cost work for
 *  every flow. To be called when there is room, and when a flow that could have
 *  taken it has nothing to send. */
void gms_connection_unblock(gms_ctx_t *ctx, gms_connection_t *connection);
/** A flow that has tokens may wait that did not before: see to it that the timer
 *  runs. */
void gms_connection_watch(gms_ctx_t *ctx, gms_connection_t *connection,
                          const gms_flow_t *flow);
/** A control packet came in. */
void gms_connection_control(gms_ctx_t *ctx, gms_connection_t *connection,
                            const gms_packet_t *packet);
/** Handler of GMS_NIC_ON_RESEND. */
void gms_connection_on_resend(gms_ctx_t *ctx, const gms_event_t *event);

/* --- receiving end --- */
/** 1 if this is the packet that the connection expects; otherwise it is to be
 *  dropped, and what there is to answer has been queued. */
int gms_connection_expects(gms_connection_t *connection,
                           const gms_packet_t *packet);
/** The expected packet was taken. */
void gms_connection_accept(gms_connection_t *connection);
/** The newest packet that was taken is to come again: a reset lost it. */
void gms_connection_unaccept(gms_connection_t *connection);
/** The expected packet was dropped. */
void gms_connection_refuse(gms_connection_t *connection, uint8_t nack_kind);
/** The oldest packet that was taken is in host memory (or nobody's). */
void gms_connection_wrote(gms_connection_t *connection);

/** The NIC was reset: find out what the other end expects, say what is expected
 *  here. */
void gms_connection_reset(gms_connection_t *connection);

struct gms_nic_class;
/** Next control packet to send from this NIC in one of its classes, or NULL; the
 *  caller owns it. */
gms_packet_t *gms_connection_next_control(gms_ctx_t *ctx, gms_nic_t *nic,
                                          struct gms_nic_class *traffic_class);

#endif
