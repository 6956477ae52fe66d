/* SPDX-License-Identifier: BSD-3-Clause */
/* Lets the programs of a job read the simulated clock: names the library that replaces
 * the clock functions (gmsim/clock) in the variable LD_PRELOAD of each rank. */
#include "hydra.h"

#define LIBRARY   "libgmclock.so"
#define DIRECTORY "../lib/gmqos" /* from the directory of mpiexec */

/* Without this option, AddressSanitizer refuses every program that starts with a
 * preloaded library. */
#define ASAN_OPTION "verify_asan_link_order=0"

/* Add a word to the value of a variable. An empty value counts as no value. */
static int add_word(const char *variable, const char *first, const char *last)
{
    const char *value = getenv(variable);
    int has_value = value != NULL && value[0] != '\0';
    size_t size =
        strlen(first) + strlen(last) + (has_value ? strlen(value) : 0) + 2;
    char *text = MPL_malloc(size, MPL_MEM_PM);
    int failed = -1;

    if (text != NULL) {
        snprintf(text, size, "%s%s%s%s%s", first,
                 has_value && first[0] != '\0' ? ":" : "",
                 has_value ? value : "",
                 has_value && last[0] != '\0' ? ":" : "", last);
        failed = setenv(variable, text, 1);
        MPL_free(text);
    }
    return failed;
}

int gml_find_directory(char path[PATH_MAX])
{
    char program[PATH_MAX], relative[PATH_MAX + sizeof(DIRECTORY)];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    char *slash;

    if (length <= 0) {
        return -1;
    }
    program[length] = '\0';
    slash = strrchr(program, '/');
    if (slash == NULL) {
        return -1;
    }
    slash[1] = '\0';
    snprintf(relative, sizeof(relative), "%s" DIRECTORY, program);
    return realpath(relative, path) != NULL ? 0 : -1;
}

/* Name the library in LD_PRELOAD, after the user's libraries. The loader splits
 * LD_PRELOAD at blanks and colons, but LD_LIBRARY_PATH only at colons and semicolons. */
static int name_library(const char *directory)
{
    char path[PATH_MAX + sizeof(LIBRARY)];

    snprintf(path, sizeof(path), "%s/" LIBRARY, directory);
    if (strpbrk(directory, ":;") != NULL || access(path, R_OK) != 0) {
        return -1;
    }
    if (strpbrk(directory, " \t\n") == NULL) {
        return add_word("LD_PRELOAD", "", path);
    }
    return add_word("LD_LIBRARY_PATH", directory, "") != 0 ||
                   add_word("LD_PRELOAD", "", LIBRARY) != 0
               ? -1
               : 0;
}

void gml_preload_clock(int is_first)
{
    const char *clock = getenv("GMSIM_CLOCK"), *given = getenv("LD_PRELOAD");
    char directory[PATH_MAX];

    if ((clock != NULL && strcmp(clock, "real") == 0) ||
        (given != NULL && strstr(given, LIBRARY) != NULL)) {
        return;
    }
    if (gml_find_directory(directory) != 0 || name_library(directory) != 0) {
        if (is_first) {
            fprintf(stderr, "mpiexec: warning: the clock functions of programs "
                            "return real time. " LIBRARY
                            " is not available in the directory " DIRECTORY
                            " (relative to mpiexec), or the path of this "
                            "directory contains a colon or a semicolon\n");
        }
        return;
    }
    (void)add_word("ASAN_OPTIONS", ASAN_OPTION, "");
}
