/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints a word in colour. Colours are used only if the output is a terminal
 * and neither NO_COLOR nor TERM=dumb is set.
 */
#include "tool/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int gms_colour_is_wanted(FILE *file)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return (no == NULL || no[0] == '\0') && term != NULL &&
           strcmp(term, "dumb") != 0 && isatty(fileno(file));
}

void gms_colour_print(FILE *file, gms_colour_t colour, int width,
                      const char *text)
{
    static const char *const codes[] = {
        [GMS_COLOUR_GOOD] = "\033[32m",
        [GMS_COLOUR_NOTE] = "\033[33m",
        [GMS_COLOUR_BAD] = "\033[1;31m",
    };

    if (colour == GMS_COLOUR_NONE || !gms_colour_is_wanted(file)) {
        fprintf(file, "%-*s", width, text);
    } else {
        fprintf(file, "%s%-*s\033[0m", codes[colour], width, text);
    }
}
