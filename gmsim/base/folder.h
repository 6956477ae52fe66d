/* SPDX-License-Identifier: BSD-3-Clause */
/** Where a file is that is known as a link, such as /proc has. */
#ifndef BASE_FOLDER_H
#define BASE_FOLDER_H

#include <limits.h>

/**
 * The folder of what a link leads to.
 * @param [out] folder  without a slash at its end; undefined after -1
 * @return 0, or -1 if that is not known: no link, or a name longer than that
 */
int gms_folder_of_link(const char *link, char folder[PATH_MAX]);
/** .. of this program, links to it resolved. */
int gms_folder_of_program(char folder[PATH_MAX]);

#endif
