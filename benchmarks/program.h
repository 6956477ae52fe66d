/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * program.h - handles the command line of all benchmark programs: prints the
 * version, exits if the usage is invalid, parses numbers, and checks their
 * ranges.
 *
 * All processes of a job parse the same command line, but only rank 0 prints
 * messages about it. The rank comes from mpirun's variable PMI_RANK, because no
 * communication library has been started yet.
 */
#ifndef BENCHMARKS_PROGRAM_H
#define BENCHMARKS_PROGRAM_H

#include <argp.h>
#include <stddef.h>

/** Exit statuses of all benchmark programs. */
enum {
    BENCH_EXIT_OK = 0,
    BENCH_EXIT_FAILED = 1, /**< communication or memory allocation failed, or
                                the output could not be written */
    BENCH_EXIT_USAGE = 2   /**< invalid option, value or number of processes */
};

/** End of the --help text of every program. */
#define BENCH_EXIT_DOC "Exit status: 0 ok; 1 failed; 2 invalid usage."

/** Parse the command line. After --help or --version, the process ends with
 *  status 0. After an invalid option, it ends with BENCH_EXIT_USAGE. */
void bench_program(const struct argp *argp, int argc, char **argv, void *input);

/** Parse a count.
 *  @return 0, or -1 if text is not a number in the range from min to max */
int bench_parse_number(const char *text, size_t min, size_t max,
                       size_t *number_p);
/** Parse a number of bytes. The number may be followed by the unit K or KiB
 *  (1024) or M or MiB (1024 K); doc/reference/units.md lists all units.
 *  @return 0, or -1 if text is not a size in the range from min to max */
int bench_parse_size(const char *text, size_t min, size_t max, size_t *bytes_p);

/** Parse the value of an option; an invalid value ends the program. */
size_t bench_number(struct argp_state *state, const char *option,
                    const char *text, size_t min, size_t max);
size_t bench_size(struct argp_state *state, const char *option,
                  const char *text, size_t min, size_t max);

#endif
