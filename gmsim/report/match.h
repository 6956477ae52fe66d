/* SPDX-License-Identifier: BSD-3-Clause */
/** Matches the flows and links of two runs. */
#ifndef REPORT_MATCH_H
#define REPORT_MATCH_H

#include "report/run.h"

/**
 * Matches flows that have the same label and priority and connect the same
 * ranks. If an end has no rank, the nodes and ports must be equal. Each flow
 * has at most one counterpart.
 *
 * @return a table that the caller frees. For each flow of the first run, the
 *         table contains the index of the flow in the second run, or
 *         GMS_REPORT_NONE. NULL: out of memory
 */
uint32_t *gms_match_flows(const gms_report_run_t *first,
                          const gms_report_run_t *second);
/** Matches links that have the same name, and prefers the link with the same
 *  index. Returns a table of the same form as gms_match_flows(). */
uint32_t *gms_match_links(const gms_report_run_t *first,
                          const gms_report_run_t *second);

#endif
