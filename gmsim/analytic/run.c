/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the replications of a simulated model on several threads and combines
 * their results. Every replication has its own memory for its result, so the
 * results do not depend on the order in which the threads finish.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/student.h"
#include "analytic/sim_int.h"

#define GMS_QSIM_MANY                 1024u
#define GMS_QSIM_LEAST_MESSAGES       100u
#define GMS_QSIM_REPLICATIONS_ALONE   4u
#define GMS_QSIM_REPLICATIONS_CONTROL 8u
/* Interval between two calls to `progress`, in nanoseconds. */
#define GMS_QSIM_PROGRESS_NS 100000000L

typedef struct gms_qsim_job {
    const gms_model_t *model;
    const gms_model_sim_options_t *options;
    double *values;       /* [replications][batches][values] */
    size_t size;          /* number of values in the result of a replication */
    gms_status_t *status; /* [replications] */
    uint64_t *events;
    gms_time_t *deadlock_ps;
    /* one element per station: long-run utilisation without the time spent
     * waiting in checks; NaN: unknown */
    double *busy;
    /* numbers of replications that have begun (next) and of batches that have
     * ended (done) */
    atomic_uint next, done;
    atomic_ullong cpu_ns;
} gms_qsim_job_t;

void gms_model_sim_options_init(gms_model_sim_options_t *options)
{
    *options =
        (gms_model_sim_options_t){.seed = 1,
                                  .messages = 125000,
                                  .warm_up = 20000,
                                  .replications = GMS_MODEL_SIM_REPLICATIONS,
                                  .batches = GMS_MODEL_SIM_BATCHES,
                                  .threads = 1};
}

static void *gms_qsim_work(void *context)
{
    gms_qsim_job_t *job = context;
    struct timespec cpu;
    unsigned i;

    while ((i = atomic_fetch_add(&job->next, 1)) < job->options->replications) {
        job->status[i] = gms_qsim_replicate(
            job->model, job->options, i, job->values + job->size * i,
            &job->events[i], &job->deadlock_ps[i], &job->done);
    }
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    atomic_fetch_add(&job->cpu_ns, (unsigned long long)cpu.tv_sec * 1000000000 +
                                       (unsigned long long)cpu.tv_nsec);
    return NULL;
}

/** Wait for a thread, and report the progress of all threads in the
 *  meantime. */
static void gms_qsim_join_thread(gms_qsim_job_t *job, pthread_t thread)
{
    const gms_model_sim_options_t *options = job->options;
    double all = (double)options->replications * options->batches;
    struct timespec until;

    if (options->progress == NULL) {
        (void)pthread_join(thread, NULL);
        return;
    }
    do {
        options->progress(options->progress_context,
                          (double)atomic_load(&job->done) / all);
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += GMS_QSIM_PROGRESS_NS;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
    } while (pthread_timedjoin_np(thread, NULL, &until) == ETIMEDOUT);
}

static gms_status_t gms_qsim_work_all(gms_qsim_job_t *job)
{
    unsigned threads = job->options->threads, started = 0;
    pthread_t *thread = calloc(threads, sizeof(*thread));

    if (thread == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    while (started < threads && started < job->options->replications &&
           pthread_create(&thread[started], NULL, gms_qsim_work, job) == 0) {
        ++started;
    }
    if (started == 0) {
        free(thread);
        return GMS_ERR_NO_MEMORY;
    }
    while (started > 0) {
        gms_qsim_join_thread(job, thread[--started]);
    }
    free(thread);
    return GMS_OK;
}

/* ---- estimates ---- */

typedef struct gms_qsim_sums {
    double sum, square;
    unsigned count;
} gms_qsim_sums_t;

static void gms_qsim_sums_add(gms_qsim_sums_t *sums, double value)
{
    if (isfinite(value)) {
        sums->sum += value;
        sums->square += value * value;
        ++sums->count;
    }
}

static gms_model_estimate_t gms_qsim_sums_estimate(const gms_qsim_sums_t *sums)
{
    gms_model_estimate_t estimate = {0, 0};
    double variance;

    if (sums->count == 0) {
        return estimate;
    }
    estimate.mean = sums->sum / sums->count;
    if (sums->count > 1) {
        variance =
            (sums->square - sums->sum * estimate.mean) / (sums->count - 1);
        estimate.half_width = gms_student_95(sums->count - 1) *
                              sqrt(fmax(0, variance) / sums->count);
    }
    return estimate;
}

/** Estimate the value with the index `which' from the results of all
 *  batches. */
static gms_model_estimate_t gms_qsim_estimate(const gms_qsim_job_t *job,
                                              size_t which)
{
    const gms_model_sim_options_t *options = job->options;
    size_t step = job->size / options->batches;
    gms_qsim_sums_t all = {0, 0, 0};
    unsigned i, j;

    for (i = 0; i < options->replications; ++i) {
        const double *value = job->values + job->size * i + which;
        gms_qsim_sums_t own = {0, 0, 0};

        for (j = 0; j < options->batches; ++j) {
            gms_qsim_sums_add(&own, value[step * j]);
        }
        if (options->replications >= GMS_QSIM_REPLICATIONS_ALONE) {
            if (own.count > 0) {
                gms_qsim_sums_add(&all, own.sum / own.count);
            }
        } else {
            all.sum += own.sum;
            all.square += own.square;
            all.count += own.count;
        }
    }
    return gms_qsim_sums_estimate(&all);
}

/** Return the mean over the batches of a replication. */
static double gms_qsim_mean_of(const gms_qsim_job_t *job, unsigned replication,
                               size_t which)
{
    size_t step = job->size / job->options->batches;
    const double *value = job->values + job->size * replication + which;
    double sum = 0;
    unsigned j;

    for (j = 0; j < job->options->batches; ++j) {
        sum += value[step * j];
    }
    return sum / job->options->batches;
}

/** Estimate the mean length of a queue at a station whose long-run utilisation
 *  is known. The function fits a line to the points (utilisation, queue) of the
 *  replications. The result is the value of this line at the long-run
 *  utilisation. */
static gms_model_estimate_t gms_qsim_control(const gms_qsim_job_t *job,
                                             unsigned station, size_t which)
{
    unsigned n = job->options->replications, i;
    size_t busy = (size_t)station * GMS_QSIM_PER_STATION;
    double x = 0, y = 0, xx = 0, xy = 0, rest = 0, slope, off;
    gms_model_estimate_t estimate;

    if (n < GMS_QSIM_REPLICATIONS_CONTROL || isnan(job->busy[station])) {
        return gms_qsim_estimate(job, which);
    }
    for (i = 0; i < n; ++i) {
        x += (gms_qsim_mean_of(job, i, busy) -
              gms_qsim_mean_of(job, i, busy + 1)) /
             n;
        y += gms_qsim_mean_of(job, i, which) / n;
    }
    for (i = 0; i < n; ++i) {
        double dx = gms_qsim_mean_of(job, i, busy) -
                    gms_qsim_mean_of(job, i, busy + 1) - x;

        xx += dx * dx;
        xy += dx * (gms_qsim_mean_of(job, i, which) - y);
    }
    if (!(xx > 0)) {
        return gms_qsim_estimate(job, which);
    }
    slope = xy / xx;
    off = x - job->busy[station];
    for (i = 0; i < n; ++i) {
        double dx = gms_qsim_mean_of(job, i, busy) -
                    gms_qsim_mean_of(job, i, busy + 1) - x;
        double dy = gms_qsim_mean_of(job, i, which) - y - slope * dx;

        rest += dy * dy;
    }
    estimate.mean = y - slope * off;
    estimate.half_width = gms_student_95(n - 2) *
                          sqrt(rest / (n - 2) * (1.0 / n + off * off / xx));
    return estimate;
}

/** Compute the long-run utilisation of the stations, unless messages are lost
 *  or blocked or a station saturates. */
static void gms_qsim_know_busy(gms_qsim_job_t *job)
{
    char ignored[GMS_MODEL_ERROR_LEN];
    gms_model_result_t *exact;
    int is_known;
    unsigned i;

    exact = NULL;
    is_known = (gms_model_solve(job->model, GMS_MODEL_REVISIT, &exact,
                                ignored) == GMS_MODEL_OK);
    for (i = 0; i < job->model->stations; ++i) {
        is_known = is_known && job->model->station[i].room == 0;
    }
    for (i = 0; i < job->model->stations; ++i) {
        job->busy[i] = is_known ? exact->station[i].utilisation -
                                      exact->station[i].waiting_share
                                : (double)NAN;
    }
    gms_model_result_destroy(exact);
}

static void gms_qsim_collect(const gms_qsim_job_t *job,
                             gms_model_sim_result_t *result)
{
    unsigned visits = result->stations * result->classes, i;
    size_t which = 0;

    for (i = 0; i < result->stations; i++, which += GMS_QSIM_PER_STATION) {
        gms_model_sim_station_t *station = &result->station[i];

        station->utilisation = gms_qsim_estimate(job, which);
        station->waiting_share = gms_qsim_estimate(job, which + 1);
        station->blocked_share = gms_qsim_estimate(job, which + 2);
        station->queue = gms_qsim_control(job, i, which + 3);
    }
    for (i = 0; i < visits; i++, which += GMS_QSIM_PER_VISIT) {
        result->queue[i] = gms_qsim_control(job, i / result->classes, which);
        result->delay[i] = gms_qsim_estimate(job, which + 1);
        result->lost[i] = gms_qsim_estimate(job, which + 2);
        result->present[i] = gms_qsim_estimate(job, which + 3);
    }
    for (i = 0; i < job->options->replications; ++i) {
        result->events += job->events[i];
    }
    result->cpu_s = (double)atomic_load(&job->cpu_ns) * 1e-9;
}

/* ---- the whole simulation ---- */

static gms_status_t gms_qsim_check(const gms_model_t *model,
                                   const gms_model_sim_options_t *options,
                                   char error[GMS_MODEL_ERROR_LEN])
{
    unsigned i;

    if (gms_model_check(model, error) != GMS_MODEL_OK) {
        return GMS_ERR_INVALID_PARAM;
    }
    if (options->messages < GMS_QSIM_LEAST_MESSAGES ||
        options->replications < 1 || options->replications > GMS_QSIM_MANY ||
        options->batches < 2 || options->batches > GMS_QSIM_MANY ||
        options->threads < 1) {
        (void)snprintf(error, GMS_MODEL_ERROR_LEN,
                       "a simulation needs at least %u messages, 1..%u "
                       "replications of 2..%u batches, and at least one thread",
                       GMS_QSIM_LEAST_MESSAGES, GMS_QSIM_MANY, GMS_QSIM_MANY);
        return GMS_ERR_INVALID_PARAM;
    }
    for (i = 0; i < model->stations; ++i) {
        const gms_model_station_t *station = &model->station[i];

        if (station->room != 0 && station->room < station->servers) {
            (void)snprintf(
                error, GMS_MODEL_ERROR_LEN,
                "station '%s': 'room' (%u) is less than 'servers' (%u)",
                station->name, station->room, station->servers);
            return GMS_ERR_INVALID_PARAM;
        }
    }
    return GMS_OK;
}

static gms_status_t gms_qsim_first_failure(const gms_qsim_job_t *job,
                                           char error[GMS_MODEL_ERROR_LEN])
{
    unsigned i;

    for (i = 0; i < job->options->replications; ++i) {
        if (job->status[i] == GMS_ERR_DENIED) {
            (void)snprintf(
                error, GMS_MODEL_ERROR_LEN,
                "at %.3f us, full stations deadlock because they wait for each "
                "other; increase the 'room' of these stations",
                (double)job->deadlock_ps[i] / (double)GMS_US);
        }
        if (job->status[i] != GMS_OK) {
            return job->status[i];
        }
    }
    return GMS_OK;
}

static gms_model_sim_result_t *gms_qsim_result_create(const gms_model_t *model)
{
    size_t visits = (size_t)model->stations * model->classes;
    gms_model_sim_result_t *result = calloc(1, sizeof(*result));

    if (result == NULL) {
        return NULL;
    }
    result->stations = model->stations;
    result->classes = model->classes;
    result->station = calloc(model->stations, sizeof(*result->station));
    result->queue = calloc(visits, sizeof(*result->queue));
    result->delay = calloc(visits, sizeof(*result->delay));
    result->lost = calloc(visits, sizeof(*result->lost));
    result->present = calloc(visits, sizeof(*result->present));
    if (result->station == NULL || result->queue == NULL ||
        result->delay == NULL || result->lost == NULL ||
        result->present == NULL) {
        gms_model_sim_result_destroy(result);
        return NULL;
    }
    return result;
}

void gms_model_sim_result_destroy(gms_model_sim_result_t *result)
{
    if (result != NULL) {
        free(result->station);
        free(result->queue);
        free(result->delay);
        free(result->lost);
        free(result->present);
        free(result);
    }
}

gms_status_t gms_model_sim_run(const gms_model_t *model,
                               const gms_model_sim_options_t *options,
                               gms_model_sim_result_t **result_p,
                               char error[GMS_MODEL_ERROR_LEN])
{
    gms_status_t status = gms_qsim_check(model, options, error);
    gms_qsim_job_t job = {.model = model, .options = options};
    gms_model_sim_result_t *result = NULL;

    if (status != GMS_OK) {
        return status;
    }
    job.size = (size_t)gms_qsim_values(model->stations,
                                       model->stations * model->classes) *
               options->batches;
    job.values = calloc(job.size * options->replications, sizeof(double));
    job.status = calloc(options->replications, sizeof(*job.status));
    job.events = calloc(options->replications, sizeof(*job.events));
    job.deadlock_ps = calloc(options->replications, sizeof(*job.deadlock_ps));
    job.busy = calloc(model->stations, sizeof(*job.busy));
    result = gms_qsim_result_create(model);
    status = GMS_ERR_NO_MEMORY;
    if (job.values != NULL && job.status != NULL && job.events != NULL &&
        job.deadlock_ps != NULL && job.busy != NULL && result != NULL) {
        status = gms_qsim_work_all(&job);
        if (status == GMS_OK) {
            status = gms_qsim_first_failure(&job, error);
        }
    }
    if (status == GMS_OK) {
        gms_qsim_know_busy(&job);
        gms_qsim_collect(&job, result);
        *result_p = result;
    } else {
        gms_model_sim_result_destroy(result);
    }
    free(job.values);
    free(job.status);
    free(job.events);
    free(job.deadlock_ps);
    free(job.busy);
    return status;
}
