/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private to the analytic model: functions and tables that the solution methods
 * share.
 */
#ifndef ANALYTIC_MODEL_INT_H
#define ANALYTIC_MODEL_INT_H

#include "analytic/model.h"

/** A fixed point is reached when no value changes by more than this,
 *  relatively. */
#define GMS_MODEL_CONVERGED  1e-12
#define GMS_MODEL_ROUNDS_MAX 1000000u

/**
 * Solve x = b + A x, where A contains the arcs' probabilities. If is_forward,
 * the start of an arc receives a share of the value at its end. Otherwise, the
 * end receives a share of the value at the start, which is the direction of
 * rates. Only arcs between visits whose use[] is not 0 count. If use is NULL,
 * all arcs count.
 *
 * @return number of rounds; 0 if there is no fixed point because messages never
 *         leave
 */
unsigned gms_model_flow(const gms_model_t *model, int is_forward,
                        const unsigned char *use, const double *b, double *x);

/** Rates, service times and utilisations are set in result. The methods then
 *  compute the waits: visit[].wait, and the fields of station[] from
 *  service_scv on. */
gms_model_status_t gms_model_decompose(const gms_model_t *model,
                                       gms_model_method_t method,
                                       gms_model_result_t *result);
gms_model_status_t gms_model_revisit(const gms_model_t *model,
                                     gms_model_result_t *result);
/** @param [out] error  the reason if the network is not that of a NIC */
gms_model_status_t gms_model_chain(const gms_model_t *model,
                                   gms_model_result_t *result,
                                   char error[GMS_MODEL_ERROR_LEN]);

/** Return the SCV of the service time of a random message of the station,
 *  equation (7). */
double gms_model_mixed_scv(const gms_model_t *model,
                           const gms_model_result_t *result, unsigned station);

#endif
