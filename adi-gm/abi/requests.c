/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions that complete or start several requests. */
#include "special.h"

#include <stdlib.h>

enum {
    FEW = 64
};

/* copies of the arrays in a call, in MPICH's format */
typedef struct {
    int n;
    MPI_Request *requests;
    MPI_Status *statuses;
    MPI_Request few_requests[FEW];
    MPI_Status few_statuses[FEW];
} arrays_t;

/* Convert the arrays of a call. If the arrays are invalid, MPICH receives them unchanged and
 * reports the error. Returns -1 if there is not enough memory. */
static int arrays_begin(arrays_t *a, int n, const ABI_Request *requests,
                        int with_statuses)
{
    int i;
    a->n = n > 0 && requests != NULL ? n : 0;
    a->requests = requests != NULL ? a->few_requests : NULL;
    a->statuses = with_statuses ? a->few_statuses : MPI_STATUSES_IGNORE;
    if (a->n > FEW) {
        a->requests = malloc((size_t)n * sizeof(*a->requests));
        if (with_statuses)
            a->statuses = malloc((size_t)n * sizeof(*a->statuses));
        if (a->requests == NULL || a->statuses == NULL) {
            free(a->requests);
            return -1;
        }
    }
    for (i = 0; i < a->n; ++i) {
        a->requests[i] = abi_in_Request(requests[i]);
        if (with_statuses)
            abi_status_clear(&a->statuses[i]);
    }
    return 0;
}

/* Store the requests and the statuses in the program's arrays. */
static int arrays_end(arrays_t *a, int rc, ABI_Request *requests,
                      ABI_Status *statuses)
{
    int i;
    for (i = 0; i < a->n; ++i) {
        if (requests != NULL)
            requests[i] = abi_out_Request(a->requests[i]);
        if (statuses != NULL)
            abi_status_out(&a->statuses[i], &statuses[i]);
    }
    if (a->n > FEW) {
        free(a->requests);
        if (statuses != NULL)
            free(a->statuses);
    }
    return abi_out_code(rc);
}

ABI_DEFINE(int, Waitall,
           (int count, ABI_Request requests[], ABI_Status statuses[]))
{
    arrays_t a;
    int rc;
    if (arrays_begin(&a, count, requests, statuses != ABI_STATUSES_IGNORE) != 0)
        return ABI_ERR_NO_MEM;
    rc = abi_mpi.Waitall(count, a.requests, a.statuses);
    return arrays_end(&a, rc, requests, statuses);
}

ABI_DEFINE(int, Testall,
           (int count, ABI_Request requests[], int *flag,
            ABI_Status statuses[]))
{
    arrays_t a;
    int rc;
    if (arrays_begin(&a, count, requests, statuses != ABI_STATUSES_IGNORE) != 0)
        return ABI_ERR_NO_MEM;
    rc = abi_mpi.Testall(count, a.requests, flag, a.statuses);
    return arrays_end(&a, rc, requests, statuses);
}

ABI_DEFINE(int, Waitsome,
           (int count, ABI_Request requests[], int *outcount, int indices[],
            ABI_Status statuses[]))
{
    arrays_t a;
    int rc;
    if (arrays_begin(&a, count, requests, statuses != ABI_STATUSES_IGNORE) != 0)
        return ABI_ERR_NO_MEM;
    rc = abi_mpi.Waitsome(count, a.requests, outcount, indices, a.statuses);
    return arrays_end(&a, rc, requests, statuses);
}

ABI_DEFINE(int, Testsome,
           (int count, ABI_Request requests[], int *outcount, int indices[],
            ABI_Status statuses[]))
{
    arrays_t a;
    int rc;
    if (arrays_begin(&a, count, requests, statuses != ABI_STATUSES_IGNORE) != 0)
        return ABI_ERR_NO_MEM;
    rc = abi_mpi.Testsome(count, a.requests, outcount, indices, a.statuses);
    return arrays_end(&a, rc, requests, statuses);
}

/* Waitany and Testany have a single status, which is not an element of an array. */
static int arrays_end_any(arrays_t *a, int rc, ABI_Request *requests,
                          const MPI_Status *status, ABI_Status *abi_status)
{
    if (abi_status != ABI_STATUS_IGNORE)
        abi_status_out(status, abi_status);
    return arrays_end(a, rc, requests, NULL);
}

ABI_DEFINE(int, Waitany,
           (int count, ABI_Request requests[], int *index, ABI_Status *status))
{
    arrays_t a;
    MPI_Status one;
    int rc;
    if (arrays_begin(&a, count, requests, 0) != 0)
        return ABI_ERR_NO_MEM;
    abi_status_clear(&one);
    rc =
        abi_mpi.Waitany(count, a.requests, index,
                        status != ABI_STATUS_IGNORE ? &one : MPI_STATUS_IGNORE);
    return arrays_end_any(&a, rc, requests, &one, status);
}

ABI_DEFINE(int, Testany,
           (int count, ABI_Request requests[], int *index, int *flag,
            ABI_Status *status))
{
    arrays_t a;
    MPI_Status one;
    int rc;
    if (arrays_begin(&a, count, requests, 0) != 0)
        return ABI_ERR_NO_MEM;
    abi_status_clear(&one);
    rc =
        abi_mpi.Testany(count, a.requests, index, flag,
                        status != ABI_STATUS_IGNORE ? &one : MPI_STATUS_IGNORE);
    return arrays_end_any(&a, rc, requests, &one, status);
}

ABI_DEFINE(int, Startall, (int count, ABI_Request requests[]))
{
    arrays_t a;
    int rc;
    if (arrays_begin(&a, count, requests, 0) != 0)
        return ABI_ERR_NO_MEM;
    rc = abi_mpi.Startall(count, a.requests);
    return arrays_end(&a, rc, requests, NULL);
}
