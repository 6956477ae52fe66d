/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Hardware profiles: tables of the differences from the defaults of the
 * parameter table. The defaults are the values of the profile `lanai4.3`. A
 * cluster description names a profile; its other keys change single values.
 */
#ifndef PARAMS_PROFILE_H
#define PARAMS_PROFILE_H

#include "params/params.h"

typedef struct gms_profile_value {
    const char *row; /* name in gms_param_table */
    uint64_t value;
    const char *doc; /* meaning; ends with [source: ..] or [assumed: ..] */
} gms_profile_value_t;

typedef struct gms_profile {
    const char *name;
    const char *doc;                   /* description in one line */
    const char *host_topology;         /* cluster/host_topology.h */
    const gms_profile_value_t *values; /* ends with .row == NULL */
} gms_profile_t;

/** Names of all profiles, the default one first; ends with NULL. */
extern const char *const gms_profile_names[];

/** Return the profile with an index in gms_profile_names. */
const gms_profile_t *gms_profile_at(uint64_t index);
/** Return the profile with a name, or NULL if there is none. */
const gms_profile_t *gms_profile_find(const char *name);
/** Set every parameter to the profile's value. */
void gms_profile_init(const gms_profile_t *profile, gms_params_t *params);
/** Return the value of a profile for a row, or NULL if the profile uses the
 *  default. */
const gms_profile_value_t *gms_profile_value(const gms_profile_t *profile,
                                             const gms_param_t *row);

#endif
