/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * The bandwidth account: the bandwidth that is promised on every node and link,
 * and the remaining bandwidth that best-effort flows may share. It is
 * bookkeeping only, without a clock or messages.
 *
 * A premium flow charges product / IDT to its source node, to every link on its
 * route and to its destination node; a node's account is the sum over all flows
 * that start or end there. [source: gulati 2001 thesis 3.3.1] A premium IDT is
 * rounded down: the flow receives at least the requested bandwidth, and is
 * charged the bandwidth of its IDT. The capacity of a node follows
 * qos_node_rule (manager/service.h), that of a link is qos_link_bytes_s.
 *
 * Sums are integers, in units of 1/1024 byte/s: grants and releases in any
 * order leave no rounding error.
 *
 * Best-effort flows share the bandwidth that premium flows leave, by
 * qos_best_effort: `minshare` or `maxmin` (manager/share.h). A best-effort IDT
 * is rounded up (the thesis rounds down), because all flows together must not
 * exceed the capacity. A flow that meets no other managed flow on any node or
 * link has IDT 0 [source: gulati 2001 thesis 5.6]. If no bandwidth is left, it
 * has the largest IDT: a packet every half second, which keeps a receiver from
 * waiting for ever. These packets are in no sum, and not promised.
 *
 * Best effort requests no rate, but a NIC needs more time per packet the more
 * flows of any class it searches. A best-effort request is therefore denied by
 * the criterion of the source node if another flow there would reduce the
 * capacity below the promises. It is denied by one of the three criteria if its
 * reverse traffic, which is charged like any traffic, does not fit:
 * left_bytes_s is then the bandwidth left for reverse traffic. The process may
 * request again, or watch for room; if it sends anyway, its traffic is
 * undeclared (doc/design/0004).
 *
 * The two processes of a flow spend a part of every second on it. A process is
 * a port of a node, and has one second per second for everything that it sends
 * and receives. A premium request states this part; it is charged in proportion
 * to the bandwidth of the IDT, but with at most the whole process if the
 * request was not larger. The promises to one process therefore never add up to
 * more than it can do, and its queue of messages stays short. Best effort is
 * not charged.
 *
 * A change that takes no more than before is never denied.
 *
 * An idle flow also has the largest IDT, and takes no part in the sharing: it
 * may send one packet before its manager notices. Its reverse traffic stays
 * charged, and it stays in the count of flows that a NIC searches.
 */
#ifndef MANAGER_ADMISSION_H
#define MANAGER_ADMISSION_H

#include <stdint.h>

#include "params/params.h"
#include "engine/arena.h"
#include "fabric/topology.h"
#include "nic/nic.h"

enum gms_qos_class {
    GMS_QOS_UNMANAGED,
    GMS_QOS_PREMIUM,
    GMS_QOS_BEST_EFFORT,
    GMS_QOS_FIXED
};
enum gms_qos_criterion {
    GMS_QOS_OK,
    GMS_QOS_SOURCE_NODE,
    GMS_QOS_LINK,
    GMS_QOS_DESTINATION_NODE,
    GMS_QOS_SOURCE_PROCESS,
    GMS_QOS_DESTINATION_PROCESS,
    GMS_QOS_BUFFER, /**< reserved packet buffers behind a
                                              link: in a switch or a NIC */
    GMS_QOS_DELAY,  /**< a delay bound, of this flow or of
                                              one that is in force */
    GMS_QOS_JITTER, /**< a jitter bound, likewise */
    GMS_QOS_LATENCY /**< a window of a flow, likewise,
                                              would have less than
                                              GMS_QOS_KEPT of its bandwidth */
};

/** "source node", "link", ..; "" for GMS_QOS_OK, NULL for no criterion. */
const char *gms_qos_criterion_name(enum gms_qos_criterion criterion);

/** Denials that name a flow whose bound would break (victim), not a place. */
static inline int gms_qos_has_victim(enum gms_qos_criterion criterion)
{
    return criterion >= GMS_QOS_DELAY;
}

/** A flow that is granted B gets at least this part of B in every window: an
 *  interval of GMS_QOS_WINDOW_PS, or of GMS_QOS_WINDOW_PACKETS at the flow's pace
 *  if that is longer (doc/guarantees.md). */
#define GMS_QOS_KEPT           0.995
#define GMS_QOS_WINDOW_PS      (100 * GMS_MS)
#define GMS_QOS_WINDOW_PACKETS 400u

typedef struct gms_account gms_account_t; /* in the arena */
typedef struct gms_grant gms_grant_t;     /* in the arena */

/** Parts of the time of a flow's processes that go into it, seconds per second;
 *  0 where nobody knows. Single precision keeps the managers' records short. */
typedef struct gms_qos_load {
    float source, target;
} gms_qos_load_t;

/** What a premium request asks for beside a bandwidth, and what its sender keeps
 *  to (doc/guarantees.md). Ignored for best effort. */
typedef struct gms_qos_shape {
    uint32_t message_bytes; /* longest message, GM payload; 0: one packet of
                               nic_mtu_bytes */
    uint32_t burst_bytes;   /* sigma: GM payload that the sender may have posted
                               beyond its rate; 0: one message */
    gms_time_t delay_ps;    /* largest delay that is acceptable; 0: any */
    gms_time_t jitter_ps;   /* likewise, largest minus smallest delay; 0: any */
} gms_qos_shape_t;

/** What is guaranteed to a premium flow as long as the reservations in force do
 *  not change; where a delay or jitter was asked for, it stays at most that.
 *  All 0: best effort, or not computed. (doc/guarantees.md) */
typedef struct gms_qos_bounds {
    gms_time_t latency_ps; /* L of the service: a backlogged flow receives
                              rate x (t - L) at least in every interval t */
    gms_time_t delay_ps;   /* D of a message, from its post to its arrival in
                              the receiving host's memory, its event included */
    gms_time_t jitter_ps;  /* largest minus smallest delay of messages of one
                              length */
    uint32_t burst_bytes;  /* c of the pace: in every interval t the NIC
                              dispatches at most rate x t + c bytes */
} gms_qos_bounds_t;

/** One flow of a request. */
typedef struct gms_flow_request {
    unsigned source_node; /* 0-based; key.target_node is the other */
    unsigned rank;        /* who asks */
    gms_flow_key_t key;
    enum gms_qos_class qos_class; /* GMS_QOS_PREMIUM or GMS_QOS_BEST_EFFORT */
    double bytes_s;               /* > 0; ignored for best effort */
    double reverse_bytes_s;       /* >= 0; charged to both nodes and to the
                                     links of the way back */
    gms_qos_load_t load;          /* at bytes_s; >= 0; ignored for best
                                     effort */
    gms_qos_shape_t shape;
} gms_flow_request_t;

/** A managed flow. */
struct gms_grant {
    unsigned source_node; /* 0-based; key.target_node is the destination */
    gms_flow_key_t key;
    enum gms_qos_class qos_class;
    uint32_t idt_ticks;
    double bandwidth_bytes_s; /* charged (premium) or shared (best effort,
                                 0 when alone or idle) */
    double reverse_bytes_s;   /* control traffic back, charged like it */
    gms_qos_load_t load;      /* of the processes, charged: at
                                 bandwidth_bytes_s */
    gms_qos_shape_t shape;    /* as asked for */
    gms_qos_bounds_t bounds;  /* with the reservations in force now */
    unsigned rank;            /* who asked */
    uint8_t idle;             /* best effort that does not use its share:
                                 counts as if it were not there */
    gms_grant_t *next;
};

typedef struct gms_qos_verdict {
    enum gms_qos_criterion criterion;
    uint32_t resource;       /* by criterion: node, link, or process: see
                                 gms_account_process() */
    double left_bytes_s;     /* left there without the request; if granted,
                                 the least left on the route with it, of the
                                 last flow of a set. Of a process: the most
                                 that such a flow could ask for */
    uint32_t idt_ticks;      /* of the denied flow: the one that it keeps;
                                 if granted, of the last of a set */
    unsigned request;        /* which of them was denied */
    gms_qos_bounds_t bounds; /* if granted: of the last of a set; if denied for
                                 a delay or jitter: the least that could be
                                 granted */
    unsigned victim_node;    /* denied for a delay or jitter: source node, */
    gms_flow_key_t victim;   /* and key of the flow whose bound would break */
} gms_qos_verdict_t;

/** Told of each flow whose IDT has changed; idt_before as the NIC has it (0 for
 *  one that is new here). First those that slow down, in the order in which
 *  they were first asked for, then the others, so that no step between gives
 *  out more than there is. */
typedef void gms_idt_changed_fn(void *context, const gms_grant_t *grant,
                                uint32_t idt_before);

/** The account refers to the topology, which must outlive it.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_account_create(gms_arena_t *arena, gms_topology_t *topology,
                                const gms_params_t *params,
                                gms_account_t **account_p);
/** NULL is fine. */
void gms_account_destroy(gms_account_t *account);
/** IDT of a bandwidth: floor(product / (bytes/s)), at least 1, at most
 *  1000000; and the bandwidth that an IDT stands for. */
uint32_t gms_account_idt(const gms_params_t *params, double bytes_s);
double gms_account_bandwidth(const gms_params_t *params, uint32_t idt_ticks);
/** What a process is charged with where `asked` bytes/s would be `load`, and
 *  `granted` were given. */
float gms_account_load(float load, double asked_bytes_s,
                       double granted_bytes_s);
/** The number of a process, and back. */
static inline uint32_t gms_account_process(const gms_params_t *params,
                                           unsigned node, unsigned port)
{
    return node * (uint32_t)params->gm_ports + port;
}
static inline void gms_account_process_at(const gms_params_t *params,
                                          uint32_t process, unsigned *node_p,
                                          unsigned *port_p)
{
    *node_p = process / (uint32_t)params->gm_ports;
    *port_p = process % (uint32_t)params->gm_ports;
}

/**
 * Ask for flows, all of them or none: later ones see those before them, and a
 * denial leaves everything as it was. Asking again for the same (source node,
 * key) changes a flow. A flow that was not managed before always counts as
 * changed.
 *
 * @param [in] count  >= 1
 *
 * @return GMS_OK                 the verdict is filled, granted or denied
 * @return GMS_ERR_NO_MEMORY      nothing has changed
 * @return GMS_ERR_INVALID_PARAM  class, node or bandwidth of one of them out of
 *                                range, or none asked for
 */
gms_status_t gms_account_request(gms_account_t *account,
                                 const gms_flow_request_t *requests,
                                 unsigned count, gms_idt_changed_fn *changed,
                                 void *context, gms_qos_verdict_t *verdict);
/** Would they be granted? Changes nothing; best effort is not shared out, so
 *  the verdict's IDT is that of premium flows only. Returns as a request. */
gms_status_t gms_account_would_grant(gms_account_t *account,
                                     const gms_flow_request_t *requests,
                                     unsigned count,
                                     gms_qos_verdict_t *verdict);
/** The released flow is told of first, with IDT 0 and GMS_QOS_UNMANAGED, the
 *  last time that its grant is valid; not if its IDT was 0.
 *  @return GMS_OK, GMS_ERR_NOT_FOUND */
gms_status_t gms_account_release(gms_account_t *account, unsigned source_node,
                                 const gms_flow_key_t *key,
                                 gms_idt_changed_fn *changed, void *context);
/** A best-effort flow has stopped using its share, or wants it back; of any
 *  other flow: nothing happens.
 *  @return GMS_OK, GMS_ERR_NOT_FOUND, GMS_ERR_NO_MEMORY */
gms_status_t gms_account_set_idle(gms_account_t *account, unsigned source_node,
                                  const gms_flow_key_t *key, int idle,
                                  gms_idt_changed_fn *changed, void *context);
/**
 * Take a grant over from another account as it stands, without asking whether
 * there is room: a new master learns what is promised. Of a flow that is
 * managed already, what the grant says replaces it.
 * @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_INVALID_PARAM
 */
gms_status_t gms_account_adopt(gms_account_t *account,
                               const gms_grant_t *grant);
/** Best effort shares anew, after a row of adopts: tells of those whose IDT is
 *  not the one that was adopted. @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_account_settle(gms_account_t *account,
                                gms_idt_changed_fn *changed, void *context);
/** NULL if the flow is not managed. */
const gms_grant_t *gms_account_find(const gms_account_t *account,
                                    unsigned source_node,
                                    const gms_flow_key_t *key);
/** First grant; follow ->next. In order of request. */
const gms_grant_t *gms_account_first(const gms_account_t *account);

/** How often a best-effort flow's rate was worked out anew since the start: the
 *  measure of what sharing costs. Many a change is too small for another
 *  IDT. */
uint64_t gms_account_rates(const gms_account_t *account);

/** What is promised at a node (in and out) or on a link, and what it could
 *  promise in all as things are; bytes/s. */
void gms_account_node_use(const gms_account_t *account, unsigned node,
                          double *promised_p, double *capacity_p);
void gms_account_link_use(const gms_account_t *account, uint32_t link,
                          double *promised_p, double *capacity_p);
/** Most reserved packets that may wait at a time in the switch behind a link, or
 *  in a node's NIC (manager/bound.h); 0 where no rule bounds them. */
uint64_t gms_account_link_packets(const gms_account_t *account, uint32_t link);
uint64_t gms_account_node_packets(const gms_account_t *account, unsigned node);
/** Largest delay of a message of a flow's reverse traffic, of at most
 *  GMS_NIC_REVERSE_MOST bytes; 0: it has none, or no rule bounds it.
 *  @param [in] grant  the account's own */
gms_time_t gms_account_reverse_delay(const gms_grant_t *grant);
/** How much of a process's time is promised, 0..1. */
double gms_account_process_use(const gms_account_t *account, uint32_t process);

#endif
