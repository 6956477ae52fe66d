/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Cluster descriptions of the runs of a sweep: the base description with some
 * values replaced.
 */
#ifndef SWEEP_BASE_H
#define SWEEP_BASE_H

#include "sweep/sweep.h"

/** Whether a setting can have this name: a parameter, `profile` or
 *  `host_topology`. @param [out] best_p  what may be meant; NULL: no idea */
int gms_sweep_is_setting(const char *name, const char **best_p);

/** Path of a file in a folder. @return allocated; NULL without memory */
char *gms_sweep_join(const char *directory, const char *name);

/** Read a description as it is. @return its text, allocated; NULL with errno */
char *gms_sweep_read(const char *path, size_t *len_p);

/**
 * Replace or add a value wherever the description has it: at the top, below
 * `parameters:` or below `fabric:`. All else stays, without comments.
 *
 * @param [in]  base    text of a description that gms_cluster_load() takes
 * @param [out] text_p  allocated
 * @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_CONFIG (base is no YAML mapping)
 */
gms_status_t gms_sweep_edit(const char *base, const char *const *names,
                            const char *const *values, size_t count,
                            char **text_p);
/** The description of a run: the base with its settings and, unless it is set,
 *  its seed.
 *  @return as gms_sweep_edit(), or as gms_sweep_setting() */
gms_status_t gms_sweep_description(const gms_sweep_t *sweep, uint64_t run,
                                   char **text_p,
                                   char wrong[GMS_YAML_ERROR_LEN]);
/**
 * Is the description of a run right?
 *
 * @param [out] error  "FILE:LINE: point 3: key ..": the line of the setting, or
 *                     of `set:`'s first
 * @return GMS_OK, GMS_ERR_CONFIG
 */
gms_status_t gms_sweep_check_run(const gms_sweep_t *sweep, uint64_t run,
                                 char error[GMS_YAML_ERROR_LEN]);

#endif
