/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Writes JSON as text into a growing buffer. With the JSON library, printing
 * thousands of objects took most of the time that was needed to complete a
 * record. Frequent objects are therefore written directly as text, and rare
 * values are printed from the library's objects in the same form. The form is
 * compact, and reals have 12 digits.
 *
 * The only possible error is a lack of memory. In this case, the text is marked
 * `failed`, keeps its content, and ignores all later additions. The caller
 * checks `failed` once, at the end.
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/** A JSON text and its buffer. Zeroed memory represents an empty text. */
typedef struct gms_json_text {
    char *bytes; /* allocated with malloc(), not NUL-terminated; the owner of
                  * the text frees the memory */
    size_t used, size;
    int failed; /* 1: memory was exhausted, so the text is incomplete */
} gms_json_text_t;

/** Add bytes without any change. The call takes time O(length), amortised. */
void gms_json_add(gms_json_text_t *text, const char *bytes, size_t length);
void gms_json_add_char(gms_json_text_t *text, char c);
void gms_json_add_number(gms_json_text_t *text, uint64_t number);
/** Add a key in quotation marks and a colon. The key must contain no character
 *  that needs an escape. */
void gms_json_add_key(gms_json_text_t *text, const char *key);
/** Add a value without spaces. Keys of objects must contain no character that
 *  needs an escape. */
void gms_json_add_value(gms_json_text_t *text, json_t *value);
/** Write `comma` ("," or ""), and begin a new line.
 *  @param [in] depth  0 .. 4; the line begins with `depth` blanks */
void gms_json_add_line(gms_json_text_t *text, const char *comma,
                       unsigned depth);
/** Add a value in a readable form. Objects have one key per line, down to the
 *  third level. Each element of a list occupies a single line, because a record
 *  with thousands of flows would otherwise fill many pages.
 *  @param [in] depth  nesting level of the value */
void gms_json_print(gms_json_text_t *text, json_t *value, unsigned depth);

#endif
