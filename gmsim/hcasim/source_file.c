/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads files with a fixed number of values per line, separated by blanks or
 * commas. A `#' starts a comment. Empty lines are ignored.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/line.h"
#include "base/printable.h"
#include "hcasim/source_int.h"

#define GMS_SOURCE_COLUMNS_MAX 3u
#define GMS_SOURCE_LINES_MAX   GMS_LIMIT_TRAFFIC_LINES
/* Maximum size of a frame in bytes. Frames of this size would result in a
 * stream of 16 Gb/s. */
#define GMS_SOURCE_FRAME_BYTES_MAX (UINT64_C(1) << 26)
#define GMS_SOURCE_CYCLE_MAX       (UINT64_C(1) << 53)

/** Name and allowed range of the values in a column. */
typedef struct gms_source_column {
    const char *name;
    uint64_t min, max;
} gms_source_column_t;

typedef struct gms_source_file {
    const char *name;
    unsigned long line;
    const gms_source_column_t *column;
    unsigned columns;
    char *error;
} gms_source_file_t;

/** Format for a word of the file in an error message: at most 40 characters. */
#define GMS_SOURCE_SHOWN "%.40s"

static gms_status_t gms_source_wrong(const gms_source_file_t *file,
                                     const gms_source_column_t *column,
                                     const char *text)
{
    (void)snprintf(file->error, GMS_SOURCE_ERROR_LEN,
                   "%.100s:%lu: '" GMS_SOURCE_SHOWN
                   "' is not a valid %s; allowed: %llu..%llu",
                   file->name, file->line, text, column->name,
                   (unsigned long long)column->min,
                   (unsigned long long)column->max);
    return GMS_ERR_CONFIG;
}

/** Accepts only digits, because strtoull() would accept a sign and wrap a
 *  negative number. */
static int gms_source_number(const char *text, uint64_t *number_p)
{
    char *end;

    if (text[0] == '\0' || strspn(text, "0123456789") != strlen(text)) {
        return 0;
    }
    errno = 0;
    *number_p = strtoull(text, &end, 10);
    return errno == 0;
}

/** Reads the values of a line. @param [out] values values of the columns
 *  @param [out] is_empty_p 1 if the line has no values, otherwise 0 */
static gms_status_t gms_source_parse(const gms_source_file_t *file, char *text,
                                     uint64_t *values, int *is_empty_p)
{
    static const char between[] = " \t\r\n,";
    char *rest = NULL, *word;
    unsigned count = 0;

    text[strcspn(text, "#")] = '\0';
    for (word = strtok_r(text, between, &rest); word != NULL;
         word = strtok_r(NULL, between, &rest)) {
        const gms_source_column_t *column = &file->column[count];

        if (count == file->columns) {
            (void)snprintf(file->error, GMS_SOURCE_ERROR_LEN,
                           "%.100s:%lu: '" GMS_SOURCE_SHOWN
                           "' is unexpected; allowed: %u values per line",
                           file->name, file->line, word, file->columns);
            return GMS_ERR_CONFIG;
        }
        if (!gms_source_number(word, &values[count]) ||
            values[count] < column->min || values[count] > column->max) {
            return gms_source_wrong(file, column, word);
        }
        ++count;
    }
    *is_empty_p = (count == 0);
    if (count > 0 && count < file->columns) {
        (void)snprintf(
            file->error, GMS_SOURCE_ERROR_LEN,
            "%.100s:%lu: %s is missing; expected: %u values per line",
            file->name, file->line, file->column[count].name, file->columns);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

/** Makes room for one more item. If the table is full, the function doubles its
 *  capacity. */
static gms_status_t gms_source_grow(const gms_source_file_t *file, void **items,
                                    size_t count, size_t *capacity, size_t size)
{
    void *more;

    if (count < *capacity) {
        return GMS_OK;
    }
    if (count >= GMS_SOURCE_LINES_MAX) {
        (void)snprintf(
            file->error, GMS_SOURCE_ERROR_LEN,
            "%.100s:%lu: the file is too long; allowed: at most %zu lines",
            file->name, file->line, GMS_SOURCE_LINES_MAX);
        return GMS_ERR_CONFIG;
    }
    more = realloc(*items, (*capacity * 2 + 64) * size);
    if (more == NULL) {
        (void)snprintf(file->error, GMS_SOURCE_ERROR_LEN,
                       "%.100s: out of memory (%zu lines)", file->name, count);
        return GMS_ERR_NO_MEMORY;
    }
    *items = more;
    *capacity = *capacity * 2 + 64;
    return GMS_OK;
}

typedef gms_status_t (*gms_source_take_t)(gms_source_t *source,
                                          const gms_source_file_t *file,
                                          size_t *capacity,
                                          const uint64_t *values);

static gms_status_t gms_source_read_lines(gms_source_t *source,
                                          gms_source_file_t *file, FILE *stream,
                                          gms_source_take_t take)
{
    uint64_t values[GMS_SOURCE_COLUMNS_MAX] = {0};
    gms_status_t status = GMS_OK;
    size_t capacity = 0, room = 0;
    char *text = NULL;
    ssize_t length;
    int is_empty;

    while (status == GMS_OK &&
           (length = gms_read_line(stream, &text, &room,
                                   GMS_LIMIT_TRAFFIC_LINE_BYTES)) != 0) {
        ++file->line;
        if (length < 0 && errno == ENOMEM) {
            (void)snprintf(file->error, GMS_SOURCE_ERROR_LEN,
                           "%.100s:%lu: out of memory", file->name, file->line);
            status = GMS_ERR_NO_MEMORY;
            break;
        }
        if (length < 0 || file->line > GMS_LIMIT_TRAFFIC_LINES) {
            (void)snprintf(
                file->error, GMS_SOURCE_ERROR_LEN,
                "%.100s:%lu: the line or the file is too long; "
                "allowed: lines of up to %zu bytes, and up to %zu lines",
                file->name, file->line, GMS_LIMIT_TRAFFIC_LINE_BYTES,
                GMS_LIMIT_TRAFFIC_LINES);
            status = GMS_ERR_CONFIG;
            break;
        }
        if (strlen(text) != (size_t)length) {
            (void)snprintf(
                file->error, GMS_SOURCE_ERROR_LEN,
                "%.100s:%lu: the line contains a zero byte; allowed: text",
                file->name, file->line);
            status = GMS_ERR_CONFIG;
            break;
        }
        is_empty = 1;
        status = gms_source_parse(file, text, values, &is_empty);
        if (status == GMS_OK && !is_empty) {
            status = take(source, file, &capacity, values);
        }
    }
    if (status == GMS_OK && ferror(stream)) {
        (void)snprintf(file->error, GMS_SOURCE_ERROR_LEN, "%.100s: %s",
                       file->name, strerror(errno));
        status = GMS_ERR_SYSTEM;
    }
    free(text);
    return status;
}

static gms_status_t gms_source_read(gms_source_t *source,
                                    gms_source_file_t *file,
                                    gms_source_take_t take)
{
    FILE *stream = fopen(file->name, "re");
    gms_status_t status;

    if (stream == NULL) {
        (void)snprintf(file->error, GMS_SOURCE_ERROR_LEN, "%.100s: %s",
                       file->name, strerror(errno));
        return GMS_ERR_SYSTEM;
    }
    status = gms_source_read_lines(source, file, stream, take);
    if (status != GMS_OK) {
        (void)gms_printable_here(file->error);
    }
    (void)fclose(stream);
    if (status == GMS_OK && source->frame_bytes_count == 0 &&
        source->lines == 0) {
        (void)snprintf(file->error, GMS_SOURCE_ERROR_LEN,
                       "%.100s: the file has no line with a number",
                       file->name);
        return GMS_ERR_CONFIG;
    }
    return status;
}

/* ---- frame sizes ---- */

static gms_status_t gms_source_take_frame(gms_source_t *source,
                                          const gms_source_file_t *file,
                                          size_t *capacity,
                                          const uint64_t *values)
{
    void *items = source->frame_bytes;
    gms_status_t status =
        gms_source_grow(file, &items, source->frame_bytes_count, capacity,
                        sizeof(source->frame_bytes[0]));

    source->frame_bytes = items;
    if (status == GMS_OK) {
        source->frame_bytes[source->frame_bytes_count++] = (uint32_t)values[0];
    }
    return status;
}

gms_status_t gms_source_read_frames(gms_source_t *source, const char *name,
                                    char error[GMS_SOURCE_ERROR_LEN])
{
    static const gms_source_column_t column = {"frame size in bytes", 1,
                                               GMS_SOURCE_FRAME_BYTES_MAX};
    gms_source_file_t file = {
        .name = name, .column = &column, .columns = 1, .error = error};

    return gms_source_read(source, &file, gms_source_take_frame);
}

/* ---- traces ---- */

static gms_status_t gms_source_take_line(gms_source_t *source,
                                         const gms_source_file_t *file,
                                         size_t *capacity,
                                         const uint64_t *values)
{
    void *items = source->line;
    gms_status_t status;

    if (source->lines > 0 &&
        values[0] < source->line[source->lines - 1].cycle) {
        (void)snprintf(
            file->error, GMS_SOURCE_ERROR_LEN,
            "%.100s:%lu: cycle %llu follows cycle %llu; allowed: the cycle of "
            "the previous line, or a later cycle",
            file->name, file->line, (unsigned long long)values[0],
            (unsigned long long)source->line[source->lines - 1].cycle);
        return GMS_ERR_CONFIG;
    }
    status = gms_source_grow(file, &items, source->lines, capacity,
                             sizeof(source->line[0]));
    source->line = items;
    if (status == GMS_OK) {
        source->line[source->lines++] = (gms_source_line_t){
            values[0], (uint32_t)values[1], (uint32_t)values[2]};
    }
    return status;
}

gms_status_t gms_source_read_trace(gms_source_t *source, const char *name,
                                   char error[GMS_SOURCE_ERROR_LEN])
{
    const gms_source_column_t column[] = {
        {"cycle", 0, GMS_SOURCE_CYCLE_MAX},
        {"target node", 0, source->config.target.nodes - 1},
        {"number of flits", 1, UINT16_MAX}};
    gms_source_file_t file = {
        .name = name, .column = column, .columns = 3, .error = error};

    if (name == NULL) {
        (void)snprintf(error, GMS_SOURCE_ERROR_LEN,
                       "a trace source requires a file");
        return GMS_ERR_CONFIG;
    }
    return gms_source_read(source, &file, gms_source_take_line);
}
