/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts the nesting depth of a YAML text from libyaml's events, without
 * building a document. The function stops counting when the depth reaches the
 * limit.
 */
#include "yaml/depth.h"

#include <yaml.h>

#include "base/limits.h"

/* Return the amount by which an event changes the depth. */
static int gms_yaml_step(yaml_event_type_t type)
{
    return (type == YAML_SEQUENCE_START_EVENT ||
            type == YAML_MAPPING_START_EVENT) -
           (type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT);
}

int gms_yaml_is_flat(const unsigned char *text, size_t bytes, size_t *line_p)
{
    int depth = 0, is_over = 0;
    yaml_parser_t parser;
    yaml_event_t event;

    if (!yaml_parser_initialize(&parser)) {
        return 0;
    }
    yaml_parser_set_input_string(&parser, text, bytes);
    /* the loader reports invalid YAML */
    while (!is_over && depth <= (int)GMS_LIMIT_DEPTH &&
           yaml_parser_parse(&parser, &event)) {
        depth += gms_yaml_step(event.type);
        is_over = event.type == YAML_STREAM_END_EVENT;
        if (depth > (int)GMS_LIMIT_DEPTH) {
            *line_p = event.start_mark.line + 1;
        }
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return depth <= (int)GMS_LIMIT_DEPTH;
}
