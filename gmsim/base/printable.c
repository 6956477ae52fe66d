/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decides which characters may be printed. All parts of the project use this
 * decision.
 */
#include "base/printable.h"

#include <stdint.h>
#include <string.h>

/* Decode one UTF-8 character. @return its length in bytes; 0 if the text is not
 * valid UTF-8 */
static size_t gms_printable_decode(const unsigned char *text, size_t length,
                                   uint32_t *code_p)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = text[0] < 0x80             ? 1
                   : (text[0] & 0xe0) == 0xc0 ? 2
                   : (text[0] & 0xf0) == 0xe0 ? 3
                   : (text[0] & 0xf8) == 0xf0 ? 4
                                              : 0;
    uint32_t code = bytes == 1 ? text[0] : text[0] & (0x7fu >> bytes);
    size_t i;

    if (bytes == 0 || bytes > length) {
        return 0;
    }
    for (i = 1; i < bytes; ++i) {
        if ((text[i] & 0xc0) != 0x80) {
            return 0;
        }
        code = code << 6 | (text[i] & 0x3f);
    }
    if (code < least[bytes] || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff)) {
        return 0;
    }
    *code_p = code;
    return bytes;
}

static int gms_printable_allows(uint32_t code)
{
    return code >= ' ' && !(code >= 0x7f && code <= 0x9f) &&
           code != 0x061c &&                      /* Arabic letter mark */
           !(code >= 0x200e && code <= 0x200f) && /* marks of the writing
                                                   * direction */
           !(code >= 0x2028 && code <= 0x202e) && /* separators, and embedding
                                                   * marks */
           !(code >= 0x2066 && code <= 0x2069) && /* isolates */
           code != 0xfeff;                        /* byte order mark */
}

char *gms_printable_part(const char *text, size_t length, char *to, size_t room)
{
    const unsigned char *from = (const unsigned char *)text;
    size_t used = 0, i = 0;

    while (i < length && from[i] != '\0') {
        uint32_t code = 0;
        size_t bytes = gms_printable_decode(from + i, length - i, &code);
        int is_kept = bytes > 0 && gms_printable_allows(code);
        size_t more = is_kept ? bytes : 1;

        if (used + more >= room) {
            break;
        }
        if (is_kept) {
            memmove(to + used, from + i, bytes);
        } else {
            to[used] = '?';
        }
        used += more;
        i += bytes > 0 ? bytes : 1;
    }
    to[used] = '\0';
    return to;
}

char *gms_printable(const char *text, char *to, size_t room)
{
    return gms_printable_part(text, strlen(text), to, room);
}

char *gms_printable_here(char *text)
{
    size_t length = strlen(text);

    return gms_printable_part(text, length, text, length + 1);
}

int gms_is_printable(const char *text)
{
    const unsigned char *from = (const unsigned char *)text;
    size_t length = strlen(text);
    uint32_t code = 0;

    while (length > 0) {
        size_t bytes = gms_printable_decode(from, length, &code);

        if (bytes == 0 || !gms_printable_allows(code)) {
            return 0;
        }
        from += bytes;
        length -= bytes;
    }
    return 1;
}
