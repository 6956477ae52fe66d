/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the coroutines that run the ranks of a job in one process: the order of
 * turns, waiting, time limits, and the state that each coroutine keeps.
 */
#include "inprocess/coroutine.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define STACK_BYTES ((size_t)256 << 10)

typedef struct actor {
    char name;
    int is_inside;
} actor_t;

static char
    text[256]; /* letters of the coroutines in the order of their turns */
static uint32_t words[2];
static int switches;

static void say(const actor_t *actor)
{
    size_t length = strlen(text);

    text[length] = actor->name;
    text[length + 1] = '\0';
}

static void count_switch(void *context, int is_entered)
{
    actor_t *actor = context;

    CU_ASSERT_EQUAL(actor->is_inside, !is_entered);
    actor->is_inside = is_entered;
    ++switches;
}

/* Run coroutines with the names A, B and C until all have ended. The coroutines
 * of a process are created only once, so each test runs in a child process. */
static void run(void (*function)(void *context))
{
    static actor_t actors[3] = {{'A', 0}, {'B', 0}, {'C', 0}};
    void *contexts[3] = {&actors[0], &actors[1], &actors[2]};

    CU_ASSERT_EQUAL(gmi_coroutine_is_current(), 0);
    CU_ASSERT_EQUAL_FATAL(
        gmi_coroutine_create(3, (gmi_stack_t){.bytes = STACK_BYTES}, contexts,
                             function, count_switch),
        0);
    gmi_coroutine_run_all();
    CU_ASSERT_EQUAL(gmi_coroutine_is_current(), 0);
}

/* Call a test in a child process, and report its failures. */
static void in_child(void (*test)(void))
{
    int status = 0;
    pid_t child;

    fflush(NULL);
    child = fork();
    if (child == 0) {
        test();
        _exit(CU_get_number_of_failures() > 0);
    }
    CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
    CU_ASSERT_EQUAL(status, 0);
}

/* ---- turns ----------------------------------------------------------------- */

static void yield_twice(void *context)
{
    int i;

    for (i = 0; i < 3; ++i) {
        CU_ASSERT_EQUAL(gmi_coroutine_is_current(), 1);
        say(context);
        gmi_coroutine_yield();
    }
    gmi_coroutine_end();
}

static void check_turns(void)
{
    run(yield_twice);
    CU_ASSERT_STRING_EQUAL(text, "ABCABCABC");
    /* each coroutine has four turns; the end of its last turn is not reported,
     * because the coroutine does not continue */
    CU_ASSERT(switches >= 3 * (4 + 3));
}

static void test_turns(void)
{
    in_child(check_turns);
}

/* ---- waiting --------------------------------------------------------------- */

/* A waits for word 0, B for word 1, and C changes word 1 before word 0. */
static void wait_for_words(void *context)
{
    const actor_t *actor = context;
    int i;

    say(actor);
    if (actor->name == 'C') {
        for (i = 1; i >= 0; --i) {
            words[i] = 1;
            gmi_coroutine_wake(&words[i]);
        }
        say(actor);
        gmi_coroutine_wait(&words[0], 0, 0); /* returns at once */
        say(actor);
    } else {
        gmi_coroutine_wait(&words[actor->name - 'A'], 0, 0);
        CU_ASSERT_EQUAL(words[actor->name - 'A'], 1);
        say(actor);
    }
    gmi_coroutine_end();
}

static void check_words(void)
{
    run(wait_for_words);
    CU_ASSERT_STRING_EQUAL(text, "ABCCCBA");
}

static void test_words(void)
{
    in_child(check_words);
}

/* All coroutines wait for a word that never changes. */
static void wait_for_limit(void *context)
{
    const actor_t *actor = context;

    gmi_coroutine_wait(&words[0], 0, (uint64_t)('D' - actor->name) * 200000000);
    say(actor);
    gmi_coroutine_end();
}

static void check_limits(void)
{
    run(wait_for_limit);
    CU_ASSERT_STRING_EQUAL(text, "CBA");
}

static void test_limits(void)
{
    in_child(check_limits);
}

/* ---- state ----------------------------------------------------------------- */

static void keep_state(void *context)
{
    const actor_t *actor = context;
    const int modes[3] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    int mode = modes[actor->name - 'A'];
    volatile char large[STACK_BYTES / 2];
    volatile double one = 1, three = 3, third;
    int i;

    fesetround(mode); /* sets the control words of both units */
    third = -one / three;
    for (i = 0; i < 4; ++i) {
        errno = actor->name;
        large[0] = large[sizeof(large) - 1] = actor->name;
        gmi_coroutine_yield();
        CU_ASSERT_EQUAL(errno, actor->name);
        CU_ASSERT_EQUAL(fegetround(), mode);
        CU_ASSERT(-one / three == third);
        CU_ASSERT_EQUAL(large[0], actor->name);
        CU_ASSERT_EQUAL(large[sizeof(large) - 1], actor->name);
    }
    gmi_coroutine_end();
}

static void check_state(void)
{
    run(keep_state);
}

static void test_state(void)
{
    in_child(check_state);
}

static void *ask(void *result)
{
    *(int *)result = gmi_coroutine_is_current();
    return NULL;
}

static void start_thread(void *context)
{
    int result = -1;
    pthread_t thread;

    (void)context;
    pthread_create(&thread, NULL, ask, &result);
    pthread_join(thread, NULL);
    CU_ASSERT_EQUAL(result, 0);
    gmi_coroutine_end();
}

static void check_threads(void)
{
    run(start_thread);
}

static void test_threads(void)
{
    in_child(check_threads);
}

int main(void)
{
    CU_TestInfo turns[] = {
        {"turns", test_turns},
        {"a coroutine waits for a word to change", test_words},
        {"time limits", test_limits},
        CU_TEST_INFO_NULL,
    };
    CU_TestInfo state[] = {
        {"state of a coroutine", test_state},
        {"threads that are not coroutines", test_threads},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"turns", NULL, NULL, NULL, NULL, turns},
                    {"state", NULL, NULL, NULL, NULL, state});
}
