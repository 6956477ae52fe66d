/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Returns two-sided 95 % points of Student's t distribution. Up to 30 degrees
 * of freedom, the points come from a table. For more degrees of freedom, they
 * are computed by an expansion around the normal distribution.
 */
#include "base/student.h"

#include <math.h>

double gms_student_95(unsigned degrees)
{
    static const double table[] = {
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
        2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
        2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

    if (degrees == 0) {
        return (double)INFINITY;
    }
    if (degrees <= sizeof(table) / sizeof(table[0])) {
        return table[degrees - 1];
    }
    /* first terms of the expansion in 1/degrees */
    return 1.95996 + 2.37227 / degrees + 2.8225 / degrees / degrees;
}
