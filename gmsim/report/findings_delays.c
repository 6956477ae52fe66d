/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Creates the findings about delay bounds of reservations: whether messages
 * exceeded the bounds, and by how much.
 */
#include "base/plural.h"
#include "report/findings.h"

gms_time_t gms_data_delay_bound(const gms_report_flow_t *flow)
{
    return flow->asked_delay_ps > 0 ? flow->asked_delay_ps : flow->bound_ps;
}

const char *gms_data_delay_verdict(const gms_report_flow_t *flow)
{
    gms_time_t bound_ps = gms_data_delay_bound(flow);

    if (!flow->has_delay) {
        return NULL;
    }
    if (bound_ps == 0 || flow->delay_messages == 0) {
        return "not checked";
    }
    return flow->worst_delay_ps <= bound_ps ? "kept" : "broken";
}

static int gms_findings_is_broken(const gms_report_flow_t *flow)
{
    return flow->delay_messages > 0 && gms_data_delay_bound(flow) > 0 &&
           flow->worst_delay_ps > gms_data_delay_bound(flow);
}

/* Returns the delay of the slowest message as a fraction of the bound. */
static double gms_findings_used(const gms_report_flow_t *flow)
{
    gms_time_t bound_ps = gms_data_delay_bound(flow);

    return bound_ps > 0 && flow->delay_messages > 0
               ? (double)flow->worst_delay_ps / (double)bound_ps
               : 0;
}

void gms_findings_delays(const gms_data_t *data, json_t *list)
{
    const gms_report_run_t *run = data->run;
    const gms_report_flow_t *flow;
    size_t checked = 0, broken = 0, most = 0, i;
    gms_text_t worst, bound;

    for (i = 0; i < run->flow_count; ++i) {
        flow = &run->flows[i];
        if (!flow->has_delay || gms_findings_used(flow) <= 0) {
            continue;
        }
        ++checked;
        broken += (size_t)gms_findings_is_broken(flow);
        if (checked == 1 ||
            gms_findings_used(flow) > gms_findings_used(&run->flows[most])) {
            most = i;
        }
    }
    if (checked == 0) {
        return;
    }
    flow = &run->flows[most];
    (void)gms_text_time((double)flow->worst_delay_ps, &worst);
    (void)gms_text_time((double)gms_data_delay_bound(flow), &bound);
    if (broken > 0) {
        gms_findings_add(list, 0.95, "flow", flow->number,
                         "%zu of %zu delay %s for GM messages (requested, or "
                         "computed by the manager) %s broken. The slowest "
                         "message of flow %s took %s, but its bound is %s.",
                         broken, checked,
                         gms_plural(checked, "bound", "bounds"),
                         gms_plural(broken, "was", "were"),
                         data->names[most].text, worst.text, bound.text);
    } else {
        gms_findings_add(list, 0.15, "flow", flow->number,
                         "%zu of %zu delay %s for GM messages (requested, or "
                         "computed by the manager) %s kept. Flow %s came "
                         "closest to its bound: its slowest message took %s, "
                         "and its bound is %s.",
                         checked, checked,
                         gms_plural(checked, "bound", "bounds"),
                         gms_plural(checked, "was", "were"),
                         data->names[most].text, worst.text, bound.text);
    }
}
