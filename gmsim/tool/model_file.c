/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the YAML file of gmsim model: stations, classes, services and routes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "yaml/loader.h"
#include "tool/model.h"

#define GMS_TOOL_MODEL_MOST 1000000u

const char *const gms_tool_model_policies[] = {
    "fcfs", "limited", "gated", "exhaustive", "priority", NULL};

typedef struct gms_tool_model_reader {
    gms_loader_t loader;        /* must be the first member, because handlers
                                   receive a pointer to it */
    const yaml_node_t *list[4]; /* values of the four keys */
    gms_model_t *model;
    /* position of the entry that is currently read */
    unsigned place;
    int station, class_index, to_station, to_class, checks;
    double mean, scv, rate, rate_scv, guess, probability;
} gms_tool_model_reader_t;

static const char *const gms_tool_model_keys[] = {"stations", "classes",
                                                  "services", "routes"};
enum {
    GMS_STATIONS = 0,
    GMS_CLASSES,
    GMS_SERVICES,
    GMS_ROUTES
};

static gms_tool_model_reader_t *gms_tool_model_reader(gms_loader_t *loader)
{
    return (gms_tool_model_reader_t *)loader;
}

/* ---- values ---- */

static gms_status_t gms_tool_model_bad(gms_loader_t *loader, const char *key,
                                       const yaml_node_t *value,
                                       const char *allowed)
{
    gms_status_t status = gms_loader_begin_value(loader, key, value);

    gms_yaml_append(loader->error, "; allowed: %s", allowed);
    return status;
}

static gms_status_t gms_tool_model_real(gms_loader_t *loader, const char *key,
                                        const yaml_node_t *value,
                                        double *number_p)
{
    const char *text = gms_yaml_scalar(value);
    char *end = NULL;
    double number = (text != NULL) ? gms_decimal(text, &end) : -1;

    if (text == NULL || end == text || *end != '\0' || !isfinite(number) ||
        number < 0) {
        return gms_tool_model_bad(loader, key, value, "a number, 0 or more");
    }
    *number_p = number;
    return GMS_OK;
}

static gms_status_t gms_tool_model_whole(gms_loader_t *loader, const char *key,
                                         const yaml_node_t *value, uint64_t min,
                                         unsigned *number_p)
{
    const gms_param_t row = {
        .name = key, .unit = "", .min = min, .max = GMS_TOOL_MODEL_MOST};
    uint64_t number = 0;
    gms_status_t status = gms_loader_integer(loader, value, &row, &number);

    *number_p = (unsigned)number;
    return status;
}

static gms_status_t gms_tool_model_name(gms_loader_t *loader, const char *key,
                                        const yaml_node_t *value,
                                        char name[GMS_MODEL_NAME_LEN])
{
    const char *text = gms_yaml_scalar(value);

    if (text == NULL || text[0] == '\0' || strlen(text) >= GMS_MODEL_NAME_LEN ||
        strpbrk(text, ".,\"\n") != NULL) {
        return gms_tool_model_bad(
            loader, key, value,
            "a name of 1 to 31 characters without dots, commas or quotes");
    }
    strcpy(name, text);
    return GMS_OK;
}

/** Find a station or a class that the file has defined above. */
static gms_status_t gms_tool_model_known(gms_loader_t *loader, const char *key,
                                         const yaml_node_t *value,
                                         int is_station, int *index_p)
{
    const gms_model_t *model = gms_tool_model_reader(loader)->model;
    const char *text = gms_yaml_scalar(value);

    *index_p = GMS_MODEL_NONE;
    if (text != NULL) {
        *index_p = is_station ? gms_model_find_station(model, text)
                              : gms_model_find_class(model, text);
    }
    if (*index_p == GMS_MODEL_NONE) {
        return gms_tool_model_bad(loader, key, value,
                                  is_station ? "a name in 'stations'"
                                             : "a name in 'classes'");
    }
    return GMS_OK;
}

static gms_status_t gms_tool_model_unknown(gms_loader_t *loader, size_t line,
                                           const char *key, const char *allowed)
{
    gms_status_t status = gms_loader_unknown(loader, line, key, NULL);

    gms_yaml_append(loader->error, "; allowed: %s", allowed);
    return status;
}

/* ---- entries ---- */

static gms_status_t gms_tool_model_station_key(gms_loader_t *loader,
                                               const char *key, size_t line,
                                               const yaml_node_t *value)
{
    gms_tool_model_reader_t *reader = gms_tool_model_reader(loader);
    gms_model_station_t *station = &reader->model->station[reader->place];
    uint64_t policy = 0;
    gms_status_t status;

    if (strcmp(key, "name") == 0) {
        return gms_tool_model_name(loader, key, value, station->name);
    }
    if (strcmp(key, "servers") == 0) {
        return gms_tool_model_whole(loader, key, value, 1, &station->servers);
    }
    if (strcmp(key, "limit") == 0) {
        return gms_tool_model_whole(loader, key, value, 1, &station->limit);
    }
    if (strcmp(key, "room") == 0) {
        return gms_tool_model_whole(loader, key, value, 0, &station->room);
    }
    if (strcmp(key, "policy") == 0) {
        status = gms_loader_choice(loader, value, key, gms_tool_model_policies,
                                   &policy);
        station->discipline = (gms_model_discipline_t)policy;
        return status;
    }
    return gms_tool_model_unknown(loader, line, key,
                                  "name, servers, policy, limit, room");
}

static gms_status_t gms_tool_model_service_key(gms_loader_t *loader,
                                               const char *key, size_t line,
                                               const yaml_node_t *value)
{
    gms_tool_model_reader_t *reader = gms_tool_model_reader(loader);
    const struct {
        const char *name;
        double *field;
    } fields[] = {{"mean", &reader->mean},
                  {"scv", &reader->scv},
                  {"rate", &reader->rate},
                  {"rate_scv", &reader->rate_scv},
                  {"guess", &reader->guess}};
    size_t i;

    if (strcmp(key, "station") == 0) {
        return gms_tool_model_known(loader, key, value, 1, &reader->station);
    }
    if (strcmp(key, "class") == 0) {
        return gms_tool_model_known(loader, key, value, 0,
                                    &reader->class_index);
    }
    if (strcmp(key, "checks") == 0) {
        return gms_tool_model_known(loader, key, value, 1, &reader->checks);
    }
    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); ++i) {
        if (strcmp(key, fields[i].name) == 0) {
            return gms_tool_model_real(loader, key, value, fields[i].field);
        }
    }
    return gms_tool_model_unknown(loader, line, key,
                                  "station, class, mean, scv, rate, rate_scv, "
                                  "checks, guess");
}

static gms_status_t gms_tool_model_route_key(gms_loader_t *loader,
                                             const char *key, size_t line,
                                             const yaml_node_t *value)
{
    gms_tool_model_reader_t *reader = gms_tool_model_reader(loader);

    if (strcmp(key, "from") == 0) {
        return gms_tool_model_known(loader, key, value, 1, &reader->station);
    }
    if (strcmp(key, "class") == 0) {
        return gms_tool_model_known(loader, key, value, 0,
                                    &reader->class_index);
    }
    if (strcmp(key, "to") == 0) {
        return gms_tool_model_known(loader, key, value, 1, &reader->to_station);
    }
    if (strcmp(key, "as") == 0) {
        return gms_tool_model_known(loader, key, value, 0, &reader->to_class);
    }
    if (strcmp(key, "probability") == 0) {
        return gms_tool_model_real(loader, key, value, &reader->probability);
    }
    return gms_tool_model_unknown(loader, line, key,
                                  "from, class, to, as, probability");
}

static gms_status_t gms_tool_model_entry(gms_loader_t *loader, unsigned list,
                                         const yaml_node_t *node)
{
    static gms_loader_key_fn *const on_key[] = {
        [GMS_STATIONS] = gms_tool_model_station_key,
        [GMS_SERVICES] = gms_tool_model_service_key,
        [GMS_ROUTES] = gms_tool_model_route_key};
    gms_tool_model_reader_t *reader = gms_tool_model_reader(loader);
    size_t line = node->start_mark.line + 1;
    gms_model_visit_t *visit;
    gms_status_t status;

    if (node->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(
            loader, line, "not an entry of '%s'; allowed: {key: value, ...}",
            gms_tool_model_keys[list]);
    }
    reader->station = reader->class_index = GMS_MODEL_NONE;
    reader->to_station = reader->to_class = reader->checks = GMS_MODEL_NONE;
    reader->mean = reader->scv = reader->rate = 0;
    reader->rate_scv = reader->guess = reader->probability = 1;
    status = gms_loader_mapping(loader, node, on_key[list]);
    if (status != GMS_OK || list == GMS_STATIONS) {
        return status;
    }
    if (reader->station == GMS_MODEL_NONE ||
        reader->class_index == GMS_MODEL_NONE ||
        (list == GMS_ROUTES && reader->to_station == GMS_MODEL_NONE)) {
        return gms_loader_fail(loader, line, "an entry of '%s' requires %s",
                               gms_tool_model_keys[list],
                               (list == GMS_ROUTES)
                                   ? "'from', 'class' and 'to'"
                                   : "'station', 'class' and 'mean'");
    }
    if (list == GMS_ROUTES) {
        if (reader->to_class == GMS_MODEL_NONE) {
            reader->to_class = reader->class_index;
        }
        return (gms_model_route(reader->model, (unsigned)reader->station,
                                (unsigned)reader->class_index,
                                (unsigned)reader->to_station,
                                (unsigned)reader->to_class,
                                reader->probability) == GMS_MODEL_OK)
                   ? GMS_OK
                   : gms_loader_fail(loader, line, "out of memory");
    }
    visit = gms_model_at(reader->model, (unsigned)reader->station,
                         (unsigned)reader->class_index);
    if (visit->is_served) {
        return gms_loader_fail(
            loader, line,
            "the service of this station and class is already defined");
    }
    *visit = (gms_model_visit_t){1,
                                 reader->mean,
                                 reader->scv,
                                 reader->rate,
                                 reader->rate_scv,
                                 reader->checks,
                                 reader->guess};
    return GMS_OK;
}

/* ---- the file ---- */

static size_t gms_tool_model_length(const yaml_node_t *list)
{
    return (size_t)(list->data.sequence.items.top -
                    list->data.sequence.items.start);
}

static gms_status_t gms_tool_model_lists(gms_tool_model_reader_t *reader)
{
    gms_loader_t *loader = &reader->loader;
    gms_status_t status = GMS_OK;
    unsigned list;
    size_t i;

    reader->model = gms_model_create(
        (unsigned)gms_tool_model_length(reader->list[GMS_STATIONS]),
        (unsigned)gms_tool_model_length(reader->list[GMS_CLASSES]));
    if (reader->model == NULL) {
        return gms_loader_fail(loader, 1,
                               "too many stations and classes; allowed: 4096 "
                               "pairs of a station and a class");
    }
    for (list = 0; list <= GMS_ROUTES; ++list) {
        const yaml_node_t *value = reader->list[list];

        for (i = 0; value != NULL && status == GMS_OK &&
                    i < gms_tool_model_length(value);
             ++i) {
            const yaml_node_t *node = yaml_document_get_node(
                loader->document, value->data.sequence.items.start[i]);

            reader->place = (unsigned)i;
            status = (list == GMS_CLASSES)
                         ? gms_tool_model_name(loader, "classes", node,
                                               reader->model->class_name[i])
                         : gms_tool_model_entry(loader, list, node);
        }
    }
    return status;
}

static gms_status_t gms_tool_model_top(gms_loader_t *loader, const char *key,
                                       size_t line, const yaml_node_t *value)
{
    gms_tool_model_reader_t *reader = gms_tool_model_reader(loader);
    unsigned i;

    for (i = 0; i <= GMS_ROUTES; ++i) {
        if (strcmp(key, gms_tool_model_keys[i]) != 0) {
            continue;
        }
        if (reader->list[i] != NULL) {
            return gms_loader_fail(loader, line, "key '%s' is given twice",
                                   key);
        }
        if (value->type != YAML_SEQUENCE_NODE ||
            gms_tool_model_length(value) == 0) {
            return gms_tool_model_bad(loader, key, value, "a list");
        }
        reader->list[i] = value;
        return GMS_OK;
    }
    return gms_tool_model_unknown(loader, line, key,
                                  "stations, classes, services, routes");
}

static gms_status_t gms_tool_model_document(gms_loader_t *loader,
                                            const yaml_node_t *root)
{
    gms_tool_model_reader_t *reader = gms_tool_model_reader(loader);
    char why[GMS_MODEL_ERROR_LEN];
    gms_status_t status;
    unsigned i;

    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(loader, 1,
                               "not a network; allowed: 'stations:', "
                               "'classes:', 'services:', 'routes:'");
    }
    status = gms_loader_mapping(loader, root, gms_tool_model_top);
    for (i = 0; i < GMS_ROUTES && status == GMS_OK; ++i) {
        if (reader->list[i] == NULL) {
            status = gms_loader_fail(loader, 1, "a network requires '%s'",
                                     gms_tool_model_keys[i]);
        }
    }
    if (status == GMS_OK) {
        status = gms_tool_model_lists(reader);
    }
    if (status == GMS_OK &&
        gms_model_check(reader->model, why) != GMS_MODEL_OK) {
        status = gms_loader_fail(loader, 1, "%s", why);
    }
    return status;
}

gms_status_t gms_tool_model_load(const char *path, gms_model_t **model_p,
                                 char error[GMS_YAML_ERROR_LEN])
{
    gms_tool_model_reader_t reader;
    gms_status_t status;

    memset(&reader, 0, sizeof(reader));
    reader.loader.error = error;
    reader.loader.what = "model";
    reader.loader.each = "one model";
    reader.loader.on_root = gms_tool_model_document;
    status = gms_loader_file(&reader.loader, path);
    if (status != GMS_OK) {
        gms_model_destroy(reader.model);
        return status;
    }
    *model_p = reader.model;
    return GMS_OK;
}
