/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * in_process CASE: performs actions that are allowed in a program with its own
 * process, for tests/system/mpi-in-process.sh. The output must be the same
 * whether or not the ranks share a process.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static int zero;      /* in .bss */
static int seven = 7; /* in .data */
static __thread int nine = 9;
static __thread int none;

/* Print the lines of all ranks in the order of the ranks. */
static void print_in_turn(const char *line)
{
    for (int turn = 0; turn < size; ++turn) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (turn == rank) {
            printf("rank %d: %s\n", rank, line);
            fflush(stdout);
        }
    }
}

static void check_variables(int argc, char **argv)
{
    char line[100];

    (void)argc;
    (void)argv;
    zero += rank;
    seven += rank;
    nine += rank;
    none += rank;
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(line, sizeof(line), "%d %d %d %d", zero, seven, nine, none);
    print_in_turn(line);
}

/* Parse the options after other ranks have run. */
static void check_options(int argc, char **argv)
{
    char line[100];
    int sum = 0;
    int option;

    while ((option = getopt(argc, argv, "n:x")) != -1) {
        sum += option == 'n' ? atoi(optarg) : 1000;
    }
    snprintf(line, sizeof(line), "%d %s", sum,
             optind < argc ? argv[optind] : "-");
    print_in_turn(line);
}

/* Functions of the C library with a hidden state: every rank has its own
 * state. */
static void check_random(int argc, char **argv)
{
    char line[200];
    char words[] = "first second";
    long numbers[4];
    double fractions[2];
    const char *word;

    (void)argc;
    (void)argv;
    numbers[0] = random(); /* with the first seed */
    srand(5);
    srand48(6);
    strtok(words, " ");
    fractions[0] = drand48();
    numbers[1] = rand();
    MPI_Barrier(MPI_COMM_WORLD);
    numbers[2] = rand();
    fractions[1] = drand48();
    word = strtok(NULL, " ");
    srand((unsigned)rank);
    MPI_Barrier(MPI_COMM_WORLD);
    numbers[3] = rand();
    snprintf(line, sizeof(line), "%ld %ld %ld %ld %.9f %.9f %s", numbers[0],
             numbers[1], numbers[2], numbers[3], fractions[0], fractions[1],
             word);
    print_in_turn(line);
}

/* Extend the environment, and read it through the program's own pointer. */
static void check_environment(int argc, char **argv)
{
    char name[32], line[100];
    char **entry;
    int count = 0;

    (void)argc;
    (void)argv;
    for (int i = 0; i < 300; ++i) {
        snprintf(name, sizeof(name), "IN_PROCESS_%d", i);
        setenv(name, "x", 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (entry = environ; *entry != NULL; ++entry) {
        count += strncmp(*entry, "IN_PROCESS_", 11) == 0;
    }
    snprintf(line, sizeof(line), "%d %s", count, getenv("IN_PROCESS_299"));
    print_in_turn(line);
}

static void check_clock(int argc, char **argv)
{
    char line[100];
    struct timespec before, after;

    (void)argc;
    (void)argv;
    clock_gettime(CLOCK_REALTIME, &before);
    usleep((useconds_t)(1000 * (rank + 1)));
    clock_gettime(CLOCK_MONOTONIC, &after);
    snprintf(line, sizeof(line), "%lld.%09ld %lld.%09ld %.12f",
             (long long)before.tv_sec, before.tv_nsec, (long long)after.tv_sec,
             after.tv_nsec, MPI_Wtime());
    print_in_turn(line);
}

/* Return the CPU time in seconds that a function of the C library reports. */
static double cpu_s(int kind)
{
    struct rusage use = {.ru_utime = {0, 0}};
    struct timespec value = {0, 0};
    struct tms times_used = {0};

    switch (kind) {
    case 0:
        return (double)clock() / CLOCKS_PER_SEC;
    case 1:
        times(&times_used);
        return (double)(times_used.tms_utime + times_used.tms_stime) /
               (double)sysconf(_SC_CLK_TCK);
    case 2:
    case 3:
        clock_gettime(kind == 2 ? CLOCK_PROCESS_CPUTIME_ID
                                : CLOCK_THREAD_CPUTIME_ID,
                      &value);
        return (double)value.tv_sec + 1e-9 * (double)value.tv_nsec;
    default:
        getrusage(kind == 4 ? RUSAGE_SELF : RUSAGE_THREAD, &use);
        return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
               1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    }
}

/* If all ranks share one process, the sum of their CPU times must be the CPU
 * time of the process, which the kernel returns. */
static void check_sum_of_cpu(char *line, size_t room)
{
    struct rusage use = {.ru_utime = {0, 0}};
    double own_s = cpu_s(4);
    double all_s = 0;
    double process_s;
    int process = (int)getpid();
    int of_first = process;

    MPI_Bcast(&of_first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own_s, &all_s, 1, MPI_DOUBLE, MPI_SUM, size - 1,
               MPI_COMM_WORLD);
    syscall(SYS_getrusage, RUSAGE_SELF, &use);
    process_s = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
    if (rank == size - 1 && process == of_first &&
        (all_s > process_s || all_s < 0.9 * process_s)) {
        snprintf(line, room, "the ranks used %.3f s, the process %.3f s", all_s,
                 process_s);
    }
}

/* Rank 1 computes, and the other ranks wait for it. Every rank has its own CPU
 * time, with every function. */
static void check_cpu(int argc, char **argv)
{
    static const double work_s = 0.4;
    char line[200] = "";
    double before_s[6], own_s;

    (void)argc;
    (void)argv;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int kind = 0; kind < 6; ++kind) {
        before_s[kind] = cpu_s(kind);
    }
    while (rank == 1 && cpu_s(2) - before_s[2] < work_s) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int kind = 0; kind < 6; ++kind) {
        own_s = cpu_s(kind) - before_s[kind];
        snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s ",
                 own_s > work_s - 0.03 ? "all"
                 : own_s < work_s / 2  ? "little"
                                       : "part");
    }
    check_sum_of_cpu(line, sizeof(line));
    print_in_turn(line);
}

/* ---- the end -------------------------------------------------------------- */

static void at_exit(void)
{
    printf("atexit of rank %d\n", rank);
}

static void at_exit_with(int status, void *text)
{
    printf("on_exit of rank %d: %d %s\n", rank, status, (const char *)text);
}

__attribute__((destructor)) static void destroy(void)
{
    if (size > 0) {
        printf("destructor of rank %d\n", rank);
    }
}

static void check_exits(int argc, char **argv)
{
    static char text[] = "text";

    (void)argc;
    (void)argv;
    atexit(at_exit);
    on_exit(at_exit_with, text);
}

static void check_status(int argc, char **argv)
{
    int status = rank == 1 && argc > 2 ? atoi(argv[2]) : 0;

    MPI_Barrier(MPI_COMM_WORLD);
    if (status != 0) {
        exit(status);
    }
}

static void check_abort(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Abort(MPI_COMM_WORLD, 5);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_fault(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        raise(SIGSEGV);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void check_deadlock(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    MPI_Recv(&zero, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
}

/* A child process is not a rank. Its end must not end the rank. */
static void check_child(int argc, char **argv)
{
    char line[100];
    int status = 0;
    pid_t child;

    (void)argc;
    (void)argv;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        exit(rank + 3);
    }
    waitpid(child, &status, 0);
    snprintf(line, sizeof(line), "child ended with status %d",
             WEXITSTATUS(status));
    print_in_turn(line);
}

/* Children end in different ways, and do not affect the rank. */
static void check_children(int argc, char **argv)
{
    char line[100];
    int status[3];
    pid_t child;

    (void)argc;
    (void)argv;
    printf("rank %d before its children\n", rank); /* printed once */
    if ((child = fork()) == 0) {
        sched_yield();
        _exit(rank + 3);
    }
    waitpid(child, &status[0], 0);
    if ((child = vfork()) == 0) {
        execl("/nonexistent", "nonexistent", (char *)NULL);
        _exit(9);
    }
    waitpid(child, &status[1], 0);
    if ((child = fork()) == 0) {
        raise(SIGSEGV);
    }
    waitpid(child, &status[2], 0);
    snprintf(line, sizeof(line), "%d %d %d", WEXITSTATUS(status[0]),
             WEXITSTATUS(status[1]), WIFSIGNALED(status[2]));
    print_in_turn(line);
}

/* A file may have the descriptor that the process manager used before. */
static void check_descriptor(int argc, char **argv)
{
    char text[8] = "";
    int ends[2];

    (void)argc;
    (void)argv;
    MPI_Finalize();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        return;
    }
    fflush(NULL);
    if (fork() == 0) {
        usleep(20000);
        _exit(write(ends[1], "text", 5) != 5);
    }
    printf("rank %d: %zd %s\n", rank, read(ends[0], text, 5), text);
    exit(rank == 1 ? 3 : 0); /* the other ranks still end normally */
}

static void check_early_end(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (rank == 1) {
        _exit(0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- threads and processes ------------------------------------------------ */

static void *compute(void *result)
{
    *(int *)result = nine + none;
    nine = 1000;
    return NULL;
}

/* A thread that computes has thread-local variables of its own. */
static void check_thread(int argc, char **argv)
{
    char line[100];
    int result = 0;
    pthread_t thread;

    (void)argc;
    (void)argv;
    nine = 100;
    pthread_create(&thread, NULL, compute, &result);
    pthread_join(thread, NULL);
    snprintf(line, sizeof(line), "%d %d", result, nine);
    print_in_turn(line);
}

static void *communicate(void *unused)
{
    (void)unused;
    MPI_Barrier(MPI_COMM_WORLD);
    return NULL;
}

static void check_calls(int argc, char **argv)
{
    pthread_t thread;

    (void)argc;
    (void)argv;
    pthread_create(&thread, NULL, communicate, NULL);
    pthread_join(thread, NULL);
}

static void *exchange(void *comm)
{
    char byte = 0;

    for (int i = 0; i < 500; ++i) {
        MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, 1 - rank, 0, 1 - rank, 0,
                             *(MPI_Comm *)comm, MPI_STATUS_IGNORE);
    }
    return NULL;
}

/* Two threads call MPI at the same time. */
static void check_funneled(int argc, char **argv)
{
    MPI_Comm comm;
    pthread_t thread;

    (void)argc;
    (void)argv;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    pthread_create(&thread, NULL, exchange, &comm);
    exchange(&(MPI_Comm){MPI_COMM_WORLD});
    pthread_join(thread, NULL);
    MPI_Comm_free(&comm);
}

static void check_spawn(int argc, char **argv)
{
    int status;
    MPI_Comm children;

    (void)argc;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    status = MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0,
                            MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    print_in_turn(status == MPI_SUCCESS ? "spawned" : "not spawned");
}

static const struct {
    const char *name;
    void (*run)(int argc, char **argv);
} cases[] = {
    {"variables", check_variables}, {"options", check_options},
    {"clock", check_clock},         {"exits", check_exits},
    {"status", check_status},       {"abort", check_abort},
    {"fault", check_fault},         {"deadlock", check_deadlock},
    {"child", check_child},         {"thread", check_thread},
    {"random", check_random},       {"environment", check_environment},
    {"children", check_children},   {"descriptor", check_descriptor},
    {"early-end", check_early_end}, {"calls", check_calls},
    {"spawn", check_spawn},         {"cpu", check_cpu},
    {"funneled", check_funneled},
};

int main(int argc, char **argv)
{
    int is_funneled = argc > 1 && strcmp(argv[1], "funneled") == 0;
    int provided;

    MPI_Init_thread(&argc, &argv,
                    is_funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE,
                    &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); ++i) {
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run(argc, argv);
        }
    }
    MPI_Finalize();
    if (argc < 2 || strcmp(argv[1], "exits") != 0) {
        size = 0; /* only this case prints in the destructor */
    }
    return 0;
}
