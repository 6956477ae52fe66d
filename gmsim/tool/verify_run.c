/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a case of gmsim verify on a simulated cluster without processes
 * (experiments/scenario.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "yaml/loader.h"
#include "nic/inspect.h"
#include "tool/verify.h"
#include "tool/verify_int.h"
#include "experiments/scenario.h"

/* The following constants are two steps of virtual time and a time limit. The
 * first step applies while the run waits for an answer, and the second step
 * during traffic. The limit applies to answers before all traffic. */
#define GMS_VERIFY_ASK_STEP_PS (20 * GMS_US)
#define GMS_VERIFY_STEP_PS     GMS_MS
#define GMS_VERIFY_ASK_MAX_PS  (5 * GMS_SECOND)

static void gms_verify_larger(gms_time_t *of, gms_time_t other)
{
    if (other > *of) {
        *of = other;
    }
}

/* Check whether the grant covers the sender's messages. A delay is guaranteed
 * only if the sender does not exceed the message length and burst in the
 * account (granted). The limits that the sender observes are in
 * request.shape. */
static int gms_verify_is_covered(const gms_verify_run_t *run, size_t at,
                                 const gms_qos_shape_t *granted)
{
    const gms_qos_shape_t *shape = &run->verify->flows[at].request.shape;
    uint32_t message = granted->message_bytes > 0
                           ? granted->message_bytes
                           : (uint32_t)run->verify->params->nic_mtu_bytes;
    uint32_t burst = granted->burst_bytes > 0 ? granted->burst_bytes : message;

    return shape->message_bytes <= message && shape->burst_bytes <= burst;
}

/* Record the bounds of a grant. A bound can become larger when other flows are
 * reserved later. The comparison therefore uses the largest bound. */
static void gms_verify_take_bounds(gms_verify_run_t *run, size_t at,
                                   const gms_grant_t *grant)
{
    gms_verify_flow_t *flow = &run->flows[at];
    const gms_qos_bounds_t *bounds = &grant->bounds;

    gms_verify_larger(&flow->bounds.latency_ps, bounds->latency_ps);
    if (gms_verify_is_covered(run, at, &grant->shape)) {
        gms_verify_larger(&flow->bounds.delay_ps, bounds->delay_ps);
        gms_verify_larger(&flow->bounds.jitter_ps, bounds->jitter_ps);
    }
    if (bounds->burst_bytes > flow->bounds.burst_bytes) {
        flow->bounds.burst_bytes = bounds->burst_bytes;
    }
}

/* ---- a flow's traffic ------------------------------------------------------- */

static enum gms_traffic_control gms_verify_control(const gms_plan_flow_t *flow)
{
    return flow->request.qos_class == GMS_QOS_PREMIUM ? GMS_TRAFFIC_PREMIUM
           : flow->request.qos_class == GMS_QOS_BEST_EFFORT
               ? GMS_TRAFFIC_BEST_EFFORT
               : GMS_TRAFFIC_UNDECLARED;
}

int gms_verify_is_paced(const gms_plan_flow_t *flow, int is_paced)
{
    return flow->request.qos_class == GMS_QOS_PREMIUM &&
           (flow->traffic.send == GMS_PLAN_SEND_PACED ||
            (flow->traffic.send == GMS_PLAN_SEND_BOTH && is_paced));
}

/* Return the number of messages that may be in flight. A paced sender must be
 * able to post its whole burst. Such a sender must also be able to post further
 * messages while earlier messages are late, because the bound does not depend
 * on the window. */
static unsigned gms_verify_in_flight(const gms_plan_flow_t *flow, int is_paced)
{
    const gms_qos_shape_t *shape = &flow->request.shape;
    uint64_t window = flow->traffic.window;

    if (is_paced) {
        window += 2 * (shape->burst_bytes / shape->message_bytes + 1);
    }
    return window > GMS_PLAN_WINDOW_MAX ? GMS_PLAN_WINDOW_MAX
                                        : (unsigned)window;
}

static gms_traffic_t gms_verify_traffic(const gms_verify_run_t *run,
                                        const gms_plan_flow_t *flow)
{
    const gms_flow_request_t *request = &flow->request;
    int is_paced = gms_verify_is_paced(flow, run->is_paced);
    gms_traffic_t traffic = {
        .source = request->source_node,
        .target = request->key.target_node,
        .source_port = request->key.source_port,
        .target_port = request->key.target_port,
        .label = request->key.label,
        .priority = (uint8_t)request->key.priority,
        .message_bytes = request->shape.message_bytes,
        .in_flight = gms_verify_in_flight(flow, is_paced),
        .control = gms_verify_control(flow),
        .bytes_s = request->bytes_s,
        .reverse_bytes_s = request->reverse_bytes_s,
        .load = request->load,
        .shape = request->shape,
        .is_random = flow->traffic.is_random,
        .is_paced = is_paced,
        .is_preset = 1,
        .burst_bytes = request->shape.burst_bytes,
    };

    if (flow->traffic.on_ps > 0) {
        traffic.pattern = GMS_TRAFFIC_ON_OFF;
        traffic.on_ps = flow->traffic.on_ps;
        traffic.off_ps = flow->traffic.off_ps;
    }
    return traffic;
}

/* ---- requests ---- */

/* Set the windows of a flow, according to a granted or estimated IDT. */
static void gms_verify_set_windows(gms_verify_run_t *run, size_t at,
                                   uint32_t idt_ticks, gms_time_t settle_ps)
{
    gms_verify_flow_t *flow = &run->flows[at];
    const gms_plan_flow_t *plan = &run->verify->flows[at];
    gms_time_t window_ps;

    flow->idt_ps = idt_ticks * run->verify->params->rtc_tick_ps;
    window_ps = GMS_VERIFY_WINDOW_PACKETS * flow->idt_ps;
    if (window_ps < GMS_VERIFY_WINDOW_PS) {
        window_ps = GMS_VERIFY_WINDOW_PS;
    }
    flow->window_ps = window_ps;
    if (!gms_verify_is_paced(plan, run->is_paced)) {
        gms_flow_watch_set_window(flow->watch, window_ps, settle_ps,
                                  flow->idt_ps);
    }
}

static int gms_verify_add(gms_verify_run_t *run, size_t at,
                          const gms_traffic_t *traffic, char *error)
{
    const gms_plan_flow_t *plan = &run->verify->flows[at];
    gms_verify_flow_t *flow = &run->flows[at];

    flow->number = gms_scenario_add(run->scenario, traffic);
    if (flow->number == UINT32_MAX) {
        (void)snprintf(
            error, GMS_VERIFY_ERROR_LEN,
            "request '%s' (line %zu): cannot add the flow, because the arena "
            "is full, a port is reserved, or the plan already contains this "
            "flow. Allowed: ports from 1, and each flow once; flows with "
            "different labels are different flows",
            plan->name, plan->line);
        return 0;
    }
    flow->is_added = 1;
    if (plan->request.qos_class == GMS_QOS_PREMIUM) {
        flow->watch = gms_scenario_watch(run->scenario, flow->number);
        if (flow->watch == NULL) {
            (void)snprintf(error, GMS_VERIFY_ERROR_LEN, "out of memory");
            return 0;
        }
        gms_verify_set_windows(
            run, at,
            gms_account_idt(run->verify->params, plan->request.bytes_s), 0);
    }
    return 1;
}

/* Check whether the manager has answered. If the manager has answered, set the windows
 * according to the grant.
 * @return 1 if the answer has just arrived */
static int gms_verify_look(gms_verify_run_t *run, size_t at)
{
    gms_verify_flow_t *flow = &run->flows[at];
    const gms_qos_call_t *call;
    const gms_grant_t *grant;

    if (!flow->is_added || flow->is_answered || flow->is_released) {
        return 0;
    }
    call = gms_scenario_answer(run->scenario, flow->number);
    if (call == NULL) {
        return 0;
    }
    flow->is_answered = 1;
    flow->answer = call->verdict;
    flow->is_granted = call->flow[0].after.qos_class != GMS_QOS_UNMANAGED;
    flow->granted_bytes_s =
        flow->is_granted ? call->flow[0].after.bandwidth_bytes_s : 0;
    grant = gms_scenario_grant(run->scenario, flow->number);
    if (grant != NULL) {
        gms_verify_take_bounds(run, at, grant);
    }
    if (flow->is_granted && flow->watch != NULL) {
        gms_verify_set_windows(run, at, call->flow[0].after.idt_ticks,
                               flow->bounds.latency_ps);
    }
    return 1;
}

static void gms_verify_ask(gms_verify_run_t *run, size_t at)
{
    gms_time_t until_ps =
        gms_scenario_now(run->scenario) + GMS_VERIFY_ASK_MAX_PS;

    while (!gms_verify_look(run, at) &&
           gms_scenario_now(run->scenario) < until_ps) {
        gms_scenario_run(run->scenario, gms_scenario_now(run->scenario) +
                                            GMS_VERIFY_ASK_STEP_PS);
    }
}

/* Request bandwidth for all flows in one step of the plan. If a flow is denied,
 * withdraw the requests of all other flows in this step. */
static int gms_verify_ask_step(gms_verify_run_t *run,
                               const gms_plan_step_t *step, char *error)
{
    size_t at, other;

    for (at = step->first; at < step->first + step->count; ++at) {
        const gms_plan_flow_t *plan = &run->verify->flows[at];
        gms_traffic_t traffic = gms_verify_traffic(run, plan);

        if (plan->traffic.has_start ||
            plan->request.qos_class == GMS_QOS_UNMANAGED) {
            continue; /* gms_verify_begin() adds this flow */
        }
        traffic.is_held = 1;
        if (!gms_verify_add(run, at, &traffic, error)) {
            return 0;
        }
        gms_verify_ask(run, at);
        if (run->flows[at].is_granted) {
            continue;
        }
        for (other = step->first; other < at; ++other) {
            gms_scenario_end(run->scenario, run->flows[other].number);
            run->flows[other].is_granted = 0;
        }
        break;
    }
    return 1;
}

/* Release the flow of the last request with the same name. */
static void gms_verify_release(gms_verify_run_t *run, size_t at)
{
    const gms_plan_flow_t *plan = run->verify->flows;
    size_t other;

    run->flows[at].is_release = 1;
    for (other = at; other > 0; --other) {
        gms_verify_flow_t *flow = &run->flows[other - 1];

        if (!flow->is_release &&
            strcmp(plan[other - 1].name, plan[at].name) == 0) {
            if (flow->is_added) {
                gms_scenario_end(run->scenario, flow->number);
                gms_scenario_run(run->scenario,
                                 gms_scenario_now(run->scenario) + GMS_MS);
            }
            flow->is_released = 1;
            return;
        }
    }
}

static int gms_verify_ask_all(gms_verify_run_t *run, char *error)
{
    const gms_verify_case_t *verify = run->verify;
    size_t i;

    for (i = 0; i < verify->step_count; ++i) {
        if (verify->steps[i].kind == GMS_PLAN_RELEASE) {
            gms_verify_release(run, verify->steps[i].first);
        } else if (!gms_verify_ask_step(run, &verify->steps[i], error)) {
            return 0;
        }
    }
    return 1;
}

/* ---- traffic ------------------------------------------------------------------ */

gms_time_t gms_verify_draw_phase(const gms_verify_case_t *verify,
                                 const gms_plan_flow_t *flow,
                                 gms_random_t *random)
{
    gms_time_t packet_ps =
        gms_account_idt(verify->params, flow->request.bytes_s) *
        verify->params->rtc_tick_ps;

    if (flow->request.qos_class != GMS_QOS_PREMIUM) {
        packet_ps = GMS_VERIFY_PHASE_PS;
    }
    return gms_random_below(random, packet_ps);
}

/* Return the time at which a flow begins: 0 for all flows, or a random time
 * within the duration of one packet. */
static gms_time_t gms_verify_phase(const gms_verify_run_t *run, size_t at)
{
    const gms_plan_flow_t *plan = &run->verify->flows[at];
    gms_random_t random;

    if (plan->traffic.has_phase || plan->traffic.has_start || !run->is_spread) {
        return plan->traffic.phase_ps;
    }
    gms_random_init(&random, run->verify->params->seed, at);
    return gms_verify_draw_phase(run->verify, plan, &random);
}

/* Set the windows of a flow again, because later requests can have changed its IDT and
 * bounds. */
static void gms_verify_renew_windows(gms_verify_run_t *run, size_t at)
{
    gms_verify_flow_t *flow = &run->flows[at];
    const gms_grant_t *grant;

    if (!flow->is_granted || flow->watch == NULL) {
        return;
    }
    grant = gms_scenario_grant(run->scenario, flow->number);
    if (grant != NULL) {
        gms_verify_take_bounds(run, at, grant);
        gms_verify_set_windows(run, at, grant->idt_ticks,
                               flow->bounds.latency_ps);
    }
}

/* Start the flows that have an answer. Add undeclared flows and flows with a start
 * time. */
static int gms_verify_begin(gms_verify_run_t *run, char *error)
{
    const gms_verify_case_t *verify = run->verify;
    gms_time_t begin_ps = gms_scenario_now(run->scenario);
    size_t at;

    run->begin_ps = begin_ps;
    for (at = 0; at < verify->flow_count; ++at) {
        const gms_plan_flow_t *plan = &verify->flows[at];
        gms_verify_flow_t *flow = &run->flows[at];
        gms_traffic_t traffic = gms_verify_traffic(run, plan);

        if (flow->is_release || flow->is_released) {
            continue;
        }
        if (flow->is_added) {
            gms_verify_renew_windows(run, at);
            gms_scenario_go(run->scenario, flow->number,
                            begin_ps + gms_verify_phase(run, at));
            continue;
        }
        if (plan->request.qos_class != GMS_QOS_UNMANAGED &&
            !plan->traffic.has_start) {
            continue; /* the flow belongs to a set that was denied earlier */
        }
        traffic.start_ps =
            begin_ps + plan->traffic.start_ps + gms_verify_phase(run, at);
        if (!gms_verify_add(run, at, &traffic, error)) {
            return 0;
        }
    }
    return 1;
}

/* End all flows whose stop time has passed. */
static void gms_verify_stop(gms_verify_run_t *run)
{
    gms_time_t past_ps = gms_scenario_now(run->scenario) - run->begin_ps;
    size_t at;

    for (at = 0; at < run->verify->flow_count; ++at) {
        gms_time_t stop_ps = run->verify->flows[at].traffic.stop_ps;
        gms_verify_flow_t *flow = &run->flows[at];

        if (stop_ps > 0 && past_ps >= stop_ps && flow->is_added &&
            !flow->is_over) {
            flow->is_over = 1;
            flow->end_ps = gms_scenario_now(run->scenario);
            gms_scenario_end(run->scenario, flow->number);
        }
    }
}

static void gms_verify_look_at_bounds(gms_verify_run_t *run)
{
    size_t at;

    for (at = 0; at < run->verify->flow_count; ++at) {
        gms_verify_flow_t *flow = &run->flows[at];
        const gms_grant_t *grant;

        if (flow->watch != NULL && flow->is_granted && !flow->is_over) {
            grant = gms_scenario_grant(run->scenario, flow->number);
            if (grant != NULL) {
                gms_verify_take_bounds(run, at, grant);
            }
        }
    }
}

static gms_time_t gms_verify_time(const gms_verify_run_t *run)
{
    double time_ps = GMS_VERIFY_WINDOWS * (double)GMS_VERIFY_WINDOW_PS;
    size_t at;

    if (run->verify->time_ps > 0) {
        return run->verify->time_ps;
    }
    for (at = 0; at < run->verify->flow_count; ++at) {
        const gms_verify_flow_t *flow = &run->flows[at];
        const gms_plan_traffic_t *traffic = &run->verify->flows[at].traffic;

        if (flow->watch != NULL && (flow->is_granted || traffic->has_start)) {
            time_ps =
                fmax(time_ps, (double)(traffic->start_ps + traffic->phase_ps +
                                       flow->bounds.latency_ps) +
                                  GMS_VERIFY_WINDOWS * (double)flow->window_ps);
        }
    }
    return (gms_time_t)fmin(time_ps, (double)GMS_VERIFY_TIME_MAX_PS);
}

static void gms_verify_show_progress(const gms_verify_run_t *run,
                                     gms_time_t end_ps)
{
    double past = (double)(gms_scenario_now(run->scenario) - run->begin_ps) /
                  (double)(end_ps - run->begin_ps);

    if (run->verify->bar != NULL) {
        gms_tool_bar_draw(run->verify->bar, run->done + run->part * past, "");
    }
}

static void gms_verify_watch_traffic(gms_verify_run_t *run)
{
    gms_time_t end_ps = run->begin_ps + gms_verify_time(run), next_ps;
    size_t at;

    while (gms_scenario_now(run->scenario) < end_ps) {
        gms_verify_stop(run);
        next_ps = gms_scenario_now(run->scenario) + GMS_VERIFY_STEP_PS;
        gms_scenario_run(run->scenario, next_ps < end_ps ? next_ps : end_ps);
        for (at = 0; at < run->verify->flow_count; ++at) {
            (void)gms_verify_look(run, at);
        }
        gms_verify_show_progress(run, end_ps);
        /* Check the bounds in every step, because a flow with a start time can end in
         * the next step. */
        gms_verify_look_at_bounds(run);
    }
    for (at = 0; at < run->verify->flow_count; ++at) {
        if (!run->flows[at].is_over) {
            run->flows[at].end_ps = end_ps;
            gms_flow_watch_finish(run->flows[at].watch, end_ps);
        }
    }
}

/* ---- one run -------------------------------------------------------------------- */

static gms_status_t gms_verify_run_once(gms_verify_run_t run,
                                        gms_verify_result_t *results,
                                        char *error)
{
    const gms_verify_case_t *verify = run.verify;
    gms_status_t status;

    run.flows = calloc(verify->flow_count + 1, sizeof(*run.flows));
    if (run.flows == NULL) {
        (void)snprintf(error, GMS_VERIFY_ERROR_LEN, "out of memory");
        return GMS_ERR_NO_MEMORY;
    }
    status = gms_scenario_create(verify->params, verify->graph, &run.scenario,
                                 error);
    if (status == GMS_OK) {
        if (gms_verify_ask_all(&run, error) && gms_verify_begin(&run, error)) {
            gms_verify_watch_traffic(&run);
            gms_verify_judge(&run, results);
        } else {
            status = GMS_ERR_CONFIG;
        }
        gms_scenario_destroy(run.scenario);
    }
    free(run.flows);
    return status;
}

gms_status_t gms_verify_run(const gms_verify_case_t *verify,
                            gms_verify_result_t *results, char *error)
{
    int sends = 1, phases = 1, runs = 0, paced, spread;
    gms_status_t status = GMS_OK;
    size_t at;

    gms_verify_results_init(verify, results);
    for (at = 0; at < verify->flow_count; ++at) {
        const gms_plan_traffic_t *traffic = &verify->flows[at].traffic;

        if (verify->flows[at].request.qos_class == GMS_QOS_PREMIUM &&
            traffic->send == GMS_PLAN_SEND_BOTH) {
            sends = 2;
        }
        if (!traffic->has_phase && !traffic->has_start) {
            phases = 2;
        }
    }
    for (paced = 0; status == GMS_OK && paced < sends; ++paced) {
        for (spread = 0; status == GMS_OK && spread < phases; ++spread) {
            gms_verify_run_t run = {.verify = verify,
                                    .is_paced = paced,
                                    .is_spread = spread,
                                    .done = (double)runs++ / (sends * phases),
                                    .part = 1.0 / (sends * phases)};

            status = gms_verify_run_once(run, results, error);
        }
    }
    return status;
}
