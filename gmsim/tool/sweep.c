/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim sweep: runs a command for every point of a parameter grid on this
 * machine, or executes one of the other modes (list, gather, submit). The sweep
 * itself is implemented in sweep/.
 */
#define _GNU_SOURCE
#include "tool/sweep.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/base.h"
#include "sweep/core.h"
#include "sweep/submit.h"
#include "tool/argument.h"
#include "tool/bar.h"
#include "base/directory.h"
#include "tool/tool.h"

enum {
    GMS_TOOL_SWEEP_KEY_LIST = 256,
    GMS_TOOL_SWEEP_KEY_DRY,
    GMS_TOOL_SWEEP_KEY_RESTART,
    GMS_TOOL_SWEEP_KEY_RETRY,
    GMS_TOOL_SWEEP_KEY_GATHER,
    GMS_TOOL_SWEEP_KEY_POINT,
    GMS_TOOL_SWEEP_KEY_SLURM,
    GMS_TOOL_SWEEP_KEY_PARALLEL,
    GMS_TOOL_SWEEP_KEY_SSHLOGIN,
    GMS_TOOL_SWEEP_KEY_CHUNK,
    GMS_TOOL_SWEEP_KEY_WAIT,
    GMS_TOOL_SWEEP_KEY_PLOT
};

static const struct argp_option gms_tool_sweep_options[] = {
    {.name = "jobs",
     .key = 'j',
     .arg = "N",
     .doc = "Number of points that run in parallel (default: number of "
            "processors divided by the processors of one point)"},
    {.name = "output",
     .key = 'o',
     .arg = "DIR",
     .doc = "Directory of the sweep (default: NAME.sweep for NAME.yaml)"},
    {.name = "plot",
     .key = GMS_TOOL_SWEEP_KEY_PLOT,
     .arg = "DIR",
     .doc = "Draw each result as DIR/NAME-RESULT.svg with gnuplot"},
    {.name = "quiet", .key = 'q', .doc = "Print only errors"},
    {.name = "list",
     .key = GMS_TOOL_SWEEP_KEY_LIST,
     .doc = "List points and states without running them",
     .group = 1},
    {.name = "dry-run",
     .key = GMS_TOOL_SWEEP_KEY_DRY,
     .doc = "Print the commands without running them"},
    {.name = "gather",
     .key = GMS_TOOL_SWEEP_KEY_GATHER,
     .doc = "Only write the CSV of the finished points"},
    {.name = "point",
     .key = GMS_TOOL_SWEEP_KEY_POINT,
     .arg = "LIST",
     .doc = "Run only the given points, for example 3,7-9, and write no CSV"},
    {.name = "retry",
     .key = GMS_TOOL_SWEEP_KEY_RETRY,
     .doc = "Run failed points again"},
    {.name = "restart",
     .key = GMS_TOOL_SWEEP_KEY_RESTART,
     .doc = "Discard all finished points and start again"},
    {.name = "slurm",
     .key = GMS_TOOL_SWEEP_KEY_SLURM,
     .arg = "OPTIONS",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "Submit a job array with these sbatch options; with =script, only "
            "write the script",
     .group = 2},
    {.name = "parallel",
     .key = GMS_TOOL_SWEEP_KEY_PARALLEL,
     .arg = "OPTIONS",
     .flags = OPTION_ARG_OPTIONAL,
     .doc = "Run the points with GNU parallel and these options; with =script, "
            "only write the script"},
    {.name = "sshlogin",
     .key = GMS_TOOL_SWEEP_KEY_SSHLOGIN,
     .arg = "LOGINS",
     .doc = "With --parallel: run the points on these machines"},
    {.name = "chunk",
     .key = GMS_TOOL_SWEEP_KEY_CHUNK,
     .arg = "N",
     .doc = "Points per task of Slurm or GNU parallel (default: 1, or more if "
            "the job array would be too long)"},
    {.name = "wait",
     .key = GMS_TOOL_SWEEP_KEY_WAIT,
     .doc = "Wait for the Slurm jobs, then write the CSV"},
    {.name = NULL},
};

/* ---- arguments ---- */

/** Set the mode; reject a second mode. */
static error_t gms_tool_sweep_do(struct argp_state *state,
                                 gms_tool_sweep_how_t how)
{
    gms_tool_sweep_args_t *args = state->input;

    if (args->how != GMS_TOOL_SWEEP_HERE && args->how != how) {
        argp_error(state, "--list, --dry-run, --gather, --point, --slurm and "
                          "--parallel cannot be used together");
        return EINVAL;
    }
    args->how = how;
    return 0;
}

static error_t gms_tool_sweep_elsewhere(struct argp_state *state,
                                        gms_tool_sweep_how_t how,
                                        const char *arg)
{
    gms_tool_sweep_args_t *args = state->input;

    if (arg != NULL && strcmp(arg, "script") == 0) {
        args->is_script = 1;
    } else if (arg != NULL) {
        args->options = arg;
    }
    return gms_tool_sweep_do(state, how);
}

/** Return whether the command writes the CSV at its end. */
static int gms_tool_sweep_gathers(const gms_tool_sweep_args_t *args)
{
    return args->how == GMS_TOOL_SWEEP_HERE ||
           args->how == GMS_TOOL_SWEEP_GATHER ||
           (args->how == GMS_TOOL_SWEEP_PARALLEL && !args->is_script) ||
           (args->how == GMS_TOOL_SWEEP_SLURM && args->is_waiting);
}

static error_t gms_tool_sweep_parse_end(struct argp_state *state)
{
    const gms_tool_sweep_args_t *args = state->input;

    if (args->file == NULL) {
        argp_usage(state);
        return EINVAL;
    }
    if (args->is_waiting && args->how != GMS_TOOL_SWEEP_SLURM) {
        argp_error(state, "--wait requires --slurm");
        return EINVAL;
    }
    if (args->sshlogin != NULL && args->how != GMS_TOOL_SWEEP_PARALLEL) {
        argp_error(state, "--sshlogin requires --parallel");
        return EINVAL;
    }
    if (args->plot != NULL && !gms_tool_sweep_gathers(args)) {
        argp_error(state,
                   "--plot requires a mode that writes the CSV: a local sweep, "
                   "--gather, --parallel, or --slurm with --wait");
        return EINVAL;
    }
    if (args->is_restart && (args->how == GMS_TOOL_SWEEP_POINT ||
                             args->how == GMS_TOOL_SWEEP_GATHER ||
                             args->how == GMS_TOOL_SWEEP_LIST)) {
        argp_error(state,
                   "--restart cannot be used with --list, --gather or --point");
        return EINVAL;
    }
    return 0;
}

static error_t gms_tool_sweep_parse_how(int key, char *arg,
                                        struct argp_state *state)
{
    gms_tool_sweep_args_t *args = state->input;

    switch (key) {
    case GMS_TOOL_SWEEP_KEY_LIST:
        return gms_tool_sweep_do(state, GMS_TOOL_SWEEP_LIST);
    case GMS_TOOL_SWEEP_KEY_DRY:
        return gms_tool_sweep_do(state, GMS_TOOL_SWEEP_DRY);
    case GMS_TOOL_SWEEP_KEY_GATHER:
        return gms_tool_sweep_do(state, GMS_TOOL_SWEEP_GATHER);
    case GMS_TOOL_SWEEP_KEY_POINT:
        args->point = arg;
        return gms_tool_sweep_do(state, GMS_TOOL_SWEEP_POINT);
    case GMS_TOOL_SWEEP_KEY_SLURM:
        return gms_tool_sweep_elsewhere(state, GMS_TOOL_SWEEP_SLURM, arg);
    case GMS_TOOL_SWEEP_KEY_PARALLEL:
        return gms_tool_sweep_elsewhere(state, GMS_TOOL_SWEEP_PARALLEL, arg);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const gms_tool_field_t gms_tool_sweep_fields[] = {
    GMS_TOOL_TEXT_FIELD('o', gms_tool_sweep_args_t, output),
    GMS_TOOL_FLAG_FIELD('q', gms_tool_sweep_args_t, is_quiet),
    GMS_TOOL_FLAG_FIELD(GMS_TOOL_SWEEP_KEY_RETRY, gms_tool_sweep_args_t,
                        is_retry),
    GMS_TOOL_FLAG_FIELD(GMS_TOOL_SWEEP_KEY_RESTART, gms_tool_sweep_args_t,
                        is_restart),
    GMS_TOOL_TEXT_FIELD(GMS_TOOL_SWEEP_KEY_SSHLOGIN, gms_tool_sweep_args_t,
                        sshlogin),
    GMS_TOOL_FLAG_FIELD(GMS_TOOL_SWEEP_KEY_WAIT, gms_tool_sweep_args_t,
                        is_waiting),
    GMS_TOOL_TEXT_FIELD(GMS_TOOL_SWEEP_KEY_PLOT, gms_tool_sweep_args_t, plot),
    {.kind = 0},
};

static error_t gms_tool_sweep_parse(int key, char *arg,
                                    struct argp_state *state)
{
    gms_tool_sweep_args_t *args = state->input;

    if (gms_tool_set_field(gms_tool_sweep_fields, key, arg, args)) {
        return 0;
    }
    switch (key) {
    case 'j':
        return gms_tool_jobs(state, arg, &args->jobs);
    case GMS_TOOL_SWEEP_KEY_CHUNK:
        return gms_tool_number(state, "chunk", arg, 1, GMS_SWEEP_RUNS_MAX,
                               &args->chunk);
    case ARGP_KEY_ARG:
        return gms_tool_file(state, arg, &args->file);
    case ARGP_KEY_END:
        return gms_tool_sweep_parse_end(state);
    default:
        return gms_tool_sweep_parse_how(key, arg, state);
    }
}

/* ---- running on this machine ---- */

static void gms_tool_sweep_show(void *context,
                                const gms_sweep_progress_t *progress)
{
    gms_tool_bar_t *bar = context;
    char text[64], failed[32] = "";

    if (progress->failed > 0) {
        (void)snprintf(failed, sizeof(failed), ", %" PRIu64 " failed",
                       progress->failed);
    }
    (void)snprintf(text, sizeof(text), "%" PRIu64 " of %" PRIu64 "%s",
                   progress->over, progress->total, failed);
    gms_tool_bar_draw(bar,
                      (progress->total > 0)
                          ? (double)progress->over / (double)progress->total
                          : 1.0,
                      text);
}

/** Run some points. @return exit status; the status is also 1 if a point has
 *  failed */
static int gms_tool_sweep_run_these(const gms_tool_sweep_t *tool,
                                    const uint64_t *runs, uint64_t count,
                                    unsigned jobs)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_tool_bar_t bar;
    gms_status_t status;
    int number;

    gms_tool_bar_init(&bar, tool->args.is_quiet);
    status = gms_sweep_run(&tool->sweep, &tool->state, runs, count, jobs,
                           gms_tool_sweep_show, &bar, &number, error);
    gms_tool_bar_wipe(&bar);
    if (status != GMS_OK) {
        fprintf(stderr, "gmsim sweep: %s\n", error);
        return GMS_TOOL_REFUSED;
    }
    if (number != 0) {
        fprintf(stderr,
                "gmsim sweep: stopped; repeat the command to continue\n");
        return 128 + number;
    }
    return GMS_TOOL_OK;
}

static unsigned gms_tool_sweep_jobs(const gms_tool_sweep_t *tool)
{
    unsigned jobs = tool->args.jobs;

    if (jobs == 0) {
        jobs = gms_sweep_cores_all() / (unsigned)tool->sweep.cores;
    }
    return (jobs > 0) ? jobs : 1;
}

int gms_tool_sweep_todo(const gms_tool_sweep_t *tool, uint64_t **runs_p,
                        uint64_t *count_p)
{
    if (gms_sweep_todo(&tool->sweep, &tool->state, tool->args.is_retry, runs_p,
                       count_p) != GMS_OK) {
        fprintf(stderr, "gmsim sweep: out of memory\n");
        return 0;
    }
    return 1;
}

static int gms_tool_sweep_here(const gms_tool_sweep_t *tool)
{
    uint64_t *runs, count;
    int result;

    if (!gms_tool_sweep_todo(tool, &runs, &count)) {
        return GMS_TOOL_REFUSED;
    }
    result =
        gms_tool_sweep_run_these(tool, runs, count, gms_tool_sweep_jobs(tool));
    free(runs);
    return (result == GMS_TOOL_OK) ? gms_tool_sweep_gather(tool) : result;
}

/** Run the given points that are open. With --retry, also run the given points
 *  that have failed. */
static int gms_tool_sweep_point(const gms_tool_sweep_t *tool)
{
    uint64_t *runs, count, todo = 0, i;
    gms_sweep_status_t status;
    int result;

    if (gms_sweep_points_parse(tool->args.point, tool->sweep.runs, &runs,
                               &count) != GMS_OK) {
        fprintf(stderr,
                "gmsim sweep: --point: value '%s' is invalid; allowed: points "
                "in 1..%" PRIu64 ", for example 3,7-9\n",
                tool->args.point, tool->sweep.runs);
        return GMS_TOOL_USAGE;
    }
    for (i = 0; i < count; ++i) {
        gms_sweep_look(&tool->sweep, &tool->state, runs[i], &status);
        if (status.stage == GMS_SWEEP_OPEN ||
            (tool->args.is_retry && status.stage == GMS_SWEEP_FAILED)) {
            runs[todo++] = runs[i];
        }
    }
    result = gms_tool_sweep_run_these(
        tool, runs, todo, (tool->args.jobs > 0) ? tool->args.jobs : 1);
    for (i = 0; i < todo && result == GMS_TOOL_OK; ++i) {
        gms_sweep_look(&tool->sweep, &tool->state, runs[i], &status);
        if (status.stage == GMS_SWEEP_FAILED) {
            fprintf(stderr, "gmsim sweep: point %" PRIu64 ": %s\n", runs[i] + 1,
                    status.text);
            result = GMS_TOOL_REFUSED;
        }
    }
    free(runs);
    return result;
}

/* ---- the command ---- */

/** Create the path names NAME.sweep, NAME.csv and NAME-summary.csv.
 *  @return 0 if memory is insufficient */
static int gms_tool_sweep_name(gms_tool_sweep_t *tool)
{
    const char *slash = strrchr(tool->args.file, '/');
    const char *name = (slash != NULL) ? slash + 1 : tool->args.file;
    const char *dot = strrchr(name, '.');
    int len = (int)((dot != NULL && dot != name) ? (size_t)(dot - name)
                                                 : strlen(name));

    if (tool->args.output != NULL) {
        name = tool->args.output;
        len = (int)strlen(name);
        while (len > 1 && name[len - 1] == '/') {
            --len;
        }
        tool->directory = strndup(name, (size_t)len);
        if (len > 6 && strncmp(name + len - 6, ".sweep", 6) == 0) {
            len -= 6;
        }
    } else if (asprintf(&tool->directory, "%.*s.sweep", len, name) < 0) {
        tool->directory = NULL;
    }
    if (asprintf(&tool->csv, "%.*s.csv", len, name) < 0) {
        tool->csv = NULL;
    }
    if (asprintf(&tool->summary, "%.*s-summary.csv", len, name) < 0) {
        tool->summary = NULL;
    }
    return tool->directory != NULL && tool->csv != NULL &&
           tool->summary != NULL;
}

/** Check all points before the first point runs. */
static int gms_tool_sweep_check(const gms_tool_sweep_t *tool)
{
    char error[GMS_YAML_ERROR_LEN];
    uint64_t run;

    for (run = 0; run < tool->sweep.runs; run += tool->sweep.repetitions) {
        if (gms_sweep_check_run(&tool->sweep, run, error) != GMS_OK) {
            fprintf(stderr, "%s\n", error);
            return 0;
        }
    }
    return 1;
}

static int gms_tool_sweep_dispatch(const gms_tool_sweep_t *tool)
{
    switch (tool->args.how) {
    case GMS_TOOL_SWEEP_POINT:
        return gms_tool_sweep_point(tool);
    case GMS_TOOL_SWEEP_LIST:
        return gms_tool_sweep_list(tool);
    case GMS_TOOL_SWEEP_DRY:
        return gms_tool_sweep_dry(tool);
    case GMS_TOOL_SWEEP_GATHER:
        return gms_tool_sweep_gather(tool);
    case GMS_TOOL_SWEEP_SLURM:
    case GMS_TOOL_SWEEP_PARALLEL:
        return gms_tool_sweep_submit(tool);
    case GMS_TOOL_SWEEP_HERE:
    default:
        return gms_tool_sweep_here(tool);
    }
}

/** Open the directory with the type of access that the mode requires. */
static int gms_tool_sweep_with_directory(gms_tool_sweep_t *tool)
{
    static const gms_sweep_access_t accesses[] = {
        [GMS_TOOL_SWEEP_HERE] = GMS_SWEEP_ALONE,
        [GMS_TOOL_SWEEP_POINT] = GMS_SWEEP_SHARE,
        [GMS_TOOL_SWEEP_LIST] = GMS_SWEEP_LOOK,
        [GMS_TOOL_SWEEP_DRY] = GMS_SWEEP_LOOK,
        [GMS_TOOL_SWEEP_GATHER] = GMS_SWEEP_LOOK,
        [GMS_TOOL_SWEEP_SLURM] = GMS_SWEEP_ALONE,
        [GMS_TOOL_SWEEP_PARALLEL] = GMS_SWEEP_ALONE,
    };
    char error[GMS_YAML_ERROR_LEN];
    gms_status_t status =
        gms_sweep_open(&tool->sweep, tool->directory, accesses[tool->args.how],
                       tool->args.is_restart, &tool->state, error);
    int result;

    if (status != GMS_OK) {
        fprintf(stderr, "gmsim sweep: %s%s\n", error,
                (status == GMS_ERR_CONFIG)
                    ? "--restart discards the finished points; --output DIR "
                      "keeps them and uses another directory"
                    : "");
        return (status == GMS_ERR_CONFIG) ? GMS_TOOL_WRONG : GMS_TOOL_REFUSED;
    }
    result = gms_tool_sweep_dispatch(tool);
    gms_sweep_close(&tool->state);
    return result;
}

/** Append this program's directory to PATH, because the commands of a sweep may
 *  use programs of this installation. Programs of the same name in the existing
 *  PATH have priority. */
static void gms_tool_sweep_add_path(void)
{
    const char *before = getenv("PATH");
    char directory[PATH_MAX], *path = NULL;

    if (gms_directory_of_program(directory) != 0) {
        return;
    }
    if (asprintf(&path, "%s%s%s", (before != NULL) ? before : "",
                 (before != NULL) ? ":" : "", directory) >= 0) {
        (void)setenv("PATH", path, 1);
        free(path);
    }
}

int gms_tool_sweep(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_tool_sweep_options,
        .parser = gms_tool_sweep_parse,
        .args_doc = "FILE",
        .doc = "Run a command over a grid of parameters, and write the results "
               "as CSV.\v"
               "The command writes NAME.csv and NAME-summary.csv next to the "
               "directory of the sweep. To continue a sweep that was stopped, "
               "repeat its command. Exit status: 0 all points are done; 1 a "
               "point failed or is missing; 2 invalid usage, or an invalid or "
               "changed file; 130 stopped by Ctrl-C.\n"
               "Example: gmsim sweep --plot=pictures sweep.yaml"};
    gms_tool_sweep_t tool = {.args = {.options = ""}};
    char error[GMS_YAML_ERROR_LEN];
    int result = GMS_TOOL_WRONG;

    if (argp_parse(&argp, argc, argv, 0, NULL, &tool.args) != 0) {
        return GMS_TOOL_USAGE;
    }
    if (gms_sweep_load(tool.args.file, gms_tool_cluster(NULL), &tool.sweep,
                       error) != GMS_OK) {
        fprintf(stderr, "%s\n", error);
        return GMS_TOOL_WRONG;
    }
    gms_tool_sweep_add_path();
    if (!gms_tool_sweep_name(&tool)) {
        fprintf(stderr, "gmsim sweep: out of memory\n");
        result = GMS_TOOL_REFUSED;
    } else if (gms_tool_sweep_check(&tool)) {
        result = (tool.args.plot != NULL) ? gms_tool_sweep_plot_check(&tool)
                                          : GMS_TOOL_OK;
        if (result == GMS_TOOL_OK) {
            result = gms_tool_sweep_with_directory(&tool);
        }
    }
    free(tool.directory);
    free(tool.csv);
    free(tool.summary);
    gms_sweep_clear(&tool.sweep);
    return result;
}
