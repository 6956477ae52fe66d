/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Injects faults into packets. A real fabric produces such faults only if its
 * hardware is broken. When a packet enters the fabric, its faults are drawn
 * from a random stream of its source node. Runs are therefore exactly
 * reproducible. Links fail at configured times and at random times.
 *
 * If a link breaks while a packet holds it, the effect depends on the position
 * of the packet's head. If the head has reached the last link, the packet
 * arrives truncated, with a damaged header. Otherwise the packet is lost.
 */
#ifndef FABRIC_FAULT_H
#define FABRIC_FAULT_H

#include <stdint.h>

#include "engine/engine.h"

typedef struct gms_fabric gms_fabric_t;

/** Probabilities for each packet, in parts per million. */
typedef struct gms_fault_rates {
    uint32_t drop_ppm;           /* the packet leaves its source and never
                                  * arrives */
    uint32_t damage_header_ppm;  /* a bit of the header flips */
    uint32_t damage_payload_ppm; /* a bit of the payload flips */
    uint32_t duplicate_ppm;      /* the packet arrives twice */
    uint32_t delay_ppm;          /* the packet arrives at the NIC later */
    uint32_t delay_max_us;       /* maximum delay; delays are uniformly
                                  * distributed */
} gms_fault_rates_t;

/** Numbers of faults injected since the start of the run. */
typedef struct gms_fault_counts {
    uint64_t dropped, damaged_header, damaged_payload, duplicated, delayed;
    uint64_t links_down;   /* number of times that a directed link was taken
                            * down */
    uint64_t lost_on_link; /* number of packets that were lost completely on a
                            * link that was down */
    uint64_t cut_short;    /* number of packets that were damaged by a link that
                            * was down */
} gms_fault_counts_t;

/** Change the rates of random faults. The rates apply from now on. */
void gms_fabric_set_fault_rates(gms_fabric_t *fabric,
                                const gms_fault_rates_t *rates);
/** Suspend random faults, including outages, until a time, or permanently with
 *  GMS_NEVER. */
void gms_fabric_calm(gms_fabric_t *fabric, gms_time_t until_ps);
/** Take a link down from now until a time, or permanently with GMS_NEVER. If
 *  outages of the same link overlap, the link remains down until the last
 *  outage ends. */
void gms_fabric_link_down(gms_ctx_t *ctx, gms_fabric_t *fabric, uint32_t link,
                          gms_time_t until_ps);
/** Take both links of a node down. */
void gms_fabric_node_down(gms_ctx_t *ctx, gms_fabric_t *fabric, unsigned node,
                          gms_time_t until_ps);
/** Return the link that leads out of a node, or the link that leads into the
 *  node. */
uint32_t gms_fabric_link_of(const gms_fabric_t *fabric, unsigned node,
                            int into_node);
const gms_fault_counts_t *gms_fabric_fault_counts(const gms_fabric_t *fabric);

#endif
