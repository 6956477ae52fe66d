/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of ping-pong tables: every format, and the message for every
 * kind of error.
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "fit/table.h"
#include "text_file.h"

static char dir[] = "/tmp/test_fit_table.XXXXXX";
static char path[64];
static gms_fit_table_t table;
static char error[GMS_FIT_ERROR_LEN];

static int suite_init(void)
{
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    (void)snprintf(path, sizeof(path), "%s/t", dir);
    return 0;
}

static int suite_cleanup(void)
{
    (void)unlink(path);
    return rmdir(dir);
}

static void load(const char *text)
{
    error[0] = '\0';
    write_text(path, text);
    if (gms_fit_table_load(path, NULL, &table, error) != GMS_OK) {
        printf("\n    %s\n", error);
        CU_FAIL_FATAL("not loaded");
    }
}

/** Check the message about an error, without the path. */
static void refuse(const char *text, const char *expected)
{
    memset(&table, 'x', sizeof(table));
    write_text(path, text);
    CHECK_U64(gms_fit_table_load(path, NULL, &table, error), GMS_ERR_CONFIG);
    CU_ASSERT_EQUAL_FATAL(strncmp(error, path, strlen(path)), 0);
    if (strcmp(error + strlen(path), expected) != 0) {
        printf("\n    is       %s\n    expected %s\n", error + strlen(path),
               expected);
    }
    CU_ASSERT_STRING_EQUAL(error + strlen(path), expected);
    /* the table is unchanged */
    CHECK_U64(((unsigned char *)&table)[sizeof(table) - 1], 'x');
}

static void check_row(size_t i, uint64_t bytes, double us)
{
    CU_ASSERT_FATAL(i < table.count);
    CHECK_U64(table.rows[i].bytes, bytes);
    CU_ASSERT_DOUBLE_EQUAL(table.rows[i].us, us, 1e-9);
}

/* ---- formats ---- */

static void test_csv(void)
{
    load("# comment\n"
         "network, bytes,half_round_trip_us ,q25_us,q75_us\n"
         "a,8,2.5,2.25,3\n"
         "\n"
         "a,1,1.5,1.25,2\r\n"
         "a,0,1,1,1\n");
    CU_ASSERT_STRING_EQUAL(table.format, "CSV");
    CHECK_U64(table.count, 2);
    CHECK_U64(table.empty, 1);
    check_row(0, 1, 1.5);
    check_row(1, 8, 2.5);
    CHECK_U64(table.rows[1].line, 3);
    CU_ASSERT_DOUBLE_EQUAL(table.rows[1].low_us, 2.25, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(table.rows[1].high_us, 3, 1e-9);
}

static void test_csv_of_round_trips(void)
{
    load("bytes,round_trip_us,q25_us,q75_us\n4,5,4,6\n");
    check_row(0, 4, 2.5);
    CU_ASSERT_DOUBLE_EQUAL(table.rows[0].low_us, 2, 1e-9);
    CU_ASSERT_DOUBLE_EQUAL(table.rows[0].high_us, 3, 1e-9);
}

static void test_csv_of_several_networks(void)
{
    static const char text[] = "network,bytes,median_us\n"
                               "edr 100,1,1.5\nhdr,1,1.7\nedr 100,2,1.6\n";
    gms_fit_where_t where = {.column = "network", .text = "edr"};

    write_text(path, text);
    CHECK_U64(gms_fit_table_load(path, &where, &table, error), GMS_OK);
    CHECK_U64(table.count, 2);
    check_row(0, 1, 1.5);
    check_row(1, 2, 1.6);
    where.column = "host";
    CHECK_U64(gms_fit_table_load(path, &where, &table, error), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "the table has no column 'host'"));
    refuse(text, ":3: size 1 is given twice, first on line 2; a table has one "
                 "row per size");
}

static void test_netgauge_file(void)
{
    load("## Netgauge v2.4.6 - mode mpi - 2 processes\n"
         "## A  -  B  C  D  E  (F G) - H  I  J  K  (L M)  -  N  O  P  Q\n"
         "1 - 0.10 0.11 0.12 0.13 (0.01 2) - 1.50 1.60 1.55 9.00 (0.20 3) - "
         "0.8 4.9 5.0 5.3\n"
         "2 - 0.10 0.11 0.12 0.13 (0.01 2) - 1.60 1.70 1.65 9.00 (0.20 3) - "
         "0.8 4.9 5.0 5.3\n");
    CU_ASSERT_STRING_EQUAL(table.format, "netgauge");
    CU_ASSERT_STRING_EQUAL(table.statistic, "median");
    check_row(0, 1, 1.55);
    check_row(1, 2, 1.65);
}

static void test_netgauge_verbose(void)
{
    load("# Info:   (0): writing data to ng.out\n"
         "## Netgauge v2.4.6 - mode mpi - 2 processes\n"
         "# ..........\n"
         "1 - 0.10 0.11 0.12 0.13 - 1.50 1.60 1.55 9.00 - 0.8 4.9 5.0 5.3\n");
    CU_ASSERT_STRING_EQUAL(table.statistic, "median");
    check_row(0, 1, 1.55);
}

static void test_netgauge_short(void)
{
    load("srun: job 7, started\n"
         "1 bytes \t -> 1.50 us \t == 5.16 Mbit/s\n"
         "2 bytes \t -> 1.52 us \t == 10.1 Mbit/s\n");
    CU_ASSERT_STRING_EQUAL(table.statistic, "minimum");
    check_row(1, 2, 1.52);
}

static void test_osu(void)
{
    load("10 hosts are busy\n"
         "# OSU MPI Latency Test v5.6.3\n"
         "# Size          Latency (us)\n"
         "0                       1.27\n"
         "1                       1.25\n"
         "[amber04] a warning\n"
         "2                       1.24\n");
    CU_ASSERT_STRING_EQUAL(table.format, "osu_latency");
    CU_ASSERT_STRING_EQUAL(table.statistic, "average");
    CHECK_U64(table.empty, 1);
    CHECK_U64(table.count, 2);
    check_row(1, 2, 1.24);
}

static void test_osu_of_version_7(void)
{
    load("# OSU MPI Latency Test v7.5\n# Datatype: MPI_CHAR.\n"
         "# Size       Avg Latency(us)\n1                       1.67\n");
    check_row(0, 1, 1.67);
}

static void test_imb(void)
{
    load("# Intel(R) MPI Benchmarks 2019\n"
         "# List of Benchmarks to run:\n# PingPong\n# PingPing\n"
         "#---------------------------------------------------\n"
         "# Benchmarking PingPong \n# #processes = 2 \n"
         "#---------------------------------------------------\n"
         "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
         "            0         1000         1.59         0.00\n"
         "            8         1000         1.60         5.00\n"
         "# Benchmarking PingPing \n"
         "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
         "            8         1000         2.60         3.00\n");
    CU_ASSERT_STRING_EQUAL(table.format, "IMB PingPong");
    CHECK_U64(table.count, 1);
    check_row(0, 8, 1.60);
}

static void test_pingpong(void)
{
    load("# mpi-pingpong, gmqos 0.2.0\n# bytes 1 to 2, 2 samples\n"
         "bytes,samples,bandwidth_mb_s,min_us,median_us,p99_us,mean_us,"
         "stddev_us\n"
         "1,2,0.1,16.5,17.0,18.0,17.1,0.1\n");
    CU_ASSERT_STRING_EQUAL(table.format, "mpi-pingpong");
    check_row(0, 1, 8.5);
}

/* ---- errors ---- */

static void test_other_files(void)
{
    static const char none[] =
        ": not a ping-pong table; allowed: output of netgauge (one_one), "
        "osu_latency, IMB PingPong or mpi-pingpong, or CSV with the columns "
        "bytes and half_round_trip_us";

    refuse("", none);
    refuse("profile: lanai4.3\n", none);
    refuse("1,2\n", none);
    refuse("bytes,half_round_trip_us\n",
           ": the file has the format CSV, but it contains no row for a "
           "message of at least 1 byte");
    CHECK_U64(gms_fit_table_load("/nowhere/t", NULL, &table, error),
              GMS_ERR_CONFIG);
    CU_ASSERT_STRING_EQUAL(error, "/nowhere/t: No such file or directory");
}

static void test_invalid_rows(void)
{
    static const char head[] = "bytes,half_round_trip_us,q25_us,q75_us\n";
    static const struct {
        const char *row, *message;
    } cases[] = {
        {"1\n", ":2: the number of columns is 1; required: at least 2"},
        {"x,1\n",
         ":2: message size 'x' is invalid; allowed: 0..67108864 bytes"},
        {"67108865,1\n", ":2: message size '67108865' is invalid; allowed: "
                         "0..67108864 bytes"},
        {"1,-1\n", ":2: time '-1' is invalid; allowed: microseconds, more than "
                   "0"},
        {"1,0\n", ":2: time '0' is invalid; allowed: microseconds, more than "
                  "0"},
        {"1,nan\n", ":2: time 'nan' is invalid; allowed: microseconds, more "
                    "than 0"},
        {"1,1e99\n", ":2: time '1e99' is invalid; allowed: microseconds, more "
                     "than 0"},
        {"1,1,2,1\n", ":2: the first quartile 2 is larger than the third "
                      "quartile"},
        {"1,1,x,1\n", ":2: quartile 'x' is invalid; allowed: microseconds, "
                      "more than 0"},
        {"\033[2J,1\n", ":2: message size '?[2J' is invalid; allowed: "
                        "0..67108864 bytes"},
    };
    char text[256];
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        (void)snprintf(text, sizeof(text), "%s%s", head, cases[i].row);
        refuse(text, cases[i].message);
    }
    refuse("bytes,q25_us\n",
           ":1: a column is missing; required: bytes, and half_round_trip_us "
           "or round_trip_us; optional: q25_us, q75_us");
    refuse("bytes,round_trip_us,half_round_trip_us\n",
           ":1: the column half_round_trip_us, or a column with the same "
           "meaning, is given twice");
}

static void test_broken_benchmarks(void)
{
    refuse("## Netgauge v2\n1 - 2\n", ":2: the line is not a row of netgauge's "
                                      "pattern one_one; allowed: 'SIZE - "
                                      "..'");
    refuse("# OSU MPI Latency Test v5\n# Size Latency (us)\n1\n",
           ":3: the line is not a row of osu_latency; allowed: 'SIZE TIME'");
    refuse("# Benchmarking PingPong\n#bytes #repetitions t[usec]\n1 2 3\n",
           ":3: the line is not a row of IMB PingPong; allowed: '#bytes "
           "#repetitions "
           "t[usec] Mbytes/sec'");
    refuse("1 bytes -> 2 us x\n1 bytes -> 2\n",
           ":2: the line is not a row of netgauge; allowed: 'SIZE bytes -> "
           "TIME us ..'");
}

static void test_too_many_sizes(void)
{
    char *text = malloc(8192), *at = text;
    unsigned i;

    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    at += sprintf(at, "bytes,round_trip_us\n");
    for (i = 1; i <= GMS_FIT_ROWS_MAX; ++i) {
        at += sprintf(at, "%u,1\n", i);
    }
    load(text);
    CHECK_U64(table.count, GMS_FIT_ROWS_MAX);
    (void)sprintf(at, "%u,1\n", i);
    refuse(text, ":258: the table has too many sizes; allowed: up to 256");
    free(text);
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"CSV", test_csv},
        {"CSV with times of whole round trips", test_csv_of_round_trips},
        {"CSV of several networks", test_csv_of_several_networks},
        {"netgauge's file", test_netgauge_file},
        {"netgauge -v", test_netgauge_verbose},
        {"netgauge without -v", test_netgauge_short},
        {"osu_latency", test_osu},
        {"osu_latency 7", test_osu_of_version_7},
        {"IMB PingPong", test_imb},
        {"mpi-pingpong", test_pingpong},
        {"other files are refused", test_other_files},
        {"invalid rows are refused", test_invalid_rows},
        {"broken rows of benchmarks are refused", test_broken_benchmarks},
        {"the number of sizes is limited", test_too_many_sizes},
        CU_TEST_INFO_NULL,
    };
    return UNIT_RUN({"table", suite_init, suite_cleanup, NULL, NULL, tests});
}
