/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alternates two searches until nothing changes: the Levenberg-Marquardt method
 * of MINPACK for parameters with derivatives, and a comparison of possible
 * values for limits and choices (solve_steps.c). The method of MINPACK supports
 * no bounds. The search therefore varies angles instead of values. The
 * logarithm of a value is m + d sin(angle), where m is the midpoint of the
 * logarithms of its bounds, and d is half their distance.
 */
#include "config.h"

#include "fit/solve_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_CMINPACK
#include <cminpack.h>
#endif

/* Distances, as logarithms, between a value and the two points from which its
 * derivative is computed. A process that waits for a message polls at
 * intervals, so a simulated time is a step function of most parameters. The
 * distance grows until the times differ by GMS_FIT_VISIBLE. [chosen: the last
 * distance changes a value by a third] */
static const double gms_fit_steps[] = {0.03, 0.1, 0.3};
#define GMS_FIT_STEPS (sizeof(gms_fit_steps) / sizeof(gms_fit_steps[0]))
/* Limits of the searches. [chosen: several times the values that the fits of
 * the tests need] */
#define GMS_FIT_CALLS_MAX  60
#define GMS_FIT_ROUNDS_MAX 4u
#define GMS_FIT_SWEEPS_MAX 8u
/* At a bound, the derivative of a start value would be 0. */
#define GMS_FIT_SINE_MAX 0.95
/* Angle of the middle between the bounds. The first step of lmder() is as long
 * as its start vector, so this vector must not be close to 0. */
#define GMS_FIT_ANGLE 1.0
/* Below this limit, the steps between integer values are so coarse that a
 * search with derivatives may end at a neighbour of the best value. */
#define GMS_FIT_COARSE 1000u

/* ---- values and errors ---- */

static size_t gms_fit_count(const gms_fit_solver_t *solver)
{
    return solver->problem->frees->count;
}

static const gms_fit_free_t *gms_fit_smooth(const gms_fit_solver_t *solver,
                                            size_t i)
{
    return &solver->problem->frees->list[solver->smooth[i]];
}

static double gms_fit_middle(const gms_fit_free_t *one)
{
    return (log((double)one->low) + log((double)one->high)) / 2;
}

static double gms_fit_half(const gms_fit_free_t *one)
{
    return (log((double)one->high) - log((double)one->low)) / 2;
}

static double gms_fit_angle(const gms_fit_free_t *one, uint64_t value)
{
    double sine =
        (log((double)value) - gms_fit_middle(one)) / gms_fit_half(one);

    return GMS_FIT_ANGLE +
           asin(fmax(-GMS_FIT_SINE_MAX, fmin(GMS_FIT_SINE_MAX, sine)));
}

static uint64_t gms_fit_clamp(const gms_fit_free_t *one, double value)
{
    if (value <= (double)one->low) {
        return one->low;
    }
    return value >= (double)one->high ? one->high : (uint64_t)llround(value);
}

static uint64_t gms_fit_value(const gms_fit_free_t *one, double angle)
{
    return gms_fit_clamp(one,
                         exp(gms_fit_middle(one) +
                             gms_fit_half(one) * sin(angle - GMS_FIT_ANGLE)));
}

/** Evaluate solver->points, and store the first error. */
int gms_fit_evaluate(gms_fit_solver_t *solver, size_t points)
{
    const gms_fit_problem_t *problem = solver->problem;

    if (points > 0 && solver->status == GMS_OK) {
        solver->status = problem->evaluate(problem->context, solver->points,
                                           points, solver->us);
    }
    return solver->status == GMS_OK;
}

static double gms_fit_error(const gms_fit_solver_t *solver, size_t point,
                            size_t row)
{
    const gms_fit_table_t *table = solver->problem->table;
    double measured = table->rows[row].us;

    return (solver->us[point * table->count + row] - measured) / measured;
}

double gms_fit_squares(const gms_fit_solver_t *solver, size_t point)
{
    double sum = 0;
    size_t row;

    for (row = 0; row < solver->problem->table->count; ++row) {
        double error = gms_fit_error(solver, point, row);

        sum += error * error;
    }
    return sum;
}

uint64_t *gms_fit_point(gms_fit_solver_t *solver, size_t point)
{
    uint64_t *values = solver->points + point * gms_fit_count(solver);

    memcpy(values, solver->solution->values,
           gms_fit_count(solver) * sizeof(*values));
    return values;
}

/* ---- derivatives ---- */

/** Set the two points from which a derivative is computed. */
static void gms_fit_place(gms_fit_solver_t *solver, size_t i, size_t point)
{
    const gms_fit_free_t *one = gms_fit_smooth(solver, i);
    double value = (double)solver->solution->values[solver->smooth[i]];
    double step = gms_fit_steps[solver->step[i]];

    gms_fit_point(solver, point)[solver->smooth[i]] =
        gms_fit_clamp(one, fmin(value - 1, value * exp(-step)));
    gms_fit_point(solver, point + 1)[solver->smooth[i]] =
        gms_fit_clamp(one, fmax(value + 1, value * exp(step)));
}

/** Compute the derivatives with respect to one parameter from its two points.
 *  @return the largest difference between the errors of a row */
static double gms_fit_slope(gms_fit_solver_t *solver, size_t i, size_t point)
{
    size_t count = gms_fit_count(solver), j = solver->smooth[i], row;
    double below = log((double)solver->points[point * count + j]);
    double above = log((double)solver->points[(point + 1) * count + j]);
    double largest = 0;

    for (row = 0; row < solver->problem->table->count && above > below; ++row) {
        double difference = gms_fit_error(solver, point + 1, row) -
                            gms_fit_error(solver, point, row);

        solver->solution->jacobian[row * count + j] =
            difference / (above - below);
        largest = fmax(largest, fabs(difference));
    }
    return largest;
}

/** Compute the derivatives with respect to the logarithms of the values, at the
 *  values of the solution.
 *  @return 1, or 0 after an error */
int gms_fit_derive(gms_fit_solver_t *solver)
{
    size_t todo[GMS_FIT_FREE_MAX], count = solver->smooth_count, next, i;

    for (i = 0; i < count; ++i) {
        todo[i] = i;
    }
    memset(solver->solution->jacobian, 0, sizeof(solver->solution->jacobian));
    for (; count > 0; count = next) {
        for (i = 0; i < count; ++i) {
            gms_fit_place(solver, todo[i], 2 * i);
        }
        if (!gms_fit_evaluate(solver, 2 * count)) {
            return 0;
        }
        next = 0;
        for (i = 0; i < count; ++i) {
            if (gms_fit_slope(solver, todo[i], 2 * i) < GMS_FIT_VISIBLE &&
                solver->step[todo[i]] + 1 < GMS_FIT_STEPS) {
                ++solver->step[todo[i]];
                todo[next++] = todo[i];
            }
        }
    }
    return 1;
}

/** Compute the times and errors for the values of the solution. */
int gms_fit_look(gms_fit_solver_t *solver)
{
    gms_fit_solution_t *solution = solver->solution;
    size_t row;

    (void)gms_fit_point(solver, 0);
    if (!gms_fit_evaluate(solver, 1)) {
        return 0;
    }
    solution->squares = gms_fit_squares(solver, 0);
    for (row = 0; row < solver->problem->table->count; ++row) {
        solution->us[row] = solver->us[row];
        solution->errors[row] = gms_fit_error(solver, 0, row);
    }
    return 1;
}

/* ---- least squares ---- */

#ifdef HAVE_CMINPACK

/** Compute errors (flag 1) or derivatives (flag 2) for lmder(). */
static int gms_fit_function(void *context, int rows, int count,
                            const double *angles, double *errors,
                            double *jacobian, int width, int flag)
{
    gms_fit_solver_t *solver = context;
    gms_fit_solution_t *solution = solver->solution;
    int i, row;

    for (i = 0; i < count; ++i) {
        solution->values[solver->smooth[i]] =
            gms_fit_value(gms_fit_smooth(solver, (size_t)i), angles[i]);
    }
    if (flag == 1) {
        if (!gms_fit_look(solver)) {
            return -1;
        }
        memcpy(errors, solution->errors, (size_t)rows * sizeof(*errors));
        return 0;
    }
    if (!gms_fit_derive(solver)) {
        return -1;
    }
    for (i = 0; i < count; ++i) {
        double slope = gms_fit_half(gms_fit_smooth(solver, (size_t)i)) *
                       cos(angles[i] - GMS_FIT_ANGLE);

        for (row = 0; row < rows; ++row) {
            jacobian[row + i * width] =
                slope * solution->jacobian[(size_t)row * gms_fit_count(solver) +
                                           solver->smooth[i]];
        }
    }
    return 0;
}

/** Search by least squares from the values of the solution. */
int gms_fit_search(gms_fit_solver_t *solver)
{
    int rows = (int)solver->problem->table->count, calls = 0, derivatives = 0;
    int count = (int)solver->smooth_count, order[GMS_FIT_FREE_MAX], i;
    double angles[GMS_FIT_FREE_MAX], scale[GMS_FIT_FREE_MAX];
    double qtf[GMS_FIT_FREE_MAX], work[3][GMS_FIT_FREE_MAX];
    double *room = calloc((size_t)rows * ((size_t)count + 2), sizeof(*room));

    if (room == NULL) {
        solver->status = GMS_ERR_NO_MEMORY;
        return 0;
    }
    for (i = 0; i < count; ++i) {
        angles[i] = gms_fit_angle(gms_fit_smooth(solver, (size_t)i),
                                  solver->solution->values[solver->smooth[i]]);
    }
    if (count > 0) {
        (void)lmder(gms_fit_function, solver, rows, count, angles, room,
                    room + 2 * rows, rows, GMS_FIT_TOLERANCE, GMS_FIT_TOLERANCE,
                    0, GMS_FIT_CALLS_MAX, scale, 1, 1, 0, &calls, &derivatives,
                    order, qtf, work[0], work[1], work[2], room + rows);
    }
    free(room);
    for (i = 0; i < count; ++i) {
        solver->solution->values[solver->smooth[i]] =
            gms_fit_value(gms_fit_smooth(solver, (size_t)i), angles[i]);
    }
    return solver->status == GMS_OK && gms_fit_look(solver);
}

int gms_fit_can_solve(void)
{
    return 1;
}

#else

int gms_fit_search(gms_fit_solver_t *solver)
{
    solver->status = GMS_ERR_NOT_FOUND;
    return 0;
}

int gms_fit_can_solve(void)
{
    return 0;
}

#endif

/* ---- coarse values ---- */

/** Try the neighbours of coarse values until no neighbour is better. */
static void gms_fit_polish(gms_fit_solver_t *solver)
{
    unsigned sweep;
    int is_changed = 1;
    size_t i;

    for (sweep = 0; sweep < GMS_FIT_SWEEPS_MAX && is_changed; ++sweep) {
        is_changed = 0;
        for (i = 0; i < solver->smooth_count; ++i) {
            const gms_fit_free_t *one = gms_fit_smooth(solver, i);
            uint64_t value = solver->solution->values[solver->smooth[i]];
            uint64_t near[2];
            size_t count = 0;

            if (value >= GMS_FIT_COARSE) {
                continue;
            }
            if (value > one->low) {
                near[count++] = value - 1;
            }
            if (value < one->high) {
                near[count++] = value + 1;
            }
            is_changed |= gms_fit_try(solver, solver->smooth[i], near, count);
        }
    }
}

/* ---- the fit ---- */

static void gms_fit_run(gms_fit_solver_t *solver)
{
    unsigned round;

    for (round = 0; round < GMS_FIT_ROUNDS_MAX; ++round) {
        solver->solution->rounds = round + 1;
        if (!gms_fit_search(solver) || !gms_fit_try_steps(solver)) {
            break;
        }
    }
    if (solver->status == GMS_OK) {
        gms_fit_polish(solver);
    }
    if (solver->status == GMS_OK && gms_fit_look(solver)) {
        (void)gms_fit_derive(solver);
    }
}

gms_status_t gms_fit_solve(const gms_fit_problem_t *problem,
                           gms_fit_solution_t *solution)
{
    gms_fit_solver_t solver = {.problem = problem, .solution = solution};
    size_t points = 2 * GMS_FIT_FREE_MAX > GMS_FIT_CANDIDATES
                        ? 2 * GMS_FIT_FREE_MAX
                        : GMS_FIT_CANDIDATES;
    size_t count = problem->frees->count, i;

    if (count == 0 || count > problem->table->count) {
        return GMS_ERR_INVALID_PARAM;
    }
    memset(solution, 0, sizeof(*solution));
    for (i = 0; i < count; ++i) {
        solution->values[i] =
            gms_fit_free_start(&problem->frees->list[i], problem->base);
        if (!problem->frees->list[i].is_step) {
            solver.smooth[solver.smooth_count++] = i;
        }
    }
    solver.points = calloc(points * count, sizeof(*solver.points));
    solver.us = calloc(points * problem->table->count, sizeof(*solver.us));
    if (solver.points == NULL || solver.us == NULL) {
        solver.status = GMS_ERR_NO_MEMORY;
    } else {
        gms_fit_run(&solver);
    }
    free(solver.points);
    free(solver.us);
    return solver.status;
}
