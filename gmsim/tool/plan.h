/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Declares the plan that gmsim plan and gmsim verify read from a file. A plan
 * is a list of requests and releases.
 */
#ifndef TOOL_PLAN_H
#define TOOL_PLAN_H

#include "cluster/cluster.h"
#include "manager/admission.h"

#define GMS_PLAN_NAME_LEN 64

enum gms_plan_step_kind {
    GMS_PLAN_REQUEST,
    GMS_PLAN_RELEASE
};

/* Defaults and limits for flows: message length in bytes, and number of
 * messages in flight. */
#define GMS_PLAN_MESSAGE_DEFAULT UINT32_C(65536)
#define GMS_PLAN_MESSAGE_MAX     (UINT32_C(1) << 20)
#define GMS_PLAN_WINDOW_DEFAULT  8u
#define GMS_PLAN_WINDOW_MAX      1024u

/** Rate at which the sender of a premium flow posts its messages. */
enum gms_plan_send {
    GMS_PLAN_SEND_BOTH = 0,   /* one run with each of the two values below */
    GMS_PLAN_SEND_BACKLOGGED, /* the sender posts as many messages as the window
                                 permits */
    GMS_PLAN_SEND_PACED       /* the sender posts messages at the granted
                                 rate */
};

/** Traffic of a flow. `gmsim verify` sends this traffic; `gmsim plan` ignores
 *  it. */
typedef struct gms_plan_traffic {
    unsigned window; /* number of messages in flight */
    unsigned send;   /* an enum gms_plan_send */
    /* Time from the beginning of all traffic until the flow is requested and
     * begins to send. Without this key, the flow is requested before the
     * beginning of all traffic. */
    gms_time_t start_ps;
    int has_start;
    /* Time from the beginning of all traffic to the beginning of the flow's
     * traffic; the flow is requested before all traffic. Without this key, the
     * run chooses this time. */
    gms_time_t phase_ps;
    int has_phase;
    gms_time_t stop_ps;       /* 0: never */
    gms_time_t on_ps, off_ps; /* 0: the flow always sends */
    int is_random; /* 1: on_ps and off_ps are the means of exponentially
                    * distributed times */
} gms_plan_traffic_t;

/** One flow of a plan. If the flow is undeclared, or if this entry releases the
 *  flow, the class is GMS_QOS_UNMANAGED. */
typedef struct gms_plan_flow {
    gms_flow_request_t request;
    gms_plan_traffic_t traffic;
    char name[GMS_PLAN_NAME_LEN];
    uint32_t label; /* the label in the plan; every other flow has its own
                       label */
    int has_label;
    size_t line;
} gms_plan_flow_t;

/** One entry of a plan: a request for one flow, a request for several flows
 *  (either all or none), or the release of a flow. */
typedef struct gms_plan_step {
    enum gms_plan_step_kind kind;
    size_t first, count; /* range of indices in gms_plan_t.flows */
} gms_plan_step_t;

/** A plan; gms_plan_clear() releases its memory. */
typedef struct gms_plan {
    char *cluster; /* path, or NULL */
    /* duration of the traffic; 0: gmsim verify determines the duration */
    gms_time_t time_ps;
    gms_plan_flow_t *flows;
    gms_plan_step_t *steps;
    size_t flow_count, step_count;
} gms_plan_t;

/**
 * Read a plan. gms_plan_check() later checks the node and port numbers, when
 * the cluster is known.
 * @return GMS_OK; GMS_ERR_CONFIG with "FILE:LINE: key 'K': ..." in error
 */
gms_status_t gms_plan_load(const char *path, gms_plan_t *plan,
                           char error[GMS_YAML_ERROR_LEN]);
gms_status_t gms_plan_check(const char *path, const gms_plan_t *plan,
                            unsigned nodes, unsigned ports,
                            char error[GMS_YAML_ERROR_LEN]);
void gms_plan_clear(gms_plan_t *plan);

/** Return the name of a class in plans and tables: premium, best-effort,
 *  none. */
const char *gms_plan_class_name(enum gms_qos_class qos_class);

typedef struct gms_plan_random {
    uint64_t requests, seed, best_effort_percent, changes;
    int timing, quiet;
} gms_plan_random_t;

/** Decide on random requests instead of requests from a file, and print the
 *  results.
 *  @return enum gms_tool_exit */
int gms_plan_run_random(const gms_plan_random_t *how, gms_account_t *account,
                        gms_topology_t *topology, const gms_params_t *params);

#endif
