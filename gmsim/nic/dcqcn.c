/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the DCQCN formulas in integer arithmetic, which gives the same
 * result on every processor.
 */
#include "nic/dcqcn.h"

void gms_dcqcn_init(gms_dcqcn_t *dcqcn, const gms_params_t *params)
{
    *dcqcn = (gms_dcqcn_t){.rate = params->link_bytes_s,
                           .target = params->link_bytes_s,
                           .alpha = GMS_DCQCN_ONE};
}

/* Increase the rate after dcqcn_timer_ps or after dcqcn_counter_bytes bytes. */
static void gms_dcqcn_increase(gms_dcqcn_t *dcqcn, const gms_params_t *params)
{
    uint64_t steps = params->dcqcn_fast_steps;
    uint64_t most =
        dcqcn->periods > dcqcn->counters ? dcqcn->periods : dcqcn->counters;
    uint64_t least =
        dcqcn->periods < dcqcn->counters ? dcqcn->periods : dcqcn->counters;

    if (least > steps) {
        dcqcn->target += (least - steps) * params->dcqcn_hai_bytes_s;
    } else if (most >= steps) {
        dcqcn->target += params->dcqcn_ai_bytes_s;
    }
    if (dcqcn->target > params->link_bytes_s) {
        dcqcn->target = params->link_bytes_s;
    }
    /* Round the mean up. Otherwise the rate would not reach its target. */
    dcqcn->rate = (dcqcn->target + dcqcn->rate + 1) / 2;
    dcqcn->is_limited = dcqcn->rate < params->link_bytes_s;
}

/* Decrease alpha once for each complete period without a CNP. */
static void gms_dcqcn_decay(gms_dcqcn_t *dcqcn, const gms_params_t *params,
                            gms_time_t now_ps)
{
    while (now_ps - dcqcn->alpha_ps >= params->dcqcn_alpha_ps) {
        uint32_t less = dcqcn->alpha / (uint32_t)params->dcqcn_gain_divisor;

        if (less == 0) {
            dcqcn->alpha_ps = now_ps; /* alpha no longer changes */
            return;
        }
        dcqcn->alpha -= less;
        dcqcn->alpha_ps += params->dcqcn_alpha_ps;
    }
}

void gms_dcqcn_advance(gms_dcqcn_t *dcqcn, const gms_params_t *params,
                       gms_time_t now_ps)
{
    gms_dcqcn_decay(dcqcn, params, now_ps);
    while (dcqcn->is_limited &&
           now_ps - dcqcn->period_ps >= params->dcqcn_timer_ps) {
        dcqcn->period_ps += params->dcqcn_timer_ps;
        ++dcqcn->periods;
        gms_dcqcn_increase(dcqcn, params);
    }
}

void gms_dcqcn_notified(gms_dcqcn_t *dcqcn, const gms_params_t *params,
                        gms_time_t now_ps)
{
    uint32_t gain = (uint32_t)params->dcqcn_gain_divisor;

    gms_dcqcn_advance(dcqcn, params, now_ps);
    dcqcn->target = dcqcn->rate;
    dcqcn->rate -= dcqcn->rate * dcqcn->alpha / GMS_DCQCN_ONE / 2;
    if (dcqcn->rate < params->dcqcn_min_bytes_s) {
        dcqcn->rate = params->dcqcn_min_bytes_s;
    }
    dcqcn->alpha += GMS_DCQCN_ONE / gain - dcqcn->alpha / gain;
    dcqcn->periods = 0;
    dcqcn->counters = 0;
    dcqcn->counted_bytes = 0;
    dcqcn->period_ps = now_ps;
    dcqcn->alpha_ps = now_ps;
    dcqcn->is_limited = dcqcn->rate < params->link_bytes_s;
}

void gms_dcqcn_sent(gms_dcqcn_t *dcqcn, const gms_params_t *params,
                    uint64_t bytes, gms_time_t now_ps)
{
    gms_dcqcn_advance(dcqcn, params, now_ps);
    if (!dcqcn->is_limited) {
        dcqcn->next_ps = now_ps;
        return;
    }
    dcqcn->counted_bytes += bytes;
    while (dcqcn->is_limited &&
           dcqcn->counted_bytes >= params->dcqcn_counter_bytes) {
        dcqcn->counted_bytes -= params->dcqcn_counter_bytes;
        ++dcqcn->counters;
        gms_dcqcn_increase(dcqcn, params);
    }
    if (dcqcn->next_ps < now_ps) {
        dcqcn->next_ps = now_ps;
    }
    dcqcn->next_ps += gms_transfer_ps(bytes, dcqcn->rate);
}
