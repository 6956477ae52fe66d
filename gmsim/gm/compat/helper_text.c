/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Provides functions of the C library under GM's names. A NULL string is
 * treated as an empty string, because a crash would be worse than a missing
 * word in a message.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "gm.h"

static const char *gms_text_or_empty(const char *string)
{
    return string != NULL ? string : "";
}

/* ---- Printing ---------------------------------------------------------- */

static int __attribute__((format(printf, 2, 0)))
gms_text_print(FILE *file, const char *format, va_list arguments)
{
    return format != NULL ? vfprintf(file, format, arguments) : 0;
}

int gm_printf(const char *format, ...)
{
    va_list arguments;
    int count;

    va_start(arguments, format);
    count = gms_text_print(stdout, format, arguments);
    va_end(arguments);
    return count;
}

int gm_eprintf(const char *format, ...)
{
    va_list arguments;
    int count;

    va_start(arguments, format);
    count = gms_text_print(stderr, format, arguments);
    va_end(arguments);
    return count;
}

#define GMS_DUMP_BYTES 16u /* bytes per line */

void gm_hex_dump(const void *address, gm_size_t length)
{
    const unsigned char *bytes = address;
    gm_size_t offset;

    for (offset = 0; bytes != NULL && offset < length;
         offset += GMS_DUMP_BYTES) {
        char hex[3 * GMS_DUMP_BYTES + 1] = "";
        char text[GMS_DUMP_BYTES + 1] = "";
        unsigned i;

        for (i = 0; i < GMS_DUMP_BYTES && i < length - offset; ++i) {
            unsigned char byte = bytes[offset + i];

            snprintf(hex + 3 * i, 4, " %02x", byte);
            text[i] = (char)(gm_isprint(byte) ? byte : '.');
        }
        gm_printf("%08lx %-48s  %s\n", offset, hex, text);
    }
}

/* ---- Bytes ------------------------------------------------------------- */

void gm_bcopy(const void *from, void *to, gm_size_t length)
{
    if (from != NULL && to != NULL) {
        memmove(to, from, length);
    }
}

void gm_bzero(void *address, gm_size_t length)
{
    gm_memset(address, 0, length);
}

void *gm_memset(void *address, int byte, gm_size_t length)
{
    return address != NULL ? memset(address, byte, length) : NULL;
}

int gm_memcmp(const void *a, const void *b, gm_size_t length)
{
    if (length == 0 || a == b) {
        return 0;
    }
    if (a == NULL || b == NULL) {
        return a == NULL ? -1 : 1;
    }
    return memcmp(a, b, length);
}

/* ---- Strings ----------------------------------------------------------- */

gm_size_t gm_strlen(const char *string)
{
    return strlen(gms_text_or_empty(string));
}

char *gm_strncpy(char *to, const char *from, int length)
{
    gm_size_t room = length > 0 ? (gm_size_t)length : 0;
    gm_size_t used;

    if (to == NULL) {
        return NULL;
    }
    /* As in strncpy(), the remaining bytes are filled with 0, and there may be
     * no final 0. */
    from = gms_text_or_empty(from);
    used = strnlen(from, room);
    memcpy(to, from, used);
    memset(to + used, 0, room - used);
    return to;
}

int gm_strcmp(const char *a, const char *b)
{
    return strcmp(gms_text_or_empty(a), gms_text_or_empty(b));
}

int gm_strncmp(const char *a, const char *b, int length)
{
    return strncmp(gms_text_or_empty(a), gms_text_or_empty(b),
                   length > 0 ? (size_t)length : 0);
}

int gm_strncasecmp(const char *a, const char *b, int length)
{
    return strncasecmp(gms_text_or_empty(a), gms_text_or_empty(b),
                       length > 0 ? (size_t)length : 0);
}

char *gm_strdup(const char *string)
{
    gm_size_t length = gm_strlen(string) + 1;
    char *copy = string != NULL ? gm_malloc(length) : NULL;

    if (copy != NULL) {
        memcpy(copy, string, length);
    }
    return copy;
}

int gm_isprint(int character)
{
    /* isprint() is defined only for EOF and for the values of an unsigned
     * char. */
    return character >= EOF && character <= 0xff && isprint(character);
}

/* ---- Process ----------------------------------------------------------- */

gm_pid_t gm_getpid(void)
{
    return (gm_pid_t)getpid();
}
