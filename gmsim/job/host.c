/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets and removes the hwloc variables of the process. The variables are set
 * only in ranks, because a program that a tool starts must not mistake them for
 * the user's variables. The variables are removed while this library itself
 * queries the real machine (job/bind.c).
 */
#include "job/host.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/host_topology.h"
#include "job/launch.h"
#include "gmsim.h"

#define GMS_HOST_COUNT 6
static const char *const gms_host_variables[GMS_HOST_COUNT] = {
    "HWLOC_SYNTHETIC", "HWLOC_XMLFILE",    "HWLOC_THISSYSTEM",
    "HWLOC_FSROOT",    "HWLOC_COMPONENTS", "HWLOC_CPUID_PATH",
};

_Static_assert(sizeof(((gms_host_pause_t *)0)->values) / sizeof(char *) ==
                   GMS_HOST_COUNT,
               "one value for each variable");

/* 1 while the environment contains variables that this file has set. */
static int gms_host_is_shown;

static int gms_host_is_users(void)
{
    return !gms_host_is_shown &&
           (getenv("HWLOC_SYNTHETIC") != NULL ||
            getenv("HWLOC_XMLFILE") != NULL || getenv("HWLOC_FSROOT") != NULL);
}

void gms_host_show(const char *topology)
{
    if (gms_host_is_users()) {
        return;
    }
    if (gms_host_is_shown) {
        unsetenv("HWLOC_SYNTHETIC");
        unsetenv("HWLOC_XMLFILE");
        unsetenv("HWLOC_THISSYSTEM");
        gms_host_is_shown = 0;
    }
    if (strcmp(topology, GMS_HOST_TOPOLOGY_REAL) != 0) {
        setenv(gms_host_topology_is_file(topology) ? "HWLOC_XMLFILE"
                                                   : "HWLOC_SYNTHETIC",
               topology, 1);
        setenv("HWLOC_THISSYSTEM", "0", 1);
        gms_host_is_shown = 1;
    }
}

void gms_host_pause(gms_host_pause_t *pause)
{
    size_t i;

    for (i = 0; i < GMS_HOST_COUNT; ++i) {
        const char *value = getenv(gms_host_variables[i]);

        pause->values[i] = value != NULL ? strdup(value) : NULL;
        unsetenv(gms_host_variables[i]);
    }
}

void gms_host_resume(gms_host_pause_t *pause)
{
    size_t i;

    for (i = 0; i < GMS_HOST_COUNT; ++i) {
        if (pause->values[i] != NULL) {
            setenv(gms_host_variables[i], pause->values[i], 1);
            free(pause->values[i]);
        }
    }
}

void gmsim_show_host(void)
{
    const char *path = getenv("GMSIM_CLUSTER");
    char topology[GMS_HOST_TOPOLOGY_LEN];

    /* Errors in a description are reported when the process joins the job. */
    if (!gms_launch_is_pipe(path) &&
        gms_host_topology_of(path != NULL && path[0] != '\0' ? path : NULL,
                             topology) == GMS_OK) {
        gms_host_show(topology);
    }
}

/* Set the variables, but only in ranks (see the beginning of this file). */
__attribute__((constructor)) static void gms_host_at_start(void)
{
    if (getenv("PMI_RANK") != NULL) {
        gmsim_show_host();
    }
}
