/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the bounds of a granted request. If a bound caused a denial, prints
 * the flow whose bound would be exceeded, and the smallest bound that could be
 * guaranteed.
 */
#include "tool/plan_bounds.h"

#include <stdio.h>

#include "base/denial.h"
#include "gmsim/yaml/quantity.h"

static void gms_plan_print_time(int is_csv, gms_time_t time_ps)
{
    char text[MPIQOS_QUANTITY_LEN] = "-";

    if (!is_csv) {
        if (time_ps > 0) {
            mpiqos_quantity_time((double)time_ps / 1e12, text);
        }
        printf(" %9s", text);
    } else if (time_ps > 0) {
        printf(",%.12g", (double)time_ps / 1e12);
    } else {
        printf(",");
    }
}

void gms_plan_print_bounds(int is_csv, const gms_qos_bounds_t *bounds)
{
    const gms_qos_bounds_t none = {0};

    if (bounds == NULL) {
        bounds = &none;
    }
    gms_plan_print_time(is_csv, bounds->latency_ps);
    gms_plan_print_time(is_csv, bounds->delay_ps);
    gms_plan_print_time(is_csv, bounds->jitter_ps);
}

int gms_plan_is_bound(enum gms_qos_criterion criterion)
{
    return gms_qos_has_victim(criterion);
}

void gms_plan_print_broken(const gms_qos_verdict_t *verdict,
                           const gms_flow_request_t *request,
                           const char *resource)
{
    int is_delay = verdict->criterion == GMS_QOS_DELAY;
    const char *what = is_delay ? "delay" : "jitter";
    gms_time_t least_ps =
        is_delay ? verdict->bounds.delay_ps : verdict->bounds.jitter_ps;
    char least[MPIQOS_QUANTITY_LEN];

    if (verdict->criterion == GMS_QOS_LATENCY) {
        printf("  latency: the %s would receive less than %.1f %% of its "
               "bandwidth in some interval of 100 ms or %u packets",
               resource, 100 * GMS_QOS_KEPT, GMS_QOS_WINDOW_PACKETS);
    } else if (gms_qos_lacks_bounds(verdict, request->source_node,
                                    &request->key)) {
        printf("  %s: " GMS_DENIAL_NO_BOUNDS, what);
    } else if (gms_qos_breaks_own_bound(verdict, request->source_node,
                                        &request->key)) {
        mpiqos_quantity_time((double)least_ps / 1e12, least);
        printf("  %s: the smallest bound that can be guaranteed is %s", what,
               least);
    } else {
        printf("  %s: the request would break the bound of the %s", what,
               resource);
    }
    if (verdict->left_bytes_s > 0) {
        printf("; %.3f MB/s would be granted", verdict->left_bytes_s / 1e6);
    }
}
