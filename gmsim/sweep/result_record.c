/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extracts a value from the record of a run. The path of the value refers to
 * record.json. This file checks the record in the same way as `gmsim report`.
 */
#define _GNU_SOURCE
#include "sweep/result_record.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json_memory.h"
#include "base/limits.h"
#include "base/printable.h"
#include "yaml/loader.h"
#include "report/root.h"
#include "sweep/base.h"

#define GMS_SWEEP_FLOWS "flows/"

/* ---- paths ---- */

/** Finds the element of a list whose member KEY has the value VALUE. */
static const json_t *gms_sweep_json_where(const json_t *list, const char *key,
                                          const char *value)
{
    const json_t *element;
    size_t i;

    json_array_foreach(list, i, element)
    {
        const json_t *member = json_object_get(element, key);
        char number[32];

        (void)snprintf(number, sizeof(number), "%lld",
                       (long long)json_integer_value(member));
        if ((json_is_string(member) &&
             strcmp(json_string_value(member), value) == 0) ||
            (json_is_integer(member) && strcmp(number, value) == 0)) {
            return element;
        }
    }
    return NULL;
}

static const json_t *gms_sweep_json_step(const json_t *at, char *word)
{
    char *value = strchr(word, '='), *end;
    unsigned long index;

    if (json_is_object(at)) {
        return json_object_get(at, word);
    }
    if (!json_is_array(at)) {
        return NULL;
    }
    if (value != NULL) {
        *value = '\0';
        return gms_sweep_json_where(at, word, value + 1);
    }
    index = strtoul(word, &end, 10);
    return (end != word && *end == '\0') ? json_array_get(at, index) : NULL;
}

/** Follows a path and adds up the numbers at its end points. A path that
 *  contains * has several end points.
 *  @return 1, or 0 if the path leads to no value */
static int gms_sweep_json_add(const json_t *at, const char *path, json_t **sum)
{
    char *word, *rest = NULL, *copy = strdup(path);
    const json_t *element;
    int is_found = 0;
    size_t i;

    rest = copy;
    word = strsep(&rest, "/");
    if (word != NULL && strcmp(word, "*") == 0) {
        json_array_foreach(at, i, element)
        {
            is_found +=
                (rest != NULL) ? gms_sweep_json_add(element, rest, sum) : 0;
        }
    } else if (word != NULL) {
        element = gms_sweep_json_step(at, word);
        if (element != NULL && rest != NULL) {
            is_found = gms_sweep_json_add(element, rest, sum);
        } else if (json_is_integer(element) && json_is_integer(*sum)) {
            json_integer_set(*sum, json_integer_value(*sum) +
                                       json_integer_value(element));
            is_found = 1;
        } else if (json_is_number(element)) {
            double value = json_number_value(*sum) + json_number_value(element);

            json_decref(*sum);
            *sum = json_real(value);
            is_found = 1;
        } else if (json_is_string(element)) {
            json_decref(*sum);
            *sum = json_string(json_string_value(element));
            is_found = 1;
        }
    }
    free(copy);
    return is_found > 0;
}

/* ---- flows, which are read one by one ---- */

typedef struct gms_sweep_flows {
    const char *path; /* the part of the path that follows "flows/" */
    json_t *sum;
    int is_found;
} gms_sweep_flows_t;

/** Translates the path for a list that contains only this flow. An index in the
 *  path becomes 0.
 *  @param [out] path_p path, which the caller frees; NULL if memory is
 *    exhausted
 *  @return 1, or 0 if the path names another flow; *path_p is then not set */
static int gms_sweep_flow_path(const char *path, size_t index, char **path_p)
{
    size_t length = strcspn(path, "/");
    char *end;
    unsigned long wanted = strtoul(path, &end, 10);

    if (end == path || end != path + length) {
        *path_p = strdup(path); /* either * or KEY=VALUE */
        return 1;
    }
    if (wanted != index) {
        return 0;
    }
    if (asprintf(path_p, "0%s", end) < 0) {
        *path_p = NULL;
    }
    return 1;
}

static int gms_sweep_add_flow(gms_report_reader_t *reader, size_t index,
                              const json_t *flow, void *arg)
{
    gms_sweep_flows_t *flows = arg;
    json_t *list;
    char *path;

    if (!gms_sweep_flow_path(flows->path, index, &path)) {
        return 1;
    }
    list = json_array();
    if (path == NULL || list == NULL ||
        json_array_append(list, (json_t *)(uintptr_t)flow) != 0) {
        gms_report_no_memory(reader);
    } else {
        flows->is_found |= gms_sweep_json_add(list, path, &flows->sum);
    }
    json_decref(list);
    free(path);
    /* only * selects more than one flow */
    return !flows->is_found || flows->path[0] == '*';
}

/* ---- the record ---- */

static gms_status_t gms_sweep_take_value(json_t *sum, char **value_p)
{
    if (json_is_string(sum)) {
        *value_p = strdup(json_string_value(sum));
        if (*value_p != NULL) {
            (void)gms_printable_here(*value_p);
        }
    } else {
        *value_p = json_dumps(sum, JSON_ENCODE_ANY);
    }
    return (*value_p != NULL) ? GMS_OK : GMS_ERR_NO_MEMORY;
}

/** Searches for the value at the path.
 *  @return the same values as gms_sweep_extract_record() */
static gms_status_t gms_sweep_find(gms_report_reader_t *reader,
                                   const gms_report_root_t *root,
                                   const char *path, char **value_p)
{
    const size_t prefix = sizeof(GMS_SWEEP_FLOWS) - 1;
    gms_sweep_flows_t flows = {.path = path + prefix, .sum = json_integer(0)};
    gms_status_t status = GMS_ERR_NOT_FOUND;

    if (flows.sum == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    if (strncmp(path, GMS_SWEEP_FLOWS, prefix) == 0) {
        gms_report_root_flows(reader, root, gms_sweep_add_flow, &flows);
    } else {
        flows.is_found = gms_sweep_json_add(root->value, path, &flows.sum);
    }
    if (reader->status != GMS_OK) {
        status = reader->status;
    } else if (flows.is_found) {
        status = gms_sweep_take_value(flows.sum, value_p);
    }
    json_decref(flows.sum);
    return status;
}

gms_status_t gms_sweep_extract_record(const gms_sweep_result_t *result,
                                      const char *directory, char **value_p,
                                      char wrong[GMS_YAML_ERROR_LEN])
{
    char *path = gms_sweep_join(directory, "record");
    char error[GMS_REPORT_ERROR_LEN] = "";
    gms_report_reader_t reader = {.directory = path,
                                  .file = "",
                                  .error = error,
                                  .memory_most = GMS_LIMIT_RECORD_MEMORY};
    gms_report_root_t root;
    gms_status_t status;

    if (path == NULL) {
        return GMS_ERR_NO_MEMORY;
    }
    gms_json_limit(GMS_LIMIT_JSON_MEMORY);
    gms_report_root_open(&reader, &root);
    status = reader.status;
    if (status == GMS_OK) {
        status = gms_sweep_find(&reader, &root, result->what, value_p);
    }
    if (status == GMS_ERR_SYSTEM) {
        (void)snprintf(wrong, GMS_YAML_ERROR_LEN,
                       "record/record.json is missing");
        status = GMS_ERR_NOT_FOUND;
    } else if (status == GMS_ERR_NOT_FOUND) {
        (void)snprintf(wrong, GMS_YAML_ERROR_LEN,
                       "record/record.json has no '%s'", result->what);
    } else if (status == GMS_ERR_CONFIG) {
        size_t skip = strlen(directory);

        /* omit the directory, because the row of the result already identifies
         * the run */
        (void)snprintf(
            wrong, GMS_YAML_ERROR_LEN, "%.*s", (int)GMS_YAML_ERROR_LEN - 1,
            strncmp(error, directory, skip) == 0 && error[skip] == '/'
                ? error + skip + 1
                : error);
    }
    gms_report_root_close(&root);
    free(path);
    return status;
}
