/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Parses and prints the time modes, which define how the computation of a
 * program advances virtual time: "virtual", "measured", "wall:2.5". The modes
 * are values of the key `time` in a cluster description and of the environment
 * variable GMSIM_TIME. Only GMSIM_TIME may have the value "recorded:RECORD".
 * The header engine/gate.h explains the modes.
 */
#ifndef CLUSTER_TIME_MODE_H
#define CLUSTER_TIME_MODE_H

#include "params/params.h"
#include "base/status.h"

/** Length of the buffer for a mode as a string, including the final 0. */
#define GMS_TIME_TEXT_LEN 40
/** Length of the buffer for an error message. */
#define GMS_TIME_ERROR_LEN 256

/** List of the allowed values, for messages. */
extern const char gms_time_allowed[];

/**
 * Parse a mode from a string.
 *
 * @param [out] mode_p enum gms_time_mode; changed only if the function returns
 *   GMS_OK
 * @param [out] factor_ppm_p 1 to 10^12; 0 if the string has no factor; changed
 *   only if the function returns GMS_OK
 * @return GMS_OK, GMS_ERR_CONFIG
 */
gms_status_t gms_time_parse(const char *text, uint64_t *mode_p,
                            uint64_t *factor_ppm_p);

/**
 * Replace the mode of params by the value of GMSIM_TIME. If this value contains
 * no factor, the factor is 1.
 *
 * @param [in]  text   the variable's value; NULL or empty: nothing is replaced
 * @param [out] error  "environment variable GMSIM_TIME: value ..."
 * @return GMS_OK, GMS_ERR_CONFIG
 */
gms_status_t gms_time_replace(const char *text, gms_params_t *params,
                              char error[GMS_TIME_ERROR_LEN]);

/** Return the mode of params as a string, for example "measured:2.5". */
const char *gms_time_text(const gms_params_t *params,
                          char text[GMS_TIME_TEXT_LEN]);

#endif
