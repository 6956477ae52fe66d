/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Compares two runs: their inputs and their results. A quantity has a row if
 * both runs have this quantity. If only one run has a given flow, the flow's
 * bandwidth and bytes also have rows, and the value for the other run is 0.
 *
 * Two flows match if their ranks, priority and label are equal. Without a rank,
 * the nodes and ports must be equal. Two links match if their names are equal.
 * The comparison omits:
 *
 * - flows whose bytes, in both runs, are less than 1/1000 of the total bytes of
 *   the run that sends more bytes
 * - stations whose times differ by less than 1 % of the total time of the
 *   flow's packets
 * - links whose busy times differ by less than 1 % of the run
 */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/run.h"
#include "report/text.h"

/** An input that differs between two runs. A value is NULL if its run does not
 *  have this input. */
typedef struct gms_compare_input {
    const char *name;
    char first[96], second[96];
} gms_compare_input_t;

enum gms_compare_unit {
    GMS_COMPARE_PS = 0,
    GMS_COMPARE_BYTES_S,
    GMS_COMPARE_PART, /* fraction of the run, 0..1 */
    GMS_COMPARE_COUNT
};

typedef struct gms_compare_row {
    char what[GMS_FLOW_NAME_LEN + 8]; /* "run", "flow 0 -> 1", "link .." */
    const char *quantity;             /* "bandwidth", "p99 latency", .. */
    enum gms_compare_unit unit;
    double first, second;
    double change; /* (second - first) / first; HUGE_VAL: first is 0 */
} gms_compare_row_t;

typedef struct gms_compare {
    gms_compare_input_t *inputs;
    size_t input_count;
    gms_compare_row_t *rows; /* time of the run, bandwidths, other quantities;
                              * in each group, the largest change is first */
    size_t row_count;        /* number of all rows, including rows without a
                                change */
    size_t changed;          /* number of rows with a change; these rows come
                              * first */
} gms_compare_t;

/** Compares two runs. gms_compare_free() frees the result.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY (nothing to free) */
gms_status_t gms_compare_runs(const gms_report_run_t *first,
                              const gms_report_run_t *second,
                              gms_compare_t *compare);
void gms_compare_free(gms_compare_t *compare);
/** Returns the number of rows that changed by more than this fraction of
 *  their value. */
size_t gms_compare_above(const gms_compare_t *compare, double part);
/** Formats a value with its unit as text. */
const char *gms_compare_text(enum gms_compare_unit unit, double value,
                             gms_text_t *text);

#endif
