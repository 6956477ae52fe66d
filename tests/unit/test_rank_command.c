/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests how gmqos-ranks reads its command line: the variables that it sets, and
 * the words that records contain.
 */
#define _GNU_SOURCE
#include "inprocess/command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

#define MOST_WORDS 20

static char here[2 * PATH_MAX]; /* absolute path of "file" */

static void start(void)
{
    char directory[PATH_MAX];

    unsetenv("GMSIM_CLUSTER");
    unsetenv("GMSIM_RECORD");
    unsetenv("NAME");
    if (getcwd(directory, sizeof(directory)) == NULL) {
        abort();
    }
    snprintf(here, sizeof(here), "%s/file", directory);
}

/* Read a command line, and compare the words of the record, which blanks
 * separate. The last word is the program. */
static void check_words(const char *const *words, const char *expected)
{
    char *list[MOST_WORDS + 1] = {NULL};
    char *copies[MOST_WORDS + 1] = {NULL};
    char **program;
    char *text;
    size_t bytes = 0, i;

    for (i = 0; words[i] != NULL; ++i) {
        CU_ASSERT_FATAL(i < MOST_WORDS);
        list[i] = strdup(words[i]);
        copies[i] = list[i];
    }
    program = gmi_command_set_variables(list);
    CU_ASSERT_PTR_NOT_NULL_FATAL(program);
    CU_ASSERT_STRING_EQUAL(program[0], "program");
    text = gmi_command_text(list, &bytes);
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

static void check_value(const char *name, const char *expected)
{
    const char *value = getenv(name);

    CU_ASSERT_PTR_NOT_NULL_FATAL(value);
    if (strcmp(value, expected) != 0) {
        printf("\n    %s is %s, expected %s\n", name, value, expected);
    }
    CU_ASSERT_STRING_EQUAL(value, expected);
}

#define WORDS(...) ((const char *[]){__VA_ARGS__, NULL})

static void test_user_variables(void)
{
    check_words(WORDS("-genv", "NAME", "1", "-env", "NAME", "2", "-env",
                      "GMSIM_RECORD", "run", "program", "-env", "x", "y"),
                "-env NAME 1 -env NAME 2 -env GMSIM_RECORD run program -env x "
                "y");
    check_value("NAME", "2");
    check_value("GMSIM_RECORD", "run");
}

/* mpiexec appends the absolute path of a file that the environment names. */
static void test_same_directory(void)
{
    setenv("GMSIM_CLUSTER", "file", 1);
    check_words(
        WORDS("-env", "NAME", "1", "-env", "GMSIM_CLUSTER", here, "program"),
        "-env NAME 1 program");
    check_value("GMSIM_CLUSTER", "file");
}

static void test_other_directory(void)
{
    setenv("GMSIM_CLUSTER", "file", 1);
    check_words(WORDS("-env", "GMSIM_CLUSTER", "/other/file", "program"),
                "program");
    check_value("GMSIM_CLUSTER", "/other/file");
    /* gmqos-ranks may execute itself again, with the remaining words */
    check_words(WORDS("program"), "program");
    check_value("GMSIM_CLUSTER", "/other/file");
}

static void test_global_variable(void)
{
    setenv("GMSIM_CLUSTER", "unused", 1);
    check_words(WORDS("-genv", "GMSIM_CLUSTER", "file", "-env", "GMSIM_CLUSTER",
                      here, "program"),
                "-env GMSIM_CLUSTER file program");
    check_value("GMSIM_CLUSTER", "file");
    check_words(WORDS("-genv", "GMSIM_CLUSTER", "file", "-env", "GMSIM_CLUSTER",
                      "/other/file", "program"),
                "-env GMSIM_CLUSTER /other/file program");
    check_value("GMSIM_CLUSTER", "/other/file");
}

/* An option has precedence over the environment. */
static void test_option_and_environment(void)
{
    setenv("GMSIM_RECORD", "file", 1);
    check_words(WORDS("-env", "GMSIM_RECORD", "run", "-env", "GMSIM_RECORD",
                      "/other/file", "program"),
                "-env GMSIM_RECORD run program");
    check_value("GMSIM_RECORD", "run");
}

/* Paths that only look like an appended path belong to the user. */
static void test_not_appended(void)
{
    setenv("GMSIM_CLUSTER", "file", 1);
    check_words(WORDS("-env", "GMSIM_CLUSTER", "/other/profile", "program"),
                "-env GMSIM_CLUSTER /other/profile program");
    setenv("GMSIM_CLUSTER", "/first/file", 1);
    check_words(WORDS("-env", "GMSIM_CLUSTER", "/other/first/file", "program"),
                "-env GMSIM_CLUSTER /other/first/file program");
    setenv("NAME", "file", 1);
    check_words(WORDS("-env", "NAME", "/other/file", "program"),
                "-env NAME /other/file program");
    check_value("NAME", "/other/file");
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"variables of the user", test_user_variables},
        {"appended variables, same directory", test_same_directory},
        {"appended variables, other directory", test_other_directory},
        {"appended value of a global variable", test_global_variable},
        {"an option replaces the environment", test_option_and_environment},
        {"variables that mpiexec has not appended", test_not_appended},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"command of gmqos-ranks", NULL, NULL, start, NULL, tests});
}
