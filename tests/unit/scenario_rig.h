/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens a scenario without processes on the cluster that `params` describes. */
#ifndef TESTS_UNIT_SCENARIO_RIG_H
#define TESTS_UNIT_SCENARIO_RIG_H

#include "experiments/scenario.h"
#include "unit.h"

static gms_params_t params;
static gms_scenario_t *scenario;

/* Set the default parameters, but with a small arena, to save memory. */
static inline void init_params(void)
{
    gms_params_init(&params);
    params.arena_bytes = UINT64_C(256) << 20;
}

static inline void open_scenario(void)
{
    char error[GMS_SCENARIO_ERROR_LEN];

    CU_ASSERT_FATAL(gms_scenario_create(&params, NULL, &scenario, error) ==
                    GMS_OK);
}

static inline void close_scenario(void)
{
    gms_scenario_destroy(scenario);
    scenario = NULL;
}

/* Open a scenario with the default cluster. */
static inline void setup_scenario(void)
{
    init_params();
    open_scenario();
}

/* Return the number of packets that have arrived in the flow between GM port 2
 * of one node and GM port 2 of another node. */
static inline uint64_t packets_arrived(const gms_traffic_t *flow)
{
    gms_flow_key_t key = {.source_port = 2,
                          .target_node = (uint16_t)flow->target,
                          .target_port = 2,
                          .label = flow->label};
    gms_flow_stats_t stats;

    gms_nic_flow_stats(gms_scenario_nic(scenario, flow->source), &key, &stats);
    return stats.packets_arrived;
}

#endif
