/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim experiment: lists the experiments, or runs selected experiments and
 * writes tables, CSV, figures, and a Markdown page with the results. The
 * experiments themselves are implemented in experiments/.
 */
#include <argp.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/page.h"
#include "experiments/plot.h"
#include "experiments/pool.h"
#include "experiments/ranks.h"
#include "yaml/loader.h"
#include "tool/argument.h"
#include "tool/bar.h"
#include "tool/directory.h"
#include "base/output.h"
#include "tool/tool.h"

enum {
    GMS_TOOL_EXPERIMENT_CSV = 0x200,
    GMS_TOOL_EXPERIMENT_PLOT,
    GMS_TOOL_EXPERIMENT_DATA,
    GMS_TOOL_EXPERIMENT_PAGE,
    GMS_TOOL_EXPERIMENT_CHECK,
    GMS_TOOL_EXPERIMENT_REFERENCE
};

typedef struct gms_tool_experiment_args {
    const char *verb; /* "list" or "run" */
    const char *csv, *plot, *data, *page, *reference;
    unsigned jobs;
    int is_check, is_quiet;
    char **names;
    int name_count;
} gms_tool_experiment_args_t;

static const struct argp_option gms_tool_experiment_options[] = {
    {.name = "check",
     .key = GMS_TOOL_EXPERIMENT_CHECK,
     .doc = "Exit with status 1 if a row is outside its tolerance"},
    {.name = "csv",
     .key = GMS_TOOL_EXPERIMENT_CSV,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "Write all rows as CSV to FILE. Without FILE, print the rows to "
            "standard output, and the tables to standard error"},
    {.name = "data",
     .key = GMS_TOOL_EXPERIMENT_DATA,
     .arg = "DIR",
     .doc =
         "Write the points of the figures and the raw logs to DIR/NAME*.csv"},
    {.name = "jobs",
     .key = 'j',
     .arg = "N",
     .doc = "Number of experiments that run in parallel (default: number of "
            "processors)"},
    {.name = "page",
     .key = GMS_TOOL_EXPERIMENT_PAGE,
     .arg = "FILE",
     .doc = "Write a Markdown page about the experiments"},
    {.name = "plot",
     .key = GMS_TOOL_EXPERIMENT_PLOT,
     .arg = "DIR",
     .doc = "Draw the figures to DIR/NAME.svg with gnuplot"},
    {.name = "reference",
     .key = GMS_TOOL_EXPERIMENT_REFERENCE,
     .arg = "DIR",
     .doc = "Read the reference files from this directory instead of the "
            "installed one"},
    {.name = "quiet", .key = 'q', .doc = "Do not show a progress bar"},
    {.name = NULL},
};

/* ---- names ---- */

static int gms_tool_matches(const char *pattern, const char *name)
{
    return strcmp(pattern, "all") == 0 || fnmatch(pattern, name, 0) == 0;
}

static int gms_tool_is_known(const char *pattern)
{
    size_t i;

    for (i = 0; gms_experiments[i] != NULL; ++i) {
        if (gms_tool_matches(pattern, gms_experiments[i]->name)) {
            return 1;
        }
    }
    return 0;
}

static void gms_tool_refuse_name(const char *name)
{
    const char *before = "; did you mean ", *best = NULL;
    size_t limit = gms_yaml_typo_limit(name), i;

    for (i = 0; gms_experiments[i] != NULL; ++i) {
        gms_yaml_nearer(name, gms_experiments[i]->name, &best, &limit);
    }
    fprintf(stderr, "gmsim experiment: there is no experiment '%s'", name);
    for (i = 0; gms_experiments[i] != NULL; ++i) {
        const char *other = gms_experiments[i]->name, *near = NULL;
        size_t beyond = limit + 1;

        if (best != NULL) {
            gms_yaml_nearer(name, other, &near, &beyond);
        }
        if (near != NULL || (name[0] != '\0' && strstr(other, name) != NULL)) {
            fprintf(stderr, "%s%s", before, other);
            before = ", ";
        }
    }
    fprintf(stderr, "%s\n",
            (before[0] == ',') ? "?"
                               : "; `gmsim experiment list' lists all names");
}

static int gms_tool_is_chosen(const gms_tool_experiment_args_t *args,
                              const char *name)
{
    int i;

    for (i = 0; i < args->name_count; ++i) {
        if (gms_tool_matches(args->names[i], name)) {
            return 1;
        }
    }
    return 0;
}

/* ---- arguments ---- */

static error_t gms_tool_experiment_parse(int key, char *arg,
                                         struct argp_state *state)
{
    gms_tool_experiment_args_t *args = state->input;

    switch (key) {
    case GMS_TOOL_EXPERIMENT_CSV:
        args->csv = (arg != NULL) ? arg : "-";
        return 0;
    case GMS_TOOL_EXPERIMENT_PLOT:
        args->plot = arg;
        return 0;
    case GMS_TOOL_EXPERIMENT_DATA:
        args->data = arg;
        return 0;
    case GMS_TOOL_EXPERIMENT_PAGE:
        args->page = arg;
        return 0;
    case GMS_TOOL_EXPERIMENT_CHECK:
        args->is_check = 1;
        return 0;
    case GMS_TOOL_EXPERIMENT_REFERENCE:
        args->reference = arg;
        return 0;
    case 'j':
        return gms_tool_jobs(state, arg, &args->jobs);
    case 'q':
        args->is_quiet = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (args->verb != NULL) {
            return ARGP_ERR_UNKNOWN; /* argp then calls this function again with
                                        ARGP_KEY_ARGS */
        }
        if (strcmp(arg, "list") != 0 && strcmp(arg, "run") != 0) {
            argp_error(state, "unknown subcommand '%s'; allowed: list, run",
                       arg);
            return EINVAL;
        }
        args->verb = arg;
        return 0;
    case ARGP_KEY_ARGS:
        args->names = state->argv + state->next;
        args->name_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (args->verb == NULL ||
            (args->name_count == 0 && strcmp(args->verb, "run") == 0)) {
            argp_usage(state);
            return EINVAL;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- list ---- */

static void gms_tool_experiment_list(const gms_tool_experiment_args_t *args)
{
    size_t i;

    for (i = 0; gms_experiments[i] != NULL; ++i) {
        const gms_experiment_t *experiment = gms_experiments[i];

        if (args->name_count == 0 ||
            gms_tool_is_chosen(args, experiment->name)) {
            printf("%-12s  %s\n%-12s  [%s]%s\n", experiment->name,
                   experiment->title, "", experiment->source,
                   experiment->needs_mpi ? ", runs MPI programs" : "");
        }
    }
}

/* ---- run ---- */

/** Output streams during the experiments. */
typedef struct gms_tool_show {
    FILE *text; /* stream for the tables */
    gms_tool_bar_t bar;
} gms_tool_show_t;

static void gms_tool_show_bar(void *context, const gms_result_t *results,
                              size_t count)
{
    gms_tool_show_t *show = context;
    double done = 0.0;
    const char *at = "";
    size_t k;

    if (!gms_tool_bar_is_due(&show->bar)) {
        return;
    }
    for (k = count; k > 0; --k) {
        const gms_result_t *result = &results[k - 1];

        if (result->state != GMS_RESULT_WAITING) {
            done += 1.0;
        } else {
            done += result->fraction;
            at = result->experiment->name;
        }
    }
    gms_tool_bar_draw(&show->bar, done / (double)count, at);
}

static void gms_tool_show_result(void *context, const gms_result_t *result)
{
    gms_tool_show_t *show = context;

    gms_tool_bar_wipe(&show->bar);
    gms_result_print(result, show->text);
    (void)fflush(show->text);
}

static int gms_tool_complain(const char *path)
{
    fprintf(stderr, "gmsim experiment: %s: %s\n", path, strerror(errno));
    return GMS_TOOL_REFUSED;
}

static int gms_tool_write_all(const gms_tool_experiment_args_t *args,
                              gms_output_t *csv, const gms_result_t *results,
                              size_t count)
{
    size_t i;

    if (csv->file != NULL) {
        gms_result_write_csv(results, count, csv->file);
        if (gms_output_close(csv, 1) != 0) {
            return gms_tool_complain(args->csv);
        }
    }
    for (i = 0; i < count; ++i) {
        if (args->data != NULL &&
            gms_result_write_data(&results[i], args->data) != GMS_OK) {
            return gms_tool_complain(args->data);
        }
        if (args->plot != NULL &&
            gms_plot_write(&results[i], args->plot) != GMS_OK) {
            fprintf(stderr,
                    "gmsim experiment: gnuplot could not draw the figure of "
                    "%s; check that gnuplot is installed (apt-get install "
                    "gnuplot-nox)\n",
                    results[i].experiment->name);
            return GMS_TOOL_REFUSED;
        }
    }
    if (args->page != NULL &&
        gms_page_print(results, count, args->page, args->plot) != GMS_OK) {
        return gms_tool_complain(args->page);
    }
    return GMS_TOOL_OK;
}

/** Print the summary. @return exit status */
static int gms_tool_judge(const gms_result_t *results, size_t count,
                          int is_check, FILE *text)
{
    size_t rows = 0, bad = 0, known = 0, failed = 0, skipped = 0, i, k;

    for (i = 0; i < count; ++i) {
        for (k = 0; k < results[i].row_count; ++k) {
            const gms_row_t *row = &results[i].rows[k];

            rows += row->has_reference && row->kind != GMS_ROW_REPORTED;
        }
        bad += gms_result_bad_rows(&results[i]);
        known += gms_result_count(&results[i], GMS_VERDICT_KNOWN);
        failed += results[i].state == GMS_RESULT_FAILED;
        skipped += results[i].state == GMS_RESULT_SKIPPED;
    }
    fprintf(text, "%zu experiment%s, %zu row%s checked, %zu not ok", count,
            (count == 1) ? "" : "s", rows, (rows == 1) ? "" : "s", bad);
    if (known > 0) {
        fprintf(text, ", %zu with a known deviation", known);
    }
    if (skipped > 0) {
        fprintf(text, ", %zu skipped", skipped);
    }
    if (failed > 0) {
        fprintf(text, ", %zu FAILED", failed);
    }
    fputc('\n', text);
    return (failed > 0 || (is_check && bad > 0)) ? GMS_TOOL_REFUSED
                                                 : GMS_TOOL_OK;
}

/** Select the experiments that match the arguments, and mark all experiments
 *  that cannot run on this machine.
 *  @return number of experiments; *results_p is NULL if memory is
 *    insufficient */
static size_t gms_tool_choose(const gms_tool_experiment_args_t *args,
                              gms_result_t **results_p)
{
    gms_result_t *results;
    size_t all = 0, count = 0, i;

    while (gms_experiments[all] != NULL) {
        ++all;
    }
    results = calloc(all, sizeof(*results));
    for (i = 0; results != NULL && i < all; ++i) {
        if (!gms_tool_is_chosen(args, gms_experiments[i]->name)) {
            continue;
        }
        results[count].experiment = gms_experiments[i];
        if (gms_experiments[i]->needs_mpi && !gms_ranks_have_mpi()) {
            results[count].state = GMS_RESULT_SKIPPED;
            (void)snprintf(results[count].text, sizeof(results[count].text),
                           "mpirun or the MPI programs are missing (a build "
                           "without MPICH has neither); gmsim searches for "
                           "them in its own directory and in PATH");
        }
        ++count;
    }
    *results_p = results;
    return count;
}

static int gms_tool_has_experiment(const char *name, const char *series,
                                   const char *setting, const char *quantity)
{
    size_t i;

    for (i = 0; gms_experiments[i] != NULL; ++i) {
        if (strcmp(gms_experiments[i]->name, name) == 0) {
            return 1;
        }
    }
    fprintf(stderr,
            "gmsim experiment: reference row '%s,%s,%s,%s': there is no "
            "experiment '%s'\n",
            name, series, setting, quantity, name);
    return 0;
}

/** Reject reference rows of unknown experiments, because no experiment would
 *  check them. */
static int gms_tool_accept(const gms_tool_experiment_args_t *args,
                           const gms_references_t *references)
{
    size_t i;

    for (i = 0; i < references->count; ++i) {
        const gms_reference_t *row = &references->rows[i];

        if (!gms_tool_has_experiment(row->experiment, row->series, row->setting,
                                     row->quantity)) {
            return 0;
        }
    }
    for (i = 0; i < references->known_count; ++i) {
        const gms_known_t *known = &references->known[i];

        if (!gms_tool_has_experiment(known->experiment, known->series,
                                     known->setting, known->quantity)) {
            return 0;
        }
    }
    if (args->is_check && references->count == 0) {
        fprintf(
            stderr,
            "gmsim experiment: --check: the reference files contain no rows\n");
        return 0;
    }
    return 1;
}

/* Report why some experiments could not run, and suggest a remedy. */
static void gms_tool_explain_pool(gms_status_t status, int reason)
{
    const char *advice = reason == EMFILE || reason == ENFILE
                             ? "; raise the limit on open files (ulimit -n)"
                         : reason == EAGAIN
                             ? "; raise the limit on processes (ulimit -u)"
                             : "";

    if (status == GMS_ERR_SYSTEM) {
        fprintf(stderr, "gmsim experiment: cannot start a process: %s%s\n",
                strerror(reason), advice);
    } else {
        fprintf(stderr, "gmsim experiment: %s\n", gms_status_text(status));
    }
}

static int gms_tool_experiment_run(gms_tool_experiment_args_t *args)
{
    char error[GMS_REFERENCE_ERROR_LEN];
    gms_output_t csv = {.file = NULL};
    gms_references_t references;
    gms_tool_show_t show = {.text = stdout};
    gms_result_t *results;
    gms_status_t status;
    size_t count, i;
    int result = GMS_TOOL_REFUSED, reason;

    if (gms_references_read(args->reference, &references, error) != GMS_OK) {
        fprintf(stderr, "gmsim experiment: %s\n", error);
        return GMS_TOOL_REFUSED;
    }
    if (!gms_tool_accept(args, &references)) {
        gms_references_clear(&references);
        return GMS_TOOL_REFUSED;
    }
    /* open the file before the experiments start, because they can take an
     * hour */
    if (args->csv != NULL && gms_output_open(&csv, args->csv) != 0) {
        gms_references_clear(&references);
        return gms_tool_complain(args->csv);
    }
    if (csv.file == stdout) {
        show.text = stderr;
    }
    gms_tool_bar_init(&show.bar, args->is_quiet);
    count = gms_tool_choose(args, &results);
    if (results == NULL) {
        fprintf(stderr, "gmsim experiment: out of memory\n");
    } else {
        status = gms_pool_run(results, count, args->jobs, &references,
                              gms_tool_show_bar, gms_tool_show_result, &show);
        reason = errno;
        gms_tool_bar_wipe(&show.bar);
        if (status != GMS_OK) {
            gms_tool_explain_pool(status, reason);
        } else if (gms_tool_write_all(args, &csv, results, count) ==
                   GMS_TOOL_OK) {
            result = gms_tool_judge(results, count, args->is_check, show.text);
        }
        for (i = 0; i < count; ++i) {
            gms_result_clear(&results[i]);
        }
        free(results);
    }
    gms_references_clear(&references);
    return result;
}

int gms_tool_experiment(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_tool_experiment_options,
        .parser = gms_tool_experiment_parse,
        .args_doc = "list [NAME...]\nrun NAME...",
        .doc = "Repeat the papers' experiments on the simulated cluster and "
               "compare the results with the published numbers.\v"
               "NAME is the name of an experiment, a pattern such as "
               "'thesis-5.*', or all. Repeated runs of an experiment produce "
               "identical numbers, except for CPU times. Exit status: 0 "
               "success; 1 an experiment failed or, with --check, a row is "
               "outside its tolerance; 2 invalid usage.\n"
               "Example: gmsim experiment run --check 'thesis-5.*'"};
    gms_tool_experiment_args_t args = {.jobs = 1};
    int i;

    args.jobs = gms_tool_processors();
    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    for (i = 0; i < args.name_count; ++i) {
        if (!gms_tool_is_known(args.names[i])) {
            gms_tool_refuse_name(args.names[i]);
            return GMS_TOOL_USAGE;
        }
    }
    if (strcmp(args.verb, "list") == 0) {
        gms_tool_experiment_list(&args);
        return GMS_TOOL_OK;
    }
    if ((args.plot != NULL &&
         gms_tool_directory_make("experiment", args.plot) != 0) ||
        (args.data != NULL &&
         gms_tool_directory_make("experiment", args.data) != 0)) {
        return GMS_TOOL_REFUSED;
    }
    return gms_tool_experiment_run(&args);
}
