/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Hardware profiles: tables of the differences from the defaults of the
 * parameter table, which are those of the profile `lanai4.3`. A cluster
 * description names one; its other keys change single values of it.
 */
#ifndef PARAMS_PROFILE_H
#define PARAMS_PROFILE_H

#include "params/params.h"

typedef struct gms_profile_value {
    const char *row; /* name in gms_param_table */
    uint64_t value;
    const char *doc; /* what it is, ends with [source: ..] or [assumed: ..] */
} gms_profile_value_t;

typedef struct gms_profile {
    const char *name;
    const char *doc;                   /* one line */
    const char *host_topology;         /* cluster/host_topology.h */
    const gms_profile_value_t *values; /* ends with .row == NULL */
} gms_profile_t;

/** Names of all profiles, the default one first; ends with NULL. */
extern const char *const gms_profile_names[];

/** A profile by its place in gms_profile_names. */
const gms_profile_t *gms_profile_at(uint64_t index);
/** By its name; NULL if there is none. */
const gms_profile_t *gms_profile_find(const char *name);
/** Set every parameter to the profile's value. */
void gms_profile_init(const gms_profile_t *profile, gms_params_t *params);
/** What a profile says of a row, or NULL if it leaves the default. */
const gms_profile_value_t *gms_profile_value(const gms_profile_t *profile,
                                             const gms_param_t *row);

#endif
