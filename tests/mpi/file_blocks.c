/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes and reads files like the benchmark IOR, whose source is not in Debian,
 * and checks all data. A file has several segments. Each segment contains one
 * block per rank. A block consists of several transfers. After writing, each
 * rank reads the blocks that the next rank has written. The program prints the
 * bandwidths. Usage: file_blocks DIRECTORY
 */
#include "check.h"

#include <limits.h>
#include <stdint.h>

enum {
    SEGMENTS = 3,
    TRANSFERS = 3,    /* number of transfers in a block */
    TRANSFER = 50000, /* bytes; neither a multiple of a stripe nor of a page */
    BLOCK = TRANSFERS * TRANSFER
};

/* A method of access to files. */
typedef struct blocks_case {
    const char *name;
    int is_collective;
    int is_own_file; /* a separate file for each rank */
    int is_view;     /* a view that contains the rank's blocks */
    const char *hint, *value;
} blocks_case_t;

static const blocks_case_t cases[] = {
    {"independent", 0, 0, 0, NULL, NULL},
    {"collective", 1, 0, 0, NULL, NULL},
    {"collective, two aggregators", 1, 0, 0, "cb_nodes", "2"},
    {"collective, without buffering", 1, 0, 0, "romio_cb_write", "disable"},
    {"view", 0, 0, 1, NULL, NULL},
    {"collective, view", 1, 0, 1, NULL, NULL},
    {"a file for each rank", 0, 1, 0, NULL, NULL},
};

static unsigned char bytes[TRANSFER];

/* Return the byte at a position in the file that a case writes. */
static unsigned char byte_at(MPI_Offset position, int salt)
{
    uint64_t mixed = ((uint64_t)position + 1) * UINT64_C(0x9e3779b97f4a7c15) +
                     (uint64_t)salt * UINT64_C(0xbf58476d1ce4e5b9);

    return (unsigned char)(mixed >> 40);
}

/* Return the position of a transfer in a shared file. */
static MPI_Offset position_of(int rank, int segment, int transfer)
{
    return ((MPI_Offset)segment * check_size + rank) * BLOCK +
           (MPI_Offset)transfer * TRANSFER;
}

static MPI_File open_file(const blocks_case_t *one, const char *directory,
                          int owner)
{
    char path[PATH_MAX];
    MPI_Info info = MPI_INFO_NULL;
    MPI_File file;

    (void)snprintf(path, sizeof(path), "%s/blocks.%d", directory,
                   one->is_own_file ? owner : -1);
    if (one->hint != NULL) {
        MPI_Info_create(&info);
        MPI_Info_set(info, one->hint, one->value);
    }
    MPI_File_open(one->is_own_file ? MPI_COMM_SELF : MPI_COMM_WORLD, path,
                  MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    if (info != MPI_INFO_NULL) {
        MPI_Info_free(&info);
    }
    return file;
}

/* Set the view of the file to the blocks of one rank. */
static void set_view(MPI_File file, int rank)
{
    MPI_Datatype blocks;

    MPI_Type_vector(SEGMENTS, BLOCK, check_size * BLOCK, MPI_BYTE, &blocks);
    MPI_Type_commit(&blocks);
    MPI_File_set_view(file, (MPI_Offset)rank * BLOCK, MPI_BYTE, blocks,
                      "native", MPI_INFO_NULL);
    MPI_Type_free(&blocks);
}

static void access_bytes(const blocks_case_t *one, MPI_File file, int writes,
                         MPI_Offset offset)
{
    MPI_Status status;
    int count;

    if (writes && one->is_collective) {
        MPI_File_write_at_all(file, offset, bytes, TRANSFER, MPI_BYTE, &status);
    } else if (writes) {
        MPI_File_write_at(file, offset, bytes, TRANSFER, MPI_BYTE, &status);
    } else if (one->is_collective) {
        MPI_File_read_at_all(file, offset, bytes, TRANSFER, MPI_BYTE, &status);
    } else {
        MPI_File_read_at(file, offset, bytes, TRANSFER, MPI_BYTE, &status);
    }
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == TRANSFER, "%s: only %d bytes were read", one->name, count);
}

/* Access all blocks that `owner` writes. @return the number of wrong bytes */
static int access_blocks(const blocks_case_t *one, MPI_File file, int writes,
                         int owner)
{
    int salt = (int)(one - cases), wrong = 0, i, index;

    for (index = 0; index < SEGMENTS * TRANSFERS; ++index) {
        MPI_Offset position =
            position_of(owner, index / TRANSFERS, index % TRANSFERS);
        MPI_Offset offset = one->is_view || one->is_own_file
                                ? (MPI_Offset)index * TRANSFER
                                : position;

        for (i = 0; i < TRANSFER; ++i) {
            bytes[i] = writes ? byte_at(position + i, salt) : 0;
        }
        access_bytes(one, file, writes, offset);
        for (i = 0; i < TRANSFER && !writes; ++i) {
            wrong += bytes[i] != byte_at(position + i, salt);
        }
    }
    return wrong;
}

/* Write or read the blocks of `owner`. @return total bandwidth of all ranks in
 * MB/s */
static double run(const blocks_case_t *one, const char *directory, int writes,
                  int owner)
{
    MPI_File file = open_file(one, directory, owner);
    double start, seconds;
    int wrong;

    if (one->is_view) {
        set_view(file, owner);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    wrong = access_blocks(one, file, writes, owner);
    seconds = MPI_Wtime() - start;
    CHECK(wrong == 0, "%s: %d wrong bytes", one->name, wrong);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    MPI_File_close(&file);
    return 1e-6 * SEGMENTS * BLOCK * check_size / seconds;
}

int main(int argc, char **argv)
{
    size_t i;

    check_start(&argc, &argv);
    if (argc != 2) {
        fprintf(stderr, "usage: file_blocks DIRECTORY\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        double written = run(&cases[i], argv[1], 1, check_rank);
        double read = run(&cases[i], argv[1], 0, (check_rank + 1) % check_size);

        if (check_rank == 0) {
            printf("%-32s %8.3f %8.3f MB/s\n", cases[i].name, written, read);
        }
    }
    return check_end();
}
