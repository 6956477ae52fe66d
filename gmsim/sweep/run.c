/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Starts a keeper for each run, and assigns a free slot and a processor to it.
 * Collects ended runs, and stops all runs after a signal. Finished runs are
 * skipped.
 */
#include "sweep/run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sweep/core.h"
#include "sweep/keeper.h"
#include "sweep/result.h"
#include "sweep/text.h"

#define GMS_SWEEP_SHOW_MS 200

/** A run in progress. */
typedef struct gms_sweep_job {
    pid_t keeper;
    uint64_t run;
    gms_sweep_cores_t cores;
} gms_sweep_job_t;

typedef struct gms_sweep_runner {
    const gms_sweep_t *sweep;
    const gms_sweep_state_t *state;
    const uint64_t *runs;
    uint64_t count, next;
    gms_sweep_job_t *jobs;
    unsigned most;
    gms_sweep_progress_t progress;
    sigset_t signals;
    char *error;
} gms_sweep_runner_t;

/** Returns 1 if the run has failed, or has ended without its results. */
static int gms_sweep_has_failed(const gms_sweep_t *sweep,
                                const gms_sweep_state_t *state, uint64_t run,
                                const gms_sweep_status_t *status)
{
    char *directory;
    int is_good;

    if (status->stage != GMS_SWEEP_DONE) {
        return status->stage == GMS_SWEEP_FAILED;
    }
    directory = gms_sweep_path(sweep, state, run, NULL);
    is_good = directory != NULL && gms_sweep_has_results(sweep, directory);
    free(directory);
    return !is_good;
}

gms_status_t gms_sweep_todo(const gms_sweep_t *sweep,
                            const gms_sweep_state_t *state, int with_failed,
                            uint64_t **runs_p, uint64_t *count_p)
{
    uint64_t *runs = calloc(sweep->runs + 1, sizeof(*runs));
    uint64_t count = 0, run;
    gms_sweep_status_t status;

    if (runs == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (run = 0; run < sweep->runs; ++run) {
        gms_sweep_look(sweep, state, run, &status);
        if (status.stage == GMS_SWEEP_OPEN ||
            (with_failed && gms_sweep_has_failed(sweep, state, run, &status))) {
            runs[count++] = run;
        }
    }
    *runs_p = runs;
    *count_p = count;
    return GMS_OK;
}

/* ---- one run ---- */

/** In a keeper, closes the claims on processors of other runs, because these
 *  processors must become available when the other runs end. */
static void gms_sweep_let_others(void *context)
{
    gms_sweep_runner_t *runner = context;
    unsigned slot;

    for (slot = 0; slot < runner->progress.running; ++slot) {
        gms_sweep_cores_release(&runner->jobs[slot].cores);
    }
}

static gms_status_t gms_sweep_start(gms_sweep_runner_t *runner, uint64_t run)
{
    gms_sweep_job_t *job = &runner->jobs[runner->progress.running];
    const gms_sweep_t *sweep = runner->sweep;
    char *directory, *command = NULL;
    gms_status_t status =
        gms_sweep_prepare(sweep, runner->state, run, runner->error);

    if (status != GMS_OK) {
        return GMS_ERR_SYSTEM;
    }
    directory = gms_sweep_path(sweep, runner->state, run, NULL);
    status = (directory != NULL) ? gms_sweep_command(sweep, run, directory,
                                                     &command, runner->error)
                                 : GMS_ERR_NO_MEMORY;
    if (status == GMS_OK) {
        gms_sweep_task_t task = {.directory = directory,
                                 .command = command,
                                 .timeout_s = sweep->timeout_s,
                                 .is_recorded = sweep->is_recorded,
                                 .begin_fn = gms_sweep_let_others,
                                 .context = runner};

        job->run = run;
        gms_sweep_cores_claim(&job->cores, (unsigned)sweep->cores);
        task.set = (job->cores.count > 0) ? &job->cores.set : NULL;
        job->keeper = gms_sweep_keep_run(&task);
        if (job->keeper < 0) {
            (void)snprintf(runner->error, GMS_YAML_ERROR_LEN,
                           "cannot start a process: %s", strerror(errno));
            gms_sweep_cores_release(&job->cores);
            status = GMS_ERR_SYSTEM;
        } else {
            ++runner->progress.running;
        }
    }
    free(command);
    free(directory);
    return status;
}

/** Handles the end of a keeper. */
static gms_status_t gms_sweep_end(gms_sweep_runner_t *runner, unsigned slot)
{
    gms_sweep_job_t *job = &runner->jobs[slot];
    gms_sweep_status_t status;

    gms_sweep_look(runner->sweep, runner->state, job->run, &status);
    gms_sweep_release_run(runner->state, job->run);
    gms_sweep_cores_release(&job->cores);
    ++runner->progress.over;
    runner->progress.failed += (status.stage != GMS_SWEEP_DONE);
    *job = runner->jobs[--runner->progress.running];
    if (status.stage == GMS_SWEEP_OPEN) {
        (void)snprintf(runner->error, GMS_YAML_ERROR_LEN,
                       "a point has ended without a status; check that %s has "
                       "free space and is writable",
                       runner->state->directory);
        return GMS_ERR_SYSTEM;
    }
    return GMS_OK;
}

/** Checks whether another process has finished the run in the meantime. */
static int gms_sweep_is_done(const gms_sweep_runner_t *runner, uint64_t run)
{
    gms_sweep_status_t status;

    gms_sweep_look(runner->sweep, runner->state, run, &status);
    return status.stage == GMS_SWEEP_DONE;
}

/* ---- all runs ---- */

static gms_status_t gms_sweep_fill_slots(gms_sweep_runner_t *runner)
{
    while (runner->progress.running < runner->most &&
           runner->next < runner->count) {
        uint64_t run = runner->runs[runner->next++];
        gms_status_t status = gms_sweep_claim_run(runner->state, run);

        if (status == GMS_OK && gms_sweep_is_done(runner, run)) {
            gms_sweep_release_run(runner->state, run);
            ++runner->progress.over;
        } else if (status == GMS_OK) {
            status = gms_sweep_start(runner, run);
            if (status != GMS_OK) {
                gms_sweep_release_run(runner->state, run);
                return status;
            }
        } else if (status == GMS_ERR_BUSY) {
            ++runner->progress.over;
        } else {
            (void)snprintf(runner->error, GMS_YAML_ERROR_LEN, "%s: %s",
                           runner->state->directory, strerror(errno));
            return status;
        }
    }
    return GMS_OK;
}

/** Collects ended runs. @return the first error */
static gms_status_t gms_sweep_collect(gms_sweep_runner_t *runner)
{
    gms_status_t status = GMS_OK, one;
    unsigned slot;

    /* iterate downwards, because the last run moves into the slot of an ended
     * run */
    for (slot = runner->progress.running; slot > 0; --slot) {
        if (waitpid(runner->jobs[slot - 1].keeper, NULL, WNOHANG) > 0) {
            one = gms_sweep_end(runner, slot - 1);
            status = (status == GMS_OK) ? one : status;
        }
    }
    return status;
}

/** Ends the runs that are in progress. Runs that ended earlier keep their
 *  status. */
static void gms_sweep_stop(gms_sweep_runner_t *runner)
{
    unsigned slot;

    for (slot = 0; slot < runner->progress.running; ++slot) {
        (void)kill(runner->jobs[slot].keeper, SIGTERM);
    }
    while (runner->progress.running > 0) {
        gms_sweep_job_t *job = &runner->jobs[--runner->progress.running];

        while (waitpid(job->keeper, NULL, 0) < 0 && errno == EINTR) {
        }
        gms_sweep_release_run(runner->state, job->run);
        gms_sweep_cores_release(&job->cores);
    }
}

static gms_status_t gms_sweep_loop(gms_sweep_runner_t *runner,
                                   gms_sweep_progress_fn *progress_fn,
                                   void *context, int *signal_p)
{
    const struct timespec pause = {0, GMS_SWEEP_SHOW_MS * 1000000L};
    gms_status_t status;
    int number;

    for (;;) {
        status = gms_sweep_fill_slots(runner);
        progress_fn(context, &runner->progress);
        if (status != GMS_OK || runner->progress.running == 0) {
            return status;
        }
        number = sigtimedwait(&runner->signals, NULL, &pause);
        if (number > 0 && number != SIGCHLD) {
            *signal_p = number;
            return GMS_OK;
        }
        status = gms_sweep_collect(runner);
        if (status != GMS_OK) {
            return status;
        }
    }
}

/** Selects the signals to handle. Signals that are ignored, for example because
 *  of nohup, remain ignored. */
static void gms_sweep_heed(sigset_t *signals)
{
    static const int all[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    size_t i;

    (void)sigemptyset(signals);
    (void)sigaddset(signals, SIGCHLD);
    for (i = 0; i < sizeof(all) / sizeof(all[0]); ++i) {
        if (sigaction(all[i], NULL, &action) != 0 ||
            action.sa_handler != SIG_IGN) {
            (void)sigaddset(signals, all[i]);
        }
    }
}

gms_status_t gms_sweep_run(const gms_sweep_t *sweep,
                           const gms_sweep_state_t *state, const uint64_t *runs,
                           uint64_t count, unsigned jobs,
                           gms_sweep_progress_fn *progress_fn, void *context,
                           int *signal_p, char error[GMS_YAML_ERROR_LEN])
{
    gms_sweep_runner_t runner = {.sweep = sweep,
                                 .state = state,
                                 .runs = runs,
                                 .count = count,
                                 .most = jobs,
                                 .error = error};
    gms_status_t status;
    sigset_t before;

    *signal_p = 0;
    runner.progress.total = count;
    runner.jobs = calloc(jobs, sizeof(*runner.jobs));
    if (runner.jobs == NULL) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN, "out of memory");
        return GMS_ERR_NO_MEMORY;
    }
    gms_sweep_heed(&runner.signals);
    (void)sigprocmask(SIG_BLOCK, &runner.signals, &before);
    status = gms_sweep_loop(&runner, progress_fn, context, signal_p);
    gms_sweep_stop(&runner);
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    free(runner.jobs);
    return status;
}
