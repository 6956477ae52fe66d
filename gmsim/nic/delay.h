/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the measured delays of a flow's messages, for comparison with the
 * granted bound. The delay of a message is the time from the call that posts
 * the message until the message's event is in the receiver's host memory.
 *
 * A bound holds for a sender that respects its bandwidth and burst. If a
 * message exceeds this bandwidth or burst, its delay is measured from its due
 * time. The due time is the earliest time at which a sender that respects its
 * bandwidth and burst could have posted the message. A message that is posted
 * too early is served no later than if it had been posted at its due time.
 * Therefore a bound on the delays of messages that are posted on time is also a
 * bound on the delays from the due time. A leaky bucket determines the due
 * time. Every message adds its packets to the bucket, and the bucket drains by
 * one packet per packet_ps. Puts fill the bucket too, but only messages are
 * measured, because a put generates no event at the receiver.
 *
 * An exchange is a group of sends, such as the announcement, the data and the
 * end of a rendezvous. The delay from the beginning of an exchange to the
 * arrival of its last send is measured in addition to the delays of its sends.
 * Exchanges have a separate bucket and separate counts. The granted bounds
 * apply only to sends.
 *
 * The target's NIC adds the delays directly to the flow's counts at the source
 * NIC, as it does with other counts. This shortcut exists only in the
 * simulator, and no message is sent for it.
 */
#ifndef NIC_DELAY_H
#define NIC_DELAY_H

#include "nic/flow.h"

/** Counts for either messages or exchanges. */
typedef struct gms_delay_count {
    gms_time_t empty_ps; /* time at which the bucket becomes empty */
    gms_time_t worst_ps;
    uint64_t messages, beyond; /* messages that have arrived, and messages that
                                * exceeded the burst */
} gms_delay_count_t;

typedef struct gms_delay {
    gms_delay_terms_t terms; /* packet_ps is 0 while the flow is not measured */
    gms_time_t from_ps; /* messages that were posted before this time are not
                         * counted */
    gms_delay_count_t sends, exchanges;
} gms_delay_t;

/** Set the due times of a token that enters a flow with a delay record. */
void gms_delay_post(gms_flow_t *flow, gms_token_t *token);
/** Count the delay of a message that has become visible to its receiver. The
 *  message's flow must have a delay record.
 *  @param [in] exchange_due_ps due time of the exchange that the message ends;
 *  0: the message ends no exchange */
void gms_delay_arrive(gms_flow_t *flow, gms_time_t due_ps,
                      gms_time_t exchange_due_ps, gms_time_t now_ps);

#endif
