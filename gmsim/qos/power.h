/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Energy of routers, links and HCAs, power by window, and policies that keep
 * the network's power below a limit:
 *
 *   none       measured, not controlled
 *   credit     real time: a connection is admitted only if each router on its
 *              way has power for it (P_RT(i) -= E_router x r / f). Best effort:
 *              a packet enters only if its HCA's energy budget covers E_packet,
 *              which comes back L_packet cycles later [source: Yum et al.,
 *              section 5]
 *   powerherd  each router predicts and bounds its own power, and lends what it
 *              does not need to its neighbours [source: Shang, Peh and Jha 2003]
 *
 *   E_packet = (E_router (D + 1) + E_link D) N
 *   L_packet = ((D + 1) S - 1) + N + W_HCA
 * with D hops, N flits, S cycles of a router and a link, W_HCA cycles that a
 * message waits in the HCA.
 */
#ifndef QOS_POWER_H
#define QOS_POWER_H

#include <stdint.h>

#include "hca/hca.h"

typedef struct gms_power gms_power_t; /* of the whole cluster */

enum gms_power_policy {
    GMS_POWER_NONE = 0,
    GMS_POWER_CREDIT,
    GMS_POWER_HERD,
    GMS_POWER_POLICIES
};
extern const char *const gms_power_policy_names[]; /* ends with NULL */

/** Picojoules. [source: Yum et al., table 1, 180 nm] */
typedef struct gms_energy {
    double buffer_read_pj, buffer_write_pj; /**< per flit */
    double arbitration_pj;                  /**< each */
    double crossbar_pj;                     /**< per flit */
    double link_bit_pj;                     /**< per bit */
    /* HCA: no numbers printed; assumptions with their sources in power.c */
    double hca_doorbell_pj, hca_completion_pj; /**< each */
    double hca_dma_flit_pj, hca_memory_flit_pj, hca_lane_flit_pj;
    double hca_idle_w;                      /**< whatever it does */
} gms_energy_t;

typedef struct gms_power_config {
    unsigned policy;          /**< enum gms_power_policy */
    gms_energy_t energy;
    unsigned flit_bits;
    uint64_t cycle_ps;
    unsigned window_cycles;   /**< of a measurement, 500 in the paper */
    double limit_w;           /**< of routers and links together, > 0 */
    double real_time_part;    /**< of the limit, 0..1; the rest is best effort's */
    int counts_hca;           /**< the HCAs' power counts against the limit */
} gms_power_config_t;

/** Defaults with their sources; policy none. */
void gms_power_config_init(gms_power_config_t *config);

/** @param [in] hcas  by node; may be NULL: no HCA power
 *  @return GMS_OK, GMS_ERR_CONFIG (text), GMS_ERR_NO_MEMORY */
gms_status_t gms_power_create(const gms_power_config_t *config,
                              gms_flit_net_t *net, gms_hca_t *const *hcas,
                              gms_power_t **power_p,
                              char error[GMS_TOPOLOGY_ERROR_LEN]);
/** NULL is fine. */
void gms_power_destroy(gms_power_t *power);

/** Of one flit through one router, through one link, pJ. */
double gms_power_router_flit_pj(const gms_power_config_t *config,
                                const gms_flit_config_t *flit);
double gms_power_link_flit_pj(const gms_power_config_t *config);
/** E_packet, pJ, and L_packet, cycles. */
double gms_power_packet_pj(const gms_power_config_t *config,
                           const gms_flit_config_t *flit, unsigned hops,
                           unsigned flits);
uint64_t gms_power_packet_cycles(const gms_flit_config_t *flit, unsigned hops,
                                 unsigned flits, uint64_t hca_cycles);

/* Behind the HCAs' gate. */
int gms_power_may_enter(gms_power_t *power, uint32_t node,
                        const gms_hca_message_t *message);
void gms_power_entered(gms_power_t *power, uint32_t node,
                       const gms_hca_message_t *message);
/* For gms_probe_config_t; context is the gms_power_t. average: part of a link. */
int gms_power_may_admit(void *power, uint32_t switch_, double average);
void gms_power_take(void *power, uint32_t switch_, double average);
void gms_power_give(void *power, uint32_t switch_, double average);

/** Once per cycle, after the net's. */
void gms_power_step(gms_power_t *power);
/** The next cycle at which step has something to do. */
uint64_t gms_power_next(const gms_power_t *power);

/** Power in watts over the last whole window. */
typedef struct gms_power_window {
    uint64_t end_cycle;
    double network_w; /**< routers and links */
    double hca_w;
} gms_power_window_t;
/** All windows since the start, in order. @return how many */
uint64_t gms_power_windows(const gms_power_t *power,
                           const gms_power_window_t **windows_p);
/** Of one part over the last whole window, W. */
double gms_power_switch_w(const gms_power_t *power, uint32_t switch_);
double gms_power_link_w(const gms_power_t *power, uint32_t link);
double gms_power_hca_w(const gms_power_t *power, uint32_t node);
/** Mean since `cycle`, W. */
double gms_power_mean_w(const gms_power_t *power, uint64_t since_cycle);

#endif
