/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the functions of the C library that read a clock or sleep. The ranks
 * are started by mpiexec with GMSIM_CLOCK=virtual, which is the default.
 *
 *   clock PART
 *
 * The part "order" writes a file of the same name. Each PART prints only
 * simulated times, so all runs have identical output.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

#define DATE_S   946684800 /* 2000-01-01 00:00:00 UTC */
#define UPTIME_S 86400

static double read_s(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Return the time since the start of the clock. The function uses the uptime
 * instead of the date, because a double with the date has too few digits for
 * the fraction of a second. */
static double since_start_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - UPTIME_S) + 1e-9 * (double)now.tv_nsec;
}

static struct timespec in_s(clockid_t clock, double seconds)
{
    struct timespec end;

    clock_gettime(clock, &end);
    end.tv_nsec += (long)(seconds * 1e9);
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    return end;
}

/* ---- reading ------------------------------------------------------------- */

/* Check that all clocks agree and never go back. */
static void check_clocks(const char *moment)
{
    static const struct {
        clockid_t id;
        double origin;
    } clocks[] = {
        {CLOCK_REALTIME, DATE_S},
        {CLOCK_REALTIME_COARSE, DATE_S},
        {CLOCK_TAI, DATE_S},
        {CLOCK_MONOTONIC, UPTIME_S},
        {CLOCK_MONOTONIC_COARSE, UPTIME_S},
        {CLOCK_MONOTONIC_RAW, UPTIME_S},
        {CLOCK_BOOTTIME, UPTIME_S},
    };
    static double last;
    struct timespec date;
    struct timeval day;
    struct timezone zone;
    double now = since_start_s();
    unsigned i;

    CHECK(now > last, "%s: %.9f after %.9f", moment, now, last);
    for (i = 0; i < sizeof(clocks) / sizeof(clocks[0]); ++i) {
        double value = read_s(clocks[i].id) - clocks[i].origin;

        CHECK(value > now - 1e-6 && value < now + 1e-5, "%s: clock %d: %.9f",
              moment, (int)clocks[i].id, value);
    }
    gettimeofday(&day, &zone);
    CHECK(day.tv_sec - DATE_S == (time_t)now && zone.tz_minuteswest == 0,
          "%s: %ld", moment, (long)day.tv_sec);
    timespec_get(&date, TIME_UTC);
    CHECK(date.tv_sec == day.tv_sec && time(NULL) == day.tv_sec, "%s: %ld",
          moment, (long)date.tv_sec);
    last = since_start_s();
    CHECK(last - now < 1e-5, "%s: %.9f", moment, last - now);
    if (check_rank == 0) {
        printf("%s: %.9f\n", moment, last);
    }
}

static void part_read(int *argc, char ***argv)
{
    double cpu = read_s(CLOCK_PROCESS_CPUTIME_ID);

    CHECK(cpu < 1000 && read_s(CLOCK_THREAD_CPUTIME_ID) < 1000, "%.9f", cpu);
    check_clocks("before");
    usleep(1500 * (getenv("PMI_RANK")[0] == '1'));
    check_start(argc, argv);
    CHECK(since_start_s() > 0.0015, "%.9f", since_start_s());
    check_clocks("after MPI_Init");
    MPI_Barrier(MPI_COMM_WORLD);
    check_clocks("after a barrier");
}

/* Poll each clock until one second has passed. */
static void part_poll(int *argc, char ***argv)
{
    double start, wtime;
    struct timeval day, end;
    time_t second;
    int reads;

    start = read_s(CLOCK_MONOTONIC); /* a program can also poll the clock before
                                      * MPI_Init */
    while (read_s(CLOCK_MONOTONIC) < start + 1) {
    }
    check_start(argc, argv);
    CHECK(MPI_Wtime() < 0.1, "%.9f", MPI_Wtime());
    start = read_s(CLOCK_MONOTONIC);
    for (reads = 0; read_s(CLOCK_MONOTONIC) < start + 1; ++reads) {
    }
    CHECK(reads > 100000 && reads < 130000, "%d", reads);
    gettimeofday(&end, NULL);
    for (++end.tv_sec; gettimeofday(&day, NULL), timercmp(&day, &end, <);) {
    }
    second = time(NULL);
    while (time(NULL) < second + 1) {
    }
    wtime = MPI_Wtime();
    while (MPI_Wtime() < wtime + 1) {
    }
    wtime = MPI_Wtime() - wtime;
    CHECK(wtime < 1.02, "%.9f", wtime);
    /* a call of MPI begins a new series of polls */
    MPI_Barrier(MPI_COMM_WORLD);
    wtime = MPI_Wtime();
    for (reads = 0; reads < 63; ++reads) {
        (void)since_start_s();
    }
    wtime = MPI_Wtime() - wtime;
    CHECK(wtime > 6.39e-6 && wtime < 6.41e-6, "%.9g", wtime);
    printf("rank %d: %.9f\n", check_rank, since_start_s());
}

/* ---- sleeping ------------------------------------------------------------ */

/* Check that a sleep takes the requested time. */
static void slept(const char *function, double start, double seconds)
{
    double passed = since_start_s() - start;

    CHECK(passed > seconds - 1e-9 && passed < seconds + 1e-5, "%s: %.9f",
          function, passed);
}

static void check_sleeps(void)
{
    struct timespec tenth = {.tv_nsec = 100000000}, end;
    struct timeval limit = {.tv_usec = 100000};
    struct epoll_event event;
    double start = since_start_s();
    int files[2], epoll;
    struct pollfd file = {.events = POLLIN};

    CHECK(sleep(3) == 0, "sleep");
    slept("sleep", start, 3);
    start = since_start_s();
    usleep(100000);
    slept("usleep", start, 0.1);
    start = since_start_s();
    nanosleep(&tenth, NULL);
    slept("nanosleep", start, 0.1);
    start = since_start_s();
    clock_nanosleep(CLOCK_MONOTONIC, 0, &tenth, NULL);
    slept("clock_nanosleep", start, 0.1);
    start = since_start_s();
    end = in_s(CLOCK_REALTIME, 0.1);
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &end, NULL);
    slept("clock_nanosleep with TIMER_ABSTIME", start, 0.1);
    start = since_start_s();
    thrd_sleep(&tenth, NULL);
    slept("thrd_sleep", start, 0.1);
    start = since_start_s();
    CHECK(poll(NULL, 0, 100) == 0, "poll");
    slept("poll", start, 0.1);
    start = since_start_s();
    CHECK(select(0, NULL, NULL, NULL, &limit) == 0, "select");
    slept("select", start, 0.1);
    start = since_start_s();
    CHECK(ppoll(NULL, 0, &tenth, NULL) == 0, "ppoll");
    slept("ppoll", start, 0.1);
    start = since_start_s();
    CHECK(pselect(0, NULL, NULL, NULL, &tenth, NULL) == 0, "pselect");
    slept("pselect", start, 0.1);
    /* the files are real files, but a wait with a time limit advances the
     * simulated clock */
    CHECK(pipe(files) == 0, "pipe");
    file.fd = files[0];
    start = since_start_s();
    CHECK(poll(&file, 1, 100) == 0, "poll");
    slept("poll of an empty pipe", start, 0.1);
    epoll = epoll_create1(0);
    start = since_start_s();
    CHECK(epoll_wait(epoll, &event, 1, 100) == 0, "epoll_wait");
    slept("epoll_wait", start, 0.1);
    CHECK(write(files[1], "", 1) == 1, "write");
    start = since_start_s();
    CHECK(poll(&file, 1, 100) == 1, "poll");
    slept("poll of a pipe with data", start, 0);
    CHECK(sleep(0) == 0 && nanosleep(&(struct timespec){.tv_nsec = -1}, NULL),
          "sleep(0) failed, or nanosleep() accepted an invalid time");
}

/* A sleep advances only the rank's own clock, while messages continue to travel
 * through the network. */
static void part_sleep(int *argc, char ***argv)
{
    double start = since_start_s();
    int value = 0;

    sleep(100);
    slept("sleep before MPI_Init", start, 100);
    check_start(argc, argv);
    check_sleeps();
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    if (check_rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        sleep(5);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (check_rank == 1) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(MPI_Wtime() - start < 0.001, "%.9f", MPI_Wtime() - start);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(MPI_Wtime() - start > 5, "%.9f", MPI_Wtime() - start);
    }
    printf("rank %d: %.9f\n", check_rank, since_start_s());
}

/* Each sleep ends when it is the rank's turn, so ranks write to a file in the
 * order in which they wake. */
static void part_order(int *argc, char ***argv)
{
    char line[64];
    int file, length;

    check_start(argc, argv);
    file = open("order", O_WRONLY | O_CREAT | O_APPEND, 0600);
    sleep((unsigned)(check_size - check_rank));
    length = snprintf(line, sizeof(line), "rank %d: %.3f\n", check_rank,
                      since_start_s());
    CHECK(write(file, line, (size_t)length) == length, "write");
    close(file);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- signals ------------------------------------------------------------- */

static volatile sig_atomic_t alarms;
static volatile double alarm_s;

static void on_alarm(int number)
{
    (void)number;
    ++alarms;
    alarm_s = since_start_s();
}

/* A signal handler may read the clock at any time, even during a call of
 * MPI. */
static void part_signal(int *argc, char ***argv)
{
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    double last = 0;
    int i;

    check_start(argc, argv);
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &often, NULL);
    for (i = 0; i < 2000 || (alarms < 20 && i < 2000000); ++i) {
        double now;
        int all = 0;

        if (i % 100 == 0) {
            MPI_Allreduce(&i, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
        }
        usleep(10);
        now = since_start_s();
        CHECK(now > last, "%.9f after %.9f", now, last);
        last = now;
    }
    for (i = 0; i < 200; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(alarms >= 20 && alarm_s > 0, "%d", (int)alarms);
    CHECK(alarm_s < since_start_s(), "%.9f", alarm_s);
}

/* ---- threads ------------------------------------------------------------- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int is_set;

/* Check that a wait without a signal ends at its deadline. */
static void check_timeouts(void)
{
    struct timespec end = in_s(CLOCK_REALTIME, 0.1);
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_condattr_t attributes;
    pthread_cond_t monotonic;
    double start = since_start_s();
    sem_t semaphore;

    pthread_mutex_lock(&mutex);
    CHECK(pthread_cond_timedwait(&cond, &mutex, &end) == ETIMEDOUT, "cond");
    slept("pthread_cond_timedwait", start, 0.1);
    /* this deadline has already passed */
    CHECK(pthread_cond_timedwait(&cond, &mutex, &end) == ETIMEDOUT, "cond");
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&monotonic, &attributes);
    start = since_start_s();
    end = in_s(CLOCK_MONOTONIC, 0.1);
    CHECK(pthread_cond_timedwait(&monotonic, &mutex, &end) == ETIMEDOUT,
          "pthread_cond_timedwait with CLOCK_MONOTONIC");
    slept("pthread_cond_timedwait with CLOCK_MONOTONIC", start, 0.1);
    start = since_start_s();
    end = in_s(CLOCK_MONOTONIC, 0.1);
    CHECK(pthread_cond_clockwait(&cond, &mutex, CLOCK_MONOTONIC, &end) ==
              ETIMEDOUT,
          "clockwait");
    slept("pthread_cond_clockwait", start, 0.1);
    start = since_start_s();
    end = in_s(CLOCK_REALTIME, 0.1);
    CHECK(pthread_mutex_timedlock(&mutex, &end) == ETIMEDOUT, "mutex");
    slept("pthread_mutex_timedlock", start, 0.1);
    pthread_mutex_unlock(&mutex);
    sem_init(&semaphore, 0, 0);
    start = since_start_s();
    end = in_s(CLOCK_REALTIME, 0.1);
    CHECK(sem_timedwait(&semaphore, &end) == -1 && errno == ETIMEDOUT, "sem");
    slept("sem_timedwait", start, 0.1);
    sem_post(&semaphore);
    CHECK(sem_timedwait(&semaphore, &end) == 0, "sem");
    pthread_rwlock_wrlock(&lock);
    start = since_start_s();
    end = in_s(CLOCK_REALTIME, 0.1);
    CHECK(pthread_rwlock_timedrdlock(&lock, &end) != 0, "rwlock");
    CHECK(since_start_s() - start < 0.11, "%.9f", since_start_s() - start);
}

static void *waits(void *unused)
{
    struct timespec end = in_s(CLOCK_REALTIME, 3600);

    (void)unused;
    pthread_mutex_lock(&mutex);
    while (!is_set) {
        CHECK(pthread_cond_timedwait(&cond, &mutex, &end) == 0,
              "pthread_cond_timedwait timed out too early");
    }
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Sleep in this thread while the main thread waits in MPI. */
static void *sleeps(void *unused)
{
    double start = since_start_s();

    (void)unused;
    usleep(100000);
    CHECK(since_start_s() - start > 0.0999, "%.9f", since_start_s() - start);
    return NULL;
}

/* Sleep in this thread, and then send the message that the main thread is
 * waiting for. */
static void *sends(void *unused)
{
    int value = 0;

    (void)unused;
    sleep(1);
    MPI_Send(&value, 1, MPI_INT, check_rank, 7, MPI_COMM_WORLD);
    return NULL;
}

static void part_threads(int *argc, char ***argv)
{
    int level, value;
    pthread_t thread;
    double start;

    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &check_size);
    check_timeouts();
    pthread_create(&thread, NULL, waits, NULL);
    sleep(1);
    pthread_mutex_lock(&mutex);
    is_set = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, sleeps, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    start = MPI_Wtime();
    pthread_create(&thread, NULL, sends, NULL);
    MPI_Recv(&value, 1, MPI_INT, check_rank, 7, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    CHECK(MPI_Wtime() - start > 0.99, "%.9f", MPI_Wtime() - start);
    pthread_join(thread, NULL);
}

/* ---- children ------------------------------------------------------------ */

/* A forked child reads the real clock, and so do the programs that a rank
 * executes. */
static void part_child(int *argc, char ***argv)
{
    const char *preload;
    int status;
    pid_t child;

    check_start(argc, argv);
    preload = getenv("LD_PRELOAD");
    CHECK(preload == NULL || strstr(preload, "libgmclock") == NULL, "%s",
          preload);
    child = fork();
    if (child == 0) {
        struct timespec start, end;

        clock_gettime(CLOCK_MONOTONIC, &start);
        usleep(20000);
        clock_gettime(CLOCK_MONOTONIC, &end);
        _exit(time(NULL) > DATE_S + 86400 &&
                      1e9 * (double)(end.tv_sec - start.tv_sec) +
                              (double)(end.tv_nsec - start.tv_nsec) >=
                          20e6
                  ? 0
                  : 1);
    }
    waitpid(child, &status, 0);
    CHECK(status == 0, "the child ended with status %d", status);
    status = system("test $(date +%Y) -gt 2000 && test -z "
                    "\"$(echo $LD_PRELOAD | grep libgmclock)\"");
    CHECK(status == 0, "the program ended with status %d", status);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int *argc, char ***argv);
    } parts[] = {
        {"read", part_read},     {"poll", part_poll},
        {"sleep", part_sleep},   {"order", part_order},
        {"signal", part_signal}, {"threads", part_threads},
        {"child", part_child},
    };
    const char *name = argc > 1 ? argv[1] : "";
    double last;
    unsigned i;
    int status;

    for (i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        if (strcmp(name, parts[i].name) == 0) {
            parts[i].run(&argc, &argv);
            break;
        }
    }
    last = since_start_s();
    status = check_end();
    /* the clock continues after MPI_Finalize */
    if (since_start_s() <= last) {
        fprintf(stderr, "the clock went back in MPI_Finalize\n");
        return 1;
    }
    last = since_start_s();
    sleep(2);
    if (since_start_s() < last + 2 || since_start_s() > last + 2.001) {
        fprintf(stderr, "sleep() after MPI_Finalize took %.9f s\n",
                since_start_s() - last);
        return 1;
    }
    return status;
}
