/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gm_qos.h - bandwidth for GM flows.
 *
 * A flow is (source port, target node and port, priority, label). Plain GM
 * calls send on label 0. The label is an extension of GM: it lets one port keep
 * several independent streams to the same target. Every stream has its own
 * order, its own pace and its own stall after an error.
 *
 * The pace of a flow is its inter-packet dispatch time (IDT): the NIC sends two
 * packets of the flow at least IDT ticks of its real-time clock (0.5 us per
 * tick) apart. IDT 0 means unregulated.
 * [source: gulati 2001 thesis, 3.2.2 and 4.2]
 *
 * Only the packet scheduler `rate` keeps a pace (gmsim_scheduler_name()). With
 * another scheduler, requests, watches and IDTs other than 0 are refused with
 * GM_UNSUPPORTED_DEVICE; releases and queries succeed and find no reservation.
 *
 * MB = 10^6 bytes everywhere.
 */
#ifndef GMSIM_GM_QOS_H
#define GMSIM_GM_QOS_H

#include "gm.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Largest label; labels 0..65535 are valid. */
#define GM_QOS_MAX_LABEL 65535u
/** A label with this bit set carries what flows back for a reservation on that
 *  label: the target of the reservation sends it, to the port that holds the
 *  reservation. It shares the precedence of the reservation, up to its
 *  reverse_bytes_s, of which a message uses 48 bytes at least. Only sends of at
 *  most GM_QOS_REVERSE_MOST bytes take such a label; a longer one fails with
 *  GM_INVALID_PARAMETER. */
#define GM_QOS_REVERSE      0x40000000u
#define GM_QOS_REVERSE_MOST 256u
/** Largest IDT that a flow can have, ticks of 0.5 us (about 0.5 s). */
#define GM_QOS_MAX_IDT_TICKS 1000000u
/** Largest delay or jitter that can be asked for, seconds. */
#define GM_QOS_MAX_DELAY_S 40.0
/** Length of the buffer for a place's name, with its final 0. */
#define GM_QOS_PLACE_LEN 64

/** One direction of traffic between two ports; the sender owns it. */
typedef struct gm_qos_flow {
    unsigned target_node;      /**< node id, 1..gm_max_node_id() */
    unsigned target_port;      /**< port on that node */
    enum gm_priority priority; /**< GM_LOW_PRIORITY or GM_HIGH_PRIORITY */
    unsigned label;            /**< 0..GM_QOS_MAX_LABEL */
} gm_qos_flow_t;

enum gm_qos_class {
    GM_QOS_UNMANAGED = 0, /**< nobody asked for anything: IDT 0 */
    GM_QOS_PREMIUM,       /**< a granted reservation */
    GM_QOS_BEST_EFFORT,   /**< a share of what premium flows leave; see
                               gm_qos_request() */
    GM_QOS_FIXED          /**< IDT set directly with gm_qos_set_idt() */
};

/** Why a request was denied: of all that it would exceed, what leaves the least
 *  for it. [source: gulati 2001 thesis, 3.3.1 for nodes and links] */
enum gm_qos_criterion {
    GM_QOS_OK = 0,
    GM_QOS_SOURCE_NODE,         /**< all flows at the source node */
    GM_QOS_LINK,                /**< all flows over a switch output port */
    GM_QOS_DESTINATION_NODE,    /**< all flows at the destination node */
    GM_QOS_SOURCE_PROCESS,      /**< the time of the process that sends */
    GM_QOS_DESTINATION_PROCESS, /**< the time of the process that receives */
    GM_QOS_BUFFER,              /**< the packet buffers behind a link */
    GM_QOS_DELAY,               /**< a delay bound: this flow's, or that of a
                                  reservation in force */
    GM_QOS_JITTER,              /**< a jitter bound, likewise */
    GM_QOS_LATENCY              /**< this flow, or a reservation in force, would
                                  receive less than 99.5 % of its bandwidth in
                                  some interval of 100 ms or 400 packets */
};

/** What the bandwidth manager answered. */
typedef struct gm_qos_answer {
    int granted;                 /**< 1 granted, 0 denied */
    enum gm_qos_class qos_class; /**< class of the flow after the call */
    unsigned idt_ticks;          /**< IDT after the call, 0.5 us ticks */
    double bandwidth_bytes_s;    /**< what admission charges: 8192 MB/s / IDT
                                      for premium; the share for best effort
                                      (0 when alone: unregulated) */
    enum gm_qos_criterion criterion; /**< GM_QOS_OK when granted */
    char place[GM_QOS_PLACE_LEN];    /**< the node, link or process ("node 2
                                          port 2") that is full, or the flow
                                          whose bound would break ("flow from
                                          node 3 to node 5"), "" when granted */
    double left_bytes_s; /**< what is left there, bytes/s: of a process,
                                      the most that a flow with such a load
                                      could ask for; when granted: the least
                                      left on the route's nodes and links */
    /* Bounds of a granted premium flow at the time of the answer, 0: not
     * computed. They change with other reservations, but never exceed a delay
     * or jitter that was asked for; gm_qos_get_flow() returns the present
     * ones. */
    double latency_s;       /**< in every interval of t seconds in which
                                      the flow is backlogged, at least bandwidth
                                      x (t - latency_s) bytes arrive */
    double delay_s;         /**< largest delay of a message, from its post
                                      until the receiver can see it; denied for
                                      GM_QOS_DELAY: the least that would be
                                      granted, 0 if the bound of another flow
                                      would break */
    double jitter_s;        /**< largest minus smallest delay; denied for
                                      GM_QOS_JITTER: likewise the least */
    unsigned burst_bytes;   /**< in every interval of t seconds the NIC
                                      dispatches at most bandwidth x t +
                                      burst_bytes */
    double reverse_delay_s; /**< largest delay of a message on the reverse
                                      label, of at most GM_QOS_REVERSE_MOST bytes,
                                      that the target posts within
                                      reverse_bytes_s, as of now; 0: not
                                      computed, or no reverse_bytes_s */
    int declared_only;      /**< 1: the cluster description has undeclared:
                                      free, and the grant holds against declared
                                      traffic only: a flow without a request can
                                      break it. 0 in a denial */
} gm_qos_answer_t;

/** State of a flow as its NIC sees it. */
typedef struct gm_qos_flow_state {
    enum gm_qos_class qos_class;
    unsigned idt_ticks;       /**< current IDT, 0.5 us ticks */
    double bandwidth_bytes_s; /**< charged or shared, bytes/s; 0 if none */
    gm_u64_t packets_sent;    /**< data packets dispatched since start */
    gm_u64_t bytes_sent;      /**< payload bytes dispatched since start */
    /* Of a premium flow, with the reservations that are in force now; else 0.
     * The call reads them from the account of the master manager, as an
     * observer: no message is sent. */
    double latency_s, delay_s, jitter_s; /**< as in gm_qos_answer_t */
    unsigned burst_bytes;
    double worst_delay_s;       /**< longest delay of a message since the
                                       reservation was granted or changed, 0 if
                                       no message has arrived. A message that is
                                       posted beyond the flow's burst counts
                                       from the time when a sender that keeps to
                                       its burst could have posted it */
    gm_u64_t messages_measured; /**< messages that worst_delay_s is about */
    gm_u64_t messages_beyond;   /**< of these: posted beyond the burst */
    double worst_exchange_s;    /**< longest exchange, likewise: see
                                       gm_qos_note_exchange(); 0: none */
    double reverse_delay_s;     /**< as in gm_qos_answer_t */
    int declared_only;          /**< as in gm_qos_answer_t; 0 unless premium */
} gm_qos_flow_state_t;

/**
 * Set a flow's IDT directly, without asking the manager.
 *
 * @param [in] idt_ticks  0 (unregulated) .. GM_QOS_MAX_IDT_TICKS.
 *
 * @return GM_SUCCESS
 * @return GM_INVALID_PARAMETER  node, port, priority, label or IDT out of range
 * @return GM_BUSY               the flow holds a reservation; release it first
 * @return GM_UNSUPPORTED_DEVICE idt_ticks > 0 and the cards keep no pace
 *
 * For experiments. Takes effect at the caller's virtual time.
 */
gm_status_t gm_qos_set_idt(struct gm_port *port, const gm_qos_flow_t *flow,
                           unsigned idt_ticks);

/**
 * Ask the manager for bandwidth; asking again for the same flow changes it
 * (the old reservation stays until the new one is granted, and stays if it is
 * denied). Blocks until the master manager has answered: the request travels
 * from this host's manager to the master's host and back as GM messages on the
 * network, and waits there for its turn. gm_qos_request_all() of one.
 *
 * @param [in]  bandwidth_bytes_s  GM payload bytes/s, > 0; ignored for
 *                                 best effort.
 * @param [in]  qos_class          GM_QOS_PREMIUM or GM_QOS_BEST_EFFORT.
 * @param [in]  reverse_bytes_s    rate of the control traffic that flows back
 *                                 for this flow, on its label with the bit
 *                                 GM_QOS_REVERSE; counted at both nodes and on
 *                                 the links back. 0 if none.
 * @param [out] answer             filled on GM_SUCCESS, granted or denied.
 *
 * @return GM_SUCCESS            the manager has answered
 * @return GM_INVALID_PARAMETER  flow, class or bandwidth out of range
 * @return GM_OUT_OF_MEMORY      here or in the simulated cluster
 * @return GM_UNSUPPORTED_DEVICE the cards keep no pace
 * @return GM_FAILURE            this host's manager is dead (a fault)
 *
 * Best effort is denied only where the source node, with one more flow to
 * search, could not keep what it has promised (GM_QOS_SOURCE_NODE, nothing
 * left), or where its reverse traffic does not fit (left_bytes_s is then what
 * that could have). Ask again later, or gm_qos_watch_room(). A program may send
 * on the flow all the same, as on any that it has not asked for: unregulated,
 * and the promises of its node then hold no longer.
 *
 * idt = floor(8192 MB/s / bandwidth) ticks: one 4096-byte packet each
 * idt x 0.5 us. [source: DESIGN; gulati 2001 thesis 3.3.1 has T x Bmax / Breq]
 */
gm_status_t gm_qos_request(struct gm_port *port, const gm_qos_flow_t *flow,
                           double bandwidth_bytes_s,
                           enum gm_qos_class qos_class, double reverse_bytes_s,
                           gm_qos_answer_t *answer);

/** Most flows of gm_qos_request_all() and gm_qos_watch_room(). */
#define GM_QOS_MAX_REQUESTS 256

/** One flow of a request, as the arguments of gm_qos_request(). */
typedef struct gm_qos_request {
    gm_qos_flow_t flow;
    double bandwidth_bytes_s;
    enum gm_qos_class qos_class;
    double reverse_bytes_s;
    /** Of a premium flow: how much of its time the process at each end spends
     *  on it, seconds per second at bandwidth_bytes_s; >= 0, and 0 if nobody
     *  knows. A process is a port; what all premium flows that it sends and
     *  receives take may not be more than 1. They are charged for the bandwidth
     *  that their IDTs let them have, one that is alone with 1 at most. */
    double source_load, target_load;
    /* Of a premium flow; ignored for best effort. A message counts as whole
     * packets of gm_mtu() bytes, as it is charged. */
    unsigned message_bytes; /**< longest message; 0: one packet */
    unsigned burst_bytes;   /**< what the program may have posted beyond
                                 bandwidth x time; 0: one message. Less than
                                 message_bytes counts as one message */
    double delay_s;         /**< largest delay of a message that is acceptable,
                                 0 .. GM_QOS_MAX_DELAY_S; 0: any */
    double jitter_s;        /**< largest minus smallest delay, likewise */
} gm_qos_request_t;

/**
 * Ask for several flows of one port, all of them or none. A denial leaves each
 * flow as it was; nobody ever sees some of them granted.
 *
 * @param [in]  requests  count of them, each flow at most once
 * @param [in]  count     1..GM_QOS_MAX_REQUESTS
 * @param [out] answers   count of them, filled on GM_SUCCESS. `granted` is the
 *                        same in all; where it is 0, `criterion`, `place` and
 *                        `left_bytes_s` are filled for the flow that did not
 *                        fit and say GM_QOS_OK, "" and 0 for the others. Where
 *                        it is 1, `left_bytes_s` is that of the last flow, in
 *                        all.
 *
 * @return as gm_qos_request(); GM_INVALID_PARAMETER also for a count out of
 *         range or a flow that comes twice
 */
gm_status_t gm_qos_request_all(struct gm_port *port,
                               const gm_qos_request_t *requests, unsigned count,
                               gm_qos_answer_t *answers);

/** Called from gm_unknown() when there is room. */
typedef void (*gm_qos_room_callback_t)(struct gm_port *port, void *context);

/**
 * Be told, once, when a request like this would be granted: at once if it would
 * be now, else after somebody's release or decrease. Those who asked earlier
 * are told earlier. Nothing is reserved by it: ask then, and watch again if
 * somebody was faster. Returns at once.
 *
 * The notice comes as GM_ALARM_EVENT from a receive call; given to
 * gm_unknown(), it calls back. A watch ends with its callback, with
 * gm_qos_unwatch(), when its port is closed, and with its process.
 *
 * @param [in]  requests  as of gm_qos_request_all(); they are copied
 * @param [out] watch_p   the watch's number, > 0, unique on its port; may be
 *                        NULL
 *
 * @return GM_SUCCESS            the question is on its way
 * @return GM_INVALID_PARAMETER  as gm_qos_request_all(); callback is NULL
 * @return GM_OUT_OF_MEMORY, GM_UNSUPPORTED_DEVICE  as gm_qos_request()
 */
gm_status_t gm_qos_watch_room(struct gm_port *port,
                              const gm_qos_request_t *requests, unsigned count,
                              gm_qos_room_callback_t callback, void *context,
                              gm_u64_t *watch_p);

/**
 * End a watch; its callback does not run any more.
 *
 * @return GM_SUCCESS            it has ended
 * @return GM_INVALID_PARAMETER  no such watch: it has called back, or never was
 */
gm_status_t gm_qos_unwatch(struct gm_port *port, gm_u64_t watch);

/**
 * Give a flow's reservation or best-effort share back; IDT becomes 0.
 * Releasing a flow that holds nothing is GM_SUCCESS. Blocks like a request.
 *
 * @return GM_SUCCESS, GM_INVALID_PARAMETER
 * @return GM_OUT_OF_MEMORY, GM_FAILURE  as gm_qos_request()
 */
gm_status_t gm_qos_release(struct gm_port *port, const gm_qos_flow_t *flow);

/**
 * Look at a flow of this port.
 *
 * @return GM_SUCCESS            *state filled; a flow never used is
 *                               GM_QOS_UNMANAGED with zero counters
 * @return GM_INVALID_PARAMETER  flow out of range
 */
gm_status_t gm_qos_get_flow(struct gm_port *port, const gm_qos_flow_t *flow,
                            gm_qos_flow_state_t *state);

/**
 * What part of the bandwidth that is asked for a flow from now on is the
 * program's own data: for libraries that translate their own payload into GM's.
 * The record of the run (GMSIM_RECORD) tells it with each decision; nothing else
 * depends on it, and it costs nothing.
 *
 * @param [in] part  0..1; 0: not known
 * @return GM_SUCCESS, GM_INVALID_PARAMETER (port, flow, part)
 */
gm_status_t gm_qos_note_payload(struct gm_port *port, const gm_qos_flow_t *flow,
                                double part);

/**
 * For libraries whose messages need several sends, such as a rendezvous: its delay
 * counts from the beginning of the exchange to the arrival of the last send.
 *
 * @return the caller's time, ps, to be given to gm_qos_note_exchange(); 0 if the
 *         port is closed. Costs nothing.
 */
gm_u64_t gm_qos_begin_exchange(struct gm_port *port);
/**
 * The next send of this port is the last one of an exchange. Only worst_exchange_s of
 * gm_qos_flow_state_t depends on it.
 *
 * @param [in] began_ps  as gm_qos_begin_exchange() returned it; 0: none
 * @param [in] packets   of all sends of the exchange; 0: the next send ends none
 */
void gm_qos_note_exchange(struct gm_port *port, gm_u64_t began_ps,
                          unsigned packets);

/** gm_send_with_callback() on a labelled flow; same rules and errors. */
void gm_qos_send_with_callback(struct gm_port *port, void *message,
                               unsigned size, gm_size_t len, unsigned priority,
                               unsigned target_node, unsigned target_port,
                               unsigned label,
                               gm_send_completion_callback_t callback,
                               void *context);

/** gm_directed_send_with_callback() on a labelled flow; ordered with the
 *  other sends of the same flow. */
void gm_qos_directed_send_with_callback(
    struct gm_port *port, void *source, gm_remote_ptr_t target, gm_size_t len,
    enum gm_priority priority, unsigned target_node, unsigned target_port,
    unsigned label, gm_send_completion_callback_t callback, void *context);

/** gm_get() on a labelled flow. The answer shares the pace and the class of the
 *  target's own flow to this port on the same label. */
void gm_qos_get(struct gm_port *port, gm_remote_ptr_t remote, void *local,
                gm_size_t len, enum gm_priority priority, unsigned target_node,
                unsigned target_port, unsigned label,
                gm_send_completion_callback_t callback, void *context);

/** gm_drop_sends() for a labelled flow that stands still; the same rules. NULL
 *  does nothing. */
void gm_qos_drop_sends(struct gm_port *port, const gm_qos_flow_t *flow,
                       gm_send_completion_callback_t callback, void *context);
/** gm_resume_sending() for a labelled flow; the same rules. */
void gm_qos_resume_sending(struct gm_port *port, const gm_qos_flow_t *flow,
                           gm_send_completion_callback_t callback,
                           void *context);

/** Text of a class: "premium", "best effort", .. Never NULL. */
const char *gm_qos_class_name(enum gm_qos_class qos_class);
/** Text of a criterion: "source node", "link", "destination node", "source
 *  process", "destination process", "buffer", "delay", "jitter", "none". */
const char *gm_qos_criterion_name(enum gm_qos_criterion criterion);

#ifdef __cplusplus
}
#endif

#endif
