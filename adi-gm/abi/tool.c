/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of the tool information interface that need more than tables. */
#include "special.h"

#include <stdlib.h>

/* Convert the handle of an object. MPICH stores the address of the object, so the copy
 * exists until the program ends. Returns NULL if the variable is not bound to an object. */
static void *abi_object_in(int bind, void *object)
{
    int *copy = object != NULL && bind != MPI_T_BIND_NO_OBJECT
                    ? malloc(sizeof(*copy))
                    : NULL;
    if (copy == NULL)
        return object;
    switch (bind) {
    case MPI_T_BIND_MPI_COMM:
        *copy = abi_in_Comm(*(ABI_Comm *)object);
        break;
    case MPI_T_BIND_MPI_DATATYPE:
        *copy = abi_in_Datatype(*(ABI_Datatype *)object);
        break;
    case MPI_T_BIND_MPI_ERRHANDLER:
        *copy = abi_in_Errhandler(*(ABI_Errhandler *)object);
        break;
    case MPI_T_BIND_MPI_GROUP:
        *copy = abi_in_Group(*(ABI_Group *)object);
        break;
    case MPI_T_BIND_MPI_OP:
        *copy = abi_in_Op(*(ABI_Op *)object);
        break;
    case MPI_T_BIND_MPI_REQUEST:
        *copy = abi_in_Request(*(ABI_Request *)object);
        break;
    case MPI_T_BIND_MPI_WIN:
        *copy = abi_in_Win(*(ABI_Win *)object);
        break;
    case MPI_T_BIND_MPI_MESSAGE:
        *copy = abi_in_Message(*(ABI_Message *)object);
        break;
    case MPI_T_BIND_MPI_INFO:
        *copy = abi_in_Info(*(ABI_Info *)object);
        break;
    default: /* in MPICH, file handles are pointers; no variable of MPICH is bound to any other
                object */
        free(copy);
        return object;
    }
    return copy;
}

ABI_DEFINE(int, T_cvar_handle_alloc,
           (int cvar_index, void *object, ABI_T_cvar_handle *handle,
            int *count))
{
    int bind = MPI_T_BIND_NO_OBJECT;
    (void)abi_mpi.T_cvar_get_info(cvar_index, NULL, NULL, NULL, NULL, NULL,
                                  NULL, NULL, &bind, NULL);
    return abi_out_code(
        abi_mpi.T_cvar_handle_alloc(cvar_index, abi_object_in(bind, object),
                                    (MPI_T_cvar_handle *)handle, count));
}

ABI_DEFINE(int, T_pvar_handle_alloc,
           (ABI_T_pvar_session session, int pvar_index, void *object,
            ABI_T_pvar_handle *handle, int *count))
{
    int bind = MPI_T_BIND_NO_OBJECT;
    (void)abi_mpi.T_pvar_get_info(pvar_index, NULL, NULL, NULL, NULL, NULL,
                                  NULL, NULL, NULL, &bind, NULL, NULL, NULL);
    return abi_out_code(abi_mpi.T_pvar_handle_alloc(
        (MPI_T_pvar_session)session, pvar_index, abi_object_in(bind, object),
        (MPI_T_pvar_handle *)handle, count));
}

ABI_DEFINE(int, T_event_handle_alloc,
           (int event_index, void *object, ABI_Info info,
            ABI_T_event_registration *registration))
{
    int bind = MPI_T_BIND_NO_OBJECT;
    (void)abi_mpi.T_event_get_info(event_index, NULL, NULL, NULL, NULL, NULL,
                                   NULL, NULL, NULL, NULL, NULL, &bind);
    return abi_out_code(abi_mpi.T_event_handle_alloc(
        event_index, abi_object_in(bind, object), abi_in_Info(info),
        (MPI_T_event_registration *)registration));
}

ABI_DEFINE(int, T_event_get_info,
           (int event_index, char *name, int *name_len, int *verbosity,
            ABI_Datatype datatypes[], MPI_Aint displacements[], int *n,
            ABI_T_enum *enumtype, ABI_Info *info, char *desc, int *desc_len,
            int *bind))
{
    MPI_Datatype *types = datatypes != NULL && n != NULL && *n > 0
                              ? malloc((size_t)*n * sizeof(*types))
                              : NULL;
    int room = types != NULL ? *n : 0, m_verbosity = 0, m_bind = 0, i;
    MPI_Info m_info = MPI_INFO_NULL;
    int rc = abi_mpi.T_event_get_info(
        event_index, name, name_len, &m_verbosity, types, displacements, n,
        (MPI_T_enum *)enumtype, info != NULL ? &m_info : NULL, desc, desc_len,
        &m_bind);
    if (rc == MPI_SUCCESS) {
        for (i = 0; i < room && i < *n; ++i)
            datatypes[i] = abi_out_Datatype(types[i]);
        if (verbosity != NULL)
            *verbosity = abi_out_verbosity(m_verbosity);
        if (bind != NULL)
            *bind = abi_out_bind(m_bind);
        if (info != NULL)
            *info = abi_out_Info(m_info);
    }
    free(types);
    return abi_out_code(rc);
}

ABI_DEFINE(int, T_source_get_info,
           (int source_index, char *name, int *name_len, char *desc,
            int *desc_len, ABI_T_source_order *ordering,
            MPI_Count *ticks_per_second, MPI_Count *max_ticks, ABI_Info *info))
{
    MPI_T_source_order order = MPI_T_SOURCE_ORDERED;
    MPI_Info m_info = MPI_INFO_NULL;
    int rc = abi_mpi.T_source_get_info(
        source_index, name, name_len, desc, desc_len, &order, ticks_per_second,
        max_ticks, info != NULL ? &m_info : NULL);
    if (rc == MPI_SUCCESS && ordering != NULL)
        *ordering = (ABI_T_source_order)abi_out_source((int)order);
    if (rc == MPI_SUCCESS && info != NULL)
        *info = abi_out_Info(m_info);
    return abi_out_code(rc);
}
