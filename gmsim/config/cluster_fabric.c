/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the fabric model that a description asks for exist? */
#include "config/cluster_int.h"

#include <stdio.h>
#include <string.h>

#include "fabric/flit_model.h"

/* A key that only fabric_model flit looks at would be silently ignored; with its
 * default it says nothing (`gmsim config show` prints all). */
gms_status_t gms_loader_fabric(gms_loader_t *loader)
{
    const gms_param_t *row;

    if (loader->cluster.params.fabric_model == GMS_FABRIC_FLIT) {
        return GMS_OK;
    }
    for (row = gms_param_table; row->name != NULL; row++) {
        size_t line = loader->lines[row - gms_param_table];

        if ((line != 0) && (strncmp(row->name, "flit_", 5) == 0) &&
            (gms_param_get(&loader->cluster.params, row) != row->value)) {
            return gms_loader_fail(loader, line,
                                   "key '%s' means nothing to fabric_model "
                                   "'worm'; allowed with: flit",
                                   row->name);
        }
    }
    return GMS_OK;
}

gms_status_t gms_cluster_check_fabric(const gms_params_t *params,
                                      const gms_param_t **row_p, char *text)
{
    char error[GMS_TOPOLOGY_ERROR_LEN], name[64];
    gms_flit_config_t config;
    const gms_param_t *row;
    size_t len;

    if ((params->fabric_model != GMS_FABRIC_FLIT) ||
        (gms_flit_model_config(params, &config, error) == GMS_OK)) {
        return GMS_OK;
    }
    len = strcspn(error, ":");
    (void)snprintf(name, sizeof(name), "%.*s", (int)len, error);
    row = gms_param_find(name);
    *row_p = (row != NULL) ? row : gms_param_find("fabric_model");
    gms_cluster_append(text, "key '%s'%s", name, error + len);
    return GMS_ERR_CONFIG;
}
