/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Sets the environment variables that make hwloc report the simulated host to
 * the program: HWLOC_SYNTHETIC or HWLOC_XMLFILE, and HWLOC_THISSYSTEM=0. If
 * HWLOC_SYNTHETIC is set, an empty HWLOC_PLUGINS_PATH also prevents hwloc from
 * loading plugins. These variables exist before main() of a rank begins. The
 * program can therefore query hwloc at any time. The functions do not change
 * variables that the user has set.
 */
#ifndef JOB_HOST_H
#define JOB_HOST_H

/** Make hwloc report a topology (cluster/host_topology.h). The new topology
 *  replaces the topology that hwloc reported before. During the call, no other
 *  thread may use the environment. */
void gms_host_show(const char *topology);

#endif
