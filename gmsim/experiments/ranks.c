/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts the processes of a job with the environment of a simulated cluster,
 * and waits for them. This file also passes the requested columns of the job's
 * CSV to the experiment, row by row. If a signal ends the experiment, the
 * signal handler removes the file of the job's shared arena.
 */
#include "config.h"

#include "experiments/ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/directory.h"

#define GMS_RANKS_ENV_LEN 64

/** Parameters of the processes of a job. */
typedef struct gms_ranks_start {
    char program[PATH_MAX], mpirun[PATH_MAX];
    /* argument vector, for example mpirun -n N PROGRAM .. */
    char *arguments[GMS_RANKS_MAX_ARGUMENTS + 5];
    char count[16];
    char cluster[PATH_MAX]; /* path of the cluster description; "": the default
                             * cluster */
    char name[GMS_RANKS_ENV_LEN];
    int cluster_fd; /* -1: none */
    pid_t pids[GMS_RANKS_MAX];
    unsigned processes; /* number of started processes */
} gms_ranks_start_t;

/* ---- signals ---- */

/* Data for the signal handler, which removes the file of the arena. Without the
 * handler, the file would remain if a job were stopped before all of its ranks
 * have joined. */
static struct {
    pid_t pids[GMS_RANKS_MAX];
    volatile sig_atomic_t count;
    char arena[GMS_RANKS_ENV_LEN + 32];
} gms_ranks_running;

static void gms_ranks_on_signal(int number)
{
    sig_atomic_t i;

    for (i = 0; i < gms_ranks_running.count; ++i) {
        (void)kill(gms_ranks_running.pids[i], SIGTERM);
    }
    for (i = 0; i < gms_ranks_running.count; ++i) {
        (void)waitpid(gms_ranks_running.pids[i], NULL, 0);
    }
    (void)unlink(gms_ranks_running.arena);
    _exit(128 + number);
}

static void gms_ranks_handle(void (*handler)(int))
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_handler = handler;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaddset(&action.sa_mask, SIGINT);
    (void)sigaddset(&action.sa_mask, SIGTERM);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

/** Block SIGINT and SIGTERM (SIG_BLOCK), or unblock them. */
static void gms_ranks_mask(int how)
{
    sigset_t signals;

    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGINT);
    (void)sigaddset(&signals, SIGTERM);
    (void)sigprocmask(how, &signals, NULL);
}

/* ---- programs ---- */

static int gms_ranks_find(const char *program, char path[PATH_MAX])
{
    static const char *const places[] = {".", "../../stage/bin"};
    char self[PATH_MAX];
    int is_known = gms_directory_of_program(self) == 0;
    char *search, *directory, *rest;
    int is_found = 0;
    size_t i;

    for (i = 0; is_known && i < sizeof(places) / sizeof(places[0]); ++i) {
        if (snprintf(path, PATH_MAX, "%s/%s/%s", self, places[i], program) <
                PATH_MAX &&
            access(path, X_OK) == 0) {
            return 1;
        }
    }
    search = strdup((getenv("PATH") != NULL) ? getenv("PATH") : "");
    rest = search;
    while (!is_found && rest != NULL &&
           (directory = strsep(&rest, ":")) != NULL) {
        is_found =
            snprintf(path, PATH_MAX, "%s/%s", directory, program) < PATH_MAX &&
            access(path, X_OK) == 0;
    }
    free(search);
    return is_found;
}

int gms_ranks_have_mpi(void)
{
    char path[PATH_MAX];

    return gms_ranks_find("mpirun", path) && gms_ranks_find("mpi-flows", path);
}

/* ---- processes ---- */

/** Store the cluster description in an anonymous file in memory, which the
 *  ranks open through the /proc directory of this process. */
static int gms_ranks_keep_cluster(gms_ranks_start_t *start, const char *text)
{
    size_t len = strlen(text);

    start->cluster_fd = memfd_create("cluster.yaml", MFD_CLOEXEC);
    if (start->cluster_fd < 0 ||
        write(start->cluster_fd, text, len) != (ssize_t)len) {
        return 0;
    }
    (void)snprintf(start->cluster, sizeof(start->cluster), "/proc/%ld/fd/%d",
                   (long)getpid(), start->cluster_fd);
    return 1;
}

static gms_status_t gms_ranks_prepare(gms_lab_t *lab,
                                      const gms_ranks_job_t *job,
                                      gms_ranks_start_t *start)
{
    /* number of jobs that this process has started; part of the name of each
     * job */
    static unsigned jobs;
    static char option[] = "-n";
    size_t n = 0, i;

    memset(start, 0, sizeof(*start));
    start->cluster_fd = -1;
    if (!gms_ranks_find(job->program, start->program)) {
        return gms_lab_fail(lab, GMS_ERR_NOT_FOUND,
                            "the program %s was not found", job->program);
    }
    if (job->is_mpi) {
        if (!gms_ranks_find("mpirun", start->mpirun)) {
            return gms_lab_fail(lab, GMS_ERR_NOT_FOUND,
                                "the program mpirun was not found");
        }
        (void)snprintf(start->count, sizeof(start->count), "%u", job->ranks);
        start->arguments[n++] = start->mpirun;
        start->arguments[n++] = option;
        start->arguments[n++] = start->count;
    }
    start->arguments[n++] = start->program;
    for (i = 0; job->arguments[i] != NULL && i < GMS_RANKS_MAX_ARGUMENTS; ++i) {
        start->arguments[n++] = strdup(job->arguments[i]);
    }
    if (job->cluster != NULL && !gms_ranks_keep_cluster(start, job->cluster)) {
        return gms_lab_fail(lab, GMS_ERR_SYSTEM,
                            "cannot store a cluster description: %s",
                            strerror(errno));
    }
    (void)snprintf(start->name, sizeof(start->name), "experiment-%ld-%u",
                   (long)getpid(), jobs++);
    return GMS_OK;
}

/** Execute the program of a process of the job. The function does not
 *  return. */
static void gms_ranks_become(const gms_ranks_job_t *job,
                             gms_ranks_start_t *start, unsigned rank, int out,
                             pid_t parent)
{
    char number[16], size[16];

    gms_ranks_handle(SIG_DFL);
    gms_ranks_mask(SIG_UNBLOCK);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(1);
    }
    (void)dup2(out, STDOUT_FILENO);
    (void)close(out);
    if (start->cluster[0] != '\0') {
        (void)setenv("GMSIM_CLUSTER", start->cluster, 1);
    } else {
        (void)unsetenv("GMSIM_CLUSTER");
    }
    if (!job->is_mpi) {
        (void)snprintf(number, sizeof(number), "%u", rank);
        (void)snprintf(size, sizeof(size), "%u", job->ranks);
        (void)setenv("PMI_RANK", number, 1);
        (void)setenv("PMI_SIZE", size, 1);
    }
    (void)setenv("GMSIM_JOB", start->name, 1);
    (void)execv(start->arguments[0], start->arguments);
    fprintf(stderr, "%s: %s\n", start->arguments[0], strerror(errno));
    _exit(127);
}

/** Start the processes. @return the read end of their output, or -1 */
static int gms_ranks_start(const gms_ranks_job_t *job, gms_ranks_start_t *start)
{
    unsigned processes = job->is_mpi ? 1 : job->ranks;
    pid_t parent = getpid();
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    for (unsigned rank = 0; rank < processes; ++rank) {
        pid_t pid = fork();

        if (pid == 0) {
            gms_ranks_become(job, start, rank, ends[1], parent);
        }
        if (pid < 0) {
            (void)close(ends[1]);
            (void)close(ends[0]);
            return -1;
        }
        start->pids[start->processes++] = pid;
        gms_ranks_running.pids[gms_ranks_running.count++] = pid;
    }
    (void)close(ends[1]);
    return ends[0];
}

/** Wait for all processes. @return the first exit status that is not 0 */
static int gms_ranks_end(gms_ranks_start_t *start, int is_failed)
{
    int first = 0;

    for (unsigned i = 0; i < start->processes; ++i) {
        int status = 0;

        if (is_failed) {
            (void)kill(start->pids[i], SIGTERM);
        }
        while (waitpid(start->pids[i], &status, 0) < 0 && errno == EINTR) {
        }
        first = (first != 0) ? first : status;
    }
    return first;
}

static void gms_ranks_clear(gms_ranks_start_t *start,
                            const gms_ranks_job_t *job)
{
    size_t i = job->is_mpi ? 4 : 1;

    for (; i < sizeof(start->arguments) / sizeof(start->arguments[0]) &&
           start->arguments[i] != NULL;
         ++i) {
        free(start->arguments[i]);
    }
    if (start->cluster_fd >= 0) {
        (void)close(start->cluster_fd);
    }
}

/* ---- the CSV of the processes ---- */

/** Find the requested columns in the header line of the CSV.
 *  @return the name of a missing column; NULL if no column is missing */
static const char *gms_ranks_match(const char *const *columns, char *head,
                                   int at[GMS_RANKS_MAX_COLUMNS])
{
    int i, column = 0;
    char *name;

    for (i = 0; i < GMS_RANKS_MAX_COLUMNS; ++i) {
        at[i] = -1;
    }
    for (; (name = strsep(&head, ",")) != NULL; ++column) {
        for (i = 0; columns[i] != NULL; ++i) {
            if (strcmp(columns[i], name) == 0) {
                at[i] = column;
            }
        }
    }
    for (i = 0; columns[i] != NULL; ++i) {
        if (at[i] < 0) {
            return columns[i];
        }
    }
    return NULL;
}

static void gms_ranks_cells(char *line, const int at[GMS_RANKS_MAX_COLUMNS],
                            char *cells[GMS_RANKS_MAX_COLUMNS])
{
    static char empty[] = "";
    int i, column = 0;
    char *cell;

    for (i = 0; i < GMS_RANKS_MAX_COLUMNS; ++i) {
        cells[i] = empty;
    }
    for (; (cell = strsep(&line, ",")) != NULL; ++column) {
        for (i = 0; i < GMS_RANKS_MAX_COLUMNS; ++i) {
            if (at[i] == column) {
                cells[i] = cell;
            }
        }
    }
}

static gms_status_t gms_ranks_read(gms_lab_t *lab, const gms_ranks_job_t *job,
                                   FILE *file, gms_ranks_row_fn *row,
                                   void *context)
{
    int at[GMS_RANKS_MAX_COLUMNS];
    char *cells[GMS_RANKS_MAX_COLUMNS];
    int has_head = 0;
    char line[1024];

    while (fgets(line, sizeof(line), file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0') {
            continue;
        }
        if (!has_head) {
            const char *missing = gms_ranks_match(job->columns, line, at);

            if (missing != NULL) {
                return gms_lab_fail(lab, GMS_ERR_NOT_FOUND,
                                    "the CSV output of %s has no column %s",
                                    job->program, missing);
            }
            has_head = 1;
            continue;
        }
        gms_ranks_cells(line, at, cells);
        row(context, cells);
    }
    return GMS_OK;
}

gms_status_t gms_ranks_run(gms_lab_t *lab, const gms_ranks_job_t *job,
                           gms_ranks_row_fn *row, void *context)
{
    gms_ranks_start_t start;
    gms_status_t status = gms_ranks_prepare(lab, job, &start);
    FILE *file = NULL;
    int out = -1, ended;

    if (status == GMS_OK) {
        /* [source: job/job.c names the file] */
        (void)snprintf(gms_ranks_running.arena, sizeof(gms_ranks_running.arena),
                       "/dev/shm/gmsim-%lu-%s", (unsigned long)getuid(),
                       start.name);
        gms_ranks_mask(SIG_BLOCK);
        gms_ranks_handle(gms_ranks_on_signal);
        out = gms_ranks_start(job, &start);
        gms_ranks_mask(SIG_UNBLOCK);
        file = (out >= 0) ? fdopen(out, "r") : NULL;
        if (file == NULL) {
            status = gms_lab_fail(lab, GMS_ERR_SYSTEM, "cannot start %s: %s",
                                  job->program, strerror(errno));
        } else {
            status = gms_ranks_read(lab, job, file, row, context);
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    } else if (out >= 0) {
        (void)close(out);
    }
    ended = gms_ranks_end(&start, status != GMS_OK);
    gms_ranks_handle(SIG_DFL);
    gms_ranks_running.count = 0;
    gms_ranks_clear(&start, job);
    if (status == GMS_OK && ended != 0) {
        status = gms_lab_fail(
            lab, GMS_ERR_SYSTEM, "%s ended with status %d", job->program,
            WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended));
    }
    return status;
}
