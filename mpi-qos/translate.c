/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the formulas of translate.h for bandwidths, loads, bursts and
 * delay bounds. Numbers are rounded such that a granted bandwidth is never less
 * than the requested bandwidth.
 */
#include "translate.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

/* Rounding errors can make a quotient slightly less than the exact whole
 * number. Rounding such a quotient down would lose one tick. The tolerance of
 * one part in 10^9 is much larger than the rounding errors. The tolerance is
 * also much smaller than a tick, because the largest IDT is 10^6 ticks. */
#define MPIQOS_ROUNDING 1e-9
/* Number of answers that a reservation covers, divided by the number of
 * requested messages. A sender can send more messages than requested if the IDT
 * is rounded down to whole ticks, or if the manager shortens the IDT. [assumed:
 * an IDT is at most 6 % shorter than the bandwidth requires] */
#define MPIQOS_REVERSE_MARGIN 1.06

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
    /* The number of messages does not increase if a request is raised to
     * least_gm. The costs of the messages are therefore computed from the
     * original request. */
    need_p->reverse_bytes_s =
        MPIQOS_REVERSE_MARGIN * messages_s * (double)cost->reverse_bytes;
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

double mpiqos_largest_request(double gm_left_bytes_s, const mpiqos_cost_t *cost)
{
    return gms_bandwidth_request(gm_left_bytes_s, cost->idt_product,
                                 mpiqos_payload_part(cost));
}

double mpiqos_process_request(double gm_left_bytes_s, const mpiqos_cost_t *cost)
{
    return gms_bandwidth_process_request(gm_left_bytes_s, cost->idt_product,
                                         mpiqos_payload_part(cost));
}

/* --- bounds ---------------------------------------------------------------*/

/* The shortest time that can be requested is 10 ns, because the managers'
 * messages have this resolution. */
#define MPIQOS_LEAST_TIME 1e-8

static double mpiqos_process_seconds(const mpiqos_cost_t *cost)
{
    return cost->sender_seconds + cost->receiver_seconds;
}

static unsigned mpiqos_whole_bytes(double bytes)
{
    return (bytes < (double)UINT_MAX) ? (unsigned)bytes : UINT_MAX;
}

static double mpiqos_burst_messages(long burst_bytes, const mpiqos_cost_t *cost)
{
    return fmax(ceil((double)burst_bytes / cost->message_bytes), 1.0);
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
    double messages = mpiqos_burst_messages(burst_bytes, cost);

    need_p->message_bytes =
        mpiqos_whole_bytes(cost->longest_packets * cost->packet_bytes);
    need_p->burst_bytes =
        mpiqos_whole_bytes(messages * cost->flow_packets * cost->packet_bytes);
    need_p->delay_s = mpiqos_gm_time(delay_s, cost);
    need_p->jitter_s = mpiqos_gm_time(jitter_s, cost);
}

static double mpiqos_mpi_time(double gm_s, const mpiqos_cost_t *cost)
{
    return (gm_s > 0.0) ? gm_s + mpiqos_process_seconds(cost) : 0.0;
}

double mpiqos_idt_time(unsigned idt_ticks, const mpiqos_cost_t *cost)
{
    return cost->packet_bytes * (double)idt_ticks / cost->idt_product;
}

/* Return a GM delay minus the IDTs of all packets of a burst except the
 * first. */
static double mpiqos_path_time(double gm_s, double idt_s, double messages,
                               const mpiqos_cost_t *cost)
{
    return fmax(gm_s - (messages * cost->flow_packets - 1.0) * idt_s, 0.0);
}

const char *mpiqos_no_bound(const mpiqos_bounds_t *gm, unsigned idt_ticks,
                            long burst_bytes, const mpiqos_cost_t *cost)
{
    double idt_s = mpiqos_idt_time(idt_ticks, cost);
    double messages = mpiqos_burst_messages(burst_bytes, cost);

    if (!(gm->delay > 0.0)) {
        return "the manager computes no delays on this cluster";
    }
    if (cost->is_eager) {
        return NULL;
    }
    if (!(gm->reverse > 0.0)) {
        return "the delay of the receiver's answers is unknown";
    }
    if (gm->reservations > MPIQOS_RENDEZVOUS_RESERVATIONS) {
        return "the sender has held more than seven reservations at once";
    }
    if (messages > (double)cost->answers_ahead) {
        return "the burst contains more messages than the receiver can answer "
               "at once";
    }
    if (cost->longest_packets * idt_s <
        mpiqos_path_time(gm->delay, idt_s, messages, cost) + gm->reverse +
            cost->sender_seconds) {
        return "the bandwidth or the load is so high that the NIC may send a "
               "message before the sender learns that the previous message "
               "has arrived";
    }
    return NULL;
}

/* See translate.h for the formula. */
static double mpiqos_rendezvous_delay(const mpiqos_bounds_t *gm, double idt_s,
                                      double messages,
                                      const mpiqos_cost_t *cost)
{
    double process_s = mpiqos_process_seconds(cost);
    double path_s = mpiqos_path_time(gm->delay, idt_s, messages, cost);
    double packets = cost->flow_packets;
    double message_s = packets * idt_s;
    double growth = packets / (packets - 1.0);
    double ahead = cost->puts_ahead * (cost->longest_packets + 1.0);
    double announced_s = growth * (path_s + (ahead + messages + 1.0) * idt_s);
    double answered_s = process_s + gm->reverse + (messages - 1.0) * message_s;

    return process_s + growth * (path_s + idt_s + messages * message_s +
                                 announced_s + answered_s);
}

/* The measured delay begins with the call of the send function. Therefore, only
 * the receiver's time must be added to the measured delay. */
static void mpiqos_rendezvous_bounds(const mpiqos_bounds_t *gm,
                                     unsigned idt_ticks, long burst_bytes,
                                     const mpiqos_cost_t *cost,
                                     mpiqos_bounds_t *bounds_p)
{
    if (gm->worst_delay > 0.0) {
        bounds_p->worst_delay = gm->worst_delay + cost->receiver_seconds;
    }
    if (mpiqos_no_bound(gm, idt_ticks, burst_bytes, cost) != NULL) {
        return;
    }
    bounds_p->delay =
        mpiqos_rendezvous_delay(gm, mpiqos_idt_time(idt_ticks, cost),
                                mpiqos_burst_messages(burst_bytes, cost), cost);
    bounds_p->jitter = bounds_p->delay - fmax(gm->delay - gm->jitter, 0.0);
}

void mpiqos_translate_bounds(const mpiqos_bounds_t *gm, unsigned idt_ticks,
                             long burst_bytes, const mpiqos_cost_t *cost,
                             mpiqos_bounds_t *bounds_p)
{
    *bounds_p = (mpiqos_bounds_t){0};
    if (!cost->is_eager) {
        mpiqos_rendezvous_bounds(gm, idt_ticks, burst_bytes, cost, bounds_p);
        return;
    }
    if (gm->latency > 0.0 && idt_ticks > 0) {
        bounds_p->latency =
            mpiqos_mpi_time(gm->latency, cost) +
            cost->message_bytes / mpiqos_bandwidth_of_idt(idt_ticks, cost);
    }
    bounds_p->delay = mpiqos_mpi_time(gm->delay, cost);
    bounds_p->jitter = mpiqos_mpi_time(gm->jitter, cost);
    bounds_p->worst_delay = mpiqos_mpi_time(gm->worst_delay, cost);
}
