/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses the processing unit of a job, and binds or unbinds the process with
 * all its threads. This file uses system calls instead of hwloc. Loading the
 * topology of the real machine takes hwloc several hundred system calls, which
 * every process of a job would make.
 */
#define _GNU_SOURCE
#include "job/bind.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* [source: the largest number of processing units that Linux supports on
 * x86_64] */
#define GMS_BIND_UNITS 8192u
#define GMS_BIND_SETS  (GMS_BIND_UNITS / CPU_SETSIZE)

struct gms_bind {
    cpu_set_t units[GMS_BIND_SETS];
};

int gms_bind_choose(void)
{
    return sched_getcpu();
}

/* Bind all threads that exist now. A thread may end during the call.
 * @return the number of threads, or -1 with errno set */
static int gms_bind_each(DIR *threads, const gms_bind_t *bind)
{
    const struct dirent *entry;
    int count = 0;

    while ((entry = readdir(threads)) != NULL) {
        int thread = atoi(entry->d_name);

        if (thread <= 0) {
            continue;
        }
        if (sched_setaffinity(thread, sizeof(bind->units), bind->units) == 0) {
            ++count;
        } else if (errno != ESRCH) {
            return -1;
        }
    }
    return count;
}

/* Bind all threads of the process. A thread that another thread creates during
 * a pass may be missed. Therefore the passes end only when their numbers of
 * threads are equal. */
static int gms_bind_process(const gms_bind_t *bind)
{
    DIR *threads = opendir("/proc/self/task");
    int before = -1;
    int count = 0;

    if (threads == NULL) {
        return sched_setaffinity(0, sizeof(bind->units), bind->units);
    }
    while (count >= 0 && count != before) {
        before = count;
        rewinddir(threads);
        count = gms_bind_each(threads, bind);
    }
    closedir(threads);
    return count < 0 ? -1 : 0;
}

int gms_bind_to(int unit, gms_bind_t **before_p)
{
    gms_bind_t *before = calloc(1, sizeof(*before));
    gms_bind_t bind = {0};
    int error;

    if (before != NULL &&
        sched_getaffinity(0, sizeof(before->units), before->units) != 0) {
        free(before);
        before = NULL;
    }
    CPU_SET_S((unsigned)unit, sizeof(bind.units), bind.units);
    if (gms_bind_process(&bind) == 0) {
        *before_p = before;
        return 0;
    }
    error = errno;
    free(before);
    errno = error;
    return -1;
}

/* Restore the earlier binding. Errors are ignored because they only make the
 * run slower. */
void gms_bind_back(gms_bind_t *before)
{
    if (before != NULL) {
        (void)gms_bind_process(before);
    }
    free(before);
}
