/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements GM's zones (gm_zone_*). A zone divides memory of the program into
 * blocks of 2^n units by repeated halving. The zone's own data are in separate
 * memory for two reasons. A program that writes past the end of a block does
 * not destroy these data, and the zone's memory may belong to a device that the
 * processor should not read.
 *
 *                       1                  root: all units
 *               2               3
 *           4       5       6       7      leaves: one unit each
 *
 * room[i] is 1 + the order of the largest free block below node i, or 0 if
 * there is none. If the block of a node is allocated as a whole, the node's
 * value is 0, and the nodes below this node keep their values. The block of a
 * leaf is found by searching upwards for the first node with the value 0.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gm.h"

/* Size of a unit in bytes, which is the alignment that DMA requires. */
#define GMS_ZONE_UNIT GM_RDMA_GRANULARITY

struct gm_zone {
    uintptr_t base; /* start address that the program passed */
    gm_size_t length;
    uintptr_t start; /* address of the first unit */
    gm_size_t units;
    unsigned order; /* order of the root's block */
    unsigned char *room;
};

static unsigned char gms_zone_room_of_children(const struct gm_zone *zone,
                                               gm_size_t node,
                                               unsigned child_order)
{
    unsigned left = zone->room[2 * node];
    unsigned right = zone->room[2 * node + 1];

    if (left == child_order + 1 && right == child_order + 1) {
        return (unsigned char)(child_order + 2); /* the two free halves become
                                                  * one block again */
    }
    return (unsigned char)(left > right ? left : right);
}

/* Mark the units of the memory as free. Units beyond the end of the memory
 * remain allocated. */
static void gms_zone_fill(struct gm_zone *zone)
{
    gm_size_t leaves = (gm_size_t)1 << zone->order;
    gm_size_t node;
    unsigned order;

    memset(zone->room + leaves, 1, zone->units);
    for (order = 0; order < zone->order; ++order) {
        for (node = leaves >> (order + 1); node < leaves >> order; ++node) {
            zone->room[node] = gms_zone_room_of_children(zone, node, order);
        }
    }
}

struct gm_zone *gm_zone_create_zone(void *base, gm_size_t length)
{
    uintptr_t start = (uintptr_t)base;
    struct gm_zone *zone;
    gm_size_t skipped;

    skipped = (GMS_ZONE_UNIT - start % GMS_ZONE_UNIT) % GMS_ZONE_UNIT;
    if (base == NULL || length < skipped + GMS_ZONE_UNIT ||
        length > UINTPTR_MAX - start) {
        return NULL;
    }
    zone = malloc(sizeof(*zone));
    if (zone == NULL) {
        return NULL;
    }
    zone->base = start;
    zone->length = length;
    zone->start = start + skipped;
    zone->units = (length - skipped) / GMS_ZONE_UNIT;
    zone->order = (unsigned)gm_log2_roundup(zone->units);
    zone->room = calloc((gm_size_t)2 << zone->order, 1);
    if (zone->room == NULL) {
        free(zone);
        return NULL;
    }
    gms_zone_fill(zone);
    return zone;
}

void gm_zone_destroy_zone(struct gm_zone *zone)
{
    if (zone != NULL) {
        free(zone->room);
        free(zone);
    }
}

int gm_zone_addr_in_zone(struct gm_zone *zone, void *address)
{
    return zone != NULL && (uintptr_t)address >= zone->base &&
           (uintptr_t)address - zone->base < zone->length;
}

static uintptr_t gms_zone_address(const struct gm_zone *zone, gm_size_t node,
                                  unsigned order)
{
    gm_size_t first = (gm_size_t)1 << (zone->order - order);

    return zone->start + ((node - first) << order) * GMS_ZONE_UNIT;
}

/* Update all ancestors of a changed node. The order of the changed node is
 * `order`. */
static void gms_zone_update(struct gm_zone *zone, gm_size_t node,
                            unsigned order)
{
    for (node /= 2; node > 0; node /= 2, ++order) {
        zone->room[node] = gms_zone_room_of_children(zone, node, order);
    }
}

void *gm_zone_malloc(struct gm_zone *zone, gm_size_t length)
{
    gm_size_t node = 1;
    gm_size_t units = length / GMS_ZONE_UNIT + (length % GMS_ZONE_UNIT != 0);
    unsigned wanted = (unsigned)gm_log2_roundup(units);
    unsigned order;

    if (zone == NULL || zone->room[1] <= wanted) {
        return NULL;
    }
    for (order = zone->order; order > wanted; --order) {
        unsigned left = zone->room[2 * node];
        unsigned right = zone->room[2 * node + 1];

        /* Choose the side with less room, to preserve large blocks. If both
         * sides have the same room, choose the left side. */
        node *= 2;
        if (left <= wanted || (right > wanted && right < left)) {
            ++node;
        }
    }
    zone->room[node] = 0;
    gms_zone_update(zone, node, order);
    return (void *)gms_zone_address(zone, node, order);
}

void *gm_zone_calloc(struct gm_zone *zone, gm_size_t count, gm_size_t length)
{
    gm_size_t bytes;
    void *block;

    if (__builtin_mul_overflow(count, length, &bytes)) {
        return NULL;
    }
    block = gm_zone_malloc(zone, bytes);
    if (block != NULL) {
        memset(block, 0, bytes);
    }
    return block;
}

/* Return the node whose block contains this leaf, or 0 if the leaf is free. */
static gm_size_t gms_zone_node(const struct gm_zone *zone, gm_size_t leaf,
                               unsigned *order_p)
{
    gm_size_t node = leaf;

    *order_p = 0;
    while (node > 0 && zone->room[node] != 0) {
        node /= 2;
        ++*order_p;
    }
    return node;
}

void *gm_zone_free(struct gm_zone *zone, void *address)
{
    gm_size_t unit, node;
    unsigned order;

    if (!gm_zone_addr_in_zone(zone, address) ||
        (uintptr_t)address < zone->start) {
        return NULL;
    }
    unit = ((uintptr_t)address - zone->start) / GMS_ZONE_UNIT;
    if (unit >= zone->units) {
        return NULL;
    }
    node = gms_zone_node(zone, ((gm_size_t)1 << zone->order) + unit, &order);
    if (node == 0 ||
        gms_zone_address(zone, node, order) != (uintptr_t)address) {
        return NULL; /* the block at this address is already free, or the
                      * address is not the beginning of a block */
    }
    zone->room[node] = (unsigned char)(order + 1);
    gms_zone_update(zone, node, order);
    return address;
}
