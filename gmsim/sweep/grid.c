/* SPDX-License-Identifier: BSD-3-Clause */
/* Computes the values of a run from its number, and the values of a range. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "sweep/sweep.h"

/* Integers up to this value are exact in a double. */
#define GMS_SWEEP_EXACT INT64_C(9007199254740992)
/* Maximum number of digits after the decimal point. */
#define GMS_SWEEP_DIGITS 15

/* ---- runs ---- */

const char *gms_sweep_value(const gms_sweep_t *sweep,
                            const gms_sweep_variable_t *variable, uint64_t run)
{
    uint64_t rest = run / sweep->repetitions;
    size_t i;

    /* divide by the lengths of all axes that change faster than this axis; each
     * axis is represented by its first variable */
    for (i = sweep->variable_count; i > 0; --i) {
        const gms_sweep_variable_t *other = &sweep->variables[i - 1];

        if (other->axis == variable->axis) {
            break;
        }
        if (i == 1 || sweep->variables[i - 2].axis != other->axis) {
            rest /= other->count;
        }
    }
    return variable->values[rest % variable->count];
}

uint64_t gms_sweep_seed(const gms_sweep_t *sweep, uint64_t run)
{
    return run % sweep->repetitions + 1;
}

/* ---- decimal numbers ---- */

/** A decimal number, equal to value * 10^-digits. */
typedef struct gms_sweep_decimal {
    int64_t value;
    int digits;
} gms_sweep_decimal_t;

static int gms_sweep_is_number(const char *text, double *value_p)
{
    char *end;

    *value_p = gms_decimal(text, &end);
    return end != text && *end == '\0' && isfinite(*value_p) &&
           strpbrk(text, "xXpP") == NULL;
}

/** Converts a string to a decimal number. @return 1, or 0 if the number has too
 *  many digits */
static int gms_sweep_decimal(const char *text, gms_sweep_decimal_t *decimal)
{
    const char *point = strchr(text, '.');
    const char *exponent = strpbrk(text, "eE");
    size_t len = (exponent != NULL) ? (size_t)(exponent - text) : strlen(text);
    long digits =
        (point != NULL) ? (long)(len - (size_t)(point - text)) - 1 : 0;
    double value = strtod(text, NULL);

    digits -= (exponent != NULL) ? strtol(exponent + 1, NULL, 10) : 0;
    digits = (digits < 0) ? 0 : digits;
    if (digits > GMS_SWEEP_DIGITS ||
        fabs(value) * pow(10, (double)digits) > (double)GMS_SWEEP_EXACT) {
        return 0;
    }
    decimal->digits = (int)digits;
    decimal->value = llround(value * pow(10, (double)digits));
    return 1;
}

/** Sets the number of digits after the decimal point. @return 1, or 0 if the
 *  number would have too many digits */
static int gms_sweep_scale(gms_sweep_decimal_t *decimal, int digits)
{
    for (; decimal->digits < digits; ++decimal->digits) {
        if (llabs(decimal->value) > GMS_SWEEP_EXACT / 10) {
            return 0;
        }
        decimal->value *= 10;
    }
    return 1;
}

/** Formats a decimal number without trailing zeros in its fraction. */
static char *gms_sweep_decimal_text(int64_t value, int digits)
{
    char text[48];
    int64_t unit = 1, size;
    int i;

    for (; digits > 0 && value % 10 == 0; --digits) {
        value /= 10;
    }
    for (i = 0; i < digits; ++i) {
        unit *= 10;
    }
    size = (value < 0) ? -value : value;
    if (digits == 0) {
        (void)snprintf(text, sizeof(text), "%" PRId64, value);
    } else {
        (void)snprintf(text, sizeof(text), "%s%" PRId64 ".%0*" PRId64,
                       (value < 0) ? "-" : "", size / unit, digits,
                       size % unit);
    }
    return strdup(text);
}

/* ---- ranges ---- */

static const char *gms_sweep_steps(const char *from, const char *to,
                                   const char *step, char **values,
                                   size_t *count_p)
{
    static const char many[] = "has too many digits; allowed: 15 in total";
    gms_sweep_decimal_t a, b, d;
    int digits;
    int64_t steps, i;

    if (!gms_sweep_decimal(from, &a) || !gms_sweep_decimal(to, &b) ||
        !gms_sweep_decimal(step, &d)) {
        return many;
    }
    digits = (a.digits > b.digits) ? a.digits : b.digits;
    digits = (d.digits > digits) ? d.digits : digits;
    if (!gms_sweep_scale(&a, digits) || !gms_sweep_scale(&b, digits) ||
        !gms_sweep_scale(&d, digits)) {
        return many;
    }
    if (d.value == 0 || (b.value - a.value) / d.value < 0 ||
        (b.value != a.value && (b.value > a.value) != (d.value > 0))) {
        return "never reaches 'to'; allowed: a step that leads from 'from' to "
               "'to'";
    }
    steps = (b.value - a.value) / d.value;
    if (steps >= GMS_SWEEP_VALUES_MAX) {
        return "is too long; allowed: at most 100000 values";
    }
    for (i = 0; i <= steps; ++i) {
        values[i] = gms_sweep_decimal_text(a.value + i * d.value, digits);
    }
    *count_p = (size_t)steps + 1;
    return NULL;
}

/** Formats a product. Integers keep all their digits. */
static char *gms_sweep_product_text(double value)
{
    char text[48];

    if (fabs(value) < (double)GMS_SWEEP_EXACT && value == floor(value)) {
        (void)snprintf(text, sizeof(text), "%.0f", value);
    } else {
        (void)snprintf(text, sizeof(text), "%.12g", value);
    }
    return strdup(text);
}

static const char *gms_sweep_factors(double from, double to, double factor,
                                     char **values, size_t *count_p)
{
    /* the last digits of a product can be inexact */
    const double near = 1e-9;
    double value = from;
    size_t count = 0;

    if (!(from > 0) || !(to > 0) || !(factor > 0) || factor == 1 ||
        (to != from && (to > from) != (factor > 1))) {
        return "never reaches 'to'; allowed: 'from' and 'to' above 0, and a "
               "factor that leads from one to the other";
    }
    while ((factor > 1) ? (value <= to * (1 + near))
                        : (value >= to * (1 - near))) {
        if (count == GMS_SWEEP_VALUES_MAX) {
            return "is too long; allowed: at most 100000 values";
        }
        values[count++] = gms_sweep_product_text(value);
        value *= factor;
    }
    *count_p = count;
    return NULL;
}

const char *gms_sweep_range(const char *from, const char *to, const char *step,
                            const char *factor, char ***values_p,
                            size_t *count_p)
{
    const char *wrong;
    double first, last, by;
    char **values;
    size_t i;

    if (!gms_sweep_is_number(from, &first) || !gms_sweep_is_number(to, &last) ||
        !gms_sweep_is_number((step != NULL) ? step : factor, &by)) {
        return "has values that are not numbers; allowed: {from: NUMBER, to: "
               "NUMBER, "
               "step: NUMBER} or factor instead of step";
    }
    values = calloc(GMS_SWEEP_VALUES_MAX + 1, sizeof(*values));
    if (values == NULL) {
        return "needs more memory than available";
    }
    wrong = (step != NULL)
                ? gms_sweep_steps(from, to, step, values, count_p)
                : gms_sweep_factors(first, last, by, values, count_p);
    if (wrong != NULL) {
        for (i = 0; values[i] != NULL; ++i) {
            free(values[i]);
        }
        free(values);
        return wrong;
    }
    *values_p = values;
    return NULL;
}
