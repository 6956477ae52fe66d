/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of MPI 1 that MPI 3.0 removed. The standard ABI does not contain these functions and
 * mpi.h does not declare them, but old programs still call them, and libmpi has functions with the
 * same names. Without the functions of this file, the dynamic linker would pass such calls to
 * libmpi, which does not know the handles of the ABI. libmpi_abi of MPICH 5.0 has the same
 * functions. */
#include "special.h"

#include <stdlib.h>

ABI_DEFINE(int, Address, (void *location, MPI_Aint *address))
{
    return abi_out_code(abi_mpi.Get_address(location, address));
}

/* ---- datatypes ---- */

ABI_DEFINE(int, Type_extent, (ABI_Datatype type, MPI_Aint *extent))
{
    MPI_Aint lower;
    return abi_out_code(
        abi_mpi.Type_get_extent(abi_in_Datatype(type), &lower, extent));
}

ABI_DEFINE(int, Type_lb, (ABI_Datatype type, MPI_Aint *displacement))
{
    MPI_Aint extent;
    return abi_out_code(
        abi_mpi.Type_get_extent(abi_in_Datatype(type), displacement, &extent));
}

ABI_DEFINE(int, Type_ub, (ABI_Datatype type, MPI_Aint *displacement))
{
    MPI_Aint lower = 0, extent = 0;
    int rc = abi_mpi.Type_get_extent(abi_in_Datatype(type), &lower, &extent);
    if (rc == MPI_SUCCESS)
        *displacement = lower + extent;
    return abi_out_code(rc);
}

ABI_DEFINE(int, Type_hvector,
           (int count, int length, MPI_Aint stride, ABI_Datatype oldtype,
            ABI_Datatype *newtype))
{
    MPI_Datatype m = MPI_DATATYPE_NULL;
    int rc = abi_mpi.Type_create_hvector(count, length, stride,
                                         abi_in_Datatype(oldtype),
                                         newtype != NULL ? &m : NULL);
    if (rc == MPI_SUCCESS)
        *newtype = abi_out_Datatype(m);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Type_hindexed,
           (int count, const int lengths[], const MPI_Aint displacements[],
            ABI_Datatype oldtype, ABI_Datatype *newtype))
{
    MPI_Datatype m = MPI_DATATYPE_NULL;
    int rc = abi_mpi.Type_create_hindexed(count, lengths, displacements,
                                          abi_in_Datatype(oldtype),
                                          newtype != NULL ? &m : NULL);
    if (rc == MPI_SUCCESS)
        *newtype = abi_out_Datatype(m);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Type_struct,
           (int count, const int lengths[], const MPI_Aint displacements[],
            const ABI_Datatype types[], ABI_Datatype *newtype))
{
    MPI_Datatype *m_types = abi_types_in(types, count);
    MPI_Datatype m = MPI_DATATYPE_NULL;
    int rc = abi_mpi.Type_create_struct(count, lengths, displacements, m_types,
                                        newtype != NULL ? &m : NULL);
    free(m_types);
    if (rc == MPI_SUCCESS)
        *newtype = abi_out_Datatype(m);
    return abi_out_code(rc);
}

/* ---- error handlers ---- */

ABI_DEFINE(int, Errhandler_create,
           (ABI_Comm_errhandler_function * function,
            ABI_Errhandler *errhandler))
{
    MPI_Errhandler m = MPI_ERRHANDLER_NULL;
    MPI_Comm_errhandler_function *f = abi_comm_errhandler(function);
    int rc =
        function != NULL && f == NULL
            ? MPI_ERR_NO_MEM
            : abi_mpi.Comm_create_errhandler(f, errhandler != NULL ? &m : NULL);
    if (rc == MPI_SUCCESS)
        *errhandler = abi_out_Errhandler(m);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Errhandler_get, (ABI_Comm comm, ABI_Errhandler *errhandler))
{
    MPI_Errhandler m = MPI_ERRHANDLER_NULL;
    int rc = abi_mpi.Comm_get_errhandler(abi_in_Comm(comm),
                                         errhandler != NULL ? &m : NULL);
    if (rc == MPI_SUCCESS)
        *errhandler = abi_out_Errhandler(m);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Errhandler_set, (ABI_Comm comm, ABI_Errhandler errhandler))
{
    return abi_out_code(abi_mpi.Comm_set_errhandler(
        abi_in_Comm(comm), abi_in_Errhandler(errhandler)));
}
