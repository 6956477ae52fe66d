/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sets and removes the environment variables for hwloc in a process. Only ranks
 * have these variables, because a program that a tool starts must not mistake
 * them for the user's own variables.
 */
#include "job/host.h"

#include <stdlib.h>
#include <string.h>

#include "cluster/host_topology.h"
#include "job/launch.h"
#include "gmsim.h"

/* 1 while the environment contains variables that this file has set. */
static int gms_host_is_shown;

static int gms_host_is_users(void)
{
    return !gms_host_is_shown &&
           (getenv("HWLOC_SYNTHETIC") != NULL ||
            getenv("HWLOC_XMLFILE") != NULL || getenv("HWLOC_FSROOT") != NULL);
}

/* Prevent hwloc from loading plugins while it shows a synthetic host, unless
 * the user has set a plugin directory. The plugins search the real machine for
 * devices and load 20 libraries, for example X11 libraries. [measured: with
 * these libraries, a rank needs 1.7 times as much CPU time to start] */
static void gms_host_load_plugins(int is_loaded)
{
    static int is_set; /* 1 if this function has set the variable */

    if (is_loaded) {
        if (is_set) {
            unsetenv("HWLOC_PLUGINS_PATH");
        }
        is_set = 0;
    } else if (getenv("HWLOC_PLUGINS_PATH") == NULL) {
        is_set = setenv("HWLOC_PLUGINS_PATH", "", 1) == 0;
    }
}

void gms_host_show(const char *topology)
{
    int is_shown = strcmp(topology, GMS_HOST_TOPOLOGY_REAL) != 0;
    int is_file = is_shown && gms_host_topology_is_file(topology);

    if (gms_host_is_users()) {
        return;
    }
    if (gms_host_is_shown) {
        unsetenv("HWLOC_SYNTHETIC");
        unsetenv("HWLOC_XMLFILE");
        unsetenv("HWLOC_THISSYSTEM");
        gms_host_is_shown = 0;
    }
    if (is_shown) {
        setenv(is_file ? "HWLOC_XMLFILE" : "HWLOC_SYNTHETIC", topology, 1);
        setenv("HWLOC_THISSYSTEM", "0", 1);
        gms_host_is_shown = 1;
    }
    gms_host_load_plugins(!is_shown || is_file);
}

void gmsim_show_host(void)
{
    const char *path = getenv("GMSIM_CLUSTER");
    char topology[GMS_HOST_TOPOLOGY_LEN];

    /* An invalid description causes an error only when the process joins the
     * job. */
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
