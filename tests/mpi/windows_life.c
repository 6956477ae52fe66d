/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the lifetime of the reservations of windows: overlapping windows,
 * denials, the order of freeing windows and communicators, duplicates, and
 * dynamic and shared windows. The job has either two ranks on different hosts,
 * or four ranks with two ranks per host.
 */
#include "check.h"

#include <string.h>

enum {
    WORDS = 8192,
    ROUNDS = 40,
    MOST = 48 /* available bandwidth without any reservation, MB/s */
};

static double memory[WORDS], values[WORDS];
static MPI_Comm probe;
static int peer; /* a rank on the other host */
static double
    share; /* fraction of the bandwidth that this rank requests, because
                      * two ranks may share a host */

static MPI_Info hints(double mb)
{
    char rank[16], bandwidth[32];
    MPI_Info info;

    snprintf(rank, sizeof(rank), "%d", peer);
    snprintf(bandwidth, sizeof(bandwidth), "%g MB/s", mb * share);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpiqos_bandwidth", bandwidth);
    MPI_Info_set(info, "mpiqos_peer", rank);
    return info;
}

static MPI_Win open_on(MPI_Comm comm, double mb)
{
    MPI_Info info = hints(mb);
    MPI_Win win;

    MPI_Win_create(memory, sizeof(memory), sizeof(double), info, comm, &win);
    MPI_Info_free(&info);
    return win;
}

static const char *state(MPI_Win win)
{
    static char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;
    int found;

    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "mpiqos_state", MPI_MAX_INFO_VAL, value, &found);
    MPI_Info_free(&info);
    return found ? value : "";
}

#define EXPECT_STATE(_win, _state)                                             \
    CHECK(strcmp(state(_win), _state) == 0, "'%s'", state(_win))

/* Rank 0 adds to the peer's memory and reads the sum. */
static void use(MPI_Win win)
{
    double before, after;

    MPI_Win_lock_all(0, win);
    if (check_rank == 0) {
        MPI_Get(&before, 1, MPI_DOUBLE, peer, 7, 1, MPI_DOUBLE, win);
        MPI_Win_flush(peer, win);
        MPI_Accumulate(values, WORDS, MPI_DOUBLE, peer, 0, WORDS, MPI_DOUBLE,
                       MPI_SUM, win);
        MPI_Win_flush(peer, win);
        MPI_Get(&after, 1, MPI_DOUBLE, peer, 7, 1, MPI_DOUBLE, win);
        MPI_Win_flush(peer, win);
        CHECK(after == before + values[7], "%g after %g", after, before);
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* On rank 0, check whether this additional bandwidth can be reserved. The other
 * ranks wait, because simultaneous requests of several ranks would compete. */
static void expect_room(double mb, int expected, const char *when)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        CHECK(fits(probe, peer, mb * MB) == expected, "%g MB/s, %s", mb, when);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void expect_nothing(const char *after)
{
    expect_room(MOST, 1, after);
}

/* Two windows on the same memory and the same communicator have separate
 * reservations. The sum of all reservations is limited. */
static void overlap(void)
{
    MPI_Win first = open_on(MPI_COMM_WORLD, 10);
    MPI_Win second = open_on(MPI_COMM_WORLD, 8), third;

    EXPECT_STATE(first, "granted");
    EXPECT_STATE(second, "granted");
    expect_room(MOST - 12, 0, "18 MB/s are reserved");
    third = open_on(MPI_COMM_WORLD, 70);
    EXPECT_STATE(third, "denied");
    use(first);
    use(second);
    use(third);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&third);
    EXPECT_STATE(first, "granted");
    MPI_Win_free(&first);
    EXPECT_STATE(second, "granted");
    MPI_Win_free(&second);
    expect_nothing("overlapping windows");
}

/* A window keeps its reservation when its communicator is freed. Freeing the
 * window itself releases the reservation. */
static void free_in_order(int comm_first)
{
    MPI_Comm comm;
    MPI_Win win;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    win = open_on(comm, 12);
    CHECK(ask(comm, peer, 5 * MB * share)->state == MPIQOS_GRANTED, "5 MB/s");
    if (comm_first) {
        MPI_Comm_free(&comm);
    }
    EXPECT_STATE(win, "granted");
    use(win);
    expect_room(MOST, 0, "12 MB/s are reserved");
    MPI_Win_free(&win);
    if (!comm_first) {
        MPI_Comm_free(&comm);
    }
    expect_nothing("a window and a communicator");
}

/* A window does not inherit the reservation of its communicator. A duplicated
 * communicator does not inherit a reservation either. */
static void inherit(void)
{
    MPI_Comm comm, again;
    MPI_Win win;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(ask(comm, peer, 15 * MB * share)->state == MPIQOS_GRANTED, "15 MB/s");
    MPI_Win_create(memory, sizeof(memory), sizeof(double), MPI_INFO_NULL, comm,
                   &win);
    EXPECT_STATE(win, "");
    MPI_Comm_dup(comm, &again);
    expect_room(25, 1, "15 MB/s are reserved once");
    use(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&again);
    MPI_Comm_free(&comm);
    expect_nothing("a communicator with a window");
}

/* Hints in MPI_Win_set_info change and release the reservation. */
static void change(void)
{
    MPI_Win win = open_on(MPI_COMM_WORLD, 10);
    MPI_Info info = hints(25);

    MPI_Win_set_info(win, info);
    EXPECT_STATE(win, "granted");
    expect_room(MOST - 20, 0, "25 MB/s are reserved");
    use(win);
    MPI_Info_set(info, "mpiqos_bandwidth", "25");
    MPI_Win_set_info(win, info);
    EXPECT_STATE(win, "malformed");
    MPI_Info_set(info, "mpiqos_bandwidth", "0 MB/s");
    MPI_Info_set(info, "mpiqos_class", "none");
    MPI_Win_set_info(win, info);
    EXPECT_STATE(win, "released");
    use(win);
    expect_nothing("class \"none\"");
    MPI_Info_free(&info);
    MPI_Win_free(&win);
}

static void dynamic(void)
{
    MPI_Info info = hints(15);
    MPI_Aint base, address;
    double read = 0;
    MPI_Win win;

    MPI_Win_create_dynamic(info, MPI_COMM_WORLD, &win);
    EXPECT_STATE(win, "granted");
    MPI_Win_attach(win, memory, sizeof(memory));
    MPI_Get_address(memory, &address);
    base = address;
    MPI_Bcast(&base, 1, MPI_AINT, (check_size == 2) ? 1 : 2, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (check_rank == 0) {
        MPI_Put(values, WORDS, MPI_DOUBLE, peer, base, WORDS, MPI_DOUBLE, win);
        MPI_Win_flush(peer, win);
        MPI_Get(&read, 1, MPI_DOUBLE, peer, base, 1, MPI_DOUBLE, win);
        MPI_Win_flush(peer, win);
        CHECK(read == values[0], "%g", read);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    MPI_Info_free(&info);
    expect_nothing("a dynamic window");
}

/* The members of a shared window use the memory of their host. */
static void shared(void)
{
    MPI_Info info;
    MPI_Comm host;
    MPI_Win win;
    double *own;
    int size;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &host);
    MPI_Comm_size(host, &size);
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpiqos_bandwidth", "15 MB/s");
    MPI_Win_allocate_shared(sizeof(double), 1, info, host, &own, &win);
    EXPECT_STATE(win, size > 1 ? "unsupported" : "granted");
    MPI_Win_free(&win);
    MPI_Info_free(&info);
    MPI_Comm_free(&host);
    expect_nothing("a shared window");
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    share = 2.0 / check_size;
    peer = (check_rank + check_size / 2) % check_size;
    for (int i = 0; i < WORDS; ++i) {
        values[i] = i + 1;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &probe);
    overlap();
    free_in_order(1);
    free_in_order(0);
    inherit();
    change();
    dynamic();
    shared();
    /* Labels and reservations of freed windows can be used again. */
    for (int i = 0; i < ROUNDS; ++i) {
        MPI_Win win = open_on(MPI_COMM_WORLD, 15);

        EXPECT_STATE(win, "granted");
        MPI_Win_free(&win);
    }
    expect_nothing("many windows");
    MPI_Comm_free(&probe);
    return check_end();
}
