/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Extracts a result from the last line of output, by a regular expression, or
 * from a CSV column. Results from a record are extracted in result_record.c.
 */
#define _GNU_SOURCE
#include "sweep/result.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "yaml/loader.h"
#include "sweep/base.h"
#include "sweep/result_record.h"

#define GMS_SWEEP_FIELDS 1024
#define GMS_SWEEP_BLANKS " \t\r"

static gms_status_t gms_sweep_copy_value(const char *text, char **value_p)
{
    char *copy = strdup(text);

    /* replace special characters, because terminals and tables show the text */
    if (copy != NULL) {
        (void)gms_printable_here(copy);
    } else {
        return GMS_ERR_NO_MEMORY;
    }
    *value_p = copy;
    return GMS_OK;
}

/** Reads an output file of a run.
 *  @return the text, which the caller frees; NULL: `wrong' contains the
 *    reason */
static char *gms_sweep_read_output(const char *directory, const char *name,
                                   char wrong[GMS_YAML_ERROR_LEN])
{
    char *path = gms_sweep_join(directory, name), *text = NULL;
    size_t len;

    if (path != NULL) {
        text = gms_sweep_read(path, &len);
        free(path);
    }
    if (text == NULL) {
        (void)snprintf(wrong, GMS_YAML_ERROR_LEN, "the file '%s' is missing",
                       name);
    }
    return text;
}

/* ---- lines ---- */

char *gms_sweep_last_line(char *text)
{
    size_t len = strlen(text);
    char *begin;

    while (len > 0 && strchr("\n" GMS_SWEEP_BLANKS, text[len - 1]) != NULL) {
        --len;
    }
    if (len == 0) {
        return NULL;
    }
    text[len] = '\0';
    begin = strrchr(text, '\n');
    return (begin != NULL) ? begin + 1 : text;
}

static gms_status_t gms_sweep_extract_line(const gms_sweep_result_t *result,
                                           char *text, char **value_p,
                                           char wrong[GMS_YAML_ERROR_LEN])
{
    char *line = gms_sweep_last_line(text), *word = line;
    uint64_t i;

    if (line == NULL) {
        (void)snprintf(wrong, GMS_YAML_ERROR_LEN, "stdout is empty");
        return GMS_ERR_NOT_FOUND;
    }
    if (result->word == 0) {
        return gms_sweep_copy_value(line, value_p);
    }
    word += strspn(word, GMS_SWEEP_BLANKS);
    for (i = 1; i < result->word && *word != '\0'; ++i) {
        word += strcspn(word, GMS_SWEEP_BLANKS);
        word += strspn(word, GMS_SWEEP_BLANKS);
    }
    if (*word == '\0') {
        (void)snprintf(wrong, GMS_YAML_ERROR_LEN,
                       "the last line of stdout has fewer than %llu words",
                       (unsigned long long)result->word);
        return GMS_ERR_NOT_FOUND;
    }
    word[strcspn(word, GMS_SWEEP_BLANKS)] = '\0';
    return gms_sweep_copy_value(word, value_p);
}

/* ---- regular expressions ---- */

static gms_status_t gms_sweep_extract_regex(const gms_sweep_result_t *result,
                                            char *text, char **value_p,
                                            char wrong[GMS_YAML_ERROR_LEN])
{
    regmatch_t match[2];
    char *line, *found = NULL;
    regex_t regex;

    if (regcomp(&regex, result->what, REG_EXTENDED) != 0) {
        /* the only possible cause is a lack of memory, because the reader of
         * the sweep file has already compiled the expression */
        return GMS_ERR_NO_MEMORY;
    }
    while ((line = strsep(&text, "\n")) != NULL) {
        const regmatch_t *part = &match[0];

        if (regexec(&regex, line, 2, match, 0) != 0) {
            continue;
        }
        part += regex.re_nsub > 0 && match[1].rm_so >= 0;
        free(found);
        found =
            strndup(line + part->rm_so, (size_t)(part->rm_eo - part->rm_so));
    }
    regfree(&regex);
    if (found == NULL) {
        (void)snprintf(wrong, GMS_YAML_ERROR_LEN,
                       "%s contains no match for '%s'",
                       result->is_stderr ? "stderr" : "stdout", result->what);
        return GMS_ERR_NOT_FOUND;
    }
    *value_p = found;
    return GMS_OK;
}

/* ---- CSV ---- */

/** Reads one field in place.
 *  @return the text after the field's comma, or NULL if the field is the last
 *    one */
static char *gms_sweep_field(char *at, char **field_p)
{
    char *to = at, *end;

    *field_p = at;
    if (*at != '"') {
        end = strchr(at, ',');
        if (end != NULL) {
            *end = '\0';
            return end + 1;
        }
        return NULL;
    }
    for (at++; *at != '\0'; ++at) {
        if (*at == '"') {
            if (at[1] != '"') {
                break;
            }
            ++at;
        }
        *to++ = *at;
    }
    end = (*at != '\0') ? strchr(at, ',') : NULL;
    *to = '\0';
    return (end != NULL) ? end + 1 : NULL;
}

size_t gms_sweep_split(char *line, char **fields, size_t most)
{
    size_t count = 0;

    line[strcspn(line, "\r")] = '\0';
    while (line != NULL && count < most) {
        line = gms_sweep_field(line, &fields[count++]);
    }
    return count;
}

/** Returns the index of a column, or `count` if the column does not exist. */
static size_t gms_sweep_find_column(char **names, size_t count,
                                    const char *name)
{
    size_t i = 0;

    while (i < count && strcmp(names[i], name) != 0) {
        ++i;
    }
    return i;
}

/** Returns the next line that is not a comment, or NULL if there is none. */
static char *gms_sweep_csv_line(char **rest_p)
{
    char *line;

    do {
        line = strsep(rest_p, "\n");
    } while (line != NULL &&
             (line[0] == '#' || line[0] == '\0' || line[0] == '\r'));
    return line;
}

static gms_status_t gms_sweep_no_row(const gms_sweep_result_t *result,
                                     char wrong[GMS_YAML_ERROR_LEN])
{
    size_t i;

    if (result->where_count == 0) {
        (void)snprintf(wrong, GMS_YAML_ERROR_LEN,
                       "the column '%s' of stdout has no rows", result->what);
        return GMS_ERR_NOT_FOUND;
    }
    (void)snprintf(wrong, GMS_YAML_ERROR_LEN, "stdout has no row with ");
    for (i = 0; i < result->where_count; ++i) {
        gms_yaml_append(wrong, "%s%s = %s", (i > 0) ? ", " : "",
                        result->where[i].column, result->where[i].value);
    }
    return GMS_ERR_NOT_FOUND;
}

/** Finds the indices of the used columns. The element at[0] is the index of the
 *  result's column, and the indices of the columns of `where` follow.
 *  @return the first missing column, or NULL if all columns were found */
static const char *gms_sweep_find_columns(const gms_sweep_result_t *result,
                                          char *line,
                                          size_t at[1 + GMS_SWEEP_WHERE])
{
    char *names[GMS_SWEEP_FIELDS];
    size_t count, i;

    count = (line != NULL) ? gms_sweep_split(line, names, GMS_SWEEP_FIELDS) : 0;
    at[0] = gms_sweep_find_column(names, count, result->what);
    if (at[0] == count) {
        return result->what;
    }
    for (i = 0; i < result->where_count; ++i) {
        const char *column = result->where[i].column;

        at[i + 1] = gms_sweep_find_column(names, count, column);
        if (at[i + 1] == count) {
            return column;
        }
    }
    return NULL;
}

/** Returns the value in a row, or NULL if the row does not match. */
static char *gms_sweep_take(const gms_sweep_result_t *result, char *line,
                            const size_t at[1 + GMS_SWEEP_WHERE])
{
    char *fields[GMS_SWEEP_FIELDS];
    size_t count = gms_sweep_split(line, fields, GMS_SWEEP_FIELDS), i;

    for (i = 0; i < result->where_count; ++i) {
        if (at[i + 1] >= count ||
            strcmp(fields[at[i + 1]], result->where[i].value) != 0) {
            return NULL;
        }
    }
    return (at[0] < count) ? fields[at[0]] : NULL;
}

static gms_status_t gms_sweep_extract_column(const gms_sweep_result_t *result,
                                             char *text, char **value_p,
                                             char wrong[GMS_YAML_ERROR_LEN])
{
    size_t at[1 + GMS_SWEEP_WHERE];
    char *line, *value, *found = NULL;
    const char *missing;

    missing = gms_sweep_find_columns(result, gms_sweep_csv_line(&text), at);
    if (missing != NULL) {
        (void)snprintf(wrong, GMS_YAML_ERROR_LEN, "stdout has no column '%s'",
                       missing);
        return GMS_ERR_NOT_FOUND;
    }
    while ((line = gms_sweep_csv_line(&text)) != NULL) {
        value = gms_sweep_take(result, line, at);
        found = (value != NULL) ? value : found;
    }
    return (found != NULL) ? gms_sweep_copy_value(found, value_p)
                           : gms_sweep_no_row(result, wrong);
}

/* ---- all sources of results ---- */

static gms_status_t gms_sweep_extract_any(const gms_sweep_result_t *result,
                                          const char *directory, char **value_p,
                                          char wrong[GMS_YAML_ERROR_LEN])
{
    gms_status_t status = GMS_ERR_NOT_FOUND;
    char *text;

    if (result->source == GMS_SWEEP_RECORD) {
        return gms_sweep_extract_record(result, directory, value_p, wrong);
    }
    text = gms_sweep_read_output(
        directory, result->is_stderr ? "stderr" : "stdout", wrong);
    if (text == NULL) {
        return GMS_ERR_NOT_FOUND;
    }
    switch (result->source) {
    case GMS_SWEEP_COLUMN:
        status = gms_sweep_extract_column(result, text, value_p, wrong);
        break;
    case GMS_SWEEP_LINE:
        status = gms_sweep_extract_line(result, text, value_p, wrong);
        break;
    case GMS_SWEEP_REGEX:
        status = gms_sweep_extract_regex(result, text, value_p, wrong);
        break;
    case GMS_SWEEP_RECORD:
        break;
    }
    free(text);
    return status;
}

gms_status_t gms_sweep_extract(const gms_sweep_result_t *result,
                               const char *directory, char **value_p,
                               char wrong[GMS_YAML_ERROR_LEN])
{
    gms_status_t status =
        gms_sweep_extract_any(result, directory, value_p, wrong);

    if (status == GMS_ERR_NOT_FOUND && result->is_optional) {
        return gms_sweep_copy_value("", value_p);
    }
    return (status == GMS_ERR_CONFIG) ? GMS_ERR_NOT_FOUND : status;
}

int gms_sweep_has_results(const gms_sweep_t *sweep, const char *directory)
{
    char wrong[GMS_YAML_ERROR_LEN];
    size_t i;

    for (i = 0; i < sweep->result_count; ++i) {
        char *value = NULL;

        if (gms_sweep_extract(&sweep->results[i], directory, &value, wrong) !=
            GMS_OK) {
            return 0;
        }
        free(value);
    }
    return 1;
}
