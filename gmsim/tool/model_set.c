/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gmsim model --set: changes one parameter of a network. A parameter is
 * identified by a station and a class.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "tool/model.h"

#define GMS_TOOL_MODEL_SET_MOST 1000000u

static gms_status_t gms_tool_model_refuse(char error[GMS_YAML_ERROR_LEN],
                                          const char *key, const char *value,
                                          const char *allowed)
{
    (void)snprintf(error, GMS_YAML_ERROR_LEN,
                   "parameter '%s': value '%s' is invalid; allowed: %s", key,
                   value, allowed);
    return GMS_ERR_INVALID_PARAM;
}

static int gms_tool_model_number(const char *text, double *number_p)
{
    char *end;

    *number_p = gms_decimal(text, &end);
    return end != text && *end == '\0' && isfinite(*number_p) && *number_p >= 0;
}

double gms_tool_model_rate(const gms_model_t *model)
{
    double rate = 0;
    unsigned i;

    for (i = 0; i < model->stations * model->classes; ++i) {
        rate += model->visit[i].rate;
    }
    return rate;
}

static gms_status_t gms_tool_model_set_rate(gms_model_t *model,
                                            const char *value,
                                            char error[GMS_YAML_ERROR_LEN])
{
    double rate, now = gms_tool_model_rate(model);
    unsigned i;

    if (!gms_tool_model_number(value, &rate) || !(rate > 0) || !(now > 0)) {
        return gms_tool_model_refuse(error, "rate", value, "a number above 0");
    }
    for (i = 0; i < model->stations * model->classes; ++i) {
        model->visit[i].rate *= rate / now;
    }
    return GMS_OK;
}

static gms_status_t gms_tool_model_set_station(gms_model_station_t *station,
                                               const char *key,
                                               const char *what,
                                               const char *value,
                                               char error[GMS_YAML_ERROR_LEN])
{
    const char *allowed = "a whole number, 1..1000000";
    double number = 0;
    unsigned i;

    if (strcmp(what, "policy") == 0) {
        for (i = 0; gms_tool_model_policies[i] != NULL; ++i) {
            if (strcmp(value, gms_tool_model_policies[i]) == 0) {
                station->discipline = (gms_model_discipline_t)i;
                return GMS_OK;
            }
        }
        return gms_tool_model_refuse(
            error, key, value, "fcfs, limited, gated, exhaustive, priority");
    }
    if (strcmp(what, "servers") != 0 && strcmp(what, "limit") != 0 &&
        strcmp(what, "room") != 0) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN,
                       "unknown parameter '%s'; allowed for a station: policy, "
                       "servers, limit, room, CLASS.mean, CLASS.scv, "
                       "CLASS.rate, CLASS.rate_scv, CLASS.guess",
                       key);
        return GMS_ERR_INVALID_PARAM;
    }
    if (strcmp(what, "room") == 0) {
        allowed = "a whole number, 0 (any number)..1000000";
    }
    if (!gms_tool_model_number(value, &number) || number != floor(number) ||
        number > GMS_TOOL_MODEL_SET_MOST ||
        (number < 1 && strcmp(what, "room") != 0)) {
        return gms_tool_model_refuse(error, key, value, allowed);
    }
    if (strcmp(what, "servers") == 0) {
        station->servers = (unsigned)number;
    } else if (strcmp(what, "limit") == 0) {
        station->limit = (unsigned)number;
    } else {
        station->room = (unsigned)number;
    }
    return GMS_OK;
}

static gms_status_t gms_tool_model_set_visit(gms_model_visit_t *visit,
                                             const char *key, const char *what,
                                             const char *value,
                                             char error[GMS_YAML_ERROR_LEN])
{
    const struct {
        const char *name;
        double *field;
    } fields[] = {{"mean", &visit->mean},
                  {"scv", &visit->scv},
                  {"rate", &visit->rate},
                  {"rate_scv", &visit->rate_scv},
                  {"guess", &visit->guess}};
    size_t i;

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); ++i) {
        if (strcmp(what, fields[i].name) == 0) {
            return gms_tool_model_number(value, fields[i].field)
                       ? GMS_OK
                       : gms_tool_model_refuse(error, key, value,
                                               "a number, 0 or more");
        }
    }
    (void)snprintf(error, GMS_YAML_ERROR_LEN,
                   "unknown parameter '%s'; allowed for a class: mean, scv, "
                   "rate, rate_scv, guess",
                   key);
    return GMS_ERR_INVALID_PARAM;
}

gms_status_t gms_tool_model_set(gms_model_t *model, const char *key,
                                const char *value,
                                char error[GMS_YAML_ERROR_LEN])
{
    char name[GMS_TOOL_MODEL_KEY_LEN];
    char *second, *third;
    int station, class_index;

    if (strcmp(key, "rate") == 0) {
        return gms_tool_model_set_rate(model, value, error);
    }
    (void)snprintf(name, sizeof(name), "%s", key);
    second = strchr(name, '.');
    if (second != NULL) {
        *second++ = '\0';
    }
    station = gms_model_find_station(model, name);
    if (second == NULL || station == GMS_MODEL_NONE) {
        (void)snprintf(
            error, GMS_YAML_ERROR_LEN,
            "unknown parameter '%s': there is no station '%s'; allowed: rate, "
            "parameters of a station such as STATION.policy, and parameters of "
            "a class such as STATION.CLASS.mean",
            key, name);
        return GMS_ERR_INVALID_PARAM;
    }
    third = strchr(second, '.');
    if (third == NULL) {
        return gms_tool_model_set_station(&model->station[station], key, second,
                                          value, error);
    }
    *third++ = '\0';
    class_index = gms_model_find_class(model, second);
    if (class_index == GMS_MODEL_NONE) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN,
                       "parameter '%s': there is no class '%s'", key, second);
        return GMS_ERR_INVALID_PARAM;
    }
    return gms_tool_model_set_visit(
        gms_model_at(model, (unsigned)station, (unsigned)class_index), key,
        third, value, error);
}
