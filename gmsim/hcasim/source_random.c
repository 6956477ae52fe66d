/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the sources that create packets at random times: on-off, Poisson,
 * Bernoulli and control.
 */
#include <stdio.h>
#include <stdlib.h>

#include "hcasim/source_int.h"

/** Checks that the rate of the source does not exceed the rate of one link. */
static gms_status_t gms_source_check_rate(gms_source_t *source,
                                          char error[GMS_SOURCE_ERROR_LEN])
{
    double rate = source->config.rate;

    if (!(rate > 0 && rate <= 1)) {
        (void)snprintf(error, GMS_SOURCE_ERROR_LEN,
                       "rate %g of a %s source is invalid; allowed: above 0, "
                       "at most 1 flit per cycle",
                       rate, gms_source_kind_names[source->config.kind]);
        return GMS_ERR_CONFIG;
    }
    source->mean_rate = rate;
    source->gap = source->config.packet_flits / rate;
    return GMS_OK;
}

/* ---- poisson ---- */

static gms_status_t gms_source_poisson_init(gms_source_t *source,
                                            char error[GMS_SOURCE_ERROR_LEN])
{
    source->peak_rate = 1;
    return gms_source_check_rate(source, error);
}

static int gms_source_poisson_next(gms_source_t *source, gms_arrival_t *arrival)
{
    source->at += gms_source_exponential(source) * source->gap;
    arrival->cycle = gms_source_cycle(source, source->at);
    return 1;
}

const gms_source_ops_t gms_source_poisson_ops = {
    .init = gms_source_poisson_init,
    .next = gms_source_poisson_next,
};

/* ---- bernoulli ---- */

static gms_status_t gms_source_bernoulli_init(gms_source_t *source,
                                              char error[GMS_SOURCE_ERROR_LEN])
{
    gms_status_t status = gms_source_check_rate(source, error);

    source->peak_rate = 1;
    if (status == GMS_OK) {
        /* if every cycle has a packet, the logarithm is minus infinity and all
         * gaps are 0 */
        source->log_miss = log1p(-1 / source->gap);
        source->at = -1;
    }
    return status;
}

/** Draws the number of cycles without a packet before the next packet. The
 *  number is k with the probability (1 - p)^k p, where p is the probability of
 *  a packet in a cycle. */
static int gms_source_bernoulli_next(gms_source_t *source,
                                     gms_arrival_t *arrival)
{
    double misses =
        floor(log(gms_random_unit(&source->random)) / source->log_miss);

    source->at += misses + 1;
    arrival->cycle = gms_source_cycle(source, source->at);
    return 1;
}

const gms_source_ops_t gms_source_bernoulli_ops = {
    .init = gms_source_bernoulli_init,
    .next = gms_source_bernoulli_next,
};

/* ---- control ---- */

static gms_status_t gms_source_control_init(gms_source_t *source,
                                            char error[GMS_SOURCE_ERROR_LEN])
{
    gms_status_t status = gms_source_check_rate(source, error);

    source->peak_rate = 1;
    if (status == GMS_OK) {
        source->period = GMS_SOURCE_CONTROL_PACKETS * source->gap;
        source->period_start = -source->period;
        source->next_moment = GMS_SOURCE_CONTROL_PACKETS;
    }
    return status;
}

static int gms_source_compare_moments(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static int gms_source_control_next(gms_source_t *source, gms_arrival_t *arrival)
{
    unsigned i;

    if (source->next_moment == GMS_SOURCE_CONTROL_PACKETS) {
        source->period_start += source->period;
        for (i = 0; i < GMS_SOURCE_CONTROL_PACKETS; ++i) {
            /* the random number is in (0, 1], and the time must be less than
             * the period */
            source->moment[i] =
                (1 - gms_random_unit(&source->random)) * source->period;
        }
        qsort(source->moment, GMS_SOURCE_CONTROL_PACKETS,
              sizeof(source->moment[0]), gms_source_compare_moments);
        source->next_moment = 0;
    }
    source->at = source->period_start + source->moment[source->next_moment++];
    arrival->cycle = gms_source_cycle(source, source->at);
    return 1;
}

const gms_source_ops_t gms_source_control_ops = {
    .init = gms_source_control_init,
    .next = gms_source_control_next,
};

/* ---- on-off ---- */

static void gms_source_turn_on(gms_source_t *source)
{
    const gms_source_config_t *config = &source->config;

    source->at += gms_source_exponential(source) * config->off_cycles;
    source->on_left = gms_source_exponential(source) * config->on_cycles;
}

/** Draws the initial state. The probability that the source starts in an
 *  on-period is the long-term fraction of on-periods. The time until the first
 *  packet is a random fraction of the interval between packets. The mean rate
 *  therefore equals the requested rate from the start. */
static void gms_source_on_off_start(gms_source_t *source)
{
    const gms_source_config_t *config = &source->config;
    double cycle = config->on_cycles + config->off_cycles;

    source->gap = config->packet_flits / source->peak_rate;
    source->due = gms_random_unit(&source->random) * source->gap;
    if (gms_random_unit(&source->random) * cycle <= config->on_cycles) {
        source->on_left = gms_source_exponential(source) * config->on_cycles;
    } else {
        gms_source_turn_on(source);
    }
}

static gms_status_t gms_source_on_off_init(gms_source_t *source,
                                           char error[GMS_SOURCE_ERROR_LEN])
{
    const gms_source_config_t *config = &source->config;
    gms_status_t status = gms_source_check_rate(source, error);

    if (status != GMS_OK) {
        return status;
    }
    if (!(config->on_cycles > 0 && isfinite(config->on_cycles) &&
          config->off_cycles >= 0 && isfinite(config->off_cycles))) {
        (void)snprintf(error, GMS_SOURCE_ERROR_LEN,
                       "mean on and off periods of %g and %g cycles are "
                       "invalid; allowed: an on period above 0, and an off "
                       "period of 0 or more",
                       config->on_cycles, config->off_cycles);
        return GMS_ERR_CONFIG;
    }
    source->peak_rate = config->rate *
                        (config->on_cycles + config->off_cycles) /
                        config->on_cycles;
    if (source->peak_rate > 1) {
        (void)snprintf(
            error, GMS_SOURCE_ERROR_LEN,
            "rate %g with mean on and off periods of %g and %g cycles results "
            "in %g flits per cycle in an on period; allowed: at most 1",
            config->rate, config->on_cycles, config->off_cycles,
            source->peak_rate);
        return GMS_ERR_CONFIG;
    }
    gms_source_on_off_start(source);
    return GMS_OK;
}

/** Computes the time of the next packet. The interval between packets includes
 *  only the time in on-periods, so the mean rate does not depend on the length
 *  of the periods. */
static int gms_source_on_off_next(gms_source_t *source, gms_arrival_t *arrival)
{
    while (source->due > source->on_left) {
        source->due -= source->on_left;
        source->at += source->on_left;
        gms_source_turn_on(source);
    }
    source->at += source->due;
    source->on_left -= source->due;
    source->due = source->gap;
    arrival->cycle = gms_source_cycle(source, source->at);
    return 1;
}

const gms_source_ops_t gms_source_on_off_ops = {
    .init = gms_source_on_off_init,
    .next = gms_source_on_off_next,
};
