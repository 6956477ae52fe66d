/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the temporary file, copies the permissions of an existing target to
 * it, and renames it at the end. If no temporary file can replace the target,
 * the functions write directly to the target. A direct write is necessary for
 * devices and pipes, and in directories without write permission.
 */
#define _GNU_SOURCE
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tidy.h"

/* The file that replaces standard output. */
static gms_output_t gms_output_stdout;

/** Return the access mode of the new file, which is the mode of the old file or
 *  the mode that fopen() would use. */
static mode_t gms_output_mode(const char *path)
{
    struct stat old;
    mode_t mask;

    if (stat(path, &old) == 0) {
        return old.st_mode & 0777;
    }
    mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

static int gms_output_directly(gms_output_t *output, const char *path)
{
    *output = (gms_output_t){.file = fopen(path, "w")};
    return (output->file != NULL) ? 0 : -1;
}

/** Create a new file in the directory of `path`. @return its descriptor, or
 *  -1 */
static int gms_output_temporary(const char *path, char **name_p)
{
    const char *slash = strrchr(path, '/');
    int len = (slash != NULL) ? (int)(slash - path) + 1 : 0, fd, is_known;
    sigset_t all, before;
    char *name;

    if (asprintf(&name, "%.*s.gmsim-XXXXXX", len, path) < 0) {
        errno = ENOMEM;
        return -1;
    }
    /* block signals, because no signal may be handled between the creation of
     * the file and its registration */
    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, &before);
    fd = mkostemp(name, O_CLOEXEC);
    is_known = fd >= 0 && gms_tidy_add(name) == 0;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (is_known) {
        *name_p = name;
        return fd;
    }
    if (fd >= 0) {
        (void)unlink(name);
        (void)close(fd);
        errno = EMFILE;
    }
    free(name);
    return -1;
}

int gms_output_open(gms_output_t *output, const char *path)
{
    char *real = realpath(path, NULL); /* if the path is a link, write to the
                                        * link's target and keep the link */
    struct stat old;
    int fd;

    memset(output, 0, sizeof(*output));
    if (strcmp(path, "-") == 0) {
        free(real);
        output->file = stdout;
        return 0;
    }
    if (real != NULL && stat(real, &old) == 0 && !S_ISREG(old.st_mode)) {
        free(real);
        return gms_output_directly(output, path);
    }
    output->path = (real != NULL) ? real : strdup(path);
    if (output->path == NULL) {
        return -1;
    }
    fd = gms_output_temporary(output->path, &output->temporary);
    if (fd >= 0) {
        (void)fchmod(fd, gms_output_mode(output->path));
        output->file = fdopen(fd, "w");
        return 0;
    }
    free(output->path);
    /* a directory without write permission may contain an existing file with
     * write permission */
    return (real != NULL) ? gms_output_directly(output, path) : -1;
}

int gms_output_close(gms_output_t *output, int is_good)
{
    int error = 0;

    if (output->file == stdout) {
        return 0; /* main() checks for errors of the standard output */
    }
    errno = 0;
    if (ferror(output->file) || fflush(output->file) != 0) {
        error = (errno != 0) ? errno : EIO;
    }
    if (fclose(output->file) != 0 && error == 0) {
        error = errno;
    }
    if (output->temporary != NULL) {
        if (is_good && error == 0 &&
            rename(output->temporary, output->path) != 0) {
            error = errno;
        }
        if (!is_good || error != 0) {
            (void)unlink(output->temporary);
        }
        gms_tidy_forget(output->temporary);
        free(output->path);
    }
    memset(output, 0, sizeof(*output));
    errno = error;
    return (error == 0) ? 0 : -1;
}

int gms_output_redirect(const char *path)
{
    if (strcmp(path, "-") == 0 ||
        gms_output_open(&gms_output_stdout, path) != 0) {
        return (strcmp(path, "-") == 0) ? 0 : -1;
    }
    if (fflush(stdout) != 0 ||
        dup2(fileno(gms_output_stdout.file), STDOUT_FILENO) < 0) {
        return -1;
    }
    return 0;
}

int gms_output_end(int is_good)
{
    int error = 0;

    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        /* errno is 0 at this point if the output failed earlier */
        error = (errno != 0) ? errno : EIO;
    }
    if (gms_output_stdout.file != NULL &&
        gms_output_close(&gms_output_stdout, is_good && error == 0) != 0) {
        error = (error != 0) ? error : errno;
    }
    errno = error;
    return (error == 0) ? 0 : -1;
}
