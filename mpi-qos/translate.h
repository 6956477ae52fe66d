/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * translate.h - translation of MPI bandwidth to GM bandwidth and back.
 *
 * A flow of messages of m bytes costs `flow_packets` packets per message: whole
 * packets of data, and the protocol packets that travel in the flow. The NIC
 * sends one packet of the flow per IDT, full or not, and the manager charges
 * 4096 bytes for each. Hence, with B the MPI bandwidth:
 *
 *     messages/s = B / m
 *     GM bytes/s = B / m x flow_packets x 4096
 *     IDT        = floor(8192 MB/s / GM bytes/s)          ticks of 0.5 us
 *     B granted  = m / (flow_packets x IDT x 0.5 us)      at least B
 *     load       = B / m x seconds per message            of each process
 *
 * on the usual cluster; the device supplies packet length and tick.
 *
 * [source: gulati 2001 thesis 3.2.2 for the IDT; GM-packet charge of one IDT
 * each fits the thesis' MPI figure of about 50 MB/s at IDT 140]
 *
 * These are functions of numbers only, without calls of MPI and without state.
 */
#ifndef MPI_QOS_TRANSLATE_H
#define MPI_QOS_TRANSLATE_H

/** Largest IDT that a NIC can hold, ticks. [source: gm_qos.h,
 *  GM_QOS_MAX_IDT_TICKS] */
#define MPIQOS_MAX_IDT_TICKS 1000000u

/** What one message of `message_bytes` costs on its way. */
typedef struct mpiqos_cost {
    double message_bytes;     /**< MPI payload, > 0 */
    unsigned flow_packets;    /**< packets in the flow, each one IDT, > 0 */
    unsigned reverse_bytes;   /**< control bytes that come back */
    double receiver_seconds;  /**< time that only the receiver can spend */
    double sender_seconds;    /**< time that only the sender can spend */
    double packet_bytes;      /**< that a packet is charged with: 4096, unless
                                  the cluster's packets are smaller */
    double idt_product;       /**< GM bytes/s of IDT 1: packet_bytes per tick */
    unsigned longest_packets; /**< packets of its longest GM message */
    int is_eager;        /**< it is sent without an answer of the receiver */
    long eager_bytes;    /**< longest message that is */
    unsigned puts_ahead; /**< of a rendezvous: messages whose data may be at
                                  the NIC before another one's announcement */
    unsigned
        answers_ahead; /**< answers that the reservation pays for at once */
} mpiqos_cost_t;

/** What to ask the manager for. */
typedef struct mpiqos_need {
    double gm_bytes_s;      /**< in the flow's direction */
    double reverse_bytes_s; /**< control traffic back */
    double sender_load;     /**< part of its time that each process spends, */
    double receiver_load;   /**< seconds per second; above 1 no network helps */
    double payload_part;    /**< of the flow's direction, how much is the
                                  program's own data, 0..1 */
    unsigned message_bytes; /**< the longest GM message, whole packets */
    unsigned burst_bytes;   /**< of GM messages, whole packets */
    double delay_s;         /**< acceptable for each GM message; 0: any */
    double jitter_s;
} mpiqos_need_t;

/** Bounds of messages and the longest delay seen, seconds; 0: not known. */
typedef struct mpiqos_bounds {
    double latency, delay, jitter, worst_delay;
    double reverse;        /**< of GM: delay of a receiver's answer */
    unsigned reservations; /**< with GM's: most that the sender held at once */
} mpiqos_bounds_t;

/** Most reservations of a process with which a message of each finds GM send
 *  tokens at once: a rendezvous takes up to six, and three quarters of a port's
 *  tokens are for reservations. */
#define MPIQOS_RENDEZVOUS_RESERVATIONS 7u

/** What is the program's own data of what a flow with such messages is charged
 *  with, 0..1. */
double mpiqos_payload_part(const mpiqos_cost_t *cost);

/**
 * Translate a request.
 *
 * @param [in]  bandwidth_bytes_s  MPI payload, > 0.
 * @param [in]  cost               Of a typical message.
 * @param [out] need_p             Filled always. Requests below what the
 *                                 largest IDT gives are raised to that.
 */
void mpiqos_translate(double bandwidth_bytes_s, const mpiqos_cost_t *cost,
                      mpiqos_need_t *need_p);

/** IDT of a GM bandwidth > 0, ticks: 0 .. MPIQOS_MAX_IDT_TICKS, rounded down
 *  (towards more bandwidth). 0 means more than one packet per tick. */
unsigned mpiqos_idt(double gm_bytes_s, const mpiqos_cost_t *cost);

/** MPI bandwidth that an IDT yields, bytes/s; 0 for IDT 0 (no limit). */
double mpiqos_bandwidth_of_idt(unsigned idt_ticks, const mpiqos_cost_t *cost);

/**
 * Largest MPI request that fits into a GM bandwidth of a node or a link,
 * bytes/s.
 *
 * IDTs are whole ticks rounded down, so a request is charged up to one tick
 * more than it asks. The result is what an IDT rounded up yields: asking for
 * exactly this is granted. 0 if not even the largest IDT fits.
 */
double mpiqos_largest_request(double gm_left_bytes_s,
                              const mpiqos_cost_t *cost);

/**
 * Largest MPI request that a process can take part in, bytes/s, where the
 * manager says that it could do so much for such a flow. The manager has seen
 * to whole ticks; it keeps loads in single precision, so the result is a
 * millionth less. 0 if that is less than the largest IDT gives.
 */
double mpiqos_process_request(double gm_left_bytes_s,
                              const mpiqos_cost_t *cost);

/**
 * Translate a burst, a delay and a jitter of MPI messages.
 *
 * An eager MPI message is on its way for
 *
 *     sender_seconds    the sender copies it and posts its GM messages
 *   + D                 the last of them is delivered (the GM bound)
 *   + receiver_seconds  the receiver takes them and copies the data
 *
 * at most: D is what is left of the delay asked for. The same two times are
 * taken off the jitter, because nothing is known of how little of them a
 * message needs. A delay shorter than both times becomes the shortest that can
 * be asked for, so that the manager answers what the least is.
 *
 * A burst is whole messages, at least one, each with all its packets.
 */
void mpiqos_translate_shape(long burst_bytes, double delay_s, double jitter_s,
                            const mpiqos_cost_t *cost, mpiqos_need_t *need_p);

/** Why there is no bound of the delay of messages, in words that follow "no bound:
 *  "; NULL: there is one.
 *  @param [in] burst_bytes  as asked for */
const char *mpiqos_no_bound(const mpiqos_bounds_t *gm, unsigned idt_ticks,
                            long burst_bytes, const mpiqos_cost_t *cost);

/**
 * Bounds of a GM flow, granted or the least that would be, as those of its MPI
 * messages: mpiqos_translate_shape() backwards. A message that is not complete
 * is worth nothing to the receiver, so the MPI latency is one message at the
 * flow's IDT longer than GM's.
 *
 * A rendezvous announces its data, which wait for the receiver's answer, in the
 * flow that carries the data of earlier messages. With
 *
 *     w = flow_packets     of a message; k = longest_packets of data
 *     n                    messages of a burst
 *     T = w x IDT          time of a message at the flow's pace
 *     A = D - (n w - 1) IDT   of the GM bound D: all but the pace
 *     S                    both processes' time for one message
 *
 *     D1 = w / (w - 1) x (A + (p (k + 1) + n + 1) IDT)
 *
 * bounds the announcement: p = puts_ahead messages' data with their ends are before
 * it in the NIC at most, and announcements of messages that were posted within D1,
 * n + D1 / T at most. The answer takes
 *
 *     C = S + D_reverse + (n - 1) T
 *
 * because the receiver may be busy with one message, and answers have the pace of
 * messages at least. So data of a message wait for data of those that were posted
 * up to D1 + C before it, and for announcements of later ones:
 *
 *     D_MPI = S + w / (w - 1) x (A + IDT + n T + D1 + C)
 *
 * It needs send tokens that are free: none if the sender has held more than
 * MPIQOS_RENDEZVOUS_RESERVATIONS at once.
 * It needs answers that are in time for the pace: none if n is more than
 * answers_ahead, or if the data of one message are sent before the sender can have
 * learned that those of the last one have arrived, and have posted the next: k IDT <
 * A + D_reverse + sender_seconds.
 * The latency of a rendezvous is not known.
 */
void mpiqos_translate_bounds(const mpiqos_bounds_t *gm, unsigned idt_ticks,
                             long burst_bytes, const mpiqos_cost_t *cost,
                             mpiqos_bounds_t *bounds_p);

#endif
