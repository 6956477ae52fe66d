/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Builds a result from the records of an experiment. This file attaches the
 * printed reference or the experiment's own expected value to every row, and
 * compares the row with this value.
 */
#include "experiments/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/student.h"
#include "experiments/grow.h"

const char *gms_row_kind_name(enum gms_row_kind kind)
{
    switch (kind) {
    case GMS_ROW_REPORTED:
        return "reported";
    case GMS_ROW_WITHIN:
        return "within";
    case GMS_ROW_AT_MOST:
        return "at_most";
    case GMS_ROW_AT_LEAST:
        return "at_least";
    }
    return "unknown";
}

enum gms_row_verdict gms_row_verdict(const gms_row_t *row)
{
    if (row->known != NULL) {
        return row->is_ok ? GMS_VERDICT_CHANGED : GMS_VERDICT_KNOWN;
    }
    if (!row->is_ok) {
        return GMS_VERDICT_NOT_OK;
    }
    return row->has_reference && row->kind != GMS_ROW_REPORTED
               ? GMS_VERDICT_OK
               : GMS_VERDICT_NONE;
}

const char *gms_row_verdict_name(enum gms_row_verdict verdict)
{
    static const char *const names[GMS_VERDICT_COUNT] = {
        [GMS_VERDICT_NONE] = "-",
        [GMS_VERDICT_OK] = "ok",
        [GMS_VERDICT_KNOWN] = "known",
        [GMS_VERDICT_NOT_OK] = "NOT OK",
        [GMS_VERDICT_CHANGED] = "CHANGED"};

    return names[verdict];
}

const char *gms_row_basis_name(unsigned basis)
{
    static const char *const names[GMS_BASIS_COUNT] = {
        [GMS_BASIS_NONE] = "",
        [GMS_BASIS_CALIBRATED] = "calibrated",
        [GMS_BASIS_FITTED] = "fitted",
        [GMS_BASIS_PREDICTED] = "predicted"};

    return (basis < GMS_BASIS_COUNT) ? names[basis] : "";
}

double gms_row_half_width(const gms_row_t *row)
{
    double degrees = row->seeds - 1.0;

    return (row->seeds < 2) ? 0
                            : gms_student_95(row->seeds - 1) *
                                  sqrt(row->squares / degrees / row->seeds);
}

/** Return the result's own copy of a string. Equal strings share one copy. */
static const char *gms_result_name(gms_result_t *result, const char *name)
{
    size_t i;
    char **names;

    /* the search starts at the end, because successive points usually belong to
     * the same curve */
    for (i = result->name_count; i > 0; --i) {
        if (strcmp(result->names[i - 1], name) == 0) {
            return result->names[i - 1];
        }
    }
    names = gms_grow(result->names, result->name_count, &result->name_room,
                     sizeof(*names));
    if (names == NULL) {
        return NULL;
    }
    result->names = names;
    names[result->name_count] = strdup(name);
    if (names[result->name_count] == NULL) {
        return NULL;
    }
    return names[result->name_count++];
}

/* ---- rows ---- */

static void gms_row_judge(gms_row_t *row)
{
    double difference = row->value - row->reference;

    row->deviation_percent =
        (row->reference != 0.0) ? 100.0 * difference / row->reference : 0.0;
    switch (row->kind) {
    case GMS_ROW_WITHIN:
        row->is_ok = fabs(difference) <=
                     fabs(row->reference) * row->tolerance_percent / 100.0;
        break;
    case GMS_ROW_AT_MOST:
        row->is_ok = row->value <= row->reference;
        break;
    case GMS_ROW_AT_LEAST:
        row->is_ok = row->value >= row->reference;
        break;
    case GMS_ROW_REPORTED:
        row->is_ok = 1;
        break;
    }
    /* a value that is not a number (NaN) never passes */
    row->is_ok = row->is_ok && !isnan(row->value);
}

static gms_row_t *gms_result_new_row(gms_result_t *result, const char *series,
                                     const char *setting, const char *quantity,
                                     const char *unit)
{
    gms_row_t *rows = gms_grow(result->rows, result->row_count,
                               &result->row_room, sizeof(*rows));
    gms_row_t *row;

    if (rows == NULL) {
        return NULL;
    }
    result->rows = rows;
    row = &rows[result->row_count];
    memset(row, 0, sizeof(*row));
    row->series = gms_result_name(result, series);
    row->setting = gms_result_name(result, setting);
    row->quantity = gms_result_name(result, quantity);
    row->unit = gms_result_name(result, unit);
    if (row->series == NULL || row->setting == NULL || row->quantity == NULL ||
        row->unit == NULL) {
        return NULL;
    }
    ++result->row_count;
    return row;
}

static void gms_row_refer(gms_row_t *row, const gms_reference_t *reference)
{
    double size = fabs(reference->value) / 100.0;

    row->has_reference = 1;
    row->kind = reference->kind;
    row->reference = reference->value;
    row->tolerance_percent = reference->tolerance_percent;
    if (size > 0.0) {
        row->tolerance_percent =
            fmax(row->tolerance_percent, reference->digit / size);
    }
    row->source = reference->source;
    gms_row_judge(row);
}

/** If the row is known not to reproduce its reference, store the page that
 *  explains the reason. */
static gms_status_t gms_result_find_known(gms_result_t *result,
                                          const gms_references_t *references,
                                          gms_row_t *row)
{
    const char *page =
        gms_references_known(references, result->experiment->name, row->series,
                             row->setting, row->quantity);

    row->known = page != NULL ? gms_result_name(result, page) : NULL;
    return page != NULL && row->known == NULL ? GMS_ERR_NO_MEMORY : GMS_OK;
}

/** Add the value of another seed to a row. The value of the row becomes the
 *  mean over the seeds. */
static void gms_row_add_seed(gms_row_t *row, double value)
{
    double before = value - row->value;

    ++row->seeds;
    row->value += before / row->seeds;
    row->squares += before * (value - row->value);
    row->is_ok = !isnan(row->value);
    if (row->has_reference) {
        gms_row_judge(row);
    }
}

/** Find the row to which another seed's record belongs. Return NULL if the
 *  record is the first record of its row. */
static gms_row_t *gms_result_same_row(gms_result_t *result,
                                      const gms_record_t *record)
{
    size_t i;

    for (i = 0; record->seed > 1 && i < result->row_count; ++i) {
        gms_row_t *row = &result->rows[i];

        if (strcmp(row->series, record->series) == 0 &&
            strcmp(row->setting, record->setting) == 0 &&
            strcmp(row->quantity, record->quantity) == 0) {
            return row;
        }
    }
    return NULL;
}

static gms_status_t gms_result_take_row(gms_result_t *result,
                                        const gms_references_t *references,
                                        const gms_record_t *record)
{
    gms_row_t *row = gms_result_same_row(result, record);
    const gms_reference_t *reference;

    if (row != NULL) {
        gms_row_add_seed(row, record->value);
        return GMS_OK;
    }
    row = gms_result_new_row(result, record->series, record->setting,
                             record->quantity, record->unit);
    if (row == NULL ||
        gms_result_find_known(result, references, row) != GMS_OK) {
        return GMS_ERR_NO_MEMORY;
    }
    row->value = record->value;
    row->seeds = (record->seed > 0) ? 1 : 0;
    row->basis = record->basis;
    row->standard_error = record->standard_error;
    row->is_ok = !isnan(record->value);
    if (record->kind == GMS_RECORD_CHECK) {
        row->has_reference = 1;
        row->is_own = 1;
        row->kind = (enum gms_row_kind)record->row_kind;
        row->reference = record->expected;
        row->tolerance_percent = record->tolerance_percent;
        gms_row_judge(row);
        return GMS_OK;
    }
    reference = gms_references_find(references, result->experiment->name,
                                    row->series, row->setting, row->quantity);
    if (reference != NULL) {
        gms_row_refer(row, reference);
    }
    return GMS_OK;
}

const gms_row_t *gms_result_row(const gms_result_t *result, const char *series,
                                const char *setting, const char *quantity)
{
    size_t i;

    for (i = 0; i < result->row_count; ++i) {
        const gms_row_t *row = &result->rows[i];

        if (strcmp(row->series, series) == 0 &&
            strcmp(row->setting, setting) == 0 &&
            strcmp(row->quantity, quantity) == 0) {
            return row;
        }
    }
    return NULL;
}

/** The list of known differences may contain rows that the experiment no longer
 *  reports. Add a failed row for each of them. */
static gms_status_t
gms_result_complete_known(gms_result_t *result,
                          const gms_references_t *references)
{
    size_t i;

    for (i = 0; i < references->known_count; ++i) {
        const gms_known_t *known = &references->known[i];
        gms_row_t *row;

        if (strcmp(known->experiment, result->experiment->name) != 0 ||
            gms_result_row(result, known->series, known->setting,
                           known->quantity) != NULL) {
            continue;
        }
        row = gms_result_new_row(result, known->series, known->setting,
                                 known->quantity, "");
        if (row == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        row->value = (double)NAN;
        row->is_ok = 0;
    }
    return GMS_OK;
}

gms_status_t gms_result_complete(gms_result_t *result,
                                 const gms_references_t *references)
{
    size_t i;

    for (i = 0; i < references->count; ++i) {
        const gms_reference_t *reference = &references->rows[i];
        gms_row_t *row;

        if (strcmp(reference->experiment, result->experiment->name) != 0 ||
            gms_result_row(result, reference->series, reference->setting,
                           reference->quantity) != NULL) {
            continue;
        }
        row = gms_result_new_row(result, reference->series, reference->setting,
                                 reference->quantity, reference->unit);
        if (row == NULL) {
            return GMS_ERR_NO_MEMORY;
        }
        row->value = (double)NAN;
        gms_row_refer(row, reference);
    }
    return gms_result_complete_known(result, references);
}

size_t gms_result_count(const gms_result_t *result,
                        enum gms_row_verdict verdict)
{
    size_t i, count = 0;

    for (i = 0; i < result->row_count; ++i) {
        count += gms_row_verdict(&result->rows[i]) == verdict;
    }
    return count;
}

size_t gms_result_bad_rows(const gms_result_t *result)
{
    return gms_result_count(result, GMS_VERDICT_NOT_OK) +
           gms_result_count(result, GMS_VERDICT_CHANGED);
}

/* ---- curves, notes, log ---- */

static gms_curve_t *gms_result_curve(gms_result_t *result, const char *name)
{
    gms_curve_t *curves;
    size_t i;

    for (i = 0; i < result->curve_count; ++i) {
        if (strcmp(result->curves[i].name, name) == 0) {
            return &result->curves[i];
        }
    }
    curves = gms_grow(result->curves, result->curve_count, &result->curve_room,
                      sizeof(*curves));
    if (curves == NULL) {
        return NULL;
    }
    result->curves = curves;
    memset(&curves[i], 0, sizeof(curves[i]));
    curves[i].name = gms_result_name(result, name);
    if (curves[i].name == NULL) {
        return NULL;
    }
    ++result->curve_count;
    return &curves[i];
}

/** Merge the point of another seed into the point of the first seed. The y of this
 *  point becomes the mean over the seeds. @return 0 if the first seed has no
 *  such point */
static int gms_curve_add_seed(gms_curve_t *curve, const gms_record_t *record)
{
    size_t i;

    for (i = 0; record->seed > 1 && i < curve->count; ++i) {
        gms_point_t *point = &curve->points[i];

        if (point->x == record->x) {
            ++point->seeds;
            point->y += (record->value - point->y) / point->seeds;
            return 1;
        }
    }
    return 0;
}

static gms_status_t gms_result_take_point(gms_result_t *result,
                                          const gms_record_t *record)
{
    gms_curve_t *curve = gms_result_curve(result, record->series);
    const char *label = gms_result_name(result, record->setting);
    gms_point_t *points;

    if (curve == NULL || label == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    if (gms_curve_add_seed(curve, record)) {
        return GMS_OK;
    }
    points =
        gms_grow(curve->points, curve->count, &curve->room, sizeof(*points));
    if (points == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    curve->points = points;
    points[curve->count++] = (gms_point_t){.x = record->x,
                                           .y = record->value,
                                           .label = label,
                                           .seeds = (record->seed > 0) ? 1 : 0};
    return GMS_OK;
}

static gms_status_t gms_result_take_log(gms_result_t *result,
                                        const gms_record_t *record)
{
    const char *what = gms_result_name(result, record->series);
    gms_log_entry_t *log = gms_grow(result->log, result->log_count,
                                    &result->log_room, sizeof(*log));

    if (log == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    result->log = log;
    if (what == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    log[result->log_count++] = (gms_log_entry_t){what, record->number};
    return GMS_OK;
}

static gms_status_t gms_result_take_note(gms_result_t *result,
                                         const gms_record_t *record)
{
    char **notes = gms_grow(result->notes, result->note_count,
                            &result->note_room, sizeof(*notes));

    if (notes == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    result->notes = notes;
    notes[result->note_count] = strdup(record->text);
    if (notes[result->note_count] == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    ++result->note_count;
    return GMS_OK;
}

gms_status_t gms_result_take(gms_result_t *result,
                             const gms_references_t *references,
                             const gms_record_t *record)
{
    switch ((enum gms_record_kind)record->kind) {
    case GMS_RECORD_ROW:
    case GMS_RECORD_CHECK:
        return gms_result_take_row(result, references, record);
    case GMS_RECORD_POINT:
        return gms_result_take_point(result, record);
    case GMS_RECORD_LOG:
        return gms_result_take_log(result, record);
    case GMS_RECORD_NOTE:
        return gms_result_take_note(result, record);
    case GMS_RECORD_PROGRESS:
        result->fraction = record->value;
        return GMS_OK;
    case GMS_RECORD_FAILED:
        result->state = GMS_RESULT_FAILED;
        (void)snprintf(result->text, sizeof(result->text), "%s", record->text);
        return GMS_OK;
    case GMS_RECORD_DONE:
        if (result->state == GMS_RESULT_WAITING) {
            result->state = GMS_RESULT_DONE;
        }
        return GMS_OK;
    }
    return GMS_ERR_INVALID_PARAM;
}

void gms_result_clear(gms_result_t *result)
{
    size_t i;

    for (i = 0; i < result->curve_count; ++i) {
        free(result->curves[i].points);
    }
    for (i = 0; i < result->note_count; ++i) {
        free(result->notes[i]);
    }
    for (i = 0; i < result->name_count; ++i) {
        free(result->names[i]);
    }
    free(result->rows);
    free(result->curves);
    free(result->notes);
    free(result->log);
    free(result->names);
    memset(result, 0, sizeof(*result));
}
