/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of MPI 4.1 and 5.0 that MPICH 4.0 does not have. */
#include "special.h"

#include <stdint.h>
#include <string.h>

/* Call the error handler of MPI_COMM_SELF, as MPI requires for functions without a communicator,
 * and return the code. */
static int abi_raise(int class)
{
    (void)abi_mpi.Comm_call_errhandler(MPI_COMM_SELF, abi_in_code(class));
    return class;
}

/* ---- the ABI ---- */

ABI_DEFINE(int, Abi_get_version, (int *abi_major, int *abi_minor))
{
    *abi_major = ABI_ABI_VERSION;
    *abi_minor = ABI_ABI_SUBVERSION;
    return 0;
}

ABI_DEFINE(int, Abi_get_info, (ABI_Info * info))
{
    MPI_Info m = MPI_INFO_NULL;
    int rc = abi_mpi.Info_create(&m);
    if (rc == MPI_SUCCESS)
        rc = abi_mpi.Info_set(m, "mpi_aint_size",
                              sizeof(MPI_Aint) == 8 ? "8" : "4");
    if (rc == MPI_SUCCESS)
        rc = abi_mpi.Info_set(m, "mpi_count_size", "8");
    if (rc == MPI_SUCCESS)
        rc = abi_mpi.Info_set(m, "mpi_offset_size", "8");
    if (rc == MPI_SUCCESS)
        *info = abi_out_Info(m);
    return abi_out_code(rc);
}

/* Fortran programs do not use this library. */
ABI_DEFINE(int, Abi_get_fortran_info, (ABI_Info * info))
{
    *info = ABI_INFO_NULL;
    return 0;
}

ABI_DEFINE(int, Abi_set_fortran_info, (ABI_Info info))
{
    (void)info;
    return abi_raise(ABI_ERR_ABI);
}

ABI_DEFINE(int, Abi_get_fortran_booleans,
           (int logical_size, void *logical_true, void *logical_false,
            int *is_set))
{
    (void)logical_size;
    (void)logical_true;
    (void)logical_false;
    *is_set = 0;
    return 0;
}

ABI_DEFINE(int, Abi_set_fortran_booleans,
           (int logical_size, void *logical_true, void *logical_false))
{
    (void)logical_size;
    (void)logical_true;
    (void)logical_false;
    return abi_raise(ABI_ERR_ABI);
}

/* ---- statuses ---- */

ABI_DEFINE(int, Status_get_source, (const ABI_Status *status, int *source))
{
    *source = status->MPI_SOURCE;
    return 0;
}

ABI_DEFINE(int, Status_get_tag, (const ABI_Status *status, int *tag))
{
    *tag = status->MPI_TAG;
    return 0;
}

ABI_DEFINE(int, Status_get_error, (const ABI_Status *status, int *error))
{
    *error = status->MPI_ERROR;
    return 0;
}

ABI_DEFINE(int, Status_set_source, (ABI_Status * status, int source))
{
    status->MPI_SOURCE = source;
    return 0;
}

ABI_DEFINE(int, Status_set_tag, (ABI_Status * status, int tag))
{
    status->MPI_TAG = tag;
    return 0;
}

ABI_DEFINE(int, Status_set_error, (ABI_Status * status, int error))
{
    status->MPI_ERROR = error;
    return 0;
}

ABI_DEFINE(int, Status_set_elements_c,
           (ABI_Status * status, ABI_Datatype type, MPI_Count count))
{
    MPI_Status m;
    int rc;
    abi_status_in(status, &m);
    rc = abi_mpi.Status_set_elements_x(&m, abi_in_Datatype(type), count);
    abi_status_out(&m, status);
    return abi_out_code(rc);
}

/* ---- requests ---- */

ABI_DEFINE(int, Request_get_status_all,
           (int count, const ABI_Request requests[], int *flag,
            ABI_Status statuses[]))
{
    MPI_Status m;
    int i, rc = MPI_SUCCESS;
    *flag = 1;
    for (i = 0; i < count && *flag && rc == MPI_SUCCESS; ++i)
        rc = abi_mpi.Request_get_status(abi_in_Request(requests[i]), flag,
                                        MPI_STATUS_IGNORE);
    for (i = 0; i < count && *flag && rc == MPI_SUCCESS && statuses != NULL;
         ++i) {
        abi_status_clear(&m);
        rc = abi_mpi.Request_get_status(abi_in_Request(requests[i]), flag, &m);
        abi_status_out(&m, &statuses[i]);
    }
    return abi_out_code(rc);
}

ABI_DEFINE(int, Request_get_status_any,
           (int count, const ABI_Request requests[], int *index, int *flag,
            ABI_Status *status))
{
    MPI_Status m;
    int i, rc = MPI_SUCCESS, is_active = 0;
    *index = ABI_UNDEFINED;
    *flag = 0;
    abi_status_clear(&m);
    for (i = 0; i < count && rc == MPI_SUCCESS && !*flag; ++i) {
        if (requests[i] == ABI_REQUEST_NULL)
            continue;
        is_active = 1;
        rc = abi_mpi.Request_get_status(abi_in_Request(requests[i]), flag, &m);
        if (*flag)
            *index = i;
    }
    if (!is_active) { /* the status is empty */
        *flag = 1;
        rc = abi_mpi.Request_get_status(MPI_REQUEST_NULL, flag, &m);
    }
    if (*flag && status != ABI_STATUS_IGNORE)
        abi_status_out(&m, status);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Request_get_status_some,
           (int count, const ABI_Request requests[], int *outcount,
            int indices[], ABI_Status statuses[]))
{
    MPI_Status m;
    int i, flag, rc = MPI_SUCCESS, is_active = 0, n = 0;
    for (i = 0; i < count && rc == MPI_SUCCESS; ++i) {
        if (requests[i] == ABI_REQUEST_NULL)
            continue;
        is_active = 1;
        abi_status_clear(&m);
        flag = 0;
        rc = abi_mpi.Request_get_status(abi_in_Request(requests[i]), &flag, &m);
        if (!flag)
            continue;
        indices[n] = i;
        if (statuses != NULL)
            abi_status_out(&m, &statuses[n]);
        ++n;
    }
    *outcount = is_active ? n : ABI_UNDEFINED;
    return abi_out_code(rc);
}

/* ---- handles as integers ---- */

/* Constants keep their values; all other handles are MPICH's integers. */
#define TO_INT(type, name)                                                     \
    ABI_DEFINE(int, name##_toint, (ABI_##type h))                              \
    {                                                                          \
        return (int)(uint32_t)(uintptr_t)h;                                    \
    }                                                                          \
    ABI_DEFINE(ABI_##type, name##_fromint, (int number))                       \
    {                                                                          \
        return (ABI_##type)(uintptr_t)(uint32_t)number;                        \
    }
TO_INT(Comm, Comm)
TO_INT(Datatype, Type)
TO_INT(Errhandler, Errhandler)
TO_INT(Group, Group)
TO_INT(Info, Info)
TO_INT(Message, Message)
TO_INT(Op, Op)
TO_INT(Request, Request)
TO_INT(Session, Session)
TO_INT(Win, Win)

/* In MPICH, file handles are pointers, to which MPICH assigns numbers on request. The numbers are
 * small, so a constant is added to separate them from the constants of the ABI. */
ABI_DEFINE(int, File_toint, (ABI_File file))
{
    if ((uintptr_t)file <= ABI_LARGEST)
        return (int)(uintptr_t)file;
    return (int)abi_mpi.File_c2f(abi_in_File(file)) + ABI_LARGEST + 1;
}

ABI_DEFINE(ABI_File, File_fromint, (int number))
{
    if (number <= ABI_LARGEST)
        return (ABI_File)(uintptr_t)number;
    return abi_out_File(abi_mpi.File_f2c(number - ABI_LARGEST - 1));
}

/* ---- datatypes and hardware ---- */

ABI_DEFINE(int, Type_get_value_index,
           (ABI_Datatype value, ABI_Datatype index, ABI_Datatype *pair))
{
    static const struct {
        ABI_Datatype value;
        ABI_Datatype index;
        ABI_Datatype pair;
    } pairs[] = {
        {ABI_FLOAT, ABI_INT, ABI_FLOAT_INT},
        {ABI_DOUBLE, ABI_INT, ABI_DOUBLE_INT},
        {ABI_LONG, ABI_INT, ABI_LONG_INT},
        {ABI_INT, ABI_INT, ABI_2INT},
        {ABI_SHORT, ABI_INT, ABI_SHORT_INT},
        {ABI_LONG_DOUBLE, ABI_INT, ABI_LONG_DOUBLE_INT},
        {ABI_REAL, ABI_REAL, ABI_2REAL},
        {ABI_DOUBLE_PRECISION, ABI_DOUBLE_PRECISION, ABI_2DOUBLE_PRECISION},
        {ABI_INTEGER, ABI_INTEGER, ABI_2INTEGER},
    };
    size_t i;
    *pair = ABI_DATATYPE_NULL;
    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i) {
        if (pairs[i].value == value && pairs[i].index == index)
            *pair = pairs[i].pair;
    }
    return 0;
}

/* MPI permits an empty result, which means that no hardware type is known. */
ABI_DEFINE(int, Get_hw_resource_info, (ABI_Info * hw_info))
{
    MPI_Info m = MPI_INFO_NULL;
    int rc = abi_mpi.Info_create(&m);
    if (rc == MPI_SUCCESS)
        *hw_info = abi_out_Info(m);
    return abi_out_code(rc);
}

/* ---- functions that require MPI 4.1 ---- */

/* MPICH 4.0 has one buffer for all buffered sends. To wait until this buffer is empty, MPICH 4.0
 * must detach it. MPICH 4.0 also never deletes an error class. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define UNSUPPORTED(name, ...)                                                 \
    ABI_DEFINE(int, name, (__VA_ARGS__))                                       \
    {                                                                          \
        return abi_raise(ABI_ERR_UNSUPPORTED_OPERATION);                       \
    }
UNSUPPORTED(Comm_attach_buffer, ABI_Comm comm, void *buffer, int size)
UNSUPPORTED(Comm_attach_buffer_c, ABI_Comm comm, void *buffer, MPI_Count size)
UNSUPPORTED(Comm_detach_buffer, ABI_Comm comm, void *buffer_addr, int *size)
UNSUPPORTED(Comm_detach_buffer_c, ABI_Comm comm, void *buffer_addr,
            MPI_Count *size)
UNSUPPORTED(Comm_flush_buffer, ABI_Comm comm)
UNSUPPORTED(Comm_iflush_buffer, ABI_Comm comm, ABI_Request *request)
UNSUPPORTED(Session_attach_buffer, ABI_Session session, void *buffer, int size)
UNSUPPORTED(Session_attach_buffer_c, ABI_Session session, void *buffer,
            MPI_Count size)
UNSUPPORTED(Session_detach_buffer, ABI_Session session, void *buffer_addr,
            int *size)
UNSUPPORTED(Session_detach_buffer_c, ABI_Session session, void *buffer_addr,
            MPI_Count *size)
UNSUPPORTED(Session_flush_buffer, ABI_Session session)
UNSUPPORTED(Session_iflush_buffer, ABI_Session session, ABI_Request *request)
UNSUPPORTED(Buffer_iflush, ABI_Request *request)
UNSUPPORTED(Remove_error_class, int errorclass)
UNSUPPORTED(Remove_error_code, int errorcode)
UNSUPPORTED(Remove_error_string, int errorcode)

/* MPICH waits until the buffer is empty before it detaches the buffer. */
ABI_DEFINE(int, Buffer_flush, (void))
{
    void *buffer = NULL;
    MPI_Count size = 0;
    int rc = abi_mpi.Buffer_detach_c(&buffer, &size);
    if (rc == MPI_SUCCESS)
        rc = abi_mpi.Buffer_attach_c(buffer, size);
    return abi_out_code(rc);
}
