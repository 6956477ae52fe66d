/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmqos-ranks: runs all ranks of a job in this process, one at a time. mpirun
 * -in-process executes this program, which users do not start themselves:
 *
 *   gmqos-ranks N [-env NAME VALUE ..] PROGRAM [ARGUMENT..]
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "clock/connect.h"
#include "clock/own_libraries.h"
#include "inprocess/command.h"
#include "inprocess/coroutine.h"
#include "engine/ranks.h"
#include "inprocess/pmi.h"
#include "inprocess/program.h"
#include "inprocess/rank.h"
#include "inprocess/signals.h"
#include "inprocess/thread_block.h"

/* Size of a rank's stack if the user's stack limit is larger or infinite. */
#define GMI_STACK_BYTES ((size_t)256 << 20)
#define GMI_MOST_RANKS  65536u

gmi_rank_t *gmi_current;
gmi_rank_t *gmi_ranks;
unsigned gmi_size;
gmi_program_t *gmi_program;

int gmi_argc;
char **gmi_argv;
int gmi_is_child;
pid_t gmi_process;
static int gmi_status;                      /* exit status of the job */
static char gmi_file[128];                  /* path of the job's arena */
static const gms_clock_ranks_t *gmi_clocks; /* functions of libgmclock.so; NULL
                                             * if it is not loaded */

/* ---- the interface to libgm ---------------------------------------------- */

extern gms_ranks_t gmsim_ranks;

__attribute__((visibility("default"))) gms_ranks_t gmsim_ranks = {
    .wait = gmi_coroutine_wait,
    .wake = gmi_coroutine_wake,
    .yield = gmi_coroutine_yield,
    .is_rank = gmi_coroutine_is_current,
};

/* ---- the end of a rank --------------------------------------------------- */

void gmi_end_all(int status)
{
    gmi_current = NULL;
    fflush(NULL);
    _exit(status);
}

static void gmi_run_exits(gmi_exit_t **list, int status)
{
    while (*list != NULL) {
        gmi_exit_t entry = **list;

        free(*list);
        *list = entry.next;
        if (entry.on_exit != NULL) {
            entry.on_exit(status, entry.argument);
        } else {
            entry.at_exit(entry.argument);
        }
    }
}

/* Report a rank that has failed, and end the job unless the rank has called
 * MPI_Finalize. */
static void gmi_report_end(const gmi_rank_t *self, int status, int is_quick)
{
    int is_early = self->uses_mpi && (status != 0 || is_quick);

    if (status == 0 && !is_early) {
        return;
    }
    fprintf(stderr, "mpirun: rank %u ended with status %d%s\n", self->rank,
            status, is_early ? " without calling MPI_Finalize" : "");
    if (!self->is_finalized) {
        gmi_end_all(status != 0 ? status : EXIT_FAILURE);
    }
    gmi_status |= status; /* as mpiexec does with ranks that are processes */
}

void gmi_rank_exit(int status, int is_quick)
{
    gmi_rank_t *self = gmi_current;

    if (!is_quick) {
        gmi_run_exits(&self->thread_exits, status);
        gmi_run_exits(&self->exits, status);
    }
    if (!is_quick && !self->has_ended) {
        self->has_ended = 1; /* destructors may call exit() */
        gmi_program_finish(gmi_program, self->rank, &self->copy);
    }
    if (gmi_is_child) {
        gmi_end_all(status & 255);
    }
    gmi_report_end(self, status & 255, is_quick);
    gmi_coroutine_end();
}

/* The C library calls this function if one of its own functions ends the process,
 * such as err(). Only the rank that has called the function ends. */
static void gmi_on_process_exit(int status, void *unused)
{
    (void)unused;
    if (gmi_current != NULL && !gmi_is_child && gmi_coroutine_is_current()) {
        (void)on_exit(gmi_on_process_exit, NULL); /* register the handler again
                                                   * for the next rank that
                                                   * ends */
        gmi_rank_exit(status, 0);
    }
}

/* ---- the start of a rank ------------------------------------------------- */

void gmi_rank_add_ranges(gmi_rank_t *rank, const void *handle)
{
    gmi_range_t ranges[GMS_CLOCK_OWN_LIBRARIES];
    unsigned count, i;

    if (gmi_clocks == NULL) {
        return;
    }
    count = gmi_program_ranges(gmi_program, rank->rank, handle, ranges,
                               GMS_CLOCK_OWN_LIBRARIES);
    for (i = 0; i < count; ++i) {
        gmi_clocks->add_range(
            rank->clock, (gms_clock_range_t){ranges[i].begin, ranges[i].end});
    }
}

/* Start a program at its first instruction, with a stack like the one that the
 * kernel provides. The stack contains the number of arguments, the arguments,
 * and the ends of three lists: arguments, environment, and information from the
 * kernel. The program finds its environment in `environ`. */
static void gmi_start(void (*entry)(void), int argc, char **argv)
    __attribute__((noreturn));

static void gmi_start(void (*entry)(void), int argc, char **argv)
{
    size_t words = (size_t)argc + 6;
    void **stack = __builtin_alloca_with_align(words * sizeof(void *), 128);

    memset(stack, 0, words * sizeof(void *));
    stack[0] = (void *)(intptr_t)argc;
    memcpy(stack + 1, argv, (size_t)argc * sizeof(*argv));
    __asm__ volatile("movq %0, %%rsp\n"
                     "xorl %%edx, %%edx\n"
                     "xorl %%ebp, %%ebp\n"
                     "jmpq *%1\n" ::"r"(stack),
                     "r"(entry)
                     : "memory", "rdx");
    __builtin_unreachable();
}

static void gmi_run_rank(void *context)
{
    gmi_rank_t *self = context;
    char error[GMI_ERROR_LEN] = "out of memory";
    char **argv = calloc((size_t)gmi_argc + 1, sizeof(*argv));
    int i;

    for (i = 0; argv != NULL && i < gmi_argc; ++i) {
        argv[i] = strdup(gmi_argv[i]); /* programs may change their arguments */
    }
    if (argv == NULL ||
        gmi_program_load(gmi_program, self->rank, &self->copy, error) != 0) {
        fprintf(stderr, "mpirun: rank %u: cannot load %s: %s\n", self->rank,
                gmi_argv[0], error);
        gmi_end_all(EXIT_FAILURE);
    }
    gmi_start(self->copy.entry, gmi_argc, argv);
}

static void gmi_on_switch(void *context, int is_entered)
{
    if (is_entered) {
        gmi_current = context;
        gmi_environment_refresh(); /* another rank may have enlarged the
                                    * environment */
        gmi_options_restore(gmi_current);
        gmi_thread_block_restore(gmi_current->thread_block);
        gmi_cpu_enter();
    } else {
        gmi_cpu_leave(gmi_current);
        gmi_options_save(gmi_current);
        gmi_thread_block_save(gmi_current->thread_block);
        gmi_current = NULL;
    }
    if (gmi_clocks != NULL) {
        gmi_clocks->select(gmi_current != NULL ? gmi_current->clock : NULL);
    }
}

/* A process that a rank has forked is not a rank. If such a process calls
 * exit(), the functions that the rank has registered are called, and then the
 * process ends. */
static void gmi_in_child(void)
{
    gmi_is_child = 1;
    gmi_signals_reset();
}

/* Addresses of this program, which the linker defines. */
extern char __executable_start, end;

/* ---- the job ------------------------------------------------------------- */

static int gmi_prepare_rank(unsigned index)
{
    gmi_rank_t *rank = &gmi_ranks[index];

    rank->rank = index;
    rank->options = (gmi_options_t){.index = 1, .print = 1, .option = '?'};
    rank->thread_block = gmi_thread_block_create();
    if ((rank->thread_block == NULL && errno != 0) ||
        gmi_pmi_connect(rank) != 0) {
        return -1;
    }
    snprintf(rank->variables[0], sizeof(rank->variables[0]), "PMI_RANK=%u",
             index);
    snprintf(rank->variables[1], sizeof(rank->variables[1]), "PMI_SIZE=%u",
             gmi_size);
    snprintf(rank->variables[2], sizeof(rank->variables[2]), "PMI_FD=%d",
             rank->client);
    snprintf(rank->variables[3], sizeof(rank->variables[3]),
             "MPI_LOCALRANKID=%u", index);
    snprintf(rank->variables[4], sizeof(rank->variables[4]),
             "MPI_LOCALNRANKS=%u", gmi_size);
    if (gmi_clocks != NULL) {
        rank->clock = gmi_clocks->create();
    }
    if (gmi_clocks == NULL) {
        return 0;
    }
    if (rank->clock == NULL) {
        return -1;
    }
    gmi_clocks->add_range(
        rank->clock,
        (gms_clock_range_t){(uintptr_t)&__executable_start, (uintptr_t)&end});
    return 0;
}

static gmi_stack_t gmi_stack(void)
{
    gmi_stack_t stack = {
        .bytes = GMI_STACK_BYTES,
        .is_executable = gmi_program_executes_stack(gmi_program),
    };
    struct rlimit limit;

    if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
        limit.rlim_cur < GMI_STACK_BYTES) {
        stack.bytes = (size_t)limit.rlim_cur;
    }
    return stack;
}

/* Raise the limit of open files, because each rank needs several file
 * descriptors: one for its connection, and one for the file of the arena. */
static void gmi_raise_files(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int gmi_prepare(void)
{
    void **contexts = calloc(gmi_size, sizeof(*contexts));
    char name[64];
    struct timespec now;
    unsigned i;

    gmi_ranks = calloc(gmi_size, sizeof(*gmi_ranks));
    if (gmi_ranks == NULL || contexts == NULL) {
        return -1;
    }
    gmi_raise_files();
    gmi_clocks = dlsym(RTLD_DEFAULT, GMS_CLOCK_RANKS);
    if (gmi_clocks != NULL) {
        gmi_clocks->read_cpu_with(gmi_cpu_clock);
    }
    for (i = 0; i < gmi_size; ++i) {
        contexts[i] = &gmi_ranks[i];
        if (gmi_prepare_rank(i) != 0) {
            return -1;
        }
    }
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, sizeof(name), "%d-%lld%09ld", (int)getpid(),
             (long long)now.tv_sec, now.tv_nsec);
    setenv("GMSIM_JOB", name, 1);
    snprintf(gmi_file, sizeof(gmi_file), "/dev/shm/gmsim-%u-%s",
             (unsigned)getuid(), name);
    (void)on_exit(gmi_on_process_exit, NULL);
    gmi_signals_watch(gmi_file);
    (void)pthread_atfork(NULL, NULL, gmi_in_child);
    return gmi_coroutine_create(gmi_size, gmi_stack(), contexts, gmi_run_rank,
                                gmi_on_switch);
}

/* ---- memory that the dynamic linker reserves ----------------------------- */

#define GMI_TUNABLES "GLIBC_TUNABLES"
/* Contains the user's value of GLIBC_TUNABLES. */
#define GMI_FORMER_TUNABLES "GMQOS_FORMER_TUNABLES"
#define GMI_STATIC_TUNABLE  "glibc.rtld.optional_static_tls"
/* [source: default value of the tunable] */
#define GMI_STATIC_BYTES ((size_t)512)

/* Restore the user's value of GLIBC_TUNABLES. @return 1 if this process has
 * executed itself with another value */
static int gmi_restore_tunables(void)
{
    const char *former = getenv(GMI_FORMER_TUNABLES);

    if (former == NULL) {
        return 0;
    }
    if (former[0] != '\0') {
        setenv(GMI_TUNABLES, former, 1);
    } else {
        unsetenv(GMI_TUNABLES);
    }
    unsetenv(GMI_FORMER_TUNABLES);
    return 1;
}

/* Some libraries contain thread-local variables in memory that the dynamic
 * linker reserves when a process starts. If there is not enough memory for
 * the copies of all ranks, execute this program again with a larger
 * reservation. */
static void gmi_reserve(char **argv)
{
    size_t bytes = gmi_size * gmi_program_static_bytes(gmi_program);
    const char *given = getenv(GMI_TUNABLES);
    char *value;

    if (bytes <= GMI_STATIC_BYTES) {
        return;
    }
    given = given != NULL ? given : "";
    if (asprintf(&value, "%s%s" GMI_STATIC_TUNABLE "=%zu", given,
                 given[0] != '\0' ? ":" : "", bytes + GMI_STATIC_BYTES) > 0) {
        setenv(GMI_FORMER_TUNABLES, given, 1);
        setenv(GMI_TUNABLES, value, 1);
        execv("/proc/self/exe", argv);
        (void)gmi_restore_tunables(); /* loading the copies may fail */
        free(value);
    }
}

/* Let messages of the C library contain the name of the program. */
static void gmi_name_program(void)
{
    char *slash = strrchr(gmi_argv[0], '/');

    program_invocation_name = gmi_argv[0];
    program_invocation_short_name = slash != NULL ? slash + 1 : gmi_argv[0];
}

int main(int argc, char **argv)
{
    char error[GMI_ERROR_LEN];
    int has_reserved = gmi_restore_tunables();
    long size = argc >= 3 ? strtol(argv[1], NULL, 10) : 0;

    if (size < 1 || size > (long)GMI_MOST_RANKS) {
        fprintf(
            stderr,
            "usage: gmqos-ranks N [-env NAME VALUE ..] PROGRAM [ARGUMENT..]\n"
            "mpirun -in-process executes this program.\n");
        return 2;
    }
    gmi_size = (unsigned)size;
    gmi_process = getpid();
    gmi_argv = gmi_command_program(argv + 2);
    while (gmi_argv[gmi_argc] != NULL) {
        ++gmi_argc;
    }
    gmsim_ranks.command =
        gmi_command_text(argv + 2, &gmsim_ranks.command_bytes);
    if (gmi_argc == 0 || gmsim_ranks.command == NULL) {
        fprintf(stderr, "mpirun: out of memory, or the program is missing\n");
        return EXIT_FAILURE;
    }
    gmi_name_program();
    gmi_program = gmi_program_open(gmi_argv[0], error);
    if (gmi_program == NULL ||
        gmi_thread_block_prepare(gmi_program_image(gmi_program), error) != 0) {
        fprintf(stderr, "mpirun: cannot run %s in one process: %s\n",
                gmi_argv[0], error);
        return EXIT_FAILURE;
    }
    if (!has_reserved) {
        gmi_reserve(argv);
    }
    if (gmi_prepare() != 0) {
        fprintf(stderr, "mpirun: cannot prepare %u ranks: %s\n", gmi_size,
                strerror(errno));
        return EXIT_FAILURE;
    }
    gmi_coroutine_run_all();
    gmi_end_all(gmi_status);
}
