/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Comparison of two runs: the differences of their inputs and of their results,
 * one row per quantity that both have, or that one has and the other could
 * have.
 *
 * Two flows are the same if their ranks (or nodes and ports without a rank),
 * priority and label are equal; two links if their names are. Left out are
 * flows with less than 1/1000 of the bytes in both runs, stations that differ
 * by less than 1 % of what the flow's packets took in all, and links whose use
 * differs by less than 1 % of the run.
 */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/run.h"
#include "report/text.h"

/** What differs before the runs begin; NULL: that run has none. */
typedef struct gms_compare_input {
    const char *name;
    char first[96], second[96];
} gms_compare_input_t;

enum gms_compare_unit {
    GMS_COMPARE_PS = 0,
    GMS_COMPARE_BYTES_S,
    GMS_COMPARE_PART, /* of the run, 0..1 */
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
    gms_compare_row_t *rows; /* largest change first */
    size_t row_count;        /* all, also those without any change */
    size_t changed;          /* .. those with one: they come first */
} gms_compare_t;

/** @return GMS_OK, GMS_ERR_NO_MEMORY (nothing to free) */
gms_status_t gms_compare_runs(const gms_report_run_t *first,
                              const gms_report_run_t *second,
                              gms_compare_t *compare);
void gms_compare_free(gms_compare_t *compare);
/** How many rows changed by more than a part of their value. */
size_t gms_compare_above(const gms_compare_t *compare, double part);
/** A value with its unit, for people. */
const char *gms_compare_text(enum gms_compare_unit unit, double value,
                             gms_text_t *text);

#endif
