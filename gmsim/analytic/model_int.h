/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the functions and tables that the solution methods share. This
 * header is private to the analytic model.
 */
#ifndef ANALYTIC_MODEL_INT_H
#define ANALYTIC_MODEL_INT_H

#include "analytic/model.h"

/** Largest relative change of a value at which an iteration is treated as
 *  converged to its fixed point. */
#define GMS_MODEL_CONVERGED  1e-12
#define GMS_MODEL_ROUNDS_MAX 1000000u

/**
 * Solve x = b + A x, where A contains the arcs' probabilities. If is_forward is
 * not 0, the start of an arc receives a part of the value at the end of the
 * arc. Otherwise, the end receives a part of the value at the start, as in the
 * computation of rates. Only arcs between visits whose use[] is not 0 are
 * included. If use is NULL, all arcs are included.
 *
 * @return number of rounds; 0 if no fixed point exists because messages never
 * leave the network
 */
unsigned gms_model_flow(const gms_model_t *model, int is_forward,
                        const unsigned char *use, const double *b, double *x);

/** These two functions compute visit[].wait and the fields of station[],
 *  starting with service_scv. The caller must have set the rates, service times
 *  and utilisations in result. */
gms_model_status_t gms_model_decompose(const gms_model_t *model,
                                       gms_model_method_t method,
                                       gms_model_result_t *result);
gms_model_status_t gms_model_revisit(const gms_model_t *model,
                                     gms_model_result_t *result);
/** @param [out] error reason why the network does not have the structure of a
 *  NIC */
gms_model_status_t gms_model_chain(const gms_model_t *model,
                                   gms_model_method_t method,
                                   gms_model_result_t *result,
                                   char error[GMS_MODEL_ERROR_LEN]);

/** Return the SCV of the service time of a random message at the station,
 *  equation (7). */
double gms_model_mixed_scv(const gms_model_t *model,
                           const gms_model_result_t *result, unsigned station);

#endif
