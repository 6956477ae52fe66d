/* SPDX-License-Identifier: BSD-3-Clause */
/** Writes parameters as a profile, to which a cluster description can refer. */
#ifndef FIT_PROFILE_H
#define FIT_PROFILE_H

#include <stdio.h>

#include "fit/free.h"
#include "params/profile.h"

/** Set the free parameters, and adapt the parameters that depend on them
 *  (gms_fit_free_follow()). */
void gms_fit_set(const gms_fit_frees_t *frees, const uint64_t *values,
                 const gms_params_t *base, gms_params_t *params);

/** Write the keys `profile` and `parameters`: all parameters that differ from
 *  the profile. Parameters that describe a cluster instead of its hardware are
 *  omitted. */
void gms_fit_write(FILE *file, const gms_profile_t *profile,
                   const gms_params_t *params);

#endif
