/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Sets the environment variables that make hwloc report the simulated host to
 * the program: HWLOC_SYNTHETIC or HWLOC_XMLFILE, and HWLOC_THISSYSTEM=0. A rank
 * has these variables before its main() begins. Therefore the program can query
 * hwloc at any time. Variables that the user has set are not changed.
 */
#ifndef JOB_HOST_H
#define JOB_HOST_H

/** Show a topology (cluster/host_topology.h) to hwloc; this topology replaces
 *  the one that was shown before. No other thread may use the environment
 *  during the call. */
void gms_host_show(const char *topology);

/** Values of the variables that hwloc reads. gms_host_pause() removes these
 *  variables, for a query of the real machine; gms_host_resume() restores them.
 *  No other thread may use the environment during these calls. */
typedef struct gms_host_pause {
    char *values[6]; /* malloc'ed; NULL: the variable was not set */
} gms_host_pause_t;

void gms_host_pause(gms_host_pause_t *pause);
void gms_host_resume(gms_host_pause_t *pause);

#endif
