/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces values in the YAML document of the base description. Checks the
 * result by loading it as a cluster description, and assigns an error to the
 * setting that caused it.
 */
#define _GNU_SOURCE
#include "sweep/base.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/limits.h"
#include "yaml/loader.h"
#include "yaml/depth.h"
#include "sweep/text.h"

/* Top-level keys that are not short names of parameters. */
static const char *const gms_sweep_top[] = {"profile", "host_topology",
                                            "placement", NULL};

static int gms_sweep_is_top(const char *name)
{
    const gms_param_t *row = gms_param_find(name);
    size_t i;

    for (i = 0; gms_sweep_top[i] != NULL; ++i) {
        if (strcmp(name, gms_sweep_top[i]) == 0) {
            return 1;
        }
    }
    return row != NULL && gms_cluster_is_short(row);
}

int gms_sweep_is_setting(const char *name, const char **best_p)
{
    size_t limit = gms_yaml_typo_limit(name), i;
    const gms_param_t *row;

    *best_p = NULL;
    if (gms_param_find(name) != NULL || gms_sweep_is_top(name)) {
        return 1;
    }
    for (row = gms_param_table; row->name != NULL; ++row) {
        gms_yaml_nearer(name, row->name, best_p, &limit);
    }
    for (i = 0; gms_sweep_top[i] != NULL; ++i) {
        gms_yaml_nearer(name, gms_sweep_top[i], best_p, &limit);
    }
    return 0;
}

char *gms_sweep_join(const char *directory, const char *name)
{
    char *path = NULL;

    return (asprintf(&path, "%s/%s", directory, name) >= 0) ? path : NULL;
}

char *gms_sweep_read(const char *path, size_t *len_p)
{
    FILE *file = fopen(path, "r"), *out;
    char *text = NULL, block[4096];
    size_t len = 0, got, total = 0;
    int is_bad;

    out = (file != NULL) ? open_memstream(&text, &len) : NULL;
    if (out == NULL) {
        if (file != NULL) {
            (void)fclose(file);
        }
        return NULL;
    }
    while (total <= GMS_LIMIT_TEXT_BYTES &&
           (got = fread(block, 1, sizeof(block), file)) > 0) {
        fwrite(block, 1, got, out);
        total += got;
    }
    is_bad = ferror(file);
    (void)fclose(file);
    if (fclose(out) != 0 || is_bad || total > GMS_LIMIT_TEXT_BYTES) {
        free(text);
        errno = is_bad ? EIO : total > GMS_LIMIT_TEXT_BYTES ? EFBIG : ENOMEM;
        return NULL;
    }
    *len_p = len;
    return text;
}

/* ---- YAML document ---- */

/** Returns the pair with a key, or NULL if the mapping does not exist or does
 *  not contain the key. */
static yaml_node_pair_t *gms_sweep_pair(yaml_document_t *document, int mapping,
                                        const char *key)
{
    yaml_node_t *node =
        (mapping > 0) ? yaml_document_get_node(document, mapping) : NULL;
    yaml_node_pair_t *pair;

    if (node == NULL || node->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (pair = node->data.mapping.pairs.start;
         pair < node->data.mapping.pairs.top; ++pair) {
        const char *text =
            gms_yaml_scalar(yaml_document_get_node(document, pair->key));

        if (text != NULL && strcmp(text, key) == 0) {
            return pair;
        }
    }
    return NULL;
}

static int gms_sweep_member(yaml_document_t *document, const char *key)
{
    yaml_node_pair_t *pair = gms_sweep_pair(document, 1, key);

    return (pair != NULL) ? pair->value : 0;
}

static int gms_sweep_add_scalar(yaml_document_t *document, const char *text)
{
    return yaml_document_add_scalar(document, NULL, (const yaml_char_t *)text,
                                    (int)strlen(text), YAML_ANY_SCALAR_STYLE);
}

/** Adds a pair to a mapping. @return 0 if memory is exhausted */
static int gms_sweep_add_pair(yaml_document_t *document, int mapping,
                              const char *key, int value)
{
    int name = gms_sweep_add_scalar(document, key);

    return mapping > 0 && name > 0 && value > 0 &&
           yaml_document_append_mapping_pair(document, mapping, name, value);
}

static int gms_sweep_add_parameters(yaml_document_t *document)
{
    int mapping =
        yaml_document_add_mapping(document, NULL, YAML_BLOCK_MAPPING_STYLE);

    return gms_sweep_add_pair(document, 1, "parameters", mapping) ? mapping : 0;
}

/** Maps a parameter to its key below `fabric:`, for example model or lanes
 *  [source: cluster_fabric.c] */
static const char *gms_sweep_fabric_word(const char *name)
{
    if (strcmp(name, "fabric_model") == 0) {
        return "model";
    }
    return (strncmp(name, "flit_", strlen("flit_")) == 0)
               ? name + strlen("flit_")
               : "";
}

/** Sets a value in the document, or adds the value if the document does not
 *  contain it.
 *  @return 0 if memory is exhausted */
static int gms_sweep_replace(yaml_document_t *document, const char *name,
                             const char *text)
{
    int value = gms_sweep_add_scalar(document, text);
    yaml_node_pair_t *pair;
    int parameters;

    if (value <= 0) {
        return 0;
    }
    pair = gms_sweep_pair(document, 1, name);
    if (pair == NULL) {
        pair = gms_sweep_pair(document,
                              gms_sweep_member(document, "parameters"), name);
    }
    if (pair == NULL) {
        pair = gms_sweep_pair(document, gms_sweep_member(document, "fabric"),
                              gms_sweep_fabric_word(name));
    }
    if (pair != NULL) {
        pair->value = value;
        return 1;
    }
    if (gms_sweep_is_top(name)) {
        return gms_sweep_add_pair(document, 1, name, value);
    }
    parameters = gms_sweep_member(document, "parameters");
    if (parameters == 0) {
        parameters = gms_sweep_add_parameters(document);
    }
    return gms_sweep_add_pair(document, parameters, name, value);
}

/* ---- reading and writing YAML text ---- */

static int gms_sweep_parse(const char *text, yaml_document_t *document)
{
    yaml_parser_t parser;
    yaml_node_t *root;
    size_t line = 0;
    int is_good;

    if (!gms_yaml_is_flat((const unsigned char *)text, strlen(text), &line)) {
        return 0;
    }
    if (!yaml_parser_initialize(&parser)) {
        return 0;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text,
                                 strlen(text));
    is_good = yaml_parser_load(&parser, document);
    yaml_parser_delete(&parser);
    if (!is_good) {
        return 0;
    }
    root = yaml_document_get_root_node(document);
    if (root == NULL) {
        is_good = yaml_document_add_mapping(document, NULL,
                                            YAML_BLOCK_MAPPING_STYLE) > 0;
    } else {
        is_good = root->type == YAML_MAPPING_NODE;
    }
    if (!is_good) {
        yaml_document_delete(document);
    }
    return is_good;
}

static int gms_sweep_write(void *context, unsigned char *text, size_t len)
{
    return fwrite(text, 1, len, (FILE *)context) == len;
}

/** Writes the document as text. Deletes the document, even after an error.
 *  @return 0 if memory is exhausted */
static int gms_sweep_emit(yaml_document_t *document, char **text_p)
{
    yaml_emitter_t emitter;
    int is_good = 0;
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    if (out == NULL || !yaml_emitter_initialize(&emitter)) {
        yaml_document_delete(document);
    } else {
        document->start_implicit = 1;
        document->end_implicit = 1;
        yaml_emitter_set_output(&emitter, gms_sweep_write, out);
        yaml_emitter_set_unicode(&emitter, 1);
        is_good = yaml_emitter_open(&emitter) &&
                  yaml_emitter_dump(&emitter, document) &&
                  yaml_emitter_close(&emitter);
        yaml_emitter_delete(&emitter);
    }
    is_good = out != NULL && fclose(out) == 0 && is_good;
    if (!is_good) {
        free(text);
        return 0;
    }
    *text_p = text;
    return 1;
}

gms_status_t gms_sweep_edit(const char *base, const char *const *names,
                            const char *const *values, size_t count,
                            char **text_p)
{
    yaml_document_t document;
    size_t i;

    if (!gms_sweep_parse(base, &document)) {
        return GMS_ERR_CONFIG;
    }
    for (i = 0; i < count; ++i) {
        if (!gms_sweep_replace(&document, names[i], values[i])) {
            yaml_document_delete(&document);
            return GMS_ERR_NO_MEMORY;
        }
    }
    return gms_sweep_emit(&document, text_p) ? GMS_OK : GMS_ERR_NO_MEMORY;
}

/* ---- descriptions of runs ---- */

gms_status_t gms_sweep_description(const gms_sweep_t *sweep, uint64_t run,
                                   char **text_p,
                                   char wrong[GMS_YAML_ERROR_LEN])
{
    size_t most = sweep->setting_count + 1, count = 0, i;
    const char **names = calloc(most, sizeof(*names));
    char **values = calloc(most, sizeof(*values));
    gms_status_t status = GMS_OK;
    char seed[24];
    int has_seed = 0;

    if (names == NULL || values == NULL) {
        status = GMS_ERR_NO_MEMORY;
    }
    for (i = 0; i < sweep->setting_count && status == GMS_OK; ++i) {
        const gms_sweep_setting_t *setting = &sweep->settings[i];

        names[count] = setting->name;
        has_seed = has_seed || strcmp(setting->name, "seed") == 0;
        status = gms_sweep_setting(sweep, setting, run, &values[count], wrong);
        count += (status == GMS_OK);
    }
    if (status == GMS_OK && !has_seed) {
        (void)snprintf(seed, sizeof(seed), "%" PRIu64,
                       gms_sweep_seed(sweep, run));
        names[count] = "seed";
        values[count] = strdup(seed);
        status = (values[count] != NULL) ? GMS_OK : GMS_ERR_NO_MEMORY;
        count += (status == GMS_OK);
    }
    if (status == GMS_OK) {
        status = gms_sweep_edit(sweep->base, names, (const char *const *)values,
                                count, text_p);
    }
    for (i = 0; values != NULL && i < count; ++i) {
        free(values[i]);
    }
    free(values);
    free(names);
    return status;
}

/** Loads a string as a cluster description.
 *  @return the same values as gms_cluster_load() */
static gms_status_t gms_sweep_try(const char *text,
                                  char error[GMS_YAML_ERROR_LEN])
{
    int fd = memfd_create("cluster.yaml", MFD_CLOEXEC);
    gms_status_t status = GMS_ERR_CONFIG;
    gms_cluster_t cluster;
    char path[64];

    error[0] = '\0';
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN, "%s", strerror(errno));
    } else {
        status = gms_cluster_load(path, &cluster, error);
        if (status == GMS_OK) {
            gms_cluster_clear(&cluster);
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    return status;
}

/** Returns a message without its file and line, because they refer to a
 *  generated text. */
static const char *gms_sweep_behind_line(const char *said)
{
    const char *end = strstr(said, ": ");

    return (end != NULL) ? end + 2 : said;
}

/** Returns the setting whose key a message names, or NULL if there is no such
 *  setting. */
static const gms_sweep_setting_t *gms_sweep_blame(const gms_sweep_t *sweep,
                                                  const char *said)
{
    char key[GMS_SWEEP_NAME_LEN + 2];
    size_t i;

    for (i = 0; i < sweep->setting_count; ++i) {
        (void)snprintf(key, sizeof(key), "'%s'", sweep->settings[i].name);
        if (strstr(said, key) != NULL) {
            return &sweep->settings[i];
        }
    }
    return (sweep->setting_count > 0) ? &sweep->settings[0] : NULL;
}

gms_status_t gms_sweep_check_run(const gms_sweep_t *sweep, uint64_t run,
                                 char error[GMS_YAML_ERROR_LEN])
{
    char said[GMS_YAML_ERROR_LEN] = "";
    const gms_sweep_setting_t *setting;
    char *text = NULL;
    gms_status_t status = gms_sweep_description(sweep, run, &text, said);
    gms_loader_t loader = {.error = error};

    if (status == GMS_OK) {
        status = gms_sweep_try(text, said);
        free(text);
    }
    if (status == GMS_OK) {
        return GMS_OK;
    }
    if (said[0] == '\0') {
        (void)snprintf(said, sizeof(said), "cluster: %s",
                       gms_status_text(status));
    }
    said[strcspn(said, "\n")] = '\0';
    setting = gms_sweep_blame(sweep, said);
    (void)snprintf(loader.path, sizeof(loader.path), "%s", sweep->path);
    return gms_loader_fail(&loader, (setting != NULL) ? setting->line : 0,
                           "point %" PRIu64 ": %s", run + 1,
                           gms_sweep_behind_line(said));
}
