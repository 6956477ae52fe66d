/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "sweep/result.h"

#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/json_memory.h"
#include "base/limits.h"
#include "base/printable.h"
#include "config/cluster_int.h"
#include "sweep/base.h"

#define GMS_SWEEP_FIELDS 1024
#define GMS_SWEEP_BLANKS " \t\r"

static gms_status_t gms_sweep_copy_value(const char *text, char **value_p)
{
    char *copy = strdup(text);

    /* it reaches terminals, and tables */
    if (copy != NULL) {
        (void)gms_printable_here(copy);
    } else {
        return GMS_ERR_NO_MEMORY;
    }
    *value_p = copy;
    return GMS_OK;
}

/** @return allocated; NULL with wrong set */
static char *gms_sweep_read_output(const char *folder, const char *name,
                                   char wrong[GMS_CLUSTER_ERROR_LEN])
{
    char *path = gms_sweep_join(folder, name), *text = NULL;
    size_t len;

    if (path != NULL) {
        text = gms_sweep_read(path, &len);
        free(path);
    }
    if (text == NULL) {
        (void)snprintf(wrong, GMS_CLUSTER_ERROR_LEN, "no %s", name);
    }
    return text;
}

/* ---- lines ---- */

char *gms_sweep_last_line(char *text)
{
    size_t len = strlen(text);
    char *begin;

    while ((len > 0) &&
           (strchr("\n" GMS_SWEEP_BLANKS, text[len - 1]) != NULL)) {
        len--;
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
                                           char wrong[GMS_CLUSTER_ERROR_LEN])
{
    char *line = gms_sweep_last_line(text), *word = line;
    uint64_t i;

    if (line == NULL) {
        (void)snprintf(wrong, GMS_CLUSTER_ERROR_LEN, "stdout is empty");
        return GMS_ERR_NOT_FOUND;
    }
    if (result->word == 0) {
        return gms_sweep_copy_value(line, value_p);
    }
    word += strspn(word, GMS_SWEEP_BLANKS);
    for (i = 1; (i < result->word) && (*word != '\0'); i++) {
        word += strcspn(word, GMS_SWEEP_BLANKS);
        word += strspn(word, GMS_SWEEP_BLANKS);
    }
    if (*word == '\0') {
        (void)snprintf(wrong, GMS_CLUSTER_ERROR_LEN,
                       "no word %llu in the last line of stdout",
                       (unsigned long long)result->word);
        return GMS_ERR_NOT_FOUND;
    }
    word[strcspn(word, GMS_SWEEP_BLANKS)] = '\0';
    return gms_sweep_copy_value(word, value_p);
}

/* ---- regular expressions ---- */

static gms_status_t gms_sweep_extract_regex(const gms_sweep_result_t *result,
                                            char *text, char **value_p,
                                            char wrong[GMS_CLUSTER_ERROR_LEN])
{
    regmatch_t match[2];
    char *line, *found = NULL;
    regex_t regex;

    if (regcomp(&regex, result->what, REG_EXTENDED) != 0) {
        return GMS_ERR_NO_MEMORY; /* the file's reader has tried it */
    }
    while ((line = strsep(&text, "\n")) != NULL) {
        const regmatch_t *part = &match[0];

        if (regexec(&regex, line, 2, match, 0) != 0) {
            continue;
        }
        part += (regex.re_nsub > 0) && (match[1].rm_so >= 0);
        free(found);
        found = strndup(line + part->rm_so,
                        (size_t)(part->rm_eo - part->rm_so));
    }
    regfree(&regex);
    if (found == NULL) {
        (void)snprintf(wrong, GMS_CLUSTER_ERROR_LEN, "no match of '%s' in %s",
                       result->what, result->is_stderr ? "stderr" : "stdout");
        return GMS_ERR_NOT_FOUND;
    }
    *value_p = found;
    return GMS_OK;
}

/* ---- CSV ---- */

/** One field, in place. @return what is behind its comma; NULL: the last */
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
    for (at++; *at != '\0'; at++) {
        if (*at == '"') {
            if (at[1] != '"') {
                break;
            }
            at++;
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
    while ((line != NULL) && (count < most)) {
        line = gms_sweep_field(line, &fields[count++]);
    }
    return count;
}

/** Place of a column's name; count: it is not there. */
static size_t gms_sweep_find_column(char **names, size_t count,
                                    const char *name)
{
    size_t i = 0;

    while ((i < count) && (strcmp(names[i], name) != 0)) {
        i++;
    }
    return i;
}

/** The next line that is no comment; NULL: there is none. */
static char *gms_sweep_csv_line(char **rest_p)
{
    char *line;

    do {
        line = strsep(rest_p, "\n");
    } while ((line != NULL) && ((line[0] == '#') || (line[0] == '\0') ||
                                (line[0] == '\r')));
    return line;
}

static gms_status_t gms_sweep_no_row(const gms_sweep_result_t *result,
                                     char wrong[GMS_CLUSTER_ERROR_LEN])
{
    size_t i;

    if (result->where_count == 0) {
        (void)snprintf(wrong, GMS_CLUSTER_ERROR_LEN,
                       "no row below '%s' in stdout", result->what);
        return GMS_ERR_NOT_FOUND;
    }
    (void)snprintf(wrong, GMS_CLUSTER_ERROR_LEN, "no row with ");
    for (i = 0; i < result->where_count; i++) {
        gms_cluster_append(wrong, "%s%s = %s", (i > 0) ? ", " : "",
                           result->where[i].column, result->where[i].value);
    }
    gms_cluster_append(wrong, " in stdout");
    return GMS_ERR_NOT_FOUND;
}

/** Places of the columns that count: at[0] the result's, then those of where.
 *  @return the first that is not there; NULL: all are */
static const char *gms_sweep_find_columns(const gms_sweep_result_t *result,
                                          char *line,
                                          size_t at[1 + GMS_SWEEP_WHERE])
{
    char *names[GMS_SWEEP_FIELDS];
    size_t count, i;

    count = (line != NULL) ? gms_sweep_split(line, names, GMS_SWEEP_FIELDS)
                           : 0;
    at[0] = gms_sweep_find_column(names, count, result->what);
    if (at[0] == count) {
        return result->what;
    }
    for (i = 0; i < result->where_count; i++) {
        const char *column = result->where[i].column;

        at[i + 1] = gms_sweep_find_column(names, count, column);
        if (at[i + 1] == count) {
            return column;
        }
    }
    return NULL;
}

/** The value in a row; NULL: it is not the one. */
static char *gms_sweep_take(const gms_sweep_result_t *result, char *line,
                            const size_t at[1 + GMS_SWEEP_WHERE])
{
    char *fields[GMS_SWEEP_FIELDS];
    size_t count = gms_sweep_split(line, fields, GMS_SWEEP_FIELDS), i;

    for (i = 0; i < result->where_count; i++) {
        if ((at[i + 1] >= count) ||
            (strcmp(fields[at[i + 1]], result->where[i].value) != 0)) {
            return NULL;
        }
    }
    return (at[0] < count) ? fields[at[0]] : NULL;
}

static gms_status_t gms_sweep_extract_column(const gms_sweep_result_t *result,
                                             char *text, char **value_p,
                                             char wrong[GMS_CLUSTER_ERROR_LEN])
{
    size_t at[1 + GMS_SWEEP_WHERE];
    char *line, *value, *found = NULL;
    const char *missing;

    missing = gms_sweep_find_columns(result, gms_sweep_csv_line(&text), at);
    if (missing != NULL) {
        (void)snprintf(wrong, GMS_CLUSTER_ERROR_LEN, "no column '%s' in stdout",
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

/* ---- the record ---- */

/** The member of a list that has a member KEY with that VALUE. */
static const json_t *gms_sweep_json_where(const json_t *list, const char *key,
                                          const char *value)
{
    const json_t *element;
    size_t i;

    json_array_foreach(list, i, element)
    {
        const json_t *member = json_object_get(element, key);
        char number[32];

        (void)snprintf(number, sizeof(number), "%lld",
                       (long long)json_integer_value(member));
        if ((json_is_string(member) &&
             (strcmp(json_string_value(member), value) == 0)) ||
            (json_is_integer(member) && (strcmp(number, value) == 0))) {
            return element;
        }
    }
    return NULL;
}

static const json_t *gms_sweep_json_step(const json_t *at, char *word)
{
    char *value = strchr(word, '='), *end;
    unsigned long index;

    if (json_is_object(at)) {
        return json_object_get(at, word);
    }
    if (!json_is_array(at)) {
        return NULL;
    }
    if (value != NULL) {
        *value = '\0';
        return gms_sweep_json_where(at, word, value + 1);
    }
    index = strtoul(word, &end, 10);
    return ((end != word) && (*end == '\0')) ? json_array_get(at, index)
                                             : NULL;
}

/** Follow a path; numbers that it leads to are added up (a * leads to several).
 *  @return 0 if it leads nowhere */
static int gms_sweep_json_add(const json_t *at, const char *path, json_t **sum)
{
    char *word, *rest = NULL, *copy = strdup(path);
    const json_t *element;
    int is_found = 0;
    size_t i;

    rest = copy;
    word = strsep(&rest, "/");
    if ((word != NULL) && (strcmp(word, "*") == 0)) {
        json_array_foreach(at, i, element)
        {
            is_found += (rest != NULL)
                            ? gms_sweep_json_add(element, rest, sum)
                            : 0;
        }
    } else if (word != NULL) {
        element = gms_sweep_json_step(at, word);
        if ((element != NULL) && (rest != NULL)) {
            is_found = gms_sweep_json_add(element, rest, sum);
        } else if (json_is_integer(element) && json_is_integer(*sum)) {
            json_integer_set(*sum, json_integer_value(*sum) +
                                       json_integer_value(element));
            is_found = 1;
        } else if (json_is_number(element)) {
            double value = json_number_value(*sum) + json_number_value(element);

            json_decref(*sum);
            *sum = json_real(value);
            is_found = 1;
        } else if (json_is_string(element)) {
            json_decref(*sum);
            *sum = json_string(json_string_value(element));
            is_found = 1;
        }
    }
    free(copy);
    return is_found > 0;
}

static gms_status_t gms_sweep_extract_record(const gms_sweep_result_t *result,
                                             const char *folder,
                                             char **value_p,
                                             char wrong[GMS_CLUSTER_ERROR_LEN])
{
    char *text = gms_sweep_read_output(folder, "record/record.json", wrong);
    gms_status_t status = GMS_ERR_NOT_FOUND;
    json_t *root, *sum;

    gms_json_limit(GMS_LIMIT_JSON_MEMORY);
    sum = json_integer(0);
    if (text == NULL) {
        json_decref(sum);
        return GMS_ERR_NOT_FOUND;
    }
    root = json_loads(text, 0, NULL);
    free(text);
    if ((root != NULL) && (sum != NULL) &&
        gms_sweep_json_add(root, result->what, &sum)) {
        if (json_is_string(sum)) {
            *value_p = strdup(json_string_value(sum));
            if (*value_p != NULL) {
                (void)gms_printable_here(*value_p);
            }
        } else {
            *value_p = json_dumps(sum, JSON_ENCODE_ANY);
        }
        status = (*value_p != NULL) ? GMS_OK : GMS_ERR_NO_MEMORY;
    } else {
        (void)snprintf(wrong, GMS_CLUSTER_ERROR_LEN,
                       "no '%s' in record/record.json", result->what);
    }
    json_decref(root);
    json_decref(sum);
    return status;
}

/* ---- any of them ---- */

static gms_status_t gms_sweep_extract_any(const gms_sweep_result_t *result,
                                          const char *folder, char **value_p,
                                          char wrong[GMS_CLUSTER_ERROR_LEN])
{
    gms_status_t status = GMS_ERR_NOT_FOUND;
    char *text;

    if (result->source == GMS_SWEEP_RECORD) {
        return gms_sweep_extract_record(result, folder, value_p, wrong);
    }
    text = gms_sweep_read_output(
        folder, result->is_stderr ? "stderr" : "stdout", wrong);
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
                               const char *folder, char **value_p,
                               char wrong[GMS_CLUSTER_ERROR_LEN])
{
    gms_status_t status =
        gms_sweep_extract_any(result, folder, value_p, wrong);

    return ((status == GMS_ERR_NOT_FOUND) && result->is_optional)
               ? gms_sweep_copy_value("", value_p)
               : status;
}

int gms_sweep_has_results(const gms_sweep_t *sweep, const char *folder)
{
    char wrong[GMS_CLUSTER_ERROR_LEN];
    size_t i;

    for (i = 0; i < sweep->result_count; i++) {
        char *value = NULL;

        if (gms_sweep_extract(&sweep->results[i], folder, &value, wrong) !=
            GMS_OK) {
            return 0;
        }
        free(value);
    }
    return 1;
}
