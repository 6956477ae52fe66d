/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces functions of the C library whose effect concerns one process: the start
 * and the end of a program, threads, waiting, and loading of libraries.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <threads.h>
#include <unistd.h>

#include "inprocess/libc.h"
#include "inprocess/pmi.h"
#include "inprocess/thread_block.h"

/* ---- the start of a program ---------------------------------------------- */

typedef int gmi_main_fn(int argc, char **argv, char **environment);

int __libc_start_main(gmi_main_fn *function, int argc, char **argv,
                      void (*init)(void), void (*fini)(void), void (*end)(void),
                      void *stack_end);

/* The first instructions of a program call this function with the address
 * of main(). */
GMI_API int __libc_start_main(gmi_main_fn *function, int argc, char **argv,
                              void (*init)(void), void (*fini)(void),
                              void (*end)(void), void *stack_end)
{
    GMI_REAL(__libc_start_main)

    if (gmi_current == NULL) {
        return real(function, argc, argv, init, fini, end, stack_end);
    }
    gmi_rank_exit(function(argc, argv, environ), 0);
}

/* ---- the end of a program ------------------------------------------------ */

/* Return 1 if this process was forked from the job. A child of vfork() counts,
 * too, although it shares all variables with the job. */
static int gmi_is_forked(void)
{
    return gmi_is_child || (pid_t)syscall(SYS_getpid) != gmi_process;
}

GMI_API void exit(int status)
{
    GMI_REAL(exit)

    if (gmi_current != NULL && gmi_coroutine_is_current()) {
        gmi_rank_exit(status, 0);
    }
    real(status);
    abort();
}

GMI_API void _exit(int status)
{
    GMI_REAL(_exit)

    if (gmi_current != NULL && !gmi_is_forked() && gmi_coroutine_is_current()) {
        gmi_rank_exit(status, 1);
    }
    real(status);
    abort();
}

GMI_API void _Exit(int status)
{
    _exit(status);
}

GMI_API void quick_exit(int status)
{
    GMI_REAL(quick_exit)

    if (gmi_is_rank()) {
        gmi_rank_exit(status, 1);
    }
    real(status);
    abort();
}

/* The first thread of a rank is a coroutine of this program's only thread. */
GMI_API void pthread_exit(void *result)
{
    GMI_REAL(pthread_exit)

    if (gmi_is_rank()) {
        gmi_rank_exit(0, 0);
    }
    real(result);
    abort();
}

static int gmi_add(gmi_exit_t **list, gmi_exit_t entry)
{
    gmi_exit_t *added = malloc(sizeof(*added));

    if (added == NULL) {
        return -1;
    }
    entry.next = *list;
    *added = entry;
    *list = added;
    return 0;
}

/* Return 1 if an object of the running rank contains the address. Exit
 * functions of shared libraries run at the end of the process. */
static int gmi_is_own(const void *address)
{
    return gmi_is_rank() &&
           gmi_program_contains(gmi_program, gmi_current->rank,
                                gmi_current->copy.handle, address);
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object);

/* atexit() and C++ constructors call this function. */
GMI_API int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
    GMI_REAL(__cxa_atexit)

    return gmi_is_own((const void *)(uintptr_t)function)
               ? gmi_add(
                     &gmi_current->exits,
                     (gmi_exit_t){.at_exit = function, .argument = argument})
               : real(function, argument, object);
}

GMI_API int on_exit(void (*function)(int, void *), void *argument)
{
    GMI_REAL(on_exit)

    return gmi_is_own((const void *)(uintptr_t)function)
               ? gmi_add(
                     &gmi_current->exits,
                     (gmi_exit_t){.on_exit = function, .argument = argument})
               : real(function, argument);
}

int __cxa_thread_atexit_impl(void (*function)(void *), void *argument,
                             void *object);

/* The constructors of thread-local objects call this function. */
GMI_API int __cxa_thread_atexit_impl(void (*function)(void *), void *argument,
                                     void *object)
{
    GMI_REAL(__cxa_thread_atexit_impl)

    return gmi_is_own((const void *)(uintptr_t)function)
               ? gmi_add(
                     &gmi_current->thread_exits,
                     (gmi_exit_t){.at_exit = function, .argument = argument})
               : real(function, argument, object);
}

/* ---- threads of a program ------------------------------------------------ */

typedef struct gmi_thread {
    void *(*run)(void *argument);
    int (*run_c11)(void *argument); /* set instead of `run` */
    void *argument;
} gmi_thread_t;

static void *gmi_begin_thread(void *argument)
{
    gmi_thread_t thread = *(gmi_thread_t *)argument;

    free(argument);
    gmi_thread_block_begin();
    return thread.run(thread.argument);
}

static int gmi_begin_c11(void *argument)
{
    gmi_thread_t thread = *(gmi_thread_t *)argument;

    free(argument);
    gmi_thread_block_begin();
    return thread.run_c11(thread.argument);
}

GMI_API int pthread_create(pthread_t *id, const pthread_attr_t *attributes,
                           void *(*run)(void *argument), void *argument)
{
    GMI_REAL(pthread_create)
    gmi_thread_t *thread = malloc(sizeof(*thread));
    int result;

    if (thread == NULL) {
        return EAGAIN;
    }
    *thread = (gmi_thread_t){.run = run, .argument = argument};
    result = real(id, attributes, gmi_begin_thread, thread);
    if (result != 0) {
        free(thread);
    }
    return result;
}

GMI_API int thrd_create(thrd_t *id, thrd_start_t run, void *argument)
{
    GMI_REAL(thrd_create)
    gmi_thread_t *thread = malloc(sizeof(*thread));
    int result;

    if (thread == NULL) {
        return thrd_nomem;
    }
    *thread = (gmi_thread_t){.run_c11 = run, .argument = argument};
    result = real(id, gmi_begin_c11, thread);
    if (result != thrd_success) {
        free(thread);
    }
    return result;
}

/* ---- waiting for other ranks --------------------------------------------- */

/* Loops that wait for a variable in shared memory call this function. */
GMI_API int sched_yield(void)
{
    GMI_REAL(sched_yield)

    if (gmi_is_rank()) {
        gmi_coroutine_yield();
    }
    return real();
}

static int gmi_has_answer(int fd)
{
    char first;

    return recv(fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 || errno != EAGAIN;
}

/* A rank reads the answers of the process manager, which is this process. After
 * the last answer, the program may use the descriptor's number for another
 * file. */
GMI_API ssize_t read(int fd, void *bytes, size_t count)
{
    GMI_REAL(read)

    if (!gmi_is_rank() || fd != gmi_current->client) {
        return real(fd, bytes, count);
    }
    for (;;) {
        uint32_t answers = gmi_current->answers;

        gmi_pmi_serve(gmi_current);
        if (gmi_has_answer(fd)) {
            break;
        }
        gmi_coroutine_wait(&gmi_current->answers, answers, 0);
    }
    if (gmi_current->is_finalized) {
        gmi_current->client = -1;
    }
    return real(fd, bytes, count);
}

/* ---- libraries that a program loads -------------------------------------- */

void *gmi_dlopen(const char *name, int flags)
{
    GMI_REAL(dlopen)

    return real(name, flags);
}

/* Libraries remain loaded until the end of the process, because the functions
 * that they register for the end must remain in memory. */
GMI_API void *dlopen(const char *name, int flags)
{
    int is_private;
    void *handle;

    if (!gmi_is_rank()) {
        return gmi_dlopen(name, flags);
    }
    if (name == NULL) {
        return gmi_current->copy.handle;
    }
    handle = gmi_program_load_library(gmi_program, gmi_current->rank,
                                      &gmi_current->copy, name,
                                      flags | RTLD_NODELETE, &is_private);
    return is_private ? handle : gmi_dlopen(name, flags | RTLD_NODELETE);
}
