/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the YAML file of a sweep: the top-level keys and `set:`. The file
 * file_grid.c reads the grid, file_results.c reads the results, and
 * file_check.c checks combinations of keys.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/base.h"
#include "sweep/file_int.h"
#include "sweep/text.h"

#define GMS_SWEEP_TIMEOUT_MAX 31536000u /* one year, in seconds */
#define GMS_SWEEP_CORES_MAX   4096u

/* ---- functions for all parts of the reader ---- */

gms_status_t gms_sweep_wrong(gms_loader_t *loader, const char *key,
                             const yaml_node_t *value, const char *what)
{
    gms_status_t status = gms_loader_begin_value(loader, key, value);

    gms_yaml_append(loader->error, "%s", what);
    return status;
}

gms_status_t gms_sweep_unknown(gms_loader_t *loader, size_t line,
                               const char *key, const char *const *allowed)
{
    size_t limit = gms_yaml_typo_limit(key), i;
    const char *best = NULL;
    gms_status_t status;

    for (i = 0; allowed[i] != NULL; ++i) {
        gms_yaml_nearer(key, allowed[i], &best, &limit);
    }
    status = gms_loader_unknown(loader, line, key, best);
    gms_yaml_append(loader->error, "; allowed: ");
    gms_yaml_append_names(loader->error, allowed);
    return status;
}

void *gms_sweep_append(gms_loader_t *loader, void *array_p, size_t *count_p,
                       size_t size)
{
    void *array, *grown;

    memcpy(&array, array_p, sizeof(array));
    grown = reallocarray(array, *count_p + 1, size);
    if (grown == NULL) {
        (void)gms_loader_fail(loader, 0, "out of memory");
        return NULL;
    }
    memcpy(array_p, &grown, sizeof(grown));
    memset((char *)grown + *count_p * size, 0, size);
    return (char *)grown + (*count_p)++ * size;
}

const char *gms_sweep_keep(gms_sweep_t *sweep, const char *text)
{
    char **texts, *copy = strdup(text);

    if (copy == NULL) {
        return NULL;
    }
    /* double the size of the array whenever the count is a power of two */
    if ((sweep->text_count & (sweep->text_count - 1)) == 0) {
        texts = reallocarray(sweep->texts, 2 * sweep->text_count + 1,
                             sizeof(*texts));
        if (texts == NULL) {
            free(copy);
            return NULL;
        }
        sweep->texts = texts;
    }
    sweep->texts[sweep->text_count++] = copy;
    return copy;
}

const char *gms_sweep_text(gms_loader_t *loader, const char *key,
                           const yaml_node_t *value, const char *allowed)
{
    const char *text = gms_yaml_scalar(value);

    if (text == NULL || text[0] == '\0') {
        (void)gms_loader_begin_value(loader, key, value);
        gms_yaml_append(loader->error, "%s; allowed: %s",
                        (text != NULL) ? " is empty" : "", allowed);
        return NULL;
    }
    text = gms_sweep_keep(&gms_sweep_reader(loader)->sweep, text);
    if (text == NULL) {
        (void)gms_loader_fail(loader, 0, "out of memory");
    }
    return text;
}

static const char *const gms_sweep_reserved[] = {"seed", "point", "folder",
                                                 "status", NULL};

gms_status_t gms_sweep_check_name(gms_loader_t *loader, size_t line,
                                  const char *name)
{
    const gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    gms_status_t status;
    size_t i;

    if (!gms_sweep_is_name(name)) {
        status = gms_loader_begin(loader, line);
        gms_yaml_append_quoted(loader->error, name, strlen(name));
        gms_yaml_append(
            loader->error,
            " is not a valid name; allowed: a letter, then letters, "
            "digits, _ - or .");
        return status;
    }
    for (i = 0; gms_sweep_reserved[i] != NULL; ++i) {
        if (strcmp(name, gms_sweep_reserved[i]) == 0) {
            return gms_loader_fail(loader, line,
                                   "the name '%s' is reserved; allowed: any "
                                   "name except 'seed' (set by "
                                   "'repetitions'), 'point', 'folder' and "
                                   "'status'",
                                   name);
        }
    }
    for (i = 0; i < sweep->variable_count; ++i) {
        if (strcmp(name, sweep->variables[i].name) == 0) {
            return gms_loader_fail(
                loader, line, "name '%s' is given twice, first on line %zu",
                name, sweep->variables[i].line);
        }
    }
    return GMS_OK;
}

/* ---- set ---- */

/** YAML interprets {NAME} without quotes as a mapping. The reader accepts such
 *  a mapping as the text {NAME}, because its meaning is clear. */
static const char *gms_sweep_unquoted(gms_loader_t *loader,
                                      const yaml_node_t *value)
{
    char text[GMS_SWEEP_NAME_LEN + 2];
    const yaml_node_pair_t *pair;
    const char *name, *nothing;

    if (value->type != YAML_MAPPING_NODE ||
        value->data.mapping.pairs.top - value->data.mapping.pairs.start != 1) {
        return NULL;
    }
    pair = value->data.mapping.pairs.start;
    name = gms_yaml_scalar(yaml_document_get_node(loader->document, pair->key));
    nothing =
        gms_yaml_scalar(yaml_document_get_node(loader->document, pair->value));
    if (name == NULL || !gms_sweep_is_name(name) || nothing == NULL ||
        nothing[0] != '\0') {
        return NULL;
    }
    (void)snprintf(text, sizeof(text), "{%s}", name);
    return gms_sweep_keep(&gms_sweep_reader(loader)->sweep, text);
}

static gms_status_t gms_sweep_read_setting(gms_loader_t *loader,
                                           const char *key, size_t line,
                                           const yaml_node_t *value)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    gms_sweep_setting_t *setting;
    const char *best, *text;
    gms_status_t status;
    size_t i;

    if (!gms_sweep_is_setting(key, &best)) {
        status = gms_loader_unknown(loader, line, key, best);
        gms_yaml_append(loader->error, "; allowed: profile, host_topology "
                                       "and the names that `gmsim params` "
                                       "lists");
        return status;
    }
    for (i = 0; i < sweep->setting_count; ++i) {
        if (strcmp(sweep->settings[i].name, key) == 0) {
            return gms_loader_fail(loader, line,
                                   "key '%s' is given twice, first on line %zu",
                                   key, sweep->settings[i].line);
        }
    }
    text = gms_sweep_unquoted(loader, value);
    if (text == NULL) {
        text = gms_sweep_text(loader, key, value, "a value, or \"{NAME}\"");
    }
    setting = (text == NULL)
                  ? NULL
                  : gms_sweep_append(loader, &sweep->settings,
                                     &sweep->setting_count, sizeof(*setting));
    if (setting == NULL) {
        return GMS_ERR_CONFIG;
    }
    setting->name = gms_sweep_keep(sweep, key);
    setting->value = text;
    setting->line = line;
    return (setting->name != NULL)
               ? GMS_OK
               : gms_loader_fail(loader, 0, "out of memory");
}

static gms_status_t gms_sweep_read_set(gms_loader_t *loader, const char *key,
                                       const yaml_node_t *value)
{
    if (value->type != YAML_MAPPING_NODE) {
        return gms_sweep_wrong(loader, key, value,
                               "; allowed: lines 'PARAMETER: VALUE'");
    }
    return gms_loader_mapping(loader, value, gms_sweep_read_setting);
}

/* ---- other top-level keys ---- */

/** Removes blanks and line ends at both ends of a string. @return 0 if the
 *  remaining string is empty */
static int gms_sweep_trim(char *text)
{
    size_t len = strlen(text);

    while (len > 0 && strchr(" \t\n", text[len - 1]) != NULL) {
        text[--len] = '\0';
    }
    return len > 0;
}

static gms_status_t gms_sweep_read_command(gms_loader_t *loader,
                                           const char *key,
                                           const yaml_node_t *value)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;

    sweep->command = gms_sweep_text(loader, key, value, "a command line");
    sweep->command_line = value->start_mark.line + 1;
    if (sweep->command == NULL) {
        return GMS_ERR_CONFIG;
    }
    /* a YAML string of several lines ends with a newline */
    return gms_sweep_trim(sweep->texts[sweep->text_count - 1])
               ? GMS_OK
               : gms_sweep_wrong(loader, key, value,
                                 " is empty; allowed: a command line");
}

static gms_status_t gms_sweep_read_cluster(gms_loader_t *loader,
                                           const char *key,
                                           const yaml_node_t *value)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    const char *name = gms_sweep_text(loader, key, value, "a path");
    const char *slash = strrchr(loader->file, '/');
    char *path = NULL;

    if (name == NULL) {
        return GMS_ERR_CONFIG;
    }
    if (name[0] == '/' || slash == NULL) {
        sweep->cluster = name;
        return GMS_OK;
    }
    if (asprintf(&path, "%.*s%s", (int)(slash + 1 - loader->file), loader->file,
                 name) < 0) {
        return gms_loader_fail(loader, 0, "out of memory");
    }
    sweep->cluster = gms_sweep_keep(sweep, path);
    free(path);
    return (sweep->cluster != NULL)
               ? GMS_OK
               : gms_loader_fail(loader, 0, "out of memory");
}

static gms_status_t gms_sweep_read_number(gms_loader_t *loader, const char *key,
                                          const yaml_node_t *value)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    gms_param_t row = {.name = key, .unit = "", .min = 1};
    uint64_t *number_p = &sweep->repetitions;

    row.max = GMS_SWEEP_RUNS_MAX;
    if (strcmp(key, "timeout") == 0) {
        number_p = &sweep->timeout_s;
        row.max = GMS_SWEEP_TIMEOUT_MAX;
        row.unit = "seconds";
    } else if (strcmp(key, "cores") == 0) {
        number_p = &sweep->cores;
        row.max = GMS_SWEEP_CORES_MAX;
    }
    return gms_loader_integer(loader, value, &row, number_p);
}

static gms_status_t gms_sweep_read_record(gms_loader_t *loader, const char *key,
                                          const yaml_node_t *value)
{
    static const char *const answers[] = {"false", "true", NULL};
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    uint64_t answer = 0;
    gms_status_t status =
        gms_loader_choice(loader, value, key, answers, &answer);

    sweep->is_recorded = sweep->is_recorded || answer == 1;
    return status;
}

static gms_status_t gms_sweep_read_slurm(gms_loader_t *loader, const char *key,
                                         const yaml_node_t *value)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;

    sweep->slurm =
        gms_sweep_text(loader, key, value, "options of sbatch in one string");
    if (sweep->slurm != NULL && strchr(sweep->slurm, '\n') != NULL) {
        return gms_sweep_wrong(loader, key, value,
                               " has several lines; allowed: one line");
    }
    return (sweep->slurm != NULL) ? GMS_OK : GMS_ERR_CONFIG;
}

/* ---- the file ---- */

static const struct {
    const char *key;
    gms_status_t (*read)(gms_loader_t *loader, const char *key,
                         const yaml_node_t *value);
} gms_sweep_keys[] = {
    {"command", gms_sweep_read_command},
    {"cluster", gms_sweep_read_cluster},
    {"set", gms_sweep_read_set},
    {"grid", gms_sweep_read_grid},
    {"together", gms_sweep_read_together},
    {"repetitions", gms_sweep_read_number},
    {"timeout", gms_sweep_read_number},
    {"cores", gms_sweep_read_number},
    {"record", gms_sweep_read_record},
    {"results", gms_sweep_read_results},
    {"slurm", gms_sweep_read_slurm},
};
#define GMS_SWEEP_KEYS (sizeof(gms_sweep_keys) / sizeof(gms_sweep_keys[0]))

static gms_status_t gms_sweep_key(gms_loader_t *loader, const char *key,
                                  size_t line, const yaml_node_t *value)
{
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    const char *allowed[GMS_SWEEP_KEYS + 1] = {NULL};
    size_t i;

    for (i = 0; i < GMS_SWEEP_KEYS; ++i) {
        allowed[i] = gms_sweep_keys[i].key;
        if (strcmp(key, gms_sweep_keys[i].key) != 0) {
            continue;
        }
        if ((reader->given & (1u << i)) != 0) {
            return gms_loader_fail(loader, line, "key '%s' is given twice",
                                   key);
        }
        reader->given |= 1u << i;
        return gms_sweep_keys[i].read(loader, key, value);
    }
    return gms_sweep_unknown(loader, line, key, allowed);
}

static gms_status_t gms_sweep_root(gms_loader_t *loader,
                                   const yaml_node_t *root)
{
    gms_status_t status;

    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        return gms_loader_fail(loader, 1,
                               "the file is not a sweep; required keys: "
                               "'command' and 'grid'");
    }
    status = gms_loader_mapping(loader, root, gms_sweep_key);
    return (status == GMS_OK) ? gms_sweep_check(loader) : status;
}

/** Reads the base description, which must be a valid cluster description. */
static gms_status_t gms_sweep_load_base(gms_sweep_t *sweep,
                                        const char *fallback,
                                        char error[GMS_YAML_ERROR_LEN])
{
    const char *path = (sweep->cluster != NULL) ? sweep->cluster : fallback;
    gms_cluster_t cluster;
    char *text;
    size_t len;

    sweep->cluster = path;
    if (path == NULL) {
        sweep->base = "";
        return GMS_OK;
    }
    if (gms_cluster_load(path, &cluster, error) != GMS_OK) {
        return GMS_ERR_CONFIG;
    }
    gms_cluster_clear(&cluster);
    text = gms_sweep_read(path, &len);
    sweep->base = (text != NULL) ? gms_sweep_keep(sweep, text) : NULL;
    free(text);
    if (sweep->base == NULL) {
        (void)snprintf(error, GMS_YAML_ERROR_LEN, "%s: cannot be read: %s",
                       path, strerror(errno));
        return GMS_ERR_CONFIG;
    }
    return GMS_OK;
}

gms_status_t gms_sweep_load(const char *path, const char *fallback,
                            gms_sweep_t *sweep, char error[GMS_YAML_ERROR_LEN])
{
    gms_sweep_reader_t reader;
    gms_status_t status;

    memset(&reader, 0, sizeof(reader));
    reader.loader.error = error;
    reader.loader.what = "sweep";
    reader.loader.each = "one sweep";
    reader.loader.on_root = gms_sweep_root;
    reader.sweep.path = path;
    reader.sweep.repetitions = 1;
    reader.sweep.cores = 1;
    reader.sweep.slurm = "";
    error[0] = '\0';
    status = gms_loader_file(&reader.loader, path);
    if (status == GMS_OK) {
        status = gms_sweep_load_base(&reader.sweep, fallback, error);
    }
    if (status != GMS_OK) {
        gms_sweep_clear(&reader.sweep);
        return GMS_ERR_CONFIG;
    }
    *sweep = reader.sweep;
    return GMS_OK;
}

void gms_sweep_clear(gms_sweep_t *sweep)
{
    size_t i;

    for (i = 0; i < sweep->variable_count; ++i) {
        free(sweep->variables[i].values);
    }
    for (i = 0; i < sweep->text_count; ++i) {
        free(sweep->texts[i]);
    }
    free(sweep->variables);
    free(sweep->settings);
    free(sweep->results);
    free(sweep->texts);
    memset(sweep, 0, sizeof(*sweep));
}
