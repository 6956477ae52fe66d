/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records all information that is needed to repeat a run. This information
 * consists of the commands of the ranks, the environment variables of the
 * simulation, and the texts of the policy and the cluster description.
 */
#define _GNU_SOURCE
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "observe/record_int.h"

/* ---- commands ---- */

void gms_record_note_command(gms_arena_t *arena, gms_record_t *record,
                             unsigned rank, const char *words, size_t bytes)
{
    gms_record_command_t *command = &record->commands[rank];

    if (bytes == 0) {
        return;
    }
    command->words = gms_arena_alloc(arena, bytes);
    if (command->words != NULL) {
        memcpy(command->words, words, bytes);
        command->words[bytes - 1] = '\0';
        command->bytes = bytes;
    }
}

/* Return the words of a command. The result is null if a word is not UTF-8,
 * because JSON allows only UTF-8. */
static json_t *gms_record_words(const gms_record_command_t *command)
{
    json_t *words = json_array();
    const char *word = command->words;

    while (word != NULL && word < command->words + command->bytes) {
        if (json_array_append_new(words, json_string(word)) != 0) {
            json_decref(words);
            return json_null();
        }
        word += strlen(word) + 1;
    }
    return words;
}

static int gms_record_is_same_command(const gms_record_command_t *a,
                                      const gms_record_command_t *b)
{
    return a->bytes == b->bytes &&
           (a->bytes == 0 || memcmp(a->words, b->words, a->bytes) == 0);
}

json_t *gms_record_commands(const gms_record_t *record, unsigned ranks)
{
    const gms_record_command_t *commands = record->commands;
    json_t *array = json_array();
    unsigned first = 0, end;

    for (; first < ranks; first = end) {
        for (end = first + 1;
             end < ranks &&
             gms_record_is_same_command(&commands[first], &commands[end]);
             ++end) {
        }
        (void)json_array_append_new(
            array, json_pack("{s:i,s:o}", "ranks", (int)(end - first), "words",
                             gms_record_words(&commands[first])));
    }
    return array;
}

/* ---- settings ---- */

/* Return whether an environment variable influences the run. Variables that
 * control the output or identify the job do not influence the run. */
static int gms_record_is_setting(const char *variable)
{
    static const char *const kinds[] = {"GMSIM_", "MPIQOS_", "MPIR_CVAR_"};
    static const char *const others[] = {
        "GMSIM_RECORD=", "GMSIM_JOB=", "GMSIM_TRACE", "MPIQOS_REPORT=",
        /* the launcher sets the variables with this prefix */
        "MPIR_CVAR_CH3_"};
    unsigned i;

    for (i = 0; i < sizeof(others) / sizeof(others[0]); ++i) {
        if (strncmp(variable, others[i], strlen(others[i])) == 0) {
            return 0;
        }
    }
    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i) {
        if (strncmp(variable, kinds[i], strlen(kinds[i])) == 0) {
            return 1;
        }
    }
    return 0;
}

static int gms_record_compare_settings(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

json_t *gms_record_settings(void)
{
    json_t *object = json_object();
    const char **found;
    size_t count = 0, i;

    for (i = 0; environ != NULL && environ[i] != NULL; ++i) {
        count += (size_t)gms_record_is_setting(environ[i]);
    }
    found = calloc(count + 1, sizeof(*found));
    count = 0;
    for (i = 0; found != NULL && environ != NULL && environ[i] != NULL; ++i) {
        if (gms_record_is_setting(environ[i])) {
            found[count++] = environ[i];
        }
    }
    /* sort by name, because the order of the environment varies */
    if (found != NULL) {
        qsort(found, count, sizeof(*found), gms_record_compare_settings);
    }
    for (i = 0; i < count; ++i) {
        const char *equals = strchr(found[i], '=');
        char name[64];

        if (equals != NULL && (size_t)(equals - found[i]) < sizeof(name)) {
            (void)snprintf(name, sizeof(name), "%.*s", (int)(equals - found[i]),
                           found[i]);
            (void)json_object_set_new(object, name, json_string(equals + 1));
        }
    }
    free(found);
    return object;
}

/* ---- files ---- */

json_t *gms_record_text_of(const char *path)
{
    FILE *file = path != NULL ? fopen(path, "re") : NULL;
    char *text = file != NULL ? malloc(GMS_LIMIT_YAML_BYTES + 1) : NULL;
    json_t *result = NULL;
    size_t bytes;

    if (text != NULL) {
        bytes = fread(text, 1, GMS_LIMIT_YAML_BYTES + 1, file);
        if (bytes <= GMS_LIMIT_YAML_BYTES && !ferror(file)) {
            result = json_pack("{s:s,s:s%}", "file", path, "text", text, bytes);
        }
    }
    free(text);
    if (file != NULL) {
        (void)fclose(file);
    }
    return result != NULL ? result : json_null();
}
