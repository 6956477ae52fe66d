/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the reader of a sweep file. Only file*.c include this header. */
#ifndef SWEEP_FILE_INT_H
#define SWEEP_FILE_INT_H

#include "yaml/loader.h"
#include "sweep/sweep.h"

typedef struct gms_sweep_reader {
    /* must be the first member, because handlers receive a pointer to it */
    gms_loader_t loader;
    gms_sweep_t sweep;
    unsigned given;      /* bit mask of the top-level keys that have been
                          * read */
    unsigned axis;       /* axis of the values that are currently being read */
    const char *section; /* "grid" or "together" */
    /* strings of the current range, result or condition */
    const char *texts[6];
    unsigned result_given;
    gms_sweep_result_t result;
} gms_sweep_reader_t;

static inline gms_sweep_reader_t *gms_sweep_reader(gms_loader_t *loader)
{
    return (gms_sweep_reader_t *)loader;
}

/** Returns the value of a scalar as a string, which belongs to the sweep. If
 *  the node is not a scalar or is empty, the function reports an error and
 *  returns NULL. */
const char *gms_sweep_text(gms_loader_t *loader, const char *key,
                           const yaml_node_t *value, const char *allowed);
/** Reports "key 'K': value ...", followed by the reason. @return
 *  GMS_ERR_CONFIG */
gms_status_t gms_sweep_wrong(gms_loader_t *loader, const char *key,
                             const yaml_node_t *value, const char *what);
/** Reports an unknown key and the allowed keys (list with a NULL at its
 *  end). */
gms_status_t gms_sweep_unknown(gms_loader_t *loader, size_t line,
                               const char *key, const char *const *allowed);
/** Appends an element to an array. @return the element, or NULL after an
 *  error */
void *gms_sweep_append(gms_loader_t *loader, void *array_p, size_t *count_p,
                       size_t size);
/** Rejects a string that is not a valid name, or that is already in use as a
 *  name. */
gms_status_t gms_sweep_check_name(gms_loader_t *loader, size_t line,
                                  const char *name);

/* ---- file_grid.c: `grid:` and `together:` ---- */

gms_status_t gms_sweep_read_grid(gms_loader_t *loader, const char *key,
                                 const yaml_node_t *value);
gms_status_t gms_sweep_read_together(gms_loader_t *loader, const char *key,
                                     const yaml_node_t *value);

/* ---- file_results.c: `results:` ---- */

gms_status_t gms_sweep_read_results(gms_loader_t *loader, const char *key,
                                    const yaml_node_t *value);

/* ---- file_check.c: checks of combinations of keys ---- */

gms_status_t gms_sweep_check(gms_loader_t *loader);

#endif
