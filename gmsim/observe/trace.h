/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Traces of a run: the calls of every rank, the jobs of every NIC, the stages
 * of every packet, decisions and faults, with their virtual times. doc/trace.md
 * describes them for users.
 *
 *   trace point (in the layer) -> item or row -> one writer for each output
 *
 * A trace is an observer: it changes no virtual time and no result. The same
 * run writes the same bytes, even if other processes run the events.
 *
 * Order. Trace points in events are reached in the order of the engine. Trace
 * points of a rank between events are reached when it executes them, at its own
 * clock, at or after the engine's time. Their items wait in a heap and are
 * written in the order of (time, rank), before the first item of an event at
 * that time or later. When an event runs, all ranks with a clock at or before
 * its time sleep, therefore the content of the heap does not depend on the
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

/** Room for an error text. */
#define GMS_TRACE_ERROR_LEN 1024
/** Room for the name of an output. */
#define GMS_TRACE_PATH_LEN 1024
/** Most outputs of one run. */
#define GMS_TRACE_OUTPUTS 3u
/** Threads of a rank whose calls are shown, each on a line of its own. */
#define GMS_TRACE_THREADS 8u
/** Calls of MPI within each other that are shown. */
#define GMS_TRACE_DEPTH 16u

/** What there is to show, bits. */
enum gms_trace_category {
    GMS_TRACE_MPI = 1,    /* calls of MPI, their begin and end */
    GMS_TRACE_GM = 2,     /* sends, receives and callbacks of GM */
    GMS_TRACE_PACKET = 4, /* each packet's way */
    GMS_TRACE_NIC = 8,    /* what each part of a card works on */
    GMS_TRACE_IDT = 16,   /* decisions, IDTs, the flows' bandwidths */
    GMS_TRACE_FAULT = 32, /* faults, dropped packets, stalled streams */
    GMS_TRACE_ALL = 63
};
/** Unless GMSIM_TRACE_ONLY says otherwise. What there is a dozen of for each
 *  packet is for a close look. */
#define GMS_TRACE_DEFAULT                                                      \
    (GMS_TRACE_MPI | GMS_TRACE_GM | GMS_TRACE_IDT | GMS_TRACE_FAULT)

typedef struct gms_trace gms_trace_t;         /* in the arena */
typedef struct gms_trace_ops gms_trace_ops_t; /* a format; trace_int.h */

/** What the user asked for. */
typedef struct gms_trace_config {
    unsigned outputs; /* 0: nothing is traced */
    const gms_trace_ops_t *ops[GMS_TRACE_OUTPUTS];
    char path[GMS_TRACE_OUTPUTS][GMS_TRACE_PATH_LEN];
    unsigned wanted[GMS_TRACE_OUTPUTS]; /* enum gms_trace_category of each */
    gms_time_t from_ps, to_ps;          /* what begins in [from, to) is shown */
} gms_trace_config_t;

/** Where a rank sits. */
typedef struct gms_trace_slot {
    uint32_t node, port; /* node 0-based */
} gms_trace_slot_t;

/** Whose trace it is. */
typedef struct gms_trace_subject {
    unsigned ranks, nodes;
    const gms_trace_slot_t *slots; /* by rank; in the arena */
    const gms_fabric_t *fabric;
} gms_trace_subject_t;

/** All that some output wants. */
unsigned gms_trace_categories(const gms_trace_config_t *config);

/** What a process has of its own. */
typedef struct gms_tracer {
    gms_trace_t *trace; /* NULL: nothing is traced */
    const gms_trace_config_t *config;
    int files[GMS_TRACE_OUTPUTS];
    int is_part[GMS_TRACE_OUTPUTS]; /* it gets its name at the end */
} gms_tracer_t;

/**
 * What GMSIM_TRACE, GMSIM_TRACE_FORMAT, GMSIM_TRACE_ONLY and GMSIM_TRACE_WINDOW
 * say; each NULL: not set. Looks at no file.
 *
 * @param [in]  outputs  names between commas; the format is that of the ending,
 *                       .json, .csv or .otf2
 * @param [in]  format   `json`, `csv` or `otf2`, of all outputs, or NULL
 * @param [in]  only     categories between commas, or NULL: of each output
 *                       those of GMS_TRACE_DEFAULT, of a packet log `packet`
 * @param [in]  window   "10ms..20ms", either may be left out, or NULL: all
 * @param [out] error    which variable, what is wrong, what is allowed
 * @return GMS_OK; GMS_ERR_CONFIG
 */
gms_status_t gms_trace_configure(const char *outputs, const char *format,
                                 const char *only, const char *window,
                                 gms_trace_config_t *config,
                                 char error[GMS_TRACE_ERROR_LEN]);
/** Can the outputs be written? Every process asks, before others are involved.
 *  @return GMS_OK; GMS_ERR_CONFIG: no, and the text says why */
gms_status_t gms_trace_check(const gms_trace_config_t *config,
                             char error[GMS_TRACE_ERROR_LEN]);

/** In the arena of the job, by one process before the others come: begins the
 *  outputs anew.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM: errno says why */
gms_status_t gms_trace_create(gms_arena_t *arena,
                              const gms_trace_config_t *config,
                              const gms_trace_subject_t *subject,
                              gms_trace_t **trace_p);
/** Open the outputs for adding to them; config must outlive the tracer.
 *  @return GMS_OK; GMS_ERR_SYSTEM: errno says why */
gms_status_t gms_tracer_open(gms_tracer_t *tracer,
                             const gms_trace_config_t *config,
                             gms_trace_t *trace);
void gms_tracer_close(gms_tracer_t *tracer);
/** Does it have to know what cards do (gms_nic_watch())? */
int gms_tracer_needs_nics(const gms_tracer_t *tracer);

/** Something was seen (a ctx's on_tracepoint); lock held. */
void gms_tracer_on_tracepoint(gms_ctx_t *ctx, gms_tracer_t *tracer,
                              uint32_t what, const void *thing);
/** A fault happens; text: as a description has it. */
void gms_tracer_fault(gms_ctx_t *ctx, gms_tracer_t *tracer, const char *text);

/** All that is still to be written; the outputs are whole then. One process,
 *  after all others have left.
 *  @param [out] error  what could not be written
 *  @return GMS_OK, GMS_ERR_SYSTEM, GMS_ERR_NO_MEMORY */
gms_status_t gms_tracer_end(gms_ctx_t *ctx, gms_tracer_t *tracer,
                            char error[GMS_TRACE_ERROR_LEN]);

#endif
