/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the state and functions that the energy account and the policies
 * share. Only power*.c include this header.
 */
#ifndef HCASIM_POWER_INT_H
#define HCASIM_POWER_INT_H

#include "hcasim/power.h"

/** Budgets are integers in attojoules (10^-6 pJ) and picowatts, because an
 *  amount that is taken and later returned must leave no rounding error. A
 *  64-bit integer is large enough: for example, 21 W over 500 cycles of 3.76 ns
 *  are 3.9e13 aJ. */
#define GMS_POWER_AJ_PER_PJ 1e6
#define GMS_POWER_PW_PER_W  1e12

/** Energy, in picojoules, that is consumed at a power in watts during a number
 *  of cycles (1 W x 1 ps = 1 pJ). */
#define GMS_POWER_PJ(_watts, _cycles, _cycle_ps)                               \
    ((_watts) * (double)(_cycles) * (double)(_cycle_ps))

/** A policy. The state of the policy is gms_power.state, which the function
 *  `create` allocates. */
typedef struct gms_power_ops {
    const char *name;
    gms_status_t (*create)(gms_power_t *power,
                           char error[GMS_TOPOLOGY_ERROR_LEN]);
    /** destroys the state, even if `create` failed and the state is
     *  incomplete */
    void (*destroy)(gms_power_t *power);
    int (*may_enter)(gms_power_t *power, uint32_t node,
                     const gms_hca_message_t *message);
    void (*entered)(gms_power_t *power, uint32_t node,
                    const gms_hca_message_t *message);
    void (*arrived)(gms_power_t *power, const gms_hca_message_t *message);
    int (*may_admit)(gms_power_t *power, uint32_t switch_index, double average);
    void (*take)(gms_power_t *power, uint32_t switch_index, double average);
    void (*give)(gms_power_t *power, uint32_t switch_index, double average);
    void (*step)(gms_power_t *power);
    uint64_t (*next)(const gms_power_t *power);
    double (*energy_left_pj)(gms_power_t *power, uint32_t node,
                             int best_effort);
    double (*switch_budget_w)(const gms_power_t *power, uint32_t switch_index);
    /* a function may be NULL if the policy takes no action or allows every
     * message */
} gms_power_ops_t;

extern const gms_power_ops_t gms_power_none_ops;
extern const gms_power_ops_t gms_power_credit_ops;
extern const gms_power_ops_t gms_power_herd_ops;

/** Numbers of events up to the end of the last window, and the power during
 *  this window, in watts. */
typedef struct gms_power_account {
    gms_flit_counts_t *switch_counts;
    uint64_t *link_flits;
    gms_hca_counts_t *hca_counts;
    double *switch_w, *link_w, *hca_w;
    uint64_t start_cycle, end_cycle; /**< begin and end of the current window */
    gms_power_window_t *windows;
    uint64_t window_count, window_room;
} gms_power_account_t;

struct gms_power {
    gms_power_config_t config;
    gms_flit_net_t *net;
    gms_topology_t *topology;
    gms_hca_t *const *hcas;
    unsigned nodes, switches, links;
    const gms_power_ops_t *ops;
    void *state;
    gms_power_account_t account;
};

/* ---- power_energy.c ---- */

gms_status_t gms_power_account_create(gms_power_t *power);
void gms_power_account_destroy(gms_power_t *power);
/** Ends the current window. */
void gms_power_account_close(gms_power_t *power);

double gms_power_switch_pj(const gms_power_config_t *config,
                           const gms_flit_counts_t *before,
                           const gms_flit_counts_t *after);
double gms_power_hca_pj(const gms_power_config_t *config,
                        const gms_hca_counts_t *before,
                        const gms_hca_counts_t *after);
/** Returns the energy, in pJ, that an HCA consumes for a message of `flits`
 *  flits. */
double gms_power_hca_message_pj(const gms_power_config_t *config,
                                unsigned flits);
/** Returns the power in W that the policies may distribute: the limit minus the
 *  reserve and, with counts_hca, minus the HCAs' idle power. */
double gms_power_to_share_w(const gms_power_t *power);

#endif
