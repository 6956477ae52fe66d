/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the command line of gmqos-ranks. If a variable of gmqos contains a
 * relative path, mpiexec appends the variable with the absolute path, because
 * the ranks may have another working directory. Appended variables are not part
 * of the user's command.
 */
#define _GNU_SOURCE
#include "inprocess/command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GMI_VARIABLE_WORDS 3

static int gmi_command_is(char **words, const char *option)
{
    return words[0] != NULL && words[1] != NULL && words[2] != NULL &&
           strcmp(words[0], option) == 0;
}

static int gmi_command_is_variable(char **words)
{
    return gmi_command_is(words, "-env") || gmi_command_is(words, "-genv");
}

/* Return 1 if mpiexec appends absolute paths of this variable
 * (adi-gm/launcher/mpiexec_options.c). */
static int gmi_command_is_path(const char *name)
{
    static const char *const names[] = {"GMSIM_CLUSTER", "GMSIM_DISPATCH",
                                        "GMSIM_RECORD", "MPIQOS_POLICY",
                                        "MPIQOS_REPORT"};
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        if (strcmp(name, names[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Return the last option -genv before `end` that sets the variable, or NULL. */
static char **gmi_command_find_global(char **words, char **end,
                                      const char *name)
{
    char **found = NULL;

    for (; words < end; words += GMI_VARIABLE_WORDS) {
        if (gmi_command_is(words, "-genv") && strcmp(words[1], name) == 0) {
            found = words;
        }
    }
    return found;
}

/* Return 1 if `path` is the absolute path of a relative path. */
static int gmi_command_is_absolute_of(const char *path, const char *relative)
{
    size_t length = strlen(path);
    size_t end = relative != NULL ? strlen(relative) : 0;

    return end > 0 && relative[0] != '/' && path[0] == '/' && length > end &&
           path[length - end - 1] == '/' &&
           strcmp(path + length - end, relative) == 0;
}

/* Return 1 if the working directory contains the relative path. */
static int gmi_command_is_here(const char *path, const char *relative)
{
    char directory[PATH_MAX];
    size_t length = strlen(path) - strlen(relative) - 1;

    return getcwd(directory, sizeof(directory)) != NULL &&
           strlen(directory) == length && strncmp(path, directory, length) == 0;
}

/* If mpiexec has appended the variable `at`, apply the absolute path where the
 * relative path does not lead to the file.
 * @return 1 if mpiexec has appended the variable, -1 if there is no memory */
static int gmi_command_resolve(char **words, char **at)
{
    char **global = gmi_command_find_global(words, at, at[1]);
    const char *relative = global != NULL ? global[2] : getenv(at[1]);

    if (!gmi_command_is(at, "-env") || !gmi_command_is_path(at[1]) ||
        !gmi_command_is_absolute_of(at[2], relative)) {
        return 0;
    }
    if (gmi_command_is_here(at[2], relative)) {
        return 1;
    }
    if (global != NULL) {
        global[2] = at[2];
    } else if (setenv(at[1], at[2], 1) != 0) { /* before the user's options */
        return -1;
    }
    return 1;
}

static void gmi_command_remove(char **at)
{
    char **next = at + GMI_VARIABLE_WORDS;

    do {
        *at++ = *next;
    } while (*next++ != NULL);
}

char **gmi_command_set_variables(char **words)
{
    char **at = words;

    while (gmi_command_is_variable(at)) {
        int is_appended = gmi_command_resolve(words, at);

        if (is_appended < 0) {
            return NULL;
        }
        if (is_appended) {
            gmi_command_remove(at);
        } else {
            at += GMI_VARIABLE_WORDS;
        }
    }
    for (at = words; gmi_command_is_variable(at); at += GMI_VARIABLE_WORDS) {
        if (setenv(at[1], at[2], 1) != 0) {
            return NULL;
        }
    }
    return at;
}

char *gmi_command_text(char **words, size_t *bytes_p)
{
    size_t bytes = 0;
    char *text, *end;
    char **at;

    for (at = words; *at != NULL; ++at) {
        bytes += strlen(*at) + 1;
    }
    text = end = malloc(bytes);
    if (text == NULL) {
        return NULL;
    }
    /* records contain -env instead of -genv */
    for (; gmi_command_is_variable(words); words += GMI_VARIABLE_WORDS) {
        end = stpcpy(end, "-env") + 1;
        end = stpcpy(end, words[1]) + 1;
        end = stpcpy(end, words[2]) + 1;
    }
    for (; *words != NULL; ++words) {
        end = stpcpy(end, *words) + 1;
    }
    *bytes_p = (size_t)(end - text);
    return text;
}
