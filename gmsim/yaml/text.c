/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Composes the messages of the loader: allowed values, suggestions for misspelt
 * names, and quoted input.
 */
#include "yaml/loader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plural.h"
#include "base/printable.h"

/* Maximum length of a value that a message quotes, and of a word that is
 * checked for a typo. */
#define GMS_YAML_QUOTE_LEN 64
#define GMS_YAML_WORD_LEN  48

/* Maximum number of reported errors, and maximum length of the error text to
 * which another error may be appended. */
#define GMS_LOADER_MISTAKES 10u
#define GMS_LOADER_ROOM     (GMS_YAML_ERROR_LEN - 1024u)

void gms_yaml_append(char *text, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text + used, GMS_YAML_ERROR_LEN - used, format, args);
    va_end(args);
}

/** Quote the user's text without control characters, and limit its length. */
void gms_yaml_append_quoted(char *text, const char *value, size_t value_len)
{
    char quoted[GMS_YAML_QUOTE_LEN + 1];
    int is_cut = value_len > GMS_YAML_QUOTE_LEN;

    (void)gms_printable_part(value, value_len, quoted, sizeof(quoted));
    gms_yaml_append(text, "'%s%s'", quoted, is_cut ? "..." : "");
}

static size_t gms_yaml_min3(size_t a, size_t b, size_t c)
{
    size_t least = (a < b) ? a : b;

    return (least < c) ? least : c;
}

/** Return the edit distance between two words (insert, delete, replace, swap
 *  neighbours). The distance is infinite for words that are too long. */
static size_t gms_yaml_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b), i, j;
    size_t d[GMS_YAML_WORD_LEN + 1][GMS_YAML_WORD_LEN + 1];

    if (la > GMS_YAML_WORD_LEN || lb > GMS_YAML_WORD_LEN) {
        return SIZE_MAX;
    }
    for (i = 0; i <= la; ++i) {
        for (j = 0; j <= lb; ++j) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = gms_yaml_min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
                                    d[i - 1][j - 1] +
                                        ((a[i - 1] == b[j - 1]) ? 0u : 1u));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
                a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j]) {
                d[i][j] = d[i - 2][j - 2] + 1;
            }
        }
    }
    return d[la][lb];
}

/** Keep the nearer of two candidates. */
void gms_yaml_nearer(const char *word, const char *candidate, const char **best,
                     size_t *best_distance)
{
    size_t a = strlen(word), b = strlen(candidate), distance;

    /* each byte of difference in length costs at least one edit */
    if (((a > b) ? a - b : b - a) >= *best_distance) {
        return;
    }
    distance = gms_yaml_distance(word, candidate);
    if (distance < *best_distance) {
        *best_distance = distance;
        *best = candidate;
    }
}

/** Return the initial distance for the search for the nearest candidate.
 * Candidates at this distance or farther are unlikely to be what the user
 * meant. */
size_t gms_yaml_typo_limit(const char *word)
{
    return strlen(word) / 3 + 2;
}

void gms_yaml_append_guess(char *text, const char *best)
{
    if (best != NULL) {
        gms_yaml_append(text, " (did you mean '%s'?)", best);
    }
}

/** Choose the buffer for the next error. If a file has many errors, the first
 *  few are more useful than a full screen. */
static void gms_loader_line(gms_loader_t *loader)
{
    ++loader->mistakes;
    if (loader->mistakes == 1) {
        loader->said = loader->error;
        loader->said[0] = '\0';
    } else if (loader->mistakes > GMS_LOADER_MISTAKES ||
               strlen(loader->said) > GMS_LOADER_ROOM) {
        loader->error = loader->unsaid;
        loader->unsaid[0] = '\0';
    } else {
        gms_yaml_append(loader->error, "\n");
    }
}

/** Begin a message with "FILE:LINE: ". */
gms_status_t gms_loader_begin(gms_loader_t *loader, size_t line)
{
    gms_loader_line(loader);
    if (line > 0) {
        gms_yaml_append(loader->error, "%s:%zu: ", loader->path, line);
    } else {
        gms_yaml_append(loader->error, "%s: ", loader->path);
    }
    return GMS_ERR_CONFIG;
}

/* Make a message printable. The message may have several lines, and each line
 * may quote text from a file. */
static void gms_loader_make_printable(char *text)
{
    char *end;

    for (; text != NULL; text = end != NULL ? end + 1 : NULL) {
        end = strchr(text, '\n');
        if (end != NULL) {
            *end = '\0';
        }
        (void)gms_printable_here(text);
        if (end != NULL) {
            size_t length = strlen(text);

            memmove(text + length + 1, end + 1, strlen(end + 1) + 1);
            end = text + length;
            *end = '\n';
        }
    }
}

void gms_loader_close(gms_loader_t *loader)
{
    unsigned told = 0;
    const char *p;

    gms_loader_make_printable(loader->said);

    for (p = loader->said; p != NULL && *p != '\0'; ++p) {
        told += p == loader->said || p[-1] == '\n';
    }
    if (told < loader->mistakes) {
        gms_yaml_append(loader->said, "\n%s: %u more %s", loader->path,
                        loader->mistakes - told,
                        gms_plural(loader->mistakes - told, "error", "errors"));
    }
}

gms_status_t gms_loader_fail(gms_loader_t *loader, size_t line,
                             const char *format, ...)
{
    gms_status_t status = gms_loader_begin(loader, line);
    size_t used = strlen(loader->error);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(loader->error + used, GMS_YAML_ERROR_LEN - used, format,
                    args);
    va_end(args);
    gms_loader_make_printable(loader->error + used);
    return status;
}

/** Begin a message with "FILE:LINE: key 'K': value 'V' ". */
gms_status_t gms_loader_begin_value(gms_loader_t *loader, const char *key,
                                    const yaml_node_t *value)
{
    gms_status_t status = gms_loader_begin(loader, value->start_mark.line + 1);
    char shown[GMS_YAML_QUOTE_LEN + 1];

    gms_yaml_append(loader->error,
                    "key '%s': ", gms_printable(key, shown, sizeof(shown)));
    if (value->type == YAML_SCALAR_NODE) {
        gms_yaml_append(loader->error, "value ");
        gms_yaml_append_quoted(loader->error,
                               (const char *)value->data.scalar.value,
                               value->data.scalar.length);
    } else {
        gms_yaml_append(loader->error, "value is a %s",
                        (value->type == YAML_SEQUENCE_NODE) ? "list"
                                                            : "mapping");
    }
    return status;
}

void gms_yaml_append_names(char *text, const char *const *names)
{
    const char *const *name;

    for (name = names; *name != NULL; ++name) {
        gms_yaml_append(text, "%s%s", (name == names) ? "" : ", ", *name);
    }
}

void gms_yaml_append_allowed(char *text, const gms_param_t *row)
{
    gms_yaml_append(text, "; allowed: ");
    if (row->names != NULL) {
        gms_yaml_append_names(text, row->names);
    } else {
        gms_yaml_append(text, "%llu..%llu", (unsigned long long)row->min,
                        (unsigned long long)row->max);
        if (row->unit[0] != '\0' && strcmp(row->unit, "0 or 1") != 0) {
            gms_yaml_append(text, " %s", row->unit);
        }
    }
}
