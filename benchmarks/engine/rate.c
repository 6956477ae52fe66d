/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements the common part of the benchmarks of the simulator itself; see
 * rate.h. */
#include "rate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_CSV = 256,
    KEY_FIRST /* first key of options without a short name */
};

static int rate_key(const rate_t *rate, size_t i)
{
    return rate->options[i].key != 0 ? rate->options[i].key
                                     : KEY_FIRST + (int)i;
}

/* Return the choice with this name, or end the program if there is no such
 * choice. */
static const char *rate_choice(struct argp_state *state,
                               const rate_option_t *option, const char *text)
{
    char all[512] = "";
    size_t i;

    for (i = 0; option->choices[i] != NULL; ++i) {
        if (strcmp(text, option->choices[i]) == 0) {
            return option->choices[i];
        }
        strncat(all, i > 0 ? ", " : "", sizeof(all) - strlen(all) - 1);
        strncat(all, option->choices[i], sizeof(all) - strlen(all) - 1);
    }
    argp_error(state, "--%s: value '%s' is unknown; allowed: %s", option->name,
               text, all);
    return NULL;
}

static error_t rate_parse(int key, char *arg, struct argp_state *state)
{
    rate_t *rate = state->input;
    const rate_option_t *option;
    size_t i;

    if (key == KEY_CSV) {
        rate->csv = 1;
        return 0;
    }
    for (i = 0; rate->options[i].name != NULL; ++i) {
        option = &rate->options[i];
        if (key != rate_key(rate, i)) {
            continue;
        }
        if (option->choices != NULL) {
            *option->choice_p = rate_choice(state, option, arg);
        } else {
            *option->number_p = bench_number(state, option->name, arg,
                                             option->min, option->max);
        }
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

void rate_begin(rate_t *rate, int argc, char **argv)
{
    /* one additional element for --csv, and one for the end marker of the
     * table */
    struct argp_option known[RATE_OPTIONS_MAX + 2] = {{.name = NULL}};
    struct argp argp = {
        .options = known, .parser = rate_parse, .doc = rate->doc};
    size_t i;

    for (i = 0; i < RATE_OPTIONS_MAX && rate->options[i].name != NULL; ++i) {
        known[i] = (struct argp_option){.name = rate->options[i].name,
                                        .key = rate_key(rate, i),
                                        .arg = rate->options[i].value,
                                        .doc = rate->options[i].doc};
    }
    known[i] = (struct argp_option){
        .name = "csv", .key = KEY_CSV, .doc = "Print comma-separated values"};
    bench_program(&argp, argc, argv, rate);
    if (rate->csv) {
        puts("benchmark,setting,quantity,value,unit");
    } else if (rate->head != NULL) {
        puts(rate->head);
    }
}

void rate_fail(const rate_t *rate, const char *why)
{
    fprintf(stderr, "%s: %s\n", rate->name, why);
    exit(BENCH_EXIT_FAILED);
}

void rate_csv(const rate_t *rate, const char *setting, const char *quantity,
              int decimals, double value, const char *unit)
{
    printf("%s,%s,%s,%.*f,%s\n", rate->name, setting, quantity, decimals, value,
           unit);
}
