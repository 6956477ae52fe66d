/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Implements the conversion of a remaining bandwidth to the largest possible
 * request. All numbers are rounded down, because the manager must grant a
 * request for the printed number.
 */
#include "base/bandwidth.h"

#include <math.h>
#include <stdio.h>

/* Rounding errors can make a quotient slightly larger than the exact whole
 * number of ticks. The tolerance of one part in 10^9 is much larger than the
 * rounding errors, and much smaller than a tick, because the largest IDT is
 * 10^6 ticks. */
#define GMS_BANDWIDTH_ROUNDING 1e-9
/* Margin for numbers in single precision, whose relative error is 6e-8. */
#define GMS_BANDWIDTH_SINGLE 1e-6
/* Tolerance for a number that has four digits, but whose quotient is slightly
 * less than a whole number. The manager accepts requests with the same
 * tolerance (gms_account_idt()). */
#define GMS_BANDWIDTH_DIGITS 1e-12

double gms_bandwidth_request(double gm_bytes_s, double idt_product,
                             double payload_part)
{
    double ticks;

    if (gm_bytes_s <= 0.0) {
        return 0.0;
    }
    ticks = ceil(idt_product / gm_bytes_s * (1.0 - GMS_BANDWIDTH_ROUNDING));
    if (ticks > (double)GMS_BANDWIDTH_IDT_TICKS) {
        return 0.0;
    }
    /* Reduce the result slightly, because floor() must return this number of
     * ticks when the result is converted back. */
    return idt_product / ticks * payload_part * (1.0 - GMS_BANDWIDTH_ROUNDING);
}

double gms_bandwidth_process_request(double gm_bytes_s, double idt_product,
                                     double payload_part)
{
    if (gm_bytes_s < idt_product / (double)GMS_BANDWIDTH_IDT_TICKS) {
        return 0.0;
    }
    return gm_bytes_s * (1.0 - GMS_BANDWIDTH_SINGLE) * payload_part;
}

double gms_bandwidth_left_mb(double bytes_s)
{
    double mb = bytes_s / 1e6;
    double digit;

    if (!(mb > 0.0)) {
        return 0.0;
    }
    digit = pow(10.0, floor(log10(mb)) - 3.0);
    return floor(mb / digit * (1.0 + GMS_BANDWIDTH_DIGITS)) * digit;
}

void gms_bandwidth_print(double mb, char text[GMS_BANDWIDTH_LEN])
{
    /* %.4g would print numbers of five digits as 6e+04 */
    (void)snprintf(text, GMS_BANDWIDTH_LEN, (mb < 9999.5) ? "%.4g" : "%.0f",
                   mb);
}
