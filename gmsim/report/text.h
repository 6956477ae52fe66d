/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Formats numbers and names of a run as readable text. A text is truncated to
 * the size of its buffer. Every function returns the formatted text.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include "report/run.h"

#define GMS_TEXT_LEN 96
/** Size of a buffer that can hold the name of any flow. */
#define GMS_FLOW_NAME_LEN 224

typedef struct gms_text {
    char text[GMS_TEXT_LEN];
} gms_text_t;

/** Formats a rate with three significant digits, such as "9.26 MB/s" (10^6
 *  bytes/s). */
const char *gms_text_rate(double bytes_s, gms_text_t *text);
/** Formats a fraction in 0..1 as a percentage, such as "62 %" or "0.4 %". */
const char *gms_text_part(double part, gms_text_t *text);
/** Formats a time, such as "1.25 s", "9.26 ms" or "76.9 us". */
const char *gms_text_time(double ps, gms_text_t *text);
/** Formats a count, such as "12,345". */
const char *gms_text_count(uint64_t count, gms_text_t *text);
/** Formats the name of a link for use in a sentence, such as "port 3 of switch
 *  1 (to node 4)" or "the link of node 1 (to switch 0)". */
const char *gms_text_link(const gms_report_link_t *link, gms_text_t *text);
/** Formats the name of a port: "rank 3", "manager of node 2" (the node's
 *  bandwidth manager), or "node 2 port 5" for any other port. */
const char *gms_text_place(const gms_report_run_t *run, uint32_t node,
                           uint32_t port, gms_text_t *text);

typedef struct gms_flow_name {
    char text[GMS_FLOW_NAME_LEN];
} gms_flow_name_t;

/** Returns unique names for all flows, in the order of the run's list. The
 *  largest flow between two ranks has a name that consists only of the ranks:
 *  "0 -> 2". The names of other flows also contain the communicator or the
 *  label. Flows between managers have names such as "managers, node 1 -> 2".
 *  @return an array that the caller frees; NULL if memory runs out */
gms_flow_name_t *gms_report_flow_names(const gms_report_run_t *run);

#endif
