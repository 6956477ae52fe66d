/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Makes text from files and programs safe to print. Without this protection, a
 * name could move the cursor, change the colour of the terminal, begin a new
 * line, or reverse the direction of writing.
 */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>

/**
 * Copy a string. Each control character (C0, C1, DEL), each line or paragraph
 * separator, each control of the direction of writing, and each byte that is
 * not UTF-8 becomes '?'.
 *
 * @param [out] to    the copy, which always ends with 0; may be the same as
 *                    text
 * @param [in]  room  size of the buffer `to` in bytes, at least 1; a longer
 *                    string is truncated between two characters
 * @return to
 */
char *gms_printable(const char *text, char *to, size_t room);
/** Copy the first length bytes of a string, with the same replacements as in
 *  gms_printable(). */
char *gms_printable_part(const char *text, size_t length, char *to,
                         size_t room);
/** Replace the same characters as gms_printable(), in place. The string never
 *  becomes longer. */
char *gms_printable_here(char *text);
/** Return 1 if gms_printable() would not change the string. */
int gms_is_printable(const char *text);

#endif
