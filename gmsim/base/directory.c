/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the target of a symbolic link and cuts off the file name. The link
 * /proc/self/exe leads to the running program.
 */
#include "base/directory.h"

#include <string.h>
#include <unistd.h>

int gms_directory_of_link(const char *link, char directory[PATH_MAX])
{
    ssize_t len = readlink(link, directory, PATH_MAX);
    char *slash;

    if (len <= 0 || len == PATH_MAX) {
        return -1;
    }
    directory[len] = '\0';
    slash = strrchr(directory, '/');
    if (slash == NULL) {
        return -1;
    }
    *slash = '\0';
    return 0;
}

int gms_directory_of_program(char directory[PATH_MAX])
{
    return gms_directory_of_link("/proc/self/exe", directory);
}
