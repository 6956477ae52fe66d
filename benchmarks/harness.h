/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * harness.h - implements the common part of all micro-benchmarks: options,
 * repetitions, statistics and tables.
 *
 * A program describes itself in a bench_t and calls bench_parse(). For every
 * message size, the program fills a bench_result_t with bench_time_steps() or
 * bench_rate_arrivals(), and prints it with bench_print_row(). The harness does
 * not use any communication library, and has no clock of its own. The program
 * provides a function that returns the time. The GM and MPI benchmarks
 * therefore use the same method of measurement.
 */
#ifndef BENCHMARKS_HARNESS_H
#define BENCHMARKS_HARNESS_H

#include <argp.h>
#include <stddef.h>

#include "program.h"

/** Largest message in bytes, and default of --max. */
#define BENCH_MAX_BYTES         ((size_t)64 << 20)
#define BENCH_DEFAULT_MAX_BYTES ((size_t)4 << 20)
/** Largest number of message sizes in a list. */
#define BENCH_MAX_SIZES 256u

/** Return the present time in seconds; only differences between times
 *  matter. */
typedef double bench_clock_t(void);

/** A benchmark program, initialized by BENCH_INIT(). bench_parse() sets the
 *  second group of fields. */
typedef struct bench {
    const char *name;
    const char *doc;    /**< help text; see argp */
    const char *sample; /**< name of one sample, such as "round trip" */
    const struct argp_option *options; /**< the program's own options, or
                                            NULL */
    argp_parser_t parser;              /**< parser of the program's own
                                            options */
    void *input;                       /**< state->input of the parser */
    bench_clock_t *clock;
    size_t default_min_bytes; /**< default of --min; 0: the default is 1 */
    size_t default_max_bytes; /**< default of --max; 0:
                                   the default is BENCH_DEFAULT_MAX_BYTES */

    size_t min_bytes; /**< first message size, >= 1 */
    size_t max_bytes; /**< last message size; every size is twice the previous
                           size */
    size_t sizes[BENCH_MAX_SIZES]; /**< increasing sizes given with --size */
    size_t size_count;    /**< number of sizes given with --size; 0: sizes
                               double from min_bytes to max_bytes */
    unsigned iterations;  /**< number of samples for each size, >= 1 */
    unsigned warmup;      /**< number of repetitions before the first sample */
    unsigned window;      /**< number of messages in flight, >= 1 (bandwidth
                               benchmarks) */
    int iterations_given; /**< 1: the user has given --iterations */
    int warmup_given;     /**< 1: the user has given --warm-up */
    int csv;              /**< 1: print CSV instead of a table */
} bench_t;

/** Initializer of a bench_t; contains the fields that every program sets. */
#define BENCH_INIT(name_, doc_, sample_, clock_)                               \
    {                                                                          \
        .name = (name_), .doc = (doc_), .sample = (sample_), .clock = (clock_) \
    }

/** Statistics for one message size. Times are in seconds. */
typedef struct bench_result {
    size_t bytes;     /**< message size, bytes */
    unsigned samples; /**< number of samples */
    double min_s, median_s, p99_s, mean_s, stddev_s;
    double bandwidth_bytes_s; /**< payload bytes/s */
} bench_result_t;

/**
 * Parse the command line. After --help, --version or an invalid option, the
 * process ends; see bench_program().
 */
void bench_parse(bench_t *bench, int argc, char **argv);

/** Add the program's own options. Call this function before bench_parse().
 *  @param [in] input  state->input of the parser */
void bench_add_options(bench_t *bench, const struct argp_option *options,
                       argp_parser_t parser, void *input);

/** Return the message size after `bytes`; 0 after the last size. The first size
 *  is bench->min_bytes. */
size_t bench_next_size(const bench_t *bench, size_t bytes);

/** Return the number of samples at a message size: the value of --iterations or
 *  the default. Above 64 KB, the default is smaller: the samples of a size
 *  together transfer as many bytes as the samples of 64 KB. The default is
 *  never below 10 samples. One large message is already an average over many
 *  packets. */
unsigned bench_iterations(const bench_t *bench, size_t bytes);

/** Reduce the default numbers of samples and warm-up repetitions to `samples`,
 *  but not below 3. The function does not change numbers that the command line
 *  sets. It is for programs in which the work for a sample grows with the
 *  number of processes. */
void bench_take_fewer(bench_t *bench, unsigned samples);

/**
 * Call step() bench->warmup times, then once for each sample, and measure the
 * duration of each sample.
 *
 * @param [in]  step     Returns 0 on success; any other value ends the
 * measurement.
 * @param [in]  bytes    Message size. A sample is a round trip of a message of
 *                       this size, so the bandwidth is 2 x bytes divided by the
 *                       median.
 * @param [out] result_p Filled on success.
 *
 * @return 0, or the value that step() returned, or -1 if there is not enough
 *         memory
 */
int bench_time_steps(const bench_t *bench, int (*step)(void *), void *context,
                     size_t bytes, bench_result_t *result_p);

/**
 * Compute the statistics from the arrival times of messages.
 *
 * @param [in]  arrivals_s  Increasing times in seconds; the first bench->warmup
 *                          times are skipped.
 * @param [in]  count       Number of arrival times.
 * @param [in]  begin_s, end_s Only messages in this interval are counted,
 *                          including both ends. Choose an interval in which all
 *                          flows had messages waiting.
 * @param [out] result_p    The samples are the times between consecutive
 *                          arrivals. The bandwidth is (n - 1) messages divided
 *                          by the time between the first and the last message.
 *                          All fields are zero if n < 2.
 *
 * @return 0, or -1 if there is not enough memory
 */
int bench_rate_arrivals(const bench_t *bench, const double *arrivals_s,
                        size_t count, double begin_s, double end_s,
                        size_t bytes, bench_result_t *result_p);

/** Print the heading of the table or the header line of the CSV. `extra` is a
 *  line about the program's own parameters, or NULL. `column` is the name of
 *  the first column, or NULL. */
void bench_print_head(const bench_t *bench, const char *extra,
                      const char *column);
/** Print one row. `cell` is the text in the first column, or NULL if
 *  bench_print_head() was called without a column. Without samples, the table
 *  contains a message instead, and all numbers in the CSV are 0. */
void bench_print_row(const bench_t *bench, const char *cell,
                     const bench_result_t *result);

#endif
