/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record.json as text. A run of many ranks has thousands of flows with dozens of
 * numbers each: as objects of the library, printed by it, they took most of the
 * time of a record's end. They are put together as text.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/digits.h"
#include "observe/record_int.h"

#define GMS_RECORD_NEW_FILE "record.json.new"
#define GMS_RECORD_TEXT_BYTES 65536u /* at first */

/* Room for so much more. @return where, or NULL */
static char *gms_record_room(gms_record_text_t *text, size_t bytes)
{
    while (!text->failed && text->size - text->used < bytes) {
        size_t size = text->size > 0 ? 2 * text->size : GMS_RECORD_TEXT_BYTES;
        char *more = realloc(text->bytes, size);

        if (more == NULL) {
            text->failed = 1;
        } else {
            text->bytes = more;
            text->size = size;
        }
    }
    return text->failed ? NULL : text->bytes + text->used;
}

void gms_record_add(gms_record_text_t *text, const char *bytes, size_t length)
{
    char *to = gms_record_room(text, length);

    if (to != NULL) {
        memcpy(to, bytes, length);
        text->used += length;
    }
}

static void gms_record_char(gms_record_text_t *text, char c)
{
    gms_record_add(text, &c, 1);
}

static int gms_record_add_piece(const char *bytes, size_t length, void *text)
{
    gms_record_add(text, bytes, length);
    return 0;
}

/* What is rare. */
static void gms_record_other(gms_record_text_t *text, const json_t *value)
{
    const unsigned flags =
        JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12);

    text->failed |=
        json_dump_callback(value, gms_record_add_piece, text, flags) != 0;
}

void gms_record_add_number(gms_record_text_t *text, uint64_t number)
{
    char *to = gms_record_room(text, GMS_DIGITS);

    if (to != NULL) {
        text->used = (size_t)(gms_digits(to, number) - text->bytes);
    }
}

static void gms_record_integer(gms_record_text_t *text, json_int_t value)
{
    gms_record_add(text, "-", value < 0);
    gms_record_add_number(text, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

/* Keys are ours: nothing in them is special. */
static void gms_record_key(gms_record_text_t *text, const char *key)
{
    gms_record_char(text, '"');
    gms_record_add(text, key, strlen(key));
    gms_record_add(text, "\":", 2);
}

static void gms_record_value(gms_record_text_t *text, json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_integer(value)) {
        gms_record_integer(text, json_integer_value(value));
    } else if (json_is_array(value)) {
        gms_record_char(text, '[');
        json_array_foreach(value, i, item) {
            gms_record_add(text, ",", i > 0);
            gms_record_value(text, item);
        }
        gms_record_char(text, ']');
    } else if (json_is_object(value)) {
        gms_record_char(text, '{');
        i = 0;
        json_object_foreach(value, key, item) {
            gms_record_add(text, ",", i++ > 0);
            gms_record_key(text, key);
            gms_record_value(text, item);
        }
        gms_record_char(text, '}');
    } else {
        gms_record_other(text, value);
    }
}

void gms_record_add_line(gms_record_text_t *text, const char *comma,
                         unsigned depth)
{
    gms_record_add(text, comma, strlen(comma));
    gms_record_add(text, "\n    ", 1 + depth);
}

/* Objects a key per line, down to the third level; what is in lists a line
 * each: people can read it, and thousands of flows do not fill pages. */
static void gms_record_print(gms_record_text_t *text, json_t *value,
                             unsigned depth)
{
    const char *key, *comma = "";
    json_t *item;
    size_t i;

    if (json_is_array(value) && depth > 0 && json_array_size(value) > 0) {
        gms_record_char(text, '[');
        json_array_foreach(value, i, item) {
            gms_record_add_line(text, comma, depth);
            gms_record_value(text, item);
            comma = ",";
        }
        gms_record_char(text, ']');
    } else if (json_is_object(value) && depth < 3) {
        gms_record_char(text, '{');
        json_object_foreach(value, key, item) {
            gms_record_add_line(text, comma, depth + 1);
            gms_record_key(text, key);
            gms_record_char(text, ' ');
            gms_record_print(text, item, depth + 1);
            comma = ",";
        }
        gms_record_char(text, '}');
    } else {
        gms_record_value(text, value);
    }
}

/* The root, its flows as text. */
static void gms_record_print_root(gms_record_text_t *text, json_t *root,
                                  const gms_record_text_t *flows)
{
    const char *key, *comma = "";
    json_t *item;

    gms_record_char(text, '{');
    json_object_foreach(root, key, item) {
        gms_record_add_line(text, comma, 1);
        gms_record_key(text, key);
        gms_record_char(text, ' ');
        if (flows != NULL && strcmp(key, GMS_RECORD_FLOWS) == 0) {
            gms_record_add(text, flows->bytes, flows->used);
            text->failed |= flows->failed;
        } else {
            gms_record_print(text, item, 1);
        }
        comma = ",";
    }
}

/* The file's last line: the checksum of all before it. @return it */
static uint64_t gms_record_print_sum(gms_record_text_t *text)
{
    uint64_t sum = gms_checksum(0, text->bytes, text->used);
    char tail[64];
    int length = snprintf(tail, sizeof(tail), ",\n \"sum\": \"%016llx\"}\n",
                          (unsigned long long)sum);

    gms_record_add(text, tail, (size_t)length);
    return sum;
}

gms_status_t gms_record_save(int folder, json_t *root,
                             const gms_record_text_t *flows, uint64_t *sum_p)
{
    int file = openat(folder, GMS_RECORD_NEW_FILE,
                      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    gms_record_text_t text = {0};
    int failed = file < 0, why;
    uint64_t sum = 0;

    if (!failed) {
        gms_record_print_root(&text, root, flows);
        sum = gms_record_print_sum(&text);
        failed = text.failed;
        errno = failed ? ENOMEM : errno;
    }
    failed = failed || gms_record_write(file, text.bytes, text.used) != 0;
    why = errno;
    if (file >= 0 && close(file) != 0 && !failed) {
        failed = 1;
        why = errno;
    }
    free(text.bytes);
    json_decref(root);
    errno = why;
    if (failed || renameat(folder, GMS_RECORD_NEW_FILE, folder,
                           GMS_RECORD_FILE) != 0) {
        why = errno;
        (void)unlinkat(folder, GMS_RECORD_NEW_FILE, 0);
        errno = why;
        return GMS_ERR_SYSTEM;
    }
    if (sum_p != NULL) {
        *sum_p = sum;
    }
    return GMS_OK;
}
