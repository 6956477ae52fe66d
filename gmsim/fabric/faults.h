/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares faults at configured times, which the section `faults:` of a cluster
 * description defines. The rates of random faults are rows of the parameter
 * table (fault_*).
 *
 *     faults:
 *       drop: 0.01                # of all packets
 *       damage_header: 0.0005
 *       outages_per_s: 20
 *       outage_us: 500
 *       events:
 *         - {at_us: 100, link: node 3 to switch 0, for_us: 50}
 *         - {at_us: 200, node: 4}              # both directions, permanently
 *         - {at_us: 300, reset_nic: 2}
 *         - {at_us: 400, kill_rank: 5}
 *         - {at_us: 500, kill_node: 2}
 *         - {at_us: 600, stop: random}         # rates and outages
 */
#ifndef FABRIC_FAULTS_H
#define FABRIC_FAULTS_H

#include <stdint.h>

#include "params/params.h"

#define GMS_FAULT_EVENTS_MAX 256u
#define GMS_FAULT_LONGEST_US UINT64_C(3600000000) /* one hour */

enum gms_fault_kind {
    GMS_FAULT_LINK = 0, /* a link goes down */
    GMS_FAULT_NODE,     /* both links of a node go down */
    GMS_FAULT_RESET_NIC,
    GMS_FAULT_KILL_RANK,
    GMS_FAULT_KILL_NODE, /* a host dies with all its processes */
    GMS_FAULT_STOP       /* random faults are suspended */
};

typedef struct gms_fault_event {
    uint64_t at_us;
    uint64_t for_us; /* 0: permanently */
    uint32_t kind;   /* a value of enum gms_fault_kind */
    uint32_t number; /* number of the link, node (0-based) or rank; for the
                      * death of a host, the node that is the host's unit 0 */
} gms_fault_event_t;

/** All planned faults of a run. The struct contains no pointers, because the
 *  simulator copies it into the arena. */
typedef struct gms_fault_plan {
    uint32_t count;
    gms_fault_event_t events[GMS_FAULT_EVENTS_MAX];
} gms_fault_plan_t;

/** Return 1 if the parameters or the plan describe any fault. In this case,
 *  the NICs must compute CRCs. plan may be NULL. */
int gms_faults_any(const gms_params_t *params, const gms_fault_plan_t *plan);

#endif
