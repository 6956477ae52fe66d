/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies the hand-written record with a test's changes, recomputes the
 * checksums (seal.c) or deliberately leaves invalid checksums, and loads the
 * copy.
 */
#include "report_rig.h"

#include "text_file.h"
#include "seal.h"

#include <string.h>
#include <unistd.h>

static const char *const files[] = {"record.json", "windows.jsonl",
                                    "events.jsonl"};

char rig_directory[] = "/tmp/test_report.XXXXXX";

int rig_setup(void)
{
    return mkdtemp(rig_directory) == NULL;
}

static void path_of(const char *file, char path[256])
{
    (void)snprintf(path, 256, "%s/%s", rig_directory, file);
}

int rig_teardown(void)
{
    char path[256];
    unsigned i;

    for (i = 0; i < 3; ++i) {
        path_of(files[i], path);
        (void)unlink(path);
    }
    return rmdir(rig_directory);
}

static char *text_of(const char *file)
{
    char path[512], *text = calloc(1, 65536);
    FILE *stream;

    (void)snprintf(path, sizeof(path), "%s/small/%s", TESTS_RECORDS, file);
    stream = fopen(path, "r");
    CU_ASSERT_FATAL(stream != NULL && text != NULL);
    (void)!fread(text, 1, 65535, stream);
    (void)fclose(stream);
    return text;
}

static void change(char *text, const rig_change_t *edit)
{
    char *at = strstr(text, edit->from), *rest;

    if (at == NULL) {
        printf("\n    '%s' is not in %s\n", edit->from, edit->file);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    rest = strdup(at + strlen(edit->from));
    CU_ASSERT_PTR_NOT_NULL_FATAL(rest);
    (void)sprintf(at, "%s%s", edit->to, rest);
    free(rest);
}

void rig_write(const rig_change_t *changes)
{
    char path[256];
    unsigned i;

    for (i = 0; i < 3; ++i) {
        char *text = text_of(files[i]);
        const rig_change_t *next;
        FILE *stream;

        for (next = changes; next != NULL && next->file != NULL; ++next) {
            if (strcmp(next->file, files[i]) == 0) {
                change(text, next);
            }
        }
        path_of(files[i], path);
        stream = fopen(path, "w");
        CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
        (void)fputs(text, stream);
        (void)fclose(stream);
        free(text);
    }
    CU_ASSERT_EQUAL_FATAL(seal_directory(rig_directory), 0);
}

gms_status_t rig_load(const rig_change_t *changes, gms_report_run_t **run_p,
                      char error[GMS_REPORT_ERROR_LEN])
{
    rig_write(changes);
    return gms_report_run_load(rig_directory, run_p, error);
}

gms_report_run_t *rig_run(const rig_change_t *changes)
{
    char error[GMS_REPORT_ERROR_LEN];
    gms_report_run_t *run = NULL;

    rig_write(changes);
    if (gms_report_run_load_parts(rig_directory, &run, error) != GMS_OK) {
        printf("\n    %s\n", error);
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(run);
    return run;
}

void rig_cut(const char *file, size_t bytes)
{
    char path[256];
    FILE *stream;
    long size;

    path_of(file, path);
    stream = fopen(path, "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(stream);
    (void)fseek(stream, 0, SEEK_END);
    size = ftell(stream);
    (void)fclose(stream);
    CU_ASSERT_EQUAL_FATAL(truncate(path, size - (long)bytes), 0);
}

static char *rig_take(const char *file)
{
    char path[256], *text = calloc(1, 65536);
    FILE *stream;

    path_of(file, path);
    stream = fopen(path, "r");
    CU_ASSERT_FATAL(stream != NULL && text != NULL);
    (void)!fread(text, 1, 65535, stream);
    (void)fclose(stream);
    return text;
}

static void rig_put(const char *file, const char *text)
{
    char path[256];

    path_of(file, path);
    write_text(path, text);
}

void rig_flip(const char *file, const char *from, const char *to)
{
    char *text = rig_take(file), *at = strstr(text, from);

    CU_ASSERT_FATAL(at != NULL && strlen(from) == strlen(to));
    memcpy(at, to, strlen(to));
    rig_put(file, text);
    free(text);
}

void rig_mix(const char *file, const rig_change_t *changes)
{
    static const char *const all[] = {"record.json", "windows.jsonl",
                                      "events.jsonl"};
    char *texts[3], *other;
    unsigned i;

    for (i = 0; i < 3; ++i) {
        texts[i] = rig_take(all[i]);
    }
    rig_write(changes);
    other = rig_take(file);
    for (i = 0; i < 3; ++i) {
        rig_put(all[i], strcmp(all[i], file) == 0 ? other : texts[i]);
        free(texts[i]);
    }
    free(other);
}

json_int_t rig_int(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

const char *rig_finding(const json_t *data, const char *part)
{
    const json_t *finding;
    size_t i;

    json_array_foreach(json_object_get(data, "findings"), i, finding)
    {
        const char *text = json_string_value(json_object_get(finding, "text"));

        if (strstr(text, part) != NULL) {
            return text;
        }
    }
    return "";
}
