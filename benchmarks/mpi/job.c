/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts and ends the MPI benchmarks; see job.h. */
#include "job.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void job_start(int *argc, char ***argv, int *rank_p, int *size_p)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, rank_p);
    MPI_Comm_size(MPI_COMM_WORLD, size_p);
}

int job_start_pair(bench_t *bench, int argc, char **argv)
{
    int rank, size;

    bench_parse(bench, argc, argv);
    job_start(&argc, &argv, &rank, &size);
    if (size != 2) {
        job_refuse(bench->name, rank, "requires 2 processes, not %d", size);
    }
    return rank;
}

void job_refuse(const char *program, int rank, const char *format, ...)
{
    va_list values;

    if (rank == 0) {
        fprintf(stderr, "%s: ", program);
        va_start(values, format);
        vfprintf(stderr, format, values);
        va_end(values);
        fputc('\n', stderr);
    }
    MPI_Finalize();
    exit(BENCH_EXIT_USAGE);
}

void job_die(const char *program, const char *why)
{
    fprintf(stderr, "%s: %s\n", program, why);
    MPI_Abort(MPI_COMM_WORLD, BENCH_EXIT_FAILED);
    abort(); /* not reached */
}
