/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * program.h - the command line of all benchmark programs: the text of
 * --version, the exit after invalid usage, and the parsing of numbers with
 * limits.
 *
 * All processes of a job read the same command line, but only rank 0 prints
 * messages about it. The rank is read from mpirun's variable PMI_RANK, because
 * no library has been started yet.
 */
#ifndef BENCHMARKS_PROGRAM_H
#define BENCHMARKS_PROGRAM_H

#include <argp.h>
#include <stddef.h>

/** Exit statuses of all benchmark programs. */
enum {
    BENCH_EXIT_OK = 0,
    BENCH_EXIT_FAILED = 1, /**< communication or memory failed, or output did
                                not reach its file */
    BENCH_EXIT_USAGE = 2   /**< wrong option, value or number of processes */
};

/** What to end each program's text of --help with. */
#define BENCH_EXIT_DOC "Exit status: 0 ok, 1 failed, 2 wrong usage."

/** Read the command line; with --help, --version or a wrong option the process
 *  ends (status 0, 0, BENCH_EXIT_USAGE). */
void bench_program(const struct argp *argp, int argc, char **argv, void *input);

/** Parse a count.
 *  @return 0, or -1 if text is no number from min to max */
int bench_parse_number(const char *text, size_t min, size_t max,
                       size_t *number_p);
/** Parse bytes, perhaps with K or KiB (1024), M or MiB (1024 K) behind the number;
 *  doc/reference/units.md has the units of everything.
 *  @return 0, or -1 if text is no size from min to max */
int bench_parse_size(const char *text, size_t min, size_t max, size_t *bytes_p);

/** The same for options, whose wrong values end the program. */
size_t bench_number(struct argp_state *state, const char *option,
                    const char *text, size_t min, size_t max);
size_t bench_size(struct argp_state *state, const char *option,
                  const char *text, size_t min, size_t max);

#endif
