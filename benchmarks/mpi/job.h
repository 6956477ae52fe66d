/* SPDX-License-Identifier: BSD-3-Clause */
/** job.h - starts the MPI benchmarks, and ends them after an invalid command
 *  line or a failure. */
#ifndef BENCHMARKS_MPI_JOB_H
#define BENCHMARKS_MPI_JOB_H

#include "harness.h"

/** Initialize MPI, and return the rank in MPI_COMM_WORLD and the size of
 *  MPI_COMM_WORLD. */
void job_start(int *argc, char ***argv, int *rank_p, int *size_p);

/** Parse the command line (see bench_parse()), initialize MPI and return the
 *  rank. End the program if the number of processes is not 2. */
int job_start_pair(bench_t *bench, int argc, char **argv);

/** Finalize MPI and end the process with BENCH_EXIT_USAGE. All processes must
 *  make this call, and rank 0 prints the message. */
_Noreturn void job_refuse(const char *program, int rank, const char *format,
                          ...) __attribute__((format(printf, 3, 4)));

/** Print a message and abort the job with BENCH_EXIT_FAILED. */
_Noreturn void job_die(const char *program, const char *why);

#endif
