/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the command line of gmqos-ranks.
 */
#define _GNU_SOURCE
#include "inprocess/command.h"

#include <stdlib.h>
#include <string.h>

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

char **gmi_command_program(char **words)
{
    while (gmi_command_is_variable(words)) {
        words += GMI_VARIABLE_WORDS;
    }
    return words;
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
