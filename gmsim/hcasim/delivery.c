/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes sums of latencies and throughput per class, and percentiles from a
 * histogram of latencies. The file delivery_frames.c checks the deadlines of
 * video frames.
 */
#include "hcasim/delivery.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/student.h"
#include "base/quantile.h"
#include "hcasim/delivery_int.h"

/* The histogram has 64 steps per power of two, and one step for each number
 * below 128. */
#define GMS_DELIVERY_STEP_BITS 6u
#define GMS_DELIVERY_STEPS     ((64u - GMS_DELIVERY_STEP_BITS + 1) * 64u)

typedef struct gms_delivery_sums {
    uint64_t packets, flits, dropped;
    /* number of flits that arrived after the warm-up, even if their packets
     * were created before its end */
    uint64_t arrived_flits;
    uint64_t latency, latency_max, queueing, network;
    uint64_t steps[GMS_DELIVERY_STEPS]; /* number of packets in each bin of
                                         * latencies */
} gms_delivery_sums_t;

struct gms_delivery {
    gms_delivery_config_t config;
    gms_delivery_sums_t sums[GMS_LANE_CLASSES];
    gms_delivery_frames_t frames;
};

gms_status_t gms_delivery_create(const gms_delivery_config_t *config,
                                 gms_delivery_t **delivery_p)
{
    gms_delivery_t *delivery;

    if (config->nodes < 1 || config->frame_cycles < 1 ||
        config->first > GMS_DELIVERY_FIRST_ARRIVED) {
        return GMS_ERR_INVALID_PARAM;
    }
    delivery = calloc(1, sizeof(*delivery));
    if (delivery == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    delivery->config = *config;
    delivery->frames.warm_up_cycles = config->warm_up_cycles;
    delivery->frames.frame_cycles = config->frame_cycles;
    delivery->frames.first = config->first;
    *delivery_p = delivery;
    return GMS_OK;
}

void gms_delivery_destroy(gms_delivery_t *delivery)
{
    if (delivery != NULL) {
        gms_delivery_frames_cleanup(&delivery->frames);
        free(delivery);
    }
}

/* ---- steps ---- */

static unsigned gms_delivery_step(uint64_t value)
{
    unsigned top = 63 - (unsigned)__builtin_clzll(value | 1);
    unsigned shift;

    if (top <= GMS_DELIVERY_STEP_BITS) {
        return (unsigned)value;
    }
    shift = top - GMS_DELIVERY_STEP_BITS;
    return (shift << GMS_DELIVERY_STEP_BITS) + (unsigned)(value >> shift);
}

/** Returns the latency in the middle of a histogram step. */
static double gms_delivery_step_value(unsigned step)
{
    unsigned shift = step >> GMS_DELIVERY_STEP_BITS;
    double low;

    if (shift < 2) {
        return step;
    }
    --shift;
    low = ldexp((double)(step - (shift << GMS_DELIVERY_STEP_BITS)), (int)shift);
    return low + (ldexp(1, (int)shift) - 1) / 2;
}

/** Returns the smallest latency that a given fraction of the packets does not
 * exceed. */
static double gms_delivery_percentile(const gms_delivery_sums_t *sums,
                                      double part)
{
    size_t step = gms_quantile_bin(sums->steps, sizeof(sums->steps[0]),
                                   GMS_DELIVERY_STEPS, part);

    return (step < GMS_DELIVERY_STEPS)
               ? fmin(gms_delivery_step_value((unsigned)step),
                      (double)sums->latency_max)
               : 0;
}

/* ---- packets ---- */

void gms_delivery_packet(gms_delivery_t *delivery,
                         const gms_delivered_t *packet)
{
    gms_delivery_sums_t *sums = &delivery->sums[packet->traffic_class];
    uint64_t latency = packet->arrive_cycle - packet->create_cycle;

    if (packet->arrive_cycle >= delivery->config.warm_up_cycles) {
        sums->arrived_flits += packet->flits;
    }
    if (packet->create_cycle < delivery->config.warm_up_cycles) {
        return;
    }
    ++sums->packets;
    sums->flits += packet->flits;
    sums->latency += latency;
    sums->queueing += packet->enter_cycle - packet->post_cycle;
    sums->network += packet->arrive_cycle - packet->enter_cycle;
    if (latency > sums->latency_max) {
        sums->latency_max = latency;
    }
    sums->steps[gms_delivery_step(latency)]++;
}

void gms_delivery_dropped(gms_delivery_t *delivery, unsigned traffic_class,
                          uint64_t create_cycle)
{
    if (create_cycle >= delivery->config.warm_up_cycles) {
        ++delivery->sums[traffic_class].dropped;
    }
}

gms_status_t gms_delivery_frame(gms_delivery_t *delivery, uint32_t stream,
                                uint32_t frame, uint32_t frame_rest,
                                uint64_t made_cycle, uint64_t cycle,
                                int is_lost)
{
    const gms_delivery_open_t packet = {.frame = frame,
                                        .most_rest = frame_rest,
                                        .made_cycle = made_cycle,
                                        .arrive_cycle = cycle};

    return gms_delivery_frames_add(&delivery->frames, stream, &packet, is_lost);
}

/* ---- results ---- */

static void gms_delivery_sums_add(gms_delivery_sums_t *all,
                                  const gms_delivery_sums_t *own)
{
    unsigned i;

    all->packets += own->packets;
    all->flits += own->flits;
    all->dropped += own->dropped;
    all->arrived_flits += own->arrived_flits;
    all->latency += own->latency;
    all->queueing += own->queueing;
    all->network += own->network;
    if (own->latency_max > all->latency_max) {
        all->latency_max = own->latency_max;
    }
    for (i = 0; i < GMS_DELIVERY_STEPS; ++i) {
        all->steps[i] += own->steps[i];
    }
}

static void gms_delivery_sums_result(const gms_delivery_sums_t *sums,
                                     double node_cycles,
                                     gms_delivery_class_t *traffic_class)
{
    double packets = (double)sums->packets;

    *traffic_class = (gms_delivery_class_t){.packets = sums->packets,
                                            .flits = sums->flits,
                                            .dropped = sums->dropped};
    if (node_cycles > 0) {
        traffic_class->throughput = (double)sums->arrived_flits / node_cycles;
    }
    if (sums->packets == 0) {
        return;
    }
    traffic_class->latency_mean = (double)sums->latency / packets;
    traffic_class->latency_p50 = gms_delivery_percentile(sums, 0.5);
    traffic_class->latency_p99 = gms_delivery_percentile(sums, 0.99);
    traffic_class->latency_max = (double)sums->latency_max;
    traffic_class->queueing_mean = (double)sums->queueing / packets;
    traffic_class->network_mean = (double)sums->network / packets;
}

void gms_delivery_result(const gms_delivery_t *delivery, uint64_t end_cycle,
                         gms_delivery_result_t *result)
{
    const gms_delivery_config_t *config = &delivery->config;
    gms_delivery_sums_t all;
    double node_cycles = 0;
    unsigned i;

    memset(result, 0, sizeof(*result));
    memset(&all, 0, sizeof(all));
    if (end_cycle > config->warm_up_cycles) {
        node_cycles =
            (double)(end_cycle - config->warm_up_cycles) * config->nodes;
    }
    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        gms_delivery_sums_add(&all, &delivery->sums[i]);
        gms_delivery_sums_result(&delivery->sums[i], node_cycles,
                                 &result->by_class[i]);
    }
    gms_delivery_sums_result(&all, node_cycles, &result->all);
    gms_delivery_frames_result(&delivery->frames, result);
}

void gms_delivery_interval(const double *values, unsigned count, double *mean_p,
                           double *half_width_p)
{
    double mean = 0, square = 0;
    unsigned i;

    for (i = 0; i < count; ++i) {
        mean += values[i] / count;
    }
    for (i = 0; i < count; ++i) {
        square += (values[i] - mean) * (values[i] - mean);
    }
    *mean_p = mean;
    *half_width_p = (count > 1) ? gms_student_95(count - 1) *
                                      sqrt(square / (count - 1) / count)
                                : 0;
}
