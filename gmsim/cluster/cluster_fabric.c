/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the section `fabric:` of a cluster description. The reader rejects an
 * unknown fabric model, and keys that the selected model does not use.
 */
#include "cluster/cluster_int.h"

#include <stdio.h>
#include <string.h>

#include "fabric/cut_through.h"
#include "fabric/ethernet.h"
#include "fabric/flit_model.h"

#define GMS_FABRIC_PREFIX "flit_"

/** Return the parameter row of a key below `fabric:`; NULL if the key is
 * unknown. */
static const gms_param_t *gms_fabric_row(const char *key)
{
    char name[64];

    if (strcmp(key, "model") == 0) {
        return gms_param_find("fabric_model");
    }
    (void)snprintf(name, sizeof(name), GMS_FABRIC_PREFIX "%s", key);
    return gms_param_find(name);
}

static gms_status_t gms_loader_fabric_key(gms_loader_t *loader, const char *key,
                                          size_t line, const yaml_node_t *value)
{
    const size_t prefix = strlen(GMS_FABRIC_PREFIX);
    size_t limit = gms_yaml_typo_limit(key);
    const gms_param_t *row = gms_fabric_row(key);
    const char *best = NULL;
    gms_status_t status;

    if (row != NULL) {
        return gms_loader_row(loader, row, line, value);
    }
    gms_yaml_nearer(key, "model", &best, &limit);
    for (row = gms_param_table; row->name != NULL; ++row) {
        if (strncmp(row->name, GMS_FABRIC_PREFIX, prefix) == 0) {
            gms_yaml_nearer(key, row->name + prefix, &best, &limit);
        }
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error, "; allowed below 'fabric:': model");
    for (row = gms_param_table; row->name != NULL; ++row) {
        if (strncmp(row->name, GMS_FABRIC_PREFIX, prefix) == 0) {
            gms_yaml_append(loader->error, ", %s", row->name + prefix);
        }
    }
    return status;
}

gms_status_t gms_loader_fabric_keys(gms_loader_t *loader,
                                    const yaml_node_t *mapping)
{
    gms_status_t status;

    if (mapping->type == YAML_MAPPING_NODE) {
        return gms_loader_mapping(loader, mapping, gms_loader_fabric_key);
    }
    status = gms_loader_begin_value(loader, "fabric", mapping);
    gms_yaml_append(loader->error,
                    "%s not a mapping; allowed: lines like 'model: flit'",
                    (mapping->type == YAML_SCALAR_NODE) ? " is" : ",");
    return status;
}

/* Prefixes of the names of rows that only some fabric models use. */
static const struct {
    const char *begin;
    unsigned models; /* set of models, as bits numbered by enum
                      * gms_fabric_model */
} gms_fabric_rows[] = {
    {GMS_FABRIC_PREFIX, 1u << GMS_FABRIC_FLIT},
    {"vl_", 1u << GMS_FABRIC_CUT_THROUGH},
    {"switch_link_bytes_s",
     1u << GMS_FABRIC_CUT_THROUGH | 1u << GMS_FABRIC_ETHERNET},
    {"eth_", 1u << GMS_FABRIC_ETHERNET},
    {"dcqcn", 1u << GMS_FABRIC_ETHERNET},
};

/* Return the set of fabric models that use a row; 0: all models. */
static unsigned gms_fabric_models_of(const gms_param_t *row)
{
    size_t i;

    for (i = 0; i < sizeof(gms_fabric_rows) / sizeof(*gms_fabric_rows); ++i) {
        const char *begin = gms_fabric_rows[i].begin;

        if (strncmp(row->name, begin, strlen(begin)) == 0) {
            return gms_fabric_rows[i].models;
        }
    }
    return 0;
}

/* Reject a key that only another fabric model uses, because the key would be
 * ignored silently. The key's default value is allowed, because `gmsim config
 * show` prints all keys. */
gms_status_t gms_loader_fabric(gms_loader_t *loader)
{
    const gms_params_t *params = &gms_cluster_draft(loader)->cluster.params;
    const char *const *models = gms_param_find("fabric_model")->names;
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        size_t line = gms_cluster_draft(loader)->lines[row - gms_param_table];
        unsigned used = gms_fabric_models_of(row), model;
        const char *comma = "";

        if (line == 0 || used == 0 || (used >> params->fabric_model & 1) != 0 ||
            gms_param_get(params, row) == row->value) {
            continue;
        }
        (void)gms_loader_fail(
            loader, line,
            "key '%s' is not used by fabric_model '%s'; allowed with: ",
            row->name, models[params->fabric_model]);
        for (model = 0; models[model] != NULL; ++model) {
            if (used >> model & 1) {
                gms_yaml_append(loader->error, "%s%s", comma, models[model]);
                comma = ", ";
            }
        }
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

/* DCQCN requires a scheduler that regulates the pace of flows. */
static gms_status_t gms_cluster_check_ethernet(const gms_params_t *params,
                                               const gms_param_t **row_p,
                                               char *text)
{
    char error[GMS_TOPOLOGY_ERROR_LEN];
    const char *wrong;

    if (gms_eth_check(params, &wrong, error) != GMS_OK) {
        *row_p = gms_param_find(wrong);
        gms_yaml_append(text, "key '%s': %s", wrong, error);
        return GMS_ERR_CONFIG;
    }
    if (params->dcqcn && params->scheduler != GMS_SCHEDULER_RATE) {
        *row_p = gms_param_find("scheduler");
        gms_yaml_append(text,
                        "key 'scheduler': value '%s' does not enforce the "
                        "rates of DCQCN; allowed: rate, or any scheduler with "
                        "dcqcn: 0",
                        (*row_p)->names[params->scheduler]);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_cluster_check_fabric(const gms_params_t *params,
                                      const gms_param_t **row_p, char *text)
{
    char error[GMS_TOPOLOGY_ERROR_LEN], name[64];
    gms_flit_config_t config;
    const gms_param_t *row;
    const char *wrong;
    size_t len;

    if (params->fabric_model == GMS_FABRIC_CUT_THROUGH &&
        gms_cut_through_check(params, &wrong, error) != GMS_OK) {
        *row_p = gms_param_find(wrong);
        gms_yaml_append(text, "key '%s': %s", wrong, error);
        return GMS_ERR_CONFIG;
    }
    if (params->fabric_model == GMS_FABRIC_ETHERNET) {
        return gms_cluster_check_ethernet(params, row_p, text);
    }
    if (params->fabric_model != GMS_FABRIC_FLIT ||
        gms_flit_model_config(params, &config, error) == GMS_OK) {
        return GMS_OK;
    }
    len = strcspn(error, ":");
    (void)snprintf(name, sizeof(name), "%.*s", (int)len, error);
    row = gms_param_find(name);
    *row_p = (row != NULL) ? row : gms_param_find("fabric_model");
    gms_yaml_append(text, "key '%s'%s", name, error + len);
    return GMS_ERR_CONFIG;
}
