/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates, locks, maps and removes the file of a job's arena. Before a rank
 * joins, this file compares the rank's cluster, job size and library build with
 * those of the first rank. The contents of the arena are built in job/root.c.
 */
#define _GNU_SOURCE
#include "job/job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "engine/ranks.h"

#define GMS_JOB_MAGIC        UINT64_C(0x316a6d69736d67) /* "gmsimj1" */
#define GMS_JOB_HEADER_BYTES 4096u
#define GMS_JOB_PATH_LEN     512
#define GMS_JOB_SOURCE_LEN   256

/* First pause between two attempts to lock the file, and the amount by which
 * each rank of the job increases the maximum pause. [chosen: all ranks together
 * make at most 10,000 attempts per second] */
#define GMS_JOB_PAUSE_US      UINT64_C(1000)
#define GMS_JOB_RANK_PAUSE_US UINT64_C(100)

/* Return value that asks the caller to try again from the start. Only this file
 * uses it. */
#define GMS_JOB_AGAIN GMS_ERR_NOT_FOUND

typedef struct gms_job_header {
    uint64_t magic;
    uint64_t layout;
    uint64_t bytes;            /* size of the whole file */
    uint32_t size;             /* number of ranks */
    uint32_t builder;          /* rank that builds the arena */
    uint32_t mapped;           /* number of processes that have mapped the
                                  file */
    uint32_t ready;            /* 1 if the arena is complete */
    uint64_t placement_digest; /* gms_placement_digest() */
    char source[GMS_JOB_SOURCE_LEN];
    gms_params_t params;
} gms_job_header_t;

_Static_assert(sizeof(gms_job_header_t) <= GMS_JOB_HEADER_BYTES,
               "the header must fit into one page");

struct gms_job {
    char path[GMS_JOB_PATH_LEN];
    int fd; /* descriptor of the file, which is locked until the job has started
             * and remains open for spawned processes */
    gms_job_header_t *header;
    uint64_t bytes;
    gms_arena_t *arena;
};

static uint64_t gms_job_wall_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void gms_job_pause(uint64_t pause_us)
{
    struct timespec pause = {.tv_sec = (time_t)(pause_us / 1000000),
                             .tv_nsec = (long)(pause_us % 1000000 * 1000)};

    const gms_ranks_t *ranks = gms_ranks();

    if (ranks != NULL) {
        ranks->yield(); /* another rank of this process may hold the lock */
    } else {
        nanosleep(&pause, NULL);
    }
}

/* Return 1 if the path still refers to the open file fd. */
static int gms_job_is_named(const char *path, int fd)
{
    struct stat named;
    struct stat opened;

    return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 &&
           named.st_ino == opened.st_ino && named.st_dev == opened.st_dev;
}

unsigned gms_job_sweep(const char *directory)
{
    char prefix[64];
    char path[GMS_JOB_PATH_LEN];
    struct dirent *entry;
    unsigned removed = 0;
    DIR *dir = opendir(directory);

    if (dir == NULL) {
        return 0;
    }
    snprintf(prefix, sizeof(prefix), "gmsim-%u-", (unsigned)getuid());
    while ((entry = readdir(dir)) != NULL) {
        int fd;

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ||
            snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) >=
                (int)sizeof(path)) {
            continue;
        }
        fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0) {
            continue;
        }
        /* No other process removes the name while this process holds the lock,
         * because removal requires the lock. */
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 && gms_job_is_named(path, fd) &&
            unlink(path) == 0) {
            ++removed;
        }
        close(fd);
    }
    closedir(dir);
    return removed;
}

/* Call flock() with a time limit, because a stopped builder must not block all
 * other processes forever. The pauses between the attempts are proportional to
 * the number of ranks. With constant pauses, the attempts of many ranks would
 * occupy the processors that the builder needs.
 * @param [in] size  number of ranks that may be waiting for the lock */
static gms_status_t gms_job_lock(int fd, int how, unsigned size,
                                 uint64_t limit_ms)
{
    uint64_t most_us = GMS_JOB_PAUSE_US + size * GMS_JOB_RANK_PAUSE_US;
    uint64_t pause_us = GMS_JOB_PAUSE_US;

    while (flock(fd, how | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            return GMS_ERR_SYSTEM;
        }
        if (gms_job_wall_ms() > limit_ms) {
            return GMS_ERR_TIMED_OUT;
        }
        gms_job_pause(pause_us);
        pause_us = pause_us * 3 / 2 < most_us ? pause_us * 3 / 2 : most_us;
    }
    return GMS_OK;
}

static gms_status_t gms_job_map(gms_job_t *job, uint64_t bytes,
                                char error[GMS_ERROR_LEN])
{
    void *wanted = (void *)(uintptr_t)GMS_ARENA_ADDRESS;
    gms_ranks_t *ranks = gms_ranks();
    void *got;

    if (ranks != NULL && ranks->arena != NULL) {
        job->header = ranks->arena;
        job->bytes = bytes;
        return GMS_OK;
    }
    got = mmap(wanted, bytes, PROT_READ | PROT_WRITE,
               MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, job->fd, 0);

    if (got == MAP_FAILED && errno != EEXIST) {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot map the job's arena of %llu bytes: %s; allow more "
                 "address space (ulimit -v) or set a smaller arena_bytes in "
                 "the cluster description",
                 (unsigned long long)bytes, strerror(errno));
        return GMS_ERR_NO_MEMORY;
    }
    if (got != wanted) {
        /* The kernel has mapped the file at another address, because kernels
         * before 4.17 treat the address as a hint. */
        if (got != MAP_FAILED) {
            munmap(got, bytes);
        }
        snprintf(error, GMS_ERROR_LEN,
                 "the addresses from %p on are in use in this process, but the "
                 "job's arena of %llu bytes needs them; set a smaller "
                 "arena_bytes in the cluster description",
                 wanted, (unsigned long long)bytes);
        return GMS_ERR_BUSY;
    }
    job->header = got;
    job->bytes = bytes;
    if (ranks != NULL) {
        ranks->arena = got;
    }
    return GMS_OK;
}

static void gms_job_unmap(gms_job_t *job)
{
    if (job->header != NULL && gms_ranks() == NULL) {
        munmap(job->header, job->bytes);
    }
    job->header = NULL; /* other ranks of this process use the same mapping */
}

static void gms_job_explain(const char *directory, uint64_t bytes,
                            char error[GMS_ERROR_LEN])
{
    char text[GMS_ARENA_SHORT_LEN];

    snprintf(error, GMS_ERROR_LEN, "%s",
             gms_arena_explain_directory(directory, bytes, text));
}

/* Set the size of the file and allocate its first page, because later accesses
 * to this page must not fail. */
static gms_status_t gms_job_size_file(gms_job_t *job, const char *directory,
                                      uint64_t bytes, char error[GMS_ERROR_LEN])
{
    struct rlimit limit;
    int result;

    /* If the file exceeded this limit, ftruncate() would kill the process with
     * a signal. */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur) {
        snprintf(error, GMS_ERROR_LEN,
                 "the job's arena of %llu bytes exceeds the limit of file "
                 "sizes; allow larger files (ulimit -f) or set a smaller "
                 "arena_bytes in the cluster description",
                 (unsigned long long)bytes);
        return GMS_ERR_NO_MEMORY;
    }
    result = ftruncate(job->fd, (off_t)bytes) == 0 ? 0 : errno;
    if (result == 0) {
        result = posix_fallocate(job->fd, 0, GMS_JOB_HEADER_BYTES);
    }
    if (result == ENOSPC) {
        gms_job_explain(directory, GMS_JOB_HEADER_BYTES, error);
        return GMS_ERR_NO_MEMORY;
    }
    if (result != 0) {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot allocate the job's arena %s of %llu bytes: %s",
                 job->path, (unsigned long long)bytes, strerror(result));
        return GMS_ERR_NO_MEMORY;
    }
    return GMS_OK;
}

static gms_status_t gms_job_format(gms_job_t *job, const gms_job_spec_t *spec,
                                   char error[GMS_ERROR_LEN])
{
    gms_job_header_t *header = job->header;
    gms_status_t status;

    header->magic = GMS_JOB_MAGIC;
    header->layout = spec->layout;
    header->bytes = job->bytes;
    header->size = spec->size;
    header->builder = spec->rank;
    header->params = *spec->params;
    header->placement_digest = spec->placement_digest;
    snprintf(header->source, sizeof(header->source), "%s", spec->source);
    status = gms_arena_format((char *)header + GMS_JOB_HEADER_BYTES,
                              job->bytes - GMS_JOB_HEADER_BYTES, &job->arena);
    if (status == GMS_OK) {
        gms_arena_set_directory(job->arena, spec->directory);
    } else if (status == GMS_ERR_NO_MEMORY) {
        gms_job_explain(spec->directory, GMS_JOB_HEADER_BYTES, error);
    } else {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot initialize the job's arena %s of %llu bytes: %s",
                 job->path, (unsigned long long)job->bytes,
                 gms_status_text(status));
    }
    return status;
}

/* Count a process that has mapped the file. The last process that maps the file
 * removes the name. */
static void gms_job_count_in(gms_job_t *job)
{
    if (__atomic_add_fetch(&job->header->mapped, 1, __ATOMIC_ACQ_REL) ==
        job->header->size) {
        unlink(job->path);
    }
}

/* Append the explanation from gms_arena_explain() for the lack of memory to the
 * error. */
static void gms_job_add_shortage(const gms_job_t *job,
                                 char error[GMS_ERROR_LEN])
{
    char text[GMS_ARENA_SHORT_LEN];
    size_t length = strlen(error);

    if (gms_arena_explain(job->arena, text)[0] != '\0') {
        snprintf(error + length, GMS_ERROR_LEN - length, "; %s", text);
    }
}

static gms_status_t gms_job_build(gms_job_t *job, const gms_job_spec_t *spec,
                                  gms_job_build_fn *build, void *context,
                                  char error[GMS_ERROR_LEN])
{
    uint64_t bytes = gms_params_arena_bytes(spec->params, spec->size) /
                     GMS_JOB_HEADER_BYTES * GMS_JOB_HEADER_BYTES;
    gms_status_t status;

    if (flock(job->fd, LOCK_EX) != 0 || !gms_job_is_named(job->path, job->fd)) {
        return GMS_JOB_AGAIN; /* another process removed the file before this
                               * process locked it */
    }
    status = gms_job_size_file(job, spec->directory, bytes, error);
    if (status == GMS_OK) {
        status = gms_job_map(job, bytes, error);
    }
    if (status == GMS_OK) {
        status = gms_job_format(job, spec, error);
    }
    if (status == GMS_OK) {
        status = build(job->arena, context, error);
        if (status == GMS_ERR_NO_MEMORY) {
            gms_job_add_shortage(job, error);
        }
    }
    if (status != GMS_OK) {
        unlink(job->path);
        return status;
    }
    __atomic_store_n(&job->header->ready, 1, __ATOMIC_RELEASE);
    /* A change of the lock from exclusive to shared releases it for a moment.
     * At this moment, another process may remove the file. */
    if (flock(job->fd, LOCK_SH) != 0 || !gms_job_is_named(job->path, job->fd)) {
        return GMS_JOB_AGAIN;
    }
    gms_job_count_in(job);
    return GMS_OK;
}

/* Describe the difference between two cluster descriptions. */
static gms_status_t gms_job_compare_params(const gms_job_header_t *header,
                                           const gms_job_spec_t *spec,
                                           char error[GMS_ERROR_LEN])
{
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        uint64_t theirs = gms_param_get(&header->params, row);
        uint64_t ours = gms_param_get(spec->params, row);

        if (theirs != ours) {
            snprintf(error, GMS_ERROR_LEN,
                     "the ranks of job %s have different clusters: %s is %llu "
                     "for rank %u (%s) and %llu for rank %u (%s); set the same "
                     "GMSIM_CLUSTER and GMSIM_TIME for all ranks",
                     spec->name, row->name, (unsigned long long)theirs,
                     header->builder, header->source, (unsigned long long)ours,
                     spec->rank, spec->source);
            return GMS_ERR_CONFIG;
        }
    }
    if (header->placement_digest != spec->placement_digest) {
        snprintf(error, GMS_ERROR_LEN,
                 "rank %u (%s) and rank %u (%s) of job %s have different "
                 "placements of ranks on hosts; set the same GMSIM_CLUSTER, "
                 "GMSIM_HOSTS and GMSIM_PPN for all ranks",
                 header->builder, header->source, spec->rank, spec->source,
                 spec->name);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

static gms_status_t gms_job_compare(const gms_job_header_t *header,
                                    const gms_job_spec_t *spec,
                                    char error[GMS_ERROR_LEN])
{
    if (header->magic != GMS_JOB_MAGIC || header->layout != spec->layout) {
        snprintf(
            error, GMS_ERROR_LEN,
            "rank %u of job %s uses a different build of the library than the "
            "first rank (layouts %016llx and %016llx); use the same libgm "
            "for all ranks",
            spec->rank, spec->name, (unsigned long long)spec->layout,
            (unsigned long long)header->layout);
        return GMS_ERR_CONFIG;
    }
    if (header->size != spec->size) {
        snprintf(
            error, GMS_ERROR_LEN,
            "job %s has %u ranks according to rank %u, but %u ranks according "
            "to rank %u; two jobs must not have the same GMSIM_JOB",
            spec->name, header->size, header->builder, spec->size, spec->rank);
        return GMS_ERR_CONFIG;
    }
    return gms_job_compare_params(header, spec, error);
}

/* Check the header of a non-empty file. If the header is incomplete, the
 * builder of the file has died. */
static gms_status_t gms_job_check_header(gms_job_t *job,
                                         const gms_job_spec_t *spec,
                                         uint64_t *bytes_p,
                                         char error[GMS_ERROR_LEN])
{
    gms_job_header_t header;
    gms_status_t status;

    if (pread(job->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header)) {
        snprintf(error, GMS_ERROR_LEN, "cannot read %s: %s", job->path,
                 strerror(errno));
        return GMS_ERR_SYSTEM;
    }
    if (!header.ready) {
        snprintf(
            error, GMS_ERROR_LEN,
            "the process that built the simulated cluster of job %s has died",
            spec->name);
        status = GMS_ERR_PEER_DIED;
    } else {
        status = gms_job_compare(&header, spec, error);
    }
    if (status != GMS_OK) {
        unlink(job->path); /* remove the name, because the job cannot start
                              without this rank */
        return status;
    }
    *bytes_p = header.bytes;
    return GMS_OK;
}

static gms_status_t gms_job_find(gms_job_t *job, const gms_job_spec_t *spec,
                                 uint64_t limit_ms, char error[GMS_ERROR_LEN])
{
    struct stat file;
    uint64_t bytes;
    gms_status_t status = gms_job_lock(job->fd, LOCK_SH, spec->size, limit_ms);

    if (status != GMS_OK) {
        snprintf(error, GMS_ERROR_LEN,
                 "the simulated cluster of job %s is still being built after "
                 "%llu s",
                 spec->name, (unsigned long long)spec->params->start_limit_s);
        return status;
    }
    if (!gms_job_is_named(job->path, job->fd) || fstat(job->fd, &file) != 0 ||
        file.st_size == 0) {
        return GMS_JOB_AGAIN; /* either the file was removed, or it has just
                               * been created and is still empty */
    }
    status = gms_job_check_header(job, spec, &bytes, error);
    if (status == GMS_OK) {
        status = gms_job_map(job, bytes, error);
    }
    if (status == GMS_OK) {
        job->arena =
            (gms_arena_t *)(void *)((char *)job->header + GMS_JOB_HEADER_BYTES);
        gms_job_count_in(job);
    }
    return status;
}

/* Explain why the arena's file could not be opened, and what the user can
 * do. */
static void gms_job_explain_open(const gms_job_t *job, int reason,
                                 char error[GMS_ERROR_LEN])
{
    const char *folder_end = strrchr(job->path, '/');
    int length = folder_end != NULL ? (int)(folder_end - job->path) : 0;

    if (reason == EMFILE || reason == ENFILE) {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot open the job's arena %s: %s; allow more open files "
                 "(ulimit -n)",
                 job->path, strerror(reason));
    } else if (reason == ENOENT || reason == EROFS || reason == EACCES) {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot open the job's arena %s: %s; mount a tmpfs on %.*s "
                 "that this user may write to",
                 job->path, strerror(reason), length, job->path);
    } else {
        snprintf(error, GMS_ERROR_LEN, "cannot open the job's arena %s: %s",
                 job->path, strerror(reason));
    }
}

/* Open an existing file. The process must not wait for a file of another user,
 * because it can never use that file. */
static gms_status_t gms_job_open(gms_job_t *job, int flags,
                                 char error[GMS_ERROR_LEN])
{
    struct stat file;
    int is_there;

    job->fd = open(job->path, flags | O_NONBLOCK);
    if (job->fd < 0 && errno == ENOENT) {
        return GMS_JOB_AGAIN;
    }
    gms_job_explain_open(job, errno, error);
    is_there = job->fd >= 0 ? fstat(job->fd, &file) : lstat(job->path, &file);
    if (is_there == 0 && file.st_uid != getuid()) {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot create the job's arena: the file %s belongs to user "
                 "%u; choose another name for the job (GMSIM_JOB)",
                 job->path, (unsigned)file.st_uid);
        return GMS_ERR_SYSTEM;
    }
    if (is_there == 0 && !S_ISREG(file.st_mode)) {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot create the job's arena: %s is not a regular file; "
                 "remove it, or choose another name for the job (GMSIM_JOB)",
                 job->path);
        return GMS_ERR_SYSTEM;
    }
    return job->fd >= 0 ? GMS_OK : GMS_ERR_SYSTEM;
}

static gms_status_t gms_job_try(gms_job_t *job, const gms_job_spec_t *spec,
                                gms_job_build_fn *build, void *context,
                                uint64_t limit_ms, char error[GMS_ERROR_LEN])
{
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;

    job->fd = open(job->path, flags | O_CREAT | O_EXCL, 0600);
    if (job->fd >= 0) {
        return gms_job_build(job, spec, build, context, error);
    }
    if (errno == EEXIST) {
        gms_status_t status = gms_job_open(job, flags, error);

        return status == GMS_OK ? gms_job_find(job, spec, limit_ms, error)
                                : status;
    }
    gms_job_explain_open(job, errno, error);
    return GMS_ERR_SYSTEM;
}

static void gms_job_close_file(gms_job_t *job)
{
    if (job->fd >= 0) {
        close(job->fd);
        job->fd = -1;
    }
}

gms_status_t gms_job_attach(const gms_job_spec_t *spec, gms_job_build_fn *build,
                            void *context, gms_job_t **job_p,
                            char error[GMS_ERROR_LEN])
{
    uint64_t limit_ms = gms_job_wall_ms() + spec->params->start_limit_s * 1000;
    gms_job_t *job = calloc(1, sizeof(*job));
    gms_status_t status;

    if (job == NULL) {
        snprintf(error, GMS_ERROR_LEN, "out of memory");
        return GMS_ERR_NO_MEMORY;
    }
    snprintf(job->path, sizeof(job->path), "%s/gmsim-%u-%s", spec->directory,
             (unsigned)getuid(), spec->name);
    gms_job_sweep(spec->directory);
    while ((status = gms_job_try(job, spec, build, context, limit_ms, error)) ==
           GMS_JOB_AGAIN) {
        gms_job_unmap(job);
        gms_job_close_file(job);
        if (gms_job_wall_ms() > limit_ms) {
            snprintf(error, GMS_ERROR_LEN,
                     "timed out while waiting for another process to build the "
                     "simulated cluster in %s",
                     job->path);
            status = GMS_ERR_TIMED_OUT;
            break;
        }
        gms_job_pause(GMS_JOB_PAUSE_US);
    }
    if (status != GMS_OK) {
        gms_job_detach(job);
        return status;
    }
    *job_p = job;
    return GMS_OK;
}

gms_arena_t *gms_job_arena(const gms_job_t *job)
{
    return job->arena;
}

/* Smallest allowed number of the descriptor that remains open. Programs expect
 * smaller numbers for their own files. */
#define GMS_JOB_LEAST_FD 500

void gms_job_started(gms_job_t *job)
{
    int fd = fcntl(job->fd, F_DUPFD_CLOEXEC, GMS_JOB_LEAST_FD);

    (void)flock(job->fd, LOCK_UN);
    if (fd >= 0) {
        gms_job_close_file(job);
        job->fd = fd;
    }
}

int gms_job_descriptor(const gms_job_t *job)
{
    return job->fd;
}

gms_status_t gms_job_attach_running(const char *path, uint64_t layout,
                                    gms_job_t **job_p,
                                    char error[GMS_ERROR_LEN])
{
    gms_job_t *job = calloc(1, sizeof(*job));
    gms_job_header_t header;
    gms_status_t status = GMS_ERR_SYSTEM;

    if (job == NULL) {
        snprintf(error, GMS_ERROR_LEN, "out of memory");
        return GMS_ERR_NO_MEMORY;
    }
    snprintf(job->path, sizeof(job->path), "%s", path);
    job->fd = open(path, O_RDWR | O_CLOEXEC);
    if (job->fd < 0 ||
        pread(job->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header)) {
        snprintf(error, GMS_ERROR_LEN,
                 "cannot read the arena of the job that spawned this process "
                 "(%s): %s",
                 path, strerror(errno));
    } else if (header.magic != GMS_JOB_MAGIC || header.layout != layout) {
        snprintf(error, GMS_ERROR_LEN,
                 "this process uses a different build of the library than the "
                 "process that spawned it; use the same libgm for all "
                 "processes");
        status = GMS_ERR_CONFIG;
    } else {
        status = gms_job_map(job, header.bytes, error);
    }
    if (status != GMS_OK) {
        gms_job_detach(job);
        return status;
    }
    job->arena =
        (gms_arena_t *)(void *)((char *)job->header + GMS_JOB_HEADER_BYTES);
    *job_p = job;
    return GMS_OK;
}

void gms_job_give_up(gms_job_t *job)
{
    if (job->fd >= 0 && gms_job_is_named(job->path, job->fd)) {
        unlink(job->path);
    }
    gms_job_close_file(job);
}

void gms_job_detach(gms_job_t *job)
{
    if (job != NULL) {
        gms_job_close_file(job);
        gms_job_unmap(job);
        free(job);
    }
}
