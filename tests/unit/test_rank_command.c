/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests how gmqos-ranks reads its command line: the program, and the words that
 * records contain.
 */
#include "inprocess/command.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define MOST_WORDS 20

/* Read a command line, and compare the words of the record, which blanks
 * separate, and the position of the program. */
static void check_words(const char *const *words, int program,
                        const char *expected)
{
    char *copies[MOST_WORDS + 1] = {NULL};
    char *text;
    size_t bytes = 0, i;

    for (i = 0; words[i] != NULL; ++i) {
        CU_ASSERT_FATAL(i < MOST_WORDS);
        copies[i] = strdup(words[i]);
    }
    CU_ASSERT_PTR_EQUAL(gmi_command_program(copies), copies + program);
    text = gmi_command_text(copies, &bytes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    CHECK_U64(bytes, strlen(expected) + 1);
    for (i = 0; i + 1 < bytes; ++i) {
        text[i] = text[i] == '\0' ? ' ' : text[i];
    }
    CU_ASSERT_STRING_EQUAL(text, expected);
    free(text);
    for (i = 0; copies[i] != NULL; ++i) {
        free(copies[i]);
    }
}

#define WORDS(...) ((const char *[]){__VA_ARGS__, NULL})

static void test_no_variables(void)
{
    check_words(WORDS("program", "x", "y z"), 0, "program x y z");
}

static void test_variables(void)
{
    check_words(WORDS("-genv", "NAME", "1", "-env", "NAME", "2", "program"), 6,
                "-env NAME 1 -env NAME 2 program");
}

/* The arguments of the program are not options of mpiexec. */
static void test_arguments(void)
{
    check_words(WORDS("-env", "A", "1", "program", "-genv", "B", "2"), 3,
                "-env A 1 program -genv B 2");
}

/* The word -env without a value is the name of a program. */
static void test_incomplete(void)
{
    check_words(WORDS("-env", "A"), 0, "-env A");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"no variables", test_no_variables},
        {"variables", test_variables},
        {"arguments that look like variables", test_arguments},
        {"an incomplete variable", test_incomplete},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"command of gmqos-ranks", NULL, NULL, NULL, NULL, tests});
}
