/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces malloc(), calloc() and realloc() with functions that fail after a
 * given number of calls. A loop repeats a test with more and more permitted
 * calls until the test succeeds.
 */
#include "starve.h"

#include <limits.h>
#include <stdlib.h>

#include "unit.h"

void *__real_malloc(size_t length);
void *__real_calloc(size_t count, size_t length);
void *__real_realloc(void *block, size_t length);
void *__wrap_malloc(size_t length);
void *__wrap_calloc(size_t count, size_t length);
void *__wrap_realloc(void *block, size_t length);

unsigned starve_left = UINT_MAX;

static int is_allowed(void)
{
    if (starve_left == 0) {
        return 0;
    }
    if (starve_left != UINT_MAX) {
        --starve_left;
    }
    return 1;
}

void *__wrap_malloc(size_t length)
{
    return is_allowed() ? __real_malloc(length) : NULL;
}

void *__wrap_calloc(size_t count, size_t length)
{
    return is_allowed() ? __real_calloc(count, length) : NULL;
}

void *__wrap_realloc(void *block, size_t length)
{
    return is_allowed() ? __real_realloc(block, length) : NULL;
}

unsigned starve(int (*body)(void))
{
    unsigned allowed;
    int done = 0;

    for (allowed = 0; !done && allowed < 100; ++allowed) {
        starve_left = allowed;
        done = body();
        CU_ASSERT_TRUE(!done || starve_left == 0);
        starve_left = UINT_MAX;
    }
    CU_ASSERT_TRUE(done);
    return allowed - 1;
}
