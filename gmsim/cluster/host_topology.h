/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads the description of the hardware that hwloc reports to a rank for its
 * simulated host. The description is the value of the key `host_topology:` of a
 * cluster description, or of the profile.
 *
 *     host_topology: "pack:2 l2:1(size=262144) core:1 pu:1" # hwloc's format
 *     host_topology: host.xml # from lstopo; in the description's directory
 *     host_topology: real # the machine on which all processes run
 */
#ifndef CLUSTER_HOST_TOPOLOGY_H
#define CLUSTER_HOST_TOPOLOGY_H

#include "base/status.h"

/** Length of the buffer for a description or a file's absolute path, including
 *  the final 0. */
#define GMS_HOST_TOPOLOGY_LEN  512
#define GMS_HOST_TOPOLOGY_REAL "real"
/** Largest number of objects on a level of a synthetic description. [assumed:
 *  far more than any host has; hwloc would need minutes and gigabytes to build
 *  millions of objects] */
#define GMS_HOST_TOPOLOGY_MOST 4096u

/** Return 1 if the description is the name of an XML file. */
int gms_host_topology_is_file(const char *text);

/**
 * Check that hwloc accepts a description.
 * @return GMS_OK; GMS_ERR_CONFIG: hwloc rejects the description;
 *         GMS_ERR_INVALID_PARAM: the description has too many objects;
 *         GMS_ERR_NO_MEMORY
 */
gms_status_t gms_host_topology_check(const char *text);

/**
 * Read only this key of a cluster description, for callers that need its value
 * before all other keys are read.
 *
 * @param [in]  path  file, or NULL for the default cluster
 * @param [out] text changed only if the function returns GMS_OK
 *
 * @return GMS_OK
 * @return GMS_ERR_CONFIG  the file is invalid; gms_cluster_load() returns the
 *                         reason
 */
gms_status_t gms_host_topology_of(const char *path,
                                  char text[GMS_HOST_TOPOLOGY_LEN]);

#endif
