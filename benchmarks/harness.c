/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles options, sampling, statistics and output of all micro-benchmarks.
 * This file parses the common options, chooses the number of samples for a
 * message size, and prints a table or CSV. Every benchmark supplies the step to
 * be measured.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "harness.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PACKAGE_STRING
#define PACKAGE_STRING "gmqos"
#endif

#define BENCH_DEFAULT_ITERATIONS 100
#define BENCH_DEFAULT_WARMUP     10
#define BENCH_DEFAULT_WINDOW     8
#define BENCH_FEWER_ABOVE_BYTES  65536
#define BENCH_LEAST_ITERATIONS   10
/* Smallest default number of samples for runs with many processes. */
#define BENCH_LEAST_OF_MANY   3
#define BENCH_MOST_ITERATIONS 10000000
/* A GM port has about 61 send tokens (GM 2.x: 64 slots minus 3), which all
 * flows share. */
#define BENCH_MOST_WINDOW 60

enum {
    BENCH_KEY_MIN = 256,
    BENCH_KEY_MAX,
    BENCH_KEY_CSV
};

static const struct argp_option bench_options[] = {
    {"size", 's', "BYTES", 0,
     "Measure only this message size, for example 64K (64 x 1024), or several "
     "sizes in increasing order, for example 1,1000,64K",
     0},
    {"min", BENCH_KEY_MIN, "BYTES", 0, "First message size", 0},
    {"max", BENCH_KEY_MAX, "BYTES", 0,
     "Last message size; each size is twice the previous size", 0},
    {"iterations", 'i', "N", 0,
     "Number of samples per size (100; fewer above 64K, at least 10)", 0},
    {"warm-up", 'w', "N", 0,
     "Number of unmeasured repetitions before the first sample (10)", 0},
    {"window", 'W', "N", 0,
     "Number of messages that bandwidth benchmarks keep in flight (8)", 0},
    {"csv", BENCH_KEY_CSV, NULL, 0, "Print comma-separated values", 0},
    {.name = NULL},
};

/* --- options --------------------------------------------------------------*/

static size_t bench_default_min(const bench_t *bench)
{
    return (bench->default_min_bytes != 0) ? bench->default_min_bytes : 1;
}

static size_t bench_default_max(const bench_t *bench)
{
    return (bench->default_max_bytes != 0) ? bench->default_max_bytes
                                           : BENCH_DEFAULT_MAX_BYTES;
}

/* Add the program's own defaults to the help texts of two options. */
static char *bench_help(int key, const char *text, void *input)
{
    const bench_t *bench = input;
    size_t bytes;
    char *full;

    if (key != BENCH_KEY_MIN && key != BENCH_KEY_MAX) {
        return (char *)(uintptr_t)text;
    }
    bytes = (key == BENCH_KEY_MIN) ? bench_default_min(bench)
                                   : bench_default_max(bench);
    if (asprintf(&full, "%s (%zu%s)", text,
                 bytes >> ((bytes >= 1 << 20) ? 20
                           : (bytes >= 1024)  ? 10
                                              : 0),
                 (bytes >= 1 << 20) ? "M"
                 : (bytes >= 1024)  ? "K"
                                    : "") < 0) {
        return NULL;
    }
    return full;
}

/* Parse a list of increasing sizes. An invalid list ends the program. */
static void bench_parse_sizes(bench_t *bench, char *list,
                              struct argp_state *state)
{
    char *rest = list;
    const char *word;

    bench->size_count = 0;
    while ((word = strsep(&rest, ",")) != NULL) {
        size_t bytes = bench_size(state, "size", word, 1, BENCH_MAX_BYTES);

        if (bench->size_count == BENCH_MAX_SIZES) {
            argp_error(state, "--size: too many sizes; allowed: up to %u",
                       BENCH_MAX_SIZES);
        }
        if (bench->size_count > 0 &&
            bytes <= bench->sizes[bench->size_count - 1]) {
            argp_error(state,
                       "--size: value '%s' is not larger than the preceding "
                       "size; allowed: increasing sizes",
                       word);
        }
        bench->sizes[bench->size_count++] = bytes;
    }
    bench->min_bytes = bench->sizes[0];
    bench->max_bytes = bench->sizes[bench->size_count - 1];
}

static error_t bench_parse_option(int key, char *arg, struct argp_state *state)
{
    bench_t *bench = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        if (bench->options != NULL) {
            state->child_inputs[0] = bench->input;
        }
        return 0;
    case 's':
        bench_parse_sizes(bench, arg, state);
        return 0;
    case BENCH_KEY_MIN:
        bench->min_bytes = bench_size(state, "min", arg, 1, BENCH_MAX_BYTES);
        return 0;
    case BENCH_KEY_MAX:
        bench->max_bytes = bench_size(state, "max", arg, 1, BENCH_MAX_BYTES);
        return 0;
    case 'i':
        bench->iterations = (unsigned)bench_number(state, "iterations", arg, 1,
                                                   BENCH_MOST_ITERATIONS);
        bench->iterations_given = 1;
        return 0;
    case 'w':
        bench->warmup = (unsigned)bench_number(state, "warm-up", arg, 0,
                                               BENCH_MOST_ITERATIONS);
        bench->warmup_given = 1;
        return 0;
    case 'W':
        bench->window =
            (unsigned)bench_number(state, "window", arg, 1, BENCH_MOST_WINDOW);
        return 0;
    case BENCH_KEY_CSV:
        bench->csv = 1;
        return 0;
    case ARGP_KEY_END:
        if (bench->min_bytes > bench->max_bytes) {
            argp_error(state,
                       "--min: value '%zu' is larger than --max; allowed: up "
                       "to %zu",
                       bench->min_bytes, bench->max_bytes);
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void bench_add_options(bench_t *bench, const struct argp_option *options,
                       argp_parser_t parser, void *input)
{
    bench->options = options;
    bench->parser = parser;
    bench->input = input;
}

void bench_parse(bench_t *bench, int argc, char **argv)
{
    const struct argp own = {.options = bench->options,
                             .parser = bench->parser};
    const struct argp_child children[] = {{.argp = &own}, {.argp = NULL}};
    const struct argp argp = {
        .options = bench_options,
        .parser = bench_parse_option,
        .doc = bench->doc,
        .children = (bench->options != NULL) ? children : NULL,
        .help_filter = bench_help,
    };

    bench->min_bytes = bench_default_min(bench);
    bench->max_bytes = bench_default_max(bench);
    bench->size_count = 0;
    bench->iterations = BENCH_DEFAULT_ITERATIONS;
    bench->iterations_given = 0;
    bench->warmup = BENCH_DEFAULT_WARMUP;
    bench->warmup_given = 0;
    bench->window = BENCH_DEFAULT_WINDOW;
    bench->csv = 0;
    bench_program(&argp, argc, argv, bench);
}

/* --- repetitions ----------------------------------------------------------*/

size_t bench_next_size(const bench_t *bench, size_t bytes)
{
    size_t i;

    if (bytes >= bench->max_bytes) {
        return 0;
    }
    if (bench->size_count > 0) {
        for (i = 0; bench->sizes[i] <= bytes; ++i) {
        }
        return bench->sizes[i];
    }
    bytes *= 2;
    return (bytes < bench->max_bytes) ? bytes : bench->max_bytes;
}

unsigned bench_iterations(const bench_t *bench, size_t bytes)
{
    size_t fewer;

    if (bench->iterations_given || bytes <= BENCH_FEWER_ABOVE_BYTES ||
        bench->iterations <= BENCH_LEAST_ITERATIONS) {
        return bench->iterations;
    }
    fewer = (size_t)bench->iterations * BENCH_FEWER_ABOVE_BYTES / bytes;
    return (fewer > BENCH_LEAST_ITERATIONS) ? (unsigned)fewer
                                            : BENCH_LEAST_ITERATIONS;
}

void bench_take_fewer(bench_t *bench, unsigned samples)
{
    if (samples < BENCH_LEAST_OF_MANY) {
        samples = BENCH_LEAST_OF_MANY;
    }
    if (!bench->iterations_given && samples < bench->iterations) {
        bench->iterations = samples;
    }
    if (!bench->warmup_given && samples < bench->warmup) {
        bench->warmup = samples;
    }
}

/* --- statistics -----------------------------------------------------------*/

static int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sort the samples, and compute the statistics. Every percentile is a measured
 * sample (nearest-rank method). The argument count must be greater than 0. */
static void bench_statistics(double *samples, size_t count,
                             bench_result_t *result)
{
    double sum = 0.0;
    double squares = 0.0;

    qsort(samples, count, sizeof(*samples), bench_compare);
    for (size_t i = 0; i < count; ++i) {
        sum += samples[i];
    }
    result->samples = (unsigned)count;
    result->min_s = samples[0];
    result->median_s = samples[(count - 1) / 2];
    result->p99_s = samples[(count * 99 + 99) / 100 - 1];
    result->mean_s = sum / (double)count;
    for (size_t i = 0; i < count; ++i) {
        double off = samples[i] - result->mean_s;

        squares += off * off;
    }
    result->stddev_s = (count > 1) ? sqrt(squares / (double)(count - 1)) : 0.0;
}

int bench_time_steps(const bench_t *bench, int (*step)(void *), void *context,
                     size_t bytes, bench_result_t *result_p)
{
    unsigned count = bench_iterations(bench, bytes);
    double *samples = malloc(count * sizeof(*samples));
    int ret = (samples == NULL) ? -1 : 0;

    for (unsigned i = 0; i < bench->warmup && ret == 0; ++i) {
        ret = step(context);
    }
    for (unsigned i = 0; i < count && ret == 0; ++i) {
        double begin = bench->clock();

        ret = step(context);
        samples[i] = bench->clock() - begin;
    }
    if (ret == 0) {
        bench_statistics(samples, count, result_p);
        result_p->bytes = bytes;
        result_p->bandwidth_bytes_s = 2.0 * (double)bytes / result_p->median_s;
    }
    free(samples);
    return ret;
}

int bench_rate_arrivals(const bench_t *bench, const double *arrivals_s,
                        size_t count, double begin_s, double end_s,
                        size_t bytes, bench_result_t *result_p)
{
    size_t first = bench->warmup;
    size_t last;
    double *gaps;

    memset(result_p, 0, sizeof(*result_p));
    result_p->bytes = bytes;
    while (first < count && arrivals_s[first] < begin_s) {
        ++first;
    }
    for (last = first; last < count && arrivals_s[last] <= end_s; ++last) {
    }
    if (last < first + 2) {
        return 0;
    }
    gaps = malloc((last - first) * sizeof(*gaps));
    if (gaps == NULL) {
        return -1;
    }
    for (size_t i = first + 1; i < last; ++i) {
        gaps[i - first - 1] = arrivals_s[i] - arrivals_s[i - 1];
    }
    bench_statistics(gaps, last - first - 1, result_p);
    result_p->bandwidth_bytes_s = (double)bytes * (double)(last - first - 1) /
                                  (arrivals_s[last - 1] - arrivals_s[first]);
    free(gaps);
    return 0;
}

/* --- tables ---------------------------------------------------------------*/

void bench_print_head(const bench_t *bench, const char *extra,
                      const char *column)
{
    const char *mark = bench->csv ? "# " : "";

    printf("%s%s, %s\n", mark, bench->name, PACKAGE_STRING);
    printf("%sbytes %zu to %zu, %u samples%s, %u warm-up, window %u\n", mark,
           bench->min_bytes, bench->max_bytes, bench->iterations,
           bench->iterations_given ? "" : " (fewer above 64 KB)", bench->warmup,
           bench->window);
    if (extra != NULL) {
        printf("%s%s\n", mark, extra);
    }
    printf("%sa sample is one %s; times in us, bandwidth of payload in MB/s "
           "(10^6)\n",
           mark, bench->sample);
    if (bench->csv) {
        printf("%s%sbytes,samples,bandwidth_mb_s,min_us,median_us,p99_us,"
               "mean_us,stddev_us\n",
               (column != NULL) ? column : "", (column != NULL) ? "," : "");
        return;
    }
    printf("\n");
    if (column != NULL) {
        printf("%-12s", column);
    }
    printf("%8s%9s%11s%12s%12s%12s%12s%10s\n", "bytes", "samples", "MB/s",
           "min", "median", "p99", "mean", "stddev");
}

void bench_print_row(const bench_t *bench, const char *cell,
                     const bench_result_t *result)
{
    if (cell != NULL) {
        printf(bench->csv ? "%s," : "%-12s", cell);
    }
    if (result->samples == 0 && !bench->csv) {
        printf("%8zu%9u  too few samples while all flows had messages waiting; "
               "increase --iterations\n",
               result->bytes, result->samples);
        (void)fflush(stdout);
        return;
    }
    printf(bench->csv ? "%zu,%u,%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n"
                      : "%8zu%9u%11.3f%12.3f%12.3f%12.3f%12.3f%10.3f\n",
           result->bytes, result->samples, result->bandwidth_bytes_s / 1e6,
           result->min_s * 1e6, result->median_s * 1e6, result->p99_s * 1e6,
           result->mean_s * 1e6, result->stddev_s * 1e6);
    (void)fflush(stdout);
}
