/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void gms_report_wrong(gms_report_reader_t *reader, const gms_report_at_t *at,
                      const char *key, const char *format, ...)
{
    char line[32] = "", place[160] = "", why[160];
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
        (void)snprintf(place, sizeof(place), "key '%s[%zu]%s%s%s%s': ",
                       at->list, at->index, at->part != NULL ? "." : "",
                       at->part != NULL ? at->part : "",
                       key != NULL ? "." : "", key != NULL ? key : "");
    } else if (key != NULL) {
        (void)snprintf(place, sizeof(place), "key '%s%s%s': ",
                       at != NULL && at->part != NULL ? at->part : "",
                       at != NULL && at->part != NULL ? "." : "", key);
    }
    (void)snprintf(reader->error, GMS_REPORT_ERROR_LEN, "%.200s/%s%s: %s%s",
                   reader->folder, reader->file, line, place, why);
}

static void gms_report_no_memory(gms_report_reader_t *reader)
{
    if (reader->status == GMS_OK) {
        reader->status = GMS_ERR_NO_MEMORY;
        (void)snprintf(reader->error, GMS_REPORT_ERROR_LEN,
                       "%.200s/%s: out of memory", reader->folder,
                       reader->file);
    }
}

int gms_report_room(gms_report_reader_t *reader, void **array_p,
                    size_t *room_p, size_t count, size_t size)
{
    size_t room = *room_p == 0 ? 64 : 2 * *room_p;
    void *array;

    if (reader->status != GMS_OK) {
        return 0;
    }
    if (count < *room_p) {
        return 1;
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

void *gms_report_alloc(gms_report_reader_t *reader, size_t count, size_t size)
{
    void *array = calloc(count > 0 ? count : 1, size);

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
        gms_report_wrong(reader, at, key, "%s; expected: a whole number from 0 on",
                         value == NULL ? "is missing" : "is no such number");
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
        gms_report_wrong(reader, at, key, "%s; expected: a number from 0 on",
                         value == NULL ? "is missing" : "is no such number");
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
        gms_report_wrong(reader, at, key, "%s; expected: a text",
                         value == NULL ? "is missing" : "is none");
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
                         value == NULL ? "is missing" : "is none");
    }
    return value; /* of anything else jansson says that it is empty */
}

const json_t *gms_report_object(gms_report_reader_t *reader,
                                const gms_report_at_t *at,
                                const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_object(value)) {
        gms_report_wrong(reader, at, key, "%s; expected: an object",
                         value == NULL ? "is missing" : "is none");
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
    for (i = 0; i < count; i++) {
        const json_t *value = json_array_get(list, i);

        if (!json_is_integer(value) || json_integer_value(value) < 0) {
            gms_report_wrong(reader, at, NULL,
                             "its number %zu is none; expected: whole numbers "
                             "from 0 on",
                             i + 1);
            return 0;
        }
        numbers[i] = (uint64_t)json_integer_value(value);
    }
    return 1;
}

/* ---- files of lines ---- */

/* The run was killed while it wrote its last line. */
static int gms_report_is_cut(const gms_report_reader_t *reader,
                             const char *text, ssize_t length)
{
    return !reader->run->is_complete && length > 0 && text[length - 1] != '\n';
}

void gms_report_read_lines(gms_report_reader_t *reader, const char *file,
                           gms_report_line_fn *line_fn)
{
    char path[4096], *text = NULL;
    size_t room = 0;
    ssize_t length;
    FILE *stream;

    reader->file = file;
    reader->line = 0;
    (void)snprintf(path, sizeof(path), "%s/%s", reader->folder, file);
    stream = fopen(path, "r");
    if (stream == NULL) {
        reader->status = GMS_ERR_SYSTEM;
        (void)snprintf(reader->error, GMS_REPORT_ERROR_LEN, "%.400s: %s", path,
                       strerror(errno));
        return;
    }
    while (reader->status == GMS_OK &&
           (length = getline(&text, &room, stream)) >= 0) {
        json_error_t error;
        json_t *line = json_loadb(text, (size_t)length, 0, &error);

        ++reader->line;
        if (json_is_object(line)) {
            line_fn(reader, line);
        } else if (!gms_report_is_cut(reader, text, length)) {
            gms_report_wrong(reader, NULL, NULL, "%s",
                             line == NULL ? error.text
                                          : "expected: an object in each line");
        }
        json_decref(line);
    }
    if (reader->status == GMS_OK && ferror(stream)) {
        reader->status = GMS_ERR_SYSTEM;
        (void)snprintf(reader->error, GMS_REPORT_ERROR_LEN, "%.400s: %s", path,
                       strerror(errno));
    }
    free(text);
    (void)fclose(stream);
    reader->line = 0;
}
