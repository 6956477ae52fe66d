/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the checksums of windows.jsonl, events.jsonl and record.json, and
 * writes these three files again.
 */
#define _GNU_SOURCE
#include "seal.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"

typedef struct seal_file {
    const char *name;
    uint64_t bytes, lines, sum;
} seal_file_t;

static char *seal_read(const char *directory, const char *name,
                       size_t *length_p)
{
    char path[4096], *text = NULL;
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
    file = fopen(path, "r");
    if (file == NULL) {
        return NULL;
    }
    (void)fseek(file, 0, SEEK_END);
    *length_p = (size_t)ftell(file);
    rewind(file);
    text = calloc(1, *length_p + 1);
    if (text != NULL && fread(text, 1, *length_p, file) != *length_p) {
        free(text);
        text = NULL;
    }
    (void)fclose(file);
    return text;
}

static FILE *seal_open(const char *directory, const char *name)
{
    char path[4096];

    (void)snprintf(path, sizeof(path), "%s/%s", directory, name);
    return fopen(path, "w");
}

static void seal_put(FILE *file, seal_file_t *seal, const char *text,
                     size_t length)
{
    (void)fwrite(text, 1, length, file);
    seal->sum = gms_checksum(seal->sum, text, length);
    seal->bytes += length;
}

/* Return the length of the part of a line that its checksum covers, that is,
 * the line without the checksum and the closing brace. */
static size_t seal_body(const char *line, size_t length)
{
    const char *sum = memmem(line, length, ",\"sum\":\"", 8);

    return sum != NULL                             ? (size_t)(sum - line)
           : length > 0 && line[length - 1] == '}' ? length - 1
                                                   : length;
}

static int seal_lines(const char *directory, seal_file_t *seal)
{
    size_t length = 0;
    char *text = seal_read(directory, seal->name, &length), tail[64];
    const char *line = text, *end;
    FILE *file = text != NULL ? seal_open(directory, seal->name) : NULL;

    if (file == NULL) {
        free(text);
        return -1;
    }
    for (; line < text + length; line = end + 1) {
        size_t body;

        end = memchr(line, '\n', (size_t)(text + length - line));
        end = end != NULL ? end : text + length;
        body = seal_body(line, (size_t)(end - line));
        seal_put(file, seal, line, body);
        (void)snprintf(tail, sizeof(tail), ",\"sum\":\"%016llx\"}\n",
                       (unsigned long long)seal->sum);
        seal_put(file, seal, tail, strlen(tail));
        ++seal->lines;
    }
    free(text);
    return fclose(file);
}

/* Return the given beginning of record.json, followed by its checksum and by
 * the sizes, line counts and checksums of the other two files. */
static char *seal_end(const char *body, size_t length, const seal_file_t *seals)
{
    char *text = NULL;

    if (asprintf(&text,
                 "%.*s,\n \"start\": \"%016llx\",\n \"files\": {\n"
                 "  \"%s\": {\"bytes\": %llu, \"lines\": %llu, \"sum\": "
                 "\"%016llx\"},\n"
                 "  \"%s\": {\"bytes\": %llu, \"lines\": %llu, \"sum\": "
                 "\"%016llx\"}}",
                 (int)length, body,
                 (unsigned long long)gms_checksum(0, body, length),
                 seals[0].name, (unsigned long long)seals[0].bytes,
                 (unsigned long long)seals[0].lines,
                 (unsigned long long)seals[0].sum, seals[1].name,
                 (unsigned long long)seals[1].bytes,
                 (unsigned long long)seals[1].lines,
                 (unsigned long long)seals[1].sum) < 0) {
        return NULL;
    }
    return text;
}

/* Return the length of record.json up to the keys that this file writes. */
static size_t seal_root_body(const char *text, size_t length)
{
    const char *known = memmem(text, length, ",\n \"start\": \"", 13);

    if (known == NULL) {
        known = memmem(text, length, ",\n \"sum\": \"", 11);
    }
    if (known == NULL) {
        known = memrchr(text, '}', length);
    }
    return known != NULL ? (size_t)(known - text) : length;
}

static int seal_root(const char *directory, const char *text, size_t body,
                     const seal_file_t *seals)
{
    char *whole = seal_end(text, body, seals);
    FILE *file;

    file = whole != NULL ? seal_open(directory, "record.json") : NULL;
    if (file != NULL) {
        fprintf(file, "%s,\n \"sum\": \"%016llx\"}\n", whole,
                (unsigned long long)gms_checksum(0, whole, strlen(whole)));
        (void)fclose(file);
    }
    free(whole);
    return file != NULL ? 0 : -1;
}

int seal_directory(const char *directory)
{
    seal_file_t seals[] = {{.name = "windows.jsonl"}, {.name = "events.jsonl"}};
    size_t length = 0, body;
    char *text = seal_read(directory, "record.json", &length);
    int result = -1;

    if (text == NULL) {
        return -1;
    }
    body = seal_root_body(text, length);
    seals[0].sum = seals[1].sum = gms_checksum(0, text, body);
    if (seal_lines(directory, &seals[0]) == 0 &&
        seal_lines(directory, &seals[1]) == 0) {
        result = seal_root(directory, text, body, seals);
    }
    free(text);
    return result;
}
