/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Rate control of a flow by DCQCN, at the sender (the reaction point).
 *
 * A flow starts at the link rate, without a limit. When the sender receives a
 * congestion notification packet (CNP), it lowers the rate:
 *
 *   target = rate,  rate = rate * (1 - alpha / 2),  alpha = (1 - g) * alpha + g
 *
 * After every period of dcqcn_alpha_ps without a CNP, alpha = (1 - g) * alpha.
 * The rate increases
 * after every period of dcqcn_timer_ps, and after every dcqcn_counter_bytes
 * bytes. Let t be the number of these periods since the latest CNP, b the
 * number of these byte counts since then, and F the number of steps of fast
 * recovery:
 *
 *   max(t, b) < F   fast recovery
 *   min(t, b) > F   hyper increase: target += (min(t, b) - F) * R_HAI
 *   otherwise       additive increase: target += R_AI
 *   in all cases    rate = (target + rate) / 2
 *
 * The limit is lifted when the rate reaches the link rate.
 * [source: Zhu et al., Congestion Control for Large-Scale RDMA Deployments,
 * SIGCOMM 2015, 3.1 and figure 7; the factor of the hyper increase: IEEE
 * 802.1Qau]
 *
 * The state is updated only when it is used, because nothing else depends on
 * it. If the rate increases while a packet waits for its send time, the packet
 * is not sent earlier. [assumed: the rate applies from the next packet on]
 */
#ifndef NIC_DCQCN_H
#define NIC_DCQCN_H

#include "base/time.h"
#include "params/params.h"

/** The integer that represents alpha = 1. The product of alpha and a rate must
 *  fit into 64 bits. */
#define GMS_DCQCN_ONE (UINT32_C(1) << 24)

typedef struct gms_dcqcn {
    uint64_t rate, target;          /* bytes/s on the link, including headers */
    uint32_t alpha;                 /* in units of 1 / GMS_DCQCN_ONE */
    uint32_t periods, counters;     /* numbers of periods and byte counts
                                     * completed since the latest CNP */
    uint64_t counted_bytes;         /* bytes since `counters' last increased */
    gms_time_t period_ps, alpha_ps; /* start of the current periods */
    gms_time_t next_ps;             /* earliest time of the next packet */
    uint8_t is_limited;             /* 0: the flow has no limit */
} gms_dcqcn_t;

/** Start at the rate of the link, with alpha = 1. */
void gms_dcqcn_init(gms_dcqcn_t *dcqcn, const gms_params_t *params);
/** React to a CNP that has just arrived. */
void gms_dcqcn_notified(gms_dcqcn_t *dcqcn, const gms_params_t *params,
                        gms_time_t now_ps);
/** Update the state to the current time. */
void gms_dcqcn_advance(gms_dcqcn_t *dcqcn, const gms_params_t *params,
                       gms_time_t now_ps);
/** Record that a packet is being sent, and set the send time of the next
 *  packet. */
void gms_dcqcn_sent(gms_dcqcn_t *dcqcn, const gms_params_t *params,
                    uint64_t bytes, gms_time_t now_ps);

#endif
