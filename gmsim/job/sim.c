/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lets the process join and leave its job: reads the environment and the
 * cluster description, attaches the arena, enters the gate, and starts the
 * outputs. All GM calls begin with gms_sim_begin_post() or gms_sim_begin_turn()
 * in this file.
 */
#define _GNU_SOURCE
#include "job/record.h"
#include "job/sim.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "cluster/time_mode.h"
#include "engine/copy.h"
#include "engine/ranks.h"
#include "job/bind.h"
#include "job/clock.h"
#include "job/computing.h"
#include "job/host.h"
#include "job/trace.h"
#include "job/variables.h"
#include "observe/dispatch.h"

#define GMS_SIM_DEFAULT_SOURCE "default cluster"
#define GMS_SIM_CHANGED_SOURCE "changed by the program"

static gms_sim_t *gms_sim_of_process;

gms_sim_t *gms_sim(void)
{
    if (gms_sim_of_process == NULL) {
        gms_sim_of_process = calloc(1, sizeof(*gms_sim_of_process));
    }
    return gms_sim_of_process;
}

gms_sim_t *gms_sim_joined(void)
{
    gms_sim_t *sim = gms_sim_of_process;

    return sim != NULL && sim->state == GMS_SIM_JOINED ? sim : NULL;
}

void gms_sim_lost(gms_sim_t *sim, const char *format, ...)
{
    char text[GMS_ERROR_LEN];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    fprintf(stderr, "gmsim: rank %u: %s\n", sim->launch.rank, text);
    sim->is_lost = 1;
}

/* ---- dispatch logs ------------------------------------------------------- */

/* Check at the start that the file of the dispatch log can be written.
 * Otherwise a job that runs for hours could fail at its end. The check also
 * empties the file, because data of an earlier job must not be mistaken for
 * data of this job. Every rank performs this check on the same file, with the
 * same result. If only one rank checked and failed, the other ranks would wait
 * for this rank. The function can empty the file without losing data, because a
 * rank writes the log only when it leaves, after all ranks have joined. */
static gms_status_t gms_sim_try_dispatch(const gms_launch_t *launch,
                                         gms_params_t *params,
                                         char error[GMS_ERROR_LEN])
{
    if (launch->dispatch == NULL) {
        return GMS_OK;
    }
    if (params->nic_dispatch_records == 0) {
        params->nic_dispatch_records = GMS_DISPATCH_DEFAULT_RECORDS;
    }
    if (gms_dispatch_write(launch->dispatch, NULL, 0) != GMS_OK) {
        snprintf(error, GMS_ERROR_LEN,
                 "environment variable GMSIM_DISPATCH: cannot write '%.400s': "
                 "%s",
                 launch->dispatch, strerror(errno));
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

static void gms_sim_write_dispatches(gms_ctx_t *ctx)
{
    const gms_root_t *root = gms_arena_root(ctx->arena);
    const char *path = gms_sim_of_process->launch.dispatch;

    if (gms_dispatch_write(path, root->nics, root->nodes) != GMS_OK) {
        gms_sim_lost(gms_sim_of_process,
                     "cannot write the dispatch log '%s': %s", path,
                     strerror(errno));
    }
}

/* Place the ranks on hosts. Options of the launcher take precedence over the
 * cluster description. */
static gms_status_t gms_sim_place(const gms_launch_t *launch,
                                  gms_cluster_t *cluster,
                                  char error[GMS_ERROR_LEN])
{
    char why[GMS_PLACEMENT_WHY_LEN];
    gms_placement_t placement;
    gms_status_t status = GMS_OK;

    if (launch->hosts != NULL || launch->per_host != 0) {
        status =
            gms_placement_ask(&cluster->params, launch->hosts, launch->per_host,
                              launch->size, &placement, why);
        if (status != GMS_OK) {
            snprintf(error, GMS_ERROR_LEN,
                     "%s (mpirun -hosts, -f or -ppn; environment variables "
                     "GMSIM_HOSTS and GMSIM_PPN)",
                     why);
            return status;
        }
        gms_placement_clear(&cluster->placement);
        cluster->placement = placement;
    }
    return gms_root_check(&cluster->params, &cluster->placement, launch->size,
                          error);
}

/* Shortest real delay that a user notices. */
#define GMS_SIM_LATE_NS UINT64_C(100000000)

static void gms_sim_report_lag(gms_ctx_t *ctx)
{
    const gms_root_t *root = gms_arena_root(ctx->arena);
    uint64_t lag_ns = gms_gate_lag_ns(root->gate);
    char text[GMS_TIME_TEXT_LEN];

    if (lag_ns >= GMS_SIM_LATE_NS) {
        fprintf(stderr,
                "gmsim: time %s: the simulation could not keep up with real "
                "time; virtual time lagged by up to %llu.%03llu s\n",
                gms_time_text(&root->params, text),
                (unsigned long long)(lag_ns / 1000000000u),
                (unsigned long long)(lag_ns % 1000000000u / 1000000u));
    }
}

static void gms_sim_on_last(gms_ctx_t *ctx)
{
    gms_sim_report_lag(ctx);
    gms_sim_end_record(ctx);
    gms_sim_end_trace(ctx);
    if (gms_sim_of_process->launch.dispatch != NULL) {
        gms_sim_write_dispatches(ctx);
    }
}

/* Print warnings about environment variables. Only one rank prints these
 * warnings. */
static void gms_sim_warn_of_variables(void)
{
    char warning[GMS_VARIABLE_WARNING_LEN];
    size_t next = 0;

    while (gms_variables_unknown(environ, &next, warning)) {
        fprintf(stderr, "gmsim: warning: %s\n", warning);
    }
}

/* Return 1 if the ranks of this process share this library, because the program
 * did not load a copy for each rank. */
static int gms_sim_is_shared(void)
{
    const char *slash;
    Dl_info info;

    if (dladdr(&gms_sim_of_process, &info) == 0 || info.dli_fname == NULL) {
        return 0;
    }
    slash = strrchr(info.dli_fname, '/');
    return strncmp(slash != NULL ? slash + 1 : info.dli_fname, "libgm.so",
                   strlen("libgm.so")) == 0;
}

/* Check a job whose ranks share one process. In other time modes, a rank that
 * waits would have to read the progress of a rank that computes. */
static gms_status_t gms_sim_check_ranks(const gms_params_t *params,
                                        char error[GMS_ERROR_LEN])
{
    char mode[GMS_TIME_TEXT_LEN];

    if (gms_ranks() == NULL) {
        return GMS_OK;
    }
    if (gms_sim_is_shared()) {
        snprintf(error, GMS_ERROR_LEN,
                 "libmpi or libgm was loaded by LD_PRELOAD or by another "
                 "library during the run; run mpirun without -in-process");
        return GMS_ERR_CONFIG;
    }
    if (params->time == GMS_TIME_VIRTUAL) {
        return GMS_OK;
    }
    snprintf(error, GMS_ERROR_LEN,
             "the time mode is %s, but all ranks share one process (mpirun "
             "-in-process); allowed: virtual",
             gms_time_text(params, mode));
    return GMS_ERR_CONFIG;
}

/* Perform all steps of joining that require no other process. */
static gms_status_t gms_sim_prepare(gms_sim_t *sim, gms_cluster_t *cluster,
                                    char error[GMS_ERROR_LEN])
{
    char config_error[GMS_YAML_ERROR_LEN];
    char time_error[GMS_TIME_ERROR_LEN];
    gms_status_t status = gms_launch_read("/proc", &sim->launch, error);

    if (status == GMS_OK && sim->launch.rank == 0) {
        gms_sim_warn_of_variables();
    }
    if (status == GMS_OK) {
        status = gms_launch_check_cluster(&sim->launch, error);
    }
    if (status != GMS_OK) {
        return status;
    }
    status = gms_cluster_load(sim->launch.cluster, cluster, config_error);
    if (status != GMS_OK) {
        snprintf(error, GMS_ERROR_LEN, "%s", config_error);
        return status;
    }
    status = gms_time_replace(sim->launch.time, &cluster->params, time_error);
    if (status != GMS_OK) {
        snprintf(error, GMS_ERROR_LEN, "%s", time_error);
        gms_cluster_clear(cluster);
        return status;
    }
    status = gms_sim_check_ranks(&cluster->params, error);
    if (status != GMS_OK) {
        gms_cluster_clear(cluster);
        return status;
    }
    if (sim->launch.spawner != 0) {
        /* the job is already running, so its settings have been checked */
        return gms_sim_try_computing(sim, &cluster->params, error);
    }
    status = gms_settings_apply(&sim->settings, cluster, config_error);
    if (status != GMS_OK) {
        snprintf(error, GMS_ERROR_LEN, "%s", config_error);
    } else {
        status = gms_sim_place(&sim->launch, cluster, error);
    }
    if (status == GMS_OK) {
        status = gms_sim_try_dispatch(&sim->launch, &cluster->params, error);
    }
    if (status == GMS_OK) {
        status = gms_sim_try_record(&sim->launch, error);
    }
    if (status == GMS_OK) {
        status = gms_sim_try_trace(sim, error);
    }
    if (status == GMS_OK) {
        status = gms_sim_try_computing(sim, &cluster->params, error);
    }
    if (status != GMS_OK) {
        gms_cluster_clear(cluster);
    }
    return status;
}

/* Find the arena of the job that spawned this process. */
static gms_status_t gms_sim_attach_running(gms_sim_t *sim,
                                           char error[GMS_ERROR_LEN])
{
    const gms_launch_t *launch = &sim->launch;
    const gms_root_t *root;
    char path[64];
    gms_status_t status;

    snprintf(path, sizeof(path), "/proc/%u/fd/%u", launch->spawner,
             launch->spawner_fd);
    status = gms_job_attach_running(path, gms_root_layout(), &sim->job, error);
    if (status != GMS_OK) {
        return status;
    }
    root = gms_arena_root(gms_job_arena(sim->job));
    if (launch->rank >= root->size ||
        gms_gate_world(root->gate, launch->rank) != launch->first) {
        snprintf(error, GMS_ERROR_LEN,
                 "environment variable GMSIM_SPAWN: the job does not expect "
                 "this process as rank %u; only mpiexec sets this variable",
                 launch->rank);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

static gms_status_t gms_sim_attach_new(gms_sim_t *sim,
                                       const gms_cluster_t *cluster,
                                       char error[GMS_ERROR_LEN])
{
    gms_root_plan_t plan = {.cluster = cluster,
                            .size = sim->launch.size,
                            .is_recorded = sim->launch.record != NULL,
                            .trace = gms_sim_trace_config(sim)};
    gms_job_spec_t spec = {
        .directory = GMS_JOB_DIRECTORY,
        .name = sim->launch.job,
        .rank = sim->launch.rank,
        .size = sim->launch.size,
        .layout = gms_root_layout(),
        .source = sim->launch.cluster != NULL ? sim->launch.cluster
                                              : GMS_SIM_DEFAULT_SOURCE,
        .params = &cluster->params,
        .placement_digest =
            gms_placement_digest(&cluster->params, &cluster->placement,
                                 sim->launch.size) ^
            gms_io_hosts_digest(&cluster->io),
    };

    if (sim->settings.count > 0) {
        spec.source = GMS_SIM_CHANGED_SOURCE;
    }
    return gms_job_attach(&spec, gms_root_build, &plan, &sim->job, error);
}

static gms_status_t gms_sim_attach(gms_sim_t *sim, const gms_cluster_t *cluster,
                                   char error[GMS_ERROR_LEN])
{
    gms_status_t status = sim->launch.spawner != 0
                              ? gms_sim_attach_running(sim, error)
                              : gms_sim_attach_new(sim, cluster, error);

    if (status == GMS_OK) {
        sim->ctx.arena = gms_job_arena(sim->job);
        sim->root = gms_arena_root(sim->ctx.arena);
        sim->ctx.engine = sim->root->engine;
        sim->ctx.gate = sim->root->gate;
        sim->ctx.self_rank = -1;
        sim->ctx.owner = sim;
        gms_root_register(&sim->ctx);
        gms_gate_share_code(&sim->ctx);
        if (sim->launch.dispatch != NULL || sim->launch.record != NULL ||
            sim->trace != NULL || sim->root->params.time == GMS_TIME_WALL) {
            sim->ctx.on_last = gms_sim_on_last;
        }
        sim->node = sim->root->slots[sim->launch.rank].host;
        sim->quantum_ps = sim->root->params.host_poll_ps;
    }
    return status;
}

static gms_status_t gms_sim_enter_gate(gms_sim_t *sim,
                                       char error[GMS_ERROR_LEN])
{
    unsigned limit_s = (unsigned)sim->root->params.start_limit_s;
    unsigned missing = 0;
    gms_status_t status =
        sim->launch.spawner != 0
            ? gms_gate_join_late(&sim->ctx, sim->launch.rank)
            : gms_gate_join(&sim->ctx, sim->launch.rank, limit_s, &missing);

    if (status == GMS_ERR_BUSY || status == GMS_ERR_NOT_FOUND) {
        snprintf(error, GMS_ERROR_LEN,
                 "another process is already rank %u of job %s; two jobs must "
                 "not have the same GMSIM_JOB",
                 sim->launch.rank, sim->launch.job);
    } else if (status == GMS_ERR_TIMED_OUT) {
        snprintf(error, GMS_ERROR_LEN,
                 "rank %u of job %s (%u ranks) did not join within %u s "
                 "(start_limit_s in the cluster description): its process "
                 "ended, or called MPI_Init or gm_init too late",
                 missing, sim->launch.job, sim->launch.size, limit_s);
    } else if (status != GMS_OK) {
        snprintf(error, GMS_ERROR_LEN, "cannot join job %s: %s",
                 sim->launch.job, gms_status_text(status));
    }
    return status;
}

/* Bind the process to the job's processor. A failure causes only a warning,
 * because the processor has no effect on virtual time. */
static void gms_sim_bind(gms_sim_t *sim)
{
    gms_bind_t *before;

    if (sim->root->core < 0 || gms_ranks() != NULL) {
        return;
    }
    if (gms_bind_to(sim->root->core, &before) == 0) {
        sim->unbound = before;
        gms_binder_add(sim->root->binder, sim->launch.rank, before);
    } else {
        fprintf(stderr,
                "gmsim: rank %u: warning: cannot bind the process to processor "
                "%d: %s; the run will take longer (to run without binding, set "
                "binding: none in the cluster description)\n",
                sim->launch.rank, sim->root->core, strerror(errno));
    }
}

/* Real time that a job saves over a few hundred context switches if all its
 * processes run on one processor. */
#define GMS_SIM_CROWDED_NS UINT64_C(50000000)

void gms_sim_make_room(gms_sim_t *sim)
{
    if (sim->unbound != NULL && sim->root->params.binding == GMS_BINDING_AUTO &&
        gms_gate_other_threads_ns(&sim->ctx) > GMS_SIM_CROWDED_NS) {
        gms_binder_remove(sim->root->binder, sim->launch.rank);
        gms_bind_back(sim->unbound);
        sim->unbound = NULL;
    }
}

static gms_status_t gms_sim_try_join(gms_sim_t *sim, char error[GMS_ERROR_LEN])
{
    char topology[GMS_HOST_TOPOLOGY_LEN];
    gms_cluster_t cluster;
    gms_status_t status = gms_sim_prepare(sim, &cluster, error);

    if (status == GMS_OK) {
        memcpy(topology, cluster.host_topology, sizeof(topology));
        status = gms_sim_attach(sim, &cluster, error);
        gms_cluster_clear(&cluster);
    }
    if (status != GMS_OK) {
        return status;
    }
    gms_sim_bind(sim);
    gms_host_show(topology);
    if (sim->launch.spawner == 0) {
        gms_clock_prepare(sim);
    }
    status = gms_sim_enter_gate(sim, error);
    if (status != GMS_OK) {
        if (sim->launch.spawner == 0) {
            gms_job_give_up(sim->job);
        }
        return status;
    }
    gms_job_started(sim->job);
    if (sim->launch.rank == 0 && gms_ranks() == NULL) {
        sim->binder = gms_binder_start(sim->root->binder, &sim->ctx);
    }
    gms_sim_begin_computing(sim);
    gms_gate_enter(&sim->ctx); /* treat the following steps as one call, whether
                                * or not the run has outputs */
    gms_sim_begin_record(sim, cluster.profile);
    gms_sim_begin_trace(sim);
    gms_sim_observe(sim);
    gms_gate_exit(&sim->ctx);
    return GMS_OK;
}

/* Print the error that prevents the start of the job. An invalid cluster
 * description is usually invalid for all ranks. Ranks other than 0 wait before
 * they print the error. During this wait, the launcher can end the job after
 * rank 0 has printed the error. */
static void gms_sim_complain(const gms_sim_t *sim, const char *error)
{
    struct timespec pause = {.tv_sec = 0, .tv_nsec = 300000000};

    if (sim->launch.rank > 0) {
        nanosleep(&pause, NULL);
    }
    fprintf(stderr, "gmsim: rank %u: %s\n", sim->launch.rank, error);
}

/* Detach a forked child from the cluster. The child is not a rank. The
 * child's calls must neither find nor affect the parent's cluster. */
static void gms_sim_in_child(void)
{
    gms_sim_of_process->state = GMS_SIM_LEFT;
    gms_sim_of_process->ports = NULL;
}

static void gms_sim_on_exit(int status, void *sim)
{
    ((gms_sim_t *)sim)->exit_status = status;
}

gm_status_t gms_sim_join(void)
{
    char error[GMS_ERROR_LEN] = "";
    gms_sim_t *sim = gms_sim();

    if (sim == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    if (sim->state == GMS_SIM_NEW) {
        if (gms_sim_try_join(sim, error) == GMS_OK) {
            sim->pid = getpid();
            pthread_atfork(NULL, NULL, gms_sim_in_child);
            (void)on_exit(gms_sim_on_exit, sim);
            sim->state = GMS_SIM_JOINED;
            gms_clock_connect(sim);
        } else {
            gms_sim_complain(sim, error);
            sim->state = GMS_SIM_FAILED;
        }
    }
    return sim->state == GMS_SIM_JOINED ? GM_SUCCESS : GM_FAILURE;
}

/* Post the event that cleans up after this rank. The caller must hold the lock.
 * The rank's clock must not advance beyond the time of the event. A later clock
 * would delay the manager (gms_root_bury()). */
static void gms_sim_post_leaving(gms_sim_t *sim)
{
    gms_gate_enter(&sim->ctx); /* no gms_gate_exit() follows, because this
                                * thread does not return to the program */
    sim->left_ps = gms_gate_clock(&sim->ctx);
    gms_sim_trace_leave(sim);
    gms_engine_schedule(&sim->ctx, gms_gate_origin(&sim->ctx), sim->left_ps,
                        GMS_GM_ON_LEAVE, NULL, sim->launch.rank, 0);
    gms_gate_unlock(&sim->ctx);
    gms_binder_stop(sim->binder);
    sim->binder = NULL;
    gms_sim_end_computing(sim);
    gms_gate_finish(&sim->ctx);
    gms_sim_close_record(sim);
    gms_sim_close_trace(sim);
    sim->state = GMS_SIM_LEFT;
}

void gms_sim_leave(gms_sim_t *sim)
{
    if (sim->state == GMS_SIM_JOINED) {
        gms_gate_run_events_until_turn(&sim->ctx);
        gms_sim_post_leaving(sim);
    }
}

/* Leave the job if the process ends without gm_finalize(), because the other
 * processes must not wait for its clock. The process does not wait for its
 * turn, because another process may be computing for a long time. A destructor
 * runs after all atexit() functions of the program, which may still call GM. */
__attribute__((destructor)) static void gms_sim_at_exit(void)
{
    gms_sim_t *sim = gms_sim_of_process;

    if (sim == NULL || sim->pid != getpid()) {
        return;
    }
    if (sim->state == GMS_SIM_JOINED) {
        gms_gate_lock(&sim->ctx);
        gms_sim_post_leaving(sim);
    } else if (sim->state == GMS_SIM_ABSENT) {
        gms_binder_stop(sim->binder);
        sim->binder = NULL;
        gms_sim_end_computing(sim);
        gms_gate_finish(&sim->ctx);
        sim->state = GMS_SIM_LEFT;
    }
    /* If a file of the run could not be written, exit with a failure status,
     * because the results of the job are incomplete. */
    if (sim->is_lost && sim->exit_status == EXIT_SUCCESS) {
        (void)fflush(NULL);
        _exit(EXIT_FAILURE);
    }
}

void gms_sim_begin_post(gms_sim_t *sim)
{
    gms_gate_lock(&sim->ctx);
    sim->polls = 0;
    sim->reads_ps = 0;
}

void gms_sim_begin_turn(gms_sim_t *sim)
{
    gms_gate_run_events_until_turn(&sim->ctx);
    gms_copy_take_in(&sim->ctx);
    sim->polls = 0;
    sim->reads_ps = 0;
}

void gms_sim_end(gms_sim_t *sim, gms_time_t cost_ps)
{
    gms_gate_advance(&sim->ctx, cost_ps);
    gms_gate_unlock(&sim->ctx);
}

void gms_sim_spend(gms_sim_t *sim, gms_time_t cost_ps)
{
    gms_sim_spend_as(sim, cost_ps, GMS_BUSY_WORKS);
}

void gms_sim_spend_locked(gms_sim_t *sim, gms_time_t cost_ps,
                          enum gms_busy_kind kind)
{
    /* Limit a clock to half of its range. The limit is far longer than any run.
     * The limit prevents an overflow when times are added to the clock
     * later. */
    if (cost_ps > GMS_NEVER / 2 - gms_gate_clock(&sim->ctx)) {
        gms_fatal(&sim->ctx, "virtual time exceeds its limit of 106 days");
    }
    gms_gate_spend(&sim->ctx, cost_ps, kind);
}

void gms_sim_spend_as(gms_sim_t *sim, gms_time_t cost_ps,
                      enum gms_busy_kind kind)
{
    gms_sim_begin_post(sim);
    gms_sim_spend_locked(sim, cost_ps, kind);
    gms_gate_unlock(&sim->ctx);
}

gm_status_t gms_sim_status(gms_status_t status)
{
    switch (status) {
    case GMS_OK:
        return GM_SUCCESS;
    case GMS_ERR_INVALID_PARAM:
    case GMS_ERR_NOT_FOUND:
        return GM_INVALID_PARAMETER;
    case GMS_ERR_NO_MEMORY:
        return GM_OUT_OF_MEMORY;
    case GMS_ERR_BUSY:
        return GM_BUSY;
    case GMS_ERR_DENIED:
        return GM_PERMISSION_DENIED;
    case GMS_ERR_SYSTEM:
    case GMS_ERR_PEER_DIED:
    case GMS_ERR_CONFIG:
        return GM_FAILURE;
    case GMS_ERR_TIMED_OUT:
        return GM_TIMED_OUT;
    }
    return GM_INTERNAL_ERROR;
}
