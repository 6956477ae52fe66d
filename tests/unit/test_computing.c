/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests files with computing times: the reader returns the values that were
 * written, and states a reason when it refuses a damaged file.
 */
#define _GNU_SOURCE
#include "observe/computing.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"

enum {
    MANY = 20000
};

static char directory[] = "/tmp/test_computing_XXXXXX";
static char path[128];
static char error[GMS_COMPUTING_ERROR_LEN];

static int begin(void)
{
    if (mkdtemp(directory) == NULL) {
        return 1;
    }
    (void)snprintf(path, sizeof(path), "%s/computing-3.jsonl", directory);
    return 0;
}

static int end(void)
{
    (void)unlink(path);
    return rmdir(directory);
}

static gms_time_t time_of(unsigned i)
{
    return i % 7 == 0 ? 0 : (gms_time_t)i * i * 977;
}

static void write_calls(unsigned count, int has_threads)
{
    gms_computing_writer_t *writer;
    unsigned i;

    CHECK_U64(gms_computing_create(directory, 3, 4, &writer), GMS_OK);
    for (i = 0; i < count; ++i) {
        gms_computing_add(writer, i % 3 == 0 ? "MPI_Send" : "GM", time_of(i));
    }
    CHECK_U64(gms_computing_end(writer, has_threads), 0);
}

static void refused(unsigned rank, unsigned ranks, const char *why)
{
    gms_computing_t computing;

    CHECK_U64(gms_computing_read(directory, rank, ranks, &computing, error),
              GMS_ERR_CONFIG);
    if (strstr(error, why) == NULL) {
        printf("\n    '%s' does not contain '%s'\n", error, why);
        CU_FAIL("the file was refused for another reason");
    }
    CHECK_U64(computing.count, 0);
}

static void test_round_trip(void)
{
    gms_computing_t computing;
    unsigned i;

    write_calls(MANY, 0);
    CHECK_U64(gms_computing_read(directory, 3, 4, &computing, error), GMS_OK);
    CHECK_U64(computing.count, MANY);
    for (i = 0; i < MANY && i < computing.count; ++i) {
        if (computing.calls[i].computed_ps != time_of(i) ||
            strcmp(computing.calls[i].name, i % 3 == 0 ? "MPI_Send" : "GM") !=
                0) {
            CU_FAIL("the file contains a different call");
            break;
        }
    }
    gms_computing_clear(&computing);
    write_calls(0, 0);
    CHECK_U64(gms_computing_read(directory, 3, 4, &computing, error), GMS_OK);
    CHECK_U64(computing.count, 0);
    gms_computing_clear(&computing);
}

static void test_other_jobs(void)
{
    write_calls(10, 0);
    refused(3, 5, "belongs to rank 3 of 4, but this is rank 3 of 5");
    refused(2, 4, "only runs with GMSIM_RECORD and GMSIM_TIME=measured");
    write_calls(10, 1);
    refused(3, 4, "several threads");
}

/* Flip one bit in every byte, and truncate the file at every position. */
static void test_damage(void)
{
    gms_computing_t computing;
    char text[512];
    ssize_t size;
    off_t at;
    int file;

    write_calls(5, 0);
    file = open(path, O_RDWR);
    size = pread(file, text, sizeof(text), 0);
    CU_ASSERT_FATAL(size > 100 && size < (ssize_t)sizeof(text));
    for (at = 0; at < size; ++at) {
        char bad = (char)(text[at] ^ 4);

        CHECK_U64(pwrite(file, &bad, 1, at), 1);
        CHECK_U64(gms_computing_read(directory, 3, 4, &computing, error),
                  GMS_ERR_CONFIG);
        CHECK_U64(pwrite(file, &text[at], 1, at), 1);
    }
    CHECK_U64(gms_computing_read(directory, 3, 4, &computing, error), GMS_OK);
    gms_computing_clear(&computing);
    for (at = size - 1; at >= 0; --at) {
        CHECK_U64(ftruncate(file, at), 0);
        CHECK_U64(gms_computing_read(directory, 3, 4, &computing, error),
                  GMS_ERR_CONFIG);
    }
    (void)close(file);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"calls are read as they were written", test_round_trip},
        {"recordings of other jobs are refused", test_other_jobs},
        {"damage", test_damage},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"computing", begin, end, NULL, NULL, tests});
}
