/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions of the program that MPICH calls. MPICH passes its own handles, so each of the
 * program's functions needs another function that converts them. Where MPI passes extra state,
 * this state is a structure that also contains the program's function. Operations and error
 * handlers have no extra state; for them, there are tables of functions. */
#include "special.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* EACH(F) expands to F(0x00) .. F(0xff) */
#define ROW(F, h)                                                              \
    F(0x##h##0)                                                                \
    F(0x##h##1) F(0x##h##2) F(0x##h##3) F(0x##h##4) F(0x##h##5) F(0x##h##6)    \
        F(0x##h##7) F(0x##h##8) F(0x##h##9) F(0x##h##a) F(0x##h##b)            \
            F(0x##h##c) F(0x##h##d) F(0x##h##e) F(0x##h##f)
#define EACH(F)                                                                \
    ROW(F, 0)                                                                  \
    ROW(F, 1) ROW(F, 2) ROW(F, 3) ROW(F, 4) ROW(F, 5) ROW(F, 6) ROW(F, 7)      \
        ROW(F, 8) ROW(F, 9) ROW(F, a) ROW(F, b) ROW(F, c) ROW(F, d) ROW(F, e)  \
            ROW(F, f)
enum {
    SLOTS = 0x100
};

/* Return the index of a program's function in the table, or -1 if the table is full. */
static int abi_slot(void (**table)(void), void (*function)(void))
{
    int i;
    (void)pthread_mutex_lock(&lock);
    for (i = 0; i < SLOTS && table[i] != NULL && table[i] != function; ++i)
        ;
    if (i < SLOTS)
        table[i] = function;
    (void)pthread_mutex_unlock(&lock);
    return i < SLOTS ? i : -1;
}

typedef void (*any_fn)(void);

/* ---- operations ---- */

#define OPERATION(suffix, type, count)                                         \
    static any_fn program_op##suffix[SLOTS];                                   \
    static void call_op##suffix(int i, void *in, void *inout, count *n,        \
                                const MPI_Datatype *t)                         \
    {                                                                          \
        ABI_Datatype datatype = abi_out_Datatype(*t);                          \
        ((type *)program_op##suffix[i])(in, inout, n, &datatype);              \
    }
OPERATION(, ABI_User_function, int)
OPERATION(_c, ABI_User_function_c, MPI_Count)

#define OP(i)                                                                  \
    static void op_##i(void *in, void *inout, int *n, MPI_Datatype *t)         \
    {                                                                          \
        call_op(i, in, inout, n, t);                                           \
    }
#define OP_C(i)                                                                \
    static void op_c_##i(void *in, void *inout, MPI_Count *n, MPI_Datatype *t) \
    {                                                                          \
        call_op_c(i, in, inout, n, t);                                         \
    }
EACH(OP)
EACH(OP_C)

#define NAME(i)   op_##i,
#define NAME_C(i) op_c_##i,
static MPI_User_function *const ops[] = {EACH(NAME)};
static MPI_User_function_c *const ops_c[] = {EACH(NAME_C)};
#undef NAME
#undef NAME_C

MPI_User_function *abi_op_function(ABI_User_function *function)
{
    int i = function != NULL ? abi_slot(program_op, (any_fn)function) : -1;
    return i >= 0 ? ops[i] : NULL;
}

MPI_User_function_c *abi_op_function_c(ABI_User_function_c *function)
{
    int i = function != NULL ? abi_slot(program_op_c, (any_fn)function) : -1;
    return i >= 0 ? ops_c[i] : NULL;
}

ABI_DEFINE(int, Op_create,
           (ABI_User_function * function, int commute, ABI_Op *op))
{
    MPI_Op m_op = MPI_OP_NULL;
    MPI_User_function *f = abi_op_function(function);
    int rc = function != NULL && f == NULL
                 ? MPI_ERR_NO_MEM
                 : abi_mpi.Op_create(f, commute, op ? &m_op : NULL);
    if (rc == MPI_SUCCESS)
        *op = abi_out_Op(m_op);
    return abi_out_code(rc);
}

ABI_DEFINE(int, Op_create_c,
           (ABI_User_function_c * function, int commute, ABI_Op *op))
{
    MPI_Op m_op = MPI_OP_NULL;
    MPI_User_function_c *f = abi_op_function_c(function);
    int rc = function != NULL && f == NULL
                 ? MPI_ERR_NO_MEM
                 : abi_mpi.Op_create_c(f, commute, op ? &m_op : NULL);
    if (rc == MPI_SUCCESS)
        *op = abi_out_Op(m_op);
    return abi_out_code(rc);
}

/* ---- error handlers ---- */

/* MPI does not define the additional arguments of an error handler, so they are not passed on. */
#define ERRHANDLER_CALL(type, name)                                            \
    static any_fn program_##name[SLOTS];                                       \
    static void call_##name(int i, const MPI_##type *h, const int *code)       \
    {                                                                          \
        ABI_##type handle = abi_out_##type(*h);                                \
        int abi_code = abi_out_code(*code);                                    \
        ((ABI_##type##_errhandler_function *)program_##name[i])(&handle,       \
                                                                &abi_code);    \
    }
ERRHANDLER_CALL(Comm, comm)
ERRHANDLER_CALL(File, file)
ERRHANDLER_CALL(Win, win)
ERRHANDLER_CALL(Session, session)

#define ERRHANDLER(type, name, i)                                              \
    static void name##_##i(MPI_##type *h, int *code, ...)                      \
    {                                                                          \
        call_##name(i, h, code);                                               \
    }
#define ERRHANDLER_COMM(i)    ERRHANDLER(Comm, comm, i)
#define ERRHANDLER_FILE(i)    ERRHANDLER(File, file, i)
#define ERRHANDLER_WIN(i)     ERRHANDLER(Win, win, i)
#define ERRHANDLER_SESSION(i) ERRHANDLER(Session, session, i)
EACH(ERRHANDLER_COMM)
EACH(ERRHANDLER_FILE)
EACH(ERRHANDLER_WIN)
EACH(ERRHANDLER_SESSION)

#define NAME_COMM(i)    comm_##i,
#define NAME_FILE(i)    file_##i,
#define NAME_WIN(i)     win_##i,
#define NAME_SESSION(i) session_##i,
#define ERRHANDLER_CREATE(type, name, names)                                   \
    static MPI_##type##_errhandler_function *const name##_functions[] = {      \
        EACH(names)};                                                          \
    MPI_##type##_errhandler_function *abi_##name##_errhandler(                 \
        ABI_##type##_errhandler_function *function)                            \
    {                                                                          \
        int i = function != NULL ? abi_slot(program_##name, (any_fn)function)  \
                                 : -1;                                         \
        return i >= 0 ? name##_functions[i] : NULL;                            \
    }                                                                          \
    ABI_DEFINE(int, type##_create_errhandler,                                  \
               (ABI_##type##_errhandler_function * function,                   \
                ABI_Errhandler * errhandler))                                  \
    {                                                                          \
        MPI_Errhandler m = MPI_ERRHANDLER_NULL;                                \
        MPI_##type##_errhandler_function *f =                                  \
            abi_##name##_errhandler(function);                                 \
        int rc = function != NULL && f == NULL                                 \
                     ? MPI_ERR_NO_MEM                                          \
                     : abi_mpi.type##_create_errhandler(                       \
                           f, errhandler != NULL ? &m : NULL);                 \
        if (rc == MPI_SUCCESS)                                                 \
            *errhandler = abi_out_Errhandler(m);                               \
        return abi_out_code(rc);                                               \
    }
ERRHANDLER_CREATE(Comm, comm, NAME_COMM)
ERRHANDLER_CREATE(File, file, NAME_FILE)
ERRHANDLER_CREATE(Win, win, NAME_WIN)
ERRHANDLER_CREATE(Session, session, NAME_SESSION)

/* ---- attributes ---- */

/* The extra state of an attribute key. Attributes may exist until the end of the program, so keys
 * are not freed. */
typedef struct {
    any_fn copy;
    any_fn delete;
    void *extra_state;
} keyval_state_t;

/* predefined functions are the same for all types of objects */
static int abi_is_predefined(any_fn copy)
{
    return copy == (any_fn)ABI_COMM_NULL_COPY_FN ||
           copy == (any_fn)ABI_COMM_DUP_FN;
}

static int abi_copy_predefined(any_fn copy, void *in, void *out, int *flag)
{
    *flag = copy == (any_fn)ABI_COMM_DUP_FN;
    if (*flag)
        *(void **)out = in;
    return MPI_SUCCESS;
}

#define KEYVAL(name, handle, create, copy_type, delete_type)                   \
    static int copy_##name(MPI_##handle h, int keyval, void *extra, void *in,  \
                           void *out, int *flag)                               \
    {                                                                          \
        const keyval_state_t *state = extra;                                   \
        if (abi_is_predefined(state->copy))                                    \
            return abi_copy_predefined(state->copy, in, out, flag);            \
        return abi_in_code(((copy_type *)state->copy)(                         \
            abi_out_##handle(h), abi_out_keyval(keyval), state->extra_state,   \
            in, out, flag));                                                   \
    }                                                                          \
    static int delete_##name(MPI_##handle h, int keyval, void *value,          \
                             void *extra)                                      \
    {                                                                          \
        const keyval_state_t *state = extra;                                   \
        if (state->delete == NULL)                                             \
            return MPI_SUCCESS;                                                \
        return abi_in_code(((delete_type *)state->delete)(                     \
            abi_out_##handle(h), abi_out_keyval(keyval), value,                \
            state->extra_state));                                              \
    }                                                                          \
    ABI_DEFINE(int, create,                                                    \
               (copy_type * copy, delete_type * delete, int *keyval,           \
                void *extra_state))                                            \
    {                                                                          \
        keyval_state_t *state = malloc(sizeof(*state));                        \
        int rc;                                                                \
        if (state == NULL)                                                     \
            return ABI_ERR_NO_MEM;                                             \
        state->copy = (any_fn)copy;                                            \
        state->delete = (any_fn) delete;                                       \
        state->extra_state = extra_state;                                      \
        rc = abi_mpi.create(copy_##name, delete_##name, keyval, state);        \
        if (rc != MPI_SUCCESS)                                                 \
            free(state);                                                       \
        return abi_out_code(rc);                                               \
    }
KEYVAL(comm, Comm, Comm_create_keyval, ABI_Comm_copy_attr_function,
       ABI_Comm_delete_attr_function)
KEYVAL(type, Datatype, Type_create_keyval, ABI_Type_copy_attr_function,
       ABI_Type_delete_attr_function)
KEYVAL(win, Win, Win_create_keyval, ABI_Win_copy_attr_function,
       ABI_Win_delete_attr_function)
KEYVAL(old, Comm, Keyval_create, ABI_Copy_function, ABI_Delete_function)

/* ---- generalized requests ---- */

typedef struct {
    ABI_Grequest_query_function *query;
    ABI_Grequest_free_function *free;
    ABI_Grequest_cancel_function *cancel;
    void *extra_state;
} grequest_t;

static int grequest_query(void *extra, MPI_Status *status)
{
    const grequest_t *g = extra;
    ABI_Status abi_status;
    int rc;
    abi_status_out(status, &abi_status);
    rc = g->query(g->extra_state, &abi_status);
    abi_status_in(&abi_status, status);
    return abi_in_code(rc);
}

static int grequest_free(void *extra)
{
    grequest_t *g = extra;
    int rc = g->free(g->extra_state);
    free(g);
    return abi_in_code(rc);
}

static int grequest_cancel(void *extra, int complete)
{
    const grequest_t *g = extra;
    return abi_in_code(g->cancel(g->extra_state, complete));
}

ABI_DEFINE(int, Grequest_start,
           (ABI_Grequest_query_function * query,
            ABI_Grequest_free_function *free_fn,
            ABI_Grequest_cancel_function *cancel, void *extra_state,
            ABI_Request *request))
{
    MPI_Request m = MPI_REQUEST_NULL;
    grequest_t *g = malloc(sizeof(*g));
    int rc;
    if (g == NULL)
        return ABI_ERR_NO_MEM;
    g->query = query;
    g->free = free_fn;
    g->cancel = cancel;
    g->extra_state = extra_state;
    rc = abi_mpi.Grequest_start(grequest_query, grequest_free, grequest_cancel,
                                g, &m);
    if (rc == MPI_SUCCESS)
        *request = abi_out_Request(m);
    else
        free(g);
    return abi_out_code(rc);
}

/* ---- data representations ---- */

/* ROMIO does not support conversion functions: it accepts only the name of a data representation
 * and the extent function. The program may use a data representation until the program ends. */
typedef struct {
    ABI_Datarep_extent_function *extent;
    any_fn read;
    any_fn write;
    void *extra_state;
} datarep_t;

static int datarep_extent(MPI_Datatype datatype, MPI_Aint *extent, void *extra)
{
    const datarep_t *d = extra;
    return abi_in_code(
        d->extent(abi_out_Datatype(datatype), extent, d->extra_state));
}

#define DATAREP(create, function, count, suffix)                               \
    static int datarep_read##suffix(void *buffer, MPI_Datatype type, count n,  \
                                    void *file, MPI_Offset position,           \
                                    void *extra)                               \
    {                                                                          \
        const datarep_t *d = extra;                                            \
        return abi_in_code(                                                    \
            ((ABI_##function *)d->read)(buffer, abi_out_Datatype(type), n,     \
                                        file, position, d->extra_state));      \
    }                                                                          \
    static int datarep_write##suffix(void *buffer, MPI_Datatype type, count n, \
                                     void *file, MPI_Offset position,          \
                                     void *extra)                              \
    {                                                                          \
        const datarep_t *d = extra;                                            \
        return abi_in_code(                                                    \
            ((ABI_##function *)d->write)(buffer, abi_out_Datatype(type), n,    \
                                         file, position, d->extra_state));     \
    }                                                                          \
    ABI_DEFINE(int, create,                                                    \
               (const char *name, ABI_##function *read, ABI_##function *write, \
                ABI_Datarep_extent_function *extent, void *extra_state))       \
    {                                                                          \
        datarep_t *d = malloc(sizeof(*d));                                     \
        int rc;                                                                \
        if (d == NULL)                                                         \
            return ABI_ERR_NO_MEM;                                             \
        d->extent = extent;                                                    \
        d->read = (any_fn)read;                                                \
        d->write = (any_fn)write;                                              \
        d->extra_state = extra_state;                                          \
        rc = abi_mpi.create(name, read != NULL ? datarep_read##suffix : NULL,  \
                            write != NULL ? datarep_write##suffix : NULL,      \
                            extent != NULL ? datarep_extent : NULL, d);        \
        if (rc != MPI_SUCCESS)                                                 \
            free(d);                                                           \
        return abi_out_code(rc);                                               \
    }
DATAREP(Register_datarep, Datarep_conversion_function, int, )
DATAREP(Register_datarep_c, Datarep_conversion_function_c, MPI_Count, _c)
