/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Creates the report's findings about a run. Each finding consists of one or
 * more sentences, and the most important finding is first.
 *
 * The weight of a finding is between 0 and 1. The weight is the affected
 * fraction of the run or of the flow, multiplied by a factor for the importance
 * of the finding:
 *
 * - 1.0: failed sends
 * - 0.95: broken delay bounds
 * - 0.9: reservations that limit their own flow
 * - 0.8: saturated links and the bandwidth that flows lost at these links
 *   (report/lost.h), and busy hosts
 * - 0.75: reservations on which the program sends no bytes
 * - 0.7: NICs that were the bottleneck, lost packets
 * - 0.6: denials
 * - 0.5: reservations that did not reach their bandwidth because of other traffic
 * - 0.3: flows that waited because of their pace
 * - 0.2: reservations that the program did not use
 */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include "report/data_int.h"

/** Maximum number of sentences. */
#define GMS_FINDINGS_MAX 8u

/** Creates the findings about a run, sorted by weight.
 *  @return [{weight, text, link|flow|node}] */
json_t *gms_report_findings(const gms_data_t *data);

/** The report omits findings that affect less than this fraction of the run or
 *  of a rate. */
#define GMS_FINDINGS_LEAST 0.05

/** A finding with at most this weight did not delay the run. Such findings are
 *  about computing time, about reservations that reached their bandwidth, or
 *  about reservations that the program did not use. */
#define GMS_FINDINGS_CALM 0.2

/* Each of these functions adds the findings of one area to the list. */
void gms_findings_links(const gms_data_t *data, json_t *list);
void gms_findings_reservations(const gms_data_t *data, json_t *list);
void gms_findings_delays(const gms_data_t *data, json_t *list);
void gms_findings_flows(const gms_data_t *data, json_t *list);
void gms_findings_hosts(const gms_data_t *data, json_t *list);
void gms_findings_paces(const gms_data_t *data, json_t *list);
/** Adds a finding with one or more sentences. @param [in] key "link", "flow",
 *  "node"; NULL: none */
void gms_findings_add(json_t *list, double weight, const char *key,
                      json_int_t number, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif
