/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reliable connections. One struct holds a NIC's sending end and receiving end
 * of a connection. Flows without a reservation share one connection per pair of
 * nodes and traffic class. Packets of one class keep their order in the
 * network. Packets of different classes may overtake each other.
 *
 * Every real-time flow has its own connection. After a NACK, the sender takes
 * back all packets that the connection has in flight, and sends them again at
 * the pace of their flows. If real-time flows shared a connection, they would
 * all stop when the receiver has no buffer for one of them, or has closed the
 * port of one of them. [source: this project, doc/guarantees.md; in GM, all
 * flows share a connection.]
 *
 * The window of a real-time flow's connection may exceed nic_window_packets.
 * The flow's pace limits this window, and the admission account bounds the
 * buffers that the window needs.
 *
 * The sending end uses go-back-N. Packets are numbered. For every
 * unacknowledged packet, a record holds the packet's token and byte range.
 *
 *   records:  [ first_sequence .. first_sequence + count - 1 ]
 *             oldest, sent                      newest, may still be in SDMA
 *
 * The receiving end accepts only the packet with the expected number. If it
 * cannot accept this packet, it sends a NACK and drops all later packets of the
 * session. The sender takes back the dropped packets: it removes their records,
 * and sends their data again in the next session. The session shows whether a
 * sequence number was assigned before or after the sender went back. Therefore
 * a packet in flight is never confused with a later packet of the same number.
 * A sender that continues a refused session must have missed the NACK, so the
 * receiver sends another NACK.
 *
 * If the time-out for acknowledgements expires, the sender cannot know which of
 * its packets were accepted. The sender must not simply go back, because the
 * scheduler could then assign the old numbers to packets of other flows. The
 * sender therefore sends a probe. The receiver ends the session and answers
 * with a NACK that has the expected number. [source: GM 2 sexno, send records
 * and NACK_OPEN_CONNECTION; the probe replaces NACK_OPEN_CONNECTION]
 *
 * Duplicated, delayed and reordered packets cause no error. The receiver
 * accepts a data packet only if its session is the current one and its number
 * is the expected one. The receiver accepts every number only once, regardless
 * of the session. An acknowledgement never becomes invalid. A NACK applies to
 * only one session, which ends with the NACK. Sequence numbers and sessions
 * have 16 bits and are compared modulo 2^16. These statements therefore hold
 * only if no packet stays in flight while its connection sends 2^15 other
 * packets or begins 2^15 sessions. [assumed: 2^15 packets of 50 us take 1.6 s,
 * and no network delays a packet for that long]
 *
 * The sender sends a probe when no packet has been acknowledged for
 * nic_resend_timeout_us. The sender repeats the probe, and doubles the interval
 * each time. The longest interval is the smaller of GMS_PROBE_MAX_PS and a
 * quarter of nic_send_timeout_us. A flow fails if its first token has made no
 * progress (flow.h) for nic_send_timeout_us. A flow that waits for an
 * acknowledgement, for the window or for a get's data fails at exactly that
 * time. The result is UNREACHABLE if no control packet has arrived from the
 * other side since the flow's last progress, and TIMED_OUT otherwise. A flow
 * whose packets are refused fails at the first NACK after that time. The result
 * is TIMED_OUT if the other side has no buffer, and PORT_CLOSED if the port is
 * closed.
 */
#ifndef NIC_CONNECTION_H
#define NIC_CONNECTION_H

#include <stdint.h>

#include "nic/packet.h"

/** Maximum time between probes, unless nic_resend_timeout_us is longer. After a
 *  failed link recovers, a connection leaves the link unused for at most this
 *  time. [assumed] */
#define GMS_PROBE_MAX_PS (250 * GMS_MS)

typedef struct gms_send_record {
    /* NULL: the token was freed, but the sequence number stays in use */
    gms_token_t *token;
    uint32_t before; /* the token's value of sent_bytes before this packet */
    uint32_t length;
} gms_send_record_t;

/** The real-time flow whose data a connection carries, in either direction. */
typedef struct gms_connection_key {
    uint16_t source_port, target_port; /* ports in the direction of the data */
    uint32_t label;
    uint8_t priority; /* GM's priority */
} gms_connection_key_t;

typedef struct gms_connection {
    gms_nic_t *nic;
    uint32_t node; /* node at the other end */
    uint32_t traffic_class;
    /* key of the data flow; all fields are 0 for a shared connection */
    gms_connection_key_t key;
    struct gms_connection *next; /* next connection with the same node and
                                  * class */

    /* sending end */
    uint16_t session;
    uint16_t first_sequence;
    uint32_t count;             /* number of records in use */
    uint32_t head;              /* index of the oldest record */
    gms_send_record_t *records; /* ring buffer */
    uint32_t ring;              /* length of the ring */
    gms_time_t progress_ps;     /* time of the last acknowledgement or first
                                 * record */
    gms_time_t heard_ps; /* time at which the last control packet from the node
                          * arrived */
    /* flows that wait for room in the window, in order of arrival */
    gms_flow_t *window_blocked, *last_blocked;
    gms_token_t *gets; /* acknowledged gets that wait for their data */
    uint8_t timer_armed;
    uint8_t backoff; /* number of probes since the last acknowledgement */

    /* receiving end */
    uint16_t receive_session;
    uint16_t expected; /* number of the next packet to accept */
    uint16_t written;  /* number of the next packet to write to host memory;
                        * ACKs contain this number */
    /* 1: the session was NACKed, and its packets are dropped until the next
     * session begins */
    uint8_t refusing;
    uint8_t unheeded; /* number of packets dropped in this session since the
                       * last NACK */

    /* control packets to send, at most one of each kind */
    uint8_t ack_pending, nack_pending, probe_pending;
    uint8_t nack_kind;
    uint8_t control_queued;
    struct gms_connection *control_next;
} gms_connection_t;

/** Return the shared connection of a traffic class to a node. The first call
 *  creates this connection.
 *  @param [in] traffic_class  0 .. the fabric's classes - 1 */
gms_connection_t *gms_connection_get(gms_ctx_t *ctx, gms_nic_t *nic,
                                     uint32_t node, unsigned traffic_class);
/** Return the connection of a packet that has arrived (its source is the other
 *  node) or must be sent (its target is the other node). The first call creates
 *  the connection. */
gms_connection_t *gms_connection_of_source(gms_ctx_t *ctx, gms_nic_t *nic,
                                           const gms_packet_t *packet);
gms_connection_t *gms_connection_of_target(gms_ctx_t *ctx, gms_nic_t *nic,
                                           const gms_packet_t *packet);
/** Return the connection of a flow that has a packet to send. The first call
 *  creates the connection. */
gms_connection_t *gms_connection_open(gms_ctx_t *ctx, const gms_flow_t *flow);
/** Return the connection of a flow, or NULL if the connection does not exist
 *  yet. */
gms_connection_t *gms_connection_of_flow(const gms_flow_t *flow);

/* --- sending end --- */
int gms_connection_is_full(const gms_connection_t *connection);
/** Record the token's next packet, and assign the packet's number. */
void gms_connection_push(gms_ctx_t *ctx, gms_connection_t *connection,
                         gms_token_t *token, gms_packet_t *packet);
/** Remove the newest record, because its packet was never sent. */
void gms_connection_pop(gms_ctx_t *ctx, gms_connection_t *connection);
/** Remove all references to the token from the connection. */
void gms_connection_forget(gms_connection_t *connection, gms_token_t *token);
/** Make a flow wait for room in the window. */
void gms_connection_block(gms_ctx_t *ctx, gms_connection_t *connection,
                          gms_flow_t *flow);
/** Release as many waiting flows as the window has room for. Releasing all
 *  waiting flows would make every acknowledgement cause work for every flow.
 *  Call this function when the window has room, and when a flow that could have
 *  used the room has nothing to send. */
void gms_connection_unblock(gms_ctx_t *ctx, gms_connection_t *connection);
/** Start the time-out timer if it is not running. Call this function when a
 *  flow with tokens may have begun to wait. */
void gms_connection_watch(gms_ctx_t *ctx, gms_connection_t *connection,
                          const gms_flow_t *flow);
/** Process a control packet that has arrived. */
void gms_connection_control(gms_ctx_t *ctx, gms_connection_t *connection,
                            const gms_packet_t *packet);
/** Handle the event GMS_NIC_ON_RESEND. */
void gms_connection_on_resend(gms_ctx_t *ctx, const gms_event_t *event);

/* --- receiving end --- */
/** Return 1 if this is the packet that the connection expects. Otherwise the
 *  caller must drop the packet; the function has already queued the answer, if
 *  the packet requires one. */
int gms_connection_expects(gms_connection_t *connection,
                           const gms_packet_t *packet);
/** Record that the caller has accepted the expected packet. */
void gms_connection_accept(gms_connection_t *connection);
/** Expect the newest accepted packet again, because a reset has discarded
 *  it. */
void gms_connection_unaccept(gms_connection_t *connection);
/** Send a NACK of the given kind, because the caller has dropped the expected
 *  packet. */
void gms_connection_refuse(gms_connection_t *connection, uint8_t nack_kind);
/** Record that the oldest accepted packet is in host memory, or was discarded.
 *  @param [in] is_asked  1: the packet asks for an acknowledgement, which the
 *    function queues */
void gms_connection_wrote(gms_connection_t *connection, int is_asked);

/** After a reset of the NIC, send the number that this end expects, and send a
 *  probe for the number that the other end expects. */
void gms_connection_reset(gms_connection_t *connection);

struct gms_nic_class;
/** Return the next control packet that this NIC has to send in a traffic class,
 *  or NULL. The caller owns the packet. */
gms_packet_t *gms_connection_next_control(gms_ctx_t *ctx, gms_nic_t *nic,
                                          struct gms_nic_class *traffic_class);

#endif
