/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs every tuple of IDTs of a figure on a fresh cluster for 480 ms of virtual
 * time. The bandwidth of every flow is reported as a row and as a bar.
 */
#include "experiments/shares.h"

/* time that the slowest flow, with IDT 960, needs for 1000 packets */
#define GMS_SHARES_WINDOW_PS (UINT64_C(480) * GMS_MS)

gms_status_t gms_shares_run(gms_lab_t *lab, const gms_shares_t *shares)
{
    const gms_shares_setting_t *setting = shares->settings;
    gms_params_t params;
    unsigned group = 0, total = 0, i;

    gms_streams_params(&params);
    while (shares->settings[total].name != NULL) {
        ++total;
    }
    for (; setting->name != NULL; setting++, ++group) {
        gms_stream_t streams[GMS_SHARES_MAX_FLOWS];
        double mb_s[GMS_SHARES_MAX_FLOWS];
        gms_status_t status;

        for (i = 0; i < shares->flows; ++i) {
            streams[i] = (gms_stream_t){shares->source[i], shares->target[i],
                                        setting->idt_ticks[i]};
        }
        status = gms_streams_run(lab, &params, streams, shares->flows,
                                 GMS_SHARES_WINDOW_PS, mb_s);
        if (status != GMS_OK) {
            return status;
        }
        for (i = 0; i < shares->flows; ++i) {
            gms_lab_row(lab, shares->series[i], setting->name, "bandwidth",
                        mb_s[i], "MB/s");
            gms_lab_point(lab, shares->series[i], group, mb_s[i],
                          setting->name);
        }
        gms_lab_progress(lab, (double)(group + 1) / total);
    }
    return GMS_OK;
}
