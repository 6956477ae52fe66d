/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs one of five kernels that compute and communicate like the NAS Parallel
 * Benchmarks with the same names. The kernels use processor time but do not
 * measure time, so their output depends only on the simulation:
 *
 *   kernels KERNEL MS ROUNDS
 *
 *   ep   compute, and reduce at the end of each round
 *   ft   compute, and exchange 256 KB between all pairs of ranks
 *   cg   compute MS / 25, exchange 56 KB with a partner, reduce; 25 times
 *   mg   a V-cycle of grids: compute, and exchange faces with two neighbours
 *   lu   a wavefront through all ranks: 32 planes, forward and back
 *
 * MS is each rank's processor time in each round, in milliseconds. If the
 * environment variable KERNELS_SLEEP is set, each computation also sleeps for a
 * random real time of at most this many microseconds. This sleep must not
 * change the output.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    FT_BYTES = 256 * 1024,
    CG_BYTES = 56 * 1024,
    CG_STEPS = 25,
    MG_BYTES = 64 * 1024,
    MG_LEVELS = 5,
    LU_BYTES = 2560,
    LU_PLANES = 32
};

static int rank, size;
static long sleep_us;
static unsigned random_state;
static char *out, *in;
static unsigned long sum;

static double cpu_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void compute(double ms)
{
    double end_ms = cpu_ms() + ms;

    if (sleep_us > 0) {
        struct timespec nap = {.tv_nsec =
                                   rand_r(&random_state) % sleep_us * 1000L};

        /* unlike nanosleep(), this call sleeps in real time */
        syscall(SYS_nanosleep, &nap, NULL);
    }
    while (cpu_ms() < end_ms) {
    }
}

static void fill(size_t bytes)
{
    memset(out, (int)(sum + (unsigned long)rank), bytes);
}

static void take(size_t bytes)
{
    size_t i;

    for (i = 0; i < bytes; i += 1021) {
        sum = sum * 31 + (unsigned char)in[i];
    }
}

static void reduce(void)
{
    double mine = (double)(sum % 1000), all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    sum = sum * 31 + (unsigned long)all;
}

static void exchange(int to, int from, int bytes)
{
    fill((size_t)bytes);
    MPI_Sendrecv(out, bytes, MPI_CHAR, to, 0, in, bytes, MPI_CHAR, from, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    take((size_t)bytes);
}

static void ep(double ms)
{
    MPI_Barrier(MPI_COMM_WORLD);
    compute(ms);
    reduce();
}

static void ft(double ms)
{
    compute(ms);
    fill((size_t)FT_BYTES * (size_t)size);
    MPI_Alltoall(out, FT_BYTES, MPI_CHAR, in, FT_BYTES, MPI_CHAR,
                 MPI_COMM_WORLD);
    take((size_t)FT_BYTES * (size_t)size);
}

static void cg(double ms)
{
    int partner = (rank ^ 1) < size ? rank ^ 1 : MPI_PROC_NULL;
    int i;

    for (i = 0; i < CG_STEPS; ++i) {
        compute(ms / CG_STEPS);
        exchange(partner, partner, CG_BYTES);
        reduce();
    }
}

static void mg_level(double ms, int level)
{
    int bytes = MG_BYTES >> 2 * level;

    compute(ms / (double)(1 << 3 * level));
    exchange((rank + 1) % size, (rank + size - 1) % size, bytes);
    exchange((rank + size - 1) % size, (rank + 1) % size, bytes);
}

static void mg(double ms)
{
    int level;

    for (level = 0; level < MG_LEVELS; ++level) {
        mg_level(ms / 2.3, level);
    }
    for (level = MG_LEVELS - 1; level >= 0; --level) {
        mg_level(ms / 2.3, level);
    }
    reduce();
}

static void lu_sweep(double ms, int to, int from)
{
    int plane;

    for (plane = 0; plane < LU_PLANES; ++plane) {
        MPI_Recv(in, LU_BYTES, MPI_CHAR, from, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        take(LU_BYTES);
        compute(ms / LU_PLANES);
        fill(LU_BYTES);
        MPI_Send(out, LU_BYTES, MPI_CHAR, to, 0, MPI_COMM_WORLD);
    }
}

static void lu(double ms)
{
    int next = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
    int previous = rank > 0 ? rank - 1 : MPI_PROC_NULL;

    lu_sweep(ms / 2, next, previous);
    lu_sweep(ms / 2, previous, next);
    reduce();
}

static const struct {
    const char *name;
    void (*run)(double ms);
} kernels[] = {{"ep", ep}, {"ft", ft}, {"cg", cg}, {"mg", mg}, {"lu", lu}};

int main(int argc, char **argv)
{
    size_t i, most;
    int round;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    most = (size_t)FT_BYTES * (size_t)size;
    out = calloc(1, most);
    in = calloc(1, most);
    for (i = 0; argc >= 4 && i < sizeof(kernels) / sizeof(kernels[0]) &&
                strcmp(argv[1], kernels[i].name) != 0;
         ++i) {
    }
    if (argc < 4 || i == sizeof(kernels) / sizeof(kernels[0]) || out == NULL ||
        in == NULL) {
        fprintf(stderr, "usage: kernels ep|ft|cg|mg|lu MS ROUNDS\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    sleep_us =
        getenv("KERNELS_SLEEP") != NULL ? atol(getenv("KERNELS_SLEEP")) : 0;
    random_state = (unsigned)(getpid() ^ (int)cpu_ms());
    for (round = 0; round < atoi(argv[3]); ++round) {
        kernels[i].run(atof(argv[2]));
        printf("rank %d round %d at %.12f s: %lu\n", rank, round, MPI_Wtime(),
               sum);
    }
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
