/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Private to the analytic model: functions and tables that the solution methods
 * share.
 */
#ifndef ANALYTIC_MODEL_INT_H
#define ANALYTIC_MODEL_INT_H

#include "analytic/model.h"

/** Fixed points are reached when nothing changes by more, relatively. */
#define GMS_MODEL_CONVERGED  1e-12
#define GMS_MODEL_ROUNDS_MAX 1000000u

/**
 * Solve x = b + A x, A the arcs' probabilities (is_forward: an arc's start has
 * a share of what its end has; else the end has a share of what the start has,
 * which is how rates flow). Only arcs between visits with use[] nonzero count;
 * NULL: all.
 *
 * @return rounds, or 0 if there is no fixed point: messages that never leave
 */
unsigned gms_model_flow(const gms_model_t *model, int is_forward,
                        const unsigned char *use, const double *b, double *x);

/** Rates, service times and utilisations are set in result; the methods add
 *  waits: visit[].wait, station[] from service_scv on. */
gms_model_status_t gms_model_decompose(const gms_model_t *model,
                                       gms_model_method_t method,
                                       gms_model_result_t *result);
gms_model_status_t gms_model_revisit(const gms_model_t *model,
                                     gms_model_result_t *result);

/** SCV of the service time of a message that is any of the station's, (7). */
double gms_model_mixed_scv(const gms_model_t *model,
                           const gms_model_result_t *result, unsigned station);

#endif
