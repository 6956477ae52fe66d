/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the recording of computing times and their use in later runs.
 * Calls are numbered from 0. The time of a call is the time that the program
 * spent computing before the call. In the mode `recorded', the run ends if a
 * call of the program differs from the next call of the record. The remaining
 * times would otherwise be used for the wrong calls.
 */
#include "job/computing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "observe/computing.h"

#define GMS_COMPUTING_PREFIX "recorded:"

struct gms_sim_computing {
    gms_computing_writer_t *writer; /* NULL if this run reads recorded times */
    const char *directory;
    gms_computing_t recorded;
    size_t next; /* index of the next call of the record */
};

static const char *gms_sim_computing_directory(const gms_launch_t *launch)
{
    size_t length = strlen(GMS_COMPUTING_PREFIX);

    return launch->time != NULL &&
                   strncmp(launch->time, GMS_COMPUTING_PREFIX, length) == 0
               ? launch->time + length
               : NULL;
}

/* ---- recording ----------------------------------------------------------- */

static void gms_sim_on_measured_call(gms_ctx_t *ctx, const char *name,
                                     gms_time_t computed_ps)
{
    /* If several threads make calls, the record is unusable, and the threads
     * must not change it at the same time. */
    if (!gms_gate_has_many_threads(ctx)) {
        gms_computing_add(gms_sim()->computing->writer, name, computed_ps);
    }
}

static void gms_sim_record_computing(gms_sim_t *sim)
{
    gms_sim_computing_t *computing = calloc(1, sizeof(*computing));
    char shown[512];

    if (computing == NULL ||
        gms_computing_create(sim->launch.record, sim->launch.rank,
                             sim->root->size, &computing->writer) != GMS_OK) {
        gms_fatal(&sim->ctx,
                  "environment variable GMSIM_RECORD: cannot write to '%s': %s",
                  gms_printable(sim->launch.record, shown, sizeof(shown)),
                  strerror(computing == NULL ? ENOMEM : errno));
    }
    sim->computing = computing;
    sim->ctx.on_call = gms_sim_on_measured_call;
}

/* ---- reading ------------------------------------------------------------- */

gms_status_t gms_sim_try_computing(gms_sim_t *sim, const gms_params_t *params,
                                   char error[GMS_ERROR_LEN])
{
    char why[GMS_COMPUTING_ERROR_LEN];
    gms_sim_computing_t *computing;

    if (params->time != GMS_TIME_RECORDED) {
        return GMS_OK;
    }
    if (sim->launch.spawner != 0) {
        snprintf(error, GMS_ERROR_LEN,
                 "the time mode `recorded' has no computing times for "
                 "processes that MPI_Comm_spawn starts; use measured or "
                 "virtual");
        return GMS_ERR_CONFIG;
    }
    computing = calloc(1, sizeof(*computing));
    if (computing == NULL) {
        snprintf(error, GMS_ERROR_LEN, "out of memory");
        return GMS_ERR_CONFIG;
    }
    computing->directory = gms_sim_computing_directory(&sim->launch);
    if (computing->directory == NULL) {
        snprintf(error, GMS_ERROR_LEN,
                 "time: the mode `recorded' requires the environment variable "
                 "GMSIM_TIME=recorded:RECORD");
        free(computing);
        return GMS_ERR_CONFIG;
    }
    if (gms_computing_read(computing->directory, sim->launch.rank,
                           sim->launch.size, &computing->recorded,
                           why) != GMS_OK) {
        snprintf(error, GMS_ERROR_LEN,
                 "environment variable GMSIM_TIME: recorded computing: %s",
                 why);
        free(computing);
        return GMS_ERR_CONFIG;
    }
    sim->computing = computing;
    return GMS_OK;
}

/* Print the difference between the program's calls and the record, and end the
 * run. */
static void gms_sim_leave_computing(gms_ctx_t *ctx, const char *does)
{
    const gms_sim_computing_t *computing = gms_sim()->computing;
    const gms_computing_t *recorded = &computing->recorded;
    gms_time_t now_ps = gms_gate_clock(ctx);
    char shown[512];

    gms_fatal(
        ctx,
        "the program deviates from the record '%s' at call %llu (%llu.%06llu "
        "ms of virtual time): the record contains %s, but the program %s; "
        "record the program again with GMSIM_TIME=measured",
        gms_printable(computing->directory, shown, sizeof(shown)),
        (unsigned long long)computing->next,
        (unsigned long long)(now_ps / GMS_MS),
        (unsigned long long)(now_ps % GMS_MS / 1000),
        computing->next < recorded->count
            ? recorded->calls[computing->next].name
            : "no further call",
        does);
}

static void gms_sim_on_recorded_call(gms_ctx_t *ctx, const char *name,
                                     gms_time_t computed_ps)
{
    gms_sim_computing_t *computing = gms_sim()->computing;
    const gms_computing_t *recorded = &computing->recorded;
    char does[GMS_COMPUTING_NAME_LEN + 16];

    (void)computed_ps;
    if (gms_gate_has_many_threads(ctx)) {
        gms_sim_leave_computing(ctx, "calls from a second thread");
    }
    if (computing->next >= recorded->count ||
        strcmp(recorded->calls[computing->next].name, name) != 0) {
        snprintf(does, sizeof(does), "calls %.*s", GMS_COMPUTING_NAME_LEN,
                 name);
        gms_sim_leave_computing(ctx, does);
    }
    ++computing->next;
}

static gms_time_t gms_sim_on_recorded_return(gms_ctx_t *ctx)
{
    const gms_sim_computing_t *computing = gms_sim()->computing;

    (void)ctx;
    return computing->next < computing->recorded.count
               ? computing->recorded.calls[computing->next].computed_ps
               : 0;
}

/* ---- begin and end ------------------------------------------------------- */

void gms_sim_begin_computing(gms_sim_t *sim)
{
    if (sim->root->params.time == GMS_TIME_MEASURED &&
        sim->root->record != NULL && sim->launch.record != NULL) {
        gms_sim_record_computing(sim);
    } else if (sim->computing != NULL) {
        sim->ctx.on_call = gms_sim_on_recorded_call;
        sim->ctx.on_return = gms_sim_on_recorded_return;
        gms_gate_compute_recorded(&sim->ctx);
    }
}

void gms_sim_end_computing(gms_sim_t *sim)
{
    gms_sim_computing_t *computing = sim->computing;
    char shown[512];

    if (computing == NULL) {
        return;
    }
    sim->ctx.on_call = NULL;
    sim->ctx.on_return = NULL;
    if (computing->writer == NULL) {
        if (computing->next < computing->recorded.count) {
            gms_sim_leave_computing(&sim->ctx, "ends");
        }
        gms_computing_clear(&computing->recorded);
    } else if (gms_computing_end(computing->writer,
                                 gms_gate_has_many_threads(&sim->ctx)) != 0) {
        gms_sim_lost(sim, "the computing times in '%s' are incomplete: %s",
                     gms_printable(sim->launch.record, shown, sizeof(shown)),
                     strerror(errno));
    }
    free(computing);
    sim->computing = NULL;
}
