/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests how the rank and the job of a process are derived from its environment
 * and from a simulated /proc.
 */
#define _GNU_SOURCE
#include "job/launch.h"
#include "job/variables.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static char proc[64];

static void write_file(const char *name, int pid, const char *bytes,
                       size_t length)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%d/%s", proc, pid, name);
    file = fopen(path, "w");
    if (file == NULL || fwrite(bytes, 1, length, file) != length ||
        fclose(file) != 0) {
        abort();
    }
}

/* Create a process with this parent in the simulated /proc. The environment of
 * the process has two entries. */
static void make_process(int pid, int parent, const char *program, int start,
                         const char *variable)
{
    char path[256];
    char text[256];
    int length;

    snprintf(path, sizeof(path), "%s/%d", proc, pid);
    mkdir(path, 0700);
    length = snprintf(text, sizeof(text),
                      "%d (%s) S %d 1 1 0 -1 4194560 100 0 0 0 5 6 0 0 20 0 1 "
                      "0 %d 1000 100\n",
                      pid, program, parent, start);
    write_file("stat", pid, text, (size_t)length);
    length = snprintf(text, sizeof(text), "HOME=/%c%s%c", 0, variable, 0);
    write_file("environ", pid, text, (size_t)length);
}

static int make_proc(void)
{
    snprintf(proc, sizeof(proc), "/tmp/gmqos-test-proc-%d", (int)getpid());
    if (mkdir(proc, 0700) != 0) {
        return -1;
    }
    make_process(1, 0, "init", 1, "A=1");
    make_process(20, 1, "mpirun", 300, "XPMI_RANK=7");
    make_process(21, 20, "proxy", 301, "PMI_SIZE=2");
    make_process(22, 21, "sh) S 1 (x", 302, "PMI_RANK=0");
    make_process(23, 22, "program", 303, "PMI_RANK=0");
    make_process(24, 21, "program", 304, "PMI_RANK=1");
    make_process(30, 1, "container", 400, "PMI_RANK=0");
    make_process(31, 30, "program", 401, "PMI_RANK=0");
    return 0;
}

static int remove_proc(void)
{
    char command[128];

    snprintf(command, sizeof(command), "rm -r %s", proc);
    return system(command);
}

static void clear_environment(void)
{
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
    unsetenv("GMSIM_JOB");
    unsetenv("GMSIM_CLUSTER");
    unsetenv("GMSIM_DISPATCH");
}

static void test_ancestor(void)
{
    char job[GMS_JOB_NAME_LEN];

    gms_launch_job_of(proc, 23, job);
    CU_ASSERT_STRING_EQUAL(job, "21-301");
    gms_launch_job_of(proc, 24, job);
    CU_ASSERT_STRING_EQUAL(job, "21-301");
    gms_launch_job_of(proc, 21, job);
    CU_ASSERT_STRING_EQUAL(job, "21-301");
}

/* If all ancestors of a process have a rank, the oldest ancestor is the
 * launcher. */
static void test_no_launcher(void)
{
    char job[GMS_JOB_NAME_LEN];
    char eldest[GMS_JOB_NAME_LEN];

    make_process(1, 0, "init", 1, "PMI_RANK=0");
    gms_launch_job_of(proc, 31, job);
    gms_launch_job_of(proc, 1, eldest);
    make_process(1, 0, "init", 1, "A=1");
    CU_ASSERT_STRING_EQUAL(job, eldest);
}

static void test_alone(void)
{
    gms_launch_t launch;
    char error[GMS_ERROR_LEN];
    char job[GMS_JOB_NAME_LEN];

    clear_environment();
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_OK);
    CHECK_U64(launch.rank, 0);
    CHECK_U64(launch.size, 1);
    CU_ASSERT_PTR_NULL(launch.cluster);
    gms_launch_job_of("/proc", getpid(), job);
    CU_ASSERT_STRING_EQUAL(launch.job, job);
}

static void test_rank(void)
{
    gms_launch_t launch;
    char error[GMS_ERROR_LEN];
    char job[GMS_JOB_NAME_LEN];

    clear_environment();
    setenv("PMI_RANK", "3", 1);
    setenv("PMI_SIZE", "4", 1);
    setenv("GMSIM_CLUSTER", "a.yaml", 1);
    setenv("GMSIM_DISPATCH", "log.csv", 1);
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_OK);
    CU_ASSERT_STRING_EQUAL(launch.dispatch, "log.csv");
    CHECK_U64(launch.rank, 3);
    CHECK_U64(launch.size, 4);
    CU_ASSERT_STRING_EQUAL(launch.cluster, "a.yaml");
    gms_launch_job_of("/proc", getppid(), job);
    CU_ASSERT_STRING_EQUAL(launch.job, job);
    setenv("GMSIM_JOB", "Mine_1.2-x", 1);
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_OK);
    CU_ASSERT_STRING_EQUAL(launch.job, "Mine_1.2-x");
}

/* A variable with an empty value is treated like an unset variable. */
static void test_empty(void)
{
    gms_launch_t launch;
    char error[GMS_ERROR_LEN];

    clear_environment();
    setenv("GMSIM_CLUSTER", "", 1);
    setenv("GMSIM_DISPATCH", "", 1);
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_OK);
    CU_ASSERT_PTR_NULL(launch.cluster);
    CU_ASSERT_PTR_NULL(launch.dispatch);
    clear_environment();
}

/* A description can be a file, but not a pipe. */
static void test_pipe(void)
{
    char path[128], error[GMS_ERROR_LEN] = "";
    gms_launch_t launch = {.size = 1};

    CHECK_U64(gms_launch_check_cluster(&launch, error), GMS_OK);
    (void)snprintf(path, sizeof(path), "%s/pipe", proc);
    CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
    launch.cluster = path;
    CHECK_U64(gms_launch_check_cluster(&launch, error), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(error, "is a pipe, which only one rank"));
    CU_ASSERT_EQUAL_FATAL(unlink(path), 0);
    launch.cluster = "/dev/null";
    CHECK_U64(gms_launch_check_cluster(&launch, error), GMS_OK);
}

static void check_refused(const char *rank, const char *size, const char *job,
                          const char *expected)
{
    gms_launch_t launch = {.size = 77};
    char error[GMS_ERROR_LEN] = "";

    clear_environment();
    if (rank != NULL) {
        setenv("PMI_RANK", rank, 1);
    }
    if (size != NULL) {
        setenv("PMI_SIZE", size, 1);
    }
    if (job != NULL) {
        setenv("GMSIM_JOB", job, 1);
    }
    CU_ASSERT_EQUAL(gms_launch_read("/proc", &launch, error), GMS_ERR_CONFIG);
    if (strstr(error, expected) == NULL) {
        printf("\n    '%s' is not in '%s'\n", expected, error);
    }
    CU_ASSERT_PTR_NOT_NULL(strstr(error, expected));
    CHECK_U64(launch.size, 77);
    clear_environment();
}

static void test_refused(void)
{
    check_refused("0", NULL, NULL, "PMI_SIZE is not");
    check_refused("4", "4", NULL, "value '4' is not a number from 0 to 3");
    check_refused("-1", "4", NULL, "PMI_RANK");
    check_refused("x", "4", NULL, "value 'x'");
    check_refused("1x", "4", NULL, "value '1x'");
    check_refused("", "4", NULL, "value ''");
    check_refused("0", "0", NULL, "PMI_SIZE");
    check_refused("0", "65537", NULL, "from 1 to 65536");
    check_refused("0", "99999999999999999999", NULL, "PMI_SIZE");
    check_refused(NULL, NULL, "../../etc/x", "GMSIM_JOB: value '../../etc/x'");
    check_refused(NULL, NULL, "a b", "GMSIM_JOB");
}

static void test_poll_limit(void)
{
    gms_launch_t launch;
    char error[GMS_ERROR_LEN];

    clear_environment();
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_OK);
    CHECK_U64(launch.poll_limit_s, 60);
    setenv("GMSIM_POLL_LIMIT", "", 1);
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_OK);
    CHECK_U64(launch.poll_limit_s, 60);
    setenv("GMSIM_POLL_LIMIT", "0", 1);
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_OK);
    CHECK_U64(launch.poll_limit_s, 0);
    setenv("GMSIM_POLL_LIMIT", "86400", 1);
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_OK);
    CHECK_U64(launch.poll_limit_s, 86400);
    setenv("GMSIM_POLL_LIMIT", "86401", 1);
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_ERR_CONFIG);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        error, "GMSIM_POLL_LIMIT: value '86401' is not a number from 0 to"));
    setenv("GMSIM_POLL_LIMIT", "-1", 1);
    CHECK_U64(gms_launch_read("/proc", &launch, error), GMS_ERR_CONFIG);
    unsetenv("GMSIM_POLL_LIMIT");
}

/* A misspelt variable is reported together with the name that was probably
 * meant. */
static void test_variables(void)
{
    char texts[][40] = {"PATH=/bin",       "GMSIM_RECORD=a", "GMSIM_RECROD=a",
                        "MPIQOS_POLICY=b", "MPIQOS_POLCY=b", "GMSIM_\x1b[31m=1",
                        "GMSIM_TRACE_ONLY"};
    char *const environment[] = {texts[0], texts[1], texts[2], texts[3],
                                 texts[4], texts[5], texts[6], NULL};
    char warning[GMS_VARIABLE_WARNING_LEN];
    size_t next = 0;

    CU_ASSERT_TRUE(gms_variables_unknown(environment, &next, warning));
    CU_ASSERT_STRING_EQUAL(warning,
                           "environment variable GMSIM_RECROD is unknown and "
                           "has no effect (did you mean 'GMSIM_RECORD'?)");
    CU_ASSERT_TRUE(gms_variables_unknown(environment, &next, warning));
    CU_ASSERT_PTR_NOT_NULL(strstr(warning, "did you mean 'MPIQOS_POLICY'?"));
    CU_ASSERT_TRUE(gms_variables_unknown(environment, &next, warning));
    CU_ASSERT_PTR_NOT_NULL(strstr(warning, "variable GMSIM_?[31m is unknown"));
    CU_ASSERT_FALSE(gms_variables_unknown(environment, &next, warning));
}

int main(void)
{
    CU_TestInfo tests[] = {
        {"misspelt variables", test_variables},
        {"the poll limit", test_poll_limit},
        {"the nearest ancestor without a rank is the launcher", test_ancestor},
        {"all ancestors have a rank", test_no_launcher},
        {"started alone", test_alone},
        {"started as a rank", test_rank},
        {"empty variables", test_empty},
        {"a description in a pipe", test_pipe},
        {"invalid variables", test_refused},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"gm launch", make_proc, remove_proc, NULL, NULL, tests});
}
