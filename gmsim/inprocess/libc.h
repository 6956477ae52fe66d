/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the common parts of the files that replace functions of the C
 * library. The dynamic linker searches the main program before the libraries,
 * so the programs of the ranks and all libraries call the replacements. Outside
 * of a rank, the replacements call the C library.
 */
#ifndef GMI_LIBC_H
#define GMI_LIBC_H

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "inprocess/coroutine.h"
#include "inprocess/rank.h"

/* Marks the functions that this program exports. */
#define GMI_API __attribute__((visibility("default")))

/* Define `real`, a pointer to the replaced function of the C library. */
#define GMI_REAL(name)                                                         \
    static __typeof__(name) *real;                                             \
    if (real == NULL) {                                                        \
        *(void **)&real = dlsym(RTLD_NEXT, #name);                             \
    }

/* Return 1 if the caller is a rank: not this program itself, a thread that a
 * program has created, or a process that a rank has forked. */
static inline int gmi_is_rank(void)
{
    return gmi_current != NULL && !gmi_is_child && gmi_coroutine_is_current();
}

/* Return the program's own instance of a variable of the C library, or NULL.
 * Some variables have a second name with two underscores. */
static inline void *gmi_own_variable(const char *name)
{
    char other[32] = "__";
    void *own = gmi_program_variable(gmi_program, &gmi_current->copy, name);

    strncat(other, name, sizeof(other) - strlen(other) - 1);
    return own != NULL
               ? own
               : gmi_program_variable(gmi_program, &gmi_current->copy, other);
}

#endif
