/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rejects strings that do not begin with a decimal number, and calls strtod()
 * to convert all other strings.
 */
#include "base/decimal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double gms_decimal(const char *text, char **end_p)
{
    const char *digits = text + (text[0] == '-' || text[0] == '+');

    digits += digits[0] == '.';
    if (digits[0] < '0' || digits[0] > '9' ||
        (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))) {
        *end_p = (char *)(uintptr_t)text;
        return 0;
    }
    return strtod(text, end_p);
}
