/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests MPI_Comm_spawn and MPI_Comm_spawn_multiple. The program spawns itself.
 * The first argument selects the test; for children, the first argument is
 * "child". Rank 0 prints virtual times, which must be the same in all runs.
 */
#define _GNU_SOURCE
#include "check.h"

#include <string.h>
#include <unistd.h>

#define WORDS 30000 /* longer than an eager message */

static char *program;

/* ---- both sides ----------------------------------------------------------- */

/* Exchange short and long messages with all processes on the other side. */
static void exchange(MPI_Comm inter)
{
    int *mine = malloc(WORDS * sizeof(*mine));
    int *theirs = malloc(WORDS * sizeof(*theirs));
    int remote, rank, sum = 0, expected;

    MPI_Comm_remote_size(inter, &remote);
    MPI_Comm_rank(inter, &rank);
    for (int peer = 0; peer < remote; ++peer) {
        for (int count = 1; count <= WORDS; count *= WORDS) {
            memset(theirs, 0xff, WORDS * sizeof(*theirs));
            for (int i = 0; i < count; ++i) {
                mine[i] = 1000 * rank + i;
            }
            MPI_Sendrecv(mine, count, MPI_INT, peer, 7, theirs, count, MPI_INT,
                         peer, 7, inter, MPI_STATUS_IGNORE);
            for (int i = 0; i < count; ++i) {
                CHECK(theirs[i] == 1000 * peer + i,
                      "element %d is %d in the message from rank %d", i,
                      theirs[i], peer);
                if (theirs[i] != 1000 * peer + i) {
                    break;
                }
            }
        }
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
    expected = remote * (remote - 1) / 2;
    CHECK(sum == expected, "incorrect sum of all remote ranks: %d", sum);
    free(mine);
    free(theirs);
}

/* Merge both sides, and test collective operations, a window, and communicators
 * of one node. */
static void merge(MPI_Comm inter, int high)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "", others[MPI_MAX_PROCESSOR_NAME];
    MPI_Comm all, node;
    MPI_Win window;
    int rank, size, sum = 0, length, *memory, value, node_rank, node_size;

    MPI_Intercomm_merge(inter, high, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    CHECK(sum == size * (size - 1) / 2,
          "incorrect sum %d of the ranks of %d processes", sum, size);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, all, &memory,
                     &window);
    MPI_Win_fence(0, window);
    value = 100 + rank;
    MPI_Put(&value, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    CHECK(*memory == 100 + (rank + size - 1) % size, "window: %d", *memory);
    MPI_Win_free(&window);
    MPI_Get_processor_name(name, &length);
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    MPI_Comm_size(node, &node_size);
    strcpy(others, name);
    MPI_Bcast(others, sizeof(others), MPI_CHAR, 0, node);
    CHECK(strcmp(name, others) == 0, "%s and %s share memory", name, others);
    MPI_Comm_free(&node);
    MPI_Comm_free(&all);
}

/* Reserve bandwidth on the inter-communicator and on the merged
 * communicator. */
static void reserve(MPI_Comm inter, int high)
{
    MPI_Comm all;
    MPIQOS_Flow *between, *merged;
    int rank, size;

    MPI_Intercomm_merge(inter, high, &all);
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &size);
    between = ask(inter, check_rank, 5 * MB);
    CHECK(between->state == MPIQOS_GRANTED, "state %d", between->state);
    merged = ask(all, (rank + size / 2) % size, 7 * MB);
    CHECK(merged->state == MPIQOS_GRANTED, "state %d", merged->state);
    if (between->state == MPIQOS_GRANTED && merged->state == MPIQOS_GRANTED) {
        printf("granted %.2f MB/s on the intercommunicator, %.2f MB/s on the "
               "merged one\n",
               between->bandwidth / MB, merged->bandwidth / MB);
    }
    exchange(inter);
    MPI_Comm_delete_attr(inter, MPIQOS_FLOW);
    MPI_Comm_free(&all);
}

static void child(int argc, char **argv)
{
    const char *what = argc > 2 ? argv[2] : "";
    MPI_Comm parent;
    char name[MPI_MAX_OBJECT_NAME] = "", host[MPI_MAX_PROCESSOR_NAME] = "";
    char cwd[512] = "";
    int length, *appnum, found;

    MPI_Comm_get_parent(&parent);
    CHECK(parent != MPI_COMM_NULL, "the process has no parent");
    MPI_Comm_get_name(parent, name, &length);
    CHECK(strcmp(name, "MPI_COMM_PARENT") == 0, "'%s'", name);
    if (strcmp(what, "crash") == 0) {
        if (check_rank == check_size - 1) {
            abort();
        }
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(what, "status") == 0) {
        exit(3);
    } else if (strcmp(what, "abort") == 0) {
        MPI_Abort(MPI_COMM_WORLD, 5);
    } else if (strcmp(what, "show") == 0) {
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &found);
        MPI_Get_processor_name(host, &length);
        CHECK(getcwd(cwd, sizeof(cwd)) != NULL, "getcwd() failed");
        printf("child %d of %d: appnum %d host %s directory %s argument '%s'\n",
               check_rank, check_size, found ? *appnum : -1, host,
               strrchr(cwd, '/'), argc > 3 ? argv[3] : "");
    } else if (strcmp(what, "reserve") == 0) {
        reserve(parent, 1);
    } else if (strcmp(what, "named") == 0) {
        exchange(parent);
    } else if (strcmp(what, "nested") == 0) {
        char first[] = "child", second[] = "exchange";
        char *arguments[] = {first, second, NULL};
        MPI_Comm inter;

        MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                       &inter, MPI_ERRCODES_IGNORE);
        exchange(inter);
        merge(inter, 0);
        MPI_Comm_disconnect(&inter);
        exchange(parent);
    } else {
        exchange(parent);
        merge(parent, 1);
    }
    MPI_Comm_disconnect(&parent);
}

/* ---- the parent ----------------------------------------------------------- */

static MPI_Comm spawn(char *what, int count)
{
    char first[] = "child";
    char *arguments[] = {first, what, NULL};
    int codes[64];
    MPI_Comm inter;
    double start = MPI_Wtime();
    int remote;

    memset(codes, 0xff, sizeof(codes));
    MPI_Comm_spawn(program, arguments, count, MPI_INFO_NULL, 0, MPI_COMM_WORLD,
                   &inter, codes);
    for (int i = 0; i < count; ++i) {
        CHECK(codes[i] == MPI_SUCCESS, "error code %d for process %d", codes[i],
              i);
    }
    MPI_Comm_remote_size(inter, &remote);
    CHECK(remote == count, "%d children", remote);
    CHECK(MPI_Wtime() - start >= 0.1, "spawn took %g s of virtual time",
          MPI_Wtime() - start);
    return inter;
}

static void test_exchange(char *what, int count)
{
    MPI_Comm inter = spawn(what, count);

    exchange(inter);
    if (strcmp(what, "exchange") == 0) {
        merge(inter, 0);
    }
    MPI_Comm_disconnect(&inter);
}

static void test_reserve(char *what, int count)
{
    MPI_Comm inter = spawn(what, count);

    if (strcmp(what, "reserve") == 0) {
        reserve(inter, 0);
    } else {
        MPI_Comm_set_name(inter, "workers");
        exchange(inter);
    }
    MPI_Comm_disconnect(&inter);
}

/* Spawn two programs with info keys. */
static void test_multiple(const char *directory)
{
    char other[] = "other", is_child[] = "child", show[] = "show";
    char argument[] = "with = and  blanks", empty[] = "";
    char *commands[] = {program, other};
    char *first[] = {is_child, show, argument, NULL};
    char *second[] = {is_child, show, empty, NULL};
    char **arguments[] = {first, second};
    int counts[] = {2, 3}, codes[5];
    MPI_Info infos[2];
    MPI_Comm inter;

    MPI_Info_create(&infos[0]);
    MPI_Info_set(infos[0], "host", "node4,node2");
    MPI_Info_create(&infos[1]);
    MPI_Info_set(infos[1], "wdir", directory);
    MPI_Info_set(infos[1], "path", "nothing:programs");
    MPI_Comm_spawn_multiple(2, commands, arguments, counts, infos, 0,
                            MPI_COMM_WORLD, &inter, codes);
    for (int i = 0; i < 5; ++i) {
        CHECK(codes[i] == MPI_SUCCESS, "code %d", codes[i]);
    }
    MPI_Info_free(&infos[0]);
    MPI_Info_free(&infos[1]);
    MPI_Comm_disconnect(&inter);
}

/* Check that a call fails on all ranks, and print the reason for the
 * failure. */
static void refuse(const char *command, int count, const char *key,
                   const char *value)
{
    char text[MPI_MAX_ERROR_STRING];
    int codes[64], code, class, length;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm inter = MPI_COMM_NULL;

    memset(codes, 0, sizeof(codes));
    if (key != NULL) {
        MPI_Info_create(&info);
        MPI_Info_set(info, key, value);
    }
    code = MPI_Comm_spawn(command, MPI_ARGV_NULL, count, info, 0,
                          MPI_COMM_WORLD, &inter, codes);
    MPI_Error_class(code, &class);
    MPI_Error_string(code, text, &length);
    CHECK(class == MPI_ERR_SPAWN, "class %d: %s", class, text);
    for (int i = 0; i < count && i < 64; ++i) {
        CHECK(codes[i] == MPI_ERR_SPAWN, "code %d", codes[i]);
    }
    if (check_rank == check_size - 1) {
        printf("%s\n", strstr(text, "Error in spawn call"));
    }
    if (key != NULL) {
        MPI_Info_free(&info);
    }
}

/* With argument N, the cluster has room for N children. */
static void test_refused(int room)
{
    MPI_Comm inter;
    int *universe, found;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &found);
    CHECK(found && *universe == check_size + room, "universe size %d",
          found ? *universe : -1);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    refuse("./missing", 2, NULL, NULL);
    refuse("missing", 1, NULL, NULL);
    refuse(program, 1, "wdir", "no-directory");
    refuse(program, 1, "host", "node99");
    refuse(program, room + 1, NULL, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    /* fill the cluster; after the children have ended, their ports are free
     * again */
    for (int round = 0; round < 3; ++round) {
        char what[] = "exchange";

        inter = spawn(what, room);
        refuse(program, 1, NULL, NULL);
        exchange(inter);
        merge(inter, 0);
        MPI_Comm_disconnect(&inter);
        usleep(100000); /* in virtual time */
    }
}

static void test_failure(char *what)
{
    MPI_Comm inter = spawn(what, 2);
    int value;

    /* the children never send a message */
    MPI_Recv(&value, 1, MPI_INT, 0, 0, inter, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&inter);
}

static void parent(int argc, char **argv)
{
    char standard[] = "exchange";
    char *what = argc > 1 ? argv[1] : standard;
    int count = argc > 2 ? atoi(argv[2]) : 2;

    if (strcmp(what, "exchange") == 0 || strcmp(what, "nested") == 0) {
        test_exchange(what, count);
    } else if (strcmp(what, "reserve") == 0 || strcmp(what, "named") == 0) {
        test_reserve(what, count);
    } else if (strcmp(what, "multiple") == 0) {
        test_multiple(argv[2]);
    } else if (strcmp(what, "refused") == 0) {
        test_refused(count);
    } else {
        test_failure(what);
    }
}

int main(int argc, char **argv)
{
    int is_child = argc > 1 && strcmp(argv[1], "child") == 0;

    program = argv[0];
    check_start(&argc, &argv);
    if (is_child) {
        child(argc, argv);
    } else {
        parent(argc, argv);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        printf("%s ends at %.9f s\n", is_child ? "child" : "parent",
               MPI_Wtime());
    }
    return check_end();
}
