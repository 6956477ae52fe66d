/* SPDX-License-Identifier: BSD-3-Clause */
/** Declares Student's t distribution, for confidence intervals of simulated
 *  means. */
#ifndef BASE_STUDENT_H
#define BASE_STUDENT_H

/** Return the two-sided 95 % quantile of Student's t distribution; infinite for
 *  0 degrees of freedom.
 *  @param [in] degrees degrees of freedom; for a mean, the number of values
 *    minus 1 */
double gms_student_95(unsigned degrees);

#endif
