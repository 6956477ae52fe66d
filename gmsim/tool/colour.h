/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Prints single words of the output in colour. A colour never adds information
 * that the word itself does not contain.
 */
#ifndef TOOL_COLOUR_H
#define TOOL_COLOUR_H

#include <stdio.h>

typedef enum gms_colour {
    GMS_COLOUR_NONE,
    GMS_COLOUR_GOOD,
    GMS_COLOUR_NOTE,
    GMS_COLOUR_BAD
} gms_colour_t;

/** Print a string, padded to at least `width` characters. The string is
 *  coloured if the file is a terminal with colours and NO_COLOR is not set.
 *  [source: no-color.org] */
void gms_colour_print(FILE *file, gms_colour_t colour, int width,
                      const char *text);

#endif
