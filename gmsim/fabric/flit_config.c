/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets the defaults of the parameters of a flit network and checks their
 * values. This file also computes the number of cycles per hop and the lane
 * that is drawn for a packet.
 */
#include "fabric/flit_int.h"

#include <stdio.h>
#include <string.h>

/* The defaults for lanes, buffers and stages come from the paper [source: Yum
 * et al., sections 3.1, 3.3, 6.1]; the allocation of the crossbar is part of
 * stage 4. [assumed: 11 of 15 data lanes are for real time, a split that suits
 * a load with 80 % real-time traffic. Output buffers are as deep as input
 * buffers, because table 1 specifies a single size for both. Credits take one
 * cycle, like a flit on the link.] With N ports, more than log2(N) rounds
 * hardly improve the matching; 8 ports need 3 rounds [source: McKeown 1999,
 * iSLIP]. */
void gms_flit_config_init(gms_flit_config_t *config)
{
    memset(config, 0, sizeof(*config));
    config->lanes = GMS_LANES_MAX;
    gms_lane_plan_init(&config->plan, config->lanes, 11, 1, GMS_LANE_SMALL_FAST,
                       4);
    config->lane_choice = GMS_FLIT_LANES_FREE;
    config->buffer_flits = 10;
    config->output_flits = 10;
    config->input_cycles = 1;
    config->route_cycles = 1;
    config->lane_cycles = 1;
    config->switch_cycles = 0;
    config->crossbar_cycles = 1;
    config->output_cycles = 1;
    config->link_cycles = 1;
    config->credit_cycles = 1;
    config->match_rounds = 3;
    config->seed = 1;
}

typedef struct gms_flit_range {
    const char *name;
    unsigned value, min, max;
} gms_flit_range_t;

static gms_status_t gms_flit_check_plan(const gms_flit_config_t *config,
                                        char *error)
{
    const gms_lane_plan_t *plan = &config->plan;
    unsigned all = 0, traffic_class, lane;

    for (traffic_class = 0; traffic_class < GMS_LANE_CLASSES; ++traffic_class) {
        unsigned lanes = plan->class_lanes[traffic_class];

        if ((lanes & all) != 0 || lanes >> config->lanes != 0) {
            snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                     "plan: lanes 0x%x of class %u belong to another class, or "
                     "exceed the %u lanes",
                     lanes, traffic_class, config->lanes);
            return GMS_ERR_CONFIG;
        }
        all |= lanes;
        for (lane = 0; lane < config->lanes; ++lane) {
            if ((lanes >> lane & 1) && plan->class_of[lane] != traffic_class) {
                snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                         "plan: lane %u belongs to class %u and to class %u",
                         lane, traffic_class, plan->class_of[lane]);
                return GMS_ERR_CONFIG;
            }
        }
    }
    if (all == 0 || plan->policy >= GMS_LANE_POLICIES) {
        snprintf(error, GMS_TOPOLOGY_ERROR_LEN,
                 all == 0 ? "plan: no class has lanes"
                          : "plan: policy %u is unknown; allowed: 0..%u",
                 plan->policy, GMS_LANE_POLICIES - 1u);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_flit_config_check(const gms_flit_config_t *config,
                                   char error[GMS_TOPOLOGY_ERROR_LEN])
{
    const gms_flit_range_t ranges[] = {
        {"lanes", config->lanes, 1, GMS_LANES_MAX},
        {"lane_choice", config->lane_choice, 0, GMS_FLIT_LANES_DRAWN},
        {"buffer_flits", config->buffer_flits, 1, 255},
        {"output_flits", config->output_flits, 0, 255},
        {"input_cycles", config->input_cycles, 0, GMS_FLIT_STAGE_MAX},
        {"route_cycles", config->route_cycles, 0, GMS_FLIT_STAGE_MAX},
        {"lane_cycles", config->lane_cycles, 0, GMS_FLIT_STAGE_MAX},
        {"switch_cycles", config->switch_cycles, 0, GMS_FLIT_STAGE_MAX},
        {"crossbar_cycles", config->crossbar_cycles, 1, GMS_FLIT_STAGE_MAX},
        {"output_cycles", config->output_cycles,
         config->output_flits == 0 ? 0 : 1, GMS_FLIT_STAGE_MAX},
        {"link_cycles", config->link_cycles, 1, GMS_FLIT_STAGE_MAX},
        {"credit_cycles", config->credit_cycles, 1, GMS_FLIT_STAGE_MAX},
        {"match_rounds", config->match_rounds, 1, 8},
    };
    size_t i;

    error[0] = '\0';
    for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); ++i) {
        if (ranges[i].value < ranges[i].min ||
            ranges[i].value > ranges[i].max) {
            snprintf(error, GMS_TOPOLOGY_ERROR_LEN, "%s is %u; allowed: %u..%u",
                     ranges[i].name, ranges[i].value, ranges[i].min,
                     ranges[i].max);
            return GMS_ERR_CONFIG;
        }
    }
    return gms_flit_check_plan(config, error);
}

unsigned gms_flit_send_cycles(const gms_flit_config_t *config)
{
    return config->switch_cycles + config->crossbar_cycles +
           (config->output_flits > 0 ? config->output_cycles : 0);
}

unsigned gms_flit_hop_cycles(const gms_flit_config_t *config)
{
    return config->input_cycles + config->route_cycles + config->lane_cycles +
           gms_flit_send_cycles(config) + config->link_cycles;
}

/* Mix 64 bits, so that each output bit depends on all input bits. [source:
 * Steele, Lea and Flood 2014, SplitMix] */
static uint64_t gms_flit_mix(uint64_t bits)
{
    bits += UINT64_C(0x9e3779b97f4a7c15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

unsigned gms_flit_drawn_lane(const gms_flit_config_t *config, uint32_t draw,
                             unsigned hop, unsigned traffic_class)
{
    unsigned lanes = config->plan.class_lanes[traffic_class];
    unsigned count = (unsigned)__builtin_popcount(lanes);
    uint64_t bits =
        gms_flit_mix(gms_flit_mix(config->seed) ^ ((uint64_t)draw << 32 | hop));
    unsigned skip = (unsigned)((bits >> 32) * count >> 32);

    while (skip-- > 0) {
        lanes &= lanes - 1;
    }
    return (unsigned)__builtin_ctz(lanes);
}
