/* SPDX-License-Identifier: BSD-3-Clause */
/** Computes the times that packets need on links and in switches, for all
 *  fabric models. */
#ifndef FABRIC_LINK_TIME_H
#define FABRIC_LINK_TIME_H

#include "params/params.h"
#include "base/time.h"

/**
 * The fabric model worm uses the times of the parameters unchanged. The model
 * flit rounds all times to whole cycles. A cycle is the time to send flit_bits
 * at the rate link_bytes_s. Delays are rounded to the nearest whole number of
 * cycles. A link takes at least 1 cycle. A switch takes at least 2 cycles, one
 * for its crossbar and one for its output buffer.
 */
typedef struct gms_link_time {
    uint64_t bytes_s;
    gms_time_t propagation_ps; /* time that a head needs to cross a link */
    /* time that a head needs to pass through a switch and reach the next
     * link */
    gms_time_t routing_ps;
    gms_time_t cycle_ps; /* duration of a cycle in model flit; 0 in model
                          * worm */
    uint64_t flit_bits;
} gms_link_time_t;

void gms_link_time_init(gms_link_time_t *time, const gms_params_t *params);

/** Return the time from the first byte of a packet on a link to its last
 *  byte. */
static inline gms_time_t gms_link_stream_ps(const gms_link_time_t *time,
                                            uint64_t bytes)
{
    return time->cycle_ps == 0 ? gms_transfer_ps(bytes, time->bytes_s)
                               : (bytes * 8 + time->flit_bits - 1) /
                                     time->flit_bits * time->cycle_ps;
}

/** Return the first time, not before ps, at which a byte can enter a link. In
 *  model flit this is the beginning of a cycle. */
static inline gms_time_t gms_link_next_ps(const gms_link_time_t *time,
                                          gms_time_t ps)
{
    return time->cycle_ps == 0
               ? ps
               : (ps + time->cycle_ps - 1) / time->cycle_ps * time->cycle_ps;
}

#endif
