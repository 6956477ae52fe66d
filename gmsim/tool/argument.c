/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of options. */
#include "tool/argument.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GMS_TOOL_NAMES_LEN 256

error_t gms_tool_number(struct argp_state *state, const char *option,
                        const char *text, uint64_t min, uint64_t max,
                        uint64_t *number_p)
{
    char *end;

    errno = 0;
    *number_p = strtoull(text, &end, 10);
    if ((errno != 0) || (end == text) || (*end != '\0') || (text[0] == '-') ||
        (*number_p < min) || (*number_p > max)) {
        argp_error(state, "--%s: value '%s'; allowed: %" PRIu64 "..%" PRIu64,
                   option, text, min, max);
        return EINVAL;
    }
    return 0;
}

error_t gms_tool_real(struct argp_state *state, const char *option,
                      const char *text, double min, double max, double *real_p)
{
    char *end;

    *real_p = strtod(text, &end);
    if ((end == text) || (*end != '\0') || !(*real_p >= min) ||
        !(*real_p <= max)) {
        argp_error(state, "--%s: value '%s'; allowed: %.9g..%.9g", option, text,
                   min, max);
        return EINVAL;
    }
    return 0;
}

error_t gms_tool_choice(struct argp_state *state, const char *option,
                        const char *text, const char *const *names,
                        unsigned *choice_p)
{
    char all[GMS_TOOL_NAMES_LEN] = "";
    unsigned i;

    for (i = 0; names[i] != NULL; i++) {
        if (strcmp(text, names[i]) == 0) {
            *choice_p = i;
            return 0;
        }
        strncat(all, (i > 0) ? ", " : "", sizeof(all) - strlen(all) - 1);
        strncat(all, names[i], sizeof(all) - strlen(all) - 1);
    }
    argp_error(state, "--%s: value '%s'; allowed: %s", option, text, all);
    return EINVAL;
}
