/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the bytes of an input as numbers, including unusual numbers (limits,
 * NaN, infinities). After the end of the input, all bytes are 0.
 */
#include <math.h>
#include <string.h>

#include "fuzz.h"

static const uint8_t *fuzz_next, *fuzz_end;

void fuzz_input_set(const uint8_t *data, size_t size)
{
    fuzz_next = data;
    fuzz_end = data + size;
}

int fuzz_input_is_over(void)
{
    return fuzz_next == fuzz_end;
}

unsigned fuzz_byte(void)
{
    return fuzz_next != fuzz_end ? *fuzz_next++ : 0;
}

unsigned fuzz_below(unsigned modulus)
{
    return fuzz_byte() % modulus;
}

uint64_t fuzz_number(unsigned bytes)
{
    uint64_t number = 0;
    unsigned i;

    for (i = 0; i < bytes; ++i) {
        number |= (uint64_t)fuzz_byte() << 8 * i;
    }
    return number;
}

uint64_t fuzz_odd_number(void)
{
    unsigned how = fuzz_byte();
    uint64_t power = UINT64_C(1) << (how >> 2) % 64;

    switch (how % 4) {
    case 0:
        return how >> 2;
    case 1:
        return power - 1;
    case 2:
        return power + fuzz_below(3);
    default:
        return how >= 128 ? UINT64_MAX - (how >> 2) : fuzz_number(how % 8 + 1);
    }
}

double fuzz_odd_double(void)
{
    static const double values[] = {
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e6,
        20e6,
        38e6,
        78e6,
        80e6,
        1e9,
        1e-9,
        1e30,
        1e308,
        (double)INFINITY,
        -(double)INFINITY,
        (double)NAN,
    };
    unsigned how = fuzz_byte();
    uint64_t bits;
    double value;

    if (how % 2 != 0) {
        return (double)fuzz_number(4);
    }
    if (how % 8 != 0) {
        return values[(how >> 4) % GM_NUM_ELEM(values)];
    }
    bits = fuzz_number(8);
    memcpy(&value, &bits, sizeof(value));
    return value;
}
