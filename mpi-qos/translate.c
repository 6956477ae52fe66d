/* SPDX-License-Identifier: BSD-3-Clause */
#include "translate.h"

#include <math.h>

/* A quotient that should be a whole number may come out just below it, and
 * would then lose a tick. One part in 10^9 is far above rounding and far below
 * a tick: the largest IDT is 10^6. */
#define MPIQOS_ROUNDING 1e-9
/* Of numbers in single precision, 6e-8 each. */
#define MPIQOS_SINGLE 1e-6

static double mpiqos_gm_per_mpi(const mpiqos_cost_t *cost)
{
    return (double)cost->flow_packets * cost->packet_bytes /
           cost->message_bytes;
}

double mpiqos_payload_part(const mpiqos_cost_t *cost)
{
    return 1 / mpiqos_gm_per_mpi(cost);
}

void mpiqos_translate(double bandwidth_bytes_s, const mpiqos_cost_t *cost,
                      mpiqos_need_t *need_p)
{
    double least_gm = cost->idt_product / (double)MPIQOS_MAX_IDT_TICKS;
    double gm = bandwidth_bytes_s * mpiqos_gm_per_mpi(cost);
    double messages_s = bandwidth_bytes_s / cost->message_bytes;

    need_p->gm_bytes_s = (gm < least_gm) ? least_gm : gm;
    /* The raised request still brings only the messages that were asked for,
     * so what comes with each message is that of the original one. */
    need_p->reverse_bytes_s = messages_s * (double)cost->reverse_bytes;
    need_p->sender_load = messages_s * cost->sender_seconds;
    need_p->receiver_load = messages_s * cost->receiver_seconds;
    need_p->payload_part = mpiqos_payload_part(cost);
}

unsigned mpiqos_idt(double gm_bytes_s, const mpiqos_cost_t *cost)
{
    double ticks = cost->idt_product / gm_bytes_s;

    if (ticks >= (double)MPIQOS_MAX_IDT_TICKS) {
        return MPIQOS_MAX_IDT_TICKS;
    }
    return (unsigned)floor(ticks * (1.0 + MPIQOS_ROUNDING));
}

double mpiqos_bandwidth_of_idt(unsigned idt_ticks, const mpiqos_cost_t *cost)
{
    if (idt_ticks == 0) {
        return 0.0;
    }
    return cost->idt_product / (double)idt_ticks / mpiqos_gm_per_mpi(cost);
}

double mpiqos_largest_request(double gm_left_bytes_s,
                              const mpiqos_cost_t *cost)
{
    /* The control traffic back is charged at the same nodes. */
    double share = cost->packet_bytes * (double)cost->flow_packets;
    double left = gm_left_bytes_s * share /
                  (share + (double)cost->reverse_bytes);
    double ticks;

    if (left <= 0.0) {
        return 0.0;
    }
    ticks = ceil(cost->idt_product / left * (1.0 - MPIQOS_ROUNDING));
    if (ticks > (double)MPIQOS_MAX_IDT_TICKS) {
        return 0.0;
    }
    /* A hair less, so that the way back through floor() ends on this tick. */
    return cost->idt_product / ticks / mpiqos_gm_per_mpi(cost) *
           (1.0 - MPIQOS_ROUNDING);
}

double mpiqos_process_request(double gm_left_bytes_s,
                              const mpiqos_cost_t *cost)
{
    double least_gm = cost->idt_product / (double)MPIQOS_MAX_IDT_TICKS;

    if (gm_left_bytes_s < least_gm) {
        return 0.0;
    }
    return gm_left_bytes_s * (1.0 - MPIQOS_SINGLE) / mpiqos_gm_per_mpi(cost);
}
