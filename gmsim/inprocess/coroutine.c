/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Switches between the stacks of the coroutines, and keeps the queue of the
 * coroutines that can run. Waiting coroutines are in a hash table that is
 * indexed by the address of their word.
 */
#define _GNU_SOURCE
#include "inprocess/coroutine.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/queue.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Size of the guard below a stack; a function with a larger frame could write
 * beyond the guard. [chosen: address space is plentiful, and the guard occupies
 * no memory] */
#define GMI_GUARD_BYTES ((size_t)64 << 20)
/* Number of switches after which the time limits are checked. */
#define GMI_CHECK_SWITCHES 4096u
#define GMI_WAIT_CHAINS    1024u

struct gmi_coroutine {
    void *stack_pointer; /* the saved registers are on the stack */
    void *context;
    int saved_errno;
    int is_waiting;
    const uint32_t *word;
    uint64_t until_ns; /* end of the wait; UINT64_MAX: no limit */
    TAILQ_ENTRY(gmi_coroutine) ready;
    LIST_ENTRY(gmi_coroutine) waits;
};

static struct {
    gmi_coroutine_t *all;
    unsigned count, living, switches;
    gmi_coroutine_t *current;
    pthread_t thread; /* the thread that runs the coroutines */
    void *main_stack_pointer;
    void (*run)(void *context);
    gmi_switch_fn *on_switch;
    TAILQ_HEAD(, gmi_coroutine) ready;
    LIST_HEAD(, gmi_coroutine) waiting[GMI_WAIT_CHAINS];
} gmi;

/* ---- the switch ---------------------------------------------------------- */

/* Save the registers that a called function must preserve (System V ABI),
 * exchange the stacks, and restore the registers of the other coroutine. */
void gmi_coroutine_exchange(void **save, void *stack_pointer);
__asm__(".text\n"
        ".globl gmi_coroutine_exchange\n"
        ".hidden gmi_coroutine_exchange\n"
        ".type gmi_coroutine_exchange, @function\n"
        "gmi_coroutine_exchange:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    addq $8, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size gmi_coroutine_exchange, .-gmi_coroutine_exchange\n");

static void gmi_coroutine_begin(void)
{
    if (gmi.on_switch != NULL) {
        gmi.on_switch(gmi.current->context, 1);
    }
    gmi.run(gmi.current->context);
    abort(); /* the function must not return */
}

/* Build the stack that gmi_coroutine_exchange() expects: control words, six
 * registers, and the address of the first function. The stack is aligned as
 * after a call. */
static void *gmi_coroutine_first_stack(char *end)
{
    uint64_t *top = (uint64_t *)(void *)end;
    unsigned index;

    *--top = 0; /* return address of the first function */
    *--top = (uint64_t)(uintptr_t)gmi_coroutine_begin;
    for (index = 0; index < 6; ++index) {
        *--top = 0;
    }
    --top;
    __asm__ volatile("stmxcsr (%0)\n fnstcw 4(%0)" ::"r"(top) : "memory");
    return top;
}

static void gmi_coroutine_switch_to(gmi_coroutine_t *next)
{
    gmi_coroutine_t *self = gmi.current;

    if (next == self) {
        return;
    }
    if (self != NULL) {
        self->saved_errno = errno;
        if (gmi.on_switch != NULL) {
            gmi.on_switch(self->context, 0);
        }
    }
    gmi.current = next;
    gmi_coroutine_exchange(
        self != NULL ? &self->stack_pointer : &gmi.main_stack_pointer,
        next != NULL ? next->stack_pointer : gmi.main_stack_pointer);
    if (self != NULL) {
        if (gmi.on_switch != NULL) {
            gmi.on_switch(self->context, 1);
        }
        errno = self->saved_errno;
    }
}

/* ---- waiting ------------------------------------------------------------- */

/* Return the real time. The function of the C library could return the
 * simulated time of a rank. */
static uint64_t gmi_now_ns(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static unsigned gmi_chain(const uint32_t *word)
{
    uint64_t address = (uintptr_t)word;

    return (unsigned)((address >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
           GMI_WAIT_CHAINS;
}

static void gmi_make_ready(gmi_coroutine_t *coroutine)
{
    if (coroutine->is_waiting) {
        LIST_REMOVE(coroutine, waits);
        coroutine->is_waiting = 0;
    }
    TAILQ_INSERT_TAIL(&gmi.ready, coroutine, ready);
}

/* Return the waiting coroutine whose time limit expires first, or NULL. */
static gmi_coroutine_t *gmi_first_limit(void)
{
    gmi_coroutine_t *first = NULL;
    unsigned index;

    for (index = 0; index < gmi.count; ++index) {
        gmi_coroutine_t *other = &gmi.all[index];

        if (other->is_waiting &&
            (first == NULL || other->until_ns < first->until_ns)) {
            first = other;
        }
    }
    return first;
}

/* Sleep until the first time limit of a waiting coroutine, and let this
 * coroutine continue. */
static void gmi_await_limit(void)
{
    gmi_coroutine_t *first = gmi_first_limit();
    uint64_t now_ns = gmi_now_ns();

    if (first == NULL || first->until_ns == UINT64_MAX) {
        fprintf(stderr, "mpirun: every rank waits for another rank of the same "
                        "process\n");
        abort();
    }
    if (first->until_ns > now_ns) {
        uint64_t rest_ns = first->until_ns - now_ns;
        struct timespec nap = {.tv_sec = (time_t)(rest_ns / 1000000000u),
                               .tv_nsec = (long)(rest_ns % 1000000000u)};

        syscall(SYS_nanosleep, &nap, NULL);
    }
    gmi_make_ready(first);
}

/* Let a coroutine continue whose limit has expired, although other coroutines can
 * run. */
static void gmi_check_limits(void)
{
    gmi_coroutine_t *first = gmi_first_limit();

    if (first != NULL && first->until_ns != UINT64_MAX &&
        first->until_ns <= gmi_now_ns()) {
        gmi_make_ready(first);
    }
}

/* Continue with the next coroutine that can run. */
static void gmi_coroutine_leave(void)
{
    gmi_coroutine_t *next;

    if (TAILQ_EMPTY(&gmi.ready)) {
        gmi_await_limit();
    } else if (++gmi.switches % GMI_CHECK_SWITCHES == 0) {
        gmi_check_limits();
    }
    next = TAILQ_FIRST(&gmi.ready);
    TAILQ_REMOVE(&gmi.ready, next, ready);
    gmi_coroutine_switch_to(next);
}

void gmi_coroutine_wait(const uint32_t *word, uint32_t seen, uint64_t limit_ns)
{
    gmi_coroutine_t *self = gmi.current;

    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != seen) {
        return;
    }
    self->word = word;
    self->is_waiting = 1;
    self->until_ns = limit_ns != 0 ? gmi_now_ns() + limit_ns : UINT64_MAX;
    LIST_INSERT_HEAD(&gmi.waiting[gmi_chain(word)], self, waits);
    gmi_coroutine_leave();
}

void gmi_coroutine_wake(const uint32_t *word)
{
    gmi_coroutine_t *coroutine = LIST_FIRST(&gmi.waiting[gmi_chain(word)]);

    while (coroutine != NULL) {
        gmi_coroutine_t *next = LIST_NEXT(coroutine, waits);

        if (coroutine->word == word) {
            gmi_make_ready(coroutine);
        }
        coroutine = next;
    }
}

void gmi_coroutine_yield(void)
{
    TAILQ_INSERT_TAIL(&gmi.ready, gmi.current, ready);
    gmi_coroutine_leave();
}

int gmi_coroutine_is_current(void)
{
    return gmi.current != NULL && pthread_equal(pthread_self(), gmi.thread);
}

/* ---- start and end ------------------------------------------------------- */

/* Return the end of a new stack, or NULL. A call with a large frame must not step
 * over the guard below the stack. */
static char *gmi_coroutine_map_stack(gmi_stack_t stack)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (stack.bytes + page - 1) / page * page;
    int protection =
        PROT_READ | PROT_WRITE | (stack.is_executable ? PROT_EXEC : 0);
    char *start =
        mmap(NULL, GMI_GUARD_BYTES + bytes, protection,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

    if (start == MAP_FAILED ||
        mprotect(start, GMI_GUARD_BYTES, PROT_NONE) != 0) {
        return NULL;
    }
    return start + GMI_GUARD_BYTES + bytes;
}

int gmi_coroutine_create(unsigned count, gmi_stack_t stack,
                         void *const *contexts, void (*run)(void *context),
                         gmi_switch_fn *on_switch)
{
    unsigned index;

    gmi.all = calloc(count, sizeof(*gmi.all));
    if (gmi.all == NULL) {
        return -1;
    }
    TAILQ_INIT(&gmi.ready);
    gmi.count = count;
    gmi.run = run;
    gmi.on_switch = on_switch;
    for (index = 0; index < count; ++index) {
        gmi_coroutine_t *coroutine = &gmi.all[index];
        char *end = gmi_coroutine_map_stack(stack);

        if (end == NULL) {
            return -1;
        }
        coroutine->context = contexts[index];
        coroutine->stack_pointer = gmi_coroutine_first_stack(end);
        TAILQ_INSERT_TAIL(&gmi.ready, coroutine, ready);
        ++gmi.living;
    }
    return 0;
}

void gmi_coroutine_run_all(void)
{
    gmi.thread = pthread_self();
    if (gmi.living > 0) {
        gmi_coroutine_leave();
    }
}

void gmi_coroutine_end(void)
{
    if (--gmi.living == 0) {
        gmi_coroutine_switch_to(NULL);
    }
    gmi_coroutine_leave();
    abort(); /* no coroutine switches to a coroutine that has ended */
}
