/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the output functions of gmsim fit, for fit*.c. */
#ifndef TOOL_FIT_H
#define TOOL_FIT_H

#include <stdio.h>

#include "fit/confidence.h"
#include "fit/solve.h"
#include "fit/table.h"
#include "params/profile.h"

/** All results of a fit. */
typedef struct gms_tool_fit_report {
    const char *path;             /* path of the table */
    const char *base;             /* name of the base profile */
    const char *command;          /* command line in printable form */
    const gms_profile_t *profile; /* profile that the base modifies */
    const gms_fit_problem_t *problem;
    const gms_fit_solution_t *solution;
    const gms_fit_confidence_t *confidence;
    unsigned runs; /* number of simulated ping-pongs */
} gms_tool_fit_report_t;

/** Return the row with the largest error. */
size_t gms_tool_fit_worst(const gms_tool_fit_report_t *report);

/** Print the report as text. */
void gms_tool_fit_print(FILE *file, const gms_tool_fit_report_t *report);
/** Print one CSV row per size. */
void gms_tool_fit_print_csv(FILE *file, const gms_tool_fit_report_t *report);
/** Write the profile, with the report in its comments. */
void gms_tool_fit_write(FILE *file, const gms_tool_fit_report_t *report);

#endif
