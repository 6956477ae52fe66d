/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Packets on the wire: a header, payload, and data that only the simulation
 * uses. A packet is owned by the sending NIC, then by the fabric, then by the
 * receiving NIC, which frees the packet.
 * [source: GM 2 packet header, adapted: the label and the session of a negative
 * acknowledgement are additions of this project]
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
    GMS_PACKET_PUT, /* every packet of a put contains its own target address */
    GMS_PACKET_GET, /* requests data; the payload is the requested length, a
                     * uint32_t */
    GMS_PACKET_GOT, /* answer to a get: data, or the reason for refusing the
                     * get */
    GMS_PACKET_DATAGRAM,
    GMS_PACKET_ACK,   /* first of the control packets */
    GMS_PACKET_NACK,  /* packet `sequence` and all later packets have been
                       * dropped */
    GMS_PACKET_PROBE, /* asks for the expected number; the answer is a NACK */
    GMS_PACKET_CNP    /* a packet of the flow carried a congestion mark
                       * (nic/cnp.h) */
};

enum gms_nack_kind {
    GMS_NACK_SEQUENCE = 1, /* a packet is missing, or a probe is answered */
    GMS_NACK_NO_BUFFER,
    GMS_NACK_CLOSED,
    GMS_NACK_REJECTED
};

/** Result of checking the CRCs of a packet. */
enum gms_packet_state {
    GMS_PACKET_INTACT = 0,
    GMS_PACKET_BAD_HEADER, /* the header is damaged, so none of its fields is
                            * reliable */
    GMS_PACKET_BAD_PAYLOAD
};

typedef struct gms_packet_header {
    uint8_t type; /* enum gms_packet_type */
    uint8_t size; /* GM size class of a message */
    uint8_t nack; /* enum gms_nack_kind; GOT: 0, or the reason for refusing the
                   * get */
    uint8_t priority;
    uint16_t session, sequence; /* NACK: number of the first dropped packet */
    /* control packets: next sequence number to be written */
    uint16_t ack;
    uint16_t source_port, target_port;
    uint16_t get;            /* GET, GOT: number of the get in its flow */
    uint32_t source, target; /* 0-based nodes */
    uint32_t label;
    uint32_t length;
    uint64_t remote; /* PUT, GET: address in the target's memory; GOT: offset in
                      * the requested data */
} gms_packet_header_t;

_Static_assert(sizeof(gms_packet_header_t) == 40,
               "no padding: the CRC covers every byte");

/** A work item for the RDMA state machine, embedded in the object that the work
 *  concerns. */
typedef struct gms_work {
    struct gms_work *next;
    void *object;
    uint8_t kind; /* enum gms_work_kind, nic_int.h */
} gms_work_t;

typedef struct gms_packet {
    gms_worm_t worm; /* must be first, because the fabric handles the packet as
                      * a worm */
    struct gms_packet *next;
    gms_packet_header_t header;
    uint32_t crc32;   /* checksum of the payload */
    uint8_t crc8;     /* checksum of the header */
    uint8_t asks_ack; /* 1: the receiver acknowledges the packet immediately */
    uint8_t is_read;  /* kind hca: 1 while the packet is included in its flow's
                       * reading_count */
    /* number of bytes of data, even if a damaged header states another
     * number */
    uint32_t room;

    /* Time spent at each station. All time before mark_ps has been attributed
     * to a station. */
    gms_path_times_t path;
    gms_time_t mark_ps;
    /* Part of lanai_ps: the time from the arrival of the descriptor in the NIC
     * until the scheduler picked the packet. */
    gms_time_t queue_ps;
    gms_time_t due_ps, exchange_due_ps; /* due times from the packet's token */
    gms_flow_t *flow; /* flow whose counters the packet changes; NULL: control
                       * packet */

    void *seen; /* data of observers, in the arena; initially NULL */

    /* sending side */
    /* Token of the packet. This field is set while the packet is in SDMA, or,
     * for a datagram, until the packet has left. The field is NULL if the token
     * was freed. */
    gms_token_t *token;

    /* receiving side, after acceptance */
    gms_work_t work;
    uint64_t host_address;
    uint32_t port_generation;
    struct gms_message *message; /* message that the packet completes, or
                                  * NULL */

    /* Payload. A bare packet has no payload buffer, and shares the bytes of a
     * message with other packets. */
    gms_ahead_t *ahead;  /* shared bytes; NULL: the packet has a payload buffer,
                          * or its data have not been fetched yet */
    uint64_t offset;     /* of the payload within the shared bytes */
    unsigned char *data; /* payload buffer, or the packet's own copy of shared
                          * bytes, or NULL */
    unsigned char payload[];
} gms_packet_t;

/** Create a packet with room for length bytes. All fields are zeroed. The
 *  payload is not zeroed, because the sender's host DMA writes the payload
 *  before any component reads it. If the arena is full, the function ends the
 *  run. */
gms_packet_t *gms_packet_create(gms_ctx_t *ctx, uint32_t length);
/** Create a packet without a payload buffer, for data that are read ahead. */
gms_packet_t *gms_packet_create_bare(gms_ctx_t *ctx, uint32_t length);
void gms_packet_destroy(gms_ctx_t *ctx, gms_packet_t *packet);

static inline int gms_packet_is_control(const gms_packet_t *packet)
{
    return packet->header.type >= GMS_PACKET_ACK;
}

/** If other packets may share a packet's data, make a private copy for the
 *  packet. */
void gms_packet_settle(gms_ctx_t *ctx, gms_packet_t *packet);

/** Copy a packet in flight that the fabric duplicates. */
gms_packet_t *gms_packet_clone(gms_ctx_t *ctx, const gms_packet_t *packet);
/** Damage a packet in the same manner as a fault on the wire. The function
 *  flips one bit of the header or its CRC-8, one bit of the payload or its
 *  CRC-32, or one bit of each.
 *  @param [in] header, payload  1: damage this part
 *  @param [in] random           selects the bits */
void gms_packet_damage(gms_packet_t *packet, int header, int payload,
                       uint64_t random);

/** Attribute the time since the last call for this packet to a station of the
 *  packet's path. */
void gms_packet_charge(gms_packet_t *packet, gms_time_t *station_ps,
                       gms_time_t now_ps);

/** Compute (gms_packet_seal()) or check (gms_packet_check()) the CRCs of header
 *  and payload. */
void gms_packet_seal(gms_packet_t *packet);
enum gms_packet_state gms_packet_check(const gms_packet_t *packet);

#endif
