/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The record of a run is a directory. The record contains data about the
 * program and its cluster, the activity of every flow and NIC in every
 * millisecond of virtual time, and all decisions. The page doc/record.md
 * describes the files of a record and their formats.
 *
 *   record.json    the cluster and the job; at the end, all counters. Until
 *                  then, "complete" is false; it stays false in the record of
 *                  a killed run
 *   windows.jsonl  a line for each window with activity
 *   events.jsonl   a line for each decision, fault, stall
 *
 * Recording does not change virtual times or results. Repeated runs write
 * identical bytes, because the record contains no wall-clock time and no
 * process id.
 *
 * Every process has its own recorder. The process that runs the events collects
 * the windows in the arena, and writes them in pieces. All lines and files have
 * checksums. A record that could not be written completely is marked as
 * incomplete, with the reason.
 */
#ifndef OBSERVE_RECORD_H
#define OBSERVE_RECORD_H

#include "params/params.h"
#include "engine/engine.h"
#include "engine/gate.h"
#include "fabric/fabric.h"
#include "nic/nic.h"
#include "manager/manager.h"

/** Length of a window, ps. */
#define GMS_RECORD_WINDOW_PS GMS_MS
/** Length of the buffer for an error message, bytes. */
#define GMS_RECORD_ERROR_LEN 512
/** Length of the name of a label, such as an MPI communicator, bytes. */
#define GMS_RECORD_NAME_LEN 128

/* state of a record, in the arena of the job */
typedef struct gms_record gms_record_t;

/** Node and port of a rank. */
typedef struct gms_record_slot {
    uint32_t node, port; /* node numbers start at 0 */
} gms_record_slot_t;

/** The job and the cluster of a record. */
typedef struct gms_record_subject {
    const gms_params_t *params;
    /* cluster description file; NULL: the default cluster */
    const char *description;
    const char *profile;
    const char *program;   /* program of rank 0 */
    const char *policy;    /* policy file; NULL: none */
    int is_launched;       /* 1: mpirun started the job */
    unsigned ranks, nodes; /* ranks of the job, nodes of the cluster */
    unsigned launched;     /* number of ranks that were not spawned */
    int is_over;           /* 1: all ranks have left (gms_gate_is_left()) */
    const gms_record_slot_t *slots; /* indexed by rank */
    gms_nic_t *const *nics;         /* indexed by node */
    const gms_fabric_t *fabric;
} gms_record_subject_t;

/** Line-based files of a record. */
enum gms_record_which {
    GMS_RECORD_WINDOWS = 0,
    GMS_RECORD_EVENTS,
    GMS_RECORD_FILES
};

/** Files of a process. If the directory is -1, the process records nothing. */
typedef struct gms_recorder {
    int directory;
    int files[GMS_RECORD_FILES]; /* -1: the file is not open yet */
    gms_record_t *record;
} gms_recorder_t;

/**
 * Check whether a run can be recorded in the directory, and create the
 * directory if it does not exist.
 *
 * @param [out] error  the reason and the remedy
 *
 * @return GMS_OK; GMS_ERR_CONFIG: the directory already contains a record, or
 *     cannot be written
 */
gms_status_t gms_record_check(const char *directory,
                              char error[GMS_RECORD_ERROR_LEN]);

/** Create the record in the arena of the job, once per job, and start to
 *  record.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_record_create(gms_arena_t *arena, gms_engine_t *engine,
                               gms_gate_t *gate, const gms_fabric_t *fabric,
                               gms_record_t **record_p);

/** Set the name that a rank gives to a label. If several ranks name the same
 *  label, the record contains the name from the lowest rank. Longer names are
 *  truncated. The call has no effect if the arena is full. */
void gms_record_name_label(gms_arena_t *arena, gms_record_t *record,
                           uint32_t label, uint32_t rank, const char *name);

/** Set the fraction of a flow's bandwidth that the program's own data use. The
 *  fraction stays unknown if the arena is full.
 *  @param [in] node number of the node, counting from 0 */
void gms_record_note_payload(gms_arena_t *arena, gms_record_t *record,
                             uint32_t node, const gms_flow_key_t *key,
                             double part);

/** Store the words of the command that started a rank, each word with its final
 *  0. The command stays unknown if the arena is full. */
void gms_record_note_command(gms_arena_t *arena, gms_record_t *record,
                             unsigned rank, const char *words, size_t bytes);

/** Open the directory. The files of the record are opened at the first write to
 *  them.
 *  @return GMS_OK; GMS_ERR_SYSTEM with errno set: the recorder records
 *    nothing */
gms_status_t gms_recorder_open(gms_recorder_t *recorder, const char *directory,
                               gms_record_t *record);
void gms_recorder_close(gms_recorder_t *recorder);

/** Create the files, which must not exist, and write the known part of
 *  record.json. One process calls this function, before the first event.
 *  @return the same values as gms_recorder_open(); errno EEXIST: another run
 *    records in this directory */
gms_status_t gms_recorder_begin(gms_recorder_t *recorder,
                                const gms_record_subject_t *subject);
/** Close the window that ended before next_ps. This is the on_watch function of
 *  a gms_ctx_t. If next_ps is GMS_NEVER, the window is the last one, and ends
 *  with the run: at the time at which the last rank left. The activity after
 *  this time (acknowledgements, releases of reservations) is part of the last
 *  window. */
void gms_recorder_window(gms_ctx_t *ctx, gms_recorder_t *recorder,
                         const gms_record_subject_t *subject,
                         gms_time_t next_ps);
/** Record a trace point. This is the on_tracepoint function of a gms_ctx_t. */
void gms_recorder_on_tracepoint(gms_ctx_t *ctx, gms_recorder_t *recorder,
                                const gms_record_subject_t *subject,
                                uint32_t what, const void *thing);
/** Record a fault. The parameter text describes the fault in the format of a
 *  cluster description. */
void gms_recorder_fault(gms_ctx_t *ctx, gms_recorder_t *recorder,
                        const char *text);
/** Write the last window and all counters, and set "complete". One process
 *  calls this function, after all other processes have left. If a write fails,
 *  the record stays incomplete.
 *  @param [out] why  the reason, GMS_RECORD_ERROR_LEN bytes
 *  @return the same values as gms_recorder_open() */
gms_status_t gms_recorder_end(gms_ctx_t *ctx, gms_recorder_t *recorder,
                              const gms_record_subject_t *subject,
                              char why[GMS_RECORD_ERROR_LEN]);

#endif
