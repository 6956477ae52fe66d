/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the two line-based files of a record. Every line ends with a checksum,
 * which covers record.json at the start of the run and the file so far. A
 * reader can therefore detect changed lines and lines of another run, even if
 * the run was killed and the record has no end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "observe/record_int.h"

const char *const gms_record_file_names[GMS_RECORD_FILES] = {
    [GMS_RECORD_WINDOWS] = GMS_RECORD_WINDOWS_FILE,
    [GMS_RECORD_EVENTS] = GMS_RECORD_EVENTS_FILE,
};

int gms_record_write(int file, const char *text, size_t bytes)
{
    while (bytes > 0) {
        ssize_t done = write(file, text, bytes);

        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return -1;
        }
        text += done;
        bytes -= (size_t)done;
    }
    return 0;
}

gms_status_t gms_record_make_files(int directory, gms_record_t *record,
                                   uint64_t sum)
{
    unsigned which;

    for (which = 0; which < GMS_RECORD_FILES; ++which) {
        int file = openat(directory, gms_record_file_names[which],
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

        if (file < 0 || close(file) != 0) {
            return GMS_ERR_SYSTEM;
        }
        record->files[which] = (gms_record_file_t){.sum = sum};
    }
    record->start = sum;
    return GMS_OK;
}

/* A full disk must not end the run; gms_recorder_end() reports the error. After
 * the first failure, no more lines are written, because a reader would treat
 * these lines as the continuation of the failed line. */
void gms_record_append(gms_recorder_t *recorder, enum gms_record_which which,
                       const char *text, size_t bytes)
{
    gms_record_file_t *file = &recorder->record->files[which];

    if (file->error != 0 || bytes == 0) {
        return;
    }
    if (recorder->files[which] < 0) {
        recorder->files[which] =
            openat(recorder->directory, gms_record_file_names[which],
                   O_WRONLY | O_APPEND | O_CLOEXEC);
    }
    if (recorder->files[which] < 0 ||
        gms_record_write(recorder->files[which], text, bytes) != 0) {
        file->error = errno;
    }
    file->bytes += bytes;
}

void gms_record_add_sum(gms_recorder_t *recorder, enum gms_record_which which,
                        const char *text, size_t bytes)
{
    gms_record_file_t *file = &recorder->record->files[which];

    file->sum = gms_checksum(file->sum, text, bytes);
}

size_t gms_record_end_line(gms_recorder_t *recorder,
                           enum gms_record_which which,
                           char tail[GMS_RECORD_TAIL_BYTES + 1])
{
    gms_record_file_t *file = &recorder->record->files[which];

    ++file->lines;
    return (size_t)snprintf(tail, GMS_RECORD_TAIL_BYTES + 1,
                            ",\"sum\":\"%016llx\"}\n",
                            (unsigned long long)file->sum);
}

json_t *gms_record_files(const gms_record_t *record)
{
    json_t *object = json_object();
    char sum[GMS_CHECKSUM_DIGITS + 1];
    unsigned which;

    for (which = 0; which < GMS_RECORD_FILES; ++which) {
        const gms_record_file_t *file = &record->files[which];

        (void)snprintf(sum, sizeof(sum), "%016llx",
                       (unsigned long long)file->sum);
        (void)json_object_set_new(
            object, gms_record_file_names[which],
            json_pack("{s:I,s:I,s:s}", "bytes", (json_int_t)file->bytes,
                      "lines", (json_int_t)file->lines, "sum", sum));
    }
    return object;
}

int gms_record_is_lost(const gms_record_t *record, char *why, size_t room)
{
    unsigned which;

    for (which = 0; which < GMS_RECORD_FILES; ++which) {
        if (record->files[which].error != 0) {
            (void)snprintf(why, room, "cannot write %s: %s",
                           gms_record_file_names[which],
                           strerror(record->files[which].error));
            return 1;
        }
    }
    return 0;
}
