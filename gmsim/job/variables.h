/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Checks for misspelt environment variables. An unknown variable that begins
 * with this project's prefix has no effect. Without a warning, the user would
 * not notice that the intended setting is missing.
 */
#ifndef JOB_VARIABLES_H
#define JOB_VARIABLES_H

#include <stddef.h>

/** Size of the buffer for a warning. */
#define GMS_VARIABLE_WARNING_LEN 256

/** All valid variables that begin with GMSIM_ or MPIQOS_
 *  (doc/reference/environment.md), NULL-terminated. Add every new variable to
 *  this list. */
extern const char *const gms_variables[];

/**
 * Find the next unknown variable with one of this project's prefixes in an
 * environment.
 *
 * @param [in] environment  array in the format of environ
 * @param [in,out] next     index at which the search continues; 0 for the first
 *   call
 * @param [out] warning     "environment variable GMSIM_RECROD is unknown and
 *                          has no effect (did you mean 'GMSIM_RECORD'?)"
 * @return 1 if an unknown variable was found
 */
int gms_variables_unknown(char *const *environment, size_t *next,
                          char warning[GMS_VARIABLE_WARNING_LEN]);

#endif
