/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes the differences between parameters and a profile as YAML. */
#include "fit/profile.h"

#include <string.h>

#include "cluster/cluster.h"

void gms_fit_set(const gms_fit_frees_t *frees, const uint64_t *values,
                 const gms_params_t *base, gms_params_t *params)
{
    size_t i;

    *params = *base;
    for (i = 0; i < frees->count; ++i) {
        gms_param_set(params, frees->list[i].row, values[i]);
    }
    gms_fit_free_follow(base, params);
}

void gms_fit_write(FILE *file, const gms_profile_t *profile,
                   const gms_params_t *params)
{
    const char *head = "parameters:\n";
    const gms_param_t *row;
    gms_params_t usual;

    gms_profile_init(profile, &usual);
    fprintf(file, "profile: %s\n", profile->name);
    for (row = gms_param_table; row->name != NULL; ++row) {
        uint64_t value = gms_param_get(params, row);

        if (value == gms_param_get(&usual, row) || gms_cluster_is_short(row)) {
            continue;
        }
        fputs(head, file);
        head = "";
        if (row->names != NULL) {
            fprintf(file, "  %s: %s\n", row->name, row->names[value]);
        } else {
            fprintf(file, "  %s: %llu\n", row->name, (unsigned long long)value);
        }
    }
}
