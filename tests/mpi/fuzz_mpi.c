/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs random MPI programs that check their own results (fuzz_mpi.h). Usage:
 * fuzz_mpi [ROUNDS [SEED [MOST_BYTES]]] */
#define CHECK_STATE
#include "fuzz_mpi.h"

#include <string.h>

fuzz_stream_t fuzz_shared, fuzz_own;
int fuzz_round;
MPI_Comm fuzz_comms[FUZZ_COMMS];
long fuzz_most_bytes = 1 << 20;

static uint64_t noted;

/* splitmix64 */
static uint64_t next(uint64_t *state)
{
    uint64_t x = (*state += UINT64_C(0x9e3779b97f4a7c15));

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

void fuzz_seed(fuzz_stream_t *stream, uint64_t seed)
{
    stream->state = seed;
    stream->state = next(&stream->state);
}

unsigned fuzz_below(fuzz_stream_t *stream, unsigned limit)
{
    return (unsigned)(next(&stream->state) >> 33) % limit;
}

unsigned fuzz_draw(unsigned limit)
{
    return fuzz_below(&fuzz_shared, limit);
}

void fuzz_note(uint64_t number)
{
    noted ^= number + UINT64_C(0x9e3779b97f4a7c15);
    noted = next(&noted);
}

MPI_Comm fuzz_any_comm(void)
{
    return fuzz_comms[fuzz_draw(3)];
}

/* ---- communicators ---- */

static void open_comms(void)
{
    fuzz_comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &fuzz_comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -check_rank, &fuzz_comms[2]);
    MPI_Comm_dup(MPI_COMM_SELF, &fuzz_comms[3]);
    for (int i = 0; i < FUZZ_COMMS; ++i) {
        MPI_Comm_set_errhandler(fuzz_comms[i], MPI_ERRORS_RETURN);
    }
}

static void close_comms(void)
{
    for (int i = 1; i < FUZZ_COMMS; ++i) {
        MPI_Comm_free(&fuzz_comms[i]);
    }
}

/* Free a communicator while a message is in flight, and create another
 * communicator with the same ranks. */
static void renew_comm(void)
{
    enum {
        LENGTH = 40000
    };
    static char out[LENGTH], in[LENGTH];
    int n = 1 + (int)fuzz_draw(2);
    long bytes = fuzz_length(0, LENGTH);
    int right, left;
    MPI_Comm comm;
    MPI_Request requests[2];
    MPI_Status statuses[2];

    MPI_Comm_dup(fuzz_comms[n], &comm);
    MPI_Comm_rank(comm, &left);
    right = (left + 1) % check_size;
    memset(out, left + fuzz_round, LENGTH);
    left = (left + check_size - 1) % check_size;
    memset(in, 'g', LENGTH);
    MPI_Irecv(in, LENGTH, MPI_BYTE, left, 0, comm, &requests[0]);
    MPI_Isend(out, (int)bytes, MPI_BYTE, right, 0, comm, &requests[1]);
    MPI_Comm_free(&comm);
    MPI_Comm_dup(fuzz_comms[n], &comm);
    MPI_Waitall(2, requests, statuses);
    for (long i = 0; i < LENGTH; ++i) {
        char should = i < bytes ? (char)(left + fuzz_round) : 'g';

        CHECK(in[i] == should, "round %d: byte %ld is %d, not %d", fuzz_round,
              i, in[i], should);
        if (in[i] != should) {
            break;
        }
    }
    MPI_Comm_free(&fuzz_comms[n]);
    fuzz_comms[n] = comm;
}

/* ---- all rounds ---- */

static void play_round(void)
{
    unsigned kind = fuzz_draw(16);

    if (kind < 8) {
        fuzz_play_messages();
    } else if (kind == 8) {
        fuzz_play_persistent();
    } else if (kind == 9) {
        fuzz_play_partitioned();
    } else if (kind == 10) {
        renew_comm();
    } else if (kind == 11) {
        fuzz_play_dynamic_window();
    } else if (kind < 14) {
        fuzz_play_window();
    } else {
        fuzz_play_collectives();
    }
}

/* Print the output, which must be identical in all runs with the same seed. */
static void report(void)
{
    uint64_t all[2] = {noted, 0}, *everyone = NULL;
    double now = MPI_Wtime();

    memcpy(&all[1], &now, sizeof(now));
    if (check_rank == 0) {
        everyone = malloc((size_t)check_size * sizeof(all));
    }
    MPI_Gather(all, 2, MPI_UINT64_T, everyone, 2, MPI_UINT64_T, 0,
               MPI_COMM_WORLD);
    for (int i = 0; everyone && i < check_size; ++i) {
        memcpy(&now, &everyone[2 * i + 1], sizeof(now));
        printf("rank %d: %016llx at %.12f s\n", i,
               (unsigned long long)everyone[2 * i], now);
    }
    free(everyone);
}

int main(int argc, char **argv)
{
    int rounds = 40;
    uint64_t seed = 1;

    check_start(&argc, &argv);
    if (argc > 1) {
        rounds = atoi(argv[1]);
    }
    if (argc > 2) {
        seed = strtoull(argv[2], NULL, 10);
    }
    if (argc > 3) {
        fuzz_most_bytes = atol(argv[3]);
    }
    fuzz_seed(&fuzz_shared, seed);
    fuzz_seed(&fuzz_own, seed * 1000 + (uint64_t)check_rank + 1);
    open_comms();
    for (fuzz_round = 0; fuzz_round < rounds; ++fuzz_round) {
        play_round();
        if (getenv("FUZZ_MPI_VERBOSE") && check_rank == 0) {
            fprintf(stderr, "round %d ended\n", fuzz_round);
        }
    }
    close_comms();
    report();
    return check_end();
}
