/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads one line character by character and doubles the buffer when it is full.
 * A line that is longer than the limit causes an error. The caller owns the
 * buffer, even after an error.
 */
#include "base/line.h"

#include <errno.h>
#include <stdlib.h>

#define GMS_LINE_FIRST_BYTES 4096u

ssize_t gms_read_line(FILE *stream, char **text_p, size_t *room_p, size_t most)
{
    size_t length = 0;
    int c = 0;

    while (c != '\n' && (c = getc_unlocked(stream)) != EOF) {
        if (length == most) {
            errno = EFBIG;
            return -1;
        }
        if (length + 1 >= *room_p) {
            size_t room = *room_p == 0 ? GMS_LINE_FIRST_BYTES : 2 * *room_p;
            char *text = realloc(*text_p, room);

            if (text == NULL) {
                errno = ENOMEM;
                return -1;
            }
            *text_p = text;
            *room_p = room;
        }
        (*text_p)[length++] = (char)c;
    }
    if (length > 0) {
        (*text_p)[length] = '\0';
    }
    return (ssize_t)length;
}
