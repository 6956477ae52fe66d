/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computes the CRC-64/XZ (the polynomial of ECMA-182 with reflected bits),
 * eight bytes at a time.
 */
#include "base/checksum.h"

#include <pthread.h>
#include <string.h>

#define GMS_CHECKSUM_POLYNOMIAL UINT64_C(0xc96c5795d7870f42)
#define GMS_CHECKSUM_SLICES     8u

static uint64_t gms_checksum_table[GMS_CHECKSUM_SLICES][256];

static void gms_checksum_fill(void)
{
    unsigned byte, bit, slice;

    for (byte = 0; byte < 256; ++byte) {
        uint64_t sum = byte;

        for (bit = 0; bit < 8; ++bit) {
            sum = sum >> 1 ^ (sum & 1 ? GMS_CHECKSUM_POLYNOMIAL : 0);
        }
        gms_checksum_table[0][byte] = sum;
    }
    for (slice = 1; slice < GMS_CHECKSUM_SLICES; ++slice) {
        for (byte = 0; byte < 256; ++byte) {
            uint64_t sum = gms_checksum_table[slice - 1][byte];

            gms_checksum_table[slice][byte] =
                sum >> 8 ^ gms_checksum_table[0][sum & 0xff];
        }
    }
}

uint64_t gms_checksum(uint64_t sum, const void *bytes, size_t count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const unsigned char *next = bytes;
    unsigned i;

    (void)pthread_once(&once, gms_checksum_fill);
    sum = ~sum;
    for (; count >= GMS_CHECKSUM_SLICES; count -= GMS_CHECKSUM_SLICES) {
        uint64_t mixed = 0;

        for (i = 0; i < GMS_CHECKSUM_SLICES; ++i) {
            unsigned byte = (next[i] ^ (unsigned)(sum >> 8 * i)) & 0xff;

            mixed ^= gms_checksum_table[GMS_CHECKSUM_SLICES - 1 - i][byte];
        }
        sum = mixed;
        next += GMS_CHECKSUM_SLICES;
    }
    for (; count > 0; --count) {
        sum = sum >> 8 ^ gms_checksum_table[0][(sum ^ *next++) & 0xff];
    }
    return ~sum;
}
