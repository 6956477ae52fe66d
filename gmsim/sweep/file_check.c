/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks combinations of keys in a sweep file. */
#include <stdlib.h>
#include <string.h>

#include "sweep/file_int.h"
#include "sweep/text.h"

/** Looks up a name and marks it as used. The caller ignores the returned
 *  value. */
static const char *gms_sweep_mark(void *context, const char *name)
{
    gms_sweep_t *sweep = context;
    size_t i;

    for (i = 0; i < sweep->variable_count; ++i) {
        if (strcmp(name, sweep->variables[i].name) == 0) {
            sweep->variables[i].is_used = 1;
            return "";
        }
    }
    return (strcmp(name, "seed") == 0 || strcmp(name, "point") == 0 ||
            strcmp(name, "folder") == 0)
               ? ""
               : NULL;
}

static gms_status_t gms_sweep_no_name(gms_loader_t *loader, size_t line,
                                      const char *key, const char *name)
{
    const gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    static const char *const own[] = {"seed", "point", "folder", NULL};
    size_t limit = gms_yaml_typo_limit(name), i;
    const char *best = NULL;
    gms_status_t status;

    for (i = 0; i < sweep->variable_count; ++i) {
        gms_yaml_nearer(name, sweep->variables[i].name, &best, &limit);
    }
    for (i = 0; own[i] != NULL; ++i) {
        gms_yaml_nearer(name, own[i], &best, &limit);
    }
    status =
        gms_loader_fail(loader, line, "key '%s': unknown name {%s}", key, name);
    gms_yaml_append_guess(loader->error, best);
    gms_yaml_append(loader->error, "; allowed: ");
    for (i = 0; i < sweep->variable_count; ++i) {
        gms_yaml_append(loader->error, "%s, ", sweep->variables[i].name);
    }
    gms_yaml_append_names(loader->error, own);
    gms_yaml_append(loader->error, "; write {{%s}} for the text {%s} itself",
                    name, name);
    return status;
}

typedef gms_status_t gms_sweep_fill_fn(const char *template,
                                       gms_sweep_lookup_fn *lookup,
                                       void *context, char **text_p,
                                       char wrong[GMS_YAML_ERROR_LEN]);

/** Checks that all names in a text are known. */
static gms_status_t gms_sweep_check_text(gms_loader_t *loader, size_t line,
                                         const char *key, const char *text,
                                         gms_sweep_fill_fn *fill)
{
    char wrong[GMS_YAML_ERROR_LEN] = "out of memory";
    char *filled = NULL;
    gms_status_t status = fill(
        text, gms_sweep_mark, &gms_sweep_reader(loader)->sweep, &filled, wrong);

    free(filled);
    if (status == GMS_OK) {
        return GMS_OK;
    }
    return (status == GMS_ERR_NOT_FOUND)
               ? gms_sweep_no_name(loader, line, key, wrong)
               : gms_loader_fail(loader, line, "key '%s': %s", key, wrong);
}

/** Rejects a name that the sweep does not use, because runs that differ only in
 *  its value would be identical. */
static gms_status_t gms_sweep_check_used(gms_loader_t *loader)
{
    const gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    gms_status_t status = GMS_OK;
    size_t i;

    for (i = 0; i < sweep->variable_count; ++i) {
        const gms_sweep_variable_t *variable = &sweep->variables[i];

        if (!variable->is_used) {
            status = gms_loader_fail(
                loader, variable->line,
                "no key uses the name '%s'; allowed: {%s} in 'command', or "
                "'set: {PARAMETER: \"{%s}\"}'",
                variable->name, variable->name, variable->name);
        }
    }
    return status;
}

static gms_status_t gms_sweep_check_size(gms_loader_t *loader)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    uint64_t points = 1;
    size_t i;

    sweep->axes = gms_sweep_reader(loader)->axis;
    for (i = 0; i < sweep->variable_count; ++i) {
        if (i == 0 ||
            sweep->variables[i].axis != sweep->variables[i - 1].axis) {
            points *= sweep->variables[i].count;
        }
        if (points * sweep->repetitions > GMS_SWEEP_RUNS_MAX) {
            return gms_loader_fail(loader, sweep->variables[i].line,
                                   "too many points and repetitions; allowed: "
                                   "%llu runs",
                                   (unsigned long long)GMS_SWEEP_RUNS_MAX);
        }
    }
    sweep->points = points;
    sweep->runs = points * sweep->repetitions;
    return GMS_OK;
}

/** Adds the default result. Without the key `results:`, the result is the last
 *  line of stdout, which may be absent. */
static gms_status_t gms_sweep_default_result(gms_loader_t *loader)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    gms_sweep_result_t *result;

    if (sweep->result_count > 0) {
        return GMS_OK;
    }
    result = gms_sweep_append(loader, &sweep->results, &sweep->result_count,
                              sizeof(*result));
    if (result == NULL) {
        return GMS_ERR_CONFIG;
    }
    result->name = "result";
    result->source = GMS_SWEEP_LINE;
    result->is_optional = 1;
    return GMS_OK;
}

/** Rejects equal names, because the CSV file would have two columns with the
 *  same name. */
static gms_status_t gms_sweep_check_results(gms_loader_t *loader)
{
    const gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    size_t i, k;

    for (i = 0; i < sweep->result_count; ++i) {
        for (k = 0; k < sweep->variable_count; ++k) {
            if (strcmp(sweep->results[i].name, sweep->variables[k].name) == 0) {
                return gms_loader_fail(loader, sweep->variables[k].line,
                                       "'%s' is the name of both a value and "
                                       "a result",
                                       sweep->variables[k].name);
            }
        }
    }
    return GMS_OK;
}

gms_status_t gms_sweep_check(gms_loader_t *loader)
{
    gms_sweep_t *sweep = &gms_sweep_reader(loader)->sweep;
    gms_status_t status = GMS_OK, one;
    size_t i;

    if (sweep->command == NULL || sweep->variable_count == 0) {
        return gms_loader_fail(loader, 0, "the required key '%s' is missing",
                               (sweep->command == NULL) ? "command" : "grid");
    }
    status = gms_sweep_check_text(loader, sweep->command_line, "command",
                                  sweep->command, gms_sweep_fill_command);
    for (i = 0; i < sweep->setting_count; ++i) {
        const gms_sweep_setting_t *setting = &sweep->settings[i];

        one = gms_sweep_check_text(loader, setting->line, setting->name,
                                   setting->value, gms_sweep_fill);
        status = (status == GMS_OK) ? one : status;
    }
    /* skip this check after earlier errors, because it would report a misspelt
     * name again as unused */
    status = (status == GMS_OK) ? gms_sweep_check_used(loader) : status;
    status = (status == GMS_OK) ? gms_sweep_check_size(loader) : status;
    status = (status == GMS_OK) ? gms_sweep_default_result(loader) : status;
    return (status == GMS_OK) ? gms_sweep_check_results(loader) : status;
}
