/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * gmsim verify: simulates the flows of a plan without processes, and compares
 * each flow with its granted bounds. Only the tool and its tests include this
 * file.
 *
 *   plan -> case -> run (backlogged) -+-> results -> table, CSV -> run (paced)
 *                -+ case -> variation -> run, .. -> the variation with the
 *                smallest margin
 *
 * Flows without `start' send their requests one after the other in the order
 * of the plan, before any traffic begins. Then all flows begin: simultaneously
 * in one run, and at random times within the duration of one packet in the
 * other run. The bandwidth is compared in the runs in which the sender always
 * has messages waiting. Delay and jitter are compared in the runs in which the
 * sender does not exceed its rate.
 */
#ifndef TOOL_VERIFY_H
#define TOOL_VERIFY_H

#include <stdio.h>

#include "cluster/cluster.h"
#include "base/random.h"
#include "tool/bar.h"
#include "tool/plan.h"

/** Fraction of the granted bandwidth that is guaranteed in every interval of
 *  the window's length. The account (manager/admission.h) uses the same
 *  value. */
#define GMS_VERIFY_KEPT           GMS_QOS_KEPT
#define GMS_VERIFY_WINDOW_PS      GMS_QOS_WINDOW_PS
#define GMS_VERIFY_WINDOW_PACKETS GMS_QOS_WINDOW_PACKETS
/** Default duration of the traffic: this multiple of the longest window, but at
 *  most the limit below. */
#define GMS_VERIFY_WINDOWS     2.5
#define GMS_VERIFY_TIME_MAX_PS (4 * GMS_SECOND)

/** Flows without a reservation begin at random times before this time. */
#define GMS_VERIFY_PHASE_PS (100 * GMS_US)

#define GMS_VERIFY_COST_LEN  160
#define GMS_VERIFY_ERROR_LEN GMS_YAML_ERROR_LEN

enum gms_verify_verdict {
    GMS_VERIFY_IS_KEPT = 0,
    GMS_VERIFY_DENIED,
    GMS_VERIFY_BROKEN_BANDWIDTH,
    GMS_VERIFY_BROKEN_DELAY,
    GMS_VERIFY_BROKEN_JITTER,
    GMS_VERIFY_BEST_EFFORT,
    GMS_VERIFY_UNDECLARED,
    GMS_VERIFY_RELEASED,  /* the plan releases the flow before the traffic
                             begins */
    GMS_VERIFY_UNMEASURED /* the flow was granted, but no window and no message
                             with a bound was observed */
};
extern const char *const gms_verify_verdict_names[]; /* marks the end of the
                                                        list */

/** A set of flows to simulate. */
typedef struct gms_verify_case {
    const gms_params_t *params;
    const gms_graph_t *graph; /* see gms_scenario_create() */
    gms_plan_flow_t *flows;   /* owned by the case */
    gms_plan_step_t *steps;   /* owned by the case */
    size_t flow_count, step_count;
    gms_time_t time_ps;  /* duration of the traffic; 0: the default, see
                           GMS_VERIFY_WINDOWS */
    gms_tool_bar_t *bar; /* progress bar for the runs; NULL: none */
} gms_verify_case_t;

/** Result for one flow. */
typedef struct gms_verify_result {
    enum gms_verify_verdict verdict;
    int is_answered, is_granted;
    gms_qos_verdict_t answer; /* answer of the manager; valid if is_answered is
                                 set */
    gms_qos_bounds_t bounds;  /* largest bounds during the run */
    double granted_bytes_s;   /* bandwidth that corresponds to the granted IDT;
                                 0: the flow was not granted */
    double least_bytes_s;     /* smallest bandwidth in any window; < 0: no
                                 window was observed */
    /* mean bandwidth from the first packet to the end of the traffic */
    double mean_bytes_s;
    uint64_t windows;
    uint64_t dry; /* number of times that all messages of a sender that should
                   * always have messages waiting were on their way */
    gms_time_t lag_ps; /* lag, see experiments/watch.h; 0: no lag was
                          observed */
    uint64_t messages; /* number of observed messages of a paced sender */
    gms_time_t delay_worst_ps, delay_least_ps; /* valid if messages > 0 */
    /* smallest ratio of observed to guaranteed bandwidth, or of guaranteed to
     * observed delay or jitter. A bound is broken if the ratio is below 1;
     * INFINITY: nothing was observed */
    double margin;
    /* the broken bound: measured value, guaranteed value, and the resource
     * where the flow lost the most time */
    char broken[GMS_VERIFY_COST_LEN];
    char cost[GMS_VERIFY_COST_LEN];
} gms_verify_result_t;

/** Copy a plan. @return GMS_OK, GMS_ERR_NO_MEMORY */
gms_status_t gms_verify_case_of(const gms_plan_t *plan,
                                const gms_params_t *params,
                                const gms_graph_t *graph,
                                gms_verify_case_t *verify);
gms_status_t gms_verify_case_copy(const gms_verify_case_t *from,
                                  gms_verify_case_t *to);
void gms_verify_case_clear(gms_verify_case_t *verify);
/** Add a flow and set its name, label and step. @return 0 if memory is
 *  insufficient */
int gms_verify_case_add(gms_verify_case_t *verify, const gms_plan_flow_t *flow);
/** Remove the last flow. */
void gms_verify_case_remove_last(gms_verify_case_t *verify);

/** Draw a random time, within the duration of one packet, at which a flow
 *  without a phase begins. */
gms_time_t gms_verify_draw_phase(const gms_verify_case_t *verify,
                                 const gms_plan_flow_t *flow,
                                 gms_random_t *random);
/**
 * Run a case as often as necessary, which is one to four times. The number of
 * runs doubles if the plan does not specify how the sender of a premium flow
 * posts its messages. It also doubles if the plan does not specify when a flow
 * begins. In one run, all such flows then begin together; in the other run,
 * they begin at random times within the duration of one packet. Each result is
 * the worst value in all runs.
 *
 * @param [out] results  one element for each of the flow_count flows
 * @param [out] error    GMS_VERIFY_ERROR_LEN bytes
 *
 * @return GMS_OK, GMS_ERR_CONFIG (the cluster cannot be built, or two flows have
 *         the same identity), GMS_ERR_NO_MEMORY
 */
gms_status_t gms_verify_run(const gms_verify_case_t *verify,
                            gms_verify_result_t *results, char *error);
/** Return the smallest margin among all flows. */
double gms_verify_margin(const gms_verify_result_t *results, size_t count);
/** Return the number of flows with a broken bound. */
size_t gms_verify_broken(const gms_verify_result_t *results, size_t count);
/** Return 1 if a granted flow was not compared because its sender ran out of
 *  messages. */
int gms_verify_ran_dry(const gms_verify_result_t *result);
/** Return 1 if no bound is broken and no sender ran out of messages. */
int gms_verify_is_passed(const gms_verify_result_t *results, size_t count);

/** Write the case as a plan, so that the user can repeat the case.
 *  @param [in] cluster  path of the cluster description, or NULL
 *  @param [in] note     comment for the plan; must be a single line */
void gms_verify_write(FILE *file, const gms_verify_case_t *verify,
                      const char *cluster, const char *note);

/** Print the results as a table with a summary, or as CSV. */
void gms_verify_print(FILE *file, const gms_verify_case_t *verify,
                      const gms_verify_result_t *results);
void gms_verify_print_csv(FILE *file, const gms_verify_case_t *verify,
                          const gms_verify_result_t *results);

/* ---- the search ---- */

/** Change a case at random, as an adversary would. The change affects phases,
 *  sizes, pauses, floods or additional flows. The first `own' flows of the case
 *  are never removed.
 *  @return 0 if memory is insufficient */
int gms_verify_mutate(gms_verify_case_t *verify, size_t own, unsigned nodes,
                      gms_random_t *random);

/** Number of variations in a chain. */
#define GMS_VERIFY_CHAIN 16u

/** Data that all chains of a search share. */
typedef struct gms_verify_climb {
    const gms_verify_case_t *base;
    uint64_t seed;
    unsigned nodes;
    uint64_t *done_p; /* number of variations so far; accessed atomically */
} gms_verify_climb_t;

/** Result of one chain. */
typedef struct gms_verify_chain {
    double margin; /* smallest margin; INFINITY: nothing was measured */
    uint32_t step; /* step with the smallest margin */
    uint32_t run, broken;
} gms_verify_chain_t;

/**
 * Run a chain of variations in search of the smallest margin. The result
 * depends only on base, seed and chain.
 *
 * @param [in]  chain  number of the chain
 * @param [in]  last   index of the last step, counted from 0
 * @param [out] best   variation with the smallest margin; the caller clears it
 *
 * @return the same values as gms_verify_run()
 */
gms_status_t gms_verify_climb(const gms_verify_climb_t *climb, uint64_t chain,
                              uint32_t last, gms_verify_case_t *best,
                              gms_verify_chain_t *found, char *error);

typedef struct gms_verify_search {
    uint64_t variations, seed;
    unsigned jobs;
    int is_quiet;
} gms_verify_search_t;

typedef struct gms_verify_found {
    double margin; /* smallest margin; INFINITY: nothing was measured */
    /* total number of variations, and number of variations with a broken
     * bound */
    uint64_t run, broken;
    double cpu_s; /* CPU time of all processes */
} gms_verify_found_t;

/**
 * Search for the variation with the smallest margin.
 * @param [out] worst  the variation with the smallest margin; the caller clears
 *   it
 * @return GMS_OK, GMS_ERR_NO_MEMORY, GMS_ERR_SYSTEM, GMS_ERR_CONFIG
 */
gms_status_t gms_verify_find(const gms_verify_case_t *verify,
                             const gms_verify_search_t *search, unsigned nodes,
                             gms_verify_case_t *worst,
                             gms_verify_found_t *found, char *error);

#endif
