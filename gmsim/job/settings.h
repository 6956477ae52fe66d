/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Stores parameters that the program changes before it joins its cluster, and
 * the cluster description to which the changes apply.
 */
#ifndef JOB_SETTINGS_H
#define JOB_SETTINGS_H

#include "cluster/cluster.h"

typedef struct gms_settings {
    gms_params_t values;
    /* one element for each row of the parameter table */
    uint8_t is_set[sizeof(gms_params_t) / sizeof(uint64_t)];
    unsigned count;  /* number of rows that the program has set */
    uint8_t is_read; /* 1 if `described` contains the values of the
                      * description */
    gms_params_t described;
} gms_settings_t;

/** Return 1 if other lines of a description depend on the row. A program cannot
 *  set such a row. */
int gms_settings_is_shape(const gms_param_t *row);
/** Set a row. The value must be in the allowed range of the row. */
void gms_settings_put(gms_settings_t *settings, const gms_param_t *row,
                      uint64_t value);
/** Return the value that the row will have after the process joins. If
 *  necessary, the function reads the description, but at most once.
 *  @return GMS_OK, GMS_ERR_CONFIG (the environment or the description is
 *          invalid) */
gms_status_t gms_settings_get(gms_settings_t *settings, const gms_param_t *row,
                              uint64_t *value_p);
/** Apply the settings to a description. If there are any settings, check the
 *  description again.
 *  @param [out] error  buffer of GMS_YAML_ERROR_LEN bytes
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_settings_apply(const gms_settings_t *settings,
                                gms_cluster_t *cluster,
                                char error[GMS_YAML_ERROR_LEN]);

#endif
