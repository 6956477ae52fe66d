/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures operations on a window of ranks 0 and 2 while all other ranks flood
 * the hosts of these two ranks. Rank 0 starts the operations, which access the
 * memory of rank 2. With two ranks per host, rank 1 shares the host of rank 0,
 * and rank 3 shares the host of rank 2.
 *
 * usage: windows OP BYTES AHEAD SYNC [KEY=VALUE..]
 *   OP     put, get, acc, getacc, fetch or swap; the suffix "-vector" selects
 *          blocks of 64 bytes with gaps
 *   AHEAD  number of operations before each synchronization
 *   SYNC   flush, lock, fence, pscw
 *   KEY    name=TEXT     name of the communicator
 *          kind=KIND     create, allocate, dynamic
 *          out=MB/s      hints of rank 0: bandwidth to rank 2
 *          back=MB/s     hints of rank 2: bandwidth to rank 0
 *          flood=0       no flood
 *          least=MB/s    lower limit of the bandwidth, which is checked
 *          most=US       upper limit of the time of a synchronized group
 */
#include "check.h"

#include <string.h>

enum {
    MESSAGE = 65536,
    IN_FLIGHT = 4,
    RANKS = 64,
    ROOM = 1 << 20,
    BLOCK = 8, /* doubles */
    GROUPS = 10,
    DATA = 0,
    END = 1
};
#define SECONDS 0.15

static const char *op, *sync_by, *kind = "allocate", *name = "";
static int bytes, ahead, flooded = 1;
static double out_mb, back_mb, least, most, end;
static MPI_Comm comm; /* communicator of ranks 0 and 2 */
static MPI_Win win;
static MPI_Aint base; /* displacement in rank 2's memory */
static MPI_Datatype type;
static int units, is_vector;
static double mine[2 * ROOM / 8], result[2 * ROOM / 8];

/* --- the flood ------------------------------------------------------------ */

static char buffer[2 * RANKS * IN_FLIGHT][MESSAGE];

static void flood(void)
{
    static MPI_Request request[2 * RANKS * IN_FLIGHT];
    static int peer[2 * RANKS * IN_FLIGHT], ended[2 * RANKS * IN_FLIGHT];
    int slots = 0, sends, slot;

    for (int to = 1; to <= 3; to += 2) {
        for (int i = 0; i < IN_FLIGHT && to != check_rank; ++i) {
            peer[slots] = to;
            MPI_Isend(buffer[slots], MESSAGE, MPI_BYTE, to, DATA,
                      MPI_COMM_WORLD, &request[slots]);
            ++slots;
        }
    }
    sends = slots;
    for (int from = 1; from < check_size; ++from) {
        for (int i = 0; i < IN_FLIGHT && from != check_rank && from != 2 &&
                        (check_rank == 1 || check_rank == 3);
             ++i) {
            peer[slots] = from;
            MPI_Irecv(buffer[slots], MESSAGE, MPI_BYTE, from, MPI_ANY_TAG,
                      MPI_COMM_WORLD, &request[slots]);
            ++slots;
        }
    }
    for (;;) {
        MPI_Status status;

        MPI_Waitany(slots, request, &slot, &status);
        if (slot == MPI_UNDEFINED) {
            return;
        }
        if (slot < sends && !ended[slot]) {
            ended[slot] = MPI_Wtime() >= end;
            MPI_Isend(buffer[slot], ended[slot] ? 0 : MESSAGE, MPI_BYTE,
                      peer[slot], ended[slot] ? END : DATA, MPI_COMM_WORLD,
                      &request[slot]);
        } else if (slot >= sends && status.MPI_TAG == DATA) {
            MPI_Irecv(buffer[slot], MESSAGE, MPI_BYTE, peer[slot], MPI_ANY_TAG,
                      MPI_COMM_WORLD, &request[slot]);
        }
    }
}

/* --- the window ----------------------------------------------------------- */

static MPI_Info hints(void)
{
    double mb = (check_rank == 0) ? out_mb : back_mb;
    char text[32];
    MPI_Info info;

    MPI_Info_create(&info);
    if (mb > 0) {
        snprintf(text, sizeof(text), "%g MB/s", mb);
        MPI_Info_set(info, "mpiqos_bandwidth", text);
        MPI_Info_set(info, "mpiqos_peer", (check_rank == 0) ? "1" : "0");
    }
    return info;
}

static void open_window(void)
{
    MPI_Info info = hints(), answer;
    MPI_Aint size = 2 * ROOM;
    char state[MPI_MAX_INFO_VAL + 1] = "";
    void *memory;
    int found;

    if (strcmp(kind, "allocate") == 0) {
        MPI_Win_allocate(size, 1, info, comm, &memory, &win);
    } else if (strcmp(kind, "create") == 0) {
        MPI_Alloc_mem(size, MPI_INFO_NULL, &memory);
        MPI_Win_create(memory, size, 1, info, comm, &win);
    } else {
        MPI_Alloc_mem(size, MPI_INFO_NULL, &memory);
        MPI_Win_create_dynamic(info, comm, &win);
        MPI_Win_attach(win, memory, size);
        MPI_Get_address(memory, &base);
        MPI_Bcast(&base, 1, MPI_AINT, 1, comm);
    }
    memset(memory, 0, (size_t)size);
    MPI_Info_free(&info);
    MPI_Win_get_info(win, &answer);
    MPI_Info_get(answer, "mpiqos_reason", MPI_MAX_INFO_VAL, state, &found);
    if (found) {
        printf("rank %d: %s\n", check_rank, state);
        fflush(stdout);
    }
    MPI_Info_free(&answer);
}

static void make_type(void)
{
    units = bytes / 8;
    type = MPI_DOUBLE;
    if (is_vector) {
        MPI_Type_vector(units / BLOCK, BLOCK, 2 * BLOCK, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        units = 1;
    }
}

static int is_op(const char *text)
{
    return strncmp(op, text, strlen(text)) == 0 &&
           (op[strlen(text)] == '\0' || op[strlen(text)] == '-');
}

static void start_op(void)
{
    if (is_op("put")) {
        MPI_Put(mine, units, type, 1, base, units, type, win);
    } else if (is_op("get")) {
        MPI_Get(result, units, type, 1, base, units, type, win);
    } else if (is_op("acc")) {
        MPI_Accumulate(mine, units, type, 1, base, units, type, MPI_SUM, win);
    } else if (is_op("getacc")) {
        MPI_Get_accumulate(mine, units, type, result, units, type, 1, base,
                           units, type, MPI_SUM, win);
    } else if (is_op("fetch")) {
        MPI_Fetch_and_op(mine, result, MPI_DOUBLE, 1, base, MPI_SUM, win);
    } else {
        MPI_Compare_and_swap(mine, mine, result, MPI_LONG, 1, base, win);
    }
}

/* --- synchronization ------------------------------------------------------ */

static double longest;
static long groups;

static MPI_Group other(void)
{
    const int rank = (check_rank == 0);
    MPI_Group all, one;

    MPI_Comm_group(comm, &all);
    MPI_Group_incl(all, 1, &rank, &one);
    MPI_Group_free(&all);
    return one;
}

/* Open and close the epoch in which rank 0 starts the operations. */
static void epoch(MPI_Group peer)
{
    int is_origin = check_rank == 0;

    if (strcmp(sync_by, "fence") == 0) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    } else if (strcmp(sync_by, "lock") == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    } else if (strcmp(sync_by, "pscw") == 0 && is_origin) {
        MPI_Win_start(peer, 0, win);
    } else if (strcmp(sync_by, "pscw") == 0) {
        MPI_Win_post(peer, 0, win);
    }
    for (int i = 0; i < ahead && is_origin; ++i) {
        start_op();
    }
    if (strcmp(sync_by, "fence") == 0) {
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    } else if (strcmp(sync_by, "lock") == 0) {
        MPI_Win_unlock(1, win);
    } else if (strcmp(sync_by, "pscw") == 0 && is_origin) {
        MPI_Win_complete(win);
    } else if (strcmp(sync_by, "pscw") == 0) {
        MPI_Win_wait(win);
    } else {
        MPI_Win_flush(1, win);
    }
}

static void measure(void)
{
    int is_active =
        strcmp(sync_by, "fence") == 0 || strcmp(sync_by, "pscw") == 0;
    int is_flush = strcmp(sync_by, "flush") == 0;
    double from = MPI_Wtime(), before = from, now = from;
    MPI_Group peer = other();

    if (is_flush) {
        MPI_Win_lock_all(0, win);
    }
    /* Both ranks must agree on the number of active epochs. A message to end
     * the epochs would wait behind the flood. */
    while (is_active ? groups < GROUPS : check_rank == 0 && now < end - 0.03) {
        epoch(peer);
        now = MPI_Wtime();
        ++groups;
        longest = (now - before > longest) ? now - before : longest;
        before = now;
    }
    now = MPI_Wtime();
    if (is_flush) {
        MPI_Win_unlock_all(win);
    }
    MPI_Group_free(&peer);
    if (check_rank == 0) {
        double rate =
            (double)groups * ahead * (double)bytes / (now - from) / 1e6;

        printf("%s %d x %d %s: %.2f MB/s, %.1f us, longest %.1f us\n", op,
               ahead, bytes, sync_by, rate, 1e6 * (now - from) / groups,
               1e6 * longest);
        CHECK(rate >= least, "%.2f MB/s, expected %.2f", rate, least);
        CHECK(most <= 0 || 1e6 * longest <= most, "%.1f us, expected %.1f",
              1e6 * longest, most);
    }
}

/* --- arguments ------------------------------------------------------------ */

static int take(const char *argument, const char *key, const char **value_p)
{
    size_t length = strlen(key);

    if (strncmp(argument, key, length) != 0 || argument[length] != '=') {
        return 0;
    }
    *value_p = argument + length + 1;
    return 1;
}

static void arguments(int argc, char **argv)
{
    const char *value;

    op = argv[1];
    bytes = atoi(argv[2]);
    ahead = atoi(argv[3]);
    sync_by = argv[4];
    is_vector = strstr(op, "-vector") != NULL;
    for (int i = 5; i < argc; ++i) {
        if (take(argv[i], "name", &name) || take(argv[i], "kind", &kind)) {
            continue;
        }
        if (take(argv[i], "out", &value)) {
            out_mb = atof(value);
        } else if (take(argv[i], "back", &value)) {
            back_mb = atof(value);
        } else if (take(argv[i], "flood", &value)) {
            flooded = atoi(value);
        } else if (take(argv[i], "least", &value)) {
            least = atof(value);
        } else if (take(argv[i], "most", &value)) {
            most = atof(value);
        } else {
            fprintf(stderr, "windows: invalid argument '%s'\n", argv[i]);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
}

int main(int argc, char **argv)
{
    int is_pair;

    check_start(&argc, &argv);
    arguments(argc, argv);
    is_pair = check_rank == 0 || check_rank == 2;
    MPI_Comm_split(MPI_COMM_WORLD, is_pair ? 0 : 1, check_rank, &comm);
    if (is_pair) {
        MPI_Comm_set_name(comm, name);
        make_type();
        open_window();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    end = MPI_Wtime() + SECONDS;
    MPI_Bcast(&end, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (is_pair) {
        measure();
    } else if (flooded) {
        flood();
    }
    if (is_pair) {
        MPI_Barrier(comm);
        MPI_Win_free(&win);
        if (is_vector) {
            MPI_Type_free(&type);
        }
    }
    MPI_Comm_free(&comm);
    return check_end();
}
