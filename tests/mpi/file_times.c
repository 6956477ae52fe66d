/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Measures the virtual time of file accesses. Prints one line "WORD SECONDS"
 * for each access. Usage: file_times DIRECTORY CASE, with one of these cases:
 *
 *   one   rank 0 writes 1 MB, reads it, synchronizes and resizes the file
 *   two   ranks 0 and 1 write 1 MB each at the same time
 *   bytes rank 0 writes 1 byte, and reads beyond the end of the file
 */
#include "check.h"

#include <limits.h>
#include <string.h>

enum {
    BYTES = 1048576
};

static unsigned char *bytes;

static void print_time(const char *word, double start)
{
    printf("%s %.9f\n", word, MPI_Wtime() - start);
}

static void write_one(MPI_File file)
{
    int i, count, wrong = 0;
    MPI_Status status;
    double start;

    for (i = 0; i < BYTES; ++i) {
        bytes[i] = (unsigned char)(i * 7 + i / 251);
    }
    start = MPI_Wtime();
    MPI_File_write_at(file, 0, bytes, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    print_time("write", start);
    memset(bytes, 0, BYTES);
    start = MPI_Wtime();
    MPI_File_read_at(file, 0, bytes, BYTES, MPI_BYTE, &status);
    print_time("read", start);
    MPI_Get_count(&status, MPI_BYTE, &count);
    for (i = 0; i < BYTES; ++i) {
        wrong += bytes[i] != (unsigned char)(i * 7 + i / 251);
    }
    CHECK(count == BYTES && wrong == 0,
          "read %d bytes, %d of them with incorrect values", count, wrong);
    start = MPI_Wtime();
    MPI_File_sync(file);
    print_time("sync", start);
    start = MPI_Wtime();
    MPI_File_set_size(file, BYTES / 2);
    print_time("resize", start);
}

static void write_bytes(MPI_File file)
{
    double start = MPI_Wtime();
    MPI_Status status;
    int count;

    MPI_File_write_at(file, 0, bytes, 1, MPI_BYTE, MPI_STATUS_IGNORE);
    print_time("write", start);
    start = MPI_Wtime();
    MPI_File_read_at(file, 1, bytes, BYTES, MPI_BYTE, &status);
    print_time("read", start);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == 0, "read %d bytes beyond the end of the file", count);
}

static void write_two(MPI_File file)
{
    double start, own, last = 0, first = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    MPI_File_write_at(file, (MPI_Offset)BYTES * check_rank, bytes, BYTES,
                      MPI_BYTE, MPI_STATUS_IGNORE);
    own = MPI_Wtime() - start;
    MPI_Reduce(&own, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&own, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    if (check_rank == 0) {
        printf("first %.9f\nlast %.9f\n", first, last);
    }
}

int main(int argc, char **argv)
{
    int is_two;
    char path[PATH_MAX];
    MPI_Comm comm = MPI_COMM_SELF;
    MPI_File file;

    check_start(&argc, &argv);
    if (argc != 3) {
        fprintf(stderr, "usage: file_times DIRECTORY CASE\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    is_two = strcmp(argv[2], "two") == 0;
    (void)snprintf(path, sizeof(path), "%s/file", argv[1]);
    bytes = calloc(BYTES, 1);
    if (is_two) {
        comm = MPI_COMM_WORLD;
    }
    if (is_two || check_rank == 0) {
        MPI_File_open(comm, path,
                      MPI_MODE_CREATE | MPI_MODE_RDWR |
                          MPI_MODE_DELETE_ON_CLOSE,
                      MPI_INFO_NULL, &file);
        if (is_two) {
            write_two(file);
        } else if (strcmp(argv[2], "one") == 0) {
            write_one(file);
        } else {
            write_bytes(file);
        }
        MPI_File_close(&file);
    }
    free(bytes);
    return check_end();
}
