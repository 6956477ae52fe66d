/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parses and prints time modes and their factors, which are stored in parts per
 * million. This file also applies the environment variable GMSIM_TIME, which
 * takes precedence over the cluster description. The file engine/gate_time.c
 * implements the clocks.
 */
#include "cluster/time_mode.h"

#include <stdio.h>
#include <string.h>

#include "cluster/cluster_int.h"
#include "engine/gate.h"

/* Largest number of characters of an invalid value that a message quotes. */
#define GMS_TIME_QUOTE_LEN 64

const char gms_time_allowed[] =
    "virtual, measured[:FACTOR], wall[:FACTOR], where FACTOR is 0.000001 to "
    "1000000 with at most 6 decimals";

static gms_status_t gms_time_parse_factor(const char *text, uint64_t *ppm_p)
{
    const gms_param_t *row = gms_param_find("time_factor_ppm");
    char number[GMS_TIME_TEXT_LEN];
    uint64_t ppm;

    if (text[0] == '\0' || strspn(text, "0123456789.") != strlen(text) ||
        snprintf(number, sizeof(number), "%se6", text) >= (int)sizeof(number) ||
        gms_yaml_number(number, &ppm) != GMS_NUMBER_OK || ppm < row->min ||
        ppm > row->max) {
        return GMS_ERR_CONFIG;
    }
    *ppm_p = ppm;
    return GMS_OK;
}

gms_status_t gms_time_parse(const char *text, uint64_t *mode_p,
                            uint64_t *factor_ppm_p)
{
    const char *const *names = gms_param_find("time")->names;
    size_t length = strcspn(text, ":");
    uint64_t factor_ppm = 0;
    uint64_t mode = 0;

    while (names[mode] != NULL && (strlen(names[mode]) != length ||
                                   strncmp(names[mode], text, length) != 0)) {
        ++mode;
    }
    if (names[mode] == NULL) {
        return GMS_ERR_CONFIG;
    }
    if (mode == GMS_TIME_RECORDED) {
        if (text[length] == '\0' || text[length + 1] == '\0') {
            return GMS_ERR_CONFIG; /* reject an empty record name */
        }
    } else if (text[length] == ':' &&
               (mode == GMS_TIME_VIRTUAL ||
                gms_time_parse_factor(text + length + 1, &factor_ppm) !=
                    GMS_OK)) {
        return GMS_ERR_CONFIG;
    }
    *mode_p = mode;
    *factor_ppm_p = factor_ppm;
    return GMS_OK;
}

gms_status_t gms_time_replace(const char *text, gms_params_t *params,
                              char error[GMS_TIME_ERROR_LEN])
{
    uint64_t factor_ppm;

    if (text == NULL || text[0] == '\0') {
        return GMS_OK;
    }
    if (gms_time_parse(text, &params->time, &factor_ppm) != GMS_OK) {
        snprintf(error, GMS_TIME_ERROR_LEN,
                 "environment variable GMSIM_TIME: value '%.*s' is unknown; "
                 "allowed: %s; or recorded:RECORD",
                 GMS_TIME_QUOTE_LEN, text, gms_time_allowed);
        return GMS_ERR_CONFIG;
    }
    params->time_factor_ppm =
        factor_ppm != 0 ? factor_ppm : GMS_TIME_FACTOR_ONE;
    return GMS_OK;
}

const char *gms_time_text(const gms_params_t *params,
                          char text[GMS_TIME_TEXT_LEN])
{
    int length = snprintf(text, GMS_TIME_TEXT_LEN, "%s",
                          gms_param_find("time")->names[params->time]);
    uint64_t whole = params->time_factor_ppm / GMS_TIME_FACTOR_ONE;
    uint64_t part = params->time_factor_ppm % GMS_TIME_FACTOR_ONE;

    if (params->time == GMS_TIME_VIRTUAL || params->time == GMS_TIME_RECORDED) {
        return text;
    }
    length += snprintf(text + length, GMS_TIME_TEXT_LEN - (size_t)length,
                       ":%llu.%06llu", (unsigned long long)whole,
                       (unsigned long long)part);
    while (text[length - 1] == '0') {
        text[--length] = '\0';
    }
    if (text[length - 1] == '.') {
        text[--length] = '\0';
    }
    return text;
}
