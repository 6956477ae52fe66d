/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contains the gms_lab_*() functions. With these functions, the process of an
 * experiment sends every finding, curve point, note and progress report through
 * a pipe as a record of fixed size. In the collecting process, pool.c reads the
 * records and result.c stores them.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "experiments/experiment.h"
#include "experiments/result.h"

/* Send a record to the collecting process. If the collecting process has closed
 * the pipe, SIGPIPE ends this process, whose results are no longer needed. */
static void gms_lab_send(const gms_lab_t *lab, const gms_record_t *record)
{
    const char *next = (const char *)record;
    size_t left = sizeof(*record);

    while (left > 0) {
        ssize_t done = write(lab->fd, next, left);

        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return;
        }
        next += done;
        left -= (size_t)done;
    }
}

static void gms_lab_name(char to[GMS_LAB_NAME_LEN], const char *name)
{
    (void)snprintf(to, GMS_LAB_NAME_LEN, "%s", name);
}

static void gms_lab_fill(const gms_lab_t *lab, gms_record_t *record,
                         enum gms_record_kind kind, const char *series,
                         const char *setting, const char *quantity,
                         const char *unit)
{
    memset(record, 0, sizeof(*record));
    record->kind = kind;
    record->seed = lab->seed;
    record->basis = lab->basis;
    gms_lab_name(record->series, series);
    gms_lab_name(record->setting, setting);
    gms_lab_name(record->quantity, quantity);
    gms_lab_name(record->unit, unit);
}

void gms_lab_set_seed(gms_lab_t *lab, unsigned seed, unsigned seeds)
{
    lab->seed = seed;
    lab->seeds = seeds;
}

unsigned gms_lab_seed(const gms_lab_t *lab)
{
    return lab->seed;
}

void gms_lab_set_basis(gms_lab_t *lab, enum gms_row_basis basis)
{
    lab->basis = basis;
}

void gms_lab_row(gms_lab_t *lab, const char *series, const char *setting,
                 const char *quantity, double value, const char *unit)
{
    gms_record_t record;

    gms_lab_fill(lab, &record, GMS_RECORD_ROW, series, setting, quantity, unit);
    record.value = value;
    gms_lab_send(lab, &record);
}

void gms_lab_estimate(gms_lab_t *lab, const char *series, const char *setting,
                      const char *quantity, double value, const char *unit,
                      double standard_error)
{
    gms_record_t record;

    gms_lab_fill(lab, &record, GMS_RECORD_ROW, series, setting, quantity, unit);
    record.value = value;
    record.standard_error = standard_error;
    gms_lab_send(lab, &record);
}

void gms_lab_check(gms_lab_t *lab, const char *series, const char *setting,
                   const char *quantity, double value, const char *unit,
                   enum gms_row_kind kind, double expected,
                   double tolerance_percent)
{
    gms_record_t record;

    gms_lab_fill(lab, &record, GMS_RECORD_CHECK, series, setting, quantity,
                 unit);
    record.value = value;
    record.row_kind = kind;
    record.expected = expected;
    record.tolerance_percent = tolerance_percent;
    gms_lab_send(lab, &record);
}

void gms_lab_point(gms_lab_t *lab, const char *curve, double x, double y,
                   const char *label)
{
    gms_record_t record;

    gms_lab_fill(lab, &record, GMS_RECORD_POINT, curve,
                 (label == NULL) ? "" : label, "", "");
    record.x = x;
    record.value = y;
    gms_lab_send(lab, &record);
}

void gms_lab_log(gms_lab_t *lab, const char *what, uint64_t number)
{
    gms_record_t record;

    gms_lab_fill(lab, &record, GMS_RECORD_LOG, what, "", "", "");
    record.number = number;
    gms_lab_send(lab, &record);
}

void gms_lab_note(gms_lab_t *lab, const char *format, ...)
{
    gms_record_t record;
    va_list arguments;
    int length;

    if (lab->seed > 1) {
        return;
    }
    gms_lab_fill(lab, &record, GMS_RECORD_NOTE, "", "", "", "");
    va_start(arguments, format);
    length = vsnprintf(record.text, sizeof(record.text), format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= sizeof(record.text)) {
        (void)gms_lab_fail(lab, GMS_ERR_INVALID_PARAM,
                           "A note has %d characters, but at most %zu are "
                           "allowed. The note begins: %.80s",
                           length, sizeof(record.text) - 1, record.text);
        return;
    }
    gms_lab_send(lab, &record);
}

void gms_lab_progress(gms_lab_t *lab, double fraction)
{
    gms_record_t record;

    gms_lab_fill(lab, &record, GMS_RECORD_PROGRESS, "", "", "", "");
    record.value =
        (lab->seeds > 0) ? (lab->seed - 1 + fraction) / lab->seeds : fraction;
    gms_lab_send(lab, &record);
}

gms_status_t gms_lab_fail(gms_lab_t *lab, gms_status_t status,
                          const char *format, ...)
{
    gms_record_t record;
    va_list arguments;

    gms_lab_fill(lab, &record, GMS_RECORD_FAILED, "", "", "", "");
    va_start(arguments, format);
    (void)vsnprintf(record.text, sizeof(record.text), format, arguments);
    va_end(arguments);
    gms_lab_send(lab, &record);
    return status;
}
