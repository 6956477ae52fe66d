/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements gmsim config check --policy, which checks a policy file for a job
 * of a given size.
 */
#ifndef TOOL_CONFIG_POLICY_H
#define TOOL_CONFIG_POLICY_H

/**
 * Read a policy file as libmpiqos does (MPIQOS_POLICY), and print its rules.
 * Errors in the file are printed on stderr.
 *
 * @param [in] ranks number of ranks of the job, at least 1
 * @return GMS_TOOL_OK, GMS_TOOL_WRONG
 */
int gms_config_policy(const char *path, unsigned ranks);

#endif
