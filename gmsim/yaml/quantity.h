/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * quantity.h - numbers with units in hints, policies and plans. The units are
 * documented in doc/reference/units.md.
 *
 * The decimal separator is always a point, regardless of the program's locale.
 */
#ifndef MPI_QOS_QUANTITY_H
#define MPI_QOS_QUANTITY_H

/** Size of the buffer for mpiqos_quantity_print() and
 *  mpiqos_quantity_time(). */
#define MPIQOS_QUANTITY_LEN 32
/** Allowed times, numbers of bytes and bandwidths, as text for messages. */
#define MPIQOS_TIME_WORDS "0 to 40 s, with a unit: s, ms, us, ns"
#define MPIQOS_BYTES_WORDS                                                     \
    "0 to 2147483647 bytes; units: kB, MB (powers of 1000), KiB, MiB "         \
    "(powers of 1024)"

#define MPIQOS_BANDWIDTH_UNITS                                                 \
    "B/s, kB/s, MB/s, GB/s (powers of 1000), KiB/s, MiB/s, GiB/s (of 1024)"
#define MPIQOS_BANDWIDTH_WORDS                                                 \
    "0 to 1e12 bytes/s; units: " MPIQOS_BANDWIDTH_UNITS

/** Size of the buffer for mpiqos_quantity_no_bandwidth(). */
#define MPIQOS_NO_BANDWIDTH_LEN 54

/** Parse a bandwidth such as "40e6 B/s" or "40 MB/s", and return it in bytes/s.
 * A unit is required, because people who write 40 mean MB/s, but programs that
 * print 40000000 mean bytes/s. Only "0" needs no unit. The function does
 * not check the range.
 *  @return 0, or -1 if the text is not a bandwidth (bytes_s_p is then
 *    unchanged) */
int mpiqos_quantity_bandwidth(const char *text, double *bytes_s_p);
/** Return the reason why a text was rejected. A message can print the reason
 * after the text. The reason is "is not a valid bandwidth" or, for a number
 * without a unit, "has no unit: '40 MB/s' or '40 B/s'?". */
void mpiqos_quantity_no_bandwidth(const char *text,
                                  char why[MPIQOS_NO_BANDWIDTH_LEN]);
/** Parse a decimal integer. A number that is too large is converted to LONG_MIN
 *  or LONG_MAX.
 *  @return 0, or -1 if the text is not an integer (number_p is then
 *    unchanged) */
int mpiqos_quantity_whole(const char *text, long *number_p);
/** Parse a time such as "2 ms" or "250us", and return it in seconds. A unit is
 *  required, because a number alone could mean seconds or milliseconds. Only "0"
 *  needs no unit. The function does not check the range.
 *  @return 0, or -1 if the text is not a time (seconds_p is then unchanged) */
int mpiqos_quantity_seconds(const char *text, double *seconds_p);
/** Parse a size such as "65536" or "64 KiB", and return it in bytes. The
 *  function does not check the range.
 *  @return 0, or -1 if the text is not a whole number of bytes (bytes_p is then
 *          unchanged) */
int mpiqos_quantity_bytes(const char *text, double *bytes_p);
/** Print a time in a readable form such as "1.234 ms", with four digits and
 *  rounded up. */
void mpiqos_quantity_time(double seconds, char text[MPIQOS_QUANTITY_LEN]);
/** Print a number in its shortest form with up to 15 digits. */
void mpiqos_quantity_print(double number, char text[MPIQOS_QUANTITY_LEN]);

#endif
