/* SPDX-License-Identifier: BSD-3-Clause */
/* Composes the answer fields of an MPIQOS_Flow. Only libmpiqos includes this
 * file. */
#ifndef MPI_QOS_ANSWER_H
#define MPI_QOS_ANSWER_H

#include "flow.h"
#include "record.h"

/** Write "rank 3" or "every other rank". */
void mpiqos_describe_peer(const MPIQOS_Flow *flow, char *text, size_t size);
/** Compute the bounds of an MPI message from the answer of the manager. */
void mpiqos_hold_bounds(const mpiqos_hold_t *hold, mpiqos_bounds_t *bounds_p);
/** Return the reason why the delay has no bound (see mpiqos_no_bound()), or
 *  NULL if the delay has a bound. */
const char *mpiqos_hold_no_bound(const mpiqos_hold_t *hold);
/** Fill the fields of `flow` that describe the reservations for its request.
 *  `record` contains these reservations. */
void mpiqos_show_holds(const mpiqos_record_t *record, MPIQOS_Flow *flow);
/** Fill the answer to a granted request from the record's reservations. */
void mpiqos_answer_granted(const mpiqos_record_t *record, MPIQOS_Flow *flow);
/** Fill the answer to a denied request; `denied` contains the manager's
 *  answer. */
void mpiqos_answer_denied(mpiqos_record_t *record, const mpiqos_hold_t *denied,
                          const char *place, double left);
/** If several rules of a policy apply to the communicator, begin the reason
 *  with the number of granted rules. */
void mpiqos_count_rules(const mpiqos_record_t *record, MPIQOS_Flow *flow);

#endif
