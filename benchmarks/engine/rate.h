/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * rate.h - implements the common part of the benchmarks of the simulator
 * itself: parses the options in a table, reports failures, and prints CSV.
 *
 * A program describes itself in a rate_t and calls rate_begin(), which parses
 * the command line and prints the heading. Every program accepts --csv.
 */
#ifndef BENCHMARKS_ENGINE_RATE_H
#define BENCHMARKS_ENGINE_RATE_H

#include <stddef.h>

#include "cpu.h"
#include "program.h"

/** An option of a program. The value is a number (see RATE_NUMBER()) or, if
 *  `choices` is set, a name. */
typedef struct rate_option {
    const char *name;             /**< long name; NULL ends a table */
    int key;                      /**< short name, or 0 */
    const char *value;            /**< name of the value in --help */
    const char *doc;              /**< help text, with the default */
    unsigned long long *number_p; /**< the default value; parsing replaces it
                                       with the value on the command line */
    size_t min, max;              /**< allowed range of the number */
    const char *const *choices;   /**< allowed names; NULL ends the list */
    const char **choice_p;        /**< name that the user has selected */
} rate_option_t;

/** Row of an option table for an option with a number; sets the fields from
 *  `name` to `max`. */
#define RATE_NUMBER(...)                                                       \
    {                                                                          \
        __VA_ARGS__, .choices = NULL                                           \
    }

/** A benchmark program. */
typedef struct rate {
    const char *name;             /**< name of the program */
    const char *doc;              /**< help text; see argp */
    const char *head;             /**< heading of the printed table, or NULL */
    const rate_option_t *options; /**< at most RATE_OPTIONS_MAX */
    int csv;                      /**< 1: --csv was used; set by rate_begin() */
} rate_t;

/** Largest number of options in a table. */
#define RATE_OPTIONS_MAX 8

/** Parse the command line and print the heading of the table or of the CSV.
 *  After --help, --version or an invalid option, the process ends; see
 *  bench_program(). */
void rate_begin(rate_t *rate, int argc, char **argv);

/** Print a message and end the program with status BENCH_EXIT_FAILED. */
_Noreturn void rate_fail(const rate_t *rate, const char *why);

/** Print one CSV row.
 *  @param [in] setting   the case that was measured
 *  @param [in] decimals  number of decimal places of the value */
void rate_csv(const rate_t *rate, const char *setting, const char *quantity,
              int decimals, double value, const char *unit);

#endif
