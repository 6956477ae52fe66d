/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connects a process with the record of the run. This file opens the directory,
 * and passes trace points, faults, labels and the command line to
 * observe/record.h. This file also prints an error if the record is incomplete.
 */
#define _GNU_SOURCE /* required for program_invocation_short_name */
#include "job/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "engine/ranks.h"
#include "job/launch_words.h"

/* [chosen: half of Linux's usual limit for the total length of a program's
 * arguments] */
#define GMS_SIM_COMMAND_BYTES 65536u

typedef struct gms_sim_record {
    gms_recorder_t recorder;
    gms_record_subject_t subject;
    gms_record_slot_t slots[]; /* array, indexed by rank */
} gms_sim_record_t;

gms_status_t gms_sim_try_record(const gms_launch_t *launch,
                                char error[GMS_ERROR_LEN])
{
    char why[GMS_RECORD_ERROR_LEN];
    gms_status_t status = GMS_OK;

    if (launch->record != NULL) {
        status = gms_record_check(launch->record, why);
        if (status != GMS_OK) {
            (void)snprintf(error, GMS_ERROR_LEN, "%s", why);
        }
    }
    return status;
}

/* ---- during the run ---- */

/* Add the ranks that have been spawned since the last call. */
static void gms_sim_record_spawned(gms_sim_record_t *record,
                                   const gms_root_t *root)
{
    for (; record->subject.ranks < root->size; ++record->subject.ranks) {
        gms_record_slot_t *slot = &record->slots[record->subject.ranks];

        slot->node = root->slots[record->subject.ranks].host;
        slot->port = root->slots[record->subject.ranks].port;
    }
}

static void gms_sim_on_watch(gms_ctx_t *ctx, gms_time_t next_ps)
{
    gms_sim_record_t *record = gms_sim()->record;

    gms_sim_record_spawned(record, gms_sim()->root);
    record->subject.is_over = gms_gate_is_left(ctx->gate);
    gms_recorder_window(ctx, &record->recorder, &record->subject, next_ps);
}

void gms_sim_record_tracepoint(gms_ctx_t *ctx, uint32_t what, const void *thing)
{
    gms_sim_record_t *record = gms_sim()->record;

    gms_sim_record_spawned(record, gms_sim()->root);
    gms_recorder_on_tracepoint(ctx, &record->recorder, &record->subject, what,
                               thing);
}

void gms_sim_record_fault(gms_ctx_t *ctx, const char *text)
{
    const gms_sim_t *sim = ctx->owner;

    gms_recorder_fault(ctx, &sim->record->recorder, text);
}

void gms_sim_record_label(gms_sim_t *sim, unsigned label, const char *name)
{
    gms_record_name_label(sim->ctx.arena, sim->root->record, label,
                          (uint32_t)sim->launch.rank, name);
}

void gms_sim_record_payload(gms_sim_t *sim, unsigned node,
                            const gms_flow_key_t *key, double part)
{
    gms_record_note_payload(sim->ctx.arena, sim->root->record, node, key, part);
}

/* ---- begin and end ---- */

static gms_sim_record_t *gms_sim_new_record(gms_sim_t *sim)
{
    const gms_root_t *root = sim->root;
    gms_sim_record_t *record =
        calloc(1, sizeof(*record) +
                      gms_gate_capacity(root->gate) * sizeof(record->slots[0]));

    if (record == NULL) {
        return NULL;
    }
    record->subject = (gms_record_subject_t){
        .params = &root->params,
        .description = sim->launch.cluster,
        .program = program_invocation_short_name,
        .policy = getenv("MPIQOS_POLICY"),
        .is_launched = getenv("PMI_RANK") != NULL,
        .ranks = 0,
        .nodes = root->nodes,
        .launched = root->first_size,
        .slots = record->slots,
        .nics = root->nics,
        .fabric = root->fabric,
    };
    gms_sim_record_spawned(record, root);
    return record;
}

/* Write the command of this process to the buffer `text'. The variables that
 * mpirun sets for the rank precede the command. The buffer has three parts, and
 * the result is in the first part.
 * @return its length, or 0 if the command is longer than a part, because a
 *   truncated command would be a different command */
static size_t gms_sim_read_command(const gms_sim_t *sim, char *text)
{
    char *launcher = text + GMS_SIM_COMMAND_BYTES;
    char *words = launcher + GMS_SIM_COMMAND_BYTES;
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t bytes, variables;

    if (file == NULL) {
        return 0;
    }
    bytes = fread(words, 1, GMS_SIM_COMMAND_BYTES, file);
    (void)fclose(file);
    if (bytes == GMS_SIM_COMMAND_BYTES) {
        return 0;
    }
    variables = gms_launch_variables(
        (gms_words_t){launcher,
                      gms_launch_words_read(launcher, GMS_SIM_COMMAND_BYTES)},
        (gms_words_t){words, bytes}, (unsigned)sim->launch.rank, text,
        GMS_SIM_COMMAND_BYTES);
    memmove(text + variables, words, bytes);
    return variables + bytes;
}

/* Store the command of this rank in the record. */
static void gms_sim_note_command(gms_sim_t *sim)
{
    const gms_ranks_t *ranks = gms_ranks();
    char *text = malloc(3 * GMS_SIM_COMMAND_BYTES);
    size_t bytes = 0;

    if (text != NULL && ranks == NULL) {
        bytes = gms_sim_read_command(sim, text);
    } else if (text != NULL && ranks->command_bytes < GMS_SIM_COMMAND_BYTES) {
        bytes = ranks->command_bytes;
        memcpy(text, ranks->command, bytes);
    }
    if (bytes > 0) {
        gms_gate_lock(&sim->ctx);
        gms_record_note_command(sim->ctx.arena, sim->root->record,
                                (unsigned)sim->launch.rank, text, bytes);
        gms_gate_unlock(&sim->ctx);
    }
    free(text);
}

void gms_sim_begin_record(gms_sim_t *sim, const gms_profile_t *profile)
{
    char shown[512];
    gms_sim_record_t *record;
    gms_status_t status;

    if (sim->root->record == NULL) {
        return;
    }
    record = gms_sim_new_record(sim);
    if (record == NULL) {
        gms_fatal(&sim->ctx, "out of memory");
    }
    record->subject.profile = profile->name;
    gms_sim_note_command(sim);
    status = gms_recorder_open(&record->recorder, sim->launch.record,
                               sim->root->record);
    if (status == GMS_OK && sim->launch.rank == 0) {
        status = gms_recorder_begin(&record->recorder, &record->subject);
    }
    if (status != GMS_OK && errno == EEXIST) {
        gms_fatal(&sim->ctx,
                  "environment variable GMSIM_RECORD: '%s' already contains "
                  "files of a record, or another job has started recording "
                  "there; remove the files or name another directory",
                  gms_printable(sim->launch.record, shown, sizeof(shown)));
    }
    if (status != GMS_OK) {
        gms_fatal(&sim->ctx,
                  "environment variable GMSIM_RECORD: cannot write to '%s': %s",
                  gms_printable(sim->launch.record, shown, sizeof(shown)),
                  strerror(errno));
    }
    sim->record = record;
    sim->ctx.on_watch = gms_sim_on_watch;
}

void gms_sim_end_record(gms_ctx_t *ctx)
{
    gms_sim_t *sim = gms_sim();
    gms_sim_record_t *record = sim->record;
    char why[GMS_RECORD_ERROR_LEN], shown[512];

    if (record != NULL) {
        gms_sim_record_spawned(record, sim->root);
    }
    if (record != NULL && gms_recorder_end(ctx, &record->recorder,
                                           &record->subject, why) != GMS_OK) {
        gms_sim_lost(sim, "the record in '%s' is incomplete: %s",
                     gms_printable(sim->launch.record, shown, sizeof(shown)),
                     why);
    }
}

void gms_sim_close_record(gms_sim_t *sim)
{
    if (sim->record != NULL) {
        sim->ctx.on_watch = NULL;
        sim->ctx.on_tracepoint = NULL;
        gms_recorder_close(&sim->record->recorder);
        free(sim->record);
        sim->record = NULL;
    }
}
