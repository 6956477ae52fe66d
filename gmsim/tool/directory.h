/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Output directories of commands, such as those of the options --plot and
 * --data.
 */
#ifndef TOOL_DIRECTORY_H
#define TOOL_DIRECTORY_H

/** Make a folder unless it is there; otherwise say on the standard error why not.
 *  @param [in] command  that wants it, "sweep"
 *  @return 0, or -1 */
int gms_tool_directory_make(const char *command, const char *path);

#endif
