/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Checks the nesting depth of a YAML text. The check precedes the loading of
 * the text, because libyaml's run time grows with the square of the depth.
 */
#ifndef YAML_YAML_DEPTH_H
#define YAML_YAML_DEPTH_H

#include <stddef.h>

/** Check the nesting depth.
 *  @param [out] line_p line on which the limit is exceeded, counting from 1;
 *                       otherwise unchanged
 *  @return 1 if the valid part of the text nests lists and mappings at most
 *          GMS_LIMIT_DEPTH deep; 0 if the nesting is deeper or memory is
 *          exhausted */
int gms_yaml_is_flat(const unsigned char *text, size_t bytes, size_t *line_p);

#endif
