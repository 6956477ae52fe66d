/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides which clock a process reads, keeps the clock of a program that has
 * not joined its job yet, and converts times. The constructor removes the
 * library from LD_PRELOAD, because programs that a rank executes are not ranks.
 * The constructor also removes the other words that the launcher has added to
 * environment variables, and reports a program that uses another MPI library.
 */
#define _GNU_SOURCE
#include "clock/state.h"

#include "clock/own_libraries.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GMS_CLOCK_PS_PER_S  UINT64_C(1000000000000)
#define GMS_CLOCK_PS_PER_NS 1000

/* Cost of clock reads, in virtual time, before the process joins the job. The
 * parameters of the cluster are not known at that time, so these values are the
 * defaults of host_clock_read_ps and host_poll_max_ps. */
#define GMS_CLOCK_READ_PS UINT64_C(100000)
#define GMS_CLOCK_MOST_PS UINT64_C(100000000)

/* Maximum virtual time: 106 days, as in libgm. */
#define GMS_CLOCK_END_PS (UINT64_MAX / 2)

/* Offsets of the clocks of a process that loaded libgm after its start. Such a
 * process has already read the real clocks, and the values that it reads must
 * not decrease. */
struct gms_clock_offset {
    int64_t date_ns, uptime_ns;
};

/* The libraries of gmqos, and the program gmqos-ranks. */
#define GMS_CLOCK_MODULES (GMS_CLOCK_OWN_LIBRARIES + 1)

/* The clock of a rank. */
struct gms_clock {
    int is_own;                       /* 1: the process has not joined yet, and
                                       * own_ps is the time of its clock */
    const gms_clock_source_t *source; /* clock functions of libgm; NULL until
                                       * the process joins */
    uint64_t own_ps;                  /* time of the process's own clock */
    uint64_t series_ps;               /* time that reads have taken since the
                                       * last sleep */
    struct gms_clock_offset offset;
    /* address ranges of the libraries that read the real clock */
    uintptr_t begin[GMS_CLOCK_MODULES], end[GMS_CLOCK_MODULES];
    unsigned modules;
};

#define GMS_CLOCK_START                                                        \
    {                                                                          \
        .offset = {GMS_CLOCK_DATE_S * INT64_C(1000000000),                     \
                   GMS_CLOCK_UPTIME_S * INT64_C(1000000000)},                  \
    }

/* The clock of this process, and the clock that the functions use. The two
 * differ only if all ranks share one process. */
static struct gms_clock gms_clock_process = GMS_CLOCK_START;
static struct gms_clock *gms_clock = &gms_clock_process;

/* ---- the state ----------------------------------------------------------- */

void *gms_clock_find(void **found, const char *name)
{
    void *function = __atomic_load_n(found, __ATOMIC_RELAXED);

    if (function == NULL) {
        function = dlsym(RTLD_NEXT, name);
        if (function == NULL) {
            fprintf(stderr, "gmsim: the C library has no function %s\n", name);
            abort();
        }
        __atomic_store_n(found, function, __ATOMIC_RELAXED);
    }
    return function;
}

static const gms_clock_source_t *gms_clock_source(void)
{
    return __atomic_load_n(&gms_clock->source, __ATOMIC_ACQUIRE);
}

int gms_clock_is_simulated(const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    unsigned index;

    if (!gms_clock->is_own && gms_clock_source() == NULL) {
        return 0;
    }
    for (index = 0; index < gms_clock->modules; ++index) {
        if (address - gms_clock->begin[index] <
            gms_clock->end[index] - gms_clock->begin[index]) {
            return 0;
        }
    }
    return 1;
}

static int gms_clock_is_own_path(const char *path)
{
    const char *slash = strrchr(path, '/');

    return gms_clock_is_own_library(slash != NULL ? slash + 1 : path);
}

static void gms_clock_add_range(void *clock, gms_clock_range_t range)
{
    struct gms_clock *of = clock;

    if (of->modules < GMS_CLOCK_MODULES) {
        of->begin[of->modules] = range.begin;
        of->end[of->modules] = range.end;
        ++of->modules;
    }
}

/* If a loaded library must read the real clock, store its addresses. */
static int gms_clock_note_module(struct dl_phdr_info *info, size_t size,
                                 void *unused)
{
    uintptr_t begin = UINTPTR_MAX;
    uintptr_t end = 0;
    int index;

    (void)size;
    (void)unused;
    if (!gms_clock_is_own_path(info->dlpi_name)) {
        return 0;
    }
    for (index = 0; index < info->dlpi_phnum; ++index) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        uintptr_t first = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_LOAD) {
            begin = first < begin ? first : begin;
            end = first + part->p_memsz > end ? first + part->p_memsz : end;
        }
    }
    gms_clock_add_range(gms_clock, (gms_clock_range_t){begin, end});
    return 0;
}

static void gms_clock_note_modules(void)
{
    gms_clock->modules = 0;
    (void)dl_iterate_phdr(gms_clock_note_module, NULL);
}

/* Set an environment variable, or remove the variable if the value is empty. */
static void gms_clock_set(const char *name, const char *value)
{
    if (value[0] != '\0') {
        (void)setenv(name, value, 1);
    } else {
        (void)unsetenv(name);
    }
}

/* Copy the words of an environment variable, except the words that is_added()
 * selects.
 * @return the copy, or NULL if no word was selected or no memory is left */
static char *gms_clock_without(const char *value, const char *separators,
                               int (*is_added)(const char *word, size_t length))
{
    char *kept = malloc(strlen(value) + 1);
    size_t used = 0;
    int found = 0;

    while (kept != NULL && *value != '\0') {
        size_t length = strcspn(value, separators);
        size_t with_separator = length + (value[length] != '\0');

        if (is_added(value, length)) {
            found = 1;
        } else {
            memcpy(kept + used, value, with_separator);
            used += with_separator;
        }
        value += with_separator;
    }
    if (!found) {
        free(kept);
        return NULL;
    }
    while (used > 0 && strchr(separators, kept[used - 1]) != NULL) {
        --used;
    }
    kept[used] = '\0';
    return kept;
}

static int gms_clock_is_library(const char *word, size_t length)
{
    const char *slash = memrchr(word, '/', length);
    size_t skipped = slash != NULL ? (size_t)(slash + 1 - word) : 0;

    return length - skipped == strlen("libgmclock.so") &&
           strncmp(word + skipped, "libgmclock.so", length - skipped) == 0;
}

static int gms_clock_is_asan_option(const char *word, size_t length)
{
    return length == strlen("verify_asan_link_order=0") &&
           strncmp(word, "verify_asan_link_order=0", length) == 0;
}

/* The launcher has added the directory of this library to LD_LIBRARY_PATH. */
static int gms_clock_is_directory(const char *word, size_t length)
{
    Dl_info info;
    const char *slash;

    return dladdr(&gms_clock_process, &info) != 0 &&
           (slash = strrchr(info.dli_fname, '/')) != NULL &&
           (size_t)(slash - info.dli_fname) == length &&
           strncmp(word, info.dli_fname, length) == 0;
}

static void gms_clock_clean(const char *name, const char *separators,
                            int (*is_added)(const char *word, size_t length))
{
    const char *value = getenv(name);
    char *kept;

    if (value != NULL &&
        (kept = gms_clock_without(value, separators, is_added)) != NULL) {
        gms_clock_set(name, kept);
        free(kept);
    }
}

/* Remove the words that the launcher has added to environment variables, and
 * keep the user's words. */
static void gms_clock_clean_environment(void)
{
    const char *value = getenv("LD_PRELOAD");

    if (value == NULL || strstr(value, "libgmclock.so") == NULL) {
        return;
    }
    gms_clock_clean("LD_PRELOAD", ": ", gms_clock_is_library);
    gms_clock_clean("LD_LIBRARY_PATH", ":", gms_clock_is_directory);
    gms_clock_clean("ASAN_OPTIONS", ":", gms_clock_is_asan_option);
}

/* Use the real clock in a forked child, because it is not a rank. */
static void gms_clock_in_child(void)
{
    gms_clock->is_own = 0;
    gms_clock->source = NULL;
}

/* Rank 0 of a program that is linked with another MPI library prints a warning,
 * because the run succeeds but simulates nothing. */
static void gms_clock_report_other_mpi(void)
{
    const char *rank = getenv("PMI_RANK");
    void *function = dlsym(RTLD_DEFAULT, "PMPI_Init");
    Dl_info info;

    if (function != NULL && rank != NULL && strcmp(rank, "0") == 0 &&
        dladdr(function, &info) != 0) {
        fprintf(stderr,
                "gmsim: warning: messages are not simulated, because the "
                "program uses the MPI library %s; put the directory of "
                "gmqos's libmpi first in LD_LIBRARY_PATH, and remove an RPATH "
                "from the program\n",
                info.dli_fname);
    }
}

__attribute__((constructor)) static void gms_clock_start(void)
{
    if (dlsym(RTLD_DEFAULT, "gm_init") != NULL) {
        gms_clock_note_modules();
        gms_clock_clean_environment();
        gms_clock->is_own = 1;
        (void)pthread_atfork(NULL, NULL, gms_clock_in_child);
    } else {
        gms_clock_report_other_mpi();
    }
}

/* If a process has already read the real clocks, let its clocks continue from
 * the values of the real clocks. */
static void gms_clock_join_late(uint64_t time_ps)
{
    struct timespec date = gms_clock_real(CLOCK_REALTIME);
    struct timespec uptime = gms_clock_real(CLOCK_MONOTONIC);
    int64_t time_ns = (int64_t)(time_ps / GMS_CLOCK_PS_PER_NS);

    gms_clock->offset.date_ns =
        date.tv_sec * INT64_C(1000000000) + date.tv_nsec - time_ns;
    gms_clock->offset.uptime_ns =
        uptime.tv_sec * INT64_C(1000000000) + uptime.tv_nsec - time_ns;
    gms_clock_note_modules();
    gms_clock_clean_environment();
    (void)pthread_atfork(NULL, NULL, gms_clock_in_child);
}

uint64_t gmsim_clock_connect(const gms_clock_source_t *source);

GMS_CLOCK_API uint64_t gmsim_clock_connect(const gms_clock_source_t *source)
{
    if (source != NULL) {
        if (!gms_clock->is_own && gms_clock_source() == NULL) {
            gms_clock_join_late(source->peek_ps());
        }
        __atomic_store_n(&gms_clock->source, source, __ATOMIC_RELEASE);
    }
    return gms_clock->own_ps;
}

/* ---- several ranks in one process ---------------------------------------- */

static void *gms_clock_create(void)
{
    static const struct gms_clock start = GMS_CLOCK_START;
    static int is_first = 1;
    struct gms_clock *clock = malloc(sizeof(*clock));

    if (clock != NULL) {
        *clock = start;
        clock->is_own = 1;
    }
    if (is_first) {
        is_first = 0;
        gms_clock_clean_environment();
        (void)pthread_atfork(NULL, NULL, gms_clock_in_child);
    }
    return clock;
}

static void gms_clock_select(void *clock)
{
    gms_clock = clock != NULL ? clock : &gms_clock_process;
}

static gms_clock_cpu_fn *gms_clock_cpu;

static void gms_clock_read_cpu_with(gms_clock_cpu_fn *read)
{
    gms_clock_cpu = read;
}

int gms_clock_read_cpu(clockid_t id, struct timespec *value)
{
    return gms_clock_cpu != NULL ? gms_clock_cpu(id, value) : -1;
}

extern const gms_clock_ranks_t gmsim_clock_ranks;

GMS_CLOCK_API const gms_clock_ranks_t gmsim_clock_ranks = {
    .create = gms_clock_create,
    .add_range = gms_clock_add_range,
    .select = gms_clock_select,
    .read_cpu_with = gms_clock_read_cpu_with,
};

/* ---- the time ------------------------------------------------------------ */

uint64_t gms_clock_peek_ps(void)
{
    const gms_clock_source_t *source = gms_clock_source();

    return source != NULL
               ? source->peek_ps()
               : __atomic_load_n(&gms_clock->own_ps, __ATOMIC_RELAXED);
}

uint64_t gms_clock_read_ps(void)
{
    const gms_clock_source_t *source = gms_clock_source();
    uint64_t cost_ps;

    if (source != NULL) {
        return source->read_ps();
    }
    cost_ps = gms_clock_cost_ps(
        __atomic_load_n(&gms_clock->series_ps, __ATOMIC_RELAXED),
        GMS_CLOCK_READ_PS, GMS_CLOCK_MOST_PS);
    __atomic_fetch_add(&gms_clock->series_ps, cost_ps, __ATOMIC_RELAXED);
    return __atomic_add_fetch(&gms_clock->own_ps, cost_ps, __ATOMIC_RELAXED);
}

void gms_clock_sleep_until(uint64_t until_ps, int takes_turn)
{
    const gms_clock_source_t *source = gms_clock_source();
    uint64_t now_ps;

    if (source != NULL) {
        source->sleep_until(until_ps, takes_turn);
        return;
    }
    __atomic_store_n(&gms_clock->series_ps, 0, __ATOMIC_RELAXED);
    now_ps = __atomic_load_n(&gms_clock->own_ps, __ATOMIC_RELAXED);
    while (now_ps < until_ps && !__atomic_compare_exchange_n(
                                    &gms_clock->own_ps, &now_ps, until_ps, 0,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void gms_clock_sleep(const struct timespec *duration)
{
    uint64_t now_ps = gms_clock_peek_ps();
    uint64_t left_ps = GMS_CLOCK_END_PS - now_ps;
    uint64_t seconds = (uint64_t)duration->tv_sec;
    uint64_t sleep_ps = left_ps;

    if (seconds < left_ps / GMS_CLOCK_PS_PER_S) {
        sleep_ps = seconds * GMS_CLOCK_PS_PER_S +
                   (uint64_t)duration->tv_nsec * GMS_CLOCK_PS_PER_NS;
    }
    gms_clock_sleep_until(now_ps + sleep_ps, 1);
}

/* ---- conversion ---------------------------------------------------------- */

/* The simulation provides the kernel's clocks that count from 1970 or from the
 * start of the system. */
int gms_clock_has(clockid_t id)
{
    switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return 1;
    default:
        return 0;
    }
}

static int64_t gms_clock_offset_ns(clockid_t id)
{
    switch (id) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return gms_clock->offset.date_ns;
    default:
        return gms_clock->offset.uptime_ns;
    }
}

struct timespec gms_clock_value(clockid_t id, uint64_t time_ps)
{
    int64_t value_ns =
        gms_clock_offset_ns(id) + (int64_t)(time_ps / GMS_CLOCK_PS_PER_NS);

    return (struct timespec){.tv_sec = value_ns / 1000000000,
                             .tv_nsec = value_ns % 1000000000};
}

uint64_t gms_clock_time_ps(clockid_t id, const struct timespec *value)
{
    __int128 time_ps = ((__int128)value->tv_sec * 1000000000 + value->tv_nsec -
                        gms_clock_offset_ns(id)) *
                       GMS_CLOCK_PS_PER_NS;

    if (time_ps < 0) {
        return 0;
    }
    return time_ps < GMS_CLOCK_END_PS ? (uint64_t)time_ps : GMS_CLOCK_END_PS;
}

struct timespec gms_clock_real(clockid_t id)
{
    GMS_CLOCK_REAL(clock_gettime);
    struct timespec value = {0, 0};

    (void)real(id, &value);
    return value;
}

int gms_clock_is_valid(const struct timespec *value)
{
    return value->tv_sec >= 0 && value->tv_nsec >= 0 &&
           value->tv_nsec < 1000000000;
}
