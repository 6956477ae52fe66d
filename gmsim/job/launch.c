/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and checks PMI_RANK, PMI_SIZE and the GMSIM_* variables. If GMSIM_JOB
 * is not set, the name of the job is derived from the ancestor process that
 * started all ranks.
 */
#define _GNU_SOURCE
#include "job/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GMS_LAUNCH_PATH_LEN 512
#define GMS_LAUNCH_NAME_CHARS                                                  \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

/* Read the parent and the start time (clock ticks since boot) of a process. The
 * second field is the program's name in parentheses. The name may contain any
 * character. The other fields are therefore counted from the last ')'. */
static int gms_launch_stat(const char *proc, pid_t pid, pid_t *parent_p,
                           unsigned long long *start_p)
{
    char path[GMS_LAUNCH_PATH_LEN];
    char text[1024];
    const char *rest;
    size_t length;
    FILE *file;
    int parent;

    snprintf(path, sizeof(path), "%s/%d/stat", proc, (int)pid);
    file = fopen(path, "re");
    if (file == NULL) {
        return -1;
    }
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    rest = strrchr(text, ')');
    if (rest == NULL ||
        sscanf(rest,
               ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
               "%*d %*d %*d %*d %*d %llu",
               &parent, start_p) != 2) {
        return -1;
    }
    *parent_p = (pid_t)parent;
    return 0;
}

/* Return 1 if the environment of the process contains PMI_RANK. An unreadable
 * environment means that the process belongs to another user and is therefore
 * not a rank of this job. */
static int gms_launch_has_rank(const char *proc, pid_t pid)
{
    static const char key[] = "PMI_RANK=";
    char path[GMS_LAUNCH_PATH_LEN];
    char *entry = NULL;
    size_t room = 0;
    int found = 0;
    FILE *file;

    snprintf(path, sizeof(path), "%s/%d/environ", proc, (int)pid);
    file = fopen(path, "re");
    if (file == NULL) {
        return 0;
    }
    while (!found && getdelim(&entry, &room, '\0', file) > 0) {
        found = strncmp(entry, key, sizeof(key) - 1) == 0;
    }
    free(entry);
    fclose(file);
    return found;
}

void gms_launch_job_of(const char *proc, pid_t pid, char job[GMS_JOB_NAME_LEN])
{
    unsigned long long start = 0;
    pid_t parent = 0;

    while (gms_launch_stat(proc, pid, &parent, &start) == 0 && parent > 0 &&
           gms_launch_has_rank(proc, pid)) {
        pid = parent;
    }
    snprintf(job, GMS_JOB_NAME_LEN, "%d-%llu", (int)pid, start);
}

static gms_status_t gms_launch_number(const char *name, const char *text,
                                      unsigned least, unsigned most,
                                      unsigned *value_p,
                                      char error[GMS_ERROR_LEN])
{
    char *end;
    unsigned long value;

    errno = 0;
    value = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
        value < least || value > most) {
        snprintf(error, GMS_ERROR_LEN,
                 "environment variable %s: value '%s' is not a number from "
                 "%u to %u",
                 name, text, least, most);
        return GMS_ERR_CONFIG;
    }
    *value_p = (unsigned)value;
    return GMS_OK;
}

static gms_status_t gms_launch_read_rank(const char *rank, gms_launch_t *launch,
                                         char error[GMS_ERROR_LEN])
{
    const char *size = getenv("PMI_SIZE");
    gms_status_t status;

    if (size == NULL) {
        snprintf(error, GMS_ERROR_LEN,
                 "environment variable PMI_RANK is set but PMI_SIZE is not; "
                 "the launcher must set both, or neither");
        return GMS_ERR_CONFIG;
    }
    status = gms_launch_number("PMI_SIZE", size, 1, GMS_LAUNCH_MAX_SIZE,
                               &launch->size, error);
    if (status == GMS_OK) {
        status = gms_launch_number("PMI_RANK", rank, 0, launch->size - 1,
                                   &launch->rank, error);
    }
    return status;
}

/* The value of GMSIM_SPAWN is FIRST:PROCESS:DESCRIPTOR. */
#define GMS_LAUNCH_SPAWN "%u:%u:%u"

void gms_launch_spawn_text(unsigned first, int fd, char text[64])
{
    snprintf(text, 64, GMS_LAUNCH_SPAWN, first, (unsigned)getpid(),
             (unsigned)fd);
}

static gms_status_t gms_launch_read_spawn(gms_launch_t *launch,
                                          char error[GMS_ERROR_LEN])
{
    const char *spawn = getenv("GMSIM_SPAWN");
    int end = 0;

    if (spawn == NULL || spawn[0] == '\0') {
        return GMS_OK;
    }
    if (sscanf(spawn, GMS_LAUNCH_SPAWN "%n", &launch->first, &launch->spawner,
               &launch->spawner_fd, &end) != 3 ||
        spawn[end] != '\0' || launch->first == 0 ||
        launch->first > GMS_LAUNCH_MAX_SIZE || launch->spawner == 0) {
        snprintf(error, GMS_ERROR_LEN,
                 "environment variable GMSIM_SPAWN: value '%.60s' is invalid; "
                 "only mpiexec sets this variable, for processes that "
                 "MPI_Comm_spawn starts",
                 spawn);
        return GMS_ERR_CONFIG;
    }
    launch->rank += launch->first;
    return GMS_OK;
}

static gms_status_t gms_launch_read_job(const char *proc, int has_rank,
                                        gms_launch_t *launch,
                                        char error[GMS_ERROR_LEN])
{
    const char *job = getenv("GMSIM_JOB");
    size_t length;

    if (job == NULL || job[0] == '\0') {
        if (has_rank) {
            gms_launch_job_of(proc, getppid(), launch->job);
        } else {
            unsigned long long start = 0;
            pid_t parent;

            gms_launch_stat(proc, getpid(), &parent, &start);
            snprintf(launch->job, sizeof(launch->job), "%d-%llu", (int)getpid(),
                     start);
        }
        return GMS_OK;
    }
    length = strlen(job);
    /* Check the job's name, because it will be part of a file name. */
    if (length >= sizeof(launch->job) ||
        strspn(job, GMS_LAUNCH_NAME_CHARS) != length) {
        snprintf(error, GMS_ERROR_LEN,
                 "environment variable GMSIM_JOB: value '%.200s' must consist "
                 "of at most %u letters, digits, '.', '_' or '-'",
                 job, GMS_JOB_NAME_LEN - 1);
        return GMS_ERR_CONFIG;
    }
    memcpy(launch->job, job, length + 1);
    return GMS_OK;
}

/* Return the value of a variable, or NULL. An empty value counts as unset. */
static const char *gms_launch_text(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL && text[0] != '\0' ? text : NULL;
}

int gms_launch_is_pipe(const char *path)
{
    struct stat file;

    return path != NULL && stat(path, &file) == 0 && S_ISFIFO(file.st_mode);
}

gms_status_t gms_launch_check_cluster(const gms_launch_t *launch,
                                      char error[GMS_ERROR_LEN])
{
    if (!gms_launch_is_pipe(launch->cluster)) {
        return GMS_OK;
    }
    snprintf(error, GMS_ERROR_LEN,
             "environment variable GMSIM_CLUSTER: '%.200s' is a pipe, which "
             "only one rank could read; allowed: a regular file",
             launch->cluster);
    return GMS_ERR_CONFIG;
}

/* Check the environment variable that mpiexec reads
 * (adi-gm/launcher/clock.c). */
static gms_status_t gms_launch_check_clock(char error[GMS_ERROR_LEN])
{
    const char *clock = gms_launch_text("GMSIM_CLOCK");

    if (clock == NULL || strcmp(clock, "virtual") == 0 ||
        strcmp(clock, "real") == 0) {
        return GMS_OK;
    }
    snprintf(error, GMS_ERROR_LEN,
             "environment variable GMSIM_CLOCK: value '%.200s' is unknown; "
             "allowed: virtual, real",
             clock);
    return GMS_ERR_CONFIG;
}

gms_status_t gms_launch_read(const char *proc, gms_launch_t *launch,
                             char error[GMS_ERROR_LEN])
{
    const char *rank = getenv("PMI_RANK");
    gms_launch_t found = {
        .rank = 0, .size = 1, .poll_limit_s = GMS_LAUNCH_POLL_LIMIT_S};
    gms_status_t status = GMS_OK;

    if (rank != NULL) {
        status = gms_launch_read_rank(rank, &found, error);
        if (status == GMS_OK) {
            status = gms_launch_read_spawn(&found, error);
        }
    }
    if (status == GMS_OK) {
        status = gms_launch_read_job(proc, rank != NULL, &found, error);
    }
    if (status == GMS_OK && gms_launch_text("GMSIM_PPN") != NULL) {
        status = gms_launch_number("GMSIM_PPN", gms_launch_text("GMSIM_PPN"), 1,
                                   GMS_LAUNCH_MAX_SIZE, &found.per_host, error);
    }
    if (status == GMS_OK && gms_launch_text("GMSIM_POLL_LIMIT") != NULL) {
        status = gms_launch_number(
            "GMSIM_POLL_LIMIT", gms_launch_text("GMSIM_POLL_LIMIT"), 0,
            GMS_LAUNCH_MAX_POLL_LIMIT_S, &found.poll_limit_s, error);
    }
    if (status == GMS_OK) {
        status = gms_launch_check_clock(error);
    }
    if (status != GMS_OK) {
        return status;
    }
    found.hosts = gms_launch_text("GMSIM_HOSTS");
    found.cluster = gms_launch_text("GMSIM_CLUSTER");
    found.dispatch = gms_launch_text("GMSIM_DISPATCH");
    found.record = gms_launch_text("GMSIM_RECORD");
    found.trace = gms_launch_text("GMSIM_TRACE");
    found.trace_format = gms_launch_text("GMSIM_TRACE_FORMAT");
    found.trace_only = gms_launch_text("GMSIM_TRACE_ONLY");
    found.trace_window = gms_launch_text("GMSIM_TRACE_WINDOW");
    found.time = gms_launch_text("GMSIM_TIME");
    *launch = found;
    return GMS_OK;
}
