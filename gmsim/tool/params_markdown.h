/* SPDX-License-Identifier: BSD-3-Clause */
/** Prints the reference page for gmsim params --markdown. */
#ifndef TOOL_PARAMS_MARKDOWN_H
#define TOOL_PARAMS_MARKDOWN_H

/** Print the reference page of all parameters (doc/reference/parameters.md) to
 *  standard output. The page contains one table for each part of the cluster,
 *  with the values in all profiles. */
void gms_tool_params_markdown(void);

#endif
