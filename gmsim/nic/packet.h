/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Packets on the wire: a header, payload, and data of the simulation about the
 * packet. A packet belongs to the sending NIC, then to the fabric, then to the
 * receiving NIC, which frees it.
 * [source: GM 2 packet header, adapted: the label and the session of a negative
 * acknowledgement are this project's]
 */
#ifndef NIC_PACKET_H
#define NIC_PACKET_H

#include <stdint.h>

#include "nic/flow.h"

enum gms_packet_type {
    GMS_PACKET_MESSAGE = 1, /* a whole message in one packet */
    GMS_PACKET_HEAD,        /* first packet of a message */
    GMS_PACKET_BODY,
    GMS_PACKET_TAIL,
    GMS_PACKET_PUT, /* each packet of a put says where it goes */
    GMS_PACKET_GET, /* asks for memory; its payload is a uint32_t, how much */
    GMS_PACKET_GOT, /* answer to a get: data, or why there are none */
    GMS_PACKET_DATAGRAM,
    GMS_PACKET_ACK,  /* from here on: control packets */
    GMS_PACKET_NACK, /* everything from `sequence` on was dropped */
    GMS_PACKET_PROBE /* what do you expect next? answered by a NACK */
};

enum gms_nack_kind {
    GMS_NACK_SEQUENCE = 1, /* a packet is missing, or a probe's answer */
    GMS_NACK_NO_BUFFER,
    GMS_NACK_CLOSED,
    GMS_NACK_REJECTED
};

/** What the CRCs say of a packet. */
enum gms_packet_state {
    GMS_PACKET_INTACT = 0,
    GMS_PACKET_BAD_HEADER, /* nothing in it can be believed */
    GMS_PACKET_BAD_PAYLOAD
};

typedef struct gms_packet_header {
    uint8_t type; /* enum gms_packet_type */
    uint8_t size; /* GM size class of a message */
    uint8_t nack; /* enum gms_nack_kind; GOT: 0, or why there are no data */
    uint8_t priority;
    uint16_t session, sequence; /* a NACK: of the first packet dropped */
    uint16_t ack;               /* control packets: next one not written yet */
    uint16_t source_port, target_port;
    uint16_t get;            /* GET and GOT: which one of its flow */
    uint32_t source, target; /* nodes, 0-based */
    uint32_t label;
    uint32_t length;
    uint64_t remote; /* PUT, GET: address in the target's memory;
                        GOT: where in the data that were asked for */
} gms_packet_header_t;

_Static_assert(sizeof(gms_packet_header_t) == 40,
               "no padding: the CRC covers every byte");

/** A piece of work for the RDMA state machine; embedded. */
typedef struct gms_work {
    struct gms_work *next;
    void *object;
    uint8_t kind; /* enum gms_work_kind, mcp.h */
} gms_work_t;

typedef struct gms_packet {
    gms_worm_t worm; /* first: the fabric's view */
    struct gms_packet *next;
    gms_packet_header_t header;
    uint32_t crc32; /* of the payload */
    uint8_t crc8;   /* of the header */
    uint32_t room;  /* bytes of data, whatever a damaged header says */

    /* where its time went; time before mark_ps is attributed */
    gms_path_times_t path;
    gms_time_t mark_ps;
    gms_time_t
        queue_ps; /* of its LANai's time: from the descriptor in the NIC to
                            this packet's turn */
    gms_time_t due_ps, exchange_due_ps; /* of its token */
    gms_flow_t *flow; /* whose counts it adds to; NULL: control packets */

    void *seen; /* of who looks on, in the arena; NULL at first */

    /* sending side */
    gms_token_t *token; /* while in SDMA, of a datagram until it has left;
                           NULL if the token is gone */

    /* receiving side, from acceptance on */
    gms_work_t work;
    uint64_t host_address;
    uint32_t port_generation;
    struct gms_message *message; /* complete with this packet, or NULL */

    gms_ahead_t *ahead; /* its data are in there, or NULL */
    unsigned char
        *data; /* payload; of a bare packet among ahead's, which others
                            may share, or NULL: not fetched yet */
    unsigned char payload[];
} gms_packet_t;

/** Zeroed but for the payload, which the sender's host DMA writes before anybody
 *  reads it; with room for length bytes. A full arena ends the run. */
gms_packet_t *gms_packet_create(gms_ctx_t *ctx, uint32_t length);
/** The same, for data that will have been read ahead. */
gms_packet_t *gms_packet_create_bare(gms_ctx_t *ctx, uint32_t length);
void gms_packet_destroy(gms_ctx_t *ctx, gms_packet_t *packet);

static inline int gms_packet_is_control(const gms_packet_t *packet)
{
    return packet->header.type >= GMS_PACKET_ACK;
}

/** Have data that nobody shares. */
void gms_packet_settle(gms_ctx_t *ctx, gms_packet_t *packet);

/** A copy of a packet that is under way, for a fabric that duplicates one. */
gms_packet_t *gms_packet_clone(gms_ctx_t *ctx, const gms_packet_t *packet);
/** What a fault on the wire does: flip a bit of the header or its CRC-8, of the
 *  payload or its CRC-32, or one of both.
 *  @param [in] header, payload  whether to
 *  @param [in] random           which bit */
void gms_packet_damage(gms_packet_t *packet, int header, int payload,
                       uint64_t random);

/** Attribute the time since the last call to one station of the path. */
void gms_packet_charge(gms_packet_t *packet, gms_time_t *station_ps,
                       gms_time_t now_ps);

/** Compute the CRCs of header and payload, and check them. */
void gms_packet_seal(gms_packet_t *packet);
enum gms_packet_state gms_packet_check(const gms_packet_t *packet);

#endif
