/* SPDX-License-Identifier: BSD-3-Clause */
/** Prints the bounds in gmsim plan: latency L, delay D and jitter J. */
#ifndef TOOL_PLAN_BOUNDS_H
#define TOOL_PLAN_BOUNDS_H

#include "manager/admission.h"

/** Print L, D and J as three columns. In the table, the bounds have units, and
 *  "-" means that a bound is not computed. In CSV, the bounds are in seconds. A
 *  CSV field is empty if the bound is not computed or if bounds is NULL. */
void gms_plan_print_bounds(int is_csv, const gms_qos_bounds_t *bounds);
/** Return whether a criterion is a delay, a jitter or a latency. */
int gms_plan_is_bound(enum gms_qos_criterion criterion);
/** At the end of a table row, print the reason for a denial that was caused by
 *  a bound.
 *  @param [in] resource  the flow whose bound would be broken */
void gms_plan_print_broken(const gms_qos_verdict_t *verdict,
                           const gms_flow_request_t *request,
                           const char *resource);

#endif
