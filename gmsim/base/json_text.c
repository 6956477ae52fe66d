/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Enlarges the text buffer and writes JSON values into it. The library jansson
 * prints strings, reals and other rare values; integers and keys are written
 * directly because a record contains millions of them.
 */
#include "base/json_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

#define GMS_JSON_TEXT_BYTES 65536u /* initial size of the buffer */

/* Make room for more bytes. @return the position to write to, or NULL */
static char *gms_json_room(gms_json_text_t *text, size_t bytes)
{
    while (!text->failed && text->size - text->used < bytes) {
        size_t size = text->size > 0 ? 2 * text->size : GMS_JSON_TEXT_BYTES;
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

void gms_json_add(gms_json_text_t *text, const char *bytes, size_t length)
{
    char *to = gms_json_room(text, length);

    if (to != NULL) {
        memcpy(to, bytes, length);
        text->used += length;
    }
}

void gms_json_add_char(gms_json_text_t *text, char c)
{
    gms_json_add(text, &c, 1);
}

static int gms_json_add_piece(const char *bytes, size_t length, void *text)
{
    gms_json_add(text, bytes, length);
    return 0;
}

/* Add a value of a rare type. */
static void gms_json_add_other(gms_json_text_t *text, const json_t *value)
{
    const unsigned flags =
        JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12);

    text->failed |=
        json_dump_callback(value, gms_json_add_piece, text, flags) != 0;
}

void gms_json_add_number(gms_json_text_t *text, uint64_t number)
{
    char *to = gms_json_room(text, GMS_DIGITS);

    if (to != NULL) {
        text->used = (size_t)(gms_digits(to, number) - text->bytes);
    }
}

static void gms_json_add_integer(gms_json_text_t *text, json_int_t value)
{
    gms_json_add(text, "-", value < 0);
    gms_json_add_number(text, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void gms_json_add_key(gms_json_text_t *text, const char *key)
{
    gms_json_add_char(text, '"');
    gms_json_add(text, key, strlen(key));
    gms_json_add(text, "\":", 2);
}

void gms_json_add_value(gms_json_text_t *text, json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_integer(value)) {
        gms_json_add_integer(text, json_integer_value(value));
    } else if (json_is_array(value)) {
        gms_json_add_char(text, '[');
        json_array_foreach(value, i, item)
        {
            gms_json_add(text, ",", i > 0);
            gms_json_add_value(text, item);
        }
        gms_json_add_char(text, ']');
    } else if (json_is_object(value)) {
        gms_json_add_char(text, '{');
        i = 0;
        json_object_foreach(value, key, item)
        {
            gms_json_add(text, ",", i++ > 0);
            gms_json_add_key(text, key);
            gms_json_add_value(text, item);
        }
        gms_json_add_char(text, '}');
    } else {
        gms_json_add_other(text, value);
    }
}

void gms_json_add_line(gms_json_text_t *text, const char *comma, unsigned depth)
{
    gms_json_add(text, comma, strlen(comma));
    gms_json_add(text, "\n    ", 1 + depth);
}

void gms_json_print(gms_json_text_t *text, json_t *value, unsigned depth)
{
    const char *key, *comma = "";
    json_t *item;
    size_t i;

    if (json_is_array(value) && depth > 0 && json_array_size(value) > 0) {
        gms_json_add_char(text, '[');
        json_array_foreach(value, i, item)
        {
            gms_json_add_line(text, comma, depth);
            gms_json_add_value(text, item);
            comma = ",";
        }
        gms_json_add_char(text, ']');
    } else if (json_is_object(value) && depth < 3) {
        gms_json_add_char(text, '{');
        json_object_foreach(value, key, item)
        {
            gms_json_add_line(text, comma, depth + 1);
            gms_json_add_key(text, key);
            gms_json_add_char(text, ' ');
            gms_json_print(text, item, depth + 1);
            comma = ",";
        }
        gms_json_add_char(text, '}');
    } else {
        gms_json_add_value(text, value);
    }
}
