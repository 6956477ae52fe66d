/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compares the observed bandwidth, delay and jitter of every flow with its
 * grant, and computes the margin. For a broken bound, finds the link or NIC that
 * caused it.
 */
#include <math.h>
#include <stdlib.h>

#include "nic/inspect.h"
#include "tool/verify_int.h"

const char *const gms_verify_verdict_names[] = {
    "kept",          "denied",      "broken bandwidth", "broken delay",
    "broken jitter", "best-effort", "undeclared",       "released",
    "unmeasured",    NULL};

void gms_verify_results_init(const gms_verify_case_t *verify,
                             gms_verify_result_t *results)
{
    size_t at;

    for (at = 0; at < verify->flow_count; ++at) {
        results[at] = (gms_verify_result_t){
            .verdict = GMS_VERIFY_UNMEASURED,
            .least_bytes_s = -1,
            .delay_least_ps = GMS_NEVER,
            .margin = INFINITY,
        };
    }
}

/* ---- lost time ---- */

static void gms_verify_link_name(const gms_verify_run_t *run,
                                 const gms_plan_flow_t *plan, unsigned hop,
                                 char *text, size_t text_len)
{
    const gms_fabric_t *fabric = gms_scenario_fabric(run->scenario);
    const uint32_t *links;
    unsigned count =
        gms_fabric_route_links(fabric, plan->request.source_node,
                               plan->request.key.target_node, &links);

    if (hop + 1 >= count) {
        (void)snprintf(text, text_len, "the receive buffers of node %u",
                       plan->request.key.target_node + 1u);
    } else {
        gms_topology_link_name(gms_fabric_topology(fabric), links[hop], text,
                               text_len);
    }
}

/* Find the resource where the flow's packets have lost the most time. The waiting
 * times in the network and for acknowledgements are known per flow; the remaining time
 * passed before the packets were sent. */
static void gms_verify_blame(const gms_verify_run_t *run, size_t at,
                             const gms_flow_seen_t *seen,
                             char cost[GMS_VERIFY_COST_LEN])
{
    const gms_plan_flow_t *plan = &run->verify->flows[at];
    gms_nic_t *nic = gms_scenario_nic(run->scenario, plan->request.source_node);
    double past_ps = (double)(run->flows[at].end_ps - run->begin_ps);
    gms_time_t all_ps = 0;
    unsigned hop, most = 0;
    gms_flow_stats_t stats;
    char resource[96];

    for (hop = 0; hop < GMS_FLOW_WATCH_HOPS; ++hop) {
        all_ps += seen->wait_ps[hop];
        most = seen->wait_ps[hop] > seen->wait_ps[most] ? hop : most;
    }
    gms_nic_flow_stats(nic, &plan->request.key, &stats);
    if (stats.hold_ps > all_ps) {
        (void)snprintf(cost, GMS_VERIFY_COST_LEN,
                       "the receiving process of node %u, which provided no "
                       "buffer, so the sender backed off for %.1f of %.1f ms",
                       plan->request.key.target_node + 1u,
                       (double)stats.hold_ps / 1e9, past_ps / 1e9);
    } else if ((double)all_ps > 0.02 * past_ps) {
        gms_verify_link_name(run, plan, most, resource, sizeof(resource));
        (void)snprintf(cost, GMS_VERIFY_COST_LEN,
                       "%s, where the packets waited for %.3f ms on average "
                       "per packet",
                       resource,
                       (double)seen->wait_ps[most] / 1e9 /
                           (double)(seen->packets > 0 ? seen->packets : 1));
    } else {
        (void)snprintf(cost, GMS_VERIFY_COST_LEN,
                       "the NIC of node %u, which sent the packets late (its "
                       "LANai was busy for %.0f %% of the time)",
                       plan->request.source_node + 1,
                       100 * (double)gms_nic_counters(nic)->lanai_busy_ps /
                           (double)gms_scenario_now(run->scenario));
    }
}

static gms_time_t gms_verify_most(gms_time_t one, gms_time_t other)
{
    return one > other ? one : other;
}

/* ---- verdicts ------------------------------------------------------------------- */

/* Reduce the margin if this comparison yields a smaller margin. If the bound is
 * broken, store the measured and the promised values as text. */
static void gms_verify_lower(gms_verify_result_t *result, double margin,
                             enum gms_verify_verdict broken, const char *what,
                             double measured, double promised, const char *unit)
{
    if (margin < result->margin) {
        result->margin = margin;
        if (margin < 1) {
            result->verdict = broken;
            (void)snprintf(result->broken, sizeof(result->broken),
                           "%s %.3f %s, promised %.3f %s", what, measured, unit,
                           promised, unit);
        }
    }
    if (result->verdict == GMS_VERIFY_UNMEASURED) {
        result->verdict = GMS_VERIFY_IS_KEPT;
    }
}

/* Compare an observed time with its bound. */
static void gms_verify_within(gms_verify_result_t *result, gms_time_t seen_ps,
                              gms_time_t bound_ps,
                              enum gms_verify_verdict broken, const char *what)
{
    gms_verify_lower(result, (double)bound_ps / fmax((double)seen_ps, 1),
                     broken, what, (double)seen_ps / 1e9,
                     (double)bound_ps / 1e9, "ms");
}

/* For a sender that always has messages waiting, compare the bandwidth in the worst
 * window. If a latency was granted, also compare the service in every interval. */
static void gms_verify_judge_bandwidth(const gms_verify_flow_t *flow,
                                       double packet_bytes,
                                       const gms_flow_seen_t *seen,
                                       gms_verify_result_t *result)
{
    double part;

    result->windows += seen->windows;
    result->dry += seen->dry;
    result->lag_ps = gms_verify_most(result->lag_ps, seen->lag_ps);
    if (seen->windows > 0) {
        /* fraction of the granted bandwidth; the IDT may permit a higher rate */
        part = (double)seen->least_packets * packet_bytes /
               (flow->granted_bytes_s * (double)flow->window_ps /
                (double)GMS_SECOND);
        if (result->least_bytes_s < 0 ||
            part * flow->granted_bytes_s < result->least_bytes_s) {
            result->least_bytes_s = part * flow->granted_bytes_s;
        }
        gms_verify_lower(result, part / GMS_VERIFY_KEPT,
                         GMS_VERIFY_BROKEN_BANDWIDTH, "lowest bandwidth",
                         part * flow->granted_bytes_s / 1e6,
                         flow->granted_bytes_s / 1e6, "MB/s");
    }
    if (flow->bounds.latency_ps > 0 && seen->packets > 0) {
        gms_verify_within(result, seen->lag_ps, flow->bounds.latency_ps,
                          GMS_VERIFY_BROKEN_BANDWIDTH, "service latency");
    }
}

/* For a paced sender, compare the delay and the jitter. If a message has not arrived
 * yet, its waiting time so far is a lower limit of its delay. */
static void gms_verify_judge_delay(const gms_verify_flow_t *flow,
                                   const gms_flow_seen_t *seen,
                                   gms_verify_result_t *result)
{
    gms_time_t worst_ps = seen->delay_worst_ps, jitter_ps;

    if (seen->oldest_ps != GMS_NEVER &&
        flow->end_ps - seen->oldest_ps > worst_ps) {
        worst_ps = flow->end_ps - seen->oldest_ps;
    }
    if (worst_ps == 0) {
        return;
    }
    result->messages += seen->messages;
    worst_ps = gms_verify_most(worst_ps, result->delay_worst_ps);
    result->delay_worst_ps = worst_ps;
    if (seen->delay_least_ps < result->delay_least_ps) {
        result->delay_least_ps = seen->delay_least_ps;
    }
    if (flow->bounds.delay_ps > 0) {
        gms_verify_within(result, worst_ps, flow->bounds.delay_ps,
                          GMS_VERIFY_BROKEN_DELAY, "delay");
    }
    if (flow->bounds.jitter_ps > 0 && result->messages > 1) {
        jitter_ps = worst_ps - result->delay_least_ps;
        gms_verify_within(result, jitter_ps, flow->bounds.jitter_ps,
                          GMS_VERIFY_BROKEN_JITTER, "jitter");
    }
}

static void gms_verify_judge_premium(gms_verify_run_t *run, size_t at,
                                     gms_verify_result_t *result)
{
    gms_verify_flow_t *flow = &run->flows[at];
    double before = result->margin;
    gms_flow_seen_t seen;

    if (!flow->is_granted) {
        result->verdict =
            flow->is_answered ? GMS_VERIFY_DENIED : GMS_VERIFY_UNMEASURED;
        return;
    }
    gms_flow_watch_result(flow->watch, &seen);
    if (gms_verify_is_paced(&run->verify->flows[at], run->is_paced)) {
        gms_verify_judge_delay(flow, &seen, result);
    } else {
        gms_verify_judge_bandwidth(
            flow,
            (double)run->verify->params->qos_idt_product * 1e6 *
                (double)run->verify->params->rtc_tick_ps / (double)GMS_SECOND,
            &seen, result);
    }
    if (result->margin < 1 && result->margin < before) {
        gms_verify_blame(run, at, &seen, result->cost);
    }
}

void gms_verify_judge(gms_verify_run_t *run, gms_verify_result_t *results)
{
    size_t at;

    for (at = 0; at < run->verify->flow_count; ++at) {
        const gms_verify_flow_t *flow = &run->flows[at];
        const gms_plan_flow_t *plan = &run->verify->flows[at];
        gms_verify_result_t *result = &results[at];

        result->is_answered = flow->is_answered;
        result->is_granted = flow->is_granted;
        result->answer = flow->answer;
        result->bounds = flow->bounds;
        result->granted_bytes_s = flow->granted_bytes_s;
        if (flow->is_added && flow->end_ps > run->begin_ps) {
            result->mean_bytes_s =
                (double)gms_scenario_received_bytes(run->scenario,
                                                    flow->number) *
                (double)GMS_SECOND / (double)(flow->end_ps - run->begin_ps);
        }
        if (flow->is_released || flow->is_release) {
            result->verdict = GMS_VERIFY_RELEASED;
        } else if (plan->request.qos_class == GMS_QOS_PREMIUM) {
            gms_verify_judge_premium(run, at, result);
        } else {
            result->verdict = plan->request.qos_class == GMS_QOS_BEST_EFFORT
                                  ? GMS_VERIFY_BEST_EFFORT
                                  : GMS_VERIFY_UNDECLARED;
        }
    }
}

double gms_verify_margin(const gms_verify_result_t *results, size_t count)
{
    double margin = INFINITY;
    size_t at;

    for (at = 0; at < count; ++at) {
        margin = fmin(margin, results[at].margin);
    }
    return margin;
}

size_t gms_verify_broken(const gms_verify_result_t *results, size_t count)
{
    size_t broken = 0, at;

    for (at = 0; at < count; ++at) {
        broken += results[at].margin < 1;
    }
    return broken;
}

int gms_verify_ran_dry(const gms_verify_result_t *result)
{
    return result->verdict == GMS_VERIFY_UNMEASURED && result->is_granted &&
           result->dry > 0;
}

int gms_verify_is_passed(const gms_verify_result_t *results, size_t count)
{
    size_t at;

    for (at = 0; at < count; ++at) {
        if (gms_verify_ran_dry(&results[at])) {
            return 0;
        }
    }
    return gms_verify_broken(results, count) == 0;
}
