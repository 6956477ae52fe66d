/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints the output of gmsim verify: a table, CSV, and plans that repeat a
 * case. */
#include <inttypes.h>

#include "tool/colour.h"
#include "tool/verify.h"

/* ---- the table ---------------------------------------------------------------- */

static int gms_verify_is_premium(const gms_plan_flow_t *flow)
{
    return flow->request.qos_class == GMS_QOS_PREMIUM;
}

/* Return the manager's answer for a flow as text: "granted", "denied", "not
 * asked", or "no answer". */
static const char *gms_verify_answer(const gms_plan_flow_t *flow,
                                     const gms_verify_result_t *result)
{
    return flow->request.qos_class == GMS_QOS_UNMANAGED ||
                   (!result->is_answered &&
                    result->verdict == GMS_VERIFY_RELEASED)
               ? "not asked"
           : !result->is_answered ? "no answer"
           : result->is_granted   ? "granted"
                                  : "denied";
}

/* Print a value in a column of width 9, or "-" if the value is unknown. */
static void gms_verify_column(FILE *file, int is_known, double value)
{
    if (is_known) {
        fprintf(file, " %9.3f", value);
    } else {
        fprintf(file, " %9s", "-");
    }
}

static void gms_verify_print_flow(FILE *file, const gms_plan_flow_t *flow,
                                  const gms_verify_result_t *result)
{
    const gms_qos_bounds_t *bounds = &result->bounds;
    int is_known = gms_verify_is_premium(flow) && result->is_granted;

    fprintf(file, "%-12s %5u %5u", flow->name, flow->request.source_node + 1,
            flow->request.key.target_node + 1u);
    gms_verify_column(file, is_known, result->granted_bytes_s / 1e6);
    gms_verify_column(file, is_known && result->least_bytes_s >= 0,
                      result->least_bytes_s / 1e6);
    gms_verify_column(file, is_known && bounds->delay_ps > 0,
                      (double)bounds->delay_ps / 1e9);
    gms_verify_column(file, is_known && result->delay_worst_ps > 0,
                      (double)result->delay_worst_ps / 1e9);
    fprintf(file, "  ");
    gms_colour_print(file,
                     result->margin < 1 ? GMS_COLOUR_BAD : GMS_COLOUR_NONE, 0,
                     gms_verify_verdict_names[result->verdict]);
    if (result->verdict == GMS_VERIFY_DENIED) {
        fprintf(file, " (%s)",
                gms_qos_criterion_name(result->answer.criterion));
    }
    fprintf(file, "\n");
    if (gms_verify_ran_dry(result)) {
        fprintf(file,
                "%-12s all messages that the sender may have in flight "
                "(window: %u) were on their way; use a larger window\n",
                "", flow->traffic.window);
    }
    if (result->cost[0] != '\0') {
        fprintf(file, "%-12s %s; most time was lost at %s\n", "",
                result->broken, result->cost);
    }
}

static void gms_verify_print_summary(FILE *file,
                                     const gms_verify_case_t *verify,
                                     const gms_verify_result_t *results)
{
    size_t counts[GMS_VERIFY_UNMEASURED + 1] = {0}, broken, at;

    for (at = 0; at < verify->flow_count; ++at) {
        ++counts[results[at].verdict];
    }
    broken = counts[GMS_VERIFY_BROKEN_BANDWIDTH] +
             counts[GMS_VERIFY_BROKEN_DELAY] + counts[GMS_VERIFY_BROKEN_JITTER];
    fprintf(file, "\n%zu reservation%s kept, %zu broken, %zu denied",
            counts[GMS_VERIFY_IS_KEPT],
            counts[GMS_VERIFY_IS_KEPT] == 1 ? "" : "s", broken,
            counts[GMS_VERIFY_DENIED]);
    if (counts[GMS_VERIFY_UNMEASURED] > 0) {
        fprintf(file,
                ", %zu not measured because the run was too short or no "
                "messages waited",
                counts[GMS_VERIFY_UNMEASURED]);
    }
    fprintf(file, ".\n");
}

void gms_verify_print(FILE *file, const gms_verify_case_t *verify,
                      const gms_verify_result_t *results)
{
    size_t at;

    fprintf(file, "%-12s %5s %5s %9s %9s %9s %9s  %s\n", "flow", "from", "to",
            "granted", "least", "bound", "worst", "verdict");
    fprintf(file, "%-12s %5s %5s %9s %9s %9s %9s\n", "", "", "", "MB/s", "MB/s",
            "delay ms", "delay ms");
    for (at = 0; at < verify->flow_count; ++at) {
        if (verify->flows[at].request.qos_class != GMS_QOS_UNMANAGED ||
            results[at].verdict != GMS_VERIFY_RELEASED) {
            gms_verify_print_flow(file, &verify->flows[at], &results[at]);
        }
    }
    gms_verify_print_summary(file, verify, results);
}

/* ---- CSV ----------------------------------------------------------------------- */

/* Print a comma, and then the number if it is known. */
static void gms_verify_field(FILE *file, int is_known, int digits, double value)
{
    fprintf(file, ",");
    if (is_known) {
        fprintf(file, "%.*f", digits, value);
    }
}

void gms_verify_print_csv(FILE *file, const gms_verify_case_t *verify,
                          const gms_verify_result_t *results)
{
    size_t at;

    fprintf(file, "name,from,to,class,asked_bytes_s,answer,granted_bytes_s,"
                  "least_bytes_s,delay_bound_s,delay_worst_s,jitter_bound_s,"
                  "jitter_worst_s,verdict\n");
    for (at = 0; at < verify->flow_count; ++at) {
        const gms_plan_flow_t *flow = &verify->flows[at];
        const gms_verify_result_t *result = &results[at];
        int is_premium = gms_verify_is_premium(flow);
        int is_known = is_premium && result->is_granted;

        if (flow->request.qos_class == GMS_QOS_UNMANAGED &&
            result->verdict == GMS_VERIFY_RELEASED) {
            continue; /* this entry releases another flow */
        }
        fprintf(file, "%s,%u,%u,%s", flow->name, flow->request.source_node + 1,
                flow->request.key.target_node + 1u,
                gms_plan_class_name(flow->request.qos_class));
        gms_verify_field(file, is_premium, 0, flow->request.bytes_s);
        fprintf(file, ",%s", gms_verify_answer(flow, result));
        gms_verify_field(file, is_known, 0, result->granted_bytes_s);
        gms_verify_field(file, is_known && result->least_bytes_s >= 0, 0,
                         result->least_bytes_s);
        gms_verify_field(file, is_known && result->bounds.delay_ps > 0, 9,
                         (double)result->bounds.delay_ps / 1e12);
        gms_verify_field(file, is_known && result->delay_worst_ps > 0, 9,
                         (double)result->delay_worst_ps / 1e12);
        gms_verify_field(file, is_known && result->bounds.jitter_ps > 0, 9,
                         (double)result->bounds.jitter_ps / 1e12);
        gms_verify_field(
            file, is_known && result->messages > 0, 9,
            (double)(result->delay_worst_ps - result->delay_least_ps) / 1e12);
        fprintf(file, ",%s\n", gms_verify_verdict_names[result->verdict]);
    }
}

/* ---- a plan -------------------------------------------------------------------- */

static void gms_verify_write_time(FILE *file, const char *key,
                                  gms_time_t time_ps)
{
    if (time_ps > 0) {
        fprintf(file, ", %s: %" PRIu64 " ps", key, time_ps);
    }
}

static void gms_verify_write_traffic(FILE *file, const gms_plan_flow_t *flow)
{
    static const char *const sends[] = {"both", "backlogged", "paced"};
    const gms_plan_traffic_t *traffic = &flow->traffic;
    const gms_qos_shape_t *shape = &flow->request.shape;

    fprintf(file, ", message: %u, window: %u", shape->message_bytes,
            traffic->window);
    if (shape->burst_bytes > 0) {
        fprintf(file, ", burst: %u", shape->burst_bytes);
    }
    gms_verify_write_time(file, "delay", shape->delay_ps);
    gms_verify_write_time(file, "jitter", shape->jitter_ps);
    if (flow->request.key.priority == 1) {
        fprintf(file, ", priority: high");
    }
    if (traffic->has_start) {
        fprintf(file, ", start: %" PRIu64 " ps", traffic->start_ps);
    }
    if (traffic->has_phase) {
        fprintf(file, ", phase: %" PRIu64 " ps", traffic->phase_ps);
    }
    gms_verify_write_time(file, "stop", traffic->stop_ps);
    gms_verify_write_time(file, "on", traffic->on_ps);
    gms_verify_write_time(file, "off", traffic->off_ps);
    if (traffic->is_random) {
        fprintf(file, ", random: true");
    }
    if (gms_verify_is_premium(flow)) {
        fprintf(file, ", send: %s", sends[traffic->send]);
    }
}

static void gms_verify_write_number(FILE *file, const char *key, double number,
                                    const char *unit)
{
    if (number > 0) {
        fprintf(file, ", %s: %.17g%s", key, number, unit);
    }
}

static void gms_verify_write_flow(FILE *file, const gms_plan_flow_t *flow)
{
    const gms_flow_request_t *request = &flow->request;

    fprintf(file, "{from: %u, to: %u", request->source_node + 1,
            request->key.target_node + 1u);
    if (flow->name[0] != '#') { /* all other names are generated again */
        fprintf(file, ", name: '");
        for (const char *c = flow->name; *c != '\0'; ++c) {
            fprintf(file, *c == '\'' ? "''" : "%c", *c);
        }
        fprintf(file, "'");
    }
    fprintf(file, ", class: %s", gms_plan_class_name(request->qos_class));
    if (gms_verify_is_premium(flow)) {
        gms_verify_write_number(file, "bandwidth", request->bytes_s, " B/s");
    }
    gms_verify_write_number(file, "reverse", request->reverse_bytes_s, " B/s");
    gms_verify_write_number(file, "source_load", request->load.source, "");
    gms_verify_write_number(file, "target_load", request->load.target, "");
    if (flow->has_label) {
        fprintf(file, ", label: %u", flow->label);
    }
    fprintf(file, ", from_port: %u, to_port: %u", request->key.source_port,
            request->key.target_port);
    gms_verify_write_traffic(file, flow);
    fprintf(file, "}");
}

void gms_verify_write(FILE *file, const gms_verify_case_t *verify,
                      const char *cluster, const char *note)
{
    size_t step, i;

    fprintf(file, "# %s\n", note);
    if (cluster != NULL) {
        fprintf(file, "cluster: %s\n", cluster);
    }
    if (verify->time_ps > 0) {
        fprintf(file, "time: %" PRIu64 " ps\n", verify->time_ps);
    }
    fprintf(file, "requests:\n");
    for (step = 0; step < verify->step_count; ++step) {
        const gms_plan_step_t *s = &verify->steps[step];

        if (s->kind == GMS_PLAN_RELEASE) {
            fprintf(file, "  - {release: '%s'}\n",
                    verify->flows[s->first].name);
            continue;
        }
        fprintf(file, "  - %s", s->count > 1 ? "all: [" : "");
        for (i = 0; i < s->count; ++i) {
            fprintf(file, i > 0 ? ",\n      " : "");
            gms_verify_write_flow(file, &verify->flows[s->first + i]);
        }
        fprintf(file, s->count > 1 ? "]\n" : "\n");
    }
}
