/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Creates cluster descriptions from other programs' descriptions of a machine:
 *
 *   ibnetdiscover  the fabric in the output of this tool for InfiniBand
 *                  [source: infiniband-diags, topology file format]; with it,
 *                  forwarding tables in the form of ibroute and dump_lfts.sh,
 *                  or of .fdbs files of OpenSM and ibdiagnet
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
    const char *path; /* path of the input file, for messages */
    /* path and text of the file with forwarding tables; NULL: there is no such
     * file */
    const char *routes_path, *routes;
    FILE *out;   /* stream for the description */
    FILE *notes; /* stream for reports of lines without a counterpart */
    char error[GMS_IMPORT_ERROR_LEN];
} gms_import_t;

/** Read a file of another program, detect the file's format, and write a
 *  description.
 *  @param [in] text   contents of the file, followed by a 0
 *  @param [in] bytes  length of the file
 *  @return the same values as the functions below. The file may contain bytes
 *         that are 0 */
gms_status_t gms_import_text(gms_import_t *import, const char *text,
                             size_t bytes);
/** Read a file of another program and write a description. If the file cannot
 *  be converted, the functions return GMS_ERR_CONFIG and set the error
 *  ("FILE:LINE: ..").
 *  @param [in] text  contents of the file, followed by a 0
 *  @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY */
gms_status_t gms_import_ib(gms_import_t *import, const char *text);
gms_status_t gms_import_simgrid(gms_import_t *import, const char *text);

/** Write "FILE:LINE: ..." to the error. @return GMS_ERR_CONFIG */
gms_status_t gms_import_fail(gms_import_t *import, unsigned line,
                             const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** Write "FILE:LINE: ..." to the notes. */
void gms_import_note(gms_import_t *import, unsigned line, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));
/** Replace every character that is not printable ASCII by '?' (a tab by a
 *  blank), and remove blanks at the end. The import replaces these characters
 *  in all names from other programs, because the names appear in comments and
 *  messages. */
void gms_import_clean(char *text);
/** Return the path of the file for a comment, with unprintable characters
 *  replaced. @return name */
const char *gms_import_name(const gms_import_t *import,
                            char name[GMS_IMPORT_PATH_LEN]);
/** Write the rate and the propagation delay of links as parameters. If bytes_s
 *  is 0, the function writes nothing. */
void gms_import_links(gms_import_t *import, double bytes_s,
                      double propagation_ps);

#endif
