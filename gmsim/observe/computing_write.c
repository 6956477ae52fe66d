/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes the file that contains a rank's computing times. The writer collects
 * lines in a buffer and writes them when the buffer is full, so a call rarely
 * needs a system call.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/checksum.h"
#include "observe/computing_int.h"

struct gms_computing_writer {
    int file;
    int error; /* errno of the first failure, or 0 */
    uint64_t calls;
    uint64_t sum;
    size_t used;
    char line[GMS_COMPUTING_LINE_BYTES];
};

static void gms_computing_put(gms_computing_writer_t *writer, const char *text)
{
    size_t length = strlen(text);

    memcpy(writer->line + writer->used, text, length);
    writer->used += length;
}

static void gms_computing_write(gms_computing_writer_t *writer)
{
    size_t done = 0;

    while (writer->error == 0 && done < writer->used) {
        ssize_t bytes =
            write(writer->file, writer->line + done, writer->used - done);

        if (bytes >= 0) {
            done += (size_t)bytes;
        } else if (errno != EINTR) {
            writer->error = errno;
        }
    }
    writer->used = 0;
}

/* End the line and write it. The line does not have its closing brace yet. */
static void gms_computing_end_line(gms_computing_writer_t *writer)
{
    char tail[GMS_COMPUTING_TAIL_BYTES + 1];

    writer->sum = gms_checksum(writer->sum, writer->line, writer->used);
    (void)snprintf(tail, sizeof(tail), GMS_COMPUTING_TAIL,
                   (unsigned long long)writer->sum);
    gms_computing_put(writer, tail);
    writer->sum = gms_checksum(writer->sum, tail, GMS_COMPUTING_TAIL_BYTES);
    gms_computing_write(writer);
}

static void gms_computing_end_calls(gms_computing_writer_t *writer)
{
    if (writer->used > 0) {
        gms_computing_put(writer, "]");
        gms_computing_end_line(writer);
    }
}

gms_status_t gms_computing_create(const char *directory, unsigned rank,
                                  unsigned ranks,
                                  gms_computing_writer_t **writer_p)
{
    gms_computing_writer_t *writer = calloc(1, sizeof(*writer));
    char path[PATH_MAX];
    int error;

    if (writer == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    (void)snprintf(path, sizeof(path), GMS_COMPUTING_PATH, directory, rank);
    writer->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (writer->file < 0) {
        error = errno;
        free(writer);
        errno = error;
        return GMS_ERR_SYSTEM;
    }
    writer->used = (size_t)snprintf(writer->line, sizeof(writer->line),
                                    "{\"schema\":%d,\"rank\":%u,\"ranks\":%u",
                                    GMS_COMPUTING_SCHEMA, rank, ranks);
    gms_computing_end_line(writer);
    *writer_p = writer;
    return GMS_OK;
}

void gms_computing_add(gms_computing_writer_t *writer, const char *name,
                       gms_time_t computed_ps)
{
    char item[GMS_COMPUTING_CALL_BYTES];

    if (writer->used + GMS_COMPUTING_CALL_BYTES > sizeof(writer->line)) {
        gms_computing_end_calls(writer);
    }
    (void)snprintf(item, sizeof(item), "%s\"%.*s\",%llu",
                   writer->used == 0 ? "{\"calls\":[" : ",",
                   GMS_COMPUTING_NAME_LEN - 1, name,
                   (unsigned long long)computed_ps);
    gms_computing_put(writer, item);
    ++writer->calls;
}

int gms_computing_end(gms_computing_writer_t *writer, int has_threads)
{
    int error;

    gms_computing_end_calls(writer);
    writer->used = (size_t)snprintf(
        writer->line, sizeof(writer->line), "{\"end\":%llu,\"threads\":%s",
        (unsigned long long)writer->calls, has_threads ? "true" : "false");
    gms_computing_end_line(writer);
    if (close(writer->file) != 0 && writer->error == 0) {
        writer->error = errno;
    }
    error = writer->error;
    free(writer);
    errno = error;
    return error == 0 ? 0 : -1;
}
