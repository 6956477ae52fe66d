/* SPDX-License-Identifier: BSD-3-Clause */
/** Prints a complete cluster description for gmsim config. */
#ifndef TOOL_CONFIG_PRINT_H
#define TOOL_CONFIG_PRINT_H

#include "cluster/cluster.h"

/** Print a description with all default values and with the origin of every
 *  value.
 *  @param [in] path         path of the description; NULL: the default cluster
 *  @param [in] time_is_set  1: the environment variable GMSIM_TIME has set the
 *  mode */
void gms_config_print(const char *path, const gms_cluster_t *cluster,
                      const gms_topology_t *topology, int time_is_set);

#endif
