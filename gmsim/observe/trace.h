/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the traces of a run. A trace contains, with virtual times, the calls
 * of every rank, the jobs of every NIC, the stages of every packet, decisions
 * and faults. doc/trace.md describes traces for users.
 *
 *   trace point (in the layer) -> item or row -> one writer for each output
 *
 * Tracing does not change virtual times or results. Repeated runs write
 * identical bytes, even if different processes run the events.
 *
 * Order. Trace points in events are reached in the order of the engine's
 * events. A rank executes its trace points between events. The time of such a
 * trace point is the clock of the rank, which is not before the engine's time.
 * The items of these trace points wait in a heap. These items are written in
 * the order of (time, rank), before the first item of an event at that time or
 * later. When an event runs, every rank whose clock is at or before the event's
 * time is asleep. The content of the heap therefore does not depend on the
 * machine.
 */
#ifndef OBSERVE_TRACE_H
#define OBSERVE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/engine.h"
#include "fabric/fabric.h"
#include "nic/nic.h"
#include "observe/tracepoint.h"

/** Maximum length of an error message, in bytes. */
#define GMS_TRACE_ERROR_LEN 1024
/** Maximum length of the path of an output, in bytes. */
#define GMS_TRACE_PATH_LEN 1024
/** Maximum number of outputs of a run. */
#define GMS_TRACE_OUTPUTS 3u
/** Number of threads of a rank whose calls are shown, each thread on its own
 *  line. */
#define GMS_TRACE_THREADS 8u
/** Maximum depth of nested MPI calls in the trace. */
#define GMS_TRACE_DEPTH 16u

/** Categories of trace items, as bits. */
enum gms_trace_category {
    GMS_TRACE_MPI = 1,    /* beginning and end of MPI calls */
    GMS_TRACE_GM = 2,     /* sends, receives and callbacks of GM */
    GMS_TRACE_PACKET = 4, /* stages of every packet */
    GMS_TRACE_NIC = 8,    /* activity of every part of a NIC */
    GMS_TRACE_IDT = 16,   /* decisions, IDTs, bandwidths of flows */
    GMS_TRACE_FAULT = 32, /* faults, dropped packets, stalled streams */
    GMS_TRACE_ALL = 63
};
/** Categories that are traced by default, if GMSIM_TRACE_ONLY is not set. The
 *  categories `packet' and `nic' produce about a dozen items per packet and
 *  must be selected explicitly. */
#define GMS_TRACE_DEFAULT                                                      \
    (GMS_TRACE_MPI | GMS_TRACE_GM | GMS_TRACE_IDT | GMS_TRACE_FAULT)

typedef struct gms_trace gms_trace_t;         /* shared state, in the arena */
typedef struct gms_trace_ops gms_trace_ops_t; /* a format, see trace_int.h */

/** Outputs and categories that the user has requested. */
typedef struct gms_trace_config {
    unsigned outputs; /* number of outputs; 0: nothing is traced */
    const gms_trace_ops_t *ops[GMS_TRACE_OUTPUTS];
    char path[GMS_TRACE_OUTPUTS][GMS_TRACE_PATH_LEN];
    unsigned wanted[GMS_TRACE_OUTPUTS]; /* bits of enum gms_trace_category, one
                                         * set per output */
    gms_time_t from_ps, to_ps; /* the trace shows items that begin in [from,
                                * to) */
} gms_trace_config_t;

/** Node and port of a rank. */
typedef struct gms_trace_slot {
    uint32_t node, port; /* nodes are counted from 0 */
} gms_trace_slot_t;

/** The job and the cluster of a trace. */
typedef struct gms_trace_subject {
    unsigned ranks, nodes;
    unsigned ports;                /* ports of a NIC */
    const gms_trace_slot_t *slots; /* array in the arena, indexed by rank */
    const gms_fabric_t *fabric;
} gms_trace_subject_t;

/** Return the union of the categories that the outputs show. */
unsigned gms_trace_categories(const gms_trace_config_t *config);

/** State of the trace in a process. */
typedef struct gms_tracer {
    gms_trace_t *trace; /* NULL: nothing is traced */
    const gms_trace_config_t *config;
    int files[GMS_TRACE_OUTPUTS];
    int is_part[GMS_TRACE_OUTPUTS]; /* 1: the output receives its final name
                                     * only at the end */
} gms_tracer_t;

/**
 * Parse GMSIM_TRACE, GMSIM_TRACE_FORMAT, GMSIM_TRACE_ONLY and
 * GMSIM_TRACE_WINDOW (NULL: not set). The function accesses no file.
 *
 * The format of an output is `format`. If no format was set, the file name
 * extension (.json, .csv or .otf2) selects the format. The default of `only` is
 * `packet` for a packet log, and GMS_TRACE_DEFAULT for other outputs. A window
 * has the form "10ms..20ms"; either time may be omitted.
 *
 * @param [in]  outputs  comma-separated paths
 * @param [in]  format   `json`, `csv` or `otf2`
 * @param [in]  only     comma-separated categories
 * @param [out] error    the variable, the reason, and the allowed values
 *
 * @return GMS_OK; GMS_ERR_CONFIG
 */
gms_status_t gms_trace_configure(const char *outputs, const char *format,
                                 const char *only, const char *window,
                                 gms_trace_config_t *config,
                                 char error[GMS_TRACE_ERROR_LEN]);
/** Check whether the outputs can be written. Every process calls this function
 *  before it joins the job.
 *  @return GMS_OK, or GMS_ERR_CONFIG with a message in error */
gms_status_t gms_trace_check(const gms_trace_config_t *config,
                             char error[GMS_TRACE_ERROR_LEN]);

/** Create the trace in the arena of the job, and create empty outputs. One
 *  process calls this function before the other processes join the job.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM with errno set */
gms_status_t gms_trace_create(gms_arena_t *arena,
                              const gms_trace_config_t *config,
                              const gms_trace_subject_t *subject,
                              gms_trace_t **trace_p);
/** Open the outputs for appending. The object config must outlive the tracer.
 *  @return GMS_OK; GMS_ERR_SYSTEM with errno set */
gms_status_t gms_tracer_open(gms_tracer_t *tracer,
                             const gms_trace_config_t *config,
                             gms_trace_t *trace);
void gms_tracer_close(gms_tracer_t *tracer);
/** Return whether the trace needs the trace points of NICs
 *  (gms_nic_watch()). */
int gms_tracer_needs_nics(const gms_tracer_t *tracer);

/** Handle a trace point. This is the on_tracepoint function of a gms_ctx_t. The
 *  caller must hold the gate's lock. */
void gms_tracer_on_tracepoint(gms_ctx_t *ctx, gms_tracer_t *tracer,
                              uint32_t what, const void *thing);
/** Trace a fault. The parameter text describes the fault in the format of a
 *  cluster description. */
void gms_tracer_fault(gms_ctx_t *ctx, gms_tracer_t *tracer, const char *text);

/** Write all remaining items and complete the outputs. One process calls this
 *  function, after all other processes have left.
 *  @param [out] error  the output that could not be written, and the reason
 *  @return GMS_OK, GMS_ERR_SYSTEM, GMS_ERR_NO_MEMORY */
gms_status_t gms_tracer_end(gms_ctx_t *ctx, gms_tracer_t *tracer,
                            char error[GMS_TRACE_ERROR_LEN]);

#endif
