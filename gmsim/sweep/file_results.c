/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the key `results:` of a sweep file. This key selects the numbers that
 * the sweep reads from the output of a run.
 */
#include <regex.h>
#include <string.h>

#include "sweep/file_int.h"

static const char gms_sweep_last_line[] = "last line";

/* indices into gms_sweep_reader.texts, and bit numbers in result_given */
enum {
    GMS_SWEEP_KEY_COLUMN,
    GMS_SWEEP_KEY_REGEX,
    GMS_SWEEP_KEY_RECORD,
    GMS_SWEEP_KEY_LINE,
    GMS_SWEEP_KEY_WORD,
    GMS_SWEEP_KEY_WHERE,
    GMS_SWEEP_KEY_IN
};

static const char *const gms_sweep_result_keys[] = {
    "column", "regex", "record", "line", "word", "where", "in", NULL};

static gms_status_t gms_sweep_where_key(gms_loader_t *loader, const char *key,
                                        size_t line, const yaml_node_t *value)
{
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    gms_sweep_result_t *result = &reader->result;
    const char *column, *text;

    if (result->where_count == GMS_SWEEP_WHERE) {
        return gms_loader_fail(loader, line,
                               "key 'where' has too many columns; allowed: %d",
                               GMS_SWEEP_WHERE);
    }
    column = gms_sweep_keep(&reader->sweep, key);
    text = gms_sweep_text(loader, key, value, "a value of that column");
    if (column == NULL || text == NULL) {
        return GMS_ERR_CONFIG;
    }
    result->where[result->where_count].column = column;
    result->where[result->where_count++].value = text;
    return GMS_OK;
}

/** Reads a source that consists of one string: column, regex or record. */
static gms_status_t gms_sweep_result_what(gms_loader_t *loader, const char *key,
                                          const yaml_node_t *value,
                                          gms_sweep_source_t source)
{
    gms_sweep_result_t *result = &gms_sweep_reader(loader)->result;
    char why[128];
    regex_t regex;
    int code;

    result->source = source;
    result->what = gms_sweep_text(loader, key, value, "a string");
    if (result->what == NULL) {
        return GMS_ERR_CONFIG;
    }
    if (source == GMS_SWEEP_REGEX) {
        code = regcomp(&regex, result->what, REG_EXTENDED);
        if (code != 0) {
            (void)regerror(code, &regex, why, sizeof(why));
            (void)gms_sweep_wrong(
                loader, key, value,
                " is not a valid extended regular expression: ");
            gms_yaml_append(loader->error, "%s", why);
            return GMS_ERR_CONFIG;
        }
        regfree(&regex);
    }
    return GMS_OK;
}

static gms_status_t gms_sweep_result_key(gms_loader_t *loader, const char *key,
                                         size_t line, const yaml_node_t *value)
{
    static const char *const lines[] = {"last", NULL};
    static const char *const streams[] = {"stdout", "stderr", NULL};
    const gms_param_t words = {.name = key, .unit = "", .min = 1, .max = 10000};
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    gms_sweep_result_t *result = &reader->result;
    uint64_t choice = 0;
    gms_status_t status;
    unsigned i = 0;

    while (gms_sweep_result_keys[i] != NULL &&
           strcmp(key, gms_sweep_result_keys[i]) != 0) {
        ++i;
    }
    if (gms_sweep_result_keys[i] == NULL) {
        return gms_sweep_unknown(loader, line, key, gms_sweep_result_keys);
    }
    if ((reader->result_given & (1u << i)) != 0) {
        return gms_loader_fail(loader, line, "key '%s' is given twice", key);
    }
    reader->result_given |= 1u << i;
    switch (i) {
    case GMS_SWEEP_KEY_COLUMN:
        return gms_sweep_result_what(loader, key, value, GMS_SWEEP_COLUMN);
    case GMS_SWEEP_KEY_REGEX:
        return gms_sweep_result_what(loader, key, value, GMS_SWEEP_REGEX);
    case GMS_SWEEP_KEY_RECORD:
        reader->sweep.is_recorded = 1;
        return gms_sweep_result_what(loader, key, value, GMS_SWEEP_RECORD);
    case GMS_SWEEP_KEY_LINE:
        result->source = GMS_SWEEP_LINE;
        return gms_loader_choice(loader, value, key, lines, &choice);
    case GMS_SWEEP_KEY_WORD:
        return gms_loader_integer(loader, value, &words, &result->word);
    case GMS_SWEEP_KEY_IN:
        status = gms_loader_choice(loader, value, key, streams, &choice);
        result->is_stderr = (choice == 1);
        return status;
    default:
        if (value->type != YAML_MAPPING_NODE) {
            return gms_sweep_wrong(loader, key, value,
                                   "; allowed: {COLUMN: VALUE, ..}");
        }
        return gms_loader_mapping(loader, value, gms_sweep_where_key);
    }
}

/** Checks that the keys of a result can be combined. */
static gms_status_t gms_sweep_result_fits(gms_loader_t *loader, size_t line,
                                          const char *name, unsigned given)
{
    const unsigned sources =
        (1u << GMS_SWEEP_KEY_COLUMN) | (1u << GMS_SWEEP_KEY_REGEX) |
        (1u << GMS_SWEEP_KEY_RECORD) | (1u << GMS_SWEEP_KEY_LINE);
    static const struct {
        unsigned key, needs;
    } pairs[] = {{GMS_SWEEP_KEY_WHERE, GMS_SWEEP_KEY_COLUMN},
                 {GMS_SWEEP_KEY_WORD, GMS_SWEEP_KEY_LINE},
                 {GMS_SWEEP_KEY_IN, GMS_SWEEP_KEY_REGEX}};
    unsigned source = given & sources;
    size_t i;

    if (source == 0 || (source & (source - 1)) != 0) {
        return gms_loader_fail(loader, line,
                               "result '%s' requires one source; allowed: "
                               "column, regex, record, line",
                               name);
    }
    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); ++i) {
        if ((given & (1u << pairs[i].key)) != 0 &&
            (given & (1u << pairs[i].needs)) == 0) {
            return gms_loader_fail(
                loader, line, "result '%s': '%s' is allowed only with '%s'",
                name, gms_sweep_result_keys[pairs[i].key],
                gms_sweep_result_keys[pairs[i].needs]);
        }
    }
    return GMS_OK;
}

/** Adds reader->result under the given name. */
static gms_status_t gms_sweep_result_add(gms_loader_t *loader, const char *name,
                                         size_t line)
{
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    gms_sweep_t *sweep = &reader->sweep;
    gms_status_t status = gms_sweep_check_name(loader, line, name);
    gms_sweep_result_t *result;
    size_t i;

    for (i = 0; i < sweep->result_count && status == GMS_OK; ++i) {
        if (strcmp(sweep->results[i].name, name) == 0) {
            status = gms_loader_fail(loader, line, "result '%s' is given twice",
                                     name);
        }
    }
    if (status != GMS_OK) {
        return status;
    }
    reader->result.name = gms_sweep_keep(sweep, name);
    result = gms_sweep_append(loader, &sweep->results, &sweep->result_count,
                              sizeof(*result));
    if (result == NULL || reader->result.name == NULL) {
        return GMS_ERR_CONFIG;
    }
    *result = reader->result;
    return GMS_OK;
}

static gms_status_t gms_sweep_read_result(gms_loader_t *loader, const char *key,
                                          size_t line, const yaml_node_t *value)
{
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    const char *text = gms_yaml_scalar(value);
    gms_status_t status;

    memset(&reader->result, 0, sizeof(reader->result));
    reader->result_given = 0;
    if (text != NULL && strcmp(text, gms_sweep_last_line) == 0) {
        reader->result.source = GMS_SWEEP_LINE;
        return gms_sweep_result_add(loader, key, line);
    }
    if (value->type != YAML_MAPPING_NODE) {
        return gms_sweep_wrong(loader, key, value,
                               "; allowed: last line, {column: NAME}, {regex: "
                               "TEXT}, {record: PATH}, {line: last, word: N}");
    }
    status = gms_loader_mapping(loader, value, gms_sweep_result_key);
    if (status == GMS_OK) {
        status = gms_sweep_result_fits(loader, line, key, reader->result_given);
    }
    return (status == GMS_OK) ? gms_sweep_result_add(loader, key, line)
                              : status;
}

/** Reads a list such as [latency, bandwidth]. Each entry is a result with the
 *  same name as its column. */
static gms_status_t gms_sweep_read_columns(gms_loader_t *loader,
                                           const char *key,
                                           const yaml_node_t *list)
{
    gms_sweep_reader_t *reader = gms_sweep_reader(loader);
    gms_status_t status = GMS_OK, one;
    const yaml_node_item_t *item;

    for (item = list->data.sequence.items.start;
         item < list->data.sequence.items.top; ++item) {
        const yaml_node_t *node =
            yaml_document_get_node(loader->document, *item);
        const char *name =
            gms_sweep_text(loader, key, node, "the name of a column");

        memset(&reader->result, 0, sizeof(reader->result));
        reader->result.what = name;
        one = (name != NULL) ? gms_sweep_result_add(loader, name,
                                                    node->start_mark.line + 1)
                             : GMS_ERR_CONFIG;
        status = (status == GMS_OK) ? one : status;
    }
    return status;
}

gms_status_t gms_sweep_read_results(gms_loader_t *loader, const char *key,
                                    const yaml_node_t *value)
{
    const char *text = gms_yaml_scalar(value);

    if (value->type == YAML_MAPPING_NODE) {
        return gms_loader_mapping(loader, value, gms_sweep_read_result);
    }
    if (value->type == YAML_SEQUENCE_NODE) {
        return gms_sweep_read_columns(loader, key, value);
    }
    if (text != NULL && strcmp(text, gms_sweep_last_line) == 0) {
        return GMS_OK; /* this is the default */
    }
    return gms_sweep_wrong(loader, key, value,
                           "; allowed: last line, [COLUMN, ..], or lines "
                           "'NAME: {column: NAME}' and similar lines");
}
