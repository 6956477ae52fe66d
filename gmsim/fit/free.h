/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Selects the parameters that a fit changes, and their bounds. A profile has a
 * default list, which the command line can replace.
 */
#ifndef FIT_FREE_H
#define FIT_FREE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "params/params.h"

/** Largest number of free parameters. [chosen: a ping-pong table of 25 sizes
 *  cannot determine more] */
#define GMS_FIT_FREE_MAX 24u
/** If LOW:HIGH is not given, the bounds are the start value divided and
 *  multiplied by this factor. [chosen: three doublings in both directions] */
#define GMS_FIT_FACTOR 8u
/** Length of the buffer for an error message. */
#define GMS_FIT_FREE_ERROR_LEN 320

/** A free parameter. */
typedef struct gms_fit_free {
    const gms_param_t *row;
    uint64_t low,
        high; /* bounds, inclusive; low is at least 1 unless is_step */
    /* 1: the parameter has no useful derivative, because it is a limit in bytes
     * or a choice. The fit tries the possible values. */
    int is_step;
    /* bytes that a limit includes in addition to the MPI message */
    uint64_t header;
} gms_fit_free_t;

typedef struct gms_fit_frees {
    gms_fit_free_t list[GMS_FIT_FREE_MAX];
    size_t count;
} gms_fit_frees_t;

/** Set the default list for the parameters of a base. */
void gms_fit_free_default(const gms_params_t *base, gms_fit_frees_t *frees);

/**
 * Add a parameter, or replace the bounds of a parameter in the list.
 *
 * @param [in]  text   "NAME" or "NAME=LOW:HIGH"
 * @param [in]  base   start values; a start value outside of LOW:HIGH is moved
 *                     to the nearer bound (gms_fit_free_start())
 * @param [out] error  the reason, without a prefix
 * @return GMS_OK, GMS_ERR_INVALID_PARAM
 */
gms_status_t gms_fit_free_add(gms_fit_frees_t *frees, const char *text,
                              const gms_params_t *base,
                              char error[GMS_FIT_FREE_ERROR_LEN]);

/**
 * Set a parameter of the base, and remove the parameter from the list.
 *
 * @param [in]  text   "NAME=VALUE"
 * @param [out] error  the reason, without a prefix
 * @return GMS_OK, GMS_ERR_INVALID_PARAM
 */
gms_status_t gms_fit_free_fix(gms_fit_frees_t *frees, const char *text,
                              gms_params_t *base,
                              char error[GMS_FIT_FREE_ERROR_LEN]);

/** Adapt parameters whose limits depend on other parameters: qos_link_bytes_s
 *  keeps its ratio to link_bytes_s. */
void gms_fit_free_follow(const gms_params_t *before, gms_params_t *params);

/** Return the first value that a fit tries: the value of the base, or the
 *  nearest bound if the value is out of range. If the value of the base is 0,
 *  return the geometric mean of the bounds. */
uint64_t gms_fit_free_start(const gms_fit_free_t *one,
                            const gms_params_t *base);

#endif
