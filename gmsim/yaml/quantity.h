/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * quantity.h - numbers with units in hints, policies and plans, as people write
 * them; doc/reference/units.md has the units.
 *
 * The decimal separator is always a point, in any locale of the program.
 */
#ifndef MPI_QOS_QUANTITY_H
#define MPI_QOS_QUANTITY_H

/** Room for a number that mpiqos_quantity_print() writes. */
#define MPIQOS_QUANTITY_LEN 32
/** What a time and a number of bytes are, in messages. */
#define MPIQOS_TIME_WORDS "0 to 40 s, with a unit: s, ms, us, ns"
#define MPIQOS_BYTES_WORDS                                                     \
    "0 to 2147483647 bytes, or with kB, MB (powers of 1000), KiB, MiB (of "    \
    "1024)"

#define MPIQOS_BANDWIDTH_UNITS                                                 \
    "B/s, kB/s, MB/s, GB/s (powers of 1000), KiB/s, MiB/s, GiB/s (of 1024)"
#define MPIQOS_BANDWIDTH_WORDS "0 to 1e12 bytes/s, with " MPIQOS_BANDWIDTH_UNITS

/** Room for what mpiqos_quantity_no_bandwidth() says. */
#define MPIQOS_NO_BANDWIDTH_LEN 55

/** "40e6 B/s", "40 MB/s": bytes/s. A unit is required: people who write 40 mean
 *  MB/s, and programs that print 40000000 mean bytes/s. "0" needs none. Does not
 *  check the range.
 *  @return 0; -1 if it is no bandwidth (bytes_s_p untouched) */
int mpiqos_quantity_bandwidth(const char *text, double *bytes_s_p);
/** What is wrong with a text that was refused, behind it: "is no bandwidth", or,
 *  for a number alone, "has no unit: '40 MB/s' or '40 B/s'?". */
void mpiqos_quantity_no_bandwidth(const char *text,
                                  char why[MPIQOS_NO_BANDWIDTH_LEN]);
/** A decimal integer; what does not fit becomes LONG_MIN or LONG_MAX.
 *  @return 0; -1 if it is none (number_p untouched) */
int mpiqos_quantity_whole(const char *text, long *number_p);
/** "2 ms", "250us": seconds. A unit is required, since people mean seconds as well
 *  as milliseconds; "0" needs none. Does not check the range.
 *  @return 0; -1 if it is no time (seconds_p untouched) */
int mpiqos_quantity_seconds(const char *text, double *seconds_p);
/** "65536", "64 KiB": bytes. Does not check the range.
 *  @return 0; -1 if it is no whole number of bytes (bytes_p untouched) */
int mpiqos_quantity_bytes(const char *text, double *bytes_p);
/** A time for people: "1.234 ms", four digits, rounded up. */
void mpiqos_quantity_time(double seconds, char text[MPIQOS_QUANTITY_LEN]);
/** Shortest form with 15 digits. */
void mpiqos_quantity_print(double number, char text[MPIQOS_QUANTITY_LEN]);

#endif
