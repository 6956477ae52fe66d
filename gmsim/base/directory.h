/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The directory of a file that is known only by a symbolic link, for example
 * one in /proc.
 */
#ifndef BASE_DIRECTORY_H
#define BASE_DIRECTORY_H

#include <limits.h>

/**
 * The folder of what a link leads to.
 * @param [out] directory  without a slash at its end; undefined after -1
 * @return 0, or -1 if that is not known: no link, or a name longer than that
 */
int gms_directory_of_link(const char *link, char directory[PATH_MAX]);
/** .. of this program, links to it resolved. */
int gms_directory_of_program(char directory[PATH_MAX]);

#endif
