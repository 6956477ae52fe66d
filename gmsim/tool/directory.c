/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates an output directory if it does not exist yet, and prints an error
 * message if this fails.
 */
#include "tool/directory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

int gms_tool_directory_make(const char *command, const char *path)
{
    struct stat about;

    if (mkdir(path, 0777) == 0) {
        return 0;
    }
    if (errno == EEXIST && stat(path, &about) == 0) {
        if (S_ISDIR(about.st_mode)) {
            return 0;
        }
        errno = ENOTDIR;
    }
    fprintf(stderr, "gmsim %s: %s: %s\n", command, path, strerror(errno));
    return -1;
}
