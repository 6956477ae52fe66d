/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * damage_record [--runs N] [--seed S] RECORD RECORD ..
 *
 * Damages records and reads them. The program cuts a file, flips bits, swaps or
 * removes lines, inserts bytes, or replaces a file with the same file of
 * another record. A damaged record that is still accepted must equal the
 * undamaged record or, if the run was killed, the beginning of the undamaged
 * record. Damage number I depends only on the records, the seed and I.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parse.h"
#include "report/data.h"

enum {
    RECORDS = 8,
    FILES = 3
};

/* Return an empty list, because this program inserts no words into records. */
const char *const *parse_words(void)
{
    static const char *const none[] = {NULL};

    return none;
}

typedef struct record {
    const char *directory;
    char *text[FILES];
    size_t size[FILES];
    char *data; /* data of the record's report */
    size_t windows;
    int is_complete;
} record_t;

static const char *const names[FILES] = {"record.json", "windows.jsonl",
                                         "events.jsonl"};
static record_t records[RECORDS];
static unsigned record_count;
static char directory[64];

static void damage_die(const char *what)
{
    fprintf(stderr, "damage_record: %s\n", what);
    exit(EXIT_FAILURE);
}

static char *damage_read(const char *path, size_t *size_p)
{
    FILE *file = fopen(path, "r");
    char *text;

    if (file == NULL) {
        damage_die(path);
    }
    (void)fseek(file, 0, SEEK_END);
    *size_p = (size_t)ftell(file);
    rewind(file);
    text = malloc(*size_p + 1);
    if (text == NULL || fread(text, 1, *size_p, file) != *size_p) {
        damage_die(path);
    }
    (void)fclose(file);
    return text;
}

static void damage_write(unsigned which, const char *text, size_t size)
{
    char path[128];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", directory, names[which]);
    file = fopen(path, "w");
    if (file == NULL || fwrite(text, 1, size, file) != size ||
        fclose(file) != 0) {
        damage_die(path);
    }
}

/* Return the report's data without the directory's name. */
static char *damage_data(const gms_report_run_t *run)
{
    json_t *data = gms_report_data(run);
    char *text;

    (void)json_object_del(data, "record");
    text = json_dumps(data, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(data);
    return text;
}

static void damage_take(const char *path)
{
    record_t *record = &records[record_count++];
    char error[GMS_REPORT_ERROR_LEN], name[512];
    gms_report_run_t *run = NULL;
    unsigned i;

    record->directory = path;
    if (gms_report_run_load(path, &run, error) != GMS_OK) {
        damage_die(error);
    }
    record->data = damage_data(run);
    record->windows = run->window_count;
    record->is_complete = run->is_complete;
    gms_report_run_destroy(run);
    for (i = 0; i < FILES; ++i) {
        (void)snprintf(name, sizeof(name), "%s/%s", path, names[i]);
        record->text[i] = damage_read(name, &record->size[i]);
    }
}

/* ---- damage ---- */

static void damage_swap(char *text, size_t size, uint64_t *state)
{
    char *first = memchr(text, '\n', size), *second, *line;
    size_t rest, length;

    (void)state;
    if (first == NULL) {
        return;
    }
    rest = size - (size_t)(first + 1 - text);
    second = memchr(first + 1, '\n', rest);
    if (second == NULL) {
        return;
    }
    length = (size_t)(second + 1 - text);
    line = malloc(length);
    if (line == NULL) {
        damage_die("no memory");
    }
    memcpy(line, first + 1, (size_t)(second - first));
    memcpy(line + (second - first), text, (size_t)(first + 1 - text));
    memcpy(text, line, length);
    free(line);
}

/* Remove a line. @return the new size */
static size_t damage_drop(char *text, size_t size, uint64_t *state)
{
    size_t begin = parse_random(state) % (size + 1), end;

    while (begin > 0 && text[begin - 1] != '\n') {
        --begin;
    }
    for (end = begin; end < size && text[end] != '\n'; ++end) {
    }
    end += end < size;
    memmove(text + begin, text + end, size - end);
    return size - (end - begin);
}

static size_t damage_text(char *text, size_t size, uint64_t *state)
{
    size_t at = size > 0 ? parse_random(state) % size : 0;

    switch (parse_random(state) % 7) {
    case 0: /* cut the end of the file */
        return at;
    case 1: /* flip a bit */
        if (size > 0) {
            text[at] = (char)(text[at] ^ (1 << parse_random(state) % 8));
        }
        return size;
    case 2: /* replace a digit with another digit, so the text is still a
             * number */
        while (at < size && (text[at] < '0' || text[at] > '9')) {
            ++at;
        }
        if (at < size) {
            text[at] = (char)('0' + parse_random(state) % 10);
        }
        return size;
    case 3:
        damage_swap(text, size, state);
        return size;
    case 4:
        return damage_drop(text, size, state);
    case 5: /* write zeros, which a file system may leave after a crash */
        memset(text + at, 0, size - at < 16 ? size - at : 16);
        return size;
    default: /* insert a byte */
        memmove(text + at + 1, text + at, size - at);
        text[at] = (char)parse_random(state);
        return size + 1;
    }
}

static void damage_make(const record_t *record, uint64_t *state)
{
    unsigned which = (unsigned)(parse_random(state) % FILES), i;
    const record_t *other = &records[parse_random(state) % record_count];
    int is_mixed = parse_random(state) % 4 == 0;

    for (i = 0; i < FILES; ++i) {
        const record_t *from = is_mixed && i == which ? other : record;
        char *text = malloc(from->size[i] + 2);
        size_t size = from->size[i];

        if (text == NULL) {
            damage_die("no memory");
        }
        memcpy(text, from->text[i], size);
        if (!is_mixed && i == which) {
            size = damage_text(text, size, state);
        }
        damage_write(i, text, size);
        free(text);
    }
}

/* ---- checks of the damaged record ---- */

static int damage_is_harmless(const record_t *record,
                              const gms_report_run_t *run)
{
    char *data = damage_data(run);
    int is_same = data != NULL && strcmp(data, record->data) == 0;

    free(data);
    /* the record of a killed run may seem to end earlier */
    return is_same || (!record->is_complete && !run->is_complete &&
                       run->window_count <= record->windows);
}

static int damage_one(uint64_t seed, uint64_t number, unsigned *read_p)
{
    uint64_t state = seed << 40 ^ number;
    const record_t *record = &records[parse_random(&state) % record_count];
    char error[GMS_REPORT_ERROR_LEN];
    gms_report_run_t *run = NULL;
    int is_good = 1;

    damage_make(record, &state);
    if (gms_report_run_load(directory, &run, error) == GMS_OK) {
        ++*read_p;
        is_good = damage_is_harmless(record, run);
        gms_report_run_destroy(run);
    }
    if (!is_good) {
        fprintf(stderr,
                "damage %llu of seed %llu to %s was not detected, but changed "
                "the run; the damaged record is kept in %s\n",
                (unsigned long long)number, (unsigned long long)seed,
                record->directory, directory);
    }
    return is_good;
}

int main(int argc, char **argv)
{
    uint64_t runs = 1000, seed = 1, i;
    unsigned readable = 0;
    int arg;

    for (arg = 1; arg < argc; ++arg) {
        if (strcmp(argv[arg], "--runs") == 0 && arg + 1 < argc) {
            runs = strtoull(argv[++arg], NULL, 10);
        } else if (strcmp(argv[arg], "--seed") == 0 && arg + 1 < argc) {
            seed = strtoull(argv[++arg], NULL, 10);
        } else if (record_count < RECORDS) {
            damage_take(argv[arg]);
        }
    }
    if (record_count == 0) {
        damage_die("no record was given");
    }
    (void)strcpy(directory, "/tmp/damage.XXXXXX");
    if (mkdtemp(directory) == NULL) {
        damage_die("cannot create a directory");
    }
    for (i = 0; i < runs; ++i) {
        if (!damage_one(seed, i, &readable)) {
            return EXIT_FAILURE;
        }
    }
    printf("%llu damaged records: %llu refused, %u accepted as undamaged\n",
           (unsigned long long)runs, (unsigned long long)(runs - readable),
           readable);
    for (i = 0; i < FILES; ++i) {
        char path[128];

        (void)snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(directory);
    return EXIT_SUCCESS;
}
