/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * mpi_qos.h - request bandwidth, and a bound on the delay of messages, with a
 * communicator attribute. Hints and policy files can make the same requests,
 * see mpi_qos(3).
 *
 * A reservation belongs to one communicator and one direction: it covers the
 * messages of the calling process to one peer (or to every peer) on that
 * communicator. The peer requests the other direction.
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
 *   manager has answered. It does not communicate with the peer. A denial is an
 *   answer, not an error. Setting again replaces the former request of this
 *   communicator as a whole; the old reservation stays in force until the new
 *   one is granted, and stays if the new one is denied.
 * - bandwidth 0 (class premium) and MPI_Comm_delete_attr() release the
 *   communicator's reservations; so does freeing the communicator.
 * - MPI_Comm_get_attr() returns a pointer to the answer. The library owns it;
 *   it is valid until the next set, delete or free on that communicator. The
 *   struct passed to MPI_Comm_set_attr() is only read, never kept.
 * - A duplicated communicator has no reservation and no attribute.
 * - Where a policy has several rules for the communicator, the attribute is the
 *   first that was not granted, or else the first; the reason has the number of
 *   granted ones, and MPIQOS_Peer_state() returns the state of every peer.
 *
 * On an MPI without this device (Debian's MPICH, Open MPI) the same calls work,
 * nothing is reserved, and the state is MPIQOS_UNSUPPORTED. MPI_Comm_get_attr()
 * there returns the caller's own pointer, as for any attribute: a program meant
 * to run everywhere keeps the struct alive as long as the attribute is set, or
 * uses MPIQOS_Flow_state() instead.
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

/** For MPIQOS_Flow.peer: every other rank of the communicator (every rank of
 *  the remote group of an inter-communicator), each with the whole bandwidth.
 *  All are granted or none. */
#define MPIQOS_ALL_PEERS (-2001)

/** Classes, for MPIQOS_Flow.qos_class. */
enum {
    MPIQOS_PREMIUM = 1,    /**< the bandwidth asked for, or a denial */
    MPIQOS_BEST_EFFORT = 2 /**< a share of what premium flows leave; bandwidth
                                is not looked at, and the share changes as
                                other flows come and go. Denied only where
                                the sending node, with one more flow to look
                                after, could not keep what it has promised:
                                ask again when something has been released.
                                Sent all the same, its messages are traffic
                                that nobody declared, and no promise holds
                                beside them */
};

/** States, for MPIQOS_Flow.state. 0 is unsupported, so that a fresh struct
 *  says so where nobody fills it in. */
enum {
    MPIQOS_UNSUPPORTED = 0, /**< this MPI cannot reserve bandwidth, or the
                                 simulated cluster's packet scheduler keeps no
                                 pace */
    MPIQOS_GRANTED,
    MPIQOS_DENIED,   /**< see criterion, place, left, reason */
    MPIQOS_RELEASED, /**< nothing is held and nothing was denied */
    MPIQOS_MALFORMED /**< the last hints could not be read, see reason;
                                 they have changed nothing. Attributes raise an
                                 error instead */
};

/** What a denied request would have exceeded, for MPIQOS_Flow.criterion.
 *  [source: gulati 2001 thesis, 3.3.1 for the first three] */
enum {
    MPIQOS_CRITERION_NONE = 0,
    MPIQOS_CRITERION_SOURCE_NODE,      /**< all flows at the sending node */
    MPIQOS_CRITERION_LINK,             /**< all flows over a link */
    MPIQOS_CRITERION_DESTINATION_NODE, /**< all flows at the receiving node */
    MPIQOS_CRITERION_SOURCE_PROCESS,   /**< the sending process cannot post
                                            messages that fast */
    MPIQOS_CRITERION_DESTINATION_PROCESS, /**< the receiving process cannot take
                                            messages that fast */
    MPIQOS_CRITERION_BUFFER, /**< the packet buffers behind a link */
    MPIQOS_CRITERION_DELAY,  /**< the delay cannot be guaranteed, or
                                            the delay of another reservation
                                            could no longer be */
    MPIQOS_CRITERION_JITTER, /**< likewise the jitter */
    MPIQOS_CRITERION_LATENCY /**< likewise 99.5 % of the bandwidth in
                                            every interval of 100 ms or 400
                                            packets */
};

/** Lengths of the texts in MPIQOS_Flow, with the final 0. */
#define MPIQOS_PLACE_LEN  64
#define MPIQOS_REASON_LEN 256

/** Largest bandwidth that is a request at all, bytes/s; more is malformed.
 *  [assumed: a thousand times any link of the time] */
#define MPIQOS_MAX_BANDWIDTH 1e12
/** Largest typical message size, bytes: GM's largest message. */
#define MPIQOS_MAX_MESSAGE_SIZE 2147483647L
/** Largest burst, bytes. */
#define MPIQOS_MAX_BURST 2147483647L
/** Largest delay and jitter that can be asked for, seconds. */
#define MPIQOS_MAX_DELAY 40.0

/**
 * A request and its answer.
 *
 * The struct may grow at its end in later versions. `size` tells the library
 * which fields a program knows: MPIQOS_FLOW_INIT sets it to MPIQOS_FLOW_SIZE.
 * The field occupies what was padding before there were delays (all fields
 * before `latency` keep their offsets), and its upper half is a fixed pattern.
 * A program that was compiled with the older header therefore passes a number
 * that is no size, and the library neither reads nor writes more than the
 * fields that this program knows. A struct that was not initialized with
 * MPIQOS_FLOW_INIT counts as an old one, and its new fields are ignored.
 */
typedef struct MPIQOS_Flow {
    /* the request; set by the program */
    int peer;          /**< rank in the communicator, not the caller's own, or
                            MPIQOS_ALL_PEERS */
    unsigned size;     /**< MPIQOS_FLOW_SIZE */
    double bandwidth;  /**< MPI payload, bytes/s, 0 .. MPIQOS_MAX_BANDWIDTH;
                            0 releases */
    int qos_class;     /**< MPIQOS_PREMIUM or MPIQOS_BEST_EFFORT */
    long message_size; /**< typical message, bytes, 1 ..
                            MPIQOS_MAX_MESSAGE_SIZE. Each message costs whole
                            packets and protocol packets, so the network
                            bandwidth that yields `bandwidth` depends on it;
                            programs that send smaller messages get less. */

    /* the answer; filled by the library */
    int state;                /**< MPIQOS_GRANTED, .. */
    double granted_bandwidth; /**< MPI payload that the reservation in force
                                   yields, bytes/s: at least what was asked.
                                   For best effort the present share. 0 if
                                   nothing is held, or nothing limits it
                                   (idt_ticks 0). After a denied change: that
                                   of the old reservation, which stays. The
                                   least one, for MPIQOS_ALL_PEERS. */
    double gm_bandwidth;      /**< the same as network (GM) bandwidth, bytes/s;
                                   what admission charges */
    unsigned idt_ticks;       /**< least time between two packets of the flow,
                                   ticks of 0.5 us; 0 = unregulated. May be up
                                   to 5 % shorter than gm_bandwidth needs
                                   (parameter qos_strict_windows) */
    int criterion;            /**< MPIQOS_CRITERION_.., NONE unless denied */
    char place[MPIQOS_PLACE_LEN]; /**< node, link or process that is full; ""
                                   unless denied */
    double left; /**< largest request with this message size that
                                   the place would still take, MPI bytes/s; 0
                                   unless denied, and for best effort */
    char reason[MPIQOS_REASON_LEN]; /**< the answer in one sentence */

    /* More of the request: of MPIQOS_PREMIUM only, for which 0 means "not
     * asked". mpi_qos(3) defines the delay of an MPI message. */
    long burst;    /**< bytes that the program may have sent beyond
                            bandwidth x time, 0 .. MPIQOS_MAX_BURST; less than
                            message_size counts as one message */
    double delay;  /**< largest delay of a message that is acceptable,
                            seconds, 0 .. MPIQOS_MAX_DELAY. For messages that
                            MPI sends eagerly; a request for longer ones is
                            denied, though their answer has a bound */
    double jitter; /**< largest minus smallest delay of messages of one
                            length that is acceptable, likewise */

    /* More of the answer, seconds: of messages of at most message_size bytes,
     * while the program keeps to bandwidth and burst. 0: not known, as the latency
     * of messages that are not sent eagerly. The
     * bounds change with other reservations, but do not exceed what was asked
     * for. For MPIQOS_ALL_PEERS: the largest of all peers. */
    double latency;      /**< while messages are always waiting to be sent, at
                              least granted_bandwidth x (t - latency) bytes
                              arrive in every interval of t seconds */
    double delay_bound;  /**< largest delay of a message. Denied for
                              MPIQOS_CRITERION_DELAY: the least that would be
                              granted; 0 if place is another flow */
    double jitter_bound; /**< largest minus smallest delay. Denied for
                              MPIQOS_CRITERION_JITTER: likewise the least */
    double worst_delay;  /**< of MPIQOS_Flow_state() and MPIQOS_Peer_state():
                              longest delay of a message since the reservation
                              was granted or changed; 0 without one. A message
                              beyond the burst counts from the time when it
                              would have been within */
    int declared_only;   /**< 1: the cluster description has undeclared: free,
                              and what is held is promised against declared
                              traffic only: messages for which nothing was asked
                              can break it. 0: nothing can, or nothing is held */
} MPIQOS_Flow;

/** For MPIQOS_Flow.size. */
#define MPIQOS_FLOW_SIZE (0x51400000u + (unsigned)sizeof(MPIQOS_Flow))

/** Start value of every MPIQOS_Flow: all peers, premium, bandwidth 0, messages
 *  of 64 KB, no delay asked for, and the answer that stays where nobody answers:
 *  unsupported. */
#define MPIQOS_FLOW_INIT                                                       \
    {                                                                          \
        MPIQOS_ALL_PEERS, MPIQOS_FLOW_SIZE, 0.0, MPIQOS_PREMIUM, 65536L,       \
            MPIQOS_UNSUPPORTED, 0.0, 0.0, 0, MPIQOS_CRITERION_NONE, "", 0.0,   \
            "this MPI cannot reserve bandwidth", 0L, 0.0, 0.0, 0.0, 0.0, 0.0,  \
            0.0, 0                                                             \
    }

/** The keyval, from MPI_Init() to MPI_Finalize(). */
#define MPIQOS_FLOW (mpiqos_flow_keyval())

/** Class of the errors that a malformed request raises (MPI_Error_class()).
 *  MPI_Error_string() of the code names the field, what is wrong with it and
 *  what is allowed. */
#define MPIQOS_ERR_FLOW (mpiqos_error_class())

/**
 * Keyval behind MPIQOS_FLOW; created at the first call.
 *
 * @return the keyval; MPI_KEYVAL_INVALID before MPI_Init(), after
 *         MPI_Finalize(), or if MPI could not create it (MPI_Comm_set_attr()
 *         then raises MPI_ERR_KEYVAL).
 */
int mpiqos_flow_keyval(void);

/** Error class behind MPIQOS_ERR_FLOW; MPI_ERR_UNKNOWN when there is no
 *  keyval. Nothing raises it on an MPI without support. */
int mpiqos_error_class(void);

/**
 * Present state of the communicator's flow. Best-effort shares change when
 * other flows come and go; the struct that MPI_Comm_get_attr() returns shows
 * the answer at the time of the request, this function the state now.
 *
 * @param [in]  comm  Any communicator.
 * @param [out] flow  The communicator's request with a fresh answer. If
 *                    nothing is set on comm: only the answer is written, state
 *                    MPIQOS_RELEASED. On another MPI: only the answer, state
 *                    MPIQOS_UNSUPPORTED.
 *
 * @return MPI_SUCCESS
 * @return MPI_ERR_ARG   flow is NULL
 * @return MPI_ERR_COMM  comm is MPI_COMM_NULL
 *
 * The struct need not be initialized: the macro below passes its size. The
 * function itself, which older programs call, writes the older fields only,
 * unless the struct has a valid size.
 */
int MPIQOS_Flow_state(MPI_Comm comm, MPIQOS_Flow *flow);
int mpiqos_flow_state_sized(MPI_Comm comm, MPIQOS_Flow *flow, unsigned size);
#define MPIQOS_Flow_state(_comm, _flow)                                        \
    mpiqos_flow_state_sized(_comm, _flow, MPIQOS_FLOW_SIZE)

/**
 * The same for one peer: the request that covers it, with `peer` in place of
 * MPIQOS_ALL_PEERS, and what its own flow holds now. For a policy with several
 * rules for the communicator, and for MPIQOS_ALL_PEERS.
 *
 * @param [in] peer  Any number; nothing is reserved for what is no rank.
 *
 * @return as MPIQOS_Flow_state(); state MPIQOS_RELEASED if nothing was asked for
 *         this peer
 */
int MPIQOS_Peer_state(MPI_Comm comm, int peer, MPIQOS_Flow *flow);
int mpiqos_peer_state_sized(MPI_Comm comm, int peer, MPIQOS_Flow *flow,
                            unsigned size);
#define MPIQOS_Peer_state(_comm, _peer, _flow)                                 \
    mpiqos_peer_state_sized(_comm, _peer, _flow, MPIQOS_FLOW_SIZE)

/** "granted", "denied", "released", "malformed", "unsupported"; "unknown" for
 *  other numbers. Static text, never NULL. */
const char *MPIQOS_State_name(int state);
/** "premium", "best effort"; "unknown" for other numbers. */
const char *MPIQOS_Class_name(int qos_class);
/** "none", "source node", "link", "destination node", "source process",
 *  "destination process", "buffer", "delay", "jitter"; "unknown" for other
 *  numbers. */
const char *MPIQOS_Criterion_name(int criterion);

#ifdef __cplusplus
}
#endif

#endif
