/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Parameters that the program has changed before it joins its cluster, and the
 * cluster description to which the changes apply.
 */
#ifndef JOB_SETTINGS_H
#define JOB_SETTINGS_H

#include "cluster/cluster.h"

typedef struct gms_settings {
    gms_params_t values;
    uint8_t is_set[sizeof(gms_params_t) / sizeof(uint64_t)]; /* by row */
    unsigned count;  /* of rows that are set */
    uint8_t is_read; /* described is what the description says */
    gms_params_t described;
} gms_settings_t;

/** 1 if other lines of a description depend on the row, so that only the
 *  description can say it. */
int gms_settings_is_shape(const gms_param_t *row);
/** Value is in the row's range. */
void gms_settings_put(gms_settings_t *settings, const gms_param_t *row,
                      uint64_t value);
/** What the row is going to be; reads the description for it, once.
 *  @return GMS_OK, GMS_ERR_CONFIG (the environment or the description is wrong) */
gms_status_t gms_settings_get(gms_settings_t *settings, const gms_param_t *row,
                              uint64_t *value_p);
/** Change a description, and check it again if that changes anything.
 *  @param [out] error  of GMS_YAML_ERROR_LEN
 *  @return GMS_OK, GMS_ERR_CONFIG */
gms_status_t gms_settings_apply(const gms_settings_t *settings,
                                gms_cluster_t *cluster,
                                char error[GMS_YAML_ERROR_LEN]);

#endif
