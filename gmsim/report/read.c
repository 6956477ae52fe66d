/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and checks numbers, strings, lists and .jsonl files. Limits memory and
 * line length. Error messages name the file, the line and the key.
 */
#include "report/read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_memory.h"
#include "base/limits.h"
#include "base/line.h"
#include "base/printable.h"

void gms_report_wrong(gms_report_reader_t *reader, const gms_report_at_t *at,
                      const char *key, const char *format, ...)
{
    char line[32] = "", where[160] = "", why[160];
    const char *colon = "";
    va_list args;

    if (reader->status != GMS_OK) {
        return;
    }
    reader->status = GMS_ERR_CONFIG;
    va_start(args, format);
    (void)vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    if (reader->line > 0) {
        (void)snprintf(line, sizeof(line), ":%u", reader->line);
    }
    if (at != NULL && at->list != NULL) {
        (void)snprintf(where, sizeof(where), "key '%s[%zu]%s%s%s%s'", at->list,
                       at->index, at->part != NULL ? "." : "",
                       at->part != NULL ? at->part : "", key != NULL ? "." : "",
                       key != NULL ? key : "");
    } else if (key != NULL) {
        (void)snprintf(where, sizeof(where), "key '%s%s%s'",
                       at != NULL && at->part != NULL ? at->part : "",
                       at != NULL && at->part != NULL ? "." : "", key);
    }
    if (where[0] != '\0') {
        /* the key is the subject of a sentence that continues with a reason
         * such as "is missing" */
        colon = strncmp(why, "is ", 3) == 0 ? " " : ": ";
    }
    (void)snprintf(reader->error, GMS_REPORT_ERROR_LEN, "%.200s/%s%s: %s%s%s",
                   reader->directory, reader->file, line, where, colon, why);
    (void)gms_printable_here(reader->error);
}

void gms_report_system(gms_report_reader_t *reader, const char *file,
                       const char *why)
{
    reader->status = GMS_ERR_SYSTEM;
    (void)snprintf(reader->error, GMS_REPORT_ERROR_LEN, "%.400s/%s: %s",
                   reader->directory, file, why);
    (void)gms_printable_here(reader->error);
}

void gms_report_no_memory(gms_report_reader_t *reader)
{
    if (reader->status == GMS_OK) {
        reader->status = GMS_ERR_NO_MEMORY;
        (void)snprintf(reader->error, GMS_REPORT_ERROR_LEN,
                       "%.200s/%s: out of memory; raise the limit (ulimit -v, "
                       "ulimit -d)",
                       reader->directory, reader->file);
        (void)gms_printable_here(reader->error);
    }
}

void gms_report_too_large(gms_report_reader_t *reader)
{
    gms_report_wrong(reader, NULL, NULL,
                     "too large: its tables need more than %zu MB of memory",
                     reader->memory_most >> 20);
}

/* Reserves memory for the tables of a record, which share a single limit. */
static int gms_report_take(gms_report_reader_t *reader, size_t count,
                           size_t size)
{
    size_t left = reader->memory_most - reader->memory;

    if (count > left / size) {
        gms_report_too_large(reader);
        return 0;
    }
    reader->memory += count * size;
    return 1;
}

int gms_report_resize(gms_report_reader_t *reader, void **array_p,
                      size_t *room_p, size_t room, size_t size)
{
    void *array;

    if (!gms_report_take(reader, room - *room_p, size)) {
        return 0;
    }
    array = reallocarray(*array_p, room, size);
    if (array == NULL) {
        gms_report_no_memory(reader);
        return 0;
    }
    *array_p = array;
    *room_p = room;
    return 1;
}

int gms_report_room(gms_report_reader_t *reader, void **array_p, size_t *room_p,
                    size_t count, size_t size)
{
    if (reader->status != GMS_OK) {
        return 0;
    }
    return count < *room_p ||
           gms_report_resize(reader, array_p, room_p,
                             *room_p == 0 ? 64 : 2 * *room_p, size);
}

void *gms_report_alloc(gms_report_reader_t *reader, size_t count, size_t size)
{
    void *array = NULL;

    if (!gms_report_take(reader, count, size)) {
        return NULL;
    }
    array = calloc(count > 0 ? count : 1, size);
    if (array == NULL) {
        gms_report_no_memory(reader);
    }
    return array;
}

/* ---- values ---- */

uint64_t gms_report_number(gms_report_reader_t *reader,
                           const gms_report_at_t *at, const json_t *object,
                           const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0) {
        gms_report_wrong(reader, at, key, "%s; expected: a whole number >= 0",
                         value == NULL ? "is missing" : "is invalid");
        return 0;
    }
    return (uint64_t)json_integer_value(value);
}

uint32_t gms_report_below(gms_report_reader_t *reader,
                          const gms_report_at_t *at, const json_t *object,
                          const char *key, uint64_t first, uint64_t end)
{
    uint64_t number = gms_report_number(reader, at, object, key);

    if (number < first || number >= end) {
        gms_report_wrong(reader, at, key, "is %llu; expected: %llu..%llu",
                         (unsigned long long)number, (unsigned long long)first,
                         (unsigned long long)(end > 0 ? end - 1 : 0));
        return (uint32_t)first;
    }
    return (uint32_t)number;
}

double gms_report_real(gms_report_reader_t *reader, const gms_report_at_t *at,
                       const json_t *object, const char *key, int is_needed)
{
    const json_t *value = json_object_get(object, key);

    if (value == NULL && !is_needed) {
        return 0;
    }
    if (!json_is_number(value) || !(json_number_value(value) >= 0)) {
        gms_report_wrong(reader, at, key, "%s; expected: a number >= 0",
                         value == NULL ? "is missing" : "is invalid");
        return 0;
    }
    return json_number_value(value);
}

const char *gms_report_text(gms_report_reader_t *reader,
                            const gms_report_at_t *at, const json_t *object,
                            const char *key, int is_needed)
{
    const json_t *value = json_object_get(object, key);

    if (!is_needed && (value == NULL || json_is_null(value))) {
        return NULL;
    }
    if (!json_is_string(value)) {
        gms_report_wrong(reader, at, key, "%s; expected: a string",
                         value == NULL ? "is missing" : "is invalid");
        return "";
    }
    return json_string_value(value);
}

const json_t *gms_report_list(gms_report_reader_t *reader,
                              const gms_report_at_t *at, const json_t *object,
                              const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_array(value)) {
        gms_report_wrong(reader, at, key, "%s; expected: a list",
                         value == NULL ? "is missing" : "is invalid");
    }
    return value; /* jansson treats all other values as empty */
}

const json_t *gms_report_object(gms_report_reader_t *reader,
                                const gms_report_at_t *at, const json_t *object,
                                const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_object(value)) {
        gms_report_wrong(reader, at, key, "%s; expected: an object",
                         value == NULL ? "is missing" : "is invalid");
    }
    return value;
}

int gms_report_numbers(gms_report_reader_t *reader, const gms_report_at_t *at,
                       const json_t *list, uint64_t *numbers, size_t count)
{
    size_t i;

    if (!json_is_array(list) || json_array_size(list) < count) {
        gms_report_wrong(reader, at, NULL, "expected: a list of %zu numbers",
                         count);
        return 0;
    }
    for (i = 0; i < count; ++i) {
        const json_t *value = json_array_get(list, i);

        if (!json_is_integer(value) || json_integer_value(value) < 0) {
            gms_report_wrong(
                reader, at, NULL,
                "item %zu is not a whole number; expected: numbers "
                ">= 0",
                i + 1);
            return 0;
        }
        numbers[i] = (uint64_t)json_integer_value(value);
    }
    return 1;
}

/* ---- texts ---- */

static int gms_report_is_kept(const char *key)
{
    return strcmp(key, "words") == 0 || strcmp(key, "settings") == 0 ||
           strcmp(key, "text") == 0;
}

void gms_report_clean(gms_report_reader_t *reader, json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_string(value) && !gms_is_printable(json_string_value(value))) {
        char *text = strdup(json_string_value(value));

        if (text == NULL ||
            json_string_set(value, gms_printable_here(text)) != 0) {
            gms_report_no_memory(reader);
        }
        free(text);
    } else if (json_is_array(value)) {
        json_array_foreach(value, i, item)
        {
            gms_report_clean(reader, item);
        }
    } else if (json_is_object(value)) {
        json_object_foreach(value, key, item)
        {
            if (!gms_is_printable(key)) {
                gms_report_wrong(
                    reader, NULL, key,
                    "a key contains characters that cannot be printed");
            }
            if (!gms_report_is_kept(key)) {
                gms_report_clean(reader, item);
            }
        }
    }
}

/* ---- files ---- */

FILE *gms_report_open(gms_report_reader_t *reader, const char *file,
                      uint64_t *bytes_p)
{
    char path[4096];
    struct stat found;
    FILE *stream;

    (void)snprintf(path, sizeof(path), "%s/%s", reader->directory, file);
    stream = stat(path, &found) == 0 && S_ISREG(found.st_mode)
                 ? fopen(path, "re")
                 : NULL;
    if (stream == NULL || fstat(fileno(stream), &found) != 0) {
        gms_report_system(reader, file,
                          errno == 0 ? "is not a regular file"
                                     : strerror(errno));
        if (stream != NULL) {
            (void)fclose(stream);
        }
        return NULL;
    }
    *bytes_p = (uint64_t)found.st_size;
    return stream;
}

/* ---- .jsonl files ---- */

/* Reads the next line, including its line terminator.
 * @return length of the line, or 0 if there is no line */
static size_t gms_report_next_line(gms_report_reader_t *reader, FILE *stream,
                                   char **text_p, size_t *room_p)
{
    ssize_t length =
        gms_read_line(stream, text_p, room_p, GMS_LIMIT_LINE_BYTES);

    if (length < 0 && errno == ENOMEM) {
        gms_report_no_memory(reader);
    } else if (length < 0) {
        ++reader->line;
        gms_report_wrong(reader, NULL, NULL, "the line is longer than %zu MB",
                         GMS_LIMIT_LINE_BYTES >> 20);
    }
    return length > 0 ? (size_t)length : 0;
}

/* Reads one complete line. */
static void gms_report_take_line(gms_report_reader_t *reader, const char *text,
                                 size_t length, gms_report_line_fn *line_fn)
{
    json_error_t error;
    json_t *line;

    if (!gms_check_line(reader, text, length)) {
        return;
    }
    line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (json_is_object(line)) {
        gms_report_clean(reader, line);
        line_fn(reader, line);
    } else if (line == NULL && gms_json_is_short()) {
        gms_report_wrong(reader, NULL, NULL, GMS_REPORT_TOO_LARGE);
    } else {
        gms_report_wrong(reader, NULL, NULL, "%s",
                         line == NULL ? error.text
                                      : "expected: an object in each line");
    }
    json_decref(line);
}

void gms_report_read_lines(gms_report_reader_t *reader, const char *file,
                           gms_report_line_fn *line_fn)
{
    char *text = NULL;
    size_t room = 0, length;
    uint64_t bytes = 0;
    FILE *stream;

    errno = 0;
    reader->file = file;
    reader->line = 0;
    reader->lines.bytes = reader->lines.lines = 0;
    reader->lines.sum = reader->start;
    stream = gms_report_open(reader, file, &bytes);
    if (stream == NULL) {
        return;
    }
    gms_check_size(reader, file, bytes);
    while (reader->status == GMS_OK &&
           (length = gms_report_next_line(reader, stream, &text, &room)) > 0) {
        if (!reader->run->is_complete && text[length - 1] != '\n') {
            break; /* the run was killed while it wrote its last line */
        }
        ++reader->line;
        gms_report_take_line(reader, text, length, line_fn);
    }
    if (reader->status == GMS_OK && ferror(stream)) {
        gms_report_system(reader, file, strerror(errno));
    }
    reader->line = 0;
    gms_check_end(reader, file);
    free(text);
    (void)fclose(stream);
}
