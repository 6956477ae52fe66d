/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Composes the shell command of a run from the recorded environment variables
 * and the command lines of its ranks, quoted for the shell. If the record does
 * not contain the whole command, the function returns NULL.
 */
#include "report/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"

/* Checks that no character in a word has a special meaning for the shell. */
static int gms_command_is_plain(const char *word)
{
    return word[0] != '\0' &&
           strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                        "0123456789_@%+=:,./-") == strlen(word);
}

/* Quotes bytes as $'..', because the command must contain only characters that
 * a terminal can print. */
static void gms_command_put_bytes(FILE *out, const char *word)
{
    fputs("$'", out);
    for (; *word != '\0'; ++word) {
        unsigned char byte = (unsigned char)*word;

        if (byte == '\'' || byte == '\\') {
            fprintf(out, "\\%c", byte);
        } else if (byte < ' ' || byte > '~') {
            fprintf(out, "\\%03o", byte);
        } else {
            fputc(byte, out);
        }
    }
    fputc('\'', out);
}

static void gms_command_put(FILE *out, const char *word)
{
    if (!gms_is_printable(word)) {
        gms_command_put_bytes(out, word);
    } else if (gms_command_is_plain(word)) {
        fputs(word, out);
    } else {
        fputc('\'', out);
        for (; *word != '\0'; ++word) {
            if (*word == '\'') {
                fputs("'\\''", out);
            } else {
                fputc(*word, out);
            }
        }
        fputc('\'', out);
    }
}

static int gms_command_is_name(const char *name)
{
    return strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                        "0123456789_") == strlen(name);
}

/* Prints the environment variables of the simulation. @return 0: a variable
 * cannot be printed */
static int gms_command_settings(FILE *out, const gms_report_run_t *run)
{
    json_t *settings = json_object_get(run->root, "settings"), *value;
    const char *name;

    json_object_foreach(settings, name, value)
    {
        if (!json_is_string(value) || !gms_command_is_name(name)) {
            return 0;
        }
        fprintf(out, "%s=", name);
        gms_command_put(out, json_string_value(value));
        fputc(' ', out);
    }
    fputs("GMSIM_RECORD=again", out);
    return json_is_object(settings);
}

static int gms_command_words(FILE *out, const json_t *words)
{
    const json_t *word;
    size_t i;

    json_array_foreach(words, i, word)
    {
        if (!json_is_string(word)) {
            return 0;
        }
        fputc(' ', out);
        gms_command_put(out, json_string_value(word));
    }
    return json_array_size(words) > 0;
}

static int gms_command_programs(FILE *out, const gms_report_run_t *run)
{
    const json_t *job = json_object_get(run->root, "job"), *program;
    const json_t *programs = json_object_get(job, "commands");
    int is_launched = json_is_true(json_object_get(job, "launched"));
    json_int_t ranks = 0;
    size_t i;

    if (!is_launched && run->rank_count > 1) {
        return 0; /* the record lacks the command that started the ranks */
    }
    fputs(is_launched ? " mpirun" : "", out);
    json_array_foreach(programs, i, program)
    {
        json_int_t count =
            json_integer_value(json_object_get(program, "ranks"));

        if (is_launched) {
            fprintf(out, "%s -n %lld", i > 0 ? " :" : "", (long long)count);
        }
        if (count < 1 ||
            !gms_command_words(out, json_object_get(program, "words"))) {
            return 0;
        }
        ranks += count;
    }
    return ranks == (json_int_t)run->rank_count;
}

char *gms_report_command(const gms_report_run_t *run)
{
    size_t length = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);
    int is_whole;

    if (out == NULL) {
        return NULL;
    }
    is_whole = gms_command_settings(out, run) && gms_command_programs(out, run);
    if (fclose(out) != 0 || !is_whole) {
        free(text);
        return NULL;
    }
    return text;
}
