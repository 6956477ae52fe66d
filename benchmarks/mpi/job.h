/* SPDX-License-Identifier: BSD-3-Clause */
/** job.h - how the MPI benchmarks start, refuse to run, and fail. */
#ifndef BENCHMARKS_MPI_JOB_H
#define BENCHMARKS_MPI_JOB_H

#include "harness.h"

/** Initialize MPI and return the rank in MPI_COMM_WORLD and its size. */
void job_start(int *argc, char ***argv, int *rank_p, int *size_p);

/** Read the command line, see bench_parse(), initialize MPI and return the rank.
 *  Refuse to run with other than 2 processes. */
int job_start_pair(bench_t *bench, int argc, char **argv);

/** Finalize MPI and end the process with BENCH_EXIT_USAGE. Collective; rank 0
 *  prints the message. */
_Noreturn void job_refuse(const char *program, int rank, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

/** Print a message and abort the job with BENCH_EXIT_FAILED. */
_Noreturn void job_die(const char *program, const char *why);

#endif
