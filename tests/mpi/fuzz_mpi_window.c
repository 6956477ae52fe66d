/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs rounds of one-sided communication. On every rank, a window contains one
 * region per origin, which this origin uses for its puts and gets. The regions
 * are followed by counters, which all ranks change:
 *
 *     | region of 0 | region of 1 | .. | sums | ticket, - | swapped, - | turns, - |
 *
 * All parts begin at multiples of 16 bytes, because 16 bytes is the largest
 * displacement unit.
 */
#include "fuzz_mpi.h"

#include <string.h>

enum {
    REGION = 160000, /* bytes */
    SUMS = 4000,     /* number of long integers to which all ranks add */
    MOST_OPS = 12
};

typedef enum {
    FENCE,
    LOCKS,
    LOCK_ALL,
    POST_START
} sync_t;

enum {
    SYNCS = POST_START + 1
};

typedef struct window {
    MPI_Comm comm;
    MPI_Win win;
    int rank, unit; /* displacement unit of this rank */
    int units[16];
    char *memory;
    size_t bytes;
    MPI_Aint bases[16]; /* displacement of the start of the memory; for a
                         * dynamic window, its address */
    int is_dynamic;
    /* expected contents of the caller's regions on all targets */
    char *shadows;
} window_t;

/*
 * A piece of the caller's region on a target, with the expected final contents.
 */
typedef struct op {
    int target, is_put;
    long at; /* offset in the window in bytes */
    unsigned message;
    fuzz_layout_t origin, there;
    fuzz_memory_t memory;
} op_t;

static MPI_Aint place_of(const window_t *window, int target, long at)
{
    return window->is_dynamic ? window->bases[target] + at
                              : at / window->units[target];
}

static char start_at(int rank, size_t i)
{
    return (char)(rank * 17 + (int)(i % 251));
}

static size_t sums_at(void)
{
    return (size_t)check_size * REGION;
}

static void window_open(window_t *window, int is_dynamic)
{
    static const int units[] = {1, 2, 4, 8, 16, 1};
    MPI_Aint base = 0;

    memset(window, 0, sizeof(*window));
    window->is_dynamic = is_dynamic;
    window->comm = fuzz_any_comm();
    MPI_Comm_rank(window->comm, &window->rank);
    for (int i = 0; i < check_size; ++i) {
        window->units[i] = is_dynamic ? 1 : units[fuzz_draw(6)];
    }
    window->unit = window->units[window->rank];
    window->bytes = sums_at() + (SUMS + 6) * sizeof(long);
    if (is_dynamic) {
        window->memory = malloc(window->bytes);
        MPI_Win_create_dynamic(MPI_INFO_NULL, window->comm, &window->win);
        MPI_Win_attach(window->win, window->memory, (MPI_Aint)window->bytes);
        MPI_Get_address(window->memory, &base);
    } else if (fuzz_draw(2)) {
        MPI_Win_allocate((MPI_Aint)window->bytes, window->unit, MPI_INFO_NULL,
                         window->comm, &window->memory, &window->win);
    } else {
        window->memory = malloc(window->bytes);
        MPI_Win_create(window->memory, (MPI_Aint)window->bytes, window->unit,
                       MPI_INFO_NULL, window->comm, &window->win);
        base = 1; /* the caller must free the window's memory */
    }
    for (size_t i = 0; i < sums_at(); ++i) {
        window->memory[i] = start_at(window->rank, i);
    }
    memset(window->memory + sums_at(), 0, window->bytes - sums_at());
    window->shadows = malloc(sums_at());
    for (size_t i = 0; i < sums_at(); ++i) {
        window->shadows[i] = start_at(
            (int)(i / REGION), i % REGION + (size_t)window->rank * REGION);
    }
    MPI_Allgather(&base, 1, MPI_AINT, window->bases, 1, MPI_AINT, window->comm);
}

static void window_close(window_t *window)
{
    int is_own = window->bases[window->rank] != 0;

    free(window->shadows);
    if (window->is_dynamic) {
        MPI_Barrier(window->comm);
        MPI_Win_detach(window->win, window->memory);
    }
    MPI_Win_free(&window->win);
    if (is_own) {
        free(window->memory);
    }
}

/* ---- the operations of an epoch ---- */

/*
 * Perform a random operation. The operations of a rank in one epoch never
 * overlap, because each operation uses a different part of the region.
 */
static void op_make(op_t *op, const window_t *window, int target, int i)
{
    unsigned base = fuzz_below(&fuzz_own, FUZZ_BASES);
    long size = fuzz_base_bytes(base), part = REGION / MOST_OPS / 16 * 16;
    long bytes =
        (long)fuzz_below(&fuzz_own, fuzz_below(&fuzz_own, 3) ? 300 : 6000);

    op->target = target;
    op->message = (unsigned)(window->rank * 1000 + fuzz_round * 31 + i);
    bytes -= bytes % size;
    if (fuzz_below(&fuzz_own, 4) == 0) {
        /* this operation covers its complete part */
        bytes = (part - 64) / size * size;
    }
    /* the bytes that the operation transfers must lie in its part */
    for (;;) {
        fuzz_layout_make(&op->there, &fuzz_own, base, bytes);
        if (op->there.high - op->there.low <= part - 32) {
            break;
        }
        fuzz_layout_free(&op->there);
        bytes = bytes / 2 / size * size;
    }
    fuzz_layout_make(&op->origin, &fuzz_own, base, bytes);
    fuzz_memory_make(&op->memory, &op->origin);
    op->at = (long)window->rank * REGION + i * part - op->there.low;
    op->at = (op->at + 15) / 16 * 16;
}

static void op_end(op_t *op)
{
    fuzz_memory_free(&op->memory);
    fuzz_layout_free(&op->origin);
    fuzz_layout_free(&op->there);
}

static void op_put(op_t *op, const window_t *window, int is_passive)
{
    MPI_Aint at = place_of(window, op->target, op->at);
    fuzz_memory_t shadow = {.buffer = window->shadows +
                                      (long)op->target * REGION + op->at -
                                      (long)window->rank * REGION};

    unsigned way = fuzz_below(&fuzz_own, 4);
    MPI_Request request;

    fuzz_memory_fill(&op->memory, &op->origin, op->message, op->origin.bytes);
    fuzz_memory_fill(&shadow, &op->there, op->message, op->there.bytes);
    if (way == 1 && is_passive) {
        MPI_Rput(op->memory.buffer, op->origin.count, op->origin.type,
                 op->target, at, op->there.count, op->there.type, window->win,
                 &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        /*
         * the data may not have arrived in the window yet, but the caller may
         * already reuse the memory
         */
        fuzz_memory_fill(&op->memory, &op->origin, op->message + 1,
                         op->origin.bytes);
    } else if (way == 0) {
        MPI_Accumulate(op->memory.buffer, op->origin.count, op->origin.type,
                       op->target, at, op->there.count, op->there.type,
                       MPI_REPLACE, window->win);
    } else {
        MPI_Put(op->memory.buffer, op->origin.count, op->origin.type,
                op->target, at, op->there.count, op->there.type, window->win);
    }
}

/*
 * Check that the caller's regions on all targets contain the data that the
 * caller has put there.
 */
static void check_regions(const window_t *window)
{
    char *region = malloc(REGION);

    for (int target = 0; target < check_size; ++target) {
        const char *right = window->shadows + (long)target * REGION;
        long first = 0;

        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
        MPI_Get(region, REGION, MPI_BYTE, target,
                place_of(window, target, (long)window->rank * REGION), REGION,
                MPI_BYTE, window->win);
        MPI_Win_unlock(target, window->win);
        while (first < REGION && region[first] == right[first]) {
            ++first;
        }
        CHECK(first == REGION, "round %d: byte %ld at rank %d is wrong",
              fuzz_round, first, target);
    }
    free(region);
}

/* ---- epochs ---- */

static void epoch_begin(const window_t *window, sync_t sync, int target)
{
    MPI_Group group;

    switch (sync) {
    case FENCE:
        MPI_Win_fence(0, window->win);
        break;
    case LOCKS:
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
        break;
    case LOCK_ALL:
        MPI_Win_lock_all(0, window->win);
        break;
    case POST_START:
        MPI_Comm_group(window->comm, &group);
        MPI_Win_post(group, 0, window->win);
        MPI_Win_start(group, 0, window->win);
        MPI_Group_free(&group);
        break;
    }
}

static void epoch_end(const window_t *window, sync_t sync, int target)
{
    switch (sync) {
    case FENCE:
        MPI_Win_fence(0, window->win);
        break;
    case LOCKS:
        MPI_Win_unlock(target, window->win);
        break;
    case LOCK_ALL:
        MPI_Win_unlock_all(window->win);
        break;
    case POST_START:
        MPI_Win_complete(window->win);
        MPI_Win_wait(window->win);
        break;
    }
}

/* Put data, and get the same data back in the next epoch through another
 * layout. */
static void play_puts(const window_t *window, sync_t sync, int target, int n)
{
    op_t ops[MOST_OPS], back[MOST_OPS];

    epoch_begin(window, sync, target);
    for (int i = 0; i < n; ++i) {
        op_make(&ops[i], window, target, i);
        op_put(&ops[i], window, sync == LOCKS || sync == LOCK_ALL);
    }
    if (sync == LOCK_ALL && fuzz_below(&fuzz_own, 2)) {
        if (fuzz_below(&fuzz_own, 2)) {
            MPI_Win_flush(target, window->win);
        } else {
            MPI_Win_flush_all(window->win);
        }
    } else {
        epoch_end(window, sync, target);
        epoch_begin(window, sync, target);
    }
    for (int i = 0; i < n; ++i) {
        back[i] = ops[i];
        fuzz_memory_make(&back[i].memory, &ops[i].origin);
        if (fuzz_below(&fuzz_own, 4) == 0) {
            MPI_Get_accumulate(
                NULL, 0, MPI_BYTE, back[i].memory.buffer, ops[i].origin.count,
                ops[i].origin.type, target, place_of(window, target, ops[i].at),
                ops[i].there.count, ops[i].there.type, MPI_NO_OP, window->win);
        } else {
            MPI_Get(back[i].memory.buffer, ops[i].origin.count,
                    ops[i].origin.type, target,
                    place_of(window, target, ops[i].at), ops[i].there.count,
                    ops[i].there.type, window->win);
        }
    }
    epoch_end(window, sync, target);
    for (int i = 0; i < n; ++i) {
        fuzz_memory_check(&back[i].memory, &ops[i].origin, ops[i].message,
                          ops[i].origin.bytes, "returned data");
        fuzz_memory_free(&back[i].memory);
        op_end(&ops[i]);
    }
}

/* On each rank: add to the sums of a target, take a ticket, and try to swap a
 * value. */
static void play_sums(const window_t *window, int target, int n, long factor)
{
    size_t at = sums_at() + (size_t)SUMS * sizeof(long);
    long *ones = malloc((size_t)n * sizeof(*ones) + 1);
    long *before = malloc((size_t)n * sizeof(*before) + 1);
    long one = 1, ticket = -1, none = 0, own = window->rank + 1, old = -1;

    for (int i = 0; i < n; ++i) {
        ones[i] = factor * (i + 1);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
    if (fuzz_below(&fuzz_own, 2)) {
        MPI_Accumulate(ones, n, MPI_LONG, target,
                       place_of(window, target, (long)sums_at()), n, MPI_LONG,
                       MPI_SUM, window->win);
    } else {
        MPI_Get_accumulate(ones, n, MPI_LONG, before, n, MPI_LONG, target,
                           place_of(window, target, (long)sums_at()), n,
                           MPI_LONG, MPI_SUM, window->win);
    }
    MPI_Fetch_and_op(&one, &ticket, MPI_LONG, target,
                     place_of(window, target, (long)at), MPI_SUM, window->win);
    MPI_Compare_and_swap(
        &own, &none, &old, MPI_LONG, target,
        place_of(window, target, (long)(at + 2 * sizeof(long))), window->win);
    MPI_Win_unlock(target, window->win);
    CHECK(ticket >= 0 && ticket < check_size, "round %d: invalid ticket %ld",
          fuzz_round, ticket);
    CHECK(old >= 0 && old <= check_size, "round %d: invalid swapped value %ld",
          fuzz_round, old);
    fuzz_note((uint64_t)ticket);
    free(ones);
    free(before);
}

/*
 * Change a counter under an exclusive lock, which prevents other ranks from
 * writing between the read and the write.
 */
static void play_turns(const window_t *window, int target, int n)
{
    MPI_Aint at =
        place_of(window, target, (long)(sums_at() + (SUMS + 4) * sizeof(long)));
    long turns = -1;

    for (int i = 0; i < n; ++i) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win);
        MPI_Get(&turns, 1, MPI_LONG, target, at, 1, MPI_LONG, window->win);
        MPI_Win_flush(target, window->win);
        ++turns;
        MPI_Put(&turns, 1, MPI_LONG, target, at, 1, MPI_LONG, window->win);
        MPI_Win_unlock(target, window->win);
        fuzz_note((uint64_t)turns);
    }
    MPI_Barrier(window->comm);
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window->win);
    MPI_Get(&turns, 1, MPI_LONG, target, at, 1, MPI_LONG, window->win);
    MPI_Win_unlock(target, window->win);
    CHECK(turns == (long)n * check_size, "round %d: the counter is %ld, not %d",
          fuzz_round, turns, n * check_size);
}

static void check_sums(const window_t *window, int target, int n)
{
    const long *sums = (const long *)(window->memory + sums_at());
    long factors = (long)check_size * (check_size + 1) / 2;
    int wrong = 0;

    MPI_Barrier(window->comm);
    if (window->rank == target) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window->win);
        for (int i = 0; i < SUMS; ++i) {
            wrong += sums[i] != (i < n ? factors * (i + 1) : 0);
        }
        CHECK(wrong == 0, "round %d: %d of %d sums are incorrect", fuzz_round,
              wrong, n);
        CHECK(sums[SUMS] == check_size,
              "round %d: incorrect number of tickets %ld", fuzz_round,
              sums[SUMS]);
        CHECK(sums[SUMS + 2] > 0 && sums[SUMS + 2] <= check_size,
              "round %d: invalid final value %ld", fuzz_round, sums[SUMS + 2]);
        MPI_Win_unlock(target, window->win);
    }
}

static void play_epochs(window_t *window)
{
    int n = (int)fuzz_draw(MOST_OPS + 1), times = 1 + (int)fuzz_draw(3);
    int summed = (int)fuzz_draw(2) ? (int)fuzz_draw(SUMS) : 10;
    int target = (int)fuzz_draw((unsigned)check_size);

    for (int i = 0; i < times; ++i) {
        sync_t sync = (sync_t)fuzz_draw(SYNCS);

        play_puts(window, sync,
                  (int)fuzz_below(&fuzz_own, (unsigned)check_size), n);
        if (sync == FENCE) {
            MPI_Win_fence(MPI_MODE_NOSUCCEED, window->win);
        }
        MPI_Barrier(window->comm);
    }
    play_sums(window, target, summed, window->rank + 1);
    check_regions(window);
    check_sums(window, target, summed);
    play_turns(window, target, (int)fuzz_draw(6));
}

void fuzz_play_window(void)
{
    window_t window;

    window_open(&window, 0);
    play_epochs(&window);
    window_close(&window);
}

void fuzz_play_dynamic_window(void)
{
    window_t window;

    window_open(&window, 1);
    play_epochs(&window);
    window_close(&window);
}
