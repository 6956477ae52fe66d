/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Simulates a cluster with traffic but without processes. Experiments and tests
 * define flows, run them for some virtual time, and read the bandwidth and the
 * delays of every flow. NICs, fabric and managers are the same as in a run with
 * processes. Only the programs are replaced by stand-ins, which are driven by
 * events.
 *
 * Every node has one stand-in. The stand-in spends as much time as a single
 * process that executes the following steps in turn for all flows and ports of
 * the node:
 *
 *   - Fill: while at least one flow has fewer than in_flight posted messages,
 *     post a message of the next such flow (host_send_ps + host_pio_ps). The
 *     flows take turns.
 *   - Then take the oldest event of the node's ports (host_receive_ps). If the
 *     event is the end of a send (host_callback_ps), fill again. If it is an
 *     arrived message, provide a new buffer (host_provide_ps).
 *
 * These steps cost as much as the calls of a GM program that does not compute.
 * The programs neither produce nor read data: all messages of the cluster are
 * sent from one buffer and received into another buffer. If a failed send stops
 * a stream, the stand-in resumes the stream immediately, and the failed message
 * is lost.
 *
 * Only one thread may use a scenario, but any number of scenarios may exist at
 * the same time.
 */
#ifndef EXPERIMENTS_SCENARIO_H
#define EXPERIMENTS_SCENARIO_H

#include <stdint.h>

#include "fabric/graph.h"
#include "params/params.h"
#include "nic/nic.h"
#include "manager/manager.h"
#include "experiments/watch.h"

/** Size of the buffer for an error message of gms_scenario_create(), bytes. */
#define GMS_SCENARIO_ERROR_LEN 512

typedef struct gms_scenario gms_scenario_t; /* in private memory, not in the
                                             * arena */

/** Method that determines a flow's pace. */
enum gms_traffic_control {
    /* the flow has the IDT idt_ticks; if idt_ticks is 0, the flow is not
     * regulated */
    GMS_TRAFFIC_IDT = 0,
    GMS_TRAFFIC_PREMIUM,     /* the flow requests bytes_s from the manager */
    GMS_TRAFFIC_BEST_EFFORT, /* the flow requests a share of the best-effort
                              * bandwidth */
    /* the flow makes no request and has no IDT; the NIC creates the flow when
     * it sends its first packet */
    GMS_TRAFFIC_UNDECLARED
};

/** Times at which a flow has messages to send. */
enum gms_traffic_pattern {
    GMS_TRAFFIC_BACKLOGGED = 0, /* the flow always has messages to send, from
                                 * start to stop */
    /* the flow has messages to send for on_ps, and then none for off_ps. If
     * is_random is set, the lengths of both periods are exponentially
     * distributed, with the means on_ps and off_ps */
    GMS_TRAFFIC_ON_OFF
};

typedef struct gms_traffic {
    /* numbers of nodes, counting from 0; may be equal */
    unsigned source, target;
    unsigned source_port, target_port; /* numbers of ports; 0: the first user
                                        * port, which is port 2 */
    uint32_t label;
    uint8_t priority;
    uint32_t message_bytes; /* 1..1 MiB */
    unsigned in_flight;     /* maximum number of posted messages, 1..1024 */
    enum gms_traffic_control control;
    uint32_t idt_ticks;
    double bytes_s;
    double reverse_bytes_s; /* for premium flows: bandwidth of the reverse
                             * traffic */
    gms_qos_load_t load;    /* for premium flows: load of the two processes */
    gms_qos_shape_t shape;  /* for premium flows: further parameters of the
                             * request, in addition to bytes_s */
    /* time of the request or, without a request, of the first message; a time
     * in the past is treated as the present time. After a request, the flow
     * sends as soon as the request is granted */
    gms_time_t start_ps;
    /* time after which the flow posts no messages; 0 or GMS_NEVER: the flow
     * never stops. The flow releases its grant when all posted messages have
     * ended */
    gms_time_t stop_ps;
    enum gms_traffic_pattern pattern;
    gms_time_t on_ps, off_ps;
    int is_random;
    /* 1: the sender limits its own rate to the rate of the flow's IDT at the
     * time of the first message. The sender may be ahead of this rate by
     * burst_bytes. This field is ignored if the flow has no IDT */
    int is_paced;
    uint32_t burst_bytes; /* if this value is smaller than a message, one
                           * message may still be posted immediately */
    /* 1: the target's NIC already has the first buffers and need not fetch them
     * one at a time */
    int is_preset;
    /* 1: the flow makes its request, but sends no message before
     * gms_scenario_go() */
    int is_held;
} gms_traffic_t;

/**
 * Create a cluster without flows.
 *
 * @param [in]  params  from gms_params_init() or a cluster description
 * @param [in] graph graph of topology `graph`; otherwise NULL
 * @param [out] error reason for a failure
 *
 * @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_scenario_create(const gms_params_t *params,
                                 const gms_graph_t *graph,
                                 gms_scenario_t **scenario_p,
                                 char error[GMS_SCENARIO_ERROR_LEN]);
void gms_scenario_destroy(gms_scenario_t *scenario);

/** Add a flow before or during the run. Two flows must differ in source,
 *  target, ports, priority or label. @return number of the flow, counting from
 *  0. UINT32_MAX: a value is out of range, the port does not exist, the flow
 *  already exists, or memory is exhausted */
uint32_t gms_scenario_add(gms_scenario_t *scenario,
                          const gms_traffic_t *traffic);
/** Allow a held flow to send from the given time on, or immediately if the time
 *  is in the past. If the flow has not yet been admitted, it sends as soon as
 *  it is admitted. */
void gms_scenario_go(gms_scenario_t *scenario, uint32_t flow, gms_time_t at_ps);
/** Begin to observe a flow's messages and packets (experiments/watch.h).
 *  @return NULL if memory is exhausted */
gms_flow_watch_t *gms_scenario_watch(gms_scenario_t *scenario, uint32_t flow);
/** End a flow at the present time. The flow posts no more messages, and
 *  releases its grant as soon as its posted messages have ended. */
void gms_scenario_end(gms_scenario_t *scenario, uint32_t flow);
/** Return 1 if the flow may send because it has a grant or needs no grant. */
int gms_scenario_is_sending(const gms_scenario_t *scenario, uint32_t flow);
/** Return the flow's grant in the master's account; NULL if the flow has no
 *  grant. The pointer is valid until the next event. */
const gms_grant_t *gms_scenario_grant(const gms_scenario_t *scenario,
                                      uint32_t flow);
/** Run the scenario up to a virtual time. The function may be called again with
 *  a later time. */
void gms_scenario_run(gms_scenario_t *scenario, gms_time_t until_ps);

/** Return the number of payload bytes that have arrived in the receiving host's
 *  memory since the start. Every packet is counted when it arrives. */
uint64_t gms_scenario_received_bytes(const gms_scenario_t *scenario,
                                     uint32_t flow);
/** Return the number of payload bytes that the sending NIC's scheduler has
 *  dispatched, without retransmissions. */
uint64_t gms_scenario_sent_bytes(const gms_scenario_t *scenario, uint32_t flow);
/** Measure the mean bandwidth between two times, in bytes/s of payload that
 *  arrives at the target. The function runs the scenario up to to_ps. The times
 *  must be from_ps >= now and to_ps > from_ps.
 *  @param [out] bytes_s bandwidths of the flows 0 .. count - 1 */
void gms_scenario_measure(gms_scenario_t *scenario, gms_time_t from_ps,
                          gms_time_t to_ps, double *bytes_s, unsigned count);
/** Return the last answer of the manager; NULL if no request was made, or if
 *  the request has not yet been answered. */
const gms_qos_call_t *gms_scenario_answer(const gms_scenario_t *scenario,
                                          uint32_t flow);
/** Return the current IDT of a flow in ticks. */
uint32_t gms_scenario_idt(const gms_scenario_t *scenario, uint32_t flow);

/** A packet that a NIC's scheduler dispatched. */
typedef struct gms_dispatch {
    uint64_t rtc; /* tick of the NIC's real-time clock */
    /* number from gms_scenario_add(); UINT32_MAX: a flow of a manager */
    uint32_t flow;
    uint32_t bytes; /* payload */
} gms_dispatch_t;

/** Begin to log all packets that a node dispatches.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_scenario_log_dispatches(gms_scenario_t *scenario,
                                         unsigned node);
/** Return the log of a node, with the oldest packet first. The log is valid
 *  until the next call for the node. With the parameter nic_dispatch_records,
 *  every node has a log of that length from the start. @return number of
 *  packets; 0 with *log_p NULL if memory is exhausted */
uint64_t gms_scenario_dispatches(gms_scenario_t *scenario, unsigned node,
                                 const gms_dispatch_t **log_p);

/* Return the context or a part of the simulation. Tests use these functions to
 * inspect the simulation and to inject faults. */
gms_ctx_t *gms_scenario_ctx(gms_scenario_t *scenario);
gms_fabric_t *gms_scenario_fabric(gms_scenario_t *scenario);
gms_nic_t *gms_scenario_nic(gms_scenario_t *scenario, unsigned node);
gms_manager_t *gms_scenario_manager(gms_scenario_t *scenario);
gms_time_t gms_scenario_now(const gms_scenario_t *scenario);

#endif
