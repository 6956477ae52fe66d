/* SPDX-License-Identifier: BSD-3-Clause */
/* A number in decimal digits, for what is written a million times: one call of
 * printf costs more than all of this. */
#ifndef OBSERVE_DIGITS_H
#define OBSERVE_DIGITS_H

#include <stdint.h>
#include <string.h>

/** Most digits of a number. */
#define GMS_DIGITS 20u

/** Write a number, without a NUL. @return behind it, at most GMS_DIGITS on */
static inline char *gms_digits(char *to, uint64_t number)
{
    char digits[GMS_DIGITS];
    unsigned i = GMS_DIGITS;

    do {
        digits[--i] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    memcpy(to, digits + i, GMS_DIGITS - i);
    return to + (GMS_DIGITS - i);
}

#endif
