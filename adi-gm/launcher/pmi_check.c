/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks the commands that ranks send to their launcher; see pmi_check.h. */
#include "pmi_check.h"

#include <stdio.h>
#include <string.h>

/* Number of keys of a command, including the final NULL. */
#define PMI_CHECK_KEYS 3

/* Commands of ranks, and the keys without which the launcher cannot read them. The
 * launcher reads the keys of "init" by their position, and their values are numbers.
 * Commands that only mpiexec sends are not listed; pmi_check_spawn() checks the command
 * that adds processes to a job.
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

/* ---- the command that adds processes to a job ---- */

#define PMI_CHECK_SPAWN "mcmd=spawn\n"
#define PMI_CHECK_END   "endcmd\n"
/* Limits of one MPI_Comm_spawn: the number of processes, and the number of programs, of
 * arguments of a program, and of info keys of a program. The launcher's own limit is 1000
 * arguments of a program. */
#define PMI_CHECK_MOST_PROCESSES 65536
#define PMI_CHECK_MOST_ITEMS     900

/* Find the first line "KEY=VALUE" with this key. If index is not -1, the key ends with this
 * number.
 * @return the value, or NULL; *length is the length of the value */
static const char *pmi_check_line(const char *at, const char *end,
                                  const char *key, int index, size_t *length)
{
    char full[32];
    size_t key_length;

    if (index < 0) {
        snprintf(full, sizeof(full), "%s=", key);
    } else {
        snprintf(full, sizeof(full), "%s%d=", key, index);
    }
    key_length = strlen(full);
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));

        if (line_end == NULL) {
            break;
        }
        if ((size_t)(line_end - at) >= key_length &&
            strncmp(at, full, key_length) == 0) {
            *length = (size_t)(line_end - at) - key_length;
            return at + key_length;
        }
        at = line_end + 1;
    }
    return NULL;
}

/* @return the number in the line of this key, or -1 if it is missing or out of range */
static int pmi_check_count(const char *at, const char *end, const char *key,
                           int least, int most)
{
    size_t length = 0, i;
    const char *value = pmi_check_line(at, end, key, -1, &length);
    int number = 0;

    if (value == NULL || length == 0 || length > 6 ||
        !pmi_check_is_number(value, value + length)) {
        return -1;
    }
    for (i = 0; i < length; ++i) {
        number = 10 * number + (value[i] - '0');
    }
    return number >= least && number <= most ? number : -1;
}

/* @return 1 if the lines KEYn have values for all n from first to first + count - 1 */
static int pmi_check_list(const char *at, const char *end, const char *key,
                          int first, int count)
{
    size_t length;
    int i;

    for (i = first; i < first + count; ++i) {
        if (pmi_check_line(at, end, key, i, &length) == NULL) {
            return 0;
        }
    }
    return count >= 0;
}

/* @return 1 if every line from at to end is "KEY=VALUE" */
static int pmi_check_lines(const char *at, const char *end)
{
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        const char *equals = memchr(at, '=', (size_t)(line_end - at));

        if (equals == NULL || equals == at) {
            return 0;
        }
        at = line_end + 1;
    }
    return 1;
}

/* @return the fault of the lines from at to end, the last of which ends at end; or NULL */
static const char *pmi_check_spawn(const char *at, const char *end)
{
    const int most = PMI_CHECK_MOST_ITEMS;
    size_t length = 0;
    const char *program = pmi_check_line(at, end, "execname", -1, &length);

    if (!pmi_check_lines(at, end)) {
        return "a line is not 'KEY=VALUE'";
    }
    if (program == NULL || length == 0 ||
        pmi_check_count(at, end, "nprocs", 1, PMI_CHECK_MOST_PROCESSES) < 0 ||
        pmi_check_count(at, end, "totspawns", 1, most) < 0 ||
        pmi_check_count(at, end, "spawnssofar", 1, most) < 0 ||
        !pmi_check_list(at, end, "arg", 1,
                        pmi_check_count(at, end, "argcnt", 0, most)) ||
        !pmi_check_list(at, end, "preput_key_", 0,
                        pmi_check_count(at, end, "preput_num", 0, most)) ||
        !pmi_check_list(at, end, "preput_val_", 0,
                        pmi_check_count(at, end, "preput_num", 0, most)) ||
        !pmi_check_list(at, end, "info_key_", 0,
                        pmi_check_count(at, end, "info_num", 0, most)) ||
        !pmi_check_list(at, end, "info_val_", 0,
                        pmi_check_count(at, end, "info_num", 0, most))) {
        return "a required key is missing or has no valid value";
    }
    return NULL;
}

/* Find the end of the command like the launcher, which accepts any line that ends with
 * "endcmd". The data begin with PMI_CHECK_SPAWN, or with a part of it. */
static pmi_check_t pmi_check_lines_of_spawn(const char *text, size_t bytes,
                                            size_t room, size_t *length,
                                            const char **why)
{
    const size_t end_length = sizeof(PMI_CHECK_END) - 1;
    const size_t start_length = sizeof(PMI_CHECK_SPAWN) - 1;
    size_t i;

    for (i = 0; i + end_length <= bytes; ++i) {
        if (text[i] == '\0') {
            *why = "it contains a byte with the value 0";
            return PMI_CHECK_MALFORMED;
        }
        if (strncmp(text + i, PMI_CHECK_END, end_length) == 0) {
            break;
        }
    }
    if (i + end_length > bytes) {
        *why = "it is longer than the launcher's buffer";
        return bytes < room ? PMI_CHECK_PART : PMI_CHECK_MALFORMED;
    }
    if (text[i - 1] != '\n') {
        *why = "a value ends with 'endcmd'";
        return PMI_CHECK_MALFORMED;
    }
    *why = pmi_check_spawn(text + start_length, text + i);
    *length = i + end_length;
    return *why == NULL ? PMI_CHECK_WHOLE : PMI_CHECK_MALFORMED;
}

pmi_check_t pmi_check_command(const char *text, size_t bytes, size_t room,
                              size_t *length, const char **why)
{
    static const char start[] = "cmd=";
    const size_t spawn = sizeof(PMI_CHECK_SPAWN) - 1;
    const char *end = memchr(text, '\n', bytes);
    size_t known = end != NULL ? (size_t)(end - text) : bytes;
    size_t least = sizeof(start) - 1;

    if (bytes > 0 && strncmp(text, PMI_CHECK_SPAWN,
                             bytes < spawn ? bytes : spawn) == 0) {
        return pmi_check_lines_of_spawn(text, bytes, room, length, why);
    }
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
