/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mpi_qos.h - requests bandwidth and a bound on the delay of messages with a
 * communicator attribute. Hints and policy files can make the same requests;
 * see mpi_qos(3).
 *
 * A reservation belongs to one communicator and one direction. It covers the
 * messages that the calling process sends to one peer (or to every peer) on
 * that communicator. The peer can request bandwidth for the opposite direction.
 *
 *     MPIQOS_Flow flow = MPIQOS_FLOW_INIT;
 *     MPIQOS_Flow *answer;
 *     int found;
 *
 *     flow.peer = 1;
 *     flow.bandwidth = 40e6;
 *     MPI_Comm_set_attr(comm, MPIQOS_FLOW, &flow);
 *     MPI_Comm_get_attr(comm, MPIQOS_FLOW, &answer, &found);
 *     printf("%s: %s\n", MPIQOS_State_name(answer->state), answer->reason);
 *
 * Behaviour of the calls:
 * - MPI_Comm_set_attr() sends the request, and blocks until the bandwidth
 *   manager has answered. The call does not communicate with the peer. A denial
 *   is an answer, not an error. Setting the attribute again replaces the
 *   communicator's previous request completely. The old reservation stays in
 *   force until the new one is granted, and remains in force if the new request
 *   is denied.
 * - Bandwidth 0 (class premium), MPI_Comm_delete_attr() and MPI_Comm_free()
 *   release the communicator's reservations.
 * - MPI_Comm_get_attr() returns a pointer to the answer. The library owns the
 *   answer, which is valid until the attribute is set or deleted again or the
 *   communicator is freed. MPI_Comm_set_attr() only reads the program's struct
 *   and keeps no pointer to it.
 * - A duplicated communicator has no reservation and no attribute.
 * - If several rules of a policy apply to the communicator, the attribute shows
 *   the first rule that was not granted, or the first rule if all were granted.
 *   The reason contains the number of granted rules, and MPIQOS_Peer_state()
 *   returns the state of every peer.
 *
 * The same calls also work with other MPI libraries (Debian's MPICH, Open MPI).
 * With such a library, the calls reserve nothing, and the state is
 * MPIQOS_UNSUPPORTED. MPI_Comm_get_attr() then returns the caller's own
 * pointer, as for any attribute. A portable program therefore keeps the struct
 * alive as long as the attribute is set, or calls MPIQOS_Flow_state() instead.
 *
 * A malformed request (see MPIQOS_ERR_FLOW) raises an MPI error through the
 * communicator's error handler and changes nothing.
 *
 * All bandwidths are bytes/s; MB = 10^6 bytes.
 */
#ifndef MPI_QOS_H
#define MPI_QOS_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Value of MPIQOS_Flow.peer: every other rank of the communicator, or every
 *  rank of the remote group of an inter-communicator. The full bandwidth is
 *  requested for each of these ranks. Either all of these flows are granted, or
 *  none of them. */
#define MPIQOS_ALL_PEERS (-2001)

/** Traffic classes, for MPIQOS_Flow.qos_class. */
enum {
    MPIQOS_PREMIUM = 1,    /**< the whole request is granted or denied */
    MPIQOS_BEST_EFFORT = 2 /**< a share of the bandwidth that premium flows
                            *   leave unreserved. The library ignores the field
                            *   bandwidth. The share changes when other flows
                            *   begin or end. The request is denied only if the
                            *   additional flow would prevent the sending node
                            *   from keeping its reservations. In this case,
                            *   repeat the request when another flow has been
                            *   released. Messages that the program sends after
                            *   a denial are undeclared traffic, which breaks
                            *   the guarantees of other flows */
};

/** Values of MPIQOS_Flow.state. The value 0 means "unsupported". An
 *  initialized struct therefore has this state if the MPI library never fills
 *  in the struct. */
enum {
    MPIQOS_UNSUPPORTED = 0, /**< this MPI cannot reserve bandwidth, or the
                                 simulated cluster uses a packet scheduler that
                                 does not pace packets */
    MPIQOS_GRANTED,
    MPIQOS_DENIED,   /**< see the fields criterion, place, left and reason */
    MPIQOS_RELEASED, /**< no reservation is held and no request was denied */
    MPIQOS_MALFORMED /**< the last hints are malformed (see reason) and had no
                                 effect. A malformed attribute raises an error
                                 instead */
};

/** The resource or bound that caused a denial, for MPIQOS_Flow.criterion.
 *  [source: gulati 2001 thesis, 3.3.1 for the first three] */
enum {
    MPIQOS_CRITERION_NONE = 0,
    MPIQOS_CRITERION_SOURCE_NODE,      /**< the sum of all flows at the sending
                                            node */
    MPIQOS_CRITERION_LINK,             /**< the sum of all flows over a link */
    MPIQOS_CRITERION_DESTINATION_NODE, /**< the sum of all flows at the
                                            receiving node */
    MPIQOS_CRITERION_SOURCE_PROCESS,   /**< the sending process cannot post
                                            messages fast enough */
    MPIQOS_CRITERION_DESTINATION_PROCESS, /**< the receiving process cannot
                                            receive messages fast enough */
    MPIQOS_CRITERION_BUFFER, /**< the packet buffers at the end of a link */
    MPIQOS_CRITERION_DELAY,  /**< the requested delay cannot be
                                            guaranteed, or the request would
                                            break the guaranteed delay of
                                            another reservation */
    MPIQOS_CRITERION_JITTER, /**< the requested jitter cannot be guaranteed, or
                                  the request would break the guaranteed jitter
                                  of another reservation */
    MPIQOS_CRITERION_LATENCY /**< some reservation would receive less than 99.5
                                            % of its bandwidth in an interval of
                                            100 ms or 400 packets */
};

/** Sizes of the strings in MPIQOS_Flow, including the terminating 0. */
#define MPIQOS_PLACE_LEN  64
#define MPIQOS_REASON_LEN 256

/** Largest valid bandwidth, bytes/s; a request for more bandwidth is malformed.
 *  [assumed: a thousand times the bandwidth of any link at the time of the
 *  thesis] */
#define MPIQOS_MAX_BANDWIDTH 1e12
/** Largest typical message size, bytes: GM's largest message. */
#define MPIQOS_MAX_MESSAGE_SIZE 2147483647L
/** Largest burst, bytes. */
#define MPIQOS_MAX_BURST 2147483647L
/** Largest delay and jitter that can be requested, seconds. */
#define MPIQOS_MAX_DELAY 40.0

/**
 * A request and its answer.
 *
 * Later versions may append fields to the struct. `size` identifies the fields
 * that the program knows: MPIQOS_FLOW_INIT sets `size` to MPIQOS_FLOW_SIZE. The
 * field occupies former padding bytes, so all fields before `latency` keep
 * their offsets. The upper half of the field is a fixed pattern. A program that
 * was compiled with the older header has no such pattern in these bytes and
 * therefore passes an invalid size. In this case, the library reads and writes
 * only the fields of the older header. A struct that was not initialized with
 * MPIQOS_FLOW_INIT is treated as a struct of the older header: the library
 * ignores its new fields.
 */
typedef struct MPIQOS_Flow {
    /* the request; set by the program */
    int peer;          /**< a rank of the communicator other than the caller's
                            rank, or MPIQOS_ALL_PEERS */
    unsigned size;     /**< MPIQOS_FLOW_SIZE */
    double bandwidth;  /**< MPI payload, bytes/s, from 0 to
                            MPIQOS_MAX_BANDWIDTH; 0 releases the reservation */
    int qos_class;     /**< MPIQOS_PREMIUM or MPIQOS_BEST_EFFORT */
    long message_size; /**< size of a typical message, bytes, from 1 to
                        *   MPIQOS_MAX_MESSAGE_SIZE. Each message costs a whole
                        *   number of data packets and additional protocol
                        *   packets. The network bandwidth that `bandwidth`
                        *   requires therefore depends on the message size. A
                        *   program that sends smaller messages achieves less
                        *   bandwidth. */

    /* the answer; filled by the library */
    int state;                /**< MPIQOS_GRANTED, .. */
    double granted_bandwidth; /**< MPI payload that the reservation in force
                                   yields, bytes/s: at least the requested
                                   bandwidth. For best effort, this is the
                                   current share. The value is 0 if no
                                   reservation is held, or if no rate limit
                                   applies (idt_ticks 0). After a denied change,
                                   this is the bandwidth of the old reservation,
                                   which remains. For MPIQOS_ALL_PEERS, this is
                                   the smallest bandwidth among the peers. */
    double gm_bandwidth;      /**< granted_bandwidth, converted to bandwidth on
                                   the network (GM), bytes/s; the admission
                                   control charges this value */
    unsigned idt_ticks;       /**< shortest time between two packets of the
                                   flow, in ticks of the NIC's clock; 0: no rate
                                   limit. The parameter rtc_tick_ps is the length
                                   of a tick: 0.5 us on lanai4.3, 1 ns on edr.
                                   This time can be up to 5 % shorter than the
                                   time that corresponds to gm_bandwidth
                                   (parameter qos_strict_windows) */
    int criterion;            /**< MPIQOS_CRITERION_.., NONE unless denied */
    char place[MPIQOS_PLACE_LEN]; /**< the node, link or process that lacks
                                   bandwidth or time for the request, or the
                                   other flow; "" unless denied */
    /** largest request for this message size that would be granted, MPI
     *  bytes/s; `place` prevents a larger request. 0 if the request was not
     *  denied, and for best effort */
    double left;
    char reason[MPIQOS_REASON_LEN]; /**< the answer as a sentence */

    /* Further fields of the request. These fields apply only to MPIQOS_PREMIUM;
     * 0 means "not requested". mpi_qos(3) defines the delay of an MPI
     * message. */
    long burst;    /**< bytes that the program may send in addition to
                            bandwidth x time, from 0 to MPIQOS_MAX_BURST; a
                            value below message_size means the length of one
                            message */
    double delay;  /**< largest acceptable delay of a message, seconds, from 0
                            to MPIQOS_MAX_DELAY. A program can request a delay
                            only for messages that MPI sends eagerly. A request
                            for longer messages is denied, although its answer
                            contains a bound */
    double jitter; /**< largest acceptable difference between the delays of two
                        messages of the same length, under the same
                        conditions */

    /* Further fields of the answer, in seconds. These bounds apply to messages
     * of at most message_size bytes, as long as the program exceeds neither the
     * bandwidth nor the burst. The value 0 means "not known"; for example, the
     * latency is unknown for messages that are not sent eagerly. The bounds
     * change when other reservations change, but never exceed the requested
     * values. For MPIQOS_ALL_PEERS, each field is the largest value among the
     * peers. */
    double latency;      /**< as long as messages are waiting to be sent, at
                              least granted_bandwidth x (t - latency) bytes
                              arrive in every interval of t seconds */
    double delay_bound;  /**< largest delay of a message. If denied for
                              MPIQOS_CRITERION_DELAY: the smallest delay that
                              would be granted; 0 if `place` names another
                              flow */
    double jitter_bound; /**< largest minus smallest delay. If denied for
                              MPIQOS_CRITERION_JITTER: the smallest jitter that
                              would be granted, or 0 as above */
    double worst_delay;  /**< set by MPIQOS_Flow_state() and
                              MPIQOS_Peer_state(): longest delay of a message
                              since the reservation was granted or changed; 0 if
                              no message has been measured. If a message exceeds
                              the burst, its delay is measured from the earliest
                              time at which the program could have sent it
                              without exceeding the burst */
    int declared_only;   /**< 1: the cluster description contains `undeclared:
                              free`. The guarantee then holds only against
                              declared traffic, and messages without a request
                              can break it. 0: in every other case, and if no
                              reservation is held */
} MPIQOS_Flow;

/** Value of MPIQOS_Flow.size. */
#define MPIQOS_FLOW_SIZE (0x51400000u + (unsigned)sizeof(MPIQOS_Flow))

/** Initial value of every MPIQOS_Flow: all peers, premium, bandwidth 0,
 *  messages of 64 KB, no requested delay, and the answer "unsupported". This
 *  answer remains with an MPI that cannot reserve bandwidth. */
#define MPIQOS_FLOW_INIT                                                       \
    {                                                                          \
        MPIQOS_ALL_PEERS, MPIQOS_FLOW_SIZE, 0.0, MPIQOS_PREMIUM, 65536L,       \
            MPIQOS_UNSUPPORTED, 0.0, 0.0, 0, MPIQOS_CRITERION_NONE, "", 0.0,   \
            "this MPI library cannot reserve bandwidth", 0L, 0.0, 0.0, 0.0,    \
            0.0, 0.0, 0.0, 0                                                   \
    }

/** The keyval; valid from MPI_Init() to MPI_Finalize(). */
#define MPIQOS_FLOW (mpiqos_flow_keyval())

/** Class of the errors that a malformed request raises (MPI_Error_class()).
 *  For this code, MPI_Error_string() returns a text that names the field, the
 *  fault and the allowed values. */
#define MPIQOS_ERR_FLOW (mpiqos_error_class())

/**
 * Return the keyval behind MPIQOS_FLOW; the first call creates it.
 *
 * @return the keyval; MPI_KEYVAL_INVALID before MPI_Init(), after
 *         MPI_Finalize(), or if MPI could not create it (MPI_Comm_set_attr()
 *         then raises MPI_ERR_KEYVAL).
 */
int mpiqos_flow_keyval(void);

/** Return the error class behind MPIQOS_ERR_FLOW; MPI_ERR_UNKNOWN when there is
 *  no keyval. An MPI that does not support reservations never raises this
 *  error. */
int mpiqos_error_class(void);

/**
 * Return the current state of the communicator's flow. Best-effort shares
 * change when other flows begin or end. The struct that MPI_Comm_get_attr()
 * returns shows only the answer at the time of the request.
 *
 * @param [in]  comm  Any communicator.
 * @param [out] flow  The communicator's request with the current answer. If
 *                    there is no request, the function writes only the answer,
 *                    with state MPIQOS_RELEASED. With another MPI, it writes
 *                    only the answer, with state MPIQOS_UNSUPPORTED.
 *
 * @return MPI_SUCCESS
 * @return MPI_ERR_ARG   flow is NULL
 * @return MPI_ERR_COMM  comm is MPI_COMM_NULL
 *
 * The struct need not be initialized, because the macro below passes its size.
 * Older programs call the function itself, which then writes only the older
 * fields unless the struct contains a valid size.
 */
int MPIQOS_Flow_state(MPI_Comm comm, MPIQOS_Flow *flow);
int mpiqos_flow_state_sized(MPI_Comm comm, MPIQOS_Flow *flow, unsigned size);
#define MPIQOS_Flow_state(_comm, _flow)                                        \
    mpiqos_flow_state_sized(_comm, _flow, MPIQOS_FLOW_SIZE)

/**
 * Return the current state of the flow to one peer: the request that covers the
 * peer, with `peer` in place of MPIQOS_ALL_PEERS, and the reservation that this
 * flow holds now. Use this function after a request for MPIQOS_ALL_PEERS, or if
 * a policy has several rules for the communicator.
 *
 * @param [in] peer  Any number; for a number that is not a rank, the state is
 *                   MPIQOS_RELEASED.
 *
 * @return the same values as MPIQOS_Flow_state(); the state is MPIQOS_RELEASED
 *   if no request covers this peer
 */
int MPIQOS_Peer_state(MPI_Comm comm, int peer, MPIQOS_Flow *flow);
int mpiqos_peer_state_sized(MPI_Comm comm, int peer, MPIQOS_Flow *flow,
                            unsigned size);
#define MPIQOS_Peer_state(_comm, _peer, _flow)                                 \
    mpiqos_peer_state_sized(_comm, _peer, _flow, MPIQOS_FLOW_SIZE)

/** Return "granted", "denied", "released", "malformed" or "unsupported";
 *  "unknown" for other numbers. The text is static, never NULL. */
const char *MPIQOS_State_name(int state);
/** Return "premium" or "best effort"; "unknown" for other numbers. */
const char *MPIQOS_Class_name(int qos_class);
/** Return "none", "source node", "link", "destination node", "source process",
 *  "destination process", "buffer", "delay", "jitter" or "latency"; "unknown"
 *  for other numbers. */
const char *MPIQOS_Criterion_name(int criterion);

#ifdef __cplusplus
}
#endif

#endif
