/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tests the reader of records with random bytes as record.json, windows.jsonl
 * and events.jsonl. Lines of "%%" separate the three files. For half of the
 * inputs, the checksums are corrected, so that the later checks are reached.
 * From each accepted record, the test generates the data of a report.
 */
#define _GNU_SOURCE /* memmem */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_memory.h"
#include "base/limits.h"
#include "base/printable.h"
#include "../unit/seal.h"
#include "parse.h"
#include "report/compare.h"
#include "report/data.h"

const char *const *parse_words(void)
{
    static const char *const words[] = {
        "%%",
        "\"end_ps\"",
        "\"flows\":[",
        "\"complete\": false",
        "\"nodes\": ",
        "[1,0,0,0,0,0]",
        "\"window_ps\"",
        "\"links\":[",
        "\"kind\":",
        "\"denial\"",
        "\"label\":",
        "4294967296",
        "9223372036854775807",
        "1e308",
        "null",
        "\\u001b",
        "[[[[",
        "\"words\"",
        "\"text\":",
        NULL,
    };

    return words;
}

static char parse_directory[64];

static void parse_remove(void)
{
    static const char *const names[] = {"record.json", "windows.jsonl",
                                        "events.jsonl"};
    char path[128];
    unsigned i;

    for (i = 0; i < 3; ++i) {
        (void)snprintf(path, sizeof(path), "%s/%s", parse_directory, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(parse_directory);
}

static void parse_begin(void)
{
    if (parse_directory[0] == '\0') {
        (void)snprintf(parse_directory, sizeof(parse_directory),
                       "%s/fuzz.XXXXXX",
                       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        PARSE_CHECK(mkdtemp(parse_directory) != NULL,
                    "cannot create a directory");
        (void)atexit(parse_remove);
        gms_json_limit(GMS_LIMIT_JSON_MEMORY);
    }
}

static void parse_write(const char *name, const uint8_t *data, size_t size)
{
    char path[128];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", parse_directory, name);
    file = fopen(path, "w");
    PARSE_CHECK(file != NULL, "%s", path);
    (void)fwrite(data, 1, size, file);
    (void)fclose(file);
}

/* Return the number of bytes before the next line of "%%". */
static size_t parse_part(const uint8_t *data, size_t size, size_t *skip_p)
{
    const uint8_t *end = memmem(data, size, "\n%%\n", 4);

    *skip_p = end != NULL ? 4 : 0;
    return end != NULL ? (size_t)(end - data) + 1 : size;
}

static void parse_split(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"record.json", "windows.jsonl",
                                        "events.jsonl"};
    unsigned i;

    for (i = 0; i < 3; ++i) {
        size_t skip, part = parse_part(data, size, &skip);

        parse_write(names[i], data, part);
        part += skip > 0 ? skip - 1 : 0;
        data += part;
        size -= part;
    }
}

/*
 * Return the size of the reader's memory for tables. For a third of the inputs,
 * this memory is small, so windows are merged, or the record is refused.
 */
static size_t parse_memory(size_t size)
{
    return size % 3 == 1 ? 1000 + size * 37 % 20000 : GMS_LIMIT_RECORD_MEMORY;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[GMS_REPORT_ERROR_LEN];
    gms_report_run_t *run = NULL;
    gms_compare_t compare;
    json_t *page;

    parse_begin();
    parse_split(data, size);
    if (size % 2 == 0) {
        PARSE_CHECK(seal_directory(parse_directory) == 0,
                    "cannot seal the record");
    }
    memset(error, 'x', sizeof(error));
    if (gms_report_run_load_within(parse_directory, parse_memory(size), &run,
                                   error) != GMS_OK) {
        PARSE_CHECK(memchr(error, '\0', sizeof(error)) != NULL,
                    "the error text is not terminated");
        PARSE_CHECK(error[0] != '\0' && gms_is_printable(error), "'%s'", error);
        return 0;
    }
    page = gms_report_data(run);
    json_decref(page);
    if (gms_compare_runs(run, run, &compare) == GMS_OK) {
        PARSE_CHECK(compare.changed == 0,
                    "a comparison of a run with itself reports differences");
        gms_compare_free(&compare);
    }
    gms_report_run_destroy(run);
    return 0;
}
