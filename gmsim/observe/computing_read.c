/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads and checks the file that contains a rank's computing times. The file
 * may come from another machine or may have been edited, so every value is
 * checked before it is used.
 */
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/line.h"
#include "observe/computing_int.h"

/* Maximum number of different names of calls. [chosen: MPI 4 has fewer
 * functions] */
#define GMS_COMPUTING_NAMES 1024u

typedef struct gms_computing_reader {
    const char *path;
    char *error;
    gms_computing_t *computing;
    size_t room; /* allocated elements of computing->calls */
    uint64_t sum;
    unsigned line; /* from 1 */
    int has_end;
} gms_computing_reader_t;

static gms_status_t __attribute__((format(printf, 2, 3)))
gms_computing_refuse(gms_computing_reader_t *reader, const char *format, ...)
{
    char why[GMS_COMPUTING_ERROR_LEN / 2];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(why, sizeof(why), format, args);
    va_end(args);
    (void)snprintf(reader->error, GMS_COMPUTING_ERROR_LEN, "'%.200s': %s",
                   reader->path, why);
    return GMS_ERR_CONFIG;
}

/* Compare the checksum at the end of a line with the bytes of the file. */
static gms_status_t gms_computing_check(gms_computing_reader_t *reader,
                                        const char *text, size_t length)
{
    char tail[GMS_COMPUTING_TAIL_BYTES + 1];
    size_t body = length - GMS_COMPUTING_TAIL_BYTES;

    if (length < GMS_COMPUTING_TAIL_BYTES || strlen(text) != length) {
        return gms_computing_refuse(reader, "line %u is truncated",
                                    reader->line);
    }
    reader->sum = gms_checksum(reader->sum, text, body);
    (void)snprintf(tail, sizeof(tail), GMS_COMPUTING_TAIL,
                   (unsigned long long)reader->sum);
    if (memcmp(text + body, tail, GMS_COMPUTING_TAIL_BYTES) != 0) {
        return gms_computing_refuse(
            reader, "line %u was changed or is truncated", reader->line);
    }
    reader->sum = gms_checksum(reader->sum, tail, GMS_COMPUTING_TAIL_BYTES);
    return GMS_OK;
}

/* Return the stored copy of a name, or NULL if there is no copy. */
static const char *gms_computing_name(gms_computing_t *computing,
                                      const char *name)
{
    size_t at;
    char **names;

    for (at = 0; at < computing->name_count; ++at) {
        if (strcmp(computing->names[at], name) == 0) {
            return computing->names[at];
        }
    }
    if (at == GMS_COMPUTING_NAMES || strlen(name) >= GMS_COMPUTING_NAME_LEN) {
        return NULL;
    }
    names = realloc(computing->names, (at + 1) * sizeof(names[0]));
    if (names == NULL) {
        return NULL;
    }
    computing->names = names;
    names[at] = strdup(name);
    computing->name_count += names[at] != NULL;
    return names[at];
}

static int gms_computing_grow(gms_computing_reader_t *reader, size_t more)
{
    gms_computing_t *computing = reader->computing;
    size_t room = reader->room;
    gms_computing_call_t *calls;

    while (room - computing->count < more) {
        room = room == 0 ? 1024 : 2 * room;
    }
    if (room > reader->room) {
        calls = realloc(computing->calls, room * sizeof(calls[0]));
        if (calls == NULL) {
            return 0;
        }
        computing->calls = calls;
        reader->room = room;
    }
    return 1;
}

static gms_status_t gms_computing_take(gms_computing_reader_t *reader,
                                       json_t *calls)
{
    gms_computing_t *computing = reader->computing;
    size_t count = json_array_size(calls) / 2;
    size_t at;

    if (!gms_computing_grow(reader, count)) {
        return gms_computing_refuse(reader, "out of memory");
    }
    for (at = 0; at < count; ++at) {
        const char *text = json_string_value(json_array_get(calls, 2 * at));
        json_t *time = json_array_get(calls, 2 * at + 1);
        const char *name =
            text != NULL ? gms_computing_name(computing, text) : NULL;
        json_int_t time_ps = json_integer_value(time);

        if (name == NULL || !json_is_integer(time) || time_ps < 0 ||
            (gms_time_t)time_ps > GMS_NEVER / 2) {
            return gms_computing_refuse(reader, "line %u: invalid call",
                                        reader->line);
        }
        computing->calls[computing->count].name = name;
        computing->calls[computing->count++].computed_ps = (gms_time_t)time_ps;
    }
    return GMS_OK;
}

static gms_status_t gms_computing_begin(gms_computing_reader_t *reader,
                                        json_t *line, unsigned rank,
                                        unsigned ranks)
{
    json_int_t schema = json_integer_value(json_object_get(line, "schema"));
    json_int_t of = json_integer_value(json_object_get(line, "rank"));
    json_int_t all = json_integer_value(json_object_get(line, "ranks"));

    if (schema != GMS_COMPUTING_SCHEMA) {
        return gms_computing_refuse(reader, "schema %lld is unknown",
                                    (long long)schema);
    }
    if (all != ranks || of != rank) {
        return gms_computing_refuse(
            reader, "belongs to rank %lld of %lld, but this is rank %u of %u",
            (long long)of, (long long)all, rank, ranks);
    }
    return GMS_OK;
}

static gms_status_t gms_computing_finish(gms_computing_reader_t *reader,
                                         json_t *line)
{
    json_t *end = json_object_get(line, "end");

    if (!json_is_integer(end) || reader->has_end ||
        (uint64_t)json_integer_value(end) != reader->computing->count) {
        return gms_computing_refuse(reader, "line %u: invalid end",
                                    reader->line);
    }
    if (json_is_true(json_object_get(line, "threads"))) {
        return gms_computing_refuse(
            reader,
            "several threads of the rank made calls; recorded computing "
            "requires programs that call MPI from only one thread");
    }
    reader->has_end = 1;
    return GMS_OK;
}

static gms_status_t gms_computing_line(gms_computing_reader_t *reader,
                                       const char *text, size_t length,
                                       unsigned rank, unsigned ranks)
{
    gms_status_t status = gms_computing_check(reader, text, length);
    json_t *line, *calls;

    if (status != GMS_OK) {
        return status;
    }
    line = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
    calls = json_object_get(line, "calls");
    if (!json_is_object(line) || reader->has_end) {
        status =
            gms_computing_refuse(reader, "line %u is invalid", reader->line);
    } else if (reader->line == 1) {
        status = gms_computing_begin(reader, line, rank, ranks);
    } else if (json_is_array(calls)) {
        status = gms_computing_take(reader, calls);
    } else {
        status = gms_computing_finish(reader, line);
    }
    json_decref(line);
    return status;
}

static gms_status_t gms_computing_lines(gms_computing_reader_t *reader,
                                        FILE *file, unsigned rank,
                                        unsigned ranks)
{
    gms_status_t status = GMS_OK;
    char *text = NULL;
    size_t room = 0;
    ssize_t length;

    while (status == GMS_OK &&
           (length = gms_read_line(file, &text, &room,
                                   GMS_COMPUTING_LINE_BYTES)) != 0) {
        ++reader->line;
        status =
            length < 0
                ? gms_computing_refuse(reader, "line %u: %s", reader->line,
                                       strerror(errno))
                : gms_computing_line(reader, text, (size_t)length, rank, ranks);
    }
    free(text);
    if (status == GMS_OK && !reader->has_end) {
        status = gms_computing_refuse(reader,
                                      "has no end marker; the recorded run was "
                                      "killed, or the file is truncated");
    }
    return status;
}

gms_status_t gms_computing_read(const char *directory, unsigned rank,
                                unsigned ranks, gms_computing_t *computing,
                                char error[GMS_COMPUTING_ERROR_LEN])
{
    char path[PATH_MAX];
    gms_computing_reader_t reader = {
        .path = path, .error = error, .computing = computing};
    gms_status_t status;
    FILE *file;

    memset(computing, 0, sizeof(*computing));
    (void)snprintf(path, sizeof(path), GMS_COMPUTING_PATH, directory, rank);
    file = fopen(path, "re");
    if (file == NULL) {
        return gms_computing_refuse(
            &reader, "%s%s", strerror(errno),
            errno == ENOENT ? "; only runs with GMSIM_RECORD and "
                              "GMSIM_TIME=measured record computing times"
                            : "");
    }
    status = gms_computing_lines(&reader, file, rank, ranks);
    (void)fclose(file);
    if (status != GMS_OK) {
        gms_computing_clear(computing);
    }
    return status;
}

void gms_computing_clear(gms_computing_t *computing)
{
    size_t at;

    for (at = 0; at < computing->name_count; ++at) {
        free(computing->names[at]);
    }
    free(computing->names);
    free(computing->calls);
    memset(computing, 0, sizeof(*computing));
}
