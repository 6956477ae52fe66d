/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim compare: prints the differences between two records of runs.
 * report/compare.c finds these differences.
 */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_memory.h"
#include "base/limits.h"
#include "base/plural.h"
#include "base/printable.h"
#include "report/compare.h"
#include "report/data.h"
#include "report/page.h"
#include "tool/argument.h"
#include "base/output.h"
#include "tool/tool.h"

enum {
    GMS_COMPARE_KEY_ABOVE = 0x100,
    GMS_COMPARE_KEY_CHECK,
    GMS_COMPARE_KEY_CSV,
    GMS_COMPARE_KEY_JSON
};

typedef struct gms_compare_args {
    const char *directories[2];
    unsigned directory_count;
    const char *output; /* path of the HTML page; NULL: none */
    double above;       /* percent */
    int is_check, is_csv, is_json, is_quiet;
} gms_compare_args_t;

static const struct argp_option gms_compare_options[] = {
    {.name = "above",
     .key = GMS_COMPARE_KEY_ABOVE,
     .arg = "PERCENT",
     .doc = "List values that changed by more than PERCENT (default: 1)"},
    {.name = "check",
     .key = GMS_COMPARE_KEY_CHECK,
     .doc = "Exit with status 1 if a value changed by more than PERCENT"},
    {.name = "csv",
     .key = GMS_COMPARE_KEY_CSV,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = GMS_TOOL_CSV_DOC},
    {.name = "json", .key = GMS_COMPARE_KEY_JSON, .doc = "Print JSON"},
    {.name = "output",
     .key = 'o',
     .arg = "FILE",
     .doc = "Write an HTML page that shows both runs side by side"},
    {.name = "quiet", .key = 'q', .doc = "Print only errors"},
    {.name = NULL},
};

static const gms_tool_field_t gms_compare_fields[] = {
    GMS_TOOL_FLAG_FIELD(GMS_COMPARE_KEY_CHECK, gms_compare_args_t, is_check),
    GMS_TOOL_FLAG_FIELD(GMS_COMPARE_KEY_JSON, gms_compare_args_t, is_json),
    GMS_TOOL_TEXT_FIELD('o', gms_compare_args_t, output),
    GMS_TOOL_FLAG_FIELD('q', gms_compare_args_t, is_quiet),
    {.kind = 0},
};

static error_t gms_compare_parse(int key, char *arg, struct argp_state *state)
{
    gms_compare_args_t *args = state->input;

    if (gms_tool_set_field(gms_compare_fields, key, arg, args)) {
        return 0;
    }
    switch (key) {
    case GMS_COMPARE_KEY_ABOVE:
        return gms_tool_real(state, "above", arg, 0, 1e6, &args->above);
    case GMS_COMPARE_KEY_CSV:
        return gms_tool_csv(state, arg, &args->is_csv);
    case ARGP_KEY_ARG:
        if (args->directory_count == 2) {
            argp_error(
                state,
                "unexpected argument '%s' (exactly two records are compared)",
                arg);
            return EINVAL;
        }
        args->directories[args->directory_count++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (args->directory_count < 2) {
            argp_error(state, "missing argument: the directories of two "
                              "records are required");
            return EINVAL;
        }
        if (args->is_csv + args->is_json + (args->output != NULL) > 1) {
            argp_error(state,
                       "--csv, --json and --output cannot be used together");
            return EINVAL;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- text ---- */

static const char *gms_compare_change(double change, gms_text_t *text)
{
    if (isinf(change)) {
        (void)snprintf(text->text, sizeof(text->text), "new");
    } else if (change == -1) {
        (void)snprintf(text->text, sizeof(text->text), "gone");
    } else {
        (void)snprintf(text->text, sizeof(text->text), "%+.*f %%",
                       fabs(change) < 0.0995 ? 2
                       : fabs(change) < 9.95 ? 1
                                             : 0,
                       100 * change);
    }
    return text->text;
}

static void gms_compare_print_inputs(const gms_compare_t *compare)
{
    size_t width = 9, i;

    if (compare->input_count == 0) {
        printf("Both runs used the same program on the same cluster.\n");
        return;
    }
    for (i = 0; i < compare->input_count; ++i) {
        size_t own = strlen(compare->inputs[i].name);

        width = own > width ? own : width;
    }
    printf("%-*s  %-24s %s\n", (int)width, "different", "A", "B");
    for (i = 0; i < compare->input_count; ++i) {
        printf("%-*s  %-24s %s\n", (int)width, compare->inputs[i].name,
               compare->inputs[i].first, compare->inputs[i].second);
    }
}

static int gms_compare_is_shown(const gms_compare_args_t *args,
                                const gms_compare_row_t *row)
{
    return row->first != row->second && fabs(row->change) > args->above / 100;
}

static void gms_compare_print_rows(const gms_compare_args_t *args,
                                   const gms_compare_t *compare)
{
    size_t width = 4, shown = 0, i;
    gms_text_t first, second, change;

    for (i = 0; i < compare->changed; ++i) {
        const gms_compare_row_t *row = &compare->rows[i];

        if (gms_compare_is_shown(args, row)) {
            size_t own = strlen(row->what);

            width = own > width ? own : width;
            ++shown;
        }
    }
    if (shown > 0) {
        printf("%-*s  %-25s %12s %12s %9s\n", (int)width, "what", "quantity",
               "A", "B", "change");
    }
    for (i = 0; i < compare->changed; ++i) {
        const gms_compare_row_t *row = &compare->rows[i];

        if (gms_compare_is_shown(args, row)) {
            printf("%-*s  %-25s %12s %12s %9s\n", (int)width, row->what,
                   row->quantity,
                   gms_compare_text(row->unit, row->first, &first),
                   gms_compare_text(row->unit, row->second, &second),
                   gms_compare_change(row->change, &change));
        }
    }
    if (compare->changed == 0) {
        printf("All compared values are equal.\n");
        return;
    }
    if (shown == 0) {
        printf("No value changed by more than %g %%. ", args->above);
    } else if (compare->changed > shown) {
        printf("\n");
    }
    if (compare->changed > shown) {
        printf("%zu of %zu %s changed by %g %% or less.\n",
               compare->changed - shown, compare->row_count,
               gms_plural(compare->row_count, "value", "values"), args->above);
    }
}

static void gms_compare_print_run(const char *letter,
                                  const gms_report_run_t *run)
{
    gms_text_t time;

    printf("%s  %s: %s on %zu %s, %s%s\n", letter, run->directory, run->program,
           run->rank_count, gms_plural(run->rank_count, "rank", "ranks"),
           gms_text_time((double)run->end_ps, &time),
           run->is_complete ? "" : ", incomplete");
}

/* ---- CSV and JSON ---- */

static const char *const gms_compare_units[] = {[GMS_COMPARE_PS] = "ps",
                                                [GMS_COMPARE_BYTES_S] =
                                                    "bytes/s",
                                                [GMS_COMPARE_PART] = "",
                                                [GMS_COMPARE_COUNT] = ""};

static void gms_compare_print_csv(const gms_compare_args_t *args,
                                  const gms_compare_t *compare)
{
    size_t i;

    printf("what,quantity,unit,first,second,change_percent\n");
    for (i = 0; i < compare->input_count; ++i) {
        printf("input,%s,,\"%s\",\"%s\",\n", compare->inputs[i].name,
               compare->inputs[i].first, compare->inputs[i].second);
    }
    for (i = 0; i < compare->changed; ++i) {
        const gms_compare_row_t *row = &compare->rows[i];

        if (gms_compare_is_shown(args, row)) {
            printf("\"%s\",%s,%s,%.12g,%.12g,", row->what, row->quantity,
                   gms_compare_units[row->unit], row->first, row->second);
            if (!isinf(row->change)) {
                printf("%.6g", 100 * row->change);
            }
            printf("\n");
        }
    }
}

static void gms_compare_print_json(const gms_compare_args_t *args,
                                   const gms_report_run_t *const *runs,
                                   const gms_compare_t *compare)
{
    json_t *inputs = json_array(), *rows = json_array(), *all;
    size_t i;

    for (i = 0; i < compare->input_count; ++i) {
        (void)json_array_append_new(
            inputs, json_pack("{s:s,s:s,s:s}", "name", compare->inputs[i].name,
                              "first", compare->inputs[i].first, "second",
                              compare->inputs[i].second));
    }
    for (i = 0; i < compare->changed; ++i) {
        const gms_compare_row_t *row = &compare->rows[i];

        if (gms_compare_is_shown(args, row)) {
            (void)json_array_append_new(
                rows,
                json_pack("{s:s,s:s,s:s,s:f,s:f,s:o}", "what", row->what,
                          "quantity", row->quantity, "unit",
                          gms_compare_units[row->unit], "first", row->first,
                          "second", row->second, "change_percent",
                          isinf(row->change) ? json_null()
                                             : json_real(100 * row->change)));
        }
    }
    all = json_pack("{s:s,s:s,s:b,s:o,s:o}", "first", runs[0]->directory,
                    "second", runs[1]->directory, "equal",
                    compare->changed == 0, "inputs", inputs, "changes", rows);
    (void)json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    printf("\n");
    json_decref(all);
}

/* ---- the page ---- */

static int gms_compare_page(const gms_compare_args_t *args,
                            const gms_report_run_t *const *runs)
{
    json_t *first = gms_report_data(runs[0]),
           *second = gms_report_data(runs[1]);
    gms_output_t output;
    int failed = gms_output_open(&output, args->output) != 0;

    if (!failed) {
        int is_good =
            first != NULL && second != NULL &&
            gms_page_write_comparison(output.file, first, second) == GMS_OK;

        failed = gms_output_close(&output, is_good) != 0 || !is_good;
    }
    json_decref(first);
    json_decref(second);
    if (failed) {
        fprintf(stderr, "gmsim compare: cannot write '%s': %s\n", args->output,
                strerror(errno));
        return GMS_TOOL_REFUSED;
    }
    if (strcmp(args->output, "-") != 0 && !args->is_quiet) {
        printf("%s\n", args->output);
    }
    return GMS_TOOL_OK;
}

/* ---- the command ---- */

static int gms_compare_show(const gms_compare_args_t *args,
                            const gms_report_run_t *const *runs)
{
    gms_compare_t compare;
    int result = GMS_TOOL_OK;

    if (gms_compare_runs(runs[0], runs[1], &compare) != GMS_OK) {
        fprintf(stderr, "gmsim compare: out of memory\n");
        return GMS_TOOL_REFUSED;
    }
    if (args->output != NULL) {
        result = gms_compare_page(args, runs);
    } else if (args->is_csv) {
        gms_compare_print_csv(args, &compare);
    } else if (args->is_json) {
        gms_compare_print_json(args, runs, &compare);
    } else if (!args->is_quiet) {
        gms_compare_print_run("A", runs[0]);
        gms_compare_print_run("B", runs[1]);
        printf("\n");
        gms_compare_print_inputs(&compare);
        printf("\n");
        gms_compare_print_rows(args, &compare);
    }
    if (result == GMS_TOOL_OK && args->is_check &&
        gms_compare_above(&compare, args->above / 100) > 0) {
        result = GMS_TOOL_REFUSED;
    }
    gms_compare_free(&compare);
    return result;
}

int gms_tool_compare(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_compare_options,
        .parser = gms_compare_parse,
        .args_doc = "RECORD RECORD",
        .doc = "Compare two recorded runs: list the differences between their "
               "inputs, and the values that changed, with the largest relative "
               "change first. RECORD is the directory that GMSIM_RECORD named "
               "for a run.\v"
               "Exit status: 0 success; 1 the output failed or, with --check, "
               "the runs differ; 2 invalid usage or an unreadable record.\n"
               "Example: gmsim compare before after",
    };
    gms_compare_args_t args = {.above = 1};
    gms_report_run_t *runs[2] = {NULL, NULL};
    char error[GMS_REPORT_ERROR_LEN];
    int result = GMS_TOOL_WRONG;

    gms_json_limit(GMS_LIMIT_COMPARE_JSON_MEMORY);
    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (gms_report_run_load_pair((const char *const *)args.directories, runs,
                                 error) != GMS_OK) {
        fprintf(stderr, "gmsim compare: %s\n", error);
    } else {
        result = gms_compare_show(
            &args, (const gms_report_run_t *const[]){runs[0], runs[1]});
    }
    gms_report_run_destroy(runs[0]);
    gms_report_run_destroy(runs[1]);
    return result;
}
