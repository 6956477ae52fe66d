/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * harness.h - the common part of all micro-benchmarks: options, repetitions,
 * statistics and tables.
 *
 * A program describes itself in a bench_t, calls bench_parse(), and for every
 * message size fills a bench_result_t with bench_time_steps() or
 * bench_rate_arrivals(), which bench_print_row() prints. The harness uses no
 * communication library and no clock of its own. The program supplies a
 * function that returns the time, therefore both levels (GM and MPI) are
 * measured in the same way.
 */
#ifndef BENCHMARKS_HARNESS_H
#define BENCHMARKS_HARNESS_H

#include <argp.h>
#include <stddef.h>

#include "program.h"

/** Largest message, bytes. */
#define BENCH_MAX_BYTES ((size_t)4 << 20)

/** Present time, seconds; only differences matter. */
typedef double bench_clock_t(void);

/** One program, from BENCH_INIT(). The second group is set by bench_parse(). */
typedef struct bench {
    const char *name;
    const char *doc;    /**< text of --help, see argp */
    const char *sample; /**< what one sample is: "round trip", .. */
    const struct argp_option *options; /**< further options, or NULL */
    argp_parser_t parser;              /**< of the further options */
    void *input;                       /**< state->input of the parser */
    bench_clock_t *clock;
    size_t default_min_bytes; /**< without --min; 0: 1 */
    size_t default_max_bytes; /**< without --max; 0: BENCH_MAX_BYTES */

    size_t min_bytes;     /**< first message size, >= 1 */
    size_t max_bytes;     /**< last one; sizes double in between */
    unsigned iterations;  /**< samples for each size, >= 1 */
    unsigned warmup;      /**< repetitions before the first sample */
    unsigned window;      /**< messages on the way, >= 1 (bandwidth) */
    int iterations_given; /**< --iterations was used */
    int warmup_given;     /**< --warm-up was used */
    int csv;              /**< 1: CSV instead of a table */
} bench_t;

/** Initializer of a bench_t: the fields that every program sets. */
#define BENCH_INIT(name_, doc_, sample_, clock_)                               \
    {                                                                          \
        .name = (name_), .doc = (doc_), .sample = (sample_), .clock = (clock_) \
    }

/** Statistics of one size. Times in seconds. */
typedef struct bench_result {
    size_t bytes;     /**< message size */
    unsigned samples; /**< how many went into the numbers */
    double min_s, median_s, p99_s, mean_s, stddev_s;
    double bandwidth_bytes_s; /**< payload bytes/s */
} bench_result_t;

/**
 * Read the command line; with --help, --version or a wrong option the process
 * ends, see bench_program().
 */
void bench_parse(bench_t *bench, int argc, char **argv);

/** Let a program have options of its own, before bench_parse().
 *  @param [in] input  state->input of the parser */
void bench_add_options(bench_t *bench, const struct argp_option *options,
                       argp_parser_t parser, void *input);

/** Size after `bytes`; 0 after the last. Start with bench->min_bytes. */
size_t bench_next_size(const bench_t *bench, size_t bytes);

/** Samples to take at a size: --iterations, or fewer above 64 KB by default
 *  (as many bytes as at 64 KB, at least 10), since large messages average over
 *  many packets themselves. */
unsigned bench_iterations(const bench_t *bench, size_t bytes);

/** Take at most so many samples, and warm-up repetitions, where the command line
 *  does not say how many; 3 at least. For programs whose work for a sample grows
 *  with the number of processes. */
void bench_take_fewer(bench_t *bench, unsigned samples);

/**
 * Call step() bench->warmup times, then once for each sample between two looks
 * at the clock.
 *
 * @param [in]  step     0 on success; anything else ends the measurement.
 * @param [in]  bytes    Message size. A sample moves it there and back, so the
 *                       bandwidth is 2 x bytes over the median.
 * @param [out] result_p Filled on success.
 *
 * @return 0, or what step() returned, or -1 without memory
 */
int bench_time_steps(const bench_t *bench, int (*step)(void *), void *context,
                     size_t bytes, bench_result_t *result_p);

/**
 * Statistics from the times at which messages arrived.
 *
 * @param [in]  arrivals_s  Rising times, seconds; the first bench->warmup are
 *                          left out.
 * @param [in]  count       Of them.
 * @param [in]  begin_s, end_s  Only messages in this span count, ends
 *                          included: choose it so that all flows had messages
 *                          waiting.
 * @param [out] result_p    Samples are the times between two arrivals;
 *                          bandwidth = (n - 1) messages over the time from the
 *                          first to the last. All zero if n < 2.
 *
 * @return 0, or -1 without memory
 */
int bench_rate_arrivals(const bench_t *bench, const double *arrivals_s,
                        size_t count, double begin_s, double end_s,
                        size_t bytes, bench_result_t *result_p);

/** Head of the table or CSV. `extra` is a line about the program's own
 *  parameters, or NULL; `column` the name of a first column, or NULL. */
void bench_print_head(const bench_t *bench, const char *extra,
                      const char *column);
/** One row; `cell` belongs to `column` (NULL if that was NULL). Without samples
 *  the table says so, in the CSV all numbers are 0. */
void bench_print_row(const bench_t *bench, const char *cell,
                     const bench_result_t *result);

#endif
