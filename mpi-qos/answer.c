/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fills the answer fields of an MPIQOS_Flow and composes its sentence `reason`.
 */
#include "answer.h"
#include "base/bandwidth.h"
#include "base/denial.h"
#include "yaml/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double mpiqos_mb(double bytes_s)
{
    return bytes_s / 1e6;
}

void mpiqos_flow_answer(MPIQOS_Flow *flow, int state, const char *reason)
{
    flow->state = state;
    flow->granted_bandwidth = 0.0;
    flow->gm_bandwidth = 0.0;
    flow->idt_ticks = 0;
    flow->criterion = MPIQOS_CRITERION_NONE;
    flow->place[0] = '\0';
    flow->left = 0.0;
    flow->latency = 0.0;
    flow->delay_bound = 0.0;
    flow->jitter_bound = 0.0;
    flow->worst_delay = 0.0;
    flow->declared_only = 0;
    snprintf(flow->reason, sizeof(flow->reason), "%s", reason);
}

static mpiqos_bounds_t mpiqos_gm_bounds(const mpiqos_hold_t *hold)
{
    return (mpiqos_bounds_t){
        .latency = hold->answer.latency_s,
        .delay = hold->answer.delay_s,
        .jitter = hold->answer.jitter_s,
        .worst_delay = hold->cost.is_eager ? hold->answer.worst_delay_s
                                           : hold->answer.worst_exchange_s,
        .reverse = hold->answer.reverse_delay_s,
        .reservations = mpiqos_record_most(),
    };
}

void mpiqos_hold_bounds(const mpiqos_hold_t *hold, mpiqos_bounds_t *bounds_p)
{
    const mpiqos_bounds_t gm = mpiqos_gm_bounds(hold);

    mpiqos_translate_bounds(&gm, hold->answer.idt_ticks, hold->burst,
                            &hold->cost, bounds_p);
}

const char *mpiqos_hold_no_bound(const mpiqos_hold_t *hold)
{
    const mpiqos_bounds_t gm = mpiqos_gm_bounds(hold);

    return mpiqos_no_bound(&gm, hold->answer.idt_ticks, hold->burst,
                           &hold->cost);
}

static double mpiqos_largest(int is_first, double before, double one)
{
    if (is_first) {
        return one;
    }
    return (before > 0.0 && one > 0.0) ? fmax(before, one) : 0.0;
}

/* Merge the bounds of one peer into the answer. The answer shows the largest
 * bound of all peers. If the bound of one peer is unknown, the result for all
 * peers is 0 (no bound). */
static void mpiqos_show_bounds(const mpiqos_hold_t *hold, int is_first,
                               MPIQOS_Flow *flow)
{
    mpiqos_bounds_t bounds;

    mpiqos_hold_bounds(hold, &bounds);
    flow->latency = mpiqos_largest(is_first, flow->latency, bounds.latency);
    flow->delay_bound =
        mpiqos_largest(is_first, flow->delay_bound, bounds.delay);
    flow->jitter_bound =
        mpiqos_largest(is_first, flow->jitter_bound, bounds.jitter);
    flow->worst_delay = fmax(flow->worst_delay, bounds.worst_delay);
}

/* Return the granted bandwidth of a reservation. The IDT can be shorter than
 * this bandwidth requires, because the flow must also receive its bandwidth in
 * short intervals. The granted bandwidth of a best-effort flow is the bandwidth
 * that its IDT permits. */
static double mpiqos_granted(const mpiqos_hold_t *hold, int qos_class)
{
    unsigned idt_ticks = hold->answer.idt_ticks;

    if (qos_class == MPIQOS_PREMIUM && hold->answer.gm_bandwidth > 0) {
        idt_ticks = mpiqos_idt(hold->answer.gm_bandwidth, &hold->cost);
    }
    return mpiqos_bandwidth_of_idt(idt_ticks, &hold->cost);
}

/* Set the numeric fields of the answer. If the record holds several flows, the
 * slowest flow determines these fields. */
void mpiqos_show_holds(const mpiqos_record_t *record, MPIQOS_Flow *flow)
{
    const mpiqos_hold_t *slowest = NULL;

    for (int i = 0; i < record->hold_count; ++i) {
        const mpiqos_hold_t *hold = &record->holds[i];

        if (hold->part != record->held_part) {
            continue;
        }
        mpiqos_show_bounds(hold, slowest == NULL, flow);
        flow->declared_only |= hold->answer.declared_only;
        if (slowest == NULL ||
            hold->answer.idt_ticks > slowest->answer.idt_ticks) {
            slowest = hold;
        }
    }
    if (slowest != NULL) {
        flow->idt_ticks = slowest->answer.idt_ticks;
        flow->gm_bandwidth = slowest->answer.gm_bandwidth;
        flow->granted_bandwidth = mpiqos_granted(slowest, flow->qos_class);
    }
}

void mpiqos_describe_peer(const MPIQOS_Flow *flow, char *text, size_t size)
{
    if (flow->peer == MPIQOS_ALL_PEERS) {
        snprintf(text, size, "every other rank");
    } else {
        snprintf(text, size, "rank %d", flow->peer);
    }
}

/* Append the bounds that the program has requested to the reason. */
static void mpiqos_add_bounds(MPIQOS_Flow *flow)
{
    size_t length = strlen(flow->reason);
    char text[MPIQOS_QUANTITY_LEN];

    if (flow->delay > 0.0 && flow->delay_bound > 0.0) {
        mpiqos_quantity_time(flow->delay_bound, text);
        length += (size_t)snprintf(&flow->reason[length],
                                   sizeof(flow->reason) - length,
                                   ", delay at most %s", text);
    }
    if (flow->jitter > 0.0 && flow->jitter_bound > 0.0) {
        mpiqos_quantity_time(flow->jitter_bound, text);
        (void)snprintf(&flow->reason[length], sizeof(flow->reason) - length,
                       ", jitter at most %s", text);
    }
}

/* If undeclared traffic can break a granted guarantee, append a warning to the
 * reason. */
static void mpiqos_add_limits(MPIQOS_Flow *flow)
{
    size_t length = strlen(flow->reason);

    if (flow->declared_only) {
        (void)snprintf(&flow->reason[length], sizeof(flow->reason) - length,
                       "; the guarantee holds only against declared traffic "
                       "(undeclared: free)");
    }
}

void mpiqos_answer_granted(const mpiqos_record_t *record, MPIQOS_Flow *flow)
{
    char peer[32], granted[GMS_BANDWIDTH_LEN];

    mpiqos_flow_answer(flow, MPIQOS_GRANTED, "");
    mpiqos_record_count(record);
    mpiqos_show_holds(record, flow);
    mpiqos_describe_peer(flow, peer, sizeof(peer));
    if (flow->idt_ticks == 0) {
        snprintf(flow->reason, sizeof(flow->reason),
                 "currently no rate limit to %s (%s)", peer,
                 MPIQOS_Class_name(flow->qos_class));
    } else {
        /* All reservations of a record use NICs with the same clock. */
        double idt_us =
            1e6 * mpiqos_idt_time(flow->idt_ticks, &record->holds[0].cost);

        gms_bandwidth_print(mpiqos_mb(flow->granted_bandwidth), granted);
        snprintf(flow->reason, sizeof(flow->reason),
                 "%s MB/s to %s (%s, one packet every %.*f us)", granted, peer,
                 MPIQOS_Class_name(flow->qos_class), (idt_us < 10) ? 3 : 1,
                 idt_us);
    }
    mpiqos_add_bounds(flow);
    mpiqos_add_limits(flow);
}

/* Compose the sentence for a delay or jitter that cannot be guaranteed. */
static void mpiqos_describe_bound(MPIQOS_Flow *flow, const char *asked,
                                  double asked_time, double least)
{
    const char *what = MPIQOS_Criterion_name(flow->criterion);
    char wanted[MPIQOS_QUANTITY_LEN], best[MPIQOS_QUANTITY_LEN];
    char bandwidth[GMS_BANDWIDTH_LEN], left[GMS_BANDWIDTH_LEN];
    char largest[96] = "";

    gms_bandwidth_print(mpiqos_mb(flow->bandwidth), bandwidth);
    if (flow->left > 0.0) {
        gms_bandwidth_print(gms_bandwidth_left_mb(flow->left), left);
        snprintf(largest, sizeof(largest), "; at most %s MB/s would be granted",
                 left);
    }
    if (least > 0.0) {
        mpiqos_quantity_time(asked_time, wanted);
        mpiqos_quantity_time(least, best);
        snprintf(flow->reason, sizeof(flow->reason),
                 "requested a %s of at most %s to %s, but the smallest %s that "
                 "can be guaranteed is %s",
                 what, wanted, asked, what, best);
    } else if (flow->place[0] == '\0') {
        mpiqos_quantity_time(asked_time, wanted);
        snprintf(
            flow->reason, sizeof(flow->reason),
            "requested a %s of at most %s to %s, but " GMS_DENIAL_NO_BOUNDS,
            what, wanted, asked);
    } else {
        snprintf(flow->reason, sizeof(flow->reason),
                 "%s MB/s to %s would break the guaranteed %s of another "
                 "reservation (%s)%s",
                 bandwidth, asked, what, flow->place, largest);
    }
}

/* Compose the sentence of a denial; the wording depends on the criterion. */
static void mpiqos_describe_denial(MPIQOS_Flow *flow, int peer)
{
    const char *criterion = MPIQOS_Criterion_name(flow->criterion);
    char asked[32], bandwidth[GMS_BANDWIDTH_LEN], left[GMS_BANDWIDTH_LEN];

    mpiqos_describe_peer(flow, asked, sizeof(asked));
    gms_bandwidth_print(mpiqos_mb(flow->bandwidth), bandwidth);
    gms_bandwidth_print(gms_bandwidth_left_mb(flow->left), left);
    if (flow->qos_class == MPIQOS_BEST_EFFORT) {
        snprintf(flow->reason, sizeof(flow->reason),
                 "another best-effort flow, to rank %d, would leave the %s "
                 "(%s) unable to keep its reservations",
                 peer, criterion, flow->place);
    } else if (flow->criterion == MPIQOS_CRITERION_DELAY) {
        mpiqos_describe_bound(flow, asked, flow->delay, flow->delay_bound);
    } else if (flow->criterion == MPIQOS_CRITERION_JITTER) {
        mpiqos_describe_bound(flow, asked, flow->jitter, flow->jitter_bound);
    } else if (flow->criterion == MPIQOS_CRITERION_LATENCY) {
        snprintf(flow->reason, sizeof(flow->reason),
                 "with %s MB/s to %s, a reservation (%.40s) could receive less "
                 "than 99.5 %% of its bandwidth within 100 ms or 400 packets; "
                 "at most %s MB/s would be granted",
                 bandwidth, asked, flow->place, left);
    } else if (flow->criterion == MPIQOS_CRITERION_BUFFER &&
               !(flow->left > 0.0)) {
        snprintf(flow->reason, sizeof(flow->reason),
                 "requested %s MB/s to %s, but other reservations fill the "
                 "packet buffers at the end of the link from %s; reduce or "
                 "release one of them",
                 bandwidth, asked, flow->place);
    } else if (flow->criterion == MPIQOS_CRITERION_BUFFER) {
        snprintf(
            flow->reason, sizeof(flow->reason),
            "requested %s MB/s to %s, but the packet buffers at the end of "
            "the link from %s allow only %s MB/s in messages of %ld bytes",
            bandwidth, asked, flow->place, left, flow->message_size);
    } else {
        snprintf(flow->reason, sizeof(flow->reason),
                 "requested %s MB/s to %s, but the %s (%s) has only %s MB/s "
                 "left for messages of %ld bytes",
                 bandwidth, asked, criterion, flow->place, left,
                 flow->message_size);
    }
}

static void mpiqos_append_reason(MPIQOS_Flow *flow, const char *text)
{
    size_t length = strlen(flow->reason);

    snprintf(&flow->reason[length], sizeof(flow->reason) - length, "%s", text);
}

/* Set the answer's field for the smallest bound that would be granted,
 * converted to a bound for MPI messages. */
static void mpiqos_show_least(const mpiqos_hold_t *denied, MPIQOS_Flow *flow)
{
    mpiqos_bounds_t least;

    flow->latency = flow->delay_bound = flow->jitter_bound = 0.0;
    mpiqos_hold_bounds(denied, &least);
    if (flow->criterion == MPIQOS_CRITERION_DELAY) {
        flow->delay_bound = least.delay;
    } else if (flow->criterion == MPIQOS_CRITERION_JITTER) {
        flow->jitter_bound = least.jitter;
    }
}

void mpiqos_answer_denied(mpiqos_record_t *record, const mpiqos_hold_t *denied,
                          const char *place, double left)
{
    MPIQOS_Flow *flow = &record->flow;
    char whom[32];

    mpiqos_flow_answer(flow, MPIQOS_DENIED, "");
    mpiqos_show_holds(record, flow);
    flow->criterion = denied->answer.criterion;
    flow->left = left;
    snprintf(flow->place, sizeof(flow->place), "%s", place);
    if (flow->criterion == MPIQOS_CRITERION_DELAY ||
        flow->criterion == MPIQOS_CRITERION_JITTER) {
        mpiqos_show_least(denied, flow);
    }
    mpiqos_describe_denial(flow, denied->peer);
    if (flow->peer == MPIQOS_ALL_PEERS &&
        flow->qos_class != MPIQOS_BEST_EFFORT) {
        snprintf(whom, sizeof(whom), " (denied for rank %d)", denied->peer);
        mpiqos_append_reason(flow, whom);
    }
    if (record->hold_count > 0) {
        mpiqos_append_reason(flow, "; the former reservation stays in force");
    }
}

/* If several rules of a policy apply to the communicator, begin the reason with
 * the number of granted rules. */
void mpiqos_count_rules(const mpiqos_record_t *record, MPIQOS_Flow *flow)
{
    char reason[MPIQOS_REASON_LEN];
    unsigned granted = 0;

    if (record->parts == 0) {
        return;
    }
    for (unsigned i = 0; i <= record->parts; ++i) {
        granted += (record->asked[i].state == MPIQOS_GRANTED);
    }
    (void)snprintf(reason, sizeof(reason), "%s", flow->reason);
    (void)snprintf(flow->reason, sizeof(flow->reason),
                   "%u of %u rules granted; first rule%s: %.200s", granted,
                   record->parts + 1,
                   (granted <= record->parts) ? " not granted" : "", reason);
}
