/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "tool/folder.h"

int gms_tool_folder(char folder[PATH_MAX])
{
    ssize_t len = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    char *slash;

    if (len <= 0) {
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
