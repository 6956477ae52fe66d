/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lets an allocation fail while a long message is announced. The send must
 * return an error and release the memory that it has allocated, and a later
 * message must arrive.
 */
#include "check.h"

#include <string.h>

enum {
    BYTES = 300000,
    MOST_ALLOCATIONS = 16
};

/* functions of the C library that this program replaces */
void *__libc_calloc(size_t count, size_t bytes);
void __libc_free(void *block);

static int fails_at; /* number of the allocation that fails; 0: none */
static int is_watching;
static int count;
static void *allocated[MOST_ALLOCATIONS]; /* NULL: released again */

void *calloc(size_t number, size_t bytes)
{
    void *block = NULL;

    if (!is_watching) {
        return __libc_calloc(number, bytes);
    }
    if (++count != fails_at) {
        block = __libc_calloc(number, bytes);
    }
    if (count <= MOST_ALLOCATIONS) {
        allocated[count - 1] = block;
    }
    return block;
}

void free(void *block)
{
    for (int i = 0; is_watching && i < MOST_ALLOCATIONS; ++i) {
        if (allocated[i] == block) {
            allocated[i] = NULL;
        }
    }
    __libc_free(block);
}

/* Send a message that the receiver does not expect. @return 1 if the n-th
 * allocation failed */
static int announce_without_memory(const char *data, int nth)
{
    MPI_Request request;
    int result;

    memset(allocated, 0, sizeof(allocated));
    count = 0;
    fails_at = nth;
    is_watching = 1;
    result = MPI_Isend(data, BYTES, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &request);
    is_watching = 0;
    if (count < nth) {
        CHECK(result == MPI_SUCCESS, "no allocation failed");
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return 0;
    }
    CHECK(result != MPI_SUCCESS, "allocation %d failed", nth);
    for (int i = 0; i < MOST_ALLOCATIONS; ++i) {
        CHECK(allocated[i] == NULL, "allocation %d of %d was not released",
              i + 1, count);
    }
    return 1;
}

int main(int argc, char **argv)
{
    static char data[BYTES];
    int nth = 1;

    check_start(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (check_rank == 0) {
        /* the first message creates what all messages to this rank use */
        MPI_Send(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        data[BYTES - 1] = 7;
        while (announce_without_memory(data, nth)) {
            ++nth;
        }
        CHECK(nth == 3, "a message has two allocations, not %d", nth - 1);
    } else if (check_rank == 1) {
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        MPI_Recv(data, BYTES, MPI_CHAR, 0, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        CHECK(data[BYTES - 1] == 7, "incorrect data");
    }
    return check_end();
}
