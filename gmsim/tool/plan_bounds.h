/* SPDX-License-Identifier: BSD-3-Clause */
/** Prints the bounds in the output of gmsim plan: latency L, delay D and jitter
 *  J. */
#ifndef TOOL_PLAN_BOUNDS_H
#define TOOL_PLAN_BOUNDS_H

#include "manager/admission.h"

/** Print L, D and J as three columns. The table shows units, and "-" for a
 *  bound that is not computed. CSV shows seconds. A field is empty if the bound
 *  is not computed, or if bounds is NULL. */
void gms_plan_print_bounds(int is_csv, const gms_qos_bounds_t *bounds);
/** Return whether a criterion is a delay, a jitter or a latency. */
int gms_plan_is_bound(enum gms_qos_criterion criterion);
/** At the end of a table row, print the reason for a denial that a bound
 *  caused.
 *  @param [in] resource  the flow whose bound would break */
void gms_plan_print_broken(const gms_qos_verdict_t *verdict,
                           const gms_flow_request_t *request,
                           const char *resource);

#endif
