/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a list of flat mappings and passes each mapping to the caller. */
#include "yaml/records.h"

#include <string.h>

#include "yaml/loader.h"

typedef struct gms_records {
    gms_loader_t loader; /* must be the first member, because handlers receive a
                          * pointer to it */
    const char *const *keys;
    gmsim_record_fn *record_fn;
    void *context;
    /* the current record */
    const yaml_node_t *nodes[GMS_RECORD_KEYS];
    size_t lines[GMS_RECORD_KEYS];
    const char *const *values[GMS_RECORD_KEYS];
    const char *texts[GMS_RECORD_TEXTS];
    size_t text_count;
} gms_records_t;

static gms_records_t *gms_records(gms_loader_t *loader)
{
    return (gms_records_t *)loader;
}

static gms_status_t gms_record_keep(gms_loader_t *loader, const char *text)
{
    gms_records_t *records = gms_records(loader);

    if (records->text_count == GMS_RECORD_TEXTS) {
        return gms_loader_fail(loader, 0,
                               "a record has too many values; "
                               "allowed: %u",
                               GMS_RECORD_TEXTS);
    }
    records->texts[records->text_count++] = text;
    return GMS_OK;
}

static gms_status_t gms_record_text(gms_loader_t *loader, const char *key,
                                    const yaml_node_t *node)
{
    const char *text = gms_yaml_scalar(node);
    gms_status_t status;

    if (text != NULL && text[0] != '\0') {
        return gms_record_keep(loader, text);
    }
    status = gms_loader_begin_value(loader, key, node);
    gms_yaml_append(loader->error, "%s; allowed: a word or a number",
                    (node->type == YAML_SCALAR_NODE) ? " is empty" : "");
    return status;
}

static gms_status_t gms_record_list(gms_loader_t *loader, const char *key,
                                    const yaml_node_t *list)
{
    const yaml_node_item_t *item = list->data.sequence.items.start;
    gms_status_t status = GMS_OK;

    if (item == list->data.sequence.items.top) {
        status = gms_loader_begin_value(loader, key, list);
        gms_yaml_append(loader->error,
                        " without values; allowed: at least one value");
    }
    for (; status == GMS_OK && item < list->data.sequence.items.top; ++item) {
        status = gms_record_text(
            loader, key, yaml_document_get_node(loader->document, *item));
    }
    return status;
}

static gms_status_t gms_record_unknown(gms_loader_t *loader, const char *key,
                                       size_t line)
{
    const char *const *keys = gms_records(loader)->keys;
    size_t limit = gms_yaml_typo_limit(key);
    const char *best = NULL;
    gms_status_t status;

    for (; *keys != NULL; ++keys) {
        gms_yaml_nearer(key, *keys, &best, &limit);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error, "; allowed: ");
    gms_yaml_append_names(loader->error, gms_records(loader)->keys);
    return status;
}

static gms_status_t gms_record_key(gms_loader_t *loader, const char *key,
                                   size_t line, const yaml_node_t *value)
{
    gms_records_t *records = gms_records(loader);
    gms_status_t status;
    size_t i = 0;

    while (records->keys[i] != NULL && strcmp(records->keys[i], key) != 0) {
        ++i;
    }
    if (records->keys[i] == NULL) {
        return gms_record_unknown(loader, key, line);
    }
    if (records->nodes[i] != NULL) {
        return gms_loader_fail(loader, line,
                               "key '%s' is given twice, first on line %zu",
                               key, records->lines[i]);
    }
    records->nodes[i] = value;
    records->lines[i] = line;
    records->values[i] = &records->texts[records->text_count];
    status = (value->type == YAML_SEQUENCE_NODE)
                 ? gms_record_list(loader, key, value)
                 : gms_record_text(loader, key, value);
    return (status == GMS_OK) ? gms_record_keep(loader, NULL) : status;
}

/* Report that the caller's function has rejected a record. */
static gms_status_t gms_record_refuse(gms_loader_t *loader, size_t line,
                                      int key, unsigned item, const char *why)
{
    const gms_records_t *records = gms_records(loader);
    const yaml_node_t *node;
    gms_status_t status;

    if (key < 0 || records->nodes[key] == NULL) {
        return gms_loader_fail(loader, line, "%s", why);
    }
    node = records->nodes[key];
    if (node->type == YAML_SEQUENCE_NODE) {
        node = yaml_document_get_node(loader->document,
                                      node->data.sequence.items.start[item]);
    }
    status = gms_loader_begin_value(loader, records->keys[key], node);
    gms_yaml_append(loader->error, " %s", why);
    return status;
}

static gms_status_t gms_record_read(gms_loader_t *loader,
                                    const yaml_node_t *node)
{
    gms_records_t *records = gms_records(loader);
    size_t line = node->start_mark.line + 1;
    char why[GMSIM_WHY_LEN] = "";
    unsigned item = 0;
    int key = -1;
    gms_status_t status;

    if (node->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(
            loader, line,
            "a record must be a mapping; allowed: '- {KEY: VALUE, ..}'");
    }
    memset(records->nodes, 0, sizeof(records->nodes));
    memset(records->values, 0, sizeof(records->values));
    records->text_count = 0;
    status = gms_loader_mapping(loader, node, gms_record_key);
    if (status == GMS_OK &&
        records->record_fn((unsigned)line, records->values, &key, &item, why,
                           records->context) != 0) {
        status = gms_record_refuse(loader, line, key, item, why);
    }
    return status;
}

static gms_status_t gms_records_root(gms_loader_t *loader,
                                     const yaml_node_t *root)
{
    const yaml_node_item_t *item;
    gms_status_t status = GMS_OK, one;

    if (root == NULL || root->type != YAML_SEQUENCE_NODE) {
        return gms_loader_fail(
            loader, (root == NULL) ? 1 : root->start_mark.line + 1,
            "not a list; allowed: lines of the form '- {KEY: VALUE, ..}'");
    }
    for (item = root->data.sequence.items.start;
         item < root->data.sequence.items.top; ++item) {
        one = gms_record_read(loader,
                              yaml_document_get_node(loader->document, *item));
        status = (status == GMS_OK) ? one : status;
    }
    return status;
}

gms_status_t gms_records_read(const char *path, const char *what,
                              const char *const *keys,
                              gmsim_record_fn *record_fn, void *context,
                              char error[GMS_YAML_ERROR_LEN])
{
    gms_records_t records = {
        .loader =
            {
                .error = error,
                .what = what,
                .each = "one list",
                .on_root = gms_records_root,
            },
        .keys = keys,
        .record_fn = record_fn,
        .context = context,
    };
    size_t count = 0;

    while (keys[count] != NULL) {
        ++count;
    }
    if (count > GMS_RECORD_KEYS) {
        return GMS_ERR_INVALID_PARAM;
    }
    error[0] = '\0';
    return gms_loader_file(&records.loader, path);
}
