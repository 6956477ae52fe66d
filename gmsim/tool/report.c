/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim report: writes the report of a recorded run as an HTML page, or prints
 * the report as text.
 */
#include <argp.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_memory.h"
#include "base/limits.h"
#include "base/printable.h"
#include "report/data.h"
#include "report/page.h"
#include "report/text.h"
#include "tool/argument.h"
#include "base/output.h"
#include "tool/tool.h"

enum {
    GMS_REPORT_KEY_JSON = 0x100,
    GMS_REPORT_KEY_TEXT
};

typedef struct gms_report_args {
    const char *directory, *output;
    int is_text, is_json, is_quiet;
} gms_report_args_t;

static const struct argp_option gms_report_options[] = {
    {.name = "output",
     .key = 'o',
     .arg = "FILE",
     .doc = "Write the page to FILE instead of RECORD/report.html ('-': "
            "standard output)"},
    {.name = "text",
     .key = GMS_REPORT_KEY_TEXT,
     .doc = "Print findings and flows as text instead of writing the page"},
    {.name = "json",
     .key = GMS_REPORT_KEY_JSON,
     .doc = "Print all data of the page as JSON instead of writing the page"},
    {.name = "quiet",
     .key = 'q',
     .doc = "Do not print the file name of the page"},
    {.name = NULL},
};

static const gms_tool_field_t gms_report_fields[] = {
    GMS_TOOL_TEXT_FIELD('o', gms_report_args_t, output),
    GMS_TOOL_FLAG_FIELD('q', gms_report_args_t, is_quiet),
    GMS_TOOL_FLAG_FIELD(GMS_REPORT_KEY_JSON, gms_report_args_t, is_json),
    GMS_TOOL_FLAG_FIELD(GMS_REPORT_KEY_TEXT, gms_report_args_t, is_text),
    {.kind = 0},
};

static error_t gms_report_parse(int key, char *arg, struct argp_state *state)
{
    gms_report_args_t *args = state->input;

    if (gms_tool_set_field(gms_report_fields, key, arg, args)) {
        return 0;
    }
    switch (key) {
    case ARGP_KEY_ARG:
        return gms_tool_file(state, arg, &args->directory);
    case ARGP_KEY_END:
        if (args->directory == NULL) {
            argp_error(
                state,
                "missing argument: the directory of a record is required");
            return EINVAL;
        }
        if (args->is_text && args->is_json) {
            argp_error(state, "--text and --json cannot be used together");
            return EINVAL;
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- text ---- */

static double gms_report_real_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *gms_report_text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* Print a rate in MB/s with three decimals, as in the tables of experiments. */
static void gms_report_print_rate(FILE *file, double bytes_s)
{
    fprintf(file, " %9.3f", bytes_s / 1e6);
}

/* Print the mean payload of a packet in bytes. */
static void gms_report_print_packet(FILE *file, const json_t *flow)
{
    double packets = gms_report_real_of(flow, "packets");

    fprintf(file, " %5.0f B\n",
            packets > 0 ? gms_report_real_of(flow, "bytes") / packets : 0);
}

/* Return the width of the column for flow names. */
static int gms_report_width(const json_t *data)
{
    const json_t *flow;
    size_t width = 28, i;

    json_array_foreach(json_object_get(data, "flows"), i, flow)
    {
        size_t own = strlen(gms_report_text_of(flow, "name"));

        width = own > width ? own : width;
    }
    return (int)width;
}

static void gms_report_print_flows(FILE *file, const json_t *data)
{
    const json_t *flow, *others = json_object_get(data, "others");
    int width = gms_report_width(data);
    gms_text_t p50, p99, count;
    size_t i;

    fprintf(file, "\n%-*s %-11s %9s %9s %9s %10s %10s %7s\n", width, "flow",
            "class", "MB", "MB/s", "reserved", "p50", "p99", "packet");
    json_array_foreach(json_object_get(data, "flows"), i, flow)
    {
        const json_t *reserved = json_object_get(flow, "reserved"), *step;
        const json_t *latency = json_object_get(flow, "latency");
        double most = 0;
        size_t k;

        json_array_foreach(reserved, k, step)
        {
            double rate = json_number_value(json_array_get(step, 1));

            most = rate > most ? rate : most;
        }
        fprintf(file, "%-*s %-11s", width, gms_report_text_of(flow, "name"),
                gms_report_text_of(flow, "class"));
        gms_report_print_rate(file, gms_report_real_of(flow, "bytes"));
        gms_report_print_rate(file, gms_report_real_of(flow, "mean_bytes_s"));
        if (most > 0) {
            gms_report_print_rate(file, most);
        } else {
            fprintf(file, " %9s", "-");
        }
        fprintf(file, " %10s %10s",
                json_is_object(latency)
                    ? gms_text_time(gms_report_real_of(latency, "p50_ps"), &p50)
                    : "-",
                json_is_object(latency)
                    ? gms_text_time(gms_report_real_of(latency, "p99_ps"), &p99)
                    : "-");
        gms_report_print_packet(file, flow);
    }
    if (json_is_object(others)) {
        fprintf(file, "%-*s %-11s", width,
                gms_text_count((uint64_t)gms_report_real_of(others, "flows"),
                               &count),
                "others");
        gms_report_print_rate(file, gms_report_real_of(others, "bytes"));
        fprintf(file, "\n");
    }
}

static const char *gms_report_incomplete(const json_t *data)
{
    return json_is_string(json_object_get(data, "failed"))
               ? "; incomplete: some data could not be written"
               : "; incomplete: the run was killed, or its last data were lost";
}

static void gms_report_print(FILE *file, const json_t *data)
{
    const json_t *finding;
    gms_text_t time;
    size_t i;

    fprintf(file, "%s, %s of virtual time%s\n\n",
            gms_report_text_of(data, "title"),
            gms_text_time(gms_report_real_of(data, "end_ps"), &time),
            json_is_true(json_object_get(data, "complete"))
                ? ""
                : gms_report_incomplete(data));
    json_array_foreach(json_object_get(data, "findings"), i, finding)
    {
        fprintf(file, "- %s\n", gms_report_text_of(finding, "text"));
    }
    gms_report_print_flows(file, data);
    if (json_is_string(json_object_get(data, "command"))) {
        fprintf(file,
                "\n"
                "Command to repeat the run:\n"
                "  %s\n",
                gms_report_text_of(data, "command"));
    }
}

/* ---- the command ---- */

static int gms_report_put(FILE *file, const gms_report_args_t *args,
                          const json_t *data)
{
    if (args->is_text) {
        gms_report_print(file, data);
    } else if (args->is_json) {
        if (json_dumpf(data, file, JSON_INDENT(1)) != 0) {
            return -1;
        }
        fprintf(file, "\n");
    } else {
        return gms_page_write(file, data) == GMS_OK ? 0 : -1;
    }
    return ferror(file) ? -1 : 0;
}

static int gms_report_write(const gms_report_args_t *args, const json_t *data)
{
    char path[4096];
    const char *name = args->output;
    gms_output_t output;
    int is_good;

    if (name == NULL && (args->is_text || args->is_json)) {
        name = "-";
    } else if (name == NULL) {
        (void)snprintf(path, sizeof(path), "%s/report.html", args->directory);
        name = path;
    }
    if (gms_output_open(&output, name) != 0) {
        fprintf(stderr, "gmsim report: cannot write '%s': %s\n", name,
                strerror(errno));
        return GMS_TOOL_REFUSED;
    }
    is_good = gms_report_put(output.file, args, data) == 0;
    if (gms_output_close(&output, is_good) != 0 || !is_good) {
        fprintf(stderr, "gmsim report: cannot write '%s': %s\n", name,
                strerror(errno));
        return GMS_TOOL_REFUSED;
    }
    if (strcmp(name, "-") != 0 && !args->is_quiet) {
        printf("%s\n", name);
    }
    return GMS_TOOL_OK;
}

static int gms_report_make(const gms_report_args_t *args)
{
    char error[GMS_REPORT_ERROR_LEN];
    gms_report_run_t *run;
    json_t *data;
    int result;

    gms_json_limit(GMS_LIMIT_JSON_MEMORY);
    if (gms_report_run_load(args->directory, &run, error) != GMS_OK) {
        fprintf(stderr, "gmsim report: %s\n", error);
        return GMS_TOOL_WRONG;
    }
    data = gms_report_data(run);
    gms_report_run_destroy(run);
    if (data == NULL) {
        fprintf(stderr, "gmsim report: out of memory\n");
        return GMS_TOOL_REFUSED;
    }
    result = gms_report_write(args, data);
    json_decref(data);
    return result;
}

int gms_tool_report(int argc, char **argv)
{
    const struct argp argp = {
        .options = gms_report_options,
        .parser = gms_report_parse,
        .args_doc = "RECORD",
        .doc = "Write the report of a recorded run as one HTML file, which any "
               "browser can open. RECORD is the directory that GMSIM_RECORD "
               "named for the run."
               "\v"
               "Exit status: 0 success; 1 the page cannot be written; 2 "
               "invalid usage or an unreadable record.\n"
               "Example: gmsim report --text record",
    };
    gms_report_args_t args = {.directory = NULL};

    if (argp_parse(&argp, argc, argv, 0, NULL, &args) != 0) {
        return GMS_TOOL_USAGE;
    }
    return gms_report_make(&args);
}
