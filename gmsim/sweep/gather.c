/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes one CSV file with a row per run. Writes another CSV file with the
 * mean, standard deviation and confidence interval of each point. Reports the
 * failed runs. The file result.c extracts the values of a run.
 */
#include "sweep/gather.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/student.h"
#include "sweep/result.h"

/** Status and results of a run. */
typedef struct gms_sweep_row {
    gms_sweep_status_t status;
    char **values; /* values of the results; NULL if the run has no results */
} gms_sweep_row_t;

typedef struct gms_sweep_gatherer {
    const gms_sweep_t *sweep;
    const gms_sweep_state_t *state;
    gms_sweep_row_t *rows; /* rows of all runs */
    int *is_number;        /* one element per result; 1: all values of the
                            * result are numbers */
    double *numbers;       /* values of a result for the repetitions of a
                            * point */
    char *error;
} gms_sweep_gatherer_t;

void gms_sweep_put_field(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\n\r") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; ++text) {
        if (*text == '"') {
            fputc('"', out);
        }
        fputc(*text, out);
    }
    fputc('"', out);
}

void gms_sweep_statistics(const double *numbers, size_t count, double *mean_p,
                          double *deviation_p, double *half_p)
{
    double sum = 0, squares = 0;
    size_t i;

    for (i = 0; i < count; ++i) {
        sum += numbers[i];
    }
    *mean_p = sum / (double)count;
    if (count < 2) {
        return;
    }
    for (i = 0; i < count; ++i) {
        squares += (numbers[i] - *mean_p) * (numbers[i] - *mean_p);
    }
    *deviation_p = sqrt(squares / (double)(count - 1));
    *half_p = gms_student_95((unsigned)count - 1) * *deviation_p /
              sqrt((double)count);
}

/* ---- reading ---- */

static int gms_sweep_is_numeric(const char *text, double *number_p)
{
    char *end;

    *number_p = gms_decimal(text, &end);
    return end != text && *end == '\0' && isfinite(*number_p);
}

/** Reads the results of a finished run. A run without one of the results counts
 *  as failed. */
static gms_status_t gms_sweep_read_row(gms_sweep_gatherer_t *gatherer,
                                       uint64_t run)
{
    const gms_sweep_t *sweep = gatherer->sweep;
    gms_sweep_row_t *row = &gatherer->rows[run];
    char wrong[GMS_YAML_ERROR_LEN], *directory;
    gms_status_t status = GMS_OK;
    double number;
    size_t i;

    gms_sweep_look(sweep, gatherer->state, run, &row->status);
    if (row->status.stage != GMS_SWEEP_DONE) {
        return GMS_OK;
    }
    directory = gms_sweep_path(sweep, gatherer->state, run, NULL);
    row->values = calloc(sweep->result_count, sizeof(*row->values));
    if (directory == NULL || row->values == NULL) {
        status = GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < sweep->result_count && status == GMS_OK; ++i) {
        status = gms_sweep_extract(&sweep->results[i], directory,
                                   &row->values[i], wrong);
        if (status == GMS_ERR_NOT_FOUND) {
            row->status.stage = GMS_SWEEP_FAILED;
            (void)snprintf(row->status.text, sizeof(row->status.text),
                           "result '%s': %.*s", sweep->results[i].name,
                           (int)sizeof(row->status.text) - 80, wrong);
            status = GMS_OK;
        } else if (status == GMS_OK &&
                   !gms_sweep_is_numeric(row->values[i], &number)) {
            gatherer->is_number[i] = 0;
        }
    }
    free(directory);
    return status;
}

static void gms_sweep_clear_rows(gms_sweep_gatherer_t *gatherer)
{
    uint64_t run;
    size_t i;

    for (run = 0; gatherer->rows != NULL && run < gatherer->sweep->runs;
         ++run) {
        char **values = gatherer->rows[run].values;

        for (i = 0; values != NULL && i < gatherer->sweep->result_count; ++i) {
            free(values[i]);
        }
        free(values);
    }
    free(gatherer->rows);
    free(gatherer->is_number);
    free(gatherer->numbers);
}

static gms_status_t gms_sweep_read_rows(gms_sweep_gatherer_t *gatherer)
{
    const gms_sweep_t *sweep = gatherer->sweep;
    gms_status_t status = GMS_OK;
    uint64_t run;
    size_t i;

    gatherer->rows = calloc(sweep->runs, sizeof(*gatherer->rows));
    gatherer->is_number =
        calloc(sweep->result_count, sizeof(*gatherer->is_number));
    gatherer->numbers = calloc(sweep->repetitions, sizeof(*gatherer->numbers));
    if (gatherer->rows == NULL || gatherer->is_number == NULL ||
        gatherer->numbers == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < sweep->result_count; ++i) {
        gatherer->is_number[i] = 1;
    }
    for (run = 0; run < sweep->runs && status == GMS_OK; ++run) {
        status = gms_sweep_read_row(gatherer, run);
    }
    return status;
}

/* ---- writing ---- */

static void gms_sweep_put_names(FILE *out, const gms_sweep_t *sweep)
{
    size_t i;

    for (i = 0; i < sweep->variable_count; ++i) {
        gms_sweep_put_field(out, sweep->variables[i].name);
        fputc(',', out);
    }
}

static void gms_sweep_put_values(FILE *out, const gms_sweep_t *sweep,
                                 uint64_t run)
{
    size_t i;

    for (i = 0; i < sweep->variable_count; ++i) {
        gms_sweep_put_field(out,
                            gms_sweep_value(sweep, &sweep->variables[i], run));
        fputc(',', out);
    }
}

static void gms_sweep_put_rows(FILE *out, gms_sweep_gatherer_t *gatherer)
{
    static const char *const stages[] = {"missing", "done", "failed"};
    const gms_sweep_t *sweep = gatherer->sweep;
    uint64_t run;
    size_t i;

    fputs("point,", out);
    gms_sweep_put_names(out, sweep);
    fputs("seed,", out);
    for (i = 0; i < sweep->result_count; ++i) {
        gms_sweep_put_field(out, sweep->results[i].name);
        fputc(',', out);
    }
    fputs("status\n", out);
    for (run = 0; run < sweep->runs; ++run) {
        const gms_sweep_row_t *row = &gatherer->rows[run];

        fprintf(out, "%" PRIu64 ",", run + 1);
        gms_sweep_put_values(out, sweep, run);
        fprintf(out, "%" PRIu64 ",", gms_sweep_seed(sweep, run));
        for (i = 0; i < sweep->result_count; ++i) {
            if (row->values != NULL && row->values[i] != NULL) {
                gms_sweep_put_field(out, row->values[i]);
            }
            fputc(',', out);
        }
        fprintf(out, "%s\n", stages[row->status.stage]);
    }
}

/** Computes the statistics of a result over all repetitions of a point.
 *  @return number of values; without a value, the function sets nothing, and
 *    with one value, it sets only the mean */
static size_t gms_sweep_point(gms_sweep_gatherer_t *gatherer, uint64_t first,
                              size_t result, double *mean_p,
                              double *deviation_p, double *half_p)
{
    size_t count = 0;
    uint64_t i;

    for (i = 0; i < gatherer->sweep->repetitions; ++i) {
        const gms_sweep_row_t *row = &gatherer->rows[first + i];

        if (row->status.stage == GMS_SWEEP_DONE) {
            gatherer->numbers[count++] = strtod(row->values[result], NULL);
        }
    }
    if (count > 0) {
        gms_sweep_statistics(gatherer->numbers, count, mean_p, deviation_p,
                             half_p);
    }
    return count;
}

static void gms_sweep_put_statistics(FILE *out, gms_sweep_gatherer_t *gatherer,
                                     uint64_t first, size_t result)
{
    double mean = 0, deviation = 0, half = 0;
    size_t count =
        gms_sweep_point(gatherer, first, result, &mean, &deviation, &half);

    if (count == 0) {
        fputs(",,,", out);
        return;
    }
    fprintf(out, ",%.10g", mean);
    if (count > 1) {
        fprintf(out, ",%.10g,%.10g", deviation, half);
    } else {
        fputs(",,", out);
    }
}

static void gms_sweep_put_summary(FILE *out, gms_sweep_gatherer_t *gatherer)
{
    const gms_sweep_t *sweep = gatherer->sweep;
    uint64_t first, i, done;
    size_t k;

    gms_sweep_put_names(out, sweep);
    fputs("runs", out);
    for (k = 0; k < sweep->result_count; ++k) {
        if (gatherer->is_number[k]) {
            const char *name = sweep->results[k].name;

            fprintf(out, ",%s_mean,%s_sd,%s_ci95", name, name, name);
        }
    }
    fputc('\n', out);
    for (first = 0; first < sweep->runs; first += sweep->repetitions) {
        for (i = 0, done = 0; i < sweep->repetitions; ++i) {
            done += gatherer->rows[first + i].status.stage == GMS_SWEEP_DONE;
        }
        gms_sweep_put_values(out, sweep, first);
        fprintf(out, "%" PRIu64, done);
        for (k = 0; k < sweep->result_count; ++k) {
            if (gatherer->is_number[k]) {
                gms_sweep_put_statistics(out, gatherer, first, k);
            }
        }
        fputc('\n', out);
    }
}

static gms_status_t
gms_sweep_write_csv(gms_sweep_gatherer_t *gatherer, const char *path,
                    void (*put)(FILE *, gms_sweep_gatherer_t *))
{
    gms_status_t status = GMS_ERR_NO_MEMORY;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    if (out != NULL) {
        put(out, gatherer);
        if (fclose(out) == 0) {
            status = gms_sweep_write_file(path, text);
        }
        free(text);
    }
    if (status != GMS_OK) {
        (void)snprintf(gatherer->error, GMS_YAML_ERROR_LEN, "%s: %s", path,
                       (status == GMS_ERR_SYSTEM) ? strerror(errno)
                                                  : "out of memory");
    }
    return status;
}

static void gms_sweep_tell(const gms_sweep_gatherer_t *gatherer,
                           const gms_sweep_listener_t *listener,
                           gms_sweep_count_t *count)
{
    uint64_t run;
    size_t i;

    memset(count, 0, sizeof(*count));
    for (run = 0; run < gatherer->sweep->runs; ++run) {
        const gms_sweep_status_t *status = &gatherer->rows[run].status;

        switch (status->stage) {
        case GMS_SWEEP_DONE:
            ++count->done;
            break;
        case GMS_SWEEP_FAILED:
            ++count->failed;
            listener->problem(listener->context, run, status->text);
            break;
        case GMS_SWEEP_OPEN:
            ++count->open;
            listener->problem(listener->context, run, NULL);
            break;
        }
    }
    for (i = 0; i < gatherer->sweep->result_count; ++i) {
        count->texts +=
            !gatherer->is_number[i] && !gatherer->sweep->results[i].is_optional;
    }
}

static void gms_sweep_tell_means(gms_sweep_gatherer_t *gatherer,
                                 const gms_sweep_listener_t *listener)
{
    const gms_sweep_t *sweep = gatherer->sweep;
    uint64_t first;
    size_t i;

    for (i = 0; listener->mean != NULL && i < sweep->result_count; ++i) {
        for (first = 0; gatherer->is_number[i] && first < sweep->runs;
             first += sweep->repetitions) {
            double mean = 0, deviation = 0, half = 0;

            if (gms_sweep_point(gatherer, first, i, &mean, &deviation, &half) >
                0) {
                listener->mean(listener->context, i, first, mean, half);
            }
        }
    }
}

gms_status_t gms_sweep_gather(const gms_sweep_t *sweep,
                              const gms_sweep_state_t *state, const char *csv,
                              const char *summary,
                              const gms_sweep_listener_t *listener,
                              gms_sweep_count_t *count,
                              char error[GMS_YAML_ERROR_LEN])
{
    gms_sweep_gatherer_t gatherer = {
        .sweep = sweep, .state = state, .error = error};
    gms_status_t status = gms_sweep_read_rows(&gatherer);

    if (status != GMS_OK) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN, "out of memory");
    } else {
        status = gms_sweep_write_csv(&gatherer, csv, gms_sweep_put_rows);
    }
    if (status == GMS_OK) {
        status = gms_sweep_write_csv(&gatherer, summary, gms_sweep_put_summary);
    }
    if (status == GMS_OK) {
        gms_sweep_tell(&gatherer, listener, count);
        gms_sweep_tell_means(&gatherer, listener);
    }
    gms_sweep_clear_rows(&gatherer);
    return status;
}
