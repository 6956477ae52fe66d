/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the cluster description with the document interface of libyaml, which
 * stores the line of each YAML node. Every message contains the file, the line,
 * the key, the given value and the allowed values. A loader that is driven by a
 * schema would need less code, but could not print such messages
 * (doc/design/0001-cluster-description.md).
 */
#include "cluster/cluster_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/time_mode.h"
#include "engine/gate.h"

/* Frequently used parameters, which a description may set outside of
 * `parameters:`. */
static const char *const gms_cluster_short[] = {
    GMS_PARAM_SHAPE_NAMES, "scheduler", "binding", "time",
    "intra_host",          "seed",      NULL,
};

static const char *const gms_cluster_sections[] = {
    "profile",   "parameters",    "switches", "cables", "tables", "lanes",
    "placement", "host_topology", "fabric",   "io",     "faults", NULL,
};

/* ---- keys ---- */

int gms_cluster_is_short(const gms_param_t *row)
{
    const char *const *name = gms_cluster_short;

    while (*name != NULL && strcmp(*name, row->name) != 0) {
        ++name;
    }
    return *name != NULL;
}

/** Store the line of each key in the cluster, for messages that are printed
 *  after the description has been read. */
static void gms_loader_remember(gms_loader_t *loader)
{
    gms_cluster_t *cluster = &gms_cluster_draft(loader)->cluster;
    size_t i;

    for (i = 0; i < GMS_CLUSTER_ROWS; ++i) {
        cluster->lines[i] = (uint32_t)gms_cluster_draft(loader)->lines[i];
    }
    cluster->profile_line = (uint32_t)gms_cluster_draft(loader)->profile_line;
    cluster->host_topology_line =
        (uint32_t)gms_cluster_draft(loader)->host.line;
}

gms_status_t gms_loader_claim(gms_loader_t *loader, const gms_param_t *row,
                              size_t line)
{
    size_t *first_line =
        &gms_cluster_draft(loader)->lines[row - gms_param_table];

    if (*first_line != 0) {
        return gms_loader_fail(loader, line,
                               "key '%s' is given twice, first on line %zu",
                               row->name, *first_line);
    }
    *first_line = line;
    return GMS_OK;
}

/** Read the key `time`. The value of this key may contain a factor, which is
 * stored in the parameter time_factor_ppm. */
static gms_status_t gms_loader_time(gms_loader_t *loader, size_t line,
                                    const yaml_node_t *value)
{
    gms_params_t *params = &gms_cluster_draft(loader)->cluster.params;
    const char *text = gms_yaml_scalar(value), *best = NULL;
    const char *const *name;
    uint64_t mode, factor_ppm;
    gms_status_t status;
    size_t limit;

    if (text != NULL && gms_time_parse(text, &mode, &factor_ppm) == GMS_OK &&
        mode != GMS_TIME_RECORDED) {
        params->time = mode;
        if (factor_ppm == 0) {
            return GMS_OK;
        }
        params->time_factor_ppm = factor_ppm;
        return gms_loader_claim(loader, gms_param_find("time_factor_ppm"),
                                line);
    }
    status = gms_loader_begin_value(loader, "time", value);
    if (value->type == YAML_SCALAR_NODE) {
        gms_yaml_append(loader->error, " is unknown");
    }
    if (text != NULL && text[0] != '\0' && strchr(text, ':') == NULL) {
        limit = gms_yaml_typo_limit(text);
        for (name = gms_param_find("time")->names; *name != NULL; ++name) {
            gms_yaml_nearer(text, *name, &best, &limit);
        }
        gms_yaml_append_guess(loader->error, best);
    }
    gms_yaml_append(loader->error, "; allowed: %s", gms_time_allowed);
    return status;
}

gms_status_t gms_loader_row(gms_loader_t *loader, const gms_param_t *row,
                            size_t line, const yaml_node_t *value)
{
    gms_status_t status = gms_loader_claim(loader, row, line);
    uint64_t number = 0;

    if (status != GMS_OK) {
        return status;
    }
    if (row->offset == offsetof(gms_params_t, time)) {
        return gms_loader_time(loader, line, value);
    }
    if (row->names != NULL) {
        status =
            gms_loader_choice(loader, value, row->name, row->names, &number);
    } else {
        status = gms_loader_integer(loader, value, row, &number);
    }
    if (status == GMS_OK) {
        gms_param_set(&gms_cluster_draft(loader)->cluster.params, row, number);
    }
    return status;
}

/** Read a key below `parameters:`. */
static gms_status_t gms_loader_parameter(gms_loader_t *loader, const char *key,
                                         size_t line, const yaml_node_t *value)
{
    const gms_param_t *row = gms_param_find(key);
    size_t limit = gms_yaml_typo_limit(key);
    const char *best = NULL;
    gms_status_t status;

    if (row != NULL) {
        return gms_loader_row(loader, row, line, value);
    }
    for (row = gms_param_table; row->name != NULL; ++row) {
        gms_yaml_nearer(key, row->name, &best, &limit);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error,
                    "; allowed: the names that `gmsim params` lists");
    return status;
}

/** Store the value and the line of a section that is read after all other
 *  keys. */
static gms_status_t gms_loader_keep(gms_loader_t *loader, const char *key,
                                    size_t line, const yaml_node_t *value,
                                    gms_section_t *section)
{
    if (section->value != NULL) {
        return gms_loader_fail(loader, line,
                               "key '%s' is given twice, first on line %zu",
                               key, section->line);
    }
    section->line = line;
    section->value = value;
    return GMS_OK;
}

gms_status_t gms_loader_parameters(gms_loader_t *loader, size_t line,
                                   const yaml_node_t *value)
{
    gms_status_t status;

    if (gms_cluster_draft(loader)->parameters_line != 0) {
        return gms_loader_fail(
            loader, line, "key 'parameters' is given twice, first on line %zu",
            gms_cluster_draft(loader)->parameters_line);
    }
    gms_cluster_draft(loader)->parameters_line = line;
    if (value->type != YAML_MAPPING_NODE) {
        if (value->type == YAML_SCALAR_NODE && value->data.scalar.length == 0) {
            return gms_loader_fail(loader, line,
                                   "key 'parameters' has no value; allowed: "
                                   "indented lines 'NAME: NUMBER'");
        }
        status = gms_loader_begin_value(loader, "parameters", value);
        gms_yaml_append(loader->error,
                        "%s is not a mapping; allowed: one line 'NAME: "
                        "NUMBER' per parameter",
                        (value->type == YAML_SCALAR_NODE) ? "" : ", which");
        return status;
    }
    return gms_loader_mapping(loader, value, gms_loader_parameter);
}

/** Return the section that is read after all other keys, or NULL if the key is
 *  read at once. */
static gms_section_t *gms_loader_section(gms_loader_t *loader, const char *key)
{
    gms_cluster_draft_t *draft = gms_cluster_draft(loader);
    const struct {
        const char *key;
        gms_section_t *section;
    } sections[] = {
        {"switches", &draft->switches},
        {"cables", &draft->cables},
        {"tables", &draft->tables},
        {"lanes", &draft->lanes},
        {"placement", &draft->placement},
        {"host_topology", &draft->host},
        {"io", &draft->io},
        {"faults", &draft->faults},
    };
    size_t i;

    for (i = 0; i < sizeof(sections) / sizeof(sections[0]); ++i) {
        if (strcmp(key, sections[i].key) == 0) {
            return sections[i].section;
        }
    }
    return NULL;
}

/** Report a key that does not belong to the top level. */
static gms_status_t gms_loader_reject_top(gms_loader_t *loader, const char *key,
                                          size_t line)
{
    size_t limit = gms_yaml_typo_limit(key);
    const char *const *name, *best = NULL;
    gms_status_t status;

    if (gms_param_find(key) != NULL) {
        return gms_loader_fail(loader, line,
                               "key '%s' belongs below 'parameters:'", key);
    }
    for (name = gms_cluster_sections; *name != NULL; ++name) {
        gms_yaml_nearer(key, *name, &best, &limit);
    }
    for (name = gms_cluster_short; *name != NULL; ++name) {
        gms_yaml_nearer(key, *name, &best, &limit);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error, "; allowed: ");
    gms_yaml_append_names(loader->error, gms_cluster_sections);
    gms_yaml_append(loader->error, ", ");
    gms_yaml_append_names(loader->error, gms_cluster_short);
    return status;
}

/** Read a key of the top level of the description. */
static gms_status_t gms_loader_top(gms_loader_t *loader, const char *key,
                                   size_t line, const yaml_node_t *value)
{
    gms_section_t *section = gms_loader_section(loader, key);
    const gms_param_t *row = gms_param_find(key);
    gms_status_t status = GMS_OK;

    if (strcmp(key, "profile") == 0) {
        return GMS_OK; /* gms_loader_first() has already read this key */
    }
    if (strcmp(key, "parameters") == 0) {
        return gms_loader_parameters(loader, line, value);
    }
    if (strcmp(key, "fabric") == 0) {
        return gms_loader_fabric_keys(loader, value);
    }
    if (section != NULL) {
        status = gms_loader_keep(loader, key, line, value, section);
    }
    if (status == GMS_OK && strcmp(key, "io") == 0) {
        return gms_loader_io_keys(loader, value);
    }
    if (status == GMS_OK && strcmp(key, "placement") == 0 &&
        value->type == YAML_SCALAR_NODE) {
        return gms_loader_row(loader, row, line, value);
    }
    if (section != NULL) {
        return status;
    }
    return row != NULL && gms_cluster_is_short(row)
               ? gms_loader_row(loader, row, line, value)
               : gms_loader_reject_top(loader, key, line);
}

gms_status_t gms_loader_first(gms_loader_t *loader, const yaml_node_t *root)
{
    const yaml_node_pair_t *pair;
    gms_status_t status = GMS_OK, one;

    for (pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; ++pair) {
        const yaml_node_t *key =
            yaml_document_get_node(loader->document, pair->key);
        const char *text = gms_yaml_scalar(key);

        if (text != NULL && strcmp(text, "profile") == 0) {
            one = gms_loader_profile(
                loader, key->start_mark.line + 1,
                yaml_document_get_node(loader->document, pair->value));
            status = (status == GMS_OK) ? one : status;
        }
    }
    return status;
}

/* ---- values that depend on each other ---- */

/* If a check fails, the functions of this section store the reason in `text'
 * (GMS_YAML_ERROR_LEN bytes) and the row of the invalid value in `row_p'.
 * @return GMS_OK, GMS_ERR_CONFIG */

static gms_status_t gms_cluster_check_ranges(const gms_params_t *params,
                                             const gms_param_t **row_p,
                                             char *text)
{
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        uint64_t value = gms_param_get(params, row);

        if (value < row->min || value > row->max) {
            *row_p = row;
            gms_yaml_append(text, "key '%s': value '%llu' is out of range",
                            row->name, (unsigned long long)value);
            gms_yaml_append_allowed(text, row);
            return GMS_ERR_CONFIG;
        }
    }
    return GMS_OK;
}

static gms_status_t gms_cluster_check_nic(const gms_params_t *params,
                                          const gms_param_t **row_p, char *text)
{
    uint64_t most;

    most = gms_placement_most(params);
    if (params->ranks_per_host > most) {
        *row_p = gms_param_find("ranks_per_host");
        gms_yaml_append(
            text,
            "key 'ranks_per_host': value '%llu' needs more user ports than a "
            "NIC has; allowed: 1..%llu (gm_ports %llu minus 3 reserved ports)",
            (unsigned long long)params->ranks_per_host,
            (unsigned long long)most, (unsigned long long)params->gm_ports);
        return GMS_ERR_CONFIG;
    }
    if (params->nic_fast_bytes > params->nic_mtu_bytes) {
        *row_p = gms_param_find("nic_fast_bytes");
        gms_yaml_append(text,
                        "key 'nic_fast_bytes': value '%llu' exceeds the "
                        "payload of a packet; allowed: 0..%llu (nic_mtu_bytes)",
                        (unsigned long long)params->nic_fast_bytes,
                        (unsigned long long)params->nic_mtu_bytes);
        return GMS_ERR_CONFIG;
    }
    if (params->nic_ack_packets > params->nic_window_packets) {
        *row_p = gms_param_find("nic_ack_packets");
        gms_yaml_append(text,
                        "key 'nic_ack_packets': value '%llu' exceeds the "
                        "window; allowed: 1..%llu (nic_window_packets)",
                        (unsigned long long)params->nic_ack_packets,
                        (unsigned long long)params->nic_window_packets);
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

static gms_status_t gms_cluster_check_arena(const gms_params_t *params,
                                            const gms_param_t **row_p,
                                            char *text)
{
    if (params->arena_bytes == 0 ||
        params->arena_bytes >= GMS_PARAM_ARENA_LEAST) {
        return GMS_OK;
    }
    *row_p = gms_param_find("arena_bytes");
    gms_yaml_append(text,
                    "key 'arena_bytes': value '%llu' is out of range; allowed: "
                    "0 (a default size for the number of ranks) or %llu..%llu "
                    "bytes",
                    (unsigned long long)params->arena_bytes,
                    (unsigned long long)GMS_PARAM_ARENA_LEAST,
                    (unsigned long long)(*row_p)->max);
    return GMS_ERR_CONFIG;
}

static gms_status_t gms_cluster_check_qos(const gms_params_t *params,
                                          const gms_param_t **row_p, char *text)
{
    uint64_t product;

    if (params->qos_master > params->hosts) {
        *row_p = gms_param_find("qos_master");
        gms_yaml_append(
            text,
            "key 'qos_master': value '%llu' is not a host; allowed: 1..%llu "
            "(hosts)",
            (unsigned long long)params->qos_master,
            (unsigned long long)params->hosts);
        return GMS_ERR_CONFIG;
    }
    if (params->qos_link_bytes_s > params->link_bytes_s) {
        *row_p = gms_param_find("qos_link_bytes_s");
        gms_yaml_append(text,
                        "key 'qos_link_bytes_s': value '%llu' exceeds the rate "
                        "of a link; allowed: 1000000..%llu (link_bytes_s)",
                        (unsigned long long)params->qos_link_bytes_s,
                        (unsigned long long)params->link_bytes_s);
        return GMS_ERR_CONFIG;
    }
    /* If the product does not match the other parameters, all reservations
     * would be too large or too small without any error message. This check
     * allows a deviation of 10 % in both directions, because the constant in
     * the thesis deviates by 3 %. */
    product = params->nic_mtu_bytes * UINT64_C(1000000) / params->rtc_tick_ps;
    if (params->qos_idt_product * 10 < product * 9 ||
        params->qos_idt_product * 10 > product * 11) {
        *row_p = gms_param_find("qos_idt_product");
        gms_yaml_append(text,
                        "key 'qos_idt_product': value '%llu' does not match "
                        "nic_mtu_bytes / rtc_tick_ps; allowed: %llu..%llu",
                        (unsigned long long)params->qos_idt_product,
                        (unsigned long long)((product * 9 + 9) / 10),
                        (unsigned long long)(product * 11 / 10));
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

static gms_status_t gms_cluster_check_row(const gms_params_t *params,
                                          const gms_param_t **row_p, char *text)
{
    gms_status_t status;

    text[0] = '\0';
    status = gms_cluster_check_ranges(params, row_p, text);
    if (status == GMS_OK) {
        status = gms_cluster_check_nic(params, row_p, text);
    }
    if (status == GMS_OK) {
        status = gms_cluster_check_arena(params, row_p, text);
    }
    if (status == GMS_OK) {
        status = gms_cluster_check_qos(params, row_p, text);
    }
    if (status == GMS_OK) {
        status = gms_cluster_check_fabric(params, row_p, text);
    }
    return status;
}

gms_status_t gms_cluster_check(const gms_cluster_t *cluster,
                               char error[GMS_YAML_ERROR_LEN])
{
    char text[GMS_TOPOLOGY_ERROR_LEN], why[GMS_PLACEMENT_WHY_LEN];
    gms_topology_t *topology;
    const gms_param_t *row;
    gms_arena_t *arena;

    if (gms_cluster_check_row(&cluster->params, &row, error) != GMS_OK) {
        return GMS_ERR_CONFIG;
    }
    if (gms_placement_check(&cluster->params, &cluster->placement, why) !=
        GMS_OK) {
        gms_yaml_append(error, "key 'placement': %s", why);
        return GMS_ERR_CONFIG;
    }
    if (gms_cluster_build(cluster, &arena, &topology, text) != GMS_OK) {
        gms_yaml_append(error, "key '%s': %s",
                        gms_cluster_blame(text, NULL)->name, text);
        return GMS_ERR_CONFIG;
    }
    gms_arena_destroy_private(arena);
    return GMS_OK;
}

static gms_status_t gms_loader_check(gms_loader_t *loader)
{
    /* if a description sets one of the following keys, a value of the profile
     * may become invalid */
    static const char *const givers[] = {"fabric_model",  "link_bytes_s",
                                         "nic_mtu_bytes", "rtc_tick_ps",
                                         "gm_ports",      NULL};
    char text[GMS_YAML_ERROR_LEN];
    const char *const *giver = givers;
    const gms_param_t *row = NULL;
    size_t line;

    if (gms_cluster_check_row(&gms_cluster_draft(loader)->cluster.params, &row,
                              text) == GMS_OK) {
        return GMS_OK;
    }
    line = gms_cluster_draft(loader)->lines[row - gms_param_table];
    if (line != 0) {
        return gms_loader_fail(loader, line, "%s", text);
    }
    for (; line == 0 && *giver != NULL; ++giver) {
        line = gms_cluster_draft(loader)
                   ->lines[gms_param_find(*giver) - gms_param_table];
    }
    return gms_loader_fail(
        loader, line,
        "%s; this value is the default, so set the key explicitly", text);
}

/** Build the topology. Keep the arena of the topology, because later sections
 * refer to its links. */
static gms_status_t gms_loader_topology(gms_loader_t *loader)
{
    char text[GMS_TOPOLOGY_ERROR_LEN];
    const gms_param_t *row;

    if (gms_cluster_build(&gms_cluster_draft(loader)->cluster,
                          &gms_cluster_draft(loader)->arena,
                          &gms_cluster_draft(loader)->topology,
                          text) == GMS_OK) {
        return GMS_OK;
    }
    if (gms_cluster_draft(loader)->cables.value != NULL &&
        strstr(text, "'cables'") != NULL) {
        return gms_loader_fail(loader, gms_cluster_draft(loader)->cables.line,
                               "key 'cables': %s", text);
    }
    row = gms_cluster_blame(text, gms_cluster_draft(loader)->lines);
    return gms_loader_fail(
        loader, gms_cluster_draft(loader)->lines[row - gms_param_table],
        "key '%s': %s", row->name, text);
}

/* ---- file ---- */

static gms_status_t gms_loader_document(gms_loader_t *loader,
                                        const yaml_node_t *root)
{
    gms_status_t status, first;

    if (root == NULL ||
        (root->type == YAML_SCALAR_NODE && root->data.scalar.length == 0)) {
        return gms_loader_fail(
            loader, 1,
            "the file is empty; required: at least 'profile: lanai4.3'");
    }
    if (root->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(loader, root->start_mark.line + 1,
                               "not a mapping; allowed: lines of the form "
                               "'KEY: VALUE', with a space after the colon");
    }
    first = gms_loader_first(loader, root);
    status = gms_loader_mapping(loader, root, gms_loader_top);
    status = (first == GMS_OK) ? status : first;
    if (status == GMS_OK) {
        status = gms_loader_check(loader);
    }
    if (status == GMS_OK) {
        status = gms_loader_shape(loader);
    }
    if (status == GMS_OK) {
        status = gms_loader_fabric(loader);
    }
    if (status == GMS_OK) {
        status = gms_loader_graph(loader);
    }
    if (status == GMS_OK) {
        status = gms_loader_topology(loader);
    }
    if (status == GMS_OK) {
        status = gms_loader_lanes(loader);
    }
    if (status == GMS_OK) {
        status = gms_loader_placement(loader);
    }
    if (status == GMS_OK) {
        status = gms_loader_io(loader);
    }
    if (status == GMS_OK) {
        status = gms_loader_host(loader);
    }
    /* The faults are read last because they refer to nodes and links of the
     * cluster. */
    if (status == GMS_OK && gms_cluster_draft(loader)->faults.value != NULL) {
        status = gms_loader_faults(loader);
    }
    return status;
}

void gms_cluster_clear(gms_cluster_t *cluster)
{
    gms_graph_clear(&cluster->graph);
    gms_placement_clear(&cluster->placement);
    free(cluster->io.hosts);
    cluster->io = (gms_io_hosts_t){.count = 0};
}

gms_status_t gms_cluster_load(const char *path, gms_cluster_t *cluster,
                              char error[GMS_YAML_ERROR_LEN])
{
    gms_cluster_draft_t draft = {.loader = {
                                     .error = error,
                                     .what = "cluster description",
                                     .each = "one cluster",
                                     .on_root = gms_loader_document,
                                 }};
    gms_status_t status;

    error[0] = '\0';
    draft.cluster.profile = gms_profile_at(0);
    gms_profile_init(draft.cluster.profile, &draft.cluster.params);
    strcpy(draft.cluster.host_topology, draft.cluster.profile->host_topology);
    if (path == NULL) {
        *cluster = draft.cluster;
        return GMS_OK;
    }
    status = gms_loader_file(&draft.loader, path);
    gms_arena_destroy_private(draft.arena);
    if (status != GMS_OK) {
        gms_cluster_clear(&draft.cluster);
        return status;
    }
    if (gms_faults_any(&draft.cluster.params, &draft.cluster.faults)) {
        draft.cluster.params.nic_check_crc = 1;
    }
    gms_loader_remember(&draft.loader);
    *cluster = draft.cluster;
    return GMS_OK;
}
