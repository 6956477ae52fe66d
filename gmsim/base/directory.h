/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Finds the directory of a file to which a symbolic link points, for example a
 * link in /proc.
 */
#ifndef BASE_DIRECTORY_H
#define BASE_DIRECTORY_H

#include <limits.h>

/**
 * Return the directory of a link's target.
 * @param [out] directory  path without a final slash; undefined if the result
 *                         is -1
 * @return 0; -1 if the path is not a link, or if the target is too long
 */
int gms_directory_of_link(const char *link, char directory[PATH_MAX]);
/** Return the directory of this program. The function resolves symbolic links
 *  to the program. */
int gms_directory_of_program(char directory[PATH_MAX]);

#endif
