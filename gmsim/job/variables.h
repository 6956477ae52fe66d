/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Check for misspelt environment variables. An unknown variable with this
 * project's prefix has no effect, and the run would look correct without the
 * intended setting.
 */
#ifndef JOB_VARIABLES_H
#define JOB_VARIABLES_H

#include <stddef.h>

/** Room for a warning. */
#define GMS_VARIABLE_WARNING_LEN 256

/** All variables that begin with GMSIM_ or MPIQOS_ and mean something
 *  (doc/reference/environment.md), NULL-terminated. Each new one belongs here. */
extern const char *const gms_variables[];

/**
 * The next variable of an environment that begins as ours do and is none.
 *
 * @param [in] environment  as environ
 * @param [in,out] next     where to go on; 0 at first
 * @param [out] warning     "environment variable GMSIM_RECROD is unknown and has no
 *                          effect (did you mean 'GMSIM_RECORD'?)"
 * @return 1: there is one
 */
int gms_variables_unknown(char *const *environment, size_t *next,
                          char warning[GMS_VARIABLE_WARNING_LEN]);

#endif
