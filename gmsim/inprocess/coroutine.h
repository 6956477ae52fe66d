/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Runs functions on separate stacks, one function at a time, in one thread of
 * the operating system. A coroutine runs until it waits for a word in memory to
 * change. The thread then continues with another coroutine that can run. A
 * switch between coroutines requires no system call.
 */
#ifndef GMI_COROUTINE_H
#define GMI_COROUTINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct gmi_coroutine gmi_coroutine_t;

/** Stack of each coroutine. */
typedef struct gmi_stack {
    size_t bytes;
    int is_executable; /* 1: the stack may contain code */
} gmi_stack_t;

/** Called when a coroutine begins or continues to run (is_entered: 1), and when
 *  it ceases to run (0). */
typedef void gmi_switch_fn(void *context, int is_entered);

/**
 * Create coroutines.
 * @param [in] count        number of coroutines
 * @param [in] stack        size and access rights of a stack, whose memory is
 *                          allocated only when it is first accessed
 * @param [in] contexts     argument of the functions for each coroutine
 * @param [in] run          function of the coroutines, which must not return
 * @param [in] on_switch    called at every switch; may be NULL
 * @return 0, or -1 with errno if there is not enough address space
 */
int gmi_coroutine_create(unsigned count, gmi_stack_t stack,
                         void *const *contexts, void (*run)(void *context),
                         gmi_switch_fn *on_switch);

/** Run all coroutines until all of them have ended. The coroutines start in the
 *  order of their creation. */
void gmi_coroutine_run_all(void);

/** Let other coroutines run while *word equals seen, or until the time
 *  limit. The caller must be a coroutine.
 *  @param [in] limit_ns  longest real time of the wait, which can also end
 *  earlier; 0: no limit */
void gmi_coroutine_wait(const uint32_t *word, uint32_t seen, uint64_t limit_ns);

/** Let all coroutines that wait for this word continue. */
void gmi_coroutine_wake(const uint32_t *word);

/** Let all other coroutines that can run continue first. */
void gmi_coroutine_yield(void);

/** End the calling coroutine. */
void gmi_coroutine_end(void) __attribute__((noreturn));

/** Return 1 if the caller is a coroutine; 0 if the caller is the main program
 *  or another thread. */
int gmi_coroutine_is_current(void);

#endif
