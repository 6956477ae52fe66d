/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Lists the libraries of gmqos that a rank loads. Calls from these libraries
 * read the real clock. If all ranks share one process, every rank has a copy of
 * each of these libraries.
 */
#ifndef CLOCK_OWN_LIBRARIES_H
#define CLOCK_OWN_LIBRARIES_H

#include <stddef.h>
#include <string.h>

/** Return 1 if one of the names is a prefix of the file's name. */
static inline int gms_clock_begins_with(const char *file,
                                        const char *const *names, size_t count)
{
    size_t i;

    for (i = 0; i < count; ++i) {
        if (strncmp(file, names[i], strlen(names[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

/** Return 1 if this is the name of a library of gmqos, with or without a
 *  version.
 *  @param [in] file  name without a directory */
static inline int gms_clock_is_own_library(const char *file)
{
    static const char *const names[] = {
        "libgm.so",        "libmpi.so",     "libmpi_abi.so", "libmpich.so",
        "libmpichfort.so", "libmpifort.so", "libmpiqos.so"};

    return gms_clock_begins_with(file, names, sizeof(names) / sizeof(names[0]));
}

/** Maximum number of these libraries that one rank loads. A program needs only
 *  one of libmpi and libmpi_abi, but a library that it loads may need the other
 *  one. libmpich and libmpichfort are other names of libmpi and libmpifort. */
#define GMS_CLOCK_OWN_LIBRARIES 5

#endif
