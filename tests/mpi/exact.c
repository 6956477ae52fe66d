/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests that a single call of MPI_Test or a similar function detects a complete
 * request. The requests are cancelled receives, and synchronous sends of a
 * process to itself, which are complete when their receives are complete.
 */
#include "check.h"

#define TAG        5
#define MOST_BYTES 100000

static char sent[MOST_BYTES];
static char received[MOST_BYTES];
static const int sizes[] = {0, 1, 4000, 20000, MOST_BYTES};

#define N_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static const char *const names[] = {
    "MPI_Test",    "MPI_Request_get_status", "MPI_Testall",
    "MPI_Testany", "MPI_Testsome",
};

#define N_CALLS (sizeof(names) / sizeof(names[0]))

static int is_complete(unsigned call, MPI_Request *request)
{
    MPI_Status status;
    int flag = 0;
    int index;

    switch (call) {
    case 0:
        MPI_Test(request, &flag, &status);
        break;
    case 1:
        MPI_Request_get_status(*request, &flag, &status);
        break;
    case 2:
        MPI_Testall(1, request, &flag, &status);
        break;
    case 3:
        MPI_Testany(1, request, &index, &flag, &status);
        break;
    default:
        MPI_Testsome(1, request, &flag, &index, &status);
        break;
    }
    return flag == 1;
}

/* Check that one call detects the complete request. */
static void check_once(unsigned call, MPI_Request *request, const char *what)
{
    CHECK(is_complete(call, request), "%s: %s", names[call], what);
    if (*request != MPI_REQUEST_NULL) {
        MPI_Wait(request, MPI_STATUS_IGNORE);
    }
}

/* Send a message to the process itself. Test the send as often as the caller
 * wants before the receive, and once after it. */
static void test_self(MPI_Comm comm, int size, unsigned call, int n_early)
{
    MPI_Request request;
    int rank;

    MPI_Comm_rank(comm, &rank);
    MPI_Issend(sent, size, MPI_BYTE, rank, TAG, comm, &request);
    MPI_Probe(MPI_ANY_SOURCE, TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < n_early; ++i) {
        CHECK(!is_complete(call, &request),
              "%s: the send is complete before the receive", names[call]);
    }
    MPI_Recv(received, size, MPI_BYTE, rank, TAG, comm, MPI_STATUS_IGNORE);
    check_once(call, &request, "synchronous send to itself");

    MPI_Irecv(received, size, MPI_BYTE, rank, TAG, comm, &request);
    MPI_Cancel(&request);
    check_once(call, &request, "cancelled receive");
}

int main(int argc, char **argv)
{
    MPI_Comm copy;

    check_start(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (unsigned i = 0; i < N_SIZES * N_CALLS; ++i) {
        int size = sizes[i / N_CALLS];
        unsigned call = (unsigned)(i % N_CALLS);

        for (int n_early = 0; n_early < 3; ++n_early) {
            test_self(MPI_COMM_SELF, size, call, n_early);
            test_self(MPI_COMM_WORLD, size, call, n_early);
            test_self(copy, size, call, n_early);
        }
    }
    MPI_Comm_free(&copy);
    return check_end();
}
