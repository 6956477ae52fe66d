/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reserves bandwidth for accesses to files. Usage: file_reserve DIRECTORY CASE
 * [BANDWIDTH], with one of these cases:
 *
 *   write, read  rank 0 accesses a file while ranks 1 to 4 access other files as
 *                fast as they can. Prints the bandwidth of rank 0 in MB/s.
 *                BANDWIDTH is a hint
 *   messages     like write, but the other ranks send messages to rank 5
 *   hints        rank 0 checks the answers to hints
 *   none         rank 0 checks the answer in a cluster without I/O hosts
 */
#include "check.h"

#include <limits.h>
#include <string.h>

enum {
    BYTES = 2097152, /* length of each access by rank 0 */
    FLOOD = 8,       /* number of accesses by every other rank */
    LENGTH = 16384,  /* length of the longest hint */
    MESSAGES = 128,
    SINK = 5
};

static char *bytes;
static const char *directory;

static MPI_Info info_of(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static MPI_File open_file(const char *name, MPI_Info info)
{
    char path[PATH_MAX];
    MPI_File file = MPI_FILE_NULL;
    int error;

    (void)snprintf(path, sizeof(path), "%s/%s.%d", directory, name, check_rank);
    error = MPI_File_open(MPI_COMM_SELF, path,
                          MPI_MODE_CREATE | MPI_MODE_RDWR |
                              MPI_MODE_DELETE_ON_CLOSE,
                          info, &file);
    CHECK(error == MPI_SUCCESS, "%s", path);
    return file;
}

/* Check that an answer begins with the given value or, if the value is NULL,
 * that there is no answer. */
static void check_answer(MPI_File file, const char *key, const char *wanted)
{
    char value[MPI_MAX_INFO_VAL + 1] = "";
    MPI_Info info;
    int found;

    MPI_File_get_info(file, &info);
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
    CHECK(found == (wanted != NULL), "%s", key);
    CHECK(wanted == NULL || strncmp(value, wanted, strlen(wanted)) == 0,
          "%s: '%s', expected '%s'", key, value, wanted);
    MPI_Info_free(&info);
}

static void set_hint(MPI_File file, const char *key, const char *value)
{
    MPI_Info info = info_of(key, value);

    MPI_File_set_info(file, info);
    MPI_Info_free(&info);
}

/* --- a flood --------------------------------------------------------------*/

static void access_file(MPI_File file, int is_read)
{
    if (is_read) {
        MPI_File_read_at(file, 0, bytes, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    } else {
        MPI_File_write_at(file, 0, bytes, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    }
}

static void flood_files(int is_read)
{
    MPI_File file = open_file("flood", MPI_INFO_NULL);

    access_file(file, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < FLOOD; ++i) {
        access_file(file, is_read);
    }
    MPI_File_close(&file);
}

static void flood_messages(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES; ++i) {
        for (int from = 1; from < SINK; ++from) {
            if (check_rank == from) {
                MPI_Send(bytes, LENGTH * 4, MPI_BYTE, SINK, i, MPI_COMM_WORLD);
            } else if (check_rank == SINK) {
                MPI_Recv(bytes, LENGTH * 4, MPI_BYTE, from, i, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
            }
        }
    }
}

static void measure(const char *bandwidth, int is_read)
{
    MPI_Info info = MPI_INFO_NULL;
    MPI_File file;
    double start;

    if (bandwidth != NULL) {
        info = info_of(is_read ? "mpiqos_read_bandwidth"
                               : "mpiqos_write_bandwidth",
                       bandwidth);
    }
    file = open_file("measured", info);
    if (bandwidth != NULL) {
        check_answer(file, "mpiqos_state", "granted");
        MPI_Info_free(&info);
    }
    access_file(file, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    while (MPI_Wtime() < start + 0.01) {
    }
    start = MPI_Wtime();
    access_file(file, is_read);
    printf("rate %.2f\n", BYTES / (MPI_Wtime() - start) / 1e6);
    MPI_File_close(&file);
}

/* --- answers --------------------------------------------------------------*/

static void check_changes(void)
{
    MPI_Info info = info_of("mpiqos_write_bandwidth", "20 MB/s");
    MPI_File file = open_file("one", info), other;
    MPI_Info answers;

    MPI_Info_free(&info);
    check_answer(file, "mpiqos_reason", "20 MB/s for writing");
    check_answer(file, "mpiqos_write_bandwidth", "20000000 B/s");
    check_answer(file, "mpiqos_class", "premium");
    check_answer(file, "mpiqos_place", NULL);
    set_hint(file, "mpiqos_read_bandwidth", "10 MB/s");
    check_answer(file, "mpiqos_reason",
                 "20 MB/s for writing, 10 MB/s for reading");
    set_hint(file, "mpiqos_write_bandwidth", "20");
    check_answer(file, "mpiqos_state", "malformed");
    check_answer(file, "mpiqos_reason",
                 "hint mpiqos_write_bandwidth: '20' has no unit");
    set_hint(file, "mpiqos_bandwidth", "20 MB/s");
    check_answer(file, "mpiqos_reason",
                 "hint mpiqos_bandwidth is unknown for a file; allowed: "
                 "mpiqos_write_bandwidth, mpiqos_read_bandwidth, mpiqos_class");
    /* the hints of one file, including answers, are valid for another file */
    set_hint(file, "mpiqos_write_bandwidth", "15 MB/s");
    MPI_File_get_info(file, &answers);
    MPI_File_close(&file);
    other = open_file("two", answers);
    check_answer(other, "mpiqos_reason",
                 "15 MB/s for writing, 10 MB/s for reading");
    MPI_Info_free(&answers);
    /* hints can also be set with a view */
    info = info_of("mpiqos_class", "none");
    MPI_File_set_view(other, 0, MPI_BYTE, MPI_BYTE, "native", info);
    MPI_Info_free(&info);
    check_answer(other, "mpiqos_state", "released");
    MPI_File_close(&other);
    other = open_file("three", MPI_INFO_NULL);
    check_answer(other, "mpiqos_state", NULL);
    MPI_File_close(&other);
}

/* A reservation ends when the file is closed. A denial contains the largest
 * bandwidth that would be granted. */
static void check_denial(void)
{
    MPI_Info info = info_of("mpiqos_write_bandwidth", "50 MB/s");
    MPI_File first = open_file("first", info);
    MPI_File second = open_file("second", info);
    char left[MPI_MAX_INFO_VAL + 1], hint[MPI_MAX_INFO_VAL + 8];
    MPI_Info answers;
    int found;

    check_answer(first, "mpiqos_state", "granted");
    check_answer(second, "mpiqos_state", "denied");
    check_answer(second, "mpiqos_reason",
                 "requested 50 MB/s for writing, but ");
    MPI_File_get_info(second, &answers);
    MPI_Info_get(answers, "mpiqos_left", MPI_MAX_INFO_VAL, left, &found);
    MPI_Info_free(&answers);
    (void)snprintf(hint, sizeof(hint), "%.0f B/s", atof(left) * 0.999);
    CHECK(atof(left) > MB, "left: %s", left);
    set_hint(second, "mpiqos_write_bandwidth", hint);
    check_answer(second, "mpiqos_state", "granted");
    (void)snprintf(hint, sizeof(hint), "%.0f B/s", atof(left) * 1.01);
    set_hint(second, "mpiqos_write_bandwidth", hint);
    check_answer(second, "mpiqos_state", "denied");
    MPI_File_close(&first);
    first = open_file("third", info);
    check_answer(first, "mpiqos_state", "granted");
    MPI_File_close(&first);
    MPI_File_close(&second);
    MPI_Info_free(&info);
}

static void check_unsupported(void)
{
    MPI_Info info = info_of("mpiqos_write_bandwidth", "50 MB/s");
    MPI_File file = open_file("one", info);

    check_answer(file, "mpiqos_state", "unsupported");
    check_answer(file, "mpiqos_reason", "the cluster has no I/O hosts");
    MPI_File_close(&file);
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    const char *name;

    check_start(&argc, &argv);
    if (argc < 3) {
        fprintf(stderr, "usage: file_reserve DIRECTORY CASE [BANDWIDTH]\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    directory = argv[1];
    name = argv[2];
    bytes = calloc(BYTES, 1);
    if (strcmp(name, "hints") == 0 && check_rank == 0) {
        check_changes();
        check_denial();
    } else if (strcmp(name, "none") == 0 && check_rank == 0) {
        check_unsupported();
    } else if (check_rank == 0) {
        measure(argc > 3 ? argv[3] : NULL, strcmp(name, "read") == 0);
    } else if (strcmp(name, "messages") == 0) {
        flood_messages();
    } else if (strcmp(name, "write") == 0 || strcmp(name, "read") == 0) {
        flood_files(strcmp(name, "read") == 0);
    }
    free(bytes);
    return check_end();
}
