/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * job-size: measures the cost of jobs with many ranks. The program prints the
 * real startup time, the real and virtual times of a barrier, an allreduce, a
 * ring and a sort, and the memory usage of all ranks. The script
 * benchmarks/job-size runs this program with several numbers of ranks.
 *
 * The sort communicates like IS of the NAS Parallel Benchmarks: it calls
 * allreduce for the sizes of all buckets, alltoall for the counts, and
 * alltoallv for the keys. The numbers of keys, buckets and iterations are those
 * of class A. [source: NAS Technical Report NAS-95-020]
 */
#define _GNU_SOURCE
#include <mpi.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Class A of IS. */
#define SIZE_KEYS_LOG2  23
#define SIZE_RANGE_LOG2 19
#define SIZE_BUCKETS    1024
#define SIZE_ITERATIONS 10
#define SIZE_SEED       UINT64_C(314159265)
#define SIZE_MULTIPLIER UINT64_C(1220703125)
#define SIZE_MASK       ((UINT64_C(1) << 46) - 1)
#define SIZE_LOWEST_FD  3
#define SIZE_HIGHEST_FD 4096

typedef struct size_work {
    int rank, ranks;
    int keys; /* keys that this rank holds */
    int *key, *by_bucket, *arrived;
    int arrived_keys;
    int *mine, *all; /* number of keys in each bucket */
    int *counts;     /* four arrays of `ranks` elements: counts and positions
                         * of the sent keys, then counts and positions of the
                         * received keys */
} size_work_t;

/* Real and virtual duration of a step, in seconds. */
typedef struct size_time {
    double real_s, virtual_s;
} size_time_t;

static double size_real_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *size_alloc(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);

    if (memory == NULL) {
        fprintf(stderr, "job-size: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return memory;
}

/* ---- the sort ------------------------------------------------------------ */

static uint64_t size_power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;

    for (; exponent > 0; exponent >>= 1) {
        if ((exponent & 1) != 0) {
            result = result * base & SIZE_MASK;
        }
        base = base * base & SIZE_MASK;
    }
    return result;
}

/* Generate this rank's part of one sequence of keys. The sequence does not
 * depend on the number of ranks. A key is the sum of four random numbers. */
static void size_make_keys(size_work_t *work)
{
    uint64_t first = (uint64_t)work->keys * (uint64_t)work->rank;
    uint64_t seed =
        SIZE_SEED * size_power(SIZE_MULTIPLIER, 4 * first) & SIZE_MASK;

    for (int i = 0; i < work->keys; ++i) {
        double sum = 0;

        for (int part = 0; part < 4; ++part) {
            seed = seed * SIZE_MULTIPLIER & SIZE_MASK;
            sum += (double)seed / (double)(SIZE_MASK + 1);
        }
        work->key[i] = (int)(sum * (double)(1 << SIZE_RANGE_LOG2) / 4);
    }
}

static int size_bucket(int key)
{
    return (int)((int64_t)key * SIZE_BUCKETS >> SIZE_RANGE_LOG2);
}

/* Count the keys in each bucket, and sort the keys by bucket. */
static void size_fill_buckets(size_work_t *work)
{
    int next[SIZE_BUCKETS];
    int position = 0;

    memset(work->mine, 0, SIZE_BUCKETS * sizeof(*work->mine));
    for (int i = 0; i < work->keys; ++i) {
        ++work->mine[size_bucket(work->key[i])];
    }
    for (int bucket = 0; bucket < SIZE_BUCKETS; ++bucket) {
        next[bucket] = position;
        position += work->mine[bucket];
    }
    for (int i = 0; i < work->keys; ++i) {
        work->by_bucket[next[size_bucket(work->key[i])]++] = work->key[i];
    }
}

/* Assign consecutive buckets to each rank, so that all ranks receive about the
 * same number of keys, and count the keys for each rank. */
static void size_share_buckets(size_work_t *work)
{
    int64_t total = (int64_t)work->keys * work->ranks;
    int64_t passed = 0;
    int rank = 0;

    memset(work->counts, 0, (size_t)work->ranks * sizeof(*work->counts));
    for (int bucket = 0; bucket < SIZE_BUCKETS; ++bucket) {
        work->counts[rank] += work->mine[bucket];
        passed += work->all[bucket];
        while (rank + 1 < work->ranks &&
               passed * work->ranks >= total * (rank + 1)) {
            ++rank;
        }
    }
}

static int size_positions(const int *counts, int *positions, int ranks)
{
    int position = 0;

    for (int rank = 0; rank < ranks; ++rank) {
        positions[rank] = position;
        position += counts[rank];
    }
    return position;
}

static void size_exchange(size_work_t *work)
{
    int *sent = work->counts, *sent_at = sent + work->ranks;
    int *got = sent_at + work->ranks, *got_at = got + work->ranks;

    size_fill_buckets(work);
    MPI_Allreduce(work->mine, work->all, SIZE_BUCKETS, MPI_INT, MPI_SUM,
                  MPI_COMM_WORLD);
    size_share_buckets(work);
    MPI_Alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, MPI_COMM_WORLD);
    size_positions(sent, sent_at, work->ranks);
    work->arrived_keys = size_positions(got, got_at, work->ranks);
    free(work->arrived);
    work->arrived = size_alloc((size_t)work->arrived_keys + 1, sizeof(int));
    MPI_Alltoallv(work->by_bucket, sent, sent_at, MPI_INT, work->arrived, got,
                  got_at, MPI_INT, MPI_COMM_WORLD);
}

static void size_sort(size_work_t *work)
{
    for (int i = 0; i < SIZE_ITERATIONS; ++i) {
        work->key[i] = i;
        work->key[i + SIZE_ITERATIONS] = (1 << SIZE_RANGE_LOG2) - 1 - i;
        size_exchange(work);
    }
}

/* Check that all keys have arrived, and that each rank's keys are larger than
 * those of all lower ranks. */
static void size_verify(const size_work_t *work)
{
    int64_t mine = work->arrived_keys;
    int64_t total = 0;
    int least = 1 << SIZE_RANGE_LOG2, most = -1, below = -1;

    for (int i = 0; i < work->arrived_keys; ++i) {
        least = work->arrived[i] < least ? work->arrived[i] : least;
        most = work->arrived[i] > most ? work->arrived[i] : most;
    }
    MPI_Allreduce(&mine, &total, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Exscan(&most, &below, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (total != (int64_t)work->keys * work->ranks ||
        (work->rank > 0 && below >= least)) {
        fprintf(stderr, "job-size: rank %d: the keys are not sorted\n",
                work->rank);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
}

/* ---- the other steps ----------------------------------------------------- */

static void size_barrier(size_work_t *work)
{
    (void)work;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void size_allreduce(size_work_t *work)
{
    double own = work->rank;
    double sum = 0;

    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (sum != 0.5 * work->ranks * (work->ranks - 1)) {
        fprintf(stderr, "job-size: the sum is incorrect\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
}

/* Pass a number from rank to rank through all ranks. */
static void size_ring(size_work_t *work)
{
    int next = (work->rank + 1) % work->ranks;
    int last = (work->rank + work->ranks - 1) % work->ranks;
    int hops = 0;

    if (work->rank == 0) {
        MPI_Send(&hops, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    }
    MPI_Recv(&hops, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (work->rank != 0) {
        ++hops;
        MPI_Send(&hops, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    } else if (hops != work->ranks - 1) {
        fprintf(stderr,
                "job-size: the message in the ring did not visit all ranks\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
}

/* Measure a step that all ranks execute. Rank 0 returns when the last rank has
 * finished the step. */
static size_time_t size_measure(size_work_t *work, void (*step)(size_work_t *))
{
    size_time_t time = {size_real_s(), MPI_Wtime()};
    double end = 0;
    double last = 0;

    step(work);
    end = MPI_Wtime();
    MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    time.real_s = size_real_s() - time.real_s;
    time.virtual_s = last - time.virtual_s;
    MPI_Barrier(MPI_COMM_WORLD);
    return time;
}

/* ---- memory -------------------------------------------------------------- */

/* Return a value in KiB from a file of lines "NAME: VALUE kB". */
static double size_read_kib(const char *path, const char *name)
{
    FILE *file = fopen(path, "re");
    size_t length = strlen(name);
    char line[256];
    double kib = 0;

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            kib = strtod(line + length + 1, NULL);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return kib;
}

/* Return the total private memory of all ranks, including their page tables. */
static double size_private_kib(void)
{
    double own = size_read_kib("/proc/self/status", "RssAnon") +
                 size_read_kib("/proc/self/status", "VmPTE");
    double sum = 0;

    MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    return sum;
}

/* Return the allocated memory of the shared arena, which is an open file. */
static double size_shared_kib(void)
{
    for (int fd = SIZE_LOWEST_FD; fd < SIZE_HIGHEST_FD; ++fd) {
        char link[64], path[256];
        struct stat file;
        ssize_t length;

        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        length = readlink(link, path, sizeof(path) - 1);
        path[length > 0 ? length : 0] = '\0';
        if (strncmp(path, "/dev/shm/gmsim-", 15) == 0 &&
            fstat(fd, &file) == 0) {
            return (double)file.st_blocks / 2;
        }
    }
    return 0;
}

/* Return a number that the script has set in the environment. */
static double size_given(const char *variable)
{
    const char *text = getenv(variable);

    return text != NULL ? strtod(text, NULL) : 0;
}

/* ---- the program --------------------------------------------------------- */

static void size_print(const size_work_t *work, double init_s,
                       const size_time_t time[4], const double kib[2])
{
    double given_kib = size_given("JOB_SIZE_AVAILABLE_KIB");
    double machine_kib =
        given_kib - size_read_kib("/proc/meminfo", "MemAvailable");

    printf("%d,%.2f", work->ranks, init_s);
    for (int i = 0; i < 4; ++i) {
        printf(",%.3f,%.6g", time[i].real_s, 1e6 * time[i].virtual_s);
    }
    printf(",%.0f,%.0f,%.0f\n", kib[0] / work->ranks, kib[1] / work->ranks,
           given_kib > 0 ? machine_kib / work->ranks : 0);
}

int main(int argc, char **argv)
{
    size_work_t work = {0};
    size_time_t time[4] = {{0, 0}};
    double init_s = 0, last_s = 0, kib[2];

    MPI_Init(&argc, &argv);
    init_s = size_real_s() - size_given("JOB_SIZE_START_S");
    MPI_Comm_rank(MPI_COMM_WORLD, &work.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &work.ranks);
    time[0] = size_measure(&work, size_barrier);
    MPI_Reduce(&init_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    time[1] = size_measure(&work, size_allreduce);
    time[2] = size_measure(&work, size_ring);
    if (argc > 1 && strcmp(argv[1], "sort") == 0) {
        work.keys = (1 << SIZE_KEYS_LOG2) / work.ranks;
        work.key = size_alloc((size_t)work.keys, sizeof(int));
        work.by_bucket = size_alloc((size_t)work.keys, sizeof(int));
        work.mine = size_alloc(SIZE_BUCKETS, sizeof(int));
        work.all = size_alloc(SIZE_BUCKETS, sizeof(int));
        work.counts = size_alloc(4 * (size_t)work.ranks, sizeof(int));
        size_make_keys(&work);
        time[3] = size_measure(&work, size_sort);
        size_verify(&work);
    }
    kib[0] = size_private_kib();
    kib[1] = size_shared_kib();
    if (work.rank == 0) {
        size_print(&work, last_s, time, kib);
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
