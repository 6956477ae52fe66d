/* SPDX-License-Identifier: BSD-3-Clause */
/** Extracts the results of a run from its output. */
#ifndef SWEEP_RESULT_H
#define SWEEP_RESULT_H

#include "sweep/sweep.h"

/**
 * Extracts a result of a run.
 *
 * @param [in] directory directory of the run
 * @param [out] value_p the result as a string, which the caller frees
 * @param [out] wrong reason for a failure, for example "stdout has no column
 *   'x'"
 * @return GMS_OK, GMS_ERR_NOT_FOUND with the reason in `wrong`,
 * GMS_ERR_NO_MEMORY
 */
gms_status_t gms_sweep_extract(const gms_sweep_result_t *result,
                               const char *directory, char **value_p,
                               char wrong[GMS_YAML_ERROR_LEN]);

/** Checks whether a run has all results. @return 1, or 0 if a result is missing
 *  or memory is exhausted */
int gms_sweep_has_results(const gms_sweep_t *sweep, const char *directory);

/** Splits a CSV line into its fields, in place. The field "a ""b""" becomes a
 *  "b".
 *  @param [out] fields array with room for `most` pointers into the line
 *  @return number of fields; the function omits fields beyond `most` */
size_t gms_sweep_split(char *line, char **fields, size_t most);
/** Returns the last non-empty line of a text without trailing blanks, or NULL
 *  if there is none. The function modifies the text. */
char *gms_sweep_last_line(char *text);

#endif
