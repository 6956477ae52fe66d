/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints results as tables for readers and as CSV for programs. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "experiments/result.h"
#include "base/output.h"

#define GMS_PRINT_WIDTH 78

/** Return the tolerance of a row as text, such as "+-2 %", or "" for a row
 *  without tolerance. */
static const char *gms_print_allowed(const gms_row_t *row, char text[32])
{
    text[0] = '\0';
    if (!row->has_reference) {
        return text;
    }
    switch (row->kind) {
    case GMS_ROW_WITHIN:
        (void)snprintf(text, 32, "+-%g %%", row->tolerance_percent);
        break;
    case GMS_ROW_AT_MOST:
        (void)snprintf(text, 32, "at most");
        break;
    case GMS_ROW_AT_LEAST:
        (void)snprintf(text, 32, "at least");
        break;
    case GMS_ROW_REPORTED:
        break;
    }
    return text;
}

/** Return 1 if the deviation of the row must be printed. */
static int gms_print_deviates(const gms_row_t *row)
{
    return row->reference != 0.0 && !isnan(row->value);
}

/** Return the confidence interval of a row as text, such as "+-0.12"; "" if the
 *  row has no interval. */
static const char *gms_print_interval(const gms_row_t *row, char text[32])
{
    text[0] = '\0';
    if (row->seeds > 1) {
        (void)snprintf(text, 32, "+-%.2g", gms_row_half_width(row));
    }
    return text;
}

/** Return 1 if a result states the basis of its rows. */
static int gms_print_has_basis(const gms_result_t *result)
{
    size_t i;

    for (i = 0; i < result->row_count; ++i) {
        if (result->rows[i].basis != GMS_BASIS_NONE) {
            return 1;
        }
    }
    return 0;
}

static void gms_print_row(const gms_row_t *row, const int width[3],
                          int has_basis, FILE *file)
{
    char allowed[32], interval[32];

    fprintf(file, "  %-*s  %-*s  %-*s %10.5g ", width[0], row->series, width[1],
            row->setting, width[2], row->quantity, row->value);
    if (has_basis) {
        fprintf(file, "%-9s ", gms_print_interval(row, interval));
    }
    fprintf(file, "%-9s", row->unit);
    if (row->has_reference) {
        fprintf(file, " %9.5g", row->reference);
        if (gms_print_deviates(row)) {
            fprintf(file, " %+8.2f %%", row->deviation_percent);
        } else {
            fprintf(file, " %10s", "");
        }
        fprintf(file, "  %-8s", gms_print_allowed(row, allowed));
    } else {
        fprintf(file, " %9s %10s  %-8s", "", "", "");
    }
    if (has_basis) {
        fprintf(file, "  %-10s", gms_row_basis_name(row->basis));
    }
    fprintf(file, "  %s", gms_row_verdict_name(gms_row_verdict(row)));
    if (row->known != NULL) {
        fprintf(file, " (%s)", row->known);
    }
    fputc('\n', file);
}

static void gms_print_rows(const gms_result_t *result, FILE *file)
{
    int width[3] = {6, 7, 8}, has_basis = gms_print_has_basis(result);
    size_t i;

    for (i = 0; i < result->row_count; ++i) {
        const gms_row_t *row = &result->rows[i];
        const int len[3] = {(int)strlen(row->series), (int)strlen(row->setting),
                            (int)strlen(row->quantity)};
        int k;

        for (k = 0; k < 3; ++k) {
            width[k] = (len[k] > width[k]) ? len[k] : width[k];
        }
    }
    if (result->row_count > 0) {
        fprintf(file,
                "  %-*s  %-*s  %-*s %10s %s%-9s %9s %10s  %-8s%s  holds\n",
                width[0], "series", width[1], "setting", width[2], "quantity",
                "value", has_basis ? "interval  " : "", "unit", "reference",
                "deviation", "allowed", has_basis ? "  basis     " : "");
    }
    for (i = 0; i < result->row_count; ++i) {
        gms_print_row(&result->rows[i], width, has_basis, file);
    }
}

/** Print an indented text, in lines that fit on a terminal. */
static void gms_print_wrapped(const char *text, FILE *file)
{
    const char *word = text;
    size_t column = 0;

    while (*word != '\0') {
        size_t len = strcspn(word, " ");

        if (column > 0 && column + 1 + len > GMS_PRINT_WIDTH) {
            fputc('\n', file);
            column = 0;
        }
        fprintf(file, "%s%.*s", (column == 0) ? "  " : " ", (int)len, word);
        column += len + ((column == 0) ? 2 : 1);
        word += len + strspn(word + len, " ");
    }
    fputc('\n', file);
}

void gms_result_print(const gms_result_t *result, FILE *file)
{
    size_t i;

    fprintf(file, "%s: %s\n  %s\n", result->experiment->name,
            result->experiment->title, result->experiment->source);
    for (i = 0; i < result->note_count; ++i) {
        gms_print_wrapped(result->notes[i], file);
    }
    gms_print_rows(result, file);
    if (result->state == GMS_RESULT_SKIPPED) {
        fprintf(file, "  skipped: %s\n", result->text);
    } else if (result->state == GMS_RESULT_FAILED) {
        fprintf(file, "  FAILED: %s\n", result->text);
    }
    fputc('\n', file);
}

/* ---- CSV ---- */

/** Print a field, in quotes if it contains special characters. */
static void gms_print_field(const char *text, FILE *file)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; ++text) {
        if (*text == '"') {
            fputc('"', file);
        }
        fputc(*text, file);
    }
    fputc('"', file);
}

/** Return the text of the column "ok". */
static const char *gms_print_csv_verdict(const gms_row_t *row)
{
    static const char *const names[GMS_VERDICT_COUNT] = {
        [GMS_VERDICT_NONE] = "-",
        [GMS_VERDICT_OK] = "yes",
        [GMS_VERDICT_KNOWN] = "known",
        [GMS_VERDICT_NOT_OK] = "no",
        [GMS_VERDICT_CHANGED] = "changed"};

    return names[gms_row_verdict(row)];
}

static void gms_print_csv_row(const char *experiment, const gms_row_t *row,
                              FILE *file)
{
    const char *const field[] = {experiment, row->series, row->setting,
                                 row->quantity};
    size_t i;

    for (i = 0; i < sizeof(field) / sizeof(field[0]); ++i) {
        gms_print_field(field[i], file);
        fputc(',', file);
    }
    fprintf(file, "%.8g,", row->value);
    gms_print_field(row->unit, file);
    fputc(',', file);
    if (row->has_reference) {
        fprintf(file, "%.8g,", row->reference);
        if (gms_print_deviates(row)) {
            fprintf(file, "%.3f", row->deviation_percent);
        }
        fprintf(file, ",%s,", gms_row_kind_name(row->kind));
        if (row->kind == GMS_ROW_WITHIN) {
            fprintf(file, "%g", row->tolerance_percent);
        }
    } else {
        fputs(",,,", file);
    }
    fprintf(file, ",%s,", gms_print_csv_verdict(row));
    if (row->seeds > 1) {
        fprintf(file, "%.8g", gms_row_half_width(row));
    }
    fprintf(file, ",%s\n", gms_row_basis_name(row->basis));
}

void gms_result_write_csv(const gms_result_t *results, size_t count, FILE *file)
{
    size_t i, k;

    fputs("experiment,series,setting,quantity,value,unit,reference,"
          "deviation_percent,kind,tolerance_percent,ok,half_width,basis\n",
          file);
    for (i = 0; i < count; ++i) {
        for (k = 0; k < results[i].row_count; ++k) {
            gms_print_csv_row(results[i].experiment->name, &results[i].rows[k],
                              file);
        }
    }
}

/* ---- curves and logs ---- */

/** Write a complete file. @return GMS_OK, GMS_ERR_SYSTEM with errno set */
static gms_status_t gms_print_file(const gms_result_t *result,
                                   const char *directory, const char *ending,
                                   void (*print)(const gms_result_t *result,
                                                 FILE *file))
{
    gms_output_t output;
    char path[PATH_MAX];

    (void)snprintf(path, sizeof(path), "%s/%s%s", directory,
                   result->experiment->name, ending);
    if (gms_output_open(&output, path) != 0) {
        return GMS_ERR_SYSTEM;
    }
    print(result, output.file);
    return (gms_output_close(&output, 1) == 0) ? GMS_OK : GMS_ERR_SYSTEM;
}

static void gms_print_curves(const gms_result_t *result, FILE *file)
{
    size_t i, k;

    fputs("curve,x,y,label\n", file);
    for (i = 0; i < result->curve_count; ++i) {
        const gms_curve_t *curve = &result->curves[i];

        for (k = 0; k < curve->count; ++k) {
            gms_print_field(curve->name, file);
            fprintf(file, ",%.8g,%.8g,", curve->points[k].x,
                    curve->points[k].y);
            gms_print_field(curve->points[k].label, file);
            fputc('\n', file);
        }
    }
}

static void gms_print_log(const gms_result_t *result, FILE *file)
{
    size_t i;

    fputs("flow,tick\n", file);
    for (i = 0; i < result->log_count; ++i) {
        gms_print_field(result->log[i].what, file);
        fprintf(file, ",%llu\n", (unsigned long long)result->log[i].number);
    }
}

gms_status_t gms_result_write_data(const gms_result_t *result,
                                   const char *directory)
{
    gms_status_t status = GMS_OK;

    if (result->curve_count > 0) {
        status = gms_print_file(result, directory, ".csv", gms_print_curves);
    }
    if (status == GMS_OK && result->log_count > 0) {
        status =
            gms_print_file(result, directory, "-dispatches.csv", gms_print_log);
    }
    return status;
}
