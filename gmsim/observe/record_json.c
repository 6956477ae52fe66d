/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes record.json (the root, the flows as text, and the checksum of both)
 * completely or not at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/json_text.h"
#include "observe/record_int.h"

#define GMS_RECORD_NEW_FILE "record.json.new"

/* Print the root object, with the flows as text. */
static void gms_record_print_root(gms_json_text_t *text, json_t *root,
                                  const gms_json_text_t *flows)
{
    const char *key, *comma = "";
    json_t *item;

    gms_json_add_char(text, '{');
    json_object_foreach(root, key, item)
    {
        gms_json_add_line(text, comma, 1);
        gms_json_add_key(text, key);
        gms_json_add_char(text, ' ');
        if (flows != NULL && strcmp(key, GMS_RECORD_FLOWS) == 0) {
            gms_json_add(text, flows->bytes, flows->used);
            text->failed |= flows->failed;
        } else {
            gms_json_print(text, item, 1);
        }
        comma = ",";
    }
}

/* Print the last line, which is the checksum of all previous lines. @return the
 * checksum */
static uint64_t gms_record_print_sum(gms_json_text_t *text)
{
    uint64_t sum = gms_checksum(0, text->bytes, text->used);
    char tail[64];
    int length = snprintf(tail, sizeof(tail), ",\n \"sum\": \"%016llx\"}\n",
                          (unsigned long long)sum);

    gms_json_add(text, tail, (size_t)length);
    return sum;
}

gms_status_t gms_record_save(int directory, json_t *root,
                             const gms_json_text_t *flows, uint64_t *sum_p)
{
    int file = openat(directory, GMS_RECORD_NEW_FILE,
                      O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    gms_json_text_t text = {0};
    int failed = file < 0, why;
    uint64_t sum = 0;

    if (!failed) {
        gms_record_print_root(&text, root, flows);
        sum = gms_record_print_sum(&text);
        failed = text.failed;
        errno = failed ? ENOMEM : errno;
    }
    failed = failed || gms_record_write(file, text.bytes, text.used) != 0;
    why = errno;
    if (file >= 0 && close(file) != 0 && !failed) {
        failed = 1;
        why = errno;
    }
    free(text.bytes);
    json_decref(root);
    errno = why;
    if (failed || renameat(directory, GMS_RECORD_NEW_FILE, directory,
                           GMS_RECORD_FILE) != 0) {
        why = errno;
        (void)unlinkat(directory, GMS_RECORD_NEW_FILE, 0);
        errno = why;
        return GMS_ERR_SYSTEM;
    }
    if (sum_p != NULL) {
        *sum_p = sum;
    }
    return GMS_OK;
}
