/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * rate.h - implements the common part of the benchmarks that measure the
 * simulator itself: parses the options in a table, reports failures, and prints
 * CSV.
 *
 * A program describes itself in a rate_t and calls rate_begin(), which parses
 * the command line and prints the heading. Every program accepts --csv.
 */
#ifndef BENCHMARKS_ENGINE_RATE_H
#define BENCHMARKS_ENGINE_RATE_H

#include <stddef.h>

#include "cpu.h"
#include "program.h"

/** An option. The option's value is a number, see RATE_NUMBER(), or a name if
 *  `choices` is set. */
typedef struct rate_option {
    const char *name;             /**< long name; NULL ends a table */
    int key;                      /**< short name, or 0 */
    const char *value;            /**< name of the value in --help */
    const char *doc;              /**< text of --help, with the default */
    unsigned long long *number_p; /**< the default value, which parsing replaces
                                       by the given number */
    size_t min, max;              /**< valid range of the number */
    const char *const *choices;   /**< allowed names; NULL ends the list */
    const char **choice_p;        /**< name that parsing has selected */
} rate_option_t;

/** Row of an option table for a number, with the fields from `name` to
 *  `max`. */
#define RATE_NUMBER(...)                                                       \
    {                                                                          \
        __VA_ARGS__, .choices = NULL                                           \
    }

/** A benchmark program. */
typedef struct rate {
    const char *name;             /**< name of the program */
    const char *doc;              /**< text of --help, see argp */
    const char *head;             /**< heading of the table, or NULL */
    const rate_option_t *options; /**< at most RATE_OPTIONS_MAX */
    int csv;                      /**< 1: --csv was used; set by rate_begin() */
} rate_t;

/** Number of options that a table can have. */
#define RATE_OPTIONS_MAX 8

/** Parse the command line and print the heading of the table or of the CSV.
 *  With --help, --version or invalid options, the process ends; see
 *  bench_program(). */
void rate_begin(rate_t *rate, int argc, char **argv);

/** Print a message and end the program with status BENCH_EXIT_FAILED. */
_Noreturn void rate_fail(const rate_t *rate, const char *why);

/** Print one row of CSV.
 *  @param [in] setting   the case that was measured
 *  @param [in] decimals  decimal places of the value */
void rate_csv(const rate_t *rate, const char *setting, const char *quantity,
              int decimals, double value, const char *unit);

#endif
