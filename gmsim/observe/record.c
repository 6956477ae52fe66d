/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the directory of a record, and rejects a directory that already
 * contains a record. Writes the data of record.json that are known at the start
 * of the run: program, ranks, parameters and topology. The file record_end.c
 * writes the final version of record.json.
 */
#include "observe/record.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config.h"
#include "nic/inspect.h"
#include "observe/record_int.h"

/* ---- the directory ---- */

gms_status_t gms_record_check(const char *directory,
                              char error[GMS_RECORD_ERROR_LEN])
{
    int opened;

    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        (void)snprintf(error, GMS_RECORD_ERROR_LEN,
                       "environment variable GMSIM_RECORD: cannot create the "
                       "directory '%.300s': %s",
                       directory, strerror(errno));
        return GMS_ERR_CONFIG;
    }
    opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0 || faccessat(opened, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        (void)snprintf(error, GMS_RECORD_ERROR_LEN,
                       "environment variable GMSIM_RECORD: cannot write to the "
                       "directory '%.300s': %s",
                       directory, strerror(errno));
    } else if (faccessat(opened, GMS_RECORD_FILE, F_OK, 0) == 0) {
        (void)snprintf(
            error, GMS_RECORD_ERROR_LEN,
            "environment variable GMSIM_RECORD: '%.300s' already contains the "
            "record of a run; remove it or name another directory",
            directory);
    } else {
        (void)close(opened);
        return GMS_OK;
    }
    if (opened >= 0) {
        (void)close(opened);
    }
    return GMS_ERR_CONFIG;
}

gms_status_t gms_record_create(gms_arena_t *arena, gms_engine_t *engine,
                               gms_gate_t *gate, const gms_fabric_t *fabric,
                               gms_record_t **record_p)
{
    gms_record_t *record = gms_arena_alloc(arena, sizeof(*record));
    size_t links = gms_topology_link_count(gms_fabric_topology(fabric));

    if (record == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    record->nics = gms_arena_alloc(arena, gms_fabric_nodes(fabric) *
                                              sizeof(*record->nics));
    record->links = gms_arena_alloc(arena, links * sizeof(*record->links));
    record->hosts = gms_arena_alloc(arena, gms_gate_capacity(gate) *
                                               sizeof(*record->hosts));
    record->commands = gms_arena_alloc(arena, gms_gate_capacity(gate) *
                                                  sizeof(*record->commands));
    if (record->nics == NULL || record->links == NULL ||
        record->hosts == NULL || record->commands == NULL ||
        gms_busy_create(arena, gms_gate_capacity(gate), GMS_RECORD_WINDOW_PS,
                        &record->busy) != GMS_OK) {
        return GMS_ERR_NO_MEMORY; /* the arena is released at the end of the
                                   * job */
    }
    gms_gate_set_busy(gate, record->busy);
    gms_engine_watch(engine, GMS_RECORD_WINDOW_PS);
    *record_p = record;
    return GMS_OK;
}

gms_status_t gms_recorder_open(gms_recorder_t *recorder, const char *directory,
                               gms_record_t *record)
{
    unsigned which;

    recorder->record = record;
    for (which = 0; which < GMS_RECORD_FILES; ++which) {
        recorder->files[which] = -1;
    }
    recorder->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return recorder->directory >= 0 ? GMS_OK : GMS_ERR_SYSTEM;
}

void gms_recorder_close(gms_recorder_t *recorder)
{
    unsigned which;

    for (which = 0; which < GMS_RECORD_FILES; ++which) {
        if (recorder->files[which] >= 0) {
            (void)close(recorder->files[which]);
        }
        recorder->files[which] = -1;
    }
    if (recorder->directory >= 0) {
        (void)close(recorder->directory);
    }
    recorder->directory = -1;
}

/* ---- data known at the start ---- */

static json_t *gms_record_params(const gms_params_t *params)
{
    json_t *object = json_object();
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        uint64_t value = gms_param_get(params, row);

        (void)json_object_set_new(object, row->name,
                                  row->names != NULL
                                      ? json_string(row->names[value])
                                      : json_integer((json_int_t)value));
    }
    return object;
}

json_t *gms_record_ranks(const gms_record_subject_t *subject)
{
    json_t *array = json_array();
    unsigned rank;

    for (rank = 0; rank < subject->ranks; ++rank) {
        (void)json_array_append_new(
            array, json_pack("{s:i,s:i,s:i}", "rank", (int)rank, "node",
                             (int)subject->slots[rank].node + 1, "port",
                             (int)subject->slots[rank].port));
    }
    return array;
}

static json_t *gms_record_end_of(const gms_link_end_t *end)
{
    return end->kind == GMS_END_NODE
               ? json_pack("{s:i}", "node", (int)end->index + 1)
               : json_pack("{s:i,s:i}", "switch", (int)end->index, "port",
                           (int)end->port);
}

static json_t *gms_record_topology(const gms_record_subject_t *subject)
{
    gms_topology_t *topology = gms_fabric_topology(subject->fabric);
    json_t *switches = json_array(), *links = json_array();
    unsigned i;
    char name[96];

    for (i = 0; i < gms_topology_switches(topology); ++i) {
        (void)json_array_append_new(
            switches, json_pack("{s:i,s:i}", "ports",
                                (int)gms_topology_ports(topology, i), "level",
                                (int)gms_topology_level(topology, i)));
    }
    for (i = 0; i < gms_topology_link_count(topology); ++i) {
        gms_topology_link_name(topology, i, name, sizeof(name));
        (void)json_array_append_new(
            links,
            json_pack("{s:s,s:o,s:o}", "name", name, "from",
                      gms_record_end_of(gms_topology_from(topology, i)), "to",
                      gms_record_end_of(gms_topology_to(topology, i))));
    }
    return json_pack("{s:i,s:o,s:o}", "nodes", (int)subject->nodes, "switches",
                     switches, "links", links);
}

/* Create record.json exclusively. The job that creates the file owns the record
 * in this directory. Two jobs that begin at the same time must not write to the
 * same files. */
static gms_status_t gms_record_claim(int directory)
{
    int file = openat(directory, GMS_RECORD_FILE,
                      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

    return file < 0 || close(file) != 0 ? GMS_ERR_SYSTEM : GMS_OK;
}

gms_status_t gms_recorder_begin(gms_recorder_t *recorder,
                                const gms_record_subject_t *subject)
{
    uint64_t sum = 0;
    json_t *root = json_pack(
        "{s:i,s:b,s:{s:s},s:{s:s?,s:b,s:i,s:o,s:o},s:o,s:o,s:{s:s?,s:o,s:s,s:o}"
        ","
        "s:o,s:I}",
        "schema", GMS_RECORD_SCHEMA, "complete", 0, "versions", "gmqos",
        GMQOS_VERSION, "job", "program", subject->program, "launched",
        subject->is_launched, "size", (int)subject->ranks, "ranks",
        gms_record_ranks(subject), "commands",
        gms_record_commands(recorder->record, 1), "settings",
        gms_record_settings(), "policy", gms_record_text_of(subject->policy),
        "cluster", "description", subject->description, "text",
        gms_record_text_of(subject->description), "profile", subject->profile,
        "parameters", gms_record_params(subject->params), "topology",
        gms_record_topology(subject), "window_ps",
        (json_int_t)GMS_RECORD_WINDOW_PS);

    if (root == NULL) {
        errno = ENOMEM;
        return GMS_ERR_SYSTEM;
    }
    if (gms_record_claim(recorder->directory) != GMS_OK) {
        json_decref(root);
        return GMS_ERR_SYSTEM;
    }
    if (gms_record_save(recorder->directory, root, NULL, &sum) != GMS_OK) {
        return GMS_ERR_SYSTEM;
    }
    return gms_record_make_files(recorder->directory, recorder->record, sum);
}
