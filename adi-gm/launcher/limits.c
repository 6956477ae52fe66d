/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the limits of the shell that were too low for a failed job; see limits.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* on_exit */
#endif
#include "limits.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define LIMITS_KIB 1024ull
#define LIMITS_MIB (1024 * LIMITS_KIB)
/* Number of files that mpiexec or its proxy opens, and number of additional files per
 * rank. A job of 4 ranks needs 24 files, including three inherited ones. [measured] */
#define LIMITS_FILES      8
#define LIMITS_RANK_FILES 4
/* With a limit above this number, inherited files are not counted, because counting would
 * take a millisecond, and because these files are few compared with the limit. */
#define LIMITS_MANY_FILES 4096
/* Threads of mpiexec and its proxy; threads of a rank, including its watcher thread. */
#define LIMITS_THREADS      2
#define LIMITS_RANK_THREADS 2
/* Stack that the launcher itself needs [measured], and stack that the launcher and a
 * program need. */
#define LIMITS_LEAST_STACK (128 * LIMITS_KIB)
#define LIMITS_STACK       (512 * LIMITS_KIB)
/* The libraries of a rank need 12 MiB, its heap needs additional memory, and the
 * smallest arena needs 16 MiB. The library itself reports an arena that does not fit
 * into the address space. */
#define LIMITS_SPACE (64 * LIMITS_MIB)
/* By default, the arena is a file of 256 MiB for each rank, but of at least 4 GiB and at
 * most 256 GiB (parameter arena_bytes). */
#define LIMITS_RANK_FILE_BYTES (256 * LIMITS_MIB)
#define LIMITS_FILE_RANKS      16ull
#define LIMITS_FILE_MOST_RANKS 1024ull

static unsigned limits_inherited;

static unsigned limits_open_files(void)
{
    struct rlimit limit;
    unsigned open = 0;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
        limit.rlim_cur > LIMITS_MANY_FILES) {
        return 0;
    }
    for (int fd = 0; fd < (int)limit.rlim_cur; ++fd) {
        open += fcntl(fd, F_GETFD) >= 0;
    }
    return open;
}

/* The limit counts the threads of all processes of the user. */
static unsigned long long limits_threads_of_user(void)
{
    unsigned long long threads = 0;
    const struct dirent *entry;
    DIR *processes = opendir("/proc");

    if (processes == NULL) {
        return 0;
    }
    while ((entry = readdir(processes)) != NULL) {
        char path[300];
        struct stat tasks;

        snprintf(path, sizeof(path), "/proc/%s/task", entry->d_name);
        if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' &&
            stat(path, &tasks) == 0 && tasks.st_uid == getuid()) {
            threads += tasks.st_nlink - 2;
        }
    }
    closedir(processes);
    return threads;
}

/* Return the number of ranks for which the arena has addresses. */
static unsigned long long limits_arena_ranks(unsigned long long ranks)
{
    if (ranks < LIMITS_FILE_RANKS) {
        return LIMITS_FILE_RANKS;
    }
    return ranks < LIMITS_FILE_MOST_RANKS ? ranks : LIMITS_FILE_MOST_RANKS;
}

/* Report a soft limit below `least`; both are counted in `unit`. */
static void limits_check(int resource, unsigned long long least,
                         unsigned long long unit, const char *what,
                         const char *option)
{
    struct rlimit limit;

    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= least) {
        return;
    }
    fprintf(stderr,
            "mpiexec: the limit of %llu %s (ulimit %s) may be too low for this "
            "job; raise the limit to at least %llu (ulimit %s %llu)\n",
            (unsigned long long)limit.rlim_cur / unit, what, option,
            (least + unit - 1) / unit, option, (least + unit - 1) / unit);
}

static void limits_explain(int status, void *context)
{
    const int *ranks = context;
    unsigned long long count = *ranks > 0 ? (unsigned long long)*ranks : 1;

    if (status == 0) {
        return;
    }
    if (access("/proc/self/fd", F_OK) != 0) {
        fputs("mpiexec: /proc is missing, but the launcher needs it; mount it "
              "(mount -t proc proc /proc)\n",
              stderr);
    }
    limits_check(RLIMIT_NOFILE,
                 limits_inherited + LIMITS_FILES + LIMITS_RANK_FILES * count, 1,
                 "open files", "-n");
    if (geteuid() != 0) {
        limits_check(RLIMIT_NPROC,
                     limits_threads_of_user() + LIMITS_THREADS +
                         LIMITS_RANK_THREADS * count,
                     1, "processes and threads of this user", "-u");
    }
    limits_check(RLIMIT_STACK, LIMITS_STACK, LIMITS_KIB, "KiB of stack", "-s");
    limits_check(RLIMIT_AS, LIMITS_SPACE, LIMITS_KIB, "KiB of address space",
                 "-v");
    limits_check(RLIMIT_DATA, LIMITS_SPACE, LIMITS_KIB, "KiB of data", "-d");
    limits_check(RLIMIT_FSIZE,
                 limits_arena_ranks(count) * LIMITS_RANK_FILE_BYTES, LIMITS_KIB,
                 "KiB for a file", "-f");
}

void gml_explain_limits_at_exit(int *ranks)
{
    struct rlimit limit;

    limits_inherited = limits_open_files();
    on_exit(limits_explain, ranks);
    /* Exit now, because with such a small stack the launcher would later be killed by
     * SIGSEGV. */
    if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
        limit.rlim_cur < LIMITS_LEAST_STACK) {
        exit(EXIT_FAILURE);
    }
}
