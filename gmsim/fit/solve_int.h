/* SPDX-License-Identifier: BSD-3-Clause */
/* Declares the state of a fit and the functions of its search, for solve*.c. */
#ifndef FIT_SOLVE_INT_H
#define FIT_SOLVE_INT_H

#include "fit/solve.h"

/* Smallest relative difference between two times from which a derivative is
 * computed. [chosen] */
#define GMS_FIT_VISIBLE 0.01
/* Smallest relative gain for which a value is changed. [chosen] */
#define GMS_FIT_TOLERANCE 1e-4
/* Largest number of candidates of a step parameter: the sizes of the table, and
 * the start value. */
#define GMS_FIT_CANDIDATES (GMS_FIT_ROWS_MAX + 1)

typedef struct gms_fit_solver {
    const gms_fit_problem_t *problem;
    gms_fit_solution_t *solution;
    size_t
        smooth[GMS_FIT_FREE_MAX]; /* indices of parameters with derivatives */
    size_t smooth_count;
    /* index of each parameter's distance in gms_fit_steps. An index never
     * decreases, so that all derivatives of a search use the same distance */
    size_t step[GMS_FIT_FREE_MAX];
    double *us; /* simulated times of the points of one call */
    uint64_t *points;
    gms_status_t status; /* first error that evaluate() returned */
} gms_fit_solver_t;

/* ---- solve.c ---- */

/** Evaluate solver->points, and store the first error.
 *  @return 1, or 0 after an error; the same applies to the other functions */
int gms_fit_evaluate(gms_fit_solver_t *solver, size_t points);
/** Copy the values of the solution to a point. @return the values of the
 *  point */
uint64_t *gms_fit_point(gms_fit_solver_t *solver, size_t point);
/** Return the sum of the squares of the errors of an evaluated point. */
double gms_fit_squares(const gms_fit_solver_t *solver, size_t point);
/** Compute the times and errors for the values of the solution. */
int gms_fit_look(gms_fit_solver_t *solver);
/** Compute the derivatives with respect to the logarithms of the values, at the
 *  values of the solution. */
int gms_fit_derive(gms_fit_solver_t *solver);
/** Search by least squares from the values of the solution. */
int gms_fit_search(gms_fit_solver_t *solver);

/* ---- solve_steps.c ---- */

/** Replace the value of a parameter by the best candidate. The other values are
 *  unchanged. @return 1 if the value has changed */
int gms_fit_try(gms_fit_solver_t *solver, size_t j, const uint64_t *candidates,
                size_t count);
/** Search for better values of the step parameters. @return 1 if a value has
 *  changed */
int gms_fit_try_steps(gms_fit_solver_t *solver);

#endif
