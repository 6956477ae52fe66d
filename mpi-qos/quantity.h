/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * quantity.h - numbers in hints, policies and plans, as people write them;
 * doc/reference/units.md has the units.
 *
 * Always with a decimal point, whatever the program's locale.
 */
#ifndef MPI_QOS_QUANTITY_H
#define MPI_QOS_QUANTITY_H

/** Room for a number that mpiqos_quantity_print() writes. */
#define MPIQOS_QUANTITY_LEN 32

#define MPIQOS_BANDWIDTH_UNITS                                                 \
    "B/s, kB/s, MB/s, GB/s (powers of 1000), KiB/s, MiB/s, GiB/s (of 1024)"
#define MPIQOS_BANDWIDTH_WORDS                                                 \
    "0 to 1e12 bytes/s, or with " MPIQOS_BANDWIDTH_UNITS

/** "40e6", "40 MB/s": bytes/s. Does not check the range.
 *  @return 0; -1 if it is no bandwidth (bytes_s_p untouched) */
int mpiqos_quantity_bandwidth(const char *text, double *bytes_s_p);
/** A decimal integer; what does not fit becomes LONG_MIN or LONG_MAX.
 *  @return 0; -1 if it is none (number_p untouched) */
int mpiqos_quantity_whole(const char *text, long *number_p);
/** Shortest form with 15 digits. */
void mpiqos_quantity_print(double number, char text[MPIQOS_QUANTITY_LEN]);

#endif
