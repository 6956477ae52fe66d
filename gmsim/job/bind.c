/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chooses a job's processing unit, and binds or unbinds a process with all its
 * threads. This file uses system calls instead of hwloc. To load the topology
 * of the real machine, hwloc makes several hundred system calls, and every
 * process of a job would repeat them.
 */
#define _GNU_SOURCE
#include "job/bind.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gms_bind_choose(void)
{
    return sched_getcpu();
}

static int gms_bind_get(int tid, gms_bind_t *bind)
{
    memset(bind, 0, sizeof(*bind));
    return sched_getaffinity(tid, sizeof(*bind), (cpu_set_t *)bind);
}

static int gms_bind_set(int tid, const gms_bind_t *bind)
{
    return sched_setaffinity(tid, sizeof(*bind), (const cpu_set_t *)bind);
}

int gms_bind_read(gms_bind_t *bind)
{
    return gms_bind_get(0, bind);
}

void gms_bind_only(int unit, gms_bind_t *bind)
{
    memset(bind, 0, sizeof(*bind));
    if (unit >= 0 && (unsigned)unit < GMS_BIND_UNITS) {
        bind->units[(unsigned)unit / GMS_BIND_WORD] =
            1ul << (unsigned)unit % GMS_BIND_WORD;
    }
}

int gms_bind_equal(const gms_bind_t *one, const gms_bind_t *other)
{
    return memcmp(one, other, sizeof(*one)) == 0;
}

/* Bind all threads that currently exist. A thread may exit during the call.
 * @return number of threads, or -1 with errno set */
static int gms_bind_each(DIR *threads, const gms_bind_t *bind)
{
    const struct dirent *entry;
    int count = 0;

    while ((entry = readdir(threads)) != NULL) {
        int thread = atoi(entry->d_name);

        if (thread <= 0) {
            continue;
        }
        if (gms_bind_set(thread, bind) == 0) {
            ++count;
        } else if (errno != ESRCH) {
            return -1;
        }
    }
    return count;
}

/* Bind all threads of the process. A pass may miss a thread that another thread
 * creates during the pass. The function therefore repeats the passes until two
 * consecutive passes find the same number of threads. */
static int gms_bind_process(const gms_bind_t *bind)
{
    DIR *threads = opendir("/proc/self/task");
    int before = -1;
    int count = 0;

    if (threads == NULL) {
        return gms_bind_set(0, bind);
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
    gms_bind_t bind;
    int error;

    if (before != NULL && gms_bind_read(before) != 0) {
        free(before);
        before = NULL;
    }
    gms_bind_only(unit, &bind);
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

void gms_bind_move_thread(int tid, const gms_bind_t *from, const gms_bind_t *to)
{
    gms_bind_t present;

    if (gms_bind_get(tid, &present) == 0 && gms_bind_equal(&present, from)) {
        (void)gms_bind_set(tid, to);
    }
}

void gms_bind_move_process(int pid, const gms_bind_t *from,
                           const gms_bind_t *to)
{
    const struct dirent *entry;
    char path[32];
    DIR *threads;

    snprintf(path, sizeof(path), "/proc/%d/task", pid);
    threads = opendir(path);
    if (threads == NULL) {
        gms_bind_move_thread(pid, from, to);
        return;
    }
    while ((entry = readdir(threads)) != NULL) {
        int thread = atoi(entry->d_name);

        if (thread > 0) {
            gms_bind_move_thread(thread, from, to);
        }
    }
    closedir(threads);
}
