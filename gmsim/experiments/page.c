/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the page doc/reproduction.md: the introduction, the calibrated
 * parameters, a summary of all experiments, and for every experiment its
 * figure, notes and rows. The file plot.c draws the figures.
 */
#include "experiments/page.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "params/params.h"
#include "experiments/plot.h"
#include "base/output.h"

static const char gms_page_head[] =
    "# Reproduction\n"
    "\n"
    "This page compares results of the simulated cluster with the results "
    "printed in the M.S. thesis *A proportional bandwidth allocation scheme "
    "for Myrinet clusters* (Gulati, The Ohio State University, 2001). Read "
    "this page to judge how closely the model agrees with the thesis. The "
    "following command writes the page:\n"
    "\n"
    "    gmsim experiment run 'thesis-*' --page doc/reproduction.md --plot "
    "doc/reproduction\n"
    "\n"
    "1 MB is 10^6 bytes, and 1 KB is 1024 bytes. Bandwidth is payload divided "
    "by virtual time, measured while all flows of the given setting have data "
    "to send. The *reference* of a row is the number that the thesis prints. A "
    "reference with a star is computed from the parameters or from other rows. "
    "The simulation never reads the references. The results are compared with "
    "the references after the run. Circles in the figures show the references. "
    "The page [qos-reproduction.md](qos-reproduction.md) describes the "
    "experiments with the virtual-lane fabric.\n";

static const char gms_page_calibration[] =
    "\n"
    "## Calibrated and predicted figures\n"
    "\n"
    "The model of a NIC consists of a LANai processor, one host DMA engine and "
    "links. Throughput and latency follow from the cost of each processing "
    "step. Some costs are calibrated to reproduce numbers that the thesis "
    "prints:\n"
    "\n"
    "- A packet of 4096 bytes keeps a sending NIC busy for 49.2 us and a "
    "receiving NIC for 48.3 us. The division of these times among the steps "
    "(`mcp_*_cycles`, `host_dma_*`) is not published. The sending time is "
    "derived from figures 5.5 and 5.6, and the receiving time from the "
    "bandwidth at the receiver in figure 5.7.\n"
    "- The following rows of the parameter table (`gmsim params --long`) are "
    "calibrated:\n"
    "\n"
    "| parameter | value | meaning and source |\n"
    "| --- | ---: | --- |\n";

static const char gms_page_predicted[] =
    "\n"
    "The constants of the bandwidth managers are taken from the thesis. The "
    "managers can promise up to 78 MB/s for each node. The IDT of a flow is "
    "8192 divided by its bandwidth in MB/s, as the numbers in section 5.6 of "
    "the thesis imply. The threshold T is 96 ticks. All IDTs in the figures of "
    "the thesis are given in ticks.\n"
    "\n"
    "The following results are therefore not predictions: the sums in "
    "figures 5.5 to 5.7, the level of the MPI curve in figure 5.9, and 16.37 "
    "MB/s at IDT 500. All other results are predictions of the model:\n"
    "\n"
    "- all results of chapter 2;\n"
    "- the cost of rate control at each message size (figures 5.1 and 5.2);\n"
    "- the threshold T (figure 5.3);\n"
    "- the bandwidth at which a node can send while it receives (figures 5.4 "
    "and 5.8);\n"
    "- the share of each flow in the total bandwidth (figures 5.5 to 5.7);\n"
    "- the flat part and the bend of the MPI curve (figure 5.9);\n"
    "- the ratios at the MPI level (figure 5.10);\n"
    "- the bandwidth of flows whose IDTs are set by the managers (figures "
    "5.11 and 5.12).\n";

static void gms_page_calibrated(FILE *file)
{
    const gms_param_t *row;

    fputs(gms_page_calibration, file);
    for (row = gms_param_table; row->name != NULL; ++row) {
        if (strstr(row->doc, "[source: calibrated") != NULL) {
            fprintf(file, "| `%s` | %llu %s | %s |\n", row->name,
                    (unsigned long long)row->value, row->unit, row->doc);
        }
    }
    fputs(gms_page_predicted, file);
}

/** Print the anchor that Markdown creates for a heading: the name of the
 *  heading without dots. */
static void gms_page_anchor(const char *name, FILE *file)
{
    for (; *name != '\0'; ++name) {
        if (*name != '.') {
            fputc(*name, file);
        }
    }
}

static void gms_page_summary(const gms_result_t *results, size_t count,
                             FILE *file)
{
    size_t i, k;

    fputs("\n| experiment | title | rows checked | rows not ok | largest "
          "deviation |\n"
          "| --- | --- | ---: | ---: | ---: |\n",
          file);
    for (i = 0; i < count; ++i) {
        const gms_result_t *result = &results[i];
        double most = 0.0;
        unsigned checked = 0, within = 0;

        for (k = 0; k < result->row_count; ++k) {
            const gms_row_t *row = &result->rows[k];
            double size = (row->deviation_percent < 0.0)
                              ? -row->deviation_percent
                              : row->deviation_percent;

            if (!row->has_reference || row->kind == GMS_ROW_REPORTED) {
                continue;
            }
            ++checked;
            if (row->kind == GMS_ROW_WITHIN) {
                ++within;
                most = (size > most) ? size : most;
            }
        }
        fprintf(file, "| [%s](#", result->experiment->name);
        gms_page_anchor(result->experiment->name, file);
        fprintf(file, ") | %s | ", result->experiment->title);
        if (result->state == GMS_RESULT_SKIPPED) {
            fputs("skipped | | |\n", file);
        } else {
            fprintf(file, "%u | %zu |", checked,
                    gms_result_bad_rows(result) +
                        gms_result_count(result, GMS_VERDICT_KNOWN));
            if (within > 0) {
                fprintf(file, " %.2f %%", most);
            }
            fputs(" |\n", file);
        }
    }
}

static const char *gms_page_verdict(const gms_row_t *row)
{
    static const char *const names[GMS_VERDICT_COUNT] = {
        [GMS_VERDICT_NONE] = "-",
        [GMS_VERDICT_OK] = "yes",
        [GMS_VERDICT_KNOWN] = "**no**, known",
        [GMS_VERDICT_NOT_OK] = "**no**",
        [GMS_VERDICT_CHANGED] = "**changed**"};

    return names[gms_row_verdict(row)];
}

static void gms_page_row(const gms_row_t *row, FILE *file)
{
    fprintf(file, "| %s | %s | %s | %.5g %s | ", row->series, row->setting,
            row->quantity, row->value, row->unit);
    if (!row->has_reference) {
        fputs("| | |\n", file);
        return;
    }
    switch (row->kind) {
    case GMS_ROW_AT_MOST:
        fputs("at most ", file);
        break;
    case GMS_ROW_AT_LEAST:
        fputs("at least ", file);
        break;
    case GMS_ROW_WITHIN:
    case GMS_ROW_REPORTED:
        break;
    }
    fprintf(file, "%.5g%s | ", row->reference, row->is_own ? " \\*" : "");
    if (row->reference != 0.0) {
        fprintf(file, "%+.2f %%", row->deviation_percent);
    }
    fprintf(file, " | %s", gms_page_verdict(row));
    if (row->kind == GMS_ROW_WITHIN) {
        fprintf(file, " (%g %%)", row->tolerance_percent);
    }
    fputs(" |\n", file);
}

static void gms_page_result(const gms_result_t *result, const char *plots,
                            FILE *file)
{
    size_t i;

    fprintf(file, "\n## %s\n\n%s. *%s.*\n", result->experiment->name,
            result->experiment->title, result->experiment->source);
    if (plots != NULL && gms_plot_has(result)) {
        fprintf(file, "\n![%s](%s/%s.svg)\n", result->experiment->title, plots,
                result->experiment->name);
    }
    fprintf(file, "\n%s\n", result->experiment->text);
    for (i = 0; i < result->note_count; ++i) {
        fprintf(file, "%s%s\n", (i == 0) ? "\n- " : "- ", result->notes[i]);
    }
    if (result->state == GMS_RESULT_SKIPPED) {
        fprintf(file, "\nSkipped: %s.\n", result->text);
    } else if (result->state == GMS_RESULT_FAILED) {
        fprintf(file, "\n**Failed: %s.**\n", result->text);
    }
    if (result->row_count > 0) {
        fputs("\n| series | setting | quantity | value | reference | "
              "deviation | ok |\n"
              "| --- | --- | --- | ---: | ---: | ---: | --- |\n",
              file);
    }
    for (i = 0; i < result->row_count; ++i) {
        gms_page_row(&result->rows[i], file);
    }
}

/** Return the directory of the figures, relative to the directory of the
 *  page. */
static const char *gms_page_relative(const char *path, const char *plots)
{
    const char *slash = strrchr(path, '/');
    size_t len = (slash != NULL) ? (size_t)(slash - path) + 1 : 0;

    if (plots == NULL || strncmp(path, plots, len) != 0) {
        return plots;
    }
    return plots + len;
}

gms_status_t gms_page_print(const gms_result_t *results, size_t count,
                            const char *path, const char *plots)
{
    gms_output_t output;
    FILE *file;
    size_t i;

    if (gms_output_open(&output, path) != 0) {
        return GMS_ERR_SYSTEM;
    }
    file = output.file;
    fputs(gms_page_head, file);
    gms_page_summary(results, count, file);
    gms_page_calibrated(file);
    for (i = 0; i < count; ++i) {
        gms_page_result(&results[i], gms_page_relative(path, plots), file);
    }
    return (gms_output_close(&output, 1) == 0) ? GMS_OK : GMS_ERR_SYSTEM;
}
