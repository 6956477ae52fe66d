/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gm_qos.h - bandwidth reservations for GM flows.
 *
 * A flow is identified by its source port, target node, target port, priority
 * and label. Plain GM calls send on label 0. The label is an extension of GM:
 * one port can have several independent streams to the same target. Every
 * stream has its own order of messages and its own pace. After an error, only
 * the affected stream stalls.
 *
 * The pace of a flow is its inter-packet dispatch time (IDT): the NIC sends two
 * packets of the flow at least IDT ticks of its real-time clock apart. The
 * parameter rtc_tick_ps is the length of a tick (0.5 us on LANai NICs). An IDT
 * of 0 means that the flow is unregulated. [source: gulati 2001 thesis, 3.2.2
 * and 4.2]
 *
 * Only the packet scheduler `rate` regulates the pace (see
 * gmsim_scheduler_name()). With another scheduler, requests, watches and IDTs
 * other than 0 fail with GM_UNSUPPORTED_DEVICE. Calls that release or query a
 * flow succeed, but find no reservation.
 *
 * In this project, 1 MB is 10^6 bytes.
 */
#ifndef GMSIM_GM_QOS_H
#define GMSIM_GM_QOS_H

#include "gm.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Largest label; labels 0 .. 65535 are valid. */
#define GM_QOS_MAX_LABEL 65535u
/** The label of a reservation with this bit set is the reverse label of the
 *  reservation. The target of the reservation sends control traffic on the
 *  reverse label, to the port that holds the reservation. This traffic has the
 *  same precedence as the reservation, up to the rate reverse_bytes_s of the
 *  reservation. Each message is charged as at least 48 bytes. Only sends of at
 *  most GM_QOS_REVERSE_MOST bytes may use a reverse label; a longer send fails
 *  with GM_INVALID_PARAMETER. */
#define GM_QOS_REVERSE      0x40000000u
#define GM_QOS_REVERSE_MOST 256u
/** Largest IDT that a flow can have, in ticks. With ticks of 0.5 us, this IDT
 *  is 0.5 s. */
#define GM_QOS_MAX_IDT_TICKS 1000000u
/** Largest delay or jitter that a request may contain, in seconds. */
#define GM_QOS_MAX_DELAY_S 40.0
/** Length of the buffer for the name of a node, link or process, including the
 *  final 0. */
#define GM_QOS_PLACE_LEN 64

/** One direction of traffic between two ports; the sender owns the flow. */
typedef struct gm_qos_flow {
    unsigned target_node;      /**< node id, 1 .. gm_max_node_id() */
    unsigned target_port;      /**< port on that node */
    enum gm_priority priority; /**< GM_LOW_PRIORITY or GM_HIGH_PRIORITY */
    unsigned label;            /**< 0 .. GM_QOS_MAX_LABEL */
} gm_qos_flow_t;

enum gm_qos_class {
    GM_QOS_UNMANAGED = 0, /**< no request was made; the IDT is 0 */
    GM_QOS_PREMIUM,       /**< a granted reservation */
    GM_QOS_BEST_EFFORT,   /**< a share of the bandwidth that premium flows do
                           *   not use; see gm_qos_request() */
    GM_QOS_FIXED          /**< IDT set directly with gm_qos_set_idt() */
};

/** Reason for denying a request. If a request would exceed several limits, the
 *  reason is the limit that leaves the least bandwidth for the request.
 *  [source: gulati 2001 thesis, 3.3.1 for nodes and links] */
enum gm_qos_criterion {
    GM_QOS_OK = 0,
    GM_QOS_SOURCE_NODE,         /**< bandwidth of all flows at the source
                                 * node */
    GM_QOS_LINK,                /**< bandwidth of all flows through a switch's
                                 * output port */
    GM_QOS_DESTINATION_NODE,    /**< bandwidth of all flows at the destination
                                 * node */
    GM_QOS_SOURCE_PROCESS,      /**< processor time of the process that sends */
    GM_QOS_DESTINATION_PROCESS, /**< processor time of the process that
                                 *   receives */
    GM_QOS_BUFFER,              /**< packet buffers at the end of a link */
    GM_QOS_DELAY,               /**< the delay bound of this flow or of a
                                 *   reservation in force */
    GM_QOS_JITTER,              /**< the jitter bound of this flow or of a
                                 *   reservation in force */
    GM_QOS_LATENCY              /**< this flow, or a reservation in force,
                                 *   would receive less than 99.5 % of its
                                 *   bandwidth in some interval of 100 ms or
                                 *   400 packets */
};

/** Answer of the bandwidth manager. */
typedef struct gm_qos_answer {
    int granted;                     /**< 1: the request is granted; 0: the
                                      *   request is denied */
    enum gm_qos_class qos_class;     /**< class of the flow after the call */
    unsigned idt_ticks;              /**< IDT after the call, in ticks */
    double bandwidth_bytes_s;        /**< bandwidth that is charged to the flow.
                                      *   Premium: 8192 MB/s / IDT. Best effort:
                                      *   the flow's share, or 0 if the flow is
                                      *   unregulated because it shares no node
                                      *   or link with another managed flow */
    enum gm_qos_criterion criterion; /**< GM_QOS_OK when granted */
    char place[GM_QOS_PLACE_LEN];    /**< Denied: name of the node, link or
                                      *   process ("node 2 port 2") whose
                                      *   limit is exceeded. For a bound: the
                                      *   flow whose bound would be violated
                                      *   ("flow from node 3 to node 5").
                                      *   Granted: "" */
    double left_bytes_s; /**< Bytes/s. Denied: the largest bandwidth that
                          *   would be granted, if the reverse traffic and the
                          *   loads are reduced in proportion. If `place` is a
                          *   process, subtract one part in a million, because
                          *   loads are rounded. Granted: the smallest
                          *   remaining bandwidth of the nodes and links on
                          *   the route */
    /* Bounds of a granted premium flow at the time of the answer; 0: not
     * computed. The bounds change with other reservations, but never exceed a
     * delay or jitter that was requested. gm_qos_get_flow() returns the current
     * values. */
    double latency_s;       /**< in every interval of t seconds in which the
                             *   flow is backlogged, at least
                             *   bandwidth x (t - latency_s) bytes arrive */
    double delay_s;         /**< Largest delay of a message, from its post until
                             *   the receiver can receive it. Denied for
                             *   GM_QOS_DELAY: the smallest bound that would be
                             *   granted, or 0 if the bound of another flow
                             *   would be violated */
    double jitter_s;        /**< Difference between the largest and the smallest
                             *   delay. Denied for GM_QOS_JITTER: the smallest
                             *   bound that would be granted, or 0 under the
                             *   same condition as for delay_s */
    unsigned burst_bytes;   /**< in every interval of t seconds the NIC
                             *   dispatches at most bandwidth x t +
                             *   burst_bytes */
    double reverse_delay_s; /**< Largest delay, with the current reservations,
                             *   of a message on the reverse label. The message
                             *   has at most GM_QOS_REVERSE_MOST bytes, and the
                             *   target does not exceed the rate
                             *   reverse_bytes_s. 0: not computed, or
                             *   reverse_bytes_s is 0 */
    int declared_only;      /**< 1: the cluster description contains
                             *   `undeclared: free`. In this case, the guarantee
                             *   holds only against declared traffic; a flow
                             *   without a request can violate it. The value is
                             *   0 if the request is denied */
} gm_qos_answer_t;

/** State of a flow in its NIC. */
typedef struct gm_qos_flow_state {
    enum gm_qos_class qos_class;
    unsigned idt_ticks;       /**< current IDT, in ticks */
    double bandwidth_bytes_s; /**< charged or shared bandwidth, in bytes/s; 0 if
                               *   the flow has neither */
    gm_u64_t packets_sent;    /**< data packets dispatched since the start */
    gm_u64_t bytes_sent;      /**< payload bytes dispatched since the start */
    /* Bounds of a premium flow with the reservations that are in force now; 0
     * for other flows. The call reads the bounds directly from the master
     * manager's account, without sending a message. */
    double latency_s, delay_s, jitter_s; /**< same as in gm_qos_answer_t */
    unsigned burst_bytes;
    double worst_delay_s;       /**< Longest delay of a message since the
                                 *   reservation was granted or changed; 0 if no
                                 *   message has arrived. If a message exceeds
                                 *   the flow's burst, its delay is measured
                                 *   from the time at which a sender that does
                                 *   not exceed the burst could have posted
                                 *   it */
    gm_u64_t messages_measured; /**< number of messages measured for
                                 *   worst_delay_s */
    gm_u64_t messages_beyond;   /**< number of these messages that were posted
                                 *   beyond the burst */
    double worst_exchange_s;    /**< delay of the slowest exchange, measured
                                 *   like worst_delay_s (see
                                 *   gm_qos_note_exchange()); 0: no exchange
                                 *   yet */
    double reverse_delay_s;     /**< same as in gm_qos_answer_t */
    int declared_only;          /**< same as in gm_qos_answer_t; 0 if the flow
                                 *   is not premium */
} gm_qos_flow_state_t;

/**
 * Set a flow's IDT directly, without a request to the manager.
 *
 * @param [in] idt_ticks  from 0 (unregulated) to GM_QOS_MAX_IDT_TICKS
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER   node, port, priority, label or IDT is out of
 *                                range
 * @return GM_BUSY                the flow holds a reservation; release it first
 * @return GM_UNSUPPORTED_DEVICE  idt_ticks > 0, and the NICs do not regulate
 *                                the pace
 *
 * This call is for experiments. The new IDT takes effect at the caller's
 * virtual time.
 */
gm_status_t gm_qos_set_idt(struct gm_port *port, const gm_qos_flow_t *flow,
                           unsigned idt_ticks);

/**
 * Request bandwidth from the manager. A request for a flow that has a
 * reservation changes this reservation. The old reservation remains in force
 * until the new reservation is granted. The old reservation also remains in
 * force if the new reservation is denied. The call blocks until the master
 * manager has answered. The request and its answer travel as GM messages on the
 * network, between this host's manager and the master's host. The master
 * decides on one request at a time. The call does the same as
 * gm_qos_request_all() with one flow.
 *
 * @param [in]  bandwidth_bytes_s  GM payload bytes/s, > 0; ignored for best
 *                                 effort
 * @param [in]  qos_class          GM_QOS_PREMIUM or GM_QOS_BEST_EFFORT
 * @param [in]  reverse_bytes_s    rate of the control traffic that the target
 *                                 sends back for this flow, on its label with
 *                                 the bit GM_QOS_REVERSE. This rate is charged
 *                                 at both nodes and on the links of the reverse
 *                                 route. 0: no reverse traffic
 * @param [out] answer             filled on GM_SUCCESS, whether the request is
 *                                 granted or denied
 *
 * @return GM_SUCCESS             the manager has answered
 * @return GM_INVALID_PARAMETER a field of flow, the class or the bandwidth is
 *   out of range
 * @return GM_OUT_OF_MEMORY       in this process or in the simulated cluster
 * @return GM_UNSUPPORTED_DEVICE  the NICs do not regulate the pace
 * @return GM_FAILURE             this host's manager is dead (a fault)
 *
 * A best-effort request is denied in two cases:
 * - An additional flow would lengthen the source NIC's search for the next
 *   packet so much that the NIC could not keep the reservations that are in
 *   force. The criterion is GM_QOS_SOURCE_NODE, and left_bytes_s is 0.
 * - The reverse traffic does not fit. In this case, left_bytes_s is the largest
 *   reverse rate that would fit.
 *
 * After a denial, repeat the request later, or call gm_qos_watch_room(). The
 * program may still send on the flow, as on any flow for which it made no
 * request. Such traffic is unregulated, and the guarantees of the sending node
 * no longer hold.
 *
 * The NIC sends one packet of gm_mtu() bytes every IDT:
 * IDT = floor(gm_mtu() / (bandwidth x tick)) ticks. With packets of 4096 bytes
 * and ticks of 0.5 us, IDT = floor(8192 MB/s / bandwidth). [source: gulati 2001
 * thesis 5.6, whose numbers imply this formula; the formula in section 3.3.1 is
 * T x Bmax / Breq]
 */
gm_status_t gm_qos_request(struct gm_port *port, const gm_qos_flow_t *flow,
                           double bandwidth_bytes_s,
                           enum gm_qos_class qos_class, double reverse_bytes_s,
                           gm_qos_answer_t *answer);

/** Largest number of flows in gm_qos_request_all() and gm_qos_watch_room(). */
#define GM_QOS_MAX_REQUESTS 256

/** One flow of a request, with the arguments of gm_qos_request(). */
typedef struct gm_qos_request {
    gm_qos_flow_t flow;
    double bandwidth_bytes_s;
    enum gm_qos_class qos_class;
    double reverse_bytes_s;
    /** Only for a premium flow: processor time that the process at each end
     *  spends on the flow, in seconds per second at bandwidth_bytes_s. The
     *  value is >= 0; 0 means that the time is not known. Each port is treated
     *  as a process. All premium flows that a process sends and receives may
     *  together use at most 1 second per second. Each flow is charged for the
     *  bandwidth that its IDT allows. If the requested load of a flow is at
     *  most 1 second per second, the flow is charged at most 1 second per
     *  second. */
    double source_load, target_load;
    /* Only for a premium flow; ignored for best effort. A message is charged as
     * a whole number of packets of gm_mtu() bytes. */
    unsigned message_bytes; /**< length of the longest message; 0: one packet */
    unsigned burst_bytes;   /**< bytes that the program may have posted
                             *   beyond bandwidth x time; 0: one message. A
                             *   value below message_bytes is treated as one
                             *   message */
    double delay_s;         /**< largest acceptable delay of a message, from 0
                             *   to GM_QOS_MAX_DELAY_S seconds; 0: no limit */
    double jitter_s;        /**< largest acceptable difference between the
                             *   largest and the smallest delay; the range is
                             *   the same as for delay_s */
} gm_qos_request_t;

/**
 * Request bandwidth for several flows of one port. The manager grants either
 * all of these flows or none of them. A denial leaves every flow unchanged. No
 * process can observe that only some of the flows are granted.
 *
 * @param [in]  requests  array of `count` requests, each flow at most once
 * @param [in]  count     from 1 to GM_QOS_MAX_REQUESTS
 * @param [out] answers   array of `count` answers, filled on GM_SUCCESS. The
 *                        value of `granted` is the same in all elements. If the
 *                        request is denied, `criterion`, `place` and
 *                        `left_bytes_s` describe the flow that did not fit;
 *                        they are GM_QOS_OK, "" and 0 for the other flows. If
 *                        the request is granted, all elements contain the
 *                        `left_bytes_s` of the last flow.
 *
 * @return the same values as gm_qos_request(); GM_INVALID_PARAMETER also for a
 *   count out of range or a flow that occurs twice
 */
gm_status_t gm_qos_request_all(struct gm_port *port,
                               const gm_qos_request_t *requests, unsigned count,
                               gm_qos_answer_t *answers);

/** gm_unknown() calls this function when the watched request would be
 *  granted. */
typedef void (*gm_qos_room_callback_t)(struct gm_port *port, void *context);

/**
 * Ask the manager for one notice as soon as it would grant this request. The
 * notice arrives at once if the request would be granted now, else after
 * another flow is released or reserves less. Earlier watches receive their
 * notices first. A notice does not reserve any bandwidth. After the notice,
 * make the request. If another request was granted first and this request is
 * denied, start a new watch. The call returns at once.
 *
 * The notice arrives as GM_ALARM_EVENT from a receive call. The callback runs
 * when the program passes this event to gm_unknown(). A watch ends when its
 * callback runs, when the program calls gm_qos_unwatch(), when its port is
 * closed, or when its process ends.
 *
 * @param [in]  requests  as for gm_qos_request_all(); the call copies the
 *     requests
 * @param [out] watch_p   number of the watch, > 0, unique on its port; may be
 *                        NULL
 *
 * @return GM_SUCCESS                               the watch has been sent to
 *                                                  the manager
 * @return GM_INVALID_PARAMETER                     as gm_qos_request_all(), or
 *                                                  callback is NULL
 * @return GM_OUT_OF_MEMORY, GM_UNSUPPORTED_DEVICE  as gm_qos_request()
 */
gm_status_t gm_qos_watch_room(struct gm_port *port,
                              const gm_qos_request_t *requests, unsigned count,
                              gm_qos_room_callback_t callback, void *context,
                              gm_u64_t *watch_p);

/**
 * End a watch. The callback of the watch does not run after this call.
 *
 * @return GM_SUCCESS            the watch has ended
 * @return GM_INVALID_PARAMETER  no such watch: its callback has run, or it
 *                               never existed
 */
gm_status_t gm_qos_unwatch(struct gm_port *port, gm_u64_t watch);

/**
 * Release a flow's reservation or best-effort share. The IDT of the flow
 * becomes 0. If the flow has neither a reservation nor a share, the function
 * returns GM_SUCCESS. The call blocks like a request.
 *
 * @return GM_SUCCESS, GM_INVALID_PARAMETER
 * @return GM_OUT_OF_MEMORY, GM_FAILURE  as gm_qos_request()
 */
gm_status_t gm_qos_release(struct gm_port *port, const gm_qos_flow_t *flow);

/**
 * Read the state of a flow of this port.
 *
 * @return GM_SUCCESS            *state is filled; a flow that was never used is
 *                               GM_QOS_UNMANAGED with zero counters
 * @return GM_INVALID_PARAMETER a field of flow is out of range
 */
gm_status_t gm_qos_get_flow(struct gm_port *port, const gm_qos_flow_t *flow,
                            gm_qos_flow_state_t *state);

/**
 * Declare which fraction of the bandwidth in later requests for a flow is for
 * the program's own data. This call is for libraries that convert their own
 * payload into GM payload. The record of the run (GMSIM_RECORD) stores this
 * fraction with each decision. The call has no other effect and no cost.
 *
 * @param [in] part  0 .. 1; 0: not known
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (port, flow, part)
 */
gm_status_t gm_qos_note_payload(struct gm_port *port, const gm_qos_flow_t *flow,
                                double part);

/**
 * Begin an exchange, which is a message of a library that needs several sends,
 * such as a rendezvous. The delay of an exchange is the time from its beginning
 * to the arrival of its last send.
 *
 * @return the caller's virtual time in ps, for gm_qos_note_exchange(); 0 if the
 *         port is closed. The call costs no time.
 */
gm_u64_t gm_qos_begin_exchange(struct gm_port *port);
/**
 * Declare that the next send of this port is the last send of an exchange. Only
 * worst_exchange_s of gm_qos_flow_state_t depends on this call.
 *
 * @param [in] began_ps  value that gm_qos_begin_exchange() returned; 0: none
 * @param [in] packets   number of packets in all sends of the exchange, or 0
 *                       if the next send does not end an exchange
 */
void gm_qos_note_exchange(struct gm_port *port, gm_u64_t began_ps,
                          unsigned packets);

/** Send like gm_send_with_callback(), but on a labelled flow. The rules and
 *  errors are the same as for gm_send_with_callback(). */
void gm_qos_send_with_callback(struct gm_port *port, void *message,
                               unsigned size, gm_size_t len, unsigned priority,
                               unsigned target_node, unsigned target_port,
                               unsigned label,
                               gm_send_completion_callback_t callback,
                               void *context);

/** Write like gm_directed_send_with_callback(), but on a labelled flow. The
 *  write is ordered with the other sends of the same flow. */
void gm_qos_directed_send_with_callback(
    struct gm_port *port, void *source, gm_remote_ptr_t target, gm_size_t len,
    enum gm_priority priority, unsigned target_node, unsigned target_port,
    unsigned label, gm_send_completion_callback_t callback, void *context);

/** Read like gm_get(), but on a labelled flow. The returned data have the pace
 *  and the class of the target's own flow to this port on the same label. */
void gm_qos_get(struct gm_port *port, gm_remote_ptr_t remote, void *local,
                gm_size_t len, enum gm_priority priority, unsigned target_node,
                unsigned target_port, unsigned label,
                gm_send_completion_callback_t callback, void *context);

/** Cancel the queued sends of a stalled labelled flow. The rules are those of
 *  gm_drop_sends(). The call has no effect if flow is NULL. */
void gm_qos_drop_sends(struct gm_port *port, const gm_qos_flow_t *flow,
                       gm_send_completion_callback_t callback, void *context);
/** Resume sending on a labelled flow. The rules are those of
 *  gm_resume_sending(). */
void gm_qos_resume_sending(struct gm_port *port, const gm_qos_flow_t *flow,
                           gm_send_completion_callback_t callback,
                           void *context);

/** Return the name of a class, such as "premium" or "best effort"; never
 *  NULL. */
const char *gm_qos_class_name(enum gm_qos_class qos_class);
/** Return the name of a criterion: "source node", "link", "destination node",
 *  "source process", "destination process", "buffer", "delay", "jitter",
 *  "none". */
const char *gm_qos_criterion_name(enum gm_qos_criterion criterion);

#ifdef __cplusplus
}
#endif

#endif
