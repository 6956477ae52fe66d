/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Delays of a flow's messages, beside the bound that was granted: from the call
 * that posts a message until its event is in the receiver's host memory.
 *
 * A bound holds for a sender that keeps to its bandwidth and burst. A message
 * beyond them counts from its due time: the earliest time at which such a
 * sender could have posted it. The network's service does not depend on the
 * sender posting too early, so a bound on delays of messages that are posted in
 * time is a bound from the due time, too. The due time follows from a leaky
 * bucket, which fills by the packets of each message and drains by one packet
 * each packet_ps. A put fills it as well, but only messages are measured: the
 * receiver sees no event for a put.
 *
 * An exchange, such as the announcement, the data and the end of a rendezvous, is
 * measured in addition to its sends, with a bucket and counts of its own: from the
 * time when it began to the arrival of its last send. GM's bounds are about sends.
 *
 * The target's NIC adds to the record of the flow at its source, as it does
 * with counts: simulation, no message.
 */
#ifndef NIC_DELAY_H
#define NIC_DELAY_H

#include "nic/flow.h"

/** Of messages, or of exchanges. */
typedef struct gms_delay_count {
    gms_time_t empty_ps; /* when the bucket will be empty */
    gms_time_t worst_ps;
    uint64_t messages, beyond; /* that have arrived */
} gms_delay_count_t;

typedef struct gms_delay {
    gms_delay_terms_t terms; /* packet_ps 0: not measured now */
    gms_time_t from_ps; /* messages that were posted earlier do not count */
    gms_delay_count_t sends, exchanges;
} gms_delay_t;

/** A token comes into a flow that has a delay record. Sets its due times. */
void gms_delay_post(gms_flow_t *flow, gms_token_t *token);
/** A message of a flow with a delay record is visible to its receiver.
 *  @param [in] exchange_due_ps  0: it ends no exchange */
void gms_delay_arrive(gms_flow_t *flow, gms_time_t due_ps,
                      gms_time_t exchange_due_ps, gms_time_t now_ps);

#endif
