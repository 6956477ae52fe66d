/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the key `profile` of a cluster description. Its value is the name of a
 * profile, or the path of a YAML file that changes parameters of a profile.
 * `gmsim fit` writes such files.
 */
#include "cluster/cluster_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int gms_profile_is_file(const char *text)
{
    static const char end[] = ".yaml";
    size_t length = strlen(text), end_length = sizeof(end) - 1;

    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

/* ---- the file ---- */

/** Read a key of a profile's file. */
static gms_status_t gms_profile_key(gms_loader_t *loader, const char *key,
                                    size_t line, const yaml_node_t *value)
{
    static const char *const keys[] = {"profile", "parameters", NULL};
    size_t limit = gms_yaml_typo_limit(key), i;
    const char *best = NULL;
    gms_status_t status;

    if (strcmp(key, "profile") == 0) {
        return GMS_OK; /* gms_loader_first() has already read this key */
    }
    if (strcmp(key, "parameters") == 0) {
        return gms_loader_parameters(loader, line, value);
    }
    for (i = 0; keys[i] != NULL; ++i) {
        gms_yaml_nearer(key, keys[i], &best, &limit);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error, "; allowed in a profile file: ");
    gms_yaml_append_names(loader->error, keys);
    return status;
}

/** Reject parameters that describe the cluster instead of its hardware. */
static gms_status_t gms_profile_check(gms_loader_t *loader)
{
    gms_status_t status = GMS_OK;
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        size_t line = gms_cluster_draft(loader)->lines[row - gms_param_table];

        if (line != 0 && gms_cluster_is_short(row)) {
            status = gms_loader_fail(
                loader, line,
                "key '%s' does not belong to a profile; set the key in the "
                "cluster description",
                row->name);
        }
    }
    return status;
}

static gms_status_t gms_profile_root(gms_loader_t *loader,
                                     const yaml_node_t *root)
{
    gms_status_t status, first;

    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(loader, 1,
                               "not a profile; allowed: the keys 'profile' and "
                               "'parameters'");
    }
    first = gms_loader_first(loader, root);
    status = gms_loader_mapping(loader, root, gms_profile_key);
    status = first == GMS_OK ? status : first;
    return status == GMS_OK ? gms_profile_check(loader) : status;
}

/** Read the file of a profile into a separate draft. */
static gms_status_t gms_profile_load(const char *path, char *error,
                                     gms_cluster_draft_t *draft)
{
    *draft = (gms_cluster_draft_t){.loader = {
                                       .error = error,
                                       .what = "profile",
                                       .each = "one profile",
                                       .on_root = gms_profile_root,
                                   }};
    error[0] = '\0';
    draft->is_profile = 1;
    draft->cluster.profile = gms_profile_at(0);
    gms_profile_init(draft->cluster.profile, &draft->cluster.params);
    return gms_loader_file(&draft->loader, path);
}

/* ---- the key of a description ---- */

/** Copy the values of a profile's file. */
static void gms_profile_adopt(gms_cluster_t *cluster,
                              const gms_cluster_draft_t *file)
{
    size_t i;

    cluster->profile = file->cluster.profile;
    cluster->params = file->cluster.params;
    for (i = 0; i < GMS_CLUSTER_ROWS; ++i) {
        cluster->profile_lines[i] = (uint32_t)file->lines[i];
    }
}

gms_status_t gms_profile_from_file(gms_loader_t *loader, const char *text,
                                   char reason[GMS_YAML_ERROR_LEN])
{
    gms_cluster_t *cluster = &gms_cluster_draft(loader)->cluster;
    gms_cluster_draft_t *file = malloc(sizeof(*file));
    char path[GMS_CLUSTER_PATH_LEN];
    gms_status_t status = GMS_ERR_CONFIG;

    if (file == NULL) {
        (void)snprintf(reason, GMS_YAML_ERROR_LEN, "out of memory");
    } else if (gms_loader_path(loader, text, path, sizeof(path)) != 0) {
        (void)snprintf(reason, GMS_YAML_ERROR_LEN, "%s", strerror(errno));
    } else {
        status = gms_profile_load(path, reason, file);
        reason[strcspn(reason, "\n")] = '\0';
    }
    if (status == GMS_OK) {
        gms_profile_adopt(cluster, file);
        strcpy(cluster->profile_path, path);
    }
    free(file);
    return status;
}

gms_status_t gms_loader_profile(gms_loader_t *loader, size_t line,
                                const yaml_node_t *value)
{
    gms_cluster_draft_t *draft = gms_cluster_draft(loader);
    const char *text = gms_yaml_scalar(value);
    char reason[GMS_YAML_ERROR_LEN];
    gms_status_t status;
    uint64_t profile;

    if (draft->profile_line != 0) {
        return gms_loader_fail(
            loader, line, "key 'profile' is given twice, first on line %zu",
            draft->profile_line);
    }
    draft->profile_line = line;
    if (text != NULL && !draft->is_profile && gms_profile_is_file(text)) {
        status = gms_profile_from_file(loader, text, reason);
        if (status != GMS_OK) {
            (void)gms_loader_begin_value(loader, "profile", value);
            gms_yaml_append(loader->error, " cannot be used: %s", reason);
            return status;
        }
    } else {
        status = gms_loader_choice(loader, value, "profile", gms_profile_names,
                                   &profile);
        if (status != GMS_OK) {
            return status;
        }
        draft->cluster.profile = gms_profile_at(profile);
        gms_profile_init(draft->cluster.profile, &draft->cluster.params);
    }
    strcpy(draft->cluster.host_topology, draft->cluster.profile->host_topology);
    return GMS_OK;
}
