/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Runs the experiments of figures 5.5 to 5.8 of the thesis and figure 12 of the
 * paper. The same group of flows runs once with each tuple of IDTs. The figure
 * shows the bandwidth of every flow as a bar.
 */
#ifndef EXPERIMENTS_SHARES_H
#define EXPERIMENTS_SHARES_H

#include "experiments/streams.h"

#define GMS_SHARES_MAX_FLOWS 4

/** A tuple of IDTs. Multiples of T are rounded to the nearest tick: 10T/3 =
 *  320, 10T/7 = 137, 10T/9 = 107. */
typedef struct gms_shares_setting {
    const char *name; /* name of the case, such as "IDT=(2T;2T)" */
    uint32_t idt_ticks[GMS_SHARES_MAX_FLOWS];
} gms_shares_setting_t;

typedef struct gms_shares {
    unsigned flows;
    unsigned source[GMS_SHARES_MAX_FLOWS], target[GMS_SHARES_MAX_FLOWS];
    const char *series[GMS_SHARES_MAX_FLOWS];
    /* terminated by an element whose .name is NULL */
    const gms_shares_setting_t *settings;
} gms_shares_t;

/** Run all settings, and report a row "bandwidth" and a bar for every flow. */
gms_status_t gms_shares_run(gms_lab_t *lab, const gms_shares_t *shares);

#endif
