/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Nesting depth of a YAML text. The depth is checked before the text is loaded,
 * because libyaml's time grows with the square of the depth.
 */
#ifndef YAML_YAML_DEPTH_H
#define YAML_YAML_DEPTH_H

#include <stddef.h>

/** Check the nesting depth.
 *  @param [out] line_p  line where the limit is exceeded, from 1; otherwise
 *                       unchanged
 *  @return 1: lists and mappings are nested at most GMS_LIMIT_DEPTH deep, as
 *          far as the text is valid; 0: deeper, or no memory */
int gms_yaml_is_flat(const unsigned char *text, size_t bytes, size_t *line_p);

#endif
