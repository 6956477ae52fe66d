/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Changes a YAML file at random, at the boundaries of words and lines. Most
 * results are still YAML, and therefore reach the checks that follow the YAML
 * reader.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "parse.h"

typedef struct parse_text {
    uint8_t *data;
    size_t size, room;
    uint64_t random;
} parse_text_t;

uint64_t parse_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static size_t parse_below(parse_text_t *text, size_t limit)
{
    return limit == 0 ? 0 : (size_t)(parse_random(&text->random) % limit);
}

/* Replace bytes with other bytes, if there is enough space. */
static void parse_replace(parse_text_t *text, size_t at, size_t old_size,
                          const void *bytes, size_t size)
{
    if (text->size - old_size + size > text->room) {
        return;
    }
    memmove(text->data + at + size, text->data + at + old_size,
            text->size - at - old_size);
    memcpy(text->data + at, bytes, size);
    text->size = text->size - old_size + size;
}

static int parse_is_word(uint8_t byte)
{
    return isalnum(byte) || byte == '_' || byte == '.' || byte == '-' ||
           byte == '/';
}

/* Find a word of the text that begins at or after a random position. */
static void parse_find_word(parse_text_t *text, size_t *at_p, size_t *size_p)
{
    size_t at = parse_below(text, text->size), size = 0;

    while (at < text->size && !parse_is_word(text->data[at])) {
        ++at;
    }
    while (at > 0 && parse_is_word(text->data[at - 1])) {
        --at;
    }
    while (at + size < text->size && parse_is_word(text->data[at + size])) {
        ++size;
    }
    *at_p = at;
    *size_p = size;
}

static void parse_find_line(parse_text_t *text, size_t *at_p, size_t *size_p)
{
    size_t at = parse_below(text, text->size), size = 0;

    while (at > 0 && text->data[at - 1] != '\n') {
        --at;
    }
    while (at + size < text->size && text->data[at + size] != '\n') {
        ++size;
    }
    *at_p = at;
    *size_p = at + size < text->size ? size + 1 : size;
}

static const char *parse_word(parse_text_t *text, char room[64])
{
    static const char *const odd[] = {
        "0",    "1",       "-1",    "4294967296", "18446744073709551616",
        "0.5",  "1e9",     "1e999", "~",          "\"\"",
        "all",  "[]",      "{}",    "\"\\e\\0\"", "*a",
        "&a 1", "!!int 3", "0..3",  "2..1",       "\xc3\xa4\xe2\x82\xac",
    };
    const char *const *words = parse_words();
    size_t count = 0;

    switch (parse_below(text, 4)) {
    case 0:
        return odd[parse_below(text, sizeof(odd) / sizeof(odd[0]))];
    case 1:
        snprintf(room, 64, "%llu",
                 (unsigned long long)(parse_random(&text->random) >>
                                      parse_below(text, 64)));
        return room;
    default:
        while (words[count] != NULL) {
            ++count;
        }
        return words[parse_below(text, count)];
    }
}

static void parse_change_word(parse_text_t *text, int is_new)
{
    char room[64];
    const char *word = parse_word(text, room);
    size_t at, size;

    parse_find_word(text, &at, &size);
    parse_replace(text, at, is_new ? 0 : size, word, strlen(word));
}

/* Copy a line to another position, possibly replacing the line there. */
static void parse_copy_line(parse_text_t *text, int is_new)
{
    uint8_t line[PARSE_MAX];
    size_t at, size, to, old_size;

    parse_find_line(text, &at, &size);
    memcpy(line, text->data + at, size);
    parse_find_line(text, &to, &old_size);
    parse_replace(text, to, is_new ? 0 : old_size, line, size);
}

static void parse_new_line(parse_text_t *text)
{
    char room[64], key[64], line[200];
    const char *words[2];
    size_t at, size;
    int length;

    words[0] = parse_word(text, key);
    words[1] = parse_word(text, room);
    parse_find_line(text, &at, &size);
    length = snprintf(line, sizeof(line), "%.*s%s: %s\n",
                      (int)parse_below(text, 4), "    ", words[0], words[1]);
    parse_replace(text, at, 0, line, (size_t)length);
}

static void parse_change_byte(parse_text_t *text, int is_new)
{
    static const char marks[] = "{}[]:,-#&*!|>'\"%@`\t\n \\?";
    uint8_t byte = (uint8_t)parse_random(&text->random);
    size_t at = parse_below(text, text->size);

    if (parse_below(text, 2) == 0) {
        byte = (uint8_t)marks[parse_below(text, sizeof(marks) - 1)];
    }
    parse_replace(text, at, is_new || text->size == 0 ? 0 : 1, &byte, 1);
}

static void parse_change(parse_text_t *text)
{
    size_t at, size;

    switch (parse_below(text, 10)) {
    case 0:
    case 1:
    case 2:
        parse_change_word(text, 0);
        break;
    case 3:
        parse_change_word(text, 1);
        break;
    case 4:
        parse_find_line(text, &at, &size);
        parse_replace(text, at, size, "", 0);
        break;
    case 5:
        parse_copy_line(text, 1);
        break;
    case 6:
        parse_copy_line(text, 0);
        break;
    case 7:
        parse_new_line(text);
        break;
    default:
        parse_change_byte(text, (int)parse_below(text, 2));
        break;
    }
}

size_t parse_mutate(uint8_t *data, size_t size, size_t room, uint64_t seed)
{
    parse_text_t text = {data, size, room < PARSE_MAX ? room : PARSE_MAX, seed};
    size_t count;

    if (text.size > text.room) {
        text.size = text.room;
    }
    for (count = 1 + parse_below(&text, 4); count > 0; --count) {
        parse_change(&text);
    }
    return text.size;
}
