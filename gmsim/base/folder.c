/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/folder.h"

#include <string.h>
#include <unistd.h>

int gms_folder_of_link(const char *link, char folder[PATH_MAX])
{
    ssize_t len = readlink(link, folder, PATH_MAX);
    char *slash;

    if (len <= 0 || len == PATH_MAX) {
        return -1;
    }
    folder[len] = '\0';
    slash = strrchr(folder, '/');
    if (slash == NULL) {
        return -1;
    }
    *slash = '\0';
    return 0;
}

int gms_folder_of_program(char folder[PATH_MAX])
{
    return gms_folder_of_link("/proc/self/exe", folder);
}
