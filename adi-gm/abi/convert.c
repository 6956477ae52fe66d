/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts statuses, error codes and arrays, and finds libmpi's functions. */
#include "special.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* libmpi is already loaded as a dependency, so dlopen() only returns its handle. With this handle,
 * dlsym() finds libmpi's own functions. A call by name would reach a function of libmpi_abi
 * instead. */
__attribute__((constructor)) static void abi_bind(void)
{
    void **slots = (void **)&abi_mpi;
    void *libmpi = dlopen(ABI_LIBMPI, RTLD_NOW | RTLD_LOCAL);
    int i;
    for (i = 0; abi_names[i] != NULL; ++i) {
        slots[i] = libmpi != NULL ? dlsym(libmpi, abi_names[i]) : NULL;
        if (slots[i] == NULL) {
            fprintf(stderr,
                    "libmpi_abi: %s; install libmpi_abi and libmpi from one "
                    "version of gmqos\n",
                    dlerror());
            abort();
        }
    }
}

/* ---- error codes ---- */

/* In MPICH, the lowest bits of an error code are its class, unless the program has added the code
 * [source: MPICH 4.0.2, src/include/mpir_err.h, mpir_errcodes.h]. The ABI's error classes for MPI_T
 * are too large for these bits, but MPI_T functions return only classes. */
enum {
    CLASS_MASK = 0x7f,
    DYNAMIC = 0x40000000
};

int abi_out_code(int code)
{
    int class;
    if (code == MPI_SUCCESS)
        return 0;
    if (code & DYNAMIC)
        return code;
    class = abi_out_error(code & CLASS_MASK);
    return class > CLASS_MASK ? class : ((code & ~CLASS_MASK) | class);
}

int abi_in_code(int code)
{
    if (code == 0 || (code & DYNAMIC) || code < 0)
        return code;
    if (code >= ABI_T_ERR_CANNOT_INIT && code <= ABI_T_ERR_PVAR_NO_ATOMIC)
        return abi_in_error(code);
    if ((code & CLASS_MASK) == ABI_ERR_ABI ||
        (code & CLASS_MASK) == ABI_ERR_ERRHANDLER)
        return (code & ~CLASS_MASK) | MPI_ERR_OTHER;
    return (code & ~CLASS_MASK) | abi_in_error(code & CLASS_MASK);
}

/* ---- statuses ---- */

/* This value marks a field that MPICH has not written. ROMIO writes only the count, so the mark in
 * this field is a number that hardly ever occurs as a count. */
enum {
    UNWRITTEN = INT_MIN,
    UNWRITTEN_COUNT = 0x5e3779b9
};

void abi_status_clear(MPI_Status *status)
{
    status->count_lo = UNWRITTEN_COUNT;
    status->count_hi_and_cancelled = 0;
    status->MPI_SOURCE = UNWRITTEN;
    status->MPI_TAG = UNWRITTEN;
    status->MPI_ERROR = UNWRITTEN;
}

void abi_status_in(const ABI_Status *from, MPI_Status *to)
{
    to->MPI_SOURCE = abi_in_rank(from->MPI_SOURCE);
    to->MPI_TAG = abi_in_tag(from->MPI_TAG);
    to->MPI_ERROR = abi_in_code(from->MPI_ERROR);
    to->count_lo = from->MPI_internal[0];
    to->count_hi_and_cancelled = from->MPI_internal[1];
}

void abi_status_out(const MPI_Status *from, ABI_Status *to)
{
    if (from->MPI_ERROR != UNWRITTEN)
        to->MPI_ERROR = abi_out_code(from->MPI_ERROR);
    if (from->MPI_SOURCE != UNWRITTEN)
        to->MPI_SOURCE = abi_out_rank(from->MPI_SOURCE);
    if (from->MPI_TAG != UNWRITTEN)
        to->MPI_TAG = abi_out_tag(from->MPI_TAG);
    if (from->MPI_SOURCE == UNWRITTEN && from->count_lo == UNWRITTEN_COUNT)
        return;
    to->MPI_internal[0] = from->count_lo;
    to->MPI_internal[1] = from->count_hi_and_cancelled;
}

/* ---- arrays ---- */

MPI_Datatype *abi_types_in(const ABI_Datatype *types, MPI_Count n)
{
    MPI_Datatype *copy;
    MPI_Count i;
    if (types == NULL || n <= 0)
        return NULL;
    copy = malloc((size_t)n * sizeof(*copy));
    for (i = 0; copy != NULL && i < n; ++i)
        copy[i] = abi_in_Datatype(types[i]);
    return copy;
}

MPI_Info *abi_infos_in(const ABI_Info *infos, int n)
{
    MPI_Info *copy;
    int i;
    if (infos == NULL || n <= 0)
        return NULL;
    copy = malloc((size_t)n * sizeof(*copy));
    for (i = 0; copy != NULL && i < n; ++i)
        copy[i] = abi_in_Info(infos[i]);
    return copy;
}

void abi_count_peers(MPI_Comm comm, int neighbours, int *n_in, int *n_out)
{
    int kind = MPI_UNDEFINED, is_inter = 0, is_weighted, rank;
    *n_in = *n_out = 0;
    if (comm == MPI_COMM_NULL || comm == (MPI_Comm)ABI_INVALID)
        return;
    if (!neighbours) {
        (void)abi_mpi.Comm_test_inter(comm, &is_inter);
        (void)(is_inter ? abi_mpi.Comm_remote_size(comm, n_out)
                        : abi_mpi.Comm_size(comm, n_out));
        *n_in = *n_out;
        return;
    }
    (void)abi_mpi.Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        (void)abi_mpi.Cartdim_get(comm, n_out);
        *n_in = *n_out *= 2;
    } else if (kind == MPI_GRAPH) {
        (void)abi_mpi.Comm_rank(comm, &rank);
        (void)abi_mpi.Graph_neighbors_count(comm, rank, n_out);
        *n_in = *n_out;
    } else if (kind == MPI_DIST_GRAPH) {
        (void)abi_mpi.Dist_graph_neighbors_count(comm, n_in, n_out,
                                                 &is_weighted);
    }
}

const int *abi_weights_in(const int *weights)
{
    if (weights == ABI_UNWEIGHTED)
        return MPI_UNWEIGHTED;
    if (weights == ABI_WEIGHTS_EMPTY)
        return MPI_WEIGHTS_EMPTY;
    return weights;
}

int *abi_weights_out(int *weights)
{
    if (weights == ABI_UNWEIGHTED)
        return MPI_UNWEIGHTED;
    if (weights == ABI_WEIGHTS_EMPTY)
        return MPI_WEIGHTS_EMPTY;
    return weights;
}
