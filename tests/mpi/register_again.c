/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests messages from memory that was freed and then allocated again, at the
 * same address or at a different address. The messages must contain the present
 * contents of the memory. The time of a message may depend on lengths and
 * counts, but never on addresses. The library must find cached registrations.
 */
#define _GNU_SOURCE
#include "check.h"

#include <gmsim.h>
#include <mpix_gm.h>
#include <string.h>
#include <sys/mman.h>

enum {
    LENGTH = 200000,
    LONG_LENGTH = 4096000,
    ROUNDS = 8
};

static char *map_at(char *address, size_t offset)
{
    size_t bytes = LENGTH + 8192;
    char *memory = mmap(
        address, bytes, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | (address != NULL ? MAP_FIXED : 0), -1, 0);

    if (memory == MAP_FAILED) {
        perror("mmap");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return memory + offset;
}

static void unmap(char *memory)
{
    munmap((void *)((uintptr_t)memory & ~(uintptr_t)4095), LENGTH + 8192);
}

/*
 * Send a message from rank 0 to rank 1. Return the time of the message on the
 * calling rank.
 */
static uint64_t pass(char *memory, int value, int length)
{
    uint64_t start_ps;
    int i;

    memset(memory, check_rank == 0 ? value : -1, (size_t)length);
    MPI_Barrier(MPI_COMM_WORLD);
    start_ps = gmsim_time_ps();
    if (check_rank == 0) {
        MPI_Send(memory, length, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else if (check_rank == 1) {
        MPI_Recv(memory, length, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        for (i = 0; i < length && memory[i] == (char)value; ++i) {
        }
        CHECK(i == length, "byte %d is %d, not %d", i, memory[i], value);
    }
    return gmsim_time_ps() - start_ps;
}

/*
 * Check that a message always takes the same time: after the pages at its
 * address were replaced, at a different address, and at a different offset in a
 * page.
 */
static void test_addresses(void)
{
    char *first = map_at(NULL, 0), *memory = first, *held[ROUNDS];
    uint64_t again_ps = 0;

    pass(memory, 1, LENGTH);
    pass(memory, 2, LENGTH);
    for (int i = 0; i < ROUNDS; ++i) {
        uint64_t took_ps;

        unmap(memory);
        memory = map_at(first, 0);
        took_ps = pass(memory, 10 + i, LENGTH);
        again_ps = again_ps != 0 ? again_ps : took_ps;
        CHECK(took_ps == again_ps,
              "a message from the same address took %llu ps, not %llu ps",
              (unsigned long long)took_ps, (unsigned long long)again_ps);
    }
    for (int i = 0; i < ROUNDS; ++i) {
        uint64_t took_ps;

        held[i] = map_at(NULL, (size_t)i * 513);
        took_ps = pass(held[i], 30 + i, LENGTH);
        CHECK(took_ps == again_ps,
              "a message from another address took %llu ps, not %llu ps",
              (unsigned long long)took_ps, (unsigned long long)again_ps);
    }
    for (int i = 0; i < ROUNDS; ++i) {
        unmap(held[i]);
    }
    unmap(memory);
    for (int i = 0; i < ROUNDS; ++i) {
        memory = malloc(LENGTH);
        CHECK(pass(memory, 50 + i, LENGTH) == again_ps,
              "the time of a message depends on the address of its buffer");
        free(memory);
    }
}

/*
 * Memory is registered only while a message needs the registration. The limit
 * is therefore never reached, and every message can register its memory.
 */
static void test_limit(void)
{
    MPIX_GM_Counts before, after;
    uint64_t most = 0, sum;
    unsigned long long n = 0;
    char *memory;

    MPIX_GM_Get_counts(&before);

    gmsim_get_param("gm_registered_bytes", &most);
    most *= 2;
    memory = mmap(NULL, most, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    for (sum = 0; sum + LONG_LENGTH <= most; sum += LONG_LENGTH) {
        pass(memory + sum, (int)n++, LONG_LENGTH);
        madvise(memory + sum, LONG_LENGTH, MADV_DONTNEED);
    }
    munmap(memory, most);
    MPIX_GM_Get_counts(&after);
    n = check_rank < 2 ? n : 0;
    CHECK(after.registered + after.found_registered - before.registered -
                  before.found_registered ==
              n,
          "not all of %llu messages were registered", n);
}

/*
 * Check that messages that use a buffer at the same time each register the
 * buffer once, and that later messages find these registrations.
 */
static void test_counts(void)
{
    static char memory[4][100000];
    MPIX_GM_Counts before, after;
    MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL,
                               MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int n = check_rank < 2 ? 1 : 0;

    MPIX_GM_Get_counts(&before);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 4 && n; ++i) {
            if (check_rank == 0) {
                MPI_Isend(memory[i], sizeof(memory[i]), MPI_BYTE, 1, i,
                          MPI_COMM_WORLD, &requests[i]);
            } else {
                MPI_Irecv(memory[i], sizeof(memory[i]), MPI_BYTE, 0, i,
                          MPI_COMM_WORLD, &requests[i]);
            }
        }
        for (int i = 0; i < 4; ++i) {
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
        MPIX_GM_Get_counts(&after);
        CHECK(after.registered + after.found_registered - before.registered -
                      before.found_registered ==
                  (unsigned)(4 * n * (round + 1)),
              "the number of registrations and messages differs");
        CHECK(after.registered - before.registered <= (unsigned)(4 * n),
              "the memory was registered %llu times",
              after.registered - before.registered);
    }
    CHECK(!n || after.registered > before.registered,
          "the memory was never registered");
}

int main(int argc, char **argv)
{
    check_start(&argc, &argv);
    test_counts();
    test_addresses();
    test_limit();
    return check_end();
}
