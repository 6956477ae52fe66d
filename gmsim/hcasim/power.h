/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Energy of routers, links and HCAs, power by window, and policies that keep
 * the network's power below a limit:
 *
 *   none       measured, not controlled
 *   credit     real time: a connection is admitted only if every router on its
 *              route has power for it (P_RT(i) -= E x r / f). Best effort: a
 *              packet enters only if its HCA's energy budget covers E_packet,
 *              which is returned later [source: Yum et al., section 5]
 *   powerherd  each router estimates the cost of its flits, bounds its own
 *              power by limiting its switch, and lends the power that it does not
 *              need to its neighbours [source: Shang, Peh and Jha 2003]
 *
 *   E_packet = (E_router (D + 1) + E_link (D + 2)) N + E_arbitration (D + 1)
 *   L_packet = link + ((D + 1) S - 1) + N + W_HCA
 *
 * D is the number of hops between routers, N of flits, and S of cycles of a
 * router and a link. W_HCA is the number of cycles that a message waits in the
 * HCA. The paper counts the energy of D links and omits the time of the first
 * link. Here the links between nodes and routers are counted like the other
 * links.
 *
 * Both policies keep the power below the limit in every interval of
 * window_cycles, not only on average. The proof and its assumptions are in
 * doc/design/0017-power.md.
 */
#ifndef HCASIM_POWER_H
#define HCASIM_POWER_H

#include <stdint.h>

#include "hcasim/hca.h"

typedef struct gms_power gms_power_t; /* state for the whole cluster */

enum gms_power_policy {
    GMS_POWER_NONE = 0,
    GMS_POWER_CREDIT,
    GMS_POWER_HERD,
    GMS_POWER_POLICIES
};
extern const char *const gms_power_policy_names[]; /* ends with NULL */

/** Time at which a packet's energy returns to its HCA's budget. */
enum gms_power_return {
    /** window_cycles after the packet's flits have arrived. The target's answer
     * reports the arrival (IBA's reliable service). The limit holds in every
     * window */
    GMS_POWER_ON_ARRIVAL = 0,
    /** window_cycles after the packet's flits should have arrived by the
     * estimate L_packet, as in the paper. In a congested network the limit may
     * be exceeded */
    GMS_POWER_ON_ESTIMATE
};

/** Picojoules. [source: Yum et al., table 1, 180 nm] */
typedef struct gms_energy {
    double buffer_read_pj, buffer_write_pj; /**< energy per flit */
    double arbitration_pj;                  /**< energy per arbitration */
    double crossbar_pj;                     /**< energy per flit */
    double link_bit_pj;                     /**< energy per bit */
    /* HCA: the paper has no numbers; assumptions with their sources in
     * power.c */
    double hca_doorbell_pj, hca_completion_pj; /**< each */
    double hca_dma_flit_pj, hca_lane_flit_pj;
    double hca_idle_w; /**< independent of its activity */
} gms_energy_t;

typedef struct gms_power_config {
    unsigned policy; /**< enum gms_power_policy */
    gms_energy_t energy;
    unsigned flit_bits;
    uint64_t cycle_ps;
    /** length of a measurement window, 500 in the paper */
    unsigned window_cycles;
    double limit_w; /**< limit for routers and links together, > 0 */
    int counts_hca; /**< the HCAs' power counts against the limit */
    /** part of the limit, 0..1, reserved for traffic that no budget covers:
     *  control packets, probes */
    double reserve_part;
    /* credit */
    /** part of the limit, 0..1; the remaining part belongs to best effort */
    double real_time_part;
    unsigned packet_flits; /**< length of the longest packet of an HCA */
    unsigned return_on;    /**< enum gms_power_return */
    /** 1: a real-time packet also waits if the whole budget of its HCA is used
     *  up; 0: never, as in the paper, and the limit holds only on average */
    int holds_real_time;
    /* powerherd */
    /** cycles between two decisions of each router; divides window_cycles */
    unsigned epoch_cycles;
} gms_power_config_t;

/** Defaults with their sources; policy none. */
void gms_power_config_init(gms_power_config_t *config);

/** Creates the power account and the policy.
 *  @param [in] net must outlive it
 *  @param [in] hcas by node; the array must outlive it; may be NULL: no HCA
 *  power
 *  @return GMS_OK
 *  @return GMS_ERR_CONFIG a field is outside its range, or a budget does not
 *  cover a single packet over the longest route (text)
 *  @return GMS_ERR_NO_MEMORY */
gms_status_t gms_power_create(const gms_power_config_t *config,
                              gms_flit_net_t *net, gms_hca_t *const *hcas,
                              gms_power_t **power_p,
                              char error[GMS_TOPOLOGY_ERROR_LEN]);
/** NULL is allowed. */
void gms_power_destroy(gms_power_t *power);

/** Return the energy of one flit, pJ: through one router (without the
 * arbitration of a head), and through one link. */
double gms_power_router_flit_pj(const gms_power_config_t *config,
                                const gms_flit_config_t *flit);
double gms_power_link_flit_pj(const gms_power_config_t *config);
/** Return E_packet in pJ; with counts_hca, it includes the energy of the
 *  packet's HCA. The second function returns L_packet, the cycles from the
 *  head's departure from its lane to the tail's arrival.
 *  @param [in] hops  D, the number of hops between routers */
double gms_power_packet_pj(const gms_power_config_t *config,
                           const gms_flit_config_t *flit, unsigned hops,
                           unsigned flits);
uint64_t gms_power_packet_cycles(const gms_flit_config_t *flit, unsigned hops,
                                 unsigned flits, uint64_t hca_cycles);

/* Functions for the HCAs' gate. */
int gms_power_may_enter(gms_power_t *power, uint32_t node,
                        const gms_hca_message_t *message);
void gms_power_entered(gms_power_t *power, uint32_t node,
                       const gms_hca_message_t *message);
/** Reports the arrival of a message. With every policy, call this function for
 * all messages that entered the network. */
void gms_power_arrived(gms_power_t *power, const gms_hca_message_t *message);
/* Functions for gms_probe_config_t. The context is the gms_power_t. The
 * parameter average is a part of a link's bandwidth. */
int gms_power_may_admit(void *power, uint32_t switch_index, double average);
void gms_power_take(void *power, uint32_t switch_index, double average);
void gms_power_give(void *power, uint32_t switch_index, double average);

/** Executes one cycle of power control. Call this function once per cycle,
 * after the cycle of the net. */
void gms_power_step(gms_power_t *power);
/** Returns the next cycle at which gms_power_step() has work. */
uint64_t gms_power_next(const gms_power_t *power);

/** Power in watts over the last complete window. */
typedef struct gms_power_window {
    uint64_t end_cycle;
    double network_w; /**< routers and links */
    double hca_w;
} gms_power_window_t;
/** Returns all windows since the start, in order. @return their number */
uint64_t gms_power_windows(const gms_power_t *power,
                           const gms_power_window_t **windows_p);
/** Return the power of one part over the last complete window, W. */
double gms_power_switch_w(const gms_power_t *power, uint32_t switch_index);
double gms_power_link_w(const gms_power_t *power, uint32_t link);
double gms_power_hca_w(const gms_power_t *power, uint32_t node);
/** Returns the mean of the power that counts against the limit, W, over all
 * complete windows that began at `since_cycle` or later; 0 if no window did. */
double gms_power_mean_w(const gms_power_t *power, uint64_t since_cycle);

/* State of the policies. */
/** Returns the remaining energy of a node's budget with policy credit, pJ: of
 * the whole budget, or of best effort's part. Other policies: 0. */
double gms_power_energy_left_pj(gms_power_t *power, uint32_t node,
                                int best_effort);
/** Returns a power in W. Policy credit: the remaining power for real time.
 * Policy powerherd: the current budget of the router. Policy none: 0. */
double gms_power_switch_budget_w(const gms_power_t *power,
                                 uint32_t switch_index);

#endif
