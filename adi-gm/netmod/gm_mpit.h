/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the device's MPI_T variables. The control variables are the cluster's parameters. The
 * performance variables are counters of the process's NIC and flows.
 */
#ifndef GM_MPIT_H_INCLUDED
#define GM_MPIT_H_INCLUDED

#include "gm_impl.h"
#include "gmsim_counters.h"

typedef enum adigm_subject {
    ADIGM_SUBJECT_NIC,          /* the process's NIC; the variable is not bound to an object */
    /* the flows on a communicator, one per peer; the variable is bound to the communicator */
    ADIGM_SUBJECT_FLOW
} adigm_subject_t;

/* Conversion of a counter to the value of a variable. */
typedef enum adigm_measure {
    ADIGM_MEASURE_COUNT,        /* the counter itself */
    ADIGM_MEASURE_LEVEL,        /* the counter itself, but as a level instead of a sum */
    ADIGM_MEASURE_SECONDS,      /* a counter of picoseconds, converted to seconds */
    ADIGM_MEASURE_SHARE,        /* increase of a counter of picoseconds, divided by the elapsed
                                   time, 0..1 */
    ADIGM_MEASURE_RATE          /* increase of a counter per second */
} adigm_measure_t;

typedef struct adigm_variable {
    const char *name;
    adigm_subject_t subject;
    adigm_measure_t measure;
    MPIR_T_pvar_class_t varclass;
    size_t offset;              /* offset in gmsim_nic_counters_t or adigm_flow_counters_t,
                                   bytes */
    const char *desc;
} adigm_variable_t;

/* Counters of the NIC and of the device for one flow. */
typedef struct adigm_flow_counters {
    gmsim_flow_counters_t card;
    uint64_t token_waits;
} adigm_flow_counters_t;

/* gm_mpit_table.c: all performance variables; the last element has no name */
extern const adigm_variable_t adigm_variables[];

/* gm_mpit_cvar.c */
/* Add the control variables. */
void adigm_cvar_init(void);
/* Record that the process has joined its cluster and that the parameters have their final
 * values. */
void adigm_cvar_joined(void);

/* gm_mpit.c */
/* Store the current values of all variables. The caller calls this function before it closes the
 * port. */
void adigm_mpit_close(void);

#endif /* GM_MPIT_H_INCLUDED */
