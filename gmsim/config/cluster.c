/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the cluster description with libyaml's document interface: it keeps
 * the line of each node, so that every message can name file, line, key, the
 * value given and the values allowed. A schema-driven loader would be shorter,
 * but its messages cannot be made ours (doc/design/0001-cluster-description.md).
 */
#include "config/cluster_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A description is a page of text; what is longer is some other file. */
#define GMS_CLUSTER_MAX_BYTES ((size_t)1 << 20)
/* GM keeps ports 0, 1 and 3 of a NIC for itself. */
#define GMS_CLUSTER_RESERVED_PORTS 3u

static const char *const gms_cluster_profiles[] = {"lanai4.3", NULL};

/* Parameters so common that they need no `parameters:` before them. */
static const char *const gms_cluster_short[] = {
    "hosts", "ranks_per_host", "switch_ports", "scheduler",
    "binding", "seed", NULL,
};

/* ---- keys ---- */

gms_status_t gms_loader_claim(gms_loader_t *loader, const gms_param_t *row,
                              size_t line)
{
    size_t *first_line = &loader->lines[row - gms_param_table];

    if (*first_line != 0) {
        return gms_loader_fail(loader, line,
                               "key '%s' is given twice, first on line %zu",
                               row->name, *first_line);
    }
    *first_line = line;
    return GMS_OK;
}

gms_status_t gms_loader_row(gms_loader_t *loader, const gms_param_t *row,
                            size_t line, const yaml_node_t *value)
{
    gms_status_t status = gms_loader_claim(loader, row, line);
    uint64_t number = 0;

    if (status != GMS_OK) {
        return status;
    }
    if (row->names != NULL) {
        status = gms_loader_choice(loader, value, row->name, row->names,
                                   &number);
    } else {
        status = gms_loader_integer(loader, value, row, &number);
    }
    if (status == GMS_OK) {
        gms_param_set(&loader->params, row, number);
    }
    return status;
}

gms_status_t gms_loader_unknown(gms_loader_t *loader, size_t line,
                                const char *key, const char *best)
{
    gms_status_t status = gms_loader_begin(loader, line);

    gms_cluster_append(loader->error, "unknown key ");
    gms_cluster_append_quoted(loader->error, key, strlen(key));
    gms_cluster_append_guess(loader->error, best);
    return status;
}

/** A key below `parameters:`. */
static gms_status_t gms_loader_parameter(gms_loader_t *loader, const char *key,
                                         size_t line, const yaml_node_t *value)
{
    const gms_param_t *row = gms_param_find(key);
    size_t limit = gms_cluster_typo_limit(key);
    const char *best = NULL;
    gms_status_t status;

    if (row != NULL) {
        return gms_loader_row(loader, row, line, value);
    }
    for (row = gms_param_table; row->name != NULL; row++) {
        gms_cluster_nearer(key, row->name, &best, &limit);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_cluster_append(loader->error,
                       "; allowed: the names that `gmsim params` lists");
    return status;
}

static gms_status_t gms_loader_profile(gms_loader_t *loader, size_t line,
                                       const yaml_node_t *value)
{
    uint64_t profile;

    if (loader->profile_line != 0) {
        return gms_loader_fail(
            loader, line, "key 'profile' is given twice, first on line %zu",
            loader->profile_line);
    }
    loader->profile_line = line;
    /* There is one, and its values are the defaults. */
    return gms_loader_choice(loader, value, "profile", gms_cluster_profiles,
                             &profile);
}

gms_status_t gms_loader_mapping(gms_loader_t *loader,
                                const yaml_node_t *mapping,
                                gms_loader_key_fn *on_key)
{
    const yaml_node_pair_t *pair;
    gms_status_t status = GMS_OK;

    for (pair = mapping->data.mapping.pairs.start;
         (status == GMS_OK) && (pair < mapping->data.mapping.pairs.top);
         pair++) {
        const yaml_node_t *key =
            yaml_document_get_node(loader->document, pair->key);
        const yaml_node_t *value =
            yaml_document_get_node(loader->document, pair->value);
        const char *text = gms_cluster_scalar(key);
        size_t line = key->start_mark.line + 1;

        if (text == NULL) {
            return gms_loader_fail(loader, line, "a key must be a plain word");
        }
        status = on_key(loader, text, line, value);
    }
    return status;
}

static gms_status_t gms_loader_parameters(gms_loader_t *loader, size_t line,
                                          const yaml_node_t *value)
{
    gms_status_t status;

    if (loader->parameters_line != 0) {
        return gms_loader_fail(
            loader, line, "key 'parameters' is given twice, first on line %zu",
            loader->parameters_line);
    }
    loader->parameters_line = line;
    if (value->type != YAML_MAPPING_NODE) {
        status = gms_loader_begin_value(loader, "parameters", value);
        gms_cluster_append(loader->error,
                           "%s is not a mapping; allowed: one line 'NAME: "
                           "NUMBER' per parameter",
                           (value->type == YAML_SCALAR_NODE) ? "" : ", which");
        return status;
    }
    return gms_loader_mapping(loader, value, gms_loader_parameter);
}

/** A key of the description itself. */
static gms_status_t gms_loader_top(gms_loader_t *loader, const char *key,
                                   size_t line, const yaml_node_t *value)
{
    size_t limit = gms_cluster_typo_limit(key);
    const char *const *name, *best = NULL;
    gms_status_t status;

    if (strcmp(key, "profile") == 0) {
        return gms_loader_profile(loader, line, value);
    }
    if (strcmp(key, "parameters") == 0) {
        return gms_loader_parameters(loader, line, value);
    }
    if (strcmp(key, "faults") == 0) {
        if (loader->faults != NULL) {
            return gms_loader_fail(
                loader, line, "key 'faults' is given twice, first on line %zu",
                loader->faults_line);
        }
        loader->faults_line = line;
        loader->faults = value;
        return GMS_OK;
    }
    gms_cluster_nearer(key, "profile", &best, &limit);
    gms_cluster_nearer(key, "parameters", &best, &limit);
    gms_cluster_nearer(key, "faults", &best, &limit);
    for (name = gms_cluster_short; *name != NULL; name++) {
        if (strcmp(key, *name) == 0) {
            return gms_loader_row(loader, gms_param_find(key), line, value);
        }
        gms_cluster_nearer(key, *name, &best, &limit);
    }
    if (gms_param_find(key) != NULL) {
        return gms_loader_fail(
            loader, line, "key '%s' belongs below 'parameters:'", key);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_cluster_append(loader->error, "; allowed: profile, parameters, faults, ");
    gms_cluster_append_names(loader->error, gms_cluster_short);
    return status;
}

/* ---- values that depend on each other ---- */

/**
 * @param [out] row_p  row to point at
 * @param [out] text   what is wrong; room for GMS_CLUSTER_ERROR_LEN
 * @return GMS_OK, GMS_ERR_CONFIG
 */
static gms_status_t gms_cluster_check_row(const gms_params_t *params,
                                          const gms_param_t **row_p,
                                          char *text)
{
    const gms_param_t *row;
    uint64_t most, product;

    text[0] = '\0';
    for (row = gms_param_table; row->name != NULL; row++) {
        uint64_t value = gms_param_get(params, row);

        if ((value < row->min) || (value > row->max)) {
            *row_p = row;
            gms_cluster_append(text, "key '%s': value '%llu' is out of range",
                               row->name, (unsigned long long)value);
            gms_cluster_append_allowed(text, row);
            return GMS_ERR_CONFIG;
        }
    }
    if (params->hosts * params->units_per_host > params->switch_ports &&
        params->units_per_host > 1) {
        *row_p = gms_param_find("units_per_host");
        gms_cluster_append(text,
                           "key 'units_per_host': value '%llu' needs more "
                           "ports than the switch has for %llu hosts; "
                           "allowed: hosts times units_per_host 1..%llu "
                           "(switch_ports)",
                           (unsigned long long)params->units_per_host,
                           (unsigned long long)params->hosts,
                           (unsigned long long)params->switch_ports);
        return GMS_ERR_CONFIG;
    }
    if (params->hosts > params->switch_ports) {
        *row_p = gms_param_find("hosts");
        gms_cluster_append(text,
                           "key 'hosts': value '%llu' needs more ports than "
                           "the switch has; allowed: 1..%llu (switch_ports)",
                           (unsigned long long)params->hosts,
                           (unsigned long long)params->switch_ports);
        return GMS_ERR_CONFIG;
    }
    most = params->gm_ports - GMS_CLUSTER_RESERVED_PORTS;
    if (params->ranks_per_host > most) {
        *row_p = gms_param_find("ranks_per_host");
        gms_cluster_append(text,
                           "key 'ranks_per_host': value '%llu' needs more "
                           "user ports than a NIC has; allowed: 1..%llu "
                           "(gm_ports %llu less 3 reserved ones)",
                           (unsigned long long)params->ranks_per_host,
                           (unsigned long long)most,
                           (unsigned long long)params->gm_ports);
        return GMS_ERR_CONFIG;
    }
    if (params->nic_fast_bytes > params->nic_mtu_bytes) {
        *row_p = gms_param_find("nic_fast_bytes");
        gms_cluster_append(text,
                           "key 'nic_fast_bytes': value '%llu' is longer than "
                           "a packet; allowed: 0..%llu (nic_mtu_bytes)",
                           (unsigned long long)params->nic_fast_bytes,
                           (unsigned long long)params->nic_mtu_bytes);
        return GMS_ERR_CONFIG;
    }
    if (params->qos_link_bytes_s > params->link_bytes_s) {
        *row_p = gms_param_find("qos_link_bytes_s");
        gms_cluster_append(text,
                           "key 'qos_link_bytes_s': value '%llu' promises more "
                           "than a link carries; allowed: 1000000..%llu "
                           "(link_bytes_s)",
                           (unsigned long long)params->qos_link_bytes_s,
                           (unsigned long long)params->link_bytes_s);
        return GMS_ERR_CONFIG;
    }
    /* Reservations would be off by any such factor, without a sign of it. A
     * tenth either way is left free: the thesis's own constant is 3 % off. */
    product = params->nic_mtu_bytes * UINT64_C(1000000) / params->rtc_tick_ps;
    if ((params->qos_idt_product * 10 < product * 9) ||
        (params->qos_idt_product * 10 > product * 11)) {
        *row_p = gms_param_find("qos_idt_product");
        gms_cluster_append(text,
                           "key 'qos_idt_product': value '%llu' does not fit "
                           "nic_mtu_bytes per rtc_tick_ps; allowed: %llu..%llu",
                           (unsigned long long)params->qos_idt_product,
                           (unsigned long long)((product * 9 + 9) / 10),
                           (unsigned long long)(product * 11 / 10));
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_cluster_check(const gms_params_t *params,
                               char error[GMS_CLUSTER_ERROR_LEN])
{
    const gms_param_t *row;

    return gms_cluster_check_row(params, &row, error);
}

static gms_status_t gms_loader_check(gms_loader_t *loader)
{
    char text[GMS_CLUSTER_ERROR_LEN];
    const gms_param_t *row = NULL;

    if (gms_cluster_check_row(&loader->params, &row, text) == GMS_OK) {
        return GMS_OK;
    }
    return gms_loader_fail(loader, loader->lines[row - gms_param_table], "%s",
                           text);
}

/* ---- file ---- */

/** Read a whole file. @return malloc'ed, NULL with the error set */
static unsigned char *gms_loader_read(gms_loader_t *loader, const char *path,
                                      size_t *bytes_p)
{
    unsigned char *text;
    size_t bytes;
    FILE *file;

    file = fopen(path, "r");
    if (file == NULL) {
        (void)gms_loader_fail(loader, 0, "cannot be read: %s",
                              strerror(errno));
        return NULL;
    }
    text = malloc(GMS_CLUSTER_MAX_BYTES + 1);
    if (text == NULL) {
        (void)gms_loader_fail(loader, 0, "cannot be read: out of memory");
        goto err_close;
    }
    errno = 0;
    bytes = fread(text, 1, GMS_CLUSTER_MAX_BYTES + 1, file);
    if (ferror(file)) {
        (void)gms_loader_fail(loader, 0, "cannot be read: %s",
                              strerror(errno));
        goto err_free;
    }
    if (bytes > GMS_CLUSTER_MAX_BYTES) {
        (void)gms_loader_fail(loader, 0,
                              "is no cluster description: longer than 1 MiB");
        goto err_free;
    }
    (void)fclose(file);
    *bytes_p = bytes;
    return text;

err_free:
    free(text);
err_close:
    (void)fclose(file);
    return NULL;
}

/** What libyaml found wrong. It knows the line, but for undecodable bytes only
 *  how far they are into the file. */
static gms_status_t gms_loader_syntax(gms_loader_t *loader,
                                      const yaml_parser_t *parser,
                                      const unsigned char *text, size_t bytes)
{
    size_t line = parser->problem_mark.line + 1, i;

    if (parser->error == YAML_READER_ERROR) {
        line = 1;
        for (i = 0; (i < parser->problem_offset) && (i < bytes); i++) {
            line += (text[i] == '\n');
        }
    }
    return gms_loader_fail(loader, line, "not valid YAML: %s%s%s",
                           (parser->problem != NULL) ? parser->problem
                                                     : "out of memory",
                           (parser->context != NULL) ? " " : "",
                           (parser->context != NULL) ? parser->context : "");
}

static gms_status_t gms_loader_document(gms_loader_t *loader)
{
    const yaml_node_t *root = yaml_document_get_root_node(loader->document);
    gms_status_t status;

    if (root == NULL) {
        return gms_loader_fail(loader, 1,
                               "is empty; at least 'profile: lanai4.3' must "
                               "be there");
    }
    if (root->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(
            loader, root->start_mark.line + 1,
            "not a mapping; allowed: lines of the form 'KEY: VALUE'");
    }
    status = gms_loader_mapping(loader, root, gms_loader_top);
    if (status == GMS_OK) {
        status = gms_loader_check(loader);
    }
    /* Last: what they name must exist in the cluster. */
    if ((status == GMS_OK) && (loader->faults != NULL)) {
        status = gms_loader_faults(loader);
    }
    return status;
}

/** A second document in the file would be silently ignored. */
static gms_status_t gms_loader_end(gms_loader_t *loader, yaml_parser_t *parser,
                                   const unsigned char *text, size_t bytes)
{
    gms_status_t status = GMS_OK;
    yaml_document_t next;

    if (!yaml_parser_load(parser, &next)) {
        return gms_loader_syntax(loader, parser, text, bytes);
    }
    if (yaml_document_get_root_node(&next) != NULL) {
        status = gms_loader_fail(
            loader, yaml_document_get_root_node(&next)->start_mark.line + 1,
            "a second document; allowed: one cluster per file");
    }
    yaml_document_delete(&next);
    return status;
}

static gms_status_t gms_loader_parse(gms_loader_t *loader,
                                     const unsigned char *text, size_t bytes)
{
    yaml_document_t document;
    yaml_parser_t parser;
    gms_status_t status;

    if (!yaml_parser_initialize(&parser)) {
        return gms_loader_fail(loader, 0, "cannot be read: out of memory");
    }
    yaml_parser_set_input_string(&parser, text, bytes);
    if (!yaml_parser_load(&parser, &document)) {
        status = gms_loader_syntax(loader, &parser, text, bytes);
    } else {
        loader->document = &document;
        status = gms_loader_document(loader);
        if (status == GMS_OK) {
            status = gms_loader_end(loader, &parser, text, bytes);
        }
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return status;
}

gms_status_t gms_cluster_load(const char *path, gms_params_t *params,
                              char error[GMS_CLUSTER_ERROR_LEN])
{
    gms_fault_plan_t plan;

    return gms_cluster_load_all(path, params, &plan, error);
}

gms_status_t gms_cluster_load_all(const char *path, gms_params_t *params,
                                  gms_fault_plan_t *plan,
                                  char error[GMS_CLUSTER_ERROR_LEN])
{
    gms_loader_t loader = {.error = error};
    unsigned char *text;
    gms_status_t status;
    size_t bytes = 0;

    error[0] = '\0';
    gms_params_init(&loader.params);
    if (path == NULL) {
        *params = loader.params;
        *plan = loader.plan;
        return GMS_OK;
    }
    /* The end of a long path says more than its beginning. */
    if (strlen(path) < sizeof(loader.path)) {
        strcpy(loader.path, path);
    } else {
        (void)snprintf(loader.path, sizeof(loader.path), "...%s",
                       path + strlen(path) - sizeof(loader.path) + 4);
    }
    text = gms_loader_read(&loader, path, &bytes);
    if (text == NULL) {
        return GMS_ERR_CONFIG;
    }
    status = gms_loader_parse(&loader, text, bytes);
    free(text);
    if (status == GMS_OK) {
        if (gms_faults_any(&loader.params, &loader.plan)) {
            loader.params.nic_check_crc = 1;
        }
        *params = loader.params;
        *plan = loader.plan;
    }
    return status;
}
