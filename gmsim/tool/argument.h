/* SPDX-License-Identifier: BSD-3-Clause */
/** Values of options, the same messages everywhere. A wrong one ends the program
 *  with what is allowed (argp_error()). */
#ifndef TOOL_ARGUMENT_H
#define TOOL_ARGUMENT_H

#include <argp.h>
#include <stdint.h>

/** A whole number in min..max. @return 0, EINVAL */
error_t gms_tool_number(struct argp_state *state, const char *option,
                        const char *text, uint64_t min, uint64_t max,
                        uint64_t *number_p);
/** A number in min..max. @return 0, EINVAL */
error_t gms_tool_real(struct argp_state *state, const char *option,
                      const char *text, double min, double max, double *real_p);
/** One of names, which end with NULL: its place there. @return 0, EINVAL */
error_t gms_tool_choice(struct argp_state *state, const char *option,
                        const char *text, const char *const *names,
                        unsigned *choice_p);

#endif
