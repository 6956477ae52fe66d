/* SPDX-License-Identifier: BSD-3-Clause */
/** Which flow and which link of one run are which of another run. */
#ifndef REPORT_MATCH_H
#define REPORT_MATCH_H

#include "report/run.h"

/**
 * Flows with the same label and priority between the same ranks; without ranks at both
 * ends, between the same nodes and ports. Each flow has at most one counterpart.
 *
 * @return by flow of the first run: its index in the second one, or GMS_REPORT_NONE; to
 *         be freed. NULL: out of memory
 */
uint32_t *gms_match_flows(const gms_report_run_t *first,
                          const gms_report_run_t *second);
/** Links of the same name; the one with the same index comes first. As above. */
uint32_t *gms_match_links(const gms_report_run_t *first,
                          const gms_report_run_t *second);

#endif
