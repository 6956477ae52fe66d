/* SPDX-License-Identifier: BSD-3-Clause */
/* Private to libmpiqos: the answer fields of an MPIQOS_Flow. */
#ifndef MPI_QOS_ANSWER_H
#define MPI_QOS_ANSWER_H

#include "flow.h"
#include "record.h"

/** "rank 3", or "every other rank". */
void mpiqos_describe_peer(const MPIQOS_Flow *flow, char *text, size_t size);
/** Bounds of an MPI message, of what the manager has answered. */
void mpiqos_hold_bounds(const mpiqos_hold_t *hold, mpiqos_bounds_t *bounds_p);
/** Why there is none of its delay, see mpiqos_no_bound(); NULL: there is one. */
const char *mpiqos_hold_no_bound(const mpiqos_hold_t *hold);
/** Numbers of what the record holds for the request that it shows. */
void mpiqos_show_holds(const mpiqos_record_t *record, MPIQOS_Flow *flow);
/** The whole answer to a granted request: of what the record holds. */
void mpiqos_answer_granted(const mpiqos_record_t *record, MPIQOS_Flow *flow);
/** The same for a denied request; `denied` has the manager's answer. */
void mpiqos_answer_denied(mpiqos_record_t *record, const mpiqos_hold_t *denied,
                          const char *place, double left);
/** Where a policy has several rules for the communicator: how many of them were
 *  granted, before the reason of the one that is shown. */
void mpiqos_count_rules(const mpiqos_record_t *record, MPIQOS_Flow *flow);

#endif
