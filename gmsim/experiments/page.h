/* SPDX-License-Identifier: BSD-3-Clause */
/** Markdown page for readers: all results next to the printed numbers. */
#ifndef EXPERIMENTS_PAGE_H
#define EXPERIMENTS_PAGE_H

#include "experiments/result.h"

/**
 * @param [in] plots  folder of the figures; the page refers to them relative to
 *                    its own folder if they are below it. NULL: no figures
 * @return GMS_OK; GMS_ERR_SYSTEM: cannot write, errno says why
 */
gms_status_t gms_page_print(const gms_result_t *results, size_t count,
                            const char *path, const char *plots);

#endif
