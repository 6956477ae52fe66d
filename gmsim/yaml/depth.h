/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Nesting depth of a YAML text, checked before it is loaded because libyaml's
 * time grows with the square of the depth.
 */
#ifndef YAML_YAML_DEPTH_H
#define YAML_YAML_DEPTH_H

#include <stddef.h>

/** @param [out] line_p  where it goes too deep, from 1; untouched otherwise
 *  @return 1: lists and mappings are at most GMS_LIMIT_DEPTH within each other, as
 *          far as the text is valid; 0: they are not, or there is no memory */
int gms_yaml_is_flat(const unsigned char *text, size_t bytes, size_t *line_p);

#endif
