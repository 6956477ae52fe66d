/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles the command line of the benchmark programs with argp. Suppresses the
 * output of all ranks except 0, checks at the end that the output was written,
 * and parses numbers and sizes (K, M) with their limits.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* The id of the process that checks its output when it ends. */
static pid_t bench_pid;

static void bench_print_version(FILE *file, struct argp_state *state)
{
    fprintf(file, "%s (gmqos) " PACKAGE_VERSION "\n", state->name);
}

/* argp calls this hook by its predefined name. */
void (*argp_program_version_hook)(FILE *,
                                  struct argp_state *) = bench_print_version;

/** Redirect standard output and error to /dev/null, unless this is rank 0.
 *  getopt() writes to these descriptors directly and ignores argp's streams.
 *  @param [out] kept  the original file descriptors, for bench_speak() */
static void bench_hush(int kept[2])
{
    const char *rank = getenv("PMI_RANK");
    int nowhere;

    kept[0] = kept[1] = -1;
    if (rank == NULL || strcmp(rank, "0") == 0) {
        return;
    }
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        for (int i = 0; i < 2; ++i) {
            kept[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);
            (void)dup2(nowhere, i + 1);
        }
        (void)close(nowhere);
    }
}

static void bench_speak(const int kept[2])
{
    for (int i = 0; i < 2; ++i) {
        if (kept[i] >= 0) {
            (void)dup2(kept[i], i + 1);
            (void)close(kept[i]);
        }
    }
}

/** End the program with a failure if the output could not be written. Do not
 *  report EPIPE, because the reader closed the pipe on purpose. */
static void bench_end(void)
{
    if (getpid() != bench_pid) {
        return; /* this process is a child, not the program itself */
    }
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return;
    }
    /* the errno of the earlier failure is no longer known */
    errno = (errno != 0) ? errno : EIO;
    if (errno != EPIPE) {
        fprintf(stderr, "%s: cannot write the output: %s\n",
                program_invocation_short_name, strerror(errno));
    }
    _exit(BENCH_EXIT_FAILED);
}

void bench_program(const struct argp *argp, int argc, char **argv, void *input)
{
    int kept[2];

    argp_err_exit_status = BENCH_EXIT_USAGE;
    /* omit three lines of help that explain the values of short options */
    (void)setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
    bench_pid = getpid();
    (void)atexit(bench_end);
    bench_hush(kept);
    if (argp_parse(argp, argc, argv, 0, NULL, input) != 0) {
        exit(BENCH_EXIT_USAGE);
    }
    bench_speak(kept);
}

/** Parse decimal digits. *end_p points to the first character after them.
 *  @return 0, or -1 if there are no digits or the number is too large */
static int bench_parse_digits(const char *text, size_t *number_p, char **end_p)
{
    if (text[0] < '0' || text[0] > '9') {
        return -1; /* strtoull() would accept signs and blanks */
    }
    errno = 0;
    *number_p = strtoull(text, end_p, 10);
    return (errno == 0) ? 0 : -1;
}

int bench_parse_number(const char *text, size_t min, size_t max,
                       size_t *number_p)
{
    char *end;
    size_t number;

    if (bench_parse_digits(text, &number, &end) != 0 || *end != '\0' ||
        number < min || number > max) {
        return -1;
    }
    *number_p = number;
    return 0;
}

int bench_parse_size(const char *text, size_t min, size_t max, size_t *bytes_p)
{
    static const struct {
        const char *name;
        unsigned shift;
    } units[] = {{"", 0}, {"K", 10}, {"KiB", 10}, {"M", 20}, {"MiB", 20}};
    char *end;
    size_t number;

    if (bench_parse_digits(text, &number, &end) != 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); ++i) {
        if (strcmp(end, units[i].name) == 0 &&
            number <= (max >> units[i].shift) &&
            (number << units[i].shift) >= min) {
            *bytes_p = number << units[i].shift;
            return 0;
        }
    }
    return -1;
}

size_t bench_number(struct argp_state *state, const char *option,
                    const char *text, size_t min, size_t max)
{
    size_t number = min;

    if (bench_parse_number(text, min, max, &number) != 0) {
        argp_error(state, "--%s: value '%s' is invalid; allowed: %zu..%zu",
                   option, text, min, max);
    }
    return number;
}

size_t bench_size(struct argp_state *state, const char *option,
                  const char *text, size_t min, size_t max)
{
    size_t bytes = min;

    if (bench_parse_size(text, min, max, &bytes) != 0) {
        argp_error(
            state,
            "--%s: value '%s' is invalid; allowed: %zu..%zu, or a number "
            "with K (1024) or M (1024 K)",
            option, text, min, max);
    }
    return bytes;
}
