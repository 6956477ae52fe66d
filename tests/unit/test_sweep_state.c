/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the state of sweeps: the directory of a sweep, its contents after an
 * interruption, the results, and the statistics.
 */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "seal.h"
#include "sweep/core.h"
#include "sweep/gather.h"
#include "sweep/result.h"
#include "sweep/run.h"
#include "sweep/state.h"
#include "text_file.h"

static char dir[] = "/tmp/test_sweep_state.XXXXXX";
static char path[64], directory[64];
static char error[GMS_YAML_ERROR_LEN];

static int suite_init(void)
{
    if (mkdtemp(dir) == NULL) {
        return 1;
    }
    (void)snprintf(path, sizeof(path), "%s/s.yaml", dir);
    (void)snprintf(directory, sizeof(directory), "%s/s.sweep", dir);
    return 0;
}

static void clean(void)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -rf %s/*", dir);
    CHECK_U64(system(command), 0);
}

static int suite_cleanup(void)
{
    return rmdir(dir);
}

/* Returns the content of a file in the directory of the test, or "" if the file
 * does not exist. */
static const char *read_text(const char *name)
{
    static char text[4096];
    char full[256];
    FILE *file;
    size_t len = 0;

    (void)snprintf(full, sizeof(full), "%s/%s", dir, name);
    file = fopen(full, "r");
    if (file != NULL) {
        len = fread(text, 1, sizeof(text) - 1, file);
        (void)fclose(file);
    }
    text[len] = '\0';
    return text;
}

static void expect_text(const char *actual, const char *expected)
{
    if (strcmp(actual, expected) != 0) {
        printf("\n    is       %s\n    expected %s\n", actual, expected);
    }
    CU_ASSERT_STRING_EQUAL(actual, expected);
}

static void load(const char *text, gms_sweep_t *sweep)
{
    write_text(path, text);
    if (gms_sweep_load(path, NULL, sweep, error) != GMS_OK) {
        printf("\n    %s\n", error);
        CU_FAIL_FATAL("not loaded");
    }
}

#define FOUR "command: x {a}\ngrid: {a: [1, 2, 3, 4]}\n"

/* ---- directory ---- */

static void test_stages(void)
{
    gms_sweep_state_t state;
    gms_sweep_status_t status;
    gms_sweep_t sweep;
    char *run;

    load(FOUR, &sweep);
    CHECK_U64(
        gms_sweep_open(&sweep, directory, GMS_SWEEP_ALONE, 0, &state, error),
        GMS_OK);
    gms_sweep_look(&sweep, &state, 1, &status);
    CHECK_U64(status.stage, GMS_SWEEP_OPEN);
    CHECK_U64(gms_sweep_prepare(&sweep, &state, 1, error), GMS_OK);
    gms_sweep_look(&sweep, &state, 1, &status);
    CHECK_U64(status.stage, GMS_SWEEP_OPEN);
    expect_text(read_text("s.sweep/points/0002/cluster.yaml"), "seed: 1\n");
    run = gms_sweep_path(&sweep, &state, 1, NULL);
    CHECK_U64(gms_sweep_finish(run, "failed: exit status 3"), GMS_OK);
    gms_sweep_look(&sweep, &state, 1, &status);
    CHECK_U64(status.stage, GMS_SWEEP_FAILED);
    expect_text(status.text, "exit status 3");
    CHECK_U64(gms_sweep_finish(run, "done"), GMS_OK);
    gms_sweep_look(&sweep, &state, 1, &status);
    CHECK_U64(status.stage, GMS_SWEEP_DONE);
    CHECK_U64(gms_sweep_reopen(&sweep, &state, 1), GMS_OK);
    CHECK_U64(gms_sweep_reopen(&sweep, &state, 1), GMS_OK);
    gms_sweep_look(&sweep, &state, 1, &status);
    CHECK_U64(status.stage, GMS_SWEEP_OPEN);
    free(run);
    gms_sweep_close(&state);
    gms_sweep_clear(&sweep);
    clean();
}

/* A status file that was written only partly must be ignored. */
static void test_half_a_status(void)
{
    static const char *const halves[] = {"", "d", "don", "fail", "failed"};
    gms_sweep_state_t state;
    gms_sweep_status_t status;
    gms_sweep_t sweep;
    char name[128];
    size_t i;

    load(FOUR, &sweep);
    CHECK_U64(
        gms_sweep_open(&sweep, directory, GMS_SWEEP_ALONE, 0, &state, error),
        GMS_OK);
    CHECK_U64(gms_sweep_prepare(&sweep, &state, 0, error), GMS_OK);
    (void)snprintf(name, sizeof(name), "%s/points/0001/status", directory);
    for (i = 0; i < sizeof(halves) / sizeof(halves[0]); ++i) {
        write_text(name, halves[i]);
        gms_sweep_look(&sweep, &state, 0, &status);
        CHECK_U64(status.stage, GMS_SWEEP_OPEN);
    }
    gms_sweep_close(&state);
    gms_sweep_clear(&sweep);
    clean();
}

/* Reopens the sweep after its file was changed to `text`. The error message is
 * stored in `error`. @return status */
static gms_status_t reopen(const char *text, int restart)
{
    gms_sweep_state_t state;
    gms_status_t status;
    gms_sweep_t sweep;

    load(text, &sweep);
    error[0] = '\0';
    status = gms_sweep_open(&sweep, directory, GMS_SWEEP_ALONE, restart, &state,
                            error);
    if (status == GMS_OK) {
        gms_sweep_close(&state);
    }
    gms_sweep_clear(&sweep);
    return status;
}

static void expect_said(const char *text)
{
    if (strstr(error, text) == NULL) {
        printf("\n    no '%s' in\n%s\n", text, error);
        CU_FAIL("the message lacks the text");
    }
}

/* Checks that opening fails because the directory belongs to another sweep, and
 * that the message names the difference. */
static void expect_other(const char *text, const char *said)
{
    CHECK_U64(reopen(text, 0), GMS_ERR_CONFIG);
    expect_said(said);
}

static void test_changed_files(void)
{
    CHECK_U64(reopen(FOUR, 0), GMS_OK);
    CHECK_U64(reopen(FOUR, 0), GMS_OK);
    /* These changes of the file have no effect on the runs. */
    CHECK_U64(reopen(FOUR "timeout: 9\nresults: [y]\ncores: 2\n", 0), GMS_OK);
    expect_other("command: x {a}\ngrid: {a: [1, 2, 3, 5]}\n",
                 "  a: changed from 1 2 3 4 to 1 2 3 5\n");
    expect_other("command: y {a}\ngrid: {a: [1, 2, 3, 4]}\n",
                 "  command: changed from x {a} to y {a}\n");
    expect_other(FOUR "repetitions: 2\n",
                 "  repetitions: changed from 1 to 2\n");
    expect_other(FOUR "set: {hosts: 4}\n",
                 "  set hosts: added with the value 4\n");
    expect_other(FOUR "record: true\n",
                 "  record: changed from false to true\n");
    /* With a restart, the old results are discarded and any change is
     * allowed. */
    CHECK_U64(reopen(FOUR "set: {hosts: 4}\n", 1), GMS_OK);
    expect_other(FOUR, "  set hosts: removed; the former value was 4\n");
    clean();
}

static void test_changed_cluster(void)
{
    char base[64];

    (void)snprintf(base, sizeof(base), "%s/base.yaml", dir);
    write_text(base, "hosts: 4\n");
    CHECK_U64(reopen(FOUR "cluster: base.yaml\n", 0), GMS_OK);
    write_text(base, "hosts: 8\n");
    expect_other(FOUR "cluster: base.yaml\n", "base.yaml differs from ");
    clean();
}

static void test_directories_of_others(void)
{
    char name[96];

    CHECK_U64(mkdir(directory, 0777), 0);
    (void)snprintf(name, sizeof(name), "%s/letter.txt", directory);
    write_text(name, "dear");
    CHECK_U64(reopen(FOUR, 0), GMS_ERR_SYSTEM);
    expect_said("already exists, but is not the directory of a sweep");
    CHECK_U64(reopen(FOUR, 1), GMS_ERR_SYSTEM);
    expect_text(read_text("s.sweep/letter.txt"), "dear");
    clean();
}

static void test_points_are_claimed(void)
{
    gms_sweep_state_t one, other;
    gms_sweep_t sweep;

    load(FOUR, &sweep);
    CHECK_U64(
        gms_sweep_open(&sweep, directory, GMS_SWEEP_SHARE, 0, &one, error),
        GMS_OK);
    CHECK_U64(
        gms_sweep_open(&sweep, directory, GMS_SWEEP_SHARE, 0, &other, error),
        GMS_OK);
    CHECK_U64(gms_sweep_claim_run(&one, 2), GMS_OK);
    CHECK_U64(gms_sweep_claim_run(&other, 2), GMS_ERR_BUSY);
    CHECK_U64(gms_sweep_claim_run(&other, 3), GMS_OK);
    gms_sweep_release_run(&one, 2);
    CHECK_U64(gms_sweep_claim_run(&other, 2), GMS_OK);
    gms_sweep_close(&other);
    CHECK_U64(gms_sweep_claim_run(&one, 3), GMS_OK);
    gms_sweep_close(&one);
    gms_sweep_clear(&sweep);
    clean();
}

static void test_cores_are_claimed(void)
{
    unsigned all = gms_sweep_cores_all();
    gms_sweep_cores_t one, rest, none;
    unsigned tries = 0;

    /* Wait while other sweeps on this machine use all cores. */
    do {
        gms_sweep_cores_claim(&one, 1);
    } while (one.count == 0 && ++tries < 500 && usleep(20000) == 0);
    if (one.count == 0) {
        return; /* skip the test: other sweeps still use all cores */
    }
    tries = 0;
    CHECK_U64(CPU_COUNT(&one.set), 1);
    gms_sweep_cores_claim(&none, all);
    CHECK_U64(none.count, 0);
    gms_sweep_cores_release(&one);
    /* Wait while another sweep on this machine uses the core. */
    do {
        gms_sweep_cores_claim(&rest, 1);
    } while (rest.count == 0 && ++tries < 1000 && usleep(20000) == 0);
    CHECK_U64(rest.count, 1);
    gms_sweep_cores_release(&rest);
}

/* ---- running ---- */

static uint64_t failed_runs; /* number of failed runs in the most recent
                              * sweep */

static void count_over(void *context, const gms_sweep_progress_t *progress)
{
    *(uint64_t *)context = progress->over;
    failed_runs = progress->failed;
}

static uint64_t run_all(const gms_sweep_t *sweep, int with_failed)
{
    gms_sweep_state_t state;
    uint64_t *runs, count = 0, over = 0;
    int number;

    CHECK_U64(
        gms_sweep_open(sweep, directory, GMS_SWEEP_ALONE, 0, &state, error),
        GMS_OK);
    CHECK_U64(gms_sweep_todo(sweep, &state, with_failed, &runs, &count),
              GMS_OK);
    CHECK_U64(gms_sweep_run(sweep, &state, runs, count, 2, count_over, &over,
                            &number, error),
              GMS_OK);
    CHECK_U64(over, count);
    CHECK_U64(number, 0);
    free(runs);
    gms_sweep_close(&state);
    return count;
}

static void test_runs(void)
{
    gms_sweep_t sweep;

    load("command: |\n"
         "  [ {a} != ok ] || echo fine\n"
         "  [ {a} != die ] || kill -9 $$\n"
         "  [ {a} != bad ] || exit 7\n"
         "grid: {a: [ok, bad, die]}\n",
         &sweep);
    CHECK_U64(run_all(&sweep, 0), 3);
    CHECK_U64(failed_runs, 2);
    expect_text(read_text("s.sweep/points/0001/status"), "done\n");
    expect_text(read_text("s.sweep/points/0001/stdout"), "fine\n");
    expect_text(read_text("s.sweep/points/0002/status"),
                "failed: exit status 7\n");
    expect_text(read_text("s.sweep/points/0003/status"),
                "failed: killed by signal 9 (Killed)\n");
    CHECK_U64(run_all(&sweep, 0), 0);
    gms_sweep_clear(&sweep);
    clean();
}

/* The environment of a run's command contains the description of the run's
 * point. The environment contains no variables that would make two runs write
 * to the same file. */
static void test_environment(void)
{
    static const char *const names[] = {"GMSIM_CLUSTER", "GMSIM_DISPATCH",
                                        "GMSIM_JOB", "GMSIM_RECORD",
                                        "GMSIM_TRACE"};
    const char *text;
    gms_sweep_t sweep;
    unsigned i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        (void)setenv(names[i], "other", 1);
    }
    load("command: |\n"
         "  echo {a}:$GMSIM_DISPATCH$GMSIM_JOB$GMSIM_RECORD$GMSIM_TRACE\n"
         "  echo $GMSIM_CLUSTER\n"
         "grid: {a: [x]}\n",
         &sweep);
    CHECK_U64(run_all(&sweep, 0), 1);
    for (i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        (void)unsetenv(names[i]);
    }
    text = read_text("s.sweep/points/0001/stdout");
    CU_ASSERT_EQUAL(strncmp(text, "x:\n", 3), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "s.sweep/points/0001/cluster.yaml\n"));
    gms_sweep_clear(&sweep);
    clean();
}

static void end_it(void *context, const gms_sweep_progress_t *progress)
{
    (void)context;
    if (progress->running > 0) {
        /* the signal stays blocked until the sweep waits for signals */
        (void)kill(getpid(), SIGTERM);
    }
}

/* A point that has ended is released: another process can claim it while the
 * first process still runs the sweep. A point can end in three ways: the
 * command ends, a signal interrupts the sweep, or an error occurs before the
 * command starts. */
static void test_points_are_released(void)
{
    const uint64_t first = 0, second = 1, third = 2;
    gms_sweep_state_t one, other;
    gms_sweep_t sweep;
    uint64_t over = 0;
    char points[96], kept[96];
    int number;

    load("command: |\n  case {a} in 1) echo x >> {folder}/../../../begun;;\n"
         "  2) sleep 600;; esac\ngrid: {a: [1, 2, 3]}\n",
         &sweep);
    CHECK_U64(
        gms_sweep_open(&sweep, directory, GMS_SWEEP_SHARE, 0, &one, error),
        GMS_OK);
    CHECK_U64(
        gms_sweep_open(&sweep, directory, GMS_SWEEP_SHARE, 0, &other, error),
        GMS_OK);
    CHECK_U64(gms_sweep_run(&sweep, &one, &first, 1, 1, count_over, &over,
                            &number, error),
              GMS_OK);
    CHECK_U64(over, 1);
    CHECK_U64(gms_sweep_claim_run(&other, first), GMS_OK);
    gms_sweep_release_run(&other, first);
    CHECK_U64(gms_sweep_run(&sweep, &one, &second, 1, 1, end_it, NULL, &number,
                            error),
              GMS_OK);
    CHECK_U64(number, SIGTERM);
    CHECK_U64(gms_sweep_claim_run(&other, second), GMS_OK);
    /* To cause an error, put a file where the directory should be. */
    (void)snprintf(points, sizeof(points), "%s/points", directory);
    (void)snprintf(kept, sizeof(kept), "%s/kept", directory);
    CHECK_U64(rename(points, kept), 0);
    write_text(points, "in the way");
    CHECK_U64(gms_sweep_run(&sweep, &one, &third, 1, 1, count_over, &over,
                            &number, error),
              GMS_ERR_SYSTEM);
    CHECK_U64(gms_sweep_claim_run(&other, third), GMS_OK);
    CHECK_U64(unlink(points), 0);
    CHECK_U64(rename(kept, points), 0);
    /* A point that is done does not run again, and no claim on it remains. */
    over = 0;
    CHECK_U64(gms_sweep_run(&sweep, &one, &first, 1, 1, count_over, &over,
                            &number, error),
              GMS_OK);
    CHECK_U64(over, 1);
    expect_text(read_text("begun"), "x\n");
    CHECK_U64(gms_sweep_claim_run(&other, first), GMS_OK);
    gms_sweep_close(&other);
    gms_sweep_close(&one);
    gms_sweep_clear(&sweep);
    clean();
}

/* The time limit has a test of its own, because the points in the test above
 * may take any length of time. */
static void test_time_is_limited(void)
{
    gms_sweep_t sweep;

    load("command: echo {a}; sleep 1000\ntimeout: 1\ngrid: {a: [slow]}\n",
         &sweep);
    CHECK_U64(run_all(&sweep, 0), 1);
    expect_text(read_text("s.sweep/points/0001/status"),
                "failed: killed at its time limit of 1 s\n");
    CHECK_U64(run_all(&sweep, 0), 0);
    gms_sweep_clear(&sweep);
    clean();
}

/* If a command leaves processes running, the sweep must also end these
 * processes. */
static void test_leftovers(void)
{
    gms_sweep_t sweep;
    pid_t pid;

    load("command: setsid sleep 60 & echo $! > {folder}/pid; true {a}\n"
         "grid: {a: [1]}\n",
         &sweep);
    CHECK_U64(run_all(&sweep, 0), 1);
    expect_text(read_text("s.sweep/points/0001/status"), "done\n");
    pid = (pid_t)atol(read_text("s.sweep/points/0001/pid"));
    CU_ASSERT_TRUE(pid > 0);
    CU_ASSERT_TRUE(pid > 0 && kill(pid, 0) != 0);
    gms_sweep_clear(&sweep);
    clean();
}

/* A run fails if its results are missing, even if its command succeeds. */
static void test_without_results(void)
{
    gms_sweep_t sweep;

    load("command: echo {a}\nresults: {r: {regex: 'x'}}\ngrid: {a: [x, y]}\n",
         &sweep);
    CHECK_U64(run_all(&sweep, 0), 2);
    CHECK_U64(run_all(&sweep, 0), 0);
    CHECK_U64(run_all(&sweep, 1), 1);
    gms_sweep_clear(&sweep);
    clean();
}

/* The names and values are the same as before, but the set of points or their
 * order differs. */
static void test_changed_shape(void)
{
    CHECK_U64(reopen("command: x {a} {b}\ngrid: {a: [1], b: [2]}\n", 0),
              GMS_OK);
    expect_other("command: x {a} {b}\ntogether: {a: [1], b: [2]}\n",
                 "  b: changed from 2 to 2 (together with a)\n");
    expect_other("command: x {a} {b}\ngrid: {b: [2], a: [1]}\n",
                 "  order: changed from a b to b a\n");
    clean();
}

/* ---- results ---- */

static void expect_result(gms_sweep_result_t result, const char *expected)
{
    char *value = NULL;

    if (gms_sweep_extract(&result, dir, &value, error) == GMS_OK) {
        expect_text(value, expected);
        free(value);
    } else {
        expect_text(error, expected);
    }
}

static void test_columns(void)
{
    char name[64];

    (void)snprintf(name, sizeof(name), "%s/stdout", dir);
    write_text(name, "# a comment\n\nsize,\"mean, us\",text\r\n1,2.5,a\n"
                     "2,5,\"x \"\"y\"\"\"\n4,10,b\n");
    expect_result((gms_sweep_result_t){.what = "size"}, "4");
    expect_result((gms_sweep_result_t){.what = "mean, us"}, "10");
    expect_result((gms_sweep_result_t){.what = "text",
                                       .where = {{"size", "2"}},
                                       .where_count = 1},
                  "x \"y\"");
    expect_result((gms_sweep_result_t){.what = "siz"},
                  "stdout has no column 'siz'");
    expect_result((gms_sweep_result_t){.what = "text",
                                       .where = {{"size", "2"}, {"text", "b"}},
                                       .where_count = 2},
                  "stdout has no row with size = 2, text = b");
    expect_result((gms_sweep_result_t){.what = "mean, us",
                                       .where = {{"size", "1"}, {"text", "a"}},
                                       .where_count = 2},
                  "2.5");
    expect_result((gms_sweep_result_t){.what = "text",
                                       .where = {{"site", "2"}},
                                       .where_count = 1},
                  "stdout has no column 'site'");
    write_text(name, "size,mean\n");
    expect_result((gms_sweep_result_t){.what = "size"},
                  "the column 'size' of stdout has no rows");
    write_text(name, "");
    expect_result((gms_sweep_result_t){.what = "size"},
                  "stdout has no column 'size'");
    clean();
}

static void test_lines_and_regexes(void)
{
    gms_sweep_result_t line = {.source = GMS_SWEEP_LINE};
    char name[64];

    (void)snprintf(name, sizeof(name), "%s/stdout", dir);
    write_text(name, "rate 3 MB/s\nrate 45 MB/s\nover in  7.5 s \n\n");
    expect_result(line, "over in  7.5 s");
    line.word = 3;
    expect_result(line, "7.5");
    line.word = 5;
    expect_result(line, "the last line of stdout has fewer than 5 words");
    expect_result((gms_sweep_result_t){.source = GMS_SWEEP_REGEX,
                                       .what = "rate ([0-9]+) MB"},
                  "45");
    expect_result(
        (gms_sweep_result_t){.source = GMS_SWEEP_REGEX, .what = "^over.*s"},
        "over in  7.5 s");
    expect_result(
        (gms_sweep_result_t){.source = GMS_SWEEP_REGEX, .what = "late"},
        "stdout contains no match for 'late'");
    expect_result((gms_sweep_result_t){.source = GMS_SWEEP_REGEX,
                                       .what = "late",
                                       .is_stderr = 1},
                  "the file 'stderr' is missing");
    write_text(name, " \n\n");
    line.word = 0;
    expect_result(line, "stdout is empty");
    line.is_optional = 1;
    expect_result(line, "");
    clean();
}

/* Writes a record with a valid checksum. */
static void write_record(void)
{
    static const char *const files[] = {"windows.jsonl", "events.jsonl"};
    char where[64], name[96];
    unsigned i;

    (void)snprintf(where, sizeof(where), "%s/record", dir);
    CHECK_U64(mkdir(where, 0777), 0);
    for (i = 0; i < 2; ++i) {
        (void)snprintf(name, sizeof(name), "%s/%s", where, files[i]);
        write_text(name, "");
    }
    (void)snprintf(name, sizeof(name), "%s/record.json", where);
    write_text(name, "{\"schema\": 4, \"end_ps\": 9007199254740993, "
                     "\"job\": {\"size\": 4}, "
                     "\"flows\": [{\"n\": 1, \"bytes\": 10}, {\"n\": 7, "
                     "\"bytes\": 32, \"part\": 0.5}], \"name\": \"x\"}");
    CHECK_U64(seal_directory(where), 0);
}

static void test_records(void)
{
    static const struct {
        const char *what, *expected;
    } cases[] = {
        {"end_ps", "9007199254740993"},
        {"job/size", "4"},
        {"flows/1/bytes", "32"},
        {"flows/n=7/part", "0.5"},
        {"flows/*/bytes", "42"},
        {"name", "x"},
        {"flows/n=8/part", "record/record.json has no 'flows/n=8/part'"},
        {"flows/2/bytes", "record/record.json has no 'flows/2/bytes'"},
        {"job", "record/record.json has no 'job'"},
    };
    size_t i;

    write_record();
    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        expect_result((gms_sweep_result_t){.source = GMS_SWEEP_RECORD,
                                           .what = cases[i].what},
                      cases[i].expected);
    }
    clean();
}

/* A truncated or changed record is refused, even if the result is optional. */
static void test_damaged_records(void)
{
    gms_sweep_result_t result = {
        .source = GMS_SWEEP_RECORD, .what = "flows/*/bytes", .is_optional = 1};
    char name[96], *at;
    const char *text;

    (void)snprintf(name, sizeof(name), "%s/record/record.json", dir);
    expect_result(result, "");
    write_record();
    expect_result(result, "42");
    text = read_text("record/record.json");
    at = strstr(text, "\"bytes\": 32");
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    at[9] = '9';
    write_text(name, text);
    expect_result(result,
                  "record/record.json: the checksum does not match: the "
                  "file was changed");
    at[9] = '3';
    at[200] = '\0';
    write_text(name, text);
    expect_result(result, "record/record.json:5: premature end of input near "
                          "'\"s' (the file was truncated or changed)");
    clean();
}

static void test_statistics(void)
{
    static const double numbers[] = {2, 4, 4, 4, 5, 5, 7, 9};
    double mean = 0, deviation = -1, half = -1;

    gms_sweep_statistics(numbers, 1, &mean, &deviation, &half);
    CHECK_NEAR(mean, 2, 1e-12);
    CHECK_NEAR(deviation, -1, 1e-12);
    gms_sweep_statistics(numbers, 2, &mean, &deviation, &half);
    CHECK_NEAR(mean, 3, 1e-12);
    CHECK_NEAR(deviation, sqrt(2), 1e-12);
    CHECK_NEAR(half, 12.706, 1e-9); /* Student's t is 12.706, and sqrt(2) /
                                     * sqrt(2) is 1 */
    gms_sweep_statistics(numbers, 8, &mean, &deviation, &half);
    CHECK_NEAR(mean, 5, 1e-12);
    CHECK_NEAR(deviation, sqrt(32.0 / 7), 1e-12);
    CHECK_NEAR(half, 2.365 * sqrt(32.0 / 7 / 8), 1e-9);
}

/* ---- the two result files ---- */

static unsigned problems;

static void on_problem(void *context, uint64_t run, const char *why)
{
    (void)context;
    (void)run;
    problems += (why != NULL) ? 101 : 1;
}

/* all reported means, each in the form "RESULT POINT MEAN HALF;" */
static char means[256];

static void on_mean(void *context, size_t result, uint64_t point, double mean,
                    double half)
{
    size_t len = strlen(means);

    (void)context;
    (void)snprintf(means + len, sizeof(means) - len, "%zu %d %g %.2f;", result,
                   (int)point, mean, half);
}

static void test_gather(void)
{
    const gms_sweep_listener_t listener = {.problem = on_problem,
                                           .mean = on_mean};
    char csv[64], summary[64];
    gms_sweep_state_t state;
    gms_sweep_count_t count;
    gms_sweep_t sweep;

    (void)snprintf(csv, sizeof(csv), "%s/s.csv", dir);
    (void)snprintf(summary, sizeof(summary), "%s/t.csv", dir);
    load("command: |\n"
         "  case {a}{seed} in 21) exit 1;; 22) echo r; echo 22; exit;; esac\n"
         "  echo r,t; echo {seed}{a},{a}x\n"
         "results: [r, t]\ngrid: {a: [1, 2, '3']}\nrepetitions: 2\n",
         &sweep);
    CHECK_U64(run_all(&sweep, 0), 6);
    CHECK_U64(
        gms_sweep_open(&sweep, directory, GMS_SWEEP_LOOK, 0, &state, error),
        GMS_OK);
    CHECK_U64(gms_sweep_reopen(&sweep, &state, 5), GMS_OK);
    problems = 0;
    CHECK_U64(gms_sweep_gather(&sweep, &state, csv, summary, &listener, &count,
                               error),
              GMS_OK);
    CHECK_U64(count.done, 3);
    CHECK_U64(count.failed, 2);
    CHECK_U64(count.open, 1);
    CHECK_U64(count.texts, 1);
    CHECK_U64(problems, 203);
    /* the values of t are not numbers, and the second point has no successful
     * runs */
    expect_text(means, "0 0 16 63.53;0 4 13 0.00;");
    expect_text(read_text("s.csv"), "point,a,seed,r,t,status\n"
                                    "1,1,1,11,1x,done\n"
                                    "2,1,2,21,1x,done\n"
                                    "3,2,1,,,failed\n"
                                    "4,2,2,22,,failed\n"
                                    "5,3,1,13,3x,done\n"
                                    "6,3,2,,,missing\n");
    expect_text(read_text("t.csv"), "a,runs,r_mean,r_sd,r_ci95\n"
                                    "1,2,16,7.071067812,63.53\n"
                                    "2,0,,,\n"
                                    "3,1,13,,\n");
    gms_sweep_close(&state);
    gms_sweep_clear(&sweep);
    clean();
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"stages of a point: open, failed, done", test_stages},
        {"an incomplete status", test_half_a_status},
        {"changed files", test_changed_files},
        {"a changed set or order of points", test_changed_shape},
        {"changed cluster", test_changed_cluster},
        {"directories of other sweeps", test_directories_of_others},
        {"a claimed point is not available to other processes",
         test_points_are_claimed},
        {"a claimed core is not available to other processes",
         test_cores_are_claimed},
        {"points are run", test_runs},
        {"environment of a point", test_environment},
        {"points are released", test_points_are_released},
        {"a point is killed at its time limit", test_time_is_limited},
        {"leftovers", test_leftovers},
        {"without results", test_without_results},
        {"columns", test_columns},
        {"lines and regular expressions", test_lines_and_regexes},
        {"records", test_records},
        {"changed records", test_damaged_records},
        {"statistics", test_statistics},
        {"gathered results", test_gather},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN(
        {"sweep state", suite_init, suite_cleanup, NULL, NULL, tests});
}
