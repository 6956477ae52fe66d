/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the commands that ranks send to their launcher; see pmi_check.h. */
#include "pmi_check.h"

#include <string.h>

/* Number of keys of a command, including the final NULL. */
#define PMI_CHECK_KEYS 3

/* Commands of ranks, and the keys without which the launcher cannot read them. The
 * launcher reads the keys of "init" by their position, and their values are numbers.
 * Commands that add processes to a job, or that only mpiexec sends, are not listed.
 * [source: MPICH 4.0.2, src/pmi/simple/simple_pmi.c] */
static const struct {
    const char *name;
    const char *keys[PMI_CHECK_KEYS];
    int by_place;
} pmi_check_commands[] = {
    {"init", {"pmi_version", "pmi_subversion"}, 1},
    {"initack", {"pmiid"}, 0},
    {"get_maxes", {NULL}, 0},
    {"get_appnum", {NULL}, 0},
    {"get_my_kvsname", {NULL}, 0},
    {"get_universe_size", {NULL}, 0},
    {"get", {"key"}, 0},
    {"put", {"key", "value"}, 0},
    {"barrier_in", {NULL}, 0},
    {"finalize", {NULL}, 0},
    {"abort", {"exitcode"}, 0},
    {"publish_name", {"service", "port"}, 0},
    {"unpublish_name", {"service"}, 0},
    {"lookup_name", {"service"}, 0},
};

/* Find the word that begins at *at or after it, and move *at behind this word. Spaces
 * separate words.
 * @return its length, 0 at the end */
static size_t pmi_check_word(const char **at, const char *end,
                             const char **word)
{
    while (*at < end && **at == ' ') {
        ++*at;
    }
    *word = *at;
    while (*at < end && **at != ' ') {
        ++*at;
    }
    return (size_t)(*at - *word);
}

/* @return 1 if the word is "key" or begins with "key=" */
static int pmi_check_is_key(const char *word, size_t length, const char *key)
{
    size_t key_length = strlen(key);

    return length >= key_length && strncmp(word, key, key_length) == 0 &&
           (length == key_length || word[key_length] == '=');
}

static int pmi_check_is_number(const char *text, const char *end)
{
    while (text < end && *text >= '0' && *text <= '9') {
        ++text;
    }
    return text == end;
}

/* @return 1 if the key has a value. The function checks only the first word with the key,
 * because the launcher uses only this word. If number is not -1, the word must have this
 * index, and the value must be a number */
static int pmi_check_has(const char *at, const char *end, const char *key,
                         int number)
{
    const char *word;
    size_t length, key_length = strlen(key);
    int i;

    for (i = 0; (length = pmi_check_word(&at, end, &word)) > 0; ++i) {
        if (pmi_check_is_key(word, length, key)) {
            return length > key_length + 1 &&
                   (number < 0 ||
                    (number == i && pmi_check_is_number(word + key_length + 1,
                                                        word + length)));
        }
    }
    return 0;
}

/* @return the fault of the words from at to end, or NULL */
static const char *pmi_check_words(const char *at, const char *end)
{
    const char *name = at;
    size_t length = at < end && *at != ' ' ? pmi_check_word(&at, end, &name) : 0;
    size_t count = sizeof(pmi_check_commands) / sizeof(pmi_check_commands[0]);
    size_t i;
    int k;

    for (i = 0; i < count; ++i) {
        if (strlen(pmi_check_commands[i].name) == length &&
            strncmp(pmi_check_commands[i].name, name, length) == 0) {
            break;
        }
    }
    if (i == count) {
        return "its name is not a command that ranks send";
    }
    for (k = 0; k < PMI_CHECK_KEYS && pmi_check_commands[i].keys[k]; ++k) {
        if (!pmi_check_has(at, end, pmi_check_commands[i].keys[k],
                           pmi_check_commands[i].by_place ? k : -1)) {
            return "a required key is missing or has no valid value";
        }
    }
    return NULL;
}

pmi_check_t pmi_check_command(const char *text, size_t bytes, size_t room,
                              size_t *length, const char **why)
{
    static const char start[] = "cmd=";
    const char *end = memchr(text, '\n', bytes);
    size_t known = end != NULL ? (size_t)(end - text) : bytes;
    size_t least = sizeof(start) - 1;

    if (strncmp(text, start, known < least ? known : least) != 0 ||
        (end != NULL && known < least)) {
        *why = "it does not begin with 'cmd='";
        return PMI_CHECK_MALFORMED;
    }
    if (memchr(text, '\0', known) != NULL) {
        *why = "it contains a byte with the value 0";
        return PMI_CHECK_MALFORMED;
    }
    if (end == NULL) {
        *why = "it is longer than the launcher's buffer";
        return bytes < room ? PMI_CHECK_PART : PMI_CHECK_MALFORMED;
    }
    *why = pmi_check_words(text + least, end);
    *length = known + 1;
    return *why == NULL ? PMI_CHECK_WHOLE : PMI_CHECK_MALFORMED;
}
