/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the lines of a ping-pong table, recognises the format, and checks the
 * numbers. The file table_formats.c contains the formats.
 */
#include "fit/table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/line.h"
#include "base/printable.h"
#include "fit/table_int.h"

/* Largest time of a row, us. [chosen: a minute for one message] */
#define GMS_FIT_US_MAX 6e7
/* Longest part of a value that a message quotes, bytes. */
#define GMS_FIT_VALUE_LEN 40

/* Formats in the order in which they are tried. Every line is compared with all
 * formats until a format recognises a line. */
static const gms_fit_format_t *const gms_fit_formats[] = {
    &gms_fit_pingpong, &gms_fit_netgauge, &gms_fit_netgauge_short,
    &gms_fit_osu,      &gms_fit_imb,      &gms_fit_csv,
};

#define GMS_FIT_FORMATS (sizeof(gms_fit_formats) / sizeof(gms_fit_formats[0]))

gms_status_t gms_fit_table_fail(gms_fit_reader_t *reader, size_t line,
                                const char *format, ...)
{
    size_t used;
    va_list args;

    if (line > 0) {
        (void)snprintf(reader->error, GMS_FIT_ERROR_LEN,
                       "%.300s:%zu: ", reader->path, line);
    } else {
        (void)snprintf(reader->error, GMS_FIT_ERROR_LEN,
                       "%.300s: ", reader->path);
    }
    used = strlen(reader->error);
    va_start(args, format);
    (void)vsnprintf(reader->error + used, GMS_FIT_ERROR_LEN - used, format,
                    args);
    va_end(args);
    (void)gms_printable_here(reader->error);
    return GMS_ERR_CONFIG;
}

size_t gms_fit_table_words(char *line, char **words, size_t most)
{
    size_t count = 0;
    char *rest = NULL, *word;

    for (word = strtok_r(line, " \t", &rest); word != NULL;
         word = strtok_r(NULL, " \t", &rest)) {
        if (count < most) {
            words[count] = word;
        }
        ++count;
    }
    return count;
}

/* ---- rows ---- */

/** Read a time. @return 0 if the text is not a finite positive number */
static int gms_fit_table_time(const char *text, double factor, double *us_p)
{
    char *end;
    double us;

    if (text[0] != '.' && (text[0] < '0' || text[0] > '9')) {
        return 0; /* strtod() would accept signs, blanks and "inf" */
    }
    us = strtod(text, &end) * factor;
    if (*end != '\0' || !isfinite(us) || us <= 0 || us > GMS_FIT_US_MAX) {
        return 0;
    }
    *us_p = us;
    return 1;
}

/** Read a message size. @return 0 if the text is not a number of bytes */
static int gms_fit_table_bytes(const char *text, uint64_t *bytes_p)
{
    char *end;

    if (text[0] < '0' || text[0] > '9') {
        return 0;
    }
    errno = 0;
    *bytes_p = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *bytes_p <= GMS_FIT_BYTES_MAX;
}

static gms_status_t gms_fit_table_bad(gms_fit_reader_t *reader,
                                      const char *what, const char *text,
                                      const char *allowed)
{
    char value[GMS_FIT_VALUE_LEN + 1];

    return gms_fit_table_fail(
        reader, reader->line, "%s '%s' is invalid; allowed: %s", what,
        gms_printable(text, value, sizeof(value)), allowed);
}

/** Check the quartiles of a row. */
static gms_status_t gms_fit_table_quartiles(gms_fit_reader_t *reader,
                                            gms_fit_row_t *row, const char *low,
                                            const char *high, double factor)
{
    if (low == NULL || high == NULL) {
        return GMS_OK;
    }
    if (!gms_fit_table_time(low, factor, &row->low_us)) {
        return gms_fit_table_bad(reader, "quartile", low,
                                 "microseconds, more than 0");
    }
    if (!gms_fit_table_time(high, factor, &row->high_us)) {
        return gms_fit_table_bad(reader, "quartile", high,
                                 "microseconds, more than 0");
    }
    if (row->low_us > row->high_us) {
        return gms_fit_table_fail(
            reader, row->line,
            "the first quartile %s is larger than the third quartile", low);
    }
    return GMS_OK;
}

/** Insert a row at its position in the order of the sizes. */
static gms_status_t gms_fit_table_insert(gms_fit_reader_t *reader,
                                         const gms_fit_row_t *row)
{
    gms_fit_table_t *table = reader->table;
    size_t i = table->count;

    if (table->count == GMS_FIT_ROWS_MAX) {
        return gms_fit_table_fail(
            reader, reader->line,
            "the table has too many sizes; allowed: up to %u",
            GMS_FIT_ROWS_MAX);
    }
    while (i > 0 && table->rows[i - 1].bytes >= row->bytes) {
        --i;
    }
    if (i < table->count && table->rows[i].bytes == row->bytes) {
        return gms_fit_table_fail(
            reader, reader->line,
            "size %llu is given twice, first on line %zu; a table has one row "
            "per size",
            (unsigned long long)row->bytes, table->rows[i].line);
    }
    memmove(&table->rows[i + 1], &table->rows[i],
            (table->count - i) * sizeof(*row));
    table->rows[i] = *row;
    ++table->count;
    return GMS_OK;
}

gms_status_t gms_fit_table_add(gms_fit_reader_t *reader, const char *bytes,
                               const char *time, const char *low,
                               const char *high, double factor)
{
    gms_fit_row_t row = {.line = reader->line};
    gms_status_t status;

    if (!gms_fit_table_bytes(bytes, &row.bytes)) {
        return gms_fit_table_bad(reader, "message size", bytes,
                                 "0..67108864 bytes");
    }
    if (row.bytes == 0) {
        ++reader->table->empty;
        return GMS_OK;
    }
    if (!gms_fit_table_time(time, factor, &row.us)) {
        return gms_fit_table_bad(reader, "time", time,
                                 "microseconds, more than 0");
    }
    status = gms_fit_table_quartiles(reader, &row, low, high, factor);
    return status == GMS_OK ? gms_fit_table_insert(reader, &row) : status;
}

/* ---- lines ---- */

/** Find the first line that is typical of a format, and select this format. */
static void gms_fit_table_recognise(gms_fit_reader_t *reader, const char *line)
{
    size_t i;

    for (i = 0; i < GMS_FIT_FORMATS && reader->format == NULL; ++i) {
        if (gms_fit_formats[i]->is_mine(line)) {
            reader->format = gms_fit_formats[i];
        }
    }
}

static gms_status_t gms_fit_table_line(gms_fit_reader_t *reader, char *line)
{
    if (reader->format == NULL) {
        gms_fit_table_recognise(reader, line);
    }
    if (reader->format == NULL || reader->is_over) {
        return GMS_OK;
    }
    return reader->format->read(reader, line);
}

/** Read all lines. */
static gms_status_t gms_fit_table_lines(gms_fit_reader_t *reader, FILE *file)
{
    gms_status_t status = GMS_OK;
    size_t room = 0, total = 0;
    char *line = NULL;
    ssize_t length;

    while (status == GMS_OK &&
           (length = gms_read_line(file, &line, &room, GMS_FIT_LINE_BYTES)) !=
               0) {
        ++reader->line;
        if (length < 0) {
            status = gms_fit_table_fail(
                reader, reader->line, "%s",
                errno == EFBIG ? "the line is longer than 4096 bytes"
                               : strerror(errno));
            break;
        }
        total += (size_t)length;
        if (total > GMS_FIT_FILE_BYTES) {
            status =
                gms_fit_table_fail(reader, 0, "the file is larger than 4 MiB");
            break;
        }
        reader->table->checksum =
            gms_checksum(reader->table->checksum, line, (size_t)length);
        line[strcspn(line, "\r\n")] = '\0';
        status = gms_fit_table_line(reader, line);
    }
    free(line);
    if (status == GMS_OK && ferror(file)) {
        status = gms_fit_table_fail(reader, 0, "%s", strerror(errno));
    }
    return status;
}

static gms_status_t gms_fit_table_end(gms_fit_reader_t *reader)
{
    if (reader->format != NULL && reader->format != &gms_fit_csv &&
        reader->where != NULL) {
        return gms_fit_table_fail(reader, 0,
                                  "rows can be selected only in a CSV file; "
                                  "this file has the format %s",
                                  reader->format->name);
    }
    if (reader->format == NULL) {
        return gms_fit_table_fail(
            reader, 0,
            "not a ping-pong table; allowed: output of netgauge (one_one), "
            "osu_latency, IMB PingPong or mpi-pingpong, or CSV with the "
            "columns bytes and half_round_trip_us");
    }
    if (reader->table->count == 0) {
        return gms_fit_table_fail(reader, 0,
                                  "the file has the format %s, but it contains "
                                  "no row for a message of at least 1 byte",
                                  reader->format->name);
    }
    reader->table->format = reader->format->name;
    reader->table->statistic = reader->format->statistic;
    return GMS_OK;
}

gms_status_t gms_fit_table_load(const char *path, const gms_fit_where_t *where,
                                gms_fit_table_t *table,
                                char error[GMS_FIT_ERROR_LEN])
{
    gms_fit_table_t *draft = calloc(1, sizeof(*draft));
    gms_fit_reader_t reader = {.path = path,
                               .where = where,
                               .table = draft,
                               .error = error,
                               .factor = 1};
    gms_status_t status;
    FILE *file;

    if (draft == NULL) {
        return gms_fit_table_fail(&reader, 0, "out of memory");
    }
    file = fopen(path, "r");
    if (file == NULL) {
        status = gms_fit_table_fail(&reader, 0, "%s", strerror(errno));
    } else {
        status = gms_fit_table_lines(&reader, file);
        (void)fclose(file);
    }
    if (status == GMS_OK) {
        status = gms_fit_table_end(&reader);
    }
    if (status == GMS_OK) {
        *table = *draft;
    }
    free(draft);
    return status;
}
