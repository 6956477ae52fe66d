/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Passes every key of a mapping to the reader's key function, and reports
 * unknown and duplicate keys.
 */
#include "yaml/loader.h"

#include <string.h>

gms_status_t gms_loader_mapping(gms_loader_t *loader,
                                const yaml_node_t *mapping,
                                gms_loader_key_fn *on_key)
{
    const yaml_node_pair_t *pair;
    gms_status_t status = GMS_OK, one;

    for (pair = mapping->data.mapping.pairs.start;
         pair < mapping->data.mapping.pairs.top; ++pair) {
        const yaml_node_t *key =
            yaml_document_get_node(loader->document, pair->key);
        const yaml_node_t *value =
            yaml_document_get_node(loader->document, pair->value);
        const char *text = gms_yaml_scalar(key);
        size_t line = key->start_mark.line + 1;

        if (text == NULL) {
            one = gms_loader_fail(loader, line, "a key must be a plain word");
        } else {
            one = on_key(loader, text, line, value);
        }
        status = (status == GMS_OK) ? one : status;
    }
    return status;
}

gms_status_t gms_loader_unknown(gms_loader_t *loader, size_t line,
                                const char *key, const char *best)
{
    gms_status_t status = gms_loader_begin(loader, line);

    gms_yaml_append(loader->error, "unknown key ");
    gms_yaml_append_quoted(loader->error, key, strlen(key));
    gms_yaml_append_guess(loader->error, best);
    return status;
}
