/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions with arguments whose conversion depends on other arguments. */
#include "special.h"

#include <stdlib.h>
#include <string.h>

/* ---- attributes with predefined keys ---- */

/* MPICH returns the address of an integer value. Return the address of a converted copy of this
 * value. */
static void *abi_rank_attribute(int keyval, void *value)
{
    static int io, host;
    int *copy = keyval == MPI_IO ? &io : &host;
    *copy = abi_out_rank(*(const int *)value);
    return copy;
}

ABI_DEFINE(int, Comm_get_attr,
           (ABI_Comm comm, int keyval, void *value, int *flag))
{
    int key = abi_in_keyval(keyval);
    int rc = abi_mpi.Comm_get_attr(abi_in_Comm(comm), key, value, flag);
    if (rc == MPI_SUCCESS && *flag && (key == MPI_IO || key == MPI_HOST))
        *(void **)value = abi_rank_attribute(key, *(void **)value);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Attr_get, (ABI_Comm comm, int keyval, void *value, int *flag))
{
    int key = abi_in_keyval(keyval);
    int rc = abi_mpi.Attr_get(abi_in_Comm(comm), key, value, flag);
    if (rc == MPI_SUCCESS && *flag && (key == MPI_IO || key == MPI_HOST))
        *(void **)value = abi_rank_attribute(key, *(void **)value);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Win_get_attr, (ABI_Win win, int keyval, void *value, int *flag))
{
    static int values[] = {ABI_WIN_FLAVOR_CREATE,  ABI_WIN_FLAVOR_ALLOCATE,
                           ABI_WIN_FLAVOR_DYNAMIC, ABI_WIN_FLAVOR_SHARED,
                           ABI_WIN_UNIFIED,        ABI_WIN_SEPARATE};
    int key = abi_in_keyval(keyval);
    int rc = abi_mpi.Win_get_attr(abi_in_Win(win), key, value, flag);
    int number;
    size_t i;
    if (rc != MPI_SUCCESS || !*flag ||
        (key != MPI_WIN_CREATE_FLAVOR && key != MPI_WIN_MODEL))
        return abi_out_code(rc);
    number = **(int **)value;
    number =
        key == MPI_WIN_MODEL ? abi_out_model(number) : abi_out_flavor(number);
    for (i = 0; i < sizeof(values) / sizeof(values[0]); ++i) {
        if (values[i] == number)
            *(int **)value = &values[i];
    }
    return 0;
}

/* ---- datatypes ---- */

#define TYPE_CREATE_STRUCT(name, count_t, displacement_t)                      \
    ABI_DEFINE(int, name,                                                      \
               (count_t count, const count_t lengths[],                        \
                const displacement_t displacements[],                          \
                const ABI_Datatype types[], ABI_Datatype *newtype))            \
    {                                                                          \
        MPI_Datatype *m_types = abi_types_in(types, count);                    \
        MPI_Datatype m = MPI_DATATYPE_NULL;                                    \
        int rc = abi_mpi.name(count, lengths, displacements, m_types,          \
                              newtype ? &m : NULL);                            \
        free(m_types);                                                         \
        if (rc == MPI_SUCCESS)                                                 \
            *newtype = abi_out_Datatype(m);                                    \
        return abi_out_code(rc);                                               \
    }
TYPE_CREATE_STRUCT(Type_create_struct, int, MPI_Aint)
TYPE_CREATE_STRUCT(Type_create_struct_c, MPI_Count, MPI_Count)

/* Return a copy of the distributions or of their arguments. */
static int *abi_distribute_in(const int *values, int n)
{
    int *copy = NULL;
    int i;
    if (values != NULL && n > 0)
        copy = malloc((size_t)n * sizeof(*copy));
    for (i = 0; copy != NULL && i < n; ++i)
        copy[i] = abi_in_distribute(values[i]);
    return copy;
}

/* An argument of a distribution is either a number of elements or MPI_DISTRIBUTE_DFLT_DARG.
 * Convert only MPI_DISTRIBUTE_DFLT_DARG. A number that happens to equal another distribution
 * constant is not converted. */
static int *abi_dargs_in(const int *values, int n)
{
    int *copy = NULL;
    int i;
    if (values != NULL && n > 0)
        copy = malloc((size_t)n * sizeof(*copy));
    for (i = 0; copy != NULL && i < n; ++i)
        copy[i] = values[i] == ABI_DISTRIBUTE_DFLT_DARG
                      ? MPI_DISTRIBUTE_DFLT_DARG
                      : values[i];
    return copy;
}

#define TYPE_CREATE_DARRAY(name, count_t)                                      \
    ABI_DEFINE(int, name,                                                      \
               (int size, int rank, int ndims, const count_t gsizes[],         \
                const int distribs[], const int dargs[], const int psizes[],   \
                int order, ABI_Datatype oldtype, ABI_Datatype *newtype))       \
    {                                                                          \
        int *m_distribs = abi_distribute_in(distribs, ndims);                  \
        int *m_dargs = abi_dargs_in(dargs, ndims);                             \
        MPI_Datatype m = MPI_DATATYPE_NULL;                                    \
        int rc = abi_mpi.name(size, rank, ndims, gsizes, m_distribs, m_dargs,  \
                              psizes, abi_in_order(order),                     \
                              abi_in_Datatype(oldtype), newtype ? &m : NULL);  \
        free(m_distribs);                                                      \
        free(m_dargs);                                                         \
        if (rc == MPI_SUCCESS)                                                 \
            *newtype = abi_out_Datatype(m);                                    \
        return abi_out_code(rc);                                               \
    }
TYPE_CREATE_DARRAY(Type_create_darray, int)
TYPE_CREATE_DARRAY(Type_create_darray_c, MPI_Count)

/* Convert the integers that describe a type, unless all of them are sizes. The positions are those
 * of the arguments to the function that created the type [source: MPI 5.0, section 5.1.13]. In the
 * functions for large counts, the sizes are in a separate array, so "sizes" is 0. */
static void abi_contents_out(int combiner, int integers[], int n, int sizes)
{
    int ndims, i;
    if (combiner == MPI_COMBINER_SUBARRAY && n > 0) {
        i = sizes ? 3 * integers[0] + 1 : 1;
        if (i < n)
            integers[i] = abi_out_order(integers[i]);
    } else if (combiner == MPI_COMBINER_DARRAY && n > 2) {
        ndims = integers[2];
        int distribs = sizes ? 3 + ndims : 3;
        for (i = distribs; i < distribs + ndims && i < n; ++i)
            integers[i] = abi_out_distribute(integers[i]);
        for (i = distribs + ndims; i < distribs + 2 * ndims && i < n; ++i) {
            if (integers[i] == MPI_DISTRIBUTE_DFLT_DARG)
                integers[i] = ABI_DISTRIBUTE_DFLT_DARG;
        }
        i = distribs + 3 * ndims;
        if (i < n)
            integers[i] = abi_out_order(integers[i]);
    }
}

static void abi_types_out(const MPI_Datatype *from, ABI_Datatype *to,
                          MPI_Count n)
{
    MPI_Count i;
    for (i = 0; i < n; ++i)
        to[i] = abi_out_Datatype(from[i]);
}

ABI_DEFINE(int, Type_get_contents,
           (ABI_Datatype datatype, int max_integers, int max_addresses,
            int max_datatypes, int integers[], MPI_Aint addresses[],
            ABI_Datatype datatypes[]))
{
    MPI_Datatype m = abi_in_Datatype(datatype);
    int n_integers = 0, n_addresses = 0, n_types = 0,
        combiner = MPI_COMBINER_NAMED;
    MPI_Datatype *types;
    int rc = abi_mpi.Type_get_envelope(m, &n_integers, &n_addresses, &n_types,
                                       &combiner);
    if (rc != MPI_SUCCESS)
        return abi_out_code(rc);
    types = malloc((size_t)(max_datatypes > 0 ? max_datatypes : 1) *
                   sizeof(*types));
    if (types == NULL)
        return ABI_ERR_NO_MEM;
    rc = abi_mpi.Type_get_contents(m, max_integers, max_addresses,
                                   max_datatypes, integers, addresses, types);
    if (rc == MPI_SUCCESS) {
        abi_types_out(types, datatypes, n_types);
        abi_contents_out(combiner, integers, n_integers, 1);
    }
    free(types);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Type_get_contents_c,
           (ABI_Datatype datatype, MPI_Count max_integers,
            MPI_Count max_addresses, MPI_Count max_large_counts,
            MPI_Count max_datatypes, int integers[], MPI_Aint addresses[],
            MPI_Count large_counts[], ABI_Datatype datatypes[]))
{
    MPI_Datatype m = abi_in_Datatype(datatype);
    MPI_Count n_integers = 0, n_addresses = 0, n_large = 0, n_types = 0;
    int combiner = MPI_COMBINER_NAMED;
    MPI_Datatype *types;
    int rc = abi_mpi.Type_get_envelope_c(m, &n_integers, &n_addresses, &n_large,
                                         &n_types, &combiner);
    if (rc != MPI_SUCCESS)
        return abi_out_code(rc);
    types = malloc((size_t)(max_datatypes > 0 ? max_datatypes : 1) *
                   sizeof(*types));
    if (types == NULL)
        return ABI_ERR_NO_MEM;
    rc = abi_mpi.Type_get_contents_c(m, max_integers, max_addresses,
                                     max_large_counts, max_datatypes, integers,
                                     addresses, large_counts, types);
    if (rc == MPI_SUCCESS) {
        abi_types_out(types, datatypes, n_types);
        abi_contents_out(combiner, integers, (int)n_integers, n_large == 0);
    }
    free(types);
    return abi_out_code(rc);
}

/* ---- groups and processes ---- */

ABI_DEFINE(int, Group_translate_ranks,
           (ABI_Group group1, int n, const int ranks1[], ABI_Group group2,
            int ranks2[]))
{
    int *ranks =
        n > 0 && ranks1 != NULL ? malloc((size_t)n * sizeof(*ranks)) : NULL;
    int rc, i;
    for (i = 0; ranks != NULL && i < n; ++i)
        ranks[i] = abi_in_rank(ranks1[i]);
    rc = abi_mpi.Group_translate_ranks(abi_in_Group(group1), n, ranks,
                                       abi_in_Group(group2), ranks2);
    for (i = 0; rc == MPI_SUCCESS && i < n; ++i)
        ranks2[i] = abi_out_rank(ranks2[i]);
    free(ranks);
    return abi_out_code(rc);
}

/* Only the root knows the number of codes, because the other processes need not set this argument.
 * The other processes keep the codes of MPICH, which differ from MPI_SUCCESS if a process has
 * failed. */
static void abi_codes_out(int codes[], int n)
{
    int i;
    for (i = 0; codes != ABI_ERRCODES_IGNORE && i < n; ++i)
        codes[i] = abi_out_code(codes[i]);
}

static int abi_is_root(MPI_Comm comm, int root)
{
    int rank = -1;
    return abi_mpi.Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

ABI_DEFINE(int, Comm_spawn,
           (const char *command, char *argv[], int maxprocs, ABI_Info info,
            int root, ABI_Comm comm, ABI_Comm *intercomm, int codes[]))
{
    MPI_Comm m_comm = abi_in_Comm(comm), m = MPI_COMM_NULL;
    int rc = abi_mpi.Comm_spawn(
        command, argv, maxprocs, abi_in_Info(info), root, m_comm, &m,
        codes != ABI_ERRCODES_IGNORE ? codes : MPI_ERRCODES_IGNORE);
    if (rc == MPI_SUCCESS)
        *intercomm = abi_out_Comm(m);
    if (rc == MPI_SUCCESS && abi_is_root(m_comm, root))
        abi_codes_out(codes, maxprocs);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Comm_spawn_multiple,
           (int count, char *commands[], char **argvs[], const int maxprocs[],
            const ABI_Info infos[], int root, ABI_Comm comm,
            ABI_Comm *intercomm, int codes[]))
{
    MPI_Comm m_comm = abi_in_Comm(comm), m = MPI_COMM_NULL;
    int is_root = abi_is_root(m_comm, root);
    MPI_Info *m_infos = is_root ? abi_infos_in(infos, count) : NULL;
    int rc = abi_mpi.Comm_spawn_multiple(
        count, commands, argvs, maxprocs, m_infos, root, m_comm, &m,
        codes != ABI_ERRCODES_IGNORE ? codes : MPI_ERRCODES_IGNORE);
    int i, n = 0;
    free(m_infos);
    if (rc == MPI_SUCCESS)
        *intercomm = abi_out_Comm(m);
    for (i = 0; is_root && i < count; ++i)
        n += maxprocs[i];
    if (rc == MPI_SUCCESS)
        abi_codes_out(codes, n);
    return abi_out_code(rc);
}

/* ---- files ---- */

ABI_DEFINE(int, File_set_view,
           (ABI_File fh, MPI_Offset disp, ABI_Datatype etype,
            ABI_Datatype filetype, const char *datarep, ABI_Info info))
{
    MPI_Offset from =
        disp == ABI_DISPLACEMENT_CURRENT ? MPI_DISPLACEMENT_CURRENT : disp;
    return abi_out_code(abi_mpi.File_set_view(
        abi_in_File(fh), from, abi_in_Datatype(etype),
        abi_in_Datatype(filetype), datarep, abi_in_Info(info)));
}

/* ---- others ---- */

ABI_DEFINE(int, Pcontrol, (const int level, ...))
{
    return abi_out_code(abi_mpi.Pcontrol(level));
}
