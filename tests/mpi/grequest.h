/* SPDX-License-Identifier: BSD-3-Clause */
/** grequest.h - implements callbacks of generalized requests that have no
 *  data. */
#ifndef TESTS_MPI_GREQUEST_H
#define TESTS_MPI_GREQUEST_H

#include <mpi.h>

static inline int on_query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static inline int on_free(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static inline int on_cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

#endif
