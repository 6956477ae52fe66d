/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Assignment of ranks to hosts.
 *
 *     placement: block           # ranks_per_host on a host, then the next one
 *     placement: cyclic          # one on each host, then again from the first
 *     placement:                 # or host by host
 *       node1: [0, 3]
 *       node2: 1..2
 *
 * The launcher's options replace it: a list of hosts that each take a number of
 * ranks in turn, repeated when it ends (mpirun -hosts, -ppn).
 *
 * Hosts count from 0 in the program and are node1, node2, and so on in
 * messages.
 */
#ifndef CLUSTER_PLACEMENT_H
#define CLUSTER_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "params/params.h"
#include "base/status.h"

/** What hosts are called: this and their number from 1. */
#define GMS_HOST_PREFIX "node"
/** GM keeps ports 0, 1 and 3 of a NIC for itself. */
#define GMS_RESERVED_PORTS 3u
/** Room for what is wrong with a launcher's wish, with the final 0. */
#define GMS_PLACEMENT_WHY_LEN 512

/** Ranks whose hosts are listed; all zero: the parameters `placement` and
 *  `ranks_per_host` say it. In the reader's own memory. */
typedef struct gms_placement {
    uint32_t count;  /* ranks 0..count-1 */
    uint32_t *hosts; /* by rank */
} gms_placement_t;

/** Free what it holds; all zero afterwards. */
void gms_placement_clear(gms_placement_t *placement);

/** How many ranks have a place. */
uint32_t gms_placement_room(const gms_params_t *params,
                            const gms_placement_t *placement);
/** The host of a rank that has a place. */
uint32_t gms_placement_host(const gms_params_t *params,
                            const gms_placement_t *placement, uint32_t rank);
/** Tells placements of a job of so many ranks (at most the room) apart. */
uint64_t gms_placement_digest(const gms_params_t *params,
                              const gms_placement_t *placement, uint32_t size);
/**
 * Do the hosts of a list exist, with a port for each of its ranks? One that
 * gms_placement_ask() or a file made fits the parameters of then.
 * @return GMS_OK; GMS_ERR_CONFIG with what does not fit; GMS_ERR_NO_MEMORY
 */
gms_status_t gms_placement_check(const gms_params_t *params,
                                 const gms_placement_t *placement,
                                 char why[GMS_PLACEMENT_WHY_LEN]);
/** Most ranks that a host can run: each needs a port of its card. */
uint32_t gms_placement_most(const gms_params_t *params);

/**
 * The host that a text of so many characters names ("node3").
 * @return GMS_OK, GMS_ERR_NOT_FOUND
 */
gms_status_t gms_placement_find_host(const gms_params_t *params,
                                     const char *name, size_t length,
                                     uint32_t *host_p);

/**
 * Place a job as its launcher was asked to.
 *
 * @param [in]  hosts        "node3:2,node1": a host without a number takes one
 *                           rank at a time; NULL: all hosts of the cluster
 * @param [in]  per_host     instead of all numbers; 0: as they are
 * @param [in]  size         ranks of the job
 * @param [out] placement_p  untouched unless GMS_OK; then the caller clears it
 * @param [out] why          what is wrong, and what is allowed
 *
 * @return GMS_OK, GMS_ERR_CONFIG (with why), GMS_ERR_NO_MEMORY (likewise)
 */
gms_status_t gms_placement_ask(const gms_params_t *params, const char *hosts,
                               uint32_t per_host, uint32_t size,
                               gms_placement_t *placement_p,
                               char why[GMS_PLACEMENT_WHY_LEN]);

#endif
