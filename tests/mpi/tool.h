/* SPDX-License-Identifier: BSD-3-Clause */
/** tool.h - gives access to variables of MPI_T by their names. */
#ifndef TESTS_MPI_TOOL_H
#define TESTS_MPI_TOOL_H

#include "check.h"

#include <string.h>

#define TOOL_RANKS 16

typedef unsigned long long tool_count_t;

/** A handle, and the value that was last read through it. */
typedef struct tool_var {
    MPI_T_pvar_handle handle;
    int elements, is_real;
    union {
        tool_count_t count[TOOL_RANKS];
        double real[TOOL_RANKS];
    } is;
} tool_var_t;

static inline void tool_init(void)
{
    int provided;

    CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS,
          "MPI_T_init_thread");
}

/** Return the index of a performance variable in MPI_T, or -1 if there is no
 * such variable. */
static inline int tool_find(const char *name, int *bind, int *var_class,
                            MPI_Datatype *type)
{
    char found[64];
    int n, len, verbosity, readonly, continuous, atomic;
    MPI_T_enum items;

    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; ++i) {
        len = sizeof(found);
        MPI_T_pvar_get_info(i, found, &len, &verbosity, var_class, type, &items,
                            NULL, NULL, bind, &readonly, &continuous, &atomic);
        if (strcmp(found, name) == 0) {
            return i;
        }
    }
    return -1;
}

/** Return a handle of a variable. If the variable belongs to a communicator,
 *  the handle is bound to comm. */
static inline tool_var_t tool_var(MPI_T_pvar_session session, const char *name,
                                  MPI_Comm comm)
{
    tool_var_t var = {.handle = MPI_T_PVAR_HANDLE_NULL};
    int bind = 0, var_class, result;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    int index = tool_find(name, &bind, &var_class, &type);

    CHECK(index >= 0, "%s", name);
    if (index < 0) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    /* the parameter comm no longer exists after this function has returned */
    result = MPI_T_pvar_handle_alloc(session, index,
                                     bind == MPI_T_BIND_MPI_COMM ? &comm : NULL,
                                     &var.handle, &var.elements);
    CHECK(result == MPI_SUCCESS, "%s: %d", name, result);
    CHECK(type == MPI_DOUBLE || type == MPI_UNSIGNED_LONG_LONG, "%s", name);
    var.is_real = (type == MPI_DOUBLE);
    return var;
}

static inline void tool_read(MPI_T_pvar_session session, tool_var_t *var)
{
    int result = MPI_T_pvar_read(session, var->handle, &var->is);

    CHECK(result == MPI_SUCCESS, "%d", result);
}

/** Read the current value of one element. */
static inline tool_count_t tool_count(MPI_T_pvar_session session,
                                      tool_var_t *var, int element)
{
    tool_read(session, var);
    CHECK(!var->is_real && element < var->elements, "element %d", element);
    return var->is.count[element];
}

static inline double tool_real(MPI_T_pvar_session session, tool_var_t *var,
                               int element)
{
    tool_read(session, var);
    CHECK(var->is_real && element < var->elements, "element %d", element);
    return var->is.real[element];
}

/**
 * Create a handle for a control variable, and return the index of the variable.
 * End the test if the variable does not exist.
 */
static inline MPI_T_cvar_handle tool_cvar(const char *name, int *scope)
{
    MPI_T_cvar_handle handle;
    char found[64];
    int n, len, verbosity, bind, count, index = -1;
    MPI_Datatype type;
    MPI_T_enum items;

    MPI_T_cvar_get_num(&n);
    for (int i = 0; i < n; ++i) {
        len = sizeof(found);
        MPI_T_cvar_get_info(i, found, &len, &verbosity, &type, &items, NULL,
                            NULL, &bind, scope);
        if (strcmp(found, name) == 0) {
            index = i;
            break;
        }
    }
    if (index < 0) {
        fprintf(stderr, "no control variable %s\n", name);
        exit(EXIT_FAILURE);
    }
    MPI_T_cvar_handle_alloc(index, NULL, &handle, &count);
    return handle;
}

static inline tool_count_t tool_cvar_value(const char *name)
{
    tool_count_t value = 0;
    int scope;
    MPI_T_cvar_handle handle = tool_cvar(name, &scope);

    MPI_T_cvar_read(handle, &value);
    MPI_T_cvar_handle_free(&handle);
    return value;
}

/** Write a value to a control variable.
 *  @return the status of MPI_T_cvar_write() */
static inline int tool_cvar_write(const char *name, tool_count_t value)
{
    int scope, result;
    MPI_T_cvar_handle handle = tool_cvar(name, &scope);

    result = MPI_T_cvar_write(handle, &value);
    MPI_T_cvar_handle_free(&handle);
    return result;
}

/**
 * Wait until all messages on comm have arrived. When a rank enters the second
 * barrier, it has received everything that was sent before the first barrier.
 */
static inline void tool_settle(MPI_Comm comm)
{
    MPI_Barrier(comm);
    MPI_Barrier(MPI_COMM_WORLD);
}

/**
 * Rank 0 sends count messages to every other rank. The other ranks post their
 * receives before rank 0 sends.
 */
static inline void tool_send(MPI_Comm comm, int count, int length)
{
    MPI_Request *request =
        calloc((size_t)count * (size_t)check_size, sizeof(*request));
    char *buffer = calloc((size_t)count, (size_t)length);
    int n = 0;

    for (int i = 0; i < count && check_rank > 0; ++i) {
        MPI_Irecv(buffer + (size_t)i * (size_t)length, length, MPI_BYTE, 0, 0,
                  comm, &request[n++]);
    }
    for (int i = 0; i < count && check_rank == 0; ++i) {
        for (int rank = 1; rank < check_size; ++rank) {
            MPI_Isend(buffer + (size_t)i * (size_t)length, length, MPI_BYTE,
                      rank, 0, comm, &request[n++]);
        }
    }
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
    free(request);
    free(buffer);
}

#endif
