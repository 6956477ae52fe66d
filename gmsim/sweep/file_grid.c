/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the keys `grid:` and `together:` of a sweep file: names with lists or
 * ranges of values.
 */
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "sweep/file_int.h"

enum {
    GMS_SWEEP_FROM,
    GMS_SWEEP_TO,
    GMS_SWEEP_STEP,
    GMS_SWEEP_FACTOR
};

static const char *const gms_sweep_range_keys[] = {"from", "to", "step",
                                                   "factor", NULL};

static gms_status_t gms_sweep_range_key(gms_loader_t *loader, const char *key,
                                        size_t line, const yaml_node_t *value)
{
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    size_t i;

    for (i = 0; gms_sweep_range_keys[i] != NULL; ++i) {
        if (strcmp(key, gms_sweep_range_keys[i]) != 0) {
            continue;
        }
        if (reader->texts[i] != NULL) {
            return gms_loader_fail(loader, line, "key '%s' is given twice",
                                   key);
        }
        reader->texts[i] = gms_sweep_text(loader, key, value, "a number");
        return (reader->texts[i] != NULL) ? GMS_OK : GMS_ERR_CONFIG;
    }
    return gms_sweep_unknown(loader, line, key, gms_sweep_range_keys);
}

/** Adds the values of a range to a variable. */
static gms_status_t gms_sweep_keep_range(gms_loader_t *loader,
                                         gms_sweep_variable_t *variable,
                                         char **values, size_t count)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    gms_status_t status = GMS_OK;
    size_t i;

    variable->values = calloc(count, sizeof(*variable->values));
    variable->count = count;
    for (i = 0; i < count; ++i) {
        const char *kept = NULL;

        if (variable->values != NULL && values[i] != NULL) {
            kept = gms_sweep_keep(sweep, values[i]);
            variable->values[i] = kept;
        }
        if (kept == NULL && status == GMS_OK) {
            status = gms_loader_fail(loader, 0, "out of memory");
        }
        free(values[i]);
    }
    free(values);
    return status;
}

static gms_status_t gms_sweep_read_range(gms_loader_t *loader, const char *key,
                                         const yaml_node_t *value,
                                         gms_sweep_variable_t *variable)
{
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    const char **texts = reader->texts, *wrong;
    gms_status_t status;
    char **values;
    size_t count;

    memset(reader->texts, 0, sizeof(reader->texts));
    status = gms_loader_mapping(loader, value, gms_sweep_range_key);
    if (status != GMS_OK) {
        return status;
    }
    if (texts[GMS_SWEEP_FROM] == NULL || texts[GMS_SWEEP_TO] == NULL ||
        (texts[GMS_SWEEP_STEP] == NULL) == (texts[GMS_SWEEP_FACTOR] == NULL)) {
        return gms_sweep_wrong(loader, key, value,
                               "; allowed: 'from', 'to', and one of 'step' "
                               "and 'factor'");
    }
    wrong = gms_sweep_range(texts[GMS_SWEEP_FROM], texts[GMS_SWEEP_TO],
                            texts[GMS_SWEEP_STEP], texts[GMS_SWEEP_FACTOR],
                            &values, &count);
    if (wrong != NULL) {
        return gms_loader_fail(loader, value->start_mark.line + 1,
                               "key '%s': the range %s", key, wrong);
    }
    return gms_sweep_keep_range(loader, variable, values, count);
}

static gms_status_t gms_sweep_read_list(gms_loader_t *loader, const char *key,
                                        const yaml_node_t *value,
                                        gms_sweep_variable_t *variable)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    const yaml_node_item_t *items = value->data.sequence.items.start;
    size_t count = (size_t)(value->data.sequence.items.top - items), i;

    if (count == 0 || count > GMS_SWEEP_VALUES_MAX) {
        return gms_loader_fail(loader, value->start_mark.line + 1,
                               "key '%s': the list has %zu values; allowed: "
                               "1 to %u",
                               key, count, GMS_SWEEP_VALUES_MAX);
    }
    variable->values = calloc(count, sizeof(*variable->values));
    if (variable->values == NULL) {
        return gms_loader_fail(loader, 0, "out of memory");
    }
    variable->count = count;
    for (i = 0; i < count; ++i) {
        const yaml_node_t *item =
            yaml_document_get_node(loader->document, items[i]);
        const char *text = gms_yaml_scalar(item);

        if (text == NULL) {
            return gms_sweep_wrong(loader, key, item,
                                   "; allowed: words and numbers");
        }
        variable->values[i] = gms_sweep_keep(sweep, text);
        if (variable->values[i] == NULL) {
            return gms_loader_fail(loader, 0, "out of memory");
        }
    }
    return GMS_OK;
}

/** Reads a list, a range, or a single value, which is treated as a list of one
 *  value. */
static gms_status_t gms_sweep_read_one(gms_loader_t *loader, const char *key,
                                       const yaml_node_t *value,
                                       gms_sweep_variable_t *variable)
{
    const char *text =
        gms_sweep_text(loader, key, value, "a list [A, B, ..] or a range");

    variable->values = calloc(1, sizeof(*variable->values));
    if (text == NULL || variable->values == NULL) {
        return GMS_ERR_CONFIG;
    }
    variable->values[0] = text;
    variable->count = 1;
    return GMS_OK;
}

static gms_status_t gms_sweep_read_variable(gms_loader_t *loader,
                                            const char *key, size_t line,
                                            const yaml_node_t *value)
{
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    gms_sweep_t *sweep = &reader->sweep;
    gms_status_t status = gms_sweep_check_name(loader, line, key);
    gms_sweep_variable_t *variable;
    const char *name;

    if (status != GMS_OK) {
        return status;
    }
    name = gms_sweep_keep(sweep, key);
    variable = (name == NULL) ? NULL
                              : gms_sweep_append(loader, &sweep->variables,
                                                 &sweep->variable_count,
                                                 sizeof(*variable));
    if (variable == NULL) {
        return GMS_ERR_CONFIG;
    }
    variable->name = name;
    variable->line = line;
    variable->axis = reader->axis;
    if (reader->section[0] == 'g') {
        ++reader->axis; /* in the section `grid`, each name has its own axis */
    }
    switch (value->type) {
    case YAML_MAPPING_NODE:
        return gms_sweep_read_range(loader, key, value, variable);
    case YAML_SEQUENCE_NODE:
        return gms_sweep_read_list(loader, key, value, variable);
    case YAML_SCALAR_NODE:
    case YAML_NO_NODE:
    default:
        return gms_sweep_read_one(loader, key, value, variable);
    }
}

gms_status_t gms_sweep_read_grid(gms_loader_t *loader, const char *key,
                                 const yaml_node_t *value)
{
    if (value->type != YAML_MAPPING_NODE) {
        return gms_sweep_wrong(loader, key, value,
                               "; allowed: lines 'NAME: [A, B, ..]' or "
                               "'NAME: {from: A, to: B, step: C}'");
    }
    gms_sweep_reader(loader)->section = key;
    return gms_loader_mapping(loader, value, gms_sweep_read_variable);
}

/** Reads lists that advance together and must have equal lengths. */
static gms_status_t gms_sweep_read_group(gms_loader_t *loader, const char *key,
                                         const yaml_node_t *value)
{
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    const gms_sweep_t *sweep = &reader->sweep;
    size_t first = sweep->variable_count, i;
    gms_status_t status;

    if (value->type != YAML_MAPPING_NODE) {
        return gms_sweep_wrong(loader, key, value,
                               "; allowed: lines 'NAME: [A, B, ..]', or a "
                               "list of such mappings");
    }
    reader->section = key;
    status = gms_loader_mapping(loader, value, gms_sweep_read_variable);
    ++reader->axis;
    for (i = first + 1; i < sweep->variable_count && status == GMS_OK; ++i) {
        if (sweep->variables[i].count != sweep->variables[first].count) {
            return gms_loader_fail(
                loader, sweep->variables[i].line,
                "key '%s': '%s' has %zu %s, but '%s' has %zu; allowed: equal "
                "numbers of values",
                key, sweep->variables[i].name, sweep->variables[i].count,
                gms_plural(sweep->variables[i].count, "value", "values"),
                sweep->variables[first].name, sweep->variables[first].count);
        }
    }
    return status;
}

gms_status_t gms_sweep_read_together(gms_loader_t *loader, const char *key,
                                     const yaml_node_t *value)
{
    const yaml_node_item_t *item;
    gms_status_t status = GMS_OK, one;

    if (value->type != YAML_SEQUENCE_NODE) {
        return gms_sweep_read_group(loader, key, value);
    }
    for (item = value->data.sequence.items.start;
         item < value->data.sequence.items.top; ++item) {
        one = gms_sweep_read_group(
            loader, key, yaml_document_get_node(loader->document, *item));
        status = (status == GMS_OK) ? one : status;
    }
    return status;
}
