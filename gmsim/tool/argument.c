/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses integers, real numbers, choices, profiles and file names in options,
 * and checks their limits.
 */
#include "tool/argument.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "yaml/loader.h"
#include "base/output.h"
#include "tool/tool.h"

#define GMS_TOOL_JOBS_MAX 1024u

error_t gms_tool_number(struct argp_state *state, const char *option,
                        const char *text, uint64_t min, uint64_t max,
                        uint64_t *number_p)
{
    char *end;

    errno = 0;
    *number_p = strtoull(text, &end, 10);
    if (errno != 0 || text[0] < '0' || text[0] > '9' || *end != '\0' ||
        *number_p < min || *number_p > max) {
        argp_error(state,
                   "--%s: value '%s' is invalid; allowed: %" PRIu64
                   "..%" PRIu64,
                   option, text, min, max);
        return EINVAL;
    }
    return 0;
}

error_t gms_tool_unsigned(struct argp_state *state, const char *option,
                          const char *text, unsigned min, unsigned max,
                          unsigned *number_p)
{
    uint64_t number = 0;
    error_t status = gms_tool_number(state, option, text, min, max, &number);

    *number_p = (unsigned)number;
    return status;
}

error_t gms_tool_jobs(struct argp_state *state, const char *text,
                      unsigned *jobs_p)
{
    return gms_tool_unsigned(state, "jobs", text, 1, GMS_TOOL_JOBS_MAX, jobs_p);
}

unsigned gms_tool_processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);

    return (count > 1) ? (unsigned)count : 1;
}

error_t gms_tool_real(struct argp_state *state, const char *option,
                      const char *text, double min, double max, double *real_p)
{
    char *end;

    *real_p = gms_decimal(text, &end);
    if (end == text || *end != '\0' || !(*real_p >= min) || !(*real_p <= max)) {
        argp_error(state, "--%s: value '%s' is invalid; allowed: %.9g..%.9g",
                   option, text, min, max);
        return EINVAL;
    }
    return 0;
}

error_t gms_tool_choice(struct argp_state *state, const char *option,
                        const char *text, const char *const *names,
                        unsigned *choice_p)
{
    size_t limit = gms_yaml_typo_limit(text);
    char all[GMS_YAML_ERROR_LEN] = "";
    const char *best = NULL;
    unsigned i;

    for (i = 0; names[i] != NULL; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *choice_p = i;
            return 0;
        }
        gms_yaml_nearer(text, names[i], &best, &limit);
    }
    gms_yaml_append_guess(all, best);
    gms_yaml_append(all, "; allowed: ");
    gms_yaml_append_names(all, names);
    argp_error(state, "--%s: value '%s' is unknown%s", option, text, all);
    return EINVAL;
}

error_t gms_tool_profile(struct argp_state *state, const char *text,
                         const gms_profile_t **profile_p)
{
    unsigned choice = 0;
    error_t status =
        gms_tool_choice(state, "profile", text, gms_profile_names, &choice);

    if (status == 0) {
        *profile_p = gms_profile_at(choice);
    }
    return status;
}

error_t gms_tool_file(struct argp_state *state, const char *path,
                      const char **path_p)
{
    if (path[0] == '\0') {
        argp_error(state, "the file name is empty");
        return EINVAL;
    }
    if (*path_p != NULL) {
        argp_error(state, "unexpected argument '%s' (only one file is allowed)",
                   path);
        return EINVAL;
    }
    *path_p = path;
    return 0;
}

error_t gms_tool_csv(struct argp_state *state, const char *file, int *is_csv_p)
{
    *is_csv_p = 1;
    if (file != NULL && gms_output_redirect(file) != 0) {
        argp_failure(state, GMS_TOOL_REFUSED, errno, "%s", file);
        return EINVAL;
    }
    return 0;
}

int gms_tool_set_field(const gms_tool_field_t *fields, int key, const char *arg,
                       void *args)
{
    for (; fields->kind != 0; ++fields) {
        if (fields->key != key) {
            continue;
        }
        if (fields->kind == GMS_TOOL_FLAG) {
            *(int *)((char *)args + fields->offset) = 1;
        } else {
            *(const char **)((char *)args + fields->offset) = arg;
        }
        return 1;
    }
    return 0;
}
