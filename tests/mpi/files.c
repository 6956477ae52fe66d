/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests MPI-IO on files of this machine: blocks per rank, views that interleave
 * the ranks, nonblocking calls, locks, shared file pointers and errors. Without
 * I/O hosts, the virtual time of a write must not depend on its size. With the
 * second argument, the cluster has I/O hosts, and the virtual time must depend
 * on the size. The program prints the virtual time at the end of the test.
 * Usage: files DIRECTORY [io]
 */
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum {
    BLOCK_BYTES = 70001,
    LONG_BYTES = 8 * 1024 * 1024,
    ELEMENTS = 5000
};

static char path[PATH_MAX];

/* Return a rank's byte at a position in its data. */
static unsigned char byte_of(int rank, int position)
{
    return (unsigned char)(rank * 61 + position * 7 + position / 251);
}

static MPI_File open_file(int mode)
{
    MPI_File file = MPI_FILE_NULL;
    int status =
        MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file);

    CHECK(status == MPI_SUCCESS, "opening %s returned %d", path, status);
    if (status != MPI_SUCCESS) {
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return file;
}

static void check_bytes(const unsigned char *bytes, int rank, const char *call)
{
    int i, wrong = 0;

    for (i = 0; i < BLOCK_BYTES; ++i) {
        wrong += bytes[i] != byte_of(rank, i);
    }
    CHECK(wrong == 0, "%s returned %d incorrect bytes from rank %d", call,
          wrong, rank);
}

/* Each rank writes a block, and reads the block of the next rank. */
static void test_blocks(void)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int i, next = (check_rank + 1) % check_size, count;
    unsigned char *bytes = malloc(BLOCK_BYTES);
    MPI_Offset size;
    MPI_Request request;
    MPI_Status status;

    for (i = 0; i < BLOCK_BYTES; ++i) {
        bytes[i] = byte_of(check_rank, i);
    }
    MPI_File_write_at(file, (MPI_Offset)check_rank * BLOCK_BYTES, bytes,
                      BLOCK_BYTES, MPI_BYTE, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK(count == BLOCK_BYTES, "only %d bytes were written", count);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_get_size(file, &size);
    CHECK(size == (MPI_Offset)check_size * BLOCK_BYTES,
          "the file has an incorrect size of %lld bytes", (long long)size);
    memset(bytes, 0, BLOCK_BYTES);
    MPI_File_read_at_all(file, (MPI_Offset)next * BLOCK_BYTES, bytes,
                         BLOCK_BYTES, MPI_BYTE, &status);
    check_bytes(bytes, next, "MPI_File_read_at_all");
    memset(bytes, 0, BLOCK_BYTES);
    MPI_File_iread_at(file, (MPI_Offset)next * BLOCK_BYTES, bytes, BLOCK_BYTES,
                      MPI_BYTE, &request);
    MPI_Wait(&request, &status);
    check_bytes(bytes, next, "MPI_File_iread_at");
    MPI_File_close(&file);
    free(bytes);
}

/*
 * Element i of rank r is element i * size + r in the file. Rank 0 reads the
 * file without MPI.
 */
static void test_interleaved(int nonblocking)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int values[ELEMENTS], i, value, wrong = 0;
    MPI_Datatype type;
    MPI_Request request;
    MPI_Status status;

    MPI_File_set_size(file, 0);
    for (i = 0; i < ELEMENTS; ++i) {
        values[i] = check_rank * 1000000 + i;
    }
    MPI_Type_vector(ELEMENTS, 1, check_size, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file, (MPI_Offset)sizeof(int) * check_rank, MPI_INT, type,
                      "native", MPI_INFO_NULL);
    if (nonblocking) {
        MPI_File_iwrite_all(file, values, ELEMENTS, MPI_INT, &request);
        MPI_Wait(&request, &status);
    } else {
        MPI_File_write_all(file, values, ELEMENTS, MPI_INT, &status);
    }
    MPI_Type_free(&type);
    MPI_File_close(&file);
    if (check_rank == 0) {
        int fd = open(path, O_RDONLY);

        for (i = 0; i < ELEMENTS * check_size; ++i) {
            wrong += read(fd, &value, sizeof(value)) != sizeof(value) ||
                     value != i % check_size * 1000000 + i / check_size;
        }
        CHECK(read(fd, &value, 1) == 0, "the file is too long");
        close(fd);
        CHECK(wrong == 0, "%d wrong elements, nonblocking %d", wrong,
              nonblocking);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each rank writes its elements separately. ROMIO locks, reads, changes and
 * writes whole blocks, because these blocks also contain elements of other
 * ranks. */
static void test_locks(void)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int values[ELEMENTS], i, wrong = 0;
    MPI_Datatype type;

    MPI_File_set_size(file, 0);
    for (i = 0; i < ELEMENTS; ++i) {
        values[i] = check_rank * 1000000 + i;
    }
    MPI_Type_vector(ELEMENTS, 1, check_size, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(file, (MPI_Offset)sizeof(int) * check_rank, MPI_INT, type,
                      "native", MPI_INFO_NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_write(file, values, ELEMENTS, MPI_INT, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(values, 0, sizeof(values));
    MPI_File_read_at(file, 0, values, ELEMENTS, MPI_INT, MPI_STATUS_IGNORE);
    for (i = 0; i < ELEMENTS; ++i) {
        wrong += values[i] != check_rank * 1000000 + i;
    }
    CHECK(wrong == 0, "%d wrong elements of rank %d", wrong, check_rank);
    MPI_Type_free(&type);
    MPI_File_close(&file);
}

/*
 * Check the length of the name of the file in which ROMIO stores the shared
 * file pointer. Rank 0 broadcasts this name. If the length depended on the
 * process id, the virtual time of MPI_File_open() would vary.
 */
static void check_pointer_name(const char *directory)
{
    static const char middle[] = ".shfp.";
    DIR *entries = opendir(directory);
    struct dirent *entry;
    int found = 0;

    CHECK(entries != NULL, "cannot read the directory %s", directory);
    while (entries != NULL && (entry = readdir(entries)) != NULL) {
        const char *numbers = strstr(entry->d_name, middle);

        if (numbers != NULL) {
            numbers += strlen(middle);
            CHECK(strspn(numbers, "0123456789") == 10 && numbers[10] == '.' &&
                      strspn(numbers + 11, "0123456789") == 10 &&
                      numbers[21] == '\0',
                  "%s: the numbers do not have ten digits each", entry->d_name);
            ++found;
        }
    }
    CHECK(found == 1, "%d files hold the shared file pointer", found);
    if (entries != NULL) {
        closedir(entries);
    }
}

/* An ordered write with a shared file pointer follows the order of the
 * ranks. */
static void test_shared_pointer(const char *directory)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    int value = check_rank, sum = 0, i, all = 0;
    MPI_Status status;

    MPI_File_set_size(file, 0);
    MPI_File_write_ordered(file, &value, 1, MPI_INT, &status);
    MPI_File_write_shared(file, &value, 1, MPI_INT, &status);
    MPI_File_sync(file);
    if (check_rank == 0) {
        check_pointer_name(directory);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; i < 2 * check_size; ++i) {
        MPI_File_read_at(file, (MPI_Offset)sizeof(int) * i, &value, 1, MPI_INT,
                         &status);
        if (i < check_size) {
            CHECK(value == i, "incorrect value %d at position %d", value, i);
        } else {
            sum += value;
        }
        all += i < check_size ? i : 0;
    }
    CHECK(sum == all, "the sum of the shared writes is %d, not %d", sum, all);
    MPI_File_close(&file);
}

static void test_errors(void)
{
    MPI_File file = MPI_FILE_NULL;
    char absent[PATH_MAX + 8];
    int status, class_ = MPI_SUCCESS;

    (void)snprintf(absent, sizeof(absent), "%s.absent", path);
    status = MPI_File_open(MPI_COMM_WORLD, absent, MPI_MODE_RDONLY,
                           MPI_INFO_NULL, &file);
    MPI_Error_class(status, &class_);
    CHECK(class_ == MPI_ERR_NO_SUCH_FILE, "class %d", class_);
    status =
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY | MPI_MODE_CREATE,
                      MPI_INFO_NULL, &file);
    MPI_Error_class(status, &class_);
    CHECK(class_ == MPI_ERR_AMODE, "class %d", class_);
}

/* Return the virtual time of a write by this rank. */
static double write_time(MPI_File file, const char *bytes, int length)
{
    double start = MPI_Wtime();

    MPI_File_write_at(file, 0, bytes, length, MPI_BYTE, MPI_STATUS_IGNORE);
    return MPI_Wtime() - start;
}

/* Without I/O hosts, file accesses take no virtual time: a write of 8 MB takes
 * as long as a write of 1 byte. */
static void test_time(int has_io_hosts)
{
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    char *bytes = calloc(LONG_BYTES, 1);
    double one, many;

    (void)write_time(file, bytes, 1);
    one = write_time(file, bytes, 1);
    many = write_time(file, bytes, LONG_BYTES);
    CHECK(
        has_io_hosts ? many > 10 * one : many < one + 1e-9 && one < many + 1e-9,
        "1 byte takes %.9f s, and %d bytes take %.9f s", one, LONG_BYTES, many);
    free(bytes);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    int status;

    check_start(&argc, &argv);
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: files DIRECTORY [io]\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    (void)snprintf(path, sizeof(path), "%s/file", argv[1]);
    test_blocks();
    test_interleaved(0);
    test_interleaved(1);
    test_locks();
    test_shared_pointer(argv[1]);
    test_errors();
    test_time(argc == 3);
    MPI_Barrier(MPI_COMM_WORLD);
    if (check_rank == 0) {
        status = MPI_File_delete(path, MPI_INFO_NULL);
        CHECK(status == MPI_SUCCESS, "deleting the file returned %d", status);
        printf("%.9f s\n", MPI_Wtime());
    }
    return check_end();
}
