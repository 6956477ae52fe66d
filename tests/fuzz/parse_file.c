/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces fopen(), so that the readers read the input of the test. Checks that
 * an error message is one line of printable text.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

static const uint8_t *parse_data;
static size_t parse_size;

void parse_fail(const char *file, int line, const char *condition,
                const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s:%d: violated: %s: ", file, line, condition);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

void parse_file_set(const uint8_t *data, size_t size)
{
    parse_data = data;
    parse_size = size;
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

/* Open the input of the test. Files that other libraries (hwloc) open are not
 * replaced. */
FILE *__wrap_fopen(const char *path, const char *mode)
{
    static uint8_t nothing[1];

    if (strcmp(path, PARSE_NAME) != 0) {
        return __real_fopen(path, mode);
    }
    /* the file is only read, but fmemopen() has no const parameter */
    return parse_size == 0
               ? fmemopen(nothing, 1, "w+")
               : fmemopen((void *)(uintptr_t)parse_data, parse_size, "r");
}

/* Return the length in bytes of the UTF-8 character at text, or 0 if the bytes
 * are not valid UTF-8. */
static unsigned parse_character(const unsigned char *text)
{
    unsigned bytes = text[0] < 0x80             ? 1
                     : (text[0] & 0xe0) == 0xc0 ? 2
                     : (text[0] & 0xf0) == 0xe0 ? 3
                     : (text[0] & 0xf8) == 0xf0 ? 4
                                                : 0;

    for (unsigned i = 1; i < bytes; ++i) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return bytes;
}

void parse_check_error(const char *error, size_t room)
{
    const unsigned char *text = (const unsigned char *)error;
    size_t length = strnlen(error, room);
    unsigned bytes;

    PARSE_CHECK(length > 0 && length < room,
                "invalid length of a message: %zu bytes", length);
    while (*text != '\0') {
        if (text == (const unsigned char *)error || text[-1] == '\n') {
            PARSE_CHECK(strncmp((const char *)text, PARSE_NAME ":",
                                strlen(PARSE_NAME ":")) == 0,
                        "a line does not begin with the file's name: '%s'",
                        text);
        }
        bytes = parse_character(text);
        PARSE_CHECK(bytes > 0, "not valid UTF-8: '%s'", error);
        PARSE_CHECK(text[0] == '\n' || (text[0] >= ' ' && text[0] != 0x7f),
                    "control character %d in '%s'", text[0], error);
        text += bytes;
    }
}
