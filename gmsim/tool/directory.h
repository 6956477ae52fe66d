/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates output directories of commands, for example for the options --plot
 * and --data.
 */
#ifndef TOOL_DIRECTORY_H
#define TOOL_DIRECTORY_H

/** Create a directory unless it already exists. If this fails, print a message
 *  on standard error.
 *  @param [in] command  name of the gmsim command in the message, such as
 *    "sweep"
 *  @return 0, or -1 */
int gms_tool_directory_make(const char *command, const char *path);

#endif
