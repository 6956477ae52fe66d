/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes the energy that routers, links and HCAs consume, and their power in
 * each window of time. This module also implements policies that keep the
 * network's power below a limit:
 *
 *   none       The power is measured, but not limited.
 *   credit     A real-time connection is admitted only if every router on its
 *              route has power for it. The admission subtracts E x r / f from
 *              the power P_RT(i) of router i. A best-effort packet enters only
 *              if the energy budget of its HCA covers E_packet, which is
 *              returned to the budget later [source: Yum et al., section 5]
 *   powerherd  Each router estimates the energy of its flits and limits its own
 *              power by throttling its switch. It lends the power that it does
 *              not need to its neighbours [source: Shang, Peh and Jha 2003]
 *
 *   E_packet = (E_router (D + 1) + E_link (D + 2)) N + E_arbitration (D + 1)
 *   L_packet = link + ((D + 1) S - 1) + N + W_HCA
 *
 * L_packet is the latency of a packet in cycles. D is the number of hops
 * between routers, and N is the number of flits. S is the number of cycles for
 * one router and one link. W_HCA is the number of cycles that a message waits
 * in the HCA. The paper counts the energy of D links, and it omits the time of
 * the first link. This simulation also counts the links between nodes and
 * routers.
 *
 * The policies credit and powerherd keep the power below the limit in every
 * interval of window_cycles, not only on average. The proof and its assumptions
 * are in doc/design/0017-power.md.
 */
#ifndef HCASIM_POWER_H
#define HCASIM_POWER_H

#include <stdint.h>

#include "hcasim/hca.h"

typedef struct gms_power gms_power_t; /* power account and power policy of the
                                       * whole cluster */

enum gms_power_policy {
    GMS_POWER_NONE = 0,
    GMS_POWER_CREDIT,
    GMS_POWER_HERD,
    GMS_POWER_POLICIES
};
/* the last element is NULL */
extern const char *const gms_power_policy_names[];

/** Time at which the energy of a packet returns to the budget of its HCA. */
enum gms_power_return {
    /** window_cycles after the arrival of the packet's flits. The target's
     *  answer reports this arrival (reliable service of InfiniBand). With this
     *  value, the limit holds in every window */
    GMS_POWER_ON_ARRIVAL = 0,
    /** window_cycles after the packet's flits should have arrived according to
     *  the estimate L_packet, as in the paper. In a congested network the power
     *  may exceed the limit */
    GMS_POWER_ON_ESTIMATE
};

/** Energies in picojoules. [source: Yum et al., table 1, 180 nm] */
typedef struct gms_energy {
    double buffer_read_pj, buffer_write_pj; /**< energy per flit */
    double arbitration_pj;                  /**< energy per arbitration */
    double crossbar_pj;                     /**< energy per flit */
    double link_bit_pj;                     /**< energy per bit */
    /* energies of HCAs. The paper states no numbers; power.c explains the
     * assumed values */
    double hca_doorbell_pj, hca_completion_pj; /**< energy per event */
    double hca_dma_flit_pj, hca_lane_flit_pj;
    double hca_idle_w; /**< power that does not depend on the activity */
} gms_energy_t;

typedef struct gms_power_config {
    unsigned policy; /**< a value of enum gms_power_policy */
    gms_energy_t energy;
    unsigned flit_bits;
    uint64_t cycle_ps;
    /** length of a measurement window in cycles; the paper uses 500 */
    unsigned window_cycles;
    double limit_w; /**< limit for the power of routers and links together, in
                     * W, > 0 */
    int counts_hca; /**< 1 if the power of the HCAs counts against the limit */
    /** fraction of the limit, 0..1, for traffic that no budget covers, such as
     *  control packets and probes */
    double reserve_part;
    /* credit */
    /** fraction of the limit, 0..1, for real-time traffic; the rest belongs to
     *  best effort */
    double real_time_part;
    unsigned packet_flits; /**< length of the longest packet that an HCA
                            *   sends */
    unsigned return_on;    /**< a value of enum gms_power_return */
    /** 1 if real-time packets also wait while the budget of their HCA is
     *  exhausted. Otherwise they never wait, as in the paper, and the limit
     *  holds only on average */
    int holds_real_time;
    /* powerherd */
    /** number of cycles between two decisions of a router; a divisor of
     *  window_cycles */
    unsigned epoch_cycles;
} gms_power_config_t;

/** Sets the defaults, with policy none. The file power.c lists their
 *  sources. */
void gms_power_config_init(gms_power_config_t *config);

/** Creates the power account and the policy.
 *  @param [in] net must outlive the account
 *  @param [in] hcas indexed by node; the array must outlive the account. If
 *    `hcas' is NULL, the account does not include the power of HCAs
 *  @return GMS_OK
 *  @return GMS_ERR_CONFIG with a message in `error`: a field is outside its
 *  range, or a budget is too small for a single packet on the longest route
 *  @return GMS_ERR_NO_MEMORY */
gms_status_t gms_power_create(const gms_power_config_t *config,
                              gms_flit_net_t *net, gms_hca_t *const *hcas,
                              gms_power_t **power_p,
                              char error[GMS_TOPOLOGY_ERROR_LEN]);
/** Destroys the account. NULL is allowed. */
void gms_power_destroy(gms_power_t *power);

/** Return the energy of one flit, in pJ: in one router (without the arbitration
 *  of a head flit), and on one link. */
double gms_power_router_flit_pj(const gms_power_config_t *config,
                                const gms_flit_config_t *flit);
double gms_power_link_flit_pj(const gms_power_config_t *config);
/** Return E_packet, the energy of a packet in pJ, and L_packet in cycles. With
 *  counts_hca, E_packet includes the energy that the packet's HCA consumes.
 *  L_packet is the time from the head's departure from its lane to the tail's
 *  arrival.
 *  @param [in] hops  D, the number of hops between routers */
double gms_power_packet_pj(const gms_power_config_t *config,
                           const gms_flit_config_t *flit, unsigned hops,
                           unsigned flits);
uint64_t gms_power_packet_cycles(const gms_flit_config_t *flit, unsigned hops,
                                 unsigned flits, uint64_t hca_cycles);

/* Functions for the gate of the HCAs (gms_hca_gate_t). */
int gms_power_may_enter(gms_power_t *power, uint32_t node,
                        const gms_hca_message_t *message);
void gms_power_entered(gms_power_t *power, uint32_t node,
                       const gms_hca_message_t *message);
/** Reports the arrival of a message. Call this function for every message that
 *  entered the network, whichever policy is in use. */
void gms_power_arrived(gms_power_t *power, const gms_hca_message_t *message);
/* Functions for gms_probe_config_t. The parameter `power` points to a
 * gms_power_t. The rate `average` is a fraction of a link's bandwidth. */
int gms_power_may_admit(void *power, uint32_t switch_index, double average);
void gms_power_take(void *power, uint32_t switch_index, double average);
void gms_power_give(void *power, uint32_t switch_index, double average);

/** Executes one cycle of power control. Call this function once per cycle,
 * after the net has executed the cycle. */
void gms_power_step(gms_power_t *power);
/** Returns the next cycle at which gms_power_step() has work. */
uint64_t gms_power_next(const gms_power_t *power);

/** Returns the mean power over the last complete window, in watts. */
typedef struct gms_power_window {
    uint64_t end_cycle;
    double network_w; /**< power of routers and links */
    double hca_w;
} gms_power_window_t;
/** Returns all windows since the start, in order. @return number of windows */
uint64_t gms_power_windows(const gms_power_t *power,
                           const gms_power_window_t **windows_p);
/** Return the power of one switch, link or HCA over the last complete window,
 *  in W. */
double gms_power_switch_w(const gms_power_t *power, uint32_t switch_index);
double gms_power_link_w(const gms_power_t *power, uint32_t link);
double gms_power_hca_w(const gms_power_t *power, uint32_t node);
/** Returns the mean power that counts against the limit, in W, over all
 *  complete windows that began at `since_cycle` or later, or 0 if there is no
 *  such window. */
double gms_power_mean_w(const gms_power_t *power, uint64_t since_cycle);

/* The following functions return the state of the policies. */
/** Returns the remaining energy in a node's budget with policy credit, in pJ,
 *  or 0 with other policies. If best_effort is not 0, the function returns only
 *  the part that best effort may use. */
double gms_power_energy_left_pj(gms_power_t *power, uint32_t node,
                                int best_effort);
/** Returns the power budget of a switch in W. With policy credit, the budget is
 *  the remaining power for real-time traffic. With policy powerherd, the budget
 *  is the current budget of the router. With policy none, the function returns
 *  0. */
double gms_power_switch_budget_w(const gms_power_t *power,
                                 uint32_t switch_index);

#endif
