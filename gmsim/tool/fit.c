/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim fit: fits the parameters of a profile to measured ping-pong times. The
 * fit itself is implemented in fit/.
 */
#include "tool/fit.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/directory.h"
#include "base/output.h"
#include "base/printable.h"
#include "cluster/cluster.h"
#include "fit/run.h"
#include "tool/argument.h"
#include "tool/bar.h"
#include "tool/tool.h"

/* Largest total number of options --free and --fix. [chosen] */
#define GMS_TOOL_FIT_TEXTS 64u

enum {
    GMS_TOOL_FIT_KEY_PINGPONG = 256,
    GMS_TOOL_FIT_KEY_BASE,
    GMS_TOOL_FIT_KEY_FREE,
    GMS_TOOL_FIT_KEY_FIX,
    GMS_TOOL_FIT_KEY_WHERE,
    GMS_TOOL_FIT_KEY_WITHIN,
    GMS_TOOL_FIT_KEY_CSV
};

/** A --free or --fix option. */
typedef struct gms_tool_fit_text {
    const char *text;
    int is_fix;
} gms_tool_fit_text_t;

typedef struct gms_tool_fit_args {
    const char *pingpong, *base, *output;
    gms_fit_where_t where; /* if column is NULL, all rows are used */
    char *where_text;
    gms_tool_fit_text_t texts[GMS_TOOL_FIT_TEXTS];
    size_t text_count;
    double within; /* largest allowed error, percent; 0: no limit */
    unsigned jobs;
    int is_csv, is_quiet;
} gms_tool_fit_args_t;

typedef struct gms_tool_fit {
    gms_tool_fit_args_t args;
    gms_cluster_t cluster; /* the base of the fit */
    gms_fit_frees_t frees;
    gms_fit_table_t table;
    gms_fit_solution_t solution;
    gms_fit_confidence_t confidence;
    gms_tool_bar_t bar;
    char *command;
} gms_tool_fit_t;

static const struct argp_option gms_tool_fit_options[] = {
    {.name = "pingpong",
     .key = GMS_TOOL_FIT_KEY_PINGPONG,
     .arg = "FILE",
     .doc = "Measured ping-pong times: output of netgauge, osu_latency, IMB "
            "PingPong or mpi-pingpong, or CSV with the columns bytes and "
            "half_round_trip_us"},
    {.name = "base",
     .key = GMS_TOOL_FIT_KEY_BASE,
     .arg = "PROFILE",
     .doc = "Start values: a profile, or the file of a profile or cluster "
            "(default: lanai4.3)"},
    {.name = "output",
     .key = 'o',
     .arg = "FILE",
     .doc = "Write the fitted profile to this file"},
    {.name = "free",
     .key = GMS_TOOL_FIT_KEY_FREE,
     .arg = "NAME[=LOW:HIGH]",
     .doc = "Fit this parameter instead of the default list; `default' means "
            "the default list. The default bounds are one eighth of the start "
            "value and eight times this value. May be repeated"},
    {.name = "fix",
     .key = GMS_TOOL_FIT_KEY_FIX,
     .arg = "NAME=VALUE",
     .doc = "Set a parameter to a fixed value. May be repeated"},
    {.name = "where",
     .key = GMS_TOOL_FIT_KEY_WHERE,
     .arg = "COLUMN=TEXT",
     .doc = "Use only the rows of a CSV file in which COLUMN begins with TEXT"},
    {.name = "within",
     .key = GMS_TOOL_FIT_KEY_WITHIN,
     .arg = "PERCENT",
     .doc = "Exit with status 1 if the error at any size exceeds PERCENT"},
    {.name = "csv",
     .key = GMS_TOOL_FIT_KEY_CSV,
     .arg = "FILE",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = GMS_TOOL_CSV_DOC ": one row per size"},
    {.name = "jobs",
     .key = 'j',
     .arg = "N",
     .doc = "Number of simultaneous runs (default: number of processors)"},
    {.name = "quiet", .key = 'q', .doc = "Do not show progress"},
    {.name = NULL},
};

/* ---- arguments ---- */

static error_t gms_tool_fit_keep(struct argp_state *state, const char *text,
                                 int is_fix)
{
    gms_tool_fit_args_t *args = state->input;

    if (args->text_count == GMS_TOOL_FIT_TEXTS) {
        argp_error(state, "too many --free and --fix options; allowed: %u",
                   GMS_TOOL_FIT_TEXTS);
        return EINVAL;
    }
    args->texts[args->text_count++] =
        (gms_tool_fit_text_t){.text = text, .is_fix = is_fix};
    return 0;
}

static error_t gms_tool_fit_where(struct argp_state *state, const char *text)
{
    gms_tool_fit_args_t *args = state->input;
    char *equal;

    free(args->where_text);
    args->where_text = strdup(text);
    equal = args->where_text != NULL ? strchr(args->where_text, '=') : NULL;
    if (equal == NULL || equal == args->where_text || equal[1] == '\0') {
        argp_error(state,
                   "--where: value '%s' is invalid; allowed: COLUMN=TEXT",
                   text);
        return EINVAL;
    }
    *equal = '\0';
    args->where.column = args->where_text;
    args->where.text = equal + 1;
    return 0;
}

static error_t gms_tool_fit_parse_end(struct argp_state *state)
{
    const gms_tool_fit_args_t *args = state->input;

    if (args->pingpong == NULL) {
        argp_error(state, "--pingpong is required");
        return EINVAL;
    }
    return 0;
}

static error_t gms_tool_fit_parse(int key, char *arg, struct argp_state *state)
{
    static const gms_tool_field_t fields[] = {
        GMS_TOOL_TEXT_FIELD(GMS_TOOL_FIT_KEY_PINGPONG, gms_tool_fit_args_t,
                            pingpong),
        GMS_TOOL_TEXT_FIELD(GMS_TOOL_FIT_KEY_BASE, gms_tool_fit_args_t, base),
        GMS_TOOL_TEXT_FIELD('o', gms_tool_fit_args_t, output),
        GMS_TOOL_FLAG_FIELD('q', gms_tool_fit_args_t, is_quiet),
        {.kind = 0}};
    gms_tool_fit_args_t *args = state->input;

    if (gms_tool_set_field(fields, key, arg, args)) {
        return 0;
    }
    switch (key) {
    case GMS_TOOL_FIT_KEY_FREE:
        return gms_tool_fit_keep(state, arg, 0);
    case GMS_TOOL_FIT_KEY_FIX:
        return gms_tool_fit_keep(state, arg, 1);
    case GMS_TOOL_FIT_KEY_WHERE:
        return gms_tool_fit_where(state, arg);
    case GMS_TOOL_FIT_KEY_WITHIN:
        return gms_tool_real(state, "within", arg, 0.01, 100, &args->within);
    case GMS_TOOL_FIT_KEY_CSV:
        return gms_tool_csv(state, arg, &args->is_csv);
    case 'j':
        return gms_tool_jobs(state, arg, &args->jobs);
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument '%s' (this command takes none)",
                   arg);
        return EINVAL;
    case ARGP_KEY_END:
        return gms_tool_fit_parse_end(state);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- base and free parameters ---- */

/** Return whether a base is a file name. */
static int gms_tool_fit_is_file(const char *base)
{
    size_t length = strlen(base);

    return strchr(base, '/') != NULL ||
           (length > 5 && strcmp(base + length - 5, ".yaml") == 0);
}

/** Load the base profile. @return an exit status */
static int gms_tool_fit_load_base(gms_tool_fit_t *fit)
{
    const char *base = fit->args.base;
    char error[GMS_YAML_ERROR_LEN];
    const gms_profile_t *profile = gms_profile_find(base);
    size_t i;

    if (profile == NULL && !gms_tool_fit_is_file(base)) {
        fprintf(stderr,
                "gmsim fit: --base: unknown profile '%s'; allowed: ", base);
        for (i = 0; gms_profile_names[i] != NULL; ++i) {
            fprintf(stderr, "%s%s", i > 0 ? ", " : "", gms_profile_names[i]);
        }
        fputs(", or a file whose name ends with .yaml\n", stderr);
        return GMS_TOOL_USAGE;
    }
    if (gms_cluster_load(profile == NULL ? base : NULL, &fit->cluster, error) !=
        GMS_OK) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_WRONG;
    }
    if (profile != NULL) {
        fit->cluster.profile = profile;
        gms_profile_init(profile, &fit->cluster.params);
    }
    return GMS_TOOL_OK;
}

/** Apply --free and --fix. @return an exit status */
static int gms_tool_fit_choose(gms_tool_fit_t *fit)
{
    gms_params_t *base = &fit->cluster.params;
    char error[GMS_FIT_FREE_ERROR_LEN];
    int has_default = 1;
    size_t i;

    /* set values first, because the bounds depend on them */
    for (i = 0; i < fit->args.text_count; ++i) {
        const gms_tool_fit_text_t *one = &fit->args.texts[i];

        if (one->is_fix &&
            gms_fit_free_fix(&fit->frees, one->text, base, error) != GMS_OK) {
            fprintf(stderr, "gmsim fit: --fix: %s\n", error);
            return GMS_TOOL_USAGE;
        }
        has_default = has_default && one->is_fix;
    }
    for (i = 0; i < fit->args.text_count; ++i) {
        has_default =
            has_default || (!fit->args.texts[i].is_fix &&
                            strcmp(fit->args.texts[i].text, "default") == 0);
    }
    if (has_default) {
        gms_fit_free_default(base, &fit->frees);
    }
    for (i = 0; i < fit->args.text_count; ++i) {
        const gms_tool_fit_text_t *one = &fit->args.texts[i];

        if (!one->is_fix && strcmp(one->text, "default") != 0 &&
            gms_fit_free_add(&fit->frees, one->text, base, error) != GMS_OK) {
            fprintf(stderr, "gmsim fit: --free: %s\n", error);
            return GMS_TOOL_USAGE;
        }
    }
    for (i = 0; i < fit->args.text_count; ++i) {
        if (fit->args.texts[i].is_fix) {
            (void)gms_fit_free_fix(&fit->frees, fit->args.texts[i].text, base,
                                   error);
        }
    }
    return GMS_TOOL_OK;
}

/** Check the start values, and check that there are enough sizes for the number
 *  of parameters. */
static int gms_tool_fit_check(const gms_tool_fit_t *fit)
{
    char error[GMS_YAML_ERROR_LEN] = "";

    if (!gms_fit_can_solve()) {
        fprintf(stderr,
                "gmsim fit: built without the library cminpack; install "
                "libcminpack-dev and build again\n");
        return GMS_TOOL_REFUSED;
    }
    if (fit->frees.count == 0) {
        fprintf(stderr, "gmsim fit: no free parameter; use --free NAME\n");
        return GMS_TOOL_USAGE;
    }
    if (fit->frees.count >= fit->table.count) {
        fprintf(stderr,
                "gmsim fit: %s: %zu sizes cannot determine %zu parameters; "
                "use fewer parameters (--free) or more sizes\n",
                fit->args.pingpong, fit->table.count, fit->frees.count);
        return GMS_TOOL_WRONG;
    }
    if (gms_cluster_check(&fit->cluster, error) != GMS_OK) {
        fprintf(stderr, "gmsim fit: %s\n", error);
        return GMS_TOOL_WRONG;
    }
    return GMS_TOOL_OK;
}

/* ---- the fit ---- */

/** Show the number of runs so far. The total number of runs is unknown; a fit
 *  of the default parameters needs about 200. */
static void gms_tool_fit_show(void *context, unsigned runs)
{
    gms_tool_bar_t *bar = context;
    char text[GMS_TOOL_BAR_TEXT_LEN];

    (void)snprintf(text, sizeof(text), "%u runs", runs);
    gms_tool_bar_draw(bar, runs / (runs + 100.0), text);
}

static int gms_tool_fit_save(const gms_tool_fit_t *fit,
                             const gms_tool_fit_report_t *report)
{
    gms_output_t output;

    if (fit->args.output == NULL) {
        return 1;
    }
    if (gms_output_open(&output, fit->args.output) != 0) {
        fprintf(stderr, "gmsim fit: cannot write '%s': %s\n", fit->args.output,
                strerror(errno));
        return 0;
    }
    gms_tool_fit_write(output.file, report);
    if (gms_output_close(&output, 1) != 0) {
        fprintf(stderr, "gmsim fit: cannot write '%s': %s\n", fit->args.output,
                strerror(errno));
        return 0;
    }
    return 1;
}

/** Check that the profile can be written, because a fit takes minutes.
 *  @return an exit status */
static int gms_tool_fit_try_output(const gms_tool_fit_t *fit)
{
    const char *path = fit->args.output;
    gms_output_t output;

    if (path == NULL || strcmp(path, "-") == 0) {
        return GMS_TOOL_OK;
    }
    if (gms_output_open(&output, path) != 0) {
        fprintf(stderr, "gmsim fit: cannot write '%s': %s\n", path,
                strerror(errno));
        return GMS_TOOL_REFUSED;
    }
    (void)gms_output_close(&output, 0); /* removes the temporary file */
    return GMS_TOOL_OK;
}

/** Print and save the result. @return an exit status */
static int gms_tool_fit_report(const gms_tool_fit_t *fit,
                               const gms_tool_fit_report_t *report)
{
    double worst = 100 * fabs(fit->solution.errors[gms_tool_fit_worst(report)]);

    if (fit->args.is_csv) {
        gms_tool_fit_print_csv(stdout, report);
    } else {
        gms_tool_fit_print(stdout, report);
    }
    if (!gms_tool_fit_save(fit, report)) {
        return GMS_TOOL_REFUSED;
    }
    if (fit->args.within > 0 && worst > fit->args.within) {
        fprintf(stderr,
                "gmsim fit: the largest error, %.2f %%, exceeds %.2f %% "
                "(--within)\n",
                worst, fit->args.within);
        return GMS_TOOL_REFUSED;
    }
    return GMS_TOOL_OK;
}

/** Print the reason why the fit has ended. @return an exit status */
static int gms_tool_fit_fail(const gms_fit_runner_t *runner,
                             gms_status_t status)
{
    int number = gms_fit_runner_signal(runner);

    if (number != 0) {
        fprintf(stderr, "gmsim fit: stopped\n");
        return 128 + number;
    }
    fprintf(stderr, "gmsim fit: %s\n",
            gms_fit_runner_error(runner)[0] != '\0'
                ? gms_fit_runner_error(runner)
                : gms_status_text(status));
    return GMS_TOOL_REFUSED;
}

static int gms_tool_fit_solve(gms_tool_fit_t *fit, const char *programs)
{
    const gms_fit_run_config_t config = {.profile = fit->cluster.profile,
                                         .base = &fit->cluster.params,
                                         .frees = &fit->frees,
                                         .table = &fit->table,
                                         .programs = programs,
                                         .jobs = fit->args.jobs,
                                         .on_run = gms_tool_fit_show,
                                         .context = &fit->bar};
    gms_fit_problem_t problem = {.table = &fit->table,
                                 .frees = &fit->frees,
                                 .base = &fit->cluster.params,
                                 .evaluate = gms_fit_runner_evaluate};
    gms_tool_fit_report_t report = {.path = fit->args.pingpong,
                                    .base = fit->args.base,
                                    .command = fit->command,
                                    .profile = fit->cluster.profile,
                                    .problem = &problem,
                                    .solution = &fit->solution,
                                    .confidence = &fit->confidence};
    char error[GMS_FIT_RUN_ERROR_LEN];
    gms_fit_runner_t *runner;
    gms_status_t status;
    int result;

    if (gms_fit_runner_create(&config, &runner, error) != GMS_OK) {
        fprintf(stderr, "gmsim fit: %s\n", error);
        return GMS_TOOL_REFUSED;
    }
    problem.context = runner;
    gms_tool_bar_init(&fit->bar, fit->args.is_quiet);
    status = gms_fit_solve(&problem, &fit->solution);
    gms_tool_bar_wipe(&fit->bar);
    report.runs = gms_fit_runner_runs(runner);
    if (status != GMS_OK) {
        result = gms_tool_fit_fail(runner, status);
        gms_fit_runner_destroy(runner);
        return result;
    }
    gms_fit_runner_destroy(runner);
    gms_fit_confidence(&problem, &fit->solution, &fit->confidence);
    return gms_tool_fit_report(fit, &report);
}

/* ---- the command ---- */

/** Join the words of the command line, for the comment in the profile. */
static char *gms_tool_fit_join(int argc, char **argv)
{
    size_t length = 0;
    char *text = NULL;
    FILE *file = open_memstream(&text, &length);
    int i;

    for (i = 0; file != NULL && i < argc; ++i) {
        int is_plain =
            i == 0 || strpbrk(argv[i], " \t\"'\\$*?;&|<>()`#") == NULL;

        fprintf(file, "%s%s%s%s", i > 0 ? " " : "", is_plain ? "" : "'",
                argv[i], is_plain ? "" : "'");
    }
    if (file == NULL || fclose(file) != 0) {
        free(text);
        return NULL;
    }
    return gms_printable_here(text);
}

static int gms_tool_fit_begin(gms_tool_fit_t *fit)
{
    const gms_fit_where_t *where =
        fit->args.where.column != NULL ? &fit->args.where : NULL;
    char error[GMS_FIT_ERROR_LEN], programs[PATH_MAX];
    int result = gms_tool_fit_choose(fit);

    if (result == GMS_TOOL_OK &&
        gms_fit_table_load(fit->args.pingpong, where, &fit->table, error) !=
            GMS_OK) {
        fprintf(stderr, "%s\n", error);
        result = GMS_TOOL_WRONG;
    }
    if (result == GMS_TOOL_OK) {
        result = gms_tool_fit_check(fit);
    }
    if (result == GMS_TOOL_OK) {
        result = gms_tool_fit_try_output(fit);
    }
    if (result == GMS_TOOL_OK && gms_directory_of_program(programs) != 0) {
        fprintf(stderr, "gmsim fit: cannot find the directory of gmsim\n");
        result = GMS_TOOL_REFUSED;
    }
    return result == GMS_TOOL_OK ? gms_tool_fit_solve(fit, programs) : result;
}

int gms_tool_fit(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_tool_fit_options,
        .parser = gms_tool_fit_parse,
        .doc = "Fit parameters of a profile to measured ping-pong times, and "
               "print the error of each size."
               "\v"
               "To use the written file, put `profile: FILE' into a cluster "
               "description. Exit status: 0 the fit is complete; 1 a run "
               "failed, or an error exceeds --within; 2 invalid usage or an "
               "invalid file; 130 stopped by Ctrl-C.\n"
               "Example: gmsim fit --pingpong osu.txt --base lanai4.3 -o "
               "mine.yaml"};
    gms_tool_fit_t *fit = calloc(1, sizeof(*fit));
    int result;

    if (fit == NULL) {
        fprintf(stderr, "gmsim fit: out of memory\n");
        return GMS_TOOL_REFUSED;
    }
    fit->args.base = gms_profile_names[0];
    fit->args.jobs = gms_tool_processors();
    fit->command = gms_tool_fit_join(argc, argv);
    if (fit->command == NULL ||
        argp_parse(&argp, argc, argv, 0, NULL, &fit->args) != 0) {
        result = GMS_TOOL_USAGE;
    } else {
        result = gms_tool_fit_load_base(fit);
        if (result == GMS_TOOL_OK) {
            result = gms_tool_fit_begin(fit);
            gms_cluster_clear(&fit->cluster);
        }
    }
    free(fit->args.where_text);
    free(fit->command);
    free(fit);
    return result;
}
