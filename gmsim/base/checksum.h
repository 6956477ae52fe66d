/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * Computes checksums of files that this project writes and later reads. These
 * checksums detect damage such as a truncated file, a flipped bit, or files of
 * two different runs in one directory. These checksums do not detect deliberate
 * changes, because anyone can compute a new checksum.
 */
#ifndef BASE_CHECKSUM_H
#define BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/** Number of hexadecimal digits of a checksum as text. */
#define GMS_CHECKSUM_DIGITS 16u

/** Return the CRC-64/XZ of all preceding bytes followed by the given bytes.
 *  @param [in] sum checksum of the preceding bytes; 0 if there are no preceding
 *      bytes */
uint64_t gms_checksum(uint64_t sum, const void *bytes, size_t count);

#endif
