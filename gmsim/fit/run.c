/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs mpi-pingpong in slots: each slot has a directory, and a keeper
 * (sweep/keeper.h) that starts mpirun and removes all its processes. One run
 * measures all sizes, because the start of a job takes longer than the
 * simulation of most sizes.
 */
#define _GNU_SOURCE
#include "fit/run.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/printable.h"
#include "fit/profile.h"
#include "sweep/base.h"
#include "sweep/core.h"
#include "sweep/keeper.h"

/* Number of round trips of each size: two samples, after two round trips that
 * are not measured because they register memory and open connections.
 * Measurements in virtual time have no noise. [chosen] */
#define GMS_FIT_SAMPLES "-w 2 -i 2"
/* Time limit of a run, seconds. A run takes less than a second. [chosen] */
#define GMS_FIT_TIMEOUT_S 600
#define GMS_FIT_WAIT_MS   200

/** A finished run. */
typedef struct gms_fit_known {
    uint64_t values[GMS_FIT_FREE_MAX];
    double *us;
} gms_fit_known_t;

typedef struct gms_fit_slot {
    pid_t keeper;     /* 0: the slot is free */
    uint64_t *values; /* parameter values of the run */
    char *directory;
    gms_sweep_cores_t cores;
} gms_fit_slot_t;

struct gms_fit_runner {
    const gms_fit_run_config_t *config;
    char *directory, *command;
    gms_fit_slot_t *slots;
    gms_fit_known_t *known;
    size_t known_count, known_room;
    sigset_t signals, before;
    int signal;
    char error[GMS_FIT_RUN_ERROR_LEN];
};

/* ---- command ---- */

/** Quote a word so that the shell does not change it. */
static void gms_fit_quote(FILE *file, const char *word)
{
    fputc('\'', file);
    for (; *word != '\0'; ++word) {
        if (*word == '\'') {
            fputs("'\\''", file);
        } else {
            fputc(*word, file);
        }
    }
    fputc('\'', file);
}

static int gms_fit_has_program(const char *directory, const char *name,
                               FILE *command)
{
    char *path = gms_sweep_join(directory, name);
    int is_there = path != NULL && access(path, X_OK) == 0;

    if (is_there) {
        gms_fit_quote(command, path);
    }
    free(path);
    return is_there;
}

/** Write the command that measures all sizes of the table. */
static gms_status_t gms_fit_command(gms_fit_runner_t *runner, char *error)
{
    const gms_fit_run_config_t *config = runner->config;
    size_t length = 0, i;
    FILE *file = open_memstream(&runner->command, &length);
    int is_good;

    if (file == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    fputs("exec ", file);
    is_good = gms_fit_has_program(config->programs, "mpirun", file);
    fputs(" -n 2 ", file);
    is_good =
        is_good && gms_fit_has_program(config->programs, "mpi-pingpong", file);
    fputs(" --csv " GMS_FIT_SAMPLES " --size ", file);
    for (i = 0; i < config->table->count; ++i) {
        fprintf(file, "%s%" PRIu64, i > 0 ? "," : "",
                config->table->rows[i].bytes);
    }
    if (fclose(file) != 0) {
        return GMS_ERR_NO_MEMORY;
    }
    if (!is_good) {
        (void)snprintf(error, GMS_FIT_RUN_ERROR_LEN,
                       "mpirun and mpi-pingpong are not in %.300s; install "
                       "gmqos with MPICH",
                       config->programs);
        return GMS_ERR_NOT_FOUND;
    }
    return GMS_OK;
}

/** Write the cluster description of a run. */
static gms_status_t gms_fit_describe(gms_fit_runner_t *runner,
                                     const gms_fit_slot_t *slot)
{
    const gms_fit_run_config_t *config = runner->config;
    char *path = gms_sweep_join(slot->directory, "cluster.yaml");
    FILE *file = path != NULL ? fopen(path, "we") : NULL;
    gms_params_t params;

    free(path);
    if (file == NULL) {
        return GMS_ERR_SYSTEM;
    }
    gms_fit_set(config->frees, slot->values, config->base, &params);
    fputs("hosts: 2\ntime: virtual\n", file);
    gms_fit_write(file, config->profile, &params);
    return fclose(file) == 0 ? GMS_OK : GMS_ERR_SYSTEM;
}

/* ---- known results ---- */

static const gms_fit_known_t *gms_fit_find(const gms_fit_runner_t *runner,
                                           const uint64_t *values)
{
    size_t bytes = runner->config->frees->count * sizeof(*values), i;

    for (i = 0; i < runner->known_count; ++i) {
        if (memcmp(runner->known[i].values, values, bytes) == 0) {
            return &runner->known[i];
        }
    }
    return NULL;
}

/** Return 1 if a slot is simulating this point. */
static int gms_fit_is_running(const gms_fit_runner_t *runner,
                              const uint64_t *values)
{
    size_t bytes = runner->config->frees->count * sizeof(*values);
    unsigned i;

    for (i = 0; i < runner->config->jobs; ++i) {
        if (runner->slots[i].keeper > 0 &&
            memcmp(runner->slots[i].values, values, bytes) == 0) {
            return 1;
        }
    }
    return 0;
}

static gms_status_t gms_fit_learn(gms_fit_runner_t *runner,
                                  const uint64_t *values,
                                  const gms_fit_table_t *simulated)
{
    size_t rows = runner->config->table->count, i;
    gms_fit_known_t *known;

    if (runner->known_count == runner->known_room) {
        size_t room = runner->known_room == 0 ? 64 : 2 * runner->known_room;

        known = realloc(runner->known, room * sizeof(*known));
        if (known == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        runner->known = known;
        runner->known_room = room;
    }
    known = &runner->known[runner->known_count];
    known->us = calloc(rows, sizeof(*known->us));
    if (known->us == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    memcpy(known->values, values,
           runner->config->frees->count * sizeof(*values));
    for (i = 0; i < rows; ++i) {
        known->us[i] = simulated->rows[i].us;
    }
    ++runner->known_count;
    return GMS_OK;
}

/* ---- end of a run ---- */

/** Append the first line of the run's standard error to the error message,
 *  because mpirun prints its own lines after the message of a rank. */
static void gms_fit_complain(gms_fit_runner_t *runner,
                             const gms_fit_slot_t *slot)
{
    char *path = gms_sweep_join(slot->directory, "stderr");
    size_t length = 0, used = strlen(runner->error);
    char *text = path != NULL ? gms_sweep_read(path, &length) : NULL;

    free(path);
    if (text != NULL) {
        text[strcspn(text, "\n")] = '\0';
        (void)snprintf(runner->error + used, GMS_FIT_RUN_ERROR_LEN - used,
                       ": %s", gms_printable_here(text));
        free(text);
    }
}

/** Check whether the command of a run was successful. */
static int gms_fit_is_done(gms_fit_runner_t *runner, const gms_fit_slot_t *slot)
{
    char *path = gms_sweep_join(slot->directory, "status");
    size_t length = 0;
    char *text = path != NULL ? gms_sweep_read(path, &length) : NULL;
    int is_done = text != NULL && strcmp(text, "done\n") == 0;

    free(path);
    if (!is_done) {
        (void)snprintf(runner->error, GMS_FIT_RUN_ERROR_LEN,
                       "a simulated ping-pong %.*s",
                       text != NULL ? (int)strcspn(text, "\n") : 22,
                       text != NULL ? text : "ended without a status");
        gms_fit_complain(runner, slot);
    }
    free(text);
    return is_done;
}

/** Read the times of a finished run. */
static gms_status_t gms_fit_collect_slot(gms_fit_runner_t *runner,
                                         gms_fit_slot_t *slot)
{
    char error[GMS_FIT_ERROR_LEN] = "";
    gms_fit_table_t *simulated;
    gms_status_t status = GMS_ERR_NO_MEMORY;
    char *path;

    slot->keeper = 0;
    gms_sweep_cores_release(&slot->cores);
    if (!gms_fit_is_done(runner, slot)) {
        return GMS_ERR_SYSTEM;
    }
    simulated = calloc(1, sizeof(*simulated));
    path = gms_sweep_join(slot->directory, "stdout");
    if (simulated != NULL && path != NULL) {
        status = gms_fit_table_load(path, NULL, simulated, error);
        if (status == GMS_OK &&
            simulated->count != runner->config->table->count) {
            (void)snprintf(error, sizeof(error),
                           "mpi-pingpong printed %zu of %zu sizes",
                           simulated->count, runner->config->table->count);
            status = GMS_ERR_SYSTEM;
        }
    }
    (void)snprintf(runner->error, GMS_FIT_RUN_ERROR_LEN, "%s", error);
    if (status == GMS_OK) {
        status = gms_fit_learn(runner, slot->values, simulated);
    }
    free(path);
    free(simulated);
    if (status == GMS_OK && runner->config->on_run != NULL) {
        runner->config->on_run(runner->config->context,
                               (unsigned)runner->known_count);
    }
    return status;
}

/* ---- start of a run ---- */

/** In a keeper process, release the claims on processors that belong to other
 *  runs. */
static void gms_fit_let_others(void *context)
{
    gms_fit_runner_t *runner = context;
    unsigned i;

    for (i = 0; i < runner->config->jobs; ++i) {
        if (runner->slots[i].keeper > 0) {
            gms_sweep_cores_release(&runner->slots[i].cores);
        }
    }
}

static gms_status_t gms_fit_start(gms_fit_runner_t *runner,
                                  gms_fit_slot_t *slot, const uint64_t *values)
{
    gms_sweep_task_t task = {.directory = slot->directory,
                             .command = runner->command,
                             .timeout_s = GMS_FIT_TIMEOUT_S,
                             .begin_fn = gms_fit_let_others,
                             .context = runner};
    char *path = gms_sweep_join(slot->directory, "status");

    memcpy(slot->values, values,
           runner->config->frees->count * sizeof(*values));
    if (path == NULL || gms_fit_describe(runner, slot) != GMS_OK) {
        (void)snprintf(runner->error, GMS_FIT_RUN_ERROR_LEN,
                       "cannot write to %.300s: %s", slot->directory,
                       strerror(errno));
        free(path);
        return GMS_ERR_SYSTEM;
    }
    (void)unlink(path);
    free(path);
    gms_sweep_cores_claim(&slot->cores, 1);
    task.set = slot->cores.count > 0 ? &slot->cores.set : NULL;
    slot->keeper = gms_sweep_keep_run(&task);
    if (slot->keeper < 0) {
        (void)snprintf(runner->error, GMS_FIT_RUN_ERROR_LEN,
                       "cannot start a process: %s", strerror(errno));
        slot->keeper = 0;
        gms_sweep_cores_release(&slot->cores);
        return GMS_ERR_SYSTEM;
    }
    return GMS_OK;
}

/* ---- all points ---- */

/** Start runs in free slots. @param [in,out] next_p next point to consider */
static gms_status_t gms_fit_fill(gms_fit_runner_t *runner,
                                 const uint64_t *values, size_t points,
                                 size_t *next_p)
{
    gms_status_t status = GMS_OK;
    unsigned i;

    for (i = 0; i < runner->config->jobs && status == GMS_OK; ++i) {
        while (runner->slots[i].keeper == 0 && *next_p < points &&
               status == GMS_OK) {
            const uint64_t *one =
                values + *next_p * runner->config->frees->count;

            ++*next_p;
            if (gms_fit_find(runner, one) == NULL &&
                !gms_fit_is_running(runner, one)) {
                status = gms_fit_start(runner, &runner->slots[i], one);
            }
        }
    }
    return status;
}

/** Collect the runs that have ended. @return number of unfinished runs */
static unsigned gms_fit_collect(gms_fit_runner_t *runner,
                                gms_status_t *status_p)
{
    unsigned running = 0, i;

    for (i = 0; i < runner->config->jobs; ++i) {
        gms_fit_slot_t *slot = &runner->slots[i];

        if (slot->keeper > 0 && waitpid(slot->keeper, NULL, WNOHANG) > 0 &&
            *status_p == GMS_OK) {
            *status_p = gms_fit_collect_slot(runner, slot);
        }
        running += slot->keeper > 0;
    }
    return running;
}

static void gms_fit_stop(gms_fit_runner_t *runner)
{
    unsigned i;

    for (i = 0; i < runner->config->jobs; ++i) {
        if (runner->slots[i].keeper > 0) {
            (void)kill(runner->slots[i].keeper, SIGTERM);
        }
    }
    for (i = 0; i < runner->config->jobs; ++i) {
        gms_fit_slot_t *slot = &runner->slots[i];

        while (slot->keeper > 0 && waitpid(slot->keeper, NULL, 0) < 0 &&
               errno == EINTR) {
        }
        slot->keeper = 0;
        gms_sweep_cores_release(&slot->cores);
    }
}

gms_status_t gms_fit_runner_evaluate(void *context, const uint64_t *values,
                                     size_t points, double *us)
{
    const struct timespec pause = {0, GMS_FIT_WAIT_MS * 1000000L};
    gms_fit_runner_t *runner = context;
    size_t rows = runner->config->table->count, next = 0, i;
    gms_status_t status;
    int number;

    for (;;) {
        unsigned running;

        status = gms_fit_fill(runner, values, points, &next);
        running = status == GMS_OK ? gms_fit_collect(runner, &status) : 0;
        if (status != GMS_OK || (running == 0 && next == points)) {
            break;
        }
        if (running < runner->config->jobs && next < points) {
            continue;
        }
        number = sigtimedwait(&runner->signals, NULL, &pause);
        if (number > 0 && number != SIGCHLD) {
            runner->signal = number;
            status = GMS_ERR_SYSTEM;
            break;
        }
    }
    if (status != GMS_OK) {
        gms_fit_stop(runner);
        return status;
    }
    for (i = 0; i < points; ++i) {
        const gms_fit_known_t *known =
            gms_fit_find(runner, values + i * runner->config->frees->count);

        if (known == NULL) {
            return GMS_ERR_NOT_FOUND;
        }
        memcpy(us + i * rows, known->us, rows * sizeof(*us));
    }
    return GMS_OK;
}

/* ---- life ---- */

/** Create the directories of all slots. */
static gms_status_t gms_fit_make_slots(gms_fit_runner_t *runner, char *error)
{
    const char *base = getenv("TMPDIR");
    unsigned i;

    if (asprintf(&runner->directory, "%s/gmsim-fit.XXXXXX",
                 base != NULL && base[0] == '/' ? base : "/tmp") < 0) {
        runner->directory = NULL;
        return GMS_ERR_NO_MEMORY;
    }
    if (mkdtemp(runner->directory) == NULL) {
        (void)snprintf(error, GMS_FIT_RUN_ERROR_LEN,
                       "cannot create the directory %.300s: %s",
                       runner->directory, strerror(errno));
        free(runner->directory);
        runner->directory = NULL;
        return GMS_ERR_SYSTEM;
    }
    for (i = 0; i < runner->config->jobs; ++i) {
        gms_fit_slot_t *slot = &runner->slots[i];

        slot->values = calloc(GMS_FIT_FREE_MAX, sizeof(*slot->values));
        if (slot->values == NULL ||
            asprintf(&slot->directory, "%s/%u", runner->directory, i) < 0) {
            slot->directory = NULL;
            return GMS_ERR_NO_MEMORY;
        }
        if (mkdir(slot->directory, 0700) != 0) {
            (void)snprintf(error, GMS_FIT_RUN_ERROR_LEN,
                           "cannot create the directory %.300s: %s",
                           slot->directory, strerror(errno));
            return GMS_ERR_SYSTEM;
        }
    }
    return GMS_OK;
}

/** Block the signals that end a fit, except ignored signals. */
static void gms_fit_heed(gms_fit_runner_t *runner)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    size_t i;

    (void)sigemptyset(&runner->signals);
    (void)sigaddset(&runner->signals, SIGCHLD);
    for (i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        if (sigaction(all[i], NULL, &action) != 0 ||
            action.sa_handler != SIG_IGN) {
            (void)sigaddset(&runner->signals, all[i]);
        }
    }
    (void)sigprocmask(SIG_BLOCK, &runner->signals, &runner->before);
}

gms_status_t gms_fit_runner_create(const gms_fit_run_config_t *config,
                                   gms_fit_runner_t **runner_p,
                                   char error[GMS_FIT_RUN_ERROR_LEN])
{
    gms_fit_runner_t *runner = calloc(1, sizeof(*runner));
    gms_status_t status = GMS_ERR_NO_MEMORY;

    (void)snprintf(error, GMS_FIT_RUN_ERROR_LEN, "out of memory");
    if (runner == NULL) {
        return status;
    }
    runner->config = config;
    gms_fit_heed(runner);
    runner->slots = calloc(config->jobs, sizeof(*runner->slots));
    if (runner->slots != NULL) {
        status = gms_fit_command(runner, error);
    }
    if (status == GMS_OK) {
        status = gms_fit_make_slots(runner, error);
    }
    if (status != GMS_OK) {
        gms_fit_runner_destroy(runner);
        return status;
    }
    *runner_p = runner;
    return GMS_OK;
}

static void gms_fit_slot_clear(gms_fit_slot_t *slot)
{
    static const char *const files[] = {"cluster.yaml", "status", "stderr",
                                        "stdout"};
    size_t i;

    for (i = 0; i < sizeof(files) / sizeof(files[0]) && slot->directory != NULL;
         ++i) {
        char *path = gms_sweep_join(slot->directory, files[i]);

        if (path != NULL) {
            (void)unlink(path);
        }
        free(path);
    }
    if (slot->directory != NULL) {
        (void)rmdir(slot->directory);
    }
    free(slot->directory);
    free(slot->values);
}

void gms_fit_runner_destroy(gms_fit_runner_t *runner)
{
    size_t i;

    if (runner == NULL) {
        return;
    }
    if (runner->slots != NULL) {
        gms_fit_stop(runner);
        for (i = 0; i < runner->config->jobs; ++i) {
            gms_fit_slot_clear(&runner->slots[i]);
        }
    }
    if (runner->directory != NULL) {
        (void)rmdir(runner->directory);
    }
    for (i = 0; i < runner->known_count; ++i) {
        free(runner->known[i].us);
    }
    free(runner->known);
    free(runner->slots);
    free(runner->directory);
    free(runner->command);
    (void)sigprocmask(SIG_SETMASK, &runner->before, NULL);
    free(runner);
}

const char *gms_fit_runner_error(const gms_fit_runner_t *runner)
{
    return runner->error;
}

unsigned gms_fit_runner_runs(const gms_fit_runner_t *runner)
{
    return (unsigned)runner->known_count;
}

int gms_fit_runner_signal(const gms_fit_runner_t *runner)
{
    return runner->signal;
}
