/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decomposes the derivatives of a solution into independent combinations of
 * parameters: the eigenvectors of the normal matrix, which are the right
 * singular vectors of the derivatives. A change of a combination with a small
 * singular value changes the times by less than the errors. Hence, the table
 * does not determine such a combination.
 */
#include "fit/confidence.h"

#include <math.h>
#include <string.h>

#include "base/student.h"

#define GMS_FIT_SWEEPS_MAX 60u
/* The rotations end when the sum of the squares outside the diagonal is at most
 * this fraction of the sum of the squares on the diagonal. */
#define GMS_FIT_DIAGONAL 1e-24
/* Relative change of the parameter that changes most in a printed group. */
#define GMS_FIT_TRADE 0.1

/** A symmetric matrix that becomes diagonal, and its eigenvectors: column k of
 *  vector belongs to value[k][k]. */
typedef struct gms_fit_eigen {
    size_t count;
    size_t index[GMS_FIT_FREE_MAX]; /* index of the parameter of each row */
    double value[GMS_FIT_FREE_MAX][GMS_FIT_FREE_MAX];
    double vector[GMS_FIT_FREE_MAX][GMS_FIT_FREE_MAX];
} gms_fit_eigen_t;

/* ---- eigenvectors ---- */

/** Build the normal matrix of the parameters with derivatives. */
static void gms_fit_eigen_init(const gms_fit_problem_t *problem,
                               const gms_fit_solution_t *solution,
                               gms_fit_eigen_t *eigen)
{
    size_t width = problem->frees->count, i, j, row;

    memset(eigen, 0, sizeof(*eigen));
    for (i = 0; i < width; ++i) {
        if (!problem->frees->list[i].is_step) {
            eigen->index[eigen->count++] = i;
        }
    }
    for (i = 0; i < eigen->count; ++i) {
        eigen->vector[i][i] = 1;
        for (j = 0; j < eigen->count; ++j) {
            for (row = 0; row < problem->table->count; ++row) {
                const double *line = solution->jacobian + row * width;

                eigen->value[i][j] +=
                    line[eigen->index[i]] * line[eigen->index[j]];
            }
        }
    }
}

/** Rotate two rows and columns so that element p, q becomes 0. [source: Golub
 *  and Van Loan, Matrix Computations, 8.5, Jacobi methods] */
static void gms_fit_eigen_rotate(gms_fit_eigen_t *eigen, size_t p, size_t q)
{
    double off = eigen->value[p][q];
    double ratio = (eigen->value[q][q] - eigen->value[p][p]) / (2 * off);
    double tangent =
        (ratio >= 0 ? 1 : -1) / (fabs(ratio) + sqrt(1 + ratio * ratio));
    double cosine = 1 / sqrt(1 + tangent * tangent), sine = tangent * cosine;
    size_t k;

    for (k = 0; k < eigen->count; ++k) {
        double a = eigen->value[k][p], b = eigen->value[k][q];

        eigen->value[k][p] = cosine * a - sine * b;
        eigen->value[k][q] = sine * a + cosine * b;
    }
    for (k = 0; k < eigen->count; ++k) {
        double a = eigen->value[p][k], b = eigen->value[q][k];

        eigen->value[p][k] = cosine * a - sine * b;
        eigen->value[q][k] = sine * a + cosine * b;
        a = eigen->vector[k][p];
        b = eigen->vector[k][q];
        eigen->vector[k][p] = cosine * a - sine * b;
        eigen->vector[k][q] = sine * a + cosine * b;
    }
}

static void gms_fit_eigen_solve(gms_fit_eigen_t *eigen)
{
    unsigned sweep;
    size_t p, q;

    for (sweep = 0; sweep < GMS_FIT_SWEEPS_MAX; ++sweep) {
        double off = 0, diagonal = 0;

        for (p = 0; p < eigen->count; ++p) {
            diagonal += eigen->value[p][p] * eigen->value[p][p];
            for (q = p + 1; q < eigen->count; ++q) {
                off += eigen->value[p][q] * eigen->value[p][q];
            }
        }
        if (off <= GMS_FIT_DIAGONAL * diagonal) {
            return;
        }
        for (p = 0; p < eigen->count; ++p) {
            for (q = p + 1; q < eigen->count; ++q) {
                if (eigen->value[p][q] != 0) {
                    gms_fit_eigen_rotate(eigen, p, q);
                }
            }
        }
    }
}

/* ---- groups ---- */

/** Assign all members of a combination to the same group. If a member already
 *  has a group, all members of that group join the new group. */
static void gms_fit_group_join(gms_fit_confidence_t *confidence,
                               const gms_fit_eigen_t *eigen, size_t k)
{
    unsigned target = ++confidence->groups;
    size_t i, j;

    for (i = 0; i < eigen->count; ++i) {
        unsigned old = confidence->group[eigen->index[i]];

        if (fabs(eigen->vector[i][k]) < GMS_FIT_SHARE) {
            continue;
        }
        confidence->group[eigen->index[i]] = target;
        for (j = 0; j < eigen->count && old != 0; ++j) {
            if (confidence->group[eigen->index[j]] == old) {
                confidence->group[eigen->index[j]] = target;
            }
        }
        confidence->unknown[target] += confidence->unknown[old];
        confidence->unknown[old] = 0;
    }
    ++confidence->unknown[target];
}

/** Give the groups that still have members the numbers 1, 2, .., and count the
 *  members of each group. */
static void gms_fit_group_number(gms_fit_confidence_t *confidence, size_t count)
{
    unsigned number[GMS_FIT_FREE_MAX + 1] = {0};
    unsigned unknown[GMS_FIT_FREE_MAX + 1] = {0};
    unsigned groups = 0;
    size_t i;

    for (i = 0; i < count; ++i) {
        unsigned old = confidence->group[i];

        if (old == 0) {
            continue;
        }
        if (number[old] == 0) {
            number[old] = ++groups;
            unknown[groups] = confidence->unknown[old];
        }
        confidence->group[i] = number[old];
        ++confidence->size[number[old]];
    }
    memcpy(confidence->unknown, unknown, sizeof(unknown));
    confidence->groups = groups;
}

/** Scale combination k of a group such that its largest change is
 *  GMS_FIT_TRADE, and compute its effect. */
static void gms_fit_group_trade(const gms_fit_problem_t *problem,
                                const gms_fit_solution_t *solution,
                                const gms_fit_eigen_t *eigen, size_t k,
                                gms_fit_confidence_t *confidence)
{
    size_t width = problem->frees->count, i, row, largest = 0;
    unsigned group;
    double scale;

    for (i = 1; i < eigen->count; ++i) {
        if (fabs(eigen->vector[i][k]) > fabs(eigen->vector[largest][k])) {
            largest = i;
        }
    }
    group = confidence->group[eigen->index[largest]];
    if (confidence->unknown[group] != 1) {
        return;
    }
    scale = GMS_FIT_TRADE / eigen->vector[largest][k];
    for (i = 0; i < eigen->count; ++i) {
        if (confidence->group[eigen->index[i]] == group) {
            confidence->trade[eigen->index[i]] = scale * eigen->vector[i][k];
        }
    }
    for (row = 0; row < problem->table->count; ++row) {
        double change = 0;

        for (i = 0; i < eigen->count; ++i) {
            change += solution->jacobian[row * width + eigen->index[i]] *
                      scale * eigen->vector[i][k];
        }
        confidence->effect[group] =
            fmax(confidence->effect[group], fabs(change));
    }
}

/* ---- confidence ---- */

void gms_fit_confidence(const gms_fit_problem_t *problem,
                        const gms_fit_solution_t *solution,
                        gms_fit_confidence_t *confidence)
{
    size_t count = problem->frees->count, rows = problem->table->count, i, k;
    unsigned degrees = (unsigned)(rows > count ? rows - count : 0);
    double student = degrees > 0 ? gms_student_95(degrees) : 0;
    int is_unknown[GMS_FIT_FREE_MAX] = {0};
    gms_fit_eigen_t eigen;

    memset(confidence, 0, sizeof(*confidence));
    confidence->error = GMS_FIT_RESOLUTION;
    if (degrees > 0) {
        confidence->error =
            fmax(confidence->error, sqrt(solution->squares / degrees));
    }
    gms_fit_eigen_init(problem, solution, &eigen);
    gms_fit_eigen_solve(&eigen);
    for (k = 0; k < eigen.count; ++k) {
        double singular = sqrt(fmax(0, eigen.value[k][k]));

        is_unknown[k] =
            student * confidence->error > GMS_FIT_UNKNOWN * singular ||
            singular == 0;
        if (is_unknown[k]) {
            gms_fit_group_join(confidence, &eigen, k);
        }
    }
    gms_fit_group_number(confidence, count);
    for (i = 0; i < count; ++i) {
        confidence->half[i] = -1;
    }
    for (i = 0; i < eigen.count; ++i) {
        double variance = 0;

        for (k = 0; k < eigen.count; ++k) {
            if (!is_unknown[k]) {
                variance +=
                    eigen.vector[i][k] * eigen.vector[i][k] / eigen.value[k][k];
            }
        }
        if (confidence->group[eigen.index[i]] == 0 && degrees > 0) {
            confidence->half[eigen.index[i]] =
                student * confidence->error * sqrt(variance);
        }
    }
    for (k = 0; k < eigen.count; ++k) {
        if (is_unknown[k]) {
            gms_fit_group_trade(problem, solution, &eigen, k, confidence);
        }
    }
}
