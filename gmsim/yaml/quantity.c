/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Defines the unit tables for bandwidths, times and sizes. Also parses and
 * prints numbers independently of the locale.
 */
#define _GNU_SOURCE /* required for newlocale() */
#include "yaml/quantity.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mpiqos_unit {
    const char *name; /* NULL ends each list */
    double factor;
} mpiqos_unit_t;

/* The units are documented in doc/reference/units.md. "KB/s" is missing because
 * KB means 1000 to some people and 1024 to others. */
static const mpiqos_unit_t mpiqos_units[] = {
    {"B/s", 1.0},         {"bytes/s", 1.0},        {"kB/s", 1e3},
    {"MB/s", 1e6},        {"GB/s", 1e9},           {"KiB/s", 1024.0},
    {"MiB/s", 1048576.0}, {"GiB/s", 1073741824.0}, {NULL, 0.0},
};

static const mpiqos_unit_t mpiqos_time_units[] = {
    {"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {NULL, 0.0},
};

static const mpiqos_unit_t mpiqos_byte_units[] = {
    {"", 1.0},   {"B", 1.0},      {"bytes", 1.0},     {"kB", 1e3},
    {"MB", 1e6}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {NULL, 0.0},
};

/* In some locales, strtod() would accept a decimal comma. In all locales, it
 * would accept hexadecimal numbers, "inf" and "nan". */
static int mpiqos_number(const char *text, double *number_p, const char **end_p)
{
    size_t length = strspn(text, "+-.0123456789eE");
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char digits[64];
    char *end;

    if (c == (locale_t)0) {
        return -1;
    }
    if (length == 0 || length >= sizeof(digits)) {
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

static int mpiqos_quantity(const char *text, const mpiqos_unit_t *units,
                           double *value_p)
{
    const char *name;
    double number;

    text += strspn(text, " ");
    if (mpiqos_number(text, &number, &name) != 0) {
        return -1;
    }
    name += strspn(name, " ");
    for (const mpiqos_unit_t *unit = units; unit->name != NULL; ++unit) {
        if (strcmp(name, unit->name) == 0) {
            *value_p = number * unit->factor;
            return 0;
        }
    }
    return -1;
}

int mpiqos_quantity_bandwidth(const char *text, double *bytes_s_p)
{
    double number;
    const char *end;

    text += strspn(text, " ");
    if (mpiqos_number(text, &number, &end) == 0 && *end == '\0' &&
        number == 0.0) {
        *bytes_s_p = 0.0;
        return 0;
    }
    return mpiqos_quantity(text, mpiqos_units, bytes_s_p);
}

void mpiqos_quantity_no_bandwidth(const char *text,
                                  char why[MPIQOS_NO_BANDWIDTH_LEN])
{
    double number;
    const char *end;
    int length;

    text += strspn(text, " ");
    length = (int)strspn(text, "+-.0123456789eE");
    if (mpiqos_number(text, &number, &end) == 0 && number > 0.0 &&
        end[strspn(end, " ")] == '\0' && length <= 11) {
        (void)snprintf(why, MPIQOS_NO_BANDWIDTH_LEN,
                       "has no unit: '%.*s MB/s' or '%.*s B/s'?", length, text,
                       length, text);
    } else {
        (void)snprintf(why, MPIQOS_NO_BANDWIDTH_LEN,
                       "is not a valid bandwidth");
    }
}

int mpiqos_quantity_seconds(const char *text, double *seconds_p)
{
    if (strcmp(text + strspn(text, " "), "0") == 0) {
        *seconds_p = 0.0;
        return 0;
    }
    return mpiqos_quantity(text, mpiqos_time_units, seconds_p);
}

int mpiqos_quantity_bytes(const char *text, double *bytes_p)
{
    double bytes;

    if (mpiqos_quantity(text, mpiqos_byte_units, &bytes) != 0 ||
        bytes != floor(bytes)) {
        return -1;
    }
    *bytes_p = bytes;
    return 0;
}

void mpiqos_quantity_time(double seconds, char text[MPIQOS_QUANTITY_LEN])
{
    static const struct {
        double factor;
        const char *name;
    } units[] = {{1.0, "s"}, {1e3, "ms"}, {1e6, "us"}, {1e9, "ns"}};
    size_t i = 0;
    double number, digit;

    if (!(seconds > 0.0)) {
        (void)snprintf(text, MPIQOS_QUANTITY_LEN, "0 s");
        return;
    }
    while (i < 3 && seconds * units[i].factor < 1.0) {
        ++i;
    }
    number = seconds * units[i].factor;
    digit = pow(10.0, floor(log10(number)) - 3.0);
    /* The subtraction prevents a tiny rounding error from increasing the last
     * digit. */
    number = ceil(number / digit - 1e-6) * digit;
    (void)snprintf(text, MPIQOS_QUANTITY_LEN, "%.4g %s", number, units[i].name);
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
    if (end == text || *end != '\0') {
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
