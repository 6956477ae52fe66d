/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the processing unit of a job with hwloc, and binds or unbinds the
 * process with all its threads. The functions query the topology of the real
 * machine, even if hwloc shows the simulated host to programs.
 */
#include "job/bind.h"

#include <errno.h>
#include <hwloc.h>
#include <stddef.h>
#include <stdlib.h>

#include "job/host.h"

/* Load only the processing units. Detecting caches and devices would take much
 * longer, and would slow down the start of every process of a job. The x86
 * component of hwloc would also move the process to each processor in turn. */
static int gms_bind_load_shown(hwloc_topology_t *topology_p)
{
    if (hwloc_topology_init(topology_p) != 0) {
        return -1;
    }
#if HWLOC_API_VERSION >= 0x00020100
    hwloc_topology_set_components(
        *topology_p, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#endif
    if (hwloc_topology_set_all_types_filter(*topology_p,
                                            HWLOC_TYPE_FILTER_KEEP_NONE) != 0 ||
        hwloc_topology_load(*topology_p) != 0) {
        hwloc_topology_destroy(*topology_p);
        return -1;
    }
    return 0;
}

/* Load the topology of the real machine. Otherwise hwloc would return the
 * simulated host. */
static int gms_bind_load(hwloc_topology_t *topology_p)
{
    gms_host_pause_t pause;
    int result;

    gms_host_pause(&pause);
    result = gms_bind_load_shown(topology_p);
    gms_host_resume(&pause);
    return result;
}

int gms_bind_choose(void)
{
    hwloc_topology_t topology;
    hwloc_cpuset_t here;
    int unit = -1;

    if (gms_bind_load(&topology) != 0) {
        return -1;
    }
    here = hwloc_bitmap_alloc();
    if (here != NULL && hwloc_get_last_cpu_location(
                            topology, here, HWLOC_CPUBIND_THREAD) == 0) {
        unit = hwloc_bitmap_first(here);
    }
    hwloc_bitmap_free(here);
    hwloc_topology_destroy(topology);
    return unit;
}

struct gms_bind {
    hwloc_bitmap_t set;
};

static void gms_bind_free(gms_bind_t *bind)
{
    if (bind != NULL) {
        hwloc_bitmap_free(bind->set);
        free(bind);
    }
}

static gms_bind_t *gms_bind_get(hwloc_topology_t topology)
{
    gms_bind_t *bind = calloc(1, sizeof(*bind));

    if (bind != NULL &&
        ((bind->set = hwloc_bitmap_alloc()) == NULL ||
         hwloc_get_cpubind(topology, bind->set, HWLOC_CPUBIND_PROCESS) != 0)) {
        gms_bind_free(bind);
        return NULL;
    }
    return bind;
}

int gms_bind_to(int unit, gms_bind_t **before_p)
{
    hwloc_topology_t topology;
    gms_bind_t *before;
    hwloc_cpuset_t set;
    int result = -1;
    int error = ENOMEM;

    if (gms_bind_load(&topology) != 0) {
        errno = ENOSYS;
        return -1;
    }
    before = gms_bind_get(topology);
    set = hwloc_bitmap_alloc();
    if (set != NULL) {
        hwloc_bitmap_only(set, (unsigned)unit);
        result = hwloc_set_cpubind(topology, set, HWLOC_CPUBIND_PROCESS);
        error = errno;
    }
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
    if (result == 0) {
        *before_p = before;
    } else {
        gms_bind_free(before);
    }
    errno = error;
    return result;
}

/* Restore the earlier binding. Errors are ignored because they only make the
 * run slower. For example, an error occurs if a thread ends at the same
 * time. */
void gms_bind_back(gms_bind_t *before)
{
    hwloc_topology_t topology;

    if (before != NULL && gms_bind_load(&topology) == 0) {
        hwloc_set_cpubind(topology, before->set, HWLOC_CPUBIND_PROCESS);
        hwloc_topology_destroy(topology);
    }
    gms_bind_free(before);
}
