/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the machine for gmsim doctor: shared memory at one address in all
 * processes, and the limits on processes and memory.
 */
#define _GNU_SOURCE /* process_vm_readv, sched_getaffinity */

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "engine/arena.h"
#include "job/job.h"
#include "tool/doctor.h"
#include "tool/tool.h"

#define GMS_DOCTOR_DIRECTORY GMS_JOB_DIRECTORY
#define GMS_DOCTOR_MIB       (1u << 20)
/* Shared memory that a job of 16 ranks uses, and shared memory of a job with
 * many ranks and long messages in flight. [assumed: measured with the
 * benchmarks, doubled] */
#define GMS_DOCTOR_LEAST_MIB  64u
#define GMS_DOCTOR_PLENTY_MIB 512u

static uint64_t gms_doctor_arena_bytes(void)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_cluster_t cluster;
    gms_params_t params;

    if (gms_cluster_load(gms_tool_cluster(NULL), &cluster, error) == GMS_OK) {
        params = cluster.params;
        gms_cluster_clear(&cluster);
    } else {
        gms_params_init(&params);
    }
    return gms_params_arena_bytes(&params,
                                  params.hosts * params.ranks_per_host);
}

void gms_doctor_shared_memory(gms_doctor_finding_t *finding)
{
    struct statvfs info;
    uint64_t free_mib;

    if (statvfs(GMS_DOCTOR_DIRECTORY, &info) != 0 ||
        access(GMS_DOCTOR_DIRECTORY, W_OK) != 0) {
        gms_doctor_find(
            finding, GMS_DOCTOR_BAD, "mount a writable tmpfs on this directory",
            "%s cannot be used: %s", GMS_DOCTOR_DIRECTORY, strerror(errno));
        return;
    }
    free_mib = (uint64_t)info.f_bavail * info.f_frsize / GMS_DOCTOR_MIB;
    if (free_mib < GMS_DOCTOR_LEAST_MIB) {
        gms_doctor_find(
            finding, GMS_DOCTOR_BAD,
            "remove files from this directory, or enlarge its file system "
            "(mount -o remount,size=1G; docker run --shm-size=1g)",
            "%llu MiB free in %s; a job needs at least %u MiB",
            (unsigned long long)free_mib, GMS_DOCTOR_DIRECTORY,
            GMS_DOCTOR_LEAST_MIB);
    } else if (free_mib < GMS_DOCTOR_PLENTY_MIB) {
        gms_doctor_find(finding, GMS_DOCTOR_NOTE,
                        "this space is enough for a few ranks; many ranks with "
                        "long messages need more",
                        "%llu MiB free in %s", (unsigned long long)free_mib,
                        GMS_DOCTOR_DIRECTORY);
    } else {
        gms_doctor_find(finding, GMS_DOCTOR_GOOD, NULL, "%llu MiB free in %s",
                        (unsigned long long)free_mib, GMS_DOCTOR_DIRECTORY);
    }
}

void gms_doctor_addresses(gms_doctor_finding_t *finding)
{
    void *wanted = (void *)(uintptr_t)GMS_ARENA_ADDRESS;
    uint64_t bytes = gms_doctor_arena_bytes();
    void *got =
        mmap(wanted, bytes, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
             -1, 0);

    if (got == wanted) {
        (void)munmap(got, bytes);
        gms_doctor_find(finding, GMS_DOCTOR_GOOD, NULL,
                        "%llu MiB of address space starting at %p are free",
                        (unsigned long long)(bytes / GMS_DOCTOR_MIB), wanted);
        return;
    }
    gms_doctor_find(
        finding, GMS_DOCTOR_BAD,
        "allow more address space (ulimit -v unlimited) or set a "
        "smaller arena_bytes in the cluster description",
        "%llu MiB of address space starting at %p cannot be mapped: %s",
        (unsigned long long)(bytes / GMS_DOCTOR_MIB), wanted,
        (got == MAP_FAILED) ? strerror(errno) : "in use");
    if (got != MAP_FAILED) {
        (void)munmap(got, bytes);
    }
}

/** Start a child process that permits other processes to read its memory, as
 *  the processes of a job do. */
static pid_t gms_doctor_victim(int *ready_p)
{
    int ends[2];
    pid_t pid;
    char go;

    if (pipe(ends) != 0) {
        return -1;
    }
    pid = fork();
    if (pid == 0) {
        (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
        (void)!write(ends[1], "", 1);
        (void)pause();
        _exit(0);
    }
    (void)close(ends[1]);
    if (pid > 0 && read(ends[0], &go, 1) != 1) {
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, 0);
        pid = -1;
    }
    *ready_p = ends[0];
    return pid;
}

/** Read a word from a process that is not a child of the reader. @return 0 or
 *  errno */
static int gms_doctor_peek(pid_t victim, const int *word)
{
    int status = 0, copy;
    struct iovec to = {&copy, sizeof(copy)};
    struct iovec from = {(void *)(uintptr_t)word, sizeof(*word)};
    pid_t reader = fork();

    if (reader == 0) {
        _exit((process_vm_readv(victim, &to, 1, &from, 1, 0) ==
               (ssize_t)sizeof(copy))
                  ? 0
                  : errno);
    }
    return (reader > 0 && waitpid(reader, &status, 0) == reader &&
            WIFEXITED(status))
               ? WEXITSTATUS(status)
               : EAGAIN;
}

void gms_doctor_copies(gms_doctor_finding_t *finding)
{
    static const int word = 1;
    int ready = -1, why = EAGAIN;
    pid_t victim = gms_doctor_victim(&ready);

    if (victim > 0) {
        why = gms_doctor_peek(victim, &word);
        (void)kill(victim, SIGKILL);
        (void)waitpid(victim, NULL, 0);
    }
    (void)close(ready);
    if (why == 0) {
        gms_doctor_find(finding, GMS_DOCTOR_GOOD, NULL,
                        "processes can read each other's memory");
    } else {
        gms_doctor_find(
            finding, GMS_DOCTOR_NOTE,
            "long messages require an extra copy (virtual times stay the "
            "same); to avoid this copy, allow process_vm_readv "
            "(kernel.yama.ptrace_scope, the container's seccomp profile)",
            "processes cannot read each other's memory: %s", strerror(why));
    }
}

void gms_doctor_limits(gms_doctor_finding_t *finding)
{
    struct rlimit files, processes;

    (void)getrlimit(RLIMIT_NOFILE, &files);
    (void)getrlimit(RLIMIT_NPROC, &processes);
    if (files.rlim_cur < 256) {
        gms_doctor_find(finding, GMS_DOCTOR_NOTE,
                        "mpirun opens a few files for each rank; raise the "
                        "limit: ulimit -n 1024",
                        "the limit is %llu open files",
                        (unsigned long long)files.rlim_cur);
    } else if (processes.rlim_cur < 256) {
        gms_doctor_find(
            finding, GMS_DOCTOR_NOTE,
            "every rank is a process; raise the limit: ulimit -u 1024",
            "the limit is %llu processes",
            (unsigned long long)processes.rlim_cur);
    } else {
        gms_doctor_find(finding, GMS_DOCTOR_GOOD, NULL,
                        "the limits on open files and processes are high "
                        "enough for 128 ranks");
    }
}

void gms_doctor_cores(gms_doctor_finding_t *finding)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof(set), &set) != 0) {
        gms_doctor_find(finding, GMS_DOCTOR_NOTE,
                        "set `binding: none' in the cluster description",
                        "the available cores cannot be determined: %s",
                        strerror(errno));
        return;
    }
    gms_doctor_find(finding, GMS_DOCTOR_GOOD, NULL,
                    "%d; in virtual time, all ranks of a job share one core",
                    CPU_COUNT(&set));
}
