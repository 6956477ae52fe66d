/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces getopt(), whose variables in the C library are shared by all ranks. A
 * program may also have its own instances of these variables.
 */
#define _GNU_SOURCE
#include <getopt.h>

#include "inprocess/libc.h"

void gmi_options_restore(const gmi_rank_t *rank)
{
    optarg = rank->options.argument;
    optind = rank->options.index;
    opterr = rank->options.print;
    optopt = rank->options.option;
}

void gmi_options_save(gmi_rank_t *rank)
{
    rank->options.argument = optarg;
    rank->options.index = optind;
    rank->options.print = opterr;
    rank->options.option = optopt;
}

/* Copy the variables from the program to the C library. The value 0 starts a new
 * series of calls. */
static void gmi_options_begin(void)
{
    const int *index = gmi_own_variable("optind");
    const int *print = gmi_own_variable("opterr");

    if (index != NULL) {
        optind = *index;
    }
    if (print != NULL) {
        opterr = *print;
    }
    if (!gmi_current->options.has_begun && optind == 1) {
        optind = 0;
    }
    gmi_current->options.has_begun = 1;
}

/* Copy the variables from the C library to the program. */
static void gmi_options_end(void)
{
    int *index = gmi_own_variable("optind");
    int *option = gmi_own_variable("optopt");
    char **argument = gmi_own_variable("optarg");

    if (index != NULL) {
        *index = optind;
    }
    if (option != NULL) {
        *option = optopt;
    }
    if (argument != NULL) {
        *argument = optarg;
    }
}

GMI_API int getopt(int argc, char *const *argv, const char *options)
{
    GMI_REAL(getopt)
    int result;

    if (!gmi_is_rank()) {
        return real(argc, argv, options);
    }
    gmi_options_begin();
    result = real(argc, argv, options);
    gmi_options_end();
    return result;
}

typedef int gmi_getopt_fn(int argc, char *const *argv, const char *options,
                          const struct option *words, int *word);

static int gmi_getopt_words(gmi_getopt_fn *real, int argc, char *const *argv,
                            const char *options, const struct option *words,
                            int *word)
{
    int result;

    if (!gmi_is_rank()) {
        return real(argc, argv, options, words, word);
    }
    gmi_options_begin();
    result = real(argc, argv, options, words, word);
    gmi_options_end();
    return result;
}

GMI_API int getopt_long(int argc, char *const *argv, const char *options,
                        const struct option *words, int *word)
{
    GMI_REAL(getopt_long)

    return gmi_getopt_words(real, argc, argv, options, words, word);
}

GMI_API int getopt_long_only(int argc, char *const *argv, const char *options,
                             const struct option *words, int *word)
{
    GMI_REAL(getopt_long_only)

    return gmi_getopt_words(real, argc, argv, options, words, word);
}
