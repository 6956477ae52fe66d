/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The cluster description: a YAML file, or the default cluster (16 hosts on a
 * 16-port crossbar, profile lanai4.3, one rank per host).
 *
 *     profile: lanai4.3
 *     hosts: 16
 *     ranks_per_host: 1
 *     scheduler: rate
 *     parameters:
 *       host_dma_bytes_s: 60000000
 *     faults: ...              (config/faults.h)
 */
#ifndef CONFIG_CLUSTER_H
#define CONFIG_CLUSTER_H

#include "config/faults.h"
#include "config/params.h"
#include "engine/status.h"

/** Room for a message of gms_cluster_load(). */
#define GMS_CLUSTER_ERROR_LEN 512

/**
 * Read a description.
 *
 * @param [in]  path    file, or NULL for the default cluster
 * @param [out] params  untouched unless GMS_OK
 * @param [out] error   "FILE:LINE: key 'K': value 'V' ...; allowed: ..."
 *
 * @return GMS_OK
 * @return GMS_ERR_CONFIG  with the text in error
 */
gms_status_t gms_cluster_load(const char *path, gms_params_t *params,
                              char error[GMS_CLUSTER_ERROR_LEN]);
/** The same, and the faults that it plans. */
gms_status_t gms_cluster_load_all(const char *path, gms_params_t *params,
                                  gms_fault_plan_t *plan,
                                  char error[GMS_CLUSTER_ERROR_LEN]);
/** Checks that need several values at once (a crossbar with fewer ports than
 *  hosts, ..); the same errors without a line. */
gms_status_t gms_cluster_check(const gms_params_t *params,
                               char error[GMS_CLUSTER_ERROR_LEN]);

#endif
