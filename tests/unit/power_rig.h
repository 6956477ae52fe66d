/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the flit network in tests of power control. The test sets the
 * counters of the network, and the replacement stores the allowances. The rig
 * uses the library's topologies. The rig replaces fabric/flit*.c, and the
 * function gms_hca_counts() of hcasim/hca.c.
 */
#ifndef TESTS_UNIT_POWER_RIG_H
#define TESTS_UNIT_POWER_RIG_H

#include <string.h>

#include "hcasim/power.h"
#include "unit.h"

#define RIG_SWITCHES 64
#define RIG_LINKS    512

struct gms_flit_net {
    gms_flit_config_t config;
    gms_topology_t *topology;
    uint64_t now;
    gms_flit_counts_t counts[RIG_SWITCHES];
    uint64_t link_flits[RIG_LINKS];
    uint32_t allowance[RIG_SWITCHES];
    uint64_t waiting;
};

struct gms_hca {
    gms_hca_counts_t counts;
};

extern gms_arena_t *rig_arena;
extern gms_flit_net_t rig_net;
extern gms_power_config_t rig_config;
extern gms_power_t *rig_power;
extern char rig_error[GMS_TOPOLOGY_ERROR_LEN];

/** Set up a test suite: a mesh of 4 x 4 switches with one node each, and the
 *  default rig_config. */
void rig_setup(void);
void rig_teardown(void);
/** Create rig_power from rig_config. */
void rig_create(gms_hca_t *const *hcas);
/** Return a message of `flits` flits. */
gms_hca_message_t rig_message(uint32_t source, uint32_t target, unsigned flits,
                              unsigned traffic_class);
/** Let `cycles` cycles pass, and update the power account in each cycle. */
void rig_pass(uint64_t cycles);
/** Return the energy in pJ that all routers and links have used so far. The rig
 *  adds up this energy itself. */
double rig_energy_pj(void);

/** Return the largest energy in pJ within any window_cycles consecutive cycles.
 *  cycle_pj contains the energy of each cycle. */
double rig_worst_window(const double *cycle_pj, size_t cycles);

#endif
