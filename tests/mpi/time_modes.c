/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the times that a program with two ranks reads in the time mode that
 * GMSIM_TIME sets.
 *
 *   time_modes MODE FACTOR FILE
 *
 * The ranks share FILE as a page of memory outside of the simulation. The
 * machine may be loaded. The test therefore compares times with its own
 * readings of CPU and real time, just inside and just outside of the measured
 * interval.
 */
#include <fcntl.h>
#include <gm.h>
#include <gmsim.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

/*
 * Tolerance in seconds for the duration of the clock calls and for the rounding
 * of doubles.
 */
#define GRAIN 2e-6

static double read_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cpu_s(void)
{
    return read_s(CLOCK_THREAD_CPUTIME_ID);
}

static double wall_s(void)
{
    return read_s(CLOCK_MONOTONIC);
}

static double started_s; /* real time before MPI_Init */

static void burn(double seconds)
{
    double end = cpu_s() + seconds;

    while (cpu_s() < end) {
    }
}

/* Check that all available clocks agree. */
static void check_clocks(double factor)
{
    double real = wall_s();
    double first = MPI_Wtime();
    double second = PMPI_Wtime();
    double third = 1e-12 * (double)gmsim_time_ps();

    real = wall_s() - real;
    CHECK(first < second && second < third, "%.9g, %.9g, %.9g", first, second,
          third);
    CHECK(third - first < 1.0 + factor * real, "%.9g", third - first);
    CHECK(MPI_Wtick() == 1e-12 && PMPI_Wtick() == 1e-12, "%.9g", MPI_Wtick());
}

/*
 * The length of an interval is not checked, because virtual time can be faster
 * while it makes up for a lag.
 */
static void check_not_ahead(const char *mode, double factor)
{
    double now = MPI_Wtime();
    double real = wall_s() - started_s;

    CHECK(strcmp(mode, "wall") != 0 || now <= factor * real,
          "%.9g s of virtual time passed in %.9g s of real time", now, real);
}

/* Check that gmsim_compute() takes exactly the requested time in each mode. */
static void check_compute(const char *mode, double factor)
{
    double outer = cpu_s(), real = wall_s();
    double start = MPI_Wtime();
    double passed;

    gmsim_compute(300000000000u);
    check_not_ahead(mode, factor);
    passed = MPI_Wtime() - start;
    outer = cpu_s() - outer;
    real = wall_s() - real;
    CHECK(passed >= 0.3, "%.9g", passed);
    if (strcmp(mode, "virtual") == 0) {
        CHECK(passed < 0.3 + GRAIN, "%.9g", passed);
    } else if (strcmp(mode, "measured") == 0) {
        CHECK(passed < 0.3 + GRAIN + factor * outer, "%.9g", passed);
    } else {
        CHECK(passed < 0.3 + GRAIN + factor * real, "%.9g", passed);
    }
}

/* Check the measured time of the program's own computation. */
static void check_own_time(const char *mode, double factor)
{
    int is_wall = (strcmp(mode, "wall") == 0);
    clockid_t clock = is_wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    double outer = read_s(clock);
    double start = MPI_Wtime();
    double inner = read_s(clock);
    double passed;

    burn(0.1);
    usleep(50000);
    inner = read_s(clock) - inner;
    passed = MPI_Wtime() - start;
    outer = read_s(clock) - outer;
    if (strcmp(mode, "virtual") == 0) {
        CHECK(passed < GRAIN, "%.9g", passed);
        return;
    }
    CHECK(passed > factor * inner - GRAIN, "%.9g of %.9g", passed, inner);
    CHECK(passed < factor * outer + GRAIN, "%.9g of %.9g", passed, outer);
    CHECK(inner > (is_wall ? 0.149 : 0.099), "%.9g", inner);
}

/*
 * Check that MPICH's work does not count as the program's time: packing takes
 * CPU time, but no virtual time.
 */
static void check_library_time(const char *mode, double factor)
{
    enum {
        COUNT = 1 << 18
    };
    MPI_Datatype every_other;
    static int from[2 * COUNT], to[COUNT];
    double inside = 0, start, passed, outer;
    int i, size;

    MPI_Type_vector(COUNT, 1, 2, MPI_INT, &every_other);
    MPI_Type_commit(&every_other);
    outer = cpu_s();
    start = MPI_Wtime();
    for (i = 0; inside < 0.05; ++i) {
        int position = 0;
        double before = cpu_s();

        MPI_Pack(from, 1, every_other, to, sizeof(to), &position,
                 MPI_COMM_WORLD);
        MPI_Type_size(every_other, &size);
        inside += cpu_s() - before;
    }
    passed = MPI_Wtime() - start;
    outer = cpu_s() - outer;
    /* in mode `wall`, the load of the machine affects this time */
    if (strcmp(mode, "wall") != 0) {
        CHECK(passed <
                  0.3 * factor * inside + factor * (outer - inside) + GRAIN,
              "virtual time advanced by %.9g s while the MPI calls used %.9g s",
              passed, inside);
    }
    MPI_Type_free(&every_other);
}

/*
 * State of a polling loop. In the measured mode, the program's own time within
 * the loop is measured, too. This time includes page faults and the test's own
 * readings of clocks.
 */
typedef struct polling {
    int polls;
    double start, own_s; /* virtual time at the start; CPU time outside of
                          * MPI */
} polling_t;

static void polling_begin(polling_t *loop)
{
    *loop = (polling_t){.start = MPI_Wtime(), .own_s = -cpu_s()};
}

/* Check the duration of a polling loop. A poll takes at most 100 us; the first
 * polls are shorter. */
static void polling_end(polling_t *loop, const char *mode, double factor)
{
    double passed = MPI_Wtime() - loop->start;
    int least = 1;

    loop->own_s += cpu_s();
    if (strcmp(mode, "virtual") == 0) {
        least = (int)(passed / 100e-6);
    } else if (strcmp(mode, "measured") == 0) {
        least = (int)((passed - factor * (loop->own_s + loop->polls * GRAIN)) /
                      100e-6);
    }
    CHECK(loop->polls >= least && loop->polls > 0,
          "too few polls: %d in %.9g s", loop->polls, passed);
}

/* Check that polling loops end and that virtual time advances in them. Rank 0
 * answers after a delay. */
static void check_polls(const char *mode, double factor)
{
    int value = 0, done = 0;
    polling_t loop;
    double start = MPI_Wtime();
    MPI_Request request;

    if (check_rank == 0) {
        gmsim_compute(2000000000u); /* 2 ms */
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        gmsim_compute(2000000000u);
        MPI_Send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    for (polling_begin(&loop); !done; ++loop.polls) {
        double before = cpu_s();

        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        loop.own_s -= cpu_s() - before;
    }
    polling_end(&loop, mode, factor);
    for (done = 0, polling_begin(&loop); !done; ++loop.polls) {
        double before = cpu_s();

        MPI_Iprobe(0, 2, MPI_COMM_WORLD, &done, MPI_STATUS_IGNORE);
        loop.own_s -= cpu_s() - before;
    }
    polling_end(&loop, mode, factor);
    MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    start = MPI_Wtime() - start;
    CHECK(strcmp(mode, "virtual") != 0 || (start > 0.0039 && start < 0.0045),
          "%.9g", start);
}

/*
 * Both ranks compute until both have started. Rank 1 starts only after a
 * message has arrived.
 */
static void check_at_the_same_time(int *flags)
{
    double start = wall_s();
    int value = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    __atomic_store_n(&flags[check_rank], 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&flags[1 - check_rank], __ATOMIC_SEQ_CST) &&
           wall_s() - start < 60) {
    }
    CHECK(flags[1 - check_rank], "the other rank does not compute");
}

int main(int argc, char **argv)
{
    double factor;
    int *flags;
    int fd;

    if (argc != 4) {
        return 2;
    }
    started_s = wall_s();
    factor = atof(argv[2]);
    fd = open(argv[3], O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0) {
        perror(argv[3]);
        return 2;
    }
    flags = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (flags == MAP_FAILED) {
        perror(argv[3]);
        return 2;
    }
    check_start(&argc, &argv);
    check_clocks(factor);
    check_compute(argv[1], factor);
    check_own_time(argv[1], factor);
    check_library_time(argv[1], factor);
    check_polls(argv[1], factor);
    if (strcmp(argv[1], "virtual") != 0) {
        check_at_the_same_time(flags);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_not_ahead(argv[1], factor);
    return check_end();
}
