/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* newlocale */
#include "quantity.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mpiqos_unit {
    const char *name;
    double bytes_s;
} mpiqos_unit_t;

/* doc/reference/units.md has them. No "KB/s": some mean 1000 by it and some 1024. */
static const mpiqos_unit_t mpiqos_units[] = {
    {"", 1.0},        {"B/s", 1.0},         {"bytes/s", 1.0},
    {"kB/s", 1e3},    {"MB/s", 1e6},        {"GB/s", 1e9},
    {"KiB/s", 1024.0}, {"MiB/s", 1048576.0}, {"GiB/s", 1073741824.0},
};

/* strtod() would take a decimal comma where the program has asked for one, and
 * hexadecimal numbers, "inf" and "nan" everywhere. */
static int mpiqos_number(const char *text, double *number_p, const char **end_p)
{
    size_t length = strspn(text, "+-.0123456789eE");
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char digits[64];
    char *end;

    if (c == (locale_t)0) {
        return -1;
    }
    if ((length == 0) || (length >= sizeof(digits))) {
        freelocale(c);
        return -1;
    }
    memcpy(digits, text, length);
    digits[length] = '\0';
    *number_p = strtod_l(digits, &end, c);
    freelocale(c);
    *end_p = text + (end - digits);
    return (end == digits) ? -1 : 0;
}

int mpiqos_quantity_bandwidth(const char *text, double *bytes_s_p)
{
    const char *unit;
    double number;

    text += strspn(text, " ");
    if (mpiqos_number(text, &number, &unit) != 0) {
        return -1;
    }
    unit += strspn(unit, " ");
    for (size_t i = 0; i < sizeof(mpiqos_units) / sizeof(mpiqos_units[0]);
         ++i) {
        if (strcmp(unit, mpiqos_units[i].name) == 0) {
            *bytes_s_p = number * mpiqos_units[i].bytes_s;
            return 0;
        }
    }
    return -1;
}

int mpiqos_quantity_whole(const char *text, long *number_p)
{
    char *end;
    long number;

    text += strspn(text, " ");
    if (text[strspn(text, "+-0123456789")] != '\0') {
        return -1;
    }
    number = strtol(text, &end, 10);
    if ((end == text) || (*end != '\0')) {
        return -1;
    }
    *number_p = number;
    return 0;
}

void mpiqos_quantity_print(double number, char text[MPIQOS_QUANTITY_LEN])
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = (c != (locale_t)0) ? uselocale(c) : (locale_t)0;

    snprintf(text, MPIQOS_QUANTITY_LEN, "%.15g", number);
    if (c != (locale_t)0) {
        uselocale(before);
        freelocale(c);
    }
}
