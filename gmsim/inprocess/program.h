/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Loads one copy of a program and of its private libraries for every rank. A
 * library is private if it is part of gmqos, needs a private library, or keeps
 * global state of a program (the run-time libraries of C++, Fortran and
 * OpenMP). All ranks share the other libraries.
 */
#ifndef GMI_PROGRAM_H
#define GMI_PROGRAM_H

#include <stdint.h>

#include "inprocess/image.h"

typedef struct gmi_program gmi_program_t;

/**
 * Find the program, as the shell does, and the libraries that it needs.
 * @param [out] error  the reason of a failure
 * @return the program, which is never released; NULL after a failure
 */
gmi_program_t *gmi_program_open(const char *name, char error[GMI_ERROR_LEN]);

/** Return the program itself. */
const gmi_image_t *gmi_program_image(const gmi_program_t *program);

/** Return the number of bytes of thread-local memory that the dynamic linker must
 *  have reserved for each copy at the start of the process. */
size_t gmi_program_static_bytes(const gmi_program_t *program);

/** A loaded copy. */
typedef struct gmi_copy {
    void *handle;        /* result of dlopen() */
    void (*entry)(void); /* first instruction of the program */
} gmi_copy_t;

/** Return the address of a program's own instance of a library's variable, or
 *  NULL if the program has none. */
void *gmi_program_variable(const gmi_program_t *program, const gmi_copy_t *copy,
                           const char *name);

/**
 * Load the copy of a rank. The constructors of the program run in this
 * function.
 * @param [out] error  the reason of a failure
 * @return 0 or -1
 */
int gmi_program_load(gmi_program_t *program, unsigned rank, gmi_copy_t *copy,
                     char error[GMI_ERROR_LEN]);

/**
 * Load a library for a rank that has called dlopen().
 * @param [in]  flags         flags of the call of dlopen()
 * @param [out] is_private_p  0: the library is not private, and the caller must
 *   load it
 * @return the handle, or NULL if the library is not private or cannot be loaded
 */
void *gmi_program_load_library(gmi_program_t *program, unsigned rank,
                               const gmi_copy_t *copy, const char *name,
                               int flags, int *is_private_p);

/** Addresses of a loaded library. */
typedef struct gmi_range {
    uintptr_t begin, end;
} gmi_range_t;

/** Store the addresses of a rank's libraries of gmqos. @return their number */
unsigned gmi_program_ranges(const gmi_program_t *program, unsigned rank,
                            const void *handle, gmi_range_t *ranges,
                            unsigned most);

/** Return 1 if a private object of the rank contains the address. */
int gmi_program_contains(const gmi_program_t *program, unsigned rank,
                         const void *handle, const void *address);

/** Return 1 if a private object needs a stack whose contents can be executed. */
int gmi_program_executes_stack(const gmi_program_t *program);

/** Run the destructors of a copy, which remains loaded. */
void gmi_program_finish(const gmi_program_t *program, unsigned rank,
                        const gmi_copy_t *copy);

#endif
