/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the policy Self-Tuned [source: Thottethodi, Lebeck and Mukherjee
 * 2001]. Once per gather_cycles cycles, a side band samples the number of full
 * buffers in the network and the number of delivered flits. The side band also
 * takes gather_cycles cycles to sum up the numbers of all nodes. The nodes
 * therefore know a sample one period later:
 *
 *   cycle       0        g        2g       3g
 *   sampled     full 0   full 1   full 2   full 3
 *   known                full 0   full 1   full 2  -> extrapolated in between
 *
 * A node admits no message while the number of full buffers, extrapolated from
 * the last two known samples, is above the threshold. After every tune_gathers
 * samples, the threshold changes according to this table:
 *
 *   throughput          throttling now   not throttling
 *   drops by > 25 %     decrement        decrement
 *   does not            increment        unchanged
 *
 * Another rule prevents the threshold from remaining at a local maximum. If the
 * throughput is far below the best throughput so far, the policy restores the
 * threshold that was in force at the best throughput. If this threshold exceeds
 * the number of buffers that were full at that time, the policy sets the
 * threshold to that number instead. If the throughput remains far below the
 * best throughput for some periods, the traffic has probably changed, and the
 * policy forgets the best throughput.
 */
#include "hcasim/congestion_int.h"

#include <stdlib.h>

/* [source: Thottethodi et al. 2001: 1 % and 4 % of all buffers, 25 %] */
#define GMS_TUNE_INCREMENT 0.01
#define GMS_TUNE_DECREMENT 0.04
#define GMS_TUNE_DROP      0.25
/* [assumed: a throughput below this fraction of the best throughput is
 * "significantly" lower. The second number is the paper's r = 5: after this
 * number of consecutive low periods, the policy forgets the best throughput] */
#define GMS_TUNE_FAR    0.5
#define GMS_TUNE_RESETS 5u

/* ---- the tuning --------------------------------------------------------- */

double gms_congestion_tuner_estimate(const gms_congestion_tuner_t *tuner,
                                     unsigned gather_cycles, uint64_t cycle)
{
    double slope = (tuner->full[1] - tuner->full[2]) / gather_cycles;
    uint64_t age = cycle - tuner->gather_cycle + gather_cycles;
    double estimate = tuner->full[1] + slope * (double)age;

    return estimate > 0 ? estimate : 0;
}

static void gms_tuner_move(gms_congestion_tuner_t *tuner, double part)
{
    double threshold = tuner->threshold + part * tuner->buffers;

    tuner->threshold = threshold < 0                ? 0
                       : threshold > tuner->buffers ? tuner->buffers
                                                    : threshold;
}

static void gms_tuner_remember(gms_congestion_tuner_t *tuner, double flits,
                               double estimate)
{
    tuner->best = flits;
    tuner->best_threshold = tuner->threshold;
    tuner->best_full = estimate;
    tuner->resets = 0;
}

/* Restores the threshold of the best throughput if the current throughput is
 * far below the best. @return 1 if the function has set the threshold */
static int gms_tuner_goes_back(gms_congestion_tuner_t *tuner, double flits,
                               double estimate)
{
    if (flits >= GMS_TUNE_FAR * tuner->best) {
        tuner->resets = 0;
        return 0;
    }
    if (++tuner->resets > GMS_TUNE_RESETS) {
        gms_tuner_remember(tuner, flits, estimate);
        return 0;
    }
    tuner->threshold = tuner->best_threshold < tuner->best_full
                           ? tuner->best_threshold
                           : tuner->best_full;
    return 1;
}

void gms_congestion_tuner_tune(gms_congestion_tuner_t *tuner, double flits,
                               double estimate)
{
    int drops = flits < (1 - GMS_TUNE_DROP) * tuner->throughput;

    if (flits > tuner->best) {
        gms_tuner_remember(tuner, flits, estimate);
    }
    if (!gms_tuner_goes_back(tuner, flits, estimate)) {
        if (drops) {
            gms_tuner_move(tuner, -GMS_TUNE_DECREMENT);
        } else if (estimate > tuner->threshold) {
            gms_tuner_move(tuner, GMS_TUNE_INCREMENT);
        }
    }
    tuner->throughput = flits;
}

/* ---- the side band ------------------------------------------------------ */

static double gms_self_tuned_full(const gms_congestion_t *congestion)
{
    uint64_t full = gms_flit_full_buffers(congestion->net);
    uint32_t node;

    for (node = 0; node < congestion->nodes; ++node) {
        full += gms_congestion_lanes_full(congestion, node);
    }
    return (double)full;
}

/* Returns the number of flits that the links into the nodes have delivered
 * since the start. */
static double gms_self_tuned_delivered(const gms_congestion_t *congestion)
{
    const gms_topology_t *topology = gms_flit_topology(congestion->net);
    uint64_t flits = 0;
    uint32_t node;

    for (node = 0; node < congestion->nodes; ++node) {
        flits += gms_flit_link_flits(congestion->net,
                                     gms_topology_node_link(topology, node, 1));
    }
    return (double)flits;
}

static void gms_self_tuned_gather(gms_congestion_t *congestion)
{
    gms_congestion_tuner_t *tuner = congestion->tuner;
    unsigned cycles = congestion->config.gather_cycles;

    tuner->gather_cycle += cycles;
    tuner->full[2] = tuner->full[1];
    tuner->full[1] = tuner->full[0];
    tuner->full[0] = gms_self_tuned_full(congestion);
    tuner->flits[1] = tuner->flits[0];
    tuner->flits[0] = gms_self_tuned_delivered(congestion);
    if (++tuner->gathers == congestion->config.tune_gathers) {
        tuner->gathers = 0;
        gms_congestion_tuner_tune(
            tuner, tuner->flits[1] - tuner->period_flits,
            gms_congestion_tuner_estimate(tuner, cycles, tuner->gather_cycle));
        tuner->period_flits = tuner->flits[1];
    }
}

static uint64_t gms_self_tuned_next(const gms_congestion_t *congestion)
{
    return congestion->tuner->gather_cycle + congestion->config.gather_cycles;
}

static void gms_self_tuned_step(gms_congestion_t *congestion)
{
    while (gms_flit_now(congestion->net) >= gms_self_tuned_next(congestion)) {
        gms_self_tuned_gather(congestion);
    }
}

static int gms_self_tuned_may_enter(gms_congestion_t *congestion, uint32_t node,
                                    const gms_hca_message_t *message)
{
    const gms_congestion_tuner_t *tuner = congestion->tuner;

    return gms_congestion_tuner_estimate(
               tuner, congestion->config.gather_cycles,
               gms_flit_now(congestion->net)) <= tuner->threshold;
}

/* ---- creation and destruction ---- */

/* Returns the number of buffers: the data lanes of all links into switches and
 * of all HCAs. */
static double gms_self_tuned_buffers(const gms_congestion_t *congestion)
{
    const gms_topology_t *topology = gms_flit_topology(congestion->net);
    unsigned lanes = gms_congestion_lanes_of(congestion, GMS_LANE_REAL_TIME) +
                     gms_congestion_lanes_of(congestion, GMS_LANE_BEST_EFFORT);
    uint32_t link, count = gms_topology_link_count(topology);
    uint64_t buffers = (uint64_t)congestion->nodes * lanes;

    for (link = 0; link < count; ++link) {
        if (gms_topology_to(topology, link)->kind == GMS_END_SWITCH) {
            buffers += lanes;
        }
    }
    return (double)buffers;
}

static gms_status_t gms_self_tuned_create(gms_congestion_t *congestion,
                                          char error[GMS_TOPOLOGY_ERROR_LEN])
{
    gms_congestion_tuner_t *tuner = calloc(1, sizeof(*tuner));

    congestion->tuner = tuner;
    if (tuner == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    tuner->buffers = gms_self_tuned_buffers(congestion);
    tuner->threshold = congestion->config.tune_start * tuner->buffers;
    tuner->gather_cycle = gms_flit_now(congestion->net);
    tuner->flits[0] = gms_self_tuned_delivered(congestion);
    tuner->flits[1] = tuner->flits[0];
    tuner->period_flits = tuner->flits[0];
    return gms_congestion_lanes_create(congestion);
}

const gms_congestion_ops_t gms_congestion_self_tuned_ops = {
    .create = gms_self_tuned_create,
    .may_enter = gms_self_tuned_may_enter,
    .entered = gms_congestion_lanes_entered,
    .completed = gms_congestion_lanes_completed,
    .step = gms_self_tuned_step,
    .next = gms_self_tuned_next,
};
