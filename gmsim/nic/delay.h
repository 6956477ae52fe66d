/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Measured delays of a flow's messages, for comparison with the granted bound:
 * from the call that posts a message until its event is in the receiver's host
 * memory.
 *
 * A bound holds for a sender that keeps to its bandwidth and burst. A message
 * beyond them counts from its due time: the earliest time at which such a
 * sender could have posted it. The network's service does not depend on the
 * sender posting too early, so a bound on delays of messages that are posted in
 * time is a bound from the due time, too. The due time follows from a leaky
 * bucket, which every message fills by its packets and which drains by one
 * packet per packet_ps. A put fills it as well, but only messages are measured:
 * a put causes no event at the receiver.
 *
 * An exchange, such as the announcement, the data and the end of a rendezvous,
 * is measured in addition to its sends, with a bucket and counts of its own:
 * from the time when it began to the arrival of its last send. GM's bounds are
 * about sends.
 *
 * The target's NIC adds the delays directly to the flow at its source, as with
 * other counts: this is a function of the simulator and sends no message.
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
