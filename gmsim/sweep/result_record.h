/* SPDX-License-Identifier: BSD-3-Clause */
/* Extracts results from the record of a run. Only result.c uses this header. */
#ifndef SWEEP_RESULT_RECORD_H
#define SWEEP_RESULT_RECORD_H

#include "sweep/result.h"

/** Extracts a result from the record, like gms_sweep_extract().
 *  @return the same values as gms_sweep_extract(), or GMS_ERR_CONFIG with a
 *    message in `wrong` if the record was truncated or changed */
gms_status_t gms_sweep_extract_record(const gms_sweep_result_t *result,
                                      const char *directory, char **value_p,
                                      char wrong[GMS_YAML_ERROR_LEN]);

#endif
