/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads scalar values for the loader: numbers with a range, words from a list,
 * and strings.
 */
#include "yaml/loader.h"

#include <ctype.h>
#include <string.h>

static int gms_yaml_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** Append a digit to a number: m = m * 10 + digit.
 *  @return 0 if the number overflows */
static int gms_yaml_push_digit(uint64_t *m, unsigned digit)
{
    if (*m > (UINT64_MAX - digit) / 10) {
        return 0;
    }
    *m = *m * 10 + digit;
    return 1;
}

/* The parts of the text of a number. */
typedef struct gms_yaml_digits {
    int negative;
    const char *p, *end; /* digits, and at most one point between them */
    size_t dropped;      /* number of digits of the fraction, without trailing
                     * zeros */
    uint64_t exponent;
} gms_yaml_digits_t;

/* Read an exponent up to the end of the text. Exponents above 1000 are not
 * distinguished. @return 0 if the text is not an exponent */
static int gms_yaml_exponent(const char *e, uint64_t *exponent_p)
{
    uint64_t exponent = 0;

    e += (*e == '+');
    if (!gms_yaml_is_digit(*e)) {
        return 0;
    }
    for (; gms_yaml_is_digit(*e); ++e) {
        if (exponent < 1000) {
            exponent = exponent * 10 + (unsigned)(*e - '0');
        }
    }
    *exponent_p = exponent;
    return *e == '\0';
}

/* Find the parts of a number. @return 0 if the text is not a number */
static int gms_yaml_split(const char *text, gms_yaml_digits_t *parts)
{
    const char *p = text, *fraction = NULL, *end;
    size_t digits = 0;

    *parts = (gms_yaml_digits_t){.negative = *p == '-'};
    if (*p == '-' || *p == '+') {
        ++p;
    }
    for (end = p; gms_yaml_is_digit(*end) || *end == '.'; ++end) {
        if (*end == '.') {
            if (fraction != NULL) {
                return 0;
            }
            fraction = end + 1;
        } else {
            ++digits;
        }
    }
    if (digits == 0) {
        return 0;
    }
    if (*end == 'e' || *end == 'E') {
        if (!gms_yaml_exponent(end + 1, &parts->exponent)) {
            return 0;
        }
    } else if (*end != '\0') {
        return 0;
    }
    if (fraction != NULL) {
        while (end > fraction && end[-1] == '0') {
            --end; /* ignore trailing zeros of a fraction */
        }
        parts->dropped = (size_t)(end - fraction);
    }
    parts->p = p;
    parts->end = end;
    return 1;
}

/**
 * Read a whole number, which consists of digits and optionally a fraction and
 * an exponent (160e6, 1.5e3). The function uses only integers, because a double
 * would round seeds.
 */
gms_number_t gms_yaml_number(const char *text, uint64_t *value_p)
{
    gms_yaml_digits_t parts;
    const char *p;
    uint64_t m = 0, exponent;
    int fits = 1;

    if (!gms_yaml_split(text, &parts)) {
        return GMS_NUMBER_NONE;
    }
    for (p = parts.p; p < parts.end; ++p) {
        if (*p != '.') {
            fits = fits && gms_yaml_push_digit(&m, (unsigned)(*p - '0'));
        }
    }
    if (parts.negative && !(fits && m == 0)) {
        return GMS_NUMBER_NEGATIVE;
    }
    if (parts.exponent < parts.dropped) {
        return GMS_NUMBER_FRACTION;
    }
    exponent = parts.exponent - parts.dropped;
    for (; fits && m != 0 && exponent > 0; --exponent) {
        fits = gms_yaml_push_digit(&m, 0);
    }
    if (!fits) {
        return GMS_NUMBER_TOO_LARGE;
    }
    *value_p = m;
    return GMS_NUMBER_OK;
}

/** Return the string value of a scalar without an explicit tag, or NULL for
 * other nodes. */
const char *gms_yaml_scalar(const yaml_node_t *node)
{
    const char *text;

    if (node->type != YAML_SCALAR_NODE ||
        strcmp((const char *)node->tag, YAML_DEFAULT_SCALAR_TAG) != 0) {
        return NULL;
    }
    text = (const char *)node->data.scalar.value;
    return (strlen(text) == node->data.scalar.length) ? text : NULL;
}

gms_status_t gms_loader_choice(gms_loader_t *loader, const yaml_node_t *value,
                               const char *key, const char *const *names,
                               uint64_t *index_p)
{
    const char *text = gms_yaml_scalar(value), *best = NULL;
    gms_status_t status;
    uint64_t i;

    for (i = 0; text != NULL && names[i] != NULL; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *index_p = i;
            return GMS_OK;
        }
    }
    status = gms_loader_begin_value(loader, key, value);
    if (value->type == YAML_SCALAR_NODE) {
        gms_yaml_append(loader->error, " is unknown");
    }
    if (text != NULL && text[0] != '\0') {
        size_t limit = gms_yaml_typo_limit(text);

        for (i = 0; names[i] != NULL; ++i) {
            gms_yaml_nearer(text, names[i], &best, &limit);
        }
        gms_yaml_append_guess(loader->error, best);
    }
    gms_yaml_append(loader->error, "; allowed: ");
    gms_yaml_append_names(loader->error, names);
    return status;
}

/** Return the reason why a value is not a whole number. */
static const char *gms_yaml_no_number(const yaml_node_t *value)
{
    const char *text = gms_yaml_scalar(value);
    uint64_t number;

    if (value->type != YAML_SCALAR_NODE) {
        return ", not a whole number";
    }
    if (text != NULL && value->data.scalar.style != YAML_PLAIN_SCALAR_STYLE &&
        gms_yaml_number(text, &number) == GMS_NUMBER_OK) {
        return " is a quoted string, not a whole number";
    }
    return " is not a whole number";
}

/** Return 1 if the value is a number followed by a unit. Such a value is
 * invalid, because the key's name already contains the unit. */
static int gms_yaml_has_unit(const yaml_node_t *value)
{
    const char *text = gms_yaml_scalar(value);

    if (text == NULL || !gms_yaml_is_digit(text[0])) {
        return 0;
    }
    text += strspn(text, "0123456789.eE+- ");
    return *text == '%' || (isalpha((unsigned char)*text) && *text != 'x');
}

gms_status_t gms_loader_integer(gms_loader_t *loader, const yaml_node_t *value,
                                const gms_param_t *row, uint64_t *number_p)
{
    const char *text = gms_yaml_scalar(value), *why = " is out of range";
    gms_number_t kind = GMS_NUMBER_NONE;
    gms_status_t status;
    uint64_t number = 0;

    /* A quoted number is a string in YAML, so the quotes are probably a
     * mistake. */
    if (text != NULL && value->data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
        kind = gms_yaml_number(text, &number);
    }
    if (kind == GMS_NUMBER_OK && number >= row->min && number <= row->max) {
        *number_p = number;
        return GMS_OK;
    }
    if (kind == GMS_NUMBER_NONE || kind == GMS_NUMBER_FRACTION) {
        why = gms_yaml_no_number(value);
    }
    status = gms_loader_begin_value(loader, row->name, value);
    gms_yaml_append(loader->error, "%s", why);
    gms_yaml_append_allowed(loader->error, row);
    if (row->unit[0] != '\0' && gms_yaml_has_unit(value)) {
        gms_yaml_append(loader->error, ", without the unit");
    }
    return status;
}
