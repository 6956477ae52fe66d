/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION "unknown"
#endif

/* Whose end is looked at. */
static pid_t bench_pid;

static void bench_print_version(FILE *file, struct argp_state *state)
{
    fprintf(file, "%s (gmqos) " PACKAGE_VERSION "\n", state->name);
}

/* argp asks for this name. */
void (*argp_program_version_hook)(FILE *,
                                  struct argp_state *) = bench_print_version;

void bench_silence(struct argp_state *state)
{
    const char *rank = getenv("PMI_RANK");
    FILE *nowhere;

    if ((rank == NULL) || (strcmp(rank, "0") == 0)) {
        return;
    }
    nowhere = fopen("/dev/null", "w"); /* open until the process ends */
    if (nowhere != NULL) {
        state->out_stream = nowhere;
        state->err_stream = nowhere;
    }
}

/** Output that did not reach its file must not pass for success; a reader that
 *  has had enough needs no words. */
static void bench_end(void)
{
    if (getpid() != bench_pid) {
        return; /* a child's end is not the program's */
    }
    errno = 0;
    if ((fflush(stdout) == 0) && !ferror(stdout)) {
        return;
    }
    /* what failed before has left no reason */
    errno = (errno != 0) ? errno : EIO;
    if (errno != EPIPE) {
        fprintf(stderr, "%s: cannot write the output: %s\n",
                program_invocation_short_name, strerror(errno));
    }
    _exit(BENCH_EXIT_FAILED);
}

void bench_program(const struct argp *argp, int argc, char **argv, void *input)
{
    argp_err_exit_status = BENCH_EXIT_USAGE;
    /* no three lines about how to give values to short options */
    (void)setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
    bench_pid = getpid();
    (void)atexit(bench_end);
    if (argp_parse(argp, argc, argv, 0, NULL, input) != 0) {
        exit(BENCH_EXIT_USAGE);
    }
}

int bench_parse_number(const char *text, size_t min, size_t max,
                       size_t *number_p)
{
    char *end;
    unsigned long long number;
    unsigned shift = 0;

    if ((text[0] < '0') || (text[0] > '9')) {
        return -1; /* strtoull takes signs and blanks */
    }
    errno = 0;
    number = strtoull(text, &end, 10);
    if ((*end == 'K') || (*end == 'k')) {
        shift = 10;
    } else if ((*end == 'M') || (*end == 'm')) {
        shift = 20;
    }
    if ((errno != 0) || (end[shift != 0] != '\0') ||
        (number > (max >> shift)) || ((number << shift) < min)) {
        return -1;
    }
    *number_p = (size_t)(number << shift);
    return 0;
}

size_t bench_number(struct argp_state *state, const char *option,
                    const char *text, size_t min, size_t max)
{
    size_t number = min;

    if (bench_parse_number(text, min, max, &number) != 0) {
        argp_error(state, "--%s: value '%s'; allowed: %zu..%zu", option, text,
                   min, max);
    }
    return number;
}
