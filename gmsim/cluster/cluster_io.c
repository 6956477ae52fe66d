/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the section `io:` of a cluster description: the I/O hosts, and their
 * disks with short names for the parameters io_*.
 */
#include "cluster/cluster_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GMS_IO_PREFIX "io_"
/* One request to the manager contains the flows to all I/O hosts.
 * [source: manager/manager.h, GMS_QOS_FLOWS_MAX] */
#define GMS_IO_MOST 256u

uint64_t gms_io_hosts_digest(const gms_io_hosts_t *io)
{
    uint64_t hash = 0;
    uint32_t i;

    for (i = 0; i < io->count; ++i) {
        hash = (hash ^ (io->hosts[i] + 1)) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* ---- keys ---- */

static const gms_param_t *gms_io_row(const char *key)
{
    char name[64];

    (void)snprintf(name, sizeof(name), GMS_IO_PREFIX "%s", key);
    return gms_param_find(name);
}

static int gms_io_has_prefix(const gms_param_t *row)
{
    return strncmp(row->name, GMS_IO_PREFIX, strlen(GMS_IO_PREFIX)) == 0;
}

static gms_status_t gms_loader_io_key(gms_loader_t *loader, const char *key,
                                      size_t line, const yaml_node_t *value)
{
    const size_t prefix = strlen(GMS_IO_PREFIX);
    size_t limit = gms_yaml_typo_limit(key);
    const gms_param_t *row = gms_io_row(key);
    const char *best = NULL;
    gms_status_t status;

    if (strcmp(key, "hosts") == 0) {
        return GMS_OK; /* gms_loader_io() reads this key */
    }
    if (row != NULL) {
        return gms_loader_row(loader, row, line, value);
    }
    gms_yaml_nearer(key, "hosts", &best, &limit);
    for (row = gms_param_table; row->name != NULL; ++row) {
        if (gms_io_has_prefix(row)) {
            gms_yaml_nearer(key, row->name + prefix, &best, &limit);
        }
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error, "; allowed below 'io:': hosts");
    for (row = gms_param_table; row->name != NULL; ++row) {
        if (gms_io_has_prefix(row)) {
            gms_yaml_append(loader->error, ", %s", row->name + prefix);
        }
    }
    return status;
}

gms_status_t gms_loader_io_keys(gms_loader_t *loader,
                                const yaml_node_t *mapping)
{
    gms_status_t status;

    if (mapping->type == YAML_MAPPING_NODE) {
        return gms_loader_mapping(loader, mapping, gms_loader_io_key);
    }
    status = gms_loader_begin_value(loader, "io", mapping);
    gms_yaml_append(loader->error,
                    "%s not a mapping; allowed: lines like 'hosts: [node9]'",
                    (mapping->type == YAML_SCALAR_NODE) ? " is" : ",");
    return status;
}

/* ---- hosts ---- */

static gms_status_t gms_loader_io_host(gms_loader_t *loader,
                                       const yaml_node_t *value,
                                       gms_io_hosts_t *io)
{
    const gms_params_t *params = &gms_cluster_draft(loader)->cluster.params;
    const char *text = gms_yaml_scalar(value);
    gms_status_t status;
    uint32_t host, i;

    if (text == NULL ||
        gms_placement_find_host(params, text, strlen(text), &host) != GMS_OK) {
        status = gms_loader_begin_value(loader, "hosts", value);
        gms_yaml_append(loader->error,
                        "%s not a host; allowed: " GMS_HOST_PREFIX
                        "1.." GMS_HOST_PREFIX "%llu",
                        (value->type == YAML_SCALAR_NODE) ? " is" : ",",
                        (unsigned long long)params->hosts);
        return status;
    }
    for (i = 0; i < io->count; ++i) {
        if (io->hosts[i] == host) {
            status = gms_loader_begin_value(loader, "hosts", value);
            gms_yaml_append(loader->error,
                            " is given twice; allowed: each host once");
            return status;
        }
    }
    io->hosts[io->count++] = host;
    return GMS_OK;
}

/** Read a value that is one host or a list of hosts. */
static gms_status_t gms_loader_io_hosts(gms_loader_t *loader,
                                        const yaml_node_t *value)
{
    gms_io_hosts_t *io = &gms_cluster_draft(loader)->cluster.io;
    const yaml_node_item_t *item;
    gms_status_t status = GMS_OK;
    size_t count = 1;

    if (value->type == YAML_SEQUENCE_NODE) {
        count = (size_t)(value->data.sequence.items.top -
                         value->data.sequence.items.start);
    }
    if (count > GMS_IO_MOST) {
        return gms_loader_fail(
            loader, value->start_mark.line + 1,
            "key 'hosts': too many I/O hosts (%zu); allowed: up to %u", count,
            GMS_IO_MOST);
    }
    io->hosts = calloc(count + 1, sizeof(*io->hosts));
    if (io->hosts == NULL) {
        return gms_loader_fail(loader, gms_cluster_draft(loader)->io.line,
                               "cannot be read: out of memory");
    }
    if (value->type != YAML_SEQUENCE_NODE) {
        return gms_loader_io_host(loader, value, io);
    }
    for (item = value->data.sequence.items.start;
         status == GMS_OK && item < value->data.sequence.items.top; ++item) {
        status = gms_loader_io_host(
            loader, yaml_document_get_node(loader->document, *item), io);
    }
    return status;
}

/* Reject a parameter that has no effect without I/O hosts. The default value is
 * allowed, because `gmsim config show` prints all keys. */
static gms_status_t gms_loader_no_io(gms_loader_t *loader)
{
    const gms_cluster_draft_t *draft = gms_cluster_draft(loader);
    const gms_param_t *row;

    for (row = gms_param_table; row->name != NULL; ++row) {
        size_t line = draft->lines[row - gms_param_table];

        if (line != 0 && gms_io_has_prefix(row) &&
            gms_param_get(&draft->cluster.params, row) != row->value) {
            return gms_loader_fail(loader, line,
                                   "key '%s' has no effect without I/O hosts; "
                                   "required: 'io: {hosts: [node9]}'",
                                   row->name);
        }
    }
    return GMS_OK;
}

gms_status_t gms_loader_io(gms_loader_t *loader)
{
    const gms_section_t *section = &gms_cluster_draft(loader)->io;
    const yaml_node_pair_t *pair;
    gms_status_t status = GMS_OK;

    if (section->value == NULL) {
        return gms_loader_no_io(loader);
    }
    for (pair = section->value->data.mapping.pairs.start;
         pair < section->value->data.mapping.pairs.top; ++pair) {
        const char *key = gms_yaml_scalar(
            yaml_document_get_node(loader->document, pair->key));

        if (key != NULL && strcmp(key, "hosts") == 0) {
            status = gms_loader_io_hosts(
                loader, yaml_document_get_node(loader->document, pair->value));
        }
    }
    if (status == GMS_OK && gms_cluster_draft(loader)->cluster.io.count == 0) {
        status = gms_loader_fail(loader, section->line,
                                 "key 'io': no I/O host; required: a line like "
                                 "'hosts: [node9]'");
    }
    return status;
}
