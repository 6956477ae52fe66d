/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs the replications of a simulation on several threads and combines their
 * results. Every replication writes its result into its own slot, so the
 * results do not depend on the order in which the threads finish.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hcasim/qos_sim_int.h"

/** Time between two calls to `progress`, in nanoseconds. */
#define GMS_QOS_SIM_PROGRESS_NS 100000000L

typedef struct gms_qos_sim_job {
    const gms_qos_sim_options_t *options; /* settled */
    gms_qos_sim_sample_t *sample;         /* [replications] */
    /* values of the current estimate, indexed by replication */
    double *value;
    atomic_uint next;
    /* number of cycles that all replications have simulated so far */
    atomic_ullong cycles;
    pthread_mutex_t lock;
    pthread_cond_t done;
    unsigned working; /* number of running threads; protected by the lock */
} gms_qos_sim_job_t;

/* ---- threads ---- */

static double gms_qos_sim_cpu_s(void)
{
    struct timespec cpu;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    return (double)cpu.tv_sec + (double)cpu.tv_nsec * 1e-9;
}

static void gms_qos_sim_replicate(gms_qos_sim_job_t *job, unsigned replication)
{
    gms_qos_sim_sample_t *sample = &job->sample[replication];
    double begin_s = gms_qos_sim_cpu_s();
    gms_qos_sim_t *sim = NULL;

    sample->status =
        gms_qos_sim_create(job->options, replication, &sim, sample->error);
    if (sample->status == GMS_OK) {
        sample->status = gms_qos_sim_go(sim, &job->cycles);
        if (sample->status == GMS_OK) {
            sample->status = gms_qos_sim_collect(sim, sample);
        }
        (void)snprintf(sample->error, sizeof(sample->error), "%s",
                       gms_status_text(sample->status));
        gms_qos_sim_destroy(sim);
    } else if (sample->error[0] == '\0') { /* some parts of the simulation
                                            * return an error without a
                                            * message */
        (void)snprintf(sample->error, sizeof(sample->error), "%s",
                       gms_status_text(sample->status));
    }
    if (replication > 0) { /* the result shows only the windows of the first
                            * replication */
        free(sample->windows);
        sample->windows = NULL;
    }
    sample->cpu_s = gms_qos_sim_cpu_s() - begin_s;
}

static void *gms_qos_sim_work(void *context)
{
    gms_qos_sim_job_t *job = context;
    unsigned i;

    while ((i = atomic_fetch_add(&job->next, 1)) < job->options->replications) {
        gms_qos_sim_replicate(job, i);
    }
    (void)pthread_mutex_lock(&job->lock);
    --job->working;
    (void)pthread_cond_signal(&job->done);
    (void)pthread_mutex_unlock(&job->lock);
    return NULL;
}

static void gms_qos_sim_watch(gms_qos_sim_job_t *job,
                              void (*progress)(void *context, double fraction),
                              void *context)
{
    const gms_qos_sim_options_t *options = job->options;
    double all = (double)(options->warm_up_cycles + options->run_cycles) *
                 options->replications;
    struct timespec until;

    (void)pthread_mutex_lock(&job->lock);
    while (job->working > 0) {
        if (progress == NULL) {
            (void)pthread_cond_wait(&job->done, &job->lock);
            continue;
        }
        (void)clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += GMS_QOS_SIM_PROGRESS_NS;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        (void)pthread_cond_timedwait(&job->done, &job->lock, &until);
        (void)pthread_mutex_unlock(&job->lock);
        progress(context, (double)atomic_load(&job->cycles) / all);
        (void)pthread_mutex_lock(&job->lock);
    }
    (void)pthread_mutex_unlock(&job->lock);
}

static gms_status_t gms_qos_sim_work_all(gms_qos_sim_job_t *job,
                                         void (*progress)(void *context,
                                                          double fraction),
                                         void *context)
{
    unsigned threads = job->options->threads, started;
    pthread_t *thread;

    if (threads > job->options->replications) {
        threads = job->options->replications;
    }
    thread = calloc(threads, sizeof(*thread));
    if (thread == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (started = 0; started < threads; ++started) {
        (void)pthread_mutex_lock(&job->lock);
        ++job->working;
        (void)pthread_mutex_unlock(&job->lock);
        if (pthread_create(&thread[started], NULL, gms_qos_sim_work, job) !=
            0) {
            (void)pthread_mutex_lock(&job->lock);
            --job->working;
            (void)pthread_mutex_unlock(&job->lock);
            break;
        }
    }
    gms_qos_sim_watch(job, progress, context);
    threads = started;
    while (started > 0) {
        (void)pthread_join(thread[--started], NULL);
    }
    free(thread);
    return (threads > 0) ? GMS_OK : GMS_ERR_NO_MEMORY;
}

/* ---- estimates ---- */

/** Computes an estimate from job->value. The function ignores replications that
 *  have no value (NaN). */
static gms_qos_sim_estimate_t gms_qos_sim_estimate(gms_qos_sim_job_t *job)
{
    gms_qos_sim_estimate_t estimate = {0, 0};
    unsigned count = 0, i;

    for (i = 0; i < job->options->replications; ++i) {
        if (!isnan(job->value[i])) {
            job->value[count++] = job->value[i];
        }
    }
    if (count > 0) {
        gms_delivery_interval(job->value, count, &estimate.mean,
                              &estimate.half_width);
    }
    return estimate;
}

static double gms_qos_sim_ratio(double part, double whole)
{
    return (whole > 0) ? part / whole : (double)NAN;
}

/** Evaluates _expression for each replication's `sample`, multiplies the values
 *  by _factor, and computes an estimate from them. */
#define GMS_QOS_SIM_ESTIMATE(_job, _expression, _factor, _estimate)            \
    do {                                                                       \
        unsigned i_;                                                           \
        for (i_ = 0; i_ < (_job)->options->replications; ++i_) {               \
            const gms_qos_sim_sample_t *sample = &(_job)->sample[i_];          \
            (_job)->value[i_] = (_expression) * (_factor);                     \
        }                                                                      \
        (_estimate) = gms_qos_sim_estimate(_job);                              \
    } while (0)

static const gms_delivery_class_t *
gms_qos_sim_of_class(const gms_qos_sim_sample_t *sample, unsigned traffic_class)
{
    return (traffic_class < GMS_LANE_CLASSES)
               ? &sample->delivery.by_class[traffic_class]
               : &sample->delivery.all;
}

static double gms_qos_sim_offered(const gms_qos_sim_sample_t *sample,
                                  unsigned traffic_class)
{
    double flits = 0;
    unsigned i;

    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        if (traffic_class == i || traffic_class == GMS_LANE_CLASSES) {
            flits += (double)sample->counts.offered[i];
        }
    }
    return flits;
}

/** Computes the estimates of a class, or of all classes together
 * (GMS_LANE_CLASSES). */
static void gms_qos_sim_collect_class(gms_qos_sim_job_t *job,
                                      unsigned traffic_class,
                                      gms_qos_sim_class_t *result)
{
    const gms_qos_sim_options_t *options = job->options;
    double us = (double)options->cycle_ps * 1e-6;
    double links = (double)options->run_cycles * gms_qos_sim_nodes(options);
    unsigned i;

#define GMS_QOS_SIM_DELIVERED(_field)                                          \
    ((gms_qos_sim_of_class(sample, traffic_class)->packets > 0)                \
         ? (double)gms_qos_sim_of_class(sample, traffic_class)->_field         \
         : (double)NAN)
    GMS_QOS_SIM_ESTIMATE(job, GMS_QOS_SIM_DELIVERED(latency_mean), us,
                         result->latency_us);
    GMS_QOS_SIM_ESTIMATE(job, GMS_QOS_SIM_DELIVERED(latency_p99), us,
                         result->p99_us);
    GMS_QOS_SIM_ESTIMATE(job, GMS_QOS_SIM_DELIVERED(queueing_mean), us,
                         result->queueing_us);
    GMS_QOS_SIM_ESTIMATE(job, GMS_QOS_SIM_DELIVERED(network_mean), us,
                         result->network_us);
#undef GMS_QOS_SIM_DELIVERED
    GMS_QOS_SIM_ESTIMATE(
        job, gms_qos_sim_of_class(sample, traffic_class)->throughput, 1,
        result->throughput);
    GMS_QOS_SIM_ESTIMATE(job, gms_qos_sim_offered(sample, traffic_class),
                         1 / links, result->offered);
    GMS_QOS_SIM_ESTIMATE(
        job,
        gms_qos_sim_ratio(
            (double)gms_qos_sim_of_class(sample, traffic_class)->dropped,
            (double)(gms_qos_sim_of_class(sample, traffic_class)->dropped +
                     gms_qos_sim_of_class(sample, traffic_class)->packets)),
        1, result->drop_rate);
    for (i = 0; i < options->replications; ++i) {
        result->packets +=
            gms_qos_sim_of_class(&job->sample[i], traffic_class)->packets;
    }
}

static void gms_qos_sim_collect_totals(gms_qos_sim_job_t *job,
                                       gms_qos_sim_result_t *result)
{
    unsigned i;

    for (i = 0; i < job->options->replications; ++i) {
        const gms_qos_sim_sample_t *sample = &job->sample[i];

        result->frames += sample->delivery.frames;
        result->connections_asked += sample->probe.asked;
        result->connections_rejected += sample->probe.rejected;
        result->power_max_w = fmax(result->power_max_w, sample->power_max_w);
        result->made += sample->counts.made;
        result->delivered += sample->counts.arrived;
        result->dropped += sample->counts.dropped;
        result->unfinished += sample->walked_end;
        result->cycles += sample->cycles;
        result->flit_hops += sample->flit_hops;
        result->cpu_s += sample->cpu_s;
    }
    result->windows = job->sample[0].windows;
    result->window_count = job->sample[0].window_count;
    job->sample[0].windows = NULL;
}

static void gms_qos_sim_collect_all(gms_qos_sim_job_t *job,
                                    gms_qos_sim_result_t *result)
{
    const gms_qos_sim_options_t *options = job->options;
    double us = (double)options->cycle_ps * 1e-6;
    double cycles = (double)options->run_cycles;
    double nodes = gms_qos_sim_nodes(options);
    unsigned i;

    for (i = 0; i < GMS_LANE_CLASSES; ++i) {
        gms_qos_sim_collect_class(job, i, &result->by_class[i]);
    }
    gms_qos_sim_collect_class(job, GMS_LANE_CLASSES, &result->all);
    GMS_QOS_SIM_ESTIMATE(
        job, (sample->delivery.frames > 0) ? sample->delivery.dmp : (double)NAN,
        1, result->dmp);
    GMS_QOS_SIM_ESTIMATE(job,
                         (sample->delivery.frames > 0)
                             ? sample->delivery.dmt_cycles
                             : (double)NAN,
                         us * 1e-3, result->dmt_ms);
    GMS_QOS_SIM_ESTIMATE(job,
                         gms_qos_sim_ratio((double)sample->probe.rejected,
                                           (double)sample->probe.asked),
                         1, result->rejection_rate);
    GMS_QOS_SIM_ESTIMATE(job, sample->counts.admitted_area, 1 / cycles / nodes,
                         result->admitted_load);
    GMS_QOS_SIM_ESTIMATE(job, sample->power_w, 1, result->power_w);
    GMS_QOS_SIM_ESTIMATE(job, sample->counts.held_area, 1 / cycles / nodes,
                         result->held);
    GMS_QOS_SIM_ESTIMATE(job,
                         gms_qos_sim_ratio((double)sample->counts.left_cycles,
                                           (double)sample->counts.left),
                         us, result->held_us);
    GMS_QOS_SIM_ESTIMATE(job, (double)sample->counts.left,
                         1 / cycles / nodes / us, result->left_per_us);
    gms_qos_sim_collect_totals(job, result);
}

/* ---- the run ---- */

static gms_status_t gms_qos_sim_first_failure(const gms_qos_sim_job_t *job,
                                              char error[GMS_QOS_SIM_ERROR_LEN])
{
    unsigned i;

    for (i = 0; i < job->options->replications; ++i) {
        if (job->sample[i].status != GMS_OK) {
            memcpy(error, job->sample[i].error, GMS_QOS_SIM_ERROR_LEN);
            return job->sample[i].status;
        }
    }
    return GMS_OK;
}

static void gms_qos_sim_job_cleanup(gms_qos_sim_job_t *job)
{
    unsigned i;

    for (i = 0; job->sample != NULL && i < job->options->replications; ++i) {
        free(job->sample[i].windows);
    }
    free(job->sample);
    free(job->value);
    (void)pthread_cond_destroy(&job->done);
    (void)pthread_mutex_destroy(&job->lock);
}

gms_status_t gms_qos_sim_run(const gms_qos_sim_options_t *given,
                             void (*progress)(void *context, double fraction),
                             void *progress_context,
                             gms_qos_sim_result_t **result_p,
                             char error[GMS_QOS_SIM_ERROR_LEN])
{
    gms_qos_sim_options_t options = *given;
    gms_qos_sim_job_t job = {.options = &options,
                             .lock = PTHREAD_MUTEX_INITIALIZER,
                             .done = PTHREAD_COND_INITIALIZER};
    gms_qos_sim_result_t *result;
    gms_status_t status = gms_qos_sim_options_settle(&options, error);

    if (status != GMS_OK) {
        return status;
    }
    (void)snprintf(error, GMS_QOS_SIM_ERROR_LEN, "out of memory");
    status = GMS_ERR_NO_MEMORY;
    job.sample = calloc(options.replications, sizeof(*job.sample));
    job.value = calloc(options.replications, sizeof(*job.value));
    result = calloc(1, sizeof(*result));
    if (job.sample != NULL && job.value != NULL && result != NULL) {
        status = gms_qos_sim_work_all(&job, progress, progress_context);
    }
    if (status == GMS_OK) {
        status = gms_qos_sim_first_failure(&job, error);
    }
    if (status == GMS_OK) {
        gms_qos_sim_collect_all(&job, result);
        *result_p = result;
    } else {
        free(result);
    }
    gms_qos_sim_job_cleanup(&job);
    return status;
}

void gms_qos_sim_result_destroy(gms_qos_sim_result_t *result)
{
    if (result != NULL) {
        free(result->windows);
        free(result);
    }
}
