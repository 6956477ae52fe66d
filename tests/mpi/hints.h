/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * hints.h - implements functions for tests of hints, which set pairs of strings
 * and read single values.
 */
#ifndef TESTS_MPI_HINTS_H
#define TESTS_MPI_HINTS_H

#include "check.h"

#include <stdarg.h>
#include <string.h>

/** Call MPI_Comm_set_info() with pairs of keys and values. The list ends with
 * NULL. */
static inline void hint(MPI_Comm comm, ...)
{
    MPI_Info info;
    va_list args;

    MPI_Info_create(&info);
    va_start(args, comm);
    for (const char *key = va_arg(args, const char *); key != NULL;
         key = va_arg(args, const char *)) {
        MPI_Info_set(info, key, va_arg(args, const char *));
    }
    va_end(args);
    CHECK(MPI_Comm_set_info(comm, info) == MPI_SUCCESS, "MPI_Comm_set_info");
    MPI_Info_free(&info);
}

/**
 * Return the value that MPI_Comm_get_info() returns for the key, or "" if the
 * key is absent. The value is valid until the next call.
 */
static inline const char *hint_of(MPI_Comm comm, const char *key)
{
    static char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int found;

    MPI_Comm_get_info(comm, &info);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    return found ? value : "";
}

#define CHECK_HINT(_comm, _key, _value)                                        \
    CHECK(strcmp(hint_of(_comm, _key), _value) == 0, "%s: '%s', not '%s'",     \
          _key, hint_of(_comm, _key), _value)

#endif
