/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Assigns ranks to hosts.
 *
 *     placement: block           # ranks_per_host on a host, then the next host
 *     placement: cyclic          # one on each host, then again from the first
 *     placement:                 # or host by host
 *       node1: [0, 3]
 *       node2: 1..2
 *
 * The launcher's options (mpirun -hosts, -ppn) replace the placement of the
 * description. The options contain a list of hosts and the number of ranks for
 * each host. The list is repeated until all ranks have a host.
 *
 * Inside the program, host numbers begin at 0. In messages, the hosts have the
 * names node1, node2, and so on.
 */
#ifndef CLUSTER_PLACEMENT_H
#define CLUSTER_PLACEMENT_H

#include <stddef.h>
#include <stdint.h>

#include "params/params.h"
#include "base/status.h"

/** Name of a host: this prefix, followed by the host's number, counting from
 *  1. */
#define GMS_HOST_PREFIX "node"
/** Number of ports of a NIC that GM reserves for itself (ports 0, 1 and 3). */
#define GMS_RESERVED_PORTS 3u
/** Length of the buffer for the reason why a launcher's request is invalid,
 *  including the final 0. */
#define GMS_PLACEMENT_WHY_LEN 512

/** List that assigns a host to each rank. If all fields are zero, there is no
 *  list, and the parameters `placement` and `ranks_per_host` define the hosts.
 *  The memory belongs to the process that read the description. */
typedef struct gms_placement {
    uint32_t count;  /* the list contains the ranks 0 .. count - 1 */
    uint32_t *hosts; /* host of each rank, indexed by rank */
} gms_placement_t;

/** Free the list, and set all fields to zero. */
void gms_placement_clear(gms_placement_t *placement);

/** Return the number of ranks that have a host slot. */
uint32_t gms_placement_room(const gms_params_t *params,
                            const gms_placement_t *placement);
/** Return the host of a rank, which must have a host slot. */
uint32_t gms_placement_host(const gms_params_t *params,
                            const gms_placement_t *placement, uint32_t rank);
/** Return a hash of the placement of a job with `size' ranks (at most
 * gms_placement_room()). With this hash, the caller can detect that two
 * placements differ. */
uint64_t gms_placement_digest(const gms_params_t *params,
                              const gms_placement_t *placement, uint32_t size);
/**
 * Check that the hosts of a list exist and have a port for each of their ranks.
 * The check is necessary because parameters may have changed since the list was
 * created.
 * @return GMS_OK; GMS_ERR_CONFIG with the reason; GMS_ERR_NO_MEMORY
 */
gms_status_t gms_placement_check(const gms_params_t *params,
                                 const gms_placement_t *placement,
                                 char why[GMS_PLACEMENT_WHY_LEN]);
/** Return the largest number of ranks on a host. This limit exists because each
 * rank needs a port of the NIC. */
uint32_t gms_placement_most(const gms_params_t *params);

/**
 * Return the host with a name of `length` characters ("node3").
 * @return GMS_OK, GMS_ERR_NOT_FOUND
 */
gms_status_t gms_placement_find_host(const gms_params_t *params,
                                     const char *name, size_t length,
                                     uint32_t *host_p);

/**
 * Place the ranks of a job according to the launcher's options.
 *
 * @param [in]  hosts        "node3:2,node1": a host without a number receives
 *                           one rank per round; NULL: all hosts of the cluster
 * @param [in]  per_host     number of ranks that every host receives per round;
 *                           0: use the numbers in `hosts'
 * @param [in]  size         number of ranks of the job
 * @param [out] placement_p  unchanged after an error; the caller clears it
 *                           after GMS_OK
 * @param [out] why          the reason, and the allowed values
 *
 * @return GMS_OK; GMS_ERR_CONFIG or GMS_ERR_NO_MEMORY, with the reason in `why`
 */
gms_status_t gms_placement_ask(const gms_params_t *params, const char *hosts,
                               uint32_t per_host, uint32_t size,
                               gms_placement_t *placement_p,
                               char why[GMS_PLACEMENT_WHY_LEN]);

#endif
