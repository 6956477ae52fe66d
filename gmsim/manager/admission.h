/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the bandwidth account: the promised bandwidth of every node and
 * link, and the remaining bandwidth that best-effort flows may share. The
 * account uses neither a clock nor messages.
 *
 * A premium flow charges product / IDT (`product' is the parameter
 * qos_idt_product) to its source node, to every link on its route and to its
 * destination node. A node's account is the sum over all flows that start or
 * end at the node. [source: gulati 2001 thesis 3.3.1] A premium IDT is rounded
 * down. The flow therefore receives at least the requested bandwidth, and is
 * charged the bandwidth of its IDT. The rule qos_node_rule (manager/service.h)
 * determines the capacity of a node, and the capacity of a link is
 * qos_link_bytes_s.
 *
 * Sums are integers, in units of 1/1024 byte/s. Therefore grants and releases
 * in any order leave no rounding error.
 *
 * Best-effort flows share the bandwidth that premium flows do not reserve. The
 * parameter qos_best_effort selects the rule: `minshare` or `maxmin`
 * (manager/share.h). A best-effort IDT is rounded up (the thesis rounds down),
 * because all flows together must not exceed the capacity. A flow that shares
 * no node or link with another managed flow has IDT 0 [source: gulati 2001
 * thesis 5.6]. If no bandwidth is left, the flow has the largest IDT. Such a
 * flow sends a packet every half second, because a receiver must not wait
 * forever. The account neither promises these packets nor includes them in its
 * sums.
 *
 * Best-effort flows request no rate. However, a NIC that searches more flows,
 * of any class, needs more time per packet. A best-effort request is therefore
 * denied if the additional flow would reduce the source node's capacity below
 * the node's promises. The criterion of this denial is the source node. The
 * reverse traffic of a best-effort flow is charged like any other traffic. If a
 * source node, link or destination node has too little bandwidth for this
 * traffic, the request is denied. In this case, left_bytes_s is the bandwidth
 * left for reverse traffic. The process may repeat the request later, or set a
 * watch. If the process sends anyway, its traffic is undeclared
 * (doc/design/0004).
 *
 * Every flow uses some of the processor time of its two processes. A process is
 * a port of a node, and has one second of processor time per second for
 * everything that it sends and receives. A premium request states how much
 * processor time per second the flow needs. The charge grows in proportion to
 * the bandwidth of the IDT. If a request needs at most all of a process's time,
 * the charge is limited to this time. The promises for one process
 * therefore never add up to more than its time, and its queue of messages
 * remains short. Best-effort flows are not charged for processor time.
 *
 * A change that does not increase the requirements of a flow is never denied.
 *
 * An idle flow also has the largest IDT, and does not take part in the sharing.
 * With this IDT, the flow may send one packet before its manager notices that
 * the flow is active again. The reverse traffic of an idle flow remains
 * charged, and the flow still counts as one of the flows that the NIC searches.
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
    /** the buffers for reserved packets behind a link, which are in a switch or
     *  in a NIC */
    GMS_QOS_BUFFER,
    GMS_QOS_DELAY,  /**< a delay bound, of this flow or of a flow already
                     * granted */
    GMS_QOS_JITTER, /**< a jitter bound, of this flow or of a flow already
                     * granted */
    GMS_QOS_LATENCY /**< a window of this flow or of a flow already granted
                     *  would receive less than GMS_QOS_KEPT of its bandwidth */
};

/** Returns the name of a criterion, such as "source node" or "link". The result
 *  is "" for GMS_QOS_OK, and NULL for values that are not criteria. */
const char *gms_qos_criterion_name(enum gms_qos_criterion criterion);

/** Returns 1 if the denial names the flow whose bound would be exceeded (the
 *  victim) instead of a resource. */
static inline int gms_qos_has_victim(enum gms_qos_criterion criterion)
{
    return criterion >= GMS_QOS_DELAY;
}

/** A flow with granted bandwidth B receives at least this fraction of B in
 *  every window. A window is an interval of GMS_QOS_WINDOW_PS, or of
 *  GMS_QOS_WINDOW_PACKETS at the flow's pace if that is longer
 *  (doc/guarantees.md). */
#define GMS_QOS_KEPT           0.995
#define GMS_QOS_WINDOW_PS      (100 * GMS_MS)
#define GMS_QOS_WINDOW_PACKETS 400u

typedef struct gms_account gms_account_t; /* in the arena */
typedef struct gms_grant gms_grant_t;     /* in the arena */

/** Time that each of the two processes of a flow spends on the flow, in seconds
 *  per second; 0: unknown. Single precision keeps the managers' records
 *  short. */
typedef struct gms_qos_load {
    float source, target;
} gms_qos_load_t;

/** Properties of a premium request in addition to the bandwidth, and the limits
 * that its sender must respect (doc/guarantees.md). Best effort ignores this
 * structure. */
typedef struct gms_qos_shape {
    /* length of the longest message, in bytes of GM payload; 0: one packet of
     * nic_mtu_bytes */
    uint32_t message_bytes;
    uint32_t burst_bytes; /* sigma: bytes of GM payload that the sender may
                               post at once in addition to its rate; 0: one
                               message */
    gms_time_t delay_ps;  /* largest acceptable delay; 0: any */
    /* largest acceptable difference between the largest and the smallest delay;
     * 0: any */
    gms_time_t jitter_ps;
} gms_qos_shape_t;

/** Guarantees that hold for a premium flow as long as the reservations in force
 *  do not change. If a delay or jitter was requested, the bound never exceeds
 *  the requested value. All values are 0 for best effort, and for bounds that
 *  have not been computed (doc/guarantees.md). */
typedef struct gms_qos_bounds {
    /* L of the service: in every interval of length t, a backlogged flow
     * receives at least rate x (t - L) */
    gms_time_t latency_ps;
    /* D of a message: the time from its post to its arrival in the receiving
     * host's memory, including its event */
    gms_time_t delay_ps;
    /* difference between the largest and the smallest delay of messages of
     * equal length */
    gms_time_t jitter_ps;
    /* c of the pace: in every interval of length t, the NIC dispatches at most
     * rate x t + c bytes */
    uint32_t burst_bytes;
} gms_qos_bounds_t;

/** One flow of a request. */
typedef struct gms_flow_request {
    unsigned source_node; /* source, counted from 0; target: key.target_node */
    unsigned rank;        /* rank of the process that requests the flow */
    gms_flow_key_t key;
    enum gms_qos_class qos_class; /* GMS_QOS_PREMIUM or GMS_QOS_BEST_EFFORT */
    double bytes_s;               /* greater than 0; ignored for best effort */
    /* rate of the reverse traffic, at least 0; this rate is charged to both
     * nodes and to the links of the reverse route */
    double reverse_bytes_s;
    /* load of the two processes at the bandwidth bytes_s; ignored for best
     * effort */
    gms_qos_load_t load;
    gms_qos_shape_t shape;
} gms_flow_request_t;

/** A managed flow. */
struct gms_grant {
    unsigned source_node; /* source, counted from 0; target: key.target_node */
    gms_flow_key_t key;
    enum gms_qos_class qos_class;
    uint32_t idt_ticks;
    /* premium: the charged bandwidth; best effort: the share, or 0 if the flow
     * is alone or idle */
    double bandwidth_bytes_s;
    /* rate of the reverse control traffic, charged like the forward traffic */
    double reverse_bytes_s;
    /* charged load of the processes at bandwidth_bytes_s */
    gms_qos_load_t load;
    gms_qos_shape_t shape; /* the requested shape */
    /* guarantees under the reservations that are currently in force */
    gms_qos_bounds_t bounds;
    unsigned rank; /* rank of the process that requested the flow */
    /* 1: a best-effort flow that does not use its share and is excluded from
     * the sharing */
    uint8_t idle;
    gms_grant_t *next;
};

typedef struct gms_qos_verdict {
    enum gms_qos_criterion criterion;
    /* number of the node, link or process (gms_account_process()), depending on
     * the criterion */
    uint32_t resource;
    /* if denied: remaining bandwidth of the resource without the request; for a
     * process, the largest bandwidth that this flow could request. If granted:
     * the smallest bandwidth that remains on the route of the last flow of a
     * set after the grant */
    double left_bytes_s;
    /* if denied: the IDT that the denied flow keeps; if granted: the IDT of the
     * last flow of a set */
    uint32_t idt_ticks;
    unsigned request; /* index of the denied request */
    /* if granted: the bounds of the last flow of a set; if denied for a delay
     * or jitter: the smallest bounds that would be granted */
    gms_qos_bounds_t bounds;
    unsigned victim_node;  /* if denied for a delay or jitter: source node of
                            * the flow whose bound would be exceeded */
    gms_flow_key_t victim; /* key of the flow whose bound would be exceeded */
} gms_qos_verdict_t;

/** Returns 1 if a flow was denied because its own delay or jitter cannot be
 *  guaranteed. */
int gms_qos_breaks_own_bound(const gms_qos_verdict_t *verdict, unsigned node,
                             const gms_flow_key_t *key);
/** Returns 1 if a flow was denied because it requests a delay or a jitter, but
 *  no bounds are computed on the cluster. */
int gms_qos_lacks_bounds(const gms_qos_verdict_t *verdict, unsigned node,
                         const gms_flow_key_t *key);

/** The account calls this function for every flow whose IDT has changed.
 *  idt_before is the IDT currently in the NIC (0 for a new flow). Flows that
 *  become slower are reported before all other flows, in the order of their
 *  first requests. Therefore the bandwidth in use never exceeds the available
 *  bandwidth. */
typedef void gms_idt_changed_fn(void *context, const gms_grant_t *grant,
                                uint32_t idt_before);

/** Creates an account. The account refers to the topology, which must outlive
 *  the account.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_account_create(gms_arena_t *arena, gms_topology_t *topology,
                                const gms_params_t *params,
                                gms_account_t **account_p);
/** NULL is allowed. */
void gms_account_destroy(gms_account_t *account);
/** The first function converts a bandwidth to its IDT, which is floor(product /
 *  (bytes/s)), but at least 1 and at most 1000000. The second function converts
 *  an IDT to the bandwidth that it allows. */
uint32_t gms_account_idt(const gms_params_t *params, double bytes_s);
double gms_account_bandwidth(const gms_params_t *params, uint32_t idt_ticks);
/** Returns the load that is charged to a process. The request states `load` for
 *  `asked` bytes/s, and `granted` bytes/s are granted. */
float gms_account_load(float load, double asked_bytes_s,
                       double granted_bytes_s);
/** Converts a node and a port to the number of a process, and back. */
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
 * Requests flows. Either all requests are granted or none. Every request is
 * decided as if earlier flows of the set were already granted, and a denial
 * changes nothing. A request for a managed flow (same source node and key)
 * changes this flow. A flow that was not managed before is always reported as
 * changed.
 *
 * @param [in] count >= 1
 * @return GMS_OK the verdict is filled in; the request is granted or denied
 * @return GMS_ERR_NO_MEMORY the account is unchanged
 * @return GMS_ERR_INVALID_PARAM class, node or bandwidth of a request is out of
 *         range, or count is 0
 */
gms_status_t gms_account_request(gms_account_t *account,
                                 const gms_flow_request_t *requests,
                                 unsigned count, gms_idt_changed_fn *changed,
                                 void *context, gms_qos_verdict_t *verdict);
/** Checks whether a request would be granted, without changing the account. The
 *  shares of best effort are not computed, so the verdict contains an IDT only
 *  for premium flows. Returns the same values as gms_account_request(). */
gms_status_t gms_account_would_grant(gms_account_t *account,
                                     const gms_flow_request_t *requests,
                                     unsigned count,
                                     gms_qos_verdict_t *verdict);
/** Releases a flow. The callback receives the released flow first, with IDT 0
 *  and GMS_QOS_UNMANAGED. The grant of this flow becomes invalid when this call
 *  of the callback returns. If the flow's IDT was 0, the flow is not reported.
 *  @return GMS_OK, GMS_ERR_NOT_FOUND */
gms_status_t gms_account_release(gms_account_t *account, unsigned source_node,
                                 const gms_flow_key_t *key,
                                 gms_idt_changed_fn *changed, void *context);
/** Marks a best-effort flow as idle, or as active again. The function has no
 * effect on other flows.
 *  @return GMS_OK, GMS_ERR_NOT_FOUND, GMS_ERR_NO_MEMORY */
gms_status_t gms_account_set_idle(gms_account_t *account, unsigned source_node,
                                  const gms_flow_key_t *key, int idle,
                                  gms_idt_changed_fn *changed, void *context);
/**
 * Adopts a grant of another account unchanged, without checking whether it
 * fits. A new master uses this function to take over the promises of the former
 * master. If the flow is already managed, the grant replaces its data.
 *
 * @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_INVALID_PARAM
 */
gms_status_t gms_account_adopt(gms_account_t *account,
                               const gms_grant_t *grant);
/** Recomputes the shares of best effort after a series of adopted grants. The
 *  callback receives the flows whose IDT differs from the adopted IDT.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_account_settle(gms_account_t *account,
                                gms_idt_changed_fn *changed, void *context);
/** Returns NULL if the flow is not managed. */
const gms_grant_t *gms_account_find(const gms_account_t *account,
                                    unsigned source_node,
                                    const gms_flow_key_t *key);
/** Returns the first grant in the order of the requests. The field `next`
 *  points to the next grant. */
const gms_grant_t *gms_account_first(const gms_account_t *account);

/** Returns how many rates of best-effort flows were computed since the start,
 *  as a measure of the cost of sharing. Many of these rates differ too little
 *  from the previous rate to change the IDT. */
uint64_t gms_account_rates(const gms_account_t *account);

/** Return the promised bandwidth of a node (in and out) or of a link, and the
 *  total bandwidth that the node or link can currently promise; bytes/s. */
void gms_account_node_use(const gms_account_t *account, unsigned node,
                          double *promised_p, double *capacity_p);
void gms_account_link_use(const gms_account_t *account, uint32_t link,
                          double *promised_p, double *capacity_p);
/** Return the largest number of reserved packets that may wait in the switch
 *  behind a link, or in a node's NIC (manager/bound.h). 0: no rule limits this
 *  number. */
uint64_t gms_account_link_packets(const gms_account_t *account, uint32_t link);
uint64_t gms_account_node_packets(const gms_account_t *account, unsigned node);
/** Returns the bound on the delay of messages of at most GMS_NIC_REVERSE_MOST
 *  bytes in a flow's reverse traffic. Returns 0 if the flow has no reverse
 *  traffic, or if no rule limits the delay.
 *  @param [in] grant a grant that belongs to the account */
gms_time_t gms_account_reverse_delay(const gms_grant_t *grant);
/** Returns the fraction of a process's time that is promised, 0..1. */
double gms_account_process_use(const gms_account_t *account, uint32_t process);

#endif
