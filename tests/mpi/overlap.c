/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures how much computation overlaps with a non-blocking collective call,
 * with the methods of two common benchmarks:
 *
 *   overlap CALL COMPUTATION BYTES ITERATIONS
 *
 * CALL is ibcast, iallreduce or ialltoall. The program first measures the time
 * of the call alone. The program then computes for the same time between the
 * call and the wait. If COMPUTATION is `clock`, the program computes in small
 * steps and reads the clock before and after each step, as the OSU
 * micro-benchmarks do. If COMPUTATION is `count`, the program first measures
 * how many steps per second it computes, as the Intel MPI benchmarks do. Rank 0
 * prints the time of the call alone, the time of the computation, the time of
 * both together, and the overlap.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE              25
#define CALIBRATION_STEPS 20000

static double matrix[SIZE][SIZE], vector[SIZE], sums[SIZE];
static double steps_per_s;

static void step(void)
{
    int row, column;

    for (row = 0; row < SIZE; ++row) {
        for (column = 0; column < SIZE; ++column) {
            sums[row] += matrix[row][column] * vector[column];
        }
    }
}

static void compute_by_clock(double seconds)
{
    double passed = 0;

    while (passed < seconds) {
        double start = MPI_Wtime();

        step();
        passed += MPI_Wtime() - start;
    }
}

static void calibrate(void)
{
    double start = MPI_Wtime();
    int i;

    for (i = 0; i < CALIBRATION_STEPS; ++i) {
        step();
    }
    steps_per_s = CALIBRATION_STEPS / (MPI_Wtime() - start);
}

static void compute_by_count(double seconds)
{
    double steps = seconds * steps_per_s;
    double i;

    for (i = 0; i < steps; ++i) {
        step();
    }
}

static void begin(const char *call, int bytes, char *out, char *in,
                  MPI_Request *request)
{
    if (strcmp(call, "ibcast") == 0) {
        MPI_Ibcast(out, bytes, MPI_CHAR, 0, MPI_COMM_WORLD, request);
    } else if (strcmp(call, "iallreduce") == 0) {
        MPI_Iallreduce(out, in, bytes / (int)sizeof(float), MPI_FLOAT, MPI_SUM,
                       MPI_COMM_WORLD, request);
    } else {
        MPI_Ialltoall(out, bytes, MPI_CHAR, in, bytes, MPI_CHAR, MPI_COMM_WORLD,
                      request);
    }
}

/* Return the mean of a time over all ranks. */
static double mean(double time, int iterations)
{
    double sum;
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&time, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / size / iterations;
}

int main(int argc, char **argv)
{
    double alone = 0, both = 0, computing = 0, overlap;
    int bytes, iterations, i, rank, size;
    char *out, *in;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc != 5) {
        fprintf(stderr, "usage: overlap CALL COMPUTATION BYTES ITERATIONS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    bytes = atoi(argv[3]);
    iterations = atoi(argv[4]);
    out = calloc((size_t)bytes, (size_t)size);
    in = calloc((size_t)bytes, (size_t)size);
    if (strcmp(argv[2], "count") == 0) {
        calibrate();
    }
    for (i = 0; i < iterations; ++i) {
        double start;

        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
        begin(argv[1], bytes, out, in, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        alone += MPI_Wtime() - start;
    }
    alone = mean(alone, iterations);
    for (i = 0; i < iterations; ++i) {
        double start, middle;

        MPI_Barrier(MPI_COMM_WORLD);
        start = MPI_Wtime();
        begin(argv[1], bytes, out, in, &request);
        middle = MPI_Wtime();
        if (strcmp(argv[2], "count") == 0) {
            compute_by_count(alone);
        } else {
            compute_by_clock(alone);
        }
        computing += MPI_Wtime() - middle;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        both += MPI_Wtime() - start;
    }
    both = mean(both, iterations);
    computing = mean(computing, iterations);
    overlap = 100 * (1 - (both - computing) / alone);
    if (rank == 0) {
        printf("%s %s %d B: alone %.2f us, computing %.2f us, both %.2f us, "
               "overlap %.1f %%\n",
               argv[1], argv[2], bytes, 1e6 * alone, 1e6 * computing,
               1e6 * both, overlap > 0 ? overlap : 0);
    }
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
