/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads a YAML file and composes its error messages, which contain the file,
 * the line, the key, the given value and the allowed values. The readers of
 * cluster descriptions, plans, sweeps, models and lists of records use this
 * loader. A reader embeds a loader as the first member of its own structure.
 */
#ifndef YAML_LOADER_H
#define YAML_LOADER_H

#include <stddef.h>
#include <stdint.h>

#include <yaml.h>

#include "base/status.h"
#include "params/params.h"

/** Size of the buffer for a message. */
#define GMS_YAML_ERROR_LEN 4096
#define GMS_YAML_PATH_LEN  160

typedef struct gms_loader gms_loader_t;

/** Processes the root of a file. The root is NULL if the file is empty. */
typedef gms_status_t gms_loader_root_fn(gms_loader_t *loader,
                                        const yaml_node_t *root);

struct gms_loader {
    char path[GMS_YAML_PATH_LEN]; /* path as shown in messages */
    const char *file;             /* path as passed by the caller */
    const char *what, *each;      /* names of the type of file and of one of its
                                   * entries, such as "cluster description" and
                                   * "one cluster" */
    gms_loader_root_fn *on_root;
    yaml_document_t *document;
    char *error; /* buffer for the next error: `said` or `unsaid` */
    unsigned mistakes;
    char *said; /* the caller's buffer, which contains the reported errors; the
                 * first error sets this pointer */
    char unsaid[GMS_YAML_ERROR_LEN]; /* buffer for errors for which `said` has
                                      * no room */
};

typedef enum {
    GMS_NUMBER_OK,
    GMS_NUMBER_NONE, /* the value is not a number */
    GMS_NUMBER_NEGATIVE,
    GMS_NUMBER_FRACTION,
    GMS_NUMBER_TOO_LARGE
} gms_number_t;

/* ---- text.c ---- */

/** Append text to a buffer of GMS_YAML_ERROR_LEN bytes. Text that does not
 *  fit is truncated. */
void gms_yaml_append(char *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void gms_yaml_append_quoted(char *text, const char *value, size_t value_len);
void gms_yaml_append_names(char *text, const char *const *names);
void gms_yaml_append_allowed(char *text, const gms_param_t *row);
/** Append " (did you mean '...'?)". If best is NULL, the buffer does not
 *  change. */
void gms_yaml_append_guess(char *text, const char *best);
/** The function gms_yaml_typo_limit() returns the initial value of
 *  best_distance: only a candidate with a smaller edit distance is suggested.
 *  The function gms_yaml_nearer() replaces the best candidate so far if
 *  `candidate` is nearer to the word. */
size_t gms_yaml_typo_limit(const char *word);
void gms_yaml_nearer(const char *word, const char *candidate, const char **best,
                     size_t *best_distance);

/** The following functions return GMS_ERR_CONFIG, and append an error to the
 * errors reported so far. */
gms_status_t gms_loader_begin(gms_loader_t *loader, size_t line);
gms_status_t gms_loader_fail(gms_loader_t *loader, size_t line,
                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));
gms_status_t gms_loader_begin_value(gms_loader_t *loader, const char *key,
                                    const yaml_node_t *value);

/** Finish the list of errors: append the number of omitted errors. */
void gms_loader_close(gms_loader_t *loader);

/* ---- file.c ---- */

/** Read a file, and pass its root to loader->on_root. The function sets
 *  loader->path. */
gms_status_t gms_loader_file(gms_loader_t *loader, const char *path);

/* ---- value.c ---- */

gms_number_t gms_yaml_number(const char *text, uint64_t *value_p);
const char *gms_yaml_scalar(const yaml_node_t *node);
gms_status_t gms_loader_choice(gms_loader_t *loader, const yaml_node_t *value,
                               const char *key, const char *const *names,
                               uint64_t *index_p);
gms_status_t gms_loader_integer(gms_loader_t *loader, const yaml_node_t *value,
                                const gms_param_t *row, uint64_t *number_p);

/* ---- mapping.c ---- */

typedef gms_status_t gms_loader_key_fn(gms_loader_t *loader, const char *key,
                                       size_t line, const yaml_node_t *value);

/** Pass each pair of a mapping to a function, in file order. Errors do not end
 *  the loop. @return status of the first error */
gms_status_t gms_loader_mapping(gms_loader_t *loader,
                                const yaml_node_t *mapping,
                                gms_loader_key_fn *on_key);
/** Begin an error message with "unknown key ...". */
gms_status_t gms_loader_unknown(gms_loader_t *loader, size_t line,
                                const char *key, const char *best);

#endif
