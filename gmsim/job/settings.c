/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements gmsim_set_param() and gmsim_get_param_info(). Both functions read
 * the cluster description before the process joins, and keep the changed values
 * until then. Both functions reject changes of parameters that define the shape
 * of the cluster.
 */
#include "job/settings.h"

#include <stdio.h>
#include <string.h>

#include "cluster/time_mode.h"
#include "job/launch.h"
#include "job/sim.h"
#include "gmsim_counters.h"

/* Parameters that define the shape of the cluster. The lists of switches and
 * cables and the faults of nodes are compared with these parameters when the
 * description is read. */
static const char *const gms_settings_shape[] = {
    GMS_PARAM_SHAPE_NAMES,
    "units_per_host",
    NULL,
};

int gms_settings_is_shape(const gms_param_t *row)
{
    unsigned i;

    for (i = 0; gms_settings_shape[i] != NULL; ++i) {
        if (strcmp(gms_settings_shape[i], row->name) == 0) {
            return 1;
        }
    }
    return 0;
}

void gms_settings_put(gms_settings_t *settings, const gms_param_t *row,
                      uint64_t value)
{
    uint8_t *is_set = &settings->is_set[row - gms_param_table];

    settings->count += !*is_set;
    *is_set = 1;
    gms_param_set(&settings->values, row, value);
}

static gms_status_t gms_settings_read(gms_settings_t *settings)
{
    char error[GMS_YAML_ERROR_LEN];
    gms_launch_t launch;
    gms_cluster_t cluster;
    gms_status_t status = gms_launch_read("/proc", &launch, error);

    if (status == GMS_OK) {
        status = gms_launch_check_cluster(&launch, error);
    }
    if (status == GMS_OK) {
        status = gms_cluster_load(launch.cluster, &cluster, error);
    }
    if (status == GMS_OK) {
        status = gms_time_replace(launch.time, &cluster.params, error);
        settings->described = cluster.params;
        settings->is_read = status == GMS_OK;
        gms_cluster_clear(&cluster);
    }
    return status;
}

gms_status_t gms_settings_get(gms_settings_t *settings, const gms_param_t *row,
                              uint64_t *value_p)
{
    const gms_params_t *from = &settings->values;
    gms_status_t status = GMS_OK;

    if (!settings->is_set[row - gms_param_table]) {
        from = &settings->described;
        if (!settings->is_read) {
            status = gms_settings_read(settings);
        }
    }
    if (status == GMS_OK) {
        *value_p = gms_param_get(from, row);
    }
    return status;
}

gms_status_t gms_settings_apply(const gms_settings_t *settings,
                                gms_cluster_t *cluster,
                                char error[GMS_YAML_ERROR_LEN])
{
    static const char before[] = "parameters set by the program: ";
    const gms_param_t *row;

    if (settings->count == 0) {
        return GMS_OK;
    }
    for (row = gms_param_table; row->name != NULL; ++row) {
        if (settings->is_set[row - gms_param_table]) {
            gms_param_set(&cluster->params, row,
                          gms_param_get(&settings->values, row));
        }
    }
    if (gms_faults_any(&cluster->params, &cluster->faults)) {
        /* the code that reads a cluster description with faults also enables
         * this check */
        cluster->params.nic_check_crc = 1;
    }
    if (gms_cluster_check(cluster, error) != GMS_OK) {
        memmove(error + sizeof(before) - 1, error,
                GMS_YAML_ERROR_LEN - sizeof(before));
        memcpy(error, before, sizeof(before) - 1);
        error[GMS_YAML_ERROR_LEN - 1] = '\0';
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

/* ---- Public ------------------------------------------------------------ */

gm_status_t gmsim_get_param_info(unsigned index, gmsim_param_t *param)
{
    const gms_param_t *row;

    if (param == NULL) {
        return GM_INVALID_PARAMETER;
    }
    if (index >= sizeof(gms_params_t) / sizeof(uint64_t)) {
        return GM_NO_MATCH;
    }
    row = &gms_param_table[index];
    param->name = row->name;
    param->unit = row->unit;
    param->doc = row->doc;
    param->min = row->min;
    param->max = row->max;
    param->choices = row->names;
    param->is_shape = gms_settings_is_shape(row);
    return GM_SUCCESS;
}

gm_status_t gmsim_set_param(const char *name, uint64_t value)
{
    gms_sim_t *sim = gms_sim();
    const gms_param_t *row = name != NULL ? gms_param_find(name) : NULL;

    if (row == NULL) {
        return GM_NO_MATCH;
    }
    if (sim == NULL) {
        return GM_OUT_OF_MEMORY;
    }
    if (sim->state != GMS_SIM_NEW) {
        return GM_BUSY;
    }
    if (gms_settings_is_shape(row)) {
        return GM_PERMISSION_DENIED;
    }
    if (value < row->min || value > row->max) {
        return GM_INVALID_PARAMETER;
    }
    gms_settings_put(&sim->settings, row, value);
    return GM_SUCCESS;
}
