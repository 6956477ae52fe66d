/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to result.c: results from the record of a run. */
#ifndef SWEEP_RESULT_RECORD_H
#define SWEEP_RESULT_RECORD_H

#include "sweep/result.h"

/** As gms_sweep_extract(). @return also GMS_ERR_CONFIG, with the text in wrong:
 *  the record was truncated or changed, which is not a missing value */
gms_status_t gms_sweep_extract_record(const gms_sweep_result_t *result,
                                      const char *directory, char **value_p,
                                      char wrong[GMS_YAML_ERROR_LEN]);

#endif
