/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Sets the environment variables that make hwloc report the simulated host to
 * the program: HWLOC_SYNTHETIC or HWLOC_XMLFILE, and HWLOC_THISSYSTEM=0. With
 * HWLOC_SYNTHETIC, an empty HWLOC_PLUGINS_PATH prevents the loading of plugins.
 * A rank has these variables before its main() begins. Therefore the program
 * can query hwloc at any time. Variables that the user has set are not changed.
 */
#ifndef JOB_HOST_H
#define JOB_HOST_H

/** Show a topology (cluster/host_topology.h) to hwloc; this topology replaces
 *  the topology that was shown before. No other thread may use the environment
 *  during the call. */
void gms_host_show(const char *topology);

#endif
