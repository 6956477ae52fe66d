/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens, locks and renames the files of a trace. While a file is incomplete,
 * its name is NAME.part, because a log without its end would look complete.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "observe/trace_int.h"

#define GMS_TRACE_PART     ".part"
#define GMS_TRACE_FILE_LEN (GMS_TRACE_PATH_LEN + 16)

/* Return 1 if the output is first written under another name, otherwise 0.
 * Devices, pipes and links are written directly. The same applies to files in a
 * directory in which no file can be created. The result is the same in all
 * processes of a job, because the first process removes an old file. */
static int gms_trace_has_part(const gms_trace_config_t *config, unsigned i)
{
    char copy[GMS_TRACE_PATH_LEN];
    struct stat found;

    if (config->ops[i]->is_directory) {
        return 0;
    }
    if (lstat(config->path[i], &found) == 0 && !S_ISREG(found.st_mode)) {
        return 0;
    }
    (void)snprintf(copy, sizeof(copy), "%s", config->path[i]);
    return access(dirname(copy), W_OK | X_OK) == 0;
}

static void gms_trace_path(const gms_trace_config_t *config, unsigned i,
                           char path[GMS_TRACE_FILE_LEN])
{
    (void)snprintf(path, GMS_TRACE_FILE_LEN, "%s%s", config->path[i],
                   config->ops[i]->is_directory    ? "/" GMS_TRACE_SPOOL
                   : gms_trace_has_part(config, i) ? GMS_TRACE_PART
                                                   : "");
}

/* Lock an output, because two jobs must not write to the same file. The process
 * that creates the file locks it exclusively, unless another job holds a lock
 * already. All ranks of the job then share the lock. Files that do not support
 * locks (devices, files on some file systems) are not locked. */
static int gms_trace_lock(int file, int how)
{
    struct stat found;

    if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) {
        return 0;
    }
    return flock(file, how | LOCK_NB) != 0 && errno == EWOULDBLOCK ? -1 : 0;
}

/* Return 1 if the path still refers to the file. Another job may have renamed
 * the file before this process locked it. */
static int gms_trace_is_still(int file, const char *path)
{
    struct stat here, there;

    if (fstat(file, &here) != 0 || stat(path, &there) != 0 ||
        here.st_dev != there.st_dev || here.st_ino != there.st_ino) {
        errno = EWOULDBLOCK;
        return 0;
    }
    return 1;
}

gms_status_t gms_trace_make(const gms_trace_config_t *config, unsigned i)
{
    char path[GMS_TRACE_FILE_LEN];
    struct stat found;
    int file;

    if (config->ops[i]->is_directory && mkdir(config->path[i], 0777) != 0 &&
        errno != EEXIST) {
        return GMS_ERR_SYSTEM;
    }
    gms_trace_path(config, i, path);
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || gms_trace_lock(file, LOCK_EX) != 0 ||
        !gms_trace_is_still(file, path) || fstat(file, &found) != 0 ||
        (S_ISREG(found.st_mode) && ftruncate(file, 0) != 0) ||
        gms_trace_lock(file, LOCK_SH) != 0) {
        return GMS_ERR_SYSTEM;
    }
    if (gms_trace_has_part(config, i) && unlink(config->path[i]) != 0 &&
        errno != ENOENT) {
        return GMS_ERR_SYSTEM;
    }
    return GMS_OK;
}

int gms_trace_open(const gms_trace_config_t *config, unsigned i, int *is_part_p)
{
    char path[GMS_TRACE_FILE_LEN];
    int file, why;

    *is_part_p = gms_trace_has_part(config, i);
    gms_trace_path(config, i, path);
    file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file >= 0 && gms_trace_lock(file, LOCK_SH) != 0) {
        why = errno;
        (void)close(file);
        errno = why;
        file = -1;
    }
    return file;
}

gms_status_t gms_trace_name_whole(const gms_tracer_t *tracer, unsigned i,
                                  char error[GMS_TRACE_ERROR_LEN])
{
    const size_t suffix = sizeof(GMS_TRACE_PART) - 1;
    char from[4096], to[4096], link[64];
    ssize_t length;

    if (!tracer->is_part[i]) {
        return GMS_OK;
    }
    /* use the current path of the file, because the program may have changed
     * its working directory */
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", tracer->files[i]);
    length = readlink(link, from, sizeof(from) - 1);
    if (length < 0) {
        length = snprintf(from, sizeof(from), "%s" GMS_TRACE_PART,
                          tracer->config->path[i]);
    }
    from[length] = '\0';
    if ((size_t)length <= suffix ||
        strcmp(from + length - suffix, GMS_TRACE_PART) != 0) {
        errno = ENOENT; /* another program removed or renamed the file */
    } else {
        (void)snprintf(to, sizeof(to), "%.*s", (int)((size_t)length - suffix),
                       from);
        if (rename(from, to) == 0) {
            return GMS_OK;
        }
    }
    (void)snprintf(error, GMS_TRACE_ERROR_LEN, "cannot rename '%.300s%s': %s",
                   tracer->config->path[i], GMS_TRACE_PART, strerror(errno));
    return GMS_ERR_SYSTEM;
}
