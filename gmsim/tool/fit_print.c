/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the result of gmsim fit: the errors per size, the values with their
 * confidence, and groups of parameters that the table cannot separate. The
 * profile contains the same text as comments.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/plural.h"
#include "base/printable.h"
#include "fit/profile.h"
#include "tool/fit.h"

/* Length of the longest parameter name in a table. */
#define GMS_TOOL_FIT_NAME 26

size_t gms_tool_fit_worst(const gms_tool_fit_report_t *report)
{
    const double *errors = report->solution->errors;
    size_t worst = 0, i;

    for (i = 1; i < report->problem->table->count; ++i) {
        if (fabs(errors[i]) > fabs(errors[worst])) {
            worst = i;
        }
    }
    return worst;
}

/* ---- errors ---- */

static int gms_tool_fit_has_quartiles(const gms_fit_table_t *table)
{
    size_t i;

    for (i = 0; i < table->count; ++i) {
        if (table->rows[i].low_us > 0) {
            return 1;
        }
    }
    return 0;
}

/* Every line begins with `mark`, which is either empty or the comment sign. */

static void gms_tool_fit_put_errors(FILE *file, const char *mark,
                                    const gms_tool_fit_report_t *report)
{
    const gms_fit_table_t *table = report->problem->table;
    int has_quartiles = gms_tool_fit_has_quartiles(table);
    size_t i;

    fprintf(file, "%s%10s %13s %13s %8s%s\n", mark, "bytes", "measured us",
            "simulated us", "error %", has_quartiles ? "   quartiles %" : "");
    for (i = 0; i < table->count; ++i) {
        const gms_fit_row_t *row = &table->rows[i];

        fprintf(file, "%s%10" PRIu64 " %13.3f %13.3f %+8.2f", mark, row->bytes,
                row->us, report->solution->us[i],
                100 * report->solution->errors[i]);
        if (row->low_us > 0) {
            fprintf(file, "  %+6.1f %+5.1f", 100 * (row->low_us / row->us - 1),
                    100 * (row->high_us / row->us - 1));
        }
        fputc('\n', file);
    }
}

static void gms_tool_fit_put_sum(FILE *file, const char *mark,
                                 const gms_tool_fit_report_t *report)
{
    const gms_fit_table_t *table = report->problem->table;
    size_t worst = gms_tool_fit_worst(report);

    fprintf(file,
            "%sLargest error: %.2f %% at %" PRIu64
            " bytes; root mean square: %.2f %%.\n",
            mark, 100 * fabs(report->solution->errors[worst]),
            table->rows[worst].bytes,
            100 * sqrt(report->solution->squares / (double)table->count));
}

/* ---- values ---- */

static void gms_tool_fit_put_value(FILE *file, const gms_param_t *row,
                                   uint64_t value)
{
    if (row->names != NULL) {
        fprintf(file, " %13s", row->names[value]);
    } else {
        fprintf(file, " %13" PRIu64, value);
    }
}

/** Print how precisely the table determines a value. */
static void gms_tool_fit_put_trust(FILE *file,
                                   const gms_tool_fit_report_t *report,
                                   size_t i)
{
    const gms_fit_confidence_t *confidence = report->confidence;
    const gms_fit_free_t *one = &report->problem->frees->list[i];
    uint64_t value = report->solution->values[i];

    if (one->is_step) {
        fputs("tried values", file);
    } else if (confidence->group[i] != 0) {
        fprintf(file, "not determined (group %u)", confidence->group[i]);
    } else if (value == one->low || value == one->high) {
        fprintf(file, "at its %s bound", value == one->low ? "lower" : "upper");
    } else if (confidence->half[i] >= 0) {
        fprintf(file, "+- %.2g %%", 100 * confidence->half[i]);
    } else {
        fputs("unknown", file);
    }
}

static void gms_tool_fit_put_values(FILE *file, const char *mark,
                                    const gms_tool_fit_report_t *report)
{
    const gms_fit_problem_t *problem = report->problem;
    size_t i;

    fprintf(file, "%s%-*s %13s %13s  %s\n", mark, GMS_TOOL_FIT_NAME,
            "parameter", "start", "fitted", "95 % interval");
    for (i = 0; i < problem->frees->count; ++i) {
        const gms_fit_free_t *one = &problem->frees->list[i];

        fprintf(file, "%s%-*s", mark, GMS_TOOL_FIT_NAME, one->row->name);
        gms_tool_fit_put_value(file, one->row,
                               gms_fit_free_start(one, problem->base));
        gms_tool_fit_put_value(file, one->row, report->solution->values[i]);
        fputs("  ", file);
        gms_tool_fit_put_trust(file, report, i);
        fputc('\n', file);
    }
}

/* ---- groups ---- */

/** Print the members of a group of parameters. If changes is not NULL, also
 *  print the change of each member. */
static void gms_tool_fit_put_members(FILE *file,
                                     const gms_tool_fit_report_t *report,
                                     unsigned group, const double *changes)
{
    const char *comma = "";
    size_t i;

    for (i = 0; i < report->problem->frees->count; ++i) {
        if (report->confidence->group[i] != group) {
            continue;
        }
        fprintf(file, "%s%s", comma, report->problem->frees->list[i].row->name);
        if (changes != NULL) {
            fprintf(file, " %+.1f %%", 100 * changes[i]);
        }
        comma = ", ";
    }
}

static void gms_tool_fit_put_groups(FILE *file, const char *mark,
                                    const gms_tool_fit_report_t *report)
{
    const gms_fit_confidence_t *confidence = report->confidence;
    unsigned group;

    if (confidence->groups == 0) {
        fprintf(file,
                "%sThe table determines every parameter for which an interval "
                "is printed.\n",
                mark);
        return;
    }
    for (group = 1; group <= confidence->groups; ++group) {
        unsigned size = confidence->size[group];
        unsigned unknown = confidence->unknown[group];

        fprintf(file, "%sGroup %u: the table cannot %s ", mark, group,
                size == 1 ? "determine" : "separate");
        gms_tool_fit_put_members(file, report, group, NULL);
        fputs(".\n", file);
        if (unknown == 1) {
            fprintf(file, "%s  %s ", mark,
                    size == 1 ? "The change" : "The changes");
            gms_tool_fit_put_members(file, report, group, confidence->trade);
            fprintf(file, "\n%s  %s every simulated time by at most %.2g %%.\n",
                    mark, gms_plural(size, "changes", "change"),
                    100 * confidence->effect[group]);
        } else {
            fprintf(file,
                    "%s  The table determines %u of %u independent "
                    "combinations of these parameters.\n",
                    mark, size > unknown ? size - unknown : 0, size);
        }
    }
}

/* ---- outputs ---- */

static void gms_tool_fit_put_head(FILE *file, const char *mark,
                                  const gms_tool_fit_report_t *report)
{
    const gms_fit_table_t *table = report->problem->table;
    char shown[256];

    fprintf(file, "%sTable: %s (%s, %s), %zu sizes, checksum %016" PRIx64 "\n",
            mark, gms_printable(report->path, shown, sizeof(shown)),
            table->format, table->statistic, table->count, table->checksum);
    if (table->empty > 0) {
        fprintf(file, "%s%zu %s of 0 bytes %s not used.\n", mark, table->empty,
                gms_plural(table->empty, "row", "rows"),
                gms_plural(table->empty, "is", "are"));
    }
    fprintf(file, "%sBase: %s; free parameters: %zu; simulated runs: %u\n",
            mark, gms_printable(report->base, shown, sizeof(shown)),
            report->problem->frees->count, report->runs);
}

void gms_tool_fit_print(FILE *file, const gms_tool_fit_report_t *report)
{
    gms_tool_fit_put_head(file, "", report);
    fputc('\n', file);
    gms_tool_fit_put_errors(file, "", report);
    gms_tool_fit_put_sum(file, "", report);
    fputc('\n', file);
    gms_tool_fit_put_values(file, "", report);
    gms_tool_fit_put_groups(file, "", report);
}

void gms_tool_fit_print_csv(FILE *file, const gms_tool_fit_report_t *report)
{
    const gms_fit_table_t *table = report->problem->table;
    size_t i;

    fputs("bytes,measured_us,simulated_us,error_percent,q25_us,q75_us\n", file);
    for (i = 0; i < table->count; ++i) {
        const gms_fit_row_t *row = &table->rows[i];

        fprintf(file, "%" PRIu64 ",%.4f,%.4f,%.3f,", row->bytes, row->us,
                report->solution->us[i], 100 * report->solution->errors[i]);
        if (row->low_us > 0) {
            fprintf(file, "%.4f,%.4f\n", row->low_us, row->high_us);
        } else {
            fputs(",\n", file);
        }
    }
}

void gms_tool_fit_write(FILE *file, const gms_tool_fit_report_t *report)
{
    gms_params_t params;

    fprintf(file, "# Fitted profile. Command: %s\n", report->command);
    gms_tool_fit_put_head(file, "# ", report);
    fputs("#\n", file);
    gms_tool_fit_put_values(file, "# ", report);
    gms_tool_fit_put_groups(file, "# ", report);
    fputs("#\n", file);
    gms_tool_fit_put_errors(file, "# ", report);
    gms_tool_fit_put_sum(file, "# ", report);
    gms_fit_set(report->problem->frees, report->solution->values,
                report->problem->base, &params);
    gms_fit_write(file, report->profile, &params);
}
