/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates, copies and frees packets, and computes, checks and damages their
 * checksums (CRC-8 of the header, CRC-32 of the payload).
 */
#include "nic/packet.h"

#include <string.h>
#include <zlib.h>

#include "nic/alloc.h"

/* Generator polynomial of Myrinet's header CRC, x^8 + x^2 + x + 1, as in ATM.
 * [assumed: ANSI/VITA 26 was not available; any CRC-8 finds the same faults] */
#define GMS_CRC8_POLYNOMIAL 0x07u

gms_packet_t *gms_packet_create_bare(gms_ctx_t *ctx, uint32_t length)
{
    gms_packet_t *packet =
        gms_nic_alloc_raw(ctx, sizeof(*packet), sizeof(*packet));

    packet->header.length = length;
    packet->room = length;
    return packet;
}

gms_packet_t *gms_packet_create(gms_ctx_t *ctx, uint32_t length)
{
    gms_packet_t *packet =
        gms_nic_alloc_raw(ctx, sizeof(*packet) + length, sizeof(*packet));

    packet->header.length = length;
    packet->room = length;
    packet->data = packet->payload;
    return packet;
}

gms_packet_t *gms_packet_clone(gms_ctx_t *ctx, const gms_packet_t *packet)
{
    uint32_t room = packet->ahead != NULL ? 0 : packet->room;
    gms_packet_t *copy = gms_nic_alloc_raw(ctx, sizeof(*copy) + room, 0);

    memcpy(copy, packet, sizeof(*copy) + room);
    if (copy->ahead != NULL) {
        ++copy->ahead->users;
    } else {
        copy->data = copy->payload;
    }
    copy->worm.next = NULL;
    copy->next = NULL;
    copy->token = NULL;
    copy->seen = NULL;
    return copy;
}

void gms_packet_settle(gms_ctx_t *ctx, gms_packet_t *packet)
{
    const unsigned char *shared;
    gms_ahead_t *own;

    if (packet->ahead == NULL) {
        return;
    }
    own = gms_nic_alloc_raw(ctx, sizeof(*own) + packet->room, sizeof(*own));
    own->bytes = packet->room;
    own->users = 1;
    own->data = own->own;
    /* The receiver discards a packet whose bytes it already has. */
    shared = gms_ahead_at(packet->ahead, packet->offset);
    if (shared != NULL) {
        memcpy(own->own, shared, packet->room);
    } else {
        memset(own->own, 0, packet->room);
    }
    gms_ahead_drop(ctx, packet->ahead);
    packet->ahead = own;
    packet->offset = 0;
    packet->data = own->own;
}

void gms_packet_destroy(gms_ctx_t *ctx, gms_packet_t *packet)
{
    gms_ctx_detail_tracepoint(ctx, GMS_NIC_TRACEPOINT_GONE, packet);
    gms_ahead_drop(ctx, packet->ahead);
    gms_arena_free(ctx->arena, packet);
}

void gms_packet_charge(gms_packet_t *packet, gms_time_t *station_ps,
                       gms_time_t now_ps)
{
    *station_ps += now_ps - packet->mark_ps;
    packet->mark_ps = now_ps;
}

static uint8_t gms_packet_crc8(const gms_packet_header_t *header)
{
    const unsigned char *bytes = (const unsigned char *)header;
    unsigned crc = 0;
    size_t i;
    int bit;

    for (i = 0; i < sizeof(*header); ++i) {
        crc ^= bytes[i];
        for (bit = 0; bit < 8; ++bit) {
            crc = (crc << 1) ^ ((crc & 0x80) ? GMS_CRC8_POLYNOMIAL : 0);
        }
        crc &= 0xff;
    }
    return (uint8_t)crc;
}

static uint32_t gms_packet_crc32(const gms_packet_t *packet)
{
    return (uint32_t)crc32(0, packet->data, packet->header.length);
}

void gms_packet_seal(gms_packet_t *packet)
{
    packet->crc8 = gms_packet_crc8(&packet->header);
    packet->crc32 = gms_packet_crc32(packet);
}

enum gms_packet_state gms_packet_check(const gms_packet_t *packet)
{
    if (packet->crc8 != gms_packet_crc8(&packet->header) ||
        packet->header.length > packet->room) {
        return GMS_PACKET_BAD_HEADER;
    }
    return packet->crc32 == gms_packet_crc32(packet) ? GMS_PACKET_INTACT
                                                     : GMS_PACKET_BAD_PAYLOAD;
}

void gms_packet_damage(gms_packet_t *packet, int header, int payload,
                       uint64_t random)
{
    unsigned char *bytes = (unsigned char *)&packet->header;
    uint64_t bits = sizeof(packet->header) * 8, bit;

    if (header) {
        bit = (random >> 32) % (bits + 8);
        if (bit < bits) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        } else {
            packet->crc8 ^= (uint8_t)(1u << (bit - bits));
        }
    }
    if (payload) {
        bits = (uint64_t)packet->room * 8;
        bit = (random & UINT32_MAX) % (bits + 32);
        if (bit < bits) {
            packet->data[bit / 8] ^= (unsigned char)(1u << bit % 8);
        } else {
            packet->crc32 ^= UINT32_C(1) << (bit - bits);
        }
    }
}
