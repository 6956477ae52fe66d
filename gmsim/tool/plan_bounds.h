/* SPDX-License-Identifier: BSD-3-Clause */
/** Bounds in the output of gmsim plan: latency L, delay D and jitter J. */
#ifndef TOOL_PLAN_BOUNDS_H
#define TOOL_PLAN_BOUNDS_H

#include "manager/admission.h"

/** L, D and J as three columns: with a unit in the table, "-" for a bound that
 *  is not computed; in seconds in CSV, empty for such a bound and for NULL. */
void gms_plan_print_bounds(int is_csv, const gms_qos_bounds_t *bounds);
/** 1 for a denial because of a delay or a jitter. */
int gms_plan_is_bound(enum gms_qos_criterion criterion);
/** The reason of such a denial, at the end of a row of the table.
 *  @param [in] resource  the flow whose bound would break */
void gms_plan_print_broken(const gms_qos_verdict_t *verdict,
                           const gms_flow_request_t *request,
                           const char *resource);

#endif
