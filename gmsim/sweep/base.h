/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Creates the cluster descriptions of the runs of a sweep. A description is the
 * base description with some values replaced.
 */
#ifndef SWEEP_BASE_H
#define SWEEP_BASE_H

#include "sweep/sweep.h"

/** Checks whether a setting may have this name. Valid names are `profile`,
 *  `host_topology` and the names of the parameters.
 *  @param [out] best_p  the valid name that is most similar, or NULL */
int gms_sweep_is_setting(const char *name, const char **best_p);

/** Returns the path of a file in a directory, or NULL if memory is exhausted.
 *  The caller frees the path. */
char *gms_sweep_join(const char *directory, const char *name);

/** Reads a description unchanged.
 *  @return the contents of the file, which the caller frees, or NULL with the
 *    reason in errno */
char *gms_sweep_read(const char *path, size_t *len_p);

/**
 * Replaces or adds a value at the position that the description uses: at the
 * top level, below `parameters:` or below `fabric:`. All other values remain
 * unchanged. Comments are removed.
 *
 * @param [in] base text of a description that gms_cluster_load() accepts
 * @param [out] text_p the caller frees the text
 * @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_CONFIG (base is not a YAML
 *         mapping)
 */
gms_status_t gms_sweep_edit(const char *base, const char *const *names,
                            const char *const *values, size_t count,
                            char **text_p);
/** Creates the description of a run: the base description with the settings of
 *  the run and, unless a setting contains the seed, the seed of the run.
 *  @return the same values as gms_sweep_edit() or gms_sweep_setting() */
gms_status_t gms_sweep_description(const gms_sweep_t *sweep, uint64_t run,
                                   char **text_p,
                                   char wrong[GMS_YAML_ERROR_LEN]);
/**
 * Checks the description of a run.
 *
 * @param [out] error "FILE:LINE: point 3: key ..": the line of the setting, or
 *              the first line of `set:`
 * @return GMS_OK, GMS_ERR_CONFIG
 */
gms_status_t gms_sweep_check_run(const gms_sweep_t *sweep, uint64_t run,
                                 char error[GMS_YAML_ERROR_LEN]);

#endif
