/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Converts a number to decimal digits, for output that is written millions of
 * times. A call to printf() would take longer than the whole conversion.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdint.h>
#include <string.h>

/** Largest number of digits of a 64-bit number. */
#define GMS_DIGITS 20u

/** Convert a number below 10^8 to eight digits: one byte per digit, with the
 *  value 0 to 9. The first digit is in the lowest byte. Three steps split the
 *  number into groups of four digits, then of two digits, then of one digit.
 *  Each step processes all groups at once. The factors are 2^20 / 100 and 2^10
 *  / 10, rounded up; with these factors the quotients are exact for all numbers
 *  below 10^8. */
static inline uint64_t gms_digits_eight(uint32_t number)
{
    uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t upper = fours * 10486 >> 20 & UINT64_C(0x0000007f0000007f);
    uint64_t twos = upper | (fours - 100 * upper) << 16;

    upper = twos * 103 >> 10 & UINT64_C(0x000f000f000f000f);
    return upper | (twos - 10 * upper) << 8;
}

/** Write the eight bytes of a number, the lowest byte first. */
static inline void gms_digits_put(char *to, uint64_t bytes)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    bytes = __builtin_bswap64(bytes);
#endif
    memcpy(to, &bytes, sizeof(bytes));
}

/** Write a number below 10^8 without leading zeros. @return the end of the
 *  digits */
static inline char *gms_digits_few(char *to, uint32_t number)
{
    uint64_t eight = gms_digits_eight(number);
    /* Always write the lowest digit, because 0 has one digit. */
    unsigned zeros = (unsigned)__builtin_ctzll(eight | UINT64_C(1) << 56) / 8;

    gms_digits_put(to, (eight | UINT64_C(0x3030303030303030)) >> 8 * zeros);
    return to + 8 - zeros;
}

/** Write a number without a final NUL. The function always writes to all
 *  GMS_DIGITS bytes at `to`. @return the end of the digits */
static inline char *gms_digits(char *to, uint64_t number)
{
    const uint64_t eight = UINT64_C(100000000);

    if (number < 10) { /* common case: a count of 0 */
        *to = (char)('0' + number);
        return to + 1;
    }
    if (number < eight) {
        return gms_digits_few(to, (uint32_t)number);
    }
    if (number < 10 * eight) { /* common case: a time shorter than a window */
        *to++ = (char)('0' + number / eight);
    } else if (number < eight * eight) {
        to = gms_digits_few(to, (uint32_t)(number / eight));
    } else {
        to = gms_digits_few(to, (uint32_t)(number / eight / eight));
        gms_digits_put(to,
                       gms_digits_eight((uint32_t)(number / eight % eight)) |
                           UINT64_C(0x3030303030303030));
        to += 8;
    }
    gms_digits_put(to, gms_digits_eight((uint32_t)(number % eight)) |
                           UINT64_C(0x3030303030303030));
    return to + 8;
}

#endif
