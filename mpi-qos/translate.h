/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * translate.h - converts MPI bandwidth to GM bandwidth and back.
 *
 * A flow of messages of m bytes costs `flow_packets` packets per message:
 * complete packets for the data, and the protocol packets in the same flow. The
 * NIC sends one packet of the flow per IDT, and the manager charges 4096 bytes
 * for each packet, even if the packet is shorter. Let B be the MPI bandwidth:
 *
 *     messages/s = B / m
 *     GM bytes/s = B / m x flow_packets x 4096
 *     IDT        = floor(8192 MB/s / GM bytes/s)          ticks of 0.5 us
 *     B granted  = m / (flow_packets x IDT x 0.5 us)      at least B
 *     load       = B / m x seconds per message            of each process
 *
 * These numbers apply to the default cluster. The device supplies the packet
 * length and the tick.
 *
 * [source: gulati 2001 thesis 3.2.2 for the IDT; charging one IDT per GM packet
 * fits the thesis' MPI figure of about 50 MB/s at IDT 140]
 *
 * The functions only compute numbers; they do not call MPI and have no state.
 */
#ifndef MPI_QOS_TRANSLATE_H
#define MPI_QOS_TRANSLATE_H

#include "base/bandwidth.h"

/** Largest IDT that a NIC can hold, ticks. [source: gm_qos.h,
 *  GM_QOS_MAX_IDT_TICKS] */
#define MPIQOS_MAX_IDT_TICKS GMS_BANDWIDTH_IDT_TICKS

/** Costs of a message of `message_bytes`. */
typedef struct mpiqos_cost {
    double message_bytes;     /**< MPI payload, > 0 */
    unsigned flow_packets;    /**< packets in the flow, > 0; each packet takes
                                   one IDT */
    unsigned reverse_bytes;   /**< bytes of control traffic in the reverse
                                   direction */
    double receiver_seconds;  /**< processor time of the receiver */
    double sender_seconds;    /**< processor time of the sender */
    double packet_bytes;      /**< bytes charged for a packet: 4096, unless the
                                  cluster's packets are smaller */
    double idt_product;       /**< bandwidth at an IDT of 1 tick, bytes/s of GM
                                   payload: packet_bytes per tick */
    unsigned longest_packets; /**< number of packets in the longest of the GM
                               *   messages that carry an MPI message */
    /** 1: the sender does not wait for an answer from the receiver */
    int is_eager;
    long eager_bytes;    /**< length of the longest eager message */
    unsigned puts_ahead; /**< for a rendezvous: number of messages whose data
                                  may be queued in the NIC ahead of the next
                                  announcement */
    unsigned
        answers_ahead; /**< number of rendezvous answers that the reservation
                            covers at one time */
} mpiqos_cost_t;

/** Values of a request that is sent to the manager. */
typedef struct mpiqos_need {
    double gm_bytes_s;      /**< GM payload, bytes/s */
    double reverse_bytes_s; /**< control traffic in the reverse direction,
                                 bytes/s */
    double sender_load;     /**< share of the sender's processor time, seconds
                                  per second; if above 1, the process is too
                                  slow even for an infinitely fast network */
    double receiver_load;   /**< share of the receiver's processor time, same
                                 unit */
    double payload_part;    /**< share of the program's own data in the flow's
                                  direction, 0..1 */
    unsigned message_bytes; /**< the longest GM message, in whole packets */
    unsigned burst_bytes;   /**< all GM messages of a burst, in whole packets */
    double delay_s;         /**< largest acceptable delay of each GM message; 0:
                                 no limit */
    double jitter_s;
} mpiqos_need_t;

/** Bounds for messages, and the longest measured delay, seconds; 0: not
 *  known. */
typedef struct mpiqos_bounds {
    double latency, delay, jitter, worst_delay;
    double reverse;        /**< GM bounds only: delay of the receiver's
                                answer */
    unsigned reservations; /**< GM bounds only: largest number of reservations
                                that the sender has held at one time */
} mpiqos_bounds_t;

/** If a process holds at most this many reservations, each reservation always
 *  finds free GM send tokens for a message. A rendezvous uses up to six tokens,
 *  and reservations may use three quarters of a port's tokens. */
#define MPIQOS_RENDEZVOUS_RESERVATIONS 7u

/** Return the ratio of the program's own data in a message to the bytes that
 *  are charged for the message, 0..1. */
double mpiqos_payload_part(const mpiqos_cost_t *cost);

/**
 * Translate a request.
 *
 * @param [in]  bandwidth_bytes_s  MPI payload, > 0.
 * @param [in]  cost               Costs of a typical message.
 * @param [out] need_p             Always filled in. A request below the
 *                                 bandwidth of the largest IDT is raised to
 *                                 this bandwidth.
 */
void mpiqos_translate(double bandwidth_bytes_s, const mpiqos_cost_t *cost,
                      mpiqos_need_t *need_p);

/** Convert a GM bandwidth above 0 to an IDT. The IDT is rounded down to a
 *  number of ticks from 0 to MPIQOS_MAX_IDT_TICKS, that is, towards more
 *  bandwidth. The value 0 means more than one packet per tick. */
unsigned mpiqos_idt(double gm_bytes_s, const mpiqos_cost_t *cost);

/** Return the MPI bandwidth that an IDT yields, bytes/s; 0 for IDT 0 (no
 *  limit). */
double mpiqos_bandwidth_of_idt(unsigned idt_ticks, const mpiqos_cost_t *cost);

/**
 * Return the largest MPI request that fits into the remaining GM bandwidth in a
 * denial, bytes/s. The manager has already subtracted the control traffic in the
 * reverse direction from the remaining bandwidth.
 *
 * IDTs are rounded down to whole ticks, so a request is charged for slightly
 * more bandwidth than it needs, up to the equivalent of one tick. The result is
 * therefore the bandwidth of an IDT that is rounded up. A request for exactly
 * this bandwidth is granted. The result is 0 if not even the largest IDT fits.
 */
double mpiqos_largest_request(double gm_left_bytes_s,
                              const mpiqos_cost_t *cost);

/**
 * Return the largest MPI request for which a process has enough processor time,
 * bytes/s. The argument is the GM bandwidth for which, according to the
 * manager, the process has enough time. The manager has already rounded this
 * bandwidth to a whole number of ticks per packet. The result is smaller by one
 * part in a million, because the manager stores loads in single precision. The
 * result is 0 if this bandwidth is below the bandwidth of the largest IDT.
 */
double mpiqos_process_request(double gm_left_bytes_s,
                              const mpiqos_cost_t *cost);

/**
 * Translate a burst, a delay and a jitter of MPI messages.
 *
 * The delay of an eager MPI message is at most the sum of
 *
 *     sender_seconds    the sender copies it and posts its GM messages
 *   + D                 the last of them is delivered (the GM bound)
 *   + receiver_seconds  the receiver takes them and copies the data
 *
 * D is the requested delay minus sender_seconds and receiver_seconds. These two
 * times are also subtracted from the jitter, because the minimum processing
 * times of a message are not known. If the requested delay is shorter than
 * these two times, it is replaced by the shortest delay that can be requested.
 * The manager then denies the request and returns the smallest possible delay.
 *
 * A burst consists of at least one message, and always of whole messages with
 * all their packets.
 */
void mpiqos_translate_shape(long burst_bytes, double delay_s, double jitter_s,
                            const mpiqos_cost_t *cost, mpiqos_need_t *need_p);

/** Return the duration of an IDT in seconds. */
double mpiqos_idt_time(unsigned idt_ticks, const mpiqos_cost_t *cost);

/** Return the reason why the delay of messages has no bound. The reason follows
 *  "no bound: " in messages; the result is NULL if there is a bound.
 *  @param [in] burst_bytes  the requested burst */
const char *mpiqos_no_bound(const mpiqos_bounds_t *gm, unsigned idt_ticks,
                            long burst_bytes, const mpiqos_cost_t *cost);

/**
 * Convert the bounds of a GM flow to bounds for its MPI messages: the inverse
 * of mpiqos_translate_shape(). The GM bounds are either granted bounds or the
 * smallest bounds that would be granted. A receiver cannot use an incomplete
 * message. The MPI latency is therefore the GM latency plus the time of one
 * message at the flow's IDT.
 *
 * In a rendezvous, the sender announces the data and waits for the receiver's
 * answer before it sends them. The announcement uses the same flow as the data
 * of earlier messages. Let
 *
 *     w = flow_packets of a message
 *     k = longest_packets of data
 *     p = puts_ahead
 *     n = number of messages of a burst
 *     T = w x IDT              time of a message at the flow's IDT
 *     A = D - (n w - 1) IDT    the GM bound D without the IDTs of the burst
 *     S                        time of both processes for one message
 *
 * The announcement arrives within
 *
 *     D1 = w / (w - 1) x (A + (p (k + 1) + n + 1) IDT)
 *
 * because the NIC sends only these packets before the announcement: the data
 * and end packets of at most p messages, and the announcements of messages that
 * were posted within D1. There are at most n + D1 / T such announcements. The
 * answer arrives within
 *
 *     C = S + D_reverse + (n - 1) T
 *
 * because the receiver may first have to process another message, and because
 * at least one answer can be sent per time T. The data of a message therefore
 * wait for the data of messages that were posted up to D1 + C earlier, and for
 * the announcements of later messages:
 *
 *     D_MPI = S + w / (w - 1) x (A + IDT + n T + D1 + C)
 *
 * This bound requires that send tokens are free. There is no bound if the
 * sender has held more than MPIQOS_RENDEZVOUS_RESERVATIONS reservations at one
 * time. The bound also requires that answers arrive early enough to keep up
 * with the IDT. There is no bound if n exceeds answers_ahead. There is also no
 * bound if k IDT < A + D_reverse + sender_seconds. In this case, the NIC has
 * sent the data of one message before the sender learns that the data of the
 * previous message have arrived. The sender posts the next message only at that
 * time. The latency of a rendezvous is unknown.
 */
void mpiqos_translate_bounds(const mpiqos_bounds_t *gm, unsigned idt_ticks,
                             long burst_bytes, const mpiqos_cost_t *cost,
                             mpiqos_bounds_t *bounds_p);

#endif
