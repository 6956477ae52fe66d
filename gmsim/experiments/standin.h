/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Declares the stand-ins for programs. Every node has one stand-in, which is
 * driven by events. The file scenario.h describes the steps of a stand-in and
 * their costs. All data of the stand-ins are in the arena.
 */
#ifndef EXPERIMENTS_STANDIN_H
#define EXPERIMENTS_STANDIN_H

#include "base/random.h"
#include "experiments/scenario.h"

#define GMS_STANDIN_IN_FLIGHT_MAX 1024u
#define GMS_STANDIN_MESSAGE_MAX   (UINT32_C(1) << 20)

enum gms_standin_handler {
    GMS_STANDIN_ON_PORT = GMS_HANDLER_WORKLOAD, /* a port has an event to
                                                 * process */
    GMS_STANDIN_ON_TURN, /* a node must execute its next step; the object of the
                          * event is the node */
    /* a flow starts; arg[0] is 1 if the flow is no longer held. The object of
     * this event and of the following events is the flow */
    GMS_STANDIN_ON_START,
    GMS_STANDIN_ON_STOP,
    /* a flow changes between on and off; arg[0] is 1 if the pace allows another
     * message */
    GMS_STANDIN_ON_SWITCH,
    GMS_STANDIN_ON_ANSWER /* the manager has answered */
};

typedef struct gms_standin_node gms_standin_node_t;

typedef struct gms_standin_flow {
    gms_traffic_t traffic; /* description of the flow, in which default ports
                            * have been replaced by their numbers */
    gms_flow_key_t key;
    gms_flow_t *flow; /* the NIC's object for the flow */
    gms_standin_node_t *node;
    uint8_t size;    /* GM size class of the flow's messages */
    unsigned posted; /* number of posted messages whose sends have not ended */
    uint8_t is_admitted, is_over, is_off;
    uint8_t is_ready; /* 1: the flow is in the node's list */
    struct gms_standin_flow *ready_next;
    gms_random_t random;
    /* If pace_step_ps > 0, the flow has a pace, and may post the next message
     * at pace_next_ps - pace_slack_ps. */
    gms_time_t pace_step_ps, pace_slack_ps, pace_next_ps;
    uint8_t pace_waits;      /* 1: an event is scheduled for the time of the
                              * next post */
    gms_flow_watch_t *watch; /* private memory of the observer, or NULL */
    gms_qos_call_t *call;    /* the flow's request; NULL: the flow has made no
                              * request */
} gms_standin_flow_t;

/** List of flows, linked by ready_next. */
typedef struct gms_standin_queue {
    gms_standin_flow_t *first, *last;
} gms_standin_queue_t;

typedef struct gms_standin_port {
    struct gms_standin_port *next; /* next port of the node, in the order of the
                                    * numbers */
    unsigned number;
    uint64_t source_bytes, sink_bytes; /* number of registered bytes */
} gms_standin_port_t;

typedef struct gms_standin_cluster gms_standin_cluster_t;

struct gms_standin_node {
    gms_standin_cluster_t *cluster;
    gms_nic_t *nic;
    gms_origin_t origin;
    gms_time_t free_ps; /* time at which the current step ends */
    uint8_t has_turn;   /* 1: an event GMS_STANDIN_ON_TURN is scheduled */
    /* 1: the last step received a message of a reservation, so the next step
     * posts a message */
    uint8_t posts_next;
    gms_standin_queue_t ready; /* flows that may post a message */
    gms_standin_port_t *ports; /* list of the open ports, by number */
};

struct gms_standin_cluster {
    gms_params_t params;
    gms_manager_t *manager;
    unsigned char *source, *sink; /* buffers that all messages share */
    gms_standin_flow_t **flows;   /* all flows, indexed by the number of the
                                   * flow */
    uint32_t flow_count, flow_capacity;
    unsigned nodes;
    gms_standin_node_t node[];
};

/** @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_standin_create(gms_ctx_t *ctx, const gms_params_t *params,
                                gms_nic_t *const *nics, unsigned nodes,
                                gms_manager_t *manager,
                                gms_standin_cluster_t **cluster_p);
/** Implements gms_scenario_add(). */
uint32_t gms_standin_add(gms_ctx_t *ctx, gms_standin_cluster_t *cluster,
                         const gms_traffic_t *traffic, gms_time_t now_ps);
/** Implement gms_scenario_go() and gms_scenario_end(). */
void gms_standin_go(gms_ctx_t *ctx, gms_standin_flow_t *flow, gms_time_t at_ps);
void gms_standin_end(gms_ctx_t *ctx, gms_standin_flow_t *flow);
void gms_standin_register(gms_ctx_t *ctx);

#endif
