/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program for the standard ABI of MPI 5. Each part checks values that differ between the ABI and
 * MPICH's own interface: constants, statuses, arrays of handles, and functions that MPI calls. Runs
 * with 3 or more ranks; prints "No Errors" on rank 0.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                       \
    do {                                                                       \
        if (!(condition)) {                                                    \
            printf("rank %d, line %d: not true: %s\n", rank, __LINE__,         \
                   #condition);                                                \
            ++errors;                                                          \
        }                                                                      \
    } while (0)

static int errors, rank, size;

static void check_messages(void)
{
    MPI_Status status, statuses[100];
    MPI_Request requests[100];
    int values[100], value = -1, i, n, flag = -1, index, indices[100];
    int next = (rank + 1) % size, previous = (rank + size - 1) % size;

    /* wildcards, PROC_NULL, and the fields of a status */
    MPI_Sendrecv(&rank, 1, MPI_INT, next, 17, &value, 1, MPI_INT,
                 MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CHECK(value == previous && status.MPI_SOURCE == previous &&
          status.MPI_TAG == 17);
    MPI_Get_count(&status, MPI_INT, &n);
    CHECK(n == 1);
    MPI_Get_count(&status, MPI_DOUBLE, &n);
    CHECK(n == MPI_UNDEFINED);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD,
             &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD);

    /* more requests than fit into a small array; completed requests become MPI_REQUEST_NULL */
    for (i = 0; i < 50; ++i) {
        MPI_Irecv(&values[i], 1, MPI_INT, previous, i, MPI_COMM_WORLD,
                  &requests[i]);
    }
    for (i = 0; i < 50; ++i) {
        MPI_Isend(&i, 0, MPI_INT, MPI_PROC_NULL, i, MPI_COMM_WORLD,
                  &requests[50 + i]);
        MPI_Send(&i, 1, MPI_INT, next, i, MPI_COMM_WORLD);
    }
    MPI_Waitall(100, requests, statuses);
    for (i = 0; i < 50; ++i) {
        CHECK(values[i] == i && statuses[i].MPI_TAG == i &&
              statuses[i].MPI_SOURCE == previous);
        CHECK(requests[i] == MPI_REQUEST_NULL &&
              requests[50 + i] == MPI_REQUEST_NULL);
    }
    MPI_Waitany(100, requests, &index, &status);
    CHECK(index == MPI_UNDEFINED && status.MPI_SOURCE == MPI_ANY_SOURCE);
    MPI_Testsome(100, requests, &n, indices, MPI_STATUSES_IGNORE);
    CHECK(n == MPI_UNDEFINED);

    /* persistent requests */
    MPI_Send_init(&rank, 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD,
                  &requests[1]);
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(value == previous && requests[1] != MPI_REQUEST_NULL);
    MPI_Request_get_status_all(2, requests, &flag, MPI_STATUSES_IGNORE);
    CHECK(flag == 1);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    CHECK(requests[0] == MPI_REQUEST_NULL);

    /* matched receives */
    if (rank == 0) {
        MPI_Message message;
        MPI_Isend(&size, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
        CHECK(status.MPI_TAG == 5 && message != MPI_MESSAGE_NULL);
        MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        CHECK(value == size && message == MPI_MESSAGE_NULL);
    }
}

/* ---- functions that MPI calls ---- */

static void add_and_check(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int i;
    CHECK(*type == MPI_INT);
    for (i = 0; i < *n; ++i) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
}

static int copied, deleted, handled_class;

static int copy_attribute(MPI_Comm comm, int keyval, void *extra, void *in,
                          void *out, int *flag)
{
    ++copied;
    CHECK(extra == &copied && comm == MPI_COMM_WORLD &&
          keyval != MPI_KEYVAL_INVALID);
    *(void **)out = in;
    *flag = 1;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    CHECK(extra == &copied && value == &deleted);
    ++deleted;
    return MPI_SUCCESS;
}

static void handle_error(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == MPI_COMM_WORLD);
    MPI_Error_class(*code, &handled_class);
}

static void check_callbacks(void)
{
    MPI_Op op;
    MPI_Comm copy;
    MPI_Errhandler handler, other;
    char text[MPI_MAX_ERROR_STRING];
    int sum = -1, key, same, flag = 0, code, class, *value = NULL;

    MPI_Op_create(add_and_check, 1, &op);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Op_free(&op);
    CHECK(op == MPI_OP_NULL);
    sum = rank;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(sum == size - 1);

    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, &copied);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &deleted);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    CHECK(flag && value == &deleted && copied == 1);
    MPI_Comm_compare(MPI_COMM_WORLD, copy, &same);
    CHECK(same == MPI_CONGRUENT);
    MPI_Comm_free(&copy);
    CHECK(copy == MPI_COMM_NULL && deleted == 1);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);
    CHECK(deleted == 2 && key == MPI_KEYVAL_INVALID);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key,
                           NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &key);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    CHECK(flag && value == &key);
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    MPI_Comm_free_keyval(&key);

    /* the handler receives the error, whose class and text are those of the
     * ABI */
    MPI_Comm_create_errhandler(handle_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Send(&rank, 1, MPI_INT, size + 5, 1, MPI_COMM_WORLD);
    CHECK(handled_class == MPI_ERR_RANK);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &other);
    CHECK(other == handler);
    MPI_Errhandler_free(&other);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    code = MPI_Send(&rank, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &flag);
    CHECK(class == MPI_ERR_TYPE && strstr(text, "datatype") != NULL);
    code = MPI_Bcast(&rank, 1, MPI_INT, -7, MPI_COMM_WORLD);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_ROOT);
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &other);
    CHECK(other == MPI_ERRORS_RETURN);
}

static int query(void *extra, MPI_Status *status)
{
    CHECK(extra == &copied);
    MPI_Status_set_elements(status, MPI_INT, 7);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_PROC_NULL;
    status->MPI_TAG = MPI_ANY_TAG;
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    CHECK(extra == &copied);
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra;
    (void)complete;
    return MPI_SUCCESS;
}

static void check_generalized_request(void)
{
    MPI_Request request;
    MPI_Status status;
    int n = 0;
    MPI_Grequest_start(query, release, cancel, &copied, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_elements(&status, MPI_INT, &n);
    CHECK(n == 7 && status.MPI_SOURCE == MPI_PROC_NULL &&
          request == MPI_REQUEST_NULL);
}

/* ---- datatypes ---- */

static void check_datatypes(void)
{
    struct {
        double number;
        char text[4];
    } item[2] = {{0.5, "abc"}, {0, ""}};
    int lengths[] = {1, 4}, integers[8], n_int, n_add, n_type, combiner, i,
        bytes;
    MPI_Aint displacements[] = {0, sizeof(double)}, addresses[4];
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR}, type, inner[2], pair;
    MPI_Datatype *sends = malloc((size_t)size * sizeof(*sends));
    int *counts = malloc((size_t)size * sizeof(*counts));
    int *zeros = calloc((size_t)size, sizeof(*zeros));
    int gsizes[] = {8, 8},
        distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG},
        psizes[] = {2, 1};
    int contents[32];

    MPI_Type_create_struct(2, lengths, displacements, types, &type);
    MPI_Type_commit(&type);
    MPI_Sendrecv(&item[0], 1, type, rank, 1, &item[1], 1, type, rank, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(item[1].number == 0.5 && strcmp(item[1].text, "abc") == 0);
    MPI_Type_get_envelope(type, &n_int, &n_add, &n_type, &combiner);
    CHECK(combiner == MPI_COMBINER_STRUCT && n_type == 2);
    MPI_Type_get_contents(type, n_int, n_add, n_type, integers, addresses,
                          inner);
    CHECK(inner[0] == MPI_DOUBLE && inner[1] == MPI_CHAR);

    for (i = 0; i < size; ++i) {
        sends[i] = type;
        counts[i] = (i == rank);
    }
    item[1].number = 0;
    MPI_Alltoallw(item, counts, zeros, sends, &item[1], counts, zeros, sends,
                  MPI_COMM_WORLD);
    CHECK(item[1].number == 0.5);
    MPI_Type_free(&type);
    CHECK(type == MPI_DATATYPE_NULL);

    MPI_Type_create_darray(2, 1, 2, gsizes, distributions, arguments, psizes,
                           MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_get_envelope(type, &n_int, &n_add, &n_type, &combiner);
    CHECK(combiner == MPI_COMBINER_DARRAY && n_int <= 32);
    MPI_Type_get_contents(type, n_int, n_add, n_type, contents, addresses,
                          inner);
    CHECK(contents[5] == MPI_DISTRIBUTE_BLOCK &&
          contents[7] == MPI_DISTRIBUTE_DFLT_DARG);
    CHECK(contents[n_int - 1] == MPI_ORDER_C && inner[0] == MPI_INT);
    MPI_Type_free(&type);

    MPI_Type_match_size(MPI_TYPECLASS_REAL, sizeof(double), &type);
    MPI_Type_size(type, &bytes);
    CHECK(bytes == sizeof(double));
    MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair);
    CHECK(pair == MPI_DOUBLE_INT);
    CHECK(MPI_Type_fromint(MPI_Type_toint(MPI_INT)) == MPI_INT);
    free(sends);
    free(counts);
    free(zeros);
}

/* ---- groups, topologies, windows, files ---- */

static void check_topology(void)
{
    MPI_Comm line, graph;
    MPI_Group world, first;
    int zero = 0, source, destination, kind, ranks[2] = {0, MPI_PROC_NULL},
        other[2], one = 1;

    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &zero, 0, &line);
    MPI_Cart_shift(line, 0, 1, &source, &destination);
    CHECK(source == (rank == 0 ? MPI_PROC_NULL : rank - 1));
    CHECK(destination == (rank == size - 1 ? MPI_PROC_NULL : rank + 1));
    MPI_Topo_test(line, &kind);
    CHECK(kind == MPI_CART);
    MPI_Topo_test(MPI_COMM_WORLD, &kind);
    CHECK(kind == MPI_UNDEFINED);
    MPI_Comm_free(&line);
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &rank, MPI_UNWEIGHTED, 1,
                                   &rank, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    MPI_Topo_test(graph, &kind);
    CHECK(kind == MPI_DIST_GRAPH);
    MPI_Neighbor_allgather(&rank, 1, MPI_INT, &one, 1, MPI_INT, graph);
    CHECK(one == rank);
    MPI_Comm_free(&graph);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &line);
    CHECK(line != MPI_COMM_NULL);
    MPI_Comm_free(&line);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 1 : MPI_UNDEFINED, 0, &line);
    CHECK((line == MPI_COMM_NULL) == (rank != 0));
    if (line != MPI_COMM_NULL) {
        MPI_Comm_free(&line);
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &zero, &first);
    MPI_Group_translate_ranks(world, 2, ranks, first, other);
    CHECK(other[0] == 0 && other[1] == MPI_PROC_NULL);
    MPI_Group_free(&world);
    MPI_Group_free(&first);
}

static void check_window(void)
{
    MPI_Win win;
    int *memory, *attribute = NULL, flag = 0, one = 1, before = -1;

    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                     &memory, &win);
    *memory = 0;
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &attribute, &flag);
    CHECK(flag && *attribute == MPI_WIN_FLAVOR_ALLOCATE);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &attribute, &flag);
    CHECK(flag && *attribute == (int)sizeof(int));
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, win);
    CHECK(rank != 0 || *memory == size);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Fetch_and_op(NULL, &before, MPI_INT, 0, 0, MPI_NO_OP, win);
    MPI_Win_unlock(0, win);
    CHECK(before == size);
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
}

static void check_file(void)
{
    MPI_File file;
    MPI_Status status;
    MPI_Offset where = -1;
    int mode = 0, value = -1, n = 0, class, code;

    code = MPI_File_open(MPI_COMM_WORLD, "none", MPI_MODE_RDONLY, MPI_INFO_NULL,
                         &file);
    MPI_Error_class(code, &class);
    CHECK(class == MPI_ERR_NO_SUCH_FILE);
    MPI_File_open(MPI_COMM_WORLD, "file",
                  MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_get_amode(file, &mode);
    CHECK(mode == (MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE));
    MPI_File_set_view(file, 4 * rank, MPI_INT, MPI_INT, "native",
                      MPI_INFO_NULL);
    MPI_File_write_all(file, &rank, 1, MPI_INT, &status);
    MPI_Get_count(&status, MPI_INT, &n);
    CHECK(n == 1);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(value == rank);
    MPI_File_get_position(file, &where);
    CHECK(where == 1);
    CHECK(MPI_File_fromint(MPI_File_toint(file)) == file);
    MPI_File_close(&file);
    CHECK(file == MPI_FILE_NULL);
}

static void check_tool(void)
{
    int provided = -1, n = 0, i, verbosity, bind, scope, length;
    MPI_Datatype type;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
    MPI_T_cvar_get_num(&n);
    CHECK(n > 0);
    for (i = 0; i < n; ++i) {
        length = 0;
        MPI_T_cvar_get_info(i, NULL, &length, &verbosity, &type, NULL, NULL,
                            &length, &bind, &scope);
        CHECK(verbosity >= MPI_T_VERBOSITY_USER_BASIC &&
              verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
        CHECK(bind >= MPI_T_BIND_NO_OBJECT && bind <= MPI_T_BIND_MPI_SESSION);
        CHECK(type != MPI_DATATYPE_NULL);
    }
    CHECK(MPI_T_cvar_get_info(n, NULL, &length, &verbosity, &type, NULL, NULL,
                              &length, &bind,
                              &scope) == MPI_T_ERR_INVALID_INDEX);
    MPI_T_finalize();
}

int main(int argc, char **argv)
{
    int provided = -1, total = 0, major = 0, minor = -1, flag = 0, length,
        *number = NULL;
    char name[MPI_MAX_PROCESSOR_NAME];

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Query_thread(&provided);
    CHECK(provided == MPI_THREAD_MULTIPLE);
    MPI_Abi_get_version(&major, &minor);
    CHECK(major == 1 && minor == 0);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &number, &flag);
    CHECK(flag && *number >= 32767);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &number, &flag);
    CHECK(!flag || *number == MPI_ANY_SOURCE || *number == MPI_PROC_NULL ||
          *number >= 0);
    MPI_Get_processor_name(name, &length);
    CHECK((int)strlen(name) == length);
    check_messages();
    check_callbacks();
    check_generalized_request();
    check_datatypes();
    check_topology();
    check_window();
    check_file();
    check_tool();
    MPI_Reduce(&errors, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0 && total == 0) {
        printf("No Errors\n");
    }
    MPI_Finalize();
    return total > 0;
}
