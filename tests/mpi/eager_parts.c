/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends long eager messages in several parts and checks the data. The receives
 * are posted before, between and after the parts.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST  200000
#define COUNT 24

static unsigned char byte_of(int message, int i)
{
    return (unsigned char)(message * 131 + i * 7 + i / 251);
}

static int length_of(int message)
{
    return 1 + (message * 7919 + 16000) % MOST;
}

static int check(const unsigned char *data, int message)
{
    int i;

    for (i = 0; i < length_of(message); ++i) {
        if (data[i] != byte_of(message, i)) {
            printf("message %d: byte %d is wrong\n", message, i);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    static unsigned char data[COUNT][MOST];
    MPI_Request request[COUNT];
    MPI_Status status;
    int rank, size, i, j, got, bad = 0, round;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (round = 0; round < 3; ++round) {
        if (rank % 2 == 0) {
            for (i = 0; i < COUNT; ++i) {
                for (j = 0; j < length_of(i); ++j) {
                    data[i][j] = byte_of(i, j);
                }
                MPI_Isend(data[i], length_of(i), MPI_BYTE, rank + 1, i,
                          MPI_COMM_WORLD, &request[i]);
            }
            MPI_Waitall(COUNT, request, MPI_STATUSES_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
            continue;
        }
        memset(data, 0, sizeof(data));
        if (round == 0) { /* all messages have arrived now */
            MPI_Probe(rank - 1, COUNT - 1, MPI_COMM_WORLD, &status);
        }
        for (i = 0; i < COUNT; ++i) {
            j = round == 2 ? COUNT - 1 - i : i;
            if (round == 1) { /* the first part of the message has arrived */
                MPI_Probe(rank - 1, j, MPI_COMM_WORLD, &status);
            }
            MPI_Irecv(data[j], MOST, MPI_BYTE, rank - 1, j, MPI_COMM_WORLD,
                      &request[j]);
        }
        for (i = 0; i < COUNT; ++i) {
            MPI_Wait(&request[i], &status);
            MPI_Get_count(&status, MPI_BYTE, &got);
            if (got != length_of(i))
                printf("round %d message %d: %d of %d bytes\n", round, i, got,
                       length_of(i));
            bad += got != length_of(i) || check(data[i], i);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (bad == 0 && rank == size - 1) {
        printf("all messages arrived\n");
    }
    MPI_Finalize();
    return bad != 0;
}
