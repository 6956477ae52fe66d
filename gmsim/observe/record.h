/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The record of a run: a directory with the program and its cluster, the
 * activity of every flow and NIC in every millisecond of virtual time, and all
 * decisions. Its files and their schema are in doc/record.md.
 *
 *   record.json    the cluster, the job; at the end all counters. Until then
 *                  "complete" is false: a run that is killed leaves that
 *   windows.jsonl  a line for each window with activity
 *   events.jsonl   a line for each decision, fault, stall
 *
 * The record is an observer: it changes no virtual time and no result. The same
 * run writes the same bytes (the record has no wall-clock time and no process
 * id).
 *
 * Every process has its own recorder. The process that runs the events collects
 * the windows in the arena and writes them in pieces. Lines and files have
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

/** Length of a window. */
#define GMS_RECORD_WINDOW_PS GMS_MS
/** Room for an error text. */
#define GMS_RECORD_ERROR_LEN 512
/** Room for the name of a label, as of an MPI communicator. */
#define GMS_RECORD_NAME_LEN 128

typedef struct gms_record gms_record_t; /* what all processes collect: in the
                                           arena */

/** Where a rank sits. */
typedef struct gms_record_slot {
    uint32_t node, port; /* node 0-based */
} gms_record_slot_t;

/** What is recorded. */
typedef struct gms_record_subject {
    const gms_params_t *params;
    const char *description; /* file of the cluster; NULL: the default one */
    const char *profile;
    const char *program;            /* of rank 0 */
    const char *policy;             /* file of requests for it; NULL: none */
    int is_launched;                /* by mpirun */
    unsigned ranks, nodes;          /* of the job, of the cluster */
    const gms_record_slot_t *slots; /* by rank */
    gms_nic_t *const *nics;         /* by node */
    const gms_fabric_t *fabric;
} gms_record_subject_t;

/** Files of lines. */
enum gms_record_which {
    GMS_RECORD_WINDOWS = 0,
    GMS_RECORD_EVENTS,
    GMS_RECORD_FILES
};

/** A process's files; folder -1: it records nothing. */
typedef struct gms_recorder {
    int directory;
    int files[GMS_RECORD_FILES]; /* -1: not opened yet */
    gms_record_t *record;
} gms_recorder_t;

/**
 * Can a run be recorded there? Makes the folder if it is not there.
 * @param [out] error  what is wrong and what to do
 * @return GMS_OK; GMS_ERR_CONFIG: it holds a record already, or cannot be
 *         written
 */
gms_status_t gms_record_check(const char *directory,
                              char error[GMS_RECORD_ERROR_LEN]);

/** In the arena of the job, once; begins to watch.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_record_create(gms_arena_t *arena, gms_engine_t *engine,
                               gms_gate_t *gate, const gms_fabric_t *fabric,
                               gms_record_t **record_p);

/** A rank calls a label so from now on; where several do, the lowest rank's name
 *  counts. A longer name is cut. Without room in the arena nothing happens. */
void gms_record_name_label(gms_arena_t *arena, gms_record_t *record,
                           uint32_t label, uint32_t rank, const char *name);

/** What part of a flow's bandwidth is its program's own data, from now on; without
 *  room in the arena it is not known. @param [in] node  0-based */
void gms_record_note_payload(gms_arena_t *arena, gms_record_t *record,
                             uint32_t node, const gms_flow_key_t *key,
                             double part);

/** The words that a rank was started with, each with its final 0; without room in
 *  the arena they are not known. */
void gms_record_note_command(gms_arena_t *arena, gms_record_t *record,
                             unsigned rank, const char *words, size_t bytes);

/** Open the folder; its files are opened when there is something to write.
 *  @return GMS_OK; GMS_ERR_SYSTEM: errno says why, the recorder records nothing */
gms_status_t gms_recorder_open(gms_recorder_t *recorder, const char *directory,
                               gms_record_t *record);
void gms_recorder_close(gms_recorder_t *recorder);

/** Make the files, which must not be there, and write record.json as far as it is
 *  known. One process, before the first event. @return as above; errno EEXIST:
 *  another run has begun to record there */
gms_status_t gms_recorder_begin(gms_recorder_t *recorder,
                                const gms_record_subject_t *subject);
/** Close the window that has ended before next_ps (a ctx's on_watch). */
void gms_recorder_window(gms_ctx_t *ctx, gms_recorder_t *recorder,
                         const gms_record_subject_t *subject,
                         gms_time_t next_ps);
/** Write what was seen (a ctx's on_tracepoint). */
void gms_recorder_on_tracepoint(gms_ctx_t *ctx, gms_recorder_t *recorder,
                                const gms_record_subject_t *subject,
                                uint32_t what, const void *thing);
/** A fault happens; text: as a description has it. */
void gms_recorder_fault(gms_ctx_t *ctx, gms_recorder_t *recorder,
                        const char *text);
/** The last window and all counters; "complete" becomes true. One process,
 *  after all others have left. What could not be written makes the record
 *  incomplete. @param [out] why  GMS_RECORD_ERROR_LEN  @return as above */
gms_status_t gms_recorder_end(gms_ctx_t *ctx, gms_recorder_t *recorder,
                              const gms_record_subject_t *subject,
                              char why[GMS_RECORD_ERROR_LEN]);

#endif
