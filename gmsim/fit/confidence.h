/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes how well a table determines the fitted parameters: confidence
 * intervals, and groups of parameters that the table cannot separate.
 */
#ifndef FIT_CONFIDENCE_H
#define FIT_CONFIDENCE_H

#include "fit/solve.h"

/** Smallest error that a fit assumes, even if the table has no noise: the
 *  resolution of a printed time. [chosen: a time of 5 us is printed with two
 *  digits after the decimal point] */
#define GMS_FIT_RESOLUTION 0.001
/** Half width of the 95 % interval of the logarithm of a combination of values.
 *  If the half width exceeds this limit, the table does not determine the
 *  combination. [chosen: a factor of 1.65 in both directions] */
#define GMS_FIT_UNKNOWN 0.5
/** A parameter belongs to an undetermined combination if its share of the
 *  combination is at least this number. [chosen: the square of this share is
 *  about 2 % of the squared length of the combination] */
#define GMS_FIT_SHARE 0.15

typedef struct gms_fit_confidence {
    double error; /* standard deviation of the relative errors, at least
                   * GMS_FIT_RESOLUTION */
    /* Half width of the 95 % interval of each parameter, relative to its value;
     * negative: the table does not determine the parameter, or the parameter
     * has no derivative */
    double half[GMS_FIT_FREE_MAX];
    /* Number of the group of each parameter, counting from 1; 0: the parameter
     * has no group. For a group of `size` parameters, the table leaves
     * `unknown` combinations of the parameters undetermined. */
    unsigned group[GMS_FIT_FREE_MAX];
    unsigned groups;
    unsigned size[GMS_FIT_FREE_MAX + 1], unknown[GMS_FIT_FREE_MAX + 1];
    /* For each group with one undetermined combination: relative changes of the
     * parameters that together hardly change any time; the largest change is
     * 0.1 */
    double trade[GMS_FIT_FREE_MAX];
    double effect[GMS_FIT_FREE_MAX + 1]; /* for each group, the largest relative
                                          * change of a time that the changes in
                                          * `trade` cause */
} gms_fit_confidence_t;

/** Compute the confidence of a solution. */
void gms_fit_confidence(const gms_fit_problem_t *problem,
                        const gms_fit_solution_t *solution,
                        gms_fit_confidence_t *confidence);

#endif
