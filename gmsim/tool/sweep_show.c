/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim sweep --list, --dry-run and --gather: prints the states of all points,
 * prints the commands that would run, or writes the results and reports failed
 * points.
 */
#define _GNU_SOURCE /* strsep */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "base/printable.h"
#include "sweep/base.h"
#include "sweep/gather.h"
#include "sweep/result.h"
#include "sweep/text.h"
#include "tool/sweep.h"
#include "tool/tool.h"

/* Largest number of failed points that are reported; --list shows all of
 * them. */
#define GMS_TOOL_SWEEP_TOLD 20u

/** Print the parameter values of a run, such as "size 64, load 0.1, seed 1". */
static void gms_tool_sweep_put_values(FILE *out, const gms_sweep_t *sweep,
                                      uint64_t run)
{
    char shown[256];
    size_t i;

    for (i = 0; i < sweep->variable_count; ++i) {
        fprintf(out, "%s %s, ", sweep->variables[i].name,
                gms_printable(gms_sweep_value(sweep, &sweep->variables[i], run),
                              shown, sizeof(shown)));
    }
    fprintf(out, "seed %" PRIu64, gms_sweep_seed(sweep, run));
}

/** Print the command of a run with indentation, as the shell receives it. */
static void gms_tool_sweep_put_command(FILE *out, const gms_tool_sweep_t *tool,
                                       uint64_t run)
{
    char wrong[GMS_YAML_ERROR_LEN], *command = NULL, *at, *line;
    char *directory = gms_sweep_path(&tool->sweep, &tool->state, run, NULL);

    if (directory != NULL && gms_sweep_command(&tool->sweep, run, directory,
                                               &command, wrong) == GMS_OK) {
        fputs("    ", out);
        at = command;
        while ((line = strsep(&at, "\n")) != NULL) {
            if (at != NULL || *line != '\0' || line == command) {
                fprintf(out, "%s%s\n", (line == command) ? "" : "    ",
                        gms_printable_here(line));
            }
        }
    }
    free(command);
    free(directory);
}

/* ---- list and dry run ---- */

int gms_tool_sweep_list(const gms_tool_sweep_t *tool)
{
    static const char *const stages[] = {"open", "done", "failed"};
    const gms_sweep_t *sweep = &tool->sweep;
    gms_sweep_status_t status;
    uint64_t run, counts[3] = {0, 0, 0};

    for (run = 0; run < sweep->runs; ++run) {
        gms_sweep_look(sweep, &tool->state, run, &status);
        counts[status.stage]++;
        printf("%4" PRIu64 "  %-6s  ", run + 1, stages[status.stage]);
        gms_tool_sweep_put_values(stdout, sweep, run);
        printf("%s%s\n", (status.stage == GMS_SWEEP_FAILED) ? ": " : "",
               status.text);
    }
    printf("%" PRIu64 " %s: %" PRIu64 " done, %" PRIu64 " failed, %" PRIu64
           " open\n",
           sweep->runs, gms_plural(sweep->runs, "point", "points"),
           counts[GMS_SWEEP_DONE], counts[GMS_SWEEP_FAILED],
           counts[GMS_SWEEP_OPEN]);
    return GMS_TOOL_OK;
}

int gms_tool_sweep_dry(const gms_tool_sweep_t *tool)
{
    uint64_t *runs = NULL, count = 0, i;

    if (!gms_tool_sweep_todo(tool, &runs, &count)) {
        return GMS_TOOL_REFUSED;
    }
    for (i = 0; i < count; ++i) {
        printf("%" PRIu64 ": ", runs[i] + 1);
        gms_tool_sweep_put_values(stdout, &tool->sweep, runs[i]);
        printf("\n");
        gms_tool_sweep_put_command(stdout, tool, runs[i]);
    }
    printf("%" PRIu64 " of %" PRIu64 " %s would be run\n", count,
           tool->sweep.runs, gms_plural(tool->sweep.runs, "point", "points"));
    free(runs);
    return GMS_TOOL_OK;
}

/* ---- gather ---- */

/** Context of the functions to which gms_sweep_gather() passes results. */
typedef struct gms_tool_sweep_reader {
    const gms_tool_sweep_t *tool;
    unsigned told;
    gms_tool_sweep_plot_t plot;
} gms_tool_sweep_reader_t;

static void gms_tool_sweep_put_error(FILE *out, const gms_tool_sweep_t *tool,
                                     uint64_t run)
{
    char *path = gms_sweep_path(&tool->sweep, &tool->state, run, "stderr");
    char *text, *line;
    size_t len;

    text = (path != NULL) ? gms_sweep_read(path, &len) : NULL;
    line = (text != NULL) ? gms_sweep_last_line(text) : NULL;
    if (line != NULL) {
        fprintf(out, "    %s\n", gms_printable_here(line));
    }
    free(text);
    free(path);
}

static void gms_tool_sweep_problem(void *context, uint64_t run, const char *why)
{
    gms_tool_sweep_reader_t *reader = context;

    if (why == NULL || reader->told++ >= GMS_TOOL_SWEEP_TOLD) {
        return;
    }
    fprintf(stderr, "point %" PRIu64 " (", run + 1);
    gms_tool_sweep_put_values(stderr, &reader->tool->sweep, run);
    fprintf(stderr, "): %s\n", why);
    gms_tool_sweep_put_command(stderr, reader->tool, run);
    gms_tool_sweep_put_error(stderr, reader->tool, run);
}

static void gms_tool_sweep_mean(void *context, size_t result, uint64_t point,
                                double mean, double half)
{
    gms_tool_sweep_reader_t *reader = context;

    gms_tool_sweep_plot_point(&reader->plot, result, point, mean, half);
}

static void gms_tool_sweep_print_counts(const gms_tool_sweep_t *tool,
                                        const gms_sweep_count_t *count)
{
    if (tool->args.is_quiet) {
        return;
    }
    printf("%" PRIu64 " %s: %" PRIu64 " done, %" PRIu64 " failed, %" PRIu64
           " missing; %s, %s\n",
           tool->sweep.runs, gms_plural(tool->sweep.runs, "point", "points"),
           count->done, count->failed, count->open, tool->csv, tool->summary);
    if (count->texts > 0) {
        printf("%" PRIu64 " result%s omitted from %s because not all of the "
               "values are numbers\n",
               count->texts, (count->texts == 1) ? " is" : "s are",
               tool->summary);
    }
}

int gms_tool_sweep_gather(const gms_tool_sweep_t *tool)
{
    int is_drawn = tool->args.plot != NULL && !tool->is_undrawn;
    gms_tool_sweep_reader_t reader = {.tool = tool};
    const gms_sweep_listener_t listener = {
        .problem = gms_tool_sweep_problem,
        .mean = is_drawn ? gms_tool_sweep_mean : NULL,
        .context = &reader};
    char error[GMS_YAML_ERROR_LEN];
    gms_sweep_count_t count;
    int result = GMS_TOOL_OK;

    if (is_drawn && gms_tool_sweep_plot_begin(&reader.plot, tool) != 0) {
        fprintf(stderr, "gmsim sweep: out of memory\n");
        return GMS_TOOL_REFUSED;
    }
    if (gms_sweep_gather(&tool->sweep, &tool->state, tool->csv, tool->summary,
                         &listener, &count, error) != GMS_OK) {
        fprintf(stderr, "gmsim sweep: %s\n", error);
        result = GMS_TOOL_REFUSED;
    } else {
        if (reader.told > GMS_TOOL_SWEEP_TOLD) {
            fprintf(stderr, "and %u more failed points; --list shows all\n",
                    reader.told - GMS_TOOL_SWEEP_TOLD);
        }
        gms_tool_sweep_print_counts(tool, &count);
        if (count.failed + count.open > 0) {
            result = GMS_TOOL_REFUSED;
        }
    }
    if (is_drawn && gms_tool_sweep_plot_end(&reader.plot) != GMS_TOOL_OK) {
        result = GMS_TOOL_REFUSED;
    }
    return tool->is_undrawn ? GMS_TOOL_REFUSED : result;
}
