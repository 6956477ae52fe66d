/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Writes the report of a run as one self-contained HTML file, which needs no
 * network, fonts or other files. The file embeds the JSON document of
 * gms_report_data() (report/data.h). The scripts in assets/ draw this document.
 * The build embeds the scripts in the library.
 *
 * The file's content security policy (CSP) permits only its own script and
 * styles. Names in the data can therefore never be executed, whatever
 * characters they contain.
 */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdio.h>

#include <jansson.h>

#include "base/status.h"

/**
 * Writes the report of a run.
 *
 * @param [in] file receives the page; is flushed and stays open
 * @param [in] data object that the caller owns. Any key may be missing, and the
 * page then states which data it lacks
 * @return GMS_OK; GMS_ERR_INVALID_PARAM: data is not an object; GMS_ERR_SYSTEM:
 *         not all data could be written (errno holds the reason)
 */
gms_status_t gms_page_write(FILE *file, const json_t *data);

/**
 * Writes a page that shows two runs side by side, with the same scales.
 *
 * @param [in] first, second data of the runs, as for gms_page_write()
 * @return the same values as gms_page_write()
 */
gms_status_t gms_page_write_comparison(FILE *file, const json_t *first,
                                       const json_t *second);

#endif
