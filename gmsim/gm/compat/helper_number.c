/* SPDX-License-Identifier: BSD-3-Clause */
/* Implements GM's checksums (with zlib's CRC-32) and rounded-up binary
 * logarithms. */
#include <stdint.h>

#include <zlib.h>

#include "gm.h"

/* ---- Checksums --------------------------------------------------------- */

/* If the pointer is NULL, zlib's function returns 0 for any length. */
unsigned long gm_crc(void *address, gm_size_t length)
{
    return crc32_z(0, address, length);
}

unsigned long gm_crc_str(const char *string)
{
    return crc32_z(0, (const Bytef *)string, gm_strlen(string));
}

/* ---- Logarithms -------------------------------------------------------- */

#define GMS_2(_n)  (_n), (_n)
#define GMS_4(_n)  GMS_2(_n), GMS_2(_n)
#define GMS_8(_n)  GMS_4(_n), GMS_4(_n)
#define GMS_16(_n) GMS_8(_n), GMS_8(_n)
#define GMS_32(_n) GMS_16(_n), GMS_16(_n)
#define GMS_64(_n) GMS_32(_n), GMS_32(_n)

const unsigned char gm_log2_roundup_table[257] = {
    0,         0,         /* 0, 1 */
    1,                    /* 2 */
    GMS_2(2),             /* 3 .. 4 */
    GMS_4(3),             /* 5 .. 8 */
    GMS_8(4),             /* 9 .. 16 */
    GMS_16(5),            /* 17 .. 32 */
    GMS_32(6),            /* 33 .. 64 */
    GMS_64(7),            /* 65 .. 128 */
    GMS_64(8), GMS_64(8), /* 129 .. 256 */
};

unsigned long gm_log2_roundup(unsigned long n)
{
    /* The result is the number of bits in n - 1. */
    return n < 2 ? 0 : 8 * sizeof(n) - (unsigned long)__builtin_clzl(n - 1);
}
