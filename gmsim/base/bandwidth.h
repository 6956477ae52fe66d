/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes and formats the remaining bandwidth of a denial. The library of the
 * program and the report of a run call the same functions with the same
 * numbers, therefore they print the same result.
 */
#ifndef BASE_BANDWIDTH_H
#define BASE_BANDWIDTH_H

/** The largest IDT, ticks. [source: gm_qos.h, GM_QOS_MAX_IDT_TICKS] */
#define GMS_BANDWIDTH_IDT_TICKS 1000000u
/** Size of the buffer for gms_bandwidth_print(). */
#define GMS_BANDWIDTH_LEN 16

/**
 * Returns the largest bandwidth that a program can request for its own data,
 * bytes/s. A request for exactly this bandwidth is granted. The manager charges
 * a request for the bandwidth of an IDT of whole ticks; the result is therefore
 * the bandwidth of an IDT that is rounded up.
 *
 * @param [in] gm_bytes_s    remaining bandwidth according to the manager,
 *                           bytes/s of GM payload
 * @param [in] idt_product   bandwidth at an IDT of 1 tick, bytes/s of GM payload
 * @param [in] payload_part  share of the program's own data in GM payload
 *
 * @return 0 if the remaining bandwidth is less than that of the largest IDT
 */
double gms_bandwidth_request(double gm_bytes_s, double idt_product,
                             double payload_part);

/**
 * Returns the same as gms_bandwidth_request() if the limit is a process, which
 * has only enough processor time for `gm_bytes_s`. The manager has already
 * computed this limit for whole ticks. The result is smaller by one part in a
 * million, because the manager stores loads in single precision.
 */
double gms_bandwidth_process_request(double gm_bytes_s, double idt_product,
                                     double payload_part);

/** Returns the remaining bandwidth in MB/s, rounded down to the four digits that
 *  are printed, because a request for exactly the printed number must be
 *  granted. The result is 0 if `bytes_s` is negative. */
double gms_bandwidth_left_mb(double bytes_s);

/** Prints a bandwidth without its unit: four digits, or all digits before the
 *  decimal point if there are more. */
void gms_bandwidth_print(double mb, char text[GMS_BANDWIDTH_LEN]);

#endif
