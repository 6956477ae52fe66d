/* SPDX-License-Identifier: BSD-3-Clause */
/* Where this installation is. */
#ifndef TOOL_FOLDER_H
#define TOOL_FOLDER_H

#include <limits.h>

/** The folder that this program is in, links to it resolved.
 *  @param [out] folder  without a slash at its end; undefined after -1
 *  @return 0, or -1 if that is not known */
int gms_tool_folder(char folder[PATH_MAX]);

/** Make a folder unless it is there; otherwise say on the standard error why not.
 *  @param [in] command  that wants it, "sweep"
 *  @return 0, or -1 */
int gms_tool_folder_make(const char *command, const char *path);

#endif
