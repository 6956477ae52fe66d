/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * This header is private to program.c and copies.c. It declares the list of a
 * program's objects.
 */
#ifndef GMI_PROGRAM_INT_H
#define GMI_PROGRAM_INT_H

#include "inprocess/program.h"

#define GMI_MOST_OBJECTS 256u

struct gmi_program {
    gmi_image_t objects[GMI_MOST_OBJECTS]; /* [0]: the program */
    unsigned count;
    unsigned
        start_count; /* number of objects that are loaded with the program */
    /* indices of the objects; every object precedes the objects that it
     * needs */
    unsigned order[GMI_MOST_OBJECTS];
};

/* Return the library that a program loads by dlopen(), or NULL if its file
 * was not found. The search covers the given path, or the directories of
 * the private libraries. */
gmi_image_t *gmi_program_find(gmi_program_t *program, const char *name);

#endif
