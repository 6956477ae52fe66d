/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the search for the largest request that all sums of the account
 * have room for. The requirements of a request grow with its bandwidth, so a
 * bisection finds the limit.
 */
#include "manager/account_left.h"

#include <math.h>

/* Precision of the search for the largest request, relative to the result. */
#define GMS_ACCOUNT_PRECISION 1e-9
/* Requests contain reverse rates and loads in single precision, whose relative
 * error is 6e-8. The search leaves a margin for the reverse rates. For loads,
 * libmpiqos subtracts a margin of 1e-6 itself. The search uses half of this
 * margin for the bandwidth of an IDT, because a load that fits exactly may be
 * rounded up. */
#define GMS_ACCOUNT_SINGLE 1e-6
#define GMS_ACCOUNT_LOAD   5e-7

/** Checks whether the sums have room for the request if its bandwidth, its
 *  reverse rate and its loads are scaled to another bandwidth. The loads are
 *  reduced by the relative margin. */
static int gms_account_has_room(gms_account_t *account, gms_managed_t *flow,
                                const gms_flow_request_t *request,
                                const gms_sums_path_t *path, double bytes_s,
                                double margin, gms_qos_verdict_t *verdict)
{
    gms_flow_request_t scaled = *request;
    double scale = bytes_s / request->bytes_s;
    double load_scale = scale * (1 - margin);

    scaled.bytes_s = bytes_s;
    scaled.reverse_bytes_s *= scale * (1 + GMS_ACCOUNT_SINGLE);
    scaled.load.source = (float)((double)scaled.load.source * load_scale);
    scaled.load.target = (float)((double)scaled.load.target * load_scale);
    gms_account_set(account, flow, &scaled);
    return gms_sums_admit(account, flow, path, verdict);
}

/** Returns the largest bandwidth of an IDT that is not larger than bytes_s. */
static double gms_account_whole(const gms_account_t *account, double bytes_s)
{
    const gms_params_t *params = &account->params;
    uint32_t idt = gms_account_idt(params, bytes_s);
    uint32_t step =
        params->nic_kind == GMS_NIC_HCA ? (uint32_t)params->hca_pace_ticks : 1;

    if (gms_account_bandwidth(params, idt) > bytes_s &&
        idt + step <= GMS_IDT_MAX_TICKS) {
        idt += step;
    }
    return fmin(gms_account_bandwidth(params, idt), bytes_s);
}

static int gms_account_is_process(enum gms_qos_criterion criterion)
{
    return criterion == GMS_QOS_SOURCE_PROCESS ||
           criterion == GMS_QOS_DESTINATION_PROCESS;
}

void gms_account_find_left(gms_account_t *account, gms_managed_t *flow,
                           const gms_flow_request_t *request,
                           const gms_sums_path_t *path,
                           gms_qos_verdict_t *verdict)
{
    double low = gms_account_bandwidth(&account->params, GMS_IDT_MAX_TICKS);
    double high = request->bytes_s;
    gms_qos_verdict_t limit = *verdict, any;

    if (request->qos_class != GMS_QOS_PREMIUM) {
        return;
    }
    verdict->left_bytes_s = 0;
    if (low < high &&
        gms_account_has_room(account, flow, request, path, low, 0, &any)) {
        while (high - low > GMS_ACCOUNT_PRECISION * low) {
            double middle = low + (high - low) / 2;

            if (gms_account_has_room(account, flow, request, path, middle, 0,
                                     &any)) {
                low = middle;
            } else {
                high = middle;
                limit = any;
            }
        }
        /* The search ends slightly below the bandwidth of an IDT. */
        high = gms_account_bandwidth(&account->params,
                                     gms_account_idt(&account->params, low));
        if (gms_account_has_room(account, flow, request, path, high,
                                 GMS_ACCOUNT_LOAD, &any)) {
            low = high;
        } else if (!gms_account_is_process(limit.criterion)) {
            low = gms_account_whole(account, low);
        }
        verdict->criterion = limit.criterion;
        verdict->resource = limit.resource;
        verdict->left_bytes_s = low;
    }
    gms_account_set(account, flow, request);
}
