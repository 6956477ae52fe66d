/* SPDX-License-Identifier: BSD-3-Clause */
#include "translate.h"

#include <limits.h>
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

/* --- bounds ---------------------------------------------------------------*/

/* The shortest time that can be asked for, 10 ns: what the managers' messages
 * resolve. */
#define MPIQOS_LEAST_TIME 1e-8

static double mpiqos_process_seconds(const mpiqos_cost_t *cost)
{
    return cost->sender_seconds + cost->receiver_seconds;
}

static unsigned mpiqos_whole_bytes(double bytes)
{
    return (bytes < (double)UINT_MAX) ? (unsigned)bytes : UINT_MAX;
}

static double mpiqos_gm_time(double seconds, const mpiqos_cost_t *cost)
{
    if (!(seconds > 0.0)) {
        return 0.0;
    }
    return fmax(seconds - mpiqos_process_seconds(cost), MPIQOS_LEAST_TIME);
}

void mpiqos_translate_shape(long burst_bytes, double delay_s, double jitter_s,
                            const mpiqos_cost_t *cost, mpiqos_need_t *need_p)
{
    double messages = ceil((double)burst_bytes / cost->message_bytes);

    if (messages < 1.0) {
        messages = 1.0;
    }
    need_p->message_bytes =
        mpiqos_whole_bytes(cost->longest_packets * cost->packet_bytes);
    need_p->burst_bytes = mpiqos_whole_bytes(messages * cost->flow_packets *
                                             cost->packet_bytes);
    need_p->delay_s = mpiqos_gm_time(delay_s, cost);
    need_p->jitter_s = mpiqos_gm_time(jitter_s, cost);
}

static double mpiqos_mpi_time(double gm_s, const mpiqos_cost_t *cost)
{
    return (gm_s > 0.0) ? gm_s + mpiqos_process_seconds(cost) : 0.0;
}

void mpiqos_translate_bounds(const mpiqos_bounds_t *gm, unsigned idt_ticks,
                             const mpiqos_cost_t *cost,
                             mpiqos_bounds_t *bounds_p)
{
    *bounds_p = (mpiqos_bounds_t){0};
    if (!cost->is_eager) {
        return;
    }
    if ((gm->latency > 0.0) && (idt_ticks > 0)) {
        bounds_p->latency =
            mpiqos_mpi_time(gm->latency, cost) +
            cost->message_bytes / mpiqos_bandwidth_of_idt(idt_ticks, cost);
    }
    bounds_p->delay = mpiqos_mpi_time(gm->delay, cost);
    bounds_p->jitter = mpiqos_mpi_time(gm->jitter, cost);
    bounds_p->worst_delay = mpiqos_mpi_time(gm->worst_delay, cost);
}
