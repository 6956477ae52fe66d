/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds values of parameters without derivatives, which are choices and limits
 * in bytes. Limits cannot be compared with all other values fixed, because the
 * other values have been fitted with the old limit. Therefore, this file
 * predicts for each limit the sum of squares after a new search. The times of a
 * size depend only on whether the size exceeds the limit. Hence, times and
 * derivatives at the smallest and at the largest limit suffice for the
 * predictions of all limits. Searches that start from the limits with the best
 * predictions then decide which limit is best.
 */
#include "fit/solve_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fraction of each diagonal element of the normal matrix that is added to the
 * element. [chosen] */
#define GMS_FIT_DAMPING 1e-3
/* Constant that is added to each diagonal element, for parameters without any
 * effect. [chosen: far below the effect of any other parameter] */
#define GMS_FIT_NOTHING 1e-15
/* Number of limits from which searches are started. [chosen] */
#define GMS_FIT_TRIALS 3u

/** Errors and derivatives at the smallest and the largest limit. */
typedef struct gms_fit_sides {
    gms_fit_solution_t side[2];
    uint64_t header; /* bytes that the limit includes in addition to the MPI
                      * message */
} gms_fit_sides_t;

/** List the values to try for a step parameter. For a limit, the list has one
 *  value between every two neighbouring sizes of the table, because all values
 *  between these sizes have the same effect. The first value is the current
 *  value. */
static size_t gms_fit_candidates(const gms_fit_solver_t *solver, size_t j,
                                 uint64_t values[GMS_FIT_CANDIDATES])
{
    const gms_fit_free_t *one = &solver->problem->frees->list[j];
    const gms_fit_table_t *table = solver->problem->table;
    size_t count = 0, i;
    uint64_t value;

    values[count++] = solver->solution->values[j];
    if (one->row->names != NULL) {
        for (value = one->low; value <= one->high; ++value) {
            values[count++] = value;
        }
        return count;
    }
    for (i = 0; i < table->count; ++i) {
        uint64_t least = table->rows[i].bytes + one->header;

        value = i + 1 < table->count
                    ? table->rows[i + 1].bytes + one->header - 1
                    : least;
        value = value > one->high ? one->high : value;
        if (least >= one->low && least <= one->high && value != values[0]) {
            values[count++] = value;
        }
    }
    return count;
}

int gms_fit_try(gms_fit_solver_t *solver, size_t j, const uint64_t *candidates,
                size_t count)
{
    gms_fit_solution_t *solution = solver->solution;
    double best = solution->squares;
    uint64_t value = solution->values[j];
    size_t i;

    for (i = 0; i < count; ++i) {
        gms_fit_point(solver, i)[j] = candidates[i];
    }
    if (!gms_fit_evaluate(solver, count)) {
        return 0;
    }
    for (i = 0; i < count; ++i) {
        double squares = gms_fit_squares(solver, i);

        /* do not change the value for a tiny gain */
        if (squares < best * (1 - GMS_FIT_TOLERANCE)) {
            best = squares;
            value = candidates[i];
        }
    }
    if (value == solution->values[j]) {
        return 0;
    }
    solution->values[j] = value;
    return gms_fit_look(solver);
}

/* ---- predictions ---- */

/** Solve a symmetric system of equations by Gaussian elimination. The matrix is
 *  positive definite, so no exchange of rows is necessary. */
static void gms_fit_eliminate(double matrix[GMS_FIT_FREE_MAX][GMS_FIT_FREE_MAX],
                              double *right, size_t count)
{
    size_t i, j, k;

    for (i = 0; i < count; ++i) {
        for (j = i + 1; j < count; ++j) {
            double factor = matrix[j][i] / matrix[i][i];

            for (k = i; k < count; ++k) {
                matrix[j][k] -= factor * matrix[i][k];
            }
            right[j] -= factor * right[i];
        }
    }
    for (i = count; i-- > 0;) {
        for (j = i + 1; j < count; ++j) {
            right[i] -= matrix[i][j] * right[j];
        }
        right[i] /= matrix[i][i];
    }
}

/** Return the solution from which a row is predicted at a limit. If the row's
 *  message is within the limit, use the solution at the largest limit,
 *  otherwise the solution at the smallest limit. */
static const gms_fit_solution_t *gms_fit_side(const gms_fit_solver_t *solver,
                                              const gms_fit_sides_t *sides,
                                              size_t row, uint64_t limit)
{
    return &sides->side[solver->problem->table->rows[row].bytes +
                            sides->header <=
                        limit];
}

/** Keep a value within its bounds. Times are linear functions of most
 *  parameters, so a change is applied relative to the present value. */
static double gms_fit_clip(const gms_fit_solver_t *solver, size_t j,
                           double change)
{
    const gms_fit_free_t *one = &solver->problem->frees->list[j];
    double value = (double)solver->solution->values[j];

    return fmax((double)one->low / value - 1,
                fmin((double)one->high / value - 1, change));
}

/** Predict the sum of squares that a search by least squares would reach at a
 *  limit. */
static double gms_fit_predict(const gms_fit_solver_t *solver,
                              const gms_fit_sides_t *sides, uint64_t limit)
{
    double matrix[GMS_FIT_FREE_MAX][GMS_FIT_FREE_MAX] = {{0}};
    double change[GMS_FIT_FREE_MAX] = {0}, squares = 0;
    size_t width = solver->problem->frees->count, count = solver->smooth_count;
    size_t rows = solver->problem->table->count, i, j, row;

    for (row = 0; row < rows; ++row) {
        const gms_fit_solution_t *side =
            gms_fit_side(solver, sides, row, limit);
        const double *line = side->jacobian + row * width;

        for (i = 0; i < count; ++i) {
            for (j = 0; j < count; ++j) {
                matrix[i][j] +=
                    line[solver->smooth[i]] * line[solver->smooth[j]];
            }
            change[i] -= line[solver->smooth[i]] * side->errors[row];
        }
    }
    for (i = 0; i < count; ++i) {
        matrix[i][i] += GMS_FIT_DAMPING * matrix[i][i] + GMS_FIT_NOTHING;
    }
    gms_fit_eliminate(matrix, change, count);
    for (i = 0; i < count; ++i) {
        change[i] = gms_fit_clip(solver, solver->smooth[i], change[i]);
    }
    for (row = 0; row < rows; ++row) {
        const gms_fit_solution_t *side =
            gms_fit_side(solver, sides, row, limit);
        double error = side->errors[row];

        for (i = 0; i < count; ++i) {
            error +=
                side->jacobian[row * width + solver->smooth[i]] * change[i];
        }
        squares += error * error;
    }
    return squares;
}

/** Evaluate the smallest and the largest limit. @return 1, or 0 after an
 *  error */
static int gms_fit_look_at_sides(gms_fit_solver_t *solver, size_t j,
                                 const uint64_t *limits, size_t count,
                                 gms_fit_sides_t *sides)
{
    gms_fit_solution_t *solution = solver->solution;
    uint64_t end[2] = {limits[0], limits[0]};
    size_t i;

    sides->header = solver->problem->frees->list[j].header;

    for (i = 1; i < count; ++i) {
        end[0] = limits[i] < end[0] ? limits[i] : end[0];
        end[1] = limits[i] > end[1] ? limits[i] : end[1];
    }
    for (i = 0; i < 2; ++i) {
        solution->values[j] = end[i];
        if (!gms_fit_look(solver) || !gms_fit_derive(solver)) {
            return 0;
        }
        sides->side[i] = *solution;
    }
    return 1;
}

/* ---- limits ---- */

/** Search from a limit and from the present values of the other parameters.
 *  @return 1 if the result is better than the old solution; otherwise the
 *    values are unchanged */
static int gms_fit_search_from(gms_fit_solver_t *solver, size_t j,
                               uint64_t limit, const gms_fit_solution_t *old)
{
    uint64_t values[GMS_FIT_FREE_MAX];

    memcpy(values, solver->solution->values, sizeof(values));
    solver->solution->values[j] = limit;
    if (gms_fit_search(solver) &&
        solver->solution->squares < old->squares * (1 - GMS_FIT_TOLERANCE)) {
        return 1;
    }
    memcpy(solver->solution->values, values, sizeof(values));
    return 0;
}

/** Set parameters with hardly any effect at the present limit to their start
 *  values, because their effect may be large at another limit. */
static void gms_fit_forget(gms_fit_solver_t *solver)
{
    const gms_fit_problem_t *problem = solver->problem;
    size_t width = problem->frees->count, i, row;

    for (i = 0; i < solver->smooth_count; ++i) {
        size_t j = solver->smooth[i];
        double largest = 0;

        for (row = 0; row < problem->table->count; ++row) {
            largest = fmax(largest,
                           fabs(solver->solution->jacobian[row * width + j]));
        }
        if (largest < GMS_FIT_VISIBLE) {
            solver->solution->values[j] =
                gms_fit_free_start(&problem->frees->list[j], problem->base);
        }
    }
}

/** Search from the limits with the best predictions.
 *  @return 1 if the limit has changed */
static int gms_fit_try_limit(gms_fit_solver_t *solver, size_t j,
                             const uint64_t *limits, size_t count,
                             gms_fit_sides_t *sides, gms_fit_solution_t *old)
{
    double predicted[GMS_FIT_CANDIDATES];
    unsigned trial;
    size_t i;

    *old = *solver->solution;
    if (!gms_fit_derive(solver)) {
        return 0;
    }
    gms_fit_forget(solver);
    if (!gms_fit_look_at_sides(solver, j, limits, count, sides)) {
        return 0;
    }
    /* limits[0] is the present limit, whose sum of squares is known */
    predicted[0] = old->squares;
    for (i = 1; i < count; ++i) {
        predicted[i] = gms_fit_predict(solver, sides, limits[i]);
    }
    for (trial = 0; trial < GMS_FIT_TRIALS; ++trial) {
        size_t best = 0;

        for (i = 1; i < count; ++i) {
            if (predicted[i] < predicted[best]) {
                best = i;
            }
        }
        if (best == 0) {
            break;
        }
        if (gms_fit_search_from(solver, j, limits[best], old)) {
            return 1;
        }
        predicted[best] = INFINITY;
    }
    *solver->solution = *old;
    return 0;
}

int gms_fit_try_steps(gms_fit_solver_t *solver)
{
    gms_fit_sides_t *sides = malloc(sizeof(*sides));
    gms_fit_solution_t *old = malloc(sizeof(*old));
    uint64_t candidates[GMS_FIT_CANDIDATES];
    int is_changed = 0;
    size_t j, count;

    if (sides == NULL || old == NULL) {
        solver->status = GMS_ERR_NO_MEMORY;
    }
    for (j = 0; j < solver->problem->frees->count && solver->status == GMS_OK;
         ++j) {
        const gms_fit_free_t *one = &solver->problem->frees->list[j];

        if (!one->is_step) {
            continue;
        }
        count = gms_fit_candidates(solver, j, candidates);
        is_changed |=
            one->row->names != NULL
                ? gms_fit_try(solver, j, candidates, count)
                : gms_fit_try_limit(solver, j, candidates, count, sides, old);
    }
    free(sides);
    free(old);
    return is_changed;
}
