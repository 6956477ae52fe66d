/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares hardware profiles. A profile is a table of the values that differ
 * from the defaults of the parameter table. The defaults themselves are the
 * values of the profile `lanai4.3`. A cluster description names a profile. The
 * other keys of the description change individual values.
 */
#ifndef PARAMS_PROFILE_H
#define PARAMS_PROFILE_H

#include "params/params.h"

typedef struct gms_profile_value {
    const char *row; /* name of the row in gms_param_table */
    uint64_t value;
    const char *doc; /* meaning of the value, followed by a source or an
                      * assumption in brackets */
} gms_profile_value_t;

typedef struct gms_profile {
    const char *name;
    const char *doc;                   /* description of the profile in one
                                        * line */
    const char *host_topology;         /* cluster/host_topology.h */
    const gms_profile_value_t *values; /* the last element has .row == NULL */
} gms_profile_t;

/** Names of all profiles, beginning with the default profile; the last element
 *  is NULL. */
extern const char *const gms_profile_names[];

/** Return the profile with the given index in gms_profile_names. */
const gms_profile_t *gms_profile_at(uint64_t index);
/** Return the profile with the given name, or NULL if it does not exist. */
const gms_profile_t *gms_profile_find(const char *name);
/** Set every parameter to its value in the profile. */
void gms_profile_init(const gms_profile_t *profile, gms_params_t *params);
/** Return a profile's value for a row, or NULL if the profile uses the
 *  default. */
const gms_profile_value_t *gms_profile_value(const gms_profile_t *profile,
                                             const gms_param_t *row);

#endif
