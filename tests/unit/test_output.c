/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the tools' output files, which must be either complete or absent, and
 * the estimate of the remaining time.
 */
#include "tool/bar.h"
#include "base/output.h"
#include "base/tidy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text_file.h"

static char directory[] = "/tmp/test-output-XXXXXX";

static void at(const char *name, char path[256])
{
    (void)snprintf(path, 256, "%s/%s", directory, name);
}

static void put(const char *name, const char *text)
{
    char path[256];

    at(name, path);
    write_text(path, text);
}

/* Returns the contents of a file, or "" if the file does not exist. */
static const char *get(const char *name)
{
    static char text[64];
    char path[256];
    FILE *file;

    memset(text, 0, sizeof(text));
    at(name, path);
    file = fopen(path, "r");
    if (file != NULL) {
        (void)!fread(text, 1, sizeof(text) - 1, file);
        (void)fclose(file);
    }
    return text;
}

/* Returns the number of files in the directory, including files whose names
 * begin with a dot. */
static int files(void)
{
    char command[256];
    int count = -1;
    FILE *list;

    (void)snprintf(command, sizeof(command), "ls -A %s | wc -l", directory);
    list = popen(command, "r");
    if (list != NULL) {
        (void)!fscanf(list, "%d", &count);
        (void)pclose(list);
    }
    return count;
}

static void begin(void)
{
    strcpy(directory, "/tmp/test-output-XXXXXX");
    CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
}

static void end(void)
{
    char command[256];

    (void)snprintf(command, sizeof(command), "rm -r %s", directory);
    CU_ASSERT_EQUAL(system(command), 0);
}

static void test_replaces_at_the_end(void)
{
    gms_output_t output;
    struct stat mode;
    char path[256];

    put("a", "old");
    at("a", path);
    (void)chmod(path, 0640);
    CU_ASSERT_EQUAL_FATAL(gms_output_open(&output, path), 0);
    fputs("new", output.file);
    (void)fflush(output.file);
    CU_ASSERT_STRING_EQUAL(get("a"), "old");
    CU_ASSERT_EQUAL(files(), 2);
    CU_ASSERT_EQUAL(gms_output_close(&output, 1), 0);
    CU_ASSERT_STRING_EQUAL(get("a"), "new");
    CU_ASSERT_EQUAL(files(), 1);
    CU_ASSERT_EQUAL(stat(path, &mode), 0);
    CU_ASSERT_EQUAL(mode.st_mode & 0777, 0640);
}

static void test_thrown_away(void)
{
    gms_output_t output;
    char path[256];

    put("a", "old");
    at("a", path);
    CU_ASSERT_EQUAL_FATAL(gms_output_open(&output, path), 0);
    fputs("new", output.file);
    CU_ASSERT_EQUAL(gms_output_close(&output, 0), 0);
    CU_ASSERT_STRING_EQUAL(get("a"), "old");
    CU_ASSERT_EQUAL(files(), 1);
}

static void test_new_file_has_the_umask(void)
{
    mode_t mask = umask(027);
    gms_output_t output;
    struct stat mode;
    char path[256];

    at("b", path);
    CU_ASSERT_EQUAL_FATAL(gms_output_open(&output, path), 0);
    CU_ASSERT_EQUAL(gms_output_close(&output, 1), 0);
    CU_ASSERT_EQUAL(stat(path, &mode), 0);
    CU_ASSERT_EQUAL(mode.st_mode & 0777, 0640);
    (void)umask(mask);
}

static void test_a_link_stays_one(void)
{
    gms_output_t output;
    struct stat kind;
    char path[256], link[256];

    put("a", "old");
    at("a", path);
    at("l", link);
    CU_ASSERT_EQUAL_FATAL(symlink("a", link), 0);
    CU_ASSERT_EQUAL_FATAL(gms_output_open(&output, link), 0);
    fputs("new", output.file);
    CU_ASSERT_EQUAL(gms_output_close(&output, 1), 0);
    CU_ASSERT_STRING_EQUAL(get("a"), "new");
    CU_ASSERT_EQUAL(lstat(link, &kind), 0);
    CU_ASSERT_TRUE(S_ISLNK(kind.st_mode));
}

static void test_what_cannot_be_written(void)
{
    struct rlimit limit, none;
    gms_output_t output;
    char path[256];

    errno = 0;
    CU_ASSERT_EQUAL(gms_output_open(&output, "/nowhere/at/all"), -1);
    CU_ASSERT_EQUAL(errno, ENOENT);
    /* The test does not use /dev/full, because a faulty program would replace
     * this file if root runs the test. */
    put("a", "old");
    at("a", path);
    (void)getrlimit(RLIMIT_FSIZE, &limit);
    none = (struct rlimit){0, limit.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)setrlimit(RLIMIT_FSIZE, &none);
    CU_ASSERT_EQUAL_FATAL(gms_output_open(&output, path), 0);
    fputs("new", output.file);
    errno = 0;
    CU_ASSERT_EQUAL(gms_output_close(&output, 1), -1);
    CU_ASSERT_EQUAL(errno, EFBIG);
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    CU_ASSERT_STRING_EQUAL(get("a"), "old");
    CU_ASSERT_EQUAL(files(), 1);
}

static void test_a_pipe_is_written_as_it_is(void)
{
    gms_output_t output;
    struct stat kind;
    char path[256], text[8] = "";
    int end;

    at("p", path);
    CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
    end = open(path, O_RDONLY | O_NONBLOCK);
    CU_ASSERT_EQUAL_FATAL(gms_output_open(&output, path), 0);
    fputs("new", output.file);
    CU_ASSERT_EQUAL(gms_output_close(&output, 1), 0);
    CU_ASSERT_EQUAL(read(end, text, sizeof(text) - 1), 3);
    CU_ASSERT_STRING_EQUAL(text, "new");
    (void)close(end);
    CU_ASSERT_EQUAL(lstat(path, &kind), 0);
    CU_ASSERT_TRUE(S_ISFIFO(kind.st_mode));
}

/* A child process opens an output file and raises the signal `number`. @return
 * the signal that has ended the process, or -1 */
static int killed(int number)
{
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        gms_output_t output;
        char path[256];

        at("a", path);
        if (gms_output_open(&output, path) == 0) {
            fputs("new", output.file);
            (void)fflush(output.file);
            (void)raise(number);
        }
        _exit(0);
    }
    (void)waitpid(pid, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

static void test_a_signal_leaves_nothing(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    unsigned i;

    put("a", "old");
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        CU_ASSERT_EQUAL(killed(numbers[i]), numbers[i]);
        CU_ASSERT_EQUAL(files(), 1);
        CU_ASSERT_STRING_EQUAL(get("a"), "old");
    }
}

/* If a child process is started while the file is open, it does not remove the
 * file. */
static void test_a_child_leaves_it_alone(void)
{
    gms_output_t output;
    char path[256];
    pid_t pid;

    at("a", path);
    CU_ASSERT_EQUAL_FATAL(gms_output_open(&output, path), 0);
    pid = fork();
    if (pid == 0) {
        (void)raise(SIGTERM);
        _exit(0);
    }
    (void)waitpid(pid, NULL, 0);
    CU_ASSERT_EQUAL(files(), 1);
    fputs("new", output.file);
    CU_ASSERT_EQUAL(gms_output_close(&output, 1), 0);
    CU_ASSERT_STRING_EQUAL(get("a"), "new");
}

static void says(double fraction, double past_s, const char *expected)
{
    char text[GMS_TOOL_BAR_TEXT_LEN];

    gms_tool_bar_left(fraction, past_s, text);
    CU_ASSERT_STRING_EQUAL(text, expected);
}

static void test_time_left(void)
{
    says(0.5, 10, "about 10 s left");
    says(0.25, 10, "about 30 s left");
    says(0.1, 10, "about 1:30 min left");
    says(0.5, 5425, "about 1:30 h left");
    says(1, 10, "about 0 s left");
    says(0.01, 10, ""); /* it is too early for an estimate */
    says(0, 10, "");
    says(0.02, 1e6, ""); /* the time is too long for a useful estimate */
}

int main(void)
{
    /* The first test must run before this process has opened an output file. */
    CU_TestInfo tests[] = {
        {"a signal leaves no file", test_a_signal_leaves_nothing},
        {"the file is replaced at the end", test_replaces_at_the_end},
        {"a discarded file", test_thrown_away},
        {"the mode of a new file follows the umask",
         test_new_file_has_the_umask},
        {"a symbolic link remains a link", test_a_link_stays_one},
        {"files that cannot be written", test_what_cannot_be_written},
        {"a pipe is written directly", test_a_pipe_is_written_as_it_is},
        {"a child process does not remove the file",
         test_a_child_leaves_it_alone},
        {"text of the remaining time", test_time_left},
        CU_TEST_INFO_NULL,
    };

    return UNIT_RUN({"output", NULL, NULL, begin, end, tests});
}
