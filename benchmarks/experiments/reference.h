/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Printed numbers of the papers, from the reference files: for whoever judges
 * the findings, never for what is simulated.
 *
 *   experiment,series,setting,quantity,value,unit,kind,tolerance_percent,source
 *
 * A tolerance may go on with words, each for what is allowed too if it is more:
 *   or digit    one unit of the last digit printed
 *   or errors   three standard errors of the difference between the value and a
 *               printed one that was found with as much effort
 */
#ifndef EXPERIMENTS_REFERENCE_H
#define EXPERIMENTS_REFERENCE_H

#include <stddef.h>

#include "engine/status.h"
#include "experiments/experiment.h"

#define GMS_REFERENCE_ERROR_LEN 512

typedef struct gms_reference {
    char *experiment, *series, *setting, *quantity, *unit, *source;
    double value, tolerance_percent;
    double digit;   /* unit of the last digit, if that is allowed; else 0 */
    int has_errors; /* standard errors are allowed */
    enum gms_row_kind kind;
} gms_reference_t;

typedef struct gms_references {
    gms_reference_t *rows;
    size_t count, room;
} gms_references_t;

/**
 * Read the files of a folder whose head is the one above, in the order of
 * their names; others are left alone.
 *
 * @param [in]  folder  NULL: beside the program (../share/gmqos/reference),
 *                      in the source tree that it was built in, or where it
 *                      was to be installed; the first that exists
 * @param [out] error   file, line and what is wrong
 * @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NOT_FOUND, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_references_read(const char *folder,
                                 gms_references_t *references,
                                 char error[GMS_REFERENCE_ERROR_LEN]);
/** NULL if there is none. */
const gms_reference_t *gms_references_find(const gms_references_t *references,
                                           const char *experiment,
                                           const char *series,
                                           const char *setting,
                                           const char *quantity);
void gms_references_clear(gms_references_t *references);

#endif
