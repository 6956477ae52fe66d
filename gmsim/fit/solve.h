/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Finds the values of free parameters for which the simulated ping-pong times
 * are closest to a table of measured times. The search minimises the sum of the
 * squares of the relative errors. For a parameter without a derivative, the
 * search tries different values.
 */
#ifndef FIT_SOLVE_H
#define FIT_SOLVE_H

#include "fit/free.h"
#include "fit/table.h"

/**
 * Compute the simulated ping-pong times for several points of the parameter
 * space.
 *
 * @param [in]  values  for each point, one value per free parameter
 * @param [out] us      for each point, the times of all rows of the table
 * @return GMS_OK; another status ends the fit
 */
typedef gms_status_t gms_fit_evaluate_fn(void *context, const uint64_t *values,
                                         size_t points, double *us);

typedef struct gms_fit_problem {
    const gms_fit_table_t *table;
    const gms_fit_frees_t *frees;
    const gms_params_t *base; /* initial values */
    gms_fit_evaluate_fn *evaluate;
    void *context;
} gms_fit_problem_t;

typedef struct gms_fit_solution {
    uint64_t values[GMS_FIT_FREE_MAX];
    double us[GMS_FIT_ROWS_MAX];     /* simulated times */
    double errors[GMS_FIT_ROWS_MAX]; /* (simulated - measured) / measured */
    double squares;                  /* sum of the squares of errors */
    /* derivatives of the errors with respect to the logarithms of the values,
     * row by row: jacobian[row * count + parameter]; 0 for parameters without a
     * derivative */
    double jacobian[GMS_FIT_ROWS_MAX * GMS_FIT_FREE_MAX];
    unsigned rounds; /* number of least-squares searches */
} gms_fit_solution_t;

/** Return 1 if this build can fit parameters, 0 if it was built without the
 *  library for the search. */
int gms_fit_can_solve(void);

/**
 * Fit.
 *
 * @param [out] solution  undefined after an error
 * @return GMS_OK
 * @return GMS_ERR_INVALID_PARAM  no free parameter, or more parameters than
 *                                rows
 * @return GMS_ERR_NOT_FOUND      built without the library
 * @return GMS_ERR_NO_MEMORY
 * @return the status of evaluate()
 */
gms_status_t gms_fit_solve(const gms_fit_problem_t *problem,
                           gms_fit_solution_t *solution);

#endif
