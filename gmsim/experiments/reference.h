/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reads the numbers printed in the papers from the reference files. Only the
 * process that compares the findings reads these files; the simulations do not
 * use them.
 *
 *   experiment,series,setting,quantity,value,unit,kind,tolerance_percent,source
 *
 * A tolerance may be followed by `or digit'. In this case, the larger of the
 * tolerance and one unit of the last printed digit is allowed.
 *
 * A second kind of file lists the rows that are known not to reproduce the
 * printed numbers, and the pages that explain the reasons:
 *
 *   page,experiment,series,setting,quantity
 */
#ifndef EXPERIMENTS_REFERENCE_H
#define EXPERIMENTS_REFERENCE_H

#include <stddef.h>

#include "base/status.h"
#include "experiments/experiment.h"

#define GMS_REFERENCE_ERROR_LEN 512

typedef struct gms_reference {
    char *experiment, *series, *setting, *quantity, *unit, *source;
    double value, tolerance_percent;
    /* one unit of the last printed digit if the tolerance contains `or digit';
     * otherwise 0 */
    double digit;
    enum gms_row_kind kind;
} gms_reference_t;

/** A row that is known not to reproduce the printed number. */
typedef struct gms_known {
    char *page, *experiment, *series, *setting, *quantity;
} gms_known_t;

typedef struct gms_references {
    gms_reference_t *rows;
    size_t count, room;
    gms_known_t *known;
    size_t known_count, known_room;
} gms_references_t;

/**
 * Read all files of a directory that begin with one of the heads above, in the
 * order of their names. Other files are ignored.
 *
 * @param [in] directory NULL: use the first of these directories that exists:
 * ../share/gmqos/reference relative to the program, the directory in the source
 * tree, and the configured installation path
 * @param [out] error      file, line and reason
 *
 * @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NOT_FOUND, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_references_read(const char *directory,
                                 gms_references_t *references,
                                 char error[GMS_REFERENCE_ERROR_LEN]);
/** Find a reference. @return NULL if it does not exist */
const gms_reference_t *gms_references_find(const gms_references_t *references,
                                           const char *experiment,
                                           const char *series,
                                           const char *setting,
                                           const char *quantity);
/** Return the page that explains why a row does not reproduce its reference;
 *  NULL if the row is not listed as a known difference. */
const char *gms_references_known(const gms_references_t *references,
                                 const char *experiment, const char *series,
                                 const char *setting, const char *quantity);
void gms_references_clear(gms_references_t *references);

#endif
