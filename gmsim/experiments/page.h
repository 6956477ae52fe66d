/* SPDX-License-Identifier: BSD-3-Clause */
/** Writes a Markdown page that compares all results with the numbers in the
 * papers. */
#ifndef EXPERIMENTS_PAGE_H
#define EXPERIMENTS_PAGE_H

#include "experiments/result.h"

/**
 * Print the page.
 *
 * @param [in] plots directory of the figures. If this directory is below the
 *   directory of the page, the page contains a relative path. If plots is
 *   NULL, the page has no figures.
 *
 * @return GMS_OK; GMS_ERR_SYSTEM with errno set
 */
gms_status_t gms_page_print(const gms_result_t *results, size_t count,
                            const char *path, const char *plots);

#endif
