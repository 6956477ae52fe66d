/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the command line of mpirun from /proc and finds the options that set
 * environment variables. A rank's part of the command line ends with the
 * command of the rank.
 */
#include "job/launch_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Maximum number of processes between a rank and mpirun: the proxy, and
 * programs that start the rank, such as a debugger. [chosen] */
#define GMS_LAUNCH_PARENTS 8

/* ---- words ---- */

/* A range of the words of a command, from `at` to the word before `end`. */
typedef struct gms_launch_part {
    const char *at, *end;
} gms_launch_part_t;

static const char *gms_launch_next(const char *word)
{
    return word + strlen(word) + 1;
}

/* Return 1 if the word is the given option. The option may begin with one or
 * two hyphens. */
static int gms_launch_is(const char *word, const char *option)
{
    return word[0] == '-' &&
           (strcmp(word + 1, option) == 0 ||
            (word[1] == '-' && strcmp(word + 2, option) == 0));
}

/* Extract the next part of the launcher's command line. The part ends before a
 * colon. Set *at to the word after the colon. */
static gms_launch_part_t gms_launch_cut(const char **at, const char *end)
{
    gms_launch_part_t part = {*at, *at};

    while (part.end < end && strcmp(part.end, ":") != 0) {
        part.end = gms_launch_next(part.end);
    }
    *at = part.end < end ? gms_launch_next(part.end) : end;
    return part;
}

/* Remove the command of the rank from the end of a part, so that only options
 * remain. @return 0 if the part has another command */
static int gms_launch_only_options(gms_launch_part_t *part, gms_words_t command)
{
    size_t bytes = (size_t)(part->end - part->at);

    if (command.bytes == 0 || bytes < command.bytes ||
        memcmp(part->end - command.bytes, command.text, command.bytes) != 0 ||
        (bytes > command.bytes && part->end[-(ptrdiff_t)command.bytes - 1])) {
        return 0;
    }
    part->end -= command.bytes;
    return 1;
}

/* Return the number of ranks of a part, or -1 if the options do not contain
 * this number. */
static long gms_launch_ranks(gms_launch_part_t part)
{
    const char *word = part.at, *next;
    long ranks = -1;

    for (; word < part.end; word = next) {
        next = gms_launch_next(word);
        if ((gms_launch_is(word, "n") || gms_launch_is(word, "np")) &&
            next < part.end) {
            ranks = strtol(next, NULL, 10);
        }
    }
    return ranks;
}

/* ---- variables ---- */

typedef struct gms_launch_out {
    char *text;
    size_t used, room; /* used > room means that the words do not fit */
} gms_launch_out_t;

static void gms_launch_put(gms_launch_out_t *out, const char *text,
                           size_t length)
{
    if (out->used + length + 1 <= out->room) {
        memcpy(out->text + out->used, text, length);
        out->text[out->used + length] = '\0';
    }
    out->used += length + 1;
}

/* Copy the variables that the options of a part set: "-env NAME VALUE" or "-env
 * NAME=VALUE". */
static void gms_launch_take(gms_launch_out_t *out, gms_launch_part_t part,
                            const char *option)
{
    const char *word = part.at, *next, *equals;

    for (; word < part.end; word = next) {
        next = gms_launch_next(word);
        if (!gms_launch_is(word, option) || next >= part.end) {
            continue;
        }
        equals = strchr(next, '=');
        word = next;
        next = gms_launch_next(word);
        if (equals == NULL && next >= part.end) {
            continue;
        }
        gms_launch_put(out, "-env", 4);
        if (equals != NULL) {
            gms_launch_put(out, word, (size_t)(equals - word));
            gms_launch_put(out, equals + 1, strlen(equals + 1));
        } else {
            gms_launch_put(out, word, strlen(word));
            gms_launch_put(out, next, strlen(next));
            next = gms_launch_next(next);
        }
    }
}

size_t gms_launch_variables(gms_words_t launcher, gms_words_t command,
                            unsigned rank, char *out, size_t room)
{
    const char *end = launcher.text + launcher.bytes;
    const char *at = launcher.bytes > 0 ? gms_launch_next(launcher.text) : end;
    gms_launch_out_t result = {out, 0, room};
    gms_launch_part_t first = {at, at}, part;
    long before = 0, ranks;

    if (launcher.bytes == 0 || end[-1] != '\0') {
        return 0;
    }
    while (at < end) {
        part = gms_launch_cut(&at, end);
        ranks = gms_launch_ranks(part);
        if (ranks < 0 && (first.end > first.at || at < end)) {
            return 0; /* without a number of ranks, the command can have only
                       * one program */
        }
        if (first.end == first.at) {
            first = part;
        }
        if (ranks < 0 || (long)rank < before + ranks) {
            if (!gms_launch_only_options(&part, command)) {
                return 0;
            }
            /* Variables for all programs are options of the first part. The
             * function would also find an argument "-genv" of the first program
             * itself. */
            gms_launch_take(&result, part.at == first.at ? part : first,
                            "genv");
            gms_launch_take(&result, part, "env");
            return result.used <= room ? result.used : 0;
        }
        before += ranks;
    }
    return 0;
}

/* ---- the command of mpirun ---- */

/* Read a file of a process. @return number of bytes, or 0 if the file does not
 * fit into the buffer */
static size_t gms_launch_read_file(int process, const char *name, char *out,
                                   size_t room)
{
    char path[64];
    size_t bytes = 0;
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", process, name);
    file = fopen(path, "re");
    if (file != NULL) {
        bytes = fread(out, 1, room, file);
        (void)fclose(file);
    }
    return bytes < room ? bytes : 0;
}

static int gms_launch_parent(int process)
{
    char text[1024];
    size_t bytes = gms_launch_read_file(process, "stat", text, sizeof(text));
    const char *name_end;
    int parent = 0;

    /* the format is "PID (NAME) STATE PARENT ...", and the name can contain any
     * characters */
    text[bytes] = '\0';
    name_end = strrchr(text, ')');
    if (name_end == NULL || sscanf(name_end + 1, " %*c %d", &parent) != 1) {
        return 0;
    }
    return parent;
}

static int gms_launch_is_mpirun(const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash != NULL ? slash + 1 : program;

    return strcmp(name, "mpirun") == 0 || strncmp(name, "mpiexec", 7) == 0;
}

size_t gms_launch_words_read(char *out, size_t room)
{
    int process = getppid(), i;
    size_t bytes;

    for (i = 0; i < GMS_LAUNCH_PARENTS && process > 1; ++i) {
        bytes = gms_launch_read_file(process, "cmdline", out, room);
        if (bytes > 0 && out[bytes - 1] == '\0' && gms_launch_is_mpirun(out)) {
            return bytes;
        }
        process = gms_launch_parent(process);
    }
    return 0;
}
