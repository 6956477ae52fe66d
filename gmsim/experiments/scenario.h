/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * A simulated cluster with traffic but without processes: experiments and tests
 * define flows, run them for some virtual time, and read the bandwidth and the
 * delays of every flow. NICs, fabric and managers are the same as in a run with
 * processes; only the programs are replaced by stand-ins, driven by events.
 *
 * Every node has one stand-in. The stand-in spends time like one process that
 * executes one step after the other, for any number of flows and ports at the
 * node:
 *
 *   - fill: while some flow has fewer than in_flight messages posted, post one
 *     (host_send_ps + host_pio_ps), of one flow after the other;
 *   - then take the oldest event of its ports (host_receive_ps). After a send's
 *     end (host_callback_ps) fill again; for a message that arrived provide a
 *     new buffer (host_provide_ps).
 *
 * These steps have the cost of a GM program's calls, without any computation.
 * Data are neither produced nor read: all messages of the cluster are sent from
 * one buffer and received into another. A stream that a failed send has stopped
 * is resumed at once; the failed message is lost.
 *
 * A scenario is used by one thread; any number of scenarios may exist at a
 * time.
 */
#ifndef EXPERIMENTS_SCENARIO_H
#define EXPERIMENTS_SCENARIO_H

#include <stdint.h>

#include "fabric/graph.h"
#include "params/params.h"
#include "nic/nic.h"
#include "manager/manager.h"
#include "experiments/watch.h"

/** Length of an error text of gms_scenario_create(), bytes. */
#define GMS_SCENARIO_ERROR_LEN 512

typedef struct gms_scenario gms_scenario_t; /* in private memory */

/** How the pace of a flow is determined. */
enum gms_traffic_control {
    GMS_TRAFFIC_IDT = 0,     /* idt_ticks, set directly; 0: not regulated */
    GMS_TRAFFIC_PREMIUM,     /* requests bytes_s from the manager */
    GMS_TRAFFIC_BEST_EFFORT, /* requests a share of best effort */
    /* no request and no IDT: the NIC creates the flow at its first packet */
    GMS_TRAFFIC_UNDECLARED
};

/** When a flow has messages to send. */
enum gms_traffic_pattern {
    GMS_TRAFFIC_BACKLOGGED = 0, /* always, from start to stop */
    GMS_TRAFFIC_ON_OFF          /* for on_ps, then nothing for off_ps; both
                                   are means of exponential times if
                                   is_random */
};

typedef struct gms_traffic {
    unsigned source, target;           /* nodes, from 0; may be equal */
    unsigned source_port, target_port; /* 0: the first user port, 2 */
    uint32_t label;
    uint8_t priority;
    uint32_t message_bytes; /* 1..1 MiB */
    unsigned in_flight;     /* maximum number of posted messages, 1..1024 */
    enum gms_traffic_control control;
    uint32_t idt_ticks;
    double bytes_s;
    double reverse_bytes_s; /* premium: bandwidth of the reverse traffic */
    gms_qos_load_t load;    /* premium: load of the two processes */
    gms_qos_shape_t shape;  /* premium: requested in addition to bytes_s */
    /* time of the request, if any; the flow sends when the request is granted;
     * a time in the past means now */
    gms_time_t start_ps;
    /* no new messages from this time; the grant is released when the posted
     * messages have ended; 0 or GMS_NEVER: never */
    gms_time_t stop_ps;
    enum gms_traffic_pattern pattern;
    gms_time_t on_ps, off_ps;
    int is_random;
    /* the sender keeps to (burst, rate): it posts messages at the rate of
     * the IDT at its start, and at most burst_bytes ahead; ignored without
     * an IDT */
    int is_paced;
    uint32_t burst_bytes; /* at least one message is posted at once */
    /* the target's NIC has the first buffers already and need not fetch them
     * one by one */
    int is_preset;
    int is_held; /* requests, but sends nothing before gms_scenario_go() */
} gms_traffic_t;

/**
 * Create a cluster without flows.
 *
 * @param [in]  params  from gms_params_init() or a cluster description
 * @param [in]  graph   for topology `graph`; may be NULL
 * @param [out] error   reason of an error; GMS_SCENARIO_ERROR_LEN bytes
 *
 * @return GMS_OK, GMS_ERR_CONFIG, GMS_ERR_NO_MEMORY
 */
gms_status_t gms_scenario_create(const gms_params_t *params,
                                 const gms_graph_t *graph,
                                 gms_scenario_t **scenario_p,
                                 char error[GMS_SCENARIO_ERROR_LEN]);
void gms_scenario_destroy(gms_scenario_t *scenario);

/** Add a flow, before or during the run. Two flows must differ in source,
 *  target, ports, priority or label.
 *  @return its number, from 0; UINT32_MAX: a value is out of range, the port
 *    does not exist, the flow exists already, or memory is exhausted */
uint32_t gms_scenario_add(gms_scenario_t *scenario,
                          const gms_traffic_t *traffic);
/** Let a held flow send from a time on (now, if the time is in the past), as
 *  soon as it is admitted. */
void gms_scenario_go(gms_scenario_t *scenario, uint32_t flow, gms_time_t at_ps);
/** Observe a flow's messages and packets from now on (experiments/watch.h).
 *  @return NULL if memory is exhausted */
gms_flow_watch_t *gms_scenario_watch(gms_scenario_t *scenario, uint32_t flow);
/** End a flow now: it posts nothing new, and releases its grant as soon as its
 *  posted messages have ended. */
void gms_scenario_end(gms_scenario_t *scenario, uint32_t flow);
/** Return whether the flow may send, because it has a grant or needs none. */
int gms_scenario_is_sending(const gms_scenario_t *scenario, uint32_t flow);
/** Return the flow's grant in the master's account; NULL: no grant. Valid until
 *  the next event. */
const gms_grant_t *gms_scenario_grant(const gms_scenario_t *scenario,
                                      uint32_t flow);
/** Run up to a virtual time; may be called again for a later one. */
void gms_scenario_run(gms_scenario_t *scenario, gms_time_t until_ps);

/** Return the payload that has arrived in the receiving host's memory since the
 *  start, counted by packets. */
uint64_t gms_scenario_received_bytes(const gms_scenario_t *scenario,
                                     uint32_t flow);
/** Return the payload that the sending NIC's scheduler has dispatched, without
 *  retransmissions. */
uint64_t gms_scenario_sent_bytes(const gms_scenario_t *scenario, uint32_t flow);
/** Measure the mean bandwidth between two times, in bytes/s of payload that
 *  arrives at the target. The function runs the scenario up to to_ps > from_ps
 *  >= now.
 *  @param [out] bytes_s  of flows 0 .. count - 1 */
void gms_scenario_measure(gms_scenario_t *scenario, gms_time_t from_ps,
                          gms_time_t to_ps, double *bytes_s, unsigned count);
/** Return the last answer of the manager; NULL: no request, or no answer
 *  yet. */
const gms_qos_call_t *gms_scenario_answer(const gms_scenario_t *scenario,
                                          uint32_t flow);
/** Return the IDT in force, ticks. */
uint32_t gms_scenario_idt(const gms_scenario_t *scenario, uint32_t flow);

/** A packet that a NIC's scheduler dispatched. */
typedef struct gms_dispatch {
    uint64_t rtc; /* tick of the NIC's real-time clock */
    /* number from gms_scenario_add(); UINT32_MAX: a flow of a manager */
    uint32_t flow;
    uint32_t bytes; /* payload */
} gms_dispatch_t;

/** Log all packets that a node dispatches from now on.
 *  @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_scenario_log_dispatches(gms_scenario_t *scenario,
                                         unsigned node);
/** Return the log, oldest packet first; valid until the next call for the node.
 *  With nic_dispatch_records, a log of that length exists from the start.
 *  @return number of packets; 0 with *log_p NULL if memory is exhausted */
uint64_t gms_scenario_dispatches(gms_scenario_t *scenario, unsigned node,
                                 const gms_dispatch_t **log_p);

/* Return the context of the simulation, with which tests inspect the simulation
 * and inject faults. */
gms_ctx_t *gms_scenario_ctx(gms_scenario_t *scenario);
gms_fabric_t *gms_scenario_fabric(gms_scenario_t *scenario);
gms_nic_t *gms_scenario_nic(gms_scenario_t *scenario, unsigned node);
gms_manager_t *gms_scenario_manager(gms_scenario_t *scenario);
gms_time_t gms_scenario_now(const gms_scenario_t *scenario);

#endif
