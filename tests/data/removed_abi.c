/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls the functions of MPI 1 that MPI 3.0 removed, in a program for the standard
 * ABI. The header of the ABI does not declare these functions.
 */
#include <mpi.h>

#include <stdio.h>

int MPI_Address(void *location, MPI_Aint *address);
int MPI_Errhandler_create(MPI_Comm_errhandler_function *function,
                          MPI_Errhandler *errhandler);
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler);
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler);
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent);
int MPI_Type_hindexed(int count, int *lengths, MPI_Aint *displacements,
                      MPI_Datatype oldtype, MPI_Datatype *newtype);
int MPI_Type_hvector(int count, int length, MPI_Aint stride,
                     MPI_Datatype oldtype, MPI_Datatype *newtype);
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *displacement);
int MPI_Type_struct(int count, int *lengths, MPI_Aint *displacements,
                    MPI_Datatype *types, MPI_Datatype *newtype);
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *displacement);

static int errors, calls;

static void check(int ok, const char *what)
{
    if (!ok) {
        printf("%s\n", what);
        ++errors;
    }
}

static void count_call(MPI_Comm *comm, int *code, ...)
{
    int class;

    MPI_Error_class(*code, &class);
    check(*comm == MPI_COMM_SELF, "communicator of the error handler");
    check(class == MPI_ERR_RANK, "class of the error");
    ++calls;
}

static void check_size(MPI_Datatype type, int expected, const char *what)
{
    int size = -1;

    MPI_Type_commit(&type);
    MPI_Type_size(type, &size);
    check(size == expected, what);
    MPI_Type_free(&type);
}

static void check_types(void)
{
    struct {
        double d;
        int i[3];
    } value;
    int lengths[2] = {1, 3};
    MPI_Aint displacements[2], lower = -1, upper = -1, extent = -1;
    MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT}, type;

    MPI_Address(&value.d, &displacements[0]);
    MPI_Address(&value.i, &displacements[1]);
    displacements[1] -= displacements[0];
    displacements[0] = 0;
    check(displacements[1] == sizeof(double), "MPI_Address");
    MPI_Type_struct(2, lengths, displacements, types, &type);
    MPI_Type_lb(type, &lower);
    MPI_Type_ub(type, &upper);
    MPI_Type_extent(type, &extent);
    check(lower == 0 && upper == 24 && extent == 24, "bounds");
    check_size(type, 20, "MPI_Type_struct");
    MPI_Type_hindexed(2, lengths, displacements, MPI_DOUBLE, &type);
    check_size(type, 32, "MPI_Type_hindexed");
    MPI_Type_hvector(3, 2, 64, MPI_FLOAT, &type);
    check_size(type, 24, "MPI_Type_hvector");
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler, found;

    MPI_Init(&argc, &argv);
    check_types();
    MPI_Errhandler_create(count_call, &handler);
    MPI_Errhandler_set(MPI_COMM_SELF, handler);
    MPI_Errhandler_get(MPI_COMM_SELF, &found);
    check(found == handler, "MPI_Errhandler_get");
    MPI_Send(&errors, 1, MPI_INT, 5, 0, MPI_COMM_SELF);
    check(calls == 1, "calls of the error handler");
    MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Errhandler_get(MPI_COMM_SELF, &found);
    check(found == MPI_ERRORS_RETURN, "MPI_ERRORS_RETURN");
    MPI_Finalize();
    if (errors == 0) {
        printf("No Errors\n");
    }
    return errors != 0;
}
