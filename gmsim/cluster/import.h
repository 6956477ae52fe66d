/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Cluster descriptions made from other programs' descriptions of a machine:
 *
 *   ibnetdiscover  the fabric as InfiniBand's tool of that name writes it
 *                  [source: infiniband-diags, topology file format]
 *   SimGrid        a platform file with one <cluster>
 *                  [source: SimGrid 3 manual, platform description, cluster]
 *
 * The import reports every line that has no counterpart in a cluster
 * description.
 */
#ifndef CLUSTER_IMPORT_H
#define CLUSTER_IMPORT_H

#include <stdio.h>

#include "base/status.h"

#define GMS_IMPORT_ERROR_LEN 512
#define GMS_IMPORT_PATH_LEN  201

typedef struct gms_import {
    const char *path; /* of the file, for messages */
    FILE *out;        /* the description */
    FILE *notes;      /* what has no counterpart */
    char error[GMS_IMPORT_ERROR_LEN];
} gms_import_t;

/** Read what another program wrote, whichever of them it is, and write a
 *  description. @param [in] text  the whole file, ends with 0
 *  @param [in] bytes  of the file
 *  @return as the functions below, also for a file with a byte 0 */
gms_status_t gms_import_text(gms_import_t *import, const char *text,
                             size_t bytes);
/** Read what another program wrote and write a description. A file of which
 *  nothing can be made: GMS_ERR_CONFIG with the error set ("FILE:LINE: ..").
 *  @param [in] text  the whole file, ends with 0
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY */
gms_status_t gms_import_ib(gms_import_t *import, const char *text);
gms_status_t gms_import_simgrid(gms_import_t *import, const char *text);

/** "FILE:LINE: ..." into the error. @return GMS_ERR_CONFIG */
gms_status_t gms_import_fail(gms_import_t *import, unsigned line,
                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** "FILE:LINE: ..." to the notes. */
void gms_import_note(gms_import_t *import, unsigned line, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));
/** What is no printable ASCII character becomes '?' (a tab: a blank), and blanks
 *  at the end go: others' names are repeated in comments and messages. */
void gms_import_clean(char *text);
/** The path of the file, clean, for a comment. @return name */
const char *gms_import_name(const gms_import_t *import,
                            char name[GMS_IMPORT_PATH_LEN]);
/** The parameters of links, if bytes_s is not 0. */
void gms_import_links(gms_import_t *import, double bytes_s,
                      double propagation_ps);

#endif
